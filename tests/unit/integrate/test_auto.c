// auto.c: which method is at work: DOP853, Radau IIA where the problem is stiff, series where the tolerance is tight.
#include "lagrange.h"
#include "problems.h"

static hml_outcome outcome;

static hml_trajectory *integrate(hml_context *c, const hml_ode *ode, const char *method, double tolerance, double t1, const double *y0) {
  hml_run_options o = options_of(method, tolerance);
  hml_trajectory *r;
  assert_ok(c, hml_integrate(c, ode, &o, 0, t1, y0, &r, &outcome));
  assert_int_equal(outcome.status, HML_OK);
  return r;
}

static void easy_problems_are_those_of_dop853_to_the_bit(void **state) {
  for (int k = 0; k < 3; k++) {
    hml_ode ode = ode_of(&problems[k]);
    double y0[4];
    problems[k].exact(0, y0);
    hml_trajectory *a = integrate(*state, &ode, "auto", 1e-8, problems[k].t_end, y0);
    hml_trajectory *b = integrate(*state, &ode, "dop853", 1e-8, problems[k].t_end, y0);
    assert_int_equal(outcome.jacobians, 0);
    size_t n = hml_trajectory_points(b);
    assert_int_equal(hml_trajectory_points(a), n);
    for (size_t i = 0; i < n; i++)
      assert_memory_equal(hml_trajectory_state(a, i), hml_trajectory_state(b, i), problems[k].n * sizeof(double));
    hml_trajectory_free(a);
    hml_trajectory_free(b);
  }
}

// Prothero and Robinson: y' = -L (y - cos t) - sin t, the slow solution is cos t
static hml_status slow(void *payload, double t, const double *y, double *f) {
  f[0] = -*(double *)payload * (y[0] - cos(t)) - sin(t);
  return HML_OK;
}

static void stiff_problems_go_to_radau(void **state) {
  double lambda = 1e5, y0 = 1;
  hml_ode ode = {.n = 1, .n_controlled = 1, .rhs = slow, .payload = &lambda};
  hml_trajectory *r = integrate(*state, &ode, "auto", 1e-8, 30, &y0);
  // an explicit method needs lambda t / 6 steps
  assert_true(outcome.steps < 3000 && outcome.jacobians > 0);
  assert_true(outcome.stiff_steps > outcome.steps / 2);
  check_near(hml_trajectory_state(r, hml_trajectory_points(r) - 1)[0], cos(30), 1e-7);
  hml_trajectory_free(r);
}

// Stiff up to t = 10, not after it: back to the explicit method
static hml_status half(void *payload, double t, const double *y, double *f) {
  (void)payload;
  f[0] = -1e5 * exp(-t * t / 8) * (y[0] - cos(t)) - sin(t);
  return HML_OK;
}

static void what_is_not_stiff_any_more_goes_back(void **state) {
  double y0 = 1;
  hml_ode ode = {.n = 1, .n_controlled = 1, .rhs = half};
  hml_trajectory *r = integrate(*state, &ode, "auto", 1e-8, 100, &y0);
  assert_true(outcome.stiff_steps > 0 && outcome.stiff_steps < outcome.steps);
  size_t jacobians = outcome.jacobians;
  check_near(hml_trajectory_state(r, hml_trajectory_points(r) - 1)[0], cos(100), 1e-6);
  hml_trajectory_free(r);
  r = integrate(*state, &ode, "auto", 1e-8, 200, &y0);
  assert_int_equal(outcome.jacobians, jacobians);                        // no more of them behind t = 100
  hml_trajectory_free(r);
}

// arbiter: the same numbers as the method taylor where the tolerance is tight, as dop853 where it is not
static void tight_tolerances_take_series(void **state) {
  (void)state;
  const lagrange swing = {.coordinates = "q", .kinetic = "q'^2/2", .potential = "q^2/2"};
  for (int tight = 0; tight < 2; tight++) {
    mechanics m = build(&swing);
    double x[] = {1, 0}, tolerance = tight ? 1e-13 : 1e-5;
    const char *const methods[] = {"auto", tight ? "taylor" : "dop853"};
    hml_trajectory *r[2];
    for (int k = 0; k < 2; k++) {
      hml_run_options o = options_of(methods[k], tolerance);
      assert_ok(m.c, hml_run(m.w, &o, 0, 20, x, &r[k], &outcome));
      assert_int_equal(outcome.status, HML_OK);
    }
    size_t n = hml_trajectory_points(r[0]);
    assert_int_equal(hml_trajectory_points(r[1]), n);
    assert_memory_equal(hml_trajectory_state(r[0], n - 1), hml_trajectory_state(r[1], n - 1), sizeof x);
    hml_trajectory_free(r[0]);
    hml_trajectory_free(r[1]);
    demolish(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(easy_problems_are_those_of_dop853_to_the_bit),
      in_context(stiff_problems_go_to_radau),
      in_context(what_is_not_stiff_any_more_goes_back),
      in_context(tight_tolerances_take_series),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
