// radicals.c: radicands factored before the normal form, so that squares and positive factors leave their roots.
#include "normal.h"

static bool half_power(hml_expr e) {
  int64_t n, d;
  return e->kind == HML_POWER && node_operands(e)[0]->kind == HML_SUM && hml_rational_value(node_operands(e)[1], &n, &d) && d == 2;
}

// Radicands factored, so that squares and positive factors leave the root; innermost first
hml_expr hml_expr__split_radicals(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *nodes;
  size_t count;
  bool fine = hml_expr__postorder(&arena, 1, &e, &nodes, &count) == HML_OK;
  for (size_t k = 0; fine && k < count && e; k++) {
    if (!half_power(nodes[k]) || hml_budget__is_over(budget)) continue;
    hml_expr base = hml_expr__simplify(c, node_operands(nodes[k])[0], HML_FORM_FRACTION, 0, NULL, budget, NULL);
    fine = base || !hml_failed(c);
    if (!base || base->kind == HML_SUM) continue;
    hml_expr to = hml_pow(c, base, node_operands(nodes[k])[1]);
    if (to && to != nodes[k]) e = hml_substitute(c, e, 1, &nodes[k], &to);
    else if (!to) hml_context_clear_error(c);
  }
  hml_arena_free(&arena);
  return fine ? e : NULL;
}
