// tests src/integrate/model_run.c
#include "problems.h"

#include "hamel.h"

// A pendulum in Cartesian coordinates: x_kin = (x, y), x_dyn = (u, v), length 1, one multiplier. With `force`, gravity is an
// external instead of an expression; with `work`, the power of a drag is balanced.
typedef struct pendulum {
  hml_expr t, x, y, u, v, g, c, a;
  hml_model *model;
  hml_workspace *workspace;
} pendulum;

static void build(hml_context *c, pendulum *p, double drag, bool external) {
  p->t = hml_symbol(c, "t", HML_TIME, 0);
  p->x = hml_symbol(c, "x", HML_DYNAMIC, 0);
  p->y = hml_symbol(c, "y", HML_DYNAMIC, 0);
  p->g = hml_symbol(c, "g", HML_POSITIVE, 0);
  p->c = hml_symbol(c, "c", 0, 0);
  p->a = hml_symbol(c, "a", HML_EXTERNAL, 0);
  p->u = hml_dot(c, p->x);
  p->v = hml_dot(c, p->y);
  hml_expr one = hml_integer(c, 1), zero = hml_integer(c, 0), two = hml_integer(c, 2), half = hml_rational(c, 1, 2);
  hml_expr square = hml_add(c, hml_pow(c, p->u, two), hml_pow(c, p->v, two));
  hml_expr position = hml_sub(c, hml_add(c, hml_pow(c, p->x, two), hml_pow(c, p->y, two)), one);
  hml_expr velocity = hml_add(c, hml_mul(c, p->x, p->u), hml_mul(c, p->y, p->v));
  hml_expr kinetic = hml_mul(c, half, square), weight = external ? p->a : hml_neg(c, p->g);
  hml_expr kin[] = {p->x, p->y}, dyn[] = {p->u, p->v}, parameters[] = {p->g, p->c}, k[] = {p->u, p->v};
  hml_expr mass[] = {one, zero, zero, one}, rows[] = {p->x, p->y}, b[] = {square};
  hml_expr r[] = {hml_neg(c, hml_mul(c, p->c, p->u)), hml_sub(c, weight, hml_mul(c, p->c, p->v))};
  hml_expr position_jacobian[] = {hml_mul(c, two, p->x), hml_mul(c, two, p->y)};
  const double values[] = {1, drag};
  static const char *const dyn_names[] = {"x", "y"}, *const rod[] = {"rod"};
  hml_model_spec spec = {
      .name = "pendulum", .n_kin = 2, .n_dyn = 2, .n_multipliers = 1, .n_parameters = 2, .n_externals = external,
      .n_positions = 1, .n_velocities = 1, .time = p->t, .kin = kin, .dyn = dyn, .parameters = parameters,
      .parameter_values = values, .externals = &p->a, .dyn_names = dyn_names, .multiplier_names = rod, .position_names = rod,
      .velocity_names = rod, .k = k, .mass = mass, .rows = rows, .r = r, .b = b, .position_residuals = &position,
      .position_jacobian = position_jacobian, .velocity_residuals = &velocity, .velocity_jacobian = rows, .kinetic = kinetic,
      .energy = hml_add(c, kinetic, hml_mul(c, p->g, p->y)), .power = drag > 0 ? hml_neg(c, hml_mul(c, p->c, square)) : NULL};
  assert_int_equal(hml_model_new(c, &spec, &p->model), HML_OK);
  assert_int_equal(hml_workspace_new(c, p->model, &p->workspace), HML_OK);
}

static void destroy(pendulum *p) {
  hml_workspace_free(p->workspace);
  hml_model_free(p->model);
}

// The same pendulum in its angle from the vertical, theta'' = -sin theta - c theta'; and the work of the drag
static hml_status angle_rhs(void *payload, double t, const double *y, double *f) {
  const double drag = *(double *)payload;
  (void)t;
  f[0] = y[1];
  f[1] = -sin(y[0]) - drag * y[1];
  f[2] = -drag * y[1] * y[1];
  return HML_OK;
}

static void angle_at_end(hml_context *c, double drag, double t, double *y) {
  hml_ode ode = {.n = 3, .n_controlled = 2, .payload = &drag, .rhs = angle_rhs};
  hml_run_options o = options_of("dop853", 1e-13);
  double y0[] = {1, 0, 0};
  hml_trajectory *r;
  hml_outcome outcome;
  assert_int_equal(hml_integrate(c, &ode, &o, 0, t, y0, &r, &outcome), HML_OK);
  memcpy(y, hml_trajectory_state(r, hml_trajectory_points(r) - 1), 3 * sizeof *y);
  hml_trajectory_free(r);
}

