// singular.c: how far a state is from a place where the equations do not determine the accelerations, and the cause there: constraints
// that become dependent, coordinates without inertia, divisors that vanish. When a run looks for such places is integrate/lookout.c.
//
// K = [M A^T; A 0] is scaled by factors that stay as they are while a passage is examined, so that a row that vanishes is seen to vanish.
// With complete pivoting its last pivot goes with the square of the smallest singular value of A, and with that of the inertia left.
#include "mechanics_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { SCALINGS = 4, MOST_NAMED = 8 };
#define NEARLY_DEPENDENT 1e-2          // singular value of the scaled A that counts as zero once the last pivot vanished

// ---- margins

size_t hml_workspace__margins(const hml_workspace *w) {
  const hml_model *m = w->model;
  return m->rate ? m->running_margins : m->n_dyn + m->n_multipliers - m->n_implied;
}

void hml_workspace__margins_now(const hml_workspace *w, double *out) {
  const hml_model *m = w->model;
  size_t n = m->n_dyn;
  if (m->rate) {
    memcpy(out, m->running_guard ? w->shown : w->rate + hml_model_state_size(m), m->running_margins * sizeof *out);
    return;
  }
  for (size_t i = 0; i < n; i++) out[i] = w->solved_by_kkt ? 0 : 1 / w->mass_inverse[i];
  for (size_t k = 0; k < m->n_multipliers - m->n_implied; k++) out[n + k] = w->solved_by_kkt ? 0 : 1 / w->schur_inverse[k];
}

double *hml_workspace__least(hml_workspace *w) {
  return w->least;
}

void hml_margins__note(hml_workspace *w) {
  const hml_model *m = w->model;
  size_t n = m->n_dyn;
  if (m->rate) return;
  for (size_t i = 0; i < n; i++) w->least[i] = w->solved_by_kkt ? 0 : fmin(w->least[i], 1 / w->mass_inverse[i]);
  for (size_t k = 0; k < m->n_multipliers - m->n_implied; k++) w->least[n + k] = w->solved_by_kkt ? 0 : fmin(w->least[n + k], 1 / w->schur_inverse[k]);
}

// ---- places of the expressions

const hml_places *hml_model__places(const hml_model *m) {
  return &m->places;
}

// Where inertia and constraints are bounded and a force or a rate of a position is not, x' is not
hml_status hml_singular__pole(hml_workspace *w, const hml_range *box, bool *is) {
  const hml_model *m = w->model;
  const size_t inputs = INPUTS(m), outputs = m->n_equations, states = 1 + m->n_kin + m->n_dyn, range_size = (inputs + 1) * sizeof(hml_range);
  HML_TRY(hml_equations__need(w));
  hml_range *in = hml_alloc(w->context, range_size);
  bool *unbounded = hml_alloc(w->context, outputs + 1), other = false;
  hml_status status = in && unbounded ? HML_OK : HML_MEMORY;
  *is = false;
  if (status == HML_OK) {
    for (size_t i = 0; i < inputs; i++) in[i] = i < states ? box[i] : (hml_range){w->in[i], w->in[i]};
    status = hml_program__unbounded(w->context, w->equations, in, unbounded);
  }
  for (size_t k = 0; status == HML_OK && k < outputs; k++) {
    bool rate = k < m->n_kin || (k >= m->at_r && k < m->at_r + m->n_dyn);
    if (unbounded[k] && rate) *is = true;
    if (unbounded[k] && ((k >= m->at_mass && k < m->at_r) || (k >= m->at_b && k < m->at_b + m->n_multipliers))) other = true;
  }
  *is = *is && !other;
  hml_dealloc(w->context, unbounded, outputs + 1);
  hml_dealloc(w->context, in, range_size);
  return status;
}

// Row k of A or its drift reads the place
static bool constraint_reads(hml_context *c, const hml_model *m, const hml_place *place, size_t k) {
  for (size_t i = 0; i < m->n_dyn; i++)
    if (hml_program__reads_place(c, m->dynamics, place, m->at_rows + k * m->n_dyn + i)) return true;
  return hml_program__reads_place(c, m->dynamics, place, m->at_b + k);
}

