// bind_sweep.c: core.ensemble: many runs of one model, in threads and lanes.
#include "bind_host.h"
#include "bind_model.h"

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

static void push_rows(lua_State *L, size_t n, const hml_ensemble_row *rows, size_t events, const size_t *meetings) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_createtable(L, 0, 9);
    lua_pushstring(L, hml_status_name(rows[i].status));
    lua_setfield(L, -2, "status");
    lua_pushnumber(L, rows[i].t);
    lua_setfield(L, -2, "t");
    lua_pushinteger(L, (lua_Integer)rows[i].steps);
    lua_setfield(L, -2, "steps");
    lua_pushinteger(L, (lua_Integer)rows[i].rejected);
    lua_setfield(L, -2, "rejected");
    lua_pushinteger(L, (lua_Integer)rows[i].evaluations);
    lua_setfield(L, -2, "evaluations");
    lua_pushinteger(L, (lua_Integer)rows[i].impacts);
    lua_setfield(L, -2, "impacts");
    lua_pushinteger(L, (lua_Integer)rows[i].switches);
    lua_setfield(L, -2, "switches");
    push_meetings(L, events, meetings + i * events);
    lua_setfield(L, -2, "meetings");
    lua_pushstring(L, hml_status_advice(rows[i].status));
    lua_setfield(L, -2, "advice");
    lua_pushboolean(L, rows[i].doubted);
    lua_setfield(L, -2, "doubted");
    if (rows[i].message) {
      lua_pushstring(L, rows[i].message);
      lua_setfield(L, -2, "reason");
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// Directions to be carried along, { first = flat list, ignored = list of booleans, skip = } at 14; controlled: components of each
static void read_directions(lua_State *L, size_t controlled, hml_ensemble_spec *spec) {
  if (lua_isnil(L, 14)) return;
  luaL_checktype(L, 14, LUA_TTABLE);
  size_t count;
  lua_getfield(L, 14, "first");
  spec->first = hml_bind__to_doubles(L, -1, &count);
  if (controlled == 0 || count % controlled != 0) hml_bind__error(L, "ensemble: %d numbers are no directions of %d", (int)count, (int)controlled);
  spec->directions = count / controlled;
  unsigned char *ignored = lua_newuserdatauv(L, controlled + 1, 0);
  lua_getfield(L, 14, "ignored");
  for (size_t i = 0; i < controlled; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    ignored[i] = (unsigned char)lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  spec->ignored = ignored;
  lua_getfield(L, 14, "skip");
  spec->skip = luaL_checknumber(L, -1);
  spec->growth = lua_newuserdatauv(L, (spec->n * 2 * spec->directions + 1) * sizeof(double), 0);
}

// ensemble(model, options, t0, times, starts, parameters or nil, threads, lanes, progress or nil, hybrid or nil, tidy_rtol, tidy_atol, at_once,
// directions or nil)
// -> states (flat: run, time, component), rows, with a hybrid accelerations, multipliers, reactions (flat: run, time, component), growth of directions
static int ensemble(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  lua_settop(L, 14);
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
  read_directions(L, hml_model_controlled_size(m), &spec);
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
    push_rows(L, n, rows, events, spec.meetings);
    hml_bind__push_doubles(L, spec.solutions, n * n_times * solution);
    hml_bind__push_doubles(L, spec.growth, n * 2 * spec.directions);
  }
  hml_ensemble_free_messages(c, n, rows);
  hml_bind__check(L, c, status);
  return 4;
}

void hml_bind_sweep(lua_State *L) {
  lua_pushcfunction(L, ensemble);
  lua_setfield(L, -2, "ensemble");
}
