// ball.c: programs as arithmetic of power series in balls: coefficients order by order, with derivatives by the start carried along.
//
// The accelerations come from K z = s with K = [M A^T; A 0], z = (x_dyn', -lambda), s = (r, -b), not from an elimination: order k of z is
// K_0^-1 (s_k - sum over j >= 1 of K_j z_(k-j)). A singular M with a regular K is no obstacle.
// Recurrences: Knuth, The Art of Computer Programming 2, 4.7; Jorba and Zou 2005.
#include "ball_impl.h"

#ifdef HAMEL_ARB

#include <string.h>

// ---- the program as operations on series

static uint32_t new_value(hml_balls *b) {
  return b->values++;
}

static ball_op *new_op(hml_balls *b, ball_kind kind, uint32_t source, uint32_t result) {
  ball_op *op = &b->ops[b->count++];
  *op = (ball_op){.kind = kind, .sa = 1, .sb = 1, .a = NO_VALUE, .b = NO_VALUE, .c = NO_VALUE, .d = NO_VALUE, .result = result, .second = NO_VALUE, .source = source};
  return op;
}

static uint32_t linear(hml_balls *b, uint32_t source, int sa, uint32_t a, int sb, uint32_t c, uint32_t result) {
  ball_op *op = new_op(b, BALL_LINEAR, source, result);
  op->a = a, op->b = c, op->sa = sa, op->sb = sb;
  return result;
}

// sa a b + sc c
static uint32_t product(hml_balls *b, uint32_t source, int sa, uint32_t x, uint32_t y, int sc, uint32_t c, uint32_t result) {
  ball_op *op = new_op(b, BALL_PRODUCT, source, result);
  op->a = x, op->b = y, op->c = c, op->sa = sa, op->sb = sc;
  return result;
}

static uint32_t of_two(hml_balls *b, ball_kind kind, uint32_t source, uint32_t x, uint32_t y, uint32_t result) {
  ball_op *op = new_op(b, kind, source, result);
  op->a = x, op->b = y;
  return result;
}

static uint32_t integral(hml_balls *b, const instruction *i, uint32_t a, uint32_t rate, uint32_t result) {
  ball_op *op = new_op(b, BALL_INTEGRAL, i->result, result);
  op->a = a, op->b = rate, op->function = i->op;
  return result;
}

static uint32_t squared(hml_balls *b, uint32_t source, uint32_t x) {
  return product(b, source, 1, x, x, 0, NO_VALUE, new_value(b));
}

// The value 1, which the assembly of the tables below needs: kept behind the values of the program
static uint32_t one_of(const hml_balls *b) { return b->program->n_values; }

// 1/(u a^2 + v)
static uint32_t below(hml_balls *b, uint32_t source, uint32_t a, int u, int v, bool root) {
  uint32_t x = linear(b, source, u, squared(b, source, a), v, one_of(b), new_value(b));
  if (root) x = of_two(b, BALL_ROOT, source, x, NO_VALUE, new_value(b));
  return of_two(b, BALL_QUOTIENT, source, one_of(b), x, new_value(b));
}

static uint32_t whole_power(hml_balls *b, uint32_t source, uint32_t x, unsigned long n) {
  uint32_t result = x;
  unsigned long bit = 1;
  while (bit <= n / 2) bit *= 2;
  for (bit /= 2; bit; bit /= 2) {
    result = squared(b, source, result);
    if (n & bit) result = product(b, source, 1, result, x, 0, NO_VALUE, new_value(b));
  }
  return result;
}

static void lower_power(hml_balls *b, const instruction *i) {
  const hml_program *p = b->program;
  uint32_t s = i->result;
  double k = i->b < p->n_constants ? p->constants[i->b] : 0.5;
  if (k == (double)(long)k && k != 0 && k < 4096 && k > -4096) {
    uint32_t x = whole_power(b, s, i->a, (unsigned long)(k > 0 ? k : -k));
    if (k > 0) linear(b, s, 1, x, 0, NO_VALUE, s);
    else of_two(b, BALL_QUOTIENT, s, one_of(b), x, s);
    return;
  }
  instruction of_log = *i;
  of_log.op = OP_log;
  uint32_t rate = of_two(b, BALL_QUOTIENT, s, one_of(b), i->a, new_value(b)), log = integral(b, &of_log, i->a, rate, new_value(b));
  of_two(b, BALL_EXPONENTIAL, s, product(b, s, 1, log, i->b, 0, NO_VALUE, new_value(b)), NO_VALUE, s);
}

static uint32_t sided(hml_balls *b, uint32_t source, uint32_t a, uint32_t by, uint32_t result) {
  ball_op *op = new_op(b, BALL_SIDED, source, result);
  op->a = a, op->c = by;
  return result;
}

