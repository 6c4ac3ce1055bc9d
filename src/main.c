// main.c: the executable: its command line and messages. What the prompt does with a line is Lua (lua/hamel/repl).
#include "lua/bind.h"
#include "lua/bind_host.h"
#include "lua/modules.h"
#ifdef HAMEL_JUPYTER
#include "jupyter/jupyter.h"
#endif
#include "prompt/prompt.h"

#include <lualib.h>

#include <gsl/gsl_version.h>
#include <limits.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

int luaopen_hamel_core(lua_State *L);

enum { DONE = 0, FAILED = 1, USAGE = 2, INTERRUPTED = 130 };

// ---- where our Lua files are: beside the build tree's binary, or below the prefix of an installed one

static bool is_folder(const char *path) {
  struct stat s;
  return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

typedef struct places {
  char lua[PATH_MAX], archive[PATH_MAX + 40];          // the folder of the Lua files; the same in compiled form
} places;

static bool find_places(places *p) {
  char self[PATH_MAX];
  ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
  if (n > 0) {
    self[n] = '\0';
    char *slash = strrchr(self, '/');
    if (slash) *slash = '\0';
    if (strcmp(self, HAMEL_BINARY_DIR) == 0) {
      snprintf(p->lua, sizeof p->lua, "%s", HAMEL_SOURCE_LUA);
      snprintf(p->archive, sizeof p->archive, "%s/lib/hamel/modules.luac", HAMEL_BINARY_DIR);
      return is_folder(p->lua);
    }
    size_t bindir = strlen(HAMEL_BINDIR), length = strlen(self);
    if (length > bindir && strcmp(self + length - bindir, HAMEL_BINDIR) == 0) {
      snprintf(p->lua, sizeof p->lua, "%.*s%s", (int)(length - bindir), self, HAMEL_LUA_DIR);
      snprintf(p->archive, sizeof p->archive, "%.*s%s/hamel/modules.luac", (int)(length - bindir), self, HAMEL_LUA_CDIR);
      return is_folder(p->lua);
    }
  }
  return false;
}

static void set_paths(lua_State *L, const places *p) {
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "path");
  const char *path = lua_tostring(L, -1);
  lua_pushfstring(L, "%s/?.lua;%s/?/init.lua;%s", p->lua, p->lua, path);
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
  hml_modules__use(L, p->archive);
}

// ---- messages

static const char library_key;

static bool of_library(const lua_Debug *ar, const char *library) { return library && strncmp(ar->source, library, strlen(library)) == 0; }

// The function of the library that the user's code called last, "" where there is none
static void running_call(lua_State *L, const char *library, char name[64]) {
  lua_Debug ar;
  *name = '\0';
  for (int level = 1; lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "Sln", &ar);
    if (of_library(&ar, library)) snprintf(name, 64, "%s", ar.name ? ar.name : "");
    else if (ar.currentline >= 0) return;
  }
}

