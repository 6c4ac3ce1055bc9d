// coefficient.c: coefficients of a polynomial in a symbol or a function. A symbol, an exponential and an opaque function are generators of
// the normal form. A sine is not free there: sin^2 = 1 - cos^2 replaces its powers, and likewise tan, sinh, abs, sign are made of others.
// For these a symbol takes the place of the function as it is written, and of its cosine another one.
#include "normal.h"

#include <stdio.h>

// ---- functions replaced by symbols

static bool is_replaced(hml_expr e) {
  if (e->kind != HML_CALL) return false;
  switch (e->function) {
    case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_tan: case HML_FUN_sinh: case HML_FUN_cosh: case HML_FUN_tanh:
    case HML_FUN_abs: case HML_FUN_sign: case HML_FUN_min: case HML_FUN_max: return true;
    default: return false;
  }
}

// cos beside sin, cosh beside sinh and the reverse; NULL: none
static hml_expr partner_of(hml_context *c, hml_expr e) {
  static const int pairs[][2] = {{HML_FUN_sin, HML_FUN_cos}, {HML_FUN_cos, HML_FUN_sin}, {HML_FUN_sinh, HML_FUN_cosh}, {HML_FUN_cosh, HML_FUN_sinh}};
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    if ((int)e->function == pairs[i][0]) return hml_call(c, pairs[i][1], 1, node_operands(e));
  return NULL;
}

static hml_status replace(hml_replaced *r, hml_context *c, hml_expr e) {
  for (size_t i = 0; i < r->count; i++)
    if (r->from[i] == e) return HML_OK;
  char name[40];
  snprintf(name, sizeof name, "function_%zu", r->count + 1);
  hml_expr symbol = hml_symbol(c, name, HML_DYNAMIC | HML_EXTERNAL, 0);      // no user symbol has these flags
  if (!symbol) return hml_context_error(c)->status;
  r->from[r->count] = e;
  r->to[r->count++] = symbol;
  return HML_OK;
}

static hml_status replace_all(hml_replaced *r, hml_context *c, size_t n, const hml_expr *functions) {
  for (size_t k = 0; k < n; k++) {
    if (!functions[k]) return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
    if (!is_replaced(functions[k])) continue;
    HML_TRY(replace(r, c, functions[k]));
    hml_expr partner = partner_of(c, functions[k]);
    if (hml_failed(c)) return hml_context_error(c)->status;
    if (partner && partner->kind == HML_CALL) HML_TRY(replace(r, c, partner));
  }
  return HML_OK;
}

hml_status hml_replaced__open(hml_replaced *r, hml_context *c, size_t n, const hml_expr *functions) {
  *r = (hml_replaced){0};
  hml_arena_init(&r->arena, c);
  r->from = hml_arena_alloc(&r->arena, (2 * n + 1) * sizeof *r->from);
  r->to = hml_arena_alloc(&r->arena, (2 * n + 1) * sizeof *r->to);
  hml_status status = r->from && r->to ? replace_all(r, c, n, functions) : HML_MEMORY;
  if (status != HML_OK) hml_arena_free(&r->arena);
  return status;
}

// ---- the coefficient

typedef struct request {
  hml_normal f;
  hml_expr e, x, function, coefficient;  // x: the symbol; function: the function that x replaces, or NULL
  unsigned power;
} request;

static void refuse(hml_normal *f) { hml_ring__stop(f->ring, HML_ARGUMENT, "the expression is not polynomial in it"); }

static bool stands_in(hml_normal *f, hml_expr x, hml_expr e) {
  hml_expr *nodes;
  size_t count;
  if (hml_expr__postorder(&f->arena, 1, &e, &nodes, &count) != HML_OK) hml_ring__stop(f->ring, HML_MEMORY, "out of memory");
  for (size_t k = 0; k < count; k++)
    if (nodes[k] == x) return true;
  return false;
}

static bool occurs(hml_normal *f, const hml_ratio *a, size_t i) {
  return hml_poly__degree(f->ring, hml_ratio__numerator(f->ring, a), i) > 0 || hml_poly__degree(f->ring, hml_ratio__denominator(f->ring, a), i) > 0;
}

