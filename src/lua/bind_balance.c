// bind_balance.c: energies and residuals of constraints at many states of a run in one call, for the verdict on its end (balance.lua).
#include "bind_model.h"

#include "bind_series.h"
#include "energies_met.h"

#include <math.h>
#include <string.h>

// The states of a run: a trajectory, its ends with the marks between them, or a table with methods time and state
typedef struct states {
  const hml_trajectory *trajectory;    // NULL: the table at `index`
  bool marked;
  int index;
} states;

static states states_at(lua_State *L, int index, int marked) {
  return (states){luaL_testudata(L, index, HML_TRAJECTORY) ? hml_bind__trajectory(L, index) : NULL, lua_toboolean(L, marked), index};
}

// A number that the table returns: t:name(i)
static double called_number(lua_State *L, const states *s, const char *name, lua_Integer i) {
  lua_getfield(L, s->index, name);
  lua_pushvalue(L, s->index);
  lua_pushinteger(L, i);
  lua_call(L, 2, 1);
  const double value = luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return value;
}

typedef struct called_states {
  lua_State *L;
  const states *s;
} called_states;

static double time_of(void *of, size_t i) {
  const called_states *c = of;
  double t;
  if (!c->s->trajectory) return called_number(c->L, c->s, "time", (lua_Integer)i + 1);
  hml_samples__state(c->s->trajectory, c->s->marked, i, &t);
  return t;
}

// samples(run, marked) -> numbers of the states at which the verdict on the run looks, see hml_samples__spread
static int samples(lua_State *L) {
  lua_settop(L, 2);
  states s = states_at(L, 1, 2);
  const size_t count = s.trajectory ? hml_samples__count(s.trajectory, s.marked) : (size_t)called_number(L, &s, "points", 0);
  size_t list[HML_SAMPLES + 3];
  if (count < 1) return hml_bind__error(L, "the run has no states");
  const size_t n = hml_samples__spread(count, time_of, &(called_states){L, &s}, list);
  lua_createtable(L, (int)n, 0);
  for (size_t k = 0; k < n; k++) {
    lua_pushinteger(L, (lua_Integer)list[k] + 1);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  return 1;
}

// looks(samples, evaluations, operations, states) -> at how many of the samples the digits of accelerations are looked at
static int looks(lua_State *L) {
  size_t counts[4];
  for (int k = 0; k < 4; k++) {
    const double count = luaL_checknumber(L, k + 1);
    counts[k] = count > 0 ? (size_t)count : 0;
  }
  lua_pushinteger(L, (lua_Integer)hml_samples__looks(counts[0], counts[1], counts[2], counts[3]));
  return 1;
}

// Sets the workspace to state i, from 1 on, and returns its numbers, which live as long as nothing is popped beyond them
static const double *set_state(lua_State *L, hml_bind_workspace *slot, const states *s, lua_Integer i, double *t) {
  const double *x;
  size_t n;
  if (s->trajectory) {
    const hml_trajectory *r = s->trajectory;
    if (i < 1 || (size_t)i > hml_samples__count(r, s->marked)) hml_bind__error(L, "the run has no state %d", (int)i);
    x = hml_samples__state(r, s->marked, (size_t)i - 1, t);
    n = hml_trajectory_size(r);
  } else {
    static const char *const names[] = {"time", "state"};
    for (int m = 0; m < 2; m++) {
      lua_getfield(L, s->index, names[m]);
      lua_pushvalue(L, s->index);
      lua_pushinteger(L, i);
      lua_call(L, 2, 1);
    }
    *t = luaL_checknumber(L, -2);
    x = hml_bind__to_doubles(L, -1, &n);
  }
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_workspace_set_state(slot->w, *t, x));
  return x;
}

// What errors of the tolerances in each of n components change of the energy at (t, x), all together; x is the same afterwards
static double allowed_at(hml_bind_workspace *slot, size_t n, double t, double *x, double atol, double rtol) {
  double energy, moved, sum = 0;
  if (hml_workspace_set_state(slot->w, t, x) != HML_OK || hml_energies(slot->w, &energy, NULL) != HML_OK) sum = INFINITY;
  for (size_t i = 0; i < n && sum < INFINITY; i++) {
    const double kept = x[i];
    x[i] = kept + atol + rtol * fabs(kept);
    const bool fine = hml_workspace_set_state(slot->w, t, x) == HML_OK && hml_energies(slot->w, &moved, NULL) == HML_OK;
    sum += fine ? fabs(moved - energy) : INFINITY;
    x[i] = kept;
  }
  hml_context_clear_error(slot->context);
  return sum;
}

