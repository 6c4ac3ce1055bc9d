// ball_impl.h: layout of series in balls, shared by ball.c and tail.c.
#ifndef HML_BALL_IMPL_H
#define HML_BALL_IMPL_H

#include "ball.h"
#include "pool.h"
#include "program_impl.h"
#include "relaxed.h"

#ifdef HAMEL_ARB

enum { HML_INVERSE_ORDER = 8 };        // of the approximate inverses behind bounds of 1/b

// Operations on series, fewer than those of programs
typedef enum ball_kind {
  BALL_LINEAR,                         // sa a + sb b
  BALL_PRODUCT,                        // sa a b + sb c
  BALL_QUOTIENT,                       // a/b
  BALL_ROOT,                           // sqrt(a)
  BALL_CIRCLE,                         // sin(a), cos(a)
  BALL_EXPONENTIAL,                    // exp(a)
  BALL_INTEGRAL,                       // f with f' = b a', or b a' + d c'
  BALL_BRANCH,                         // abs, sign, min, max by the sign of c
  BALL_SIDED                           // a or -a, by the sign of the midpoint of c where the series begins: for what has equal formulas with both
} ball_kind;

typedef struct ball_op {
  ball_kind kind;
  uint32_t function;                   // opcode: of an integral, of a branch
  int sa, sb;
  uint32_t a, b, c, d, result, second; // values; NO_VALUE: none
  uint32_t source;                     // value of the program, for messages
  int branch;                          // the sign found
  arb_ptr scaled, other;               // k a_k of what an integral is over: of a, of c       (order + 1)
  arb_ptr inverse;                     // of b, or of the root: its first orders              (HML_INVERSE_ORDER + 1)
  hml_relaxed blocks[2];               // of its products of values
} ball_op;

struct hml_balls {
  hml_context *context;
  const hml_program *program;
  size_t kin, n, m, held, states, directions;
  uint32_t *direction;
  unsigned order;
  slong bits, length;                  // coefficients kept of each series: order + 2
  uint32_t values, solution;           // values of the program and auxiliary ones, then the solution of K z = s, then sums of pools
  uint32_t bounded;                    // of these values those before the sums, which have tails
  uint32_t count, room;
  ball_op *ops;
  uint32_t *matrix, *side;             // values of K (n + m)^2, NO_VALUE: 0; of s (n + m)
  bool *still, *varies;                // constant in t; depends on a state                   (values)
  arb_ptr series;                      // (values, 1 + directions, length)
  hml_pools *pools;                    // products of K and z
  arb_ptr inverse;                     // K_0^-1                                              ((n + m)^2)
  arb_ptr inverses;                    // K^-1: its first orders                              (HML_INVERSE_ORDER + 1, (n + m)^2)
  arb_ptr scratch;                     // (n + m + 4)
  mag_ptr powers;                      // h^k                                                 (length + 1)
  mag_ptr norms, sums, tails;          // (values, 1 + directions, order + 1), (..., order + 2), (values, 1 + directions)
  mag_ptr remainders;                  // (states, 1 + directions)
  mag_ptr guess;                       // (states, 1 + directions)
  mag_ptr bounds;                      // |Y|_ij, then rho                                    ((n + m)^2 + 2 (n + m))
  mag_t growth;                        // of 1 - Y K
  uint32_t doubt;                      // the operation that the last proof failed at
};

static inline size_t ball_series(const hml_balls *b, uint32_t v, size_t d) { return (size_t)v * (1 + b->directions) + d; }
static inline arb_ptr ball_at(const hml_balls *b, uint32_t v, size_t d) { return b->series + ball_series(b, v, d) * (size_t)b->length; }
static inline uint32_t ball_of_state(const hml_balls *b, size_t i) { return b->program->n_constants + 1 + (uint32_t)i; }

#endif
#endif
