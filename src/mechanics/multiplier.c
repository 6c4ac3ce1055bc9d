// multiplier.c: accelerations and multipliers of M a = r + A^T lambda, A a + b = 0.
// Which constraints exist is model.c's business.
//
// Fast path: M = L D L^T and the Schur complement A M^-1 A^T, both without pivoting. A pivot is compared with its own diagonal
// entry (the squared sine of an angle in the metric of M), which no choice of units changes; below HML_PIVOT_FLOOR the full matrix
//     K = [M  A^T]   [   a   ]   [ r]
//         [A   0 ]   [-lambda] = [-b]
// is scaled symmetrically to entries near one and factored with complete pivoting. That covers mass matrices that are singular or
// indefinite but regular on the kernel of A. A pivot below 16 (n + m) eps of the largest means singular; then the null spaces of
// A^T and of K tell which names belong into the message.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

#define DEPENDENT 1e-6                 // singular value of the scaled A^T, relative: pivots of K go with its square
#define CONTRADICTION 1e-8             // part of b outside the range of A, relative

static hml_saddle fast_saddle(const hml_workspace *w) {
  const hml_model *m = w->model;
  return (hml_saddle){.n = m->n_dyn, .m = m->n_multipliers, .first = m->mass_first, .row_first = m->row_first,
                      .from_zero = w->from_zero, .l = w->mass_l, .inverse = w->mass_inverse, .y = w->row_y, .w = w->row_w, .schur = w->schur,
                      .schur_inverse = w->schur_inverse};
}

bool hml_multiplier__factor_mass(hml_workspace *w) {
  const hml_model *m = w->model;
  return hml_dense__factor(m->n_dyn, w->dynamics + m->at_mass, m->mass_first, w->mass_l, w->mass_inverse);
}

// ---- the full matrix
static double mass_entry(const hml_workspace *w, size_t i, size_t j) {
  return w->dynamics[w->model->at_mass + (i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i)];
}

static double row_entry(const hml_workspace *w, size_t k, size_t i) {
  return w->dynamics[w->model->at_rows + k * w->model->n_dyn + i];
}

// 1 / |a_k| in units where each coordinate with inertia has mass one
static void scale_rows(hml_workspace *w) {
  size_t n = w->model->n_dyn;
  double *scale = w->kkt_scale;
  for (size_t k = 0; k < w->model->n_multipliers; k++) {
    for (size_t i = 0; i < n; i++) w->scratch[i] = scale[i] * row_entry(w, k, i);
    double norm = hml_dense__norm(n, w->scratch);
    if (norm == 0) norm = hml_dense__norm(n, w->dynamics + w->model->at_rows + k * n);   // all without inertia
    scale[n + k] = norm > 0 ? 1 / norm : 1;
  }
}

// A coordinate without inertia takes its unit from the constraints and from the products of inertia it stands in
static void scale_massless(hml_workspace *w) {
  size_t n = w->model->n_dyn;
  double *scale = w->kkt_scale;
  for (size_t i = 0; i < n; i++) {
    if (scale[i] != 0) continue;
    double largest = 0;
    for (size_t k = 0; k < w->model->n_multipliers; k++) largest = fmax(largest, scale[n + k] * fabs(row_entry(w, k, i)));
    for (size_t j = 0; j < n; j++) {
      double other = scale[j] != 0 ? scale[j] : 1;
      if (mass_entry(w, i, j) != 0) largest = fmax(largest, other * fabs(mass_entry(w, i, j)));
    }
    scale[i] = largest > 0 ? 1 / largest : 1;
  }
}

static void assemble(hml_workspace *w) {
  size_t n = w->model->n_dyn, m = w->model->n_multipliers, size = n + m;
  double *scale = w->kkt_scale;
  for (size_t i = 0; i < n; i++) scale[i] = mass_entry(w, i, i) != 0 ? 1 / sqrt(fabs(mass_entry(w, i, i))) : 0;
  scale_rows(w);
  scale_massless(w);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) w->kkt[i * size + j] = scale[i] * scale[j] * mass_entry(w, i, j);
  for (size_t k = 0; k < m; k++)
    for (size_t i = 0; i < n; i++)
      w->kkt[i * size + n + k] = w->kkt[(n + k) * size + i] = scale[i] * scale[n + k] * row_entry(w, k, i);
  for (size_t k = 0; k < m; k++) memset(w->kkt + (n + k) * size + n, 0, m * sizeof(double));
}

// With scale S:   (S K S) z = S [r; -b],   [a; -lambda] = S z
static void kkt_solve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  size_t n = w->model->n_dyn, size = n + w->model->n_multipliers;
  double *z = w->kkt_x, *side = w->kkt_x + 2 * size, *scale = w->kkt_scale;
  for (size_t i = 0; i < n; i++) side[i] = scale[i] * r[i];
  for (size_t k = n; k < size; k++) side[k] = -scale[k] * b[k - n];
  hml_dense__lu_solve(size, w->kkt, w->kkt_pivots, side, z);
  for (size_t i = 0; i < n; i++) a[i] = scale[i] * z[i];
  for (size_t k = n; k < size; k++) lambda[k - n] = -scale[k] * z[k];
}

