// bind_run.c: runs and trajectories in Lua.
#include "bind_model.h"

#include "bind_host.h"
#include "bind_series.h"

typedef struct held_trajectory {
  hml_trajectory *r;
} held_trajectory;

const hml_trajectory *hml_bind__trajectory(lua_State *L, int index) {
  const held_trajectory *slot = luaL_checkudata(L, index, HML_TRAJECTORY);
  if (!slot->r) hml_bind__error(L, "this trajectory is empty: the run never started");
  return slot->r;
}

static int trajectory_gc(lua_State *L) {
  held_trajectory *slot = luaL_checkudata(L, 1, HML_TRAJECTORY);
  if (slot->r) hml_trajectory_free(slot->r);
  slot->r = NULL;
  return 0;
}

static const char *const keepings[] = {HML_KEEPINGS(HML_BIND_NAME) NULL};

// Fields of a table by the type that they have in C

static double field_of_double(lua_State *L, int index, const char *key, double otherwise) {
  return hml_bind__number_field(L, index, key, otherwise);
}

static size_t field_of_size_t(lua_State *L, int index, const char *key, size_t otherwise) {
  return hml_bind__to_count(hml_bind__number_field(L, index, key, (double)otherwise));
}

static int field_of_int(lua_State *L, int index, const char *key, int otherwise) {
  lua_getfield(L, index, key);
  int value = lua_isnil(L, -1) ? otherwise : lua_toboolean(L, -1);
  lua_pop(L, 1);
  return value;
}

static void push_outcome(lua_State *L, const hml_outcome *o) {
  enum { ENTRIES = 24 };               // with those that Lua adds
  lua_createtable(L, 0, ENTRIES);
  lua_pushstring(L, hml_status_name(o->status));
  lua_setfield(L, -2, "status");
  lua_pushstring(L, o->message);
  lua_setfield(L, -2, "message");
  if (o->step_errors > 0) {
    lua_pushnumber(L, o->step_errors);
    lua_setfield(L, -2, "step_errors");
  }
  if (o->compared) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "compared");
  }
  if (o->not_compared) {
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, "not_compared");
  }
  if (o->doubt[0]) {
    lua_pushstring(L, o->doubt);
    lua_setfield(L, -2, "doubt");
  }
  lua_pushstring(L, hml_status_advice(o->status));
  lua_setfield(L, -2, "advice");
  const struct {
    const char *key;
    double value;
  } fields[] = {{"t", o->t}, {"seconds", o->seconds}};
  for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
    lua_pushnumber(L, fields[i].value);
    lua_setfield(L, -2, fields[i].key);
  }
#define SET_COUNT(name)                         \
  lua_pushinteger(L, (lua_Integer)o->name);     \
  lua_setfield(L, -2, #name);
  HML_COUNTERS(SET_COUNT)
#undef SET_COUNT
}

// on_progress(f): f(t) is called while runs with the option progress last
static int on_progress(lua_State *L) {
  lua_settop(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.progress");
  return 0;
}

static void tell(void *payload, double t) {
  lua_State *L = payload;
  int top = lua_gettop(L);
  if (!lua_checkstack(L, 4)) return;
  if (lua_getfield(L, LUA_REGISTRYINDEX, "hamel.progress") == LUA_TFUNCTION) {
    lua_pushnumber(L, t);
    // an error in it stops the run and is raised after it: a host with its own handler passes an interrupt in this way
    if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
      lua_setfield(L, LUA_REGISTRYINDEX, "hamel.progress_error");
      *hml_bind__interrupt_flag() = 1;
    }
  }
  lua_settop(L, top);
}

static void raise_error_of_progress(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, "hamel.progress_error") == LUA_TNIL) {
    lua_pop(L, 1);
    return;
  }
  lua_pushnil(L);
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.progress_error");
  hml_bind__forget_interrupt(L);
  lua_error(L);
}

hml_run_options hml_bind__run_options(lua_State *L, int index) {
  hml_run_options o = hml_run_options_default();
  luaL_checktype(L, index, LUA_TTABLE);
  lua_getfield(L, index, "method");
  if (!lua_isnil(L, -1)) o.method = luaL_checkstring(L, -1);     // stays in the table
#define SET_OPTION(type, name) o.name = field_of_##type(L, index, #name, o.name);
  HML_RUN_OPTIONS(SET_OPTION)
#undef SET_OPTION
  lua_getfield(L, index, "record");
  o.keep = (hml_keeping)luaL_checkoption(L, -1, "steps", keepings);
  lua_pop(L, 1);
  if (field_of_int(L, index, "progress", 0)) {
    o.progress = tell;
    o.progress_payload = L;
  }
  return o;
}

