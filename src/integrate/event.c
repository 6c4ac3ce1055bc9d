// event.c: the roots of guards over one step, on its polynomial, in order. The owner of the guards decides what follows.
//
// A guard with a formula is followed from the start of the step in parts, each as long as can be decided (guard.c): without a root, with
// one root at most since the guard is monotone, or zero to rounding. So no root is passed over, however long the step. A part that remains
// undecided where the time cannot be resolved any further counts by the signs at its ends; where these are the same, as zero to rounding if
// the range of its values holds zero. A guard that is known by its values only is
// sampled at quarters of parts over which a parabola through three of the values predicts the others, and so short that no more can happen
// between the samples, as far as the owner can bound them (`spread`).
//
// A root is a change of sign. Values that are zero to rounding are left alone until a sign shows: the other one is a root between, the same
// one a touch, met by guards without a direction. A guard that stays zero to the end of the step is met where that begins, once.
//
// A margin (`passed`), such as the reaction of a contact, may start on zero and stay there: its root lies where it becomes negative.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define NEAR 0.1                       // a vertex this near zero, relative to the values, is looked at
#define FIRST_LOOK (1.0 / 64)          // of a part: where a sampled guard that starts on its root shows its side
#define SAME_INSTANT 4                 // units in the last place of the time
#define AS_PREDICTED 0.05              // of the values: error of a parabola that samples are dense enough for
#define LEAST_KNOWN (1.0 / 32)         // of a step: shorter parts whose ranges are not known count by their samples
#define AT_JUMP 64                     // units in the last place of the time: not told from the instant of a jump
#define STRETCH (1.0 / 64)             // of a step: zero for so long is no touch
enum { PATIENCE = 1000, QUARTERS = 4 };   // parts that cannot be decided, in one step, until samples decide
enum { MOST_UNDECIDED = 20000 };       // until a search that may fail does so,
enum { MOST_ROOTS = 1000000 };         // and how many roots it may find: x sin(1/x) has infinitely many near x = 0, and 2e8 that doubles tell apart
enum { NEWTON = 12 };                  // steps

void hml_watch__close(hml_watch *w) {
  if (!w) return;
  for (size_t i = 0; w->posts && i < w->guards->n; i++) hml_guard__close(w->posts[i].guard);
  hml_dealloc(w->problem->context, w->memory, w->size);
  hml_dealloc(w->problem->context, w, sizeof *w);
}

hml_status hml_watch__open(const hml_problem *p, const hml_guards *guards, hml_watch **out) {
  hml_watch *w = hml_alloc(p->context, sizeof *w);
  if (!w) return HML_MEMORY;
  size_t n = guards->n;
  *w = (hml_watch){.problem = p, .guards = guards, .reach = INFINITY,
                   .size = n * sizeof(hml_post) + (p->n + 1) * sizeof(hml_range) + ((4 + QUARTERS + 1) * n + p->n + p->pieces + 2) * sizeof(double) + 2 * n * sizeof(bool)};
  w->memory = hml_alloc(p->context, w->size);
  if (!w->memory) {
    hml_watch__close(w);
    return HML_MEMORY;
  }
  w->posts = w->memory;
  w->box = (hml_range *)(w->posts + n);
  double *at = (double *)(w->box + p->n + 1);
  double **const fields[] = {&w->start, &w->probe, &w->residue, &w->spread, w->samples, w->samples + 1, w->samples + 2, w->samples + 3, w->samples + 4};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++, at += n) *fields[i] = at;
  w->y = at;
  w->about = at + p->n;
  w->fired = (bool *)(w->about + p->pieces + 2);
  w->leapt = w->fired + n;
  for (size_t i = 0; i < n; i++) w->posts[i].guard = NULL;
  hml_watch__renew(w);
  *out = w;
  return HML_OK;
}

void hml_watch__renew(hml_watch *w) {
  for (size_t i = 0; i < w->guards->n; i++)
    w->posts[i] = (hml_post){.guard = w->posts[i].guard, .reach = INFINITY, .root = INFINITY, .flat = NAN, .met = NAN};
  memset(w->fired, 0, 2 * w->guards->n * sizeof *w->fired);
  w->reach = INFINITY;
}

// ---- values

static bool asleep(const hml_watch *w, size_t i) {
  return w->guards->direction[i] == HML_ASLEEP;
}

static bool has_formula(const hml_watch *w, size_t i) {
  return w->guards->formula && w->guards->formula[i];
}

static bool is_sampled(const hml_watch *w, size_t i) {
  return !asleep(w, i) && !has_formula(w, i);
}

// What holds as long as the guard is not negative: zeros are no end of it
static bool is_margin(const hml_watch *w, size_t i) {
  return w->guards->passed && w->guards->passed[i];
}

static hml_status need_guard(hml_watch *w, size_t i) {
  hml_post *k = w->posts + i;
  return k->guard ? HML_OK : hml_guard__open(w->problem, w->guards->formula[i], &k->guard);
}

hml_status hml_watch__guard(hml_watch *w, size_t i, hml_guard **out) {
  HML_TRY(need_guard(w, i));
  *out = w->posts[i].guard;
  return HML_OK;
}

// By the formulas where all that are awake have one
static hml_status values_of_formulas(hml_watch *w, double t, const double *y, double *out, bool *known) {
  *known = false;
  for (size_t i = 0; i < w->guards->n; i++) {
    out[i] = 0;
    if (is_sampled(w, i)) return HML_OK;
    if (asleep(w, i)) continue;
    HML_TRY(need_guard(w, i));
    out[i] = hml_guard__value(w->posts[i].guard, t, y);
    if (!isfinite(out[i])) return HML_OK;                                // its owner reports it
  }
  *known = true;
  return HML_OK;
}

