// hybrid_shape.c: the constant data of runs with contacts and events: names, programs of events, formulas of guards and their rates. Threads
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

// Of a gap, or of an event; NULL: it has none
static hml_expr expression_of(const hml_hybrid_shape *h, const hml_hybrid_spec *s, size_t guard) {
  if (guard >= h->first_event) return s->events[guard - h->first_event].expression;
  if (guard >= h->sizes.gaps) return NULL;
  const hml_gap_spec *gap = s->contacts->gaps + guard;
  return gap->whole ? gap->whole : gap->gap;
}

static hml_status build_formulas(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  memset(h->formulas, 0, h->n_guards * sizeof *h->formulas);
  for (size_t i = 0; i < h->first_event + h->n_events; i++) {
    hml_expr e = expression_of(h, s, i);
    if (e) HML_TRY(hml_formula__build(h->context, &h->memory, s->symbols, h->n_state, e, h->formulas + i));
  }
  return HML_OK;
}

static hml_status build_guards(hml_hybrid_shape *h, const hml_hybrid_spec *s) {
  const size_t contact_guards = h->first_event = h->sizes.gaps + 2 * h->sizes.frictions;
  hml_model__branches(h->of, &h->n_corners);
  h->n_guards = contact_guards + h->n_events + h->n_corners;
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
  for (size_t i = 0; h->formulas && i < h->n_guards; i++) hml_formula__free(h->formulas + i);
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
