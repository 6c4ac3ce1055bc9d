// digits.c: how many digits do the accelerations of a run have? Where masses differ by many orders of magnitude, or constraints carry forces much larger
// than what these leave, accelerations are small differences of large numbers: rounding M and r to doubles then costs digits that no pivot and no second
// solve in doubles can show. The arbiter is the residual of the equations of motion in quadruple precision,
//
//      r + A^T lambda - M a,   A a + b        with M, A, r, b of the state as it is, and their constants to 77 bits (program_impl.h),
//
// which the factors in doubles turn into corrections, over and over (Wilkinson, Rounding Errors in Algebraic Processes, 1963, ch. 3). Each correction gains
// the digits that the factors have; where they have none, the solution is not found and the state is refused.
//
// Quadruple precision costs a hundred times as much as doubles. An estimate in doubles decides whether it is needed, and a bound by the pivots whether that is.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 40 };
#define SETTLED 1e-20                  // a correction, relative to the largest component
#define ROUNDED 1e-26                  // the same, of the terms that the accelerations are made of: rounding of quadruple precision, with a margin
#define USEFUL 1e-14                   // the same: the solution is known as well as a double can hold it
#define SUSPECT 3e-10                  // of the largest acceleration: errors that rounding of the equations may cause, from which the arbiter decides
#define CALM 1e-12                     // the same, by a bound from the pivots: from there on errors are estimated
#define GAIN 1e-2                      // what each correction leaves at most of the one before: beyond it the 77 bits of the constants do not suffice
#define DECIDED 1e-9                   // difference from which the effect of one unit in the last place of the state is looked at
#define PIVOTS 1e-4                    // of what a pivot was made from: below it the graph may have lost digits

typedef struct solved { double *a, *lambda; } solved;

static size_t order_of(const hml_model *m) {
  return m->n_dyn + m->n_multipliers;
}

void hml_digits__close(hml_workspace *w) {
  hml_quads *q = &w->quads;
  hml_dealloc(w->context, q->block, q->count * sizeof *q->block);
  hml_dealloc(w->context, q->step, q->steps * sizeof *q->step);
  *q = (hml_quads){.block = NULL};
}

// Room, at the first use
static hml_status need_room(hml_workspace *w) {
  const hml_model *m = w->model;
  const hml_program *p = w->equations;
  hml_quads *q = &w->quads;
  if (q->block) return HML_OK;
  const size_t inputs = hml_program_inputs(p), outputs = hml_program_outputs(p);
  q->count = inputs + outputs + hml_program__values(p) + order_of(m) + m->n_kin;
  q->steps = 4 * order_of(m) + 1;
  q->block = hml_alloc(w->context, q->count * sizeof *q->block);
  q->step = hml_alloc(w->context, q->steps * sizeof *q->step);
  if (!q->block || !q->step) return hml_digits__close(w), HML_MEMORY;
  q->in = q->block;
  q->out = q->in + inputs;
  q->values = q->out + outputs;
  q->z = q->values + hml_program__values(p);
  q->rates = q->z + order_of(m);
  return HML_OK;
}

// M, A, r, b at the inputs of the workspace, the states moved by up to `units` of their last place
static void evaluate(hml_workspace *w, double units) {
  const hml_model *m = w->model;
  hml_quads *q = &w->quads;
  for (size_t i = 0; i < hml_program_inputs(w->equations); i++) {
    q->in[i] = w->in[i];
    if (units != 0 && i > 0 && i <= m->n_kin + m->n_dyn) q->in[i] += (i % 3 == 0 ? -units : units) * 0x1p-52 * w->in[i];
  }
  hml_program__eval_quad(w->equations, q->in, q->out, q->values);
}

// ---- corrections

// What the solution z leaves of M a = r + A^T lambda and A a + b = 0; r, b NULL: those of the state
static void residual(const hml_workspace *w, const double *r, const double *b, double *of_r, double *of_b) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quads *q = &w->quads;
  const hml_quad *mass = q->out + m->at_mass, *rows = q->out + m->at_rows, *a = q->z, *lambda = q->z + n;
  for (size_t i = 0; i < n; i++) {
    hml_quad sum = r ? (hml_quad)r[i] : q->out[m->at_r + i];
    for (size_t j = 0; j < n; j++) sum -= mass[hml_dense__packed(i, j)] * a[j];
    for (size_t k = 0; k < m->n_multipliers; k++) sum += rows[k * n + i] * lambda[k];
    of_r[i] = (double)sum;
  }
  for (size_t k = 0; k < m->n_multipliers; k++) {
    hml_quad sum = b ? (hml_quad)b[k] : q->out[m->at_b + k];
    for (size_t i = 0; i < n; i++) sum += rows[k * n + i] * a[i];
    of_b[k] = (double)sum;
  }
}

