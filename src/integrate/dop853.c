// dop853.c: the explicit Runge-Kutta method of Dormand and Prince of order 8(5,3), with dense output of order 7.
// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition, II.5 (error) and II.6 (dense output).
//
// Twelve evaluations make a step, the one at its end being the first of the next; three more make the dense output. Between
// the points of Kepler's problem with eccentricity 1/2 it adds up to 18 tolerances to the error, of a driven pendulum up to 6.
#include "integrate/dop853_sums.h"
#include "integrate/dop853_table.h"
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Components are taken in lanes; the formulas are the same for one at a time. Stage sums cost a small system more than its
// right-hand side does, and compilers do not find the lanes in loops of this kind.
#if defined(__GNUC__)
typedef double lanes __attribute__((vector_size(16), aligned(8), may_alias));
#else
typedef double lanes;
#endif

enum { SLOTS = 17, STAGES = SLOTS + 3 };
#define HIGHEST_AT (4.0 / 7)           // where theta^4 (1 - theta)^3 is DOP853_HIGHEST_TERM
#define ROUNDING (1400 * DBL_EPSILON)  // of x': the factors of c_3 ... c_6 sum up to 1360

typedef struct dop853 {
  const hml_problem *problem;
  double *memory;                      // STAGES vectors: unused, k_1 (unused: it is f), k_2 ... k_16, then argument, e5, e3
} dop853;

static double *vector(const dop853 *d, size_t i) {
  return d->memory + i * d->problem->stride;
}

// Those of the state: padding stays zero
static size_t blocks_of(const hml_problem *p) {
  const size_t each = sizeof(lanes) / sizeof(double);
  return (p->n + each - 1) / each;
}

static lanes *slopes(const dop853 *d, size_t i) {
  return (lanes *)vector(d, i);
}

static void destroy(const hml_problem *p, void *state) {
  dop853 *d = state;
  if (!d) return;
  hml_problem__free_vectors(p, d->memory, STAGES);
  hml_dealloc(p->context, d, sizeof *d);
}

static hml_status create(const hml_problem *p, void **state) {
  dop853 *d = hml_alloc(p->context, sizeof *d);
  if (!d) return HML_MEMORY;
  *d = (dop853){.problem = p, .memory = hml_problem__vectors(p, STAGES)};
  if (!d->memory) {
    destroy(p, d);
    return HML_MEMORY;
  }
  *state = d;
  return HML_OK;
}

#define FOR_EACH(out, sum) \
  for (size_t i = 0; i < blocks; i++) (out)[i] = (sum)