// allowed(w, run, list, marked, has_work, atol, rtol, with_work) -> what errors of the tolerances change of the energy at the states whose numbers are
// listed, with_work: and of the work; the largest change of an energy
static int allowed(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  luaL_checktype(L, 3, LUA_TTABLE);
  const double atol = luaL_checknumber(L, 6), rtol = luaL_checknumber(L, 7);
  const bool has_work = lua_toboolean(L, 5) && slot->n > 0, with_work = has_work && lua_toboolean(L, 8);
  lua_settop(L, 5);
  states s = states_at(L, 2, 4);
  const size_t n = slot->n - has_work;
  double *moved = lua_newuserdatauv(L, (slot->n + 1) * sizeof *moved, 0), largest = 0;
  const lua_Integer rows = (lua_Integer)lua_rawlen(L, 3);
  lua_createtable(L, (int)rows, 0);
  for (lua_Integer row = 1; row <= rows; row++) {
    double t;
    lua_rawgeti(L, 3, row);
    const double *x = set_state(L, slot, &s, lua_tointeger(L, -1), &t);
    memcpy(moved, x, slot->n * sizeof *moved);
    const double of_energy = allowed_at(slot, n, t, moved, atol, rtol);
    largest = fmax(largest, of_energy);
    lua_pushnumber(L, of_energy + (with_work ? atol + rtol * fabs(moved[n]) : 0));
    lua_rawseti(L, 7, row);
    lua_settop(L, 7);
  }
  lua_pushnumber(L, largest);
  return 2;
}

// balances_along(w, run, list, marked, has_work, switched, met) -> energies less work at the states whose numbers are listed, the place in the list where
// the balance is farthest from the first one, the largest change from one to the next. The work is the last component of the state where there is work; to
// it the entries of `switched` are added, unless that is nil. met: a table, to which the energies of these states are added, see energies_met.h
static int balances_along(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  luaL_checktype(L, 3, LUA_TTABLE);
  luaL_checktype(L, 7, LUA_TTABLE);
  lua_settop(L, 7);
  hml_energies_met met = {0};
  hml_energies_met__read(L, 7, &met);
  states s = states_at(L, 2, 4);
  bool has_work = lua_toboolean(L, 5) && slot->n > 0, has_switched = lua_istable(L, 6);
  lua_Integer n = (lua_Integer)lua_rawlen(L, 3), farthest = 1;
  double first = 0, worst = 0, before = 0, change = 0;
  lua_createtable(L, (int)n, 0);
  for (lua_Integer row = 1; row <= n; row++) {
    lua_rawgeti(L, 3, row);
    double t, energy, kinetic, work = 0;
    const double *x = set_state(L, slot, &s, lua_tointeger(L, -1), &t);
    if (has_work) work = x[slot->n - 1];
    hml_bind__check_run(L, slot, hml_energies(slot->w, &energy, &kinetic));
    if (has_switched) {
      lua_rawgeti(L, 6, row);
      work += lua_tonumber(L, -1);
    }
    hml_energies_met__add(&met, energy, kinetic, work);
    double balance = energy - work;
    if (row == 1) first = before = balance;
    if (fabs(balance - before) > change) change = fabs(balance - before);
    before = balance;
    if (fabs(balance - first) > worst) worst = fabs(balance - first), farthest = row;
    lua_pushnumber(L, balance);
    lua_rawseti(L, 8, row);
    lua_settop(L, 8);
  }
  hml_energies_met__write(L, 7, &met);
  lua_pushinteger(L, farthest);
  lua_pushnumber(L, change);
  return 3;
}

