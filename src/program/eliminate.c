// eliminate.c: the accelerations from a graph of values (graph.h), in an order of two kinds of steps, each on one unknown:
//   a defined value by which no unfinished value is defined any more is substituted:  W_ij += W_uj c_i, s_i += c_i s_u;
//   a velocity or a multiplier by which nothing unfinished is defined is eliminated by its pivot W_jj, as in L D L^T.
// All substitutions first is the dense mass matrix, its factors after it; both mixed from the leaves of a tree of bodies to its root is the
// articulated-body recursion. The cheapest step is taken first (Markowitz; Tinney and Walker 1967); among equals an elimination.
// Greedy steps may lose small fronts: of links whose mass centres are not at their ends, one component of velocity goes down to the base before the
// other one. Steps by levels keep the components of a link together: what belongs to the velocity nearest to the leaves goes first.
//
// A multiplier has a pivot once a velocity in its row is eliminated. Whether that pivot may be used is read off samples: two rows may share the one
// velocity eliminated. What never becomes good comes last. With weights on the rows the pivots of velocities do not need the multipliers: each waits
// for all velocities of its row, so that no single entry of a row, such as q0 of a quaternion, must differ from zero.
//
// Floors: an unknown carries the size of what was added to its pivot; the pivot must be above a floor times that. The pivots of velocities are
// Schur complements of a positive form; those of multipliers are negative. Under constraints a pivot that moves must not be small beside what it usually
// is either: a coordinate that has lost its inertia is determined by the rows, and its r_i / W_ii says nothing; a multiplier that only one velocity
// has given a pivot is not determined where that velocity leaves its row.
#include "graph.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define READY_PART 0.05                // of its usual size: a multiplier with such a pivot at all samples is eliminated at once
#define FILL_WEIGHT 3.0                // operations that an entry filled in costs later, in the mixed rule
enum { MOST_COUNTED = 48 };            // neighbours up to which fill is counted; beyond it all of them fill
enum { LEAST_POINTS = 6 };             // at which a pivot has a value
enum { MOST_FAILURES = 4 };            // of so many points one may be near a singular place, where nothing else is left

typedef struct row {
  uint32_t *who, n, room;              // ascending
  value *what;
} row;

typedef struct key {
  double cost, second;
  uint32_t node, version;
} key;

typedef struct trace {
  uint32_t node;
  bool substituted;
  graph_part *parts;                   // x_node = side - sum parts, or sum parts for a substituted one
  uint32_t n;
  value side;
} trace;

typedef struct elimination {
  graph *g;
  hml_arena *arena;
  graph_rule rule;
  row *rows;                           // of W                           (nodes)
  value *side, *size;                  // (nodes)
  uint32_t *pending, *version;         // unfinished definitions that read it; of its key   (nodes)
  uint32_t *level;                     // find_levels; GRAPH_LEVEL only         (nodes)
  bool *done;
  double *largest;                     // of a multiplier's pivot so far, at each point     (m x GRAPH_POINTS)
  key *heap;
  uint32_t heaped, heap_room;
  trace *steps;
  uint32_t n_steps;
  bool *still;                         // is_still of the first items           (still_room)
  uint32_t n_still, still_room;
  bool *in_row;                        // velocity i occurs in row k; with weights only       (m x n)
  bool last;                           // what is left is never ready: take what has a pivot
  bool plain;                          // nothing is eliminated, and sizes of pivots do not matter
  graph_solution *out;
} elimination;

static const value none = {NO_VALUE, false};

static bool present(value x) {
  return x.id != NO_VALUE;
}

// ---- values

// Numbers and signs in one form, the number zero structural
static value settled(assembly *s, value x) {
  if (!present(x)) return x;
  value y = value_of_item(s, x.id);
  y.negative ^= x.negative;
  return y;
}

static value plus(assembly *s, value x, value y) {
  if (present(x) && x.id == y.id && x.negative != y.negative) return none;
  return settled(s, value_add(s, x, y));
}

