// triangular.c: the equations of motion  M a = r + A^T lambda,  A a + b = 0,  solved over fractions in lowest terms as far as
//   a_i = side_i + sum_j part_ij a_j,   j among the accelerations that come before i in an order.
// A row with a number gives one acceleration by the others; M and r go over by congruence with the null space of the row. What is left is factored as
// L D L^T, numbers and parameters first among the pivots. Every intermediate result is in lowest terms, so that a pivot is what it is by itself: of the
// rolling disc cos(theta)^2, not the difference of two long terms.
// Where the equations have poles of their own nothing is solved: a factor cancelled here could be one of them.
#include "normal.h"

#include <string.h>

typedef struct triangle {
  hml_normal f;
  const hml_exact_system *s;
  hml_triangle *out;
  hml_ratio **M, **A, **r, **b;        // (n x n), (m x n), (n), (m): what is left of them
  hml_ratio **pivot;                   // M_ii less what the pivots so far took from it     (n)
  bool *used, *gone;                   // rows (m), accelerations (n)
  size_t *row_of;                      // that gives an acceleration by a number, + 1; 0: a pivot    (n)
  size_t *taken, n_taken;              // accelerations in the order in which they left              (n)
  bool found;
} triangle;

static void *piece(triangle *t, size_t count, size_t size) {
  void *p = hml_arena_alloc(&t->f.arena, (count + 1) * size);
  if (!p) hml_ring__stop(t->f.ring, HML_MEMORY, "not enough memory");
  return p;
}

static bool zero(const triangle *t, const hml_ratio *a) {
  return hml_ratio__is_zero(t->f.ring, a);
}

static hml_ratio *product(triangle *t, const hml_ratio *a, const hml_ratio *b) {
  return hml_ratio__mul(t->f.ring, a, b);
}

static void add_product(triangle *t, hml_ratio **to, const hml_ratio *a, const hml_ratio *b) {
  if (!zero(t, a) && !zero(t, b)) *to = hml_ratio__add(t->f.ring, *to, product(t, a, b));
}

static hml_ratio *negative_inverse(triangle *t, const hml_ratio *a) {
  return hml_ratio__mul(t->f.ring, hml_ratio__integer(t->f.ring, -1), hml_ratio__power(t->f.ring, a, -1));
}

// ---- in

// A polynomial that is a number, or known to be positive
static bool harmless(triangle *t, const hml_ratio *p) {
  if (hml_ratio__is_one(t->f.ring, p)) return true;
  hml_expr e = hml_normal__polynomial(&t->f, p);
  return is_number(e) || hml_expr__known_positive(e);
}

static hml_ratio **convert(triangle *t, size_t count, const hml_expr *e) {
  hml_ratio **list = piece(t, count, sizeof *list);
  for (size_t i = 0; i < count; i++) {
    list[i] = hml_normal__ratio(&t->f, e[i]);
    t->found = t->found && harmless(t, hml_ratio__denominator(t->f.ring, list[i]));
  }
  return list;
}

// ---- steps

static size_t entries_of_column(const triangle *t, size_t j) {
  const size_t n = t->s->n;
  size_t count = 0;
  for (size_t k = 0; k < t->s->m; k++) count += !t->used[k] && !zero(t, t->A[k * n + j]);
  for (size_t i = 0; i < n; i++) count += !t->gone[i] && !zero(t, t->M[i * n + j]);
  return count;
}

static bool stands_elsewhere(const triangle *t, size_t k, size_t j) {
  for (size_t l = 0; l < t->s->m; l++)
    if (l != k && !t->used[l] && !zero(t, t->A[l * t->s->n + j])) return true;
  return false;
}

// By a number that stands in the row as it is written; an acceleration without inertia in no other row, as in saddle.c
static bool find_number(const triangle *t, size_t *row, size_t *column) {
  const size_t n = t->s->n;
  size_t best = SIZE_MAX;
  for (size_t k = 0; k < t->s->m; k++)
    for (size_t j = 0; j < n; j++) {
      if (t->used[k] || t->gone[j] || !is_number(t->s->A[k * n + j]) || zero(t, t->A[k * n + j])) continue;
      if (hml_poly__terms(t->f.ring, t->A[k * n + j]) > 1 || (zero(t, t->M[j * n + j]) && stands_elsewhere(t, k, j))) continue;
      size_t count = entries_of_column(t, j);
      if (count < best) best = count, *row = k, *column = j;
    }
  return best != SIZE_MAX;
}

static void leave(triangle *t, size_t j) {
  t->gone[j] = true;
  t->taken[t->n_taken++] = j;
}

