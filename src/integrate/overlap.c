// overlap.c: gaps of time stepping between the points of a run. A step may pass over an obstacle that is narrower than itself: neither its ends
// nor its middle, where gaps are looked at, lie in it.
//
// A step explains that a gap is lower inside it than at its ends by as much as the gap changes at the speeds it has at the ends, and in the
// middle if it is struck there. That it is nowhere lower is proved by ranges of its formula on parts of the step (guard.c), or it is found where it is.
#include "integrate/stepping.h"

#include <math.h>

enum { MOST_PARTS = 400, LEVELS = 30, SAMPLES = 33 };
#define EXPLAINED 2.0                  // times the largest of the changes
#define TOLERATED 1e3                  // tolerances of the states

struct hml_overlaps {
  const hml_problem *problem;
  const hml_contacts *contacts;        // their mode is that of the step: a gap is closed if it has been struck
  size_t gaps, gaps_room;              // opened; of the memory
  hml_guard **guard;                   // (gaps) NULL: no formula
  hml_overlap deepest;
};

void hml_overlaps__close(hml_overlaps *o) {
  if (!o) return;
  for (size_t i = 0; i < o->gaps; i++) hml_guard__close(o->guard[i]);
  if (o->guard) hml_dealloc(o->problem->context, o->guard, (o->gaps_room + 1) * sizeof *o->guard);
  hml_dealloc(o->problem->context, o, sizeof *o);
}

static hml_status open_guards(hml_overlaps *o, const hml_guard_formula *formulas, size_t gaps) {
  o->gaps_room = gaps;
  o->guard = hml_alloc(o->problem->context, (gaps + 1) * sizeof *o->guard);
  if (!o->guard) return HML_MEMORY;
  for (; o->gaps < gaps; o->gaps++)
    if (formulas[o->gaps].program) HML_TRY(hml_guard__open(o->problem, formulas + o->gaps, o->guard + o->gaps));
  return HML_OK;
}

hml_status hml_overlaps__open(const hml_problem *p, const hml_contacts *contacts, const hml_guard_formula *formulas, size_t gaps, hml_overlaps **out) {
  hml_overlaps *o = hml_alloc(p->context, sizeof *o);
  *out = NULL;
  if (!o) return HML_MEMORY;
  *o = (hml_overlaps){.problem = p, .contacts = contacts};
  hml_status status = open_guards(o, formulas, gaps);
  if (status == HML_OK) *out = o;
  else hml_overlaps__close(o);
  return status;
}

static double tolerated(const hml_problem *p, const hml_step *s) {
  double size = 0;
  for (size_t i = 0; i < p->ode->n_controlled; i++) size = fmax(size, fmax(fabs(s->y[i]), fabs(s->y1[i])));
  return TOLERATED * (p->atol + p->rtol * size);
}

// The largest change over the step at the speeds that the gap has at its ends, and in its middle if it is struck there; NaN: it has none
static hml_status change_of(hml_guard *g, const hml_step *s, const double *piece, bool struck, double *change) {
  *change = 0;
  for (int k = 0; k <= 2; k++) {
    double rate;
    if (k == 1 && !struck) continue;
    HML_TRY(hml_guard__rate(g, s, piece, 0.5 * k, &rate));
    *change = isnan(rate) ? rate : fmax(*change, fabs(rate));
    if (isnan(rate)) return HML_OK;
  }
  return HML_OK;
}

// A part of the step where the gap is below the level. *undecided: none was found, and what ranges leave open may hold one
static hml_status find_below(hml_guard *g, const hml_step *s, const double *piece, double level, double *theta, bool *found, bool *undecided) {
  double from[LEVELS + 1] = {0}, to[LEVELS + 1] = {1};
  size_t open = 1;
  *found = *undecided = false;
  for (size_t made = 0; open && made < MOST_PARTS; made++) {
    double a = from[open - 1], b = to[open - 1], middle = 0.5 * (a + b);
    hml_guard_verdict verdict;
    open--;
    HML_TRY(hml_guard__over(g, s, piece, level, a, b, &verdict));
    if (verdict == HML_GUARD_ABOVE) continue;
    *theta = verdict == HML_GUARD_MONOTONE && hml_guard__value_on(g, s, piece, a) < hml_guard__value_on(g, s, piece, b) ? a : verdict == HML_GUARD_MONOTONE ? b : middle;
    *found = hml_guard__value_on(g, s, piece, *theta) < level;
    if (*found) return HML_OK;
    *undecided |= verdict != HML_GUARD_MONOTONE && open + 2 > LEVELS;
    if (verdict == HML_GUARD_MONOTONE || open + 2 > LEVELS) continue;
    from[open] = middle, to[open] = b;
    from[open + 1] = a, to[open + 1] = middle;
    open += 2;
  }
  *undecided |= open > 0;
  return HML_OK;
}

