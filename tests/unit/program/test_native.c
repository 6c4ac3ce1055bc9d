// tests src/program/native.c and src/program/emit_x86.c: bit for bit against the interpreter, which is the reference
#include "programs.h"

#include "program/program_impl.h"

enum { MOST_IN = 6, LANES = 8 };

typedef enum kind { PLAIN, FUNCTIONS, CIRCLES } kind;

// A program of n random instructions on random earlier values; reach: how far back operands may lie
static hml_program *random_program(void **state, uint64_t *dice, uint32_t n, uint32_t reach, kind of, bool contracts) {
  static const opcode plain[] = {OP_add, OP_sub, OP_mul, OP_div, OP_neg, OP_sqrt, OP_abs, OP_min, OP_max, OP_add, OP_sub, OP_mul};
  static const opcode all[] = {OP_add, OP_sub, OP_mul, OP_div, OP_neg, OP_sqrt, OP_abs, OP_min, OP_max, OP_sin, OP_cos, OP_tan, OP_asin, OP_acos,
                               OP_atan, OP_atan2, OP_sinh, OP_cosh, OP_tanh, OP_asinh, OP_acosh, OP_atanh, OP_exp, OP_log, OP_sign, OP_pow,
                               OP_sin, OP_cos, OP_mul, OP_add, OP_sub, OP_mul};
  static const opcode circles[] = {OP_sin, OP_cos, OP_sin, OP_cos, OP_mul, OP_sin, OP_cos, OP_add};
  assembly s;
  check_ok(assembly_init(&s, *state, MOST_IN, 7));
  s.contracts = contracts;
  uint32_t *made = calloc(n + MOST_IN + 3, sizeof *made), count = 0;
  for (uint32_t i = 0; i < MOST_IN; i++) {
    check_ok(assembly_name(&s, i, "", "x"));
    made[count++] = assembly_input(&s, i);
  }
  for (int k = 0; k < 3; k++) made[count++] = assembly_constant(&s, draw_between(dice, -3, 3));
  while (count < n + MOST_IN + 3) {
    const uint64_t drawn = draw(dice);
    opcode op = of == CIRCLES ? circles[drawn % 8] : of == FUNCTIONS ? all[drawn % (sizeof all / sizeof *all)] : plain[drawn % (sizeof plain / sizeof *plain)];
    uint32_t operands[2];
    for (int o = 0; o < 2; o++) {
      uint32_t back = 1 + (uint32_t)(draw(dice) % reach);
      operands[o] = made[back > count ? draw(dice) % count : count - back];
    }
    made[count++] = assembly_emit(&s, op, operands[0], instruction_rows[op].operands > 1 ? operands[1] : 0, 0);
  }
  for (uint32_t i = 0; i < 4; i++) s.outputs[i] = made[count - 1 - draw(dice) % (count / 2)];
  s.outputs[4] = made[0];
  s.outputs[5] = made[MOST_IN];
  s.outputs[6] = s.outputs[0];
  free(made);
  hml_program *p;
  check_ok(assembly_finish(&s, HML_OK, &p));
  return p;
}

static bool same_bits(double x, double y) {
  return (isnan(x) && isnan(y)) || memcmp(&x, &y, sizeof x) == 0;
}

static void compare_lanes(void **state, const hml_program *p, unsigned lanes, uint64_t *dice, bool exact) {
  if (hml_native__refusal(lanes)) return;
  hml_native *n;
  check_ok(hml_native__new(*state, p, lanes, &n));
  assert_non_null(n);
  double in[MOST_IN * LANES], out[7 * LANES], *work = calloc(hml_native__work_size(n) + 1, sizeof *work);
  double *reference = calloc(hml_program_work_size(p) + 1, sizeof *reference);
  for (int round = 0; round < 3; round++) {
    for (unsigned i = 0; i < MOST_IN * lanes; i++) in[i] = draw_between(dice, -2, 2);
    hml_native__code(n)(in, out, work);
    for (unsigned l = 0; l < lanes; l++) {
      double one[MOST_IN], wanted[7];
      for (unsigned i = 0; i < MOST_IN; i++) one[i] = in[i * lanes + l];
      hml_program_eval(p, one, wanted, reference);
      for (unsigned i = 0; i < 7; i++)
        if (exact ? !same_bits(out[i * lanes + l], wanted[i]) : !(fabs(out[i * lanes + l] - wanted[i]) <= 1e-12 * fabs(wanted[i])))
          fail_msg("%u lanes, output %u: %.17g instead of %.17g", lanes, i + 1, out[i * lanes + l], wanted[i]);
    }
  }
  free(work);
  free(reference);
  hml_native__free(n);
}

