// tests src/mechanics/exact.c; arbiter: the general solve at the same states
#include "lagrange.h"

// x y phi theta psi of a disc that rolls on a plane
static const lagrange leaning = {
    .coordinates = "x y phi theta psi", .parameters = "m r A C g", .values = {1, 0.5, 0.0625, 0.125, 9.81},
    .kinetic = "m/2*((x' - r*(theta'*cos(theta)*sin(phi) + phi'*sin(theta)*cos(phi)))^2 + (y' + r*(theta'*cos(theta)*cos(phi) - phi'*sin(theta)*sin(phi)))^2"
               " + (r*theta'*sin(theta))^2) + A/2*(theta'^2 + (phi'*cos(theta))^2) + C/2*(psi' + phi'*sin(theta))^2",
    .potential = "m*g*r*cos(theta)", .nonholonomic = {"roll x: x' + r*psi'*cos(phi)", "roll y: y' + r*psi'*sin(phi)"}};

static void state_at(double theta, double *x) {
  for (int i = 0; i < 10; i++) x[i] = 0.3 + 0.37 * sin(1 + 2.1 * i);
  x[3] = theta;
  x[5] = -0.5 * x[9] * cos(x[2]);
  x[6] = -0.5 * x[9] * sin(x[2]);
}

static void the_disc_is_short_and_right(void **state) {
  (void)state;
  mechanics m = build(&leaning);
  size_t margins;
  double x[10], f[10], a[5];
  hml_model_rate(m.model, &margins);
  assert_true(hml_model_operations(m.model) <= 36);                        // 76 by the entries of M
  assert_in_range(margins, 1, 3);
  for (int k = 0; k < 40; k++) {
    state_at(1.3 * sin(1.7 * k), x);
    assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
    assert_ok(m.c, hml_state_rate(m.w, f));
    assert_ok(m.c, hml_acceleration(m.w, a));
    for (int i = 0; i < 5; i++) assert_true(fabs(f[5 + i] - a[i]) <= 1e-12 * (1 + fabs(a[i])));
  }
  assert_int_equal(hml_workspace__handed_over(m.w), 0);
  demolish(&m);
}

// Flat on the plane its matrix is singular: there and close by the general solve has the word, as it had before
static void a_singular_place_is_told(void **state) {
  (void)state;
  mechanics m = build(&leaning);
  const double right = 1.5707963267948966, near[] = {1e-3, 1e-5};
  double x[10], f[10], a[5];
  for (size_t k = 0; k < 2; k++) {
    state_at(right - near[k], x);
    assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
    assert_ok(m.c, hml_state_rate(m.w, f));
    assert_int_equal(hml_workspace__handed_over(m.w), k + 1);
    assert_ok(m.c, hml_acceleration(m.w, a));
    assert_memory_equal(f + 5, a, sizeof a);
  }
  state_at(right, x);
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_int_not_equal(hml_state_rate(m.w, f), HML_OK);
  demolish(&m);
}

static void a_disc_without_moment_of_inertia_is_told(void **state) {
  (void)state;
  mechanics m = build(&leaning);
  const double flat[] = {1, 0.5, 0, 0.125, 9.81};
  double x[10], f[10];
  state_at(0.3, x);
  assert_ok(m.c, hml_workspace_set_parameters(m.w, flat));
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_int_equal(hml_state_rate(m.w, f), HML_SINGULAR_MASS);
  assert_int_equal(hml_workspace__handed_over(m.w), 1);
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_disc_is_short_and_right), cmocka_unit_test(a_singular_place_is_told),
                                     cmocka_unit_test(a_disc_without_moment_of_inertia_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
