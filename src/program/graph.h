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
  double weight;                       // of the rows in the form; 0: none
  hml_pivot_floors floors;
  uint32_t most;                       // items
  graph_samples samples;
} graph;

typedef enum graph_rule { GRAPH_DEGREE, GRAPH_FILL, GRAPH_MIXED, GRAPH_RULES } graph_rule;

typedef struct graph_solution {
  bool solved;
  value *a, *lambda;                   // (n), (m)
  value *margins;                      // positive where it holds        (at most 2 (n + m))
  uint32_t n_margins;
} graph_solution;

// Values of item k; NULL: memory lacks, and the status of the assembly says so
const double *graph_sample(graph *g, uint32_t k);
// Not solved: a pivot vanishes by structure or at the samples, or the program grows too long
hml_status graph_eliminate(graph *g, graph_rule rule, graph_solution *out);

#endif
