// module.c: the extension hamel._core: one Lua state with the library, Lua values as Python objects and back. What Python users see is written in
// src/python/hamel and in lua/hamel/python.lua.
//
// Threads: `lock` belongs to whoever is inside Lua. Calls of functions release Python's lock (GIL) while they run; whoever waits for `lock` does so
// without the GIL, so that neither waits for the other. Every access to Lua is protected: its errors become exceptions.
//
// Ctrl-C: the prompt's handler while a call of the main thread lasts, Python's own behind the call. While a Python function runs inside the call
// Python's own handler is served, and the call stops behind the function.
#define Py_LIMITED_API 0x030A0000
#include <Python.h>

#include "lua/bind_host.h"
#include "lua/bind_series.h"
#include "lua/modules.h"
#include "prompt/prompt.h"

#include <lauxlib.h>
#include <lualib.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int luaopen_hamel_core(lua_State *L);

// Python's slots keep functions as void *, which POSIX allows and ISO C does not
#pragma GCC diagnostic ignored "-Wpedantic"

typedef struct object {
  PyObject_HEAD
  int ref;                             // in the registry
  bool library;                        // a table of functions, which are called without it
} object;

static lua_State *L;                   // the state or coroutine that runs now; valid while `lock` is held
static pthread_mutex_t lock;
static unsigned depth;                 // how often the thread that owns `lock` took it
static pthread_t owner;                // that thread, where depth > 0
static bool torn;                      // forked while another thread changed the state
static PyTypeObject *object_type;      // the base in C
static PyObject *made_type;            // the class in Python that results have
static PyObject *own_names;            // frozenset: attributes that the class in Python defines
static PyObject *error_type;
static PyObject *verdict_type;         // of several results whose first is true, false or nil
static PyObject *convert;              // function: a value of another type in plain numbers, texts, lists and dictionaries
static PyObject *work_on_lists;        // function: NumPy's arithmetic
static PyObject *bind_method;          // function: a method of an object, a function of the library
static const char python_failed, support_key;

enum { MOST_DEPTH = 100 };

// ---- references that were given up while Lua ran

static int *unused;
static size_t n_unused, unused_room;
static pthread_mutex_t unused_lock = PTHREAD_MUTEX_INITIALIZER;

// Without memory for the list the value stays until the process ends
static void give_up(int ref) {
  pthread_mutex_lock(&unused_lock);
  if (n_unused == unused_room) {
    size_t wanted = unused_room ? 2 * unused_room : 1024;
    int *bigger = realloc(unused, wanted * sizeof *bigger);
    if (bigger) unused = bigger, unused_room = wanted;
  }
  if (n_unused < unused_room) unused[n_unused++] = ref;
  pthread_mutex_unlock(&unused_lock);
}

static void release_unused(void) {
  pthread_mutex_lock(&unused_lock);
  while (n_unused > 0) luaL_unref(L, LUA_REGISTRYINDEX, unused[--n_unused]);
  pthread_mutex_unlock(&unused_lock);
}

// ---- who is inside

// Waits without the GIL; Ctrl-C ends the wait of the main thread
static bool wait_for_lock(void) {
  for (;;) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 50000000;
    if (until.tv_nsec >= 1000000000) until.tv_sec++, until.tv_nsec -= 1000000000;
    PyThreadState *saved = PyEval_SaveThread();
    int taken = pthread_mutex_timedlock(&lock, &until) == 0;
    PyEval_RestoreThread(saved);
    if (taken) return true;
    if (PyErr_CheckSignals() != 0) return false;
  }
}

// false: an exception is set
static bool enter(void) {
  if (torn) {
    PyErr_SetString(PyExc_RuntimeError, "this process was forked while another thread was inside Hamel: use multiprocessing with the method 'spawn'");
    return false;
  }
  if (pthread_mutex_trylock(&lock) != 0 && !wait_for_lock()) return false;
  owner = pthread_self();
  if (depth++ == 0 && n_unused > 0) release_unused();
  return true;
}

static void leave(void) {
  depth--;
  pthread_mutex_unlock(&lock);
}

static void make_lock(void) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&lock, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

// The child has one thread and a lock that belongs to a thread of its parent
static void after_fork(void) {
  torn = torn || (depth > 0 && !pthread_equal(owner, pthread_self()));
  pthread_mutex_init(&unused_lock, NULL);
  make_lock();
  for (unsigned i = 0; i < depth && !torn; i++) pthread_mutex_lock(&lock);
  owner = pthread_self();
}

// ---- objects that a request holds, until it ends or fails

typedef struct held {
  PyObject *objects[MOST_DEPTH + 4];
  int n;
  struct held *outer;
} held;

static held *holder;                   // of the request that runs

static void begin_holding(held *h) {
  h->n = 0;
  h->outer = holder;
  holder = h;
}

