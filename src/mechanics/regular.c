// regular.c: is a matrix of masses M that is singular in doubles regular? Its least pivot in quadruple precision, at a state and at states near it.
// And are constraints A independent that seem to depend on each other beside such masses? The least pivot of A M^-1 A^T.
//
// Where masses differ by many orders of magnitude the pivot is small everywhere, and nothing near is smaller than that by much. Near a singular place it goes
// with the square of the distance, down to zero.
#include "mechanics_impl.h"

#include <math.h>

#define LEAST_PIVOT 1e-26              // of a matrix scaled to a diagonal of ones: less is rounding
#define LEAST_OF_ROWS 1e-14            // masses that leave less are beyond what refined accelerations are right for
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

// M at the last evaluation, scaled, bordered by so many rows of A. The product of two doubles is exact: each entry rounded by itself would hide pivots
// below the rounding of doubles
static void fill(const hml_workspace *w, const double *scale, size_t rows, hml_quad *K) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, size = n + rows;
  const hml_quad *mass = w->quads.out + m->at_mass, *A = w->quads.out + m->at_rows;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) K[i * size + j] = mass[hml_dense__packed(i, j)] / ((hml_quad)scale[i] * scale[j]);
  for (size_t k = n; k < size; k++) {
    for (size_t i = 0; i < n; i++) K[i * size + k] = K[k * size + i] = A[(k - n) * n + i] / ((hml_quad)scale[i] * scale[k]);
    for (size_t l = n; l < size; l++) K[k * size + l] = 0;
  }
}

// The least of the pivots from `from` to `to` by elimination with the largest diagonal entry of that part first, where they have that sign; 0: one has not
static double eliminate(size_t size, hml_quad *K, size_t from, size_t to, int sign) {
  double least = INFINITY;
  for (size_t k = from; k < to; k++) {
    size_t p = k;
    for (size_t i = k + 1; i < to; i++)
      if (sign * K[i * size + i] > sign * K[p * size + p]) p = i;
    exchange(size, K, k, p);
    const hml_quad pivot = K[k * size + k];
    least = fmin(least, (double)(sign * pivot));
    if (!(least > 0)) return 0;
    for (size_t i = k + 1; i < size; i++)
      for (size_t j = k + 1; j < size; j++) K[i * size + j] -= K[i * size + k] * K[k * size + j] / pivot;
  }
  return least;
}

// The least pivot of M at the last evaluation
static double least_pivot(const hml_workspace *w, const double *scale, hml_quad *M) {
  const size_t n = w->model->n_dyn;
  fill(w, scale, 0, M);
  return eliminate(n, M, 0, n, 1);
}

// The least pivot of A M^-1 A^T at the last evaluation, its rows scaled by the caller: one of their sizes here would hide that they vanish. 0 where M is not regular
static double least_of_rows(const hml_workspace *w, const double *scale, hml_quad *K) {
  const size_t n = w->model->n_dyn, size = n + w->model->n_multipliers;
  fill(w, scale, w->model->n_multipliers, K);
  return eliminate(size, K, 0, n, 1) > LEAST_PIVOT ? eliminate(size, K, n, size, -1) : 0;
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

static double pivot_where(hml_workspace *w, const double *scale, bool of_rows, hml_quad *K) {
  hml_program__eval_quad(w->equations, w->quads.in, w->quads.out, w->quads.values);
  return of_rows ? least_of_rows(w, scale, K) : least_pivot(w, scale, K);
}

// The least pivot when input i in w->quads.in, the time or a state, moves by up to `most` to either side; it is left there. Parts of `most` down to rounding: the
// zero of a square may lie much closer, and the pivot rises again beyond it
static double go_down(hml_workspace *w, const double *scale, bool of_rows, hml_quad *K, size_t i, double most, double least) {
  hml_quad *x = &w->quads.in[i];
  const hml_quad at = *x;
  hml_quad best = at;
  for (int sign = -1; sign <= 1; sign += 2)
    for (int part = 0; part < HALVINGS && least > 0; part++) {
      *x = at + sign * (hml_quad)ldexp(most, -part);
      const double now = pivot_where(w, scale, of_rows, K);
      if (now < least) least = now, best = *x;
    }
  *x = best;
  return least;
}

static void look_round(hml_workspace *w, double reach, bool of_rows, double *scale, hml_quad *K, bool *is) {
  const hml_model *m = w->model;
  // the rows may depend on velocities, too
  const size_t inputs = of_rows ? m->n_kin + m->n_dyn : m->n_kin;
  const double enough = of_rows ? LEAST_OF_ROWS : LEAST_PIVOT;
  hml_refine__evaluate(w, 0);
  // factors of this state for all: else an inertia that vanishes would be one everywhere
  double pivot = !take_scale(w, scale) ? 0 : of_rows ? least_of_rows(w, scale, K) : least_pivot(w, scale, K);
  for (int round = 0; round < ROUNDS && !*is && pivot > enough; round++) {
    const double before = pivot;
    for (size_t i = 0; i <= inputs; i++) pivot = go_down(w, scale, of_rows, K, i, reach * (1 + fabs(w->in[i])), pivot);
    *is = pivot > enough && pivot > FALLS * before;
  }
}

hml_status hml_singular__is_regular(hml_workspace *w, double t, const double *x, double reach, const double *of_rows, bool *is) {
  const hml_model *m = w->model;
  const size_t size = m->n_dyn + (of_rows ? m->n_multipliers : 0);
  *is = false;
  if (!hml_program__has_quad() || !m->n_dyn || m->coupling || (of_rows && (m->n_implied || m->n_multipliers > m->n_dyn))) return HML_OK;
  HML_TRY(hml_workspace_set_state(w, t, x));
  HML_TRY(hml_stage__dynamics(w));
  HML_TRY(hml_refine__open(w));
  hml_quad *K = hml_alloc(w->context, size * size * sizeof *K);
  double *scale = hml_alloc(w->context, size * sizeof *scale);
  hml_status status = K && scale ? HML_OK : HML_MEMORY;
  for (size_t k = m->n_dyn; status == HML_OK && k < size; k++) scale[k] = 1 / of_rows[k - m->n_dyn];
  if (status == HML_OK) look_round(w, reach, of_rows, scale, K, is);
  hml_dealloc(w->context, scale, size * sizeof *scale);
  hml_dealloc(w->context, K, size * size * sizeof *K);
  return status;
}
