// run.c: the loop that carries an initial value problem from t0 to t1: options, attempts, projection, limits, outcome.
// Formulas of the methods, of the step size and of the dense output stand elsewhere.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CRAWL_WINDOW = 1000, LOOKS = 64, OLD = 3000 };   // steps; between looks at the clock; after which a base is old
#define LEAST_PART 1e-3                // of what is left: a step so short is not made shorter to be looked at
#define DEEP 1e-6                      // of the margins, which go with squares of distances
#define WRONG 1e3                      // units of the tolerance: a point that far from the fine run is not kept
#define WRONG_FIXED 1e7                // the same for steps of one size, whose errors have nothing to do with the tolerance
#define SHORT_WAY 1e-8                 // of a step: its square is rounding
#define CLOSE 1e-8                     // of the margins: a passage of a singular place at a distance this small magnifies errors
#define GROWTH (1.0 / 3)               // with this power of the depth
#define PASSES 1.0                     // change of the logarithm of the depth over a window of steps that get on
#define TIGHTEST 1e-13                 // tolerance that steps are made to meet there
#define DOUBTFUL 20                    // units of the tolerance: what a passage may add
#define ENERGY_DOUBTFUL 300            // of its own: what the energy may be off behind it
#define FAR 30                         // units of the tolerance: a projection that moves a step so far,
#define FAR_PART 0.1                   // and by this part of its way, tells of constraints that lose their hold
#define AT_ROOT 1e-5                   // of its value at the start of the step: a guard is on its root
#define PACES 100                      // lengths in which the samples tell all: the first step behind the root of a sampled guard
#define FIRST_WORD 1.0                 // seconds
#define BETWEEN_WORDS 0.15
enum { FEW = 64, MANY = 4 * OLD };     // points that a run which keeps its ends may hold, and at most holds since its base; steps of a passage
enum { MOST_COMPARED = 300, SAMPLED = 40 };   // steps of one size that are compared with fine runs: where forces are sharp, of all
#define LIKELY 0.3                     // of what adaptive steps are allowed: from there on they are
#define MISSED 0.01                    // of the whole motion: what steps of one size may be off, a single one or all together
enum { VECTORS = 13 };                 // y, f, y1, f1, y1 before its projection, cut_y, cut_f, base_y, base_f, start_y, three of first_step

typedef struct run {
  hml_problem problem;
  const hml_stepper *method;
  void *state;                         // of the method
  hml_run_options options;
  hml_trajectory *trajectory;
  double t, t_start, t_end, sign;
  double h, most;                      // size wanted for the next step, positive; the longest that guards allow
  double previous_error, size;         // of the last accepted step; size: before the first one, that which was chosen for it
  bool after_rejection;
  double stopped;                      // the singular place that ended the run; NaN: none
  double window_start, best_progress;  // of the last windows of steps
  double depth, window_depth;          // of the last step, and when the window began: how close to a singular place
  double next_word;                    // when progress is told next
  double *memory, *y, *f, *y1, *f1, *unprojected, *cut_y, *cut_f, *base_y, *base_f, *start_y, *work;
  double base_t;                       // the last point clear of singular places
  size_t base_age;                     // steps since then
  size_t looked;                       // points that the guards' `look` has seen
  size_t held;                         // points at which a run that keeps its ends forgets again
  double closest;                      // least depth since then
  bool steep;                          // since then it came close to the zero of a root
  double doubt;                        // the largest error that a passage left, in units of the tolerance
  size_t compared;                     // steps of one size with fine runs
  size_t made;                         // steps of one size
  hml_missed sum;                      // of the errors of all steps of one size, as those that are compared tell
  hml_missed missed, way;              // the most by which they were off; the motion they are off from
  double missed_from;                  // start of the step that missed most
  double deep;                         // what may be left of the margins before the way since then is examined
  hml_watch *watch;                    // NULL: no guards
  hml_lookout *lookout;                // NULL: singular places are not looked for
  hml_tube *tube;                      // NULL: forces between the points of a step are not looked for
  hml_error reason;                    // of the last attempt, if it failed and did not merely miss the tolerance
} run;

