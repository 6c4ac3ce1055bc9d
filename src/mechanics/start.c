// start.c: completes a start (free entries are solved from the constraints, given ones stay) and checks it.
// Small drifts are project.c's business.
//
// Each level by damped Gauss-Newton steps of least length over the free entries, halved until the residuals, each over the norm
// of its row, decrease. Where that fails (a derivative that vanishes or does not exist at the guess) a fixed list of other first
// guesses is tried: first all free entries moved up, then all down, then mixed. A start that the constraints do not determine
// is refused: choosing it is the caller's business.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDING (4 * DBL_EPSILON)
#define RANK_FLOOR 1e-10               // singular values of the normalised free columns
#define ABSOLUTE 1e-14                 // residual over row norm that passes even where all variables are zero
#define ITERATIONS 60
#define HALVINGS 30
#define GUESSES 24

typedef struct free_set {
  const size_t *index;                 // columns of the level
  size_t n;
} free_set;

// ---- how far off
static double excess(const hml_level *level, double tolerance, size_t *which) {
  return hml_level__excess(level, tolerance, ABSOLUTE, which);
}

// Sum of squares of the residuals, each over `norms`
static double merit(const hml_level *level, const double *norms) {
  double sum = 0;
  for (size_t k = 0; k < level->rows; k++) {
    double off = norms[k] > 0 ? level->residual[k] / norms[k] : level->residual[k];
    sum += off * off;
  }
  return sum;
}

// ---- one step
// Singular values of the free columns, rows over `norms`, padded with zeros to at least as many rows as columns
static size_t decompose(hml_workspace *w, const hml_level *level, free_set free, const double *norms) {
  size_t rows = level->rows > free.n ? level->rows : free.n;
  memset(w->svd_u, 0, rows * free.n * sizeof(double));
  for (size_t k = 0; k < level->rows; k++)
    for (size_t j = 0; j < free.n && norms[k] > 0; j++)
      w->svd_u[k * free.n + j] = level->jacobian[k * level->columns + free.index[j]] / norms[k];
  hml_dense__svd(rows, free.n, w->svd_u, w->svd_v, w->svd_s);
  return rows;
}

static void place(hml_workspace *w, const hml_level *level, free_set free, const double *from, double part, const double *d) {
  for (size_t j = 0; j < free.n; j++) level->variables[free.index[j]] = from[j] + part * d[j];
  hml_stage__moved(w);
}

// Newton step, halved until it helps; false where none does
static bool improve(hml_workspace *w, const hml_level *level, free_set free) {
  double *norms = w->fix_mu, *d = w->fix_x, *from = w->fix_y, *side = w->scratch;
  for (size_t k = 0; k < level->rows; k++) norms[k] = hml_dense__norm(level->columns, level->jacobian + k * level->columns);
  for (size_t j = 0; j < free.n; j++) from[j] = level->variables[free.index[j]];
  double before = merit(level, norms);
  size_t rows = decompose(w, level, free, norms);
  memset(side, 0, rows * sizeof *side);
  for (size_t k = 0; k < level->rows; k++) side[k] = norms[k] > 0 ? -level->residual[k] / norms[k] : 0;
  hml_dense__svd_solve(rows, free.n, w->svd_u, w->svd_v, w->svd_s, RANK_FLOOR, side, d);
  double part = 1;
  for (int i = 0; i < HALVINGS; i++, part /= 2) {
    place(w, level, free, from, part, d);
    if (hml_level__finite(w, level) && merit(level, norms) < (1 - 1e-4 * part) * before) return true;
  }
  place(w, level, free, from, 0, d);
  return false;
}

// Goes down from the present guess; returns the excess where it ends, infinite where something is not finite
static double descend(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  size_t which;
  for (int i = 0; i < ITERATIONS; i++) {
    if (!hml_level__finite(w, level)) return INFINITY;
    if (hml_level__excess(level, ROUNDING, 0, &which) <= 1 || !improve(w, level, free)) break;
  }
  return hml_level__finite(w, level) ? excess(level, tolerance, &which) : INFINITY;
}

// ---- other first guesses
// Numbers spread over (0, 1) by multiples of the golden section
static double spread(size_t i) {
  double x = (double)(i + 1) * 0.6180339887498949;
  return x - floor(x);
}

static void guess(hml_workspace *w, const hml_level *level, free_set free, const double *first, size_t trial, double size) {
  static const double sizes[] = {1, 0.1, 10, 0.01, 100};
  for (size_t j = 0; j < free.n; j++) {
    double u = trial == 0 ? 0 : trial == 1 ? spread(j) : trial == 2 ? -spread(j) : 2 * spread(trial * free.n + j) - 1;
    level->variables[free.index[j]] = first[j] + size * sizes[trial < 3 ? 0 : trial % 5] * u;
  }
  hml_stage__moved(w);
}

