// reset.c: all that happens at one instant: starts, series of blows, small flights, switches; by hand.
#include "bodies.h"

static void start(contact_test *t, const body *b, double *x) {
  touch(t, b);
  assert_ok(t->m.c, hml_contacts__start(t->c, 0, x));
}

static void refuse(const body *b, double *x, const char *text) {
  contact_test t;
  touch(&t, b);
  assert_int_equal(hml_contacts__start(t.c, 0, x), HML_INCONSISTENT_START);
  assert_message(t.m.c, HML_INCONSISTENT_START, text);
  release(&t);
}

static void starts_behind_a_wall_are_refused(void **state) {
  (void)state;
  refuse(&ball, (double[]){0, -0.01, 0, 0}, "'floor' is -0.01 at t = 0: a gap must not be negative; change the start of y in q");
  body b = ball;
  b.wall[1] = (wall){.gap = "limit: 2 - x'", .level = 1};
  refuse(&b, (double[]){0, 1, 3, 0}, "'limit' is -1 at t = 0: a bound must not be negative; change the start of x in v");
  b = ball;
  b.rub[0].kind = HML_PRESSED_BY_EXPRESSION;
  b.rub[0].normal = "y - 2";
  refuse(&b, (double[]){0, 1, 0, 0}, "the normal force of friction 'rub' is -1 at t = 0");
}

static void a_start_rests_flies_or_strikes(void **state) {
  (void)state;
  contact_test t;
  double rests[] = {0, 0, 0, 0}, flies[] = {0, 0, 0, 1}, above[] = {0, 0.1, 0, -1}, strikes[] = {0, 0, 0, -4};
  start(&t, &ball, rests);
  assert_true(hml_contacts__is_closed(t.c, 0) && t.heard.blows == 0);
  release(&t);
  start(&t, &ball, flies);
  assert_true(!hml_contacts__is_closed(t.c, 0) && t.heard.blows == 0);
  assert_int_equal(hml_contacts__gap_side(t.c, 0), 1);                   // it leaves its root upwards
  release(&t);
  start(&t, &ball, above);
  assert_true(!hml_contacts__is_closed(t.c, 0) && hml_contacts__gap_side(t.c, 0) == 0);
  release(&t);
  start(&t, &ball, strikes);
  assert_int_equal(t.heard.blows, 1);
  assert_near(strikes[3], 2, 1e-14);
  assert_near(t.heard.impulses[0], 12, 1e-13);
  assert_near(t.heard.blow.energy_change, -12, 1e-13);                   // (16 - 4) m/2
  release(&t);
}

// The work of a blow counts in the work of the run
static void blows_do_work(void **state) {
  (void)state;
  body b = ball;
  b.system.power = "wind*x'";
  contact_test t;
  double x[] = {0, 0, 0, -4, 100};
  start(&t, &b, x);
  assert_near(x[4], 100 - 12, 1e-12);
  release(&t);
}

// arbiter: elastic balls of one mass exchange their velocities, left pair first, then the right one
static void blows_follow_each_other(void **state) {
  (void)state;
  contact_test t;
  double x[] = {0, 0, 0, 3, 1, -2};
  touch(&t, &cradle);
  // one gap a little open by its value: the instants differ, and so do the blows
  x[2] = 1e-3;
  assert_ok(t.m.c, hml_contacts__start(t.c, 0, x));
  assert_int_equal(t.heard.blows, 1);
  assert_near(x[3], 1, 1e-13);
  assert_near(x[4], 3, 1e-13);
  assert_near(x[5], -2, 1e-13);
  // the right gap closes
  x[0] = -1e-3, x[1] = x[2] = 0;
  assert_ok(t.m.c, hml_contacts__react(t.c, 1e-3, x, (bool[]){false, true}, false, false));
  assert_int_equal(t.heard.blows, 2);
  assert_near(x[4], -2, 1e-13);
  assert_near(x[5], 3, 1e-13);
  release(&t);
}