static value times(assembly *s, value x, value y) {
  return settled(s, value_mul(s, x, y));
}

static bool is_one(const assembly *s, value x) {
  return s->items[x.id].op == OP_CONSTANT && item_constant(&s->items[x.id]) == 1;
}

const double *graph_values(graph_samples *p, assembly *s, uint32_t k) {
  static const double unknown[GRAPH_POINTS];
  if (s->status != HML_OK) return unknown;
  if (k >= p->room) {
    uint32_t room = 2 * s->n + 256;
    double *longer = hml_arena_raw(&s->arena, (size_t)room * GRAPH_POINTS * sizeof *longer);
    if (!longer) return s->status = HML_MEMORY, unknown;
    if (p->known) memcpy(longer, p->at, (size_t)p->known * GRAPH_POINTS * sizeof *longer);
    p->at = longer;
    p->room = room;
  }
  for (; p->known <= k; p->known++) {
    const item *e = &s->items[p->known];
    unsigned operands = item_operands(e);
    double *at = p->at + (size_t)p->known * GRAPH_POINTS;
    const double *a = operands > 0 ? p->at + (size_t)e->a * GRAPH_POINTS : at, *b = operands > 1 ? p->at + (size_t)e->b * GRAPH_POINTS : a;
    for (int i = 0; i < GRAPH_POINTS; i++) {
      switch (e->op) {
        case OP_CONSTANT: at[i] = item_constant(e); break;
        case OP_INPUT: at[i] = p->inputs[(size_t)e->a * GRAPH_POINTS + i]; break;
        case OP_add: at[i] = a[i] + b[i]; break;
        case OP_sub: at[i] = a[i] - b[i]; break;
        case OP_mul: at[i] = a[i] * b[i]; break;
        default: at[i] = instruction_value((opcode)e->op, a[i], b[i], 0);
      }
    }
  }
  return p->at + (size_t)k * GRAPH_POINTS;
}

// ---- W

static uint32_t place_of(const row *r, uint32_t node) {
  uint32_t low = 0, high = r->n;
  while (low < high) {
    uint32_t middle = (low + high) / 2;
    if (r->who[middle] < node) low = middle + 1;
    else high = middle;
  }
  return low;
}

static value entry(const elimination *e, uint32_t u, uint32_t w) {
  const row *r = &e->rows[u];
  uint32_t at = place_of(r, w);
  return at < r->n && r->who[at] == w ? r->what[at] : none;
}

static bool has(const elimination *e, uint32_t u, uint32_t w) {
  return present(entry(e, u, w));
}

static void remove_at(row *r, uint32_t at) {
  memmove(r->who + at, r->who + at + 1, (r->n - at - 1) * sizeof *r->who);
  memmove(r->what + at, r->what + at + 1, (r->n - at - 1) * sizeof *r->what);
  r->n--;
}

static bool grow(elimination *e, row *r) {
  uint32_t room = 2 * r->room + 4, *who = hml_arena_alloc(e->arena, room * sizeof *who);
  value *what = hml_arena_alloc(e->arena, room * sizeof *what);
  if (!who || !what) return e->g->s->status = HML_MEMORY, false;
  if (r->n) memcpy(who, r->who, r->n * sizeof *who), memcpy(what, r->what, r->n * sizeof *what);
  *r = (row){who, r->n, room, what};
  return true;
}

static void put(elimination *e, uint32_t u, uint32_t w, value x) {
  row *r = &e->rows[u];
  uint32_t at = place_of(r, w);
  bool there = at < r->n && r->who[at] == w;
  if (there && !present(x)) remove_at(r, at);
  else if (there) r->what[at] = x;
  else if (present(x) && (r->n < r->room || grow(e, r))) {
    memmove(r->who + at + 1, r->who + at, (r->n - at) * sizeof *r->who);
    memmove(r->what + at + 1, r->what + at, (r->n - at) * sizeof *r->what);
    r->who[at] = w, r->what[at] = x;
    r->n++;
  }
}

