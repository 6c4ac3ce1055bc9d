// rows.c: values, unit responses, free accelerations and scales of rows, by hand; values that no law allows.
#include "bodies.h"

// arbiter: by hand; normal (0, 1, -cos phi), slip (1, 0, sin phi), masses 1, 1, 1/3
static void the_rod_has_its_matrix(void **state) {
  (void)state;
  contact_test t;
  touch(&t, &rod);
  double phi = 0.9, spin = 0.7, s = sin(phi), k = cos(phi), x[] = {0.2, s + 0.05, phi, -1, 0.3, spin};
  const double *gaps, *velocities;
  place(&t, x);
  assert_ok(t.m.c, hml_contacts__values(t.c, &gaps, &velocities));
  assert_near(gaps[0], 0.05, 1e-15);
  assert_near(velocities[0], 0.3 - k * spin, 1e-15);
  assert_near(velocities[1], -1 + s * spin, 1e-15);
  hml_contact__activate(t.c, 0);
  hml_contact__activate(t.c, 1);
  hml_contact__activate(t.c, 0);                                         // once
  assert_int_equal(t.c->n_active, 2);
  assert_ok(t.m.c, hml_contact__prepare(t.c, true));
  const double g[] = {1 + 3 * k * k, -3 * s * k, -3 * s * k, 1 + 3 * s * s};
  for (int i = 0; i < 4; i++) assert_near(t.c->g[i], g[i], 1e-14);
  assert_near(t.c->free[0], -10 + s * spin * spin, 1e-14);
  assert_near(t.c->free[1], k * spin * spin, 1e-14);
  assert_ok(t.m.c, hml_contact__prepare(t.c, false));                    // of an instant: no accelerations
  assert_near(t.c->free[0], 0, 0);
  release(&t);
}

// arbiter: by hand; on the circle a unit force along x moves along the tangent (-sin, cos), and the rod carries the rest
static void two_sided_constraints_enter_the_responses(void **state) {
  (void)state;
  const body b = {.system = pendulum, .wall = {{.gap = "wall: x"}}};
  contact_test t;
  touch(&t, &b);
  double m = 1.5, l = 0.7, phi = 0.4, s = sin(phi), k = cos(phi), x[] = {l * k, l * s, 0, 0};
  place(&t, x);
  hml_contact__activate(t.c, 0);
  assert_ok(t.m.c, hml_contact__prepare(t.c, true));
  assert_near(t.c->x[0], s * s / m, 1e-14);
  assert_near(t.c->x[1], -s * k / m, 1e-14);
  assert_near(t.c->g[0], s * s / m, 1e-14);
  assert_near(2 * l * t.c->y[0], -k, 1e-14);
  assert_near(t.c->free[0], 9.81 * s * k, 1e-13);
  release(&t);
}

static void scales_are_sums_of_sizes(void **state) {
  (void)state;
  body b = ball;
  b.wall[0].gap = "floor: y - 3*x + 7";
  contact_test t;
  touch(&t, &b);
  place(&t, (double[]){5, 8, 2, 6});
  assert_near(t.c->out[0], 0, 0);                                        // terms that cancel
  assert_near(hml_contacts__place_scale(t.c, 0), 8 + 15 + 7, 1e-14);
  assert_near(hml_contact__velocity(t.c)[0], 0, 0);
  assert_near(hml_contact__speed_scale(t.c, 0), 12, 1e-14);
  assert_true(hml_contact__at_rest(t.c, 0) && !hml_contact__at_rest(t.c, 1));
  place(&t, (double[]){5, 8, 2, 6 + 1e-12});
  assert_false(hml_contact__at_rest(t.c, 0));
  release(&t);
}

