// factor.c: sums of products with common factors taken out: s a + s b is s (a + b). A force on the links of a chain reaches the coordinate q_j as
//   Q_j = sum over the links i of F_i (dr_i/dq_j) = (dr_j/dq_j) sum F_i,
// and only the sums on the right have each other as parts (share.c), which makes n^2 products n sums.
//
// Energies and constraints stay as they are: graph.c finds its nodes in the way they are written.
#include "program_impl.h"

#include <string.h>

enum { MOST_FACTORS = 16 };            // of a product that are looked at one by one: the depth of sums inside sums, too
enum { MOST_PRODUCTS = 1 << 18 };      // of a sum: longer ones, such as sums of sums of sums may become, stay as they are
#define MOST_LOOKED 100000000          // factors looked at altogether; then what is left stays as it is

typedef struct product {
  value number;                        // times the factors
  uint32_t *factors, n;                // items of s; room for MOST_FACTORS, used again by the next sum
} product;

typedef struct pending {
  uint32_t id;
  value number;
} pending;

typedef struct factoring {
  const assembly *s;
  assembly *to;
  hml_arena *arena;
  bool *kept, *head;                   // kept: written as it is; head: something else than a sum reads it, or an output     (n)
  uint32_t *uses, *count;              // count: scratch, zero between uses                                               (n)
  value *map;                          // in `to`                                                                         (n)
  product *list;                       // the present sum
  uint32_t n_list, room;
  pending *stack;                      // its parts that are still to be looked at
  uint32_t depth, stack_room;
  uint64_t looked;
} factoring;

static bool is_number(const assembly *s, uint32_t k) {
  return s->items[k].op == OP_CONSTANT;
}

static bool is_linear(const assembly *s, uint32_t k) {
  const item *e = &s->items[k];
  return e->op == OP_add || e->op == OP_sub || e->op == OP_neg || (e->op == OP_mul && (is_number(s, e->a) || is_number(s, e->b)));
}

static void mark(factoring *f, size_t n_kept, const size_t *kept) {
  const assembly *s = f->s;
  for (size_t i = 0; i < n_kept; i++) f->kept[s->outputs[kept[i]]] = true;
  for (uint32_t i = 0; i < s->n_out; i++) f->head[s->outputs[i]] = true, f->uses[s->outputs[i]]++;
  for (uint32_t k = s->n; k-- > 0;) {
    const item *e = &s->items[k];
    const unsigned n = f->uses[k] ? item_operands(e) : 0;
    const bool linear = is_linear(s, k);
    for (unsigned i = 0; i < n; i++) {
      const uint32_t to = i ? e->b : e->a;
      f->uses[to]++;
      f->head[to] |= !linear;
      f->kept[to] |= f->kept[k];
    }
  }
}

// ---- a sum as products

// The factors of item k: those of products that nothing else reads are taken apart, numbers go into the number
static void collect_factors(factoring *f, uint32_t k, product *p, uint32_t room) {
  const item *e = &f->s->items[k];
  for (; e->op == OP_mul && f->uses[k] == 1 && p->n + 2 <= room; k = e->b, e = &f->s->items[k])
    collect_factors(f, e->a, p, room - 1);                                  // leaves room for one factor of b
  if (is_number(f->s, k)) p->number = value_mul(f->to, p->number, f->map[k]);
  else p->factors[p->n++] = k;
}

// A list of so many entries of a size in place of a full one; NULL: memory is short. The arena sets what is new to zero
static void *grown(factoring *f, const void *list, uint32_t *room, uint32_t least, size_t size) {
  const uint32_t longer = 2 * *room + least;
  void *out = hml_arena_alloc(f->arena, longer * size);
  if (!out) return NULL;
  if (*room) memcpy(out, list, *room * size);
  *room = longer;
  return out;
}

static hml_status add_product(factoring *f, uint32_t k, value number) {
  if (f->n_list == f->room && !(f->list = grown(f, f->list, &f->room, 16, sizeof *f->list))) return HML_MEMORY;
  product *p = &f->list[f->n_list++];
  if (!p->factors) p->factors = hml_arena_alloc(f->arena, MOST_FACTORS * sizeof *p->factors);
  if (!p->factors) return HML_MEMORY;
  p->number = number;
  p->n = 0;
  collect_factors(f, k, p, MOST_FACTORS);
  return HML_OK;
}

static hml_status push(factoring *f, uint32_t id, value number) {
  if (f->depth == f->stack_room && !(f->stack = grown(f, f->stack, &f->stack_room, 64, sizeof *f->stack))) return HML_MEMORY;
  f->stack[f->depth++] = (pending){id, number};
  return HML_OK;
}

// The products of sum k; more than MOST_PRODUCTS: not all of them
static hml_status collect_products(factoring *f, uint32_t k) {
  const assembly *s = f->s;
  f->n_list = f->depth = 0;
  HML_TRY(push(f, k, value_constant(f->to, 1)));
  while (f->depth && f->n_list <= MOST_PRODUCTS) {
    const pending top = f->stack[--f->depth];
    const item *e = &s->items[top.id];
    if (!is_linear(s, top.id) || (top.id != k && f->head[top.id])) {
      HML_TRY(add_product(f, top.id, top.number));
    } else if (e->op == OP_mul) {
      const uint32_t number = is_number(s, e->a) ? e->a : e->b, other = number == e->a ? e->b : e->a;
      HML_TRY(push(f, other, value_mul(f->to, top.number, f->map[number])));
    } else if (e->op == OP_neg) {
      HML_TRY(push(f, e->a, value_negated(top.number)));
    } else {
      HML_TRY(push(f, e->b, e->op == OP_sub ? value_negated(top.number) : top.number));
      HML_TRY(push(f, e->a, top.number));
    }
  }
  return f->to->status;
}

