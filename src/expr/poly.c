// poly.c: the only file that knows FLINT: fractions of multivariate polynomials over the integers, reduced and in lowest terms.
//
// Work runs inside hml_ring__guard and may be left by a jump at any call of FLINT: its errors come as abort() or as a throw, which are
// redirected; budgets and the interrupt flag are checked before every long call, and inside of one whenever it allocates. So every
// temporary belongs to the ring. What FLINT itself held when it was left in the middle of a call is lost.
#include "poly.h"

#include <gmp.h>

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#if defined(__linux__)
#include <malloc.h>
#define HELD(block) malloc_usable_size(block)
#elif defined(__APPLE__)
#include <malloc/malloc.h>
#define HELD(block) malloc_size(block)
#endif

#define MAX_POWER 200
// The general one aborts before 3.2.0 (FLINT issue 1998: leading coefficients in Wang's method), having printed to stdout
#if __FLINT_RELEASE >= 30200
#define FACTORISER fmpz_mpoly_factor
#else
#define FACTORISER fmpz_mpoly_factor_zippel
#endif
#define MANY_TERMS 200                // sight reaches so far
#define LONG_PRODUCT 1e6              // products of terms, some hundredths of a second
#define ALLOCATIONS_PER_LOOK 64       // at the clock and the interrupt flag
#define PATIENCE 0.1                  // seconds for a call of FLINT to end by itself when the time is over: then nothing is lost

struct hml_ratio {
  fmpz_mpoly_t n, d;
  struct hml_ratio *next, *next_spare;   // of all of a ring; of those given back
};

typedef struct relation {
  size_t generator;
  fmpz_mpoly_t poly;                   // generator^2 - square
} relation;

struct hml_ring {
  hml_context *context;
  size_t generators;
  fmpz_mpoly_ctx_t flint;
  hml_ratio *all, *spare;
  relation *relations;
  size_t n_relations, first_sine;      // relations of smaller generators are radicals
  hml_ratio *cancelled;
  fmpz_t k;                            // scratch, like the next three
  fmpz_mpoly_factor_t factors;
  ulong *exponents;
  number number;
  hml_budget budget;
  int64_t held_before;                 // when the ring was made
  double entered;                      // a long call, at this moment
  unsigned allocations;
  jmp_buf leave, rescue;
  bool guarded, rescuing;              // rescuing: an abort of FLINT leads to `rescue`
  const void *written[2];              // by the call of FLINT that runs; after a jump out of it they are abandoned
  bool inside;                         // of such a call
  hml_status status;
  char reason[200];
};

// ---- guard

static _Thread_local hml_ring *current;
static _Thread_local int calls_before_abort;
static _Thread_local int64_t held;

void hml_ring__stop(hml_ring *r, hml_status status, const char *reason) {
  r->status = status;
  snprintf(r->reason, sizeof r->reason, "%s", reason);
  longjmp(r->leave, 1);
}

// FLINT's own failures; outside of a guard nothing of ours can fail
FLINT_NORETURN static void on_abort(void) {
  if (!current || !current->guarded) abort();
  if (current->rescuing) longjmp(current->rescue, 1);
  hml_ring__stop(current, HML_LIMIT, "the polynomial library gave up");
}

#if __FLINT_RELEASE >= 30300
// Before 3.3.0 the text of an error is printed by FLINT; from then on it is not
static void on_throw(flint_err_t error, const char *message, va_list arguments) {
  (void)error;
  (void)message;
  (void)arguments;
  on_abort();
}
#endif

hml_status hml_ring__guard(hml_ring *r, hml_status (*work)(void *data), void *data) {
  hml_ring *outer = current;
  current = r;
  r->guarded = true;
  hml_status status;
  if (setjmp(r->leave) == 0) {
    status = work(data);
  } else {
    status = r->status;
  }
  r->guarded = r->rescuing = r->inside = false;
  current = outer;
  return status;
}

const char *hml_ring__reason(const hml_ring *r) { return r->reason; }

