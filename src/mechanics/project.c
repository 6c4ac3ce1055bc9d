// project.c: moves a state back onto its constraints: positions first, then velocities. Consistent initial conditions: start.c.
//
// Newton's method on each level with the correction of least length in the metric of the mass matrix:
//     d = -M^-1 J^T (J M^-1 J^T)^-1 residual.
// The mass matrix is a metric of the positions only where x_kin' = x_dyn; elsewhere, and where it is singular, plain length is used.
// Where momenta are kept the velocities are corrected by M d = (0, -residual) instead.
// Rows that depend on each other are met by singular values: the shortest correction that comes closest. Rows that are implied by others wherever the
// constraints hold are combined with them (combine.c), so that the rank is the same beside these places. Where they depend beside
// the state too and what is left of the residuals is out of their reach, the constraints contradict each other.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PART_OF_TOLERANCE 0.01         // of the tolerance of a step: below it a residual is left alone
#define ROUNDING (16 * DBL_EPSILON)
#define ITERATIONS 20
#define RANK_FLOOR 1e-8
#define BESIDE 1e-3                    // relative change of the state at which rows that depend only there no longer do

// Over 1: more than a part of the tolerance of a step (and more than rounding)
static double excess(const hml_level *level, double rtol, double atol, size_t *which) {
  return hml_level__excess(level, PART_OF_TOLERANCE * rtol + ROUNDING, PART_OF_TOLERANCE * atol, which);
}

static hml_saddle correction(const hml_workspace *w, const hml_level *level, bool metric) {
  return (hml_saddle){.n = level->columns, .m = level->rows, .first = metric ? w->model->mass_first : w->from_diagonal,
                      .row_first = w->from_zero, .from_zero = w->from_zero, .l = metric ? w->mass_l : w->identity_l,
                      .inverse = metric ? w->mass_inverse : w->ones, .y = w->fix_y, .w = w->fix_w, .schur = w->fix_schur,
                      .schur_inverse = w->fix_schur_inverse, .floor = HML_PIVOT_FLOOR};
}

// Dependent rows: with Y = J L^-T D^-1/2 in rows, d = -L^-T D^-1/2 Y^+ residual
static void least_norm(hml_workspace *w, const hml_level *level, const hml_saddle *s, double *d) {
  size_t n = level->columns, m = level->rows, rows = n > m ? n : m;
  memset(w->svd_u, 0, rows * n * sizeof(double));
  memset(w->scratch, 0, rows * sizeof(double));
  for (size_t k = 0; k < m; k++) {
    double *u = w->svd_u + k * n;
    for (size_t i = 0; i < n; i++) u[i] = level->jacobian[k * n + i];
    hml_dense__forward(n, s->l, s->first, 0, u);
    for (size_t i = 0; i < n; i++) u[i] *= sqrt(s->inverse[i]);
    double norm = hml_dense__norm(n, u);
    for (size_t i = 0; i < n && norm > 0; i++) u[i] /= norm;
    if (norm > 0) w->scratch[k] = -level->residual[k] / norm;
  }
  hml_dense__svd(rows, n, w->svd_u, w->svd_v, w->svd_s);
  hml_dense__svd_solve(rows, n, w->svd_u, w->svd_v, w->svd_s, RANK_FLOOR, w->scratch, d);
  for (size_t i = 0; i < n; i++) d[i] *= sqrt(s->inverse[i]);
  hml_dense__backward(n, s->l, s->first, d);
}

static void step(hml_workspace *w, const hml_level *level, bool metric) {
  hml_saddle s = correction(w, level, metric);
  double *d = w->fix_x;
  if (hml_saddle__rows(&s, level->jacobian)) {
    memset(d, 0, level->columns * sizeof *d);
    hml_saddle__solve(&s, d, level->residual, d, w->fix_mu);
  } else {
    least_norm(w, level, &s, d);
  }
  for (size_t i = 0; i < level->columns; i++) level->variables[i] += d[i];
  hml_stage__moved(w);
}

// ---- with rows that others imply

// The correction of all rows at this rank, into fix_x; false: they have not this rank
static bool find_combined(hml_workspace *w, const hml_level *level, const double *usual, size_t rank, bool metric) {
  const size_t n = level->columns, m = level->rows;
  double *d = w->fix_x, *sides = w->scratch + m;
  memset(d, 0, n * sizeof *d);
  if (!rank) return true;
  if (!hml_combine__rows(w, m, n, level->jacobian, usual, false, rank, RANK_FLOOR, w->fix_combination)) return false;
  hml_combine__apply(m, n, level->jacobian, level->residual, rank, w->fix_combination, w->fix_rows, sides);
  hml_saddle s = correction(w, level, metric);
  s.m = rank;
  if (!hml_saddle__rows(&s, w->fix_rows)) return false;
  hml_saddle__solve(&s, d, sides, d, w->fix_mu);
  return true;
}

