// readings.c: what is read off each run of an ensemble on its way: roots of functions by the rule of event.c, with the states there, largest values,
// at the ends of the steps and where their rates vanish, and means.
#include "integrate/readings.h"
#include "integrate/highest.h"
#include "integrate/holes.h"
#include "integrate/quadrature.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LARGE 1e300                    // stands for an infinite value
#define HOLE 0x1p-38                   // radius of a part of a step that is not told from a hole
enum { ROUNDINGS = 8, AT_HOLE = 64, MANY_PARTS = 800 };    // of the terms of a sum; a root within so many widths of a hole lies in it; of a step

typedef struct hole {                  // of the function of a root
  size_t root;
  double t, reach;
} hole;

struct hml_readings {
  hml_context *context;
  const hml_readings_spec *spec;
  hml_problem problem;
  hml_guards guards;
  hml_watch *watch;
  hml_traced *traced;
  hml_jumps **jumps;                   // of the functions whose roots must be decided, and of those of values, with their holes; NULL: of none  (all)
  hml_branches **branches;             // of the functions of means, and of largest values that are searched; NULL: of none  (all)
  double share;                        // of the terms of sums, to which values are known at best
  const double *constants;             // of the present run
  double sign;
  bool ended;                          // a root that ends the run was met
  bool doubtful;                       // a function may have holes in the present run, or a root is not decided
  const hml_trajectory *run;           // finished; NULL: on its way
  const hml_step *step;                // that is searched, and its polynomial; NULL: none
  const double *piece;
  double *errors, *sizes;              // of the components: errors so far, largest values    (n)
  double *doubt, *clear;               // times of each function: where its roots are not decided, INFINITY: nowhere; before, it was clear of zero   (n_roots)
  double *first, *last;                // times of its first root, INFINITY: none, and of the last one; NAN   (n_roots)
  bool *on_root;                       // it starts on its root, with the next step           (n_roots)
  bool *sure;                          // they are decided on the next step                   (n_roots)
  bool *turns;                         // it ends the run, or a largest value lies there      (n_roots)
  bool *may_jump;                      // the function is not continuous everywhere           (n_roots)
  bool *at_end;                        // the run ends at an event, and at a root of the function (n_roots)
  bool *settled;                       // all that are wanted are decided                     (n_roots)
  size_t *counts;                      // (n_roots)
  double *peaks;                       // (n_peaks)
  double *means;                       // (n_means)
  double *found;                       // entries of 2 + n numbers
  size_t n_found, capacity;            // entries
  double *y;                           // state at a root                                  (n)
  hml_guard_formula *formulas;         // (n_roots)
  const hml_guard_formula **formula;
  uint32_t *place;                     // of the inputs of the programs
  signed char *direction;
  bool *passive;                       // all true
  bool *holed;                         // functions that may have holes                    (n_roots + n_peaks + n_means)
  bool *breaks;                        // functions of values that may jump, or have holes         (n_roots + n_peaks + n_means)
  bool *refused;                       // and that have no reading in the present run
  double *limits;                      // of means: largest limit at a hole; -1: there is none   (n_means)
  hole *holes;                         // at which roots do not count
  size_t n_holes, holes_capacity;
  void *memory;
  size_t size;
};

static size_t count_all(const hml_readings_spec *s) {
  return s->n_roots + s->n_peaks + s->n_means;
}

#define READINGS_FIELDS(FIELD)                                    \
  FIELD(size_t, counts, s->n_roots)                               \
  FIELD(double, peaks, s->n_peaks)                                \
  FIELD(double, means, s->n_means)                                \
  FIELD(double, limits, s->n_means)                               \
  FIELD(double, y, n)                                             \
  FIELD(double, errors, n)                                        \
  FIELD(double, sizes, n)                                         \
  FIELD(double, doubt, s->n_roots)                                \
  FIELD(double, clear, s->n_roots)                                \
  FIELD(double, first, s->n_roots)                                \
  FIELD(double, last, s->n_roots)                                 \
  FIELD(bool, on_root, s->n_roots)                                \
  FIELD(bool, sure, s->n_roots)                                   \
  FIELD(bool, turns, s->n_roots)                                  \
  FIELD(bool, may_jump, s->n_roots)                               \
  FIELD(bool, at_end, s->n_roots)                                 \
  FIELD(bool, settled, s->n_roots)                                \
  FIELD(hml_jumps *, jumps, count_all(s))                         \
  FIELD(hml_branches *, branches, count_all(s))                   \
  FIELD(hml_guard_formula, formulas, s->n_roots)                  \
  FIELD(const hml_guard_formula *, formula, s->n_roots)           \
  FIELD(uint32_t, place, 1 + s->states + s->n_constants)          \
  FIELD(signed char, direction, s->n_roots)                       \
  FIELD(bool, passive, s->n_roots)                                \
  FIELD(bool, holed, count_all(s))                                \
  FIELD(bool, breaks, count_all(s))                               \
  FIELD(bool, refused, count_all(s))

