// tests src/program/triangular.c; arbiter: the sums by hand
#include "programs.h"

// a_0 = y + z a_1, a_1 = x; the pivots x and 2 with the diagonal entries 4 and 2
static void accelerations_follow_one_from_another(void **state) {
  const char *const texts[] = {"x'", "y", "x", "0", "z", "0", "0", "x", "2", "4", "2", "x*y"};
  const size_t order[] = {1, 0};
  const hml_triangle_layout l = {.kin = 1, .n = 2, .order = order, .side = 1, .part = 3, .pivots = 7, .diagonals = 9, .power = 11,
                                 .has_power = true, .has_work = true, .floor = 0.125};
  hml_program *parts = program_of(state, sizeof texts / sizeof *texts, texts), *rate;
  size_t margins;
  uint64_t seed = 20261127;
  check_ok(hml_program__triangular(*state, parts, &l, &rate, &margins));
  assert_int_equal(margins, 1);                                            // 2 is positive
  assert_int_equal(hml_program_outputs(rate), 5);
  for (int trial = 0; trial < 20; trial++) {
    double in[SYMBOLS], all[12], out[5];
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, -2, 2);
    evaluate(parts, in, all);
    evaluate(rate, in, out);
    const double x = all[2], y = all[1], z = all[4], wanted[] = {all[0], y + z * x, x, x * y, x - 0.5};
    for (size_t i = 0; i < 5; i++) check_near(out[i], wanted[i], 1e-14);
  }
  hml_program_free(rate);
  hml_program_free(parts);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(accelerations_follow_one_from_another)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