static hml_status values_of(hml_watch *w, double t, const double *y, double *out, bool *by_formulas) {
  HML_TRY(values_of_formulas(w, t, y, out, by_formulas));
  if (*by_formulas) return HML_OK;
  HML_TRY(w->guards->values(w->guards->payload, t, y, out));
  for (size_t i = 0; i < w->guards->n; i++)
    if (!asleep(w, i) && !isfinite(out[i]))
      return hml_fail(w->problem->context, HML_NOT_FINITE, "event %zu is %s at t = %.15g", i + 1, hml_problem__oddity(out[i]), t);
  return HML_OK;
}

hml_status hml_watch__values(hml_watch *w, double t, const double *y, double *out) {
  bool by_formulas;
  return values_of(w, t, y, out, &by_formulas);
}

// Less the level
hml_status hml_watch__value(hml_watch *w, size_t i, double t, const double *y, double *value) {
  if (has_formula(w, i)) {
    HML_TRY(need_guard(w, i));
    *value = hml_guard__value(w->posts[i].guard, t, y);
  }
  // its owner reports a value that is not finite
  if (!has_formula(w, i) || !isfinite(*value)) {
    HML_TRY(hml_watch__values(w, t, y, w->probe));
    *value = w->probe[i];
  }
  *value -= w->posts[i].level;
  return HML_OK;
}

static double time_at(const hml_step *s, double theta) {
  return theta == 1 ? s->t1 : s->t + theta * s->h;
}

// The state at theta on the polynomial
static const double *state_on(hml_watch *w, const hml_step *s, const double *piece, double theta) {
  if (theta == 1) return s->y1;
  hml_dense__value(w->problem->n, w->problem->pieces, s->y, piece, theta, w->y);
  return w->y;
}

hml_status hml_watch__start(hml_watch *w, double t, const double *y, hml_begin how) {
  const hml_guards *g = w->guards;
  bool known;                          // by the formulas
  HML_TRY(values_of(w, t, y, w->start, &known));
  for (size_t i = 0; i < g->n; i++) {
    hml_post *k = w->posts + i;
    double value = w->start[i];
    k->level = 0;
    if (k->guard) hml_guard__forget(k->guard);
    if (!known && has_formula(w, i) && !asleep(w, i)) HML_TRY(hml_watch__value(w, i, t, y, &value));
    bool margin = is_margin(w, i), left_there = how != HML_AFRESH && (w->fired[i] || k->at_root) && !margin && fabs(value) <= 10 * fabs(w->residue[i]);
    bool crosses = left_there && how == HML_GOES_ON && g->direction[i] != HML_LEAVING;
    bool on_root = value == 0 || left_there || (margin && value < 0) || (g->side && g->side[i] != 0) || g->direction[i] == HML_LEAVING;
    k->side = on_root ? (g->side && g->side[i] ? g->side[i] : margin ? 1 : crosses ? (signed char)-k->crossing : 0) : value < 0 ? -1 : 1;
    k->level = on_root ? value : 0;
    k->leaves = on_root && g->side && !margin ? g->side[i] : 0;
    k->size = fabs(value);             // it may be another function now
    k->searched = 0;
    k->root = INFINITY;
    k->flat = NAN;
    k->at_root = false;
    k->jumped = how == HML_JUMPED;
    k->counted = on_root && (k->counted || (how == HML_JUMPED && (left_there || w->leapt[i])));
  }
  memcpy(w->samples[0], w->start, g->n * sizeof *w->start);
  w->sampled_from = w->sampled_to = 0;
  return HML_OK;
}

// ---- one guard on one step

typedef struct hunt {                  // of guard i
  hml_watch *w;
  hml_post *k;
  const hml_step *s;
  const double *piece;
  size_t i;
  double least;                        // distance in theta that the time cannot resolve
} hunt;

static hml_status look(const hunt *h, double theta, double *value) {
  if (has_formula(h->w, h->i)) {
    *value = hml_guard__value_on(h->k->guard, h->s, h->piece, theta) - h->k->level;
    if (isfinite(*value)) return HML_OK;
  }
  return hml_watch__value(h->w, h->i, time_at(h->s, theta), state_on(h->w, h->s, h->piece, theta), value);
}

static signed char sign_of(double x) {
  return (signed char)((x > 0) - (x < 0));
}

static bool wanted(const hml_watch *w, size_t i, signed char before) {
  signed char direction = w->guards->direction[i];
  return direction == HML_EITHER || direction == HML_LEAVING || (before > 0) == (direction == HML_FALLING);
}

hml_status hml_watch__leaps(hml_watch *w, double t, const double *y, bool jumps, bool *any) {
  const hml_guards *g = w->guards;
  bool counts = false;
  *any = false;
  for (size_t i = 0; g->counts && i < g->n; i++) counts |= g->counts[i], w->leapt[i] = false;
  if (!counts) return HML_OK;
  HML_TRY(hml_watch__values(w, t, y, w->start));
  for (size_t i = 0; i < g->n; i++) {
    double before = w->residue[i], after = w->start[i];
    const hml_post *k = w->posts + i;
    bool free = g->counts[i] && !asleep(w, i) && !w->fired[i], leaps = (before < 0 && after >= 0) || (before > 0 && after <= 0);
    // zeros that had begun: what would follow them does not come
    bool zero = jumps && g->direction[i] == HML_EITHER && k->side && !k->counted && (!isnan(k->flat) || (k->touches && k->root < INFINITY));
    w->leapt[i] = free && (zero || (leaps && wanted(w, i, sign_of(before))));
    *any |= w->leapt[i];
  }
  return HML_OK;
}

