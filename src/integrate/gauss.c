// gauss.c: the collocation methods of Gauss and Legendre of order 4, 6, 8, with fixed steps. They are symplectic and symmetric: over
// long times the energy of a conservative system stays near its value instead of drifting. Hairer, Lubich, Wanner, Geometric Numerical
// Integration, II.1.3, VIII.6 (iteration).
//
// Stages Z_i = h sum_j a_ij f(t + c_j h, y + Z_j) by fixed-point iteration down to rounding: for the steps of mechanical systems it settles
// within ten or so; where it does not, the step is too large for it, or the slopes carry more rounding than their own: a solve of an ill-conditioned mass
// matrix moves them by many units in the last place. How much is measured where the iteration stops falling, from slopes at a state that is off by rounding.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { MOST_STAGES = HML_MOST_STAGES, ITERATIONS = 100, STAGNANT = HML_GAUSS_STAGNANT, EXTRA = 2 };
#define TOLERABLE HML_GAUSS_TOLERABLE
#define ROUNDING 1e-2                  // of the tolerance: a change that may be left where rounding of the slopes explains it
#define EXPLAINED 10                   // times the rounding that was measured
#define SMALL 1e-8                     // a change beyond it is no rounding: with too large a step stages move like noise, too

typedef struct gauss {
  const hml_problem *problem;
  hml_gauss_rule rule;
  double *memory;                      // stages Z, slopes k, argument, slope there
} gauss;

static double *stage(const gauss *g, size_t i) { return g->memory + i * g->problem->stride; }
static double *slope(const gauss *g, size_t i) { return g->memory + (g->rule.stages + i) * g->problem->stride; }

// Lagrange's polynomial of node j at x, integrated from 0 to `to`: Gauss-Legendre quadrature of enough points would need itself, so the
// polynomial is multiplied out
static double integral(const hml_gauss_rule *r, size_t j, double to) {
  double poly[MOST_STAGES + 1] = {1}, sum = 0, power = to;
  size_t degree = 0;
  for (size_t m = 0; m < r->stages; m++) {
    if (m == j) continue;
    double scale = 1 / (r->c[j] - r->c[m]);
    for (size_t k = ++degree; k > 0; k--) poly[k] = scale * (poly[k - 1] - r->c[m] * poly[k]);
    poly[0] *= -scale * r->c[m];
  }
  for (size_t k = 0; k <= degree; k++, power *= to) sum += poly[k] * power / (double)(k + 1);
  return sum;
}

hml_gauss_rule hml_gauss__rule(size_t stages) {
  hml_gauss_rule r = {.stages = stages};
  if (stages == 2) {
    r.c[0] = 0.5 - sqrt(3) / 6;
    r.c[1] = 0.5 + sqrt(3) / 6;
  } else if (stages == 3) {
    r.c[0] = 0.5 - sqrt(15) / 10;
    r.c[1] = 0.5;
    r.c[2] = 0.5 + sqrt(15) / 10;
  } else {
    double inner = 0.5 * sqrt(3.0 / 7 - 2.0 / 7 * sqrt(6.0 / 5)), outer = 0.5 * sqrt(3.0 / 7 + 2.0 / 7 * sqrt(6.0 / 5));
    r.c[0] = 0.5 - outer;
    r.c[1] = 0.5 - inner;
    r.c[2] = 0.5 + inner;
    r.c[3] = 0.5 + outer;
  }
  for (size_t j = 0; j < stages; j++) {
    r.b[j] = integral(&r, j, 1);
    for (size_t i = 0; i < stages; i++) r.a[i][j] = integral(&r, j, r.c[i]);
  }
  return r;
}

static void destroy(const hml_problem *p, void *state) {
  gauss *g = state;
  if (!g) return;
  hml_problem__free_vectors(p, g->memory, 2 * g->rule.stages + EXTRA);
  hml_dealloc(p->context, g, sizeof *g);
}

