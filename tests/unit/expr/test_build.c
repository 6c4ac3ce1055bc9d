// Tests of src/expr/build.c, number.c, symbol.c, node.c: canonical constructors, exact numbers, interning and sweeping.
#include "expressions.h"

static void sums_and_products_collect(void **state) {
  fixture *f = *state;
  assert_prints(f, "a + b - a - b", "0");
  assert_prints(f, "a - (a + b)", "-b");
  assert_prints(f, "2*a*b*a/b", "2*a^2");
  assert_prints(f, "x*x^-1", "1");
  assert_prints(f, "(2*a*b)^3", "8*a^3*b^3");
  assert_prints(f, "a/(2*b)", "a/(2*b)");
  assert_true(read(f, "(a + b) + x") == read(f, "a + (b + x)"));
  assert_true(read(f, "x*(y*a)") == read(f, "(a*x)*y"));
  assert_true(read(f, "a*b + 0*x") == read(f, "b*a"));
}

static void signs_and_roots_respect_assumptions(void **state) {
  fixture *f = *state;
  assert_prints(f, "sqrt(x^2)", "abs(x)");
  assert_prints(f, "sqrt(m^2)", "m");
  assert_prints(f, "sqrt(m^2*x)", "m*sqrt(x)");
  assert_prints(f, "sqrt(a^2*x^2)", "abs(x)*abs(a)");
  assert_prints(f, "(x^3)^(1/3)", "(x^3)^(1/3)");
  assert_prints(f, "(x^(1/2))^2", "x");
  assert_prints(f, "sqrt(8)", "2*sqrt(2)");
  assert_prints(f, "sqrt(1/2)", "sqrt(2)/2");
  assert_prints(f, "8^(2/3)", "4");
  assert_prints(f, "sqrt(-4*x)", "2*sqrt(-x)");
  assert_prints(f, "sqrt(-5*x*x)", "sqrt(-5*x^2)");
  assert_prints(f, "abs(-3*x*m)", "3*m*abs(x)");
  assert_prints(f, "abs(m + x^2)", "x^2 + m");
  assert_prints(f, "sign(m)", "1");
  assert_prints(f, "sign(-5)", "-1");
  assert_prints(f, "sin(-x)", "-sin(x)");
  assert_prints(f, "cos(b - a)", "cos(a - b)");
  assert_prints(f, "sin(b - a)", "-sin(a - b)");
  assert_prints(f, "sin(2^(1/3) - 9)", "sin(2^(1/3) - 9)");
  assert_prints(f, "sin(9 - 2^(1/3))", "-sin(2^(1/3) - 9)");
  assert_prints(f, "exp(0) + cos(0) + log(1) + atan(0)", "2");
  assert_prints(f, "min(2, 3) + max(a, a)", "a + 2");
}

static void what_is_not_defined_is_refused(void **state) {
  fixture *f = *state;
  assert_fails(f, hml_parse(f->c, "1/(a - a)", SYMBOLS, f->s), HML_UNDEFINED, "division by zero");
  assert_fails(f, hml_parse(f->c, "0^(-1/2)", SYMBOLS, f->s), HML_UNDEFINED, "division by zero");
  assert_fails(f, hml_parse(f->c, "sqrt(-1)", SYMBOLS, f->s), HML_UNDEFINED, "not a real number");
  assert_fails(f, hml_parse(f->c, "log(0)", SYMBOLS, f->s), HML_UNDEFINED, "log(0)");
  assert_fails(f, hml_parse(f->c, "3^99999999", SYMBOLS, f->s), HML_LIMIT, "too many digits");
  assert_fails(f, hml_from_double(f->c, NAN), HML_ARGUMENT, "nan");
  assert_fails(f, hml_rational(f->c, 1, 0), HML_UNDEFINED, "1/0");
  assert_fails(f, hml_symbol(f->c, "2x", 0, 0), HML_ARGUMENT, "cannot name");
  assert_fails(f, hml_dot(f->c, f->s[5]), HML_ARGUMENT, "not a function of time");
  assert_null(hml_add(f->c, NULL, f->s[0]));
}

// Arbiter: integers of C where they fit, and the decimal digits themselves beyond
static void numbers_are_exact_at_any_size(void **state) {
  fixture *f = *state;
  assert_prints(f, "9223372036854775807 + 1", "9223372036854775808");
  assert_prints(f, "-9223372036854775807 - 2", "-9223372036854775809");
  assert_prints(f, "2^200 - 2^200 + 5", "5");
  assert_prints(f, "123456789012345678901234567890*10", "1234567890123456789012345678900");
  assert_prints(f, "1/3 + 1/6", "1/2");
  assert_prints(f, "(2^70/3)*(9/2^69)", "6");
  assert_prints(f, "1e-3 + 0.001", "1/500");
  for (int i = 0; i < 2000; i++) {
    int64_t n = (int64_t)uniform(f, -1e6, 1e6), d = (int64_t)uniform(f, 1, 1e6);
    assert_true(hml_number_value(hml_rational(f->c, n, d)) == (double)n / (double)d);
  }
  // a large fraction is rounded once: the decimal of more digits than a double has, read by strtod
  const char *const decimals[] = {"0.1234567890123456789012345678901234567890", "9007199254740993", "123456789123456789123456789e-40",
                                  "4.9406564584124654e-324", "1.7976931348623157e308", "2.2250738585072011e-308"};
  for (size_t i = 0; i < sizeof decimals / sizeof decimals[0]; i++)
    assert_true(hml_number_value(hml_decimal(f->c, decimals[i])) == strtod(decimals[i], NULL));
}

