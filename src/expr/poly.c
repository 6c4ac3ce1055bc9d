// poly.c: the only file that knows FLINT: fractions of multivariate polynomials over the integers, reduced and in lowest terms.
// Every entry is guarded: FLINT reports errors by abort(), which is redirected to a longjmp into hml_ring__guard. Budgets are
// checked before products, gcds and factorisations, and so is the interrupt flag.
#include "poly.h"

#include <gmp.h>

#include <flint/flint.h>
#include <flint/fmpz.h>
#include <flint/fmpq.h>
#include <flint/fmpz_mpoly.h>
#include <flint/fmpz_mpoly_factor.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define DEFAULT_TERMS 20000
#define DEFAULT_SECONDS 5.0
#define MAX_POWER 200

struct hml_ratio {
  fmpz_mpoly_t n, d;
  struct hml_ratio *next;           // all of a ring's
};

typedef struct relation {
  size_t generator;
  fmpz_mpoly_t poly;                   // generator^2 - square
} relation;

struct hml_ring {
  hml_context *context;
  size_t generators;
  fmpz_mpoly_ctx_t flint;
  hml_ratio *all;
  relation *relations;
  size_t n_relations, first_sine;      // relations of smaller generators are radicals
  hml_ratio *cancelled;
  hml_limits limits;
  struct timespec start;
  jmp_buf leave;
  bool guarded, broken;                // broken: FLINT was left by a jump; its objects are abandoned
  hml_status status;
  char reason[200];
};

// ---- guard

static _Thread_local hml_ring *current;

void hml_ring__stop(hml_ring *r, hml_status status, const char *reason) {
  r->status = status;
  snprintf(r->reason, sizeof r->reason, "%s", reason);
  longjmp(r->leave, 1);
}

// FLINT's own failures; outside of a guard nothing of ours runs FLINT
FLINT_NORETURN static void on_abort(void) {
  if (!current || !current->guarded) abort();
  current->broken = true;
  hml_ring__stop(current, HML_LIMIT, "the polynomial library gave up");
}

hml_status hml_ring__guard(hml_ring *r, hml_status (*work)(void *data), void *data) {
  hml_ring *outer = current;
  current = r;
  flint_set_abort(on_abort);
  clock_gettime(CLOCK_MONOTONIC, &r->start);
  r->guarded = true;
  hml_status status;
  if (setjmp(r->leave) == 0) {
    status = work(data);
  } else {
    status = r->status;
  }
  r->guarded = false;
  current = outer;
  return status;
}

const char *hml_ring__reason(const hml_ring *r) { return r->reason; }

static void check_time(hml_ring *r) {
  if (hml_interrupted(r->context)) hml_ring__stop(r, HML_INTERRUPTED, "interrupted");
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  double seconds = (double)(now.tv_sec - r->start.tv_sec) + 1e-9 * (double)(now.tv_nsec - r->start.tv_nsec);
  if (seconds > r->limits.max_seconds) {
    char reason[100];
    snprintf(reason, sizeof reason, "more than %g s", r->limits.max_seconds);
    hml_ring__stop(r, HML_LIMIT, reason);
  }
}

// A product is predicted before it is made
static void check_product(hml_ring *r, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  double terms = (double)fmpz_mpoly_length(a, r->flint) * (double)fmpz_mpoly_length(b, r->flint);
  check_time(r);
  if (terms > 8.0 * (double)r->limits.max_terms) {
    char reason[100];
    snprintf(reason, sizeof reason, "more than %zu terms in a product", r->limits.max_terms);
    hml_ring__stop(r, HML_LIMIT, reason);
  }
}

static void check_length(hml_ring *r, const fmpz_mpoly_t a) {
  if ((size_t)fmpz_mpoly_length(a, r->flint) <= r->limits.max_terms) return;
  char reason[100];
  snprintf(reason, sizeof reason, "more than %zu terms", r->limits.max_terms);
  hml_ring__stop(r, HML_LIMIT, reason);
}

// ---- rings

