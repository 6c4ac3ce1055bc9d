// contract.c: shorter sums by rewriting: sums and differences of angles, sin a cos b + cos a sin b = sin(a + b) etc., wherever two
// terms share the rest of their factors; pairs, C - C sin^2 a = C cos^2 a; terms that differ in parameters alone, A x'' + B x'' = x'' (A + B).
// For the compact stage; it proves nothing and needs no normal form.
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

// ---- pairs

// term = T f(a)^k with f sine or cosine and k >= 2, at its factor i: T f(a)^(k-2), and with the other function squared
static hml_expr without_square(hml_context *c, hml_expr term, uint32_t i, hml_expr *squared) {
  hml_expr power = term->kind == HML_PRODUCT ? node_operands(term)[i] : term;
  int64_t k;
  bool fits = power->kind == HML_POWER && is_circular(node_operands(power)[0]) && hml_integer_value(node_operands(power)[1], &k) && k >= 2;
  if (!fits) return NULL;
  hml_expr f = node_operands(power)[0], square = hml_pow(c, f, hml_integer(c, 2));
  hml_expr other = hml_call(c, f->function == HML_FUN_sin ? HML_FUN_cos : HML_FUN_sin, 1, node_operands(f)), rest = hml_div(c, term, square);
  *squared = hml_mul(c, rest, hml_pow(c, other, hml_integer(c, 2)));
  return rest;
}

static uint32_t factors_in(hml_expr term) { return term->kind == HML_PRODUCT ? term->count : 1; }

static size_t place_of(size_t n, const hml_expr *list, hml_expr e) {
  size_t i = 0;
  while (i < n && list[i] != e) i++;
  return i;
}

// T - T sin^2 a = T cos^2 a once among the terms
static bool merge_a_pair(hml_context *c, size_t *n, hml_expr *terms) {
  for (size_t j = 0; j < *n; j++)
    for (uint32_t i = 0; i < factors_in(terms[j]); i++) {
      hml_expr squared = NULL, rest = without_square(c, terms[j], i, &squared);
      hml_expr other = rest && squared ? hml_neg(c, rest) : NULL, pair = other ? hml_neg(c, squared) : NULL;
      size_t k = pair ? place_of(*n, terms, other) : *n;
      if (k == *n) continue;
      terms[k] = pair;
      terms[j] = terms[--*n];
      return true;
    }
  return false;
}

// ---- terms that differ in parameters alone

static bool is_parameter(hml_expr e) {
  return e->rank <= RANK_PARAMETER && (e->kind != HML_SYMBOL || !(e->flags & HML_EXTERNAL)) && (e->kind <= HML_SYMBOL || e->kind == HML_POWER);
}

static bool is_parameter_factor(hml_expr e) { return is_parameter(e->kind == HML_POWER ? node_operands(e)[0] : e) && is_parameter(e); }

// term = *k times the part that is rewritten
static hml_expr moving_part(hml_context *c, hml_expr term, hml_expr *k) {
  hml_expr rest = hml_integer(c, 1);
  *k = hml_integer(c, 1);
  for (uint32_t i = 0; i < factors_in(term) && rest && *k; i++) {
    hml_expr factor = term->kind == HML_PRODUCT ? node_operands(term)[i] : term;
    if (is_parameter_factor(factor)) *k = hml_mul(c, *k, factor);
    else rest = hml_mul(c, rest, factor);
  }
  return rest;
}

static bool all_negative(hml_expr e) {
  if (e->kind != HML_SUM) return has_negative_sign(e);
  for (uint32_t i = 0; i < e->count; i++)
    if (!has_negative_sign(node_operands(e)[i])) return false;
  return true;
}

// k sum = k (sum/k) where all terms have the number k or -k
static hml_expr number_in_front(hml_context *c, hml_expr sum) {
  number k;
  if (!sum || sum->kind != HML_SUM) return sum;
  split_coefficient(c, node_operands(sum)[0], &k);
  hml_expr front = number_node(c, &k), opposite = front ? hml_neg(c, front) : NULL, rest = hml_integer(c, 0);
  for (uint32_t i = 0; i < sum->count && opposite && rest; i++) {
    split_coefficient(c, node_operands(sum)[i], &k);
    hml_expr own = number_node(c, &k);
    if (own != front && own != opposite) return sum;
    rest = hml_add(c, rest, hml_div(c, node_operands(sum)[i], front));
  }
  return opposite ? hml_mul(c, front, rest) : NULL;
}

// A x'' + B x'' = x'' (A + B); the number of terms left
static size_t gather_parameters(hml_context *c, size_t n, hml_expr *terms) {
  hml_expr k[MAX_TERMS], moving[MAX_TERMS];
  bool gathered[MAX_TERMS] = {false};
  for (size_t i = 0; i < n; i++) moving[i] = moving_part(c, terms[i], &k[i]);
  size_t kept = 0;
  for (size_t i = 0; i < n; i++) {
    bool more = false;
    for (size_t j = i + 1; j < n && !gathered[i] && moving[i] && !is_one_node(moving[i]); j++) {
      if (moving[j] != moving[i]) continue;
      k[i] = hml_add(c, k[i], k[j]);
      more = gathered[j] = true;
    }
    if (gathered[i]) continue;
    if (more) k[i] = number_in_front(c, k[i]);
    if (more && k[i] && all_negative(k[i])) terms[kept++] = hml_neg(c, hml_mul(c, moving[i], hml_neg(c, k[i])));
    else terms[kept++] = more ? hml_mul(c, moving[i], k[i]) : terms[i];
  }
  return kept;
}

hml_expr hml_expr__pair(hml_context *c, hml_expr sum, bool gather) {
  hml_expr terms[MAX_TERMS];
  if (!sum || sum->kind != HML_SUM || sum->count > MAX_TERMS) return sum;
  size_t n = sum->count;
  memcpy(terms, node_operands(sum), n * sizeof *terms);
  while (merge_a_pair(c, &n, terms)) {
  }
  if (gather) n = gather_parameters(c, n, terms);
  hml_expr e = hml_sum(c, n, terms);
  return e && e->size < sum->size ? e : sum;
}

static hml_expr contract_sum(hml_context *c, hml_expr sum, const hml_budget *budget) {
  sum = hml_expr__pair(c, sum, false);
  for (int round = 0; round < MAX_TERMS && sum && sum->kind == HML_SUM && !hml_interrupted(c) && !hml_budget__is_over(budget); round++) {
    hml_expr next = contract_once(c, sum);
    if (next == sum) break;
    sum = next;
  }
  return hml_expr__pair(c, sum, true);
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