// "interrupted" alone says what was running; calls that keep their part have a sentence of their own
static void add_message(lua_State *L, luaL_Buffer *b, const char *message, const char *library) {
  static const char interrupted[] = "interrupted";
  size_t length = strlen(message), own = sizeof interrupted - 1;
  char name[64];
  luaL_addstring(b, message);
  if (length < own || strcmp(message + length - own, interrupted) != 0) return;
  running_call(L, library, name);
  if (!*name) return;
  char words[120];
  snprintf(words, sizeof words, ": '%s' was running; nothing of it is kept", name);
  luaL_addstring(b, words);
}

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
  add_message(L, &b, message, library);
  lua_Debug ar;
  int shown = 0;
  for (int level = 1; lua_getstack(L, level, &ar) && shown < 22; level++) {
    lua_getinfo(L, "Slnt", &ar);
    bool ours = of_library(&ar, library);
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

// Warnings, each text once: off until "@on" (-W, the prompt)
enum { MOST_SEEN = 200 };

typedef struct warnings {
  bool on;
  char text[1000];
  size_t length, n_seen;
  uint64_t seen[MOST_SEEN];            // hashes of texts
} warnings;

static bool is_new(warnings *w) {
  uint64_t hash = UINT64_C(14695981039346656037);
  for (size_t i = 0; i < w->length; i++) hash = (hash ^ (unsigned char)w->text[i]) * UINT64_C(1099511628211);
  for (size_t i = 0; i < w->n_seen; i++)
    if (w->seen[i] == hash) return false;
  if (w->n_seen < MOST_SEEN) w->seen[w->n_seen++] = hash;
  return true;
}

static void warn(void *payload, const char *piece, int continued) {
  warnings *w = payload;
  bool control = !continued && w->length == 0 && piece[0] == '@';
  if (control) {
    if (strcmp(piece, "@on") == 0) w->on = true;
    if (strcmp(piece, "@off") == 0) w->on = false;
    return;
  }
  size_t room = sizeof w->text - 1 - w->length, n = strlen(piece) < room ? strlen(piece) : room;
  memcpy(w->text + w->length, piece, n);
  w->length += n;
  if (continued) return;
  w->text[w->length] = '\0';
  if (w->on && is_new(w)) {
    fflush(stdout);
    fprintf(stderr, "warning: %s\n", w->text);
  }
  w->length = 0;
}

static int with_hint(lua_State *L) {
  lua_getglobal(L, "require");
  lua_pushliteral(L, "hamel");           // the names of the library are looked at
  lua_call(L, 1, 0);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "hamel.book.hints");
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "complete");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  return 1;
}

// Prints the message on top of the stack, with the hint that the library has on it, and removes it
static int complain(lua_State *L) {
  int top = lua_gettop(L);
  fflush(stdout);
  if (lua_isstring(L, top)) {
    lua_pushcfunction(L, with_hint);
    lua_pushvalue(L, top);
    if (lua_pcall(L, 1, 1, 0) != LUA_OK || !lua_isstring(L, -1)) lua_settop(L, top);
  }
  const char *message = lua_tostring(L, -1);
  fprintf(stderr, "hamel: %s\n", message ? message : "an error without a message");
  lua_settop(L, top - 1);
  return FAILED;
}

// Calls the function below n arguments with interrupts armed; the message is printed when it fails
static int guarded(lua_State *L, int n) {
  int base = lua_gettop(L) - n;
  lua_pushcfunction(L, with_traceback);
  lua_insert(L, base);
  hml_interrupt__arm(L);
  int status = lua_pcall(L, n, 0, base);
  bool pends = hml_bind__raise_pends(L);         // the interrupted statement was the last one
  int times = hml_interrupt__disarm(L);
  lua_remove(L, base);
  if (status == LUA_OK && pends) fputs("hamel: interrupted\n", stderr);
  if (status == LUA_OK) return pends ? INTERRUPTED : DONE;
  complain(L);
  return times > 0 ? INTERRUPTED : FAILED;
}

static int run_text(lua_State *L, const char *text, size_t length, const char *name) {
  return luaL_loadbufferx(L, text, length, name, "t") == LUA_OK ? guarded(L, 0) : complain(L);
}

// The message handler of a block at the prompt; upvalues: the block's function, a table. What the block has assigned to its local variables goes
// into the table when it is interrupted
static int with_locals_kept(lua_State *L) {
  lua_settop(L, 1);
  lua_Debug ar;
  bool found = false;
  for (int level = 1; *hml_bind__interrupt_flag() && !found && lua_getstack(L, level, &ar); level++) {
    lua_getinfo(L, "f", &ar);
    found = lua_rawequal(L, -1, lua_upvalueindex(1));
    lua_pop(L, 1);
  }
  const char *name;
  for (int i = 1; found && (name = lua_getlocal(L, &ar, i)) != NULL; i++) {
    lua_pushstring(L, name);
    lua_insert(L, -2);
    if (*name == '(') lua_pop(L, 2);
    else lua_rawset(L, lua_upvalueindex(2));
  }
  return with_traceback(L);
}