static void doubles_become_what_was_meant(void **state) {
  fixture *f = *state;
  const struct {
    double value;
    const char *text;
  } rows[] = {{1.0 / 3, "1/3"}, {0.4, "2/5"}, {0.1, "1/10"}, {-9.81, "-981/100"}, {1e300, NULL}, {0.0, "0"}, {123456.789, "123456789/1000"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    hml_expr e = hml_from_double(f->c, rows[i].value);
    assert_int_equal(hml_kind_of(e), HML_NUMBER);
    assert_true(hml_number_value(e) == rows[i].value);
    if (rows[i].text) prints_at(f, e, rows[i].text, __FILE__, __LINE__);
  }
  assert_int_equal(hml_kind_of(hml_from_double(f->c, 0.1 + 0.2)), HML_FLOAT);
  assert_int_equal(hml_kind_of(hml_mul(f->c, hml_from_double(f->c, 0.1 + 0.2), hml_integer(f->c, 2))), HML_FLOAT);
  assert_true(hml_mul(f->c, hml_from_double(f->c, 0.1 + 0.2), hml_integer(f->c, 0)) == hml_integer(f->c, 0));
  // every fraction of small denominator comes back
  for (int d = 1; d < 300; d++)
    for (int n = 1; n < 20; n++) assert_true(hml_from_double(f->c, (double)n / d) == hml_rational(f->c, n, d));
}

static void one_structure_is_one_node(void **state) {
  fixture *f = *state;
  for (int i = 0; i < 300; i++) {
    fixture again = *f;
    hml_expr e = random_expression(f, 4);
    assert_true(e == random_expression(&again, 4));
    f->state = again.state;
  }
  assert_true(hml_symbol(f->c, "x", HML_DYNAMIC, 0) == f->s[0]);
  assert_true(hml_symbol(f->c, "x", 0, 0) != f->s[0]);
}

// Places of nodes that are gone are found free again, and what stays is found behind them
static void many_sweeps_leave_no_trace(void **state) {
  fixture *f = *state;
  hml_expr kept[50];
  hml_context_sweep(f->c);
  size_t before = hml_context_node_count(f->c);
  for (int k = 0; k < 50; k++) {
    for (int i = 0; i < 700; i++) assert_non_null(hml_integer(f->c, 1000 * k + i + 10));
    kept[k] = hml_integer(f->c, 1000 * k + 500);
    hml_keep(f->c, kept[k]);
    hml_context_sweep(f->c);
    assert_int_equal(hml_context_node_count(f->c), before + (size_t)k + 1);
    for (int i = 0; i <= k; i++) assert_ptr_equal(kept[i], hml_integer(f->c, 1000 * i + 500));
  }
  for (int k = 0; k < 50; k++) hml_release(f->c, kept[k]);
  hml_context_sweep(f->c);
  assert_int_equal(hml_context_node_count(f->c), before);
}

static void a_sweep_keeps_what_is_kept(void **state) {
  fixture *f = *state;
  hml_context_sweep(f->c);
  size_t before = hml_context_node_count(f->c);
  hml_expr kept = read(f, "sin(x*y)^2 + m*theta'^2");
  hml_keep(f->c, kept);
  for (int i = 0; i < 500; i++) random_expression(f, 5);
  assert_true(hml_context_node_count(f->c) > before + 500);
  hml_context_sweep(f->c);
  assert_true(hml_context_node_count(f->c) < before + 20);
  prints_at(f, kept, "m*theta'^2 + sin(x*y)^2", __FILE__, __LINE__);
  hml_release(f->c, kept);
  hml_context_sweep(f->c);
  assert_int_equal(hml_context_node_count(f->c), before);
}

// A chain of partial sums shares its parts: 10,000 terms cost no quadratic time or memory
static void long_sums_share_their_parts(void **state) {
  fixture *f = *state;
  hml_expr sum = hml_integer(f->c, 0);
  for (int i = 0; i < 10000; i++) sum = hml_add(f->c, sum, hml_pow(f->c, f->s[0], hml_integer(f->c, i + 2)));
  assert_true(hml_context_node_count(f->c) < 40000);
  hml_expr wide = sum;
  wide = hml_call(f->c, hml_function_find("sin"), 1, &wide);
  wide = hml_neg(f->c, sum);
  assert_non_null(hml_call(f->c, hml_function_find("sin"), 1, &wide));
}

// ---- an allocator whose n-th call fails: nothing leaks, the context stays usable
// However long a product is, its number is one and stands first: otherwise the printed sign would hide another
static void a_long_product_has_one_number(void **state) {
  fixture *f = *state;
  for (int n = 14; n <= 20; n++) {
    hml_expr e = read(f, "-1/2");
    for (int i = 0; i < n; i++) e = hml_mul(f->c, e, hml_add(f->c, f->s[0], hml_integer(f->c, i + 1)));
    hml_expr opposite = hml_neg(f->c, e);
    assert_ptr_equal(hml_neg(f->c, opposite), e);
    assert_ptr_equal(hml_mul(f->c, hml_integer(f->c, 3), hml_mul(f->c, e, hml_rational(f->c, 1, 3))), e);
    assert_ptr_equal(hml_add(f->c, e, opposite), hml_integer(f->c, 0));
    char *text = hml_print_text(f->c, e);
    assert_true(text[0] == '-');
    assert_null(strchr(text + 1, '-'));
    hml_free(f->c, text);
  }
}

static hml_status session(hml_context *c) {
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), one[1] = {x};
  hml_expr e = x ? hml_parse(c, "sin(x)^3/(1 + x^2) + sqrt(1 + x'^2)*atan(x)", 1, one) : NULL;
  hml_expr d = hml_derivative(c, e, x), rate = hml_time_derivative(c, d);
  char *text = rate ? hml_print_latex(c, rate) : NULL;
  if (!text) return hml_context_error(c)->status;
  hml_free(c, text);
  hml_expr two = hml_integer(c, 2);
  return hml_substitute(c, rate, 1, &x, &two) ? HML_OK : hml_context_error(c)->status;
}

