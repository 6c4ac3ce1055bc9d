// number.c: exact numbers of any length; arbiter: 128 bit integers, identities, decimal digits.
#include "expressions.h"
#include "expr/expr_impl.h"

static int64_t small(fixture *f) { return whole(f, -30000, 30000); }

static void set(number *a, fixture *f, int64_t *n, int64_t *d) {
  *n = small(f);
  *d = whole(f, 1, 30000);
  hml_expr e = hml_rational(f->c, *n, *d);
  number_read(a, e);
}

static void is_ratio(fixture *f, number *a, int64_t n, int64_t d) {
  hml_expr e = number_node(f->c, a);                                     // clears a
  assert_ptr_equal(e, hml_rational(f->c, n, d));
}

// a/b + c/d and a/b c/d, in lowest terms
static void sums_and_products_are_exact(void **state) {
  fixture *f = *state;
  for (int trial = 0; trial < 2000; trial++) {
    number a, b, sum, product;
    int64_t n1, d1, n2, d2;
    set(&a, f, &n1, &d1);
    set(&b, f, &n2, &d2);
    number_copy(&sum, &a);
    number_copy(&product, &a);
    number_add(&sum, &b);
    number_mul(&product, &b);
    assert_int_equal(number_sign(&a), (n1 > 0) - (n1 < 0));
    assert_near(number_value(&product), (double)n1 / (double)d1 * ((double)n2 / (double)d2), 1e-15 * fabs(number_value(&product)));
    is_ratio(f, &sum, n1 * d2 + n2 * d1, d1 * d2);
    is_ratio(f, &product, n1 * n2, d1 * d2);
    number_clear(&a);
    number_clear(&b);
  }
}

// Past 64 bits and back again: (2^63 - 1)^2 / (2^63 - 1)
static void long_numbers_become_short_again(void **state) {
  fixture *f = *state;
  number a, b;
  number_set(&a, INT64_MAX, 1);
  number_set(&b, INT64_MAX, 1);
  number_mul(&a, &b);
  assert_int_equal(a.form, BIG);
  assert_int_equal(number_bits(&a), 126 + 1);                            // and one of the denominator
  assert_true(number_power(&b, -1));
  number_mul(&a, &b);
  assert_true(number_is(&a, INT64_MAX));
  assert_ptr_equal(number_node(f->c, &a), hml_integer(f->c, INT64_MAX));
  number_clear(&b);
  // -2^63 / -1 has no place in 64 bits
  number_set(&a, INT64_MIN, 1);
  number_set(&b, -1, 1);
  number_mul(&a, &b);
  assert_near(number_value(&a), 9223372036854775808.0, 0);
  assert_ptr_equal(number_node(f->c, &a), read(f, "9223372036854775808"));
  number_clear(&b);
}

static void powers(void **state) {
  fixture *f = *state;
  number a;
  number_set(&a, -2, 3);
  assert_true(number_power(&a, -5));
  is_ratio(f, &a, -243, 32);
  number_set(&a, 7, 2);
  assert_true(number_power(&a, 0));
  assert_true(number_is(&a, 1));
  number_set(&a, 0, 1);
  assert_false(number_power(&a, -1));
  number_clear(&a);
  number_set(&a, 2, 1);
  assert_false(number_power(&a, INT64_MAX));                             // too large
  number_clear(&a);
  number_set(&a, -1, 1);
  assert_true(number_power(&a, INT64_MAX));
  assert_true(number_is(&a, -1));
  number_clear(&a);
}

