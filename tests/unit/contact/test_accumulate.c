// tests src/contact/accumulate.c
#include "contact/accumulate.h"
#include "contact/gragg.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

static void check_near(double a, double b, double tolerance, const char *what) {
  if (fabs(a - b) <= tolerance) return;
  print_error("%s: %.17g is not %.17g within %g (off by %g)\n", what, a, b, tolerance, a - b);
  fail();
}

// The error told holds, and is no larger than `most`
static void check_limit(hml_accumulation_limit l, double t, double most, const char *what) {
  assert_int_equal(l.kind, HML_ACCUMULATION_GEOMETRIC);
  check_near(l.t, t, l.error, what);
  check_near(l.error, 0, most, what);
}

// arbiter: h = 0.3, g = 10: first impact at sqrt(0.06), rest after it by (1 + e)/(1 - e) times that
static void a_ball_on_the_floor(void **state) {
  (void)state;
  const double e[] = {0.9, 0.95};
  for (int k = 0; k < 2; k++) {
    const long double first = sqrtl(0.06L);
    hml_accumulation a = {.impacts = 0};
    long double flight = 2 * first, t = first;
    const double rest = (double)(first + flight * (long double)e[k] / (1 - (long double)e[k]));
    for (int n = 0; n < 300; n++) {
      hml_accumulation__strike(&a, 1, 0, (double)t);
      flight *= (long double)e[k];
      hml_accumulation_limit l = hml_accumulation__limit(&a, 0, (double)flight, e[k]);
      assert_int_equal(l.impacts, n + 1);
      if (n >= 5) check_limit(l, rest, k ? 5e-11 : 5e-12, "ball");
      if (n >= 5) check_near(l.ratio, e[k], 1e-2 * (1 + n / 30.0), "ratio");
      if (n < 5) {
        assert_int_equal(l.kind, HML_ACCUMULATION_FIRST_ORDER);
        check_near(l.t, rest, l.error, "few impacts");
      }
      t += flight;
    }
  }
}

static void pendulum(const void *payload, const double *x, double *slope) {
  (void)payload;
  slope[0] = x[1];
  slope[1] = -4 * sin(x[0]);
}

// A flight from the wall at theta = 0.3 back to it: its duration, and the speed of arrival
static double flight_of(double *speed) {
  double x[2] = {0.3, *speed}, slope[2], y[2], error[2], t = 0, h = 0.05;
  for (int i = 0; i < 10000; i++) {
    pendulum(NULL, x, slope);
    hml_gragg__step(2, pendulum, NULL, x, slope, h, y, error);
    if (y[0] < 0.3) break;
    x[0] = y[0], x[1] = y[1], t += h;
  }
  // the root in the last step, by Newton on its length from the end
  for (int i = 0; i < 30; i++) {
    h -= (y[0] - 0.3) / y[1];
    hml_gragg__step(2, pendulum, NULL, x, slope, h, y, error);
  }
  *speed = -y[1];
  return t + h;
}

// arbiter: quadratures and a tail of 22 digits
static void a_pendulum_at_a_wall(void **state) {
  (void)state;
  const double rest = 6.001727120566, e = 0.7;
  double speed = sqrt(8 * (cos(0.3) - cos(1.0))), t = 0.6784007834935, told[40] = {0}, off[40] = {0};
  hml_accumulation a = {.impacts = 0};
  for (int n = 0; n < 40; n++) {
    hml_accumulation__strike(&a, 1, 0, t);
    speed *= e;
    if (n >= 5) {
      hml_accumulation_limit l = hml_accumulation__limit(&a, 2e-16 / speed, 0, e);   // a root of theta - 0.3 is no sharper
      assert_int_equal(l.kind, HML_ACCUMULATION_GEOMETRIC);
      check_near(l.t, rest, l.error + 2e-12, "pendulum");
      told[n] = l.error, off[n] = fabs(l.t - rest);
    }
    if (n < 39) t += flight_of(&speed);
  }
  assert_true(told[20] < 1e-10 && off[20] < 2e-12);
}

