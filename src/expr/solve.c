// solve.c: exact linear systems and determinants. Small ones by minors over subsets of columns, without a division (rows are scaled to
// polynomials first, every product is reduced); larger ones by elimination over fractions in lowest terms. The determinant is returned:
// the solution holds where it is not zero. That it is not zero identically is known only as far as relations between generators are.
#include "normal.h"

#include <stdio.h>

// cos(n x) in powers of cos(x) has coefficients up to 2^n: numbers computed from it lose as many digits
#define MAX_MULTIPLE_SOLVED 4
#define SINGULAR "the matrix is singular: its determinant is zero, and its rows (equations) depend on each other or contradict each other"

typedef struct matrix_request {
  hml_normal f;
  size_t n, m;
  const hml_expr *A, *B;
  hml_expr *X, determinant;
} matrix_request;

static hml_ratio **table_of(hml_normal *f, size_t n) {
  hml_ratio **t = hml_arena_alloc(&f->arena, (n + 1) * sizeof *t);
  if (!t) hml_ring__stop(f->ring, HML_MEMORY, "not enough memory");
  return t;
}

static size_t weight(const hml_ring *r, const hml_ratio *a) { return hml_poly__terms(r, a); }

// Row of the best pivot in column k, or n if the column is zero from there on
static size_t choose_pivot(const hml_ring *r, hml_ratio **a, size_t n, size_t width, size_t k) {
  size_t best = n;
  for (size_t i = k; i < n; i++) {
    const hml_ratio *e = a[i * width + k];
    if (hml_ratio__is_zero(r, e)) continue;
    if (best == n || weight(r, e) < weight(r, a[best * width + k])) best = i;
  }
  return best;
}

static void swap_rows(hml_ratio **a, size_t width, size_t i, size_t j) {
  for (size_t k = 0; k < width; k++) {
    hml_ratio *t = a[i * width + k];
    a[i * width + k] = a[j * width + k];
    a[j * width + k] = t;
  }
}

static hml_ratio *minus_product(hml_ring *r, const hml_ratio *a, const hml_ratio *x, const hml_ratio *y) {
  if (hml_ratio__is_zero(r, x) || hml_ratio__is_zero(r, y)) return (hml_ratio *)(uintptr_t)a;
  return hml_ratio__add(r, a, hml_ratio__mul(r, hml_ratio__integer(r, -1), hml_ratio__mul(r, x, y)));
}

// a is n x (n + m); the determinant, zero if singular
static hml_ratio *eliminate(hml_ring *r, hml_ratio **a, size_t n, size_t width) {
  hml_ratio *determinant = hml_ratio__integer(r, 1);
  for (size_t k = 0; k < n; k++) {
    size_t p = choose_pivot(r, a, n, width, k);
    if (p == n) return hml_ratio__integer(r, 0);
    if (p != k) {
      swap_rows(a, width, p, k);
      determinant = hml_ratio__mul(r, determinant, hml_ratio__integer(r, -1));
    }
    determinant = hml_ratio__mul(r, determinant, a[k * width + k]);
    hml_ratio *inverse = hml_ratio__power(r, a[k * width + k], -1);
    for (size_t i = k + 1; i < n; i++) {
      if (hml_ratio__is_zero(r, a[i * width + k])) continue;
      hml_ratio *factor = hml_ratio__mul(r, a[i * width + k], inverse);
      for (size_t j = k + 1; j < width; j++) a[i * width + j] = minus_product(r, a[i * width + j], factor, a[k * width + j]);
    }
  }
  return determinant;
}

// ---- minors, each expanded along its last row; NULL means zero. Sets of columns are bit masks

enum { MAX_MINORS = 10 };

// sum += sign * entry * rest, the sign that of row + position
static hml_ratio *add_term(hml_ring *r, hml_ratio *sum, const hml_ratio *entry, const hml_ratio *rest, size_t row, size_t position) {
  if (!rest || hml_ratio__is_zero(r, entry)) return sum;
  hml_ratio *term = hml_ratio__mul(r, entry, rest);
  if ((row + position) % 2) term = hml_ratio__mul(r, hml_ratio__integer(r, -1), term);
  return sum ? hml_ratio__add(r, sum, term) : term;
}

