// radau.c: Radau IIA of order 5 for stiff problems: three implicit stages, simplified Newton iterations with the exact Jacobian where
// the problem has one, steps by the embedded estimate of order 3.
//
// Method: Hairer and Wanner, Solving Ordinary Differential Equations II, IV.8. The stage equations are taken to the eigenbasis of the
// inverse of the method's matrix, where they fall into one real and one complex system of n unknowns. The estimate is of order 3 and the
// method of order 5, so the tolerance of the estimate is 0.1 tol^(2/3).
// Between the steps the stages are only good to order 3; the polynomial kept is the quintic through values and slopes of the last three
// points, after a start the quartic through ends and slopes.
#include "integrate/stepper.h"

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { STAGES = 3, ITERATIONS = 10, WARY = 4 };   // WARY: weight of the doubtful error between the ends of a step
#define SEEN_AT_FIRST 0.5              // rate of convergence that two iterations show at best

#define ROOT6 2.449489742783178098197284074705891391965947480656670128432692567
static const double node[STAGES] = {(4 - ROOT6) / 10, (4 + ROOT6) / 10, 1};

// A^-1 = T diag(real, (a, -b; b, a)) T^-1, with the entries (3, 2) and (3, 3) of T equal to 1 and 0
static const double T[STAGES][STAGES] = {{9.1232394870892942792e-02, -0.14125529502095420843, -3.0029194105147424492e-02},
                                         {0.24171793270710701896, 0.20412935229379993199, 0.38294211275726193779},
                                         {0.96604818261509293619, 1, 0}};
static const double T_inverse[STAGES][STAGES] = {{4.3255798900631553510, 0.33919925181580986954, 0.54177053993587487119},
                                                 {-4.1787185915519047273, -0.32768282076106238708, 0.47662355450055045196},
                                                 {-0.50287263494578687595, 2.5719269498556054292, -0.59603920482822492497}};

typedef struct eigenvalues { double real, a, b; } eigenvalues;         // of A^-1: real, a +- ib

static eigenvalues eigenvalues_of_method(void) {
  double root = cbrt(9), x = root * (root - 1), a = (12 - x) / 60, b = root * (root + 1) * sqrt(3) / 60, size = a * a + b * b;
  return (eigenvalues){30 / (6 + x), a / size, b / size};
}

typedef struct radau {
  const hml_problem *problem;
  hml_problem estimate;                // the problem with the tolerances of the estimate
  eigenvalues of;
  double *memory;                      // Z, W, F, last stages (STAGES each), five of the past, three of scratch, a polynomial
  double *z[STAGES], *w[STAGES], *f[STAGES], *scratch, *past_y, *past_f, *past_y1, *past_f1, *past_rate;   // past: start and end of the last accepted step; x' at the end
  double *piece;                       // scratch polynomial
  double *last[STAGES];                // stages of the last accepted step
  double last_h, past_t, past_t1;      // last_h 0: there was none
  double *jacobian;                    // n x n
  bool has_jacobian, fresh, differences;         // fresh: taken at the start of this step
  gsl_matrix *real;
  gsl_matrix_complex *complex;
  gsl_permutation *real_order, *complex_order;
  gsl_vector *side;
  gsl_vector_complex *complex_side;
  double factored_h;                   // 0: not factored
} radau;

enum { VECTORS = 4 * STAGES + 13 };

static void destroy(const hml_problem *p, void *state) {
  radau *r = state;
  if (!r) return;
  if (r->real) gsl_matrix_free(r->real);
  if (r->complex) gsl_matrix_complex_free(r->complex);
  if (r->real_order) gsl_permutation_free(r->real_order);
  if (r->complex_order) gsl_permutation_free(r->complex_order);
  if (r->side) gsl_vector_free(r->side);
  if (r->complex_side) gsl_vector_complex_free(r->complex_side);
  hml_problem__free_vectors(p, r->memory, VECTORS);
  hml_dealloc(p->context, r->jacobian, p->n * p->n * sizeof(double));
  hml_dealloc(p->context, r, sizeof *r);
}

static double looser(double tolerance) {
  return 0.1 * pow(tolerance, 2.0 / 3);
}

