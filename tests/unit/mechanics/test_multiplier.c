// multiplier.c: accelerations and multipliers, the full matrix where the mass matrix does not suffice, names of what is wrong.
#include "lagrange.h"

#include <gsl/gsl_linalg.h>

// arbiter: by hand, lambda = -m u w with speed u along the blade and turning rate w; reaction across the blade, theta'' = 0
static void the_blade_carries_the_centripetal_force(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double theta = 0.8, u = 1.3, omega = 0.4, a[3], lambda;
  double x[] = {0.2, -0.1, theta, u * cos(theta), u * sin(theta), omega};
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_multipliers(m.w, &lambda));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_near(lambda, -2 * u * omega, 1e-15);
  assert_near(a[0], -u * omega * sin(theta), 1e-15);
  assert_near(a[1], u * omega * cos(theta), 1e-15);
  assert_near(a[2], 0, 1e-15);
  demolish(&m);
}

// arbiter: by hand, tension of the rod S = m (v^2/l - g y/l) along the rod, 2 lambda l = -S
static void the_rod_carries_its_tension(void **state) {
  (void)state;
  mechanics m = build(&pendulum);
  double phi = 2.1, omega = 1.7, l = 0.7, a[2], lambda;
  double x[] = {l * cos(phi), l * sin(phi), -l * omega * sin(phi), l * omega * cos(phi)};
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_multipliers(m.w, &lambda));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_near(2 * lambda * l, -1.5 * (l * omega * omega - 9.81 * sin(phi)), 1e-13);
  // along the circle gravity alone acts
  assert_near(-a[0] * sin(phi) + a[1] * cos(phi), -9.81 * cos(phi), 1e-13);
  demolish(&m);
}

// arbiter: the dense matrix [M A^T; A 0] assembled from the getters and from A, b written by hand, solved by GSL
static void two_constraints_agree_with_a_dense_solve(void **state) {
  (void)state;
  enum { n = 4, size = 6 };
  mechanics m = build(&disc);
  double radius = 0.3, theta = 0.9, phi = 0.35, turn = 0.7, roll = -1.1, a[n], lambda[2], mass[n * n], k[size * size] = {0}, side[size];
  double x[] = {0.3, -0.2, theta, phi, radius * roll * cos(theta), radius * roll * sin(theta), turn, roll}, t = 0.25;
  assert_ok(m.c, hml_workspace_set_state(m.w, t, x));
  assert_ok(m.c, hml_mass_matrix(m.w, mass));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_ok(m.c, hml_multipliers(m.w, lambda));
  double product = 2 * radius / 5, rows[2][n] = {{1, 0, 0, -radius * cos(theta)}, {0, 1, 0, -radius * sin(theta)}};
  double b[] = {radius * roll * turn * sin(theta), -radius * roll * turn * cos(theta)};
  double r[] = {-2 * cos(0.3) * cos(phi) + 1.0 / 3, t, product * roll * roll * sin(phi), 2 * sin(0.3) * sin(phi) - roll / 7};
  assert_near(mass[2 * n + 3], product * cos(phi), 1e-16);
  for (int i = 0; i < n; i++) {
    for (int j = 0; j < n; j++) k[i * size + j] = mass[i * n + j];
    for (int c = 0; c < 2; c++) k[i * size + n + c] = k[(n + c) * size + i] = rows[c][i];
    side[i] = r[i];
  }
  for (int c = 0; c < 2; c++) side[n + c] = -b[c];
  gsl_matrix_view kv = gsl_matrix_view_array(k, size, size);
  gsl_vector_view sv = gsl_vector_view_array(side, size);
  size_t permutation[size];
  gsl_permutation p = {size, permutation};
  int sign;
  assert_int_equal(gsl_linalg_LU_decomp(&kv.matrix, &p, &sign), 0);
  assert_int_equal(gsl_linalg_LU_svx(&kv.matrix, &p, &sv.vector), 0);
  for (int i = 0; i < n; i++) assert_near(a[i], side[i], 1e-13);
  for (int c = 0; c < 2; c++) assert_near(lambda[c], -side[n + c], 1e-13);
  demolish(&m);
}

// arbiter: by hand; a cart pulled by F, its wheel has no inertia and is tied by rolling: x'' = F/m, phi'' = x''/a, lambda = 0
static void a_massless_wheel_is_regular(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x phi", .parameters = "m a F", .values = {2, 0.001, 6}, .kinetic = "m/2*x'^2", .forces = {"F"},
                .nonholonomic = {"roll: x' - a*phi'"}};
  mechanics m = build(&l);
  double x[] = {0, 0, 1, 1000}, a[2], lambda, jacobian[16];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_ok(m.c, hml_multipliers(m.w, &lambda));
  assert_near(a[0], 3, 1e-14);
  assert_near(a[1], 3000, 1e-11);
  assert_near(lambda, 0, 1e-14);
  assert_ok(m.c, hml_state_jacobian(m.w, jacobian, NULL));
  assert_near(jacobian[0 * 4 + 2], 1, 0);
  assert_near(jacobian[2 * 4 + 2], 0, 0);
  demolish(&m);
}

// arbiter: by hand; indefinite mass matrix, no constraint: x'' = 1, y'' = -2
static void an_indefinite_mass_matrix_is_regular(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y", .kinetic = "x'*y'", .forces = {"-2", "1"}};
  mechanics m = build(&l);
  double x[4] = {0}, a[2];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_near(a[0], 1, 1e-15);
  assert_near(a[1], -2, 1e-15);
  demolish(&m);
}

static void expect(const lagrange *l, const double *x, hml_status status, const char *text) {
  mechanics m = build(l);
  double a[MOST];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0.5, x));
  assert_int_equal(hml_acceleration(m.w, a), status);
  assert_message(m.c, status, text);
  demolish(&m);
}

