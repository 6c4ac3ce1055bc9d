// poly.c: the only file that calls FLINT: fractions of multivariate polynomials over the integers, reduced and in lowest terms.
//
// Work runs inside hml_ring__guard and may be left by a jump at any call of FLINT: its errors come as abort() or as a throw, which are
// redirected; budgets and the interrupt flag are checked before every long call, and inside of one whenever it allocates. So every
// temporary belongs to the ring.
//
// All rings that are open on a thread share one session: the heap of all that FLINT and GMP allocate for them. A call that was left in
// the middle poisons the session: nothing of FLINT is called any more, every ring stops at its next step, and the end of the last ring
// takes FLINT's caches back to their first state and frees the heap. Where nothing went wrong the heap is empty by then.
#include "poly.h"

#include "heap.h"

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>
#include <dlfcn.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_POWER 200
// The general one aborts before 3.2.0 (FLINT issue 1998: leading coefficients in Wang's method), having printed to stdout
#if __FLINT_RELEASE >= 30200
#define FACTORISER fmpz_mpoly_factor
#else
#define FACTORISER fmpz_mpoly_factor_zippel
#endif
#define MANY_TERMS 200                // sight reaches so far
#define LONG_PRODUCT 1e6              // products of terms, some hundredths of a second
#define MAX_DEGREE 100000             // in one generator: FLINT's divisors and factors pass through dense polynomials
// Units of work, products of terms, for each term of the arguments: measured
#define DIVISION 3.0
#define DIVISOR 100.0
#define FACTORS 300.0
#define ALLOCATIONS_PER_LOOK 64       // at the clock

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
  mpz_t integer;
  number number;
  hml_budget budget;
  unsigned allocations;
  jmp_buf leave, rescue;
  bool rescuing;                       // an abort of FLINT leads to `rescue`
  hml_status status;
  char reason[200];
};

// ---- guard

typedef struct session {
  hml_heap heap;
  size_t rings;                        // open on this thread
  bool poisoned;                       // a call was left, with this failure
  hml_status status;
  char reason[200];
} session;

static _Thread_local session here;
static _Thread_local hml_ring *current; // the ring whose guarded work runs
static _Thread_local int calls_before_abort;

void hml_ring__stop(hml_ring *r, hml_status status, const char *reason) {
  r->status = status;
  snprintf(r->reason, sizeof r->reason, "%s", reason);
  longjmp(r->leave, 1);
}

_Noreturn static void stop_inside(hml_ring *r, hml_status status, const char *reason) {
  here.poisoned = true;
  here.status = status;
  snprintf(here.reason, sizeof here.reason, "%s", reason);
  hml_ring__stop(r, status, reason);
}

// FLINT's own failures; outside of a guard nothing of ours can fail
FLINT_NORETURN static void on_abort(void) {
  if (!current) abort();
  if (current->rescuing) longjmp(current->rescue, 1);
  stop_inside(current, HML_LIMIT, "the polynomial library gave up");
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
  hml_heap *heap = hml_heap__use(&here.heap);
  here.heap.owner = current = r;
  hml_status status;
  if (setjmp(r->leave) == 0) {
    status = work(data);
  } else {
    status = r->status;
  }
  r->rescuing = false;
  here.heap.owner = current = outer;
  hml_heap__use(heap);
  return status;
}

const char *hml_ring__reason(const hml_ring *r) { return r->reason; }

static const char *too_long(const hml_ring *r, char reason[100]) {
  hml_budget__explain(&r->budget, 100, reason);
  return reason;
}

static const char *too_large(const hml_ring *r, char reason[100]) {
  snprintf(reason, 100, "more than %g MB", (double)r->budget.max_bytes / 1e6);
  return reason;
}

// Of this library's rings and of the expressions made since the call began
static bool holds_too_much(const hml_ring *r, double more) {
  double expressions = (double)hml_context_bytes(r->context) - (double)r->budget.bytes_before;
  return (double)here.heap.bytes + (expressions > 0 ? expressions : 0) + more > (double)r->budget.max_bytes;
}

