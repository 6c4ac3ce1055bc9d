// rank.c: how many rows of a model are independent, at a state and at generic points near it: constraints that hold wherever the others do
// are redundant along the whole motion; rows that lose rank at one place only make that place singular, which is not decided here.
#include "mechanics_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define DEPENDENT 1e-6                 // part of a row beside the others, relative to its length
#define NEARLY 1e-6                    // the same at generic points: below it rounding of the row costs ten digits of its multiplier
#define ROUNDED 1e-12                  // up to here it is rounding
#define VANISHED 1e-6                  // length of a row, relative to its length a little aside
#define EARLY 0.1                      // an early row is taken before a late one up to this part of its size
#define AWAY 1e-2                      // distance of generic points, relative to the state
#define CLOSE 1e-5                     // a shorter one
#define OWN 1e-4                       // least size of a state by itself, relative to the typical one
#define PARALLEL 1e-4                  // of the cosine between directions of a row: less is its own curvature
#define TOLERANCE 1e-12                // of generic points on the constraints
#define CONTRADICTION 1e-6             // of the second derivatives of constraints, relative to their terms
enum { POINTS = 4 };

size_t hml_rank__choose(size_t m, size_t n, const double *a, double floor, double *work, size_t *kept) {
  size_t count = 0;
  for (size_t k = 0; k < m; k++) {
    double norm = hml_dense__norm(n, a + k * n);
    for (size_t i = 0; i < n; i++) work[k * n + i] = norm > 0 ? a[k * n + i] / norm : 0;
  }
  // Gram-Schmidt: the chosen rows are orthonormal, the others are the remainders orthogonal to them
  for (size_t taken = 0; taken < m && taken < n; taken++) {
    size_t best = m;
    double largest = floor;
    for (size_t k = 0; k < m; k++) {
      double norm = hml_dense__norm(n, work + k * n);
      bool is_taken = false;
      for (size_t l = 0; l < count; l++) is_taken |= kept[l] == k;
      if (!is_taken && norm > (best == m ? largest : largest / EARLY)) best = k, largest = norm;
    }
    if (best == m) break;
    double *unit = work + best * n;
    for (size_t i = 0; i < n; i++) unit[i] /= largest;
    kept[count++] = best;
    for (size_t k = 0; k < m; k++) {
      bool is_taken = false;
      for (size_t l = 0; l < count; l++) is_taken |= kept[l] == k;
      // twice is enough (Kahan and Parlett)
      for (int twice = 0; !is_taken && twice < 2; twice++) {
        double along = hml_dense__dot(n, unit, work + k * n);
        for (size_t i = 0; i < n; i++) work[k * n + i] -= along * unit[i];
      }
    }
  }
  for (size_t i = 1; i < count; i++)
    for (size_t j = i; j > 0 && kept[j - 1] > kept[j]; j--) {
      size_t keep = kept[j];
      kept[j] = kept[j - 1];
      kept[j - 1] = keep;
    }
  return count;
}

// Numbers in (-1, 1), the same for every job
static double spread(size_t i) {
  double x = (double)(i + 1) * 0.6180339887498949;
  return 2 * (x - floor(x)) - 1;
}

static double typical(size_t n, const double *x) {
  double size = n ? hml_dense__norm(n, x) / sqrt((double)n) : 0;
  return size > 0 ? size : 1;
}

static void move_aside(const hml_model *m, size_t trial, double distance, const double *x, double *aside) {
  size_t n = m->n_kin + m->n_dyn;
  double kin = typical(m->n_kin, x), dyn = typical(m->n_dyn, x + m->n_kin);
  for (size_t i = 0; i < n; i++) aside[i] = x[i] + distance * (i < m->n_kin ? kin : dyn) * spread(trial * n + i);
  if (m->has_work) aside[n] = x[n];
}

static const double *rows_at(hml_workspace *w, double t, const double *x) {
  if (hml_workspace_set_state(w, t, x) == HML_OK && hml_stage__dynamics(w) == HML_OK) return w->dynamics + w->model->at_rows;
  hml_forgive(w->context);
  return NULL;
}

// The same with each state moved by its own size
static void move_each(const hml_model *m, size_t trial, double distance, const double *x, double *aside) {
  size_t n = m->n_kin + m->n_dyn;
  double kin = typical(m->n_kin, x), dyn = typical(m->n_dyn, x + m->n_kin);
  for (size_t i = 0; i < n; i++) aside[i] = x[i] + distance * fmax(fabs(x[i]), OWN * (i < m->n_kin ? kin : dyn)) * spread(trial * n + i);
  if (m->has_work) aside[n] = x[n];
}

