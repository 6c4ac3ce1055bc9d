// lipschitz.c: does one motion only go through a state? Where x' near it changes by more than any multiple of the distance, as a root of a
// coordinate does at zero, motions may part that begin there: x'' = 6 x^(1/3) has x = 0 and x = t^3. No method can choose among them.
//
// x' is compared with its values beside the state, ever closer to it. What pulls back, as friction with the root of a velocity does, holds motions
// together (a one-sided Lipschitz condition: Hairer, Norsett and Wanner, Solving Ordinary Differential Equations I, I.10).
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { RUNGS = 18, ROW = 4, ALIKE = 3 };   // distances tried; quotients in a row that grow fast; growths in a row that are alike
#define FIRST 1e-4                     // of the size of a component: the largest distance,
#define RUNG 1e-2                      // and what the next one is of it
#define GROWS 1.48                     // of a quotient: more than that of x log x, as of a power below 0.91
#define GROWS_ALIKE 1.01               // of its increase, where that is a geometric sequence, as of a power below 0.998; that of x log x has 1
#define SAME 0.05                      // of a growth less 1: growths that are alike
#define CLEAR 1e3                      // roundings: a difference that is none
#define CLEAR_INCREASE 1e2             // the same of an increase of quotients

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

// The largest quotient by which x' changes towards y + distance along component j, and its rounding; 0 where that is all, or x' has no value
static hml_status quotient(const beside *b, size_t j, double distance, double *out, double *rounding) {
  const hml_problem *p = b->problem;
  *out = *rounding = 0;
  memcpy(b->near, b->y, p->n * sizeof *b->near);
  b->near[j] += distance;
  double way = b->near[j] - b->y[j];
  if (way == 0) return HML_OK;
  hml_status status = p->ode->rhs(p->ode->payload, b->t, b->near, b->f);
  if (status != HML_OK) return hml_problem__recoverable(status) ? hml_forgiven(p->context) : status;
  for (size_t i = 0; i < b->kin + b->dyn; i++) {
    double change = b->f[i] - b->first[i];
    if (!isfinite(change) || fabs(change) <= CLEAR * DBL_EPSILON * fabs(b->first[i]) || pulls_back(b, i, j, distance, change)) continue;
    if (!(fabs(change / way) > *out)) continue;
    *out = fabs(change / way);
    *rounding = DBL_EPSILON * (fabs(b->first[i] / way) + 4 * *out);
  }
  return HML_OK;
}

typedef struct climb {                 // of the quotients on the way to y
  double last, rounding, increase, growth;
  int fast, alike;                     // in a row
} climb;

// Powers below one have quotients whose increases are a geometric sequence, whatever smooth terms stand beside them
static void rise(climb *c, double now, double rounding) {
  double increase = now - c->last, least = CLEAR_INCREASE * (rounding + c->rounding);
  if (c->alike >= ALIKE && c->increase * c->growth < 2 * least) return;  // rounding hides what would follow
  bool clear = c->last > 0 && increase > least;
  double growth = clear && c->increase > 0 ? increase / c->increase : 0;
  bool alike = growth > GROWS_ALIKE && fabs(growth - c->growth) <= SAME * (growth - 1);
  c->alike = alike ? c->alike + 1 : 0;
  c->fast = c->last > 0 && now > GROWS * c->last ? c->fast + 1 : 0;
  *c = (climb){now, rounding, clear ? increase : 0, growth, c->fast, c->alike};
}

// Does the quotient grow without bound on the way to y from one side, faster than any logarithm?
static hml_status grows(const beside *b, size_t j, double sign, bool *out) {
  double size = b->y[j] != 0 ? fabs(b->y[j]) : 1, distance = sign * FIRST * size;
  climb c = {.fast = 0};
  for (int k = 0; k < RUNGS; k++, distance *= RUNG) {
    double now, rounding;
    HML_TRY(quotient(b, j, distance, &now, &rounding));
    if (now > 0) rise(&c, now, rounding);
  }
  *out = c.fast >= ROW || c.alike >= ALIKE;
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