void hml_ring__check(hml_ring *r) {
  char reason[100];
  if (here.poisoned) hml_ring__stop(r, here.status, here.reason);
  if (hml_interrupted(r->context)) hml_ring__stop(r, HML_INTERRUPTED, "interrupted");
  if (holds_too_much(r, 0)) hml_ring__stop(r, HML_LIMIT, too_large(r, reason));
  if (hml_budget__is_over(&r->budget)) hml_ring__stop(r, HML_LIMIT, too_long(r, reason));
}

static void check_coefficients(hml_ring *r, const fmpz_mpoly_t a) {
  if (labs(fmpz_mpoly_max_bits(a)) > MAX_BITS) hml_ring__stop(r, HML_LIMIT, "a coefficient has too many digits");
}

// A product is predicted before it is made
static void check_product(hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  double terms = (double)fmpz_mpoly_length(a, r->flint) * (double)fmpz_mpoly_length(b, r->flint);
  check_coefficients(r, a);
  check_coefficients(r, b);
  if (terms <= 8.0 * (double)r->budget.max_terms) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu terms in a product", r->budget.max_terms);
  hml_ring__stop(r, HML_LIMIT, reason);
}

static void check_length(hml_ring *r, const fmpz_mpoly_t a) {
  size_t terms = (size_t)fmpz_mpoly_length(a, r->flint);
  if (terms <= r->budget.max_terms) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu terms", r->budget.max_terms);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// allocations of FLINT and GMP: a long call can be interrupted when it requests a block

static void look_around(void *owner, size_t more) {
  hml_ring *r = owner;
  char reason[100];
  if (hml_interrupted(r->context)) stop_inside(r, HML_INTERRUPTED, "interrupted");
  if (holds_too_much(r, (double)more)) stop_inside(r, HML_LIMIT, too_large(r, reason));
  if (++r->allocations % ALLOCATIONS_PER_LOOK == 0 && hml_budget__is_over(&r->budget)) stop_inside(r, HML_LIMIT, too_long(r, reason));
}

static void memory_ended(void *owner) { stop_inside(owner, HML_MEMORY, "not enough memory"); }

// Functions that another library of the process has set are outside of FLINT
static bool are_of_flint(void *(*allocate)(size_t)) {
  Dl_info theirs, flint;
  void *(*known)(size_t) = flint_malloc;
  void *a, *b;
  memcpy(&a, &allocate, sizeof a);
  memcpy(&b, &known, sizeof b);
  return !dladdr(a, &theirs) || !dladdr(b, &flint) || theirs.dli_fbase == flint.dli_fbase;
}

static void install_once(void) {
  void *(*allocate)(size_t), *(*zeroed)(size_t, size_t), *(*reallocate)(void *, size_t);
  void (*release)(void *);
  __flint_get_memory_functions(&allocate, &zeroed, &reallocate, &release);
  if (are_of_flint(allocate)) __flint_set_memory_functions(hml_heap__allocate, hml_heap__allocate_zeroed, hml_heap__reallocate, hml_heap__release);
  flint_set_abort(on_abort);
#if __FLINT_RELEASE >= 30300
  flint_set_throw(on_throw);
#endif
}

static void install_handlers(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install_once);
}

// calls of FLINT that may take long are below

static void enter(hml_ring *r, double work) {
  hml_budget__spend(work);
  hml_ring__check(r);
  if (calls_before_abort > 0 && --calls_before_abort == 0) {
#if __FLINT_RELEASE >= 30300
    flint_throw(FLINT_ERROR, "asked for");
#else
    flint_abort();
#endif
  }
}

static double length(const hml_ring *r, const fmpz_mpoly_t a) { return (double)fmpz_mpoly_length(a, r->flint); }

// Of a division
static double work_of(const hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) { return DIVISION * (length(r, a) + length(r, b)); }

// Of a greatest common divisor, which is easy with a single term
static double work_of_divisor(const hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  return length(r, a) < 2 || length(r, b) < 2 ? work_of(r, a, b) : DIVISOR * (length(r, a) + length(r, b));
}

