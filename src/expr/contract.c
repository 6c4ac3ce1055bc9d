// contract.c: sums and differences of angles: sin a cos b + cos a sin b = sin(a + b) and its kin, wherever two terms of a sum share
// the rest of their factors. A rewriting of expressions for the compact stage; it proves nothing and needs no normal form.
#include "normal.h"

#include <string.h>

enum { MAX_TERMS = 48, MAX_PAIRS = 12 };

// A term as rest * f(a) * g(b), f and g sine or cosine
typedef struct split {
  hml_expr rest, a, b;
  hml_function f, g;
} split;

static bool is_circular(hml_expr e) {
  return e->kind == HML_CALL && (e->function == HML_FUN_sin || e->function == HML_FUN_cos);
}

// Every way to take two circular factors out of a product (each to the first power)
static size_t splits_of(hml_context *c, hml_expr term, split *out) {
  if (term->kind != HML_PRODUCT) return 0;
  hml_expr factors[24];
  size_t n = 0, found = 0;
  for (uint32_t i = 0; i < term->count; i++) {
    if (term->count > 24) return 0;
    factors[n++] = node_operands(term)[i];
  }
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n && found < MAX_PAIRS; j++) {
      if (!is_circular(factors[i]) || !is_circular(factors[j])) continue;
      hml_expr others[24];
      size_t m = 0;
      for (size_t k = 0; k < n; k++)
        if (k != i && k != j) others[m++] = factors[k];
      hml_expr rest = m ? hml_product(c, m, others) : hml_integer(c, 1);
      out[found++] = (split){rest, node_operands(factors[i])[0], node_operands(factors[j])[0], factors[i]->function, factors[j]->function};
    }
  return found;
}

static hml_expr circular(hml_context *c, hml_function f, hml_expr a, hml_expr b, bool minus) {
  hml_expr argument = minus ? hml_sub(c, a, b) : hml_add(c, a, b);
  return hml_call(c, f, 1, &argument);
}

// x and y as one term, or NULL
static hml_expr join(hml_context *c, const split *x, const split *y) {
  if (!x->rest || !y->rest) return NULL;
  bool same = x->rest == y->rest, opposite = !same && x->rest == hml_neg(c, y->rest);
  if (!same && !opposite) return NULL;
  // y's factors in the order of x's angles
  hml_function f = y->f, g = y->g;
  if (x->a == y->b && x->b == y->a) f = y->g, g = y->f;
  else if (x->a != y->a || x->b != y->b) return NULL;
  if (x->a == x->b || f == x->f || g == x->g) return NULL;
  if (x->f != x->g) {
    // sin a cos b +- cos a sin b; x is the one whose sine belongs to its first angle, or the reverse
    hml_expr e = x->f == HML_FUN_sin ? circular(c, HML_FUN_sin, x->a, x->b, opposite) : circular(c, HML_FUN_sin, x->b, x->a, opposite);
    return hml_mul(c, x->rest, e);
  }
  // cos a cos b +- sin a sin b = cos(a -+ b)
  if (x->f == HML_FUN_cos) return hml_mul(c, x->rest, circular(c, HML_FUN_cos, x->a, x->b, same));
  return hml_mul(c, y->rest, circular(c, HML_FUN_cos, x->a, x->b, same));
}

// One pair of terms joined; the sum itself if there is none
static hml_expr contract_once(hml_context *c, hml_expr sum) {
  if (sum->count > MAX_TERMS) return sum;
  for (uint32_t i = 0; i < sum->count; i++) {
    split first[MAX_PAIRS];
    size_t n = splits_of(c, node_operands(sum)[i], first);
    for (uint32_t j = i + 1; n > 0 && j < sum->count; j++) {
      split second[MAX_PAIRS];
      size_t m = splits_of(c, node_operands(sum)[j], second);
      for (size_t p = 0; p < n; p++)
        for (size_t q = 0; q < m; q++) {
          hml_expr joined = join(c, &first[p], &second[q]);
          if (!joined) continue;
          hml_expr pair[2] = {node_operands(sum)[i], node_operands(sum)[j]};
          hml_expr both = hml_sum(c, 2, pair);
          return hml_add(c, hml_sub(c, sum, both), joined);
        }
    }
  }
  return sum;
}

static hml_expr contract_sum(hml_context *c, hml_expr sum, const hml_budget *budget) {
  for (int round = 0; round < MAX_TERMS && sum && sum->kind == HML_SUM && !hml_interrupted(c) && !hml_budget__is_over(budget); round++) {
    hml_expr next = contract_once(c, sum);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

static hml_status contract_in(hml_context *c, hml_arena *arena, hml_expr e, const hml_budget *budget, hml_expr *out) {
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  hml_table image;
  hml_table_init(&image, arena);
  for (size_t k = 0; k < count; k++) {
    hml_expr node = nodes[k], fresh = node;
    if (node->kind >= HML_SUM) {
      // operands replaced, then the sum itself
      hml_expr *from = hml_arena_alloc(arena, 2 * node->count * sizeof *from), *to = from ? from + node->count : NULL;
      if (!from) return HML_MEMORY;
      size_t n = 0;
      for (uint32_t i = 0; i < node->count; i++) {
        uintptr_t value;
        if (!hml_table_get(&image, node_operands(node)[i], &value)) continue;
        from[n] = node_operands(node)[i];
        to[n++] = (hml_expr)value;
      }
      if (n > 0) fresh = hml_substitute(c, node, n, from, to);
      if (fresh && fresh->kind == HML_SUM) fresh = contract_sum(c, fresh, budget);
      if (!fresh) return hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY;
    }
    if (fresh != node) HML_TRY(hml_table_put(&image, node, (uintptr_t)fresh));
  }
  uintptr_t value;
  *out = hml_table_get(&image, e, &value) ? (hml_expr)value : e;
  return HML_OK;
}

hml_expr hml_expr__contract(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr out = NULL;
  hml_status status = contract_in(c, &arena, e, budget, &out);
  hml_arena_free(&arena);
  return status == HML_OK ? out : NULL;
}
