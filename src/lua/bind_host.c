// bind_host.c: functions that Lua lacks: folders, the terminal, a monotonic clock, the interrupt flag. Installs a signal handler only on request.
#include "bind_host.h"

#include "base/base.h"
#include "bind.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static volatile int interrupt_flag;

volatile int *hml_bind__interrupt_flag(void) {
  return &interrupt_flag;
}

static bool host_sets_flag, from_host;   // the flag was set for the hook of the host

// The hook that stock Lua sets from its handler of signals: everything, at once. It is the host's to raise, in Lua code
bool hml_bind__is_interrupt(lua_Hook hook, int mask, int count) {
  return hook && count == 1 && mask == (LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT);
}

static bool host_interrupts(lua_State *L) {
  return hml_bind__is_interrupt(lua_gethook(L), lua_gethookmask(L), lua_gethookcount(L));
}

bool hml_bind__raises_again(void) {
  return host_sets_flag;
}

// What is watched, also by the threads of a sweep, which must leave the stack of Lua alone
typedef struct watched {
  lua_State *L;                        // the main thread
  const unsigned *depth;               // of calls that keep their part
} watched;

static void forget_host(void) {
  interrupt_flag = 0;
  from_host = false;
}

// A hook that is gone was raised
static void watch(void *payload) {
  const watched *w = payload;
  if (host_sets_flag || (!from_host && !lua_gethook(w->L))) return;
  if (host_interrupts(w->L)) {
    interrupt_flag = 1;
    from_host = true;
  } else if (from_host && *w->depth == 0) {
    forget_host();
  }
}

lua_State *hml_bind__main_thread(lua_State *L) {
  lua_rawgeti(L, LUA_REGISTRYINDEX, LUA_RIDX_MAINTHREAD);
  lua_State *thread = lua_tothread(L, -1);
  lua_pop(L, 1);
  return thread;
}

static const char watched_key;

void hml_bind__watch_host(lua_State *L, hml_context *c) {
  if (host_sets_flag) return;
  watched *w = lua_newuserdatauv(L, sizeof *w, 0);
  *w = (watched){hml_bind__main_thread(L), hml_bind__holding_depth(L)};
  lua_rawsetp(L, LUA_REGISTRYINDEX, &watched_key);
  hml_context__watch(c, watch, w);
}

void hml_bind__look_at_host(lua_State *L) {
  if (host_sets_flag || !from_host || host_interrupts(hml_bind__main_thread(L))) return;
  forget_host();
}

void hml_bind__host_sets_flag(void) {
  host_sets_flag = true;
}

void hml_bind__interrupt_forgotten(void) {
  from_host = false;
}

bool hml_bind__take_interrupt(lua_State *L) {
  lua_State *thread = hml_bind__main_thread(L);
  if (!from_host || hml_bind__held(L)) return false;
  if (host_interrupts(thread)) lua_sethook(thread, NULL, 0, 0);
  forget_host();
  return true;
}

// list(folder) -> names, or nil and a message
static int list(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  lua_newtable(L);
  DIR *folder = opendir(path);
  if (!folder && errno == ENOMEM) return luaL_error(L, "not enough memory");
  if (!folder) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 2;
  }
  lua_Integer n = 0;
  // at most one folder handle is open here; lua_pushstring can only fail for want of memory
  for (const struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    if (entry->d_name[0] == '.') continue;
    lua_pushstring(L, entry->d_name);
    lua_rawseti(L, -2, ++n);
  }
  closedir(folder);
  return 1;
}

// width() -> columns of the terminal on standard output, or nil
static int width(lua_State *L) {
  struct winsize size;
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return luaL_pushfail(L), 1;
  lua_pushinteger(L, size.ws_col);
  return 1;
}

static int is_terminal(lua_State *L) {
  static const char *const names[] = {"stdin", "stdout", "stderr", NULL};
  lua_pushboolean(L, isatty(luaL_checkoption(L, 1, "stdout", names)));
  return 1;
}

// clock() -> seconds that never run backward
static int monotonic(lua_State *L) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  lua_pushnumber(L, (lua_Number)now.tv_sec + 1e-9 * (lua_Number)now.tv_nsec);
  return 1;
}

static int interrupted(lua_State *L) {
  lua_pushboolean(L, interrupt_flag);
  return 1;
}

static void set_flag(int signal_number) {
  (void)signal_number;
  interrupt_flag = 1;
}

// catch_interrupts(): Ctrl-C stops a run of this library and is then forgotten; for hosts that have no handler of their own
static int catch_interrupts(lua_State *L) {
  struct sigaction action = {.sa_handler = set_flag};
  if (sigaction(SIGINT, &action, NULL) != 0) return luaL_fileresult(L, 0, NULL);
  lua_pushboolean(L, 1);
  return 1;
}

// private_folder() -> path of a new folder only this user can read, or nil and a message
static int private_folder(lua_State *L) {
  const char *base = getenv("TMPDIR");
  char path[400];
  snprintf(path, sizeof path, "%.380s/hamel-XXXXXX", base && *base ? base : "/tmp");
  if (!mkdtemp(path)) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", path, strerror(errno));
    return 2;
  }
  lua_pushstring(L, path);
  return 1;
}

// end_with_parent(): this process is killed when the one that began it ends
static int end_with_parent(lua_State *L) {
  (void)L;
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  return 0;
}

// processors() -> how many this process may use
static int processors(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_processors());
  return 1;
}

void hml_bind_host(lua_State *L) {
  static const luaL_Reg functions[] = {{"list", list}, {"width", width}, {"is_terminal", is_terminal}, {"clock", monotonic},
                                       {"interrupted", interrupted}, {"catch_interrupts", catch_interrupts},
                                       {"private_folder", private_folder}, {"processors", processors}, {"end_with_parent", end_with_parent}, {NULL, NULL}};
  luaL_newlib(L, functions);
  lua_setfield(L, -2, "host");
}
