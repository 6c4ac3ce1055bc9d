// hybrid.c: the one loop of modes, guards and resets: contacts that close, part, slip and stick, impacts, and the user's events.
// Roots are located in event.c, modes and impacts decided in mechanics/.
#include "integrate/integrate.h"
#include "integrate/moreau.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IMPACTS_AT_ONCE = 200 };
#define ZERO_GAP 1e-10                 // relative to the size of the coordinates: a gap this small is closed

typedef struct kept_mode {
  size_t point;                        // of the trajectory, from which it holds
  const void *mode;                    // in time stepping: the reactions of the step that arrives there
} kept_mode;

struct hml_hybrid {
  hml_context *context;
  hml_workspace *w;
  hml_contacts *contacts;              // NULL: none
  hml_contact_sizes sizes;
  hml_model_sizes model;
  size_t n_state;
  hml_arena names;                     // of events, and their reasons
  size_t n_events;
  const char **event_names, **event_reasons;
  bool *terminal, *by_callback, needs_solution;
  size_t *flips, n_flips;              // per event; how many do
  hml_program *events;                 // NULL: all by callback
  double *event_in, *event_out, *event_work;
  hml_hybrid_callbacks callbacks;
  // guards: gaps, frictions, room of cones, events
  size_t n_guards;
  signed char *direction, *side;
  hml_guard_formula *formulas;         // of gaps and events
  const hml_guard_formula **formula;   // (n_guards) those in force; NULL: known by its values only
  bool *passive, *hit, *touching, *leave;
  double *values, *scratch;            // (n_guards); states and impulses
  double span, atol;                   // of the run
  // what happened, kept in one arena until the next run
  hml_arena log;
  hml_record *records;
  size_t n_records, record_room;
  kept_mode *modes;
  size_t n_modes, mode_room;
  bool noted_several, noted_zeno, stepped;
  hml_keeping keep;
  void *last_mode, *mode_before;       // where only that is kept; scratch of a reaction
  size_t n_impacts;
};

