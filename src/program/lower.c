// lower.c: expressions to straight-line arithmetic, common parts shared. What programs look like after that is optimise.c's
// and schedule.c's business.
//
// The nodes are visited once in post-order. A node's value carries its sign, so that x*(-1) costs nothing inside sums and
// products. Products are numerator / denominator * number; powers with a whole or half exponent become multiplications
// and square roots. Factors and terms are taken in the order in which their values were defined: the same order
// everywhere, so that products and sums with a common beginning share it. What is made of parameters and numbers alone is
// brought together, so that hoist.c can take it out in one piece.
#include "program_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define LARGEST_UNROLLED 64             // exponents up to here are unrolled into multiplications

typedef struct lowering {
  assembly *s;
  hml_table known;                     // node -> 2*value + sign
  value *list;                         // scratch: terms or factors, then denominators   (2 * capacity)
  size_t capacity;
  bool *still;                         // made of parameters and numbers alone, by item         (still_capacity)
  uint32_t still_known, still_capacity;
} lowering;

static value value_of(const lowering *l, hml_expr e) {
  uintptr_t packed = 0;
  hml_table_get(&l->known, e, &packed);
  return (value){(uint32_t)(packed >> 1), packed & 1};
}

static hml_status remember(lowering *l, hml_expr e, value v) {
  return hml_table_put(&l->known, e, (uintptr_t)v.id << 1 | v.negative);
}

// constant factors

static hml_status grow_still(lowering *l, uint32_t n) {
  if (n <= l->still_capacity) return HML_OK;
  uint32_t capacity = n > 64 ? 2 * n : 128;
  bool *larger = hml_arena_alloc(&l->s->arena, capacity * sizeof *larger);
  if (!larger) return HML_MEMORY;
  if (l->still_known) memcpy(larger, l->still, l->still_known * sizeof *larger);
  l->still = larger;
  l->still_capacity = capacity;
  return HML_OK;
}

// Is value v made of parameters and numbers alone?
static bool is_still(lowering *l, uint32_t v) {
  const assembly *s = l->s;
  if (l->s->status == HML_OK) l->s->status = grow_still(l, s->n);
  if (l->s->status != HML_OK) return false;
  for (; l->still_known < s->n; l->still_known++) {
    const item *e = &s->items[l->still_known];
    unsigned n = item_operands(e);
    l->still[l->still_known] = e->op != OP_INPUT && (n < 1 || l->still[e->a]) && (n < 2 || l->still[e->b]);
  }
  return l->still[v];
}

static hml_status mark_parameters(lowering *l, size_t n, const hml_expr *given, const value *values) {
  for (size_t i = 0; i < n; i++) {
    is_still(l, values[i].id);
    bool parameter = hml_kind_of(given[i]) == HML_SYMBOL && !(hml_symbol_flags(given[i]) & (HML_DYNAMIC | HML_TIME | HML_EXTERNAL));
    if (l->s->status == HML_OK) l->still[values[i].id] = parameter;
  }
  return l->s->status;
}

// The moving ones first, each kind in its order; how many move
static size_t part_still(lowering *l, size_t n, value *list) {
  size_t moving = 0;
  for (size_t i = 0; i < n; i++) {
    if (is_still(l, list[i].id)) continue;
    value v = list[i];
    for (size_t k = i; k > moving; k--) list[k] = list[k - 1];
    list[moving++] = v;
  }
  return moving;
}

// ---- powers

static bool is_number(hml_expr e) {
  return hml_kind_of(e) == HML_NUMBER || hml_kind_of(e) == HML_FLOAT;
}

// Exponents that need multiplications, a square root and a division at most
static bool is_plain_exponent(hml_expr exponent, double *k) {
  if (!is_number(exponent)) return false;
  *k = hml_number_value(exponent);
  return 2 * *k == floor(2 * *k) && fabs(*k) <= LARGEST_UNROLLED;
}

// x^n, n > 0, by squarings from the leading bit
static value whole_power(assembly *s, value x, unsigned n) {
  value result = x;
  unsigned bit = 1;
  while (bit <= n / 2) bit *= 2;
  for (bit /= 2; bit; bit /= 2) {
    result = value_mul(s, result, result);
    if (n & bit) result = value_mul(s, result, x);
  }
  return result;
}

// x^k for k > 0 with 2k whole
static value plain_power(assembly *s, value x, double k) {
  unsigned whole = (unsigned)k;
  if (k == whole) return whole_power(s, x, whole);
  value root = {assembly_emit(s, OP_sqrt, value_plain(s, x), 0, 0), false};
  return whole == 0 ? root : value_mul(s, whole_power(s, x, whole), root);
}

static value lower_power(lowering *l, hml_expr e) {
  hml_expr base = hml_operand(e, 0), exponent = hml_operand(e, 1);
  value x = value_of(l, base);
  double k;
  if (is_plain_exponent(exponent, &k)) {
    value power = plain_power(l->s, x, fabs(k));
    return k > 0 ? power : value_div(l->s, value_constant(l->s, 1), power);
  }
  uint32_t y = value_plain(l->s, value_of(l, exponent));
  return (value){assembly_emit(l->s, OP_pow, value_plain(l->s, x), y, 0), false};
}

