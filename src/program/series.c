// series.c: the program of the Taylor coefficients of a solution of x' = f(t, x, parameters), from the program of f.
//
// Every value of the program of f becomes a power series in h, and an order of all series follows from the lower ones by the recurrences
// of automatic differentiation: products by convolution, quotients, roots and powers by their defining relations, any other function f(a)
// from f' = g a' with the partial derivative g of functions.def, whose series is computed beside it. x_(k+1) = f_k / (k + 1).
// Written out as straight-line arithmetic, so that every executor runs it. Source: Jorba and Zou, Experimental Mathematics 14 (2005).
#include "program_impl.h"

#include <math.h>

typedef struct node {
  uint32_t op, a, b;                   // as items; OP_CONSTANT keeps its number in value, OP_INPUT its index in a
  bool moves;                          // depends on time or states
  uint32_t by_a, by_b;                 // nodes of the partial derivatives of a function; NO_VALUE: zero
  double number;
  value *series;                       // coefficients, as far as they are known      (order)
  value reciprocal;                    // constants by which every order divides; id NO_VALUE: not yet built
} node;

typedef struct series {
  assembly *s;
  node *nodes;
  uint32_t n, capacity, order, n_states;
  bool exact;                          // divisions by whole numbers stay divisions: their reciprocals are no doubles
  partial partials[HML_FUN_COUNT][2];
} series;

static const value none = {NO_VALUE, false};

// ---- nodes

static uint32_t add_node(series *y, node d) {
  assembly *s = y->s;
  if (s->status != HML_OK) return 0;
  for (uint32_t i = 0; d.op != OP_CONSTANT && i < y->n; i++)           // functions ask for each other's partial derivatives
    if (y->nodes[i].op == d.op && y->nodes[i].a == d.a && y->nodes[i].b == d.b && d.op < HML_FUN_COUNT) return i;
  if (y->n == y->capacity) {
    uint32_t capacity = y->capacity ? 2 * y->capacity : 256;
    node *larger = hml_arena_alloc(&s->arena, capacity * sizeof *larger);
    if (!larger) return s->status = HML_MEMORY, 0;
    for (uint32_t i = 0; i < y->n; i++) larger[i] = y->nodes[i];
    y->nodes = larger;
    y->capacity = capacity;
  }
  if (d.op == OP_INPUT) d.moves = d.a <= y->n_states;
  else if (d.op != OP_CONSTANT) d.moves = y->nodes[d.a].moves || (instruction_rows[d.op].operands > 1 && y->nodes[d.b].moves);
  d.by_a = d.by_b = NO_VALUE;
  d.reciprocal = none;
  d.series = hml_arena_alloc(&s->arena, (y->order + 1) * sizeof(value));
  if (!d.series) return s->status = HML_MEMORY, 0;
  for (uint32_t k = 0; k <= y->order; k++) d.series[k] = none;
  y->nodes[y->n] = d;
  return y->n++;
}

static uint32_t operation(series *y, uint32_t op, uint32_t a, uint32_t b) {
  return add_node(y, (node){.op = op, .a = a, .b = b});
}

static uint32_t add_function(series *y, uint32_t op, uint32_t a, uint32_t b);

// The partial derivative of function f, node r, by its argument k, as nodes; NO_VALUE: zero
static uint32_t add_partial(series *y, uint32_t f, uint32_t r, uint32_t a, uint32_t b, unsigned k) {
  partial *p = &y->partials[f][k];
  if (!p->items && y->s->status == HML_OK) y->s->status = lower_partial(y->s, (opcode)f, k, p);
  if (y->s->status != HML_OK || p->zero) return NO_VALUE;
  uint32_t *map = hml_arena_alloc(&y->s->arena, (p->n + 1) * sizeof *map);   // of this use: partials ask for partials
  if (!map) return y->s->status = HML_MEMORY, NO_VALUE;
  for (uint32_t i = 0; i < p->n && y->s->status == HML_OK; i++) {
    const item *q = &p->items[i];
    unsigned n = item_operands(q);
    if (q->op == OP_INPUT) map[i] = q->a == 0 ? a : q->a == 1 ? b : r;
    else if (q->op == OP_CONSTANT) map[i] = add_node(y, (node){.op = OP_CONSTANT, .number = item_constant(q)});
    else if (q->op < HML_FUN_COUNT) map[i] = add_function(y, q->op, map[q->a], n > 1 ? map[q->b] : 0);
    else map[i] = operation(y, q->op, map[q->a], n > 1 ? map[q->b] : 0);
  }
  uint32_t result = map[p->result.id];
  return p->result.negative ? operation(y, OP_neg, result, 0) : result;
}

