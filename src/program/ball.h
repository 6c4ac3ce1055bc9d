// ball.h: power series of the values of a program, in balls, with bounds of their tails.
//
//   ball.c    the program as arithmetic of series, coefficients order by order
//   tail.c    a bound of what lies beyond the last order, for a step h
//
// The norm of a series is the sum of |a_k| h^k. Every value a of the program has coefficients a_0 ... a_N as balls and, for a step h, a tail: a
// bound of the sum of |a_k| h^k over k > N. Products, quotients and functions of series with such bounds have such bounds themselves, so that the
// solution of x' = f(x) and its derivatives by the start are proved to exist for |t| <= h where the bounds reproduce themselves.
#ifndef HML_BALL_H
#define HML_BALL_H

#include "arb.h"
#include "program.h"

#ifdef HAMEL_ARB

typedef struct hml_balls hml_balls;

typedef struct hml_balls_layout {
  size_t kin, n, m;                    // x_kin, x_dyn, multipliers
  size_t held;                         // states after these whose rate is zero
  size_t mass, rows, r, b;             // outputs: as in hml_equation_layout; k at 0
  unsigned order;                      // N; the states have one more
  size_t directions;                   // derivatives by the states listed
  const uint32_t *direction;           // (directions)
  slong bits;
} hml_balls_layout;

// Inputs of the program: t, the states, the held states, then parameters. The program must outlive the result.       fails: HML_UNSUPPORTED
hml_status hml_balls__new(hml_context *c, const hml_program *p, const hml_balls_layout *l, hml_balls **out);
void hml_balls__free(hml_balls *b);

// The series of the motion from x at t; derivatives start with 1 in their own direction                  fails: HML_SINGULAR, HML_INTERRUPTED
hml_status hml_balls__expand(hml_balls *b, const arb_t t, arb_srcptr x, arb_srcptr parameters);
// Are these the series of a motion for |t| <= h, and of its derivatives? Then the remainders are known. False: h may be too large
bool hml_balls__prove(hml_balls *b, const mag_t h);
unsigned hml_balls__order(const hml_balls *b);
unsigned hml_balls__best_order(slong bits);                                          // with which motions to so many bits cost least
// What the last proof lacked, "" where that is no place
void hml_balls__doubt(const hml_balls *b, size_t capacity, char *text);

// Direction 0 is the value, 1 ... the directions. Coefficients: of states N + 2, of other values N + 1; those of `steady` ones beyond order 0 are zero
arb_srcptr hml_balls__state(const hml_balls *b, size_t i, size_t direction);
mag_srcptr hml_balls__remainder(const hml_balls *b, size_t i, size_t direction);     // beyond order N + 1
arb_srcptr hml_balls__output(const hml_balls *b, size_t k, size_t direction, bool *steady);
arb_srcptr hml_balls__multiplier(const hml_balls *b, size_t k, size_t direction);   // with the sign of M a = r + A^T lambda after negation
mag_srcptr hml_balls__tail(const hml_balls *b, size_t k, size_t direction);          // of an output, beyond order N
bool hml_balls__uses(const hml_program *p, size_t input);                            // does any value depend on it?

#endif
#endif