// call(f, names) -> true, results... or false, message with traceback, interrupted: user code, with interrupts armed
static int editor_call(lua_State *L) {
  luaL_checktype(L, 1, LUA_TFUNCTION);
  lua_settop(L, 2);
  if (lua_istable(L, 2)) {
    lua_pushvalue(L, 1);
    lua_insert(L, 2);
    lua_pushcclosure(L, with_locals_kept, 2);
  } else {
    lua_settop(L, 1);
    lua_pushcfunction(L, with_traceback);
  }
  lua_insert(L, 1);
  hml_interrupt__arm(L);
  int status = lua_pcall(L, 0, LUA_MULTRET, 1);
  int times = hml_interrupt__disarm(L);
  lua_pushboolean(L, status == LUA_OK);
  lua_replace(L, 1);
  if (status != LUA_OK) lua_pushboolean(L, times > 0);
  return lua_gettop(L);
}

static int run_prompt(lua_State *L) {
  lua_warning(L, "@on", 0);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "hamel.repl.loop");
  if (lua_pcall(L, 1, 1, 0) == LUA_OK) {
    hml_editor__push(L);
    lua_pushcfunction(L, editor_call);
    lua_setfield(L, -2, "call");
    if (lua_pcall(L, 1, 0, 0) == LUA_OK) return DONE;
  }
  return complain(L);
}

// ---- the command line

static const char help[] =
    "usage: hamel [options] [script [arguments] | -]\n"
    "       hamel report script.lua [-o page.html] [arguments]     what a script or a notebook (.ipynb) shows, as one page (.html, .pdf, .tex);\n"
    "                                                              -o a.ipynb makes a notebook of a script, -o a.lua a script of a notebook\n"
    "       hamel reproduce [name | script.lua ...] [--html FOLDER]   scripts of papers and classical problems: a table of verdicts, or a site;\n"
    "                                                              --list prints their names\n"
    "       hamel new paper NAME                                   the beginning of such a script, in the current folder\n"
    "       hamel merge part.jsonl ... -o all.csv                  parts of a sweep (--shard i/n --out part.jsonl)\n"
    "       hamel submit script.lua --hours 1                      the same as jobs of Slurm: an array of parts, then the merge\n"
    "       hamel verify [--long] orbit.cert ...                   proves certificates of orbits and equilibria again (p:save)\n"
    "       hamel help [WORD]                                      the overview of help, or the page on a word\n"
    "       hamel manual [-o manual.html | -o site/]              the manual as one HTML page, or as a site with search\n"
    "       hamel luacats [-o hamel.lua]                           annotations for lua-language-server\n"
    "       hamel jupyter install | uninstall | kernel FILE        a kernel for notebooks (JupyterLab, nbconvert)\n"
    "  script      run a Lua script; - reads it from standard input; without one: the prompt\n"
    "  -e CODE     run CODE (hm is the library)        -l MOD   require MOD as a global\n"
    "  -i          prompt after the script             -E       ignore LUA_INIT and the start-up file\n"
    "  -W          turn warnings on                    -v, --version   show versions\n"
    "  -h, --help  show this text                      --       end of options\n"
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
    if (strcmp(o, "--help") == 0 || strcmp(o, "-h") == 0) return fputs(help, stdout), DONE;
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

static bool ends_in(const char *text, const char *ending) {
  size_t n = strlen(text), m = strlen(ending);
  return n > m && strcmp(text + n - m, ending) == 0;
}

// The sweeps of a script read --shard i/n and --out part.jsonl behind it (lua/hamel/analysis/shards.lua): the name without the dashes, or NULL for a word of
// the script's own
static const char *for_sweeps(int argc, char **argv, int i) {
  if (i + 1 >= argc) return NULL;
  if (strcmp(argv[i], "--shard") == 0) return "shard";
  return strcmp(argv[i], "--out") == 0 && ends_in(argv[i + 1], ".jsonl") ? "out" : NULL;
}

