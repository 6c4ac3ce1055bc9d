// graph.c: the accelerations in as few operations as the system has, from one program of L = T - V, the forces Q and the constraints f:
//   M a = Q + dL/dq - (d/dt dL/dv with v' = 0) + A^T lambda,   A a + b = 0,   M = d2L/dv2, A = df/dv, b = (df/dt with v' = 0).
// The right-hand sides are sides.c. M is never written down: L is pushed down to its operands with adjoints, as in edge
// pushing (Gower and Mello, A new framework for the computation of Hessians, 2012), where an operation with a second derivative by v leaves
// an entry of a form W between its operands. These and the rows f become nodes of a graph, each defined by the nodes it is computed from;
// eliminate.c solves it in several orders, of which the cheapest is kept.
#include "graph.h"

#include <math.h>
#include <string.h>

#define CLOSE_COSTS 0.01                // less than that decides nothing between the order by levels and the greedy ones: margins are not counted

static const value none = {NO_VALUE, false};

static bool present(value x) {
  return x.id != NO_VALUE;
}

static value plain(uint32_t id) {
  return (value){id, false};
}

// ---- the form

static void mark_moving(graph_maker *k) {
  const assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  for (uint32_t i = 0; i < k->l->n; i++) k->moving[graph_velocity(k, i)] = true;
  for (uint32_t i = 0; i < k->base; i++) {
    const item *e = &s->items[i];
    unsigned n = item_operands(e);
    if (e->op == OP_INPUT) k->still[i] = e->a >= l->first_parameter && e->a < l->first_parameter + l->n_parameters;
    else k->still[i] = (n < 1 || k->still[e->a]) && (n < 2 || k->still[e->b]);
    if (n == 0) continue;
    bool a = k->moving[e->a], b = n > 1 && k->moving[e->b];
    k->moving[i] = a || b;
    bool linear = e->op == OP_add || e->op == OP_sub || e->op == OP_neg || (e->op == OP_mul && !(a && b)) || (e->op == OP_div && !b);
    k->bent[i] = k->moving[i] && (!linear || k->bent[e->a] || (n > 1 && k->bent[e->b]));
  }
}

static hml_status couple(graph_maker *k, uint32_t a, uint32_t b, value w) {
  graph *g = &k->g;
  if (!present(w)) return HML_OK;
  k->is_node[a] = k->is_node[b] = true;
  if (g->n_form == k->form_room) {
    uint32_t room = 2 * k->form_room + 64;
    graph_entry *longer = hml_arena_alloc(&k->s->arena, room * sizeof *longer);
    if (!longer) return HML_MEMORY;
    if (g->n_form) memcpy(longer, g->form, g->n_form * sizeof *longer);
    g->form = longer;
    k->form_room = room;
  }
  g->form[g->n_form++] = (graph_entry){a < b ? a : b, a < b ? b : a, w};
  return HML_OK;
}

// Second derivatives of item j, whose adjoint is w, by those of its operands that move
static hml_status bend(graph_maker *k, uint32_t j, value w) {
  assembly *s = k->s;
  const item e = s->items[j];
  value a = plain(e.a), b = plain(e.b), f = plain(j);
  double x;
  switch (e.op) {
    case OP_add: case OP_sub: case OP_neg: return HML_OK;
    case OP_mul:
      if (!k->moving[e.a] || !k->moving[e.b]) return HML_OK;
      return couple(k, e.a, e.b, e.a == e.b ? value_add(s, w, w) : w);
    case OP_div: {
      if (!k->moving[e.b]) return HML_OK;
      value over = value_div(s, value_div(s, w, b), b);                     // w/b^2
      if (k->moving[e.a]) HML_TRY(couple(k, e.a, e.b, value_negated(over)));
      value twice = value_mul(s, f, over);
      return couple(k, e.b, e.b, value_add(s, twice, twice));
    }
    case OP_sqrt: {                                                         // -w/(4 f a)
      value four = value_mul(s, value_constant(s, 4), value_mul(s, f, a));
      return couple(k, e.a, e.a, value_negated(value_div(s, w, four)));
    }
    case OP_pow: {                                                          // w p (p - 1) a^(p - 2)
      if (k->moving[e.b] || s->items[e.b].op != OP_CONSTANT) break;
      x = item_constant(&s->items[e.b]);
      value power = plain(assembly_emit(s, OP_pow, e.a, assembly_constant(s, x - 2), 0));
      return couple(k, e.a, e.a, value_mul(s, w, value_mul(s, value_constant(s, x * (x - 1)), power)));
    }
    default: break;
  }
  k->refused = true;
  return HML_OK;
}

