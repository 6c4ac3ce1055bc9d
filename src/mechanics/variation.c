// variation.c: the variational equations delta x' = (df/dx) delta x, integrated together with the equations of motion.
// With the linear solve inside the program of x' its tangent program gives (df/dx) delta x at about twice the cost of x'; elsewhere the
// exact Jacobian is multiplied.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

static hml_status build(hml_workspace *w) {
  const hml_model *m = w->model;
  return hml_tangent__open(w, &w->variation, hml_model__lean_rate(m), 1, m->n_kin + m->n_dyn, hml_program__is_native(m->rate));
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
  const size_t n = m->n_kin + m->n_dyn, before = w->handed_over;
  HML_TRY(hml_workspace__rate(w, t, x, f));
  // where a pivot is too small for x', its derivative is worse
  if (!m->rate || m->n_externals || w->handed_over != before) return by_jacobian(w, count, directions, rates);
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