_Noreturn static void stop_at_degree(hml_ring *r) {
  char reason[100];
  snprintf(reason, sizeof reason, "a degree higher than %d", MAX_DEGREE);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// FLINT turns to dense polynomials in one generator at a time
static void check_degrees(hml_ring *r, const fmpz_mpoly_t a) {
  if (fmpz_mpoly_length(a, r->flint) < 2) return;
  bool fine = fmpz_mpoly_degrees_fit_si(a, r->flint) != 0;
  for (size_t g = 0; fine && g < r->generators; g++) fine = fmpz_mpoly_degree_si(a, (slong)g, r->flint) <= MAX_DEGREE;
  if (!fine) stop_at_degree(r);
}

void hml_ring__abort_at(int call) { calls_before_abort = call; }
int64_t hml_ring__held(void) { return (int64_t)here.heap.bytes; }

// ---- rings

static hml_status open_flint(void *data) {
  hml_ring *r = data;
  hml_ring__check(r);
  fmpz_mpoly_ctx_init(r->flint, (slong)r->generators, ORD_LEX);
  fmpz_init(r->k);
  mpz_init(r->integer);
  fmpz_mpoly_factor_init(r->factors, r->flint);
  return HML_OK;
}

static void free_parts(hml_ring *r) {
  for (hml_ratio *f = r->all, *next; f; f = next) {
    next = f->next;
    hml_dealloc(r->context, f, sizeof *f);
  }
  hml_dealloc(r->context, r->relations, r->generators * sizeof *r->relations);
  hml_dealloc(r->context, r->exponents, r->generators * sizeof *r->exponents);
  hml_dealloc(r->context, r, sizeof *r);
}

// Empties FLINT's caches, which all its users in the process share; blocks that are then still in the heap have no owner
static void end_session(void) {
  hml_heap *heap = hml_heap__use(&here.heap);
  here.heap.look = NULL;
  flint_cleanup();
  hml_heap__use(heap);
  hml_heap__discard(&here.heap);
  here = (session){0};
}

static void leave_session(void) {
  if (--here.rings == 0) end_session();
}

static void enter_session(void) {
  install_handlers();
  hml_heap__install();
  if (here.rings++ > 0) return;
  here.heap.with_crumbs = true;
  here.heap.look = look_around;
  here.heap.leave = memory_ended;
}

hml_ring *hml_ring__new(hml_context *c, size_t generators, size_t first_sine, const hml_budget *budget) {
  hml_ring *r = hml_alloc(c, sizeof *r);
  if (!r) return NULL;
  r->context = c;
  r->generators = generators ? generators : 1;
  r->first_sine = first_sine;
  r->budget = *budget;
  r->relations = hml_alloc(c, r->generators * sizeof *r->relations);
  r->exponents = hml_alloc(c, r->generators * sizeof *r->exponents);
  enter_session();
  hml_status status = r->relations && r->exponents ? hml_ring__guard(r, open_flint, r) : HML_MEMORY;
  if (status == HML_OK) return r;
  if (!hml_failed(c)) hml_fail(c, status, "%s", r->reason);
  free_parts(r);
  leave_session();
  return NULL;
}

static hml_status close_flint(void *data) {
  hml_ring *r = data;
  for (hml_ratio *f = r->all; f; f = f->next) {
    fmpz_mpoly_clear(f->n, r->flint);
    fmpz_mpoly_clear(f->d, r->flint);
  }
  for (size_t i = 0; i < r->n_relations; i++) fmpz_mpoly_clear(r->relations[i].poly, r->flint);
  fmpz_mpoly_factor_clear(r->factors, r->flint);
  fmpz_clear(r->k);
  mpz_clear(r->integer);
  fmpz_mpoly_ctx_clear(r->flint);
  return HML_OK;
}

void hml_ring__free(hml_ring *r) {
  if (!r) return;
  r->budget = hml_budget__endless();
  if (!here.poisoned) hml_ring__guard(r, close_flint, r);
  free_parts(r);
  leave_session();
}

static hml_ratio *new_ratio(hml_ring *r) {
  if (here.poisoned) hml_ring__check(r);
  hml_ratio *f = r->spare;
  if (f) {
    r->spare = f->next_spare;
    return f;
  }
  f = hml_alloc(r->context, sizeof *f);
  if (!f) hml_ring__stop(r, HML_MEMORY, "not enough memory");
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

// p modulo all relations: their leading terms are coprime squares of generators, so they already form a Groebner basis
static void reduce(hml_ring *r, fmpz_mpoly_t p) {
  hml_ratio *t = new_ratio(r);
  for (size_t i = 0; i < r->n_relations; i++) {
    slong degree = fmpz_mpoly_degree_si(p, (slong)r->relations[i].generator, r->flint);
    if (degree < 2) continue;
    if (degree > MAX_DEGREE) stop_at_degree(r);
    enter(r, work_of(r, p, r->relations[i].poly));
    fmpz_mpoly_divrem(t->n, t->d, p, r->relations[i].poly, r->flint);
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
    enter(r, (double)n * (double)m);
    fmpz_mpoly_mul(out, a, b, r->flint);
    return;
  }
  const fmpz_mpoly_struct *longer = n > m ? a : b, *shorter = n > m ? b : a;
  slong step = (slong)(LONG_PRODUCT / (double)(n > m ? m : n)) + 1;
  hml_ratio *sum = new_ratio(r), *t = new_ratio(r);
  for (slong i = 0; i < (n > m ? n : m); i += step) {
    take_terms(r, t->n, longer, i, step);
    enter(r, LONG_PRODUCT);
    fmpz_mpoly_mul(t->d, t->n, shorter, r->flint);
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

// A divisor of a single term needs no polynomial arithmetic
static void check_divisor(hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  if (fmpz_mpoly_length(a, r->flint) < 2 || fmpz_mpoly_length(b, r->flint) < 2) return;
  check_degrees(r, a);
  check_degrees(r, b);
}

// false: FLINT found none and g is meaningless
static bool greatest_divisor(hml_ring *r, fmpz_mpoly_t g, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  enter(r, work_of_divisor(r, a, b));
  check_divisor(r, a, b);
  bool fine = fmpz_mpoly_gcd(g, a, b, r->flint) != 0;
  return fine;
}

static bool divides(hml_ring *r, fmpz_mpoly_t quotient, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  enter(r, work_of(r, a, b));
  check_divisor(r, a, b);
  bool fine = fmpz_mpoly_divides(quotient, a, b, r->flint) != 0;
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
  if (e->kind != HML_NUMBER) hml_ring__stop(r, HML_UNSUPPORTED, "the expression contains an inexact number");
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

hml_ratio *hml_ratio__cancelled(hml_ring *r) { return r->cancelled ? r->cancelled : hml_ratio__integer(r, 1); }

// ---- polynomials

size_t hml_poly__terms(const hml_ring *r, const hml_ratio *p) { return (size_t)fmpz_mpoly_length(p->n, r->flint); }

// The copy that GMP makes of it is FLINT's scratch, the number is not
static hml_expr number_from_fmpz(hml_ring *r, const fmpz_t z) {
  fmpz_get_mpz(r->integer, z);
  number_from_mpz(&r->number, r->integer);
  hml_expr e = number_node(r->context, &r->number);
  number_set(&r->number, 0, 1);
  if (!e) hml_ring__stop(r, hml_context_error(r->context)->status, "not enough memory");
  return e;
}

hml_expr hml_poly__term(hml_ring *r, const hml_ratio *p, size_t i, uint64_t *exponents) {
  if (here.poisoned) hml_ring__check(r);
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
  enter(r, work_of(r, n->n, d->n));
  fmpz_mpoly_divrem((*quotient)->n, (*remainder)->n, n->n, d->n, r->flint);
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

// Into r->factors. False if the method failed or FLINT aborted in it; its memory is then lost, and the ring is unchanged
static bool try_factoriser(hml_ring *r, const hml_ratio *p, factoriser method) {
  r->rescuing = true;
  if (setjmp(r->rescue) != 0) {
    r->rescuing = false;
    fmpz_mpoly_factor_init(r->factors, r->flint);      // its memory is lost until the session ends
    return false;
  }
  enter(r, FACTORS * length(r, p->n));
  check_degrees(r, p->n);
  bool fine = method(r->factors, p->n, r->flint) != 0;
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
    enter(r, work_of_divisor(r, a->n, b->n));
    irreducible = fmpz_mpoly_gcd(a->n, a->n, b->n, r->flint) && fmpz_mpoly_is_one(a->n, r->flint);
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
