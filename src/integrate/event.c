// event.c: roots of guard functions over one step: bracketing and location on its polynomial. What a root means is not known here.
//
// Each guard is sampled at the start, the middle and the end of what is searched. A change of sign is a bracket; a parabola
// through three values of one sign whose vertex comes near zero is followed to its extremum, so that a graze is met as two
// roots. A guard that starts on its root is searched in phi(theta) - phi(start), with the sign it takes on right after:
// the root it starts on does not count again, a return to it within the same step does.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEAR 0.1                       // a vertex this near zero, relative to the values, is looked at
#define FIRST_LOOK (1.0 / 64)          // of the step: where a guard that starts on its root shows its side
#define SAME_INSTANT 4                 // units in the last place of the time

void hml_watch__close(hml_watch *w) {
  if (!w) return;
  hml_dealloc(w->problem->context, w->memory, w->size);
  hml_dealloc(w->problem->context, w, sizeof *w);
}

hml_status hml_watch__open(const hml_problem *p, const hml_guards *guards, hml_watch **out) {
  hml_watch *w = hml_alloc(p->context, sizeof *w);
  if (!w) return HML_MEMORY;
  size_t n = guards->n;
  *w = (hml_watch){.problem = p, .guards = guards, .size = (5 * n + p->n) * sizeof(double) + 2 * n * sizeof(bool) + n};
  w->memory = hml_alloc(p->context, w->size);
  if (!w->memory) {
    hml_watch__close(w);
    return HML_MEMORY;
  }
  double *at = w->memory;
  double **const fields[] = {&w->start, &w->middle, &w->end, &w->probe, &w->residue};
  for (size_t i = 0; i < 5; i++) *fields[i] = at + i * n;
  w->y = at + 5 * n;
  w->on_root = (bool *)(w->y + p->n);
  w->fired = w->on_root + n;
  w->left_to = (signed char *)(w->fired + n);
  *out = w;
  return HML_OK;
}

hml_status hml_watch__values(hml_watch *w, double t, const double *y, double *out) {
  HML_TRY(w->guards->values(w->guards->payload, t, y, out));
  for (size_t i = 0; i < w->guards->n; i++)
    if (w->guards->direction[i] != HML_ASLEEP && !isfinite(out[i]))
      return hml_fail(w->problem->context, HML_NOT_FINITE, "event %zu is %s at t = %.15g", i + 1, hml_problem__oddity(out[i]), t);
  return HML_OK;
}

static double time_at(const hml_step *s, double theta) {
  return theta == 1 ? s->t1 : s->t + theta * s->h;
}

static hml_status evaluate_on(hml_watch *w, const hml_step *s, const double *piece, double theta, double *out) {
  const hml_problem *p = w->problem;
  if (theta == 1) return hml_watch__values(w, s->t1, s->y1, out);
  hml_dense__value(p->n, p->pieces, s->y, piece, theta, w->y);
  return hml_watch__values(w, time_at(s, theta), w->y, out);
}

hml_status hml_watch__start(hml_watch *w, double t, const double *y, const double *residue) {
  const hml_guards *g = w->guards;
  HML_TRY(hml_watch__values(w, t, y, w->start));
  for (size_t i = 0; i < g->n; i++) {
    bool left_there = residue && w->fired[i] && fabs(w->start[i]) <= 10 * fabs(residue[i]);
    w->on_root[i] = w->start[i] == 0 || left_there || (g->side && g->side[i] != 0);
    if (!left_there) w->left_to[i] = 0;
  }
  return HML_OK;
}

// ---- one guard

typedef struct hunt {                  // of guard i on one step
  hml_watch *w;
  const hml_step *s;
  const double *piece;
  size_t i;
  double from, shift;                  // start of the search; subtracted from the values
  double least;                        // distance in theta that the time cannot resolve
  signed char crossing;                // sign after the root found
} hunt;

static hml_status look(hunt *h, double theta, double *value) {
  HML_TRY(evaluate_on(h->w, h->s, h->piece, theta, h->w->probe));
  *value = h->w->probe[h->i] - h->shift;
  return HML_OK;
}

