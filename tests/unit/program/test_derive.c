// tests src/program/derive.c
#include "programs.h"

enum { ACTIVE = 3 };
static const size_t active[ACTIVE] = {0, 2, 3};

typedef struct derived {
  hml_program *p, *tangent, *adjoint;
} derived;

static derived derive(void **state, uint64_t *dice) {
  hml_context *c = *state;
  hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
  derived d;
  make_symbols(c, symbols);
  draw_outputs(c, dice, symbols, outputs);
  check_ok(hml_program_new(c, SYMBOLS, symbols, OUTPUTS, outputs, &d.p));
  check_ok(hml_program_tangent(c, d.p, ACTIVE, active, &d.tangent));
  check_ok(hml_program_adjoint(c, d.p, ACTIVE, active, &d.adjoint));
  return d;
}

static void free_derived(derived *d) {
  hml_program_free(d->p);
  hml_program_free(d->tangent);
  hml_program_free(d->adjoint);
}

static double largest(size_t n, const double *x) {
  double most = 1;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i]));
  return most;
}

// arbiters: central differences of fourth order; <w, J s> = <J^T w, s>
static void tangents_and_adjoints_agree_with_differences_and_each_other(void **state) {
  int compared = 0;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    uint64_t dice = seed * UINT64_C(0xD1342543DE82EF95);
    derived d = derive(state, &dice);
    double in[SYMBOLS + OUTPUTS], moved[SYMBOLS], out[OUTPUTS], value[2 * OUTPUTS], gradient[OUTPUTS + ACTIVE], w[OUTPUTS], s[ACTIVE];
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&dice, 0.1, 1.5);
    for (size_t i = 0; i < ACTIVE; i++) in[SYMBOLS + i] = s[i] = draw_between(&dice, -1, 1);
    evaluate(d.p, in, out);
    evaluate(d.tangent, in, value);
    assert_memory_equal(out, value, sizeof out);
    double left = 0, right = 0, scale = largest(2 * OUTPUTS, value);
    for (size_t i = 0; i < OUTPUTS; i++) left += (w[i] = draw_between(&dice, -1, 1)) * value[OUTPUTS + i];
    const double h = 1e-3, steps[4] = {-2 * h, -h, h, 2 * h}, weights[4] = {1 / (12 * h), -8 / (12 * h), 8 / (12 * h), -1 / (12 * h)};
    double difference[OUTPUTS] = {0};
    for (size_t k = 0; k < 4; k++) {
      memcpy(moved, in, sizeof moved);
      for (size_t i = 0; i < ACTIVE; i++) moved[active[i]] += steps[k] * s[i];
      evaluate(d.p, moved, out);
      for (size_t i = 0; i < OUTPUTS; i++) difference[i] += weights[k] * out[i];
    }
    memcpy(in + SYMBOLS, w, sizeof w);
    evaluate(d.adjoint, in, gradient);
    assert_memory_equal(value, gradient, OUTPUTS * sizeof *value);
    for (size_t i = 0; i < ACTIVE; i++) right += gradient[OUTPUTS + i] * s[i];
    if (scale < 100) {
      compared++;
      check_near(left, right, 1e-11 * scale);
      for (size_t i = 0; i < OUTPUTS; i++) check_near(value[OUTPUTS + i], difference[i], 2e-6 * scale * scale);
    }
    free_derived(&d);
  }
  assert_true(compared > 150);
}

// Some of the tangents alone are the same numbers
static void rates_are_the_tangents_of_the_first_outputs(void **state) {
  for (uint64_t seed = 1; seed <= 50; seed++) {
    uint64_t dice = seed * UINT64_C(0xD1342543DE82EF95);
    derived d = derive(state, &dice);
    hml_program *rates;
    double in[SYMBOLS + ACTIVE], all[2 * OUTPUTS], some[OUTPUTS - 1];
    check_ok(hml_program__rates(*state, d.p, ACTIVE, active, OUTPUTS - 1, &rates));
    assert_int_equal(hml_program_outputs(rates), OUTPUTS - 1);
    for (size_t i = 0; i < SYMBOLS + ACTIVE; i++) in[i] = draw_between(&dice, 0.1, 1.5);
    evaluate(d.tangent, in, all);
    evaluate(rates, in, some);
    for (size_t i = 0; i + 1 < OUTPUTS; i++) check_near(some[i], all[OUTPUTS + i], 1e-13 * (1 + fabs(all[OUTPUTS + i])));
    hml_program_free(rates);
    free_derived(&d);
  }
}