static hml_status create(const hml_problem *p, size_t stages, void **state) {
  gauss *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (gauss){.problem = p, .rule = hml_gauss__rule(stages), .memory = hml_problem__vectors(p, 2 * stages + EXTRA)};
  if (!g->memory) {
    destroy(p, g);
    return HML_MEMORY;
  }
  *state = g;
  return HML_OK;
}

static hml_status slopes(gauss *g, const hml_step *s) {
  const size_t n = g->problem->n;
  double *x = g->memory + 2 * g->rule.stages * g->problem->stride;
  for (size_t i = 0; i < g->rule.stages; i++) {
    for (size_t k = 0; k < n; k++) x[k] = s->y[k] + stage(g, i)[k];
    HML_TRY(hml_problem__finite_rhs(g->problem, s->t + g->rule.c[i] * s->h, x, slope(g, i)));
  }
  return HML_OK;
}

// Stages from the slopes; the largest change, relative to the size of the component; *tolerable: in units of the tolerance
static double renew(gauss *g, const hml_step *s, double *tolerable) {
  const hml_problem *p = g->problem;
  double change = 0;
  *tolerable = 0;
  for (size_t i = 0; i < g->rule.stages; i++) {
    double *z = stage(g, i);
    for (size_t k = 0; k < g->problem->n; k++) {
      double sum = 0;
      for (size_t j = 0; j < g->rule.stages; j++) sum += g->rule.a[i][j] * slope(g, j)[k];
      change = fmax(change, fabs(s->h * sum - z[k]) / (fabs(s->y[k]) + fabs(s->h * sum) + DBL_MIN / DBL_EPSILON));
      *tolerable = fmax(*tolerable, fabs(s->h * sum - z[k]) / (p->atol + p->rtol * fabs(s->y[k]) + DBL_MIN));
      z[k] = s->h * sum;
    }
  }
  return change;
}

// What a state off by one or two units in the last place changes in a stage, in the units of `change`; 0: not known
static hml_status measure_rounding(gauss *g, const hml_step *s, double *out) {
  const size_t n = g->problem->n, last = g->rule.stages - 1;
  double *x = g->memory + 2 * g->rule.stages * g->problem->stride, *other = x + g->problem->stride;
  *out = 0;
  for (int sign = -1; sign <= 1; sign += 2) {
    for (size_t k = 0; k < n; k++) x[k] = (s->y[k] + stage(g, last)[k]) * (1 + sign * (k % 2 ? 2 : -1) * DBL_EPSILON);
    hml_status status = hml_problem__finite_rhs(g->problem, s->t + g->rule.c[last] * s->h, x, other);
    if (hml_must_end(g->problem->context)) return status;
    if (status != HML_OK) {
      hml_forgive(g->problem->context);
      continue;
    }
    for (size_t k = 0; k < n; k++)
      *out = fmax(*out, fabs(s->h * (other[k] - slope(g, last)[k])) / (fabs(s->y[k]) + fabs(stage(g, last)[k]) + DBL_MIN / DBL_EPSILON));
  }
  return HML_OK;
}

// fails: HML_STEP_COLLAPSED
static hml_status not_settled(const gauss *g, const hml_step *s, double change, bool rounding) {
  if (rounding)
    return hml_fail(g->problem->context, HML_STEP_COLLAPSED,
                    "the stages of a step of %.6g settle to %.2g of themselves and no further: rounding of the accelerations, not the step, keeps them from it; "
                    "take larger tolerances, or another elimination",
                    s->h, change);
  return hml_fail(g->problem->context, HML_STEP_COLLAPSED, "the stages of a step of %.6g did not converge in %d iterations (last change %.2g); take a smaller step",
                  s->h, ITERATIONS, change);
}

