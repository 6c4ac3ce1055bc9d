// product.c: M u at a state. From energies it takes O(n) operations, and M itself one such product per column: no entry of M is derived for it.
#include "mechanics_impl.h"

#include <string.h>

// The program belongs to the workspace, which makes it at the first use
static hml_status open_product(hml_workspace *w) {
  const hml_graph_layout l = hml_equations__layout(w->model);
  hml_tangent *g = &w->product;
  if (g->program) return HML_OK;
  HML_TRY(hml_program__mass_times(w->context, w->model->energies, &l, &g->program));
  return hml_tangent__fill(w, g, hml_program__is_native(hml_rate__evaluated(w->model)));
}

// The inputs of the workspace are those of the product, then u
static hml_status multiply(hml_workspace *w, const double *u, double *out) {
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, inputs = hml_program_inputs(w->product.program) - n;
  memcpy(w->product.in, w->in, inputs * sizeof *w->in);
  memcpy(w->product.in + inputs, u, n * sizeof *u);
  hml_program_eval(w->product.program, w->product.in, out, w->product.work);
  return HML_OK;
}

static hml_status from_entries(hml_workspace *w, const double *u, double *out) {
  const size_t n = w->model->n_dyn;
  HML_TRY(hml_stage__dynamics(w));
  const double *mass = w->dynamics + w->model->at_mass;
  for (size_t i = 0; i < n; i++) {
    out[i] = 0;
    for (size_t j = 0; j < n; j++) out[i] += mass[hml_dense__packed(i, j)] * u[j];
  }
  return HML_OK;
}

// u and out must not overlap
hml_status hml_mass_times(hml_workspace *w, const double *u, double *out) {
  const hml_model *m = w->model;
  HML_TRY(hml_stage__inputs(w));
  if (m->by_graph) HML_TRY(open_product(w));
  HML_TRY(m->by_graph ? multiply(w, u, out) : from_entries(w, u, out));
  if (hml_dense__finite(m->n_dyn, out)) return HML_OK;
  HML_TRY(hml_stage__dynamics(w));                                         // names an entry that is not finite
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the product of the mass matrix overflows", m->name, w->in[0]);
}

// Columns by products where the program of the entries is not made so far
static hml_status by_columns(hml_workspace *w, double *out) {
  const size_t n = w->model->n_dyn;
  double *u = w->scratch, *column = u + n;
  memset(u, 0, n * sizeof *u);
  for (size_t j = 0; j < n; j++) {
    u[j] = 1;
    HML_TRY(hml_mass_times(w, u, column));
    u[j] = 0;
    for (size_t i = j; i < n; i++) out[i * n + j] = out[j * n + i] = column[i];
  }
  return HML_OK;
}

hml_status hml_mass_matrix(hml_workspace *w, double *out) {
  if (w->model->equations && !w->equations) return by_columns(w, out);
  HML_TRY(hml_stage__dynamics(w));
  const size_t n = w->model->n_dyn;
  const double *mass = w->dynamics + w->model->at_mass;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) out[i * n + j] = out[j * n + i] = mass[hml_dense__packed(i, j)];
  return HML_OK;
}
