// test_modules.c: archives of compiled Lua modules: what require takes from them and when it takes the file's text.
#include "support.h"

#include "lua/modules.h"

#include <lauxlib.h>
#include <lualib.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH = 200, MOST = 4096 };

typedef struct fixture {
  char folder[64], archive[PATH];
  lua_State *L;
} fixture;

static const char text[] = "local name = ...\nreturn { word = 'text', where = function() return debug.getinfo(1, 'Sl') end, name = name }\n";

static void write_file(const fixture *f, const char *name, const char *bytes, size_t size) {
  char path[PATH];
  snprintf(path, sizeof path, "%s/%s", f->folder, name);
  FILE *file = fopen(path, "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes, 1, size, file), size);
  fclose(file);
}

static size_t read_archive(const fixture *f, char *bytes) {
  FILE *file = fopen(f->archive, "rb");
  assert_non_null(file);
  size_t n = fread(bytes, 1, MOST, file);
  fclose(file);
  assert_in_range(n, 1, MOST - 1);
  return n;
}

static void start_lua(fixture *f) {
  f->L = luaL_newstate();
  luaL_openlibs(f->L);
  lua_getglobal(f->L, "package");
  lua_pushfstring(f->L, "%s/?.lua;%s/?/init.lua", f->folder, f->folder);
  lua_setfield(f->L, -2, "path");
  lua_pop(f->L, 1);
}

static int set_up(void **state) {
  fixture *f = calloc(1, sizeof *f);
  strcpy(f->folder, "/tmp/hamel-modules-XXXXXX");
  assert_non_null(mkdtemp(f->folder));
  snprintf(f->archive, sizeof f->archive, "%s/modules.luac", f->folder);
  char folder[PATH];
  snprintf(folder, sizeof folder, "%s/hamel", f->folder);
  assert_int_equal(mkdir(folder, 0700), 0);
  write_file(f, "hamel/one.lua", text, sizeof text - 1);
  write_file(f, "hamel/init.lua", "return 'door'", 13);
  start_lua(f);
  char *files[] = {"hamel/one.lua", "hamel/init.lua"};
  assert_null(hml_modules__write(f->L, f->archive, f->folder, 2, files));
  *state = f;
  return 0;
}

static int tear_down(void **state) {
  fixture *f = *state;
  char command[PATH];
  lua_close(f->L);
  snprintf(command, sizeof command, "rm -r '%s'", f->folder);
  assert_int_equal(system(command), 0);
  free(f);
  return 0;
}

// The words of hamel.one in a new state that uses the archive
static void assert_word(fixture *f, const char *word) {
  lua_close(f->L);
  start_lua(f);
  hml_modules__use(f->L, f->archive);
  if (luaL_dostring(f->L, "return require('hamel.one').word") != LUA_OK) fail_msg("%s", lua_tostring(f->L, -1));
  assert_string_equal(lua_tostring(f->L, -1), word);
}

// Puts `to` for the last `from` of the archive, which is in the compiled form
static void change_compiled(fixture *f, const char *from, const char *to) {
  char bytes[MOST];
  size_t n = read_archive(f, bytes), length = strlen(from), last = n;
  for (size_t i = 0; i + length <= n; i++)
    if (memcmp(bytes + i, from, length) == 0) last = i;
  assert_true(last < n);
  memcpy(bytes + last, to, length);
  write_file(f, "modules.luac", bytes, n);
}

static void takes_the_compiled_form(void **state) {
  fixture *f = *state;
  change_compiled(f, "text", "code");
  assert_word(f, "code");
}

static void takes_the_text_when_it_has_changed(void **state) {
  fixture *f = *state;
  char changed[sizeof text];
  strcpy(changed, text);
  memcpy(strstr(changed, "'text'"), "'edit'", 6);
  change_compiled(f, "text", "code");
  write_file(f, "hamel/one.lua", changed, sizeof text - 1);
  assert_word(f, "edit");
}

static void takes_no_other_release(void **state) {
  fixture *f = *state;
  change_compiled(f, "text", "code");
  char bytes[MOST];
  size_t n = read_archive(f, bytes);
  bytes[strlen("Hamel modules 1\n") + 15] ^= 1;        // within lua_ident
  write_file(f, "modules.luac", bytes, n);
  assert_word(f, "text");
}

static void takes_the_text_from_any_broken_archive(void **state) {
  fixture *f = *state;
  char bytes[MOST];
  size_t n = read_archive(f, bytes);
  for (size_t cut = 0; cut < n; cut += 7) {
    write_file(f, "modules.luac", bytes, cut);
    assert_word(f, "text");
  }
  memset(bytes + n / 3, 0xff, 8);
  write_file(f, "modules.luac", bytes, n);
  assert_word(f, "text");
  remove(f->archive);
  assert_word(f, "text");
}

static void names_sources_and_lines_as_files_do(void **state) {
  fixture *f = *state;
  static const char program[] =
      "local one, path = require('hamel.one'), select(2, require('hamel.one'))\n"
      "local place = one.where()\n"
      "assert(place.source == '@' .. package.path:match('^[^?]*') .. 'hamel/one.lua', place.source)\n"
      "assert(place.currentline == 2 and one.name == 'hamel.one')\n"
      "assert(require 'hamel' == 'door')\n"
      "local found, message = pcall(require, 'hamel.two')\n"
      "assert(not found and message:find(\"module 'hamel.two' not found\", 1, true), message)\n";
  change_compiled(f, "text", "code");
  assert_word(f, "code");
  if (luaL_dostring(f->L, program) != LUA_OK) fail_msg("%s", lua_tostring(f->L, -1));
}

static void says_which_file_does_not_compile(void **state) {
  fixture *f = *state;
  char *files[] = {"hamel/one.lua"}, *missing[] = {"hamel/none.lua"};
  write_file(f, "hamel/one.lua", "return (", 8);
  assert_non_null(strstr(hml_modules__write(f->L, f->archive, f->folder, 1, files), "hamel/one.lua"));
  assert_non_null(strstr(hml_modules__write(f->L, f->archive, f->folder, 1, missing), "hamel/none.lua"));
  hml_modules__use(f->L, f->archive);
  assert_int_not_equal(luaL_dostring(f->L, "require 'hamel.one'"), LUA_OK);
  assert_non_null(strstr(lua_tostring(f->L, -1), "error loading module 'hamel.one' from file"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(takes_the_compiled_form, set_up, tear_down),
      cmocka_unit_test_setup_teardown(takes_the_text_when_it_has_changed, set_up, tear_down),
      cmocka_unit_test_setup_teardown(takes_no_other_release, set_up, tear_down),
      cmocka_unit_test_setup_teardown(takes_the_text_from_any_broken_archive, set_up, tear_down),
      cmocka_unit_test_setup_teardown(names_sources_and_lines_as_files_do, set_up, tear_down),
      cmocka_unit_test_setup_teardown(says_which_file_does_not_compile, set_up, tear_down),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
