// tests src/integrate/trajectory.c
#include "problems.h"

static hml_trajectory *run_oscillator(hml_context *c, const char *method, double t0, double t1, int dense) {
  hml_ode ode = ode_of(&problems[1]);
  hml_run_options o = options_of(method, 1e-9);
  o.dense = dense;
  hml_trajectory *r;
  hml_outcome outcome;
  double y0[2];
  oscillator_exact(t0, y0);
  assert_int_equal(hml_integrate(c, &ode, &o, t0, t1, y0, &r, &outcome), HML_OK);
  assert_int_equal(outcome.status, HML_OK);
  assert_int_equal(hml_trajectory_points(r), outcome.steps + 1);
  return r;
}

// Points are added by hand past several sizes of chunks; all of them stay where they were
static void points_stay_in_their_places(void **state) {
  hml_trajectory *r;
  enum { POINTS = 5000 };
  static const double *seen[POINTS];
  assert_int_equal(hml_trajectory__new(*state, 2, 3, &r), HML_OK);
  for (int i = 0; i < POINTS; i++) {
    double *y, *piece;
    assert_int_equal(hml_trajectory__reserve(r, &y, &piece), HML_OK);
    y[0] = i;
    y[1] = -i;
    for (int k = 0; k < 6; k++) piece[k] = k + i;
    if (i % 3 == 0) assert_int_equal(hml_trajectory__reserve(r, &y, &piece), HML_OK);   // given up and asked for again
    hml_trajectory__commit(r, 0.5 * i);
    seen[i] = hml_trajectory_state(r, (size_t)i);
  }
  assert_int_equal(hml_trajectory_points(r), POINTS);
  for (size_t i = 0; i < POINTS; i++) {
    assert_ptr_equal(hml_trajectory_state(r, i), seen[i]);
    assert_true(seen[i][0] == (double)i && seen[i][1] == -(double)i && hml_trajectory_time(r, i) == 0.5 * (double)i);
  }
  assert_null(hml_trajectory_state(r, POINTS));
  assert_true(isnan(hml_trajectory_time(r, POINTS)));
  hml_trajectory_free(r);
}

static void values_are_continuous_and_exact_at_the_points(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++)
    for (int backward = 0; backward < 2; backward++) {
      hml_trajectory *r = run_oscillator(*state, hml_stepper_name(m), 1, backward ? -4 : 6, 1);
      for (size_t i = 0; i < hml_trajectory_points(r); i++) {
        double t = hml_trajectory_time(r, i), x[2];
        const double *node = hml_trajectory_state(r, i);
        assert_int_equal(hml_trajectory_at(r, t, x), HML_OK);
        assert_memory_equal(x, node, sizeof x);
        for (int side = 0; side < 2; side++) {
          double near = nextafter(t, side ? 10 : -10);
          if (hml_trajectory_at(r, near, x) != HML_OK) continue;
          check_near(x[0], node[0], 2e-15);
          check_near(x[1], node[1], 2e-15);
        }
        hml_context_clear_error(*state);
      }
      hml_trajectory_free(r);
    }
}

static void outside_of_the_span_is_refused(void **state) {
  hml_context *c = *state;
  hml_trajectory *r = run_oscillator(c, "dop853", 2, -3, 1);
  const double outside[] = {2.0000001, -3.0000001, NAN, INFINITY, -INFINITY};
  double x[2];
  for (int i = 0; i < 5; i++) {
    assert_int_equal(hml_trajectory_at(r, outside[i], x), HML_ARGUMENT);
    check_contains(hml_context_error(c)->message, "spans 2 to -3");
    hml_context_clear_error(c);
  }
  assert_int_equal(hml_trajectory_at(r, 2, x), HML_OK);
  assert_int_equal(hml_trajectory_at(r, -3, x), HML_OK);
  hml_trajectory_free(r);
}

static void without_dense_output_only_the_points_are_known(void **state) {
  hml_context *c = *state;
  hml_trajectory *r = run_oscillator(c, "rk8pd", 0, 5, 0);
  double x[2], t0 = hml_trajectory_time(r, 1), t1 = hml_trajectory_time(r, 2);
  assert_int_equal(hml_trajectory_at(r, t1, x), HML_OK);
  assert_int_equal(hml_trajectory_at(r, (t0 + t1) / 2, x), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "without dense output");
  hml_context_clear_error(c);
  hml_trajectory_free(r);
}

