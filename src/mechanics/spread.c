// spread.c: how far the equations of motion in a box of times and states differ from those at the present state. Ranges (range.c)
// hold every value that occurs in the box, so that nothing between samples is passed over, such as a short pulse of a force.
#include "mechanics_impl.h"

#include <math.h>

// Where the equations are made on demand (equations.c) their ranges are not known; such equations are smooth everywhere
size_t hml_model__ranges(const hml_model *m) {
  if (m->equations) return 0;
  return hml_program_inputs(m->dynamics) + hml_program__values(m->dynamics) + hml_program_outputs(m->dynamics);
}

hml_status hml_model__is_sharp(hml_context *c, const hml_model *m, bool *sharp) {
  return hml_program__is_sharp(c, m->equations ? m->energies : m->dynamics, sharp);
}

bool hml_workspace__spread(hml_workspace *w, const hml_range *box, const double *a, const double *lambda, hml_range *scratch, double *forces,
                           double *drifts) {
  const hml_model *m = w->model;
  if (m->equations) return false;
  const size_t n = m->n_dyn, moving = 1 + m->n_kin + n, inputs = hml_program_inputs(m->dynamics);
  hml_range *in = scratch, *values = in + inputs, *out = values + hml_program__values(m->dynamics);
  const double *now = w->dynamics;
  if (m->n_externals || m->coupling) return false;                       // known by their values only
  for (size_t k = 0; k < inputs; k++) in[k] = k < moving ? box[k] : (hml_range){w->in[k], w->in[k]};
  if (hml_program__range(m->dynamics, in, values, out) == HML_RANGE_UNDEFINED) return false;
  for (size_t i = 0; i < n; i++) {
    forces[i] = hml_range__farthest(out[m->at_r + i], now[m->at_r + i]);
    for (size_t j = 0; j < n; j++) forces[i] += fabs(a[j]) * hml_range__farthest(out[m->at_mass + hml_dense__packed(i, j)], now[m->at_mass + hml_dense__packed(i, j)]);
    for (size_t k = 0; k < m->n_multipliers; k++) {
      size_t at = m->at_rows + k * n + i;
      forces[i] += fabs(lambda[k]) * hml_range__farthest(out[at], now[at]);
    }
  }
  for (size_t k = 0; k < m->n_multipliers; k++) {
    drifts[k] = hml_range__farthest(out[m->at_b + k], now[m->at_b + k]);
    for (size_t j = 0; j < n; j++) drifts[k] += fabs(a[j]) * hml_range__farthest(out[m->at_rows + k * n + j], now[m->at_rows + k * n + j]);
  }
  return true;
}