static uint32_t add_function(series *y, uint32_t op, uint32_t a, uint32_t b) {
  uint32_t before = y->n, r = operation(y, op, a, b);
  if (y->s->status != HML_OK || r < before) return r;                  // was there, with its partial derivatives
  uint32_t by_a = add_partial(y, op, r, a, b, 0);
  uint32_t by_b = instruction_rows[op].operands > 1 ? add_partial(y, op, r, a, b, 1) : NO_VALUE;
  if (y->s->status != HML_OK) return 0;
  y->nodes[r].by_a = by_a;
  y->nodes[r].by_b = by_b;
  return r;
}

static void add_instruction(series *y, const instruction *i, uint32_t *map) {
  unsigned n = instruction_rows[i->op].operands;
  uint32_t a = map[i->a], b = n > 1 ? map[i->b] : 0, c = n > 2 ? map[i->c] : 0;
  switch (i->op) {
    case OP_madd: case OP_fma: map[i->result] = operation(y, OP_add, c, operation(y, OP_mul, a, b)); break;
    case OP_nmadd: case OP_fnma: map[i->result] = operation(y, OP_sub, c, operation(y, OP_mul, a, b)); break;
    case OP_msub: case OP_fms: map[i->result] = operation(y, OP_sub, operation(y, OP_mul, a, b), c); break;
    case OP_sincos:
      map[i->result] = add_function(y, OP_sin, a, 0);
      map[i->second] = add_function(y, OP_cos, a, 0);
      break;
    case OP_pow:                       // with an exponent that moves: exp(b log a)
      map[i->result] = y->nodes[b].moves ? add_function(y, OP_exp, operation(y, OP_mul, b, add_function(y, OP_log, a, 0)), 0) : operation(y, OP_pow, a, b);
      break;
    default: map[i->result] = i->op < HML_FUN_COUNT ? add_function(y, i->op, a, b) : operation(y, i->op, a, b);
  }
}

// ---- coefficients

static value number(series *y, double x) {
  return value_constant(y->s, x);
}

static value plus(series *y, value a, value b) {
  value sum = value_add(y->s, a, b);
  if (sum.id != NO_VALUE && y->s->items[sum.id].op == OP_CONSTANT && item_constant(&y->s->items[sum.id]) == 0) return none;
  return sum;
}

static value times(series *y, value a, value b) {
  return value_mul(y->s, a, b);
}

static value scaled(series *y, double factor, value a) {
  return times(y, a, number(y, factor));
}

// sum of a_j b_(k-j) for j from `first` to `last`. Terms of the newest coefficients come last, so that the others are added up before these are known:
// the sums are what a step waits for. Two partial sums do not wait for each other
static value convolution(series *y, const value *a, const value *b, uint32_t k, uint32_t first, uint32_t last) {
  value low = none, high = none;
  if (last == UINT32_MAX || first > last) return none;
  if (a == b && first == k - last) {                                   // half of it, twice
    if (k % 2 == 0) low = times(y, a[k / 2], scaled(y, 0.5, a[k / 2]));
    for (uint32_t j = (k + 1) / 2; j-- > first;) low = plus(y, low, times(y, a[j], a[k - j]));
    return plus(y, low, low);
  }
  const uint32_t middle = k / 2 < first ? first : k / 2 > last ? last : k / 2;
  for (uint32_t j = middle + 1; j-- > first;) low = plus(y, low, times(y, a[j], b[k - j]));
  for (uint32_t j = middle + 1; j <= last; j++) high = plus(y, high, times(y, a[j], b[k - j]));
  return plus(y, low, high);
}

static value by_whole(series *y, value a, uint32_t k) {
  if (a.id == NO_VALUE || k == 1) return a;
  return y->exact ? value_div(y->s, a, number(y, k)) : times(y, a, number(y, 1.0 / k));
}

static value plain(series *y, value a) {
  return (value){value_plain(y->s, a), false};
}

static value first_coefficient(series *y, const node *d) {
  const value *a = y->nodes[d->a].series, *b = y->nodes[d->b].series;
  switch (d->op) {
    case OP_CONSTANT: return d->number == 0 ? none : number(y, d->number);
    case OP_INPUT: return (value){assembly_input(y->s, d->a), false};
    case OP_add: return plus(y, a[0], b[0]);
    case OP_sub: return plus(y, a[0], value_negated(b[0]));
    case OP_neg: return value_negated(a[0]);
    case OP_mul: return times(y, a[0], b[0]);
    case OP_div: return value_div(y->s, a[0], plain(y, b[0]));
    default: {
      uint32_t second = instruction_rows[d->op].operands > 1 ? value_plain(y->s, b[0]) : 0;
      return (value){assembly_emit(y->s, (opcode)d->op, value_plain(y->s, a[0]), second, 0), false};
    }
  }
}

