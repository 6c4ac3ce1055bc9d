// Tests of src/expr/modular.c, residue.c and sift.c: arithmetic modulo a prime, values of expressions, null vectors, fractions.
#include "expressions.h"

#include "expr/modular.h"

#include <gmp.h>

static uint64_t next_word(fixture *f) {
  f->state = f->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return f->state ^ (f->state >> 31);
}

// Arbiter: 128 bit remainders, and GMP's test of primes
static void arithmetic_agrees_with_wide_integers(void **state) {
  fixture *f = *state;
  uint64_t p = 0;
  for (int i = 0; i < 8; i++) {
    p = hml_modulus__prime(p);
    mpz_t z;
    mpz_init_set_ui(z, p);
    assert_int_equal(mpz_probab_prime_p(z, 40) > 0, 1);
    mpz_clear(z);
    assert_true(p < UINT64_C(1) << 62 && p % 24 == 23 && p % 5 == 4 && p % 7 != 1);
    hml_modulus m = hml_modulus__of(p);
    uint64_t root;
    for (uint64_t small = 2; small < 11; small++) assert_true(residue_root(&m, residue_of(&m, small), 1, 1, &root));
    for (int k = 0; k < 200; k++) {
      uint64_t a = next_word(f) % p, b = next_word(f) % p, x = residue_of(&m, a), y = residue_of(&m, b), r, odd = 1 + 2 * (next_word(f) % 8);
      assert_int_equal(residue_plain(&m, x), a);
      assert_int_equal(residue_plain(&m, residue_mul(&m, x, y)), (uint64_t)((hml_wide)a * b % p));
      assert_int_equal(residue_plain(&m, residue_add(&m, x, y)), (a + b) % p);
      assert_int_equal(residue_plain(&m, residue_sub(&m, x, y)), (a + p - b) % p);
      if (a) assert_int_equal(residue_mul(&m, x, residue_inverse(&m, x)), m.one);
      if (residue_root(&m, x, 1, odd, &r)) assert_int_equal(residue_power(&m, r, 2 * odd), x);
      if (odd != 11 && odd != 13) assert_true(residue_root(&m, x, 0, odd, &r) && residue_power(&m, r, odd) == x);
    }
  }
}

enum { POINTS = 20 };

// Values of one expression at 20 points
static hml_status drawn(fixture *f, hml_expr e, uint64_t *values, hml_residues *out) {
  hml_residues_spec spec = {.n = 1, .roots = &e, .points = POINTS, .values = values, .seed = 5};
  return hml_residues__draw(f->c, &spec, out);
}

static void identities_of_functions_are_identities_of_residues(void **state) {
  fixture *f = *state;
  static const char *const zero[] = {
      "sin(x)^2 + cos(x)^2 - 1", "sin(x + y) - sin(x)*cos(y) - cos(x)*sin(y)", "cos(2*x) - 1 + 2*sin(x)^2", "sin(x) - 2*sin(x/2)*cos(x/2)",
      "tan(x)*cos(x) - sin(x)", "cosh(x)^2 - sinh(x)^2 - 1", "exp(2*x)*exp(-2*x) - 1", "exp(x + y) - exp(x)*exp(y)", "tanh(x)*cosh(x) - sinh(x)",
      "sqrt(1 + x^2)^2 - 1 - x^2", "sqrt((1 + x^2)*(2 + y^2)) - sqrt(1 + x^2)*sqrt(2 + y^2)", "(1 + x^2)^(1/3)*(1 + x^2)^(2/3) - 1 - x^2",
      "sin(3*x/2)*cos(x/2) + cos(3*x/2)*sin(x/2) - sin(2*x)", "(x^2 - y^2)/(x - y) - x - y", "sqrt(14)^2 - 14", "cos(a*(x - y)) - cos(a*(y - x))",
      "sqrt(2)*sqrt(7)*x - sqrt(14)*x", "sqrt(11*(1 + x))^2 - 11*sqrt(1 + x)^2", "sqrt(2 + y)*sqrt(13*(2 + y)) - sqrt(13)*(2 + y)"};
  uint64_t values[POINTS];
  hml_residues out;
  for (size_t i = 0; i < sizeof zero / sizeof *zero; i++) {
    if (drawn(f, read(f, zero[i]), values, &out) != HML_OK) fail_msg("%s: %s", zero[i], hml_context_error(f->c)->message);
    for (int k = 0; k < POINTS; k++)
      if (values[k]) fail_msg("%s is not zero at point %d", zero[i], k);
  }
}

