// bind_discrete.c: one-step maps given by expressions, in Lua.
#include "bind_model.h"

#define HML_DISCRETE "hamel.discrete"

typedef struct held_discrete {
  hml_discrete *d;
} held_discrete;

static int discrete_gc(lua_State *L) {
  held_discrete *slot = luaL_checkudata(L, 1, HML_DISCRETE);
  if (slot->d) hml_discrete_free(slot->d);
  slot->d = NULL;
  return 0;
}

// discrete{ time, step, states, unknowns, parameters, parameter_values, residual, update, guess } -> a map
static int discrete(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  if (lua_getmetatable(L, 1)) hml_bind__error(L, "discrete: a plain table is expected");
  luaL_checkstack(L, 40, "discrete");
  held_discrete *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  slot->d = NULL;
  luaL_setmetatable(L, HML_DISCRETE);
  int result = lua_gettop(L);
  hml_discrete_spec s = {0};
  size_t n;
  s.time = hml_bind__field_expr(L, c, 1, "time");
  s.step = hml_bind__field_expr(L, c, 1, "step");
  s.states = hml_bind__field_list(L, c, 1, "states", &s.n);
  s.unknowns = hml_bind__field_list(L, c, 1, "unknowns", &s.nz);
  s.parameters = hml_bind__field_list(L, c, 1, "parameters", &s.n_parameters);
  if (lua_getfield(L, 1, "parameter_values") != LUA_TNIL) {
    s.parameter_values = hml_bind__to_doubles(L, -1, &n);
    hml_bind__demand(L, "parameter_values", n, s.n_parameters);
  }
  s.residual = hml_bind__field_list(L, c, 1, "residual", &n), hml_bind__demand(L, "residual", n, s.nz);
  s.update = hml_bind__field_list(L, c, 1, "update", &n), hml_bind__demand(L, "update", n, s.n);
  s.guess = hml_bind__field_list(L, c, 1, "guess", &n), hml_bind__demand(L, "guess", n, s.nz);
  hml_bind__check(L, c, hml_discrete_new(c, &s, &slot->d));
  lua_settop(L, result);
  return 1;
}

// discrete_run(workspace, map, options, t0, t1, x, into)
static int discrete_run(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  held_discrete *slot = luaL_checkudata(L, 2, HML_DISCRETE);
  if (!slot->d) hml_bind__error(L, "this map is gone");
  hml_run_options o = hml_bind__run_options(L, 3);
  double t0 = luaL_checknumber(L, 4), t1 = luaL_checknumber(L, 5);
  size_t n;
  double *x = hml_bind__to_doubles(L, 6, &n);
  if (n != w->n) hml_bind__error(L, "the state has %d entries, not %d", (int)w->n, (int)n);
  hml_trajectory **trajectory = hml_bind__new_trajectory(L, 7);
  hml_outcome outcome;
  hml_bind__check_run(L, w, hml_discrete_run(w->w, slot->d, &o, t0, t1, x, trajectory, &outcome));
  hml_bind__set_outcome(L, w, 7, &outcome);
  hml_context_clear_error(c);
  return 0;
}

void hml_bind_discrete(lua_State *L) {
  static const luaL_Reg none[] = {{NULL, NULL}};
  hml_bind__new_class(L, HML_DISCRETE, none, discrete_gc);
  static const luaL_Reg functions[] = {{"discrete", discrete}, {"discrete_run", discrete_run}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
