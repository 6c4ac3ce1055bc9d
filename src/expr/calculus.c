// calculus.c: derivatives by one forward sweep along a direction, gradients by one reverse sweep; both linear in the DAG.
#include "expr_impl.h"

#include <string.h>

// Partial derivative of node e with respect to its operand i, as an expression
static hml_expr operand_partial(hml_context *c, hml_expr e, size_t i) {
  const hml_expr *x = node_operands(e);
  switch (e->kind) {
    case HML_SUM: return hml_integer(c, 1);
    case HML_PRODUCT: {
      if (e->count == 2) return x[1 - i];
      hml_expr few[32] = {0}, *others = e->count <= 32 ? few : hml_alloc(c, e->count * sizeof *others);
      if (!others) return NULL;
      size_t n = 0;
      for (size_t j = 0; j < e->count; j++)
        if (j != i) others[n++] = x[j];
      hml_expr partial = hml_product(c, n, others);
      if (others != few) hml_dealloc(c, others, e->count * sizeof *others);
      return partial;
    }
    case HML_POWER:
      if (i == 0) return hml_mul(c, x[1], hml_pow(c, x[0], hml_sub(c, x[1], hml_integer(c, 1))));
      return hml_mul(c, e, hml_call(c, HML_FUN_log, 1, &x[0]));
    case HML_CALL: return hml_function__partial(c, e, i);
    default: return NULL;
  }
}

// Derivatives of the nodes in post-order, given those of symbols in `known`; NULL entries of rate mean zero
static hml_status forward(hml_context *c, size_t count, const hml_expr *nodes, hml_table *known, hml_table *index, hml_expr *rate,
                          hml_arena *arena) {
  size_t capacity = 16;
  hml_expr *terms = hml_arena_alloc(arena, capacity * sizeof *terms);
  for (size_t k = 0; terms && k < count; k++) {
    hml_expr e = nodes[k];
    HML_TRY(hml_table_put(index, e, k));
    uintptr_t value;
    if (hml_table_get(known, e, &value)) {
      rate[k] = is_zero_node((hml_expr)value) ? NULL : (hml_expr)value;
      continue;
    }
    if (e->kind < HML_SUM) continue;
    if (e->count > capacity) {
      capacity = 2 * e->count;
      terms = hml_arena_alloc(arena, capacity * sizeof *terms);
      if (!terms) return HML_MEMORY;
    }
    size_t n = 0;
    for (size_t i = 0; i < e->count; i++) {
      uintptr_t j;
      if (!hml_table_get(index, node_operands(e)[i], &j) || !rate[j]) continue;
      terms[n] = e->kind == HML_SUM ? rate[j] : hml_mul(c, operand_partial(c, e, i), rate[j]);
      if (!terms[n++]) return hml_context_error(c)->status;
    }
    if (n > 0 && !(rate[k] = hml_sum(c, n, terms))) return hml_context_error(c)->status;
    if (rate[k] && is_zero_node(rate[k])) rate[k] = NULL;
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
  }
  return terms ? HML_OK : HML_MEMORY;
}

static hml_status collect_rates(hml_context *c, size_t m, const hml_expr *e, const hml_table *index, const hml_expr *rate, hml_expr *out) {
  for (size_t i = 0; i < m; i++) {
    uintptr_t k = 0;
    hml_table_get(index, e[i], &k);
    out[i] = rate[k] ? rate[k] : hml_integer(c, 0);
    if (!out[i]) return HML_MEMORY;
  }
  return HML_OK;
}

static hml_status check_operands(size_t n, const hml_expr *e, hml_context *c) {
  for (size_t i = 0; i < n; i++)
    if (!e[i]) return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
  return HML_OK;
}

hml_status hml_directional(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols, const hml_expr *direction, hml_expr *out) {
  HML_TRY(check_operands(m, e, c));
  HML_TRY(check_operands(n, symbols, c));
  HML_TRY(check_operands(n, direction, c));
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_table known, index;
  hml_table_init(&known, &arena);
  hml_table_init(&index, &arena);
  hml_expr *nodes = NULL, *rate = NULL;
  size_t count = 0;
  hml_status status = hml_expr__postorder(&arena, m, e, &nodes, &count);
  for (size_t i = 0; status == HML_OK && i < n; i++) status = hml_table_put(&known, symbols[i], (uintptr_t)direction[i]);
  if (status == HML_OK && !(rate = hml_arena_alloc(&arena, (count + 1) * sizeof *rate))) status = HML_MEMORY;
  if (status == HML_OK) status = forward(c, count, nodes, &known, &index, rate, &arena);
  if (status == HML_OK) status = collect_rates(c, m, e, &index, rate, out);
  hml_arena_free(&arena);
  return status;
}

hml_expr hml_derivative(hml_context *c, hml_expr e, hml_expr symbol) {
  if (!e || !symbol) return NULL;
  if (symbol->kind != HML_SYMBOL) return hml_fail_null(c, HML_ARGUMENT, "derivatives are taken with respect to a symbol");
  hml_expr one = hml_integer(c, 1), out = NULL;
  return hml_directional(c, 1, &e, 1, &symbol, &one, &out) == HML_OK ? out : NULL;
}

