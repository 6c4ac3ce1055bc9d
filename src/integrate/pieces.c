// pieces.c: the pieces of a run with guards: a step ends at the first root met on it, the owner of the guards reacts, and the next piece begins.
// event.c finds the roots on the polynomial of a step.
#include "integrate/march.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define SHORT_WAY 1e-8                 // of a step: its square is rounding
#define PACES 100                      // lengths of time within which samples show all roots: the first step after the root of a sampled guard

static size_t first_fired(const hml_watch *w, bool *passive) {
  size_t first = w->guards->n;
  *passive = true;
  for (size_t i = w->guards->n; i-- > 0;) {
    if (!w->fired[i]) continue;
    if (w->guards->passive[i] && first < w->guards->n) continue;
    first = i;
  }
  for (size_t i = 0; i < w->guards->n; i++) *passive = *passive && (!w->fired[i] || w->guards->passive[i]);
  return first;
}

// The root of a margin lies where the state of the cut has changed its sign: the mode that is chosen there would keep it else
static hml_status pass_root(hml_march *r, const hml_step *s, const double *piece, size_t i, double theta, hml_step *cut) {
  hml_watch *w = r->watch;
  double value, units = 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h);
  if (!w->guards->passed || !w->guards->passed[i]) return HML_OK;
  for (int k = 0; k < 4 && theta < 1; k++, units *= 2) {
    HML_TRY(hml_watch__value(w, i, cut->t1, r->cut_y, &value));
    if (value * w->posts[i].crossing <= 0) return HML_OK;
    theta = fmin(theta + units, 1);
    HML_TRY(hml_march__cut_at(r, s, piece, theta, cut));
  }
  return HML_OK;
}

// The cut moved to theta along its slope, where that is as good as a new one: a way so short that its square is rounding, and no longer than
// the tolerance, so that the stages, which do not change, give the dense output
static hml_status move_cut(hml_march *r, const hml_step *s, const double *piece, double theta, hml_step *cut, bool *moved) {
  const size_t n = r->problem.n;
  double t1 = theta == 1 ? s->t1 : s->t + theta * s->h, way = t1 - cut->t1, *change = r->unprojected;
  *moved = false;
  if (!(fabs(way) <= SHORT_WAY * fabs(s->h))) return HML_OK;
  if (r->along) {
    HML_TRY(hml_march__cut_at(r, s, piece, theta, cut));
    r->judged = cut->t1;                                                 // the slope has not changed either
    *moved = true;
    return HML_OK;
  }
  HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, r->cut_y, r->cut_f));
  for (size_t i = 0; i < n; i++) change[i] = way * r->cut_f[i];
  if (!(hml_control__norm(&r->problem, change, r->cut_y, r->cut_y) <= 1)) return HML_OK;
  for (size_t i = 0; i < n; i++) r->cut_y[i] += change[i];
  cut->t1 = t1;
  cut->h = t1 - s->t;
  r->judged = NAN;
  *moved = true;
  return HML_OK;
}

// The polynomial is less accurate than the step: the root is corrected on cuts of the step itself, with the polynomial's slope
static hml_status refine(hml_march *r, const hml_step *s, double *piece, double theta, hml_step *cut) {
  hml_watch *w = r->watch;
  bool passive;
  size_t i = first_fired(w, &passive);
  double slope, value, resolution = 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h);
  double most = fmin(1e-3 * theta, 0.1 * w->posts[i].reach / fabs(s->h));
  HML_TRY(hml_march__cut_along(r, s, piece, theta, cut));
  if (!r->along) HML_TRY(hml_march__cut_at(r, s, piece, theta, cut));
  if (!hml_march__can_cut(r)) return HML_OK;
  HML_TRY(hml_watch__slope(w, s, piece, i, theta, &slope));
  for (int k = 0; k < 3; k++) {
    HML_TRY(hml_watch__value(w, i, cut->t1, r->cut_y, &value));
    double correction = -value / slope;
    // a graze has no slope to go by
    if (!(fabs(correction) < most) || fabs(correction) <= resolution) break;
    double corrected = fmin(theta + correction, 1);
    if (corrected == theta) break;
    theta = corrected;
    bool moved;
    HML_TRY(move_cut(r, s, piece, theta, cut, &moved));
    if (!moved) HML_TRY(hml_march__cut_at(r, s, piece, theta, cut));
  }
  return pass_root(r, s, piece, i, theta, cut);
}

