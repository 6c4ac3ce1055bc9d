// expr.h: door of the room: functions on expressions for other rooms, besides those of hamel.h.
#ifndef HML_EXPR_H
#define HML_EXPR_H

#include "base/base.h"
#include "numeric/numeric.h"         // sine and cosine for rows of functions.def

enum {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) HML_FUN_##name,
#include "expr/functions.def"
#undef FUN
  HML_FUN_COUNT,
  HML_FUN_opaque = HML_FUN_COUNT       // functions known by name alone: opaque.c
};

// Every distinct node reachable from the roots, operands before users, roots visited in order. The array is in the arena.
hml_status hml_expr__postorder(hml_arena *arena, size_t n, const hml_expr *roots, hml_expr **nodes, size_t *count);

// ---- tabled.c: measured data
double hml_tabled(double id, double x, int order);                    // the order-th derivative at x; nan outside, or where there is no such table
// Bounds of the order-th derivative from `low` to `high`; smooth: it is continuous there. False where it is not defined on all of that
bool hml_tabled__bounds(double id, double low, double high, int order, double bounds[2], bool *smooth);
bool hml_tabled__ends(double id, double ends[2]);                        // the first and the last argument; false: no such table
const char *hml_tabled__name(double id);                              // NULL: no such table
// Rates left and right of an inner point x where linear data bend; false: it is no such point
bool hml_tabled__bend(double id, double x, double rates[2]);
double hml_tabled__find(const char *name, size_t length, size_t *tables);   // the latest table of this name (0: none) and how many there are
// The interval that holds x, at a point the one on that side of it (0: either): its ends, its left end, and the coefficients of the cubic in the
// distance from there; false: x is outside, or there is none on that side
bool hml_tabled__piece(double id, double x, int side, double piece[7]);
bool hml_tabled__is(hml_function f, unsigned *order);                 // is f one of its rows, and which derivative?

// ---- opaque.c: functions known by name alone
enum { HML_OPAQUE_ARGUMENTS = 8, HML_OPAQUE_ORDER = 64 };              // the most arguments, the highest derivative
enum { HML_FUNCTION_NAME = 16 };                                      // flag of a symbol that names a function: no variable
bool hml_opaque__is(hml_expr e);
size_t hml_opaque__arity(hml_expr call);
const char *hml_opaque__name(hml_expr call);                          // the node's
unsigned hml_opaque__order(hml_expr call, size_t i);                   // of the derivative by argument i
unsigned hml_opaque__total_order(hml_expr call);
bool hml_opaque__of_symbols(hml_expr call);                           // its arguments are distinct symbols
hml_expr hml_opaque__call(hml_context *c, size_t n, const hml_expr *operands);      // name, arguments, orders
hml_expr hml_opaque__partial(hml_context *c, hml_expr call, size_t operand);
hml_status hml_opaque__refuse(hml_context *c, hml_expr call);          // no value: it is not defined
// The value at x of a function that has this name, bounds of its slopes, and the size that its rounding errors are relative to
double hml_opaque__sample(hml_expr call, const double *x, double slope[HML_OPAQUE_ARGUMENTS], double *size);

// Value of row f at (a, b); b is ignored by functions of one argument.
double hml_function__value(hml_function f, double a, double b);

// Partial derivative of call f(a, b) = fab with respect to argument k, as an expression.
hml_expr hml_function__placeholder(hml_context *c, unsigned k);         // a, b, f of the texts of partial derivatives; tables accept them too
hml_expr hml_function__partial(hml_context *c, hml_expr call, size_t k);

// Sign of a number, exact where the number is: a tiny one is not zero, though its double may be.
int hml_expr__sign(hml_expr number);
bool hml_expr__is_double(hml_expr e);                                 // an inexact number that is a double
hml_expr hml_expr__exact(hml_context *c, hml_expr number);            // the rational number that an inexact one is
double hml_expr__rest(hml_expr number);                                // what hml_number_value leaves of it, relative

// The exact number that a double written in a formula stands for: a short fraction, a short decimal, or the square root of a short fraction, as 2^0.5 gives it;
// the double itself otherwise
hml_expr hml_expr__from_written(hml_context *c, double value);

// Is the value positive, or not negative, for every admissible value of the symbols where it has one, as far as is known?
bool hml_expr__known_positive(hml_expr e);
bool hml_expr__known_nonnegative(hml_expr e);

