// bind_hybrid.c: runs with contacts and events in Lua; events and laws of impact written as Lua functions.
#include "bind_model.h"

#include <string.h>

typedef struct held_hybrid {
  hml_hybrid *h;
  hml_bind_workspace *w;               // kept in user value 1
  size_t gaps, slips, tangents, frictions;
  size_t *rough;                       // number of rough rows per gap; user value 2
  int event, law;                      // references to the user's functions
  size_t n_dyn, n_multipliers;
} held_hybrid;

static held_hybrid *hybrid_at(lua_State *L, int index) {
  held_hybrid *slot = luaL_checkudata(L, index, HML_HYBRID);
  if (!slot->h) hml_bind__error(L, "these contacts were never completed");
  if (slot->w->calls) hml_bind__error(L, "an event or a law cannot use the run that calls it; it gets t, q and v");
  slot->w->L = L;
  return slot;
}

static held_hybrid *check_hybrid(lua_State *L) { return hybrid_at(L, 1); }

static size_t solution_of(const held_hybrid *slot) { return slot->n_dyn + slot->n_multipliers + slot->gaps + slot->slips + slot->tangents; }

hml_hybrid *hml_bind__hybrid(lua_State *L, int index, size_t *solution) {
  const held_hybrid *slot = hybrid_at(L, index);
  *solution = solution_of(slot);
  return slot->h;
}

const hml_hybrid_shape *hml_bind__hybrid_shape(lua_State *L, int index, size_t *solution) {
  const held_hybrid *slot = luaL_checkudata(L, index, HML_HYBRID);
  if (!slot->h) hml_bind__error(L, "these contacts were never completed");
  *solution = solution_of(slot);
  return hml_hybrid_shape_of(slot->h);
}

static int hybrid_gc(lua_State *L) {
  held_hybrid *slot = lua_touserdata(L, 1);
  if (slot->h && slot->w->w) hml_hybrid_free(slot->h);
  slot->h = NULL;
  luaL_unref(L, LUA_REGISTRYINDEX, slot->event);
  luaL_unref(L, LUA_REGISTRYINDEX, slot->law);
  return 0;
}

// callbacks: a function of the registry gets a number, the time, the state and the values pushed after them
static void begin_call(held_hybrid *slot, int function, size_t number, double t, const double *x) {
  lua_State *L = slot->w->L;
  lua_rawgeti(L, LUA_REGISTRYINDEX, function);
  lua_pushinteger(L, (lua_Integer)number + 1);
  lua_pushnumber(L, t);
  hml_bind__push_state(slot->w, x);
}

// The results lie on top of the stack where it is HML_OK
static hml_status finish_call(held_hybrid *slot, int more, int results) {
  slot->w->calls = true;
  int called = lua_pcall(slot->w->L, 3 + more, results, 0);
  slot->w->calls = false;
  return called == LUA_OK ? HML_OK : hml_bind__call_failed(slot->w);
}

static hml_status call_event(void *payload, size_t event, double t, const double *x, double *value) {
  held_hybrid *slot = payload;
  int top = lua_gettop(slot->w->L);
  begin_call(slot, slot->event, event, t, x);
  hml_status status = finish_call(slot, 0, 1);
  if (status == HML_OK) *value = lua_tonumber(slot->w->L, -1);
  lua_settop(slot->w->L, top);
  return status;
}

