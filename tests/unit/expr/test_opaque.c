// Tests of src/expr/opaque.c: functions known by name alone.
#include "expressions.h"

static hml_expr V(fixture *f, hml_expr x) { return hml_opaque(f->c, "V", 1, &x); }

// The example that disproves identities is a function: its derivatives are those of its values. Arbiter: central differences
static void the_example_has_the_derivatives_it_claims(void **state) {
  fixture *f = *state;
  hml_expr x[2] = {f->s[0], f->s[1]}, F = hml_opaque(f->c, "F", 2, x);
  for (int k = 0; k < 6; k++) {
    for (size_t i = 0; i < 2; i++) {
      hml_expr rate = hml_opaque__partial(f->c, F, i + 1);
      double at[2] = {0.7, -1.3}, left[2] = {0.7, -1.3}, right[2] = {0.7, -1.3}, slope[HML_OPAQUE_ARGUMENTS], size;
      left[i] -= 1e-5, right[i] += 1e-5;
      double difference = (hml_opaque__sample(F, right, slope, &size) - hml_opaque__sample(F, left, slope, &size)) / 2e-5;
      assert_true(fabs(difference) <= slope[i]);
      assert_true(fabs(difference - hml_opaque__sample(rate, at, slope, &size)) < 1e-8 * size);
    }
    F = hml_opaque__partial(f->c, F, 1 + (size_t)k % 2);
  }
}

static void names_and_arguments_are_checked(void **state) {
  fixture *f = *state;
  const char *bad[] = {"sin", "sqrt", "diff", "1x", "V'", "pi"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    assert_null(hml_opaque(f->c, bad[i], 1, &f->s[0]));
    assert_int_equal(hml_context_error(f->c)->status, HML_ARGUMENT);
    hml_context_clear_error(f->c);
  }
  assert_null(hml_opaque(f->c, "V", 0, NULL));
  hml_context_clear_error(f->c);
  assert_null(hml_call(f->c, HML_FUN_opaque, 2, (hml_expr[]){f->s[0], f->s[1]}));
  assert_int_equal(hml_context_error(f->c)->status, HML_ARGUMENT);
  hml_context_clear_error(f->c);
  hml_expr e = V(f, f->s[0]);
  for (int k = 0; k < HML_OPAQUE_ORDER; k++) e = hml_derivative(f->c, e, f->s[0]);
  assert_non_null(e);
  assert_null(hml_derivative(f->c, e, f->s[0]));
  assert_int_equal(hml_context_error(f->c)->status, HML_LIMIT);
  hml_context_clear_error(f->c);
}

static void the_name_is_no_variable(void **state) {
  fixture *f = *state;
  hml_expr e = V(f, f->s[0]), found[4];
  size_t n;
  assert_int_equal(hml_symbols_of(f->c, 1, &e, 4, found, &n), HML_OK);
  assert_int_equal(n, 1);
  assert_ptr_equal(found[0], f->s[0]);
}

static void values_and_programs_refuse_it(void **state) {
  fixture *f = *state;
  hml_expr e = hml_add(f->c, V(f, f->s[0]), f->s[0]);
  double x = 1, y;
  hml_program *program;
  assert_int_equal(hml_value(f->c, e, 1, &f->s[0], &x, &y), HML_UNSUPPORTED);
  assert_non_null(strstr(hml_context_error(f->c)->message, "'V' in V("));
  hml_context_clear_error(f->c);
  assert_int_equal(hml_program_new(f->c, 1, &f->s[0], 1, &e, &program), HML_UNSUPPORTED);
  hml_context_clear_error(f->c);
  // a program that is given its value needs no formula
  hml_expr inputs[2] = {f->s[0], V(f, f->s[0])};
  assert_int_equal(hml_program_new(f->c, 2, inputs, 1, &e, &program), HML_OK);
  hml_program_free(program);
}

int main(void) {
#define in_fixture(test) cmocka_unit_test_setup_teardown(test, open_fixture, close_fixture)
  const struct CMUnitTest tests[] = {
      in_fixture(the_example_has_the_derivatives_it_claims), in_fixture(names_and_arguments_are_checked), in_fixture(the_name_is_no_variable),
      in_fixture(values_and_programs_refuse_it),
  };
  return cmocka_run_group_tests_name("opaque", tests, NULL, NULL);
}
