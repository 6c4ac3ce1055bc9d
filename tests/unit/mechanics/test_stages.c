// stages.c: the exact Jacobian, the work component, values that are not finite.
#include "lagrange.h"

static void rate(mechanics *m, double t, const double *x, double *out) {
  assert_ok(m->c, hml_workspace_set_state(m->w, t, x));
  assert_ok(m->c, hml_state_rate(m->w, out));
}

// arbiter: central differences of order 4 of the right-hand side
static void compare_with_differences(const lagrange *l, double t, const double *at, double tolerance) {
  static const double weights[] = {1.0 / 12, -2.0 / 3, 0, 2.0 / 3, -1.0 / 12};
  mechanics m = build(l);
  size_t size = hml_model_state_size(m.model);
  double x[MOST], jacobian[MOST * MOST], dt[MOST], f[MOST], h = 2e-4;
  memcpy(x, at, size * sizeof *x);
  assert_ok(m.c, hml_workspace_set_state(m.w, t, x));
  assert_ok(m.c, hml_state_jacobian(m.w, jacobian, dt));
  for (size_t i = 0; i <= size; i++) {
    double *moved = i < size ? &x[i] : &t, keep = *moved, slope[MOST] = {0};
    for (int s = -2; s <= 2; s++) {
      *moved = keep + s * h;
      rate(&m, t, x, f);
      for (size_t j = 0; j < size; j++) slope[j] += weights[s + 2] * f[j] / h;
    }
    *moved = keep;
    for (size_t j = 0; j < size; j++) assert_near(i < size ? jacobian[j * size + i] : dt[j], slope[j], tolerance);
  }
  demolish(&m);
}

static void the_jacobian_agrees_with_differences(void **state) {
  (void)state;
  lagrange rolling = disc, cart;
  rolling.power = "x'/3 + t*y' - phi'^2/7";
  rolling.reaction_power = 1;
  rolling.nonholonomic[1] = "roll y: y' - a*phi'*sin(theta) - t^2/3*x";
  // a wheel without inertia beside a cart: the full matrix
  cart = (lagrange){.coordinates = "x phi", .parameters = "m a", .values = {2, 0.5}, .kinetic = "m/2*(1 + x^2)*x'^2",
                    .forces = {"-x + sin(t)", "-phi'/9"}, .nonholonomic = {"roll: x' - a*phi'*(1 + x^2)"}};
  compare_with_differences(&sleigh, 0, (double[]){0.1, 0.2, 0.8, 0.9, 0.7, 0.4}, 1e-9);
  compare_with_differences(&pendulum, 0, (double[]){0.5, -0.4, 0.3, 0.2}, 1e-9);
  compare_with_differences(&rolling, 0.4, (double[]){0.3, -0.2, 0.9, 0.35, 0.4, -0.3, 0.7, -1.1, 0.5}, 1e-9);
  // less inertia: the mass matrix alone is indefinite, on the rolling motions it is not
  rolling.values[2] = 0.05;
  compare_with_differences(&rolling, 0.4, (double[]){0.3, -0.2, 0.9, 0.35, 0.4, -0.3, 0.7, -1.1, 0.5}, 1e-7);
  compare_with_differences(&cart, 0.4, (double[]){0.3, -0.2, 0.9, 0.35}, 1e-9);
}

// ---- work: energy minus work stays; integrated by the classical method of order 4
static double energy(mechanics *m, double t, const double *x) {
  double e;
  assert_ok(m->c, hml_workspace_set_state(m->w, t, x));
  assert_ok(m->c, hml_energies(m->w, &e, NULL));
  return e;
}

static void integrate(mechanics *m, double h, size_t steps, double *x) {
  size_t n = hml_model_state_size(m->model);
  double k[4][MOST], y[MOST], parts[] = {0, 0.5, 0.5, 1}, t = 0;
  for (size_t s = 0; s < steps; s++, t = h * (double)s) {
    for (int stage = 0; stage < 4; stage++) {
      for (size_t i = 0; i < n; i++) y[i] = x[i] + (stage ? h * parts[stage] * k[stage - 1][i] : 0);
      rate(m, t + parts[stage] * h, y, k[stage]);
    }
    for (size_t i = 0; i < n; i++) x[i] += h / 6 * (k[0][i] + 2 * k[1][i] + 2 * k[2][i] + k[3][i]);
  }
}

static void energy_changes_by_the_work(void **state) {
  (void)state;
  lagrange damped = {.coordinates = "x", .parameters = "c", .values = {0.3}, .kinetic = "x'^2/2", .potential = "x^2/2",
                     .forces = {"-c*x'"}, .power = "-c*x'^2"};
  lagrange driven = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2 + x'*y'/3", .potential = "x^2/2 + x*y",
                     .nonholonomic = {"crank: x' - cos(t)"}, .reaction_power = 1};
  double x[] = {1, 0, 0}, y[] = {0, 0.2, 1, 0.1, 0};
  mechanics m = build(&damped);
  double before = energy(&m, 0, x);
  integrate(&m, 0.01, 500, x);
  assert_true(x[2] < -0.3);
  assert_near(energy(&m, 5, x) - x[2], before, 1e-9);
  demolish(&m);
  m = build(&driven);
  before = energy(&m, 0, y);
  integrate(&m, 0.01, 500, y);
  assert_true(fabs(y[4]) > 0.05);
  assert_near(energy(&m, 5, y) - y[4], before, 1e-9);
  demolish(&m);
}

static void values_that_are_not_finite_are_named(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .forces = {"1/y", "sqrt(x)"}, .nonholonomic = {"slide: x' - log(y)"}};
  mechanics m = build(&l);
  double a[2], f[1];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.5, (double[]){-1, 1, 0, 0}));
  assert_int_equal(hml_acceleration(m.w, a), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "sqrt(x)");
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.5, (double[]){1, 0, 0, 0}));
  assert_int_equal(hml_residuals(m.w, NULL, f), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "log(y)");
  // the value exists, its derivative does not
  double jacobian[16];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.5, (double[]){0, 1, 0, 0}));
  assert_int_equal(hml_state_jacobian(m.w, jacobian, NULL), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "the derivative of the equations by x is not finite");
  // another state recovers
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.5, (double[]){1, 1, 0, 0}));
  assert_ok(m.c, hml_acceleration(m.w, a));
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_jacobian_agrees_with_differences), cmocka_unit_test(energy_changes_by_the_work),
                                     cmocka_unit_test(values_that_are_not_finite_are_named)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