// The generator that x is; f->n where x is none
static size_t generator_of(hml_normal *f, hml_expr x) {
  const hml_ratio *ratio = hml_normal__ratio(f, x), *minus = hml_ratio__integer(f->ring, -1);
  size_t i = 0;
  while (i < f->n && !(occurs(f, ratio, i) && hml_ratio__is_zero(f->ring, hml_ratio__add(f->ring, ratio,
                         hml_ratio__mul(f->ring, minus, hml_ratio__generator(f->ring, i)))))) i++;
  return i;
}

// The other factors may not contain generators of the function that x replaces: sin(2 a) contains sin(a)
static void demand_independent(hml_normal *f, const hml_ratio *a, hml_expr function) {
  const hml_ratio *own = hml_normal__ratio(f, function);
  for (size_t i = 0; i < f->n; i++)
    if (f->generators[i].kind != GEN_SYMBOL && occurs(f, own, i) && occurs(f, a, i)) refuse(f);
}

static hml_status coefficient_work(void *data) {
  request *q = data;
  hml_normal *f = &q->f;
  hml_normal__convert(f);
  hml_ratio *a = hml_normal__ratio(f, q->e), *above = hml_ratio__numerator(f->ring, a), *d = hml_ratio__denominator(f->ring, a);
  if (q->function) demand_independent(f, a, q->function);
  size_t own = generator_of(f, q->x);
  if (own == f->n || hml_poly__degree(f->ring, d, own) > 0) refuse(f);
  for (size_t i = 0; i < f->n; i++)
    if (i != own && occurs(f, a, i) && stands_in(f, q->x, f->generators[i].e)) refuse(f);
  unsigned char *marked = hml_arena_alloc(&f->arena, f->n + 1);
  uint64_t *exponents = hml_arena_alloc(&f->arena, (f->n + 1) * sizeof *exponents);
  if (!marked || !exponents) hml_ring__stop(f->ring, HML_MEMORY, "not enough memory");
  marked[own] = 1;
  exponents[own] = q->power;
  hml_ratio *part = hml_poly__split(f->ring, above, marked, exponents);
  q->coefficient = hml_normal__compact(f, hml_ratio__mul(f->ring, part, hml_ratio__power(f->ring, d, -1)), NULL);
  return HML_OK;
}

// The generator of x in the normal form
static hml_status find(hml_context *c, request *q, const hml_budget *budget) {
  hml_expr roots[3] = {q->e, q->x, q->function};
  return hml_normal__run(&q->f, c, q->function ? 3 : 2, roots, budget, coefficient_work, q, "coefficient");
}

// e is the sum of coefficient times x^power, and no coefficient contains x or a function of the symbols of x.
// fails: HML_ARGUMENT where there are no such coefficients.
hml_expr hml_coefficient(hml_context *c, hml_expr e, hml_expr x, unsigned power, const hml_limits *limits) {
  if (!e || !x) return NULL;
  if (x->kind != HML_SYMBOL && x->kind != HML_CALL) return hml_fail_null(c, HML_ARGUMENT, "coefficient: a symbol or a function is expected, not a %s",
                                                                         x->kind == HML_PRODUCT ? "product" : x->kind == HML_SUM ? "sum" : x->kind == HML_POWER ? "power" : "number");
  hml_budget budget = hml_budget__start(c, limits);
  request q = {.e = e, .x = x, .power = power};
  hml_replaced r;
  if (hml_replaced__open(&r, c, 1, &x) != HML_OK) return NULL;
  if (r.count) q = (request){.e = hml_substitute(c, e, r.count, r.from, r.to), .x = r.to[0], .function = x, .power = power};
  hml_expr result = q.e && find(c, &q, &budget) == HML_OK ? q.coefficient : NULL;
  if (result && r.count) result = hml_substitute(c, result, r.count, r.to, r.from);
  hml_arena_free(&r.arena);
  return result;
}
