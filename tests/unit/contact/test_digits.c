// digits.c: what rounding of reactions leaves uncertain, by hand.
#include "bodies.h"

#include <float.h>

// The floor takes up what presses the block, and no rounding of that moves it along the floor
static void a_floor_takes_up_its_own_rounding(void **state) {
  (void)state;
  for (int sticks = 0; sticks < 2; sticks++) {
    contact_test t;
    hml_uncertain found;
    const double x[] = {0.7, 0, sticks ? 0 : 1, 0};
    body b = block;
    b.system.values[1] = 1e13;
    b.system.values[2] = 0.2;
    touch(&t, &b);
    place(&t, x);
    assume(&t, sticks ? HML_STICK : HML_SLIP, 1, 0);
    assert_ok(t.m.c, hml_contacts__digits(t.c, 0, x, 1e-9, 1e-9, &found));
    assert_near(found.part, 0, 0);
    assert_true(isinf(found.span));
    release(&t);
  }
}

// Arbiter: at the angle 0.5 a ball at rest is accelerated by 10 sin(0.5) along the bowl; the bowl takes up the pressing force k, of whose components in x and y one
// rounding each leaves up to 2 DBL_EPSILON k sin(0.5) cos(0.5) along it. The largest component is that along x
static void a_bowl_leaves_rounding_along_it(void **state) {
  (void)state;
  static const body bowl = {.system = {.coordinates = "x y", .parameters = "k", .values = {0}, .kinetic = "(x'^2 + y'^2)/2", .forces = {"k*x", "k*y - 10"}},
                            .wall = {{.gap = "bowl: 1 - x^2 - y^2"}}};
  const double x[] = {sin(0.5), -cos(0.5), 0, 0}, along = sin(0.5) * cos(0.5);
  for (double k = 1; k < 1e13; k *= 1e3) {
    contact_test t;
    hml_uncertain found;
    body b = bowl;
    b.system.values[0] = k;
    touch(&t, &b);
    place(&t, x);
    t.c->closed[0] = true;
    assert_ok(t.m.c, hml_contacts__digits(t.c, 0, x, 1e-6, 1e-3, &found));
    const double error = found.part * 10 * along, most = 2 * DBL_EPSILON * k * along * cos(0.5);
    if (k < 1e6) {
      assert_near(found.part, 0, 0);
    } else if (k > 1e8) {
      assert_true(error > 0.9 * most && error < 1.1 * most);
      assert_near(found.span * error, 1e-3 + 1e-6 * cos(0.5), 1e-6);
    }
    t.c->closed[0] = false;
    assert_ok(t.m.c, hml_contacts__digits(t.c, 0, x, 1e-6, 1e-3, &found));
    assert_near(found.part, 0, 0);
    release(&t);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_floor_takes_up_its_own_rounding),
      cmocka_unit_test(a_bowl_leaves_rounding_along_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
