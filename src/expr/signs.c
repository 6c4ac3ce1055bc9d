// signs.c: signs as in print, for the compact stage: -l (cos a - 1) is written l (1 - cos a), a negative sum -(a + b), never x (-a - b).
// Values do not change: where a factor that is a sum changes its sign, the product changes its sign too.
#include "normal.h"

#include <string.h>

enum { NO_FACTOR = -1 };

size_t hml_expr__minuses(hml_expr e, uint64_t limit) {
  if (e->size > limit) return 0;
  size_t n = 0;
  if (is_number(e)) return has_negative_sign(e);
  for (size_t i = 0; i < hml_operand_count(e); i++) n += hml_expr__minuses(node_operands(e)[i], limit);
  return n;
}

static hml_expr signed_product(hml_context *c, hml_expr e, bool any);

// The sum every term of which has the other sign
static hml_expr opposite(hml_context *c, hml_expr sum) {
  hml_expr *terms = hml_alloc(c, sum->count * sizeof *terms);
  if (!terms) return NULL;
  for (uint32_t i = 0; i < sum->count; i++) terms[i] = signed_product(c, hml_neg(c, node_operands(sum)[i]), false);
  hml_expr e = hml_sum(c, sum->count, terms);
  hml_dealloc(c, terms, sum->count * sizeof *terms);
  return e;
}

// A factor (a - b)^k with odd k: its sum, or NULL
static hml_expr odd_sum(hml_expr factor) {
  int64_t k = 1;
  if (factor->kind == HML_POWER && (!hml_integer_value(node_operands(factor)[1], &k) || k % 2 == 0)) return NULL;
  hml_expr base = factor->kind == HML_POWER ? node_operands(factor)[0] : factor;
  return base->kind == HML_SUM ? base : NULL;
}

static size_t negative_terms(hml_expr sum) {
  size_t n = 0;
  for (uint32_t i = 0; i < sum->count; i++) n += has_negative_sign(node_operands(sum)[i]);
  return n;
}

// Is a sum shorter to read with the opposite sign? cos a - 1 is, and b - a where a is printed first
static bool reads_backwards(hml_expr sum) {
  hml_expr first = NULL;
  for (uint32_t i = 0; i < sum->count; i++) {
    hml_expr term = node_operands(sum)[i];
    if (is_number(term)) return has_negative_sign(term);
    if (!first || hml_compare(term, first) < 0) first = term;
  }
  return has_negative_sign(first);
}

// The factor of a negative product that takes its sign; `any`: also one that reads worse then, above before below
static int sign_taker(hml_expr product, bool any) {
  int found = NO_FACTOR;
  for (uint32_t i = 0; i < product->count; i++) {
    hml_expr factor = node_operands(product)[i], sum = odd_sum(factor);
    if (!sum || negative_terms(sum) == 0) continue;
    if (reads_backwards(sum)) return (int)i;
    bool above = factor->kind != HML_POWER || !has_negative_sign(node_operands(factor)[1]);
    if (any && (found == NO_FACTOR || above)) found = (int)i;
  }
  return found;
}

// The product with factor i, a power of a sum, turned, and the whole too
static hml_expr turned(hml_context *c, hml_expr product, int i) {
  hml_expr few[16], *list = product->count <= 16 ? few : hml_alloc(c, product->count * sizeof *list);
  if (!list) return NULL;
  memcpy(list, node_operands(product), product->count * sizeof *list);
  hml_expr other = opposite(c, odd_sum(list[i]));
  list[i] = list[i]->kind == HML_POWER ? hml_pow(c, other, node_operands(list[i])[1]) : other;
  hml_expr e = hml_neg(c, hml_product(c, product->count, list));
  if (list != few) hml_dealloc(c, list, product->count * sizeof *list);
  return e;
}

// A product as a term of a sum; `any`: as an expression of its own, without a sign where that can be
static hml_expr signed_product(hml_context *c, hml_expr e, bool any) {
  // sums of negative terms alone first
  for (uint32_t i = 0; e && e->kind == HML_PRODUCT && i < e->count; i++) {
    hml_expr sum = odd_sum(node_operands(e)[i]);
    if (sum && negative_terms(sum) == sum->count) return signed_product(c, turned(c, e, (int)i), any);
  }
  int i = e && e->kind == HML_PRODUCT && has_negative_sign(e) ? sign_taker(e, any) : NO_FACTOR;
  return i == NO_FACTOR ? e : turned(c, e, i);
}

// Where all terms are negative, the first that can do without its sign
static hml_expr signed_sum(hml_context *c, hml_expr e) {
  if (!e || e->kind != HML_SUM || negative_terms(e) < e->count) return e;
  hml_expr best = NULL, fresh = NULL;
  for (uint32_t i = 0; i < e->count; i++) {
    hml_expr term = node_operands(e)[i], other = signed_product(c, term, true);
    if (other && !has_negative_sign(other) && (!best || hml_compare(term, best) < 0)) best = term, fresh = other;
  }
  return best ? hml_add(c, hml_sub(c, e, best), fresh) : e;
}

// e alone, as a base or as an argument
static hml_expr alone(hml_context *c, hml_expr e) {
  return e && e->kind == HML_SUM ? signed_sum(c, e) : signed_product(c, e, true);
}

static hml_expr rebuilt(hml_context *c, hml_arena *arena, hml_expr e, const hml_table *image) {
  hml_expr *list = hml_arena_alloc(arena, (e->count + 1) * sizeof *list);
  if (!list) return NULL;
  bool changed = false;
  for (uint32_t i = 0; i < e->count; i++) {
    uintptr_t value;
    list[i] = hml_table_get(image, node_operands(e)[i], &value) ? (hml_expr)value : node_operands(e)[i];
    if (e->kind == HML_POWER || e->kind == HML_CALL) list[i] = alone(c, list[i]);
    changed = changed || list[i] != node_operands(e)[i];
  }
  hml_expr fresh = e;
  if (changed && e->kind == HML_SUM) fresh = hml_sum(c, e->count, list);
  else if (changed && e->kind == HML_PRODUCT) fresh = hml_product(c, e->count, list);
  else if (changed && e->kind == HML_POWER) fresh = hml_pow(c, list[0], list[1]);
  else if (changed) fresh = hml_call(c, e->function, e->count, list);
  return fresh && fresh->kind == HML_PRODUCT ? signed_product(c, fresh, false) : fresh;
}

static hml_expr signed_in(hml_context *c, hml_arena *arena, hml_expr e) {
  hml_expr *nodes;
  size_t count;
  hml_table image;
  hml_table_init(&image, arena);
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return NULL;
  for (size_t k = 0; k < count; k++) {
    if (nodes[k]->kind < HML_SUM) continue;
    hml_expr fresh = rebuilt(c, arena, nodes[k], &image);
    if (!fresh || (fresh != nodes[k] && hml_table_put(&image, nodes[k], (uintptr_t)fresh) != HML_OK)) return NULL;
  }
  uintptr_t value;
  return alone(c, hml_table_get(&image, e, &value) ? (hml_expr)value : e);
}

hml_expr hml_expr__signed(hml_context *c, hml_expr e) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr result = signed_in(c, &arena, e);
  hml_arena_free(&arena);
  return hml_must_end(c) ? NULL : result;
}
