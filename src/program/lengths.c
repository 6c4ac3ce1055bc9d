// lengths.c: squares of the lengths of gradients by the velocities, of items of a program. With the inner product <u, w> of the gradients of two items,
//   <u, w> = sum c_i <u_i, w>   where du = sum c_i du_i and u is defined after w,   <v_i, v_j> = 1 for i = j, else 0,
// and zero where u and w have no velocity in common.
// Of a chain of bodies that asks for a few products per body, while the gradients themselves have an entry for each body before. Where it asks for more
// products than the gradients have entries, these are added up.
#include "graph.h"

#include <stdlib.h>

static const value none = {NO_VALUE, false};

typedef struct pair {
  uint32_t high, low;                  // items, high >= low
  value product;
} pair;

typedef struct lengths {
  graph_maker *k;
  hml_arena *arena;
  pair *list;                          // found first, then in ascending order
  uint32_t n, room, most;
  uint32_t *index, index_room;         // hash table while pairs are found, place + 1; a power of two
  uint64_t *reach;                     // velocities that an item depends on, as bits           (base x words)
  size_t words;
} lengths;

static bool present(value x) {
  return x.id != NO_VALUE;
}

static unsigned parts_of(const graph_maker *k, uint32_t j, uint32_t *parts, unsigned *which) {
  const item *e = &k->s->items[j];
  const unsigned n = item_operands(e);
  unsigned count = 0;
  for (unsigned i = 0; i < n && i < 2; i++) {
    const uint32_t operand = i ? e->b : e->a;
    if (!k->moving[operand]) continue;
    which[count] = i;
    parts[count++] = operand;
  }
  return count;
}

// ---- the velocities that items depend on

static hml_status find_reach(lengths *y) {
  graph_maker *k = y->k;
  y->words = (k->l->n + 63) / 64;
  y->reach = hml_arena_alloc(y->arena, ((size_t)k->base * y->words + 1) * sizeof *y->reach);
  if (!y->reach) return HML_MEMORY;
  for (uint32_t i = 0; i < k->l->n; i++) y->reach[graph_velocity(k, i) * y->words + i / 64] |= UINT64_C(1) << i % 64;
  for (uint32_t j = 0; j < k->base; j++) {
    uint32_t parts[2];
    unsigned which[2];
    const unsigned n = parts_of(k, j, parts, which);
    for (unsigned i = 0; i < n; i++)
      for (size_t w = 0; w < y->words; w++) y->reach[j * y->words + w] |= y->reach[parts[i] * y->words + w];
  }
  return HML_OK;
}

static bool share_velocities(const lengths *y, uint32_t a, uint32_t b) {
  for (size_t w = 0; w < y->words; w++)
    if (y->reach[a * y->words + w] & y->reach[b * y->words + w]) return true;
  return false;
}

// ---- the products that are needed

static uint32_t hash_pair(uint32_t high, uint32_t low) {
  uint64_t h = ((uint64_t)high << 32 | low) * UINT64_C(0x9E3779B97F4A7C15);
  return (uint32_t)(h >> 32);
}

static bool enlarge(lengths *y) {
  const uint32_t room = 2 * y->room + 256, index_room = y->index_room ? 2 * y->index_room : 1024;
  if (y->n == y->room) {
    pair *longer = hml_arena_alloc(y->arena, room * sizeof *longer);
    if (!longer) return false;
    for (uint32_t i = 0; i < y->n; i++) longer[i] = y->list[i];
    y->list = longer;
    y->room = room;
  }
  if (2 * (y->n + 1) <= y->index_room) return true;
  y->index = hml_arena_alloc(y->arena, index_room * sizeof *y->index);
  y->index_room = y->index ? index_room : 0;
  for (uint32_t i = 0; y->index && i < y->n; i++) {
    uint32_t at = hash_pair(y->list[i].high, y->list[i].low) & (index_room - 1);
    while (y->index[at]) at = (at + 1) & (index_room - 1);
    y->index[at] = i + 1;
  }
  return y->index != NULL;
}

static hml_status need(lengths *y, uint32_t u, uint32_t w) {
  const uint32_t high = u > w ? u : w, low = u > w ? w : u;
  if (!share_velocities(y, u, w)) return HML_OK;
  if (!enlarge(y)) return HML_MEMORY;
  uint32_t at = hash_pair(high, low) & (y->index_room - 1);
  for (; y->index[at]; at = (at + 1) & (y->index_room - 1)) {
    const pair *p = &y->list[y->index[at] - 1];
    if (p->high == high && p->low == low) return HML_OK;
  }
  y->list[y->n++] = (pair){high, low, none};
  y->index[at] = y->n;
  return HML_OK;
}

