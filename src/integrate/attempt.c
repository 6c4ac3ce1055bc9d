// attempt.c: one step of a run: its size, the attempt, and the projection of its end; then the next point, or a shorter attempt.
// The formulas of the step size are in control.c, those of the methods in their files.
#include "integrate/march.h"
#include "integrate/near_rest.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LENGTHENS 1.25                 // per step: fixed steps that were made shorter

// What the step control goes by
const hml_stepper *hml_march__present(const hml_march *r) {
  return r->method->present ? r->method->present(r->state) : r->method;
}

unsigned hml_march__order(const hml_march *r) {
  return r->method->order_now ? r->method->order_now(r->state) : hml_march__present(r)->order;
}

// Below this the time hardly changes, or the run would never end
double hml_march__step_floor(const hml_march *r) {
  return 16 * DBL_EPSILON * fabs(r->t) + 1e-28 * fabs(r->t_end) + DBL_MIN;
}

// The next step of about r->h, bounded by max_step, ending in t_end exactly; the last two steps share what is left. Fixed steps are
// shorter where guards allow no more, as they are at roots, and where a slip turns too fast for them
void hml_march__choose_step(const hml_march *r, hml_step *s) {
  if (r->method->fixed) {
    double step = fmin(r->options.step, fmin(r->most, r->shorter));
    s->t = r->t;
    s->t1 = fabs(r->t_end - r->t) <= step * (1 + 1e-9) ? r->t_end : r->t + r->sign * step;
    s->h = s->t1 - s->t;
    return;
  }
  double left = fabs(r->t_end - r->t), size = r->h < r->most ? r->h : r->most, room = hml_march__step_floor(r);
  bool bounded = r->options.max_step > 0;
  if (bounded && size > r->options.max_step) size = r->options.max_step;
  bool last = left <= size + room || (left <= 1.01 * size && (!bounded || left <= r->options.max_step));
  if (!last && left < 2 * size) size = left / 2;
  s->t = r->t;
  s->t1 = last ? r->t_end : r->t + r->sign * size;
  s->h = s->t1 - s->t;
}

// Weighted size of the projection's move
static double moved_by(hml_march *r) {
  for (size_t i = 0; i < r->problem.n; i++) r->unprojected[i] -= r->y1[i];
  return hml_control__norm(&r->problem, r->unprojected, r->y1, r->y1);
}

// Weighted size of the step
static double way_of(hml_march *r, const hml_step *s) {
  for (size_t i = 0; i < r->problem.n; i++) r->unprojected[i] = s->y1[i] - s->y[i];
  return hml_control__norm(&r->problem, r->unprojected, s->y1, s->y1);
}

hml_status hml_march__project(hml_march *r, double t1, double *moved) {
  const hml_ode *ode = r->problem.ode;
  int changed = 0;
  *moved = 0;
  if (!ode->project || !r->options.project) return HML_OK;
  memcpy(r->unprojected, r->y1, r->problem.n * sizeof *r->y1);
  HML_TRY(ode->project(ode->payload, t1, r->y1, r->options.rtol, r->options.atol, &changed));
  if (!changed) return HML_OK;
  r->problem.outcome->projections++;
  *moved = moved_by(r);
  return HML_OK;
}

// Further than the error of the step, which is within the tolerance, explains
bool hml_march__projected_far(hml_march *r, const hml_step *s, double moved) {
  return moved > HML_FAR && moved > HML_FAR_PART * way_of(r, s);
}

// Where constraints become dependent a projection has no hold, and may land on another branch of them
hml_status hml_march__check_move(hml_march *r, const hml_step *s, double moved) {
  if (r->method->fixed || !r->problem.ode->mends_errors || !hml_march__projected_far(r, s, moved)) return HML_OK;
  return hml_fail(r->problem.context, HML_PROJECTION, "at t = %.15g the constraints hold the motion so little that the step back onto them is %.2g "
                  "times the tolerance", s->t1, moved);
}

hml_status hml_march__check_finite(hml_march *r, const hml_step *s) {
  hml_context *c = r->problem.context;
  double odd = 0 * s->error;
  for (size_t i = 0; i < r->problem.n; i++) odd += 0 * s->y1[i];
  if (odd == 0) return HML_OK;
  for (size_t i = 0; i < r->problem.n; i++)
    if (!isfinite(s->y1[i]))
      return hml_fail(c, HML_NOT_FINITE, "%s became %s on the way to t = %.15g", hml_problem__name(r->problem.ode, i).text,
                      hml_problem__oddity(s->y1[i]), s->t1);
  if (!isfinite(s->error))
    return hml_fail(c, HML_NOT_FINITE, "the error estimate of the step to t = %.15g is %s: states or rates are beyond the range of doubles, "
                    "1e-308 to 1e308; take other units", s->t1, hml_problem__oddity(s->error));
  return HML_OK;
}

