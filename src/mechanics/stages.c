// stages.c: quantities that follow from a state (externals, dynamics, energies, residuals, accelerations), each computed once per state and
// only when it is needed; and the exact Jacobian of the right-hand side. The linear solve itself is in multiplier.c.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

static bool set_fixed(hml_workspace *w, const hml_hoisted *h) {
  if (!h->lean) return true;
  hml_program_eval(h->fixed, w->in, w->fixed, w->work);
  memcpy(w->in + h->place, w->fixed, h->count * sizeof *w->fixed);
  bool positive = true;
  for (size_t i = 0; i < h->fixed_margins; i++) positive &= w->fixed[h->count + i] > 0;
  return positive;
}

void hml_stage__set(hml_workspace *w) {
  w->regular = set_fixed(w, &w->model->fast_rate);
  w->regular &= set_fixed(w, &w->model->fast_guard);
  w->guard_due = true;
  w->surroundings = HML_SURROUNDED;
  hml_drift__forget(w);
  w->regular &= set_fixed(w, &w->model->fast_source);
  hml_stage__moved(w);
}

static hml_status need_state(hml_workspace *w) {
  return w->has_state ? HML_OK : hml_fail(w->context, HML_ARGUMENT, "model '%s': no state was set", w->model->name);
}

// The first line of the program that is not finite, in words
static hml_status trace_in(hml_workspace *w, const hml_program *p, double *work) {
  char what[600] = "";
  if (!hml_program_trace(p, w->in, work, what, sizeof what)) memcpy(what, "a result", sizeof "a result");
  hml_branch__put_names(w->model, sizeof what, what);
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: not finite: %s", w->model->name, w->in[0], what);
}

static hml_status trace(hml_workspace *w, const hml_program *p) {
  return trace_in(w, p, w->work);
}

static hml_status evaluate_in(hml_workspace *w, const hml_program *p, double *out, double *work) {
  hml_program_eval(p, w->in, out, work);
  return hml_dense__finite(hml_program_outputs(p), out) ? HML_OK : trace_in(w, p, work);
}

static hml_status evaluate(hml_workspace *w, const hml_program *p, double *out) {
  return evaluate_in(w, p, out, w->work);
}

// ---- externals: from the force callback, once per state
static hml_status externals_stage(hml_workspace *w) {
  const hml_model *m = w->model;
  if (w->valid.externals || !m->n_externals) return HML_OK;
  size_t controlled = m->n_kin + m->n_dyn;
  double *out = w->in + 1 + controlled + m->n_parameters;
  if (!w->force)
    return hml_fail(w->context, HML_ARGUMENT, "model '%s': no force function gives '%s'", m->name, m->external_names[0]);
  if (controlled) memcpy(w->force_state, w->in + 1, controlled * sizeof(double));
  w->force_state[controlled] = w->work_done;
  hml_status status = w->force(w->payload, w->in[0], w->force_state, out);
  if (status != HML_OK)
    return hml_fail(w->context, status, "model '%s' at t = %.10g: the force function failed", m->name, w->in[0]);
  for (size_t i = 0; i < m->n_externals; i++)
    if (!isfinite(out[i]))
      return hml_fail(w->context, HML_NOT_FINITE, "the force function gave %g for '%s' at t = %.10g", out[i], m->external_names[i],
                      w->in[0]);
  w->valid.externals = true;
  return HML_OK;
}

hml_status hml_stage__inputs(hml_workspace *w) {
  HML_TRY(need_state(w));
  return externals_stage(w);
}

// ---- everything the equations of motion are made of
hml_status hml_stage__dynamics(hml_workspace *w) {
  if (w->valid.dynamics) return HML_OK;
  HML_TRY(hml_stage__inputs(w));
  HML_TRY(hml_equations__need(w));
  if (!hml_coupling__begin(w)) HML_TRY(evaluate_in(w, w->equations, w->dynamics, w->equations_work));
  w->valid.dynamics = true;
  return HML_OK;
}

hml_status hml_workspace__has_value(hml_workspace *w) {
  char what[600];
  HML_TRY(hml_stage__inputs(w));
  const hml_program *p = w->model->energies;
  if (w->model->equations) {           // they have values wherever the energies have
    hml_program_eval(p, w->in, w->energy_terms, w->work);
    if (!hml_dense__finite(hml_program_outputs(p), w->energy_terms)) return trace(w, p);
  } else {
    HML_TRY(hml_stage__dynamics(w));
    p = w->equations;
  }
  if (!hml_program__pole(p, w->in, w->work, what, sizeof what)) return HML_OK;
  hml_branch__put_names(w->model, sizeof what, what);
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s': an expression has no value at the start, t = %.10g: %s", w->model->name, w->in[0], what);
}

