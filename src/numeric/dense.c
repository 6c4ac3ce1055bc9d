// dense.c: small dense linear algebra on arrays of the caller. It allocates nothing and is independent of models.
#include "numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

// four partial sums: the additions need not wait for each other
double hml_dense__dot(size_t n, const double *a, const double *b) {
  double s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    s0 += a[i] * b[i];
    s1 += a[i + 1] * b[i + 1];
    s2 += a[i + 2] * b[i + 2];
    s3 += a[i + 3] * b[i + 3];
  }
  for (; i < n; i++) s0 += a[i] * b[i];
  return (s0 + s1) + (s2 + s3);
}

// scaled, so that squares neither overflow nor vanish
double hml_dense__norm(size_t n, const double *a) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
  if (largest == 0 || !isfinite(largest)) return largest;
  for (size_t i = 0; i < n; i++) sum += (a[i] / largest) * (a[i] / largest);
  return largest * sqrt(sum);
}

// ---- L D L^T in the envelope (George and Liu, Computer Solution of Large Sparse Positive Definite Systems, chapter 4)
static inline size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

bool hml_dense__factor(size_t n, const double *m, const size_t *first, double floor, double *l, double *inverse) {
  for (size_t i = 0; i < n; i++) {
    const double *mi = m + hml_dense__packed(i, 0);
    double *li = l + hml_dense__packed(i, 0);
    for (size_t j = first[i]; j < i; j++) {
      size_t from = larger(first[i], first[j]);
      // l_ij d_j; the division follows when the row is complete
      li[j] = from < j ? mi[j] - hml_dense__dot(j - from, li + from, l + hml_dense__packed(j, 0) + from) : mi[j];
    }
    double pivot = mi[i];
    for (size_t j = first[i]; j < i; j++) {
      double scaled = li[j] * inverse[j];
      pivot -= li[j] * scaled;
      li[j] = scaled;
    }
    if (!(pivot > floor * mi[i] && pivot >= DBL_MIN)) return false;      // below it a number has fewer digits
    li[i] = 1;
    inverse[i] = 1 / pivot;
  }
  return true;
}

void hml_dense__forward(size_t n, const double *l, const size_t *first, size_t from, double *x) {
  for (size_t i = from + 1; i < n; i++) {
    size_t j = larger(first[i], from);
    if (j < i) x[i] -= hml_dense__dot(i - j, l + hml_dense__packed(i, j), x + j);
  }
}

void hml_dense__backward(size_t n, const double *l, const size_t *first, double *x) {
  for (size_t i = n; i-- > 0;) {
    const double *li = l + hml_dense__packed(i, 0);
    for (size_t j = first[i]; j < i; j++) x[j] -= li[j] * x[i];
  }
}

// ---- saddle point by the Schur complement S = R M^-1 R^T
bool hml_saddle__rows(hml_saddle *s, const double *rows) {
  size_t n = s->n;
  for (size_t k = 0; k < s->m; k++) {
    double *y = s->y + k * n, *w = s->w + k * n;
    memcpy(y, rows + k * n, n * sizeof *y);
    hml_dense__forward(n, s->l, s->first, s->row_first[k], y);
    for (size_t i = 0; i < n; i++) w[i] = y[i] * s->inverse[i];
    for (size_t j = 0; j <= k; j++) {
      size_t from = larger(s->row_first[k], s->row_first[j]);
      s->schur[hml_dense__packed(k, j)] = from < n ? hml_dense__dot(n - from, w + from, s->y + j * n + from) : 0;
    }
  }
  return hml_dense__factor(s->m, s->schur, s->from_zero, s->floor, s->schur, s->schur_inverse);
}

