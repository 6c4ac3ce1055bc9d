// bind_model.c: models and workspaces in Lua, forces written as Lua functions.
#include "bind_model.h"

#include <dlfcn.h>
#include <math.h>
#include <string.h>

typedef struct held_model {
  hml_model *m;
  size_t n_kin, n_dyn, n_multipliers, n_positions, n_velocities, n_externals, n_parameters;
  void *library;                       // compiled by the system's compiler; NULL: none
} held_model;

static held_model *check_model(lua_State *L, int index) {
  held_model *slot = luaL_checkudata(L, index, HML_MODEL);
  if (!slot->m) hml_bind__error(L, "this model is gone");
  return slot;
}

hml_model *hml_bind__model(lua_State *L, int index) {
  return check_model(L, index)->m;
}

static int model_gc(lua_State *L) {
  held_model *slot = luaL_checkudata(L, 1, HML_MODEL);
  if (slot->m) hml_model_free(slot->m);
  if (slot->library) dlclose(slot->library);
  slot->m = NULL;
  slot->library = NULL;
  return 0;
}

// the spec as a table; its values stay on the stack

hml_expr *hml_bind__field_list(lua_State *L, hml_context *c, int index, const char *key, size_t *n) {
  *n = 0;
  if (lua_getfield(L, index, key) == LUA_TNIL) return NULL;
  return hml_bind__to_list(L, c, -1, n);
}

hml_expr hml_bind__field_expr(lua_State *L, hml_context *c, int index, const char *key) {
  return lua_getfield(L, index, key) == LUA_TNIL ? NULL : hml_bind__to_expr(L, c, -1);
}

static hml_expr *field_list(lua_State *L, hml_context *c, const char *key, size_t *n) {
  return hml_bind__field_list(L, c, 1, key, n);
}

static hml_expr field_expr(lua_State *L, hml_context *c, const char *key) {
  return hml_bind__field_expr(L, c, 1, key);
}

// Marks by place: a list of booleans; NULL where the table has none
static const unsigned char *field_marks(lua_State *L, const char *key, size_t expected) {
  if (lua_getfield(L, 1, key) != LUA_TTABLE) return NULL;
  return hml_bind__to_marks(L, -1, expected);
}

static const char *const *list_of_names(lua_State *L, int index, const char *key, size_t expected) {
  if (lua_getfield(L, index, key) != LUA_TTABLE && expected == 0) return NULL;
  luaL_checktype(L, -1, LUA_TTABLE);
  if (lua_rawlen(L, -1) != expected) hml_bind__error(L, "model: %s needs %d names", key, (int)expected);
  const char **names = lua_newuserdatauv(L, (expected + 1) * sizeof *names, 0);
  for (size_t i = 0; i < expected; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    names[i] = luaL_checkstring(L, -1);      // the string belongs to the table
    lua_pop(L, 1);
  }
  return names;
}

static const char *const *field_names(lua_State *L, const char *key, size_t expected) {
  return list_of_names(L, 1, key, expected);
}

void hml_bind__demand(lua_State *L, const char *key, size_t n, size_t expected) {
  if (n != expected) hml_bind__error(L, "model: %s has %d entries, not %d", key, (int)n, (int)expected);
}

// The branches, a list of { text =, table =, held =, argument =, guard =, of_velocities = }; held counts from 1. What they point to stays in the spec
static void read_branches(lua_State *L, hml_context *c, hml_model_spec *s) {
  if (lua_getfield(L, 1, "branches") != LUA_TTABLE) return;
  int list = lua_gettop(L);
  s->n_branches = lua_rawlen(L, list);
  hml_branch_spec *branches = lua_newuserdatauv(L, (s->n_branches + 1) * sizeof *branches, 0);
  for (size_t i = 0; i < s->n_branches; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    int at = lua_gettop(L);
    lua_getfield(L, at, "text");
    branches[i] = (hml_branch_spec){.text = luaL_checkstring(L, -1), .table = hml_bind__number_field(L, at, "table", 0),
                                    .held = (size_t)hml_bind__number_field(L, at, "held", 1) - 1};
    lua_getfield(L, at, "of_velocities");
    branches[i].of_constraint = lua_toboolean(L, -1);
    branches[i].argument = hml_bind__field_expr(L, c, at, "argument");
    branches[i].guard = hml_bind__field_expr(L, c, at, "guard");
    lua_settop(L, at - 1);
  }
  s->branches = branches;
}

