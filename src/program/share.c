// share.c: sums of an assembly written again so that they share their parts. Canonical sums are flat: v1 + v2 + v3 no longer says that
// v1 + v2 is a value of its own, which it was for whoever wrote it. The motion of a body is the motion of the one before it and a part of its
// own, and graph.c finds the tree of bodies only where the sums have it.
//
// Each sum that something else than a sum reads is taken apart into numbers times terms. Then
//   a sum whose terms all stand in a longer one, with one factor, becomes a term of that, the longest first;
//   a sum of sums is not taken apart where that makes it longer;
//   the rest is added in the order of how many sums a term stands in, so that common beginnings are shared.
// What moves comes before what is made of parameters alone, as in lower.c. x^2 y^2 becomes (x y)^2, which x y is a part of.
#include "program_impl.h"

#include <math.h>
#include <stdlib.h>

enum { MOST_TRIED = 32 };              // shorter sums compared for one term
#define MOST_TERMS 4000000             // of all sums together; beyond it sums inside sums stay as they are
#define LEAST_REST 0x1p-100            // of a factor: less than that is the rounding of the numbers of 104 bits that it is made of, as of 3 (1/3)

typedef struct term {
  uint32_t id;
  double factor, more;                 // the factor is factor + more, which quadruple precision sees
} term;

typedef struct sum {
  term *list;                          // in the order of the terms; NULL: not a sum that is written
  uint32_t n;
} sum;

typedef struct sharing {
  const assembly *s;
  assembly *to;
  hml_arena *arena;
  bool *needed, *linear, *head, *still;    // linear: has linear_parts; head: a sum that is written      (n)
  sum *whole, *left;                   // of heads: all terms; what is left beside sums taken as terms     (n)
  sum *direct;                         // of heads with heads among their parts: the terms with these left whole   (n)
  double *factor, *more;               // scratch: of each term of the present sum; zero between uses      (n)
  uint32_t *count;                     // sums that a term stands in                                        (n)
  uint32_t *reached, *sorted;          // scratch                                                           (n)
  uint32_t **under, *under_n, *under_room;   // sums by their rarest term, in the order of their lengths   (n)
  value *map;                          // in `to`; id NO_VALUE: not yet                                     (n)
  size_t terms;
} sharing;

// ---- which sums there are

static bool number_of(const assembly *s, uint32_t k, double *x, double *more) {
  if (s->items[k].op != OP_CONSTANT) return false;
  *x = item_constant(&s->items[k]);
  *more = *x * assembly_rest(s, &s->items[k]);
  return *x != 0 && isfinite(*x);
}

// Parts of a linear item: one or two operands with factors; 0: it is not linear
static unsigned linear_parts(const assembly *s, uint32_t k, term *parts) {
  const item *e = &s->items[k];
  double x, more;
  switch (e->op) {
    case OP_add: case OP_sub:
      parts[0] = (term){e->a, 1, 0};
      parts[1] = (term){e->b, e->op == OP_add ? 1 : -1, 0};
      return 2;
    case OP_neg: parts[0] = (term){e->a, -1, 0}; return 1;
    case OP_mul:
      if (number_of(s, e->a, &x, &more)) return parts[0] = (term){e->b, x, more}, 1;
      if (number_of(s, e->b, &x, &more)) return parts[0] = (term){e->a, x, more}, 1;
      return 0;
    default: return 0;
  }
}