static double largest_of(size_t n, const double *x) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = isfinite(x[i]) ? fmax(largest, fabs(x[i])) : INFINITY;
  return largest;
}

static double size_of(size_t n, const hml_quad *x) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)x[i]));
  return largest;
}

// Sizes that corrections are compared with, of accelerations and of multipliers: the largest term of the equations over the inertia, and over the largest entry
// of the constraints. Corrections far below these are rounding: accelerations and multipliers that are zero have no size of their own
static void natural_sizes(const hml_workspace *w, const double *r, double *of_a, double *of_lambda) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quads *q = &w->quads;
  const hml_quad *mass = q->out + m->at_mass, *rows = q->out + m->at_rows;
  double largest = 0;
  *of_a = 0;
  for (size_t i = 0; i < n; i++) {
    double term = fabs(r ? r[i] : (double)q->out[m->at_r + i]);
    for (size_t j = 0; j < n; j++) term = fmax(term, fabs((double)(mass[hml_dense__packed(i, j)] * q->z[j])));
    for (size_t k = 0; k < m->n_multipliers; k++) term = fmax(term, fabs((double)(rows[k * n + i] * q->z[n + k])));
    const double inertia = (double)mass[hml_dense__packed(i, i)];
    if (inertia > 0) *of_a = fmax(*of_a, term / inertia);
    largest = fmax(largest, term);
  }
  const double entry = size_of(m->n_multipliers * n, rows);
  *of_lambda = entry > 0 ? largest / entry : 0;
}

// Corrects z until it settles. False: the factors have too few digits for that
static bool correct(hml_workspace *w, const double *r, const double *b) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  hml_quads *q = &w->quads;
  double *of_r = q->step, *of_b = of_r + n, *a = of_b + rows, *lambda = a + n, before_a = INFINITY, before_lambda = INFINITY, part = INFINITY;
  double natural_a, natural_lambda;
  natural_sizes(w, r, &natural_a, &natural_lambda);
  const double least_a = ROUNDED * natural_a, least_lambda = ROUNDED * natural_lambda;
  for (int i = 0; i < CORRECTIONS && part > SETTLED; i++) {
    residual(w, r, b, of_r, of_b);
    if (largest_of(n + rows, of_r) == 0) return true;
    hml_multiplier__resolve(w, of_r, of_b, a, lambda);
    const double of_a = largest_of(n, a), of_lambda = largest_of(rows, lambda), size_a = size_of(n, q->z), size_lambda = size_of(rows, q->z + n);
    const bool small_a = of_a <= fmax(SETTLED * size_a, least_a), small_lambda = of_lambda <= fmax(SETTLED * size_lambda, least_lambda);
    const bool gains = of_a < INFINITY && of_lambda < INFINITY && (i == 0 || ((small_a || of_a <= GAIN * before_a) && (small_lambda || of_lambda <= GAIN * before_lambda)));
    if (!gains) return part <= USEFUL;
    part = fmax(small_a ? 0 : of_a / fmax(size_a, of_a), small_lambda ? 0 : of_lambda / fmax(size_lambda, of_lambda));
    before_a = of_a, before_lambda = of_lambda;
    for (size_t k = 0; k < n; k++) q->z[k] += a[k];
    for (size_t k = 0; k < rows; k++) q->z[n + k] += lambda[k];
  }
  return part <= USEFUL;
}

static void begin_from(hml_workspace *w, solved s) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) w->quads.z[i] = s.a[i];
  for (size_t k = 0; k < m->n_multipliers; k++) w->quads.z[m->n_dyn + k] = s.lambda[k];
}

static void take(const hml_workspace *w, solved s) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) s.a[i] = (double)w->quads.z[i];
  for (size_t k = 0; k < m->n_multipliers; k++) s.lambda[k] = (double)w->quads.z[m->n_dyn + k];
}

// ---- for models that are solved so

