// kernel_impl.h: layout of a frictional problem at work, shared by kernel.c, measure.c, enumerate.c and settle.c.
#ifndef HML_KERNEL_IMPL_H
#define HML_KERNEL_IMPL_H

#include "kernel.h"

#include <math.h>
#include <stdint.h>

#define HML_IDLE 1e-14                 // diagonal of a row that its reaction does not move, relative to the largest
#define HML_AT_REST SIZE_MAX           // owner of a row with u = target
#define HML_AT_ZERO (SIZE_MAX - 1)     // owner of a row with z = 0

// Choice of a friction: ALONG a fixed direction, TURNS with its own u, GIVEN a force
enum { HML_CHOICE_NONE, HML_CHOICE_REST, HML_CHOICE_ALONG, HML_CHOICE_TURNS, HML_CHOICE_GIVEN };

typedef struct hml_solver {
  hml_frictional *p;
  hml_frictional_result *result;
  size_t n, rank;                      // rows in the present system, and its rank
  size_t *rows, *owner, *pivots;       // of the present system; friction of a row, HML_AT_REST or HML_AT_ZERO        (k)
  double *z, *u, *saved, *target;      // present attempt; its u; scratch; demanded u of the rows                    (k)
  double *jacobian, *null, *side, *step, *unit, *gradient;   // system in `rows`; gradient of N              (k x k), (k)
  double *root, most;                  // square roots of the diagonal of G (k); its largest entry
} hml_solver;

typedef struct hml_measure {           // the worst row
  double worst;
  size_t row;
} hml_measure;

static inline double hml_kernel__diagonal(const hml_solver *s, size_t row) {
  double g = s->p->g[row * s->p->k + row];
  return g > (s->p->unheld ? 0 : HML_IDLE * s->most) ? g : 0;
}

static inline double hml_kernel__rank(const hml_solver *s) {
  return s->p->rank > 0 ? s->p->rank : HML_CONTACT_RANK;
}

static inline double hml_kernel__velocity(const hml_solver *s, size_t row, const double *z) {
  return s->p->free[row] + hml_contact__dot(s->p->k, s->p->g + row * s->p->k, z);
}

// ---- measure.c: values and errors at z
double hml_kernel__signed_normal(const hml_frictional *p, const hml_rub *f, const double *z);
double hml_kernel__pressing(const hml_frictional *p, const hml_rub *f, const double *z);
double hml_kernel__affine(const hml_frictional *p, const hml_affine *e, const double *z);
double hml_kernel__shared_squares(const hml_frictional *p, const hml_rub *f, const double *z);
bool hml_kernel__has_two_signs(const hml_rub *f);                        // pressed by the size of a multiplier
double hml_kernel__block_diagonal(const hml_solver *s, const hml_rub *f);                   // the largest, in the units of (s, R w)
double hml_kernel__terms(const hml_solver *s, size_t row, const double *z);                 // sizes of the terms of a row
hml_measure hml_kernel__residual(const hml_solver *s, const double *z, double *u);          // leaves u of z

// ---- kernel.c: the work space of a problem, whose z is zero; the linear system of listed rows
hml_solver hml_kernel__open_solver(hml_frictional *p, hml_frictional_result *result);
void hml_kernel__list(hml_solver *s, size_t row, size_t owner, double target);
void hml_kernel__rest_row(hml_solver *s, size_t at);
double hml_kernel__slip_normal(const hml_solver *s, const hml_rub *f, double *gradient);
void hml_kernel__clear(hml_solver *s);

double hml_kernel__combinations(const hml_frictional *p);                // enumerate.c
void hml_kernel__enumerate(hml_solver *s);
void hml_kernel__mark_undetermined(hml_solver *s);                       // for s->z, s->u and the states of p
void hml_kernel__settle(hml_solver *s);                                  // settle.c: z in p->z, states named

#endif
