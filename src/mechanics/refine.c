// refine.c: accelerations, multipliers and their derivatives with all digits. The residual of the equations of motion in quadruple precision,
//
//      r + A^T lambda - M a,   A a + b        with M, A, r, b of the state as it is, and their constants to 104 bits (program_impl.h),
//
// is turned into corrections by the factors in doubles, over and over (Wilkinson, Rounding Errors in Algebraic Processes, 1963, ch. 3). Each correction gains
// the digits that the factors have; where they have none, the solution is not found and the state is refused.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { CORRECTIONS = 40 };
#define SETTLED 1e-20                  // a correction, relative to the largest component
#define ROUNDED 1e-26                  // the same, of the terms that the accelerations are made of: rounding of quadruple precision, with a margin
#define USEFUL 1e-14                   // the same: the solution is known as well as a double can hold it
#define NOTHING 1e-290                // corrections near the least numbers that doubles hold, of motions that have died out
#define GAIN 1e-2                      // what each correction leaves at most of the one before: the factors have too few digits beyond it

static size_t order_of(const hml_model *m) {
  return m->n_dyn + m->n_multipliers;
}

void hml_refine__close(hml_workspace *w) {
  hml_quads *q = &w->quads;
  hml_dealloc(w->context, q->tangent, q->tangents * sizeof *q->tangent);
  hml_dealloc(w->context, q->block, q->count * sizeof *q->block);
  hml_dealloc(w->context, q->step, q->steps * sizeof *q->step);
  *q = (hml_quads){.block = NULL};
}

// Room, at the first use
hml_status hml_refine__open(hml_workspace *w) {
  const hml_model *m = w->model;
  const hml_program *p = w->equations;
  hml_quads *q = &w->quads;
  if (q->block) return HML_OK;
  const size_t inputs = hml_program_inputs(p), outputs = hml_program_outputs(p);
  q->count = inputs + outputs + hml_program__values(p) + 3 * order_of(m) + m->n_kin;
  q->steps = 4 * order_of(m) + 1;
  q->block = hml_alloc(w->context, q->count * sizeof *q->block);
  q->step = hml_alloc(w->context, q->steps * sizeof *q->step);
  if (!q->block || !q->step) return hml_refine__close(w), HML_MEMORY;
  q->in = q->block;
  q->out = q->in + inputs;
  q->values = q->out + outputs;
  q->z = q->values + hml_program__values(p);
  q->solution = q->z + order_of(m);
  q->side = q->solution + order_of(m);
  q->rates = q->side + order_of(m);
  return HML_OK;
}

double hml_refine__shift(size_t i, double units) { return units < 0 ? -units : i % 3 == 0 ? -units : units; }

void hml_refine__evaluate(hml_workspace *w, double units) {
  const hml_model *m = w->model;
  hml_quads *q = &w->quads;
  for (size_t i = 0; i < hml_program_inputs(w->equations); i++) {
    q->in[i] = w->in[i];
    if (units != 0 && i > 0 && i <= m->n_kin + m->n_dyn) q->in[i] += hml_refine__shift(i, units) * 0x1p-52 * w->in[i];
  }
  hml_program__eval_quad(w->equations, q->in, q->out, q->values);
}

// ---- corrections

void hml_refine__residual(const hml_workspace *w, const hml_quad *r, const hml_quad *b, double *of_r, double *of_b) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quads *q = &w->quads;
  const hml_quad *mass = q->out + m->at_mass, *rows = q->out + m->at_rows, *a = q->z, *lambda = q->z + n;
  for (size_t i = 0; i < n; i++) {
    hml_quad sum = r ? r[i] : q->out[m->at_r + i];
    for (size_t j = 0; j < n; j++) sum -= mass[hml_dense__packed(i, j)] * a[j];
    for (size_t k = 0; k < m->n_multipliers; k++) sum += rows[k * n + i] * lambda[k];
    of_r[i] = (double)sum;
  }
  for (size_t k = 0; k < m->n_multipliers; k++) {
    hml_quad sum = b ? b[k] : q->out[m->at_b + k];
    for (size_t i = 0; i < n; i++) sum += rows[k * n + i] * a[i];
    of_b[k] = (double)sum;
  }
}

double hml_refine__largest(size_t n, const double *x) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = isfinite(x[i]) ? fmax(largest, fabs(x[i])) : INFINITY;
  return largest;
}

double hml_refine__size(size_t n, const hml_quad *x) {
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs((double)x[i]));
  return largest;
}

