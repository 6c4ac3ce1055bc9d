// workspace.c: inputs, getters, the force callback; no allocation once a workspace stands.
#include "lagrange.h"

#include <stdlib.h>

static void states_must_be_finite(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double x[6] = {0, 0, 0, 0, NAN, 0}, a[3];
  assert_int_equal(hml_acceleration(m.w, a), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "no state was set");
  assert_int_equal(hml_workspace_set_state(m.w, 1.5, x), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "state y' is");
  assert_int_equal(hml_acceleration(m.w, a), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "no state was set");
  x[4] = 0;
  assert_int_equal(hml_workspace_set_state(m.w, INFINITY, x), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "time is inf");
  assert_int_equal(hml_workspace_set_parameters(m.w, (double[]){1, NAN}), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "parameter 'J' is");
  demolish(&m);
}

// arbiter: by hand; the force of the blade is proportional to the mass
static void parameters_belong_to_the_workspace(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  hml_workspace *other;
  double x[] = {0, 0, 0, 1, 0, 0.5}, mass[9], lambda;
  assert_ok(m.c, hml_workspace_new(m.c, m.model, &other));
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_workspace_set_state(other, 0, x));
  assert_ok(m.c, hml_workspace_set_parameters(m.w, (double[]){5, 3}));
  assert_ok(m.c, hml_multipliers(m.w, &lambda));
  assert_near(lambda, -2.5, 1e-15);
  assert_ok(m.c, hml_multipliers(other, &lambda));
  assert_near(lambda, -1, 1e-15);
  assert_ok(m.c, hml_mass_matrix(m.w, mass));
  assert_near(mass[8], 3, 0);
  hml_workspace_free(other);
  demolish(&m);
}

// arbiter: closed forms of T and V
static void energies_and_residuals_are_read(void **state) {
  (void)state;
  mechanics m = build(&pendulum);
  double x[] = {0.6, -0.5, 0.2, 0.1}, energy, kinetic, g[1], f[1];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_energies(m.w, &energy, &kinetic));
  assert_near(kinetic, 0.75 * 0.05, 1e-16);
  assert_near(energy, 0.75 * 0.05 - 1.5 * 9.81 * 0.5, 1e-14);
  assert_ok(m.c, hml_energies(m.w, NULL, &kinetic));
  assert_ok(m.c, hml_residuals(m.w, g, f));
  assert_near(g[0], 0.36 + 0.25 - 0.49, 1e-16);
  assert_near(f[0], 2 * (0.6 * 0.2 - 0.5 * 0.1), 1e-16);
  demolish(&m);
}

// ---- forces from outside
typedef struct spring {
  int calls;
  double stiffness;
  hml_status status;
} spring;

static hml_status pull(void *payload, double t, const double *x, double *out) {
  spring *s = payload;
  (void)t;
  s->calls++;
  out[0] = -s->stiffness * x[0];
  return s->status;
}

static const lagrange pulled = {.coordinates = "x", .externals = "u", .kinetic = "x'^2/2", .forces = {"u"}, .power = "u*x'"};

static void forces_are_asked_once_per_state(void **state) {
  (void)state;
  mechanics m = build(&pulled);
  spring s = {0, 3, HML_OK};
  double x[] = {2, 0.5, 0}, rate[3], jacobian[9];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_int_equal(hml_state_rate(m.w, rate), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "no force function gives 'u'");
  hml_workspace_set_force(m.w, pull, &s);
  assert_ok(m.c, hml_state_rate(m.w, rate));
  assert_ok(m.c, hml_state_rate(m.w, rate));
  assert_near(rate[0], 0.5, 0);
  assert_near(rate[1], -6, 0);
  assert_near(rate[2], -3, 0);
  assert_int_equal(s.calls, 1);
  assert_int_equal(hml_state_jacobian(m.w, jacobian, NULL), HML_UNSUPPORTED);
  assert_message(m.c, HML_UNSUPPORTED, "'u' comes from outside");
  demolish(&m);
}

static void failing_forces_stop_the_evaluation(void **state) {
  (void)state;
  mechanics m = build(&pulled);
  spring s = {0, 3, HML_CALLBACK};
  double x[] = {2, 0.5, 0}, rate[3];
  hml_workspace_set_force(m.w, pull, &s);
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_int_equal(hml_state_rate(m.w, rate), HML_CALLBACK);
  assert_message(m.c, HML_CALLBACK, "the force function failed");
  s = (spring){0, NAN, HML_OK};
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.25, x));
  assert_int_equal(hml_state_rate(m.w, rate), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "for 'u' at t = 0.25");
  demolish(&m);
}

static void nothing_is_allocated_once_a_workspace_stands(void **state) {
  (void)state;
  ration r = {.left = UNLIMITED};
  mechanics m = {.c = hml_context_new(rationed, &r)};
  double x[] = {0.7, 0.001, 0, 1}, rate[4], lambda, energy, jacobian[16], mass[4];
  int moved = 0;
  assert_ok(m.c, lagrange_model(m.c, &pendulum, &m.model));
  assert_ok(m.c, hml_workspace_new(m.c, m.model, &m.w));
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_state_jacobian(m.w, jacobian, NULL));
  long before = r.requests;
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  assert_int_equal(moved, 1);
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_state_rate(m.w, rate));
  assert_ok(m.c, hml_multipliers(m.w, &lambda));
  assert_ok(m.c, hml_energies(m.w, &energy, NULL));
  assert_ok(m.c, hml_mass_matrix(m.w, mass));
  assert_ok(m.c, hml_state_jacobian(m.w, jacobian, NULL));
  assert_ok(m.c, hml_complete_start(m.w, 0, (unsigned char[]){1, 0, 1, 0}, 1e-9, x));
  assert_int_equal(r.requests, before);
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(states_must_be_finite), cmocka_unit_test(parameters_belong_to_the_workspace),
      cmocka_unit_test(energies_and_residuals_are_read), cmocka_unit_test(forces_are_asked_once_per_state),
      cmocka_unit_test(failing_forces_stop_the_evaluation), cmocka_unit_test(nothing_is_allocated_once_a_workspace_stands)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