// fails: HML_SINGULAR_MASS where the factors have no digits
hml_status hml_digits__refine(hml_workspace *w) {
  const hml_model *m = w->model;
  const solved s = {w->a, w->lambda};
  HML_TRY(need_room(w));
  evaluate(w, 0);
  begin_from(w, s);
  if (!correct(w, NULL, NULL))
    return hml_fail(w->context, HML_SINGULAR_MASS, "model '%s' at t = %.10g: masses, or forces that constraints take up, differ by so many orders of magnitude that "
                    "the accelerations are not determined in quadruple precision either", m->name, w->in[0]);
  take(w, s);
  for (size_t i = 0; i < m->n_equations; i++) w->dynamics[i] = (double)w->quads.out[i];
  return HML_OK;
}

// Where a solution does not settle, it stays as doubles give it: the one before it at the same state did, or the state was refused
void hml_digits__refine_side(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  const solved s = {a, lambda};
  begin_from(w, s);
  if (correct(w, r, b)) take(w, s);
}

// ---- the verdict on a run

// The largest acceleration that rounding of M and r changes, by the pivots alone; infinite where they do not say. With D^2 = diag M, H = M scaled to a diagonal
// of ones and y = D a:  |dy| <= |H^-1| |errors|, errors of one rounding in each term <= 2 eps |y|_1 each, and 1/|H^-1| >= det H ((n - 1)/n)^(n - 1)
// >= det H / e as the mean of the other eigenvalues is n/(n - 1) at most. det H is the product of the pivots of M over its diagonal
static double bound_by_pivots(const hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  double sum = 0, least = INFINITY, inverse = 2.7182818284590452;
  if (m->n_multipliers || w->solved_by_kkt) return INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double diagonal = w->dynamics[m->at_mass + hml_dense__packed(i, i)], d = sqrt(diagonal);
    sum += d * fabs(w->a[i]);
    least = fmin(least, d);
    inverse *= diagonal * w->mass_inverse[i];
  }
  const double bound = 2 * DBL_EPSILON * sqrt((double)n) * inverse * sum / least;
  return isfinite(bound) ? bound : INFINITY;
}

// How much of the accelerations the rounding of M, A, r and b may cost: the response to errors of one rounding in each term. Their signs
// are equal, alternate, then are drawn: no direction is at right angles to all of these
static double response_to_rounding(hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  double *errors = w->response, *r = errors + n + rows, *b = r + n, *a = b + rows, *lambda = a + n, largest = 0;
  const double *mass = w->dynamics + m->at_mass, *A = w->dynamics + m->at_rows;
  enum { EQUAL, ALTERNATE, TRIALS = 5 };
  for (size_t i = 0; i < n; i++) {
    errors[i] = fabs(w->dynamics[m->at_r + i]);
    for (size_t j = 0; j < n; j++) errors[i] += fabs(mass[hml_dense__packed(i, j)] * w->a[j]);
    for (size_t k = 0; k < rows; k++) errors[i] += fabs(A[k * n + i] * w->lambda[k]);
  }
  for (size_t k = 0; k < rows; k++) {
    errors[n + k] = fabs(w->dynamics[m->at_b + k]);
    for (size_t j = 0; j < n; j++) errors[n + k] += fabs(A[k * n + j] * w->a[j]);
  }
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    uint32_t dice = 12345 + trial;
    for (size_t i = 0; i < n + rows; i++) {
      dice = dice * 1664525u + 1013904223u;
      const bool minus = trial == EQUAL ? false : trial == ALTERNATE ? i % 2 : dice >> 31;
      r[i] = (minus ? -1 : 1) * DBL_EPSILON * errors[i];
    }
    hml_multiplier__resolve(w, r, b, a, lambda);
    largest = fmax(largest, largest_of(n, a));
  }
  return largest;
}

// Have the pivots of the graph shrunk to a small part of what they were made from? Their floors are known
static bool pivots_are_small(const hml_workspace *w) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->running_margins; i++)
    if (w->shown[i] * HML_PIVOT_FLOOR < PIVOTS * w->held_floor[i]) return true;
  return false;
}

static double farthest(size_t n, const double *x, const double *y) {
  double difference = 0;
  for (size_t i = 0; i < n; i++) difference = fmax(difference, fabs(x[i] - y[i]));
  return difference;
}

