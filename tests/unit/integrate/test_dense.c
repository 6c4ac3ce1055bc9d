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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_and_slopes_determine_a_polynomial),
      cmocka_unit_test(conditions_that_determine_nothing_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