// tanh(a) = s (1 - u)/(1 + u) with u = exp(-2 s a), s = 1 or -1: with that of a, u is small, and its series short where tanh hardly changes
static void lower_tanh(hml_balls *b, const instruction *i) {
  uint32_t s = i->result, size = sided(b, s, i->a, i->a, new_value(b));
  uint32_t u = of_two(b, BALL_EXPONENTIAL, s, linear(b, s, -1, size, -1, size, new_value(b)), NO_VALUE, new_value(b));
  uint32_t below = linear(b, s, 1, one_of(b), 1, u, new_value(b)), above = linear(b, s, 1, one_of(b), -1, u, new_value(b));
  sided(b, s, of_two(b, BALL_QUOTIENT, s, above, below, new_value(b)), i->a, s);
}

// (exp(a) +- exp(-a)) / 2
static void lower_hyperbolic(hml_balls *b, const instruction *i) {
  uint32_t s = i->result, up = of_two(b, BALL_EXPONENTIAL, s, i->a, NO_VALUE, new_value(b));
  uint32_t down = of_two(b, BALL_EXPONENTIAL, s, linear(b, s, -1, i->a, 0, NO_VALUE, new_value(b)), NO_VALUE, new_value(b));
  uint32_t two = linear(b, s, 1, one_of(b), 1, one_of(b), new_value(b));
  uint32_t sinh = linear(b, s, 1, up, -1, down, new_value(b)), cosh = linear(b, s, 1, up, 1, down, new_value(b));
  of_two(b, BALL_QUOTIENT, s, i->op == OP_cosh ? cosh : sinh, two, s);
}

static void lower_tangent(hml_balls *b, const instruction *i) {
  ball_op *op = new_op(b, BALL_CIRCLE, i->result, new_value(b));
  op->a = i->a, op->second = new_value(b);
  of_two(b, BALL_QUOTIENT, i->result, op->result, op->second, i->result);
}

static void lower_circle(hml_balls *b, const instruction *i) {
  bool sine = i->op != OP_cos;
  ball_op *op = new_op(b, BALL_CIRCLE, i->result, sine ? i->result : new_value(b));
  op->a = i->a, op->second = i->op == OP_sincos ? i->second : sine ? new_value(b) : i->result;
}

static void lower_angle(hml_balls *b, const instruction *i) {
  uint32_t s = i->result, square = product(b, s, 1, i->b, i->b, 1, squared(b, s, i->a), new_value(b));
  uint32_t p = of_two(b, BALL_QUOTIENT, s, i->b, square, new_value(b));
  uint32_t q = of_two(b, BALL_QUOTIENT, s, linear(b, s, -1, i->a, 0, NO_VALUE, new_value(b)), square, new_value(b));
  ball_op *op = new_op(b, BALL_INTEGRAL, s, s);
  op->a = i->a, op->b = p, op->c = i->b, op->d = q, op->function = i->op;
}

static void lower_branch(hml_balls *b, const instruction *i) {
  bool two = i->op == OP_min || i->op == OP_max;
  uint32_t sign = two ? linear(b, i->result, 1, i->a, -1, i->b, new_value(b)) : i->a;
  ball_op *op = new_op(b, BALL_BRANCH, i->result, i->result);
  op->a = i->a, op->b = two ? i->b : NO_VALUE, op->c = sign, op->function = i->op;
}

static hml_status lower_instruction(hml_balls *b, const instruction *i) {
  uint32_t s = i->result, root;
  switch (i->op) {
    case OP_add: linear(b, s, 1, i->a, 1, i->b, s); break;
    case OP_sub: linear(b, s, 1, i->a, -1, i->b, s); break;
    case OP_neg: linear(b, s, -1, i->a, 0, NO_VALUE, s); break;
    case OP_mul: product(b, s, 1, i->a, i->b, 0, NO_VALUE, s); break;
    case OP_madd: case OP_fma: product(b, s, 1, i->a, i->b, 1, i->c, s); break;
    case OP_nmadd: case OP_fnma: product(b, s, -1, i->a, i->b, 1, i->c, s); break;
    case OP_msub: case OP_fms: product(b, s, 1, i->a, i->b, -1, i->c, s); break;
    case OP_div: of_two(b, BALL_QUOTIENT, s, i->a, i->b, s); break;
    case OP_sqrt: of_two(b, BALL_ROOT, s, i->a, NO_VALUE, s); break;
    case OP_exp: of_two(b, BALL_EXPONENTIAL, s, i->a, NO_VALUE, s); break;
    case OP_pow: lower_power(b, i); break;
    case OP_sincos: case OP_sin: case OP_cos: lower_circle(b, i); break;
    case OP_tan: lower_tangent(b, i); break;
    case OP_sinh: case OP_cosh: lower_hyperbolic(b, i); break;
    case OP_tanh: lower_tanh(b, i); break;
    case OP_log: integral(b, i, i->a, of_two(b, BALL_QUOTIENT, s, one_of(b), i->a, new_value(b)), s); break;
    case OP_atan: integral(b, i, i->a, below(b, s, i->a, 1, 1, false), s); break;
    case OP_atanh: integral(b, i, i->a, below(b, s, i->a, -1, 1, false), s); break;
    case OP_asin: integral(b, i, i->a, below(b, s, i->a, -1, 1, true), s); break;
    case OP_acos:
      root = below(b, s, i->a, -1, 1, true);
      integral(b, i, i->a, linear(b, s, -1, root, 0, NO_VALUE, new_value(b)), s);
      break;
    case OP_asinh: integral(b, i, i->a, below(b, s, i->a, 1, 1, true), s); break;
    case OP_acosh: integral(b, i, i->a, below(b, s, i->a, 1, -1, true), s); break;
    case OP_atan2: lower_angle(b, i); break;
    case OP_abs: case OP_sign: case OP_min: case OP_max: lower_branch(b, i); break;
    default: return hml_fail(b->context, HML_UNSUPPORTED, "measured data are no exact function: no ball holds their values between the points");
  }
  return HML_OK;
}

