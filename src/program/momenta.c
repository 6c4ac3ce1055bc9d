// momenta.c: M u = d2L/dv2 u from a program of L (graph.c): one sweep backward for dL/dv, one forward along v' = u. It takes a few operations per operation
// of L, while M has n^2/2 entries.
#include "program_impl.h"

static hml_status write(assembly *s, const hml_program *p, const hml_graph_layout *l) {
  sweep down = {0}, along = {0};
  for (size_t i = 0; i < l->n; i++) HML_TRY(assembly_name(s, p->n_in + i, "d", hml_program__input_name(p, 1 + l->n + i)));
  for (size_t i = 0; i < p->n_in + l->n; i++) assembly_input(s, i);
  const uint32_t root = s->outputs[l->lagrangian];
  HML_TRY(sweep_start(&down, s, s->n));
  for (size_t i = 1; i <= l->n; i++) down.active[assembly_input(s, l->n + i)] = true;
  down.rate[root] = value_constant(s, 1);
  HML_TRY(sweep_backward(&down));
  HML_TRY(sweep_start(&along, s, s->n));
  for (size_t i = 0; i < l->n; i++) along.rate[assembly_input(s, 1 + l->n + i)] = (value){assembly_input(s, p->n_in + i), false};
  HML_TRY(sweep_forward(&along));
  for (size_t i = 0; i < l->n; i++) {
    const value momentum = down.rate[assembly_input(s, 1 + l->n + i)];
    value rate = momentum.id == NO_VALUE ? momentum : along.rate[momentum.id];
    s->outputs[i] = value_plain(s, momentum.negative ? value_negated(rate) : rate);
  }
  s->n_out = (uint32_t)l->n;
  return s->status;
}

// Sums are shared first, as in graph.c: the velocity of a body is that of the one before it and a part of its own
hml_status hml_program__mass_times(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_program **out) {
  *out = NULL;
  assembly given, s;
  hml_status status = assembly_init(&given, c, p->n_in, p->n_out);
  if (status == HML_OK) status = assembly_of_program(&given, p);
  if (status == HML_OK) {
    status = assembly_init(&s, c, p->n_in + l->n, p->n_out + l->n);
    if (status == HML_OK) status = share_sums(&given, &s, l->first_parameter, l->n_parameters);
    if (status == HML_OK) status = write(&s, p, l);
    status = assembly_finish(&s, status, out);
  }
  assembly_free(&given);
  return status;
}