static bool wanted(const hunt *h, double before) {
  signed char direction = h->w->guards->direction[h->i];
  return direction == HML_EITHER || (before > 0) == (direction == HML_FALLING);
}

static bool opposite(double a, double b) {
  return (a > 0 && b <= 0) || (a < 0 && b >= 0);
}

// Regula falsi in the version of Anderson and Bjorck, halving where it does not gain; the root lies in (a, b]
static hml_status close_in(hunt *h, double a, double fa, double b, double fb, double *root) {
  double kept = b - a;
  int moved = 0;                       // which end the last step moved: 1 b, -1 a
  for (int i = 0; i < 200 && b - a > h->least && fb != 0; i++) {
    double theta = b - fb * (b - a) / (fb - fa), value;
    if (i % 3 == 2) {
      if (b - a > 0.5 * kept) theta = 0.5 * (a + b);
      kept = b - a;
    }
    theta = fmin(fmax(theta, a + 0.5 * h->least), b - 0.5 * h->least);
    HML_TRY(look(h, theta, &value));
    bool before = opposite(fa, value);
    // an end that stays twice loses weight
    double weight = 1 - value / (before ? fb : fa);
    if (moved == (before ? 1 : -1)) *(before ? &fa : &fb) *= weight > 0 ? weight : 0.5;
    moved = before ? 1 : -1;
    *(before ? &b : &a) = theta;
    *(before ? &fb : &fa) = value;
  }
  *root = b;
  return HML_OK;
}

// Extremum towards zero between a and b by golden sections; stops as soon as the sign changes
static hml_status follow_graze(hunt *h, double a, double b, double sign, double *theta, double *value) {
  const double golden = 0.3819660112501051;
  double x1 = a + golden * (b - a), x2 = b - golden * (b - a), f1, f2;
  HML_TRY(look(h, x1, &f1));
  HML_TRY(look(h, x2, &f2));
  for (int i = 0; i < 60 && b - a > h->least + 1e-9; i++) {
    bool left = sign * f1 < sign * f2;
    *theta = left ? x1 : x2;
    *value = left ? f1 : f2;
    if (sign * *value <= 0) return HML_OK;
    if (left) {
      b = x2, x2 = x1, f2 = f1, x1 = a + golden * (b - a);
      HML_TRY(look(h, x1, &f1));
    } else {
      a = x1, x1 = x2, f1 = f2, x2 = b - golden * (b - a);
      HML_TRY(look(h, x2, &f2));
    }
  }
  return HML_OK;
}

typedef struct sample { double theta, value; } sample;

// The first bracket of the right direction among samples in order; *root stays as it is where there is none
static hml_status first_of(hunt *h, size_t n, const sample *p, double *root, bool *found) {
  for (size_t k = 0; k + 1 < n && !*found; k++) {
    if (!opposite(p[k].value, p[k + 1].value) || !wanted(h, p[k].value)) continue;
    HML_TRY(close_in(h, p[k].theta, p[k].value, p[k + 1].theta, p[k + 1].value, root));
    h->crossing = p[k].value > 0 ? -1 : 1;
    *found = true;
  }
  return HML_OK;
}

