// brief.c: forces of contacts that come and go within a step, by bumps and pulses of known place and width.
#include "bodies.h"

// A coefficient with a bump at x = 1/2, of width 1/1000, under a slip that passes it
static void a_bump_within_a_step_is_brief(void **state) {
  (void)state;
  body b = ball;
  b.rub[0].coefficient = "1/10 + exp(-1000000*(x - 1/2)^2)";
  contact_test t;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 1, 0});
  for (int k = 0; k < 4; k++) {
    const double from = k == 1 ? 0.6 : 0, to = k == 1 ? 0.7 : 1;
    const hml_range start[5] = {{0, 0}, {from, from}, {0, 0}, {1, 1}, {0, 0}}, end[5] = {{1, 1}, {to, to}, {0, 0}, {1, 1}, {0, 0}};
    const hml_range over[5] = {{0, 1}, {from, to}, {0, 0}, {1, 1}, {0, 0}};
    assume(&t, k == 2 ? HML_STICK : HML_SLIP, 1, 0);
    if (k == 3) t.c->closed[0] = false, t.c->friction_state[0] = HML_FREE;
    double stretch = hml_contacts__stretch(t.c, over, start, end, false);
    if (k == 0) assert_true(stretch > 1);                                // it passes over the bump
    else assert_true(stretch <= 1);                                      // beside it; in stick; in flight
  }
  release(&t);
}


// A pulse of the given normal force around t = 1/2, of width 1/1000; and the same of a floor over which a ball slides
static double stretch_over(contact_test *t, double from, double to, bool blind) {
  const hml_range over[5] = {{from, to}, {from, to}, {0, 0}, {1, 1}, {0, 0}};
  const double middle = (from + to) / 2, quarter = (to - from) / 4;
  const hml_range start[5] = {{from, from}, {from, from}, {0, 0}, {1, 1}, {0, 0}}, end[5] = {{to, to}, {to, to}, {0, 0}, {1, 1}, {0, 0}};
  const hml_range half[5] = {{middle - quarter, middle + quarter}, {middle - quarter, middle + quarter}, {0, 0}, {1, 1}, {0, 0}};
  return hml_contacts__stretch(t->c, over, blind ? half : start, blind ? half : end, blind);
}

static void a_pulse_of_pressure_is_brief(void **state) {
  (void)state;
  body b = ball;
  b.rub[0] = (rub){.slip = "rub: x'", .coefficient = "mu", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "1 + exp(-1000000*(t - 1/2)^2)"};
  contact_test t;
  touch(&t, &b);
  place(&t, (double[]){0, 1, 1, 0});
  t.c->friction_state[0] = HML_SLIP;
  t.c->direction[0] = 1;
  hml_contact__changed(t.c);
  assert_true(stretch_over(&t, 0, 1, false) > 1);
  assert_true(stretch_over(&t, 0.6, 0.7, false) <= 1);
  // a normal force that is off may be on within the step: it counts; what sticks is watched by its guard
  t.c->friction_state[0] = HML_FREE;
  assert_true(stretch_over(&t, 0, 1, false) > 1);
  t.c->friction_state[0] = HML_STICK;
  assert_true(stretch_over(&t, 0, 1, false) <= 1);
  release(&t);
}

static void a_bump_of_the_floor_is_brief(void **state) {
  (void)state;
  body b = ball;
  b.wall[0].gap = "floor: y - exp(-1000000*(x - 1/2)^2)";
  contact_test t;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 1, 0});
  assume(&t, HML_FREE, 0, 0);
  assert_true(stretch_over(&t, 0, 1, false) > 1);
  assert_true(stretch_over(&t, 0.6, 0.7, false) <= 1);
  t.c->closed[0] = false;                                                // in flight its floor gives no force
  hml_contact__changed(t.c);
  assert_true(stretch_over(&t, 0, 1, false) == 0);
  release(&t);
}

// With ranges of its middle only, a slip whose friction may be far larger elsewhere in the step allows no step at all
static void a_blind_look_counts_all_that_is_open(void **state) {
  (void)state;
  body b = ball;
  b.rub[0] = (rub){.slip = "rub: x'", .coefficient = "mu + exp(-1000000*(x - 1/10)^2)", .kind = HML_PRESSED_BY_GAP};
  contact_test t;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 1, 0});
  assume(&t, HML_SLIP, 1, 0);
  assert_true(stretch_over(&t, 0, 1, true) > 1);
  assert_true(stretch_over(&t, 0.6, 0.7, true) <= 1);
  release(&t);
}

// Without bumps no step is too long
static void smooth_forces_are_not_brief(void **state) {
  (void)state;
  contact_test t;
  touch(&t, &ball);
  place(&t, (double[]){0, 0, 1, 0});
  assume(&t, HML_SLIP, 1, 0);
  assert_true(stretch_over(&t, 0, 100, false) <= 1 && stretch_over(&t, 0, 100, true) <= 1);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_bump_within_a_step_is_brief), cmocka_unit_test(a_pulse_of_pressure_is_brief),
                                     cmocka_unit_test(a_bump_of_the_floor_is_brief), cmocka_unit_test(a_blind_look_counts_all_that_is_open),
                                     cmocka_unit_test(smooth_forces_are_not_brief)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
