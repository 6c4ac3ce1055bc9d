// bind_data.c: measured data as functions.
#include "bind.h"

// data_new(name, kind, x, y) -> the number of the table
static int data_new(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const char *name = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  size_t n, m;
  const double *x = hml_bind__to_doubles(L, 3, &n), *y = hml_bind__to_doubles(L, 4, &m);
  if (n != m) return hml_bind__error(L, "data '%s': %d arguments but %d values", name, (int)n, (int)m);
  double id;
  hml_bind__check(L, c, hml_data_new(c, name, kind, n, x, y, &id));
  lua_pushnumber(L, id);
  return 1;
}

// data(id, expression)
static int data(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_data(c, luaL_checknumber(L, 1), hml_bind__to_expr(L, c, 2)));
}

// data_value(id, x, order) -> a number; nan outside of the points
static int data_value(lua_State *L) {
  lua_pushnumber(L, hml_tabled(luaL_checknumber(L, 1), luaL_checknumber(L, 2), (int)luaL_optinteger(L, 3, 0)));
  return 1;
}

void hml_bind_data(lua_State *L) {
  static const luaL_Reg functions[] = {{"data_new", data_new}, {"data", data}, {"data_value", data_value}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
