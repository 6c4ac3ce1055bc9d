// sides.c: right-hand sides of the graph (graph.h): r = Q + dL/dq - d/dt dL/dv and b = df/dt, both with v' = 0.
//
// The long way is one reverse sweep of L and one forward sweep along q' = v, t' = 1 over it and over the momenta.
// The short way: let L = 1/2 sum W_ab u_a u_b + L0, W of parameters alone, L0 without velocities, each u linear in v. Where every u is the rate
// of some function of q and t, d/dt du/dv = du/dq, so that all but one term of Lagrange's equations cancel:
//   r = Q + dL0/dq - sum (du_a/dv) W_ab (du_b/dt with v' = 0).
// These are the velocities of points in a fixed frame; body rates are no rates of functions. The test is Euler's operator E = d/dt d/dv - d/dq of
// one combination of all u with random factors: it vanishes at random states and parameters, for functions that are analytic, only if all E u vanish.
#include "graph.h"

#include <math.h>

#define LARGEST_DEFECT 1e-11           // of Euler's operator, relative to its terms; rounding
enum { LEAST_POINTS = 8 };             // at which it has a value

static const value none = {NO_VALUE, false};

static bool present(value x) {
  return x.id != NO_VALUE;
}

// d/dt with v' = 0 of everything written so far; t, n coordinates, n velocities are the first inputs
static hml_status along_time(assembly *s, uint32_t n, sweep *forward) {
  HML_TRY(sweep_start(forward, s, s->n));
  forward->rate[assembly_input(s, 0)] = value_constant(s, 1);
  for (uint32_t i = 1; i <= n; i++) forward->rate[assembly_input(s, i)] = (value){assembly_input(s, n + i), false};
  return sweep_forward(forward);
}

static value rate_of(const sweep *forward, value x) {
  if (!present(x)) return none;
  value rate = forward->rate[x.id];
  return x.negative ? value_negated(rate) : rate;
}

// ---- are the values of the form rates of functions?

static bool is_analytic(uint32_t op) {
  return op != OP_abs && op != OP_sign && op != OP_min && op != OP_max && !is_tabled(op);
}

// Everything the program consists of, in another assembly
static hml_status copy_items(const graph_maker *k, assembly *to, uint32_t *map, bool *analytic) {
  *analytic = true;
  for (uint32_t i = 0; i < 2 * k->l->n + 1; i++) assembly_input(to, i);
  for (uint32_t j = 0; j < k->base; j++) {
    map[j] = assembly_copy(to, k->s, j, map);
    *analytic &= !k->moving[j] || is_analytic(k->s->items[j].op);
  }
  return to->status;
}

// States and parameters anywhere: no coincidence of values is taken for a law
static hml_status draw_inputs(assembly *t, const hml_graph_layout *l, graph_samples *p) {
  uint64_t dice = UINT64_C(0xD1342543DE82EF95);
  double *in = hml_arena_alloc(&t->arena, ((size_t)t->n_in + 1) * GRAPH_POINTS * sizeof *in);
  if (!in) return HML_MEMORY;
  for (size_t i = 0; i < t->n_in; i++) {
    bool parameter = i >= l->first_parameter && i < l->first_parameter + l->n_parameters;
    for (int point = 0; point < GRAPH_POINTS; point++) in[i * GRAPH_POINTS + point] = graph_draw(&dice, parameter ? 0.4 : -3.1, parameter ? 1.4 : 3.1);
  }
  p->inputs = in;
  return HML_OK;
}

// The largest defect at each point, and the largest of its terms; true: it is rounding wherever it has a value
static bool vanishes(assembly *t, uint32_t n, graph_samples *p, const value *left, const value *right) {
  double defect[GRAPH_POINTS] = {0}, size[GRAPH_POINTS] = {0};
  int known = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double *both[2] = {NULL, NULL};
    if (present(left[i]) && present(right[i])) graph_values(p, t, left[i].id > right[i].id ? left[i].id : right[i].id);   // one array for both
    if (present(left[i])) both[0] = graph_values(p, t, left[i].id);
    if (present(right[i])) both[1] = graph_values(p, t, right[i].id);
    for (int point = 0; point < GRAPH_POINTS; point++) {
      double a = both[0] ? both[0][point] * (left[i].negative ? -1 : 1) : 0, b = both[1] ? both[1][point] * (right[i].negative ? -1 : 1) : 0;
      defect[point] = fmax(fabs(a - b), defect[point]);
      size[point] = fmax(fabs(a) + fabs(b), size[point]);
      if (isnan(a) || isnan(b)) size[point] = INFINITY;
    }
  }
  for (int point = 0; point < GRAPH_POINTS; point++) {
    if (!isfinite(size[point])) continue;
    known++;
    if (!(defect[point] <= LARGEST_DEFECT * size[point])) return false;
  }
  return known >= LEAST_POINTS;
}