static void end_holding(held *h) {
  while (h->n > 0) Py_DecRef(h->objects[--h->n]);
  holder = h->outer;
}

static void hold(PyObject *o) { holder->objects[holder->n++] = o; }
static void drop(void) { Py_DecRef(holder->objects[--holder->n]); }

// ---- interrupts

static unsigned long main_thread;
static struct sigaction pythons_handler;
static bool armed;                     // a call of the main thread lasts
static volatile sig_atomic_t noticed;  // Ctrl-C came while a Python function ran
static int served;                     // stops of this call that Python knows of

static void notice(int signal_number) {
  noticed = 1;
  pythons_handler.sa_handler(signal_number);
}

static void begin_python(void) {
  struct sigaction action = pythons_handler;
  action.sa_handler = notice;
  sigaction(SIGINT, &action, NULL);
}

// The call stops where it was interrupted in a Python function, whatever the handler of Python did. Of a Ctrl-C that comes at the very end of a Python
// function only the next one raises the exception: that is not a second Ctrl-C, at which nothing would be kept
static void end_python(bool stops) {
  hml_interrupt__install();
  if (!noticed && (!stops || served > 0)) return;
  noticed = 0;
  served++;
  hml_interrupt__stop();
}

static bool arm(void) {
  sigaction(SIGINT, NULL, &pythons_handler);
  bool is_ours = pythons_handler.sa_handler != SIG_IGN && pythons_handler.sa_handler != SIG_DFL;
  if (!is_ours) return false;
  hml_interrupt__install();
  hml_interrupt__arm(L);
  noticed = 0;
  served = 0;
  return armed = true;
}

static int disarm(void) {
  armed = false;
  int times = hml_interrupt__disarm(L);
  sigaction(SIGINT, &pythons_handler, NULL);
  return times;
}

// ---- Python to Lua; run inside of protected calls

static void push(lua_State *S, PyObject *o, int nested);

// Raises in Lua; the exception is set
static void python_error(lua_State *S) {
  lua_pushlightuserdata(S, (void *)&python_failed);
  lua_error(S);
}

static void push_text(lua_State *S, PyObject *o) {
  PyObject *bytes = PyUnicode_AsUTF8String(o);
  char *s;
  Py_ssize_t n;
  if (!bytes || PyBytes_AsStringAndSize(bytes, &s, &n) < 0) python_error(S);
  lua_pushlstring(S, s, (size_t)n);
  Py_DecRef(bytes);
}

// A whole number too long for Lua, as exact number of the library
static void push_long(lua_State *S, PyObject *o) {
  PyObject *text = PyObject_Str(o);
  if (!text) python_error(S);
  hold(text);
  lua_rawgetp(S, LUA_REGISTRYINDEX, &support_key);
  lua_getfield(S, -1, "number");
  lua_remove(S, -2);
  push_text(S, text);
  drop();
  lua_call(S, 1, 1);
}

static void push_whole(lua_State *S, PyObject *o) {
  int overflow;
  long long value = PyLong_AsLongLongAndOverflow(o, &overflow);
  if (overflow == 0) lua_pushinteger(S, value);
  else push_long(S, o);
}

static void push_key(lua_State *S, PyObject *key, int nested) {
  if (!PyUnicode_Check(key) && !PyLong_Check(key) && !PyObject_TypeCheck(key, object_type)) {
    PyErr_Format(PyExc_TypeError, "%R is no key of a dictionary for Hamel, which are texts, whole numbers and expressions", key);
    python_error(S);
  }
  push(S, key, nested);
}

static void push_dict(lua_State *S, PyObject *o, int nested) {
  PyObject *key, *value;
  Py_ssize_t at = 0;
  lua_newtable(S);
  while (PyDict_Next(o, &at, &key, &value)) {
    if (value == Py_None) continue;
    push_key(S, key, nested);
    push(S, value, nested);
    lua_rawset(S, -3);
  }
}

static void push_sequence(lua_State *S, PyObject *o, int nested) {
  Py_ssize_t n = PySequence_Size(o);
  if (n < 0) python_error(S);
  lua_createtable(S, (int)n, 0);
  for (Py_ssize_t i = 0; i < n; i++) {
    PyObject *item = PySequence_GetItem(o, i);
    if (!item) python_error(S);
    hold(item);
    if (item == Py_None) {
      PyErr_Format(PyExc_TypeError, "entry %zd of a list is None: a list for Hamel has no gaps", i);
      python_error(S);
    }
    push(S, item, nested);
    drop();
    lua_rawseti(S, -2, (lua_Integer)i + 1);
  }
}

static int call_python(lua_State *S);
static const char callable_name[] = "hamel.python callable";

static void push_callable(lua_State *S, PyObject *o) {
  PyObject **slot = lua_newuserdatauv(S, sizeof *slot, 0);
  Py_IncRef(o);
  *slot = o;
  luaL_setmetatable(S, callable_name);
  lua_pushcclosure(S, call_python, 1);
}

