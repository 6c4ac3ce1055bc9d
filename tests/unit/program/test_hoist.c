// tests src/program/hoist.c
#include "programs.h"

// Inputs 1 ... FIXED of the random programs are held still
enum { FIXED = 2, PLACE = SYMBOLS + 2 };

static void fill_lean(const hml_hoisted *h, const double *in, double *lean, double *fixed) {
  memcpy(lean, in, SYMBOLS * sizeof *in);
  evaluate(h->fixed, in, fixed);
  memcpy(lean + h->place, fixed, h->count * sizeof *fixed);
}

// The program of one expression and its parts; inputs from 1 on are held still
static hml_hoisted hoisted(void **state, size_t n, const hml_expr *symbols, hml_expr e, hml_program **p) {
  hml_hoisted h;
  check_ok(hml_program_new(*state, n, symbols, 1, &e, p));
  check_ok(hml_program__hoist(*state, *p, &(hml_hoist_layout){.first = 1, .count = n - 1, .place = n}, &h));
  return h;
}

// arbiter: the whole program, bit for bit; margins that do not move stand behind the values
static void lean_programs_give_the_same_bits(void **state) {
  hml_context *c = *state;
  size_t taken = 0, shorter = 0, settled = 0;
  for (uint64_t seed = 1; seed <= 400; seed++) {
    uint64_t dice = seed * UINT64_C(0xD1342543DE82EF95);
    hml_expr symbols[SYMBOLS], outputs[OUTPUTS];
    hml_program *p;
    hml_hoisted h;
    make_symbols(c, symbols);
    draw_outputs(c, &dice, symbols, outputs);
    if (seed % 3 == 0) outputs[OUTPUTS - 1] = hml_mul(c, symbols[1], hml_add(c, symbols[2], hml_integer(c, 3)));
    check_ok(hml_program_new(c, SYMBOLS, symbols, OUTPUTS, outputs, &p));
    hml_hoist_layout l = {.first = 1, .count = FIXED, .place = PLACE, .margins = 1};
    check_ok(hml_program__hoist(c, p, &l, &h));
    if (h.lean) {
      taken += h.count;
      settled += h.fixed_margins;
      shorter += hml_program_operations(h.lean) < hml_program_operations(p);
      assert_int_equal(h.margins + h.fixed_margins, 1);
      assert_int_equal(hml_program_inputs(h.lean), PLACE + h.count);
      assert_int_equal(hml_program_outputs(h.lean), OUTPUTS - h.fixed_margins);
      for (int k = 0; k < 5; k++) {
        double in[SYMBOLS], lean[400] = {0}, fixed[400], want[OUTPUTS], got[OUTPUTS];
        assert_true(h.count < 300);
        for (size_t i = 0; i < SYMBOLS; i++) in[i] = draw_between(&dice, -2, 2);
        evaluate(p, in, want);
        fill_lean(&h, in, lean, fixed);
        evaluate(h.lean, lean, got);
        if (h.fixed_margins) got[OUTPUTS - 1] = fixed[h.count];
        for (size_t i = 0; i < OUTPUTS; i++) assert_true(memcmp(&want[i], &got[i], sizeof *want) == 0 || (isnan(want[i]) && isnan(got[i])));
      }
    }
    hml_program__free_hoisted(&h);
    hml_program_free(p);
  }
  assert_true(taken > 100 && shorter > 100 && settled > 50);
}

// (m + M) l a / (m l^2): six operations for the parameters, one with what moves
static void parameters_are_brought_together(void **state) {
  hml_context *c = *state;
  hml_expr a = hml_symbol(c, "a", HML_DYNAMIC, 0), symbols[4] = {a, hml_symbol(c, "m", 0, 0), hml_symbol(c, "M", 0, 0), hml_symbol(c, "l", 0, 0)};
  hml_expr mass = hml_add(c, symbols[1], symbols[2]), e = hml_div(c, hml_mul(c, hml_mul(c, mass, symbols[3]), hml_call(c, HML_FUN_sin, 1, &a)), symbols[1]);
  hml_program *p;
  hml_hoisted h = hoisted(state, 4, symbols, e, &p);
  assert_non_null(h.lean);
  assert_int_equal(h.count, 1);
  assert_int_equal(hml_program_operations(h.lean), 2);
  double in[5] = {0.3, 2, 5, 0.7, 0}, value;
  evaluate(h.fixed, in, in + 4);
  evaluate(h.lean, in, &value);
  check_near(value, 7 * 0.7 / 2 * sin(0.3), 1e-15);
  hml_program__free_hoisted(&h);
  hml_program_free(p);
}

static void nothing_to_take_is_no_program(void **state) {
  hml_context *c = *state;
  hml_expr symbols[2] = {hml_symbol(c, "a", HML_DYNAMIC, 0), hml_symbol(c, "m", 0, 0)}, e = hml_mul(c, symbols[0], symbols[1]);
  hml_program *p;
  hml_hoisted h = hoisted(state, 2, symbols, e, &p);
  assert_null(h.lean);
  assert_null(h.fixed);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(lean_programs_give_the_same_bits),
      in_context(parameters_are_brought_together),
      in_context(nothing_to_take_is_no_program),
  };
  return cmocka_run_group_tests_name("hoist", tests, NULL, NULL);
}
