// main.c: the executable: arguments, signals, the line editor. What the prompt does with a line is Lua (lua/hamel/repl).
#include "lua/bind.h"
#include "lua/bind_host.h"

#include <lualib.h>

#include <errno.h>
#include <fcntl.h>
#include <gsl/gsl_version.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#ifdef HAMEL_READLINE
#include <readline/history.h>
#include <readline/readline.h>
#endif

int luaopen_hamel_core(lua_State *L);

enum { DONE = 0, FAILED = 1, USAGE = 2, INTERRUPTED = 130 };

// ---- interrupts: the handler sets a flag and a hook, nothing else; see docs of lua_sethook

static lua_State *volatile running;              // the coroutine that runs now
static volatile sig_atomic_t armed, count;       // user code runs; Ctrl-C so often during this input

enum { EVERYTHING = LUA_MASKCALL | LUA_MASKRET | LUA_MASKLINE | LUA_MASKCOUNT };

// Raises once for the first Ctrl-C; from the second on the hook stays until the prompt, so that no pcall loop survives
static void stop(lua_State *L, lua_Debug *ar) {
  (void)ar;
  if (count < 2) lua_sethook(L, NULL, 0, 0);
  *hml_bind__interrupt_flag() = 0;
  lua_pushliteral(L, "interrupted");
  lua_error(L);
}

static void end_by(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void on_interrupt(int signal_number) {
  *hml_bind__interrupt_flag() = 1;
  count++;
  if (count >= 4) end_by(signal_number);
  if (armed && running) lua_sethook(running, stop, EVERYTHING, 1);
}

static void install_handler(void) {
  struct sigaction action = {.sa_handler = on_interrupt};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static void arm(lua_State *L) {
  count = 0;
  *hml_bind__interrupt_flag() = 0;
  running = L;
  armed = 1;
}

static int disarm(lua_State *L) {
  int times = count;
  armed = 0;
  lua_sethook(L, NULL, 0, 0);
  *hml_bind__interrupt_flag() = 0;
  count = 0;
  return times;
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
  if (co) lua_sethook(co, NULL, 0, 0);
  if (armed && count >= 2) lua_sethook(before, stop, EVERYTHING, 1);
  return lua_gettop(L);
}

// The function coroutine.wrap returns; upvalues: tracked resume, coroutine
static int wrapped_call(lua_State *L) {
  int n = lua_gettop(L);
  lua_pushvalue(L, lua_upvalueindex(1));
  lua_pushvalue(L, lua_upvalueindex(2));
  lua_rotate(L, 1, 2);
  lua_call(L, n + 1, LUA_MULTRET);
  if (lua_toboolean(L, 1)) {
    lua_remove(L, 1);
    return lua_gettop(L);
  }
  lua_State *co = lua_tothread(L, lua_upvalueindex(2));
  int status = lua_status(co);
  if (status != LUA_OK && status != LUA_YIELD) lua_resetthread(co);      // closes its pending variables
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

static void track_coroutines(lua_State *L) {
  lua_getglobal(L, "coroutine");
  lua_getfield(L, -1, "resume");
  lua_pushcclosure(L, tracked_resume, 1);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "resume");
  lua_pushcclosure(L, tracked_wrap, 1);
  lua_setfield(L, -2, "wrap");
  lua_pop(L, 1);
}

// ---- where our Lua files are: beside the build tree's binary, or below the prefix of an installed one

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool lua_folder(char *path, size_t size) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    if (strcmp(self, HAMEL_BINARY_DIR) == 0) {
      snprintf(path, size, "%s", HAMEL_SOURCE_LUA);
      return is_folder(path);
    }
    size_t bindir = strlen(HAMEL_BINDIR), length = strlen(self);
    if (length > bindir && strcmp(self + length - bindir, HAMEL_BINDIR) == 0) {
      snprintf(path, size, "%.*s%s", (int)(length - bindir), self, HAMEL_LUA_DIR);
      return is_folder(path);
    }
  }
  return false;
}

static void set_paths(lua_State *L, const char *folder) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  const char *path = lua_tostring(L, -1);
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", folder, folder, path);
  lua_setfield(L, -3, "path");
  lua_pop(L, 1);
  // a library in the current folder must not replace ours
  lua_getfield(L, -1, "cpath");
  luaL_gsub(L, lua_tostring(L, -1), ";./?.so", "");
  lua_setfield(L, -3, "cpath");
  lua_pop(L, 1);
  lua_getfield(L, -1, "preload");
  lua_pushcfunction(L, luaopen_hamel_core);
  lua_setfield(L, -2, "hamel.core");
  lua_pop(L, 2);
}