static hml_status attempt(void *state, hml_step *s) {
  gauss *g = state;
  const size_t n = g->problem->n;
  double before = INFINITY, change = INFINITY, least = INFINITY, tolerable, noise = -1;
  int stagnant = 0, level = 0;
  for (size_t i = 0; i < g->rule.stages; i++)
    for (size_t k = 0; k < n; k++) stage(g, i)[k] = g->rule.c[i] * s->h * s->f[k];
  int iteration = 0;
  for (; iteration < ITERATIONS; iteration++) {
    HML_TRY(slopes(g, s));
    change = renew(g, s, &tolerable);
    // down to rounding: no longer smaller, and small
    if (change <= 2 * DBL_EPSILON || (change <= 1e3 * DBL_EPSILON && change >= before)) break;
    // a component that should be zero is the rounding of others, and large beside itself
    stagnant = change >= 0.5 * before ? stagnant + 1 : 0;
    if (stagnant >= STAGNANT && tolerable <= TOLERABLE) break;
    // rounding goes up and down: no round has halved the least change for long
    level = change < 0.5 * least ? 0 : level + 1;
    if (level == 0) least = change;
    if (level == 2 * STAGNANT) HML_TRY(measure_rounding(g, s, &noise));
    if (level >= 2 * STAGNANT && tolerable <= ROUNDING && change <= EXPLAINED * noise) break;
    before = change;
  }
  if (iteration == ITERATIONS || !(change < INFINITY)) return not_settled(g, s, change, change <= fmin(SMALL, EXPLAINED * noise));
  for (size_t k = 0; k < n; k++) {
    double sum = 0;
    for (size_t j = 0; j < g->rule.stages; j++) sum += g->rule.b[j] * slope(g, j)[k];
    s->y1[k] = s->y[k] + s->h * sum;
  }
  s->error = 0;
  return HML_OK;
}

// From three stages on, the slopes of all stages do not determine a polynomial of the next degree: theta (1 - theta) P(theta), with Legendre's P of the
// stages, vanishes at all of them, and its integral over the step is zero. So one stage is left out, and the last piece is zero.
void hml_gauss__dense(const hml_gauss_rule *rule, size_t n, double h, const double *y, const double *const *slopes, double *pieces) {
  hml_condition conditions[MOST_STAGES];
  size_t count = 0;
  for (size_t i = 0; i < rule->stages; i++)
    if (rule->stages < 3 || i != rule->stages / 2) conditions[count++] = (hml_condition){rule->c[i], h, slopes[i], true};
  hml_dense__fit(n, y, pieces, 3, count, conditions);
  memset(pieces + (3 + count) * n, 0, (rule->stages - count) * n * sizeof *pieces);
}

// Ends and slopes at the ends, and the slopes of the stages
static hml_status dense(void *state, const hml_step *s, double *pieces) {
  gauss *g = state;
  const double *slopes_of[MOST_STAGES];
  for (size_t i = 0; i < g->rule.stages; i++) slopes_of[i] = slope(g, i);
  hml_dense__hermite(g->problem->n, s, pieces);
  hml_gauss__dense(&g->rule, g->problem->n, s->h, s->y, slopes_of, pieces);
  return HML_OK;
}

#define METHOD(stages, order_, words)                                                                                              \
  static hml_status create_##stages(const hml_problem *p, void **state) { return create(p, stages, state); }                      \
  const hml_stepper hml_stepper_gauss##order_ = {.name = "gauss" #order_, .title = "Gauss-Legendre " words ", symplectic, fixed steps", \
                                                 .order = order_, .pieces = 3 + stages, .fixed = true, .create = create_##stages,  \
                                                 .destroy = destroy, .attempt = attempt, .dense = dense};
METHOD(2, 4, "4")
METHOD(3, 6, "6")
METHOD(4, 8, "8")

size_t hml_gauss__stages(const hml_stepper *m) {
  return m == &hml_stepper_gauss4 ? 2 : m == &hml_stepper_gauss6 ? 3 : m == &hml_stepper_gauss8 ? 4 : 0;
}
