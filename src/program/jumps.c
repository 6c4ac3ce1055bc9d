// jumps.c: functions at whose zeros a program may jump, and at whose zeros it may have no value. Those of jumps are the arguments of sign and the first ones of
// atan2: steps, ramps and pieces are made of these. Min, max and sizes have corners and no jumps; tables have knots, which are no zeros of an argument. No
// values: zeros of divisors and of bases of powers, ends of domains, the centre of atan2. Those of corners are the arguments of abs, and the differences of
// the operands of min and max.
#include "program_impl.h"

#include <math.h>

typedef enum form { ITSELF, COSINE, LESS_ONE, ONE_LESS_SQUARE, SUM_OF_SQUARES, DIFFERENCE } form;

typedef struct function {
  form as;
  uint32_t a, b;                       // values of the program
} function;

typedef struct listing {
  const hml_program *p;
  size_t n, wanted;
  function found;                      // number `wanted`
} listing;

static void add(listing *l, form as, uint32_t a, uint32_t b) {
  if (l->n++ == l->wanted) l->found = (function){as, a, b};
}

static bool is_constant(const hml_program *p, uint32_t v) {
  return v < p->n_constants;
}

static bool is_positive_integer(const hml_program *p, uint32_t v) {
  return is_constant(p, v) && p->constants[v] > 0 && p->constants[v] == floor(p->constants[v]);
}

// The factors of a value are zero where it is. Those of abs(x) or x^2 pass through zero where it touches it
static void add_factors(listing *l, uint32_t v) {
  const hml_program *p = l->p;
  const instruction *i = v < p->n_constants + p->n_in ? NULL : p->instructions + p->producer[v - p->n_constants - p->n_in];
  if (is_constant(p, v)) return;
  switch (i ? i->op : OP_INPUT) {
    case OP_mul:
      add_factors(l, i->a);
      if (i->a != i->b) add_factors(l, i->b);
      break;
    case OP_pow:
      if (is_constant(p, i->b)) add_factors(l, i->a);
      else add(l, ITSELF, v, 0);
      break;
    case OP_neg: case OP_abs: case OP_sqrt: case OP_div: add_factors(l, i->a); break;
    default: add(l, ITSELF, v, 0);
  }
}

static void add_of_instruction(listing *l, const instruction *i, hml_breaks which) {
  if (which == HML_CORNERS) {
    if (is_corner(i)) add(l, i->op == OP_abs ? ITSELF : DIFFERENCE, i->a, i->b);
    return;
  }
  if (i->op == OP_sign || i->op == OP_atan2) add(l, ITSELF, i->a, 0);
  if (which == HML_JUMPS) return;
  switch (i->op) {
    case OP_atan2: add(l, SUM_OF_SQUARES, i->a, i->b); break;
    case OP_div: add_factors(l, i->b); break;
    case OP_sqrt: case OP_log: add_factors(l, i->a); break;
    case OP_pow:
      if (!is_positive_integer(l->p, i->b)) add_factors(l, i->a);
      break;
    case OP_tan: add(l, COSINE, i->a, 0); break;
    case OP_acosh: add(l, LESS_ONE, i->a, 0); break;
    case OP_asin: case OP_acos: case OP_atanh: add(l, ONE_LESS_SQUARE, i->a, 0); break;
    default: break;
  }
}

static listing listed(const hml_program *p, hml_breaks which, size_t wanted) {
  listing l = {.p = p, .wanted = wanted};
  for (uint32_t k = 0; k < p->n_instructions; k++) add_of_instruction(&l, &p->instructions[k], which);
  return l;
}

size_t hml_program__break_count(const hml_program *p, hml_breaks which) {
  return listed(p, which, SIZE_MAX).n;
}

static uint32_t written(assembly *s, form as, const uint32_t *v) {
  const uint32_t one = as == LESS_ONE || as == ONE_LESS_SQUARE ? assembly_constant(s, 1) : 0;
  switch (as) {
    case COSINE: return assembly_emit(s, OP_cos, v[0], 0, 0);
    case LESS_ONE: return assembly_emit(s, OP_sub, v[0], one, 0);
    case ONE_LESS_SQUARE: return assembly_emit(s, OP_sub, one, assembly_emit(s, OP_mul, v[0], v[0], 0), 0);
    case DIFFERENCE: return assembly_emit(s, OP_sub, v[0], v[1], 0);
    case SUM_OF_SQUARES: return assembly_emit(s, OP_add, assembly_emit(s, OP_mul, v[0], v[0], 0), assembly_emit(s, OP_mul, v[1], v[1], 0), 0);
    default: return v[0];
  }
}

hml_status hml_program__break_function(hml_context *c, const hml_program *p, hml_breaks which, size_t k, hml_program **out) {
  const function f = listed(p, which, k).found;
  uint32_t outputs[] = {f.a, f.b}, items[2];
  assembly s;
  hml_program wanted = *p;             // the same values, other outputs
  wanted.n_out = f.as == SUM_OF_SQUARES || f.as == DIFFERENCE ? 2 : 1;
  wanted.outputs = outputs;
  *out = NULL;
  hml_status status = assembly_init(&s, c, p->n_in, 1);
  if (status == HML_OK) status = assembly_add_program(&s, &wanted, items);
  if (status == HML_OK) s.outputs[0] = written(&s, f.as, items), status = s.status;
  return assembly_finish(&s, status, out);
}