// law(gap, t, x, normal, { rough }) -> wanted normal, { wanted rough }
static hml_status call_law(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                           double *wanted_rough) {
  held_hybrid *slot = payload;
  lua_State *L = slot->w->L;
  int top = lua_gettop(L);
  begin_call(slot, slot->law, gap, t, x);
  lua_pushnumber(L, normal);
  hml_bind__push_doubles(L, rough, slot->rough[gap]);
  hml_status status = finish_call(slot, 2, 2);
  if (status == HML_OK) *wanted_normal = lua_tonumber(L, -2);
  for (size_t i = 0; status == HML_OK && i < slot->rough[gap] && lua_istable(L, -1); i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    wanted_rough[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_settop(L, top);
  return status;
}

// ---- the spec
static size_t count_field(lua_State *L, int index, const char *key) {
  double value = hml_bind__number_field(L, index, key, 0);
  if (!(value >= 0 && value < 1e6)) hml_bind__error(L, "contacts: %s = %f is no count", key, value);
  return (size_t)value;
}

static const char *text_field(lua_State *L, int index, const char *key) {
  lua_getfield(L, index, key);                                           // stays in its table
  const char *text = luaL_optstring(L, -1, NULL);
  lua_pop(L, 1);
  return text;
}

// The list `key` of the spec on the stack, and its length
static size_t push_list(lua_State *L, const char *key) {
  if (lua_getfield(L, 2, key) == LUA_TNIL) return 0;
  luaL_checktype(L, -1, LUA_TTABLE);
  return lua_rawlen(L, -1);
}

static void read_symbols(lua_State *L, hml_context *c, hml_model_spec *m) {
  luaL_getsubtable(L, 2, "symbols");
  int at = lua_gettop(L);
  m->time = hml_bind__field_expr(L, c, at, "time");
  m->kin = hml_bind__field_list(L, c, at, "kin", &m->n_kin);
  m->dyn = hml_bind__field_list(L, c, at, "dyn", &m->n_dyn);
  m->parameters = hml_bind__field_list(L, c, at, "parameters", &m->n_parameters);
  m->externals = hml_bind__field_list(L, c, at, "externals", &m->n_externals);
  size_t n;
  hml_bind__field_list(L, c, at, "b", &n);
  m->n_multipliers = n;
}

static void read_gaps(lua_State *L, hml_context *c, hml_contact_spec *s, held_hybrid *slot) {
  static const char *const laws[] = {HML_IMPACT_LAWS(HML_BIND_NAME) NULL};
  s->n_gaps = push_list(L, "gaps");
  int list = lua_gettop(L);
  hml_gap_spec *gaps = lua_newuserdatauv(L, (s->n_gaps + 1) * sizeof *gaps, 0);
  slot->rough = lua_newuserdatauv(L, (s->n_gaps + 1) * sizeof *slot->rough, 0);
  lua_pushvalue(L, -1);
  lua_setiuservalue(L, 3, 2);
  for (size_t i = 0; i < s->n_gaps; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    int at = lua_gettop(L);
    luaL_checktype(L, at, LUA_TTABLE);
    lua_getfield(L, at, "law");
    int law = luaL_checkoption(L, -1, "newton", laws);
    gaps[i] = (hml_gap_spec){
        .name = text_field(L, at, "name"), .gap = hml_bind__field_expr(L, c, at, "gap"), .whole = hml_bind__field_expr(L, c, at, "whole"), .law = (hml_impact_law)law,
        .level = (int)count_field(L, at, "level"), .restitution = hml_bind__field_expr(L, c, at, "restitution"),
        .tangential = hml_bind__field_expr(L, c, at, "tangential"),
        .capture = hml_bind__number_field(L, at, "capture", 0), .rough = count_field(L, at, "rough"), .n_rough = count_field(L, at, "n_rough"),
        .held = count_field(L, at, "held"), .n_held = count_field(L, at, "n_held")};
    slot->rough[i] = gaps[i].n_rough;
    luaL_checkstack(L, 12, "contacts");
  }
  s->gaps = gaps;
}

static void read_frictions(lua_State *L, hml_context *c, hml_contact_spec *s) {
  static const char *const kinds[] = {HML_PRESSINGS(HML_BIND_NAME) NULL};
  s->n_frictions = push_list(L, "frictions");
  int list = lua_gettop(L);
  hml_friction_spec *frictions = lua_newuserdatauv(L, (s->n_frictions + 1) * sizeof *frictions, 0);
  for (size_t i = 0; i < s->n_frictions; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    int at = lua_gettop(L);
    luaL_checktype(L, at, LUA_TTABLE);
    lua_getfield(L, at, "kind");
    int kind = luaL_checkoption(L, -1, NULL, kinds);
    frictions[i] = (hml_friction_spec){
        .name = text_field(L, at, "name"), .first = count_field(L, at, "first"), .count = count_field(L, at, "count"),
        .kind = (hml_pressing)kind, .index = count_field(L, at, "index"), .normal = hml_bind__field_expr(L, c, at, "normal"),
        .law = text_field(L, at, "law"), .radius = hml_bind__field_expr(L, c, at, "radius")};
    size_t given;
    const hml_expr *mu = hml_bind__field_list(L, c, at, "coefficient", &given);
    for (size_t k = 0; k < given && k < 2; k++) frictions[i].coefficient[k] = mu[k];
    mu = hml_bind__field_list(L, c, at, "static", &given);
    for (size_t k = 0; k < given && k < 2; k++) frictions[i].static_coefficient[k] = mu[k];
    luaL_getsubtable(L, at, "cone");
    int cone = lua_gettop(L);
    size_t n = frictions[i].n_cone = lua_rawlen(L, cone);
    size_t *indices = lua_newuserdatauv(L, (n + 1) * sizeof *indices, 0);
    for (size_t k = 0; k < n; k++) {
      lua_rawgeti(L, cone, (lua_Integer)k + 1);
      indices[k] = (size_t)luaL_checkinteger(L, -1);
      lua_pop(L, 1);
    }
    frictions[i].cone = indices;
    luaL_checkstack(L, 16, "contacts");
  }
  s->frictions = frictions;
}

static void read_events(lua_State *L, hml_context *c, hml_hybrid_spec *s) {
  s->n_events = push_list(L, "events");
  int list = lua_gettop(L);
  hml_event_spec *events = lua_newuserdatauv(L, (s->n_events + 1) * sizeof *events, 0);
  for (size_t i = 0; i < s->n_events; i++) {
    lua_rawgeti(L, list, (lua_Integer)i + 1);
    int at = lua_gettop(L);
    luaL_checktype(L, at, LUA_TTABLE);
    lua_getfield(L, at, "terminal");
    events[i] = (hml_event_spec){.name = text_field(L, at, "name"), .expression = hml_bind__field_expr(L, c, at, "expression"),
                                 .direction = (int)hml_bind__number_field(L, at, "direction", 0), .terminal = lua_toboolean(L, at + 1),
                                 .reason = text_field(L, at, "reason"), .flips = count_field(L, at, "flips")};
    luaL_checkstack(L, 4, "contacts");
  }
  s->events = events;
}

static int function_field(lua_State *L, const char *key) {
  if (lua_getfield(L, 2, key) == LUA_TFUNCTION) return luaL_ref(L, LUA_REGISTRYINDEX);
  lua_pop(L, 1);
  return LUA_NOREF;
}

// hybrid(workspace, spec)
static int hybrid(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_bind_workspace *w = hml_bind__workspace(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_settop(L, 2);
  luaL_checkstack(L, 60, "contacts");
  held_hybrid *slot = lua_newuserdatauv(L, sizeof *slot, 2);
  *slot = (held_hybrid){.w = w, .event = LUA_NOREF, .law = LUA_NOREF};
  luaL_setmetatable(L, HML_HYBRID);
  lua_pushvalue(L, 1);
  lua_setiuservalue(L, 3, 1);                                            // the workspace outlives it
  hml_model_spec symbols = {0};
  hml_contact_spec contacts = {0};
  hml_hybrid_spec s = {.symbols = &symbols};
  read_symbols(L, c, &symbols);
  read_gaps(L, c, &contacts, slot);
  read_frictions(L, c, &contacts);
  slot->frictions = contacts.n_frictions;
  contacts.n_slips = slot->slips = count_field(L, 2, "slips");
  contacts.n_tangents = slot->tangents = count_field(L, 2, "tangents");
  slot->gaps = contacts.n_gaps;
  slot->n_dyn = symbols.n_dyn;
  slot->n_multipliers = symbols.n_multipliers;
  const size_t rows = contacts.n_gaps + contacts.n_slips + contacts.n_tangents;
  size_t n;
  if (rows) {
    contacts.velocities = hml_bind__field_list(L, c, 2, "velocities", &n), hml_bind__demand(L, "velocities", n, rows);
    contacts.rows = hml_bind__field_list(L, c, 2, "rows", &n), hml_bind__demand(L, "rows", n, rows * symbols.n_dyn);
    contacts.drifts = hml_bind__field_list(L, c, 2, "drifts", &n), hml_bind__demand(L, "drifts", n, rows);
    s.contacts = &contacts;
  }
  read_events(L, c, &s);
  s.rates = hml_bind__field_list(L, c, 2, "rates", &n), hml_bind__demand(L, "rates", n, symbols.n_dyn);
  s.multipliers = hml_bind__field_list(L, c, 2, "multipliers", &n), hml_bind__demand(L, "multipliers", n, symbols.n_multipliers);
  s.reactions = hml_bind__field_list(L, c, 2, "reactions", &n), hml_bind__demand(L, "reactions", n, rows);
  slot->event = function_field(L, "event");
  slot->law = function_field(L, "law");
  s.callbacks = (hml_hybrid_callbacks){slot, slot->event != LUA_NOREF ? call_event : NULL, slot->law != LUA_NOREF ? call_law : NULL};
  hml_bind__check(L, c, hml_hybrid_new(w->w, &s, &slot->h));
  lua_settop(L, 3);
  return 1;
}

// h:run(options, t0, t1, x, into, continue, rest): as run; rest: of a run in pieces, the time from t1 to the end of the last one
static int run(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_hybrid *slot = check_hybrid(L);
  lua_settop(L, 8);
  hml_run_options o = hml_bind__run_options(L, 2);
  double t0 = luaL_checknumber(L, 3), t1 = luaL_checknumber(L, 4);
  size_t n;
  double *x = hml_bind__to_doubles(L, 5, &n);
  hml_bind__demand(L, "the state", n, slot->w->n);
  o.rest = luaL_optnumber(L, 8, 0);
  hml_trajectory **r = hml_bind__continued(L, 6, lua_toboolean(L, 7), &o), *result;
  hml_outcome outcome;
  hml_status status = hml_hybrid_run(slot->h, &o, t0, t1, x, &result, &outcome);
  if (result) *r = result;
  hml_bind__check_run(L, slot->w, status);
  hml_bind__set_outcome(L, slot->w, 6, &outcome);
  hml_context_clear_error(c);
  return 0;
}

// h:store() -> the last run as bytes
static int store(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_hybrid *slot = check_hybrid(L);
  const void *block;
  size_t size;
  hml_bind__check(L, c, hml_hybrid_store(slot->h, &block, &size));
  lua_pushlstring(L, block, size);
  return 1;
}

// h:restore(bytes): as if h had made that run
static int restore(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_hybrid *slot = check_hybrid(L);
  size_t size;
  const char *block = luaL_checklstring(L, 2, &size);
  hml_bind__check(L, c, hml_hybrid_restore(slot->h, block, size));
  return 0;
}

static void push_record(lua_State *L, const held_hybrid *slot, const hml_record *r) {
  static const char *const kinds[] = {HML_RECORD_KINDS(HML_BIND_NAME)};
  static const char *const states[] = {HML_CONTACT_STATES(HML_BIND_NAME)};
  const size_t impulses = slot->gaps + slot->slips + slot->tangents + slot->n_multipliers;
  lua_createtable(L, 0, 8);
  lua_pushstring(L, kinds[r->kind]);
  lua_setfield(L, -2, "kind");
  lua_pushnumber(L, r->t);
  lua_setfield(L, -2, "t");
  if (r->kind == HML_RECORD_NOTE) {
    lua_pushstring(L, r->text);
    lua_setfield(L, -2, "text");
    return;
  }
  lua_pushinteger(L, (lua_Integer)r->which + 1);
  lua_setfield(L, -2, "which");
  if (r->kind == HML_RECORD_SWITCH) {
    lua_pushstring(L, states[r->from]);
    lua_setfield(L, -2, "from");
    lua_pushstring(L, states[r->to]);
    lua_setfield(L, -2, "to");
    hml_bind__push_doubles(L, r->leaves, 3);
    lua_setfield(L, -2, "leaves");
    hml_bind__push_doubles(L, r->takes, 3);
    lua_setfield(L, -2, "takes");
    return;
  }
  if (r->kind == HML_RECORD_ACCUMULATION) {
    lua_pushnumber(L, r->error);
    lua_setfield(L, -2, "error");
    lua_pushnumber(L, r->ratio);
    lua_setfield(L, -2, "ratio");
    lua_pushinteger(L, (lua_Integer)r->impacts);
    lua_setfield(L, -2, "impacts");
    return;
  }
  hml_bind__push_doubles(L, r->state, slot->w->n);
  lua_setfield(L, -2, "state");
  if (r->kind != HML_RECORD_IMPACT) return;
  hml_bind__push_doubles(L, r->after, slot->w->n);
  lua_setfield(L, -2, "after");
  hml_bind__push_doubles(L, r->after + slot->w->n, impulses);
  lua_setfield(L, -2, "impulses");
  lua_pushnumber(L, r->energy_change);
  lua_setfield(L, -2, "energy_change");
}

// h:records() -> list of { kind, t, which, ... }
static int records(lua_State *L) {
  held_hybrid *slot = check_hybrid(L);
  size_t n = hml_hybrid_records(slot->h);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    hml_record r = hml_hybrid_record(slot->h, i);
    push_record(L, slot, &r);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

// h:meetings() -> how often each event was met in the last run, in their order
static int meetings(lua_State *L) {
  held_hybrid *slot = check_hybrid(L);
  size_t n = hml_hybrid_shape_events(hml_hybrid_shape_of(slot->h));
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushinteger(L, (lua_Integer)hml_hybrid_meetings(slot->h, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

// h:evaluate(point, t, x) -> accelerations, multipliers, reactions of gaps, slips, tangents
static int evaluate(lua_State *L) {
  hml_bind__context(L);
  held_hybrid *slot = check_hybrid(L);
  lua_Integer point = luaL_checkinteger(L, 2);
  double t = luaL_checknumber(L, 3);
  size_t n, reactions = slot->gaps + slot->slips + slot->tangents;
  double *x = hml_bind__to_doubles(L, 4, &n);
  hml_bind__demand(L, "the state", n, slot->w->n);
  double *out = lua_newuserdatauv(L, (slot->n_dyn + slot->n_multipliers + reactions + 1) * sizeof *out, 0);
  double *lambda = out + slot->n_dyn, *z = lambda + slot->n_multipliers;
  hml_bind__check_run(L, slot->w, hml_hybrid_evaluate(slot->h, point > 0 ? (size_t)point - 1 : 0, t, x, out, lambda, z));
  hml_bind__push_doubles(L, out, slot->n_dyn);
  hml_bind__push_doubles(L, lambda, slot->n_multipliers);
  hml_bind__push_doubles(L, z, reactions);
  return 3;
}

// h:mode(point) -> list of booleans (is a gap closed?), list of "free", "stick", "slip" (of the frictions): the contact mode up to that point
static int mode(lua_State *L) {
  static const char *const words[] = {"free", "stick", "slip"};
  hml_context *c = hml_bind__context(L);
  held_hybrid *slot = check_hybrid(L);
  lua_Integer point = luaL_checkinteger(L, 2);
  size_t gaps = slot->gaps, frictions = slot->frictions;
  unsigned char *states = lua_newuserdatauv(L, gaps + frictions + 1, 0);
  hml_bind__check(L, c, hml_hybrid_mode(slot->h, point > 0 ? (size_t)point - 1 : 0, states, states + gaps));
  lua_createtable(L, (int)gaps, 0);
  for (size_t i = 0; i < gaps; i++) {
    lua_pushboolean(L, states[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  lua_createtable(L, (int)frictions, 0);
  for (size_t j = 0; j < frictions; j++) {
    lua_pushstring(L, words[states[gaps + j]]);
    lua_rawseti(L, -2, (lua_Integer)j + 1);
  }
  return 2;
}

void hml_bind_hybrid(lua_State *L) {
  static const luaL_Reg methods[] = {{"run", run}, {"store", store}, {"restore", restore}, {"records", records}, {"meetings", meetings}, {"evaluate", evaluate}, {"mode", mode}, {NULL, NULL}};
  hml_bind__new_class(L, HML_HYBRID, methods, hybrid_gc);
  lua_pushcfunction(L, hybrid);
  lua_setfield(L, -2, "hybrid");
}
