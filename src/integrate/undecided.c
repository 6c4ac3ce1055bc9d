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

#include "integrate/compared.h"

#include <float.h>
#include <math.h>

#define EVER 0.1                       // share of these at the beginning: errors that do not add up,
#define EVER_COMPARED 0.3              // or that are largest there
#define SLOW (1.0 / 32)                // of the error of a function: a smaller change over a step does not pass through zero
#define SHORTEST 0x1p-36               // part of a step
#define STEP_OF_STATES 0x1p-10         // of the errors: differences of states for differences of a function with jumps
#define AT_LEAP 64                     // units that the time resolves: from where the sides of a leap are seen
#define LEAPS 0.25                     // of the difference farther away: a larger difference close to a root is a leap
#define LONGEST_LEAP 0x1p-10           // part of a step
#define LARGE_CHANGE 0.02              // of the size of values: within the error of a pole they change by more
#define NO_CHANGE 1e-10                // of that size
#define SHRINKS 0.8                    // ratio of changes by half the errors to those by the errors, at most
#define SHRINKS_LESS 6.0               // one over that ratio, at most
#define CLEARLY_LOWER 1e-3             // of the best value
#define LEAST_SHARE 0x1p-12            // of the errors, for a state at which a function with a hole has a value
enum { MOST_LOOKS = 4000, HALVINGS = 9 };

double hml_accuracy__part(double step_errors, bool not_compared) {
  return not_compared ? fmax(step_errors, HML_MISSED) : step_errors;
}

// Of steps of one size, whose errors have nothing to do with the tolerances: those that were measured, in the sizes by which they were, and those of the
// second run
static void measured_errors(const hml_accuracy *a, size_t n, double units, double way, const double *sizes, double *errors) {
  const double part = HML_ERRORS_PARTS * a->part * fmin(fmax(way, EVER_COMPARED), 1);
  const double rtol = fmin(a->rtol, HML_COMPARED_TIGHT), atol = fmin(a->atol, HML_COMPARED_TIGHT);
  double largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, sizes[i]);
  for (size_t i = 0; i < n; i++) {
    const double noise = HML_OWN_TOLERANCES * (a->atol + a->rtol * largest);
    errors[i] = units * (atol + rtol * sizes[i]) + part * (2 * sizes[i] + HML_LEAST_SIZE * 2 * largest + noise / HML_MISSED);
  }
}

void hml_undecided__errors(const hml_accuracy *a, size_t n, size_t steps, double way, const double *sizes, double *errors) {
  const double k = (double)steps, units = fmin(HML_ERRORS_EARLY * k, HML_ERRORS_MOST) + HML_ERRORS_LATE * k, part = HML_ERRORS_PARTS * a->part * fmin(fmax(way, EVER), 1);
  if (a->compared) {
    measured_errors(a, n, units, way, sizes, errors);
    return;
  }
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

// ---- jumps and holes of a function whose values are wanted
//
// Where its argument passes through zero, the motion passes through the jump or the hole, and holes.c tells how the function goes on both sides. Where the
// argument comes to zero, and errors decide whether it reaches it, the value is decided only if it is about the same for all states as near as the errors.

static bool is_continuous(const hml_doubt *d, double m, double r) {
  hml_range out;
  return hml_traced__range_off(d->traced, d->program, d->step, d->piece, m, r, d->errors, &out) == HML_RANGE_CONTINUOUS;
}

// Are the differences of values those of a function without jump and pole: about proportional to the errors, or small and proportional to a power of them
// from about 1/2 to 2? Or are all of the values clearly less than the largest one known, where that is wanted?
static bool is_harmless(const hml_doubt *d, const hml_use *use, double theta) {
  double before = 0;
  bool small = true, linear = true, smooth = true, lower = use->sign != 0;
  for (int k = 0; k < HALVINGS && (smooth || lower); k++) {
    hml_range values;
    const double change = hml_traced__change_on(d->traced, d->program, d->step, d->piece, theta, ldexp(1, -k), LEAST_SHARE, d->errors, &values);
    const double most = use->sign > 0 ? values.high : -values.low, room = use->sign * use->best - most;
    lower = lower && room > CLEARLY_LOWER * fabs(use->best);
    small = small && change <= LARGE_CHANGE * use->size;
    if (k && !(fmax(before, change) <= NO_CHANGE * use->size)) {
      smooth = smooth && change <= SHRINKS * before && before <= SHRINKS_LESS * change;
      linear = linear && before >= 1.5 * change && before <= 3 * change;
    }
    smooth = smooth && (small || linear);
    before = change;
  }
  return smooth || lower;
}

static bool may_be_zero(const hml_doubt *argument, double theta) {
  const hml_guard_near at = hml_guard__near(argument->guard, argument->step, argument->piece, theta, 0, false);
  return at.wide_kind == HML_RANGE_UNDEFINED || holds_zero(at.wide);
}

// False: it may break from a to b, as far as one argument goes, near *k->where. *open: that is not known
static bool argument_decided(search *k, const hml_doubt *argument, const hml_use *use, double a, double b, bool *open) {
  const hml_doubt *d = k->of;
  double where;
  search of = {argument, k->looks, &where};
  const bool decided = part(&of, a, b);
  k->looks = of.looks;
  if (decided) return true;
  const double at[] = {where, a, b};
  if (is_continuous(d, where, 0)) *open = true;
  else
    for (int i = 0; i < 3; i++)
      if (may_be_zero(argument, at[i]) && !is_harmless(d, use, at[i])) return *k->where = at[i], false;
  return true;
}

static bool whole(search *k, const hml_use *use, double a, double b) {
  const hml_doubt *d = k->of;
  const double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 4 * DBL_EPSILON);
  bool open = false;
  *k->where = m;
  if (is_continuous(d, m, r)) return true;
  if (++k->looks > MOST_LOOKS) return false;
  for (size_t i = 0; i < hml_jumps__count(d->jumps); i++) {
    const hml_doubt of = {.traced = hml_jumps__traced(d->jumps), .program = hml_jumps__program(d->jumps, i), .guard = hml_jumps__guard(d->jumps, i),
                          .step = d->step, .piece = d->piece, .errors = d->errors};
    if (!argument_decided(k, &of, use, a, b, &open)) return false;
  }
  if (!open) return true;
  return b - a > SHORTEST && whole(k, use, a, m) && whole(k, use, m, b);
}

bool hml_undecided__breaks(const hml_doubt *d, const hml_use *use, double a, double b, double *where) {
  search k = {d, 0, where};
  return !whole(&k, use, a, b);
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
