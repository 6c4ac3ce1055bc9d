// bind_holes.c: is there a list with a hole among the tables that a user hands over? holes.lua says where. Tables with a metatable are objects.
#include "bind.h"

enum { DEEPEST = 6 };                  // tables in tables that are looked into: holes.lua

// The table at the top of the stack, at that depth
static bool has_hole(lua_State *L, int depth) {
  lua_Integer count = 0, last = 0;
  const int table = lua_gettop(L);
  bool found = false;
  for (lua_pushnil(L); lua_next(L, table); lua_pop(L, 1)) {
    const lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
    if (key > 0) count++;
    if (key > last) last = key;
    if (found || depth == DEEPEST || !lua_istable(L, -1)) continue;
    if (lua_getmetatable(L, -1)) lua_pop(L, 1);
    else found = has_hole(L, depth + 1);
  }
  return found || count < last;
}

// has_hole(...) -> is there one among the tables of the arguments?
static int any_has_hole(lua_State *L) {
  const int n = lua_gettop(L);
  bool found = false;
  luaL_checkstack(L, 4 * DEEPEST, "tables in tables");
  for (int i = 1; i <= n && !found; i++) {
    if (!lua_istable(L, i)) continue;
    if (lua_getmetatable(L, i)) {
      lua_pop(L, 1);
      continue;
    }
    lua_pushvalue(L, i);
    found = has_hole(L, 1);
    lua_pop(L, 1);
  }
  lua_pushboolean(L, found);
  return 1;
}

void hml_bind_holes(lua_State *L) {
  lua_pushcfunction(L, any_has_hole);
  lua_setfield(L, -2, "has_hole");
}
