// problem.c: the frictional problem of prepared rows: who stands where, and its solution for a block, by hand.
#include "bodies.h"

static hml_rub *pose_block(contact_test *t, hml_frictional *p, const double *slip) {
  hml_contact__activate(t->c, 0);
  hml_contact__activate(t->c, 1);
  assert_ok(t->m.c, hml_contact__prepare(t->c, true));
  hml_contact__pose(t->c, t->c->free, p);
  for (size_t i = 0; i < 2; i++) t->c->scales[i] = fabs(t->c->free[i]);
  hml_contact__pose_side(t->c, p, 0, 0);
  return hml_contact__pose_friction(t->c, p, 0, 1, NULL, slip);
}

// arbiter: m g cos presses; static friction 0.4 m g cos < m g sin(0.5) does not hold, friction of slip 0.3 m g cos brakes
static void the_block_on_the_slope(void **state) {
  (void)state;
  for (int steep = 0; steep < 2; steep++) {
    body b = block;
    double tilt = b.system.values[2] = steep ? 0.5 : 0.35, normal = 20 * cos(tilt);
    contact_test t;
    hml_frictional p;
    touch(&t, &b);
    place(&t, (double[]){0, 0, 0, 0});
    hml_rub *f = pose_block(&t, &p, NULL);
    assert_int_equal(f->side, 0);
    assert_int_equal(t.c->rub_of[0], 0);
    assert_near(f->law.coefficient[0], 0.3, 0);
    assert_near(f->rest.coefficient[0], 0.4, 0);
    hml_frictional_result r = hml_frictional__solve(&p);
    assert_true(r.complete && r.motions == 1);
    assert_near(p.z[0], normal, 1e-13);
    assert_near(p.z[1], steep ? -0.3 * normal : -20 * sin(tilt), 1e-13);
    assert_int_equal(f->state, steep ? HML_RUB_SLIPS : HML_RUB_STICKS);
    release(&t);
  }
}

static void static_coefficients_below_those_of_slip_count_as_equal_to_rounding_only(void **state) {
  (void)state;
  for (int i = 0; i < 2; i++) {
    body b = block;
    b.system.values[4] = i ? 0.1 : 0.3 * (1 - 2e-15);
    contact_test t;
    hml_frictional p;
    touch(&t, &b);
    if (i) {
      assert_ok(t.m.c, hml_contacts__set_state(t.c, 0, (double[]){0, 0, 0, 0}));
      assert_int_equal(hml_contact__evaluate(t.c), HML_NO_CONTACT_MODE);
      assert_message(t.m.c, HML_NO_CONTACT_MODE, "its static coefficient is below that of slip at t = 0 (0.1 and 0.3)");
    } else {
      place(&t, (double[]){0, 0, 0, 0});
      assert_near(pose_block(&t, &p, NULL)->rest.coefficient[0], 0.3, 0);
    }
    release(&t);
  }
}

// A slip uphill: friction helps gravity
static void a_slip_that_moves_has_its_force(void **state) {
  (void)state;
  contact_test t;
  hml_frictional p;
  touch(&t, &block);
  place(&t, (double[]){0, 0, -1, 0});
  hml_rub *f = pose_block(&t, &p, hml_contact__velocity(t.c) + 1);
  hml_frictional__solve(&p);
  assert_near(p.z[1], 0.3 * 20 * cos(0.5), 1e-13);
  assert_int_equal(f->state, HML_RUB_SLIPS);
  release(&t);
}

// A friction whose gap is none of the sides presses with nothing; one given by an expression over a time h presses with h N
static void who_presses(void **state) {
  (void)state;
  body b = block;
  b.rub[1] = (rub){.slip = "brake: x'", .coefficient = "mu", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "7"};
  contact_test t;
  hml_frictional p;
  touch(&t, &b);
  place(&t, (double[]){0, 0, 0, 0});
  hml_contact__activate(t.c, 1);
  hml_contact__activate(t.c, 2);
  assert_ok(t.m.c, hml_contact__prepare(t.c, true));
  hml_contact__pose(t.c, t.c->free, &p);
  hml_rub *open = hml_contact__pose_friction(t.c, &p, 0, 0.5, NULL, NULL), *brake = hml_contact__pose_friction(t.c, &p, 1, 0.5, NULL, NULL);
  assert_true(open->side == SIZE_MAX && open->normal.a == 0 && !open->normal.b);
  assert_true(brake->side == SIZE_MAX);
  assert_near(brake->normal.a, 3.5, 0);
  release(&t);
}

// By the sign that it takes from its root on, whatever rounding has left of its value
static void a_normal_force_on_its_root_has_its_side(void **state) {
  (void)state;
  static const double values[] = {-1e-17, 0, 1e-17};
  for (int k = 0; k < 3; k++)
    for (int side = -1; side <= 1; side++) {
      body b = ball;
      b.rub[0].kind = HML_PRESSED_BY_EXPRESSION;
      b.rub[0].normal = "wind";
      b.system.values[4] = values[k];
      contact_test t;
      hml_frictional p;
      touch(&t, &b);
      place(&t, (double[]){0, 1, 0, 0});
      hml_contact__activate(t.c, 1);
      assert_ok(t.m.c, hml_contact__prepare(t.c, true));
      hml_contact__pose(t.c, t.c->free, &p);
      t.c->normal_side[0] = (int8_t)side;
      double normal = hml_contact__pose_friction(t.c, &p, 0, 1, NULL, NULL)->normal.a;
      if (side == 0) assert_near(normal, values[k], 0);
      if (side < 0) assert_near(normal, 0, 0);
      if (side > 0) assert_true(normal > 0 && normal <= 1e-17);
      release(&t);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_block_on_the_slope),
      cmocka_unit_test(static_coefficients_below_those_of_slip_count_as_equal_to_rounding_only),
      cmocka_unit_test(a_slip_that_moves_has_its_force),
      cmocka_unit_test(who_presses),
      cmocka_unit_test(a_normal_force_on_its_root_has_its_side),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
