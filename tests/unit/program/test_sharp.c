// tests src/program/sharp.c
#include "programs.h"

typedef struct row {
  const char *text;
  hml_range x;
  bool poles, sharp;                   // does it change by more than between two points of a smooth motion?
} row;

// Which ranges of x a step may cover: an exponent may change by 9, a denominator, what a root is taken of, and 1 + u^2 of atan(u) by a factor of 33, powers up to x^15 by anything
static const row rows[] = {
    {"exp(-x^2)", {-10, 1}, false, true},     {"exp(-x^2)", {-2, 2}, false, false},      {"exp(-x^2)", {-1000, -9}, false, false},
    {"exp(x)", {0, 8}, false, false},         {"exp(x)", {0, 10}, false, true},          {"exp(x)", {100, 700}, false, false},
    {"tanh(100*x)", {-1, 1}, false, true},    {"tanh(x)", {-2, 2}, false, false},        {"tanh(x)", {40, 80}, false, false},
    {"sinh(x) + cosh(x)", {-9, 9}, false, true},
    {"x^9", {-1, 1}, false, false},           {"x^30", {-1, 1}, false, true},            {"cos(x)^200", {-1, 1}, false, true},
    {"cos(x)^200", {0.5, 0.53}, false, false}, {"(1 - x^2)^30", {-0.9, 0.5}, false, true},
    {"1/(1 + 1000*x^2)", {-1, 1}, false, false}, {"1/(1 + 1000*x^2)", {-1, 1}, true, true}, {"1/(1 + x^2)", {-1, 1}, true, false},
    {"1/x", {-1, 1}, true, false},            {"1/x", {1e-9, 1}, true, false},           {"sin(x) + x^2*cos(x)", {-50, 50}, true, false},
    {"sqrt(1 + 1000*x^2)", {-1, 1}, true, true}, {"sqrt(1 + x^2)", {-1, 1}, true, false},     {"sqrt(x)", {0.01, 1}, true, false},
    {"log(1 + 1000*x^2)", {-1, 1}, true, true},  {"atan(100*x)", {-1, 1}, true, true},        {"atan(100*x)", {-1, 1}, false, false},
    {"atan(x)", {-3, 3}, true, false},           {"atan(100*x)", {0.3, 1}, true, false},      {"asinh(100*x)", {-1, 1}, true, true},
};

static bool is_sharp(void **state, const row *r, bool *in_any_step) {
  hml_program *p = program_of(state, 1, &r->text);
  hml_range box[SYMBOLS] = {r->x, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, out;
  hml_sharp *s;
  check_ok(hml_program__sharp(*state, p, &s));
  hml_range *values = malloc((hml_program__values(p) + 1) * sizeof *values);
  assert_non_null(values);
  hml_range *ends[2];
  for (int k = 0; k < 2; k++) {
    double x = k ? r->x.high : r->x.low;
    ends[k] = malloc((hml_program__values(p) + 1) * sizeof *values);
    assert_non_null(ends[k]);
    box[0] = (hml_range){x, x};
    hml_program__range(p, box, ends[k], &out);
  }
  box[0] = r->x;
  hml_program__range(p, box, values, &out);
  bool sharp = hml_sharp__change(s, values) > 1 || (r->poles && hml_sharp__dip(s, values, ends[0], ends[1], false) > 1);
  for (int k = 0; k < 2; k++) free(ends[k]);
  *in_any_step = hml_sharp__in_any_step(s);
  free(values);
  hml_sharp__free(s);
  hml_program_free(p);
  return sharp;
}

static void what_changes_within_a_short_part_is_found(void **state) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    bool in_any_step;
    if (is_sharp(state, &rows[i], &in_any_step) != rows[i].sharp)
      fail_msg("%s from %g to %g is %s", rows[i].text, rows[i].x.low, rows[i].x.high, rows[i].sharp ? "not found" : "no matter");
    if (rows[i].sharp && !rows[i].poles && !in_any_step) fail_msg("%s is looked at in no step", rows[i].text);
  }
}

