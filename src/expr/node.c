// node.c: interned nodes: one pointer per structure, in a weak table; sweep frees all nodes that no kept node contains.
#include "expr_impl.h"

#include <math.h>
#include <string.h>

// A hash table with open places: the tag of a place is a part of the hash, so that a search touches hardly a node that is not wanted
enum { EMPTY, GONE, UNPLACED, FIRST_TAG };
enum { REACHED = 1, ENTERED = 2, WAITS = 4 };     // marks of nodes: during a sweep, during a walk in post-order; operands are still to be marked

struct hml_pool {
  uint32_t *tags;                      // EMPTY, GONE, UNPLACED while places are made anew, or FIRST_TAG at least     (capacity)
  struct hml_node **places;            // NULL where there is none              (capacity)
  size_t capacity, count, used;        // capacity is a power of two; used: count and those gone
  hml_expr templates[HML_FUN_COUNT][2];
};

static void free_pool(hml_context *c, struct hml_pool *pool);

// Empty tables in the place of those there are, which the caller keeps or gives back
static bool set_capacity(hml_context *c, struct hml_pool *pool, size_t capacity) {
  uint32_t *tags = hml_alloc(c, capacity * sizeof *tags);
  struct hml_node **places = tags ? hml_alloc(c, capacity * sizeof(struct hml_node *)) : NULL;
  if (!places) {
    hml_dealloc(c, tags, capacity * sizeof *tags);
    return false;
  }
  pool->tags = tags;
  pool->places = places;
  pool->capacity = capacity;
  pool->used = pool->count;
  return true;
}

static void free_tables(hml_context *c, const struct hml_pool *pool) {
  hml_dealloc(c, pool->tags, pool->capacity * sizeof *pool->tags);
  hml_dealloc(c, pool->places, pool->capacity * sizeof(struct hml_node *));
}

struct hml_pool *pool_of(hml_context *c) {
  struct hml_pool *pool = hml_context__pool(c);
  if (pool) return pool;
  pool = hml_alloc(c, sizeof *pool);
  if (!pool) return NULL;
  if (!set_capacity(c, pool, 1024)) {
    hml_dealloc(c, pool, sizeof *pool);
    return NULL;
  }
  hml_context__set_pool(c, pool, free_pool);
  return pool;
}

size_t hml_context_node_count(const hml_context *c) {
  const struct hml_pool *pool = hml_context__pool((hml_context *)(uintptr_t)c);
  return pool ? pool->count : 0;
}

static uint64_t mix(uint64_t h, uint64_t v) {
  h ^= v + UINT64_C(0x9E3779B97F4A7C15) + (h << 6) + (h >> 2);
  h *= UINT64_C(0xFF51AFD7ED558CCD);
  return h ^ (h >> 32);
}

static size_t payload_size(const struct hml_node *e) {
  switch (e->kind) {
    case HML_NUMBER: return e->big ? sizeof(big_rational) : sizeof(small_rational);
    case HML_FLOAT: return 3 * sizeof(double);
    case HML_SYMBOL: return (e->count + 8u) / 8u * 8u;
    default: return e->count * sizeof(hml_expr);
  }
}

static int64_t limb_bytes(mpq_srcptr q) { return 8 * (int64_t)(mpz_size(mpq_numref(q)) + mpz_size(mpq_denref(q))); }

static void free_node(hml_context *c, struct hml_node *e) {
  if (e->kind == HML_NUMBER && e->big) {
    mpq_ptr q = ((big_rational *)(void *)(e + 1))->q;
    hml_context__note_bytes(c, -limb_bytes(q));
    mpq_clear(q);
  }
  hml_dealloc(c, e, sizeof *e + payload_size(e));
}

static void free_pool(hml_context *c, struct hml_pool *pool) {
  for (size_t i = 0; i < pool->capacity; i++)
    if (pool->places[i]) free_node(c, pool->places[i]);
  free_tables(c, pool);
  hml_dealloc(c, pool, sizeof *pool);
}

static uint32_t tag_of(uint64_t hash) {
  uint32_t tag = (uint32_t)(hash >> 32);
  return tag < FIRST_TAG ? tag + FIRST_TAG : tag;
}

static void put(struct hml_pool *pool, struct hml_node *e) {
  size_t i = e->hash & (pool->capacity - 1);
  while (pool->tags[i] >= FIRST_TAG) i = (i + 1) & (pool->capacity - 1);
  pool->used += pool->tags[i] == EMPTY;
  pool->tags[i] = tag_of(e->hash);
  pool->places[i] = e;
}

