// impulsive.c: momenta, the energy and the constraints of a run on both sides of corners that change (mechanics/impulse.c), with the same states. Where one of
// them jumps, a motion with finite forces does not exist: an impulse acts there, which no right-hand side shows.
//
// Both sides are compared at a state on the corners themselves, to which the end of the step is moved along their gradients: so the values of a function
// that is continuous there differ by rounding alone. Where a formula has no value on its corner, as abs(x)/x, the states compared are a little beside it.
//
// Corners that are met at one instant by chance are crossed one after the other by motions beside this one, in any order. Where values jump at all of them together, each
// is compared alone, with the others on either side: what one of them explains, as a reaction of its place, explains no jump at another. Corners with the same place, as
// two switches of one time, change together.
#include "integrate/impulsive.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define PART 0.1                       // of the tolerances: what a jump may be
#define LOOSE 1e-6                     // the largest tolerance that counts here
#define BESIDE 1e-9                    // of the sizes of time and states: so far beside a corner
#define BESIDE_DOUBT 1e3               // times that: what a jump may be there
#define APART 1e-6                     // of the sizes of time and states: an argument so far from its corner is not on it
#define PARALLEL 1e-9                  // sine of the angle between normals of one place
enum { CORRECTIONS = 2, ALL_ORDERS = 4 };   // ALL_ORDERS: places that are crossed in every order; of more the first order and its reverse

#define NONE SIZE_MAX                  // places
#define ALL SIZE_MAX

struct hml_impulsive {
  hml_context *context;
  hml_workspace *w;
  const hml_branch *branches;
  size_t n_branches, n_state, n_held;
  double t;
  bool *changed;                       // (n_branches)
  size_t *place, n_places;             // (n_branches) of those changed: which place; NONE: it follows from other corners
  bool *crossed, *crosses;             // (n_branches) places with the sides behind them; corners of the place that is compared
  double *normals;                     // (n_branches x (1 + n_state)) in units of the sizes, of length one
  double *y, *gradient, *errors;       // (n_state), errors: then of the velocities
  double *corner;                      // (n_state) on all corners that have changed
  double *held, *now;                  // the sides before and behind
  double *values[2], *blur;            // (impulse outputs)
  double *work, *scratch;              // of the values, of an argument
  void *memory;
  size_t size;
};

// ---- memory

#define IMPULSIVE_FIELDS(FIELD)                                            \
  FIELD(bool, changed, i->n_branches)                                      \
  FIELD(bool, crossed, i->n_branches)                                      \
  FIELD(bool, crosses, i->n_branches)                                      \
  FIELD(size_t, place, i->n_branches)                                      \
  FIELD(double, normals, i->n_branches * (1 + i->n_state))                 \
  FIELD(double, corner, i->n_state)                                        \
  FIELD(double, now, i->n_held)                                            \
  FIELD(double, y, i->n_state)                                             \
  FIELD(double, gradient, i->n_state)                                      \
  FIELD(double, errors, i->n_state + hml_model__impulse_outputs(m) - hml_model__impulse_values(m))   \
  FIELD(double, held, i->n_held)                                           \
  FIELD(double, values[0], hml_model__impulse_outputs(m))                  \
  FIELD(double, values[1], hml_model__impulse_outputs(m))                  \
  FIELD(double, blur, hml_model__impulse_outputs(m))                       \
  FIELD(double, work, hml_model__impulse_room(m))                          \
  FIELD(double, scratch, scratch)