// Leaves the best state found in the variables
static void search(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  double *first = w->start, *best = w->start + free.n, least = INFINITY;
  double size = hml_dense__norm(level->columns, level->variables);
  for (size_t j = 0; j < free.n; j++) best[j] = first[j] = level->variables[free.index[j]];
  if (size == 0) size = 1;
  for (size_t trial = 0; trial < GUESSES; trial++) {
    guess(w, level, free, first, trial, size);
    double off = descend(w, level, free, tolerance);
    if (off < least) {
      least = off;
      for (size_t j = 0; j < free.n; j++) best[j] = level->variables[free.index[j]];
    }
    if (off <= 1) return;
  }
  place(w, level, free, best, 0, best);
}

// ---- verdicts
static hml_status tell_inconsistent(hml_workspace *w, const hml_level *level, const unsigned char *known, size_t row) {
  char given[400];
  double *weights = w->scratch;
  for (size_t j = 0; j < level->columns; j++) weights[j] = known[j] && level->jacobian[row * level->columns + j] != 0;
  hml_names__join(level->columns, level->variable_names, weights, 0, "", sizeof given, given);
  return hml_fail(w->context, HML_INCONSISTENT_START, "start is inconsistent: '%s' is violated by %.3g at t = %.10g%s%s",
                  level->row_names[row], fabs(level->residual[row]), w->in[0], given[0] ? "; given in it: " : "", given);
}

static hml_status tell_undetermined(hml_workspace *w, const hml_level *level, free_set free, const double *weights,
                                    size_t missing) {
  char names[400];
  double *all = w->scratch;
  size_t count = 0;
  for (size_t j = 0; j < level->columns; j++) all[j] = 0;
  for (size_t j = 0; j < free.n; j++) {
    all[free.index[j]] = weights[j] > 1e-6;
    count += weights[j] > 1e-6;
  }
  hml_names__join(level->columns, level->variable_names, all, 0, "", sizeof names, names);
  if (missing >= count)
    return hml_fail(w->context, HML_ARGUMENT, "start: the constraints do not determine %s; give %s", names, count > 1 ? "them" : "it");
  return hml_fail(w->context, HML_ARGUMENT, "start: the constraints do not determine %s; give %zu of them", names, missing);
}

// Every free entry must be determined: no direction of the null space of the free columns may contain it
static hml_status check_determined(hml_workspace *w, const hml_level *level, free_set free) {
  double *norms = w->fix_mu, *weights = w->fix_x;
  if (!free.n) return HML_OK;
  for (size_t k = 0; k < level->rows; k++) {
    for (size_t j = 0; j < free.n; j++) weights[j] = level->jacobian[k * level->columns + free.index[j]];
    norms[k] = hml_dense__norm(free.n, weights);
  }
  decompose(w, level, free, norms);
  size_t missing = free.n - hml_dense__rank(free.n, w->svd_s, RANK_FLOOR);
  if (!missing) return HML_OK;
  hml_dense__null_weights(free.n, w->svd_v, w->svd_s, RANK_FLOOR, weights);
  return tell_undetermined(w, level, free, weights, missing);
}

static hml_status complete_level(hml_workspace *w, const hml_level *level, const unsigned char *known, double tolerance) {
  free_set free = {w->free_index, 0};
  size_t which;
  for (size_t j = 0; j < level->columns; j++)
    if (!known[j]) w->free_index[free.n++] = j;
  if (free.n && level->rows) search(w, level, free, tolerance);
  HML_TRY(hml_stage__level(w, level));
  if (excess(level, tolerance, &which) > 1) return tell_inconsistent(w, level, known, which);
  return check_determined(w, level, free);
}

// fails: HML_INCONSISTENT_START; HML_ARGUMENT where the constraints do not determine the free entries. x is then as it was
hml_status hml_complete_start(hml_workspace *w, double t, const unsigned char *known, double tolerance, double *x) {
  const hml_model *m = w->model;
  size_t controlled = m->n_kin + m->n_dyn;
  double *first = w->force_state;
  for (size_t i = 0; i < controlled; i++) first[i] = known[i] || isfinite(x[i]) ? x[i] : 0;
  if (m->has_work) first[controlled] = x[controlled];
  HML_TRY(hml_workspace_set_state(w, t, first));
  hml_level positions = hml_level__of(w, HML_POSITION_LEVEL), velocities = hml_level__of(w, HML_VELOCITY_LEVEL);
  HML_TRY(complete_level(w, &positions, known, tolerance));
  HML_TRY(complete_level(w, &velocities, known + m->n_kin, tolerance));
  if (controlled) memcpy(x, w->in + 1, controlled * sizeof *x);
  return HML_OK;
}
