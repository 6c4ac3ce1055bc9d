// degree.c: which inputs a program reads; which outputs are polynomials in the first inputs, and of what degree at most; which are one of them, shifted.
#include "program_impl.h"

#include <math.h>

enum { NONE = HML_NO_POLYNOMIAL };

static unsigned sum(unsigned a, unsigned b) {
  return a == NONE || b == NONE || a + b >= NONE ? NONE : a + b;
}

static unsigned larger(unsigned a, unsigned b) {
  return a > b ? a : b;
}

static unsigned power(const hml_program *p, const instruction *i, unsigned base) {
  const double exponent = i->b < p->n_constants ? p->constants[i->b] : NAN;
  if (!(exponent >= 0 && exponent == floor(exponent)) || base == NONE || base * exponent >= NONE) return NONE;
  return (unsigned)(base * exponent);
}

static unsigned degree_of(const hml_program *p, const instruction *i, const unsigned *d) {
  const uint32_t operands[] = {i->a, i->b, i->c};
  unsigned most = 0;
  for (unsigned k = 0; k < instruction_rows[i->op].operands; k++) most = larger(most, d[operands[k]]);
  if (most == 0) return 0;
  switch (i->op) {
    case OP_add: case OP_sub: case OP_neg: return most;
    case OP_mul: return sum(d[i->a], d[i->b]);
    case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms: return larger(d[i->c], sum(d[i->a], d[i->b]));
    case OP_div: return d[i->b] == 0 ? d[i->a] : NONE;
    case OP_pow: return d[i->b] == 0 ? power(p, i, d[i->a]) : NONE;
    default: return NONE;
  }
}

hml_status hml_program__degrees(hml_context *c, const hml_program *p, size_t n, unsigned *out) {
  const size_t bytes = (p->n_values + 1) * sizeof(unsigned);
  unsigned *d = hml_alloc(c, bytes);
  if (!d) return HML_MEMORY;
  for (uint32_t k = 0; k < p->n_in && k < n; k++) d[p->n_constants + k] = 1;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    d[i->result] = degree_of(p, i, d);
    if (i->second != NO_VALUE) d[i->second] = d[i->result];
  }
  for (uint32_t k = 0; k < p->n_out; k++) out[k] = d[p->outputs[k]];
  hml_dealloc(c, d, bytes);
  return HML_OK;
}

// The instruction that computes a value; NULL: it is a constant or an input
static const instruction *maker_of(const hml_program *p, uint32_t number) {
  const uint32_t given = p->n_constants + p->n_in;
  return number < given ? NULL : &p->instructions[p->producer[number - given]];
}

// Does a value depend on the first n inputs?
static bool moves(const hml_program *p, uint32_t number, size_t n) {
  const instruction *i = maker_of(p, number);
  if (!i) return number >= p->n_constants && number < p->n_constants + n;
  const uint32_t operands[] = {i->a, i->b, i->c};
  for (unsigned k = 0; k < instruction_rows[i->op].operands; k++)
    if (moves(p, operands[k], n)) return true;
  return false;
}

bool hml_program__is_shifted(const hml_program *p, size_t n, size_t *input, double *sign) {
  enum { MOST = 16 };                  // instructions: shifts are short
  if (p->n_out != 1 || p->n_instructions > MOST) return false;
  uint32_t number = p->outputs[0];
  bool shifted = false;
  *sign = 1;
  for (;;) {
    const instruction *i = maker_of(p, number);
    if (!i) break;
    if (i->op == OP_neg) {
      *sign = -*sign;
      number = i->a;
      continue;
    }
    const bool first = i->op == OP_add || i->op == OP_sub ? moves(p, i->a, n) : false;
    // a second sum would be rounded a second time
    if ((i->op != OP_add && i->op != OP_sub) || shifted || first == moves(p, i->b, n)) return false;
    if (i->op == OP_sub && !first) *sign = -*sign;
    number = first ? i->a : i->b;
    shifted = true;
  }
  *input = number - p->n_constants;
  return number >= p->n_constants && *input < n;
}

bool hml_program__reads(const hml_program *p, size_t input) {
  const size_t place = p->n_constants + input;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    const uint32_t operands[] = {i->a, i->b, i->c};
    for (unsigned j = 0; j < instruction_rows[i->op].operands; j++)
      if (operands[j] == place) return true;
  }
  for (uint32_t k = 0; k < p->n_out; k++)
    if (p->outputs[k] == place) return true;
  return false;
}
