// tests src/program/listing.c, and by whole listings what lower.c and optimise.c make
#include "programs.h"

static void check_listing(void **state, size_t n, const char *const *texts, const char *wanted) {
  hml_program *p = program_of(state, n, texts);
  char *text = hml_program_list(*state, p);
  assert_non_null(text);
  assert_string_equal(text, wanted);
  hml_free(*state, text);
  hml_program_free(p);
}

static void a_listing_is_read_line_by_line(void **state) {
  check_listing(state, 2, (const char *const[]){"m*x'^2/2 - m*9.81*sin(x)", "-m*cos(x)/x'"},
                "in x, y, z, x', m\n"
                "t1, t2 = sincos(x)\n"
                "t3 = 9.81*m\n"
                "t4 = x'*x'\n"
                "t5 = 0.5*m\n"
                "t6 = t4*t5\n"
                "t7 = t6 - t1*t3\n"
                "t8 = t2/x'\n"
                "t9 = m*t8\n"
                "t10 = -t9\n"
                "out1 = t7\n"
                "out2 = t10\n");
}

static void several_denominators_make_one_division(void **state) {
  check_listing(state, 2, (const char *const[]){"(y*z)/(x*x'^2)", "y"},
                "in x, y, z, x', m\n"
                "t1 = x'*x'\n"
                "t2 = y*z\n"
                "t3 = x*t1\n"
                "t4 = t2/t3\n"
                "out1 = t4\n"
                "out2 = y\n");
}

static void products_in_sums_become_multiply_adds(void **state) {
  check_listing(state, 3, (const char *const[]){"x + y*z", "x - y*m", "atan2(y, x)"},
                "in x, y, z, x', m\n"
                "t1 = x + y*z\n"
                "t2 = x - y*m\n"
                "t3 = atan2(y, x)\n"
                "out1 = t1\n"
                "out2 = t2\n"
                "out3 = t3\n");
}

static void a_trace_names_the_logarithm_of_a_negative_number(void **state) {
  hml_program *p = program_of(state, 2, (const char *const[]){"cos(y) + m", "z*sin(log(x - 2*m))"});
  double in[SYMBOLS] = {1, 1, 1, 1, 2}, work[32];
  char what[200], cut[8];
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 1);
  assert_string_equal(what, "log(x - 2*m) is not a number where x - 2*m = -3");
  assert_int_equal(hml_program_trace(p, in, work, cut, sizeof cut), 1);
  assert_string_equal(cut, "log(x -");
  assert_int_equal(hml_program_trace(p, in, work, NULL, 0), 1);
  in[0] = 5;
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 0);
  assert_string_equal(what, "");
  in[0] = 4;
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 1);
  check_contains(what, "log(x - 2*m) is infinite where x - 2*m = 0");
  hml_program_free(p);
}

static void a_trace_names_inputs_that_are_not_finite(void **state) {
  hml_program *p = program_of(state, 2, (const char *const[]){"x*y + 1", "x'"});
  double in[SYMBOLS] = {NAN, 1, NAN, 1, 2}, work[32];
  char what[200];
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 1);
  assert_string_equal(what, "x is not a number");
  in[0] = 1;
  in[3] = INFINITY;
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 1);
  assert_string_equal(what, "x' is infinite");
  in[3] = 0;
  // z is not used
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 0);
  hml_program_free(p);
}

static void a_trace_writes_deep_operands_short(void **state) {
  hml_program *p = program_of(state, 1, (const char *const[]){"1/((x - 1)*sin(cos(sin(cos(sin(cos(x)))))))"});
  double in[SYMBOLS] = {1, 0}, work[32];
  char what[200];
  assert_int_equal(hml_program_trace(p, in, work, what, sizeof what), 1);
  check_contains(what, "is infinite where");
  check_contains(what, "...");
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(a_listing_is_read_line_by_line),
      in_context(several_denominators_make_one_division),
      in_context(products_in_sums_become_multiply_adds),
      in_context(a_trace_names_the_logarithm_of_a_negative_number),
      in_context(a_trace_names_inputs_that_are_not_finite),
      in_context(a_trace_writes_deep_operands_short),
  };
  return cmocka_run_group_tests_name("listing", tests, NULL, NULL);
}