hml_run_options hml_run_options_default(void) {
  return (hml_run_options){.method = "dop853", .rtol = 1e-9, .atol = 1e-9, .project = 1, .dense = 1};
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- arguments

static hml_status check_not_negative(hml_context *c, const char *name, double value) {
  if (isfinite(value) && value >= 0) return HML_OK;
  return hml_fail(c, HML_ARGUMENT, "run: %s = %g: must be a finite number, not negative", name, value);
}

static hml_status check_options(hml_context *c, const hml_run_options *o) {
  HML_TRY(check_not_negative(c, "rtol", o->rtol));
  HML_TRY(check_not_negative(c, "atol", o->atol));
  HML_TRY(check_not_negative(c, "first_step", o->first_step));
  HML_TRY(check_not_negative(c, "max_step", o->max_step));
  if (o->rtol == 0 && o->atol == 0) return hml_fail(c, HML_ARGUMENT, "run: rtol and atol are both 0; one must be positive");
  if (o->rtol > 0 && o->rtol < 1e-14)
    return hml_fail(c, HML_ARGUMENT, "run: rtol = %g is below what numbers of 16 digits can keep; take 1e-14 or more", o->rtol);
  return HML_OK;
}

static hml_status check_problem(hml_context *c, const hml_ode *ode, double t0, double t1, const double *y0) {
  if (ode->n == 0 || ode->n_controlled == 0 || ode->n_controlled > ode->n)
    return hml_fail(c, HML_ARGUMENT, "run: %zu of %zu components are controlled; at least one must be, at most all",
                    ode->n_controlled, ode->n);
  if (!isfinite(t0) || !isfinite(t1) || !isfinite(t1 - t0))
    return hml_fail(c, HML_ARGUMENT, "run: from t = %g to t = %g: both ends must be finite", t0, t1);
  for (size_t i = 0; i < ode->n; i++)
    if (!isfinite(y0[i]))
      return hml_fail(c, HML_ARGUMENT, "run: %s is %s at the start", hml_problem__name(ode, i).text, hml_problem__oddity(y0[i]));
  return HML_OK;
}

// ---- steps

// What the step control goes by
static const hml_stepper *present(const run *r) {
  return r->method->present ? r->method->present(r->state) : r->method;
}

// Below this the time hardly changes, or the run would never end
static double step_floor(const run *r) {
  return 16 * DBL_EPSILON * fabs(r->t) + 1e-28 * fabs(r->t_end) + DBL_MIN;
}

// The next step of about r->h, bounded by max_step, ending in t_end exactly; the last two steps share what is left
static void choose_step(const run *r, hml_step *s) {
  if (r->method->fixed) {
    s->t = r->t;
    s->t1 = fabs(r->t_end - r->t) <= r->options.step * (1 + 1e-9) ? r->t_end : r->t + r->sign * r->options.step;
    s->h = s->t1 - s->t;
    return;
  }
  double left = fabs(r->t_end - r->t), size = fmin(r->h, r->most), room = step_floor(r);
  bool bounded = r->options.max_step > 0;
  if (bounded && size > r->options.max_step) size = r->options.max_step;
  bool last = left <= size + room || (left <= 1.01 * size && (!bounded || left <= r->options.max_step));
  if (!last && left < 2 * size) size = left / 2;
  s->t = r->t;
  s->t1 = last ? r->t_end : r->t + r->sign * size;
  s->h = s->t1 - s->t;
}

// Weighted size of the projection's move
static double moved_by(run *r) {
  for (size_t i = 0; i < r->problem.n; i++) r->unprojected[i] -= r->y1[i];
  return hml_control__norm(&r->problem, r->unprojected, r->y1, r->y1);
}

// Weighted size of the step
static double way_of(run *r, const hml_step *s) {
  for (size_t i = 0; i < r->problem.n; i++) r->unprojected[i] = s->y1[i] - s->y[i];
  return hml_control__norm(&r->problem, r->unprojected, s->y1, s->y1);
}

static hml_status project(run *r, double t1, double *moved) {
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

// Where constraints become dependent a projection has no hold, and may land on another branch of them. The error of the step, which is within
// the tolerance, does not explain that
static hml_status check_move(run *r, const hml_step *s, double moved) {
  if (r->method->fixed || !r->problem.ode->mends_errors || !(moved > FAR) || !(moved > FAR_PART * way_of(r, s))) return HML_OK;
  return hml_fail(r->problem.context, HML_PROJECTION, "at t = %.15g the constraints hold the motion so little that the step back onto them is %.2g "
                  "times the tolerance", s->t1, moved);
}

static hml_status check_finite(run *r, const hml_step *s) {
  hml_context *c = r->problem.context;
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
static hml_status end_slope(run *r, const hml_step *s) {
  const hml_stepper *m = present(r);
  if (m->slope && s->t1 != r->t_end) return r->method->slope(r->state, s->t1, s->y1, s->f1);
  return hml_problem__finite_rhs(&r->problem, s->t1, s->y1, s->f1);
}

// One attempt; good when the error is at most 1, and then everything of the new point is ready in s, *piece and *moved
static hml_status attempt(run *r, hml_step *s, double *piece, double *moved) {
  s->error = NAN;
  if (r->lookout) hml_lookout__begin(r->lookout);
  HML_TRY(r->method->attempt(r->state, s));
  HML_TRY(check_finite(r, s));
  if (s->error > 1) return HML_OK;
  HML_TRY(project(r, s->t1, moved));
  HML_TRY(check_move(r, s, *moved));
  HML_TRY(end_slope(r, s));
  if (r->method->end_error) s->error = fmax(s->error, r->method->end_error(r->state, s));
  if (!(s->error <= 1)) return hml_must_end(r->problem.context) ? hml_context_error(r->problem.context)->status : HML_OK;
  if (r->lookout) hml_lookout__end(r->lookout);
  return r->options.dense ? r->method->dense(r->state, s, piece) : HML_OK;
}

static hml_status choose_first_step(run *r) {
  if (r->method->fixed) {
    r->h = r->options.step;
    return HML_OK;
  }
  if (r->options.first_step > 0 && r->problem.outcome->steps == 0) {
    r->h = r->options.first_step;
    return HML_OK;
  }
  HML_TRY(hml_control__first_step(&r->problem, r->method->order, r->t, r->t_end - r->t, r->y, r->f, r->work, &r->h));
  r->size = r->h = fmax(r->h, 4 * step_floor(r));
  return HML_OK;
}

static void swap(double **a, double **b) {
  double *keep = *a;
  *a = *b;
  *b = keep;
}

static void set_base(run *r, double t, const double *y, const double *f) {
  r->base_age = 0;
  r->closest = 1;
  r->steep = false;
  r->deep = DEEP;
  r->base_t = t;
  memcpy(r->base_y, y, r->problem.n * sizeof *y);
  memcpy(r->base_f, f, r->problem.n * sizeof *f);
}

static void doubt_passage(run *r, double from, double to, size_t worst, double difference) {
  hml_outcome *o = r->problem.outcome;
  bool tight = fmax(r->options.rtol, r->options.atol) <= 100 * TIGHTEST;
  char how[120] = "it could not be followed at tighter tolerances";
  if (isfinite(difference))
    snprintf(how, sizeof how, "behind it %s is off by about %.2g", hml_problem__name(r->problem.ode, worst).text, difference);
  snprintf(o->doubt, sizeof o->doubt, "the motion passes close to a singular place between t = %.10g and t = %.10g, where errors grow: %s; %s", from, to, how,
           r->method->fixed ? "take a smaller step" : tight ? "tolerances this tight leave rounding only; take coordinates that are regular there"
           : "tighten rtol and atol, or take coordinates that are regular there");
}

static hml_status doubt_energy(run *r, const hml_step *way, double off) {
  hml_outcome *o = r->problem.outcome;
  if (off <= r->doubt) return HML_OK;
  r->doubt = off;
  snprintf(o->doubt, sizeof o->doubt, "the motion passes close to a singular place between t = %.10g and t = %.10g, where errors grow and rounding counts: "
           "behind it the energy is off by about %.2g times what the tolerances explain; loosen them, or take coordinates that are regular there",
           way->t, way->t1, off);
  return HML_OK;
}

// Past the zero of a root, where motions that are close together may part
static hml_status check_parting(run *r, const hml_step *way) {
  double factor;
  if (!r->steep || r->problem.outcome->doubt[0]) return HML_OK;
  HML_TRY(hml_lookout__magnifies(r->lookout, way, &factor));
  if (!(factor > HML_MAGNIFIED)) return HML_OK;
  hml_outcome *o = r->problem.outcome;
  char how[60] = "without bound";
  if (isfinite(factor)) snprintf(how, sizeof how, "by a factor of about %.2g", factor);
  snprintf(o->doubt, sizeof o->doubt, "between t = %.10g and t = %.10g the motion comes nearly to rest where a root or a power is zero and motions part: "
           "errors grow %s there; take a force that is smooth there, or a start whose motion stays away", way->t, way->t1, how);
  return HML_OK;
}

// A passage close to a singular place ends at (t, y): were the errors made there magnified? Compared with a fine run from before it
static hml_status check_passage(run *r, double t, const double *y) {
  if ((!(r->closest < CLOSE) && !r->steep) || t == r->base_t) return HML_OK;
  memcpy(r->work, y, r->problem.n * sizeof *y);
  hml_step way = {.t = r->base_t, .t1 = t, .h = t - r->base_t, .y = r->base_y, .f = r->base_f, .y1 = r->work};
  double off, difference, energy;
  size_t worst;
  HML_TRY(check_parting(r, &way));
  HML_TRY(hml_lookout__check(r->lookout, &way, &off, &worst, &difference, &energy));
  if (!r->method->fixed && energy > ENERGY_DOUBTFUL && energy > off) return doubt_energy(r, &way, energy);
  double most = r->method->fixed ? WRONG_FIXED : r->closest < CLOSE ? DOUBTFUL : WRONG;
  if (!(off > most) || off <= r->doubt) return HML_OK;
  r->doubt = off;
  doubt_passage(r, way.t, t, worst, difference);
  return HML_OK;
}

// Steps close to a singular place have to be better than the tolerances ask elsewhere
static void tighten(run *r, double depth) {
  double tolerance = fmax(r->options.rtol, r->options.atol), most = fmax(tolerance / TIGHTEST, 1);
  r->problem.tighter = depth < CLOSE ? fmin(pow(depth, -GROWTH), most) - 1 : 0;
}

// The last point that was clear of singular places, but not for ever
static hml_status keep_base(run *r, const hml_step *s) {
  bool clear = hml_lookout__clear(r->lookout) || ++r->base_age >= (r->closest < CLOSE || r->steep ? MANY : OLD);
  double depth = hml_lookout__depth(r->lookout);
  bool steep = hml_lookout__near_steep(r->lookout);
  hml_lookout__passed(r->lookout, s);
  if (clear) {
    HML_TRY(check_passage(r, s->t, s->y));
    set_base(r, s->t, s->y, s->f);
  }
  r->closest = fmin(r->closest, depth);
  r->steep = r->steep || steep;
  r->depth = depth;
  tighten(r, depth);
  return HML_OK;
}

// The attempt becomes the next point
static hml_status accept(run *r, const hml_step *s, double *row, double moved) {
  memcpy(row, s->y1, r->problem.n * sizeof *row);
  hml_trajectory__commit(r->trajectory, s->t1);
  r->problem.outcome->steps++;
  unsigned order = r->method->order_now ? r->method->order_now(r->state) : present(r)->order;
  // a step cut short by the end or by max_step may grow from the size that was wanted
  double grown = fabs(s->h) * hml_control__factor(present(r), order, s->error, r->previous_error, r->after_rejection);
  r->h = grown > r->h || s->error > 0.5 || r->after_rejection ? grown : r->h;
  r->previous_error = fmax(s->error, 1e-4);
  r->size = fabs(s->h);
  r->after_rejection = false;
  bool anew = r->method->accepted && r->method->accepted(r->state, s, moved);
  if (r->lookout) HML_TRY(keep_base(r, s));
  r->t = s->t1;
  swap(&r->y, &r->y1);
  swap(&r->f, &r->f1);
  return anew && r->t != r->t_end ? choose_first_step(r) : HML_OK;
}

// Keeps the message of a failure that a smaller step may cure, so that it can be told if none does
static void keep_reason(run *r, hml_status status) {
  const hml_error *e = hml_context_error(r->problem.context);
  r->reason.status = status;
  snprintf(r->reason.message, sizeof r->reason.message, "%s", e->status != HML_OK ? e->message : hml_status_what(status));
  hml_forgive(r->problem.context);
}

static void shrink(run *r, const hml_step *s, hml_status status) {
  double factor = 0.25;
  if (status == HML_OK) {
    unsigned order = r->method->order_now ? r->method->order_now(r->state) : present(r)->order;
    factor = hml_control__factor(present(r), order, s->error, r->previous_error, false);
    r->reason.status = HML_OK;
  } else {
    keep_reason(r, status);
  }
  r->h = fabs(s->h) * factor;
  r->after_rejection = true;
  r->problem.outcome->rejected++;
}

// The component that changes most, measured by its tolerance
static size_t fastest(const run *r) {
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

static hml_status collapsed(run *r) {
  hml_context *c = r->problem.context;
  if (r->reason.status != HML_OK && r->reason.status != HML_STEP_COLLAPSED) return hml_fail(c, r->reason.status, "%s", r->reason.message);
  size_t i = fastest(r);
  char what[400];
  if (r->reason.status == HML_OK) snprintf(what, sizeof what, "the step fell to %.3g and still missed the tolerance", r->h);
  else snprintf(what, sizeof what, "%.300s", r->reason.message);
  return hml_fail(c, HML_STEP_COLLAPSED, "%s; %s changes fastest: it is %.6g, its rate %.6g", what, hml_problem__name(r->problem.ode, i).text,
                  r->y[i], r->f[i]);
}

// All points up to here are shown to the guards
static hml_status show(run *r) {
  const hml_guards *g = r->problem.ode->guards;
  size_t points = hml_trajectory_points(r->trajectory);
  if (g && g->look && points > r->looked) HML_TRY(g->look(g->payload, r->trajectory, r->looked, points));
  r->looked = points;
  return HML_OK;
}

// A run that keeps its ends holds the points since the base as well: its end may turn out to lie among them
static hml_status forget(run *r) {
  hml_trajectory *own = r->trajectory;
  size_t points = hml_trajectory_points(own), since = 1;
  if (r->options.keep == HML_KEEP_STEPS || points < r->held) return HML_OK;
  HML_TRY(show(r));
  while (r->lookout && since < MANY && since < points && (hml_trajectory_time(own, points - since) - r->base_t) * r->sign > 0) since++;
  hml_trajectory__forget(own, since);
  r->held = FEW + 2 * since;
  r->looked = hml_trajectory_points(own);
  return HML_OK;
}

// ---- guards

static bool can_cut(const run *r) {
  return !hml_stepper__keeps_history(r->method);
}

// The step from its start to theta, by the method where it can, else from the polynomial; state in cut_y
static hml_status cut_at(run *r, const hml_step *s, const double *piece, double theta, hml_step *cut) {
  *cut = (hml_step){.t = s->t, .y = s->y, .f = s->f, .y1 = r->cut_y, .f1 = r->cut_f};
  cut->t1 = theta == 1 ? s->t1 : s->t + theta * s->h;
  cut->h = cut->t1 - s->t;
  if (can_cut(r) && cut->h != 0) {
    HML_TRY(r->method->attempt(r->state, cut));
    return check_finite(r, cut);
  }
  if (theta == 1)
    memcpy(r->cut_y, s->y1, r->problem.n * sizeof *r->cut_y);
  else
    hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, theta, r->cut_y);
  return HML_OK;
}

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
static hml_status pass_root(run *r, const hml_step *s, const double *piece, size_t i, double theta, hml_step *cut) {
  hml_watch *w = r->watch;
  double value, units = 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h);
  if (!w->guards->passed || !w->guards->passed[i]) return HML_OK;
  for (int k = 0; k < 4 && theta < 1; k++, units *= 2) {
    HML_TRY(hml_watch__value(w, i, cut->t1, r->cut_y, &value));
    if (value * w->posts[i].crossing <= 0) return HML_OK;
    theta = fmin(theta + units, 1);
    HML_TRY(cut_at(r, s, piece, theta, cut));
  }
  return HML_OK;
}

// The cut moved to theta along its slope, where that is as good as a new one: a way so short that its square is rounding, and no longer than
// the tolerance, so that the stages, which stay, serve the dense output
static hml_status move_cut(run *r, const hml_step *s, double theta, hml_step *cut, bool *moved) {
  const size_t n = r->problem.n;
  double t1 = theta == 1 ? s->t1 : s->t + theta * s->h, way = t1 - cut->t1, *change = r->unprojected;
  *moved = false;
  if (!(fabs(way) <= SHORT_WAY * fabs(s->h))) return HML_OK;
  HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, r->cut_y, r->cut_f));
  for (size_t i = 0; i < n; i++) change[i] = way * r->cut_f[i];
  if (!(hml_control__norm(&r->problem, change, r->cut_y, r->cut_y) <= 1)) return HML_OK;
  for (size_t i = 0; i < n; i++) r->cut_y[i] += change[i];
  cut->t1 = t1;
  cut->h = t1 - s->t;
  *moved = true;
  return HML_OK;
}

