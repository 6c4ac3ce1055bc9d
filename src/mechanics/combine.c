// combine.c: rows of which some hold where the others do, as combinations of all rows.
//
// Such rows need depend on each other only where the constraints hold: beside these places, by an error d of the state, they have one more singular value,
// of size d, that belongs to no constraint. And which of the rows are independent may change along the motion though their rank does not: of
//     x = cos a, y = sin a, x = cos b, y = sin b
// the last one is implied wherever sin b is not zero, and is needed where it is. So the rank is fixed, r, and the rows are U^T A, with the r
// largest singular values of A: a smooth function of the state, since the next singular value is as small as the error.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

#define VANISHING 1e-2                 // of the usual length of a row: a shorter one is not made longer than its rounding allows
#define DEPENDENT 1e-6                 // part of a row beside the others, relative to its length
enum { SAMPLES = 16 };                 // states at which rows are looked at

typedef struct samples {
  double *usual;                       // mean length of each row                  (rows)
  size_t rank;                         // largest
} samples;

// The rows of a level at generic states, which need not be on the constraints
static hml_status look_at_samples(hml_model *m, const hml_program *level, size_t rows, size_t columns, samples *found) {
  const size_t inputs = hml_program_inputs(level), outputs = hml_program_outputs(level);
  const size_t size = inputs + outputs + hml_program_work_size(level) + rows * columns;
  double *in = hml_alloc(m->context, size * sizeof *in);
  size_t *kept = hml_alloc(m->context, (rows + 1) * sizeof *kept);
  for (size_t trial = 0; in && kept && trial < SAMPLES; trial++) {
    double *out = in + inputs, *row = out + rows, *work = out + outputs + hml_program_work_size(level);
    hml_rate__sample(m, trial, inputs, in);
    hml_program_eval(level, in, out, out + outputs);
    if (!hml_dense__finite(outputs, out)) continue;
    for (size_t k = 0; k < rows; k++) found->usual[k] += hml_dense__norm(columns, row + k * columns) / SAMPLES;
    const size_t rank = hml_rank__choose(rows, columns, row, DEPENDENT, work, kept);
    if (rank > found->rank) found->rank = rank;
  }
  const bool enough = in && kept;
  if (kept) hml_dealloc(m->context, kept, (rows + 1) * sizeof *kept);
  if (in) hml_dealloc(m->context, in, size * sizeof *in);
  return enough ? HML_OK : HML_MEMORY;
}

// Do implied rows depend on the others everywhere, or only where the constraints hold?
hml_status hml_combine__build(hml_model *m) {
  const hml_program *const levels[2] = {m->positions, m->velocities};
  const size_t rows[2] = {m->n_positions, m->n_velocities}, columns[2] = {m->n_kin, m->n_dyn};
  for (int which = 0; which < 2; which++) {
    for (size_t k = 0; k < rows[which]; k++) m->n_implied_level[which] += m->implied_level[which][k];
    if (!m->n_implied_level[which]) continue;
    samples found = {.usual = hml_arena_alloc(&m->memory, rows[which] * sizeof *found.usual)};
    if (!found.usual) return HML_MEMORY;
    memset(found.usual, 0, rows[which] * sizeof *found.usual);
    HML_TRY(look_at_samples(m, levels[which], rows[which], columns[which], &found));
    m->usual_length[which] = found.usual;
    m->implied_on_surface |= found.rank + m->n_implied_level[which] > rows[which];
  }
  return HML_OK;
}

// By what a row of this length is divided
double hml_combine__unit(const double *usual, size_t k, double length) {
  const double least = usual ? VANISHING * usual[k] : 0;
  const double unit = length > least ? length : least;
  return unit > 0 ? unit : 1;
}

bool hml_combine__rows(hml_workspace *w, size_t m, size_t n, const double *A, const double *usual, bool fixed, size_t rank, double floor, double *combination) {
  const size_t rows = n > m ? n : m;
  double *unit = w->scratch;
  memset(w->svd_u, 0, rows * m * sizeof(double));
  for (size_t k = 0; k < m; k++) {
    unit[k] = fixed && usual && usual[k] > 0 ? usual[k] : hml_combine__unit(usual, k, hml_dense__norm(n, A + k * n));
    for (size_t i = 0; i < n; i++) w->svd_u[i * m + k] = A[k * n + i] / unit[k];
  }
  if (!hml_dense__finite(rows * m, w->svd_u)) return false;
  hml_dense__svd(rows, m, w->svd_u, w->svd_v, w->svd_s);
  if (hml_dense__rank(m, w->svd_s, floor) < rank) return false;
  for (size_t j = 0; j < rank; j++)
    for (size_t k = 0; k < m; k++) combination[j * m + k] = w->svd_v[k * m + j] / unit[k];
  return true;
}

void hml_combine__apply(size_t m, size_t n, const double *A, const double *b, size_t rank, const double *combination, double *rows, double *sides) {
  for (size_t k = 0; k < rank; k++) {
    const double *part = combination + k * m;
    sides[k] = hml_dense__dot(m, part, b);
    memset(rows + k * n, 0, n * sizeof(double));
    for (size_t j = 0; j < m; j++)
      for (size_t i = 0; i < n; i++) rows[k * n + i] += part[j] * A[j * n + i];
  }
}

// The rows that are combined follow the range of A, which turns along the motion: then A a + b keeps a part across it, and what a state is off the
// constraints grows by itself
bool hml_model__needs_projection(const hml_model *m) {
  return m->implied_on_surface;
}