// Implicit stages of a step that is far too long for the new equations may settle on an equilibrium that the motion only passes
static bool keeps_size(const hml_march *r) {
  return hml_march__can_cut(r) && !hml_march__present(r)->cuts;
}

// A method with a history forgets it where the equations change
static hml_status begin_anew(hml_march *r) {
  if (!hml_march__can_cut(r)) {
    r->method->destroy(&r->problem, r->state);
    r->state = NULL;
    HML_TRY(r->method->create(&r->problem, &r->state));
  }
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  r->after_rejection = false;
  r->previous_error = 1e-4;
  if (keeps_size(r) || r->t == r->t_end) return HML_OK;
  return hml_march__choose_first_step(r);
}

static hml_status meet_jumps(hml_march *r, bool jumps) {
  hml_watch *w = r->watch;
  bool any;
  HML_TRY(hml_watch__leaps(w, r->t, r->y, jumps, &any));
  return any ? w->guards->jumped(w->guards->payload, r->t, r->y, w->leapt) : HML_OK;
}

// The guards' owner reacts, and the next piece begins with a point of its own. asleep: a guard that was on no root of its own; SIZE_MAX: none
static hml_status begin_piece(hml_march *r, size_t asleep) {
  hml_watch *w = r->watch;
  const size_t n = r->problem.n;
  double wanted = fmin(r->h, PACES * hml_watch__pace(w)), *row, *piece;
  if (r->lookout) HML_TRY(hml_march__check_passage(r, r->t, r->y));
  HML_TRY(hml_watch__values(w, r->t, r->y, w->residue));
  if (asleep != SIZE_MAX) w->residue[asleep] = 0;
  HML_TRY(w->guards->react(w->guards->payload, r->t, r->y, w->fired, hml_trajectory_points(r->trajectory)));
  bool jumps = memcmp(r->y, hml_trajectory_state(r->trajectory, hml_trajectory_points(r->trajectory) - 1), n * sizeof *r->y) != 0;
  if (!w->guards->seamless || !*w->guards->seamless) {
    HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
    memcpy(row, r->y, n * sizeof *row);
    memset(piece, 0, n * r->problem.pieces * sizeof *piece);
    hml_trajectory__commit(r->trajectory, r->t);
  }
  HML_TRY(meet_jumps(r, jumps));
  r->h = wanted;
  HML_TRY(begin_anew(r));
  r->whole = false;
  r->h = fmin(r->h, wanted);
  if (r->lookout) {
    hml_lookout__start(r->lookout, r->t, r->y);
    HML_TRY(hml_lookout__unique_start(r->lookout, r->t, r->y, r->f, r->t_end - r->t));
    if (hml_lookout__clear(r->lookout) || r->closest < HML_CLOSE || r->steep) hml_march__set_base(r, r->t, r->y, r->f);
  }
  return hml_watch__start(w, r->t, r->y, jumps ? HML_JUMPED : HML_GOES_ON);
}

static hml_status end_piece(hml_march *r, const hml_step *s, hml_step *cut, double *row, double *piece) {
  hml_status status = hml_march__commit_cut(r, s, cut, row, piece);
  if (status != HML_OK) return hml_problem__recoverable(status) ? hml_march__explain_failure(r, status) : status;
  return begin_piece(r, SIZE_MAX);
}

// The longest step that guards allow, and which of them is on its root at its end
hml_status hml_march__cap_step(hml_march *r, size_t *fires) {
  const hml_guards *g = r->problem.ode->guards;
  bool changed = false;
  *fires = SIZE_MAX;
  r->most = INFINITY;
  if (g && g->cap) HML_TRY(g->cap(g->payload, r->t, r->y, r->f, &r->most, fires, &changed));
  return changed ? begin_anew(r) : HML_OK;
}