static void add(elimination *e, uint32_t u, uint32_t w, value x) {
  if (!present(x)) return;
  value sum = plus(e->g->s, entry(e, u, w), x);
  put(e, u, w, sum);
  if (u != w) put(e, w, u, sum);
}

static void enlarge(elimination *e, uint32_t u, value x) {
  if (!e->plain) e->size[u] = plus(e->g->s, e->size[u], x);
}

static void push_side(elimination *e, uint32_t u, value c, value x) {
  if (present(x)) e->side[u] = plus(e->g->s, e->side[u], times(e->g->s, c, x));
}

// ---- which node next

static bool is_multiplier(const elimination *e, uint32_t k) {
  return k >= e->g->nodes - e->g->m;
}

// Is the pivot positive (that of a multiplier negative), above its floor, and for a multiplier of its usual size, at the points where it has a value?
static bool fine_at_samples(elimination *e, uint32_t k) {
  graph *g = e->g;
  value pivot = entry(e, k, k);
  const double *size_at = present(e->size[k]) ? graph_sample(g, e->size[k].id) : NULL;
  double size[GRAPH_POINTS];
  for (int i = 0; i < GRAPH_POINTS; i++) size[i] = size_at ? fabs(size_at[i]) : 0;
  const double *at = graph_sample(g, pivot.id);
  bool multiplier = is_multiplier(e, k);
  double *largest = e->largest + (multiplier ? (size_t)(k - (g->nodes - g->m)) * GRAPH_POINTS : 0), sorted[GRAPH_POINTS];
  double floor = multiplier ? g->floors.rows : g->floors.constrained;
  int count = 0, failures = 0;
  for (int i = 0; i < GRAPH_POINTS; i++) {
    double x = pivot.negative != multiplier ? -at[i] : at[i];
    if (!isfinite(x)) continue;
    int place = count++;
    if (!(x > floor * size[i])) failures++;
    if (failures && (!e->last || (i == 0 && g->given))) return false;
    if (!multiplier) continue;
    if (x > largest[i]) largest[i] = x;
    for (; place > 0 && sorted[place - 1] > largest[i]; place--) sorted[place] = sorted[place - 1];
    sorted[place] = largest[i];
  }
  if (count < LEAST_POINTS || MOST_FAILURES * failures > count) return false;
  if (!multiplier || e->last) return true;
  double middle = sorted[count / 2];
  for (int i = 0; i < GRAPH_POINTS; i++)
    if (isfinite(at[i]) && !(fabs(at[i]) > READY_PART * fmax(largest[i], middle))) return false;
  return true;
}

static bool is_ready(elimination *e, uint32_t k) {
  const graph *g = e->g;
  if (e->done[k] || e->pending[k]) return false;
  if (g->definition[k].parts) return true;
  return has(e, k, k) && (!g->sampled || fine_at_samples(e, k));
}

// Entries that substituting k would add to W, and operations
static void count_substitution(const elimination *e, uint32_t k, double *fill, double *operations) {
  const graph_definition *d = &e->g->definition[k];
  const row *r = &e->rows[k];
  *fill = *operations = 0;
  for (uint32_t x = 0; x < d->n; x++) {
    uint32_t u = d->parts[x].node;
    bool one = is_one(e->g->s, d->parts[x].c);
    for (uint32_t i = 0; i < r->n; i++) {
      if (r->who[i] == k) continue;
      bool there = has(e, u, r->who[i]);
      *fill += !there, *operations += !one + there;
    }
  }
  if (!has(e, k, k)) return;
  for (uint32_t x = 0; x < d->n; x++) {
    *operations += !is_one(e->g->s, d->parts[x].c);
    for (uint32_t y = 0; y <= x; y++) {
      bool there = has(e, d->parts[x].node, d->parts[y].node);
      *fill += !there, *operations += !is_one(e->g->s, d->parts[y].c) + there;
    }
  }
}