// As hml_level__excess, of the residuals that the correction takes away: rows that vanish have residuals of rounding, which mean nothing
static double excess_of_correction(const hml_level *level, const double *d, double rtol, double atol) {
  double largest = 0;
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    const double along = fabs(hml_dense__dot(level->columns, row, d));
    if (along == 0) continue;
    const double excess = along / (hml_dense__norm(level->columns, row) * (atol + rtol * hml_level__size(level, row)));
    if (!(excess <= largest)) largest = excess;
  }
  return largest;
}

// The same of the residuals themselves, rows that vanish measured by their usual lengths
static double excess_left(const hml_level *level, const double *usual, double rtol, double atol) {
  double largest = 0;
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    const double unit = hml_combine__unit(usual, k, hml_dense__norm(level->columns, row));
    const double excess = fabs(level->residual[k]) / (unit * (atol + rtol * hml_level__size(level, row)));
    if (level->residual[k] != 0 && !(excess <= largest)) largest = excess;
  }
  return largest;
}

static hml_status momenta_step(hml_workspace *w, const hml_level *level) {
  size_t n = level->columns, m = level->rows;
  double *side = w->fix_y, *none = w->fix_w;
  HML_TRY(hml_stage__solution(w));
  memset(side, 0, n * sizeof *side);
  memset(none, 0, w->model->n_multipliers * sizeof *none);
  for (size_t k = 0; k < m; k++) side[n - m + k] = -level->residual[k];
  hml_multiplier__resolve(w, side, none, w->fix_x, w->fix_mu);
  for (size_t i = 0; i < n; i++) level->variables[i] += w->fix_x[i];
  hml_stage__moved(w);
  return HML_OK;
}

// ---- constraints that are not met
// The null space of the transposed rows, each of length one, in svd_v; returns their rank
static size_t rank_of_rows(hml_workspace *w, const hml_level *level) {
  size_t n = level->columns, m = level->rows, rows = n > m ? n : m;
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t k = 0; k < m; k++) {
    double norm = hml_dense__norm(n, level->jacobian + k * n);
    for (size_t i = 0; i < n && norm > 0; i++) w->svd_u[i * m + k] = level->jacobian[k * n + i] / norm;
  }
  hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  return hml_dense__rank(m, w->svd_s, RANK_FLOOR);
}

// The part of the residuals, each over the length of its row, that no change of the variables makes smaller to first order
static double out_of_reach(hml_workspace *w, const hml_level *level, size_t rank) {
  size_t n = level->columns, m = level->rows;
  double *residual = w->scratch, sum = 0;
  for (size_t k = 0; k < m; k++) {
    double norm = hml_dense__norm(n, level->jacobian + k * n);
    residual[k] = norm > 0 ? level->residual[k] / norm : level->residual[k];
  }
  for (size_t j = rank; j < m; j++) {
    double part = 0;
    for (size_t k = 0; k < m; k++) part += w->svd_v[k * m + j] * residual[k];
    sum += part * part;
  }
  return sqrt(sum) / hml_dense__norm(m, residual);
}

// Rank of the rows at a state nearby, which the workspace keeps; the number of rows where they have no values there
static size_t rank_beside(hml_workspace *w, const hml_level *level) {
  for (size_t i = 0; i < w->model->n_kin + w->model->n_dyn; i++) {
    double part = 0.6180339887498949 * (double)(i + 1);
    w->in[1 + i] += BESIDE * (0.5 + part - floor(part)) * (1 + fabs(w->in[1 + i]));
  }
  hml_stage__moved(w);
  bool there = hml_stage__level(w, level) == HML_OK;
  hml_forgive(w->context);
  return there ? rank_of_rows(w, level) : level->rows;
}

// Names of constraints that depend on each other and cannot all be met; none where that is not so. The workspace may be left at another state
static bool contradictory(hml_workspace *w, const hml_level *level, size_t capacity, char *names) {
  double *weights = w->scratch;
  size_t rank = rank_of_rows(w, level);
  if (rank == level->rows || !(out_of_reach(w, level, rank) > 0.5)) return false;
  hml_dense__null_weights(level->rows, w->svd_v, w->svd_s, RANK_FLOOR, weights);
  return hml_names__join(level->rows, level->row_names, weights, RANK_FLOOR, "'", capacity, names) > 1 && rank_beside(w, level) == rank;
}