hml_ring *hml_ring__new(hml_context *c, size_t generators, size_t first_sine, const hml_limits *limits) {
  hml_ring *r = hml_alloc(c, sizeof *r);
  if (!r) return NULL;
  r->context = c;
  r->generators = generators ? generators : 1;
  r->first_sine = first_sine;
  r->limits = limits ? *limits : (hml_limits){0};
  if (r->limits.max_terms == 0) r->limits.max_terms = DEFAULT_TERMS;
  if (r->limits.max_seconds == 0) r->limits.max_seconds = DEFAULT_SECONDS;
  // memory follows the number of terms: some hundred bytes each with the intermediate results
  if (r->limits.max_bytes > 0 && r->limits.max_bytes / 512 < r->limits.max_terms) r->limits.max_terms = r->limits.max_bytes / 512 + 1;
  r->relations = hml_alloc(c, r->generators * sizeof *r->relations);
  if (!r->relations) {
    hml_dealloc(c, r, sizeof *r);
    return NULL;
  }
  fmpz_mpoly_ctx_init(r->flint, (slong)r->generators, ORD_LEX);
  return r;
}

void hml_ring__free(hml_ring *r) {
  if (!r) return;
  for (hml_ratio *f = r->all, *next; f; f = next) {
    next = f->next;
    if (!r->broken) {
      fmpz_mpoly_clear(f->n, r->flint);
      fmpz_mpoly_clear(f->d, r->flint);
    }
    hml_dealloc(r->context, f, sizeof *f);
  }
  for (size_t i = 0; i < r->n_relations && !r->broken; i++) fmpz_mpoly_clear(r->relations[i].poly, r->flint);
  if (!r->broken) fmpz_mpoly_ctx_clear(r->flint);
  hml_dealloc(r->context, r->relations, r->generators * sizeof *r->relations);
  hml_dealloc(r->context, r, sizeof *r);
}

static hml_ratio *new_ratio(hml_ring *r) {
  hml_ratio *f = hml_alloc(r->context, sizeof *f);
  if (!f) hml_ring__stop(r, HML_MEMORY, "out of memory");
  fmpz_mpoly_init(f->n, r->flint);
  fmpz_mpoly_init(f->d, r->flint);
  fmpz_mpoly_one(f->d, r->flint);
  f->next = r->all;
  r->all = f;
  return f;
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
  fmpz_mpoly_t q, rest;
  fmpz_mpoly_init(q, r->flint);
  fmpz_mpoly_init(rest, r->flint);
  for (size_t i = 0; i < r->n_relations; i++) {
    if (fmpz_mpoly_degree_si(p, (slong)r->relations[i].generator, r->flint) < 2) continue;
    check_time(r);
    fmpz_mpoly_divrem(q, rest, p, r->relations[i].poly, r->flint);
    fmpz_mpoly_swap(p, rest, r->flint);
    check_length(r, p);
  }
  fmpz_mpoly_clear(q, r->flint);
  fmpz_mpoly_clear(rest, r->flint);
}

static void product(hml_ring *r, fmpz_mpoly_t out, const fmpz_mpoly_t a, const fmpz_mpoly_t b) {
  check_product(r, a, b);
  fmpz_mpoly_mul(out, a, b, r->flint);
  reduce(r, out);
  check_length(r, out);
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
  ulong *exponents = flint_malloc(r->generators * sizeof *exponents);
  fmpz_t k;
  fmpz_init(k);
  for (slong i = 0; i < fmpz_mpoly_length(out, r->flint); i++) {
    fmpz_mpoly_get_term_exp_ui(exponents, out, i, r->flint);
    if (exponents[g] % 2 == 0) continue;
    fmpz_mpoly_get_term_coeff_fmpz(k, out, i, r->flint);
    fmpz_neg(k, k);
    fmpz_mpoly_set_term_coeff_fmpz(out, i, k, r->flint);
  }
  fmpz_clear(k);
  flint_free(exponents);
}

static void note_cancelled(hml_ring *r, const fmpz_mpoly_t g) {
  if (fmpz_mpoly_is_fmpz(g, r->flint)) return;
  if (!r->cancelled) {
    r->cancelled = new_ratio(r);
    fmpz_mpoly_one(r->cancelled->n, r->flint);
  }
  // kept as a product without repetitions
  fmpz_mpoly_t q;
  fmpz_mpoly_init(q, r->flint);
  if (!fmpz_mpoly_divides(q, r->cancelled->n, g, r->flint) && fmpz_mpoly_length(r->cancelled->n, r->flint) < 200)
    fmpz_mpoly_mul(r->cancelled->n, r->cancelled->n, g, r->flint);
  fmpz_mpoly_clear(q, r->flint);
}

