// records.c: the records of a run, in one arena until the next run.
#include "integrate/records.h"

#include <math.h>
#include <string.h>

typedef struct moment {
  size_t point;                        // of the trajectory, from which it holds
  hml_kept_mode *mode;                 // one of the two
  const double *reactions;             // of the step that arrives there
} moment;

typedef struct meeting {               // of an event, kept or not
  size_t event;
  double t;
} meeting;

struct hml_records {
  hml_context *context;
  hml_arena log;
  hml_record *list;
  size_t n, room;
  moment *moments;
  size_t n_moments, moment_room;
  meeting *meetings;
  size_t n_meetings, meeting_room;
  hml_keeping keep;
  size_t n_impacts, n_switches;
};

hml_status hml_records__new(hml_context *c, hml_records **out) {
  *out = hml_alloc(c, sizeof **out);
  if (!*out) return HML_MEMORY;
  **out = (hml_records){.context = c};
  hml_arena_init(&(*out)->log, c);
  return HML_OK;
}

static void forget(hml_records *r) {
  hml_dealloc(r->context, r->list, r->room * sizeof *r->list);
  hml_dealloc(r->context, r->moments, r->moment_room * sizeof *r->moments);
  hml_dealloc(r->context, r->meetings, r->meeting_room * sizeof *r->meetings);
  hml_arena_free(&r->log);
}

void hml_records__free(hml_records *r) {
  if (!r) return;
  forget(r);
  hml_dealloc(r->context, r, sizeof *r);
}

void hml_records__begin(hml_records *r, hml_keeping keep) {
  hml_context *c = r->context;
  forget(r);
  *r = (hml_records){.context = c, .keep = keep};
  hml_arena_init(&r->log, c);
}

size_t hml_records__count(const hml_records *r) {
  return r->n;
}

const hml_record *hml_records__at(const hml_records *r, size_t i) {
  return r->list + i;
}

size_t hml_records__impacts(const hml_records *r) {
  return r->n_impacts;
}

size_t hml_records__switches(const hml_records *r) {
  return r->n_switches;
}

static hml_status grow(hml_context *c, void **list, size_t *room, size_t count, size_t size) {
  if (count < *room) return HML_OK;
  size_t wanted = *room ? 2 * *room : 16;
  void *bigger = *list ? hml_realloc(c, *list, *room * size, wanted * size) : hml_alloc(c, wanted * size);
  if (!bigger) return HML_MEMORY;
  *list = bigger;
  *room = wanted;
  return HML_OK;
}

static hml_status copy(hml_records *r, size_t n, const double **values) {
  if (!*values) return HML_OK;
  double *kept = hml_arena_alloc(&r->log, (n + 1) * sizeof *kept);
  if (!kept) return HML_MEMORY;
  *values = memcpy(kept, *values, n * sizeof *kept);
  return HML_OK;
}

static hml_status add_meeting(hml_records *r, size_t event, double t) {
  void *list = r->meetings;
  HML_TRY(grow(r->context, &list, &r->meeting_room, r->n_meetings, sizeof *r->meetings));
  r->meetings = list;
  r->meetings[r->n_meetings++] = (meeting){event, t};
  return HML_OK;
}

size_t hml_records__meetings(const hml_records *r, size_t event) {
  size_t count = 0;
  for (size_t i = 0; i < r->n_meetings; i++) count += r->meetings[i].event == event;
  return count;
}

hml_status hml_records__add(hml_records *r, hml_record record, size_t n, size_t n_after) {
  if (record.kind == HML_RECORD_IMPACT) r->n_impacts++;
  if (record.kind == HML_RECORD_SWITCH) r->n_switches++;
  if (record.kind == HML_RECORD_EVENT) HML_TRY(add_meeting(r, record.which, record.t));
  if (r->keep == HML_KEEP_ENDS && record.kind != HML_RECORD_NOTE) return HML_OK;
  HML_TRY(copy(r, n, &record.state));
  HML_TRY(copy(r, n_after, &record.after));
  void *list = r->list;
  HML_TRY(grow(r->context, &list, &r->room, r->n, sizeof *r->list));
  r->list = list;
  r->list[r->n++] = record;
  return HML_OK;
}

