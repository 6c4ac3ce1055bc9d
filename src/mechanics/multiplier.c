// multiplier.c: accelerations and multipliers of M a = r + A^T lambda, A a + b = 0.
// Which constraints exist is model.c's business.
//
// Fast path: M = L D L^T and the Schur complement A M^-1 A^T, both without pivoting. A pivot is compared with its own diagonal
// entry (the squared sine of an angle in the metric of M), which no choice of units changes; below the floors of dense.h the full matrix
//     K = [M  A^T]   [   a   ]   [ r]
//         [A   0 ]   [-lambda] = [-b]
// (and where an entry of M is much smaller than usual) is scaled symmetrically to rows whose largest entry is one and factored with complete pivoting. That covers mass matrices that are
// singular or indefinite but regular on the kernel of A. A pivot below 16 (n + m) eps of the largest means singular; then the null spaces
// of A^T and of K give the names for the message.
//
// Rows that are implied by the others (rank.c) are removed, and their multipliers are zero here; where the rest depends on
// itself at a state, other rows are taken there. Where they are implied only on the constraints, combinations of all rows take their place (combine.c).
// hml_multiplier__shortest turns the multipliers into those of least norm.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEPENDENT 1e-6                 // singular value of the scaled A^T, relative: pivots of K go with its square
#define DIFFERENT 1e-12                // the same that is not rounding
#define CONTRADICTION 1e-8             // part of b outside the range of A, relative
#define ROUNDING 1e-15                 // of a row of A a + b, relative to its terms

// The rows that are solved with, one after the other
typedef struct row_set {
  size_t m;
  const size_t *index, *first;         // which of the model's; first column of each               (m)
  const double *A, *b;
} row_set;

static row_set rows_of(const hml_workspace *w) {
  const hml_model *m = w->model;
  if (!m->n_implied)
    return (row_set){m->n_multipliers, w->all_rows, m->row_first, w->dynamics + m->at_rows, w->dynamics + m->at_b};
  return (row_set){m->n_multipliers - m->n_implied, w->kept, w->kept_first, w->kept_rows, w->kept_b};
}

// Copies those rows of the model that w->kept names
static void gather_rows(hml_workspace *w) {
  const hml_model *m = w->model;
  size_t n = m->n_dyn;
  for (size_t k = 0; k < m->n_multipliers - m->n_implied; k++) {
    size_t from = w->kept[k];
    w->kept_first[k] = m->row_first[from];
    w->kept_b[k] = w->dynamics[m->at_b + from];
    memcpy(w->kept_rows + k * n, w->dynamics + m->at_rows + from * n, n * sizeof(double));
  }
}

static void keep_usual_rows(hml_workspace *w) {
  const hml_model *m = w->model;
  size_t count = 0;
  for (size_t k = 0; k < m->n_multipliers; k++)
    if (!m->implied[k]) w->kept[count++] = k;
  gather_rows(w);
}

// By combinations of all rows; false: their rank is smaller than usual
static bool combine_rows(hml_workspace *w) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, all = m->n_multipliers, rank = all - m->n_implied;
  const double *A = w->dynamics + m->at_rows, *b = w->dynamics + m->at_b, *usual = m->n_velocities == all ? m->usual_length[HML_VELOCITY_LEVEL] : NULL;
  if (!hml_combine__rows(w, all, n, A, usual, true, rank, DEPENDENT, w->combination) && !hml_combine__rows(w, all, n, A, usual, false, rank, DEPENDENT, w->combination))
    return false;
  hml_combine__apply(all, n, A, b, rank, w->combination, w->kept_rows, w->kept_b);
  for (size_t k = 0; k < rank; k++) w->kept_first[k] = 0;
  return true;
}

// From the multipliers of the remaining rows to those of the model; removed rows get zero
static void spread(const hml_workspace *w, row_set rows, double *lambda) {
  if (!w->model->n_implied) return;
  double *all = w->spread;
  memset(all, 0, w->model->n_multipliers * sizeof *all);
  for (size_t k = 0; k < rows.m && !w->combined; k++) all[rows.index[k]] = lambda[k];
  for (size_t k = 0; k < rows.m && w->combined; k++)
    for (size_t j = 0; j < w->model->n_multipliers; j++) all[j] += w->combination[k * w->model->n_multipliers + j] * lambda[k];
  memcpy(lambda, all, w->model->n_multipliers * sizeof *all);
}