static hml_status create(const hml_problem *p, void **state) {
  radau *r = hml_alloc(p->context, sizeof *r);
  if (!r) return HML_MEMORY;
  *r = (radau){.problem = p, .estimate = *p, .of = eigenvalues_of_method(), .differences = !p->ode->jacobian};
  if (p->rtol > 0) {
    r->estimate.rtol = looser(p->rtol);
    r->estimate.atol = p->atol * (r->estimate.rtol / p->rtol);
  } else {
    r->estimate.atol = looser(p->atol);
  }
  r->memory = hml_problem__vectors(p, VECTORS);
  r->jacobian = hml_alloc(p->context, p->n * p->n * sizeof(double));
  r->real = gsl_matrix_alloc(p->n, p->n);
  r->complex = gsl_matrix_complex_alloc(p->n, p->n);
  r->real_order = gsl_permutation_alloc(p->n);
  r->complex_order = gsl_permutation_alloc(p->n);
  r->side = gsl_vector_alloc(p->n);
  r->complex_side = gsl_vector_complex_alloc(p->n);
  if (!r->memory || !r->jacobian || !r->real || !r->complex || !r->real_order || !r->complex_order || !r->side || !r->complex_side) {
    destroy(p, r);
    return hml_fail(p->context, HML_MEMORY, "not enough memory for the method radau5 with %zu components", p->n);
  }
  double *at = r->memory;
  for (int i = 0; i < STAGES; i++, at += 4 * p->stride) {
    r->z[i] = at;
    r->w[i] = at + p->stride;
    r->f[i] = at + 2 * p->stride;
    r->last[i] = at + 3 * p->stride;
  }
  r->past_y = at, r->past_f = at + p->stride, r->past_y1 = at + 2 * p->stride, r->past_f1 = at + 3 * p->stride;
  r->past_rate = at + 4 * p->stride, r->scratch = at + 5 * p->stride, r->piece = at + 8 * p->stride;
  *state = r;
  return HML_OK;
}

// ---- the linear systems: real/h - J and (a + ib)/h - J

static hml_status factor(radau *r, double h) {
  if (r->factored_h == h) return HML_OK;
  size_t n = r->problem->n;
  int sign;
  double real = r->of.real / h, a = r->of.a / h, b = r->of.b / h;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      double entry = -r->jacobian[i * n + j];
      gsl_matrix_set(r->real, i, j, entry + (i == j ? real : 0));
      gsl_complex z = {{entry + (i == j ? a : 0), i == j ? b : 0}};
      gsl_matrix_complex_set(r->complex, i, j, z);
    }
  gsl_linalg_LU_decomp(r->real, r->real_order, &sign);
  gsl_linalg_complex_LU_decomp(r->complex, r->complex_order, &sign);
  for (size_t i = 0; i < n; i++) {
    gsl_complex pivot = gsl_matrix_complex_get(r->complex, i, i);
    if (!(fabs(gsl_matrix_get(r->real, i, i)) > 0) || !(fabs(GSL_REAL(pivot)) + fabs(GSL_IMAG(pivot)) > 0))
      return hml_fail(r->problem->context, HML_STEP_COLLAPSED, "the equations of a step of %.3g are singular", h);
  }
  r->factored_h = h;
  return HML_OK;
}

static void solve_real(radau *r, double *x) {
  for (size_t i = 0; i < r->problem->n; i++) gsl_vector_set(r->side, i, x[i]);
  gsl_linalg_LU_svx(r->real, r->real_order, r->side);
  for (size_t i = 0; i < r->problem->n; i++) x[i] = gsl_vector_get(r->side, i);
}

static void solve_complex(radau *r, double *x, double *y) {
  for (size_t i = 0; i < r->problem->n; i++) {
    gsl_complex z = {{x[i], y[i]}};
    gsl_vector_complex_set(r->complex_side, i, z);
  }
  gsl_linalg_complex_LU_svx(r->complex, r->complex_order, r->complex_side);
  for (size_t i = 0; i < r->problem->n; i++) {
    gsl_complex z = gsl_vector_complex_get(r->complex_side, i);
    x[i] = GSL_REAL(z);
    y[i] = GSL_IMAG(z);
  }
}

