// hybrid.c: runs with contacts and the user's events: guards, reactions at their roots, and the sign parameters that change there.
// hybrid_shape.c builds their constant data, hybrid_store.c stores them, hybrid_digits.c judges their digits, event.c locates the roots, contact/reset.c computes impacts and contact modes.
#include "integrate/compared.h"
#include "integrate/corner.h"
#include "integrate/hybrid.h"

#include "integrate/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { LOOKS_INSIDE = 4, CROWD = 1000, MOST_TURNS = 20, SQUEEZED = 100 };   // SQUEEZED: impacts, the last ones, within
#define SQUEEZE 1e-2                   // of the time
#define CROWDED 1e-6                   // of the run: so little time for CROWD meetings of one event
#define EXPLAINED 1e4                  // of the tolerances: a gap may be negative by so much
#define LATELY 0.1                     // of what was allowed at another state: less is not looked at more closely
#define SHORTEST_FLIGHT 1e-10         // of the time, between two passages of a whole course

// ---- memory
static size_t formula_size(const hml_hybrid_shape *s) {
  size_t most = 0;
  for (size_t i = 0; i < s->n_guards; i++) {
    size_t size = s->formulas[i].program ? hml_formula__scratch(s->formulas + i) : 0;
    most = size > most ? size : most;
  }
  return most;
}

#define HYBRID_FIELDS(FIELD)                                                                            \
  FIELD(double, flipped_at, s->n_events)                                                                \
  FIELD(double, crowd_since, s->n_events)                                                               \
  FIELD(size_t, met, s->n_events)                                                                       \
  FIELD(double, event_in, s->n_inputs)                                                                  \
  FIELD(double, event_out, s->n_events)                                                                 \
  FIELD(double, event_work, s->events ? hml_program_work_size(s->events) : 0)                           \
  FIELD(signed char, direction, s->n_guards)                                                            \
  FIELD(signed char, side, s->n_guards)                                                                 \
  FIELD(bool, passed, s->n_guards)                                                                      \
  FIELD(bool, counts, s->n_guards)                                                                      \
  FIELD(bool, none, s->n_guards)                                                                        \
  FIELD(bool, struck, s->sizes.gaps)                                                                    \
  FIELD(hml_guard_formula, formulas, s->n_guards)                                                       \
  FIELD(const hml_guard_formula *, formula, s->n_guards)                                                \
  FIELD(double, allowed, s->sizes.gaps)                                                                 \
  FIELD(double, formula_in, formula_size(s))                                                            \
  FIELD(double, values, s->n_guards)                                                                    \
  FIELD(double, scratch, 2 * s->n_state + s->sizes.rows + s->model.multipliers)

