// gauss.c: collocation of Gauss and Legendre: observed orders, invariants, symmetry, steps that are too large.
#include "problems.h"

static const char *const names[] = {"gauss4", "gauss6", "gauss8"};

static hml_outcome outcome;

static double end_error(hml_context *c, const char *method, const problem *p, double step) {
  hml_ode ode = ode_of(p);
  hml_run_options o = options_of(method, 1e-12);
  hml_trajectory *r;
  double y0[4], wanted[4], worst = 0;
  o.step = step;
  p->exact(0, y0);
  p->exact(2, wanted);
  assert_ok(c, hml_integrate(c, &ode, &o, 0, 2, y0, &r, &outcome));
  assert_int_equal(outcome.status, HML_OK);
  const double *end = hml_trajectory_state(r, hml_trajectory_points(r) - 1);
  for (size_t i = 0; i < p->n; i++) worst = fmax(worst, fabs(end[i] - wanted[i]));
  hml_trajectory_free(r);
  return worst;
}

static void orders_are_four_six_and_eight(void **state) {
  for (int k = 0; k < 3; k++) {
    const double step = k == 2 ? 0.2 : 0.1, order = 4 + 2 * k;
    double coarse = end_error(*state, names[k], &problems[2], step), fine = end_error(*state, names[k], &problems[2], step / 2);
    check_near(log2(coarse / fine), order, 0.5);
  }
}

// arbiter: the oscillator's energy is a quadratic invariant, kept to rounding however long
static void quadratic_invariants_are_kept(void **state) {
  for (int k = 0; k < 3; k++) {
    hml_ode ode = ode_of(&problems[1]);
    hml_run_options o = options_of(names[k], 1e-12);
    hml_trajectory *r;
    double y0[] = {1, 0}, worst = 0;
    o.step = 0.3;
    assert_ok(*state, hml_integrate(*state, &ode, &o, 0, 3000, y0, &r, &outcome));
    assert_int_equal(outcome.steps, 10000);
    for (size_t i = 0; i < hml_trajectory_points(r); i++) {
      const double *y = hml_trajectory_state(r, i);
      worst = fmax(worst, fabs(y[0] * y[0] + y[1] * y[1] - 1));
    }
    check_below(worst, 1e-12);
    hml_trajectory_free(r);
  }
}

// arbiter: Gauss of order 4 turns the oscillator by the argument of the Pade fraction (1 + z/2 + z^2/12)/(1 - z/2 + z^2/12), z = i h
static void a_linear_step_is_the_pade_fraction(void **state) {
  const double h = 0.5;
  hml_ode ode = ode_of(&problems[1]);
  hml_run_options o = options_of("gauss4", 1e-12);
  hml_trajectory *r;
  double y0[] = {1, 0}, angle = 2 * atan2(h / 2, 1 - h * h / 12);
  o.step = h;
  assert_ok(*state, hml_integrate(*state, &ode, &o, 0, h, y0, &r, &outcome));
  check_near(hml_trajectory_state(r, 1)[0], cos(angle), 1e-15);
  check_near(hml_trajectory_state(r, 1)[1], -sin(angle), 1e-15);
  hml_trajectory_free(r);
}

static void a_run_back_returns_to_rounding(void **state) {
  for (int k = 0; k < 3; k++) {
    hml_ode ode = ode_of(&problems[2]);
    hml_run_options o = options_of(names[k], 1e-12);
    hml_trajectory *there, *back;
    double y0[4];
    kepler_exact(0, y0);
    o.step = 0.05;
    assert_ok(*state, hml_integrate(*state, &ode, &o, 0, 5, y0, &there, &outcome));
    assert_ok(*state, hml_integrate(*state, &ode, &o, 5, 0, hml_trajectory_state(there, hml_trajectory_points(there) - 1), &back, &outcome));
    for (int i = 0; i < 4; i++) check_near(hml_trajectory_state(back, hml_trajectory_points(back) - 1)[i], y0[i], 1e-12);
    hml_trajectory_free(there);
    hml_trajectory_free(back);
  }
}

// arbiter: the fixed-point iteration contracts by about |h lambda|/2
static hml_status fast_decay(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = -1000 * y[0];
  return HML_OK;
}

static void a_step_that_is_too_large_is_refused(void **state) {
  hml_ode ode = {.n = 1, .n_controlled = 1, .rhs = fast_decay};
  hml_run_options o = options_of("gauss6", 1e-12);
  hml_trajectory *r;
  double y0 = 1;
  o.step = 0.1;
  assert_ok(*state, hml_integrate(*state, &ode, &o, 0, 1, &y0, &r, &outcome));
  assert_int_equal(outcome.status, HML_STEP_COLLAPSED);
  assert_int_equal(hml_trajectory_points(r), 1);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(orders_are_four_six_and_eight),
      in_context(quadratic_invariants_are_kept),
      in_context(a_linear_step_is_the_pade_fraction),
      in_context(a_run_back_returns_to_rounding),
      in_context(a_step_that_is_too_large_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
