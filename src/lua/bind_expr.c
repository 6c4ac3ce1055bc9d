// bind_expr.c: expressions in Lua: operators, one function per row of functions.def, calculus.
#include "bind.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define HIGHEST_ORDER 100
#define LARGEST_WHOLE 9007199254740992.0          // 2^53: doubles hold all whole numbers below

typedef hml_expr (*binary)(hml_context *, hml_expr, hml_expr);

// A number of Lua that is no short fraction or decimal makes expressions with it inexact
static void warn_of_inexact(lua_State *L, int index, hml_expr e) {
  if (hml_kind_of(e) != HML_FLOAT || lua_type(L, index) != LUA_TNUMBER) return;
  lua_warning(L, "a floating-point number entered an expression, which is inexact from then on; hm.pi, hm.sqrt(2), hm.exp(1), hm.rational(p, q) and "
                 "hm.number \"0.123\" are exact", 0);
}

static int operate(lua_State *L, binary f) {
  hml_context *c = hml_bind__context(L);
  hml_expr a = hml_bind__to_expr(L, c, 1), b = hml_bind__to_expr(L, c, 2);
  warn_of_inexact(L, 1, a);
  warn_of_inexact(L, 2, b);
  return hml_bind__push(L, c, f(c, a, b));
}

// x*M: the left operand's metamethod is called, so one that a table on the right brings has its turn here
static int operate_or_defer(lua_State *L, binary f, const char *metamethod) {
  if (lua_istable(L, 2) && luaL_getmetafield(L, 2, metamethod) != LUA_TNIL) {
    lua_pushvalue(L, 1);
    lua_pushvalue(L, 2);
    lua_call(L, 2, 1);
    return 1;
  }
  return operate(L, f);
}

static int add(lua_State *L) { return operate_or_defer(L, hml_add, "__add"); }
static int subtract(lua_State *L) { return operate_or_defer(L, hml_sub, "__sub"); }
static int multiply(lua_State *L) { return operate_or_defer(L, hml_mul, "__mul"); }
static int divide(lua_State *L) { return operate_or_defer(L, hml_div, "__div"); }
static int power(lua_State *L) { return operate_or_defer(L, hml_pow, "__pow"); }

static int negate(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_neg(c, hml_bind__to_expr(L, c, 1)));
}

static int equal(lua_State *L) {
  lua_pushboolean(L, hml_bind__test_expr(L, 1) == hml_bind__test_expr(L, 2));
  return 1;
}

static bool has_no_unknown(lua_State *L, hml_context *c, hml_expr e) {
  size_t n = 0;
  hml_bind__check(L, c, hml_symbols_of(c, 1, &e, 0, NULL, &n));
  return n == 0;
}

// The sign of a - b, both without unknowns: certain, or zero with a proof
static int order_of(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  double left, right;
  hml_expr a = hml_bind__test_expr(L, 1), b = hml_bind__test_expr(L, 2);
  if ((a && !has_no_unknown(L, c, a)) || (b && !has_no_unknown(L, c, b)))
    hml_bind__error(L, "expressions have no order: < and > compare numbers only; take a value with e:eval{...} first, or write x:lt(0) in hm.where");
  // what is infinite or nan is no expression
  if (!a && lua_type(L, 1) == LUA_TNUMBER && !isfinite(left = lua_tonumber(L, 1))) return left > 0 ? 1 : left < 0 ? -1 : 2;
  if (!b && lua_type(L, 2) == LUA_TNUMBER && !isfinite(right = lua_tonumber(L, 2))) return right > 0 ? -1 : right < 0 ? 1 : 2;
  hml_expr difference = hml_sub(c, hml_bind__to_expr(L, c, 1), hml_bind__to_expr(L, c, 2));
  if (!difference) hml_bind__check(L, c, hml_context_error(c)->status);
  int sign = hml_kind_of(difference) == HML_NUMBER ? hml_expr__sign(difference) : hml_expr__constant_sign(c, difference);
  if (sign != 0) return sign;
  hml_verdict verdict;
  hml_bind__check(L, c, hml_is_zero(c, difference, NULL, &verdict, NULL));
  if (verdict != HML_PROVED_ZERO) hml_bind__error(L, "the two numbers are so close that their order is not decided; compare their values, a:eval() < b:eval()");
  return 0;
}

