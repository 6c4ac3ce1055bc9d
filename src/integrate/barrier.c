// barrier.c: singular places that end a run: the step that leads to one, the part of it that is right, and the report.
// lookout.c finds the places.
#include "integrate/march.h"

#include <float.h>
#include <math.h>

#define LEAST_PART 1e-3                // of the rest of the run: a shorter step is not made shorter to be looked at
enum { HIGH_ORDER = 5 };               // of formulas whose estimates of errors do not see bends of x' within a step
#define ASTRAY 10                      // a step that leads elsewhere than the motion is made this much shorter
#define WRONG_FIXED 1e7                // the same for steps of fixed size, whose errors have nothing to do with the tolerance
#define AT_ROOT 1e-5                   // of its value at the start of the step: below it a guard counts as on its root

// Distance of two states, or slopes, in units of the tolerance
static double apart(hml_march *r, const double *a, const double *b) {
  for (size_t i = 0; i < r->problem.ode->n_controlled; i++) r->unprojected[i] = a[i] - b[i];
  return hml_control__norm(&r->problem, r->unprojected, a, b) / (1 + r->problem.tighter);
}

// How far the step up to t is from the fine run, its slope included; infinite where one of them does not get there
static hml_status compare(hml_march *r, const hml_step *s, const double *piece, const hml_finding *found, double t, hml_step *cut, double *value, double *slope) {
  double *fine = r->work, *f = fine + r->problem.stride, *f_fine = f + r->problem.stride;
  *value = *slope = INFINITY;
  hml_status status = hml_march__cut_at(r, s, piece, (t - s->t) / s->h, cut);
  // stored points are projected, and next to a singular place the projection may go wrong
  int moved;
  const hml_ode *ode = r->problem.ode;
  if (status == HML_OK && ode->project && r->options.project)
    status = ode->project(ode->payload, cut->t1, cut->y1, r->options.rtol, r->options.atol, &moved);
  if (status == HML_OK) status = hml_trajectory_at(found->fine, cut->t1, fine);
  if (status == HML_OK) status = hml_problem__finite_rhs(&r->problem, cut->t1, cut->y1, f);
  if (status == HML_OK) status = hml_problem__finite_rhs(&r->problem, cut->t1, fine, f_fine);
  if (status == HML_OK) {
    *value = apart(r, cut->y1, fine);
    *slope = apart(r, f, f_fine);
    return HML_OK;
  }
  return hml_problem__recoverable(status) ? hml_forgiven(r->problem.context) : status;
}

// Where the fine run ends: at the barrier or a little before it
static double end_of(const hml_march *r, const hml_finding *found) {
  double last = hml_trajectory_time(found->fine, hml_trajectory_points(found->fine) - 1);
  return (found->t - last) * r->sign < 0 ? found->t : last;
}

// In units of the tolerance: a point farther from the fine run is dropped
static double wrong(const hml_march *r) {
  return r->method->fixed ? WRONG_FIXED : HML_WRONG;
}

// What is right of the step before the barrier becomes the last point: up to where step and fine run part, since errors grow without bound there.
// Steps of fixed size are kept whole or not at all: the error inside the last one is not known
static hml_status end_before(hml_march *r, const hml_step *s, double *row, double *piece, const hml_finding *found) {
  if (r->method->fixed || (!hml_march__can_cut(r) && !r->options.dense)) return HML_OK;
  double end = end_of(r, found), way = (end - s->t1) * r->sign > 0 ? s->h : end - s->t, value, slope, usual, usual_slope;
  hml_step cut;
  if (way * r->sign <= 0) return HML_OK;                                   // it ends before the step begins
  HML_TRY(compare(r, s, piece, found, s->t + 0.5 * way, &cut, &usual, &usual_slope));
  for (double part = 1e-9; part < 0.9; part *= 10) {
    HML_TRY(compare(r, s, piece, found, s->t + (1 - part) * way, &cut, &value, &slope));
    if (!(value <= fmin(10 * fmax(usual, 1), wrong(r)) && slope <= 1e2 * fmax(usual_slope, 1))) continue;
    hml_status status = hml_march__commit_cut(r, s, &cut, row, piece);
    if (status == HML_OK || !hml_problem__recoverable(status)) return status;
    HML_TRY(hml_forgiven(r->problem.context));
  }
  return HML_OK;
}