// ---- sums and products

static int by_definition(const void *x, const void *y) {
  uint32_t a = ((const value *)x)->id, b = ((const value *)y)->id;
  return (a > b) - (a < b);
}

static value lower_sum(lowering *l, hml_expr e) {
  size_t n = hml_operand_count(e);
  for (size_t i = 0; i < n; i++) l->list[i] = value_of(l, hml_operand(e, i));
  qsort(l->list, n, sizeof *l->list, by_definition);
  size_t moving = part_still(l, n, l->list);
  value sums[2] = {{NO_VALUE, false}, {NO_VALUE, false}};
  for (size_t i = 0; i < n; i++) sums[i >= moving] = value_add(l->s, sums[i >= moving], l->list[i]);
  return value_add(l->s, sums[0], sums[1]);
}

// 1 for none
static value product_of(assembly *s, size_t n, const value *factors) {
  if (n == 0) return value_constant(s, 1);
  value product = factors[0];
  for (size_t i = 1; i < n; i++) product = value_mul(s, product, factors[i]);
  return product;
}

static value quotient_of(assembly *s, size_t n_above, const value *above, size_t n_below, const value *below) {
  value product = product_of(s, n_above, above);
  return n_below == 0 ? product : value_div(s, product, product_of(s, n_below, below));
}

// A power below the line: base^(-k) with k > 0, as base^k
static bool is_denominator(lowering *l, hml_expr factor, value *out) {
  double k;
  uintptr_t known;
  if (hml_kind_of(factor) != HML_POWER || !is_plain_exponent(hml_operand(factor, 1), &k) || k >= 0) return false;
  if (!hml_table_get(&l->known, hml_operand(factor, 0), &known)) return false;
  *out = plain_power(l->s, value_of(l, hml_operand(factor, 0)), -k);
  return true;
}

static value lower_product(lowering *l, hml_expr e, const hml_table *given) {
  assembly *s = l->s;
  value *above = l->list, *below = l->list + l->capacity, coefficient = value_constant(s, 1);
  size_t n_above = 0, n_below = 0;
  for (size_t i = 0; i < hml_operand_count(e); i++) {
    hml_expr factor = hml_operand(e, i);
    uintptr_t known;
    if (is_number(factor)) coefficient = value_mul(s, coefficient, value_of(l, factor));
    else if (!hml_table_get(given, factor, &known) && is_denominator(l, factor, &below[n_below])) n_below++;
    else above[n_above++] = value_of(l, factor);
  }
  qsort(above, n_above, sizeof *above, by_definition);
  qsort(below, n_below, sizeof *below, by_definition);
  size_t moving_above = part_still(l, n_above, above), moving_below = part_still(l, n_below, below);
  value still = coefficient;
  bool parameters = n_above > moving_above || n_below > moving_below;
  if (parameters) still = value_mul(s, coefficient, quotient_of(s, n_above - moving_above, above + moving_above, n_below - moving_below, below + moving_below));
  if (moving_above == 0) return moving_below == 0 ? still : value_div(s, still, product_of(s, moving_below, below));
  // constant factors come last, so that a sum around this product can merge with them into one instruction
  return value_mul(s, quotient_of(s, moving_above, above, moving_below, below), still);
}

static value lower_call(lowering *l, hml_expr e) {
  uint32_t a = value_plain(l->s, value_of(l, hml_operand(e, 0))), b = 0;
  if (hml_operand_count(e) > 1) b = value_plain(l->s, value_of(l, hml_operand(e, 1)));
  return (value){assembly_emit(l->s, (opcode)hml_function_of(e), a, b, 0), false};
}

static hml_status unknown_symbol(hml_context *c, hml_expr e) {
  char name[80];
  hml_expr__brief(c, e, 70, name);
  return hml_fail(c, HML_UNKNOWN_SYMBOL, "program: %s%s%s occurs but is not among the inputs: give it a value, or declare it as coordinate or parameter", HML_QUOTED(name));
}

static hml_status grow_scratch(lowering *l, size_t n) {
  if (n <= l->capacity) return HML_OK;
  size_t capacity = n > 32 ? 2 * n : 64;
  l->list = hml_arena_alloc(&l->s->arena, 2 * capacity * sizeof *l->list);
  l->capacity = l->list ? capacity : 0;
  return l->list ? HML_OK : HML_MEMORY;
}

