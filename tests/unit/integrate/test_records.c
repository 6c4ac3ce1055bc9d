// tests src/integrate/records.c: copies, counts and what each way of keeping leaves; arbiter: the values that were added

#include "integrate/records.h"
#include "support.h"

static hml_records *fresh(hml_context *c, hml_keeping keep) {
  hml_records *r;
  assert_int_equal(hml_records__new(c, &r), HML_OK);
  hml_records__begin(r, keep);
  return r;
}

static hml_record impact_at(double t, const double *state, const double *after) {
  return (hml_record){.kind = HML_RECORD_IMPACT, .t = t, .state = state, .after = after};
}

static void arrays_are_copied(void **state) {
  hml_context *c = *state;
  hml_records *r = fresh(c, HML_KEEP_STEPS);
  for (int i = 0; i < 100; i++) {                                        // more than the first room of the list
    double before[2] = {i, -i}, after[3] = {2 * i, 1, i};
    assert_int_equal(hml_records__add(r, impact_at(i, before, after), 2, 3), HML_OK);
    memset(before, 0, sizeof before);
    memset(after, 0, sizeof after);
  }
  assert_int_equal(hml_records__count(r), 100);
  assert_int_equal(hml_records__impacts(r), 100);
  for (size_t i = 0; i < 100; i++) {
    const hml_record *one = hml_records__at(r, i);
    assert_true(one->t == (double)i && one->state[1] == -(double)i && one->after[0] == 2 * (double)i && one->after[2] == (double)i);
  }
  hml_records__begin(r, HML_KEEP_STEPS);
  assert_int_equal(hml_records__count(r), 0);
  assert_int_equal(hml_records__impacts(r), 0);
  hml_records__free(r);
}

static void ends_keep_counts_and_notes_alone(void **state) {
  hml_context *c = *state;
  hml_records *r = fresh(c, HML_KEEP_ENDS);
  double x[1] = {1};
  char text[] = "a note";
  for (int i = 0; i < 3; i++) assert_int_equal(hml_records__add(r, impact_at(i, x, x), 1, 1), HML_OK);
  assert_int_equal(hml_records__note(r, 0.5, text), HML_OK);
  text[0] = 'A';
  assert_int_equal(hml_records__impacts(r), 3);
  assert_int_equal(hml_records__count(r), 1);
  assert_string_equal(hml_records__at(r, 0)->text, "a note");
  hml_records__free(r);
}

static void events_behind_the_end_are_dropped(void **state) {
  hml_context *c = *state;
  for (int backward = 0; backward < 2; backward++) {
    hml_records *r = fresh(c, HML_KEEP_STEPS);
    double x[1] = {0};
    for (int i = 0; i < 6; i++) assert_int_equal(hml_records__add(r, (hml_record){.kind = HML_RECORD_EVENT, .t = i, .state = x}, 1, 0), HML_OK);
    assert_int_equal(hml_records__note(r, 9, "stays"), HML_OK);
    assert_int_equal(hml_records__note(r, -9, "stays"), HML_OK);
    hml_records__drop_events_behind(r, 2.5, backward);
    assert_int_equal(hml_records__count(r), 5);                          // three events on either side, two notes
    for (size_t i = 0; i < 3; i++) assert_true(backward ? hml_records__at(r, i)->t > 2.5 : hml_records__at(r, i)->t < 2.5);
    hml_records__free(r);
  }
}

static void a_point_has_the_reactions_of_the_step_that_arrives_there(void **state) {
  hml_context *c = *state;
  hml_records *r = fresh(c, HML_KEEP_STEPS);
  assert_null(hml_records__mode(r, 0));
  assert_null(hml_records__step(r, 0));
  for (int i = 1; i <= 40; i++) {
    double reactions[2] = {i, 10 * i};
    assert_int_equal(hml_records__keep_step(r, reactions, 2), HML_OK);
  }
  for (size_t point = 1; point <= 40; point++) assert_true(hml_records__step(r, point)[1] == 10 * (double)point);
  assert_true(hml_records__step(r, 0)[0] == 1);                          // the start has those of the first step
  assert_null(hml_records__step(r, 41));
  hml_records__free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(arrays_are_copied),
      in_context(ends_keep_counts_and_notes_alone),
      in_context(events_behind_the_end_are_dropped),
      in_context(a_point_has_the_reactions_of_the_step_that_arrives_there),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
