// branch.c: the sides of corners in the forces: parameters in place of signs, absolute values, maxima and tables of data. With the parameters
// held the equations are smooth, and continue one side of the corner beyond it. When a motion changes its side is integrate/corner.c.
#include "mechanics_impl.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define NOISE 16                       // units in the last place: what rounding makes of an argument; switches.lua looks ten times farther
#define CLEAR 1e-10                    // of the sizes that it adds up: a rate that is not rounding

// ---- building

static hml_status build_branch(hml_model *m, const hml_model_spec *s, const hml_branch_spec *spec, hml_branch *b) {
  const size_t n_state = hml_model_state_size(m);
  size_t size = strlen(spec->text) + 1;
  char *text = hml_arena_alloc(&m->memory, size);
  if (!text) return HML_MEMORY;
  *b = (hml_branch){.text = memcpy(text, spec->text, size), .table = spec->table, .held = spec->held, .of_constraint = spec->of_constraint != 0};
  HML_TRY(hml_formula__build(m->context, &m->memory, s, n_state, spec->argument, &b->argument));
  m->n_branches++;                     // hml_branch__free finds it
  HML_TRY(hml_formula__build(m->context, &m->memory, s, n_state, spec->guard, &b->guard));
  if (!b->argument.program || !b->guard.program)
    return hml_fail(m->context, HML_ARGUMENT, "model '%s': the side of '%s' follows from more than time, states and parameters", m->name, b->text);
  size_t scratch = hml_formula__scratch(&b->argument);
  m->branch_scratch = scratch > m->branch_scratch ? scratch : m->branch_scratch;
  return HML_OK;
}

hml_status hml_branch__build(hml_model *m, const hml_model_spec *s) {
  if (!s->n_branches) return HML_OK;
  m->branches = hml_arena_alloc(&m->memory, s->n_branches * sizeof *m->branches);
  if (!m->branches) return HML_MEMORY;
  m->n_held = s->n_parameters - s->branches[0].held;
  for (size_t i = 0; i < s->n_branches; i++) HML_TRY(build_branch(m, s, s->branches + i, m->branches + i));
  return HML_OK;
}

void hml_branch__free(hml_model *m) {
  for (size_t i = 0; i < m->n_branches; i++) {
    hml_formula__free(&m->branches[i].argument);
    hml_formula__free(&m->branches[i].guard);
  }
}

const hml_branch *hml_model__branches(const hml_model *m, size_t *count) {
  *count = m->n_branches;
  return m->branches;
}

// ---- words

// What the parameter stands for; false: it holds no side
static bool name_held(const hml_model *m, size_t parameter, size_t capacity, char *out) {
  static const char *const forms[HML_SIGN_HELD] = {"sign(%s)", "step(%s)", "step(-(%s))"};
  for (size_t i = 0; i < m->n_branches; i++) {
    const hml_branch *b = m->branches + i;
    size_t count = b->table ? HML_TABLE_HELD : HML_SIGN_HELD;
    if (parameter < b->held || parameter >= b->held + count) continue;
    if (b->table) snprintf(out, capacity, "%s(%s)", hml_tabled__name(b->table), b->text);
    else snprintf(out, capacity, forms[parameter - b->held], b->text);
    return true;
  }
  return false;
}

static bool in_name(char c) {
  return isalnum((unsigned char)c) || c == '_';
}

static size_t parameter_at(const hml_model *m, const char *at) {
  for (size_t k = m->branches[0].held; k < m->n_parameters; k++) {
    size_t length = strlen(m->parameter_names[k]);
    if (strncmp(at, m->parameter_names[k], length) == 0 && !in_name(at[length])) return k;
  }
  return SIZE_MAX;
}

void hml_branch__put_names(const hml_model *m, size_t capacity, char *text) {
  char out[1200], word[400];
  size_t used = 0;
  if (!m->n_branches) return;
  for (const char *at = text; *at && used + sizeof word < sizeof out;) {
    size_t k = at == text || !in_name(at[-1]) ? parameter_at(m, at) : SIZE_MAX;
    if (k != SIZE_MAX && name_held(m, k, sizeof word, word)) {
      used += (size_t)snprintf(out + used, sizeof out - used, "%s", word);
      at += strlen(m->parameter_names[k]);
    } else {
      out[used++] = *at++;
    }
  }
  out[used] = '\0';
  snprintf(text, capacity, "%s", out);
}

