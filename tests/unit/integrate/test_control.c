// tests src/integrate/control.c
#include "problems.h"

static hml_outcome outcome;

static hml_problem problem_of(hml_context *c, const hml_ode *ode, double rtol, double atol) {
  return (hml_problem){c, ode, ode->n, 4, 3, rtol, atol, &outcome, 0};
}

static void the_norm_is_the_worst_controlled_component(void **state) {
  hml_ode ode = {.n = 3, .n_controlled = 2, .rhs = exponential_rhs};
  hml_problem p = problem_of(*state, &ode, 1e-3, 1e-6);
  double e[] = {1e-6, -2e-3, 1e9}, y[] = {0, 1, 0}, y1[] = {0, -0.5, 0};
  check_near(hml_control__norm(&p, e, y, y1), 2e-3 / (1e-6 + 1e-3), 1e-12);
  e[0] = NAN;
  assert_true(isnan(hml_control__norm(&p, e, y, y1)));
  e[0] = 0;
  e[1] = NAN;
  assert_true(isnan(hml_control__norm(&p, e, y, y1)));
}

// With atol = 0 a component that is and stays zero is no error
static void a_component_at_rest_needs_no_absolute_tolerance(void **state) {
  hml_ode ode = {.n = 2, .n_controlled = 2, .rhs = oscillator_rhs};
  hml_problem p = problem_of(*state, &ode, 1e-3, 0);
  double e[] = {0, 1e-3}, y[] = {0, 1};
  check_near(hml_control__norm(&p, e, y, y), 1, 1e-12);
}

// arbiter: h^(p+1) max(|y'|, |y''|) = 0.01 in units of the tolerance
static void the_first_step_follows_the_order(void **state) {
  hml_ode ode = {.n = 2, .n_controlled = 2, .rhs = oscillator_rhs};
  hml_problem p = problem_of(*state, &ode, 0, 1e-6);
  double y[4] = {1, 0}, f[4] = {0, -1}, work[12], h;
  const unsigned orders[] = {1, 5, 8};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(hml_control__first_step(&p, orders[i], 0, 10, y, f, work, &h), HML_OK);
    check_near(h, pow(0.01 / 1e6, 1.0 / (orders[i] + 1)), 1e-9 + 1e-3 * h);
  }
}

static void a_good_step_grows_and_a_bad_one_shrinks(void **state) {
  (void)state;
  for (size_t i = 0; i < adaptive_count(); i++) {
    const hml_stepper *m = hml_stepper__at(i);
    assert_true(hml_control__factor(m, m->order, 1e-6, 1e-4, false) > 1.5);
    assert_true(hml_control__factor(m, m->order, 0, 1e-4, false) <= 6);
    assert_true(hml_control__factor(m, m->order, 1e-6, 1e-4, true) <= 1);
    assert_true(hml_control__factor(m, m->order, 1.01, 1e-4, false) < 1);
    assert_true(hml_control__factor(m, m->order, 1e300, 1e-4, false) >= 0.2);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_norm_is_the_worst_controlled_component),
      cmocka_unit_test(a_component_at_rest_needs_no_absolute_tolerance),
      cmocka_unit_test(the_first_step_follows_the_order),
      cmocka_unit_test(a_good_step_grows_and_a_bad_one_shrinks),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
