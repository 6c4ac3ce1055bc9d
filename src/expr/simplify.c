// simplify.c: compact forms under a budget: several equal representatives are made from the normal form and the cheapest is kept.
#include "normal.h"

#include <stdio.h>
#include <string.h>

enum { MAX_FACTORS = 64, MAX_ANGLES = 8, MAX_GROUPS = 400, SIGNS_COUNT = 400 };

// Estimated length of the printed text
static double cost(hml_expr e) { return (double)e->size; }

// Shorter, or as long with fewer minus signs
static bool shorter(hml_expr a, hml_expr b) {
  if (a->size != b->size) return a->size < b->size;
  return hml_expr__minuses(a, SIGNS_COUNT) < hml_expr__minuses(b, SIGNS_COUNT);
}

static void *piece(hml_normal *f, size_t size) {
  void *p = hml_arena_alloc(&f->arena, size);
  if (!p) hml_ring__stop(f->ring, HML_MEMORY, "not enough memory");
  return p;
}

static hml_expr built(hml_normal *f, hml_expr e) {
  if (!e) hml_ring__stop(f->ring, hml_failed(f->c) ? hml_context_error(f->c)->status : HML_MEMORY, "an expression could not be built");
  return e;
}

// ---- grouping by monomials of marked generators

typedef struct group {
  uint64_t *exponents;
  hml_ratio *coefficient;
} group;

// The distinct monomials of the marked generators in p with their coefficients; 0 if there are too many
static size_t group_terms(hml_normal *f, const hml_ratio *p, const unsigned char *marked, group **out) {
  size_t terms = hml_poly__terms(f->ring, p), n = 0;
  uint64_t *exponents = piece(f, (f->n + 1) * sizeof *exponents);
  *out = piece(f, MAX_GROUPS * sizeof **out);
  for (size_t i = 0; i < terms; i++) {
    hml_poly__term(f->ring, p, i, exponents);
    bool known = false;
    for (size_t k = 0; k < n && !known; k++) {
      known = true;
      for (size_t g = 0; g < f->n && known; g++) known = !marked[g] || (*out)[k].exponents[g] == exponents[g];
    }
    if (known) continue;
    if (n == MAX_GROUPS) return 0;
    group *fresh = &(*out)[n++];
    fresh->exponents = piece(f, (f->n + 1) * sizeof *exponents);
    for (size_t g = 0; g < f->n; g++) fresh->exponents[g] = marked[g] ? exponents[g] : 0;
    fresh->coefficient = hml_poly__split(f->ring, p, marked, fresh->exponents);
  }
  return n;
}

static hml_expr factored(hml_normal *f, const hml_ratio *p, const unsigned char *by);

// Sum over monomials of the marked generators, each coefficient factored
static hml_expr collected(hml_normal *f, const hml_ratio *p, const unsigned char *by) {
  group *groups;
  size_t n = group_terms(f, p, by, &groups);
  if (n < 2) return hml_normal__polynomial(f, p);
  unsigned char *none = piece(f, f->n + 1);
  hml_expr *terms = piece(f, n * sizeof *terms);
  for (size_t k = 0; k < n; k++) terms[k] = hml_normal__monomial(f, groups[k].exponents, factored(f, groups[k].coefficient, none));
  return built(f, hml_sum(f->c, n, terms));
}

// Constant times irreducible factors, each collected
static hml_expr factored(hml_normal *f, const hml_ratio *p, const unsigned char *by) {
  if (hml_ratio__is_zero(f->ring, p)) return built(f, hml_integer(f->c, 0));
  hml_ratio *factors[MAX_FACTORS];
  uint64_t exponents[MAX_FACTORS];
  hml_expr constant, e;
  size_t n;
  bool split = hml_poly__factor(f->ring, p, &constant, MAX_FACTORS, factors, exponents, &n);
  e = constant;
  for (size_t i = 0; i < n; i++) {
    hml_expr factor = split || hml_poly__terms(f->ring, factors[i]) < 2000 ? collected(f, factors[i], by) : hml_normal__polynomial(f, factors[i]);
    hml_expr plain = hml_normal__polynomial(f, factors[i]);
    hml_expr paired = hml_expr__pair(f->c, plain, true);
    if (cost(plain) < cost(factor)) factor = plain;
    if (paired && shorter(paired, factor)) factor = paired;
    e = built(f, hml_mul(f->c, e, built(f, hml_pow(f->c, factor, hml_integer(f->c, (int64_t)exponents[i])))));
  }
  return e;
}

