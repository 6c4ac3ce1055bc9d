// taylor.c: Taylor series of the solution, order from the tolerance, coefficients by a program made from the equations.
//
// The order at which a step of 1/e^2 of the radius of convergence meets the tolerance is the best one where a series takes time with the square of
// its order (Jorba and Zou, Experimental Mathematics 14 (2005), 3.2). Of few equations a large part of the time does not grow like that: two orders
// more reach the same error sooner, by 5 to 12 % for 4 to 10 states. The step follows from the last two coefficients, each component relative to its
// tolerance. The polynomial of a step is its dense output, so values between the steps are as good as the steps.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST_ORDER = 8, MOST_ORDER = 24, FEW_STATES = 12, MORE_ORDERS = 2 };

// A point and the coefficients there
typedef struct expansion {
  double t, *y, *coefficients;         // (n), (order x n)
  double last, before;                 // sizes of the last two coefficients, in units of the tolerance
  bool known;
} expansion;

typedef struct taylor {
  const hml_problem *problem;
  const hml_program *series;           // kept by the formula's owner
  unsigned order;
  bool weighted;                       // the series in the other order of pivots, from where the first one did not hold
  size_t inputs, margins, size;        // size: doubles of the block
  double *block, *in, *work, *rest;    // rest: of the division behind the dense output    (order x n)
  hml_taylor_sum *sum;
  double *slope;                       // of the polynomial at the end of the step    (n)
  bool has_slope;                      // of the last attempt
  expansion points[2];                 // of the step: its start, and its end, where the next one begins
  int last;                            // the one used last
} taylor;

static double tolerance_of(const hml_problem *p) {
  return p->rtol > 0 && p->atol > 0 ? fmin(p->rtol, p->atol) : p->rtol + p->atol;
}

static unsigned bounded(double order) {
  return order < LEAST_ORDER ? LEAST_ORDER : order > MOST_ORDER ? MOST_ORDER : (unsigned)order;
}

// Where the time goes with the square of the order
static double usual_order(const hml_problem *p) {
  return ceil(1 - 0.5 * log(tolerance_of(p)));
}

static unsigned order_for(const hml_problem *p) {
  return bounded(usual_order(p) + (p->n <= FEW_STATES ? MORE_ORDERS : 0));
}

double hml_taylor__longer(const hml_problem *p) {
  return exp(log(tolerance_of(p)) * (1.0 / order_for(p) - 1.0 / bounded(usual_order(p))));
}

static void drop(taylor *y) {
  hml_dealloc(y->problem->context, y->block, y->size * sizeof(double));
  y->block = NULL;
  y->size = 0;
  y->has_slope = false;
  y->points[0].known = y->points[1].known = false;
}

static void destroy(const hml_problem *p, void *state) {
  taylor *y = state;
  if (!y) return;
  drop(y);
  hml_dealloc(p->context, y, sizeof *y);
}

static hml_status fill(taylor *y) {
  const hml_problem *p = y->problem;
  const hml_formula *f = p->ode->formula;
  if (!f)
    return hml_fail(p->context, HML_UNSUPPORTED, "the method taylor needs equations that are formulas: no functions of Lua, no contacts, "
                    "and short enough for their linear solve to be written out (elimination = \"graph\" writes out longer ones), no constraints that are redundant only "
                    "where the others hold; else take method = \"dop853\"");
  y->order = order_for(p);
  HML_TRY(f->series(f->payload, y->order, y->weighted, &y->series));
  y->inputs = hml_program_inputs(y->series);
  size_t coefficients = hml_program_outputs(y->series);
  y->margins = coefficients - y->order * p->n;
  y->size = y->inputs + 2 * (coefficients + p->n) + coefficients + p->n + hml_program_work_size(y->series) + 1;
  y->block = hml_alloc(p->context, y->size * sizeof(double));
  if (!y->block) return HML_MEMORY;
  y->in = y->block;
  y->work = y->in + y->inputs;
  for (int i = 0; i < 2; i++) {
    y->points[i].coefficients = y->work;
    y->points[i].y = y->work + coefficients;
    y->work += coefficients + p->n;
  }
  y->rest = y->work;
  y->slope = y->rest + coefficients;
  y->work = y->slope + p->n;
  return HML_OK;
}

