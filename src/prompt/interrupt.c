// interrupt.c: Ctrl-C stops the user's code wherever it runs. The handler sets a flag and a hook, nothing else; see lua_sethook. The flag stays
// set until the block of code ends, so that no pcall and no coroutine loses it: the library's calls stop for it ever again, and the hook raises
// ever again. bind_hold.c keeps parts of results.
#include "prompt.h"

#include "lua/bind.h"
#include "lua/bind_host.h"

#include <lauxlib.h>
#include <signal.h>

static lua_State *volatile running;              // the coroutine that runs now
static volatile sig_atomic_t armed, count;       // user code runs; Ctrl-C so often during this input
static int looks;                                // of the hook during this input
static void stop(lua_State *L, lua_Debug *ar);

enum { EVERYTHING = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT, SELDOM = 1000, PATIENCE = 100 };

// Calls of the user's functions inside a call that keeps its part have PATIENCE*SELDOM instructions to end by themselves
static bool waits(lua_State *L, lua_Debug *ar) {
  if (count >= 2 || !hml_bind__held(L)) return false;
  lua_sethook(L, stop, LUA_MASKCOUNT, SELDOM);
  looks++;
  return looks < PATIENCE || hml_bind__in_library(L, ar);
}

// Raises, and again where the error may be caught; from the second Ctrl-C on the hook stays until the prompt
static void stop(lua_State *L, lua_Debug *ar) {
  if (waits(L, ar)) return;
  if (count < 2) hml_bind__raise_again(L, stop);
  lua_pushliteral(L, "interrupted");
  lua_error(L);
}

void hml_interrupt__end_by(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

void hml_interrupt__stop(void) {
  *hml_bind__interrupt_flag() = 1;
  count++;
  if (armed && running) lua_sethook(running, stop, EVERYTHING, 1);
}

static void on_interrupt(int signal_number) {
  if (count >= 3) hml_interrupt__end_by(signal_number);
  hml_interrupt__stop();
}

void hml_interrupt__install(void) {
  hml_bind__host_sets_flag();
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

void hml_interrupt__arm(lua_State *L) {
  count = 0;
  looks = 0;
  hml_bind__begin_block(L);
  *hml_bind__interrupt_flag() = 0;
  running = L;
  armed = 1;
}

int hml_interrupt__disarm(lua_State *L) {
  int times = count;
  armed = 0;
  lua_sethook(L, NULL, 0, 0);
  *hml_bind__interrupt_flag() = 0;
  count = 0;
  return times;
}

// A coroutine that was interrupted continues where it was resumed: the results kept by the call are assigned there first
static void go_on_in(lua_State *L, lua_State *co) {
  if (armed && count == 1 && hml_bind__raise_pends(co)) hml_bind__raise_in(L, co);
  else if (armed && count >= 1) lua_sethook(L, stop, EVERYTHING, 1);
  lua_sethook(co, NULL, 0, 0);
}

// coroutine.resume that keeps track of which coroutine runs; upvalue 1: the original
static int tracked_resume(lua_State *L) {
  lua_State *co = lua_tothread(L, 1), *before = running;
  int n = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 1);
  if (co) running = co;
  if (armed && count >= 1 && co) lua_sethook(co, stop, EVERYTHING, 1);
  lua_call(L, n, LUA_MULTRET);                   // the original raises for bad arguments only
  running = before;
  return lua_gettop(L);
}

// The function coroutine.resume; upvalue 1: tracked resume
static int public_resume(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTHREAD);
  lua_State *co = lua_tothread(L, 1);
  lua_pushvalue(L, 1);                           // stays where go_on_in needs it
  lua_insert(L, 1);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 2);
  lua_call(L, lua_gettop(L) - 2, LUA_MULTRET);
  go_on_in(L, co);
  return lua_gettop(L) - 1;
}

// The function coroutine.wrap returns; upvalues: tracked resume, coroutine
static int wrapped_call(lua_State *L) {
  int n = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_rotate(L, 1, 2);
  lua_call(L, n + 1, LUA_MULTRET);
  lua_State *co = lua_tothread(L, lua_upvalueindex(2));
  if (lua_toboolean(L, 1)) {
    go_on_in(L, co);
    lua_remove(L, 1);
    return lua_gettop(L);
  }
  lua_sethook(co, NULL, 0, 0);
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) lua_resetthread(co);      // closes its pending variables
  if (armed && count == 1) hml_bind__raise_again(L, stop);               // the error propagates; the hook is no longer needed
  return lua_error(L);
}

static int tracked_wrap(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_State *co = lua_newthread(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_insert(L, 2);
  lua_pushvalue(L, 1);
  lua_xmove(L, co, 1);
  lua_pushcclosure(L, wrapped_call, 2);
  return 1;
}

void hml_interrupt__track(lua_State *L) {
  lua_pushboolean(L, 1);
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.block_clears");      // see bind_host.h
  lua_getglobal(L, "coroutine");
  lua_getfield(L, -1, "resume");
  lua_pushcclosure(L, tracked_resume, 1);
  lua_pushvalue(L, -1);
  lua_pushcclosure(L, public_resume, 1);
  lua_setfield(L, -3, "resume");
  lua_pushcclosure(L, tracked_wrap, 1);
  lua_setfield(L, -2, "wrap");
  lua_pop(L, 1);
}

bool hml_interrupt__came(void) {
  return count > 0;
}

bool hml_interrupt__forget(void) {
  bool came = hml_interrupt__came();
  count = 0;
  *hml_bind__interrupt_flag() = 0;
  return came;
}