hml_expr hml_normal__factored(hml_normal *f, const hml_ratio *p, const unsigned char *by) { return factored(f, p, by); }

// e without its leading minus
static hml_expr bare(hml_normal *f, hml_expr e) {
  bool negative = e->kind == HML_PRODUCT && has_negative_sign(e);
  return negative ? built(f, hml_neg(f->c, e)) : e;
}

// Shortest of the polynomial's representatives: for each angle sin^2 or cos^2 is eliminated (coordinate descent). The sign of a
// denominator does not count: the numerator takes it
static hml_expr shortest(hml_normal *f, const hml_ratio *p, const unsigned char *by, bool below) {
  hml_expr best = factored(f, p, by);
  size_t angles = 0;
  for (size_t i = 0; i < f->n && angles < MAX_ANGLES; i++) {
    if (f->generators[i].kind != GEN_COSINE || hml_poly__degree(f->ring, p, i) < 2) continue;
    angles++;
    const hml_ratio *other = hml_poly__swap(f->ring, p, i, f->generators[i].partner);
    hml_expr e = factored(f, other, by);
    if (below ? shorter(bare(f, e), bare(f, best)) : shorter(e, best)) {
      best = e;
      p = other;
    }
  }
  return best;
}

static hml_expr quotient(hml_normal *f, hml_expr n, hml_expr d) { return built(f, hml_div(f->c, n, d)); }

// Numerator and denominator shortest by themselves
static hml_expr as_fraction(hml_normal *f, const hml_ratio *a, const unsigned char *by) {
  hml_ratio *n = hml_ratio__numerator(f->ring, a), *d = hml_ratio__denominator(f->ring, a);
  return quotient(f, shortest(f, n, by, false), shortest(f, d, by, true));
}

hml_expr hml_normal__fraction(hml_normal *f, const hml_ratio *a) {
  return hml_ratio__is_zero(f->ring, a) ? built(f, hml_integer(f->c, 0)) : as_fraction(f, a, piece(f, f->n + 1));
}

// The numerator taken apart by monomials of the marked generators, each part over the denominator in lowest terms
static hml_expr taken_apart(hml_normal *f, const hml_ratio *a, const unsigned char *marked) {
  hml_ring *r = f->ring;
  hml_ratio *n = hml_ratio__numerator(r, a);
  hml_ratio *inverse = hml_ratio__power(r, hml_ratio__denominator(r, a), -1);
  group *groups;
  size_t count = group_terms(f, n, marked, &groups);
  if (count < 2 || count > 60) return NULL;
  unsigned char *none = piece(f, f->n + 1);
  hml_expr *terms = piece(f, count * sizeof *terms);
  for (size_t k = 0; k < count; k++)
    terms[k] = hml_normal__monomial(f, groups[k].exponents, as_fraction(f, hml_ratio__mul(r, groups[k].coefficient, inverse), none));
  return built(f, hml_sum(f->c, count, terms));
}

static void mark_moving(const hml_normal *f, unsigned char *marked) {
  for (size_t i = 0; i < f->n; i++) {
    hml_expr e = f->generators[i].e;
    marked[i] = f->generators[i].kind == GEN_SYMBOL && (e->rank >= RANK_VELOCITY || (e->flags & HML_EXTERNAL));
  }
}

// Also symbols that occur at most linearly above and not below: forces, multipliers
static void mark_linear(hml_normal *f, const hml_ratio *a, unsigned char *marked) {
  hml_ratio *n = hml_ratio__numerator(f->ring, a), *d = hml_ratio__denominator(f->ring, a);
  mark_moving(f, marked);
  for (size_t i = 0; i < f->n; i++)
    if (f->generators[i].kind == GEN_SYMBOL && f->generators[i].e->rank <= RANK_PARAMETER)
      marked[i] |= hml_poly__degree(f->ring, n, i) == 1 && hml_poly__degree(f->ring, d, i) == 0;
}