static void normalise(hml_ring *r, hml_ratio *f) {
  if (fmpz_mpoly_is_zero(f->d, r->flint)) hml_ring__stop(r, HML_UNDEFINED, "a denominator vanishes identically");
  if (fmpz_mpoly_is_zero(f->n, r->flint)) {
    fmpz_mpoly_one(f->d, r->flint);
    return;
  }
  // radicals leave the denominator by their conjugates; a sine may stay there
  for (slong g; (g = radical_in(r, f->d)) >= 0;) {
    fmpz_mpoly_t other;
    fmpz_mpoly_init(other, r->flint);
    conjugate(r, other, f->d, g);
    product(r, f->n, f->n, other);
    product(r, f->d, f->d, other);
    fmpz_mpoly_clear(other, r->flint);
    if (fmpz_mpoly_is_zero(f->d, r->flint)) hml_ring__stop(r, HML_LIMIT, "radicals depend on each other");
  }
  if (!fmpz_mpoly_is_one(f->d, r->flint)) {
    fmpz_mpoly_t g;
    fmpz_mpoly_init(g, r->flint);
    check_time(r);
    if (fmpz_mpoly_gcd(g, f->n, f->d, r->flint) && !fmpz_mpoly_is_one(g, r->flint)) {
      fmpz_mpoly_divides(f->n, f->n, g, r->flint);
      fmpz_mpoly_divides(f->d, f->d, g, r->flint);
      note_cancelled(r, g);
    }
    fmpz_mpoly_clear(g, r->flint);
  }
  // the leading coefficient of the denominator is positive
  fmpz_t lead;
  fmpz_init(lead);
  fmpz_mpoly_get_term_coeff_fmpz(lead, f->d, 0, r->flint);
  if (fmpz_sgn(lead) < 0) {
    fmpz_mpoly_neg(f->n, f->n, r->flint);
    fmpz_mpoly_neg(f->d, f->d, r->flint);
  }
  fmpz_clear(lead);
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
  fmpz_t z;
  fmpz_init(z);
  fmpz_set_mpz(z, mpq_numref(node_mpq(e)));
  fmpz_mpoly_set_fmpz(f->n, z, r->flint);
  fmpz_set_mpz(z, mpq_denref(node_mpq(e)));
  fmpz_mpoly_set_fmpz(f->d, z, r->flint);
  fmpz_clear(z);
  return f;
}