static hml_status examine(const graph_maker *k, assembly *t, bool *exact) {
  const uint32_t n = (uint32_t)k->l->n;
  const graph *g = &k->g;
  uint32_t *map = hml_arena_alloc(&t->arena, ((size_t)k->base + 1) * sizeof *map);
  bool *taken = hml_arena_alloc(&t->arena, (size_t)k->base + 1), analytic;
  value *left = hml_arena_alloc(&t->arena, (n + 1) * sizeof *left), *right = hml_arena_alloc(&t->arena, (n + 1) * sizeof *right);
  uint64_t dice = UINT64_C(0xA0761D6478BD642F);
  sweep backward = {0}, forward = {0};
  graph_samples samples = {0};
  if (!map || !taken || !left || !right) return HML_MEMORY;
  HML_TRY(copy_items(k, t, map, &analytic));
  if (!analytic) return HML_OK;
  HML_TRY(draw_inputs(t, k->l, &samples));
  HML_TRY(sweep_start(&backward, t, t->n));
  for (uint32_t i = 1; i <= 2 * n; i++) backward.active[assembly_input(t, i)] = true;
  for (uint32_t i = 0; i < g->n_form; i++)
    for (int side = 0; side < 2; side++) {
      uint32_t u = side ? g->form[i].b : g->form[i].a;
      if (taken[u]) continue;
      taken[u] = true;
      backward.rate[map[u]] = value_add(t, backward.rate[map[u]], value_constant(t, graph_draw(&dice, 0.5, 1.5)));
    }
  HML_TRY(sweep_backward(&backward));
  HML_TRY(along_time(t, n, &forward));
  for (uint32_t i = 0; i < n; i++) {
    left[i] = rate_of(&forward, backward.rate[assembly_input(t, 1 + n + i)]);
    right[i] = backward.rate[assembly_input(t, 1 + i)];
  }
  *exact = vanishes(t, n, &samples, left, right);
  return t->status;
}

static hml_status are_rates(const graph_maker *k, bool *exact) {
  assembly t;
  *exact = false;
  if (!k->squares) return HML_OK;
  hml_status status = assembly_init(&t, k->s->context, k->s->n_in, 1);
  if (status == HML_OK) status = examine(k, &t, exact);
  assembly_free(&t);
  return status;
}

// ---- both ways

static hml_status long_way(graph_maker *k, sweep *forward) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  const uint32_t n = (uint32_t)l->n;
  sweep backward = {0};
  HML_TRY(sweep_start(&backward, s, k->base));
  for (uint32_t i = 1; i <= 2 * n; i++) backward.active[assembly_input(s, i)] = true;
  backward.rate[k->out[l->lagrangian]] = value_constant(s, 1);
  HML_TRY(sweep_backward(&backward));
  HML_TRY(along_time(s, n, forward));
  for (uint32_t i = 0; i < n; i++) {
    value slope = backward.rate[assembly_input(s, 1 + i)], momentum = backward.rate[graph_velocity(k, i)];
    value r = value_add(s, value_of_item(s, k->out[l->forces + i]), slope);
    k->g.r[i] = value_add(s, r, value_negated(rate_of(forward, momentum)));
  }
  return s->status;
}

static hml_status short_way(graph_maker *k, sweep *forward) {
  assembly *s = k->s;
  const hml_graph_layout *l = k->l;
  const uint32_t n = (uint32_t)l->n;
  sweep rest = {0}, inertia = {0};
  HML_TRY(along_time(s, n, forward));
  HML_TRY(sweep_start(&rest, s, k->base));
  HML_TRY(sweep_start(&inertia, s, k->base));
  for (uint32_t i = 1; i <= n; i++) rest.active[assembly_input(s, i)] = inertia.active[assembly_input(s, n + i)] = true;
  for (uint32_t j = 0; j < k->base; j++) rest.rate[j] = k->rest[j];
  for (uint32_t i = 0; i < k->g.n_form; i++) {
    const graph_entry *e = &k->g.form[i];
    inertia.rate[e->a] = value_add(s, inertia.rate[e->a], value_mul(s, e->w, forward->rate[e->b]));
    if (e->a != e->b) inertia.rate[e->b] = value_add(s, inertia.rate[e->b], value_mul(s, e->w, forward->rate[e->a]));
  }
  HML_TRY(sweep_backward(&rest));
  HML_TRY(sweep_backward(&inertia));
  for (uint32_t i = 0; i < n; i++) {
    value r = value_add(s, value_of_item(s, k->out[l->forces + i]), rest.rate[assembly_input(s, 1 + i)]);
    k->g.r[i] = value_add(s, r, value_negated(inertia.rate[graph_velocity(k, i)]));
  }
  return s->status;
}

hml_status graph_find_sides(graph_maker *k) {
  sweep forward = {0};
  bool exact;
  HML_TRY(are_rates(k, &exact));
  HML_TRY(exact ? short_way(k, &forward) : long_way(k, &forward));
  for (uint32_t j = 0; j < k->g.m; j++) k->g.b[j] = rate_of(&forward, (value){k->g.row[j], false});
  return k->s->status;
}