// Does input k stay as it is for many evaluations?
static void mark(sharing *h, uint32_t first_parameter, uint32_t n_parameters) {
  const assembly *s = h->s;
  for (uint32_t k = 0; k < s->n; k++) {
    term parts[2];
    h->linear[k] = linear_parts(s, k, parts) > 0;
  }
  for (uint32_t i = 0; i < s->n_out; i++) h->needed[s->outputs[i]] = h->head[s->outputs[i]] = true;
  for (uint32_t k = s->n; k-- > 0;) {
    const item *e = &s->items[k];
    unsigned n = h->needed[k] ? item_operands(e) : 0;
    if (n > 0) h->needed[e->a] = true, h->head[e->a] |= !h->linear[k];
    if (n > 1) h->needed[e->b] = true, h->head[e->b] |= !h->linear[k];
  }
  for (uint32_t k = 0; k < s->n; k++) {
    const item *e = &s->items[k];
    unsigned n = item_operands(e);
    if (e->op == OP_INPUT) h->still[k] = e->a >= first_parameter && e->a < first_parameter + n_parameters;
    else h->still[k] = (n < 1 || h->still[e->a]) && (n < 2 || h->still[e->b]);
    h->head[k] = h->head[k] && h->linear[k];
  }
}

static int downward(const void *x, const void *y) {
  uint32_t a = *(const uint32_t *)x, b = *(const uint32_t *)y;
  return (a < b) - (a > b);
}

// Descending. Most lists are in order but for a few: these move to their places, unless that takes long
static void sort_downward(uint32_t *list, uint32_t n) {
  uint64_t moves = 0;
  for (uint32_t i = 1; i < n; i++) {
    uint32_t x = list[i], at = i;
    for (; at > 0 && list[at - 1] < x; at--) list[at] = list[at - 1];
    list[at] = x;
    moves += i - at;
    if (moves <= 4 * (uint64_t)n) continue;
    qsort(list, n, sizeof *list, downward);
    return;
  }
}

// Parts of linear item j in the sum of head k: those of a sum that is taken apart already are its terms. n: how many; none: j is a term itself
static const term *parts_of(const sharing *h, uint32_t k, uint32_t j, bool through, term *own, uint32_t *n) {
  if (j != k && through && h->whole[j].list) return *n = h->whole[j].n, h->whole[j].list;
  *n = j == k || through || !h->head[j] ? linear_parts(h->s, j, own) : 0;
  return own;
}

// The factor of item `to` grows by that of item j times the one of a part; mostly it is the part's.
// The rounding of a product and a sum is a double (Dekker 1971, Knuth 4.2.2)
static void add_product(sharing *h, uint32_t to, uint32_t j, const term *part) {
  if (h->factor[to] == 0 && h->factor[j] == 1 && h->more[j] == 0) {
    h->factor[to] = part->factor;
    h->more[to] += part->more;
    return;
  }
  const double before = h->factor[to], product = h->factor[j] * part->factor, after = before + product, back = after - before;
  const double rounded = fma(h->factor[j], part->factor, -product) + ((before - (after - back)) + (product - back));
  h->more[to] += rounded + (h->factor[j] * part->more + h->more[j] * part->factor);
  h->factor[to] = after;
}

// The terms of head k, through the heads among its parts or with these left whole; `factor` holds the factors of everything on the way
static hml_status flatten(sharing *h, uint32_t k, bool through, sum *v, bool *has_heads) {
  uint32_t n = 0, leaves = 0, count;
  term own[2];
  h->reached[n++] = k;
  h->factor[k] = 1;
  // factors go down once all items above have given theirs; reached[] grows while it is read in descending order
  for (uint32_t at = 0; at < n; at++) {                  // first only which items there are
    if (!h->linear[h->reached[at]]) continue;
    const term *parts = parts_of(h, k, h->reached[at], through, own, &count);
    for (uint32_t i = count; i-- > 0;)
      if (h->factor[parts[i].id] == 0) h->factor[parts[i].id] = 1, h->reached[n++] = parts[i].id;
  }
  sort_downward(h->reached, n);
  for (uint32_t at = 0; at < n; at++) h->factor[h->reached[at]] = at == 0;
  for (uint32_t at = 0; at < n; at++) {
    uint32_t j = h->reached[at];
    if (!h->linear[j]) {
      leaves += h->factor[j] != 0;
      continue;
    }
    const term *parts = parts_of(h, k, j, through, own, &count);
    for (uint32_t i = 0; i < count; i++) add_product(h, parts[i].id, j, &parts[i]);
    if (count) h->factor[j] = h->more[j] = 0;
    leaves += !count && h->factor[j] != 0;
    *has_heads |= j != k && h->whole[j].list;
  }
  v->list = hml_arena_alloc(h->arena, ((size_t)leaves + 1) * sizeof *v->list);
  if (!v->list) return HML_MEMORY;
  for (uint32_t at = n; at-- > 0;) {
    uint32_t j = h->reached[at];
    if (h->factor[j] != 0) v->list[v->n++] = (term){j, h->factor[j], h->more[j]};
    h->factor[j] = h->more[j] = 0;
  }
  h->terms += n;
  return hml_check_interrupt(h->s->context);
}