// What takes an impulse where it jumps: { values =, texts =, free =, positions =, reactions =, normals =, velocities =, kept = }
static void read_impulse(lua_State *L, hml_context *c, hml_model_spec *s) {
  if (lua_getfield(L, 1, "impulse") != LUA_TTABLE) return;
  int at = lua_gettop(L);
  size_t n;
  hml_impulse_spec *impulse = lua_newuserdatauv(L, sizeof *impulse, 0);
  *impulse = (hml_impulse_spec){.n_free = (size_t)hml_bind__number_field(L, at, "free", 0), .n_positions = (size_t)hml_bind__number_field(L, at, "positions", 0)};
  impulse->values = hml_bind__field_list(L, c, at, "values", &impulse->n);
  impulse->reactions = hml_bind__field_list(L, c, at, "reactions", &n);
  impulse->n_reactions = impulse->n_free ? n / impulse->n_free : 0;
  hml_bind__demand(L, "reactions", n, impulse->n_reactions * impulse->n_free);
  impulse->normals = hml_bind__field_list(L, c, at, "normals", &n), hml_bind__demand(L, "normals", n, s->n_branches * impulse->n_free);
  impulse->velocities = hml_bind__field_list(L, c, at, "velocities", &impulse->n_velocities);
  impulse->kept = hml_bind__field_list(L, c, at, "kept", &n), hml_bind__demand(L, "kept", n, impulse->n_velocities);
  impulse->texts = list_of_names(L, at, "texts", impulse->n);
  s->impulse = impulse;
}

