// bind_sweep.c: core.ensemble: many runs of one model, in threads and lanes.
#include "bind_host.h"
#include "bind_model.h"
#include "bind_series.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

typedef struct teller {
  lua_State *L;
  bool broken;                         // the function failed, the error lies on the stack: the runs are stopped, and it is raised
} teller;

// progress(done, failed) is at stack index 9
static void tell(void *payload, size_t done, size_t failed) {
  teller *t = payload;
  if (t->broken) return;
  lua_pushvalue(t->L, 9);
  lua_pushinteger(t->L, (lua_Integer)done);
  lua_pushinteger(t->L, (lua_Integer)failed);
  if (lua_pcall(t->L, 2, 0, 0) != LUA_OK) {
    t->broken = true;
    *hml_bind__interrupt_flag() = 1;
  }
}

// How often each event was met, in their order
static void push_meetings(lua_State *L, size_t n, const size_t *meetings) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushinteger(L, (lua_Integer)meetings[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// A list of numbers of the runs, as field `name` of the table below it
#define SET_LIST(name, push, type, of)                                               \
  do {                                                                               \
    lua_createtable(L, (int)n, 0);                                                   \
    for (size_t i = 0; i < n; i++) push(L, (type)(of)), lua_rawseti(L, -2, (lua_Integer)i + 1); \
    lua_setfield(L, -2, name);                                                       \
  } while (0)

// The names of most runs are equal: each is pushed once for all runs in a row that have it
static void push_statuses(lua_State *L, size_t n, const hml_ensemble_row *rows) {
  lua_createtable(L, (int)n, 0);
  lua_pushnil(L);
  for (size_t i = 0; i < n; i++) {
    if (i == 0 || rows[i].status != rows[i - 1].status) {
      lua_pop(L, 1);
      lua_pushstring(L, hml_status_name(rows[i].status));
    }
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)i + 1);
  }
  lua_pop(L, 1);
}

// Entries of few runs: true for those that have been left and those that are doubted, their messages
static void push_remarks(lua_State *L, size_t n, const hml_ensemble_row *rows) {
  lua_newtable(L);
  lua_newtable(L);
  lua_newtable(L);
  for (size_t i = 0; i < n; i++) {
    if (rows[i].message) {
      lua_pushstring(L, rows[i].message);
      lua_rawseti(L, -2, (lua_Integer)i + 1);
    }
    if (rows[i].doubted) {
      lua_pushboolean(L, 1);
      lua_rawseti(L, -3, (lua_Integer)i + 1);
    }
    if (rows[i].left) {
      lua_pushboolean(L, 1);
      lua_rawseti(L, -4, (lua_Integer)i + 1);
    }
  }
  lua_setfield(L, -4, "reason");
  lua_setfield(L, -3, "doubted");
  lua_setfield(L, -2, "left");
}

// Of runs whose accelerations rounding leaves with too few digits on the way: { part =, t =, states = }, see hml_ensemble_row.lost
static void push_lost(lua_State *L, size_t n, const hml_ensemble_row *rows) {
  lua_newtable(L);
  for (size_t i = 0; i < n; i++) {
    if (!(rows[i].lost > 0)) continue;
    lua_createtable(L, 0, 3);
    lua_pushnumber(L, rows[i].lost);
    lua_setfield(L, -2, "part");
    lua_pushnumber(L, rows[i].lost_at);
    lua_setfield(L, -2, "t");
    lua_pushboolean(L, rows[i].lost_states);
    lua_setfield(L, -2, "states");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "lost");
}

// What happened in the runs, { status =, t =, steps =, ... }: lists over all runs. Those of runs without contacts and events have neither impacts nor
// meetings
static void push_rows(lua_State *L, size_t n, const hml_ensemble_row *rows, bool hybrid, size_t events, const size_t *meetings) {
  lua_createtable(L, 0, 12);
  push_statuses(L, n, rows);
  lua_setfield(L, -2, "status");
  SET_LIST("t", lua_pushnumber, lua_Number, rows[i].t);
  SET_LIST("steps", lua_pushinteger, lua_Integer, rows[i].steps);
  SET_LIST("evaluations", lua_pushinteger, lua_Integer, rows[i].evaluations);
  push_remarks(L, n, rows);
  push_lost(L, n, rows);
  if (!hybrid) return;
  SET_LIST("impacts", lua_pushinteger, lua_Integer, rows[i].impacts);
  SET_LIST("switches", lua_pushinteger, lua_Integer, rows[i].switches);
  lua_createtable(L, (int)n, 0);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_meetings(L, events, meetings + i * events);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
    lua_pushstring(L, hml_status_advice(rows[i].status));
    lua_rawseti(L, -3, (lua_Integer)i + 1);
  }
  lua_setfield(L, -3, "meetings");
  lua_setfield(L, -2, "advice");
}

