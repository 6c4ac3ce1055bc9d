// pool.c: products of the matrix of the accelerations and their series, fewer than its entries.
#include "pool.h"

#ifdef HAMEL_ARB

#include "ball_impl.h"

enum { FACTORS = 4 };                  // constants that are taken out of an entry

typedef struct share {                 // C_ij of a line: the index across it
  uint32_t index;
  int sign;
  uint32_t factors, factor[FACTORS];   // values, constant in t and in the start
  arb_struct value;
} share;

typedef struct pool {
  uint32_t series, with;               // v; z_j of a column, the sum of a row
  bool row;
  uint32_t line, count;
  share *shares;
  hml_relaxed blocks;
} pool;

struct hml_pools {
  size_t count;
  pool *pools;
  share *shares;                       // of all pools
  arb_t product;
};

typedef struct entry {
  uint32_t series, i, j;
  bool covered;
  share share;
} entry;

// The operation behind each value
static uint32_t *producers(const hml_balls *b) {
  uint32_t *list = flint_malloc(b->values * sizeof *list);
  for (uint32_t v = 0; v < b->values; v++) list[v] = NO_VALUE;
  for (uint32_t k = 0; k < b->count; k++) list[b->ops[k].result] = k;
  return list;
}

static bool is_factor(const hml_balls *b, uint32_t v) { return b->still[v] && !b->varies[v]; }

// v = sign times factors times the series that is left
static uint32_t stripped(const hml_balls *b, const uint32_t *producer, uint32_t v, share *s) {
  s->sign = 1, s->factors = 0;
  while (producer[v] != NO_VALUE) {
    const ball_op *op = &b->ops[producer[v]];
    if (op->kind == BALL_LINEAR && op->sb == 0) {
      s->sign *= op->sa, v = op->a;
      continue;
    }
    if (op->kind != BALL_PRODUCT || op->c != NO_VALUE || s->factors == FACTORS) break;
    bool first = is_factor(b, op->a);
    if (!first && !is_factor(b, op->b)) break;
    s->factor[s->factors++] = first ? op->a : op->b;
    s->sign *= op->sa, v = first ? op->b : op->a;
  }
  return v;
}

static size_t list_entries(const hml_balls *b, entry *list) {
  uint32_t *producer = producers(b);
  size_t size = b->n + b->m, count = 0;
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) {
      uint32_t v = b->matrix[i * size + j];
      if (v == NO_VALUE || b->still[v]) continue;
      entry *e = &list[count++];
      *e = (entry){.i = (uint32_t)i, .j = (uint32_t)j};
      e->series = stripped(b, producer, v, &e->share);
    }
  flint_free(producer);
  return count;
}

static uint32_t across(const entry *e, bool row) { return row ? e->j : e->i; }
static uint32_t along(const entry *e, bool row) { return row ? e->i : e->j; }

// How many uncovered entries of the series does the line have?
static size_t on_line(const entry *list, size_t count, uint32_t series, bool row, uint32_t line) {
  size_t n = 0;
  for (size_t k = 0; k < count; k++) n += !list[k].covered && list[k].series == series && along(&list[k], row) == line;
  return n;
}

// The line through e that covers more, a column where both cover as many: it needs no sum
static share *cover(hml_pools *p, entry *list, size_t count, const entry *e, share *room) {
  bool row = on_line(list, count, e->series, true, e->i) > on_line(list, count, e->series, false, e->j);
  pool *q = &p->pools[p->count++];
  uint32_t series = e->series, line = along(e, row);
  *q = (pool){.series = series, .row = row, .line = line, .shares = room};
  for (size_t k = 0; k < count; k++) {
    entry *other = &list[k];
    if (other->covered || other->series != series || along(other, row) != line) continue;
    other->covered = true;
    share *s = &q->shares[q->count++];
    *s = other->share, s->index = across(other, row);
    arb_init(&s->value);
  }
  return room + q->count;
}

// The entry whose line covers most
static const entry *next_entry(const entry *list, size_t count) {
  const entry *best = NULL;
  size_t most = 0;
  for (size_t k = 0; k < count; k++) {
    const entry *e = &list[k];
    if (e->covered) continue;
    size_t row = on_line(list, count, e->series, true, e->i), column = on_line(list, count, e->series, false, e->j);
    if (row > most || column > most) most = row > column ? row : column, best = e;
  }
  return best;
}