static int less(lua_State *L) {
  lua_pushboolean(L, order_of(L) == -1);
  return 1;
}

static int less_or_equal(lua_State *L) {
  int order = order_of(L);
  lua_pushboolean(L, order == -1 || order == 0);
  return 1;
}

// Operators that formulas do not have
static int no_length(lua_State *L) { return hml_bind__error(L, "an expression has no length: #e:operands() counts the terms of a sum"); }
static int no_floor(lua_State *L) { return hml_bind__error(L, "// divides numbers and rounds down; a quotient of expressions is written a/b"); }
static int no_remainder(lua_State *L) { return hml_bind__error(L, "%% is for numbers; an expression has no remainder"); }
static int no_bits(lua_State *L) {
  return hml_bind__error(L, "& | ~ join conditions such as x:gt(0) & x:lt(1), not expressions; a power is written a^b");
}

static int to_string(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push_text(L, c, hml_print_text(c, hml_bind__to_expr(L, c, 1)));
}

static int latex(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push_text(L, c, hml_print_latex(c, hml_bind__to_expr(L, c, 1)));
}

static int concatenate(lua_State *L) {
  luaL_tolstring(L, 1, NULL);
  luaL_tolstring(L, 2, NULL);
  lua_concat(L, 2);
  return 1;
}

// The k-th time derivative: of a symbol the one of its order + k, of another expression by the chain rule
static int time_derivative(lua_State *L, hml_context *c, hml_expr e, unsigned k) {
  bool is_symbol = hml_kind_of(e) == HML_SYMBOL;
  unsigned order = is_symbol ? hml_symbol_order(e) + k : k;
  if (order > HIGHEST_ORDER) hml_bind__error(L, "a derivative of order %u is too high: %d is the highest", order, HIGHEST_ORDER);
  if (is_symbol) return hml_bind__push(L, c, hml_undot(c, e, order));
  for (unsigned i = 0; i < k; i++) e = hml_time_derivative(c, e);
  return hml_bind__push(L, c, e);
}

// e.dot, e.ddot; else a method
static int index_of(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "";
  if (strcmp(key, "dot") == 0 || strcmp(key, "ddot") == 0) {
    hml_context *c = hml_bind__context(L);
    return time_derivative(L, c, hml_bind__to_expr(L, c, 1), key[1] == 'd' ? 2 : 1);
  }
  lua_pushvalue(L, 2);
  lua_gettable(L, lua_upvalueindex(1));
  return 1;
}

// x.dot = 0 as on paper
static int assign(lua_State *L) {
  const char *key = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : "...";
  hml_bind__error(L, "an expression cannot be changed: .%s is not assigned to; values of a start are q = {x = 1}, v = {x = 0}, a condition is S:constraint(\"c\", f), "
                     "e:subs{[x.dot] = 0} replaces", key);
  return 0;
}

static int at_arguments(lua_State *L, hml_expr self) {
  hml_context *c = hml_bind__context(L);
  size_t n = hml_opaque__arity(self);
  hml_expr arguments[HML_OPAQUE_ARGUMENTS];
  if ((size_t)lua_gettop(L) != n + 1) hml_bind__error(L, "%s takes %d argument%s, not %d", hml_opaque__name(self), (int)n, n == 1 ? "" : "s", lua_gettop(L) - 1);
  for (size_t i = 0; i < n; i++) arguments[i] = hml_bind__to_expr(L, c, (int)i + 2);
  return hml_bind__push(L, c, hml_opaque(c, hml_opaque__name(self), n, arguments));
}

// x:dot(k) reads as x.dot called with (x, k): the derivative of that order
// V(x) of a function known by name alone is its value at other arguments
static int call(lua_State *L) {
  hml_expr self = hml_bind__test_expr(L, 1), e = hml_bind__test_expr(L, 2);
  if (self && hml_opaque__is(self) && hml_opaque__total_order(self) == 0) return at_arguments(L, self);
  if (!e) hml_bind__error(L, "an expression is not a function: write the product with *, its value as e:eval{x = 1}, derivatives (x', x'') as x.dot and x.dot.dot");
  hml_context *c = hml_bind__context(L);
  return time_derivative(L, c, e, (unsigned)hml_bind__to_integer(L, 3, "the order k of x:dot(k)", 0, HIGHEST_ORDER));
}

// ---- functions