// ---- life

enum { MOST_OPS = 40 };                // of one instruction: a power by squarings

static void mark(hml_balls *b) {
  const hml_program *p = b->program;
  for (uint32_t v = 0; v < p->n_constants; v++) b->still[v] = true;
  for (uint32_t i = 0; i < p->n_in; i++) {
    uint32_t v = p->n_constants + i;
    b->varies[v] = i >= 1 && i < 1 + b->states;
    b->still[v] = i >= 1 + b->kin + b->n;
  }
  b->still[one_of(b)] = true;
  for (uint32_t k = 0; k < b->count; k++) {
    ball_op *op = &b->ops[k];
    const uint32_t operands[] = {op->a, op->b, op->c, op->d};
    bool still = true, varies = false;
    for (int i = 0; i < 4; i++)
      if (operands[i] != NO_VALUE) still &= b->still[operands[i]], varies |= b->varies[operands[i]];
    if (op->kind == BALL_BRANCH && op->function == OP_sign) still = true, varies = false;
    b->still[op->result] = still, b->varies[op->result] = varies;
    if (op->second != NO_VALUE) b->still[op->second] = still, b->varies[op->second] = varies;
  }
  for (size_t i = 0; i < b->n + b->m; i++) b->varies[b->solution + i] = true;
}

static void place_equations(hml_balls *b, const hml_balls_layout *l) {
  const uint32_t *outputs = b->program->outputs;
  size_t n = l->n, size = l->n + l->m;
  for (size_t i = 0; i < size; i++) {
    b->side[i] = outputs[i < n ? l->r + i : l->b + i - n];
    for (size_t j = 0; j <= i; j++) {
      uint32_t v = i < n ? outputs[l->mass + i * (i + 1) / 2 + j] : j < n ? outputs[l->rows + (i - n) * n + j] : NO_VALUE;
      // zeros by structure
      if (v != NO_VALUE && v < b->program->n_constants && b->program->constants[v] == 0) v = NO_VALUE;
      b->matrix[i * size + j] = b->matrix[j * size + i] = v;
    }
  }
}

// Long products of values go by blocks; those of derivatives are short
static void open_blocks(hml_balls *b) {
  for (uint32_t k = 0; k < b->count; k++) {
    ball_op *op = &b->ops[k];
    bool two = op->kind == BALL_CIRCLE || (op->kind == BALL_INTEGRAL && op->c != NO_VALUE);
    if (b->still[op->result] || op->kind == BALL_LINEAR || op->kind == BALL_BRANCH || op->kind == BALL_SIDED) continue;
    if ((op->kind == BALL_PRODUCT && b->still[op->a]) || (op->b != NO_VALUE && b->still[op->b])) continue;
    for (int i = 0; i <= two; i++) hml_relaxed__open(&op->blocks[i], b->length, b->bits);
  }
  hml_pools__open_blocks(b->pools, b->length, b->bits);
}

static void each_block(hml_balls *b, void (*act)(hml_relaxed *)) {
  for (uint32_t k = 0; k < b->count; k++)
    for (int i = 0; i < 2; i++) act(&b->ops[k].blocks[i]);
}

