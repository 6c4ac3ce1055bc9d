// tests src/integrate/radau.c and src/integrate/jacobian.c
#include "problems.h"

// van der Pol, relaxation oscillations; and the high irradiance response problem (HIRES), eight components
static hml_status pol(void *payload, double t, const double *y, double *f) {
  const double mu = *(const double *)payload;
  (void)t;
  f[0] = y[1];
  f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
  return HML_OK;
}

static hml_status pol_jacobian(void *payload, double t, const double *y, double *dfdy, double *dfdt) {
  const double mu = *(const double *)payload, rows[] = {0, 1, -2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] * y[0])};
  (void)t;
  memcpy(dfdy, rows, sizeof rows);
  dfdt[0] = dfdt[1] = 0;
  return HML_OK;
}

static hml_status hires(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = -1.71 * y[0] + 0.43 * y[1] + 8.32 * y[2] + 0.0007;
  f[1] = 1.71 * y[0] - 8.75 * y[1];
  f[2] = -10.03 * y[2] + 0.43 * y[3] + 0.035 * y[4];
  f[3] = 8.32 * y[1] + 1.71 * y[2] - 1.12 * y[3];
  f[4] = -1.745 * y[4] + 0.43 * y[5] + 0.43 * y[6];
  f[5] = -280 * y[5] * y[7] + 0.69 * y[3] + 1.71 * y[4] - 0.43 * y[5] + 0.69 * y[6];
  f[6] = 280 * y[5] * y[7] - 1.81 * y[6];
  f[7] = -f[6];
  return HML_OK;
}

// Arbiter: the published reference of the test set for IVP solvers
static void van_der_pol_reaches_the_published_end(void **state) {
  double mu = 1000, y0[] = {2, 0};
  const hml_ode odes[] = {{.n = 2, .n_controlled = 2, .rhs = pol, .jacobian = pol_jacobian, .payload = &mu},
                          {.n = 2, .n_controlled = 2, .rhs = pol, .payload = &mu}};
  for (int i = 0; i < 2; i++)
    for (double tolerance = 1e-6; tolerance > 1e-11; tolerance /= 100) {
      hml_run_options o = options_of("radau5", tolerance);
      hml_trajectory *r;
      hml_outcome outcome;
      assert_int_equal(hml_integrate(*state, &odes[i], &o, 0, 2000, y0, &r, &outcome), HML_OK);
      assert_int_equal(outcome.status, HML_OK);
      const double *end = hml_trajectory_state(r, hml_trajectory_points(r) - 1);
      check_near(end[0], 1.706167732170483, 300 * tolerance);
      check_near(end[1], -8.928097010247975e-4, 300 * tolerance);
      assert_true(outcome.steps < 4000);
      hml_trajectory_free(r);
    }
}

