// reaction.c: reactions, accelerations and guards in a given mode, by hand.
#include "bodies.h"

// arbiter: a = g (sin - mu cos) downhill, g (sin + mu cos) uphill, N = m g cos
static void the_block_slides_down_and_up(void **state) {
  (void)state;
  for (int d = 1; d >= -1; d -= 2) {
    contact_test t;
    double a[2], z[2], f[4], s = sin(0.5), k = cos(0.5), x[] = {1, 0, 3.0 * d, 0};
    touch(&t, &block);
    place(&t, x);
    assume(&t, HML_SLIP, d, 0);
    assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, z));
    assert_near(z[0], 20 * k, 1e-13);
    assert_near(z[1], -d * 6 * k, 1e-13);
    assert_near(a[0], 10 * (s - d * 0.3 * k), 1e-13);
    assert_near(a[1], 0, 1e-14);
    assert_ok(t.m.c, hml_contacts__rate_at(t.c, 0, x, f));
    assert_near(f[0], 3 * d, 0);
    assert_near(f[2], a[0], 0);
    release(&t);
  }
}

// arbiter: N = (g - sin phi w^2)/(G_nn - mu d G_nt) with the rod's matrix, tip sliding with the direction d
static void the_rod_slides(void **state) {
  (void)state;
  for (int d = 1; d >= -1; d -= 2) {
    body b = rod;
    b.system.values[1] = 0.4;
    double phi = 0.9, w = 0.7, s = sin(phi), k = cos(phi), z[2], a[3];
    contact_test t;
    touch(&t, &b);
    place(&t, (double[]){0, s, phi, d - s * w, k * w, w});
    assume(&t, HML_SLIP, d, 0);
    assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, z));
    double normal = (10 - s * w * w) / (1 + 3 * k * k + 0.4 * d * 3 * s * k);
    assert_near(z[0], normal, 1e-13);
    assert_near(z[1], -0.4 * d * normal, 1e-13);
    assert_near(a[0], -0.4 * d * normal, 1e-13);
    assert_near(a[1], normal - 10, 1e-13);
    assert_near(a[2], -3 * k * normal - 0.4 * d * normal * 3 * s, 1e-13);
    release(&t);
  }
}

// arbiter: friction against the slip (3, -4)/5, whatever direction was kept before
static void the_puck_is_braked_against_its_slip(void **state) {
  (void)state;
  contact_test t;
  double a[3], z[3];
  touch(&t, &puck);
  place(&t, (double[]){0, 0, 0, 3, -4, 0});
  assume(&t, HML_SLIP, 1, 0);
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, z));
  assert_near(z[0], 10, 1e-14);
  assert_near(a[0], -2.4, 1e-14);
  assert_near(a[1], 3.2, 1e-14);
  assert_near(hml_contact__slip_size(t.c, 0), 5, 1e-15);
  // without slip the kept direction counts
  place(&t, (double[]){0, 0, 0, 0, 0, 0});
  assume(&t, HML_SLIP, 0, 1);
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, NULL));
  assert_near(a[0], 0, 1e-14);
  assert_near(a[1], -4, 1e-14);
  release(&t);
}

// arbiter: by hand; the ellipse of greatest dissipation, z = -N (mu1^2 s1, mu2^2 s2)/h
static void an_ellipse_turns_the_force(void **state) {
  (void)state;
  body b = puck;
  b.rub[0].law = "elliptic";
  b.rub[0].second = "2*mu";
  contact_test t;
  double a[3], h = hypot(0.4 * 3, 0.8 * 4);
  touch(&t, &b);
  place(&t, (double[]){0, 0, 0, 3, 4, 0});
  assume(&t, HML_SLIP, 1, 0);
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, NULL));
  assert_near(a[0], -10 * 0.16 * 3 / h, 1e-13);
  assert_near(a[1], -10 * 0.64 * 4 / h, 1e-13);
  release(&t);
}

// arbiter: |z|^2 + lambda^2 = (mu N)^2 with the lateral force 3 carried by the rail
static void a_shared_cone_leaves_the_rest(void **state) {
  (void)state;
  const body b = {.system = {.coordinates = "x y z", .parameters = "side pull", .values = {3, 2}, .kinetic = "(x'^2 + y'^2 + z'^2)/2", .potential = "10*z",
                             .forces = {"pull", "side"}, .nonholonomic = {"rail: y'"}},
                  .wall = {{.gap = "floor: z"}},
                  .rub = {{.slip = "rub: x'", .coefficient = "1/2", .kind = HML_PRESSED_BY_GAP, .n_cone = 1, .cone = {0}}}};
  contact_test t;
  double a[3], lambda, gap, friction, cone;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 0, 2, 0, 0});
  assume(&t, HML_SLIP, 1, 0);
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, &lambda, NULL));
  assert_near(lambda, -3, 1e-13);
  assert_near(a[0], 2 - 4, 1e-12);
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(gap, 10, 1e-9);
  assert_near(friction, 2, 0);
  assert_near(cone, 5 - 3, 1e-12);
  // in stick both share it: N - |(pull, side)|/mu
  place(&t, (double[]){0, 0, 0, 0, 0, 0});
  assume(&t, HML_STICK, 0, 0);
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(friction, 10 - 2 * hypot(2, 3), 1e-12);
  release(&t);
}

