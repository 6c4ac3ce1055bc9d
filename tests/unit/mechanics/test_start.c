// start.c: free entries are solved from the constraints; what contradicts or is not determined is named.
#include "lagrange.h"

static hml_status complete(mechanics *m, const char *known, double *x) {
  unsigned char flags[2 * MOST];
  for (size_t i = 0; known[i]; i++) flags[i] = known[i] == '1';
  return hml_complete_start(m->w, 0, flags, 1e-9, x);
}

static const lagrange cone = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2",
                              .nonholonomic = {"cone: z' - sqrt(x'^2 + y'^2)"}};

// arbiter: by hand
static void linear_constraints_are_solved(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double x[] = {0, 0, 0.5, 1, NAN, 0.3};
  assert_ok(m.c, complete(&m, "111101", x));
  assert_near(x[4], tan(0.5), 1e-15);
  assert_near(x[3], 1, 0);
  demolish(&m);
  m = build(&disc);
  double y[] = {0, 0, 0.5, 0, 7, 7, 1, 2};
  assert_ok(m.c, complete(&m, "11110011", y));
  assert_near(y[4], 0.6 * cos(0.5), 1e-15);
  assert_near(y[5], 0.6 * sin(0.5), 1e-15);
  demolish(&m);
}

// arbiter: by hand; the derivative does not exist at the guess zero, or vanishes there
static void nonlinear_constraints_are_solved(void **state) {
  (void)state;
  mechanics m = build(&cone);
  double x[] = {0, 0, 0, 3, 1e-3, 5}, y[] = {0, 0, 0, 3, 4, 0}, z[] = {0, 0, 0, 1e-3, 0, 5};
  assert_ok(m.c, complete(&m, "111101", x));
  assert_near(x[4], 4, 1e-14);
  assert_ok(m.c, complete(&m, "111110", y));
  assert_near(y[5], 5, 1e-15);
  assert_ok(m.c, complete(&m, "111011", z));
  assert_near(z[3], 5, 1e-14);
  // the guess decides between two answers
  x[4] = -1;
  assert_ok(m.c, complete(&m, "111101", x));
  assert_near(x[4], -4, 1e-14);
  // no guess, no decision
  x[4] = 0;
  assert_int_equal(complete(&m, "111101", x), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "start: the constraints leave a choice, y' = 4 or -4; give v.y");
  demolish(&m);
}

// arbiter: by hand; first the positions, then the velocities
static void positions_are_completed(void **state) {
  (void)state;
  mechanics m = build(&pendulum);
  double x[] = {0.42, -1, NAN, 0.3};
  assert_ok(m.c, complete(&m, "1001", x));
  assert_near(x[1], -0.56, 1e-15);
  assert_near(x[2], 0.56 * 0.3 / 0.42, 1e-14);
  // at the guess zero the derivative vanishes
  x[1] = 0;
  assert_ok(m.c, complete(&m, "1001", x));
  assert_near(x[1], 0.56, 1e-15);
  demolish(&m);
}

// four bars: crank, coupler and rocker of a linkage on the base line; arbiter: the closure itself
static void linkages_are_closed(void **state) {
  (void)state;
  lagrange l = {.coordinates = "a b c", .kinetic = "(a'^2 + b'^2 + c'^2)/2",
                .holonomic = {"loop x: cos(a) + 3*cos(b) - 5/2*cos(c) - 2", "loop y: sin(a) + 3*sin(b) - 5/2*sin(c)"}};
  mechanics m = build(&l);
  double x[] = {0.9, 0, 0, 1, 0, 0}, g[2], f[2];
  assert_ok(m.c, complete(&m, "100100", x));
  assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
  assert_ok(m.c, hml_residuals(m.w, g, f));
  for (int i = 0; i < 2; i++) assert_near(fabs(g[i]) + fabs(f[i]), 0, 1e-14);
  assert_near(x[0], 0.9, 0);
  assert_near(x[3], 1, 0);
  demolish(&m);
}

static void inconsistent_starts_are_named(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double x[] = {0, 0, 0.5, 1, 0.2, 0.3}, keep[6];
  memcpy(keep, x, sizeof x);
  assert_int_equal(complete(&m, "111111", x), HML_INCONSISTENT_START);
  assert_message(m.c, HML_INCONSISTENT_START, "start is inconsistent: 'blade' is violated by 0.304 at t = 0 by the given x' and y'; "
                                                "remove v.x or v.y, which is then computed from the constraints");
  assert_memory_equal(x, keep, sizeof x);
  x[4] = tan(0.5) * (1 + 1e-12);
  assert_ok(m.c, complete(&m, "111111", x));
  demolish(&m);
  m = build(&pendulum);
  double y[] = {0.8, 0, 0, 0};
  assert_int_equal(complete(&m, "1011", y), HML_INCONSISTENT_START);
  assert_message(m.c, HML_INCONSISTENT_START, "'rod' is violated by 0.15 at t = 0 by the given x; no value of y was found that satisfies it: give it, or give other values");
  demolish(&m);
  m = build(&cone);
  double z[] = {0, 0, 0, 5, 0, 3};
  assert_int_equal(complete(&m, "111101", z), HML_INCONSISTENT_START);
  assert_message(m.c, HML_INCONSISTENT_START, "'cone' is violated by 2 at t = 0 by the given x' and z'; no value of y' was found that satisfies it: give it, or give other values");
  demolish(&m);
}

static void what_is_not_determined_is_named(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double x[] = {0, 0, 0.5, 0, 0, 0.3};
  assert_int_equal(complete(&m, "111001", x), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "the constraints do not determine x' and y'; give 1 of them");
  assert_int_equal(complete(&m, "111100", x), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "the constraints do not determine theta'; give it");
  assert_int_equal(complete(&m, "110111", x), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "the constraints do not determine theta; give it");
  demolish(&m);
  m = build(&pendulum);
  double y[] = {0.5, 0.5, 0, 0};
  assert_int_equal(complete(&m, "0011", y), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "the constraints do not determine x and y; give 1 of them");
  demolish(&m);
}

// sin(pi) is not 0 in floating point: rounding is no inconsistency
static void rounding_is_no_inconsistency(void **state) {
  (void)state;
  mechanics m = build(&sleigh);
  double x[] = {0, 0, acos(-1), 1, 0, 0};
  assert_ok(m.c, complete(&m, "111111", x));
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(linear_constraints_are_solved), cmocka_unit_test(nonlinear_constraints_are_solved),
      cmocka_unit_test(positions_are_completed), cmocka_unit_test(linkages_are_closed), cmocka_unit_test(inconsistent_starts_are_named),
      cmocka_unit_test(what_is_not_determined_is_named), cmocka_unit_test(rounding_is_no_inconsistency)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