// a_j = c + sum n_i a_i
static void by_number(triangle *t, size_t k, size_t j) {
  const size_t n = t->s->n;
  hml_ratio **M = t->M, **r = t->r, **row = t->A + k * n, *minus = negative_inverse(t, row[j]), *nothing = hml_ratio__integer(t->f.ring, 0);
  t->used[k] = true;
  t->row_of[j] = k + 1;
  leave(t, j);
  row[j] = nothing;
  for (size_t i = 0; i < n; i++) row[i] = product(t, row[i], minus);
  hml_ratio *c = t->b[k] = product(t, t->b[k], minus);
  for (size_t l = 0; l < t->s->m; l++) {
    hml_ratio **other = t->A + l * n, *coefficient = other[j];
    if (t->used[l] || zero(t, coefficient)) continue;
    other[j] = nothing;
    for (size_t i = 0; i < n; i++) add_product(t, &other[i], coefficient, row[i]);
    add_product(t, &t->b[l], coefficient, c);
  }
  hml_ratio *away = hml_ratio__mul(t->f.ring, hml_ratio__integer(t->f.ring, -1), c);
  for (size_t i = 0; i < n; i++)
    if (!t->gone[i] || i == j) add_product(t, &r[i], M[i * n + j], away);
  for (size_t i = 0; i < n; i++) {
    if (t->gone[i]) continue;
    add_product(t, &r[i], row[i], r[j]);
    for (size_t l = 0; l <= i; l++) {
      if (t->gone[l]) continue;
      hml_ratio *sum = M[i * n + l];
      add_product(t, &sum, row[i], M[j * n + l]);
      add_product(t, &sum, row[l], M[i * n + j]);
      if (!zero(t, row[i])) add_product(t, &sum, product(t, row[i], row[l]), M[j * n + j]);
      M[i * n + l] = M[l * n + i] = sum;
    }
  }
}

static size_t terms_of(triangle *t, const hml_ratio *a) {
  return hml_poly__terms(t->f.ring, hml_ratio__numerator(t->f.ring, a)) + hml_poly__terms(t->f.ring, hml_ratio__denominator(t->f.ring, a));
}

// Numbers, then what depends on parameters alone, then the rest; among these the shortest
static size_t weight_of(triangle *t, const hml_ratio *pivot) {
  const size_t terms = terms_of(t, pivot), moving = 10000;
  hml_expr e = hml_normal__terms(&t->f, pivot);
  return is_number(e) ? 0 : e->rank <= RANK_PARAMETER ? terms : moving + terms;
}

static size_t find_pivot(triangle *t) {
  size_t best = SIZE_MAX, least = SIZE_MAX;
  for (size_t p = 0; p < t->s->n; p++) {
    if (t->gone[p] || zero(t, t->pivot[p])) continue;
    size_t weight = 100 * weight_of(t, t->pivot[p]) + entries_of_column(t, p);
    if (weight < least) least = weight, best = p;
  }
  return best;
}

// Column p of the factors, by those that left before, and what it takes from the pivots to come. L_ip stands in M at p, i with a minus, L_ip D_p at i, p
static void by_pivot(triangle *t, size_t p, size_t first) {
  const size_t n = t->s->n;
  hml_ratio **M = t->M;
  for (size_t i = 0; i < n; i++)
    if (!t->gone[i] && i != p)
      for (size_t at = first; at < t->n_taken; at++) add_product(t, &M[i * n + p], M[t->taken[at] * n + i], M[p * n + t->taken[at]]);
  hml_ratio *minus = negative_inverse(t, t->pivot[p]);
  leave(t, p);
  for (size_t i = 0; i < n; i++) {
    if (t->gone[i]) continue;
    M[p * n + i] = product(t, M[i * n + p], minus);
    add_product(t, &t->pivot[i], M[p * n + i], M[i * n + p]);
  }
}

// The pivots alone decide whether the solution is short: where they are longer than the entries that they come from, nothing cancels
static bool factor(triangle *t) {
  const size_t n = t->s->n, first = t->n_taken;
  size_t before = 0, after = 0;
  for (size_t i = 0; i < n; i++) t->pivot[i] = t->M[i * n + i];
  while (t->n_taken < n) {
    size_t p = find_pivot(t);
    if (p == SIZE_MAX) return false;
    before += terms_of(t, t->M[p * n + p]);
    after += terms_of(t, t->pivot[p]);
    if (after > before) return false;
    by_pivot(t, p, first);
  }
  return true;
}

