// quad.c: programs in quadruple precision (113 bits), for reference solutions. The rows define the operations; here are the functions they name
// are those of libquadmath. Constants are numbers of 104 bits: those that need more come in as inputs.
#include "program_impl.h"

size_t hml_program__values(const hml_program *p) {
  return p->n_values;
}

#ifdef HAMEL_QUADMATH
#include <string.h>

#include "expr/functions_quad.def"
#define sqrt sqrtq
#define pow powq
// Rounded twice: fmaq rounds once and costs thirty times as much, and what reads these values allows for the roundings of single operations
#define fma(a, b, c) ((a) * (b) + (c))

static hml_quad value_of(uint32_t op, hml_quad a, hml_quad b, hml_quad c) {
  switch (op) {
#define INS(name, operands, value) case OP_##name: return value;
#define PAIR(name, value, second) case OP_##name: return value;
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) case OP_##name: return value;
#include "expr/functions.def"
#include "instructions.def"
#undef INS
#undef PAIR
#undef FUN
    default: return 0;
  }
}

bool hml_program__has_quad(void) {
  return true;
}

static hml_quad number_of(double x, double rest) {
  return x + (hml_quad)x * rest;
}

// Is the result of two doubles exact? The error of a product is a double where it does not underflow, that of a sum always (Knuth)
static bool is_exact(opcode op, double result, double x, double y) {
  if (result < 0x1p-900 && result > -0x1p-900) return false;
  if (op == OP_mul) return __builtin_fma(x, y, -result) == 0;
  if (op != OP_add && op != OP_sub) return false;
  const double second = op == OP_add ? y : -y, part = result - x;
  return (x - (result - part)) + (second - part) == 0;
}

double hml_quad__rest(opcode op, double result, const double x[3], const double rests[3]) {
  if (result == 0 || (rests[0] == 0 && rests[1] == 0 && is_exact(op, result, x[0], x[1]))) return 0;
  const hml_quad rest = (value_of(op, number_of(x[0], rests[0]), number_of(x[1], rests[1]), number_of(x[2], rests[2])) - result) / result;
  return finiteq(rest) ? (double)rest : 0;
}

void hml_program__eval_quad(const hml_program *p, const hml_quad *in, hml_quad *out, hml_quad *values) {
  for (uint32_t k = 0; k < p->n_constants; k++) values[k] = number_of(p->constants[k], p->rests[k]);
  for (uint32_t i = 0; i < p->n_in; i++) values[p->n_constants + i] = in[i];
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    values[i->result] = value_of(i->op, values[i->a], values[i->b], values[i->c]);
    if (i->second != NO_VALUE) values[i->second] = hml_cos(values[i->a]);
  }
  for (uint32_t i = 0; i < p->n_out; i++) out[i] = values[p->outputs[i]];
}

void hml_quad__text(hml_quad x, int digits, size_t capacity, char *text) {
  quadmath_snprintf(text, capacity, "%.*Qg", digits, x);
}

bool hml_quad__parse(const char *text, hml_quad *out) {
  char *end, *second;
  if (!*text) return false;
  *out = strtoflt128(text, &end);
  if (*end == '/') {
    *out /= strtoflt128(end + 1, &second);
    if (second == end + 1) return false;
    end = second;
  }
  return end != text && *end == '\0' && finiteq(*out);
}

int hml_quad__common(hml_quad a, hml_quad b, int digits, size_t capacity, char *text) {
  char other[HML_QUAD_TEXT];
  // rounding of the last operations, which both may share
  const hml_quad doubt = fabsq(a - b) + (hml_quad)0x1p-109 * fabsq(a);
  for (; digits > 0; digits--) {
    hml_quad__text(a - doubt, digits, capacity, text);
    hml_quad__text(a + doubt, digits, sizeof other, other);
    if (strcmp(text, other) == 0) return digits;
  }
  *text = '\0';
  return 0;
}
#else
bool hml_program__has_quad(void) {
  return false;
}

double hml_quad__rest(opcode op, double result, const double x[3], const double rests[3]) {
  (void)op, (void)result, (void)x, (void)rests;
  return 0;
}

void hml_program__eval_quad(const hml_program *p, const hml_quad *in, hml_quad *out, hml_quad *values) {
  (void)p, (void)in, (void)out, (void)values;
}

void hml_quad__text(hml_quad x, int digits, size_t capacity, char *text) {
  (void)x, (void)digits;
  if (capacity) text[0] = '\0';
}

bool hml_quad__parse(const char *text, hml_quad *out) {
  (void)text, (void)out;
  return false;
}

int hml_quad__common(hml_quad a, hml_quad b, int digits, size_t capacity, char *text) {
  (void)a, (void)b, (void)digits;
  if (capacity) text[0] = '\0';
  return 0;
}
#endif
