// tests src/program/part.c; arbiter: the whole program
#include "programs.h"

static const char *const texts[] = {"x + y*z + x'*cos(x)", "x + y*z + x'*cos(x) + m*y", "sqrt(1 + x^2)*sin(y) + x + y*z", "x'*cos(x) + m*y + z", "m*z^2/(2 + y^2)"};

static void check(void **state, const hml_program *whole, const hml_program *part, size_t n, const size_t *which, double tolerance) {
  uint64_t seed = 20261127;
  assert_int_equal(hml_program_inputs(part), SYMBOLS);
  assert_int_equal(hml_program_outputs(part), n);
  assert_true(hml_program_operations(part) <= hml_program_operations(whole));
  (void)state;
  for (int trial = 0; trial < 50; trial++) {
    double in[SYMBOLS], all[5], some[5];
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, -2, 2);
    evaluate(whole, in, all);
    evaluate(part, in, some);
    for (size_t i = 0; i < n; i++) check_near(some[i], all[which[i]], tolerance);
  }
}

static void a_part_has_the_results_of_the_whole(void **state) {
  const size_t lists[][3] = {{0, 1, 3}, {4, 2, 2}, {3, 3, 0}};
  hml_program *whole = program_of(state, 5, texts), *part;
  for (int k = 0; k < 3; k++) {
    check_ok(hml_program__part(*state, whole, 3, lists[k], &part));
    check(state, whole, part, 3, lists[k], 0);                             // bit by bit
    hml_program_free(part);
    check_ok(hml_program__shared_part(*state, whole, 3, lists[k], 4, 1, &part));
    check(state, whole, part, 3, lists[k], 1e-13);
    hml_program_free(part);
  }
  check_ok(hml_program__part(*state, whole, 0, NULL, &part));
  assert_int_equal(hml_program_outputs(part), 0);
  hml_program_free(part);
  hml_program_free(whole);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(a_part_has_the_results_of_the_whole)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
