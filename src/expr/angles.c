// angles.c: sines and cosines of sums as products of those of the parts, the opposite of contract.c. A program computes the sines of n
// angles and takes those of their n^2 differences from them by multiplications.
#include "expr_impl.h"

static hml_turn of_sum(hml_context *c, hml_expr sum) {
  hml_turn all = {NULL, NULL};
  for (size_t i = 0; i < sum->count; i++) {
    hml_expr part = node_operands(sum)[i];
    hml_turn one = {hml_call(c, HML_FUN_sin, 1, &part), hml_call(c, HML_FUN_cos, 1, &part)};
    all = i == 0 ? one : hml_turn__joined(c, all, one);
  }
  return all;
}

static bool is_split(hml_expr e) {
  return e->kind == HML_CALL && (e->function == HML_FUN_sin || e->function == HML_FUN_cos) && node_operands(e)[0]->kind == HML_SUM;
}

static hml_status collect(hml_context *c, hml_arena *arena, size_t n, const hml_expr *e, hml_expr **from, hml_expr **to, size_t *count) {
  hml_expr *nodes;
  size_t all;
  HML_TRY(hml_expr__postorder(arena, n, e, &nodes, &all));
  *from = hml_arena_alloc(arena, (all + 1) * sizeof **from);
  *to = hml_arena_alloc(arena, (all + 1) * sizeof **to);
  if (!*from || !*to) return HML_MEMORY;
  for (size_t k = 0; k < all; k++) {
    if (!is_split(nodes[k])) continue;
    hml_turn both = of_sum(c, node_operands(nodes[k])[0]);
    (*from)[*count] = nodes[k];
    (*to)[(*count)++] = nodes[k]->function == HML_FUN_sin ? both.sine : both.cosine;
  }
  return hml_failed(c) ? hml_context_error(c)->status : HML_OK;
}

hml_status hml_expr__split_angles(hml_context *c, size_t n, const hml_expr *e, hml_expr *out, bool *changed) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *from, *to;
  size_t count = 0;
  hml_status status = collect(c, &arena, n, e, &from, &to, &count);
  for (size_t i = 0; i < n && status == HML_OK; i++) {
    out[i] = hml_substitute(c, e[i], count, from, to);
    if (!out[i]) status = hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY;
  }
  *changed = count > 0;
  hml_arena_free(&arena);
  return status;
}
