// tests src/program/lower.c and assemble.c
#include "programs.h"

#include "program/program_impl.h"

// arbiter: hml_value
static void values_agree_with_those_of_expressions(void **state) {
  hml_context *c = *state;
  for (uint64_t seed = 1; seed <= 300; seed++) {
    uint64_t dice = seed * UINT64_C(0x9E3779B97F4A7C15);
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    double in[SYMBOLS], out[OUTPUTS], wanted;
    hml_program *p;
    make_symbols(c, symbols);
    draw_outputs(c, &dice, symbols, outputs);
    check_ok(hml_program_new(c, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&dice, 0.1, 1.5);
    evaluate(p, in, out);
    for (size_t i = 0; i < OUTPUTS; i++) {
      check_ok(hml_value(c, outputs[i], SYMBOLS, symbols, in, &wanted));
      if (fabs(wanted) > 1e4) continue;
      if (!(fabs(out[i] - wanted) <= 1e-11 * (1 + fabs(wanted)))) fail_msg("seed %u: %.17g, not %.17g", (unsigned)seed, out[i], wanted);
    }
    hml_program_free(p);
  }
}

// x_{k+1} = x_k^2 + x_k: the tree has 2^60 leaves
static void shared_parts_are_computed_once(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), e = x;
  for (int k = 0; k < 60; k++) e = hml_add(c, hml_mul(c, e, e), e);
  hml_program *p;
  check_ok(hml_program_new(c, 1, &x, 1, &e, &p));
  assert_int_equal(hml_program_operations(p), 60);
  double in = -0.5, out, wanted = in;
  for (int k = 0; k < 60; k++) wanted = wanted + wanted * wanted;
  evaluate(p, &in, &out);
  assert_true(out == wanted);
  hml_program_free(p);
}

static void deep_expressions_need_no_stack(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), y = hml_symbol(c, "y", 0, 0), inputs[2] = {x, y}, e = x;
  enum { DEPTH = 100000 };
  for (int k = 0; k < DEPTH; k++) e = k % 2 ? hml_mul(c, e, y) : hml_add(c, e, y);
  hml_program *p;
  check_ok(hml_program_new(c, 2, inputs, 1, &e, &p));
  double in[2] = {0.5, 0.75}, out, wanted = in[0];
  for (int k = 0; k < DEPTH; k++) wanted = k % 2 ? wanted * in[1] : wanted + in[1];
  evaluate(p, in, &out);
  check_near(out, wanted, 1e-12);
  assert_true(hml_program_work_size(p) <= 8);
  hml_program_free(p);
}

static void wide_sums_keep_the_work_array_small(void **state) {
  hml_context *c = *state;
  enum { WIDTH = 100000 };
  hml_expr *terms = malloc(WIDTH * sizeof *terms);
  assert_non_null(terms);
  for (int k = 0; k < WIDTH; k++) {
    char name[20];
    snprintf(name, sizeof name, "x%d", k);
    terms[k] = hml_symbol(c, name, 0, 0);
  }
  hml_expr sum = hml_sum(c, WIDTH, terms);
  hml_program *p;
  check_ok(hml_program_new(c, WIDTH, terms, 1, &sum, &p));
  double *in = malloc(WIDTH * sizeof *in), out;
  assert_non_null(in);
  for (int k = 0; k < WIDTH; k++) in[k] = k;
  evaluate(p, in, &out);
  assert_true(out == (double)WIDTH * (WIDTH - 1) / 2);
  assert_true(hml_program_work_size(p) <= WIDTH + 8);
  assert_int_equal(hml_program_operations(p), WIDTH - 1);
  hml_program_free(p);
  free(terms);
  free(in);
}

static void powers_become_multiplications_and_roots(void **state) {
  hml_program *p = program_of(state, 4, (const char *const[]){"x^5", "x^(3/2)", "x^(-1/2)", "x^100"});
  double in[SYMBOLS] = {1.3}, out[4];
  evaluate(p, in, out);
  check_near(out[0], pow(1.3, 5), 1e-14);
  check_near(out[1], pow(1.3, 1.5), 1e-15);
  check_near(out[2], pow(1.3, -0.5), 1e-15);
  assert_true(out[3] == pow(1.3, 100));
  // x^2, x^4, x^5; root, product; quotient; pow
  assert_int_equal(hml_program_operations(p), 7);
  hml_program_free(p);
}

static void a_symbol_without_value_is_named(void **state) {
  hml_context *c = *state;
  hml_expr symbols[SYMBOLS];
  make_symbols(c, symbols);
  hml_expr e = parse(c, "y + sin(x')*z");
  hml_program *p = (hml_program *)(void *)c;
  assert_int_equal(hml_program_new(c, 3, symbols, 1, &e, &p), HML_UNKNOWN_SYMBOL);
  assert_null(p);
  check_contains(hml_context_error(c)->message, "program: x' ");
}

static void missing_and_doubled_arguments_are_refused(void **state) {
  hml_context *c = *state;
  hml_expr symbols[SYMBOLS], none = NULL;
  make_symbols(c, symbols);
  hml_program *p;
  assert_int_equal(hml_program_new(c, 1, symbols, 1, &none, &p), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "output 1");
  hml_context_clear_error(c);
  symbols[2] = symbols[0];
  assert_int_equal(hml_program_new(c, 3, symbols, 1, symbols, &p), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "'x' is given twice");
  hml_context_clear_error(c);
  symbols[1] = hml_integer(c, 3);
  assert_int_equal(hml_program_new(c, 2, symbols, 1, symbols, &p), HML_ARGUMENT);
}

