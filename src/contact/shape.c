// shape.c: the declared gaps, bounds on velocities, rough rows and frictions, and the program of their values. Constant once built.
#include "contact_impl.h"

#include <math.h>
#include <string.h>

static const char *copy_text(hml_arena *a, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = hml_arena_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static hml_status copy_gap(hml_contact_shape *s, const hml_gap_spec *g, size_t tangents, hml_gap *out) {
  *out = (hml_gap){.name = copy_text(&s->memory, g->name), .law = g->law, .capture = g->capture, .bounds_velocity = g->level == 1,
                   .rough = tangents + g->rough, .n_rough = g->n_rough, .held = tangents + g->held, .n_held = g->n_held};
  return out->name ? HML_OK : HML_MEMORY;
}

static bool law_of(const hml_friction_spec *f, hml_friction_kind *kind, hml_friction_row *row) {
  for (*kind = 0; *kind < HML_FRICTION_KINDS; (*kind)++) {
    *row = hml_friction__row(*kind);
    if (strcmp(row->name, f->law ? f->law : "coulomb") == 0) return true;
  }
  return false;
}

static hml_status copy_friction(hml_contact_shape *s, const hml_friction_spec *f, hml_friction *out) {
  hml_friction_kind kind;
  hml_friction_row row;
  if (!law_of(f, &kind, &row)) return HML_ARGUMENT;
  size_t *cone = hml_arena_alloc(&s->memory, (f->n_cone + 1) * sizeof *cone);
  const char *name = copy_text(&s->memory, f->name);
  if (!cone || !name) return HML_MEMORY;
  s->cones += f->n_cone;
  if (f->n_cone) memcpy(cone, f->cone, f->n_cone * sizeof *cone);
  *out = (hml_friction){.name = name, .row = s->sizes.gaps + f->first, .count = f->count, .kind = f->kind, .index = f->index, .n_cone = f->n_cone, .cone = cone,
                        .law = kind, .spins = f->radius != NULL};
  return HML_OK;
}

static hml_status copy_descriptions(hml_contact_shape *s, const hml_contact_spec *spec) {
  s->gaps = hml_arena_alloc(&s->memory, (spec->n_gaps + 1) * sizeof *s->gaps);
  s->frictions = hml_arena_alloc(&s->memory, (spec->n_frictions + 1) * sizeof *s->frictions);
  if (!s->gaps || !s->frictions) return HML_MEMORY;
  for (size_t i = 0; i < spec->n_gaps; i++) HML_TRY(copy_gap(s, spec->gaps + i, spec->n_gaps + spec->n_slips, s->gaps + i));
  for (size_t j = 0; j < spec->n_frictions; j++) HML_TRY(copy_friction(s, spec->frictions + j, s->frictions + j));
  return HML_OK;
}

// ---- checks
static hml_status check_gap(hml_context *c, const char *model, const hml_contact_spec *s, size_t i) {
  const hml_gap_spec *g = s->gaps + i;
  bool fine = g->name && g->gap && g->rough + g->n_rough <= s->n_tangents && g->held + g->n_held <= s->n_tangents && g->level <= 1;
  if (fine && g->level == 1) fine = !g->n_rough && !g->n_held;
  return fine ? HML_OK : hml_fail(c, HML_ARGUMENT, "model '%s': gap %zu is not complete", model, i + 1);
}

static hml_status check_friction(hml_context *c, const char *model, const hml_model_sizes *n, const hml_contact_spec *s, size_t j) {
  const hml_friction_spec *f = s->frictions + j;
  size_t last = f->kind == HML_PRESSED_BY_GAP ? s->n_gaps : n->multipliers;
  hml_friction_kind kind;
  hml_friction_row row;
  bool fine = f->name && f->coefficient[0] && f->static_coefficient[0] && f->first + f->count <= s->n_slips && law_of(f, &kind, &row);
  fine = fine && f->count >= row.least && f->count <= row.most && (f->radius || f->count <= 2) && (!f->n_cone || kind == HML_FRICTION_coulomb);
  if (fine && kind == HML_FRICTION_elliptic) fine = f->coefficient[1] && f->static_coefficient[1];
  fine = fine && (f->kind == HML_PRESSED_BY_EXPRESSION ? f->normal != NULL : f->index < last);
  for (size_t k = 0; k < f->n_cone; k++) fine = fine && f->cone[k] < n->multipliers;
  return fine ? HML_OK : hml_fail(c, HML_ARGUMENT, "model '%s': friction %zu is not complete", model, j + 1);
}

static hml_status check(hml_context *c, const hml_model *m, const hml_contact_spec *s) {
  const char *name = hml_model__name(m);
  hml_model_sizes n = hml_model__sizes(m);
  for (size_t i = 0; i < s->n_gaps; i++) HML_TRY(check_gap(c, name, s, i));
  for (size_t j = 0; j < s->n_frictions; j++) HML_TRY(check_friction(c, name, &n, s, j));
  return HML_OK;
}

// ---- the program
typedef struct list {
  hml_expr *e;
  size_t n;
} list;

static void append(list *l, size_t n, const hml_expr *e) {
  for (size_t i = 0; i < n; i++) l->e[l->n++] = e[i];
}

static hml_status build_program(hml_contact_shape *s, const hml_model *model, const hml_model_spec *m, const hml_contact_spec *spec, hml_arena *passing) {
  hml_context *c = s->context;
  size_t rows = s->sizes.rows, n = m->n_dyn, inputs = 1 + m->n_kin + n + m->n_parameters + m->n_externals;
  size_t outputs = 3 * spec->n_gaps + rows * (2 + n) + 6 * spec->n_frictions;
  list in = {hml_arena_alloc(passing, inputs * sizeof(hml_expr)), 0}, out = {hml_arena_alloc(passing, (outputs + 1) * sizeof(hml_expr)), 0};
  if (!in.e || !out.e) return HML_MEMORY;
  append(&in, 1, &m->time);
  append(&in, m->n_kin, m->kin);
  append(&in, n, m->dyn);
  append(&in, m->n_parameters, m->parameters);
  append(&in, m->n_externals, m->externals);
  const hml_expr zero = hml_integer(c, 0);
  for (size_t i = 0; i < spec->n_gaps; i++) append(&out, 1, &spec->gaps[i].gap);
  s->at_velocities = out.n;
  append(&out, rows, spec->velocities);
  s->at_rows = out.n;
  append(&out, rows * n, spec->rows);
  s->at_drifts = out.n;
  append(&out, rows, spec->drifts);
  s->at_restitution = out.n;
  for (size_t i = 0; i < spec->n_gaps; i++) append(&out, 1, spec->gaps[i].restitution ? &spec->gaps[i].restitution : &zero);
  s->at_tangential = out.n;
  for (size_t i = 0; i < spec->n_gaps; i++) append(&out, 1, spec->gaps[i].tangential ? &spec->gaps[i].tangential : &zero);
  s->at_normals = out.n;
  for (size_t j = 0; j < spec->n_frictions; j++)
    append(&out, 1, spec->frictions[j].kind == HML_PRESSED_BY_EXPRESSION ? &spec->frictions[j].normal : &zero);
  s->at_coefficients = out.n;
  for (size_t j = 0; j < spec->n_frictions; j++)
    for (size_t a = 0; a < 2; a++) append(&out, 1, spec->frictions[j].coefficient[a] ? &spec->frictions[j].coefficient[a] : &zero);
  s->at_static = out.n;
  for (size_t j = 0; j < spec->n_frictions; j++)
    for (size_t a = 0; a < 2; a++) append(&out, 1, spec->frictions[j].static_coefficient[a] ? &spec->frictions[j].static_coefficient[a] : &zero);
  s->at_radius = out.n;
  for (size_t j = 0; j < spec->n_frictions; j++) append(&out, 1, spec->frictions[j].radius ? &spec->frictions[j].radius : &zero);
  for (size_t i = 0; i < out.n; i++)
    if (!out.e[i]) return hml_fail(c, HML_ARGUMENT, "model '%s': an expression of its contacts is missing", s->model);
  HML_TRY(hml_program_new(c, in.n, in.e, out.n, out.e, &s->program));
  return hml_model_is_native(model) ? hml_program__compile(s->program) : HML_OK;
}

// ---- what may come and go within a step (brief.c)
static hml_status sharpen_row(hml_contact_shape *s, size_t row, size_t *outputs) {
  size_t n = 0;
  outputs[n++] = s->at_drifts + row;
  for (size_t j = 0; j < s->n.dyn; j++) outputs[n++] = s->at_rows + row * s->n.dyn + j;
  return hml_program__sharp_of(s->context, s->program, n, outputs, s->row_sharp + row);
}

static hml_status sharpen_slip(hml_contact_shape *s, size_t j, size_t *outputs) {
  const hml_friction *f = s->frictions + j;
  size_t n = 0;
  for (size_t a = 0; a < 2; a++) outputs[n++] = s->at_coefficients + 2 * j + a;
  outputs[n++] = s->at_normals + j;
  outputs[n++] = s->at_radius + j;
  for (size_t a = 0; a < f->count; a++) {
    outputs[n++] = s->at_velocities + f->row + a;
    for (size_t k = 0; k < s->n.dyn; k++) outputs[n++] = s->at_rows + (f->row + a) * s->n.dyn + k;
  }
  return hml_program__sharp_of(s->context, s->program, n, outputs, s->slip_sharp + j);
}

static hml_status sharpen(hml_contact_shape *s, hml_arena *passing) {
  size_t *outputs = hml_arena_alloc(passing, (4 + 3 * (s->n.dyn + 1)) * sizeof *outputs), size = (s->sizes.rows + s->sizes.frictions + 1) * sizeof *s->row_sharp;
  s->row_sharp = hml_arena_alloc(&s->memory, size);
  if (!outputs || !s->row_sharp) return HML_MEMORY;
  memset(s->row_sharp, 0, size);
  s->slip_sharp = s->row_sharp + s->sizes.rows;
  for (size_t i = 0; i < s->sizes.rows; i++) HML_TRY(sharpen_row(s, i, outputs));
  for (size_t j = 0; j < s->sizes.frictions; j++) HML_TRY(sharpen_slip(s, j, outputs));
  return HML_OK;
}

static hml_status build(hml_contact_shape *s, const hml_model *model, const hml_model_spec *m, const hml_contact_spec *spec) {
  hml_arena passing;
  hml_arena_init(&passing, s->context);
  hml_status status = copy_descriptions(s, spec);
  if (status == HML_OK) status = build_program(s, model, m, spec, &passing);
  if (status == HML_OK) status = sharpen(s, &passing);
  hml_arena_free(&passing);
  if (status == HML_OK) status = hml_program__is_sharp(s->context, s->program, &s->sharp);
  return status == HML_OK && !s->sharp ? hml_model__is_sharp(s->context, model, &s->sharp) : status;
}

// ---- making
void hml_contact_shape__free(hml_contact_shape *s) {
  if (!s) return;
  for (size_t i = 0; s->row_sharp && i < s->sizes.rows + s->sizes.frictions; i++) hml_sharp__free(s->row_sharp[i]);
  hml_program_free(s->program);
  hml_arena_free(&s->memory);
  hml_dealloc(s->context, s, sizeof *s);
}

hml_status hml_contact_shape__new(hml_context *c, const hml_model *m, const hml_model_spec *symbols, const hml_contact_spec *spec, hml_contact_shape **out) {
  *out = NULL;
  HML_TRY(check(c, m, spec));
  hml_contact_shape *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  *s = (hml_contact_shape){.context = c, .model = hml_model__name(m), .n = hml_model__sizes(m),
                           .sizes = {spec->n_gaps, spec->n_slips, spec->n_tangents, spec->n_frictions, spec->n_gaps + spec->n_slips + spec->n_tangents}};
  hml_arena_init(&s->memory, c);
  hml_status status = build(s, m, symbols, spec);
  if (status != HML_OK) {
    hml_contact_shape__free(s);
    return status;
  }
  *out = s;
  return HML_OK;
}

hml_contact_sizes hml_contact_shape__sizes(const hml_contact_shape *s) {
  return s->sizes;
}

const char *hml_contact_shape__gap_name(const hml_contact_shape *s, size_t i) {
  return s->gaps[i].name;
}

const char *hml_contact_shape__friction_name(const hml_contact_shape *s, size_t j) {
  return s->frictions[j].name;
}
