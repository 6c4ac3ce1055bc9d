// wire.c: the five sockets of a kernel. The main thread runs Lua and answers the shell; a side thread answers heartbeat and control also while a
// cell runs, publishes late output, and ends the process when the front end that started it is gone.
#include "jupyter.h"

#include "message.h"
#include "output.h"

#include "lua/bind_host.h"
#include "prompt/prompt.h"

#include <errno.h>
#include <lauxlib.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { FLUSH_MS = 100, LOOK_MS = 250, LINGER_MS = 1000, ENDING_MS = 1000 };

static struct {
  void *context, *shell, *control, *input, *iopub, *beat;
  pthread_t side, main;
  atomic_bool quit, done;              // the kernel shall end; the main thread has left its loop
  pid_t parent;                        // 0: nobody is watched
  char *info;                          // content of kernel_info_reply
} wire;

static hml_span span_of(lua_State *L, int index) {
  hml_span s;
  s.data = luaL_checklstring(L, index, &s.size);
  return s;
}

static hml_span literal(const char *text) { return (hml_span){text, strlen(text)}; }

// ---- the side thread

static void answer(hml_message *m, const char *type, hml_span content) {
  hml_span identities[HML_MOST_FRAMES];
  for (int i = 0; i < m->delimiter; i++) identities[i] = hml_message__frame(m, i);
  hml_message__send(wire.control, identities, m->delimiter, type, hml_message__part(m, HML_HEADER), content);
}

// A cell that ignores the interrupt does not outlive the reply for long
static void end_process(void) {
  wire.quit = true;
  pthread_kill(wire.main, SIGINT);
  for (int ms = 0; ms < ENDING_MS && !wire.done; ms += 10) usleep(10000);
  if (!wire.done) _exit(EXIT_SUCCESS);
}

static void answer_control(void) {
  hml_message m;
  if (!hml_message__receive(wire.control, &m)) return;
  hml_span header = hml_message__part(&m, HML_HEADER), content = hml_message__part(&m, HML_CONTENT);
  bool ends = false;
  if (hml_message__has(header, "msg_type", "\"interrupt_request\"")) {
    pthread_kill(wire.main, SIGINT);
    answer(&m, "interrupt_reply", literal("{\"status\":\"ok\"}"));
  } else if (hml_message__has(header, "msg_type", "\"shutdown_request\"")) {
    bool restart = hml_message__has(content, "restart", "true");
    answer(&m, "shutdown_reply", literal(restart ? "{\"status\":\"ok\",\"restart\":true}" : "{\"status\":\"ok\",\"restart\":false}"));
    ends = true;
  } else if (hml_message__has(header, "msg_type", "\"kernel_info_request\"")) {
    answer(&m, "kernel_info_reply", literal(wire.info));
  }
  hml_message__close(&m);
  if (ends) end_process();
}

static void echo_beat(void) {
  char bytes[256];
  int n = zmq_recv(wire.beat, bytes, sizeof bytes, ZMQ_DONTWAIT);
  if (n >= 0) zmq_send(wire.beat, bytes, (size_t)n < sizeof bytes ? (size_t)n : sizeof bytes, 0);
}

static void *side(void *nothing) {
  while (!wire.quit) {
    zmq_pollitem_t items[] = {{wire.beat, 0, ZMQ_POLLIN, 0}, {wire.control, 0, ZMQ_POLLIN, 0}};
    zmq_poll(items, 2, FLUSH_MS);
    if (wire.parent && getppid() != wire.parent) _exit(EXIT_SUCCESS);
    if (items[0].revents) echo_beat();
    if (items[1].revents) answer_control();
    hml_output__flush(false);
  }
  return nothing;
}

// All signals are for the main thread
static bool start_side(void) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_create(&wire.side, NULL, side, NULL) == 0;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return started;
}

// ---- opening

static const char *field(lua_State *L, const char *name) {
  lua_getfield(L, 1, name);
  return lua_tostring(L, -1);
}

