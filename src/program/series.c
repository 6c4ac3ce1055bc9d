// series.c: the program of the Taylor coefficients of a solution of x' = f(t, x, parameters), from the program of f.
//
// Every value of the program of f becomes a power series in h, and an order of all series follows from the lower ones by the recurrences
// of automatic differentiation: products by convolution, quotients, roots and powers by their defining relations, any other function f(a)
// from f' = g a' with the partial derivative g of functions.def, whose series is computed beside it. x_(k+1) = f_k / (k + 1).
// Written out as straight-line arithmetic, so that every executor runs it. Source: Jorba and Zou, Experimental Mathematics 14 (2005).
#include "program_impl.h"

#include <math.h>

enum { TOGETHER = 3 };                 // orders whose sums are made side by side

typedef struct node {
  uint32_t op, a, b;                   // as items; OP_CONSTANT keeps its number in value, OP_INPUT its index in a
  bool moves;                          // depends on time or states
  uint32_t by_a, by_b;                 // nodes of the partial derivatives of a function; NO_VALUE: zero
  double number;
  value *series;                       // coefficients, as far as they are known      (order)
  value *sums[2];                      // for each argument: sums of products ahead of their orders; NULL: not yet begun
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

static bool is_number(const series *y, uint32_t a, double *x) {
  *x = y->nodes[a].number;
  return y->nodes[a].op == OP_CONSTANT;
}

// b is a number times a, which *factor gets
static bool is_multiple(const series *y, uint32_t a, uint32_t b, uint32_t *factor) {
  const node *d = &y->nodes[b];
  double x;
  if (d->op != OP_mul || (d->a != a && d->b != a)) return false;
  *factor = d->a == a ? d->b : d->a;
  return is_number(y, *factor, &x);
}

// Convolutions are what a step costs: a (1/b) takes two, a/b one; a (0.5 a) takes twice what 0.5 (a a) does
static uint32_t multiply(series *y, uint32_t a, uint32_t b) {
  double x;
  uint32_t factor;
  if (y->s->status != HML_OK) return 0;
  const node *d = &y->nodes[b], *e = &y->nodes[a];
  if (d->op == OP_div && e->moves && is_number(y, d->a, &x) && x == 1) return operation(y, OP_div, a, d->b);
  if (e->op == OP_div && d->moves && is_number(y, e->a, &x) && x == 1) return operation(y, OP_div, b, e->b);
  if (is_multiple(y, a, b, &factor)) return operation(y, OP_mul, factor, operation(y, OP_mul, a, a));
  if (is_multiple(y, b, a, &factor)) return operation(y, OP_mul, factor, operation(y, OP_mul, b, b));
  return operation(y, OP_mul, a, b);
}

static void add_instruction(series *y, const instruction *i, uint32_t *map) {
  unsigned n = instruction_rows[i->op].operands;
  uint32_t a = map[i->a], b = n > 1 ? map[i->b] : 0, c = n > 2 ? map[i->c] : 0;
  switch (i->op) {
    case OP_madd: case OP_fma: map[i->result] = operation(y, OP_add, c, multiply(y, a, b)); break;
    case OP_nmadd: case OP_fnma: map[i->result] = operation(y, OP_sub, c, multiply(y, a, b)); break;
    case OP_msub: case OP_fms: map[i->result] = operation(y, OP_sub, multiply(y, a, b), c); break;
    case OP_mul: map[i->result] = multiply(y, a, b); break;
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

// Two series whose products a_j b_(k-j), j = 1 ... k - 1, are added up; weighted: j a_j b_(k-j). sums: of products ahead of their orders    (order)
typedef struct factors {
  const value *a, *b;
  bool weighted;
  value *sums;
} factors;

static bool is_square(const factors *f) {
  return f->a == f->b && !f->weighted;
}

// Of node d, of a function by argument `which`. Operands are made in the order of their nodes: that of b comes last. False: there are none
static bool factors_of(series *y, node *d, unsigned which, factors *f) {
  const uint32_t partial_node = which ? d->by_b : d->by_a;
  value *a = y->nodes[which ? d->b : d->a].series, *b = y->nodes[d->b].series;
  if (d->op == OP_mul) *f = d->a < d->b ? (factors){.a = a, .b = b} : (factors){.a = b, .b = a};
  else if (d->op == OP_div) *f = (factors){.a = d->series, .b = b};
  else if (d->op == OP_sqrt) *f = (factors){.a = d->series, .b = d->series};
  else if (d->op < HML_FUN_COUNT && partial_node != NO_VALUE) *f = (factors){.a = a, .b = y->nodes[partial_node].series, .weighted = true};
  else return false;
  if (!d->sums[which]) {
    d->sums[which] = hml_arena_alloc(&y->s->arena, (y->order + 1) * sizeof(value));
    if (!d->sums[which]) return y->s->status = HML_MEMORY, false;
    for (uint32_t k = 0; k <= y->order; k++) d->sums[which][k] = none;
  }
  f->sums = d->sums[which];
  return true;
}

// Of a square half of the sum
static value product(series *y, const factors *f, uint32_t k, uint32_t j) {
  const value a = is_square(f) && 2 * j == k ? scaled(y, 0.5, f->a[j]) : f->weighted ? scaled(y, j, f->a[j]) : f->a[j];
  return times(y, a, f->b[k - j]);
}

static uint32_t last_product(const factors *f, uint32_t k) {
  return is_square(f) ? k / 2 : k - 1;
}

// The products of orders `first` ... that have coefficients below `first` only. Orders side by side, so that a coefficient in a register serves all of
// them: loads are what a step waits for. From the middle of the sums outwards, so that products of the newest coefficients come last
static void sum_ahead(series *y, const factors *f, uint32_t first) {
  const uint32_t end = first + TOGETHER < y->order ? first + TOGETHER : y->order;
  for (uint32_t i = 0; i + 1 < first; i++) {
    const uint32_t j = i % 2 ? first / 2 + (i + 1) / 2 : first / 2 - i / 2;
    for (uint32_t k = first; k < end; k++)
      if (k - j < first && j <= last_product(f, k)) f->sums[k] = plus(y, f->sums[k], product(y, f, k, j));
  }
}

// Sum of the products of order k without those of a_k and b_k; of a square half of it
static value inner_products(series *y, const factors *f, uint32_t k) {
  const uint32_t first = k - k % TOGETHER;
  if (k == first) sum_ahead(y, f, first);
  value sum = f->sums[k];
  for (uint32_t j = 1; j <= last_product(f, k); j++)
    if (j >= first || k - j >= first) sum = plus(y, sum, product(y, f, k, j));
  return sum;
}

static value twice(series *y, value a) {
  return plus(y, a, a);
}

static value convolution(series *y, node *d, uint32_t k) {
  factors f;
  if (!factors_of(y, d, 0, &f)) return none;
  const value sum = inner_products(y, &f, k);
  if (is_square(&f)) return plus(y, twice(y, sum), times(y, twice(y, f.a[0]), f.a[k]));
  return plus(y, plus(y, sum, times(y, f.a[k], f.b[0])), times(y, f.a[0], f.b[k]));
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

// k f_k = sum_(j=1..k) j a_j g_(k-j), for each argument
static value by_chain_rule(series *y, node *d, uint32_t k) {
  value sum = none, newest = none;
  for (unsigned argument = 0; argument < 2; argument++) {
    factors f;
    if (!factors_of(y, d, argument, &f)) continue;
    sum = plus(y, sum, inner_products(y, &f, k));
    newest = plus(y, newest, times(y, f.a[k], f.b[0]));
  }
  return plus(y, by_whole(y, sum, k), newest);
}

// d b = a: d_k = a_k / b_0 - (d_0 / b_0) b_k - (sum of the other products) / b_0, so that the operand made last is one multiply-add away
static value quotient(series *y, node *d, uint32_t k) {
  factors f;
  if (!factors_of(y, d, 0, &f)) return none;
  if (d->reciprocal.id == NO_VALUE) d->reciprocal = value_div(y->s, number(y, 1), plain(y, f.b[0]));
  const value rest = value_negated(times(y, inner_products(y, &f, k), d->reciprocal));
  const value above = times(y, y->nodes[d->a].series[k], d->reciprocal), below = value_negated(times(y, times(y, f.a[0], d->reciprocal), f.b[k]));
  return d->a > d->b ? plus(y, plus(y, rest, below), above) : plus(y, plus(y, rest, above), below);
}

// d d = a
static value root(series *y, node *d, uint32_t k) {
  factors f;
  if (!factors_of(y, d, 0, &f)) return none;
  if (d->reciprocal.id == NO_VALUE) d->reciprocal = value_div(y->s, number(y, 1), plain(y, twice(y, f.a[0])));
  const value rest = times(y, twice(y, inner_products(y, &f, k)), d->reciprocal);
  return plus(y, value_negated(rest), times(y, y->nodes[d->a].series[k], d->reciprocal));
}

static value coefficient(series *y, node *d, uint32_t k) {
  if (k == 0) return first_coefficient(y, d);
  const value *a = y->nodes[d->a].series, *b = y->nodes[d->b].series;
  switch (d->op) {
    case OP_CONSTANT: case OP_INPUT: return d->series[k];              // of states: by f, below
    case OP_add: return plus(y, a[k], b[k]);
    case OP_sub: return plus(y, a[k], value_negated(b[k]));
    case OP_neg: return value_negated(a[k]);
    case OP_mul: return convolution(y, d, k);
    case OP_div: return quotient(y, d, k);
    case OP_sqrt: return root(y, d, k);
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