// x' by the program that has the linear solve in it. Where it does not hold (a pivot too small, something not finite) the other stages
// find the solution or report the failure.
hml_status hml_stage__rate(hml_workspace *w, bool *holds) {
  const hml_model *m = w->model;
  HML_TRY(hml_stage__inputs(w));
  hml_program_eval(m->running, w->in, w->rate, w->work);
  size_t n = hml_model_state_size(m);
  *holds = w->regular && hml_dense__finite(n, w->rate);
  if (m->running_guard) *holds &= hml_guard__holds(w, w->rate + n);
  else for (size_t i = 0; i < m->running_margins; i++) *holds &= w->rate[n + i] > 0;
  return HML_OK;
}

hml_status hml_stage__by_graph(hml_workspace *w, const double **solution) {
  const hml_model *m = w->model;
  *solution = NULL;
  if (!m->solution || w->valid.solution) return HML_OK;
  HML_TRY(hml_stage__inputs(w));
  const size_t first = m->at_solution, n = hml_model_state_size(m), margins = m->reactions ? m->n_dyn + m->n_multipliers : n;
  if (!w->valid.graph) hml_program_eval(m->solution, w->in, w->solution, w->work);
  w->valid.graph = true;
  for (size_t i = margins; i < hml_program_outputs(m->solution); i++)
    if (!(w->solution[i] > 0)) return HML_OK;
  if (hml_dense__finite(margins, w->solution)) *solution = w->solution + first;
  return HML_OK;
}

hml_status hml_stage__observe(hml_workspace *w) {
  if (w->valid.observed) return HML_OK;
  HML_TRY(hml_stage__inputs(w));
  HML_TRY(evaluate(w, w->model->observe, w->observed));
  w->valid.observed = true;
  return HML_OK;
}

hml_status hml_stage__solution(hml_workspace *w) {
  if (w->valid.solution) return HML_OK;
  HML_TRY(hml_stage__dynamics(w));
  HML_TRY(hml_multiplier__solve(w));
  if (w->model->coupling) HML_TRY(hml_coupling__solve(w));
  if (w->model->refined) HML_TRY(hml_refine__solve(w));
  w->valid.solution = true;
  return HML_OK;
}

// ---- constraints on one level
hml_level hml_level__of(hml_workspace *w, int which) {
  const hml_model *m = w->model;
  hml_level l;
  if (which == HML_POSITION_LEVEL)
    l = (hml_level){.rows = m->n_positions, .columns = m->n_kin, .row_names = m->position_names, .variable_names = m->state_names,
                    .variables = w->in + 1, .program = m->positions, .valid = &w->valid.positions, .out = w->positions};
  else
    l = (hml_level){.rows = m->n_velocities, .columns = m->n_dyn, .row_names = m->velocity_names,
                    .variable_names = m->state_names + m->n_kin, .variables = w->in + 1 + m->n_kin, .program = m->velocities,
                    .valid = &w->valid.velocities, .out = w->velocities};
  l.residual = l.out;
  l.jacobian = l.out + l.rows;
  return l;
}

bool hml_level__finite(hml_workspace *w, const hml_level *level) {
  if (*level->valid || !level->rows) return true;
  hml_program_eval(level->program, w->in, level->out, w->work);
  return *level->valid = hml_dense__finite(level->rows * (1 + level->columns), level->out);
}

hml_status hml_stage__level(hml_workspace *w, const hml_level *level) {
  HML_TRY(need_state(w));
  return hml_level__finite(w, level) ? HML_OK : trace(w, level->program);
}

// A large variable that the row does not contain must not loosen it
double hml_level__size(const hml_level *level, const double *row) {
  double sum = 0;
  for (size_t i = 0; i < level->columns; i++)
    if (row[i] != 0) sum += level->variables[i] * level->variables[i];
  return sqrt(sum);
}

double hml_level__excess(const hml_level *level, double rtol, double atol, size_t *which) {
  double largest = 0;
  *which = 0;
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    double residual = fabs(level->residual[k]);
    if (residual == 0) continue;
    double excess = residual / (hml_dense__norm(level->columns, row) * (atol + rtol * hml_level__size(level, row)));
    if (!(excess <= largest)) {
      largest = excess;
      *which = k;
    }
  }
  return largest;
}

// ---- exact Jacobian. From M a = r + A^T lambda, A a + b = 0 along a direction of (t, x):
//      M da = (dr - dM a + dA^T lambda) + A^T dlambda,   A da + (db + dA a) = 0:  the same factors, another right-hand side.
hml_status hml_stage__open_tangent(hml_workspace *w) {
  const hml_model *m = w->model;
  return w->tangent.program ? HML_OK : hml_tangent__open(w, &w->tangent, w->equations, 0, 1 + m->n_kin + m->n_dyn, false);
}