// ---- sides

static double *held_of(const hml_workspace *w, const hml_branch *b) {
  return w->in + 1 + w->model->n_kin + w->model->n_dyn + b->held;
}

const double *hml_workspace__held(const hml_workspace *w, size_t branch) {
  return held_of(w, w->model->branches + branch);
}

void hml_workspace__hold(hml_workspace *w, bool on) {
  w->holds = on;
  w->surroundings = HML_SURROUNDED;
}

bool hml_workspace__holds(const hml_workspace *w) {
  return w->holds && w->model->n_branches > 0;
}

bool hml_workspace__let_go(hml_workspace *w, double *kept) {
  bool held = w->holds;
  if (w->model->n_held) memcpy(kept, held_of(w, w->model->branches), w->model->n_held * sizeof *kept);
  w->holds = false;
  w->surroundings = HML_SURROUNDED;
  return held;
}

void hml_workspace__hold_again(hml_workspace *w, bool held, const double *kept) {
  w->holds = held;
  w->surroundings = HML_SURROUNDED;
  if (!w->model->n_held) return;
  memcpy(held_of(w, w->model->branches), kept, w->model->n_held * sizeof *kept);
  hml_stage__set(w);
}

hml_status hml_branch__tell_end(hml_context *c, const hml_branch *b, double t) {
  double ends[2];
  if (!hml_tabled__ends(b->table, ends)) return hml_fail(c, HML_INTERNAL, "there is no table %g", b->table);
  return hml_fail(c, HML_NOT_FINITE, "%s(%s) is not a number from t = %.10g on; the points of the data reach from %.10g to %.10g",
                  hml_tabled__name(b->table), b->text, t, ends[0], ends[1]);
}

// The parameters of a side; *changed where they are others
static hml_status put_side(hml_workspace *w, const hml_branch *b, int side, double argument, bool *changed) {
  double *held = held_of(w, b), piece[HML_TABLE_HELD] = {side, side > 0, side < 0};
  size_t size = (b->table ? HML_TABLE_HELD : HML_SIGN_HELD) * sizeof *held;
  // at a sign of zero a maximum takes either of its equal arguments
  if (!b->table && side == 0) piece[1] = 1;
  if (b->table && !hml_tabled__piece(b->table, argument, side, piece)) return hml_branch__tell_end(w->context, b, w->in[0]);
  if (memcmp(held, piece, size) == 0) return HML_OK;
  memcpy(held, piece, size);
  *changed = true;
  return HML_OK;
}

hml_status hml_workspace__take_side(hml_workspace *w, size_t branch, int side, double argument) {
  bool changed = false;
  HML_TRY(put_side(w, w->model->branches + branch, side, argument, &changed));
  if (changed) hml_stage__set(w);
  return HML_OK;
}

static bool reads_positions(const hml_workspace *w, const hml_guard_formula *f) {
  for (size_t i = 0, n = hml_program_inputs(f->program); i < n; i++)
    if (f->place[i] >= 1 && f->place[i] <= w->model->n_kin) return true;
  return false;
}

bool hml_workspace__bends(const hml_workspace *w, size_t branch, double point) {
  const hml_branch *b = w->model->branches + branch;
  double rates[2];
  return b->table && reads_positions(w, &b->argument) && hml_tabled__bend(b->table, point, rates);
}

hml_status hml_workspace__take_bend(hml_workspace *w, size_t branch, double point) {
  const hml_branch *b = w->model->branches + branch;
  double *held = held_of(w, b), rates[2];
  if (!hml_tabled__bend(b->table, point, rates))
    return hml_fail(w->context, HML_INTERNAL, "%s does not bend at %.10g", hml_tabled__name(b->table), point);
  const double piece[HML_TABLE_HELD] = {point, point, point, hml_tabled(b->table, point, 0), 0.5 * (rates[0] + rates[1])};
  if (memcmp(held, piece, sizeof piece) == 0) return HML_OK;
  memcpy(held, piece, sizeof piece);
  hml_stage__set(w);
  return HML_OK;
}

// ---- sides of a state

static hml_guard_formula formula_of(const hml_workspace *w, const hml_branch *b) {
  hml_guard_formula f = b->argument;
  f.constants = w->in + 1 + w->model->n_kin + w->model->n_dyn;
  return f;
}