// Drops the points at which the fine run from the base differs
static hml_status drop_wrong_points(hml_march *r, const hml_finding *found) {
  size_t points = hml_trajectory_points(r->trajectory), kept = points;
  for (size_t i = points; i-- > 1;) {
    double t = hml_trajectory_time(r->trajectory, i);
    if ((t - r->base_t) * r->sign <= 0) break;
    bool beyond = (t - end_of(r, found)) * r->sign >= 0, bad = beyond;
    if (!beyond) {
      HML_TRY(hml_trajectory_at(found->fine, t, r->work));
      bad = !(apart(r, hml_trajectory_state(r->trajectory, i), r->work) <= wrong(r));
    }
    if (bad) kept = i;
  }
  if (kept == points) return HML_OK;
  hml_trajectory__cut(r->trajectory, kept);
  if (r->looked > kept) r->looked = kept;
  r->t = hml_trajectory_time(r->trajectory, kept - 1);
  return HML_OK;
}

// A guard whose root is the barrier gives the exact reason
static hml_status ask_guards(hml_march *r, const hml_step *s, const hml_finding *found) {
  hml_watch *w = r->watch;
  const size_t n = w ? w->guards->n : 0;
  bool any = false;
  if (!n) return HML_OK;
  double *y = r->work;
  HML_TRY(hml_watch__values(w, s->t, s->y, w->start));
  HML_TRY(hml_trajectory_at(found->fine, end_of(r, found), y));
  HML_TRY(hml_watch__values(w, found->t, y, w->probe));
  for (size_t i = 0; i < n; i++) {
    w->fired[i] = !w->guards->passive[i] && w->guards->direction[i] != HML_ASLEEP && fabs(w->probe[i]) < AT_ROOT * fabs(w->start[i]);
    any = any || w->fired[i];
  }
  if (!any) return HML_OK;
  return w->guards->react(w->guards->payload, found->t, y, w->fired, hml_trajectory_points(r->trajectory));
}

static hml_status stop_at(hml_march *r, const hml_step *s, hml_finding *found) {
  hml_status status = ask_guards(r, s, found);
  if (status == HML_OK || hml_problem__recoverable(status)) {
    HML_TRY(hml_forgiven(r->problem.context));
    status = hml_fail(r->problem.context, found->why.status, "%s", found->why.message);
  }
  r->stopped = found->t;
  return status;
}

// A series does not see that the formula changes: its step ends behind the place
static hml_status step_to(hml_march *r, hml_step *s, double *piece, double *moved, double t) {
  double behind = t + r->sign * (1e-10 * fabs(s->h) + 4 * DBL_EPSILON * fabs(t));
  if ((s->t1 - behind) * r->sign <= 0 || (behind - s->t) * r->sign <= 2e-10 * fabs(s->h)) return HML_OK;
  bool alarm;
  double too_long;
  s->t1 = behind;
  s->h = s->t1 - s->t;
  HML_TRY(hml_march__attempt(r, s, piece, moved));
  return hml_lookout__look(r->lookout, s, NULL, HML_AT_POINTS, &alarm, &too_long);
}

// A step that begins near a singular place may be too short to show it: the way since the last clear point is examined, once for each
// hundredth that is left
static hml_status sound(hml_march *r, const hml_step *s, double *row, double *piece) {
  double depth = hml_lookout__depth(r->lookout);
  if (depth >= r->deep) return HML_OK;
  r->deep = 0.01 * depth;
  return hml_march__explain(r, s, row, piece);
}

static hml_status make_shorter(hml_march *r, const hml_step *s, double too_long) {
  r->h = fabs(s->h) * fmax(0.9 / too_long, 0.01);
  r->problem.outcome->rejected++;
  return HML_OK;
}