// The keys of an encrypted transport, where the connection file has some
static void set_curve(lua_State *L, void *socket) {
  int server = 1;
  const char *key = field(L, "curve_secretkey");
  if (key && (zmq_setsockopt(socket, ZMQ_CURVE_SERVER, &server, sizeof server) != 0 ||
              zmq_setsockopt(socket, ZMQ_CURVE_SECRETKEY, key, strlen(key) + 1) != 0))
    luaL_error(L, "jupyter: the key of the encrypted transport is refused: %s", zmq_strerror(errno));
  lua_pop(L, 1);
}

static void *bound(lua_State *L, int type, const char *port) {
  char address[300];
  int linger = LINGER_MS, unlimited = 0;
  void *socket = zmq_socket(wire.context, type);
  if (!socket) luaL_error(L, "jupyter: no socket: %s", zmq_strerror(errno));
  zmq_setsockopt(socket, ZMQ_LINGER, &linger, sizeof linger);
  // by default the message after the 1000th that waits is lost
  zmq_setsockopt(socket, ZMQ_SNDHWM, &unlimited, sizeof unlimited);
  set_curve(L, socket);
  const char *transport = field(L, "transport"), *ip = field(L, "ip"), *number = field(L, port);
  if (!ip || !number) luaL_error(L, "jupyter: the connection file has no '%s'", ip ? port : "ip");
  bool ipc = transport && strcmp(transport, "ipc") == 0;
  snprintf(address, sizeof address, ipc ? "ipc://%s-%s" : "tcp://%s:%s", ip, number);
  if (zmq_bind(socket, address) != 0) luaL_error(L, "jupyter: cannot listen at %s: %s", address, zmq_strerror(errno));
  lua_pop(L, 3);
  return socket;
}

// open(connection, info): connection as in Jupyter's connection file; info: the content of kernel_info_reply
static int wire_open(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *info = luaL_checkstring(L, 2), *key = field(L, "key");
  if (sodium_init() < 0) return luaL_error(L, "jupyter: libsodium does not start");
  hml_message__set_key(key ? key : "", key ? strlen(key) : 0);
  wire.context = zmq_ctx_new();
  wire.info = strdup(info);
  if (!wire.context || !wire.info) return luaL_error(L, "not enough memory");
  wire.shell = bound(L, ZMQ_ROUTER, "shell_port");
  wire.control = bound(L, ZMQ_ROUTER, "control_port");
  wire.input = bound(L, ZMQ_ROUTER, "stdin_port");
  wire.iopub = bound(L, ZMQ_PUB, "iopub_port");
  wire.beat = bound(L, ZMQ_REP, "hb_port");
  wire.main = pthread_self();
  wire.parent = getenv("JPY_PARENT_PID") ? getppid() : 0;            // set by front ends that do not want to be outlived
  hml_interrupt__disarm(L);                                          // cells arm it
  if (!hml_output__capture(L, wire.iopub)) return luaL_error(L, "jupyter: output cannot be captured: %s", strerror(errno));
  if (!start_side()) {
    hml_output__release(L);
    return luaL_error(L, "jupyter: the thread of heartbeat and control does not start");
  }
  return 0;
}

// ---- requests and replies

static void push_span(lua_State *L, hml_span s) { lua_pushlstring(L, s.data, s.size); }

static void push_message(lua_State *L, hml_message *m) {
  lua_createtable(L, m->delimiter, 2);
  for (int i = 0; i < m->delimiter; i++) {
    push_span(L, hml_message__frame(m, i));
    lua_rawseti(L, -2, i + 1);
  }
  push_span(L, hml_message__part(m, HML_HEADER));
  lua_setfield(L, -2, "header");
  push_span(L, hml_message__part(m, HML_CONTENT));
  lua_setfield(L, -2, "content");
}

