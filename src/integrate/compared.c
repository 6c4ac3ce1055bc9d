// compared.c: a run with steps of one size is judged by a second run: an adaptive method of high order at tight tolerances, which as a rule takes
// a small part of its time. So the errors of all steps count as they grow along the motion, those that each step makes by itself (between.c) and
// those of the phase, which no integral of motion shows.
//
// Where both differ, a third run at the tightest tolerances decides. Where this one differs from the second, no run in doubles follows the motion.
//
// A run that chooses its steps is judged in the same way where it has left a state at which it nearly rested (near_rest.h).
#include "integrate/compared.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { SAMPLES = 400, PART = 5000, WINDOW = 9, SPARE_STEPS = 20000, STEPS_EACH = 2, ADAPTIVE_EACH = 20 };   // PART: own steps; EACH: of the second run for one of the first
#define TIGHTEST 3e-14                 // of the third one, where the first two differ,
#define TIGHTER_THAN 1e-11             // runs with such tolerances are compared with the third one first
#define LOOSER 1e-9                    // and where the second one stopped
#define MOMENT 0.05                    // of the samples: so few are off where a fast part of the motion is early or late
#define SHIFT 2                        // steps: by so much an impact may be earlier or later
#define LINEAR 0.1                     // of the motion: up to here errors go with the power of the step
#define AIM 0.3                        // of HML_MISSED: error of the step that is advised

typedef struct course {                // one comparison
  const hml_compared *c;
  const hml_trajectory *run;
  const double *start;                 // of the run
  size_t n, rows, count;               // positions and velocities; room for samples, those taken
  double *memory, *size, *noise, *z, *y, *apart;   // sizes of the motion; largest values; states; samples: differences (rows x n)
  double *times, *first;               // of the samples; the samples of the comparison before
  double scale;                        // of the absolute tolerance of the further runs: the largest number of the motion, or 1
  size_t bytes;
  hml_outcome outcome;                 // of the second run
  size_t steps, own_steps;             // it made; of the run, if it chooses its steps; else 0
  bool measured;                       // the errors of the run
} course;

typedef struct verdict {
  double off, from;                    // part of the motion; time from which it is more than HML_MISSED
} verdict;

static double span_of(const hml_trajectory *r) {
  return hml_trajectory_time(r, hml_trajectory_points(r) - 1) - hml_trajectory_time(r, 0);
}

static size_t parts_of(const hml_compared *c, const hml_trajectory *r) {
  return c->jumps || !(c->options->step > 0) ? 1 : 1 + (size_t)(fabs(span_of(r)) / c->options->step / PART);
}

// The largest number of a motion that is smaller than 1: without it, 1e-12 is no tight tolerance for lengths in metres of a motion of nanometres. Of many
// stored points some are looked at
static double scale_of(const course *k) {
  const size_t points = hml_trajectory_points(k->run), marks = hml_trajectory_marks(k->run), stride = points / SAMPLES + 1;
  double most = 0;
  for (size_t i = 0; i < k->n; i++) {
    for (size_t p = 0; p < points; p += stride) most = fmax(most, fabs(hml_trajectory_state(k->run, p)[i]));
    for (size_t p = 0; p < marks; p++) most = fmax(most, fabs(hml_trajectory_mark(k->run, p)[i]));
    most = fmax(most, fabs(hml_trajectory_state(k->run, points - 1)[i]));
  }
  return most > 0 && most < 1 ? most : 1;
}

static hml_status open_course(course *k) {
  const size_t parts = parts_of(k->c, k->run), state = hml_trajectory_size(k->run);
  k->n = k->c->sizes.kin + k->c->sizes.dyn;
  k->rows = parts * (SAMPLES / parts + 2);
  k->bytes = (2 * k->n + 2 * state + k->rows * (2 * k->n + 1)) * sizeof(double);
  k->memory = hml_alloc(k->c->context, k->bytes);
  if (!k->memory) return HML_MEMORY;
  k->size = k->memory;
  k->noise = k->size + k->n;
  k->z = k->noise + k->n;
  k->y = k->z + state;
  k->times = k->y + state;
  k->apart = k->times + k->rows;
  k->first = k->apart + k->rows * k->n;
  k->scale = scale_of(k);
  return HML_OK;
}

static void close_course(course *k) {
  if (!k->memory) return;
  hml_dealloc(k->c->context, k->memory, k->bytes);
}

// ---- one part of the way

static void grow_sizes(course *k, const double *y) {
  const double *y0 = k->start;
  const size_t kin = k->c->sizes.kin;
  for (size_t i = 0; i < k->n; i++) {
    k->size[i] = fmax(k->size[i], fabs(i < kin ? y[i] - y0[i] : y[i]));
    k->noise[i] = fmax(k->noise[i], fabs(y[i]));
  }
}

