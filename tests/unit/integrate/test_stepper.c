// tests src/integrate/stepper.c
#include "problems.h"

static void each_row_is_found_by_its_name(void **state) {
  (void)state;
  assert_int_equal(hml_stepper_count(), 14);
  assert_string_equal(hml_stepper_name(0), hml_run_options_default().method);
  for (size_t i = 0; i < hml_stepper_count(); i++) {
    assert_int_equal(hml_stepper_find(hml_stepper_name(i)), i);
    assert_true(strlen(hml_stepper_title(i)) > 10);
  }
  for (size_t i = 0; i < hml_stepper_count(); i++)
    assert_int_equal(hml_stepper_fixed(i), i >= adaptive_count() && strcmp(hml_stepper_name(i), "taylor") != 0);
  for (size_t i = 0; i < hml_stepper_count(); i++) {
    const char *name = hml_stepper_name(i);
    bool refuses = strcmp(name, "taylor") == 0 || strcmp(name, "dla") == 0 || strncmp(name, "ms", 2) == 0;
    assert_int_equal(hml_stepper_takes_contacts(i), !refuses);
  }
  assert_int_equal(adaptive_count(), 7);
  assert_int_equal(hml_stepper_find("euler"), -1);
  assert_int_equal(hml_stepper_find(NULL), -1);
  assert_null(hml_stepper_name(14));
  assert_null(hml_stepper_title(14));
}

static void an_unknown_method_is_answered_by_the_nearest(void **state) {
  hml_context *c = *state;
  static const char *const pairs[][2] = {
      {"dopri853", "dop853"}, {"rk45", "rkf45"}, {"rk8p", "rk8pd"}, {"bdf", "msbdf"}, {"adams", "msadams"}, {"msbfd", "msbdf"},
  };
  static const char *const strange[] = {"", "a name that is much longer than any of the names there are in the table of methods"};
  const hml_stepper *m;
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    assert_int_equal(hml_stepper__choose(c, pairs[i][0], &m), HML_ARGUMENT);
    check_contains(hml_context_error(c)->message, pairs[i][0]);
    char wanted[40];
    snprintf(wanted, sizeof wanted, "did you mean '%s'?", pairs[i][1]);
    check_contains(hml_context_error(c)->message, wanted);
    hml_context_clear_error(c);
  }
  for (size_t i = 0; i < 2; i++) {
    assert_int_equal(hml_stepper__choose(c, strange[i], &m), HML_ARGUMENT);
    check_contains(hml_context_error(c)->message, "did you mean");
    hml_context_clear_error(c);
  }
  assert_int_equal(hml_stepper__choose(c, NULL, &m), HML_OK);
  assert_string_equal(m->name, "dop853");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_row_is_found_by_its_name),
      cmocka_unit_test(an_unknown_method_is_answered_by_the_nearest),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
