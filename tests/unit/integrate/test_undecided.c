// tests src/integrate/undecided.c: functions that come to zero within the error of a run, on one step of a motion x(theta), y(theta)
#include "problems.h"

#include "integrate/undecided.h"

enum { INPUTS = 4 };

// Of t, x = theta - 0.3 and y = (theta - 0.7)^2 on a step from t = 1 to 3, and a constant 2; the states may be off by 1e-6
typedef struct fixture {
  hml_program *program;
  hml_traced *traced;
  hml_guard *guard;
  double start[2], end[2], piece[4], constant, errors[2];
  uint32_t place[INPUTS];
  hml_guard_formula formula;
  hml_problem problem;
  hml_jumps *jumps;
  hml_step step;
  hml_doubt doubt;
} fixture;

static void set_up(hml_context *c, const char *text, fixture *f) {
  const hml_expr in[INPUTS] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "k", 0, 0)};
  const hml_expr e = hml_parse(c, text, INPUTS, in);
  *f = (fixture){.start = {-0.3, 0.49}, .end = {0.7, 0.09}, .piece = {1, -0.4, 0, -1}, .constant = 2, .errors = {1e-6, 1e-6}, .place = {0, 1, 2, 3}};
  assert_int_equal(hml_program_new(c, INPUTS, in, 1, &e, &f->program), HML_OK);
  const hml_program *const programs[] = {f->program};
  assert_int_equal(hml_traced__open(c, 1, programs, 2, 2, 2, 1, &f->traced), HML_OK);
  hml_traced__begin(f->traced, &f->constant);
  f->formula = (hml_guard_formula){.program = f->program, .place = f->place, .constants = &f->constant};
  f->problem = (hml_problem){.context = c, .n = 2, .pieces = 2};
  assert_int_equal(hml_guard__open(&f->problem, &f->formula, &f->guard), HML_OK);
  f->step = (hml_step){.t = 1, .t1 = 3, .h = 2, .y = f->start, .y1 = f->end};
  hml_guard__widen(f->guard, f->errors);
  assert_int_equal(hml_guard__enter(f->guard), HML_OK);
  assert_int_equal(hml_jumps__open(&f->problem, f->program, HML_JUMPS, 2, 1, &f->jumps), HML_OK);
  hml_jumps__begin(f->jumps, &f->constant, f->errors);
  assert_int_equal(hml_jumps__enter(f->jumps), HML_OK);
  f->doubt = (hml_doubt){f->traced, f->program, f->guard, &f->step, f->piece, f->errors, f->jumps};
}

static void tear_down(fixture *f) {
  hml_jumps__close(f->jumps);
  hml_guard__close(f->guard);
  hml_traced__close(f->traced);
  hml_program_free(f->program);
}

static void touches_and_zeros_are_undecided(void **state) {
  static const struct {
    const char *text;
    double theta;                      // NAN: anywhere
  } cases[] = {
      {"y", 0.7}, {"y - 1e-9", 0.7}, {"y + 1e-9", 0.7}, {"-k*y", 0.7}, {"x^2", 0.3}, {"abs(x)", 0.3}, {"abs(x) - 1e-7", 0.3}, {"x*sign(x)", 0.3},
      {"x - t/2 + 4/5", NAN}, {"max(x - 1/2, 0)", NAN}, {"sin(y)^2", 0.7},
      {"sign(y)", 0.7}, {"sign(y - 1e-9)", 0.7}, {"sign(y + 1e-9)", 0.7}, {"sign(y + 1e-9)*(2 + x)", 0.7}, {"atan2(y, -1)", 0.7}, {"sign(x^3)", 0.3},
      {"(sign(y)^2 + sign(y))/2 - 1/2", 0.7}, {"sign(sign(x) + y)*0 + sign(-y)", 0.7}, {"sign(abs(x))", 0.3}, {"sign(max(x - 1/2, 0)) - 1/2", NAN},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    double where = NAN;
    set_up(*state, cases[i].text, &f);
    const bool undecided = hml_undecided__on_part(&f.doubt, 0, 1, &where);
    // a double zero is one within the square root of the error
    if (!undecided || (isfinite(cases[i].theta) && fabs(where - cases[i].theta) > 2e-3)) fail_msg("%s: %d at %.17g", cases[i].text, undecided, where);
    tear_down(&f);
  }
}