static size_t lay_out(hml_readings *r, size_t n, char *block) {
  const hml_readings_spec *s = r->spec;
  size_t at = 0;
#define FIELD(type, name, count)                     \
  if (block) r->name = (type *)(void *)(block + at); \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  READINGS_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

// The step that arrives at point i of a finished run; the states are only read
static hml_step step_to(const hml_trajectory *run, size_t i) {
  const double t = hml_trajectory_time(run, i - 1), t1 = hml_trajectory_time(run, i);
  return (hml_step){.t = t, .t1 = t1, .h = t1 - t, .y = (double *)hml_trajectory_state(run, i - 1), .y1 = (double *)hml_trajectory_state(run, i)};
}

static double value_of(hml_readings *r, size_t program, double t, const double *y) {
  return hml_traced__value(r->traced, r->spec->programs[program], t, y);
}

// Where a function has a hole, its sides count, not what rounding makes of it there
static bool is_hole(hml_readings *r, size_t program, double t, const double *y) {
  hml_range out;
  return hml_traced__range_at(r->traced, r->spec->programs[program], t, y, &out) == HML_RANGE_UNDEFINED;
}

static hml_status values(void *payload, double t, const double *y, double *out) {
  hml_readings *r = payload;
  for (size_t i = 0; i < r->spec->n_roots; i++) {
    out[i] = 0;
    if (r->direction[i] == HML_ASLEEP) continue;
    out[i] = value_of(r, i, t, y);
    if (isfinite(out[i])) continue;
    // roots lie where the sign changes, and those in a hole do not count
    if (isinf(out[i]) || is_hole(r, i, t, y)) {
      out[i] = isinf(out[i]) ? copysign(LARGE, out[i]) : 0;
      continue;
    }
    r->watch->culprit = i, r->watch->culprit_time = t;
    return hml_fail(r->context, HML_NOT_FINITE, "a function whose roots are looked for is %s at t = %.15g", hml_problem__oddity(out[i]), t);
  }
  return HML_OK;
}

// Of values that are no numbers the largest is none either
void hml_readings__peak(hml_readings *r, size_t peak, double value) {
  double *best = r->peaks + peak, sign = r->spec->signs[peak];
  if (isnan(value) || sign * value > sign * *best) *best = value;
}

static void peak_at(hml_readings *r, size_t k, double t, const double *y) {
  const size_t program = r->spec->n_roots + k;
  const double value = value_of(r, program, t, y);
  if (!isfinite(value) && r->holed[program] && is_hole(r, program, t, y)) r->doubtful = true;
  else hml_readings__peak(r, k, value);
}

static void all_peaks(hml_readings *r, double t, const double *y) {
  for (size_t k = 0; k < r->spec->n_peaks; k++) peak_at(r, k, t, y);
}

// ---- refusals

static hml_status append(hml_readings *r, double head, double t, const double *y) {
  const size_t n = r->problem.n, each = 2 + n;
  if (r->n_found == r->capacity) {
    const size_t more = 2 * r->capacity + 16;
    double *larger = hml_realloc(r->context, r->found, r->capacity * each * sizeof *larger, more * each * sizeof *larger);
    if (!larger) return HML_MEMORY;
    r->found = larger;
    r->capacity = more;
  }
  double *entry = r->found + r->n_found++ * each;
  entry[0] = head;
  entry[1] = t;
  memcpy(entry + 2, y, n * sizeof *y);
  return HML_OK;
}

// Roots of a rate are looked for as long as a largest value needs them
static void drop_peak(hml_readings *r, size_t k) {
  const hml_readings_spec *s = r->spec;
  bool needed = s->turns[k] == s->n_roots;
  r->peaks[k] = NAN;
  for (size_t i = 0; i < s->n_peaks; i++) needed |= s->turns[i] == s->turns[k] && !r->refused[s->n_roots + i];
  if (!needed) r->direction[s->turns[k]] = HML_ASLEEP;
}

// Why a reading is refused: as much as the place of its entry differs, in numbers of all programs
typedef enum refusal { NO_VALUE, NOT_FOUND, NOT_DECIDED } refusal;

static refusal refusal_of(hml_status status) {
  return status == HML_LIMIT ? NOT_FOUND : NO_VALUE;
}

// The reading of a function has no value, at (t, y). Its first refusal counts
static hml_status refuse(hml_readings *r, size_t program, refusal why, double t, const double *y) {
  const hml_readings_spec *s = r->spec;
  if (r->refused[program]) return HML_OK;
  r->refused[program] = true;
  if (program < s->n_roots) r->direction[program] = HML_ASLEEP;
  else if (program < s->n_roots + s->n_peaks) drop_peak(r, program - s->n_roots);
  else r->means[program - s->n_roots - s->n_peaks] = NAN;
  return append(r, -1.0 - (double)program - (double)why * (double)count_all(s), t, y);
}

// ---- holes

typedef struct on_step {
  hml_readings *r;
  size_t program;
  const hml_step *step;
  const double *piece;
  double terms;                        // of sums, the largest so far
  unsigned parts;                      // of the step that were looked at so far
} on_step;

// Is the argument of a jump of that function zero there, but for the errors? Where it is so for a while, no shorter step tells its sign
static bool is_on_jump(const hml_readings *r, size_t program, double t, const double *y) {
  const hml_jumps *jumps = r->jumps[program];
  bool zero;
  for (size_t i = 0; i < hml_jumps__count(jumps); i++)
    if (hml_undecided__at(hml_jumps__traced(jumps), hml_jumps__program(jumps, i), t, y, r->errors, &zero)) return true;
  return false;
}

static hml_status refuse_on(const on_step *o, hml_status why, double theta) {
  hml_readings *r = o->r;
  const double t = o->step->t + theta * o->step->h;
  hml_dense__value(r->problem.n, r->problem.pieces, o->step->y, o->piece, theta, r->y);
  return refuse(r, o->program, why == HML_LIMIT && is_on_jump(r, o->program, t, r->y) ? NOT_DECIDED : refusal_of(why), t, r->y);
}

// Largest or least values: limits are values that the function comes to, and it may grow to the other side
static bool take_sides(const on_step *o, size_t k, const hml_hole *h) {
  const hml_side_kind bad = o->r->spec->signs[k] > 0 ? HML_SIDE_RISES : HML_SIDE_FALLS;
  for (int side = 0; side < 2; side++) {
    if (h->kind[side] == bad || h->kind[side] == HML_SIDE_OPEN) return false;
    if (h->kind[side] == HML_SIDE_FINITE) hml_readings__peak(o->r, k, h->limit[side]);
  }
  return true;
}

// Roots: a function with no sign next to the hole may vanish there, and one that jumps over zero may be said to
static bool has_no_root(const hml_hole *h) {
  bool finite = h->kind[0] == HML_SIDE_FINITE || h->kind[1] == HML_SIDE_FINITE, same = h->kind[0] == h->kind[1] && h->limit[0] * h->limit[1] > 0;
  const double least = 1e-9;
  if (h->kind[0] == HML_SIDE_OPEN || h->kind[1] == HML_SIDE_OPEN) return false;
  return !finite || (same && fmin(fabs(h->limit[0]), fabs(h->limit[1])) > least);
}

static hml_status keep_hole(hml_readings *r, size_t root, double t, double reach) {
  if (r->n_holes == r->holes_capacity) {
    const size_t more = 2 * r->holes_capacity + 16;
    hole *larger = hml_realloc(r->context, r->holes, r->holes_capacity * sizeof *larger, more * sizeof *larger);
    if (!larger) return HML_MEMORY;
    r->holes = larger;
    r->holes_capacity = more;
  }
  r->holes[r->n_holes++] = (hole){root, t, reach};
  return HML_OK;
}

static hml_status on_hole(void *payload, const hml_hole *h) {
  const on_step *o = payload;
  hml_readings *r = o->r;
  const hml_readings_spec *s = r->spec;
  const size_t program = o->program, first_mean = s->n_roots + s->n_peaks;
  const double h_time = fabs(o->step->h);
  bool fine;
  if (program < s->n_roots) {
    fine = has_no_root(h);
    if (fine) HML_TRY(keep_hole(r, program, o->step->t + h->theta * o->step->h, AT_HOLE * (h->reach * h_time + DBL_EPSILON * fabs(o->step->t1))));
  } else if (program < first_mean) {
    fine = take_sides(o, program - s->n_roots, h);
  } else {
    double *limit = r->limits + program - first_mean;
    fine = true;
    *limit = fmax(*limit, 0);
    for (int side = 0; side < 2; side++) {
      fine &= h->kind[side] == HML_SIDE_UNSEEN || h->kind[side] == HML_SIDE_FINITE;
      if (h->kind[side] == HML_SIDE_FINITE) *limit = fmax(*limit, fabs(h->limit[side]));
    }
  }
  return fine ? HML_OK : refuse_on(o, HML_NOT_FINITE, h->theta);
}

static bool is_turn(const hml_readings_spec *s, size_t root) {
  bool turn = s->ends && s->ends[root];
  for (size_t k = 0; k < s->n_peaks; k++) turn |= s->turns[k] == root;
  return turn;
}

// Which functions may have holes, whatever the motion: rates belong to largest values, whose holes count. Which may jump
static void find_holed(hml_readings *r) {
  const hml_readings_spec *s = r->spec;
  hml_range out;
  for (size_t i = 0; i < count_all(s); i++) {
    const hml_range_kind kind = hml_traced__anywhere(r->traced, s->programs[i], &out);
    r->holed[i] = !(i < s->n_roots && r->turns[i]) && kind == HML_RANGE_UNDEFINED;
    if (i < s->n_roots) r->may_jump[i] = kind != HML_RANGE_CONTINUOUS;
    r->breaks[i] = i >= s->n_roots && r->jumps[i] && kind != HML_RANGE_CONTINUOUS;
  }
}

// All holes of a function over a finished run, on its steps before that to point `until`
static hml_status holes_along(hml_readings *r, size_t program, const hml_trajectory *run, size_t until) {
  for (size_t i = 1; i < until && !r->refused[program]; i++) {
    const hml_step s = step_to(run, i);
    on_step o = {.r = r, .program = program, .step = &s, .piece = s.h != 0 ? hml_trajectory__piece(run, i) : NULL};
    double where;
    if (s.h == 0) continue;
    HML_TRY(hml_check_interrupt(r->context));
    hml_status status = hml_holes__on_step(r->traced, r->spec->programs[program], &s, o.piece, on_hole, &o, &where);
    if (status == HML_LIMIT) HML_TRY(refuse_on(&o, HML_LIMIT, where));
    else HML_TRY(status);
  }
  return HML_OK;
}

// ---- largest and least values without roots of a rate

static bool is_searched(const hml_readings *r, size_t k) {
  return r->spec->searched && r->spec->searched[k];
}

bool hml_readings__searches(const hml_readings_spec *s) {
  for (size_t k = 0; s->searched && k < s->n_peaks; k++)
    if (s->searched[k]) return true;
  return false;
}

static hml_status search_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *best, double *where) {
  return hml_highest__on_step(r->traced, r->spec->programs[r->spec->n_roots + k], r->branches[r->spec->n_roots + k], s, piece, r->spec->signs[k], r->share,
                              best, where);
}