// NumPy's numbers and arrays, fractions, tables of pandas, functions: as _convert.py says
static void push_other(lua_State *S, PyObject *o, int nested) {
  PyObject *plain = PyObject_CallFunction(convert, "(O)", o);
  if (!plain) python_error(S);
  hold(plain);
  if (plain == o) push_callable(S, o);
  else push(S, plain, nested);
  drop();
}

static void push(lua_State *S, PyObject *o, int nested) {
  luaL_checkstack(S, 8, "too many arguments");
  if (nested > MOST_DEPTH) {
    PyErr_SetString(PyExc_ValueError, "lists or dictionaries are nested too deep, or contain themselves");
    python_error(S);
  }
  if (PyObject_TypeCheck(o, object_type)) lua_rawgeti(S, LUA_REGISTRYINDEX, ((object *)o)->ref);
  else if (o == Py_None) lua_pushnil(S);
  else if (PyBool_Check(o)) lua_pushboolean(S, o == Py_True);
  else if (PyLong_Check(o)) push_whole(S, o);
  else if (PyFloat_Check(o)) lua_pushnumber(S, PyFloat_AsDouble(o));
  else if (PyUnicode_Check(o)) push_text(S, o);
  else if (PyDict_Check(o)) push_dict(S, o, nested + 1);
  else if (PyList_Check(o) || PyTuple_Check(o)) push_sequence(S, o, nested + 1);
  else push_other(S, o, nested + 1);
}

// ---- Lua to Python; NULL with an exception set

static PyObject *take(lua_State *S, int at) {
  switch (lua_type(S, at)) {
    case LUA_TNIL: Py_IncRef(Py_None); return Py_None;
    case LUA_TBOOLEAN: return PyBool_FromLong(lua_toboolean(S, at));
    case LUA_TNUMBER: return lua_isinteger(S, at) ? PyLong_FromLongLong(lua_tointeger(S, at)) : PyFloat_FromDouble(lua_tonumber(S, at));
    case LUA_TSTRING: {
      size_t n;
      const char *s = lua_tolstring(S, at, &n);
      return PyUnicode_DecodeUTF8(s, (Py_ssize_t)n, "replace");
    }
    default: break;
  }
  allocfunc allocate = (allocfunc)PyType_GetSlot((PyTypeObject *)made_type, Py_tp_alloc);
  object *o = (object *)allocate((PyTypeObject *)made_type, 0);
  if (!o) return NULL;
  lua_pushvalue(S, at);
  o->ref = luaL_ref(S, LUA_REGISTRYINDEX);
  o->library = false;
  return (PyObject *)o;
}

static PyObject *take_all(lua_State *S, int from) {
  int n = lua_gettop(S) - from + 1;
  if (n == 0) {
    Py_IncRef(Py_None);
    return Py_None;
  }
  if (n == 1) return take(S, from);
  PyObject *list = PyTuple_New(n);
  for (int i = 0; list && i < n; i++) {
    PyObject *item = take(S, from + i);
    if (!item || PyTuple_SetItem(list, i, item) < 0) {
      Py_DecRef(list);
      return NULL;
    }
  }
  bool verdict = verdict_type && (lua_isboolean(S, from) || lua_isnil(S, from));
  if (!verdict || !list) return list;
  PyObject *result = PyObject_CallFunction(verdict_type, "(O)", list);
  Py_DecRef(list);
  return result;
}

// ---- Python functions in Lua; upvalue 1 holds the function

static int finish_callable(lua_State *S) {
  PyObject **slot = luaL_checkudata(S, 1, callable_name);
  PyGILState_STATE gil = PyGILState_Ensure();
  Py_DecRef(*slot);
  PyGILState_Release(gil);
  *slot = NULL;
  return 0;
}

static PyObject *pending[3];           // the exception of a Python function that a call of Lua is to raise
static bool ends;                      // it is KeyboardInterrupt or SystemExit: no Python function is called before it is raised
static const char failure_words[] = "the Python function failed: ";

static void drop_pending(void) {
  for (int i = 0; i < 3; i++) Py_DecRef(pending[i]);
  memset(pending, 0, sizeof pending);
}

static void keep_pending(void) {
  drop_pending();
  PyErr_Fetch(&pending[0], &pending[1], &pending[2]);
  PyErr_NormalizeException(&pending[0], &pending[1], &pending[2]);
  if (PyErr_GivenExceptionMatches(pending[0], PyExc_Exception)) return;
  ends = true;
  *hml_bind__interrupt_flag() = 1;     // a run keeps its part
}

static void raise_pending(void) {
  PyErr_Restore(pending[0], pending[1], pending[2]);
  memset(pending, 0, sizeof pending);
  if (ends) *hml_bind__interrupt_flag() = 0;
  ends = false;
}

