// tests src/program/interpret.c
#include "programs.h"

static void rows_with_corners_follow_their_definition(void **state) {
  hml_program *p = program_of(state, 7, (const char *const[]){"min(x, y)", "max(x, y)", "sign(x)", "abs(x)", "atan2(x, y)",
                                                               "sqrt(x^2)", "sign(y)"});
  const double points[][2] = {{-2, 3}, {2, -3}, {0, 1}, {-0.5, -0.5}, {1, 0}};
  for (size_t k = 0; k < sizeof points / sizeof *points; k++) {
    double x = points[k][0], y = points[k][1], in[SYMBOLS] = {x, y}, out[7];
    evaluate(p, in, out);
    assert_true(out[0] == (x < y ? x : y));
    assert_true(out[1] == (x < y ? y : x));
    assert_true(out[2] == (x > 0) - (x < 0));
    assert_true(out[3] == fabs(x));
    assert_true(out[4] == atan2(x, y));
    assert_true(out[5] == fabs(x));
    assert_true(out[6] == (y > 0) - (y < 0));
  }
  hml_program_free(p);
}

// The pair gives the bits of the single calls
static void sine_and_cosine_of_one_argument_are_paired_without_a_difference(void **state) {
  hml_program *p = program_of(state, 2, (const char *const[]){"sin(x)", "cos(x)"});
  assert_int_equal(hml_program_operations(p), 1);
  uint64_t dice = 7;
  for (int k = 0; k < 200000; k++) {
    double in[SYMBOLS] = {draw_between(&dice, -1, 1) * pow(10, k % 9)}, out[2];
    double (*volatile sine)(double) = hml_sin, (*volatile cosine)(double) = hml_cos;
    double work[16];
    hml_program_eval(p, in, out, work);
    assert_true(out[0] == sine(in[0]) && out[1] == cosine(in[0]));
  }
  hml_program_free(p);
}

static void nothing_in_and_nothing_out_are_programs_too(void **state) {
  hml_context *c = *state;
  hml_expr outputs[2] = {hml_rational(c, -3, 4), hml_sqrt(c, hml_integer(c, 2))}, x = hml_symbol(c, "x", 0, 0);
  hml_program *p, *q;
  double out[2], in = 3;
  check_ok(hml_program_new(c, 0, NULL, 2, outputs, &p));
  evaluate(p, NULL, out);
  assert_true(out[0] == -0.75 && out[1] == sqrt(2));
  assert_int_equal(hml_program_operations(p), 0);
  check_ok(hml_program_new(c, 1, &x, 0, NULL, &q));
  evaluate(q, &in, NULL);
  assert_int_equal(hml_program_outputs(q), 0);
  assert_int_equal(hml_program_inputs(q), 1);
  hml_program_free(p);
  hml_program_free(q);
}

static void a_program_survives_a_sweep(void **state) {
  hml_program *p = program_of(state, 1, (const char *const[]){"x*y + sin(z)/x'"});
  hml_context_sweep(*state);
  double in[SYMBOLS] = {2, 3, 0.5, 4, 1}, out;
  evaluate(p, in, &out);
  check_near(out, 6 + sin(0.5) / 4, 1e-15);
  char *text = hml_program_list(*state, p);
  check_contains(text, "x*y");
  hml_free(*state, text);
  // its derivative needs the texts of functions.def again
  const size_t z = 2;
  hml_program *q;
  check_ok(hml_program_tangent(*state, p, 1, &z, &q));
  double more[SYMBOLS + 1] = {2, 3, 0.5, 4, 1, 1}, both[2];
  evaluate(q, more, both);
  check_near(both[1], cos(0.5) / 4, 1e-15);
  hml_program_free(p);
  hml_program_free(q);
}

// out may be the memory of in
static void results_may_replace_the_inputs(void **state) {
  hml_program *p = program_of(state, 5, (const char *const[]){"y", "x", "x + y", "z*x", "m"});
  double in[SYMBOLS] = {2, 3, 5, 7, 11};
  evaluate(p, in, in);
  assert_true(in[0] == 3 && in[1] == 2 && in[2] == 5 && in[3] == 10 && in[4] == 11);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(rows_with_corners_follow_their_definition),
      in_context(sine_and_cosine_of_one_argument_are_paired_without_a_difference),
      in_context(nothing_in_and_nothing_out_are_programs_too),
      in_context(a_program_survives_a_sweep),
      in_context(results_may_replace_the_inputs),
  };
  return cmocka_run_group_tests_name("interpret", tests, NULL, NULL);
}