// model(spec); nil where the spec has no mass and its energies do not suffice (hml_model_new)
static int model(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  // a metamethod must not run while bare expressions are held
  if (lua_getmetatable(L, 1)) hml_bind__error(L, "model: a plain table is expected");
  luaL_checkstack(L, 100, "model");
  held_model *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  *slot = (held_model){0};
  luaL_setmetatable(L, HML_MODEL);
  int result = lua_gettop(L);
  hml_model_spec s = {0};
  size_t n;
  lua_getfield(L, 1, "name");
  s.name = luaL_optstring(L, -1, "model");
  s.time = field_expr(L, c, "time");
  s.kin = field_list(L, c, "kin", &s.n_kin);
  s.dyn = field_list(L, c, "dyn", &s.n_dyn);
  s.parameters = field_list(L, c, "parameters", &s.n_parameters);
  if (lua_getfield(L, 1, "parameter_values") != LUA_TNIL) {
    s.parameter_values = hml_bind__to_doubles(L, -1, &n);
    hml_bind__demand(L, "parameter_values", n, s.n_parameters);
  }
  s.externals = field_list(L, c, "externals", &s.n_externals);
  s.k = field_list(L, c, "k", &n), hml_bind__demand(L, "k", n, s.n_kin);
  s.mass = field_list(L, c, "mass", &n);
  if (s.mass) {
    hml_bind__demand(L, "mass", n, s.n_dyn * s.n_dyn);
    s.r = field_list(L, c, "r", &n), hml_bind__demand(L, "r", n, s.n_dyn);
    s.b = field_list(L, c, "b", &s.n_multipliers);
    s.rows = field_list(L, c, "rows", &n), hml_bind__demand(L, "rows", n, s.n_multipliers * s.n_dyn);
  }
  s.lagrangian = field_expr(L, c, "lagrangian");
  s.forces = field_list(L, c, "forces", &n);
  if (s.lagrangian) hml_bind__demand(L, "forces", n, s.n_dyn);
  s.row_functions = field_list(L, c, "row_functions", s.mass ? &n : &s.n_multipliers);
  if (s.lagrangian && s.mass) hml_bind__demand(L, "row_functions", n, s.n_multipliers);
  s.position_residuals = field_list(L, c, "position_residuals", &s.n_positions);
  s.position_jacobian = field_list(L, c, "position_jacobian", &n), hml_bind__demand(L, "position_jacobian", n, s.n_positions * s.n_kin);
  s.velocity_residuals = field_list(L, c, "velocity_residuals", &s.n_velocities);
  s.velocity_jacobian = field_list(L, c, "velocity_jacobian", &n), hml_bind__demand(L, "velocity_jacobian", n, s.n_velocities * s.n_dyn);
  s.energy = field_expr(L, c, "energy");
  s.kinetic = field_expr(L, c, "kinetic");
  s.power = field_expr(L, c, "power");
  s.multiplier_power = field_list(L, c, "multiplier_power", &n);
  if (s.multiplier_power) hml_bind__demand(L, "multiplier_power", n, s.n_multipliers);
  lua_getfield(L, 1, "counts_work");
  s.counts_work = lua_toboolean(L, -1);
  lua_getfield(L, 1, "momenta_kept");
  s.momenta_kept = lua_toboolean(L, -1);
  s.multipliers = field_list(L, c, "multipliers", &n);
  if (s.multipliers) hml_bind__demand(L, "multipliers", n, s.n_multipliers);
  s.executor = (hml_executor)hml_bind__number_field(L, 1, "executor", HML_FASTEST);
  s.elimination = (hml_elimination)hml_bind__number_field(L, 1, "elimination", HML_DENSE);
  s.dyn_names = field_names(L, "dyn_names", s.n_dyn);
  s.multiplier_names = field_names(L, "multiplier_names", s.n_multipliers);
  s.position_names = field_names(L, "position_names", s.n_positions);
  s.velocity_names = field_names(L, "velocity_names", s.n_velocities);
  s.implied = field_marks(L, "implied", s.n_multipliers);
  s.implied_positions = field_marks(L, "implied_positions", s.n_positions);
  s.implied_velocities = field_marks(L, "implied_velocities", s.n_velocities);
  read_branches(L, c, &s);
  read_impulse(L, c, &s);
  hml_bind__check(L, c, hml_model_new(c, &s, &slot->m));
  if (!slot->m) return luaL_pushfail(L), 1;
  slot->n_kin = s.n_kin, slot->n_dyn = s.n_dyn, slot->n_multipliers = s.n_multipliers, slot->n_parameters = s.n_parameters;
  slot->n_positions = s.n_positions, slot->n_velocities = s.n_velocities, slot->n_externals = s.n_externals;
  slot->n_parameters -= hml_model__sizes(slot->m).held;
  lua_settop(L, result);
  return 1;
}

// of_state(program, between) -> the program of an observer, whose inputs are t, x_kin, x_dyn, x_dyn', `between` others and parameters, as one that takes the
// accelerations from t, x_kin, x_dyn and parameters; nil where x' is no program of these
static int model_of_state(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_model *m = check_model(L, 1)->m;
  const hml_program *p = hml_bind__program(L, 2);
  const size_t between = (size_t)luaL_checkinteger(L, 3);
  hml_program **out = hml_bind__new_program(L);
  hml_bind__check(L, c, hml_model__of_state(c, m, p, between, out));
  if (!*out) lua_pushnil(L);
  return 1;
}

// operations() -> operations of one x'; true if its linear solve is a separate step and not among them
static int model_operations(lua_State *L) {
  const hml_model *m = check_model(L, 1)->m;
  size_t margins;
  lua_pushinteger(L, (lua_Integer)hml_model_operations(m));
  lua_pushboolean(L, !hml_model_rate(m, &margins));
  return 2;
}

static int model_size(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_model_state_size(check_model(L, 1)->m));
  return 1;
}

// by_graph(): x' is made from the energies
static int model_by_graph(lua_State *L) {
  lua_pushboolean(L, hml_model_elimination(check_model(L, 1)->m) == HML_GRAPH);
  return 1;
}

static int model_has_work(lua_State *L) {
  lua_pushboolean(L, hml_model_has_work(check_model(L, 1)->m));
  return 1;
}

// jumps(): the right-hand side contains a sign
static int model_jumps(lua_State *L) {
  const hml_program *p = hml_model_dynamics(check_model(L, 1)->m);
  lua_pushboolean(L, p && hml_program__jumps(p));
  return 1;
}