static hml_status gravity(void *payload, double t, const double *x, double *out) {
  (void)t;
  (void)x;
  out[0] = -1;
  (*(int *)payload)++;
  return HML_OK;
}

// arbiter: the same pendulum in its angle; energy changes by the work
static void every_method_swings_the_pendulum(void **state) {
  hml_context *c = *state;
  for (size_t m = 0; m < adaptive_count(); m++)
    for (int kind = 0; kind < 3; kind++) {
      pendulum p;
      int calls = 0;
      double drag = kind == 1 ? 0.25 : 0, wanted[3], x0[5] = {sin(1), -cos(1), 0, 0, 0}, x[5], g, f, e0, e1, kinetic;
      build(c, &p, drag, kind == 2);
      hml_workspace_set_force(p.workspace, kind == 2 ? gravity : NULL, &calls);
      hml_run_options o = options_of(hml_stepper_name(m), 1e-8);
      hml_trajectory *r;
      hml_outcome outcome;
      assert_int_equal(hml_run(p.workspace, &o, 0, 10, x0, &r, &outcome), HML_OK);
      if (outcome.status != HML_OK) fail_msg("%s", outcome.message);
      assert_int_equal(hml_trajectory_size(r), hml_model_state_size(p.model));
      angle_at_end(c, drag, 10, wanted);
      assert_int_equal(hml_trajectory_at(r, 10, x), HML_OK);
      check_near(x[0], sin(wanted[0]), 3e-5);
      check_near(x[1], -cos(wanted[0]), 3e-5);
      if (kind == 1) check_near(x[4], wanted[2], 3e-5);
      if (kind == 2) assert_true(calls > 100);
      for (size_t i = 0; i < hml_trajectory_points(r); i++) {
        assert_int_equal(hml_workspace_set_state(p.workspace, hml_trajectory_time(r, i), hml_trajectory_state(r, i)), HML_OK);
        assert_int_equal(hml_residuals(p.workspace, &g, &f), HML_OK);
        check_below(fabs(g), 1e-7);
        check_below(fabs(f), 1e-7);
      }
      assert_int_equal(hml_energies(p.workspace, &e1, &kinetic), HML_OK);
      assert_int_equal(hml_workspace_set_state(p.workspace, 0, x0), HML_OK);
      assert_int_equal(hml_energies(p.workspace, &e0, &kinetic), HML_OK);
      check_near(e1 - e0, kind == 1 ? x[4] : 0, 3e-5);
      hml_trajectory_free(r);
      destroy(&p);
    }
}

static hml_status refusing(void *payload, double t, const double *x, double *out) {
  (void)x;
  out[0] = -1;
  return t > 1 ? hml_fail(payload, HML_CALLBACK, "the user's force failed") : HML_OK;
}

static void a_failing_force_ends_the_run(void **state) {
  hml_context *c = *state;
  pendulum p;
  build(c, &p, 0, true);
  hml_workspace_set_force(p.workspace, refusing, c);
  for (size_t m = 0; m < adaptive_count(); m++) {
    double x0[4] = {sin(1), -cos(1), 0, 0};
    hml_run_options o = options_of(hml_stepper_name(m), 1e-8);
    hml_trajectory *r;
    hml_outcome outcome;
    assert_int_equal(hml_run(p.workspace, &o, 0, 10, x0, &r, &outcome), HML_OK);
    assert_int_equal(outcome.status, HML_CALLBACK);
    check_contains(outcome.message, "the user's force failed");
    assert_true(outcome.t > 0 && outcome.t <= 1);
    hml_trajectory_free(r);
  }
  destroy(&p);
}

static void messages_name_the_states(void **state) {
  hml_context *c = *state;
  pendulum p;
  build(c, &p, 0, false);
  double x0[4] = {sin(1), -cos(1), NAN, 0};
  hml_trajectory *r;
  hml_outcome outcome;
  assert_int_equal(hml_run(p.workspace, NULL, 0, 10, x0, &r, &outcome), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "x' is not a number at the start");
  hml_context_clear_error(c);
  destroy(&p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_swings_the_pendulum),
      cmocka_unit_test(a_failing_force_ends_the_run),
      cmocka_unit_test(messages_name_the_states),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
