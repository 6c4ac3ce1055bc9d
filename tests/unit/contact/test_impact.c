// impact.c: velocities and impulses of blows against closed values: balls, a rod, a rough wall, a bound, a pendulum, laws of the user.
#include "bodies.h"

static double impulses[ROWS + MOST];

static void strike(contact_test *t, const bool *hit, double *x) {
  place(t, x);
  assert_ok(t->m.c, hml_contact__impact(t->c, hit, false, x, impulses));
}

static const bool first[GAPS] = {true}, both[GAPS] = {true, true};

// arbiter: u+ = -e u-; friction mu P along the slip, or as much as ends it
static void the_ball_at_the_floor(void **state) {
  (void)state;
  const hml_impact_law laws[] = {HML_NEWTON, HML_POISSON, HML_STRONGE, HML_MOREAU};
  for (int l = 0; l < 4; l++)
    for (int rough = 0; rough < 2; rough++) {
      body b = ball;
      double mu = rough ? 2 : 0.1, x[] = {0, 0, 3, -4}, p = 2 * 4 * 1.5;
      b.system.values[3] = mu;
      b.wall[0].law = laws[l];
      contact_test t;
      touch(&t, &b);
      strike(&t, first, x);
      assert_near(x[3], 2, 1e-13);
      assert_near(x[2], rough ? 0 : 3 - 0.1 * p / 2, 1e-13);
      assert_near(impulses[0], p, 1e-12);
      assert_near(impulses[1], rough ? -6 : -0.1 * p, 1e-12);
      release(&t);
    }
}

// arbiter: a sphere of radius 1 without spin: sliding ends when the slip does, then it rolls with 5/7 of its speed
static void the_sphere_begins_to_roll(void **state) {
  (void)state;
  const body sphere = {.system = {.coordinates = "x y phi", .kinetic = "(x'^2 + y'^2)/2 + phi'^2/5"},
                       .wall = {{.gap = "floor: y"}},
                       .rub = {{.slip = "rub: x' - phi'", .coefficient = "1", .kind = HML_PRESSED_BY_GAP}}};
  contact_test t;
  double x[] = {0, 0, 0, 7, -10, 0};
  touch(&t, &sphere);
  strike(&t, first, x);
  assert_near(x[3], 5, 1e-12);
  assert_near(x[5], 5, 1e-12);
  assert_near(x[4], 0, 1e-13);
  release(&t);
}

// arbiter: slip in the direction (3, -4)/5, which the blow of a puck does not turn
static void the_puck_in_two_directions(void **state) {
  (void)state;
  contact_test t;
  double x[] = {0, 0, 0, 3, -4, -2};
  touch(&t, &puck);
  strike(&t, first, x);
  assert_near(x[3], 3 - 0.6 * 0.4 * 2, 1e-12);
  assert_near(x[4], -4 + 0.8 * 0.4 * 2, 1e-12);
  assert_near(x[5], 0, 1e-13);
  release(&t);
}

// arbiter: the rod without friction: P = (1 + e) |u|/(1 + 3 cos^2 phi), X = (0, 1, -3 cos phi)
static void the_rod_without_friction(void **state) {
  (void)state;
  body b = rod;
  b.system.values[1] = 0;
  b.system.values[2] = 0.5;
  double phi = 0.9, k = cos(phi), x[] = {0, sin(phi), phi, 0.3, -2, 0}, p = 1.5 * 2 / (1 + 3 * k * k);
  contact_test t;
  touch(&t, &b);
  strike(&t, first, x);
  assert_near(x[3], 0.3, 1e-15);
  assert_near(x[4], -2 + p, 1e-13);
  assert_near(x[5], -3 * k * p, 1e-13);
  assert_near(x[4] - k * x[5], 1, 1e-13);
  release(&t);
}