// Bases that stay within a factor of 2.8 wherever x is need not be read; c (c/2) is a square even where c has both signs
static void what_never_falls_far_is_settled(void **state) {
  const struct { const char *text; hml_range x; bool settled; } cases[] = {
      {"1/(1 - cos(x)*(0.5*cos(x)))", {-INFINITY, INFINITY}, true}, {"1/(2 + sin(x))", {-INFINITY, INFINITY}, false}, {"1/(3 + sin(x))", {-INFINITY, INFINITY}, true},
      {"1/(3 + sin(x)) + 1/(1 + x^2)", {-INFINITY, INFINITY}, false}, {"1/(1 + x^2)", {-1, 1}, true}, {"1/x", {-1, 1}, false}, {"1/x", {1, 2}, true},
      {"exp(x)", {0, 1}, false}, {"exp(x)/(3 + sin(x))", {0, 1}, false}, {"sin(x)*x^2", {-INFINITY, INFINITY}, true}, {"atan(x)", {-1, 1}, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hml_program *p = program_of(state, 1, &cases[i].text);
    hml_range box[SYMBOLS] = {cases[i].x, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, whole[SYMBOLS] = {{-INFINITY, INFINITY}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    hml_sharp *s;
    check_ok(hml_program__sharp(*state, p, &s));
    hml_range *values = malloc((hml_sharp__room(s) + 1) * sizeof *values);
    assert_non_null(values);
    const bool any = hml_sharp__reads(s);
    hml_sharp__settle(s, box, values);
    if (hml_sharp__reads(s) == cases[i].settled) fail_msg("%s is %s", cases[i].text, cases[i].settled ? "read" : "not read");
    if (!hml_sharp__reads(s)) assert_true(hml_sharp__change(s, values) == 0 && !hml_sharp__may_dip(s, values));
    // where the inputs may be anywhere, all of them count again that are not settled there
    hml_sharp__settle(s, whole, values);
    assert_true(any || !hml_sharp__reads(s));
    if (isfinite(cases[i].x.low) && strcmp(cases[i].text, "sin(x)*x^2") != 0) assert_true(hml_sharp__reads(s));
    free(values);
    hml_sharp__free(s);
    hml_program_free(p);
  }
}

// Who compares dips with 1 alone does not read bases that fall by less; those that fall farther are found as before
static void parts_of_a_dip_are_left_out(void **state) {
  const struct { const char *text; bool settled; } cases[] = {
      {"1/(2 + sin(x))", true}, {"1/(1.1 + sin(x))", true}, {"1/(1.05 + sin(x))", false}, {"1/(1 + x^2)", false}, {"1/x", false}, {"exp(x)", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hml_program *p = program_of(state, 1, &cases[i].text);
    hml_range whole[SYMBOLS] = {{-INFINITY, INFINITY}, {1, 1}, {1, 1}, {1, 1}, {1, 1}}, at[SYMBOLS] = {{-3, -1}, {1, 1}, {1, 1}, {1, 1}, {1, 1}};
    hml_sharp *s, *all;
    check_ok(hml_program__sharp(*state, p, &s));
    check_ok(hml_program__sharp(*state, p, &all));
    hml_sharp__ignore_parts(s);
    hml_range *values = calloc(4 * (hml_sharp__room(s) + 1), sizeof *values), *start = values + hml_sharp__room(s) + 1, *end = start + hml_sharp__room(s) + 1;
    assert_non_null(values);
    hml_sharp__settle(s, whole, values);
    if (hml_sharp__reads(s) == cases[i].settled) fail_msg("%s is %s", cases[i].text, cases[i].settled ? "read" : "not read");
    // over (-3, -1), where 1.05 + sin(x) falls to 0.05 and 1.1 + sin(x) to 0.1, between the values at the ends
    hml_sharp__ranges(all, at, values);
    hml_range first[SYMBOLS], last[SYMBOLS];
    for (int k = 0; k < SYMBOLS; k++) first[k] = (hml_range){at[k].low, at[k].low}, last[k] = (hml_range){at[k].high, at[k].high};
    hml_sharp__values(all, first, start);
    hml_sharp__values(all, last, end);
    const double dip = hml_sharp__dip(all, values, start, end, false);
    if (cases[i].settled) assert_true(dip <= 1);
    if (dip > 1) assert_true(hml_sharp__reads(s) && hml_sharp__may_dip(s, values));
    free(values);
    hml_sharp__free(all);
    hml_sharp__free(s);
    hml_program_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(what_changes_within_a_short_part_is_found),
      in_context(what_never_falls_far_is_settled),
      in_context(parts_of_a_dip_are_left_out),
  };
  return cmocka_run_group_tests_name("sharp", tests, NULL, NULL);
}