bool hml_readings__search(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *best) {
  double where;
  return !is_searched(r, k) || search_step(r, k, s, piece, best, &where) == HML_OK;
}

static hml_status search_along(hml_readings *r, size_t k, const hml_trajectory *run) {
  const size_t program = r->spec->n_roots + k;
  for (size_t i = 1; i < hml_trajectory_points(run) && !r->refused[program]; i++) {
    const hml_step s = step_to(run, i);
    const on_step o = {.r = r, .program = program, .step = &s, .piece = s.h != 0 ? hml_trajectory__piece(run, i) : NULL};
    double where;
    if (s.h == 0) continue;
    HML_TRY(hml_check_interrupt(r->context));
    const hml_status status = search_step(r, k, &s, o.piece, r->peaks + k, &where);
    if (status == HML_LIMIT) HML_TRY(refuse_on(&o, HML_LIMIT, where));
    else HML_TRY(status);
  }
  return HML_OK;
}

double hml_readings__at_zero(hml_readings *r, size_t program) {
  memset(r->y, 0, r->problem.n * sizeof *r->y);
  return value_of(r, program, 0, r->y);
}

bool hml_readings__doubtful(const hml_readings *r) {
  return r->doubtful;
}

// ---- means

static double at_theta(void *payload, double theta) {
  const on_step *o = payload;
  hml_readings *r = o->r;
  const double value = hml_traced__value_on(r->traced, r->spec->programs[o->program], o->step, o->piece, theta);
  // a hole whose sides are finite has no length
  return isfinite(value) || r->limits[o->program - r->spec->n_roots - r->spec->n_peaks] < 0 ? value : 0;
}

// By the bound on a disk of one formula. False: there is none. No more than the rounding errors of the values, in many parts the errors of the states, is
// nothing
static bool off_disk(on_step *o, double m, double radius, const signed char *sides, double *off) {
  hml_readings *r = o->r;
  hml_disk disk;
  double terms;
  if (!hml_traced__disk(r->traced, r->spec->programs[o->program], o->step, o->piece, m, hml_quadrature__disk * radius, sides, &disk, &terms)) return false;
  o->terms = fmax(o->terms, terms);
  *off = hml_quadrature__off(disk.reach);
  if (*off <= fmax(ROUNDINGS * DBL_EPSILON, o->parts > MANY_PARTS ? r->share : 0) * o->terms) *off = 0;
  return true;
}

// The largest difference at the points of the quadrature between the branches of which one holds; INFINITY: it is not known
static double apart(const on_step *o, double m, double radius, hml_sides *sides) {
  hml_readings *r = o->r;
  double most = 0;
  for (size_t k = 0; k < HML_NODES; k++) {
    hml_range all = {INFINITY, -INFINITY};
    hml_disk one;
    double terms;
    const double theta = m + radius * (2 * hml_quadrature__nodes[k].theta - 1);
    for (unsigned choice = 0; hml_branches__choose(sides, choice); choice++) {
      if (!hml_traced__disk(r->traced, r->spec->programs[o->program], o->step, o->piece, theta, 0, sides->sign, &one, &terms)) return INFINITY;
      all = (hml_range){fmin(all.low, one.centre), fmax(all.high, one.centre)};
    }
    most = fmax(most, all.high - all.low);
  }
  return most;
}

// By its branches, where no sign of an argument changes: *known
static hml_status off_branches(on_step *o, double m, double radius, double *off, bool *known) {
  hml_sides sides;
  double most = 0;
  HML_TRY(hml_branches__sides(o->r->branches[o->program], m - radius, m + radius, &sides));
  *known = sides.n_open <= HML_MOST_OPEN;
  for (size_t i = 0; i < HML_MOST_CORNERS; i++) *known &= !(sides.change[i] < m + radius);
  for (unsigned choice = 0; *known && hml_branches__choose(&sides, choice); choice++) {
    *known = off_disk(o, m, radius, sides.sign, off);
    most = fmax(most, *off);
  }
  if (!*known) return HML_OK;
  *off = most;
  if (sides.known) return HML_OK;
  const double difference = apart(o, m, radius, &sides);
  *known = isfinite(difference);
  // within the errors of the states it does not matter which of them holds
  *off = most + (o->parts > MANY_PARTS && difference <= o->r->share * o->terms ? 0 : 2 * difference);
  return HML_OK;
}

