// eigen.c: eigenvalues and eigenvectors of a small real matrix that need not be symmetric, by GSL.
#include "base/base.h"

#include "numeric.h"

#include <gsl/gsl_eigen.h>
#include <gsl/gsl_errno.h>
#include <math.h>

static hml_status solve(hml_context *c, size_t n, gsl_matrix *work, gsl_vector_complex *values, gsl_matrix_complex *vectors) {
  gsl_eigen_nonsymmv_workspace *w = gsl_eigen_nonsymmv_alloc(n);
  if (!w) return HML_MEMORY;
  int failed = gsl_eigen_nonsymmv(work, values, vectors, w);
  gsl_eigen_nonsymmv_free(w);
  return failed ? hml_fail(c, HML_LIMIT, "eigenvalues: the iteration did not converge (%s)", gsl_strerror(failed)) : HML_OK;
}

// Largest real part first, pairs with the positive imaginary part first
static bool before(gsl_complex a, gsl_complex b) {
  if (GSL_REAL(a) != GSL_REAL(b)) return GSL_REAL(a) > GSL_REAL(b);
  return GSL_IMAG(a) > GSL_IMAG(b);
}

static void read(size_t n, gsl_vector_complex *values, gsl_matrix_complex *vectors, double *out, double *out_vectors) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (before(gsl_vector_complex_get(values, i), gsl_vector_complex_get(values, best))) best = i;
    if (best != k) {
      gsl_vector_complex_swap_elements(values, k, best);
      gsl_matrix_complex_swap_columns(vectors, k, best);
    }
    gsl_complex value = gsl_vector_complex_get(values, k);
    out[2 * k] = GSL_REAL(value);
    out[2 * k + 1] = GSL_IMAG(value);
    for (size_t i = 0; out_vectors && i < n; i++) {
      gsl_complex entry = gsl_matrix_complex_get(vectors, i, k);
      out_vectors[2 * (k * n + i)] = GSL_REAL(entry);
      out_vectors[2 * (k * n + i) + 1] = GSL_IMAG(entry);
    }
  }
}

hml_status hml_eigen(hml_context *c, size_t n, const double *a, double *values, double *vectors) {
  if (n == 0) return HML_OK;
  if (!hml_dense__finite(n * n, a)) return hml_fail(c, HML_NOT_FINITE, "eigenvalues: an entry of the matrix is not finite");
  gsl_error_handler_t *handler = gsl_set_error_handler_off();
  gsl_matrix *work = gsl_matrix_alloc(n, n);
  gsl_vector_complex *w = gsl_vector_complex_alloc(n);
  gsl_matrix_complex *v = gsl_matrix_complex_alloc(n, n);
  hml_status status = HML_MEMORY;
  if (work && w && v) {
    for (size_t i = 0; i < n; i++)
      for (size_t j = 0; j < n; j++) gsl_matrix_set(work, i, j, a[i * n + j]);
    status = solve(c, n, work, w, v);
  }
  if (status == HML_OK) read(n, w, v, values, vectors);
  if (v) gsl_matrix_complex_free(v);
  if (w) gsl_vector_complex_free(w);
  if (work) gsl_matrix_free(work);
  gsl_set_error_handler(handler);
  return status;
}
