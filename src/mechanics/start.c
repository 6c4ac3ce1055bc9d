// start.c: consistent initial conditions: free entries are computed from the constraints, given ones are checked.
// Small drifts are project.c's business.
//
// Each level by damped Gauss-Newton steps of least length over the free entries, halved until the residuals, each over the norm
// of its row, decrease. Where that fails (a derivative that vanishes or does not exist at the guess) a fixed list of other first
// guesses is tried: first all free entries moved up, then all down, then mixed. A state counts as a root where the step that is left
// is small beside the variables, not the residual alone: exp(y) falls below any tolerance without a root, and where the residuals follow
// their derivative, so that they are not what rounding left of them. Entries of the Jacobian that are rounding themselves, as
// cos(pi/2), are zero. A start that the constraints do not determine is refused, and one where they leave several velocities and the
// guess, zero, prefers none: choosing is the caller's business. Of several assemblies, positions that the constraints allow, the one found
// from the guess is taken, and another one is shown by hml_other_assembly.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ROUNDING (4 * DBL_EPSILON)
#define RANK_FLOOR 1e-10               // singular values of the normalised free columns
#define ABSOLUTE 1e-5                  // of the tolerance: residual over row norm that passes even where all variables are zero
#define ITERATIONS 400                 // 1/y = 1e-12 takes 80
#define SETTLED 1e-6                   // Newton step that is left at a root, relative to the variables
#define NOISE (64 * DBL_EPSILON)       // of a residual, relative to its terms
#define SUSPECT 1e-8                   // entries smaller than this, beside the largest one or 1, may be rounding
#define NEARBY 1e-8                    // relative change of the inputs that shows how entries follow them
#define FAR 1e4                        // times 1 and the given entries: larger free ones do not loosen a residual, as the angle 1e10 would one of 5
#define HALVINGS 30
#define FASTER 1024                    // beyond them a step is divided by this: exp(y) = 1e100 has steps of 1e43
#define GUESSES 24
#define WIDE 32                        // further ones, of sizes 1e-17 to 1e17
#define OTHER_ROOTS 12                 // guesses from which a second root is looked for
#define APART 1e-5                     // roots this far apart, relative to their size, are two
#define TURN 6.283185307179586
#define SAME 1e-9                      // rows that change less are those of linear constraints

typedef struct free_set {
  const size_t *index;                 // columns of the level
  size_t n;
} free_set;

// Numbers spread over (0, 1) by multiples of the golden section
static double spread(size_t i) {
  double x = (double)(i + 1) * 0.6180339887498949;
  return x - floor(x);
}

static bool is_velocity(const hml_workspace *w, const hml_level *level) {
  return level->variables != w->in + 1;
}

// ---- the level with its rounding
// Residuals and Jacobian at other inputs, laid out like those of the level; the state stays
static const double *elsewhere(hml_workspace *w, const hml_level *level, const double *in) {
  hml_program_eval(level->program, in, w->start_out, w->work);
  return w->start_out;
}

// Inputs nearby: time, state and parameters changed by a few digits
static const double *shaken(hml_workspace *w, size_t trial) {
  size_t active = 1 + w->model->n_kin + w->model->n_dyn + w->model->n_parameters;
  memcpy(w->start_in, w->in, INPUTS(w->model) * sizeof *w->in);
  for (size_t i = 0; i < active; i++) w->start_in[i] *= 1 + NEARBY * (2 * spread(trial * active + i) - 1);
  return w->start_in;
}

static bool is_suspect(const hml_level *level) {
  double largest = 1;
  for (size_t i = 0; i < level->rows * level->columns; i++) largest = fmax(largest, fabs(level->jacobian[i]));
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    for (size_t j = 0; j < level->columns; j++)
      if (row[j] != 0 && fabs(row[j]) < SUSPECT * largest) return true;
  }
  return false;
}

// Is this value no larger than the effect of the rounding of the inputs, where `other` is its value nearby?
static bool is_rounding(double value, double other) {
  return fabs(value) <= ROUNDING / NEARBY * fabs(other - value);
}

