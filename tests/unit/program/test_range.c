// tests src/program/range.c
#include "programs.h"
#include "program/program_impl.h"

#include <float.h>

enum { BOXES = 400, POINTS = 12 };

static hml_range draw_range(uint64_t *seed, double from, double to, double widest) {
  double a = draw_between(seed, from, to), width = widest * pow(10, -draw_between(seed, 0, 12));
  return (hml_range){a, fmin(a + width, to)};
}

static double within(uint64_t *seed, hml_range a) {
  switch (draw(seed) % 4) {
    case 0: return a.low;
    case 1: return a.high;
    default: return fmin(fmax(draw_between(seed, a.low, a.high), a.low), a.high);
  }
}

static void check_holds(const char *what, hml_range r, double x) {
  if (!(x >= r.low && x <= r.high)) fail_msg("%s: %.17g is not in [%.17g, %.17g]", what, x, r.low, r.high);
}

// Of a program with n inputs: values at points of the box lie in the ranges; returns the kind
static hml_range_kind check_box(const hml_program *p, const char *what, size_t n, const hml_range *box, hml_range *out, uint64_t *seed) {
  hml_range *values = malloc((hml_program__values(p) + 1) * sizeof *values);
  assert_non_null(values);
  hml_range_kind kind = hml_program__range(p, box, values, out);
  for (int k = 0; kind != HML_RANGE_UNDEFINED && k < POINTS; k++) {
    double in[SYMBOLS] = {0}, result[OUTPUTS];
    hml_range point[SYMBOLS] = {{0, 0}};
    for (size_t i = 0; i < n; i++) in[i] = point[i].low = point[i].high = within(seed, box[i]);
    evaluate(p, in, result);
    program_values(p, p->n_instructions, p->instructions, point, values);
    for (size_t i = 0; i < hml_program_outputs(p); i++) {
      check_holds(what, out[i], result[i]);
      assert_true(values[hml_program__output(p, i)].low == result[i] && values[hml_program__output(p, i)].high == result[i]);
    }
  }
  free(values);
  return kind;
}

// Every row of functions.def: no value outside, and ranges that shrink with their boxes wherever the function exists
static void ranges_of_all_functions_hold_their_values(void **state) {
  hml_context *c = *state;
  uint64_t seed = 41;
  hml_expr symbols[2] = {hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0)};
  double id, px[5] = {-9, -4, 0, 3, 9}, py[5] = {1, -2, 0.5, 3, -1};
  check_ok(hml_data_new(c, "measured", "cubic", 5, px, py, &id));
  for (int f = 0; f < HML_FUN_COUNT; f++) {
    const char *name = hml_function_name((hml_function)f);
    bool table = strncmp(name, "tabled", 6) == 0;
    hml_expr arguments[2] = {table ? hml_integer(c, (int64_t)id) : symbols[0], table ? symbols[0] : symbols[1]};
    hml_expr e = hml_call(c, (hml_function)f, hml_function_arity((hml_function)f), arguments);
    hml_program *p;
    int defined = 0;
    check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
    for (int k = 0; k < BOXES; k++) {
      double most = k % 2 ? 1 : 8;
      hml_range box[2] = {draw_range(&seed, -most, most, most), draw_range(&seed, -most, most, most)}, out[1];
      hml_range_kind kind = check_box(p, name, 2, box, out, &seed);
      defined += kind != HML_RANGE_UNDEFINED;
      // a point of the domain has a narrow range
      double at = 0.5 * (box[0].low + box[0].high), beside = 0.5 * (box[1].low + box[1].high), x, in[SYMBOLS] = {at, beside};
      box[0] = (hml_range){at, at}, box[1] = (hml_range){beside, beside};
      kind = check_box(p, name, 2, box, out, &seed);
      evaluate(p, in, &x);
      assert_true(isfinite(x) == (kind != HML_RANGE_UNDEFINED));
      if (isfinite(x)) assert_true(out[0].high - out[0].low <= 1e-12 * (1 + fabs(x)));
    }
    if (defined < BOXES / 20) fail_msg("%s: no range is known", name);
    hml_program_free(p);
  }
}

