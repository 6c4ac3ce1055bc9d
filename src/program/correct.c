// correct.c: the shortest correction d onto linearised constraints, in the metric of M, by the graph of velocities (graph.h):
//   M d = A^T mu,   A d + residual = 0
// is the system of the accelerations with r = 0 and b = residual. On the level of positions A is the derivative of the residuals by the coordinates, which is
// that of their rates by the velocities.
#include "graph.h"

#include <stdlib.h>

typedef struct correction {
  const hml_correction_layout *l;
  const hml_program *level;
  uint32_t margins;
} correction;

static const value none = {NO_VALUE, false};

// L, the residuals, the functions of velocities whose derivatives are their rows
static hml_status join(assembly *s, const hml_program *energies, size_t lagrangian, const hml_program *level, const hml_correction_layout *l, size_t n) {
  uint32_t *of_energies = hml_arena_alloc(&s->arena, ((size_t)energies->n_out + 1) * sizeof *of_energies);
  uint32_t *of_level = hml_arena_alloc(&s->arena, ((size_t)level->n_out + 1) * sizeof *of_level);
  sweep along = {0};
  const bool positions = l->first_variable == 1;
  if (!of_energies || !of_level) return HML_MEMORY;
  HML_TRY(assembly_add_program(s, level, of_level));
  HML_TRY(assembly_add_program(s, energies, of_energies));
  for (size_t i = 0; i <= 2 * n; i++) assembly_input(s, i);
  if (positions) {
    HML_TRY(sweep_start(&along, s, s->n));
    for (size_t i = 1; i <= n; i++) along.rate[assembly_input(s, i)] = (value){assembly_input(s, n + i), false};
    HML_TRY(sweep_forward(&along));
  }
  s->outputs[0] = of_energies[lagrangian];
  for (size_t k = 0; k < l->rows; k++) {
    s->outputs[1 + k] = of_level[k];
    s->outputs[1 + l->rows + k] = positions ? value_plain(s, along.rate[of_level[k]]) : of_level[k];
  }
  return s->status;
}

static hml_status join_programs(hml_context *c, const hml_program *energies, size_t lagrangian, const hml_program *level, const hml_correction_layout *l,
                                size_t n, hml_program **out) {
  assembly s;
  *out = NULL;
  hml_status status = assembly_init(&s, c, energies->n_in, 1 + 2 * l->rows);
  if (status == HML_OK) status = join(&s, energies, lagrangian, level, l, n);
  return assembly_finish(&s, status, out);
}

static hml_status residuals_as_sides(graph_maker *k) {
  const hml_graph_layout *l = k->l;
  for (size_t i = 0; i < l->n; i++) k->g.r[i] = none;
  for (size_t j = 0, row = 0; j < l->m; j++)
    if (!l->implied || !l->implied[j]) k->g.b[row++] = value_of_item(k->s, k->out[1 + j]);
  return k->s->status;
}

// ---- sizes of the variables in the rows

typedef struct variable { size_t index, rows; } variable;

static int by_rows(const void *a, const void *b) {
  const variable *x = a, *y = b;
  if (x->rows != y->rows) return x->rows > y->rows ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static bool occurs(const correction *y, size_t row, size_t column) {
  const uint32_t id = y->level->outputs[y->l->rows + row * y->l->columns + column];
  return id >= y->level->n_constants || y->level->constants[id] != 0;
}

// Variables of many rows first: the sums of the rows have common beginnings
static hml_status write_sizes(graph_maker *k, const correction *y, uint32_t *to) {
  assembly *s = k->s;
  const size_t columns = y->l->columns;
  variable *list = hml_arena_alloc(&s->arena, (columns + 1) * sizeof *list);
  if (!list) return HML_MEMORY;
  for (size_t i = 0; i < columns; i++) {
    list[i] = (variable){.index = i};
    for (size_t row = 0; row < y->l->rows; row++) list[i].rows += occurs(y, row, i);
  }
  qsort(list, columns, sizeof *list, by_rows);
  for (size_t row = 0; row < y->l->rows; row++) {
    value sum = none;
    for (size_t i = 0; i < columns; i++) {
      const value x = {assembly_input(s, y->l->first_variable + list[i].index), false};
      if (occurs(y, row, list[i].index)) sum = value_add(s, sum, value_mul(s, x, x));
    }
    to[row] = assembly_emit(s, OP_sqrt, value_plain(s, sum), 0, 0);
  }
  return s->status;
}

static hml_status write_lengths(graph_maker *k, const correction *y, uint32_t *to) {
  assembly *s = k->s;
  const size_t rows = y->l->rows;
  value *squares = hml_arena_alloc(&s->arena, (rows + 1) * sizeof *squares);
  if (!squares) return HML_MEMORY;
  HML_TRY(graph_lengths(k, (uint32_t)rows, k->out + k->l->rows, squares));
  for (size_t row = 0; row < rows; row++) to[row] = assembly_emit(s, OP_sqrt, value_plain(s, squares[row]), 0, 0);
  return s->status;
}

// As hml_program__correction: residuals, lengths of their rows, sizes of the variables in these, d, margins
static hml_status store(graph_maker *k, const graph_solution *x, correction *y) {
  assembly *s = k->s;
  const size_t rows = y->l->rows, columns = y->l->columns;
  uint32_t *results = hml_arena_alloc(&s->arena, (3 * rows + columns + 2 * (size_t)x->n_pivots + 1) * sizeof *results);
  if (!results) return HML_MEMORY;
  for (size_t row = 0; row < rows; row++) results[row] = k->out[1 + row];
  HML_TRY(write_lengths(k, y, results + rows));
  HML_TRY(write_sizes(k, y, results + 2 * rows));
  for (size_t i = 0; i < columns; i++) results[3 * rows + i] = value_plain(s, x->a[i]);
  y->margins = graph_write_margins(k, x, results + 3 * rows + columns);
  s->outputs = results;
  s->n_out = (uint32_t)(3 * rows + columns) + y->margins;
  return s->status;
}

// Without weights on the rows: where M is no metric, others correct by plain length
static hml_status write_correction(graph_maker *k, void *payload, bool *made) {
  bool possible;
  graph_solution x;
  HML_TRY(graph_prepare(k, residuals_as_sides, &possible));
  if (!possible) return HML_OK;
  HML_TRY(graph_solve(k, false, &x));
  *made = x.solved;
  return x.solved ? store(k, &x, payload) : k->s->status;
}

hml_status hml_program__graph_correction(hml_context *c, const hml_program *energies, const hml_program *level, const hml_correction_layout *l,
                                         const hml_graph_layout *g, hml_program **out, size_t *margins) {
  correction y = {.l = l, .level = level};
  const hml_graph_layout own = {.n = g->n, .m = l->rows, .lagrangian = 0, .rows = 1 + l->rows, .implied = l->implied, .first_parameter = g->first_parameter,
                                .n_parameters = g->n_parameters, .parameter_values = g->parameter_values, .floors = g->floors, .most = g->most};
  hml_program *joined;
  *out = NULL;
  HML_TRY(join_programs(c, energies, g->lagrangian, level, l, g->n, &joined));
  const hml_status status = graph_program(c, joined, &own, write_correction, &y, out);
  hml_program_free(joined);
  *margins = y.margins;
  return status;
}