// arg, with the script's own words from 1; arg.shard and arg.out are those of sweeps
static void make_arg(lua_State *L, int argc, char **argv, int script) {
  if (script >= argc) script = 0;
  lua_createtable(L, argc - script, script + 1);
  for (int i = 0, place = -script; i < argc; i++) {
    const char *name = script > 0 && i > script ? for_sweeps(argc, argv, i) : NULL;
    lua_pushstring(L, argv[name ? ++i : i]);
    if (name) lua_setfield(L, -2, name);
    else lua_rawseti(L, -2, place++);
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

// help, apropos, examples and show print in scripts; the library is read when one of them is called
static int give_help(lua_State *L) {
  static const char text[] =
      "for _, name in ipairs{'help', 'apropos', 'examples', 'show'} do\n"
      "  _G[name] = _G[name] or function(...)\n"
      "    require 'hamel'\n"
      "    local value = require('hamel.book.help')[name](...)\n"
      "    print(value)\n"
      "    return value\n"
      "  end\n"
      "end";
  return run_text(L, text, sizeof text - 1, "=help");
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

// A script whose tables of hm.paper have failed lines has failed, whether it ends with os.exit(P:finish()) or not
static int verdicts(lua_State *L) {
  lua_getfield(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, -1, "hamel.show.paper") != LUA_TTABLE) return lua_pop(L, 2), DONE;
  lua_getfield(L, -1, "failures");
  if (lua_pcall(L, 0, 1, 0) != LUA_OK) return complain(L);
  if (lua_isstring(L, -1)) return complain(L);
  lua_pop(L, 3);
  return DONE;
}

static int run_script(lua_State *L, int argc, char **argv, int script) {
  const char *name = strcmp(argv[script], "-") == 0 ? NULL : argv[script];
  if (luaL_loadfilex(L, name, "t") != LUA_OK) return complain(L);
  luaL_checkstack(L, argc - script + 3, "too many arguments");
  int count = 0;
  for (int i = script + 1; i < argc; i++) {
    if (for_sweeps(argc, argv, i)) {
      i++;
    } else {
      lua_pushstring(L, argv[i]);
      count++;
    }
  }
  int status = guarded(L, count);
  return status == DONE ? verdicts(L) : status;
}

// A command of ours, unless a file of that name, no folder, is there: a Lua module whose command(arguments) returns whether it succeeded
static const char *command_module(const char *word) {
  static const struct { const char *word, *module; } commands[] = {{"report", "hamel.jupyter.report"}, {"reproduce", "hamel.book.reproduce"},
      {"new", "hamel.book.new"}, {"verify", "hamel.analysis.certificate"}, {"merge", "hamel.chart.merge"}, {"submit", "hamel.chart.submit"},
      {"help", "hamel.book.help"}, {"manual", "hamel.book.manual"}, {"luacats", "hamel.book.luacats"}, {"jupyter", "hamel.jupyter.command"}};
  struct stat there;
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(word, commands[i].word) == 0 && (stat(word, &there) != 0 || S_ISDIR(there.st_mode))) return commands[i].module;
  return NULL;
}

// The sockets of a kernel and the call of a cell, for hamel.jupyter; not there where the program is built without them
static void give_wire(lua_State *L) {
#ifdef HAMEL_JUPYTER
  hml_jupyter__push(L);
  lua_pushcfunction(L, editor_call);
  lua_setfield(L, -2, "call");
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.wire");
#else
  (void)L;
#endif
}

static int call_command(lua_State *L) {
  give_wire(L);
  lua_getglobal(L, "require");
  lua_pushliteral(L, "hamel");
  lua_call(L, 1, 0);
  lua_getglobal(L, "require");
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  lua_getfield(L, -1, "command");
  lua_pushvalue(L, 2);
  lua_call(L, 1, 1);
  lua_pushboolean(L, lua_toboolean(L, -1));
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.command");
  return 0;
}

static int run_command(lua_State *L, const char *module, int argc, char **argv, int script) {
  if (argc == script + 2 && (strcmp(argv[script + 1], "--help") == 0 || strcmp(argv[script + 1], "-h") == 0)) {
    fputs(help, stdout);
    return DONE;
  }
  lua_pushcfunction(L, call_command);
  lua_pushstring(L, module);
  lua_createtable(L, argc, 0);
  for (int i = script + 1; i < argc; i++) {
    lua_pushstring(L, argv[i]);
    lua_rawseti(L, -2, i - script);
  }
  int status = guarded(L, 2);
  if (status == FAILED) {
    lua_getfield(L, LUA_REGISTRYINDEX, "hamel.wrong_usage");     // object.wrong_usage
    if (lua_toboolean(L, -1)) status = USAGE;
    lua_pop(L, 1);
  }
  if (status != DONE) return status;
  lua_getfield(L, LUA_REGISTRYINDEX, "hamel.command");
  return lua_toboolean(L, -1) ? DONE : FAILED;
}

static int work(lua_State *L, int argc, char **argv, const arguments *a) {
  int status = DONE;
  if (a->warnings) lua_warning(L, "@on", 0);
  if (a->version) print_version();
  if (!a->no_environment) status = run_environment(L);
  if (status == DONE) status = give_help(L);
  if (status == DONE) status = run_options(L, argv, a->script);
  const char *module = a->script < argc ? command_module(argv[a->script]) : NULL;
  if (status == DONE && module) return run_command(L, module, argc, argv, a->script);
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

// Under mpirun only the first process prints
static void be_quiet(void) {
#ifdef HAMEL_MPI
  const char *const names[] = {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    const char *rank = getenv(names[i]);
    if (rank && atoi(rank) > 0 && !freopen("/dev/null", "w", stdout)) fputs("hamel: this process cannot be silenced\n", stderr);
    if (rank) return;
  }
#endif
}

// As Lua's own
static void *allocate(void *payload, void *block, size_t old_size, size_t size) {
  (void)payload;
  (void)old_size;
  if (size > 0) return realloc(block, size);
  free(block);
  return NULL;
}

// All that may lack memory, in protected mode
typedef struct start {
  int argc, status;
  char **argv;
  const arguments *a;
  const places *where;
  warnings heard;
} start;

static int protected_work(lua_State *L) {
  start *s = lua_touserdata(L, 1);
  lua_settop(L, 0);
  if (s->a->no_environment) {
    lua_pushboolean(L, 1);
    lua_setfield(L, LUA_REGISTRYINDEX, "LUA_NOENV");
  }
  luaL_openlibs(L);
  set_paths(L, s->where);
  lua_pushfstring(L, "@%s/hamel/", s->where->lua);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &library_key);
  hml_interrupt__track(L);
  hml_interrupt__install();
  lua_pushliteral(L, HAMEL_REVISION);
  lua_setfield(L, LUA_REGISTRYINDEX, "hamel.revision");
  make_arg(L, s->argc, s->argv, s->a->script);
  s->status = work(L, s->argc, s->argv, s->a);
  return 0;
}

int main(int argc, char **argv) {
  be_quiet();
  arguments a = {0};
  int status = read_arguments(argc, argv, &a);
  if (status >= 0) return status;
  places where;
  if (!find_places(&where)) {
    fprintf(stderr, "hamel: the Lua files are not found beside this program; install it again with cmake --install\n");
    return FAILED;
  }
  lua_State *L = lua_newstate(allocate, NULL);
  if (!L) {
    fprintf(stderr, "hamel: not enough memory\n");
    return FAILED;
  }
  start s = {.argc = argc, .argv = argv, .a = &a, .where = &where};
  lua_setwarnf(L, warn, &s.heard);
  lua_pushcfunction(L, protected_work);
  lua_pushlightuserdata(L, &s);
  status = lua_pcall(L, 1, 0, 0) == LUA_OK ? s.status : complain(L);
  lua_close(L);
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "hamel: cannot write to standard output\n");
    if (status == DONE) status = FAILED;
  }
  if (status == INTERRUPTED) hml_interrupt__end_by(SIGINT);     // as the shell expects, which then stops its own loop
  return status;
}