static void hires_reaches_the_published_end(void **state) {
  static const double wanted[] = {0.7371312573325668e-3, 0.1442485726316185e-3, 0.5888729740967575e-4, 0.1175651343283149e-2,
                                  0.2386356198831331e-2, 0.6238968252742796e-2, 0.2849998395185769e-2, 0.2850001604814231e-2};
  hml_ode ode = {.n = 8, .n_controlled = 8, .rhs = hires};
  hml_run_options o = options_of("radau5", 1e-10);
  hml_trajectory *r;
  hml_outcome outcome;
  double y0[8] = {1, 0, 0, 0, 0, 0, 0, 0.0057};
  assert_int_equal(hml_integrate(*state, &ode, &o, 0, 321.8122, y0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.status, HML_OK);
  for (int i = 0; i < 8; i++) check_near(hml_trajectory_state(r, hml_trajectory_points(r) - 1)[i], wanted[i], 5e-10);
  assert_true(outcome.jacobians < outcome.steps + 5 && outcome.steps < 600);
  hml_trajectory_free(r);
}

// Prothero and Robinson: the slow solution is cos t
static hml_status slow(void *payload, double t, const double *y, double *f) {
  (void)payload;
  f[0] = -1e6 * (y[0] - cos(t)) - sin(t);
  return HML_OK;
}

static void values_between_stiff_steps_keep_the_tolerance(void **state) {
  hml_ode ode = {.n = 1, .n_controlled = 1, .rhs = slow};
  for (double tolerance = 1e-5; tolerance > 1e-11; tolerance /= 100) {
    hml_run_options o = options_of("radau5", tolerance);
    hml_trajectory *r;
    hml_outcome outcome;
    double y0 = 1, x, worst = 0;
    assert_int_equal(hml_integrate(*state, &ode, &o, 0, 10, &y0, &r, &outcome), HML_OK);
    assert_int_equal(outcome.status, HML_OK);
    for (double t = 0.01; t < 10; t += 0.0137) {
      assert_int_equal(hml_trajectory_at(r, t, &x), HML_OK);
      worst = fmax(worst, fabs(x - cos(t)));
    }
    check_below(worst, 0.3 * pow(tolerance, 2.0 / 3));                 // the stages are of order 3 only
    hml_trajectory_free(r);
  }
}

// Fixed steps by hand, whatever the estimate says
static double error_with_steps_of(hml_context *c, double h) {
  hml_ode ode = ode_of(&problems[2]);
  hml_outcome outcome = {0};
  hml_problem p = {.context = c, .ode = &ode, .n = 4, .stride = 4, .pieces = 5, .rtol = 1e-14, .atol = 1e-14, .outcome = &outcome};
  void *state;
  double y[4], f[4], y1[4], f1[4], wanted[4];
  assert_int_equal(hml_stepper_radau5.create(&p, &state), HML_OK);
  kepler_exact(0, y);
  long n = lround(2 / h);
  for (long i = 0; i < n; i++) {
    hml_step s = {.t = (double)i * h, .h = h, .t1 = (double)(i + 1) * h, .y = y, .f = f, .y1 = y1, .f1 = f1};
    kepler_rhs(NULL, s.t, y, f);
    assert_int_equal(hml_stepper_radau5.attempt(state, &s), HML_OK);
    kepler_rhs(NULL, s.t1, y1, f1);
    hml_stepper_radau5.accepted(state, &s, 0);
    memcpy(y, y1, sizeof y);
  }
  hml_stepper_radau5.destroy(&p, state);
  kepler_exact(2, wanted);
  return hypot(y[0] - wanted[0], y[1] - wanted[1]);
}

static void the_order_is_five(void **state) {
  double coarse = error_with_steps_of(*state, 0.02), fine = error_with_steps_of(*state, 0.01), order = log2(coarse / fine);
  if (!(fabs(order - 5) < 0.3)) fail_msg("order %.2f (%.2g, %.2g)", order, coarse, fine);
}

// van der Pol: explicit through the first slow stretch is hopeless; auto notices, and goes back for the oscillator
static void auto_notices_stiffness(void **state) {
  double mu = 1000, y0[] = {2, 0};
  hml_ode ode = {.n = 2, .n_controlled = 2, .rhs = pol, .jacobian = pol_jacobian, .payload = &mu};
  hml_run_options o = options_of("auto", 1e-7);
  hml_trajectory *r;
  hml_outcome outcome;
  assert_int_equal(hml_integrate(*state, &ode, &o, 0, 2000, y0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.status, HML_OK);
  check_near(hml_trajectory_state(r, hml_trajectory_points(r) - 1)[0], 1.706167732170483, 1e-4);
  assert_true(outcome.stiff_steps > 100 && outcome.steps < 6000);
  hml_trajectory_free(r);
  ode = ode_of(&problems[2]);
  double k0[4];
  kepler_exact(0, k0);
  assert_int_equal(hml_integrate(*state, &ode, &o, 0, 10, k0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.stiff_steps, 0);
  check_below(worst_error(r, kepler_exact, 5), 500e-7);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(van_der_pol_reaches_the_published_end),
      cmocka_unit_test(hires_reaches_the_published_end),
      cmocka_unit_test(values_between_stiff_steps_keep_the_tolerance),
      cmocka_unit_test(the_order_is_five),
      cmocka_unit_test(auto_notices_stiffness),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
