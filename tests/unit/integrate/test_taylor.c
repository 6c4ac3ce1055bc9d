// taylor.c: steps by Taylor series; arbiter: closed solutions, energy.
#include "lagrange.h"
#include "problems.h"

static hml_outcome outcome;

static hml_trajectory *run(mechanics *m, const char *method, double tolerance, double t1, const double *x) {
  hml_run_options o = options_of(method, tolerance);
  hml_trajectory *r;
  assert_ok(m->c, hml_run(m->w, &o, 0, t1, x, &r, &outcome));
  if (outcome.status != HML_OK) print_error("%s\n", outcome.message);
  assert_int_equal(outcome.status, HML_OK);
  return r;
}

static const lagrange spring = {.coordinates = "x", .kinetic = "x'^2/2", .potential = "x^2/2"};

static void the_oscillator_at_all_tolerances(void **state) {
  (void)state;
  for (double tolerance = 1e-5; tolerance > 1e-14; tolerance /= 100) {
    mechanics m = build(&spring);
    double x[] = {1, 0};
    hml_trajectory *r = run(&m, "taylor", tolerance, 20, x);
    check_below(worst_error(r, oscillator_exact, 5), 30 * tolerance + 5e-14);   // values between the steps, too
    hml_trajectory_free(r);
    demolish(&m);
  }
}

// arbiter: E = w^2/2 - cos q, over steps through sines, products and a quotient
static void the_pendulum_keeps_its_energy(void **state) {
  (void)state;
  const lagrange swing = {.coordinates = "q", .kinetic = "q'^2/2", .potential = "-cos(q)"};
  mechanics m = build(&swing);
  double x[] = {2.5, 0}, worst = 0;
  hml_trajectory *r = run(&m, "taylor", 1e-13, 50, x);
  for (size_t i = 0; i < hml_trajectory_points(r); i++) {
    const double *y = hml_trajectory_state(r, i);
    worst = fmax(worst, fabs(y[1] * y[1] / 2 - cos(y[0]) + cos(2.5)));
  }
  check_below(worst, 3e-12);
  // long steps: fewer than those of order 8
  size_t steps = outcome.steps;
  hml_trajectory_free(r);
  r = run(&m, "dop853", 1e-13, 50, x);
  assert_true(steps < outcome.steps);
  hml_trajectory_free(r);
  demolish(&m);
}

static void backward_is_forward(void **state) {
  (void)state;
  mechanics m = build(&spring);
  hml_run_options o = options_of("taylor", 1e-12);
  hml_trajectory *r;
  double x[] = {cos(7), -sin(7)};
  assert_ok(m.c, hml_run(m.w, &o, 7, 0, x, &r, &outcome));
  assert_int_equal(outcome.status, HML_OK);
  check_below(worst_error(r, oscillator_exact, 3), 1e-10);
  hml_trajectory_free(r);
  demolish(&m);
}

// arbiter: the order grows with the digits: the steps become longer than those of any lower order
static void the_order_follows_the_tolerance(void **state) {
  (void)state;
  size_t steps[2];
  mechanics m = build(&spring);
  double x[] = {1, 0};
  for (int k = 0; k < 2; k++) {
    hml_trajectory *r = run(&m, "taylor", k ? 1e-13 : 1e-6, 100, x);
    steps[k] = outcome.steps;
    hml_trajectory_free(r);
  }
  // half an order of magnitude of steps, not 10^(7/8), for seven more digits
  assert_true(steps[1] < 3 * steps[0]);
  demolish(&m);
}

static void roots_by_logarithms(void **state) {
  (void)state;
  for (unsigned k = 3; k < 30; k++)
    for (double x = 1e-300; x < 1e300; x *= 7.3) {
      check_near(hml_taylor__lesser_root(x, 0, k) / pow(x, -1.0 / k), 1, 1e-12);
      check_near(hml_taylor__lesser_root(0, x, k) / pow(x, -1.0 / (k - 1)), 1, 1e-12);
      check_near(hml_taylor__lesser_root(x, 3, k) / fmin(pow(x, -1.0 / k), pow(3, -1.0 / (k - 1))), 1, 2e-4);
      check_near(hml_taylor__lesser_root(3, x, k) / fmin(pow(3, -1.0 / k), pow(x, -1.0 / (k - 1))), 1, 2e-4);
    }
  assert_true(isinf(hml_taylor__lesser_root(0, 0, 8)));
  assert_true(hml_taylor__lesser_root(INFINITY, 1, 8) == 0);
}

// arbiter: the sums term by term in long double; one function against the other, bit by bit
static void series_are_summed(void **state) {
  (void)state;
  double c[25 * 9], y[9], y1[2][9], slope[2][9];
  for (size_t i = 0; i < sizeof c / sizeof *c; i++) c[i] = sin(1.7 * (double)(i + 1));
  for (size_t i = 0; i < 9; i++) y[i] = cos((double)i);
  for (unsigned order = 1; order <= 25; order++)
    for (size_t n = 1; n <= 9; n++) {
      const double h = order % 2 ? 0.83 : -0.61;
      hml_taylor__sum_plainly(c, order, n, h, y, y1[0], slope[0]);
      hml_taylor__sum()(c, order, n, h, y, y1[1], slope[1]);
      assert_memory_equal(y1[0], y1[1], n * sizeof(double));
      assert_memory_equal(slope[0], slope[1], n * sizeof(double));
      for (size_t i = 0; i < n; i++) {
        long double sum = y[i], rate = 0, power = 1;
        for (unsigned k = 0; k < order; k++) {
          rate += (k + 1) * c[k * n + i] * power;
          power *= h;
          sum += c[k * n + i] * power;
        }
        check_near(y1[0][i], (double)sum, 2e-15);
        check_near(slope[0][i], (double)rate, 2e-14);
      }
    }
}

static void values_alone_have_no_series(void **state) {
  hml_ode ode = ode_of(&problems[1]);
  hml_run_options o = options_of("taylor", 1e-9);
  hml_trajectory *r = NULL;
  double y0[] = {1, 0};
  hml_status status = hml_integrate(*state, &ode, &o, 0, 1, y0, &r, &outcome);
  assert_int_equal(status == HML_OK ? outcome.status : status, HML_UNSUPPORTED);
  check_contains(status == HML_OK ? outcome.message : hml_context_error(*state)->message, "needs equations that are formulas");
  hml_context_clear_error(*state);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(the_oscillator_at_all_tolerances),
      in_context(the_pendulum_keeps_its_energy),
      in_context(backward_is_forward),
      in_context(the_order_follows_the_tolerance),
      in_context(roots_by_logarithms),
      in_context(series_are_summed),
      in_context(values_alone_have_no_series),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
