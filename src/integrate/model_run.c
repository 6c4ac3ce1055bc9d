// model_run.c: a mechanical model as an initial value problem. How problems are run is the business of run.c.
#include "integrate/integrate.h"

static hml_status rhs(void *payload, double t, const double *y, double *f) {
  return hml_workspace__rate(payload, t, y, f);
}

static hml_status jacobian(void *payload, double t, const double *y, double *dfdy, double *dfdt) {
  HML_TRY(hml_workspace_set_state(payload, t, y));
  return hml_state_jacobian(payload, dfdy, dfdt);
}

static hml_status project(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  return hml_project(payload, t, rtol, atol, y, moved);
}

static const char *name(void *payload, size_t i) {
  return hml_model__state_name(hml_workspace__model(payload), i);
}

static hml_status series(void *payload, unsigned order, const hml_program **out) {
  return hml_workspace__series(payload, order, out);
}

hml_formula hml_model_run__formula(hml_workspace *w) {
  const hml_model *m = hml_workspace__model(w);
  hml_formula f = {.program = hml_model__externals(m) ? NULL : hml_model__rate(m), .states = hml_model_controlled_size(m),
                   .payload = w, .series = series};
  f.constants = hml_workspace__inputs(w) + 1 + f.states;
  return f;
}

hml_status hml_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x,
                   hml_trajectory **out, hml_outcome *outcome) {
  const hml_model *m = hml_workspace__model(w);
  hml_formula formula = hml_model_run__formula(w);
  hml_ode ode = {
      .n = hml_model_state_size(m),
      .n_controlled = hml_model_controlled_size(m),
      .payload = w,
      .rhs = rhs,
      .jacobian = hml_model__externals(m) == 0 ? jacobian : NULL,   // the exact one knows nothing of what externals depend on
      .project = project,
      .name = name,
      .formula = formula.program ? &formula : NULL,
  };
  return hml_integrate(hml_workspace__context(w), &ode, options, t0, t1, x, out, outcome);
}