hml_expr hml_time_derivative(hml_context *c, hml_expr e) {
  if (!e) return NULL;
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_table known, index;
  hml_table_init(&known, &arena);
  hml_table_init(&index, &arena);
  hml_expr *nodes = NULL, *rate = NULL, out = NULL;
  size_t count = 0;
  hml_status status = hml_expr__postorder(&arena, 1, &e, &nodes, &count);
  for (size_t i = 0; status == HML_OK && i < count; i++) {
    if (nodes[i]->kind != HML_SYMBOL) continue;
    if (nodes[i]->flags & HML_EXTERNAL) {
      status = hml_fail(c, HML_ARGUMENT, "'%s' is supplied at run time: its time derivative is not known", node_name(nodes[i]));
      break;
    }
    hml_expr value = nodes[i]->flags & HML_DYNAMIC ? hml_dot(c, nodes[i]) : nodes[i]->flags & HML_TIME ? hml_integer(c, 1) : NULL;
    if (value) status = hml_table_put(&known, nodes[i], (uintptr_t)value);
  }
  if (status == HML_OK && !(rate = hml_arena_alloc(&arena, (count + 1) * sizeof *rate))) status = HML_MEMORY;
  if (status == HML_OK) status = forward(c, count, nodes, &known, &index, rate, &arena);
  if (status == HML_OK) status = collect_rates(c, 1, &e, &index, rate, &out);
  hml_arena_free(&arena);
  return status == HML_OK ? out : NULL;
}

// ---- reverse sweep: the adjoint of a node is the sum of what its users contribute

typedef struct contribution {
  hml_expr term;
  struct contribution *next;
} contribution;

static hml_expr adjoint_of(hml_context *c, hml_arena *arena, const contribution *list) {
  size_t n = 0;
  for (const contribution *p = list; p; p = p->next) n++;
  if (n == 1) return list->term;
  hml_expr *terms = hml_arena_alloc(arena, n * sizeof *terms);
  if (!terms) return NULL;
  for (n = 0; list; list = list->next) terms[n++] = list->term;
  return hml_sum(c, n, terms);
}

// Which nodes depend on one of the symbols
static hml_status mark_active(size_t count, const hml_expr *nodes, const hml_table *wanted, hml_table *index, unsigned char *active) {
  for (size_t k = 0; k < count; k++) {
    uintptr_t j;
    HML_TRY(hml_table_put(index, nodes[k], k));
    active[k] = hml_table_get(wanted, nodes[k], &j);
    if (nodes[k]->kind < HML_SUM) continue;
    for (size_t i = 0; !active[k] && i < nodes[k]->count; i++)
      active[k] = hml_table_get(index, node_operands(nodes[k])[i], &j) && active[j];
  }
  return HML_OK;
}

static hml_status reverse(hml_context *c, hml_arena *arena, size_t count, const hml_expr *nodes, const hml_table *wanted,
                          const hml_table *index, const unsigned char *active, contribution **lists, hml_expr *adjoint) {
  for (size_t k = count; k-- > 0;) {
    if (!lists[k]) continue;
    adjoint[k] = adjoint_of(c, arena, lists[k]);
    if (!adjoint[k]) return hml_context_error(c)->status;
    uintptr_t j;
    if (nodes[k]->kind < HML_SUM || hml_table_get(wanted, nodes[k], &j)) continue;
    for (size_t i = 0; i < nodes[k]->count; i++) {
      if (!hml_table_get(index, node_operands(nodes[k])[i], &j) || !active[j]) continue;
      contribution *item = hml_arena_alloc(arena, sizeof *item);
      if (!item) return HML_MEMORY;
      item->term = nodes[k]->kind == HML_SUM ? adjoint[k] : hml_mul(c, adjoint[k], operand_partial(c, nodes[k], i));
      if (!item->term) return hml_context_error(c)->status;
      item->next = lists[j];
      lists[j] = item;
    }
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
  }
  return HML_OK;
}

static hml_status gradient_in(hml_context *c, hml_arena *arena, hml_expr e, size_t n, const hml_expr *symbols, hml_expr *out) {
  hml_table wanted, index;
  hml_table_init(&wanted, arena);
  hml_table_init(&index, arena);
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  for (size_t i = 0; i < n; i++) HML_TRY(hml_table_put(&wanted, symbols[i], i));
  unsigned char *active = hml_arena_alloc(arena, count);
  contribution **lists = hml_arena_alloc(arena, count * sizeof *lists);
  contribution *seed = hml_arena_alloc(arena, sizeof *seed);
  hml_expr *adjoint = hml_arena_alloc(arena, count * sizeof *adjoint);
  if (!active || !lists || !seed || !adjoint) return HML_MEMORY;
  HML_TRY(mark_active(count, nodes, &wanted, &index, active));
  seed->term = hml_integer(c, 1);
  if (active[count - 1]) lists[count - 1] = seed;
  HML_TRY(reverse(c, arena, count, nodes, &wanted, &index, active, lists, adjoint));
  for (size_t i = 0; i < n; i++) {
    uintptr_t k;
    out[i] = hml_table_get(&index, symbols[i], &k) && adjoint[k] ? adjoint[k] : hml_integer(c, 0);
    if (!out[i]) return HML_MEMORY;
  }
  return HML_OK;
}

hml_status hml_gradient(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, hml_expr *out) {
  HML_TRY(check_operands(1, &e, c));
  HML_TRY(check_operands(n, symbols, c));
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = gradient_in(c, &arena, e, n, symbols, out);
  hml_arena_free(&arena);
  return status;
}