// Sign of an expression without symbols, where its value is certainly not zero; 0: not certain, or there are symbols
int hml_expr__constant_sign(hml_context *c, hml_expr e);

// The same expressions with sin(a + b) = sin a cos b + cos a sin b and the like; out may be e itself. *changed: there was such a sum
hml_status hml_expr__split_angles(hml_context *c, size_t n, const hml_expr *e, hml_expr *out, bool *changed);

// The innermost part of e whose value the rounding errors hide at a point where all parts have one: 1/(sin(x)^2 + cos(x)^2 - 1), sin(1e17 pi).
// NULL: there is none
hml_status hml_expr__hidden(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, const double *values, hml_expr *part);

// ---- residue.c: values of expressions modulo a prime at random points
//
// Each symbol gets a random value, sines and cosines of a base angle a random point of the circle, exponentials a random value, roots a root modulo
// p. Functions without such a rule (logarithms, inverse functions, functions known by name alone) are atoms with a random value each.
typedef struct hml_residues_spec {
  size_t n;
  const hml_expr *roots;               // what is evaluated
  size_t n_fixed;
  const hml_expr *fixed;               // symbols with one value at all points
  size_t size, columns;                // matrix (size x size) times rates (size x columns) = right at each point; row-major
  const hml_expr *matrix, *right, *rates;   // rates: symbols that may occur in `roots`
  size_t points;
  uint64_t *values;                    // points x n residues, all in the same form, are written here
  uint64_t above, seed;                // primes below `above` are tried; 0: below 2^62
  hml_limits limits;
} hml_residues_spec;
typedef struct hml_residues {
  uint64_t p;
  bool independent;                    // are the atoms known to be independent functions?
} hml_residues;
// fails: HML_UNSUPPORTED (functions without values modulo p, inexact numbers), HML_UNDEFINED (no point found), HML_LIMIT, HML_INTERRUPTED
hml_status hml_residues__draw(hml_context *c, const hml_residues_spec *spec, hml_residues *out);

// ---- triangular.c: M a = r + A^T lambda, A a + b = 0 as  a_i = side_i + sum_j part_ij a_j,  j before i in `order`, all in lowest terms
typedef struct hml_exact_system {
  size_t n, m;
  const hml_expr *M, *A, *r, *b;       // (n x n), (m x n), (n), (m)
  const bool *implied;                 // rows that hold where the others do; NULL: none     (m)
  size_t most_terms;                   // of all sides together
} hml_exact_system;
typedef struct hml_triangle {
  size_t *order;                       // (n)
  hml_expr *side, *part;               // (n), (n x n)
  hml_expr *pivot, *diagonal;          // the pivot behind an acceleration and the entry of M before other pivots; NULL: a row gives it by a number   (n)
} hml_triangle;
// The arrays are the caller's. *found is false where a row has no number for a pivot, a divisor in the equations may vanish, a number is inexact, the
// pivots are longer than the entries that they come from, or there are more terms than `most_terms` and `limits` allow. It holds where no pivot vanishes
hml_status hml_expr__triangle(hml_context *c, const hml_exact_system *s, const hml_limits *limits, hml_triangle *out, bool *found);

// ---- sift.c: linear algebra modulo a prime p below 2^62
// Row echelon form from the left, in place: the first `rank` rows, each with 1 in its pivot column
hml_status hml_sift__echelon(hml_context *c, uint64_t p, size_t rows, size_t columns, uint64_t *entries, const hml_limits *limits, size_t *pivots, size_t *rank);
// The null vector of an echelon form with 1 in the column `free` and else entries in pivot columns before it
void hml_sift__null_vector(uint64_t p, size_t columns, const uint64_t *entries, const size_t *pivots, size_t rank, size_t free, uint64_t *vector);
// The fraction that is residues[i] modulo primes[i], its numerator times its denominator below their product by a million; NULL: there is none
hml_status hml_sift__fraction(hml_context *c, size_t n, const uint64_t *primes, const uint64_t *residues, hml_expr *out);

// Text of at most `limit` characters (with an ellipsis when cut), for messages. buffer holds limit + 4 bytes at least.
void hml_expr__brief(hml_context *c, hml_expr e, size_t limit, char *buffer);

#endif
