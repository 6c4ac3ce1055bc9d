// tests src/integrate/run.c
#include "problems.h"

static hml_outcome outcome;
static hml_trajectory *trajectory;

// Runs, keeps result and outcome in the two above
static void run(hml_context *c, const hml_ode *ode, const hml_run_options *o, double t0, double t1, const double *y0) {
  assert_int_equal(hml_integrate(c, ode, o, t0, t1, y0, &trajectory, &outcome), HML_OK);
  assert_non_null(trajectory);
  assert_int_equal(hml_context_error(c)->status, HML_OK);
  size_t points = hml_trajectory_points(trajectory);
  assert_int_equal(points, outcome.steps + 1);
  assert_true(hml_trajectory_time(trajectory, points - 1) == outcome.t);
  assert_true(outcome.seconds >= 0);
}

static void done(void) {
  hml_trajectory_free(trajectory);
  trajectory = NULL;
}

static void bad_arguments_are_answered(void **state) {
  hml_context *c = *state;
  static const struct {
    double rtol, atol, first_step, max_step, t0, t1, y0;
    const char *method, *text;
  } rows[] = {
      {-1, 1, 0, 0, 0, 1, 1, NULL, "rtol = -1"},
      {1e-6, -1e-9, 0, 0, 0, 1, 1, NULL, "atol = -1e-09"},
      {NAN, 1, 0, 0, 0, 1, 1, NULL, "rtol = "},
      {1, INFINITY, 0, 0, 0, 1, 1, NULL, "atol = inf"},
      {0, 0, 0, 0, 0, 1, 1, NULL, "both 0"},
      {1e-15, 1e-9, 0, 0, 0, 1, 1, NULL, "1e-14 or more"},
      {1e-6, 1e-6, -1, 0, 0, 1, 1, NULL, "first_step = -1"},
      {1e-6, 1e-6, 0, -1, 0, 1, 1, NULL, "max_step = -1"},
      {1e-6, 1e-6, 0, 0, NAN, 1, 1, NULL, "must be finite"},
      {1e-6, 1e-6, 0, 0, 0, INFINITY, 1, NULL, "must be finite"},
      {1e-6, 1e-6, 0, 0, -1e308, 1e308, 1, NULL, "must be finite"},
      {1e-6, 1e-6, 0, 0, 0, 1, NAN, NULL, "component 1 is not a number at the start"},
      {1e-6, 1e-6, 0, 0, 0, 1, 1, "dop835", "did you mean 'dop853'?"},
  };
  hml_ode ode = ode_of(&problems[1]);
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    hml_run_options o = {.method = rows[i].method, .rtol = rows[i].rtol, .atol = rows[i].atol, .first_step = rows[i].first_step,
                         .max_step = rows[i].max_step, .dense = 1};
    double y0[] = {rows[i].y0, 0};
    assert_int_equal(hml_integrate(c, &ode, &o, rows[i].t0, rows[i].t1, y0, &trajectory, &outcome), HML_ARGUMENT);
    assert_null(trajectory);
    check_contains(hml_context_error(c)->message, rows[i].text);
    hml_context_clear_error(c);
  }
  double y0[] = {1, 0};
  ode.n_controlled = 3;
  assert_int_equal(hml_integrate(c, &ode, NULL, 0, 1, y0, &trajectory, &outcome), HML_ARGUMENT);
  hml_context_clear_error(c);
}

static void no_time_is_a_run_of_one_point(void **state) {
  hml_ode ode = ode_of(&problems[1]);
  double y0[] = {1, 2}, x[2];
  run(*state, &ode, NULL, 3, 3, y0);
  assert_int_equal(outcome.status, HML_OK);
  assert_int_equal(outcome.evaluations, 0);
  assert_int_equal(hml_trajectory_at(trajectory, 3, x), HML_OK);
  assert_memory_equal(x, y0, sizeof x);
  done();
}