static int model_is_native(lua_State *L) {
  lua_pushboolean(L, hml_model_is_native(check_model(L, 1)->m));
  return 1;
}

// native_refusal() -> why there is no machine code here, or nil
static int native_refusal(lua_State *L) {
  lua_pushstring(L, hml_native_refusal());
  return 1;
}

// model:c(name) -> C text of x' as a function, number of margins; nil where x' is no program
static int model_c(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t margins;
  const hml_program *p = hml_model_rate(check_model(L, 1)->m, &margins);
  const char *name = luaL_checkstring(L, 2);
  if (!p) return luaL_pushfail(L), 1;
  char *text = hml_program_c(c, p, name);
  hml_bind__push_text(L, c, text);
  lua_pushinteger(L, (lua_Integer)margins);
  return 2;
}

// model:tangent_c(name): C text of x' and its tangent: inputs those of x', then a direction of (kin, dyn); nothing where x' is not written out
static int model_tangent_c(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const held_model *slot = check_model(L, 1);
  size_t margins, n = slot->n_kin + slot->n_dyn;
  const hml_program *p = hml_model_rate(slot->m, &margins);
  const char *name = luaL_checkstring(L, 2);
  if (!p) return luaL_pushfail(L), 1;
  size_t *active = lua_newuserdatauv(L, (n + 1) * sizeof *active, 0);
  for (size_t i = 0; i < n; i++) active[i] = 1 + i;
  hml_program *tangent = NULL;
  hml_bind__check(L, c, hml_program_tangent(c, p, n, active, &tangent));
  char *text = hml_program_c(c, tangent, name);
  hml_program_free(tangent);
  return hml_bind__push_text(L, c, text);
}

// model:load_code(path, name): the function of a shared object replaces the program of x'; it stays loaded until the model is freed
static int model_load_code(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_model *slot = check_model(L, 1);
  const char *path = luaL_checkstring(L, 2), *name = luaL_checkstring(L, 3);
  void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL), *symbol = library ? dlsym(library, name) : NULL;
  hml_foreign_code code;
  if (!symbol) {
    lua_pushstring(L, dlerror());
    if (library) dlclose(library);
    return hml_bind__error(L, "compiled code cannot be loaded: %s", lua_tostring(L, -1));
  }
  memcpy(&code, &symbol, sizeof code);
  hml_status status = hml_model_set_code(slot->m, code);
  if (status == HML_OK) slot->library = library;
  else dlclose(library);
  hml_bind__check(L, c, status);
  return 0;
}

static int model_list(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_program *p = hml_model_dynamics(check_model(L, 1)->m);
  if (!p) return hml_bind__error(L, "not enough memory for the equations of this model");
  char *text = hml_program_list(c, p);
  hml_bind__push_text(L, c, text);
  return 1;
}

// ---- workspaces

hml_bind_workspace *hml_bind__workspace(lua_State *L, int index) {
  hml_bind_workspace *slot = luaL_checkudata(L, index, HML_WORKSPACE);
  if (!slot->w) hml_bind__error(L, "this workspace is gone");
  if (slot->calls) hml_bind__error(L, "a force function cannot use the run that calls it; it gets t, q and v");
  slot->L = L;
  return slot;
}

static int workspace_gc(lua_State *L) {
  hml_bind_workspace *slot = luaL_checkudata(L, 1, HML_WORKSPACE);
  if (slot->w) hml_workspace_free(slot->w);
  slot->w = NULL;
  luaL_unref(L, LUA_REGISTRYINDEX, slot->force);
  luaL_unref(L, LUA_REGISTRYINDEX, slot->error);
  luaL_unref(L, LUA_REGISTRYINDEX, slot->state);
  return 0;
}

static const held_model *model_of(lua_State *L, int workspace) {
  lua_getiuservalue(L, workspace, 1);
  const held_model *m = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return m;
}