// arbiter: the sum to rounding of flights whose ratio drifts with their length: d' = q d (1 + c d), as the laws of motion make it
static void the_error_told_holds(void **state) {
  (void)state;
  double worst = 0;
  for (int k = 0; k < 400; k++) {
    const double q = 0.1 + 0.88 * (k % 20) / 19, c = 2.0 * (k / 20) / 19 - 1;
    double t[5000], sum = 0, d[5000];
    hml_accumulation a = {.impacts = 0};
    d[0] = 0.4 * (1 - q);
    for (int n = 1; n < 5000; n++) d[n] = q * d[n - 1] * (1 + c * d[n - 1]);
    for (int n = 4999; n >= 0; n--) sum += d[n], t[n] = sum;
    for (int n = 0; n < 5000 && d[n] > 1e-9; n++) {
      // t[n] is the way left
      hml_accumulation__strike(&a, 1, 0, sum - t[n]);
      if (n < 5) continue;
      hml_accumulation_limit l = hml_accumulation__limit(&a, 0, 0, q);
      if (l.kind != HML_ACCUMULATION_GEOMETRIC) continue;
      worst = fmax(worst, fabs(l.t - sum) / l.error);
    }
  }
  assert_true(worst < 1);
  assert_true(worst > 0.01);           // and is no empty promise
}

// arbiter: Housner's rocking block, whose two corners strike in turn; the sum of its half periods to rounding
static void corners_that_strike_in_turn(void **state) {
  (void)state;
  const double r = 0.7, start = 0.3;
  double t = 0, sum = 0, flights[400], zero[2] = {0, 0}, e[2] = {r, r};
  bool taking[2] = {true, true};
  for (int n = 0; n < 400; n++) {
    double lost = pow(r, n) * (1 - (1 - start) * (1 - start)), angle = lost / (1 + sqrt(1 - lost));
    double x = angle / (1 - angle);
    flights[n] = 2 * log1p(x + sqrt(2 * x + x * x));   // 2 acosh(1 + x)
  }
  for (int n = 399; n >= 0; n--) sum += flights[n];
  hml_accumulation a[2] = {{.impacts = 0}, {.impacts = 0}};
  for (int n = 0; n < 80; n++) {
    t += flights[n];
    hml_accumulation__strike(a, 2, (size_t)n % 2, t);
    hml_accumulation_limit l = hml_accumulation__common(a, 2, taking, 1e-15, zero, e);
    if (n < 11) assert_int_equal(l.kind, HML_ACCUMULATION_IRREGULAR);
    else check_limit(l, sum, n < 40 ? 1 : 1e-7, "rocking");
    if (n > 60) check_near(l.ratio, r, 0.05, "ratio");
  }
}

static void what_does_not_accumulate_says_so(void **state) {
  (void)state;
  hml_accumulation a[2] = {{.impacts = 0}, {.impacts = 0}};
  // equal flights
  for (int n = 0; n < 10; n++) hml_accumulation__strike(a, 1, 0, n);
  hml_accumulation_limit l = hml_accumulation__limit(a, 0, 1, 1);
  assert_int_equal(l.kind, HML_ACCUMULATION_IRREGULAR);
  assert_true(l.t == 9);
  // another gap is struck between, sometimes
  hml_accumulation__clear(a);
  for (int n = 0; n < 10; n++) {
    hml_accumulation__strike(a, 2, 0, 1 - pow(0.5, n));
    if (n == 7) hml_accumulation__strike(a, 2, 1, 1 - pow(0.5, n + 0.5));
  }
  assert_int_equal(hml_accumulation__limit(a, 0, 0.001, 0.5).kind, HML_ACCUMULATION_IRREGULAR);
  // and no more when six impacts followed each other
  for (int n = 10; n < 14; n++) hml_accumulation__strike(a, 2, 0, 1 - pow(0.5, n));
  check_limit(hml_accumulation__limit(a, 0, 0, 0.5), 1, 1e-13, "after");
  // a ratio near 1: the law's own tail
  hml_accumulation__clear(a);
  for (int n = 0; n < 10; n++) hml_accumulation__strike(a, 1, 0, 1 - pow(0.9995, n));
  l = hml_accumulation__limit(a, 0, pow(0.9995, 9) - pow(0.9995, 10), 0.9995);
  assert_int_equal(l.kind, HML_ACCUMULATION_FIRST_ORDER);
  check_near(l.t, 1, l.error, "slow");
  assert_true(l.error < 1e-3);
}

int main(void) {
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_ball_on_the_floor),
    cmocka_unit_test(a_pendulum_at_a_wall),
    cmocka_unit_test(the_error_told_holds),
    cmocka_unit_test(corners_that_strike_in_turn),
    cmocka_unit_test(what_does_not_accumulate_says_so),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