// Directions to be carried along, { first = flat list, ignored = list of booleans, skip =, weights = flat list or nil } at 14; controlled: components of each
static void read_directions(lua_State *L, size_t controlled, hml_ensemble_spec *spec) {
  if (lua_isnil(L, 14)) return;
  luaL_checktype(L, 14, LUA_TTABLE);
  size_t count;
  lua_getfield(L, 14, "first");
  spec->first = hml_bind__to_doubles(L, -1, &count);
  if (controlled == 0 || count % controlled != 0) hml_bind__error(L, "ensemble: %d numbers are no directions of %d", (int)count, (int)controlled);
  spec->directions = count / controlled;
  lua_getfield(L, 14, "ignored");
  spec->ignored = hml_bind__to_marks(L, -1, controlled);
  if (lua_getfield(L, 14, "weights") != LUA_TNIL) {
    spec->weights = hml_bind__to_doubles(L, -1, &count);
    hml_bind__demand(L, "weights", count, spec->n * controlled);
  }
  lua_getfield(L, 14, "skip");
  spec->skip = luaL_checknumber(L, -1);
  spec->growth = lua_newuserdatauv(L, (spec->n * 2 * spec->directions + 1) * sizeof(double), 0);
}

// The list of whole numbers at the top of the stack, in memory of Lua
static int *to_ints(lua_State *L, size_t *n) {
  *n = (size_t)luaL_len(L, -1);
  int *list = lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    list[i] = (int)luaL_checkinteger(L, -1);
    lua_pop(L, 1);
  }
  return list;
}

// What is read off the runs, { all = program, programs = list, directions =, from =, keep = (-1: all) of the roots, turns = (numbers of roots, 0: none),
// ends =, decided = (booleans) of the roots, signs =, searched = (booleans) of the largest values, averaged = program of the means or nil, states =, constants = flat list } at `index`
static hml_readings_spec *read_readings(lua_State *L, int index, size_t runs) {
  if (lua_isnil(L, index)) return NULL;
  luaL_checktype(L, index, LUA_TTABLE);
  luaL_checkstack(L, 32, "ensemble");
  hml_readings_spec *s = lua_newuserdatauv(L, sizeof *s, 0);
  size_t n, n_from, n_keep, n_turns, n_constants;
  memset(s, 0, sizeof *s);
  lua_getfield(L, index, "all");
  s->all = hml_bind__program(L, lua_gettop(L));
  lua_getfield(L, index, "states");
  s->states = (size_t)luaL_checkinteger(L, -1);
  lua_getfield(L, index, "directions");
  s->directions = to_ints(L, &s->n_roots);
  lua_getfield(L, index, "signs");
  s->signs = to_ints(L, &s->n_peaks);
  lua_getfield(L, index, "from");
  s->from = hml_bind__to_doubles(L, -1, &n_from);
  lua_getfield(L, index, "keep");
  const int *keep = to_ints(L, &n_keep);
  lua_getfield(L, index, "turns");
  const int *turns = to_ints(L, &n_turns);
  lua_getfield(L, index, "constants");
  s->constants = hml_bind__to_doubles(L, -1, &n_constants);
  lua_getfield(L, index, "averaged");
  s->averaged = lua_isnil(L, -1) ? NULL : hml_bind__program(L, lua_gettop(L));
  s->n_means = s->averaged ? hml_program_outputs(s->averaged) : 0;
  lua_getfield(L, index, "programs");
  n = (size_t)luaL_len(L, -1);
  if (n != s->n_roots + s->n_peaks + s->n_means || n_from != s->n_roots || n_keep != s->n_roots || n_turns != s->n_peaks || (runs && n_constants % runs != 0))
    hml_bind__error(L, "ensemble: lists of readings of different lengths");
  s->n_constants = runs ? n_constants / runs : 0;
  const hml_program **programs = lua_newuserdatauv(L, (n + 1) * sizeof *programs, 0);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    programs[i] = hml_bind__program(L, lua_gettop(L));
    lua_pop(L, 1);
  }
  s->programs = programs;
  size_t *wide = lua_newuserdatauv(L, (n + 1) * sizeof *wide, 0);
  for (size_t i = 0; i < s->n_roots; i++) wide[i] = keep[i] < 0 ? SIZE_MAX : (size_t)keep[i];
  for (size_t k = 0; k < s->n_peaks; k++) wide[s->n_roots + k] = turns[k] > 0 ? (size_t)turns[k] - 1 : s->n_roots;
  s->keep = wide;
  s->turns = wide + s->n_roots;
  lua_getfield(L, index, "ends");
  s->ends = hml_bind__to_marks(L, -1, s->n_roots);
  lua_getfield(L, index, "decided");
  s->decided = hml_bind__to_marks(L, -1, s->n_roots);
  double *const accuracy[] = {&s->rtol, &s->atol, &s->step_errors};
  static const char *const names[] = {"rtol", "atol", "step_errors"};
  for (size_t i = 0; i < sizeof accuracy / sizeof *accuracy; i++) {
    lua_getfield(L, index, names[i]);
    *accuracy[i] = luaL_optnumber(L, -1, 0);
    lua_pop(L, 1);
  }
  lua_getfield(L, index, "compared");
  s->compared = lua_toboolean(L, -1);
  lua_getfield(L, index, "not_compared");
  s->not_compared = lua_toboolean(L, -1);
  lua_getfield(L, index, "at_event");
  s->at_event = lua_toboolean(L, -1);
  lua_getfield(L, index, "searched");
  s->searched = hml_bind__to_marks(L, -1, s->n_peaks);
  s->counts = lua_newuserdatauv(L, (runs * s->n_roots + 1) * sizeof *s->counts, 0);
  memset(s->counts, 0, (runs * s->n_roots + 1) * sizeof *s->counts);
  s->peaks = lua_newuserdatauv(L, (runs * s->n_peaks + 1) * sizeof *s->peaks, 0);
  for (size_t i = 0; i < runs * s->n_peaks; i++) s->peaks[i] = NAN;
  s->means = lua_newuserdatauv(L, (runs * s->n_means + 1) * sizeof *s->means, 0);
  for (size_t i = 0; i < runs * s->n_means; i++) s->means[i] = NAN;
  return s;
}

