// digits.c: how many digits do the accelerations of a run have? Where masses differ by many orders of magnitude, or constraints carry forces much larger
// than what these leave, accelerations are small differences of large numbers: rounding M and r to doubles then costs digits that no pivot and no second
// solve in doubles can show. The arbiter is the solution refined in quadruple precision (refine.c).
//
// Quadruple precision costs a hundred times as much as doubles. An estimate in doubles decides whether it is needed, and a bound by the pivots whether that is.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SUSPECT 0.3                    // of the errors that count: errors that rounding of the equations may cause, from which the arbiter decides
#define NAPIER 2.7182818284590452      // e
#define PIVOTS 1e-4                    // of what a pivot was made from: below it the graph may have lost digits

// ---- the verdict on a run

// The largest acceleration that rounding of M and r changes, by the pivots alone; infinite where they do not say. With D^2 = diag M, H = M scaled to a diagonal
// of ones and y = D a:  |dy| <= |H^-1| |errors|, errors of one rounding in each term <= 2 eps |y|_1 each, and 1/|H^-1| >= det H ((n - 1)/n)^(n - 1)
// >= det H / e as the mean of the other eigenvalues is n/(n - 1) at most. det H is the product of the pivots of M over its diagonal
static double bound_by_pivots(const hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  double sum = 0, least = INFINITY, inverse = NAPIER;
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

// The accelerations that one rounding of each of the sizes `errors` (n_dyn + n_multipliers), at the head of w->response, causes. Signs are equal,
// alternate, then are drawn: no direction is at right angles to all of these
const double *hml_workspace__try_errors(hml_workspace *w, unsigned trial) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  double *errors = w->response, *r = errors + n + rows, *b = r + n, *a = b + rows, *lambda = a + n;
  enum { EQUAL, ALTERNATE };
  uint32_t dice = 12345 + trial;
  for (size_t i = 0; i < n + rows; i++) {
    dice = dice * 1664525u + 1013904223u;
    const bool minus = trial == EQUAL ? false : trial == ALTERNATE ? i % 2 : dice >> 31;
    r[i] = (minus ? -1 : 1) * DBL_EPSILON * errors[i];
  }
  hml_multiplier__resolve(w, r, b, a, lambda);
  return a;
}

static double response_to_errors(hml_workspace *w) {
  double largest = 0;
  for (unsigned trial = 0; trial < HML_ERROR_TRIALS; trial++) largest = fmax(largest, hml_refine__largest(w->model->n_dyn, hml_workspace__try_errors(w, trial)));
  return largest;
}

// Sizes of the terms of M a and A^T lambda, and of A a, are added to the errors
static void add_terms(hml_workspace *w, const double *a, const double *lambda) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  const double *mass = w->dynamics + m->at_mass, *A = w->dynamics + m->at_rows;
  double *errors = w->response;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) errors[i] += fabs(mass[hml_dense__packed(i, j)] * a[j]);
    for (size_t k = 0; k < rows; k++) errors[i] += fabs(A[k * n + i] * lambda[k]);
  }
  for (size_t k = 0; k < rows; k++)
    for (size_t j = 0; j < n; j++) errors[n + k] += fabs(A[k * n + j] * a[j]);
}

// How much of the accelerations the rounding of M, A, r and b may cost: the response to errors of one rounding in each term
static double response_to_rounding(hml_workspace *w) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) w->response[i] = fabs(w->dynamics[m->at_r + i]);
  for (size_t k = 0; k < m->n_multipliers; k++) w->response[m->n_dyn + k] = fabs(w->dynamics[m->at_b + k]);
  add_terms(w, w->a, w->lambda);
  return response_to_errors(w);
}

void hml_workspace__note_errors(hml_workspace *w, const double *change, const double *terms, const double *lambda) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) w->response[i] = terms[i];
  for (size_t k = 0; k < m->n_multipliers; k++) w->response[m->n_dyn + k] = 0;
  if (!m->refined) add_terms(w, change, lambda);
}

// No response to errors of these sizes is larger, by the pivots of M and of the Schur complement S of the rows; infinite where they do not say. With
// D^2 = diag M, H = M scaled to a diagonal of ones, |H^-1| <= e / det H as above, and the same of S:
//   M a = r + A^T lambda, A a + b = 0,  a = a_r + a_b,  |a_r|_M <= |r|_(M^-1) as a projection,  |a_b|_M = |b|_(S^-1),
//   |D a| <= |H^-1| |D^-1 r| + sqrt(|H^-1| |H_S^-1|) |D_S^-1 b|
static double bound_on_response(const hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  const double *errors = w->response;
  double inverse = NAPIER, of_r = 0, least = INFINITY, inverse_rows = NAPIER, of_b = 0;
  if (m->n_implied || w->solved_by_kkt) return INFINITY;
  for (size_t i = 0; i < n; i++) {
    const double diagonal = w->dynamics[m->at_mass + hml_dense__packed(i, i)], d = sqrt(diagonal);
    of_r += errors[i] / d;
    least = d < least ? d : least;
    inverse *= diagonal * w->mass_inverse[i];
  }
  for (size_t k = 0; k < rows; k++) {
    const double diagonal = hml_dense__dot(n, w->row_y + k * n, w->row_w + k * n);
    of_b += errors[n + k] / sqrt(diagonal);
    inverse_rows *= diagonal * w->schur_inverse[k];
  }
  const double bound = DBL_EPSILON * (inverse * of_r + sqrt(inverse * inverse_rows) * of_b) / least;
  return isfinite(bound) ? bound : INFINITY;
}

