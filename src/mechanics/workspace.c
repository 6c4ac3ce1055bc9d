// workspace.c: the one block of a workspace, its inputs, and the getters that read stages. Stages are computed in stages.c.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

// ---- the block: each field starts at a multiple of 16 bytes
static size_t rounded(size_t bytes) {
  return (bytes + 15) / 16 * 16;
}

static size_t largest_of(size_t n, const size_t *sizes) {
  size_t largest = 0;
  for (size_t i = 0; i < n; i++) largest = sizes[i] > largest ? sizes[i] : largest;
  return largest;
}

// Lays the fields out; with a block the pointers are set. Returns the bytes needed.
static size_t lay_out(hml_workspace *w, const hml_model *m, char *block) {
  size_t controlled = m->n_kin + m->n_dyn, kkt = m->n_dyn + m->n_multipliers, at = 0;
  size_t large = largest_of(5, (size_t[]){m->n_kin, m->n_dyn, m->n_multipliers, m->n_positions, m->n_velocities});
  size_t fixed = largest_of(3, (size_t[]){m->fast_rate.count + m->fast_rate.fixed_margins, m->fast_source.count + m->fast_source.fixed_margins,
                                          m->fast_guard.count + m->fast_guard.fixed_margins});
  size_t work_size = 0;
  const hml_program *others[] = {m->dynamics, m->equations ? m->energies : NULL, m->inertia, m->coupling, m->rate, m->fast_rate.lean, m->fast_rate.fixed, m->fast_source.fixed, m->swift, m->guard, m->reactions, m->fast_guard.lean, m->fast_guard.fixed, m->observe, m->positions, m->velocities,
                                 m->correction[0], m->correction[1], m->residuals[0], m->residuals[1]};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++)
    if (others[i]) work_size = largest_of(2, (size_t[]){work_size, hml_program_work_size(others[i])});
#define FIELD(type, name, count)                       \
  if (block) w->name = (type *)(void *)(block + at);    \
  at += rounded((count) * sizeof(type));
  HML_WORKSPACE_FIELDS(FIELD)
#undef FIELD
  if (!block) return at;
  w->row_length[0] = w->position_length, w->row_size[0] = w->position_size;
  w->row_length[1] = w->velocity_length, w->row_size[1] = w->velocity_size;
  for (size_t k = 0; k < m->n_multipliers; k++) w->all_rows[k] = k;
  for (size_t i = 0; i < large; i++) {
    w->ones[i] = 1;
    w->from_diagonal[i] = i;
  }
  return at;
}

hml_status hml_workspace_new(hml_context *c, const hml_model *m, hml_workspace **out) {
  *out = NULL;
  hml_workspace *w = hml_alloc(c, sizeof *w);
  if (!w) return HML_MEMORY;
  w->context = c;
  w->model = m;
  w->block_size = lay_out(w, m, NULL);
  w->block = hml_alloc(c, w->block_size);
  if (!w->block) {
    hml_workspace_free(w);
    return HML_MEMORY;
  }
  lay_out(w, m, w->block);
  w->equations = m->dynamics;
  w->entry_margins = w->rate + m->n_kin + m->n_dyn + m->has_work;
  w->equations_work = w->work;
  if (m->n_parameters) memcpy(w->in + 1 + m->n_kin + m->n_dyn, m->parameter_values, m->n_parameters * sizeof(double));
  hml_stage__set(w);
  *out = w;
  return HML_OK;
}

static void close_tangent(hml_workspace *w, hml_tangent *g) {
  hml_program_free(g->program);
  hml_dealloc(w->context, g->block, g->size * sizeof *g->block);
  *g = (hml_tangent){.program = NULL};
}

static hml_status build_tangent(hml_context *c, const hml_program *of, size_t first, size_t count, hml_program **out) {
  size_t *which = hml_alloc(c, count * sizeof *which);
  if (!which) return HML_MEMORY;
  for (size_t i = 0; i < count; i++) which[i] = first + i;
  hml_status status = hml_program_tangent(c, of, count, which, out);
  hml_dealloc(c, which, count * sizeof *which);
  return status;
}

// Arrays for a program
hml_status hml_tangent__fill(hml_workspace *w, hml_tangent *g, bool native) {
  const hml_status status = native ? hml_program__compile(g->program) : HML_OK;
  if (status != HML_OK) return close_tangent(w, g), status;
  size_t inputs = hml_program_inputs(g->program), outputs = hml_program_outputs(g->program);
  g->size = inputs + outputs + hml_program_work_size(g->program);
  g->block = hml_alloc(w->context, g->size * sizeof *g->block);
  if (!g->block) return close_tangent(w, g), HML_MEMORY;
  g->in = g->block;
  g->out = g->in + inputs;
  g->work = g->out + outputs;
  return HML_OK;
}