static hml_status give_up(hml_workspace *w, const hml_level *level, size_t which, int iterations) {
  const char *name = w->model->name;
  char names[400];
  double off = fabs(level->residual[which]);
  if (isfinite(off) && hml_dense__finite(level->columns, level->variables) && contradictory(w, level, sizeof names, names))
    return hml_fail(w->context, HML_CONTRADICTION, "model '%s': %s contradict each other at t = %.10g", name, names, w->in[0]);
  return hml_fail(w->context, HML_PROJECTION, "model '%s' at t = %.10g: '%s' is still violated by %.3g after %d iterations", name, w->in[0],
                  level->row_names[which], off, iterations);
}

typedef enum { BY_LENGTH, BY_MASS, BY_MOMENTA } way;

static hml_status project_level(hml_workspace *w, const hml_level *level, way by, double rtol, double atol) {
  size_t which, any;
  double before = INFINITY;
  for (int i = 0; i < ITERATIONS; i++) {
    // down to rounding, or as far as possible below the tolerance
    double now = excess(level, rtol, atol, &which);
    if (hml_level__excess(level, ROUNDING, 0, &any) <= 1 || (now <= 1 && now > 0.5 * before)) return HML_OK;
    before = now;
    if (by == BY_MOMENTA) HML_TRY(momenta_step(w, level));
    else step(w, level, by == BY_MASS);
    if (!hml_dense__finite(level->columns, level->variables)) return give_up(w, level, which, i + 1);
    HML_TRY(hml_stage__level(w, level));
  }
  return excess(level, rtol, atol, &which) <= 1 ? HML_OK : give_up(w, level, which, ITERATIONS);
}

// The same where some rows are implied; *done false: the rank at this state is not this one, or residuals are left. A position off by d leaves a residual of
// size d |x'| in the rows of velocities, which no velocity takes away: positions go farther down
static hml_status project_combined(hml_workspace *w, const hml_level *level, int which, size_t rank, bool metric, double rtol, double atol, bool *done, int *moved) {
  const double enough = which == HML_POSITION_LEVEL ? PART_OF_TOLERANCE : 1, *usual = w->model->usual_length[which];
  const hml_project_limits limits = hml_project__limits(rtol, atol);
  double before = INFINITY;
  *done = false;
  for (int i = 0; i < ITERATIONS; i++) {
    if (!find_combined(w, level, usual, rank, metric)) return HML_OK;
    const double now = excess_of_correction(level, w->fix_x, limits.rtol, limits.atol);
    if (!isfinite(now)) return HML_OK;
    if ((i == 0 && now <= enough) || excess_of_correction(level, w->fix_x, limits.rounding, 0) <= 1 || (now <= 1 && now > 0.5 * before)) {
      *done = excess_left(level, usual, rtol + ROUNDING, atol) <= 1;
      return HML_OK;
    }
    before = now;
    for (size_t k = 0; k < level->columns; k++) level->variables[k] += w->fix_x[k];
    hml_stage__moved(w);
    *moved = 1;
    HML_TRY(hml_stage__level(w, level));
  }
  return HML_OK;
}

// ---- the same by a program that has the solve in it

// Largest residual relative to its tolerance, as hml_level__excess
static double excess_of(const double *out, size_t rows, double rtol, double atol) {
  double largest = 0;
  for (size_t k = 0; k < rows; k++) {
    double residual = fabs(out[k]);
    if (residual == 0) continue;
    double ratio = residual / (out[rows + k] * (atol + rtol * out[2 * rows + k]));
    if (ratio > largest || isnan(ratio)) largest = ratio;
  }
  return largest;
}

hml_project_limits hml_project__limits(double rtol, double atol) {
  return (hml_project_limits){.rtol = PART_OF_TOLERANCE * rtol + ROUNDING, .atol = PART_OF_TOLERANCE * atol, .rounding = ROUNDING};
}

