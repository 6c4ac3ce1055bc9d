// model_run.c: a mechanical model as an initial value problem; run.c integrates it.
#include "integrate/compared.h"
#include "integrate/corner.h"
#include "integrate/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

static hml_status series(void *payload, unsigned order, bool weighted, const hml_program **out) {
  return hml_workspace__series(payload, order, weighted, out);
}

hml_formula hml_model_run__formula(hml_workspace *w) {
  const hml_model *m = hml_workspace__model(w);
  hml_formula f = {.program = hml_model__externals(m) ? NULL : hml_model__lean_rate(m), .states = hml_model_controlled_size(m),
                   .payload = w, .series = series};
  f.watched = f.program ? hml_model__watched(m, &f.watches_rates) : NULL;
  f.constants = hml_workspace__inputs(w) + 1 + f.states;
  return f;
}

hml_ode hml_model_run__ode(hml_workspace *w) {
  const hml_model *m = hml_workspace__model(w);
  return (hml_ode){
      .n = hml_model_state_size(m),
      .n_controlled = hml_model_controlled_size(m),
      .payload = w,
      .rhs = rhs,
      .jacobian = hml_model__externals(m) == 0 ? jacobian : NULL,   // the exact one does not include the derivatives of externals
      .project = project,
      .mends_errors = true,
      .name = name,
      .watched = w,
      .forces = w,
  };
}

static hml_status run_on(hml_workspace *w, const hml_guards *guards, const hml_run_options *options, double t0, double t1, const double *x,
                         hml_trajectory **out, hml_outcome *outcome) {
  hml_formula formula = hml_model_run__formula(w);
  hml_ode ode = hml_model_run__ode(w);
  ode.guards = guards;
  if (formula.program) ode.formula = &formula;
  return hml_integrate(hml_workspace__context(w), &ode, options, t0, t1, x, out, outcome);
}

// ---- with corners as the only guards

static hml_status corner_values(void *payload, double t, const double *y, double *out) {
  return hml_corners__values(payload, t, y, out);
}

static hml_status at_corners(void *payload, double t, double *y, const bool *fired, size_t point) {
  (void)point;
  return hml_corners__react(payload, t, y, fired);
}

static hml_status end_of_tables(void *payload, double t, const double *y, const double *f, double *most, size_t *fires, bool *changed) {
  (void)y, (void)f;
  *most = INFINITY;
  *fires = SIZE_MAX;
  *changed = false;
  return hml_corners__check_end(payload, t);
}

static hml_status touches_corners(void *payload, const hml_problem *p, const hml_step *s, const double *piece, double until, double *at) {
  return hml_corners__grazes(payload, p, s, piece, until, at);
}

// The start alone, with the reason why nothing follows
static hml_status stay(hml_workspace *w, const hml_run_options *options, double t0, const double *x, hml_trajectory **out, hml_outcome *outcome) {
  const hml_error why = *hml_context_error(hml_workspace__context(w));
  HML_TRY(hml_forgiven(hml_workspace__context(w)));
  HML_TRY(run_on(w, NULL, options, t0, t0, x, out, outcome));
  outcome->status = why.status;
  hml_stopped(outcome->message, sizeof outcome->message, t0, why.message);
  return HML_OK;
}

static hml_status run_with(hml_workspace *w, hml_corners *corners, const hml_run_options *options, double t0, double t1, const double *x,
                           hml_trajectory **out, hml_outcome *outcome) {
  static const bool seamless = true;
  const size_t n = hml_corners__count(corners), size = n * (sizeof(hml_guard_formula *) + 2 + sizeof(bool));
  hml_context *c = hml_workspace__context(w);
  const hml_guard_formula **formula = hml_alloc(c, size);
  if (!formula) return HML_MEMORY;
  signed char *direction = (signed char *)(formula + n), *side = direction + n;
  bool *passive = (bool *)(side + n);
  memset(passive, 0, n * sizeof *passive);
  const hml_guards guards = {.n = n, .payload = corners, .direction = direction, .side = side, .passive = passive, .formula = formula,
                             .values = corner_values, .react = at_corners, .cap = end_of_tables, .grazes = touches_corners, .seamless = &seamless};
  hml_context_clear_error(c);
  hml_status status = hml_corners__begin(corners, &(hml_corner_run){t0, t1, options, w, rhs}, (hml_corner_lists){direction, side, formula}, x);
  if (status == HML_OK) status = run_on(w, &guards, options, t0, t1, x, out, outcome);
  else if (hml_problem__recoverable(status) || status == HML_SINGULAR) status = stay(w, options, t0, x, out, outcome);
  hml_corners__end(corners);
  hml_dealloc(c, formula, size);
  return status;
}

static hml_status run_once(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x, hml_trajectory **out,
                           hml_outcome *outcome) {
  hml_corners *corners;
  *out = NULL;
  HML_TRY(hml_corners__open(w, &corners));
  hml_status status = corners ? run_with(w, corners, options, t0, t1, x, out, outcome) : run_on(w, NULL, options, t0, t1, x, out, outcome);
  hml_corners__close(corners);
  return status;
}

