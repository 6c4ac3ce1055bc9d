// lookout.c: singular places along a run: found at their closed times by every method, or crossed where x' is continuous.
#include "lagrange.h"
#include "problems.h"

static hml_outcome outcome;

static double end[MOST], end_time;

// Leaves outcome, last state and its time in the three above
static void run(const lagrange *l, const char *method, double tolerance, double t1, const double *x) {
  mechanics m = build(l);
  hml_run_options o = options_of(method, tolerance);
  hml_trajectory *r;
  assert_ok(m.c, hml_run(m.w, &o, 0, t1, x, &r, &outcome));
  size_t last = hml_trajectory_points(r) - 1;
  memcpy(end, hml_trajectory_state(r, last), hml_trajectory_size(r) * sizeof *end);
  end_time = hml_trajectory_time(r, last);
  hml_trajectory_free(r);
  demolish(&m);
}

static const char *const methods[] = {"dop853", "radau5", "taylor", "auto", "rkf45"};

// Ends at t, without a state beyond it
static void stops_at(const lagrange *l, const double *x, double t1, double t, double tolerance) {
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    run(l, methods[k], 1e-9, t1, x);
    if (outcome.status == HML_OK) print_error("%s\n", methods[k]);
    assert_int_not_equal(outcome.status, HML_OK);
    check_near(outcome.t, t, tolerance);
    assert_true(end_time <= t * (1 + 1e-6));
  }
}

// arbiter: T = x x'^2/2 is kept, sqrt(x) x' = -1 from (1, -1): x^(3/2) = 1 - 3 t/2
static void inertia_that_vanishes_ends_the_run(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "x", .kinetic = "x*x'^2/2"};
  stops_at(&l, (double[]){1, -1}, 1, 2.0 / 3, 1e-6);
}

// arbiter: free fall into a centre with the energy 0: x^(3/2) = 1 - 3 t/sqrt 2
static void a_pole_ends_the_run(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "x", .kinetic = "x'^2/2", .potential = "-1/x"};
  stops_at(&l, (double[]){1, -sqrt(2)}, 1, sqrt(2) / 3, 1e-6);
}

// arbiter: energy; the force -x - 3 x |x| has a corner in its derivative where x = 0
static void a_corner_is_crossed(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "x", .kinetic = "x'^2/2", .potential = "x^2/2 + abs(x)^3"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    run(&l, methods[k], 1e-12, 10, (double[]){1, 0});
    if (strcmp(methods[k], "taylor") == 0) {                             // a series sees no corner
      assert_int_equal(outcome.status, HML_UNSUPPORTED);
      check_contains(outcome.message, "which is not smooth");
      continue;
    }
    assert_int_equal(outcome.status, HML_OK);
    check_near(end[1] * end[1] / 2 + end[0] * end[0] / 2 + pow(fabs(end[0]), 3), 1.5, 1e-8);
  }
}

// A pole that the motion does not reach is no reason to stop: x oscillates between 1 and 3 round the spring's rest at 2
static void places_that_are_not_reached_do_not_count(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .potential = "(x - 2)^2/2 + y^2/(2*x)"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    run(&l, methods[k], 1e-9, 30, (double[]){3, 0, 0, 0});
    assert_int_equal(outcome.status, HML_OK);
    check_near(end[0], 2 + cos(30), 1e-6);
  }
}

// arbiter: the rows (1, 0, -1) and (1, 0, -y) are the same where y = t reaches 1
static void rows_that_become_dependent_end_the_run(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2", .nonholonomic = {"first: x' - z'", "second: x' - y*z'"}};
  stops_at(&l, (double[]){0, 0, 0, 0, 1, 0}, 3, 1, 1e-5);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(inertia_that_vanishes_ends_the_run),
      in_context(a_pole_ends_the_run),
      in_context(a_corner_is_crossed),
      in_context(places_that_are_not_reached_do_not_count),
      in_context(rows_that_become_dependent_end_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