// ---- messages

static const char library_key;

// Message and traceback down to the library's border; whole with HAMEL_TRACE=1
static int with_traceback(lua_State *L) {
  const char *message = lua_tostring(L, 1);
  if (!message) {
    if (luaL_callmeta(L, 1, "__tostring") && lua_type(L, -1) == LUA_TSTRING) message = lua_tostring(L, -1);
    else message = lua_pushfstring(L, "(the error is a %s value)", luaL_typename(L, 1));
  }
  luaL_Buffer b;
  lua_rawgetp(L, LUA_REGISTRYINDEX, &library_key);
  const char *library = lua_tostring(L, -1), *whole = getenv("HAMEL_TRACE");
  bool all = whole && *whole && strcmp(whole, "0") != 0;
  luaL_buffinit(L, &b);
  luaL_addstring(&b, message);
  lua_Debug ar;
  int shown = 0;
  for (int level = 1; lua_getstack(L, level, &ar) && shown < 22; level++) {
    lua_getinfo(L, "Slnt", &ar);
    bool ours = library && strncmp(ar.source, library, strlen(library)) == 0;
    if (!all && (ours || ar.currentline < 0)) continue;
    char line[300];
    snprintf(line, sizeof line, "\n\t%s:%d: in %s%s%s", ar.short_src, ar.currentline,
             ar.name ? "function '" : *ar.what == 'm' ? "main chunk" : "a function", ar.name ? ar.name : "", ar.name ? "'" : "");
    // the first line of the trace repeats the place in the message when there is nothing between them
    luaL_addstring(&b, line);
    shown++;
  }
  luaL_pushresult(&b);
  return 1;
}

// Prints the message on top of the stack and removes it
static int complain(lua_State *L) {
  const char *message = lua_tostring(L, -1);
  fflush(stdout);
  fprintf(stderr, "hamel: %s\n", message ? message : "an error without a message");
  lua_pop(L, 1);
  return FAILED;
}

// Calls the function below n arguments with interrupts armed; the message is printed when it fails
static int guarded(lua_State *L, int n) {
  int base = lua_gettop(L) - n;
  lua_pushcfunction(L, with_traceback);
  lua_insert(L, base);
  arm(L);
  int status = lua_pcall(L, n, 0, base);
  int times = disarm(L);
  lua_remove(L, base);
  if (status == LUA_OK) return DONE;
  complain(L);
  return times > 0 ? INTERRUPTED : FAILED;
}

static int run_text(lua_State *L, const char *text, size_t length, const char *name) {
  return luaL_loadbufferx(L, text, length, name, "t") == LUA_OK ? guarded(L, 0) : complain(L);
}

// ---- the line editor for repl/loop.lua

static lua_State *editor_state;                  // while a line is read

#ifdef HAMEL_READLINE

#define KEPT_ENTRIES 10000

static volatile sig_atomic_t pending;            // a signal that came while a line is read

static void on_other_signal(int signal_number) {
  pending = signal_number;
}

// Signals whose default would leave the terminal as readline has set it: caught while a line is read
static void catch_others(bool reading) {
  static const int signals[] = {SIGTERM, SIGHUP, SIGTSTP};
  struct sigaction action = {.sa_handler = reading ? on_other_signal : SIG_DFL}, old;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++)
    if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(signals[i], &action, NULL);
}

// After a signal: Ctrl-C drops the line; the others act as by default, with the terminal given back before
static int after_signal(void) {
  if (pending) {
    rl_deprep_term_function();
    catch_others(false);
    raise(pending);
    // stopped by Ctrl-Z and continued
    pending = 0;
    catch_others(true);
    rl_prep_term_function(1);
    rl_forced_update_display();
  }
  if (!count) return 0;
  count = 0;
  *hml_bind__interrupt_flag() = 0;
  rl_crlf();
  rl_replace_line("", 0);
  rl_on_new_line();
  rl_redisplay();
  return 0;
}

// Asks Lua whether the text is a whole chunk; Return inserts a line break and the indentation if not
static bool incomplete(const char *text) {
  lua_State *L = editor_state;
  lua_getfield(L, 1, "incomplete");
  lua_pushstring(L, text);
  bool more = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return more;
}

