// eigen_exact.c: eigenvalues of a matrix whose entries are known beyond doubles, for spectra that span many orders of magnitude: small eigenvalues of a matrix of
// doubles are lost in the rounding of its large entries. By the QR algorithm of FLINT at so many bits that its own rounding does not matter.
#include "program.h"

#include "base/base.h"
#include "numeric/numeric.h"

#ifdef HAMEL_ARB
#include "arb.h"

#define BITS 320

hml_status hml_eigen__of_sums(hml_context *c, size_t n, const double *high, const double *low, double *values, double *vectors) {
  if (!hml_dense__finite(n * n, high) || !hml_dense__finite(n * n, low)) return hml_fail(c, HML_NOT_FINITE, "eigenvalues: an entry of the matrix is not finite");
  const slong size = (slong)n;
  acb_mat_t A, R;
  acb_ptr found = _acb_vec_init(size + 1);
  arb_t more;
  arb_init(more);
  acb_mat_init(A, size, size), acb_mat_init(R, size, size);
  for (slong i = 0; i < size * size; i++) {
    acb_ptr entry = acb_mat_entry(A, i / size, i % size);
    acb_set_d(entry, high[i]);
    arb_set_d(more, low[i]);
    arb_add(acb_realref(entry), acb_realref(entry), more, BITS);
  }
  const bool settled = acb_mat_approx_eig_qr(found, NULL, R, A, NULL, 0, BITS) != 0;
  for (slong k = 0; k < size && settled; k++) {
    values[2 * k] = arf_get_d(arb_midref(acb_realref(found + k)), ARF_RND_NEAR);
    values[2 * k + 1] = arf_get_d(arb_midref(acb_imagref(found + k)), ARF_RND_NEAR);
    for (slong i = 0; i < size; i++) {
      acb_srcptr entry = acb_mat_entry(R, i, k);
      vectors[2 * (k * size + i)] = arf_get_d(arb_midref(acb_realref(entry)), ARF_RND_NEAR);
      vectors[2 * (k * size + i) + 1] = arf_get_d(arb_midref(acb_imagref(entry)), ARF_RND_NEAR);
    }
  }
  acb_mat_clear(A), acb_mat_clear(R);
  arb_clear(more);
  _acb_vec_clear(found, size + 1);
  return settled ? HML_OK : hml_fail(c, HML_LIMIT, "eigenvalues: the iteration does not settle");
}
#else
hml_status hml_eigen__of_sums(hml_context *c, size_t n, const double *high, const double *low, double *values, double *vectors) {
  (void)n, (void)high, (void)low, (void)values, (void)vectors;
  return hml_fail(c, HML_UNSUPPORTED, "eigenvalues: this build has no ball arithmetic, by which they are found beyond doubles");
}
#endif