// r' = dr - dM a + dA^T lambda, b' = db + dA a; d holds the tangents of the outputs of dynamics
static void tangent_sides(const hml_workspace *w, const double *d, double *r, double *b) {
  const hml_model *m = w->model;
  size_t n = m->n_dyn;
  const double *dmass = d + m->at_mass, *drows = d + m->at_rows;
  for (size_t i = 0; i < n; i++) r[i] = d[m->at_r + i];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) {
      double dm = dmass[hml_dense__packed(i, j)];
      r[i] -= dm * w->a[j];
      if (j < i) r[j] -= dm * w->a[i];
    }
  for (size_t k = 0; k < m->n_multipliers; k++) {
    b[k] = d[m->at_b + k] + hml_dense__dot(n, drows + k * n, w->a);
    for (size_t i = 0; i < n; i++) r[i] += drows[k * n + i] * w->lambda[k];
  }
}

// The derivative along input i of dynamics is not finite: its first operation that is not. The program has its inputs still.
static hml_status tell_derivative(hml_workspace *w, size_t i) {
  const hml_model *m = w->model;
  char what[300];
  bool known = hml_program_trace(w->tangent.program, w->tangent.in, w->tangent.work, what, sizeof what);
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the derivative of the equations by %s is not finite%s%s",
                  m->name, w->in[0], i ? m->state_names[i - 1] : "t", known ? ": " : "", known ? what : "");
}

// Column of the Jacobian along input i of dynamics (0: t), written with a stride
static hml_status tangent_column(hml_workspace *w, size_t i, size_t stride, double *column) {
  const hml_model *m = w->model;
  hml_tangent *g = &w->tangent;
  size_t inputs = hml_program_inputs(w->equations), outputs = hml_program_outputs(w->equations);
  size_t n = m->n_dyn, large = m->n_multipliers > n ? m->n_multipliers : n;
  double *seeds = g->in + inputs, *d = g->out + outputs;
  double *r = w->scratch, *b = r + large, *da = b + large, *dlambda = da + large;
  memset(seeds, 0, (1 + m->n_kin + n) * sizeof *seeds);
  seeds[i] = 1;
  hml_program_eval(g->program, g->in, g->out, g->work);
  if (!hml_dense__finite(outputs, d)) return tell_derivative(w, i);
  if (m->refined) HML_TRY(hml_refine__tangent(w, da, dlambda, NULL));
  else {
    tangent_sides(w, d, r, b);
    hml_coupling__resolve(w, r, b, da, dlambda);
  }
  for (size_t j = 0; j < m->n_kin; j++) column[j * stride] = d[j];
  for (size_t j = 0; j < n; j++) column[(m->n_kin + j) * stride] = da[j];
  if (!m->has_work) return HML_OK;
  double power = m->has_power ? d[m->at_power] : 0;
  for (size_t k = 0; m->has_multiplier_power && k < m->n_multipliers; k++)
    power += dlambda[k] * w->dynamics[m->at_multiplier_power + k] + w->lambda[k] * d[m->at_multiplier_power + k];
  column[(m->n_kin + n) * stride] = power;
  return HML_OK;
}

// dfdx or dfdt may be NULL            fails: HML_UNSUPPORTED with externals, whose derivatives are not known
hml_status hml_state_jacobian(hml_workspace *w, double *dfdx, double *dfdt) {
  const hml_model *m = w->model;
  if (m->n_externals)
    return hml_fail(w->context, HML_UNSUPPORTED, "model '%s': no exact Jacobian, since '%s' comes from outside", m->name,
                    m->external_names[0]);
  bool done = false;
  if (m->by_graph) HML_TRY(hml_variation__columns(w, dfdx, dfdt, &done));
  if (done) return HML_OK;
  HML_TRY(hml_stage__solution(w));
  HML_TRY(hml_stage__open_tangent(w));
  size_t size = hml_model_state_size(m);
  memcpy(w->tangent.in, w->in, hml_program_inputs(w->equations) * sizeof(double));
  if (dfdt) HML_TRY(tangent_column(w, 0, 1, dfdt));
  for (size_t i = 0; dfdx && i < m->n_kin + m->n_dyn; i++) HML_TRY(tangent_column(w, 1 + i, size, dfdx + i));
  // nothing depends on the work done
  for (size_t j = 0; dfdx && m->has_work && j < size; j++) dfdx[j * size + size - 1] = 0;
  return HML_OK;
}
