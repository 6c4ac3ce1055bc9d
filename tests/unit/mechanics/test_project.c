// project.c: perturbed states come back onto the constraints by the least change; others are left alone.
#include "lagrange.h"

static double largest(size_t n, const double *a) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(a[i]));
  return most;
}

static void residuals_at(mechanics *m, double t, const double *x, double *g, double *f) {
  assert_ok(m->c, hml_workspace_set_state(m->w, t, x));
  assert_ok(m->c, hml_residuals(m->w, g, f));
}

static void perturbed_states_come_back(void **state) {
  (void)state;
  mechanics m = build(&pendulum);
  double phi = 2.1, l = 0.7, g[1], f[1];
  double x[] = {l * cos(phi) + 1e-3, l * sin(phi), -l * sin(phi), l * cos(phi) - 2e-3};
  int moved;
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  assert_int_equal(moved, 1);
  residuals_at(&m, 0, x, g, f);
  assert_near(g[0], 0, 1e-15);
  assert_near(f[0], 0, 1e-15);
  // arbiter: with equal masses the nearest point of the circle lies on the same ray, to second order
  assert_near(atan2(x[1], x[0]), atan2(l * sin(phi), l * cos(phi) + 1e-3), 1e-6);
  demolish(&m);
}

static void small_residuals_are_left_alone(void **state) {
  (void)state;
  mechanics m = build(&pendulum);
  double x[] = {0.7 + 1e-12, 0, 0, 1}, keep[4];
  int moved = 1;
  memcpy(keep, x, sizeof x);
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  assert_int_equal(moved, 0);
  assert_memory_equal(x, keep, sizeof x);
  assert_ok(m.c, hml_project(m.w, 0, 1e-12, 1e-12, x, &moved));
  assert_int_equal(moved, 1);
  demolish(&m);
}

// arbiter: by hand; masses 1 and 3 tied by x' = y': least change in the mass metric keeps the momentum
static void momentum_is_kept(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y", .kinetic = "(x'^2 + 3*y'^2)/2", .holonomic = {"tie: x - y"}};
  mechanics m = build(&l);
  double x[] = {1, 0, 4, 0};
  int moved;
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  assert_near(x[0], 0.25, 1e-15);
  assert_near(x[1], 0.25, 1e-15);
  assert_near(x[2], 1, 1e-15);
  assert_near(x[3], 1, 1e-15);
  demolish(&m);
}

// a wheel that turned a million times must not loosen the rod
static void large_variables_elsewhere_do_not_matter(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y phi", .kinetic = "(x'^2 + y'^2 + phi'^2)/2", .holonomic = {"rod: x^2 + y^2 - 1"}};
  mechanics m = build(&l);
  double x[] = {0.6, 0.8 + 1e-8, 1e7, 0, 0, 1e5}, g[1];
  int moved;
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  assert_int_equal(moved, 1);
  residuals_at(&m, 0, x, g, NULL);
  assert_near(g[0], 0, 1e-15);
  demolish(&m);
}

// nonlinear in the velocities, two rows of which one is double, a wheel without inertia: no metric, no full rank
static void dependent_rows_and_singular_masses_are_met(void **state) {
  (void)state;
  lagrange cone = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2", .nonholonomic = {"cone: z' - sqrt(x'^2 + y'^2)"}};
  lagrange twice = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .holonomic = {"one: x - y", "two: 2*x - 2*y"}};
  lagrange wheel = {.coordinates = "x phi", .kinetic = "x'^2/2", .nonholonomic = {"roll: x' - phi'"}};
  double x[] = {0, 0, 0, 3, 4, 5.1}, y[] = {1, 0, 0, 1}, z[] = {0, 0, 1, 2}, f[2], g[2];
  int moved;
  mechanics m = build(&cone);
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, x, &moved));
  residuals_at(&m, 0, x, NULL, f);
  assert_near(f[0], 0, 2e-15);
  // arbiter: symmetry, the correction lies in the plane of the axis and the velocity
  assert_near(x[4] / x[3], 4.0 / 3, 1e-12);
  demolish(&m);
  m = build(&twice);
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, y, &moved));
  residuals_at(&m, 0, y, g, f);
  assert_near(largest(2, g) + largest(2, f), 0, 1e-15);
  assert_near(y[0], 0.5, 1e-15);
  demolish(&m);
  m = build(&wheel);
  assert_ok(m.c, hml_project(m.w, 0, 1e-9, 1e-9, z, &moved));
  assert_near(z[2], 1.5, 1e-15);
  assert_near(z[3], 1.5, 1e-15);
  demolish(&m);
}

static void failure_names_the_constraint_and_keeps_the_state(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .holonomic = {"fine: y - 1", "nowhere: x^2 + 1"}};
  mechanics m = build(&l);
  double x[] = {0.3, 1, 0, 0};
  int moved;
  assert_int_equal(hml_project(m.w, 0.5, 1e-9, 1e-9, x, &moved), HML_PROJECTION);
  assert_message(m.c, HML_PROJECTION, "at t = 0.5: 'nowhere' is still violated by");
  assert_near(x[0], 0.3, 0);
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(perturbed_states_come_back), cmocka_unit_test(small_residuals_are_left_alone), cmocka_unit_test(momentum_is_kept),
      cmocka_unit_test(large_variables_elsewhere_do_not_matter),
      cmocka_unit_test(dependent_rows_and_singular_masses_are_met), cmocka_unit_test(failure_names_the_constraint_and_keeps_the_state)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