hml_ratio *hml_ratio__add(hml_ring *r, const hml_ratio *a, const hml_ratio *b) {
  hml_ratio *f = new_ratio(r);
  if (fmpz_mpoly_equal(a->d, b->d, r->flint)) {
    fmpz_mpoly_add(f->n, a->n, b->n, r->flint);
    fmpz_mpoly_set(f->d, a->d, r->flint);
  } else {
    // over the least common denominator
    fmpz_mpoly_t g, x, y;
    fmpz_mpoly_init(g, r->flint);
    fmpz_mpoly_init(x, r->flint);
    fmpz_mpoly_init(y, r->flint);
    if (!fmpz_mpoly_gcd(g, a->d, b->d, r->flint)) fmpz_mpoly_one(g, r->flint);
    fmpz_mpoly_divides(x, b->d, g, r->flint);
    fmpz_mpoly_divides(y, a->d, g, r->flint);
    product(r, f->n, a->n, x);
    product(r, y, b->n, y);
    fmpz_mpoly_add(f->n, f->n, y, r->flint);
    product(r, f->d, a->d, x);
    fmpz_mpoly_clear(g, r->flint);
    fmpz_mpoly_clear(x, r->flint);
    fmpz_mpoly_clear(y, r->flint);
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
  number a;
  a.form = BIG;
  mpq_init(a.q);
  fmpz_get_mpz(mpq_numref(a.q), z);
  // adding zero brings small numbers back to their canonical form
  number zero;
  number_set(&zero, 0, 1);
  number_add(&a, &zero);
  hml_expr e = number_node(r->context, &a);
  if (!e) hml_ring__stop(r, HML_MEMORY, "out of memory");
  return e;
}

hml_expr hml_poly__term(hml_ring *r, const hml_ratio *p, size_t i, uint64_t *exponents) {
  fmpz_t k;
  fmpz_init(k);
  fmpz_mpoly_get_term_coeff_fmpz(k, p->n, (slong)i, r->flint);
  fmpz_mpoly_get_term_exp_ui((ulong *)exponents, p->n, (slong)i, r->flint);
  hml_expr e = number_from_fmpz(r, k);
  fmpz_clear(k);
  return e;
}

uint64_t hml_poly__degree(const hml_ring *r, const hml_ratio *p, size_t generator) {
  slong degree = fmpz_mpoly_degree_si(p->n, (slong)generator, r->flint);
  return degree < 0 ? 0 : (uint64_t)degree;
}

hml_ratio *hml_poly__swap(hml_ring *r, const hml_ratio *p, size_t generator, size_t other) {
  uint64_t highest = hml_poly__degree(r, p, generator);
  hml_ratio *out = new_ratio(r), *part = new_ratio(r), *unit = new_ratio(r);
  ulong *exponents = flint_malloc(r->generators * sizeof *exponents);
  fmpz_t k;
  fmpz_init(k);
  // unit = 1 - other^2
  fmpz_mpoly_gen(unit->n, (slong)other, r->flint);
  fmpz_mpoly_mul(unit->n, unit->n, unit->n, r->flint);
  fmpz_mpoly_neg(unit->n, unit->n, r->flint);
  fmpz_mpoly_add_si(unit->n, unit->n, 1, r->flint);
  for (uint64_t half = 0; half <= highest / 2; half++) {
    fmpz_mpoly_zero(part->n, r->flint);
    for (slong i = 0; i < fmpz_mpoly_length(p->n, r->flint); i++) {
      fmpz_mpoly_get_term_exp_ui(exponents, p->n, i, r->flint);
      if (exponents[generator] / 2 != half) continue;
      exponents[generator] %= 2;
      fmpz_mpoly_get_term_coeff_fmpz(k, p->n, i, r->flint);
      fmpz_mpoly_push_term_fmpz_ui(part->n, k, exponents, r->flint);
    }
    fmpz_mpoly_sort_terms(part->n, r->flint);
    fmpz_mpoly_combine_like_terms(part->n, r->flint);
    for (uint64_t i = 0; i < half; i++) {
      check_product(r, part->n, unit->n);
      fmpz_mpoly_mul(part->n, part->n, unit->n, r->flint);
    }
    fmpz_mpoly_add(out->n, out->n, part->n, r->flint);
  }
  fmpz_clear(k);
  flint_free(exponents);
  return out;
}

bool hml_poly__factor(hml_ring *r, const hml_ratio *p, hml_expr *constant, size_t capacity, hml_ratio **factors, uint64_t *exponents,
                      size_t *count) {
  check_time(r);
  fmpz_mpoly_factor_t f;
  fmpz_mpoly_factor_init(f, r->flint);
  int fine = fmpz_mpoly_factor(f, p->n, r->flint);
  slong n = fine ? fmpz_mpoly_factor_length(f, r->flint) : 0;
  if (!fine || (size_t)n > capacity) {
    fmpz_mpoly_factor_clear(f, r->flint);
    *constant = hml_integer(r->context, 1);
    factors[0] = new_ratio(r);
    fmpz_mpoly_set(factors[0]->n, p->n, r->flint);
    exponents[0] = 1;
    *count = 1;
    return false;
  }
  fmpz_t k;
  fmpz_init(k);
  fmpz_mpoly_factor_get_constant_fmpz(k, f, r->flint);
  *constant = number_from_fmpz(r, k);
  fmpz_clear(k);
  for (slong i = 0; i < n; i++) {
    factors[i] = new_ratio(r);
    fmpz_mpoly_factor_get_base(factors[i]->n, f, i, r->flint);
    exponents[i] = (uint64_t)fmpz_mpoly_factor_get_exp_si(f, i, r->flint);
  }
  *count = (size_t)n;
  fmpz_mpoly_factor_clear(f, r->flint);
  return true;
}

hml_ratio *hml_poly__split(hml_ring *r, const hml_ratio *p, const unsigned char *marked, const uint64_t *wanted) {
  hml_ratio *out = new_ratio(r);
  ulong *exponents = flint_malloc(r->generators * sizeof *exponents);
  fmpz_t k;
  fmpz_init(k);
  for (slong i = 0; i < fmpz_mpoly_length(p->n, r->flint); i++) {
    fmpz_mpoly_get_term_exp_ui(exponents, p->n, i, r->flint);
    bool same = true;
    for (size_t g = 0; same && g < r->generators; g++) same = !marked[g] || exponents[g] == wanted[g];
    if (!same) continue;
    for (size_t g = 0; g < r->generators; g++)
      if (marked[g]) exponents[g] = 0;
    fmpz_mpoly_get_term_coeff_fmpz(k, p->n, i, r->flint);
    fmpz_mpoly_push_term_fmpz_ui(out->n, k, exponents, r->flint);
  }
  fmpz_mpoly_sort_terms(out->n, r->flint);
  fmpz_mpoly_combine_like_terms(out->n, r->flint);
  fmpz_clear(k);
  flint_free(exponents);
  return out;
}
