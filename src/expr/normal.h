// normal.h: expressions as fractions of polynomials and back, shared by the files of exact algebra.
#ifndef HML_NORMAL_H
#define HML_NORMAL_H

#include "poly.h"

typedef enum { GEN_RADICAL, GEN_SINE, GEN_COSINE, GEN_EXPONENTIAL, GEN_OPAQUE, GEN_SYMBOL } generator_kind;

typedef struct generator {
  generator_kind kind;
  hml_expr e;                          // the node of the generator; of a radical: sqrt(base) or abs(x) times `scale`
  hml_expr scale;                      // of a radical: the denominator taken into it; NULL: 1
  size_t partner;                      // of a sine: its cosine, and the reverse
} generator;

typedef struct hml_normal {
  hml_context *c;
  hml_arena arena;
  hml_ring *ring;
  const hml_budget *budget;            // of the call
  size_t n;
  generator *generators;
  hml_table ratios;                    // node -> hml_ratio
  hml_expr *nodes;                     // algebraic nodes, operands first
  size_t count;
  hml_table index, angles, exponents;  // node -> generator; atom -> angle, exponent
  hml_expr *coprime;                   // integers whose roots are generators
  size_t n_coprime;
  hml_expr roots[2];                   // sqrt(2), sqrt(3) if pi occurs inside
  bool inexact;                        // an inexact number occurs inside
  int64_t highest;                     // multiple of a base angle that is expanded; a higher one stops with HML_LIMIT
  bool plain_tanh;                     // tanh is a generator of its own: no exponential and no related tanh occurs inside
} hml_normal;

// Collects the generators of the roots. Returns HML_OK or a failure with its message in the context (out of memory, interrupt).
hml_status hml_normal__open(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, const hml_budget *budget);
// The same; angles and exponents in units that also fit the whole expression (NULL: none)
hml_status hml_normal__open_beside(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, hml_expr whole, const hml_budget *budget);
void hml_normal__close(hml_normal *f);
// Opens, works under guard, closes. A failure puts `what` and the reason into the context
hml_status hml_normal__run(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, const hml_budget *budget, hml_status (*work)(void *),
                           void *data, const char *what);
// ---- inside hml_ring__guard(f->ring, ...)
void hml_normal__convert(hml_normal *f);                              // every node collected gets its fraction
hml_ratio *hml_normal__ratio(hml_normal *f, hml_expr root);
hml_expr hml_normal__polynomial(hml_normal *f, const hml_ratio *p);    // multiplied out
hml_expr hml_normal__monomial(hml_normal *f, const uint64_t *exponents, hml_expr coefficient);
// Shortest form found for a fraction; by: generators marked for grouping, or NULL for accelerations, velocities and externals
hml_expr hml_normal__compact(hml_normal *f, const hml_ratio *a, const unsigned char *by);
// As a sum of terms: a polynomial, and the remainder over the denominator
hml_expr hml_normal__terms(hml_normal *f, const hml_ratio *a);
// As a product of powers of factors, sine or cosine in each as it is shorter
hml_expr hml_normal__fraction(hml_normal *f, const hml_ratio *a);
// Nonzero as a fraction is nonzero as a function: no generator depends on the others (proved of symbols and their sines and exponentials)
bool hml_normal__independent(const hml_normal *f);
hml_expr hml_normal__factored(hml_normal *f, const hml_ratio *p, const unsigned char *by);

// A value at a real point exceeds the bound of its rounding error (decide.c)
bool hml_expr__certainly_nonzero(hml_context *c, hml_expr e);
// Is e, zero wherever no argument of a sign in it vanishes, proved to be zero there too? (decide.c)
bool hml_expr__zero_at_signs(hml_context *c, hml_expr e, const hml_budget *budget);
// Do two forms differ with certainty where the argument of a sign in them is zero?
bool hml_expr__differ_at_signs(hml_context *c, hml_expr a, hml_expr b, const hml_budget *budget);
int hml_expr__certain_sign(hml_context *c, hml_expr constant);        // of an expression without symbols; 0: not certain

// ---- rewritings of expressions (canonical.c, contract.c, radicals.c)
// Equal as functions as far as the rules of canonical.c go, equal as nodes; the input where an argument has no value; NULL: out of memory
// or interrupted
hml_expr hml_expr__canonical(hml_context *c, hml_expr e, const hml_budget *budget);
// sin a cos b + cos a sin b = sin(a + b) and its kin; e as far as it was rewritten when the time was over
hml_expr hml_expr__contract(hml_context *c, hml_expr e, const hml_budget *budget);
// The arguments of functions inside of e are short already
hml_expr hml_expr__shorten_argument(hml_context *c, hml_expr e, const hml_budget *budget);
// A sum with pairs merged, C - C sin^2 a = C cos^2 a, and where `gather` is set terms that differ in parameters alone taken together;
// the sum itself where that is not shorter
hml_expr hml_expr__pair(hml_context *c, hml_expr sum, bool gather);
hml_expr hml_expr__split_radicals(hml_context *c, hml_expr e, const hml_budget *budget);

// e with signs as in print (signs.c): no leading minus where turning a factor a - b avoids it, no sum of negative terms alone
hml_expr hml_expr__signed(hml_context *c, hml_expr e);
// Minus signs in e, of at most `limit` nodes; 0 for larger ones
size_t hml_expr__minuses(hml_expr e, uint64_t limit);

// e with half angles where that is shorter (halves.c); shorten: its short form, or NULL
hml_expr hml_expr__halve(hml_context *c, hml_expr e, hml_expr (*shorten)(void *data, hml_expr e), void *data);

// Functions and symbols that take their place (coefficient.c): those among `functions` that the normal form replaces by others (sines,
// hyperbolic functions, absolute values, signs), and with a sine its cosine, with a sinh its cosh. Freed with its arena.
typedef struct hml_replaced {
  hml_arena arena;
  size_t count;
  hml_expr *from, *to;
} hml_replaced;
hml_status hml_replaced__open(hml_replaced *r, hml_context *c, size_t n, const hml_expr *functions);

// hml_simplify and hml_is_zero as steps of a call whose clock runs already (simplify.c, decide.c)
hml_expr hml_expr__simplify(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_budget *budget,
                            hml_reduction *info);
hml_status hml_expr__is_zero(hml_context *c, hml_expr e, const hml_budget *budget, hml_verdict *verdict, double *evidence);

#endif
