// bind_residues.c: values modulo a prime and linear algebra with them, in Lua.
#include "bind_model.h"

#define HML_RESIDUES "hamel.residues"

typedef struct matrix {
  uint64_t p;
  size_t points, n;
  uint64_t values[];                   // points x n
} matrix;

enum { MOST_ENTRIES = 1 << 28 };

// A prime of ours, which lies in the upper half of what 62 bits hold
static uint64_t to_prime(lua_State *L, int index) {
  return (uint64_t)hml_bind__to_integer(L, index, "a prime", INT64_C(1) << 61, (INT64_C(1) << 62) - 1);
}

// residues{ roots, fixed, matrix, right, rates, points, above, seed, seconds } -> values, prime, are the atoms independent
// matrix, right: entries row by row; rates: as many symbols as entries of right
static int residues(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_checkstack(L, 40, "residues");
  hml_residues_spec s = {0};
  size_t entries, right, rates;
  s.roots = hml_bind__field_list(L, c, 1, "roots", &s.n);
  s.fixed = hml_bind__field_list(L, c, 1, "fixed", &s.n_fixed);
  s.matrix = hml_bind__field_list(L, c, 1, "matrix", &entries);
  s.right = hml_bind__field_list(L, c, 1, "right", &right);
  s.rates = hml_bind__field_list(L, c, 1, "rates", &rates);
  while (s.size * s.size < entries) s.size++;
  hml_bind__demand(L, "matrix", entries, s.size * s.size);
  s.columns = s.size ? right / s.size : 0;
  hml_bind__demand(L, "right", right, s.size * s.columns);
  hml_bind__demand(L, "rates", rates, right);
  s.points = hml_bind__to_count(hml_bind__number_field(L, 1, "points", 1));
  s.limits.max_seconds = hml_bind__number_field(L, 1, "seconds", 0);
  lua_getfield(L, 1, "above");
  s.above = lua_isnil(L, -1) ? 0 : to_prime(L, -1);
  lua_getfield(L, 1, "seed");
  s.seed = (uint64_t)luaL_optinteger(L, -1, 1);
  if ((double)s.points * (double)(s.n + 1) > MOST_ENTRIES) hml_bind__error(L, "residues: %d points of %d expressions are too many", (int)s.points, (int)s.n);
  matrix *m = lua_newuserdatauv(L, sizeof *m + (s.points * s.n + 1) * sizeof *m->values, 0);
  luaL_setmetatable(L, HML_RESIDUES);
  m->points = s.points, m->n = s.n;
  s.values = m->values;
  hml_residues drawn;
  hml_bind__check(L, c, hml_residues__draw(c, &s, &drawn));
  m->p = drawn.p;
  lua_pushinteger(L, (lua_Integer)drawn.p);
  lua_pushboolean(L, drawn.independent);
  return 3;
}

static void push_indices(lua_State *L, size_t n, const size_t *list) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    lua_pushinteger(L, (lua_Integer)list[i] + 1);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// The entries of the columns asked for, in a userdata on the stack
static uint64_t *chosen_columns(lua_State *L, const matrix *r, int index, size_t *columns) {
  luaL_checktype(L, index, LUA_TTABLE);
  *columns = (size_t)lua_rawlen(L, index);
  size_t *list = lua_newuserdatauv(L, (*columns + 1) * sizeof *list, 0);
  for (size_t j = 0; j < *columns; j++) {
    lua_rawgeti(L, index, (lua_Integer)j + 1);
    list[j] = (size_t)hml_bind__to_integer(L, -1, "a column", 1, (lua_Integer)r->n) - 1;
    lua_pop(L, 1);
  }
  uint64_t *entries = lua_newuserdatauv(L, (r->points * *columns + 1) * sizeof *entries, 0);
  for (size_t i = 0; i < r->points; i++)
    for (size_t j = 0; j < *columns; j++) entries[i * *columns + j] = r->values[i * r->n + list[j]];
  return entries;
}

