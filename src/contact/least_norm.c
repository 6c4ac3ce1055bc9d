// least_norm.c: small linear systems that may be singular, without allocation: reactions that depend on each other share the load.
#include "kernel.h"

#include <math.h>

static void exchange(size_t n, double *a, size_t stride_of, size_t p, size_t q, size_t stride) {
  for (size_t i = 0; i < n && p != q; i++) {
    double keep = a[i * stride + p * stride_of];
    a[i * stride + p * stride_of] = a[i * stride + q * stride_of];
    a[i * stride + q * stride_of] = keep;
  }
}

static double largest(size_t n, const double *a, size_t from, size_t *row, size_t *column) {
  double most = -1;
  for (size_t i = from; i < n; i++)
    for (size_t j = from; j < n; j++)
      if (fabs(a[i * n + j]) > most) most = fabs(a[i * n + j]), *row = i, *column = j;
  return most;
}

// Gauss and Jordan with complete pivoting: a becomes (1 s; 0 0) in the order `pivots` of the columns
static size_t reduce(size_t n, double *a, double *b, size_t *pivots, double least) {
  double first = 0;
  for (size_t i = 0; i < n; i++) pivots[i] = i;
  for (size_t at = 0; at < n; at++) {
    size_t row = at, column = at;
    double pivot = largest(n, a, at, &row, &column);
    if (at == 0) first = pivot;
    if (!(pivot > least * first)) return at;
    exchange(n, a, n, at, row, 1);
    exchange(n, a, 1, at, column, n);
    exchange(1, b, 1, at, row, 1);
    size_t keep = pivots[at];
    pivots[at] = pivots[column];
    pivots[column] = keep;
    double inverse = 1 / a[at * n + at];
    for (size_t j = at; j < n; j++) a[at * n + j] *= inverse;
    b[at] *= inverse;
    for (size_t i = 0; i < n; i++) {
      double factor = a[i * n + at];
      if (i == at || factor == 0) continue;
      for (size_t j = at; j < n; j++) a[i * n + j] -= factor * a[at * n + j];
      b[i] -= factor * b[at];
    }
  }
  return n;
}

// Gram and Schmidt, twice
static void orthonormalise(size_t n, size_t rows, double *v) {
  for (size_t i = 0; i < rows; i++) {
    for (int pass = 0; pass < 2; pass++)
      for (size_t j = 0; j < i; j++) {
        double share = hml_contact__dot(n, v + i * n, v + j * n);
        for (size_t k = 0; k < n; k++) v[i * n + k] -= share * v[j * n + k];
      }
    double size = sqrt(hml_contact__dot(n, v + i * n, v + i * n));
    for (size_t k = 0; k < n; k++) v[i * n + k] /= size;
  }
}

size_t hml_contact__least_norm(size_t n, double *a, double *b, const double *unit, double *x, double *null, size_t *pivots, double least) {
  size_t rank = reduce(n, a, b, pivots, least);
  for (size_t i = 0; i < n; i++) x[pivots[i]] = i < rank ? b[i] * unit[pivots[i]] : 0;
  for (size_t k = 0; k < n - rank; k++)
    for (size_t i = 0; i < n; i++) null[k * n + pivots[i]] = (i < rank ? -a[i * n + rank + k] : i == rank + k) * unit[pivots[i]];
  orthonormalise(n, n - rank, null);
  for (size_t k = 0; k < n - rank; k++) {
    double share = hml_contact__dot(n, null + k * n, x);
    for (size_t i = 0; i < n; i++) x[i] -= share * null[k * n + i];
  }
  return rank;
}