// The polynomial is less accurate than the step: the root is corrected on cuts of the step itself, with the polynomial's slope
static hml_status refine(run *r, const hml_step *s, const double *piece, double theta, hml_step *cut) {
  hml_watch *w = r->watch;
  bool passive;
  size_t i = first_fired(w, &passive);
  double slope, value, resolution = 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h);
  double most = fmin(1e-3 * theta, 0.1 * w->posts[i].reach / fabs(s->h));
  HML_TRY(cut_at(r, s, piece, theta, cut));
  if (!can_cut(r)) return HML_OK;
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
    HML_TRY(move_cut(r, s, theta, cut, &moved));
    if (!moved) HML_TRY(cut_at(r, s, piece, theta, cut));
  }
  return pass_root(r, s, piece, i, theta, cut);
}

// The polynomial of a cut step of a method with a history: the part of the old one, which stands in the same place
static void cut_polynomial(const run *r, const hml_step *s, const hml_step *cut, double *piece) {
  const size_t n = r->problem.n, count = r->problem.pieces > 3 ? r->problem.pieces - 3 : 0;
  double theta = (cut->t1 - s->t) / s->h;
  hml_condition conditions[3];
  for (size_t k = 0; k < count && k < 3; k++) {
    double at = (double)(k + 1) / (double)(count + 1), *value = r->work + k * r->problem.stride;
    hml_dense__value(n, r->problem.pieces, s->y, piece, at * theta, value);
    conditions[k] = (hml_condition){at, 1, value, false};
  }
  hml_dense__hermite(n, cut, piece);
  if (count && count <= 3) hml_dense__fit(n, cut->y, piece, 3, count, conditions);
}

