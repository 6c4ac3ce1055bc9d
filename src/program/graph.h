// graph.h: the graph of values that depend on the velocities, between graph.c, which builds it, and eliminate.c, which solves it.
#ifndef HML_PROGRAM_GRAPH_H
#define HML_PROGRAM_GRAPH_H

#include "program_impl.h"

enum { GRAPH_POINTS = 24 };            // samples at which pivots are tried

// A node is a velocity, a value defined by nodes, or a multiplier. Nodes are numbered so: velocities, defined values in the order of their
// definition, multipliers. With du for the part of a value that belongs to the accelerations, and the same letter for multipliers:
//   du = sum c_j dw_j over the parts of u,   the form 1/2 sum W_uw du dw - sum s_u du is stationary
typedef struct graph_part {
  uint32_t node;
  value c;
} graph_part;

typedef struct graph_definition {
  graph_part *parts;
  uint32_t n;
} graph_definition;

typedef struct graph_entry {
  uint32_t a, b;                       // both off the diagonal stand for one entry, a < b
  value w;
} graph_entry;

// Values of items at the samples; a point where something is not finite is left out where it matters
typedef struct graph_samples {
  double *inputs;                      // (n_in x GRAPH_POINTS)
  double *at;                          // of items                       (room x GRAPH_POINTS)
  uint32_t known, room;
} graph_samples;

typedef struct graph {
  assembly *s;
  uint32_t n, m, nodes;                // velocities, rows solved with; all nodes
  graph_definition *definition;        // parts NULL: a velocity or a multiplier      (nodes)
  graph_entry *form;                   // W of what T itself contains
  uint32_t n_form;
  value *r;                            // (n)
  uint32_t *row;                       // node of each row: what the constraint holds constant                           (m)
  value *b;                            // A a + b = 0                    (m)
  double *scale;                       // powers of two that bring the rows near one in the form: units of a constraint decide nothing   (m)
  double weight;                       // of the rows in the form; 0: none
  bool sampled, given;                 // pivots must hold at the samples; at the first of them in any case
  value unit;                          // size of the inertias beside that at the samples, where the parameters may have other values
  size_t first_parameter, n_parameters;    // among the inputs
  hml_pivot_floors floors;
  uint32_t most;                       // items
  graph_samples samples;
} graph;

// A pivot holds where it is positive and above both of its floors
typedef struct graph_pivot {
  value pivot;
  value floor;                         // of what was added to it; none: nothing was added to it before it became a pivot
  value usual;                         // of what it usually is; none: not asked for
} graph_pivot;

typedef enum graph_rule { GRAPH_LEVEL, GRAPH_DEGREE, GRAPH_FILL, GRAPH_MIXED, GRAPH_RULES } graph_rule;

typedef struct graph_solution {
  bool solved;
  value *a, *lambda;                   // (n), (m)
  graph_pivot *pivots;                 // in their order                 (n + m)
  uint32_t n_pivots;
} graph_solution;

// ---- how it is made
typedef struct graph_maker {
  assembly *s;
  const hml_graph_layout *l;
  const uint32_t *out;                 // outputs of the program as items
  uint32_t base;                       // items of the program itself
  sweep sweep;                         // for partial derivatives
  bool *moving, *bent, *still;         // depends on velocities; not only linearly; depends on parameters alone   (base)
  bool *is_node;                       // (base)
  uint32_t *node;                      // number of the node of an item                          (base)
  graph g;                             // until the nodes have numbers, those of `form` and `row` are items
  uint32_t form_room;
  bool refused;                        // something that has no second derivative here
  bool squares;                        // L is a sum of products in `form`, with weights that are still, and of
  value *rest;                         // weights times items that do not move                   (base)
} graph_maker;

static inline uint32_t graph_velocity(const graph_maker *k, uint32_t i) {
  return assembly_input(k->s, 1 + k->l->n + i);
}

static inline double graph_draw(uint64_t *dice, double low, double high) {
  *dice = *dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return low + (high - low) * (double)(*dice >> 11) / (double)(UINT64_C(1) << 53);
}

// A program from another one, whose sums are shared first: `write` puts its outputs into the assembly of k, or leaves *made false, and there is none
typedef hml_status (*graph_writer)(graph_maker *k, void *payload, bool *made);
hml_status graph_program(hml_context *c, const hml_program *p, const hml_graph_layout *l, graph_writer write, void *payload, hml_program **out);
// The nodes of L and of the rows, and the right-hand sides r and b by find_sides. *possible: no row is zero, and all that bends has a second derivative here
hml_status graph_prepare(graph_maker *k, hml_status (*find_sides)(graph_maker *k), bool *possible);
// The cheapest order; weighted: rows may go into the form where that has too little inertia of its own. best->solved false: there is none
hml_status graph_solve(graph_maker *k, bool weighted, graph_solution *best);
// Differences of all pivots from their floors as items, but for numbers that are positive; how many (2 n_pivots at most)
uint32_t graph_write_margins(graph_maker *k, const graph_solution *x, uint32_t *to);
// dense.c: the diagonal of M as a program of its own
hml_status graph_write_diagonal(graph_maker *k, hml_program **out);

// sides.c: r and b
hml_status graph_find_sides(graph_maker *k);
// lengths.c: the length of the derivative by the velocities of each of `count` items of the program
hml_status graph_lengths(graph_maker *k, uint32_t count, const uint32_t *of, value *squares);

// Values of item k at the samples; zeros where memory lacks, and the status of the assembly says so
const double *graph_values(graph_samples *p, assembly *s, uint32_t k);
static inline const double *graph_sample(graph *g, uint32_t k) {
  return graph_values(&g->samples, g->s, k);
}
// Not solved: a pivot vanishes by structure or at the samples, or the program grows too long
hml_status graph_eliminate(graph *g, graph_rule rule, graph_solution *out);
// The diagonal of M; NO_VALUE: zero by structure        (n)
hml_status graph_diagonal(graph *g, value *out);
// The form in the velocities alone: the lower triangle of M, row by row, and A, row by row
hml_status graph_substitute(graph *g, value *mass, value *rows);

#endif