// Entries of a row that are rounding are zero. Where all are, the constraint's derivative vanishes, which is not decided here: the row is
// kept, and a residual that is rounding too is none
static void drop_in_row(const hml_level *level, size_t k, const double *other) {
  size_t first = level->rows + k * level->columns, left = 0;
  for (size_t i = first; i < first + level->columns; i++) left += level->out[i] != 0 && !is_rounding(level->out[i], other[i]);
  if (!left && is_rounding(level->out[k], other[k])) level->out[k] = 0;
  for (size_t i = first; i < first + level->columns && left; i++)
    if (is_rounding(level->out[i], other[i])) level->out[i] = 0;
}

static void drop_rounding(hml_workspace *w, const hml_level *level) {
  enum { TRIALS = 3 };
  if (!is_suspect(level)) return;
  for (size_t trial = 0; trial < TRIALS; trial++) {
    const double *other = elsewhere(w, level, shaken(w, trial));
    for (size_t k = 0; k < level->rows; k++) drop_in_row(level, k, other);
  }
}

static bool evaluate(hml_workspace *w, const hml_level *level) {
  bool fresh = level->rows && !*level->valid;
  // the sides of corners follow the guess
  if (fresh && w->model->n_branches && !w->holds && hml_branch__align(w) != HML_OK) return false;
  if (!hml_level__finite(w, level)) return false;
  if (fresh) drop_rounding(w, level);
  return true;
}

// The same, as a failure that names the expression
static hml_status need_level(hml_workspace *w, const hml_level *level) {
  return evaluate(w, level) ? HML_OK : hml_stage__level(w, level);
}

// ---- how far off
static double excess(const hml_level *level, double tolerance, size_t *which) {
  return hml_level__excess(level, tolerance, ABSOLUTE * tolerance, which);
}