static double elimination_fill(const elimination *e, uint32_t k) {
  const row *r = &e->rows[k];
  double fill = 0;
  for (uint32_t x = 0; x < r->n; x++)
    for (uint32_t y = 0; y <= x; y++)
      if (r->who[x] != k && r->who[y] != k) fill += !has(e, r->who[x], r->who[y]);
  return fill;
}

static key key_of(const elimination *e, uint32_t k) {
  const graph_definition *d = &e->g->definition[k];
  const row *r = &e->rows[k];
  const bool substitution = d->parts != NULL, counted = (e->rule == GRAPH_FILL || e->rule == GRAPH_MIXED) && r->n <= MOST_COUNTED;
  double degree = (double)r->n - has(e, k, k), fill, operations, width = degree;
  if (substitution) {
    for (uint32_t x = 0; x < d->n; x++) width += !has(e, k, d->parts[x].node);
    fill = degree * d->n, operations = 2 * fill;
    if (counted) count_substitution(e, k, &fill, &operations);
  } else {
    fill = degree * (degree + 1) / 2, operations = degree * (degree + 3) / 2 + 5;
    if (counted) fill = elimination_fill(e, k);
  }
  key out = {.node = k};
  if (e->rule == GRAPH_LEVEL) {
    out.cost = e->level[k];
    out.second = substitution ? width : -1;
  } else if (e->rule == GRAPH_DEGREE) {
    out.cost = substitution ? width : degree;
    out.second = substitution;
  } else if (e->rule == GRAPH_FILL) {
    out.cost = fill - degree - 1;
    out.second = substitution ? degree * d->n : degree * degree / 2;
  } else {
    out.cost = !substitution && fill == 0 ? -1 : operations + FILL_WEIGHT * (fill - degree - 1);
    out.second = substitution;
  }
  return out;
}

// Velocities by their distance from the leaves: the longest way up through definitions. A defined value has the level of the lowest velocity that it is
// made of, so that it goes when that velocity can go, and all that a link brings goes before what the next one brings. A multiplier does not wait
static bool find_levels(elimination *e) {
  const graph *g = e->g;
  const uint32_t defined = g->nodes - g->m;
  e->level = hml_arena_alloc(e->arena, ((size_t)g->nodes + 1) * sizeof *e->level);
  if (!e->level) return g->s->status = HML_MEMORY, false;
  for (uint32_t k = defined; k-- > g->n;)                                   // parts have smaller numbers, or are velocities
    for (uint32_t i = 0; i < g->definition[k].n; i++) {
      uint32_t part = g->definition[k].parts[i].node;
      if (e->level[part] <= e->level[k]) e->level[part] = e->level[k] + 1;
    }
  for (uint32_t k = g->n; k < defined; k++)
    for (uint32_t i = 0; i < g->definition[k].n; i++) {
      uint32_t of_part = e->level[g->definition[k].parts[i].node];
      if (i == 0 || of_part < e->level[k]) e->level[k] = of_part;
    }
  return true;
}

// Later nodes first among equals: they are nearer to the leaves
static bool before(const key *a, const key *b) {
  if (a->cost != b->cost) return a->cost < b->cost;
  if (a->second != b->second) return a->second < b->second;
  return a->node != b->node ? a->node > b->node : a->version > b->version;
}

static void push_key(elimination *e, key k) {
  if (e->heaped == e->heap_room) {
    uint32_t room = 2 * e->heap_room + 64;
    key *longer = hml_arena_alloc(e->arena, room * sizeof *longer);
    if (!longer) {
      e->g->s->status = HML_MEMORY;
      return;
    }
    if (e->heaped) memcpy(longer, e->heap, e->heaped * sizeof *longer);
    e->heap = longer;
    e->heap_room = room;
  }
  uint32_t at = e->heaped++;
  for (; at > 0 && before(&k, &e->heap[(at - 1) / 2]); at = (at - 1) / 2) e->heap[at] = e->heap[(at - 1) / 2];
  e->heap[at] = k;
}

