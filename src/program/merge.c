// merge.c: items of an assembly that are mathematically equal, or opposite, become one: sin(x)^2 + cos(x)^2 and 1, a pivot and the mass
// it turns out to be. Values at random inputs propose pairs, the exact algebra proves them; what cannot be proved with little effort
// stays. Every input is a variable in the proof, so that no coincidence of parameter values is built in; a constant with a long binary
// fraction counts as a variable too.
#include "program_impl.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 3, MOST_ITEMS = 3000, MOST_PROOFS = 150, MOST_FAILURES = 24, MOST_NODES = 400 };
#define MOST_TERMS 300

typedef struct merger {
  const assembly *s;
  assembly *to;
  double *values;                      // at each point                                   (n x POINTS)
  uint32_t *uses, *map;                // map: item of `to`                               (n)
  hml_expr *meaning;                   // NULL: not yet, or too long                      (n)
  uint32_t *nodes;                     // length of the meaning                           (n)
  struct sized *sorted;                // items in order of |value| at the first point
  uint32_t proofs, failures;
} merger;

// values of the items at the samples

static void evaluate(merger *m) {
  const assembly *s = m->s;
  uint64_t dice = UINT64_C(0x9E3779B97F4A7C15);
  double inputs[POINTS] = {0};
  for (uint32_t k = 0; k < s->n; k++) {
    const item *e = &s->items[k];
    if (e->op == OP_INPUT)
      for (int p = 0; p < POINTS; p++) {
        dice = dice * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        inputs[p] = 0.6 + 1.3 * (double)(dice >> 40) / (double)(1 << 24);
      }
    for (int p = 0; p < POINTS; p++) {
      const double *a = m->values + (size_t)e->a * POINTS, *b = m->values + (size_t)e->b * POINTS;
      double *out = m->values + (size_t)k * POINTS + p;
      if (e->op == OP_CONSTANT) *out = item_constant(e);
      else if (e->op == OP_INPUT) *out = inputs[p];
      else *out = instruction_value((opcode)e->op, a[p], item_operands(e) > 1 ? b[p] : 0, 0);
    }
  }
}

static void mark_needed(merger *m) {
  const assembly *s = m->s;
  for (uint32_t i = 0; i < s->n_out; i++) m->uses[s->outputs[i]]++;
  for (uint32_t k = s->n; k-- > 0;) {
    const item *e = &s->items[k];
    unsigned n = m->uses[k] ? item_operands(e) : 0;
    if (n > 0) m->uses[e->a]++;
    if (n > 1) m->uses[e->b]++;
  }
}

// expressions of the items

static hml_expr variable(merger *m, const char *kind, uint32_t k) {
  char name[32];
  snprintf(name, sizeof name, "%s%u", kind, k + 1);
  return hml_symbol(m->s->context, name, HML_EXTERNAL, 0);
}

static hml_expr number(merger *m, uint32_t k, double x, bool is_double) {
  double scaled = x * 1024;
  if (is_double && scaled == floor(scaled) && fabs(scaled) < 1e9) return hml_rational(m->s->context, (int64_t)scaled, 1024);
  return variable(m, "constant", k);
}

static hml_expr combine(merger *m, const item *e, hml_expr a, hml_expr b) {
  hml_context *c = m->s->context;
  switch (e->op) {
    case OP_add: return hml_add(c, a, b);
    case OP_sub: return hml_sub(c, a, b);
    case OP_mul: return hml_mul(c, a, b);
    case OP_div: return hml_div(c, a, b);
    case OP_neg: return hml_neg(c, a);
    case OP_sqrt: return hml_sqrt(c, a);
    case OP_pow: return hml_pow(c, a, b);
    default: {
      hml_expr arguments[2] = {a, b};
      return hml_call(c, (hml_function)e->op, item_operands(e), arguments);
    }
  }
}

// Meanings of all items up to k that k rests on; operands come earlier
static hml_expr meaning_of(merger *m, uint32_t k) {
  if (m->meaning[k] || m->nodes[k] > MOST_NODES) return m->meaning[k];
  const item *e = &m->s->items[k];
  unsigned n = item_operands(e);
  if (e->op == OP_INPUT || e->op == OP_CONSTANT) {
    m->nodes[k] = 1;
    return m->meaning[k] = e->op == OP_INPUT ? variable(m, "input", e->a) : number(m, k, item_constant(e), assembly_rest(m->s, e) == 0);
  }
  hml_expr a = meaning_of(m, e->a), b = n > 1 ? meaning_of(m, e->b) : NULL;
  uint32_t nodes = 1 + m->nodes[e->a] + (n > 1 ? m->nodes[e->b] : 0);
  m->nodes[k] = nodes > MOST_NODES ? MOST_NODES + 1 : nodes;
  if (!a || (n > 1 && !b) || nodes > MOST_NODES) return NULL;
  m->meaning[k] = combine(m, e, a, b);
  if (!m->meaning[k]) {
    m->nodes[k] = MOST_NODES + 1;
    hml_forgive(m->s->context);                                        // 1/0 and the like: no meaning
  }
  return m->meaning[k];
}

// Is a + sign b = 0 for all inputs? b may be NULL: is a = 0?
static bool proved(merger *m, hml_expr a, hml_expr b, bool opposite) {
  hml_context *c = m->s->context;
  hml_limits limits = {.max_terms = MOST_TERMS, .max_effort = 5};
  hml_verdict verdict = HML_UNDECIDED;
  double evidence;
  hml_expr difference = !b ? a : opposite ? hml_add(c, a, b) : hml_sub(c, a, b);
  m->proofs++;
  bool holds = difference && hml_is_zero(c, difference, &limits, &verdict, &evidence) == HML_OK && verdict == HML_PROVED_ZERO;
  hml_forgive(c);
  m->failures += !holds;
  return holds;
}