// The value at the top becomes a field of the record of a run, as the library's own assignment: a class asks first who assigns
static void set_own_field(lua_State *L, int index, const char *key) {
  lua_pushstring(L, key);
  lua_insert(L, -2);
  lua_rawset(L, index);
}

hml_trajectory **hml_bind__new_trajectory(lua_State *L, int into) {
  luaL_checktype(L, into, LUA_TTABLE);
  held_trajectory *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  slot->r = NULL;
  luaL_setmetatable(L, HML_TRAJECTORY);
  set_own_field(L, into, "raw");
  return &slot->r;
}

void hml_bind__set_outcome(lua_State *L, hml_bind_workspace *w, int into, const hml_outcome *outcome) {
  push_outcome(L, outcome);
  if (outcome->status == HML_CALLBACK && w->error != LUA_NOREF) {
    lua_rawgeti(L, LUA_REGISTRYINDEX, w->error);
    luaL_unref(L, LUA_REGISTRYINDEX, w->error);
    w->error = LUA_NOREF;
    lua_setfield(L, -2, "error");
  }
  set_own_field(L, into, "outcome");
  raise_error_of_progress(L);
}

hml_trajectory **hml_bind__continued(lua_State *L, int into, bool on, hml_run_options *o) {
  if (!on || lua_getfield(L, into, "raw") != LUA_TUSERDATA) return hml_bind__new_trajectory(L, into);
  hml_trajectory **slot = &((held_trajectory *)luaL_checkudata(L, -1, HML_TRAJECTORY))->r;   // stays in its table
  o->onto = *slot;
  return slot;
}

// run(workspace, options, t0, t1, x, into, continue, rest): into.raw and into.outcome are set before any Lua code runs again; with continue
// into.raw exists and is continued; rest: of a run in pieces, the time from t1 to the end of the last one
static int run(lua_State *L) {
  lua_settop(L, 8);
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  hml_run_options o = hml_bind__run_options(L, 2);
  o.rest = luaL_optnumber(L, 8, 0);
  double t0 = luaL_checknumber(L, 3), t1 = luaL_checknumber(L, 4);
  size_t n;
  double *x = hml_bind__to_doubles(L, 5, &n);
  if (n != w->n) hml_bind__error(L, "the state has %d entries, not %d", (int)w->n, (int)n);
  hml_trajectory **slot = hml_bind__continued(L, 6, lua_toboolean(L, 7), &o), *result;
  hml_outcome outcome;
  hml_status status = hml_run(w->w, &o, t0, t1, x, &result, &outcome);
  if (result) *slot = result;
  hml_bind__check_run(L, w, status);
  hml_bind__set_outcome(L, w, 6, &outcome);
  hml_context_clear_error(c);
  return 0;
}

// variation(workspace, options, t0, t1, x, directions (flat), into): the same with directions carried along; one state is x without the work,
// the directions, the work. options.units: in which absolute tolerances of x without the work count; nil: 1
static int variation(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  hml_run_options o = hml_bind__run_options(L, 2);
  double t0 = luaL_checknumber(L, 3), t1 = luaL_checknumber(L, 4);
  size_t n, count, controlled = hml_model_controlled_size(hml_workspace__model(w->w));
  double *x = hml_bind__to_doubles(L, 5, &n), *directions = hml_bind__to_doubles(L, 6, &count);
  if (n != w->n) hml_bind__error(L, "the state has %d entries, not %d", (int)w->n, (int)n);
  if (controlled == 0 || count % controlled != 0) hml_bind__error(L, "%d numbers are no directions of %d", (int)count, (int)controlled);
  hml_trajectory **slot = hml_bind__new_trajectory(L, 7);
  hml_outcome outcome;
  size_t n_units = controlled;
  const double *units = lua_getfield(L, 2, "units") == LUA_TTABLE ? hml_bind__to_doubles(L, -1, &n_units) : NULL;
  if (n_units != controlled) hml_bind__error(L, "there are %d units, not %d", (int)n_units, (int)controlled);
  hml_bind__check_run(L, w, hml_variational__run(w->w, &o, units, t0, t1, x, count / controlled, directions, slot, &outcome));
  hml_bind__set_outcome(L, w, 7, &outcome);
  hml_context_clear_error(c);
  return 0;
}

// The strings of a list; they belong to its table, which stays on the stack
static const char *const *texts_at(lua_State *L, int index, size_t *n) {
  luaL_checktype(L, index, LUA_TTABLE);
  *n = lua_rawlen(L, index);
  const char **texts = lua_newuserdatauv(L, (*n + 1) * sizeof *texts, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    if (lua_type(L, -1) != LUA_TSTRING) hml_bind__error(L, "entry %d is a %s, not a text", (int)i + 1, luaL_typename(L, -1));
    texts[i] = lua_tostring(L, -1);
    lua_pop(L, 1);
  }
  return texts;
}