// Roots of a function that are all kept: { times =, states = a flat list }. found: entries of 2 + state numbers
static void push_roots(lua_State *L, size_t root, const double *found, size_t n_found, size_t state) {
  lua_Integer n = 0;
  lua_createtable(L, 0, 2);
  lua_createtable(L, (int)(n_found / (2 + state)), 0);
  lua_createtable(L, (int)(n_found / (2 + state) * state), 0);
  for (const double *at = found; at < found + n_found; at += 2 + state) {
    if (at[0] != (double)root) continue;
    lua_pushnumber(L, at[1]);
    lua_rawseti(L, -3, n + 1);
    for (size_t i = 0; i < state; i++) {
      lua_pushnumber(L, at[2 + i]);
      lua_rawseti(L, -2, n * (lua_Integer)state + (lua_Integer)i + 1);
    }
    n++;
  }
  lua_setfield(L, -3, "states");
  lua_setfield(L, -2, "times");
}

static bool is_kept(const hml_readings_spec *s, double head) {
  return head >= 0 && s->keep[(size_t)head] == SIZE_MAX;
}

// A flat list of the entries: number of the root, t, x of each that was stored. Roots are counted from 1 there. Without those that are all kept
static void push_found(lua_State *L, const hml_readings_spec *s, const double *found, size_t n_found, size_t state) {
  lua_Integer n = 0;
  lua_newtable(L);
  for (size_t k = 0; k < n_found; k += 2 + state) {
    if (is_kept(s, found[k])) continue;
    lua_pushinteger(L, (lua_Integer)found[k] + (found[k] >= 0));
    lua_rawseti(L, -2, ++n);
    for (size_t i = 1; i < 2 + state; i++) {
      lua_pushnumber(L, found[k + i]);
      lua_rawseti(L, -2, ++n);
    }
  }
}