// k p_k a_0 = sum_(j<k) (b (k - j) - j) a_(k-j) p_j for p = a^b with a constant b
static value constant_power(series *y, const node *d, uint32_t k) {
  const value *a = y->nodes[d->a].series, *b = y->nodes[d->b].series, *p = d->series;
  value by_exponent = none, rest = none;
  for (uint32_t j = 0; j < k; j++) {
    value product = times(y, a[k - j], p[j]);
    by_exponent = plus(y, by_exponent, scaled(y, k - j, product));
    if (j > 0) rest = plus(y, rest, scaled(y, j, product));
  }
  value sum = plus(y, times(y, b[0], by_exponent), value_negated(rest));
  return value_div(y->s, sum, plain(y, scaled(y, k, a[0])));
}

// k f_k = sum_(j=1..k) j a_j g_(k-j), for each argument; the term of a_k comes last, as in convolutions
static value by_chain_rule(series *y, const node *d, uint32_t k) {
  value sum = none, newest = none;
  for (unsigned argument = 0; argument < 2; argument++) {
    uint32_t partial_node = argument ? d->by_b : d->by_a;
    if (partial_node == NO_VALUE) continue;
    const value *a = y->nodes[argument ? d->b : d->a].series, *g = y->nodes[partial_node].series;
    value low = none, high = none;
    const uint32_t middle = k / 2;
    for (uint32_t j = middle; j > 0; j--) low = plus(y, low, times(y, scaled(y, j, a[j]), g[k - j]));
    for (uint32_t j = middle + 1; j < k; j++) high = plus(y, high, times(y, scaled(y, j, a[j]), g[k - j]));
    sum = plus(y, sum, plus(y, low, high));
    newest = plus(y, newest, times(y, a[k], g[0]));
  }
  return plus(y, by_whole(y, sum, k), newest);
}

// a / divisor, the reciprocal made once for all orders
static value over(series *y, node *d, value a, value divisor) {
  if (d->reciprocal.id == NO_VALUE) d->reciprocal = value_div(y->s, number(y, 1), plain(y, divisor));
  return times(y, a, d->reciprocal);
}

static value coefficient(series *y, node *d, uint32_t k) {
  if (k == 0) return first_coefficient(y, d);
  const value *a = y->nodes[d->a].series, *b = y->nodes[d->b].series;
  switch (d->op) {
    case OP_CONSTANT: case OP_INPUT: return d->series[k];              // of states: by f, below
    case OP_add: return plus(y, a[k], b[k]);
    case OP_sub: return plus(y, a[k], value_negated(b[k]));
    case OP_neg: return value_negated(a[k]);
    case OP_mul: return convolution(y, a, b, k, 0, k);
    case OP_div: return over(y, d, plus(y, a[k], value_negated(convolution(y, d->series, b, k, 0, k - 1))), b[0]);
    case OP_sqrt: {
      value left = plus(y, a[k], value_negated(convolution(y, d->series, d->series, k, 1, k - 1)));
      return over(y, d, left, plus(y, d->series[0], d->series[0]));
    }
    case OP_pow: return constant_power(y, d, k);
    default: return by_chain_rule(y, d, k);
  }
}

// ---- the program

static hml_status collect(series *y, const hml_program *p, uint32_t *map) {
  for (uint32_t k = 0; k < p->n_constants; k++) map[k] = add_node(y, (node){.op = OP_CONSTANT, .number = p->constants[k]});
  for (uint32_t i = 0; i < p->n_in; i++) map[p->n_constants + i] = add_node(y, (node){.op = OP_INPUT, .a = i});
  for (uint32_t k = 0; k < p->n_instructions && y->s->status == HML_OK; k++) add_instruction(y, &p->instructions[k], map);
  return y->s->status;
}

// Inputs: time, states, whatever else; outputs 0 ... n - 1 are the rates of the states (and of quadratures beyond them)
static hml_status expand(series *y, const hml_program *p, const uint32_t *map, uint32_t n_states, uint32_t n, uint32_t *results, size_t most) {
  assembly *s = y->s;
  for (uint32_t k = 0; k < y->order; k++) {
    for (uint32_t i = 0; i < y->n && s->status == HML_OK; i++) y->nodes[i].series[k] = coefficient(y, &y->nodes[i], k);
    if (k == 0) y->nodes[map[p->n_constants]].series[1] = number(y, 1);            // time
    for (uint32_t i = 0; i < n; i++) {
      value next = y->nodes[map[p->outputs[i]]].series[k];
      next = by_whole(y, next, k + 1);
      if (i < n_states) y->nodes[map[p->n_constants + 1 + i]].series[k + 1] = next;
      results[k * n + i] = value_plain(s, next);
    }
    if (s->n > most) return hml_fail(s->context, HML_LIMIT, "Taylor series: more than %zu operations to order %u", most, y->order);
    HML_TRY(hml_check_interrupt(s->context));
  }
  return s->status;
}

