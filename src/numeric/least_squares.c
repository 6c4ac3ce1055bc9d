// least_squares.c: small linear systems that may have no solution or many: the shortest of the best, by singular values.
#include "base/base.h"

#include "numeric.h"

#include <math.h>
#include <string.h>

// fails: HML_NOT_FINITE
hml_status hml_least_squares(hml_context *c, size_t m, size_t n, const double *a, const double *b, double cutoff, double *x, size_t *rank) {
  size_t rows = m > n ? m : n, size = rows * n + n * n + 2 * n + rows + 1;
  if (!hml_dense__finite(m * n, a) || !hml_dense__finite(m, b)) return hml_fail(c, HML_NOT_FINITE, "least squares: a number is not finite");
  double *u = hml_alloc(c, size * sizeof *u), *v = u + rows * n, *s = v + n * n, *side = s + 2 * n;
  if (!u) return HML_MEMORY;
  memcpy(u, a, m * n * sizeof *u);
  memcpy(side, b, m * sizeof *side);
  if (n) hml_dense__svd(rows, n, u, v, s);
  if (n) hml_dense__svd_solve(rows, n, u, v, s, cutoff, side, x);
  if (rank) *rank = n ? hml_dense__rank(n, s, cutoff) : 0;
  hml_dealloc(c, u, size * sizeof *u);
  return HML_OK;
}