// plain[S]: first |S| rows, columns S of A (b NULL). Bordered by b: first |S| + 1 rows, columns S and b behind them; needs the plain ones
static hml_ratio **minors(hml_normal *f, hml_ratio *const *a, size_t n, hml_ratio *const *b, hml_ratio *const *plain) {
  hml_ring *r = f->ring;
  size_t sets = (size_t)1 << n;
  hml_ratio **minor = table_of(f, sets);
  if (!b) minor[0] = hml_ratio__integer(r, 1);
  for (size_t S = b ? 0 : 1; S < sets; S++) {
    size_t k = (size_t)__builtin_popcountll(S), row = b ? k : k - 1, position = 0;
    if (row >= n) continue;
    for (size_t c = 0; c < n; c++)
      if (S >> c & 1) minor[S] = add_term(r, minor[S], a[row * n + c], minor[S & ~((size_t)1 << c)], row, position++);
    if (b) minor[S] = add_term(r, minor[S], b[row], plain[S], row, position);
    if (minor[S] && hml_ratio__is_zero(r, minor[S])) minor[S] = NULL;
  }
  return minor;
}

// The entries times their common denominator, which is returned
static hml_ratio *clear_denominators(hml_ring *r, hml_ratio **a, size_t n) {
  hml_ratio *common = hml_ratio__integer(r, 1);
  for (size_t j = 0; j < n; j++) common = hml_ratio__mul(r, common, hml_ratio__denominator(r, hml_ratio__mul(r, a[j], common)));
  for (size_t j = 0; j < n; j++) a[j] = hml_ratio__mul(r, a[j], common);
  return common;
}

// Cramer's rule: the minors of A are used for every right-hand side
static hml_status by_minors(matrix_request *q, hml_ratio *const *a) {
  hml_normal *f = &q->f;
  hml_ring *r = f->ring;
  size_t n = q->n, width = n + q->m, all = ((size_t)1 << n) - 1;
  hml_ratio **A = table_of(f, n * n), **scale = table_of(f, n), **b = table_of(f, n);
  hml_ratio *scales = hml_ratio__integer(r, 1), *zero = hml_ratio__integer(r, 0);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) A[i * n + j] = a[i * width + j];
    scale[i] = clear_denominators(r, &A[i * n], n);
    scales = hml_ratio__mul(r, scales, scale[i]);
  }
  hml_ratio **plain = minors(f, A, n, NULL, NULL);
  hml_ratio *determinant = plain[all] ? hml_ratio__mul(r, plain[all], hml_ratio__power(r, scales, -1)) : zero;
  q->determinant = hml_normal__compact(f, determinant, NULL);
  if (q->m > 0 && !plain[all]) hml_ring__stop(r, HML_UNDEFINED, SINGULAR);
  for (size_t c = 0; c < q->m; c++) {
    for (size_t i = 0; i < n; i++) b[i] = hml_ratio__mul(r, a[i * width + n + c], scale[i]);
    hml_ratio *below = hml_ratio__mul(r, clear_denominators(r, b, n), plain[all]);
    hml_ratio **bordered = minors(f, A, n, b, plain), *inverse = hml_ratio__power(r, below, -1);
    for (size_t j = 0; j < n; j++) {
      hml_ratio *x = add_term(r, zero, inverse, bordered[all & ~((size_t)1 << j)], n - 1, j);
      q->X[j * q->m + c] = hml_normal__compact(f, x, NULL);
    }
  }
  return HML_OK;
}

static hml_status solve_work(void *data) {
  matrix_request *q = data;
  hml_normal *f = &q->f;
  hml_ring *r = f->ring;
  size_t n = q->n, width = n + q->m;
  hml_normal__convert(f);
  hml_ratio **a = table_of(f, n * width);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < width; j++) a[i * width + j] = hml_normal__ratio(f, j < n ? q->A[i * n + j] : q->B[i * q->m + j - n]);
  if (n <= MAX_MINORS) return by_minors(q, a);
  hml_ratio *determinant = eliminate(r, a, n, width);
  q->determinant = hml_normal__compact(f, determinant, NULL);
  if (hml_ratio__is_zero(r, determinant)) {
    if (q->m > 0) hml_ring__stop(r, HML_UNDEFINED, SINGULAR);
    return HML_OK;
  }
  for (size_t c = 0; c < q->m; c++)
    for (size_t i = n; i-- > 0;) {
      hml_ratio *x = a[i * width + n + c];
      for (size_t j = i + 1; j < n; j++) x = minus_product(r, x, a[i * width + j], a[j * width + n + c]);
      a[i * width + n + c] = hml_ratio__mul(r, x, hml_ratio__power(r, a[i * width + i], -1));
    }
  for (size_t i = 0; i < n; i++)
    for (size_t c = 0; c < q->m; c++) q->X[i * q->m + c] = hml_normal__compact(f, a[i * width + n + c], NULL);
  return HML_OK;
}