static void a_coordinate_without_inertia_is_named(void **state) {
  (void)state;
  lagrange one = {.coordinates = "x y z", .kinetic = "(x'^2 + z'^2)/2"};
  lagrange polar = {.coordinates = "r phi", .kinetic = "(r'^2 + r^2*phi'^2)/2"};
  lagrange euler = {.coordinates = "psi theta phi", .kinetic = "theta'^2/2 + (psi'^2 + 2*psi'*phi'*cos(theta) + phi'^2)/2"};
  lagrange light = {.coordinates = "x y", .parameters = "m F", .values = {1e-200, 1e200},
                    .kinetic = "m/2*(x'^2 + y'^2)", .forces = {"F"}};
  lagrange slider = {.coordinates = "x y", .kinetic = "x'^2/2", .nonholonomic = {"stop: x'"}};
  double x[6] = {0, 0, 0, 0.1, 0.2, 0.3};
  expect(&one, x, HML_SINGULAR_MASS, "no inertia along 'y' at t = 0.5");
  expect(&polar, x, HML_SINGULAR_MASS, "no inertia along 'phi' at");
  expect(&euler, x, HML_SINGULAR_MASS, "no inertia along 'psi' and 'phi' at");
  expect(&light, x, HML_NOT_FINITE, "the accelerations overflow");
  expect(&slider, x, HML_SINGULAR_MASS, "no inertia along 'y' at");
}

static void dependent_constraints_are_named(void **state) {
  (void)state;
  lagrange twice = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                    .nonholonomic = {"first: x' - y'", "apart: z' + x'", "second: 3*y' - 3*x'"}};
  lagrange sum = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                  .nonholonomic = {"one: x' - y'", "two: y' - z'", "three: x' - z'"}};
  lagrange many = {.coordinates = "x", .kinetic = "x'^2/2", .nonholonomic = {"here: x'", "there: 2*x'"}};
  lagrange empty = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .nonholonomic = {"slot: y'", "cone: x*x'"}};
  double x[6] = {0, 0, 0, 1, 1, -1};
  expect(&twice, x, HML_DEPENDENT_CONSTRAINTS, "'first' and 'second' depend on each other at t = 0.5");
  expect(&sum, x, HML_DEPENDENT_CONSTRAINTS, "'one', 'two' and 'three' depend");
  expect(&many, x, HML_DEPENDENT_CONSTRAINTS, "'here' and 'there' depend");
  expect(&empty, (double[]){0, 0, 0, 0}, HML_DEPENDENT_CONSTRAINTS, "'cone' restrains no acceleration");
}

static void contradictory_constraints_are_named(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .nonholonomic = {"still: x'", "apart: y'", "driven: x' - t^2"}};
  double x[4] = {0};
  expect(&l, x, HML_CONTRADICTION, "'still' and 'driven' contradict each other at t = 0.5");
}

// arbiter: the same system in other units; the answer must scale and nothing may be called singular
static void units_do_not_matter(void **state) {
  (void)state;
  for (int trial = 0; trial < 4; trial++) {
    double mass = trial & 1 ? 1e-12 : 1, unit = trial & 2 ? 1e-9 : 1;
    lagrange l = {.coordinates = "x y theta", .parameters = "m J s", .values = {2 * mass, 0.5 * mass * mass, unit},
                  .kinetic = "m/2*(x'^2 + y'^2) + J/2*theta'^2",
                  .nonholonomic = {"blade: s*(x'*sin(theta) - y'*cos(theta))", "hold: theta' - 2/5"}};
    mechanics m = build(&l);
    double theta = 0.8, u = 1.3, omega = 0.4, a[3], lambda[2];
    double x[] = {0, 0, theta, u * cos(theta), u * sin(theta), omega};
    assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
    assert_ok(m.c, hml_multipliers(m.w, lambda));
    assert_ok(m.c, hml_acceleration(m.w, a));
    assert_near(lambda[0] * unit / mass, -2 * u * omega, 1e-14);
    assert_near(a[0], -u * omega * sin(theta), 1e-14);
    demolish(&m);
  }
}

// arbiter: by hand; masses 1e-12 beside a wheel without inertia: the full matrix in small units
static void units_do_not_matter_to_the_full_matrix(void **state) {
  (void)state;
  lagrange l = {.coordinates = "x y phi", .parameters = "m s", .values = {1e-12, 1e-9}, .kinetic = "m/2*(x'^2 + y'^2)",
                .forces = {"m", "3*m"}, .nonholonomic = {"roll: s*(x' + y' - phi')", "tie: x' - y'"}};
  mechanics m = build(&l);
  double x[6] = {0}, a[3], lambda[2];
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_acceleration(m.w, a));
  assert_ok(m.c, hml_multipliers(m.w, lambda));
  assert_near(a[0], 2, 1e-14);
  assert_near(a[2], 4, 1e-14);
  assert_near(lambda[1] / 1e-12, 1, 1e-14);
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_blade_carries_the_centripetal_force), cmocka_unit_test(the_rod_carries_its_tension),
      cmocka_unit_test(two_constraints_agree_with_a_dense_solve), cmocka_unit_test(a_massless_wheel_is_regular),
      cmocka_unit_test(an_indefinite_mass_matrix_is_regular), cmocka_unit_test(a_coordinate_without_inertia_is_named),
      cmocka_unit_test(dependent_constraints_are_named), cmocka_unit_test(contradictory_constraints_are_named),
      cmocka_unit_test(units_do_not_matter), cmocka_unit_test(units_do_not_matter_to_the_full_matrix)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
