// singular_values.c: singular values of small dense matrices, and the rank, the solutions of least length and the null spaces that they give.
//
// One-sided Jacobi rotations (Hestenes 1958), which are accurate for small singular values too: pairs of columns are made orthogonal until all are,
// in descending order (de Rijk 1989). Columns that are rounding beside the matrix are left as they are. gsl_linalg_SV_decomp_jacobi takes columns
// for rounding by estimates that grow with every rotation: from thirty columns on it stops early, and a null space is lost.
//
// Columns are worked on one after the other in memory where that is possible in place, that is in V and in square matrices: entries of a column that are
// a row apart take three times as long from a hundred columns on.
#include "numeric.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LEAST_SWEEPS = 12, SWEEPS = 5 };                                    // SWEEPS: times the number of columns
#define ROUNDING 10.0                  // times the number of rows times DBL_EPSILON: of the norm before it, a singular value that is none

static double column_dot(size_t rows, size_t stride, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < rows; i++) sum += a[i * stride] * b[i * stride];
  return sum;
}

static void rotate(size_t rows, size_t stride, double *a, double *b, double cosine, double sine) {
  for (size_t i = 0; i < rows; i++) {
    const double x = a[i * stride], y = b[i * stride];
    a[i * stride] = x * cosine + y * sine;
    b[i * stride] = y * cosine - x * sine;
  }
}

// The columns of a matrix: entries `stride` apart, columns `next` apart
typedef struct column_list {
  double *first;
  size_t rows, stride, next;
} column_list;

// Makes columns j and k of a orthogonal, the longer one first, and turns those of v with them; false: they are already, or one of them is rounding
static bool rotate_pair(const column_list *a, const column_list *v, size_t j, size_t k, double noise) {
  double *p = a->first + j * a->next, *q = a->first + k * a->next;
  const size_t rows = a->rows, stride = a->stride;
  const double dot = column_dot(rows, stride, p, q), first = sqrt(column_dot(rows, stride, p, p)), second = sqrt(column_dot(rows, stride, q, q));
  const bool sorted = first >= second;
  if (sorted && (second <= noise || fabs(dot) <= (double)rows * DBL_EPSILON * first * second)) return false;
  const double difference = (first - second) * (first + second), size = hypot(2 * dot, difference);
  double cosine = 0, sine = 1;
  if (!isfinite(size)) return false;
  if (sorted && size > 0) {
    cosine = sqrt((size + difference) / (2 * size));
    sine = dot / (size * cosine);
  }
  rotate(rows, stride, p, q, cosine, sine);
  rotate(v->rows, v->stride, v->first + j * v->next, v->first + k * v->next, cosine, sine);
  return true;
}

static void transpose(size_t n, double *a) {
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) {
      const double kept = a[i * n + j];
      a[i * n + j] = a[j * n + i];
      a[j * n + i] = kept;
    }
}

// Squares of the entries neither overflow nor vanish once the largest lies between 1/2 and 1. Returns the exponent of two that was taken out
static int scale_to_one(size_t n, double *a) {
  double largest = 0;
  int exponent;
  for (size_t i = 0; i < n; i++)
    if (fabs(a[i]) > largest) largest = fabs(a[i]);
  if (!(largest > 0 && isfinite(largest))) return 0;
  frexp(largest, &exponent);
  for (size_t i = 0; i < n; i++) a[i] = ldexp(a[i], -exponent);
  return exponent;
}

void hml_dense__svd(size_t rows, size_t columns, double *a, double *v, double *s) {
  const int exponent = scale_to_one(rows * columns, a);
  const double noise = (double)rows * DBL_EPSILON * hml_dense__norm(rows * columns, a), rounding = ROUNDING * (double)rows * DBL_EPSILON;
  const size_t most = SWEEPS * columns > LEAST_SWEEPS ? SWEEPS * columns : LEAST_SWEEPS;
  const bool square = rows == columns;
  const column_list all = {a, rows, square ? 1 : columns, square ? rows : 1}, turns = {v, columns, 1, columns};
  bool turned = true;
  if (square) transpose(rows, a);
  memset(v, 0, columns * columns * sizeof *v);
  for (size_t j = 0; j < columns; j++) v[j * columns + j] = 1;
  for (size_t sweep = 0; sweep < most && turned; sweep++) {
    turned = false;
    for (size_t j = 0; j + 1 < columns; j++)
      for (size_t k = j + 1; k < columns; k++) turned = rotate_pair(&all, &turns, j, k, noise) || turned;
  }
  transpose(columns, v);
  if (square) transpose(rows, a);
  for (size_t j = 0; j < columns; j++) {
    s[j] = sqrt(column_dot(rows, columns, a + j, a + j));
    if (j && (s[j - 1] == 0 || s[j] <= rounding * s[j - 1])) s[j] = 0;
    for (size_t i = 0; i < rows; i++) a[i * columns + j] = s[j] > 0 ? a[i * columns + j] / s[j] : 0;
  }
  for (size_t j = 0; j < columns; j++) s[j] = ldexp(s[j], exponent);
}

size_t hml_dense__rank(size_t columns, const double *s, double floor) {
  size_t rank = 0;
  while (rank < columns && s[rank] > 0 && s[rank] > floor * s[0]) rank++;
  return rank;
}

void hml_dense__svd_solve(size_t rows, size_t columns, const double *u, const double *v, double *s, double floor,
                          const double *b, double *x) {
  size_t rank = hml_dense__rank(columns, s, floor);
  double *c = s + columns;             // c = S^+ U^T b
  for (size_t k = 0; k < rank; k++) {
    double sum = 0;
    for (size_t i = 0; i < rows; i++) sum += u[i * columns + k] * b[i];
    c[k] = sum / s[k];
  }
  for (size_t j = 0; j < columns; j++) x[j] = hml_dense__dot(rank, v + j * columns, c);
}

void hml_dense__null_weights(size_t columns, const double *v, const double *s, double floor, double *weights) {
  size_t rank = hml_dense__rank(columns, s, floor);
  for (size_t j = 0; j < columns; j++) weights[j] = hml_dense__norm(columns - rank, v + j * columns + rank);
}
