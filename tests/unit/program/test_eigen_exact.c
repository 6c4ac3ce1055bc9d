// eigen_exact.c: matrices with spectra that doubles cannot hold; arbiter: V D V^-1 of eigenvalues and vectors that are given, with whole numbers in V and V^-1
#include "program/program.h"
#include "support.h"

#ifdef HAMEL_ARB

enum { N = 3 };

// Inverse to each other
static const double V[N][N] = {{1, 1, 0}, {1, 2, 1}, {0, 1, 2}}, W[N][N] = {{3, -2, 1}, {-2, 2, -1}, {1, -1, 1}};

// V diag(large, middle, small) V^-1, the largest part of each entry in `high`: without error where the three are powers of two
static void composed(double large, double middle, double small, double *high, double *low) {
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      high[i * N + j] = V[i][0] * large * W[0][j];
      low[i * N + j] = V[i][1] * middle * W[1][j] + V[i][2] * small * W[2][j];
    }
}

// The place of a value
static int found(int n, const double *values, double re, double im) {
  int best = 0;
  for (int k = 1; k < n; k++)
    if (hypot(values[2 * k] - re, values[2 * k + 1] - im) < hypot(values[2 * best] - re, values[2 * best + 1] - im)) best = k;
  return best;
}

static void spectra_over_forty_orders_are_found(void **state) {
  const double right[N] = {0x1p100, 1, -0x1p-40};
  double high[N * N], low[N * N], values[2 * N], vectors[2 * N * N];
  composed(right[0], right[1], right[2], high, low);
  assert_ok(*state, hml_eigen__of_sums(*state, N, high, low, values, vectors));
  for (int c = 0; c < N; c++) {
    const int k = found(N, values, right[c], 0);
    const double *v = vectors + 2 * k * N;
    double length = 0, off = 0;
    assert_true(values[2 * k] == right[c]);
    assert_true(fabs(values[2 * k + 1]) < 1e-30 * fabs(right[c]));
    for (int i = 0; i < N; i++) length = fmax(length, hypot(v[2 * i], v[2 * i + 1]));
    // v is along column c of V: all 2 x 2 minors vanish
    for (int i = 0; i < N; i++)
      for (int j = 0; j < i; j++) off = fmax(off, hypot(v[2 * i] * V[j][c] - v[2 * j] * V[i][c], v[2 * i + 1] * V[j][c] - v[2 * j + 1] * V[i][c]));
    assert_true(length > 0);
    check_below(off, 1e-15 * length);
  }
}

// [1 1; 1 1 + 2^-80], whose determinant is that: as a matrix of doubles it is singular
static void the_second_parts_count(void **state) {
  const double high[] = {1, 1, 1, 1}, low[] = {0, 0, 0, 0x1p-80}, none[4] = {0};
  double values[4], vectors[8];
  assert_ok(*state, hml_eigen__of_sums(*state, 2, high, low, values, vectors));
  const int k = found(2, values, 0, 0);
  check_near(values[2 * k] / 0x1p-81, 1, 1e-15);
  check_near(values[2 * (1 - k)], 2, 0);
  assert_ok(*state, hml_eigen__of_sums(*state, 2, high, none, values, vectors));
  check_below(fabs(values[2 * found(2, values, 0, 0)]), 1e-80);
}

// Two oscillators, at 1e12 and 1e-6: imaginary pairs, without growth
static void pairs_are_imaginary(void **state) {
  const double high[] = {0, 0, 1, 0, 0, 0, 0, 1, -1e24, 0, 0, 0, 0, -1e-12, 0, 0}, none[16] = {0};
  double values[8], vectors[32];
  assert_ok(*state, hml_eigen__of_sums(*state, 4, high, none, values, vectors));
  for (int sign = -1; sign < 2; sign += 2)
    for (int slow = 0; slow < 2; slow++) {
      const double w = slow ? 1e-6 : 1e12;
      const int k = found(4, values, 0, sign * w);
      check_near(values[2 * k + 1] / (sign * w), 1, 1e-15);
      check_below(fabs(values[2 * k]), 1e-30 * w);
    }
}

// A Jordan block: its perturbation by the roundings of the iteration is the root of these
static void a_block_is_told_to_the_root_of_the_rounding(void **state) {
  const double high[] = {3, 1, 0, 3}, none[4] = {0};
  double values[4], vectors[8];
  assert_ok(*state, hml_eigen__of_sums(*state, 2, high, none, values, vectors));
  for (int k = 0; k < 2; k++) check_below(hypot(values[2 * k] - 3, values[2 * k + 1]), 1e-40);
}

static void what_is_not_finite_is_refused(void **state) {
  const double good[] = {1, 2, 3, 4};
  double values[4], vectors[8];
  for (int part = 0; part < 2; part++)
    for (int i = 0; i < 4; i++) {
      double bad[] = {1, 2, 3, 4};
      bad[i] = part ? (double)NAN : (double)INFINITY;
      assert_int_equal(hml_eigen__of_sums(*state, 2, part ? good : bad, part ? bad : good, values, vectors), HML_NOT_FINITE);
      assert_message(*state, HML_NOT_FINITE, "an entry of the matrix is not finite");
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(spectra_over_forty_orders_are_found), in_context(the_second_parts_count), in_context(pairs_are_imaginary),
                                     in_context(a_block_is_told_to_the_root_of_the_rounding), in_context(what_is_not_finite_is_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_arb(void **state) { (void)state, skip(); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_arb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
