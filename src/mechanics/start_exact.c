// start_exact.c: consistent initial conditions in quadruple precision, from some in doubles that satisfy the constraints to rounding (start.c).
//
// Newton's method on each level: residuals in quadruple precision, the Jacobian in doubles, steps of least length over the free entries.
// Each step gains the digits of a double. Where the steps do not settle, or lead away from the start in doubles, that start was no root.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

enum { STEPS = 12 };
#define RANK_FLOOR 1e-10               // singular values of the free columns, relative
#define SETTLED 1e-32                  // of a step, relative to the states
#define CONVERGED 1e-24                // of the last step, relative to the states, where rounding lets none settle
#define NEAR 1e-6                      // way from the start in doubles, relative to the states

typedef struct level_quad {
  hml_workspace *w;
  const hml_program *program;          // residuals, then their Jacobian
  size_t rows, columns, first;         // place of the variables among the inputs
  const unsigned char *known;
  hml_quad *in, *out, *values;
} level_quad;

// Columns of the free entries in doubles, rows of length one; side: minus the residuals over the same lengths
static size_t linearise(const level_quad *l, double *matrix, double *side, size_t *index) {
  size_t free = 0;
  for (size_t j = 0; j < l->columns; j++)
    if (!l->known[j]) index[free++] = j;
  for (size_t k = 0; k < l->rows; k++) {
    const hml_quad *row = l->out + l->rows + k * l->columns;
    double norm = 0;
    for (size_t j = 0; j < free; j++) norm = hypot(norm, (double)row[index[j]]);
    for (size_t j = 0; j < free; j++) matrix[k * free + j] = norm > 0 ? (double)row[index[j]] / norm : 0;
    side[k] = norm > 0 ? -(double)l->out[k] / norm : 0;
  }
  return free;
}

static hml_status solve_level(const level_quad *l) {
  hml_context *c = l->w->context;
  size_t size = l->rows * l->columns + l->rows + l->columns;
  double *matrix = hml_alloc(c, size * sizeof *matrix), *side = matrix + l->rows * l->columns, *d = side + l->rows;
  size_t *index = hml_alloc(c, l->columns * sizeof *index);
  hml_status status = matrix && index ? HML_OK : HML_MEMORY;
  bool settled = false;
  double way = 0, step = 0, largest = 0;
  for (int i = 0; i < STEPS && status == HML_OK && !settled; i++) {
    hml_program__eval_quad(l->program, l->in, l->out, l->values);
    size_t free = linearise(l, matrix, side, index);
    if (!free) break;
    status = hml_least_squares(c, l->rows, free, matrix, side, RANK_FLOOR, d, NULL);
    largest = step = 0;
    for (size_t j = 0; j < l->columns; j++) largest = fmax(largest, fabs((double)l->in[l->first + j]));
    for (size_t j = 0; j < free && status == HML_OK; j++) {
      l->in[l->first + index[j]] += d[j];
      step = fmax(step, fabs(d[j]));
    }
    way += step;
    settled = step <= SETTLED * largest;
  }
  if (status == HML_OK && (!(step <= CONVERGED * largest) || !(way <= NEAR * largest)))
    status = hml_fail(c, HML_INCONSISTENT_START,
                      "start: the values computed from the constraints at t = %.10g do not settle in quadruple precision: no root is near, "
                      "or a multiple one; give all values", (double)l->in[0]);
  hml_dealloc(c, index, l->columns * sizeof *index);
  hml_dealloc(c, matrix, size * sizeof *matrix);
  return status;
}

static hml_status complete(hml_workspace *w, const hml_reference_spec *spec, const unsigned char *known, hml_quad *in, hml_quad *out) {
  const hml_model *m = w->model;
  const size_t states = m->n_kin + m->n_dyn;
  if (!hml_quad__parse(spec->start, &in[0])) return hml_fail(w->context, HML_ARGUMENT, "start: the time '%s' is not a number", spec->start);
  for (size_t i = 0; i < states; i++)
    if (!hml_quad__parse(spec->x[i], &in[1 + i]))
      return hml_fail(w->context, HML_ARGUMENT, "start: '%s' for %s is not a number", spec->x[i], m->state_names[i]);
  for (size_t i = 0; i < m->n_parameters; i++) {
    in[1 + states + i] = w->in[1 + states + i];
    if (spec->n_parameters && !hml_quad__parse(spec->parameters[i], &in[1 + states + i]))
      return hml_fail(w->context, HML_ARGUMENT, "start: '%s' for %s is not a number", spec->parameters[i], m->parameter_names[i]);
  }
  for (int which = HML_POSITION_LEVEL; which <= HML_VELOCITY_LEVEL; which++) {
    hml_level level = hml_level__of(w, which);
    if (!level.rows) continue;
    level_quad l = {.w = w, .program = level.program, .rows = level.rows, .columns = level.columns, .first = which ? 1 + m->n_kin : 1,
                    .known = known + (which ? m->n_kin : 0), .in = in, .out = out};
    l.values = hml_alloc(w->context, hml_program__values(l.program) * sizeof *l.values);
    if (!l.values) return HML_MEMORY;
    hml_status status = solve_level(&l);
    hml_dealloc(w->context, l.values, hml_program__values(l.program) * sizeof *l.values);
    HML_TRY(status);
  }
  return HML_OK;
}

// fails: HML_UNSUPPORTED, HML_ARGUMENT, HML_INCONSISTENT_START
hml_status hml_complete_start_exactly(hml_workspace *w, const hml_reference_spec *spec, const unsigned char *known, char *texts) {
  const hml_model *m = w->model;
  if (!hml_program__has_quad()) return hml_fail(w->context, HML_UNSUPPORTED, "start: this build has no quadruple precision (libquadmath)");
  size_t inputs = 1 + m->n_kin + m->n_dyn + m->n_parameters;
  size_t outputs = m->n_positions * (1 + m->n_kin) + m->n_velocities * (1 + m->n_dyn), count = inputs + outputs + 1;
  hml_quad *in = hml_alloc(w->context, count * sizeof *in);
  if (!in) return HML_MEMORY;
  hml_status status = complete(w, spec, known, in, in + inputs);
  for (size_t i = 0; status == HML_OK && i < hml_model_state_size(m); i++)
    hml_quad__text(i < m->n_kin + m->n_dyn ? in[1 + i] : 0, HML_QUAD_DIGITS, HML_QUAD_TEXT, texts + i * HML_QUAD_TEXT);
  hml_dealloc(w->context, in, count * sizeof *in);
  return status;
}