static hml_status create(const hml_problem *p, void **state) {
  taylor *y = hml_alloc(p->context, sizeof *y);
  if (!y) return HML_MEMORY;
  *y = (taylor){.problem = p, .sum = hml_taylor__sum()};
  hml_status status = fill(y);
  if (status != HML_OK) {
    destroy(p, y);
    return status;
  }
  *state = y;
  return HML_OK;
}

// No order of pivots compiled into a series is valid at (t, x): other methods solve there, or report the failure
static hml_status tell_pivot(taylor *y, double t, const double *x, double *f) {
  const hml_problem *p = y->problem;
  HML_TRY(hml_problem__finite_rhs(p, t, x, f));
  return hml_fail(p->context, HML_UNSUPPORTED, "the method taylor cannot continue at t = %.10g: a pivot of the elimination written into its series is too "
                  "small there; take auto or dop853", t);
}

// A root at zero has no series, and values near the end of the range of doubles leave it in high orders
static hml_status tell_no_series(taylor *y, double t, const double *x, double *f) {
  const hml_problem *p = y->problem;
  char what[300];
  HML_TRY(hml_problem__finite_rhs(p, t, x, f));
  if (!hml_program__pole(y->series, y->in, y->work, what, sizeof what) && hml_program__large(y->series, y->in, y->work, what, sizeof what))
    return hml_fail(p->context, HML_NOT_FINITE, "the method taylor cannot go on at t = %.10g: the coefficients of the series leave the range of doubles there: "
                    "%s; take auto or dop853", t, what);
  return hml_fail(p->context, HML_NOT_FINITE, "the method taylor cannot go on at t = %.10g: the coefficients of the series are not finite there, as those of "
                  "a root, or of a power whose exponent is not a whole number, at zero (a whole exponent is better given as a number than as a parameter); "
                  "take auto or dop853", t);
}

// Roots and quotients that fail do so in all orders from some on
static bool all_finite(const taylor *y, const double *coefficients) {
  const size_t n = y->problem->n;
  double odd = 0;
  for (size_t i = (y->order - 2) * n; i < y->order * n; i++) odd += 0 * coefficients[i];
  return odd == 0;
}

static bool holds(const taylor *y, const double *margins) {
  bool positive = true;
  for (size_t i = 0; i < y->margins; i++) positive &= margins[i] > 0;
  return positive;
}

static hml_status take_coefficients(taylor *y, double t, const double *x);

// From where the first order of pivots is not valid the other is used
static hml_status take_weighted(taylor *y, double t, const double *x) {
  drop(y);
  y->weighted = true;
  hml_status status = fill(y);
  if (status == HML_OK) return take_coefficients(y, t, x);
  if (status != HML_UNSUPPORTED) return status;
  HML_TRY(hml_forgiven(y->problem->context));                              // there is no other
  y->weighted = false;
  HML_TRY(fill(y));
  y->weighted = true;
  return take_coefficients(y, t, x);
}

// Bit by bit. Numbers are read as they were written a moment ago: a wider read would wait until the processor has stored them
static bool same(const double *a, const double *b, size_t n) {
  uint64_t differ = 0;
  for (size_t i = 0; i < n; i++) {
    uint64_t u, v;
    memcpy(&u, a + i, sizeof u);
    memcpy(&v, b + i, sizeof v);
    differ |= u ^ v;
  }
  return differ == 0;
}

static bool is_at(const expansion *point, double t, const double *x, size_t n) {
  return point->known && point->t == t && same(point->y, x, n);
}

static hml_status make_coefficients(taylor *y, double t, const double *x) {
  const hml_problem *p = y->problem;
  const hml_formula *f = p->ode->formula;
  const size_t constants = y->inputs - 1 - f->states;
  HML_TRY(hml_check_interrupt(p->context));
  y->last = 1 - y->last;
  expansion *point = &y->points[y->last];
  y->in[0] = t;
  for (size_t i = 0; i < f->states; i++) y->in[1 + i] = x[i];
  for (size_t i = 0; i < constants; i++) y->in[1 + f->states + i] = f->constants[i];
  hml_program_eval(y->series, y->in, point->coefficients, y->work);
  p->outcome->evaluations++;
  point->known = false;
  if (!holds(y, point->coefficients + y->order * p->n)) return y->weighted ? tell_pivot(y, t, x, point->coefficients) : take_weighted(y, t, x);
  if (!all_finite(y, point->coefficients)) return tell_no_series(y, t, x, point->coefficients);
  point->t = t;
  for (size_t i = 0; i < p->n; i++) point->y[i] = x[i];
  point->known = true;
  // the work may have terms of high order where the states, as polynomials of time, have none
  hml_control__norms_of_all(p, point->coefficients + (y->order - 1) * p->n, point->coefficients + (y->order - 2) * p->n, x, &point->last, &point->before);
  return HML_OK;
}