static void push_texts(lua_State *L, const char *texts, size_t n) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushstring(L, texts + i * HML_QUAD_TEXT);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// At 2, 3, 4: the start's time, the states, the values of all parameters, as texts
static hml_reference_spec check_reference(lua_State *L, const hml_bind_workspace *w) {
  hml_reference_spec s = {.start = luaL_checkstring(L, 2)};
  size_t n;
  s.x = texts_at(L, 3, &n);
  if (n != w->n) hml_bind__error(L, "the state has %d entries, not %d", (int)w->n, (int)n);
  s.parameters = texts_at(L, 4, &s.n_parameters);
  return s;
}

// reference(workspace, t0, x, parameters, times, digits) -> two solutions, each a list of texts, time by time, state by state; the largest sizes of the
// states up to these times
static int reference(lua_State *L) {
  hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  hml_reference_spec s = check_reference(L, w);
  s.times = texts_at(L, 5, &s.n_times);
  s.digits = (int)hml_bind__to_integer(L, 6, "digits", 1, 32);
  size_t count = s.n_times * w->n;
  char *texts = lua_newuserdatauv(L, (2 * count + 1) * HML_QUAD_TEXT, 0);
  s.sizes = lua_newuserdatauv(L, (count + 1) * sizeof *s.sizes, 0);
  hml_bind__check_run(L, w, hml_reference_run(w->w, &s, texts, texts + count * HML_QUAD_TEXT));
  push_texts(L, texts, count);
  push_texts(L, texts + count * HML_QUAD_TEXT, count);
  lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushnumber(L, s.sizes[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 3;
}

// complete_exactly(workspace, t, x, parameters, known) -> states as texts
static int complete_exactly(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  hml_reference_spec s = check_reference(L, w);
  const unsigned char *known = hml_bind__to_marks(L, 5, w->n);
  char *texts = lua_newuserdatauv(L, (w->n + 1) * HML_QUAD_TEXT, 0);
  hml_bind__check(L, c, hml_complete_start_exactly(w->w, &s, known, texts));
  push_texts(L, texts, w->n);
  return 1;
}

static hml_quad check_quad(lua_State *L, int index) {
  hml_quad x;
  if (!hml_quad__parse(luaL_checkstring(L, index), &x)) hml_bind__error(L, "'%s' is not a number", lua_tostring(L, index));
  return x;
}

// common_digits(a, b, digits) -> text of the digits that two approximations share, how many
static int common_digits(lua_State *L) {
  char text[HML_QUAD_TEXT];
  int digits = hml_quad__common(check_quad(L, 1), check_quad(L, 2), (int)hml_bind__to_integer(L, 3, "digits", 1, 33), sizeof text, text);
  lua_pushstring(L, text);
  lua_pushinteger(L, digits);
  return 2;
}

static int points(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_trajectory_points(hml_bind__trajectory(L, 1)));
  return 1;
}

static size_t check_point(lua_State *L, const hml_trajectory *r) {
  lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 1 || (size_t)i > hml_trajectory_points(r)) hml_bind__error(L, "the run has no point %d", (int)i);
  return (size_t)i - 1;
}

static int time_of(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  lua_pushnumber(L, hml_trajectory_time(r, check_point(L, r)));
  return 1;
}

static int state_of(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  hml_bind__push_doubles(L, hml_trajectory_state(r, check_point(L, r)), hml_trajectory_size(r));
  return 1;
}

static int marks(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_trajectory_marks(hml_bind__trajectory(L, 1)));
  return 1;
}

// r:mark(i) -> time and state of a point that was not stored
static int mark(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  lua_Integer i = luaL_checkinteger(L, 2);
  if (i < 1 || (size_t)i > hml_trajectory_marks(r)) hml_bind__error(L, "the run has no mark %d", (int)i);
  lua_pushnumber(L, hml_trajectory_mark_time(r, (size_t)i - 1));
  hml_bind__push_doubles(L, hml_trajectory_mark(r, (size_t)i - 1), hml_trajectory_size(r));
  return 2;
}

// r:deepest() -> time and state of the point where the inertia was least; nil: it is not known, as in restored runs
static int deepest(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  double t;
  const double *x = hml_trajectory_deepest(r, &t);
  if (!x) return 0;
  lua_pushnumber(L, t);
  hml_bind__push_doubles(L, x, hml_trajectory_size(r));
  return 2;
}

static int at(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  double t = luaL_checknumber(L, 2);
  size_t n = hml_trajectory_size(r);
  double *x = lua_newuserdatauv(L, (n + 1) * sizeof *x, 0);
  hml_bind__check(L, c, hml_trajectory_at(r, t, x));
  hml_bind__push_doubles(L, x, n);
  return 1;
}

