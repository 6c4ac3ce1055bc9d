// lane_codes.c: what ensembles take from a model beside its own programs: machine code of these for vector lanes, and programs of residuals and
// tangents. Each is made at the first use and kept with the model, whose ensembles come in portions.
#include "mechanics_impl.h"

typedef struct lane_code {
  struct lane_code *next;
  const hml_program *program;          // lives as long as the model
  unsigned lanes;
  hml_native *code;                    // NULL: there is none
} lane_code;

struct hml_lane_store {
  hml_shelf shelf;
  lane_code *codes;
  hml_program *residuals[2], *tangent;
  hml_hoisted parts;                   // of the tangent
};

hml_status hml_lane_store__new(hml_context *c, hml_lane_store **out) {
  hml_lane_store *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  *s = (hml_lane_store){.codes = NULL};
  const hml_status status = hml_shelf__open(c, "machine code", &s->shelf);
  if (status == HML_OK) *out = s;
  else hml_dealloc(c, s, sizeof *s);
  return status;
}

void hml_lane_store__free(hml_context *c, hml_lane_store *s) {
  if (!s) return;
  for (lane_code *code = s->codes, *next; code; code = next) {
    next = code->next;
    hml_native__free(code->code);
    hml_dealloc(s->shelf.context, code, sizeof *code);
  }
  for (int level = 0; level < 2; level++) hml_program_free(s->residuals[level]);
  hml_program_free(s->tangent);
  hml_program__free_hoisted(&s->parts);
  hml_shelf__close(&s->shelf);
  hml_dealloc(c, s, sizeof *s);
}

static hml_lane_store *enter(hml_context *c, const hml_model *m) {
  hml_shelf__enter(&m->lane_codes->shelf, c);
  return m->lane_codes;
}

// Under the lock
static hml_status make_code(hml_lane_store *s, const hml_program *p, unsigned lanes, const hml_native **out) {
  hml_native *code;
  HML_TRY(hml_native__new(s->shelf.context, p, lanes, &code));
  lane_code *kept = hml_alloc(s->shelf.context, sizeof *kept);
  if (!kept) {
    hml_native__free(code);
    return HML_MEMORY;
  }
  *kept = (lane_code){.next = s->codes, .program = p, .lanes = lanes, .code = code};
  s->codes = kept;
  *out = code;
  return HML_OK;
}

hml_status hml_model__lane_code(hml_context *c, const hml_model *m, const hml_program *p, unsigned lanes, const hml_native **out) {
  hml_lane_store *s = enter(c, m);
  for (const lane_code *code = s->codes; code; code = code->next) {
    if (code->program != p || code->lanes != lanes) continue;
    *out = code->code;
    return hml_shelf__leave(&s->shelf, c, HML_OK);
  }
  *out = NULL;
  return hml_shelf__leave(&s->shelf, c, make_code(s, p, lanes, out));
}

// Under the lock
static hml_status make_residuals(hml_lane_store *s, const hml_model *m, int level, size_t rows) {
  size_t *outputs = hml_alloc(s->shelf.context, rows * sizeof *outputs);
  if (!outputs) return HML_MEMORY;
  for (size_t k = 0; k < rows; k++) outputs[k] = k;
  const hml_status status = hml_program__part(s->shelf.context, level == HML_VELOCITY_LEVEL ? m->velocities : m->positions, rows, outputs, &s->residuals[level]);
  hml_dealloc(s->shelf.context, outputs, rows * sizeof *outputs);
  return status;
}

hml_status hml_model__residuals(hml_context *c, const hml_model *m, int level, const hml_program **out) {
  const size_t rows = level == HML_VELOCITY_LEVEL ? m->n_velocities : m->n_positions;
  *out = NULL;
  if (!rows) return HML_OK;
  hml_lane_store *s = enter(c, m);
  const hml_status status = s->residuals[level] ? HML_OK : make_residuals(s, m, level, rows);
  if (status == HML_OK) *out = s->residuals[level];
  return hml_shelf__leave(&s->shelf, c, status);
}

// Under the lock
static hml_status make_tangent(hml_lane_store *s, const hml_model *m) {
  const size_t n = hml_model_controlled_size(m);
  size_t *active = hml_alloc(s->shelf.context, (n + 1) * sizeof *active);
  if (!active) return HML_MEMORY;
  for (size_t i = 0; i < n; i++) active[i] = 1 + i;
  const size_t inputs = hml_program_inputs(hml_model__lean_rate(m));
  const hml_hoist_layout l = {.first = 0, .count = inputs, .place = inputs + n};
  hml_program *tangent = NULL;
  hml_status status = hml_program__rates(s->shelf.context, hml_model__lean_rate(m), n, active, n, &tangent);
  hml_dealloc(s->shelf.context, active, (n + 1) * sizeof *active);
  if (status == HML_OK) status = hml_program__hoist(s->shelf.context, tangent, &l, &s->parts);
  if (status == HML_OK) s->tangent = tangent;
  else hml_program_free(tangent);
  return status;
}

hml_status hml_model__tangent(hml_context *c, const hml_model *m, hml_lane_tangent *out) {
  hml_lane_store *s = enter(c, m);
  const hml_status status = s->tangent ? HML_OK : make_tangent(s, m);
  *out = (hml_lane_tangent){.whole = NULL};
  if (status == HML_OK) *out = (hml_lane_tangent){s->tangent, s->parts.fixed, s->parts.lean, s->parts.count};
  return hml_shelf__leave(&s->shelf, c, status);
}