static int call_with_gil(lua_State *S) {
  PyObject **slot = lua_touserdata(S, lua_upvalueindex(1));
  int n = lua_gettop(S);
  PyObject *arguments = PyTuple_New(n), *result = NULL;
  for (int i = 0; arguments && i < n; i++) {
    PyObject *item = take(S, i + 1);
    if (!item || PyTuple_SetItem(arguments, i, item) < 0) {
      Py_DecRef(arguments);
      arguments = NULL;
    }
  }
  if (arguments) result = PyObject_CallObject(*slot, arguments);
  Py_DecRef(arguments);
  if (!result) python_error(S);
  hold(result);
  lua_settop(S, 0);
  if (PyTuple_Check(result)) {
    Py_ssize_t count = PyTuple_Size(result);
    for (Py_ssize_t i = 0; i < count; i++) push(S, PyTuple_GetItem(result, i), 0);
  } else push(S, result, 0);
  return lua_gettop(S);
}

static int call_python(lua_State *S) {
  if (ends) return luaL_error(S, "interrupted");
  int n = lua_gettop(S);
  lua_pushvalue(S, lua_upvalueindex(1));
  lua_pushcclosure(S, call_with_gil, 1);
  lua_insert(S, 1);
  PyGILState_STATE gil = PyGILState_Ensure();
  lua_State *before = L;
  held mine;
  begin_holding(&mine);
  bool was_armed = armed;
  if (was_armed) begin_python();
  L = S;
  int status = lua_pcall(S, n, LUA_MULTRET, 0);
  L = before;
  end_holding(&mine);
  char words[200] = "";
  if (status != LUA_OK && PyErr_Occurred()) {
    keep_pending();
    PyObject *text = pending[1] ? PyObject_Str(pending[1]) : NULL, *bytes = text ? PyUnicode_AsUTF8String(text) : NULL;
    const char *s = bytes ? PyBytes_AsString(bytes) : NULL;
    snprintf(words, sizeof words, "%s", s ? s : "");
    Py_DecRef(bytes);
    Py_DecRef(text);
    PyErr_Clear();
  }
  if (was_armed) end_python(ends);
  PyGILState_Release(gil);
  if (status == LUA_OK) return lua_gettop(S);
  if (ends) return luaL_error(S, "interrupted");
  if (lua_touserdata(S, -1) != (void *)&python_failed) return lua_error(S);
  return luaL_error(S, "%s%s", failure_words, words);
}

// ---- requests: what is done inside of a protected call

typedef struct request {
  PyObject *self, *arguments, *options;
  int op;
  bool frees_gil, is_list;             // is_list: NumPy's arithmetic is due
} request;

// A list of numbers without operators of its own
static bool is_number_list(lua_State *S, int at) {
  if (!lua_istable(S, at) || luaL_getmetafield(S, at, "__add") != LUA_TNIL) return false;
  bool yes = lua_rawgeti(S, at, 1) == LUA_TNUMBER;
  lua_pop(S, 1);
  return yes;
}

static int do_arithmetic(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  if (r->arguments) push(S, r->arguments, 0);
  else lua_pushvalue(S, -1);
  r->is_list = is_number_list(S, 2) || is_number_list(S, 3);
  if (r->is_list) return 0;
  lua_settop(S, 3);
  lua_arith(S, r->op);
  return 1;
}

static int do_compare(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  r->is_list = is_number_list(S, 2);
  if (r->is_list) return 0;
  push(S, r->arguments, 0);
  r->is_list = is_number_list(S, 3);
  if (r->is_list) return 0;
  lua_pushboolean(S, lua_compare(S, 2, 3, r->op));
  return 1;
}

static int do_index(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  push(S, r->arguments, 0);
  lua_gettable(S, -2);
  return 1;
}

static int do_assign(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  if (!lua_istable(S, -1)) return luaL_error(S, "an expression or a function has no fields to assign to; keep values of your own in variables");
  push(S, r->arguments, 0);
  push(S, r->options, 0);
  lua_settable(S, -3);
  return 0;
}

static int do_length(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  lua_len(S, -1);
  return 1;
}

static int do_text(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  push(S, r->self, 0);
  luaL_tolstring(S, -1, NULL);
  return 1;
}

// self(arguments, options): long work, so that other Python threads run meanwhile
static int do_call(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  lua_settop(S, 0);
  push(S, r->self, 0);
  int n = (int)PyTuple_Size(r->arguments);
  luaL_checkstack(S, n + 4, "too many arguments");
  for (int i = 0; i < n; i++) push(S, PyTuple_GetItem(r->arguments, i), 0);
  if (r->options && PyDict_Size(r->options) > 0) {
    push(S, r->options, 0);
    n++;
  }
  PyThreadState *saved = PyEval_SaveThread();
  int status = lua_pcall(S, n, LUA_MULTRET, 0);
  PyEval_RestoreThread(saved);
  return status == LUA_OK ? lua_gettop(S) : lua_error(S);
}