// An event may have changed a parameter
static hml_status take_coefficients(taylor *y, double t, const double *x) {
  const hml_problem *p = y->problem;
  const hml_formula *f = p->ode->formula;
  if (same(y->in + 1 + f->states, f->constants, y->inputs - 1 - f->states)) {
    if (is_at(&y->points[y->last], t, x, p->n)) return HML_OK;
    if (is_at(&y->points[1 - y->last], t, x, p->n)) {
      y->last = 1 - y->last;
      return HML_OK;
    }
  } else {
    y->points[0].known = y->points[1].known = false;
  }
  return make_coefficients(y, t, x);
}

// The first coefficient; the next step uses the others
static hml_status slope(void *state, double t, const double *x, double *f) {
  taylor *y = state;
  HML_TRY(take_coefficients(y, t, x));
  memcpy(f, y->points[y->last].coefficients, y->problem->n * sizeof *f);
  return hml_problem__check_rate(y->problem, t, f);
}

// Binary logarithm of a positive normal number to 1e-4: of 2^e m, 1/sqrt(2) < m <= sqrt(2), by the series of the area tangent
static double rough_log2(double x) {
  const uint64_t root_of_half = UINT64_C(0x3FE6A09E667F3BCD);
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  const uint64_t above = bits - root_of_half, mantissa = (above & ((UINT64_C(1) << 52) - 1)) + root_of_half;
  double m;
  memcpy(&m, &mantissa, sizeof m);
  const double z = (m - 1) / (m + 1);
  return (double)((int64_t)above >> 52) + z * (2.8853900817779268 + z * z * 0.96179669392597561);
}

// To 4e-5, for |x| < 1000
static double rough_exp2(double x) {
  const int64_t whole = (int64_t)(x + 1024.5) - 1024;
  const double f = 0.69314718055994531 * (x - (double)whole), square = f * f;
  const uint64_t bits = (uint64_t)(whole + 1023) << 52;
  double power;
  memcpy(&power, &bits, sizeof power);
  return power * ((1 + f) + square * ((1.0 / 2 + f * (1.0 / 6)) + square * (1.0 / 24)));
}

// To 2e-4 for k > 2: a step size needs no more, and the step waits for it
double hml_taylor__lesser_root(double a, double b, unsigned k) {
  if (a >= DBL_MIN && a <= DBL_MAX && b >= DBL_MIN && b <= DBL_MAX) {
    const double of_a = rough_log2(a) / k, of_b = rough_log2(b) / (k - 1);
    return rough_exp2(of_a > of_b ? -of_a : -of_b);
  }
  return exp2(-fmax(log2(a) / k, log2(b) / (k - 1)));
}

static double whole_power(double x, unsigned k) {
  double result = 1;
  for (; k; k >>= 1, x *= x)
    if (k & 1) result *= x;
  return result;
}

// 0: the coefficients give no bound
static hml_status propose(void *state, const hml_step *s, double *size) {
  taylor *y = state;
  HML_TRY(take_coefficients(y, s->t, s->y));
  const expansion *point = &y->points[y->last];
  double h = hml_taylor__lesser_root(point->last, point->before, y->order);
  *size = isfinite(h) && h > 0 ? 0.98 * h : 0;
  return HML_OK;
}

static void sum_series(const taylor *y, const hml_step *s, double *y1) {
  y->sum(y->points[y->last].coefficients, y->order, y->problem->n, s->h, s->y, y1, y->slope);
}

static hml_status attempt(void *state, hml_step *s) {
  taylor *y = state;
  HML_TRY(take_coefficients(y, s->t, s->y));
  const expansion *point = &y->points[y->last];
  sum_series(y, s, s->y1);
  y->has_slope = true;
  double power = whole_power(fabs(s->h), y->order - 1), last = point->last * power * fabs(s->h), before = point->before * power;
  s->error = last > before || isnan(last) ? last : before;
  return HML_OK;
}

