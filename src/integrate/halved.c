// halved.c: a run of time stepping is judged by a second one with steps of half the size. Both approach the motion to first order, so that the
// first is off by about twice their difference.
//
// The second run makes a step still shorter where a force may come and go within it (tube.c, crossing.c), or where it passes over an obstacle
// (overlap.c): there both would miss it alike. Positions are
// compared at the ends of the steps. Velocities jump at impacts a little earlier or later: they are compared with all those within two steps, and
// differences count that last for some steps or until the end of the run.
//
// A contact that begins leaves an overlap of the size h^2 a, which no smaller motion beside it makes an error: such differences do not count
// in runs of many steps.
#include "integrate/stepping.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { DEEPEST = 14, FIRST_PARTS = 2000, MORE_PARTS = 4, SHIFT = 2, FINE = 2 * (2 * SHIFT + 1) + 1, COARSE = SHIFT + 1 };   // PARTS: divisions, those that a run may begin with and those that each step adds
#define MANY 100.0                     // steps
#define LASTING 10                     // steps
#define ESTIMATE 2.0                   // error of the run over its difference from the run with halved steps

struct hml_halved {
  const hml_problem *problem;
  hml_model_sizes sizes;
  hml_within within;
  hml_make_step make;
  void *payload;
  double *memory;
  double *y, *y1, *start, *slope, *piece;   // state of the second run; end of a part; start of both runs; slope of a line, and its change
  double *way, *speed, *force;         // of each component: the way from the start, the largest speed, the sum of accelerations without contacts
  double *apart_q, *apart_v;           // the largest differences
  double *present, *lasts;             // the least difference of velocities since it counts, and for how many steps it has counted
  double *fine, *coarse;               // velocities of the second run at the ends of its halves, of the first one at the ends of steps
  double times[COARSE];                // of the latter
  double longest, span;                // step; duration of the run
  size_t steps, parts, compared;       // steps of the first run; further parts of the second one; steps whose velocities are compared
  hml_halved_verdict verdict;
};

enum { VECTORS = 12 + FINE + COARSE };

void hml_halved__close(hml_halved *d) {
  if (!d) return;
  hml_problem__free_vectors(d->problem, d->memory, VECTORS);
  hml_dealloc(d->problem->context, d, sizeof *d);
}

hml_status hml_halved__open(const hml_problem *p, hml_model_sizes sizes, hml_within within, hml_make_step make, void *payload, double span, const double *y0,
                            hml_halved **out) {
  hml_halved *d = hml_alloc(p->context, sizeof *d);
  *out = NULL;
  if (!d) return HML_MEMORY;
  *d = (hml_halved){.problem = p, .sizes = sizes, .within = within, .make = make, .payload = payload, .span = span, .verdict = {.from = NAN}};
  d->memory = hml_problem__vectors(p, VECTORS);
  if (!d->memory) {
    hml_halved__close(d);
    return HML_MEMORY;
  }
  double **const vectors[] = {&d->y, &d->y1, &d->start, &d->slope, &d->piece, &d->way, &d->apart_q, &d->speed, &d->apart_v, &d->force, &d->present, &d->lasts, &d->fine};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = d->memory + i * p->stride;
  d->coarse = d->fine + FINE * p->stride;
  memcpy(d->y, y0, p->n * sizeof *y0);
  memcpy(d->start, y0, p->n * sizeof *y0);
  memcpy(d->fine, y0 + sizes.kin, sizes.dyn * sizeof *y0);
  *out = d;
  return HML_OK;
}

// ---- the second run

// Does the part from t to t1 pass over something that its ends and its middle do not show?
static hml_status look(hml_halved *d, double t, double t1, bool *too_long) {
  for (size_t i = 0; i < d->problem->n; i++) {
    d->piece[i] = d->y1[i] - d->y[i];
    d->slope[i] = d->piece[i] / (t1 - t);
  }
  const hml_step s = {.t = t, .h = t1 - t, .t1 = t1, .y = d->y, .f = d->slope, .y1 = d->y1, .f1 = d->slope};
  HML_TRY(hml_overlaps__unseen(d->within.overlaps, &s, d->piece, too_long));
  if (!*too_long) HML_TRY(hml_crossings__unseen(d->within.crossings, &s, too_long));
  *too_long = *too_long || hml_tube__stretch(d->within.tube, &s) > 1;
  return HML_OK;
}

// From t to t1 in one step, or in two parts
static hml_status go(hml_halved *d, double t, double t1, int depth) {
  const double middle = t + 0.5 * (t1 - t);
  HML_TRY(hml_check_interrupt(d->problem->context));
  hml_status status = d->make(d->payload, t, t1 - t, d->y, d->y1);
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  bool may_part = depth < DEEPEST && d->parts < FIRST_PARTS + MORE_PARTS * d->steps && middle > t && middle < t1, too_long = true;
  if (may_part && status == HML_OK) HML_TRY(look(d, t, t1, &too_long));
  if (!may_part || !too_long) {
    if (status == HML_OK) memcpy(d->y, d->y1, d->problem->n * sizeof *d->y);
    return status;
  }
  if (status != HML_OK) HML_TRY(hml_forgiven(d->problem->context));
  d->parts++;
  HML_TRY(go(d, t, middle, depth + 1));
  return go(d, middle, t1, depth + 1);
}

