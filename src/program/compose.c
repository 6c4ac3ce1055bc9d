// compose.c: a program some of whose inputs are results of another one.
#include "program_impl.h"

static hml_status compose(assembly *s, const hml_program *outer, const hml_program *inner, const hml_composition *l) {
  uint32_t *results = hml_arena_alloc(&s->arena, ((size_t)inner->n_out + 1) * sizeof *results);
  uint32_t *inputs = hml_arena_alloc(&s->arena, ((size_t)outer->n_in + 1) * sizeof *inputs);
  uint32_t *of_inner = hml_arena_alloc(&s->arena, ((size_t)inner->n_in + 1) * sizeof *of_inner);
  if (!results || !inputs || !of_inner) return HML_MEMORY;
  for (uint32_t i = 0; i < outer->n_in; i++) {
    HML_TRY(assembly_name(s, i, "", hml_program__input_name(outer, i)));
    inputs[i] = assembly_input(s, i);
  }
  for (uint32_t i = 0; i < inner->n_in; i++) of_inner[i] = inputs[l->places[i]];
  HML_TRY(assembly_apply_program(s, inner, of_inner, results));
  for (size_t k = 0; k < l->count; k++) inputs[l->first + k] = results[l->from + k];
  return assembly_apply_program(s, outer, inputs, s->outputs);
}

hml_status hml_program__composed(hml_context *c, const hml_program *outer, const hml_program *inner, const hml_composition *l, hml_program **out) {
  assembly s;
  *out = NULL;
  hml_status status = assembly_init(&s, c, outer->n_in, outer->n_out);
  if (status == HML_OK) status = compose(&s, outer, inner, l);
  return assembly_finish(&s, status, out);
}