// States are the inputs 1 ... 4, rates the outputs 0 ... 3; then a state or the time is not finite
static void compare_entry(void **state, hml_program *p, uint64_t *dice) {
  if (hml_native__refusal(1)) return;
  const hml_entry_layout l = {.states = 4, .rates = 4};
  check_ok(hml_program__compile_entry(p, &l));
  hml_entry_code entry = hml_program__entry(p);
  assert_non_null(entry);
  double *work = calloc(hml_program_work_size(p) + 1, sizeof *work);
  for (int round = 0; round < 4; round++) {
    double in[MOST_IN] = {0}, plain[MOST_IN], out[4], margins[3], wanted[7];
    for (unsigned i = 0; i < MOST_IN; i++) plain[i] = draw_between(dice, -2, 2);
    if (round == 3) plain[draw(dice) % 5] = draw(dice) % 2 ? (double)NAN : -(double)INFINITY;
    in[5] = plain[5];
    const int answer = entry(plain[0], plain + 1, out, in, work, margins);
    hml_program_eval(p, plain, wanted, work);
    bool finite = true;
    for (int i = 0; i < 5; i++) finite &= isfinite(plain[i]) != 0;
    for (int i = 0; i < 4; i++) finite &= isfinite(wanted[i]) != 0;
    assert_int_equal(answer, finite);
    assert_memory_equal(in, plain, sizeof in);
    for (int i = 0; i < 7; i++)
      if (!same_bits(i < 4 ? out[i] : margins[i - 4], wanted[i])) fail_msg("entry, output %d: not the bits of the interpreter", i);
  }
  free(work);
}

static void random_programs_have_the_bits_of_the_interpreter(void **state) {
  uint64_t dice = 20261121;
  hml_native__pretend(HML_LACKS_VECTOR_FUNCTIONS);                     // functions lane by lane: the same bits too
  for (int k = 0; k < 1500; k++) {
    uint32_t n = 5 + (uint32_t)(draw(&dice) % 120), reach = 2 + (uint32_t)(draw(&dice) % 150);
    hml_program *p = random_program(state, &dice, n, reach, k % 2 == 1 ? FUNCTIONS : PLAIN, k % 4 > 1);
    compare_lanes(state, p, 1, &dice, true);
    compare_lanes(state, p, 4, &dice, true);
    compare_lanes(state, p, 8, &dice, true);
    compare_entry(state, p, &dice);
    hml_program_free(p);
    if (k % 100 == 99) hml_context_sweep(*state);
  }
  hml_native__pretend(HML_LACKS_NOTHING);
}

static void long_programs_have_the_bits_of_the_interpreter(void **state) {
  uint64_t dice = 99;
  hml_program *p = random_program(state, &dice, 20000, 3000, PLAIN, true);
  compare_lanes(state, p, 1, &dice, true);
  compare_lanes(state, p, 4, &dice, true);
  compare_lanes(state, p, 8, &dice, true);
  compare_entry(state, p, &dice);
  hml_program_free(p);
}

// Values far apart in memory: more parts of it than there are registers that point at them, and calls that these registers do not survive
static void programs_that_reach_far_have_the_bits_of_the_interpreter(void **state) {
  uint64_t dice = 20261128;
  for (int k = 0; k < 24; k++) {
    hml_program *p = random_program(state, &dice, 3000, 100u << k % 6, k % 3 == 0 ? CIRCLES : k % 3 == 1 ? FUNCTIONS : PLAIN, k % 4 > 1);
    compare_lanes(state, p, 1, &dice, true);
    if (k % 3 == 2) compare_lanes(state, p, 4, &dice, true);
    hml_program_free(p);
  }
}

