// orders.c: other orders of elimination on the graph of velocities. The order of a model is good at sample states; at a lawful state one of its pivots may
// vanish, such as that of a multiplier whose first velocity leaves its row. A run then chooses the order anew, with the present state among the samples, and
// keeps it for states that follow. Each run begins with the order of the model alone, so that its numbers depend on its own states.
//
// An order costs as much to make as many general solves. It is made when the solves so far have cost that much: with as many more the run would have paid
// twice at most. After one that does not hold at its own state the next one waits twice as long.
#include "mechanics_impl.h"

#include <string.h>

#define MAKING 1200.0                  // operations of a general solve for one of x' that an order is made for: about 1.2 us to 1 ns

static void drop(hml_workspace *w, hml_order *o) {
  hml_program_free(o->rate);
  hml_dealloc(w->context, o->block, o->size * sizeof *o->block);
  *o = (hml_order){.rate = NULL};
}

static void forget(hml_workspace *w) {
  for (size_t i = 0; i < w->orders.count; i++) drop(w, &w->orders.list[i]);
  w->orders = (hml_orders){.on = w->orders.on};
}

bool hml_workspace__reorder(hml_workspace *w, bool on) {
  const bool before = w->orders.on;
  if (on != before) forget(w);
  w->orders.on = on;
  return before;
}

void hml_orders__close(hml_workspace *w) {
  forget(w);
}

size_t hml_workspace__reordered(const hml_workspace *w) {
  return w->reordered;
}

// Without rows every order has the pivots of a positive matrix
static bool may_choose(const hml_workspace *w) {
  const hml_model *m = w->model;
  return w->orders.on && m->by_graph && m->energies && m->n_multipliers > m->n_implied;
}

static bool holds(hml_workspace *w, const hml_order *o) {
  const size_t n = hml_model_state_size(w->model);
  double *out = o->block;
  hml_program_eval(o->rate, w->in, out, out + hml_program_outputs(o->rate));
  if (!hml_dense__finite(n, out)) return false;
  for (size_t i = 0; i < o->margins; i++)
    if (!(out[n + i] > 0)) return false;
  return true;
}

const double *hml_workspace__other_margins(hml_workspace *w, double t, const double *x, size_t *count) {
  const hml_orders *all = &w->orders;
  if (all->count == 0 || w->model->n_externals) return NULL;
  const hml_order *o = &all->list[all->present];
  if (hml_workspace_set_state(w, t, x) != HML_OK) {
    hml_forgive(w->context);
    return NULL;
  }
  *count = o->margins;
  return holds(w, o) ? o->block + hml_model_state_size(w->model) : NULL;
}

// ---- a new one

static double cost_of_solve(const hml_model *m) {
  const double n = (double)(m->n_dyn + m->n_multipliers);
  return n * n * n / 3;
}

// With the present state among its samples; o->rate stays NULL where there is none
static hml_status make(hml_workspace *w, hml_order *o) {
  const hml_model *m = w->model;
  hml_graph_layout l = hml_equations__layout(m);
  hml_graph_programs g;
  l.floors = hml_rate__floors(m);
  l.most = HML_MOST_OF_GRAPH;
  l.parameter_values = w->in + l.first_parameter;
  l.sample = w->in;
  HML_TRY(hml_program__graph(w->context, m->energies, &l, &g));
  o->rate = g.rate;
  o->margins = g.margins;
  g.rate = NULL;
  hml_program__free_graph(&g);
  if (!o->rate) return HML_OK;
  if (hml_program__is_native(hml_rate__evaluated(m))) HML_TRY(hml_program__compile(o->rate));
  o->size = hml_program_outputs(o->rate) + hml_program_work_size(o->rate);
  o->block = hml_alloc(w->context, o->size * sizeof *o->block);
  return o->block ? HML_OK : HML_MEMORY;
}

static hml_status choose(hml_workspace *w, const hml_order **out) {
  hml_orders *all = &w->orders;
  hml_order *o = &all->list[all->count];
  const hml_status status = make(w, o);
  all->debt = 0;
  if (status != HML_OK || !o->rate || !holds(w, o)) {
    drop(w, o);
    all->failures++;
    return status;
  }
  all->present = all->count++;
  *out = o;
  return HML_OK;
}

static bool pays(hml_workspace *w) {
  hml_orders *all = &w->orders;
  double price = MAKING * (double)hml_program_operations(w->model->rate);
  for (unsigned i = 0; i < all->failures; i++) price *= 2;
  all->debt += cost_of_solve(w->model);
  return all->count < HML_MOST_ORDERS && all->debt >= price;
}

// fails: HML_MEMORY, HML_INTERRUPTED
hml_status hml_orders__rate(hml_workspace *w, double *out, bool *found) {
  hml_orders *all = &w->orders;
  const hml_order *o = NULL;
  *found = false;
  if (!may_choose(w) || !w->regular) return HML_OK;
  for (size_t i = 0; i < all->count && !o; i++) {
    const size_t k = (all->present + i) % all->count;
    if (!holds(w, &all->list[k])) continue;
    o = &all->list[k];
    all->present = k;
  }
  if (!o && pays(w)) HML_TRY(choose(w, &o));
  if (!o) return HML_OK;
  memcpy(out, o->block, hml_model_state_size(w->model) * sizeof *out);
  w->reordered++;
  *found = true;
  return HML_OK;
}
