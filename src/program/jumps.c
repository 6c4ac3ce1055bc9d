// jumps.c: arguments at whose zeros a program may jump: those of sign, and the first ones of atan2. Steps, ramps and pieces are made of these. Min, max and
// sizes have corners and no jumps; tables have knots, which are no zeros of an argument.
#include "program_impl.h"

static bool jumps(const instruction *i) {
  return i->op == OP_sign || i->op == OP_atan2;
}

size_t hml_program__jump_count(const hml_program *p) {
  size_t n = 0;
  for (uint32_t k = 0; k < p->n_instructions; k++) n += jumps(&p->instructions[k]);
  return n;
}

hml_status hml_program__jump_argument(hml_context *c, const hml_program *p, size_t which, hml_program **out) {
  uint32_t k = 0, output;
  assembly s;
  hml_program wanted = *p;             // the same values, another output
  while (!jumps(&p->instructions[k]) || which--) k++;
  output = p->instructions[k].a;
  wanted.n_out = 1;
  wanted.outputs = &output;
  *out = NULL;
  hml_status status = assembly_init(&s, c, p->n_in, 1);
  if (status == HML_OK) status = assembly_of_program(&s, &wanted);
  return assembly_finish(&s, status, out);
}