// arbiter: Painleve's rod at the angle where friction drives the tip into the floor: dynamic jam. Compression grows, the slip ends, stick follows:
// with e = 0 the tip comes to rest
static void the_rod_that_jams_comes_to_rest_at_its_tip(void **state) {
  (void)state;
  double phi = 0.9, s = sin(phi), k = cos(phi), x[] = {0, s, phi, -5, -0.1, 0};
  contact_test t;
  touch(&t, &rod);
  strike(&t, first, x);
  assert_near(x[4] - k * x[5], 0, 1e-12);
  assert_near(x[3] + s * x[5], 0, 1e-12);
  // the blow from (-5, -0.1) to rest: G P = -u, by the inverse of the rod's matrix
  double g = 1 + 3 * k * k, h = -3 * s * k, f = 1 + 3 * s * s, det = g * f - h * h;
  assert_near(impulses[0], (f * 0.1 - h * 5) / det, 1e-11);
  assert_near(impulses[1], (g * 5 - h * 0.1) / det, 1e-11);
  release(&t);
}

// arbiter: Moreau's law for three balls that touch: (1, 0, 0) to (-1/3, 2/3, 2/3)
static void the_cradle_by_moreaus_law(void **state) {
  (void)state;
  contact_test t;
  double x[] = {0, 0, 0, 1, 0, 0};
  touch(&t, &cradle);
  place(&t, x);
  t.c->closed[1] = true;
  strike(&t, first, x);
  assert_near(x[3], -1.0 / 3, 1e-13);
  assert_near(x[4], 2.0 / 3, 1e-13);
  assert_near(x[5], 2.0 / 3, 1e-13);
  assert_near(impulses[0], 4.0 / 3, 1e-13);
  assert_near(impulses[1], 2.0 / 3, 1e-13);
  release(&t);
}

// arbiter: a and c run against b, elastic: they are thrown back, b stays
static void two_blows_at_once(void **state) {
  (void)state;
  contact_test t;
  double x[] = {0, 0, 0, 1, 0, -1};
  touch(&t, &cradle);
  strike(&t, both, x);
  assert_near(x[3], -1, 1e-13);
  assert_near(x[4], 0, 1e-13);
  assert_near(x[5], 1, 1e-13);
  release(&t);
}

static void without_restitution_all_that_strikes_stays(void **state) {
  (void)state;
  contact_test t;
  double x[] = {0, 0, 0, 3, 0, 0};
  touch(&t, &cradle);
  place(&t, x);
  assert_ok(t.m.c, hml_contact__impact(t.c, both, true, x, impulses));
  for (int i = 3; i < 6; i++) assert_near(x[i], 1, 1e-13);
  release(&t);
}

// arbiter: x'+ = -e_t x'-, whatever presses; a held row keeps its velocity
static void a_rough_wall_reverses_and_a_held_row_keeps(void **state) {
  (void)state;
  body b = ball;
  b.rub[0].slip = NULL;
  b.wall[0].tangential = "3/4";
  b.wall[0].rough[0] = "x'";
  contact_test t;
  double x[] = {0, 0, 4, -2};
  touch(&t, &b);
  strike(&t, first, x);
  assert_near(x[2], -3, 1e-13);
  assert_near(x[3], 1, 1e-13);
  assert_near(impulses[1], -14, 1e-12);
  release(&t);
  // the rod's spin is held: what the wall turns it by, another impulse takes back
  b = rod;
  b.rub[0].slip = NULL;
  b.wall[0].held[0] = "phi'";
  double y[] = {0, sin(0.9), 0.9, 1, -2, 0.5};
  touch(&t, &b);
  strike(&t, first, y);
  assert_near(y[5], 0.5, 1e-13);
  assert_near(y[4] - cos(0.9) * y[5], 0, 1e-13);
  release(&t);
}

