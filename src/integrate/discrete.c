// discrete.c: one-step maps given implicitly by expressions, residual(z; t, h, x) = 0 and x1 = update(z; t, h, x): discrete mechanics
// in the notation of papers. The map is solved to rounding by Newton's method with the exact Jacobian, so that its invariants (constraints,
// momentum maps, reversibility) are preserved to rounding too.
#include "integrate/stepper.h"

#include <float.h>
#include <gsl/gsl_linalg.h>
#include <math.h>
#include <string.h>

enum { ITERATIONS = 30 };

struct hml_discrete {
  hml_context *context;
  size_t n, nz, inputs, first_unknown;
  hml_program *residual, *update, *guess;   // residual: and its Jacobian by z, row-major
  double *parameters;
  size_t n_parameters;
};

void hml_discrete_free(hml_discrete *d) {
  if (!d) return;
  hml_program_free(d->residual);
  hml_program_free(d->update);
  hml_program_free(d->guess);
  hml_dealloc(d->context, d->parameters, (d->n_parameters + 1) * sizeof(double));
  hml_dealloc(d->context, d, sizeof *d);
}

static hml_status build(hml_discrete *d, const hml_discrete_spec *s, hml_expr *inputs, hml_expr *outputs) {
  hml_context *c = d->context;
  size_t at = 0;
  inputs[at++] = s->time;
  inputs[at++] = s->step;
  for (size_t i = 0; i < s->n; i++) inputs[at++] = s->states[i];
  for (size_t i = 0; i < s->n_parameters; i++) inputs[at++] = s->parameters[i];
  d->first_unknown = at;
  for (size_t i = 0; i < s->nz; i++) inputs[at++] = s->unknowns[i];
  d->inputs = at;
  for (size_t i = 0; i < s->nz; i++) {
    outputs[i] = s->residual[i];
    HML_TRY(hml_gradient(c, s->residual[i], s->nz, s->unknowns, outputs + s->nz + i * s->nz));
  }
  HML_TRY(hml_program_new(c, at, inputs, s->nz * (1 + s->nz), outputs, &d->residual));
  HML_TRY(hml_program_new(c, at, inputs, s->n, s->update, &d->update));
  HML_TRY(hml_program_new(c, d->first_unknown, inputs, s->nz, s->guess, &d->guess));
  HML_TRY(hml_program__compile(d->residual));
  HML_TRY(hml_program__compile(d->update));
  return hml_program__compile(d->guess);
}

hml_status hml_discrete_new(hml_context *c, const hml_discrete_spec *s, hml_discrete **out) {
  *out = NULL;
  if (hml_failed(c)) return hml_context_error(c)->status;
  if (!s->n || !s->nz) return hml_fail(c, HML_ARGUMENT, "discrete map: states and unknowns are needed");
  hml_discrete *d = hml_alloc(c, sizeof *d);
  if (!d) return HML_MEMORY;
  *d = (hml_discrete){.context = c, .n = s->n, .nz = s->nz, .n_parameters = s->n_parameters};
  size_t lists = 2 + s->n + s->n_parameters + s->nz + s->nz * (1 + s->nz);
  hml_expr *scratch = hml_alloc(c, lists * sizeof *scratch);
  d->parameters = hml_alloc(c, (s->n_parameters + 1) * sizeof(double));
  hml_status status = scratch && d->parameters ? HML_OK : HML_MEMORY;
  if (status == HML_OK && s->n_parameters) memcpy(d->parameters, s->parameter_values, s->n_parameters * sizeof(double));
  if (status == HML_OK) status = build(d, s, scratch, scratch + 2 + s->n + s->n_parameters + s->nz);
  hml_dealloc(c, scratch, lists * sizeof *scratch);
  if (status == HML_OK) *out = d;
  else hml_discrete_free(d);
  return status;
}

// ---- as a method with fixed steps

typedef struct mapper {
  const hml_problem *problem;
  const hml_discrete *map;
  double *block, *in, *out, *work, *noise;   // one block; noise: of residuals, of unknowns
  size_t size;
  gsl_matrix *jacobian;
  gsl_permutation *order;
  gsl_vector *side;
} mapper;