static size_t lay_out(hml_hybrid *h, char *block) {
  const hml_hybrid_shape *s = h->shape;
  size_t at = 0;
#define FIELD(type, name, count)                      \
  if (block) h->name = (type *)(void *)(block + at);   \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  HYBRID_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

static hml_status take_guards(hml_hybrid *h) {
  const hml_hybrid_shape *s = h->shape;
  h->block_size = lay_out(h, NULL);
  h->block = hml_alloc(h->context, h->block_size);
  if (!h->block) return HML_MEMORY;
  memset(h->block, 0, h->block_size);
  lay_out(h, h->block);
  h->all_formulas = true;
  for (size_t i = 0; i < s->sizes.gaps; i++) h->all_formulas &= s->formulas[i].program != NULL;
  for (size_t i = 0; i < s->n_guards; i++) {
    h->direction[i] = s->direction[i];
    size_t event = i - s->first_event;
    h->counts[i] = i >= s->first_event && event < s->n_events && !s->flips[event] && !s->event_reasons[event];
    h->formulas[i] = s->formulas[i];
    h->formulas[i].constants = hml_workspace__inputs(h->w) + 1 + h->shape->model.kin + h->shape->model.dyn;
    h->formula[i] = h->formulas[i].program ? h->formulas + i : NULL;
  }
  return HML_OK;
}

static hml_status open_parts(hml_hybrid *h) {
  HML_TRY(hml_records__new(h->context, &h->records));
  if (h->shape->contacts) HML_TRY(hml_contacts__new(h->w, h->shape->contacts, &h->contacts));
  HML_TRY(hml_corners__open(h->w, &h->corners));
  return take_guards(h);
}

void hml_hybrid_free(hml_hybrid *h) {
  if (!h) return;
  hml_contacts__free(h->contacts);
  hml_corners__close(h->corners);
  hml_records__free(h->records);
  hml_text_free(&h->resting);
  hml_text_free(&h->stored);
  hml_dealloc(h->context, h->block, h->block_size);
  hml_hybrid_shape_free(h->own);
  hml_dealloc(h->context, h, sizeof *h);
}

static hml_status open_hybrid(hml_workspace *w, const hml_hybrid_shape *shape, hml_hybrid_shape *own, hml_hybrid **out) {
  hml_context *c = hml_workspace__context(w);
  hml_hybrid *h = hml_alloc(c, sizeof *h);
  *out = NULL;
  if (!h) {
    hml_hybrid_shape_free(own);
    return HML_MEMORY;
  }
  *h = (hml_hybrid){.context = c, .w = w, .shape = shape, .own = own, .ended_at = NAN};
  hml_text_init(&h->resting, c);
  hml_text_init(&h->stored, c);
  hml_status status = open_parts(h);
  if (status != HML_OK) {
    hml_hybrid_free(h);
    return status;
  }
  *out = h;
  return HML_OK;
}

hml_status hml_hybrid_open(hml_workspace *w, const hml_hybrid_shape *shape, hml_hybrid **out) {
  *out = NULL;
  if (shape->of != hml_workspace__model(w)) return hml_fail(hml_workspace__context(w), HML_ARGUMENT, "hybrid: the workspace is of another model");
  return open_hybrid(w, shape, NULL, out);
}

hml_status hml_hybrid_new(hml_workspace *w, const hml_hybrid_spec *spec, hml_hybrid **out) {
  hml_hybrid_shape *shape;
  *out = NULL;
  HML_TRY(hml_hybrid_shape_new(hml_workspace__context(w), hml_workspace__model(w), spec, &shape));
  return open_hybrid(w, shape, shape, out);
}

const hml_hybrid_shape *hml_hybrid_shape_of(const hml_hybrid *h) {
  return h->shape;
}

// ---- records
size_t hml_hybrid_records(const hml_hybrid *h) {
  return hml_records__count(h->records);
}

hml_record hml_hybrid_record(const hml_hybrid *h, size_t i) {
  return *hml_records__at(h->records, i);
}

static hml_status note(void *payload, double t, const char *text) {
  return hml_records__note(((hml_hybrid *)payload)->records, t, text);
}

static hml_status record_blow(void *payload, const hml_struck *b) {
  hml_hybrid *h = payload;
  hml_record r = {.kind = HML_RECORD_IMPACT, .t = b->t, .which = b->gap, .state = b->before, .after = b->after, .energy_change = b->energy_change};
  return hml_records__add(h->records, r, h->shape->n_state, h->shape->n_state + h->shape->sizes.rows + h->shape->model.multipliers);   // then impulses
}

static hml_status record_switch(void *payload, const hml_switch *s) {
  hml_hybrid *h = payload;
  hml_record r = {.kind = HML_RECORD_SWITCH, .t = s->t, .which = s->is_friction ? h->shape->sizes.gaps + s->which : s->which,
                  .from = (s->is_friction ? HML_FRICTION_FREE : HML_OPEN) + s->from, .to = (s->is_friction ? HML_FRICTION_FREE : HML_OPEN) + s->to};
  memcpy(r.leaves, s->leaves, sizeof r.leaves);
  memcpy(r.takes, s->takes, sizeof r.takes);
  return hml_records__add(h->records, r, 0, 0);
}

static hml_status record_accumulation(void *payload, const hml_accumulated *a) {
  hml_hybrid *h = payload;
  hml_record r = {.kind = HML_RECORD_ACCUMULATION, .t = a->t, .which = a->gap, .error = a->error, .ratio = a->ratio, .impacts = a->impacts};
  return hml_records__add(h->records, r, 0, 0);
}

size_t hml_hybrid_meetings(const hml_hybrid *h, size_t event) {
  return hml_records__meetings(h->records, event);
}

// ---- the problem as the integrator sees it
static hml_status rhs(void *payload, double t, const double *y, double *f) {
  hml_hybrid *h = payload;
  return h->contacts ? hml_contacts__rate_at(h->contacts, t, y, f) : hml_workspace__rate(h->w, t, y, f);
}

static double stretch(void *payload, const hml_range *over, const hml_range *start, const hml_range *end, bool blind) {
  return hml_contacts__stretch(((hml_hybrid *)payload)->contacts, over, start, end, blind);
}

static hml_status jacobian(void *payload, double t, const double *y, double *dfdy, double *dfdt) {
  hml_hybrid *h = payload;
  HML_TRY(hml_workspace_set_state(h->w, t, y));
  return hml_state_jacobian(h->w, dfdy, dfdt);
}

static hml_status project(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  hml_hybrid *h = payload;
  bool contacts_moved = false;
  HML_TRY(hml_project(h->w, t, rtol, atol, y, moved));
  if (!h->contacts || !hml_contacts__holds_any(h->contacts)) return HML_OK;
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  HML_TRY(hml_contacts__project(h->contacts, rtol, atol, y, &contacts_moved));
  *moved |= contacts_moved;
  return HML_OK;
}

static const char *name(void *payload, size_t i) {
  return hml_model__state_name(hml_workspace__model(((hml_hybrid *)payload)->w), i);
}

// ---- parameters that hold signs
static hml_status set_sign(hml_hybrid *h, size_t event, double sign) {
  double *values = h->event_in;        // large enough, and filled anew before it is used
  memcpy(values, hml_workspace__inputs(h->w) + 1 + h->shape->model.kin + h->shape->model.dyn, h->shape->model.parameters * sizeof *values);
  values[h->shape->flips[event] - 1] = sign;
  return hml_workspace_set_parameters(h->w, values);
}

static hml_status event_values(hml_hybrid *h, double t, const double *y, double *out);

// At a state on neither root
static hml_status align_signs(hml_hybrid *h, double t, const double *y) {
  if (!h->shape->n_flips) return HML_OK;
  double *out = h->values + h->shape->first_event;
  HML_TRY(hml_workspace_set_state(h->w, t, y));
  HML_TRY(event_values(h, t, y, out));
  for (size_t i = 0; i < h->shape->n_events; i++)
    if (h->shape->flips[i] && out[i] != 0) HML_TRY(set_sign(h, i, out[i] < 0 ? -1 : 1));
  return HML_OK;
}

// ---- guards
static hml_status event_values(hml_hybrid *h, double t, const double *y, double *out) {
  size_t expressions = 0;
  if (h->shape->events) {
    const size_t base = 1 + h->shape->model.kin + h->shape->model.dyn + h->shape->model.parameters + h->shape->model.externals;
    double *a = h->event_in + base, *lambda = a + h->shape->model.dyn, *z = lambda + h->shape->model.multipliers;
    if (h->shape->needs_solution && h->contacts)
      HML_TRY(hml_contacts__solution(h->contacts, a, lambda, z));
    else if (h->shape->needs_solution) {
      HML_TRY(hml_acceleration(h->w, a));
      HML_TRY(hml_multipliers(h->w, lambda));
    }
    memcpy(h->event_in, hml_workspace__inputs(h->w), base * sizeof *h->event_in);
    hml_program_eval(h->shape->events, h->event_in, h->event_out, h->event_work);
  }
  for (size_t i = 0; i < h->shape->n_events; i++) {
    if (h->shape->by_callback[i])
      HML_TRY(h->shape->callbacks.event(h->shape->callbacks.payload, i, t, y, out + i));
    else
      out[i] = h->event_out[expressions++];
    if (!isfinite(out[i])) return hml_fail(h->context, HML_NOT_FINITE, "event '%s' is not finite at t = %.10g", h->shape->event_names[i], t);
  }
  return HML_OK;
}

static hml_status values(void *payload, double t, const double *y, double *out) {
  hml_hybrid *h = payload;
  if (h->contacts) {
    HML_TRY(hml_contacts__set_state(h->contacts, t, y));
    HML_TRY(hml_contacts__guards(h->contacts, out, out + h->shape->sizes.gaps, out + h->shape->sizes.gaps + h->shape->sizes.frictions));
  } else {
    HML_TRY(hml_workspace_set_state(h->w, t, y));
  }
  if (h->corners) HML_TRY(hml_corners__values(h->corners, t, y, out + h->shape->first_event + h->shape->n_events));
  return event_values(h, t, y, out + h->shape->first_event);
}

static hml_status spread(void *payload, double t, const double *y, const hml_range *box, double *out, bool *known) {
  hml_hybrid *h = payload;
  const size_t gaps = h->shape->sizes.gaps, frictions = h->shape->sizes.frictions;
  for (size_t i = 0; i < h->shape->n_guards; i++) out[i] = 0;
  *known = true;
  if (!h->contacts) return HML_OK;
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  return hml_contacts__spread(h->contacts, box, out, out + gaps, out + gaps + frictions, known);
}

// reactions at roots
// Directions and sides of the guards in the mode in force
static void follow_mode(hml_hybrid *h) {
  const hml_contacts *c = h->contacts;
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) {
    bool closed = hml_contacts__is_closed(c, i);
    h->side[i] = (signed char)hml_contacts__gap_side(c, i);
    h->passed[i] = closed;
    h->formula[i] = closed || !h->formulas[i].program ? NULL : h->formulas + i;   // of a closed gap the reaction is watched
  }
  for (size_t j = 0; j < h->shape->sizes.frictions; j++) {
    size_t i = h->shape->sizes.gaps + j;
    h->direction[i] = hml_contacts__friction(c, j) == HML_FREE || hml_contacts__slides(c, j) ? HML_ASLEEP : HML_FALLING;
    h->direction[i + h->shape->sizes.frictions] = hml_contacts__watches_cone(c, j) ? HML_FALLING : HML_ASLEEP;
    h->side[i] = (signed char)hml_contacts__slip_side(c, j);
    h->passed[i] = hml_contacts__friction(c, j) == HML_STICK;
    h->passed[i + h->shape->sizes.frictions] = true;
  }
  hml_hybrid__renew_digits(h);
}