static bool opposite(double a, double b) {
  return (a > 0 && b <= 0) || (a < 0 && b >= 0);
}

// Where the parabola with the values fa and fb at the ends and the slope at b vanishes, back from b
static double back_on_parabola(double fa, double fb, double slope, double length) {
  double bend = (fa - fb + slope * length) / (length * length);
  return 2 * fb / (slope + copysign(sqrt(fmax(slope * slope - 4 * bend * fb, 0)), slope));
}

// Newton's method on the line of an affine guard, in a bracket; the root lies in (a, b]. False: it does not gain
static bool close_in_on_line(const hunt *h, double *a, double *fa, double *b, double *fb) {
  hml_guard *g = h->k->guard;
  double theta = *b, value, slope;
  if (!hml_guard__slope_on(g, h->s, h->piece, theta, &value, &slope)) return false;
  double change = -back_on_parabola(*fa, *fb, slope, *b - *a);
  for (int i = 0; i < NEWTON && *b - *a > h->least && *fb != 0; i++) {
    // from close by, the next point lies beyond the root and closes the bracket
    if (fabs(change) < h->least) change = theta == *b ? -0.75 * h->least : 0.75 * h->least;
    theta += change;
    if (!(theta > *a && theta < *b)) theta = 0.5 * (*a + *b);
    hml_guard__slope_on(g, h->s, h->piece, theta, &value, &slope);
    value -= h->k->level;
    bool before = opposite(*fa, value);
    *(before ? b : a) = theta;
    *(before ? fb : fa) = value;
    change = -value / slope;
  }
  return *b - *a <= h->least || *fb == 0;
}

// Else regula falsi in the version of Anderson and Bjorck, halving where it does not gain; the root lies in (a, b]
static hml_status close_in(const hunt *h, double a, double fa, double b, double fb, double *root) {
  if (has_formula(h->w, h->i) && close_in_on_line(h, &a, &fa, &b, &fb)) {
    *root = b;
    return HML_OK;
  }
  double kept = b - a;
  int moved = 0;                       // which end the last step moved: 1 b, -1 a
  for (int i = 0; i < 200 && b - a > h->least && fb != 0; i++) {
    double theta = b - fb * (b - a) / (fb - fa), value;
    if (i % 3 == 2) {
      if (b - a > 0.5 * kept) theta = 0.5 * (a + b);
      kept = b - a;
    }
    theta = fmin(fmax(theta, a + 0.5 * h->least), b - 0.5 * h->least);
    HML_TRY(look(h, theta, &value));
    bool before = opposite(fa, value);
    // an end that stays twice loses weight
    double weight = 1 - value / (before ? fb : fa);
    if (moved == (before ? 1 : -1)) *(before ? &fa : &fb) *= weight > 0 ? weight : 0.5;
    moved = before ? 1 : -1;
    *(before ? &b : &a) = theta;
    *(before ? &fb : &fa) = value;
  }
  *root = b;
  return HML_OK;
}

// An event whose root the time does not tell from a jump at the start belongs to the instant of the jump, and one that it does not tell from the
// last root is that root: rounding changes the sign of a power. A gap may close there
static void meet(const hunt *h, double theta, signed char before) {
  const bool *counts = h->w->guards->counts;
  const double instant = AT_JUMP / SAME_INSTANT * h->least;
  if (counts && counts[h->i] && ((h->k->jumped && theta <= instant) || fabs(time_at(h->s, theta) - h->k->met) <= instant * fabs(h->s->h))) return;
  h->k->touches = false;
  h->k->root = fmin(fmax(theta, h->least), 1);
  h->k->crossing = before;
}

// Zeros between equal signs that are no root
static hml_status tell_touch(const hunt *h, double theta) {
  const hml_guards *g = h->w->guards;
  if (!g->touched || g->direction[h->i] == HML_EITHER) return HML_OK;
  return g->touched(g->payload, time_at(h->s, theta), state_on(h->w, h->s, h->piece, theta), h->s->y, h->i);
}

// A sign is seen at b, and none between a and b was seen to differ from the last one but at the zeros that began at `flat`
static hml_status see(const hunt *h, double a, double b, signed char sign) {
  hml_post *k = h->k;
  double from = isnan(k->flat) || is_margin(h->w, h->i) ? a : k->flat, value, end;
  signed char before = k->side;
  bool fresh = !k->counted;
  k->searched = b;
  k->side = sign;
  k->counted = false;
  if (before == 0 && h->w->guards->direction[h->i] == HML_LEAVING) return k->flat = NAN, meet(h, a, 0), HML_OK;
  if (before == 0 || !fresh) return k->flat = NAN, HML_OK;
  if (sign == before) {
    if (!isnan(k->flat)) HML_TRY(tell_touch(h, 0.5 * (from + a)));
    if (!isnan(k->flat) && h->w->guards->direction[h->i] == HML_EITHER) {
      meet(h, 0.5 * (from + a), (signed char)-before);
      k->touches = true;
    }
    return k->flat = NAN, HML_OK;
  }
  k->flat = NAN;
  if (!wanted(h->w, h->i, before)) return HML_OK;
  HML_TRY(look(h, from, &value));
  HML_TRY(look(h, b, &end));
  double root = from;
  if (sign_of(value) == before && opposite(value, end)) HML_TRY(close_in(h, from, value, b, end, &root));
  meet(h, root, before);
  return HML_OK;
}

