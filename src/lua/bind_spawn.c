// bind_spawn.c: core.host.spawn: a program without a shell, fed with text, its output collected, ended after a time limit or by Ctrl-C.
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

enum { MOST_ARGUMENTS = 60, CHUNK = 65536 };

typedef struct child {
  pid_t pid;
  int in, out, err;                    // our ends; -1: closed. `in` is a socket, so that a dead reader raises no SIGPIPE here
} child;

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

static void send_some(child *c, const char *input, size_t size, size_t *sent) {
  ssize_t n = *sent < size ? send(c->in, input + *sent, size - *sent, MSG_NOSIGNAL | MSG_DONTWAIT) : 0;
  if (n > 0) *sent += (size_t)n;
  if (*sent >= size || (n < 0 && errno != EAGAIN && errno != EINTR)) close_end(&c->in);
}

typedef struct text {
  char *data;
  size_t size, room;
} text;

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

// What ended it early, or NULL
static const char *talk(child *c, const char *input, size_t size, double end, text *out, text *err) {
  size_t sent = 0;
  while (c->in >= 0 || c->out >= 0 || c->err >= 0) {
    struct pollfd ends[3] = {{c->in, POLLOUT, 0}, {c->out, POLLIN, 0}, {c->err, POLLIN, 0}};
    if (*hml_bind__interrupt_flag()) return "interrupted";
    if (now() > end) return "it did not end in time";
    if (poll(ends, 3, 50) < 0 && errno != EINTR) return strerror(errno);
    if (ends[0].revents) send_some(c, input, size, &sent);
    if (ends[1].revents && !receive(&c->out, out)) return "not enough memory";
    if (ends[2].revents && !receive(&c->err, err)) return "not enough memory";
  }
  return NULL;
}

// spawn({program, argument, ...}, input, seconds) -> exit status, output, error output; or nil and why it could not be run
static int spawn(lua_State *L) {
  char *arguments[MOST_ARGUMENTS + 1] = {0};
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t n = (size_t)luaL_len(L, 1), size;
  if (n == 0 || n > MOST_ARGUMENTS) return luaL_error(L, "spawn: 1 to %d words, not %d", MOST_ARGUMENTS, (int)n);
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, 1, (lua_Integer)i + 1);
    arguments[i] = (char *)(uintptr_t)luaL_checkstring(L, -1);           // stays in the table
    lua_pop(L, 1);
  }
  const char *input = luaL_checklstring(L, 2, &size);
  double seconds = luaL_checknumber(L, 3);
  child c = {0, -1, -1, -1};
  text out = {0}, err = {0};
  int failed = start(&c, arguments), status = 0;
  if (failed) return luaL_pushfail(L), lua_pushfstring(L, "%s: %s", arguments[0], strerror(failed)), 2;
  const char *reason = talk(&c, input, size, now() + seconds, &out, &err);
  close_end(&c.in);
  close_end(&c.out);
  close_end(&c.err);
  if (reason) kill(-c.pid, SIGKILL);
  while (waitpid(c.pid, &status, 0) < 0 && errno == EINTR) continue;
  if (reason) {
    luaL_pushfail(L);
    lua_pushfstring(L, "%s: %s", arguments[0], reason);
  } else {
    lua_pushinteger(L, WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    lua_pushlstring(L, out.data ? out.data : "", out.size);
    lua_pushlstring(L, err.data ? err.data : "", err.size);
  }
  free(out.data);
  free(err.data);
  return reason ? 2 : 3;
}

void hml_bind_spawn(lua_State *L) {
  lua_getfield(L, -1, "host");
  lua_pushcfunction(L, spawn);
  lua_setfield(L, -2, "spawn");
  lua_pop(L, 1);
}
