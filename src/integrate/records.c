// records.c: the records of a run, in one arena until the next run.
#include "integrate/records.h"

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

hml_status hml_records__keep_step(hml_records *r, const double *reactions, size_t n) {
  moment m = {.point = r->n_moments + 1, .reactions = reactions};
  HML_TRY(copy(r, n, &m.reactions));
  return add_moment(r, m);
}

const double *hml_records__step(const hml_records *r, size_t point) {
  size_t step = point > 0 ? point - 1 : 0;
  return step < r->n_moments ? r->moments[step].reactions : NULL;
}
