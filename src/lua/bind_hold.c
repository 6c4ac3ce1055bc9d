// bind_hold.c: core.host.hold: calls that return a partial result when they are interrupted. Only the flag stops them. They return their result,
// the caller assigns it, and then "interrupted" is raised (see lua_sethook). The handler of the signal is installed elsewhere.
#include "bind.h"

#include "bind_host.h"

#include <stdio.h>
#include <string.h>

static const char holding_key, part_key;

enum { MOST_RESULTS = 4 };

typedef struct holding {
  unsigned depth;                      // of calls that keep their part
  lua_State *main;                     // the main thread
  int locals, waited;                  // of the caller before the call; instructions since
  int stores;                          // instructions that store the results for the caller; 0: not yet counted
  const void *results[MOST_RESULTS];   // of the call
  unsigned caught;                     // interrupts raised in this block that a pcall may have caught
  lua_Hook before;                     // the hook of the host
  int before_mask, before_count;
  lua_CFunction catchers[2];           // pcall, xpcall
  char sentence[200];
} holding;

static holding *holding_of(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &holding_key);
  holding *h = lua_touserdata(L, -1);
  lua_pop(L, 1);
  return h;
}

void hml_bind__forget_interrupt(lua_State *L) {
  if (lua_getfield(L, LUA_REGISTRYINDEX, "hamel.block_clears") != LUA_TBOOLEAN) *hml_bind__interrupt_flag() = 0;
  lua_pop(L, 1);
  hml_bind__interrupt_forgotten();
}

bool hml_bind__held(lua_State *L) {
  const holding *h = holding_of(L);
  return h && h->depth > 0;
}

const unsigned *hml_bind__holding_depth(lua_State *L) {
  return &holding_of(L)->depth;
}

// Named local variables that the function has at this place
static int named_locals(lua_State *L, const lua_Debug *ar) {
  int count = 0;
  const char *name;
  for (int i = 1; (name = lua_getlocal(L, ar, i)) != NULL; i++) {
    count += name[0] != '(';
    lua_pop(L, 1);
  }
  return count;
}

// The same of the first Lua function from this level on; the method that called hold is level 1
static int locals_of_caller(lua_State *L, int first) {
  lua_Debug ar;
  for (int level = first; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (*ar.what != 'C') return named_locals(L, &ar);
  }
  return 0;
}

// Was the method called by the library's own code? Nobody sees its part then
static bool library_calls(lua_State *L) {
  lua_Debug ar;
  for (int level = 2; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "S", &ar);
    if (*ar.what != 'C') return hml_bind__in_library(L, &ar);
  }
  return false;
}

static bool catches(const holding *h, lua_CFunction f) {
  return f && (f == h->catchers[0] || f == h->catchers[1]);
}

// Does a pcall, or the end of a coroutine, catch an error that is raised here, so that the block continues after it?
static bool goes_on(lua_State *L, const holding *h) {
  bool found = lua_pushthread(L) != 1;
  lua_pop(L, 1);
  lua_Debug ar;
  for (int level = 0; !found && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "f", &ar);
    found = catches(h, lua_tocfunction(L, -1));
    lua_pop(L, 1);
  }
  return found;
}

void hml_bind__raise_again(lua_State *L, lua_Hook hook) {
  holding *h = holding_of(L);
  int patience = 100000;
  if (!h || !goes_on(L, h)) {
    lua_sethook(L, NULL, 0, 0);
    return;
  }
  for (unsigned i = 0; i < h->caught && patience > 1; i++) patience /= 10;
  h->caught++;
  lua_sethook(L, hook, LUA_MASKCOUNT, patience);
}

void hml_bind__begin_block(lua_State *L) {
  holding *h = holding_of(L);
  if (h) h->caught = 0;
}

// How many results the caller takes: from the first one on they lie side by side in its frame, copies of the callee farther up. Each is stored
// by one instruction
static int results_taken(lua_State *L, const lua_Debug *ar, const holding *h) {
  int taken = 0;
  bool same = true;
  for (int i = 1; same && taken < MOST_RESULTS && lua_getlocal(L, ar, i) != NULL; i++) {
    const void *value = lua_topointer(L, -1);
    bool next = value && value == h->results[taken];
    same = next || taken == 0;
    taken += next;
    lua_pop(L, 1);
  }
  return taken ? taken : 1;
}

// The hook that was there before ours. One that raises an interrupt in Lua code is the host's, and is done with: the interrupt is raised now
static void give_hook_back(lua_State *L, const holding *h) {
  if (hml_bind__raises_again()) hml_bind__raise_again(L, h->before);
  else if (hml_bind__is_interrupt(h->before, h->before_mask, h->before_count)) lua_sethook(L, NULL, 0, 0);
  else lua_sethook(L, h->before, h->before_mask, h->before_count);
}

// Raises once the caller's statement is done: a new local variable is there, or the values have been stored elsewhere
static void when_assigned(lua_State *L, lua_Debug *ar) {
  holding *h = holding_of(L);
  if (!h->stores) h->stores = results_taken(L, ar, h);
  if (named_locals(L, ar) <= h->locals && h->waited++ < h->stores) return;
  give_hook_back(L, h);
  hml_bind__forget_interrupt(L);
  hml_bind__error(L, "%s", h->sentence);
}

