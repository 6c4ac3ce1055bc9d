// dense.c: factorisations on random matrices; arbiter: the product with the answer.
#include "numeric/numeric.h"
#include "support.h"

static double small_number(void) {
  return random_number() / 2;
}

// M = B B^T + 1 with zeros left of the envelope
static void envelopes_are_factored(void **state) {
  (void)state;
  for (size_t n = 1; n <= 12; n++) {
    double m[78], l[78], inverse[12], x[12], b[12];
    size_t first[12];
    for (size_t i = 0; i < n; i++) {
      first[i] = i - (size_t)((small_number() + 0.5) * (double)(i + 1));
      for (size_t j = 0; j <= i; j++) m[i * (i + 1) / 2 + j] = j < first[i] ? 0 : j == i ? 7 : small_number();
      b[i] = x[i] = small_number();
    }
    assert_true(hml_dense__factor(n, m, first, HML_PIVOT_FLOOR, l, inverse));
    hml_dense__forward(n, l, first, 0, x);
    for (size_t i = 0; i < n; i++) x[i] *= inverse[i];
    hml_dense__backward(n, l, first, x);
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++) sum += m[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * x[j];
      assert_near(sum, b[i], 1e-14);
    }
  }
}

// M d = r + R^T mu, R d + b = 0, with rows that begin with zeros
static void saddle_points_are_solved(void **state) {
  (void)state;
  enum { n = 9, m = 4 };
  double mass[45], l[45], inverse[n], rows[m * n], y[m * n], w[m * n], schur[10], schur_inverse[m], r[n], b[m], d[n], mu[m];
  size_t zeros[n] = {0}, row_first[m] = {0, 2, 5, 1};
  for (size_t i = 0; i < n; i++) {
    r[i] = small_number();
    for (size_t j = 0; j <= i; j++) mass[i * (i + 1) / 2 + j] = j == i ? 6 : small_number();
  }
  for (size_t k = 0; k < m; k++) {
    b[k] = small_number();
    for (size_t i = 0; i < n; i++) rows[k * n + i] = i < row_first[k] ? 0 : small_number();
  }
  assert_true(hml_dense__factor(n, mass, zeros, HML_PIVOT_FLOOR, l, inverse));
  hml_saddle s = {n, m, zeros, row_first, zeros, l, inverse, y, w, schur, schur_inverse, HML_PIVOT_FLOOR};
  assert_true(hml_saddle__rows(&s, rows));
  hml_saddle__solve(&s, r, b, d, mu);
  for (size_t k = 0; k < m; k++) assert_near(hml_dense__dot(n, rows + k * n, d), -b[k], 1e-14);
  for (size_t i = 0; i < n; i++) {
    double sum = -r[i];
    for (size_t j = 0; j < n; j++) sum += mass[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * d[j];
    for (size_t k = 0; k < m; k++) sum -= rows[k * n + i] * mu[k];
    assert_near(sum, 0, 1e-13);
  }
}

static void pivots_that_vanish_are_seen(void **state) {
  (void)state;
  double l[6], inverse[3];
  size_t first[] = {0, 0, 0};
  assert_false(hml_dense__factor(2, (double[]){1, 1, 1}, first, HML_PIVOT_FLOOR, l, inverse));
  assert_false(hml_dense__factor(2, (double[]){1, 0, 0}, first, HML_PIVOT_FLOOR, l, inverse));
  assert_false(hml_dense__factor(2, (double[]){1, 2, 1}, first, HML_PIVOT_FLOOR, l, inverse));
  assert_false(hml_dense__factor(1, (double[]){-1}, first, HML_PIVOT_FLOOR, l, inverse));
  assert_true(hml_dense__factor(2, (double[]){1e-200, 0, 1e200}, first, HML_PIVOT_FLOOR, l, inverse));
}

static void complete_pivoting_solves_and_reveals_rank(void **state) {
  (void)state;
  enum { n = 6 };
  double a[n * n], k[n * n], b[n], x[2 * n];
  size_t pivots[2 * n];
  for (int i = 0; i < n * n; i++) a[i] = k[i] = small_number();
  for (int i = 0; i < n; i++) b[i] = small_number();
  assert_int_equal(hml_dense__lu(n, k, pivots), n);
  hml_dense__lu_solve(n, k, pivots, b, x);
  for (int i = 0; i < n; i++) assert_near(hml_dense__dot(n, a + i * n, x), b[i], 1e-14);
  // columns 1 and 4 become combinations of others
  for (int i = 0; i < n; i++) {
    a[i * n + 1] = a[i * n] - 2 * a[i * n + 2];
    a[i * n + 4] = a[i * n + 3] / 2;
  }
  memcpy(k, a, sizeof k);
  assert_int_equal(hml_dense__lu(n, k, pivots), n - 2);
  for (size_t which = 0; which < 2; which++) {
    hml_dense__lu_null(n, k, pivots, n - 2, which, x);
    assert_true(hml_dense__norm(n, x) >= 1);
    for (int i = 0; i < n; i++) assert_near(hml_dense__dot(n, a + i * n, x), 0, 1e-14);
  }
}

static void norms_do_not_overflow(void **state) {
  (void)state;
  assert_near(hml_dense__norm(2, (double[]){3e200, 4e200}), 5e200, 1e186);
  assert_near(hml_dense__norm(2, (double[]){3e-200, 4e-200}), 5e-200, 1e-214);
  assert_true(hml_dense__finite(2, (double[]){1e308, 1e308}));
  assert_false(hml_dense__finite(2, (double[]){1, INFINITY}));
  assert_false(hml_dense__finite(2, (double[]){NAN, 1}));
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(envelopes_are_factored), cmocka_unit_test(saddle_points_are_solved),
                                     cmocka_unit_test(pivots_that_vanish_are_seen),
                                     cmocka_unit_test(complete_pivoting_solves_and_reveals_rank),
                                     cmocka_unit_test(norms_do_not_overflow)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
