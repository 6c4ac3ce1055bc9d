// bind.c: userdata, one context per Lua state, status to error, numbers and expressions from tables.
#include "bind.h"

#include "bind_host.h"

#include <stdio.h>
#include <string.h>

static const char context_key, cache_key, path_key, undefined_key;

// A sweep is worth its time when the number of nodes, or of the bytes held, has doubled since the last; or when memory ended
#define FIRST_SWEEP 100000
#define FIRST_BYTES 50000000
#define LONGEST_LIST 100000000

typedef struct owner {
  hml_context *context;
  size_t sweep_at, sweep_at_bytes;
} owner;

static int owner_gc(lua_State *L) {
  owner *o = lua_touserdata(L, 1);               // its metatable is nowhere else
  if (o->context) hml_context_free(o->context);
  o->context = NULL;
  return 0;
}

static owner *new_owner(lua_State *L) {
  // expressions by node, so that one node is one Lua value and can be a table key
  lua_newtable(L);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "v");
  lua_setfield(L, -2, "__mode");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &cache_key);
  owner *o = lua_newuserdatauv(L, sizeof *o, 0);
  *o = (owner){NULL, FIRST_SWEEP, FIRST_BYTES};
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, owner_gc);
  lua_setfield(L, -2, "__gc");
  lua_setmetatable(L, -2);
  void *payload;
  lua_Alloc allocator = lua_getallocf(L, &payload);
  o->context = hml_context_new(allocator, payload);
  if (!o->context) luaL_error(L, "not enough memory");
  hml_context_set_interrupt_flag(o->context, hml_bind__interrupt_flag());
  hml_bind__watch_host(L, o->context);
  // last of all: an owner that is found is complete
  lua_rawsetp(L, LUA_REGISTRYINDEX, &context_key);
  return o;
}

// A finalizer written in Lua may call us while another binding allocates and holds bare expressions: nothing is swept then.
// the collector does not run inside a finalizer
static bool may_sweep(lua_State *L) {
  return lua_gc(L, LUA_GCISRUNNING) == 1;
}

bool hml_bind__sweep(lua_State *L, hml_context *c) {
  if (!may_sweep(L)) return false;
  lua_gc(L, LUA_GCCOLLECT);
  hml_context_sweep(c);
  return true;
}

// After Ctrl-C neither the error nor the calls that make its text wait for a sweep
static void sweep_later(owner *o) {
  o->sweep_at = FIRST_SWEEP + hml_context_node_count(o->context);
  o->sweep_at_bytes = FIRST_BYTES + hml_context_bytes(o->context);
}

hml_context *hml_bind__context(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &context_key);
  owner *o = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (!o) o = new_owner(L);
  // finalizers of objects older than the library run after the library's own when the state is closed
  if (!o->context) luaL_error(L, "hamel is not available: this Lua state is closing");
  hml_context_clear_error(o->context);
  if (*hml_bind__interrupt_flag()) sweep_later(o);
  bool due = hml_context_node_count(o->context) > o->sweep_at || hml_context_bytes(o->context) > o->sweep_at_bytes;
  if (due && hml_bind__sweep(L, o->context)) {
    o->sweep_at = FIRST_SWEEP + 2 * hml_context_node_count(o->context);
    o->sweep_at_bytes = FIRST_BYTES + 2 * hml_context_bytes(o->context);
  }
  return o->context;
}

// ---- errors

bool hml_bind__in_library(lua_State *L, lua_Debug *ar) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &path_key);
  const char *library = lua_tostring(L, -1);           // stays in the registry
  lua_pop(L, 1);
  lua_getinfo(L, "S", ar);
  return library && strncmp(ar->source, library, strlen(library)) == 0;
}

// "file:line: " of the first level outside the library's own Lua files; pushes it. Level 0 is a C function, but for a hook the function it stopped
static void push_where(lua_State *L) {
  lua_Debug ar;
  for (int level = 0; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "l", &ar);
    if (ar.currentline < 0 || hml_bind__in_library(L, &ar)) continue;
    lua_pushfstring(L, "%s:%d: ", ar.short_src, ar.currentline);
    return;
  }
  lua_pushliteral(L, "");
}

int hml_bind__error(lua_State *L, const char *format, ...) {
  char message[1400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  hml_text__plain_nan(message);
  push_where(L);
  lua_pushstring(L, message);
  lua_concat(L, 2);
  return lua_error(L);
}

// After an end of memory unused expressions are freed before the next call makes new ones
static void note_for_sweeps(lua_State *L, hml_status status) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &context_key);
  owner *o = lua_touserdata(L, -1);
  lua_pop(L, 1);
  if (o && o->context && status == HML_INTERRUPTED) sweep_later(o);
  if (o && status == HML_MEMORY) o->sweep_at_bytes = 0;
}