bool hml_bind__raise_pends(lua_State *L) {
  return lua_gethook(L) == when_assigned;
}

static void raise_when_assigned(lua_State *L, holding *h) {
  if (lua_gethook(L) != when_assigned) {
    h->before = lua_gethook(L);
    h->before_mask = lua_gethookmask(L);
    h->before_count = lua_gethookcount(L);
  }
  h->waited = h->stores = 0;
  lua_sethook(L, when_assigned, LUA_MASKCOUNT, 1);
}

void hml_bind__raise_in(lua_State *L, lua_State *ended) {
  holding *h = holding_of(L);
  lua_sethook(ended, NULL, 0, 0);
  holding before = *h;
  h->locals = locals_of_caller(L, 1);
  raise_when_assigned(L, h);
  h->before = before.before;
  h->before_mask = before.before_mask;
  h->before_count = before.before_count;
}

// The end of a call: the hold and the failure of the call
static int released(lua_State *L) {
  holding *h = lua_touserdata(L, 1);
  bool failed = !lua_isnil(L, 2), interrupted = *hml_bind__interrupt_flag() != 0;
  if (h->depth > 0) h->depth--;
  if (h->depth > 0 || !interrupted) return 0;
  if (!failed) {
    raise_when_assigned(L, h);
  } else {
    hml_bind__forget_interrupt(L);
  }
  return 0;
}

static int hold(lua_State *L);

// A hook of the host that raises just before `released` would be called leaves one call too many in the count. In the main thread, the stack says
// how many there are; `hold` itself is level 0
static void count_holds(lua_State *L, holding *h) {
  if (L != h->main) return;
  h->depth = 0;
  lua_Debug ar;
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "f", &ar);
    h->depth += lua_tocfunction(L, -1) == hold;
    lua_pop(L, 1);
  }
}

// hold(f, ...) -> the results of f(...) after the first one. The first one is a message about the completed part; it is raised after the
// assignment of the caller if the flag was set. A call of the library's own code raises it at once: its result is on the way to another one.
static int hold(lua_State *L) {
  holding *h = holding_of(L);
  luaL_checktype(L, 1, LUA_TFUNCTION);
  count_holds(L, h);
  if (h->depth == 0) hml_bind__look_at_host(L);
  int before = locals_of_caller(L, 2);
  lua_rawgetp(L, LUA_REGISTRYINDEX, &holding_key);
  lua_insert(L, 1);
  lua_toclose(L, 1);
  h->depth++;
  lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
  if (lua_gettop(L) < 3) lua_settop(L, 3);
  if (*hml_bind__interrupt_flag() && h->depth == 1 && library_calls(L)) {
    h->depth = 0;
    return hml_bind__error(L, hml_bind__take_interrupt(L) ? "interrupted!" : "interrupted");
  }
  if (*hml_bind__interrupt_flag() && h->depth == 1) {
    const char *sentence = lua_tostring(L, 2);
    snprintf(h->sentence, sizeof h->sentence, "%s", sentence ? sentence : "interrupted");
    h->locals = before;
    for (int i = 0; i < MOST_RESULTS; i++) h->results[i] = lua_topointer(L, 3 + i);
    lua_pushvalue(L, 3);
    lua_rawsetp(L, LUA_REGISTRYINDEX, &part_key);
  }
  return lua_gettop(L) - 2;
}

// finish(f, ...) -> the results of f(...), which collects the completed part of an interrupted call: the earlier interrupt does not stop f
static int finish(lua_State *L) {
  volatile int *flag = hml_bind__interrupt_flag();
  int before = *flag;
  luaL_checktype(L, 1, LUA_TFUNCTION);
  *flag = 0;
  int status = lua_pcall(L, lua_gettop(L) - 1, LUA_MULTRET, 0);
  if (before) *flag = before;
  return status == LUA_OK ? lua_gettop(L) : lua_error(L);
}

// part() -> the first result of the last interrupted call, once
static int part(lua_State *L) {
  lua_rawgetp(L, LUA_REGISTRYINDEX, &part_key);
  lua_pushnil(L);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &part_key);
  return 1;
}

void hml_bind_hold(lua_State *L) {
  holding *h = lua_newuserdatauv(L, sizeof *h, 0);
  *h = (holding){.main = hml_bind__main_thread(L)};
  static const char *const names[] = {"pcall", "xpcall"};
  for (int i = 0; i < 2; i++) {
    lua_getglobal(L, names[i]);
    h->catchers[i] = lua_tocfunction(L, -1);
    lua_pop(L, 1);
  }
  lua_createtable(L, 0, 1);
  lua_pushcfunction(L, released);
  lua_setfield(L, -2, "__close");
  lua_setmetatable(L, -2);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &holding_key);
  lua_getfield(L, -1, "host");
  static const luaL_Reg functions[] = {{"hold", hold}, {"finish", finish}, {"part", part}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