static key pop_key(elimination *e) {
  key top = e->heap[0], moved = e->heap[--e->heaped];
  uint32_t at = 0;
  for (uint32_t child = 1; child < e->heaped; child = 2 * at + 1) {
    if (child + 1 < e->heaped && before(&e->heap[child + 1], &e->heap[child])) child++;
    if (!before(&e->heap[child], &moved)) break;
    e->heap[at] = e->heap[child];
    at = child;
  }
  if (e->heaped) e->heap[at] = moved;
  return top;
}

static void touch(elimination *e, uint32_t k) {
  e->version[k]++;                     // its old key no longer counts
  if (!is_ready(e, k)) return;
  key now = key_of(e, k);
  now.version = e->version[k];
  push_key(e, now);
}

// ---- the two steps

// Takes k out of W; its entries remain in its own row
static void isolate(elimination *e, uint32_t k) {
  row *r = &e->rows[k];
  for (uint32_t i = 0; i < r->n; i++)
    if (r->who[i] != k) put(e, r->who[i], k, none);
  e->done[k] = true;
}

static void substitute(elimination *e, uint32_t k) {
  assembly *s = e->g->s;
  const graph_definition *d = &e->g->definition[k];
  const row r = e->rows[k];
  const value own = entry(e, k, k);
  isolate(e, k);
  for (uint32_t i = 0; i < r.n; i++) {
    if (r.who[i] == k) continue;
    for (uint32_t x = 0; x < d->n; x++) {
      uint32_t u = d->parts[x].node;
      value moved = times(s, r.what[i], d->parts[x].c);
      if (u == r.who[i] && !e->plain) enlarge(e, u, plus(s, moved, moved));
      add(e, u, r.who[i], u == r.who[i] ? plus(s, moved, moved) : moved);
    }
  }
  for (uint32_t x = 0; x < d->n; x++) {
    uint32_t u = d->parts[x].node;
    value c = d->parts[x].c, moved = times(s, own, c);
    for (uint32_t y = 0; y <= x; y++) add(e, u, d->parts[y].node, times(s, moved, d->parts[y].c));
    if (present(e->size[k])) enlarge(e, u, times(s, times(s, e->size[k], c), c));
    push_side(e, u, c, e->side[k]);
    e->pending[u]--;
  }
  e->steps[e->n_steps++] = (trace){.node = k, .substituted = true, .parts = d->parts, .n = d->n, .side = none};
}

// Who stands beside a node that was substituted has another key
static void touch_around(elimination *e, uint32_t k) {
  const graph_definition *d = &e->g->definition[k];
  for (uint32_t x = 0; x < d->n; x++) touch(e, d->parts[x].node);
  for (uint32_t i = 0; i < e->rows[k].n; i++)
    if (e->rows[k].who[i] != k) touch(e, e->rows[k].who[i]);
}

// Does item k depend on parameters alone?
static bool is_still(elimination *e, uint32_t k) {
  assembly *s = e->g->s;
  if (k >= e->still_room) {
    uint32_t room = 2 * s->n + 64;
    bool *longer = hml_arena_alloc(e->arena, room);
    if (!longer) return s->status = HML_MEMORY, false;
    if (e->n_still) memcpy(longer, e->still, e->n_still);
    e->still = longer;
    e->still_room = room;
  }
  for (; e->n_still <= k; e->n_still++) {
    const item *i = &s->items[e->n_still];
    unsigned n = item_operands(i);
    if (i->op == OP_INPUT) e->still[e->n_still] = i->a >= e->g->first_parameter && i->a < e->g->first_parameter + e->g->n_parameters;
    else e->still[e->n_still] = (n < 1 || e->still[i->a]) && (n < 2 || e->still[i->b]);
  }
  return e->still[k];
}