static hml_saddle fast_saddle(const hml_workspace *w, row_set rows) {
  return (hml_saddle){.n = w->model->n_dyn, .m = rows.m, .first = w->model->mass_first, .row_first = rows.first, .from_zero = w->from_zero,
                      .l = w->mass_l, .inverse = w->mass_inverse, .y = w->row_y, .w = w->row_w, .schur = w->schur,
                      .schur_inverse = w->schur_inverse, .floor = HML_ROW_FLOOR};
}

bool hml_multiplier__factor_mass(hml_workspace *w, double floor) {
  const hml_model *m = w->model;
  return hml_dense__factor(m->n_dyn, w->dynamics + m->at_mass, m->mass_first, floor, w->mass_l, w->mass_inverse);
}

// ---- the full matrix
static double mass_entry(const hml_workspace *w, size_t i, size_t j) {
  return w->dynamics[w->model->at_mass + hml_dense__packed(i, j)];
}

// No entry of M is much smaller than it usually is, beside the others
static bool usual(const hml_workspace *w) {
  const hml_model *m = w->model;
  double sum = 0;
  size_t count = 0;
  for (size_t i = 0; i < m->n_dyn; i++) {
    if (!(m->usual_mass[i] > 0)) continue;
    sum += mass_entry(w, i, i) / m->usual_mass[i];
    count++;
  }
  for (size_t i = 0; i < m->n_dyn; i++)
    if (mass_entry(w, i, i) * (double)count < HML_CONSTRAINED_FLOOR * m->usual_mass[i] * sum) return false;
  return true;
}

enum { SCALINGS = 12 };

// A power of two near x^-power: it rounds nothing
static double power_of_two(double x, double power) {
  return x > 0 && isfinite(x) ? ldexp(1, -(int)lround(power * log2(x))) : 1;
}

// M to entries up to one, then each row of A: the units of constraints do not matter
static void scale_blocks(size_t n, size_t size, const double *k, double *scale) {
  double most = 0;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) most = fmax(most, fabs(k[i * size + j]));
  for (size_t i = 0; i < n; i++) scale[i] = power_of_two(most, 0.5);
  for (size_t i = n; i < size; i++) {
    double largest = 0;
    for (size_t j = 0; j < n; j++) largest = fmax(largest, fabs(scale[j] * k[i * size + j]));
    scale[i] = power_of_two(largest, 1);
  }
}

// Symmetric scaling until the largest entry of each row is near one (Ruiz, RAL-TR-2001-034)
static void scale_matrix(size_t n, size_t size, double *k, double *scale) {
  scale_blocks(n, size, k, scale);
  for (int round = 0; round < SCALINGS; round++) {
    double worst = 1;
    for (size_t i = 0; i < size; i++) {
      double largest = 0;
      for (size_t j = 0; j < size; j++) largest = fmax(largest, fabs(scale[i] * k[i * size + j] * scale[j]));
      if (largest == 0) continue;      // an empty row stays as it is
      scale[i] *= power_of_two(largest, 0.5);
      worst = fmax(worst, fmax(largest, 1 / largest));
    }
    if (worst < 4) break;
  }
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) k[i * size + j] = scale[i] * k[i * size + j] * scale[j];      // scales alone may overflow
}

static void assemble(hml_workspace *w, row_set rows) {
  size_t n = w->model->n_dyn, size = n + rows.m;
  memset(w->kkt, 0, size * size * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) w->kkt[i * size + j] = mass_entry(w, i, j);
  for (size_t k = 0; k < rows.m; k++)
    for (size_t i = 0; i < n; i++) w->kkt[i * size + n + k] = w->kkt[(n + k) * size + i] = rows.A[k * n + i];
  scale_matrix(n, size, w->kkt, w->kkt_scale);
}