// Heads come before k where they may be terms of it in any case, so that no two sums are written by each other
static bool is_before(const sharing *h, uint32_t j, uint32_t k) {
  return h->whole[j].n != h->whole[k].n ? h->whole[j].n < h->whole[k].n : j < k;
}

static hml_status take_apart(sharing *h, uint32_t k) {
  bool through = h->terms < MOST_TERMS, has_heads = false, again = false;
  HML_TRY(flatten(h, k, through, &h->whole[k], &has_heads));
  for (uint32_t i = 0; i < h->whole[k].n; i++) h->count[h->whole[k].list[i].id]++;
  if (!through || !has_heads) return HML_OK;
  sum *v = &h->direct[k];
  HML_TRY(flatten(h, k, false, v, &again));
  for (uint32_t i = 0; i < v->n; i++)
    if (h->head[v->list[i].id] && !is_before(h, v->list[i].id, k)) v->n = 0;
  return HML_OK;
}

// ---- sums that stand in others

typedef struct ranked {
  uint32_t rank, id;
} ranked;

static int by_rank(const void *x, const void *y) {
  const ranked *a = x, *b = y;
  return a->rank != b->rank ? (a->rank > b->rank) - (a->rank < b->rank) : (a->id > b->id) - (a->id < b->id);
}

// x - ratio*y of three sums of two doubles, to twice the digits of a double
static double left_by(double x, double x_more, const term *ratio, const term *y) {
  const double product = ratio->factor * y->factor;
  return ((x - product) - fma(ratio->factor, y->factor, -product)) + (x_more - (ratio->factor * y->more + ratio->more * y->factor));
}

// Is sum w, times ratio->factor + ratio->more, a part of the one whose factors are in `factor`? Factors that differ by rounding of doubles are others: they
// may decide what light masses beside heavy ones do
static bool is_part(const sharing *h, const sum *w, term *ratio) {
  const term *first = &w->list[0];
  const double x = h->factor[first->id];
  *ratio = (term){first->id, x / first->factor, 0};
  ratio->more = left_by(x, h->more[first->id], ratio, first) / first->factor;
  for (uint32_t i = 0; i < w->n; i++) {
    const uint32_t id = w->list[i].id;
    if (h->factor[id] == 0 || !(fabs(left_by(h->factor[id], h->more[id], ratio, &w->list[i])) <= LEAST_REST * fabs(h->factor[id]))) return false;
  }
  return true;
}

// The first of a list by rank, which leaves it: a heap from `ranked_heap`
static void sift(ranked *heap, uint32_t n, uint32_t at) {
  ranked x = heap[at];
  for (uint32_t child = 2 * at + 1; child < n; child = 2 * at + 1) {
    if (child + 1 < n && by_rank(&heap[child + 1], &heap[child]) < 0) child++;
    if (by_rank(&x, &heap[child]) <= 0) break;
    heap[at] = heap[child];
    at = child;
  }
  heap[at] = x;
}

static void ranked_heap(ranked *list, uint32_t n) {
  for (uint32_t i = n / 2; i-- > 0;) sift(list, n, i);
}

static ranked pop_first(ranked *heap, uint32_t n) {
  ranked first = heap[0];
  heap[0] = heap[n - 1];
  if (n > 1) sift(heap, n - 1, 0);
  return first;
}