// A difference between the slope of the series at the end of the step and x' there shows forces that the coefficients at its start do not
static double end_error(void *state, const hml_step *s) {
  taylor *y = state;
  const hml_problem *p = y->problem;
  double most = HML_MOST_DEFECT * s->error;
  bool within = true;
  if (!y->has_slope) {                                                  // the series was made anew at the end of the step
    if (take_coefficients(y, s->t, s->y) != HML_OK) return INFINITY;
    sum_series(y, s, y->rest);
  }
  for (size_t i = 0; i < p->n; i++) {
    y->rest[i] = s->h * (y->slope[i] - s->f1[i]);
    within &= fabs(y->rest[i]) <= most * (p->atol + p->rtol * fabs(s->y1[i]));
  }
  if (within && p->tighter == 0) return s->error;                       // it is no larger
  return hml_control__norm(p, y->rest, s->y, s->y1) / HML_MOST_DEFECT;
}

// Rows first ... last - 1 of q become minus the sums of the rows above them, the sum of all goes to `sum`; components side by side
static void take_sums(size_t n, unsigned first, unsigned last, double *q, double *sum) {
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
    for (unsigned k = last; k-- > first;) {
      double *row = q + k * n + i, a = row[0], b = row[1], c = row[2], d = row[3];
      row[0] = -s0, row[1] = -s1, row[2] = -s2, row[3] = -s3;
      s0 += a, s1 += b, s2 += c, s3 += d;
    }
    sum[i] = s0, sum[i + 1] = s1, sum[i + 2] = s2, sum[i + 3] = s3;
  }
  for (; i < n; i++) {
    double s = 0;
    for (unsigned k = last; k-- > first;) {
      double a = q[k * n + i];
      q[k * n + i] = -s;
      s += a;
    }
    sum[i] = s;
  }
}

// From powers of theta to theta (c_0 + (1 - theta)(c_1 + theta (c_2 + ...))) by synthetic division, alternately at 1 and at 0. The
// quotient of q and 1 - theta consists of minus the sums of the rows above, that of q and theta of the rows without the first
void hml_taylor__pieces(size_t n, unsigned order, double *q, const hml_step *s, double *piece) {
  double power = s->h;
  for (unsigned k = 0; k < order; k++, power *= s->h)
    for (size_t i = 0; i < n; i++) q[k * n + i] *= power;
  unsigned first = 0, last = order;
  for (unsigned k = 0; k < order; k++) {
    if (k % 2 == 0) take_sums(n, first, last--, q, piece + k * n);       // the last row is zero then
    else memcpy(piece + k * n, q + first++ * n, n * sizeof *q);
  }
  for (size_t i = 0; i < n; i++) piece[i] = s->y1[i] - s->y[i];
}

static hml_status dense(void *state, const hml_step *s, double *piece) {
  taylor *y = state;
  HML_TRY(take_coefficients(y, s->t, s->y));
  memcpy(y->rest, y->points[y->last].coefficients, y->order * y->problem->n * sizeof *y->rest);
  hml_taylor__pieces(y->problem->n, y->order, y->rest, s, piece);
  return HML_OK;
}

static unsigned pieces_of(const hml_problem *p) {
  return order_for(p);
}

const hml_program *hml_taylor__series(const void *state) {
  return ((const taylor *)state)->series;
}

// Coefficients of a fast decaying part are lambda^k / k!; of a singularity at distance r, which limits the step in other cases, r^-k
double hml_taylor__stretch(void *state, const hml_step *s) {
  taylor *y = state;
  if (take_coefficients(y, s->t, s->y) != HML_OK) return 0;
  const expansion *point = &y->points[y->last];
  return point->before > 0 ? fabs(s->h) * y->order * point->last / point->before : 0;
}

unsigned hml_taylor__order(const void *state) {
  return ((const taylor *)state)->order;
}

const hml_stepper hml_stepper_taylor = {
    .name = "taylor",
    .title = "Taylor series, order by the tolerance",
    .order = LEAST_ORDER,
    .exponent = 1.0 / 8,
    .by_formula = true,
    .pieces_of = pieces_of,
    .create = create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = dense,
    .propose = propose,
    .slope = slope,
    .end_error = end_error,
};