// ---- pairs

typedef struct sized {
  double size;                         // |value| at the first point
  uint32_t k;
} sized;

static int by_size(const void *x, const void *y) {
  const sized *a = x, *b = y;
  if (a->size != b->size) return (a->size > b->size) - (a->size < b->size);
  return (a->k > b->k) - (a->k < b->k);
}

// Equal or opposite at all points?
static bool proposed(const merger *m, uint32_t a, uint32_t b, bool *opposite) {
  const double *x = m->values + (size_t)a * POINTS, *y = m->values + (size_t)b * POINTS;
  *opposite = (x[0] > 0) != (y[0] > 0);
  for (int p = 0; p < POINTS; p++)
    if (!(fabs(*opposite ? x[p] + y[p] : x[p] - y[p]) <= 1e-10 * fabs(x[p]))) return false;
  return true;
}

// A sum that cancels at all points?
static bool cancels(const merger *m, uint32_t k) {
  const item *e = &m->s->items[k];
  if (e->op != OP_add && e->op != OP_sub) return false;
  for (int p = 0; p < POINTS; p++)
    if (!(fabs(m->values[(size_t)k * POINTS + p]) <= 1e-12 * fabs(m->values[(size_t)e->a * POINTS + p]))) return false;
  return true;
}

// The earliest item that k is proved to equal, up to the sign
static bool find_equal(merger *m, uint32_t k, uint32_t place, uint32_t count, uint32_t *other, bool *opposite) {
  double size = m->sorted[place].size, slack = 1e-9 * size;
  uint32_t first = place, best = k;
  while (first > 0 && size - m->sorted[first - 1].size <= slack) first--;
  for (uint32_t i = first; i < count && m->sorted[i].size - size <= slack; i++) {
    bool sign;
    if (m->sorted[i].k < best && proposed(m, k, m->sorted[i].k, &sign)) best = m->sorted[i].k, *opposite = sign;
  }
  *other = best;
  if (best == k || m->proofs >= MOST_PROOFS || m->failures >= MOST_FAILURES) return false;
  hml_expr a = meaning_of(m, k), b = meaning_of(m, best);
  return a && b && proved(m, a, b, *opposite);
}

static uint32_t merged(merger *m, uint32_t k, uint32_t place, uint32_t count) {
  const item *e = &m->s->items[k];
  uint32_t other;
  bool opposite = false;
  if (item_operands(e) == 0 || !isfinite(m->values[(size_t)k * POINTS])) return assembly_copy(m->to, m->s, k, m->map);
  if (m->proofs < MOST_PROOFS && m->failures < MOST_FAILURES && cancels(m, k)) {
    hml_expr a = meaning_of(m, k);
    if (a && proved(m, a, NULL, false)) return assembly_constant(m->to, 0);
  }
  if (e->op == OP_neg || !find_equal(m, k, place, count, &other, &opposite)) return assembly_copy(m->to, m->s, k, m->map);
  return opposite ? assembly_emit(m->to, OP_neg, m->map[other], 0, 0) : m->map[other];
}

static hml_status merge(merger *m, uint32_t *places) {
  const assembly *s = m->s;
  uint32_t count = 0;
  mark_needed(m);
  evaluate(m);
  for (uint32_t k = 0; k < s->n; k++)
    if (m->uses[k] && isfinite(m->values[(size_t)k * POINTS])) m->sorted[count++] = (sized){fabs(m->values[(size_t)k * POINTS]), k};
  qsort(m->sorted, count, sizeof *m->sorted, by_size);
  for (uint32_t i = 0; i < count; i++) places[m->sorted[i].k] = i;
  for (uint32_t k = 0; k < s->n && m->to->status == HML_OK; k++) {
    if (!m->uses[k]) continue;
    m->map[k] = merged(m, k, places[k], count);
    HML_TRY(hml_check_interrupt(s->context));
    if (hml_must_end(s->context)) return hml_context_error(s->context)->status;
  }
  for (uint32_t i = 0; i < s->n_out; i++) m->to->outputs[i] = m->map[s->outputs[i]];
  return m->to->status;
}

hml_status merge_equal(const assembly *s, assembly *to) {
  hml_arena arena;
  hml_arena_init(&arena, s->context);
  size_t n = (size_t)s->n + 1;
  merger m = {.s = s, .to = to, .values = hml_arena_alloc(&arena, n * POINTS * sizeof(double)), .uses = hml_arena_alloc(&arena, n * sizeof(uint32_t)),
              .map = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .meaning = hml_arena_alloc(&arena, n * sizeof(hml_expr)),
              .nodes = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .sorted = hml_arena_alloc(&arena, n * sizeof(sized))};
  uint32_t *places = hml_arena_alloc(&arena, n * sizeof *places);
  if (s->n > MOST_ITEMS) m.failures = MOST_FAILURES;                   // copied as it is
  for (uint32_t i = 0; i < s->n_in; i++) to->names[i] = s->names[i];
  bool room = m.values && m.uses && m.map && m.meaning && m.nodes && m.sorted && places;
  hml_status status = room ? merge(&m, places) : HML_MEMORY;
  hml_arena_free(&arena);
  return status;
}