// ---- the stages

// Value at s (0: end of the last step, in units of its length) of the cubic through its start, stages and end, beyond that end
static double extrapolated(const radau *r, double s, size_t k) {
  const double at[STAGES + 1] = {-1, node[0] - 1, node[1] - 1, 0};
  const double value[STAGES + 1] = {-r->last[2][k], r->last[0][k] - r->last[2][k], r->last[1][k] - r->last[2][k], 0};
  double sum = 0;
  for (int i = 0; i < STAGES; i++) {
    double weight = value[i];
    for (int j = 0; j <= STAGES; j++)
      if (j != i) weight *= (s - at[j]) / (at[i] - at[j]);
    sum += weight;
  }
  return sum;
}

// Not so where a force has jumped, though the state has not
static bool goes_on(const radau *r, const hml_step *s) {
  const size_t bytes = r->problem->n * sizeof *s->y;
  return r->last_h != 0 && r->past_t1 == s->t && memcmp(r->past_y1, s->y, bytes) == 0 && memcmp(r->past_rate, s->f, bytes) == 0;
}

static void first_guess(radau *r, const hml_step *s) {
  bool known = goes_on(r, s) && s->h / r->last_h > 0 && s->h / r->last_h < 8;
  for (size_t k = 0; k < r->problem->n; k++) {
    for (int i = 0; i < STAGES; i++) r->z[i][k] = known ? extrapolated(r, node[i] * s->h / r->last_h, k) : 0;
    for (int i = 0; i < STAGES; i++)
      r->w[i][k] = T_inverse[i][0] * r->z[0][k] + T_inverse[i][1] * r->z[1][k] + T_inverse[i][2] * r->z[2][k];
  }
}

// One iteration; the size of its change
static hml_status iterate(radau *r, const hml_step *s, double *change) {
  const hml_problem *p = r->problem;
  double real = r->of.real / s->h, a = r->of.a / s->h, b = r->of.b / s->h, *x = r->scratch;
  for (int i = 0; i < STAGES; i++) {
    for (size_t k = 0; k < p->n; k++) x[k] = s->y[k] + r->z[i][k];
    HML_TRY(hml_problem__finite_rhs(p, i == STAGES - 1 ? s->t1 : s->t + node[i] * s->h, x, r->f[i]));
  }
  for (size_t k = 0; k < p->n; k++) {
    double side[STAGES];
    for (int i = 0; i < STAGES; i++) side[i] = T_inverse[i][0] * r->f[0][k] + T_inverse[i][1] * r->f[1][k] + T_inverse[i][2] * r->f[2][k];
    double w1 = r->w[0][k], w2 = r->w[1][k], w3 = r->w[2][k];
    r->f[0][k] = side[0] - real * w1;
    r->f[1][k] = side[1] - a * w2 + b * w3;
    r->f[2][k] = side[2] - a * w3 - b * w2;
  }
  solve_real(r, r->f[0]);
  solve_complex(r, r->f[1], r->f[2]);
  *change = 0;
  for (int i = 0; i < STAGES; i++) *change = fmax(*change, hml_control__norm(&r->estimate, r->f[i], s->y, s->y));
  for (size_t k = 0; k < p->n; k++) {
    for (int i = 0; i < STAGES; i++) r->w[i][k] += r->f[i][k];
    for (int i = 0; i < STAGES; i++) r->z[i][k] = T[i][0] * r->w[0][k] + T[i][1] * r->w[1][k] + T[i][2] * r->w[2][k];
  }
  return HML_OK;
}

