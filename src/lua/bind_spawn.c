// bind_spawn.c: core.host.spawn and spawn_all: programs without a shell, fed with text, their output collected, ended after a time limit or by Ctrl-C.
#include "bind_host.h"

#include "bind.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum { MOST_ARGUMENTS = 60, MOST_AT_ONCE = 64, CHUNK = 65536 };

typedef struct text {
  char *data;
  size_t size, room;
} text;

typedef struct child {
  pid_t pid;                           // 0: none
  int in, out, err;                    // our ends; -1: closed. `in` is a socket, so that a dead reader raises no SIGPIPE here
  const char *input;
  size_t size, sent;
  double end;                          // when it has to be done
  text output, errors;
} child;

static const child no_child = {0, -1, -1, -1, NULL, 0, 0, 0, {0}, {0}};

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void close_end(int *fd) {
  if (*fd >= 0) close(*fd);
  *fd = -1;
}

// 0, or errno
static int start(child *c, char *const *arguments) {
  int in[2] = {-1, -1}, out[2] = {-1, -1}, err[2] = {-1, -1}, failed = 0;
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  sigset_t defaults;
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, in) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) failed = errno;
  if (!failed && (failed = posix_spawn_file_actions_init(&actions)) == 0) {
    posix_spawnattr_init(&attributes);
    posix_spawn_file_actions_adddup2(&actions, in[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, err[1], STDERR_FILENO);
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGINT);
    sigaddset(&defaults, SIGPIPE);
    posix_spawnattr_setsigdefault(&attributes, &defaults);
    // a group of its own: Ctrl-C at the terminal is ours
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGDEF);
    failed = posix_spawnp(&c->pid, arguments[0], &actions, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&actions);
  }
  close_end(&in[1]);
  close_end(&out[1]);
  close_end(&err[1]);
  c->in = in[0];
  c->out = out[0];
  c->err = err[0];
  if (!failed) return 0;
  close_end(&c->in);
  close_end(&c->out);
  close_end(&c->err);
  return failed;
}

static void send_some(child *c) {
  ssize_t n = c->sent < c->size ? send(c->in, c->input + c->sent, c->size - c->sent, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
  if (n > 0) c->sent += (size_t)n;
  if (c->sent >= c->size || (n < 0 && errno != EAGAIN && errno != EINTR)) close_end(&c->in);
}

// false: no memory
static bool receive(int *fd, text *t) {
  if (t->room - t->size < CHUNK) {
    char *bigger = realloc(t->data, t->room + t->room / 2 + CHUNK);
    if (!bigger) return false;
    t->data = bigger;
    t->room += t->room / 2 + CHUNK;
  }
  ssize_t n = read(*fd, t->data + t->size, CHUNK);
  if (n > 0) t->size += (size_t)n;
  else if (n == 0 || (errno != EAGAIN && errno != EINTR)) close_end(fd);
  return true;
}

static bool talks(const child *c) { return c->pid && (c->in >= 0 || c->out >= 0 || c->err >= 0); }

// Waits 50 ms at most for something to read or to write. What ends a child early goes to reasons[], NULL where nothing does
static void talk(child *c, size_t n, const char **reasons) {
  struct pollfd ends[3 * MOST_AT_ONCE];
  for (size_t i = 0; i < n; i++) {
    bool t = talks(c + i);
    ends[3 * i] = (struct pollfd){t ? c[i].in : -1, POLLOUT, 0};
    ends[3 * i + 1] = (struct pollfd){t ? c[i].out : -1, POLLIN, 0};
    ends[3 * i + 2] = (struct pollfd){t ? c[i].err : -1, POLLIN, 0};
    reasons[i] = NULL;
  }
  const char *all = poll(ends, 3 * n, 50) < 0 && errno != EINTR ? strerror(errno) : *hml_bind__interrupt_flag() ? "interrupted" : NULL;
  double time = now();
  for (size_t i = 0; i < n; i++) {
    if (!c[i].pid) continue;
    reasons[i] = all ? all : talks(c + i) && time > c[i].end ? "it did not end in time" : NULL;
    if (reasons[i]) continue;
    if (ends[3 * i].revents) send_some(c + i);
    if ((ends[3 * i + 1].revents && !receive(&c[i].out, &c[i].output)) || (ends[3 * i + 2].revents && !receive(&c[i].err, &c[i].errors)))
      reasons[i] = "not enough memory";
  }
}

// Its exit status; a child that still runs is killed with its group
static int ended(child *c, bool running) {
  int status = 0;
  close_end(&c->in);
  close_end(&c->out);
  close_end(&c->err);
  if (running) kill(-c->pid, SIGKILL);
  while (waitpid(c->pid, &status, 0) < 0 && errno == EINTR) continue;
  c->pid = 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void forget(child *c) {
  free(c->output.data);
  free(c->errors.data);
  *c = no_child;
}

// The words of the table at `index`, which holds them
static void read_words(lua_State *L, int index, const char **words) {
  luaL_checktype(L, index, LUA_TTABLE);
  size_t n = (size_t)luaL_len(L, index);
  if (n == 0 || n > MOST_ARGUMENTS) luaL_error(L, "spawn: 1 to %d words, not %d", MOST_ARGUMENTS, (int)n);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    words[i] = luaL_checkstring(L, -1);
    lua_pop(L, 1);
  }
  words[n] = NULL;
}

static int begin(child *c, const char **words, const char *input, size_t size, double seconds) {
  int failed = start(c, (char *const *)(uintptr_t)words);
  c->input = input;
  c->size = size;
  c->end = now() + seconds;
  if (failed) c->pid = 0;
  return failed;
}

// Pushes exit status, output, error output; or nil and why it could not be run
static int push_answer(lua_State *L, child *c, const char *program, const char *reason) {
  int status = ended(c, reason != NULL);
  if (reason) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", program, reason);
    return 2;
  }
  lua_pushinteger(L, status);
  lua_pushlstring(L, c->output.data ? c->output.data : "", c->output.size);
  lua_pushlstring(L, c->errors.data ? c->errors.data : "", c->errors.size);
  return 3;
}