// f where the step ends and the next one begins
static hml_status end_slope(hml_march *r, const hml_step *s) {
  const hml_stepper *m = hml_march__present(r);
  if (m->slope && s->t1 != r->t_end) return r->method->slope(r->state, s->t1, s->y1, s->f1);
  return hml_problem__finite_rhs(&r->problem, s->t1, s->y1, s->f1);
}

static hml_status attempt(hml_march *r, hml_step *s, double *piece, double *moved) {
  s->error = NAN;
  if (r->lookout) hml_lookout__begin(r->lookout);
  HML_TRY(r->method->attempt(r->state, s));
  HML_TRY(hml_march__check_finite(r, s));
  if (s->error > 1) return HML_OK;
  HML_TRY(hml_march__project(r, s->t1, moved));
  HML_TRY(hml_march__check_move(r, s, *moved));
  if (r->lookout) hml_lookout__guard_end(r->lookout);
  HML_TRY(end_slope(r, s));
  if (r->method->end_error) s->error = fmax(s->error, r->method->end_error(r->state, s));
  if (!(s->error <= 1)) return hml_must_end(r->problem.context) ? hml_context_error(r->problem.context)->status : HML_OK;
  if (r->lookout) hml_lookout__end(r->lookout);
  if (!hml_march__needs_polynomial(r, s)) return HML_OK;
  HML_TRY(r->method->dense(r->state, s, piece));
  if (r->method->between) s->error = fmax(s->error, r->method->between(r->state, s, piece));
  return HML_OK;
}

// One attempt; good when the error is at most 1, and then everything of the new point is ready in s, *piece and *moved. Where a pivot is found below its
// floor at the end only, stages before may have taken it for better than it was: they are evaluated again, each under the guard
hml_status hml_march__attempt(hml_march *r, hml_step *s, double *piece, double *moved) {
  const bool held = r->lookout && !hml_lookout__guard_failed(r->lookout);
  HML_TRY(attempt(r, s, piece, moved));
  if (!held || !(s->error <= 1) || !hml_lookout__guard_failed(r->lookout)) return HML_OK;
  hml_lookout__guard_all(r->lookout, true);
  hml_status status = attempt(r, s, piece, moved);
  hml_lookout__guard_all(r->lookout, false);
  return status;
}

hml_status hml_march__choose_first_step(hml_march *r) {
  r->uncounted = -1;                   // a method that begins anew does not go by the step before
  if (r->method->fixed) {
    r->h = r->options.step;
    return HML_OK;
  }
  if (r->options.first_step > 0 && r->problem.outcome->steps == 0) {
    r->h = r->options.first_step;
    return HML_OK;
  }
  HML_TRY(hml_control__first_step(&r->problem, r->method->order, r->t, r->t_end - r->t, r->y, r->f, r->work, &r->h));
  r->size = r->h = fmax(r->h, 4 * hml_march__step_floor(r));
  return HML_OK;
}

// A step cut short by the end or by max_step may grow from the size that was wanted
static double size_after(const hml_march *r, double size, double error, bool after_rejection) {
  const double grown = size * hml_control__factor(hml_march__present(r), hml_march__order(r), error, r->previous_error, after_rejection);
  return grown > r->h || error > 0.5 || after_rejection ? grown : r->h;
}

void hml_march__count_error(hml_march *r) {
  if (r->uncounted < 0) return;
  r->h = size_after(r, r->size, r->uncounted, r->uncounted_after);
  r->uncounted = -1;
}

// Are the rates at the end of the step small at other times too? Where they are not known they do not say otherwise
static hml_status rests_at_other_times(hml_march *r, const hml_step *s, bool *rests) {
  double *f = r->work;
  *rests = true;
  for (int k = -HML_NEAR_REST_TIMES; *rests && k <= HML_NEAR_REST_TIMES; k++) {
    const double t = s->t1 + k * s->h;
    if (r->sign * (t - r->t_start) < 0 || r->sign * (r->t_end - t) < 0) continue;
    if (hml_problem__finite_rhs(&r->problem, t, s->y1, f) != HML_OK) {
      HML_TRY(hml_forgiven(r->problem.context));
      continue;
    }
    for (size_t i = 0; i < r->problem.ode->n_controlled; i++) *rests &= !(fabs(f[i]) > HML_NEAR_REST_OTHERWISE * r->brisk[i]);
  }
  // the margins that the evaluation leaves are again those of the step
  return hml_problem__finite_rhs(&r->problem, s->t1, s->y1, f);
}