static void keep_shorter(hml_expr *best, hml_expr e) {
  if (e && (!*best || shorter(e, *best))) *best = e;
}

// 1/r is kept as it is: a = (a r)/r, where the radicand cancels on the way
static void try_radicals(hml_normal *f, const hml_ratio *a, const unsigned char *by, hml_expr *best) {
  hml_ratio *n = hml_ratio__numerator(f->ring, a);
  for (size_t i = 0; i < f->n; i++) {
    if (f->generators[i].kind != GEN_RADICAL || hml_poly__degree(f->ring, n, i) == 0) continue;
    uint64_t *exponents = piece(f, (f->n + 1) * sizeof *exponents);
    exponents[i] = 1;
    hml_expr root = hml_normal__monomial(f, exponents, hml_integer(f->c, 1));
    keep_shorter(best, quotient(f, as_fraction(f, hml_ratio__mul(f->ring, a, hml_ratio__generator(f->ring, i)), by), root));
  }
}

hml_expr hml_normal__compact(hml_normal *f, const hml_ratio *a, const unsigned char *by) {
  unsigned char *moving = piece(f, f->n + 1), *linear = piece(f, f->n + 1);
  if (hml_ratio__is_zero(f->ring, a)) return built(f, hml_integer(f->c, 0));
  mark_moving(f, moving);
  mark_linear(f, a, linear);
  hml_expr best = as_fraction(f, a, by ? by : moving);
  // ties go to the factored form: it came first
  keep_shorter(&best, taken_apart(f, a, by ? by : moving));
  keep_shorter(&best, taken_apart(f, a, linear));
  try_radicals(f, a, by ? by : moving, &best);
  keep_shorter(&best, hml_expr__contract(f->c, best, f->budget));
  return best;
}

// ---- the public entry

typedef struct request {
  hml_normal f;
  hml_expr e, result, cancelled;
  hml_form form;
  size_t n;
  const hml_expr *by;
} request;

static unsigned char *marked_by(request *q) {
  if (q->n == 0) return NULL;
  unsigned char *marked = piece(&q->f, q->f.n + 1);
  for (size_t i = 0; i < q->f.n; i++)
    for (size_t k = 0; k < q->n; k++) {
      const generator *g = &q->f.generators[i];
      hml_expr e = g->e->kind == HML_CALL ? hml_call(q->f.c, g->e->function, g->e->count, node_operands(g->e)) : g->e;
      if (e == q->by[k]) marked[i] = 1;
    }
  return marked;
}

static hml_status simplify_work(void *data) {
  request *q = data;
  hml_normal *f = &q->f;
  hml_normal__convert(f);
  hml_ratio *a = hml_normal__ratio(f, q->e), *n = hml_ratio__numerator(f->ring, a), *d = hml_ratio__denominator(f->ring, a);
  unsigned char *by = marked_by(q), *none = piece(f, f->n + 1);
  switch (q->form) {
    case HML_FORM_AUTO: q->result = hml_normal__compact(f, a, by); break;
    case HML_FORM_FRACTION: q->result = as_fraction(f, a, by ? by : none); break;
    case HML_FORM_EXPANDED:
    case HML_FORM_NORMAL: q->result = quotient(f, hml_normal__polynomial(f, n), hml_normal__polynomial(f, d)); break;
    case HML_FORM_FACTORED: q->result = quotient(f, factored(f, n, none), factored(f, d, none)); break;
    case HML_FORM_COLLECTED: q->result = quotient(f, collected(f, n, by ? by : none), shortest(f, d, none, true)); break;
  }
  q->cancelled = hml_normal__factored(f, hml_ratio__cancelled(f->ring), none);
  return HML_OK;
}

// No real point is known where they differ by more than rounding: a guard against a wrong branch, not a proof
static bool same_values(hml_context *c, hml_expr a, hml_expr b) {
  hml_expr difference = hml_sub(c, a, b);
  if (difference) return !hml_expr__certainly_nonzero(c, difference);
  hml_forgive(c);
  return true;
}

