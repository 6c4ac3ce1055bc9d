// Tests of src/expr/calculus.c, substitute.c, value.c, functions.c: derivatives against differences, deep and shared expressions.
#include "expressions.h"

#include <pthread.h>

// Arbiter: central differences
static void derivatives_agree_with_differences(void **state) {
  fixture *f = *state;
  for (int k = 0; k < 400; k++) {
    hml_expr e = random_expression(f, 4), gradient[4];
    point p = random_point(f);
    assert_int_equal(hml_gradient(f->c, e, 4, f->s, gradient), HML_OK);
    for (int i = 0; i < 4; i++) {
      size_t j = 0;
      while (p.s[j] != f->s[i]) j++;
      point left = p, right = p;
      double h = 1e-5, exact = at(f, hml_derivative(f->c, e, f->s[i]), &p);
      left.v[j] -= h, right.v[j] += h;
      double slope = (at(f, e, &right) - at(f, e, &left)) / (2 * h), scale = 1 + fabs(slope) + fabs(at(f, e, &p));
      if (!isfinite(slope) || scale > 1e5) continue;
      assert_true(fabs(slope - exact) < 1e-5 * scale);
      assert_true(fabs(at(f, gradient[i], &p) - exact) < 1e-11 * scale);
    }
  }
}

// Arbiter: derivatives one by one
static void matrices_hold_the_derivatives(void **state) {
  fixture *f = *state;
  for (int k = 0; k < 100; k++) {
    hml_expr e[3] = {random_expression(f, 4), random_expression(f, 3), f->s[1]}, gradient[4], J[12], H[16];
    point p = random_point(f);
    assert_int_equal(hml_jacobian(f->c, 3, e, 4, f->s, J), HML_OK);
    for (int i = 0; i < 3; i++)
      for (int j = 0; j < 4; j++) assert_ptr_equal(J[i * 4 + j], hml_derivative(f->c, e[i], f->s[j]));
    assert_int_equal(hml_gradient(f->c, e[0], 4, f->s, gradient), HML_OK);
    assert_int_equal(hml_hessian(f->c, 4, gradient, f->s, H), HML_OK);
    for (int i = 0; i < 4; i++)
      for (int j = 0; j < 4; j++) {
        assert_ptr_equal(H[i * 4 + j], H[j * 4 + i]);
        if (i >= j) assert_ptr_equal(H[i * 4 + j], hml_derivative(f->c, gradient[i], f->s[j]));
        double second = at(f, hml_derivative(f->c, gradient[i], f->s[j]), &p), scale = 1 + fabs(second);
        if (isfinite(second) && scale < 1e5) assert_true(fabs(second - at(f, H[i * 4 + j], &p)) < 1e-9 * scale);
      }
  }
}

static void time_derivatives_follow_the_chain_rule(void **state) {
  fixture *f = *state;
  for (int k = 0; k < 200; k++) {
    hml_expr e = random_expression(f, 3), rate = hml_time_derivative(f->c, e);
    point p = random_point(f);
    // third derivatives may appear: x''' is not in the point
    double sum = at(f, hml_derivative(f->c, e, f->s[7]), &p);
    bool third = false;
    for (int i = 0; i < 3; i++)
      for (unsigned order = 0; order < 3; order++) {
        hml_expr s = hml_undot(f->c, f->s[i], order), d = hml_derivative(f->c, e, s);
        if (order == 2) third = third || d != hml_integer(f->c, 0);
        else sum += at(f, d, &p) * at(f, hml_dot(f->c, s), &p);
      }
    if (third) continue;
    assert_true(fabs(at(f, rate, &p) - sum) < 1e-9 * (1 + fabs(sum)));
  }
}

// Every row of functions.def: partials against differences
static void rows_of_functions(void **state) {
  fixture *f = *state;
  for (int k = 0; hml_function_name(k); k++) {
    hml_expr arguments[2] = {f->s[5], f->s[6]};
    unsigned order;
    if (hml_tabled__is(k, &order)) continue;                           // below: they need a table
    hml_expr e = hml_call(f->c, k, hml_function_arity(k), arguments);
    assert_non_null(e);
    assert_true(strlen(hml_function_help(k)) > 3);
    bool above_one = strcmp(hml_function_name(k), "acosh") == 0;
    for (unsigned i = 0; i < hml_function_arity(k); i++) {
      point p = random_point(f);
      for (size_t j = 0; j < p.n; j++)
        if (p.s[j] == f->s[5] || p.s[j] == f->s[6]) p.v[j] = above_one ? uniform(f, 1.2, 3) : uniform(f, 0.1, 0.8);
      point left = p, right = p;
      for (size_t j = 0; j < p.n; j++)
        if (p.s[j] == arguments[i]) left.v[j] -= 1e-6, right.v[j] += 1e-6;
      double slope = (at(f, e, &right) - at(f, e, &left)) / 2e-6;
      assert_true(fabs(slope - at(f, hml_derivative(f->c, e, arguments[i]), &p)) < 1e-7 * (1 + fabs(slope)));
    }
  }
  assert_int_equal(hml_function_find("sinus"), -1);
}