// Zero to rounding from a to b. At the end of the step that counts as a root, once, whatever comes.
static hml_status see_zeros(const hunt *h, double a, double b) {
  hml_post *k = h->k;
  const hml_guards *g = h->w->guards;
  if (isnan(k->flat)) k->flat = a, k->flat_time = time_at(h->s, a);
  k->searched = b;
  if (b < 1 || is_margin(h->w, h->i)) return HML_OK;
  bool stays = 1 - k->flat >= STRETCH;
  if (stays && !k->told) {
    k->told = true;
    if (g->stays) HML_TRY(g->stays(g->payload, k->flat_time, h->i));
  }
  if (k->counted) return HML_OK;
  if (k->side) {
    if (wanted(h->w, h->i, k->side)) meet(h, k->flat, k->side);
    k->counted = true;
  } else if (stays) {
    if (g->passive[h->i] && g->direction[h->i] == HML_EITHER) meet(h, fmax(k->flat, FIRST_LOOK), 0);
    k->counted = true;
  }
  return HML_OK;
}

// A level that is not zero is given up once the guard has left it far behind
static hml_status check_level(const hunt *h) {
  hml_post *k = h->k;
  double value;
  if (k->level == 0 || k->side == 0 || k->root < INFINITY) return HML_OK;
  HML_TRY(look(h, k->searched, &value));
  value += k->level;
  if (sign_of(value) == k->side && fabs(value) > 2 * fabs(k->level)) k->level = 0;
  return HML_OK;
}

// ---- guards with a formula

// A sign that changes between a and b, as near each other as the time resolves: with values that grow towards it, it is a pole
static hml_status is_pole(const hunt *h, double a, double fa, double b, double fb, bool *pole) {
  double apart = 1000 * fmax(b - a, h->least), before, behind;
  HML_TRY(look(h, fmax(a - apart, 0), &before));
  HML_TRY(look(h, fmin(b + apart, 1), &behind));
  *pole = fabs(fa) > 30 * fabs(before) && fabs(fb) > 30 * fabs(behind);
  return HML_OK;
}

// Values that may be zero from a to b come near zero indeed, measured by those around. A range alone may hold zero next to a jump or a pole
static hml_status comes_near(const hunt *h, double a, double b, bool *near) {
  double fa, fb, before, behind;
  HML_TRY(look(h, a, &fa));
  HML_TRY(look(h, b, &fb));
  HML_TRY(look(h, fmax(a - STRETCH, 0), &before));
  HML_TRY(look(h, fmin(b + STRETCH, 1), &behind));
  *near = fmax(fabs(fa), fabs(fb)) <= NEAR * fmax(fabs(before), fabs(behind));
  return HML_OK;
}

// What cannot be decided counts by the signs at its ends, and as a zero where these are the same and the values between may vanish
static hml_status see_ends(const hunt *h, double a, double b) {
  double fa, fb;
  bool pole = false, touches = false;
  HML_TRY(look(h, a, &fa));
  HML_TRY(look(h, b, &fb));
  if (fb == 0) return see_zeros(h, a, b);
  if (sign_of(fb) != h->k->side) HML_TRY(is_pole(h, a, fa, b, fb, &pole));
  else if (hml_guard__may_vanish(h->k->guard, h->s, h->piece, h->k->level, a, b)) HML_TRY(comes_near(h, a, b, &touches));
  if (touches) return see_zeros(h, a, b);
  if (pole) h->k->side = sign_of(fb);
  return see(h, a, b, sign_of(fb));
}

// A value that rounding errors may have turned round is left to the next part
static hml_status see_monotone(const hunt *h, double a, double b) {
  double value;
  HML_TRY(look(h, b, &value));
  return hml_guard__may_vanish(h->k->guard, h->s, h->piece, h->k->level, b, b) ? see_zeros(h, b, b) : see(h, a, b, sign_of(value));
}

// Behind zeros a sign counts once the guard is clear of its rounding errors: among these it would come and go
static hml_status see_sign(const hunt *h, double a, double b, signed char sign) {
  hml_post *k = h->k;
  bool zeros = !isnan(k->flat) && !hml_guard__is_clear(k->guard, h->s, h->piece, k->level, 0.5 * (a + b))
               && !hml_guard__is_clear(k->guard, h->s, h->piece, k->level, b);
  return zeros ? see_zeros(h, a, b) : see(h, a, b, sign);
}

// A guard that is one arc over the whole step
static hml_status see_arc(const hunt *h, bool *seen) {
  hml_post *k = h->k;
  hml_arc arc;
  double root;
  const signed char before = k->side;
  *seen = isnan(k->flat) && !is_margin(h->w, h->i) && hml_guard__is_arc(k->guard, h->s, h->piece, k->level, before, &arc);
  if (!*seen) return HML_OK;
  k->searched = 1;
  k->side = sign_of(arc.at_end);
  k->counted = false;
  k->level = 0;
  if (k->side == before || !wanted(h->w, h->i, before)) return HML_OK;
  HML_TRY(close_in(h, arc.top, arc.at_top, 1, arc.at_end, &root));
  meet(h, root, before);
  return HML_OK;
}

// The whole step at once, by the cheap ways. A guard that leaves its root has no sign over the step
static hml_status see_step(const hunt *h, bool *seen) {
  hml_post *k = h->k;
  hml_guard_verdict verdict = HML_GUARD_OPEN;
  if (isnan(k->flat) && !k->leaves) verdict = hml_guard__over_step(k->guard, h->s, h->piece, k->level);
  if (verdict == HML_GUARD_OPEN) return see_arc(h, seen);
  *seen = true;
  k->reach = fmax(k->reach, 1.4 * fabs(h->s->h));
  HML_TRY(see_sign(h, 0, 1, (signed char)verdict));
  return check_level(h);
}