static void raise_message(PyObject *type, const char *message, size_t n) {
  PyObject *text = PyUnicode_DecodeUTF8(message, (Py_ssize_t)n, "replace");
  if (text) PyErr_SetObject(type, text);
  Py_DecRef(text);
}

// The exception that is set gets what the call kept as its attribute `run`
static void keep_with_interrupt(PyObject *kept) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  PyErr_NormalizeException(&type, &error, &trace);
  if (error && PyObject_SetAttrString(error, "run", kept ? kept : Py_None) != 0) PyErr_Clear();
  PyErr_Restore(type, error, trace);
}

// After Ctrl-C during a call: Python's handler decides, as everywhere. Without an exception from it the call's own result or error stands.
// is_new: Python has not heard of it yet.
static PyObject *after_interrupt(PyObject *result, bool is_new) {
  PyObject *type, *error, *trace;
  PyErr_Fetch(&type, &error, &trace);
  if (is_new) PyErr_SetInterrupt();
  if (PyErr_CheckSignals() == 0) {
    PyErr_Restore(type, error, trace);
    return result;
  }
  Py_DecRef(type), Py_DecRef(error), Py_DecRef(trace);
  keep_with_interrupt(result);
  Py_DecRef(result);
  return NULL;
}

static void raise_error(int base) {
  if (lua_touserdata(L, -1) == (void *)&python_failed && PyErr_Occurred()) return;
  size_t n;
  const char *message = luaL_tolstring(L, -1, &n);
  if (ends) PyErr_Clear();             // raised with what the call kept
  else if (pending[0] && strstr(message, failure_words)) raise_pending();
  else raise_message(error_type, message, n);
  lua_settop(L, base);
}

// Runs f(request) in protected mode; its results as Python objects
static PyObject *protected(lua_CFunction f, request *r) {
  if (!enter()) return NULL;
  int base = lua_gettop(L), interrupts = 0;
  if (depth == 1 && r->frees_gil) hml_bind__begin_block(L);
  bool is_armed = r->frees_gil && depth == 1 && PyThread_get_thread_ident() == main_thread && arm();
  PyObject *result = NULL;
  held mine;
  begin_holding(&mine);
  if (lua_checkstack(L, 4)) {
    lua_pushcfunction(L, f);
    lua_pushlightuserdata(L, r);
    int status = lua_pcall(L, 1, LUA_MULTRET, 0);
    if (is_armed) interrupts = disarm();
    if (status == LUA_OK) result = take_all(L, base + 1);
    else raise_error(base);
    if (ends) {
      PyErr_Clear();
      raise_pending();
      keep_with_interrupt(result);
      Py_DecRef(result);
      result = NULL;
    }
    drop_pending();
  } else PyErr_SetString(PyExc_RecursionError, "calls of Hamel are nested too deep");
  lua_settop(L, base);
  end_holding(&mine);
  leave();
  return interrupts > 0 ? after_interrupt(result, interrupts > served) : result;
}

// ---- the type of all Lua values that are no Python values

// Arrays work entry by entry, which is theirs to do
static bool is_array(PyObject *o) {
  return !PyObject_TypeCheck(o, object_type) && !PyLong_Check(o) && !PyFloat_Check(o) && PyObject_HasAttrString(o, "__array_ufunc__");
}

static const char *const arithmetic_names[] = {[LUA_OPADD] = "add", [LUA_OPSUB] = "sub", [LUA_OPMUL] = "mul", [LUA_OPDIV] = "truediv",
                                               [LUA_OPPOW] = "pow", [LUA_OPUNM] = "neg"};
static const char *const comparison_names[] = {[LUA_OPEQ] = "eq", [LUA_OPLT] = "lt", [LUA_OPLE] = "le"};

// The result, or that of NumPy where an operand is a list of numbers
static PyObject *of_lists(PyObject *result, const request *r, const char *name) {
  if (!result || !r->is_list) return result;
  Py_DecRef(result);
  return PyObject_CallFunction(work_on_lists, r->arguments ? "sOO" : "sO", name, r->self, r->arguments);
}