static void ranges_of_random_programs_hold_their_values(void **state) {
  hml_context *c = *state;
  uint64_t seed = 5;
  int known = 0;
  for (int round = 0; round < 60; round++) {
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    hml_program *p, *tangent;
    size_t all[SYMBOLS] = {0, 1, 2, 3, 4};
    make_symbols(c, symbols);
    draw_outputs(c, &seed, symbols, outputs);
    check_ok(hml_program_new(c, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    check_ok(hml_program_tangent(c, p, 1, all, &tangent));
    for (int k = 0; k < 40; k++) {
      hml_range box[SYMBOLS], out[OUTPUTS];
      double widest = k % 2 ? 1 : 1e-3;
      for (int i = 0; i < SYMBOLS; i++) box[i] = draw_range(&seed, 0.1, 1.5, widest);
      known += check_box(p, "random", SYMBOLS, box, out, &seed) == HML_RANGE_CONTINUOUS;
    }
    hml_program_free(tangent);
    hml_program_free(p);
    hml_context_sweep(c);
  }
  assert_true(known > 1200);
}

// Where a value may not exist, or is not continuous, the kind says so
static void corners_and_edges_are_told(void **state) {
  const struct { const char *text; double low, high; hml_range_kind kind; } rows[] = {
      {"1/x", -1, 1, HML_RANGE_UNDEFINED}, {"1/x", 0.5, 1, HML_RANGE_CONTINUOUS}, {"tan(x)", 1, 2, HML_RANGE_UNDEFINED},
      {"tan(x)", 2, 4, HML_RANGE_CONTINUOUS}, {"sqrt(x)", -1, 1, HML_RANGE_UNDEFINED}, {"sqrt(x)", 0, 1, HML_RANGE_CONTINUOUS},
      {"log(x)", 0, 1, HML_RANGE_UNDEFINED}, {"sign(x)", -1, 1, HML_RANGE_JUMPS}, {"sign(x)", 1, 2, HML_RANGE_CONTINUOUS},
      {"abs(x)", -1, 1, HML_RANGE_CONTINUOUS}, {"atan2(x, -1)", -1, 1, HML_RANGE_JUMPS}, {"atan2(x, 1)", -1, 1, HML_RANGE_CONTINUOUS},
      {"atan2(x, x)", -1, 1, HML_RANGE_UNDEFINED}, {"x^(1/3)", -1, 1, HML_RANGE_UNDEFINED}, {"x^(-2)", -1, 1, HML_RANGE_UNDEFINED},
      {"asin(x)", 0.5, 1.5, HML_RANGE_UNDEFINED}, {"acosh(x)", 0.5, 1.5, HML_RANGE_UNDEFINED}, {"x^4", -2, 1, HML_RANGE_CONTINUOUS}};
  uint64_t seed = 3;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hml_program *p = program_of(state, 1, &rows[k].text);
    hml_range box[SYMBOLS] = {{rows[k].low, rows[k].high}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, out[OUTPUTS];
    hml_range_kind kind = check_box(p, rows[k].text, SYMBOLS, box, out, &seed);
    if (kind != rows[k].kind) fail_msg("%s from %g to %g: %d", rows[k].text, rows[k].low, rows[k].high, (int)kind);
    hml_program_free(p);
  }
}

// Squares do not go below zero, waves not beyond one, and even powers know their bottom
static void ranges_are_narrow(void **state) {
  const struct { const char *text; double low, high, bottom, top; } rows[] = {
      {"x^2", -2, 1, 0, 4}, {"x^6", -1, 2, 0, 64}, {"sin(x)", 0, 2, 0, 1}, {"cos(x)", -1, 1, 0.5403023058681398, 1},
      {"sin(x)", -100, 100, -1, 1}, {"exp(-x^2)", -1, 2, 0.01831563888873418, 1}, {"max(x, 0)", -1, 2, 0, 2}, {"min(x, 0)", -1, 2, -1, 0},
      {"abs(x)", -1, 2, 0, 2}, {"cosh(x)", -1, 0.5, 1, 1.5430806348152437}, {"x/(1 + x^2)", 1, 2, 0.2, 1}};
  uint64_t seed = 3;
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    hml_program *p = program_of(state, 1, &rows[k].text);
    hml_range box[SYMBOLS] = {{rows[k].low, rows[k].high}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, out[OUTPUTS];
    check_box(p, rows[k].text, SYMBOLS, box, out, &seed);
    check_near(out[0].low, rows[k].bottom, 1e-13);
    check_near(out[0].high, rows[k].top, 1e-13);
    hml_program_free(p);
  }
}

// The kind, and the range of the only output
static hml_range_kind range_on(const hml_program *p, const hml_range *box, hml_range *out) {
  hml_range *values = malloc((hml_program__values(p) + 1) * sizeof *values);
  assert_non_null(values);
  hml_range_kind kind = hml_program__range(p, box, values, out);
  free(values);
  return kind;
}

// A bound that is not a number is none: the range is that of the whole line, which proves nothing false
static void what_is_not_a_number_is_unknown(void **state) {
  hml_context *c = *state;
  const char *texts[] = {"x + y", "x*y", "x^2", "x^3 - 2*x*y", "y/x", "sqrt(x)", "sqrt(x^2 + 1)", "x^(1/3)", "2^x", "x^y", "max(x, y)", "min(y, x)",
                         "sign(x)", "max(min(x, 1), -1)", "atan2(y, x)"};
  const hml_range unknown[] = {{NAN, NAN}, {NAN, 1}, {0, NAN}, {1, -1}};
  const size_t count = sizeof texts / sizeof *texts;
  for (size_t k = 0; k < count + HML_FUN_COUNT; k++) {
    hml_program *p;
    const char *what = k < count ? texts[k] : hml_function_name((hml_function)(k - count));
    if (strncmp(what, "tabled", 6) == 0) continue;
    if (k < count) {
      p = program_of(state, 1, &texts[k]);
    } else {
      hml_expr symbols[2] = {hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0)};
      hml_expr e = hml_call(c, (hml_function)(k - count), hml_function_arity((hml_function)(k - count)), symbols);
      check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
    }
    for (size_t at = 0; at < 2; at++)
      for (size_t u = 0; u < 4; u++) {
        hml_range box[SYMBOLS] = {{0.25, 0.5}, {0.25, 0.5}, {1, 1}, {1, 1}, {1, 1}}, of_nan, of_line;
        box[at] = unknown[u];
        hml_range_kind kind = range_on(p, box, &of_nan);
        box[at] = (hml_range){-INFINITY, INFINITY};
        hml_range_kind wanted = range_on(p, box, &of_line);
        if (kind != wanted || !(of_nan.low == of_line.low && of_nan.high == of_line.high))
          fail_msg("%s: [%g, %g] of kind %d, not [%g, %g] of kind %d", what, of_nan.low, of_nan.high, (int)kind, of_line.low, of_line.high, (int)wanted);
      }
    hml_program_free(p);
  }
  const char *root = "sqrt(x)";
  hml_program *p = program_of(state, 1, &root);
  hml_range box[SYMBOLS] = {{-INFINITY, INFINITY}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, out;
  assert_int_equal(range_on(p, box, &out), HML_RANGE_UNDEFINED);
  hml_program_free(p);
}

// Values on a part are values on the whole: a range without bounds holds the ranges of all boxes in it, up to the largest numbers, and is no more certain
static void unbounded_ranges_hold_finite_ones(void **state) {
  hml_context *c = *state;
  const char *texts[] = {"x + y", "x - y", "x*y", "x^2", "x^3 - 2*x*y", "y/x", "1/(1 + x^2)", "sqrt(x^2 + 1)", "exp(-x^2)", "x*exp(-x)", "2^x", "x^y", "max(x, y)",
                         "min(y, 1/(1 + x^2))", "sign(x)", "atan2(y, x)", "atan(x)*y", "log(1 + x^2)/(1 + x^2)", "sin(x)*y", "tanh(x - y)", "x^4 - x^2"};
  const hml_range wholes[] = {{-INFINITY, INFINITY}, {0.25, INFINITY}, {0, INFINITY}, {-INFINITY, -0.25}, {-INFINITY, 3}, {-2, INFINITY}};
  const size_t count = sizeof texts / sizeof *texts;
  uint64_t seed = 19;
  size_t known = 0;
  for (size_t k = 0; k < count + HML_FUN_COUNT; k++) {
    hml_program *p;
    const char *what = k < count ? texts[k] : hml_function_name((hml_function)(k - count));
    if (strncmp(what, "tabled", 6) == 0) continue;
    if (k < count) {
      p = program_of(state, 1, &texts[k]);
    } else {
      hml_expr symbols[2] = {hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0)};
      hml_expr e = hml_call(c, (hml_function)(k - count), hml_function_arity((hml_function)(k - count)), symbols);
      check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
    }
    for (size_t at = 0; at < 2; at++)
      for (size_t w = 0; w < sizeof wholes / sizeof *wholes; w++) {
        hml_range box[SYMBOLS] = {{0.25, 0.5}, {0.25, 0.5}, {1, 1}, {1, 1}, {1, 1}}, of_whole, of_part;
        box[at] = wholes[w];
        const hml_range_kind whole = range_on(p, box, &of_whole);
        known += whole != HML_RANGE_UNDEFINED;
        for (int trial = 0; trial < 60; trial++) {
          const double size = pow(10, draw_between(&seed, -3, trial % 2 ? 307 : 3)), one = draw_between(&seed, -1, 1) * size, other = draw_between(&seed, -1, 1) * size;
          box[at].low = fmax(fmin(one, other), wholes[w].low), box[at].high = fmin(fmax(one, other), wholes[w].high);
          if (!(box[at].low <= box[at].high)) continue;
          const hml_range_kind part = range_on(p, box, &of_part);
          if (whole == HML_RANGE_UNDEFINED) continue;
          if (part == HML_RANGE_UNDEFINED || (whole == HML_RANGE_CONTINUOUS && part != whole) || !(of_part.low >= of_whole.low && of_part.high <= of_whole.high))
            fail_msg("%s: [%.17g, %.17g] of kind %d where input %zu is in [%g, %g], and [%.17g, %.17g] of kind %d in [%g, %g]", what, of_part.low, of_part.high, (int)part, at,
                     box[at].low, box[at].high, of_whole.low, of_whole.high, (int)whole, wholes[w].low, wholes[w].high);
        }
      }
    hml_program_free(p);
  }
  assert_true(known > 200);
}

// Of programs in x, y, z with x and y moving: coefficients and rest hold the value at any place, and are as narrow as rounding errors
static void affine_programs_are_seen_as_such(void **state) {
  const struct { const char *text; bool affine; } cases[] = {
      {"x", true}, {"2*x - 3*y + z", true}, {"sin(z)*x - y/(z*z + 1)", true}, {"z - (x - z*y)*0.1", true}, {"(x + 1)*z - (y - 1)*sqrt(z)", true},
      {"exp(z)", true}, {"x*y", false}, {"x^2", false}, {"sin(x)", false}, {"z/x", false}, {"min(x, y)", false}, {"abs(y) + z", false},
      {"x*log(-z)", false}};
  const uint32_t moving[2] = {0, 1};
  uint64_t seed = 7;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hml_program *p = program_of(state, 1, &cases[k].text);
    void *work = malloc(hml_program__affine_size(p, 2));
    assert_non_null(work);
    for (int trial = 0; trial < 200; trial++) {
      double in[SYMBOLS] = {draw_between(&seed, -9, 9), draw_between(&seed, -9, 9), draw_between(&seed, 0.1, 3)}, x;
      hml_range box[SYMBOLS] = {{-INFINITY, INFINITY}, {-INFINITY, INFINITY}, {in[2], in[2]}}, form[3];
      bool affine = hml_program__affine(p, 2, moving, box, work, form);
      if (affine != cases[k].affine) fail_msg("%s: %d", cases[k].text, affine);
      if (!affine) continue;
      double middle = 0, reach = 0;
      for (size_t i = 0; i < 3; i++) {
        double by = i < 2 ? in[i] : 1;
        middle += 0.5 * (form[i].low + form[i].high) * by;
        reach += (0.5 * (form[i].high - form[i].low) + 4 * DBL_EPSILON * fabs(form[i].high)) * fabs(by);
      }
      evaluate(p, in, &x);
      check_holds(cases[k].text, (hml_range){middle - reach, middle + reach}, x);
      assert_true(reach <= 1e-13 * (1 + fabs(in[0]) + fabs(in[1])) * 10);
    }
    free(work);
    hml_program_free(p);
  }
}