// Rates of the positions; those of velocities follow from the side that is looked for, and count as zero
static void find_heading(hml_workspace *w) {
  const hml_model *m = w->model;
  double *out = w->heading_rates;
  memset(out, 0, hml_model_state_size(m) * sizeof *out);
  if (!m->n_kin) return;
  const double *k = w->in + 1 + m->n_kin;                                // of models that are given by their energies
  if (!m->equations) {
    hml_program_eval(m->dynamics, w->in, w->dynamics, w->work);
    k = w->dynamics;
  }
  for (size_t i = 0; i < m->n_kin; i++) out[i] = isfinite(k[i]) ? w->heading * k[i] : 0;
}

// The point of a table beside which the argument is
static double corner_of(const hml_workspace *w, const hml_branch *b) {
  const hml_guard_formula f = formula_of(w, b);
  const double *held = held_of(w, b);
  if (!b->table) return 0;
  const double value = hml_formula__value(&f, hml_model_state_size(w->model), w->in[0], w->in + 1, w->branch_scratch);
  return fabs(value - held[0]) < fabs(value - held[1]) ? held[0] : held[1];
}

static bool is_end(const hml_branch *b, double at, int side) {
  double ends[2] = {0, 0};
  hml_tabled__ends(b->table, ends);
  return at == ends[side > 0];
}

static bool is_on_corner(hml_workspace *w, const hml_guard_formula *f, double at) {
  const size_t n = hml_model_state_size(w->model);
  double size, value = hml_formula__value(f, n, w->in[0], w->in + 1, w->branch_scratch) - at;
  hml_formula__slope(f, n, w->in[0], w->in + 1, w->in[0], w->in + 1, &size, w->branch_scratch);
  return fabs(value) <= NOISE * DBL_EPSILON * (fabs(at) + size);
}

// On its corner, up to rounding, an argument has the side to which the motion leads
static hml_status turn_ahead(hml_workspace *w, const hml_branch *b, bool *has_rates, bool *changed) {
  const hml_guard_formula f = formula_of(w, b);
  const double at = corner_of(w, b);
  double size;
  if (!is_on_corner(w, &f, at)) return HML_OK;
  if (!*has_rates && reads_positions(w, &f)) {
    find_heading(w);
    *has_rates = true;
  }
  const double slope = hml_formula__slope(&f, hml_model_state_size(w->model), w->in[0], w->in + 1, w->heading, w->heading_rates, &size, w->branch_scratch);
  const int side = (slope > 0) - (slope < 0);
  if (!(fabs(slope) > CLEAR * size) || (b->table && is_end(b, at, side))) return HML_OK;
  return put_side(w, b, side, at, changed);
}

// The interval of an argument; where linear data bend in place the point itself, as a sign of zero is zero
static hml_status align_table(hml_workspace *w, size_t branch, double value, bool *changed) {
  const hml_branch *b = w->model->branches + branch;
  const double *held = held_of(w, b);
  if (value == held[0] && value == held[1]) return HML_OK;
  if (!(held[0] < held[1] && value >= held[0] && value <= held[1])) HML_TRY(put_side(w, b, 0, value, changed));
  return (value == held[0] || value == held[1]) && hml_workspace__bends(w, branch, value) ? hml_workspace__take_bend(w, branch, value) : HML_OK;
}

static hml_status align_here(hml_workspace *w, bool *changed) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_branches; i++) {
    const hml_branch *b = m->branches + i;
    const hml_guard_formula f = formula_of(w, b);
    const double value = hml_formula__value(&f, hml_model_state_size(m), w->in[0], w->in + 1, w->branch_scratch);
    HML_TRY(b->table ? align_table(w, i, value, changed) : put_side(w, b, (value > 0) - (value < 0), value, changed));
  }
  return HML_OK;
}

hml_status hml_branch__align(hml_workspace *w) {
  const hml_model *m = w->model;
  bool changed = false;
  HML_TRY(align_here(w, &changed));
  if (changed) hml_stage__set(w);
  if (!w->heading) return HML_OK;
  bool has_rates = false;
  changed = false;
  memset(w->heading_rates, 0, hml_model_state_size(m) * sizeof *w->heading_rates);
  for (size_t i = 0; i < m->n_branches; i++) HML_TRY(turn_ahead(w, m->branches + i, &has_rates, &changed));
  if (changed) hml_stage__set(w);
  return HML_OK;
}

int hml_workspace__head(hml_workspace *w, int direction) {
  const int before = w->heading;
  w->heading = direction;
  return before;
}
