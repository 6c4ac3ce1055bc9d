// module.c: luaopen_hamel_core collects the tables of the binding files.
#include "bind.h"
#include "modules.h"

#include <string.h>

__attribute__((visibility("default"))) int luaopen_hamel_core(lua_State *L);

// A module that require found as a file, its second argument, has the archive of the Lua files beside it
static void use_archive(lua_State *L) {
  static const char own[] = "core.so", archive[] = "modules.luac";
  size_t length;
  const char *file = lua_tolstring(L, 2, &length);
  if (!file || length < sizeof own - 1 || strcmp(file + length - (sizeof own - 1), own) != 0) return;
  lua_pushlstring(L, file, length - (sizeof own - 1));
  lua_pushstring(L, archive);
  lua_concat(L, 2);
  hml_modules__use(L, lua_tostring(L, -1));
  lua_pop(L, 1);
}

int luaopen_hamel_core(lua_State *L) {
  luaL_checkversion(L);
  use_archive(L);
  lua_newtable(L);
  hml_bind_expr(L);
  hml_bind_algebra(L);
  hml_bind_program(L);
  hml_bind_model(L);
  hml_bind_rows(L);
  hml_bind_run(L);
  hml_bind_series(L);
  hml_bind_balance(L);
  hml_bind_hybrid(L);
  hml_bind_host(L);
  hml_bind_numeric(L);
  hml_bind_data(L);
  hml_bind_holes(L);
  hml_bind_npz(L);
  hml_bind_mpi(L);
  hml_bind_sweep(L);
  hml_bind_discrete(L);
  hml_bind_residues(L);
  hml_bind_spawn(L);
  hml_bind_hold(L);
  hml_bind_files(L);
  hml_bind_balls(L);
  return 1;
}