// How far the mean over a part may be off: by the bound on a disk, else by the range of the values, which corners and jumps have too. Next to a hole
// whose sides are finite nothing but limits are known
static hml_status off_on_part(void *payload, double m, double radius, double *off) {
  on_step *o = payload;
  hml_readings *r = o->r;
  const hml_program *p = r->spec->programs[o->program];
  hml_range range;
  o->parts++;
  bool known = off_disk(o, m, radius, NULL, off);
  if (!known && r->branches[o->program]) HML_TRY(off_branches(o, m, radius, off, &known));
  if (known) return HML_OK;
  const hml_range_kind kind = hml_traced__range(r->traced, p, o->step, o->piece, m, radius, &range);
  const double limit = r->limits[o->program - r->spec->n_roots - r->spec->n_peaks];
  *off = kind == HML_RANGE_UNDEFINED ? INFINITY : range.high - range.low;
  // too short to matter but for rounding, or within the errors of the states
  if (*off * radius <= ROUNDINGS * DBL_EPSILON * o->terms || (o->parts > MANY_PARTS && *off <= r->share * o->terms)) *off = 0;
  if (radius > HOLE) return HML_OK;
  if (limit >= 0) *off = fmin(*off, 4 * limit);
  return isinf(*off) ? HML_NOT_FINITE : HML_OK;
}

// Up to where it fails
static hml_status over_step(on_step *o, double *size, double *mean, double *where) {
  const hml_integrand f = {at_theta, off_on_part, o};
  HML_TRY(hml_branches__enter(o->r->branches[o->program], o->step, o->piece));
  return hml_quadrature__unit(&f, size, mean, where);
}

bool hml_readings__over_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *size, double *mean) {
  on_step o = {.r = r, .program = r->spec->n_roots + r->spec->n_peaks + k, .step = s, .piece = piece};
  double where;
  return over_step(&o, size, mean, &where) == HML_OK;
}

bool hml_readings__fits_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double size) {
  on_step o = {.r = r, .program = r->spec->n_roots + r->spec->n_peaks + k, .step = s, .piece = piece};
  double off;
  return hml_branches__enter(r->branches[o.program], s, piece) == HML_OK && off_on_part(&o, 0.5, 0.5, &off) == HML_OK && off <= hml_quadrature__close * size;
}

void hml_readings__set_mean(hml_readings *r, size_t k, double mean) {
  r->means[k] = mean;
}

// The mean of function k over a finished run
static hml_status mean_along(hml_readings *r, size_t k, const hml_trajectory *run) {
  const size_t points = hml_trajectory_points(run), program = r->spec->n_roots + r->spec->n_peaks + k;
  const double begin = hml_trajectory_time(run, 0), end = hml_trajectory_time(run, points - 1);
  double size = 0, sum = 0;
  for (size_t i = 0; i < points; i++) {
    const double value = value_of(r, program, hml_trajectory_time(run, i), hml_trajectory_state(run, i));
    if (i == 0) r->means[k] = value;
    if (isfinite(value)) size = fmax(size, fabs(value));
  }
  if (begin == end) return HML_OK;
  for (size_t i = 1; i < points && !r->refused[program]; i++) {
    double mean, where;
    const hml_step s = step_to(run, i);
    on_step o = {.r = r, .program = program, .step = &s, .piece = s.h != 0 ? hml_trajectory__piece(run, i) : NULL};
    if (s.h == 0) continue;
    HML_TRY(hml_check_interrupt(r->context));
    hml_status status = over_step(&o, &size, &mean, &where);
    if (status != HML_OK) HML_TRY(refuse_on(&o, status, where));
    else sum += s.h * mean;
  }
  if (!r->refused[program]) r->means[k] = sum / (end - begin);
  return HML_OK;
}

// ---- roots

// Does the root lie in a hole of its function?
static bool in_hole(const hml_readings *r, size_t root, double t) {
  for (size_t k = 0; k < r->n_holes; k++)
    if (r->holes[k].root == root && fabs(t - r->holes[k].t) <= r->holes[k].reach) return true;
  return false;
}

hml_status hml_readings__meet(hml_readings *r, size_t root, double t, const double *y) {
  const hml_readings_spec *s = r->spec;
  if (r->sign * (t - s->from[root]) < 0 || in_hole(r, root, t)) return HML_OK;
  r->ended |= s->ends && s->ends[root];
  if (!r->counts[root]) r->first[root] = t;
  r->last[root] = t;
  return r->counts[root]++ < s->keep[root] ? append(r, (double)root, t, y) : HML_OK;
}

bool hml_readings__cross(hml_readings *r, size_t root, double t) {
  const hml_readings_spec *s = r->spec;
  hml_post *k = r->watch->posts + root;
  const bool wanted = s->directions[root] == 0 || (s->directions[root] > 0) == (k->side < 0);
  k->side = (signed char)-k->side;
  if (!wanted) return false;
  if (!hml_readings__only_counts(r, root, t)) return true;
  r->counts[root]++;
  return false;
}

bool hml_readings__only_counts(const hml_readings *r, size_t root, double t) {
  const hml_readings_spec *s = r->spec;
  return !r->turns[root] && r->sign * (t - s->from[root]) >= 0 && r->counts[root] >= s->keep[root];
}

void hml_readings__passed(hml_readings *r, size_t root, size_t count, int side) {
  r->counts[root] += count;
  r->watch->posts[root].side = (signed char)side;
}

// Does the function leap through zero at t, on the present step?
static bool leaps(hml_readings *r, size_t root, double t) {
  const hml_doubt d = {.traced = r->traced, .program = r->spec->programs[root], .step = r->step, .piece = r->piece};
  return r->step && hml_readings__decides(r->spec, root) && r->may_jump[root] && hml_undecided__leaps(&d, (t - r->step->t) / r->step->h);
}

static hml_status take_roots(hml_readings *r, double t, const double *y, const bool *fired) {
  const hml_readings_spec *s = r->spec;
  for (size_t k = 0; k < s->n_peaks; k++)
    if (s->turns[k] < s->n_roots && fired[s->turns[k]]) peak_at(r, k, t, y);
  for (size_t i = 0; i < s->n_roots; i++)
    if (fired[i] && !leaps(r, i, t)) HML_TRY(hml_readings__meet(r, i, t, y));
  return HML_OK;
}