// Is the bent item j, as far as it moves, a product of two values linear in the velocities, or a sum of bent items, or one with a factor that
// depends on parameters alone? rest: adds what does not move
static bool is_plain(graph_maker *k, uint32_t j, value w) {
  const item e = k->s->items[j];
  const unsigned n = item_operands(&e);
  switch (e.op) {
    case OP_add: case OP_sub: case OP_neg:
      for (unsigned i = 0; i < n; i++) {
        uint32_t to = i ? e.b : e.a;
        bool minus = e.op == OP_neg || (e.op == OP_sub && i);
        if (k->moving[to] && !k->bent[to]) return false;
        if (!k->moving[to]) k->rest[to] = value_add(k->s, k->rest[to], minus ? value_negated(w) : w);
      }
      return true;
    case OP_mul:
      if (k->moving[e.a] && k->moving[e.b]) return !k->bent[e.a] && !k->bent[e.b];
      return k->still[k->moving[e.a] ? e.b : e.a];
    case OP_div: return k->still[e.b];
    default: return false;
  }
}

// Adjoints of what is not linear, from L down
static hml_status push_down(graph_maker *k) {
  assembly *s = k->s;
  sweep *d = &k->sweep;
  const uint32_t root = k->out[k->l->lagrangian];
  value *w = hml_arena_alloc(&s->arena, ((size_t)k->base + 1) * sizeof *w);
  if (!w) return HML_MEMORY;
  for (uint32_t j = 0; j < k->base; j++) w[j] = k->rest[j] = none;
  w[root] = value_constant(s, 1);
  k->squares = k->bent[root];
  for (uint32_t j = k->base; j-- > 0 && s->status == HML_OK && !k->refused;) {
    const item e = s->items[j];
    if (!present(w[j]) || !k->bent[j]) continue;
    HML_TRY(bend(k, j, w[j]));
    k->squares = k->squares && is_plain(k, j, w[j]);
    unsigned n = item_operands(&e);
    for (unsigned i = 0; i < n && !k->refused; i++) {
      uint32_t to = i ? e.b : e.a;
      if (k->bent[to]) w[to] = value_add(s, w[to], value_mul(s, sweep_partial(d, j, i), w[j]));
    }
  }
  return s->status;
}

// ---- the nodes

static uint32_t parts_of(const graph_maker *k, uint32_t j, uint32_t *parts) {
  const item *e = &k->s->items[j];
  unsigned n = item_operands(e);
  uint32_t count = 0;
  if (n > 0 && k->moving[e->a]) parts[count++] = e->a;
  if (n > 1 && k->moving[e->b] && e->b != e->a) parts[count++] = e->b;
  return count;
}

// dj = sum c dw over its operands; an operand that stands twice has one part
static hml_status define(graph_maker *k, uint32_t j, graph_definition *d) {
  assembly *s = k->s;
  const item e = s->items[j];
  uint32_t operands[2], n = parts_of(k, j, operands);
  d->parts = hml_arena_alloc(&s->arena, ((size_t)n + 1) * sizeof *d->parts);
  if (!d->parts) return HML_MEMORY;
  d->n = n;
  for (uint32_t i = 0; i < n; i++) {
    value c = sweep_partial(&k->sweep, j, operands[i] != e.a);
    if (operands[i] == e.a && item_operands(&e) > 1 && e.b == e.a) c = value_add(s, c, sweep_partial(&k->sweep, j, 1));
    d->parts[i] = (graph_part){operands[i], c};
  }
  return s->status;
}

// Puts the definition of item j into the one of its only user
static hml_status put_into(graph_maker *k, graph_definition *user, uint32_t j, const graph_definition *own) {
  assembly *s = k->s;
  graph_part *parts = hml_arena_alloc(&s->arena, ((size_t)user->n + own->n + 1) * sizeof *parts);
  uint32_t n = 0;
  value c = none;
  if (!parts) return HML_MEMORY;
  for (uint32_t i = 0; i < user->n; i++) {
    if (user->parts[i].node == j) c = user->parts[i].c;
    else parts[n++] = user->parts[i];
  }
  for (uint32_t i = 0; i < own->n; i++) {
    value product = value_mul(s, c, own->parts[i].c);
    uint32_t at = 0;
    while (at < n && parts[at].node != own->parts[i].node) at++;
    if (at < n) parts[at].c = value_add(s, parts[at].c, product);
    else parts[n++] = (graph_part){own->parts[i].node, product};
  }
  *user = (graph_definition){parts, n};
  return s->status;
}