static hml_status contacts_react(hml_hybrid *h, double t, double *y, const bool *fired, bool flipped, bool bent, size_t point) {
  bool any = flipped || bent;
  for (size_t i = 0; i < h->shape->first_event; i++) any |= fired[i];
  if (!any) return HML_OK;
  // at the end of a slip its direction is that of the mode, which has turned along
  for (size_t j = 0; j < h->shape->sizes.frictions; j++)
    if (fired[h->shape->sizes.gaps + j] && hml_contacts__slides(h->contacts, j) && point) HML_TRY(hml_records__keep_mode(h->records, h->contacts, point - 1));
  HML_TRY(hml_contacts__react(h->contacts, t, y, fired, flipped, bent));
  h->reacted_at = t;
  follow_mode(h);
  return hml_records__keep_mode(h->records, h->contacts, point);
}

// Signs that flip again at once belong to flights that no state resolves
static hml_status flip(hml_hybrid *h, size_t event, double t) {
  double now = hml_workspace__inputs(h->w)[h->shape->model.kin + h->shape->model.dyn + h->shape->flips[event]], before = h->flipped_at[event];
  h->flipped_at[event] = t;
  if (fabs(t - before) < SHORTEST_FLIGHT * fabs(t) && h->shape->event_reasons[event])
    return hml_fail(h->context, HML_SINGULAR, "%s", h->shape->event_reasons[event]);
  return set_sign(h, event, -now);
}

// Events that follow each other ever faster, as the zeros of x sin(1/x) do where x comes to zero
static hml_status count_event(hml_hybrid *h, size_t event, double t) {
  if (h->met[event]++ % CROWD != 0) return HML_OK;
  double passed = fabs(t - h->crowd_since[event]);
  h->crowd_since[event] = t;
  if (h->met[event] == 1 || passed > CROWDED * h->span) return HML_OK;
  return hml_fail(h->context, HML_SINGULAR, "event '%s' accumulates at t = %.10g: it was met %d times within %.3g; end the run before this time, or watch an expression "
                  "whose zeros do not accumulate", h->shape->event_names[event], t, (int)CROWD, passed);
}

// Blows turn the motion at corners that are met at this instant: it enters another side, where it may be struck again
static hml_status turn_at_corners(hml_hybrid *h, double t, double *y, const bool *fired, size_t point) {
  bool changed = true;
  for (int round = 0; changed; round++) {
    if (round == MOST_TURNS) return hml_fail(h->context, HML_NO_CONTACT_MODE, "t = %.10g: the impacts at a corner of a floor do not end; declare its two sides as gaps of their own", t);
    HML_TRY(hml_contacts__note_rates(h->contacts, t, y));
    HML_TRY(hml_corners__jumped(h->corners, t, y, &changed));
    if (changed) HML_TRY(contacts_react(h, t, y, fired, false, true, point));
  }
  return HML_OK;
}