// Does row k vanish beside its length near x? A function that grows by powers of ten within a part of the state, as exp(x) may, is
// constant nearer by; a zero stays one, and the error of the state may grow it beside the distance
static bool vanishes(hml_workspace *w, double t, const double *x, size_t k, double length, size_t trial, double *aside) {
  const hml_model *m = w->model;
  static const double distances[] = {AWAY, CLOSE};
  bool found = false;
  for (size_t i = 0; i < 2; i++) {
    move_each(m, trial, distances[i], x, aside);
    const double *rows = rows_at(w, t, aside);
    if (!rows) continue;
    double other = hml_dense__norm(m->n_dyn, rows + k * m->n_dyn);
    if (!(other > 0) || length > VANISHED * AWAY / distances[i] * other) return false;
    found = true;
  }
  return found;
}

// Beside a place where it vanishes, has the row one direction? So it is for a power of one function, as a square. Where a loop is stretched out, whose length
// has its maximum there, it has others. `first`: room for a direction (n_dyn)
static bool is_power(hml_workspace *w, double t, const double *x, size_t k, double *aside, double *first) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  bool found = false;
  for (size_t trial = 0; trial < POINTS; trial++) {
    move_aside(m, trial, CLOSE, x, aside);
    const double *rows = rows_at(w, t, aside);
    const double *row = rows ? rows + k * n : NULL, length = row ? hml_dense__norm(n, row) : 0;
    if (!(length > 0)) continue;
    if (found && fabs(hml_dense__dot(n, first, row)) < (1 - PARALLEL) * length) return false;
    for (size_t i = 0; i < n && !found; i++) first[i] = row[i] / length;
    found = true;
  }
  return true;
}

static hml_status tell_vanishing(hml_workspace *w, double t, const double *x, size_t k, double *aside, double *first) {
  const bool power = is_power(w, t, x, k, aside, first);
  if (hml_must_end(w->context)) return hml_context_error(w->context)->status;
  return hml_fail(w->context, HML_UNSUPPORTED,
                  "model '%s': the derivative of '%s' vanishes at t = %.10g where the constraint holds, so that the place is singular: the constraint has no reaction "
                  "there; start elsewhere%s", w->model->name, w->model->multiplier_names[k], t,
                  power ? ", or declare the root where it is a square" : ", as with a loop that is not stretched out; if no other position satisfies it, change its lengths");
}

// A point beside a state onto the constraints, by the ranks of the rows at the point, or by those at the state
static hml_status onto_constraints(hml_workspace *w, double t, const size_t *ranks, double *aside) {
  int moved;
  bool done;
  if (!ranks) return hml_project(w, t, TOLERANCE, TOLERANCE, aside, &moved);
  HML_TRY(hml_project__at_ranks(w, t, ranks, TOLERANCE, TOLERANCE, aside, &done));
  return done ? HML_OK : hml_fail(w->context, HML_PROJECTION, "model '%s' at t = %.10g: no point on the constraints was found", w->model->name, t);
}

// Row k vanishes at x. Do the others have there the rank that all have at points nearby where the constraints hold, and the row a length at these? Then the
// place is as good as others: of sin p = sin a, cos p = cos a each has its turn. A square has no length wherever it holds. lengths: of the rows at x
static hml_status keeps_rank(hml_workspace *w, double t, const double *x, size_t k, const double *lengths, double *aside, bool *keeps) {
  const hml_model *m = w->model;
  const size_t all = m->n_multipliers, n = m->n_dyn, doubles = 2 * all * n + 1;
  double *work = hml_alloc(w->context, doubles * sizeof *work), *copy = work + all * n, distance = AWAY, longest = 0;
  size_t *kept = hml_alloc(w->context, (all + 1) * sizeof *kept), here = SIZE_MAX, most = 0;
  hml_status status = work && kept ? HML_OK : HML_MEMORY;
  for (size_t trial = 0; trial < POINTS && status == HML_OK; trial++) {
    move_aside(m, trial, distance, x, aside);
    const double *rows = rows_at(w, t, aside);
    for (size_t j = 0; rows && j < all; j++) copy[j] = hml_dense__norm(n, rows + j * n);
    const double length = rows ? copy[k] : 0;
    for (size_t j = 0; rows && j < all; j++) kept[j] = lengths[j] <= VANISHED * copy[j];
    rows = here == SIZE_MAX && rows ? rows_at(w, t, x) : NULL;
    if (rows) {
      memcpy(copy, rows, all * n * sizeof *copy);
      for (size_t j = 0; j < all; j++)
        if (kept[j]) memset(copy + j * n, 0, n * sizeof *copy);
      here = hml_rank__choose(all, n, copy, NEARLY, work, kept);
    }
    if (onto_constraints(w, t, NULL, aside) != HML_OK) {
      if (!hml_forgive(w->context)) status = hml_context_error(w->context)->status;
      distance /= 10;
      continue;
    }
    rows = rows_at(w, t, aside);
    if (!rows) continue;
    if (length > 0) longest = fmax(longest, hml_dense__norm(n, rows + k * n) / length);
    const size_t rank = hml_rank__choose(all, n, rows, NEARLY, work, kept);
    most = rank > most ? rank : most;
  }
  *keeps = most > 0 && here != SIZE_MAX && here >= most && longest > VANISHED;
  if (kept) hml_dealloc(w->context, kept, (all + 1) * sizeof *kept);
  if (work) hml_dealloc(w->context, work, doubles * sizeof *work);
  return status;
}

