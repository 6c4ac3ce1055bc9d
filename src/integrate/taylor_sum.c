// taylor_sum.c: the sum of the Taylor series of a step, and its rate. The result has the same bits on every processor.
#include "integrate/stepper.h"

#define ALWAYS_INLINE static inline __attribute__((always_inline))

typedef double four __attribute__((vector_size(32), aligned(8), may_alias));

// y + h c(h), c(h) = c_1 + c_2 h + ..., and its rate by h, of four components side by side. By Horner's scheme for the even powers and for the odd ones,
// c(h) = u(h^2) + h v(h^2), so that half as many sums wait for each other; the rate is c + h (v + 2 h (u' + h v'))
ALWAYS_INLINE void sum_four(const double *c, unsigned order, size_t n, double h, const double *y, double *y1, double *slope) {
  const four none = {0, 0, 0, 0};
  const double square = h * h;
  four u = none, v = none, du = none, dv = none;
  unsigned k = order;
  c += k * n;
  if (k % 2) k--, c -= n, u = *(const four *)c;
  for (; k > 0; k -= 2) {
    c -= 2 * n;
    dv = v + square * dv;
    v = *(const four *)(c + n) + square * v;
    du = u + square * du;
    u = *(const four *)c + square * u;
  }
  const four sum = u + h * v;
  *(four *)slope = sum + h * (v + 2 * h * (du + h * dv));
  *(four *)y1 = *(const four *)y + h * sum;
}

ALWAYS_INLINE void sum_one(const double *c, unsigned order, size_t n, double h, const double *y, double *y1, double *slope) {
  double sum = 0, rate = 0;
  for (unsigned k = order; k-- > 0;) {
    rate = sum + h * rate;
    sum = c[k * n] + h * sum;
  }
  *slope = sum + h * rate;
  *y1 = *y + h * sum;
}

// The last four may be summed twice
ALWAYS_INLINE void sum_all(const double *c, unsigned order, size_t n, double h, const double *y, double *y1, double *slope) {
  for (size_t i = 0; n < 4 && i < n; i++) sum_one(c + i, order, n, h, y + i, y1 + i, slope + i);
  for (size_t i = 0; n >= 4 && i < n; i += 4) {
    const size_t from = i + 4 <= n ? i : n - 4;
    sum_four(c + from, order, n, h, y + from, y1 + from, slope + from);
  }
}

void hml_taylor__sum_plainly(const double *c, unsigned order, size_t n, double h, const double *y, double *y1, double *slope) {
  sum_all(c, order, n, h, y, y1, slope);
}

#if defined __x86_64__ && defined __GNUC__
// The same operations, each on four numbers at once
__attribute__((target("avx2"))) static void sum_widely(const double *c, unsigned order, size_t n, double h, const double *y, double *y1, double *slope) {
  sum_all(c, order, n, h, y, y1, slope);
}

hml_taylor_sum *hml_taylor__sum(void) {
  return __builtin_cpu_supports("avx2") ? sum_widely : hml_taylor__sum_plainly;
}
#else
hml_taylor_sum *hml_taylor__sum(void) {
  return hml_taylor__sum_plainly;
}
#endif
