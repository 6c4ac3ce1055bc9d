// settle.c: sweeps and Newton's method against linear systems solved by hand and against all combinations of sides.
#include "problems.h"

// Gauss with partial pivoting, of the rows marked; the others are zero
static bool solve_marked(const box *b, unsigned marks, double *z) {
  double a[8][9];
  size_t rows[8], n = 0;
  for (size_t i = 0; i < b->p.k; i++) {
    z[i] = 0;
    if (marks >> i & 1) rows[n++] = i;
  }
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) a[i][j] = b->g[rows[i] * b->p.k + rows[j]];
    a[i][n] = b->side[rows[i]].target - b->free[rows[i]];
  }
  for (size_t p = 0; p < n; p++) {
    size_t best = p;
    for (size_t i = p; i < n; i++)
      if (fabs(a[i][p]) > fabs(a[best][p])) best = i;
    for (size_t j = 0; j <= n; j++) {
      double keep = a[p][j];
      a[p][j] = a[best][j];
      a[best][j] = keep;
    }
    if (a[p][p] == 0) return false;
    for (size_t i = 0; i < n; i++) {
      double factor = i == p ? 0 : a[i][p] / a[p][p];
      for (size_t j = p; j <= n; j++) a[i][j] -= factor * a[p][j];
    }
  }
  for (size_t i = 0; i < n; i++) z[rows[i]] = a[i][n] / a[i][i];
  return true;
}

static unsigned right_marks(const box *b, double *z) {
  for (unsigned marks = 0; marks < 1u << b->p.k; marks++) {
    bool fits = solve_marked(b, marks, z);
    for (size_t i = 0; i < b->p.k && fits; i++) fits = z[i] >= -1e-12 && after(b, z, i) >= b->side[i].target - 1e-12;
    if (fits) return marks;
  }
  fail_msg("no combination of sides fits");
  return 0;
}

// Some of the matrices are nearly singular: the sweeps are slow there
static void sides_against_all_combinations(void **state) {
  (void)state;
  size_t newton = 0;
  for (int trial = 0; trial < 400; trial++) {
    const size_t n = 1 + trial % 6;
    const double floors[] = {1, 1e-2, 1e-6};
    double z[8];
    box *b = empty(n);
    random_positive(n, floors[trial % 3], b->g);
    for (size_t i = 0; i < n; i++) b->free[i] = random_number(), add_side(b, i, trial % 2 ? 0.5 * random_number() : 0);
    const unsigned marks = right_marks(b, z);
    hml_frictional_result r = hml_frictional__settle(&b->p);
    assert_true(r.way == HML_FRICTIONAL_SWEPT || r.way == HML_FRICTIONAL_NEWTON);
    newton += r.way == HML_FRICTIONAL_NEWTON;
    for (size_t i = 0; i < n; i++) {
      assert_near(after(b, b->z, i), after(b, z, i), 1e-9);
      if (z[i] > 1e-6) assert_true(b->side[i].closed && marks >> i & 1);
      if (after(b, z, i) > b->side[i].target + 1e-6) assert_false(b->side[i].closed);
    }
  }
  assert_true(newton > 10);
}

// Rows that do not act on each other: one sweep, seen at the first look after five
static void uncoupled_rows_need_one_sweep(void **state) {
  (void)state;
  box *b = empty(5);
  for (size_t i = 0; i < 5; i++) b->g[6 * i] = 1 + (double)i;
  b->free[0] = -3, b->free[1] = 4, b->free[2] = -6, b->free[3] = 20, b->free[4] = 1;
  add_side(b, 0, 0);                                                     // z = 3
  add_side(b, 1, 0);                                                     // leaves with 4
  b->demand[b->p.n_demands++] = (hml_demand){2, 3};                      // z = 3
  add_rub(b, 3, 0, coulomb(1, 0.5));                                     // slips: z = -1.5, u = 20 - 4 * 1.5
  add_rub(b, 4, 1, coulomb(1, 0.5));                                     // nothing presses
  hml_frictional_result r = hml_frictional__settle(&b->p);
  assert_true(r.way == HML_FRICTIONAL_SWEPT && r.sweeps == 5 && r.residual == 0);
  const double z[] = {3, 0, 3, -1.5, 0};
  for (size_t i = 0; i < 5; i++) assert_near(b->z[i], z[i], 1e-15);
  assert_near(after(b, b->z, 3), 14, 1e-14);
  assert_true(b->side[0].closed && !b->side[1].closed);
  assert_true(b->rub[0].state == HML_RUB_SLIPS && b->rub[1].state == HML_RUB_FREE);
  assert_near(b->rub[0].pressing, 3, 1e-15);
}

// Friction whose direction turns: unit masses, N = 10 by number, mu = 0.5, pulled by (9, 12): slips by (6, 8) along it
static void slip_takes_the_direction_of_the_pull(void **state) {
  (void)state;
  box *b = empty(2);
  b->g[0] = b->g[3] = 1;
  b->free[0] = 9, b->free[1] = 12;
  add_rub(b, 0, SIZE_MAX, coulomb(2, 0.5))->normal.a = 10;
  hml_frictional_result r = hml_frictional__settle(&b->p);
  assert_true(r.residual < 1e-13 && b->rub[0].state == HML_RUB_SLIPS);
  assert_near(after(b, b->z, 0), 6, 1e-12);
  assert_near(after(b, b->z, 1), 8, 1e-12);
  b->free[0] = 3, b->free[1] = -4;                                       // at the very limit it still holds
  r = hml_frictional__settle(&b->p);
  assert_true(r.residual < 1e-12 && b->rub[0].state == HML_RUB_STICKS);
  assert_near(b->z[0], -3, 1e-11);
  assert_near(b->z[1], 4, 1e-11);
}

// A side that must not close, and one with neither reaction nor velocity, which stays closed
static void sides_that_touch(void **state) {
  (void)state;
  box *b = empty(2);
  b->g[0] = b->g[3] = 1;
  b->free[0] = -1;
  add_side(b, 0, 0);
  add_side(b, 1, 0);
  assert_true(hml_frictional__settle(&b->p).residual == 0 && b->side[0].closed && b->side[1].closed);
  b->side[0].stays_open = true;
  assert_true(hml_frictional__settle(&b->p).way == HML_FRICTIONAL_UNSOLVED);
  assert_near(b->z[0], 0, 0);
}

// The rod of Painleve without a solution (G < 0 in slip, free acceleration -10): what is left is reported with its row
static void what_has_no_solution_is_not_settled(void **state) {
  (void)state;
  const double s = sin(1), c = cos(1);
  box *b = empty(2);
  b->g[0] = 1 + 3 * c * c;
  b->g[1] = b->g[2] = -3 * s * c;
  b->g[3] = 1 + 3 * s * s;
  b->free[0] = -10;
  b->slip[0] = -3;
  add_side(b, 0, 0);
  add_rub(b, 1, 0, coulomb(1, 2))->slip = b->slip;
  hml_frictional_result r = hml_frictional__settle(&b->p);
  assert_true(r.way == HML_FRICTIONAL_UNSOLVED && r.residual > 1e-3 && r.motions == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(sides_against_all_combinations), cmocka_unit_test(uncoupled_rows_need_one_sweep),
                                     cmocka_unit_test(slip_takes_the_direction_of_the_pull), cmocka_unit_test(sides_that_touch),
                                     cmocka_unit_test(what_has_no_solution_is_not_settled)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
