// tests src/integrate/holes.c and src/integrate/traced.c: places without a value on one step of a motion x(theta), y(theta)
#include "problems.h"

#include "integrate/holes.h"

enum { INPUTS = 4, MOST = 16 };

typedef struct record {
  hml_hole list[MOST];
  size_t count;
} record;

static hml_status note(void *payload, const hml_hole *h) {
  record *r = payload;
  if (r->count >= MOST) fail_msg("%zu holes, the last one at %.17g -+ %.3g", r->count, h->theta, h->reach);
  r->list[r->count++] = *h;
  return HML_OK;
}

// Of t, x = theta - 0.3 and y = (theta - 0.7)^2 on a step from t = 1 to 3, and a constant 2
static hml_status search(hml_context *c, const char *text, record *out) {
  const hml_expr in[INPUTS] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "k", 0, 0)};
  const hml_expr e = hml_parse(c, text, INPUTS, in);
  hml_program *p;
  hml_traced *f;
  assert_int_equal(hml_program_new(c, INPUTS, in, 1, &e, &p), HML_OK);
  // y + theta (c_0 + (1 - theta) c_1)
  double start[2] = {-0.3, 0.49}, end[2] = {0.7, 0.09}, piece[4] = {1, -0.4, 0, -1}, constant = 2, where;
  const hml_step s = {.t = 1, .t1 = 3, .h = 2, .y = start, .y1 = end};
  const hml_program *const programs[] = {p};
  out->count = 0;
  assert_int_equal(hml_traced__open(c, 1, programs, 2, 2, 2, 1, &f), HML_OK);
  hml_traced__begin(f, &constant);
  const double there = hml_traced__value(f, p, 1.9, (double[]){0.15, 0.0625}), on_step = hml_traced__value_on(f, p, &s, piece, 0.45);
  if (isfinite(there)) check_near(on_step, there, 1e-9 * (1 + fabs(there)));
  hml_status status = hml_holes__on_step(f, p, &s, piece, note, out, &where);
  assert_int_equal(hml_holes__may_be(f, p, &s, piece), out->count > 0 || status != HML_OK || hml_holes__may_be(f, p, &s, piece));
  hml_traced__close(f);
  hml_program_free(p);
  return status;
}

static void sides_of_holes_are_told(void **state) {
  static const struct {
    const char *text;
    double theta;
    hml_side_kind before, behind;
    double limits[2];
  } cases[] = {
      {"1/x", 0.3, HML_SIDE_FALLS, HML_SIDE_RISES, {0, 0}},
      {"k/x^2", 0.3, HML_SIDE_RISES, HML_SIDE_RISES, {0, 0}},
      {"-1/abs(x)^(1/3)", 0.3, HML_SIDE_FALLS, HML_SIDE_FALLS, {0, 0}},
      {"1/y", 0.7, HML_SIDE_RISES, HML_SIDE_RISES, {0, 0}},
      {"log(y)", 0.7, HML_SIDE_FALLS, HML_SIDE_FALLS, {0, 0}},
      {"log(abs(x))", 0.3, HML_SIDE_FALLS, HML_SIDE_FALLS, {0, 0}},
      {"tan(x*pi + pi/2)", 0.3, HML_SIDE_RISES, HML_SIDE_FALLS, {0, 0}},
      {"atanh(y/k + 1)", 0, HML_SIDE_OPEN, HML_SIDE_OPEN, {0, 0}},
      {"sin(x)/x", 0.3, HML_SIDE_FINITE, HML_SIDE_FINITE, {1, 1}},
      {"x/abs(x)", 0.3, HML_SIDE_FINITE, HML_SIDE_FINITE, {-1, 1}},
      {"atan(1/x)", 0.3, HML_SIDE_FINITE, HML_SIDE_FINITE, {-1.5707963267948966, 1.5707963267948966}},
      {"sin(1/x)", 0.3, HML_SIDE_OPEN, HML_SIDE_OPEN, {0, 0}},
      {"(1 - cos(x))/x^2", 0.3, HML_SIDE_OPEN, HML_SIDE_OPEN, {0, 0}},       // rounding errors
      {"1/(t - 1.6)", 0.3, HML_SIDE_FALLS, HML_SIDE_RISES, {0, 0}},
      {"1/(x + 0.3)", 0, HML_SIDE_UNSEEN, HML_SIDE_RISES, {0, 0}},
      {"1/(0.7 - x)", 1, HML_SIDE_RISES, HML_SIDE_UNSEEN, {0, 0}},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    record found;
    hml_status status = search(*state, cases[i].text, &found);
    if (status != HML_OK || (found.count != 1 && cases[i].before != HML_SIDE_OPEN)) fail_msg("%s: %zu holes", cases[i].text, found.count);
    const hml_hole *h = found.list;
    if (fabs(h->theta - cases[i].theta) > 1e-6 || h->kind[0] != cases[i].before || h->kind[1] != cases[i].behind)
      fail_msg("%s: %.17g, kinds %d, %d", cases[i].text, h->theta, (int)h->kind[0], (int)h->kind[1]);
    for (int side = 0; side < 2; side++)
      if (h->kind[side] == HML_SIDE_FINITE) check_near(h->limit[side], cases[i].limits[side], 1e-9);
  }
}

static void defined_functions_have_none(void **state) {
  static const char *const texts[] = {"1/(x^2 + 1e-9)", "1/(y + 1e-12)", "sqrt(x^2)", "tan(x)", "log(t)", "1/(x + k)", "abs(x)/(1 + abs(x))", "sign(x)", "asin(x)", "x^3", "(x^2)^(3/2)"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    record found;
    hml_status status = search(*state, texts[i], &found);
    if (status != HML_OK || found.count) fail_msg("%s: %d, %zu holes", texts[i], (int)status, found.count);
  }
}

static void several_holes_come_in_order(void **state) {
  record found;
  assert_int_equal(search(*state, "1/(x*y) + 1/(x - 1/4)", &found), HML_OK);
  assert_int_equal(found.count, 3);
  const double at[] = {0.3, 0.55, 0.7};
  for (size_t i = 0; i < 3; i++) check_near(found.list[i].theta, at[i], 1e-6);
  // beyond the end of its domain a function has no value at all: the search ends
  const hml_status status = search(*state, "sqrt(x)", &found);
  assert_true(status == HML_OK || status == HML_LIMIT);
  assert_true(found.count > 0 && found.list[0].kind[0] == HML_SIDE_OPEN && found.list[0].theta == 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(sides_of_holes_are_told),
      in_context(defined_functions_have_none),
      in_context(several_holes_come_in_order),
  };
  return cmocka_run_group_tests_name("holes", tests, NULL, NULL);
}