static hml_status lay_out(hml_balls *b, const hml_balls_layout *l) {
  const hml_program *p = b->program;
  b->values = p->n_values + 1;
  b->room = MOST_OPS * p->n_instructions + 1;
  b->ops = flint_malloc(b->room * sizeof *b->ops);
  for (uint32_t k = 0; k < p->n_instructions; k++) HML_TRY(lower_instruction(b, &p->instructions[k]));
  b->solution = b->values;
  size_t size = b->n + b->m, ways = 1 + b->directions;
  b->values += (uint32_t)size;
  b->matrix = flint_calloc(size * size + 1, sizeof *b->matrix);
  b->side = flint_calloc(size + 1, sizeof *b->side);
  b->still = flint_calloc(b->values, sizeof *b->still);
  b->varies = flint_calloc(b->values, sizeof *b->varies);
  place_equations(b, l);
  mark(b);
  uint32_t sums;
  b->pools = hml_pools__new(b, &sums);
  b->bounded = b->values, b->values += sums;
  size_t all = b->values * ways;
  b->series = _arb_vec_init((slong)(all * (size_t)b->length));
  b->inverse = _arb_vec_init((slong)(size * size));
  b->inverses = _arb_vec_init((slong)((HML_INVERSE_ORDER + 1) * size * size));
  b->scratch = _arb_vec_init((slong)(size + 4));
  b->powers = _mag_vec_init(b->length + 1);
  b->norms = _mag_vec_init((slong)(all * (b->order + 1)));
  b->sums = _mag_vec_init((slong)(all * (b->order + 2)));
  b->tails = _mag_vec_init((slong)all);
  b->remainders = _mag_vec_init((slong)(b->states * ways));
  b->guess = _mag_vec_init((slong)(b->states * ways));
  b->bounds = _mag_vec_init((slong)(size * size + 2 * size + 1));
  mag_init(b->growth);
  for (uint32_t k = 0; k < b->count; k++) {
    ball_op *op = &b->ops[k];
    bool moves = !b->still[op->result], scales = op->kind == BALL_CIRCLE || op->kind == BALL_EXPONENTIAL || op->kind == BALL_INTEGRAL;
    if (moves && scales) op->scaled = _arb_vec_init(b->length);
    if (moves && scales && op->c != NO_VALUE) op->other = _arb_vec_init(b->length);
    if (op->kind == BALL_QUOTIENT || op->kind == BALL_ROOT) op->inverse = _arb_vec_init(HML_INVERSE_ORDER + 1);
  }
  if (hml_relaxed__pays(b->length, b->bits)) open_blocks(b);
  return HML_OK;
}

hml_status hml_balls__new(hml_context *c, const hml_program *p, const hml_balls_layout *l, hml_balls **out) {
  hml_balls *b = flint_calloc(1, sizeof *b);
  *out = b;
  *b = (hml_balls){.context = c, .program = p, .kin = l->kin, .n = l->n, .m = l->m, .held = l->held, .states = l->kin + l->n + l->held,
                   .directions = l->directions, .order = l->order, .bits = l->bits, .length = (slong)l->order + 2, .doubt = NO_VALUE};
  b->direction = flint_calloc(l->directions + 1, sizeof *b->direction);
  if (l->directions) memcpy(b->direction, l->direction, l->directions * sizeof *b->direction);
  hml_status status = lay_out(b, l);
  if (status == HML_OK) return HML_OK;
  hml_balls__free(b);
  *out = NULL;
  return status;
}

void hml_balls__free(hml_balls *b) {
  if (!b) return;
  size_t size = b->n + b->m, ways = 1 + b->directions, all = b->values * ways;
  if (b->series) {
    each_block(b, hml_relaxed__close);
    for (uint32_t k = 0; k < b->count; k++) {
      if (b->ops[k].scaled) _arb_vec_clear(b->ops[k].scaled, b->length);
      if (b->ops[k].other) _arb_vec_clear(b->ops[k].other, b->length);
      if (b->ops[k].inverse) _arb_vec_clear(b->ops[k].inverse, HML_INVERSE_ORDER + 1);
    }
    _arb_vec_clear(b->series, (slong)(all * (size_t)b->length));
    _arb_vec_clear(b->inverse, (slong)(size * size));
    _arb_vec_clear(b->inverses, (slong)((HML_INVERSE_ORDER + 1) * size * size));
    _arb_vec_clear(b->scratch, (slong)(size + 4));
    _mag_vec_clear(b->powers, b->length + 1);
    _mag_vec_clear(b->norms, (slong)(all * (b->order + 1)));
    _mag_vec_clear(b->sums, (slong)(all * (b->order + 2)));
    _mag_vec_clear(b->tails, (slong)all);
    _mag_vec_clear(b->remainders, (slong)(b->states * ways));
    _mag_vec_clear(b->guess, (slong)(b->states * ways));
    _mag_vec_clear(b->bounds, (slong)(size * size + 2 * size + 1));
    mag_clear(b->growth);
  }
  flint_free(b->ops);
  flint_free(b->matrix);
  hml_pools__free(b->pools);
  flint_free(b->side);
  flint_free(b->still);
  flint_free(b->varies);
  flint_free(b->direction);
  flint_free(b);
}

// ---- coefficients

// r = first -+ order k of a b, in the directions da and db; first NULL: 0. r may be first
static void convolve(const hml_balls *b, hml_relaxed *blocks, arb_ptr r, arb_srcptr first, int less, uint32_t x, size_t dx, uint32_t y, size_t dy, slong k, slong bits) {
  bool none = (dx && !b->varies[x]) || (dy && !b->varies[y]) || (b->still[x] && b->still[y] && k > 0);
  if (none && first) arb_set(r, first);
  else if (none) arb_zero(r);
  else if (b->still[x]) arb_dot(r, first, less, ball_at(b, x, dx), 1, ball_at(b, y, dy) + k, 1, 1, bits);
  else if (b->still[y]) arb_dot(r, first, less, ball_at(b, x, dx) + k, 1, ball_at(b, y, dy), 1, 1, bits);
  else hml_relaxed__order(blocks, r, first, less, ball_at(b, x, dx), ball_at(b, y, dy), k, 0, bits);
}