static void take_nearer(const course *k, const double *own, const double *other, double *apart) {
  for (size_t i = k->c->sizes.kin; i < k->n; i++)
    if (fabs(own[i] - other[i]) < fabs(apart[i])) apart[i] = own[i] - other[i];
}

// Where velocities jump, the nearest of those round t: of states at even distances, and of all points of the other run, which has points on both
// sides of each of its jumps
static hml_status nearest_velocities(course *k, const hml_trajectory *other, double t, const double *own, double *apart) {
  const size_t points = hml_trajectory_points(other);
  const double first = hml_trajectory_time(other, 0), last = hml_trajectory_time(other, points - 1), sign = last < first ? -1 : 1;
  const double h = sign * k->c->options->step * SHIFT;
  for (int j = 0; j < WINDOW; j++) {
    double at = t + h * (2.0 * j / (WINDOW - 1) - 1);
    if (at < fmin(first, last) || at > fmax(first, last)) continue;
    HML_TRY(hml_trajectory_at(other, at, k->y));
    take_nearer(k, own, k->y, apart);
  }
  for (size_t p = hml_trajectory_point_at(other, t - h); p < points && (hml_trajectory_time(other, p) - t - h) * sign <= 0; p++)
    take_nearer(k, own, hml_trajectory_state(other, p), apart);
  return HML_OK;
}

static hml_status compare_at(course *k, const hml_trajectory *other, double t, const double *own) {
  if (k->count == k->rows) return HML_OK;
  double *apart = k->apart + k->count * k->n;
  HML_TRY(hml_trajectory_at(other, t, k->y));
  grow_sizes(k, own);
  for (size_t i = 0; i < k->n; i++) apart[i] = own[i] - k->y[i];
  if (k->c->jumps) HML_TRY(nearest_velocities(k, other, t, own, apart));
  k->times[k->count++] = t;
  return HML_OK;
}

// The stored points of the run behind t up to t1, or some of them, the last one, and the marks of a run that stores its ends
static hml_status compare_part(course *k, const hml_trajectory *other, double t, double t1) {
  const size_t points = hml_trajectory_points(k->run), each = k->rows / parts_of(k->c, k->run) - 1;
  size_t first = hml_trajectory_point_at(k->run, t), last = hml_trajectory_point_at(k->run, t1);
  const double sign = t1 < t ? -1 : 1;
  if (last >= points) last = points - 1;
  // the run may have kept its ends alone, both at rest at the same place
  for (size_t p = 0; p < hml_trajectory_points(other); p++) grow_sizes(k, hml_trajectory_state(other, p));
  if (last > 0 && (hml_trajectory_time(k->run, last) - t1) * sign > 0) last--;
  const size_t stride = (last > first ? last - first : 0) / each + 1;
  for (size_t i = last; (hml_trajectory_time(k->run, i) - t) * sign > 0; i -= stride) {
    HML_TRY(compare_at(k, other, hml_trajectory_time(k->run, i), hml_trajectory_state(k->run, i)));
    if (i <= stride) break;
  }
  for (size_t i = 0; i < hml_trajectory_marks(k->run); i++) {
    const double at = hml_trajectory_mark_time(k->run, i);
    if ((at - t) * sign > 0 && (t1 - at) * sign >= 0) HML_TRY(compare_at(k, other, at, hml_trajectory_mark(k->run, i)));
  }
  return HML_OK;
}

hml_run_options hml_compared__options(const hml_run_options *of, double span) {
  hml_run_options o = hml_run_options_default();
  o.rtol = o.atol = HML_COMPARED_TIGHT;
  o.max_steps = SPARE_STEPS + (of->step > 0 ? STEPS_EACH * (size_t)(fabs(span) / of->step) : 0);
  o.project = of->project;
  o.bare = 1;
  return o;
}

static hml_run_options options_of(const course *k, double tolerance) {
  hml_run_options o = hml_compared__options(k->c->options, span_of(k->run));
  o.rtol = tolerance;
  o.atol = tolerance * k->scale;
  o.max_steps += ADAPTIVE_EACH * k->own_steps;
  o.max_steps = o.max_steps > k->steps ? o.max_steps - k->steps : 1;
  return o;
}