// Mean of |x| at the samples
static double usual_of(elimination *e, value x) {
  const double *at = graph_sample(e->g, x.id);
  double sum = 0;
  int count = 0;
  for (int i = 0; i < GRAPH_POINTS; i++)
    if (isfinite(at[i])) sum += fabs(at[i]), count++;
  return count ? sum / count : 0;
}

// What the pivot must be above: a floor times what was added to it, and times what that usually is
static void demand(elimination *e, uint32_t k, value pivot) {
  graph *g = e->g;
  assembly *s = g->s;
  bool multiplier = is_multiplier(e, k);
  value size = e->size[k], distance = multiplier ? value_negated(pivot) : pivot;
  double floor = multiplier ? g->floors.rows : g->m ? g->floors.constrained : g->floors.free;
  bool same = present(size) && size.id == distance.id && size.negative == distance.negative;
  graph_pivot *out = &e->out->pivots[e->out->n_pivots++];
  *out = (graph_pivot){distance, present(size) && !same ? times(s, value_constant(s, floor), size) : none, none};
  if (g->m == 0 || (multiplier && e->in_row) || !present(size) || is_still(e, size.id)) return;
  value usual = value_constant(s, floor * usual_of(e, size));
  out->usual = multiplier ? value_div(s, usual, g->unit) : times(s, usual, g->unit);
}

static bool eliminate(elimination *e, uint32_t k) {
  assembly *s = e->g->s;
  const row r = e->rows[k];
  const value pivot = entry(e, k, k), inverse = value_div(s, value_constant(s, 1), pivot);
  const bool multiplier = is_multiplier(e, k);
  demand(e, k, pivot);
  isolate(e, k);
  graph_part *parts = hml_arena_alloc(e->arena, ((size_t)r.n + 1) * sizeof *parts);
  if (!parts) return s->status = HML_MEMORY, false;
  uint32_t n = 0;
  for (uint32_t i = 0; i < r.n; i++) {
    uint32_t u = r.who[i];
    if (u == k) continue;
    value l = times(s, r.what[i], inverse);
    for (uint32_t j = 0; j <= i; j++)
      if (r.who[j] != k) add(e, u, r.who[j], value_negated(times(s, l, r.what[j])));
    // what this adds with a sign of its own: the pivots of multipliers go down by velocities, those of velocities up by multipliers
    if (multiplier != is_multiplier(e, u)) {
      value added = times(s, l, r.what[i]);
      enlarge(e, u, multiplier ? value_negated(added) : added);
    }
    push_side(e, u, value_negated(l), e->side[k]);
    parts[n++] = (graph_part){u, l};
  }
  e->steps[e->n_steps++] = (trace){.node = k, .parts = parts, .n = n, .side = times(s, e->side[k], inverse)};
  for (uint32_t j = 0; e->in_row && !multiplier && j < e->g->m; j++)
    if (e->in_row[(size_t)j * e->g->n + k]) e->pending[e->g->nodes - e->g->m + j]--;
  for (uint32_t i = 0; i < n; i++) touch(e, parts[i].node);
  return true;
}

// From the last step back to the first
static void substitute_back(elimination *e, value *x) {
  assembly *s = e->g->s;
  for (uint32_t at = e->n_steps; at-- > 0;) {
    const trace *t = &e->steps[at];
    value sum = t->side;
    for (uint32_t i = 0; i < t->n; i++) {
      value product = times(s, t->parts[i].c, x[t->parts[i].node]);
      sum = plus(s, sum, t->substituted ? product : value_negated(product));
    }
    x[t->node] = sum;
  }
}

// ---- a whole order