void hml_model__describe_place(hml_context *c, const hml_model *m, size_t k, size_t capacity, char *text) {
  const hml_place *place = &m->places.list[k];
  char where[400], names[400];
  double weights[64];
  size_t rows = m->n_multipliers < 64 ? m->n_multipliers : 64;
  for (size_t i = 0; i < rows; i++) weights[i] = constraint_reads(c, m, place, i);
  hml_program__describe_place(m->dynamics, place, sizeof where, where);
  hml_branch__put_names(m, sizeof where, where);
  size_t count = hml_names__join(rows, m->multiplier_names, weights, 1, "'", sizeof names, names);
  if (count) snprintf(text, capacity, "%s %s no derivative where %s", names, count > 1 ? "have" : "has", where);
  else snprintf(text, capacity, "the equations are singular where %s", where);
}

bool hml_model__holonomic(const hml_model *m) {
  return m->n_positions > 0;
}

void hml_model__describe_position(const hml_model *m, const double *x, size_t capacity, char *text) {
  size_t length = 0;
  text[0] = '\0';
  for (size_t i = 0; i < m->n_kin && i < MOST_NAMED && length < capacity; i++) {
    int added = snprintf(text + length, capacity - length, "%s%s = %.6g", i ? ", " : "", m->state_names[i], x[i]);
    length += added > 0 ? (size_t)added : 0;
  }
}

// ---- the matrix of the accelerations

static double entry(const hml_workspace *w, size_t i, size_t j) {
  const hml_model *m = w->model;
  size_t n = m->n_dyn;
  if (i < j) return entry(w, j, i);
  if (i < n) return w->dynamics[m->at_mass + hml_dense__packed(i, j)];
  return j < n ? w->dynamics[m->at_rows + (i - n) * n + j] : 0;
}

hml_status hml_singular__scale(hml_workspace *w, double t, const double *x, double *scale) {
  size_t size = w->model->n_dyn + w->model->n_multipliers;
  HML_TRY(hml_workspace_set_state(w, t, x));
  HML_TRY(hml_stage__dynamics(w));
  for (size_t i = 0; i < size; i++) scale[i] = 1;
  for (int round = 0; round < SCALINGS; round++)
    for (size_t i = 0; i < size; i++) {
      double largest = 0;
      for (size_t j = 0; j < size; j++) largest = fmax(largest, fabs(scale[i] * entry(w, i, j) * scale[j]));
      if (largest > 0 && isfinite(largest)) scale[i] /= sqrt(largest);
    }
  return HML_OK;
}

static size_t factor(hml_workspace *w, const double *scale) {
  size_t size = w->model->n_dyn + w->model->n_multipliers;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) w->kkt[i * size + j] = scale[i] * entry(w, i, j) * scale[j];
  return hml_dense__lu(size, w->kkt, w->kkt_pivots);
}

// Of a permutation: the number of pairs in the wrong order
static bool is_odd(size_t n, const size_t *order) {
  bool odd = false;
  for (size_t i = 0; i < n; i++)
    for (size_t j = i + 1; j < n; j++) odd ^= order[i] > order[j];
  return odd;
}

hml_status hml_singular__pivot(hml_workspace *w, double t, const double *x, const double *scale, size_t *rank, double *pivot, double *volume) {
  size_t size = w->model->n_dyn + w->model->n_multipliers;
  *pivot = *volume = 1;
  HML_TRY(hml_workspace_set_state(w, t, x));
  HML_TRY(hml_stage__dynamics(w));
  size_t found = factor(w, scale);
  if (found > size - w->model->n_implied) found = size - w->model->n_implied;      // beside the constraints implied rows may leave pivots as small as the error
  const size_t at = *rank == SIZE_MAX ? found : *rank;
  hml_stage__moved(w);                 // the factors of the solve are gone
  if (*rank == SIZE_MAX) *rank = found;
  if (at == 0 || at > size) return HML_OK;
  *pivot = found < at ? 0 : fabs(w->kkt[(at - 1) * size + at - 1] / w->kkt[0]);
  if (found < at) *volume = 0;
  for (size_t i = 0; i < at && found >= at; i++) *volume *= w->kkt[i * size + i];
  if (at < size) *volume = fabs(*volume);
  else if (is_odd(size, w->kkt_pivots) != is_odd(size, w->kkt_pivots + size)) *volume = -*volume;
  return HML_OK;
}