// Five values show a sign where a formula is too large for its ranges, and zeros where all of them are: next to a start on the jump of a sign the states
// are those of the jump, to the last place
static hml_status ask_samples(const hunt *h, double a, double b, hml_guard_verdict *verdict) {
  double v[QUARTERS + 1], least = INFINITY, largest = 0;
  for (int k = 0; k <= QUARTERS; k++) HML_TRY(look(h, a + 0.25 * k * (b - a), v + k));
  for (int k = 0; k <= QUARTERS; k++) least = fmin(least, v[2] < 0 ? -v[k] : v[k]), largest = fmax(largest, fabs(v[k]));
  if (largest == 0) return *verdict = HML_GUARD_FLAT, HML_OK;
  double off = fmax(fabs(v[1] - (3 * v[0] + 6 * v[2] - v[4]) / 8), fabs(v[3] - (3 * v[4] + 6 * v[2] - v[0]) / 8));
  if (least > 4 * off && least > 0) *verdict = v[2] < 0 ? HML_GUARD_BELOW : HML_GUARD_ABOVE;
  return HML_OK;
}

static hml_status judge(const hunt *h, double a, double b, int undecided, hml_guard_verdict *verdict) {
  hml_post *k = h->k;
  *verdict = HML_GUARD_OPEN;
  if (a == 0 && b == 1 && isnan(k->flat) && k->reach < fabs(h->s->h)) return HML_OK;
  HML_TRY(hml_guard__over(k->guard, h->s, h->piece, k->level, a, b, verdict));
  if (*verdict == HML_GUARD_FAINT) {
    bool near;
    HML_TRY(comes_near(h, a, b, &near));
    *verdict = near ? HML_GUARD_FLAT : HML_GUARD_OPEN;
  }
  return *verdict == HML_GUARD_OPEN && undecided > PATIENCE ? ask_samples(h, a, b, verdict) : HML_OK;
}

static hml_status give_up(const hunt *h, double theta) {
  h->w->culprit = h->i, h->w->culprit_time = time_at(h->s, theta);
  return hml_fail(h->w->problem->context, HML_LIMIT, "the roots of a function cannot be told apart near t = %.15g", time_at(h->s, theta));
}

// Fails where a search without an end has found too many roots
static hml_status count_root(const hunt *h) {
  hml_post *k = h->k;
  if (k->root == INFINITY || !h->w->guards->bounded || ++k->roots <= MOST_ROOTS) return HML_OK;
  h->w->culprit = h->i, h->w->culprit_time = time_at(h->s, k->root);
  return hml_fail(h->w->problem->context, HML_LIMIT, "a function has more than %d roots up to t = %.15g", MOST_ROOTS, h->w->culprit_time);
}

static hml_status search(const hunt *h, double limit) {
  hml_post *k = h->k;
  double length = fabs(h->s->h);
  bool at_once = k->searched == 0;
  if (at_once && k->root == INFINITY && limit > 0) {
    bool seen;
    HML_TRY(see_step(h, &seen));
    if (seen) return HML_OK;
  }
  for (int undecided = 0; k->root == INFINITY && k->searched < fmin(limit, 1);) {
    double a = k->searched, reach = k->reach / length, b = at_once || a + 1.2 * reach >= 1 ? 1 : fmin(a + fmax(reach, h->least), 1);
    hml_guard_verdict verdict;
    HML_TRY(judge(h, a, b, undecided, &verdict));
    if (verdict == HML_GUARD_OPEN && (b - a > 2 * h->least || at_once)) {
      k->reach = fmin(k->reach, 0.5 * (b - a) * length);
      at_once = false;
      if (++undecided > MOST_UNDECIDED && h->w->guards->bounded) return give_up(h, a);
      HML_TRY(hml_check_interrupt(h->w->problem->context));
      continue;
    }
    k->reach = fmax(k->reach, 1.4 * (b - a) * length);
    at_once = false;
    if (verdict == HML_GUARD_OPEN) HML_TRY(see_ends(h, a, b));
    else if (verdict == HML_GUARD_FLAT) HML_TRY(see_zeros(h, a, b));
    else if (verdict == HML_GUARD_MONOTONE) HML_TRY(see_monotone(h, a, b));
    else HML_TRY(see_sign(h, a, b, (signed char)verdict));
    HML_TRY(check_level(h));
  }
  return HML_OK;
}

// To the next root, or beyond `limit`
static hml_status follow(const hunt *h, double limit) {
  const bool known = h->k->root < INFINITY;
  HML_TRY(search(h, limit));
  return known ? HML_OK : count_root(h);
}

// ---- guards known by their values

// Extremum towards zero between a and b by golden sections; stops as soon as the sign changes
static hml_status follow_graze(const hunt *h, double a, double b, double sign, double *theta, double *value) {
  const double golden = 0.3819660112501051;
  double x1 = a + golden * (b - a), x2 = b - golden * (b - a), f1, f2;
  HML_TRY(look(h, x1, &f1));
  HML_TRY(look(h, x2, &f2));
  for (int i = 0; i < 60 && b - a > h->least + 1e-9; i++) {
    bool left = sign * f1 < sign * f2;
    *theta = left ? x1 : x2;
    *value = left ? f1 : f2;
    if (sign * *value <= 0) return HML_OK;
    if (left) {
      b = x2, x2 = x1, f2 = f1, x1 = a + golden * (b - a);
      HML_TRY(look(h, x1, &f1));
    } else {
      a = x1, x1 = x2, f1 = f2, x2 = b - golden * (b - a);
      HML_TRY(look(h, x2, &f2));
    }
  }
  return HML_OK;
}