hml_status hml_tangent__open(hml_workspace *w, hml_tangent *g, const hml_program *of, size_t first, size_t count, bool native) {
  HML_TRY(build_tangent(w->context, of, first, count, &g->program));
  return hml_tangent__fill(w, g, native);
}

void hml_workspace_free(hml_workspace *w) {
  if (!w) return;
  hml_orders__close(w);
  hml_refine__close(w);
  close_tangent(w, &w->tangent);
  close_tangent(w, &w->variation);
  close_tangent(w, &w->columns);
  close_tangent(w, &w->product);
  if (w->equations && w->model->equations) hml_dealloc(w->context, w->equations_work, hml_program_work_size(w->equations) * sizeof(double));
  hml_dealloc(w->context, w->block, w->block_size);
  hml_dealloc(w->context, w, sizeof *w);
}

hml_context *hml_workspace__context(const hml_workspace *w) {
  return w->context;
}

const hml_model *hml_workspace__model(const hml_workspace *w) {
  return w->model;
}

const double *hml_workspace__inputs(const hml_workspace *w) {
  return w->in;
}

size_t hml_workspace__handed_over(const hml_workspace *w) {
  return w->handed_over;
}

void hml_workspace__recount(hml_workspace *w, size_t handed_over, size_t reordered) {
  w->looked += w->handed_over - handed_over + w->reordered - reordered;
  w->handed_over = handed_over;
  w->reordered = reordered;
}

size_t hml_workspace__looked(const hml_workspace *w) {
  return w->looked;
}

bool hml_workspace__regular(const hml_workspace *w) {
  return w->regular;
}

// ---- inputs
void hml_workspace_set_force(hml_workspace *w, hml_force force, void *payload) {
  w->force = force;
  w->payload = payload;
  hml_stage__moved(w);
}

hml_status hml_workspace_set_parameters(hml_workspace *w, const double *values) {
  const hml_model *m = w->model;
  const size_t own = m->n_parameters - m->n_held;
  for (size_t i = 0; i < own; i++)
    if (!isfinite(values[i]))
      return hml_fail(w->context, HML_NOT_FINITE, "parameter '%s' is %g", m->parameter_names[i], values[i]);
  if (own) memcpy(w->in + 1 + m->n_kin + m->n_dyn, values, own * sizeof(double));
  w->coupling_unchecked = 0;
  hml_stage__set(w);
  return HML_OK;
}

static hml_status name_not_finite(hml_workspace *w, double t, const double *x) {
  const hml_model *m = w->model;
  if (!isfinite(t)) return hml_fail(w->context, HML_NOT_FINITE, "time is %g", t);
  const size_t controlled = m->n_kin + m->n_dyn;
  for (size_t i = 0; i < controlled; i++)
    if (!isfinite(x[i])) return hml_fail(w->context, HML_NOT_FINITE, "state %s%s%s is %g at t = %.10g", HML_QUOTED(m->state_names[i]), x[i], t);
  if (m->has_work && !isfinite(x[controlled]))
    return hml_fail(w->context, HML_NOT_FINITE,
      "the work done is %g at t = %.10g: it leaves the range of doubles where the states reach 1e154; end the run before that", x[controlled], t);
  return hml_fail(w->context, HML_INTERNAL, "no state is at fault");
}

// fails: HML_NOT_FINITE, naming the state; the workspace then has no state
hml_status hml_workspace_set_state(hml_workspace *w, double t, const double *x) {
  const hml_model *m = w->model;
  size_t controlled = m->n_kin + m->n_dyn;
  hml_stage__moved(w);
  w->has_state = isfinite(t) && hml_dense__finite(controlled + m->has_work, x);
  if (!w->has_state) return name_not_finite(w, t, x);
  w->in[0] = t;
  if (controlled) memcpy(w->in + 1, x, controlled * sizeof(double));
  w->work_done = m->has_work ? x[controlled] : 0;
  return m->n_branches && !w->holds ? hml_branch__align(w) : HML_OK;
}

// ---- getters
// The diagonal of M (n_dyn); NULL: the model has no program of it. Interpreted
const double *hml_workspace__inertia(hml_workspace *w) {
  if (!w->model->inertia) return NULL;
  hml_program_eval(w->model->inertia, w->in, w->inertia, w->work);
  return w->inertia;
}

hml_status hml_acceleration(hml_workspace *w, double *out) {
  const double *a;
  HML_TRY(hml_stage__by_graph(w, &a));
  if (!a) HML_TRY(hml_stage__solution(w));
  if (w->model->n_dyn) memcpy(out, a ? a : w->a, w->model->n_dyn * sizeof(double));
  return HML_OK;
}