// arbiter: a parabola, whose natural spline is not it, but whose values at the points are; differences of the curve itself
static void measured_data_are_functions(void **state) {
  fixture *f = *state;
  double x[9], y[9], id, again, other;
  for (int i = 0; i < 9; i++) x[i] = 0.5 * i, y[i] = x[i] * x[i];
  assert_int_equal(hml_data_new(f->c, "drive", "cubic", 9, x, y, &id), HML_OK);
  assert_int_equal(hml_data_new(f->c, "drive", "cubic", 9, x, y, &again), HML_OK);
  assert_int_equal(hml_data_new(f->c, "drive", "akima", 9, x, y, &other), HML_OK);
  assert_true(id == again && id != other);
  hml_expr a = f->s[5], e = hml_data(f->c, id, a);
  for (int i = 0; i < 9; i++) assert_true(fabs(hml_tabled(id, x[i], 0) - y[i]) < 1e-14);
  const char *primes[] = {"drive(a)", "drive'(a)", "drive''(a)", "drive'''(a)"};
  for (int order = 0; order < 4; order++) {
    char *text = hml_print_text(f->c, e);
    assert_string_equal(text, primes[order]);
    hml_free(f->c, text);
    for (double at = 0.3; at < 4 && order < 3; at += 0.5) {
      double h = 1e-5, slope = (hml_tabled(id, at + h, order) - hml_tabled(id, at - h, order)) / (2 * h);
      assert_true(fabs(slope - hml_tabled(id, at, order + 1)) < 1e-6 * (1 + fabs(slope)));
    }
    e = hml_derivative(f->c, e, a);
  }
  assert_true(isnan(hml_tabled(id, -0.1, 0)) && isnan(hml_tabled(id, 4.1, 0)) && isnan(hml_tabled(4000, 1, 0)));
  x[4] = x[3];
  assert_int_equal(hml_data_new(f->c, "drive", "cubic", 9, x, y, &again), HML_ARGUMENT);
  assert_non_null(strstr(hml_context_error(f->c)->message, "must grow: point 5"));
  assert_int_equal(hml_data_new(f->c, "drive", "round", 9, x, y, &again), HML_ARGUMENT);
  assert_null(hml_call(f->c, hml_function_find("tabled"), 2, (hml_expr[]){a, a}));
  hml_context_clear_error(f->c);
}

static void substitution_is_simultaneous(void **state) {
  fixture *f = *state;
  hml_expr from[2] = {f->s[0], f->s[1]}, to[2] = {f->s[1], f->s[0]};
  assert_true(hml_substitute(f->c, read(f, "x^2 + sin(y) + x'"), 2, from, to) == read(f, "y^2 + sin(x) + x'"));
  hml_expr part = read(f, "x + y"), whole_ = read(f, "sin(x + y)*(x + y)");
  hml_expr a = f->s[5];
  assert_true(hml_substitute(f->c, whole_, 1, &part, &a) == read(f, "a*sin(a)"));
  // in a list as one by one
  const hml_expr list[] = {read(f, "x^2 + sin(y) + x'"), read(f, "sin(y)"), read(f, "a"), read(f, "x")};
  hml_expr all[4];
  assert_int_equal(HML_OK, hml_substitute_all(f->c, 4, list, 2, from, to, all));
  for (int i = 0; i < 4; i++) assert_true(all[i] == hml_substitute(f->c, list[i], 2, from, to));
  double value;
  assert_int_equal(hml_value(f->c, whole_, 1, f->s, (double[]){1}, &value), HML_UNKNOWN_SYMBOL);
  assert_non_null(strstr(hml_context_error(f->c)->message, "'y' has no value"));
}

// All operations on a tree of 2^60 nodes and on a depth of 100,000, within a C stack of 256 KB
static void *work_in_a_small_stack(void *data) {
  fixture *f = data;
  hml_context *c = f->c;
  hml_expr x = f->s[0], a = f->s[5], shared = x, deep = x, gradient;
  for (int i = 0; i < 60; i++) shared = hml_add(c, hml_mul(c, shared, shared), hml_call(c, hml_function_find("sin"), 1, &shared));
  for (int i = 0; i < 100000; i++) {
    hml_expr product = hml_mul(c, deep, a);
    deep = hml_call(c, hml_function_find("sin"), 1, &product);
  }
  hml_expr both[2] = {shared, deep};
  for (int k = 0; k < 2; k++) {
    hml_expr e = both[k], two = hml_integer(c, 2), symbols[4];
    double values[2] = {-0.1, 0.2}, v;
    hml_expr at_symbols[2] = {x, a};
    size_t n;
    if (hml_gradient(c, e, 1, &x, &gradient) != HML_OK || !hml_derivative(c, e, x) || !hml_time_derivative(c, hml_substitute(c, e, 1, &a, &two)))
      return "derivatives";
    if (hml_value(c, gradient, 2, at_symbols, values, &v) != HML_OK || !isfinite(v)) return "value";
    if (hml_symbols_of(c, 1, &e, 4, symbols, &n) != HML_OK || n != (k ? 2 : 1)) return "symbols";
    char *text = hml_print_text(c, e), *latex = hml_print_latex(c, e);
    if (!text || !latex || strlen(text) > 2000000) return "print";
    hml_free(c, text);
    hml_free(c, latex);
  }
  hml_keep(c, deep);
  hml_context_sweep(c);
  hml_release(c, deep);
  hml_context_sweep(c);
  return NULL;
}

