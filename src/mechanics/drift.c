// drift.c: is a state still on its constraints? A residual counts in units of the length of its row, and rows of a long system are many operations; the
// residuals alone are few. Lengths change slowly: those of the last full check serve for some checks more, as long as the residuals are well below
// what would be corrected.
#include "mechanics_impl.h"

#include <math.h>

#define WELL_BELOW 0.25                // of a residual that would be corrected, so that lengths may be off by a factor
#define CHEAPER 0.5                    // of the full check: the least that pays
#define OF_ENTRY 3.0                   // operations for an entry of a row in the general check, beside its own
enum { SERVE = 16 };                   // checks that lengths serve for

static hml_status build_level(hml_model *m, int which, size_t rows, size_t columns, const hml_program *level) {
  if (!rows || m->n_externals) return HML_OK;
  size_t *outputs = hml_alloc(m->context, rows * sizeof *outputs);
  if (!outputs) return HML_MEMORY;
  for (size_t k = 0; k < rows; k++) outputs[k] = k;
  hml_program *p = NULL;
  hml_status status = hml_program__shared_part(m->context, level, rows, outputs, 1 + m->n_kin + m->n_dyn, m->n_parameters, &p);
  hml_dealloc(m->context, outputs, rows * sizeof *outputs);
  if (status != HML_OK) return status;
  const hml_program *correction = m->correction[which];
  const double full = correction ? hml_program__cost(correction) : hml_program__cost(level) + OF_ENTRY * (double)(rows * columns);
  if (hml_program__cost(p) < CHEAPER * full) m->residuals[which] = p;
  else hml_program_free(p);
  return HML_OK;
}

hml_status hml_drift__build(hml_model *m) {
  HML_TRY(build_level(m, HML_POSITION_LEVEL, m->n_positions, m->n_kin, m->positions));
  return build_level(m, HML_VELOCITY_LEVEL, m->n_velocities, m->n_dyn, m->velocities);
}

// Only in a run, whose end or a new value of a parameter makes lengths those of another motion
bool hml_drift__small(hml_workspace *w, int which, hml_project_limits limits) {
  const hml_model *m = w->model;
  const size_t rows = which == HML_VELOCITY_LEVEL ? m->n_velocities : m->n_positions;
  const double *length = w->row_length[which], *size = w->row_size[which];
  if (!m->residuals[which] || !w->watched || !w->lengths_serve[which]) return false;
  w->lengths_serve[which]--;
  hml_program_eval(m->residuals[which], w->in, w->residual, w->work);
  for (size_t k = 0; k < rows; k++)
    if (!(fabs(w->residual[k]) <= WELL_BELOW * length[k] * (limits.atol + limits.rtol * size[k]))) return false;
  return true;
}

void hml_drift__keep(hml_workspace *w, int which, const double *lengths, const double *sizes) {
  const hml_model *m = w->model;
  const size_t rows = which == HML_VELOCITY_LEVEL ? m->n_velocities : m->n_positions;
  if (!m->residuals[which]) return;
  for (size_t k = 0; k < rows; k++) {
    w->row_length[which][k] = lengths[k];
    w->row_size[which][k] = sizes[k];
  }
  w->lengths_serve[which] = SERVE;
}

void hml_drift__forget(hml_workspace *w) {
  w->lengths_serve[0] = w->lengths_serve[1] = 0;
}