static int return_key(int n, int key) {
  rl_point = rl_point < rl_end ? rl_point : rl_end;
  if (rl_point == rl_end && incomplete(rl_line_buffer)) {
    rl_insert_text("\n");
    const char *start = rl_line_buffer;
    for (const char *p = rl_line_buffer; p[0] && p[1]; p++)
      if (*p == '\n') start = p + 1;
    char indent[40];
    size_t spaces = strspn(start, " ");
    snprintf(indent, sizeof indent, "%*s", (int)(spaces < 30 ? spaces : 30), "");
    rl_insert_text(indent);
    return 0;
  }
  return rl_newline(n, key);
}

static char **complete(const char *text, int start, int end) {
  lua_State *L = editor_state;
  rl_attempted_completion_over = 1;
  rl_completion_append_character = '\0';
  int top = lua_gettop(L);
  lua_getfield(L, 1, "complete");
  lua_pushstring(L, text);
  lua_pushlstring(L, rl_line_buffer, (size_t)end);
  lua_pushinteger(L, start);
  char **matches = NULL;
  if (lua_pcall(L, 3, 1, 0) == LUA_OK && lua_istable(L, -1)) {
    size_t n = lua_rawlen(L, -1);
    // readline wants the common beginning first, then the candidates
    if (n > 0) matches = calloc(n + 2, sizeof *matches);
    for (size_t i = 0; matches && i < n; i++) {
      lua_rawgeti(L, top + 1, (lua_Integer)i + 1);
      const char *candidate = lua_tostring(L, -1);
      matches[n > 1 ? i + 1 : 0] = strdup(candidate ? candidate : "");
      lua_pop(L, 1);
    }
    if (matches && n > 1) {
      size_t common = strlen(matches[1]);
      for (size_t i = 2; i <= n; i++)
        for (size_t k = 0; k < common; k++)
          if (matches[i][k] != matches[1][k]) common = k;
      matches[0] = strndup(matches[1], common);
    }
  }
  lua_settop(L, top);
  return matches;
}

static void set_up_editor(void) {
  static bool done;
  if (done) return;
  done = true;
  rl_readline_name = "hamel";
  rl_catch_signals = 0;
  rl_signal_event_hook = after_signal;
  rl_attempted_completion_function = complete;
  rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{}()[]+-*/^%~#,";
  rl_completer_word_break_characters = rl_basic_word_break_characters;
  rl_bind_key('\n', return_key);
  rl_bind_key('\r', return_key);
  history_comment_char = '#';
  history_write_timestamps = 1;
  using_history();
  stifle_history(KEPT_ENTRIES);
}

// read(callbacks, prompt) -> text, or nil at the end of input
static int editor_read(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *prompt = luaL_checkstring(L, 2);
  set_up_editor();
  editor_state = L;
  count = 0;
  pending = 0;
  catch_others(true);
  char *text = readline(prompt);
  catch_others(false);
  editor_state = NULL;
  if (!text) return luaL_pushfail(L), 1;
  lua_pushstring(L, text);
  free(text);
  return 1;
}

// ---- history: a block is in the file as soon as it is entered; sessions that run side by side all append

// Every folder above the file, private to the user
static void make_folders(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *p = folder + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(folder, 0700);
      *p = '/';
    }
}

