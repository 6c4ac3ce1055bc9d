// drift.c: correction of what drifts off closed gaps and stick, in the mass metric, by hand.
#include "bodies.h"

// arbiter: the tip leaves the floor by g: the correction is X z with X = (0, 1, -3 cos phi), z = -g/(1 + 3 cos^2 phi)
static void a_gap_is_closed_in_the_mass_metric(void **state) {
  (void)state;
  double phi = 0.9, k = cos(phi), off = 1e-4, z = -off / (1 + 3 * k * k), x[] = {0.3, sin(phi) + off, phi, -2, 0, 0};
  bool moved;
  contact_test t;
  touch(&t, &rod);
  place(&t, x);
  assume(&t, HML_SLIP, -1, 0);
  assert_ok(t.m.c, hml_contacts__project(t.c, 1e-9, 1e-9, x, &moved));
  assert_true(moved);
  assert_near(x[0], 0.3, 0);
  assert_near(x[1], sin(phi) + off + z, 1e-15);
  assert_near(x[2], phi - 3 * k * z, 1e-15);
  assert_near(x[3], -2, 1e-15);
  assert_near(x[1] - sin(x[2]), 0, off * off);                           // up to the curvature
  release(&t);
}

// arbiter: in stick the tip has no velocity at all afterwards; of slip its normal part is lost alone
static void velocities_of_what_rests_vanish(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++) {
    double phi = 0.4, s = sin(phi), k = cos(phi), x[] = {0, s, phi, 0.01, 0.02, 0.03}, slip = 0.01 + s * 0.03, normal = 0.02 - k * 0.03;
    bool moved;
    contact_test t;
    touch(&t, &rod);
    place(&t, x);
    assume(&t, sticks ? HML_STICK : HML_SLIP, 1, 0);
    assert_ok(t.m.c, hml_contacts__project(t.c, 1e-9, 1e-9, x, &moved));
    assert_true(moved);
    assert_near(x[4] - k * x[5], 0, 1e-16);
    // by the normal impulse -normal/G_nn, where slip is free
    double left = slip - -3 * s * k * normal / (1 + 3 * k * k);
    assert_near(x[3] + s * x[5], sticks ? 0 : left, 1e-16);
    release(&t);
  }
}

static void within_the_tolerances_nothing_moves(void **state) {
  (void)state;
  bool moved;
  contact_test t;
  touch(&t, &ball);
  for (int k = 0; k < 2; k++) {
    // a hundredth of atol + rtol |x| counts
    double off = k ? 1.1e-8 : 0.9e-8, x[] = {0, off, 0, 0};
    place(&t, x);
    assume(&t, HML_FREE, 0, 0);
    assert_ok(t.m.c, hml_contacts__project(t.c, 0, 1e-6, x, &moved));
    assert_int_equal(moved, k);
    assert_near(x[1], k ? 0 : off, 0);
  }
  release(&t);
}

static void open_gaps_do_not_count(void **state) {
  (void)state;
  double x[] = {0, 0.3, 1, -1};
  bool moved;
  contact_test t;
  touch(&t, &ball);
  place(&t, x);
  assert_ok(t.m.c, hml_contacts__project(t.c, 0, 0, x, &moved));
  assert_false(moved);
  release(&t);
}

// arbiter: on the circle a wall is met along the tangent, so that the rod keeps its length to first order
static void two_sided_constraints_are_kept(void **state) {
  (void)state;
  const body b = {.system = pendulum, .wall = {{.gap = "wall: y + 1/2"}}};
  double l = 0.7, phi = -0.79, off = 1e-5, x[] = {l * cos(phi), l * sin(phi), 0, 0};
  bool moved;
  contact_test t;
  touch(&t, &b);
  off = x[1] + 0.5;
  place(&t, x);
  assume(&t, HML_FREE, 0, 0);
  assert_ok(t.m.c, hml_contacts__project(t.c, 1e-9, 1e-9, x, &moved));
  assert_near(x[1], -0.5, 1e-15);
  assert_near(x[0], l * cos(phi) + off * tan(phi), 1e-15);
  release(&t);
}

// A slip that begins from zero is zero to rounding, whatever the tolerances
static void what_the_mode_holds_comes_to_rest(void **state) {
  (void)state;
  double x[] = {0, 1e-13, 1e-13, 1e-13};
  contact_test t;
  touch(&t, &ball);
  place(&t, x);
  assume(&t, HML_STICK, 0, 0);
  assert_ok(t.m.c, hml_contact__bring_to_rest(t.c, x));
  for (int i = 1; i < 4; i++) assert_near(x[i], 0, 0);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_gap_is_closed_in_the_mass_metric),
      cmocka_unit_test(velocities_of_what_rests_vanish),
      cmocka_unit_test(within_the_tolerances_nothing_moves),
      cmocka_unit_test(open_gaps_do_not_count),
      cmocka_unit_test(two_sided_constraints_are_kept),
      cmocka_unit_test(what_the_mode_holds_comes_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