static int workspace(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_model *m = check_model(L, 1);
  hml_bind_workspace *slot = lua_newuserdatauv(L, sizeof *slot, 1);
  *slot = (hml_bind_workspace){.L = L, .context = c, .force = LUA_NOREF, .error = LUA_NOREF, .state = LUA_NOREF,
                               .n = hml_model_state_size(m->m), .n_externals = m->n_externals,
                               .n_dyn = m->n_dyn, .n_multipliers = m->n_multipliers, .n_positions = m->n_positions, .n_velocities = m->n_velocities};
  luaL_setmetatable(L, HML_WORKSPACE);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, -2, 1);             // the model outlives its workspaces
  hml_bind__check(L, c, hml_workspace_new(c, m->m, &slot->w));
  return 1;
}

// Called protected: __tostring of the user's error object may raise
static int text_of(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  return 1;
}

hml_status hml_bind__call_failed(hml_bind_workspace *slot) {
  lua_State *L = slot->L;
  luaL_unref(L, LUA_REGISTRYINDEX, slot->error);
  lua_pushcfunction(L, text_of);
  lua_pushvalue(L, -2);
  bool printed = lua_pcall(L, 1, 1, 0) == LUA_OK;
  hml_status status = hml_fail(slot->context, HML_CALLBACK, "%s", printed ? lua_tostring(L, -1) : "an error that cannot be printed");
  lua_pop(L, 1);
  slot->error = luaL_ref(L, LUA_REGISTRYINDEX);
  return status;
}