// The file, open for appending, private and locked; -1 if that cannot be. A lock that somebody keeps is not waited for
static int open_history(const char *path) {
  for (int tries = 0; tries < 100; tries++) {
    struct stat ours, there;
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || fstat(file, &ours) != 0) return file;
    bool free = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK || tries == 99;
    // another session may have replaced the file by a shorter one meanwhile
    if (free && stat(path, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
      if (S_ISREG(ours.st_mode)) fchmod(file, 0600);
      return file;
    }
    close(file);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return -1;
}

// remember(text, path): adds a block to the history, and to the file if there is a path -> true, or nil and a message
static int editor_remember(lua_State *L) {
  const char *text = luaL_checkstring(L, 1), *path = luaL_optstring(L, 2, NULL);
  const HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  bool again = last && strcmp(last->line, text) == 0;
  if (!again) add_history(text);
  lua_pushboolean(L, 1);
  if (again || !path) return 1;
  make_folders(path);
  size_t length;
  const char *entry = lua_pushfstring(L, "#%I\n%s\n", (LUAI_UACINT)time(NULL), text);
  lua_tolstring(L, -1, &length);
  int file = open_history(path);
  bool written = file >= 0 && write(file, entry, length) == (ssize_t)length;
  int problem = errno;
  if (file >= 0) close(file);
  return written ? (lua_settop(L, 3), 1) : luaL_fileresult(L, (errno = problem, 0), path);
}

// load_history(path): a file that has grown too long is rewritten
static int editor_load_history(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  set_up_editor();
  if (access(path, R_OK) != 0 || read_history(path) != 0 || history_base <= KEPT_ENTRIES / 10) return 0;
  clear_history();
  int file = open_history(path);
  if (file < 0) return 0;
  if (read_history(path) == 0 && write_history(path) == 0) chmod(path, 0600);
  close(file);
  return 0;
}

#else

static int editor_read(lua_State *L) {
  luaL_Buffer b;
  char line[4096];
  editor_state = L;
  fputs(luaL_checkstring(L, 2), stdout);
  luaL_buffinit(L, &b);
  bool some = false;
  for (;;) {
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) break;
    some = true;
    luaL_addstring(&b, line);
    if (strchr(line, '\n') == NULL) continue;
    luaL_pushresult(&b);
    lua_getfield(L, 1, "incomplete");
    lua_pushvalue(L, -2);
    bool more = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
    lua_pop(L, 1);
    if (!more) return 1;
    fputs(".. ", stdout);
    luaL_buffinit(L, &b);
    lua_pushvalue(L, -1);
    luaL_addvalue(&b);
  }
  luaL_pushresult(&b);
  if (!some) luaL_pushfail(L);
  return 1;
}

static int editor_nothing(lua_State *L) {
  lua_pushboolean(L, 1);
  return 1;
}
#define editor_remember editor_nothing
#define editor_load_history editor_nothing
#endif

// call(f) -> true, results... or false, message with traceback, interrupted: user code, with interrupts armed
static int editor_call(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 1);
  lua_pushcfunction(L, with_traceback);
  lua_insert(L, 1);
  arm(L);
  int status = lua_pcall(L, 0, LUA_MULTRET, 1);
  int times = disarm(L);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  if (status != LUA_OK) lua_pushboolean(L, times > 0);
  return lua_gettop(L);
}

static int run_prompt(lua_State *L) {
  static const luaL_Reg editor[] = {{"read", editor_read}, {"remember", editor_remember}, {"load_history", editor_load_history},
                                    {"call", editor_call}, {NULL, NULL}};
  lua_getglobal(L, "require");
  lua_pushliteral(L, "hamel.repl.loop");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    luaL_newlib(L, editor);
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) return DONE;
  }
  return complain(L);
}

// ---- the command line

static const char help[] =
    "usage: hamel [options] [script [arguments] | -]\n"
    "  script      run a Lua script; - reads it from standard input; without one: the prompt\n"
    "  -e CODE     run CODE (hm is the library)        -l MOD   require MOD as a global\n"
    "  -i          prompt after the script             -E       ignore LUA_INIT and the start-up file\n"
    "  -W          turn warnings on                    -v, --version   show versions\n"
    "  --help      show this text                      --       end of options\n"
    "Exit status: 0 done, 1 the script failed, 2 wrong usage; an interrupted script ends by the signal.\n";

static void print_version(void) {
  printf("hamel %s%s%s, Lua %s.%s.%s, GSL %s, %s %s\n", hml_version(), HAMEL_REVISION[0] ? " " : "", HAMEL_REVISION,
         LUA_VERSION_MAJOR, LUA_VERSION_MINOR, LUA_VERSION_RELEASE, GSL_VERSION,
#ifdef __clang__
         "clang", __clang_version__
#else
         "gcc", __VERSION__
#endif
  );
}

typedef struct arguments {
  int script;                          // index of the script, argc if there is none
  bool prompt, version, no_environment, warnings, something;
} arguments;

static int usage(const char *what, const char *argument) {
  fprintf(stderr, "hamel: %s '%s'\n%s", what, argument, help);
  return USAGE;
}

