// bind_algebra.c: exact algebra in Lua: simplification, zero test, fractions, linear systems.
#include "bind.h"

static const char *const forms[] = {"auto", "fraction", "expanded", "factored", "collected", "normal", NULL};

// Raw: a metamethod must not run while bare expressions are held
static double limit(lua_State *L, int index, const char *key) {
  lua_pushstring(L, key);
  lua_rawget(L, index);
  if (!lua_isnil(L, -1) && lua_type(L, -1) != LUA_TNUMBER) hml_bind__error(L, "the limit '%s' is a number, not %s", key, luaL_typename(L, -1));
  double value = lua_tonumber(L, -1);
  lua_pop(L, 1);
  return value;
}

// { terms=, seconds=, effort=, bytes= } at index, or nil
static hml_limits limits_at(lua_State *L, int index) {
  if (!lua_istable(L, index)) return (hml_limits){0};
  return (hml_limits){.max_terms = hml_bind__to_count(limit(L, index, "terms")), .max_seconds = limit(L, index, "seconds"),
                      .max_effort = limit(L, index, "effort"),
                      .max_bytes = hml_bind__to_count(limit(L, index, "bytes"))};
}

// simplify(e, form, by, limits) -> expression, status, reason, cancelled factors
static int simplify(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  hml_form form = (hml_form)luaL_checkoption(L, 2, "auto", forms);
  hml_limits limits = limits_at(L, 4);
  size_t n = 0;
  hml_expr *by = lua_istable(L, 3) ? hml_bind__to_list(L, c, 3, &n) : NULL;
  hml_reduction info = {0};
  hml_expr result = hml_simplify(c, e, form, n, by, &limits, &info);
  hml_bind__push(L, c, result);
  lua_pushstring(L, hml_status_name(info.status));
  lua_pushstring(L, info.reason);
  if (info.cancelled) hml_bind__push(L, c, info.cancelled);
  else luaL_pushfail(L);
  return 4;
}

// decide(e, limits) -> "zero", "nonzero" or "undecided"; the largest relative value met when undecided
static int decide(lua_State *L) {
  static const char *const verdicts[] = {"nonzero", "zero", "undecided"};
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  hml_limits limits = limits_at(L, 2);
  hml_verdict verdict = HML_UNDECIDED;
  double evidence = 0;
  hml_bind__check(L, c, hml_is_zero(c, e, &limits, &verdict, &evidence));
  lua_pushstring(L, verdicts[verdict]);
  lua_pushnumber(L, evidence);
  return 2;
}

// fraction(e, limits) -> numerator, denominator in lowest terms
static int fraction(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1), numerator = NULL, denominator = NULL;
  hml_limits limits = limits_at(L, 2);
  hml_bind__check(L, c, hml_fraction(c, e, &limits, &numerator, &denominator));
  hml_bind__push(L, c, numerator);
  hml_bind__push(L, c, denominator);
  return 2;
}

// coefficient(e, x, power, limits)
static int coefficient(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1), x = hml_bind__to_expr(L, c, 2);
  lua_Integer power = lua_isnoneornil(L, 3) ? 1 : hml_bind__to_integer(L, 3, "coefficient: the power", 0, 10000);
  hml_limits limits = limits_at(L, 4);
  return hml_bind__push(L, c, hml_coefficient(c, e, x, (unsigned)power, &limits));
}

static size_t size_of(lua_State *L, size_t entries, const char *what) {
  size_t n = (size_t)hml_bind__to_integer(L, 1, "the number of rows", 0, 10000);
  if (n * n != entries) hml_bind__error(L, "%s: %d entries are no %d x %d matrix", what, (int)entries, (int)n, (int)n);
  return n;
}

// solve_linear(n, A, B, limits): rows of A and B one after the other -> entries of X, determinant, true if that is known not to vanish
static int solve_linear(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_limits limits = limits_at(L, 4);
  size_t entries, right;
  hml_expr *A = hml_bind__to_list(L, c, 2, &entries), *B = hml_bind__to_list(L, c, 3, &right), determinant = NULL;
  size_t n = size_of(L, entries, "solve");
  if (n == 0 || right % n != 0) hml_bind__error(L, "solve: %d right-hand entries do not belong to %d rows", (int)right, (int)n);
  hml_expr *X = lua_newuserdatauv(L, (right + 1) * sizeof *X, 0);
  hml_verdict regular = HML_UNDECIDED;
  hml_bind__check(L, c, hml_solve_linear(c, n, A, right / n, B, &limits, X, &determinant, &regular));
  lua_createtable(L, (int)right, 0);
  for (size_t i = 0; i < right; i++) {
    hml_bind__push(L, c, X[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  hml_bind__push(L, c, determinant);
  lua_pushboolean(L, regular == HML_PROVED_NONZERO);
  return 3;
}

// determinant(n, A, limits)
static int determinant(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_limits limits = limits_at(L, 3);
  size_t entries;
  hml_expr *A = hml_bind__to_list(L, c, 2, &entries);
  size_t n = size_of(L, entries, "determinant");
  return hml_bind__push(L, c, hml_determinant(c, n, A, &limits));
}

// effort() -> what exact algebra has cost so far, in seconds of a usual machine
static int effort(lua_State *L) {
  lua_pushnumber(L, hml_effort());
  return 1;
}

void hml_bind_algebra(lua_State *L) {
  static const luaL_Reg functions[] = {{"simplify", simplify}, {"decide", decide}, {"fraction", fraction}, {"coefficient", coefficient},
                                       {"solve_linear", solve_linear}, {"determinant", determinant},
                                       {"effort", effort}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