void hml_bind__push_state(hml_bind_workspace *slot, const double *x) {
  lua_State *L = slot->L;
  if (slot->state == LUA_NOREF) {
    lua_createtable(L, (int)slot->n, 0);
    slot->state = luaL_ref(L, LUA_REGISTRYINDEX);
  }
  lua_rawgeti(L, LUA_REGISTRYINDEX, slot->state);
  for (size_t i = 0; i < slot->n; i++) {
    lua_pushnumber(L, x[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static hml_status call_force(void *payload, double t, const double *x, double *out) {
  hml_bind_workspace *slot = payload;
  lua_State *L = slot->L;
  int top = lua_gettop(L);
  lua_rawgeti(L, LUA_REGISTRYINDEX, slot->force);
  lua_pushnumber(L, t);
  hml_bind__push_state(slot, x);
  slot->calls = true;
  int status_of_call = lua_pcall(L, 2, 1, 0);
  slot->calls = false;
  if (status_of_call != LUA_OK) {
    hml_status status = hml_bind__call_failed(slot);
    lua_settop(L, top);
    return status;
  }
  bool fine = lua_istable(L, -1);
  for (size_t i = 0; fine && i < slot->n_externals; i++) {
    fine = lua_rawgeti(L, -1, (lua_Integer)i + 1) == LUA_TNUMBER;
    out[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return fine ? HML_OK : hml_fail(slot->context, HML_CALLBACK, "the function of the forces returns no list of %zu numbers", slot->n_externals);
}

void hml_bind__check_run(lua_State *L, hml_bind_workspace *slot, hml_status status) {
  if (status == HML_CALLBACK && slot->error != LUA_NOREF) {
    hml_context_clear_error(slot->context);
    lua_rawgeti(L, LUA_REGISTRYINDEX, slot->error);
    luaL_unref(L, LUA_REGISTRYINDEX, slot->error);
    slot->error = LUA_NOREF;
    lua_error(L);
  }
  hml_bind__check(L, slot->context, status);
}

// w:set_force(f): f(t, x) -> list of the externals' values
static int set_force(lua_State *L) {
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  luaL_checktype(L, 2, LUA_TFUNCTION);
  lua_settop(L, 2);
  luaL_unref(L, LUA_REGISTRYINDEX, slot->force);
  slot->force = luaL_ref(L, LUA_REGISTRYINDEX);
  hml_workspace_set_force(slot->w, call_force, slot);
  return 0;
}

static int set_parameters(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  size_t n;
  double *values = hml_bind__to_doubles(L, 2, &n);
  hml_bind__demand(L, "parameters", n, model_of(L, 1)->n_parameters);
  hml_bind__check(L, c, hml_workspace_set_parameters(slot->w, values));
  return 0;
}

static int set_state(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2);
  size_t n;
  double *x = hml_bind__to_doubles(L, 3, &n);
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_workspace_set_state(slot->w, t, x));
  return 0;
}

// inertia(t, x) -> the diagonal of M there, which becomes the state; nil where the model has no program of it
static int inertia(lua_State *L) {
  set_state(L);
  const double *diagonal = hml_workspace__inertia(hml_bind__workspace(L, 1)->w);
  if (!diagonal) return luaL_pushfail(L), 1;
  hml_bind__push_doubles(L, diagonal, model_of(L, 1)->n_dyn);
  return 1;
}

static int vector(lua_State *L, size_t n, hml_status (*f)(hml_workspace *, double *)) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double *out = lua_newuserdatauv(L, (n + 1) * sizeof *out, 0);
  memset(out, 0, (n + 1) * sizeof *out);
  hml_bind__check_run(L, slot, f(slot->w, out));
  hml_bind__push_doubles(L, out, n);
  return 1;
}

static int acceleration(lua_State *L) {
  hml_bind__workspace(L, 1);
  return vector(L, model_of(L, 1)->n_dyn, hml_acceleration);
}

static int multipliers(lua_State *L) {
  hml_bind__workspace(L, 1);
  return vector(L, model_of(L, 1)->n_multipliers, hml_multipliers);
}

static int mass_matrix(lua_State *L) {
  hml_bind__workspace(L, 1);
  size_t n = model_of(L, 1)->n_dyn;
  return vector(L, n * n, hml_mass_matrix);
}

static int rate(lua_State *L) {
  return vector(L, hml_bind__workspace(L, 1)->n, hml_state_rate);
}

static int energies(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double energy, kinetic;
  hml_bind__check_run(L, slot, hml_energies(slot->w, &energy, &kinetic));
  lua_pushnumber(L, energy);
  lua_pushnumber(L, kinetic);
  return 2;
}

// -> residuals of the positions, residuals of the velocities
static int residuals(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  const held_model *m = model_of(L, 1);
  double *out = lua_newuserdatauv(L, (m->n_positions + m->n_velocities + 1) * sizeof *out, 0);
  hml_bind__check_run(L, slot, hml_residuals(slot->w, out, out + m->n_positions));
  hml_bind__push_doubles(L, out, m->n_positions);
  hml_bind__push_doubles(L, out + m->n_positions, m->n_velocities);
  return 2;
}

// -> row-major Jacobian of the rate, its derivative by time
static int jacobian(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  size_t n = slot->n;
  double *out = lua_newuserdatauv(L, (n * n + n) * sizeof *out, 0);
  hml_bind__check_run(L, slot, hml_state_jacobian(slot->w, out, out + n * n));
  hml_bind__push_doubles(L, out, n * n);
  hml_bind__push_doubles(L, out + n * n, n);
  return 2;
}

// w:project(t, x, rtol, atol) -> x on the constraints; atol is rtol when not given
static int project(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2), rtol = luaL_checknumber(L, 4), atol = luaL_optnumber(L, 5, rtol);
  size_t n;
  double *x = hml_bind__to_doubles(L, 3, &n);
  int moved;
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_project(slot->w, t, rtol, atol, x, &moved));
  hml_bind__push_doubles(L, x, n);
  return 1;
}

static void push_marks(lua_State *L, size_t n, const unsigned char *marks) {
  lua_createtable(L, (int)n, 0);
  for (size_t k = 0; k < n; k++) {
    lua_pushboolean(L, marks[k]);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
}

// w:generic_rank(t, x) -> rank of the rows at generic points near x, marks of the rows that hold where the others do, marks of those
// whose multipliers are not determined
static int generic_rank(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2);
  size_t n, rank, m = model_of(L, 1)->n_multipliers;
  double *x = hml_bind__to_doubles(L, 3, &n);
  hml_bind__demand(L, "state", n, slot->n);
  unsigned char *implied = lua_newuserdatauv(L, 2 * m + 1, 0), *open = implied + m;
  hml_bind__check_run(L, slot, hml_generic_rank(slot->w, t, x, &rank, implied, open));
  lua_pushinteger(L, (lua_Integer)rank);
  push_marks(L, m, implied);
  push_marks(L, m, open);
  return 3;
}

// w:inconsistency(t, x) -> the tolerance from which x is accepted as a start
static int inconsistency(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2), off;
  size_t n;
  double *x = hml_bind__to_doubles(L, 3, &n);
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_inconsistency(slot->w, t, x, &off));
  lua_pushnumber(L, off);
  return 1;
}

