// tests src/integrate/dense.c
#include "problems.h"

enum { N = 2, DEGREE = 9 };

// Two polynomials of degree 9, as functions of theta
static double polynomial(int component, double theta, bool slope) {
  double sum = 0;
  for (int k = DEGREE; k >= 0; k--) {
    double a = component == 0 ? 1.0 / (k + 1) : cos(k);
    if (!slope) sum = sum * theta + a;
    if (slope && k > 0) sum = sum * theta + k * a;
  }
  return sum;
}

static void fill(double theta, bool slope, double *out) {
  for (int i = 0; i < N; i++) out[i] = polynomial(i, theta, slope);
}

// arbiter: a polynomial of the degree of the form is met everywhere
static void values_and_slopes_determine_a_polynomial(void **state) {
  (void)state;
  double y[N], y1[N], f[N], f1[N], data[6][N], piece[DEGREE * N], x[N];
  const double past[] = {-0.7, -1.9, -2.4};
  fill(0, false, y);
  fill(1, false, y1);
  fill(0, true, f);
  fill(1, true, f1);
  hml_step s = {.h = 1, .t1 = 1, .y = y, .y1 = y1, .f = f, .f1 = f1};
  hml_condition conditions[6];
  for (int k = 0; k < 6; k++) {
    fill(past[k / 2], k % 2, data[k]);
    conditions[k] = (hml_condition){.theta = past[k / 2], .scale = 1, .data = data[k], .slope = k % 2};
  }
  hml_dense__hermite(N, &s, piece);
  assert_true(hml_dense__fit(N, y, piece, 3, 6, conditions));
  for (int q = 0; q <= 20; q++) {
    hml_dense__value(N, DEGREE, y, piece, q / 20.0, x);
    for (int i = 0; i < N; i++) check_near(x[i], polynomial(i, q / 20.0, false), 2e-12);
  }
}

// The slope in the middle says nothing of a quartic that meets values and slopes at the ends (Birkhoff)
static void conditions_that_determine_nothing_are_refused(void **state) {
  (void)state;
  double y[N] = {0, 0}, slope[N] = {1, 1}, piece[4 * N] = {0};
  hml_condition middle = {.theta = 0.5, .scale = 1, .data = slope, .slope = true};
  assert_false(hml_dense__fit(N, y, piece, 3, 1, &middle));
  assert_true(piece[6] == 0 && piece[7] == 0);
}

// arbiter: the polynomial itself
static void slopes_are_those_of_the_polynomial(void **state) {
  (void)state;
  double y[N], piece[8 * N], slope[N], before[N], behind[N];
  for (size_t pieces = 1; pieces <= 8; pieces++) {
    for (size_t k = 0; k < N; k++) y[k] = cos((double)k);
    for (size_t k = 0; k < pieces * N; k++) piece[k] = sin((double)(3 * k + pieces));
    for (int q = 0; q <= 10; q++) {
      const double theta = q / 10.0, h = 1e-5;
      hml_dense__slope(N, pieces, piece, theta, slope);
      hml_dense__value(N, pieces, y, piece, theta - h, before);
      hml_dense__value(N, pieces, y, piece, theta + h, behind);
      for (int i = 0; i < N; i++) check_near(slope[i], (behind[i] - before[i]) / (2 * h), 1e-8);
    }
  }
}

// arbiter: the polynomial itself, at the same times
static void a_part_of_a_polynomial_has_its_values(void **state) {
  (void)state;
  enum { PIECES = 7 };
  for (int part = 1; part <= 10; part++) {
    const double theta = part / 10.0;
    double y[N], piece[PIECES * N], y1[N], f[N], f1[N], whole[N], short_one[N], own[PIECES * N];
    for (size_t k = 0; k < N; k++) y[k] = cos((double)k);
    for (size_t k = 0; k < PIECES * N; k++) own[k] = piece[k] = sin((double)(5 * k + 1));
    hml_dense__value(N, PIECES, y, piece, theta, y1);
    hml_dense__slope(N, PIECES, piece, 0, f);
    hml_dense__slope(N, PIECES, piece, theta, f1);
    hml_dense__shorten(N, own, theta);
    hml_dense__hermite(N, &(hml_step){.h = theta, .t1 = theta, .y = y, .y1 = y1, .f = f, .f1 = f1}, own);
    for (int q = 0; q <= 10; q++) {
      hml_dense__value(N, PIECES, y, piece, theta * q / 10, whole);
      hml_dense__value(N, PIECES, y, own, q / 10.0, short_one);
      for (int i = 0; i < N; i++) check_near(short_one[i], whole[i], 1e-14);
    }
  }
}

// arbiter: the form itself, term by term, for few components and for many
static void values_are_those_of_the_form(void **state) {
  (void)state;
  enum { MOST = 11 };
  for (size_t n = 1; n <= MOST; n += 5) {
    for (size_t pieces = 1; pieces <= 9; pieces++) {
      double y[MOST], piece[9 * MOST], x[MOST];
      for (size_t k = 0; k < n; k++) y[k] = cos((double)k);
      for (size_t k = 0; k < pieces * n; k++) piece[k] = sin((double)(7 * k + pieces));
      for (int q = 0; q <= 4; q++) {
        const double theta = q / 4.0;
        hml_dense__value(n, pieces, y, piece, theta, x);
        for (size_t i = 0; i < n; i++) {
          double sum = y[i], product = 1;
          for (size_t k = 0; k < pieces; k++) sum += piece[k * n + i] * (product *= k % 2 == 0 ? theta : 1 - theta);
          check_near(x[i], sum, 1e-14);
        }
      }
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_slopes_determine_a_polynomial),
      cmocka_unit_test(conditions_that_determine_nothing_are_refused),
      cmocka_unit_test(slopes_are_those_of_the_polynomial),
      cmocka_unit_test(a_part_of_a_polynomial_has_its_values),
      cmocka_unit_test(values_are_those_of_the_form),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
