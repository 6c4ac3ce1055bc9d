// partials.c: the partial derivatives of the functions, texts of functions.def, as items.
#include "program_impl.h"

hml_status lower_partial(assembly *user, opcode f, unsigned k, partial *out) {
  hml_context *c = user->context;
  hml_expr given[3] = {hml_function__placeholder(c, 0), hml_function__placeholder(c, 1), NULL};
  given[2] = hml_call(c, (hml_function)f, hml_function_arity((hml_function)f), given);
  hml_expr e = hml_function__partial(c, given[2], k);
  if (!e && hml_failed(c)) return hml_context_error(c)->status;
  if (!e) return hml_fail(c, HML_INTERNAL, "program: %s has no partial derivative %u", instruction_rows[f].name, k + 1);
  assembly s;
  hml_status status = assembly_init(&s, c, 3, 0);
  value values[3];
  for (size_t i = 0; status == HML_OK && i < 3; i++) values[i] = (value){assembly_input(&s, i), false};
  if (status == HML_OK) status = lower_expressions(&s, 3, given, values, 1, &e, &out->result);
  if (status == HML_OK) {
    out->n = s.n;
    out->zero = s.items[out->result.id].op == OP_CONSTANT && item_constant(&s.items[out->result.id]) == 0;
    out->map = hml_arena_alloc(&user->arena, s.n * sizeof *out->map);
    out->items = out->map ? hml_arena_alloc(&user->arena, s.n * sizeof *out->items) : NULL;
    for (uint32_t i = 0; out->items && i < s.n; i++) out->items[i] = s.items[i];
    out->rests = s.n_rests && out->items ? hml_arena_alloc(&user->arena, s.n_rests * sizeof *out->rests) : NULL;
    for (uint32_t i = 0; out->rests && i < s.n_rests; i++) out->rests[i] = s.rests[i];
    if (!out->items || (s.n_rests && !out->rests)) status = HML_MEMORY;
  }
  assembly_free(&s);
  return status;
}