static hml_status react(void *payload, double t, double *y, const bool *fired, size_t point) {
  hml_readings *r = payload;
  hml_step own;
  if (r->run && point) {
    own = step_to(r->run, point);
    r->step = &own;
    r->piece = hml_trajectory__piece(r->run, point);
  }
  const hml_status status = take_roots(r, t, y, fired);
  if (r->run) r->step = NULL;
  return status;
}

void hml_readings__close(hml_readings *r) {
  if (!r) return;
  hml_watch__close(r->watch);
  hml_traced__close(r->traced);
  for (size_t i = 0; r->memory && i < count_all(r->spec); i++) hml_jumps__close(r->jumps[i]);
  for (size_t i = 0; r->memory && i < count_all(r->spec); i++) hml_branches__close(r->branches[i]);
  hml_dealloc(r->context, r->holes, r->holes_capacity * sizeof *r->holes);
  hml_dealloc(r->context, r->found, r->capacity * (2 + r->problem.n) * sizeof *r->found);
  hml_dealloc(r->context, r->memory, r->size);
  hml_dealloc(r->context, r, sizeof *r);
}

hml_status hml_readings__open(hml_context *c, const hml_readings_spec *spec, size_t n, size_t pieces, hml_readings **out) {
  hml_readings *r = hml_alloc(c, sizeof *r);
  *out = NULL;
  if (!r) return HML_MEMORY;
  *r = (hml_readings){.context = c, .spec = spec, .problem = {.context = c, .n = n, .pieces = pieces}};
  r->size = lay_out(r, n, NULL);
  r->memory = hml_alloc(c, r->size);
  if (!r->memory) {
    hml_readings__close(r);
    return HML_MEMORY;
  }
  lay_out(r, n, r->memory);
  for (size_t k = 0; k <= spec->states; k++) r->place[k] = (uint32_t)k;
  for (size_t k = 0; k < spec->n_constants; k++) r->place[1 + spec->states + k] = (uint32_t)(1 + n + k);
  for (size_t i = 0; i < spec->n_roots; i++) {
    r->formulas[i] = (hml_guard_formula){.program = spec->programs[i], .place = r->place};
    r->formula[i] = r->formulas + i;
    r->passive[i] = true;
    r->turns[i] = is_turn(spec, i);
  }
  for (size_t i = 0; i < count_all(spec); i++) r->jumps[i] = NULL;
  for (size_t i = 0; i < count_all(spec); i++) r->branches[i] = NULL;
  r->guards = (hml_guards){.n = spec->n_roots, .payload = r, .direction = r->direction, .passive = r->passive, .bounded = true,
                           .counts = r->passive, .formula = r->formula, .values = values, .react = react};
  hml_status status = hml_traced__open(c, count_all(spec), spec->programs, n, pieces, spec->states, spec->n_constants, &r->traced);
  for (size_t i = 0; status == HML_OK && i < count_all(spec); i++) {
    const hml_breaks which = i < spec->n_roots ? HML_JUMPS : HML_JUMPS_AND_HOLES;
    if (i < spec->n_roots && !hml_readings__decides(spec, i)) continue;
    status = hml_jumps__open(&r->problem, spec->programs[i], which, spec->states, spec->n_constants, r->jumps + i);
  }
  for (size_t i = spec->n_roots; status == HML_OK && i < count_all(spec); i++)
    if (i >= spec->n_roots + spec->n_peaks || is_searched(r, i - spec->n_roots))
      status = hml_branches__open(&r->problem, spec->programs[i], spec->states, spec->n_constants, r->branches + i);
  if (status == HML_OK) status = hml_watch__open(&r->problem, &r->guards, &r->watch);
  if (status != HML_OK) hml_readings__close(r);
  else *out = r;
  return status;
}

static void begin(hml_readings *r, const double *constants, double sign) {
  const hml_readings_spec *s = r->spec;
  r->constants = constants;
  r->sign = sign;
  r->n_found = 0;
  r->ended = false;
  memset(r->counts, 0, s->n_roots * sizeof *r->counts);
  for (size_t k = 0; k < s->n_peaks; k++) r->peaks[k] = -s->signs[k] * INFINITY;
  for (size_t i = 0; i < s->n_roots; i++) {
    r->formulas[i].constants = constants;
    r->direction[i] = (signed char)s->directions[i];
  }
  r->n_holes = 0;
  r->doubtful = false;
  r->step = NULL;
  r->run = NULL;
  for (size_t i = 0; i < s->n_roots; i++) {
    r->doubt[i] = r->first[i] = INFINITY;
    r->settled[i] = !hml_readings__decides(s, i);
    r->sure[i] = r->at_end[i] = false;
    r->last[i] = NAN;
  }
  for (size_t i = 0; i < count_all(s); i++) hml_jumps__begin(r->jumps[i], constants, r->errors);
  for (size_t i = 0; i < count_all(s); i++) hml_branches__begin(r->branches[i], constants, r->errors);
  r->share = 0;
  memset(r->refused, 0, count_all(s) * sizeof *r->refused);
  for (size_t k = 0; k < s->n_means; k++) r->limits[k] = -1;
  hml_traced__begin(r->traced, constants);
  find_holed(r);
}

// ---- roots that must be decided: see undecided.c

void hml_readings__be_sure(hml_readings *r, size_t root) {
  r->sure[root] = true;
}

double *hml_readings__errors(hml_readings *r) {
  return r->errors;
}

// Within errors of the states
static bool is_clear_at(hml_readings *r, size_t root, double t, const double *y) {
  return hml_undecided__clear(r->traced, r->spec->programs[root], t, y, r->errors);
}

static void start_to_decide(hml_readings *r, size_t root, double t, const double *y) {
  bool zero;
  memset(r->errors, 0, r->problem.n * sizeof *r->errors);
  hml_undecided__at(r->traced, r->spec->programs[root], t, y, r->errors, &zero);
  r->on_root[root] = zero;
  r->clear[root] = t;
}

// A root at the start does not count. What leaves it is near zero for a while, in which errors have hardly grown: as the square of the time at least
static bool is_undecided(hml_readings *r, size_t root, const hml_doubt *d, double *where) {
  enum { PARTS = 6 };
  bool undecided = false;
  double end = 1;
  if (!r->on_root[root]) return hml_undecided__on_part(d, 0, 1, where);
  for (int k = 0; k < PARTS && !undecided; k++, end *= 0.5) {
    undecided = hml_undecided__on_part(d, 0.5 * end, end, where);
    for (size_t i = 0; i < r->problem.n; i++) r->errors[i] *= 0.25;
  }
  for (size_t i = 0; i < r->problem.n; i++) r->errors[i] *= pow(4, PARTS);
  return undecided;
}

// ---- jumps and holes within errors of the states