// First pass: checks; -1 to go on, an exit status else
static int read_arguments(int argc, char **argv, arguments *a) {
  int i = 1;
  for (; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
    const char *o = argv[i];
    if (strcmp(o, "--") == 0) {
      i++;
      break;
    }
    if (strcmp(o, "--help") == 0) return fputs(help, stdout), DONE;
    if (strcmp(o, "--version") == 0 || strcmp(o, "-v") == 0) a->version = a->something = true;
    else if (strcmp(o, "-i") == 0) a->prompt = true;
    else if (strcmp(o, "-E") == 0) a->no_environment = true;
    else if (strcmp(o, "-W") == 0) a->warnings = true;
    else if (o[1] == 'e' || o[1] == 'l') {
      if (!o[2] && ++i >= argc) return usage("an argument is missing after", o);
      if (o[1] == 'e') a->something = true;
    } else {
      return usage("unknown option", o);
    }
  }
  a->script = i;
  return -1;
}

static void make_arg(lua_State *L, int argc, char **argv, int script) {
  if (script >= argc) script = 0;
  lua_createtable(L, argc - script, script + 1);
  for (int i = 0; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  lua_setglobal(L, "arg");
}

static int require_global(lua_State *L, const char *module, const char *name) {
  lua_getglobal(L, "require");
  lua_pushstring(L, module);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) return complain(L);
  lua_setglobal(L, name);
  return DONE;
}

static int run_environment(lua_State *L) {
  const char *text = getenv("LUA_INIT_5_4");
  if (!text) text = getenv("LUA_INIT");
  if (!text) return DONE;
  if (text[0] != '@') return run_text(L, text, strlen(text), "=LUA_INIT");
  return luaL_loadfilex(L, text + 1, "t") == LUA_OK ? guarded(L, 0) : complain(L);
}

// -e and -l in order
static int run_options(lua_State *L, char **argv, int n) {
  for (int i = 1; i < n; i++) {
    char kind = argv[i][0] == '-' ? argv[i][1] : '\0';
    if ((kind != 'e' && kind != 'l') || strcmp(argv[i], "--") == 0) continue;
    const char *value = argv[i][2] ? argv[i] + 2 : argv[++i];
    int status = kind == 'l' ? require_global(L, value, value) : require_global(L, "hamel", "hm");
    if (status == DONE && kind == 'e') status = run_text(L, value, strlen(value), "=(command line)");
    if (status != DONE) return status;
  }
  return DONE;
}

static int run_script(lua_State *L, int argc, char **argv, int script) {
  const char *name = strcmp(argv[script], "-") == 0 ? NULL : argv[script];
  if (luaL_loadfilex(L, name, "t") != LUA_OK) return complain(L);
  luaL_checkstack(L, argc - script + 3, "too many arguments");
  for (int i = script + 1; i < argc; i++) lua_pushstring(L, argv[i]);
  return guarded(L, argc - script - 1);
}

static int work(lua_State *L, int argc, char **argv, const arguments *a) {
  int status = DONE;
  if (a->warnings) lua_warning(L, "@on", 0);
  if (a->version) print_version();
  if (!a->no_environment) status = run_environment(L);
  if (status == DONE) status = run_options(L, argv, a->script);
  if (status == DONE && a->script < argc) status = run_script(L, argc, argv, a->script);
  if (status != DONE && !a->prompt) return status;
  bool nothing = a->script >= argc && !a->something;
  if (nothing && !a->prompt && !isatty(STDIN_FILENO)) return run_script(L, 1, (char *[]){"-"}, 0);
  if (nothing || a->prompt) {
    lua_pushboolean(L, a->no_environment);
    lua_setfield(L, LUA_REGISTRYINDEX, "hamel.no_environment");
    return run_prompt(L);
  }
  return status;
}

int main(int argc, char **argv) {
  arguments a = {0};
  int status = read_arguments(argc, argv, &a);
  if (status >= 0) return status;
  char folder[PATH_MAX];
  if (!lua_folder(folder, sizeof folder)) {
    fprintf(stderr, "hamel: the Lua files are not found beside this program; install it again with cmake --install\n");
    return FAILED;
  }
  lua_State *L = luaL_newstate();
  if (!L) {
    fprintf(stderr, "hamel: out of memory\n");
    return FAILED;
  }
  if (a.no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  luaL_openlibs(L);
  set_paths(L, folder);
  lua_pushfstring(L, "@%s/hamel/", folder);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &library_key);
  track_coroutines(L);
  install_handler();
  make_arg(L, argc, argv, a.script);
  status = work(L, argc, argv, &a);
  lua_close(L);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "hamel: cannot write to standard output\n");
    if (status == DONE) status = FAILED;
  }
  if (status == INTERRUPTED) end_by(SIGINT);     // as the shell expects, which then stops its own loop
  return status;
}