static void a_set_flag_interrupts_long_work(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), e = x;
  for (int k = 0; k < 5000; k++) e = hml_call(c, HML_FUN_sin, 1, &e);
  hml_program *p;
  *hml_context_interrupt_flag(c) = 1;
  assert_int_equal(hml_program_new(c, 1, &x, 1, &e, &p), HML_INTERRUPTED);
  *hml_context_interrupt_flag(c) = 0;
}

// ---- failing allocations: the n-th one returns NULL

static void running_out_of_memory_leaves_nothing_behind(void **state) {
  (void)state;
  for (long n = 0, done = 0; !done; n++) {
    ration r = {.left = UNLIMITED};
    hml_context *c = hml_context_new(rationed, &r);
    hml_expr symbols[SYMBOLS];
    make_symbols(c, symbols);
    hml_expr e[3] = {parse(c, "sin(x)*cos(x)/y^3 + m"), parse(c, "atan2(x, z)^x'"), parse(c, "tanh(sqrt(m))")};
    const size_t active[2] = {0, 3};
    hml_program *p = NULL, *q = NULL, *adjoint = NULL;
    char *text = NULL;
    // once without a limit: that the room of expressions parses its partial derivatives is not at stake here
    for (size_t i = 0; i < 3; i++) assert_non_null(hml_derivative(c, e[i], symbols[0]));
    assert_non_null(hml_derivative(c, e[1], symbols[2]));
    assert_non_null(hml_derivative(c, e[2], symbols[4]));
    r.left = n;
    hml_status status = hml_program_new(c, SYMBOLS, symbols, 3, e, &p);
    if (status == HML_OK) status = hml_program_tangent(c, p, 2, active, &q);
    if (status == HML_OK) status = hml_program_adjoint(c, p, 2, active, &adjoint);
    if (status == HML_OK && !(text = hml_program_list(c, adjoint))) status = HML_MEMORY;
    assert_true(status == HML_OK || status == HML_MEMORY);
    done = status == HML_OK;
    hml_free(c, text);
    hml_program_free(p);
    hml_program_free(q);
    hml_program_free(adjoint);
    hml_context_free(c);
    assert_int_equal(r.bytes, 0);
  }
}

// What a double leaves of a folded result: 0 where the result is exact; else the remainder of a product is a double itself
static void constants_know_what_they_leave(void **state) {
  (void)state;
  if (!hml_program__has_quad()) return;
  const double exact[][3] = {{OP_mul, 0.75, -12}, {OP_add, 1, 0x1p-52}, {OP_add, -3, 0.125}, {OP_sub, 1e15, 0.5}, {OP_mul, 1e308, 0.5}};
  const double rounded[][3] = {{OP_mul, 0.1, 0.1}, {OP_add, 1, 1e-17}, {OP_add, 1e-17, 1}, {OP_sub, 1e-20, -3}, {OP_mul, 0x1.8p-600, 0x1.0000000000001p-470}};
  for (int k = 0; k < 5; k++)
    for (int lost = 0; lost < 2; lost++) {
      const double *row = lost ? rounded[k] : exact[k];
      const opcode op = (opcode)row[0];
      const double x[3] = {row[1], row[2], 0}, none[3] = {0, 0, 0}, result = instruction_value(op, row[1], row[2], 0), rest = hml_quad__rest(op, result, x, none);
      assert_true(lost ? rest != 0 : rest == 0);
      if (lost && op == OP_mul && k == 0) assert_true(fabs(rest - fma(row[1], row[2], -result) / result) < 1e-15 * fabs(rest));
      if (lost && op == OP_add && k == 1) assert_true(fabs(rest - 1e-17) < 1e-32);
    }
}

// Numbers with equal doubles are others where their rests are; each pair of both is one item, of which rounding is no part
static void rests_belong_to_their_numbers(void **state) {
  enum { NUMBERS = 500 };
  assembly s;
  uint32_t ids[NUMBERS];
  check_ok(assembly_init(&s, *state, 0, 0));
  for (uint32_t k = 0; k < NUMBERS; k++) ids[k] = assembly_number(&s, 0.1, (k + 1) * 0x1p-70);
  const uint32_t plain = assembly_constant(&s, 0.1);
  check_ok(s.status);
  for (uint32_t k = 0; k < NUMBERS; k++) {
    assert_int_equal(assembly_number(&s, 0.1, (k + 1) * 0x1p-70), ids[k]);
    assert_true(ids[k] != plain && assembly_rest(&s, &s.items[ids[k]]) == (k + 1) * 0x1p-70);
  }
  assert_int_equal(assembly_number(&s, 0.1, 0x1p-105), plain);
  assembly_free(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(values_agree_with_those_of_expressions),
      in_context(shared_parts_are_computed_once),
      in_context(deep_expressions_need_no_stack),
      in_context(wide_sums_keep_the_work_array_small),
      in_context(powers_become_multiplications_and_roots),
      in_context(constants_know_what_they_leave),
      in_context(rests_belong_to_their_numbers),
      in_context(a_symbol_without_value_is_named),
      in_context(missing_and_doubled_arguments_are_refused),
      in_context(a_set_flag_interrupts_long_work),
      cmocka_unit_test(running_out_of_memory_leaves_nothing_behind),
  };
  return cmocka_run_group_tests_name("lower", tests, NULL, NULL);
}