// broken_along(w, run, list, marked, atol, rtol) -> numbers of the listed states where a residual of a constraint exceeds (atol + rtol s)*s,
// s: the largest component of the state, at least 1
static int broken_along(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  luaL_checktype(L, 3, LUA_TTABLE);
  double atol = luaL_checknumber(L, 5), rtol = luaL_checknumber(L, 6);
  states s = states_at(L, 2, 4);
  size_t n_residuals = slot->n_positions + slot->n_velocities;
  double *residuals = lua_newuserdatauv(L, (n_residuals + 1) * sizeof *residuals, 0);
  lua_newtable(L);
  int found = lua_gettop(L);
  lua_Integer n = n_residuals ? (lua_Integer)lua_rawlen(L, 3) : 0, n_found = 0;
  for (lua_Integer row = 1; row <= n; row++) {
    lua_rawgeti(L, 3, row);
    lua_Integer i = lua_tointeger(L, -1);
    double t, size = 1;
    const double *x = set_state(L, slot, &s, i, &t);
    for (size_t k = 0; k < slot->n; k++) size = fmax(size, fabs(x[k]));
    hml_bind__check_run(L, slot, hml_residuals(slot->w, residuals, residuals + slot->n_positions));
    bool off = false;
    for (size_t k = 0; k < n_residuals; k++) off = off || fabs(residuals[k]) > (atol + rtol * size) * size;
    if (off) {
      lua_pushinteger(L, i);
      lua_rawseti(L, found, ++n_found);
    }
    lua_settop(L, found);
  }
  return 1;
}

// What rows_hold compares with
typedef struct limits {
  bool balanced, constrained, has_work, timeless;
  double step, whole, explained, faint, atol, rtol;
} limits;

// Do the accelerations have their digits at a state that is set?
static bool has_digits(hml_bind_workspace *slot) {
  hml_digits d;
  return hml_workspace__digits(slot->w, HML_DIGITS_PART, &d) == HML_OK && d.difference <= HML_DIGITS_PART * d.largest && d.states <= HML_DIGITS_PART;
}

// The least that errors of the tolerances change of the energy at the states of a run. x: room for a state
static double least_allowed(hml_bind_workspace *slot, const limits *l, size_t n, const double *times, const double *const *at, double *x) {
  double least = INFINITY;
  for (size_t k = 0; k < n; k++) {
    memcpy(x, at[k], slot->n * sizeof *x);
    least = fmin(least, allowed_at(slot, slot->n - l->has_work, times[k], x, l->atol, l->rtol));
  }
  return least;
}

// Are the changes of the balance from state to state, and in all, small beside the exchanged energy, or explained by the tolerances?
static bool balances_hold(hml_bind_workspace *slot, const limits *l, size_t n, const double *times, const double *const *at, const double *balances,
                          const hml_energies_met *met, double *x) {
  // a motion may be at rest at both ends: what work makes of potential energy is exchanged, too, unless time alone may do so
  const double exchanged = l->timeless ? hml_energies_met__turned_over(met) : hml_energies_met__exchanged(met), rounding = hml_energies_met__rounding(met);
  double change = 0, all = 0;
  for (size_t k = 1; k < n; k++) {
    change = fmax(change, fabs(balances[k] - balances[k - 1]));
    all = fmax(all, fabs(balances[k] - balances[0]));
  }
  const double off = fmax(change - l->step * exchanged, all - l->whole * exchanged) - rounding;
  if (off <= 0) return true;
  return all <= l->faint * hml_energies_met__size(met) && off <= l->explained * least_allowed(slot, l, n, times, at, x);
}

// Do the energy balance and the constraints hold at the states of a run, as limits say? balances: one for each; room: for a state
static bool holds(hml_bind_workspace *slot, const limits *l, size_t n, const double *times, const double *const *at, double *balances, double *residuals,
                  double *room) {
  hml_energies_met met = {0};
  for (size_t k = 0; k < n; k++) {
    const double *x = at[k];
    double energy = 0, kinetic = 0, size = 1;
    const double work = l->has_work ? x[slot->n - 1] : 0;
    if (hml_workspace_set_state(slot->w, times[k], x) != HML_OK) return false;
    if (l->balanced && hml_energies(slot->w, &energy, &kinetic) != HML_OK) return false;
    balances[k] = energy - work;
    hml_energies_met__add(&met, energy, kinetic, work);
    if (l->balanced && k > 0 && !(fabs(balances[k] - balances[0]) < INFINITY)) return false;
    if (!has_digits(slot)) return false;
    if (!l->constrained) continue;
    for (size_t i = 0; i < slot->n; i++) size = fmax(size, fabs(x[i]));
    if (hml_residuals(slot->w, residuals, residuals + slot->n_positions) != HML_OK) return false;
    for (size_t i = 0; i < slot->n_positions + slot->n_velocities; i++)
      if (!(fabs(residuals[i]) <= (l->atol + l->rtol * size) * size)) return false;
  }
  return !l->balanced || balances_hold(slot, l, n, times, at, balances, &met, room);
}