static hml_status keep_under(sharing *h, uint32_t t, uint32_t k) {
  if (h->under_n[t] == h->under_room[t]) {
    uint32_t room = 2 * h->under_room[t] + 2, *list = hml_arena_alloc(h->arena, room * sizeof *list);
    if (!list) return HML_MEMORY;
    for (uint32_t i = 0; i < h->under_n[t]; i++) list[i] = h->under[t][i];
    h->under[t] = list;
    h->under_room[t] = room;
  }
  h->under[t][h->under_n[t]++] = k;
  return HML_OK;
}

// Shorter sums in head k become terms of it; by_rarity: room for its terms
static hml_status take_parts(sharing *h, uint32_t k, ranked *by_rarity) {
  const sum *v = &h->whole[k];
  uint32_t length = v->n, taken = 0, n = v->n;
  term *parts = hml_arena_alloc(h->arena, ((size_t)n + 1) * sizeof *parts);
  if (!parts) return HML_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    h->factor[v->list[i].id] = v->list[i].factor, h->more[v->list[i].id] = v->list[i].more;
    by_rarity[i] = (ranked){h->count[v->list[i].id], UINT32_MAX - v->list[i].id};      // the latest among equals
  }
  ranked_heap(by_rarity, n);
  const uint32_t rarest = n ? UINT32_MAX - by_rarity[0].id : 0;
  for (uint32_t i = 0; i < n && length > 1; i++) {       // seldom many: what is short comes last
    uint32_t t = UINT32_MAX - pop_first(by_rarity, n - i).id, tried = 0;
    if (h->factor[t] == 0) continue;
    for (uint32_t at = h->under_n[t]; at-- > 0 && tried < MOST_TRIED;) {
      const sum *w = &h->whole[h->under[t][at]];
      if (w->n > length) continue;
      tried++;
      term ratio;
      if (!is_part(h, w, &ratio)) continue;
      for (uint32_t j = 0; j < w->n; j++) h->factor[w->list[j].id] = h->more[w->list[j].id] = 0;
      length -= w->n;
      parts[taken++] = (term){h->under[t][at], ratio.factor, ratio.more};
      break;
    }
  }
  sum *left = &h->left[k];
  left->list = hml_arena_alloc(h->arena, ((size_t)length + taken + 1) * sizeof *left->list);
  if (!left->list) return HML_MEMORY;
  for (uint32_t i = 0; i < n; i++) {
    uint32_t id = v->list[i].id;
    if (h->factor[id] != 0) left->list[left->n++] = (term){id, h->factor[id], h->more[id]};
    h->factor[id] = h->more[id] = 0;
  }
  for (uint32_t i = 0; i < taken; i++) left->list[left->n++] = parts[i];
  if (h->direct[k].n && h->direct[k].n < left->n) *left = h->direct[k];       // sums of sums that have no simple ratio to each other
  return n > 1 ? keep_under(h, rarest, k) : HML_OK;
}

static hml_status find_parts(sharing *h) {
  const uint32_t n = h->s->n;
  uint32_t heads = 0, longest = 0;
  ranked *order = hml_arena_alloc(h->arena, ((size_t)n + 1) * sizeof *order);
  if (!order) return HML_MEMORY;
  for (uint32_t k = 0; k < n; k++) {
    if (!h->head[k]) continue;
    HML_TRY(take_apart(h, k));
    order[heads++] = (ranked){h->whole[k].n, k};
    if (h->whole[k].n > longest) longest = h->whole[k].n;
  }
  qsort(order, heads, sizeof *order, by_rank);
  ranked *by_rarity = hml_arena_alloc(h->arena, ((size_t)longest + 1) * sizeof *by_rarity);
  if (!by_rarity) return HML_MEMORY;
  for (uint32_t i = 0; i < heads; i++) HML_TRY(take_parts(h, order[i].id, by_rarity));
  return HML_OK;
}

// ---- the order of the terms

typedef struct place {
  uint32_t sum, at, id, often;
  double size;                         // |factor|
} place;

static int by_term(const void *x, const void *y) {
  const place *a = x, *b = y;
  if (a->id != b->id) return (a->id > b->id) - (a->id < b->id);
  return (a->size > b->size) - (a->size < b->size);
}

