// nearest_zero.c: zeros of F where its derivatives may be dependent, by the method of Levenberg and Marquardt, in the midpoints of balls: with the damping |F|^2 it
// comes to the nearest zero of a family as fast as Newton's method to a single one (Yamashita and Fukushima 2001). Nothing is proved.
#include "krawczyk.h"

#ifdef HAMEL_ARB

#include "numeric/numeric.h"

#include <math.h>
#include <string.h>

static double length(size_t n, const double *x) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += x[i] * x[i];
  return sqrt(sum);
}

// With J = U S V^T: step = V (S^2 + damping)^-1 S U^T F, and how much F falls to first order, |F|^2 - |F - J step|^2
static double damped_step(size_t n, const double *u, const double *v, const double *s, const double *F, double damping, double *step) {
  double gain = 0;
  memset(step, 0, n * sizeof *step);
  for (size_t k = 0; k < n; k++) {
    double along = 0, weight = s[k] > 0 ? s[k] / (s[k] * s[k] + damping) : 0;
    for (size_t i = 0; i < n; i++) along += u[i * n + k] * F[i];
    for (size_t i = 0; i < n; i++) step[i] += v[i * n + k] * weight * along;
    double rest = 1 - weight * s[k];
    gain += along * along * (1 - rest * rest);
  }
  return gain;
}

typedef struct look { double *F, *u, *v, *s, size; } look;

// F, the singular values of J and the length of F at y
static hml_status look_at(const hml_krawczyk *k, arb_srcptr y, arb_ptr F, arb_mat_struct *J, look *l) {
  size_t n = (size_t)k->n;
  HML_TRY(k->equations(k->payload, y, F, J));
  bool finite = true;
  for (size_t i = 0; i < n; i++) {
    l->F[i] = arf_get_d(arb_midref(F + i), ARF_RND_NEAR);
    finite &= isfinite(l->F[i]);
    for (size_t j = 0; j < n; j++) {
      l->u[i * n + j] = arf_get_d(arb_midref(arb_mat_entry(J, (slong)i, (slong)j)), ARF_RND_NEAR);
      finite &= isfinite(l->u[i * n + j]);
    }
  }
  if (!finite) return hml_fail(k->context, HML_NOT_FINITE, "not finite: the equations at a place of the search");
  hml_dense__svd(n, n, l->u, l->v, l->s);
  l->size = length(n, l->F);
  return HML_OK;
}

// Singular values below this part of the largest count as zero
static const double NOTHING = 1e-6;

static size_t count_dependent(size_t n, const double *s) {
  size_t count = 0;
  for (size_t j = 0; j < n; j++) count += !(s[j] > NOTHING * s[0]);
  return count;
}

// The part of F that no step changes: what is left of F without that along the other columns of U. Columns of singular values zero are not formed
static double out_of_reach(size_t n, const look *l) {
  size_t rank = n - count_dependent(n, l->s);
  double sum = 0;
  for (size_t i = 0; i < n; i++) {
    double rest = l->F[i];
    for (size_t j = 0; j < rank; j++) {
      double along = 0;
      for (size_t k = 0; k < n; k++) along += l->u[k * n + j] * l->F[k];
      rest -= l->u[i * n + j] * along;
    }
    sum = hypot(sum, rest);
  }
  return rank < n ? sum : 0;
}

hml_status hml_krawczyk__nearest(const hml_krawczyk *k, arb_ptr y, unsigned iterations, hml_nearest *out) {
  enum { MOST_SHORTER = 6, MOST_SLOW = 3 };
  const double zero = 1e-12, slow = 0.99;
  size_t n = (size_t)k->n;
  arb_ptr F = _arb_vec_init(k->n), next = _arb_vec_init(k->n);
  arb_mat_t J;
  arb_t move;
  arb_mat_init(J, k->n, k->n), arb_init(move);
  double *work = flint_malloc((2 * (n + n * n + n * n + 2 * n) + n + 1) * sizeof *work), *step = work + 2 * (n + 2 * n * n + 2 * n);
  look at = {.F = work, .u = work + n, .v = work + n + n * n, .s = work + n + 2 * n * n}, then = at;
  then.F = work + (n + 2 * n * n + 2 * n), then.u = then.F + n, then.v = then.u + n * n, then.s = then.v + n * n;
  for (slong i = 0; i < k->n; i++) mag_zero(arb_radref(y + i));
  hml_status status = look_at(k, y, F, J, &at);
  if (status == HML_OK) out->stuck = out_of_reach(n, &at);
  double factor = 1;
  int idle = 0;
  for (unsigned round = 0; round < iterations && status == HML_OK && at.size > zero && idle < MOST_SLOW; round++) {
    bool better = false;
    for (int shorter = 0; shorter < MOST_SHORTER && !better && status == HML_OK; shorter++) {
      double gain = damped_step(n, at.u, at.v, at.s, at.F, factor * at.size * at.size, step);
      for (slong i = 0; i < k->n; i++) {
        arb_set_d(move, step[i]);
        arb_sub(next + i, y + i, move, k->bits);
        mag_zero(arb_radref(next + i));
      }
      status = look_at(k, next, F, J, &then);
      // a place without a value is too far
      bool nowhere = status == HML_SINGULAR || status == HML_SINGULAR_MASS || status == HML_LIMIT || status == HML_STEP_COLLAPSED || status == HML_NOT_FINITE;
      if (nowhere) hml_context_clear_error(k->context), status = HML_OK;
      double fallen = at.size * at.size - then.size * then.size;
      better = status == HML_OK && !nowhere && fallen > 1e-4 * gain;
      factor = better ? fmax(factor / 4, 1e-8) : 8 * factor;
    }
    if (!better) break;
    for (slong i = 0; i < k->n; i++) arb_set(y + i, next + i);
    idle = then.size > slow * at.size ? idle + 1 : 0;
    look other = at;
    at = then, then = other;
  }
  if (status == HML_OK) {
    out->residual = at.size;
    out->dependent = count_dependent(n, at.s);
  }
  flint_free(work);
  _arb_vec_clear(F, k->n), _arb_vec_clear(next, k->n);
  arb_mat_clear(J), arb_clear(move);
  return status;
}

#endif