static hml_use use_of(const hml_readings *r, size_t program) {
  const size_t n_roots = r->spec->n_roots;
  const bool is_peak = program >= n_roots && program < n_roots + r->spec->n_peaks;
  const int sign = is_peak ? r->spec->signs[program - n_roots] : 0;
  return (hml_use){.sign = sign, .best = sign ? -sign * INFINITY : 0};
}

// Of a state that is clear of jumps and holes: values next to a pole say nothing of the others
static void add_value(hml_readings *r, size_t program, double t, const double *y, hml_use *use) {
  hml_range range;
  if (hml_traced__range_off_at(r->traced, r->spec->programs[program], t, y, r->errors, &range) != HML_RANGE_CONTINUOUS) return;
  const double value = value_of(r, program, t, y);
  use->size = fmax(use->size, fabs(value));
  if (use->sign * value > use->sign * use->best) use->best = value;
}

// May a function of values jump, or have no value, on a step, as errors will have it? The start is exact; errors grow from there as the square of the time at
// least. A jump or hole at the start itself is another matter
static hml_status find_break(hml_readings *r, size_t program, const hml_step *s, const double *piece, bool first, hml_use *use, bool *found, double *where) {
  enum { PARTS = 6 };
  const hml_doubt d = {.traced = r->traced, .program = r->spec->programs[program], .step = s, .piece = piece, .errors = r->errors, .jumps = r->jumps[program]};
  hml_range range;
  *found = false;
  *where = 0;
  if (hml_traced__range_off(r->traced, d.program, s, piece, 0.5, 0.5, r->errors, &range) == HML_RANGE_CONTINUOUS) return HML_OK;
  HML_TRY(hml_jumps__enter(r->jumps[program]));
  add_value(r, program, s->t, s->y, use);
  add_value(r, program, s->t1, s->y1, use);
  double end = 1;
  for (int k = 0; first && k < PARTS && !*found; k++, end *= 0.5) {
    *found = hml_undecided__breaks(&d, use, 0.5 * end, end, where);
    for (size_t i = 0; i < r->problem.n; i++) r->errors[i] *= 0.25;
  }
  const bool at_start = first && hml_traced__range_at(r->traced, d.program, s->t, s->y, &range) != HML_RANGE_CONTINUOUS;
  if (!*found && !at_start) *found = hml_undecided__breaks(&d, use, 0, end, where);
  for (; end < 1; end *= 2)
    for (size_t i = 0; i < r->problem.n; i++) r->errors[i] *= 4;
  return HML_OK;
}

bool hml_readings__holed(const hml_readings *r) {
  for (size_t i = 0; i < count_all(r->spec); i++)
    if (r->holed[i] || r->breaks[i]) return true;
  return false;
}

hml_status hml_readings__is_whole(hml_readings *r, const hml_step *s, const double *piece, bool first, bool *whole) {
  *whole = true;
  for (size_t i = 0; *whole && i < count_all(r->spec); i++) {
    double where;
    bool found = false;
    hml_use use = use_of(r, i);
    if (r->breaks[i]) HML_TRY(find_break(r, i, s, piece, first, &use, &found, &where));
    *whole = !found && !(r->holed[i] && hml_holes__may_be(r->traced, r->spec->programs[i], s, piece));
  }
  return HML_OK;
}

// Has the function no value over the whole step?
static bool is_nowhere(hml_readings *r, size_t program, const hml_step *s, const double *piece, double where) {
  const double theta[] = {0, where, 1};
  hml_range range;
  for (int k = 0; k < 3; k++)
    if (hml_traced__range(r->traced, r->spec->programs[program], s, piece, theta[k], 0, &range) != HML_RANGE_UNDEFINED) return false;
  return true;
}

// The values of a function at the points of a finished run
static hml_use values_along(hml_readings *r, size_t program, const hml_accuracy *accuracy, const hml_trajectory *run) {
  const size_t n = r->problem.n, points = hml_trajectory_points(run);
  hml_use use = use_of(r, program);
  memset(r->sizes, 0, n * sizeof *r->sizes);
  for (size_t i = 0; i < points; i++)
    for (size_t k = 0; k < n; k++) r->sizes[k] = fmax(r->sizes[k], fabs(hml_trajectory_state(run, i)[k]));
  hml_undecided__errors(accuracy, n, points, 1, r->sizes, r->errors);
  for (size_t i = 0; i < points; i++) add_value(r, program, hml_trajectory_time(run, i), hml_trajectory_state(run, i), &use);
  return use;
}

// The first place of a finished run at which errors decide what value a function has: theta = *where on the step to the point *at; past all points: none
static hml_status break_along(hml_readings *r, size_t program, const hml_accuracy *accuracy, const hml_trajectory *run, size_t *at, double *where) {
  const size_t n = r->problem.n, points = hml_trajectory_points(run);
  const double t0 = hml_trajectory_time(run, 0), end = hml_trajectory_time(run, points - 1);
  size_t steps = 0, i = 1;
  bool found = false;
  hml_use use = values_along(r, program, accuracy, run);
  for (size_t k = 0; k < n; k++) r->sizes[k] = fabs(hml_trajectory_state(run, 0)[k]);
  for (; i < points; i++) {
    const hml_step step = step_to(run, i);
    for (size_t k = 0; k < n; k++) r->sizes[k] = fmax(r->sizes[k], fabs(step.y1[k]));
    if (step.h == 0) continue;
    HML_TRY(hml_check_interrupt(r->context));
    hml_undecided__errors(accuracy, n, ++steps, fabs((step.t1 - t0) / (end - t0)), r->sizes, r->errors);
    HML_TRY(find_break(r, program, &step, hml_trajectory__piece(run, i), steps == 1, &use, &found, where));
    if (found) break;
  }
  *at = i;
  return HML_OK;
}

// Refuses a function of values at its holes, and where errors decide its value
static hml_status breaks_along(hml_readings *r, size_t program, const hml_accuracy *accuracy, const hml_trajectory *run) {
  const size_t points = hml_trajectory_points(run);
  size_t at = points;
  double where;
  if (r->breaks[program]) HML_TRY(break_along(r, program, accuracy, run, &at, &where));
  // holes before that are certain
  if (r->holed[program]) HML_TRY(holes_along(r, program, run, at));
  if (at == points || r->refused[program]) return HML_OK;
  const hml_step step = step_to(run, at);
  const double *piece = hml_trajectory__piece(run, at);
  const bool nowhere = is_nowhere(r, program, &step, piece, where);
  hml_dense__value(r->problem.n, r->problem.pieces, step.y, piece, where, r->y);
  return refuse(r, program, nowhere ? NO_VALUE : NOT_DECIDED, step.t + where * step.h, r->y);
}

