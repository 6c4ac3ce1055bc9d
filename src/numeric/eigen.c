// eigen.c: eigenvalues and eigenvectors of a small real matrix that need not be symmetric, by GSL, and how exact they are.
#include "base/base.h"

#include "numeric.h"

#include <gsl/gsl_complex_math.h>
#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_linalg.h>
#include <float.h>
#include <math.h>

static int iterate(size_t n, gsl_matrix *work, gsl_vector_complex *values, gsl_matrix_complex *vectors, bool *memory) {
  gsl_eigen_nonsymmv_workspace *w = gsl_eigen_nonsymmv_alloc(n);
  *memory = w != NULL;
  if (!w) return GSL_ENOMEM;
  int failed = gsl_eigen_nonsymmv(work, values, vectors, w);
  gsl_eigen_nonsymmv_free(w);
  return failed;
}

static void reverse(size_t n, gsl_matrix *m) {
  for (size_t i = 0; i < n / 2; i++) gsl_matrix_swap_rows(m, i, n - 1 - i);
  for (size_t i = 0; i < n / 2; i++) gsl_matrix_swap_columns(m, i, n - 1 - i);
}

// The iteration may fail on a matrix with rows of zeros, and converge on the one of its rows and columns in reverse
static hml_status solve(hml_context *c, size_t n, gsl_matrix *work, gsl_vector_complex *values, gsl_matrix_complex *vectors) {
  gsl_matrix *kept = gsl_matrix_alloc(n, n);
  if (!kept) return HML_MEMORY;
  gsl_matrix_memcpy(kept, work);
  bool memory;
  int failed = iterate(n, work, values, vectors, &memory);
  if (failed && memory) {
    reverse(n, kept);
    failed = iterate(n, kept, values, vectors, &memory);
    for (size_t i = 0; i < n / 2; i++) gsl_matrix_complex_swap_rows(vectors, i, n - 1 - i);
  }
  gsl_matrix_free(kept);
  if (!memory) return HML_MEMORY;
  return failed ? hml_fail(c, HML_LIMIT, "eigenvalues: the iteration did not converge (%s)", gsl_strerror(failed)) : HML_OK;
}

// Largest real part first, pairs with the positive imaginary part first
static bool before(gsl_complex a, gsl_complex b) {
  if (GSL_REAL(a) != GSL_REAL(b)) return GSL_REAL(a) > GSL_REAL(b);
  return GSL_IMAG(a) > GSL_IMAG(b);
}

static void sort(size_t n, gsl_vector_complex *values, gsl_matrix_complex *vectors) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (before(gsl_vector_complex_get(values, i), gsl_vector_complex_get(values, best))) best = i;
    if (best == k) continue;
    gsl_vector_complex_swap_elements(values, k, best);
    gsl_matrix_complex_swap_columns(vectors, k, best);
  }
}

// Vectors of length 1, in the units of the matrix given
static void write(size_t n, const gsl_vector *scales, const gsl_vector_complex *values, const gsl_matrix_complex *vectors, double *out, double *out_vectors) {
  for (size_t k = 0; k < n; k++) {
    gsl_complex value = gsl_vector_complex_get(values, k);
    out[2 * k] = GSL_REAL(value);
    out[2 * k + 1] = GSL_IMAG(value);
    double length = 0;
    for (size_t i = 0; i < n; i++) length = hypot(length, gsl_vector_get(scales, i) * gsl_complex_abs(gsl_matrix_complex_get(vectors, i, k)));
    for (size_t i = 0; out_vectors && i < n; i++) {
      gsl_complex entry = gsl_complex_mul_real(gsl_matrix_complex_get(vectors, i, k), gsl_vector_get(scales, i) / length);
      out_vectors[2 * (k * n + i)] = GSL_REAL(entry);
      out_vectors[2 * (k * n + i) + 1] = GSL_IMAG(entry);
    }
  }
}

// ---- errors, to first order: y^H dA x / y^H x for an error dA of the matrix, with the rows y of the inverse of the matrix of the vectors x
// (Golub and Van Loan, Matrix Computations, 4th ed., 7.2.2). The iteration itself makes one of the size of a rounding of the norm.
// Eigenvalues of higher multiplicity than two part more.

#define ROUNDINGS 2.0