static hml_status write_series(series *y, const hml_program *p, const hml_series_layout *l, size_t most) {
  assembly *s = y->s;
  uint32_t *map = hml_arena_alloc(&s->arena, ((size_t)p->n_values + 1) * sizeof *map);
  if (!map) return HML_MEMORY;
  for (uint32_t i = 0; i < p->n_in; i++) HML_TRY(assembly_name(s, i, "", hml_program__input_name(p, i)));
  HML_TRY(collect(y, p, map));
  HML_TRY(expand(y, p, map, (uint32_t)l->n_states, (uint32_t)l->n, s->outputs, most));
  for (size_t i = 0; i < l->margins; i++)
    s->outputs[l->n * l->order + i] = value_plain(s, y->nodes[map[p->outputs[p->n_out - l->margins + i]]].series[0]);
  return s->status;
}

// The first instruction on states that is not smooth, which a series would follow beyond its corner; NULL: none
static const instruction *corner(const hml_program *p, const bool *moves) {
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    bool two = instruction_rows[i->op].operands > 1, kind = i->op == OP_abs || i->op == OP_sign || i->op == OP_min || i->op == OP_max || is_tabled(i->op);
    if (kind && (moves[i->a] || (two && moves[i->b]))) return i;
  }
  return NULL;
}

static bool *moving_values(hml_context *c, const hml_program *p, size_t n_states) {
  bool *moves = hml_alloc(c, (p->n_values + 1) * sizeof *moves);
  for (uint32_t i = 0; moves && i < p->n_in; i++) moves[p->n_constants + i] = i <= n_states;
  for (uint32_t k = 0; moves && k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    unsigned n = instruction_rows[i->op].operands;
    moves[i->result] = moves[i->a] || (n > 1 && moves[i->b]) || (n > 2 && moves[i->c]);
    if (i->second != NO_VALUE) moves[i->second] = moves[i->a];
  }
  return moves;
}

static hml_status check_smooth(hml_context *c, const hml_program *p, size_t n_states) {
  bool *moves = moving_values(c, p, n_states);
  if (!moves) return HML_MEMORY;
  const instruction *i = corner(p, moves);
  hml_dealloc(c, moves, (p->n_values + 1) * sizeof *moves);
  if (!i) return HML_OK;
  char text[120];
  describe_value(p, i->result, text, sizeof text);
  return hml_fail(c, HML_UNSUPPORTED, "Taylor series: the equations contain %s, which is not smooth, and a series does not see it turn; take dop853 or auto",
                  text);
}

// fails: HML_LIMIT where more than `most` operations are needed, HML_UNSUPPORTED where something is not smooth
hml_status hml_program__series(hml_context *c, const hml_program *p, const hml_series_layout *l, size_t most, hml_program **out) {
  *out = NULL;
  HML_TRY(check_smooth(c, p, l->n_states));
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in, l->n * l->order + l->margins);
  s.contracts = true;
  series y = {.s = &s, .order = l->order, .n_states = (uint32_t)l->n_states, .exact = l->exact};
  if (status == HML_OK) status = write_series(&y, p, l, most);
  return assembly_finish(&s, status, out);
}

double hml_program__series_cost(hml_context *c, const hml_program *p, size_t n_states) {
  bool *moves = moving_values(c, p, n_states);
  double sum = 0;
  if (!moves) return INFINITY;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    unsigned n = instruction_rows[i->op].operands;
    bool a = moves[i->a], b = n > 1 && moves[i->b];
    if (!moves[i->result]) continue;
    sum += 0.1;                        // linear operations
    if (i->op == OP_sincos) sum += 2;
    else if (i->op == OP_sqrt) sum += 0.5;
    else if (i->op < HML_FUN_COUNT || i->op == OP_pow) sum += 3;
    else if (i->op == OP_div) sum += b;
    else if (n > 2 || i->op == OP_mul) sum += a && b ? (i->a == i->b ? 0.5 : 1) : 0;
  }
  hml_dealloc(c, moves, (p->n_values + 1) * sizeof *moves);
  return sum;
}

bool hml_program__jumps(const hml_program *p) {
  for (uint32_t k = 0; k < p->n_instructions; k++)
    if (p->instructions[k].op == OP_sign) return true;
  return false;
}
