// tests src/integrate/gsl_steppers.c
#include "problems.h"

// Global error over tolerance that a method may show on the three problems, and between the steps beyond that.
// The tolerance bounds the error of one step; over t = 10 of an eccentric orbit errors grow some hundredfold, and
// multistep methods with their many small steps add up more of them.
static const struct {
  const char *method;
  double tightest, factor;
} bounds[] = {{"dop853", 1e-12, 500},
              {"rkf45", 1e-12, 3000},
              {"rk8pd", 1e-12, 500},
              {"msadams", 1e-12, 20000},
              {"msbdf", 1e-9, 100000},
              {"radau5", 1e-9, 3000},
              {"auto", 1e-12, 500}};

static void every_method_keeps_its_tolerance(void **state) {
  for (size_t m = 0; m < sizeof bounds / sizeof *bounds; m++)
    for (size_t k = 0; k < sizeof problems / sizeof *problems; k++)
      for (double tolerance = 1e-6; tolerance > bounds[m].tightest / 2; tolerance /= 1e3) {
        hml_ode ode = ode_of(&problems[k]);
        hml_run_options o = options_of(bounds[m].method, tolerance);
        hml_trajectory *r;
        hml_outcome outcome;
        double y0[8];
        problems[k].exact(0, y0);
        assert_int_equal(hml_integrate(*state, &ode, &o, 0, problems[k].t_end, y0, &r, &outcome), HML_OK);
        assert_int_equal(outcome.status, HML_OK);
        assert_true(outcome.t == problems[k].t_end);
        check_below(worst_error(r, problems[k].exact, 0), bounds[m].factor * tolerance);
        check_below(worst_error(r, problems[k].exact, 5), (bounds[m].factor + 30) * tolerance);
        hml_trajectory_free(r);
      }
}

// What the dense output adds to the error of a step, in units of the tolerance; arbiter: a tight run from the point before
static double added_error(hml_context *c, const char *method, double tolerance) {
  hml_ode ode = ode_of(&problems[2]);
  hml_run_options o = options_of(method, tolerance), tight = options_of("dop853", 1e-14);
  hml_trajectory *r, *reference;
  hml_outcome outcome;
  double y0[4], x[4], worst = 0;
  kepler_exact(0, y0);
  assert_int_equal(hml_integrate(c, &ode, &o, 0, 8, y0, &r, &outcome), HML_OK);
  for (size_t i = 1; i < hml_trajectory_points(r); i++) {
    double t0 = hml_trajectory_time(r, i - 1), t1 = hml_trajectory_time(r, i);
    for (int q = 1; q < 6; q++) {
      double t = t0 + (t1 - t0) * q / 6;
      assert_int_equal(hml_trajectory_at(r, t, x), HML_OK);
      assert_int_equal(hml_integrate(c, &ode, &tight, t0, t, hml_trajectory_state(r, i - 1), &reference, &outcome), HML_OK);
      const double *wanted = hml_trajectory_state(reference, hml_trajectory_points(reference) - 1);
      for (int j = 0; j < 4; j++) worst = fmax(worst, fabs(x[j] - wanted[j]) / (tolerance * (1 + fabs(wanted[j]))));
      hml_trajectory_free(reference);
    }
  }
  hml_trajectory_free(r);
  return worst;
}

static void between_the_steps_errors_are_comparable_with_the_tolerance(void **state) {
  static const double most[] = {25, 6, 12, 4, 5, 6, 25};
  for (size_t m = 0; m < adaptive_count(); m++)
    for (double tolerance = 1e-4; tolerance > 1e-11; tolerance /= 1e3)
      check_below(added_error(*state, hml_stepper_name(m), tolerance), most[m]);
}

// van der Pol, relaxation oscillations
static const double mu = 1000;