static PyObject *arithmetic(PyObject *a, PyObject *b, int op) {
  if (b && is_array(b)) {
    Py_IncRef(Py_NotImplemented);
    return Py_NotImplemented;
  }
  request r = {.self = a, .arguments = b, .op = op};
  return of_lists(protected(do_arithmetic, &r), &r, arithmetic_names[op]);
}
static PyObject *add(PyObject *a, PyObject *b) { return arithmetic(a, b, LUA_OPADD); }
static PyObject *subtract(PyObject *a, PyObject *b) { return arithmetic(a, b, LUA_OPSUB); }
static PyObject *multiply(PyObject *a, PyObject *b) { return arithmetic(a, b, LUA_OPMUL); }
static PyObject *divide(PyObject *a, PyObject *b) { return arithmetic(a, b, LUA_OPDIV); }
static PyObject *negate(PyObject *a) { return arithmetic(a, NULL, LUA_OPUNM); }
static PyObject *plus(PyObject *a) {
  Py_IncRef(a);
  return a;
}
static PyObject *power(PyObject *a, PyObject *b, PyObject *modulus) {
  if (modulus == Py_None) return arithmetic(a, b, LUA_OPPOW);
  PyErr_SetString(PyExc_TypeError, "a power has no modulus");
  return NULL;
}
static PyObject *no_power(PyObject *a, PyObject *b) {
  (void)a, (void)b;
  PyErr_SetString(PyExc_TypeError, "^ is not the power in Python: write x**2");
  return NULL;
}

// -1: an exception is set
static int is_series(PyObject *o) {
  if (!enter()) return -1;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((object *)o)->ref);
  int yes = is_number_list(L, -1);
  lua_pop(L, 1);
  leave();
  return yes;
}

// a == b where b is no value of Lua: entry by entry for a list of numbers, else Python's own
static PyObject *equals_python(PyObject *a, PyObject *b, const char *name) {
  int series = is_series(a);
  if (series < 0) return NULL;
  if (series) return PyObject_CallFunction(work_on_lists, "sOO", name, a, b);
  Py_IncRef(Py_NotImplemented);
  return Py_NotImplemented;
}

static PyObject *compare(PyObject *a, PyObject *b, int op) {
  static const int lua[] = {[Py_LT] = LUA_OPLT, [Py_LE] = LUA_OPLE, [Py_EQ] = LUA_OPEQ, [Py_NE] = LUA_OPEQ, [Py_GT] = LUA_OPLT, [Py_GE] = LUA_OPLE};
  bool turned = op == Py_GT || op == Py_GE;
  if ((op == Py_EQ || op == Py_NE) && !PyObject_TypeCheck(b, object_type)) return equals_python(a, b, op == Py_EQ ? "eq" : "ne");
  request r = {.self = turned ? b : a, .arguments = turned ? a : b, .op = lua[op]};
  PyObject *answer = of_lists(protected(do_compare, &r), &r, op == Py_NE ? "ne" : comparison_names[lua[op]]);
  if (!answer || op != Py_NE || r.is_list) return answer;
  PyObject *other = answer == Py_True ? Py_False : Py_True;
  Py_DecRef(answer);
  Py_IncRef(other);
  return other;
}

static PyObject *text(PyObject *o) { return protected(do_text, &(request){.self = o}); }

static Py_hash_t hash(PyObject *o) {
  PyObject *s = text(o);
  if (!s) return -1;
  Py_hash_t value = PyObject_Hash(s);
  Py_DecRef(s);
  return value;
}

// -1: an exception is set
static int is_function(PyObject *o) {
  if (!PyObject_TypeCheck(o, object_type)) return 0;
  if (!enter()) return -1;
  int yes = lua_rawgeti(L, LUA_REGISTRYINDEX, ((object *)o)->ref) == LUA_TFUNCTION;
  lua_pop(L, 1);
  leave();
  return yes;
}

static PyObject *attribute(PyObject *o, PyObject *name) {
  Py_ssize_t n;
  const char *s = PyUnicode_AsUTF8AndSize(name, &n);
  if (!s) return NULL;
  if (s[0] == '_' || (own_names && PySet_Contains(own_names, name) == 1)) return PyObject_GenericGetAttr(o, name);
  PyObject *lua_name = NULL;
  if (n > 1 && s[n - 1] == '_') lua_name = PyUnicode_FromStringAndSize(s, n - 1);   // lambda_ for lambda
  PyObject *value = protected(do_index, &(request){.self = o, .arguments = lua_name ? lua_name : name});
  Py_DecRef(lua_name);
  if (!value) {
    if (PyErr_ExceptionMatches(error_type)) {
      PyObject *type, *error, *trace;
      PyErr_Fetch(&type, &error, &trace);
      PyObject *words = error ? PyObject_Str(error) : NULL;
      PyErr_SetObject(PyExc_AttributeError, words ? words : name);
      Py_DecRef(words), Py_DecRef(type), Py_DecRef(error), Py_DecRef(trace);
    }
    return NULL;
  }
  if (value == Py_None) {
    Py_DecRef(value);
    return PyErr_Format(PyExc_AttributeError, "there is no '%s' here", s);
  }
  int callable = is_function(value);
  if (callable == 0) return value;
  // a function found in an object has the object for its first argument
  PyObject *method = callable > 0 ? PyObject_CallFunction(bind_method, "OOO", ((object *)o)->library ? Py_None : o, value, name) : NULL;
  Py_DecRef(value);
  return method;
}