// next(milliseconds) -> { identity, ..., header =, content = }, false after that time, or nil at the end; without a time it waits
static int wire_next(lua_State *L) {
  long limit = (long)luaL_optinteger(L, 1, -1);
  while (!wire.quit) {
    hml_message m;
    zmq_pollitem_t item = {wire.shell, 0, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, limit < 0 ? LOOK_MS : limit);
    hml_interrupt__forget();                     // Ctrl-C between cells stops nothing
    if (item.revents && hml_message__receive(wire.shell, &m)) {
      push_message(L, &m);
      hml_message__close(&m);
      return 1;
    }
    if (limit >= 0) {
      lua_pushboolean(L, 0);
      return 1;
    }
  }
  return 0;
}

static void send_to(lua_State *L, void *socket, int message, const char *type, hml_span content) {
  hml_span identities[HML_MOST_FRAMES];
  int n = 0;
  while (n < HML_MOST_FRAMES && lua_rawgeti(L, message, n + 1) == LUA_TSTRING) identities[n++] = span_of(L, -1), lua_pop(L, 1);
  lua_getfield(L, message, "header");
  hml_message__send(socket, identities, n, type, span_of(L, -1), content);
}

static int wire_reply(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  send_to(L, wire.shell, 1, luaL_checkstring(L, 2), span_of(L, 3));
  return 0;
}

static int wire_parent(lua_State *L) {
  return hml_output__parent(span_of(L, 1)) ? 0 : luaL_error(L, "not enough memory");
}

static int wire_publish(lua_State *L) {
  const char *type = luaL_checkstring(L, 1);
  hml_output__publish(type, span_of(L, 2));
  return 0;
}

static int wire_clear(lua_State *L) {
  hml_output__clear((size_t)luaL_checkinteger(L, 1));
  return 0;
}

static int wire_flush(lua_State *L) {
  (void)L;
  fflush(stdout);                                // a cell may have called io.stdout:setvbuf
  fflush(stderr);
  hml_output__flush(true);
  return 0;
}

// ask(message, content) -> the content of the front end's input_reply, or nil when it was interrupted
static int wire_ask(lua_State *L) {
  hml_message m;
  luaL_checktype(L, 1, LUA_TTABLE);
  while (hml_message__receive(wire.input, &m)) hml_message__close(&m);           // replies nobody waits for
  hml_output__flush(true);
  send_to(L, wire.input, 1, "input_request", span_of(L, 2));
  while (!wire.quit && !*hml_bind__interrupt_flag()) {
    zmq_pollitem_t item = {wire.input, 0, ZMQ_POLLIN, 0};
    zmq_poll(&item, 1, LOOK_MS);
    if (!item.revents || !hml_message__receive(wire.input, &m)) continue;
    push_span(L, hml_message__part(&m, HML_CONTENT));
    hml_message__close(&m);
    return 1;
  }
  return 0;
}

static int wire_close(lua_State *L) {
  wire.quit = wire.done = true;
  pthread_join(wire.side, NULL);
  hml_output__release(L);
  void *const sockets[] = {wire.shell, wire.control, wire.input, wire.iopub, wire.beat};
  for (size_t i = 0; i < sizeof sockets / sizeof *sockets; i++) zmq_close(sockets[i]);
  zmq_ctx_term(wire.context);                    // waits until the last messages are sent, at most LINGER_MS
  free(wire.info);
  return 0;
}

// program() -> the path of this executable
static int wire_program(lua_State *L) {
  char path[4096];
  ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || n == (ssize_t)sizeof path) return luaL_error(L, "jupyter: the path of this program is not known");
  lua_pushlstring(L, path, (size_t)n);
  return 1;
}

void hml_jupyter__push(lua_State *L) {
  static const luaL_Reg functions[] = {{"open", wire_open}, {"next", wire_next}, {"parent", wire_parent}, {"reply", wire_reply},
                                       {"publish", wire_publish}, {"clear", wire_clear}, {"flush", wire_flush}, {"ask", wire_ask}, {"close", wire_close},
                                       {"program", wire_program}, {NULL, NULL}};
  luaL_newlib(L, functions);
}