static int by_sum(const void *x, const void *y) {
  const place *a = x, *b = y;
  if (a->sum != b->sum) return (a->sum > b->sum) - (a->sum < b->sum);
  if (a->often != b->often) return (a->often < b->often) - (a->often > b->often);
  return (a->id > b->id) - (a->id < b->id);
}

// In each sum: what moves first, then what stands in most sums with the same factor, then by definition
static hml_status order_terms(sharing *h) {
  const uint32_t n = h->s->n;
  size_t count = 0, at = 0;
  for (uint32_t k = 0; k < n; k++) count += h->left[k].n;
  place *places = hml_arena_alloc(h->arena, (count + 1) * sizeof *places);
  term *sorted = hml_arena_alloc(h->arena, (count + 1) * sizeof *sorted);
  if (!places || !sorted) return HML_MEMORY;
  for (uint32_t k = 0; k < n; k++)
    for (uint32_t i = 0; i < h->left[k].n; i++)
      places[at++] = (place){.sum = k, .at = i, .id = h->left[k].list[i].id, .size = fabs(h->left[k].list[i].factor)};
  qsort(places, count, sizeof *places, by_term);
  for (size_t i = 0, j; i < count; i = j) {
    for (j = i; j < count && places[j].id == places[i].id && places[j].size == places[i].size; j++) continue;
    for (size_t l = i; l < j; l++) places[l].often = (uint32_t)(j - i);
  }
  qsort(places, count, sizeof *places, by_sum);
  for (size_t i = 0, j; i < count; i = j) {
    sum *v = &h->left[places[i].sum];
    for (j = i; j < count && places[j].sum == places[i].sum; j++) sorted[j] = v->list[places[j].at];
    for (size_t l = i, to = 0; l < j; l++)
      if (!h->still[sorted[l].id]) v->list[to++] = sorted[l];
    uint32_t to = v->n;
    for (size_t l = j; l-- > i;)
      if (h->still[sorted[l].id]) v->list[--to] = sorted[l];
  }
  return HML_OK;
}

// ---- the new assembly

static value scaled(const sharing *h, value x, const term *t) {
  const double rest = t->more / t->factor;
  const bool seen = isfinite(rest) && fabs(rest) > LEAST_REST;
  if (!seen && fabs(t->factor) == 1) return t->factor == 1 ? x : value_negated(x);
  return value_mul(h->to, value_number(h->to, t->factor, seen ? rest : 0), x);
}

static value write_sum(sharing *h, const sum *v) {
  assembly *to = h->to;
  value total[2] = {{NO_VALUE, false}, {NO_VALUE, false}};
  for (uint32_t i = 0; i < v->n; i++) {
    bool still = h->still[v->list[i].id];
    total[still] = value_add(to, total[still], scaled(h, h->map[v->list[i].id], &v->list[i]));
  }
  value all = value_add(to, total[0], total[1]);
  return all.id == NO_VALUE ? value_constant(to, 0) : all;
}

static bool is_square(const assembly *s, value x) {
  const item *e = &s->items[x.id];
  return e->op == OP_mul && e->a == e->b;
}

static value write_item(sharing *h, uint32_t k) {
  const item *e = &h->s->items[k];
  assembly *to = h->to;
  unsigned n = item_operands(e);
  value a = n > 0 ? h->map[e->a] : (value){0, false}, b = n > 1 ? h->map[e->b] : a;
  switch (e->op) {
    case OP_CONSTANT: return value_number(to, item_constant(e), assembly_rest(h->s, e));
    case OP_INPUT: return (value){assembly_input(to, e->a), false};
    case OP_mul:
      if (e->a != e->b && is_square(to, a) && is_square(to, b)) {
        bool negative = a.negative != b.negative;
        value root = value_mul(to, (value){to->items[a.id].a, false}, (value){to->items[b.id].a, false});
        root = value_mul(to, root, root);
        return (value){root.id, negative != root.negative};
      }
      return value_mul(to, a, b);
    case OP_div: return value_div(to, a, b);
    default:
      return (value){assembly_emit(to, (opcode)e->op, value_plain(to, a), n > 1 ? value_plain(to, b) : 0, 0), false};
  }
}

