// energies.c: the energy v dL/dv - L and the kinetic energy from a program of L (graph.c), by one sweep along v.
#include "program_impl.h"

static hml_status write(assembly *s, const hml_program *p, const hml_graph_layout *l, size_t kinetic) {
  sweep along = {0};
  HML_TRY(assembly_of_program(s, p));
  for (uint32_t i = 0; i <= 2 * l->n; i++) assembly_input(s, i);
  const value lagrangian = value_of_item(s, s->outputs[l->lagrangian]);
  HML_TRY(sweep_start(&along, s, s->n));
  for (size_t i = 1; i <= l->n; i++) along.rate[assembly_input(s, l->n + i)] = (value){assembly_input(s, l->n + i), false};
  HML_TRY(sweep_forward(&along));
  const value double_kinetic = along.rate[s->outputs[l->lagrangian]];
  const uint32_t own = kinetic == SIZE_MAX ? value_plain(s, value_mul(s, double_kinetic, value_constant(s, 0.5))) : s->outputs[kinetic];
  s->outputs[0] = value_plain(s, value_add(s, double_kinetic, value_negated(lagrangian)));
  s->outputs[1] = own;
  s->n_out = 2;
  return s->status;
}

hml_status hml_program__energies(hml_context *c, const hml_program *p, const hml_graph_layout *l, size_t kinetic, hml_program **out) {
  *out = NULL;
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in, p->n_out + 2);
  if (status == HML_OK) status = write(&s, p, l, kinetic);
  return assembly_finish(&s, status, out);
}