// the cause

static hml_status tell(hml_workspace *w, hml_status status, const char *what, double t, const double *x) {
  char where[400];
  hml_model__describe_position(w->model, x, sizeof where, where);
  return hml_fail(w->context, status, "model '%s': %s at t = %.10g, where %s", w->model->name, what, t, where);
}

// The least pivot of the scaled inertia, relative to its size without elimination
static double inertia_left(hml_workspace *w, const double *scale) {
  const size_t n = w->model->n_dyn;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) w->kkt[i * n + j] = scale[i] * entry(w, i, j) * scale[j];
  size_t found = hml_dense__lu(n, w->kkt, w->kkt_pivots);
  hml_stage__moved(w);                 // the factors of the solve are gone
  return found == n ? fabs(w->kkt[n * n - 1] / w->kkt[0]) : 0;
}

void hml_singular__no_inertia(const hml_workspace *w, const char *names, size_t capacity, char *out) {
  const hml_model *m = w->model;
  for (size_t i = 0; i < m->n_dyn; i++) {
    const double inertia = w->dynamics[m->at_mass + hml_dense__packed(i, i)];
    if (!(inertia < 0)) continue;
    snprintf(out, capacity, "no inertia along %.400s, and the inertia along '%.100s' is negative, %.6g (look at the signs of masses and moments of inertia),", names,
             m->dyn_names[i], inertia);
    return;
  }
  snprintf(out, capacity, "no inertia along %.400s", names);
}

hml_status hml_singular__tell(hml_workspace *w, double t, const double *x, const double *scale, size_t rank) {
  const hml_model *model = w->model;
  size_t n = model->n_dyn, m = model->n_multipliers, rows = n > m ? n : m;
  char names[400], what[HML_NO_INERTIA_TEXT];
  HML_TRY(hml_workspace_set_state(w, t, x));
  HML_TRY(hml_stage__dynamics(w));
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t i = 0; i < n; i++)
    for (size_t k = 0; k < m; k++) w->svd_u[i * m + k] = scale[i] * scale[n + k] * entry(w, n + k, i);
  if (m) hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  double *weights = w->scratch;
  size_t independent = 0;
  while (independent < m && w->svd_s[independent] > NEARLY_DEPENDENT * fmax(1, w->svd_s[0])) independent++;
  // farther from the place: a pivot that is larger there is not the one that vanishes
  if (m && independent == m && inertia_left(w, scale) > pow(w->svd_s[m - 1] / fmax(1, w->svd_s[0]), 2)) independent = m - 1;
  if (independent < m) {
    for (size_t k = 0; k < m; k++) weights[k] = hml_dense__norm(m - independent, w->svd_v + k * m + independent);
    size_t count = hml_names__join(m, model->multiplier_names, weights, 1e-3, "'", sizeof names, names);
    snprintf(what, sizeof what, count == 1 ? "%.400s restrains no acceleration" : "%.400s depend on each other", names);
    return tell(w, HML_DEPENDENT_CONSTRAINTS, what, t, x);
  }
  factor(w, scale);
  hml_dense__lu_null(n + m, w->kkt, w->kkt_pivots, rank ? rank - 1 : 0, 0, w->kkt_x);
  // rows that depend on each other balance multipliers and leave the accelerations alone
  if (m && hml_dense__norm(m, w->kkt_x + n) > 10 * hml_dense__norm(n, w->kkt_x)) {
    for (size_t k = 0; k < m; k++) weights[k] = fabs(w->kkt_x[n + k]);
    size_t count = hml_names__join(m, model->multiplier_names, weights, 1e-2, "'", sizeof names, names);
    hml_stage__moved(w);
    snprintf(what, sizeof what, count == 1 ? "%.400s restrains no acceleration" : "%.400s depend on each other", names);
    return tell(w, HML_DEPENDENT_CONSTRAINTS, what, t, x);
  }
  for (size_t i = 0; i < n; i++) weights[i] = fabs(w->kkt_x[i]);
  hml_names__join(n, model->dyn_names, weights, 1e-3, "'", sizeof names, names);
  hml_stage__moved(w);
  hml_singular__no_inertia(w, names, sizeof what, what);
  return tell(w, HML_SINGULAR_MASS, what, t, x);
}