// Memory for the entries of a level, after that of `search`: two lists
static double *kept(const hml_workspace *w) {
  return w->start + 2 * (w->model->n_kin + w->model->n_dyn);
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

// Terms of row k to first order: sum of |J_kj x_j|, over the free entries and over all
static void terms_of(const hml_level *level, size_t k, free_set free, double *of_free, double *of_all) {
  const double *row = level->jacobian + k * level->columns;
  *of_free = *of_all = 0;
  for (size_t j = 0; j < level->columns; j++) *of_all += fabs(row[j] * level->variables[j]);
  for (size_t j = 0; j < free.n; j++) *of_free += fabs(row[free.index[j]] * level->variables[free.index[j]]);
}

// Norm of row k in the free entries; zero where the given ones satisfy it and the free ones are rounding beside them by their coefficients and by
// their terms, as with the number 6e-17 for cos(pi/2)
static double norm_of_free(const hml_level *level, size_t k, free_set free) {
  double norm = 0, of_free, of_all;
  for (size_t j = 0; j < free.n; j++) norm = hypot(norm, level->jacobian[k * level->columns + free.index[j]]);
  if (norm > ROUNDING * hml_dense__norm(level->columns, level->jacobian + k * level->columns)) return norm;
  terms_of(level, k, free, &of_free, &of_all);
  return of_all > 0 && fmax(fabs(level->residual[k]), of_free) <= ROUNDING * of_all ? 0 : norm;
}

// Newton step of least length, rows over their norms in all entries or in the free ones, left in fix_mu
static double *newton(hml_workspace *w, const hml_level *level, free_set free, bool all) {
  double *norms = w->fix_mu, *d = w->fix_x, *side = w->scratch;
  for (size_t k = 0; k < level->rows; k++)
    norms[k] = all ? hml_dense__norm(level->columns, level->jacobian + k * level->columns) : norm_of_free(level, k, free);
  size_t rows = decompose(w, level, free, norms);
  memset(side, 0, rows * sizeof *side);
  for (size_t k = 0; k < level->rows; k++) side[k] = norms[k] > 0 ? -level->residual[k] / norms[k] : 0;
  hml_dense__svd_solve(rows, free.n, w->svd_u, w->svd_v, w->svd_s, RANK_FLOOR, side, d);
  return d;
}

// Is a part of the step more than a thousandth of an entry?
static bool changes(size_t n, const double *from, double part, const double *d) {
  for (size_t j = 0; j < n; j++)
    if (fabs(part * d[j]) > 1e-3 * fabs(from[j]) && fabs(part * d[j]) >= DBL_MIN) return true;
  return false;
}

// Newton step, halved until it helps; false where none does
static bool improve(hml_workspace *w, const hml_level *level, free_set free, bool all) {
  double *from = w->fix_y, *norms = w->fix_mu, *d = newton(w, level, free, all);
  for (size_t j = 0; j < free.n; j++) from[j] = level->variables[free.index[j]];
  double part = 1, before = merit(level, norms);
  for (int i = 0; i < HALVINGS || changes(free.n, from, part, d); i++, part /= i < HALVINGS ? 2 : FASTER) {
    place(w, level, free, from, part, d);
    if (evaluate(w, level) && merit(level, norms) < (1 - 1e-4 * part) * before) return true;
  }
  place(w, level, free, from, 0, d);
  return false;
}

// Are all residuals rounding, beside the terms of their rows?
static bool is_exact(const hml_level *level, free_set free) {
  for (size_t k = 0; k < level->rows; k++) {
    double of_free, of_all;
    terms_of(level, k, free, &of_free, &of_all);
    if (fabs(level->residual[k]) > DBL_EPSILON * of_all) return false;
  }
  return true;
}

// tolerance of a root
// Is the Newton step that is left small beside the free entries?
static bool is_settled(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  const double *d = newton(w, level, free, false);
  for (size_t k = 0; k < level->rows; k++) {
    double change = 0, of_free, of_all;
    for (size_t j = 0; j < free.n; j++) change += level->jacobian[k * level->columns + free.index[j]] * d[j];
    terms_of(level, k, free, &of_free, &of_all);
    if (fabs(change) > fmax(SETTLED, tolerance) * of_free + NOISE * of_all + ABSOLUTE * tolerance * norm_of_free(level, k, free)) return false;
  }
  return true;
}

// Does residual k change as its derivatives predict, at least by half, where the free entries move by `part` of their size? All of them in the direction in
// which it grows: parts of opposite sign would cancel by chance where no digit of an angle is left
static bool row_follows(hml_workspace *w, const hml_level *level, free_set free, double part, double size, size_t k) {
  double *move = w->fix_x, off, sum = 0;
  size_t first = (size_t)(level->variables - w->in);
  memcpy(w->start_in, w->in, INPUTS(w->model) * sizeof *w->in);
  for (size_t j = 0; j < free.n; j++) {
    const double x = level->variables[free.index[j]], way = part * (size > 0 ? size : fabs(x));
    move[j] = copysign(1, level->jacobian[k * level->columns + free.index[j]]) * way * (0.5 + 0.5 * spread(j));
    w->start_in[first + free.index[j]] += move[j];
  }
  const double *out = elsewhere(w, level, w->start_in);
  off = out[k] - level->residual[k];
  for (size_t j = 0; j < free.n; j++) {
    size_t at = k * level->columns + free.index[j];
    double change = 0.5 * (level->jacobian[at] + out[level->rows + at]) * move[j];
    off -= change;
    sum += change;
  }
  return fabs(off) <= 0.5 * fabs(sum);
}

static bool follows(hml_workspace *w, const hml_level *level, free_set free, double part, double size) {
  for (size_t k = 0; k < level->rows; k++)
    if (norm_of_free(level, k, free) > 0 && !row_follows(w, level, free, part, size, k)) return false;
  return true;
}

static bool is_resolved(hml_workspace *w, const hml_level *level, free_set free) {
  static const double parts[] = {1e-2, 1e-4, 1e-6};
  const double norm = hml_dense__norm(level->columns, level->variables), sizes[] = {0, norm > 0 ? norm : 1};
  for (size_t i = 0; i < 3; i++)
    for (size_t k = 0; k < 2; k++)
      if (follows(w, level, free, -parts[i], sizes[k]) && follows(w, level, free, parts[i], sizes[k])) return true;
  return false;
}

// Are the residuals within the tolerance of entries that are not far away, or rounding?
static bool holds_far_away(const hml_level *level, free_set free, double tolerance) {
  for (size_t k = 0; k < level->rows; k++) {
    const double *row = level->jacobian + k * level->columns;
    double given = 0, sought = 0, of_free, of_all;
    for (size_t j = 0, next = 0; j < level->columns; j++) {
      const bool is_free = next < free.n && free.index[next] == j;
      next += is_free;
      if (row[j] == 0) continue;
      if (is_free) sought = hypot(sought, level->variables[j]);
      else given = hypot(given, level->variables[j]);
    }
    const double size = hypot(given, fmin(sought, FAR * (1 + given)));
    terms_of(level, k, free, &of_free, &of_all);
    if (fabs(level->residual[k]) > NOISE * of_all + tolerance * (ABSOLUTE + size) * hml_dense__norm(level->columns, row)) return false;
  }
  return true;
}

static bool is_root(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  return !free.n || !level->rows || (holds_far_away(level, free, tolerance) && is_settled(w, level, free, tolerance) && is_resolved(w, level, free));
}

// Up to 1: a root
static double distance(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  size_t which;
  if (!evaluate(w, level)) return INFINITY;
  double off = excess(level, tolerance, &which);
  return off > 1 || is_root(w, level, free, tolerance) ? off : 2;
}

// Goes down from the present guess; returns the distance where it ends
static double descend(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  for (int i = 0; i < ITERATIONS; i++) {
    if (!evaluate(w, level)) return INFINITY;
    if (is_exact(level, free) || !(improve(w, level, free, true) || improve(w, level, free, false))) break;
  }
  return distance(w, level, free, tolerance);
}

// ---- other first guesses
static void guess(hml_workspace *w, const hml_level *level, free_set free, const double *first, size_t trial, double size) {
  static const double sizes[] = {1, 0.1, 10, 0.01, 100};
  for (size_t j = 0; j < free.n; j++) {
    double u = trial == 0 ? 0 : trial == 1 ? spread(j) : trial == 2 ? -spread(j) : 2 * spread(trial * free.n + j) - 1;
    level->variables[free.index[j]] = first[j] + size * sizes[trial < 3 ? 0 : trial % 5] * u;
  }
  hml_stage__moved(w);
}

// Entries of other sizes than the state, in turn small and large; one alone of either sign
static void guess_wide(hml_workspace *w, const hml_level *level, free_set free, size_t trial) {
  static const double sizes[WIDE / 2] = {1, 10, 300, 700, 1e-3, 1e3, 1e-6, 1e6, 1e-9, 1e9, 1e-12, 1e12, 1e-14, 1e14, 1e-17, 1e17};
  for (size_t j = 0; j < free.n; j++) {
    double u = 2 * spread(trial * free.n + j) - 1;
    level->variables[free.index[j]] = sizes[trial / 2] * (free.n > 1 ? u : trial % 2 ? -1 : 1);
  }
  hml_stage__moved(w);
}

// Leaves the best state found in the variables
static void search(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  double *first = w->start, *best = w->start + free.n, least = INFINITY;
  double size = hml_dense__norm(level->columns, level->variables);
  for (size_t j = 0; j < free.n; j++) best[j] = first[j] = level->variables[free.index[j]];
  if (size == 0) size = 1;
  for (size_t trial = 0; trial < GUESSES + WIDE; trial++) {
    if (trial < GUESSES) guess(w, level, free, first, trial, size);
    else guess_wide(w, level, free, trial - GUESSES);
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
// Directions in which the free entries are not determined: the null space of the free columns, left in svd_v and svd_s
static size_t undetermined(hml_workspace *w, const hml_level *level, free_set free) {
  double *norms = w->fix_mu;
  if (!free.n) return 0;
  for (size_t k = 0; k < level->rows; k++) norms[k] = norm_of_free(level, k, free);
  decompose(w, level, free, norms);
  return free.n - hml_dense__rank(free.n, w->svd_s, RANK_FLOOR);
}

static free_set unknowns(hml_workspace *w, const hml_level *level, const unsigned char *known, size_t also) {
  free_set free = {w->free_index, 0};
  for (size_t j = 0; j < level->columns; j++)
    if (!known[j] || j == also) w->free_index[free.n++] = j;
  return free;
}

// Largest change of the entries of the rows, in the columns of the free entries, from `rows` to the present state; INFINITY: they have no value
static double change_of_rows(hml_workspace *w, const hml_level *level, free_set free, const double *rows, double *most) {
  double change = 0;
  if (!evaluate(w, level)) return INFINITY;
  for (size_t k = 0; k < level->rows; k++)
    for (size_t j = 0; j < free.n; j++) {
      const double before = rows[k * free.n + j], now = level->jacobian[k * level->columns + free.index[j]];
      *most = fmax(*most, fmax(fabs(now), fabs(before)));
      change = fmax(change, fabs(now - before));
    }
  return change;
}

// Do the rows of the free entries change from the present state to others? Where they do not there is one root. Near the root rows with corners
// do not change: -root and states on both sides of the root are looked at, too
static bool bends(hml_workspace *w, const hml_level *level, free_set free, const double *root, double size) {
  enum { NEAR = 3 };
  double *rows = w->svd_u, most = 0;
  for (size_t k = 0; k < level->rows; k++)
    for (size_t j = 0; j < free.n; j++) rows[k * free.n + j] = level->jacobian[k * level->columns + free.index[j]];
  for (size_t trial = 0; trial <= NEAR; trial++) {
    if (trial == 0) place(w, level, free, root, -2, root);
    else guess(w, level, free, root, trial, size);
    if (change_of_rows(w, level, free, rows, &most) > SAME * most) return true;
  }
  return false;
}

// Positions that differ by whole turns of an angle are one: turns each free entry back towards `root` as long as the state stays a root
static void turn_back(hml_workspace *w, const hml_level *level, free_set free, double tolerance, const double *root) {
  for (size_t j = 0; j < free.n; j++) {
    double *x = &level->variables[free.index[j]], before = *x, turns = round((before - root[j]) / TURN);
    if (turns == 0) continue;
    *x = before - turns * TURN;
    hml_stage__moved(w);
    if (descend(w, level, free, tolerance) <= 1 && fabs(*x - (before - turns * TURN)) <= APART) continue;
    *x = before;
    hml_stage__moved(w);
    descend(w, level, free, tolerance);
  }
}

// The free entry in which the state is another root than `root`; free.n where it is none
static size_t other_root(hml_workspace *w, const hml_level *level, free_set free, double tolerance, const double *root, double size) {
  if (descend(w, level, free, tolerance) > 1 || undetermined(w, level, free)) return free.n;
  if (!is_velocity(w, level)) turn_back(w, level, free, tolerance, root);
  for (size_t j = 0; j < free.n; j++)
    if (fabs(level->variables[free.index[j]] - root[j]) > APART * size) return j;
  return free.n;
}

// Looks for another root than the state, -root first, then around it: the free entry in which it differs, left in the state, with the
// first root in fix_w; free.n where none was found
static size_t second_root(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  double *root = w->fix_w, size = hml_dense__norm(level->columns, level->variables);
  if (size == 0) size = 1;
  for (size_t j = 0; j < free.n; j++) root[j] = level->variables[free.index[j]];
  size_t found = free.n;
  if (!bends(w, level, free, root, size)) return found;
  for (size_t trial = 0; trial <= OTHER_ROOTS && found == free.n; trial++) {
    if (trial == 0) place(w, level, free, root, -2, root);
    else guess(w, level, free, root, trial, size);
    found = other_root(w, level, free, tolerance, root, size);
  }
  return found;
}

// Largest entry of the column in the rows from..to-1 at guesses around zero; the state stays
static double largest_entry(hml_workspace *w, const hml_level *level, free_set free, size_t from, size_t to, size_t column) {
  double *present = w->fix_w, *zero = w->fix_y, largest = 0;
  for (size_t j = 0; j < free.n; j++) present[j] = level->variables[free.index[j]], zero[j] = 0;
  for (size_t trial = 0; trial < 5; trial++) {
    guess(w, level, free, zero, trial, 1);
    if (!evaluate(w, level)) continue;
    for (size_t k = from; k < to; k++) largest = fmax(largest, fabs(level->jacobian[k * level->columns + column]));
  }
  place(w, level, free, present, 0, present);
  evaluate(w, level);
  return largest;
}

// Is the start determined where the value given for this column is dropped? `given`: the entries as they came
static bool helps(hml_workspace *w, const hml_level *level, const unsigned char *known, size_t column, double tolerance, const double *given) {
  free_set free = unknowns(w, level, known, column);
  memcpy(level->variables, given, level->columns * sizeof *given);
  hml_stage__moved(w);
  search(w, level, free, tolerance);
  return distance(w, level, free, tolerance) <= 1 && undetermined(w, level, free) == 0
      && (!is_velocity(w, level) || second_root(w, level, free, tolerance) == free.n);
}

// "v.x" for the velocity x', "q.x" for the coordinate x, as starts are written
static int append_entry(char *text, size_t capacity, int length, const hml_level *level, const hml_workspace *w, size_t column) {
  const char *name = level->variable_names[column];
  size_t letters = strlen(name);
  bool velocity = is_velocity(w, level);
  if (velocity && letters && name[letters - 1] == '\'') letters--;
  if ((size_t)length >= capacity) return length;
  return length + snprintf(text + length, capacity - (size_t)length, "%s%c.%.*s", length ? " or " : "", velocity ? 'v' : 'q', (int)letters, name);
}

static double largest_of(const hml_level *level, size_t column) {
  double largest = 0;
  for (size_t k = 0; k < level->rows; k++) largest = fmax(largest, fabs(level->jacobian[k * level->columns + column]));
  return largest;
}

// given: the entries as they came, before the search
static hml_status tell_inconsistent(hml_workspace *w, const hml_level *level, const unsigned char *known, size_t row, double tolerance,
                                    const double *given) {
  char names[400], removable[300] = "";
  int length = 0;
  double *weights = w->scratch, *candidate = kept(w) + level->columns, off = fabs(level->residual[row]);
  size_t given_there = 0;
  for (size_t j = 0; j < level->columns; j++) given_there += candidate[j] = known[j] && level->jacobian[row * level->columns + j] != 0;
  // a row without given entries is violated because of the others
  for (size_t j = 0; j < level->columns && !given_there; j++) candidate[j] = known[j] && largest_of(level, j) > 0;
  memcpy(weights, candidate, level->columns * sizeof *weights);
  hml_names__join(level->columns, level->variable_names, weights, 0, "", sizeof names, names);
  for (size_t j = 0; j < level->columns; j++)
    if (candidate[j] != 0 && helps(w, level, known, j, tolerance, given)) length = append_entry(removable, sizeof removable, length, level, w, j);
  char sought[400];
  free_set free = unknowns(w, level, known, level->columns);
  if (!names[0]) {
    for (size_t j = 0; j < level->columns; j++) weights[j] = !known[j];
    if (hml_names__join(level->columns, level->variable_names, weights, 0, "", sizeof sought, sought))
      return hml_fail(w->context, HML_INCONSISTENT_START,
                      "start is inconsistent: '%s' is violated by %.3g at t = %.10g: no value of %s was found that satisfies it; give it",
                      level->row_names[row], off, w->in[0], sought);
    return hml_fail(w->context, HML_INCONSISTENT_START,
                    "start is inconsistent: '%s' is violated by %.3g at t = %.10g, and small changes of the %s do not change that; give other %s",
                    level->row_names[row], off, w->in[0], is_velocity(w, level) ? "velocities" : "coordinates",
                    is_velocity(w, level) ? "coordinates or velocities" : "ones");
  }
  for (size_t j = 0; j < level->columns; j++) weights[j] = !known[j] && largest_entry(w, level, free, row, row + 1, j) > 0;
  if (!removable[0] && hml_names__join(level->columns, level->variable_names, weights, 0, "", sizeof sought, sought))
    return hml_fail(w->context, HML_INCONSISTENT_START,
                    "start is inconsistent: '%s' is violated by %.3g at t = %.10g by the given %s; no value of %s was found that satisfies it: "
                    "give it, or give other values", level->row_names[row], off, w->in[0], names, sought);
  if (!removable[0])
    return hml_fail(w->context, HML_INCONSISTENT_START,
                    "start is inconsistent: '%s' is violated by %.3g at t = %.10g by the given %s; give other values",
                    level->row_names[row], off, w->in[0], names);
  return hml_fail(w->context, HML_INCONSISTENT_START,
                  "start is inconsistent: '%s' is violated by %.3g at t = %.10g by the given %s; remove %s, which is then computed from the constraints",
                  level->row_names[row], off, w->in[0], names, removable);
}

// Free entries that the search has driven somewhere where the constraints are nearly met, and no root is
static hml_status tell_no_root(hml_workspace *w, const hml_level *level, free_set free) {
  char names[400];
  double *sought = w->scratch;
  for (size_t j = 0; j < level->columns; j++) sought[j] = 0;
  for (size_t j = 0; j < free.n; j++)
    for (size_t k = 0; k < level->rows; k++) sought[free.index[j]] += level->jacobian[k * level->columns + free.index[j]] != 0;
  hml_names__join(level->columns, level->variable_names, sought, 0, "", sizeof names, names);
  return hml_fail(w->context, HML_INCONSISTENT_START,
                  "start: no values of %s were found that satisfy the constraints at t = %.10g; give values that do, or change those given",
                  names, w->in[0]);
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

// Are velocities open because a derivative vanishes wherever its constraint holds, as of a square? Then no values given would do
static hml_status check_derivatives(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  double *root = kept(w), *x = w->force_state, size = hml_dense__norm(level->columns, level->variables);
  size_t which, controlled = w->model->n_kin + w->model->n_dyn;
  for (size_t j = 0; j < free.n; j++) root[j] = level->variables[free.index[j]];
  guess(w, level, free, root, 3, size > 0 ? size : 1);
  search(w, level, free, tolerance);
  bool holds = evaluate(w, level) && excess(level, tolerance, &which) <= 1;
  memcpy(x, w->in + 1, controlled * sizeof *x);
  if (w->model->has_work) x[controlled] = w->work_done;
  if (holds) HML_TRY(hml_rank__lengths(w, w->in[0], x));
  place(w, level, free, root, 0, root);
  return need_level(w, level);
}

// Does the column vanish at this state only?
static bool vanishes_here(hml_workspace *w, const hml_level *level, free_set free, size_t column) {
  double here = 0;
  for (size_t k = 0; k < level->rows; k++) here = fmax(here, fabs(level->jacobian[k * level->columns + column]));
  return largest_entry(w, level, free, 0, level->rows, column) * RANK_FLOOR > here;
}

// The constraints hold by rounding alone, as tanh(y) = 1 does from y = 19 on, or at a multiple root
static hml_status tell_vanishing(hml_workspace *w, const hml_level *level, size_t column) {
  char entry[200] = "";
  append_entry(entry, sizeof entry, 0, level, w, column);
  return hml_fail(w->context, HML_INCONSISTENT_START,
                  "start: the constraints do not determine %s: near %.6g they hold within rounding, but their derivatives by it vanish there; "
                  "give %s if that is a root, else change the values given", level->variable_names[column], level->variables[column], entry);
}

// Every free entry must be determined: no direction of the null space of the free columns may contain it
static hml_status check_determined(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  double *weights = w->fix_x;
  if (!undetermined(w, level, free)) return HML_OK;
  if (is_velocity(w, level)) HML_TRY(check_derivatives(w, level, free, tolerance));
  for (size_t j = 0; j < free.n; j++)
    if (vanishes_here(w, level, free, free.index[j])) return tell_vanishing(w, level, free.index[j]);
  size_t missing = undetermined(w, level, free);
  hml_dense__null_weights(free.n, w->svd_v, w->svd_s, RANK_FLOOR, weights);
  return tell_undetermined(w, level, free, weights, missing);
}

// Velocities that nonlinear constraints leave open are the caller's choice
static hml_status check_unique(hml_workspace *w, const hml_level *level, free_set free, double tolerance) {
  const double *root = w->fix_w;
  size_t found = second_root(w, level, free, tolerance), column = free.index[found < free.n ? found : 0];
  if (found < free.n) {
    char entry[200] = "";
    append_entry(entry, sizeof entry, 0, level, w, column);
    return hml_fail(w->context, HML_ARGUMENT, "start: the constraints leave a choice, %s = %.15g or %.15g; give %s", level->variable_names[column],
                    root[found], level->variables[column], entry);
  }
  place(w, level, free, root, 0, root);
  return HML_OK;
}

// Are there free entries, and is the guess of every one zero?
static bool indifferent(free_set free, const double *given) {
  for (size_t j = 0; j < free.n; j++)
    if (given[free.index[j]] != 0) return false;
  return free.n > 0;
}

static hml_status complete_level(hml_workspace *w, const hml_level *level, const unsigned char *known, double tolerance) {
  double *given = kept(w);
  size_t which;
  free_set free = unknowns(w, level, known, level->columns);
  memcpy(given, level->variables, level->columns * sizeof *given);
  if (free.n && level->rows) search(w, level, free, tolerance);
  HML_TRY(need_level(w, level));
  if (excess(level, tolerance, &which) > 1) return tell_inconsistent(w, level, known, which, tolerance, given);
  HML_TRY(check_determined(w, level, free, tolerance));
  if (!is_root(w, level, free, tolerance)) return tell_no_root(w, level, free);
  if (!is_velocity(w, level) || !level->rows || !indifferent(free, given)) return HML_OK;
  HML_TRY(check_unique(w, level, free, tolerance));
  return need_level(w, level);
}

static hml_status complete_levels(hml_workspace *w, double t, const unsigned char *known, double tolerance, const double *first) {
  HML_TRY(hml_workspace_set_state(w, t, first));
  hml_level positions = hml_level__of(w, HML_POSITION_LEVEL), velocities = hml_level__of(w, HML_VELOCITY_LEVEL);
  HML_TRY(complete_level(w, &positions, known, tolerance));
  return complete_level(w, &velocities, known + w->model->n_kin, tolerance);
}

// fails: HML_INCONSISTENT_START; HML_ARGUMENT where the constraints do not determine the free entries, HML_UNSUPPORTED where they cannot, as
// a derivative vanishes. x is then as it was
hml_status hml_complete_start(hml_workspace *w, double t, const unsigned char *known, double tolerance, double *x) {
  const hml_model *m = w->model;
  size_t controlled = m->n_kin + m->n_dyn;
  double *first = w->start_first;
  for (size_t i = 0; i < controlled; i++) first[i] = known[i] || isfinite(x[i]) ? x[i] : 0;
  if (m->has_work) first[controlled] = x[controlled];
  HML_TRY(complete_levels(w, t, known, tolerance, first));
  if (controlled) memcpy(x, w->in + 1, controlled * sizeof *x);
  hml_stage__moved(w);
  return HML_OK;
}

// fails: as the evaluation of the state
hml_status hml_other_assembly(hml_workspace *w, double t, const unsigned char *known, double tolerance, const double *x, double *other, int *found) {
  const hml_model *m = w->model;
  *found = 0;
  HML_TRY(hml_workspace_set_state(w, t, x));
  hml_level level = hml_level__of(w, HML_POSITION_LEVEL);
  free_set free = unknowns(w, &level, known, level.columns);
  if (!free.n || !level.rows) return HML_OK;
  HML_TRY(need_level(w, &level));
  *found = second_root(w, &level, free, tolerance) < free.n;
  if (*found) memcpy(other, level.variables, m->n_kin * sizeof *other);
  return hml_workspace_set_state(w, t, x);
}

// How far a state is off its constraints, as the tolerance from which hml_complete_start accepts it with all entries given
hml_status hml_inconsistency(hml_workspace *w, double t, const double *x, double *off) {
  *off = 0;
  HML_TRY(hml_workspace_set_state(w, t, x));
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL; which++) {
    hml_level level = hml_level__of(w, which);
    size_t row;
    if (!level.rows) continue;
    HML_TRY(hml_stage__level(w, &level));
    *off = fmax(*off, excess(&level, 1, &row));
  }
  return HML_OK;
}