static int set_attribute(PyObject *o, PyObject *name, PyObject *value) {
  const char *s = PyUnicode_AsUTF8AndSize(name, NULL);
  if (!s) return -1;
  if (s[0] == '_') return PyObject_GenericSetAttr(o, name, value);
  PyObject *done = protected(do_assign, &(request){.self = o, .arguments = name, .options = value ? value : Py_None});
  Py_DecRef(done);
  return done ? 0 : -1;
}

static PyObject *call(PyObject *o, PyObject *arguments, PyObject *options) {
  return protected(do_call, &(request){.self = o, .arguments = arguments, .options = options, .frees_gil = true});
}

static Py_ssize_t length(PyObject *o) {
  PyObject *n = protected(do_length, &(request){.self = o});
  if (!n) return -1;
  Py_ssize_t value = PyLong_AsSsize_t(n);
  Py_DecRef(n);
  return value;
}

static void finish(PyObject *o) {
  PyTypeObject *type = Py_TYPE(o);
  give_up(((object *)o)->ref);
  freefunc release = (freefunc)PyType_GetSlot(type, Py_tp_free);
  release(o);
  Py_DecRef((PyObject *)type);
}

static PyObject *index_of(PyObject *self, PyObject *key) { return protected(do_index, &(request){.self = self, .arguments = key}); }

static PyMethodDef object_methods[] = {
  {"_index", index_of, METH_O, "The value at a key of Lua: lists count from 1."},
  {NULL, NULL, 0, NULL},
};

static PyType_Slot object_slots[] = {
  {Py_tp_dealloc, finish}, {Py_nb_add, add}, {Py_nb_subtract, subtract}, {Py_nb_multiply, multiply}, {Py_nb_true_divide, divide}, {Py_nb_power, power},
  {Py_nb_negative, negate}, {Py_nb_positive, plus}, {Py_nb_xor, no_power}, {Py_tp_richcompare, compare}, {Py_tp_hash, hash}, {Py_tp_getattro, attribute},
  {Py_tp_setattro, set_attribute}, {Py_tp_call, call}, {Py_tp_str, text}, {Py_tp_repr, text}, {Py_mp_length, length}, {Py_tp_methods, object_methods}, {0, NULL},
};
static PyType_Spec object_spec = {"hamel._core.Object", sizeof(object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE, object_slots};

// ---- functions of the module

static int do_run(lua_State *S) {
  request *r = lua_touserdata(S, 1);
  lua_settop(S, 0);
  push(S, r->self, 0);
  size_t n;
  const char *s = lua_tolstring(S, -1, &n);
  if (luaL_loadbufferx(S, s, n, "=Lua", "t") != LUA_OK) return lua_error(S);
  PyThreadState *saved = PyEval_SaveThread();
  int status = lua_pcall(S, 0, LUA_MULTRET, 0);
  PyEval_RestoreThread(saved);
  lua_remove(S, 1);
  return status == LUA_OK ? lua_gettop(S) : lua_error(S);
}

static PyObject *run(PyObject *module, PyObject *o) {
  (void)module;
  return protected(do_run, &(request){.self = o, .frees_gil = true});
}

// The numbers of a list as doubles in a bytearray; None where an entry is no number
static PyObject *numbers(PyObject *module, PyObject *o) {
  (void)module;
  if (!PyObject_TypeCheck(o, object_type)) {
    PyErr_SetString(PyExc_TypeError, "numbers takes a list of Hamel");
    return NULL;
  }
  if (!enter()) return NULL;
  PyObject *bytes = NULL;
  bool all = lua_rawgeti(L, LUA_REGISTRYINDEX, ((object *)o)->ref) == LUA_TTABLE;
  size_t n = all ? lua_rawlen(L, -1) : 0;
  bytes = all ? PyByteArray_FromStringAndSize(NULL, (Py_ssize_t)(n * sizeof(double))) : NULL;
  char *to = bytes ? PyByteArray_AsString(bytes) : NULL;
  for (size_t i = 0; to && all && i < n; i++) {
    all = lua_rawgeti(L, -1, (lua_Integer)i + 1) == LUA_TNUMBER;
    double value = lua_tonumber(L, -1);
    memcpy(to + i * sizeof value, &value, sizeof value);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  leave();
  if (all) return bytes;
  Py_DecRef(bytes);
  Py_IncRef(Py_None);
  return Py_None;
}

// A block of the core as (bytes of doubles, rows, columns), or None
static PyObject *block(PyObject *module, PyObject *o) {
  (void)module;
  if (!PyObject_TypeCheck(o, object_type) || !enter()) return PyErr_Occurred() ? NULL : Py_BuildValue("");
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((object *)o)->ref);
  size_t rows = 0, columns = 0;
  const double *values = hml_bind__block(L, -1, &rows, &columns);
  PyObject *bytes = values ? PyByteArray_FromStringAndSize((const char *)values, (Py_ssize_t)(rows * columns * sizeof *values)) : NULL;
  lua_pop(L, 1);
  leave();
  if (values) return bytes ? Py_BuildValue("(Nnn)", bytes, (Py_ssize_t)rows, (Py_ssize_t)columns) : NULL;
  return Py_BuildValue("");
}

// Sets the class of results and the names that it defines itself, the classes of errors and verdicts, the functions that make methods, convert
// values and work on lists of numbers, and the table of Lua functions that the extension calls
static PyObject *use(PyObject *module, PyObject *arguments) {
  (void)module;
  PyObject *type, *names, *error, *verdict, *method, *conversion, *lists, *support;
  if (!PyArg_ParseTuple(arguments, "OOOOOOOO", &type, &names, &error, &verdict, &method, &conversion, &lists, &support)) return NULL;
  Py_IncRef(type), Py_IncRef(names), Py_IncRef(error), Py_IncRef(verdict), Py_IncRef(method), Py_IncRef(conversion), Py_IncRef(lists);
  made_type = type, own_names = names, error_type = error, verdict_type = verdict, bind_method = method, convert = conversion, work_on_lists = lists;
  if (!enter()) return NULL;
  lua_rawgeti(L, LUA_REGISTRYINDEX, ((object *)support)->ref);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &support_key);
  leave();
  Py_IncRef(Py_None);
  return Py_None;
}

