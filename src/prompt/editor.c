// editor.c: reads one block for lua/hamel/repl/loop.lua: with readline, whole blocks are edited; without it, lines of standard input.
#include "prompt.h"

#include <errno.h>
#include <lauxlib.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef HAMEL_READLINE
#include <readline/readline.h>
#endif

static lua_State *editor_state;                  // while a line is read

// Asks Lua whether the text is a whole chunk
static bool incomplete(const char *text) {
  lua_State *L = editor_state;
  lua_getfield(L, 1, "incomplete");
  lua_pushstring(L, text);
  bool more = lua_pcall(L, 1, 1, 0) == LUA_OK && lua_toboolean(L, -1);
  lua_pop(L, 1);
  return more;
}

#ifdef HAMEL_READLINE

static volatile sig_atomic_t pending;            // a signal that came while a line is read

static void on_other_signal(int signal_number) {
  pending = signal_number;
}

// Signals whose default would leave the terminal as readline has set it
static const int others[] = {SIGTERM, SIGHUP, SIGTSTP};

// Catches them while a line is read
static void catch_others(bool reading) {
  struct sigaction action = {.sa_handler = reading ? on_other_signal : SIG_DFL}, old;
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (sigaction(others[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) sigaction(others[i], &action, NULL);
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
  if (!hml_interrupt__forget()) return 0;
  rl_crlf();
  rl_replace_line("", 0);
  rl_on_new_line();
  rl_redisplay();
  return 0;
}

// Waits for a key. A signal that came while the last key was handled interrupts no read, so the signals are held back from the look at what
// came until the wait begins
static void wait_for_key(int descriptor) {
  struct pollfd input = {.fd = descriptor, .events = POLLIN};
  sigset_t ours, before;
  sigemptyset(&ours);
  sigaddset(&ours, SIGINT);
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) sigaddset(&ours, others[i]);
  for (;;) {
    if (sigprocmask(SIG_BLOCK, &ours, &before) != 0) return;
    bool came = pending || hml_interrupt__came();
    bool ready = !came && ppoll(&input, 1, NULL, &before) >= 0;
    sigprocmask(SIG_SETMASK, &before, NULL);
    came = came || pending || hml_interrupt__came();
    if (came) after_signal();
    else if (ready || errno != EINTR) return;
    // a window that was resized, for one
    rl_check_signals();
  }
}

static bool at_end;                              // of the input: readline presses Return for the text that has no line break

static int read_key(FILE *input) {
  wait_for_key(fileno(input));
  int key = rl_getc(input);
  at_end = key == EOF;
  return key;
}

// Return inserts a line break and the indentation while the block is not whole
static int return_key(int n, int key) {
  rl_point = rl_point < rl_end ? rl_point : rl_end;
  if (!at_end && rl_point == rl_end && incomplete(rl_line_buffer)) {
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
  rl_getc_function = read_key;
  rl_signal_event_hook = after_signal;
  rl_attempted_completion_function = complete;
  rl_basic_word_break_characters = " \t\n\"'`@$><=;|&{}()[]+-*/^%~#,";
  rl_completer_word_break_characters = rl_basic_word_break_characters;
  // a question or a page would take the keys after Ctrl-C for its answer
  rl_completion_query_items = -1;
  rl_variable_bind("page-completions", "off");
  rl_bind_key('\n', return_key);
  rl_bind_key('\r', return_key);
}

// read(callbacks, prompt) -> text, or nil at the end of input
static int editor_read(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  const char *prompt = luaL_checkstring(L, 2);
  set_up_editor();
  editor_state = L;
  hml_interrupt__forget();
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

#else

static int editor_read(lua_State *L) {
  char line[4096];
  luaL_checktype(L, 1, LUA_TTABLE);
  editor_state = L;
  fputs(luaL_checkstring(L, 2), stdout);
  lua_pushliteral(L, "");
  for (;;) {
    fflush(stdout);
    if (!fgets(line, sizeof line, stdin)) {
      if (!ferror(stdin) || !hml_interrupt__forget()) break;
      // Ctrl-C discards the line
      clearerr(stdin);
      lua_settop(L, 2);
      lua_pushliteral(L, "");
      printf("\n%s", lua_tostring(L, 2));
      continue;
    }
    lua_pushstring(L, line);
    lua_concat(L, 2);
    if (strchr(line, '\n') == NULL) continue;
    if (!incomplete(lua_tostring(L, -1))) return 1;
    fputs(".. ", stdout);
  }
  if (lua_rawlen(L, -1) == 0) luaL_pushfail(L);
  return 1;
}

#endif

void hml_editor__push(lua_State *L) {
  static const luaL_Reg functions[] = {
      {"read", editor_read}, {"remember", hml_history__remember}, {"load_history", hml_history__load}, {NULL, NULL}};
  luaL_newlib(L, functions);
}