// Sizes that corrections are compared with, of accelerations and of multipliers: the largest term of the equations over the inertia, and over the largest entry
// of the constraints. Corrections far below these are rounding: accelerations and multipliers that are zero have no size of their own
static void natural_sizes(const hml_workspace *w, const hml_quad *r, double *of_a, double *of_lambda) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quads *q = &w->quads;
  const hml_quad *mass = q->out + m->at_mass, *rows = q->out + m->at_rows;
  double largest = 0;
  *of_a = 0;
  for (size_t i = 0; i < n; i++) {
    double term = fabs((double)(r ? r[i] : q->out[m->at_r + i]));
    for (size_t j = 0; j < n; j++) term = fmax(term, fabs((double)(mass[hml_dense__packed(i, j)] * q->z[j])));
    for (size_t k = 0; k < m->n_multipliers; k++) term = fmax(term, fabs((double)(rows[k * n + i] * q->z[n + k])));
    const double inertia = (double)mass[hml_dense__packed(i, i)];
    if (inertia > 0) *of_a = fmax(*of_a, term / inertia);
    largest = fmax(largest, term);
  }
  const double entry = hml_refine__size(m->n_multipliers * n, rows);
  *of_lambda = entry > 0 ? largest / entry : 0;
}

bool hml_refine__correct(hml_workspace *w, const hml_quad *r, const hml_quad *b) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  hml_quads *q = &w->quads;
  double *of_r = q->step, *of_b = of_r + n, *a = of_b + rows, *lambda = a + n, before_a = INFINITY, before_lambda = INFINITY, part = INFINITY;
  double natural_a, natural_lambda;
  natural_sizes(w, r, &natural_a, &natural_lambda);
  const double least_a = fmax(ROUNDED * natural_a, NOTHING), least_lambda = fmax(ROUNDED * natural_lambda, NOTHING);
  for (int i = 0; i < CORRECTIONS && part > SETTLED; i++) {
    hml_refine__residual(w, r, b, of_r, of_b);
    if (hml_refine__largest(n + rows, of_r) == 0) return true;
    hml_multiplier__resolve(w, of_r, of_b, a, lambda);
    const double of_a = hml_refine__largest(n, a), of_lambda = hml_refine__largest(rows, lambda), size_a = hml_refine__size(n, q->z), size_lambda = hml_refine__size(rows, q->z + n);
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

void hml_refine__begin(hml_workspace *w, const double *a, const double *lambda) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) w->quads.z[i] = a[i];
  for (size_t k = 0; k < m->n_multipliers; k++) w->quads.z[m->n_dyn + k] = lambda[k];
}

static void take(const hml_workspace *w, double *a, double *lambda) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) a[i] = (double)w->quads.z[i];
  for (size_t k = 0; k < m->n_multipliers; k++) lambda[k] = (double)w->quads.z[m->n_dyn + k];
}

// ---- for models that are solved so

static hml_status tell_undetermined(const hml_workspace *w, const char *what) {
  return hml_fail(w->context, HML_LOST_DIGITS, "model '%s' at t = %.10g: masses, or forces that constraints take up, differ by so many orders of magnitude that "
                  "%s are not determined in quadruple precision either", w->model->name, w->in[0], what);
}

bool hml_refine__solution(hml_workspace *w, double units) {
  hml_quads *q = &w->quads;
  hml_refine__evaluate(w, units);
  hml_refine__begin(w, w->a, w->lambda);
  if (!hml_refine__correct(w, NULL, NULL)) return false;
  memcpy(q->solution, q->z, order_of(w->model) * sizeof *q->z);
  return true;
}

hml_status hml_refine__solve(hml_workspace *w) {
  const hml_model *m = w->model;
  HML_TRY(hml_refine__open(w));
  if (!hml_refine__solution(w, 0)) return tell_undetermined(w, "the accelerations");
  take(w, w->a, w->lambda);
  for (size_t i = 0; i < m->n_equations; i++) w->dynamics[i] = (double)w->quads.out[i];
  return HML_OK;
}

hml_status hml_refine__side(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  const hml_model *m = w->model;
  hml_quad *side = w->quads.side;
  for (size_t i = 0; i < m->n_dyn; i++) side[i] = r[i];
  for (size_t k = 0; k < m->n_multipliers; k++) side[m->n_dyn + k] = b[k];
  hml_refine__begin(w, a, lambda);
  if (!hml_refine__correct(w, side, side + m->n_dyn)) return tell_undetermined(w, "the responses to impulses and forces");
  take(w, a, lambda);
  return HML_OK;
}

// ---- derivatives. dr - dM a + dA^T lambda is a small difference of large terms as well: its terms are taken in quadruple precision

static hml_status need_tangents(hml_workspace *w) {
  hml_quads *q = &w->quads;
  const hml_program *p = w->tangent.program;
  if (q->tangent) return HML_OK;
  q->tangents = hml_program_inputs(p) + hml_program_outputs(p) + hml_program__values(p);
  q->tangent = hml_alloc(w->context, q->tangents * sizeof *q->tangent);
  return q->tangent ? HML_OK : HML_MEMORY;
}

