// lane_codes.c: what ensembles take from a model beside its own programs: machine code of these for vector lanes, and programs of residuals and
// tangents. Each is made at the first use and kept with the model, whose ensembles come in portions.
#include "mechanics_impl.h"

#include <pthread.h>

typedef struct lane_code {
  struct lane_code *next;
  const hml_program *program;          // lives as long as the model
  unsigned lanes;
  hml_native *code;                    // NULL: there is none
} lane_code;

// The memory comes from a context of the store's own. Only the holder of the lock touches any of it
struct hml_lane_store {
  pthread_mutex_t lock;
  hml_context *context;
  lane_code *codes;
  hml_program *residuals[2], *tangent;
};

hml_status hml_lane_store__new(hml_context *c, hml_lane_store **out) {
  hml_lane_store *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  *s = (hml_lane_store){.context = hml_context_new(NULL, NULL)};
  if (!s->context || pthread_mutex_init(&s->lock, NULL) != 0) {
    hml_context_free(s->context);
    hml_dealloc(c, s, sizeof *s);
    return hml_fail(c, HML_MEMORY, "not enough memory for the machine code of a model");
  }
  *out = s;
  return HML_OK;
}

void hml_lane_store__free(hml_context *c, hml_lane_store *s) {
  if (!s) return;
  for (lane_code *code = s->codes, *next; code; code = next) {
    next = code->next;
    hml_native__free(code->code);
    hml_dealloc(s->context, code, sizeof *code);
  }
  for (int level = 0; level < 2; level++) hml_program_free(s->residuals[level]);
  hml_program_free(s->tangent);
  pthread_mutex_destroy(&s->lock);
  hml_context_free(s->context);
  hml_dealloc(c, s, sizeof *s);
}

// Releases the lock. c takes over a failure of the store's context
static hml_status leave(hml_lane_store *s, hml_context *c, hml_status status) {
  if (status != HML_OK) hml_fail(c, status, "%s", hml_context_error(s->context)->message);
  hml_context_clear_error(s->context);
  hml_context_set_interrupt_flag(s->context, NULL);
  pthread_mutex_unlock(&s->lock);
  return status;
}

static hml_lane_store *enter(hml_context *c, const hml_model *m) {
  pthread_mutex_lock(&m->lane_codes->lock);
  hml_context_set_interrupt_flag(m->lane_codes->context, hml_context_interrupt_flag(c));
  return m->lane_codes;
}

// Under the lock
static hml_status make_code(hml_lane_store *s, const hml_program *p, unsigned lanes, const hml_native **out) {
  hml_native *code;
  HML_TRY(hml_native__new(s->context, p, lanes, &code));
  lane_code *kept = hml_alloc(s->context, sizeof *kept);
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
    return leave(s, c, HML_OK);
  }
  *out = NULL;
  return leave(s, c, make_code(s, p, lanes, out));
}

// Under the lock
static hml_status make_residuals(hml_lane_store *s, const hml_model *m, int level, size_t rows) {
  size_t *outputs = hml_alloc(s->context, rows * sizeof *outputs);
  if (!outputs) return HML_MEMORY;
  for (size_t k = 0; k < rows; k++) outputs[k] = k;
  const hml_status status = hml_program__part(s->context, level == HML_VELOCITY_LEVEL ? m->velocities : m->positions, rows, outputs, &s->residuals[level]);
  hml_dealloc(s->context, outputs, rows * sizeof *outputs);
  return status;
}

hml_status hml_model__residuals(hml_context *c, const hml_model *m, int level, const hml_program **out) {
  const size_t rows = level == HML_VELOCITY_LEVEL ? m->n_velocities : m->n_positions;
  *out = NULL;
  if (!rows) return HML_OK;
  hml_lane_store *s = enter(c, m);
  const hml_status status = s->residuals[level] ? HML_OK : make_residuals(s, m, level, rows);
  if (status == HML_OK) *out = s->residuals[level];
  return leave(s, c, status);
}

// Under the lock
static hml_status make_tangent(hml_lane_store *s, const hml_model *m) {
  const size_t n = hml_model_controlled_size(m);
  size_t *active = hml_alloc(s->context, (n + 1) * sizeof *active);
  if (!active) return HML_MEMORY;
  for (size_t i = 0; i < n; i++) active[i] = 1 + i;
  const hml_status status = hml_program__rates(s->context, hml_model__lean_rate(m), n, active, n, &s->tangent);
  hml_dealloc(s->context, active, (n + 1) * sizeof *active);
  return status;
}

hml_status hml_model__tangent(hml_context *c, const hml_model *m, const hml_program **out) {
  hml_lane_store *s = enter(c, m);
  const hml_status status = s->tangent ? HML_OK : make_tangent(s, m);
  *out = status == HML_OK ? s->tangent : NULL;
  return leave(s, c, status);
}