// With scale S:   (S K S) z = S [r; -b],   [a; -lambda] = S z
static void kkt_solve(hml_workspace *w, size_t m, const double *r, const double *b, double *a, double *lambda) {
  size_t n = w->model->n_dyn, size = n + m;
  double *z = w->kkt_x, *side = w->kkt_x + 2 * size, *scale = w->kkt_scale;
  for (size_t i = 0; i < n; i++) side[i] = scale[i] * r[i];
  for (size_t k = n; k < size; k++) side[k] = -scale[k] * b[k - n];
  hml_dense__lu_solve(size, w->kkt, w->kkt_pivots, side, z);
  for (size_t i = 0; i < n; i++) a[i] = scale[i] * z[i];
  for (size_t k = n; k < size; k++) lambda[k - n] = -scale[k] * z[k];
}

// ---- one solve and its refinement

static void solve_once(hml_workspace *w, row_set rows, const double *r, const double *b, double *a, double *lambda) {
  if (w->solved_by_kkt) {
    kkt_solve(w, rows.m, r, b, a, lambda);
    return;
  }
  hml_saddle s = fast_saddle(w, rows);
  hml_saddle__solve(&s, r, b, a, lambda);
}

// A a + b is farther from zero than its rounding. Where M is small along a row against r, a is a small difference of large accelerations
static bool rows_off(row_set rows, size_t n, const double *b, const double *a) {
  for (size_t k = 0; k < rows.m; k++) {
    double sum = b[k], size = fabs(b[k]);
    for (size_t i = rows.first[k]; i < n; i++) {
      double term = rows.A[k * n + i] * a[i];
      sum += term;
      size += fabs(term);
    }
    if (fabs(sum) > ROUNDING * size) return true;
  }
  return false;
}

// r - M a + A^T lambda and A a + b, each summed in longer numbers
static void residuals(const hml_workspace *w, row_set rows, const double *r, const double *b, const double *a, const double *lambda, double *of_r, double *of_b) {
  size_t n = w->model->n_dyn;
  for (size_t i = 0; i < n; i++) {
    long double sum = r[i];
    for (size_t j = 0; j < n; j++) sum -= (long double)mass_entry(w, i, j) * a[j];
    for (size_t k = 0; k < rows.m; k++) sum += (long double)rows.A[k * n + i] * lambda[k];
    of_r[i] = (double)sum;
  }
  for (size_t k = 0; k < rows.m; k++) {
    long double sum = b[k];
    for (size_t i = rows.first[k]; i < n; i++) sum += (long double)rows.A[k * n + i] * a[i];
    of_b[k] = (double)sum;
  }
}

// Once is enough (Skeel, Math. Comp. 35 (1980), 817). M alone, positive, needs none
static void solve_refined(hml_workspace *w, row_set rows, const double *r, const double *b, double *a, double *lambda) {
  size_t n = w->model->n_dyn;
  double *of_r = w->refined, *of_b = of_r + n, *more_a = of_b + rows.m, *more_lambda = more_a + n;
  solve_once(w, rows, r, b, a, lambda);
  if (!w->solved_by_kkt && !rows_off(rows, n, b, a)) return;
  residuals(w, rows, r, b, a, lambda, of_r, of_b);
  solve_once(w, rows, of_r, of_b, more_a, more_lambda);
  for (size_t i = 0; i < n; i++) a[i] += more_a[i];
  for (size_t k = 0; k < rows.m; k++) lambda[k] += more_lambda[k];
}

// the failure where K is singular
// Null space of the scaled A^T in svd_v, rows of length one; returns the rank of A
static size_t row_rank(hml_workspace *w, row_set set) {
  size_t n = w->model->n_dyn, m = set.m, rows = n > m ? n : m;
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t k = 0; k < m; k++) {
    double *row = w->scratch;
    for (size_t i = 0; i < n; i++) row[i] = w->kkt_scale[i] * set.A[k * n + i];
    double norm = hml_dense__norm(n, row);
    w->kkt_scale[n + k] = norm > 0 ? 1 / norm : 1;
    for (size_t i = 0; i < n; i++) w->svd_u[i * m + k] = w->kkt_scale[n + k] * row[i];
  }
  hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  return hml_dense__rank(m, w->svd_s, DEPENDENT);
}