// Does the parabola through three values of one sign come near zero between them?
static bool may_graze(double a, double b, double c) {
  double sign = a < 0 ? -1 : 1;
  if (!(a * c > 0 && a * b > 0)) return false;
  double curvature = a - 2 * b + c, slope = 0.5 * (c - a);
  if (!(sign * curvature > 0) || fabs(slope) >= fabs(curvature)) return false;
  double value = b - 0.5 * slope * slope / curvature;
  return sign * value < NEAR * fmax(fabs(a), fmax(fabs(b), fabs(c)));
}

static double place_of(const hml_watch *w, int k) {
  return k == QUARTERS ? w->sampled_to : w->sampled_from + 0.25 * k * (w->sampled_to - w->sampled_from);
}

static hml_status sample(hml_watch *w, const hml_step *s, const double *piece, int k) {
  double theta = place_of(w, k);
  return hml_watch__values(w, time_at(s, theta), state_on(w, s, piece, theta), w->samples[k]);
}

// Are the samples of all guards that have no formula as parabolas predict them?
static bool dense_enough(const hml_watch *w) {
  for (size_t i = 0; i < w->guards->n; i++) {
    if (!is_sampled(w, i)) continue;
    double v[QUARTERS + 1], size = 0;
    for (int k = 0; k <= QUARTERS; k++) v[k] = w->samples[k][i], size = fmax(size, fabs(v[k]));
    double off = fmax(fabs(v[1] - (3 * v[0] + 6 * v[2] - v[4]) / 8), fabs(v[3] - (3 * v[4] + 6 * v[2] - v[0]) / 8));
    if (off > AS_PREDICTED * size && off > 1e-13 * w->posts[i].size) return false;
  }
  return true;
}

// Zero at all samples of the part: however short it is, ranges cannot distinguish this from a touch
static bool rests(const hml_watch *w, size_t i) {
  for (int k = 0; k <= QUARTERS; k++)
    if (w->samples[k][i] != 0) return false;
  return true;
}

// May a guard that has no formula vanish between the samples, by all that can happen in the part?
static hml_status may_hide(hml_watch *w, const hml_step *s, const double *piece, bool *hides) {
  const hml_problem *p = w->problem;
  const double m = place_of(w, 2), r = 0.5 * (w->sampled_to - w->sampled_from) * (1 + 4 * DBL_EPSILON);
  const double t = time_at(s, m), reach = r * fabs(s->h) + 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1));
  bool known;
  w->box[0] = (hml_range){t - reach, t + reach};
  for (size_t i = 0; i < p->n; i++) w->box[1 + i] = hml_dense__range(p->n, p->pieces, s->y, piece, i, m, r, w->about);
  HML_TRY(w->guards->spread(w->guards->payload, t, state_on(w, s, piece, m), w->box, w->spread, &known));
  *hides = !known && 2 * r > LEAST_KNOWN;
  for (size_t i = 0; i < w->guards->n && known; i++) {
    bool told = fabs(w->samples[2][i] - w->posts[i].level) > w->spread[i] || (2 * r <= LEAST_KNOWN && rests(w, i));
    *hides |= is_sampled(w, i) && w->spread[i] > 0 && !told;
  }
  return HML_OK;
}

// Do the samples of the part show all roots?
static hml_status is_seen(hml_watch *w, const hml_step *s, const double *piece, double least, bool *seen) {
  double length = w->sampled_to - w->sampled_from;
  bool hides = false;
  *seen = length <= fmax(1e4 * least, 1e-6) || dense_enough(w);
  if (*seen && w->guards->spread && length > 1e2 * least) HML_TRY(may_hide(w, s, piece, &hides));
  *seen &= !hides;
  return HML_OK;
}

double hml_watch__pace(const hml_watch *w) {
  for (size_t i = 0; i < w->guards->n; i++)
    if (w->fired[i] && is_sampled(w, i)) return w->reach;
  return INFINITY;
}

// Samples the next part of the step, as long as is safe
static hml_status sample_part(hml_watch *w, const hml_step *s, const double *piece, double least) {
  double length = fabs(s->h);
  if (w->sampled_to > 0) memcpy(w->samples[0], w->samples[QUARTERS], w->guards->n * sizeof(double));
  w->sampled_from = w->sampled_to;
  double reach = w->reach / length;
  w->sampled_to = w->sampled_from + 1.2 * reach >= 1 ? 1 : w->sampled_from + reach;
  for (int k = 1; k <= QUARTERS; k++) HML_TRY(sample(w, s, piece, k));
  for (;;) {
    bool seen;
    HML_TRY(is_seen(w, s, piece, least, &seen));
    if (seen) break;
    double *free_one = w->samples[3], *free_two = w->samples[4];
    w->sampled_to = place_of(w, 2);
    w->reach = (w->sampled_to - w->sampled_from) * length;
    w->samples[4] = w->samples[2], w->samples[2] = w->samples[1], w->samples[1] = free_one, w->samples[3] = free_two;
    HML_TRY(sample(w, s, piece, 1));
    HML_TRY(sample(w, s, piece, 3));
  }
  // values beyond the part do not count: beyond a corner of the forces they may be arbitrarily large
  for (size_t i = 0; i < w->guards->n; i++)
    for (int k = 0; k <= QUARTERS; k++) w->posts[i].size = fmax(w->posts[i].size, fabs(w->samples[k][i]));
  w->reach = fmax(w->reach, 1.4 * (w->sampled_to - w->sampled_from) * length);
  return HML_OK;
}

