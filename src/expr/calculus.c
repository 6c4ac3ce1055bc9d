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

// The nodes behind some expressions, with the places of their operands: several sweeps look nothing up
typedef struct graph {
  size_t count, widest;                // nodes; operands of the widest
  hml_expr *nodes;                     // in post-order                                    (count)
  size_t *first, *operands;            // node k has operands[first[k]] ... [first[k + 1]] (count + 1), (as many as there are)
  hml_table index;                     // of a node
} graph;

static hml_status open_graph(graph *g, hml_arena *arena, size_t m, const hml_expr *e) {
  size_t operands = 0;
  *g = (graph){0};
  hml_table_init(&g->index, arena);
  HML_TRY(hml_expr__postorder(arena, m, e, &g->nodes, &g->count));
  for (size_t k = 0; k < g->count; k++) operands += g->nodes[k]->kind < HML_SUM ? 0 : g->nodes[k]->count;
  g->first = hml_arena_alloc(arena, (g->count + 1) * sizeof *g->first);
  g->operands = hml_arena_alloc(arena, (operands + 1) * sizeof *g->operands);
  if (!g->first || !g->operands) return HML_MEMORY;
  operands = 0;
  for (size_t k = 0; k < g->count; k++) {
    hml_expr node = g->nodes[k];
    HML_TRY(hml_table_put(&g->index, node, k));
    g->first[k] = operands;
    if (node->kind < HML_SUM) continue;
    if (node->count > g->widest) g->widest = node->count;
    for (size_t i = 0; i < node->count; i++) {
      uintptr_t j = 0;
      hml_table_get(&g->index, node_operands(node)[i], &j);
      g->operands[operands++] = j;
    }
  }
  g->first[g->count] = operands;
  return HML_OK;
}

// What a sweep works with: the derivative of each node, NULL for zero; whether it was given
typedef struct sweep {
  hml_expr *rate, *terms;              // (count), (widest)
  unsigned char *given;                // (count)
} sweep;

static hml_status open_sweep(sweep *w, hml_arena *arena, const graph *g) {
  w->rate = hml_arena_alloc(arena, (g->count + 1) * sizeof *w->rate);
  w->given = hml_arena_alloc(arena, g->count + 1);
  w->terms = hml_arena_alloc(arena, (g->widest + 1) * sizeof *w->terms);
  return w->rate && w->given && w->terms ? HML_OK : HML_MEMORY;
}

static void give(const graph *g, sweep *w, hml_expr symbol, hml_expr rate) {
  uintptr_t k;
  if (!hml_table_get(&g->index, symbol, &k)) return;
  w->given[k] = 1;
  w->rate[k] = is_zero_node(rate) ? NULL : rate;
}

// Index of the next operand from i on that has a derivative, end if there is none
static size_t next_moving(const hml_expr *rates, const size_t *operands, size_t i, size_t end) {
  while (i < end && !rates[operands[i]]) i++;
  return i;
}

// Derivatives of the nodes from start to end, given those of some
static hml_status forward(hml_context *c, const graph *g, sweep *w, size_t start, size_t end) {
  for (size_t k = start; k < end; k++) {
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
    const size_t last = g->first[k + 1];
    size_t i = next_moving(w->rate, g->operands, g->first[k], last), n = 0;
    if (i == last || w->given[k]) continue;
    const hml_expr e = g->nodes[k];
    for (; i < last; i = next_moving(w->rate, g->operands, i + 1, last)) {
      hml_expr rate = w->rate[g->operands[i]];
      if (e->kind != HML_SUM) {
        hml_expr partial = operand_partial(c, e, i - g->first[k]);
        rate = partial && is_one_node(rate) ? partial : hml_mul(c, partial, rate);
      }
      w->terms[n] = rate;
      if (!w->terms[n++]) return hml_context_error(c)->status;
    }
    if (!(w->rate[k] = hml_sum(c, n, w->terms))) return hml_context_error(c)->status;
    if (is_zero_node(w->rate[k])) w->rate[k] = NULL;
  }
  return HML_OK;
}

