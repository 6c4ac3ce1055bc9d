// schedule.c: the stream of the interpreter: one turn per instruction, operands first, equal opcodes in runs, slots used again.
#include "programs.h"

#include "program/program_impl.h"

// order: a permutation in which every operand that is a result was computed before
static void check_order(const hml_program *p) {
  const uint32_t first = p->n_constants + p->n_in;
  bool *done = calloc(p->n_instructions + 1, 1);
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const uint32_t at = p->order[k];
    const instruction *e = p->instructions + at;
    const uint32_t operands[] = {e->a, e->b, e->c};
    assert_true(at < p->n_instructions && !done[at]);
    for (unsigned i = 0; i < instruction_rows[e->op].operands; i++)
      if (operands[i] >= first) assert_true(done[p->producer[operands[i] - first]]);
    done[at] = true;
  }
  free(done);
}

// Runs {op, n, n times (result, [second], operands)} up to the end of the stream; their number
static size_t runs_of(const hml_program *p) {
  size_t runs = 0, instructions = 0;
  const uint32_t *s = p->stream;
  for (; *s != OP_HALT; runs++) {
    const instruction_row *row = instruction_rows + s[0];
    assert_true(s[1] > 0);
    instructions += s[1];
    s += 2 + s[1] * (row->operands + row->results);
  }
  assert_int_equal(instructions, p->n_instructions);
  assert_true((size_t)(s - p->stream) < p->stream_length);
  return runs;
}

static void operands_come_first(void **state) {
  for (uint64_t seed = 1; seed <= 60; seed++) {
    uint64_t dice = seed * UINT64_C(0x9E3779B97F4A7C15);
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    hml_program *p;
    make_symbols(*state, symbols);
    draw_outputs(*state, &dice, symbols, outputs);
    check_ok(hml_program_new(*state, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    check_order(p);
    assert_true(runs_of(p) <= p->n_instructions);
    hml_program_free(p);
  }
}

// sin(k x) for k = 1 ... 12: all products in one run, all sines in one
static void equal_operations_go_together(void **state) {
  const char *const texts[] = {"sin(2*x)", "sin(3*x)", "sin(4*x)", "sin(5*x)", "sin(6*x)", "sin(7*x)", "sin(8*x)", "sin(9*x)"};
  hml_program *p = program_of(state, 8, texts);
  assert_int_equal(p->n_instructions, 16);
  assert_int_equal(runs_of(p), 2);
  double in[SYMBOLS] = {0.3}, out[8];
  evaluate(p, in, out);
  for (int k = 0; k < 8; k++) check_near(out[k], sin(0.3 * (k + 2)), 1e-15);
  hml_program_free(p);
}

// exp(sin(exp(sin(... x)))): one value lives at a time
static void dead_values_give_their_slots_back(void **state) {
  hml_context *c = *state;
  hml_expr symbols[SYMBOLS], e;
  hml_program *p;
  double in[SYMBOLS] = {0.7}, out, wanted = 0.7;
  make_symbols(c, symbols);
  e = symbols[0];
  for (int k = 0; k < 100; k++) {
    e = hml_call(c, k % 2 ? HML_FUN_exp : HML_FUN_sin, 1, &e);
    wanted = k % 2 ? exp(wanted) : sin(wanted);
  }
  check_ok(hml_program_new(c, SYMBOLS, symbols, 1, &e, &p));
  assert_int_equal(p->n_instructions, 100);
  assert_true(p->work_size <= p->n_constants + p->n_in + 2);
  evaluate(p, in, &out);
  check_near(out, wanted, 1e-14);
  hml_program_free(p);
}

// An output lives to the end, inputs and constants may be outputs themselves
static void outputs_are_kept(void **state) {
  hml_program *p = program_of(state, 4, (const char *const[]){"sin(x)", "sin(sin(x))", "y", "3"});
  double in[SYMBOLS] = {0.4, 5}, out[4];
  evaluate(p, in, out);
  check_near(out[0], sin(0.4), 0);
  check_near(out[1], sin(sin(0.4)), 0);
  check_near(out[2], 5, 0);
  check_near(out[3], 3, 0);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(operands_come_first),
      in_context(equal_operations_go_together),
      in_context(dead_values_give_their_slots_back),
      in_context(outputs_are_kept),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
