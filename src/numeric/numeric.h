// numeric.h: door of the room: small dense linear algebra on arrays of the caller, sines and cosines. Matrices are row-major; a packed triangle
// keeps row i at i(i+1)/2.
#ifndef HML_NUMERIC_H
#define HML_NUMERIC_H

#include "numeric/circle.h"
#include "numeric/fit.h"
#include "hamel.h"

#include <stdbool.h>
#include <stddef.h>

// Pivot / diagonal entry below which the factorisations without pivoting are left. A positive matrix alone needs no pivoting; a mass
// matrix with rows beside it loses eps / pivot, three digits at most, the matrix of the rows as much as nearly dependent rows lose
#define HML_PIVOT_FLOOR 1e-10
#define HML_CONSTRAINED_FLOOR 1e-3
#define HML_ROW_FLOOR 1e-6

// Place of entry (i, j) of a symmetric matrix whose lower triangle is stored row by row
static inline size_t hml_dense__packed(size_t i, size_t j) {
  return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

// fmax without its call, for what is done at every step; NaN where a is NaN
static inline double hml_larger(double a, double b) {
  return a < b ? b : a;
}

double hml_dense__dot(size_t n, const double *a, const double *b);
double hml_dense__norm(size_t n, const double *a);
// 0 a is 0 for finite a and NaN otherwise
static inline bool hml_dense__finite(size_t n, const double *a) {
  double s = 0;
  for (size_t i = 0; i < n; i++) s += 0.0 * a[i];
  return s == 0;
}

// M = L D L^T inside the envelope `first` of M; l packed with unit diagonal, inverse = 1/D.
// False when a pivot is not above `floor` times its diagonal entry (a measure that no scaling of unknowns changes).
bool hml_dense__factor(size_t n, const double *m, const size_t *first, double floor, double *l, double *inverse);
void hml_dense__forward(size_t n, const double *l, const size_t *first, size_t from, double *x);    // L x = x, zero before `from`
void hml_dense__backward(size_t n, const double *l, const size_t *first, double *x);                // L^T x = x

// The least of d^T M d / 2 - r^T d under R d + b = 0:   M d = r + R^T mu.
typedef struct hml_saddle {
  size_t n, m;
  const size_t *first, *row_first;     // envelope of M; first column of each row of R              (n), (m)
  const size_t *from_zero;             // m zeros
  const double *l, *inverse;           // M = L D L^T
  double *y, *w;                       // rows L^-1 R^T and D^-1 L^-1 R^T                           (m x n)
  double *schur, *schur_inverse;       // R M^-1 R^T, factored
  double floor;                        // of its pivots, relative to the diagonal
} hml_saddle;

bool hml_saddle__rows(hml_saddle *s, const double *rows);                // false: rows depend on each other
void hml_saddle__solve(const hml_saddle *s, const double *r, const double *b, double *d, double *mu);   // r may be d

// P K Q = L U with complete pivoting in place; pivots holds the rows, then the columns. Returns the numerical rank.
size_t hml_dense__lu(size_t n, double *k, size_t *pivots);
void hml_dense__lu_solve(size_t n, const double *k, const size_t *pivots, const double *b, double *x);
void hml_dense__lu_null(size_t n, const double *k, const size_t *pivots, size_t rank, size_t which, double *x);   // a null vector

// Singular values of a (rows >= columns): a becomes U, a = U S V^T, s descending                    s: 2 x columns
void hml_dense__svd(size_t rows, size_t columns, double *a, double *v, double *s);
size_t hml_dense__rank(size_t columns, const double *s, double floor);
// x of least norm among those that make |a x - b| least, singular values below floor x the largest dropped
void hml_dense__svd_solve(size_t rows, size_t columns, const double *u, const double *v, double *s, double floor,
                          const double *b, double *x);
// Length of the projection of each unit vector on the null space: 0 where a x determines the component
void hml_dense__null_weights(size_t columns, const double *v, const double *s, double floor, double *weights);

// ---- eigen.c

// Errors of the entries of a matrix, in roundings: up to |left| right, with left n rows of `n`, right (not negative) as many rows as `n`
typedef struct hml_eigen_noise {
  size_t n;                            // 0: the entries are exact
  const double *left, *right;
} hml_eigen_noise;

// hml_eigen of a matrix whose entries, however small, have few roundings, and of each eigenvalue an estimate of its error, of first order; INFINITY where
// the vectors are dependent, as they may be for multiple eigenvalues
// fails: as hml_eigen
hml_status hml_eigen__known(hml_context *c, size_t n, const double *a, const hml_eigen_noise *noise, double *values, double *vectors, double *errors);

#endif