static hml_status collect_rates(hml_context *c, size_t m, const hml_expr *e, const graph *g, const sweep *w, size_t stride, hml_expr *out) {
  for (size_t i = 0; i < m; i++) {
    uintptr_t k = 0;
    hml_table_get(&g->index, e[i], &k);
    out[i * stride] = w->rate[k] ? w->rate[k] : hml_integer(c, 0);
    if (!out[i * stride]) return HML_MEMORY;
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
  graph g;
  sweep w;
  hml_status status = open_graph(&g, &arena, m, e);
  if (status == HML_OK) status = open_sweep(&w, &arena, &g);
  for (size_t i = 0; status == HML_OK && i < n; i++) give(&g, &w, symbols[i], direction[i]);
  if (status == HML_OK) status = forward(c, &g, &w, 0, g.count);
  if (status == HML_OK) status = collect_rates(c, m, e, &g, &w, 1, out);
  hml_arena_free(&arena);
  return status;
}

// The matrix column by column. symmetric: entries on and below the diagonal; the nodes of the last rows come first, so that a column
// ends with the nodes of its diagonal entry
static hml_status columns(hml_context *c, hml_arena *arena, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols, bool symmetric, hml_expr *out) {
  graph g;
  sweep w;
  hml_expr one = hml_integer(c, 1), *backwards = hml_arena_alloc(arena, (m + 1) * sizeof *backwards);
  size_t *end = hml_arena_alloc(arena, (m + 1) * sizeof *end);         // of the nodes of rows i ... m - 1
  if (!one || !backwards || !end) return HML_MEMORY;
  for (size_t i = 0; i < m; i++) backwards[i] = e[m - 1 - i];
  HML_TRY(open_graph(&g, arena, m, backwards));
  HML_TRY(open_sweep(&w, arena, &g));
  for (size_t i = m; i-- > 0;) {
    uintptr_t k = 0;
    hml_table_get(&g.index, e[i], &k);
    end[i] = k + 1 > end[i + 1] ? k + 1 : end[i + 1];
  }
  for (size_t j = 0; j < n; j++) {
    size_t first = symmetric ? j : 0, last = m ? end[first] : 0;
    uintptr_t start = last;
    give(&g, &w, symbols[j], one);
    hml_table_get(&g.index, symbols[j], &start);                       // no earlier node depends on it
    HML_TRY(forward(c, &g, &w, start, last));
    HML_TRY(collect_rates(c, m - first, e + first, &g, &w, n, out + first * n + j));
    if (start >= g.count) continue;
    memset(w.rate + start, 0, (g.count - start) * sizeof *w.rate);
    w.given[start] = 0;
  }
  return HML_OK;
}

static hml_status matrix(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols, bool symmetric, hml_expr *out) {
  HML_TRY(check_operands(m, e, c));
  HML_TRY(check_operands(n, symbols, c));
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = columns(c, &arena, m, e, n, symbols, symmetric, out);
  hml_arena_free(&arena);
  return status;
}

hml_status hml_jacobian(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols, hml_expr *out) {
  return matrix(c, m, e, n, symbols, false, out);
}

hml_status hml_hessian(hml_context *c, size_t n, const hml_expr *gradient, const hml_expr *symbols, hml_expr *out) {
  HML_TRY(matrix(c, n, gradient, n, symbols, true, out));
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) out[i * n + j] = out[j * n + i];
  return HML_OK;
}

hml_expr hml_derivative(hml_context *c, hml_expr e, hml_expr symbol) {
  if (!e || !symbol) return NULL;
  if (symbol->kind != HML_SYMBOL) return hml_fail_null(c, HML_ARGUMENT, "derivatives are taken with respect to a symbol");
  hml_expr one = hml_integer(c, 1), out = NULL;
  return hml_directional(c, 1, &e, 1, &symbol, &one, &out) == HML_OK ? out : NULL;
}

static hml_status give_rates(hml_context *c, const graph *g, sweep *w) {
  for (size_t i = 0; i < g->count; i++) {
    hml_expr e = g->nodes[i];
    if (e->kind != HML_SYMBOL) continue;
    if (e->flags & HML_EXTERNAL) return hml_fail(c, HML_ARGUMENT, "'%s' is supplied at run time: its time derivative is not known", node_name(e));
    hml_expr rate = e->flags & HML_DYNAMIC ? hml_dot(c, e) : e->flags & HML_TIME ? hml_integer(c, 1) : NULL;
    if (rate) give(g, w, e, rate);
  }
  return hml_failed(c) ? hml_context_error(c)->status : HML_OK;
}

hml_expr hml_time_derivative(hml_context *c, hml_expr e) {
  if (!e) return NULL;
  hml_arena arena;
  hml_arena_init(&arena, c);
  graph g;
  sweep w;
  hml_expr out = NULL;
  hml_status status = open_graph(&g, &arena, 1, &e);
  if (status == HML_OK) status = open_sweep(&w, &arena, &g);
  if (status == HML_OK) status = give_rates(c, &g, &w);
  if (status == HML_OK) status = forward(c, &g, &w, 0, g.count);
  if (status == HML_OK) status = collect_rates(c, 1, &e, &g, &w, 1, &out);
  hml_arena_free(&arena);
  return status == HML_OK ? out : NULL;
}

// reverse sweep: the adjoint of a node is the sum of the contributions of its users

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
