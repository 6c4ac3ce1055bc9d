// formula.c: one expression of a model as a program of its symbols, with its rate: for guards and branches.
#include "mechanics_impl.h"

#include <math.h>

// The rate along the moving inputs, so that threads need not derive it. None where the program has no tangent
static hml_status build_rate(hml_context *c, hml_arena *memory, size_t n_state, hml_guard_formula *f) {
  size_t n = hml_program_inputs(f->program), moving = 0, *active = hml_arena_alloc(memory, (n + 1) * sizeof *active);
  hml_program *rate;
  if (!active) return HML_MEMORY;
  for (size_t k = 0; k < n; k++)
    if (f->place[k] <= n_state) active[moving++] = k;
  hml_status status = moving ? hml_program_tangent(c, f->program, moving, active, &rate) : HML_UNSUPPORTED;
  if (status == HML_OK) f->rate = rate;
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  if (status != HML_OK) hml_context_clear_error(c);
  return HML_OK;
}

hml_status hml_formula__build(hml_context *c, hml_arena *memory, const hml_model_spec *m, size_t n_state, hml_expr e, hml_guard_formula *out) {
  const struct { size_t n; const hml_expr *e; size_t place; } lists[] = {
      {1, &m->time, 0}, {m->n_kin, m->kin, 1}, {m->n_dyn, m->dyn, 1 + m->n_kin}, {m->n_parameters, m->parameters, 1 + n_state}};
  size_t n = 0, capacity = 1 + m->n_kin + m->n_dyn + m->n_parameters;
  hml_expr *symbols = hml_arena_alloc(memory, capacity * sizeof *symbols);
  uint32_t *place = hml_arena_alloc(memory, capacity * sizeof *place);
  if (!symbols || !place) return HML_MEMORY;
  hml_status status = hml_symbols_of(c, 1, &e, capacity, symbols, &n);
  if (status != HML_OK || n > capacity) return status;                  // more than it may mention
  for (size_t s = 0; s < n; s++) {
    place[s] = UINT32_MAX;
    for (size_t k = 0; k < 4; k++)
      for (size_t i = 0; i < lists[k].n; i++)
        if (symbols[s] == lists[k].e[i]) place[s] = (uint32_t)(lists[k].place + i);
    if (place[s] == UINT32_MAX) return HML_OK;
  }
  hml_program *program;
  HML_TRY(hml_program_new(c, n, symbols, 1, &e, &program));
  *out = (hml_guard_formula){.program = program, .place = place};
  return build_rate(c, memory, n_state, out);
}

void hml_formula__free(hml_guard_formula *f) {
  hml_program_free((hml_program *)f->program);
  hml_program_free((hml_program *)f->rate);
}

static size_t most(size_t a, size_t b) {
  return a > b ? a : b;
}

size_t hml_formula__scratch(const hml_guard_formula *f) {
  size_t size = hml_program_inputs(f->program) + hml_program_work_size(f->program);
  return f->rate ? most(size, hml_program_inputs(f->rate) + 2 + hml_program_work_size(f->rate)) : size;
}

// Returns how many
static size_t fill_inputs(const hml_guard_formula *f, size_t n_state, double t, const double *y, double *in) {
  size_t n = hml_program_inputs(f->program);
  for (size_t k = 0; k < n; k++) {
    uint32_t place = f->place[k];
    in[k] = place == 0 ? t : place <= n_state ? y[place - 1] : f->constants[place - n_state - 1];
  }
  return n;
}

double hml_formula__value(const hml_guard_formula *f, size_t n_state, double t, const double *y, double *scratch) {
  double value;
  size_t n = fill_inputs(f, n_state, t, y, scratch);
  hml_program_eval(f->program, scratch, &value, scratch + n);
  return value;
}

double hml_formula__slope(const hml_guard_formula *f, size_t n_state, double t, const double *y, double dt, const double *dy, double *size, double *scratch) {
  size_t n = fill_inputs(f, n_state, t, y, scratch);
  *size = 0;
  if (!f->rate) return NAN;
  double *seeds = scratch + n, *out = scratch + hml_program_inputs(f->rate), *work = out + 2, sum = 0;
  size_t moving = hml_program_inputs(f->rate) - n, at = 0;
  for (size_t k = 0; k < moving; k++) seeds[k] = 0;
  for (size_t k = 0; k < n; k++) {
    if (f->place[k] > n_state) continue;
    seeds[at] = f->place[k] == 0 ? dt : dy[f->place[k] - 1];
    hml_program_eval(f->rate, scratch, out, work);
    sum += out[1];
    *size += fabs(out[1]);
    seeds[at++] = 0;
  }
  return sum;
}