// Gaps that flights end on, or that a motion begins on at rest, have no corner there
static hml_status check_strikes(hml_hybrid *h, double t, const double *y, const bool *struck, bool at_rest) {
  double *f = h->scratch, speed = 0;
  if (!h->corners || !h->contacts) return HML_OK;
  HML_TRY(hml_workspace__rate(h->w, t, y, f));
  for (size_t k = 0; k < h->shape->model.kin; k++) speed = fmax(speed, fabs(f[k]));
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) {
    if (!struck[i] || !h->formulas[i].program) continue;
    const hml_struck_gap gap = {h->formulas + i, hml_contact_shape__gap_name(h->shape->contacts, i), h->formula_in, speed * fabs(t - h->reacted_at), at_rest};
    HML_TRY(hml_corners__check_strike(h->corners, &gap, t, y, f, h->rtol, h->atol));
  }
  return HML_OK;
}

// Of those that fired the ones that were open
static hml_status check_flights(hml_hybrid *h, double t, const double *y, const bool *fired) {
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) h->struck[i] = fired[i] && !hml_contacts__is_closed(h->contacts, i);
  return check_strikes(h, t, y, h->struck, false);
}

// The events in `fired`, of all guards; the run ends at those that are terminal
static hml_status meet_events(hml_hybrid *h, double t, const double *y, const bool *fired, bool *flipped) {
  const size_t first = h->shape->first_event;
  for (size_t i = 0; i < h->shape->n_events; i++) {
    if (!fired[first + i]) continue;
    HML_TRY(count_event(h, i, t));
    if (h->shape->flips[i]) HML_TRY(flip(h, i, t));
    *flipped |= h->shape->flips[i] != 0;
    HML_TRY(hml_records__add(h->records, (hml_record){.kind = HML_RECORD_EVENT, .t = t, .which = i, .state = y}, h->shape->n_state, 0));
  }
  for (size_t i = 0; i < h->shape->n_events; i++)
    if (fired[first + i] && h->shape->terminal[i])
      return h->shape->event_reasons[i] ? hml_fail(h->context, HML_SINGULAR, "%s", h->shape->event_reasons[i])
                                 : hml_fail(h->context, HML_EVENT, "event '%s'", h->shape->event_names[i]);
  return HML_OK;
}

static hml_status jumped(void *payload, double t, const double *y, const bool *met) {
  bool flipped = false;
  return meet_events(payload, t, y, met, &flipped);
}

static hml_status react(void *payload, double t, double *y, const bool *fired, size_t point) {
  hml_hybrid *h = payload;
  const size_t first = h->shape->first_event;
  bool flipped = false;
  HML_TRY(meet_events(h, t, y, fired, &flipped));
  const bool *met = fired + first + h->shape->n_events;
  bool corners = false;
  for (size_t i = 0; i < h->shape->n_corners; i++) corners |= met[i];
  h->seamless = corners && !flipped && !h->contacts;
  if (h->contacts) HML_TRY(check_flights(h, t, y, fired));
  if (corners && h->contacts) HML_TRY(hml_contacts__note_rates(h->contacts, t, y));
  if (corners || (h->corners && h->contacts)) HML_TRY(hml_corners__react(h->corners, t, y, met));
  if (!h->contacts) return HML_OK;
  HML_TRY(contacts_react(h, t, y, fired, flipped, corners, point));
  return h->corners ? turn_at_corners(h, t, y, h->none, point) : HML_OK;
}

// The end of a slip in two directions
static hml_status cap(void *payload, double t, const double *y, const double *f, double *most, size_t *fires, bool *changed) {
  hml_hybrid *h = payload;
  *changed = false;
  *most = INFINITY;
  *fires = SIZE_MAX;
  if (h->corners) HML_TRY(hml_corners__check_end(h->corners, t));
  if (h->corners && h->contacts) {
    HML_TRY(hml_contacts__set_state(h->contacts, t, y));
    HML_TRY(hml_contacts__check_coefficients(h->contacts));
  }
  if (h->contacts) HML_TRY(hml_hybrid__look_at_digits(h, t, y));
  h->turns = h->contacts && hml_contacts__any_slides(h->contacts);
  if (!h->turns) return HML_OK;
  HML_TRY(hml_contacts__cap(h->contacts, t, y, f, most, fires, changed));
  if (*fires != SIZE_MAX) *fires += h->shape->sizes.gaps;
  return HML_OK;
}

static hml_status grazes(void *payload, const hml_problem *p, const hml_step *s, const double *piece, double until, double *at) {
  hml_hybrid *h = payload;
  return h->corners ? hml_corners__grazes(h->corners, p, s, piece, until, at) : HML_OK;
}

static hml_status refuses(void *payload, double t, const double *y, size_t *guard) {
  hml_hybrid *h = payload;
  *guard = SIZE_MAX;
  if (!h->contacts || !hml_contacts__any_slides(h->contacts)) return HML_OK;
  return hml_contacts__strays(h->contacts, t, y, guard);
}

// A step has ended in a mode that does not hold there
static hml_status lacks(void *payload, double t, const double *y) {
  hml_hybrid *h = payload;
  if (!h->contacts) return HML_OK;
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  return hml_contacts__check_mode(h->contacts);
}