static void what_is_not_zero_is_not_zero_at_any_point(void **state) {
  fixture *f = *state;
  static const char *const texts[] = {"sin(x)^2 - cos(x)^2", "sin(x) - x", "log(x) - x", "sin(x*y) - sin(x)*y", "exp(x) - sinh(x)", "sqrt(1 + x^2) - x",
                                      "x - 1/3", "cos(sqrt(2)*x) - cos(x)", "sin(1) - cos(1)"};
  uint64_t values[POINTS];
  hml_residues out;
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    assert_int_equal(drawn(f, read(f, texts[i]), values, &out), HML_OK);
    for (int k = 0; k < POINTS; k++) assert_true(values[k] != 0);
    assert_true(out.independent);
  }
  assert_int_equal(drawn(f, read(f, "log(x) + log(x*y)"), values, &out), HML_OK);
  assert_false(out.independent);
  assert_int_equal(drawn(f, read(f, "sqrt(x^2 + 2*x*y + y^2) + x"), values, &out), HML_OK);
  assert_false(out.independent);
  assert_int_equal(drawn(f, read(f, "sqrt(x^2 + 1) + sqrt(y)/sqrt(x^2 + 1) + sqrt(1 + x*y)"), values, &out), HML_OK);
  assert_true(out.independent);
  assert_int_equal(drawn(f, read(f, "sin(1/x) + sin(1/(x + 1))"), values, &out), HML_OK);
  assert_false(out.independent);
}

static void a_seed_repeats_the_points_and_constants_keep_their_values(void **state) {
  fixture *f = *state;
  uint64_t a[POINTS], b[POINTS];
  hml_residues first, second;
  assert_int_equal(drawn(f, read(f, "sin(x)/(y + a)"), a, &first), HML_OK);
  assert_int_equal(drawn(f, read(f, "sin(x)/(y + a)"), b, &second), HML_OK);
  assert_memory_equal(a, b, sizeof a);
  assert_int_equal(first.p, second.p);
  hml_expr e = read(f, "sqrt(1 + a^2)*sin(a) + log(a)");
  hml_residues_spec spec = {.n = 1, .roots = &e, .n_fixed = 1, .fixed = &f->s[5], .points = POINTS, .values = a, .above = first.p};
  assert_int_equal(hml_residues__draw(f->c, &spec, &second), HML_OK);
  assert_true(second.p < first.p);
  for (int k = 1; k < POINTS; k++) assert_int_equal(a[k], a[0]);
}

static void linear_systems_are_solved_at_every_point(void **state) {
  fixture *f = *state;
  hml_expr matrix[4] = {read(f, "1 + x^2"), read(f, "sin(theta)"), read(f, "sin(theta)"), read(f, "y")}, right[2] = {read(f, "x"), read(f, "cos(theta)")};
  hml_expr rates[2] = {f->s[3], f->s[4]};
  hml_expr roots[2] = {read(f, "(1 + x^2)*m + sin(theta)*J - x"), read(f, "sin(theta)*m + y*J - cos(theta)")};
  uint64_t values[2 * POINTS];
  hml_residues_spec spec = {.n = 2, .roots = roots, .size = 2, .columns = 1, .matrix = matrix, .right = right, .rates = rates, .points = POINTS, .values = values};
  hml_residues out;
  assert_int_equal(hml_residues__draw(f->c, &spec, &out), HML_OK);
  for (int k = 0; k < 2 * POINTS; k++) assert_int_equal(values[k], 0);
}

static void functions_without_residues_are_refused_by_name(void **state) {
  fixture *f = *state;
  uint64_t values[POINTS];
  hml_residues out;
  const struct {
    const char *text, *words;
    hml_status status;
  } rows[] = {{"abs(x)", "abs(x)", HML_UNSUPPORTED}, {"x*min(x, y)", "min(x, y)", HML_UNSUPPORTED}, {"sin(pi/7)*x", "pi", HML_UNSUPPORTED},
              {"1/(sin(x)^2 + cos(x)^2 - 1)", "random points", HML_UNDEFINED}, {"sin(2000*x)", "too large", HML_UNSUPPORTED}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    assert_int_equal(drawn(f, read(f, rows[i].text), values, &out), rows[i].status);
    if (!strstr(hml_context_error(f->c)->message, rows[i].words)) fail_msg("%s", hml_context_error(f->c)->message);
    hml_context_clear_error(f->c);
  }
  assert_int_equal(drawn(f, hml_mul(f->c, hml_from_double(f->c, 3.14159265358979312), f->s[0]), values, &out), HML_UNSUPPORTED);
  hml_context_clear_error(f->c);
  hml_expr x = read(f, "x");
  *hml_context_interrupt_flag(f->c) = 1;
  assert_int_equal(drawn(f, x, values, &out), HML_INTERRUPTED);
  *hml_context_interrupt_flag(f->c) = 0;
  hml_context_clear_error(f->c);
}

