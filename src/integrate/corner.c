// corner.c: corners of the forces along a run. Each is a guard; at its root the step ends, the side that the motion enters is held from there
// on (mechanics/branch.c), and each piece is a smooth problem for the method. How roots are found is event.c.
//
// The side is that to which the argument u moves with the rate that holds on that side: by u' where that is clear, else by u a short way along
// the motion. Where both sides lead back, no side is entered: the motion slides along the corner (Filippov 1988), which formulas with a sign
// do not determine for a method; the run ends there, unless u stays zero with the value zero of the sign, as at rest.
#include "integrate/corner.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { VECTORS = 5, CROWD = 100 };
#define CLEAR 1e-10                    // of the sizes that it adds up: a rate that is not rounding
#define NOISE 64                       // units in the last place: a value that is not rounding
#define FIRST_LOOK 1e-6                // of the time in which the state changes by its size,
#define LAST_LOOK 0.2                  // up to which a look ahead goes
#define APART 1e-6                     // of the sizes that the argument adds up: it is not on its corner
#define CROWDED 1e-9                   // of the run: so little time for CROWD corners

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
  bool *on;                            // met at this instant, so that its side is yet to be decided
  double crowd_since;                  // time of the corner CROWD corners ago
  size_t crowd;
  double *vectors, *scratch;
  void *memory;
  size_t size;
};

// ---- memory

#define CORNER_FIELDS(FIELD)                                \
  FIELD(hml_guard_formula, arguments, c->n)                 \
  FIELD(hml_guard_formula, guards, c->n)                    \
  FIELD(bool, ended, c->n)                                  \
  FIELD(bool, on, c->n)                                     \
  FIELD(double, vectors, VECTORS * c->n_state)              \
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
  *out = c;
  return HML_OK;
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

// ---- sides

// The state is on the other side of a corner than is held, or off the interval: by how much
static double beyond(const hml_corners *c, size_t i, double u) {
  const double *held = hml_workspace__held(c->w, i);
  if (c->branches[i].table) return c->ended[i] ? 0 : fmax(0, fmax(held[0] - u, u - held[1]));
  return (u > 0) - (u < 0) == (int)*held ? 0 : fabs(u);
}

static void follow(hml_corners *c, size_t i, int side) {
  bool table = c->branches[i].table != 0;
  c->lists.direction[i] = table || side > 0 ? HML_FALLING : side < 0 ? HML_RISING : HML_LEAVING;
  c->lists.side[i] = (signed char)(table ? 1 : side);
}