// all: the entries of A, then of B
static hml_status solve_entries(hml_context *c, matrix_request *q, const hml_expr *all, const hml_budget *budget) {
  q->A = all;
  q->B = all + q->n * q->n;
  HML_TRY(hml_normal__open(&q->f, c, q->n * (q->n + q->m), all, budget));
  q->f.highest = MAX_MULTIPLE_SOLVED;
  hml_status status = hml_ring__guard(q->f.ring, solve_work, q);
  char reason[200];
  snprintf(reason, sizeof reason, "%s", hml_ring__reason(q->f.ring));
  hml_normal__close(&q->f);
  if (status == HML_OK && !hml_must_end(c)) return HML_OK;
  return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, status, "linear system: %s", reason);
}

static bool is_sign_or_size(hml_expr e) { return e->kind == HML_CALL && (e->function == HML_FUN_sign || e->function == HML_FUN_abs); }

// Signs and magnitudes are taken for unknown numbers: the ring writes |f|/f for sign(f) and (1 - |f|)/(1 - f^2) for 1/(1 + |f|), which have no value where f or
// 1 - f^2 vanishes
static hml_status solve_around_signs(hml_context *c, matrix_request *q, hml_arena *arena, hml_expr *all, const hml_budget *budget) {
  const size_t total = q->n * (q->n + q->m);
  hml_expr *nodes;
  size_t count, n = 0;
  hml_replaced r;
  HML_TRY(hml_expr__postorder(arena, total, all, &nodes, &count));
  for (size_t k = 0; k < count; k++)
    if (is_sign_or_size(nodes[k])) nodes[n++] = nodes[k];
  if (n == 0) return solve_entries(c, q, all, budget);
  HML_TRY(hml_replaced__open(&r, c, n, nodes));
  for (size_t i = 0; i < total && !hml_must_end(c); i++) all[i] = hml_substitute(c, all[i], r.count, r.from, r.to);
  hml_status status = hml_failed(c) ? hml_context_error(c)->status : solve_entries(c, q, all, budget);
  for (size_t i = 0; status == HML_OK && i < q->n * q->m; i++)
    if (!(q->X[i] = hml_substitute(c, q->X[i], r.count, r.to, r.from))) status = hml_context_error(c)->status;
  if (status == HML_OK && !(q->determinant = hml_substitute(c, q->determinant, r.count, r.to, r.from))) status = hml_context_error(c)->status;
  hml_arena_free(&r.arena);
  return status;
}

static hml_status run(hml_context *c, matrix_request *q, const hml_budget *budget) {
  const size_t square = q->n * q->n, total = square + q->n * q->m;
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *all = hml_arena_alloc(&arena, (total + 1) * sizeof *all);
  hml_status status = all ? HML_OK : HML_MEMORY;
  for (size_t i = 0; status == HML_OK && i < total; i++) {
    all[i] = i < square ? q->A[i] : q->B[i - square];
    if (!all[i]) status = hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an entry of the matrix is missing");
  }
  if (status == HML_OK) status = solve_around_signs(c, q, &arena, all, budget);
  hml_arena_free(&arena);
  return status;
}

hml_status hml_solve_linear(hml_context *c, size_t n, const hml_expr *A, size_t m, const hml_expr *B, const hml_limits *limits, hml_expr *X,
                            hml_expr *determinant, hml_verdict *regular) {
  matrix_request q = {.n = n, .m = m, .A = A, .B = B, .X = X};
  if (n == 0) return hml_fail(c, HML_ARGUMENT, "linear system: there is nothing to solve");
  hml_budget budget = hml_budget__start(c, limits);
  HML_TRY(run(c, &q, &budget));
  // the last step of shortening looks at whole expressions
  for (size_t i = 0; i < n * m; i++)
    if (!(X[i] = hml_expr__simplify(c, X[i], HML_FORM_AUTO, 0, NULL, &budget, NULL))) return hml_context_error(c)->status;
  hml_expr d = hml_expr__simplify(c, q.determinant, HML_FORM_AUTO, 0, NULL, &budget, NULL);
  if (!d) return hml_context_error(c)->status;
  if (determinant) *determinant = d;
  // roots under roots may hide a zero that the ring does not see
  hml_verdict verdict;
  HML_TRY(hml_expr__is_zero(c, d, &budget, &verdict, NULL));
  if (regular) *regular = verdict;
  return verdict == HML_PROVED_ZERO ? hml_fail(c, HML_UNDEFINED, "linear system: " SINGULAR) : HML_OK;
}

hml_expr hml_determinant(hml_context *c, size_t n, const hml_expr *A, const hml_limits *limits) {
  if (n == 0) return hml_integer(c, 1);
  matrix_request q = {.n = n, .A = A};
  hml_budget budget = hml_budget__start(c, limits);
  return run(c, &q, &budget) == HML_OK ? q.determinant : NULL;
}