// Order k of a value that may be steady, where it is no operand of a product
static arb_srcptr term(const hml_balls *b, uint32_t v, size_t d, slong k) {
  return ball_at(b, v, d) + k;
}

static void combine(arb_ptr r, int sa, arb_srcptr x, int sb, arb_srcptr y, slong bits) {
  if (sb == 0) sa > 0 ? arb_set(r, x) : arb_neg(r, x);
  else if (sa > 0) sb > 0 ? arb_add(r, x, y, bits) : arb_sub(r, x, y, bits);
  else if (sb > 0) arb_sub(r, y, x, bits);
  else arb_add(r, x, y, bits), arb_neg(r, r);
}

static void value_of_integral(const ball_op *op, arb_ptr r, arb_srcptr a, arb_srcptr c, slong bits) {
  switch (op->function) {
    case OP_log: arb_log(r, a, bits); break;
    case OP_atan: arb_atan(r, a, bits); break;
    case OP_asin: arb_asin(r, a, bits); break;
    case OP_acos: arb_acos(r, a, bits); break;
    case OP_asinh: arb_asinh(r, a, bits); break;
    case OP_acosh: arb_acosh(r, a, bits); break;
    case OP_atanh: arb_atanh(r, a, bits); break;
    default: arb_atan2(r, a, c, bits); break;
  }
}

// Which of its operands a branch takes, with its sign; NULL: a constant
static uint32_t taken(const ball_op *op, int *sign) {
  *sign = op->function == OP_abs ? op->branch : 1;
  if (op->function == OP_abs) return op->a;
  if (op->function == OP_min) return op->branch < 0 ? op->a : op->b;
  return op->branch > 0 ? op->a : op->b;
}

static void branch(hml_balls *b, ball_op *op, size_t d, slong k, slong bits) {
  arb_ptr r = ball_at(b, op->result, d) + k;
  arb_srcptr decides = ball_at(b, op->c, 0);
  if (k == 0 && d == 0) op->branch = arb_is_positive(decides) ? 1 : arb_is_negative(decides) ? -1 : 0;
  if (op->branch == 0) {
    arb_indeterminate(r);
  } else if (op->function == OP_sign) {
    arb_set_si(r, k == 0 && d == 0 ? op->branch : 0);
  } else {
    int sign;
    uint32_t v = taken(op, &sign);
    combine(r, sign, term(b, v, d, k), 0, NULL, bits);
  }
}

// k f_k = sum of j a_j g_(k-j), over one or two arguments
static void integrate(hml_balls *b, ball_op *op, slong k, slong bits) {
  arb_ptr r = ball_at(b, op->result, 0) + k;
  if (k == 0) {
    value_of_integral(op, r, ball_at(b, op->a, 0), op->c == NO_VALUE ? NULL : ball_at(b, op->c, 0), bits);
    return;
  }
  arb_mul_si(op->scaled + k, term(b, op->a, 0, k), k, bits);
  hml_relaxed__order(op->blocks, r, NULL, 0, op->scaled, ball_at(b, op->b, 0), k, HML_OMIT_FIRST, bits);
  if (op->c != NO_VALUE) {
    arb_mul_si(op->other + k, term(b, op->c, 0, k), k, bits);
    hml_relaxed__order(op->blocks + 1, r, r, 0, op->other, ball_at(b, op->d, 0), k, HML_OMIT_FIRST, bits);
  }
  arb_div_ui(r, r, (ulong)k, bits);
}

static void value_at_order(hml_balls *b, ball_op *op, slong k, slong bits) {
  arb_ptr r = ball_at(b, op->result, 0) + k, x = b->scratch, a = ball_at(b, op->a, 0);
  switch (op->kind) {
    case BALL_LINEAR: combine(r, op->sa, a + k, op->sb, op->sb ? term(b, op->b, 0, k) : NULL, bits); break;
    case BALL_PRODUCT: {
      // sb c + sa a b, formed with the sign of c taken out
      int flip = op->sb < 0;
      convolve(b, op->blocks, r, op->c == NO_VALUE ? NULL : term(b, op->c, 0, k), (op->sa < 0) != flip, op->a, 0, op->b, 0, k, bits);
      if (flip) arb_neg(r, r);
      break;
    }
    case BALL_QUOTIENT:
      arb_set(x, a + k);
      if (k > 0 && !b->still[op->b]) hml_relaxed__order(op->blocks, x, x, 1, ball_at(b, op->b, 0), r - k, k, HML_OMIT_FIRST, bits);
      arb_div(r, x, ball_at(b, op->b, 0), bits);
      break;
    case BALL_ROOT:
      if (k == 0) {
        arb_sqrt(r, a, bits);
        if (arb_contains_zero(a)) arb_indeterminate(r);
        break;
      }
      hml_relaxed__order(op->blocks, x, a + k, 1, r - k, r - k, k, HML_OMIT_FIRST | HML_OMIT_LAST, bits);
      arb_div(r, x, ball_at(b, op->result, 0), bits);
      arb_mul_2exp_si(r, r, -1);
      break;
    case BALL_CIRCLE: {
      arb_ptr c = ball_at(b, op->second, 0) + k;
      if (k == 0) {
        arb_sin_cos(r, c, a, bits);
        break;
      }
      arb_mul_si(op->scaled + k, a + k, k, bits);
      hml_relaxed__order(op->blocks, r, NULL, 0, op->scaled, c - k, k, HML_OMIT_FIRST, bits);
      hml_relaxed__order(op->blocks + 1, c, NULL, 1, op->scaled, r - k, k, HML_OMIT_FIRST, bits);
      arb_div_ui(r, r, (ulong)k, bits);
      arb_div_ui(c, c, (ulong)k, bits);
      break;
    }
    case BALL_EXPONENTIAL:
      if (k == 0) {
        arb_exp(r, a, bits);
        break;
      }
      arb_mul_si(op->scaled + k, a + k, k, bits);
      hml_relaxed__order(op->blocks, r, NULL, 0, op->scaled, r - k, k, HML_OMIT_FIRST, bits);
      arb_div_ui(r, r, (ulong)k, bits);
      break;
    case BALL_INTEGRAL: integrate(b, op, k, bits); break;
    case BALL_BRANCH: branch(b, op, 0, k, bits); break;
    case BALL_SIDED:
      if (k == 0) op->branch = arf_sgn(arb_midref(ball_at(b, op->c, 0))) < 0 ? -1 : 1;
      combine(r, op->branch, a + k, 0, NULL, bits);
      break;
  }
}