// e, whose radicands are split, in the given form
static hml_expr reformed(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_budget *budget,
                         hml_reduction *info) {
  *info = (hml_reduction){.status = HML_OK};
  if (!e) return NULL;
  request q = {.e = e, .form = form, .n = n, .by = by};
  hml_status status = hml_normal__open(&q.f, c, 1, &e, budget);
  if (status != HML_OK) {
    snprintf(info->reason, sizeof info->reason, "%.190s", hml_context_error(c)->message);
  } else {
    status = hml_ring__guard(q.f.ring, simplify_work, &q);
    if (status != HML_OK) snprintf(info->reason, sizeof info->reason, "%s", hml_ring__reason(q.f.ring));
    hml_normal__close(&q.f);
  }
  info->cancelled = status == HML_OK ? q.cancelled : hml_integer(c, 1);
  info->status = status;
  if (status == HML_INTERRUPTED) return hml_fail_null(c, HML_INTERRUPTED, "interrupted");
  if (status == HML_MEMORY) return hml_fail_null(c, HML_MEMORY, "not enough memory to simplify an expression");
  // a failure of memory never passes for "nothing better found"
  if (hml_must_end(c) || (status != HML_OK && !hml_forgive(c))) return NULL;
  if (status != HML_OK) return e;
  // never longer than the input, unless a form was requested
  if (form == HML_FORM_AUTO && cost(q.result) >= cost(e)) return e;
  bool same = same_values(c, e, q.result), same_at_signs = same && !hml_expr__differ_at_signs(c, e, q.result, budget);
  if (hml_interrupted(c)) return hml_fail_null(c, HML_INTERRUPTED, "interrupted");
  if (hml_must_end(c)) return NULL;
  if (!same) {
    info->status = HML_INTERNAL;
    snprintf(info->reason, sizeof info->reason, "the form found differs at a real point");
    return e;
  }
  if (!same_at_signs) {
    info->status = HML_UNSUPPORTED;
    snprintf(info->reason, sizeof info->reason, "the form found differs where the argument of a sign is zero");
    return e;
  }
  return q.result;
}

// The signs in e; NULL: no memory
static hml_expr *signs_of(hml_context *c, hml_arena *arena, hml_expr e, size_t *n) {
  hml_expr *nodes;
  size_t count;
  *n = 0;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return NULL;
  for (size_t k = 0; k < count; k++)
    if (nodes[k]->kind == HML_CALL && nodes[k]->function == HML_FUN_sign) nodes[(*n)++] = nodes[k];
  return hml_failed(c) ? NULL : nodes;
}

// As `reformed`, with the signs taken for unknown numbers: |f|/f in their place would change the value where f vanishes
static hml_expr around_signs(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_budget *budget, hml_reduction *info) {
  hml_arena arena;
  hml_replaced r;
  size_t count;
  hml_expr result = NULL, *signs;
  hml_arena_init(&arena, c);
  signs = signs_of(c, &arena, e, &count);
  if (signs && count == 0) result = e;
  else if (signs && hml_replaced__open(&r, c, count, signs) == HML_OK) {
    hml_expr plain = hml_substitute(c, e, r.count, r.from, r.to);
    result = plain ? reformed(c, plain, form, n, by, budget, info) : NULL;
    if (result) result = hml_substitute(c, result, r.count, r.to, r.from);
    if (result && info->cancelled) info->cancelled = hml_substitute(c, info->cancelled, r.count, r.to, r.from);
    hml_arena_free(&r.arena);
  }
  hml_arena_free(&arena);
  return result;
}

static hml_expr simplify_once(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_budget *budget,
                              hml_reduction *info) {
  *info = (hml_reduction){.status = HML_OK};
  if (!e) return NULL;
  // radicands are written as fractions
  hml_expr split = form == HML_FORM_FRACTION ? e : hml_expr__split_radicals(c, e, budget);
  hml_expr result = reformed(c, split, form, n, by, budget, info);
  return result && info->status == HML_UNSUPPORTED ? around_signs(c, split, form, n, by, budget, info) : result;
}

hml_expr hml_expr__shorten_argument(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_reduction info;
  return reformed(c, e, HML_FORM_AUTO, 0, NULL, budget, &info);
}

// ---- another basis of angles: sin(a - b)^2 is found when a = b + d

enum { MAX_BASIS = 4, WORTH_A_CHANGE = 40, TOO_LONG_FOR_HALVES = 400, TOO_LONG_FOR_A_CHANGE = 3000 };