// False in *found: more than `most`
static hml_status find_pairs(lengths *y, uint32_t count, const uint32_t *of, bool *found) {
  for (uint32_t i = 0; i < count; i++) HML_TRY(need(y, of[i], of[i]));
  for (uint32_t at = 0; at < y->n && y->n <= y->most; at++) {
    const pair p = y->list[at];
    uint32_t parts[2];
    unsigned which[2];
    const unsigned n = parts_of(y->k, p.high, parts, which);
    for (unsigned i = 0; i < n; i++) HML_TRY(need(y, parts[i], p.low));
  }
  *found = y->n <= y->most;
  return HML_OK;
}

static int by_items(const void *a, const void *b) {
  const pair *x = a, *y = b;
  if (x->high != y->high) return x->high < y->high ? -1 : 1;
  return x->low < y->low ? -1 : x->low > y->low;
}

static value product_of(const lengths *y, uint32_t u, uint32_t w) {
  const pair key = {u > w ? u : w, u > w ? w : u, none};
  const pair *p = y->n ? bsearch(&key, y->list, y->n, sizeof *y->list, by_items) : NULL;
  return p ? p->product : none;
}

// In ascending order each has those that it needs before it. An item of no parts is a velocity, on which earlier items do not depend
static void multiply(lengths *y) {
  graph_maker *k = y->k;
  qsort(y->list, y->n, sizeof *y->list, by_items);
  for (uint32_t at = 0; at < y->n && k->s->status == HML_OK; at++) {
    pair *p = &y->list[at];
    uint32_t parts[2];
    unsigned which[2];
    const unsigned n = parts_of(k, p->high, parts, which);
    if (n == 0 && p->high == p->low) p->product = value_constant(k->s, 1);
    for (unsigned i = 0; i < n; i++) {
      const value part = product_of(y, parts[i], p->low);
      if (present(part)) p->product = value_add(k->s, p->product, value_mul(k->s, sweep_partial(&k->sweep, p->high, which[i]), part));
    }
  }
}

// ---- the entries of the gradients

// Items that the one depends on
static uint32_t count_below(const graph_maker *k, uint32_t from, bool *reached) {
  uint32_t count = 0;
  for (uint32_t j = 0; j <= from; j++) reached[j] = j == from;
  for (uint32_t j = from + 1; j-- > 0;) {
    uint32_t parts[2];
    unsigned which[2];
    const unsigned n = reached[j] ? parts_of(k, j, parts, which) : 0;
    for (unsigned i = 0; i < n; i++) reached[parts[i]] = true;
    count += reached[j];
  }
  return count;
}

static value add_entries(graph_maker *k, uint32_t from, value *weight) {
  value sum = none;
  for (uint32_t j = 0; j <= from; j++) weight[j] = none;
  weight[from] = value_constant(k->s, 1);
  for (uint32_t j = from + 1; j-- > 0 && k->s->status == HML_OK;) {
    uint32_t parts[2];
    unsigned which[2];
    if (!present(weight[j])) continue;
    const unsigned n = parts_of(k, j, parts, which);
    if (n == 0 && k->moving[j]) sum = value_add(k->s, sum, value_mul(k->s, weight[j], weight[j]));
    for (unsigned i = 0; i < n; i++)
      weight[parts[i]] = value_add(k->s, weight[parts[i]], value_mul(k->s, sweep_partial(&k->sweep, j, which[i]), weight[j]));
  }
  return sum;
}

static hml_status find_lengths(lengths *y, uint32_t count, const uint32_t *of, value *squares) {
  graph_maker *k = y->k;
  bool *reached = hml_arena_alloc(y->arena, (size_t)k->base + 1), found;
  value *weight = hml_arena_alloc(y->arena, ((size_t)k->base + 1) * sizeof *weight);
  if (!reached || !weight) return HML_MEMORY;
  for (uint32_t i = 0; i < count && y->most < UINT32_MAX / 2; i++) y->most += 1 + count_below(k, of[i], reached);
  HML_TRY(find_reach(y));
  HML_TRY(find_pairs(y, count, of, &found));
  if (found) multiply(y);
  for (uint32_t i = 0; i < count && k->s->status == HML_OK; i++) squares[i] = found ? product_of(y, of[i], of[i]) : add_entries(k, of[i], weight);
  return k->s->status;
}

hml_status graph_lengths(graph_maker *k, uint32_t count, const uint32_t *of, value *squares) {
  hml_arena passing;
  hml_arena_init(&passing, k->s->context);
  lengths y = {.k = k, .arena = &passing};
  const hml_status status = find_lengths(&y, count, of, squares);
  hml_arena_free(&passing);
  return status;
}
