// tests src/program/verify.c and schedule.c: sound programs pass, each kind of damage is found
#include "programs.h"

#include "program/program_impl.h"

static hml_program *some_program(void **state) {
  return program_of(state, 3, (const char *const[]){"sin(x)*cos(x) + y*z", "exp(x*y) - m/x'", "sqrt(m)*y + 2"});
}

static void check_sound(void **state, const hml_program *p) {
  check_ok(verify_program(*state, p));
}

static void check_unsound(void **state, const hml_program *p, const char *part) {
  assert_int_equal(verify_program(*state, p), HML_INTERNAL);
  check_contains(hml_context_error(*state)->message, part);
  hml_context_clear_error(*state);
}

static void programs_of_this_room_are_sound(void **state) {
  hml_context *c = *state;
  for (uint64_t seed = 1; seed <= 100; seed++) {
    uint64_t dice = seed * UINT64_C(0x9E3779B97F4A7C15);
    const size_t active[2] = {1, 4};
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    hml_program *p, *q, *r;
    make_symbols(c, symbols);
    draw_outputs(c, &dice, symbols, outputs);
    check_ok(hml_program_new(c, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    check_ok(hml_program_tangent(c, p, 2, active, &q));
    check_ok(hml_program_adjoint(c, q, 2, active, &r));
    check_sound(state, p);
    check_sound(state, q);
    check_sound(state, r);
    hml_program_free(p);
    hml_program_free(q);
    hml_program_free(r);
  }
}

static void a_damaged_instruction_is_found(void **state) {
  hml_program *p = some_program(state);
  check_sound(state, p);
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    instruction was = p->instructions[k];
    p->instructions[k].a = was.result;
    check_unsound(state, p, "instructions");
    p->instructions[k] = was;
    p->instructions[k].op = OP_COUNT;
    check_unsound(state, p, "instructions");
    p->instructions[k] = was;
  }
  p->outputs[1] = p->n_values;
  check_unsound(state, p, "instructions");
  hml_program_free(p);
}

// Every word of the stream matters: any other value is noticed
static void a_damaged_stream_is_found(void **state) {
  hml_program *p = some_program(state);
  for (uint32_t k = 0; k + 1 < p->stream_length; k++) {
    uint32_t was = p->stream[k];
    const uint32_t others[] = {was + 1, was - 1, p->work_size, UINT32_MAX};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
      p->stream[k] = others[i];
      check_unsound(state, p, "stream");
    }
    p->stream[k] = was;
  }
  check_sound(state, p);
  p->output_slots[0]++;
  check_unsound(state, p, "stream");
  hml_program_free(p);
}

static void a_damaged_assembly_is_found(void **state) {
  assembly s;
  check_ok(assembly_init(&s, *state, 2, 1));
  uint32_t x = assembly_input(&s, 0), y = assembly_input(&s, 1), sum = assembly_emit(&s, OP_add, x, y, 0);
  s.outputs[0] = sum;
  check_ok(verify_assembly(&s, "a test"));
  s.items[sum].b = sum;
  assert_int_equal(verify_assembly(&s, "a test"), HML_INTERNAL);
  check_contains(hml_context_error(*state)->message, "after a test");
  s.items[sum].b = y;
  s.outputs[0] = 3;
  hml_context_clear_error(*state);
  assert_int_equal(verify_assembly(&s, "a test"), HML_INTERNAL);
  assembly_free(&s);
}

// Equal opcodes stand together: many independent terms make few runs
static void equal_opcodes_are_grouped(void **state) {
  hml_context *c = *state;
  enum { N = 40 };
  hml_expr x[N], out[N];
  for (unsigned k = 0; k < N; k++) x[k] = hml_symbol(c, "x", HML_DYNAMIC, k);
  for (unsigned k = 0; k < N; k++) {
    hml_expr sine = hml_call(c, HML_FUN_sin, 1, &x[k]);
    out[k] = hml_div(c, hml_mul(c, sine, x[(k + 1) % N]), hml_add(c, x[k], hml_integer(c, 2)));
  }
  hml_program *p;
  check_ok(hml_program_new(c, N, x, N, out, &p));
  assert_int_equal(p->n_instructions, 4 * N);
  // four runs {op, n}; a sine takes two words, the others three; the end
  assert_int_equal(p->stream_length, 4 * 2 + N * (2 + 3 * 3) + 2);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(programs_of_this_room_are_sound), in_context(a_damaged_instruction_is_found),
      in_context(a_damaged_stream_is_found),       in_context(a_damaged_assembly_is_found),
      in_context(equal_opcodes_are_grouped),
  };
  return cmocka_run_group_tests_name("verify", tests, NULL, NULL);
}