static bool is_velocity(const graph_maker *k, uint32_t j) {
  const item *e = &k->s->items[j];
  return e->op == OP_INPUT && e->a >= 1 + k->l->n && e->a < 1 + 2 * k->l->n;
}

// Definitions by items, then by nodes. A value with one user that the form and the rows do not contain goes into that
static hml_status find_nodes(graph_maker *k) {
  assembly *s = k->s;
  graph *g = &k->g;
  const uint32_t base = k->base;
  graph_definition *all = hml_arena_alloc(&s->arena, ((size_t)base + 1) * sizeof *all);
  uint32_t *users = hml_arena_alloc(&s->arena, ((size_t)base + 1) * sizeof *users), *user = hml_arena_alloc(&s->arena, ((size_t)base + 1) * sizeof *user);
  bool *root = hml_arena_alloc(&s->arena, (size_t)base + 1);
  if (!all || !users || !user || !root) return HML_MEMORY;
  for (uint32_t j = 0; j < g->m; j++) k->is_node[g->row[j]] = true;
  for (uint32_t j = 0; j < base; j++) root[j] = k->is_node[j];
  for (uint32_t j = base; j-- > 0 && s->status == HML_OK;) {
    if (!k->is_node[j] || is_velocity(k, j)) continue;
    HML_TRY(define(k, j, &all[j]));
    for (uint32_t i = 0; i < all[j].n; i++) {
      uint32_t part = all[j].parts[i].node;
      k->is_node[part] = true;
      users[part]++, user[part] = j;
    }
  }
  for (uint32_t j = base; j-- > 0 && s->status == HML_OK;) {
    if (!all[j].parts || root[j] || users[j] != 1) continue;
    for (uint32_t i = 0; i < all[j].n; i++) {                               // its parts have the user of j in place of j
      uint32_t part = all[j].parts[i].node;
      bool twice = false;
      for (uint32_t l = 0; l < all[user[j]].n; l++) twice |= all[user[j]].parts[l].node == part;
      if (twice || user[part] == j) user[part] = user[j];
      users[part] -= twice;
    }
    HML_TRY(put_into(k, &all[user[j]], j, &all[j]));
    k->is_node[j] = false;
  }
  g->nodes = g->n;
  for (uint32_t j = 0; j < base; j++)
    if (k->is_node[j]) k->node[j] = is_velocity(k, j) ? s->items[j].a - 1 - k->l->n : g->nodes++;
  g->nodes += g->m;
  g->definition = hml_arena_alloc(&s->arena, ((size_t)g->nodes + 1) * sizeof *g->definition);
  if (!g->definition) return HML_MEMORY;
  for (uint32_t j = 0; j < base; j++) {
    if (!k->is_node[j] || is_velocity(k, j)) continue;
    graph_definition *d = &g->definition[k->node[j]];
    *d = all[j];
    uint32_t n = 0;
    for (uint32_t i = 0; i < d->n; i++) {
      value c = d->parts[i].c;
      if (present(c)) c = value_of_item(s, c.id), c.negative ^= d->parts[i].c.negative;
      if (present(c)) d->parts[n++] = (graph_part){k->node[d->parts[i].node], c};
    }
    d->n = n;
  }
  for (uint32_t i = 0; i < g->n_form; i++) {
    graph_entry *e = &g->form[i];
    uint32_t a = k->node[e->a], b = k->node[e->b];
    *e = (graph_entry){a, b, e->w};
  }
  for (uint32_t j = 0; j < g->m; j++) g->row[j] = k->node[g->row[j]];
  return s->status;
}

// ---- samples