// arbiter: in stick the force is -m g sin, and the room left N - |z|/mu_s; open: the gap itself
static void guards_of_the_block(void **state) {
  (void)state;
  contact_test t;
  double gap, friction, cone, s = sin(0.5), k = cos(0.5);
  touch(&t, &block);
  place(&t, (double[]){0, 0.25, 0, 0});
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(gap, 0.25, 0);
  assert_true(friction > 0 && cone > 0);
  place(&t, (double[]){0, 0, 0, 0});
  assume(&t, HML_STICK, 0, 0);
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(gap, 20 * k, 1e-9);
  assert_near(friction, 20 * k - 20 * s / 0.4, 1e-12);
  assume(&t, HML_SLIP, -1, 0);
  place(&t, (double[]){0, 0, -0.2, 0});
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(friction, 0.2, 0);
  release(&t);
}

// arbiter: superposition; the lift L reduces the reaction to m g - L, which may become negative in a mode by hand
static void a_closed_gap_may_pull_and_its_guard_says_so(void **state) {
  (void)state;
  body b = ball;
  b.system.values[5] = 25;
  contact_test t;
  double gap, friction, cone;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 0, 0});
  assume(&t, HML_FREE, 0, 0);
  assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
  assert_near(gap, -5, 1e-9);
  release(&t);
}

// A mode does not hold where a gap pulls, by the lift L > m g, or where a stick lies outside its set: tan 0.5 > mu_s
static void a_mode_that_does_not_hold_is_told(void **state) {
  (void)state;
  for (int pulls = 0; pulls <= 1; pulls++) {
    body b = ball;
    b.system.values[5] = pulls ? 25 : 15;
    contact_test t;
    touch(&t, &b);
    place(&t, (double[]){0, 0, 0, 0});
    assume(&t, HML_FREE, 0, 0);
    assert_int_equal(hml_contacts__check_mode(t.c), pulls ? HML_NO_CONTACT_MODE : HML_OK);
    release(&t);
  }
  contact_test t;
  touch(&t, &block);
  place(&t, (double[]){0, 0, 0, 0});
  assume(&t, HML_STICK, 0, 0);
  assert_int_equal(hml_contacts__check_mode(t.c), HML_NO_CONTACT_MODE);
  release(&t);
}

static void given_reactions_accelerate(void **state) {
  (void)state;
  contact_test t;
  double a[3], lambda[1], phi = 0.3;
  touch(&t, &rod);
  place(&t, (double[]){0, 1, phi, 0, 0, 0});
  assert_ok(t.m.c, hml_contacts__forced(t.c, (double[]){4, -1}, a, lambda));
  assert_near(a[0], -1, 1e-14);
  assert_near(a[1], 4 - 10, 1e-14);
  assert_near(a[2], 3 * (-4 * cos(phi) - sin(phi)), 1e-13);
  release(&t);
}

// No reaction holds the tip in slip to the right where the rod jams: in that mode the normal force is negative
static void painleve_has_a_negative_reaction(void **state) {
  (void)state;
  contact_test t;
  double z[2], phi = 0.9, s = sin(phi), k = cos(phi);
  touch(&t, &rod);
  place(&t, (double[]){0, s, phi, -5, 0, 0});
  assume(&t, HML_SLIP, -1, 0);
  assert_ok(t.m.c, hml_contacts__solution(t.c, NULL, NULL, z));
  double growth = 1 + 3 * k * k - 9 * s * k;
  assert_true(growth < 0);
  assert_near(z[0], 10 / growth, 1e-12);
  release(&t);
}

// The guard falls where a coefficient rises above rounding; while the gap is open nothing is watched
static void a_surface_without_friction_is_watched_while_closed(void **state) {
  (void)state;
  static const double coefficients[] = {0, 0.9e-12, 1.1e-12};
  for (int k = 0; k < 3; k++) {
    body b = ball;
    double gap, friction, cone;
    b.system.values[3] = coefficients[k];
    contact_test t;
    touch(&t, &b);
    place(&t, (double[]){0, 0, 1, 0});
    assert_false(hml_contacts__watches_cone(t.c, 0));
    assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
    assert_near(cone, 1, 0);
    assume(&t, HML_FREE, 0, 0);
    assert_true(hml_contacts__watches_cone(t.c, 0));
    assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
    assert_near(cone, 1e-12 - coefficients[k], 1e-26);
    for (int slips = 0; slips < 2; slips++) {
      assume(&t, slips ? HML_SLIP : HML_STICK, 1, 0);
      assert_false(hml_contacts__watches_cone(t.c, 0));
      assert_ok(t.m.c, hml_contacts__guards(t.c, &gap, &friction, &cone));
      assert_near(cone, 1, 0);
    }
    release(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_block_slides_down_and_up),
      cmocka_unit_test(the_rod_slides),
      cmocka_unit_test(the_puck_is_braked_against_its_slip),
      cmocka_unit_test(an_ellipse_turns_the_force),
      cmocka_unit_test(a_shared_cone_leaves_the_rest),
      cmocka_unit_test(guards_of_the_block),
      cmocka_unit_test(a_surface_without_friction_is_watched_while_closed),
      cmocka_unit_test(a_closed_gap_may_pull_and_its_guard_says_so),
      cmocka_unit_test(a_mode_that_does_not_hold_is_told),
      cmocka_unit_test(given_reactions_accelerate),
      cmocka_unit_test(painleve_has_a_negative_reaction),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
