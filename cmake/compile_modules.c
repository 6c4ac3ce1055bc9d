// compile_modules.c: a program of the build: compile_modules ARCHIVE FOLDER FILE... writes the archive of compiled Lua modules (src/lua/modules.h).
#include "lua/modules.h"

#include <lauxlib.h>
#include <stdio.h>

int main(int argc, char **argv) {
  lua_State *L = argc >= 3 ? luaL_newstate() : NULL;
  const char *problem = "not enough memory";
  if (argc < 3) problem = "usage: compile_modules ARCHIVE FOLDER FILE...";
  else if (L) problem = hml_modules__write(L, argv[1], argv[2], argc - 3, argv + 3);
  if (problem) fprintf(stderr, "compile_modules: %s\n", problem);
  if (L) lua_close(L);
  return problem != NULL;
}