// With c = L^-1 r and Y = L^-1 R^T:   S mu = -(Y^T D^-1 c + b),   L^T d = D^-1 (c + Y mu)
void hml_saddle__solve(const hml_saddle *s, const double *r, const double *b, double *d, double *mu) {
  size_t n = s->n;
  if (d != r) memcpy(d, r, n * sizeof *d);
  hml_dense__forward(n, s->l, s->first, 0, d);
  for (size_t k = 0; k < s->m; k++) mu[k] = -b[k] - hml_dense__dot(n, s->w + k * n, d);
  hml_dense__forward(s->m, s->schur, s->from_zero, 0, mu);
  for (size_t k = 0; k < s->m; k++) mu[k] *= s->schur_inverse[k];
  hml_dense__backward(s->m, s->schur, s->from_zero, mu);
  for (size_t i = 0; i < n; i++) d[i] *= s->inverse[i];
  for (size_t k = 0; k < s->m; k++)
    for (size_t i = s->row_first[k]; i < n; i++) d[i] += mu[k] * s->w[k * n + i];
  hml_dense__backward(n, s->l, s->first, d);
}

// ---- complete pivoting (Golub and Van Loan, Matrix Computations, 4th ed., 3.4.8); expects a matrix scaled to entries near 1
static void largest_entry(size_t n, const double *k, size_t from, size_t *row, size_t *column) {
  double largest = -1;
  for (size_t i = from; i < n; i++)
    for (size_t j = from; j < n; j++)
      if (fabs(k[i * n + j]) > largest) {
        largest = fabs(k[i * n + j]);
        *row = i;
        *column = j;
      }
}

static void exchange(size_t n, double *k, size_t *pivots, size_t at, size_t row, size_t column) {
  for (size_t j = 0; row != at && j < n; j++) {
    double keep = k[at * n + j];
    k[at * n + j] = k[row * n + j];
    k[row * n + j] = keep;
  }
  for (size_t i = 0; column != at && i < n; i++) {
    double keep = k[i * n + at];
    k[i * n + at] = k[i * n + column];
    k[i * n + column] = keep;
  }
  size_t keep = pivots[at];
  pivots[at] = pivots[row];
  pivots[row] = keep;
  keep = pivots[n + at];
  pivots[n + at] = pivots[n + column];
  pivots[n + column] = keep;
}

size_t hml_dense__lu(size_t n, double *k, size_t *pivots) {
  double floor = 0;
  for (size_t i = 0; i < n; i++) pivots[i] = pivots[n + i] = i;
  for (size_t at = 0; at < n; at++) {
    size_t row = at, column = at;
    largest_entry(n, k, at, &row, &column);
    double pivot = k[row * n + column];
    if (at == 0) floor = 16 * (double)n * DBL_EPSILON * fabs(pivot);
    if (!(fabs(pivot) > floor)) return at;
    exchange(n, k, pivots, at, row, column);
    for (size_t i = at + 1; i < n; i++) {
      double factor = k[i * n + at] /= pivot;
      if (factor == 0) continue;
      for (size_t j = at + 1; j < n; j++) k[i * n + j] -= factor * k[at * n + j];
    }
  }
  return n;
}

// b and x are different arrays
void hml_dense__lu_solve(size_t n, const double *k, const size_t *pivots, const double *b, double *x) {
  double *y = x + n;                   // x holds 2 n: the answer and the permuted one
  for (size_t i = 0; i < n; i++) y[i] = b[pivots[i]] - hml_dense__dot(i, k + i * n, y);
  for (size_t i = n; i-- > 0;)
    y[i] = (y[i] - hml_dense__dot(n - i - 1, k + i * n + i + 1, y + i + 1)) / k[i * n + i];
  for (size_t i = 0; i < n; i++) x[pivots[n + i]] = y[i];
}

// column rank + which of U is a combination of the first `rank` ones
void hml_dense__lu_null(size_t n, const double *k, const size_t *pivots, size_t rank, size_t which, double *x) {
  double *y = x + n;
  for (size_t i = 0; i < n; i++) y[i] = i == rank + which;
  for (size_t i = rank; i-- > 0;)
    y[i] = -(k[i * n + rank + which] + hml_dense__dot(rank - i - 1, k + i * n + i + 1, y + i + 1)) / k[i * n + i];
  for (size_t i = 0; i < n; i++) x[pivots[n + i]] = y[i];
}