// Has the motion left a state at which it nearly rested? See near_rest.h
static hml_status watch_rests(hml_march *r, const hml_step *s) {
  const size_t n = r->problem.ode->n_controlled;
  const double *f = s->f1;
  double *brisk = r->brisk;
  bool slow = true, fast = false;
  for (size_t i = 0; i < n; i++) {
    const double size = fabs(f[i]);
    if (!r->slow) brisk[i] = fmax(r->rest_part * size, HML_NEAR_REST_KEEPS * brisk[i]);
    slow &= size <= brisk[i];
    fast |= size > HML_NEAR_REST_LEFT * brisk[i];
  }
  if (slow && ++r->slow == HML_NEAR_REST_STEPS) {
    bool rests;
    HML_TRY(rests_at_other_times(r, s, &rests));
    if (!rests) r->slow = 0;
  } else if (!slow && fast) {
    if (r->slow >= HML_NEAR_REST_STEPS && isnan(r->problem.outcome->left_rest)) r->problem.outcome->left_rest = s->t1;
    r->slow = 0;
  }
  return HML_OK;
}

// The attempt becomes the next point
hml_status hml_march__accept(hml_march *r, const hml_step *s, double *row, const double *piece, double moved) {
  memcpy(row, s->y1, r->problem.n * sizeof *row);
  hml_trajectory__commit(r->trajectory, s->t1);
  hml_march__note(r, s, piece);
  r->problem.outcome->steps++;
  const hml_stepper *present = hml_march__present(r);
  const double error = s->error;
  if (present->propose && present->beta == 0 && !r->watch) r->uncounted = error, r->uncounted_after = r->after_rejection;
  else r->h = size_after(r, fabs(s->h), error, r->after_rejection);
  r->previous_error = error > 1e-4 ? error : 1e-4;
  r->size = fabs(s->h);
  r->shorter *= LENGTHENS;
  r->after_rejection = false;
  bool anew = r->method->accepted && r->method->accepted(r->state, s, moved);
  if (r->lookout) HML_TRY(hml_march__keep_base(r, s));
  long double inertia;
  if (r->lookout && hml_lookout__inertia(r->lookout, &inertia)) HML_TRY(hml_trajectory__note_inertia(r->trajectory, inertia, s->t1, s->y1));
  if (!r->method->fixed) HML_TRY(watch_rests(r, s));
  r->t = s->t1;
  hml_march__swap(&r->y, &r->y1);
  hml_march__swap(&r->f, &r->f1);
  return anew && r->t != r->t_end ? hml_march__choose_first_step(r) : HML_OK;
}

// Keeps the message of a failure that a smaller step may avoid, for the case that none does
static void keep_reason(hml_march *r, hml_status status) {
  const hml_error *e = hml_context_error(r->problem.context);
  r->reason.status = status;
  snprintf(r->reason.message, sizeof r->reason.message, "%s", e->status != HML_OK ? e->message : hml_status_what(status));
  hml_forgive(r->problem.context);
}

void hml_march__shrink(hml_march *r, const hml_step *s, hml_status status) {
  double factor = 0.25;
  if (status == HML_OK) {
    unsigned order = hml_march__order(r);
    factor = hml_control__factor(hml_march__present(r), order, s->error, r->previous_error, false);
    r->reason.status = HML_OK;
  } else {
    keep_reason(r, status);
  }
  r->h = fabs(s->h) * factor;
  r->after_rejection = true;
  r->problem.outcome->rejected++;
}

// Near rest the direction of a slip in two directions turns at a rate without bound, so that no fixed step is short enough all the way
bool hml_march__shorten(hml_march *r, const hml_step *s, hml_status status) {
  const hml_guards *g = r->problem.ode->guards;
  if (!g || !g->turns || !*g->turns || 0.25 * fabs(s->h) < hml_march__step_floor(r)) return false;
  hml_march__shrink(r, s, status);
  r->shorter = 0.25 * fabs(s->h);
  return true;
}

// The component that changes most, measured by its tolerance
size_t hml_march__fastest(const hml_march *r) {
  size_t worst = 0;
  double most = -1;
  for (size_t i = 0; i < r->problem.ode->n_controlled; i++) {
    double rate = fabs(r->f[i]) / (r->options.atol + r->options.rtol * fabs(r->y[i]) + DBL_MIN);
    if (rate <= most) continue;
    most = rate;
    worst = i;
  }
  return worst;
}

hml_status hml_march__collapsed(hml_march *r) {
  hml_context *c = r->problem.context;
  if (r->reason.status != HML_OK && r->reason.status != HML_STEP_COLLAPSED) return hml_fail(c, r->reason.status, "%s", r->reason.message);
  size_t i = hml_march__fastest(r);
  char what[400];
  if (r->reason.status == HML_OK) snprintf(what, sizeof what, "the step fell to %.3g and still missed the tolerance", r->h);
  else snprintf(what, sizeof what, "%.300s", r->reason.message);
  return hml_fail(c, HML_STEP_COLLAPSED, "%s; %s changes fastest: it is %.6g, its rate %.6g", what, hml_problem__name(r->problem.ode, i).text,
                  r->y[i], r->f[i]);
}