// What item k is written from: the terms of a sum, the operands of another
static uint32_t operand_of(const sharing *h, uint32_t k, uint32_t i) {
  if (h->head[k]) return i < h->left[k].n ? h->left[k].list[i].id : NO_VALUE;
  const item *e = &h->s->items[k];
  return i >= item_operands(e) ? NO_VALUE : i == 0 ? e->a : e->b;
}

// Item k and what it is written from; sorted[] and reached[] are the stack: items, and operands already looked at
static void write_all(sharing *h, uint32_t k) {
  uint32_t depth = 0, *items = h->sorted, *looked = h->reached;
  items[depth] = k, looked[depth++] = 0;
  while (depth && h->to->status == HML_OK) {
    uint32_t top = items[depth - 1], next = operand_of(h, top, looked[depth - 1]++);
    if (next == NO_VALUE) {
      h->map[top] = h->head[top] ? write_sum(h, &h->left[top]) : write_item(h, top);
      depth--;
    } else if (h->map[next].id == NO_VALUE) {
      items[depth] = next, looked[depth++] = 0;
    }
  }
}

static hml_status share(sharing *h, uint32_t first_parameter, uint32_t n_parameters) {
  const assembly *s = h->s;
  mark(h, first_parameter, n_parameters);
  HML_TRY(find_parts(h));
  HML_TRY(order_terms(h));
  for (uint32_t k = 0; k < s->n; k++) h->map[k].id = NO_VALUE;
  for (uint32_t k = 0; k < s->n && h->to->status == HML_OK; k++)
    if (h->needed[k] && h->map[k].id == NO_VALUE && (h->head[k] || !h->linear[k])) write_all(h, k);
  for (uint32_t i = 0; i < s->n_out; i++) h->to->outputs[i] = value_plain(h->to, h->map[s->outputs[i]]);
  return h->to->status;
}

hml_status share_sums(const assembly *s, assembly *to, size_t first_parameter, size_t n_parameters) {
  hml_arena arena;
  hml_arena_init(&arena, s->context);
  const size_t n = (size_t)s->n + 1;
  sharing h = {.s = s, .to = to, .arena = &arena, .needed = hml_arena_alloc(&arena, n), .linear = hml_arena_alloc(&arena, n),
               .head = hml_arena_alloc(&arena, n), .still = hml_arena_alloc(&arena, n),
               .whole = hml_arena_alloc(&arena, n * sizeof(sum)), .left = hml_arena_alloc(&arena, n * sizeof(sum)), .direct = hml_arena_alloc(&arena, n * sizeof(sum)),
               .factor = hml_arena_alloc(&arena, n * sizeof(double)),
               .more = hml_arena_alloc(&arena, n * sizeof(double)),
               .count = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .reached = hml_arena_alloc(&arena, n * sizeof(uint32_t)),
               .sorted = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .under = hml_arena_alloc(&arena, n * sizeof(uint32_t *)),
               .under_n = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .under_room = hml_arena_alloc(&arena, n * sizeof(uint32_t)),
               .map = hml_arena_alloc(&arena, n * sizeof(value))};
  const void *blocks[] = {h.needed, h.linear, h.head, h.still, h.whole, h.left, h.direct, h.factor, h.more, h.count, h.reached, h.sorted, h.under,
                          h.under_n, h.under_room, h.map};
  hml_status status = HML_OK;
  for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
    if (!blocks[i]) status = HML_MEMORY;
  for (uint32_t i = 0; i < s->n_in; i++) to->names[i] = s->names[i];
  if (status == HML_OK) status = assembly_expect(to, s->n);
  if (status == HML_OK) status = share(&h, (uint32_t)first_parameter, (uint32_t)n_parameters);
  hml_arena_free(&arena);
  return status;
}