// r:point_at(t) -> number of the first point at or after t along the run
static int point_at(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  lua_pushinteger(L, (lua_Integer)hml_trajectory_point_at(r, luaL_checknumber(L, 2)) + 1);
  return 1;
}

typedef struct called { lua_State *L; hml_context *context; bool failed; } called;

// The Lua function at 2 at (t, x); an error of it stays on the stack
static hml_status call_value(void *payload, double t, const double *x, double *value) {
  called *c = payload;
  (void)x;
  lua_pushvalue(c->L, 2);
  lua_pushnumber(c->L, t);
  c->failed = lua_pcall(c->L, 1, 1, 0) != LUA_OK;
  if (c->failed) return hml_fail(c->context, HML_CALLBACK, "the function of the section failed");
  *value = lua_tonumber(c->L, -1);
  lua_pop(c->L, 1);
  return HML_OK;
}

// r:roots(program or f(t), states, constants, direction) -> times of the roots; of the program: inputs t, states, constants
static int roots(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  called payload = {L, c, false};
  hml_root_search what = {.value = call_value, .payload = &payload, .direction = (int)luaL_checkinteger(L, 5)};
  size_t n, count, capacity = 2 * hml_trajectory_points(r) + 64;
  if (lua_type(L, 2) != LUA_TFUNCTION) what.program = hml_bind__program(L, 2);
  what.states = (size_t)luaL_checkinteger(L, 3);
  what.constants = hml_bind__to_doubles(L, 4, &n);
  if (what.program) hml_bind__demand(L, "constants", 1 + what.states + n, hml_program_inputs(what.program));
  luaL_checkstack(L, 8, "section");
  for (;;) {
    double *times = lua_newuserdatauv(L, capacity * sizeof *times, 0);
    hml_status status = hml_trajectory_roots(r, &what, capacity, times, &count);
    if (payload.failed) {
      hml_context_clear_error(c);
      return lua_error(L);
    }
    hml_bind__check(L, c, status);
    if (count <= capacity) return hml_bind__push_doubles(L, times, count), 1;
    capacity = count;
  }
}

// r:dump() -> bytes
static int dump(lua_State *L) {
  const hml_trajectory *r = hml_bind__trajectory(L, 1);
  luaL_Buffer b;
  size_t size = hml_trajectory_stored_size(r);
  hml_trajectory_store(r, luaL_buffinitsize(L, &b, size));
  luaL_pushresultsize(&b, size);
  return 1;
}

// trajectory(bytes) -> a trajectory
static int restored(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  held_trajectory *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  slot->r = NULL;
  luaL_setmetatable(L, HML_TRAJECTORY);
  hml_bind__check(L, c, hml_trajectory_restore(c, bytes, size, &slot->r));
  return 1;
}

// checksum(bytes) -> 16 hexadecimal digits (FNV-1a, 64 bits): against damage, not against malice
static int checksum(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  uint64_t h = UINT64_C(0xcbf29ce484222325);
  for (size_t i = 0; i < size; i++) h = (h ^ (unsigned char)bytes[i]) * UINT64_C(0x100000001b3);
  char text[17];
  for (int i = 0; i < 16; i++) text[i] = "0123456789abcdef"[h >> (60 - 4 * i) & 15];
  lua_pushlstring(L, text, 16);
  return 1;
}

// steppers() -> { name = { title =, fixed =, contacts = } }
static int steppers(lua_State *L) {
  lua_newtable(L);
  for (size_t i = 0; i < hml_stepper_count(); i++) {
    lua_newtable(L);
    lua_pushstring(L, hml_stepper_title(i));
    lua_setfield(L, -2, "title");
    lua_pushboolean(L, hml_stepper_fixed(i));
    lua_setfield(L, -2, "fixed");
    lua_pushboolean(L, hml_stepper_takes_contacts(i));
    lua_setfield(L, -2, "contacts");
    lua_setfield(L, -2, hml_stepper_name(i));
  }
  return 1;
}

void hml_bind_run(lua_State *L) {
  static const luaL_Reg methods[] = {{"points", points}, {"time", time_of}, {"state", state_of}, {"marks", marks}, {"mark", mark}, {"deepest", deepest}, {"at", at}, {"point_at", point_at}, {"roots", roots}, {"dump", dump}, {NULL, NULL}};
  hml_bind__new_class(L, HML_TRAJECTORY, methods, trajectory_gc);
  static const luaL_Reg functions[] = {{"run", run}, {"on_progress", on_progress}, {"reference", reference},
                                       {"complete_exactly", complete_exactly}, {"common_digits", common_digits}, {"variation", variation},
                                       {"trajectory", restored}, {"checksum", checksum}, {"steppers", steppers}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