// A method with a history forgets it where the equations change
static hml_status begin_anew(run *r) {
  if (!can_cut(r)) {
    r->method->destroy(&r->problem, r->state);
    r->state = NULL;
    HML_TRY(r->method->create(&r->problem, &r->state));
  }
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  r->after_rejection = false;
  r->previous_error = 1e-4;
  if (can_cut(r) || r->t == r->t_end) return HML_OK;
  return choose_first_step(r);
}

// The step ends at the cut, whose point is committed
static hml_status commit_cut(run *r, const hml_step *s, hml_step *cut, double *row, double *piece) {
  const size_t n = r->problem.n;
  double moved = 0;
  memcpy(r->y1, cut->y1, n * sizeof *r->y1);
  cut->y1 = r->y1;
  cut->f1 = r->f1;
  HML_TRY(project(r, cut->t1, &moved));
  HML_TRY(check_move(r, cut, moved));
  HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, cut->y1, cut->f1));
  if (r->options.dense && can_cut(r)) HML_TRY(r->method->dense(r->state, cut, piece));
  else if (r->options.dense) cut_polynomial(r, s, cut, piece);
  memcpy(row, cut->y1, n * sizeof *row);
  hml_trajectory__commit(r->trajectory, cut->t1);
  r->problem.outcome->steps++;
  r->t = cut->t1;
  swap(&r->y, &r->y1);
  return HML_OK;
}

