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

void hml_bind_numeric(lua_State *L) {
  lua_pushcfunction(L, eigen);
  lua_setfield(L, -2, "eigen");
}
