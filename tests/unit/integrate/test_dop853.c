// tests src/integrate/dop853.c
#include "problems.h"

#include "integrate/dop853_table.h"

// arbiter: the order conditions of Runge-Kutta methods (Hairer, Norsett, Wanner I, II.2)
static void the_weights_are_quadratures_of_their_order(void **state) {
  (void)state;
  for (int k = 1; k <= 8; k++) {
    double eight = 0, three = 0, five = 0;
    for (int i = 1; i <= 12; i++) {
      double power = k == 1 ? 1 : pow(dop853_c[i], k - 1);
      eight += dop853_b[i] * power;
      three += dop853_b3[i] * power;
      five += dop853_e5[i] * power;
    }
    check_near(eight, 1.0 / k, 1e-15);
    if (k <= 3) check_near(three, 1.0 / k, 1e-15);
    if (k <= 5) check_near(five, 0, 2e-15);
  }
}

static void the_rows_sum_to_the_nodes(void **state) {
  (void)state;
  for (int i = 2; i <= 16; i++) {
    double sum = 0;
    for (int j = 1; j < i; j++) sum += dop853_a[i][j];
    if (i != 13) check_near(sum, dop853_c[i], 2e-14);   // entries up to 43 cancel
  }
}

// Trees with one inner node: sum b_i c_i^p a_ij c_j^q = 1 / ((q + 1) (p + q + 2))
static void the_conditions_of_trees_of_height_two_hold(void **state) {
  (void)state;
  for (int p = 0; p <= 6; p++)
    for (int q = 1; p + q + 2 <= 8; q++) {
      double sum = 0;
      for (int i = 2; i <= 12; i++)
        for (int j = 1; j < i; j++) sum += dop853_b[i] * pow(dop853_c[i], p) * dop853_a[i][j] * pow(dop853_c[j], q);
      check_near(sum, 1.0 / ((q + 1) * (p + q + 2)), 4e-15);
    }
}

// Error at t = 1.2 of steps of constant size, and of the dense output on the way
static void errors_of_constant_steps(hml_context *c, double h, double *end, double *between) {
  hml_ode ode = {.n = 3, .n_controlled = 3, .rhs = smooth_rhs};
  hml_run_options o = options_of("dop853", 1e6);
  o.first_step = o.max_step = h;
  double y0[] = {1, 1, 0}, wanted[3];
  hml_trajectory *r;
  hml_outcome outcome;
  assert_int_equal(hml_integrate(c, &ode, &o, 0, 1.2, y0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.status, HML_OK);
  assert_int_equal(outcome.steps, (int)(1.2 / h + 0.5));
  const double *x = hml_trajectory_state(r, hml_trajectory_points(r) - 1);
  smooth_exact(1.2, wanted);
  *end = 0;
  for (int i = 0; i < 3; i++) *end = fmax(*end, fabs(x[i] - wanted[i]));
  *between = worst_error(r, smooth_exact, 7);
  hml_trajectory_free(r);
}

static void the_observed_order_is_eight_and_between_the_steps_seven(void **state) {
  double coarse, fine, coarse_between, fine_between;
  errors_of_constant_steps(*state, 1.2 / 12, &coarse, &coarse_between);
  errors_of_constant_steps(*state, 1.2 / 24, &fine, &fine_between);
  check_near(log2(coarse / fine), 8, 0.6);
  assert_true(log2(coarse_between / fine_between) > 6.8);
}

// Arenstorf's orbit, Hairer, Norsett, Wanner I, II.0: a satellite among earth and moon
static hml_status arenstorf(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  const double moon = 0.012277471, earth = 1 - moon;
  double d1 = pow((y[0] + moon) * (y[0] + moon) + y[1] * y[1], 1.5), d2 = pow((y[0] - earth) * (y[0] - earth) + y[1] * y[1], 1.5);
  f[0] = y[2];
  f[1] = y[3];
  f[2] = y[0] + 2 * y[3] - earth * (y[0] + moon) / d1 - moon * (y[0] - earth) / d2;
  f[3] = y[1] - 2 * y[2] - earth * y[1] / d1 - moon * y[1] / d2;
  return HML_OK;
}

// arbiter: published start and period; errors grow by about 1e5 over it
static void the_arenstorf_orbit_returns(void **state) {
  hml_ode ode = {.n = 4, .n_controlled = 4, .rhs = arenstorf};
  hml_run_options o = options_of(NULL, 1e-13);
  double y0[] = {0.994, 0, 0, -2.00158510637908252240537862224}, period = 17.0652165601579625588917206249;
  hml_trajectory *r;
  hml_outcome outcome;
  assert_int_equal(hml_integrate(*state, &ode, &o, 0, period, y0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.status, HML_OK);
  const double *x = hml_trajectory_state(r, hml_trajectory_points(r) - 1);
  check_near(x[0], y0[0], 1e-9);
  check_near(x[1], y0[1], 1e-9);
  assert_true(outcome.steps < 450);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_weights_are_quadratures_of_their_order),
      cmocka_unit_test(the_rows_sum_to_the_nodes),
      cmocka_unit_test(the_conditions_of_trees_of_height_two_hold),
      cmocka_unit_test(the_observed_order_is_eight_and_between_the_steps_seven),
      cmocka_unit_test(the_arenstorf_orbit_returns),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