static hml_status lower_node(lowering *l, hml_expr e, const hml_table *given) {
  value v;
  if (!is_number(e) && hml_kind_of(e) != HML_SYMBOL) HML_TRY(grow_scratch(l, hml_operand_count(e)));
  switch (hml_kind_of(e)) {
    case HML_NUMBER: case HML_FLOAT: v = value_number(l->s, hml_number_value(e), hml_expr__rest(e)); break;
    case HML_SUM: v = lower_sum(l, e); break;
    case HML_PRODUCT: v = lower_product(l, e, given); break;
    case HML_POWER: v = lower_power(l, e); break;
    case HML_CALL:
      if (hml_opaque__is(e)) return hml_opaque__refuse(l->s->context, e);
      v = lower_call(l, e);
      break;
    default: return hml_symbol_flags(e) & HML_FUNCTION_NAME ? HML_OK : unknown_symbol(l->s->context, e);
  }
  return l->s->status == HML_OK ? remember(l, e, v) : l->s->status;
}

hml_status lower_expressions(assembly *s, size_t n_given, const hml_expr *given, const value *given_values,
                             size_t n, const hml_expr *e, value *out) {
  lowering l = {.s = s};
  hml_table given_nodes;
  hml_expr *nodes;
  size_t count;
  hml_table_init(&l.known, &s->arena);
  hml_table_init(&given_nodes, &s->arena);
  for (size_t i = 0; i < n_given; i++) {
    HML_TRY(remember(&l, given[i], given_values[i]));
    HML_TRY(hml_table_put(&given_nodes, given[i], i));
  }
  HML_TRY(mark_parameters(&l, n_given, given, given_values));
  HML_TRY(hml_expr__postorder(&s->arena, n, e, &nodes, &count));
  for (size_t k = 0; k < count; k++) {
    uintptr_t known;
    if (!hml_table_get(&given_nodes, nodes[k], &known)) HML_TRY(lower_node(&l, nodes[k], &given_nodes));
    if ((k & 1023) == 1023) HML_TRY(hml_check_interrupt(s->context));
  }
  for (size_t i = 0; i < n; i++) out[i] = value_of(&l, e[i]);
  return s->status;
}

// ---- programs of expressions

static hml_status check_expressions(hml_context *c, size_t n, const hml_expr *e, const char *what) {
  for (size_t i = 0; i < n; i++) {
    if (!e[i] && hml_failed(c)) return hml_context_error(c)->status;
    if (!e[i]) return hml_fail(c, HML_ARGUMENT, "program: %s %zu is missing", what, i + 1);
  }
  return HML_OK;
}

// "x", "x'", ... of a symbol; the text of any other node
static hml_status name_input(assembly *s, size_t i, hml_expr e) {
  if (hml_kind_of(e) != HML_SYMBOL) {
    char text[80];
    hml_expr__brief(s->context, e, 70, text);
    return assembly_name(s, i, "", text);
  }
  size_t length = strlen(hml_symbol_name(e)), order = hml_symbol_order(e);
  char *text = hml_arena_alloc(&s->arena, length + order + 1);
  if (!text) return HML_MEMORY;
  memcpy(text, hml_symbol_name(e), length);
  memset(text + length, '\'', order);
  s->names[i] = text;
  return HML_OK;
}

static hml_status declare_inputs(assembly *s, const hml_expr *inputs, value *values) {
  hml_table seen;
  hml_table_init(&seen, &s->arena);
  for (size_t i = 0; i < s->n_in; i++) {
    uintptr_t before;
    HML_TRY(name_input(s, i, inputs[i]));
    if (is_number(inputs[i])) return hml_fail(s->context, HML_ARGUMENT, "program: input %zu is the number %s", i + 1, s->names[i]);
    if (hml_table_get(&seen, inputs[i], &before))
      return hml_fail(s->context, HML_ARGUMENT, "program: %s%s%s is given twice, as input %zu and %zu", HML_QUOTED(s->names[i]),
                      (size_t)before + 1, i + 1);
    HML_TRY(hml_table_put(&seen, inputs[i], i));
    values[i] = (value){assembly_input(s, i), false};
  }
  return s->status;
}

static hml_status lower_program(assembly *s, const hml_expr *inputs, const hml_expr *outputs) {
  value *given = hml_arena_alloc(&s->arena, (s->n_in + 1) * sizeof *given);
  value *results = hml_arena_alloc(&s->arena, (s->n_out + 1) * sizeof *results);
  if (!given || !results) return HML_MEMORY;
  HML_TRY(declare_inputs(s, inputs, given));
  HML_TRY(lower_expressions(s, s->n_in, inputs, given, s->n_out, outputs, results));
  for (size_t i = 0; i < s->n_out; i++) s->outputs[i] = value_plain(s, results[i]);
  return s->status;
}

hml_status hml_program_new(hml_context *c, size_t n_in, const hml_expr *inputs, size_t n_out, const hml_expr *outputs,
                           hml_program **out) {
  *out = NULL;
  HML_TRY(check_expressions(c, n_in, inputs, "input"));
  HML_TRY(check_expressions(c, n_out, outputs, "output"));
  assembly s;
  hml_status status = assembly_init(&s, c, n_in, n_out);
  if (status == HML_OK) status = lower_program(&s, inputs, outputs);
  return assembly_finish(&s, status, out);
}