hml_status hml_records__note(hml_records *r, double t, const char *text) {
  size_t size = strlen(text) + 1;
  char *kept = hml_arena_alloc(&r->log, size);
  if (!kept) return HML_MEMORY;
  return hml_records__add(r, (hml_record){.kind = HML_RECORD_NOTE, .t = t, .text = memcpy(kept, text, size)}, 0, 0);
}

static bool is_behind(double t, double end, bool backward) {
  return backward ? t < end : t > end;
}

// Of a step that was given up, events were recorded that lie behind the end of the run
void hml_records__drop_events_behind(hml_records *r, double end, bool backward) {
  size_t kept = 0;
  while (r->n_meetings && is_behind(r->meetings[r->n_meetings - 1].t, end, backward)) r->n_meetings--;
  for (size_t i = 0; i < r->n; i++) {
    const hml_record *one = r->list + i;
    bool behind = one->kind == HML_RECORD_EVENT && is_behind(one->t, end, backward);
    if (!behind) r->list[kept++] = *one;
  }
  r->n = kept;
}

static hml_status add_moment(hml_records *r, moment m) {
  void *list = r->moments;
  HML_TRY(grow(r->context, &list, &r->moment_room, r->n_moments, sizeof *r->moments));
  r->moments = list;
  r->moments[r->n_moments++] = m;
  return HML_OK;
}

hml_status hml_records__keep_mode(hml_records *r, const hml_contacts *c, size_t point) {
  if (r->keep != HML_KEEP_STEPS && r->n_moments) {
    hml_contacts__keep_in(c, r->moments[0].mode);
    r->moments[0].point = point;
    return HML_OK;
  }
  if (r->n_moments && hml_contacts__in_mode(c, r->moments[r->n_moments - 1].mode)) return HML_OK;
  moment m = {.point = point};
  HML_TRY(hml_contacts__keep(c, &r->log, &m.mode));
  return add_moment(r, m);
}

const hml_kept_mode *hml_records__mode(const hml_records *r, size_t point) {
  size_t k = r->n_moments;
  while (k > 1 && r->moments[k - 1].point > point) k--;
  return k ? r->moments[k - 1].mode : NULL;
}

const hml_kept_mode *hml_records__next_mode(const hml_records *r, size_t point, size_t *at) {
  if (r->keep != HML_KEEP_STEPS || !r->n_moments) return NULL;
  while (*at + 1 < r->n_moments && r->moments[*at + 1].point <= point) (*at)++;
  return r->moments[*at].mode;
}

hml_status hml_records__keep_step(hml_records *r, const double *reactions, size_t n) {
  moment m = {.point = r->n_moments + 1, .reactions = reactions};
  HML_TRY(copy(r, n, &m.reactions));
  return add_moment(r, m);
}

const double *hml_records__step(const hml_records *r, size_t point) {
  size_t step = point > 0 ? point - 1 : 0;
  return step < r->n_moments ? r->moments[step].reactions : NULL;
}

// ---- as bytes: a count and the records, a count and the modes with the points from which they hold
#define PUT(out, value) hml_text_put_n(out, (const char *)&(value), sizeof(value))
#define TAKE(in, value) hml_reader__take(in, &(value), sizeof(value))

// The numbers of a record
#define NUMBERS(FIELD) \
  FIELD(t) FIELD(which) FIELD(from) FIELD(to) FIELD(energy_change) FIELD(leaves) FIELD(takes) FIELD(error) FIELD(ratio) FIELD(impacts)

static bool has_state(const hml_record *one) {
  return one->kind == HML_RECORD_EVENT || one->kind == HML_RECORD_IMPACT;
}

static void store_record(const hml_record *one, hml_record_sizes sizes, hml_text *out) {
  const uint64_t kind = one->kind, length = one->text ? strlen(one->text) : 0;
  PUT(out, kind);
#define FIELD(name) PUT(out, one->name);
  NUMBERS(FIELD)
#undef FIELD
  PUT(out, length);
  if (length) hml_text_put_n(out, one->text, length);
  if (has_state(one)) hml_text_put_n(out, (const char *)one->state, sizes.state * sizeof *one->state);
  if (one->kind == HML_RECORD_IMPACT) hml_text_put_n(out, (const char *)one->after, sizes.after * sizeof *one->after);
}