// What is left until a guard is on its root, along the present slope
hml_status hml_march__last_mile(hml_march *r, size_t guard, double *row, double *piece) {
  const size_t n = r->problem.n;
  hml_step s = {.t = r->t, .t1 = r->t + r->sign * r->most, .h = r->sign * r->most, .y = r->y, .f = r->f, .y1 = r->y1, .f1 = r->f};
  for (size_t i = 0; i < n; i++) r->y1[i] = r->y[i] + s.h * r->f[i];
  memset(piece, 0, n * r->problem.pieces * sizeof *piece);
  hml_dense__hermite(n, &s, piece);
  memcpy(row, r->y1, n * sizeof *row);
  hml_trajectory__commit(r->trajectory, s.t1);
  hml_march__note(r, &s, piece);
  r->problem.outcome->steps++;
  r->t = s.t1;
  hml_march__swap(&r->y, &r->y1);
  memset(r->watch->fired, 0, r->watch->guards->n * sizeof *r->watch->fired);
  r->watch->fired[guard] = true;
  return begin_piece(r, guard);
}

// A step that led where guards allow none is made again, shorter
hml_status hml_march__refused(hml_march *r, const hml_step *s, bool *again) {
  const hml_guards *g = r->problem.ode->guards;
  size_t guard = SIZE_MAX;
  if (g && g->refuses) HML_TRY(g->refuses(g->payload, s->t1, s->y1, &guard));
  *again = guard != SIZE_MAX;
  if (!*again) return HML_OK;
  r->h = 0.25 * fabs(s->h);
  r->after_rejection = true;
  r->problem.outcome->rejected++;
  if (r->method->fixed) r->shorter = r->h;
  return HML_OK;
}

// Stages of a part of a step may have no solution that Newton's method finds, though those of the step do
static hml_status locate(hml_march *r, const hml_step *s, double *piece, double theta, hml_step *cut) {
  hml_status status = refine(r, s, piece, theta, cut);
  if (status == HML_OK || !hml_march__can_cut(r) || !hml_problem__recoverable(status) || hml_must_end(r->problem.context)) return status;
  HML_TRY(hml_forgiven(r->problem.context));
  r->whole = true;
  return refine(r, s, piece, theta, cut);
}

// What is left of a step that fails at theta becomes the last point
static hml_status keep_part(hml_march *r, const hml_step *s, double *row, double *piece, double theta) {
  hml_step cut;
  if (theta * fabs(s->h) < hml_march__step_floor(r)) return HML_OK;
  HML_TRY(hml_march__cut_at(r, s, piece, theta, &cut));
  return hml_march__commit_cut(r, s, &cut, row, piece);
}

// The run ends inside the step, at theta, with the failure in the context
static hml_status end_inside(hml_march *r, const hml_step *s, double *row, double *piece, double theta) {
  hml_context *c = r->problem.context;
  const hml_error why = *hml_context_error(c);
  HML_TRY(hml_forgiven(c));
  hml_status status = keep_part(r, s, row, piece, theta);
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  HML_TRY(hml_forgiven(c));
  r->stopped = s->t + theta * s->h;
  return hml_fail(c, why.status, "%s", why.message);
}

static hml_status check_grazes(hml_march *r, const hml_step *s, double *row, double *piece, double until) {
  const hml_guards *g = r->watch->guards;
  double at = until;
  hml_status status = g->grazes ? g->grazes(g->payload, &r->problem, s, piece, until, &at) : HML_OK;
  return status == HML_SINGULAR ? end_inside(r, s, row, piece, at) : status;
}

hml_status hml_march__meet_guards(hml_march *r, hml_step *s, double *row, double *piece, double moved) {
  hml_watch *w = r->watch;
  for (;;) {
    bool found, passive = true, dips = false;
    double theta;
    HML_TRY(hml_check_interrupt(r->problem.context));
    r->along = false;
    HML_TRY(hml_watch__search(w, s, piece, &theta, &found));
    if (found) HML_TRY(hml_march__pass_dips(r, s, piece, theta, &dips));
    if (dips) continue;
    if (found) first_fired(w, &passive);
    if (!found || !passive) HML_TRY(check_grazes(r, s, row, piece, found ? theta : 1));
    if (!found) return hml_march__accept(r, s, row, piece, moved);
    hml_step cut;
    HML_TRY(locate(r, s, piece, theta, &cut));
    if (!passive) {
      HML_TRY(hml_watch__join(w, s, piece, theta, cut.t1, r->cut_y));
      return end_piece(r, s, &cut, row, piece);
    }
    hml_status status = w->guards->react(w->guards->payload, cut.t1, r->cut_y, w->fired, hml_trajectory_points(r->trajectory));
    if (status == HML_SINGULAR) return end_inside(r, s, row, piece, theta);
    HML_TRY(status);
  }
}