// The guards' owner reacts, and the next piece begins with a point of its own. asleep: a guard that was on no root of its own; SIZE_MAX: none
static hml_status begin_piece(run *r, size_t asleep) {
  hml_watch *w = r->watch;
  const size_t n = r->problem.n;
  double wanted = fmin(r->h, PACES * hml_watch__pace(w)), *row, *piece;
  if (r->lookout) HML_TRY(check_passage(r, r->t, r->y));
  HML_TRY(hml_watch__values(w, r->t, r->y, w->residue));
  if (asleep != SIZE_MAX) w->residue[asleep] = 0;
  HML_TRY(w->guards->react(w->guards->payload, r->t, r->y, w->fired, hml_trajectory_points(r->trajectory)));
  if (!w->guards->seamless || !*w->guards->seamless) {
    HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
    memcpy(row, r->y, n * sizeof *row);
    memset(piece, 0, n * r->problem.pieces * sizeof *piece);
    hml_trajectory__commit(r->trajectory, r->t);
  }
  r->h = wanted;
  HML_TRY(begin_anew(r));
  r->h = fmin(r->h, wanted);
  if (r->lookout) {
    hml_lookout__start(r->lookout, r->t, r->y);
    HML_TRY(hml_lookout__unique_start(r->lookout, r->t, r->y, r->f, r->t_end - r->t));
    if (hml_lookout__clear(r->lookout) || r->closest < CLOSE || r->steep) set_base(r, r->t, r->y, r->f);
  }
  return hml_watch__start(w, r->t, r->y, true);
}

static hml_status explained(run *r, hml_status status);

static hml_status end_piece(run *r, const hml_step *s, hml_step *cut, double *row, double *piece) {
  hml_status status = commit_cut(r, s, cut, row, piece);
  if (status != HML_OK) return hml_problem__recoverable(status) ? explained(r, status) : status;
  return begin_piece(r, SIZE_MAX);
}

// The longest step that guards allow, and which of them is on its root at its end
static hml_status cap_step(run *r, size_t *fires) {
  const hml_guards *g = r->problem.ode->guards;
  bool changed = false;
  *fires = SIZE_MAX;
  r->most = INFINITY;
  if (g && g->cap) HML_TRY(g->cap(g->payload, r->t, r->y, r->f, &r->most, fires, &changed));
  return changed ? begin_anew(r) : HML_OK;
}

// What is left until a guard is on its root, along the present slope
static hml_status last_mile(run *r, size_t guard, double *row, double *piece) {
  const size_t n = r->problem.n;
  hml_step s = {.t = r->t, .t1 = r->t + r->sign * r->most, .h = r->sign * r->most, .y = r->y, .f = r->f, .y1 = r->y1, .f1 = r->f};
  for (size_t i = 0; i < n; i++) r->y1[i] = r->y[i] + s.h * r->f[i];
  memset(piece, 0, n * r->problem.pieces * sizeof *piece);
  hml_dense__hermite(n, &s, piece);
  memcpy(row, r->y1, n * sizeof *row);
  hml_trajectory__commit(r->trajectory, s.t1);
  r->problem.outcome->steps++;
  r->t = s.t1;
  swap(&r->y, &r->y1);
  memset(r->watch->fired, 0, r->watch->guards->n * sizeof *r->watch->fired);
  r->watch->fired[guard] = true;
  return begin_piece(r, guard);
}

// A step that led where guards allow none is made again, shorter
static hml_status refused(run *r, const hml_step *s, bool *again) {
  const hml_guards *g = r->problem.ode->guards;
  size_t guard = SIZE_MAX;
  if (g && g->refuses) HML_TRY(g->refuses(g->payload, s->t1, s->y1, &guard));
  *again = guard != SIZE_MAX;
  if (!*again) return HML_OK;
  r->h = 0.25 * fabs(s->h);
  r->after_rejection = true;
  r->problem.outcome->rejected++;
  if (!r->method->fixed) return HML_OK;
  return hml_fail(r->problem.context, HML_UNSUPPORTED, "steps of one size cannot follow the end of a slip in two directions; use method = \"dop853\"");
}

// May there be more on the step than the method has seen? Only the coefficients of a series tell
static bool unbounded(run *r, const hml_step *s) {
  return !present(r)->blind || r->method->blind(r->state, s);
}

// A step over which a force may come and go is made again, shorter
static void look_between(run *r, const hml_step *s, bool *again) {
  double too_long = r->method->fixed ? 0 : hml_tube__stretch(r->tube, s, unbounded(r, s));
  *again = too_long > 1 && fabs(s->h) > 8 * step_floor(r);
  if (!*again) return;
  r->h = fabs(s->h) * fmax(0.9 / too_long, 0.1);
  r->problem.outcome->rejected++;
}

// The largest way from the start, and the largest velocities
static void grow_way(run *r, const hml_step *s) {
  hml_missed way = hml_lookout__apart(r->lookout, s->y1, r->start_y);
  r->way.positions = fmax(r->way.positions, way.positions);
  r->way.velocities = fmax(r->way.velocities, way.velocities);
  memset(r->work, 0, r->problem.n * sizeof *r->work);
  r->way.velocities = fmax(r->way.velocities, hml_lookout__apart(r->lookout, s->y1, r->work).velocities);
}

// Steps of one size of which one in so many is compared
static size_t stride_of(const run *r) {
  return (size_t)(fabs(r->t_end - r->t_start) / r->options.step) / SAMPLED + 1;
}

// Steps of one size are kept; some of them, and those over which a force may come and go, are compared with a fine run
static hml_status check_between(run *r, const hml_step *s) {
  if (!r->method->fixed || !r->lookout) return HML_OK;
  hml_missed now;
  grow_way(r, s);
  const size_t stride = stride_of(r);
  bool sampled = r->made++ % stride == 0, sharp = r->tube && r->compared < MOST_COMPARED && hml_tube__stretch(r->tube, s, true) > LIKELY;
  if (!sampled && !sharp) return HML_OK;
  r->compared += sharp;
  HML_TRY(hml_lookout__missed(r->lookout, s, &now));
  if (sampled) r->sum.positions += (double)stride * now.positions, r->sum.velocities += (double)stride * now.velocities;
  if (sharp && now.positions > r->missed.positions) r->missed.positions = now.positions, r->missed_from = s->t;
  if (sharp && now.velocities > r->missed.velocities) r->missed.velocities = now.velocities, r->missed_from = s->t;
  return HML_OK;
}

static double part_of_way(const run *r, hml_missed of) {
  return fmax(of.positions / (r->way.positions + DBL_MIN), of.velocities / (r->way.velocities + DBL_MIN));
}

// Against the whole motion, so that a start from rest and its first small steps are no matter
static void doubt_steps(run *r) {
  hml_outcome *o = r->problem.outcome;
  double one = part_of_way(r, r->missed), all = fmax(part_of_way(r, r->sum), one);
  o->step_errors = all;
  if (!(all > MISSED) || o->doubt[0]) return;
  if (one > MISSED)
    snprintf(o->doubt, sizeof o->doubt, "a force comes or goes within the step from t = %.10g, which is too long to follow it: the step is off by %.2g of "
             "the motion; take a smaller step", r->missed_from, one);
  else
    snprintf(o->doubt, sizeof o->doubt, "the errors of the steps of %g add up to about %.2g of the motion; take a smaller step", r->options.step, all);
}