// Arbiter: the product of the matrix with the vector
static void null_vectors_vanish(void **state) {
  fixture *f = *state;
  enum { ROWS = 12, COLUMNS = 9, RANK = 5 };
  uint64_t p = hml_modulus__prime(0), left[ROWS][RANK], right[RANK][COLUMNS], a[ROWS * COLUMNS], given[ROWS * COLUMNS], vector[COLUMNS];
  for (int i = 0; i < ROWS; i++)
    for (int k = 0; k < RANK; k++) left[i][k] = next_word(f) % p;
  for (int k = 0; k < RANK; k++)
    for (int j = 0; j < COLUMNS; j++) right[k][j] = j == 2 ? 0 : next_word(f) % p;
  for (int i = 0; i < ROWS; i++)
    for (int j = 0; j < COLUMNS; j++) {
      hml_wide sum = 0;
      for (int k = 0; k < RANK; k++) sum = (sum + (hml_wide)left[i][k] * right[k][j]) % p;
      given[i * COLUMNS + j] = a[i * COLUMNS + j] = (uint64_t)sum;
    }
  size_t pivots[COLUMNS], rank;
  assert_int_equal(hml_sift__echelon(f->c, p, ROWS, COLUMNS, a, NULL, pivots, &rank), HML_OK);
  assert_int_equal(rank, RANK);
  const size_t expected[RANK] = {0, 1, 3, 4, 5}, free_columns[] = {2, 6, 7, 8};
  assert_memory_equal(pivots, expected, sizeof expected);
  for (int n = 0; n < 4; n++) {
    hml_sift__null_vector(p, COLUMNS, a, pivots, rank, free_columns[n], vector);
    assert_int_equal(vector[free_columns[n]], 1);
    for (int i = 0; i < ROWS; i++) {
      hml_wide sum = 0;
      for (int j = 0; j < COLUMNS; j++) sum = (sum + (hml_wide)given[i * COLUMNS + j] * vector[j]) % p;
      assert_true(sum == 0);
    }
  }
  *hml_context_interrupt_flag(f->c) = 1;
  assert_int_equal(hml_sift__echelon(f->c, p, ROWS, COLUMNS, given, NULL, pivots, &rank), HML_INTERRUPTED);
  *hml_context_interrupt_flag(f->c) = 0;
  hml_context_clear_error(f->c);
}

static uint64_t residue_of_fraction(uint64_t p, int64_t n, uint64_t d) {
  hml_modulus m = hml_modulus__of(p);
  uint64_t numerator = residue_of(&m, n < 0 ? p - (uint64_t)-n : (uint64_t)n);
  return residue_plain(&m, residue_mul(&m, numerator, residue_inverse(&m, residue_of(&m, d))));
}

static void fractions_come_back_by_as_many_primes_as_they_need(void **state) {
  fixture *f = *state;
  uint64_t primes[4] = {0}, residues[4];
  for (int i = 0; i < 4; i++) primes[i] = hml_modulus__prime(i ? primes[i - 1] : 0);
  const struct {
    int64_t n;
    uint64_t d;
    size_t needed;
  } rows[] = {{0, 1, 1}, {1, 1, 1}, {-22, 7, 1}, {1000003, 999983, 1}, {1000000007, 998244353, 2}, {-549755813881, 3, 1},
              {INT64_C(617673396283947), 1, 2}, {INT64_C(1234567890123456789), UINT64_C(987654321987654321), 3}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t n = 1; n <= 4; n++) {
      hml_expr e;
      for (size_t k = 0; k < n; k++) residues[k] = residue_of_fraction(primes[k], rows[i].n, rows[i].d);
      assert_int_equal(hml_sift__fraction(f->c, n, primes, residues, &e), HML_OK);
      if (n >= rows[i].needed) assert_ptr_equal(e, hml_rational(f->c, rows[i].n, (int64_t)rows[i].d));
      else assert_null(e);                                             // and no wrong one
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(arithmetic_agrees_with_wide_integers), fixture_test(identities_of_functions_are_identities_of_residues),
      fixture_test(what_is_not_zero_is_not_zero_at_any_point), fixture_test(a_seed_repeats_the_points_and_constants_keep_their_values),
      fixture_test(linear_systems_are_solved_at_every_point), fixture_test(functions_without_residues_are_refused_by_name),
      fixture_test(null_vectors_vanish), fixture_test(fractions_come_back_by_as_many_primes_as_they_need),
  };
  return cmocka_run_group_tests_name("residue", tests, NULL, NULL);
}
