// tests src/integrate/remainder.c: bounds on what functions are beyond their Taylor polynomials of third degree, against these polynomials
#include "problems.h"

#include "integrate/remainder.h"

enum { INPUTS = 5, MOVING = 4, DEGREE = 3 };

typedef struct fixture {
  hml_expr in[INPUTS], e;
  hml_program *program;
  hml_remainder *remainder;
  hml_range *scratch;
} fixture;

// Of t, x, y, z and a constant k
static void set_up(hml_context *c, const char *text, fixture *f) {
  *f = (fixture){.in = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "z", 0, 0), hml_symbol(c, "k", 0, 0)}};
  f->e = hml_parse(c, text, INPUTS, f->in);
  assert_int_equal(hml_program_new(c, INPUTS, f->in, 1, &f->e, &f->program), HML_OK);
  assert_int_equal(hml_remainder__new(c, f->program, MOVING, &f->remainder), HML_OK);
  f->scratch = f->remainder ? calloc(hml_remainder__room(f->remainder), sizeof *f->scratch) : NULL;
}

static void tear_down(fixture *f) {
  free(f->scratch);
  hml_remainder__free(f->remainder);
  hml_program_free(f->program);
}

static double value(hml_context *c, const fixture *f, hml_expr e, const double *at) {
  hml_program *p;
  double out;
  assert_int_equal(hml_program_new(c, INPUTS, f->in, 1, &e, &p), HML_OK);
  double *work = calloc(hml_program_work_size(p) + 1, sizeof *work);
  hml_program_eval(p, at, &out, work);
  free(work);
  hml_program_free(p);
  return out;
}

// The terms of the Taylor polynomial about `at` from the given order on, and from input k on: d are the distances
static double polynomial(hml_context *c, const fixture *f, hml_expr e, size_t k, int order, const double *at, const double *d) {
  double sum = 0, power = 1;
  if (k == MOVING) return value(c, f, e, at);
  for (int j = 0; j <= DEGREE - order; j++) {
    sum += power * polynomial(c, f, e, k + 1, order + j, at, d);
    e = hml_derivative(c, e, f->in[k]);
    power *= d[k] / (j + 1);
  }
  return sum;
}

// Of the remainder where the inputs are d away from the middle
static double bound(const fixture *f, const double *fourths, const double *d) {
  const uint32_t *in;
  const size_t n = hml_remainder__inputs(f->remainder, &in);
  double sum = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i; j < n; j++)
      for (size_t k = j; k < n; k++)
        for (size_t l = k; l < n; l++) sum += *fourths++ * fabs(d[in[i]] * d[in[j]] * d[in[k]] * d[in[l]]);
  return sum;
}

static void bounds_hold_and_are_near(void **state) {
  static const char *const texts[] = {"sin(x)", "k*cos(2*x) - y", "exp(x*y)", "x*sin(t + y)", "1/(1 + x^2 + y^2)", "sqrt(k + x*z)", "x^5*y - z", "log(2 + sin(x))*z", "atan2(y + 2, x)"};
  hml_context *c = *state;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const double middle[INPUTS] = {0.3, 0.5, -0.4, 0.7, 2};
    double slopes[HML_REMAINDER_INPUTS], fourths[HML_REMAINDER_FOURTHS], nearest = 0;
    hml_range box[INPUTS];
    fixture f;
    set_up(c, texts[i], &f);
    assert_non_null(f.remainder);
    for (size_t k = 0; k < INPUTS; k++) box[k] = (hml_range){middle[k] - (k < MOVING ? 0.1 : 0), middle[k] + (k < MOVING ? 0.1 : 0)};
    assert_true(hml_remainder__bounds(f.remainder, box, f.scratch, slopes, fourths));
    for (int corner = 0; corner < 1 << MOVING; corner++) {
      double at[INPUTS], d[INPUTS] = {0};
      memcpy(at, middle, sizeof at);
      for (size_t k = 0; k < MOVING; k++) at[k] += d[k] = corner >> k & 1 ? 0.1 : -0.1;
      const double rest = fabs(value(c, &f, f.e, at) - polynomial(c, &f, f.e, 0, 0, middle, d)), most = bound(&f, fourths, d);
      if (!(rest <= most * (1 + 1e-6) + 1e-14)) fail_msg("%s: %g beyond %g", texts[i], rest, most);
      nearest = fmax(nearest, rest / most);
    }
    if (nearest < 0.03) fail_msg("%s: the bound is %g times too large", texts[i], 1 / nearest);
    tear_down(&f);
  }
}

static void a_sine_is_bounded_everywhere(void **state) {
  double slopes[HML_REMAINDER_INPUTS], fourths[HML_REMAINDER_FOURTHS];
  hml_range box[INPUTS] = {{-INFINITY, INFINITY}, {-INFINITY, INFINITY}, {-INFINITY, INFINITY}, {-INFINITY, INFINITY}, {3, 3}};
  const uint32_t *in;
  fixture f;
  set_up(*state, "sin(k*y)", &f);
  assert_int_equal(hml_remainder__inputs(f.remainder, &in), 1);
  assert_int_equal(in[0], 2);
  assert_true(hml_remainder__bounds(f.remainder, box, f.scratch, slopes, fourths));
  check_near(slopes[0], 3, 1e-12);
  check_near(fourths[0], 81.0 / 24, 1e-12);
  tear_down(&f);
}

static void corners_poles_and_jumps_have_no_bound(void **state) {
  static const struct {
    const char *text;
    double low, high;
    bool bounded;
  } cases[] = {
      {"abs(x)", -0.1, 0.1, false}, {"abs(x)", 0.1, 0.2, true}, {"x*abs(x)", -0.1, 0.1, false}, {"x^3*abs(x)", -0.1, 0.1, false}, {"max(x, 0)", -0.1, 0.1, false},
      {"max(x, 0)", 0.1, 0.2, true}, {"sign(x)", -1, 1, false}, {"sqrt(x)", 0, 1, false}, {"sqrt(x)", 0.5, 1, true}, {"1/x", -1, 1, false}, {"1/x", 1, 2, true},
      {"exp(x)", -INFINITY, INFINITY, false}, {"exp(x)", -1, 3, true}, {"x^(7/2)", 0, 1, false}, {"atan2(x, -1)", -1, 1, false},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    double slopes[HML_REMAINDER_INPUTS], fourths[HML_REMAINDER_FOURTHS];
    hml_range box[INPUTS] = {{0, 0}, {cases[i].low, cases[i].high}, {0, 0}, {0, 0}, {1, 1}};
    fixture f;
    set_up(*state, cases[i].text, &f);
    assert_non_null(f.remainder);
    if (hml_remainder__bounds(f.remainder, box, f.scratch, slopes, fourths) != cases[i].bounded)
      fail_msg("%s from %g to %g: %s", cases[i].text, cases[i].low, cases[i].high, cases[i].bounded ? "no bound" : "a bound");
    tear_down(&f);
  }
}

static void too_many_inputs_and_none_are_refused(void **state) {
  fixture f;
  set_up(*state, "sin(t)*cos(x)*y*z", &f);
  assert_null(f.remainder);
  tear_down(&f);
  set_up(*state, "sin(k)", &f);
  assert_null(f.remainder);
  tear_down(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(bounds_hold_and_are_near),
      in_context(a_sine_is_bounded_everywhere),
      in_context(corners_poles_and_jumps_have_no_bound),
      in_context(too_many_inputs_and_none_are_refused),
  };
  return cmocka_run_group_tests_name("remainder", tests, NULL, NULL);
}
