// kernel.h: the frictional problem in given rows, inside this room: z and u = free + G z under one-sided rows, demands and frictions.
//
// Lasting contact: u are accelerations, a friction that moves gives its slip, one at rest slips along its own u or sticks. Blows and steps:
// u are velocities afterwards, no friction gives a slip, and the target of a side is -e times its u before (Moreau's law).
#ifndef HML_KERNEL_H
#define HML_KERNEL_H

#include "law.h"

// a + sum b[i stride] z_i: a multiplier as the reactions change it, or (b NULL) a number
typedef struct hml_affine {
  double a;
  const double *b;
  size_t stride;
} hml_affine;

typedef struct hml_side {              // 0 <= z, u >= target, one of them equal
  size_t row;
  double target;
  bool stays_open;                     // it may not close
  bool closed, undetermined;           // answer; undetermined: z is one of many, u is not
  bool tried;                          // scratch
} hml_side;

typedef struct hml_demand {            // u = target
  size_t row;
  double target;
} hml_demand;

typedef enum hml_rub_state { HML_RUB_FREE, HML_RUB_STICKS, HML_RUB_SLIPS } hml_rub_state;

typedef struct hml_rub {               // z in -N dh(y), y the slip, or the u of its rows where it is at rest
  hml_friction_law law, rest;          // in slip; while it sticks (static coefficients, not below those of slip)
  size_t row;                          // the first of law.count rows
  size_t side;                         // pressed by this one of the sides; SIZE_MAX: by |normal|, a number below 0 counts as 0
  hml_affine normal;
  size_t n_cone;                       // coulomb: N^2 loses the squares of these, divided by mu^2
  const hml_affine *cone;
  const double *slip;                  // it moves: z = -N grad h(slip); NULL: at rest
  bool may_not_stick;
  hml_rub_state state;                 // answer, with N and the root of the cone's squares
  double direction[3];                 // of the slip, also of one that begins
  double pressing, shared;
  bool undetermined;
  double sign, along[3], given[3];     // scratch, like those that follow
  int choice, digit;
  bool alone;
} hml_rub;

typedef struct hml_frictional {
  size_t k;
  const double *g, *free;              // G (k x k); u without the reactions (accelerations or velocities)
  const double *scale;                 // sizes of the terms of which `free` is made; NULL: |free|            (k)
  bool unheld;                         // no two-sided constraints, which might hold a row so that its diagonal is rounding
  size_t n_sides, n_demands, n_frictions;
  hml_side *side;
  const hml_demand *demand;
  hml_rub *rub;
  double rank;                         // least pivot of rows that do not depend on each other; 0: HML_CONTACT_RANK
  bool first;                          // one solution is enough; otherwise all are sought
  double *z;                           // answer                                                            (k)
  double *other;                       // reactions of another motion, where there are several; may be NULL (k)
  double *work;                        // hml_frictional__doubles()
} hml_frictional;

typedef enum hml_frictional_way {
  HML_FRICTIONAL_UNSOLVED,
  HML_FRICTIONAL_ENUMERATED,
  HML_FRICTIONAL_SWEPT,
  HML_FRICTIONAL_NEWTON
} hml_frictional_way;

typedef struct hml_frictional_result {
  hml_frictional_way way;
  bool complete;                       // every solution was met: none found is a proof (to rounding) that none exists
  size_t motions;                      // solutions with different u
  bool reactions_differ;               // z is not determined
  double residual;                     // of the worst row, relative to its terms
  size_t worst, sweeps;
} hml_frictional_result;

// Solutions are accepted up to this residual; enumeration and Newton's method reach rounding
#define HML_FRICTIONAL_ACCEPTED 1e-9

size_t hml_frictional__doubles(size_t k);
// Allocates nothing. With the closed and sticking choices first; unsolved: z is the best attempt, `worst` its row.
hml_frictional_result hml_frictional__solve(hml_frictional *p);
hml_frictional_result hml_frictional__settle(hml_frictional *p);         // sweeps and Newton's method alone: one solution

#define HML_CONTACT_RANK 1e-12         // of the least pivot of rows that do not depend on each other, where no masses differ by many orders

// x of a x = b (order n, a and b are destroyed), x_i = unit_i times the unknown; of least |x| where a is singular. Returns the rank; the
// first n - rank rows of `null` are orthonormal directions in which x is free. least: pivot, relative to the first, below which a is singular;
// the caller scales its entries to 1.                                                                            pivots: n
size_t hml_contact__least_norm(size_t n, double *a, double *b, const double *unit, double *x, double *null, size_t *pivots, double least);

#endif