// States anywhere, parameters at their values
static hml_status draw_samples(graph_maker *k) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  uint64_t dice = UINT64_C(0x9E3779B97F4A7C15);
  double *in = hml_arena_alloc(&s->arena, ((size_t)s->n_in + 1) * GRAPH_POINTS * sizeof *in);
  if (!in) return HML_MEMORY;
  for (size_t i = 0; i < s->n_in; i++) {
    bool parameter = i >= l->first_parameter && i < l->first_parameter + l->n_parameters;
    for (int p = 0; p < GRAPH_POINTS; p++) {
      double x = graph_draw(&dice, -3.14159, 3.14159);
      if (l->sample && p == 0) x = l->sample[i];
      in[i * GRAPH_POINTS + p] = parameter ? l->parameter_values[i - l->first_parameter] : x;
    }
  }
  k->g.samples.inputs = in;
  return HML_OK;
}

// From the largest coefficient that the definition of a row has at the samples
static hml_status find_scales(graph_maker *k) {
  graph *g = &k->g;
  g->scale = hml_arena_alloc(&k->s->arena, ((size_t)g->m + 1) * sizeof *g->scale);
  if (!g->scale) return HML_MEMORY;
  for (uint32_t j = 0; j < g->m; j++) {
    const graph_definition *d = &g->definition[g->row[j]];
    double largest = 0;
    int exponent = 0;
    for (uint32_t i = 0; i < d->n; i++) {
      const double *at = graph_sample(g, d->parts[i].c.id);
      for (int p = 0; p < GRAPH_POINTS; p++)
        if (isfinite(at[p])) largest = fmax(largest, fabs(at[p]));
    }
    if (largest > 0) frexp(largest, &exponent);
    g->scale[j] = ldexp(1, largest > 0 ? -exponent + 1 : 0);               // 1 where the largest is 1
  }
  return k->s->status;
}

// Does a value depend on parameters alone? Of the items behind the program only constants, and products and quotients of such values, matter
static bool is_still(const graph_maker *k, uint32_t id) {
  const item *e = &k->s->items[id];
  if (id < k->base) return k->still[id];
  unsigned n = item_operands(e);
  return e->op == OP_CONSTANT || (n > 0 && is_still(k, e->a) && (n < 2 || is_still(k, e->b)));
}

// The size of the form at the samples, for rows with weights: the median of |W_uu|
static double usual_inertia(graph_maker *k) {
  graph *g = &k->g;
  double sum = 0;
  uint32_t count = 0;
  for (uint32_t i = 0; i < g->n_form; i++) {
    const double *at = graph_sample(g, g->form[i].w.id);
    for (int p = 0; p < GRAPH_POINTS && g->form[i].a == g->form[i].b; p++)
      if (at[p] != 0 && isfinite(at[p])) sum += log(fabs(at[p])), count++;
  }
  return count ? exp(sum / count) : 1;
}

// Mean of those weights of the form that depend on parameters alone, relative to their values at the samples; 1 where there is none. Sizes of
// inertias scale with it
static value find_unit(graph_maker *k) {
  assembly *s = k->s;
  value sum = none;
  double count = 0;
  for (uint32_t i = 0; i < k->g.n_form; i++) {
    const graph_entry *e = &k->g.form[i];
    if (e->a != e->b || !present(e->w) || !is_still(k, e->w.id)) continue;
    double at = graph_sample(&k->g, e->w.id)[0];
    if (at == 0 || !isfinite(at)) continue;
    sum = value_add(s, sum, value_mul(s, (value){e->w.id, false}, value_constant(s, 1 / at)));
    count++;
  }
  return count > 0 ? value_mul(s, sum, value_constant(s, 1 / count)) : value_constant(s, 1);
}

// ---- orders

// Additions that the accelerations and multipliers cost, as hml_program__cost counts but for functions, of which all orders have the same
static hml_status cost_of(const graph_maker *k, const graph_solution *x, double *cost) {
  const assembly *s = k->s;
  hml_arena passing;
  hml_arena_init(&passing, s->context);
  uint32_t *uses = hml_arena_alloc(&passing, ((size_t)s->n + 1) * sizeof *uses);
  hml_status status = uses ? HML_OK : HML_MEMORY;
  *cost = 0;
  for (uint32_t i = 0; uses && i < k->g.n; i++)
    if (present(x->a[i])) uses[x->a[i].id]++;
  for (uint32_t i = 0; uses && i < k->g.m; i++)
    if (present(x->lambda[i]) && k->l->has_multiplier_power) uses[x->lambda[i].id]++;
  for (uint32_t j = s->n; uses && j-- > 0;) {
    const item *e = &s->items[j];
    unsigned n = uses[j] ? item_operands(e) : 0;
    if (n == 0) continue;
    uses[e->a]++;
    if (n > 1) uses[e->b]++;
    *cost += e->op == OP_div || e->op == OP_sqrt ? 5 : 1;
  }
  for (uint32_t j = 0; uses && j < s->n; j++) {
    const item *e = &s->items[j];
    if (!uses[j] || (e->op != OP_add && e->op != OP_sub) || e->a == e->b) continue;
    *cost -= (s->items[e->a].op == OP_mul && uses[e->a] == 1) || (s->items[e->b].op == OP_mul && uses[e->b] == 1);
  }
  hml_arena_free(&passing);
  return status;
}