// False in *settled: does not converge, or not soon enough
static hml_status newton(radau *r, const hml_step *s, bool *settled) {
  double rtol = r->estimate.rtol > 0 ? r->estimate.rtol : r->estimate.atol, before = 0, rate = 0, worst = 0;
  double limit = fmax(10 * DBL_EPSILON / rtol, fmin(0.03, sqrt(rtol)));
  *settled = false;
  first_guess(r, s);
  for (int k = 1; k <= ITERATIONS; k++) {
    double change;
    HML_TRY(iterate(r, s, &change));
    if (!isfinite(change)) return HML_OK;
    if (k > 1) {
      double now = change / before;
      rate = k == 2 ? now : sqrt(now * worst);
      worst = now;
      if (rate >= 0.99) return HML_OK;
      if (change * rate / (1 - rate) * pow(rate, ITERATIONS - 1 - k) > 10 * limit && k < ITERATIONS - 1) return HML_OK;
    }
    // the first two changes may be of different states: alone they do not show how slowly one of them settles
    double seen = k == 2 ? fmax(rate, SEEN_AT_FIRST) : rate, left = k > 1 ? seen / (1 - seen) : 1;
    if (change == 0 || left * change <= limit) {
      *settled = true;
      return HML_OK;
    }
    before = change;
  }
  return HML_OK;
}

// For each step anew. One from inside a narrow well divides the changes of Newton's method and the error by numbers that do not belong to the
// motion behind it: both look small, whatever the step
static hml_status take_jacobian(radau *r, const hml_step *s) {
  r->factored_h = 0;
  r->has_jacobian = false;
  HML_TRY(hml_problem__jacobian(r->problem, &r->differences, s->t, s->y, r->jacobian, r->scratch));
  r->has_jacobian = r->fresh = true;
  return HML_OK;
}

// ---- a step

static hml_status estimate_error(radau *r, hml_step *s) {
  static const double weight[STAGES] = {-(13 + 7 * ROOT6) / 3, (-13 + 7 * ROOT6) / 3, -1.0 / 3};
  const size_t n = r->problem->n;
  double *e = r->scratch, *part = r->f[1], *moved = r->f[2];
  for (size_t k = 0; k < n; k++) {
    part[k] = (weight[0] * r->z[0][k] + weight[1] * r->z[1][k] + weight[2] * r->z[2][k]) / s->h;
    e[k] = part[k] + s->f[k];
  }
  solve_real(r, e);
  s->error = hml_control__norm(&r->estimate, e, s->y, s->y1);
  if (s->error < 1 || goes_on(r, s)) return HML_OK;
  // right after a start or where it is large the estimate is filtered once more
  for (size_t k = 0; k < n; k++) moved[k] = s->y[k] + e[k];
  HML_TRY(hml_problem__finite_rhs(r->problem, s->t, moved, r->f[0]));
  for (size_t k = 0; k < n; k++) e[k] = part[k] + r->f[0][k];
  solve_real(r, e);
  s->error = hml_control__norm(&r->estimate, e, s->y, s->y1);
  return HML_OK;
}

// Slope at theta of the cubic through (0, 0) and the stages, times h. Not the right-hand side: stiffness would magnify the error of the values.
static void collocation_slope(const radau *r, double theta, double *slope) {
  const double x[STAGES + 1] = {0, node[0], node[1], node[2]};
  double weight[STAGES + 1] = {0};
  for (int j = 1; j <= STAGES; j++)
    for (int m = 0; m <= STAGES; m++) {
      if (m == j) continue;
      double product = 1 / (x[j] - x[m]);
      for (int l = 0; l <= STAGES; l++)
        if (l != j && l != m) product *= (theta - x[l]) / (x[j] - x[l]);
      weight[j] += product;
    }
  for (size_t k = 0; k < r->problem->n; k++) slope[k] = weight[1] * r->z[0][k] + weight[2] * r->z[1][k] + weight[3] * r->z[2][k];
}

// The quintic; for a first step a quartic: besides the slopes at the start and at the end the stages determine one more coefficient
static void polynomial(radau *r, const hml_step *s, double *piece) {
  const size_t n = r->problem->n;
  bool known = goes_on(r, s);
  double *end = r->f[0], *middle = r->f[1], theta = known ? (r->past_t - s->t) / s->h : 0;
  for (size_t k = 0; k < n; k++) {
    piece[k] = s->y1[k] - s->y[k];
    piece[4 * n + k] = 0;
  }
  collocation_slope(r, 1, end);
  hml_condition conditions[4] = {{1, 1, end, true}, {0, s->h, known ? r->past_f1 : s->f, true}};
  if (known) {
    conditions[2] = (hml_condition){theta, 1, r->past_y, false};
    conditions[3] = (hml_condition){theta, s->h, r->past_f, true};
  } else {
    collocation_slope(r, node[1], middle);
    conditions[2] = (hml_condition){node[1], 1, middle, true};
  }
  hml_dense__fit(n, s->y, piece, 1, known ? 4 : 3, conditions);
}