// arbiter: the tangential velocity is reversed with e; the rod carries 2 lambda l = -P (n.r)
static void the_rod_of_a_pendulum_takes_its_share(void **state) {
  (void)state;
  const body b = {.system = pendulum, .wall = {{.gap = "wall: y + 1/2", .restitution = "1/2"}}};
  double l = 0.7, phi = asin(-0.5 / l), speed = -2, s = sin(phi), k = cos(phi), x[] = {l * k, l * s, -speed * s, speed * k};
  contact_test t;
  touch(&t, &b);
  strike(&t, first, x);
  assert_near(x[2], -s, 1e-13);
  assert_near(x[3], k, 1e-13);
  double p = 1.5 * 3 / k;
  assert_near(impulses[0], p, 1e-12);
  assert_near(2 * l * impulses[1], -p * s, 1e-12);
  release(&t);
}

// arbiter: a blow that would throw the block faster than the bound x' + y' <= 2 allows; the bound takes the rest along (1, 1)
static void a_bound_on_velocities_takes_part(void **state) {
  (void)state;
  body b = ball;
  b.rub[0].slip = NULL;
  b.wall[1] = (wall){.gap = "limit: 2 - x' - y'", .level = 1};
  contact_test t;
  double x[] = {0, 0, 1, -4};                                            // Newton alone: x' = 1, y' = 2
  touch(&t, &b);
  strike(&t, first, x);
  assert_near(x[2] + x[3], 2, 1e-13);
  assert_true(impulses[1] > 0);
  // the gap keeps y'+ >= 2 with P >= 0; so y' = 2 and x' = 0
  assert_near(x[3], 2, 1e-13);
  assert_near(x[2], 0, 1e-13);
  release(&t);
}

static hml_status half_and_turned(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                                  double *wanted_rough) {
  (void)gap, (void)t, (void)x;
  *wanted_normal = -normal / 2;
  wanted_rough[0] = *(const double *)payload * rough[0];
  return HML_OK;
}

static void the_users_law_is_asked(void **state) {
  (void)state;
  body b = ball;
  b.rub[0].slip = NULL;
  b.wall[0].law = HML_USER_LAW;
  b.wall[0].rough[0] = "x'";
  double factor = -0.25, x[] = {0, 0, 4, -2};
  contact_test t;
  touch(&t, &b);
  assert_int_equal(hml_contact__impact(t.c, first, false, x, impulses), HML_ARGUMENT);
  assert_message(t.m.c, HML_ARGUMENT, "'floor': no function gives its law of impact");
  t.witness.law = half_and_turned;
  t.witness.law_payload = &factor;
  strike(&t, first, x);
  assert_near(x[2], -1, 1e-13);
  assert_near(x[3], 1, 1e-13);
  factor = NAN;
  assert_int_equal(hml_contact__impact(t.c, first, false, x, impulses), HML_NOT_FINITE);
  assert_message(t.m.c, HML_NOT_FINITE, "'floor' at t = 0: its law gave a velocity that is not finite");
  release(&t);
}

// Without friction a blow changes the normal velocity alone
static void rows_that_a_blow_moves_are_marked(void **state) {
  (void)state;
  for (int rubs = 0; rubs < 2; rubs++) {
    body b = ball;
    b.system.values[3] = rubs ? 0.1 : 0;
    double x[] = {0, 0, 4, -2};
    contact_test t;
    touch(&t, &b);
    strike(&t, first, x);
    assert_true(t.c->struck[0]);
    assert_int_equal(t.c->struck[1], rubs);
    release(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ball_at_the_floor),
      cmocka_unit_test(the_sphere_begins_to_roll),
      cmocka_unit_test(the_puck_in_two_directions),
      cmocka_unit_test(the_rod_without_friction),
      cmocka_unit_test(the_rod_that_jams_comes_to_rest_at_its_tip),
      cmocka_unit_test(the_cradle_by_moreaus_law),
      cmocka_unit_test(two_blows_at_once),
      cmocka_unit_test(without_restitution_all_that_strikes_stays),
      cmocka_unit_test(a_rough_wall_reverses_and_a_held_row_keeps),
      cmocka_unit_test(the_rod_of_a_pendulum_takes_its_share),
      cmocka_unit_test(a_bound_on_velocities_takes_part),
      cmocka_unit_test(the_users_law_is_asked),
      cmocka_unit_test(rows_that_a_blow_moves_are_marked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