// The side where the argument is, more than `least` of its size beyond the one held; on no corner
static hml_status refresh(hml_corners *c, size_t i, double least, double t, const double *y) {
  double u = argument(c, i, t, y), off = beyond(c, i, u), *f = c->vectors;
  if (off == 0) return HML_OK;
  HML_TRY(c->run.rhs(c->run.payload, t, y, f));
  if (off <= least * scale(c, i, t, y, f)) return HML_OK;
  int side = c->branches[i].table ? 0 : (u > 0) - (u < 0);
  HML_TRY(hml_workspace__take_side(c->w, i, side, u));
  follow(c, i, side);
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
  double at = argument(c, i, t, y);
  const double *held = hml_workspace__held(c->w, i);
  // of a table: the point that was met, without rounding
  if (c->branches[i].table) at = fabs(at - held[0]) < fabs(at - held[1]) ? held[0] : held[1];
  HML_TRY(hml_workspace__take_side(c->w, i, side, at));
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

static hml_status slides(const hml_corners *c, size_t i, double t) {
  return hml_fail(c->context, HML_SINGULAR,
                  "at t = %.10g the forces drive the motion back to %s = 0 from both sides, so that it slides along this corner, where they have no value; "
                  "for dry friction use S:friction, which sticks; in a floor, declare its two sides as gaps of their own; or take a smooth law, such as tanh in "
                  "place of sign", t, c->branches[i].text);
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

// On a corner, where the motion comes from the other side than `likely`
static hml_status enter(hml_corners *c, size_t i, int likely, double t, const double *y) {
  leaning one, other;
  HML_TRY(lean(c, i, likely, t, y, &one));
  if (one == ON) return follow(c, i, likely), HML_OK;
  HML_TRY(lean(c, i, -likely, t, y, &other));
  if (other == ON) return follow(c, i, -likely), HML_OK;
  if (c->branches[i].table) return one == BACK && other == BACK ? slides(c, i, t) : take(c, i, -likely, t, y);
  return rest(c, i, t, y);
}

// A start on a corner: a motion that may leave it to both sides goes where a sign of zero leads it
static hml_status start_on(hml_corners *c, size_t i, double t, const double *y) {
  leaning up, down;
  HML_TRY(lean(c, i, 1, t, y, &up));
  HML_TRY(lean(c, i, -1, t, y, &down));
  if (up != ON && down != ON) return rest(c, i, t, y);
  if (up == ON && down == ON) HML_TRY(leave(c, i, t, y, &up));
  return up == STAYS ? rest(c, i, t, y) : take(c, i, up == ON ? 1 : -1, t, y);
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
  return at_an_end(c, i, side) ? meet_end(c, i, side, t, y) : enter(c, i, side, t, y);
}

hml_status hml_corners__check_end(hml_corners *c, double t) {
  for (size_t i = 0; i < c->n; i++)
    if (c->ended[i]) return hml_branch__tell_end(c->context, c->branches + i, t);
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

hml_status hml_corners__begin(hml_corners *c, const hml_corner_run *run, hml_corner_lists lists, const double *y) {
  const double t = run->t0;
  c->run = *run;
  c->lists = lists;
  c->crowd = 0;
  c->crowd_since = t;
  HML_TRY(hml_workspace_set_state(c->w, t, y));                            // sides of all that are on no corner
  hml_workspace__hold(c->w, true);
  for (size_t i = 0; i < c->n; i++) {
    c->ended[i] = false;
    c->lists.formula[i] = c->guards + i;
    follow(c, i, (int)*hml_workspace__held(c->w, i));
    c->lists.side[i] = 0;
    c->on[i] = is_on(c, i, t, y);
  }
  for (size_t i = 0; i < c->n; i++) {
    c->on[i] = is_on(c, i, t, y);
    HML_TRY(!c->on[i] ? refresh(c, i, 0, t, y) : c->branches[i].table ? enter_interval(c, i, t, y) : start_on(c, i, t, y));
  }
  return HML_OK;
}

void hml_corners__end(hml_corners *c) {
  if (c) hml_workspace__hold(c->w, false);
}

// One of the corners met; those before it in the list are decided, and may have moved its argument away
static hml_status decide(hml_corners *c, size_t i, double t, const double *y) {
  int side = (int)*hml_workspace__held(c->w, i);
  if (!c->branches[i].table) HML_TRY(refresh(c, i, APART, t, y));
  if (!c->on[i]) return HML_OK;
  return c->branches[i].table ? enter_interval(c, i, t, y) : side == 0 ? start_on(c, i, t, y) : enter(c, i, side, t, y);
}

static hml_status meet(hml_corners *c, double t, const double *y) {
  HML_TRY(count(c, t));
  // of corners met together each is decided with the likely sides of the others
  for (size_t i = 0; i < c->n; i++) {
    int now = (int)*hml_workspace__held(c->w, i);
    if (c->on[i] && !c->branches[i].table && now != 0) HML_TRY(take(c, i, -now, t, y));
  }
  for (size_t i = 0; i < c->n; i++)
    if (c->on[i]) HML_TRY(decide(c, i, t, y));
  return HML_OK;
}

hml_status hml_corners__react(hml_corners *c, double t, const double *y, const bool *fired) {
  bool any = false;
  for (size_t i = 0; i < c->n; i++) {
    any |= c->on[i] = fired[i];
    c->lists.side[i] = 0;
  }
  if (any) HML_TRY(meet(c, t, y));
  return settle(c, t, y);
}

// Does a corner met at this instant have another side now?
static hml_status decide_anew(hml_corners *c, size_t i, double t, const double *y, bool *changed) {
  double side = *hml_workspace__held(c->w, i);
  HML_TRY(decide(c, i, t, y));
  *changed |= side != *hml_workspace__held(c->w, i);
  return HML_OK;
}

hml_status hml_corners__jumped(hml_corners *c, double t, const double *y, bool *changed) {
  *changed = false;
  for (size_t i = 0; i < c->n; i++)
    if (c->on[i]) HML_TRY(decide_anew(c, i, t, y, changed));
  return settle(c, t, y);
}