// A gap that is touched
static hml_status touched(void *payload, double t, const double *y, const double *y0, size_t guard) {
  hml_hybrid *h = payload;
  if (guard >= h->shape->sizes.gaps || hml_contacts__is_closed(h->contacts, guard)) return HML_OK;
  HML_TRY(hml_contacts__set_state(h->contacts, t, y0));
  return hml_contacts__check_touch(h->contacts, t, y, guard);
}

// A guard that stays on its root
static hml_status stays(void *payload, double t, size_t guard) {
  hml_hybrid *h = payload;
  const size_t first = h->shape->first_event;
  char text[300];
  if (guard < first || guard >= first + h->shape->n_events || h->shape->flips[guard - first]) return HML_OK;
  snprintf(text, sizeof text, "event '%.100s' is zero to rounding from t = %.10g on; that counts once, until it leaves zero", h->shape->event_names[guard - first], t);
  return note(h, t, text);
}

// ---- runs
// A start on a root takes the sign that a short way along the motion shows
static hml_status signs_on_roots(hml_hybrid *h, double t0, const double *y) {
  double *out = h->values + h->shape->first_event, *ahead = h->scratch;
  bool any = false;
  if (!h->shape->n_flips) return HML_OK;
  HML_TRY(hml_workspace_set_state(h->w, t0, y));
  HML_TRY(event_values(h, t0, y, out));
  for (size_t i = 0; i < h->shape->n_events; i++) any |= h->shape->flips[i] && out[i] == 0;
  if (!any) return HML_OK;
  HML_TRY(rhs(h, t0, y, ahead));
  for (size_t i = 0; i < h->shape->n_state; i++) ahead[i] = y[i] + 1e-6 * ahead[i];
  return align_signs(h, t0, ahead);
}

static hml_status begin_contacts(hml_hybrid *h, double t0, double *y) {
  HML_TRY(hml_contacts__start(h->contacts, t0, y));
  h->reacted_at = t0;
  follow_mode(h);
  return hml_records__keep_mode(h->records, h->contacts, 0);
}

// Nothing of events is known yet
static void forget_events(hml_hybrid *h, double t0, double t1) {
  for (size_t i = 0; i < h->shape->n_events; i++) h->flipped_at[i] = NAN, h->met[i] = 0;
  h->span = fabs(t1 - t0);
}

static hml_status begin_corners(hml_hybrid *h, const hml_run_options *o, double t0, double t1, const double *y) {
  const size_t first = h->shape->first_event + h->shape->n_events;
  if (!h->corners) return HML_OK;
  return hml_corners__begin(h->corners, &(hml_corner_run){t0, t1, o, h, rhs}, (hml_corner_lists){h->direction + first, h->side + first, h->formula + first}, y);
}

static double gap_by_formula(hml_hybrid *h, size_t gap, double t, const double *x);

// A start at rest
static hml_status check_rest(hml_hybrid *h, double t, const double *x) {
  const size_t n = h->shape->model.kin;
  for (size_t k = n; k < n + h->shape->model.dyn; k++)
    if (x[k] != 0) return HML_OK;
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) h->struck[i] = h->formulas[i].program && gap_by_formula(h, i, t, x) <= h->atol;
  return check_strikes(h, t, x, h->struck, true);
}

// On a corner of the forces the mode was chosen by the value there; from now on the side holds to which the motion leads
static hml_status leave_corners(hml_hybrid *h, double t, double *y) {
  if (!h->contacts || !hml_corners__met_any(h->corners)) return HML_OK;
  HML_TRY(hml_contacts__note_rates(h->contacts, t, y));
  HML_TRY(contacts_react(h, t, y, h->none, false, true, 0));
  return turn_at_corners(h, t, y, h->none, 0);
}

static hml_status begin_on_sides(hml_hybrid *h, const hml_run_options *o, double t0, double t1, double *y) {
  forget_events(h, t0, t1);
  HML_TRY(align_signs(h, t0, y));
  if (h->contacts) HML_TRY(begin_contacts(h, t0, y));
  HML_TRY(signs_on_roots(h, t0, y));
  HML_TRY(begin_corners(h, o, t0, t1, y));
  HML_TRY(leave_corners(h, t0, y));
  return check_rest(h, t0, y);
}

static hml_status begin(hml_hybrid *h, const hml_run_options *o, double t0, double t1, double *y) {
  const int heading = hml_workspace__head(h->w, t1 < t0 ? -1 : 1);
  const hml_status status = begin_on_sides(h, o, t0, t1, y);
  hml_workspace__head(h->w, heading);
  return status;
}

// ---- runs that continue the last one

static hml_status check_continued(const hml_hybrid *h, const hml_run_options *o, const hml_stepper *method, double t0) {
  if (method->over_impacts || h->shape->n_flips)
    return hml_fail(h->context, HML_UNSUPPORTED, "run: %s cannot be continued", method->over_impacts ? "time stepping" : "a run whose events flip signs");
  if (o->keep != HML_KEEP_STEPS) return hml_fail(h->context, HML_ARGUMENT, "run: only a run that keeps its steps can be continued");
  if (t0 != h->ended_at) return hml_fail(h->context, HML_ARGUMENT, "run: no run with these contacts and events ended at t = %.15g, from where this one continues", t0);
  return HML_OK;
}

// Sides of guards on their roots are of the instant of a reaction; later a guard has left its root
static hml_status go_on(hml_hybrid *h, const hml_run_options *o, double t0, double t1, const double *y) {
  forget_events(h, t0, t1);
  if (h->contacts) {
    hml_reader r = {h->resting.data, h->resting.data + h->resting.length, false};
    hml_contacts__restore(h->contacts, &r);
    if (r.failed || r.at != r.end) return hml_fail(h->context, HML_ARGUMENT, "run: the contacts of the run to continue are of another shape");
    HML_TRY(hml_contacts__set_state(h->contacts, t0, y));
    follow_mode(h);
    if (t0 != h->reacted_at) memset(h->side, 0, h->shape->first_event * sizeof *h->side);
  }
  return begin_corners(h, o, t0, t1, y);
}