void hml_ring__check(hml_ring *r) {
  if (hml_interrupted(r->context)) hml_ring__stop(r, HML_INTERRUPTED, "interrupted");
  if (!hml_budget__is_over(&r->budget)) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %g s", r->budget.max_seconds);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// allowance: 1, or more inside of a call, which cannot be left without loss
static void check_bytes(hml_ring *r, double more, double allowance) {
  if (r->budget.max_bytes == 0 || (double)(held - r->held_before) + more <= allowance * (double)r->budget.max_bytes) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu bytes", r->budget.max_bytes);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// A product is predicted before it is made
static void check_product(hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  double terms = (double)fmpz_mpoly_length(a, r->flint) * (double)fmpz_mpoly_length(b, r->flint);
  if (terms <= 8.0 * (double)r->budget.max_terms) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu terms in a product", r->budget.max_terms);
  hml_ring__stop(r, HML_LIMIT, reason);
}

static void check_length(hml_ring *r, const fmpz_mpoly_t a) {
  size_t terms = (size_t)fmpz_mpoly_length(a, r->flint);
  if (r->budget.max_bytes > 0) {
    // the limbs of long coefficients are GMP's, which this library leaves to its host: estimated by the longest
    slong bits = fmpz_mpoly_max_bits(a);
    check_bytes(r, labs(bits) > 62 ? (double)terms * (16 + (double)labs(bits) / 8) : 0, 1);
  }
  if (terms <= r->budget.max_terms) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu terms", r->budget.max_terms);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// ---- memory of FLINT: libc's blocks, as without us, but counted; a long call is left where it asks for a block. It is never left
// where it asks for a larger one: FLINT enlarges its lists of free integers after it has noted the new size

static void look_around(void) {
  hml_ring *r = current;
  if (!r || !r->inside) return;
  check_bytes(r, 0, 1.5);
  if (++r->allocations % ALLOCATIONS_PER_LOOK == 0 && hml_budget__now() > r->entered + PATIENCE) hml_ring__check(r);
}

static void *counted(void *block) {
  if (!block) {
    if (current && current->guarded) hml_ring__stop(current, HML_MEMORY, "out of memory");
    abort();
  }
#ifdef HELD
  held += (int64_t)HELD(block);
#endif
  return block;
}

static void forget(void *block) {
#ifdef HELD
  if (block) held -= (int64_t)HELD(block);
#else
  (void)block;
#endif
}

static void *flint_allocate(size_t size) {
  look_around();
  return counted(malloc(size ? size : 1));
}

static void *flint_allocate_zeroed(size_t n, size_t size) {
  look_around();
  return counted(calloc(n ? n : 1, size ? size : 1));
}

static void *flint_reallocate(void *block, size_t size) {
  forget(block);
  return counted(realloc(block, size ? size : 1));
}

static void flint_release(void *block) {
  forget(block);
  free(block);
}

static void install_handlers(void) {
  __flint_set_memory_functions(flint_allocate, flint_allocate_zeroed, flint_reallocate, flint_release);
  flint_set_abort(on_abort);
#if __FLINT_RELEASE >= 30300
  flint_set_throw(on_throw);
#endif
}

// ---- calls of FLINT that may take long, need much memory or fail stand between these two; a and b are what it writes

static void enter(hml_ring *r, const void *a, const void *b) {
  hml_ring__check(r);
  check_bytes(r, 0, 1);
  if (calls_before_abort > 0 && --calls_before_abort == 0) {
#if __FLINT_RELEASE >= 30300
    flint_throw(FLINT_ERROR, "asked for");
#else
    flint_abort();
#endif
  }
  r->entered = hml_budget__now();
  r->written[0] = a;
  r->written[1] = b;
  r->inside = true;
}

static void leave(hml_ring *r) {
  r->inside = false;
  r->written[0] = r->written[1] = NULL;
}

void hml_ring__abort_at(int call) { calls_before_abort = call; }
int64_t hml_ring__held(void) { return held; }

// ---- rings

hml_ring *hml_ring__new(hml_context *c, size_t generators, size_t first_sine, const hml_budget *budget) {
  install_handlers();
  hml_ring *r = hml_alloc(c, sizeof *r);
  if (!r) return NULL;
  r->context = c;
  r->generators = generators ? generators : 1;
  r->first_sine = first_sine;
  r->budget = *budget;
  r->held_before = held;
#ifndef HELD
  // nobody tells the size of a block: some hundred bytes a term with the intermediate results
  if (budget->max_bytes > 0 && budget->max_bytes / 512 < r->budget.max_terms) r->budget.max_terms = budget->max_bytes / 512 + 1;
#endif
  r->relations = hml_alloc(c, r->generators * sizeof *r->relations);
  r->exponents = hml_alloc(c, r->generators * sizeof *r->exponents);
  if (!r->relations || !r->exponents) {
    hml_dealloc(c, r->relations, r->generators * sizeof *r->relations);
    hml_dealloc(c, r->exponents, r->generators * sizeof *r->exponents);
    hml_dealloc(c, r, sizeof *r);
    return NULL;
  }
  number_set(&r->number, 0, 1);
  fmpz_mpoly_ctx_init(r->flint, (slong)r->generators, ORD_LEX);
  fmpz_init(r->k);
  fmpz_mpoly_factor_init(r->factors, r->flint);
  return r;
}

static void clear_poly(hml_ring *r, fmpz_mpoly_t p) {
  if (r->written[0] != p && r->written[1] != p) fmpz_mpoly_clear(p, r->flint);
}

void hml_ring__free(hml_ring *r) {
  if (!r) return;
  for (hml_ratio *f = r->all, *next; f; f = next) {
    next = f->next;
    clear_poly(r, f->n);
    clear_poly(r, f->d);
    hml_dealloc(r->context, f, sizeof *f);
  }
  for (size_t i = 0; i < r->n_relations; i++) clear_poly(r, r->relations[i].poly);
  if (r->written[0] != r->factors) fmpz_mpoly_factor_clear(r->factors, r->flint);
  fmpz_clear(r->k);
  number_clear(&r->number);
  fmpz_mpoly_ctx_clear(r->flint);
  hml_dealloc(r->context, r->relations, r->generators * sizeof *r->relations);
  hml_dealloc(r->context, r->exponents, r->generators * sizeof *r->exponents);
  hml_dealloc(r->context, r, sizeof *r);
}

static hml_ratio *new_ratio(hml_ring *r) {
  hml_ratio *f = r->spare;
  if (f) {
    r->spare = f->next_spare;
    return f;
  }
  f = hml_alloc(r->context, sizeof *f);
  if (!f) hml_ring__stop(r, HML_MEMORY, "out of memory");
  fmpz_mpoly_init(f->n, r->flint);
  fmpz_mpoly_init(f->d, r->flint);
  f->next = r->all;
  r->all = f;
  fmpz_mpoly_one(f->d, r->flint);
  return f;
}

// A temporary that nobody points to any more
static void give_back(hml_ring *r, hml_ratio *f) {
  fmpz_mpoly_zero(f->n, r->flint);
  fmpz_mpoly_one(f->d, r->flint);
  f->next_spare = r->spare;
  r->spare = f;
}

void hml_ring__relation(hml_ring *r, size_t i, const hml_ratio *square) {
  relation *rel = &r->relations[r->n_relations++];
  rel->generator = i;
  fmpz_mpoly_init(rel->poly, r->flint);
  fmpz_mpoly_gen(rel->poly, (slong)i, r->flint);
  fmpz_mpoly_mul(rel->poly, rel->poly, rel->poly, r->flint);
  fmpz_mpoly_sub(rel->poly, rel->poly, square->n, r->flint);
  // the highest generator first, so that one pass reduces
  for (size_t k = r->n_relations - 1; k > 0 && r->relations[k - 1].generator > r->relations[k].generator; k--) {
    relation t = r->relations[k];
    r->relations[k] = r->relations[k - 1];
    r->relations[k - 1] = t;
  }
}

// p modulo all relations: their leading terms are coprime squares of generators, hence a Groebner basis as they stand
static void reduce(hml_ring *r, fmpz_mpoly_t p) {
  hml_ratio *t = new_ratio(r);
  for (size_t i = 0; i < r->n_relations; i++) {
    if (fmpz_mpoly_degree_si(p, (slong)r->relations[i].generator, r->flint) < 2) continue;
    enter(r, t->n, t->d);
    fmpz_mpoly_divrem(t->n, t->d, p, r->relations[i].poly, r->flint);
    leave(r);
    fmpz_mpoly_swap(p, t->d, r->flint);
    check_length(r, p);
  }
  give_back(r, t);
}

// The terms of a from `first` on, at most `count`
static void take_terms(hml_ring *r, fmpz_mpoly_t out, const fmpz_mpoly_t a, slong first, slong count) {
  fmpz_mpoly_zero(out, r->flint);
  for (slong i = first; i < first + count && i < fmpz_mpoly_length(a, r->flint); i++) {
    fmpz_mpoly_get_term_coeff_fmpz(r->k, a, i, r->flint);
    fmpz_mpoly_get_term_exp_ui(r->exponents, a, i, r->flint);
    fmpz_mpoly_push_term_fmpz_ui(out, r->k, r->exponents, r->flint);
  }
}

// A long product is made in parts: FLINT looks neither at clocks nor at flags
static void multiply(hml_ring *r, fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  slong n = fmpz_mpoly_length(a, r->flint), m = fmpz_mpoly_length(b, r->flint);
  if ((double)n * (double)m <= LONG_PRODUCT) {
    enter(r, out, NULL);
    fmpz_mpoly_mul(out, a, b, r->flint);
    leave(r);
    return;
  }
  const fmpz_mpoly_struct *longer = n > m ? a : b, *shorter = n > m ? b : a;
  slong step = (slong)(LONG_PRODUCT / (double)(n > m ? m : n)) + 1;
  hml_ratio *sum = new_ratio(r), *t = new_ratio(r);
  for (slong i = 0; i < (n > m ? n : m); i += step) {
    take_terms(r, t->n, longer, i, step);
    enter(r, t->d, NULL);
    fmpz_mpoly_mul(t->d, t->n, shorter, r->flint);
    leave(r);
    fmpz_mpoly_add(sum->n, sum->n, t->d, r->flint);
    check_length(r, sum->n);
  }
  fmpz_mpoly_swap(out, sum->n, r->flint);
  give_back(r, t);
  give_back(r, sum);
}

static void product(hml_ring *r, fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  check_product(r, a, b);
  multiply(r, out, a, b);
  reduce(r, out);
  check_length(r, out);
}

// false: FLINT found none and g is meaningless
static bool greatest_divisor(hml_ring *r, fmpz_mpoly_t g, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  enter(r, g, NULL);
  bool fine = fmpz_mpoly_gcd(g, a, b, r->flint) != 0;
  leave(r);
  return fine;
}

static bool divides(hml_ring *r, fmpz_mpoly_t quotient, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  enter(r, quotient, NULL);
  bool fine = fmpz_mpoly_divides(quotient, a, b, r->flint) != 0;
  leave(r);
  return fine;
}

static void divide_exactly(hml_ring *r, fmpz_mpoly_t quotient, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  if (!divides(r, quotient, a, b)) hml_ring__stop(r, HML_LIMIT, "a division did not come out even");
}

// ---- lowest terms

// The generator of a relation that is a radical (not a sine) inside d; -1: none
static slong radical_in(const hml_ring *r, const fmpz_mpoly_t d) {
  for (size_t i = 0; i < r->n_relations; i++)
    if (r->relations[i].generator < r->first_sine && fmpz_mpoly_degree_si(d, (slong)r->relations[i].generator, r->flint) > 0)
      return (slong)r->relations[i].generator;
  return -1;
}

// p with the sign of generator g turned: p = even + odd g
static void conjugate(hml_ring *r, fmpz_mpoly_t out, const fmpz_mpoly_t p, slong g) {
  fmpz_mpoly_set(out, p, r->flint);
  for (slong i = 0; i < fmpz_mpoly_length(out, r->flint); i++) {
    fmpz_mpoly_get_term_exp_ui(r->exponents, out, i, r->flint);
    if (r->exponents[g] % 2 == 0) continue;
    fmpz_mpoly_get_term_coeff_fmpz(r->k, out, i, r->flint);
    fmpz_neg(r->k, r->k);
    fmpz_mpoly_set_term_coeff_fmpz(out, i, r->k, r->flint);
  }
}

static void note_cancelled(hml_ring *r, const fmpz_mpoly_t g) {
  if (fmpz_mpoly_is_fmpz(g, r->flint)) return;
  if (!r->cancelled) {
    r->cancelled = new_ratio(r);
    fmpz_mpoly_one(r->cancelled->n, r->flint);
  }
  // kept as a product without repetitions
  hml_ratio *t = new_ratio(r);
  if (!divides(r, t->n, r->cancelled->n, g) && fmpz_mpoly_length(r->cancelled->n, r->flint) < 200) {
    fmpz_mpoly_mul(t->n, r->cancelled->n, g, r->flint);
    fmpz_mpoly_swap(r->cancelled->n, t->n, r->flint);
  }
  give_back(r, t);
}

// Radicals leave the denominator by their conjugates; a sine may stay there
static void clear_radicals(hml_ring *r, hml_ratio *f) {
  for (slong g; (g = radical_in(r, f->d)) >= 0;) {
    hml_ratio *t = new_ratio(r);
    conjugate(r, t->n, f->d, g);
    product(r, f->n, f->n, t->n);
    product(r, f->d, f->d, t->n);
    give_back(r, t);
    if (fmpz_mpoly_is_zero(f->d, r->flint)) hml_ring__stop(r, HML_LIMIT, "radicals depend on each other");
  }
}

static void cancel(hml_ring *r, hml_ratio *f) {
  hml_ratio *t = new_ratio(r);
  if (greatest_divisor(r, t->n, f->n, f->d) && !fmpz_mpoly_is_one(t->n, r->flint)) {
    divide_exactly(r, f->n, f->n, t->n);
    divide_exactly(r, f->d, f->d, t->n);
    note_cancelled(r, t->n);
  }
  give_back(r, t);
}

static void normalise(hml_ring *r, hml_ratio *f) {
  if (fmpz_mpoly_is_zero(f->d, r->flint)) hml_ring__stop(r, HML_UNDEFINED, "a denominator vanishes identically");
  if (fmpz_mpoly_is_zero(f->n, r->flint)) {
    fmpz_mpoly_one(f->d, r->flint);
    return;
  }
  clear_radicals(r, f);
  if (!fmpz_mpoly_is_one(f->d, r->flint)) cancel(r, f);
  // the leading coefficient of the denominator is positive
  fmpz_mpoly_get_term_coeff_fmpz(r->k, f->d, 0, r->flint);
  if (fmpz_sgn(r->k) > 0) return;
  fmpz_mpoly_neg(f->n, f->n, r->flint);
  fmpz_mpoly_neg(f->d, f->d, r->flint);
}

// ---- arithmetic

hml_ratio *hml_ratio__generator(hml_ring *r, size_t i) {
  hml_ratio *f = new_ratio(r);
  fmpz_mpoly_gen(f->n, (slong)i, r->flint);
  return f;
}

hml_ratio *hml_ratio__integer(hml_ring *r, int64_t n) {
  hml_ratio *f = new_ratio(r);
  fmpz_mpoly_set_si(f->n, (slong)n, r->flint);
  return f;
}

hml_ratio *hml_ratio__number(hml_ring *r, hml_expr e) {
  if (e->kind != HML_NUMBER) hml_ring__stop(r, HML_UNSUPPORTED, "an inexact number stands in the expression");
  hml_ratio *f = new_ratio(r);
  if (!e->big) {
    fmpz_mpoly_set_si(f->n, (slong)node_small(e)->n, r->flint);
    fmpz_mpoly_set_si(f->d, (slong)node_small(e)->d, r->flint);
    return f;
  }
  fmpz_set_mpz(r->k, mpq_numref(node_mpq(e)));
  fmpz_mpoly_set_fmpz(f->n, r->k, r->flint);
  fmpz_set_mpz(r->k, mpq_denref(node_mpq(e)));
  fmpz_mpoly_set_fmpz(f->d, r->k, r->flint);
  return f;
}

hml_ratio *hml_ratio__add(hml_ring *r, const hml_ratio *a, const hml_ratio *b) {
  hml_ratio *f = new_ratio(r);
  if (fmpz_mpoly_equal(a->d, b->d, r->flint)) {
    fmpz_mpoly_add(f->n, a->n, b->n, r->flint);
    fmpz_mpoly_set(f->d, a->d, r->flint);
  } else {
    // over the least common denominator
    hml_ratio *g = new_ratio(r), *t = new_ratio(r);
    if (!greatest_divisor(r, g->n, a->d, b->d)) fmpz_mpoly_one(g->n, r->flint);
    divide_exactly(r, t->n, b->d, g->n);
    divide_exactly(r, t->d, a->d, g->n);
    product(r, f->n, a->n, t->n);
    product(r, g->n, b->n, t->d);
    fmpz_mpoly_add(f->n, f->n, g->n, r->flint);
    product(r, f->d, a->d, t->n);
    give_back(r, t);
    give_back(r, g);
  }
  check_length(r, f->n);
  normalise(r, f);
  return f;
}

hml_ratio *hml_ratio__mul(hml_ring *r, const hml_ratio *a, const hml_ratio *b) {
  hml_ratio *f = new_ratio(r);
  product(r, f->n, a->n, b->n);
  product(r, f->d, a->d, b->d);
  normalise(r, f);
  return f;
}

hml_ratio *hml_ratio__power(hml_ring *r, const hml_ratio *a, int64_t k) {
  if (k > MAX_POWER || k < -MAX_POWER) {
    if (fmpz_mpoly_length(a->n, r->flint) > 1 || fmpz_mpoly_length(a->d, r->flint) > 1) hml_ring__stop(r, HML_LIMIT, "a power is too high");
  }
  hml_ratio *base = new_ratio(r);
  fmpz_mpoly_set(base->n, k < 0 ? a->d : a->n, r->flint);
  fmpz_mpoly_set(base->d, k < 0 ? a->n : a->d, r->flint);
  normalise(r, base);
  hml_ratio *result = hml_ratio__integer(r, 1);
  for (uint64_t e = k < 0 ? -(uint64_t)k : (uint64_t)k; e; e >>= 1) {
    if (e & 1) result = hml_ratio__mul(r, result, base);
    if (e > 1) base = hml_ratio__mul(r, base, base);
  }
  return result;
}

hml_ratio *hml_ratio__numerator(hml_ring *r, const hml_ratio *a) {
  hml_ratio *f = new_ratio(r);
  fmpz_mpoly_set(f->n, a->n, r->flint);
  return f;
}

hml_ratio *hml_ratio__denominator(hml_ring *r, const hml_ratio *a) {
  hml_ratio *f = new_ratio(r);
  fmpz_mpoly_set(f->n, a->d, r->flint);
  return f;
}

bool hml_ratio__is_zero(const hml_ring *r, const hml_ratio *a) { return fmpz_mpoly_is_zero(a->n, r->flint) != 0; }

bool hml_ratio__is_one(const hml_ring *r, const hml_ratio *a) {
  return fmpz_mpoly_is_one(a->n, r->flint) && fmpz_mpoly_is_one(a->d, r->flint);
}

bool hml_ratio__equal(const hml_ring *r, const hml_ratio *a, const hml_ratio *b) {
  return fmpz_mpoly_equal(a->n, b->n, r->flint) && fmpz_mpoly_equal(a->d, b->d, r->flint);
}

hml_ratio *hml_ratio__cancelled(hml_ring *r) { return r->cancelled ? r->cancelled : hml_ratio__integer(r, 1); }

// ---- polynomials

size_t hml_poly__terms(const hml_ring *r, const hml_ratio *p) { return (size_t)fmpz_mpoly_length(p->n, r->flint); }

static hml_expr number_from_fmpz(hml_ring *r, const fmpz_t z) {
  number *a = &r->number, zero;
  a->form = BIG;
  mpq_init(a->q);
  fmpz_get_mpz(mpq_numref(a->q), z);
  // adding zero brings small numbers back to their canonical form
  number_set(&zero, 0, 1);
  number_add(a, &zero);
  hml_expr e = number_node(r->context, a);
  number_set(a, 0, 1);
  if (!e) hml_ring__stop(r, HML_MEMORY, "out of memory");
  return e;
}

hml_expr hml_poly__term(hml_ring *r, const hml_ratio *p, size_t i, uint64_t *exponents) {
  fmpz_mpoly_get_term_coeff_fmpz(r->k, p->n, (slong)i, r->flint);
  fmpz_mpoly_get_term_exp_ui((ulong *)exponents, p->n, (slong)i, r->flint);
  return number_from_fmpz(r, r->k);
}

uint64_t hml_poly__degree(const hml_ring *r, const hml_ratio *p, size_t generator) {
  slong degree = fmpz_mpoly_degree_si(p->n, (slong)generator, r->flint);
  return degree < 0 ? 0 : (uint64_t)degree;
}

void hml_poly__divide(hml_ring *r, const hml_ratio *n, const hml_ratio *d, hml_ratio **quotient, hml_ratio **remainder) {
  *quotient = new_ratio(r);
  *remainder = new_ratio(r);
  enter(r, (*quotient)->n, (*remainder)->n);
  fmpz_mpoly_divrem((*quotient)->n, (*remainder)->n, n->n, d->n, r->flint);
  leave(r);
}

hml_ratio *hml_poly__swap(hml_ring *r, const hml_ratio *p, size_t generator, size_t other) {
  uint64_t highest = hml_poly__degree(r, p, generator);
  hml_ratio *out = new_ratio(r), *part = new_ratio(r), *unit = new_ratio(r);
  // unit = 1 - other^2
  fmpz_mpoly_gen(unit->n, (slong)other, r->flint);
  fmpz_mpoly_mul(unit->n, unit->n, unit->n, r->flint);
  fmpz_mpoly_neg(unit->n, unit->n, r->flint);
  fmpz_mpoly_add_si(unit->n, unit->n, 1, r->flint);
  for (uint64_t half = 0; half <= highest / 2; half++) {
    fmpz_mpoly_zero(part->n, r->flint);
    for (slong i = 0; i < fmpz_mpoly_length(p->n, r->flint); i++) {
      fmpz_mpoly_get_term_exp_ui(r->exponents, p->n, i, r->flint);
      if (r->exponents[generator] / 2 != half) continue;
      r->exponents[generator] %= 2;
      fmpz_mpoly_get_term_coeff_fmpz(r->k, p->n, i, r->flint);
      fmpz_mpoly_push_term_fmpz_ui(part->n, r->k, r->exponents, r->flint);
    }
    fmpz_mpoly_sort_terms(part->n, r->flint);
    fmpz_mpoly_combine_like_terms(part->n, r->flint);
    for (uint64_t i = 0; i < half; i++) {
      check_product(r, part->n, unit->n);
      multiply(r, part->n, part->n, unit->n);
    }
    fmpz_mpoly_add(out->n, out->n, part->n, r->flint);
  }
  give_back(r, part);
  give_back(r, unit);
  return out;
}

typedef int (*factoriser)(fmpz_mpoly_factor_t, const fmpz_mpoly_t, const fmpz_mpoly_ctx_t);

// Into r->factors; false if the method failed, also if FLINT aborted in it: what it held is lost, the ring is as it was
static bool try_factoriser(hml_ring *r, const hml_ratio *p, factoriser method) {
  r->rescuing = true;
  if (setjmp(r->rescue) != 0) {
    r->rescuing = false;
    if (r->written[0] == r->factors) fmpz_mpoly_factor_init(r->factors, r->flint);
    leave(r);
    return false;
  }
  enter(r, r->factors, NULL);
  bool fine = method(r->factors, p->n, r->flint) != 0;
  leave(r);
  r->rescuing = false;
  return fine;
}

// The terms of p linear in generator g, divided by it, and the others; false if some term has a higher power
static bool split_linear(hml_ring *r, const hml_ratio *p, size_t g, hml_ratio *a, hml_ratio *b) {
  if (fmpz_mpoly_degree_si(p->n, (slong)g, r->flint) != 1) return false;
  fmpz_mpoly_zero(a->n, r->flint);
  fmpz_mpoly_zero(b->n, r->flint);
  for (slong i = 0; i < fmpz_mpoly_length(p->n, r->flint); i++) {
    fmpz_mpoly_get_term_exp_ui(r->exponents, p->n, i, r->flint);
    bool linear = r->exponents[g] == 1;
    r->exponents[g] = 0;
    fmpz_mpoly_get_term_coeff_fmpz(r->k, p->n, i, r->flint);
    fmpz_mpoly_push_term_fmpz_ui(linear ? a->n : b->n, r->k, r->exponents, r->flint);
  }
  return true;
}

// p without a factor in common to all its terms: a x + b with coprime a and b has no factors. One gcd instead of a factorisation that
// looks at every variable. false: not known
static bool is_irreducible(hml_ring *r, const hml_ratio *p) {
  hml_ratio *a = new_ratio(r), *b = new_ratio(r);
  bool irreducible = false, tried = false;
  for (size_t g = 0; g < r->generators && !irreducible; g++)
    if (split_linear(r, p, g, a, b))
      irreducible = fmpz_mpoly_length(a->n, r->flint) == 1 || fmpz_mpoly_length(b->n, r->flint) == 1;
  for (size_t g = 0; g < r->generators && !irreducible && !tried; g++) {
    if (!split_linear(r, p, g, a, b)) continue;
    tried = true;
    enter(r, a->n, NULL);
    irreducible = fmpz_mpoly_gcd(a->n, a->n, b->n, r->flint) && fmpz_mpoly_is_one(a->n, r->flint);
    leave(r);
  }
  give_back(r, a);
  give_back(r, b);
  return irreducible;
}

static void add_factor(hml_ring *r, const fmpz_mpoly_t base, uint64_t exponent, hml_ratio **factors, uint64_t *exponents, size_t *count) {
  factors[*count] = new_ratio(r);
  fmpz_mpoly_set(factors[*count]->n, base, r->flint);
  exponents[(*count)++] = exponent;
}

// Powers of generators times something irreducible: found without FLINT's factorisation; false if p is not known to be of this kind
static bool factor_at_sight(hml_ring *r, const hml_ratio *p, size_t capacity, hml_ratio **factors, uint64_t *exponents, size_t *count) {
  if (fmpz_mpoly_is_zero(p->n, r->flint) || fmpz_mpoly_length(p->n, r->flint) > MANY_TERMS || capacity <= r->generators) return false;
  hml_ratio *common = new_ratio(r), *rest = new_ratio(r);
  fmpz_mpoly_term_content(common->n, p->n, r->flint);
  fmpz_mpoly_get_term_coeff_fmpz(r->k, p->n, 0, r->flint);
  if (fmpz_sgn(r->k) < 0) fmpz_mpoly_neg(common->n, common->n, r->flint);
  fmpz_mpoly_divides(rest->n, p->n, common->n, r->flint);
  bool more = fmpz_mpoly_length(rest->n, r->flint) > 1, known = !more || is_irreducible(r, rest);
  *count = 0;
  if (known && more) add_factor(r, rest->n, 1, factors, exponents, count);
  for (size_t g = 0; known && g < r->generators; g++) {
    fmpz_mpoly_get_term_exp_ui(r->exponents, common->n, 0, r->flint);
    if (r->exponents[g] == 0) continue;
    uint64_t power = r->exponents[g];
    fmpz_mpoly_gen(rest->n, (slong)g, r->flint);
    add_factor(r, rest->n, power, factors, exponents, count);
  }
  fmpz_mpoly_get_term_coeff_fmpz(r->k, common->n, 0, r->flint);
  give_back(r, common);
  give_back(r, rest);
  return known;
}

bool hml_poly__factor(hml_ring *r, const hml_ratio *p, hml_expr *constant, size_t capacity, hml_ratio **factors, uint64_t *exponents,
                      size_t *count) {
  if (factor_at_sight(r, p, capacity, factors, exponents, count)) {
    *constant = number_from_fmpz(r, r->k);
    return true;
  }
  bool fine = try_factoriser(r, p, FACTORISER) || try_factoriser(r, p, fmpz_mpoly_factor_squarefree);
  slong n = fine ? fmpz_mpoly_factor_length(r->factors, r->flint) : 0;
  if (!fine || (size_t)n > capacity) {
    *constant = hml_integer(r->context, 1);
    factors[0] = new_ratio(r);
    fmpz_mpoly_set(factors[0]->n, p->n, r->flint);
    exponents[0] = 1;
    *count = 1;
    return false;
  }
  fmpz_mpoly_factor_get_constant_fmpz(r->k, r->factors, r->flint);
  *constant = number_from_fmpz(r, r->k);
  for (slong i = 0; i < n; i++) {
    factors[i] = new_ratio(r);
    fmpz_mpoly_factor_get_base(factors[i]->n, r->factors, i, r->flint);
    exponents[i] = (uint64_t)fmpz_mpoly_factor_get_exp_si(r->factors, i, r->flint);
  }
  *count = (size_t)n;
  return true;
}

hml_ratio *hml_poly__split(hml_ring *r, const hml_ratio *p, const unsigned char *marked, const uint64_t *wanted) {
  hml_ring__check(r);
  hml_ratio *out = new_ratio(r);
  for (slong i = 0; i < fmpz_mpoly_length(p->n, r->flint); i++) {
    fmpz_mpoly_get_term_exp_ui(r->exponents, p->n, i, r->flint);
    bool same = true;
    for (size_t g = 0; same && g < r->generators; g++) same = !marked[g] || r->exponents[g] == wanted[g];
    if (!same) continue;
    for (size_t g = 0; g < r->generators; g++)
      if (marked[g]) r->exponents[g] = 0;
    fmpz_mpoly_get_term_coeff_fmpz(r->k, p->n, i, r->flint);
    fmpz_mpoly_push_term_fmpz_ui(out->n, r->k, r->exponents, r->flint);
  }
  fmpz_mpoly_sort_terms(out->n, r->flint);
  fmpz_mpoly_combine_like_terms(out->n, r->flint);
  return out;
}
