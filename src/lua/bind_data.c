// bind_data.c: measured data as functions.
#include "bind.h"

#include <math.h>

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

// A derivative of the cubic of one side at x, and the size of its terms
static double one_sided(const double piece[7], double x, int order, double *size) {
  double w = x - piece[2], terms[4] = {piece[3], piece[4] * w, piece[5] * w * w, piece[6] * w * w * w}, sum = 0;
  const double factor[4][4] = {{1, 1, 1, 1}, {0, 1, 2, 3}, {0, 0, 2, 6}, {0, 0, 0, 6}};
  if (order > 0) terms[1] = piece[4], terms[2] = piece[5] * w, terms[3] = piece[6] * w * w;
  if (order > 1) terms[2] = piece[5], terms[3] = piece[6] * w;
  if (order > 2) terms[3] = piece[6];
  for (int k = 0; k < 4; k++) {
    sum += factor[order][k] * terms[k];
    *size += fabs(factor[order][k] * terms[k]);
  }
  return sum;
}

// data_is_continuous(id, x, order): is that derivative defined and continuous on both sides of x?
static int data_is_continuous(lua_State *L) {
  double id = luaL_checknumber(L, 1), x = luaL_checknumber(L, 2), left[7], right[7], size = 0;
  int order = (int)luaL_checkinteger(L, 3);
  luaL_argcheck(L, order >= 0 && order < 4, 3, "order of a derivative");
  bool both = hml_tabled__piece(id, x, -1, left) && hml_tabled__piece(id, x, 1, right);
  lua_pushboolean(L, both && fabs(one_sided(left, x, order, &size) - one_sided(right, x, order, &size)) <= 1e-9 * size);
  return 1;
}

void hml_bind_data(lua_State *L) {
  static const luaL_Reg functions[] = {{"data_new", data_new}, {"data", data}, {"data_value", data_value},
                                       {"data_is_continuous", data_is_continuous}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