// Gives the places of those gone back, without memory: each node goes to the first place from its hash on that no other has taken,
// and the node that waits there goes on
static void place_again(struct hml_pool *pool) {
  for (size_t i = 0; i < pool->capacity; i++) pool->tags[i] = pool->places[i] ? UNPLACED : EMPTY;
  for (size_t i = 0; i < pool->capacity; i++) {
    if (pool->tags[i] != UNPLACED) continue;
    struct hml_node *e = pool->places[i];
    pool->places[i] = NULL;
    pool->tags[i] = EMPTY;
    while (e) {
      size_t k = e->hash & (pool->capacity - 1);
      while (pool->tags[k] >= FIRST_TAG) k = (k + 1) & (pool->capacity - 1);
      struct hml_node *waiting = pool->tags[k] == UNPLACED ? pool->places[k] : NULL;
      pool->tags[k] = tag_of(e->hash);
      pool->places[k] = e;
      e = waiting;
    }
  }
  pool->used = pool->count;
}

// Three eighths of the places stay empty; without memory the searches grow long, but not endless
static bool make_room(hml_context *c, struct hml_pool *pool) {
  if (8 * (pool->used + 1) <= 5 * pool->capacity) return true;
  size_t capacity = pool->capacity;
  while (4 * (pool->count + 1) > capacity) capacity *= 2;
  if (capacity == pool->capacity) return place_again(pool), true;
  struct hml_pool old = *pool;
  bool failed = hml_failed(c);
  if (!set_capacity(c, pool, capacity)) {
    if (old.used + 2 > old.capacity) return false;
    if (!failed) hml_context_clear_error(c);
    return true;
  }
  pool->used = 0;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.places[i]) put(pool, old.places[i]);
  free_tables(c, &old);
  return true;
}

// A new node with the header given, in its place; the caller fills the payload
static struct hml_node *insert(hml_context *c, struct hml_pool *pool, const struct hml_node *header) {
  struct hml_node *e = make_room(c, pool) ? hml_realloc(c, NULL, 0, sizeof *e + payload_size(header)) : NULL;
  if (!e) return NULL;
  *e = *header;
  put(pool, e);
  pool->count++;
  return e;
}

// The next node of that hash from place *i on; NULL: there is none
static struct hml_node *candidate(const struct hml_pool *pool, uint64_t hash, size_t *i) {
  uint32_t tag = tag_of(hash);
  for (; pool->tags[*i] != EMPTY; *i = (*i + 1) & (pool->capacity - 1)) {
    struct hml_node *e = pool->places[*i];
    if (pool->tags[*i] != tag || e->hash != hash) continue;
    *i = (*i + 1) & (pool->capacity - 1);
    return e;
  }
  return NULL;
}

#define EACH_CANDIDATE(e, pool, h)                                  \
  size_t place = (h) & ((pool)->capacity - 1);                      \
  for (struct hml_node *e; (e = candidate(pool, h, &place)) != NULL;)

static uint64_t hash_mpz(uint64_t h, mpz_srcptr z) {
  h = mix(h, (uint64_t)(int64_t)mpz_sgn(z));
  for (size_t i = 0; i < mpz_size(z); i++) h = mix(h, mpz_getlimbn(z, (mp_size_t)i));
  return h;
}

static struct hml_node *known_small(const struct hml_pool *pool, uint64_t hash, const number *a) {
  EACH_CANDIDATE(e, pool, hash) {
    if (e->kind == HML_NUMBER && !e->big && node_small(e)->n == a->n && node_small(e)->d == a->d) return e;
  }
  return NULL;
}

