// poly.h: fractions of integer polynomials in given generators, modulo relations generator^2 = polynomial. The only door to FLINT.
//
// All objects made in a ring belong to it and are freed by hml_ring__free. All functions on fractions must run inside
// hml_ring__guard: an abort of FLINT, a budget that is exceeded or an interrupt leaves the guarded function at once.
#ifndef HML_POLY_H
#define HML_POLY_H

#include "budget.h"
#include "expr_impl.h"

typedef struct hml_ring hml_ring;
typedef struct hml_ratio hml_ratio;

// Generators below first_sine with a relation are radicals: they leave denominators.
hml_ring *hml_ring__new(hml_context *c, size_t generators, size_t first_sine, const hml_budget *budget);
void hml_ring__free(hml_ring *r);
// Runs work(data). Returns its status, or the status of an interruption (HML_LIMIT, HML_INTERRUPTED, HML_UNDEFINED, ...). No nesting.
hml_status hml_ring__guard(hml_ring *r, hml_status (*work)(void *data), void *data);
const char *hml_ring__reason(const hml_ring *r);                     // of the last stop
_Noreturn void hml_ring__stop(hml_ring *r, hml_status status, const char *reason);   // leaves the guarded function
void hml_ring__check(hml_ring *r);                                   // stops when the time is over or an interrupt waits
// For tests: the call-th of this thread's next long calls of FLINT (1: the very next) fails as FLINT fails; 0: none
void hml_ring__abort_at(int call);
int64_t hml_ring__held(void);                                        // bytes in FLINT's blocks, of all rings of this thread

hml_ratio *hml_ratio__generator(hml_ring *r, size_t i);
hml_ratio *hml_ratio__number(hml_ring *r, hml_expr number);    // exact
hml_ratio *hml_ratio__integer(hml_ring *r, int64_t n);
hml_ratio *hml_ratio__add(hml_ring *r, const hml_ratio *a, const hml_ratio *b);
hml_ratio *hml_ratio__mul(hml_ring *r, const hml_ratio *a, const hml_ratio *b);
hml_ratio *hml_ratio__power(hml_ring *r, const hml_ratio *a, int64_t k);      // k < 0: a must not be zero
hml_ratio *hml_ratio__numerator(hml_ring *r, const hml_ratio *a);
hml_ratio *hml_ratio__denominator(hml_ring *r, const hml_ratio *a);
bool hml_ratio__is_zero(const hml_ring *r, const hml_ratio *a);
bool hml_ratio__is_one(const hml_ring *r, const hml_ratio *a);
hml_ratio *hml_ratio__cancelled(hml_ring *r);                  // product of the gcds removed since the ring was made

// generator i squared is the polynomial `square` (denominator 1) in later generators
void hml_ring__relation(hml_ring *r, size_t i, const hml_ratio *square);

// ---- of a polynomial, that is a fraction with denominator 1
size_t hml_poly__terms(const hml_ring *r, const hml_ratio *p);
hml_expr hml_poly__term(hml_ring *r, const hml_ratio *p, size_t i, uint64_t *exponents);   // its coefficient; exponents per generator
uint64_t hml_poly__degree(const hml_ring *r, const hml_ratio *p, size_t generator);
// n = quotient d + remainder, no term of which the leading term of d divides
void hml_poly__divide(hml_ring *r, const hml_ratio *n, const hml_ratio *d, hml_ratio **quotient, hml_ratio **remainder);
// (1 - other^2)^k for every generator^(2k): the relation read the other way
hml_ratio *hml_poly__swap(hml_ring *r, const hml_ratio *p, size_t generator, size_t other);
// p = constant * product of factors^exponents; false if factoring failed (then one factor: p itself)
bool hml_poly__factor(hml_ring *r, const hml_ratio *p, hml_expr *constant, size_t capacity, hml_ratio **factors, uint64_t *exponents,
                      size_t *count);
// Terms of p with the given exponents of the marked generators, those divided out; `rest` are the others
hml_ratio *hml_poly__split(hml_ring *r, const hml_ratio *p, const unsigned char *marked, const uint64_t *exponents);

#endif