// The same rows in other units: what is at rest stays so
static void units_do_not_matter(void **state) {
  (void)state;
  for (int k = -12; k <= 12; k += 6) {
    double unit = pow(10, k);
    contact_test t;
    touch(&t, &rod);
    double phi = 0.9, spin = 0.7 * unit;
    place(&t, (double[]){0, sin(phi), phi, -sin(phi) * spin, cos(phi) * spin, spin});
    assert_true(hml_contact__at_rest(t.c, 0) && hml_contact__at_rest(t.c, 1));
    place(&t, (double[]){0, sin(phi), phi, -sin(phi) * spin, cos(phi) * spin * (1 + 1e-12), spin});
    assert_true(!hml_contact__at_rest(t.c, 0) && hml_contact__at_rest(t.c, 1));
    release(&t);
  }
}

static void dependent_rows_share(void **state) {
  (void)state;
  contact_test t;
  touch(&t, &cradle);
  const double equal[] = {1, 1, 1, 1}, regular[] = {2, -1, -1, 2}, side[] = {3, 3};
  double x[6];                                                           // two parts: one is scratch
  hml_contact__dense_solve(t.c, 2, equal, side, x);
  assert_near(x[0], 1.5, 1e-14);
  assert_near(x[1], 1.5, 1e-14);
  hml_contact__dense_solve(t.c, 2, regular, side, x);
  assert_near(x[0], 3, 1e-14);
  assert_near(x[1], 3, 1e-14);
  release(&t);
}

static void refuse(const body *b, const double *x, hml_status status, const char *text) {
  contact_test t;
  touch(&t, b);
  assert_ok(t.m.c, hml_contacts__set_state(t.c, 0.5, x));
  assert_int_equal(hml_contact__evaluate(t.c), status);
  assert_message(t.m.c, status, text);
  release(&t);
}

static void values_that_no_law_allows_are_refused(void **state) {
  (void)state;
  const double x[6] = {1, 1, 1, 1, 1, 1};
  body b = ball;
  b.system.values[3] = -0.1;
  refuse(&b, x, HML_NO_CONTACT_MODE, "friction 'rub': its coefficient is -0.1 at t = 0.5; it must not be negative");
  b = ball;
  b.system.values[2] = 1.5;
  refuse(&b, x, HML_NO_CONTACT_MODE, "'floor': the coefficient of restitution is 1.5 at t = 0.5");
  b = puck;
  b.rub[0].law = "elliptic";
  b.rub[0].second = "px";
  refuse(&b, x, HML_NO_CONTACT_MODE, "friction 'rub': one of its two coefficients is 0 at t = 0.5");
  b = puck;
  b.rub[0].law = "hertz";
  b.rub[0].radius = "px";
  refuse(&b, x, HML_NO_CONTACT_MODE, "friction 'rub': the radius of its spot is 0 at t = 0.5");
  b = ball;
  b.wall[0].gap = "floor: log(y - 1)";
  refuse(&b, x, HML_NOT_FINITE, "model 'test' at t = 0.5: not finite");
}

// Where all velocities are rounding they are no scale: what moves nothing by what the tolerance of the run sees is at rest
static void what_nothing_moves_is_at_rest(void **state) {
  (void)state;
  contact_test t;
  touch(&t, &ball);                                                      // a run over 1 with atol = 1e-9
  const double slips[] = {0, 1e-20, 1e-17, 1e-14, 1e-10};
  for (int k = 0; k < 5; k++) {
    place(&t, (double[]){0, 0, slips[k], 0});
    assert_int_equal(hml_contact__at_rest(t.c, 1), k < 3);
  }
  // beside the velocity with which the reset began
  place(&t, (double[]){0, 0, 1e-14, 0});
  t.c->speed[1] = 10;
  assert_true(hml_contact__at_rest(t.c, 1));
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rod_has_its_matrix),
      cmocka_unit_test(two_sided_constraints_enter_the_responses),
      cmocka_unit_test(scales_are_sums_of_sizes),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(dependent_rows_share),
      cmocka_unit_test(values_that_no_law_allows_are_refused), cmocka_unit_test(what_nothing_moves_is_at_rest)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