static hml_status rest(hml_hybrid *h, double t) {
  h->resting.length = 0;
  if (h->contacts) hml_contacts__store(h->contacts, &h->resting);
  if (h->resting.failed) return HML_MEMORY;
  h->ended_at = t;
  return HML_OK;
}

// ---- time stepping: the reactions of each step are kept in place of modes

// A gap that is struck in the middle of the step
static hml_status check_step(hml_hybrid *h, double t, double step, const double *before, size_t gap) {
  double *middle = h->scratch + h->shape->n_state;
  memcpy(middle, before, h->shape->n_state * sizeof *middle);
  for (size_t k = 0; k < h->shape->model.kin; k++) middle[k] += 0.5 * step * before[h->shape->model.kin + k];
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) h->struck[i] = i == gap;
  HML_TRY(check_strikes(h, t - 0.5 * step, middle, h->struck, false));
  h->reacted_at = t;
  return HML_OK;
}

static hml_status took(void *payload, double t, double step, const double *before, const double *after, const hml_step_report *report) {
  hml_hybrid *h = payload;
  const size_t rows = h->shape->sizes.rows, m = h->shape->model.multipliers;
  double *z = h->scratch;
  if (report->strikes != SIZE_MAX) HML_TRY(check_step(h, t, step, before, report->strikes));
  for (size_t i = 0; i < rows; i++) z[i] = report->impulses[i] / step;
  HML_TRY(hml_records__keep_step(h->records, z, rows));
  if (report->strikes == SIZE_MAX) return HML_OK;
  hml_record r = {.kind = HML_RECORD_IMPACT, .t = t, .which = report->strikes, .state = before};
  double energy = 0, energy_after = 0, *state = h->scratch;
  HML_TRY(hml_workspace_set_state(h->w, t - step, before));
  HML_TRY(hml_energies(h->w, &energy, NULL));
  HML_TRY(hml_workspace_set_state(h->w, t, after));
  HML_TRY(hml_energies(h->w, &energy_after, NULL));
  r.energy_change = energy_after - energy;
  memcpy(state, after, h->shape->n_state * sizeof *state);
  memcpy(state + h->shape->n_state, report->impulses, rows * sizeof *state);
  memcpy(state + h->shape->n_state + rows, report->multipliers, m * sizeof *state);
  r.after = state;
  return hml_records__add(h->records, r, h->shape->n_state, h->shape->n_state + rows + m);
}

static const char *gap_name(void *payload, size_t gap) {
  return hml_contact_shape__gap_name(((hml_hybrid *)payload)->shape->contacts, gap);
}

static void count(const hml_hybrid *h, hml_outcome *outcome) {
  outcome->impacts = hml_records__impacts(h->records) - h->impacts_before;
  outcome->switches = hml_records__switches(h->records) - h->switches_before;
}

static hml_status run_steps(hml_hybrid *h, const hml_run_options *o, double t0, double t1, const double *x, hml_trajectory **out,
                            hml_outcome *outcome) {
  if (o->keep != HML_KEEP_STEPS) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' keeps every step");
  if (!(o->step > 0)) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' makes fixed steps: give step > 0, not %g", o->step);
  if (!h->contacts) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' is for systems with one-sided constraints or friction");
  if (h->shape->n_events) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' locates no events");
  HML_TRY(hml_contacts__set_state(h->contacts, t0, x));
  HML_TRY(hml_contacts__check_start(h->contacts));
  HML_TRY(hml_workspace__has_value(h->w));
  HML_TRY(check_rest(h, t0, x));
  h->reacted_at = t0;
  h->stepped = true;
  hml_moreau m = {.w = h->w, .contacts = h->contacts, .step = o->step, .rtol = o->rtol, .atol = o->atol, .max_steps = o->max_steps,
                  .gaps = h->shape->sizes.gaps, .gap = h->formulas, .gap_name = gap_name, .stretch = stretch, .payload = h, .took = took, .note = note};
  HML_TRY(hml_moreau__run(h->context, &m, t0, t1, x, out, outcome));
  count(h, outcome);
  return HML_OK;
}

// ---- no gap is negative on the dense output by more than the tolerances of the run explain

// With its corners, on whichever side the mode holds
static double gap_by_formula(hml_hybrid *h, size_t gap, double t, const double *x) {
  const hml_guard_formula *f = h->formulas + gap;
  return hml_formula__value(f, h->shape->n_state, t, x, h->formula_in);
}

// By the formulas of the gaps: is one of them, or one that has no formula, deeper than what was allowed there lately?
static bool may_be_deep(hml_hybrid *h, double t, const double *x) {
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) {
    if (!h->formulas[i].program) return true;
    if (!(gap_by_formula(h, i, t, x) >= -LATELY * h->allowed[i])) return true;
  }
  return false;
}

static hml_status look_at_gaps(hml_hybrid *h, double t, const double *x) {
  hml_deepest *worst = &h->worst;
  const double *gap;
  if (worst->depth > 0 || !may_be_deep(h, t, x)) return HML_OK;          // behind the first such place a gap that was lost may fall to any depth
  HML_TRY(hml_contacts__set_state(h->contacts, t, x));
  HML_TRY(hml_contacts__values(h->contacts, &gap, NULL));
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) {
    double allowed = EXPLAINED * (h->atol * hml_contacts__reach(h->contacts, i) + h->rtol * hml_contacts__place_scale(h->contacts, i));
    double depth = h->formulas[i].program ? -gap_by_formula(h, i, t, x) : -gap[i];
    h->allowed[i] = allowed;
    if (!(depth > allowed) || depth / allowed <= worst->depth / worst->allowed) continue;
    *worst = (hml_deepest){i, t, depth, allowed};
  }
  return HML_OK;
}