// ---- products as a sum of fewer

static value write_product(factoring *f, const product *p) {
  value all = {NO_VALUE, false};
  for (uint32_t i = 0; i < p->n; i++) all = i ? value_mul(f->to, all, f->map[p->factors[i]]) : f->map[p->factors[i]];
  return all.id == NO_VALUE ? p->number : value_mul(f->to, p->number, all);
}

// The factor of most products, the earliest among equals; NO_VALUE: none has two of them
static uint32_t most_common(factoring *f, uint32_t n, const product *list) {
  uint32_t best = NO_VALUE, most = 1;
  for (uint32_t i = 0; i < n; i++) f->looked += list[i].n;
  if (f->looked > MOST_LOOKED) return NO_VALUE;
  for (int pass = 0; pass < 3; pass++)                                      // count, compare, forget
    for (uint32_t i = 0; i < n; i++)
      for (uint32_t j = 0; j < list[i].n; j++) {
        const uint32_t k = list[i].factors[j];
        bool again = false;
        for (uint32_t l = 0; l < j; l++) again |= list[i].factors[l] == k;
        if (pass == 0) f->count[k] += !again;
        else if (pass == 2) f->count[k] = 0;
        else if (f->count[k] > most || (f->count[k] == most && best != NO_VALUE && k < best)) best = k, most = f->count[k];
      }
  return best;
}

static bool take_out(product *p, uint32_t factor) {
  for (uint32_t j = 0; j < p->n; j++) {
    if (p->factors[j] != factor) continue;
    p->factors[j] = p->factors[--p->n];
    return true;
  }
  return false;
}

// What has the most common factor, as a sum times that factor, and the rest so on. Each sum inside has a factor less
static value write_products(factoring *f, uint32_t n, product *list) {
  value all = {NO_VALUE, false};
  for (uint32_t common; n > 0 && f->to->status == HML_OK && (common = most_common(f, n, list)) != NO_VALUE;) {
    uint32_t with = 0;
    for (uint32_t i = 0; i < n; i++) {
      if (!take_out(&list[i], common)) continue;
      const product p = list[i];
      list[i] = list[with];
      list[with++] = p;
    }
    all = value_add(f->to, all, value_mul(f->to, write_products(f, with, list), f->map[common]));
    list += with;
    n -= with;
  }
  for (uint32_t i = 0; i < n; i++) all = value_add(f->to, all, write_product(f, &list[i]));
  return all;
}

// ---- the new assembly

static value write_item(factoring *f, const item *e) {
  assembly *to = f->to;
  const unsigned n = item_operands(e);
  const value a = n > 0 ? f->map[e->a] : (value){0, false}, b = n > 1 ? f->map[e->b] : a;
  switch (e->op) {
    case OP_CONSTANT: return value_number(to, item_constant(e), assembly_rest(f->s, e));
    case OP_INPUT: return (value){assembly_input(to, e->a), false};
    case OP_add: return value_add(to, a, b);
    case OP_sub: return value_add(to, a, value_negated(b));
    case OP_neg: return value_negated(a);
    case OP_mul: return value_mul(to, a, b);
    case OP_div: return value_div(to, a, b);
    default: return (value){assembly_emit(to, (opcode)e->op, value_plain(to, a), n > 1 ? value_plain(to, b) : 0, 0), false};
  }
}

static hml_status write_all(factoring *f) {
  const assembly *s = f->s;
  for (uint32_t k = 0; k < s->n && f->to->status == HML_OK; k++) {
    if (!f->uses[k]) continue;
    if (f->kept[k] || !f->head[k] || !is_linear(s, k)) {
      f->map[k] = write_item(f, &s->items[k]);
      continue;
    }
    HML_TRY(collect_products(f, k));
    f->map[k] = f->n_list > MOST_PRODUCTS ? write_item(f, &s->items[k]) : write_products(f, f->n_list, f->list);
    HML_TRY(hml_check_interrupt(s->context));
  }
  for (uint32_t i = 0; i < s->n_out; i++) f->to->outputs[i] = value_plain(f->to, f->map[s->outputs[i]]);
  return f->to->status;
}

hml_status factor_sums(const assembly *s, assembly *to, size_t n_kept, const size_t *kept) {
  hml_arena arena;
  hml_arena_init(&arena, s->context);
  const size_t n = (size_t)s->n + 1;
  factoring f = {.s = s, .to = to, .arena = &arena, .kept = hml_arena_alloc(&arena, n), .head = hml_arena_alloc(&arena, n),
                 .uses = hml_arena_alloc(&arena, n * sizeof(uint32_t)), .count = hml_arena_alloc(&arena, n * sizeof(uint32_t)),
                 .map = hml_arena_alloc(&arena, n * sizeof(value))};
  hml_status status = f.kept && f.head && f.uses && f.count && f.map ? HML_OK : HML_MEMORY;
  if (status == HML_OK) {
    mark(&f, n_kept, kept);
    status = write_all(&f);
  }
  hml_arena_free(&arena);
  return status;
}