// The side to which a guard leaves its root, by a look close behind it; where it has the wrong sign there already, ever closer
static hml_status leave_root(const hunt *h, double from, double to) {
  hml_post *k = h->k;
  double distance = FIRST_LOOK * (to - from), value, noise = 1e-13 * k->size;
  HML_TRY(look(h, from + distance, &value));
  if (!(fabs(value) > noise)) {
    if (k->side == 0) k->flat = from, k->flat_time = time_at(h->s, from);
    return HML_OK;
  }
  if (k->side == 0 || sign_of(value) == k->side) return see(h, from, from + distance, sign_of(value));
  double back = distance, end = value;
  while (distance > h->least && opposite(k->side, value)) {
    back = distance, end = value;
    distance *= 0.125;
    HML_TRY(look(h, from + distance, &value));
  }
  if (opposite(k->side, value)) value = copysign(DBL_MIN, k->side);
  signed char before = k->side;
  double root = from + back;
  HML_TRY(close_in(h, from + distance, value, from + back, end, &root));
  k->searched = from + back;
  k->side = sign_of(end);
  if (wanted(h->w, h->i, before)) meet(h, root, before);
  return HML_OK;
}

// Two roots between samples of one sign, where the parabola through them comes near zero
static hml_status see_graze(const hunt *h, int k) {
  const hml_watch *w = h->w;
  double v[3];
  for (int j = 0; j < 3; j++) v[j] = w->samples[k - 1 + j][h->i] - h->k->level;
  if (h->k->searched > place_of(w, k - 1) || !may_graze(v[0], v[1], v[2])) return HML_OK;
  double theta = place_of(w, k), value = v[1];
  HML_TRY(follow_graze(h, place_of(w, k - 1), place_of(w, k + 1), v[1] < 0 ? -1 : 1, &theta, &value));
  if (!opposite(v[1], value)) return HML_OK;
  return value == 0 ? see_zeros(h, theta, theta) : see(h, h->k->searched, theta, sign_of(value));
}

// To the next root in the part that has been sampled, or its end
static hml_status follow_samples(const hunt *h) {
  hml_post *k = h->k;
  const hml_watch *w = h->w;
  if ((k->level != 0 || k->side == 0 || w->samples[0][h->i] == 0) && k->searched == w->sampled_from && isnan(k->flat))
    HML_TRY(leave_root(h, w->sampled_from, w->sampled_to));
  for (int j = 1; j <= QUARTERS && k->root == INFINITY; j++) {
    double theta = place_of(w, j), value = w->samples[j][h->i] - k->level;
    if (theta <= k->searched) continue;
    if (j % 2 == 1) HML_TRY(see_graze(h, j));
    else if (j < QUARTERS) HML_TRY(see_graze(h, j));
    if (k->root < INFINITY || theta <= k->searched) continue;
    if (fabs(value) <= 8 * DBL_EPSILON * k->size) HML_TRY(see_zeros(h, theta, theta));
    else HML_TRY(see(h, k->searched, theta, sign_of(value)));
  }
  return k->root == INFINITY ? check_level(h) : HML_OK;
}

static hml_status search_samples(hml_watch *w, const hml_step *s, const double *piece, double least, double *first) {
  bool any = false;
  for (size_t i = 0; i < w->guards->n; i++) any |= is_sampled(w, i);
  while (any) {
    double next = INFINITY;
    for (size_t i = 0; i < w->guards->n; i++) {
      hunt h = {w, w->posts + i, s, piece, i, least};
      if (!is_sampled(w, i)) continue;
      if (h.k->root == INFINITY && h.k->searched < w->sampled_to) HML_TRY(follow_samples(&h));
      next = fmin(next, h.k->root);
    }
    *first = fmin(*first, next);
    if (next < INFINITY || w->sampled_to >= fmin(*first, 1)) return HML_OK;
    HML_TRY(hml_check_interrupt(w->problem->context));
    HML_TRY(sample_part(w, s, piece, least));
  }
  return HML_OK;
}

// ---- all guards of a step

static void begin_step(hml_watch *w) {
  for (size_t i = 0; i < w->guards->n; i++) {
    hml_post *k = w->posts + i;
    k->searched = 0;
    k->leaves = 0;
    k->jumped = false;
    if (!isnan(k->flat)) k->flat = 0;
  }
  if (w->sampled_to > 0) memcpy(w->samples[0], w->samples[QUARTERS], w->guards->n * sizeof(double));
  w->sampled_from = w->sampled_to = 0;
}

// A step that counts to its end must not leave a margin behind
static hml_status check_margins(const hml_watch *w, const hml_step *s) {
  bool lacks = false;
  for (size_t i = 0; i < w->guards->n; i++) lacks |= is_margin(w, i) && is_sampled(w, i) && w->samples[QUARTERS][i] < 0;
  return lacks && w->guards->lacks ? w->guards->lacks(w->guards->payload, s->t1, s->y1) : HML_OK;
}

// Most steps: guards with a formula are away from zero, and ranges that are known to have one sign hold all of the step
static bool keeps_sign(hml_watch *w, size_t i, const hml_step *s, const double *piece) {
  const hml_post *k = w->posts + i;
  const bool usual = k->guard && has_formula(w, i) && isnan(k->flat) && !k->leaves && k->level == 0 && k->searched == 0 && k->root == INFINITY;
  return usual && k->side != 0 && hml_guard__keeps(k->guard, s, piece, k->side);
}