// The value of an exact constant as a number of Lua, where that holds it without rounding; false and nothing pushed otherwise
static bool push_whole_or_double(lua_State *L, hml_context *c, hml_expr e) {
  if (!e || hml_kind_of(e) != HML_NUMBER) return false;
  double x = hml_number_value(e);
  if (fabs(x) >= LARGEST_WHOLE || hml_from_double(c, x) != e) return false;
  if (x == floor(x)) lua_pushinteger(L, (lua_Integer)x);
  else lua_pushnumber(L, x);
  return true;
}

static bool all_finite(const double *x, int n) { return isfinite(x[0]) && (n < 2 || isfinite(x[1])); }

// f of numbers: of integers it is exact, and a number of Lua only where that holds it; of floats it is a float, and outside the domain of f the
// failure of the expression
static int of_numbers(lua_State *L, hml_context *c, double value, int arity, hml_expr (*exact)(hml_context *, hml_function, const hml_expr *), hml_function f) {
  double x[2] = {lua_tonumber(L, 1), arity > 1 ? lua_tonumber(L, 2) : 0};
  bool integers = lua_isinteger(L, 1) && (arity == 1 || lua_isinteger(L, 2));
  if (!integers && (isfinite(value) || !all_finite(x, arity))) return lua_pushnumber(L, value), 1;
  hml_expr arguments[2] = {hml_bind__to_expr(L, c, 1), arity > 1 ? hml_bind__to_expr(L, c, 2) : NULL};
  hml_expr e = exact(c, f, arguments);
  if (push_whole_or_double(L, c, e)) return 1;
  if (e && !integers) return lua_pushnumber(L, value), 1;
  return hml_bind__push(L, c, e);
}

static bool are_numbers(lua_State *L, int arity) { return lua_type(L, 1) == LUA_TNUMBER && (arity == 1 || lua_type(L, 2) == LUA_TNUMBER); }

static hml_expr called(hml_context *c, hml_function f, const hml_expr *arguments) { return hml_call(c, f, hml_function_arity(f), arguments); }

static int elementary(lua_State *L) {
  hml_function f = (hml_function)lua_tointeger(L, lua_upvalueindex(1));
  int arity = (int)hml_function_arity(f);
  if (lua_gettop(L) == 2 && f == HML_FUN_atan) f = HML_FUN_atan2, arity = 2;      // as Lua's math.atan
  if (lua_gettop(L) != arity) hml_bind__error(L, "%s takes %d argument%s, not %d", hml_function_name(f), arity, arity == 1 ? "" : "s", lua_gettop(L));
  hml_context *c = hml_bind__context(L);
  if (are_numbers(L, arity)) {
    double value = hml_function__value(f, lua_tonumber(L, 1), arity > 1 ? lua_tonumber(L, 2) : 0);
    if (f >= HML_FUN_tabled) return lua_pushnumber(L, value), 1;                  // measured data have no exact values
    return of_numbers(L, c, value, arity, called, f);
  }
  hml_expr arguments[2] = {hml_bind__to_expr(L, c, 1), arity > 1 ? hml_bind__to_expr(L, c, 2) : NULL};
  return hml_bind__push(L, c, called(c, f, arguments));
}

// opaque_call(operands): a call by its operands, as core.operands gives them
static int opaque_call(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n;
  hml_expr *operands = hml_bind__to_list(L, c, 1, &n);
  return hml_bind__push(L, c, hml_opaque__call(c, n, operands));
}

static hml_expr rooted(hml_context *c, hml_function f, const hml_expr *arguments) {
  (void)f;
  return hml_sqrt(c, arguments[0]);
}

static int square_root(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  if (lua_type(L, 1) == LUA_TNUMBER) return of_numbers(L, c, sqrt(lua_tonumber(L, 1)), 1, rooted, HML_FUN_COUNT);
  return hml_bind__push(L, c, hml_sqrt(c, hml_bind__to_expr(L, c, 1)));
}

// A text without a zero byte: C would read it to that byte only
static const char *whole_text(lua_State *L, int index, const char *what) {
  size_t length;
  if (lua_type(L, index) != LUA_TSTRING) hml_bind__error(L, "%s is expected here, not %s", what, luaL_typename(L, index));
  const char *text = lua_tolstring(L, index, &length);
  if (strlen(text) != length) hml_bind__error(L, "%s contains a zero byte", what);
  return text;
}