static void derivative_at_order(hml_balls *b, ball_op *op, size_t d, slong k, slong bits) {
  arb_ptr r = ball_at(b, op->result, d) + k, x = b->scratch, a = ball_at(b, op->a, d);
  switch (op->kind) {
    case BALL_LINEAR: combine(r, op->sa, a + k, op->sb, op->sb ? term(b, op->b, d, k) : NULL, bits); break;
    case BALL_PRODUCT: {
      int flip = op->sb < 0, less = (op->sa < 0) != flip;
      convolve(b, NULL, r, op->c == NO_VALUE ? NULL : term(b, op->c, d, k), less, op->a, d, op->b, 0, k, bits);
      convolve(b, NULL, r, r, less, op->a, 0, op->b, d, k, bits);
      if (flip) arb_neg(r, r);
      break;
    }
    case BALL_QUOTIENT:                                                                   // b dr = da - r db
      convolve(b, NULL, x, a + k, 1, op->result, 0, op->b, d, k, bits);
      if (k > 0 && !b->still[op->b]) arb_dot(x, x, 1, ball_at(b, op->b, 0) + 1, 1, r - 1, -1, k, bits);
      arb_div(r, x, ball_at(b, op->b, 0), bits);
      break;
    case BALL_ROOT:                                                                       // r dr = da/2
      arb_mul_2exp_si(x, a + k, -1);
      if (k > 0) arb_dot(x, x, 1, ball_at(b, op->result, 0) + 1, 1, r - 1, -1, k, bits);
      arb_div(r, x, ball_at(b, op->result, 0), bits);
      break;
    case BALL_CIRCLE:
      convolve(b, NULL, r, NULL, 0, op->second, 0, op->a, d, k, bits);
      convolve(b, NULL, ball_at(b, op->second, d) + k, NULL, 1, op->result, 0, op->a, d, k, bits);
      break;
    case BALL_EXPONENTIAL: convolve(b, NULL, r, NULL, 0, op->result, 0, op->a, d, k, bits); break;
    case BALL_INTEGRAL:
      convolve(b, NULL, r, NULL, 0, op->b, 0, op->a, d, k, bits);
      if (op->c != NO_VALUE) convolve(b, NULL, r, r, 0, op->d, 0, op->c, d, k, bits);
      break;
    case BALL_BRANCH: branch(b, op, d, k, bits); break;
    case BALL_SIDED: combine(r, op->branch, a + k, 0, NULL, bits); break;
  }
}

// Text of a ball that may hold no number at all
static void ball_text(arb_srcptr x, size_t capacity, char *text) {
  char *full = arb_get_str(x, 6, 0);
  snprintf(text, capacity, "%s", full);
  flint_free(full);
}

static hml_status refuse(const hml_balls *b, const ball_op *op) {
  char what[120], operand[120], text[80];
  describe_value(b->program, op->source, what, sizeof what);
  uint32_t at = op->kind == BALL_BRANCH ? op->c : op->kind == BALL_QUOTIENT ? op->b : op->a;
  ball_text(ball_at(b, at, 0), sizeof text, text);
  if (op->kind == BALL_BRANCH) return hml_fail(b->context, HML_SINGULAR, "not analytic: the branch of %s is not decided by %s", what, text);
  if (at >= b->program->n_values) return hml_fail(b->context, HML_SINGULAR, "singular: %s has no value", what);
  describe_value(b->program, at, operand, sizeof operand);
  return hml_fail(b->context, HML_SINGULAR, "singular: %s at %s = %s", what, operand, text);
}

