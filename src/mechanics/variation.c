// variation.c: derivatives of x' by the tangent of its program: the variational equations delta x' = (df/dx) delta x, integrated together with the
// equations of motion, at about twice the cost of x' a direction, and the Jacobian of x' by the graph. Where x' is no program the exact Jacobian of
// stages.c is multiplied.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

static hml_status build(hml_workspace *w) {
  const hml_model *m = w->model;
  return hml_tangent__open(w, &w->variation, hml_model__lean_rate(m), 1, m->n_kin + m->n_dyn, hml_program__is_native(hml_rate__evaluated(m)));
}

// ---- the Jacobian of x' by the graph: the tangent of x' along t and each state, n columns of O(n) operations

static hml_status open_columns(hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t size = hml_model_state_size(m);
  size_t *rates = hml_alloc(w->context, size * sizeof *rates);
  if (!rates) return HML_MEMORY;
  for (size_t i = 0; i < size; i++) rates[i] = i;                          // its pivots have no part in the derivatives
  hml_program *rate = NULL;
  hml_status status = hml_program__part(w->context, hml_model__lean_rate(m), size, rates, &rate);
  hml_dealloc(w->context, rates, size * sizeof *rates);
  if (status == HML_OK) status = hml_tangent__open(w, &w->columns, rate, 0, 1 + m->n_kin + m->n_dyn, hml_program__is_native(hml_rate__evaluated(m)));
  hml_program_free(rate);
  return status;
}

// Column along input i (0: t), written with a stride; false: not finite
static bool take_column(hml_workspace *w, size_t i, size_t stride, double *column) {
  const size_t inputs = hml_program_inputs(hml_model__lean_rate(w->model)), size = hml_model_state_size(w->model);
  hml_tangent *g = &w->columns;
  g->in[inputs + i] = 1;
  hml_program_eval(g->program, g->in, g->out, g->work);
  g->in[inputs + i] = 0;
  for (size_t j = 0; j < size; j++) column[j * stride] = g->out[size + j];
  return hml_dense__finite(size, g->out + size);
}

hml_status hml_variation__columns(hml_workspace *w, double *dfdx, double *dfdt, bool *done) {
  const hml_model *m = w->model;
  const size_t n = m->n_kin + m->n_dyn, size = hml_model_state_size(m), inputs = hml_program_inputs(hml_model__lean_rate(m));
  HML_TRY(hml_stage__rate(w, done));
  if (!*done) return HML_OK;
  if (!w->columns.program) HML_TRY(open_columns(w));
  memcpy(w->columns.in, w->in, inputs * sizeof(double));
  memset(w->columns.in + inputs, 0, (1 + n) * sizeof(double));
  if (dfdt) *done = take_column(w, 0, 1, dfdt);
  for (size_t i = 0; dfdx && *done && i < n; i++) *done = take_column(w, 1 + i, size, dfdx + i);
  for (size_t j = 0; dfdx && m->has_work && j < size; j++) dfdx[j * size + size - 1] = 0;   // nothing depends on the work done
  return HML_OK;
}

static hml_status by_jacobian(hml_workspace *w, size_t count, const double *directions, double *rates) {
  const hml_model *m = w->model;
  size_t n = m->n_kin + m->n_dyn, size = hml_model_state_size(m);
  double *jacobian = hml_alloc(w->context, size * size * sizeof *jacobian);
  if (!jacobian) return HML_MEMORY;
  hml_status status = hml_state_jacobian(w, jacobian, NULL);
  for (size_t k = 0; status == HML_OK && k < count; k++)
    for (size_t i = 0; i < n; i++) rates[k * n + i] = hml_dense__dot(n, jacobian + i * size, directions + k * n);
  hml_dealloc(w->context, jacobian, size * size * sizeof *jacobian);
  return status;
}

// f: x' at (t, x) (state size); rates of `count` directions (count x controlled size)       fails: HML_UNSUPPORTED with externals
hml_status hml_workspace__variation(hml_workspace *w, double t, const double *x, size_t count, const double *directions, double *f,
                                    double *rates) {
  const hml_model *m = w->model;
  hml_tangent *g = &w->variation;
  const size_t n = m->n_kin + m->n_dyn, before = w->handed_over + w->reordered;
  HML_TRY(hml_workspace__rate(w, t, x, f));
  // where a pivot is too small for x', its derivative is worse
  if (!m->rate || m->n_externals || w->handed_over + w->reordered != before) return by_jacobian(w, count, directions, rates);
  if (!g->program) HML_TRY(build(w));
  size_t inputs = hml_program_inputs(hml_model__lean_rate(m)), outputs = hml_program_outputs(hml_model__lean_rate(m));
  memcpy(g->in, w->in, inputs * sizeof(double));
  for (size_t k = 0; k < count; k++) {
    memcpy(g->in + inputs, directions + k * n, n * sizeof(double));
    hml_program_eval(g->program, g->in, g->out, g->work);
    memcpy(rates + k * n, g->out + outputs, n * sizeof(double));
  }
  if (hml_dense__finite(count * n, rates)) return HML_OK;
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the variational equations are not finite", m->name, t);
}