void hml_records__store(const hml_records *r, const hml_contacts *c, hml_record_sizes sizes, hml_text *out) {
  const uint64_t records = r->n, modes = c ? r->n_moments : 0;
  PUT(out, records);
  for (size_t i = 0; i < r->n; i++) store_record(r->list + i, sizes, out);
  PUT(out, modes);
  for (size_t i = 0; i < modes; i++) {
    const uint64_t point = r->moments[i].point;
    PUT(out, point);
    hml_contacts__store_mode(c, r->moments[i].mode, out);
  }
}

static bool is_possible(const hml_record *one, uint64_t kind, hml_record_sizes sizes) {
  const bool is_friction = one->which >= sizes.gaps;
  const int first = is_friction ? HML_FRICTION_FREE : HML_OPEN, last = is_friction ? HML_FRICTION_SLIP : HML_CLOSED;
  bool numbers = isfinite(one->t) && isfinite(one->energy_change) && !isnan(one->error) && !isnan(one->ratio);
  for (size_t a = 0; a < 3; a++) numbers = numbers && isfinite(one->leaves[a]) && isfinite(one->takes[a]);
  if (!numbers) return false;
  switch (kind) {
  case HML_RECORD_EVENT: return one->which < sizes.events;
  case HML_RECORD_IMPACT:
  case HML_RECORD_ACCUMULATION: return one->which < sizes.gaps;
  case HML_RECORD_SWITCH:
    return one->which < sizes.gaps + sizes.frictions && one->from >= first && one->from <= last && one->to >= first && one->to <= last;
  default: return kind == HML_RECORD_NOTE;
  }
}

static void demand_finite(hml_reader *in, const double *x, size_t n) {
  for (size_t i = 0; i < n && !in->failed; i++) in->failed = !isfinite(x[i]);
}

// A list of doubles, or a text, of that many bytes in the arena
static hml_status take_bytes(hml_records *r, hml_reader *in, size_t size, void **out) {
  in->failed = in->failed || (size_t)(in->end - in->at) < size;
  if (in->failed) return HML_OK;
  *out = hml_arena_alloc(&r->log, size + 1);
  if (!*out) return HML_MEMORY;
  hml_reader__take(in, *out, size);
  return HML_OK;
}

static hml_status take_record(hml_records *r, hml_record_sizes sizes, hml_reader *in) {
  hml_record one = {0};
  uint64_t kind, length;
  void *text = NULL, *before = NULL, *after = NULL;
  TAKE(in, kind);
#define FIELD(name) TAKE(in, one.name);
  NUMBERS(FIELD)
#undef FIELD
  TAKE(in, length);
  in->failed = in->failed || !is_possible(&one, kind, sizes);
  if (in->failed) return HML_OK;
  one.kind = (hml_record_kind)kind;
  if (one.kind == HML_RECORD_NOTE) HML_TRY(take_bytes(r, in, length, &text));
  if (has_state(&one)) HML_TRY(take_bytes(r, in, sizes.state * sizeof(double), &before));
  if (one.kind == HML_RECORD_IMPACT) HML_TRY(take_bytes(r, in, sizes.after * sizeof(double), &after));
  if (before) demand_finite(in, before, sizes.state);
  if (after) demand_finite(in, after, sizes.after);
  one.text = text, one.state = before, one.after = after;
  return in->failed ? HML_OK : hml_records__add(r, one, sizes.state, sizes.after);
}

hml_status hml_records__restore(hml_records *r, const hml_contacts *c, hml_record_sizes sizes, hml_reader *in) {
  uint64_t count, point;
  hml_records__begin(r, HML_KEEP_STEPS);
  TAKE(in, count);
  for (uint64_t i = 0; i < count && !in->failed; i++) HML_TRY(take_record(r, sizes, in));
  TAKE(in, count);
  in->failed = in->failed || (count && !c);
  for (uint64_t i = 0; i < count && !in->failed; i++) {
    moment m = {0};
    TAKE(in, point);
    m.point = (size_t)point;
    HML_TRY(hml_contacts__restore_mode(c, in, &r->log, &m.mode));
    HML_TRY(add_moment(r, m));
  }
  return HML_OK;
}