// ---- what is wrong where K is singular
// Null space of the scaled A^T in svd_v; returns the rank of A
static size_t row_rank(hml_workspace *w) {
  size_t n = w->model->n_dyn, m = w->model->n_multipliers, rows = n > m ? n : m;
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) w->svd_u[i * m + k] = w->kkt_scale[i] * w->kkt_scale[n + k] * row_entry(w, k, i);
  hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  return hml_dense__rank(m, w->svd_s, DEPENDENT);
}

// Is A a + b = 0 unsolvable: has b a part in the null space of A^T?
static bool contradictory(hml_workspace *w, size_t rank) {
  size_t n = w->model->n_dyn, m = w->model->n_multipliers;
  double *free = w->scratch, *b = w->svd_s + m, size, off = 0;
  for (size_t i = 0; i < n; i++) free[i] = w->kkt_scale[i] * w->dynamics[w->model->at_r + i];
  for (size_t k = 0; k < m; k++) b[k] = w->kkt_scale[n + k] * w->dynamics[w->model->at_b + k];
  size = hml_dense__norm(m, b);
  for (size_t j = rank; j < m; j++) {
    double part = 0;
    for (size_t k = 0; k < m; k++) part += w->svd_v[k * m + j] * b[k];
    off = fmax(off, fabs(part));
  }
  // the second bound: rounding of accelerations as large as the free ones
  return off > CONTRADICTION * size && off > 1e-12 * hml_dense__norm(n, free);
}

static hml_status tell_dependent(hml_workspace *w, size_t rank) {
  const hml_model *m = w->model;
  char names[400];
  bool contradiction = contradictory(w, rank);
  double *weights = w->scratch;
  hml_dense__null_weights(m->n_multipliers, w->svd_v, w->svd_s, DEPENDENT, weights);
  // a constraint alone among them has an empty row
  if (hml_names__join(m->n_multipliers, m->multiplier_names, weights, DEPENDENT, "'", sizeof names, names) == 1)
    return hml_fail(w->context, contradiction ? HML_CONTRADICTION : HML_DEPENDENT_CONSTRAINTS,
                    "model '%s': %s restrains no acceleration%s at t = %.10g", m->name, names,
                    contradiction ? " and cannot hold" : "", w->in[0]);
  if (contradiction)
    return hml_fail(w->context, HML_CONTRADICTION, "model '%s': %s contradict each other at t = %.10g", m->name, names,
                    w->in[0]);
  return hml_fail(w->context, HML_DEPENDENT_CONSTRAINTS, "model '%s': %s depend on each other at t = %.10g", m->name, names,
                  w->in[0]);
}

static hml_status tell_singular_mass(hml_workspace *w, size_t rank) {
  const hml_model *m = w->model;
  size_t size = m->n_dyn + m->n_multipliers;
  char names[400];
  double *weights = w->scratch;
  for (size_t i = 0; i < m->n_dyn; i++) weights[i] = 0;
  for (size_t which = 0; which < size - rank; which++) {
    hml_dense__lu_null(size, w->kkt, w->kkt_pivots, rank, which, w->kkt_x);
    for (size_t i = 0; i < m->n_dyn; i++) weights[i] += w->kkt_x[i] * w->kkt_x[i];
  }
  hml_names__join(m->n_dyn, m->dyn_names, weights, 1e-6, "'", sizeof names, names);
  return hml_fail(w->context, HML_SINGULAR_MASS, "model '%s': no inertia along %s at t = %.10g", m->name, names, w->in[0]);
}

static hml_status kkt_path(hml_workspace *w) {
  const hml_model *m = w->model;
  size_t size = m->n_dyn + m->n_multipliers;
  assemble(w);
  size_t rank = hml_dense__lu(size, w->kkt, w->kkt_pivots);
  if (rank == size) {
    w->solved_by_kkt = true;
    kkt_solve(w, w->dynamics + m->at_r, w->dynamics + m->at_b, w->a, w->lambda);
    return HML_OK;
  }
  // least-norm multipliers of consistent dependent constraints would be found here
  size_t independent = m->n_multipliers ? row_rank(w) : 0;
  return independent < m->n_multipliers ? tell_dependent(w, independent) : tell_singular_mass(w, rank);
}

// fails: HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION
hml_status hml_multiplier__solve(hml_workspace *w) {
  const hml_model *m = w->model;
  if (!m->n_dyn) return HML_OK;
  hml_saddle s = fast_saddle(w);
  w->solved_by_kkt = false;
  if (hml_multiplier__factor_mass(w) && hml_saddle__rows(&s, w->dynamics + m->at_rows))
    hml_saddle__solve(&s, w->dynamics + m->at_r, w->dynamics + m->at_b, w->a, w->lambda);
  else
    HML_TRY(kkt_path(w));
  if (hml_dense__finite(m->n_dyn, w->a) && hml_dense__finite(m->n_multipliers, w->lambda)) return HML_OK;
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the accelerations overflow", m->name, w->in[0]);
}

// The same matrices with another right-hand side; only after a solve
void hml_multiplier__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  if (!w->model->n_dyn) return;
  if (w->solved_by_kkt) {
    kkt_solve(w, r, b, a, lambda);
    return;
  }
  hml_saddle s = fast_saddle(w);
  hml_saddle__solve(&s, r, b, a, lambda);
}