hml_expr node_number(hml_context *c, const number *a) {
  struct hml_pool *pool = pool_of(c);
  if (!pool) return NULL;
  const uint64_t small = a->form == SMALL ? mix(mix(1, (uint64_t)a->n), (uint64_t)a->d) : 0;
  struct hml_node *known = a->form == SMALL ? known_small(pool, small, a) : NULL;      // as most numbers
  if (known) return known;
  // no single operation on numbers of that length takes long: nothing can interrupt it
  if (a->form == BIG && number_bits(a) > MAX_BITS)
    return hml_fail_null(c, HML_LIMIT, "an exact number has more than %d digits", (int)(MAX_BITS * 0.30103));
  if (number_lost(c, a)) return NULL;
  struct hml_node header = {.kind = a->form == INEXACT ? HML_FLOAT : HML_NUMBER, .big = a->form == BIG, .size = 1, .rank = RANK_NUMBER};
  int sign = number_sign(a);
  if (number_may_vanish(a)) header.known = 0;
  else header.known = sign > 0 ? KNOWN_POSITIVE | KNOWN_NONNEGATIVE : sign == 0 ? KNOWN_NONNEGATIVE : 0;
  uint64_t bits[3] = {0};
  double inexact[3] = {0};
  if (a->form == INEXACT) inexact[0] = a->x != 0 ? a->x : 0, inexact[1] = a->low != 0 ? a->low : 0, inexact[2] = a->error;   // -0 is 0: two nodes would print alike
  memcpy(bits, inexact, sizeof bits);
  if (a->form == BIG) header.hash = hash_mpz(hash_mpz(3, mpq_numref(a->q)), mpq_denref(a->q));
  else if (a->form == SMALL) header.hash = small;
  else header.hash = mix(bits[1] ? mix(2, bits[1]) : 2, bits[0]);
  if (a->form != SMALL) {
    EACH_CANDIDATE(e, pool, header.hash) {
      if (e->kind != header.kind || e->big != header.big) continue;
      if (a->form == BIG ? mpq_equal(node_mpq(e), a->q) != 0 : memcmp(e + 1, bits, sizeof bits) == 0) return e;
    }
  }
  number copy;
  number_copy(&copy, a);
  double value = number_value(&copy);
  if (isnan(value) && a->form != INEXACT) copy.form = (number_clear(&copy), LOST);
  struct hml_node *e = number_lost(c, &copy) ? NULL : insert(c, pool, &header);
  if (!e) {
    number_clear(&copy);
    return NULL;
  }
  if (a->form == BIG) {
    *(big_rational *)(void *)(e + 1) = (big_rational){{copy.q[0]}, value};
    hml_context__note_bytes(c, limb_bytes(copy.q));
  } else if (a->form == SMALL) {
    *(small_rational *)(void *)(e + 1) = (small_rational){a->n, a->d};
  } else {
    memcpy(e + 1, bits, sizeof bits);
  }
  return e;
}

static uint8_t symbol_rank(unsigned flags, unsigned order) {
  if (flags & HML_TIME) return RANK_COORDINATE;
  if (!(flags & HML_DYNAMIC)) return RANK_PARAMETER;
  return order == 0 ? RANK_COORDINATE : order == 1 ? RANK_VELOCITY : RANK_ACCELERATION;
}

hml_expr node_symbol(hml_context *c, const char *name, size_t length, unsigned flags, unsigned order) {
  struct hml_pool *pool = pool_of(c);
  if (!pool) return NULL;
  struct hml_node header = {.kind = HML_SYMBOL, .count = (uint32_t)length, .order = order, .flags = (uint8_t)flags, .size = 1};
  header.rank = symbol_rank(flags, order);
  // a derivative of a positive function has no sign
  header.known = (flags & HML_POSITIVE) && order == 0 ? KNOWN_POSITIVE | KNOWN_NONNEGATIVE : 0;
  header.hash = mix(mix(5, flags), order);
  for (size_t i = 0; i < length; i++) header.hash = mix(header.hash, (unsigned char)name[i]);
  EACH_CANDIDATE(e, pool, header.hash) {
    if (e->kind == HML_SYMBOL && e->count == length && e->flags == flags && e->order == order && memcmp(node_name(e), name, length) == 0)
      return e;
  }
  struct hml_node *e = insert(c, pool, &header);
  if (!e) return NULL;
  memset(e + 1, 0, payload_size(e));
  memcpy(e + 1, name, length);
  return e;
}

