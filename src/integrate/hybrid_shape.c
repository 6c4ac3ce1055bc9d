// hybrid_shape.c: what is constant in runs with contacts and events: names, programs of events, formulas of guards and their rates. Threads
// share it; hybrid.c runs it.
#include "integrate/hybrid.h"

#include <string.h>

static const char *copy_text(hml_arena *a, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = hml_arena_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void *room(hml_hybrid_shape *h, size_t bytes) {
  return hml_arena_alloc(&h->memory, bytes + 16);
}

static bool mentions(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols) {
  hml_expr found[256];
  size_t count = 0;
  if (hml_symbols_of(c, 1, &e, 256, found, &count) != HML_OK || count > 256) return true;   // too many to look through
  for (size_t i = 0; i < count && i < 256; i++)
    for (size_t k = 0; k < n; k++)
      if (found[i] == symbols[k]) return true;
  return false;
}

// The rate of a formula along its moving inputs, so that threads need not derive it. Where there is none, guard.c says why
static hml_status build_rate(hml_hybrid_shape *h, hml_guard_formula *f) {
  size_t n = hml_program_inputs(f->program), moving = 0, *active = room(h, n * sizeof *active);
  hml_program *rate;
  if (!active) return HML_MEMORY;
  for (size_t k = 0; k < n; k++)
    if (f->place[k] <= h->n_state) active[moving++] = k;
  hml_status status = moving ? hml_program_tangent(h->context, f->program, moving, active, &rate) : HML_UNSUPPORTED;
  if (status == HML_OK) f->rate = rate;
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  if (status != HML_OK) hml_context_clear_error(h->context);
  return HML_OK;
}

// e as a program of what it mentions. There is none where that is more than time, states and parameters
static hml_status build_formula(hml_hybrid_shape *h, const hml_model_spec *m, hml_expr e, hml_guard_formula *f) {
  const struct { size_t n; const hml_expr *e; size_t place; } lists[] = {
      {1, &m->time, 0}, {m->n_kin, m->kin, 1}, {m->n_dyn, m->dyn, 1 + m->n_kin}, {m->n_parameters, m->parameters, 1 + h->n_state}};
  size_t n = 0, capacity = 1 + m->n_kin + m->n_dyn + m->n_parameters;
  hml_expr *symbols = room(h, capacity * sizeof *symbols);
  uint32_t *place = room(h, capacity * sizeof *place);
  if (!symbols || !place) return HML_MEMORY;
  hml_status status = hml_symbols_of(h->context, 1, &e, capacity, symbols, &n);
  if (status != HML_OK || n > capacity) return status;                  // more than it may mention
  for (size_t s = 0; s < n; s++) {
    place[s] = UINT32_MAX;
    for (size_t k = 0; k < 4; k++)
      for (size_t i = 0; i < lists[k].n; i++)
        if (symbols[s] == lists[k].e[i]) place[s] = (uint32_t)(lists[k].place + i);
    if (place[s] == UINT32_MAX) return HML_OK;
  }
  hml_program *program;
  HML_TRY(hml_program_new(h->context, n, symbols, 1, &e, &program));
  *f = (hml_guard_formula){.program = program, .place = place};
  return build_rate(h, f);
}

static hml_status build_events(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  const hml_model_spec *m = s->symbols;
  const size_t reactions = h->sizes.rows;
  const struct { size_t n; const hml_expr *e; } lists[] = {
      {1, &m->time}, {m->n_kin, m->kin}, {m->n_dyn, m->dyn}, {m->n_parameters, m->parameters}, {m->n_externals, m->externals},
      {s->rates ? m->n_dyn : 0, s->rates}, {s->multipliers ? m->n_multipliers : 0, s->multipliers}, {s->reactions ? reactions : 0, s->reactions}};
  size_t inputs = 0, outputs = 0, at = 0;
  for (size_t k = 0; k < 8; k++) inputs += lists[k].n;
  hml_expr *in = room(h, inputs * sizeof *in), *out = room(h, s->n_events * sizeof *out);
  if (!in || !out) return HML_MEMORY;
  for (size_t k = 0; k < 8; k++)
    for (size_t i = 0; i < lists[k].n; i++) in[at++] = lists[k].e[i];
  for (size_t i = 0; i < s->n_events; i++) {
    const hml_event_spec *e = s->events + i;
    h->event_names[i] = copy_text(&h->memory, e->name ? e->name : "event");
    h->event_reasons[i] = copy_text(&h->memory, e->reason);
    if (!h->event_names[i]) return HML_MEMORY;
    h->terminal[i] = e->terminal != 0;
    h->by_callback[i] = !e->expression;
    h->flips[i] = e->flips;
    h->n_flips += e->flips != 0;
    if (e->flips > m->n_parameters || (e->flips && !e->expression))
      return hml_fail(h->context, HML_ARGUMENT, "event '%s' flips parameter %zu of %zu", h->event_names[i], e->flips, m->n_parameters);
    if (!e->expression && !s->callbacks.event)
      return hml_fail(h->context, HML_ARGUMENT, "event '%s' has neither an expression nor a function", h->event_names[i]);
    if (e->expression) out[outputs++] = e->expression;
    for (size_t k = 5; k < 8 && e->expression; k++)
      h->needs_solution |= lists[k].n && mentions(h->context, e->expression, lists[k].n, lists[k].e);
  }
  if (!outputs) return HML_OK;
  HML_TRY(hml_program_new(h->context, inputs, in, outputs, out, &h->events));
  if (hml_model_is_native(h->of)) HML_TRY(hml_program__compile(h->events));
  h->n_inputs = inputs;
  return HML_OK;
}

static hml_status build_formulas(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  const size_t first_event = h->n_guards - h->n_events;
  memset(h->formulas, 0, h->n_guards * sizeof *h->formulas);
  for (size_t i = 0; i < h->n_guards; i++) {
    hml_expr e = i < h->sizes.gaps ? s->contacts->gaps[i].gap : i < first_event ? NULL : s->events[i - first_event].expression;
    if (e) HML_TRY(build_formula(h, s->symbols, e, h->formulas + i));
  }
  return HML_OK;
}

static hml_status build_guards(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  const size_t contact_guards = h->sizes.gaps + 2 * h->sizes.frictions;
  h->n_guards = contact_guards + h->n_events;
  h->direction = room(h, h->n_guards);
  h->passive = room(h, h->n_guards * sizeof(bool));
  h->formulas = room(h, h->n_guards * sizeof *h->formulas);
  if (!h->direction || !h->passive || !h->formulas) return HML_MEMORY;
  memset(h->direction, HML_FALLING, h->n_guards);
  memset(h->passive, 0, h->n_guards * sizeof(bool));
  for (size_t i = 0; i < h->n_events; i++) {
    int d = s->events[i].direction;
    h->direction[contact_guards + i] = d < 0 ? HML_FALLING : d > 0 ? HML_RISING : HML_EITHER;
    h->passive[contact_guards + i] = !h->terminal[i] && !h->flips[i];
  }
  return build_formulas(h, s);
}

static hml_status build(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  if (s->contacts) {
    HML_TRY(hml_contact_shape__new(h->context, h->of, s->symbols, s->contacts, &h->contacts));
    h->sizes = hml_contact_shape__sizes(h->contacts);
  }
  h->n_events = s->n_events;
  h->event_names = room(h, s->n_events * sizeof *h->event_names);
  h->event_reasons = room(h, s->n_events * sizeof *h->event_reasons);
  h->terminal = room(h, s->n_events * sizeof(bool));
  h->by_callback = room(h, s->n_events * sizeof(bool));
  h->flips = room(h, s->n_events * sizeof *h->flips);
  if (!h->flips || !h->event_names || !h->event_reasons || !h->terminal || !h->by_callback) return HML_MEMORY;
  HML_TRY(build_events(h, s));
  return build_guards(h, s);
}

size_t hml_hybrid_shape_events(const hml_hybrid_shape *h) {
  return h->n_events;
}

void hml_hybrid_shape_free(hml_hybrid_shape *h) {
  if (!h) return;
  for (size_t i = 0; h->formulas && i < h->n_guards; i++) {
    hml_program_free((hml_program *)h->formulas[i].program);
    hml_program_free((hml_program *)h->formulas[i].rate);
  }
  hml_program_free(h->events);
  hml_contact_shape__free(h->contacts);
  hml_arena_free(&h->memory);
  hml_dealloc(h->context, h, sizeof *h);
}

hml_status hml_hybrid_shape_new(hml_context *c, const hml_model *m, const hml_hybrid_spec *spec, hml_hybrid_shape **out) {
  *out = NULL;
  hml_hybrid_shape *h = hml_alloc(c, sizeof *h);
  if (!h) return HML_MEMORY;
  *h = (hml_hybrid_shape){.context = c, .of = m, .model = hml_model__sizes(m), .n_state = hml_model_state_size(m), .callbacks = spec->callbacks};
  hml_arena_init(&h->memory, c);
  hml_status status = build(h, spec);
  if (status != HML_OK) {
    hml_hybrid_shape_free(h);
    return status;
  }
  *out = h;
  return HML_OK;
}