// A span of one unit in the last place, and one where max_step divides the span but not in binary
static void the_end_is_hit_exactly(void **state) {
  hml_ode ode = ode_of(&problems[1]);
  double y0[] = {1, 0};
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    run(*state, &ode, &o, 1, nextafter(1, 2), y0);
    assert_int_equal(outcome.status, HML_OK);
    assert_int_equal(outcome.steps, 1);
    done();
    o.max_step = o.first_step = 0.001;
    run(*state, &ode, &o, 0, 1, y0);
    assert_int_equal(outcome.status, HML_OK);
    for (size_t i = 1; i < hml_trajectory_points(trajectory); i++)
      assert_true(hml_trajectory_time(trajectory, i) - hml_trajectory_time(trajectory, i - 1) <= 0.001 * (1 + 1e-9));
    if (hml_stepper__at(m)->exponent > 0) assert_int_equal(outcome.steps, 1000);
    done();
  }
}

// There and back again; arbiter: the start
static void a_backward_run_returns(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = ode_of(&problems[0]);
    hml_run_options o = options_of(hml_stepper_name(m), 1e-9);
    double y0[] = {1, 1, 1}, y1[3], x[3];
    run(*state, &ode, &o, 0, 3, y0);
    assert_int_equal(hml_trajectory_at(trajectory, 3, y1), HML_OK);
    done();
    run(*state, &ode, &o, 3, 0, y1);
    assert_int_equal(outcome.status, HML_OK);
    assert_true(outcome.t == 0);
    for (size_t i = 1; i < hml_trajectory_points(trajectory); i++)
      assert_true(hml_trajectory_time(trajectory, i) < hml_trajectory_time(trajectory, i - 1));
    assert_int_equal(hml_trajectory_at(trajectory, 0, x), HML_OK);
    for (int i = 0; i < 3; i++) check_near(x[i], 1, 3e-5);
    check_below(worst_error(trajectory, exponential_exact, 3), 3e-5);
    done();
  }
}

static hml_status blow_up(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = y[0] * y[0];
  return HML_OK;
}

// x' = x^2, x(0) = 1 has a pole at t = 1
static void a_pole_stops_the_run_and_its_steps_are_kept(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = {.n = 1, .n_controlled = 1, .rhs = blow_up};
    hml_run_options o = options_of(hml_stepper_name(m), 1e-9);
    double y0[] = {1}, x[1];
    run(*state, &ode, &o, 0, 2, y0);
    assert_true(outcome.status == HML_STEP_COLLAPSED || outcome.status == HML_NOT_FINITE);
    check_contains(outcome.message, "stopped at t = ");
    if (outcome.status == HML_STEP_COLLAPSED) check_contains(outcome.message, "component 1 changes fastest");
    check_near(outcome.t, 1, 1e-4);
    assert_true(outcome.steps > 20);
    assert_int_equal(hml_trajectory_at(trajectory, 0.9, x), HML_OK);
    check_near(x[0], 10, 1e-3);
    done();
  }
}

// A right-hand side that fails with a given status beyond t = 1, or at once
typedef struct failing {
  hml_context *context;
  hml_status status;
  double from;
  int calls_after;
} failing;

static hml_status failing_rhs(void *payload, double t, const double *y, double *f) {
  failing *s = payload;
  if (t > s->from) {
    s->calls_after++;
    if (s->status == HML_OK) f[0] = NAN;
    return s->status == HML_OK ? HML_OK : hml_fail(s->context, s->status, "told at t > %g", s->from);
  }
  f[0] = -y[0];
  return HML_OK;
}