static int symbol(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const char *text = whole_text(L, 1, "the name of a symbol");
  unsigned flags = lua_isnoneornil(L, 2) ? 0 : (unsigned)hml_bind__to_integer(L, 2, "the flags of a symbol", 0, 255);
  unsigned order = lua_isnoneornil(L, 3) ? 0 : (unsigned)hml_bind__to_integer(L, 3, "the order of a symbol", 0, HIGHEST_ORDER);
  return hml_bind__push(L, c, hml_symbol(c, text, flags, order));
}

// opaque(name, arguments) -> V(x, y) of a function known by name alone
static int opaque(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const char *text = whole_text(L, 1, "the name of a function");
  size_t n;
  hml_expr *arguments = hml_bind__to_list(L, c, 2, &n);
  return hml_bind__push(L, c, hml_opaque(c, text, n, arguments));
}

// opaque_parts(e) -> name, arguments, orders of the derivative by each; nil where e is no such call
static int opaque_parts(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__test_expr(L, 1);
  if (!e || !hml_opaque__is(e)) return luaL_pushfail(L), 1;
  size_t n = hml_opaque__arity(e);
  lua_pushstring(L, hml_opaque__name(e));
  lua_createtable(L, (int)n, 0);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    hml_bind__push(L, c, hml_operand(e, 1 + i));
    lua_rawseti(L, -3, (lua_Integer)i + 1);
    lua_pushinteger(L, hml_opaque__order(e, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 3;
}

static int number(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  if (lua_type(L, 1) == LUA_TSTRING) return hml_bind__push(L, c, hml_decimal(c, whole_text(L, 1, "a number")));
  // the value of a parameter or a start is the double it is
  if (lua_type(L, 1) == LUA_TNUMBER && !lua_isinteger(L, 1)) return hml_bind__push(L, c, hml_from_double(c, lua_tonumber(L, 1)));
  return hml_bind__push(L, c, hml_bind__to_expr(L, c, 1));
}

static int pi(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_pi(c));
}

static int rational(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_rational(c, luaL_checkinteger(L, 1), luaL_optinteger(L, 2, 1)));
}

static int parse(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const char *text = whole_text(L, 1, "the text of an expression");
  size_t n;
  hml_expr *symbols = hml_bind__to_list(L, c, 2, &n);
  return hml_bind__push(L, c, hml_parse(c, text, n, symbols));
}

static int sum(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n;
  hml_expr *list = hml_bind__to_list(L, c, 1, &n);
  return hml_bind__push(L, c, hml_sum(c, n, list));
}

static int product(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t n;
  hml_expr *list = hml_bind__to_list(L, c, 1, &n);
  return hml_bind__push(L, c, hml_product(c, n, list));
}

// kinds and parts of an expression

static int kind(lua_State *L) {
  static const char *const names[] = {"number", "float", "symbol", "sum", "product", "power", "call"};
  hml_expr e = hml_bind__test_expr(L, 1);
  if (!e) return luaL_pushfail(L), 1;
  lua_pushstring(L, names[hml_kind_of(e)]);
  return 1;
}

static int operands(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  size_t n = hml_operand_count(e);
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    hml_bind__push(L, c, hml_operand(e, i));
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

// name, order, flags of a symbol; name of the function of a call; nil otherwise
static int name(lua_State *L) {
  hml_expr e = hml_bind__test_expr(L, 1);
  if (e && hml_kind_of(e) == HML_CALL) {
    lua_pushstring(L, hml_opaque__is(e) ? "opaque" : hml_function_name(hml_function_of(e)));
    return 1;
  }
  if (!e || hml_kind_of(e) != HML_SYMBOL) return luaL_pushfail(L), 1;
  lua_pushstring(L, hml_symbol_name(e));
  lua_pushinteger(L, hml_symbol_order(e));
  lua_pushinteger(L, hml_symbol_flags(e));
  return 3;
}

static int undot(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_undot(c, hml_bind__to_expr(L, c, 1), (unsigned)hml_bind__to_integer(L, 2, "the order", 0, HIGHEST_ORDER)));
}

