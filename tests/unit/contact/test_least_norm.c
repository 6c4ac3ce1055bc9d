// least_norm.c: solutions, ranks and free directions against products of known factors, and by hand.
#include "problems.h"

static void linear_systems_of_any_rank(void **state) {
  (void)state;
  for (int trial = 0; trial < 600; trial++) {
    const size_t n = 1 + trial % 7, rank = trial % 3 == 0 ? n : (size_t)trial % (n + 1);
    double left[49], right[49], a[49], whole[49], b[7], side[7], unit[7], x[7], null[49], known[7];
    size_t pivots[7];
    for (size_t i = 0; i < n * n; i++) left[i] = random_number(), right[i] = random_number();
    for (size_t i = 0; i < n; i++) known[i] = random_number(), unit[i] = 0.5 + fabs(random_number());
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) {
        a[i * n + j] = 0;
        for (size_t k = 0; k < rank; k++) a[i * n + j] += left[i * n + k] * right[k * n + j];
      }
    for (size_t i = 0; i < n; i++) side[i] = dot(n, a + i * n, known);
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) whole[i * n + j] = a[i * n + j] * unit[j];
    memcpy(b, side, sizeof b);
    assert_int_equal(hml_contact__least_norm(n, whole, b, unit, x, null, pivots, HML_CONTACT_RANK), rank);
    for (size_t i = 0; i < n; i++) assert_near(dot(n, a + i * n, x), side[i], 1e-9);
    for (size_t d = 0; d < n - rank; d++) {
      assert_near(dot(n, null + d * n, null + d * n), 1, 1e-12);
      assert_near(dot(n, null + d * n, x), 0, 1e-11);
      for (size_t i = 0; i < n; i++) assert_near(dot(n, a + i * n, null + d * n), 0, 1e-9);
    }
  }
}


// x + y = 2, twice: the least |x|, and the direction in which it is free
static void equal_rows_share(void **state) {
  (void)state;
  double a[4] = {1, 1, 1, 1}, b[2] = {2, 2}, x[2], null[4];
  const double unit[2] = {1, 1};
  size_t pivots[2];
  assert_int_equal(hml_contact__least_norm(2, a, b, unit, x, null, pivots, HML_CONTACT_RANK), 1);
  assert_near(x[0], 1, 1e-15);
  assert_near(x[1], 1, 1e-15);
  assert_near(fabs(null[0]), sqrt(0.5), 1e-15);
  assert_near(null[0] + null[1], 0, 1e-15);
}

// The least norm is that of x, not of the unknowns: x = y1, 2 y2 with y1 + 2 y2 = 5 has x = (5/2, 5/2), and (1, 2) would be the least y
static void units_are_those_of_the_answer(void **state) {
  (void)state;
  double a[4] = {1, 2, 2, 4}, b[2] = {5, 10}, x[2], null[4];
  const double unit[2] = {1, 2};
  size_t pivots[2];
  assert_int_equal(hml_contact__least_norm(2, a, b, unit, x, null, pivots, HML_CONTACT_RANK), 1);
  assert_near(x[0], 2.5, 1e-14);
  assert_near(x[1], 2.5, 1e-14);
}

// Nothing is known of x: it is zero, and free in all directions
static void no_equation_leaves_zero(void **state) {
  (void)state;
  double a[9] = {0}, b[3] = {0}, x[3], null[9];
  const double unit[3] = {1, 2, 3};
  size_t pivots[3];
  assert_int_equal(hml_contact__least_norm(3, a, b, unit, x, null, pivots, HML_CONTACT_RANK), 0);
  for (size_t i = 0; i < 3; i++) {
    assert_near(x[i], 0, 0);
    for (size_t j = 0; j < 3; j++) assert_near(dot(3, null + 3 * i, null + 3 * j), i == j, 1e-15);
  }
  assert_int_equal(hml_contact__least_norm(0, a, b, unit, x, null, pivots, HML_CONTACT_RANK), 0);
}

// Pivots below 1e-12 of the first are rounding
static void what_is_rounding_has_no_rank(void **state) {
  (void)state;
  for (int k = 0; k < 2; k++) {
    double a[4] = {0, 1, k ? 1e-11 : 1e-13, 0}, b[2] = {3, k ? 5e-11 : 0}, x[2], null[4];
    const double unit[2] = {1, 1};
    size_t pivots[2];
    assert_int_equal(hml_contact__least_norm(2, a, b, unit, x, null, pivots, HML_CONTACT_RANK), 1 + k);
    assert_near(x[1], 3, 1e-15);
    assert_near(x[0], k ? 5 : 0, 1e-14);
    if (!k) assert_near(fabs(null[0]), 1, 1e-12);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(linear_systems_of_any_rank), cmocka_unit_test(equal_rows_share), cmocka_unit_test(units_are_those_of_the_answer),
                                     cmocka_unit_test(no_equation_leaves_zero), cmocka_unit_test(what_is_rounding_has_no_rank)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