static hml_status go_part(course *k, double tolerance, double t, double t1) {
  const hml_run_options o = options_of(k, tolerance);
  hml_trajectory *other = NULL;
  hml_status status = k->c->again(k->c->payload, &o, t, t1, k->z, &other, &k->outcome);
  if (status != HML_OK && status != HML_MEMORY && status != HML_INTERRUPTED) {
    k->outcome.status = status;
    snprintf(k->outcome.message, sizeof k->outcome.message, "%s", hml_context_error(k->c->context)->message);
    status = hml_forgiven(k->c->context);
  }
  k->steps += k->outcome.steps;
  if (status == HML_OK && k->outcome.status == HML_OK) status = compare_part(k, other, t, t1);
  if (status == HML_OK && k->outcome.status == HML_OK)
    memcpy(k->z, hml_trajectory_state(other, hml_trajectory_points(other) - 1), hml_trajectory_size(other) * sizeof *k->z);
  hml_trajectory_free(other);
  return status;
}

// All of the way, or until it stops: k->outcome
static hml_status follow(course *k, double tolerance) {
  const size_t parts = parts_of(k->c, k->run), state = hml_trajectory_size(k->run);
  const double t0 = hml_trajectory_time(k->run, 0), t1 = hml_trajectory_time(k->run, hml_trajectory_points(k->run) - 1);
  k->count = k->steps = 0;
  memset(k->size, 0, 2 * k->n * sizeof *k->size);
  memcpy(k->z, hml_trajectory_state(k->run, 0), state * sizeof *k->z);
  double t = t0;
  for (size_t i = 1; i <= parts; i++) {
    double to = i == parts ? t1 : t0 + (double)i / (double)parts * (t1 - t0);
    HML_TRY(go_part(k, tolerance, t, to));
    if (k->outcome.status == HML_INTERRUPTED || k->outcome.status == HML_CALLBACK || k->outcome.status == HML_MEMORY) return k->outcome.status;
    if (k->outcome.status != HML_OK) return HML_OK;
    t = to;
  }
  return HML_OK;
}

// ---- the verdict

// Errors below this never count. Steps of one size have no absolute tolerance, and the default one is a length in the user's unit: below the digits of the
// largest numbers nothing counts there, and of a state at rest nothing below the tolerances
static double noise_of(const course *k, size_t i, bool rests, double most) {
  const hml_run_options *o = k->c->options;
  const bool fixed = o->step > 0;
  return HML_OWN_TOLERANCES * ((fixed && !rests ? 0 : o->atol) + o->rtol * (fixed ? most : k->noise[i]));
}

static void finish_sizes(course *k) {
  const size_t kin = k->c->sizes.kin;
  double largest[2] = {0, 0}, most[2] = {0, 0};
  for (size_t i = 0; i < k->n; i++) {
    largest[i >= kin] = fmax(largest[i >= kin], k->size[i]);
    most[i >= kin] = fmax(most[i >= kin], k->noise[i]);
  }
  const bool rests = largest[0] <= HML_OWN_TOLERANCES * k->c->options->rtol * most[0];
  for (size_t i = 0; i < k->n; i++)
    k->size[i] = fmax(k->size[i], HML_LEAST_SIZE * largest[i >= kin]) + noise_of(k, i, rests, most[i >= kin]) / HML_MISSED + DBL_MIN;
}

static verdict judge_samples(course *k) {
  verdict v = {0, INFINITY};
  finish_sizes(k);
  for (size_t j = 0; j < k->count; j++)
    for (size_t i = 0; i < k->n; i++) {
      double part = fabs(k->apart[j * k->n + i]) / k->size[i];
      v.off = fmax(v.off, part);
      if (part > HML_MISSED) v.from = fmin(v.from, fabs(k->times[j] - hml_trajectory_time(k->run, 0)));
    }
  return v;
}

// The share of the samples behind time t that are off; 1 where the last one is. Where the motion has a fast part, as of links that come in line, an error of its
// instant is large for a moment only
static double off_behind(const course *k, double t) {
  const double t0 = hml_trajectory_time(k->run, 0);
  size_t behind = 0, off = 0;
  for (size_t j = 0; j < k->count; j++) {
    bool is = false;
    if (fabs(k->times[j] - t0) < fabs(t - t0)) continue;
    for (size_t i = 0; i < k->n; i++) is |= fabs(k->apart[j * k->n + i]) / k->size[i] > HML_MISSED;
    behind++;
    off += is;
    if (is && j + 1 == k->count) return 1;
  }
  return behind > 0 ? (double)off / (double)behind : 1;
}