static bool allocate(elimination *e) {
  const graph *g = e->g;
  hml_arena *a = e->arena;
  const size_t n = (size_t)g->nodes + 1;
  e->rows = hml_arena_alloc(a, n * sizeof *e->rows);
  e->side = hml_arena_alloc(a, n * sizeof *e->side);
  e->size = hml_arena_alloc(a, n * sizeof *e->size);
  e->pending = hml_arena_alloc(a, n * sizeof *e->pending);
  e->version = hml_arena_alloc(a, n * sizeof *e->version);
  e->done = hml_arena_alloc(a, n);
  e->largest = hml_arena_alloc(a, ((size_t)g->m + 1) * GRAPH_POINTS * sizeof *e->largest);
  e->steps = hml_arena_alloc(a, n * sizeof *e->steps);
  return e->rows && e->side && e->size && e->pending && e->version && e->done && e->largest && e->steps;
}

// Marks the velocities that each row is defined by; its multiplier waits for them
static bool wait_for_rows(elimination *e) {
  const graph *g = e->g;
  bool *reached = hml_arena_alloc(e->arena, (size_t)g->nodes + 1);
  e->in_row = hml_arena_alloc(e->arena, (size_t)g->m * g->n + 1);
  if (!reached || !e->in_row) return g->s->status = HML_MEMORY, false;
  for (uint32_t j = 0; j < g->m; j++) {
    memset(reached, 0, g->nodes);
    reached[g->row[j]] = true;
    for (uint32_t k = g->nodes - g->m; k-- > g->n;)                         // parts have smaller numbers, or are velocities
      for (uint32_t i = 0; reached[k] && i < g->definition[k].n; i++) reached[g->definition[k].parts[i].node] = true;
    for (uint32_t i = 0; i < g->n; i++) {
      e->in_row[(size_t)j * g->n + i] = reached[i];
      e->pending[g->nodes - g->m + j] += reached[i];
    }
  }
  return true;
}

static void load(elimination *e) {
  graph *g = e->g;
  assembly *s = g->s;
  for (uint32_t k = 0; k < g->nodes; k++) e->side[k] = k < g->n ? g->r[k] : none, e->size[k] = none;
  for (uint32_t i = 0; i < g->n_form; i++) {
    add(e, g->form[i].a, g->form[i].b, g->form[i].w);
    if (g->form[i].a == g->form[i].b) enlarge(e, g->form[i].a, g->form[i].w);
  }
  for (uint32_t k = 0; k < g->nodes; k++)
    for (uint32_t i = 0; i < g->definition[k].n; i++) e->pending[g->definition[k].parts[i].node]++;
  for (uint32_t k = 0; k < g->m; k++) {
    uint32_t lambda = g->nodes - g->m + k;
    add(e, lambda, g->row[k], value_negated(value_constant(s, 1)));         // -A a = b; its pivots are compared with themselves alone
    e->side[lambda] = g->b[k];
    if (g->weight == 0) continue;
    // (M + rho A^T A) a = r + A^T lambda - rho A^T b has the same a and lambda
    value rho = value_constant(s, g->weight * g->scale[k] * g->scale[k]);
    add(e, g->row[k], g->row[k], rho);
    enlarge(e, g->row[k], rho);
    push_side(e, g->row[k], value_negated(rho), g->b[k]);
  }
}

// The next node by the keys; NO_VALUE: none is ready
static uint32_t next_of(elimination *e) {
  while (e->heaped && e->g->s->status == HML_OK) {
    key k = pop_key(e);
    if (!e->done[k.node] && e->version[k.node] == k.version) return k.node;
  }
  return NO_VALUE;
}