static hml_status try_orders(graph_maker *k, graph_solution *best) {
  double least = INFINITY;
  uint32_t most = (uint32_t)k->l->most;
  for (int rule = 0; rule < GRAPH_RULES; rule++) {
    graph_solution x;
    double cost;
    const uint32_t before = k->s->n;
    k->g.most = before + most;
    HML_TRY(graph_eliminate(&k->g, (graph_rule)rule, &x));
    if (!x.solved) continue;
    if (2 * (k->s->n - before) < most) most = 2 * (k->s->n - before);       // items of an order that can still be the cheapest
    HML_TRY(cost_of(k, &x, &cost));
    if (rule == GRAPH_LEVEL) cost *= 1 + CLOSE_COSTS;
    if (cost < least) least = cost, *best = x;
  }
  return HML_OK;
}

// Is the form positive without the rows? By levels first: the greedy order may grow long on a tree of links
static hml_status has_inertia(graph_maker *k, bool *has) {
  const graph_rule rules[] = {GRAPH_LEVEL, GRAPH_DEGREE};
  graph free = k->g;
  free.m = 0;
  free.nodes -= k->g.m;
  *has = false;
  for (int i = 0; i < 2 && !*has; i++) {
    graph_solution x;
    free.most = k->s->n + (uint32_t)k->l->most;
    HML_TRY(graph_eliminate(&free, rules[i], &x));
    *has = x.solved;
  }
  k->g.samples = free.samples;
  return HML_OK;
}

// With rows in the form where it has too little inertia of its own. The multipliers would make up for that at most states, but not at all: the order
// of the entries of a quaternion that is good for one attitude is not for another
hml_status graph_solve(graph_maker *k, bool weighted, graph_solution *best) {
  bool has = true;
  HML_TRY(draw_samples(k));
  HML_TRY(find_scales(k));
  *best = (graph_solution){.solved = false};
  k->g.sampled = k->g.m > 0;
  k->g.given = k->l->sample != NULL;
  if (k->g.m) {
    k->g.unit = find_unit(k);
    HML_TRY(has_inertia(k, &has));
  }
  if (has) HML_TRY(try_orders(k, best));
  if (best->solved || k->g.m == 0 || !weighted) return HML_OK;
  k->g.weight = usual_inertia(k);
  return try_orders(k, best);
}

// ---- in and out

static hml_status allocate(graph_maker *k) {
  hml_arena *a = &k->s->arena;
  const size_t n = (size_t)k->base + 1;
  k->moving = hml_arena_alloc(a, n);
  k->bent = hml_arena_alloc(a, n);
  k->is_node = hml_arena_alloc(a, n);
  k->still = hml_arena_alloc(a, n);
  k->rest = hml_arena_alloc(a, n * sizeof *k->rest);
  k->node = hml_arena_alloc(a, n * sizeof *k->node);
  k->g.r = hml_arena_alloc(a, (k->l->n + 1) * sizeof(value));
  k->g.b = hml_arena_alloc(a, (k->l->m + 1) * sizeof(value));
  k->g.row = hml_arena_alloc(a, (k->l->m + 1) * sizeof(uint32_t));
  return k->moving && k->bent && k->still && k->rest && k->is_node && k->node && k->g.r && k->g.b && k->g.row ? HML_OK : HML_MEMORY;
}

// Outputs of the program of everything: x', margins, pivots that move, their floors and usual floors, margins that depend on parameters alone, multipliers
typedef struct output_counts {
  uint32_t margins, pivots, settled, multipliers;   // of each
  const char *why;                     // as in hml_graph_programs
} output_counts;

static void write_margin(graph_maker *k, value pivot, value floor, uint32_t *to, uint32_t *count) {
  uint32_t id = value_plain(k->s, value_add(k->s, pivot, value_negated(floor)));
  const item *e = &k->s->items[id];
  if (e->op != OP_CONSTANT || !(item_constant(e) > 0)) to[(*count)++] = id;
}

