// lasting.c: what lasts of contacts from one step to the next comes back from its bytes, and nothing else is taken for such bytes.
#include "bodies.h"

static hml_reader reader_of(const hml_text *t) {
  return (hml_reader){t->data, t->data + t->length, false};
}

// A value of its own in every place of each list
static void fill(hml_contacts *c) {
  double next = 1;
#define is_flag(type) (sizeof(type) == sizeof(bool))
#define FIELD(type, name, count)                                                                   \
  for (size_t i = 0; i < (count) && sizeof(type) == sizeof(double); i++, next++) memcpy(c->name + i, &next, sizeof next); \
  for (size_t i = 0; i < (count) && is_flag(type); i++) memset(c->name + i, (int)i % 2, 1);
  HML_MODE_FIELDS(FIELD)
  HML_LASTING_FIELDS(FIELD)
#undef FIELD
  for (size_t j = 0; j < c->sizes.frictions; j++) c->friction_state[j] = HML_SLIP;
  for (size_t i = 0; i < c->sizes.gaps; i++) c->instants[i] = (hml_accumulation){.t = {1, 2, 3, 4, 5, 6 + (double)i}, .others = {1, 2}, .impacts = 9, .since = 3};
  c->undetermined = c->noted_zeno = true;
}

static void contacts_come_back(void **state) {
  (void)state;
  contact_test t, other;
  hml_text stored, again;
  touch(&t, &puck);
  touch(&other, &puck);
  hml_text_init(&stored, t.m.c);
  hml_text_init(&again, t.m.c);
  fill(t.c);
  hml_contacts__store(t.c, &stored);
  hml_reader r = reader_of(&stored);
  hml_contacts__restore(other.c, &r);
  assert_true(!r.failed && r.at == r.end);
  hml_contacts__store(other.c, &again);
  assert_int_equal(again.length, stored.length);
  assert_memory_equal(again.data, stored.data, stored.length);
  const hml_contacts *c = t.c;
#define FIELD(type, name, count) assert_memory_equal(c->name, other.c->name, (count) * sizeof(type));
  HML_MODE_FIELDS(FIELD)
  HML_LASTING_FIELDS(FIELD)
#undef FIELD
  assert_true(other.c->undetermined && other.c->noted_zeno && !other.c->noted_several && !other.c->noted_reactions);
  assert_true(other.c->closed[0] == t.c->closed[0] && other.c->instants[0].t[5] == 6 && other.c->instants[0].since == 3);
  hml_text_free(&stored);
  hml_text_free(&again);
  release(&t);
  release(&other);
}

static void modes_come_back(void **state) {
  (void)state;
  contact_test t;
  hml_text stored;
  hml_kept_mode *kept, *back;
  hml_arena memory;
  touch(&t, &puck);
  hml_arena_init(&memory, t.m.c);
  hml_text_init(&stored, t.m.c);
  fill(t.c);
  assert_ok(t.m.c, hml_contacts__keep(t.c, &memory, &kept));
  hml_contacts__store_mode(t.c, kept, &stored);
  hml_contacts__begin_run(t.c, &t.witness, 1, 1e-9, false);
  assert_false(hml_contacts__in_mode(t.c, kept));
  hml_reader r = reader_of(&stored);
  assert_ok(t.m.c, hml_contacts__restore_mode(t.c, &r, &memory, &back));
  assert_true(!r.failed && r.at == r.end);
  hml_contacts__use(t.c, back);
  assert_true(hml_contacts__in_mode(t.c, kept));
  assert_true(hml_contacts__all_open(t.c, kept));
  t.c->closed[0] = true;
  hml_contacts__keep_in(t.c, kept);
  assert_false(hml_contacts__all_open(t.c, kept));
  hml_text_free(&stored);
  hml_arena_free(&memory);
  release(&t);
}

static void other_bytes_are_refused(void **state) {
  (void)state;
  contact_test t;
  hml_text stored;
  touch(&t, &puck);
  fill(t.c);
  hml_text_init(&stored, t.m.c);
  hml_contacts__store(t.c, &stored);
  for (size_t length = 0; length < stored.length; length++) {
    hml_reader cut = {stored.data, stored.data + length, false};
    hml_contacts__restore(t.c, &cut);
    assert_true(cut.failed);
  }
  // the first byte is a flag, then a state of friction, then directions
  const size_t state_at = t.c->sizes.gaps, direction_at = state_at + t.c->sizes.frictions * sizeof(hml_friction_state), flags_at = stored.length - 1;
  for (int k = 0; k < 4; k++) {
    const size_t at[] = {0, state_at, direction_at, flags_at};
    char kept[8];
    const size_t wide = k == 2 ? sizeof kept : 1;
    memcpy(kept, stored.data + at[k], wide);
    memset(stored.data + at[k], k == 2 ? 0xff : 7, wide);
    hml_reader r = reader_of(&stored);
    hml_contacts__restore(t.c, &r);
    assert_true(r.failed);
    memcpy(stored.data + at[k], kept, wide);
  }
  hml_text_free(&stored);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(contacts_come_back), cmocka_unit_test(modes_come_back), cmocka_unit_test(other_bytes_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
