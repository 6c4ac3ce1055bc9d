// crossing.c: corners of the forces and floors within a step of time stepping, and whole intervals of tables. A force may act between two corners
// only: a step that passes one of them, or may pass it there and back, does not show it.
#include "integrate/stepping.h"

#include <math.h>
#include <string.h>

struct hml_crossings {
  const hml_problem *problem;
  hml_workspace *w;
  const hml_branch *branches;
  size_t n, open;                      // open: guards that are
  hml_guard_formula *arguments;
  hml_guard **guard;
  double *piece;
  void *memory;
  size_t size;
};

void hml_crossings__close(hml_crossings *c) {
  if (!c) return;
  for (size_t i = 0; i < c->open; i++) hml_guard__close(c->guard[i]);
  if (c->memory) hml_dealloc(c->problem->context, c->memory, c->size);
  hml_dealloc(c->problem->context, c, sizeof *c);
}

static hml_status open_guards(hml_crossings *c) {
  const hml_model_sizes sizes = hml_model__sizes(hml_workspace__model(c->w));
  c->size = c->n * (sizeof *c->arguments + sizeof *c->guard) + c->problem->n * sizeof *c->piece;
  c->memory = hml_alloc(c->problem->context, c->size);
  if (!c->memory) return HML_MEMORY;
  c->arguments = c->memory;
  c->guard = (hml_guard **)(void *)(c->arguments + c->n);
  c->piece = (double *)(void *)(c->guard + c->n);
  for (; c->open < c->n; c->open++) {
    c->arguments[c->open] = c->branches[c->open].argument;
    c->arguments[c->open].constants = hml_workspace__inputs(c->w) + 1 + sizes.kin + sizes.dyn;
    HML_TRY(hml_guard__open(c->problem, c->arguments + c->open, c->guard + c->open));
  }
  return HML_OK;
}

hml_status hml_crossings__open(const hml_problem *p, hml_workspace *w, hml_crossings **out) {
  size_t n;
  const hml_branch *branches = hml_model__branches(hml_workspace__model(w), &n);
  *out = NULL;
  if (!n) return HML_OK;
  hml_crossings *c = hml_alloc(p->context, sizeof *c);
  if (!c) return HML_MEMORY;
  *c = (hml_crossings){.problem = p, .w = w, .branches = branches, .n = n};
  hml_status status = open_guards(c);
  if (status == HML_OK) *out = c;
  else hml_crossings__close(c);
  return status;
}

// Does the argument pass zero, or may it do so and come back?
static hml_status passes(hml_crossings *c, size_t i, const hml_step *s, hml_shown *shown) {
  hml_guard *g = c->guard[i];
  hml_guard_verdict verdict;
  double from = hml_guard__value(g, s->t, s->y), to = hml_guard__value(g, s->t1, s->y1);
  *shown = from * to < 0 ? HML_CORNER_PASSED : HML_WHOLE;
  if (!(from * to > 0)) return HML_OK;
  hml_guard__forget(g);                                                    // sides of corners in the argument may have changed
  HML_TRY(hml_guard__enter(g));
  HML_TRY(hml_guard__over(g, s, c->piece, 0, 0, 1, &verdict));
  if (verdict == HML_GUARD_OPEN) *shown = HML_HIDDEN;
  return HML_OK;
}

// The interval of a table at a state
static hml_status interval(const hml_crossings *c, size_t i, double t, const double *y, double ends[2]) {
  HML_TRY(hml_workspace_set_state(c->w, t, y));
  memcpy(ends, hml_workspace__held(c->w, i), 2 * sizeof *ends);
  return HML_OK;
}

// Does the argument leave out an interval?
static hml_status leaves_out(hml_crossings *c, size_t i, const hml_step *s, hml_shown *shown) {
  double from[2], to[2];
  HML_TRY(interval(c, i, s->t, s->y, from));
  HML_TRY(interval(c, i, s->t1, s->y1, to));
  *shown = to[0] > from[1] || to[1] < from[0] ? HML_HIDDEN : HML_WHOLE;
  return HML_OK;
}

hml_status hml_crossings__look(hml_crossings *c, const hml_step *s, hml_shown *shown) {
  *shown = HML_WHOLE;
  if (!c) return HML_OK;
  for (size_t k = 0; k < c->problem->n; k++) c->piece[k] = s->y1[k] - s->y[k];
  for (size_t i = 0; i < c->n && *shown != HML_HIDDEN; i++) {
    hml_shown one;
    HML_TRY(c->branches[i].table ? leaves_out(c, i, s, &one) : passes(c, i, s, &one));
    if (one > *shown) *shown = one;
  }
  return HML_OK;
}
