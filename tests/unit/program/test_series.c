// tests src/program/series.c: coefficients against closed solutions
#include "programs.h"

enum { ORDER = 16 };

// x' = f with the states x and y, and the parameter m; sums the series at h from (t, x, y)
static void series_at(void **state, const char *fx, const char *fy, const double *in, double h, double *out) {
  hml_context *c = *state;
  hml_expr symbols[4] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "m", 0, 0)};
  hml_expr f[2] = {hml_parse(c, fx, 4, symbols), hml_parse(c, fy, 4, symbols)};
  hml_program *p, *q;
  check_ok(hml_program_new(c, 4, symbols, 2, f, &p));
  check_ok(hml_program__series(c, p, &(hml_series_layout){.n_states = 2, .n = 2, .order = ORDER, .exact = true}, 200000, &q));
  double coefficients[2 * ORDER], *work = calloc(hml_program_work_size(q) + 1, sizeof *work);
  hml_program_eval(q, in, coefficients, work);
  for (int i = 0; i < 2; i++) {
    double sum = 0;
    for (int k = ORDER; k-- > 0;) sum = h * (sum + coefficients[2 * k + i]);
    out[i] = in[1 + i] + sum;
  }
  free(work);
  hml_program_free(p);
  hml_program_free(q);
}

typedef double (*solution)(double);

static double gauss_bell(double t) { return exp(-t * t / 2); }
static double one(double t) { (void)t; return 1; }
static double cube(double t) { return pow(1 + t, 3); }
static double twice_tangent(double t) { return tan(t); }
static double third(double t) { return pow(1 + t / 3, 3); }

// Each function through an equation whose solution is known: x = solution(t), y the other
static void known_solutions_are_met(void **state) {
  static const struct { const char *fx, *fy; double t; solution x, y; } cases[] = {
      {"x*cos(t)", "y", 0.3, NULL, exp},
      {"y", "-x", 0.2, sin, cos},
      {"y", "x", 0.2, sinh, cosh},
      {"1 + x^2", "1 - y^2", 0.3, twice_tangent, tanh},
      {"-t*x", "0", 0.4, gauss_bell, one},
      {"1/sqrt(1 - t^2)", "-1/sqrt(1 - t^2)", 0.1, asin, acos},
      {"1/(1 + t^2)", "1/t", 0.5, atan, log},
      {"1/sqrt(1 + t^2)", "3*y/(1 + t)", 0.2, asinh, cube},
      {"cos(asin(x))", "cosh(asinh(y))", 0.2, sin, sinh},
      {"1 + tan(atan(x))^2", "x^(2/3) - x^(2/3) + y^(2/3)", 0.3, twice_tangent, third},
      {"exp(log(1 + x^2))", "1 - tanh(atanh(y))^2", 0.3, twice_tangent, tanh},
      {"sinh(acosh(1 + t))/sqrt(t^2 + 2*t)", "y^(1 + 0*t)", 0.5, NULL, exp},
      {"cos(atan2(t, 1))^2", "y*(x + 2)/(x + 2)", 0.2, atan, exp},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double t = cases[i].t, h = 0.05, out[2];
    double in[4] = {t, cases[i].x ? cases[i].x(t) : 1, cases[i].y(t), 1};
    series_at(state, cases[i].fx, cases[i].fy, in, h, out);
    if (cases[i].x) check_near(out[0], cases[i].x(t + h), 4e-15 * (1 + fabs(out[0])));
    check_near(out[1], cases[i].y(t + h), 4e-15 * (1 + fabs(out[1])));
  }
}

// x' = x^m with a parameter in the exponent, and an exponent that moves: x' = x^t at x = 1 has no motion to first order of log x
static void powers_have_any_exponent(void **state) {
  double in[4] = {0.5, 2, 1, 1.5}, out[2], h = 0.05;
  series_at(state, "x^m", "y^t*0 + t^t", in, h, out);
  // x^(-1/2) falls linearly
  check_near(out[0], pow(1 / sqrt(2.0) - h / 2, -2), 1e-14);
  double sum = 0;                      // Simpson's rule on t^t
  for (int k = 0; k <= 200; k++) sum += pow(0.5 + h * k / 200, 0.5 + h * k / 200) * (k == 0 || k == 200 ? 1 : k % 2 ? 4 : 2);
  check_near(out[1], 1 + sum * h / 600, 1e-13);
}

static void too_many_operations_are_refused(void **state) {
  hml_context *c = *state;
  hml_expr s[2] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0)}, f = hml_parse(c, "sin(x)*cos(x)/(1 + x^2)", 2, s);
  hml_program *p, *q;
  check_ok(hml_program_new(c, 2, s, 1, &f, &p));
  assert_int_equal(hml_program__series(c, p, &(hml_series_layout){.n_states = 1, .n = 1, .order = 20}, 300, &q), HML_LIMIT);
  check_contains(hml_context_error(c)->message, "more than 300 operations");
  hml_context_clear_error(c);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(known_solutions_are_met),
      in_context(powers_have_any_exponent),
      in_context(too_many_operations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