// A row that is zero where its constraint holds and grows beside it, as of a square, has no reaction
static hml_status check_lengths(hml_workspace *w, double t, const double *x, const double *lengths, double *aside, double *first) {
  const hml_model *m = w->model;
  for (size_t trial = 0; trial < POINTS; trial++) {
    move_aside(m, trial, AWAY, x, aside);
    const double *rows = rows_at(w, t, aside);
    if (hml_must_end(w->context)) return hml_context_error(w->context)->status;
    for (size_t k = 0; rows && k < m->n_multipliers; k++) {
      double length = hml_dense__norm(m->n_dyn, rows + k * m->n_dyn);
      if (!(length > 0 && lengths[k] <= VANISHED * length)) continue;
      if (vanishes(w, t, x, k, lengths[k], trial, aside)) {
        bool keeps;
        HML_TRY(keeps_rank(w, t, x, k, lengths, aside, &keeps));
        if (!keeps) return tell_vanishing(w, t, x, k, aside, first);
      }
      move_aside(m, trial, AWAY, x, aside);
      rows = rows_at(w, t, aside);
    }
  }
  return HML_OK;
}

hml_status hml_rank__lengths(hml_workspace *w, double t, const double *x) {
  const hml_model *m = w->model;
  size_t states = hml_model_state_size(m), doubles = m->n_multipliers + 2 * states + m->n_dyn;
  if (!m->n_multipliers) return HML_OK;
  double *work = hml_alloc(w->context, doubles * sizeof *work);
  if (!work) return HML_MEMORY;
  double *lengths = work, *place = lengths + m->n_multipliers, *aside = place + states;
  memcpy(place, x, states * sizeof *place);
  const double *rows = rows_at(w, t, place);
  for (size_t k = 0; rows && k < m->n_multipliers; k++) lengths[k] = hml_dense__norm(m->n_dyn, rows + k * m->n_dyn);
  hml_status status = rows ? check_lengths(w, t, place, lengths, aside, aside + states) : HML_OK;
  hml_status back = hml_workspace_set_state(w, t, place);
  hml_dealloc(w->context, work, doubles * sizeof *work);
  return status ? status : back;
}

typedef struct found {                 // of the rows at generic points
  size_t rank, *kept;
  double left;                         // largest part of a row beside those kept, relative to its length
  double *beside;                      // lengths of the rows at a point nearby                    (m)
} found;

// After hml_rank__choose, whose `work` holds the remainders of the other rows
static double largest_left(size_t m, size_t n, const double *work, size_t rank, const size_t *kept) {
  double largest = 0;
  for (size_t k = 0, next = 0; k < m; k++) {
    if (next < rank && kept[next] == k) next++;
    else largest = fmax(largest, hml_dense__norm(n, work + k * n));
  }
  return largest;
}

static void keep_better(hml_workspace *w, const double *rows, size_t *kept, double *work, found *best) {
  const hml_model *m = w->model;
  size_t rank = hml_rank__choose(m->n_multipliers, m->n_dyn, rows, NEARLY, work, kept);
  double left = largest_left(m->n_multipliers, m->n_dyn, work, rank, kept);
  if (rank < best->rank) return;
  if (rank == best->rank) {            // rows that do at the state are kept
    best->left = fmax(best->left, left);
    return;
  }
  best->rank = rank;
  best->left = left;
  memcpy(best->kept, kept, rank * sizeof *kept);
}