// r' = dr - dM a + dA^T lambda, b' = db + dA a of the tangents d
static void tangent_sides(const hml_workspace *w, const hml_quad *d, hml_quad *r, hml_quad *b) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quad *mass = d + m->at_mass, *rows = d + m->at_rows, *a = w->quads.solution, *lambda = a + n;
  for (size_t i = 0; i < n; i++) {
    r[i] = d[m->at_r + i];
    for (size_t j = 0; j < n; j++) r[i] -= mass[hml_dense__packed(i, j)] * a[j];
    for (size_t k = 0; k < m->n_multipliers; k++) r[i] += rows[k * n + i] * lambda[k];
  }
  for (size_t k = 0; k < m->n_multipliers; k++) {
    b[k] = d[m->at_b + k];
    for (size_t i = 0; i < n; i++) b[k] += rows[k * n + i] * a[i];
  }
}

hml_status hml_refine__tangent(hml_workspace *w, double *da, double *dlambda, const hml_quad **tangents) {
  const hml_model *m = w->model;
  hml_tangent *g = &w->tangent;
  hml_quads *q = &w->quads;
  HML_TRY(need_tangents(w));
  const size_t inputs = hml_program_inputs(g->program), outputs = hml_program_outputs(g->program), own = hml_program_outputs(w->equations);
  hml_quad *in = q->tangent, *out = in + inputs, *d = out + own;
  for (size_t i = 0; i < inputs; i++) in[i] = g->in[i];
  hml_program__eval_quad(g->program, in, out, out + outputs);
  tangent_sides(w, d, q->side, q->side + m->n_dyn);
  double *r = q->step, *b = r + m->n_dyn;
  for (size_t i = 0; i < order_of(m); i++) r[i] = (double)q->side[i];
  if (!hml_dense__finite(order_of(m), r)) return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the derivatives are not finite", m->name, w->in[0]);
  hml_multiplier__resolve(w, r, b, da, dlambda);
  hml_refine__begin(w, da, dlambda);
  if (!hml_refine__correct(w, q->side, q->side + m->n_dyn)) return tell_undetermined(w, "the derivatives of the accelerations");
  take(w, da, dlambda);
  for (size_t i = 0; i < own; i++) g->out[own + i] = (double)d[i];
  if (tangents) *tangents = d;
  return HML_OK;
}

hml_status hml_refine__column(hml_workspace *w, size_t i, hml_quad *column) {
  const hml_model *m = w->model;
  const hml_quad *d;
  const size_t inputs = hml_program_inputs(w->equations), states = m->n_kin + m->n_dyn;
  double *seeds = w->tangent.in + inputs;
  memset(seeds, 0, (1 + states) * sizeof *seeds);
  seeds[1 + i] = 1;
  HML_TRY(hml_refine__tangent(w, w->scratch, w->scratch + m->n_dyn, &d));
  memcpy(column, d, m->n_kin * sizeof *column);
  memcpy(column + m->n_kin, w->quads.z, m->n_dyn * sizeof *column);
  return HML_OK;
}

hml_status hml_refine__open_columns(hml_workspace *w) {
  HML_TRY(hml_stage__solution(w));
  HML_TRY(hml_refine__open(w));
  HML_TRY(hml_stage__open_tangent(w));
  if (!w->model->refined && !hml_refine__solution(w, 0)) return tell_undetermined(w, "the accelerations");
  memcpy(w->tangent.in, w->in, hml_program_inputs(w->equations) * sizeof(double));
  return HML_OK;
}

hml_status hml_workspace__exact_jacobian(hml_workspace *w, double *high, double *low) {
  const hml_model *m = w->model;
  const size_t n = m->n_kin + m->n_dyn;
  if (!hml_program__has_quad() || m->coupling || m->n_externals)
    return hml_fail(w->context, HML_UNSUPPORTED, "model '%s': no derivatives in quadruple precision", m->name);
  hml_quad *column = hml_alloc(w->context, (n + 1) * sizeof *column);
  if (!column) return HML_MEMORY;
  hml_status status = hml_refine__open_columns(w);
  for (size_t j = 0; status == HML_OK && j < n; j++) {
    status = hml_refine__column(w, j, column);
    for (size_t i = 0; status == HML_OK && i < n; i++) {
      high[i * n + j] = (double)column[i];
      low[i * n + j] = (double)(column[i] - high[i * n + j]);
    }
  }
  hml_dealloc(w->context, column, (n + 1) * sizeof *column);
  return status;
}
