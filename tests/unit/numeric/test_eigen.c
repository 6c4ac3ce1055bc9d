// tests src/numeric/eigen.c; arbiter: companion matrices of polynomials with the roots 1, 2, ..., n, whose coefficients are doubles without error
#include "hamel.h"
#include "numeric/numeric.h"
#include "support.h"

enum { MOST = 12 };

static void companion(size_t n, double *a) {
  double p[MOST + 1] = {1};            // coefficients, the highest power first
  for (size_t k = 1; k <= n; k++)
    for (size_t i = k; i > 0; i--) p[i] -= (double)k * p[i - 1];
  for (size_t i = 0; i < n * n; i++) a[i] = i >= n && i % n == i / n - 1;
  for (size_t i = 0; i < n; i++) a[i] = -p[i + 1];
}

static void errors_are_within_their_estimates(void **state) {
  for (size_t n = 2; n <= MOST; n++) {
    double a[MOST * MOST], values[2 * MOST], errors[MOST], worst = 0, estimate = 0;
    const hml_eigen_noise exact = {0};
    companion(n, a);
    assert_ok(*state, hml_eigen__known(*state, n, a, &exact, values, NULL, errors));
    for (size_t k = 0; k < n; k++) {
      const double off = hypot(values[2 * k] - (double)(n - k), values[2 * k + 1]);
      assert_true(off <= errors[k]);
      worst = fmax(worst, off);
      estimate = fmax(estimate, errors[k]);
    }
    assert_true(estimate < 1e-12 || estimate < 1e4 * worst);
  }
}

// [1 1; 0 1 + e]: an error of the size of e parts a double eigenvalue by its root
static void a_double_eigenvalue_has_half_the_digits(void **state) {
  const double a[] = {1, 1, 0, 1};
  const hml_eigen_noise exact = {0};
  double values[4], errors[2];
  assert_ok(*state, hml_eigen__known(*state, 2, a, &exact, values, NULL, errors));
  for (int k = 0; k < 2; k++) assert_true(errors[k] > 1e-9 && errors[k] < 1e-6);
}

// The second entry is known to 1000 roundings
static void errors_of_entries_are_passed_on(void **state) {
  const double a[] = {1, 0, 0, 3}, left[] = {0, 1}, right[] = {0, 1000};
  const hml_eigen_noise noise = {1, left, right};
  double values[4], vectors[8], errors[2];
  assert_ok(*state, hml_eigen__known(*state, 2, a, &noise, values, vectors, errors));
  assert_true(values[0] == 3 && values[2] == 1 && fabs(vectors[2]) == 1);
  assert_true(errors[0] > 1000 * 0x1p-52 && errors[0] < 1100 * 0x1p-52);
  assert_true(errors[1] < 10 * 0x1p-52);
}

// A saddle beside an oscillator with a parameter as a state: GSL's iteration fails on it in this order. Arbiter: A x = lambda x, and the roots of the two
// characteristic polynomials
static void a_row_of_zeros_does_not_stop_the_iteration(void **state) {
  enum { N = 5 };
  const double a[N * N] = {0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 8.9880152704311147, 0, 0, -1.0 / 3, 0,
                           0, -1.0179770943533271, -0.051188556895360601, 0, 0};
  const hml_eigen_noise exact = {0};
  double values[2 * N], vectors[2 * N * N], errors[N];
  assert_ok(*state, hml_eigen__known(*state, N, a, &exact, values, vectors, errors));
  const double root = sqrt(1.0 / 36 + 8.9880152704311147);
  assert_true(fabs(values[0] - (root - 1.0 / 6)) < 1e-14 && fabs(values[2 * N - 2] + root + 1.0 / 6) < 1e-14);
  for (size_t k = 0; k < N; k++)
    for (size_t i = 0; i < N; i++) {
      const double *x = vectors + 2 * k * N, re = values[2 * k], im = values[2 * k + 1];
      double off_re = im * x[2 * i + 1] - re * x[2 * i], off_im = -im * x[2 * i] - re * x[2 * i + 1];
      for (size_t j = 0; j < N; j++) {
        off_re += a[i * N + j] * x[2 * j];
        off_im += a[i * N + j] * x[2 * j + 1];
      }
      assert_true(fabs(off_re) < 1e-14 && fabs(off_im) < 1e-14);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(errors_are_within_their_estimates), in_context(a_double_eigenvalue_has_half_the_digits),
                                     in_context(errors_of_entries_are_passed_on), in_context(a_row_of_zeros_does_not_stop_the_iteration)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