// A constructor that failed gave NULL: whatever takes it answers with a status or with NULL
static void a_missing_expression_is_a_failure_everywhere(void **state) {
  fixture *f = *state;
  hml_context *c = f->c;
  hml_expr none = NULL, x = f->s[0], pair[2] = {x, NULL}, out[4], other[4];
  double value;
  size_t n;
  hml_verdict verdict;
#define refuses(call) (assert_int_equal(call, HML_ARGUMENT), hml_context_clear_error(c))
  refuses(hml_gradient(c, none, 1, &x, out));
  refuses(hml_gradient(c, x, 1, &none, out));
  refuses(hml_directional(c, 1, &none, 1, &x, &x, out));
  refuses(hml_directional(c, 1, &x, 1, &x, &none, out));
  refuses(hml_jacobian(c, 2, pair, 1, &x, out));
  refuses(hml_hessian(c, 2, pair, pair, out));
  refuses(hml_value(c, none, 1, &x, &value, &value));
  refuses(hml_symbols_of(c, 2, pair, 4, out, &n));
  refuses(hml_substitute_all(c, 2, pair, 1, &x, &x, out));
  refuses(hml_substitute_all(c, 1, &x, 1, &x, &none, out));
  refuses(hml_is_zero(c, none, NULL, &verdict, NULL));
  refuses(hml_fraction(c, none, NULL, out, other));
  refuses(hml_solve_linear(c, 1, &none, 1, &x, NULL, out, other, NULL));
  refuses(hml_solve_linear(c, 1, &x, 1, &none, NULL, out, other, NULL));
#undef refuses
#define gives_none(call) (assert_null(call), hml_context_clear_error(c))
  gives_none(hml_dot(c, none));
  gives_none(hml_undot(c, none, 0));
  gives_none(hml_add(c, x, none));
  gives_none(hml_pow(c, none, x));
  gives_none(hml_sqrt(c, none));
  gives_none(hml_sum(c, 2, pair));
  gives_none(hml_product(c, 2, pair));
  gives_none(hml_call(c, hml_function_find("sin"), 1, &none));
  gives_none(hml_data(c, 1, none));
  gives_none(hml_derivative(c, none, x));
  gives_none(hml_derivative(c, x, none));
  gives_none(hml_time_derivative(c, none));
  gives_none(hml_substitute(c, none, 1, &x, &x));
  gives_none(hml_substitute(c, x, 1, &x, &none));
  gives_none(hml_simplify(c, none, HML_FORM_AUTO, 0, NULL, NULL, NULL));
  gives_none(hml_coefficient(c, none, x, 1, NULL));
  gives_none(hml_coefficient(c, x, none, 1, NULL));
  gives_none(hml_determinant(c, 1, &none, NULL));
  gives_none(hml_print_text(c, none));
  gives_none(hml_print_latex(c, none));
#undef gives_none
}

static void depth_and_sharing_cost_no_stack(void **state) {
  pthread_attr_t attributes;
  pthread_t thread;
  void *failed;
  pthread_attr_init(&attributes);
  assert_int_equal(pthread_attr_setstacksize(&attributes, 256 * 1024), 0);
  assert_int_equal(pthread_create(&thread, &attributes, work_in_a_small_stack, *state), 0);
  pthread_join(thread, &failed);
  if (failed) fail_msg("%s", (const char *)failed);
}

int main(void) {
#define in_fixture(test) fixture_test(test)
  const struct CMUnitTest tests[] = {
      in_fixture(derivatives_agree_with_differences), in_fixture(matrices_hold_the_derivatives), in_fixture(time_derivatives_follow_the_chain_rule), in_fixture(rows_of_functions),
      in_fixture(measured_data_are_functions), in_fixture(substitution_is_simultaneous), in_fixture(a_missing_expression_is_a_failure_everywhere),
      in_fixture(depth_and_sharing_cost_no_stack),
  };
  return cmocka_run_group_tests_name("calculus", tests, NULL, NULL);
}