static PyObject *as_library(PyObject *module, PyObject *o) {
  (void)module;
  ((object *)o)->library = true;
  Py_IncRef(o);
  return o;
}

static PyMethodDef functions[] = {
  {"run", run, METH_O, "Runs Lua text and returns its results."},
  {"numbers", numbers, METH_O, "A list of numbers as the bytes of doubles, or None."},
  {"block", block, METH_O, "A block of doubles of the core as (bytes, rows, columns), or None."},
  {"use", use, METH_VARARGS, "For the package: the classes that results and errors have."},
  {"as_library", as_library, METH_O, "For the package: the functions of this table are called without it."},
  {NULL, NULL, 0, NULL},
};
static PyModuleDef module_definition = {PyModuleDef_HEAD_INIT, "hamel._core", "Hamel's library in a Lua state of its own.", -1, functions, NULL, NULL, NULL, NULL};

// Where the library's Lua files are: beside this extension
static bool open_lua(const char *folder) {
  L = luaL_newstate();
  if (!L) return false;
  luaL_openlibs(L);
  lua_getglobal(L, "package");
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua", folder, folder);
  lua_setfield(L, -2, "path");
  lua_pushliteral(L, "");
  lua_setfield(L, -2, "cpath");
  hml_modules__use(L, lua_pushfstring(L, "%s/../modules.luac", folder));
  lua_pop(L, 1);
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_hamel_core);
  lua_setfield(L, -2, "hamel.core");
  luaL_newmetatable(L, callable_name);
  lua_pushcfunction(L, finish_callable);
  lua_setfield(L, -2, "__gc");
  lua_settop(L, 0);
  hml_interrupt__track(L);
  return true;
}

static PyObject *start(PyObject *module, PyObject *arguments) {
  (void)module;
  PyObject *folder;
  unsigned long thread;
  if (!PyArg_ParseTuple(arguments, "Ok", &folder, &thread)) return NULL;
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError, "Hamel has one state in a process, which belongs to the main interpreter: import it there");
    return NULL;
  }
  if (L) {
    Py_IncRef(Py_None);
    return Py_None;
  }
  main_thread = thread;
  PyObject *bytes = PyUnicode_AsUTF8String(folder);
  const char *s = bytes ? PyBytes_AsString(bytes) : NULL;
  bool fine = s && open_lua(s);
  Py_DecRef(bytes);
  if (!fine) return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  Py_IncRef(Py_None);
  return Py_None;
}

static PyMethodDef start_method = {"start", start, METH_VARARGS, "For the package: opens the state with the library's folder; the thread that gets signals."};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void) {
  make_lock();
  pthread_atfork(NULL, NULL, after_fork);
  PyObject *m = PyModule_Create(&module_definition);
  if (!m) return NULL;
  object_type = (PyTypeObject *)PyType_FromSpec(&object_spec);
  error_type = PyExc_RuntimeError;
  made_type = (PyObject *)object_type;
  PyObject *function = PyCFunction_New(&start_method, NULL);
  if (!object_type || !function || PyModule_AddObject(m, "Object", (PyObject *)object_type) < 0 || PyModule_AddObject(m, "start", function) < 0) return NULL;
  Py_IncRef((PyObject *)object_type);
  return m;
}