hml_status hml_compared__off(const hml_compared *c, size_t count, size_t state, const double *start, const double *own, const double *other, double *off) {
  course k = {.c = c, .start = start, .n = c->sizes.kin + c->sizes.dyn};
  k.size = hml_alloc(c->context, (2 * k.n + 1) * sizeof *k.size);
  if (!k.size) return HML_MEMORY;
  k.noise = k.size + k.n;
  memset(k.size, 0, 2 * k.n * sizeof *k.size);
  for (size_t j = 0; j < count; j++) {
    grow_sizes(&k, own + j * state);
    grow_sizes(&k, other + j * state);
  }
  finish_sizes(&k);
  *off = 0;
  for (size_t j = 0; j < count; j++)
    for (size_t i = 0; i < k.n; i++) {
      const double part = fabs(own[j * state + i] - other[j * state + i]) / k.size[i];
      *off = fmax(*off, isnan(part) ? INFINITY : part);
    }
  hml_dealloc(c->context, k.size, (2 * k.n + 1) * sizeof *k.size);
  return HML_OK;
}

double hml_compared__step_off(const hml_compared *c, const double *y, const double *own, const double *other) {
  double off[2] = {0, 0}, way[2] = {DBL_MIN, DBL_MIN}, most[2] = {0, 0};
  const size_t n = c->sizes.kin + c->sizes.dyn;
  bool rests = true;
  for (size_t i = 0; i < n; i++) most[i >= c->sizes.kin] = fmax(most[i >= c->sizes.kin], fabs(own[i]));
  for (size_t i = 0; i < c->sizes.kin; i++) rests &= fabs(own[i] - y[i]) <= HML_OWN_TOLERANCES * c->options->rtol * most[0];
  for (size_t i = 0; i < n; i++) {
    const bool velocity = i >= c->sizes.kin;
    const double noise = HML_OWN_TOLERANCES * ((rests ? c->options->atol : 0) + c->options->rtol * most[velocity]), apart = fabs(own[i] - other[i]);
    way[velocity] = fmax(way[velocity], fmax(fabs(own[i] - y[i]), velocity ? fabs(own[i]) : 0));
    if (!(apart <= noise)) off[velocity] = fmax(off[velocity], isnan(apart) ? INFINITY : apart);
  }
  return fmax(off[0] / way[0], off[1] / way[1]);
}

// How far two of the further runs are from each other. Where velocities jump, those of different instants were compared, and the positions tell
static double parted(const course *k) {
  const size_t n = k->c->jumps ? k->c->sizes.kin : k->n;
  double most = 0;
  for (size_t j = 0; j < k->count; j++)
    for (size_t i = 0; i < n; i++) most = fmax(most, fabs(k->apart[j * k->n + i] - k->first[j * k->n + i]) / k->size[i]);
  return most;
}

// A step that makes the error small, as long as it goes with a power of it
static void put_advice(const hml_compared *c, double off, unsigned order, size_t size, char *out) {
  if (off > LINEAR) snprintf(out, size, "take a smaller step, or a method that chooses its steps, as dop853 does");
  else snprintf(out, size, "take a step of %.2g, or a method that chooses its steps, as dop853 does", c->options->step * pow(AIM * HML_MISSED / off, 1.0 / order));
}

static void doubt(course *k, const verdict *v, double apart, hml_outcome *o) {
  const hml_stepper *method;
  char advice[160];
  if (hml_stepper__choose(k->c->context, k->c->options->method, &method) != HML_OK) return;
  put_advice(k->c, v->off, method->order, sizeof advice, advice);
  const double t0 = hml_trajectory_time(k->run, 0), from = span_of(k->run) < 0 ? t0 - v->from : t0 + v->from;
  if (apart > HML_MISSED)
    snprintf(o->doubt, sizeof o->doubt, "errors grow along this motion beyond what doubles can follow: at t = %.6g the steps of %g are off by more than %g of the motion, "
             "and even runs with tolerances of %g and %g are up to %.2g of it apart; end the run earlier, or take only means from it", from, k->c->options->step, HML_MISSED,
             HML_COMPARED_TIGHT, TIGHTEST, apart);
  else
    snprintf(o->doubt, sizeof o->doubt, "the errors of the steps of %g grow to about %.2g of the motion, by comparison with a run at tight tolerances: they are more "
             "than %g %s t = %.6g; %s", k->c->options->step, v->off, HML_MISSED, k->count > 1 ? "behind" : "at", from, advice);
}

static void doubt_end(const course *k, hml_outcome *o) {
  snprintf(o->doubt, sizeof o->doubt, "a run of the same motion by dop853 at tight tolerances does not get to its end: %.200s", k->outcome.message);
}

static bool gives_up(const course *k) {
  return k->outcome.status == HML_TOO_MANY_STEPS;
}