// Forward substitution by the columns left in M
static void carry_side(triangle *t) {
  const size_t n = t->s->n;
  for (size_t at = 0; at < n; at++) {
    const size_t p = t->taken[at];
    for (size_t later = at + 1; !t->row_of[p] && later < n; later++) add_product(t, &t->r[t->taken[later]], t->M[p * n + t->taken[later]], t->r[p]);
  }
}

// ---- out

static hml_expr shortest(triangle *t, const hml_ratio *a) {
  return terms_of(t, a) <= 2 ? hml_normal__terms(&t->f, a) : hml_normal__compact(&t->f, a, NULL);
}

static void write(triangle *t) {
  const size_t n = t->s->n;
  hml_triangle *out = t->out;
  const hml_expr nothing = hml_integer(t->f.c, 0);
  for (size_t i = 0; i < n * n; i++) out->part[i] = nothing;
  for (size_t at = 0; at < n; at++) {
    const size_t p = t->taken[at], row = t->row_of[p];
    out->order[n - 1 - at] = p;
    out->pivot[p] = row ? NULL : shortest(t, t->pivot[p]);
    out->diagonal[p] = row ? NULL : shortest(t, t->M[p * n + p]);
    out->side[p] = shortest(t, row ? t->b[row - 1] : product(t, t->r[p], hml_ratio__power(t->f.ring, t->pivot[p], -1)));
    for (size_t later = at + 1; later < n; later++) {
      const size_t i = t->taken[later];
      out->part[p * n + i] = shortest(t, row ? t->A[(row - 1) * n + i] : t->M[p * n + i]);
    }
  }
}

static hml_status work(void *data) {
  triangle *t = data;
  const hml_exact_system *s = t->s;
  const size_t n = s->n;
  size_t row = 0, column = 0;
  t->found = true;
  t->used = piece(t, s->m, sizeof *t->used);
  t->gone = piece(t, n, sizeof *t->gone);
  t->taken = piece(t, n, sizeof *t->taken);
  t->row_of = piece(t, n, sizeof *t->row_of);
  t->pivot = piece(t, n, sizeof *t->pivot);
  hml_normal__convert(&t->f);
  t->M = convert(t, n * n, s->M);
  t->A = convert(t, s->m * n, s->A);
  t->r = convert(t, n, s->r);
  t->b = convert(t, s->m, s->b);
  t->found = t->found && harmless(t, hml_ratio__cancelled(t->f.ring));
  for (size_t k = 0; k < s->m; k++) t->used[k] = s->implied && s->implied[k];
  while (t->found && find_number(t, &row, &column)) by_number(t, row, column);
  for (size_t k = 0; k < s->m; k++) t->found = t->found && t->used[k];
  t->found = t->found && factor(t);
  if (!t->found) return HML_OK;
  carry_side(t);
  write(t);
  return HML_OK;
}

static hml_status solve(hml_context *c, const hml_exact_system *s, const hml_budget *budget, hml_triangle *out, hml_arena *arena, bool *found) {
  const size_t n = s->n, m = s->m, counts[] = {n * n, m * n, n, m};
  const hml_expr *const lists[] = {s->M, s->A, s->r, s->b};
  hml_expr *all = hml_arena_alloc(arena, (n * n + m * n + n + m + 1) * sizeof *all);
  triangle t = {.s = s, .out = out};
  size_t total = 0;
  if (!all) return HML_MEMORY;
  for (int which = 0; which < 4; which++)
    for (size_t i = 0; i < counts[which]; i++) all[total++] = lists[which][i];
  HML_TRY(hml_normal__open(&t.f, c, total, all, budget));
  hml_status status = t.f.inexact ? HML_UNSUPPORTED : hml_ring__guard(t.f.ring, work, &t);
  hml_normal__close(&t.f);
  *found = status == HML_OK && t.found;
  return status;
}

hml_status hml_expr__triangle(hml_context *c, const hml_exact_system *s, const hml_limits *limits, hml_triangle *out, bool *found) {
  const hml_budget budget = hml_budget__start(c, limits);
  hml_arena arena;
  *found = false;
  hml_arena_init(&arena, c);
  hml_status status = solve(c, s, &budget, out, &arena, found);
  hml_arena_free(&arena);
  if (status == HML_INTERRUPTED) return hml_fail(c, HML_INTERRUPTED, "interrupted");
  if (status == HML_MEMORY) return hml_fail(c, HML_MEMORY, "not enough memory to solve the equations of motion exactly");
  if (hml_must_end(c) || (status != HML_OK && hml_failed(c) && !hml_forgive(c))) return hml_context_error(c)->status;
  return HML_OK;
}