// Places inside of the step that begins at a point. The roots of an open gap with a formula are followed over the whole step: where errors are
// controlled, one look checks the polynomial of its part
static int looks_inside(const hml_hybrid *h, size_t point, size_t *at) {
  const hml_kept_mode *mode = h->all_formulas && h->controlled ? hml_records__next_mode(h->records, point, at) : NULL;
  return mode && hml_contacts__all_open(h->contacts, mode) ? 2 : LOOKS_INSIDE;
}

static hml_status look(void *payload, const hml_trajectory *r, size_t first, size_t end) {
  hml_hybrid *h = payload;
  double *x = h->scratch;
  size_t at = 0;
  double from = first ? hml_trajectory_time(r, first - 1) : NAN, to = NAN;
  const double *start_y = first ? hml_trajectory_state(r, first - 1) : NULL, *end_y = NULL;
  for (size_t i = first; i < end && h->shape->sizes.gaps; i++, from = to, start_y = end_y) {
    to = hml_trajectory_time(r, i);
    end_y = hml_trajectory_state(r, i);
    // a jump of velocities alone leaves the gaps as they were
    if (to == from && memcmp(start_y, end_y, h->shape->model.kin * sizeof *start_y) == 0) continue;
    HML_TRY(look_at_gaps(h, to, end_y));
    if (!i || to == from) continue;
    for (int k = 1, looks = looks_inside(h, i - 1, &at); k < looks; k++) {
      double theta = (double)k / looks;
      hml_dense__value(h->shape->n_state, hml_trajectory__pieces(r), start_y, hml_trajectory__piece(r, i), theta, x);
      HML_TRY(look_at_gaps(h, from + (to - from) * theta, x));
    }
  }
  return HML_OK;
}

static void judge_gaps(const hml_hybrid *h, hml_outcome *outcome) {
  const hml_deepest *worst = &h->worst;
  if (!(worst->depth > 0)) return;
  outcome->status = HML_PENETRATION;
  snprintf(outcome->message, sizeof outcome->message, "'%.80s' is %.3g at t = %.10g, where it must not be negative: the tolerances explain %.1g",
           hml_contact_shape__gap_name(h->shape->contacts, worst->gap), -worst->depth, worst->t, worst->allowed);
}

// Gaps that have been struck in turn all along the last steps of a run that crawls: what lies between them is squeezed
static void name_squeezing(const hml_hybrid *h, hml_outcome *o) {
  const size_t n = hml_records__count(h->records), gaps = h->shape->sizes.gaps;
  const char *names[16];
  double counts[16] = {0};
  size_t listed = gaps < 16 ? gaps : 16, last = 0;
  for (size_t k = n; k-- > 0 && last < SQUEEZED;) {
    const hml_record *r = hml_records__at(h->records, k);
    if (r->kind != HML_RECORD_IMPACT) continue;
    last++;
    if (r->which < listed) counts[r->which]++;
    if (last == SQUEEZED && o->t - r->t > SQUEEZE * fabs(o->t)) return;
  }
  if (last < SQUEEZED) return;
  char who[300];
  for (size_t i = 0; i < listed; i++) names[i] = hml_contact_shape__gap_name(h->shape->contacts, i);
  hml_names__join(listed, names, counts, 0.1, "'", sizeof who, who);
  size_t end = strlen(o->message);
  snprintf(o->message + end, sizeof o->message - end, "; impacts at %s follow each other ever faster: they leave what they touch no room", who);
}

static hml_status check_method(const hml_hybrid *h, const hml_stepper *m) {
  if (hml_stepper__takes_contacts(m)) return HML_OK;
  return hml_fail(h->context, HML_UNSUPPORTED, "run: method '%s' takes no one-sided constraints and no friction: it %s; take dop853 or radau5", m->name,
                  m->by_formula ? "needs the rates as formulas" : "builds on the steps before, which end at each contact");
}

void hml_hybrid__forget(hml_hybrid *h, hml_keeping keep, double duration) {
  hml_records__begin(h->records, keep);
  h->stepped = false;
  h->duration = duration;
  h->reacted_at = NAN;
  h->worst = (hml_deepest){.allowed = 1};
  memset(h->allowed, 0, h->shape->sizes.gaps * sizeof *h->allowed);
  hml_hybrid__begin_digits(h);
}

static bool jumps(const hml_hybrid *h) {
  return h->contacts || h->shape->n_flips;
}

// The same motion without the user's events, which change nothing, or with contacts of its own
static hml_status again(void *payload, const hml_run_options *options, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome) {
  const hml_hybrid *h = payload;
  hml_hybrid *other;
  if (!jumps(h)) return hml_run(h->w, options, t0, t1, x, out, outcome);
  HML_TRY(hml_hybrid_open(h->w, h->shape, &other));
  hml_status status = hml_hybrid_run(other, options, t0, t1, x, out, outcome);
  hml_hybrid_free(other);
  return status;
}

static void judge_steps(hml_hybrid *h, const hml_run_options *options, const hml_trajectory *run, hml_outcome *outcome) {
  const hml_compared c = {.context = h->context, .sizes = h->shape->model, .options = options, .again = again, .payload = h, .jumps = jumps(h)};
  hml_compared__judge(&c, run, outcome);
}