static void running_out_of_memory_is_told(void **state) {
  (void)state;
  int failures = 0;
  for (long n = 1;; n++) {
    ration r = {.left = n};
    hml_context *c = hml_context_new(rationed, &r);
    if (!c) continue;
    hml_status status = session(c);
    if (status != HML_OK) {
      failures++;
      assert_int_equal(status, HML_MEMORY);
      hml_context_clear_error(c);
      r.left = UNLIMITED;
      assert_int_equal(session(c), HML_OK);
    }
    hml_context_free(c);
    assert_int_equal(r.bytes, 0);
    if (status == HML_OK) break;
  }
  assert_true(failures > 50);
}

static void roots_of_integers_join(void **state) {
  fixture *f = *state;
  assert_prints(f, "sqrt(2)*sqrt(3)*x", "sqrt(6)*x");
  assert_prints(f, "sqrt(6)*a*sqrt(2)", "2*sqrt(3)*a");
  assert_prints(f, "sqrt(6)*sqrt(10)*sqrt(15)", "30");
  assert_prints(f, "sqrt(6)/sqrt(2)", "sqrt(3)");
  // too large for one radicand
  point p = random_point(f);
  double value = at(f, read(f, "sqrt(3037000507)*sqrt(3037000517)*sqrt(2)*sqrt(4611686018427387847)"), &p);
  assert_true(fabs(value / (sqrt(2) * sqrt(3037000507.0) * sqrt(3037000517.0) * sqrt(4611686018427387847.0)) - 1) < 1e-14);
}

static void pi_is_exact(void **state) {
  fixture *f = *state;
  assert_prints(f, "sin(pi/6) + cos(2*pi/3)", "0");
  assert_prints(f, "sin(x + 7*pi/2)", "-cos(x)");
  assert_prints(f, "cos(pi/3 - x)", "sin(x + pi/6)");
  assert_prints(f, "2*pi*m*x", "2*pi*m*x");
  assert_prints(f, "sin(pi/5 - 1) - cos(1 + 3*pi/10)", "0");
  assert_prints(f, "cos(1 - pi) + cos(1)", "0");
  assert_prints(f, "sqrt(pi^2*m)", "pi*sqrt(m)");
  assert_true(hml_pi(f->c) == read(f, "acos(-1)"));
  assert_fails(f, hml_parse(f->c, "tan(5*pi/2)", 0, NULL), HML_UNDEFINED, "infinite");
  assert_fails(f, hml_parse(f->c, "pi'", 0, NULL), HML_UNKNOWN_SYMBOL, "pi");
}

int main(void) {
#define in_fixture(test) fixture_test(test)
  const struct CMUnitTest tests[] = {
      in_fixture(sums_and_products_collect),       in_fixture(signs_and_roots_respect_assumptions), in_fixture(what_is_not_defined_is_refused),
      in_fixture(numbers_are_exact_at_any_size),   in_fixture(doubles_become_what_was_meant),       in_fixture(one_structure_is_one_node),
      in_fixture(roots_of_integers_join),          in_fixture(pi_is_exact),
      in_fixture(a_sweep_keeps_what_is_kept), in_fixture(many_sweeps_leave_no_trace),      in_fixture(long_sums_share_their_parts), in_fixture(a_long_product_has_one_number),
      cmocka_unit_test(running_out_of_memory_is_told),
  };
  return cmocka_run_group_tests_name("build", tests, NULL, NULL);
}