// arbiter: what is caught flies lower than a thousandth of atol, v^2/(2 g) <= 1e-12; the limit of its impacts, v (2/g)/(1 - e) later
static void small_flights_are_caught(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double after = sqrt(2 * 10 * 1e-12) * (k ? 1.01 : 0.99), x[] = {0, 0, 0, -after / 0.5};
    contact_test t;
    touch(&t, &ball);
    assert_ok(t.m.c, hml_contacts__start(t.c, 0, x));
    assert_int_equal(t.heard.blows, 1);
    assert_int_equal(hml_contacts__is_closed(t.c, 0), !k);
    assert_int_equal(t.heard.accumulations, !k);
    if (!k) {
      assert_near(x[3], 0, 0);
      check_contains(t.heard.note, "the impacts at 'floor' accumulate");
      assert_near(t.heard.limit.t, 2 * after / 10 / 0.5, t.heard.limit.error);
    }
    release(&t);
  }
}

static void slow_returns_are_captured(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    body b = ball;
    b.wall[0].capture = 0.3;
    double x[] = {0, 0, 0, k ? -0.62 : -0.58};
    contact_test t;
    start(&t, &b, x);
    assert_int_equal(hml_contacts__is_closed(t.c, 0), !k);
    assert_near(x[3], k ? 0.31 : 0, 1e-14);
    release(&t);
  }
}

// arbiter: the stick breaks when the wind reaches mu m g = 8; the slip begins along the wind
static void a_stick_breaks(void **state) {
  (void)state;
  body b = ball;
  double x[] = {0, 0, 0, 0};
  b.system.values[3] = 0.4;
  b.system.values[4] = 8 * (1 + 1e-12);
  contact_test t;
  start(&t, &b, x);
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_STICK);           // to the rounding of forces
  assert_ok(t.m.c, hml_contacts__react(t.c, 0.5, x, (bool[]){false, true}, false, false));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
  assert_int_equal(t.heard.switches, 1);
  assert_true(t.heard.change.is_friction && t.heard.change.from == HML_STICK && t.heard.change.to == HML_SLIP);
  assert_near(t.heard.change.t, 0.5, 0);
  assert_near(t.heard.change.takes[0], 1, 0);
  assert_near(t.heard.change.leaves[0], 0, 0);
  assert_int_equal(hml_contacts__slip_side(t.c, 0), 1);
  release(&t);
}

// Two slips that a closed gap makes one: the guard of the first alone has fired, and both are over. A third one goes on
static void slips_of_one_motion_end_together(void **state) {
  (void)state;
  const body pads = {.system = {.coordinates = "x y z", .parameters = "m", .values = {1}, .kinetic = "m/2*(x'^2 + y'^2 + z'^2)", .forces = {"-1/10", "0", "0"}},
                     .wall = {{.gap = "wall: y - x", .law = HML_MOREAU}},
                     .rub = {{.slip = "one: x'", .coefficient = "1/2", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "1"},
                             {.slip = "two: 2*y' - x'/3", .coefficient = "1/2", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "1"},
                             {.slip = "free: z'", .coefficient = "1/2", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "1"}}};
  contact_test t;
  double x[] = {0, 0, 0, 1, 1, 3};
  start(&t, &pads, x);
  assert_true(hml_contacts__is_closed(t.c, 0));
  for (size_t j = 0; j < 3; j++) assert_int_equal(hml_contacts__friction(t.c, j), HML_SLIP);
  x[3] = x[4] = 1e-13;                                                   // far above the rounding of the slips themselves
  assert_ok(t.m.c, hml_contacts__react(t.c, 0.1, x, (bool[]){false, true, false, false, false, false, false}, false, false));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_STICK);
  assert_int_equal(hml_contacts__friction(t.c, 1), HML_STICK);
  assert_int_equal(hml_contacts__friction(t.c, 2), HML_SLIP);
  assert_near(x[5], 3, 0);
  release(&t);
}

// arbiter: friction 0.4 m g stops the ball, and holds it or, under a wind of 10 > 8, turns it back
static void a_slip_ends_or_turns(void **state) {
  (void)state;
  for (int turns = 0; turns < 2; turns++) {
    body b = ball;
    double x[] = {0, 0, -1, 0};
    b.system.values[3] = 0.4;
    b.system.values[4] = turns ? 10 : 6;
    contact_test t;
    start(&t, &b, x);
    assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
    x[2] = 0;
    assert_ok(t.m.c, hml_contacts__react(t.c, 0.1, x, (bool[]){false, true}, false, false));
    assert_int_equal(hml_contacts__friction(t.c, 0), turns ? HML_SLIP : HML_STICK);
    assert_int_equal(t.heard.switches, 1);
    assert_near(t.heard.change.leaves[0], -1, 0);
    assert_near(t.heard.change.takes[0], turns, 0);
    release(&t);
  }
}