static hml_trajectory *squares(hml_context *c, size_t points) {
  hml_trajectory *r;
  assert_int_equal(hml_trajectory__new(c, 1, 0, &r), HML_OK);
  for (size_t i = 0; i < points; i++) {
    double *y, *piece;
    assert_int_equal(hml_trajectory__reserve(r, &y, &piece), HML_OK);
    y[0] = (double)(i * i);
    hml_trajectory__commit(r, (double)i);
  }
  return r;
}

static void a_cut_keeps_the_first_points(void **state) {
  hml_trajectory *r = squares(*state, 3000);
  hml_trajectory__cut(r, 1234);
  assert_int_equal(hml_trajectory_points(r), 1234);
  assert_null(hml_trajectory_state(r, 1234));
  assert_true(hml_trajectory_state(r, 1233)[0] == 1233.0 * 1233);
  double *y, *piece;
  assert_int_equal(hml_trajectory__reserve(r, &y, &piece), HML_OK);
  y[0] = -1;
  hml_trajectory__commit(r, 1234);
  assert_int_equal(hml_trajectory_points(r), 1235);
  assert_true(hml_trajectory_state(r, 1234)[0] == -1 && hml_trajectory_state(r, 0)[0] == 0);
  hml_trajectory_free(r);
}

static void what_is_forgotten_lies_behind_the_first(void **state) {
  hml_trajectory *r = squares(*state, 3000);
  assert_int_equal(hml_trajectory__forget(r, 2), HML_OK);
  assert_int_equal(hml_trajectory_points(r), 3);
  const double times[] = {0, 2998, 2999};
  for (size_t i = 0; i < 3; i++) assert_true(hml_trajectory_time(r, i) == times[i] && hml_trajectory_state(r, i)[0] == times[i] * times[i]);
  hml_trajectory_free(r);
}

// Marks are the points whose numbers are multiples of a power of two, whether they are forgotten at once or in pieces
static void some_of_what_is_forgotten_is_marked(void **state) {
  for (size_t each = 1; each <= 5000; each *= 17) {
    hml_trajectory *r = squares(*state, 1);
    for (size_t i = 1; i < 5000; i++) {
      double *y, *piece;
      assert_int_equal(hml_trajectory__reserve(r, &y, &piece), HML_OK);
      y[0] = (double)i * (double)i;
      hml_trajectory__commit(r, (double)i);
      if (i % each == 0) assert_int_equal(hml_trajectory__forget(r, 1), HML_OK);
    }
    assert_int_equal(hml_trajectory__forget(r, 1), HML_OK);
    assert_int_equal(hml_trajectory_marks(r), 4998 / 32);
    for (size_t i = 0; i < hml_trajectory_marks(r); i++) {
      const double t = 32.0 * (double)(i + 1);
      assert_true(hml_trajectory_mark_time(r, i) == t && hml_trajectory_mark(r, i)[0] == t * t);
    }
    assert_null(hml_trajectory_mark(r, hml_trajectory_marks(r)));
    hml_trajectory_free(r);
  }
}

static void only_the_same_run_goes_on(void **state) {
  hml_context *c = *state;
  hml_trajectory *r = squares(c, 4);
  assert_int_equal(hml_trajectory__fits(c, r, 1, 0, 3, (double[]){9}), HML_OK);
  assert_int_equal(hml_trajectory__fits(c, r, 2, 0, 3, (double[]){9, 9}), HML_ARGUMENT);
  hml_context_clear_error(c);
  assert_int_equal(hml_trajectory__fits(c, r, 1, 0, 3.5, (double[]){9}), HML_ARGUMENT);
  hml_context_clear_error(c);
  assert_int_equal(hml_trajectory__fits(c, r, 1, 0, 3, (double[]){8}), HML_ARGUMENT);
  hml_context_clear_error(c);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(points_stay_in_their_places),
      cmocka_unit_test(values_are_continuous_and_exact_at_the_points),
      cmocka_unit_test(outside_of_the_span_is_refused),
      cmocka_unit_test(without_dense_output_only_the_points_are_known),
      cmocka_unit_test(a_cut_keeps_the_first_points),
      cmocka_unit_test(what_is_forgotten_lies_behind_the_first),
      cmocka_unit_test(some_of_what_is_forgotten_is_marked),
      cmocka_unit_test(only_the_same_run_goes_on),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