// Vertex of the parabola through three samples of one sign; false where it is not inside, or far from zero
static bool may_graze(const sample *p, double *vertex) {
  double a = p[0].value, b = p[1].value, c = p[2].value, sign = a < 0 ? -1 : 1;
  if (!(a * c > 0 && a * b > 0)) return false;
  double curvature = a - 2 * b + c, slope = 0.5 * (c - a);
  if (!(sign * curvature > 0) || fabs(slope) >= fabs(curvature)) return false;
  *vertex = -slope / curvature;        // from -1 to 1 about the middle
  double value = b + 0.5 * slope * *vertex;
  return sign * value < NEAR * fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

static hml_status hunt_from_value(hunt *h, double *root, bool *found) {
  const hml_watch *w = h->w;
  double middle = 0.5 * (h->from + 1), vertex;
  sample p[4] = {{h->from, w->start[h->i]}, {middle, w->middle[h->i]}, {1, w->end[h->i]}};
  HML_TRY(first_of(h, 3, p, root, found));
  if (*found || !may_graze(p, &vertex)) return HML_OK;
  sample low;
  double a = vertex < 0 ? h->from : h->from + 0.25 * (1 - h->from), b = vertex < 0 ? h->from + 0.75 * (1 - h->from) : 1;
  HML_TRY(follow_graze(h, a, b, p[0].value < 0 ? -1 : 1, &low.theta, &low.value));
  if (!opposite(p[0].value, low.value)) return HML_OK;
  size_t at = low.theta < middle ? 1 : 2;
  for (size_t k = 3; k > at; k--) p[k] = p[k - 1];
  p[at] = low;
  return first_of(h, 4, p, root, found);
}

// From a root: with the side it leaves to, looked for at ever shorter distances where the first look is already beyond a return
static hml_status hunt_from_root(hunt *h, double *root, bool *found) {
  const hml_watch *w = h->w;
  double span = 1 - h->from, distance = FIRST_LOOK * span, value, size;
  h->shift = w->start[h->i];
  double middle = w->middle[h->i] - h->shift, end = w->end[h->i] - h->shift;
  size = fmax(fabs(middle), fabs(end));
  HML_TRY(look(h, h->from + distance, &value));
  double side = w->guards->side && w->guards->side[h->i] ? w->guards->side[h->i] : w->left_to[h->i], noise = 1e-13 * size;
  if (side == 0) side = fabs(value) > noise ? value : fabs(middle) > noise ? middle : end;
  sample p[4] = {{h->from + distance, value}, {h->from + 0.5 * span, middle}, {1, end}};
  if (!(opposite(side, value) && fabs(value) > noise)) {
    if (opposite(side, value) || value == 0) p[0].value = copysign(noise + DBL_MIN, side);
    return first_of(h, 3, p, root, found);
  }
  // the guard returned before the first look
  sample near[2] = {{0, 0}, p[0]};
  while (distance > h->least && opposite(side, value)) {
    near[1] = (sample){h->from + distance, value};
    distance *= 0.125;
    HML_TRY(look(h, h->from + distance, &value));
  }
  near[0] = (sample){h->from + distance, opposite(side, value) ? copysign(DBL_MIN, side) : value};
  HML_TRY(first_of(h, 2, near, root, found));
  return *found ? HML_OK : first_of(h, 3, p, root, found);
}

// ---- all guards of a step

hml_status hml_watch__search(hml_watch *w, const hml_step *s, const double *piece, double *theta, bool *found) {
  const size_t n = w->guards->n;
  double from = *theta, first = INFINITY;
  double least = SAME_INSTANT * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h) + DBL_EPSILON;
  *found = false;
  memset(w->fired, 0, n * sizeof *w->fired);
  HML_TRY(evaluate_on(w, s, piece, 0.5 * (from + 1), w->middle));
  HML_TRY(evaluate_on(w, s, piece, 1, w->end));
  for (size_t i = 0; i < n; i++) {
    if (w->guards->direction[i] == HML_ASLEEP) continue;
    hunt h = {.w = w, .s = s, .piece = piece, .i = i, .from = from, .least = least};
    double root = INFINITY;
    bool one = false;
    HML_TRY(w->on_root[i] ? hunt_from_root(&h, &root, &one) : hunt_from_value(&h, &root, &one));
    if (!one || root > first + least) continue;
    // roots of the same instant belong together
    if (root < first - least) memset(w->fired, 0, n * sizeof *w->fired);
    first = fmin(first, root);
    w->fired[i] = *found = true;
    w->left_to[i] = h.crossing;
  }
  if (*found) {
    *theta = first;
    return HML_OK;
  }
  memcpy(w->start, w->end, n * sizeof *w->start);
  for (size_t i = 0; i < n; i++) {
    w->on_root[i] = w->end[i] == 0;
    w->left_to[i] = 0;
  }
  return HML_OK;
}

hml_status hml_watch__pass(hml_watch *w, const hml_step *s, const double *piece, double theta) {
  HML_TRY(evaluate_on(w, s, piece, theta, w->start));
  for (size_t i = 0; i < w->guards->n; i++) {
    w->on_root[i] = w->fired[i] || w->start[i] == 0;
    if (!w->fired[i]) w->left_to[i] = 0;
  }
  return HML_OK;
}
