// undecided.c: where a function of a motion comes to zero, and does not pass through it, within the error of the run.
//
// A function that touches zero, or passes close by, has two roots, one, or none, as the errors of the run will have it; one that is zero throughout has
// any number. Its roots are decided where it is clear of zero for all states as near as the errors, or passes through zero so fast that within a step no
// error keeps up with it. The step is halved into parts until one of both is seen by ranges, or a point where neither holds.
//
// A jump hides how fast its argument passes zero. The argument is a function of its own: where it comes to zero and does not pass, errors decide whether the
// function jumps there and back.
//
// The error of a run is not known, only what it allows its steps. Errors of steps add up, those of smooth motions about evenly: at the beginning up to 8
// tolerances a step, at most 1000 and one for each 8 steps. Where motions part exponentially, errors are larger than that.
#include "integrate/undecided.h"

#include <float.h>
#include <math.h>

#define EVER 0.1                       // share of these at the beginning: errors that do not add up
#define SLOW (1.0 / 32)                // of the error of a function: a smaller change over a step does not pass through zero
#define SHORTEST 0x1p-36               // part of a step
#define STEP_OF_STATES 0x1p-10         // of the errors: differences of states for differences of a function with jumps
#define AT_LEAP 64                     // units that the time resolves: from where the sides of a leap are seen
#define LEAPS 0.25                     // of the difference farther away: a larger difference close to a root is a leap
#define LONGEST_LEAP 0x1p-10           // part of a step
enum { MOST_LOOKS = 4000 };

double hml_accuracy__part(double step_errors, bool not_compared) {
  return not_compared ? fmax(step_errors, HML_MISSED) : step_errors;
}

void hml_undecided__errors(const hml_accuracy *a, size_t n, size_t steps, double way, const double *sizes, double *errors) {
  const double k = (double)steps, units = fmin(HML_ERRORS_EARLY * k, HML_ERRORS_MOST) + HML_ERRORS_LATE * k, part = HML_ERRORS_PARTS * a->part * fmin(fmax(way, EVER), 1);
  for (size_t i = 0; i < n; i++) errors[i] = units * (a->atol + a->rtol * sizes[i]) + part * sizes[i];
}

static bool holds_zero(hml_range a) {
  return !(a.low > 0 || a.high < 0);
}

static double least_size(hml_range a) {
  return holds_zero(a) ? 0 : fmin(fabs(a.low), fabs(a.high));
}

static double value_on(const hml_doubt *d, double theta) {
  return hml_traced__value_on(d->traced, d->program, d->step, d->piece, theta);
}

// Error of the function at theta where ranges hold jumps or holes beside it: by differences, on the side without them
static double error_beside(const hml_doubt *d, double theta) {
  return hml_traced__error_on(d->traced, d->program, d->step, d->piece, theta, STEP_OF_STATES, d->errors);
}

// Zero but for the errors, and slow
static bool lingers_at(const hml_doubt *d, double theta) {
  const hml_guard_near at = hml_guard__near(d->guard, d->step, d->piece, theta, 0, true);
  double error = 0.5 * (at.wide.high - at.wide.low);
  if (at.wide_kind == HML_RANGE_UNDEFINED || !holds_zero(at.wide)) return false;
  if (at.wide_kind == HML_RANGE_JUMPS) {
    error = error_beside(d, theta);
    if (!(fabs(value_on(d, theta)) <= error)) return false;
  }
  // on a jump, to rounding: its argument is judged by itself
  if (at.kind == HML_RANGE_JUMPS) return !hml_jumps__count(d->jumps);
  return at.has_rates && least_size(at.rates) <= SLOW * error;
}

// Two ends of a part too short to be halved, where the values are zero but for the errors: do they come back there?
static bool turns_between(const hml_doubt *d, double a, double b) {
  const double apart = b - a, before = value_on(d, a) - value_on(d, fmax(a - apart, 0)), after = value_on(d, fmin(b + apart, 1)) - value_on(d, b);
  return !(before * after > 0);
}

typedef struct search {
  const hml_doubt *of;
  unsigned looks;
  double *where;
} search;

static bool part(search *k, double a, double b);