// Copies the rows at x, those that are rounding there as zeros; beside: gets their lengths nearby
static const double *without_vanishing(hml_workspace *w, double t, const double *x, double *aside, const double *lengths, double *beside, double *copy) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  memcpy(copy, w->dynamics + m->at_rows, m->n_multipliers * n * sizeof *copy);
  move_aside(m, 0, AWAY, x, aside);
  const double *rows = rows_at(w, t, aside);
  for (size_t k = 0; k < m->n_multipliers; k++) {
    beside[k] = rows ? hml_dense__norm(n, rows + k * n) : lengths[k];
    if (lengths[k] <= ROUNDED * beside[k]) memset(copy + k * n, 0, n * sizeof *copy);
  }
  return copy;
}

static hml_status look_around(hml_workspace *w, double t, const double *x, size_t *numbers, double *work, double *aside, double *copy, found *best) {
  const hml_model *m = w->model;
  size_t *kept = numbers + m->n_multipliers;
  const double *rows = rows_at(w, t, x);
  best->kept = numbers;
  if (!rows) return hml_workspace_set_state(w, t, x) == HML_OK ? hml_stage__dynamics(w) : hml_context_error(w->context)->status;
  double *lengths = work + m->n_multipliers * m->n_dyn;
  for (size_t k = 0; k < m->n_multipliers; k++) lengths[k] = hml_dense__norm(m->n_dyn, rows + k * m->n_dyn);
  keep_better(w, without_vanishing(w, t, x, aside, lengths, best->beside, copy), kept, work, best);
  const double here = best->left;
  HML_TRY(check_lengths(w, t, x, lengths, aside, work));
  size_t ranks[2];
  HML_TRY(hml_project__ranks(w, t, x, ranks));
  double distance = AWAY;
  bool any = false;
  // by the ranks at x only where nothing else leads onto the constraints
  for (size_t trial = 0; trial < 2 * POINTS && best->rank < m->n_multipliers && !(any && trial >= POINTS); trial++) {
    if (trial == POINTS) distance = AWAY;
    move_aside(m, trial % POINTS, distance, x, aside);
    if (onto_constraints(w, t, trial < POINTS ? NULL : ranks, aside) != HML_OK) {
      if (!hml_forgive(w->context)) return hml_context_error(w->context)->status;
      distance /= 10;
      continue;
    }
    rows = rows_at(w, t, aside);
    if (hml_must_end(w->context)) return hml_context_error(w->context)->status;
    any |= rows != NULL;
    if (rows) keep_better(w, rows, kept, work, best);
  }
  // no other point, or rows that touch: rows that depend on each other at this point alone imply nothing about the motion
  if (!any || (here <= ROUNDED && best->left > ROUNDED)) {
    for (size_t k = 0; k < m->n_multipliers; k++) best->kept[k] = k;
    best->rank = m->n_multipliers;
  }
  return HML_OK;
}

// Row k is sum_j c_j of the rows kept; weights: of the constraints concerned
static hml_status combine(hml_workspace *w, size_t k, size_t rank, const size_t *kept, double *transposed, double *c, double *weights) {
  const hml_model *m = w->model;
  const double *rows = w->dynamics + m->at_rows, *row = rows + k * m->n_dyn;
  for (size_t i = 0; i < m->n_dyn; i++)
    for (size_t j = 0; j < rank; j++) transposed[i * rank + j] = rows[kept[j] * m->n_dyn + i];
  HML_TRY(hml_least_squares(w->context, m->n_dyn, rank, transposed, row, DEPENDENT, c, NULL));
  double length = hml_dense__norm(m->n_dyn, row);
  memset(weights, 0, m->n_multipliers * sizeof *weights);
  weights[k] = 1;
  for (size_t j = 0; j < rank; j++)
    weights[kept[j]] = fabs(c[j]) * hml_dense__norm(m->n_dyn, rows + kept[j] * m->n_dyn) > DEPENDENT * length;
  return HML_OK;
}

