// everywhere.c: a mass matrix whose pivots are clear of zero at every time and state, so that no step of a run needs to look at them. Ranges over
// all states prove it, for the present parameters.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>

#define CLEAR 0.1                      // of its largest value: the least that a pivot may come to

// Pivots of M alone: under constraints they belong to one order of the elimination. Where guards hold them, these have their own floors
static const hml_program *program_of(const hml_workspace *w) {
  const hml_model *m = w->model;
  bool is_rate;
  const hml_program *p = hml_model__watched(m, &is_rate);
  return p && is_rate && m->running_margins && !m->n_multipliers && !m->n_externals && !m->running_guard ? p : NULL;
}

size_t hml_workspace__everywhere_room(const hml_workspace *w) {
  const hml_program *p = program_of(w);
  return p ? hml_program_inputs(p) + hml_program_outputs(p) + hml_program__values(p) + 1 : 0;
}

// Where corners are not held, x' is not computed by this program, and the sides that it reads may be those of other states
bool hml_workspace__regular_everywhere(const hml_workspace *w, hml_range *scratch) {
  const hml_program *p = program_of(w);
  if (!p || (w->model->n_branches && !w->holds)) return false;
  const size_t inputs = hml_program_inputs(p), outputs = hml_program_outputs(p), states = w->model->n_kin + w->model->n_dyn;
  hml_range *out = scratch + inputs, *values = out + outputs;
  for (size_t k = 0; k < inputs; k++) scratch[k] = k <= states ? (hml_range){-INFINITY, INFINITY} : (hml_range){w->in[k], w->in[k]};
  if (hml_program__range(p, scratch, values, out) == HML_RANGE_UNDEFINED) return false;
  for (size_t k = hml_model_state_size(w->model); k < outputs; k++)
    if (!(out[k].low > CLEAR * out[k].high && out[k].low >= DBL_MIN && out[k].high <= DBL_MAX)) return false;   // below DBL_MIN ranges are not widened
  return true;
}
