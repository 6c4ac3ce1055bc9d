// tests src/integrate/highest.c: largest and least values on one step of a motion x(theta), y(theta), against closed forms
#include "problems.h"

#include "integrate/highest.h"

enum { INPUTS = 4 };

// Of t, x = theta - 0.3 and y = (theta - 0.7)^2 on a step from t = 1 to 3, and a constant 2; best: so far
static hml_status search(hml_context *c, const char *text, int sign, double *best) {
  const hml_expr in[INPUTS] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "k", 0, 0)};
  const hml_expr e = hml_parse(c, text, INPUTS, in);
  hml_program *p;
  hml_traced *f;
  assert_int_equal(hml_program_new(c, INPUTS, in, 1, &e, &p), HML_OK);
  double start[2] = {-0.3, 0.49}, end[2] = {0.7, 0.09}, piece[4] = {1, -0.4, 0, -1}, constant = 2, where;
  const hml_step s = {.t = 1, .t1 = 3, .h = 2, .y = start, .y1 = end};
  const hml_program *const programs[] = {p};
  assert_int_equal(hml_traced__open(c, 1, programs, 2, 2, 2, 1, &f), HML_OK);
  hml_traced__begin(f, &constant);
  const hml_problem of = {.context = c, .n = 2};
  hml_branches *branches;
  assert_int_equal(hml_branches__open(&of, p, 2, 1, &branches), HML_OK);
  hml_branches__begin(branches, &constant, NULL);
  hml_status status = hml_branches__enter(branches, &s, piece);
  if (status == HML_OK) status = hml_highest__on_step(f, p, branches, &s, piece, sign, 0, best, &where);
  hml_branches__close(branches);
  hml_traced__close(f);
  hml_program_free(p);
  return status;
}

static void values_are_closed_forms(void **state) {
  const double pi = acos(-1);
  const struct {
    const char *text;
    double high, low, close;
  } cases[] = {
      {"x^2 - x", 0.39, -0.25, 1e-10},
      {"x + t", 3.7, 0.7, 1e-12},
      {"sin(40*x)", 1, -1, 1e-10},
      {"x + k*exp(-10^9*x^2)", 2, -0.3, 1e-8},                                // a peak 5e-5 wide
      {"k/(10^(-6) + x^2)", 2e6, 2 / (1e-6 + 0.49), 1e-3},
      {"abs(x)", 0.7, 0, 1e-10},
      {"max(x, 1/5 - 3*x)", 1.1, 0.05, 1e-10},
      {"sign(x)*(k - x)", 2, -2.3, 1e-10},                                     // a jump: both sides
      {"atan2(x, y - 1)", pi, -pi, 1e-9},
      {"sin(x)/x", 1, sin(0.7) / 0.7, 1e-9},
      {"atan(1/x)", pi / 2, -pi / 2, 1e-9},
      {"-1/abs(x)", -1 / 0.7, -INFINITY, 1e-9},                              // the search for the least value is not made
      {"y - (t - 1)^2/4 + 7*t/10", 0.49 + 0.7 + 1e-15, 0, 1e-9},              // constant but for rounding
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double high = -INFINITY, low = INFINITY;
    if (search(*state, cases[i].text, 1, &high) != HML_OK) fail_msg("%s", cases[i].text);
    if (!(fabs(high - cases[i].high) <= cases[i].close)) fail_msg("%s: largest %.17g", cases[i].text, high);
    if (isinf(cases[i].low) || cases[i].low == 0) continue;
    if (search(*state, cases[i].text, -1, &low) != HML_OK) fail_msg("%s", cases[i].text);
    if (!(fabs(low - cases[i].low) <= cases[i].close)) fail_msg("%s: least %.17g", cases[i].text, low);
  }
}

static void a_better_value_stays(void **state) {
  double best = 5;
  assert_int_equal(search(*state, "x", 1, &best), HML_OK);
  assert_true(best == 5);
  best = NAN;
  assert_int_equal(search(*state, "x", 1, &best), HML_OK);
  assert_true(isnan(best));
}

static void the_work_is_bounded(void **state) {
  double best = -INFINITY;
  assert_int_equal(search(*state, "sin(10^9*x)*(1 + x)", 1, &best), HML_LIMIT);
  best = -INFINITY;
  assert_int_equal(search(*state, "exp(1000*(x + 1/3)*t)", 1, &best), HML_OK);
  assert_true(isinf(best));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(values_are_closed_forms),
      in_context(a_better_value_stays),
      in_context(the_work_is_bounded),
  };
  return cmocka_run_group_tests_name("highest", tests, NULL, NULL);
}
