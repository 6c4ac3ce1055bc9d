// part.c: a program of some outputs of another one.
#include "program_impl.h"

static hml_status take_part(assembly *s, const hml_program *p, size_t n, const size_t *outputs) {
  uint32_t *all = hml_arena_alloc(&s->arena, ((size_t)p->n_out + 1) * sizeof *all);
  if (!all) return HML_MEMORY;
  HML_TRY(assembly_add_program(s, p, all));
  for (size_t i = 0; i < n; i++) s->outputs[i] = all[outputs[i]];
  return HML_OK;
}

// The same operations give the same results, bit by bit
hml_status hml_program__part(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_program **out) {
  assembly s;
  *out = NULL;
  hml_status status = assembly_init(&s, c, p->n_in, n);
  if (status == HML_OK) status = take_part(&s, p, n, outputs);
  return assembly_finish(&s, status, out);
}

// With the sums of these outputs shared anew: rows along a chain become sums of the rows before
hml_status hml_program__shared_part(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, size_t first_parameter, size_t n_parameters,
                                    hml_program **out) {
  assembly part, shared;
  *out = NULL;
  hml_status status = assembly_init(&part, c, p->n_in, n);
  if (status == HML_OK) status = take_part(&part, p, n, outputs);
  if (status == HML_OK) {
    status = assembly_init(&shared, c, p->n_in, n);
    if (status == HML_OK) status = share_sums(&part, &shared, first_parameter, n_parameters);
    status = assembly_finish(&shared, status, out);
  }
  assembly_free(&part);
  return status;
}
