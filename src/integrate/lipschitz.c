// lipschitz.c: does one motion only go through a state? Where x' near it changes by more than any multiple of the distance, as a root of a
// coordinate does at zero, motions may part that begin there: x'' = 6 x^(1/3) has x = 0 and x = t^3. No method can choose among them.
//
// x' is compared with its values beside the state, ever closer to it. What pulls back, as friction with the root of a velocity does, holds motions
// together (a one-sided Lipschitz condition: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, I.10).
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RUNGS = 9, ROW = 3 };           // distances tried; of them in a row over which the quotient grows
#define FIRST 1e-4                     // of the size of a component: the largest distance,
#define RUNG 1e-4                      // and what the next one is of it
#define GROWS 2.2                      // more than x log x does, less than a power of 0.91
#define CLEAR 1e3                      // roundings: a difference that is none

typedef struct beside {
  const hml_problem *problem;
  size_t kin, dyn;
  double t;
  const double *y;
  double *near, *f, *first;            // a state beside y, x' there and at y
} beside;

// Does a change of x'_i that has the sign of `change` lead back from a displacement of component j by `distance`?
static bool pulls_back(const beside *b, size_t i, size_t j, double distance, double change) {
  bool own = i == j || (b->kin == b->dyn && j < b->kin && i == b->kin + j);
  return own && change * distance < 0;
}

// The largest quotient by which x' changes towards y + distance along component j; 0 where that is rounding or x' has no value
static hml_status quotient(const beside *b, size_t j, double distance, double *out) {
  const hml_problem *p = b->problem;
  *out = 0;
  memcpy(b->near, b->y, p->n * sizeof *b->near);
  b->near[j] += distance;
  double way = b->near[j] - b->y[j];
  if (way == 0) return HML_OK;
  hml_status status = p->ode->rhs(p->ode->payload, b->t, b->near, b->f);
  if (status != HML_OK) return hml_problem__recoverable(status) ? hml_forgiven(p->context) : status;
  for (size_t i = 0; i < b->kin + b->dyn; i++) {
    double change = b->f[i] - b->first[i];
    if (!isfinite(change) || fabs(change) <= CLEAR * DBL_EPSILON * fabs(b->first[i]) || pulls_back(b, i, j, distance, change)) continue;
    *out = fmax(*out, fabs(change / way));
  }
  return HML_OK;
}

// Does the quotient grow without bound on the way to y from one side?
static hml_status grows(const beside *b, size_t j, double sign, bool *out) {
  double size = b->y[j] != 0 ? fabs(b->y[j]) : 1, distance = sign * FIRST * size, before = 0;
  int row = 0;
  *out = false;
  for (int k = 0; k < RUNGS; k++, distance *= RUNG) {
    double now;
    HML_TRY(quotient(b, j, distance, &now));
    if (now == 0) break;               // closer by there is rounding only
    row = before > 0 && now > GROWS * before ? row + 1 : 0;
    before = now;
  }
  *out = row >= ROW - 1;
  return HML_OK;
}

hml_status hml_lipschitz__lost(const hml_problem *p, hml_model_sizes sizes, double t, const double *y, double *work, bool *lost) {
  beside b = {p, sizes.kin, sizes.dyn, t, y, work, work + p->stride, work + 2 * p->stride};
  *lost = false;
  HML_TRY(hml_problem__finite_rhs(p, t, y, b.first));
  for (size_t j = 0; j < sizes.kin + sizes.dyn && !*lost; j++)
    for (double sign = -1; sign <= 1 && !*lost; sign += 2) HML_TRY(grows(&b, j, sign, lost));
  return HML_OK;
}
