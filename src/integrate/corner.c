// corner.c: corners of the forces along a run. Each is a guard; at its root the step ends, the side that the motion enters is held from there
// on (mechanics/branch.c), and each piece is a smooth problem for the method. How roots are found is event.c.
//
// The side is that to which the argument u moves with the rate that holds on that side: by u' where that is clear, else by u a short way along
// the motion. Where both sides lead back, no side is entered: the motion slides along the corner (Filippov 1988), which formulas with a sign
// do not determine for a method; the run ends there, unless u stays zero with the value zero of the sign, as at rest.
//
// Where several sides lead on, or one does and u may stay zero as well, several motions begin: x'' = sign(x) has rest and x = t^2/2. A run neither
// starts on such a place, nor follows a motion that touches it within the tolerances.
//
// Points of measured data are ends of intervals, which most motions pass as smoothly as the curve does. Where linear data bend in place, their rate
// jumps as a sign does: such a point is a corner like the others, with the mean of both rates for a motion that stays on it.
#include "integrate/corner.h"

#include "integrate/impulsive.h"
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS = 5, CROWD = 100, TOGETHER = 4, SIDES = 3, QUARTERS = 4, CORRECTIONS = 3, HALVINGS = 50 };   // TOGETHER: corners whose sides are tried in all combinations
#define CLEAR 1e-10                    // of the sizes that it adds up: a rate that is not rounding
#define NOISE 64                       // units in the last place: a value that is not rounding
#define FIRST_LOOK 1e-6                // of the time in which the state changes by its size,
#define LAST_LOOK 0.2                  // up to which a look ahead goes
#define APART 1e-6                     // of the sizes that the argument adds up: it is not on its corner
#define CROWDED 1e-9                   // of the run: so little time for CROWD corners
#define WITHIN 10                      // tolerances: a motion that comes so near a corner may be meant to touch it
#define WITHIN_FIXED 1e4               // the same of fixed steps, whose errors the tolerances do not bound
#define SHORT 1e-4                     // of the pace: over which the rate of u' is taken
#define NEAR 0.1                       // of the argument round it: a minimum that is looked at
#define AT_START 1e-6                  // of a step
#define FLIGHT 1e3                     // times what the argument may be off: shorter flights are those of impacts that accumulate in a corner
#define BENT 1e-3                      // of the gradients: a change that is a corner, and no curve over the way to both sides
#define RETURNS 1e-2                   // of the rate of u' on this side: less, beyond the corner, does not bring the motion back

typedef enum leaning { BACK = -1, STAYS, ON } leaning;

struct hml_corners {
  hml_context *context;
  hml_workspace *w;
  const hml_branch *branches;
  size_t n, n_state;
  hml_corner_run run;
  hml_corner_lists lists;
  hml_guard_formula *arguments, *guards;   // of the branches, with the constants of the workspace
  bool *ended;                         // a table that has no interval beyond its end
  double *at;                          // value of the argument on the corner looked at: 0 of a sign, a point of a table
  bool *on;                            // met at this instant, so that its side is yet to be decided
  signed char *came;                   // side from which a corner was met
  bool *rests;                         // the motion was on it before, at rest
  double crowd_since;                  // time of the corner CROWD corners ago
  size_t crowd;
  double within;                       // tolerances that states may be off
  double *vectors, *state, *scratch;
  hml_impulsive *impulsive;            // NULL: nothing takes an impulse where it jumps
  void *memory;
  size_t size;
};

// ---- memory

#define CORNER_FIELDS(FIELD)                                \
  FIELD(hml_guard_formula, arguments, c->n)                 \
  FIELD(hml_guard_formula, guards, c->n)                    \
  FIELD(double, at, c->n)                                   \
  FIELD(bool, ended, c->n)                                  \
  FIELD(bool, on, c->n)                                     \
  FIELD(signed char, came, c->n)                            \
  FIELD(bool, rests, c->n)                                  \
  FIELD(double, vectors, VECTORS * c->n_state)              \
  FIELD(double, state, c->n_state)                          \
  FIELD(double, scratch, scratch)

