// expr_impl.h: layout of a node, shared only inside this room.
//
// Invariants: a node is interned (one pointer per structure) and never changes; its hash depends on content alone, so
// every order derived from it is the same in every run. Operands of sums and products are sorted by hash and merged:
// a sum holds no sum of few terms and no two terms that differ by a number only; a product's number comes first.
#ifndef HML_EXPR_IMPL_H
#define HML_EXPR_IMPL_H

#include "expr.h"

#include <gmp.h>

// What is known of the sign of the value, for every admissible value of the symbols
enum { KNOWN_POSITIVE = 1, KNOWN_NONNEGATIVE = 2 };

// The highest symbol inside, for the order of display
enum { RANK_NUMBER, RANK_PARAMETER, RANK_COORDINATE, RANK_VELOCITY, RANK_ACCELERATION };

struct hml_node {
  uint64_t hash;
  uint64_t size;                       // nodes of the tree, saturating
  uint32_t count;                      // operands; of a symbol: length of the name
  uint32_t keeps;                      // counted by hml_keep
  uint32_t order;                      // of a symbol: derivative with respect to time
  uint8_t kind, rank, known;
  uint8_t mark;                        // of a sweep or a walk, node.c
  int16_t function;                    // of a call
  uint8_t flags;                       // of a symbol; of other nodes: the result of hml_expr__may_vanish
  uint8_t big;                         // of a number: 1 if payload is a big_rational
};

// Payload behind the header: operands, or the name of a symbol, or one of these
typedef struct small_rational {
  int64_t n, d;                        // d > 0, lowest terms
} small_rational;

static inline const hml_expr *node_operands(hml_expr e) { return (const hml_expr *)(const void *)(e + 1); }
static inline const char *node_name(hml_expr e) { return (const char *)(e + 1); }
static inline const small_rational *node_small(hml_expr e) { return (const small_rational *)(const void *)(e + 1); }
typedef struct big_rational {
  mpq_t q;
  double value;                        // the nearest
} big_rational;

static inline const big_rational *node_big(hml_expr e) { return (const big_rational *)(const void *)(e + 1); }
static inline mpq_srcptr node_mpq(hml_expr e) { return node_big(e)->q; }
static inline double node_float(hml_expr e) { return *(const double *)(const void *)(e + 1); }
static inline double node_low(hml_expr e) { return ((const double *)(const void *)(e + 1))[1]; }      // what the double leaves
static inline double node_error(hml_expr e) { return ((const double *)(const void *)(e + 1))[2]; }    // a bound of what rounding has changed

static inline bool is_number(hml_expr e) { return e->kind == HML_NUMBER || e->kind == HML_FLOAT; }
static inline bool is_small(hml_expr e, int64_t n, int64_t d) {
  return e->kind == HML_NUMBER && !e->big && node_small(e)->n == n && node_small(e)->d == d;
}
static inline bool is_zero_node(hml_expr e) { return is_small(e, 0, 1); }
static inline bool is_one_node(hml_expr e) { return is_small(e, 1, 1); }
static inline bool is_integer_node(hml_expr e) {
  return e->kind == HML_NUMBER && (e->big ? mpz_cmp_ui(mpq_denref(node_mpq(e)), 1) == 0 : node_small(e)->d == 1);
}
bool is_even_integer(hml_expr e);

// ---- numbers in the making (number.c)
enum { MAX_BITS = 2000000 };           // of numerator and denominator: an operation takes a tenth of a second at most
typedef struct number {
  // LOST: memory ended; ABOVE, BELOW: an inexact number left the range of doubles. What is computed with these is as they are; number_node reports it
  enum { SMALL, BIG, INEXACT, LOST, ABOVE, BELOW } form;
  int64_t n, d;
  double x, low, error;                // if INEXACT: x + low, x the double nearest to it; rounding has changed it by error at most
  mpq_t q;                             // initialised only if BIG
} number;