// sift(values, columns, seconds, null) -> the columns, by their places in the list, that do not depend on those before them; of each other column, where
// null is true, the combination that vanishes: { columns = {...}, residues = {...} }, the column itself last with residue 1
static int sift(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const matrix *r = luaL_checkudata(L, 1, HML_RESIDUES);
  hml_limits limits = {.max_seconds = luaL_optnumber(L, 3, 0)};
  bool null = lua_toboolean(L, 4);
  size_t columns, rank;
  uint64_t *entries = chosen_columns(L, r, 2, &columns);
  size_t *pivots = lua_newuserdatauv(L, (columns + 1) * sizeof *pivots, 0);
  uint64_t *vector = lua_newuserdatauv(L, (columns + 1) * sizeof *vector, 0);
  hml_bind__check(L, c, hml_sift__echelon(c, r->p, r->points, columns, entries, &limits, pivots, &rank));
  push_indices(L, rank, pivots);
  lua_newtable(L);
  lua_Integer found = 0;
  for (size_t j = 0, k = 0; null && j < columns; j++) {
    if (k < rank && pivots[k] == j) {
      k++;
      continue;
    }
    hml_sift__null_vector(r->p, columns, entries, pivots, rank, j, vector);
    lua_createtable(L, 0, 2);
    lua_newtable(L);
    lua_newtable(L);
    lua_Integer place = 0;
    for (size_t i = 0; i <= j; i++) {
      if (vector[i] == 0) continue;
      lua_pushinteger(L, (lua_Integer)i + 1);
      lua_rawseti(L, -3, ++place);
      lua_pushinteger(L, (lua_Integer)vector[i]);
      lua_rawseti(L, -2, place);
    }
    lua_setfield(L, -3, "residues");
    lua_setfield(L, -2, "columns");
    lua_rawseti(L, -2, ++found);
  }
  return 2;
}

// rank_at(values, rows, columns) -> rank of the values at the first point, taken as so many rows of a matrix, in its first columns (all when not given)
static int rank_at(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const matrix *r = luaL_checkudata(L, 1, HML_RESIDUES);
  size_t rows = (size_t)hml_bind__to_integer(L, 2, "the number of rows", 1, (lua_Integer)r->n), width = r->n / rows, rank;
  size_t columns = lua_isnoneornil(L, 3) ? width : (size_t)hml_bind__to_integer(L, 3, "the number of columns", 0, (lua_Integer)width);
  hml_bind__demand(L, "values", r->n, rows * width);
  uint64_t *entries = lua_newuserdatauv(L, (r->n + 1) * sizeof *entries, 0);
  size_t *pivots = lua_newuserdatauv(L, (columns + 1) * sizeof *pivots, 0);
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) entries[i * columns + j] = r->values[i * width + j];
  hml_bind__check(L, c, hml_sift__echelon(c, r->p, rows, columns, entries, NULL, pivots, &rank));
  lua_pushinteger(L, (lua_Integer)rank);
  return 1;
}

// A list of primes, or of residues modulo them
static uint64_t *to_words(lua_State *L, int index, const uint64_t *primes, size_t *n) {
  luaL_checktype(L, index, LUA_TTABLE);
  size_t count = (size_t)lua_rawlen(L, index);
  if (primes) hml_bind__demand(L, "residues", count, *n);
  uint64_t *list = lua_newuserdatauv(L, (count + 1) * sizeof *list, 0);
  for (size_t i = 0; i < count; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    list[i] = primes ? (uint64_t)hml_bind__to_integer(L, -1, "a residue", 0, (lua_Integer)primes[i] - 1) : to_prime(L, -1);
    lua_pop(L, 1);
  }
  *n = count;
  return list;
}

// fraction_of(primes, residues) -> the fraction with small numerator and denominator that has these residues, or nil
static int fraction_of(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n;
  uint64_t *primes = to_words(L, 1, NULL, &n), *values = to_words(L, 2, primes, &n);
  hml_expr e = NULL;
  if (n > 0) hml_bind__check(L, c, hml_sift__fraction(c, n, primes, values, &e));
  if (!e) return luaL_pushfail(L), 1;
  return hml_bind__push(L, c, e);
}

void hml_bind_residues(lua_State *L) {
  luaL_newmetatable(L, HML_RESIDUES);
  lua_pop(L, 1);
  static const luaL_Reg functions[] = {{"residues", residues}, {"sift", sift}, {"rank_at", rank_at}, {"fraction_of", fraction_of}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
