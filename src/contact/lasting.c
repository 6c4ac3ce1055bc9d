// lasting.c: what lasts of contacts from one step of a run to the next, as bytes: for a run that goes on, also in another process.
#include "contact_impl.h"

#include <math.h>
#include <string.h>

// ---- values of a block that could not stand in a run
static bool is_bool(const void *value) {
  return *(const unsigned char *)value <= 1;
}

static bool is_double(const void *value) {
  double x;
  memcpy(&x, value, sizeof x);
  return !isnan(x);
}

static bool is_int8_t(const void *value) {
  return *(const int8_t *)value >= -1 && *(const int8_t *)value <= 1;
}

static bool is_hml_friction_state(const void *value) {
  hml_friction_state state;
  memcpy(&state, value, sizeof state);
  return state == HML_FREE || state == HML_STICK || state == HML_SLIP;
}

static bool is_hml_accumulation(const void *value) {
  hml_accumulation a;
  bool fine = true;
  memcpy(&a, value, sizeof a);
  for (size_t i = 0; i < HML_ACCUMULATION_INSTANTS; i++) fine = fine && isfinite(a.t[i]);
  return fine;
}

static void take(hml_reader *r, size_t count, size_t size, void *into, bool (*is_fine)(const void *value)) {
  hml_reader__take(r, into, count * size);
  for (size_t i = 0; i < count && !r->failed; i++) r->failed = !is_fine((const char *)into + i * size);
  if (r->failed) memset(into, 0, count * size);                          // no value that its type does not have
}

// ---- modes
void hml_contacts__store_mode(const hml_contacts *c, const hml_kept_mode *m, hml_text *out) {
#define FIELD(type, name, count) hml_text_put_n(out, (const char *)m->name, (count) * sizeof *m->name);
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  hml_text_put_n(out, (const char *)&m->undetermined, sizeof m->undetermined);
}

static void take_mode(const hml_contacts *c, hml_reader *r, hml_kept_mode *m) {
#define FIELD(type, name, count) take(r, count, sizeof *m->name, m->name, is_##type);
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  take(r, 1, sizeof m->undetermined, &m->undetermined, is_bool);
}

hml_status hml_contacts__restore_mode(const hml_contacts *c, hml_reader *r, hml_arena *a, hml_kept_mode **out) {
  HML_TRY(hml_contacts__keep(c, a, out));
  take_mode(c, r, *out);
  return HML_OK;
}

// ---- contacts between two steps
void hml_contacts__store(const hml_contacts *c, hml_text *out) {
  const bool noted[] = {c->undetermined, c->noted_several, c->noted_reactions, c->noted_zeno};
#define FIELD(type, name, count) hml_text_put_n(out, (const char *)c->name, (count) * sizeof *c->name);
  HML_MODE_FIELDS(FIELD)
  HML_LASTING_FIELDS(FIELD)
#undef FIELD
  hml_text_put_n(out, (const char *)noted, sizeof noted);
}

void hml_contacts__restore(hml_contacts *c, hml_reader *r) {
  bool noted[4] = {false};
#define FIELD(type, name, count) take(r, count, sizeof *c->name, c->name, is_##type);
  HML_MODE_FIELDS(FIELD)
  HML_LASTING_FIELDS(FIELD)
#undef FIELD
  take(r, 4, sizeof *noted, noted, is_bool);
  c->undetermined = noted[0];
  c->noted_several = noted[1];
  c->noted_reactions = noted[2];
  c->noted_zeno = noted[3];
  hml_contact__changed(c);
}