// Returns the bytes needed; with a block the pointers are set
static size_t lay_out(hml_impulsive *i, const hml_model *m, char *block, size_t scratch) {
  size_t at = 0;
#define FIELD(type, name, count)                      \
  if (block) i->name = (type *)(void *)(block + at);   \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  IMPULSIVE_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

void hml_impulsive__close(hml_impulsive *i) {
  if (!i) return;
  hml_dealloc(i->context, i->memory, i->size);
  hml_dealloc(i->context, i, sizeof *i);
}

hml_status hml_impulsive__open(hml_workspace *w, hml_impulsive **out) {
  const hml_model *m = hml_workspace__model(w);
  hml_context *c = hml_workspace__context(w);
  size_t scratch = 0;
  *out = NULL;
  if (!hml_model__impulse_values(m)) return HML_OK;
  hml_impulsive *i = hml_alloc(c, sizeof *i);
  if (!i) return HML_MEMORY;
  *i = (hml_impulsive){.context = c, .w = w, .n_state = hml_model_state_size(m), .n_held = hml_model__sizes(m).held};
  i->branches = hml_model__branches(m, &i->n_branches);
  for (size_t k = 0; k < i->n_branches; k++) {
    size_t needed = hml_formula__scratch(&i->branches[k].argument);
    scratch = needed > scratch ? needed : scratch;
  }
  i->size = lay_out(i, m, NULL, scratch);
  i->memory = hml_alloc(c, i->size);
  if (!i->memory) {
    hml_impulsive__close(i);
    return HML_MEMORY;
  }
  lay_out(i, m, i->memory, scratch);
  *out = i;
  return HML_OK;
}

// ---- both sides

static hml_guard_formula argument_of(const hml_impulsive *i, size_t k) {
  const hml_model_sizes sizes = hml_model__sizes(hml_workspace__model(i->w));
  hml_guard_formula f = i->branches[k].argument;
  f.constants = hml_workspace__inputs(i->w) + 1 + sizes.kin + sizes.dyn;
  return f;
}

void hml_impulsive__before(hml_impulsive *i, double t, const double *y) {
  if (!i) return;
  i->t = t;
  memcpy(i->y, y, i->n_state * sizeof *y);
  if (i->n_held) memcpy(i->held, hml_workspace__held(i->w, 0), i->n_held * sizeof *i->held);
}

static bool has_changed(const hml_impulsive *i, size_t k) {
  const double *now = hml_workspace__held(i->w, k), *before = i->held + (now - hml_workspace__held(i->w, 0));
  return memcmp(now, before, (i->branches[k].table ? HML_TABLE_HELD : HML_SIGN_HELD) * sizeof *now) != 0;
}

// How far the argument is from its corner
static double off_corner(const hml_impulsive *i, size_t k, const hml_guard_formula *f) {
  const double u = hml_formula__value(f, i->n_state, i->t, i->y, i->scratch), *now = hml_workspace__held(i->w, k);
  if (!i->branches[k].table) return u;
  return fabs(u - now[0]) < fabs(u - now[1]) ? u - now[0] : u - now[1];
}

// Fills `gradient`; returns its square
static double gradient_of(hml_impulsive *i, const hml_guard_formula *f) {
  double square = 0, size;
  memset(i->errors, 0, i->n_state * sizeof *i->errors);
  for (size_t j = 0; j < i->n_state; j++) {
    i->errors[j] = 1;
    i->gradient[j] = hml_formula__slope(f, i->n_state, i->t, i->y, 0, i->errors, &size, i->scratch);
    i->errors[j] = 0;
    square += i->gradient[j] * i->gradient[j];
  }
  return square;
}

static void move_onto(hml_impulsive *i, size_t k) {
  const hml_guard_formula f = argument_of(i, k);
  const double square = gradient_of(i, &f), by = off_corner(i, k, &f) / square;
  for (size_t j = 0; square > 0 && isfinite(by) && j < i->n_state; j++) i->y[j] -= by * i->gradient[j];
}

// To that side of a sign: along its gradient, or in time where it contains no states
static void move_beside(hml_impulsive *i, size_t k, double side) {
  const hml_guard_formula f = argument_of(i, k);
  const double square = gradient_of(i, &f);
  double size;
  for (size_t j = 0; square > 0 && j < i->n_state; j++) i->y[j] += side * BESIDE * (1 + fabs(i->y[j])) * i->gradient[j] / sqrt(square);
  if (square > 0) return;
  memset(i->errors, 0, i->n_state * sizeof *i->errors);
  const double rate = hml_formula__slope(&f, i->n_state, i->t, i->y, 1, i->errors, &size, i->scratch);
  i->t += (rate < 0 ? -side : side) * BESIDE * (1 + fabs(i->t));
}

// ---- places

// The normal of a corner, by time and states in units of their sizes; returns its length, and makes it one
static double normal_of(hml_impulsive *i, size_t k) {
  const hml_guard_formula f = argument_of(i, k);
  double *normal = i->normals + k * (1 + i->n_state), length, size;
  gradient_of(i, &f);
  memset(i->errors, 0, i->n_state * sizeof *i->errors);
  normal[0] = hml_formula__slope(&f, i->n_state, i->t, i->y, 1, i->errors, &size, i->scratch) * (1 + fabs(i->t));
  length = fabs(normal[0]);
  for (size_t j = 0; j < i->n_state; j++) {
    normal[1 + j] = i->gradient[j] * (1 + fabs(i->y[j]));
    length = hypot(length, normal[1 + j]);
  }
  for (size_t j = 0; length > 0 && j <= i->n_state; j++) normal[j] /= length;
  return length;
}

static bool are_parallel(const hml_impulsive *i, size_t one, size_t other) {
  const double *a = i->normals + one * (1 + i->n_state), *b = i->normals + other * (1 + i->n_state);
  double along = 0, across = 0;
  for (size_t j = 0; j <= i->n_state; j++) along += a[j] * b[j];
  for (size_t j = 0; j <= i->n_state; j++) across = hypot(across, a[j] - along * b[j]);
  return across <= PARALLEL;
}

// A corner that is not on its place has changed because others have, on which its argument depends
static void find_place(hml_impulsive *i, size_t k) {
  const hml_guard_formula f = argument_of(i, k);
  i->place[k] = NONE;
  if (!i->changed[k] || !(fabs(off_corner(i, k, &f)) <= APART * normal_of(i, k))) return;
  for (size_t j = 0; j < k && i->place[k] == NONE; j++)
    if (i->changed[j] && i->place[j] != NONE && are_parallel(i, j, k)) i->place[k] = i->place[j];
  if (i->place[k] == NONE) i->place[k] = i->n_places++;
}

static void find_places(hml_impulsive *i) {
  i->n_places = 0;
  for (size_t k = 0; k < i->n_branches; k++) find_place(i, k);
  if (i->n_places) return;
  for (size_t k = 0; k < i->n_branches; k++)
    if (i->changed[k]) i->place[k] = 0;
  i->n_places = 1;
}

// ---- sides

static bool is_crossed(const hml_impulsive *i, size_t k) {
  return i->place[k] != NONE && i->crossed[i->place[k]];
}

static bool is_behind(hml_impulsive *i, size_t k, const double *behind) {
  const hml_guard_formula f = argument_of(i, k);
  const double u = hml_formula__value(&f, i->n_state, i->t, i->y, i->scratch);
  return i->branches[k].table ? u >= behind[0] && u <= behind[1] : (u > 0) - (u < 0) == (int)*behind;
}

// Sides behind the places that are crossed, before the others
static void put_sides(hml_impulsive *i) {
  double *first = (double *)hml_workspace__held(i->w, 0);
  for (size_t k = 0; k < i->n_branches; k++) {
    double *held = (double *)hml_workspace__held(i->w, k);
    const double *before = i->held + (held - first), *behind = i->now + (held - first);
    const bool is = i->place[k] != NONE ? is_crossed(i, k) : i->changed[k] && is_behind(i, k, behind);
    memcpy(held, is ? behind : before, (i->branches[k].table ? HML_TABLE_HELD : HML_SIGN_HELD) * sizeof *held);
  }
}

// On a corner of place a constraint may leave open which of its branches holds
static bool is_in_place(hml_impulsive *i, size_t k) {
  const hml_guard_formula f = argument_of(i, k);
  return gradient_of(i, &f) > 0;
}

static hml_status explain(hml_impulsive *i, size_t which) {
  const char *what = hml_model__impulse_text(hml_workspace__model(i->w), which);
  const double jump = i->values[1][which] - i->values[0][which];
  size_t k = 0;
  while (!i->crosses[k]) k++;
  const hml_branch *b = i->branches + k;
  char place[400];
  if (b->table) snprintf(place, sizeof place, "where %s(%s) passes a point of its data", hml_tabled__name(b->table), b->text);
  else snprintf(place, sizeof place, "%s = 0", b->text);
  if (hml_model__impulse_is_position(hml_workspace__model(i->w), which))
    return hml_fail(i->context, HML_IMPULSE, "at t = %.10g, at the corner %s, %s jumps by %.6g although the state does not: nothing is at another place at once, and the equations "
                    "do not say with which velocities it arrives there; let it move there in a short time or over a short way, as by hm.ramp in place of hm.step, or start "
                    "another run here with the state behind the jump", i->t, place, what, jump);
  return hml_fail(i->context, HML_IMPULSE, "at t = %.10g, at the corner %s, %s jumps by %.6g although the state does not: this takes an impulse, which the equations lack; replace the "
                  "jump by a smooth change over a short time or way (a prescribed motion by one without jumps of its speed, a bent constraint by one of its branches), or start "
                  "another run %s with the velocities after the impulse",
                  i->t, place, what, jump, is_in_place(i, k) ? "a little beyond this corner" : "here");
}

// The states: on all corners, or beside them on the sides of these
static void put_states(hml_impulsive *i, bool beside) {
  memcpy(i->y, i->corner, i->n_state * sizeof *i->y);
  for (size_t k = 0; beside && k < i->n_branches; k++)
    if (i->place[k] != NONE && !i->branches[k].table) move_beside(i, k, *hml_workspace__held(i->w, k));
}

static void find_values(hml_impulsive *i, bool beside, const double *before, double *out) {
  const double t = i->t;
  put_sides(i);
  put_states(i, beside);
  hml_workspace__impulse_values(i->w, i->t, i->y, before, out, i->work);
  i->t = t;
}

// Puts a place, or ALL of them, before or behind its sides
static void set_crossed(hml_impulsive *i, size_t place, bool crossed) {
  for (size_t j = 0; j < i->n_places; j++)
    if (place == ALL || place == j) i->crossed[j] = crossed;
}

// The values before a place and behind it
static void both_sides(hml_impulsive *i, size_t place, bool beside) {
  set_crossed(i, place, false);
  find_values(i, beside, NULL, i->values[0]);
  set_crossed(i, place, true);
  find_values(i, beside, i->values[0], i->values[1]);
}

// What rounding may make of their differences
static void find_blur(hml_impulsive *i, size_t place, double time) {
  memset(i->blur, 0, hml_model__impulse_values(hml_workspace__model(i->w)) * sizeof *i->blur);
  hml_workspace__impulse_blur(i->w, time, i->t, i->y, i->values[0], i->blur, i->work);
  set_crossed(i, place, false);
  put_sides(i);
  hml_workspace__impulse_blur(i->w, time, i->t, i->y, i->values[0], i->blur, i->work);
  set_crossed(i, place, true);
  put_sides(i);
}

static hml_status find(hml_impulsive *i, const double *blur, size_t *which) {
  return hml_workspace__find_impulse(i->w, i->t, i->y, i->errors, i->values[0], i->values[1], blur, i->crosses, i->work, which);
}

static bool have_values(const hml_impulsive *i) {
  const size_t n = hml_model__impulse_values(hml_workspace__model(i->w));
  for (size_t k = 0; k < n; k++)
    if (!isfinite(i->values[0][k] + i->values[1][k])) return false;
  return true;
}

// Of the states, then of the velocities; least: of their sizes
static void fill_errors(hml_impulsive *i, double rtol, double atol, double least) {
  const hml_model *m = hml_workspace__model(i->w);
  const size_t values = hml_model__impulse_values(m), n = i->n_state + hml_model__impulse_outputs(m) - values;
  for (size_t j = 0; j < n; j++) {
    const double size = fabs(j < i->n_state ? i->y[j] : i->values[0][values + j - i->n_state]);
    i->errors[j] = fmax(PART * (fmin(rtol, LOOSE) * size + fmin(atol, LOOSE)), least * (1 + size));
  }
}

typedef struct tolerances {
  double time, rtol, atol;
} tolerances;

// Looks for a value that jumps at a place, or at ALL of them, and that no place in `crosses` explains; SIZE_MAX: none. The sides of the others are given
static hml_status compare(hml_impulsive *i, size_t place, const tolerances *given, size_t *which) {
  both_sides(i, place, false);
  const bool beside = !have_values(i);
  if (beside) both_sides(i, place, true);
  fill_errors(i, given->rtol, given->atol, beside ? BESIDE_DOUBT * BESIDE : 0);
  HML_TRY(find(i, NULL, which));
  if (*which == SIZE_MAX) return HML_OK;
  find_blur(i, place, given->time);
  return find(i, i->blur, which);
}

static hml_status cross(hml_impulsive *i, size_t place, const tolerances *given) {
  size_t which;
  for (size_t k = 0; k < i->n_branches; k++) i->crosses[k] = i->place[k] == place;
  HML_TRY(compare(i, place, given, &which));
  return which == SIZE_MAX ? HML_OK : explain(i, which);
}

// With the others on all sides
static hml_status cross_each(hml_impulsive *i, const tolerances *given) {
  for (size_t sides = 0; sides < (size_t)1 << i->n_places; sides++)
    for (size_t place = 0; place < i->n_places; place++) {
      if (sides >> place & 1) continue;
      for (size_t j = 0; j < i->n_places; j++) i->crossed[j] = sides >> j & 1;
      HML_TRY(cross(i, place, given));
    }
  return HML_OK;
}

static hml_status cross_in_order(hml_impulsive *i, bool reverse, const tolerances *given) {
  memset(i->crossed, 0, i->n_places * sizeof *i->crossed);
  for (size_t j = 0; j < i->n_places; j++) HML_TRY(cross(i, reverse ? i->n_places - 1 - j : j, given));
  return HML_OK;
}

static hml_status cross_all(hml_impulsive *i, const tolerances *given) {
  size_t which;
  if (i->n_places > 1) {
    memset(i->crosses, 0, i->n_branches * sizeof *i->crosses);
    HML_TRY(compare(i, ALL, given, &which));
    if (which == SIZE_MAX) return HML_OK;
  }
  if (i->n_places <= ALL_ORDERS) return cross_each(i, given);
  HML_TRY(cross_in_order(i, false, given));
  return cross_in_order(i, true, given);
}

hml_status hml_impulsive__after(hml_impulsive *i, double time, double rtol, double atol) {
  bool any = false;
  if (!i) return HML_OK;
  for (size_t k = 0; k < i->n_branches; k++) any |= i->changed[k] = has_changed(i, k);
  if (!any) return HML_OK;
  find_places(i);
  for (int pass = 0; pass < CORRECTIONS; pass++)
    for (size_t k = 0; k < i->n_branches; k++)
      if (i->place[k] != NONE) move_onto(i, k);
  double *held = (double *)hml_workspace__held(i->w, 0);
  memcpy(i->corner, i->y, i->n_state * sizeof *i->y);
  memcpy(i->now, held, i->n_held * sizeof *held);
  const hml_status status = cross_all(i, &(tolerances){time, rtol, atol});
  memcpy(held, i->now, i->n_held * sizeof *held);
  return status;
}