static hml_status go_half(hml_halved *d, double t, double t1, size_t half) {
  HML_TRY(go(d, t, t1, 0));
  for (size_t i = 0; i < d->problem->n; i++)
    if (!isfinite(d->y[i])) return hml_fail(d->problem->context, HML_NOT_FINITE, "the state is not finite at t = %.10g", t1);
  memcpy(d->fine + half % FINE * d->problem->stride, d->y + d->sizes.kin, d->sizes.dyn * sizeof *d->y);
  return HML_OK;
}

// ---- the comparison

static void compare_positions(hml_halved *d, const double *y) {
  for (size_t i = 0; i < d->sizes.kin; i++) {
    d->way[i] = fmax(d->way[i], fabs(y[i] - d->start[i]));
    d->apart_q[i] = fmax(d->apart_q[i], ESTIMATE * fabs(y[i] - d->y[i]));
  }
}

// A difference counts that has lasted
static void count_velocity(hml_halved *d, size_t i, double apart) {
  bool counts = apart > HML_MISSED * d->speed[i];
  d->present[i] = !counts ? 0 : d->lasts[i] > 0 ? fmin(d->present[i], apart) : apart;
  d->lasts[i] = counts ? d->lasts[i] + 1 : 0;
  if (!counts || d->lasts[i] >= LASTING) d->apart_v[i] = fmax(d->apart_v[i], counts ? d->present[i] : apart);
}

// Velocities of the first run after `step` of its steps with those of the second one within SHIFT steps, as far as it has come
static void compare_velocities(hml_halved *d, size_t step) {
  const size_t first = step > SHIFT ? 2 * (step - SHIFT) : 0, last = 2 * (step + SHIFT < d->steps ? step + SHIFT : d->steps);
  const double *v = d->coarse + step % COARSE * d->problem->stride;
  for (size_t i = 0; i < d->sizes.dyn; i++) {
    double nearest = INFINITY;
    for (size_t k = first; k <= last; k++) nearest = fmin(nearest, fabs(v[i] - d->fine[k % FINE * d->problem->stride + i]));
    d->speed[i] = fmax(d->speed[i], fabs(v[i]));
    count_velocity(d, i, ESTIMATE * nearest);
  }
}

// By which the time of a contact may be wrong
static double shift(const hml_halved *d) {
  return ESTIMATE * fmin(d->longest, d->span / MANY);
}

// Of velocities, by the mean of the forces in that time
static double by_forces(const hml_halved *d, size_t i) {
  return shift(d) * d->force[i] / (double)(d->steps + 1);
}

static double part_of_way(const hml_halved *d) {
  double most = 0;
  for (size_t i = 0; i < d->sizes.kin; i++) {
    double size = fmax(d->way[i], d->longest * d->speed[i]) + DBL_MIN, noise = d->longest * by_forces(d, i) + 1e3 * DBL_EPSILON * (fabs(d->start[i]) + d->way[i]);
    if (d->apart_q[i] > noise) most = fmax(most, d->apart_q[i] / size);
  }
  return most;
}

static double part_of_speed(const hml_halved *d) {
  double most = 0;
  for (size_t i = 0; i < d->sizes.dyn; i++)
    if (d->apart_v[i] > by_forces(d, i) + 1e3 * DBL_EPSILON * d->speed[i]) most = fmax(most, d->apart_v[i] / (d->speed[i] + DBL_MIN));
  return most;
}

static void note_start(hml_halved *d, double t) {
  if (isnan(d->verdict.from) && fmax(part_of_way(d), part_of_speed(d)) > HML_MISSED) d->verdict.from = t;
}

static void compare(hml_halved *d, const hml_step *s) {
  const size_t slot = d->steps % COARSE;
  compare_positions(d, s->y1);
  memcpy(d->coarse + slot * d->problem->stride, s->y1 + d->sizes.kin, d->sizes.dyn * sizeof *d->coarse);
  d->times[slot] = s->t1;
  if (d->steps > SHIFT) compare_velocities(d, ++d->compared);
  note_start(d, s->t1);
}

static hml_status make_halves(hml_halved *d, const hml_step *s) {
  const double middle = s->t + 0.5 * s->h;
  HML_TRY(go_half(d, s->t, middle, 2 * d->steps - 1));
  return go_half(d, middle, s->t1, 2 * d->steps);
}

hml_status hml_halved__follow(hml_halved *d, const hml_step *s, const double *a) {
  if (d->verdict.stopped) return HML_OK;
  d->steps++;
  for (size_t i = 0; i < d->sizes.dyn; i++) d->force[i] += fabs(a[i]);
  d->longest = fmax(d->longest, fabs(s->h));
  hml_status status = make_halves(d, s);
  if (status != HML_OK) {
    d->steps--;
    d->verdict.stopped = true;
    d->verdict.from = s->t;
    d->verdict.why = *hml_context_error(d->problem->context);
    return hml_problem__recoverable(status) || status == HML_SINGULAR ? hml_forgiven(d->problem->context) : status;
  }
  compare(d, s);
  return HML_OK;
}

hml_halved_verdict hml_halved__verdict(hml_halved *d) {
  while (d->compared < d->steps) {
    compare_velocities(d, ++d->compared);
    note_start(d, d->times[d->compared % COARSE]);
  }
  for (size_t i = 0; i < d->sizes.dyn; i++) d->apart_v[i] = fmax(d->apart_v[i], d->present[i]);
  d->verdict.positions = part_of_way(d);
  d->verdict.velocities = part_of_speed(d);
  return d->verdict;
}