// ---- building
static const char *copy_text(hml_arena *a, const char *text) {
  if (!text) return NULL;
  size_t size = strlen(text) + 1;
  char *copy = hml_arena_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static void *room(hml_hybrid *h, size_t bytes) {
  return hml_arena_alloc(&h->names, bytes + 16);
}

static bool mentions(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols) {
  hml_expr found[256];
  size_t count = 0;
  if (hml_symbols_of(c, 1, &e, 256, found, &count) != HML_OK) return true;
  for (size_t i = 0; i < count && i < 256; i++)
    for (size_t k = 0; k < n; k++)
      if (found[i] == symbols[k]) return true;
  return false;
}

// e as a program of what it mentions. *out is NULL where that is more than time, states and parameters
static hml_status build_formula(hml_hybrid *h, const hml_model_spec *m, hml_expr e, hml_guard_formula *f, const hml_guard_formula **out) {
  const struct { size_t n; const hml_expr *e; size_t place; } lists[] = {
      {1, &m->time, 0}, {m->n_kin, m->kin, 1}, {m->n_dyn, m->dyn, 1 + m->n_kin}, {m->n_parameters, m->parameters, 1 + h->n_state}};
  size_t n = 0, capacity = 1 + m->n_kin + m->n_dyn + m->n_parameters;
  hml_expr *symbols = room(h, capacity * sizeof *symbols);
  uint32_t *place = room(h, capacity * sizeof *place);
  *out = NULL;
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
  *f = (hml_guard_formula){program, place, hml_workspace__inputs(h->w) + 1 + m->n_kin + m->n_dyn};
  *out = f;
  return HML_OK;
}

static hml_status build_events(hml_hybrid *h, const hml_hybrid_spec *s) {
  const hml_model_spec *m = s->symbols;
  const size_t reactions = h->sizes.gaps + h->sizes.slips;
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
    h->event_names[i] = copy_text(&h->names, e->name ? e->name : "event");
    h->event_reasons[i] = copy_text(&h->names, e->reason);
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
  if (hml_model_is_native(hml_workspace__model(h->w))) HML_TRY(hml_program__compile(h->events));
  h->event_in = room(h, inputs * sizeof(double));
  h->event_out = room(h, outputs * sizeof(double));
  h->event_work = room(h, hml_program_work_size(h->events) * sizeof(double));
  return h->event_in && h->event_out && h->event_work ? HML_OK : HML_MEMORY;
}

static hml_status build_formulas(hml_hybrid *h, const hml_hybrid_spec *s) {
  const size_t first_event = h->n_guards - h->n_events;
  memset(h->formulas, 0, h->n_guards * sizeof *h->formulas);
  for (size_t i = 0; i < h->n_guards; i++) {
    hml_expr e = i < h->sizes.gaps ? s->contacts->gaps[i].gap : i < first_event ? NULL : s->events[i - first_event].expression;
    h->formula[i] = NULL;
    if (e) HML_TRY(build_formula(h, s->symbols, e, h->formulas + i, h->formula + i));
  }
  return HML_OK;
}

static hml_status build_guards(hml_hybrid *h, const hml_hybrid_spec *s) {
  const size_t contact_guards = h->sizes.gaps + 2 * h->sizes.frictions;
  h->n_guards = contact_guards + h->n_events;
  h->direction = room(h, h->n_guards);
  h->side = room(h, h->n_guards);
  h->passive = room(h, h->n_guards * sizeof(bool));
  h->formulas = room(h, h->n_guards * sizeof *h->formulas);
  h->formula = room(h, h->n_guards * sizeof *h->formula);
  h->hit = room(h, h->sizes.gaps * sizeof(bool));
  h->touching = room(h, h->sizes.gaps * sizeof(bool));
  h->leave = room(h, (h->sizes.gaps + h->sizes.frictions) * sizeof(bool));
  h->values = room(h, h->n_guards * sizeof(double));
  h->scratch = room(h, (2 * h->n_state + h->sizes.rows) * sizeof(double));
  if (!h->direction || !h->side || !h->passive || !h->formulas || !h->formula || !h->hit || !h->touching || !h->leave || !h->values || !h->scratch) return HML_MEMORY;
  memset(h->direction, HML_FALLING, h->n_guards);
  memset(h->side, 0, h->n_guards);
  memset(h->passive, 0, h->n_guards * sizeof(bool));
  for (size_t i = 0; i < h->n_events; i++) {
    int d = s->events[i].direction;
    h->direction[contact_guards + i] = d < 0 ? HML_FALLING : d > 0 ? HML_RISING : HML_EITHER;
    h->passive[contact_guards + i] = !h->terminal[i] && !h->flips[i];
  }
  return build_formulas(h, s);
}

static hml_status build(hml_hybrid *h, const hml_hybrid_spec *s) {
  if (s->contacts) {
    HML_TRY(hml_contacts__new(h->w, s->symbols, s->contacts, &h->contacts));
    h->sizes = hml_contacts__sizes(h->contacts);
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

static void forget_records(hml_hybrid *h) {
  hml_dealloc(h->context, h->records, h->record_room * sizeof *h->records);
  hml_dealloc(h->context, h->modes, h->mode_room * sizeof *h->modes);
  hml_arena_free(&h->log);
  hml_arena_init(&h->log, h->context);
  h->records = NULL;
  h->modes = NULL;
  h->last_mode = h->mode_before = NULL;
  h->n_impacts = 0;
  h->n_records = h->record_room = h->n_modes = h->mode_room = 0;
  h->noted_several = h->noted_zeno = h->stepped = false;
}

void hml_hybrid_free(hml_hybrid *h) {
  if (!h) return;
  forget_records(h);
  for (size_t i = 0; h->formulas && i < h->n_guards; i++) hml_program_free((hml_program *)h->formulas[i].program);
  hml_program_free(h->events);
  hml_contacts__free(h->contacts);
  hml_arena_free(&h->log);
  hml_arena_free(&h->names);
  hml_dealloc(h->context, h, sizeof *h);
}

hml_status hml_hybrid_new(hml_workspace *w, const hml_hybrid_spec *spec, hml_hybrid **out) {
  hml_context *c = hml_workspace__context(w);
  const hml_model *m = hml_workspace__model(w);
  *out = NULL;
  hml_hybrid *h = hml_alloc(c, sizeof *h);
  if (!h) return HML_MEMORY;
  *h = (hml_hybrid){.context = c, .w = w, .model = hml_model__sizes(m), .n_state = hml_model_state_size(m), .callbacks = spec->callbacks};
  hml_arena_init(&h->names, c);
  hml_arena_init(&h->log, c);
  hml_status status = build(h, spec);
  if (status != HML_OK) {
    hml_hybrid_free(h);
    return status;
  }
  *out = h;
  return HML_OK;
}

// ---- records
static hml_status grow(hml_context *c, void **list, size_t *room_, size_t count, size_t size) {
  if (count < *room_) return HML_OK;
  size_t wanted = *room_ ? 2 * *room_ : 16;
  void *bigger = *list ? hml_realloc(c, *list, *room_ * size, wanted * size) : hml_alloc(c, wanted * size);
  if (!bigger) return HML_MEMORY;
  *list = bigger;
  *room_ = wanted;
  return HML_OK;
}

static hml_status add_record(hml_hybrid *h, hml_record record) {
  if (record.kind == HML_RECORD_IMPACT) h->n_impacts++;
  if (h->keep == HML_KEEP_ENDS && record.kind != HML_RECORD_NOTE) return HML_OK;
  void *list = h->records;
  HML_TRY(grow(h->context, &list, &h->record_room, h->n_records, sizeof *h->records));
  h->records = list;
  h->records[h->n_records++] = record;
  return HML_OK;
}

static hml_status keep_doubles(hml_hybrid *h, size_t n, const double *values, const double **out) {
  if (h->keep == HML_KEEP_ENDS) return HML_OK;                          // of records that are dropped
  double *copy = hml_arena_alloc(&h->log, (n + 1) * sizeof *copy);
  if (!copy) return HML_MEMORY;
  *out = memcpy(copy, values, n * sizeof *copy);
  return HML_OK;
}

static hml_status note(void *payload, double t, const char *text) {
  hml_hybrid *h = payload;
  const char *copy = copy_text(&h->log, text);
  return copy ? add_record(h, (hml_record){.kind = HML_RECORD_NOTE, .t = t, .text = copy}) : HML_MEMORY;
}

static hml_status keep_at(hml_hybrid *h, size_t point, const void *mode) {
  if (h->keep != HML_KEEP_STEPS) h->n_modes = 0;                         // the last one serves the end
  void *list = h->modes;
  HML_TRY(grow(h->context, &list, &h->mode_room, h->n_modes, sizeof *h->modes));
  h->modes = list;
  h->modes[h->n_modes++] = (kept_mode){point, mode};
  return HML_OK;
}

static hml_status keep_mode(hml_hybrid *h, size_t point) {
  if (h->keep != HML_KEEP_STEPS && !h->last_mode) h->last_mode = hml_arena_alloc(&h->log, hml_mode__bytes(h->contacts) + 1);
  void *block = h->keep != HML_KEEP_STEPS ? h->last_mode : hml_arena_alloc(&h->log, hml_mode__bytes(h->contacts) + 1);
  if (!block) return HML_MEMORY;
  hml_mode__store(h->contacts, block);
  return keep_at(h, point, block);
}

size_t hml_hybrid_records(const hml_hybrid *h) {
  return h->n_records;
}

hml_record hml_hybrid_record(const hml_hybrid *h, size_t i) {
  return h->records[i];
}

// ---- the problem as the integrator sees it
static hml_status rhs(void *payload, double t, const double *y, double *f) {
  hml_hybrid *h = payload;
  return h->contacts ? hml_contacts__rate_at(h->contacts, t, y, f) : hml_workspace__rate(h->w, t, y, f);
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
  if (!h->contacts) return HML_OK;
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
  memcpy(values, hml_workspace__inputs(h->w) + 1 + h->model.kin + h->model.dyn, h->model.parameters * sizeof *values);
  values[h->flips[event] - 1] = sign;
  return hml_workspace_set_parameters(h->w, values);
}

static hml_status event_values(hml_hybrid *h, double t, const double *y, double *out);

// At a state on neither root
static hml_status align_signs(hml_hybrid *h, double t, const double *y) {
  if (!h->n_flips) return HML_OK;
  double *out = h->values + h->n_guards - h->n_events;
  HML_TRY(hml_workspace_set_state(h->w, t, y));
  HML_TRY(event_values(h, t, y, out));
  for (size_t i = 0; i < h->n_events; i++)
    if (h->flips[i] && out[i] != 0) HML_TRY(set_sign(h, i, out[i] < 0 ? -1 : 1));
  return HML_OK;
}

// ---- guards
static hml_status event_values(hml_hybrid *h, double t, const double *y, double *out) {
  size_t expressions = 0;
  if (h->events) {
    const size_t base = 1 + h->model.kin + h->model.dyn + h->model.parameters + h->model.externals;
    double *a = h->event_in + base, *lambda = a + h->model.dyn, *z = lambda + h->model.multipliers;
    if (h->needs_solution && h->contacts)
      HML_TRY(hml_contacts__solution(h->contacts, a, lambda, z));
    else if (h->needs_solution) {
      HML_TRY(hml_acceleration(h->w, a));
      HML_TRY(hml_multipliers(h->w, lambda));
    }
    memcpy(h->event_in, hml_workspace__inputs(h->w), base * sizeof *h->event_in);
    hml_program_eval(h->events, h->event_in, h->event_out, h->event_work);
  }
  for (size_t i = 0; i < h->n_events; i++) {
    if (h->by_callback[i])
      HML_TRY(h->callbacks.event(h->callbacks.payload, i, t, y, out + i));
    else
      out[i] = h->event_out[expressions++];
    if (!isfinite(out[i])) return hml_fail(h->context, HML_NOT_FINITE, "event '%s' is not finite at t = %.10g", h->event_names[i], t);
  }
  return HML_OK;
}

static hml_status values(void *payload, double t, const double *y, double *out) {
  hml_hybrid *h = payload;
  if (h->contacts) {
    HML_TRY(hml_contacts__set_state(h->contacts, t, y));
    HML_TRY(hml_contacts__guards(h->contacts, out, out + h->sizes.gaps, out + h->sizes.gaps + h->sizes.frictions));
  } else {
    HML_TRY(hml_workspace_set_state(h->w, t, y));
  }
  return event_values(h, t, y, out + h->n_guards - h->n_events);
}

// ---- resets
static double gap_tolerance(const hml_hybrid *h, const double *y) {
  double size = 1;
  for (size_t i = 0; i < h->model.kin; i++) size = fmax(size, fabs(y[i]));
  return ZERO_GAP * size;
}

static hml_status strike(hml_hybrid *h, double t, double *y, bool plastic) {
  double *before = h->scratch, *after = before + h->n_state, energy = 0, energy_after = 0;
  size_t first = 0;
  memcpy(before, y, h->n_state * sizeof *before);
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  HML_TRY(hml_energies(h->w, &energy, NULL));
  HML_TRY(hml_contacts__impact(h->contacts, h->hit, plastic, h->callbacks.law, h->callbacks.payload, y, after + h->n_state));
  HML_TRY(hml_energies(h->w, &energy_after, NULL));
  while (!h->hit[first]) first++;
  if (h->n_state > h->model.kin + h->model.dyn) y[h->n_state - 1] += energy_after - energy;
  memcpy(after, y, h->n_state * sizeof *after);
  hml_record r = {.kind = HML_RECORD_IMPACT, .t = t, .which = first, .energy_change = energy_after - energy};
  HML_TRY(keep_doubles(h, h->n_state, before, &r.state));
  HML_TRY(keep_doubles(h, h->n_state + h->sizes.rows, after, &r.after));
  return add_record(h, r);
}

// Impacts at one instant that become weaker without end, each contact throwing the next back: their limit is that all that touch come to rest
// against each other together
static hml_status collapse(hml_hybrid *h, double t, double *y, double approach) {
  const double *gap, *u;
  HML_TRY(hml_contacts__gaps(h->contacts, &gap));
  double tolerance = gap_tolerance(h, y);
  for (size_t i = 0; i < h->sizes.gaps; i++) h->hit[i] = gap[i] <= tolerance;
  HML_TRY(strike(h, t, y, true));
  HML_TRY(hml_contacts__velocities(h->contacts, &u));
  for (size_t i = 0; i < h->sizes.gaps; i++) h->touching[i] = h->hit[i] && fabs(u[i]) <= 1e-9 * approach;
  char text[200];
  snprintf(text, sizeof text, "the impacts at t = %.10g accumulate in that instant; what touches comes to rest together", t);
  return note(h, t, text);
}

// Impacts until nothing that touches approaches; marks what touches at rest
static hml_status strike_all(hml_hybrid *h, double t, double *y) {
  const double *gap, *u;
  double approach = 0, early = 0, late = 0;
  for (int round = 0; round <= IMPACTS_AT_ONCE; round++) {
    bool any = false;
    HML_TRY(hml_contacts__set_state(h->contacts, t, y));
    HML_TRY(hml_contacts__gaps(h->contacts, &gap));
    HML_TRY(hml_contacts__velocities(h->contacts, &u));
    double tolerance = gap_tolerance(h, y);
    approach = 0;
    for (size_t i = 0; i < h->sizes.gaps; i++) {
      bool touches = gap[i] <= tolerance, rests = hml_contacts__gap_at_rest(h->contacts, i);
      h->touching[i] = touches && rests;
      any |= h->hit[i] = touches && !rests && u[i] < 0;
      if (h->hit[i]) approach = fmax(approach, -u[i]);
    }
    if (!any) return HML_OK;
    // the largest of many rounds, since contacts take turns
    if (round < IMPACTS_AT_ONCE / 2) early = fmax(early, round >= IMPACTS_AT_ONCE / 4 ? approach : 0);
    else late = fmax(late, round >= 3 * IMPACTS_AT_ONCE / 4 ? approach : 0);
    if (round == IMPACTS_AT_ONCE && late < early) return collapse(h, t, y, approach);
    HML_TRY(strike(h, t, y, false));
  }
  return hml_fail(h->context, HML_NO_CONTACT_MODE, "t = %.10g: %d impacts at one instant do not end", t, IMPACTS_AT_ONCE);
}

// A gap that has been struck and would return at once stays closed: its flight is lower than what the tolerance sees, or slower than
// the user's capture velocity. The mode of all others is in force.
static hml_status catch_small_flights(hml_hybrid *h, double t, const double *y, bool *caught) {
  const double *gap, *u;
  *caught = false;
  for (size_t i = 0; i < h->sizes.gaps; i++) {
    HML_TRY(hml_contacts__gaps(h->contacts, &gap));
    HML_TRY(hml_contacts__velocities(h->contacts, &u));
    if (h->touching[i] || gap[i] > gap_tolerance(h, y) || !(u[i] > 0)) continue;
    HML_TRY(hml_contacts__solution(h->contacts, NULL, NULL, NULL));
    double acceleration = hml_contacts__gap_acceleration(h->contacts, i), capture = hml_contacts__capture(h->contacts, i);
    if (!(acceleration < 0)) continue;
    bool low = u[i] * u[i] < -2 * acceleration * fmax(1e-3 * h->atol, 1e-15), slow = u[i] < capture;
    if (!low && !slow) continue;
    h->touching[i] = *caught = true;
    if (h->noted_zeno || slow) continue;
    char text[300];
    snprintf(text, sizeof text, "the impacts at '%s' accumulate at t = %.10g; contact persists from here", hml_contacts__gap_name(h->contacts, i), t);
    h->noted_zeno = true;
    HML_TRY(note(h, t, text));
  }
  return HML_OK;
}

static hml_status record_switches(hml_hybrid *h, double t, const bool *closed, const hml_friction_state *states, const double *directions) {
  const hml_mode *mode = hml_contacts__mode(h->contacts);
  for (size_t i = 0; i < h->sizes.gaps; i++)
    if (closed[i] != mode->closed[i])
      HML_TRY(add_record(h, (hml_record){.kind = HML_RECORD_SWITCH, .t = t, .which = i, .from = closed[i] ? HML_CLOSED : HML_OPEN,
                                         .to = mode->closed[i] ? HML_CLOSED : HML_OPEN}));
  for (size_t j = 0; j < h->sizes.frictions; j++) {
    bool turned = states[j] == HML_SLIP && mode->friction[j] == HML_SLIP
                  && directions[2 * j] * mode->direction[2 * j] + directions[2 * j + 1] * mode->direction[2 * j + 1] < -0.5;
    if (states[j] != mode->friction[j] || turned)
      HML_TRY(add_record(h, (hml_record){.kind = HML_RECORD_SWITCH, .t = t, .which = h->sizes.gaps + j, .from = HML_FRICTION_FREE + (int)states[j],
                                         .to = HML_FRICTION_FREE + (int)mode->friction[j]}));
  }
  return HML_OK;
}

static void set_sides(hml_hybrid *h, const double *y, const double *gap) {
  const hml_mode *mode = hml_contacts__mode(h->contacts);
  double tolerance = gap_tolerance(h, y);
  for (size_t i = 0; i < h->sizes.gaps; i++) {
    h->side[i] = !mode->closed[i] && gap[i] <= tolerance ? 1 : 0;
    h->formula[i] = mode->closed[i] || !h->formulas[i].program ? NULL : h->formulas + i;   // of a closed gap the reaction is watched
  }
  for (size_t j = 0; j < h->sizes.frictions; j++) {
    signed char *direction = h->direction + h->sizes.gaps + j;
    direction[0] = mode->friction[j] == HML_FREE ? HML_ASLEEP : HML_FALLING;
    direction[h->sizes.frictions] = mode->friction[j] == HML_SLIP ? HML_FALLING : HML_ASLEEP;
  }
}

// The mode that holds from (t, y) on; velocities of what persists become exactly zero
static hml_status settle(hml_hybrid *h, double t, double *y, const bool *leave) {
  const double *gap;
  bool several = false, caught, moved;
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  HML_TRY(hml_contacts__select(h->contacts, h->touching, leave, &several));
  HML_TRY(catch_small_flights(h, t, y, &caught));
  if (caught) HML_TRY(hml_contacts__select(h->contacts, h->touching, leave, &several));
  if (several && !h->noted_several) {
    h->noted_several = true;
    HML_TRY(note(h, t, "several modes of contact and friction are possible from here on: the model does not determine the motion; the one that sticks most was taken"));
  }
  HML_TRY(hml_contacts__project(h->contacts, 0, 0, y, &moved));
  HML_TRY(hml_contacts__set_state(h->contacts, t, y));
  HML_TRY(hml_contacts__gaps(h->contacts, &gap));
  set_sides(h, y, gap);
  // slips that begin from zero
  HML_TRY(hml_contacts__guards(h->contacts, h->values, h->values + h->sizes.gaps, h->values + h->sizes.gaps + h->sizes.frictions));
  const hml_mode *mode = hml_contacts__mode(h->contacts);
  for (size_t j = 0; j < h->sizes.frictions; j++)
    h->side[h->sizes.gaps + j] = mode->friction[j] == HML_SLIP && fabs(h->values[h->sizes.gaps + j]) <= 1e-9 ? 1 : 0;
  return HML_OK;
}

static hml_status contacts_react(hml_hybrid *h, double t, double *y, const bool *fired, size_t point) {
  const hml_mode *mode = hml_contacts__mode(h->contacts);
  const size_t gaps = h->sizes.gaps, frictions = h->sizes.frictions;
  bool any = false;
  for (size_t i = 0; i < gaps; i++) h->leave[i] = fired[i] && mode->closed[i];
  for (size_t j = 0; j < frictions; j++) h->leave[gaps + j] = fired[gaps + j] && mode->friction[j] == HML_STICK;
  for (size_t i = 0; i < gaps + 2 * frictions; i++) any |= fired[i];
  if (!any) return HML_OK;
  size_t bytes = hml_mode__bytes(h->contacts);
  if (!h->mode_before) h->mode_before = hml_arena_alloc(&h->log, bytes + 1);
  char *old = h->mode_before;
  if (!old) return HML_MEMORY;
  hml_mode__store(h->contacts, old);
  const double *directions = (const double *)(const void *)old;
  const hml_friction_state *states = (const hml_friction_state *)(const void *)(directions + 2 * frictions);
  const bool *closed = (const bool *)(const void *)(states + frictions);
  HML_TRY(strike_all(h, t, y));
  HML_TRY(settle(h, t, y, h->leave));
  HML_TRY(record_switches(h, t, closed, states, directions));
  return keep_mode(h, point);
}

static hml_status react(void *payload, double t, double *y, const bool *fired, size_t point) {
  hml_hybrid *h = payload;
  const size_t first = h->n_guards - h->n_events;
  for (size_t i = 0; i < h->n_events; i++) {
    if (!fired[first + i]) continue;
    if (h->flips[i]) {
      double now = hml_workspace__inputs(h->w)[h->model.kin + h->model.dyn + h->flips[i]];
      HML_TRY(set_sign(h, i, -now));
      continue;
    }
    hml_record r = {.kind = HML_RECORD_EVENT, .t = t, .which = i};
    HML_TRY(keep_doubles(h, h->n_state, y, &r.state));
    HML_TRY(add_record(h, r));
  }
  for (size_t i = 0; i < h->n_events; i++)
    if (fired[first + i] && h->terminal[i])
      return h->event_reasons[i] ? hml_fail(h->context, HML_SINGULAR, "%s", h->event_reasons[i])
                                 : hml_fail(h->context, HML_EVENT, "event '%s'", h->event_names[i]);
  return h->contacts ? contacts_react(h, t, y, fired, point) : HML_OK;
}

// A guard that stays on its root
static hml_status stays(void *payload, double t, size_t guard) {
  hml_hybrid *h = payload;
  const size_t first = h->n_guards - h->n_events;
  char text[300];
  if (guard < first || h->flips[guard - first]) return HML_OK;
  snprintf(text, sizeof text, "event '%.100s' is zero to rounding from t = %.10g on; that counts once, until it leaves zero", h->event_names[guard - first], t);
  return note(h, t, text);
}

// ---- runs
// A start on a root takes the sign that a short way along the motion shows
static hml_status signs_on_roots(hml_hybrid *h, double t0, const double *y) {
  double *out = h->values + h->n_guards - h->n_events, *ahead = h->scratch;
  bool any = false;
  if (!h->n_flips) return HML_OK;
  HML_TRY(hml_workspace_set_state(h->w, t0, y));
  HML_TRY(event_values(h, t0, y, out));
  for (size_t i = 0; i < h->n_events; i++) any |= h->flips[i] && out[i] == 0;
  if (!any) return HML_OK;
  HML_TRY(rhs(h, t0, y, ahead));
  for (size_t i = 0; i < h->n_state; i++) ahead[i] = y[i] + 1e-6 * ahead[i];
  return align_signs(h, t0, ahead);
}

static hml_status negative_gap(hml_hybrid *h, size_t gap, double value, double t0) {
  return hml_fail(h->context, HML_INCONSISTENT_START, "start is inconsistent: '%s' is %.6g at t = %.10g; a gap must not be negative: change q",
                  hml_contacts__gap_name(h->contacts, gap), value, t0);
}

static hml_status begin_contacts(hml_hybrid *h, double t0, double *y);

static hml_status begin(hml_hybrid *h, double t0, double *y) {
  HML_TRY(align_signs(h, t0, y));
  if (h->contacts) HML_TRY(begin_contacts(h, t0, y));
  return signs_on_roots(h, t0, y);
}

// A start may strike, rest, slip or stick at once
static hml_status begin_contacts(hml_hybrid *h, double t0, double *y) {
  const double *gap;
  HML_TRY(hml_contacts__set_state(h->contacts, t0, y));
  HML_TRY(hml_contacts__gaps(h->contacts, &gap));
  for (size_t i = 0; i < h->sizes.gaps; i++)
    if (gap[i] < -gap_tolerance(h, y))
      return negative_gap(h, i, gap[i], t0);
  HML_TRY(hml_contacts__check_start(h->contacts));
  for (size_t i = 0; i < h->sizes.gaps; i++) h->hit[i] = false;
  HML_TRY(strike_all(h, t0, y));
  HML_TRY(settle(h, t0, y, NULL));
  return keep_mode(h, 0);
}

// ---- time stepping: the reactions of each step are kept in place of modes
static hml_status took(void *payload, double t, double step, const double *before, const double *after, const hml_step_report *report) {
  hml_hybrid *h = payload;
  const size_t reactions = h->sizes.gaps + h->sizes.slips;
  double *z = h->scratch;
  for (size_t i = 0; i < reactions; i++) z[i] = report->impulses[i] / step;
  const double *kept = NULL;
  HML_TRY(keep_doubles(h, reactions, z, &kept));
  HML_TRY(keep_at(h, h->n_modes + 1, kept));
  if (report->strikes == SIZE_MAX) return HML_OK;
  hml_record r = {.kind = HML_RECORD_IMPACT, .t = t, .which = report->strikes};
  double energy = 0, energy_after = 0, *state = h->scratch;
  HML_TRY(hml_workspace_set_state(h->w, t - step, before));
  HML_TRY(hml_energies(h->w, &energy, NULL));
  HML_TRY(hml_workspace_set_state(h->w, t, after));
  HML_TRY(hml_energies(h->w, &energy_after, NULL));
  r.energy_change = energy_after - energy;
  HML_TRY(keep_doubles(h, h->n_state, before, &r.state));
  memcpy(state, after, h->n_state * sizeof *state);
  memset(state + h->n_state, 0, h->sizes.rows * sizeof *state);
  memcpy(state + h->n_state, report->impulses, reactions * sizeof *state);
  HML_TRY(keep_doubles(h, h->n_state + h->sizes.rows, state, &r.after));
  return add_record(h, r);
}

static hml_status run_steps(hml_hybrid *h, const hml_run_options *o, double t0, double t1, const double *x, hml_trajectory **out,
                            hml_outcome *outcome) {
  const double *gap;
  if (o->keep != HML_KEEP_STEPS) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' keeps every step");
  if (!(o->step > 0)) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' makes steps of one size: give step > 0, not %g", o->step);
  if (!h->contacts) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' is for systems with one-sided constraints or friction");
  if (h->n_events) return hml_fail(h->context, HML_ARGUMENT, "method 'moreau' locates no events");
  HML_TRY(hml_contacts__set_state(h->contacts, t0, x));
  HML_TRY(hml_contacts__gaps(h->contacts, &gap));
  for (size_t i = 0; i < h->sizes.gaps; i++)
    if (gap[i] < -gap_tolerance(h, x)) return negative_gap(h, i, gap[i], t0);
  HML_TRY(hml_contacts__check_start(h->contacts));
  h->stepped = true;
  hml_moreau m = {.w = h->w, .contacts = h->contacts, .step = o->step, .rtol = o->rtol, .atol = o->atol, .max_steps = o->max_steps,
                  .payload = h, .took = took, .note = note};
  return hml_moreau__run(h->context, &m, t0, t1, x, out, outcome);
}

// Of a step that was given up, events were recorded that lie behind the end of the run
static void drop_events_behind(hml_hybrid *h, double t0, double t1, double end) {
  size_t kept = 0;
  for (size_t i = 0; i < h->n_records; i++) {
    const hml_record *r = h->records + i;
    bool behind = r->kind == HML_RECORD_EVENT && (t1 < t0 ? r->t < end : r->t > end);
    if (!behind) h->records[kept++] = *r;
  }
  h->n_records = kept;
}

hml_status hml_hybrid_run(hml_hybrid *h, const hml_run_options *options, double t0, double t1, const double *x,
                          hml_trajectory **out, hml_outcome *outcome) {
  hml_run_options o = options ? *options : hml_run_options_default();
  *out = NULL;
  *outcome = (hml_outcome){.t = t0};
  hml_context_clear_error(h->context);
  if (h->contacts && t1 < t0)
    return hml_fail(h->context, HML_ARGUMENT, "run: impacts and friction cannot be run backward, from t = %g to t = %g", t0, t1);
  forget_records(h);
  h->keep = o.keep;
  if (o.method && strcmp(o.method, "moreau") == 0) return run_steps(h, &o, t0, t1, x, out, outcome);
  h->atol = o.atol > 0 ? o.atol : o.rtol;
  double *y = hml_alloc(h->context, (h->n_state + 1) * sizeof *y);
  if (!y) return HML_MEMORY;
  memcpy(y, x, h->n_state * sizeof *y);
  hml_status status = begin(h, t0, y);
  if (status == HML_OK) {
    hml_guards guards = {.n = h->n_guards, .payload = h, .direction = h->direction, .side = h->side, .passive = h->passive,
                         .formula = h->formula, .values = values, .react = react, .stays = stays};
    hml_ode ode = {.n = h->n_state, .n_controlled = h->model.kin + h->model.dyn, .payload = h, .rhs = rhs,
                   .jacobian = h->contacts || h->model.externals ? NULL : jacobian, .project = project, .name = name, .guards = &guards, .watched = h->w};
    hml_formula formula = hml_model_run__formula(h->w);
    if (!h->contacts && formula.program) ode.formula = &formula;
    status = hml_integrate(h->context, &ode, &o, t0, t1, y, out, outcome);
    if (*out && hml_trajectory_points(*out)) drop_events_behind(h, t0, t1, hml_trajectory_time(*out, hml_trajectory_points(*out) - 1));
    outcome->impacts = h->n_impacts;
  }
  hml_dealloc(h->context, y, (h->n_state + 1) * sizeof *y);
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
    size_t step = point > 0 ? point - 1 : 0;
    for (size_t i = 0; i < h->sizes.gaps + h->sizes.slips; i++) z[i] = step < h->n_modes ? ((const double *)h->modes[step].mode)[i] : 0;
    HML_TRY(hml_contacts__set_state(h->contacts, t, x));
    return hml_contacts__forced(h->contacts, z, a, lambda);
  }
  size_t k = h->n_modes;
  while (k > 1 && h->modes[k - 1].point > point) k--;
  if (k) hml_mode__restore(h->contacts, h->modes[k - 1].mode);
  HML_TRY(hml_contacts__set_state(h->contacts, t, x));
  return hml_contacts__solution(h->contacts, a, lambda, z);
}