// lowest terms, d > 0 given
static inline void number_set(number *a, int64_t n, int64_t d) {
  a->form = SMALL;
  a->n = n;
  a->d = d;
}
void number_set_float(number *a, double x);
typedef struct hml_pair { double x, low, error; } hml_pair;        // as in a number that is INEXACT; error may be infinite
hml_pair number_pair(hml_expr node);                               // not a number without memory, infinite out of range
void number_set_pair(number *a, double x, double low);             // x + low, |low| at most |x|, without error
void number_set_bounded(number *a, hml_pair p);                    // the exact 0 where that is certain
bool number_may_vanish(const number *a);                           // inexact, and no larger than its error
void number_pow(number *out, const hml_pair *base, const hml_pair *exponent);           // inexact (value_quad.c); not a number where it is not real
bool number_call(number *out, hml_function f, const hml_pair *a, const hml_pair *b);    // false: rounding or the range of doubles leave no value
void number_read(number *a, hml_expr node);
void number_copy(number *a, const number *b);
void number_from_mpz(number *a, mpz_srcptr z);
void number_take(number *a, mpq_srcptr q);                          // q, canonical, is a's from now on
void number_parts(hml_expr node, number *numerator, number *denominator);   // of an exact number
static inline void number_clear(number *a) {
  if (a->form == BIG) mpq_clear(a->q);
  number_set(a, 0, 1);
}
bool number_lost(hml_context *c, const number *a);                 // or out of range; raises the failure
bool number_digits(mpz_srcptr z, char *out);                       // decimal; false: out of memory
void number_add(number *a, const number *b);                       // a += b
void number_mul(number *a, const number *b);                       // a *= b
bool number_power(number *a, int64_t k);                           // a = a^k; false: a negative power of what may be 0, or too large
static inline int number_sign(const number *a) {
  if (a->form == BIG) return mpq_sgn(a->q);
  if (a->form == INEXACT) return (a->x > 0) - (a->x < 0);
  if (a->form >= LOST) return 1;
  return (a->n > 0) - (a->n < 0);
}
uint64_t number_bits(const number *a);                             // of numerator and denominator
static inline bool number_is(const number *a, int64_t value) { return a->form == SMALL && a->n == value && a->d == 1; }
double number_value(const number *a);                              // nan when lost
hml_expr number_node(hml_context *c, number *a);                   // clears a
hml_status compare_numbers(hml_context *c, hml_expr a, hml_expr b, int *sign);     // of a - b; exact where they are

// ---- roots of exact numbers (roots.c)
hml_expr root_of_number(hml_context *c, hml_expr base, int64_t p, int64_t q);      // base^(p/q) of a positive number, q > 1
// Positive integers as products of the pairwise coprime ones of a list, which grows and is split as they are entered
hml_status enter_coprime(hml_context *c, hml_expr n, hml_expr *list, size_t *count, size_t capacity);
// The exponent of n > 1 in *rest, which is divided by that power; *rest is NULL when that fails
uint64_t exponent_in(hml_context *c, hml_expr n, hml_expr *rest);
hml_expr exact_square_root(hml_context *c, hml_expr n);            // of a positive integer; NULL if it is no square

// ---- interning (node.c)
struct hml_pool *pool_of(hml_context *c);                          // built at the first use
hml_expr node_number(hml_context *c, const number *a);
hml_expr node_symbol(hml_context *c, const char *name, size_t length, unsigned flags, unsigned order);
hml_expr node_compound(hml_context *c, hml_kind kind, hml_function f, size_t n, const hml_expr *operands);
hml_expr pool_template(hml_context *c, hml_function f, size_t k);  // partial derivative as an expression in a, b, f; NULL if unset
void pool_set_template(hml_context *c, hml_function f, size_t k, hml_expr e);

// ---- rows of functions.def (functions.c)
typedef enum { ODD, EVEN, NONE } symmetry;
typedef enum { REAL, UNIT, WITHIN_UNIT, ABOVE_0, ABOVE_1, NOT_00, TABLE } domain;   // UNIT: [-1, 1], WITHIN_UNIT: its inside
typedef struct function_row {
  const char *name;
  unsigned arity;
  const char *partial[2];
  symmetry symmetry;
  domain domain;
  const char *latex, *help;
} function_row;
extern const function_row function_rows[HML_FUN_COUNT];
bool is_placeholder(hml_expr e);                                   // of a text of a partial derivative

// ---- the exact number pi (circle.c)
bool is_pi(hml_expr e);
bool is_multiple_of_pi(hml_expr e);                                 // by a number
hml_expr hml_expr__sine_of_twelfths(hml_context *c, int64_t k);     // sin(k pi/12) in square roots
hml_expr hml_expr__turned(hml_context *c, hml_function f, hml_expr a);   // sin, cos, tan of an argument with a multiple of pi; NULL: as it is

hml_expr hml_expr__known_angle(hml_context *c, hml_function f, hml_expr a);   // the multiple of pi/12 whose sine or tangent is a; NULL: there is none

// ---- sines and cosines of sums (turns.c)
typedef struct hml_turn {
  hml_expr sine, cosine;               // of an angle
} hml_turn;
hml_turn hml_turn__joined(hml_context *c, hml_turn a, hml_turn b);   // of a + b
// sin, cos, tan of a normal argument with terms whose sine and cosine are algebraic; NULL: there are none
hml_expr hml_expr__turned_in_roots(hml_context *c, hml_function f, hml_expr a);

// ---- zeros at sight (decide.c)
// Are the values at the points tried, where there are any, zero within their errors? Kept in the node.
bool hml_expr__may_vanish(hml_context *c, hml_expr e);

// ---- coefficient of a term: e = number * rest; rest is NULL for a pure number (build.c)
hml_expr split_coefficient(hml_context *c, hml_expr e, number *coefficient);
bool has_negative_sign(hml_expr e);                                 // would print with a leading minus

#endif