static bool nothing_happens(hml_watch *w, const hml_step *s, const double *piece) {
  const size_t n = w->guards->n;
  for (size_t i = 0; i < n; i++)
    if (!asleep(w, i) && !keeps_sign(w, i, s, piece)) return false;
  for (size_t i = 0; i < n; i++) {
    hml_post *k = w->posts + i;
    w->fired[i] = false;
    if (asleep(w, i)) continue;
    k->reach = fmax(k->reach, 1.4 * fabs(s->h));
    k->counted = false;
  }
  begin_step(w);
  return true;
}

hml_status hml_watch__search(hml_watch *w, const hml_step *s, const double *piece, double *theta, bool *found) {
  const size_t n = w->guards->n;
  *found = false;
  if (nothing_happens(w, s, piece)) return HML_OK;
  double first = INFINITY, least = SAME_INSTANT * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h) + DBL_EPSILON;
  for (size_t i = 0; i < n; i++) {
    if (asleep(w, i) || !has_formula(w, i)) continue;
    hunt h = {w, w->posts + i, s, piece, i, least};
    HML_TRY(need_guard(w, i));
    HML_TRY(hml_guard__enter(h.k->guard));
    HML_TRY(follow(&h, first));
    first = fmin(first, h.k->root);
  }
  HML_TRY(search_samples(w, s, piece, least, &first));
  for (size_t i = 0; i < n; i++) {
    // roots of the same instant belong together
    w->fired[i] = first < INFINITY && !asleep(w, i) && w->posts[i].root <= first + least;
    if (!w->fired[i]) continue;
    w->posts[i].root = INFINITY;
    w->posts[i].met = time_at(s, first);
  }
  *found = first < INFINITY;
  if (*found) *theta = first;
  if (*found) return HML_OK;
  HML_TRY(check_margins(w, s));
  begin_step(w);
  return HML_OK;
}

void hml_watch__pass(hml_watch *w, size_t i, double theta) {
  hml_post *k = w->posts + i;
  k->searched = theta;
  k->side = k->leaves;
  k->flat = NAN;
  k->met = NAN;
  w->fired[i] = false;
}

hml_status hml_watch__slope(hml_watch *w, const hml_step *s, const double *piece, size_t i, double theta, double *slope) {
  hml_post *k = w->posts + i;
  *slope = NAN;
  if (has_formula(w, i)) {
    HML_TRY(need_guard(w, i));
    return hml_guard__rate(k->guard, s, piece, theta, slope);
  }
  double apart = fmin(1e-3 * fmin(1, w->reach / fabs(s->h)), 0.5 * theta), before, here;
  HML_TRY(hml_watch__value(w, i, time_at(s, theta - apart), state_on(w, s, piece, theta - apart), &before));
  HML_TRY(hml_watch__value(w, i, time_at(s, theta), state_on(w, s, piece, theta), &here));
  *slope = (here - before) / apart;
  return HML_OK;
}

// An event whose root the time does not tell from the end of the piece has it there. It counts by its signs on the way there and on the way that
// the motion would take without the jump.
static hml_status join_root(hml_watch *w, const hml_step *s, const double *piece, size_t i, double theta, double value) {
  hml_post *k = w->posts + i;
  double slope, resolved = AT_JUMP * DBL_EPSILON * (fmax(fabs(s->t), fabs(s->t1)) / fabs(s->h) + 1);
  if (!w->guards->counts || !w->guards->counts[i] || k->counted || k->side == 0) return HML_OK;
  HML_TRY(hml_watch__slope(w, s, piece, i, theta, &slope));
  if (!(fabs(value) <= resolved * fabs(slope))) return HML_OK;
  double before, beyond, way = fmin(STRETCH, 0.5 * theta), at = time_at(s, theta);
  HML_TRY(hml_watch__value(w, i, time_at(s, theta - way), state_on(w, s, piece, theta - way), &before));
  // a function of the user may have no value there: its roots are taken for crossings
  beyond = has_formula(w, i) ? hml_guard__value_on(k->guard, s, piece, theta + way) - k->level : -before;
  bool met = fabs(at - k->met) <= resolved * fabs(s->h), touches = !(before * beyond <= 0);
  k->at_root = true;
  k->crossing = sign_of(before);
  k->met = at;
  w->fired[i] = !met && (touches ? w->guards->direction[i] == HML_EITHER : wanted(w, i, k->crossing));
  return HML_OK;
}

hml_status hml_watch__join(hml_watch *w, const hml_step *s, const double *piece, double theta, double t, const double *y) {
  bool sampled = false;
  for (size_t i = 0; i < w->guards->n; i++) sampled |= is_sampled(w, i) && !w->fired[i];
  // `start` and `residue` are filled anew where the next piece begins
  if (sampled) {
    HML_TRY(hml_watch__values(w, time_at(s, theta), state_on(w, s, piece, theta), w->start));
    HML_TRY(hml_watch__values(w, t, y, w->residue));
  }
  for (size_t i = 0; i < w->guards->n; i++) {
    double level = w->posts[i].level, before = w->start[i] - level, here = w->residue[i] - level;
    w->posts[i].at_root = false;
    if (asleep(w, i) || w->fired[i]) continue;
    if (!is_sampled(w, i)) {
      HML_TRY(hml_watch__value(w, i, time_at(s, theta), state_on(w, s, piece, theta), &before));
      HML_TRY(hml_watch__value(w, i, t, y, &here));
    }
    HML_TRY(join_root(w, s, piece, i, theta, here));
    if (w->posts[i].at_root) continue;
    w->fired[i] = before * here < 0 && wanted(w, i, sign_of(before));
    if (w->fired[i]) w->posts[i].crossing = sign_of(before);
  }
  return HML_OK;
}
