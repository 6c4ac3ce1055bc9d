// triangular.c: x' from accelerations that follow one from another, a_i = side_i + sum_j part_ij a_j (expr/triangular.c), as straight-line arithmetic.
#include "program_impl.h"

static value pivot_margin(assembly *s, const uint32_t *out, const hml_triangle_layout *l, size_t i) {
  value pivot = value_of_item(s, out[l->pivots + i]), diagonal = value_of_item(s, out[l->diagonals + i]);
  if (pivot.id == diagonal.id && pivot.negative == diagonal.negative) return pivot;
  return value_add(s, pivot, value_negated(value_mul(s, value_constant(s, l->floor), diagonal)));
}

// x_kin', x_dyn', the power, the margins that are not positive numbers
static hml_status store(assembly *s, const uint32_t *out, const hml_triangle_layout *l, size_t *margins) {
  const size_t n = l->n;
  value *a = hml_arena_alloc(&s->arena, (n + 1) * sizeof *a);
  uint32_t *results = hml_arena_alloc(&s->arena, (l->kin + 2 * n + 2) * sizeof *results), at = 0;
  if (!a || !results) return HML_MEMORY;
  for (size_t step = 0; step < n; step++) {
    const size_t i = l->order[step];
    a[i] = value_of_item(s, out[l->side + i]);
    for (size_t before = 0; before < step; before++) {
      const size_t j = l->order[before];
      a[i] = value_add(s, a[i], value_mul(s, value_of_item(s, out[l->part + i * n + j]), a[j]));
    }
  }
  for (size_t i = 0; i < l->kin; i++) results[at++] = out[i];
  for (size_t i = 0; i < n; i++) results[at++] = value_plain(s, a[i]);
  if (l->has_work) results[at++] = l->has_power ? out[l->power] : assembly_constant(s, 0);
  *margins = 0;
  for (size_t i = 0; i < n; i++) {
    uint32_t margin = value_plain(s, pivot_margin(s, out, l, i));
    const item *e = &s->items[margin];
    if (e->op == OP_CONSTANT && item_constant(e) > 0) continue;
    results[at++] = margin;
    ++*margins;
  }
  s->outputs = results;
  s->n_out = at;
  return s->status;
}

hml_status hml_program__triangular(hml_context *c, const hml_program *p, const hml_triangle_layout *l, hml_program **out, size_t *margins) {
  assembly s, merged;
  *out = NULL;
  HML_TRY(assembly_init(&s, c, p->n_in, p->n_out));
  hml_status status = assembly_of_program(&s, p);
  if (status == HML_OK) status = store(&s, s.outputs, l, margins);
  if (status == HML_OK) {
    status = assembly_init(&merged, c, s.n_in, s.n_out);
    if (status == HML_OK) status = merge_equal(&s, &merged);
    status = assembly_finish(&merged, status, out);
  }
  assembly_free(&s);
  return status;
}
