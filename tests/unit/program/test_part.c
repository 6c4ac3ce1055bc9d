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

// Factors multiplied and added along nested sums keep what doubles leave of them; arbiter: the whole program in quadruple precision
static void factors_keep_their_rests(void **state) {
  if (!hml_program__has_quad()) skip();
  const char *const sums[] = {"sin(x + pi*(y + sqrt(2)*z)) + cos(pi*(y + sqrt(2)*z))", "x'*sin(y + sqrt(3)*(x + pi*(y + sqrt(2)*(z + m/3))))"};
  const size_t both[] = {0, 1};
  hml_program *flat = program_of(state, 2, sums), *shared;
  check_ok(hml_program__shared_part(*state, flat, 2, both, 4, 1, &shared));
  hml_quad in[SYMBOLS] = {1, 2, 3, 4, 5}, a[2], b[2], values[400];
  assert_true(hml_program__values(flat) <= 400 && hml_program__values(shared) <= 400);
  hml_program__eval_quad(flat, in, a, values);
  hml_program__eval_quad(shared, in, b, values);
  for (int i = 0; i < 2; i++) assert_true(fabs((double)(a[i] - b[i])) < 1e-20);
  hml_program_free(shared);
  hml_program_free(flat);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(a_part_has_the_results_of_the_whole), in_context(factors_keep_their_rests)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