// Returns the bytes needed; with a block the pointers are set
static size_t lay_out(hml_corners *c, char *block, size_t scratch) {
  size_t at = 0;
#define FIELD(type, name, count)                      \
  if (block) c->name = (type *)(void *)(block + at);   \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  CORNER_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

void hml_corners__close(hml_corners *c) {
  if (!c) return;
  hml_impulsive__close(c->impulsive);
  hml_dealloc(c->context, c->memory, c->size);
  hml_dealloc(c->context, c, sizeof *c);
}

static size_t larger(size_t a, size_t b) {
  return a > b ? a : b;
}

hml_status hml_corners__open(hml_workspace *w, hml_corners **out) {
  const hml_model *m = hml_workspace__model(w);
  const hml_model_sizes sizes = hml_model__sizes(m);
  hml_context *context = hml_workspace__context(w);
  size_t n, scratch = 0;
  const hml_branch *branches = hml_model__branches(m, &n);
  *out = NULL;
  if (!n) return HML_OK;
  hml_corners *c = hml_alloc(context, sizeof *c);
  if (!c) return HML_MEMORY;
  *c = (hml_corners){.context = context, .w = w, .branches = branches, .n = n, .n_state = hml_model_state_size(m)};
  for (size_t i = 0; i < n; i++) {
    scratch = larger(scratch, hml_formula__scratch(&branches[i].guard));
    scratch = larger(scratch, hml_formula__scratch(&branches[i].argument));
  }
  c->size = lay_out(c, NULL, scratch);
  c->memory = hml_alloc(context, c->size);
  if (!c->memory) {
    hml_corners__close(c);
    return HML_MEMORY;
  }
  lay_out(c, c->memory, scratch);
  const double *parameters = hml_workspace__inputs(w) + 1 + sizes.kin + sizes.dyn;
  for (size_t i = 0; i < n; i++) {
    c->arguments[i] = branches[i].argument;
    c->guards[i] = branches[i].guard;
    c->arguments[i].constants = c->guards[i].constants = parameters;
  }
  hml_status status = hml_impulsive__open(w, &c->impulsive);
  if (status == HML_OK) *out = c;
  else hml_corners__close(c);
  return status;
}

size_t hml_corners__count(const hml_corners *c) {
  return c ? c->n : 0;
}

// ---- values and rates

static double argument(hml_corners *c, size_t i, double t, const double *y) {
  return hml_formula__value(c->arguments + i, c->n_state, t, y, c->scratch);
}

hml_status hml_corners__values(hml_corners *c, double t, const double *y, double *out) {
  for (size_t i = 0; i < c->n; i++) {
    out[i] = hml_formula__value(c->guards + i, c->n_state, t, y, c->scratch);
    if (!isfinite(out[i])) return hml_fail(c->context, HML_NOT_FINITE, "%s is %s at t = %.10g", c->branches[i].text, isnan(out[i]) ? "not a number" : "infinite", t);
  }
  return HML_OK;
}

static double sign_of_run(const hml_corners *c) {
  return c->run.t1 < c->run.t0 ? -1 : 1;
}

// u' along the run by f; zero where it is rounding
static double clear_slope(hml_corners *c, size_t i, double t, const double *y, const double *f) {
  double size, slope = hml_formula__slope(c->arguments + i, c->n_state, t, y, 1, f, &size, c->scratch);
  return fabs(slope) > CLEAR * size ? sign_of_run(c) * slope : 0;
}

// The time in which the state changes by about its size
static double pace(const hml_corners *c, const double *y, const double *f) {
  double left = fabs(c->run.t1 - c->run.t0), size = 0, rate = 0;
  for (size_t i = 0; i < c->n_state; i++) {
    size = fmax(size, fabs(y[i]));
    rate = fmax(rate, fabs(f[i]));
  }
  double natural = rate > 0 ? size / rate : left;
  return fmin(fmax(natural, 1e-3 * left), left);
}

// The sizes that the argument adds up, and by which it moves meanwhile: their rounding is that of the argument at a root
static double scale(hml_corners *c, size_t i, double t, const double *y, const double *f) {
  double of_state, of_time;
  hml_formula__slope(c->arguments + i, c->n_state, t, y, t, y, &of_state, c->scratch);
  hml_formula__slope(c->arguments + i, c->n_state, t, y, 1, f, &of_time, c->scratch);
  return of_state + fmax(fabs(t), pace(c, y, f)) * of_time;
}

// The classical step of order four, from y with the rate f there; uses the vectors after f
static hml_status short_step(hml_corners *c, double t, const double *y, const double *f, double h, double *out) {
  const size_t n = c->n_state;
  double *stage = c->vectors + 2 * n, *k = stage + n;
  const double before[3] = {0.5, 0.5, 1}, weights[4] = {1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
  const double *slope = f;
  for (size_t i = 0; i < n; i++) out[i] = y[i] + h * weights[0] * f[i];
  for (int j = 0; j < 3; j++) {
    for (size_t i = 0; i < n; i++) stage[i] = y[i] + h * before[j] * slope[i];
    HML_TRY(c->run.rhs(c->run.payload, t + before[j] * h, stage, k));
    slope = k;
    for (size_t i = 0; i < n; i++) out[i] += h * weights[j + 1] * k[i];
  }
  return HML_OK;
}

// The sign of the argument a short way along the motion, less its value here; 0: it stays
static hml_status look_ahead(hml_corners *c, size_t i, double t, const double *y, const double *f, int *sign) {
  double *ahead = c->vectors + 4 * c->n_state, here = argument(c, i, t, y), bound = NOISE * DBL_EPSILON * scale(c, i, t, y, f), unit = pace(c, y, f);
  *sign = 0;
  for (double part = FIRST_LOOK; part < LAST_LOOK && *sign == 0; part *= 10) {
    double h = sign_of_run(c) * part * unit;
    HML_TRY(short_step(c, t, y, f, h, ahead));
    double value = argument(c, i, t + h, ahead) - here;
    if (fabs(value) > bound) *sign = value < 0 ? -1 : 1;
  }
  return HML_OK;
}

// ---- places

// The end of a table's interval that is nearer
static double nearer(const double *held, double u) {
  return fabs(u - held[0]) < fabs(u - held[1]) ? held[0] : held[1];
}

// The corner beside which the argument is, which is looked at from here on
static double place(hml_corners *c, size_t i, double t, const double *y) {
  return c->at[i] = c->branches[i].table ? nearer(hml_workspace__held(c->w, i), argument(c, i, t, y)) : 0;
}

// Does the place looked at part motions as a sign does?
static bool bends(const hml_corners *c, size_t i) {
  return !c->branches[i].table || hml_workspace__bends(c->w, i, c->at[i]);
}

// The side of that place which is held
static int side_held(const hml_corners *c, size_t i) {
  const double *held = hml_workspace__held(c->w, i);
  if (!c->branches[i].table) return (int)*held;
  return held[0] == held[1] ? 0 : c->at[i] == held[0] ? 1 : -1;
}

static hml_status hold(hml_corners *c, size_t i, int side) {
  return c->branches[i].table && side == 0 ? hml_workspace__take_bend(c->w, i, c->at[i]) : hml_workspace__take_side(c->w, i, side, c->at[i]);
}

// ---- sides

// The state is on the other side of a corner than is held, or off the interval: by how much
static double beyond(const hml_corners *c, size_t i, double u) {
  const double *held = hml_workspace__held(c->w, i);
  if (c->branches[i].table) return c->ended[i] ? 0 : fmax(0, fmax(held[0] - u, u - held[1]));
  return (u > 0) - (u < 0) == (int)*held ? 0 : fabs(u);
}

static void follow(hml_corners *c, size_t i, int side) {
  bool table = c->branches[i].table != 0 && side != 0;                   // in an interval
  c->lists.direction[i] = table || side > 0 ? HML_FALLING : side < 0 ? HML_RISING : HML_LEAVING;
  c->lists.side[i] = (signed char)(table ? 1 : side);
}

// The side where the argument is, more than `least` of its size beyond the one held; on no corner
static hml_status refresh(hml_corners *c, size_t i, double least, double t, const double *y) {
  double u = argument(c, i, t, y), off = beyond(c, i, u), *f = c->vectors;
  if (off == 0) return HML_OK;
  HML_TRY(c->run.rhs(c->run.payload, t, y, f));
  if (off <= least * scale(c, i, t, y, f)) return HML_OK;
  int side = (u > 0) - (u < 0);
  bool table = c->branches[i].table != 0;
  HML_TRY(hml_workspace__take_side(c->w, i, table ? 0 : side, u));
  follow(c, i, table ? 1 : side);
  c->lists.side[i] = 0;
  c->on[i] = false;
  return HML_OK;
}

// Arguments may contain corners that precede them in the list: their sides are updated
static hml_status settle(hml_corners *c, double t, const double *y) {
  for (size_t i = 0; i < c->n; i++)
    if (!c->on[i]) HML_TRY(refresh(c, i, NOISE * DBL_EPSILON, t, y));
  return HML_OK;
}

static hml_status put(hml_corners *c, size_t i, int side, double t, const double *y) {
  place(c, i, t, y);                   // of a table: the point that was met, without rounding
  HML_TRY(hold(c, i, side));
  return settle(c, t, y);
}

// Where does the motion of that side lead: on into it, or back over the corner?
static hml_status lean(hml_corners *c, size_t i, int side, double t, const double *y, leaning *out) {
  double *f = c->vectors;
  int sign;
  HML_TRY(put(c, i, side, t, y));
  HML_TRY(c->run.rhs(c->run.payload, t, y, f));
  double slope = clear_slope(c, i, t, y, f);
  if (slope != 0) return *out = slope * side > 0 ? ON : BACK, HML_OK;
  memcpy(c->vectors + c->n_state, f, c->n_state * sizeof *f);
  HML_TRY(look_ahead(c, i, t, y, c->vectors + c->n_state, &sign));
  *out = sign == 0 ? STAYS : sign == side ? ON : BACK;
  return HML_OK;
}

static hml_status parts(const hml_corners *c, size_t i, double t) {
  if (c->branches[i].of_constraint)
    return hml_fail(c->context, HML_SINGULAR,
                    "the motion from t = %.10g on is not unique: a constraint has a corner where %s = 0, and more than one of its branches leads on from there; "
                    "start beside this corner, or declare one branch of the constraint", t, c->branches[i].text);
  return hml_fail(c->context, HML_SINGULAR,
                  "the motion from t = %.10g on is not unique: the forces jump at %s = %.10g, so that it may stay there or leave, or leave to either side; "
                  "start beside this corner, or take a smooth law, such as tanh in place of sign", t, c->branches[i].text, c->at[i]);
}

static hml_status slides(const hml_corners *c, size_t i, double t) {
  if (c->branches[i].of_constraint)
    return hml_fail(c->context, HML_SINGULAR,
                    "at t = %.10g a constraint has a corner where %s = 0, and the motions on all its branches lead back there, so that none goes on; "
                    "declare one branch of the constraint, or round the corner off", t, c->branches[i].text);
  return hml_fail(c->context, HML_SINGULAR,
                  "at t = %.10g the forces drive the motion back to %s = %.10g from both sides, so that it slides along this corner, where they have no value; "
                  "for dry friction use S:friction, which sticks; in a floor, declare its two sides as gaps of their own; or take a smooth law, such as tanh in "
                  "place of sign, hm.sqrt(u^2 + d^2) in place of hm.abs(u)", t, c->branches[i].text, c->at[i]);
}

// Where a sign of zero leads: ON to values above zero, BACK to those below
static hml_status leave(hml_corners *c, size_t i, double t, const double *y, leaning *out) {
  int sign;
  HML_TRY(put(c, i, 0, t, y));
  HML_TRY(c->run.rhs(c->run.payload, t, y, c->vectors));
  double slope = clear_slope(c, i, t, y, c->vectors);
  if (slope != 0) return *out = slope > 0 ? ON : BACK, HML_OK;
  memcpy(c->vectors + c->n_state, c->vectors, c->n_state * sizeof *c->vectors);
  HML_TRY(look_ahead(c, i, t, y, c->vectors + c->n_state, &sign));
  *out = (leaning)sign;
  return HML_OK;
}

// The sign is zero: right if the motion stays there, as at rest
static hml_status rest(hml_corners *c, size_t i, double t, const double *y) {
  leaning leads;
  HML_TRY(leave(c, i, t, y, &leads));
  if (leads != STAYS) return slides(c, i, t);
  follow(c, i, 0);
  return HML_OK;
}

static hml_status take(hml_corners *c, size_t i, int side, double t, const double *y) {
  HML_TRY(put(c, i, side, t, y));
  follow(c, i, side);
  return HML_OK;
}

// No side leads on. On level data beside a slope that leads back to them the motion rests, by their own rate
static hml_status stay(hml_corners *c, size_t i, leaning one, leaning other, int side, double t, const double *y) {
  if (!c->branches[i].table || one == other) return rest(c, i, t, y);
  return take(c, i, one == STAYS ? side : -side, t, y);
}

// On a corner, where the motion comes from the other side than `likely`
static hml_status enter(hml_corners *c, size_t i, int likely, double t, const double *y) {
  leaning one, other;
  HML_TRY(lean(c, i, likely, t, y, &one));
  if (one == ON) return follow(c, i, likely), HML_OK;
  HML_TRY(lean(c, i, -likely, t, y, &other));
  if (other == ON) return follow(c, i, -likely), HML_OK;
  if (!bends(c, i)) return one == BACK && other == BACK ? slides(c, i, t) : take(c, i, -likely, t, y);
  return stay(c, i, one, other, likely, t, y);
}

// A corner at rest, or a start on one
static hml_status start_on(hml_corners *c, size_t i, double t, const double *y) {
  leaning up, down, zero;
  HML_TRY(lean(c, i, 1, t, y, &up));
  HML_TRY(lean(c, i, -1, t, y, &down));
  if (up != ON && down != ON) return stay(c, i, up, down, 1, t, y);
  if (c->branches[i].table && (up == STAYS || down == STAYS)) return parts(c, i, t);
  HML_TRY(leave(c, i, t, y, &zero));
  if (zero == STAYS || (up == ON && down == ON)) return parts(c, i, t);
  return take(c, i, up == ON ? 1 : -1, t, y);
}

// ---- a start on several corners: the sides of one decide where the others lead, so that all combinations are tried

typedef struct crowd {
  size_t n, of[TOGETHER];              // corners that are met together
  int side[TOGETHER], found[TOGETHER]; // sides tried; those of a motion
  int motions;
} crowd;

static hml_status leads_on(hml_corners *c, size_t i, int side, double t, const double *y, bool *is) {
  leaning leads;
  HML_TRY(side ? lean(c, i, side, t, y, &leads) : leave(c, i, t, y, &leads));
  *is = side ? leads == ON : leads == STAYS;
  return HML_OK;
}

// Do the sides tried belong to a motion?
static hml_status is_motion(hml_corners *c, const crowd *all, double t, const double *y, bool *is) {
  for (size_t k = 0; k < all->n; k++) HML_TRY(hold(c, all->of[k], all->side[k]));
  *is = true;
  for (size_t k = 0; k < all->n && *is; k++) HML_TRY(leads_on(c, all->of[k], all->side[k], t, y, is));
  return HML_OK;
}

static hml_status try_sides(hml_corners *c, crowd *all, double t, const double *y) {
  int combinations = 1;
  for (size_t k = 0; k < all->n; k++) combinations *= SIDES;
  for (int j = 0; j < combinations; j++) {
    bool is;
    for (size_t k = 0, left = (size_t)j; k < all->n; k++, left /= SIDES) all->side[k] = (int)(left % SIDES) - 1;
    HML_TRY(is_motion(c, all, t, y, &is));
    if (is && all->motions++) return parts(c, all->of[0], t);
    if (is) memcpy(all->found, all->side, sizeof all->found);
  }
  return HML_OK;
}

// Constraints that bend in velocities, met together: where one leads depends on the sides of the others, and several may lead on
static hml_status pass_together(hml_corners *c, double t, const double *y, bool *decided) {
  crowd all = {.n = 0};
  size_t met = 0;
  *decided = false;
  for (size_t i = 0; i < c->n; i++) {
    if (!c->on[i] || !c->branches[i].of_constraint) continue;
    if (met < TOGETHER) all.of[met] = i;
    met++;
  }
  all.n = met;
  if (met < 2) return HML_OK;
  if (met > TOGETHER) return parts(c, all.of[0], t);
  for (size_t k = 0; k < all.n; k++) place(c, all.of[k], t, y);
  for (int j = 0; j < 1 << all.n; j++) {
    bool is;
    for (size_t k = 0; k < all.n; k++) all.side[k] = j >> k & 1 ? 1 : -1;
    HML_TRY(is_motion(c, &all, t, y, &is));
    if (is && all.motions++) return parts(c, all.of[0], t);
    if (is) memcpy(all.found, all.side, sizeof all.found);
  }
  // none leaves all corners: one that stays on some may be left, as at rest
  if (!all.motions) HML_TRY(try_sides(c, &all, t, y));
  if (!all.motions) return slides(c, all.of[0], t);
  for (size_t k = 0; k < all.n; k++) {
    HML_TRY(hold(c, all.of[k], all.found[k]));
    follow(c, all.of[k], all.found[k]);
  }
  *decided = true;
  return HML_OK;
}

// *decided: their sides are those of the one motion; else each is decided by itself
static hml_status start_together(hml_corners *c, double t, const double *y, bool *decided) {
  crowd all = {.n = 0};
  size_t met = 0;
  for (size_t i = 0; i < c->n; i++) {
    if (!c->on[i]) continue;
    place(c, i, t, y);
    if (!bends(c, i)) continue;
    if (met < TOGETHER) all.of[met] = i;
    met++;
  }
  all.n = met;
  *decided = false;
  if (met < 2 || met > TOGETHER) return HML_OK;
  HML_TRY(try_sides(c, &all, t, y));
  *decided = all.motions == 1;
  for (size_t k = 0; k < all.n; k++) {
    HML_TRY(hold(c, all.of[k], *decided ? all.found[k] : 0));
    if (*decided) follow(c, all.of[k], all.found[k]);
  }
  return HML_OK;
}

// ---- tables

static bool at_an_end(const hml_corners *c, size_t i, int side) {
  double ends[2] = {0, 0};
  const double *held = hml_workspace__held(c->w, i);
  hml_tabled__ends(c->branches[i].table, ends);
  return side > 0 ? held[1] == ends[1] : held[0] == ends[0];
}

// Which end of its interval is met: 1 the upper one
static int end_met(hml_corners *c, size_t i, double t, const double *y) {
  const double *held = hml_workspace__held(c->w, i);
  return argument(c, i, t, y) > 0.5 * (held[0] + held[1]) ? 1 : -1;
}

// Beyond its ends a table has no interval: the last one is used until the run is known to continue
static hml_status meet_end(hml_corners *c, size_t i, int side, double t, const double *y) {
  leaning inward;
  HML_TRY(lean(c, i, -side, t, y, &inward));
  follow(c, i, -side);
  c->ended[i] = inward == BACK;
  if (c->ended[i]) c->lists.direction[i] = HML_ASLEEP;
  return HML_OK;
}

static hml_status enter_interval(hml_corners *c, size_t i, double t, const double *y) {
  int side = end_met(c, i, t, y);
  place(c, i, t, y);
  return at_an_end(c, i, side) ? meet_end(c, i, side, t, y) : enter(c, i, side, t, y);
}

hml_status hml_corners__check_end(hml_corners *c, double t) {
  for (size_t i = 0; i < c->n; i++)
    if (c->ended[i]) return hml_branch__tell_end(c->context, c->branches + i, t);
  return HML_OK;
}

// ---- motions that touch a corner

typedef struct course {                // of an argument, in the direction of the run, away from its corner on one side
  double slope, curve;
} course;

static hml_status course_on(hml_corners *c, size_t i, int side, double t, const double *y, course *out) {
  double *f = c->vectors, *ahead = c->vectors + c->n_state, size, h;
  int away = side_held(c, i);
  HML_TRY(hold(c, i, side));
  HML_TRY(c->run.rhs(c->run.payload, t, y, f));
  h = SHORT * sign_of_run(c) * pace(c, y, f);
  out->slope = away * sign_of_run(c) * hml_formula__slope(c->arguments + i, c->n_state, t, y, 1, f, &size, c->scratch);
  for (size_t k = 0; k < c->n_state; k++) ahead[k] = y[k] + h * f[k];
  HML_TRY(c->run.rhs(c->run.payload, t + h, ahead, f));
  double later = away * sign_of_run(c) * hml_formula__slope(c->arguments + i, c->n_state, t + h, ahead, 1, f, &size, c->scratch);
  out->curve = (later - out->slope) / fabs(h);
  return hold(c, i, away);
}

// What states that are off by so much make of the argument
static double doubt_within(hml_corners *c, size_t i, double t, const double *y, double rtol, double atol) {
  double *error = c->vectors, size;
  for (size_t k = 0; k < c->n_state; k++) error[k] = rtol * fabs(y[k]) + atol;
  hml_formula__slope(c->arguments + i, c->n_state, t, y, 0, error, &size, c->scratch);
  return size;
}

// What states that the run does not tell apart make of it
static double doubt(hml_corners *c, size_t i, double t, const double *y) {
  return doubt_within(c, i, t, y, c->within * c->run.options->rtol, c->within * c->run.options->atol);
}

// Near the place looked at the argument turns back, or would if the corner were a little farther away; beyond the corner nothing brings it back
static hml_status graze(hml_corners *c, size_t i, double t, const double *y) {
  int side = side_held(c, i);
  course here, beyond;
  if (side == 0 || !bends(c, i)) return HML_OK;
  double off = doubt(c, i, t, y);
  HML_TRY(course_on(c, i, side, t, y, &here));
  if (!(here.curve > 0) || !(fabs(side * (argument(c, i, t, y) - c->at[i]) - here.slope * here.slope / (2 * here.curve)) <= off)) return HML_OK;
  double least = sqrt(2 * off * here.curve);
  HML_TRY(course_on(c, i, -side, t, y, &beyond));
  bool returns = beyond.slope > least || (beyond.slope >= -least && beyond.curve > RETURNS * here.curve);
  return returns ? HML_OK : parts(c, i, t);
}

// The parabola through three values has its vertex near the middle one, and low: where, in their distance
static bool has_low_vertex(double left, double middle, double right, double *at) {
  double curve = left + right - 2 * middle, slope = 0.5 * (right - left);
  if (!(curve > 0) || fabs(slope) > 1.2 * curve) return false;
  *at = -slope / curve;
  return middle - 0.5 * slope * slope / curve < NEAR * fmax(left, right);
}

typedef struct flight {                // a step that is looked at
  const hml_problem *problem;
  const hml_step *s;
  const double *piece;
  double *y, *at;
} flight;

static const double *state_at(const flight *g, double theta) {
  hml_dense__value(g->problem->n, g->problem->pieces, g->s->y, g->piece, theta, g->y);
  return g->y;
}

static hml_status look_closely(hml_corners *c, size_t i, const flight *g, double theta, double until) {
  course here;
  for (int k = 0; k < CORRECTIONS; k++) {
    HML_TRY(course_on(c, i, side_held(c, i), g->s->t + theta * g->s->h, state_at(g, theta), &here));
    if (!(here.curve > 0)) return HML_OK;
    theta = fmin(fmax(theta - here.slope / (here.curve * fabs(g->s->h)), 0), until);
  }
  if (theta < AT_START) return HML_OK;   // it leaves the corner; what touches it here was seen at the end of the step before
  *g->at = theta;
  return graze(c, i, g->s->t + theta * g->s->h, state_at(g, theta));
}

static hml_status look_for_touch(hml_corners *c, size_t i, const flight *g, double until) {
  const double side = side_held(c, i), part = until / QUARTERS;
  double u[QUARTERS + 1], at;
  if (!bends(c, i)) return HML_OK;
  for (int k = 0; k <= QUARTERS; k++) u[k] = side * (argument(c, i, g->s->t + k * part * g->s->h, state_at(g, k * part)) - c->at[i]);
  for (int k = 1; k < QUARTERS; k++)
    if (has_low_vertex(u[k - 1], u[k], u[k + 1], &at)) HML_TRY(look_closely(c, i, g, fmin(fmax((k + at) * part, 0), until), until));
  return HML_OK;
}

// At rest on its corner: may the argument leave it by now?
static hml_status may_leave(hml_corners *c, size_t i, double t, const double *y, bool *may) {
  bool up, down, stays;
  HML_TRY(leads_on(c, i, 1, t, y, &up));
  HML_TRY(leads_on(c, i, -1, t, y, &down));
  HML_TRY(leads_on(c, i, 0, t, y, &stays));
  *may = stays && (up || down);
  return HML_OK;
}

static hml_status look_at_rest(hml_corners *c, size_t i, const flight *g, double until) {
  double low = 0, high = until;
  bool may;
  HML_TRY(may_leave(c, i, g->s->t + high * g->s->h, state_at(g, high), &may));
  if (!may) return HML_OK;
  for (int k = 0; k < HALVINGS; k++) {
    double middle = 0.5 * (low + high);
    HML_TRY(may_leave(c, i, g->s->t + middle * g->s->h, state_at(g, middle), &may));
    *(may ? &high : &low) = middle;
  }
  *g->at = high;
  return parts(c, i, g->s->t + high * g->s->h);
}

hml_status hml_corners__grazes(hml_corners *c, const hml_problem *p, const hml_step *s, const double *piece, double until, double *at) {
  const flight g = {p, s, piece, c->state, at};
  for (size_t i = 0; i < c->n; i++) {
    const bool table = c->branches[i].table != 0;
    const double *held = hml_workspace__held(c->w, i), ends[2] = {table ? held[0] : 0, table ? held[1] : 0};
    c->at[i] = ends[0];
    HML_TRY(side_held(c, i) == 0 ? look_at_rest(c, i, &g, until) : look_for_touch(c, i, &g, until));
    if (ends[0] == ends[1]) continue;
    c->at[i] = ends[1];
    HML_TRY(look_for_touch(c, i, &g, until));
  }
  return HML_OK;
}

// ---- gaps that are struck on a corner of their own

typedef struct kink {                  // of a gap on a corner: from one side to the other
  double below, above;                 // its rates on both
  double size;                         // of the terms of the rates
  double bend;                         // change of its gradient, along that of the argument: positive where the obstacle has an edge
} kink;

// Gradient of a formula
static void gradient_of(const hml_corners *c, const hml_guard_formula *f, double t, const double *y, double *scratch, double *out) {
  double ignored, *direction = c->vectors;
  memset(direction, 0, c->n_state * sizeof *direction);
  for (size_t k = 0; k < c->n_state; k++) {
    direction[k] = 1;
    out[k] = hml_formula__slope(f, c->n_state, t, y, 0, direction, &ignored, scratch);
    direction[k] = 0;
  }
}

// The gap's rate and its gradient beside the corner, on one side of it
static double rate_beside(const hml_corners *c, const hml_struck_gap *gap, double t, const double *y, const double *f, const double *slope, double by, double *gradient, double *size) {
  double *beside = c->state;
  for (size_t k = 0; k < c->n_state; k++) beside[k] = y[k] + by * slope[k];
  gradient_of(c, gap->formula, t, beside, gap->scratch, gradient);
  return hml_formula__slope(gap->formula, c->n_state, t, beside, 1, f, size, gap->scratch);
}

// off: far enough from the corner to be on one side
static kink kink_of(const hml_corners *c, size_t i, const hml_struck_gap *gap, double t, const double *y, const double *f, double off) {
  double *below = c->vectors + c->n_state, *above = below + c->n_state, *slope = above + c->n_state, square = 0, bend = 0, scale = 0;
  gradient_of(c, c->arguments + i, t, y, c->scratch, slope);
  for (size_t k = 0; k < c->n_state; k++) square += slope[k] * slope[k];
  if (!(square > 0)) return (kink){.bend = 0};
  kink out;
  out.below = rate_beside(c, gap, t, y, f, slope, -off / square, below, &out.size);
  out.above = rate_beside(c, gap, t, y, f, slope, off / square, above, &out.size);
  for (size_t k = 0; k < c->n_state; k++) {
    bend += (above[k] - below[k]) * slope[k];
    scale += (fabs(above[k]) + fabs(below[k])) * fabs(slope[k]);
  }
  out.bend = fabs(bend) > BENT * scale ? bend : 0;
  return out;
}

static hml_status check_kink(const hml_corners *c, size_t i, const hml_struck_gap *gap, const kink *k, double t) {
  const double zero = CLEAR * k->size, least = fmin(k->below, k->above), most = fmax(k->below, k->above);
  if (k->bend > 0 && (least < -zero || (gap->at_rest && most <= zero)))
    return hml_fail(c->context, HML_SINGULAR, "t = %.10g: the motion meets '%s' on its edge, %s = %.10g: motions beside it are thrown to one side or to the other, so that what follows is "
                    "not unique; start beside this motion, or round the edge off", t, gap->name, c->branches[i].text, c->at[i]);
  if (k->bend < 0 && most < -zero && !gap->at_rest)
    return hml_fail(c->context, HML_SINGULAR, "t = %.10g: the motion strikes '%s' in its inner corner, %s = %.10g, on both sides at once, and one gap has one law of impact; declare its two "
                    "sides as gaps of their own", t, gap->name, c->branches[i].text, c->at[i]);
  return HML_OK;
}

hml_status hml_corners__check_strike(hml_corners *c, const hml_struck_gap *gap, double t, const double *y, const double *f, double rtol, double atol) {
  for (size_t i = 0; i < c->n; i++) {
    double off = doubt_within(c, i, t, y, WITHIN * rtol, WITHIN * atol);
    bool near = fabs(argument(c, i, t, y) - place(c, i, t, y)) <= off && (gap->at_rest || gap->flown > FLIGHT * off);
    if (!near || !bends(c, i)) continue;
    const kink k = kink_of(c, i, gap, t, y, f, 2 * off);
    HML_TRY(check_kink(c, i, gap, &k, t));
  }
  return HML_OK;
}

// ---- a run

// Corners that follow each other ever faster
static hml_status count(hml_corners *c, double t) {
  if (c->crowd++ % CROWD != 0) return HML_OK;
  double passed = fabs(t - c->crowd_since);
  c->crowd_since = t;
  if (c->crowd == 1 || passed > CROWDED * fabs(c->run.t1 - c->run.t0)) return HML_OK;
  return hml_fail(c->context, HML_SINGULAR, "corners of the forces accumulate at t = %.10g: %d of them within %.3g; take a smooth law, such as tanh in place of sign",
                  t, (int)CROWD, passed);
}

static bool is_on(hml_corners *c, size_t i, double t, const double *y) {
  double u = argument(c, i, t, y);
  const double *held = hml_workspace__held(c->w, i);
  return c->branches[i].table ? u == held[0] || u == held[1] : u == 0;
}

// Has it the side to which it moves (hml_workspace__head), although rounding shows the other one?
static bool is_ahead(hml_corners *c, size_t i, double t, const double *y) {
  double size, off = beyond(c, i, argument(c, i, t, y));
  hml_formula__slope(c->arguments + i, c->n_state, t, y, t, y, &size, c->scratch);
  return off > 0 && off <= NOISE * DBL_EPSILON * size;
}

hml_status hml_corners__begin(hml_corners *c, const hml_corner_run *run, hml_corner_lists lists, const double *y) {
  const double t = run->t0;
  const hml_stepper *method;
  HML_TRY(hml_stepper__choose(c->context, run->options->method, &method));
  c->within = method->fixed ? WITHIN_FIXED : WITHIN;
  c->run = *run;
  c->lists = lists;
  c->crowd = 0;
  c->crowd_since = t;
  const int heading = hml_workspace__head(c->w, run->t1 < t ? -1 : 1);
  const hml_status status = hml_workspace_set_state(c->w, t, y);
  hml_workspace__head(c->w, heading);
  HML_TRY(status);
  hml_workspace__hold(c->w, true);
  for (size_t i = 0; i < c->n; i++) {
    c->ended[i] = c->rests[i] = false;
    c->lists.formula[i] = c->guards + i;
    follow(c, i, c->branches[i].table ? 1 : (int)*hml_workspace__held(c->w, i));
    c->on[i] = is_on(c, i, t, y);
    // beside its corner by rounding alone, it has left it already
    if (c->on[i] || !is_ahead(c, i, t, y)) c->lists.side[i] = 0;
  }
  bool decided;
  HML_TRY(start_together(c, t, y, &decided));
  for (size_t i = 0; i < c->n; i++) {
    if (decided && c->on[i] && bends(c, i)) continue;
    c->on[i] = is_on(c, i, t, y);
    place(c, i, t, y);
    if (!c->on[i] && is_ahead(c, i, t, y)) continue;
    HML_TRY(!c->on[i] ? refresh(c, i, 0, t, y) : bends(c, i) ? start_on(c, i, t, y) : enter_interval(c, i, t, y));
  }
  return HML_OK;
}

void hml_corners__end(hml_corners *c) {
  if (c) hml_workspace__hold(c->w, false);
}

// One of the corners met; those before it in the list are decided, and may have moved its argument away
static hml_status decide(hml_corners *c, size_t i, double t, const double *y) {
  place(c, i, t, y);
  int side = side_held(c, i);
  if (!c->branches[i].table) HML_TRY(refresh(c, i, APART, t, y));
  if (!c->on[i]) return HML_OK;
  if (!bends(c, i)) return enter_interval(c, i, t, y);
  return side == 0 || c->rests[i] ? start_on(c, i, t, y) : enter(c, i, side, t, y);
}

// A motion that rests on corners that others of this instant do not move: with these its forces may change
static hml_status find_resting(hml_corners *c, double t, const double *y) {
  for (size_t i = 0; i < c->n; i++) {
    if (c->on[i] || c->ended[i] || !is_on(c, i, t, y)) continue;
    place(c, i, t, y);
    if (!bends(c, i)) continue;
    HML_TRY(c->run.rhs(c->run.payload, t, y, c->vectors));
    c->on[i] = c->rests[i] = clear_slope(c, i, t, y, c->vectors) == 0;
  }
  return HML_OK;
}

static hml_status graze_nearest(hml_corners *c, size_t i, double t, const double *y) {
  place(c, i, t, y);
  return graze(c, i, t, y);
}

// To the other side of a corner that was met from one; its value is in place
static hml_status cross(hml_corners *c, size_t i, double t, const double *y) {
  return bends(c, i) && c->came[i] != 0 ? take(c, i, -c->came[i], t, y) : HML_OK;
}

static hml_status meet(hml_corners *c, double t, const double *y) {
  HML_TRY(count(c, t));
  for (size_t i = 0; i < c->n; i++)
    if (c->on[i]) HML_TRY(graze_nearest(c, i, t, y));
  // of corners met together each is decided with the likely sides of the others
  for (size_t i = 0; i < c->n; i++) {
    if (!c->on[i]) continue;
    place(c, i, t, y);
    c->came[i] = (signed char)side_held(c, i);
    HML_TRY(cross(c, i, t, y));
  }
  HML_TRY(find_resting(c, t, y));
  bool decided;
  HML_TRY(pass_together(c, t, y, &decided));
  for (size_t i = 0; i < c->n; i++)
    if (c->on[i] && !(decided && c->branches[i].of_constraint)) HML_TRY(decide(c, i, t, y));
  return HML_OK;
}

static hml_status find_impulse(hml_corners *c) {
  return hml_impulsive__after(c->impulsive, fabs(c->run.t1 - c->run.t0), c->run.options->rtol, c->run.options->atol);
}

// No motion leads on from the corners met. Where crossing them takes an impulse, this is the reason: momenta that are kept may turn the velocities back
static hml_status find_reason(hml_corners *c, double t, const double *y) {
  const hml_error found = *hml_context_error(c->context);
  if (!hml_forgive(c->context)) return found.status;
  for (size_t i = 0; i < c->n; i++) {
    if (!c->on[i]) continue;
    place(c, i, t, y);
    HML_TRY(cross(c, i, t, y));
  }
  HML_TRY(settle(c, t, y));
  HML_TRY(find_impulse(c));
  return hml_fail(c->context, found.status, "%s", found.message);
}

hml_status hml_corners__react(hml_corners *c, double t, const double *y, const bool *fired) {
  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    any |= c->on[i] = fired[i];
    c->lists.side[i] = c->came[i] = 0;
    c->rests[i] = false;
  }
  hml_impulsive__before(c->impulsive, t, y);
  const hml_status status = any ? meet(c, t, y) : HML_OK;
  if (status == HML_SINGULAR && c->impulsive) return find_reason(c, t, y);
  HML_TRY(status);
  HML_TRY(settle(c, t, y));
  return find_impulse(c);
}

bool hml_corners__met_any(const hml_corners *c) {
  for (size_t i = 0; c && i < c->n; i++)
    if (c->on[i]) return true;
  return false;
}

// Does a corner met at this instant have another side now?
static hml_status decide_anew(hml_corners *c, size_t i, double t, const double *y, bool *changed) {
  double side = *hml_workspace__held(c->w, i);
  HML_TRY(decide(c, i, t, y));
  *changed |= side != *hml_workspace__held(c->w, i);
  return HML_OK;
}

// An impact obeys the constraints of the branches before it
static hml_status check_branch(hml_corners *c, size_t i, double t, const double *y) {
  const double off = beyond(c, i, argument(c, i, t, y));
  if (!c->branches[i].of_constraint || !(off > 0)) return HML_OK;
  HML_TRY(c->run.rhs(c->run.payload, t, y, c->vectors));
  if (off <= APART * scale(c, i, t, y, c->vectors)) return HML_OK;
  return hml_fail(c->context, HML_SINGULAR,
                  "t = %.10g: a constraint has a corner where %s = %.10g, and an impact leads the velocities beyond it, where another of its branches holds: how the "
                  "motion continues is open; declare one branch of the constraint, or round the corner off", t, c->branches[i].text, c->at[i]);
}

hml_status hml_corners__jumped(hml_corners *c, double t, const double *y, bool *changed) {
  *changed = false;
  for (size_t i = 0; i < c->n; i++) HML_TRY(check_branch(c, i, t, y));
  for (size_t i = 0; i < c->n; i++)
    if (c->on[i]) HML_TRY(decide_anew(c, i, t, y, changed));
  return settle(c, t, y);
}