// { counts = of the roots, peaks =, means =, found = flat list: number of the root, t, x of each that was stored; of readings that were refused
// -(number of the function), counted from 1 over roots, peaks and means; where the search came to its limit, over all of these once more, and where
// roots are not decided, twice more; all = { [number of the root] = { times =, states = flat list } } of roots that are all kept }
static void push_reading(lua_State *L, const hml_readings_spec *s, size_t run, const double *found, size_t n_found, size_t state) {
  lua_createtable(L, 0, 5);
  push_meetings(L, s->n_roots, s->counts + run * s->n_roots);
  lua_setfield(L, -2, "counts");
  hml_bind__push_doubles(L, s->peaks + run * s->n_peaks, s->n_peaks);
  lua_setfield(L, -2, "peaks");
  hml_bind__push_doubles(L, s->means + run * s->n_means, s->n_means);
  lua_setfield(L, -2, "means");
  push_found(L, s, found, n_found, state);
  lua_setfield(L, -2, "found");
  lua_newtable(L);
  for (size_t i = 0; i < s->n_roots; i++) {
    if (s->keep[i] != SIZE_MAX) continue;
    push_roots(L, i, found, n_found, state);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_setfield(L, -2, "all");
}

static void push_readings(lua_State *L, size_t n, const hml_readings_spec *s, const hml_ensemble_row *rows, size_t state) {
  if (!s) {
    lua_pushnil(L);
    return;
  }
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    push_reading(L, s, i, rows[i].found, rows[i].n_found, state);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// read_off(trajectory, readings) -> what is read off it
static int read_off(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  lua_settop(L, 2);
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  const hml_readings_spec *s = read_readings(L, 2, 1);
  if (!s) return hml_bind__error(L, "read_off: no readings");
  hml_ensemble_row row;
  hml_status status = hml_trajectory_read(r, s, &row);
  if (status == HML_OK) push_reading(L, s, 0, row.found, row.n_found, hml_trajectory_size(r));
  hml_ensemble_free_messages(c, 1, &row);
  hml_bind__check(L, c, status);
  return 1;
}

// ensemble(model, options, t0, times, starts, parameters or nil, threads, lanes, progress or nil, hybrid or nil, tidy_rtol, tidy_atol, at_once,
// directions or nil, readings or nil, only_lanes, digits, noise)
// -> states (flat: run, time, component), what happened (lists over the runs), with a hybrid accelerations, multipliers, reactions (flat: run, time, component), growth of directions,
// what was read off the runs
static int ensemble(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  lua_settop(L, 18);
  luaL_checkstack(L, 64, "ensemble");
  hml_model *m = hml_bind__model(L, 1);
  hml_run_options o = hml_bind__run_options(L, 2);
  size_t size = hml_model_state_size(m), n_times, n_starts, n_parameters = 0, per_run = hml_model__sizes(m).parameters - hml_model__sizes(m).held;
  double t0 = luaL_checknumber(L, 3);
  const double *times = hml_bind__to_doubles(L, 4, &n_times), *starts = hml_bind__to_doubles(L, 5, &n_starts), *parameters = NULL;
  if (n_starts % size != 0) return hml_bind__error(L, "ensemble: %d numbers are no states of %d", (int)n_starts, (int)size);
  size_t n = n_starts / size;
  if (!lua_isnil(L, 6)) {
    parameters = hml_bind__to_doubles(L, 6, &n_parameters);
    hml_bind__demand(L, "parameters", n_parameters, n * per_run);
  }
  teller t = {.L = L};
  hml_ensemble_spec spec = {.n = n, .n_times = n_times, .t0 = t0, .times = times, .starts = starts, .parameters = parameters, .options = &o,
                            .threads = (unsigned)hml_bind__to_integer(L, 7, "threads", 0, 256), .lanes = (unsigned)hml_bind__to_integer(L, 8, "lanes", 0, 8),
                            .payload = &t, .progress = lua_isnil(L, 9) ? NULL : tell};
  size_t solution = 0, events = 0;
  if (!lua_isnil(L, 10)) {
    spec.hybrid = hml_bind__hybrid_shape(L, 10, &solution);
    events = hml_hybrid_shape_events(spec.hybrid);
  }
  spec.tidy_rtol = luaL_optnumber(L, 11, 0);
  spec.tidy_atol = luaL_optnumber(L, 12, 0);
  spec.at_once = lua_toboolean(L, 13);
  spec.only_lanes = lua_toboolean(L, 16);
  spec.digits = luaL_optnumber(L, 17, 0);
  spec.noise = luaL_optnumber(L, 18, spec.digits);
  read_directions(L, hml_model_controlled_size(m), &spec);
  spec.readings = read_readings(L, 15, n);
  double *states = lua_newuserdatauv(L, (n * n_times * size + 1) * sizeof *states, 0);
  spec.solutions = lua_newuserdatauv(L, (n * n_times * solution + 1) * sizeof *states, 0);
  spec.meetings = lua_newuserdatauv(L, (n * events + 1) * sizeof *spec.meetings, 0);
  memset(spec.meetings, 0, (n * events + 1) * sizeof *spec.meetings);
  hml_ensemble_row *rows = lua_newuserdatauv(L, (n + 1) * sizeof *rows, 0);
  memset(rows, 0, (n + 1) * sizeof *rows);
  hml_status status = hml_ensemble_run(c, m, &spec, states, rows);
  if (t.broken) {
    hml_ensemble_free_messages(c, n, rows);
    hml_bind__forget_interrupt(L);
    return lua_error(L);
  }
  if (status == HML_OK) {
    hml_bind__push_doubles(L, states, n * n_times * size);
    push_rows(L, n, rows, spec.hybrid != NULL, events, spec.meetings);
    hml_bind__push_doubles(L, spec.solutions, n * n_times * solution);
    hml_bind__push_doubles(L, spec.growth, n * 2 * spec.directions);
    push_readings(L, n, spec.readings, rows, size);
  }
  hml_ensemble_free_messages(c, n, rows);
  hml_bind__check(L, c, status);
  return 5;
}

void hml_bind_sweep(lua_State *L) {
  lua_pushcfunction(L, ensemble);
  lua_setfield(L, -2, "ensemble");
  lua_pushcfunction(L, read_off);
  lua_setfield(L, -2, "read_off");
}