hml_pools *hml_pools__new(const hml_balls *b, uint32_t *sums) {
  size_t size = b->n + b->m;
  entry *list = flint_malloc((size * size + 1) * sizeof *list);
  size_t count = list_entries(b, list);
  hml_pools *p = flint_calloc(1, sizeof *p);
  p->pools = flint_calloc(count + 1, sizeof *p->pools);
  p->shares = flint_calloc(count + 1, sizeof *p->shares);
  arb_init(p->product);
  share *room = p->shares;
  for (const entry *e = next_entry(list, count); e; e = next_entry(list, count)) room = cover(p, list, count, e, room);
  *sums = 0;
  for (size_t k = 0; k < p->count; k++) {
    pool *q = &p->pools[k];
    if (!q->row) q->with = b->solution + q->line;
    else q->with = b->solution + (uint32_t)size + (*sums)++;
  }
  flint_free(list);
  return p;
}

void hml_pools__free(hml_pools *p) {
  if (!p) return;
  for (size_t k = 0; k < p->count; k++) {
    pool *q = &p->pools[k];
    for (uint32_t i = 0; i < q->count; i++) arb_clear(&q->shares[i].value);
    hml_relaxed__close(&q->blocks);
  }
  arb_clear(p->product);
  flint_free(p->pools);
  flint_free(p->shares);
  flint_free(p);
}

size_t hml_pools__products(const hml_pools *p) { return p->count; }

void hml_pools__open_blocks(hml_pools *p, slong length, slong bits) {
  for (size_t k = 0; k < p->count; k++) hml_relaxed__open(&p->pools[k].blocks, length, bits);
}

void hml_pools__restart(hml_pools *p, const hml_balls *b) {
  for (size_t k = 0; k < p->count; k++) {
    pool *q = &p->pools[k];
    hml_relaxed__restart(&q->blocks);
    for (uint32_t i = 0; i < q->count; i++) {
      share *s = &q->shares[i];
      arb_set_si(&s->value, s->sign);
      for (uint32_t f = 0; f < s->factors; f++) arb_mul(&s->value, &s->value, ball_at(b, s->factor[f], 0), b->bits);
    }
  }
}

void hml_pools__subtract(hml_pools *p, const hml_balls *b, arb_ptr w, size_t d, slong k, slong bits) {
  if (k == 0 && d == 0) return;
  for (size_t at = 0; at < p->count; at++) {
    pool *q = &p->pools[at];
    arb_srcptr v = ball_at(b, q->series, 0), u = ball_at(b, q->with, d);
    if (k > 0) hml_relaxed__order(d ? NULL : &q->blocks, p->product, NULL, 0, v, u, k, HML_OMIT_FIRST, bits);
    if (d && b->varies[q->series])
      arb_dot(p->product, k > 0 ? p->product : NULL, 0, ball_at(b, q->series, d), 1, ball_at(b, q->with, 0) + k, -1, k + 1, bits);
    else if (k == 0) continue;
    if (q->row) {
      arb_sub(w + q->line, w + q->line, p->product, bits);
      continue;
    }
    for (uint32_t i = 0; i < q->count; i++) {
      const share *s = &q->shares[i];
      if (s->factors > 0) arb_submul(w + s->index, &s->value, p->product, bits);
      else if (s->sign > 0) arb_sub(w + s->index, w + s->index, p->product, bits);
      else arb_add(w + s->index, w + s->index, p->product, bits);
    }
  }
}

void hml_pools__extend(const hml_pools *p, const hml_balls *b, size_t d, slong k, slong bits) {
  for (size_t at = 0; at < p->count; at++) {
    const pool *q = &p->pools[at];
    if (!q->row) continue;
    arb_ptr u = ball_at(b, q->with, d) + k;
    arb_zero(u);
    for (uint32_t i = 0; i < q->count; i++) arb_addmul(u, &q->shares[i].value, ball_at(b, b->solution + q->shares[i].index, d) + k, bits);
  }
}

#endif