void hml_bind__check(lua_State *L, hml_context *c, hml_status status) {
  if (status == HML_OK) return;
  note_for_sweeps(L, status);
  const hml_error *e = hml_context_error(c);
  const char *advice = hml_status_advice(status);
  // what a call keeps of itself when it is interrupted, it says itself
  bool with_advice = *advice && strcmp(advice, "see the message") != 0 && status != HML_INTERRUPTED;
  char message[1300];
  snprintf(message, sizeof message, "%s%s%s", e->status == HML_OK ? hml_status_what(status) : e->message, with_advice ? "; " : "",
           with_advice ? advice : "");
  hml_context_clear_error(c);
  // in the words of the host, which protected.lua knows
  hml_bind__error(L, "%s", status == HML_INTERRUPTED && hml_bind__take_interrupt(L) ? "interrupted!" : message);
}

// where() -> "file:line: " outside the library; library(prefix) declares the chunk names that belong to it
static int where(lua_State *L) {
  push_where(L);
  return 1;
}

static int library(lua_State *L) {
  luaL_checkstring(L, 1);
  lua_pushvalue(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &path_key);
  return 0;
}

// undefined_words(f): f() -> "x, y", the names in the line being run that have no value, or nil
static int undefined_words(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &undefined_key);
  return 0;
}

void hml_bind__where_functions(lua_State *L);
void hml_bind__where_functions(lua_State *L) {
  lua_pushcfunction(L, where);
  lua_setfield(L, -2, "where");
  lua_pushcfunction(L, library);
  lua_setfield(L, -2, "library");
  lua_pushcfunction(L, undefined_words);
  lua_setfield(L, -2, "undefined_words");
}

// ---- expressions

static int expression_gc(lua_State *L) {
  hml_expr *slot = luaL_checkudata(L, 1, HML_EXPRESSION);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &context_key);
  owner *o = lua_touserdata(L, -1);
  if (o && o->context && *slot) hml_release(o->context, *slot);
  *slot = NULL;
  return 0;
}

// getmetatable gives the name of the class: the functions behind it trust their arguments
static void hide_metatable(lua_State *L) {
  lua_getfield(L, -1, "__name");
  lua_setfield(L, -2, "__metatable");
}

void hml_bind__expression_gc(lua_State *L);
void hml_bind__expression_gc(lua_State *L) {
  lua_pushcfunction(L, expression_gc);
  lua_setfield(L, -2, "__gc");
  hide_metatable(L);
  // Lua's messages call the type so: "bad argument #1 to 'sin' (number expected, got ...)"
  lua_pushliteral(L, "hamel.expression, for which the functions are hm.sin, hm.cos, hm.sqrt, ...");
  lua_setfield(L, -2, "__name");
}

int hml_bind__push(lua_State *L, hml_context *c, hml_expr e) {
  // an expression that was made although memory ended on the way may be another one than with memory
  if (!e || hml_must_end(c)) {
    hml_status status = hml_context_error(c)->status;
    hml_bind__check(L, c, status == HML_OK ? HML_MEMORY : status);
  }
  lua_rawgetp(L, LUA_REGISTRYINDEX, &cache_key);
  if (lua_rawgetp(L, -1, e) == LUA_TUSERDATA) {
    lua_remove(L, -2);
    return 1;
  }
  lua_pop(L, 1);
  // the node must survive a sweep from here on; an error of Lua below loses one count, not a node in use
  hml_expr *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  *slot = e;
  hml_keep(c, e);
  luaL_setmetatable(L, HML_EXPRESSION);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, -3, e);
  lua_remove(L, -2);
  return 1;
}

static int copy_text(lua_State *L) {
  lua_pushstring(L, lua_touserdata(L, 1));
  return 1;
}

int hml_bind__push_text(lua_State *L, hml_context *c, char *text) {
  if (!text) hml_bind__check(L, c, hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY);
  // Lua's copy may lack memory, and ours must be given back then, too
  lua_pushcfunction(L, copy_text);
  lua_pushlightuserdata(L, text);
  int status = lua_pcall(L, 1, 1, 0);
  hml_free(c, text);
  return status == LUA_OK ? 1 : lua_error(L);
}

hml_expr hml_bind__test_expr(lua_State *L, int index) {
  hml_expr *slot = luaL_testudata(L, index, HML_EXPRESSION);
  return slot ? *slot : NULL;
}