// False: not possible; continue by the general method from the present state (*moved: it was changed)
static bool project_by_program(hml_workspace *w, int which, double rtol, double atol, int *moved) {
  const hml_model *m = w->model;
  const hml_program *p = m->correction[which];
  size_t rows = which == HML_VELOCITY_LEVEL ? m->n_velocities : m->n_positions;
  double *variables = w->in + 1 + (which == HML_VELOCITY_LEVEL ? m->n_kin : 0);
  double *out = which == HML_VELOCITY_LEVEL ? w->velocity_correction : w->correction, before = INFINITY;
  const hml_project_limits limits = hml_project__limits(rtol, atol);
  for (int i = 0; i < ITERATIONS; i++) {
    hml_program_eval(p, w->in, out, w->work);
    double now = excess_of(out, rows, limits.rtol, limits.atol);
    if (i == 0) hml_drift__keep(w, which, out + rows, out + 2 * rows);
    if (now <= 1 && (i == 0 || excess_of(out, rows, limits.rounding, 0) <= 1 || now > 0.5 * before)) return true;
    if (!isfinite(now)) return false;
    for (size_t k = 0; k < m->correction_margins[which]; k++)
      if (!(out[3 * rows + m->n_dyn + k] > 0)) return false;
    for (size_t k = 0; k < m->n_dyn; k++) variables[k] += out[3 * rows + k];
    hml_stage__moved(w);
    *moved = 1;
    before = now;
  }
  return false;
}

static void keep_lengths(hml_workspace *w, int which, const hml_level *level) {
  double *lengths = w->fix_x, *sizes = w->fix_mu;
  if (!w->model->residuals[which]) return;
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    lengths[k] = hml_dense__norm(level->columns, row);
    sizes[k] = hml_level__size(level, row);
  }
  hml_drift__keep(w, which, lengths, sizes);
}

// fails: HML_PROJECTION, naming the constraint, HML_CONTRADICTION, naming those that cannot all be met; x is then as it was
hml_status hml_project(hml_workspace *w, double t, double rtol, double atol, double *x, int *moved) {
  const hml_model *m = w->model;
  bool know_metric = false, metric = false;
  *moved = 0;
  if (!m->n_positions && !m->n_velocities) return HML_OK;
  HML_TRY(hml_workspace_set_state(w, t, x));
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL; which++) {
    hml_level level = hml_level__of(w, which);
    size_t row;
    const bool combined = m->implied_on_surface && m->n_implied_level[which];
    if (!combined && hml_drift__small(w, which, hml_project__limits(rtol, atol))) continue;
    if (m->correction[which] && project_by_program(w, which, rtol, atol, moved)) continue;
    HML_TRY(hml_stage__level(w, &level));
    keep_lengths(w, which, &level);
    if (!combined && excess(&level, rtol, atol, &row) <= 1) continue;
    if (which == HML_VELOCITY_LEVEL && m->momenta_kept) {
      HML_TRY(project_level(w, &level, BY_MOMENTA, rtol, atol));
      *moved = 1;
      continue;
    }
    // the metric of the given state is used on both levels
    if (!know_metric) {
      HML_TRY(hml_stage__dynamics(w));
      metric = hml_multiplier__factor_mass(w, HML_PIVOT_FLOOR);
      know_metric = true;
    }
    bool done = false;
    if (combined) HML_TRY(project_combined(w, &level, which, level.rows - m->n_implied_level[which], metric && (which == HML_VELOCITY_LEVEL || m->velocity_is_rate), rtol,
                                           atol, &done, moved));
    if (done || (combined && excess(&level, rtol, atol, &row) <= 1)) continue;
    HML_TRY(project_level(w, &level, metric && (which == HML_VELOCITY_LEVEL || m->velocity_is_rate) ? BY_MASS : BY_LENGTH, rtol, atol));
    *moved = 1;
  }
  if (*moved) memcpy(x, w->in + 1, (m->n_kin + m->n_dyn) * sizeof *x);
  return HML_OK;
}

// ---- at a rank that was found at another state

hml_status hml_project__ranks(hml_workspace *w, double t, const double *x, size_t ranks[2]) {
  HML_TRY(hml_workspace_set_state(w, t, x));
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL; which++) {
    const hml_level level = hml_level__of(w, which);
    ranks[which] = 0;
    if (!level.rows) continue;
    HML_TRY(hml_stage__level(w, &level));
    ranks[which] = rank_of_rows(w, &level);
  }
  return HML_OK;
}

hml_status hml_project__at_ranks(hml_workspace *w, double t, const size_t ranks[2], double rtol, double atol, double *x, bool *done) {
  const hml_model *m = w->model;
  int moved;
  *done = true;
  HML_TRY(hml_workspace_set_state(w, t, x));
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL && *done; which++) {
    const hml_level level = hml_level__of(w, which);
    if (!level.rows) continue;
    HML_TRY(hml_stage__level(w, &level));
    HML_TRY(project_combined(w, &level, which, ranks[which], false, rtol, atol, done, &moved));
  }
  if (*done) memcpy(x, w->in + 1, (m->n_kin + m->n_dyn) * sizeof *x);
  return HML_OK;
}
