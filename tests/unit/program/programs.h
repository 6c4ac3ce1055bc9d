// programs.h: contexts, random expressions and comparisons for the tests of this room.
#ifndef HML_TEST_PROGRAMS_H
#define HML_TEST_PROGRAMS_H

#include "program/program.h"
#include "support.h"

enum { SYMBOLS = 5, NODES = 40, OUTPUTS = 4 };

#define check_ok(call) assert_ok(*state, call)

// x, y, z, x', m
static inline void make_symbols(hml_context *c, hml_expr *s) {
  s[0] = hml_symbol(c, "x", HML_DYNAMIC, 0);
  s[1] = hml_symbol(c, "y", 0, 0);
  s[2] = hml_symbol(c, "z", 0, 0);
  s[3] = hml_dot(c, s[0]);
  s[4] = hml_symbol(c, "m", HML_POSITIVE, 0);
}

static inline hml_expr parse(hml_context *c, const char *text) {
  hml_expr s[SYMBOLS];
  make_symbols(c, s);
  return hml_parse(c, text, SYMBOLS, s);
}

// A program of texts in x, y, z, x', m
static inline hml_program *program_of(void **state, size_t n, const char *const *texts) {
  enum { MOST_OUTPUTS = 64 };
  hml_expr s[SYMBOLS], outputs[MOST_OUTPUTS];
  hml_program *p = NULL;
  assert_true(n <= MOST_OUTPUTS);
  make_symbols(*state, s);
  for (size_t i = 0; i < n; i++) outputs[i] = parse(*state, texts[i]);
  check_ok(hml_program_new(*state, SYMBOLS, s, n, outputs, &p));
  return p;
}

// Evaluates with a work array of its own exact size, so that sanitizers see every step outside
static inline void evaluate(const hml_program *p, const double *in, double *out) {
  double *work = malloc((hml_program_work_size(p) + !hml_program_work_size(p)) * sizeof *work);
  assert_non_null(work);
  hml_program_eval(p, in, out, work);
  free(work);
}

// xorshift: the same numbers everywhere
static inline uint32_t draw(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return (uint32_t)(*seed >> 16);
}

static inline double draw_between(uint64_t *seed, double from, double to) {
  return from + (to - from) * (draw(seed) / 4294967295.0);
}

static inline hml_expr bounded(hml_context *c, hml_expr e) {
  return hml_call(c, HML_FUN_tanh, 1, &e);
}

// Smooth expressions of moderate size, every function and kind of power among them, from parts made before
static inline hml_expr draw_expression(hml_context *c, uint64_t *seed, size_t n, const hml_expr *parts) {
  hml_expr a = parts[draw(seed) % n], b = parts[draw(seed) % n], small = bounded(c, a), two = hml_integer(c, 2);
  hml_expr above = hml_add(c, two, bounded(c, b)), arguments[2] = {a, above};
  switch (draw(seed) % 16) {
    case 0: return hml_mul(c, small, bounded(c, b));
    case 1: return hml_div(c, a, above);
    case 2: return hml_sub(c, a, hml_mul(c, bounded(c, b), small));
    case 3: return hml_div(c, hml_rational(c, 1, (int64_t)(1 + draw(seed) % 5)), hml_mul(c, above, above));
    case 4: return hml_pow(c, small, hml_integer(c, 2 + (int64_t)(draw(seed) % 6)));
    case 5: return hml_pow(c, above, hml_rational(c, (int64_t)(draw(seed) % 9) - 4, 2));
    case 6: return hml_pow(c, above, hml_rational(c, 1, 3));
    case 7: return hml_pow(c, above, small);
    case 8: return hml_call(c, HML_FUN_atan2, 2, arguments);
    case 9: return hml_sum(c, 4, (hml_expr[]){small, hml_mul(c, hml_rational(c, -3, 7), b), hml_mul(c, a, bounded(c, b)), two});
    case 10: return hml_call(c, draw(seed) % 2 ? HML_FUN_sin : HML_FUN_cos, 1, &a);
    case 11: return hml_call(c, HML_FUN_log, 1, &above);
    case 12: return hml_call(c, HML_FUN_acosh, 1, &above);
    case 13: {
      const hml_function f[] = {HML_FUN_tan, HML_FUN_exp, HML_FUN_sinh, HML_FUN_cosh, HML_FUN_asin, HML_FUN_acos, HML_FUN_atanh};
      hml_expr half = hml_div(c, small, two);
      return hml_call(c, f[draw(seed) % 7], 1, &half);
    }
    case 14: return hml_call(c, draw(seed) % 2 ? HML_FUN_asinh : HML_FUN_atan, 1, &a);
    default: return hml_neg(c, hml_mul(c, a, hml_integer(c, (int64_t)(draw(seed) % 4))));
  }
}

static inline void draw_outputs(hml_context *c, uint64_t *seed, const hml_expr *symbols, hml_expr *outputs) {
  hml_expr parts[SYMBOLS + NODES];
  memcpy(parts, symbols, SYMBOLS * sizeof *parts);
  for (size_t n = SYMBOLS; n < SYMBOLS + NODES; n++) assert_non_null(parts[n] = draw_expression(c, seed, n, parts));
  for (size_t i = 0; i < OUTPUTS; i++) outputs[i] = parts[SYMBOLS + NODES - 1 - i];
}

#endif