static void grow_deepest(hml_overlaps *o, size_t gap, const hml_step *s, const double *piece, double theta) {
  double value = hml_guard__value_on(o->guard[gap], s, piece, theta);
  if (value < o->deepest.value) o->deepest = (hml_overlap){gap, s->t + theta * s->h, value};
}

// Is the gap lower than its changes explain? strict: of one that is open at both ends and has not been struck they explain nothing
static hml_status search(hml_overlaps *o, size_t gap, const hml_step *s, const double *piece, bool strict, double *theta, bool *found, bool *undecided) {
  hml_guard *g = o->guard[gap];
  double change = 0;
  *found = *undecided = false;
  HML_TRY(hml_guard__enter(g));
  double from = hml_guard__value(g, s->t, s->y), to = hml_guard__value(g, s->t1, s->y1), level = fmin(0, fmin(from, to)) - tolerated(o->problem, s);
  if (hml_guard__over_step(g, s, piece, level) == HML_GUARD_ABOVE) return HML_OK;
  const bool struck = hml_contacts__is_closed(o->contacts, gap), flies = from > 0 && to > 0 && !struck;
  if (!(strict && flies)) HML_TRY(change_of(g, s, piece, struck, &change));
  if (isnan(change)) return HML_OK;
  return find_below(g, s, piece, level - EXPLAINED * change, theta, found, undecided);
}

static hml_status look_at(hml_overlaps *o, size_t gap, const hml_step *s, const double *piece) {
  double theta;
  bool found, undecided;
  HML_TRY(search(o, gap, s, piece, false, &theta, &found, &undecided));
  if (!found) return HML_OK;
  grow_deepest(o, gap, s, piece, theta);
  for (int k = 1; k < SAMPLES; k++) grow_deepest(o, gap, s, piece, (double)k / SAMPLES);
  return HML_OK;
}

hml_status hml_overlaps__look(hml_overlaps *o, const hml_step *s, const double *piece) {
  for (size_t i = 0; i < o->gaps; i++)
    if (o->guard[i]) HML_TRY(look_at(o, i, s, piece));
  return HML_OK;
}

// Is the gap closed and not struck, though it falls where the step begins, or has passed its lowest value where it ends? An end on the lowest
// value itself shows by the other end, which is higher than the rate there explains
static hml_status passes(hml_overlaps *o, size_t gap, const hml_step *s, const double *piece, bool *passed) {
  hml_guard *g = o->guard[gap];
  double rate, from = hml_guard__value(g, s->t, s->y), to = hml_guard__value(g, s->t1, s->y1), closed = -tolerated(o->problem, s);
  *passed = false;
  if (hml_contacts__is_closed(o->contacts, gap) || !(from < closed || (from > 0 && to < closed))) return HML_OK;
  HML_TRY(hml_guard__enter(g));
  HML_TRY(hml_guard__rate(g, s, piece, from < closed ? 0 : 1, &rate));
  const double away = from < closed ? rate : -rate;                        // from the closed end
  *passed = away < closed || fabs(to - from) > EXPLAINED * fmax(away, 0) - closed;
  return HML_OK;
}

hml_status hml_overlaps__unseen(hml_overlaps *o, const hml_step *s, const double *piece, bool *unseen) {
  *unseen = false;
  for (size_t i = 0; i < o->gaps && !*unseen; i++) {
    double theta;
    bool undecided = false;
    if (!o->guard[i]) continue;
    HML_TRY(passes(o, i, s, piece, unseen));
    if (!*unseen) HML_TRY(search(o, i, s, piece, true, &theta, unseen, &undecided));
    *unseen |= undecided;
  }
  return HML_OK;
}

hml_overlap hml_overlaps__deepest(const hml_overlaps *o) {
  return o->deepest;
}