double hml_workspace__blow_bound(hml_workspace *w, const double *change, const double *terms, const double *lambda) {
  hml_workspace__note_errors(w, change, terms, lambda);
  return bound_on_response(w);
}

double hml_workspace__blow_error(hml_workspace *w, const double *change, const double *terms, const double *lambda, double enough) {
  const double bound = hml_workspace__blow_bound(w, change, terms, lambda);
  return bound <= enough ? bound : response_to_errors(w);
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

// What one unit in the last place of the state does to the solution z; *of_k: to the rates of the kinematic states that `rates` has
static double effect_of_a_unit(hml_workspace *w, const hml_quad *rates, double *of_k) {
  const hml_model *m = w->model;
  double *of_r = w->quads.step, *of_b = of_r + m->n_dyn, *a = of_b + m->n_multipliers, *lambda = a + m->n_dyn;
  hml_refine__evaluate(w, 1);
  *of_k = 0;
  for (size_t i = 0; i < m->n_kin; i++) *of_k = fmax(*of_k, fabs((double)(rates[i] - w->quads.out[i])));
  hml_refine__residual(w, NULL, NULL, of_r, of_b);
  hml_multiplier__resolve(w, of_r, of_b, a, lambda);
  const double effect = hml_refine__largest(m->n_dyn, a);
  hml_refine__evaluate(w, 0);
  return effect;
}

// By the arbiter
static hml_status decide(hml_workspace *w, double part, const double *run, const double *rates, hml_digits *out) {
  const hml_model *m = w->model;
  HML_TRY(hml_refine__open(w));
  if (!hml_refine__solution(w, 0)) {
    out->largest = fmax(out->largest, DBL_MIN);
    out->difference = INFINITY;
    return HML_OK;
  }
  const double fastest = hml_refine__size(m->n_kin, w->quads.out), off = farthest_quad(m->n_kin, rates, w->quads.out);
  double of_k = 0;
  out->largest = hml_refine__size(m->n_dyn, w->quads.z);
  out->difference = farthest_quad(m->n_dyn, run, w->quads.z);
  if (!m->velocity_is_rate) memcpy(w->quads.rates, w->quads.out, m->n_kin * sizeof *w->quads.out);
  if (out->difference > part * out->largest || !m->velocity_is_rate) out->unit = effect_of_a_unit(w, w->quads.rates, &of_k);
  if (m->velocity_is_rate) return HML_OK;
  // velocities that the states do not hold are no fault of the solve, but the run loses them all the same
  out->velocities = of_k;
  out->states = of_k > 0 ? of_k / fmax(fastest, of_k) : 0;
  if (fastest > 0 && off * out->largest > out->difference * fastest) out->difference = off / fastest * out->largest;
  return HML_OK;
}

// Where the general solve finds no accelerations there is nothing to compare; without constraints, a matrix of masses that is singular in doubles is the
// reason, and accelerations that a run has nevertheless have no digits for certain        fails: as a force from outside does
hml_status hml_workspace__digits(hml_workspace *w, double part, hml_digits *out) {
  const hml_model *m = w->model;
  bool holds = false;
  *out = (hml_digits){0};
  if (!m->n_dyn) return HML_OK;
  w->guard_due = true;                 // its bounds may be those of another state
  if (m->rate) HML_TRY(hml_stage__rate(w, &holds));
  if (holds && !w->equations && !m->n_multipliers && m->running_guard && !pivots_are_small(w)) return HML_OK;
  const hml_status status = hml_stage__solution(w);
  if ((status == HML_SINGULAR_MASS || status == HML_LOST_DIGITS) && holds && !m->n_multipliers) {
    out->largest = fmax(hml_refine__largest(m->n_dyn, w->rate + m->n_kin), DBL_MIN);
    out->difference = INFINITY;
  }
  if (status != HML_OK) return hml_forgiven(w->context);
  const double *run = holds ? w->rate + m->n_kin : w->a;
  out->largest = hml_refine__largest(m->n_dyn, w->a);
  out->difference = farthest(m->n_dyn, run, w->a);
  if (!hml_program__has_quad() || m->coupling) return HML_OK;
  out->doubt = INFINITY;
  if (m->velocity_is_rate && out->difference <= SUSPECT * part * out->largest) {
    out->doubt = bound_by_pivots(w);
    if (out->doubt > HML_DIGITS_CALM * out->largest) out->doubt = response_to_rounding(w);
    out->doubt = fmax(out->doubt, out->difference);
    if (out->doubt <= SUSPECT * part * out->largest) return HML_OK;
  }
  return decide(w, part, run, holds ? w->rate : w->dynamics, out);
}

double hml_digits__lost(const hml_digits *d, double part, double span, double tolerance, bool *states) {
  const bool lost = d->difference > part * d->largest && d->difference > HML_DIGITS_UNITS * d->unit && d->difference * span > tolerance;
  *states = d->states > part && d->velocities * span > tolerance;
  return *states ? d->states : lost ? d->difference / d->largest : 0;
}

// A single acceleration is the quotient of a sum and an inertia, and rounding of these is rounding of the state
bool hml_model__may_lose_digits(const hml_model *m) {
  return m->n_dyn > 1 || m->n_multipliers || (m->n_dyn && !m->velocity_is_rate);
}

// ---- derivatives

// The columns of the Jacobian in quadruple precision, one behind the other, where the time and the state are moved by that many units in their last places
static hml_status exact_columns(hml_workspace *w, double units, hml_quad *columns) {
  const size_t n = w->model->n_kin + w->model->n_dyn;
  HML_TRY(hml_refine__open_columns(w));
  if (units != 0 && !hml_refine__solution(w, units)) return hml_fail(w->context, HML_LOST_DIGITS, "model '%s': accelerations have no certain digits", w->model->name);
  for (size_t i = 0; units != 0 && i <= n; i++) w->tangent.in[i] += hml_refine__shift(i, units) * 0x1p-52 * w->tangent.in[i];
  hml_status status = HML_OK;
  for (size_t j = 0; status == HML_OK && j < n; j++) status = hml_refine__column(w, j, columns + j * n);
  if (units != 0) hml_refine__solution(w, 0);
  return status;
}

// Sizes of the positions and of the velocities, by which derivatives along different states can be compared
static double size_of(const hml_model *m, const double *x, size_t j) {
  return j < m->n_kin ? hml_refine__largest(m->n_kin, x) : hml_refine__largest(m->n_dyn, x + m->n_kin);
}

// The columns that a variational run takes, against those in quadruple precision. What a move of the time and the state by a few units in their last places
// changes as much, or what is rounding beside the largest change of an acceleration along any of them, is no fault of the way they are computed
static hml_status compare_columns(hml_workspace *w, const double *identity, const double *x, double *columns, hml_quad *exact, double *part) {
  const hml_model *m = w->model;
  const size_t kin = m->n_kin, n = kin + m->n_dyn;
  hml_quad *moved[] = {exact + n * n, exact + 2 * n * n};
  bool is_moved = false;
  double change = 0;
  HML_TRY(hml_workspace__variation(w, w->in[0], x, n, identity, columns + n * n, columns));
  hml_status status = exact_columns(w, 0, exact);
  for (size_t j = 0; status == HML_OK && j < n; j++) change = fmax(change, size_of(m, x, j) * hml_refine__size(m->n_dyn, exact + j * n + kin));
  for (size_t j = 0; status == HML_OK && j < n; j++) {
    const hml_quad *column = exact + j * n + kin;
    const double largest = hml_refine__size(m->n_dyn, column), off = farthest_quad(m->n_dyn, columns + j * n + kin, column);
    if (!(off > HML_DIGITS_PART * largest && largest > 0) || off * size_of(m, x, j) <= HML_DIGITS_UNITS * DBL_EPSILON * change) continue;
    if (!is_moved) status = exact_columns(w, 1, moved[0]);
    if (!is_moved && status == HML_OK) status = exact_columns(w, -1, moved[1]);
    is_moved = true;
    double unit = 0;
    for (size_t k = 0; k < 2; k++)
      for (size_t i = 0; status == HML_OK && i < m->n_dyn; i++) unit = fmax(unit, fabs((double)(moved[k][j * n + kin + i] - column[i])));
    if (off > HML_DIGITS_UNITS * unit) *part = fmax(*part, off / largest);
  }
  if (status != HML_LOST_DIGITS) return status;
  *part = INFINITY;
  return hml_forgiven(w->context);
}

hml_status hml_workspace__derivative_digits(hml_workspace *w, const hml_digits *digits, double *part) {
  const hml_model *m = w->model;
  const size_t n = m->n_kin + m->n_dyn, size = hml_model_state_size(m), count = 2 * n * n + 2 * size;
  *part = 0;
  if (!hml_program__has_quad() || m->coupling || m->n_externals || digits->doubt <= HML_DIGITS_CALM * digits->largest) return HML_OK;
  double *block = hml_alloc(w->context, count * sizeof *block);
  hml_quad *exact = hml_alloc(w->context, (3 * n * n + 1) * sizeof *exact);
  hml_status status = block && exact ? HML_OK : HML_MEMORY;
  if (status == HML_OK) {
    double *identity = block, *columns = identity + n * n, *x = columns + n * n + size;
    memset(block, 0, count * sizeof *block);
    for (size_t i = 0; i < n; i++) identity[i * n + i] = 1;
    memcpy(x, w->in + 1, n * sizeof *x);
    status = compare_columns(w, identity, x, columns, exact, part);
  }
  hml_dealloc(w->context, block, count * sizeof *block);
  hml_dealloc(w->context, exact, (3 * n * n + 1) * sizeof *exact);
  return status;
}