hml_status hml_hybrid_run(hml_hybrid *h, const hml_run_options *options, double t0, double t1, const double *x,
                          hml_trajectory **out, hml_outcome *outcome) {
  hml_run_options o = options ? *options : hml_run_options_default();
  *out = NULL;
  *outcome = (hml_outcome){.t = t0, .left_rest = NAN};
  hml_context_clear_error(h->context);
  if (h->contacts && t1 < t0)
    return hml_fail(h->context, HML_ARGUMENT, "run: impacts and friction cannot be run backward, from t = %g to t = %g", t0, t1);
  const hml_stepper *method;
  HML_TRY(hml_stepper__choose(h->context, o.method, &method));
  if (o.onto) HML_TRY(check_continued(h, &o, method, t0));
  else hml_hybrid__forget(h, o.keep, t1 - t0 + o.rest);
  h->ended_at = NAN;
  h->kept = o.keep == HML_KEEP_STEPS;
  h->controlled = !method->fixed;
  h->impacts_before = hml_records__impacts(h->records);
  h->switches_before = hml_records__switches(h->records);
  h->rtol = o.rtol, h->atol = o.atol;
  for (size_t i = 0; i < h->shape->n_events; i++) h->flipped_at[i] = NAN;
  h->witness = (hml_witness){h, record_blow, record_switch, record_accumulation, note, h->shape->callbacks.law, h->shape->callbacks.payload};
  if (h->contacts) hml_contacts__begin_run(h->contacts, &h->witness, h->duration, o.atol > 0 ? o.atol : o.rtol, o.refuse_several != 0);
  if (method->over_impacts) return run_steps(h, &o, t0, t1, x, out, outcome);
  if (h->contacts) HML_TRY(check_method(h, method));
  double *y = hml_alloc(h->context, (h->shape->n_state + 1) * sizeof *y);
  if (!y) return HML_MEMORY;
  memcpy(y, x, h->shape->n_state * sizeof *y);
  hml_status status = o.onto ? go_on(h, &o, t0, t1, y) : begin(h, &o, t0, t1, y);
  if (status == HML_OK) {
    hml_guards guards = {.n = h->shape->n_guards, .payload = h, .direction = h->direction, .side = h->side, .passed = h->passed, .passive = h->shape->passive,
                         .formula = h->formula, .values = values, .spread = spread, .react = react, .counts = h->counts, .jumped = jumped, .cap = cap, .refuses = refuses, .turns = &h->turns, .grazes = grazes, .look = h->contacts ? look : NULL, .seamless = &h->seamless, .stays = stays, .touched = touched,
                         .lacks = lacks};
    hml_ode ode = {.n = h->shape->n_state, .n_controlled = h->shape->model.kin + h->shape->model.dyn, .payload = h, .rhs = rhs,
                   .jacobian = h->contacts || h->shape->model.externals ? NULL : jacobian, .project = project, .mends_errors = true, .name = name, .guards = &guards,
                   .watched = h->w, .forces = h->w, .stretch = h->contacts ? stretch : NULL};
    hml_formula formula = hml_model_run__formula(h->w);
    if (!h->contacts && formula.program) ode.formula = &formula;
    status = hml_integrate(h->context, &ode, &o, t0, t1, y, out, outcome);
    if (*out && hml_trajectory_points(*out))
      hml_records__drop_events_behind(h->records, hml_trajectory_time(*out, hml_trajectory_points(*out) - 1), t1 < t0);
    count(h, outcome);
    if (status == HML_OK && outcome->status == HML_OK) status = rest(h, t1);
    if (status == HML_OK && outcome->status == HML_OK && o.rest == 0) judge_gaps(h, outcome);
    if (status == HML_OK && outcome->status == HML_STEP_COLLAPSED && h->contacts) name_squeezing(h, outcome);
    if (status == HML_OK) judge_steps(h, &o, *out, outcome);
    if (status == HML_OK && h->contacts && (o.rest == 0 || outcome->status == HML_EVENT)) status = hml_hybrid__judge_digits(h, *out, outcome);
  }
  hml_corners__end(h->corners);
  hml_dealloc(h->context, y, (h->shape->n_state + 1) * sizeof *y);
  return status;
}

hml_status hml_hybrid_evaluate(hml_hybrid *h, size_t point, double t, const double *x, double *a, double *lambda, double *z) {
  HML_TRY(align_signs(h, t, x));
  if (!h->contacts) {
    HML_TRY(hml_workspace_set_state(h->w, t, x));
    HML_TRY(hml_acceleration(h->w, a));
    return hml_multipliers(h->w, lambda);
  }
  if (h->stepped) {
    const double *reactions = hml_records__step(h->records, point);
    for (size_t i = 0; i < h->shape->sizes.rows; i++) z[i] = reactions ? reactions[i] : 0;
    HML_TRY(hml_contacts__set_state(h->contacts, t, x));
    return hml_contacts__forced(h->contacts, z, a, lambda);
  }
  const hml_kept_mode *mode = hml_records__mode(h->records, point);
  if (mode) hml_contacts__use(h->contacts, mode);
  HML_TRY(hml_contacts__set_state(h->contacts, t, x));
  return hml_contacts__solution(h->contacts, a, lambda, z);
}

hml_status hml_hybrid_mode(hml_hybrid *h, size_t point, unsigned char *gaps, unsigned char *frictions) {
  const hml_kept_mode *mode = h->contacts && !h->stepped ? hml_records__mode(h->records, point) : NULL;
  if (!mode) return hml_fail(h->context, HML_UNSUPPORTED, "no contact modes were kept with this run");
  hml_contacts__use(h->contacts, mode);
  for (size_t i = 0; i < h->shape->sizes.gaps; i++) gaps[i] = hml_contacts__is_closed(h->contacts, i);
  for (size_t j = 0; j < h->shape->sizes.frictions; j++) frictions[j] = (unsigned char)hml_contacts__friction(h->contacts, j);
  return HML_OK;
}
