// tests src/program/jumps.c: arguments of jumps against their formulas
#include "programs.h"

static void arguments_of_jumps_are_programs(void **state) {
  const char *const jumping[] = {"sign(x - y)*z + atan2(m*z, x)"}, *const continuous[] = {"abs(x - y) + max(x, z)*atan(y)"};
  const char *const arguments[] = {"x - y", "m*z"};
  hml_program *whole = program_of(state, 1, jumping), *wanted = program_of(state, 2, arguments), *none = program_of(state, 1, continuous);
  uint64_t seed = 20261127;
  bool seen[2] = {false, false};
  assert_int_equal(hml_program__break_count(none, HML_JUMPS), 0);
  assert_int_equal(hml_program__break_count(whole, HML_JUMPS), 2);
  for (size_t k = 0; k < 2; k++) {
    double in[SYMBOLS], expected[2], value;
    hml_program *argument;
    check_ok(hml_program__break_function(*state, whole, HML_JUMPS, k, &argument));
    assert_int_equal(hml_program_inputs(argument), SYMBOLS);
    assert_int_equal(hml_program_outputs(argument), 1);
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, -2, 2);
    evaluate(wanted, in, expected);
    evaluate(argument, in, &value);
    for (int i = 0; i < 2; i++) seen[i] |= fabs(fabs(value) - fabs(expected[i])) < 1e-15;
    hml_program_free(argument);
  }
  assert_true(seen[0] && seen[1]);
  hml_program_free(whole);
  hml_program_free(wanted);
  hml_program_free(none);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(arguments_of_jumps_are_programs)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