// w:other_assembly(t, known, x, tolerance) -> other positions that the constraints allow, or nil
static int other_assembly(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2), tolerance = luaL_checknumber(L, 5);
  size_t n;
  double *x = hml_bind__to_doubles(L, 4, &n), *other;
  hml_bind__demand(L, "state", n, slot->n);
  unsigned char *known = hml_bind__to_marks(L, 3, n);
  int found;
  other = lua_newuserdatauv(L, (n + 1) * sizeof *other, 0);
  hml_bind__check_run(L, slot, hml_other_assembly(slot->w, t, known, tolerance, x, other, &found));
  if (!found) return 0;
  hml_bind__push_doubles(L, other, model_of(L, 1)->n_kin);
  return 1;
}

// w:head(direction): from now on states on a corner have the side to which their motion leads in this direction of time, 1 or -1; 0: as at first, none
static int head(lua_State *L) {
  hml_workspace__head(hml_bind__workspace(L, 1)->w, (int)luaL_checkinteger(L, 2));
  return 0;
}

// w:complete_start(t, known, x, tolerance, direction) -> x; known is a list of booleans. direction: 1, -1: of time, in which the motion begins; on corners the
// constraints are those of the side to which it leads
static int complete_start(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  double t = luaL_checknumber(L, 2), tolerance = luaL_checknumber(L, 5);
  size_t n;
  double *x = hml_bind__to_doubles(L, 4, &n);
  hml_bind__demand(L, "state", n, slot->n);
  unsigned char *known = hml_bind__to_marks(L, 3, n);
  const int heading = hml_workspace__head(slot->w, (int)luaL_checkinteger(L, 6));
  hml_status status = hml_complete_start(slot->w, t, known, tolerance, x);
  hml_workspace__head(slot->w, heading);
  if (status != HML_OK && status != HML_CALLBACK) hml_bind__check(L, c, status);
  hml_bind__check_run(L, slot, status);
  hml_bind__push_doubles(L, x, n);
  return 1;
}

// handed_over() -> how many states the general solve took over from the program of x'
static int handed_over(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_workspace__handed_over(hml_bind__workspace(L, 1)->w));
  return 1;
}

// lost_digits(t, x, part, atol, rtol, span) -> the part of the largest acceleration that accelerations are off at (t, x), which becomes the state; whether
// the reason is that the states do not hold the velocities, as momenta of masses that differ; whether rounding costs next to nothing here. The first is nil
// where it is no more than `part` (1e-9 at least), than the rounding of the states brings about, or than changes velocities by the tolerances over the span
static int lost_digits(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  const double t = luaL_checknumber(L, 2), part = luaL_checknumber(L, 4), atol = luaL_checknumber(L, 5), rtol = luaL_checknumber(L, 6),
               span = luaL_checknumber(L, 7);
  size_t n;
  const double *x = hml_bind__to_doubles(L, 3, &n);
  double size = 0;
  hml_digits d;
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_workspace_set_state(slot->w, t, x));
  hml_bind__check_run(L, slot, hml_workspace__digits(slot->w, fmin(part, HML_DIGITS_PART), &d));
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(x[i]));
  bool states;
  const double lost = hml_digits__lost(&d, part, span, atol + rtol * size, &states);
  if (lost > 0) lua_pushnumber(L, lost);
  else lua_pushnil(L);
  lua_pushboolean(L, states);
  lua_pushboolean(L, d.doubt <= HML_DIGITS_CALM * d.largest);
  return 3;
}

