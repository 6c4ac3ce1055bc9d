// radicals.c: before the normal form, innermost first: radicands factored, so that squares and positive factors leave their roots;
// arguments of functions as short as they become, so that equal ones are more often one.
#include "normal.h"

#include <string.h>

enum { LONG_ARGUMENT = 400 };

static bool half_power(hml_expr e) {
  int64_t n, d;
  return e->kind == HML_POWER && node_operands(e)[0]->kind == HML_SUM && hml_rational_value(node_operands(e)[1], &n, &d) && d == 2;
}

static hml_expr split_radical(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_expr base = hml_expr__simplify(c, node_operands(e)[0], HML_FORM_FRACTION, 0, NULL, budget, NULL);
  if (!base) return hml_forgive(c) ? e : NULL;
  if (base->kind == HML_SUM) return e;
  hml_expr to = hml_pow(c, base, node_operands(e)[1]);
  return to ? to : hml_forgive(c) ? e : NULL;
}

// Neither a symbol nor a combination of symbols with numbers
static bool worth_a_look(hml_expr e) {
  if (e->size > LONG_ARGUMENT) return false;
  bool sum = e->kind == HML_SUM;
  for (uint32_t i = 0; i < (sum ? e->count : 1); i++) {
    hml_expr term = sum ? node_operands(e)[i] : e;
    bool scaled = term->kind == HML_PRODUCT && term->count == 2 && is_number(node_operands(term)[0]);
    if (scaled) term = node_operands(term)[1];
    if (!is_number(term) && term->kind != HML_SYMBOL && !is_pi(term)) return true;
  }
  return false;
}

static hml_expr with_short_arguments(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_expr a[1 + 2 * HML_OPAQUE_ARGUMENTS];
  bool changed = false, opaque = hml_opaque__is(e);
  unsigned order;
  if (hml_tabled__is(e->function, &order)) return e;
  size_t first = opaque ? 1 : 0, end = opaque ? 1 + hml_opaque__arity(e) : e->count;
  memcpy(a, node_operands(e), e->count * sizeof *a);
  for (size_t i = first; i < end; i++) {
    if (!worth_a_look(a[i])) continue;
    hml_expr shorter = hml_expr__shorten_argument(c, a[i], budget);
    if (!shorter) return NULL;
    if (shorter->size >= a[i]->size) continue;
    a[i] = shorter;
    changed = true;
  }
  hml_expr to = changed ? hml_call(c, e->function, e->count, a) : e;
  return to ? to : hml_forgive(c) ? e : NULL;
}

// node with the images of its operands
static hml_expr rebuilt(hml_context *c, hml_arena *arena, const hml_table *image, hml_expr node) {
  hml_expr *from = hml_arena_alloc(arena, 2 * node->count * sizeof *from), *to = from ? from + node->count : NULL;
  if (!from) return NULL;
  size_t n = 0;
  for (uint32_t i = 0; i < node->count; i++) {
    uintptr_t value;
    if (!hml_table_get(image, node_operands(node)[i], &value)) continue;
    from[n] = node_operands(node)[i];
    to[n++] = (hml_expr)value;
  }
  return n > 0 ? hml_substitute(c, node, n, from, to) : node;
}

static hml_expr split(hml_context *c, hml_arena *arena, hml_expr e, const hml_budget *budget) {
  hml_expr *nodes;
  size_t count;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return NULL;
  hml_table image;
  hml_table_init(&image, arena);
  hml_expr fresh = e;
  for (size_t k = 0; k < count; k++) {
    fresh = nodes[k];
    if (fresh->kind < HML_SUM) continue;
    // if the expression cannot be rebuilt (a division by zero), the normal form reports it
    if (image.count > 0 && !(fresh = rebuilt(c, arena, &image, nodes[k]))) return hml_forgive(c) ? e : NULL;
    if (half_power(fresh) && !hml_budget__is_over(budget)) fresh = split_radical(c, fresh, budget);
    else if (fresh->kind == HML_CALL && !hml_budget__is_over(budget)) fresh = with_short_arguments(c, fresh, budget);
    if (!fresh) return NULL;
    if (fresh != nodes[k] && hml_table_put(&image, nodes[k], (uintptr_t)fresh) != HML_OK) return NULL;
  }
  return fresh;
}

hml_expr hml_expr__split_radicals(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr out = split(c, &arena, e, budget);
  hml_arena_free(&arena);
  return out;
}