// Symbols of sines and cosines of e that do not occur elsewhere in e; 0 if there are more than MAX_BASIS
static size_t angle_symbols(hml_context *c, hml_expr e, hml_expr *out) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *nodes;
  size_t count, n = 0;
  bool fine = hml_expr__postorder(&arena, 1, &e, &nodes, &count) == HML_OK;
  for (size_t k = 0; fine && k < count; k++) {
    hml_expr node = nodes[k];
    if (node->kind != HML_CALL || (node->function != HML_FUN_sin && node->function != HML_FUN_cos)) continue;
    hml_expr inside[MAX_BASIS];
    size_t m;
    fine = hml_symbols_of(c, 1, node_operands(node), MAX_BASIS, inside, &m) == HML_OK && m <= MAX_BASIS;
    for (size_t i = 0; fine && i < m; i++) {
      bool known = false;
      for (size_t j = 0; j < n; j++) known = known || out[j] == inside[i];
      if (known) continue;
      fine = n < MAX_BASIS;
      if (fine) out[n++] = inside[i];
    }
  }
  hml_arena_free(&arena);
  return fine ? n : 0;
}

static hml_expr change_basis(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_expr angles[MAX_BASIS], best = e;
  size_t n = angle_symbols(c, e, angles);
  hml_expr d = hml_symbol(c, "d", HML_DYNAMIC | HML_EXTERNAL, 0);      // no user symbol has these flags
  for (size_t i = 0; d && i < n; i++)
    for (size_t j = 0; j < n; j++) {
      if (i == j || hml_budget__is_over(budget)) continue;
      hml_expr sum = hml_add(c, angles[j], d), difference = hml_sub(c, angles[i], angles[j]);
      hml_expr turned = hml_substitute(c, e, 1, &angles[i], &sum);
      hml_reduction ignored;
      hml_expr short_form = turned ? simplify_once(c, turned, HML_FORM_AUTO, 0, NULL, budget, &ignored) : NULL;
      hml_expr back = short_form ? hml_substitute(c, short_form, 1, &d, &difference) : NULL;
      if (hml_must_end(c)) return NULL;
      if (back && cost(back) < cost(best)) best = back;
    }
  return best;
}

typedef struct shortening {
  hml_context *c;
  const hml_budget *budget;
  hml_expr cancelled;
} shortening;

static hml_expr shorten(void *data, hml_expr e) {
  shortening *s = data;
  hml_reduction info;
  hml_expr result = simplify_once(s->c, e, HML_FORM_AUTO, 0, NULL, s->budget, &info);
  if (!result || info.status != HML_OK) return NULL;
  s->cancelled = hml_mul(s->c, s->cancelled, info.cancelled);
  return result;
}

// Half angles where they are shorter; the factors cancelled on the way are added
static hml_expr with_halves(hml_context *c, hml_expr e, const hml_budget *budget, hml_reduction *info) {
  shortening s = {c, budget, info->cancelled};
  hml_expr other = hml_expr__halve(c, e, shorten, &s);
  if (hml_must_end(c) || (!other && !hml_forgive(c))) return NULL;
  if (!other || cost(other) >= cost(e) || !same_values(c, e, other)) return e;
  info->cancelled = s.cancelled;
  return other;
}

// 0 if a proof finds a zero that the short forms did not find
static hml_expr zero_if_proved(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_verdict verdict = HML_UNDECIDED;
  if (!e || is_number(e) || hml_expr__certainly_nonzero(c, e) || hml_failed(c)) return hml_failed(c) ? NULL : e;
  if (hml_expr__is_zero(c, e, budget, &verdict, NULL) != HML_OK) return NULL;
  return verdict == HML_PROVED_ZERO ? hml_integer(c, 0) : e;
}

