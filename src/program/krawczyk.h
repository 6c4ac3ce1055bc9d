// krawczyk.h: zeros of n equations in n unknowns: found by Newton's method, proved by Krawczyk's.
#ifndef HML_KRAWCZYK_H
#define HML_KRAWCZYK_H

#include "ball.h"

#ifdef HAMEL_ARB

// F and J = dF/dy over the balls y; J is wanted only where it is not NULL. fails: as the caller wants
typedef hml_status (*hml_ball_equations)(void *payload, arb_srcptr y, arb_ptr F, arb_mat_struct *J);

typedef struct hml_krawczyk {
  hml_context *context;
  slong n, bits;
  hml_ball_equations equations;
  void *payload;
} hml_krawczyk;

// Newton's method from y, whose radii are dropped; *step: the size of the last step                     fails: HML_SINGULAR, those of the equations
hml_status hml_krawczyk__newton(const hml_krawczyk *k, arb_ptr y, unsigned iterations, mag_t step);

// nearest_zero.c: from y to a zero near it, also to one of a family of zeros; y becomes the last point
typedef struct hml_nearest {
  double residual;                     // |F| there
  size_t dependent;                    // singular values of J there below 1e-6 of the largest
  double stuck;                        // the part of F at the given y that is orthogonal to what the derivatives there reach
} hml_nearest;
hml_status hml_krawczyk__nearest(const hml_krawczyk *k, arb_ptr y, unsigned iterations, hml_nearest *out);    // fails: those of the equations at y

typedef struct hml_krawczyk_proof {
  slong n;
  mag_ptr radius, image;               // of the box about y; sizes of its image about y      (n)
  mag_t contraction, least;            // row-sum norm of 1 - C J, each component over its radius, for J over the box; for J at y
  bool proved, centred;                // centred: what follows is known
  arb_ptr residual;                    // at y                                                (n)
  arb_mat_t known, inverse;            // J there, C                                          (n, n)
} hml_krawczyk_proof;

void hml_krawczyk__open(hml_krawczyk_proof *p, slong n);
void hml_krawczyk__close(hml_krawczyk_proof *p);
// Is there one and only one zero within the radii about y, which are positive? Then y becomes the balls that hold it. Of further boxes about the same y
hml_status hml_krawczyk__prove(const hml_krawczyk *k, arb_ptr y, hml_krawczyk_proof *p);
double hml_largest(slong n, mag_srcptr x);
double hml_at_least(mag_srcptr x);                                       // zero for zero alone

// The unknown inputs of a program that make its first `rows` outputs vanish; behind them are their derivatives by the unknowns, row by row. x: the
// inputs behind t. Unknowns beyond the rank of the rows stay as they are. *violated: a row that does not hold, else `rows`; residual: its ball
typedef struct hml_ball_root {
  const hml_program *program;
  size_t rows, unknowns;
  const uint32_t *unknown;             // among the inputs behind t
  slong bits;
} hml_ball_root;
hml_status hml_balls__root(hml_context *c, const hml_ball_root *r, const arb_t t, arb_ptr x, size_t *violated, arb_t residual);

// Is there one, and only one, zero of the rows near x? There are as many unknowns as rows. Then the unknown inputs become the balls that hold it;
// other inputs may be balls, and the zero then exists for each of their values
typedef struct hml_ball_zero {
  hml_ball_root root;
  unsigned iterations;                 // of Newton's method
  arb_srcptr radius;                   // of the box of the proof; NULL: from the last Newton step
} hml_ball_zero;

typedef struct hml_ball_zero_proof {
  bool proved;
  arb_t radius, image;                 // of the last box; initialised by the caller
  double contraction, least;           // row-sum norm of 1 - C J for J over the box; for J at its middle
  double step;                         // the last one of Newton's method; 0 where it made none
  char reason[400];                    // why nothing could be evaluated, else ""
} hml_ball_zero_proof;

hml_status hml_balls__zero(hml_context *c, const hml_ball_zero *z, const arb_t t, arb_ptr x, hml_ball_zero_proof *out);

#endif
#endif