static void what_a_smaller_step_may_cure_is_tried_again_and_then_told(void **state) {
  static const hml_status curable[] = {HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS, HML_NOT_FINITE, HML_OK};
  for (size_t m = 0; m < adaptive_count(); m++)
    for (int i = 0; i < 4; i++) {
      failing s = {.context = *state, .status = curable[i], .from = 1};
      hml_ode ode = {.n = 1, .n_controlled = 1, .payload = &s, .rhs = failing_rhs};
      hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
      double y0[] = {1};
      run(*state, &ode, &o, 0, 2, y0);
      assert_int_equal(outcome.status, curable[i] == HML_OK ? HML_NOT_FINITE : curable[i]);
      check_near(outcome.t, 1, 1e-6);
      assert_true(outcome.t <= 1 && s.calls_after > 1);
      check_contains(outcome.message, "stopped at t = ");
      check_contains(outcome.message, curable[i] == HML_OK ? "component 1" : "told at t > 1");
      done();
    }
}

static hml_status failing_project(void *payload, double t, double *y, double rtol, double atol, int *moved) {
  failing *s = payload;
  (void)y;
  (void)rtol;
  (void)atol;
  *moved = 0;
  return t > s->from - 0.5 ? hml_fail(s->context, HML_PROJECTION, "no way back") : HML_OK;
}

static void a_failing_projection_is_tried_again_and_then_told(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    failing s = {.context = *state, .from = 1};
    hml_ode ode = {.n = 1, .n_controlled = 1, .payload = &s, .rhs = failing_rhs, .project = failing_project};
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    double y0[] = {1};
    run(*state, &ode, &o, 0, 0.9, y0);
    assert_int_equal(outcome.status, HML_PROJECTION);
    check_near(outcome.t, 0.5, 1e-6);
    check_contains(outcome.message, "no way back");
    done();
    o.project = 0;
    run(*state, &ode, &o, 0, 0.9, y0);
    assert_int_equal(outcome.status, HML_OK);
    done();
  }
}

static void other_failures_end_the_run_at_once(void **state) {
  static const hml_status fatal[] = {HML_CALLBACK, HML_ARGUMENT, HML_UNKNOWN_SYMBOL, HML_INTERNAL};
  for (size_t m = 0; m < adaptive_count(); m++)
    for (int i = 0; i < 4; i++) {
      failing s = {.context = *state, .status = fatal[i], .from = 1};
      hml_ode ode = {.n = 1, .n_controlled = 1, .payload = &s, .rhs = failing_rhs};
      hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
      double y0[] = {1};
      run(*state, &ode, &o, 0, 2, y0);
      assert_int_equal(outcome.status, fatal[i]);
      assert_int_equal(s.calls_after, 1);
      assert_true(outcome.t <= 1 && outcome.t > 0);
      check_contains(outcome.message, "told at t > 1");
      done();
    }
}

static void a_failure_at_the_start_is_an_outcome_without_steps(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    failing s = {.context = *state, .status = HML_SINGULAR_MASS, .from = -1};
    hml_ode ode = {.n = 1, .n_controlled = 1, .payload = &s, .rhs = failing_rhs};
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    double y0[] = {1};
    run(*state, &ode, &o, 0, 2, y0);
    assert_int_equal(outcome.status, HML_SINGULAR_MASS);
    assert_int_equal(outcome.steps, 0);
    assert_int_equal(hml_trajectory_points(trajectory), 1);
    check_contains(outcome.message, "stopped at t = 0: told at t > -1");
    done();
  }
}

static hml_status flagging_rhs(void *payload, double t, const double *y, double *f) {
  failing *s = payload;
  if (t > s->from) {
    s->calls_after++;
    *hml_context_interrupt_flag(s->context) = 1;
  }
  f[0] = -y[0];
  return HML_OK;
}

static void an_interrupt_within_the_right_hand_side_ends_at_once(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    failing s = {.context = *state, .from = 1};
    hml_ode ode = {.n = 1, .n_controlled = 1, .payload = &s, .rhs = flagging_rhs};
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    double y0[] = {1};
    run(*state, &ode, &o, 0, 2, y0);
    *hml_context_interrupt_flag(*state) = 0;
    assert_int_equal(outcome.status, HML_INTERRUPTED);
    assert_int_equal(s.calls_after, 1);
    check_contains(outcome.message, "stopped at t = ");
    done();
  }
}

