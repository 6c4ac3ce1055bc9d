// tests src/program/factor.c; arbiter: the sums as they were
#include "programs.h"

#include "program/program_impl.h"

// The outputs of p, with the common factors taken out of all but the first `kept`
static hml_program *factored(void **state, const hml_program *p, size_t kept) {
  const size_t which[] = {0, 1, 2, 3};
  assembly s, to;
  hml_program *out = NULL;
  check_ok(assembly_init(&s, *state, hml_program_inputs(p), hml_program_outputs(p)));
  check_ok(assembly_init(&to, *state, hml_program_inputs(p), hml_program_outputs(p)));
  check_ok(assembly_of_program(&s, p));
  for (uint32_t i = 0; i < s.n_in; i++) check_ok(assembly_name(&to, i, "", s.names[i]));
  const hml_status status = factor_sums(&s, &to, kept, which);
  check_ok(assembly_finish(&to, status, &out));
  assembly_free(&s);
  return out;
}

static void values_stay(const hml_program *p, const hml_program *q, double relative) {
  uint64_t seed = 20261127;
  for (int trial = 0; trial < 50; trial++) {
    double in[SYMBOLS], one[OUTPUTS], other[OUTPUTS];
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, -2, 2);
    evaluate(p, in, one);
    evaluate(q, in, other);
    for (size_t i = 0; i < hml_program_outputs(p); i++) check_near(other[i], one[i], relative);
  }
}

static void operations_become(void **state, size_t n, const char *const *texts, size_t kept, size_t before, size_t after) {
  hml_program *p = program_of(state, n, texts), *q = factored(state, p, kept);
  values_stay(p, q, 1e-13);
  assert_int_equal(hml_program_operations(p), before);
  assert_int_equal(hml_program_operations(q), after);
  hml_program_free(p);
  hml_program_free(q);
}

static void a_common_factor_is_multiplied_once(void **state) {
  const char *const texts[] = {"y*sin(x) + z*sin(x) - m*sin(x)/3 + x", "x*y*z + x*y*m/2 - x*z*m + 3"};
  operations_become(state, 1, texts, 0, 5, 4);
  operations_become(state, 1, texts + 1, 0, 8, 4);
}

static void sums_that_are_kept_stay(void **state) {
  const char *const texts[] = {"y*sin(x) + z*sin(x) - m*sin(x)/3 + x", "exp(x*y + x*z + x*m)"};
  operations_become(state, 1, texts, 1, 5, 5);
  operations_become(state, 1, texts + 1, 1, 4, 4);               // the sum inside the output, too
}

static void signs_and_numbers_stay_with_their_products(void **state) {
  const char *const texts[] = {"2*x*y - 3*x*z - x*m/7", "-x*y - x*z", "x^2*y - 5*x^2*z + x*y/3", "(x - y)*(z - m) - (x - y)*m/2 + 3*(y - z)*m"};
  hml_program *p = program_of(state, 4, texts), *q = factored(state, p, 0);
  values_stay(p, q, 1e-13);
  assert_true(hml_program_operations(q) < hml_program_operations(p));
  hml_program_free(p);
  hml_program_free(q);
}

static void drawn_expressions_keep_their_values(void **state) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t draws = 0x9e3779b97f4a7c15u * seed;
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    hml_program *p = NULL;
    make_symbols(*state, symbols);
    draw_outputs(*state, &draws, symbols, outputs);
    check_ok(hml_program_new(*state, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    hml_program *q = factored(state, p, seed % 3);
    values_stay(p, q, 1e-9);
    hml_program_free(p);
    hml_program_free(q);
  }
}

// A product of sin(x + k), k from `first`
static size_t write_sines(char *text, int first, int n) {
  size_t length = 0;
  for (int k = 0; k < n; k++) length += (size_t)sprintf(text + length, "%ssin(x + %d)", k ? "*" : "", first + k);
  return length;
}

// More factors than are looked at one by one
static void products_of_many_factors_keep_their_values(void **state) {
  enum { MANY = 2000 };
  for (int n = 10; n <= MANY; n = n < 20 ? n + 1 : 10 * n) {
    char *text = malloc(60 * MANY), *at = text;
    assert_non_null(text);
    at += write_sines(at, 1, n);
    at += sprintf(at, "*y + ");
    at += write_sines(at, 1, n);
    at += sprintf(at, "*z - ");
    write_sines(at, n / 2, n);
    hml_program *p = program_of(state, 1, (const char *const[]){text}), *q = factored(state, p, 0);
    values_stay(p, q, 1e-11);
    assert_true(hml_program_operations(q) <= hml_program_operations(p));
    hml_program_free(p);
    hml_program_free(q);
    free(text);
  }
}

// Each sum is made of the two before it: more than 10^12 products, were they all written out
static void sums_of_sums_of_sums_end(void **state) {
  enum { DEPTH = 60 };
  assembly s, to;
  hml_program *p = NULL, *q = NULL;
  for (int which = 0; which < 2; which++) {
    check_ok(assembly_init(&s, *state, 2, 1));
    for (size_t i = 0; i < 2; i++) check_ok(assembly_name(&s, i, "", i ? "y" : "x"));
    uint32_t one = assembly_input(&s, 0), other = assembly_input(&s, 1);
    for (int k = 0; k < DEPTH; k++) {
      const uint32_t next = assembly_emit(&s, k % 2 ? OP_sub : OP_add, one, other, 0);
      other = one, one = next;
    }
    s.outputs[0] = one;
    if (which == 0) {
      check_ok(assembly_finish(&s, HML_OK, &p));
      continue;
    }
    check_ok(assembly_init(&to, *state, 2, 1));
    for (size_t i = 0; i < 2; i++) check_ok(assembly_name(&to, i, "", s.names[i]));
    const hml_status status = factor_sums(&s, &to, 0, NULL);
    check_ok(assembly_finish(&to, status, &q));
    assembly_free(&s);
  }
  const double in[2] = {0.3, -0.7};
  double here, there;
  evaluate(p, in, &here);
  evaluate(q, in, &there);
  check_near(there, here, 1e-13);
  hml_program_free(p);
  hml_program_free(q);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(a_common_factor_is_multiplied_once),
      in_context(sums_that_are_kept_stay),
      in_context(signs_and_numbers_stay_with_their_products),
      in_context(drawn_expressions_keep_their_values),
      in_context(products_of_many_factors_keep_their_values),
      in_context(sums_of_sums_of_sums_end),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