// The step must also be short enough for the motion between its ends: the quintic against the cubic of the stages, in the middle.
// Where a problem is very stiff the ends alone would allow steps that jump over the slow motion.
static double doubt_between(radau *r, const hml_step *s) {
  const size_t n = r->problem->n;
  const double x[STAGES] = {node[0], node[1], node[2]}, at = 0.5;
  double weight[STAGES], *value = r->scratch;
  if (!goes_on(r, s)) return 0;
  for (int j = 0; j < STAGES; j++) {
    weight[j] = at / x[j];
    for (int l = 0; l < STAGES; l++)
      if (l != j) weight[j] *= (at - x[l]) / (x[j] - x[l]);
  }
  polynomial(r, s, r->piece);
  hml_dense__value(n, 5, s->y, r->piece, at, value);
  for (size_t k = 0; k < n; k++) value[k] -= s->y[k] + weight[0] * r->z[0][k] + weight[1] * r->z[1][k] + weight[2] * r->z[2][k];
  return hml_control__norm(&r->estimate, value, s->y, s->y1);
}

static hml_status attempt(void *state, hml_step *s) {
  radau *r = state;
  bool settled = false;
  r->estimate.tighter = pow(1 + r->problem->tighter, 2.0 / 3) - 1;     // as `looser`
  if (!r->has_jacobian || !r->fresh || !goes_on(r, s)) HML_TRY(take_jacobian(r, s));
  HML_TRY(factor(r, s->h));
  HML_TRY(newton(r, s, &settled));
  if (!settled) return hml_fail(r->problem->context, HML_STEP_COLLAPSED, "the stages of a step of %.3g could not be solved", s->h);
  for (size_t k = 0; k < r->problem->n; k++) s->y1[k] = s->y[k] + r->z[STAGES - 1][k];
  HML_TRY(estimate_error(r, s));
  double doubt = isfinite(s->error) ? WARY * doubt_between(r, s) : 0;
  if (doubt > s->error || isnan(doubt)) s->error = doubt;
  return HML_OK;
}

static hml_status dense(void *state, const hml_step *s, double *piece) {
  polynomial(state, s, piece);
  return HML_OK;
}

static bool accepted(void *state, const hml_step *s, double moved) {
  radau *r = state;
  const size_t bytes = r->problem->n * sizeof(double);
  (void)moved;
  bool known = goes_on(r, s);
  memcpy(r->past_f, known ? r->past_f1 : s->f, bytes);
  memcpy(r->past_y, s->y, bytes);
  collocation_slope(r, 1, r->past_f1);
  for (size_t k = 0; k < r->problem->n; k++) r->past_f1[k] /= s->h;
  for (int i = 0; i < STAGES; i++) memcpy(r->last[i], r->z[i], bytes);
  memcpy(r->past_y1, s->y1, bytes);
  memcpy(r->past_rate, s->f1, bytes);
  r->past_t = s->t;
  r->past_t1 = s->t1;
  r->last_h = s->h;
  r->fresh = false;
  return false;
}

double hml_radau__norm(const void *state) {
  const radau *r = state;
  const size_t n = r->problem->n;
  double largest = 0;
  for (size_t i = 0; i < n; i++) {
    double sum = 0;
    for (size_t j = 0; j < n; j++) sum += fabs(r->jacobian[i * n + j]);
    largest = fmax(largest, sum);
  }
  return largest;
}

const hml_stepper hml_stepper_radau5 = {
    .name = "radau5",
    .title = "Radau IIA, order 5, for stiff systems",
    .order = 3,
    .pieces = 5,
    .exponent = 1.0 / 4,
    .cuts = true,
    .create = create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = dense,
    .accepted = accepted,
};
