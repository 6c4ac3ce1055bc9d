// impulse.c: values that a motion without impulses keeps where branches take other sides: momenta, the energy, residuals of constraints.
//
// At a place u(q, t) = 0 where the Lagrangian L jumps, a motion whose velocities do not jump has (the corner conditions of Weierstrass and Erdmann: the
// variation [p] dq - [p q' - L] dt of the action vanishes for all dq, dt along the place that the constraints admit)
//   [p] = A^T l + m du/dq,   [p q' - L] = l . (A q') - m du/dt
// with some l of the reactions and m of the place. All other jumps are impulses, which change velocities at once.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define ROUNDING 1e-13                 // of a value: its jump that is none
#define CUTOFF 1e-9                    // of the largest: singular values of the directions that count as zero

// ---- building

static hml_status copy_texts(hml_model *m, const hml_impulse_spec *s) {
  m->impulse.texts = hml_arena_alloc(&m->memory, (s->n + 1) * sizeof *m->impulse.texts);
  if (!m->impulse.texts) return HML_MEMORY;
  for (size_t i = 0; i < s->n; i++) {
    size_t size = strlen(s->texts[i]) + 1;
    char *text = hml_arena_alloc(&m->memory, size);
    if (!text) return HML_MEMORY;
    m->impulse.texts[i] = memcpy(text, s->texts[i], size);
  }
  return HML_OK;
}

static hml_status build_tangent(hml_model *m) {
  const size_t states = m->n_kin + m->n_dyn, kept = m->impulse.n_velocities;
  size_t *active = hml_arena_alloc(&m->memory, (states + kept + 1) * sizeof *active);
  if (!active) return HML_MEMORY;
  for (size_t i = 0; i < states; i++) active[i] = 1 + i;
  for (size_t i = 0; i < kept; i++) active[states + i] = 1 + states + m->n_parameters + i;
  return hml_program_tangent(m->context, m->impulse.values, states + kept, active, &m->impulse.rate);
}

// Values, then velocities, of the inputs
static hml_status build_values(hml_model *m, const hml_impulse_spec *s, size_t n, const hml_expr *inputs) {
  hml_expr *all = hml_arena_alloc(&m->memory, (s->n + s->n_velocities) * sizeof *all);
  if (!all) return HML_MEMORY;
  memcpy(all, s->values, s->n * sizeof *all);
  if (s->n_velocities) memcpy(all + s->n, s->velocities, s->n_velocities * sizeof *all);
  HML_TRY(hml_program_new(m->context, n, inputs, s->n + s->n_velocities, all, &m->impulse.values));
  return build_tangent(m);
}

hml_status hml_impulse__build(hml_model *m, const hml_model_spec *s) {
  const hml_impulse_spec *given = s->impulse;
  if (!given || !given->n) return HML_OK;
  const struct { size_t n; const hml_expr *e; } lists[] = {
      {1, &s->time}, {s->n_kin, s->kin}, {s->n_dyn, s->dyn}, {s->n_parameters, s->parameters}, {given->n_velocities, given->kept}};
  const size_t n_reactions = given->n_reactions * given->n_free, n_normals = s->n_branches * given->n_free;
  size_t n = 0;
  hml_expr *inputs = hml_arena_alloc(&m->memory, (1 + s->n_kin + s->n_dyn + s->n_parameters + given->n_velocities) * sizeof *inputs);
  hml_expr *directions = hml_arena_alloc(&m->memory, (n_reactions + n_normals + 1) * sizeof *directions);
  if (!inputs || !directions) return HML_MEMORY;
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
    for (size_t i = 0; i < lists[k].n; i++) inputs[n++] = lists[k].e[i];
  if (n_reactions) memcpy(directions, given->reactions, n_reactions * sizeof *directions);
  if (n_normals) memcpy(directions + n_reactions, given->normals, n_normals * sizeof *directions);
  m->impulse.n_free = given->n_free;
  m->impulse.n_positions = given->n_positions;
  m->impulse.n_reactions = given->n_reactions;
  m->impulse.n_velocities = given->n_velocities;
  HML_TRY(copy_texts(m, given));
  HML_TRY(build_values(m, given, n, inputs));
  if (n_reactions + n_normals) HML_TRY(hml_program_new(m->context, n, inputs, n_reactions + n_normals, directions, &m->impulse.directions));
  m->impulse.n = given->n;
  return HML_OK;
}