// Is A a + b = 0 unsolvable: has b a part in the null space of A^T?
static bool contradictory(hml_workspace *w, row_set rows, size_t rank) {
  size_t n = w->model->n_dyn, m = rows.m;
  double *free = w->scratch, *b = w->svd_s + m, size, off = 0;
  for (size_t i = 0; i < n; i++) free[i] = w->kkt_scale[i] * w->dynamics[w->model->at_r + i];
  for (size_t k = 0; k < m; k++) b[k] = w->kkt_scale[n + k] * rows.b[k];
  size = hml_dense__norm(m, b);
  for (size_t j = rank; j < m; j++) {
    double part = 0;
    for (size_t k = 0; k < m; k++) part += w->svd_v[k * m + j] * b[k];
    off = fmax(off, fabs(part));
  }
  // the second bound: rounding of accelerations as large as the free ones
  return off > CONTRADICTION * size && off > 1e-12 * hml_dense__norm(n, free);
}

static hml_status tell_dependent(hml_workspace *w, row_set rows, size_t rank) {
  const hml_model *m = w->model;
  char names[400];
  // rows that differ contradict nothing, however little they differ
  double least = w->svd_s[rank] / fmax(w->svd_s[0], DBL_MIN);
  bool differ = least > DIFFERENT, contradiction = !differ && contradictory(w, rows, rank);
  double *weights = w->scratch, *all = w->spread;
  hml_dense__null_weights(rows.m, w->svd_v, w->svd_s, DEPENDENT, weights);
  memset(all, 0, m->n_multipliers * sizeof *all);
  for (size_t k = 0; k < rows.m; k++) all[rows.index[k]] = weights[k];
  // a constraint alone among them has an empty row
  if (hml_names__join(m->n_multipliers, m->multiplier_names, all, DEPENDENT, "'", sizeof names, names) == 1)
    return hml_fail(w->context, contradiction ? HML_CONTRADICTION : HML_DEPENDENT_CONSTRAINTS,
                    "model '%s': %s restrains no acceleration%s at t = %.10g", m->name, names,
                    contradiction ? " and cannot hold" : "", w->in[0]);
  if (contradiction)
    return hml_fail(w->context, HML_CONTRADICTION, "model '%s': %s contradict each other at t = %.10g", m->name, names,
                    w->in[0]);
  if (differ)
    return hml_fail(w->context, HML_DEPENDENT_CONSTRAINTS, "model '%s': %s depend on each other but for a part of %.1g at t = %.10g", m->name,
                    names, least, w->in[0]);
  return hml_fail(w->context, HML_DEPENDENT_CONSTRAINTS, "model '%s': %s depend on each other at t = %.10g", m->name, names,
                  w->in[0]);
}

static hml_status tell_singular_mass(hml_workspace *w, row_set rows, size_t rank) {
  const hml_model *m = w->model;
  size_t size = m->n_dyn + rows.m;
  char names[400];
  double *weights = w->scratch;
  for (size_t i = 0; i < m->n_dyn; i++) weights[i] = 0;
  for (size_t which = 0; which < size - rank; which++) {
    hml_dense__lu_null(size, w->kkt, w->kkt_pivots, rank, which, w->kkt_x);
    for (size_t i = 0; i < m->n_dyn; i++) weights[i] += w->kkt_x[i] * w->kkt_x[i];
  }
  hml_names__join(m->n_dyn, m->dyn_names, weights, 1e-6, "'", sizeof names, names);
  double pivot;
  // a positive M and rows that are independent make K regular
  if (hml_refine__regular(w, &pivot))
    return hml_fail(w->context, HML_LOST_DIGITS, "model '%s' at t = %.10g: masses or lengths differ by so many orders of magnitude that the accelerations along %s have "
                    "no certain digits: a part of %.1g of the inertia decides them", m->name, w->in[0], names, pivot);
  char what[HML_NO_INERTIA_TEXT];
  hml_singular__no_inertia(w, names, sizeof what, what);
  return hml_fail(w->context, HML_SINGULAR_MASS, "model '%s': %s at t = %.10g", m->name, what, w->in[0]);
}

