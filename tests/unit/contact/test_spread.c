// spread.c: how far guards may differ in a box, against values at places in it.
#include "bodies.h"

// A block on a table that trembles, with a guide across whose pressure is given; forces with bumps, so that boxes of states count
static const body trembling = {
    .system = {.coordinates = "x y z", .parameters = "m g mu rest", .values = {2, 10, 0.3, 0.4}, .kinetic = "m/2*(x'^2 + y'^2 + z'^2) + x'*y'/5",
               .forces = {"3*exp(-x^2)*sin(7*t) + x'", "-m*g*(1 + 0.3*sin(5*t)) + exp(-x^2)*x'", "t"}},
    .wall = {{.gap = "table: y", .law = HML_MOREAU}},
    .rub = {{.slip = "rub: x'", .coefficient = "mu*(1 + exp(-x^2)/2)", .at_rest = "rest*(1 + exp(-x^2)/2)", .kind = HML_PRESSED_BY_GAP},
            {.slip = "guide: z'", .coefficient = "mu", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "1 + 0.2*x*sin(9*t)"}}};

static void guards_stay_within_their_spread(void **state) {
  (void)state;
  contact_test t;
  size_t counted = 0;
  touch(&t, &trembling);
  for (int draw = 0; draw < 200; draw++) {
    double x[6], place_in[6], here[5], there[5], spreads[5], time = 3 * random_number(), size = 0.05 * pow(10, -2 * fabs(random_number()));
    hml_range box[7] = {{time - size, time + size}};
    bool known;
    for (size_t i = 0; i < 6; i++) {
      x[i] = random_number();
      box[1 + i] = (hml_range){x[i] - size, x[i] + size};
    }
    assume(&t, draw % 2 ? HML_STICK : HML_SLIP, 1, 0);
    t.c->friction_state[1] = draw % 3 ? HML_SLIP : HML_STICK;
    t.c->direction[3] = 1;
    assert_ok(t.m.c, hml_contacts__set_state(t.c, time, x));
    assert_ok(t.m.c, hml_contacts__guards(t.c, here, here + 1, here + 3));
    assert_ok(t.m.c, hml_contacts__spread(t.c, box, spreads, spreads + 1, spreads + 3, &known));
    if (!known) continue;
    for (int k = 0; k < 40; k++) {
      double at = time + size * random_number();
      for (size_t i = 0; i < 6; i++) place_in[i] = x[i] + size * random_number();
      assert_ok(t.m.c, hml_contacts__set_state(t.c, at, place_in));
      assert_ok(t.m.c, hml_contacts__guards(t.c, there, there + 1, there + 3));
      for (size_t g = 0; g < 5; g++) {
        if ((g == 1 || g == 2) && t.c->friction_state[g - 1] == HML_SLIP) continue;   // a slip is its velocity
        if (spreads[g] == 0) continue;                                   // too little to count
        counted++;
        if (fabs(there[g] - here[g]) > spreads[g]) fail_msg("guard %zu differs by %g in a box where %g is the most", g, fabs(there[g] - here[g]), spreads[g]);
      }
    }
  }
  assert_true(counted > 10000);
  release(&t);
}

// An open gap and a slip pressed by a gap have values of their own
static void what_is_its_own_value_has_no_spread(void **state) {
  (void)state;
  contact_test t;
  double spreads[3] = {1, 1, 1};
  const hml_range box[5] = {{0, 1}, {0, 1}, {0, 1}, {0, 1}, {0, 1}};
  bool known = false;
  touch(&t, &ball);
  place(&t, (double[]){0, 1, 0, 0});
  assert_ok(t.m.c, hml_contacts__spread(t.c, box, spreads, spreads + 1, spreads + 2, &known));
  assert_true(known && spreads[0] == 0 && spreads[1] == 0 && spreads[2] == 0);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(guards_stay_within_their_spread), cmocka_unit_test(what_is_its_own_value_has_no_spread)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