// spawn({program, argument, ...}, input, seconds) -> exit status, output, error output; or nil and why it could not be run
static int spawn(lua_State *L) {
  const char *words[MOST_ARGUMENTS + 1], *reason = NULL;
  size_t size;
  read_words(L, 1, words);
  const char *input = luaL_checklstring(L, 2, &size);
  double seconds = luaL_checknumber(L, 3);
  child c = no_child;
  int failed = begin(&c, words, input, size, seconds);
  if (failed) return luaL_pushfail(L), lua_pushfstring(L, "%s: %s", words[0], strerror(failed)), 2;
  while (talks(&c) && !reason) talk(&c, 1, &reason);
  int results = push_answer(L, &c, words[0], reason);
  forget(&c);
  return results;
}

// What spawn_all works on; the metatable kills what still runs when an error unwinds the call
typedef struct pool {
  child children[MOST_AT_ONCE];
  lua_Integer which[MOST_AT_ONCE];
} pool;

static int close_pool(lua_State *L) {
  pool *p = lua_touserdata(L, 1);
  for (size_t i = 0; i < MOST_AT_ONCE; i++) {
    if (p->children[i].pid) ended(p->children + i, true);
    forget(p->children + i);
  }
  return 0;
}

static pool *new_pool(lua_State *L) {
  pool *p = lua_newuserdatauv(L, sizeof *p, 0);
  for (size_t i = 0; i < MOST_AT_ONCE; i++) p->children[i] = no_child;
  if (luaL_newmetatable(L, "hamel.children")) {
    lua_pushcfunction(L, close_pool);
    lua_setfield(L, -2, "__close");
    lua_pushcfunction(L, close_pool);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  lua_toclose(L, -1);
  return p;
}

enum { JOBS = 1, DONE_CALL = 4 };

// Calls done(index, what spawn returns ...) for the child in a slot that has ended
static void tell(lua_State *L, pool *p, size_t slot, const char *reason) {
  lua_pushvalue(L, DONE_CALL);
  lua_pushinteger(L, p->which[slot]);
  lua_rawgeti(L, JOBS, p->which[slot]);
  lua_rawgeti(L, -1, 1);
  const char *program = lua_tostring(L, -1);                             // stays in the table of its words
  lua_pop(L, 2);
  int results = push_answer(L, p->children + slot, program, reason);
  forget(p->children + slot);
  lua_call(L, 1 + results, 0);
}

// spawn_all({{program, argument, ...}, ...}, seconds, at_once, done) runs programs side by side, each for so many seconds at most, and calls
// done(index, what spawn returns ...) when one has ended. True; false after Ctrl-C, when those that ran were told and the rest was not begun
static int spawn_all(lua_State *L) {
  luaL_checktype(L, JOBS, LUA_TTABLE);
  lua_Integer jobs = luaL_len(L, JOBS), next = 1;
  double seconds = luaL_checknumber(L, 2);
  lua_Integer at_once = luaL_checkinteger(L, 3);
  luaL_checktype(L, DONE_CALL, LUA_TFUNCTION);
  size_t slots = at_once < 1 ? 1 : at_once > MOST_AT_ONCE ? MOST_AT_ONCE : (size_t)at_once, running = 0;
  const char *words[MOST_ARGUMENTS + 1], *reasons[MOST_AT_ONCE];
  pool *p = new_pool(L);
  bool stop = false;
  while ((next <= jobs && !stop) || running) {
    for (size_t i = 0; i < slots && next <= jobs && !stop; i++) {
      if (p->children[i].pid) continue;
      lua_rawgeti(L, JOBS, p->which[i] = next++);
      read_words(L, lua_gettop(L), words);
      int failed = begin(p->children + i, words, "", 0, seconds);
      lua_pop(L, 1);
      if (!failed) {
        running++;
        continue;
      }
      lua_pushvalue(L, DONE_CALL);
      lua_pushinteger(L, p->which[i]);
      luaL_pushfail(L);
      lua_pushfstring(L, "%s: %s", words[0], strerror(failed));
      lua_call(L, 3, 0);
    }
    talk(p->children, slots, reasons);
    stop = stop || *hml_bind__interrupt_flag();
    for (size_t i = 0; i < slots; i++) {
      if (!p->children[i].pid || (talks(p->children + i) && !reasons[i])) continue;
      running--;
      tell(L, p, i, reasons[i]);
    }
  }
  lua_pushboolean(L, !stop);
  return 1;
}

void hml_bind_spawn(lua_State *L) {
  lua_getfield(L, -1, "host");
  lua_pushcfunction(L, spawn);
  lua_setfield(L, -2, "spawn");
  lua_pushcfunction(L, spawn_all);
  lua_setfield(L, -2, "spawn_all");
  lua_pop(L, 1);
}
