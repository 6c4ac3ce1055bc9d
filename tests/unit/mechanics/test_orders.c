// tests src/mechanics/orders.c: other orders of elimination where that of the model fails; arbiter: the general solve
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

// One entry of the row vanishes where z = 21/2, the row does not. Samples lie in -pi ... pi
static const lagrange guide = {.coordinates = "x y z u", .kinetic = "(x'^2 + y'^2 + z'^2 + (u' + cos(z)*x')^2)/2", .potential = "x - 2*y",
                               .nonholonomic = {"guide: (z - 10)*x' + (z - 21/2)*y'"}, .graph = 1};
// The row itself vanishes where z = 10
static const lagrange lost = {.coordinates = "x y z", .kinetic = "(x'^2 + y'^2 + z'^2)/2", .potential = "x - 2*y",
                              .nonholonomic = {"lost: (z - 10)*x' + (2*z - 20)*y'"}, .graph = 1};

static void draw(uint64_t *seed, double z, double *x) {
  for (int i = 0; i < 8; i++) x[i] = -1 + 2 * ((double)((*seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407) >> 33) / 2147483648.0);
  x[2] = z;
}

// The rate at (0, x), and whether another order gave it
static bool rate(mechanics *m, const double *x, double *out) {
  const size_t before = hml_workspace__reordered(m->w);
  assert_ok(m->c, hml_workspace__rate(m->w, 0, x, out));
  return hml_workspace__reordered(m->w) > before;
}

static void an_order_is_made_where_it_pays(void **state) {
  (void)state;
  mechanics m = build(&guide), other = build(&guide);
  uint64_t seed = 1;
  double x[9] = {0}, mine[9], general[9], bad = 10, good = 10.5;
  for (int i = 0; i < 100; i++) {                                          // which entry the order of the model divides by
    draw(&seed, i % 2 ? 10 : 10.5, x);
    rate(&m, x, mine);
  }
  assert_int_equal(hml_workspace__reordered(m.w), 0);                      // no run: no other orders
  assert_true(hml_workspace__handed_over(m.w) > 0);
  const size_t ten = hml_workspace__handed_over(m.w);
  draw(&seed, 10, x);
  rate(&m, x, mine);
  if (hml_workspace__handed_over(m.w) == ten) bad = 10.5, good = 10;
  assert_false(hml_workspace__reorder(m.w, true));
  int states = 0;
  for (bool taken = false; !taken; states++) {
    assert_true(states < 5000);
    draw(&seed, bad, x);
    taken = rate(&m, x, mine);
    rate(&other, x, general);
    for (size_t i = 0; i < 8; i++) check_near(mine[i], general[i], 1e-12);
  }
  assert_true(states > 10);
  const size_t handed = hml_workspace__handed_over(m.w);
  for (int i = 0; i < 50; i++) {
    draw(&seed, bad, x);
    assert_true(rate(&m, x, mine));
    rate(&other, x, general);
    for (size_t i2 = 0; i2 < 8; i2++) check_near(mine[i2], general[i2], 1e-12);
    draw(&seed, good, x);
    assert_false(rate(&m, x, mine));                                       // the order of the model is the first
  }
  assert_int_equal(hml_workspace__handed_over(m.w), handed);
  assert_true(hml_workspace__reorder(m.w, false));
  draw(&seed, bad, x);
  assert_false(rate(&m, x, mine));                                         // the next run begins anew
  demolish(&m);
  demolish(&other);
}

// The same states give the same bits, whatever the workspace did before
static void runs_depend_on_their_own_states(void **state) {
  (void)state;
  mechanics m = build(&guide), fresh = build(&guide);
  double x[9] = {0}, mine[9], other[9];
  uint64_t first = 7;
  hml_workspace__reorder(m.w, true);
  for (int i = 0; i < 6000; i++) draw(&first, i % 2 ? 10 : 10.5, x), rate(&m, x, mine);
  hml_workspace__reorder(m.w, false);
  hml_workspace__reorder(m.w, true);
  hml_workspace__reorder(fresh.w, true);
  uint64_t one = 9, two = 9;
  for (int i = 0; i < 6000; i++) {
    draw(&one, 10 + 0.5 * (i % 3), x);
    const bool a = rate(&m, x, mine);
    draw(&two, 10 + 0.5 * (i % 3), x);
    assert_int_equal(a, rate(&fresh, x, other));
    assert_memory_equal(mine, other, 8 * sizeof *mine);
  }
  assert_true(hml_workspace__reordered(fresh.w) > 0);
  demolish(&m);
  demolish(&fresh);
}

static void no_order_holds_at_a_singular_place(void **state) {
  (void)state;
  mechanics m = build(&lost);
  double x[7] = {0.1, 0.2, 10, 0.3, -0.2, 0}, out[7];
  hml_workspace__reorder(m.w, true);
  for (int i = 0; i < 4000; i++) assert_int_equal(hml_workspace__rate(m.w, 0, x, out), HML_DEPENDENT_CONSTRAINTS), hml_context_clear_error(m.c);
  assert_int_equal(hml_workspace__reordered(m.w), 0);
  assert_true(m.w->orders.failures > 0 && m.w->orders.failures < 8);
  x[2] = 9;
  assert_ok(m.c, hml_workspace__rate(m.w, 0, x, out));
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(an_order_is_made_where_it_pays), cmocka_unit_test(runs_depend_on_their_own_states),
                                     cmocka_unit_test(no_order_holds_at_a_singular_place)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