static hml_status compare(course *k, hml_outcome *o) {
  HML_TRY(follow(k, HML_COMPARED_TIGHT));
  o->not_compared = gives_up(k);
  if (gives_up(k)) return HML_OK;
  const bool tight = k->outcome.status == HML_OK;
  if (!tight) {
    HML_TRY(follow(k, LOOSER));
    o->not_compared = gives_up(k);
    if (gives_up(k)) return HML_OK;
    if (k->outcome.status != HML_OK && !o->doubt[0]) doubt_end(k, o);
    if (k->outcome.status != HML_OK) return HML_OK;
  }
  verdict v = judge_samples(k);
  k->measured = true;
  o->compared = tight && !k->c->jumps;
  o->step_errors = v.off;
  if (!(v.off > HML_MISSED)) return HML_OK;
  memcpy(k->first, k->apart, k->count * k->n * sizeof *k->apart);
  HML_TRY(follow(k, TIGHTEST));
  double apart = 0;
  if (k->outcome.status == HML_OK) {
    v = judge_samples(k);
    apart = parted(k);
  }
  o->step_errors = v.off;
  if (v.off > HML_MISSED && !o->doubt[0]) doubt(k, &v, apart, o);
  return HML_OK;
}

// What each step leaves by itself (between.c), where there is nothing to compare with
static void doubt_sum(const hml_compared *c, hml_outcome *o) {
  if (!(o->step_errors > HML_MISSED) || o->doubt[0]) return;
  snprintf(o->doubt, sizeof o->doubt, "the errors of the steps of %g add up to about %.2g of the motion; take a smaller step", c->options->step, o->step_errors);
}

// Without memory nothing is measured; errors raised by functions of the user are those of the run
static void tell(const course *k, hml_status status, hml_outcome *o) {
  hml_context_clear_error(k->c->context);
  if (status != HML_INTERRUPTED && status != HML_CALLBACK) return;
  o->status = status;
  snprintf(o->message, sizeof o->message, "reached t = %.15g; then, while the errors of its steps were measured: %.800s", o->t, k->outcome.message);
}

// A run that chooses its steps, and is slow on the way, as where it passes a state of rest
static hml_status compare_passage(course *k, hml_outcome *o) {
  const bool tight = k->c->options->rtol <= TIGHTER_THAN;
  verdict v = {0};
  double apart = 0;
  k->own_steps = o->steps;
  HML_TRY(follow(k, tight ? TIGHTEST : HML_COMPARED_TIGHT));
  if (k->outcome.status != HML_OK) return HML_OK;
  v = judge_samples(k);
  if (!(v.off > HML_MISSED) || off_behind(k, o->left_rest) < MOMENT) return HML_OK;
  memcpy(k->first, k->apart, k->count * k->n * sizeof *k->apart);
  HML_TRY(follow(k, tight ? HML_COMPARED_TIGHT : TIGHTEST));
  if (k->outcome.status == HML_OK) {
    if (!tight) v = judge_samples(k);
    apart = parted(k);
  }
  if (!(v.off > HML_MISSED) || o->doubt[0]) return HML_OK;
  snprintf(o->doubt, sizeof o->doubt, "before t = %.6g the motion is slow, as where it passes an unstable state of rest or the far end of an orbit, and errors of the run decide how it goes on: it is off by up to "
           "%.2g of the motion behind that, by comparison with a run at tight tolerances; %s", o->left_rest, v.off, apart > HML_MISSED ? "even such runs part there: end the run before, or take a start a little off" : "take a smaller rtol and atol");
  return HML_OK;
}

// Steps of one size, or a run that passes a state of rest?
static bool is_judged(const hml_compared *c, const hml_stepper *method, const hml_outcome *o) {
  return method->fixed ? !method->over_impacts : !c->jumps && !isnan(o->left_rest);
}

void hml_compared__judge(const hml_compared *c, const hml_trajectory *run, hml_outcome *outcome) {
  const hml_stepper *method;
  // where velocities jump, the second run would meet the event that ended this one a little earlier or later
  const bool ended = outcome->status == HML_OK || (outcome->status == HML_EVENT && !c->jumps);
  if (!run || !ended || c->options->rest != 0 || c->options->bare || hml_stepper__choose(c->context, c->options->method, &method) != HML_OK) return;
  if (!is_judged(c, method, outcome) || hml_trajectory_points(run) < 2 || span_of(run) == 0) return;
  course k = {.c = c, .run = run, .start = hml_trajectory_state(run, 0)};
  hml_status status = open_course(&k);
  if (status == HML_OK) status = (method->fixed ? compare : compare_passage)(&k, outcome);
  close_course(&k);
  tell(&k, status, outcome);
  if (method->fixed && !k.measured) doubt_sum(c, outcome);
}