// What a value that is no expression probably was meant to be; pushes a text that keeps the words alive
static const char *words_for(lua_State *L, int index) {
  if (luaL_getmetafield(L, index, "__words") == LUA_TSTRING) return lua_pushfstring(L, ": %s", lua_tostring(L, -1));
  if (lua_isboolean(L, index)) return ": == compares at once; an equation is hm.eq(a, b), a constraint a - b";
  if (lua_isfunction(L, index)) return ": a method is called with a colon, as in e:simplify(); the velocity of a coordinate is x.dot";
  if (lua_isstring(L, index)) return ": hm.parse(text, {x, y}) reads a text";
  if (!lua_isnil(L, index) || lua_rawgetp(L, LUA_REGISTRYINDEX, &undefined_key) != LUA_TFUNCTION) return "";
  if (lua_pcall(L, 0, 1, 0) != LUA_OK || !lua_isstring(L, -1)) return "";
  return lua_pushfstring(L, ": %s", lua_tostring(L, -1));
}

hml_expr hml_bind__to_expr(lua_State *L, hml_context *c, int index) {
  hml_expr e = hml_bind__test_expr(L, index);
  if (!e && lua_isinteger(L, index)) e = hml_integer(c, lua_tointeger(L, index));
  else if (!e && lua_type(L, index) == LUA_TNUMBER) e = hml_expr__from_written(c, lua_tonumber(L, index));
  else if (!e) {
    const char *type = luaL_typename(L, index);
    hml_bind__error(L, "an expression or a number is expected here, not %s%s", type, words_for(L, index));
  }
  if (!e) hml_bind__check(L, c, hml_context_error(c)->status);
  return e;
}

lua_Integer hml_bind__to_integer(lua_State *L, int index, const char *what, lua_Integer least, lua_Integer most) {
  int whole;
  lua_Integer value = lua_tointegerx(L, index, &whole);
  if (lua_type(L, index) == LUA_TNUMBER && whole && value >= least && value <= most) return value;
  bool plain = lua_type(L, index) == LUA_TNUMBER || lua_type(L, index) == LUA_TSTRING;
  const char *given = plain ? luaL_tolstring(L, index, NULL) : luaL_typename(L, index);
  return hml_bind__error(L, "%s is a whole number from %lld to %lld, not %.60s", what, (long long)least, (long long)most, given);
}

size_t hml_bind__to_count(double x) {
  return !(x > 0) ? 0 : x < 9e15 ? (size_t)x : (size_t)9e15;
}

// Length of a list; the border that Lua finds in a table with holes may be absurd
static size_t length_of(lua_State *L, int index) {
  lua_Unsigned n = lua_rawlen(L, index);
  if (n > LONGEST_LIST) hml_bind__error(L, "a list of %llu entries is too long", (unsigned long long)n);
  return (size_t)n;
}

hml_expr *hml_bind__to_list(lua_State *L, hml_context *c, int index, size_t *n) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) hml_bind__error(L, "a list of expressions is expected here, not %s", luaL_typename(L, index));
  *n = length_of(L, index);
  hml_expr *list = lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    list[i] = hml_bind__to_expr(L, c, -1);
    lua_pop(L, 1);
  }
  return list;
}

double *hml_bind__to_doubles(lua_State *L, int index, size_t *n) {
  return hml_bind__doubles_in(L, index, n, NULL, 0);
}

double *hml_bind__doubles_in(lua_State *L, int index, size_t *n, double *room, size_t most) {
  index = lua_absindex(L, index);
  if (!lua_istable(L, index)) hml_bind__error(L, "a list of numbers is expected here, not %s", luaL_typename(L, index));
  *n = length_of(L, index);
  double *list = room && *n <= most ? room : lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    if (lua_type(L, -1) != LUA_TNUMBER) hml_bind__error(L, "entry %d of a list of numbers is %s", (int)i + 1, luaL_typename(L, -1));
    list[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  return list;
}

unsigned char *hml_bind__to_marks(lua_State *L, int index, size_t n) {
  index = lua_absindex(L, index);
  luaL_checktype(L, index, LUA_TTABLE);
  unsigned char *marks = lua_newuserdatauv(L, n + 1, 0);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    marks[i] = (unsigned char)lua_toboolean(L, -1);
    lua_pop(L, 1);
  }
  return marks;
}

double hml_bind__number_field(lua_State *L, int index, const char *key, double otherwise) {
  lua_getfield(L, index, key);
  double value = lua_isnil(L, -1) ? otherwise : luaL_checknumber(L, -1);
  lua_pop(L, 1);
  return value;
}

void hml_bind__push_doubles(lua_State *L, const double *values, size_t n) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushnumber(L, values[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

void hml_bind__new_class(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc) {
  luaL_newmetatable(L, name);
  lua_newtable(L);
  luaL_setfuncs(L, methods, 0);
  lua_setfield(L, -2, "__index");
  if (gc) {
    lua_pushcfunction(L, gc);
    lua_setfield(L, -2, "__gc");
  }
  hide_metatable(L);
  lua_pop(L, 1);
}