// arbiter: the floor lets go where the lift 25 t reaches the weight 20: t = 4/5; at 9/10 it accelerates by 5/2 over the mass
static void a_contact_opens(void **state) {
  (void)state;
  body b = ball;
  double x[] = {0, 0, 0, 0}, a[2];
  contact_test t;
  b.system.forces[1] = "25*t";
  start(&t, &b, x);
  assert_true(hml_contacts__is_closed(t.c, 0));
  assert_ok(t.m.c, hml_contacts__react(t.c, 0.8, x, (bool[]){true, false}, false, false));
  assert_false(hml_contacts__is_closed(t.c, 0));
  assert_int_equal(t.heard.switches, 1);
  assert_true(!t.heard.change.is_friction && t.heard.change.from == 1 && t.heard.change.to == 0);
  assert_ok(t.m.c, hml_contacts__set_state(t.c, 0.9, x));
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, NULL));
  assert_near(a[1], 1.25, 1e-12);
  release(&t);
}

// A contact that begins to last on a rough wall: the velocity along it ends in an impulse of that instant
static void a_rough_wall_seizes(void **state) {
  (void)state;
  body b = ball;
  b.rub[0].slip = NULL;
  b.wall[0].restitution = NULL;
  b.wall[0].rough[0] = "x'";
  contact_test t;
  double x[] = {0, 0, 3, 0};
  start(&t, &b, x);
  assert_int_equal(t.heard.blows, 1);
  assert_near(x[2], 0, 0);
  assert_near(t.heard.impulses[1], -6, 1e-14);
  release(&t);
}

// arbiter: between two heavy neighbours a light ball strikes to and fro without end at one instant; the limit is a common velocity, by the momentum
static void blows_without_end_lead_to_rest(void **state) {
  (void)state;
  const body b = {.system = {.coordinates = "a b c", .kinetic = "50*a'^2 + b'^2/2 + 50*c'^2"},
                  .wall = {{.gap = "left: b - a", .restitution = "1/2"}, {.gap = "right: c - b", .restitution = "1/2"}}};
  double x[] = {0, 0, 0, 1, 0, 0};
  contact_test t;
  start(&t, &b, x);
  assert_true(t.heard.blows > 20);
  for (int i = 3; i < 6; i++) assert_near(x[i], 100.0 / 201, 1e-9);
  release(&t);
}

// A gap that was struck where its root was located, 1e-9 off zero, touches up to twice that
static void a_gap_left_on_its_root_touches(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double above[] = {0, 0.1, 0, -4}, x[] = {0, 1e-9, 0, -4}, back[] = {0, k ? 1.9e-9 : 2.1e-9, 0, -1};
    contact_test t;
    start(&t, &ball, above);
    assert_ok(t.m.c, hml_contacts__react(t.c, 1e-3, x, (bool[]){true, false}, false, false));
    assert_int_equal(t.heard.blows, 1);
    assert_near(x[3], 2, 1e-14);
    assert_ok(t.m.c, hml_contacts__react(t.c, 1e-3, back, (bool[]){false, false}, false, false));
    assert_int_equal(t.heard.blows, 1 + k);
    assert_near(back[3], k ? 0.5 : -1, 1e-14);
    release(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(starts_behind_a_wall_are_refused),
      cmocka_unit_test(a_start_rests_flies_or_strikes),
      cmocka_unit_test(blows_do_work),
      cmocka_unit_test(blows_follow_each_other),
      cmocka_unit_test(small_flights_are_caught),
      cmocka_unit_test(a_gap_left_on_its_root_touches),
      cmocka_unit_test(slow_returns_are_captured),
      cmocka_unit_test(a_stick_breaks),
      cmocka_unit_test(a_slip_ends_or_turns), cmocka_unit_test(slips_of_one_motion_end_together),
      cmocka_unit_test(a_contact_opens),
      cmocka_unit_test(a_rough_wall_seizes),
      cmocka_unit_test(blows_without_end_lead_to_rest),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