static void destroy(const hml_problem *p, void *state) {
  mapper *m = state;
  if (!m) return;
  if (m->jacobian) gsl_matrix_free(m->jacobian);
  if (m->order) gsl_permutation_free(m->order);
  if (m->side) gsl_vector_free(m->side);
  hml_dealloc(p->context, m->block, m->size * sizeof(double));
  hml_dealloc(p->context, m, sizeof *m);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

static hml_status create(const hml_problem *p, void **state) {
  const hml_discrete *d = p->ode->discrete;
  if (!d) return hml_fail(p->context, HML_UNSUPPORTED, "the method dla needs a discrete Lagrangian: it runs systems by S:simulate{ method = \"dla\", step = ... }");
  mapper *m = hml_alloc(p->context, sizeof *m);
  if (!m) return HML_MEMORY;
  size_t work = larger(hml_program_work_size(d->residual), larger(hml_program_work_size(d->update), hml_program_work_size(d->guess)));
  size_t outputs = larger(d->nz * (1 + d->nz), d->n);
  *m = (mapper){.problem = p, .map = d, .size = d->inputs + outputs + work + 2 * d->nz + 1};
  m->block = hml_alloc(p->context, m->size * sizeof(double));
  m->jacobian = gsl_matrix_alloc(d->nz, d->nz);
  m->order = gsl_permutation_alloc(d->nz);
  m->side = gsl_vector_alloc(d->nz);
  if (!m->block || !m->jacobian || !m->order || !m->side) {
    destroy(p, m);
    return hml_fail(p->context, HML_MEMORY, "not enough memory for a discrete map with %zu unknowns", d->nz);
  }
  m->in = m->block;
  m->out = m->in + d->inputs;
  m->work = m->out + outputs;
  m->noise = m->work + work;
  if (d->n_parameters) memcpy(m->in + 2 + d->n, d->parameters, d->n_parameters * sizeof(double));
  *state = m;
  return HML_OK;
}

// What rounding of the unknowns leaves of the residual, sent through the factors: differences of nearly equal positions over a short step
// make velocities and impulses uncertain by much more than their last place. Any two rows have different signs once, so that they cannot
// cancel each other always
static void rounding(mapper *m, const double *size, double *noise) {
  const hml_discrete *d = m->map;
  for (size_t bit = 1; bit < 2 * d->nz; bit *= 2) {
    for (size_t i = 0; i < d->nz; i++) gsl_vector_set(m->side, i, i & bit ? -size[i] : size[i]);
    gsl_linalg_LU_svx(m->jacobian, m->order, m->side);
    for (size_t i = 0; i < d->nz; i++) noise[i] = fmax(noise[i], fabs(gsl_vector_get(m->side, i)));
  }
}

// One correction; its size in units of the rounding errors of the unknowns. NaN: the Jacobian is singular or a value is not finite
static double correct(mapper *m) {
  const hml_discrete *d = m->map;
  double *z = m->in + d->first_unknown, *size = m->noise, *noise = size + d->nz, change = 0;
  int sign;
  hml_program_eval(d->residual, m->in, m->out, m->work);
  m->problem->outcome->evaluations++;
  for (size_t i = 0; i < d->nz * (1 + d->nz); i++)
    if (!isfinite(m->out[i])) return NAN;
  for (size_t i = 0; i < d->nz; i++) {
    const double *row = m->out + d->nz + i * d->nz;
    size[i] = 0;
    for (size_t j = 0; j < d->nz; j++) {
      gsl_matrix_set(m->jacobian, i, j, row[j]);
      size[i] += DBL_EPSILON * fabs(row[j] * z[j]);
    }
    noise[i] = DBL_EPSILON * (1 + fabs(z[i]));
  }
  gsl_linalg_LU_decomp(m->jacobian, m->order, &sign);
  for (size_t i = 0; i < d->nz; i++)
    if (gsl_matrix_get(m->jacobian, i, i) == 0) return NAN;
  rounding(m, size, noise);
  for (size_t i = 0; i < d->nz; i++) gsl_vector_set(m->side, i, m->out[i]);
  gsl_linalg_LU_svx(m->jacobian, m->order, m->side);
  for (size_t i = 0; i < d->nz; i++) {
    double step = gsl_vector_get(m->side, i);
    z[i] -= step;
    change = fmax(change, fabs(step) / noise[i]);
    if (!isfinite(step)) return NAN;
  }
  return isfinite(change) ? change : NAN;
}

static hml_status attempt(void *state, hml_step *s) {
  mapper *m = state;
  const hml_discrete *d = m->map;
  const hml_problem *p = m->problem;
  HML_TRY(hml_check_interrupt(p->context));
  m->in[0] = s->t;
  m->in[1] = s->h;
  memcpy(m->in + 2, s->y, d->n * sizeof(double));
  hml_program_eval(d->guess, m->in, m->in + d->first_unknown, m->work);
  double before = INFINITY, change = INFINITY;
  int k = 0;
  for (; k < ITERATIONS; k++) {
    change = correct(m);
    if (isnan(change)) return hml_fail(p->context, HML_STEP_COLLAPSED, "the equations of a step of %.6g are singular; take a smaller step", s->h);
    // down to rounding: no longer smaller, and small
    if (change <= 2 || (change <= 1e4 && change >= 0.5 * before)) break;
    before = change;
  }
  if (k == ITERATIONS)
    return hml_fail(p->context, HML_STEP_COLLAPSED, "a step of %.6g did not converge in %d iterations (last change %.2g times the rounding error); take a smaller step",
                    s->h, ITERATIONS, change);
  hml_program_eval(d->update, m->in, m->out, m->work);
  memcpy(s->y1, m->out, d->n * sizeof(double));
  if (p->n > d->n) {
    // quadratures by the trapezoidal rule, of the order of the map
    memcpy(s->y1 + d->n, s->y + d->n, (p->n - d->n) * sizeof(double));
    HML_TRY(hml_problem__finite_rhs(p, s->t1, s->y1, s->f1));
    for (size_t i = d->n; i < p->n; i++) s->y1[i] = s->y[i] + s->h / 2 * (s->f[i] + s->f1[i]);
  }
  s->error = 0;
  return HML_OK;
}

static hml_status dense(void *state, const hml_step *s, double *pieces) {
  hml_dense__hermite(((mapper *)state)->problem->n, s, pieces);
  return HML_OK;
}

const hml_stepper hml_stepper_dla = {.name = "dla", .title = "discrete Lagrange-d'Alembert, order 2, reversible, steps of one size", .order = 2, .pieces = 3,
                                     .fixed = true, .by_formula = true, .create = create, .destroy = destroy, .attempt = attempt, .dense = dense};