// Do items depend on parameters alone?
static bool *still_items(graph_maker *k) {
  assembly *s = k->s;
  bool *still = hml_arena_alloc(&s->arena, (size_t)s->n + 1);
  for (uint32_t j = 0; still && j < s->n; j++) {
    const item *e = &s->items[j];
    const unsigned n = item_operands(e);
    if (e->op == OP_INPUT) still[j] = e->a >= k->l->first_parameter && e->a < k->l->first_parameter + k->l->n_parameters;
    else still[j] = (n < 1 || still[e->a]) && (n < 2 || still[e->b]);
  }
  return still;
}

uint32_t graph_write_margins(graph_maker *k, const graph_solution *x, uint32_t *to) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < x->n_pivots; i++) {
    const graph_pivot *p = &x->pivots[i];
    write_margin(k, p->pivot, p->floor, to, &count);
    if (present(p->usual)) write_margin(k, p->pivot, p->usual, to, &count);
  }
  return count;
}

static hml_status store_pivots(graph_maker *k, const graph_solution *x, uint32_t *results, uint32_t at, output_counts *out) {
  assembly *s = k->s;
  const bool *still = still_items(k);
  const size_t room = 2 * (size_t)x->n_pivots + 1;
  uint32_t *lists = hml_arena_alloc(&s->arena, 4 * room * sizeof *lists), *pivots = lists, *floors = lists + room, *usual = floors + room, *settled = usual + room;
  if (!still || !lists) return HML_MEMORY;
  *out = (output_counts){.margins = graph_write_margins(k, x, results + at)};
  for (uint32_t i = 0; i < x->n_pivots; i++) {
    const graph_pivot *p = &x->pivots[i];
    const bool moves = !still[p->pivot.id] || (present(p->floor) && !still[p->floor.id]);
    if (!moves) {
      write_margin(k, p->pivot, p->floor, settled, &out->settled);
      if (present(p->usual)) write_margin(k, p->pivot, p->usual, settled, &out->settled);
      continue;
    }
    pivots[out->pivots] = value_plain(s, p->pivot);
    floors[out->pivots] = value_plain(s, p->floor);
    usual[out->pivots++] = value_plain(s, p->usual);
  }
  at += out->margins;
  const uint32_t *const parts[] = {pivots, floors, usual, settled}, counts[] = {out->pivots, out->pivots, out->pivots, out->settled};
  for (int i = 0; i < 4; at += counts[i++])
    if (counts[i]) memcpy(results + at, parts[i], counts[i] * sizeof *results);
  s->outputs = results;
  s->n_out = at;
  return s->status;
}

// x_kin', x_dyn', the power, and what store_pivots has
static hml_status store(graph_maker *k, const graph_solution *x, output_counts *out) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  uint32_t *results = hml_arena_alloc(&s->arena, (2 * l->n + l->m + 2 + 7 * (size_t)x->n_pivots) * sizeof *results), at = 0;
  if (!results) return HML_MEMORY;
  for (uint32_t i = 0; i < l->n; i++) results[at++] = graph_velocity(k, i);
  for (uint32_t i = 0; i < l->n; i++) results[at++] = value_plain(s, x->a[i]);
  if (l->has_work) {
    value power = l->has_power ? value_of_item(s, k->out[l->power]) : none;
    for (uint32_t j = 0, row = 0; l->has_multiplier_power && j < l->m; j++)
      if (!l->implied || !l->implied[j])
        power = value_add(s, power, value_mul(s, x->lambda[row++], value_of_item(s, k->out[l->multiplier_power + j])));
    results[at++] = value_plain(s, power);
  }
  HML_TRY(s->status);
  HML_TRY(store_pivots(k, x, results, at, out));
  for (uint32_t j = 0, row = 0; j < l->m; j++) results[s->n_out++] = value_plain(s, l->implied && l->implied[j] ? none : x->lambda[row++]);
  out->multipliers = (uint32_t)l->m;
  return s->status;
}