// Few angles and many, independent and of each other, in registers and at home; vectors of lanes by our own functions, whatever library there is
static void sines_in_groups_have_the_bits_of_the_interpreter(void **state) {
  uint64_t dice = 20261127;
  for (int k = 0; k < 1500; k++) {
    uint32_t n = 2 + (uint32_t)(draw(&dice) % 90), reach = k % 3 == 0 ? 3 : 4 + (uint32_t)(draw(&dice) % 150);
    hml_program *p = random_program(state, &dice, n, reach, CIRCLES, k % 4 > 1);
    compare_lanes(state, p, 1, &dice, true);
    compare_lanes(state, p, 4, &dice, true);
    compare_lanes(state, p, 8, &dice, true);
    compare_entry(state, p, &dice);
    hml_program_free(p);
    if (k % 100 == 99) hml_context_sweep(*state);
  }
}

static void vector_functions_are_right_to_some_units_in_the_last_place(void **state) {
  hml_program *p = program_of(state, 7, (const char *const[]){"sin(x)", "cos(x)", "exp(y)", "atan2(x, y)", "sin(x)^2 + cos(y)*tanh(z)", "abs(x)^(1/3)", "sign(x)"});
  for (unsigned lanes = 4; lanes <= 8; lanes += 4) {
    if (hml_native__refusal(lanes)) continue;
    hml_native *n;
    check_ok(hml_native__new(*state, p, lanes, &n));
    double in[SYMBOLS * LANES], out[7 * LANES], work[64 * LANES], reference[64];
    uint64_t dice = 3;
    for (int round = 0; round < 2000; round++) {
      for (unsigned i = 0; i < SYMBOLS * lanes; i++) in[i] = draw_between(&dice, -3, 3);
      hml_native__code(n)(in, out, work);
      for (unsigned l = 0; l < lanes; l++) {
        double one[SYMBOLS], wanted[7];
        for (unsigned i = 0; i < SYMBOLS; i++) one[i] = in[i * lanes + l];
        hml_program_eval(p, one, wanted, reference);
        for (unsigned i = 0; i < 7; i++) check_near(out[i * lanes + l], wanted[i], 2e-15 * (1 + fabs(wanted[i])));
      }
    }
    hml_native__free(n);
  }
  hml_program_free(p);
}

static void what_is_missing_is_said_and_the_interpreter_goes_on(void **state) {
  const struct { hml_lack lack; unsigned lanes; const char *words; } cases[] = {
      {HML_LACKS_AVX2, 1, "AVX2"}, {HML_LACKS_AVX512, 8, "AVX-512"}, {HML_LACKS_EXECUTABLE_MEMORY, 1, "executable memory"}};
  hml_program *p = program_of(state, 1, (const char *const[]){"x*y + 1"});
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    hml_native__pretend(cases[k].lack);
    hml_native *n;
    check_contains(hml_native__refusal(cases[k].lanes), cases[k].words);
    check_ok(hml_native__new(*state, p, cases[k].lanes, &n));
    assert_null(n);
  }
  check_ok(hml_program__compile(p));                                   // no executable memory
  assert_false(hml_program__is_native(p));
  double in[SYMBOLS] = {2, 3}, out, work[8];
  hml_program_eval(p, in, &out, work);
  assert_true(out == 7);
  hml_native__pretend(HML_LACKS_NOTHING);
  check_ok(hml_program__compile(p));
  assert_true(hml_program__is_native(p) == !hml_native__refusal(1));
  hml_program_eval(p, in, &out, work);
  assert_true(out == 7);
  hml_program_free(p);
}

static void a_program_without_instructions_copies(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), outputs[2] = {x, hml_rational(c, 3, 4)};
  hml_program *p;
  check_ok(hml_program_new(c, 1, &x, 2, outputs, &p));
  check_ok(hml_program__compile(p));
  double in = 5, out[2], work[4];
  hml_program_eval(p, &in, out, work);
  assert_true(out[0] == 5 && out[1] == 0.75);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(random_programs_have_the_bits_of_the_interpreter),
      in_context(long_programs_have_the_bits_of_the_interpreter),
      in_context(programs_that_reach_far_have_the_bits_of_the_interpreter),
      in_context(sines_in_groups_have_the_bits_of_the_interpreter),
      in_context(vector_functions_are_right_to_some_units_in_the_last_place),
      in_context(what_is_missing_is_said_and_the_interpreter_goes_on),
      in_context(a_program_without_instructions_copies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