static hml_status pol(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = y[1];
  f[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
  return HML_OK;
}

static hml_status pol_jacobian(void *payload, double t, const double *y, double *dfdy, double *dfdt) {
  (void)payload;
  (void)t;
  const double rows[] = {0, 1, -2 * mu * y[0] * y[1] - 1, mu * (1 - y[0] * y[0])};
  memcpy(dfdy, rows, sizeof rows);
  dfdt[0] = dfdt[1] = 0;
  return HML_OK;
}

static hml_status no_jacobian(void *payload, double t, const double *y, double *dfdy, double *dfdt) {
  (void)t;
  (void)y;
  (void)dfdy;
  (void)dfdt;
  return hml_fail(payload, HML_UNSUPPORTED, "no derivatives here");
}

// arbiter: at t = 2000 the published reference of the Bari/Geneva test set (vdpol), at t = 700 an implicit Runge-Kutta
// method (Radau IIA, order 5) at a tolerance of 1e-12
static void a_stiff_problem_takes_few_steps(void **state) {
  hml_context *c = *state;
  const hml_ode odes[] = {{.n = 2, .n_controlled = 2, .rhs = pol, .jacobian = pol_jacobian, .payload = c},
                          {.n = 2, .n_controlled = 2, .rhs = pol, .payload = c},
                          {.n = 2, .n_controlled = 2, .rhs = pol, .jacobian = no_jacobian, .payload = c}};
  hml_run_options o = options_of("msbdf", 1e-7);
  double y0[] = {2, 0}, x[2];
  for (int i = 0; i < 3; i++) {
    hml_trajectory *r;
    hml_outcome outcome;
    assert_int_equal(hml_integrate(c, &odes[i], &o, 0, 2000, y0, &r, &outcome), HML_OK);
    assert_int_equal(outcome.status, HML_OK);
    assert_true(outcome.steps < 2500 && outcome.jacobians < 500);
    assert_int_equal(hml_trajectory_at(r, 2000, x), HML_OK);
    check_near(x[0], 1.7061677321704, 1e-3);
    assert_int_equal(hml_trajectory_at(r, 700, x), HML_OK);
    check_near(x[0], 1.34289173, 1e-4);
    hml_trajectory_free(r);
  }
}

// The slopes at the ends of a stiff step are worthless; values between must stay between those of the ends where y is monotone
static void stiffness_does_not_spoil_the_values_between(void **state) {
  hml_ode ode = {.n = 2, .n_controlled = 2, .rhs = pol, .jacobian = pol_jacobian};
  hml_run_options o = options_of("msbdf", 1e-6);
  hml_trajectory *r;
  hml_outcome outcome;
  double y0[] = {2, 0}, x[2];
  assert_int_equal(hml_integrate(*state, &ode, &o, 0, 700, y0, &r, &outcome), HML_OK);
  for (size_t i = 1; i < hml_trajectory_points(r); i++) {
    double t0 = hml_trajectory_time(r, i - 1), t1 = hml_trajectory_time(r, i);
    assert_int_equal(hml_trajectory_at(r, (t0 + t1) / 2, x), HML_OK);
    assert_true(x[0] <= hml_trajectory_state(r, i - 1)[0] + 1e-5 && x[0] >= hml_trajectory_state(r, i)[0] - 1e-5);
  }
  hml_trajectory_free(r);
}

// Rotation in the plane with a projection onto the circle; the multistep methods must not begin again at each step
static hml_status to_circle(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  double radius = hypot(y[0], y[1]);
  (void)payload;
  (void)t;
  *moved = fabs(radius - 1) > 0.1 * (rtol + atol);
  if (*moved) {
    y[0] /= radius;
    y[1] /= radius;
  }
  return HML_OK;
}

static void a_projection_is_kept_and_costs_multistep_methods_little(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = ode_of(&problems[1]);
    hml_run_options o = options_of(hml_stepper_name(m), 1e-7);
    hml_trajectory *r;
    hml_outcome free_run, projected;
    double y0[] = {1, 0}, x[2];
    assert_int_equal(hml_integrate(*state, &ode, &o, 0, 20, y0, &r, &free_run), HML_OK);
    hml_trajectory_free(r);
    ode.project = to_circle;
    assert_int_equal(hml_integrate(*state, &ode, &o, 0, 20, y0, &r, &projected), HML_OK);
    assert_int_equal(projected.status, HML_OK);
    assert_true(projected.projections > 0);
    assert_true(projected.steps < free_run.steps * 6 / 5 + 5);
    for (size_t i = 0; i < hml_trajectory_points(r); i++) {
      const double *node = hml_trajectory_state(r, i);
      check_near(hypot(node[0], node[1]), 1, 0.21e-7);
    }
    for (double t = 0; t < 20; t += 0.37) {
      assert_int_equal(hml_trajectory_at(r, t, x), HML_OK);
      check_near(hypot(x[0], x[1]), 1, 2e-6);
    }
    check_below(worst_error(r, oscillator_exact, 3), 2000e-7);
    hml_trajectory_free(r);
  }
}

// At t = 5 the circle doubles: no history explains that, and the multistep methods begin again
static hml_status to_growing_circle(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  double factor = (t >= 5 ? 2 : 1) / hypot(y[0], y[1]);
  (void)payload;
  *moved = fabs(factor - 1) > rtol + atol;
  if (*moved) {
    y[0] *= factor;
    y[1] *= factor;
  }
  return HML_OK;
}

static void a_far_projection_is_followed(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = ode_of(&problems[1]);
    hml_run_options o = options_of(hml_stepper_name(m), 1e-7);
    hml_trajectory *r;
    hml_outcome outcome;
    double y0[] = {1, 0}, x[2];
    ode.project = to_growing_circle;
    assert_int_equal(hml_integrate(*state, &ode, &o, 0, 10, y0, &r, &outcome), HML_OK);
    assert_int_equal(outcome.status, HML_OK);
    for (double t = 6.5; t < 10; t += 0.1) {
      assert_int_equal(hml_trajectory_at(r, t, x), HML_OK);
      check_near(x[0], 2 * cos(t), 2e-4);
      check_near(x[1], -2 * sin(t), 2e-4);
    }
    hml_trajectory_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_keeps_its_tolerance),
      cmocka_unit_test(between_the_steps_errors_are_comparable_with_the_tolerance),
      cmocka_unit_test(a_stiff_problem_takes_few_steps),
      cmocka_unit_test(stiffness_does_not_spoil_the_values_between),
      cmocka_unit_test(a_projection_is_kept_and_costs_multistep_methods_little),
      cmocka_unit_test(a_far_projection_is_followed),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