static int number_value(lua_State *L) {
  if (lua_type(L, 1) == LUA_TNUMBER) return lua_settop(L, 1), 1;
  hml_expr e = hml_bind__test_expr(L, 1);
  if (!e || (hml_kind_of(e) != HML_NUMBER && hml_kind_of(e) != HML_FLOAT)) return luaL_pushfail(L), 1;
  // an exact number that is not zero stays so: == 0 is a test of the number, not of its double
  double value = hml_number_value(e);
  if (value == 0 && hml_expr__sign(e) != 0) value = hml_expr__sign(e) * DBL_TRUE_MIN;
  lua_pushnumber(L, value);
  return 1;
}

static int is_double(lua_State *L) {
  hml_expr e = hml_bind__test_expr(L, 1);
  lua_pushboolean(L, e && hml_expr__is_double(e));
  return 1;
}

static int exact_number(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_expr__exact(c, hml_bind__to_expr(L, c, 1)));
}

static int tree_size(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  uint64_t size = hml_tree_size(hml_bind__to_expr(L, c, 1));
  lua_pushinteger(L, size > (uint64_t)LUA_MAXINTEGER ? LUA_MAXINTEGER : (lua_Integer)size);
  return 1;
}

static int compare(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  lua_pushinteger(L, hml_compare(hml_bind__to_expr(L, c, 1), hml_bind__to_expr(L, c, 2)));
  return 1;
}