// y z - 1 has the roundings of the product, though y and z have none; 3 x moves with a rounding of x, or of the time; sign(x) jumps at 0
static void rounding_is_bounded(void **state) {
  const struct { const char *text; double x, time, least, most; } cases[] = {
      {"y*z - 1", 1, 0, 1e-4, 1e-2}, {"3*x", 1, 0, 12 * DBL_EPSILON, 60 * DBL_EPSILON}, {"3*x", 0, 1, 12 * DBL_EPSILON, 60 * DBL_EPSILON},
      {"3*x", 0, 0, 0, DBL_MIN}, {"y", 1, 1, 0, DBL_MIN}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hml_program *p = program_of(state, 1, &cases[k].text);
    hml_range *work = malloc((hml_program_inputs(p) + hml_program__values(p) + 1) * sizeof *work);
    assert_non_null(work);
    double in[SYMBOLS] = {cases[k].x, 1e6, 1e6}, blur = -1;
    assert_true(hml_program__blur(p, 1, cases[k].time, in, work, &blur));
    if (!(blur >= cases[k].least && blur <= cases[k].most)) fail_msg("%s: %.17g", cases[k].text, blur);
    free(work);
    hml_program_free(p);
  }
  const char *sign = "sign(x)";
  hml_program *p = program_of(state, 1, &sign);
  hml_range work[64];
  double in[SYMBOLS] = {0, 1, 1}, blur;
  assert_true(hml_program_inputs(p) + hml_program__values(p) + 1 < 64);
  assert_false(hml_program__blur(p, 1, 1, in, work, &blur));
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(ranges_of_all_functions_hold_their_values),
      in_context(ranges_of_random_programs_hold_their_values),
      in_context(corners_and_edges_are_told),
      in_context(ranges_are_narrow),
      in_context(what_is_not_a_number_is_unknown),
      in_context(unbounded_ranges_hold_finite_ones),
      in_context(affine_programs_are_seen_as_such),
      in_context(rounding_is_bounded),
  };
  return cmocka_run_group_tests_name("range", tests, NULL, NULL);
}
