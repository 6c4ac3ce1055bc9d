// fit.c: nonlinear least squares by the trust region method of Levenberg and Marquardt (GSL), derivatives by central differences.
#include "numeric/fit.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit_nlinear.h>

typedef struct caller {
  const hml_fit *fit;
  hml_status status;
} caller;

static int residuals(const gsl_vector *x, void *payload, gsl_vector *f) {
  caller *c = payload;
  double *at = c->fit->x + c->fit->n;  // a copy without strides
  if (c->status != HML_OK) return GSL_EBADFUNC;
  for (size_t i = 0; i < c->fit->n; i++) at[i] = gsl_vector_get(x, i);
  c->status = c->fit->residuals(c->fit->payload, at, c->fit->r);
  for (size_t i = 0; i < c->fit->m; i++) gsl_vector_set(f, i, c->fit->r[i]);
  return c->status == HML_OK ? GSL_SUCCESS : GSL_EBADFUNC;
}

static hml_status work(hml_context *c, hml_fit *fit, gsl_multifit_nlinear_workspace *w, gsl_multifit_nlinear_fdf *fdf, caller *call) {
  const gsl_vector_const_view start = gsl_vector_const_view_array(fit->x, fit->n);
  int info = 0, status = gsl_multifit_nlinear_init(&start.vector, fdf, w);
  if (call->status != HML_OK) return call->status;
  if (status != GSL_SUCCESS) return hml_fail(c, HML_NOT_FINITE, "fit: the residuals at the guess: %s", gsl_strerror(status));
  gsl_multifit_nlinear_driver(fit->most, fit->step_tolerance, 1e-15, 0, NULL, NULL, &info, w);
  if (call->status != HML_OK) return call->status;
  fit->iterations = gsl_multifit_nlinear_niter(w);
  const gsl_matrix *j = gsl_multifit_nlinear_jac(w);
  for (size_t i = 0; i < fit->n; i++) fit->x[i] = gsl_vector_get(gsl_multifit_nlinear_position(w), i);
  for (size_t i = 0; i < fit->m; i++) fit->r[i] = gsl_vector_get(gsl_multifit_nlinear_residual(w), i);
  for (size_t i = 0; i < fit->m * fit->n; i++) fit->jacobian[i] = gsl_matrix_get(j, i / fit->n, i % fit->n);
  return HML_OK;
}

hml_status hml_fit__solve(hml_context *c, hml_fit *fit) {
  caller call = {.fit = fit, .status = HML_OK};
  gsl_multifit_nlinear_fdf fdf = {.f = residuals, .n = fit->m, .p = fit->n, .params = &call};
  gsl_multifit_nlinear_parameters parameters = gsl_multifit_nlinear_default_parameters();
  parameters.fdtype = GSL_MULTIFIT_NLINEAR_CTRDIFF;
  parameters.h_df = fit->difference;
  gsl_multifit_nlinear_workspace *w = gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &parameters, fit->m, fit->n);
  if (!w) return hml_fail(c, HML_MEMORY, "fit: not enough memory for %zu residuals", fit->m);
  hml_status status = work(c, fit, w, &fdf, &call);
  gsl_multifit_nlinear_free(w);
  return status;
}