static double farthest_quad(size_t n, const double *x, const hml_quad *y) {
  double difference = 0;
  for (size_t i = 0; i < n; i++) difference = fmax(difference, fabs((double)(x[i] - y[i])));
  return difference;
}

// What one unit in the last place of the state does to the solution z; *of_k: to the rates of the kinematic states that `rates` has, relative
static double effect_of_a_unit(hml_workspace *w, const hml_quad *rates, double *of_k) {
  const hml_model *m = w->model;
  double *of_r = w->quads.step, *of_b = of_r + m->n_dyn, *a = of_b + m->n_multipliers, *lambda = a + m->n_dyn;
  evaluate(w, 1);
  const double fastest = size_of(m->n_kin, w->quads.out);
  *of_k = 0;
  for (size_t i = 0; i < m->n_kin && fastest > 0; i++) *of_k = fmax(*of_k, fabs((double)(rates[i] - w->quads.out[i])) / fastest);
  residual(w, NULL, NULL, of_r, of_b);
  hml_multiplier__resolve(w, of_r, of_b, a, lambda);
  const double effect = largest_of(m->n_dyn, a);
  evaluate(w, 0);
  return effect;
}

// By the arbiter
static hml_status decide(hml_workspace *w, const double *run, const double *rates, hml_digits *out) {
  const hml_model *m = w->model;
  HML_TRY(need_room(w));
  evaluate(w, 0);
  begin_from(w, (solved){w->a, w->lambda});
  if (!correct(w, NULL, NULL)) {
    out->largest = fmax(out->largest, DBL_MIN);
    out->difference = INFINITY;
    return HML_OK;
  }
  const double fastest = size_of(m->n_kin, w->quads.out), off = farthest_quad(m->n_kin, rates, w->quads.out);
  double of_k = 0;
  out->largest = size_of(m->n_dyn, w->quads.z);
  out->difference = farthest_quad(m->n_dyn, run, w->quads.z);
  if (!m->velocity_is_rate) memcpy(w->quads.rates, w->quads.out, m->n_kin * sizeof *w->quads.out);
  if (out->difference > DECIDED * out->largest || !m->velocity_is_rate) out->unit = effect_of_a_unit(w, w->quads.rates, &of_k);
  if (m->velocity_is_rate) return HML_OK;
  // velocities that the states do not hold are no fault of the solve, but the run loses them all the same
  out->states = of_k;
  if (fastest > 0 && off * out->largest > out->difference * fastest) out->difference = off / fastest * out->largest;
  return HML_OK;
}

// Where the general solve finds no accelerations there is nothing to compare; without constraints, a matrix of masses that is singular in doubles is the
// reason, and accelerations that a run has nevertheless have no digits for certain        fails: as a force from outside does
hml_status hml_workspace__digits(hml_workspace *w, hml_digits *out) {
  const hml_model *m = w->model;
  bool holds = false;
  *out = (hml_digits){0};
  if (!m->n_dyn) return HML_OK;
  w->guard_due = true;                 // its bounds may be those of another state
  if (m->rate) HML_TRY(hml_stage__rate(w, &holds));
  if (holds && !w->equations && !m->n_multipliers && m->running_guard && !pivots_are_small(w)) return HML_OK;
  const hml_status status = hml_stage__solution(w);
  if (status == HML_SINGULAR_MASS && holds && !m->n_multipliers) {
    out->largest = fmax(largest_of(m->n_dyn, w->rate + m->n_kin), DBL_MIN);
    out->difference = INFINITY;
  }
  if (status != HML_OK) return hml_forgiven(w->context);
  const double *run = holds ? w->rate + m->n_kin : w->a;
  out->largest = largest_of(m->n_dyn, w->a);
  out->difference = farthest(m->n_dyn, run, w->a);
  if (!hml_program__has_quad() || m->coupling) return HML_OK;
  out->doubt = INFINITY;
  if (m->velocity_is_rate && out->difference <= SUSPECT * out->largest) {
    out->doubt = bound_by_pivots(w);
    if (out->doubt > CALM * out->largest) out->doubt = response_to_rounding(w);
    out->doubt = fmax(out->doubt, out->difference);
    if (out->doubt <= SUSPECT * out->largest) return HML_OK;
  }
  return decide(w, run, holds ? w->rate : w->dynamics, out);
}
