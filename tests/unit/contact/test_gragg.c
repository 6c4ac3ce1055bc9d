// gragg.c: one step against closed solutions, and its order from steps of halved size.
#include "support.h"

#include "contact/gragg.h"

typedef struct rotation {              // x' = -rate y, y' = rate x, in as many planes as there are rates
  size_t planes;
  const double *rate;
  size_t *calls;
} rotation;

static void turn(const void *payload, const double *x, double *slope) {
  const rotation *r = payload;
  if (r->calls) ++*r->calls;
  for (size_t k = 0; k < r->planes; k++) {
    slope[2 * k] = -r->rate[k] * x[2 * k + 1];
    slope[2 * k + 1] = r->rate[k] * x[2 * k];
  }
}

// The error at the end of a step, and its estimate
static double error_of(double h, double *estimate) {
  const double rate = 1, x[2] = {1, 0};
  const rotation r = {1, &rate, NULL};
  double slope[2], end[2], error[2];
  turn(&r, x, slope);
  hml_gragg__step(2, turn, &r, x, slope, h, end, error);
  *estimate = hypot(error[0], error[1]);
  return hypot(end[0] - cos(h), end[1] - sin(h));
}

// Order 12: the error of a step falls by 2^13; its estimate is one of order 10, and falls by 2^11
static void the_order_is_twelve(void **state) {
  (void)state;
  double estimates[3], errors[3];
  for (int k = 0; k < 3; k++) errors[k] = error_of(4 / pow(2, k), estimates + k);
  for (int k = 0; k < 2; k++) {
    assert_near(log2(errors[k] / errors[k + 1]), HML_GRAGG_ORDER + 1, 0.7);
    assert_near(log2(estimates[k] / estimates[k + 1]), HML_GRAGG_ORDER - 1, 0.7);
    assert_true(errors[k + 1] < estimates[k + 1]);
  }
}

static void slopes_are_counted(void **state) {
  (void)state;
  const double rate = 1, x[2] = {1, 0};
  size_t calls = 0;
  double slope[2], end[2], error[2];
  const rotation r = {1, &rate, &calls};
  turn(&r, x, slope);
  calls = 0;
  hml_gragg__step(2, turn, &r, x, slope, 0.1, end, error);
  assert_int_equal(calls, HML_GRAGG_SLOPES);
}

// As many components as there may be, each as alone
static void components_do_not_mix(void **state) {
  (void)state;
  double rate[HML_GRAGG_MOST / 2], x[HML_GRAGG_MOST], slope[HML_GRAGG_MOST], end[HML_GRAGG_MOST], error[HML_GRAGG_MOST];
  const rotation r = {HML_GRAGG_MOST / 2, rate, NULL};
  for (size_t k = 0; k < r.planes; k++) rate[k] = 0.05 * (double)k, x[2 * k] = 1 + (double)k, x[2 * k + 1] = 0;
  turn(&r, x, slope);
  hml_gragg__step(HML_GRAGG_MOST, turn, &r, x, slope, 0.3, end, error);
  for (size_t k = 0; k < r.planes; k++) {
    assert_near(end[2 * k], x[2 * k] * cos(0.3 * rate[k]), 1e-13 * x[2 * k]);
    assert_near(end[2 * k + 1], x[2 * k] * sin(0.3 * rate[k]), 1e-13 * x[2 * k]);
  }
  assert_near(error[0], 0, 0);                                           // nothing moves
}

static void logistic(const void *payload, const double *x, double *slope) {
  (void)payload;
  slope[0] = x[0] * (1 - x[0]);
}

// Not linear, forward and back: x = 1/(1 + 9 e^-t)
static void a_step_back_leads_back(void **state) {
  (void)state;
  double x[1] = {0.1}, slope[1], end[1], back[1], error[1];
  logistic(NULL, x, slope);
  hml_gragg__step(1, logistic, NULL, x, slope, 0.5, end, error);
  assert_near(end[0], 1 / (1 + 9 * exp(-0.5)), 1e-14);
  logistic(NULL, end, slope);
  hml_gragg__step(1, logistic, NULL, end, slope, -0.5, back, error);
  assert_near(back[0], 0.1, 1e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(the_order_is_twelve), cmocka_unit_test(slopes_are_counted), cmocka_unit_test(components_do_not_mix),
                                     cmocka_unit_test(a_step_back_leads_back)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
