// interpret.c: executes the stream of a program. The reference for all other executors: its results are defined by the column
// "value" of instructions.def and functions.def. One dispatch handles a whole run of equal opcodes.
#include "program_impl.h"

#include <math.h>
#include <string.h>

// The operands follow r results
#define LOAD_1(r) double a = work[s[r]];
#define LOAD_2(r) LOAD_1(r) double b = work[s[(r) + 1]];
#define LOAD_3(r) LOAD_2(r) double c = work[s[(r) + 2]];

#define RUN(operands, value)                \
  for (; n > 0; n--, s += 1 + (operands)) { \
    LOAD_##operands(1)                      \
    work[s[0]] = (value);                   \
  }
// Sines and cosines of a whole run: vectors of them, with the bits of each alone
static const uint32_t *run_circles(uint32_t n, const uint32_t *s, double *work) {
  enum { MOST = 32 };
  double x[MOST], sines[MOST], cosines[MOST];
  while (n > 0) {
    const uint32_t count = n < MOST ? n : MOST;
    for (uint32_t k = 0; k < count; k++) x[k] = work[s[3 * k + 2]];
    hml_circle__many(count, x, sines, cosines);
    for (uint32_t k = 0; k < count; k++, s += 3) {
      work[s[0]] = sines[k];
      work[s[1]] = cosines[k];
    }
    n -= count;
  }
  return s;
}

// With labels as values every instruction has a jump of its own behind it, which processors predict better
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic"
#define BEGIN NEXT
#define CASE(name, run) do_##name: run NEXT
#define NEXT n = s[1]; s += 2; goto *labels[s[-2]];
#define END do_HALT: return;
#else
#define BEGIN for (;;) { n = s[1]; s += 2; switch (s[-2]) {
#define CASE(name, run) case OP_##name: run break;
#define END default: return; } }
#endif

void interpret_stream(const uint32_t *s, double *work) {
#ifdef __GNUC__
  static const void *const labels[OP_COUNT + 1] = {
#define INS(name, operands, value) [OP_##name] = &&do_##name,
#define PAIR(name, value, second) [OP_##name] = &&do_##name,
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = &&do_##name,
#include "expr/functions.def"
#include "instructions.def"
#undef INS
#undef PAIR
#undef FUN
    [OP_HALT] = &&do_HALT,
  };
#endif
  uint32_t n;
  BEGIN
#define INS(name, operands, value) CASE(name, RUN(operands, value))
#define PAIR(name, value, second) CASE(name, s = run_circles(n, s, work);)
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) CASE(name, RUN(arity, value))
#include "expr/functions.def"
#include "instructions.def"
#undef INS
#undef PAIR
#undef FUN
  END
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

void interpret_load(const hml_program *p, const double *in, double *work) {
  if (p->n_constants > 0) memcpy(work, p->constants, p->n_constants * sizeof *work);
  if (p->n_in > 0) memcpy(work + p->n_constants, in, p->n_in * sizeof *work);
}

static __attribute__((noinline)) void interpret(const hml_program *p, const double *in, double *out, double *work) {
  interpret_load(p, in, work);
  interpret_stream(p->stream, work);
  for (uint32_t i = 0; i < p->n_out; i++) out[i] = work[p->output_slots[i]];
}

void hml_program_eval(const hml_program *p, const double *in, double *out, double *work) {
  if (p->code) p->code(in, out, work);
  else interpret(p, in, out, work);
}

double instruction_value(opcode op, double a, double b, double c) {
  // the most frequent ones need no stream
  if (op == OP_mul) return a * b;
  if (op == OP_add) return a + b;
  if (op == OP_sub) return a - b;
  double work[4] = {a, b, c, 0};
  uint32_t stream[8] = {op, 1, 3, 0, 1, 2};
  // the end follows the operands of the row
  unsigned end = 3 + instruction_rows[op].operands;
  stream[end] = OP_HALT;
  stream[end + 1] = 0;
  interpret_stream(stream, work);
  return work[3];
}