static hml_status order_of_program(hml_balls *b, slong k, slong bits) {
  for (uint32_t i = 0; i < b->count; i++) {
    ball_op *op = &b->ops[i];
    if (k > 0 && b->still[op->result]) continue;
    value_at_order(b, op, k, bits);
    // acos(-1) has a value though its rate has none: of constants only the values count
    bool counts = op->result < b->program->n_values || !b->still[op->result] || b->varies[op->result];
    if (k == 0 && counts && !arb_is_finite(ball_at(b, op->result, 0))) return refuse(b, op);
    if (!b->varies[op->result]) continue;
    for (size_t d = 1; d <= b->directions; d++) derivative_at_order(b, op, d, k, bits);
  }
  return HML_OK;
}

// ---- accelerations

static hml_status invert(hml_balls *b) {
  slong size = (slong)(b->n + b->m);
  arb_mat_t K, identity, inverse;
  arb_mat_init(K, size, size);
  arb_mat_init(identity, size, size);
  arb_mat_init(inverse, size, size);
  for (slong i = 0; i < size; i++)
    for (slong j = 0; j < size; j++) {
      uint32_t v = b->matrix[i * size + j];
      if (v != NO_VALUE) arb_set(arb_mat_entry(K, i, j), ball_at(b, v, 0));
    }
  arb_mat_one(identity);
  bool regular = arb_mat_solve_precond(inverse, K, identity, b->bits);
  for (slong i = 0; regular && i < size; i++)
    for (slong j = 0; j < size; j++) arb_swap(b->inverse + i * size + j, arb_mat_entry(inverse, i, j));
  arb_mat_clear(K);
  arb_mat_clear(identity);
  arb_mat_clear(inverse);
  return regular ? HML_OK : hml_fail(b->context, HML_SINGULAR_MASS, "singular: the matrix of the accelerations is not proved regular");
}

static void solve_order(hml_balls *b, slong k, slong bits) {
  size_t size = b->n + b->m;
  arb_ptr w = b->scratch + 4;
  for (size_t d = 0; d <= b->directions; d++) {
    for (size_t i = 0; i < size; i++) {
      uint32_t v = b->side[i];
      if ((d && !b->varies[v]) || (k > 0 && b->still[v])) arb_zero(w + i);
      else arb_set(w + i, ball_at(b, v, d) + k);
      if (i >= b->n) arb_neg(w + i, w + i);
      for (size_t j = 0; j < size; j++) {
        uint32_t e = b->matrix[i * size + j];
        if (d && e != NO_VALUE && b->still[e]) convolve(b, NULL, w + i, w + i, 1, e, d, b->solution + (uint32_t)j, 0, k, bits);
      }
    }
    hml_pools__subtract(b->pools, b, w, d, k, bits);
    for (size_t i = 0; i < size; i++)
      arb_dot(ball_at(b, b->solution + (uint32_t)i, d) + k, NULL, 0, b->inverse + i * size, 1, w, 1, (slong)size, bits);
    hml_pools__extend(b->pools, b, d, k, bits);
  }
}

// The first orders of K^-1, for bounds: Y_k = -(sum over j >= 1 of Y_(k-j) K_j) Y_0
static void invert_series(hml_balls *b) {
  size_t size = b->n + b->m, all = size * size;
  slong bits = 64;
  arb_ptr sums = _arb_vec_init((slong)all);
  for (size_t i = 0; i < all; i++) arb_set_round(b->inverses + i, b->inverse + i, bits);
  for (slong k = 1; k <= HML_INVERSE_ORDER && k <= (slong)b->order; k++) {
    arb_ptr Y = b->inverses + (size_t)k * all;
    for (size_t i = 0; i < all; i++) arb_zero(sums + i);
    for (size_t i = 0; i < size; i++)
      for (size_t l = 0; l < size; l++)
        for (size_t j = 0; j < size; j++) {
          uint32_t e = b->matrix[l * size + j];
          if (e == NO_VALUE || b->still[e]) continue;
          arb_ptr s = sums + i * size + j;
          arb_dot(s, s, 0, b->inverses + i * size + l, (slong)all, ball_at(b, e, 0) + k, -1, k, bits);
        }
    for (size_t i = 0; i < size; i++)
      for (size_t j = 0; j < size; j++)
        arb_dot(Y + i * size + j, NULL, 1, sums + i * size, 1, b->inverses + j, (slong)size, (slong)size, bits);
  }
  _arb_vec_clear(sums, (slong)all);
}

static void invert_scalar(const hml_balls *b, arb_ptr y, uint32_t v) {
  slong bits = 64;
  arb_inv(y, ball_at(b, v, 0), bits);
  for (slong k = 1; k <= HML_INVERSE_ORDER && k <= (slong)b->order; k++) {
    if (b->still[v]) arb_zero(y + k);
    else arb_dot(y + k, NULL, 1, ball_at(b, v, 0) + 1, 1, y + k - 1, -1, k, bits), arb_mul(y + k, y + k, y, bits);
  }
}

// ---- the series of the motion

