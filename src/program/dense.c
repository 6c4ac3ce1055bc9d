// dense.c: the equations of motion written out, M a = r + A^T lambda, A a + b = 0, from the program of L, forces and constraints that graph.c takes:
// every value of the graph is substituted, nothing is eliminated. M has n^2/2 entries in any case; whoever can do without them asks graph.c for x'.
#include "graph.h"

// The outputs in the order of hml_equation_layout, where k is the velocities
static hml_status store(graph_maker *k, const value *mass, const value *rows) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  const size_t n = l->n, m = l->m, entries = n * (n + 1) / 2;
  uint32_t *results = hml_arena_alloc(&s->arena, (2 * n + entries + m * n + 2 * m + 2) * sizeof *results), at = 0;
  if (!results) return HML_MEMORY;
  for (uint32_t i = 0; i < n; i++) results[at++] = graph_velocity(k, i);
  for (size_t i = 0; i < entries; i++) results[at++] = value_plain(s, mass[i]);
  for (size_t i = 0; i < m * n; i++) results[at++] = value_plain(s, rows[i]);
  for (size_t i = 0; i < n; i++) results[at++] = value_plain(s, k->g.r[i]);
  for (size_t i = 0; i < m; i++) results[at++] = value_plain(s, k->g.b[i]);
  if (l->has_power) results[at++] = k->out[l->power];
  for (size_t i = 0; l->has_multiplier_power && i < m; i++) results[at++] = k->out[l->multiplier_power + i];
  s->outputs = results;
  s->n_out = at;
  return s->status;
}

static hml_status write_equations(graph_maker *k, void *payload, bool *made) {
  (void)payload;
  HML_TRY(graph_prepare(k, graph_find_sides, made));
  if (!*made) return HML_OK;
  const size_t n = k->l->n;
  value *mass = hml_arena_alloc(&k->s->arena, (n * (n + 1) / 2 + 1) * sizeof *mass), *rows = hml_arena_alloc(&k->s->arena, (k->l->m * n + 1) * sizeof *rows);
  if (!mass || !rows) return HML_MEMORY;
  HML_TRY(graph_substitute(&k->g, mass, rows));
  return store(k, mass, rows);
}

// The diagonal of M by itself takes a few operations per body: no row of M is written down
hml_status graph_write_diagonal(graph_maker *k, hml_program **out) {
  assembly *s = k->s, t;
  const uint32_t n = (uint32_t)k->l->n;
  value *diagonal = hml_arena_alloc(&s->arena, ((size_t)n + 1) * sizeof *diagonal);
  bool *used = NULL;
  uint32_t *map = NULL;
  *out = NULL;
  if (!diagonal) return HML_MEMORY;
  HML_TRY(graph_diagonal(&k->g, diagonal));
  HML_TRY(assembly_init(&t, s->context, s->n_in, n));
  hml_status status = HML_OK;
  for (uint32_t i = 0; i < n; i++) value_plain(s, diagonal[i]);            // before the items are counted
  used = hml_arena_alloc(&t.arena, (size_t)s->n + 1);
  map = hml_arena_alloc(&t.arena, ((size_t)s->n + 1) * sizeof *map);
  if (s->status != HML_OK || !used || !map) status = HML_MEMORY;
  for (uint32_t i = 0; status == HML_OK && i < s->n_in; i++) t.names[i] = s->names[i];
  for (uint32_t i = 0; status == HML_OK && i < n; i++) used[value_plain(s, diagonal[i])] = true;
  for (uint32_t i = s->n; status == HML_OK && i-- > 0;) {
    const unsigned operands = used[i] ? item_operands(&s->items[i]) : 0;
    if (operands > 0) used[s->items[i].a] = true;
    if (operands > 1) used[s->items[i].b] = true;
  }
  for (uint32_t i = 0; status == HML_OK && i < s->n; i++)
    if (used[i]) map[i] = assembly_copy(&t, s, i, map);
  for (uint32_t i = 0; status == HML_OK && i < n; i++) t.outputs[i] = map[value_plain(s, diagonal[i])];
  return assembly_finish(&t, status == HML_OK ? t.status : status, out);
}

hml_status hml_program__equations(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_program **out) {
  hml_graph_layout whole = *l;
  whole.implied = NULL;                // their rows are rows all the same
  return graph_program(c, p, &whole, write_equations, NULL, out);
}