void hml_impulse__free(hml_model *m) {
  hml_program_free(m->impulse.values);
  hml_program_free(m->impulse.rate);
  hml_program_free(m->impulse.directions);
}

// ---- values

size_t hml_model__impulse_values(const hml_model *m) {
  return m->impulse.n;
}

size_t hml_model__impulse_outputs(const hml_model *m) {
  return m->impulse.n + m->impulse.n_velocities;
}

const char *hml_model__impulse_text(const hml_model *m, size_t which) {
  return m->impulse.texts[which];
}

bool hml_model__impulse_is_position(const hml_model *m, size_t which) {
  return which >= m->impulse.n - m->impulse.n_positions;
}

static size_t inputs_of(const hml_model *m) {
  return 1 + m->n_kin + m->n_dyn + m->n_parameters + m->impulse.n_velocities;
}

static size_t work_of(const hml_program *p) {
  return p ? hml_program_work_size(p) : 0;
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

// Inputs and seeds, jumps, their sizes and twice the outputs, the directions, columns and coefficients of these, the work of a program; or, behind the inputs, what
// rounding changes, and ranges
size_t hml_model__impulse_room(const hml_model *m) {
  const hml_impulse *i = &m->impulse;
  const size_t columns = i->n_reactions + m->n_branches, states = m->n_kin + m->n_dyn, outputs = hml_model__impulse_outputs(m);
  const size_t jumps = states + i->n_velocities + 4 * outputs + 2 * columns * i->n_free + columns + larger(work_of(i->values), larger(work_of(i->rate), work_of(i->directions)));
  const size_t ranges = i->values ? inputs_of(m) + hml_program__values(i->values) + outputs : 0;
  return inputs_of(m) + larger(jumps, outputs + ranges * (sizeof(hml_range) / sizeof(double)));
}

static void fill_inputs(const hml_workspace *w, double t, const double *y, const double *velocities, double *in) {
  const hml_model *m = w->model;
  const size_t states = m->n_kin + m->n_dyn;
  in[0] = t;
  memcpy(in + 1, y, states * sizeof *in);
  memcpy(in + 1 + states, w->in + 1 + states, m->n_parameters * sizeof *in);
  for (size_t i = 0; i < m->impulse.n_velocities; i++) in[1 + states + m->n_parameters + i] = velocities ? velocities[i] : 0;
}

void hml_workspace__impulse_values(hml_workspace *w, double t, const double *y, const double *before, double *out, double *work) {
  const hml_model *m = w->model;
  fill_inputs(w, t, y, before ? before + m->impulse.n : NULL, work);
  hml_program_eval(m->impulse.values, work, out, work + inputs_of(m));
  if (before || !m->impulse.n_velocities) return;
  fill_inputs(w, t, y, out + m->impulse.n, work);
  hml_program_eval(m->impulse.values, work, out, work + inputs_of(m));
}

void hml_workspace__impulse_blur(hml_workspace *w, double time, double t, const double *y, const double *before, double *out, double *work) {
  const hml_model *m = w->model;
  fill_inputs(w, t, y, before + m->impulse.n, work);
  double *blur = work + inputs_of(m);
  if (!hml_program__blur(m->impulse.values, 1 + m->n_kin + m->n_dyn, time, work, (hml_range *)(void *)(blur + hml_model__impulse_outputs(m)), blur)) return;
  for (size_t i = 0; i < m->impulse.n; i++) out[i] += blur[i];
}

// ---- jumps

// What errors of the states, and of the kept velocities, make of each output
static void find_sizes(const hml_workspace *w, double t, const double *y, const double *errors, const double *before, double *sizes, double *work) {
  const hml_model *m = w->model;
  const size_t n = hml_model__impulse_outputs(m), states = m->n_kin + m->n_dyn, seeded = states + m->impulse.n_velocities;
  double *seeds = work + inputs_of(m), *out = seeds + seeded;
  fill_inputs(w, t, y, before + m->impulse.n, work);
  memset(seeds, 0, seeded * sizeof *seeds);
  memset(sizes, 0, n * sizeof *sizes);
  for (size_t k = 0; k < seeded; k++) {
    // velocities depend on the states alone, so that their sizes are complete
    seeds[k] = k < states ? errors[k] : fmax(errors[k], sizes[m->impulse.n + k - states]);
    hml_program_eval(m->impulse.rate, work, out, out + 2 * n);
    seeds[k] = 0;
    for (size_t i = 0; i < n; i++) sizes[i] += fabs(out[n + i]);
  }
}

static void bound_sizes(size_t n, const double *before, const double *after, const double *blur, double *sizes) {
  double most = 0;
  for (size_t i = 0; i < n; i++) {
    double rounding = fmax(ROUNDING * (fabs(before[i]) + fabs(after[i])), blur ? blur[i] : 0);
    sizes[i] = isfinite(sizes[i]) ? fmax(sizes[i], rounding) : rounding;
    most = fmax(most, sizes[i]);
  }
  for (size_t i = 0; i < n; i++) sizes[i] = fmax(sizes[i], most > 0 ? DBL_EPSILON * most : 1);
}

// The columns that take part, each in units of the sizes and of length one; returns how many
static size_t columns_of(const hml_model *m, const bool *changed, const double *directions, const double *sizes, double *out) {
  const hml_impulse *of = &m->impulse;
  const size_t all = of->n_reactions + m->n_branches;
  size_t n = 0;
  for (size_t k = 0; k < all; k++) {
    const double *row = directions + k * of->n_free;
    double length = 0;
    if (k >= of->n_reactions && !changed[k - of->n_reactions]) continue;
    for (size_t i = 0; i < of->n_free; i++) length = hypot(length, row[i] / sizes[i]);
    if (!(length > 0) || !isfinite(length)) continue;
    for (size_t i = 0; i < of->n_free; i++) out[i * all + n] = row[i] / sizes[i] / length;
    n++;
  }
  for (size_t i = 0; i < of->n_free; i++) memmove(out + i * n, out + i * all, n * sizeof *out);
  return n;
}

// Takes from the jumps of momenta and energy, in units of their sizes, what the directions explain
static hml_status explain(const hml_workspace *w, const bool *changed, const double *sizes, double *jumps, double *work) {
  const hml_model *m = w->model;
  const hml_impulse *of = &m->impulse;
  const size_t all = of->n_reactions + m->n_branches;
  if (!of->directions) return HML_OK;
  double *directions = work + inputs_of(m), *columns = directions + all * of->n_free, *x = columns + all * of->n_free;
  hml_program_eval(of->directions, work, directions, x + all);
  const size_t n = columns_of(m, changed, directions, sizes, columns);
  HML_TRY(hml_least_squares(w->context, of->n_free, n, columns, jumps, CUTOFF, x, NULL));
  for (size_t i = 0; i < of->n_free; i++)
    for (size_t k = 0; k < n; k++) jumps[i] -= columns[i * n + k] * x[k];
  return HML_OK;
}

static size_t largest(size_t from, size_t to, const double *jumps) {
  size_t which = SIZE_MAX;
  double most = 1;
  for (size_t i = from; i < to; i++) {
    if (!(fabs(jumps[i]) > most)) continue;
    most = fabs(jumps[i]);
    which = i;
  }
  return which;
}

hml_status hml_workspace__find_impulse(hml_workspace *w, double t, const double *y, const double *errors, const double *before, const double *after,
                                       const double *blur, const bool *changed, double *work, size_t *which) {
  const hml_impulse *of = &w->model->impulse;
  double *jumps = work, *sizes = jumps + of->n, *rest = sizes + hml_model__impulse_outputs(w->model);
  find_sizes(w, t, y, errors, before, sizes, rest);
  bound_sizes(of->n, before, after, blur, sizes);
  // a value that is not finite is reported by the equations that need it
  for (size_t i = 0; i < of->n; i++) jumps[i] = isfinite(after[i] - before[i]) ? (after[i] - before[i]) / sizes[i] : 0;
  const size_t free = largest(0, of->n_free, jumps);
  *which = largest(of->n - of->n_positions, of->n, jumps);
  if (*which == SIZE_MAX) *which = largest(of->n_free, of->n - of->n_positions, jumps);
  if (*which != SIZE_MAX || free == SIZE_MAX) return HML_OK;
  HML_TRY(explain(w, changed, sizes, jumps, rest));
  *which = largest(0, of->n_free, jumps);
  // an explanation of other jumps may fail in a value that does not jump
  if (*which != SIZE_MAX && !(fabs(after[*which] - before[*which]) > sizes[*which])) *which = free;
  return HML_OK;
}
