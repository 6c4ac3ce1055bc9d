// substitute.c: simultaneous replacement of nodes, and the symbols of an expression.
#include "expr_impl.h"

#include <stdlib.h>
#include <string.h>

// The node rebuilt from new operands
static hml_expr rebuild(hml_context *c, hml_expr e, const hml_expr *operands) {
  switch (e->kind) {
    case HML_SUM: return hml_sum(c, e->count, operands);
    case HML_PRODUCT: return hml_product(c, e->count, operands);
    case HML_POWER: return hml_pow(c, operands[0], operands[1]);
    case HML_CALL: return hml_call(c, e->function, e->count, operands);
    default: return e;
  }
}

static hml_status replace(hml_context *c, hml_arena *arena, size_t m, const hml_expr *e, size_t n, const hml_expr *from, const hml_expr *to, hml_expr *out) {
  hml_table image;
  hml_table_init(&image, arena);
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, m, e, &nodes, &count));
  for (size_t i = 0; i < n; i++) HML_TRY(hml_table_put(&image, from[i], (uintptr_t)to[i]));
  size_t capacity = 0;
  hml_expr *operands = NULL;
  for (size_t k = 0; k < count; k++) {
    uintptr_t value;
    hml_expr node = nodes[k];
    if (hml_table_get(&image, node, &value) || node->kind < HML_SUM) continue;
    if (node->count > capacity) {
      capacity = 2 * node->count;
      operands = hml_arena_alloc(arena, capacity * sizeof *operands);
      if (!operands) return HML_MEMORY;
    }
    bool changed = false;
    for (size_t i = 0; i < node->count; i++) {
      operands[i] = node_operands(node)[i];
      if (hml_table_get(&image, operands[i], &value)) operands[i] = (hml_expr)value;
      changed = changed || operands[i] != node_operands(node)[i];
    }
    if (!changed) continue;
    hml_expr new_node = rebuild(c, node, operands);
    if (!new_node) return hml_context_error(c)->status;
    HML_TRY(hml_table_put(&image, node, (uintptr_t)new_node));
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
  }
  uintptr_t value;
  for (size_t i = 0; i < m; i++) out[i] = hml_table_get(&image, e[i], &value) ? (hml_expr)value : e[i];
  return HML_OK;
}

static hml_status missing(hml_context *c) {
  return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
}

hml_status hml_substitute_all(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *from, const hml_expr *to, hml_expr *out) {
  for (size_t i = 0; i < m; i++)
    if (!e[i]) return missing(c);
  for (size_t i = 0; i < n; i++)
    if (!from[i] || !to[i]) return missing(c);
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = replace(c, &arena, m, e, n, from, to, out);
  hml_arena_free(&arena);
  return status;
}

hml_expr hml_substitute(hml_context *c, hml_expr e, size_t n, const hml_expr *from, const hml_expr *to) {
  if (!e) return NULL;
  for (size_t i = 0; i < n; i++)
    if (!from[i] || !to[i]) return NULL;
  hml_expr out = NULL;
  return hml_substitute_all(c, 1, &e, n, from, to, &out) == HML_OK ? out : NULL;
}

static int in_display_order(const void *a, const void *b) {
  return hml_compare(*(const hml_expr *)a, *(const hml_expr *)b);
}

hml_status hml_symbols_of(hml_context *c, size_t m, const hml_expr *e, size_t capacity, hml_expr *out, size_t *count) {
  for (size_t i = 0; i < m; i++)
    if (!e[i]) return missing(c);
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *nodes;
  size_t all, n = 0;
  hml_status status = hml_expr__postorder(&arena, m, e, &nodes, &all);
  if (status == HML_OK) {
    for (size_t i = 0; i < all; i++)
      if (nodes[i]->kind == HML_SYMBOL && !(nodes[i]->flags & HML_FUNCTION_NAME)) nodes[n++] = nodes[i];
    if (capacity) qsort(nodes, n, sizeof *nodes, in_display_order);
    for (size_t i = 0; i < n && i < capacity; i++) out[i] = nodes[i];
    *count = n;
  }
  hml_arena_free(&arena);
  return status;
}
