// bind_numeric.c: numerical linear algebra on lists of numbers.
#include "bind.h"
#include "numeric/numeric.h"
#include "program/program.h"

#include <math.h>

// eigen(n, a, p, left, right) -> { re, im, re, im, ... }, the eigenvectors one after the other in the same way; a row-major, largest real part first.
// With errors of the entries of a, left (n x p) and right (p x n), see numeric.h: third, estimates of the errors of the eigenvalues
static int eigen(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n = (size_t)hml_bind__to_integer(L, 1, "the size of the matrix", 0, 10000), count;
  lua_settop(L, 5);
  const double *a = hml_bind__to_doubles(L, 2, &count);
  if (count != n * n) return hml_bind__error(L, "eigen: %d entries for a matrix of %d rows", (int)count, (int)n);
  hml_eigen_noise noise = {0};
  const bool known = !lua_isnoneornil(L, 3);
  if (known) {
    noise.n = (size_t)hml_bind__to_integer(L, 3, "the number of errors", 0, 10000);
    noise.left = hml_bind__to_doubles(L, 4, &count);
    bool fits = count == n * noise.n;
    noise.right = hml_bind__to_doubles(L, 5, &count);
    if (!fits || count != n * noise.n) return hml_bind__error(L, "eigen: the errors do not fit a matrix of %d rows", (int)n);
  }
  double *values = lua_newuserdatauv(L, (3 * n + 2 * n * n + 1) * sizeof *values, 0), *vectors = values + 2 * n, *errors = vectors + 2 * n * n;
  hml_bind__check(L, c, hml_eigen__known(c, n, a, &noise, values, vectors, known ? errors : NULL));
  hml_bind__push_doubles(L, values, 2 * n);
  hml_bind__push_doubles(L, vectors, 2 * n * n);
  if (!known) return 2;
  hml_bind__push_doubles(L, errors, n);
  return 3;
}