static void seed(hml_balls *b, const arb_t t, arb_srcptr x, arb_srcptr parameters) {
  const hml_program *p = b->program;
  uint32_t input = p->n_constants;
  slong n = b->length;
  for (uint32_t v = 0; v < p->n_constants; v++) arb_set_d(ball_at(b, v, 0), p->constants[v]);
  arb_one(ball_at(b, one_of(b), 0));
  for (size_t i = 0; i < 1 + b->states; i++)
    for (size_t d = 0; d <= b->directions; d++) _arb_vec_zero(ball_at(b, input + (uint32_t)i, d), n);
  arb_set_round(ball_at(b, input, 0), t, b->bits);
  if (n > 1) arb_one(ball_at(b, input, 0) + 1);
  for (size_t i = 0; i < b->states; i++) arb_set_round(ball_at(b, ball_of_state(b, i), 0), x + i, b->bits);
  for (size_t d = 0; d < b->directions; d++) arb_one(ball_at(b, ball_of_state(b, b->direction[d]), d + 1));
  for (uint32_t i = 1 + (uint32_t)b->states; i < p->n_in; i++) arb_set_round(ball_at(b, input + i, 0), parameters + i - 1 - b->states, b->bits);
}

static void step_states(hml_balls *b, slong k, slong bits) {
  for (size_t d = 0; d <= b->directions; d++)
    for (size_t i = 0; i < b->kin + b->n; i++) {
      uint32_t v = i < b->kin ? b->program->outputs[i] : b->solution + (uint32_t)(i - b->kin);
      arb_ptr next = ball_at(b, ball_of_state(b, i), d) + k + 1;
      if ((d && !b->varies[v]) || (k > 0 && b->still[v])) arb_zero(next);
      else arb_div_ui(next, ball_at(b, v, d) + k, (ulong)k + 1, bits);
    }
}

hml_status hml_balls__expand(hml_balls *b, const arb_t t, arb_srcptr x, arb_srcptr parameters) {
  seed(b, t, x, parameters);
  each_block(b, hml_relaxed__restart);
  slong last = (slong)b->order;
  for (slong k = 0; k <= last; k++) {
    // order k counts for that much less at the end of a step
    slong bits = b->bits - b->bits * k / (last + 2) + 16;
    if (bits > b->bits) bits = b->bits;
    HML_TRY(order_of_program(b, k, bits));
    if (k == 0) hml_pools__restart(b->pools, b);
    if (k == 0 && b->n + b->m > 0) HML_TRY(invert(b));
    if (b->n + b->m > 0) solve_order(b, k, bits);
    step_states(b, k, bits);
    if (b->bits > 256 && (k & 15) == 15) HML_TRY(hml_check_interrupt(b->context));
  }
  if (last == 0) return HML_OK;
  if (b->n + b->m > 0) invert_series(b);
  for (uint32_t i = 0; i < b->count; i++) {
    const ball_op *op = &b->ops[i];
    if (op->inverse) invert_scalar(b, op->inverse, op->kind == BALL_ROOT ? op->result : op->b);
  }
  return HML_OK;
}

// ---- results

// Steps of the order N are r 2^(-bits/N). Where they cost N^2, N = bits log(2)/2 is best, and products by blocks, which cost less, want more. With few bits
// the derivatives cost most, whose order does not grow. Measured from 64 to 1700 bits on the sleigh and the pendulum, where the optimum is flat
unsigned hml_balls__best_order(slong bits) {
  enum { LEAST_ORDER = 20 };
  double order = 6 + 0.36 * (double)bits;
  if (hml_relaxed__pays((slong)order, bits)) order = 0.45 * (double)bits;
  return order > LEAST_ORDER ? (unsigned)order : LEAST_ORDER;
}

unsigned hml_balls__order(const hml_balls *b) { return b->order; }

arb_srcptr hml_balls__state(const hml_balls *b, size_t i, size_t direction) { return ball_at(b, ball_of_state(b, i), direction); }

mag_srcptr hml_balls__remainder(const hml_balls *b, size_t i, size_t direction) { return b->remainders + i * (1 + b->directions) + direction; }

arb_srcptr hml_balls__output(const hml_balls *b, size_t k, size_t direction, bool *steady) {
  *steady = b->still[b->program->outputs[k]];
  return ball_at(b, b->program->outputs[k], direction);
}

arb_srcptr hml_balls__multiplier(const hml_balls *b, size_t k, size_t direction) {
  return ball_at(b, b->solution + (uint32_t)(b->n + k), direction);
}

mag_srcptr hml_balls__tail(const hml_balls *b, size_t k, size_t direction) { return b->tails + ball_series(b, b->program->outputs[k], direction); }

bool hml_balls__uses(const hml_program *p, size_t input) {
  uint32_t v = p->n_constants + (uint32_t)input;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    unsigned n = instruction_rows[i->op].operands;
    if (i->a == v || (n > 1 && i->b == v) || (n > 2 && i->c == v)) return true;
  }
  for (uint32_t k = 0; k < p->n_out; k++)
    if (p->outputs[k] == v) return true;
  return false;
}

#endif
