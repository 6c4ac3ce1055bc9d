// part.c: a program of some outputs of another one. Its operations are the same, and so are its results, bit by bit.
#include "program_impl.h"

static hml_status take_part(assembly *s, const hml_program *p, size_t n, const size_t *outputs) {
  uint32_t *all = hml_arena_alloc(&s->arena, ((size_t)p->n_out + 1) * sizeof *all);
  if (!all) return HML_MEMORY;
  HML_TRY(assembly_add_program(s, p, all));
  for (size_t i = 0; i < n; i++) s->outputs[i] = all[outputs[i]];
  return HML_OK;
}

hml_status hml_program__part(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_program **out) {
  assembly s;
  *out = NULL;
  hml_status status = assembly_init(&s, c, p->n_in, n);
  if (status == HML_OK) status = take_part(&s, p, n, outputs);
  return assembly_finish(&s, status, out);
}
