// regular.c: is a matrix of masses that is singular in doubles regular? Its least pivot in quadruple precision, at a state and at states near it.
//
// Where masses differ by many orders of magnitude the pivot is small everywhere, and nothing near is smaller than that by much. Near a singular place it goes
// with the square of the distance, down to zero.
#include "mechanics_impl.h"

#include <math.h>

#define LEAST_PIVOT 1e-26              // of a matrix scaled to a diagonal of ones: less is rounding
#define ASIDE 0x1p20                   // units in the last place of the state: pivots that change so near belong to a singular place
#define FALLS 0.5                      // of its size: a pivot that decreases so far, again and again, has a zero there
enum { HALVINGS = 40, ROUNDS = 4 };

// Swaps row and column p of a symmetric matrix with row and column k
static void exchange(size_t size, hml_quad *K, size_t k, size_t p) {
  for (size_t j = 0; j < size; j++) {
    const hml_quad kept = K[k * size + j];
    K[k * size + j] = K[p * size + j], K[p * size + j] = kept;
  }
  for (size_t i = 0; i < size; i++) {
    const hml_quad kept = K[i * size + k];
    K[i * size + k] = K[i * size + p], K[i * size + p] = kept;
  }
}

// Roots of the diagonal of M at the last evaluation, by which it is scaled to a diagonal of ones; false: one of them is not positive
static bool take_scale(const hml_workspace *w, double *scale) {
  const hml_model *m = w->model;
  bool positive = true;
  for (size_t i = 0; i < m->n_dyn; i++) {
    scale[i] = sqrt((double)w->quads.out[m->at_mass + hml_dense__packed(i, i)]);
    positive = positive && scale[i] > 0;
  }
  return positive;
}

// The least pivot of M at the last evaluation, scaled, by elimination with the largest diagonal entry first
static double least_pivot(hml_workspace *w, const double *scale, hml_quad *M) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  const hml_quad *mass = w->quads.out + m->at_mass;
  // the product of two doubles is exact: each entry rounded by itself would hide pivots below the rounding of doubles
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) M[i * n + j] = mass[hml_dense__packed(i, j)] / ((hml_quad)scale[i] * scale[j]);
  double least = INFINITY;
  for (size_t k = 0; k < n; k++) {
    size_t p = k;
    for (size_t i = k + 1; i < n; i++)
      if (M[i * n + i] > M[p * n + p]) p = i;
    exchange(n, M, k, p);
    const hml_quad pivot = M[k * n + k];
    least = fmin(least, (double)pivot);
    if (!(least > 0)) return 0;
    for (size_t i = k + 1; i < n; i++)
      for (size_t j = k + 1; j < n; j++) M[i * n + j] -= M[i * n + k] * M[k * n + j] / pivot;
  }
  return least;
}

bool hml_refine__regular(hml_workspace *w, double *pivot) {
  const size_t n = w->model->n_dyn;
  *pivot = 0;
  if (!hml_program__has_quad() || hml_refine__open(w) != HML_OK) return false;
  hml_quad *M = hml_alloc(w->context, n * n * sizeof *M);
  if (!M) return false;
  double *scale = w->scratch;
  hml_refine__evaluate(w, ASIDE);
  const double aside = take_scale(w, scale) ? least_pivot(w, scale, M) : 0;
  hml_refine__evaluate(w, 0);
  *pivot = take_scale(w, scale) ? least_pivot(w, scale, M) : 0;
  hml_dealloc(w->context, M, n * n * sizeof *M);
  return *pivot > LEAST_PIVOT && aside > *pivot / 2 && aside < *pivot * 2;
}

// ---- states near it

static double pivot_where(hml_workspace *w, hml_quad *M) {
  hml_program__eval_quad(w->equations, w->quads.in, w->quads.out, w->quads.values);
  return least_pivot(w, w->scratch, M);
}

// The least pivot when input i in w->quads.in, the time or a coordinate, moves by up to `most` to either side; it is left there. Parts of `most` down to rounding: the
// zero of a square may lie much closer, and the pivot rises again beyond it
static double go_down(hml_workspace *w, hml_quad *M, size_t i, double most, double least) {
  hml_quad *x = &w->quads.in[i];
  const hml_quad at = *x;
  hml_quad best = at;
  for (int sign = -1; sign <= 1; sign += 2)
    for (int part = 0; part < HALVINGS && least > 0; part++) {
      *x = at + sign * (hml_quad)ldexp(most, -part);
      const double now = pivot_where(w, M);
      if (now < least) least = now, best = *x;
    }
  *x = best;
  return least;
}

hml_status hml_singular__is_regular(hml_workspace *w, double t, const double *x, double reach, bool *is) {
  const hml_model *m = w->model;
  *is = false;
  if (!hml_program__has_quad() || !m->n_dyn || m->coupling) return HML_OK;
  HML_TRY(hml_workspace_set_state(w, t, x));
  HML_TRY(hml_stage__dynamics(w));
  HML_TRY(hml_refine__open(w));
  hml_quad *M = hml_alloc(w->context, m->n_dyn * m->n_dyn * sizeof *M);
  if (!M) return HML_MEMORY;
  hml_refine__evaluate(w, 0);
  // factors of this state for all: else an inertia that vanishes would be one everywhere
  double pivot = take_scale(w, w->scratch) ? least_pivot(w, w->scratch, M) : 0;
  for (int round = 0; round < ROUNDS && !*is && pivot > LEAST_PIVOT; round++) {
    const double before = pivot;
    for (size_t i = 0; i <= m->n_kin; i++) pivot = go_down(w, M, i, reach * (1 + fabs(w->in[i])), pivot);
    *is = pivot > LEAST_PIVOT && pivot > FALLS * before;
  }
  hml_dealloc(w->context, M, m->n_dyn * m->n_dyn * sizeof *M);
  return HML_OK;
}