// arbiter: the derivative of the expression, for every row of functions.def
static void every_function_has_its_partials(void **state) {
  hml_context *c = *state;
  for (hml_function f = 0; f < HML_FUN_COUNT; f++) {
    unsigned order;
    if (hml_tabled__is(f, &order)) continue;                           // they need a table: test_calculus.c
    hml_expr symbols[2] = {hml_symbol(c, "u", 0, 0), hml_symbol(c, "v", 0, 0)}, e = hml_call(c, f, hml_function_arity(f), symbols);
    double above = f == HML_FUN_acosh ? 1.4 : 0.4, in[4] = {above, 0.9, 0, 0}, out[2], gradient[3], wanted;
    const size_t both[2] = {0, 1};
    hml_program *p, *tangent, *adjoint;
    check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
    check_ok(hml_program_tangent(c, p, 2, both, &tangent));
    check_ok(hml_program_adjoint(c, p, 2, both, &adjoint));
    for (size_t k = 0; k < hml_function_arity(f); k++) {
      check_ok(hml_value(c, hml_derivative(c, e, symbols[k]), 2, symbols, in, &wanted));
      in[2] = k == 0;
      in[3] = k == 1;
      evaluate(tangent, in, out);
      check_near(out[1], wanted, 1e-14 * (1 + fabs(wanted)));
      in[2] = 1;
      evaluate(adjoint, in, gradient);
      check_near(gradient[1 + k], wanted, 1e-14 * (1 + fabs(wanted)));
    }
    hml_program_free(p);
    hml_program_free(tangent);
    hml_program_free(adjoint);
  }
}

// A derivative that is zero by structure costs nothing
static void structural_zeros_are_dropped(void **state) {
  hml_program *p = program_of(state, 3, (const char *const[]){"sin(y)", "sign(x) + y*z", "3"}), *q;
  const size_t x = 0;
  check_ok(hml_program_tangent(*state, p, 1, &x, &q));
  assert_int_equal(hml_program_operations(q), hml_program_operations(p));
  double in[SYMBOLS + 1] = {NAN, 1, 2, 3, 4, NAN}, out[6];
  evaluate(q, in, out);
  assert_true(out[3] == 0 && out[4] == 0 && out[5] == 0);
  hml_program_free(q);
  hml_program_free(p);
}

static void derivatives_can_be_derived_again(void **state) {
  hml_program *p = program_of(state, 1, (const char *const[]){"x^3*y"}), *q, *r;
  const size_t x = 0;
  check_ok(hml_program_adjoint(*state, p, 1, &x, &q));
  check_ok(hml_program_tangent(*state, q, 1, &x, &r));
  // inputs x, y, z, x', m, w1, dx; outputs f, f_x, then their tangents
  double in[] = {1.5, 2, 0, 0, 0, 1, 1}, out[4];
  evaluate(r, in, out);
  check_near(out[1], 3 * 1.5 * 1.5 * 2, 1e-13);
  check_near(out[3], 6 * 1.5 * 2, 1e-13);
  assert_string_equal(hml_program__input_name(r, 5), "w1");
  assert_string_equal(hml_program__input_name(r, 6), "dx");
  hml_program_free(p);
  hml_program_free(q);
  hml_program_free(r);
}

static void an_input_may_reach_several_outputs_untouched(void **state) {
  hml_program *p = program_of(state, 3, (const char *const[]){"x", "x", "-x"}), *q;
  const size_t x = 0;
  check_ok(hml_program_adjoint(*state, p, 1, &x, &q));
  double in[] = {7, 0, 0, 0, 0, 1, 10, 100}, out[4];
  evaluate(q, in, out);
  assert_true(out[0] == 7 && out[1] == 7 && out[2] == -7 && out[3] == -89);
  hml_program_free(p);
  hml_program_free(q);
}

static void the_adjoint_of_a_deep_program_is_linear(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), e = x;
  for (int k = 0; k < 20000; k++) {
    hml_expr scaled = hml_mul(c, e, hml_rational(c, 1, 2));
    e = hml_add(c, x, hml_call(c, HML_FUN_sin, 1, &scaled));
  }
  hml_program *p, *q;
  const size_t zero = 0;
  check_ok(hml_program_new(c, 1, &x, 1, &e, &p));
  check_ok(hml_program_adjoint(c, p, 1, &zero, &q));
  assert_true(hml_program_operations(q) <= 6 * hml_program_operations(p));
  // at the fixed point y = x + sin(y/2): y' = 1/(1 - cos(y/2)/2)
  double in[2] = {0.5, 1}, out[2];
  evaluate(q, in, out);
  check_near(out[1], 1 / (1 - cos(out[0] / 2) / 2), 1e-13);
  hml_program_free(p);
  hml_program_free(q);
}

static void bad_active_inputs_are_refused(void **state) {
  hml_program *p = program_of(state, 1, (const char *const[]){"x*y"}), *q;
  const size_t outside = SYMBOLS, twice[2] = {1, 1};
  assert_int_equal(hml_program_tangent(*state, p, 1, &outside, &q), HML_ARGUMENT);
  assert_null(q);
  check_contains(hml_context_error(*state)->message, "active input 5");
  hml_context_clear_error(*state);
  assert_int_equal(hml_program_adjoint(*state, p, 2, twice, &q), HML_ARGUMENT);
  check_contains(hml_context_error(*state)->message, "'y' is active twice");
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(tangents_and_adjoints_agree_with_differences_and_each_other),
      in_context(rates_are_the_tangents_of_the_first_outputs), in_context(every_function_has_its_partials),
      in_context(structural_zeros_are_dropped),
      in_context(derivatives_can_be_derived_again),
      in_context(an_input_may_reach_several_outputs_untouched),
      in_context(the_adjoint_of_a_deep_program_is_linear),
      in_context(bad_active_inputs_are_refused),
  };
  return cmocka_run_group_tests_name("derive", tests, NULL, NULL);
}