// The sign of the value, from the signs of the operands
static uint8_t sign_known(hml_kind kind, hml_function f, size_t n, const hml_expr *operands) {
  const uint8_t both = KNOWN_POSITIVE | KNOWN_NONNEGATIVE;
  uint8_t all = both, any = 0;
  for (size_t i = 0; i < n; i++) {
    all &= operands[i]->known;
    any |= operands[i]->known;
  }
  switch (kind) {
    case HML_SUM: return (all & KNOWN_NONNEGATIVE) ? (uint8_t)(KNOWN_NONNEGATIVE | (any & KNOWN_POSITIVE)) : 0;
    case HML_PRODUCT: return all;
    case HML_POWER:
      if (operands[0]->known & KNOWN_POSITIVE) return both;
      if (is_even_integer(operands[1])) return KNOWN_NONNEGATIVE;
      if (operands[0]->known & KNOWN_NONNEGATIVE) return KNOWN_NONNEGATIVE;
      // an even root is nonnegative where it is real
      return operands[1]->kind == HML_NUMBER && !operands[1]->big && node_small(operands[1])->d % 2 == 0 ? KNOWN_NONNEGATIVE : 0;
    case HML_CALL:
      if (f == HML_FUN_exp || f == HML_FUN_cosh) return both;
      if (f == HML_FUN_acos && is_small(operands[0], -1, 1)) return both;
      if (f == HML_FUN_abs || f == HML_FUN_acosh || f == HML_FUN_acos) return KNOWN_NONNEGATIVE;
      if (f == HML_FUN_min) return all;
      if (f == HML_FUN_max) return any;
      return 0;
    default: return 0;
  }
}

hml_expr node_compound(hml_context *c, hml_kind kind, hml_function f, size_t n, const hml_expr *operands) {
  struct hml_pool *pool = pool_of(c);
  if (!pool) return NULL;
  struct hml_node header = {.kind = (uint8_t)kind, .function = (int16_t)(kind == HML_CALL ? f : 0), .count = (uint32_t)n, .size = 1};
  header.hash = mix(mix(11, (uint64_t)kind), (uint64_t)header.function);
  for (size_t i = 0; i < n; i++) {
    if (!operands[i]) return NULL;
    header.hash = mix(header.hash, operands[i]->hash);
  }
  EACH_CANDIDATE(e, pool, header.hash) {
    if (e->kind == kind && e->function == header.function && e->count == n && memcmp(node_operands(e), operands, n * sizeof *operands) == 0)
      return e;
  }
  for (size_t i = 0; i < n; i++) {
    header.size = header.size > UINT64_MAX - operands[i]->size ? UINT64_MAX : header.size + operands[i]->size;
    if (operands[i]->rank > header.rank) header.rank = operands[i]->rank;
  }
  header.known = sign_known(kind, f, n, operands);
  struct hml_node *e = insert(c, pool, &header);
  if (e) memcpy(e + 1, operands, n * sizeof *operands);
  return e;
}

hml_expr pool_template(hml_context *c, hml_function f, size_t k) {
  struct hml_pool *pool = pool_of(c);
  return pool ? pool->templates[f][k] : NULL;
}

void pool_set_template(hml_context *c, hml_function f, size_t k, hml_expr e) {
  hml_keep(c, e);
  pool_of(c)->templates[f][k] = e;
}

void hml_keep(hml_context *c, hml_expr e) {
  (void)c;
  if (e) ((struct hml_node *)(uintptr_t)e)->keeps++;
}

void hml_release(hml_context *c, hml_expr e) {
  (void)c;
  if (e && e->keeps) ((struct hml_node *)(uintptr_t)e)->keeps--;
}

enum { WAITING = 1024 };

// Marks all nodes below those given in waiting, which are marked themselves. What does not fit waits in the pool, by its mark, for a later
// look, so that a sweep needs neither memory nor C stack; true: there is such a node
static bool mark_from(struct hml_node *waiting[WAITING], size_t n) {
  bool more = false;
  while (n > 0) {
    struct hml_node *e = waiting[--n];
    if (e->kind < HML_SUM) continue;
    for (uint32_t i = 0; i < e->count; i++) {
      struct hml_node *operand = (struct hml_node *)(uintptr_t)node_operands(e)[i];
      if (operand->mark & REACHED) continue;
      operand->mark |= REACHED;
      if (n < WAITING) waiting[n++] = operand;
      else more = true, operand->mark |= WAITS;
    }
  }
  return more;
}

#define BETWEEN_LOOKS 4096u             // places of the pool between looks for Ctrl-C

void hml_context_sweep(hml_context *c) {
  struct hml_pool *pool = hml_context__pool(c);
  if (!pool) return;
  struct hml_node *waiting[WAITING];
  bool complete = true;
  for (bool more = true, first = true; more && complete; first = false) {
    more = false;
    for (size_t i = 0; complete && i < pool->capacity; i++) {
      struct hml_node *e = pool->places[i];
      if (e && (e->mark & WAITS || (first && e->keeps && !e->mark))) {
        e->mark = REACHED;
        waiting[0] = e;
        more |= mark_from(waiting, 1);
      }
      if (i % BETWEEN_LOOKS == 0 && hml_interrupted(c)) complete = false;
    }
  }
  // after Ctrl-C nothing is freed, for want of marks, or nothing more: a later sweep goes on
  for (size_t i = 0; i < pool->capacity; i++) {
    struct hml_node *e = pool->places[i];
    if (i % BETWEEN_LOOKS == 0 && hml_interrupted(c)) complete = false;
    if (!e) continue;
    if (complete && !e->mark) {
      pool->places[i] = NULL;
      pool->tags[i] = GONE;
      pool->count--;
      free_node(c, e);
    } else {
      e->mark = 0;
    }
  }
  if (pool->count > 0) return;
  memset(pool->tags, 0, pool->capacity * sizeof *pool->tags);
  pool->used = 0;
}

