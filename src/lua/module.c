// module.c: luaopen_hamel_core collects the tables of the binding files.
#include "bind.h"

__attribute__((visibility("default"))) int luaopen_hamel_core(lua_State *L);

int luaopen_hamel_core(lua_State *L) {
  luaL_checkversion(L);
  lua_newtable(L);
  hml_bind_expr(L);
  hml_bind_algebra(L);
  hml_bind_program(L);
  hml_bind_model(L);
  hml_bind_rows(L);
  hml_bind_run(L);
  hml_bind_series(L);
  hml_bind_hybrid(L);
  hml_bind_host(L);
  hml_bind_numeric(L);
  hml_bind_data(L);
  hml_bind_npz(L);
  hml_bind_mpi(L);
  hml_bind_sweep(L);
  hml_bind_discrete(L);
  hml_bind_residues(L);
  hml_bind_spawn(L);
  hml_bind_hold(L);
  hml_bind_files(L);
  return 1;
}