static void roots_and_clear_misses_are_decided(void **state) {
  static const char *const texts[] = {"x", "x - 1/4", "-k*x", "y - 1/100", "y + 1e-5", "y - 1e-5", "sin(20*x)", "x + x^3", "max(x, 2*x)", "abs(x) + 1e-5", "sign(x)", "atan2(x, -1)",
                                      "1/x", "tan(5*x)", "x/(y + 1e-4)", "exp(-1e4*x^2) - 1/2", "1e-20*x", "sign(x)*(2 + y)", "t - 2",
                                      "sign(y) + 3", "sign(y - 1/100)", "sign(y + 1e-5)", "sign(y - 1e-5)", "atan2(y, 1) + 1", "sign(x)*sign(x - 1/4)", "(sign(x)^2 + sign(x))/2 - 1/2"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    fixture f;
    double where;
    set_up(*state, texts[i], &f);
    if (hml_undecided__on_part(&f.doubt, 0, 1, &where)) fail_msg("%s is undecided at %.17g", texts[i], where);
    tear_down(&f);
  }
}

static void leaps_are_told_from_roots(void **state) {
  static const struct {
    const char *text;
    bool leaps;
  } cases[] = {{"sign(x)", true}, {"atan2(x, -1)", true}, {"x", false}, {"x^3", false}, {"max(x, 2*x)", false}, {"sign(x)*(1 + y)", true}, {"tan(x)", false}, {"sign(1e-9*x)", true}, {"sign(1 + 1e-9*x - 1)", true}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    fixture f;
    set_up(*state, cases[i].text, &f);
    if (hml_undecided__leaps(&f.doubt, 0.3) != cases[i].leaps) fail_msg("%s", cases[i].text);
    tear_down(&f);
  }
}

static void errors_grow_with_the_steps(void **state) {
  const hml_accuracy by_tolerance = {.rtol = 1e-6, .atol = 1e-9}, by_parts = {.rtol = 1e-6, .atol = 1e-9, .part = 1e-4};
  const double sizes[2] = {1, 10};
  double errors[2], before = 0;
  (void)state;
  for (size_t steps = 1; steps < 100000; steps *= 3) {
    hml_undecided__errors(&by_tolerance, 2, steps, 1, sizes, errors);
    assert_true(errors[0] > before);
    check_near(errors[1] * 1.001, errors[0] * 10.001, 1e-12);
    before = errors[0];
  }
  hml_undecided__errors(&by_tolerance, 2, 1, 0, sizes, errors);
  check_near(errors[0], 8.125 * 1.001e-6, 1e-15);
  hml_undecided__errors(&by_parts, 2, 1, 0.5, sizes, errors);
  check_near(errors[0], 8.125 * 1.001e-6 + 5e-4, 1e-12);
  check_near(hml_accuracy__part(1e-5, false), 1e-5, 0);
  check_near(hml_accuracy__part(1e-5, true), HML_MISSED, 0);
  check_near(hml_accuracy__part(0.1, true), 0.1, 0);
}

static void a_state_is_near_zero_within_its_errors(void **state) {
  fixture f;
  bool zero;
  set_up(*state, "x - 1/4", &f);
  assert_true(hml_undecided__at(f.traced, f.program, 1, (double[]){0.25, 0}, f.errors, &zero) && zero);
  assert_true(hml_undecided__at(f.traced, f.program, 1, (double[]){0.25 + 5e-7, 0}, f.errors, &zero) && !zero);
  assert_false(hml_undecided__at(f.traced, f.program, 1, (double[]){0.25 + 5e-6, 0}, f.errors, &zero));
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(touches_and_zeros_are_undecided),
      in_context(roots_and_clear_misses_are_decided),
      in_context(leaps_are_told_from_roots),
      in_context(errors_grow_with_the_steps),
      in_context(a_state_is_near_zero_within_its_errors),
  };
  return cmocka_run_group_tests_name("undecided", tests, NULL, NULL);
}
