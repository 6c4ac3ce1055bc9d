// fit.c: least squares of known problems; arbiters: closed solutions, the normal equations.
#include "numeric/fit.h"
#include "support.h"

#include <math.h>

// Rosenbrock's valley: (10 (y - x^2), 1 - x)
static hml_status valley(void *payload, const double *x, double *r) {
  (void)payload;
  r[0] = 10 * (x[1] - x[0] * x[0]);
  r[1] = 1 - x[0];
  return HML_OK;
}

// a exp(-b t) against values that no a, b give exactly
static hml_status decay(void *payload, const double *x, double *r) {
  const double *values = payload;
  for (size_t i = 0; i < 5; i++) r[i] = x[0] * exp(-x[1] * (double)i) - values[i];
  return HML_OK;
}

static hml_status stops(void *payload, const double *x, double *r) {
  (void)x;
  size_t *left = payload;
  for (size_t i = 0; i < 3; i++) r[i] = (double)i + 1;
  return (*left)-- == 0 ? HML_CALLBACK : HML_OK;
}

static hml_context *context;

static void minima_are_found(void **state) {
  (void)state;
  double x[4] = {-1.2, 1}, r[2], jacobian[4];
  hml_fit fit = {.m = 2, .n = 2, .most = 200, .residuals = valley, .difference = 1e-6, .step_tolerance = 1e-10, .x = x, .r = r, .jacobian = jacobian};
  assert_int_equal(hml_fit__solve(context, &fit), HML_OK);
  assert_near(x[0], 1, 1e-9);
  assert_near(x[1], 1, 1e-9);
  assert_near(jacobian[0], -20, 1e-4);
  assert_near(jacobian[1], 10, 1e-4);
  assert_near(jacobian[2], -1, 1e-4);
  assert_true(fit.iterations > 2);
}

static void residuals_are_orthogonal_to_the_directions(void **state) {
  (void)state;
  double values[5] = {2.1, 1.2, 0.8, 0.4, 0.3}, x[4] = {1, 1}, r[5], jacobian[10];
  hml_fit fit = {.m = 5, .n = 2, .most = 200, .residuals = decay, .payload = values, .difference = 1e-5, .step_tolerance = 1e-10, .x = x, .r = r, .jacobian = jacobian};
  assert_int_equal(hml_fit__solve(context, &fit), HML_OK);
  for (size_t k = 0; k < 2; k++) {
    double sum = 0;
    for (size_t i = 0; i < 5; i++) {
      double exact = k == 0 ? exp(-x[1] * (double)i) : -x[0] * (double)i * exp(-x[1] * (double)i);
      assert_near(jacobian[2 * i + k], exact, 1e-8);
      sum += exact * r[i];
    }
    assert_near(sum, 0, 1e-8);
  }
}

static void failures_end_the_search(void **state) {
  (void)state;
  for (size_t calls = 0; calls < 6; calls++) {
    double x[2] = {1}, r[3], jacobian[3];
    size_t left = calls;
    hml_fit fit = {.m = 3, .n = 1, .most = 50, .residuals = stops, .payload = &left, .difference = 1e-6, .step_tolerance = 1e-10, .x = x, .r = r, .jacobian = jacobian};
    hml_status status = hml_fit__solve(context, &fit);
    assert_true(status == HML_CALLBACK || (calls > 2 && status == HML_OK));
  }
}

int main(void) {
  context = hml_context_new(NULL, NULL);
  const struct CMUnitTest tests[] = {cmocka_unit_test(minima_are_found), cmocka_unit_test(residuals_are_orthogonal_to_the_directions),
                                     cmocka_unit_test(failures_end_the_search)};
  int failed = cmocka_run_group_tests(tests, NULL, NULL);
  hml_context_free(context);
  return failed;
}