// lost_derivatives(t, x) -> the largest error of a derivative of the rates that variational equations take at (t, x), which becomes the state, relative to the
// largest one along the same component; 0 where it is no more than 1e-9, than rounding of the states brings about, or than rounding beside the other derivatives
static int lost_derivatives(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  const double t = luaL_checknumber(L, 2);
  size_t n;
  const double *x = hml_bind__to_doubles(L, 3, &n);
  double part;
  hml_digits d;
  hml_bind__demand(L, "state", n, slot->n);
  hml_bind__check_run(L, slot, hml_workspace_set_state(slot->w, t, x));
  hml_bind__check_run(L, slot, hml_workspace__digits(slot->w, HML_DIGITS_PART, &d));
  hml_bind__check_run(L, slot, hml_workspace__derivative_digits(slot->w, &d, &part));
  lua_pushnumber(L, part);
  return 1;
}

// exact_jacobian() -> n x n derivatives of the rates of the n kinematic and dynamic states, row by row, as two lists: numbers in quadruple precision are the
// sums of their entries
static int exact_jacobian(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *slot = hml_bind__workspace(L, 1);
  const hml_model_sizes sizes = hml_model__sizes(hml_workspace__model(slot->w));
  const size_t n = sizes.kin + sizes.dyn;
  double *out = lua_newuserdatauv(L, (2 * n * n + 1) * sizeof *out, 0);
  hml_bind__check_run(L, slot, hml_workspace__exact_jacobian(slot->w, out, out + n * n));
  hml_bind__push_doubles(L, out, n * n);
  hml_bind__push_doubles(L, out + n * n, n * n);
  return 2;
}

// looked() -> the same two at states that checks of runs evaluated
static int looked(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_workspace__looked(hml_bind__workspace(L, 1)->w));
  return 1;
}

// reordered() -> at how many states another order of elimination did
static int reordered(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_workspace__reordered(hml_bind__workspace(L, 1)->w));
  return 1;
}

// is_refined() -> do its accelerations come from quadruple precision?
static int model_is_refined(lua_State *L) {
  lua_pushboolean(L, hml_model_elimination(check_model(L, 1)->m) == HML_REFINED);
  return 1;
}

// needs_projection() -> are its constraints redundant only where all of them hold, so that accelerations beside these places lead away from them?
static int model_needs_projection(lua_State *L) {
  lua_pushboolean(L, hml_model__needs_projection(check_model(L, 1)->m));
  return 1;
}

// has_quadruple() -> has this build numbers of quadruple precision?
static int has_quadruple(lua_State *L) {
  lua_pushboolean(L, hml_program__has_quad());
  return 1;
}

void hml_bind_model(lua_State *L) {
  static const luaL_Reg model_methods[] = {{"operations", model_operations}, {"state_size", model_size}, {"has_work", model_has_work}, {"by_graph", model_by_graph}, {"is_refined", model_is_refined},
                                           {"needs_projection", model_needs_projection},
                                           {"list", model_list}, {"is_native", model_is_native}, {"jumps", model_jumps}, {"c", model_c}, {"tangent_c", model_tangent_c},
                                           {"load_code", model_load_code}, {"of_state", model_of_state}, {NULL, NULL}};
  static const luaL_Reg methods[] = {
      {"set_force", set_force}, {"set_parameters", set_parameters}, {"set_state", set_state}, {"acceleration", acceleration},
      {"multipliers", multipliers}, {"mass_matrix", mass_matrix}, {"inertia", inertia}, {"rate", rate}, {"energies", energies}, {"residuals", residuals},
      {"jacobian", jacobian}, {"project", project}, {"generic_rank", generic_rank}, {"inconsistency", inconsistency},
      {"handed_over", handed_over}, {"looked", looked}, {"lost_digits", lost_digits}, {"lost_derivatives", lost_derivatives}, {"exact_jacobian", exact_jacobian}, {"reordered", reordered}, {"head", head}, {"complete_start", complete_start}, {"other_assembly", other_assembly}, {NULL, NULL}};
  hml_bind__new_class(L, HML_MODEL, model_methods, model_gc);
  hml_bind__new_class(L, HML_WORKSPACE, methods, workspace_gc);
  static const luaL_Reg functions[] = {{"model", model}, {"workspace", workspace}, {"native_refusal", native_refusal}, {"has_quadruple", has_quadruple}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