hml_kind hml_kind_of(hml_expr e) { return (hml_kind)e->kind; }
size_t hml_operand_count(hml_expr e) { return e->kind >= HML_SUM ? e->count : 0; }
hml_expr hml_operand(hml_expr e, size_t i) { return node_operands(e)[i]; }
hml_function hml_function_of(hml_expr e) { return e->function; }
uint64_t hml_tree_size(hml_expr e) { return e->size; }
bool hml_expr__known_positive(hml_expr e) { return (e->known & KNOWN_POSITIVE) != 0; }
bool hml_expr__known_nonnegative(hml_expr e) { return (e->known & (KNOWN_POSITIVE | KNOWN_NONNEGATIVE)) != 0; }

// Post-order with an explicit stack: a node is entered, its operands follow, then it is written. What has been entered has a mark until the end
static bool enter(hml_expr e) {
  struct hml_node *node = (struct hml_node *)(uintptr_t)e;
  if (node->mark & ENTERED) return false;
  node->mark |= ENTERED;
  return true;
}

static void leave(hml_expr e) {
  ((struct hml_node *)(uintptr_t)e)->mark &= (uint8_t)~ENTERED;
}

typedef struct frame {
  hml_expr e;
  uint32_t next;                       // operand
} frame;

typedef struct walk {
  hml_arena *arena;
  frame *stack;
  size_t depth, capacity;
  hml_expr *list;
  size_t written, room;
} walk;

static hml_status push(walk *w, hml_expr e) {
  if (w->depth == w->capacity) {
    frame *grown = hml_realloc(w->arena->context, w->stack, w->capacity * sizeof *grown, 2 * w->capacity * sizeof *grown);
    if (!grown) return leave(e), HML_MEMORY;
    w->stack = grown;
    w->capacity *= 2;
  }
  w->stack[w->depth++] = (frame){e, 0};
  return HML_OK;
}

static hml_status write(walk *w) {
  if (w->written == w->room) {
    hml_expr *grown = hml_arena_raw(w->arena, 2 * w->room * sizeof *grown);
    if (!grown) return HML_MEMORY;
    memcpy(grown, w->list, w->written * sizeof *grown);
    w->list = grown;
    w->room *= 2;
  }
  w->list[w->written++] = w->stack[--w->depth].e;
  return (w->written & 4095) == 0 ? hml_check_interrupt(w->arena->context) : HML_OK;
}

static hml_status walk_below(walk *w, hml_expr root) {
  if (enter(root)) HML_TRY(push(w, root));
  while (w->depth > 0) {
    frame *top = &w->stack[w->depth - 1];
    if (top->e->kind < HML_SUM || top->next == top->e->count) {
      HML_TRY(write(w));
      continue;
    }
    const hml_expr operand = node_operands(top->e)[top->next++];
    if (enter(operand)) HML_TRY(push(w, operand));
  }
  return HML_OK;
}

hml_status hml_expr__postorder(hml_arena *arena, size_t n, const hml_expr *roots, hml_expr **nodes, size_t *count) {
  hml_context *c = arena->context;
  walk w = {.arena = arena, .capacity = 64, .room = 64};
  w.stack = hml_realloc(c, NULL, 0, w.capacity * sizeof *w.stack);
  w.list = hml_arena_raw(arena, w.room * sizeof *w.list);
  hml_status status = w.stack && w.list ? HML_OK : HML_MEMORY;
  for (size_t r = 0; status == HML_OK && r < n; r++) status = walk_below(&w, roots[r]);
  for (size_t i = 0; i < w.written; i++) leave(w.list[i]);
  for (size_t i = 0; i < w.depth; i++) leave(w.stack[i].e);
  hml_dealloc(c, w.stack, w.capacity * sizeof *w.stack);
  *nodes = w.list;
  *count = w.written;
  return status;
}