// False: K is singular; its factors as far as they go stay
static bool by_full_matrix(hml_workspace *w, row_set rows, size_t *rank) {
  const hml_model *m = w->model;
  assemble(w, rows);
  *rank = hml_dense__lu(m->n_dyn + rows.m, w->kkt, w->kkt_pivots);
  if (*rank < m->n_dyn + rows.m) return false;
  w->solved_by_kkt = true;
  solve_refined(w, rows, w->dynamics + m->at_r, rows.b, w->a, w->lambda);
  return true;
}

// Where the rows kept depend on each other though as many others do not, these are kept at this state
static bool by_other_rows(hml_workspace *w, size_t *rank) {
  const hml_model *m = w->model;
  size_t count = m->n_multipliers - m->n_implied;
  if (!m->n_implied || w->combined || hml_rank__choose(m->n_multipliers, m->n_dyn, w->dynamics + m->at_rows, DEPENDENT, w->row_y, w->kept) < count) return false;
  gather_rows(w);
  return by_full_matrix(w, rows_of(w), rank);
}

static hml_status kkt_path(hml_workspace *w) {
  row_set rows = rows_of(w);
  size_t rank;
  if (by_full_matrix(w, rows, &rank) || by_other_rows(w, &rank)) return HML_OK;
  size_t independent = rows.m ? row_rank(w, rows) : 0;
  return independent < rows.m ? tell_dependent(w, rows, independent) : tell_singular_mass(w, rows, rank);
}

// fails: HML_SINGULAR_MASS, HML_LOST_DIGITS, HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION
hml_status hml_multiplier__solve(hml_workspace *w) {
  const hml_model *m = w->model;
  if (!m->n_dyn) return HML_OK;
  w->combined = m->implied_on_surface && combine_rows(w);
  if (m->n_implied && !w->combined) keep_usual_rows(w);
  row_set rows = rows_of(w);
  hml_saddle s = fast_saddle(w, rows);
  w->solved_by_kkt = false;
  bool free = !rows.m;
  if ((free || usual(w)) && hml_multiplier__factor_mass(w, free ? HML_PIVOT_FLOOR : HML_CONSTRAINED_FLOOR) && hml_saddle__rows(&s, rows.A))
    solve_refined(w, rows, w->dynamics + m->at_r, rows.b, w->a, w->lambda);
  else
    HML_TRY(kkt_path(w));
  spread(w, rows, w->lambda);
  hml_margins__note(w);
  if (hml_dense__finite(m->n_dyn, w->a) && hml_dense__finite(m->n_multipliers, w->lambda)) return HML_OK;
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the accelerations overflow", m->name, w->in[0]);
}

// The same matrices with another right-hand side; only after a solve
void hml_multiplier__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  const hml_model *m = w->model;
  if (!m->n_dyn) return;
  row_set rows = rows_of(w);
  for (size_t k = 0; m->n_implied && k < rows.m; k++)
    w->kept_side[k] = w->combined ? hml_dense__dot(m->n_multipliers, w->combination + k * m->n_multipliers, b) : b[rows.index[k]];
  const double *side = m->n_implied ? w->kept_side : b;
  solve_refined(w, rows, r, side, a, lambda);
  spread(w, rows, lambda);
}

// The multipliers of least norm with the same reactions A^T lambda: without their part in the null space of A^T
void hml_multiplier__shortest(hml_workspace *w, double *lambda) {
  const hml_model *model = w->model;
  size_t n = model->n_dyn, m = model->n_multipliers, rank = m - model->n_implied, rows = n > m ? n : m;
  if (!model->n_implied) return;
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) w->svd_u[i * m + k] = w->dynamics[model->at_rows + k * n + i];
  hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  double *along = w->scratch;
  for (size_t j = 0; j < rank; j++) {
    along[j] = 0;
    for (size_t k = 0; k < m; k++) along[j] += w->svd_v[k * m + j] * lambda[k];
  }
  for (size_t k = 0; k < m; k++) lambda[k] = hml_dense__dot(rank, w->svd_v + k * m, along);
}