// *again: the step is too long to be examined and must be repeated with a shorter one
hml_status hml_march__look_out(hml_march *r, hml_step *s, double *row, double *piece, double *moved, bool *again) {
  double too_long;
  bool alarm, series = hml_march__present(r)->slope != NULL, stages = hml_march__can_cut(r) && !r->problem.ode->discrete;
  hml_looks looks = series ? HML_AT_POINTS : stages ? HML_AT_STAGES : HML_IN_MIDDLE;
  hml_lookout__resolve(r->lookout, stages && !series && hml_march__present(r)->order >= HIGH_ORDER);
  HML_TRY(hml_lookout__look(r->lookout, s, NULL, looks, &alarm, &too_long));
  *again = too_long > 1 && !r->method->fixed && fabs(s->h) > 8 * hml_march__step_floor(r);
  if (*again) return make_shorter(r, s, too_long);
  HML_TRY(hml_lookout__unique(r->lookout, s));
  // a projection moves steps of fixed size as far as it has to; one that leads away from the motion is examined
  if (!alarm && !(r->method->fixed && hml_march__projected_far(r, s, *moved))) return sound(r, s, row, piece);
  hml_finding found;
  HML_TRY(hml_lookout__examine(r->lookout, s, &found));
  r->steep = r->steep || found.steep;
  if (found.kind == HML_CORNER && series) return step_to(r, s, piece, moved, found.t);
  // a place may be too deep inside a long step to be followed there
  *again = found.kind == HML_LOST && found.stuck && !r->method->fixed && fabs(s->h) > LEAST_PART * fabs(r->t_end - r->t);
  if (*again) return make_shorter(r, s, 2);
  // a force that turns the motion back next to its pole may act between the stages of a step
  *again = found.kind == HML_CLEAR && found.strayed && !r->method->fixed && fabs(s->h) > 8 * hml_march__step_floor(r);
  if (*again) return make_shorter(r, s, ASTRAY);
  // a place too close to decide may be decided from farther away, and steps of fixed size go astray before they reach it
  if ((found.kind == HML_LOST && r->base_t != s->t) || (found.kind == HML_CLEAR && found.strayed && r->method->fixed)) return hml_march__explain(r, s, row, piece);
  if (found.kind != HML_BARRIER) return sound(r, s, row, piece);
  if (r->base_t != s->t) {
    // the run may have gone astray before this step: from the last clear point
    hml_trajectory_free(found.fine);
    HML_TRY(hml_march__explain(r, s, row, piece));
    HML_TRY(hml_lookout__examine(r->lookout, s, &found));
    if (found.kind != HML_BARRIER) return HML_OK;
  }
  hml_status status = end_before(r, s, row, piece, &found);
  if (status == HML_OK) status = stop_at(r, s, &found);
  hml_trajectory_free(found.fine);
  return status;
}

// The run cannot continue: is a singular place the reason? Looks from the base to a little beyond the present point.
// present_step: one not yet accepted, whose part before the place is kept; NULL: none.                                  HML_OK: no
hml_status hml_march__explain(hml_march *r, const hml_step *present_step, double *row, double *piece) {
  hml_finding found;
  hml_step s = {.t = r->base_t, .y = r->base_y, .f = r->base_f};
  double now = present_step ? fabs(present_step->t1 - r->t) : 0;
  double ahead = fmin(now + fmax(0.5 * (fabs(r->t - r->base_t) + now), fmax(1e-6 * fabs(r->t), r->method->fixed ? 5 * r->options.step : 0)), fabs(r->t_end - r->t));
  s.t1 = r->t + r->sign * ahead;
  s.h = s.t1 - s.t;
  if (!r->lookout || s.h == 0) return HML_OK;
  HML_TRY(hml_lookout__examine(r->lookout, &s, &found));
  if (found.kind != HML_BARRIER) return HML_OK;
  size_t points = hml_trajectory_points(r->trajectory);
  hml_status status = drop_wrong_points(r, &found);
  if (status == HML_OK && present_step && points == hml_trajectory_points(r->trajectory)) status = end_before(r, present_step, row, piece, &found);
  if (status == HML_OK) status = stop_at(r, &s, &found);
  hml_trajectory_free(found.fine);
  return status;
}

hml_status hml_march__explain_failure(hml_march *r, hml_status status) {
  hml_error kept = *hml_context_error(r->problem.context);
  HML_TRY(hml_forgiven(r->problem.context));
  HML_TRY(hml_march__explain(r, NULL, NULL, NULL));
  return kept.status != HML_OK ? hml_fail(r->problem.context, kept.status, "%s", kept.message) : status;
}