// Does A_k a + b_k = 0 follow from the same of the rows kept at the state? beside: length of row k nearby, as it may vanish. open: marks of the constraints
// concerned
static hml_status check_implied(hml_workspace *w, size_t k, size_t rank, const size_t *kept, double beside, double *transposed, double *c, double *weights,
                                unsigned char *open) {
  const hml_model *m = w->model;
  const double *b = w->dynamics + m->at_b;
  HML_TRY(combine(w, k, rank, kept, transposed, c, weights));
  double off = b[k], size = fabs(b[k]), length = fmax(beside, hml_dense__norm(m->n_dyn, w->dynamics + m->at_rows + k * m->n_dyn));
  for (size_t j = 0; j < rank; j++) {
    off -= c[j] * b[kept[j]];
    size += fabs(c[j] * b[kept[j]]);
  }
  for (size_t j = 0; j < m->n_multipliers; j++) open[j] |= weights[j] > 0;
  double speed = hml_dense__norm(m->n_dyn, w->in + 1 + m->n_kin);
  if (fabs(off) <= CONTRADICTION * (size + length * speed)) return HML_OK;
  char names[400];
  hml_names__join(m->n_multipliers, m->multiplier_names, weights, 0, "'", sizeof names, names);
  return hml_fail(w->context, HML_CONTRADICTION, "model '%s': %s contradict each other at t = %.10g", m->name, names, w->in[0]);
}

// Rows that differ by little: not redundant, and too close to determine their multipliers
static hml_status tell_nearly(hml_workspace *w, size_t k, size_t rank, const size_t *kept, double left, double *transposed, double *c,
                              double *weights) {
  const hml_model *m = w->model;
  char names[400];
  HML_TRY(combine(w, k, rank, kept, transposed, c, weights));
  hml_names__join(m->n_multipliers, m->multiplier_names, weights, 0, "'", sizeof names, names);
  return hml_fail(w->context, HML_UNSUPPORTED,
                  "model '%s': %s differ by a part of %.1g only, too little for their multipliers; declare the difference, divided by its size, "
                  "in place of '%s'", m->name, names, left, m->multiplier_names[k]);
}

static hml_status check_all_implied(hml_workspace *w, const found *best, unsigned char *open) {
  const hml_model *m = w->model;
  size_t doubles = m->n_dyn * best->rank + 2 * m->n_multipliers, next = 0;
  double *work = hml_alloc(w->context, doubles * sizeof *work);
  if (!work) return HML_MEMORY;
  double *c = work + m->n_dyn * best->rank;
  hml_status status = hml_stage__dynamics(w);
  for (size_t k = 0; k < m->n_multipliers && status == HML_OK; k++) {
    if (next < best->rank && best->kept[next] == k) next++;
    else if (best->left > ROUNDED) status = tell_nearly(w, k, best->rank, best->kept, best->left, work, c, c + m->n_multipliers);
    else status = check_implied(w, k, best->rank, best->kept, best->beside[k], work, c, c + m->n_multipliers, open);
  }
  hml_dealloc(w->context, work, doubles * sizeof *work);
  return status;
}

// fails: HML_UNSUPPORTED where a constraint's derivative vanishes though it holds and where rows are nearly dependent, HML_CONTRADICTION,
// and as the evaluation of the state
hml_status hml_generic_rank(hml_workspace *w, double t, const double *x, size_t *rank, unsigned char *implied, unsigned char *open) {
  const hml_model *m = w->model;
  const size_t states = hml_model_state_size(m), doubles = 2 * m->n_multipliers * (m->n_dyn + 1) + states + 1;
  *rank = 0;
  if (!m->n_multipliers) return HML_OK;
  double *work = hml_alloc(w->context, doubles * sizeof *work);
  size_t *numbers = hml_alloc(w->context, 2 * m->n_multipliers * sizeof *numbers);
  double *aside = work + m->n_multipliers * (m->n_dyn + 1), *copy = aside + states;
  found best = {.beside = copy + m->n_multipliers * m->n_dyn};
  hml_status status = work && numbers ? look_around(w, t, x, numbers, work, aside, copy, &best) : HML_MEMORY;
  if (status == HML_OK) {
    *rank = best.rank;
    memset(implied, 1, m->n_multipliers);
    memset(open, best.rank == 0, m->n_multipliers);
    for (size_t i = 0; i < best.rank; i++) implied[best.kept[i]] = 0;
    status = hml_workspace_set_state(w, t, x);
    if (status == HML_OK && best.rank && best.rank < m->n_multipliers) status = check_all_implied(w, &best, open);
  }
  if (numbers) hml_dealloc(w->context, numbers, 2 * m->n_multipliers * sizeof *numbers);
  if (work) hml_dealloc(w->context, work, doubles * sizeof *work);
  return status;
}