static void the_limit_of_steps_holds(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = ode_of(&problems[2]);
    hml_run_options o = options_of(hml_stepper_name(m), 1e-9);
    double y0[4];
    o.max_steps = 7;
    kepler_exact(0, y0);
    run(*state, &ode, &o, 0, 100, y0);
    assert_int_equal(outcome.status, HML_TOO_MANY_STEPS);
    assert_int_equal(outcome.steps, 7);
    check_contains(outcome.message, "7 steps");
    done();
  }
}

// A quadrature of a rough function: alone it would force tiny steps, uncontrolled it does not change those of the rest
static hml_status with_quadrature(void *payload, double t, const double *y, double *f) {
  (void)payload;
  f[0] = y[1];
  f[1] = -y[0];
  f[2] = 1e6 * sin(40 * t) + y[0];
  return HML_OK;
}

static void a_quadrature_does_not_control_the_step(void **state) {
  for (size_t m = 0; m < adaptive_count(); m++) {
    hml_ode ode = {.n = 3, .n_controlled = 2, .rhs = with_quadrature}, plain = ode_of(&problems[1]);
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    double y0[] = {1, 0, 0};
    run(*state, &plain, &o, 0, 10, y0);
    size_t steps = outcome.steps;
    done();
    run(*state, &ode, &o, 0, 10, y0);
    assert_int_equal(outcome.status, HML_OK);
    // the multistep methods count components in their mean, so their orders may change a little elsewhere
    if (hml_stepper__at(m)->exponent > 0) assert_int_equal(outcome.steps, steps);
    assert_true(outcome.steps < steps * 5 / 4);
    done();
  }
}

// ---- memory: every allocation fails once; nothing is lost and nothing comes out

static void lack_of_memory_loses_nothing(void **state) {
  (void)state;
  hml_ode ode = ode_of(&problems[2]);
  double y0[4];
  kepler_exact(0, y0);
  for (size_t m = 0; m < adaptive_count(); m++) {
    ration r = {.left = 1};
    hml_context *c = hml_context_new(rationed, &r);
    size_t before = r.bytes;
    hml_run_options o = options_of(hml_stepper_name(m), 1e-6);
    hml_status status = HML_MEMORY;
    for (size_t n = 0; status != HML_OK; n++) {
      assert_true(n < 100);
      r.left = (long)n;
      status = hml_integrate(c, &ode, &o, 0, 10, y0, &trajectory, &outcome);
      if (status == HML_OK) break;
      assert_int_equal(status, HML_MEMORY);
      assert_int_equal(hml_context_error(c)->status, HML_MEMORY);
      assert_null(trajectory);
      assert_int_equal(r.bytes, before);
    }
    done();
    assert_int_equal(r.bytes, before);
    hml_context_free(c);
    assert_int_equal(r.bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(bad_arguments_are_answered),
      cmocka_unit_test(no_time_is_a_run_of_one_point),
      cmocka_unit_test(the_end_is_hit_exactly),
      cmocka_unit_test(a_backward_run_returns),
      cmocka_unit_test(a_pole_stops_the_run_and_its_steps_are_kept),
      cmocka_unit_test(what_a_smaller_step_may_cure_is_tried_again_and_then_told),
      cmocka_unit_test(a_failing_projection_is_tried_again_and_then_told),
      cmocka_unit_test(other_failures_end_the_run_at_once),
      cmocka_unit_test(a_failure_at_the_start_is_an_outcome_without_steps),
      cmocka_unit_test(an_interrupt_within_the_right_hand_side_ends_at_once),
      cmocka_unit_test(the_limit_of_steps_holds),
      cmocka_unit_test(a_quadrature_does_not_control_the_step),
      cmocka_unit_test(lack_of_memory_loses_nothing),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