hml_status graph_prepare(graph_maker *k, hml_status (*find_sides)(graph_maker *k), bool *possible) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  graph *g = &k->g;
  *possible = false;
  for (uint32_t i = 0; i <= 2 * l->n; i++) assembly_input(s, i);
  k->base = s->n;
  HML_TRY(allocate(k));
  mark_moving(k);
  for (uint32_t j = 0; j < l->m; j++) {
    if (l->implied && l->implied[j]) continue;
    g->row[g->m] = k->out[l->rows + j];
    if (!k->moving[g->row[g->m++]]) return HML_OK;                         // a row of zeros
  }
  g->n = (uint32_t)l->n;
  HML_TRY(sweep_start(&k->sweep, s, k->base));
  HML_TRY(push_down(k));
  if (k->refused) return HML_OK;
  HML_TRY(find_sides(k));
  HML_TRY(find_nodes(k));
  *possible = true;
  return HML_OK;
}

// Entries of M that are not zero by structure, as far as they are asked for
static hml_status count_entries(graph_maker *k) {
  const graph *g = &k->g;
  const size_t n = g->n, words = (n + 63) / 64, most = k->l->most_entries;
  hml_arena passing;
  hml_arena_init(&passing, k->s->context);
  uint64_t *reach = hml_arena_alloc(&passing, ((size_t)g->nodes * words + 1) * sizeof *reach), *found = hml_arena_alloc(&passing, (n * words + 1) * sizeof *found);
  size_t count = 0;
  for (size_t u = 0; reach && found && u < g->nodes; u++) {
    if (u < n) reach[u * words + u / 64] |= UINT64_C(1) << u % 64;
    for (uint32_t i = 0; i < g->definition[u].n; i++)
      for (size_t w = 0; w < words; w++) reach[u * words + w] |= reach[g->definition[u].parts[i].node * words + w];
  }
  for (uint32_t e = 0; reach && found && e < g->n_form && count <= most; e++)
    for (size_t i = 0; i < n && count <= most; i++)
      for (size_t j = 0; j <= i; j++) {
        const uint64_t *a = reach + g->form[e].a * words, *b = reach + g->form[e].b * words;
        bool has = (a[i / 64] >> i % 64 & b[j / 64] >> j % 64 & 1) || (a[j / 64] >> j % 64 & b[i / 64] >> i % 64 & 1);
        if (!has || (found[i * words + j / 64] >> j % 64 & 1)) continue;
        found[i * words + j / 64] |= UINT64_C(1) << j % 64;
        count++;
      }
  *k->l->entries = count;
  hml_status status = reach && found ? HML_OK : HML_MEMORY;
  hml_arena_free(&passing);
  return status;
}

static const char *why_impossible(const graph_maker *k) {
  if (!k->refused) return "a constraint contains no velocity";
  return "the kinetic energy takes a function of velocities other than a root or a constant power";
}

// Where every order fails. Without rows pivots are looked at in the run alone, so that only those fail that are zero by structure
static const char *why_unsolved(const graph_maker *k) {
  if (k->s->n > k->g.most) return "the right-hand side would be too long";
  if (k->g.m == 0) return "a velocity has no inertia";
  return "every order of pivots meets one at sample states that is small beside what it is the difference of, and would lose digits: velocities have little or "
         "no inertia of their own, masses differ by many orders of magnitude, or constraints nearly depend on each other";
}

static hml_status make_rate(graph_maker *k, void *payload, bool *made) {
  output_counts *out = payload;
  bool possible;
  HML_TRY(graph_prepare(k, graph_find_sides, &possible));
  if (!possible) out->why = why_impossible(k);
  if (!possible) return HML_OK;
  if (k->l->entries) HML_TRY(count_entries(k));
  if (k->l->inertia) HML_TRY(graph_write_diagonal(k, k->l->inertia));
  graph_solution x;
  HML_TRY(graph_solve(k, true, &x));
  *made = x.solved;
  if (!x.solved) out->why = why_unsolved(k);
  return x.solved ? store(k, &x, out) : k->s->status;
}