static void push_list(lua_State *L, hml_context *c, size_t n, const hml_expr *list) {
  lua_createtable(L, (int)n, 0);
  // pushing an expression may let Lua collect, but sweeps happen on entry of a binding only: the list stays valid
  for (size_t i = 0; i < n; i++) {
    hml_bind__push(L, c, list[i]);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

static int symbols(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  enum { FEW = 1000 };
  size_t m, n;
  hml_expr *list = hml_bind__to_list(L, c, 1, &m), few[FEW], *found = few;
  hml_bind__check(L, c, hml_symbols_of(c, m, list, FEW, few, &n));
  if (n > FEW) {
    found = lua_newuserdatauv(L, n * sizeof *found, 0);
    hml_bind__check(L, c, hml_symbols_of(c, m, list, n, found, &n));
  }
  push_list(L, c, n, found);
  return 1;
}

// functions_in(expressions) -> the names of the functions that occur in them, as keys
static int functions_in(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t m, count;
  bool occurs[HML_FUN_COUNT] = {false};
  hml_expr *list = hml_bind__to_list(L, c, 1, &m), *nodes;
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = hml_expr__postorder(&arena, m, list, &nodes, &count);
  for (size_t i = 0; status == HML_OK && i < count; i++)
    if (hml_kind_of(nodes[i]) == HML_CALL && !hml_opaque__is(nodes[i])) occurs[hml_function_of(nodes[i])] = true;
  hml_arena_free(&arena);
  hml_bind__check(L, c, status);
  lua_newtable(L);
  for (int f = 0; f < HML_FUN_COUNT; f++) {
    if (!occurs[f]) continue;
    lua_pushboolean(L, 1);
    lua_setfield(L, -2, hml_function_name((hml_function)f));
  }
  return 1;
}

// opaque_calls(expressions) -> the calls of functions known by name alone, arguments before those that contain them
static int opaque_calls(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  size_t m, count, n = 0;
  hml_expr *list = hml_bind__to_list(L, c, 1, &m), *nodes;
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = hml_expr__postorder(&arena, m, list, &nodes, &count);
  for (size_t i = 0; status == HML_OK && i < count; i++) n += hml_opaque__is(nodes[i]);
  if (status != HML_OK || n == 0) {
    hml_arena_free(&arena);
    hml_bind__check(L, c, status);
    lua_newtable(L);
    return 1;
  }
  hml_expr *calls = hml_arena_alloc(&arena, n * sizeof *calls);
  for (size_t i = n = 0; calls && i < count; i++)
    if (hml_opaque__is(nodes[i])) calls[n++] = nodes[i];
  hml_expr *kept = calls ? lua_newuserdatauv(L, n * sizeof *kept, 0) : NULL;
  if (kept) memcpy(kept, calls, n * sizeof *kept);
  hml_arena_free(&arena);
  if (!kept) return hml_bind__check(L, c, HML_MEMORY), 0;
  push_list(L, c, n, kept);
  return 1;
}

// ---- calculus

static int diff(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  int top = lua_gettop(L);
  if (top < 2) hml_bind__error(L, "diff(e, x, ...) needs the symbol to differentiate by");
  for (int i = 2; i <= top; i++) e = hml_derivative(c, e, hml_bind__to_expr(L, c, i));
  return hml_bind__push(L, c, e);
}

static int dt(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_time_derivative(c, hml_bind__to_expr(L, c, 1)));
}

static int gradient(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  size_t n;
  hml_expr *xs = hml_bind__to_list(L, c, 2, &n), *out = lua_newuserdatauv(L, (n + 1) * sizeof *out, 0);
  hml_bind__check(L, c, hml_gradient(c, e, n, xs, out));
  push_list(L, c, n, out);
  return 1;
}

typedef hml_status pairwise(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *first, const hml_expr *second, hml_expr *out);

// f(expressions, first, second) -> list, first and second of the same length. uneven: the refusal of other lengths, with both
static int mapped(lua_State *L, pairwise *f, const char *uneven) {
  hml_context *c = hml_bind__context(L);
  size_t m, n, k;
  hml_expr *e = hml_bind__to_list(L, c, 1, &m), *first = hml_bind__to_list(L, c, 2, &n), *second = hml_bind__to_list(L, c, 3, &k);
  if (n != k) hml_bind__error(L, uneven, (int)n, (int)k);
  hml_expr *out = lua_newuserdatauv(L, (m + 1) * sizeof *out, 0);
  hml_bind__check(L, c, f(c, m, e, n, first, second, out));
  push_list(L, c, m, out);
  return 1;
}

// directional(expressions, symbols, directions) -> list
static int directional(lua_State *L) {
  return mapped(L, hml_directional, "directional: %d symbols but %d directions");
}

static int matrix(lua_State *L, bool symmetric) {
  hml_context *c = hml_bind__context(L);
  size_t m, n;
  hml_expr *e = hml_bind__to_list(L, c, 1, &m), *xs = hml_bind__to_list(L, c, 2, &n);
  hml_expr *out = lua_newuserdatauv(L, (m * n + 1) * sizeof *out, 0);
  if (symmetric && m != n) hml_bind__error(L, "hessian: %d derivatives by %d symbols", (int)m, (int)n);
  hml_bind__check(L, c, symmetric ? hml_hessian(c, n, e, xs, out) : hml_jacobian(c, m, e, n, xs, out));
  lua_createtable(L, (int)m, 0);
  for (size_t i = 0; i < m; i++) {
    push_list(L, c, n, out + i * n);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

// jacobian(expressions, symbols) -> rows
static int jacobian(lua_State *L) {
  return matrix(L, false);
}

// hessian(gradient, symbols) -> rows, of the expression that has that gradient in these symbols
static int hessian(lua_State *L) {
  return matrix(L, true);
}

#define UNEVEN_SUBSTITUTION "substitute: %d expressions but %d replacements"

static int substitute(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  size_t n, k;
  hml_expr *from = hml_bind__to_list(L, c, 2, &n), *to = hml_bind__to_list(L, c, 3, &k);
  if (n != k) hml_bind__error(L, UNEVEN_SUBSTITUTION, (int)n, (int)k);
  return hml_bind__push(L, c, hml_substitute(c, e, n, from, to));
}

// substitute_all(expressions, from, to) -> list
static int substitute_all(lua_State *L) {
  return mapped(L, hml_substitute_all, UNEVEN_SUBSTITUTION);
}

static int value(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1);
  size_t n, k;
  hml_expr *xs = hml_bind__to_list(L, c, 2, &n);
  double *values = hml_bind__to_doubles(L, 3, &k), out = 0;
  if (n != k) hml_bind__error(L, "value: %d symbols but %d values", (int)n, (int)k);
  hml_bind__check(L, c, hml_value(c, e, n, xs, values, &out));
  lua_pushnumber(L, out);
  return 1;
}

// hidden(e, symbols, values) -> the part whose value the rounding errors hide, or nil
static int hidden(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_expr e = hml_bind__to_expr(L, c, 1), part = NULL;
  size_t n, k;
  hml_expr *xs = hml_bind__to_list(L, c, 2, &n);
  double *values = hml_bind__to_doubles(L, 3, &k);
  if (n != k) hml_bind__error(L, "hidden: %d symbols but %d values", (int)n, (int)k);
  hml_bind__check(L, c, hml_expr__hidden(c, e, n, xs, values, &part));
  if (part) return hml_bind__push(L, c, part);
  lua_pushnil(L);
  return 1;
}

static int is_expression(lua_State *L) {
  lua_pushboolean(L, hml_bind__test_expr(L, 1) != NULL);
  return 1;
}

static int known_positive(lua_State *L) {
  hml_expr e = hml_bind__test_expr(L, 1);
  lua_pushboolean(L, e && hml_expr__known_positive(e));
  return 1;
}

static int known_nonnegative(lua_State *L) {
  hml_expr e = hml_bind__test_expr(L, 1);
  lua_pushboolean(L, e && hml_expr__known_nonnegative(e));
  return 1;
}

static int constant_sign(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  lua_pushinteger(L, hml_expr__constant_sign(c, hml_bind__to_expr(L, c, 1)));
  if (hml_failed(c)) hml_bind__check(L, c, hml_context_error(c)->status);
  return 1;
}

static int node_count(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_context_node_count(hml_bind__context(L)));
  return 1;
}

static int sweep(lua_State *L) {
  lua_pushboolean(L, hml_bind__sweep(L, hml_bind__context(L)));
  return 1;
}

// function_help("atan2") -> the line of help in functions.def, or nil
static int function_help(lua_State *L) {
  lua_pushstring(L, hml_function_help(hml_function_find(luaL_checkstring(L, 1))));
  return 1;
}

static const luaL_Reg functions[] = {
    {"function_help", function_help},
    {"symbol", symbol}, {"opaque", opaque}, {"opaque_parts", opaque_parts}, {"opaque_call", opaque_call},
    {"opaque_calls", opaque_calls}, {"number", number}, {"rational", rational}, {"pi", pi}, {"parse", parse}, {"sum", sum}, {"product", product},
    {"sqrt", square_root}, {"kind", kind}, {"operands", operands}, {"name", name}, {"undot", undot}, {"number_value", number_value}, {"is_double", is_double}, {"exact_number", exact_number},
    {"tree_size", tree_size}, {"compare", compare}, {"symbols", symbols}, {"functions_in", functions_in}, {"diff", diff}, {"dt", dt}, {"gradient", gradient},
    {"directional", directional}, {"jacobian", jacobian}, {"hessian", hessian}, {"substitute", substitute}, {"substitute_all", substitute_all}, {"value", value}, {"hidden", hidden}, {"is_expression", is_expression}, {"known_positive", known_positive}, {"known_nonnegative", known_nonnegative},
    {"constant_sign", constant_sign}, {"text", to_string},
    {"latex", latex}, {"node_count", node_count}, {"sweep", sweep}, {NULL, NULL},
};

static const luaL_Reg metamethods[] = {
    {"__add", add}, {"__sub", subtract}, {"__mul", multiply}, {"__div", divide}, {"__pow", power}, {"__unm", negate},
    {"__eq", equal}, {"__lt", less}, {"__le", less_or_equal}, {"__tostring", to_string}, {"__concat", concatenate}, {"__call", call},  {"__newindex", assign},
    {"__len", no_length}, {"__idiv", no_floor}, {"__mod", no_remainder}, {"__band", no_bits}, {"__bor", no_bits}, {"__bxor", no_bits}, {"__bnot", no_bits},
    {NULL, NULL},
};

void hml_bind__where_functions(lua_State *L);
void hml_bind__expression_gc(lua_State *L);

// Fields of the module table on top of the stack; `methods` of expressions is a table that Lua modules extend
void hml_bind_expr(lua_State *L) {
  luaL_setfuncs(L, functions, 0);
  hml_bind__where_functions(L);
  lua_newtable(L);
  for (int f = 0; f < HML_FUN_COUNT; f++) {
    lua_pushinteger(L, f);
    lua_pushcclosure(L, elementary, 1);
    lua_pushvalue(L, -1);
    lua_setfield(L, -4, hml_function_name(f));
    lua_setfield(L, -2, hml_function_name(f));
  }
  lua_setfield(L, -2, "functions");
  luaL_newmetatable(L, HML_EXPRESSION);
  luaL_setfuncs(L, metamethods, 0);
  hml_bind__expression_gc(L);
  lua_newtable(L);
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "methods");
  lua_pushcclosure(L, index_of, 1);
  lua_setfield(L, -2, "__index");
  lua_pop(L, 1);
  lua_pushstring(L, hml_version());
  lua_setfield(L, -2, "version");
  lua_pushboolean(L, hml_program__has_quad());
  lua_setfield(L, -2, "has_quad");
}
