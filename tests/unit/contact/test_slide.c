// slide.c: caps on steps near rest, the last mile, steps that went too far: by hand for a puck.
#include "bodies.h"

static void open_puck(contact_test *t, const body *b, double vx, double vy) {
  touch(t, b);
  place(t, (double[]){0, 0, 0, vx, vy, 0});
  assume(t, HML_SLIP, 1, 0);
}

static double cap_at(contact_test *t, double vx, double vy, size_t *ends) {
  const double x[] = {0, 0, 0, vx, vy, 0};
  double f[6], most;
  bool changed;
  assert_ok(t->m.c, hml_contacts__rate_at(t->c, 0, x, f));
  assert_ok(t->m.c, hml_contacts__cap(t->c, 0, x, f, &most, ends, &changed));
  assert_false(changed);
  return most;
}

static void slips_in_two_directions_slide(void **state) {
  (void)state;
  contact_test t;
  open_puck(&t, &puck, 1, 0);
  assert_true(hml_contacts__slides(t.c, 0) && hml_contacts__any_slides(t.c));
  t.c->friction_state[0] = HML_STICK;
  assert_false(hml_contacts__any_slides(t.c));
  release(&t);
  touch(&t, &ball);                                                      // one direction: its end is a root
  assume(&t, HML_SLIP, 1, 0);
  assert_false(hml_contacts__any_slides(t.c));
  release(&t);
}

// arbiter: braked by mu g = 4 alone a slip of 5 lasts 5/4; half of that is allowed
static void a_step_ends_half_way_to_rest(void **state) {
  (void)state;
  contact_test t;
  size_t ends;
  open_puck(&t, &puck, 3, 4);
  assert_near(cap_at(&t, 3, 4, &ends), 5.0 / 8, 1e-14);
  assert_true(ends == SIZE_MAX);
  release(&t);
}

// arbiter: a push of 40 across turns the slip of 5 at the rate 40/5; half a radian is allowed
static void a_step_turns_half_a_radian(void **state) {
  (void)state;
  body b = puck;
  b.system.values[3] = 40;
  contact_test t;
  size_t ends;
  open_puck(&t, &b, 5, 0);
  assert_near(cap_at(&t, 5, 0, &ends), 5.0 / 80, 1e-14);
  release(&t);
}

static void a_slip_that_grows_is_free(void **state) {
  (void)state;
  body b = puck;
  b.system.values[2] = 4.1;
  contact_test t;
  size_t ends;
  open_puck(&t, &b, 5, 0);
  assert_true(isinf(cap_at(&t, 5, 0, &ends)));
  assert_true(ends == SIZE_MAX);
  release(&t);
}

// arbiter: the remaining slip r ends after r/(mu g)
static void the_last_mile_leads_to_rest(void **state) {
  (void)state;
  contact_test t;
  size_t ends;
  double r = 1e-12;
  open_puck(&t, &puck, 1, 0);
  cap_at(&t, 1, 0, &ends);
  assert_near(cap_at(&t, 0.6 * r, 0.8 * r, &ends) / (r / 4), 1, 1e-9);
  assert_int_equal(ends, 0);
  release(&t);
}

static size_t strays_to(contact_test *t, double vx, double vy) {
  size_t which, ends;
  cap_at(t, 3, 4, &ends);
  assert_ok(t->m.c, hml_contacts__strays(t->c, 0, (double[]){0, 0, 0, vx, vy, 0}, &which));
  return which;
}

// arbiter: less than a quarter of the slip is left, or it has turned by more than 60 degrees
static void steps_that_went_too_far_are_found(void **state) {
  (void)state;
  contact_test t;
  open_puck(&t, &puck, 3, 4);
  assert_true(strays_to(&t, 0.26 * 3, 0.26 * 4) == SIZE_MAX);
  assert_int_equal(strays_to(&t, 0.24 * 3, 0.24 * 4), 0);
  for (int k = -1; k <= 1; k += 2) {
    double c = cos(59 * PI / 180), s = k * sin(59 * PI / 180);
    assert_true(strays_to(&t, 3 * c - 4 * s, 3 * s + 4 * c) == SIZE_MAX);
    c = cos(61 * PI / 180), s = k * sin(61 * PI / 180);
    assert_int_equal(strays_to(&t, 3 * c - 4 * s, 3 * s + 4 * c), 0);
  }
  assert_int_equal(strays_to(&t, -3, -4), 0);
  release(&t);
}

// arbiter: from rest under the push p the slip goes along p with |p| - mu g; a slip as young as that keeps this direction
static void a_young_slip_has_its_limit_direction(void **state) {
  (void)state;
  body b = puck;
  b.system.values[2] = 3;
  b.system.values[3] = 4;
  contact_test t;
  double x[6] = {0}, a[3];
  touch(&t, &b);
  assert_ok(t.m.c, hml_contacts__start(t.c, 0, x));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
  assert_true(t.c->young[0]);
  // rounding errors of a first step across the direction do not turn the force
  assert_ok(t.m.c, hml_contacts__set_state(t.c, 1e-9, (double[]){0, 0, 0, 1e-10, 0, 0}));
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, NULL));
  assert_near(a[0], 0.6, 1e-12);
  assert_near(a[1], 0.8, 1e-12);
  release(&t);
}

// A slip that another one's last mile has taken along is over at 1e-6 of what it was, with a spot by (s, R w) in one unit
static void a_slip_that_ends_with_another_is_over(void **state) {
  (void)state;
  static const body spinner = {.system = {.coordinates = "x y z phi", .parameters = "g mu", .values = {10, 0.4},
                                       .kinetic = "(x'^2 + y'^2 + z'^2 + phi'^2/1000)/2", .potential = "g*z"},
                            .wall = {{.gap = "table: z"}},
                            .rub = {{.slip = "rub: x'", .more = {"y'", "phi'"}, .coefficient = "mu", .law = "hertz", .radius = "1/1000", .kind = HML_PRESSED_BY_GAP}}};
  for (int k = 0; k < 2; k++) {
    contact_test t;
    const size_t n = k ? 4 : 3, moving = k ? 7 : 3;
    double x[8] = {0}, f[8], most;
    size_t ends;
    bool changed;
    touch(&t, k ? &spinner : &puck);
    x[moving] = 2;
    place(&t, x);
    assume(&t, HML_SLIP, k == 0, 0);
    t.c->direction[2] = k;
    assert_ok(t.m.c, hml_contacts__rate_at(t.c, 0, x, f));
    assert_ok(t.m.c, hml_contacts__cap(t.c, 0, x, f, &most, &ends, &changed));
    assert_near(f[n + 2], 0, 1e-12);                                     // it stays on the table
    const double left[] = {1.9e-6, 2.1e-6};
    for (int over = 0; over < 2; over++) {
      x[moving] = left[1 - over];
      place(&t, x);
      assert_int_equal(hml_contact__slip_is_over(t.c, 0), over);
    }
    t.c->friction_state[0] = HML_STICK;
    assert_false(hml_contact__slip_is_over(t.c, 0));
    release(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slips_in_two_directions_slide),
      cmocka_unit_test(a_step_ends_half_way_to_rest),
      cmocka_unit_test(a_step_turns_half_a_radian),
      cmocka_unit_test(a_slip_that_grows_is_free),
      cmocka_unit_test(the_last_mile_leads_to_rest),
      cmocka_unit_test(steps_that_went_too_far_are_found),
      cmocka_unit_test(a_young_slip_has_its_limit_direction),
      cmocka_unit_test(a_slip_that_ends_with_another_is_over),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