static hml_status run(elimination *e) {
  graph *g = e->g;
  assembly *s = g->s;
  load(e);
  if (g->weight != 0 && !wait_for_rows(e)) return s->status;
  if (e->rule == GRAPH_LEVEL && !find_levels(e)) return s->status;
  for (uint32_t k = 0; k < g->nodes; k++) touch(e, k);
  while (e->n_steps < g->nodes && s->status == HML_OK && s->n <= g->most) {
    uint32_t k = next_of(e);
    if (k == NO_VALUE && !e->last && g->sampled) {
      e->last = true;
      for (uint32_t i = 0; i < g->nodes; i++) touch(e, i);
      k = next_of(e);
    }
    if (k == NO_VALUE) return s->status;
    if (g->definition[k].parts) substitute(e, k), touch_around(e, k);
    else if (!eliminate(e, k)) return s->status;
  }
  HML_TRY(s->status);
  if (e->n_steps < g->nodes) return HML_OK;
  value *x = hml_arena_alloc(e->arena, ((size_t)g->nodes + 1) * sizeof *x);
  if (!x) return HML_MEMORY;
  substitute_back(e, x);
  for (uint32_t i = 0; i < g->n; i++) e->out->a[i] = x[i];
  for (uint32_t k = 0; k < g->m; k++) e->out->lambda[k] = x[g->nodes - g->m + k];
  e->out->solved = s->n <= g->most;
  return s->status;
}

hml_status graph_eliminate(graph *g, graph_rule rule, graph_solution *out) {
  hml_arena passing;
  hml_arena_init(&passing, g->s->context);
  elimination e = {.g = g, .arena = &passing, .rule = rule, .out = out};
  *out = (graph_solution){.a = hml_arena_alloc(&g->s->arena, ((size_t)g->n + 1) * sizeof(value)),
                          .lambda = hml_arena_alloc(&g->s->arena, ((size_t)g->m + 1) * sizeof(value)),
                          .pivots = hml_arena_alloc(&g->s->arena, ((size_t)g->n + g->m + 1) * sizeof(graph_pivot))};
  hml_status status = out->a && out->lambda && out->pivots && allocate(&e) ? run(&e) : HML_MEMORY;
  hml_arena_free(&passing);
  return status;
}

hml_status graph_diagonal(graph *g, value *out) {
  graph free = *g;                     // constraints have no inertia
  free.m = 0;
  free.nodes -= g->m;
  free.sampled = false;
  hml_arena passing;
  hml_arena_init(&passing, g->s->context);
  elimination e = {.g = &free, .arena = &passing, .rule = GRAPH_DEGREE, .plain = true};
  hml_status status = allocate(&e) ? HML_OK : HML_MEMORY;
  for (uint32_t i = 0; i < g->n; i++) out[i] = none;
  if (status == HML_OK) load(&e);
  for (uint32_t k = 0; status == HML_OK && k < free.nodes; k++) touch(&e, k);
  for (uint32_t k; status == HML_OK && (k = next_of(&e)) != NO_VALUE; status = g->s->status) {
    if (free.definition[k].parts) {
      substitute(&e, k);
      touch_around(&e, k);
      continue;
    }
    out[k] = entry(&e, k, k);          // complete, and what stands beside it enters no other one
    isolate(&e, k);
    for (uint32_t i = 0; i < e.rows[k].n; i++)
      if (e.rows[k].who[i] != k) touch(&e, e.rows[k].who[i]);
  }
  hml_arena_free(&passing);
  return status == HML_OK ? g->s->status : status;
}

hml_status graph_substitute(graph *g, value *mass, value *rows) {
  const uint32_t lambda = g->nodes - g->m;
  hml_arena passing;
  hml_arena_init(&passing, g->s->context);
  elimination e = {.g = g, .arena = &passing, .plain = true};
  hml_status status = allocate(&e) ? HML_OK : HML_MEMORY;
  if (status == HML_OK) load(&e);
  for (uint32_t k = lambda; status == HML_OK && k-- > g->n;) {             // parts have smaller numbers
    substitute(&e, k);
    status = g->s->status;
  }
  for (uint32_t i = 0; status == HML_OK && i < g->n; i++)
    for (uint32_t j = 0; j <= i; j++) *mass++ = entry(&e, i, j);
  for (uint32_t k = 0; status == HML_OK && k < g->m; k++)
    for (uint32_t i = 0; i < g->n; i++) *rows++ = value_negated(entry(&e, lambda + k, i));
  hml_arena_free(&passing);
  return status;
}