static hml_status meet_guards(run *r, hml_step *s, double *row, double *piece, double moved) {
  hml_watch *w = r->watch;
  for (;;) {
    bool found, passive;
    double theta;
    HML_TRY(hml_watch__search(w, s, piece, &theta, &found));
    if (!found) return accept(r, s, row, moved);
    hml_step cut;
    HML_TRY(refine(r, s, piece, theta, &cut));
    first_fired(w, &passive);
    if (!passive) {
      HML_TRY(hml_watch__join(w, s, piece, theta, cut.t1, r->cut_y));
      return end_piece(r, s, &cut, row, piece);
    }
    HML_TRY(w->guards->react(w->guards->payload, cut.t1, r->cut_y, w->fired, hml_trajectory_points(r->trajectory)));
  }
}

// ---- singular places

// Distance of two states, or slopes, in units of the tolerance
static double apart(run *r, const double *a, const double *b) {
  for (size_t i = 0; i < r->problem.ode->n_controlled; i++) r->unprojected[i] = a[i] - b[i];
  return hml_control__norm(&r->problem, r->unprojected, a, b) / (1 + r->problem.tighter);
}

// How far the step up to t is from the fine run, its slope included; infinite where one of them does not get there
static hml_status compare(run *r, const hml_step *s, const double *piece, const hml_finding *found, double t, hml_step *cut, double *value, double *slope) {
  double *fine = r->work, *f = fine + r->problem.stride, *f_fine = f + r->problem.stride;
  *value = *slope = INFINITY;
  hml_status status = cut_at(r, s, piece, (t - s->t) / s->h, cut);
  // what is kept is projected, and next to a singular place the projection may be what goes wrong
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
static double end_of(const run *r, const hml_finding *found) {
  double last = hml_trajectory_time(found->fine, hml_trajectory_points(found->fine) - 1);
  return (found->t - last) * r->sign < 0 ? found->t : last;
}

// In units of the tolerance: what is that far from the fine run is not kept
static double wrong(const run *r) {
  return r->method->fixed ? WRONG_FIXED : WRONG;
}

// What is right of the step before the barrier becomes the last point: up to where step and fine run part, since errors grow without bound there.
// Steps of one size are kept whole or not at all: nothing tells how wrong the last one is inside
static hml_status end_before(run *r, const hml_step *s, double *row, double *piece, const hml_finding *found) {
  if (r->method->fixed || (!can_cut(r) && !r->options.dense)) return HML_OK;
  double end = end_of(r, found), way = (end - s->t1) * r->sign > 0 ? s->h : end - s->t, value, slope, usual, usual_slope;
  hml_step cut;
  if (way * r->sign <= 0) return HML_OK;                                   // it ends before the step begins
  HML_TRY(compare(r, s, piece, found, s->t + 0.5 * way, &cut, &usual, &usual_slope));
  for (double part = 1e-9; part < 0.9; part *= 10) {
    HML_TRY(compare(r, s, piece, found, s->t + (1 - part) * way, &cut, &value, &slope));
    if (!(value <= fmin(10 * fmax(usual, 1), wrong(r)) && slope <= 1e2 * fmax(usual_slope, 1))) continue;
    hml_status status = commit_cut(r, s, &cut, row, piece);
    if (status == HML_OK || !hml_problem__recoverable(status)) return status;
    HML_TRY(hml_forgiven(r->problem.context));
  }
  return HML_OK;
}

// Points behind which the fine run from `base` says otherwise are dropped
static hml_status drop_wrong_points(run *r, const hml_finding *found) {
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

// A guard whose root is the barrier knows more about it
static hml_status ask_guards(run *r, const hml_step *s, const hml_finding *found) {
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

static hml_status stop_at(run *r, const hml_step *s, hml_finding *found) {
  hml_status status = ask_guards(r, s, found);
  if (status == HML_OK || hml_problem__recoverable(status)) {
    HML_TRY(hml_forgiven(r->problem.context));
    status = hml_fail(r->problem.context, found->why.status, "%s", found->why.message);
  }
  r->stopped = found->t;
  return status;
}

// A series does not see that the formula changes: its step ends behind the place
static hml_status step_to(run *r, hml_step *s, double *piece, double *moved, double t) {
  double behind = t + r->sign * (1e-10 * fabs(s->h) + 4 * DBL_EPSILON * fabs(t));
  if ((s->t1 - behind) * r->sign <= 0 || (behind - s->t) * r->sign <= 2e-10 * fabs(s->h)) return HML_OK;
  bool alarm;
  double too_long;
  s->t1 = behind;
  s->h = s->t1 - s->t;
  HML_TRY(attempt(r, s, piece, moved));
  return hml_lookout__look(r->lookout, s, NULL, HML_AT_POINTS, &alarm, &too_long);
}

static hml_status explain(run *r, const hml_step *present_step, double *row, double *piece);

// A step that begins near a singular place may be too short to show it: the way since the last clear point is examined, once for each
// hundredth that is left
static hml_status sound(run *r, const hml_step *s, double *row, double *piece) {
  double depth = hml_lookout__depth(r->lookout);
  if (depth >= r->deep) return HML_OK;
  r->deep = 0.01 * depth;
  return explain(r, s, row, piece);
}

static hml_status make_shorter(run *r, const hml_step *s, double too_long) {
  r->h = fabs(s->h) * fmax(0.9 / too_long, 0.01);
  r->problem.outcome->rejected++;
  return HML_OK;
}

// Steps of one size are kept wherever their projection leads; one that leads away from the motion is examined
static bool projected_far(run *r, const hml_step *s, double moved) {
  return r->method->fixed && moved > FAR && moved > FAR_PART * way_of(r, s);
}

// again: the step is too long to be looked at and has to be made once more
static hml_status look_out(run *r, hml_step *s, double *row, double *piece, double *moved, bool *again) {
  double too_long;
  bool alarm, series = present(r)->slope != NULL, stages = can_cut(r) && !r->problem.ode->discrete;
  hml_looks looks = series ? HML_AT_POINTS : stages ? HML_AT_STAGES : HML_IN_MIDDLE;
  HML_TRY(hml_lookout__look(r->lookout, s, NULL, looks, &alarm, &too_long));
  *again = too_long > 1 && !r->method->fixed && fabs(s->h) > 8 * step_floor(r);
  if (*again) return make_shorter(r, s, too_long);
  HML_TRY(hml_lookout__unique(r->lookout, s));
  if (!alarm && !projected_far(r, s, *moved)) return sound(r, s, row, piece);
  hml_finding found;
  HML_TRY(hml_lookout__examine(r->lookout, s, &found));
  r->steep = r->steep || found.steep;
  if (found.kind == HML_CORNER && series) return step_to(r, s, piece, moved, found.t);
  // a place may be too deep inside a long step to be followed there
  *again = found.kind == HML_LOST && found.stuck && !r->method->fixed && fabs(s->h) > LEAST_PART * fabs(r->t_end - r->t);
  if (*again) return make_shorter(r, s, 2);
  // what cannot be told so near the place can from farther away, and steps of one size go astray before they are there
  if ((found.kind == HML_LOST && r->base_t != s->t) || (found.kind == HML_CLEAR && found.strayed && r->method->fixed)) return explain(r, s, row, piece);
  if (found.kind != HML_BARRIER) return sound(r, s, row, piece);
  if (r->base_t != s->t) {
    // the run may have gone astray before this step: from the last clear point
    hml_trajectory_free(found.fine);
    HML_TRY(explain(r, s, row, piece));
    HML_TRY(hml_lookout__examine(r->lookout, s, &found));
    if (found.kind != HML_BARRIER) return HML_OK;
  }
  hml_status status = end_before(r, s, row, piece, &found);
  if (status == HML_OK) status = stop_at(r, s, &found);
  hml_trajectory_free(found.fine);
  return status;
}

// The run cannot go on: is a singular place the reason? From the last point before the difficulties to a little behind this one.
// present_step: the one that is about to count, what is right of it still does; NULL: none.                              HML_OK: no
static hml_status explain(run *r, const hml_step *present_step, double *row, double *piece) {
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

static hml_status explained(run *r, hml_status status) {
  hml_error kept = *hml_context_error(r->problem.context);
  HML_TRY(hml_forgiven(r->problem.context));
  HML_TRY(explain(r, NULL, NULL, NULL));
  return kept.status != HML_OK ? hml_fail(r->problem.context, kept.status, "%s", kept.message) : status;
}

// A method that knows its next step is heard before the first attempt
static hml_status ask_method(run *r) {
  if (!r->method->propose) return HML_OK;
  hml_step s = {.t = r->t, .y = r->y, .f = r->f};
  double size = 0;
  HML_TRY(r->method->propose(r->state, &s, &size));
  if (!(size > 0) || (r->options.first_step > 0 && r->problem.outcome->steps == 0)) return HML_OK;
  // coefficients without a trace of what lies ahead would allow any step
  double most = fmax(r->h, HML_MOST_GROWTH * r->size);
  r->h = fmax(fmin(size, most), 4 * step_floor(r));
  return HML_OK;
}

static hml_status advance(run *r) {
  double *row, *piece, moved = 0;
  HML_TRY(forget(r));
  HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
  r->reason.status = HML_OK;
  size_t fires;
  HML_TRY(ask_method(r));
  HML_TRY(cap_step(r, &fires));
  if (fires != SIZE_MAX && r->most <= fabs(r->t_end - r->t)) return last_mile(r, fires, row, piece);
  for (;;) {
    hml_step s = {.y = r->y, .f = r->f, .y1 = r->y1, .f1 = r->f1};
    bool again = false;
    choose_step(r, &s);
    hml_status status = attempt(r, &s, piece, &moved);
    if (status == HML_OK && s.error <= 1) {
      HML_TRY(refused(r, &s, &again));
      if (r->h < step_floor(r)) return explained(r, collapsed(r));
      if (!again) look_between(r, &s, &again);
      if (!again && r->lookout) HML_TRY(look_out(r, &s, row, piece, &moved, &again));
      if (again) continue;
      HML_TRY(check_between(r, &s));
      return r->watch ? meet_guards(r, &s, row, piece, moved) : accept(r, &s, row, moved);
    }
    if (status != HML_OK && !hml_problem__recoverable(status)) return status;
    if (hml_must_end(r->problem.context)) return hml_context_error(r->problem.context)->status;
    if (status != HML_OK && r->method->fixed) return explained(r, status);
    shrink(r, &s, status);
    if (r->h < step_floor(r)) return explained(r, collapsed(r));
  }
}

// A run that crawls: a window of steps advanced 1e-4 of the best window so far and the rest would take 1e7 steps at this
// rate. So a slide along a discontinuity, or a point where the equations end, stops the run instead of stalling it. Short steps that lead
// towards a singular place or away from it are a passage.
static hml_status check_crawl(run *r) {
  size_t steps = r->problem.outcome->steps;
  if (steps == 0 || steps % CRAWL_WINDOW != 0) return HML_OK;
  double progress = fabs(r->t - r->window_start), rest = fabs(r->t_end - r->t);
  bool passes = r->problem.tighter > 0 && fabs(log(r->depth / r->window_depth)) > PASSES;
  r->window_depth = r->depth;
  if (!passes && progress < 1e-4 * r->best_progress && rest > 1e7 / CRAWL_WINDOW * progress) {
    HML_TRY(explain(r, NULL, NULL, NULL));
    return hml_fail(r->problem.context, HML_STEP_COLLAPSED, "the last %d steps advanced only %.3g; %s changes fastest: it is %.6g, its rate %.6g",
                    CRAWL_WINDOW, progress, hml_problem__name(r->problem.ode, fastest(r)).text, r->y[fastest(r)], r->f[fastest(r)]);
  }
  r->best_progress = fmax(r->best_progress, progress);
  r->window_start = r->t;
  return HML_OK;
}

static void tell_progress(run *r) {
  if (!r->options.progress || r->problem.outcome->steps % LOOKS != 0) return;
  double now = seconds_now();
  if (now < r->next_word) return;
  r->next_word = now + BETWEEN_WORDS;
  r->options.progress(r->options.progress_payload, r->t);
}

static hml_status start_lookout(run *r) {
  if (!r->lookout) return HML_OK;
  // margins of the start, which guards may have left behind
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  hml_lookout__start(r->lookout, r->t, r->y);
  set_base(r, r->t, r->y, r->f);
  return hml_lookout__unique_start(r->lookout, r->t, r->y, r->f, r->t_end - r->t);
}

static hml_status march(run *r) {
  hml_context *c = r->problem.context;
  if (r->t == r->t_end) return HML_OK;
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  HML_TRY(choose_first_step(r));
  if (r->watch) HML_TRY(hml_watch__start(r->watch, r->t, r->y, false));
  HML_TRY(start_lookout(r));
  while (r->t != r->t_end) {
    HML_TRY(hml_check_interrupt(c));
    if (r->options.max_steps > 0 && r->problem.outcome->steps >= r->options.max_steps)
      return hml_fail(c, HML_TOO_MANY_STEPS, "%zu steps were made, the end is t = %.15g", r->options.max_steps, r->t_end);
    HML_TRY(advance(r));
    if (hml_must_end(c)) return hml_context_error(c)->status;
    HML_TRY(check_crawl(r));
    tell_progress(r);
  }
  doubt_steps(r);
  return r->lookout ? check_passage(r, r->t, r->y) : HML_OK;
}

// ---- a whole run

static hml_status open_run(run *r, const double *y0) {
  hml_problem *p = &r->problem;
  hml_trajectory *onto = r->options.onto;
  if (onto) HML_TRY(hml_trajectory__fits(p->context, onto, p->n, r->options.dense ? p->pieces : 0, r->t, y0));
  r->trajectory = onto;
  if (!onto) HML_TRY(hml_trajectory__new(p->context, p->n, r->options.dense ? p->pieces : 0, &r->trajectory));
  r->memory = hml_problem__vectors(p, VECTORS);
  if (!r->memory) return HML_MEMORY;
  double **const vectors[] = {&r->y, &r->f, &r->y1, &r->f1, &r->unprojected, &r->cut_y, &r->cut_f, &r->base_y, &r->base_f, &r->start_y, &r->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = r->memory + i * p->stride;
  memcpy(r->y, y0, p->n * sizeof *y0);
  memcpy(r->start_y, y0, p->n * sizeof *y0);
  if (!onto) {
    double *row, *piece;
    HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
    memcpy(row, y0, p->n * sizeof *y0);
    hml_trajectory__commit(r->trajectory, r->t);
  }
  if (p->ode->guards && p->ode->guards->n) HML_TRY(hml_watch__open(p, p->ode->guards, &r->watch));
  if (p->ode->watched) HML_TRY(hml_lookout__open(p, p->ode->watched, &r->lookout));
  if (p->ode->watched) HML_TRY(hml_tube__open(p, p->ode->watched, &r->tube));
  return r->method->create(p, &r->state);
}

static void close_run(run *r) {
  hml_watch__close(r->watch);
  hml_lookout__close(r->lookout);
  hml_tube__close(r->tube);
  if (r->state) r->method->destroy(&r->problem, r->state);
  hml_problem__free_vectors(&r->problem, r->memory, VECTORS);
}

static void tell(run *r, hml_status status) {
  hml_outcome *o = r->problem.outcome;
  const hml_error *e = hml_context_error(r->problem.context);
  if (hml_must_end(r->problem.context)) status = e->status;
  o->status = status;
  o->t = isfinite(r->stopped) ? r->stopped : r->t;
  if (status == HML_OK) {
    snprintf(o->message, sizeof o->message, "reached t = %.15g in %zu steps", r->t, o->steps);
    return;
  }
  char kept[80] = "";
  if (fabs(o->t - r->t) > 1e-9 * fabs(o->t)) snprintf(kept, sizeof kept, "; values are kept up to t = %.10g", r->t);
  snprintf(o->message, sizeof o->message, "stopped at t = %.15g: %.860s%s", o->t, e->status != HML_OK ? e->message : hml_status_what(status), kept);
}

hml_status hml_integrate(hml_context *c, const hml_ode *ode, const hml_run_options *options, double t0, double t1,
                         const double *y0, hml_trajectory **out, hml_outcome *outcome) {
  double start = seconds_now();
  size_t stride = (ode->n + HML_BLOCK - 1) / HML_BLOCK * HML_BLOCK;
  run r = {.options = options ? *options : hml_run_options_default(), .t = t0, .t_start = t0, .t_end = t1, .previous_error = 1e-4, .window_start = t0, .stopped = NAN, .most = INFINITY, .closest = 1, .depth = 1, .window_depth = 1};
  r.sign = t1 < t0 ? -1 : 1;
  r.next_word = start + FIRST_WORD;
  *out = NULL;
  *outcome = (hml_outcome){.t = t0};
  hml_context_clear_error(c);
  HML_TRY(check_options(c, &r.options));
  HML_TRY(check_problem(c, ode, t0, t1, y0));
  HML_TRY(hml_stepper__choose(c, r.options.method, &r.method));
  if (r.method->fixed && !(r.options.step > 0 && isfinite(r.options.step)))
    return hml_fail(c, HML_ARGUMENT, "run: method '%s' makes steps of one size: give step > 0", r.method->name);
  if (r.method->fixed && !(fabs(t1 - t0) / r.options.step < 1e15))
    return hml_fail(c, HML_ARGUMENT, "run: a step of %g makes %g steps to t = %g; take a larger one", r.options.step, fabs(t1 - t0) / r.options.step, t1);
  if (ode->guards && ode->guards->n) r.options.dense = 1;
  r.problem = (hml_problem){c, ode, ode->n, stride, r.method->pieces, r.options.rtol, r.options.atol, outcome, 0};
  if (r.method->pieces_of) r.problem.pieces = r.method->pieces_of(&r.problem);
  hml_status status = open_run(&r, y0);
  bool opened = status == HML_OK;
  if (opened) status = march(&r);
  if (status == HML_OK && outcome->status == HML_OK) status = show(&r);
  close_run(&r);
  tell(&r, status);
  if (r.trajectory && r.options.keep != HML_KEEP_STEPS) hml_trajectory__forget(r.trajectory, 1);
  outcome->seconds = seconds_now() - start;
  // what was kept before memory ended stays
  if (!opened && (status == HML_MEMORY || !r.trajectory)) {
    if (!r.options.onto) hml_trajectory_free(r.trajectory);
    return status;
  }
  hml_context_clear_error(c);
  *out = r.trajectory;
  return HML_OK;
}