void hml_readings__arrive(hml_readings *r, double t, const double *y) {
  for (size_t i = 0; i < r->spec->n_roots; i++) {
    bool zero;
    if (r->settled[i] || (r->spec->keep[i] > 0 && r->counts[i] >= r->spec->keep[i])) continue;
    r->doubtful |= hml_undecided__at(r->traced, r->spec->programs[i], t, y, r->errors, &zero) && !zero;
  }
}

// The first place of a finished run where the roots of a function are not decided
static hml_status doubt_along(hml_readings *r, size_t root, const hml_accuracy *accuracy, const hml_trajectory *run) {
  const hml_readings_spec *s = r->spec;
  const size_t n = r->problem.n, points = hml_trajectory_points(run);
  const double t0 = hml_trajectory_time(run, 0), end = hml_trajectory_time(run, points - 1);
  hml_doubt d = {.traced = r->traced, .program = s->programs[root], .errors = r->errors, .jumps = r->jumps[root]};
  size_t steps = 0;
  bool zero;
  HML_TRY(hml_watch__guard(r->watch, root, &d.guard));
  hml_guard__widen(d.guard, r->errors);
  start_to_decide(r, root, t0, hml_trajectory_state(run, 0));
  for (size_t k = 0; k < n; k++) r->sizes[k] = fabs(hml_trajectory_state(run, 0)[k]);
  for (size_t i = 1; i < points; i++) {
    const hml_step step = step_to(run, i);
    double where;
    for (size_t k = 0; k < n; k++) r->sizes[k] = fmax(r->sizes[k], fabs(step.y1[k]));
    if (step.h == 0) continue;
    HML_TRY(hml_check_interrupt(r->context));
    hml_undecided__errors(accuracy, n, ++steps, fabs((step.t1 - t0) / (end - t0)), r->sizes, r->errors);
    d.step = &step;
    d.piece = hml_trajectory__piece(run, i);
    HML_TRY(hml_guard__enter(d.guard));
    HML_TRY(hml_jumps__enter(r->jumps[root]));
    if (is_undecided(r, root, &d, &where)) return r->doubt[root] = step.t + where * step.h, HML_OK;
    r->on_root[root] = false;
    if (is_clear_at(r, root, step.t1, step.y1)) r->clear[root] = step.t1;
  }
  const bool open = points > 1 && hml_undecided__at(r->traced, d.program, end, hml_trajectory_state(run, points - 1), r->errors, &zero);
  r->at_end[root] = open && accuracy->at_event;
  if (open && !zero && !accuracy->at_event) r->doubt[root] = end;
  return HML_OK;
}

static hml_status refuse_undecided(hml_readings *r, size_t root) {
  HML_TRY(hml_trajectory_at(r->run, r->doubt[root], r->y));
  return refuse(r, root, NOT_DECIDED, r->doubt[root], r->y);
}

// Of functions of which all roots are wanted
static hml_status doubts_along(hml_readings *r, const hml_accuracy *accuracy) {
  for (size_t i = 0; i < r->spec->n_roots; i++) {
    if (r->settled[i] || r->refused[i]) continue;
    HML_TRY(doubt_along(r, i, accuracy, r->run));
    if (isfinite(r->doubt[i]) && !r->spec->keep[i]) HML_TRY(refuse_undecided(r, i));
  }
  memset(r->errors, 0, r->problem.n * sizeof *r->errors);
  return HML_OK;
}

// Where the first roots are wanted, doubts behind them do not count
static hml_status first_doubts(hml_readings *r) {
  for (size_t i = 0; i < r->spec->n_roots; i++)
    if (isfinite(r->doubt[i]) && !r->refused[i] && (isinf(r->first[i]) || r->sign * (r->first[i] - r->clear[i]) >= 0)) HML_TRY(refuse_undecided(r, i));
  return HML_OK;
}

hml_status hml_readings__begin(hml_readings *r, const double *constants, double sign, double t, const double *y) {
  begin(r, constants, sign);
  all_peaks(r, t, y);
  for (size_t k = 0; k < r->spec->n_means; k++) r->means[k] = value_of(r, r->spec->n_roots + r->spec->n_peaks + k, t, y);
  hml_watch__renew(r->watch);
  HML_TRY(hml_watch__start(r->watch, t, y, HML_AFRESH));
  for (size_t i = 0; i < r->spec->n_roots; i++) {
    hml_guard *g;
    if (r->settled[i]) continue;
    start_to_decide(r, i, t, y);
    HML_TRY(hml_watch__guard(r->watch, i, &g));
    hml_guard__widen(g, r->errors);
  }
  return HML_OK;
}

// The roots on a step, on its way through the watch, are found. Are they decided?
static hml_status judge_step(hml_readings *r, const hml_step *s, const double *piece) {
  const hml_readings_spec *spec = r->spec;
  for (size_t i = 0; i < spec->n_roots; i++) {
    hml_guard *g;
    double where;
    if (r->settled[i]) continue;
    HML_TRY(hml_watch__guard(r->watch, i, &g));
    const bool clear = r->sure[i] || hml_guard__clear(g);
    r->sure[i] = false;
    if (!clear) HML_TRY(hml_guard__enter(g));
    if (!clear) HML_TRY(hml_jumps__enter(r->jumps[i]));
    const hml_doubt d = {r->traced, spec->programs[i], g, s, piece, r->errors, r->jumps[i]};
    if (!clear && is_undecided(r, i, &d, &where)) r->doubtful = true;
    r->on_root[i] = false;
    r->settled[i] = spec->keep[i] > 0 && r->counts[i] >= spec->keep[i] && is_clear_at(r, i, s->t1, s->y1);
  }
  return HML_OK;
}

hml_status hml_readings__step(hml_readings *r, const hml_step *s, const double *piece) {
  r->step = s;
  r->piece = piece;
  for (;;) {
    bool found;
    double theta;
    HML_TRY(hml_watch__search(r->watch, s, piece, &theta, &found));
    if (!found) return judge_step(r, s, piece);
    if (theta == 1) memcpy(r->y, s->y1, r->problem.n * sizeof *r->y);
    else hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, theta, r->y);
    HML_TRY(react(r, theta == 1 ? s->t1 : s->t + theta * s->h, r->y, r->watch->fired, 0));
  }
}

int hml_readings__side(const hml_readings *r, size_t root) {
  const hml_post *k = r->watch->posts + root;
  return k->level == 0 && isnan(k->flat) && !k->counted ? k->side : 0;
}

const hml_range *hml_readings__safe(const hml_readings *r, size_t root) {
  const int side = hml_readings__side(r, root);
  const hml_guard *g = r->watch->posts[root].guard;
  return side && g && r->direction[root] != HML_ASLEEP ? hml_guard__safe(g, side) : NULL;
}

