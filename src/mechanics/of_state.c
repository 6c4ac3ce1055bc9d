// of_state.c: functions of accelerations as functions of time and state alone, by the program of x'.
#include "mechanics_impl.h"

hml_status hml_model__of_state(hml_context *c, const hml_model *m, const hml_program *p, size_t between, hml_program **out) {
  const size_t states = 1 + m->n_kin + m->n_dyn;
  *out = NULL;
  if (!m->rate || m->n_externals || m->n_branches || m->coupling) return HML_OK;
  if (hml_program_inputs(m->rate) != states + m->n_parameters) return HML_OK;
  if (hml_program_inputs(p) != states + m->n_dyn + between + m->n_parameters) return HML_OK;
  size_t *places = hml_alloc(c, (states + m->n_parameters) * sizeof *places);
  if (!places) return HML_MEMORY;
  for (size_t i = 0; i < states; i++) places[i] = i;
  for (size_t i = 0; i < m->n_parameters; i++) places[states + i] = states + m->n_dyn + between + i;
  const hml_composition l = {.first = states, .count = m->n_dyn, .from = m->n_kin, .places = places};
  const hml_status status = hml_program__composed(c, p, m->rate, &l, out);
  hml_dealloc(c, places, (states + m->n_parameters) * sizeof *places);
  return status;
}