// k_s = f(t + c_s h, y + h sum)
#define STAGE(s, sum)                                                              \
  do {                                                                             \
    FOR_EACH(x, y[i] + h * (sum));                                                 \
    HML_TRY(hml_problem__rhs(p, t + c[s] * h, (const double *)x, (double *)k##s)); \
  } while (0)

#define A(s, j) (dop853_a[s][j] * k##j[i])
#define B(j) (dop853_b[j] * k##j[i])
#define E(j) (dop853_e5[j] * k##j[i])
#define D(r, j) (dop853_d[r][j] * k##j[i])

hml_status hml_dop853__stages(void *state, const hml_step *step, double *y1) {
  dop853 *d = state;
  const hml_problem *p = d->problem;
  const double *c = dop853_c;
  const lanes *restrict y = (const lanes *)step->y, *restrict k1 = (const lanes *)step->f;
  const double t = step->t, h = step->h;
  const size_t blocks = blocks_of(p);
  lanes *restrict k2 = slopes(d, 2), *restrict k3 = slopes(d, 3), *restrict k4 = slopes(d, 4), *restrict k5 = slopes(d, 5);
  lanes *restrict k6 = slopes(d, 6), *restrict k7 = slopes(d, 7), *restrict k8 = slopes(d, 8), *restrict k9 = slopes(d, 9);
  lanes *restrict k10 = slopes(d, 10), *restrict k11 = slopes(d, 11), *restrict k12 = slopes(d, 12);
  lanes *restrict x = slopes(d, SLOTS);

  STAGE(2, SUM_2);
  STAGE(3, SUM_3);
  STAGE(4, SUM_4);
  STAGE(5, SUM_5);
  STAGE(6, SUM_6);
  STAGE(7, SUM_7);
  STAGE(8, SUM_8);
  STAGE(9, SUM_9);
  STAGE(10, SUM_10);
  STAGE(11, SUM_11);
  STAGE(12, SUM_12);
  lanes *restrict out = (lanes *)y1;
  FOR_EACH(out, y[i] + h * SUM_STEP);
  return HML_OK;
}

// Not less than what the estimate of order 3 says, if that is beyond the tolerance
static double at_least(const hml_problem *p, double h, double three, double error) {
  const double third = fabs(h) * three, least = DOP853_LEAST_SHARE * hml_control__rtol(p) * third * third;
  return least > 1 && least > error ? least : error;
}

// The estimates of order 5 and 3 combined, so that the result behaves like one of order 7: II.5, (5.25)
static double error_of(const dop853 *d, const hml_step *step) {
  const lanes *restrict k1 = (const lanes *)step->f, *restrict k6 = slopes(d, 6), *restrict k7 = slopes(d, 7);
  const lanes *restrict k8 = slopes(d, 8), *restrict k9 = slopes(d, 9), *restrict k10 = slopes(d, 10);
  const lanes *restrict k11 = slopes(d, 11), *restrict k12 = slopes(d, 12);
  lanes *restrict e5 = slopes(d, SLOTS + 1), *restrict e3 = slopes(d, SLOTS + 2);
  const size_t blocks = blocks_of(d->problem);
  FOR_EACH(e5, SUM_ERROR);
  FOR_EACH(e3, SUM_STEP -
                   (dop853_b3[1] * k1[i] + dop853_b3[9] * k9[i] + dop853_b3[12] * k12[i]));
  double five = hml_control__norm(d->problem, vector(d, SLOTS + 1), step->y, step->y1);
  double three = hml_control__norm(d->problem, vector(d, SLOTS + 2), step->y, step->y1);
  if (five == 0 && three == 0) return 0;
  double sum = five * five + 0.01 * three * three;
  if (sum >= DBL_MIN && sum <= DBL_MAX) return at_least(d->problem, step->h, three, fabs(step->h) * five * (five / sqrt(sum)));
  // the squares underflow or overflow: a sum that is lost would pass any step, or none
  double size = fmax(five, three), a = five / size, b = three / size;
  return at_least(d->problem, step->h, three, fabs(step->h) * five * (a / sqrt(a * a + 0.01 * b * b)));
}

const double *hml_dop853__last_argument(const void *state) {
  return vector(state, SLOTS);
}

const double *hml_dop853__last_slope(const void *state) {
  return vector(state, 12);
}

static hml_status attempt(void *state, hml_step *step) {
  HML_TRY(hml_dop853__stages(state, step, step->y1));
  step->error = error_of(state, step);
  return HML_OK;
}

static hml_status dense(void *state, const hml_step *step, double *piece) {
  dop853 *d = state;
  const hml_problem *p = d->problem;
  const double *c = dop853_c;
  const lanes *restrict y = (const lanes *)step->y;
  const lanes *restrict k1 = (const lanes *)step->f, *restrict k13 = (const lanes *)step->f1;
  const double t = step->t, h = step->h;
  const size_t n = p->n, blocks = blocks_of(p);
  const lanes *restrict k6 = slopes(d, 6), *restrict k7 = slopes(d, 7), *restrict k8 = slopes(d, 8), *restrict k9 = slopes(d, 9);
  const lanes *restrict k10 = slopes(d, 10), *restrict k11 = slopes(d, 11);
  const lanes *restrict k12 = slopes(d, 12);
  lanes *restrict k14 = slopes(d, 14), *restrict k15 = slopes(d, 15), *restrict k16 = slopes(d, 16);
  lanes *restrict x = slopes(d, SLOTS);

  STAGE(14, SUM_14);
  STAGE(15, SUM_15);
  STAGE(16, SUM_16);
  hml_dense__hermite(n, step, piece);
  for (size_t r = 0; r < 4; r++) {
    FOR_EACH(x, h * ((D(r, 1) + D(r, 6)) + (D(r, 7) + D(r, 8)) + (D(r, 9) + D(r, 10)) + (D(r, 11) + D(r, 12)) +
                     (D(r, 13) + D(r, 14)) + (D(r, 15) + D(r, 16))));
    memcpy(piece + (3 + r) * n, x, n * sizeof *piece);
  }
  return HML_OK;
}

// fmax without its call; NaN where a is NaN
static inline double larger(double a, double b) {
  return a < b ? b : a;
}

// Where a step is too long for a state that hardly takes part, as one of stiff damping at rest, stages grow without bound: its end is within the
// tolerance still, the additional stages of the polynomial are not. Then the terms of the polynomial grow too, the last of them, which is at most
// DOP853_HIGHEST_TERM of its coefficient, above all
double hml_dop853__between(const hml_problem *p, const hml_step *step, const double *piece, double *part) {
  const double *last = piece + 6 * p->n;
  memset(part, 0, p->stride * sizeof *part);
  for (size_t i = 0; i < p->n; i++) {
    double before = larger(fabs(piece[3 * p->n + i]), larger(fabs(piece[4 * p->n + i]), fabs(piece[5 * p->n + i])));
    if (!(fabs(last[i]) <= before)) part[i] = DOP853_HIGHEST_TERM * last[i];
  }
  double most = hml_control__norm(p, part, step->y, step->y1) / DOP853_MOST_BETWEEN;
  return isfinite(most) ? most : DBL_MAX;
}

static double between(void *state, const hml_step *step, const double *piece) {
  return hml_dop853__between(((dop853 *)state)->problem, step, piece, vector(state, SLOTS));
}

// The last term of the polynomial, at its largest up to theta: what it leaves out is smaller by one order of the step. And the rounding errors: those
// of c_3 ... c_6 all go one way where x' hardly changes. If these four are no more than that, they are left out
static double along(void *state, const hml_step *step, double *piece, double theta, double *y) {
  const hml_problem *p = ((dop853 *)state)->problem;
  const size_t n = p->n;
  const double inner = theta * (1 - theta), highest = theta < HIGHEST_AT ? inner * inner * inner * theta : DOP853_HIGHEST_TERM;
  const double lowest = theta < 0.5 ? inner * inner : 1.0 / 16;          // the product that multiplies c_3, at its largest
  double *part = vector(state, SLOTS);
  memset(part, 0, p->stride * sizeof *part);
  for (size_t i = 0; i < n; i++) {
    double *c = piece + i, size = fabs(c[0]) + fabs(c[n]) + fabs(c[2 * n]), noise = ROUNDING * fabs(step->h) * larger(fabs(step->f[i]), fabs(step->f1[i]));
    double largest = larger(larger(fabs(c[3 * n]), fabs(c[4 * n])), larger(fabs(c[5 * n]), fabs(c[6 * n])));
    if (largest <= noise) c[3 * n] = c[4 * n] = c[5 * n] = c[6 * n] = 0;
    part[i] = highest * fabs(c[6 * n]) + lowest * noise + DBL_EPSILON * theta * (size + largest);
  }
  hml_dense__value(n, 7, step->y, piece, theta, y);
  double error = hml_control__norm_of_all(p, part, step->y, y);
  return isfinite(error) ? error : DBL_MAX;
}

const hml_stepper hml_stepper_dop853 = {
    .name = "dop853",
    .title = "Dormand and Prince, order 8(5,3), dense output of order 7",
    .order = 8,
    .pieces = 7,
    .exponent = 1.0 / 8,
    .create = create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = dense,
    .between = between,
    .along = along,
};
