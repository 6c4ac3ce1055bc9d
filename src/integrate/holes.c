// holes.c: where a function has no value along the steps of a motion: a divisor vanishes, an argument leaves the domain of a function. And how the
// function goes on either side.
//
// The step is passed in parts over which the function is defined for certain, by its range (range.c), each as long as that can be seen. Where the parts
// would become shorter than the time resolves, there is a hole. It ends where a part behind it is defined again.
//
// The sides of a hole are looked at by values ever nearer to it, at distances in the ratio 1/4. Their differences fall in the ratio 4^-a where the
// function has a limit and departs from it by the power a of the distance, grow where it has a pole, and stay the same where it is a logarithm.
#include "integrate/holes.h"

#include <float.h>
#include <math.h>

#define SHORTEST 0x1p-42               // part of a step: shorter ones are a hole
#define WIDEST 0x1p-12                 // hole: a function that has no value for longer has left its domain
#define SAME_HOLE 16                   // times as long as the hole before: shorter parts between two holes belong to one
#define NEAREST 0x1p-40                // distance from a hole at which values are taken
#define FARTHEST 0x1p-2
#define SETTLES 0.8                    // ratio of successive differences: below, they settle
#define GROWS 0.95                     // above, they do not
#define ROUNDING 1e-13                 // of the values: differences that mean nothing
#define KNOWN 1e-9                     // of the values: to which a limit is found
enum { MOST_LOOKS = 4000, TAIL = 4, AFAR = 5 };   // ranges in one step; differences that decide: the last ones, and for a limit all but the first ones

typedef struct seeker {
  hml_traced *f;
  const hml_program *p;
  const hml_step *s;
  const double *piece;
  unsigned looks;
  double least;                        // distance in theta that the time does not resolve
} seeker;

static bool is_defined(seeker *k, double a, double b) {
  hml_range out;
  k->looks++;
  return hml_traced__range(k->f, k->p, k->s, k->piece, 0.5 * (a + b), 0.5 * (b - a), &out) != HML_RANGE_UNDEFINED;
}

bool hml_holes__may_be(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece) {
  seeker k = {.f = f, .p = p, .s = s, .piece = piece};
  return !is_defined(&k, 0, 1);
}

// The limit of a sequence of which v[0], v[1], v[2] are the last three, whose differences fall in one ratio (Aitken)
static double limit_of(const double *v) {
  const double before = v[1] - v[0], now = v[2] - v[1];
  return now == 0 || before == now ? v[2] : v[2] + now * now / (before - now);
}

// From values v at distances in the ratio 1/4, the last one next to the hole
static hml_side_kind kind_of(const double *v, unsigned count, double *limit) {
  if (count < TAIL + 2) return HML_SIDE_OPEN;
  double size = 0;
  unsigned unsettled = 0, rise = 0, fall = 0;
  for (unsigned i = 0; i < count; i++) size = fmax(size, fabs(v[i]));
  if (!isfinite(size)) return HML_SIDE_OPEN;
  for (unsigned i = 2; i < count; i++) {
    const double before = v[i - 1] - v[i - 2], now = v[i] - v[i - 1];
    const bool last = i >= count - TAIL, settles = fabs(now) <= SETTLES * fabs(before) || fabs(now) <= ROUNDING * size;
    // rounding errors that grow towards the hole may end in values that stay the same
    unsettled += (last || i > AFAR) && !settles;
    if (last && !settles && fabs(now) >= GROWS * fabs(before)) rise += now > 0, fall += now < 0;
  }
  *limit = limit_of(v + count - 3);
  if (!unsettled) return fabs(*limit - limit_of(v + count - 4)) <= KNOWN * size ? HML_SIDE_FINITE : HML_SIDE_OPEN;
  return rise == TAIL ? HML_SIDE_RISES : fall == TAIL ? HML_SIDE_FALLS : HML_SIDE_OPEN;
}

// The side of a hole towards theta + way
static hml_side_kind look_aside(seeker *k, double theta, double reach, double way, double *limit) {
  enum { MOST = 24 };
  double v[MOST], distance = fmin(fabs(way), FARTHEST);
  unsigned count = 0;
  const double nearest = fmax(2 * reach, fmax(NEAREST, 64 * k->least));
  *limit = NAN;
  if (!(distance > nearest)) return HML_SIDE_UNSEEN;
  for (; distance > nearest && count < MOST; distance *= 0.25) v[count++] = hml_traced__value_on(k->f, k->p, k->s, k->piece, theta + copysign(distance, way));
  return kind_of(v, count, limit);
}

// Where the hole ends that begins at `from` and is `length` long at least
static double end_of(seeker *k, double from, double length) {
  while (from + length < 1 && length <= WIDEST && !is_defined(k, from + length, fmin(from + 2 * length, 1))) length *= 2;
  return fmin(from + length, 1);
}

// before: where the hole before it ends
static hml_hole hole_between(seeker *k, double before, double from, double to) {
  const double length = to - from;
  const bool wide = length > WIDEST;
  hml_hole h = {.theta = wide ? from : from <= 2 * length ? 0 : to == 1 ? 1 : 0.5 * (from + to), .kind = {HML_SIDE_OPEN, HML_SIDE_OPEN}};
  h.reach = fmax(h.theta - from, to - h.theta);
  if (wide) return h;
  h.kind[0] = look_aside(k, h.theta, h.reach, before - h.theta, h.limit);
  h.kind[1] = look_aside(k, h.theta, h.reach, 1 - h.theta, h.limit + 1);
  return h;
}

hml_status hml_holes__on_step(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, hml_on_hole on_hole, void *payload, double *where) {
  seeker k = {f, p, s, piece, 0, 4 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h)};
  const double shortest = fmax(SHORTEST, k.least);
  double at = 0, length = 1, from = -1, to = -1, before = 0;               // from, to: the last hole, which may go on
  while (at < 1) {
    *where = at;
    if (k.looks > MOST_LOOKS) return HML_LIMIT;
    const double end = at + 1.2 * length >= 1 ? 1 : at + length;
    if (is_defined(&k, at, end)) {
      at = end;
      length *= 2;
      continue;
    }
    length = 0.5 * (end - at);
    if (length >= shortest) continue;
    // where a double zero begins to be lost in rounding errors there are many short holes
    const bool goes_on = to >= 0 && at - to <= SAME_HOLE * (to - from);
    if (to >= 0 && !goes_on) {
      const hml_hole h = hole_between(&k, before, from, to);
      before = to;
      HML_TRY(on_hole(payload, &h));
    }
    from = goes_on ? from : at;
    to = at = end_of(&k, from, goes_on ? 2 * (at - from) : shortest);
    length = fmax(0.5 * (to - from), shortest);
  }
  if (to < 0) return HML_OK;
  const hml_hole h = hole_between(&k, before, from, to);
  return on_hole(payload, &h);
}
