// tests src/integrate/jumps.c: the argument of a jump on a step of x(theta) = theta - 0.3
#include "problems.h"

#include "integrate/jumps.h"

static hml_jumps *opened(hml_context *c, const hml_problem *of, const char *text, hml_program **program) {
  const hml_expr in[] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "k", 0, 0)};
  const hml_expr e = hml_parse(c, text, 3, in);
  hml_jumps *jumps;
  assert_int_equal(hml_program_new(c, 3, in, 1, &e, program), HML_OK);
  assert_int_equal(hml_jumps__open(of, *program, HML_JUMPS, 1, 1, &jumps), HML_OK);
  return jumps;
}

static void arguments_are_functions_on_a_step(void **state) {
  const hml_problem of = {.context = *state, .n = 1, .pieces = 1};
  const double constants[] = {2, 3}, errors[] = {1e-3}, piece[] = {1};
  double start[] = {-0.3}, end[] = {0.7};
  const hml_step step = {.t = 1, .t1 = 3, .h = 2, .y = start, .y1 = end};
  hml_program *program;
  hml_jumps *jumps = opened(*state, &of, "1 + sign(x - k)", &program);
  assert_int_equal(hml_jumps__count(jumps), 1);
  for (int k = 0; k < 2; k++) {
    hml_jumps__begin(jumps, constants + k, errors);
    assert_int_equal(hml_jumps__enter(jumps), HML_OK);
    const hml_guard_near near = hml_guard__near(hml_jumps__guard(jumps, 0), &step, piece, 0.5, 0, true);
    const double value = hml_traced__value_on(hml_jumps__traced(jumps), hml_jumps__program(jumps, 0), &step, piece, 0.5);
    check_near(fabs(value), fabs(0.2 - constants[k]), 1e-15);
    check_near(near.wide.high - near.wide.low, 2e-3, 1e-12);
    check_near(fabs(near.rates.low), 1, 1e-12);
  }
  hml_jumps__close(jumps);
  hml_program_free(program);
}

static void continuous_functions_have_none(void **state) {
  const hml_problem of = {.context = *state, .n = 1, .pieces = 1};
  hml_program *program;
  hml_jumps *jumps = opened(*state, &of, "max(x, k) + abs(x)", &program);
  assert_null(jumps);
  assert_int_equal(hml_jumps__count(jumps), 0);
  hml_jumps__close(jumps);
  hml_program_free(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(arguments_are_functions_on_a_step), in_context(continuous_functions_have_none)};
  return cmocka_run_group_tests_name("jumps", tests, NULL, NULL);
}
