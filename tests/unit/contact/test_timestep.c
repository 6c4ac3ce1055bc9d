// timestep.c: one step of Moreau and Jean, by hand: v+ = v + h a + X P.
#include "bodies.h"

static hml_step_report report;

static void step(contact_test *t, const double *x, double h, double *v) {
  place(t, x);
  assert_ok(t->m.c, hml_contacts__step(t->c, h, v, INFINITY, &report));
  assert_near(report.unsettled, 0, 0);
}

static void an_open_gap_does_nothing(void **state) {
  (void)state;
  contact_test t;
  double v[] = {1, 2};
  touch(&t, &ball);
  step(&t, (double[]){0, 0.5, 1, 2}, 0.1, v);
  assert_near(v[0], 1, 0);
  assert_near(v[1], 1, 1e-15);
  assert_near(report.impulses[0], 0, 0);
  assert_true(report.strikes == SIZE_MAX);
  release(&t);
}

// arbiter: P = m (h g + (1 + e) |u|), and friction mu P or what ends the slip
static void the_ball_strikes(void **state) {
  (void)state;
  for (int rough = 0; rough < 2; rough++) {
    body b = ball;
    double mu = b.system.values[3] = rough ? 2 : 0.1, h = 1e-3, v[] = {3, -4}, p = 2 * (h * 10 + 1.5 * 4);
    contact_test t;
    touch(&t, &b);
    step(&t, (double[]){0, -0.002, 3, -4}, h, v);
    assert_near(v[1], 2, 1e-13);
    assert_near(v[0], rough ? 0 : 3 - mu * p / 2, 1e-13);
    assert_near(report.impulses[0], p, 1e-12);
    assert_near(report.impulses[1], rough ? -6 : -mu * p, 1e-12);
    assert_int_equal(report.strikes, 0);
    assert_near(report.lowest, -0.002, 0);
    // kinetic energy plus that of the weight along the mean velocity: the impulses' work
    double change = v[0] * v[0] + v[1] * v[1] - 25 + 2 * 10 * h * (v[1] - 4) / 2;
    assert_near(report.work, change, 1e-12);
    release(&t);
  }
}

// arbiter: on the slope, v + h g (sin - mu cos); below the angle of friction (of slip: that decides here) it stays
static void the_block_slides_or_stays(void **state) {
  (void)state;
  for (int steep = 0; steep < 2; steep++) {
    body b = block;
    double tilt = b.system.values[2] = steep ? 0.5 : 0.2, h = 0.01, v[] = {0, 0};
    contact_test t;
    touch(&t, &b);
    step(&t, (double[]){0, -1e-9, 0, 0}, h, v);
    assert_near(v[0], steep ? h * 10 * (sin(tilt) - 0.3 * cos(tilt)) : 0, 1e-15);
    assert_near(v[1], 0, 1e-15);
    assert_near(report.impulses[0], h * 20 * cos(tilt), 1e-14);
    assert_true(report.strikes == SIZE_MAX);
    release(&t);
  }
}

// arbiter: the puck is pushed across its slip: the friction points against the slip after the step
static void friction_is_against_the_slip_after_the_step(void **state) {
  (void)state;
  body b = puck;
  b.system.values[3] = 30;
  double h = 0.05, v[] = {1, 0, 0};
  contact_test t;
  touch(&t, &b);
  step(&t, (double[]){0, 0, -1e-9, 1, 0, 0}, h, v);
  // v+ + h mu g v+/|v+| = (1, h 30): along the same ray, shorter by h mu g
  double free = hypot(1, h * 30), left = free - h * 4;
  assert_near(v[0], left / free, 1e-13);
  assert_near(v[1], left * h * 30 / free, 1e-13);
  release(&t);
}

// arbiter: three balls that touch, elastic: as by the blow of Moreau's law
static void the_cradle(void **state) {
  (void)state;
  contact_test t;
  double v[] = {1, 0, 0};
  touch(&t, &cradle);
  step(&t, (double[]){0, 0, 0, 1, 0, 0}, 1e-3, v);
  assert_near(v[0], -1.0 / 3, 1e-12);
  assert_near(v[1], 2.0 / 3, 1e-12);
  assert_near(v[2], 2.0 / 3, 1e-12);
  release(&t);
}

// arbiter: a friction pressed by a two-sided constraint has h times its multiplier, m g; a given normal force h times itself
static void multipliers_and_given_forces_press_over_the_step(void **state) {
  (void)state;
  const body b = {.system = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2", .potential = "10*z", .holonomic = {"plane: z"}},
                  .rub = {{.slip = "held: x'", .coefficient = "1/2", .kind = HML_PRESSED_BY_MULTIPLIER},
                          {.slip = "given: y'", .coefficient = "1/2", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "4"}}};
  double h = 0.01, v[] = {1, -1, 0};
  contact_test t;
  touch(&t, &b);
  step(&t, (double[]){0, 0, 0, 1, -1, 0}, h, v);
  assert_near(v[0], 1 - h * 5, 1e-14);
  assert_near(v[1], -1 + h * 2, 1e-14);
  assert_near(report.multipliers[0], h * 10, 1e-14);
  release(&t);
}

// Painleve's rod, where no acceleration is consistent, has a step: the tip stops
static void painleves_rod_has_a_step(void **state) {
  (void)state;
  double phi = 0.9, s = sin(phi), k = cos(phi), v[] = {-5, 0, 0};
  contact_test t;
  touch(&t, &rod);
  step(&t, (double[]){0, s, phi, -5, 0, 0}, 1e-3, v);
  assert_near(v[1] - k * v[2], 0, 1e-9);
  assert_near(v[0] + s * v[2], 0, 1e-9);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_open_gap_does_nothing),
      cmocka_unit_test(the_ball_strikes),
      cmocka_unit_test(the_block_slides_or_stays),
      cmocka_unit_test(friction_is_against_the_slip_after_the_step),
      cmocka_unit_test(the_cradle),
      cmocka_unit_test(multipliers_and_given_forces_press_over_the_step),
      cmocka_unit_test(painleves_rod_has_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