static hml_expr shortest_form(hml_context *c, hml_expr e, size_t n, const hml_expr *by, const hml_budget *budget, hml_reduction *info) {
  hml_expr result = simplify_once(c, e, HML_FORM_AUTO, n, by, budget, info);
  if (!result || info->status != HML_OK) return result;
  if (cost(result) <= TOO_LONG_FOR_HALVES) result = with_halves(c, result, budget, info);
  if (!result) return NULL;
  hml_expr other = result;
  if (cost(result) >= WORTH_A_CHANGE && cost(result) <= TOO_LONG_FOR_A_CHANGE) other = change_basis(c, result, budget);
  if (hml_interrupted(c)) return hml_fail_null(c, HML_INTERRUPTED, "interrupted");
  bool better = other && cost(other) < cost(result) && same_values(c, e, other);
  return hml_must_end(c) ? NULL : hml_expr__signed(c, better ? other : result);
}

// Collected by the sines, absolute values etc. that occur in e, not by those that sin^2 + cos^2 = 1 would give
static hml_expr collected_as_written(hml_context *c, hml_expr e, size_t n, const hml_expr *by, const hml_budget *budget, hml_reduction *info) {
  *info = (hml_reduction){.status = HML_OK};
  hml_replaced r;
  if (hml_replaced__open(&r, c, n, by) != HML_OK) return NULL;
  hml_expr plain = e ? hml_substitute(c, e, r.count, r.from, r.to) : NULL;
  hml_expr *plain_by = hml_arena_alloc(&r.arena, (n + 1) * sizeof *plain_by), result = NULL;
  for (size_t k = 0; k < n && plain_by; k++) plain_by[k] = hml_substitute(c, by[k], r.count, r.from, r.to);
  if (plain && plain_by) result = simplify_once(c, plain, HML_FORM_COLLECTED, n, plain_by, budget, info);
  if (result) result = hml_substitute(c, result, r.count, r.to, r.from);
  if (result && info->cancelled) info->cancelled = hml_substitute(c, info->cancelled, r.count, r.to, r.from);
  hml_arena_free(&r.arena);
  return result;
}

hml_expr hml_expr__simplify(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_budget *budget,
                            hml_reduction *info) {
  hml_reduction own;
  if (!info) info = &own;
  if (form == HML_FORM_COLLECTED) {
    hml_expr other = collected_as_written(c, e, n, by, budget, info);
    return other && info->status == HML_OK ? hml_expr__signed(c, other) : other;
  }
  if (form != HML_FORM_AUTO) return simplify_once(c, e, form, n, by, budget, info);
  hml_expr result = shortest_form(c, e, n, by, budget, info);
  if (result && info->status == HML_OK) result = zero_if_proved(c, result, budget);
  return hml_must_end(c) ? NULL : result;
}

hml_expr hml_simplify(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_limits *limits, hml_reduction *info) {
  hml_budget budget = hml_budget__start(c, limits);
  return hml_expr__simplify(c, e, form, n, by, &budget, info);
}

typedef struct fraction_request {
  hml_normal f;
  hml_expr e, numerator, denominator;
} fraction_request;

static hml_status fraction_work(void *data) {
  fraction_request *q = data;
  hml_normal *f = &q->f;
  hml_normal__convert(f);
  unsigned char *moving = piece(f, f->n + 1);
  mark_moving(f, moving);
  hml_ratio *a = hml_normal__ratio(f, q->e);
  q->numerator = shortest(f, hml_ratio__numerator(f->ring, a), moving, false);
  q->denominator = shortest(f, hml_ratio__denominator(f->ring, a), moving, false);
  return HML_OK;
}

hml_status hml_normal__run(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, const hml_budget *budget, hml_status (*work)(void *),
                           void *data, const char *what) {
  HML_TRY(hml_normal__open(f, c, n, roots, budget));
  hml_status status = hml_ring__guard(f->ring, work, data);
  char reason[200];
  snprintf(reason, sizeof reason, "%s", hml_ring__reason(f->ring));
  hml_normal__close(f);
  if (status == HML_OK && !hml_must_end(c)) return HML_OK;
  return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, status, "%s: %s", what, reason);
}

hml_status hml_fraction(hml_context *c, hml_expr e, const hml_limits *limits, hml_expr *numerator, hml_expr *denominator) {
  if (!e) return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
  fraction_request q = {.e = e};
  hml_budget budget = hml_budget__start(c, limits);
  HML_TRY(hml_normal__run(&q.f, c, 1, &e, &budget, fraction_work, &q, "fraction"));
  *numerator = q.numerator;
  *denominator = q.denominator;
  return HML_OK;
}