// rows_hold(w, parameters or nil, t0, starts, times, states, {balanced =, constrained =, has_work =, timeless =, step =, whole =, explained =, faint =,
// atol =, rtol =}) -> for each run whether it holds its balance and its constraints at its start and at the times. Balances change by up to `step` of the
// exchanged energy between two states, by up to `whole` of it in all; or by up to `explained` times what errors of the tolerances change of the energy beyond
// that, and by up to `faint` of the energy of the motion in all. timeless: does no energy depend on the time? Residuals are as in broken_along, and
// accelerations there keep their digits (HML_DIGITS_PART). Lists are flat: run, time, component
static int rows_hold(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  lua_settop(L, 7);
  size_t n_parameters = 0, n_starts, n_times, n_states;
  const double *parameters = lua_isnil(L, 2) ? NULL : hml_bind__to_doubles(L, 2, &n_parameters), t0 = luaL_checknumber(L, 3);
  const double *starts = hml_bind__to_doubles(L, 4, &n_starts), *given = hml_bind__to_doubles(L, 5, &n_times), *kept = hml_bind__to_doubles(L, 6, &n_states);
  const size_t runs = slot->n ? n_starts / slot->n : 0, each = runs ? n_parameters / runs : 0, points = 1 + n_times;
  hml_bind__demand(L, "states", n_states, runs * n_times * slot->n);
  luaL_checktype(L, 7, LUA_TTABLE);
  limits l = {.explained = hml_bind__number_field(L, 7, "explained", 0), .faint = hml_bind__number_field(L, 7, "faint", 0),
              .step = hml_bind__number_field(L, 7, "step", 0), .whole = hml_bind__number_field(L, 7, "whole", 0),
              .atol = hml_bind__number_field(L, 7, "atol", 0), .rtol = hml_bind__number_field(L, 7, "rtol", 0)};
  bool *const marks[] = {&l.balanced, &l.constrained, &l.has_work, &l.timeless};
  static const char *const names[] = {"balanced", "constrained", "has_work", "timeless"};
  for (int i = 0; i < 4; i++) {
    lua_getfield(L, 7, names[i]);
    *marks[i] = lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  l.has_work = l.has_work && slot->n > 0;
  double *times = lua_newuserdatauv(L, (2 * points + slot->n_positions + slot->n_velocities + slot->n) * sizeof *times, 0);
  double *balances = times + points, *room = balances + points + slot->n_positions + slot->n_velocities;
  const double **list = lua_newuserdatauv(L, points * sizeof *list, 0);
  times[0] = t0;
  for (size_t k = 0; k < n_times; k++) times[1 + k] = given[k];
  lua_createtable(L, (int)runs, 0);
  for (size_t i = 0; i < runs; i++) {
    list[0] = starts + i * slot->n;
    for (size_t k = 0; k < n_times; k++) list[1 + k] = kept + (i * n_times + k) * slot->n;
    const bool fine = (!each || hml_workspace_set_parameters(slot->w, parameters + i * each) == HML_OK)
                      && holds(slot, &l, points, times, list, balances, balances + points, room);
    hml_context_clear_error(c);
    lua_pushboolean(L, fine);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

// meet(met, energy, kinetic, work): adds the energies of a state to those of a table, as balances_along does
static int meet(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  hml_energies_met met = {0};
  hml_energies_met__read(L, 1, &met);
  hml_energies_met__add(&met, luaL_checknumber(L, 2), luaL_checknumber(L, 3), luaL_checknumber(L, 4));
  hml_energies_met__write(L, 1, &met);
  return 0;
}

void hml_bind_balance(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"rows_hold", rows_hold}, {"samples", samples}, {"looks", looks}, {"balances_along", balances_along}, {"broken_along", broken_along}, {"meet", meet},
      {"allowed", allowed}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