// What errors in the matrix do to eigenvalue k; y: row of the inverse, x: column of the vectors, both of the balanced matrix
static double error_of(size_t n, double size, const gsl_vector *scales, const gsl_vector_complex *y, const gsl_vector_complex *x, const hml_eigen_noise *noise) {
  double left = 0, right = 0, passed = 0;
  for (size_t i = 0; i < n; i++) {
    left = hypot(left, gsl_complex_abs(gsl_vector_complex_get(y, i)));
    right = hypot(right, gsl_complex_abs(gsl_vector_complex_get(x, i)));
  }
  for (size_t l = 0; l < noise->n; l++) {
    gsl_complex reached = gsl_complex_rect(0, 0);
    double size_of_row = 0;
    for (size_t i = 0; i < n; i++) {
      const double scale = gsl_vector_get(scales, i);
      reached = gsl_complex_add(reached, gsl_complex_mul_real(gsl_vector_complex_get(y, i), noise->left[i * noise->n + l] / scale));
      size_of_row += noise->right[l * n + i] * scale * gsl_complex_abs(gsl_vector_complex_get(x, i));
    }
    passed += gsl_complex_abs(reached) * size_of_row;
  }
  const double condition = left * right, error = DBL_EPSILON * (ROUNDINGS * size * condition + passed);
  const double of_matrix = error / condition, of_pair = sqrt(of_matrix * size);      // two eigenvalues that meet part by the root of the error
  return isnan(error) || !isfinite(condition) ? INFINITY : error < of_pair ? error : of_pair;
}

// A singular matrix of vectors gives no estimate
static hml_status find_errors(size_t n, double size, const gsl_vector *scales, const gsl_matrix_complex *vectors, const hml_eigen_noise *noise, double *errors) {
  gsl_matrix_complex *lu = gsl_matrix_complex_alloc(n, n), *inverse = gsl_matrix_complex_alloc(n, n);
  gsl_permutation *order = gsl_permutation_alloc(n);
  bool fine = lu && inverse && order, regular = true;
  for (size_t k = 0; k < n; k++) errors[k] = INFINITY;
  if (fine) {
    int sign;
    gsl_matrix_complex_memcpy(lu, vectors);
    gsl_linalg_complex_LU_decomp(lu, order, &sign);
    for (size_t k = 0; k < n; k++) regular &= gsl_complex_abs(gsl_matrix_complex_get(lu, k, k)) > 0;
    if (regular && !gsl_linalg_complex_LU_invert(lu, order, inverse))
      for (size_t k = 0; k < n; k++) {
        gsl_vector_complex_const_view y = gsl_matrix_complex_const_row(inverse, k), x = gsl_matrix_complex_const_column(vectors, k);
        errors[k] = error_of(n, size, scales, &y.vector, &x.vector, noise);
      }
  }
  if (order) gsl_permutation_free(order);
  if (inverse) gsl_matrix_complex_free(inverse);
  if (lu) gsl_matrix_complex_free(lu);
  return fine ? HML_OK : HML_MEMORY;
}

// ---- doors

hml_status hml_eigen__known(hml_context *c, size_t n, const double *a, const hml_eigen_noise *noise, double *values, double *vectors, double *errors) {
  if (n == 0) return HML_OK;
  if (!hml_dense__finite(n * n, a)) return hml_fail(c, HML_NOT_FINITE, "eigenvalues: an entry of the matrix is not finite");
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  gsl_matrix *work = gsl_matrix_alloc(n, n);
  gsl_vector *scales = gsl_vector_alloc(n);
  gsl_vector_complex *w = gsl_vector_complex_alloc(n);
  gsl_matrix_complex *v = gsl_matrix_complex_alloc(n, n);
  hml_status status = HML_MEMORY;
  double size = 0;
  if (work && scales && w && v) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) gsl_matrix_set(work, i, j, a[i * n + j]);
    gsl_vector_set_all(scales, 1);
    // By powers of two, so that it is exact; it makes errors of small entries large, as those of a monodromy matrix (Watkins 2006)
    if (errors) gsl_linalg_balance_matrix(work, scales);
    for (size_t i = 0; i < n * n; i++) size = hypot(size, gsl_matrix_get(work, i / n, i % n));
    status = solve(c, n, work, w, v);
  }
  if (status == HML_OK) {
    sort(n, w, v);
    write(n, scales, w, v, values, vectors);
    if (errors) status = find_errors(n, size, scales, v, noise, errors);
  }
  if (v) gsl_matrix_complex_free(v);
  if (w) gsl_vector_complex_free(w);
  if (scales) gsl_vector_free(scales);
  if (work) gsl_matrix_free(work);
  gsl_set_error_handler(handler);
  return status;
}

hml_status hml_eigen(hml_context *c, size_t n, const double *a, double *values, double *vectors) {
  return hml_eigen__known(c, n, a, NULL, values, vectors, NULL);
}