// The programs of x' with its margins, of x' with its pivots, of the floors of these, and of the multipliers
static hml_status take_apart(hml_context *c, const hml_program *all, const hml_graph_layout *l, const output_counts *at, hml_graph_programs *out) {
  const size_t n = l->n, rates = 2 * n + l->has_work, behind = rates + at->margins;
  size_t *which = hml_alloc(c, (all->n_out + 1) * sizeof *which);
  if (!which) return HML_MEMORY;
  for (size_t i = 0; i < behind; i++) which[i] = i;
  hml_status status = hml_program__part(c, all, behind, which, &out->rate);
  for (size_t i = 0; i < at->pivots; i++) which[rates + i] = behind + i;
  if (status == HML_OK) status = hml_program__part(c, all, rates + at->pivots, which, &out->lean);
  const size_t floors = 2 * at->pivots + at->settled;
  for (size_t i = 0; i < floors; i++) which[i] = behind + at->pivots + i;
  if (status == HML_OK && floors) status = hml_program__part(c, all, floors, which, &out->guard);
  const size_t last = behind + at->pivots + floors;
  for (size_t i = 0; i < n; i++) which[i] = n + i;
  for (size_t i = 0; i < at->multipliers; i++) which[n + i] = last + i;
  for (size_t i = 0; i < at->margins; i++) which[n + at->multipliers + i] = rates + i;
  if (status == HML_OK && at->multipliers) status = hml_program__part(c, all, n + at->multipliers + at->margins, which, &out->reactions);
  hml_dealloc(c, which, (all->n_out + 1) * sizeof *which);
  out->margins = at->margins;
  out->pivots = at->pivots;
  out->settled = at->settled;
  return status;
}

void hml_program__free_graph(hml_graph_programs *g) {
  hml_program_free(g->rate);
  hml_program_free(g->lean);
  hml_program_free(g->guard);
  hml_program_free(g->reactions);
  *g = (hml_graph_programs){.rate = NULL};
}

// Outputs that are neither forces nor the power keep the form they have
static hml_status factor_forces(const assembly *s, const hml_graph_layout *l, assembly *to) {
  size_t *kept = hml_arena_alloc(&to->arena, ((size_t)s->n_out + 1) * sizeof *kept), n = 0;
  if (!kept) return HML_MEMORY;
  for (size_t i = 0; i < s->n_out; i++)
    if (!(i >= l->forces && i < l->forces + l->n) && !(l->has_power && i == l->power)) kept[n++] = i;
  return factor_sums(s, to, n, kept);
}

// The program as an assembly
static hml_status take_program(hml_context *c, const hml_program *p, const hml_graph_layout *l, bool factored, assembly *to) {
  HML_TRY(assembly_init(to, c, p->n_in, p->n_out));
  if (!factored) return assembly_of_program(to, p);
  assembly plain;
  hml_status status = assembly_init(&plain, c, p->n_in, p->n_out);
  if (status == HML_OK) status = assembly_of_program(&plain, p);
  for (uint32_t i = 0; status == HML_OK && i < p->n_in; i++) status = assembly_name(to, i, "", plain.names[i]);
  if (status == HML_OK) status = factor_forces(&plain, l, to);
  assembly_free(&plain);
  return status;
}

// factored: sums of its forces and power with common factors taken out
static hml_status write_program(hml_context *c, const hml_program *p, const hml_graph_layout *l, bool factored, graph_writer write, void *payload,
                                hml_status finish(assembly *, hml_status, hml_program **), hml_program **out) {
  *out = NULL;
  assembly given, shared;
  bool made = false;
  hml_status status = take_program(c, p, l, factored, &given);
  if (status == HML_OK) {
    status = assembly_init(&shared, c, p->n_in, p->n_out);
    if (status == HML_OK) status = share_sums(&given, &shared, l->first_parameter, l->n_parameters);
    graph_maker k = {.s = &shared, .l = l, .out = shared.outputs, .g = {.s = &shared, .floors = l->floors, .first_parameter = l->first_parameter, .n_parameters = l->n_parameters}};
    if (status == HML_OK) status = write(&k, payload, &made);
    if (status == HML_OK && made) status = finish(&shared, status, out);
    else assembly_free(&shared);
  }
  assembly_free(&given);
  return status;
}

hml_status graph_program(hml_context *c, const hml_program *p, const hml_graph_layout *l, graph_writer write, void *payload, hml_program **out) {
  return write_program(c, p, l, false, write, payload, assembly_finish, out);
}

hml_status hml_program__graph(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_graph_programs *out) {
  hml_program *all = NULL;
  output_counts at = {0};
  *out = (hml_graph_programs){.rate = NULL};
  hml_status status = write_program(c, p, l, true, make_rate, &at, assembly_finish_list, &all);
  out->why = at.why;
  if (status == HML_OK && all) status = take_apart(c, all, l, &at, out);
  hml_program_free(all);
  if (status != HML_OK) hml_program__free_graph(out);
  return status;
}