// Its largest and least values cannot be found, or its roots
static hml_status refuse_root(hml_readings *r, size_t root, hml_status why_not, double t, const double *y) {
  const hml_readings_spec *s = r->spec;
  const refusal why = refusal_of(why_not);
  if (isfinite(r->doubt[root])) return refuse_undecided(r, root);
  for (size_t k = 0; k < s->n_peaks; k++)
    if (s->turns[k] == root) HML_TRY(refuse(r, s->n_roots + k, why, t, y));
  return refuse(r, root, why, t, y);
}

// A search that fails because of one function is made again without it
static hml_status roots_along(hml_readings *r, const hml_trajectory *run) {
  for (;;) {
    const size_t refusals = r->n_found;                                  // so far nothing else was found
    hml_status status = hml_roots__follow(r->watch, run);
    if ((status != HML_NOT_FINITE && status != HML_LIMIT) || r->refused[r->watch->culprit]) return status;
    const double t = r->watch->culprit_time;
    HML_TRY(hml_forgiven(r->context));
    HML_TRY(hml_trajectory_at(run, t, r->y));
    r->n_found = refusals;
    memset(r->counts, 0, r->spec->n_roots * sizeof *r->counts);
    for (size_t i = 0; i < r->spec->n_roots; i++) r->first[i] = INFINITY;
    HML_TRY(refuse_root(r, r->watch->culprit, status, t, r->y));
    hml_watch__renew(r->watch);
  }
}

// Roots at the event that ends a run: errors may put them behind it
static hml_status meet_ends(hml_readings *r) {
  const hml_readings_spec *s = r->spec;
  const size_t last = hml_trajectory_points(r->run) - 1;
  for (size_t i = 0; i < s->n_roots; i++) {
    if (!r->at_end[i] || r->refused[i] || r->sign * (r->last[i] - r->clear[i]) >= 0) continue;
    HML_TRY(hml_trajectory_at(r->run, r->clear[i], r->y));
    const double before = value_of(r, i, r->clear[i], r->y);
    if (s->directions[i] == 0 || (s->directions[i] > 0) == (before < 0))
      HML_TRY(hml_readings__meet(r, i, hml_trajectory_time(r->run, last), hml_trajectory_state(r->run, last)));
  }
  return HML_OK;
}

hml_status hml_readings__along(hml_readings *r, const double *constants, double sign, const hml_accuracy *accuracy, const hml_trajectory *run) {
  const size_t points = hml_trajectory_points(run);
  begin(r, constants, sign);
  r->run = run;
  r->share = accuracy->rtol;
  if (points > 1 && !hml_trajectory__pieces(run))
    return hml_fail(r->context, HML_UNSUPPORTED, "roots, largest values and means between the steps need a method with dense output");
  for (size_t i = 0; i < points; i++) all_peaks(r, hml_trajectory_time(run, i), hml_trajectory_state(run, i));
  if (!points) return HML_OK;
  for (size_t i = 0; i < count_all(r->spec); i++) HML_TRY(breaks_along(r, i, accuracy, run));
  for (size_t k = 0; k < r->spec->n_peaks; k++)
    if (is_searched(r, k) && !r->refused[r->spec->n_roots + k]) HML_TRY(search_along(r, k, run));
  for (size_t k = 0; k < r->spec->n_means; k++)
    if (!r->refused[r->spec->n_roots + r->spec->n_peaks + k]) HML_TRY(mean_along(r, k, run));
  if (!r->spec->n_roots) return HML_OK;
  HML_TRY(doubts_along(r, accuracy));
  HML_TRY(roots_along(r, run));
  HML_TRY(meet_ends(r));
  return first_doubts(r);
}

bool hml_readings__ended(const hml_readings *r) {
  return r->ended;
}

bool hml_readings__need_errors(const hml_readings_spec *s) {
  for (size_t i = 0; i < count_all(s); i++)
    if (i < s->n_roots ? hml_readings__decides(s, i) : hml_readings__breaks(s, i)) return true;
  return false;
}

bool hml_readings__breaks(const hml_readings_spec *s, size_t program) {
  return program >= s->n_roots && hml_program__break_count(s->programs[program], HML_JUMPS_AND_HOLES) > 0;
}

bool hml_readings__only_ends(const hml_readings_spec *s) {
  bool only = s->ends && !s->n_peaks && !s->n_means;
  for (size_t i = 0; only && i < s->n_roots; i++) only = s->ends[i];
  return only;
}

const size_t *hml_readings__counts(const hml_readings *r) {
  return r->counts;
}

const double *hml_readings__peaks(const hml_readings *r) {
  return r->peaks;
}

const double *hml_readings__means(const hml_readings *r) {
  return r->means;
}

const double *hml_readings__found(const hml_readings *r, size_t *count) {
  *count = r->n_found;
  return r->found;
}

hml_status hml_readings__check(hml_context *c, const hml_readings_spec *s, size_t states) {
  for (size_t i = 0; i < count_all(s); i++)
    if (hml_program_inputs(s->programs[i]) != 1 + s->states + s->n_constants || hml_program_outputs(s->programs[i]) != 1)
      return hml_fail(c, HML_ARGUMENT, "readings: function %zu has not the inputs t, %zu states, %zu constants, and one output", i + 1, s->states, s->n_constants);
  return s->states > states ? hml_fail(c, HML_ARGUMENT, "readings: the states have not %zu components", s->states) : HML_OK;
}

hml_status hml_trajectory_read(const hml_trajectory *run, const hml_readings_spec *s, hml_ensemble_row *row) {
  hml_context *c = hml_trajectory__context(run);
  const size_t n = hml_trajectory_size(run), points = hml_trajectory_points(run);
  hml_readings *r;
  *row = (hml_ensemble_row){.status = HML_OK};
  HML_TRY(hml_readings__check(c, s, n));
  HML_TRY(hml_readings__open(c, s, n, hml_trajectory__pieces(run), &r));
  const double sign = points && hml_trajectory_time(run, points - 1) < hml_trajectory_time(run, 0) ? -1 : 1;
  const hml_accuracy accuracy = {s->rtol, s->atol, hml_accuracy__part(s->step_errors, s->not_compared), s->at_event != 0, s->compared != 0};
  hml_status status = hml_readings__along(r, s->constants, sign, &accuracy, run);
  if (status == HML_OK && r->n_found) {
    row->n_found = r->n_found * (2 + n);
    row->found = hml_alloc(c, row->n_found * sizeof *row->found);
    if (row->found) memcpy(row->found, r->found, row->n_found * sizeof *row->found);
    else status = HML_MEMORY;
  }
  if (s->n_roots) memcpy(s->counts, r->counts, s->n_roots * sizeof *r->counts);
  if (s->n_peaks) memcpy(s->peaks, r->peaks, s->n_peaks * sizeof *r->peaks);
  if (s->n_means) memcpy(s->means, r->means, s->n_means * sizeof *r->means);
  hml_readings__close(r);
  return status;
}