hml_status hml_multipliers(hml_workspace *w, double *out) {
  const size_t rows = w->model->n_multipliers;
  const double *a;
  if (!rows) return hml_acceleration(w, w->scratch);
  HML_TRY(hml_stage__by_graph(w, &a));
  if (a) {
    memcpy(out, a + w->model->n_dyn, rows * sizeof *out);
    return HML_OK;
  }
  HML_TRY(hml_stage__solution(w));
  memcpy(out, w->lambda, rows * sizeof *out);
  hml_multiplier__shortest(w, out);
  return HML_OK;
}

hml_status hml_state_rate(hml_workspace *w, double *out) {
  const hml_model *m = w->model;
  if (m->rate && !w->valid.solution) {
    bool holds;
    HML_TRY(hml_stage__rate(w, &holds));
    if (holds) {
      memcpy(out, w->rate, hml_model_state_size(m) * sizeof(double));
      return HML_OK;
    }
    HML_TRY(hml_orders__rate(w, out, &holds));
    if (holds) return HML_OK;
    w->handed_over++;
  }
  HML_TRY(hml_stage__solution(w));
  if (m->n_kin) memcpy(out, w->dynamics, m->n_kin * sizeof(double));
  if (m->n_dyn) memcpy(out + m->n_kin, w->a, m->n_dyn * sizeof(double));
  if (!m->has_work) return HML_OK;
  double power = m->has_power ? w->dynamics[m->at_power] : 0;
  if (m->has_multiplier_power) power += hml_dense__dot(m->n_multipliers, w->lambda, w->dynamics + m->at_multiplier_power);
  out[m->n_kin + m->n_dyn] = power;
  return HML_OK;
}

static inline bool margins_hold(hml_workspace *w, const double *margin) {
  const size_t margins = w->model->running_margins;
  double *least = w->least;
  if (w->model->running_guard) return hml_guard__holds(w, margin);
  for (size_t i = 0; i < margins; i++) {
    least[i] = margin[i] < least[i] ? margin[i] : least[i];
    if (!(margin[i] > 0)) return least[i] = 0, false;
  }
  return true;
}

// False: a value is not finite or a pivot too small; the general function then finds and reports it
static inline bool rate_by_entry(hml_workspace *w, double t, const double *x, double *out) {
  const hml_model *m = w->model;
  const size_t n = m->n_kin + m->n_dyn;
  double *margins = w->rate + n + m->has_work;
  w->work_done = m->has_work ? x[n] : 0;
  return m->entry(t, x, out, w->in, w->work, margins) && fabs(w->work_done) <= DBL_MAX && margins_hold(w, margins) && w->regular;
}

// The same by the program. The loops leave early, so that nothing reads in pairs what was just written in single numbers, which costs more than
// the arithmetic of a small program.
static bool rate_by_program(hml_workspace *w, double t, const double *x, double *out) {
  const hml_model *m = w->model;
  const size_t n = m->n_kin + m->n_dyn, size = n + m->has_work;
  double *in = w->in, *rate = m->running_margins ? w->rate : out;      // no copy where x' is the only output
  in[0] = t;
  for (size_t i = 0; i < n; i++) {
    const double value = x[i];
    in[1 + i] = value;
    if (!(fabs(value) <= DBL_MAX)) return false;
  }
  w->work_done = m->has_work ? x[n] : 0;
  if (!(fabs(t) <= DBL_MAX && fabs(w->work_done) <= DBL_MAX)) return false;
  hml_program_eval(m->running, in, rate, w->work);
  for (size_t i = 0; i < size; i++)
    if (!(fabs(rate[i]) <= DBL_MAX)) return false;
  if (!margins_hold(w, rate + size)) return false;
  if (rate != out)
    for (size_t i = 0; i < size; i++) out[i] = rate[i];
  return w->regular;
}

// Without the code of an entry, or where that reports a failure
static __attribute__((noinline)) hml_status general_rate(hml_workspace *w, double t, const double *x, double *out) {
  const hml_model *m = w->model;
  if (m->rate && !m->entry && !m->n_externals && (w->holds || !m->n_branches)) {
    hml_stage__moved(w);
    w->has_state = rate_by_program(w, t, x, out);
    if (w->has_state) return HML_OK;
  }
  HML_TRY(hml_workspace_set_state(w, t, x));
  return hml_state_rate(w, out);
}

// Most models: what the code of the entry gives is x', if it is finite and the margins are positive
static hml_surroundings surroundings_of(const hml_workspace *w) {
  const hml_model *m = w->model;
  if (!m->entry || m->running_guard || !(w->holds || !m->n_branches) || !w->regular) return HML_SURROUNDED;
  return m->has_work || m->running_margins ? HML_FEW : HML_BARE;
}