// eigen_of_sums(n, high, low) -> the same first two results for the matrix high + low, each eigenvalue to its last digit, in no order
static int eigen_of_sums(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const size_t n = (size_t)hml_bind__to_integer(L, 1, "the size of the matrix", 0, 1000);
  size_t count, others;
  const double *high = hml_bind__to_doubles(L, 2, &count), *low = hml_bind__to_doubles(L, 3, &others);
  if (count != n * n || others != n * n) return hml_bind__error(L, "eigen_of_sums: %d and %d entries for a matrix of %d rows", (int)count, (int)others, (int)n);
  double *values = lua_newuserdatauv(L, (2 * n + 2 * n * n + 1) * sizeof *values, 0), *vectors = values + 2 * n;
  hml_bind__check(L, c, hml_eigen__of_sums(c, n, high, low, values, vectors));
  hml_bind__push_doubles(L, values, 2 * n);
  hml_bind__push_doubles(L, vectors, 2 * n * n);
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

// Sign of the permutation at `places`, which is sorted
static int parity(size_t n, size_t *places) {
  int sign = 1;
  for (size_t i = 0; i < n; i++)
    while (places[i] != i) {
      size_t other = places[i];
      places[i] = places[other];
      places[other] = other;
      sign = -sign;
    }
  return sign;
}

// solve(n, a, b) -> x with a x = b, the sign of det a, log |det a|; nil where a is singular; a row-major
static int solve(lua_State *L) {
  hml_bind__context(L);
  size_t n = (size_t)hml_bind__to_integer(L, 1, "the number of rows", 1, 10000), count;
  const double *a = hml_bind__to_doubles(L, 2, &count);
  if (count != n * n) return hml_bind__error(L, "solve: %d entries for a matrix of %d rows", (int)count, (int)n);
  const double *b = hml_bind__to_doubles(L, 3, &count);
  if (count != n) return hml_bind__error(L, "solve: %d numbers for %d rows", (int)count, (int)n);
  double *k = lua_newuserdatauv(L, (n * n + 2 * n) * sizeof *k, 0), *x = k + n * n, size = 0;
  size_t *pivots = lua_newuserdatauv(L, 2 * n * sizeof *pivots, 0);
  int sign = 1;
  for (size_t i = 0; i < n * n; i++) k[i] = a[i];
  if (hml_dense__lu(n, k, pivots) < n) return lua_pushnil(L), 1;
  hml_dense__lu_solve(n, k, pivots, b, x);
  for (size_t i = 0; i < n; i++) {
    size += log(fabs(k[i * n + i]));
    if (k[i * n + i] < 0) sign = -sign;
  }
  sign *= parity(n, pivots) * parity(n, pivots + n);
  hml_bind__push_doubles(L, x, n);
  lua_pushinteger(L, sign);
  lua_pushnumber(L, size);
  return 3;
}

// singular(m, n, a) -> singular values, largest first; right singular vectors in columns (n x n, row-major); m >= n
static int singular(lua_State *L) {
  hml_bind__context(L);
  size_t m = (size_t)hml_bind__to_integer(L, 1, "the number of rows", 1, 10000), n = (size_t)hml_bind__to_integer(L, 2, "the number of columns", 1, (lua_Integer)m);
  size_t count;
  const double *a = hml_bind__to_doubles(L, 3, &count);
  if (count != m * n) return hml_bind__error(L, "singular: %d entries for a matrix of %d x %d", (int)count, (int)m, (int)n);
  double *u = lua_newuserdatauv(L, (m * n + n * n + 2 * n) * sizeof *u, 0), *v = u + m * n, *s = v + n * n;
  for (size_t i = 0; i < m * n; i++) {
    if (!isfinite(a[i])) return hml_bind__error(L, "singular: an entry is not finite");
    u[i] = a[i];
  }
  hml_dense__svd(m, n, u, v, s);
  hml_bind__push_doubles(L, s, n);
  hml_bind__push_doubles(L, v, n * n);
  return 2;
}

enum { RESIDUALS = 3 };                // the function's place on the stack

// Residuals by a Lua function: a list, or nil when the search is to end
static hml_status call_residuals(void *payload, const double *x, double *r) {
  lua_State *L = payload;
  size_t m = (size_t)lua_tointeger(L, 1), n = (size_t)luaL_len(L, 2);
  lua_pushvalue(L, RESIDUALS);
  hml_bind__push_doubles(L, x, n);
  if (lua_pcall(L, 1, 1, 0) != LUA_OK) return HML_CALLBACK;              // the message stays on the stack
  if (!lua_istable(L, -1)) return HML_INTERRUPTED;
  for (size_t i = 0; i < m; i++) {
    lua_rawgeti(L, -1, (lua_Integer)i + 1);
    r[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
  lua_pop(L, 1);
  return HML_OK;
}

// fit(m, x, residuals, difference, step, iterations) -> x, residuals, their jacobian (m x n, row-major), iterations: the least sum of squares of
// residuals(x), m numbers, near x; nil when residuals returned nil
static int fit(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t m = (size_t)hml_bind__to_integer(L, 1, "the number of residuals", 1, 10000000), n;
  luaL_checktype(L, RESIDUALS, LUA_TFUNCTION);
  double difference = luaL_checknumber(L, 4), step = luaL_checknumber(L, 5);
  size_t most = (size_t)hml_bind__to_integer(L, 6, "the number of iterations", 1, 1000000);
  lua_settop(L, 6);
  const double *x = hml_bind__to_doubles(L, 2, &n);
  if (n == 0 || n > m) return hml_bind__error(L, "fit: %d residuals for %d unknowns", (int)m, (int)n);
  double *memory = lua_newuserdatauv(L, (2 * n + m + m * n) * sizeof *memory, 0);
  hml_fit f = {.m = m, .n = n, .most = most, .residuals = call_residuals, .payload = L, .difference = difference, .step_tolerance = step, .x = memory,
               .r = memory + 2 * n, .jacobian = memory + 2 * n + m};
  for (size_t i = 0; i < n; i++) f.x[i] = x[i];
  hml_status status = hml_fit__solve(c, &f);
  if (status == HML_CALLBACK) return lua_error(L);
  if (status == HML_INTERRUPTED) return luaL_pushfail(L), 1;
  hml_bind__check(L, c, status);
  hml_bind__push_doubles(L, f.x, n);
  hml_bind__push_doubles(L, f.r, m);
  hml_bind__push_doubles(L, f.jacobian, m * n);
  lua_pushinteger(L, (lua_Integer)f.iterations);
  return 4;
}

void hml_bind_numeric(lua_State *L) {
  static const luaL_Reg functions[] = {{"fit", fit}, {"least_squares", least_squares}, {"eigen", eigen}, {"eigen_of_sums", eigen_of_sums}, {"solve", solve}, {"singular", singular}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