static void decimals_are_exact(void **state) {
  fixture *f = *state;
  const struct { const char *text; int64_t n, d; } rows[] = {
      {"0.1", 1, 10}, {"1.25e2", 125, 1}, {"2.5e-3", 1, 400}, {"-0.75", -3, 4}, {"007", 7, 1}, {".5", 1, 2}, {"0.3333", 3333, 10000}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_ptr_equal(read(f, rows[i].text), hml_rational(f->c, rows[i].n, rows[i].d));
  assert_prints(f, "0.1 + 0.2", "3/10");
  assert_prints(f, "2^200", "1606938044258990275541962092341162602522202993782792835301376");
  assert_prints(f, "(10^30 + 1)*(10^30 - 1)", "999999999999999999999999999999999999999999999999999999999999");
}

static void order_is_exact(void **state) {
  fixture *f = *state;
  int sign;
  // 1/3 and its eighteen digits differ, as do numbers beyond any double
  const struct { const char *a, *b; int sign; } rows[] = {
      {"1/3", "333333333333333333/1000000000000000000", 1}, {"10^400 + 1", "10^400", 1}, {"-10^400", "10^400", -1}, {"2/4", "1/2", 0}, {"1/10^400", "0", 1}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_ok(f->c, compare_numbers(f->c, read(f, rows[i].a), read(f, rows[i].b), &sign));
    assert_int_equal(sign, rows[i].sign);
  }
}

// arbiter: the nearest double, as strtod reads the decimal digits
static void values_are_rounded_once(void **state) {
  fixture *f = *state;
  const char *const texts[] = {"0.1", "123456789.123456789123456789", "9007199254740993", "1e-300", "0.30000000000000004441"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) assert_near(hml_number_value(read(f, texts[i])), strtod(texts[i], NULL), 0);
}

static void what_is_no_number_is_refused(void **state) {
  fixture *f = *state;
  assert_fails(f, hml_decimal(f->c, "1/0"), HML_UNDEFINED, "'1/0' divides by zero");
  assert_fails(f, hml_decimal(f->c, "1.2.3"), HML_SYNTAX, "'1.2.3' is not a number");
  assert_fails(f, hml_rational(f->c, 3, 0), HML_UNDEFINED, "3/0 is not a number");
  assert_fails(f, hml_from_double(f->c, INFINITY), HML_ARGUMENT, "infinite");
  assert_fails(f, hml_from_double(f->c, NAN), HML_ARGUMENT, "nan");
}

// One double makes a sum inexact, and it stays so
static void doubles_are_contagious(void **state) {
  fixture *f = *state;
  number a, b;
  number_set(&a, 1, 3);
  number_set_float(&b, 0.5);
  number_add(&a, &b);
  assert_int_equal(a.form, INEXACT);
  hml_expr e = number_node(f->c, &a);
  assert_int_equal(hml_kind_of(e), HML_FLOAT);
  assert_near(hml_number_value(e), 5.0 / 6, 1e-17);       // rounded once: 1.0/3 + 0.5 is a unit less
  number_clear(&b);
}

// (1 + 2^-30)(1 + 2^-31), 1 + 2^-60 and 1/3 of doubles keep what a double leaves
static void inexact_numbers_are_pairs(void **state) {
  fixture *f = *state;
  number a, b, c;
  number_set_float(&a, 1 + 0x1p-30);
  number_set_float(&b, 1 + 0x1p-31);
  number_mul(&a, &b);
  assert_true(a.x == 1 + 0x1p-30 + 0x1p-31 && a.low == 0x1p-61);
  number_set_float(&a, 1);
  number_set_float(&b, 0x1p-60);
  number_add(&a, &b);
  assert_true(a.x == 1 && a.low == 0x1p-60);
  hml_expr e = number_node(f->c, &a);
  assert_false(hml_expr__is_double(e));
  number_set(&c, -1, 1);
  number_read(&a, e);
  number_add(&a, &c);
  assert_true(a.x == 0x1p-60 && a.low == 0);
  number_set_float(&a, 3);
  assert_true(number_power(&a, -1));
  assert_near(a.low, 0x1p-54 / 3, 1e-30);                                // (2^54 - 1)/(3 2^54) is the nearest double
  number_set_float(&a, 1 + 0x1p-52);
  assert_true(number_power(&a, 3));
  assert_near(a.low, 3 * 0x1p-104, 0x1p-150);                            // 1 + 3 2^-52 + 3 2^-104 + 2^-156
}

// What an inexact number is, as a fraction
static void inexact_numbers_are_fractions(void **state) {
  fixture *f = *state;
  number a;
  int64_t n, d;
  number_set_pair(&a, 3, 0x1p-55);
  hml_expr e = hml_expr__exact(f->c, number_node(f->c, &a));
  assert_true(hml_rational_value(e, &n, &d) && n == 3 * (INT64_C(1) << 55) + 1 && d == INT64_C(1) << 55);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(sums_and_products_are_exact),
      fixture_test(inexact_numbers_are_pairs),
      fixture_test(inexact_numbers_are_fractions),
      fixture_test(long_numbers_become_short_again),
      fixture_test(powers),
      fixture_test(decimals_are_exact),
      fixture_test(order_is_exact),
      fixture_test(values_are_rounded_once),
      fixture_test(what_is_no_number_is_refused),
      fixture_test(doubles_are_contagious),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