static hml_status again(void *payload, const hml_run_options *options, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome) {
  return run_once(payload, options, t0, t1, x, out, outcome);
}

static void judge(hml_workspace *w, const hml_run_options *options, const hml_trajectory *run, hml_outcome *outcome) {
  const hml_compared c = {.context = hml_workspace__context(w), .sizes = hml_model__sizes(hml_workspace__model(w)), .options = options, .again = again, .payload = w};
  hml_compared__judge(&c, run, outcome);
}

hml_status hml_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x,
                   hml_trajectory **out, hml_outcome *outcome) {
  const hml_run_options usual = hml_run_options_default(), *o = options ? options : &usual;
  HML_TRY(run_once(w, o, t0, t1, x, out, outcome));
  judge(w, o, *out, outcome);
  return HML_OK;
}

hml_status hml_discrete_run(hml_workspace *w, const hml_discrete *d, const hml_run_options *options, double t0, double t1, const double *x,
                            hml_trajectory **out, hml_outcome *outcome) {
  const hml_model *m = hml_workspace__model(w);
  hml_run_options o = options ? *options : hml_run_options_default();
  o.method = "dla";
  hml_ode ode = {.n = hml_model_state_size(m), .n_controlled = hml_model_controlled_size(m), .payload = w, .rhs = rhs, .name = name, .watched = w, .forces = w,
                 .discrete = d};
  HML_TRY(hml_integrate(hml_workspace__context(w), &ode, &o, t0, t1, x, out, outcome));
  judge(w, &o, *out, outcome);
  return HML_OK;
}

// ---- with directions carried along: the state is (x without the work, directions, work)

typedef struct carried {
  hml_workspace *w;
  size_t n, count, work;               // controlled size of x; directions; 1 where x has the work
  double *x, *f;                       // in the order of the model: n + work
} carried;

static void to_model(const carried *v, const double *y) {
  memcpy(v->x, y, v->n * sizeof *y);
  if (v->work) v->x[v->n] = y[v->n * (1 + v->count)];
}

static hml_status carried_rhs(void *payload, double t, const double *y, double *f) {
  const carried *v = payload;
  to_model(v, y);
  HML_TRY(hml_workspace__variation(v->w, t, v->x, v->count, y + v->n, v->f, f + v->n));
  memcpy(f, v->f, v->n * sizeof *f);
  if (v->work) f[v->n * (1 + v->count)] = v->f[v->n];
  return HML_OK;
}

static hml_status carried_project(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  const carried *v = payload;
  to_model(v, y);
  HML_TRY(hml_project(v->w, t, rtol, atol, v->x, moved));
  memcpy(y, v->x, v->n * sizeof *y);
  return HML_OK;
}

static const char *carried_name(void *payload, size_t i) {
  const carried *v = payload;
  return i < v->n ? hml_model__state_name(hml_workspace__model(v->w), i) : i < v->n * (1 + v->count) ? "a direction" : "work";
}

// The state of the trajectory: x without the work, the directions (count x controlled size), the work where the model has it
hml_status hml_variational__run(hml_workspace *w, const hml_run_options *options, const double *units, double t0, double t1, const double *x, size_t count,
                                const double *directions, hml_trajectory **out, hml_outcome *outcome) {
  const hml_model *m = hml_workspace__model(w);
  hml_context *c = hml_workspace__context(w);
  carried v = {.w = w, .n = hml_model_controlled_size(m), .count = count, .work = hml_model_state_size(m) - hml_model_controlled_size(m)};
  size_t size = v.n * (1 + count) + v.work, doubles = 2 * (v.n + 1) + 2 * size;
  double *block = hml_alloc(c, doubles * sizeof *block), *y = block + 2 * (v.n + 1), *all = y + size;
  *out = NULL;
  if (!block) return HML_MEMORY;
  v.x = block;
  v.f = block + v.n + 1;
  memcpy(y, x, v.n * sizeof *y);
  if (count) memcpy(y + v.n, directions, count * v.n * sizeof *y);
  if (v.work) y[size - 1] = x[v.n];
  for (size_t i = 0; units && i < size; i++) all[i] = i < v.n * (1 + count) ? units[i % v.n] : 1;
  hml_ode ode = {.n = size, .n_controlled = v.n * (1 + count), .units = units ? all : NULL, .payload = &v, .rhs = carried_rhs, .project = carried_project, .mends_errors = true, .name = carried_name, .watched = w,
                 .forces = w};
  hml_status status = hml_integrate(c, &ode, options, t0, t1, y, out, outcome);
  hml_dealloc(c, block, doubles * sizeof *block);
  return status;
}

hml_status hml_variational_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x, size_t count,
                               const double *directions, hml_trajectory **out, hml_outcome *outcome) {
  return hml_variational__run(w, options, NULL, t0, t1, x, count, directions, out, outcome);
}
