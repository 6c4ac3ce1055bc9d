// bind_numeric.c: numerical linear algebra on lists of numbers.
#include "bind.h"

// eigen(n, a) -> { re, im, re, im, ... }, the eigenvectors one after the other in the same way; a row-major, largest real part first
static int eigen(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n = (size_t)hml_bind__to_integer(L, 1, "the size of the matrix", 0, 10000), count;
  const double *a = hml_bind__to_doubles(L, 2, &count);
  if (count != n * n) return hml_bind__error(L, "eigen: %d entries for a matrix of %d rows", (int)count, (int)n);
  double *values = lua_newuserdatauv(L, (2 * n + 2 * n * n + 1) * sizeof *values, 0);
  hml_bind__check(L, c, hml_eigen(c, n, a, values, values + 2 * n));
  hml_bind__push_doubles(L, values, 2 * n);
  hml_bind__push_doubles(L, values + 2 * n, 2 * n * n);
  return 2;
}

// least_squares(m, n, a, b, cutoff) -> the shortest x that comes closest to a x = b, rank; a row-major
static int least_squares(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t m = (size_t)hml_bind__to_integer(L, 1, "the number of rows", 0, 100000), n = (size_t)hml_bind__to_integer(L, 2, "the number of columns", 0, 10000);
  size_t count, rank;
  double cutoff = luaL_checknumber(L, 5);
  const double *a = hml_bind__to_doubles(L, 3, &count);
  if (count != m * n) return hml_bind__error(L, "least squares: %d entries for a matrix of %d x %d", (int)count, (int)m, (int)n);
  const double *b = hml_bind__to_doubles(L, 4, &count);
  if (count != m) return hml_bind__error(L, "least squares: %d numbers for %d rows", (int)count, (int)m);
  double *x = lua_newuserdatauv(L, (n + 1) * sizeof *x, 0);
  hml_bind__check(L, c, hml_least_squares(c, m, n, a, b, cutoff, x, &rank));
  hml_bind__push_doubles(L, x, n);
  lua_pushinteger(L, (lua_Integer)rank);
  return 2;
}

void hml_bind_numeric(lua_State *L) {
  static const luaL_Reg functions[] = {{"least_squares", least_squares}, {"eigen", eigen}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