// Do the arguments of its jumps pass through zero wherever they come to it? One that does not counts where the function may be zero: *open
static bool jumps_decided(search *k, double a, double b, bool *open) {
  const hml_doubt *d = k->of;
  double where;
  *open = false;
  for (size_t i = 0; i < hml_jumps__count(d->jumps); i++) {
    const hml_doubt of = {.traced = hml_jumps__traced(d->jumps), .program = hml_jumps__program(d->jumps, i), .guard = hml_jumps__guard(d->jumps, i),
                          .step = d->step, .piece = d->piece, .errors = d->errors};
    search argument = {&of, k->looks, &where};
    const bool decided = part(&argument, a, b);
    k->looks = argument.looks;
    if (decided) continue;
    const hml_guard_near at = hml_guard__near(d->guard, d->step, d->piece, where, 0, false);
    *open = at.wide_kind != HML_RANGE_UNDEFINED && holds_zero(at.wide);
    if (*open) *k->where = where;
    return false;
  }
  return true;
}

// False: undecided
static bool part(search *k, double a, double b) {
  const hml_doubt *d = k->of;
  const double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 4 * DBL_EPSILON);
  *k->where = m;
  if (++k->looks > MOST_LOOKS) return false;
  const hml_guard_near on = hml_guard__near(d->guard, d->step, d->piece, m, r, true);
  if (on.wide_kind != HML_RANGE_UNDEFINED && !holds_zero(on.wide)) return true;
  const bool jumps = on.wide_kind == HML_RANGE_JUMPS || on.kind == HML_RANGE_JUMPS;
  bool open = false, fine = false;
  if (on.kind == HML_RANGE_CONTINUOUS) {
    const bool odd = on.wide_kind != HML_RANGE_CONTINUOUS;                 // a jump or a hole is near
    const double error = odd ? 4 * error_beside(d, m) : fmax(on.values.low - on.wide.low, on.wide.high - on.values.high);
    fine = (odd && least_size(on.values) > error) || (on.has_rates && least_size(on.rates) > SLOW * error);
  }
  if (fine && (!jumps || jumps_decided(k, a, b, &open))) return true;
  if (open) return false;
  if (lingers_at(d, m)) return false;
  if (b - a <= SHORTEST) {
    if (on.wide_kind == HML_RANGE_UNDEFINED || on.kind == HML_RANGE_UNDEFINED) return true;      // a hole, whose sides are another matter
    if (jumps && !jumps_decided(k, a, b, &open)) return false;
    if (on.kind != HML_RANGE_JUMPS) return !turns_between(d, a, b);
    if (lingers_at(d, a) || lingers_at(d, b)) return false;
    // formulas that may jump, and do not
    const bool near = fabs(value_on(d, a)) <= error_beside(d, a) && fabs(value_on(d, b)) <= error_beside(d, b);
    return !near || !turns_between(d, a, b);
  }
  return part(k, a, m) && part(k, m, b);
}

bool hml_undecided__on_part(const hml_doubt *d, double a, double b, double *where) {
  search k = {d, 0, where};
  return !part(&k, a, b);
}

static bool jumps_at(const hml_doubt *d, double theta) {
  hml_range values;
  return hml_traced__range(d->traced, d->program, d->step, d->piece, theta, 0, &values) == HML_RANGE_JUMPS;
}

bool hml_undecided__leaps(const hml_doubt *d, double theta) {
  const hml_step *s = d->step;
  double near = AT_LEAP * DBL_EPSILON * (fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h) + 1);
  hml_range values;
  if (hml_traced__range(d->traced, d->program, s, d->piece, theta, near, &values) != HML_RANGE_JUMPS) return false;
  // an argument that passes slowly is zero to rounding for longer
  while (near < LONGEST_LEAP && (jumps_at(d, theta - near) || jumps_at(d, theta + near))) near *= 2;
  const double far = fmin(AT_LEAP * near, 2 * LONGEST_LEAP);
  return fabs(value_on(d, theta + near) - value_on(d, theta - near)) > LEAPS * fabs(value_on(d, theta + far) - value_on(d, theta - far));
}

bool hml_undecided__at(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors, bool *zero) {
  hml_range value, exact;
  *zero = hml_traced__range_at(f, p, t, y, &exact) != HML_RANGE_UNDEFINED && holds_zero(exact);
  return hml_traced__range_off_at(f, p, t, y, errors, &value) == HML_RANGE_CONTINUOUS && holds_zero(value);
}

bool hml_undecided__clear(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors) {
  hml_range value;
  return hml_traced__range_off_at(f, p, t, y, errors, &value) == HML_RANGE_UNDEFINED || !holds_zero(value);
}