static inline bool entry_margins_hold(hml_workspace *w) {
  const size_t n = w->model->running_margins;
  for (size_t i = 0; i < n; i++) {
    const double margin = w->entry_margins[i];
    if (!(margin > 0)) return w->least[i] = 0, false;
    if (margin < w->least[i]) w->least[i] = margin;
  }
  return true;
}

static __attribute__((noinline)) hml_status careful_rate(hml_workspace *w, double t, const double *x, double *out) {
  const hml_model *m = w->model;
  w->surroundings = surroundings_of(w);
  if (m->entry && (w->holds || !m->n_branches)) {
    hml_stage__moved(w);
    w->has_state = rate_by_entry(w, t, x, out);
    if (w->has_state) return HML_OK;
  }
  return general_rate(w, t, x, out);
}

static __attribute__((noinline)) hml_status rate_with_margins(hml_workspace *w, double t, const double *x, double *out) {
  const hml_model *m = w->model;
  if (!m->entry) return careful_rate(w, t, x, out);
  hml_stage__moved(w);
  bool finite = true;
  if (m->has_work) {
    w->work_done = x[m->n_kin + m->n_dyn];
    finite = fabs(w->work_done) <= DBL_MAX;
  }
  w->has_state = finite && m->entry(t, x, out, w->in, w->work, w->entry_margins) && entry_margins_hold(w);
  return w->has_state ? HML_OK : general_rate(w, finite ? w->in[0] : t, x, out);
}

// As hml_workspace_set_state and hml_state_rate, without the data that only other functions need. out must not overlap with x. Little is kept over the
// calls: what surrounds a small program costs as much as the program
hml_status hml_workspace__rate(hml_workspace *w, double t, const double *x, double *out) {
  if (w->surroundings == HML_FEW) return rate_with_margins(w, t, x, out);
  const hml_entry_code entry = w->model->entry;
  if (w->surroundings == HML_SURROUNDED || !entry) return careful_rate(w, t, x, out);
  hml_stage__moved(w);
  w->has_state = entry(t, x, out, w->in, w->work, NULL);
  return w->has_state ? HML_OK : general_rate(w, w->in[0], x, out);
}

// energy or kinetic may be NULL       fails: HML_UNSUPPORTED where the spec of the model has none
hml_status hml_energies(hml_workspace *w, double *energy, double *kinetic) {
  const hml_model *m = w->model;
  if ((energy && !m->has_energy) || (kinetic && !m->has_kinetic))
    return hml_fail(w->context, HML_UNSUPPORTED, "model '%s' has no expression of its %s", m->name,
                    energy && !m->has_energy ? "energy" : "kinetic energy");
  if (!energy && !kinetic) return HML_OK;
  HML_TRY(hml_stage__observe(w));
  if (energy) *energy = w->observed[0];
  if (kinetic) *kinetic = w->observed[m->has_energy];
  return HML_OK;
}

// positions or velocities may be NULL
hml_status hml_residuals(hml_workspace *w, double *positions, double *velocities) {
  double *outs[] = {positions, velocities};
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL; which++) {
    hml_level level = hml_level__of(w, which);
    if (!outs[which] || !level.rows) continue;
    HML_TRY(hml_stage__level(w, &level));
    memcpy(outs[which], level.residual, level.rows * sizeof(double));
  }
  return HML_OK;
}

// ---- for contacts
hml_status hml_workspace__dynamics(hml_workspace *w) {
  return hml_stage__dynamics(w);
}

hml_status hml_workspace__solve(hml_workspace *w) {
  return hml_stage__solution(w);
}

const double *hml_workspace__accelerations(const hml_workspace *w) {
  return w->a;
}

const double *hml_workspace__constraint_rows(const hml_workspace *w) {
  return w->dynamics + w->model->at_rows;
}

const double *hml_workspace__multipliers(const hml_workspace *w) {
  return w->lambda;
}

const double *hml_workspace__kinematics(const hml_workspace *w) {
  return w->dynamics;
}

hml_status hml_workspace__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  hml_multiplier__resolve(w, r, b, a, lambda);
  return w->model->refined ? hml_refine__side(w, r, b, a, lambda) : HML_OK;
}

void hml_workspace__shortest(hml_workspace *w, double *lambda) {
  hml_multiplier__shortest(w, lambda);
}

double hml_workspace__work(const hml_workspace *w, double time, const double *impulses) {
  const hml_model *m = w->model;
  double work = m->has_power ? time * w->dynamics[m->at_power] : 0;
  return m->has_multiplier_power ? work + hml_dense__dot(m->n_multipliers, impulses, w->dynamics + m->at_multiplier_power) : work;
}
