// bind_balls.c: balls and enclosures in Lua. A ball is a midpoint with a radius: some number in it is meant.
#define HML_BALLS
#include "bind_balls.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define HML_ENCLOSURE "hamel.enclosure"

#ifdef HAMEL_ARB

// ---- balls

static arb_ptr test_ball(lua_State *L, int index) { return luaL_testudata(L, index, HML_BALL); }
static arb_ptr check_ball(lua_State *L, int index) { return luaL_checkudata(L, index, HML_BALL); }

static arb_ptr new_ball(lua_State *L) {
  arb_ptr x = lua_newuserdatauv(L, sizeof *x, 0);
  arb_init(x);
  luaL_setmetatable(L, HML_BALL);
  return x;
}

int hml_bind__push_ball(lua_State *L, arb_srcptr x) {
  arb_set(new_ball(L), x);
  return 1;
}

static int ball_gc(lua_State *L) {
  arb_clear(check_ball(L, 1));
  return 0;
}

static bool parse_part(arb_t x, const char *text, size_t length, slong bits) {
  char *copy = flint_malloc(length + 1), *end;
  memcpy(copy, text, length);
  copy[length] = '\0';
  bool fine = true;
  if (strpbrk(copy, "xX")) {                                     // the doubles of Lua's %a
    double value = strtod(copy, &end);
    fine = *end == '\0' && end != copy && isfinite(value);
    arb_set_d(x, value);
  } else {
    fine = length > 0 && strspn(copy, "0123456789+-.eE") == length && arb_set_str(x, copy, bits) == 0;
  }
  flint_free(copy);
  return fine && arb_is_finite(x);
}

// "9.81", "981/100", "0x1.8p3", "pi"
static bool parse_ball(arb_t x, const char *text, slong bits) {
  const char *slash = strchr(text, '/');
  if (strcmp(text, "pi") == 0) return arb_const_pi(x, bits), true;
  if (!slash) return parse_part(x, text, strlen(text), bits);
  arb_t below;
  arb_init(below);
  bool fine = parse_part(x, text, (size_t)(slash - text), bits + 10) && parse_part(below, slash + 1, strlen(slash + 1), bits + 10);
  if (fine) arb_div(x, x, below, bits);
  arb_clear(below);
  return fine && arb_is_finite(x);
}

enum { MOST_BITS = 1 << 22 };

static slong check_bits(lua_State *L, int index) { return (slong)hml_bind__to_integer(L, index, "bits", 2, MOST_BITS); }

// ball(text, bits)
static int ball(lua_State *L) {
  const char *text = luaL_checkstring(L, 1);
  slong bits = check_bits(L, 2);
  if (!parse_ball(new_ball(L), text, bits)) hml_bind__error(L, "'%s' is not a number", text);
  return 1;
}

// ball_around(ball, ball): the midpoint widened by the size of the other
static int ball_around(lua_State *L) {
  arb_ptr x = new_ball(L);
  arb_set(x, check_ball(L, 1));
  mag_t size;
  mag_init(size);
  arb_get_mag(size, check_ball(L, 2));
  mag_add(arb_radref(x), arb_radref(x), size);
  mag_clear(size);
  return 1;
}

// ball_between(low, high): the smallest ball that holds both
static int ball_between(lua_State *L) {
  arb_ptr x = new_ball(L);
  arb_union(x, check_ball(L, 1), check_ball(L, 2), check_bits(L, 3));
  return 1;
}

// ball_sum(x, y, sign): x + y or x - y, rounded outward
static int ball_sum(lua_State *L) {
  arb_ptr x = check_ball(L, 1), y = check_ball(L, 2), sum = new_ball(L);
  slong bits = arb_bits(x) > arb_bits(y) ? arb_bits(x) : arb_bits(y);
  if (lua_tointeger(L, 3) < 0) arb_sub(sum, x, y, bits + 10);
  else arb_add(sum, x, y, bits + 10);
  return 1;
}

// program_uses(program, i): does any value depend on input i?
static int program_uses(lua_State *L) {
  const hml_program *p = hml_bind__program(L, 1);
  lua_pushboolean(L, hml_balls__uses(p, (size_t)hml_bind__to_integer(L, 2, "input", 1, (lua_Integer)hml_program_inputs(p)) - 1));
  return 1;
}

static int is_ball(lua_State *L) {
  lua_pushboolean(L, test_ball(L, 1) != NULL);
  return 1;
}

static int push_digits(lua_State *L, arb_srcptr x, slong digits, ulong flags) {
  char *text = arb_get_str(x, digits, flags);
  lua_pushstring(L, text);
  flint_free(text);
  return 1;
}

static int ball_tostring(lua_State *L) {
  enum { SHOWN = 20 };
  return push_digits(L, check_ball(L, 1), SHOWN, 0);
}

// x:text(n): at most n digits, all of them certain up to one unit of the last
static int ball_text(lua_State *L) { return push_digits(L, check_ball(L, 1), (slong)hml_bind__to_integer(L, 2, "digits", 1, 1000000), ARB_STR_NO_RADIUS); }

// x:holds(ball) -> true, false, nil: undecided
static int ball_holds(lua_State *L) {
  arb_ptr x = check_ball(L, 1), y = check_ball(L, 2);
  if (arb_contains(x, y)) lua_pushboolean(L, 1);
  else if (!arb_overlaps(x, y)) lua_pushboolean(L, 0);
  else lua_pushnil(L);
  return 1;
}

static int ball_meets(lua_State *L) {
  lua_pushboolean(L, arb_overlaps(check_ball(L, 1), check_ball(L, 2)));
  return 1;
}

static int ball_positive(lua_State *L) {
  arb_ptr x = check_ball(L, 1);
  if (arb_is_positive(x)) lua_pushboolean(L, 1);
  else if (arb_is_nonpositive(x)) lua_pushboolean(L, 0);
  else lua_pushnil(L);
  return 1;
}

// x:accuracy() -> bits of the size that the radius leaves; large where exact
static int ball_accuracy(lua_State *L) {
  slong bits = arb_rel_accuracy_bits(check_ball(L, 1));
  lua_pushinteger(L, bits > MOST_BITS ? MOST_BITS : bits < -MOST_BITS ? -MOST_BITS : bits);
  return 1;
}

static int ball_is_exact(lua_State *L) {
  lua_pushboolean(L, arb_is_exact(check_ball(L, 1)));
  return 1;
}

static int ball_midpoint(lua_State *L) {
  arb_ptr x = new_ball(L);
  arb_get_mid_arb(x, check_ball(L, 1));
  return 1;
}

// x:log_size() -> log10 of an upper bound of |x|, -inf for zero; of the radius where asked
static int ball_log_size(lua_State *L) {
  mag_t size;
  mag_init(size);
  if (lua_toboolean(L, 2)) mag_set(size, arb_radref(check_ball(L, 1)));
  else arb_get_mag(size, check_ball(L, 1));
  lua_pushnumber(L, mag_is_zero(size) ? -INFINITY : mag_is_inf(size) ? INFINITY : mag_get_d_log2_approx(size) * 0.30102999566398120);
  mag_clear(size);
  return 1;
}

static double bound(arb_srcptr x, bool upper) {
  arf_t end;
  arf_init(end);
  if (upper) arb_get_ubound_arf(end, x, 64);
  else arb_get_lbound_arf(end, x, 64);
  double result = arf_get_d(end, upper ? ARF_RND_CEIL : ARF_RND_FLOOR);
  arf_clear(end);
  return result;
}

// radius, lower, upper: doubles rounded outward; methods otherwise
static int ball_index(lua_State *L) {
  arb_ptr x = check_ball(L, 1);
  const char *key = luaL_checkstring(L, 2);
  if (strcmp(key, "lower") == 0) lua_pushnumber(L, bound(x, false));
  else if (strcmp(key, "upper") == 0) lua_pushnumber(L, bound(x, true));
  else if (strcmp(key, "radius") == 0) {
    arf_t radius;
    arf_init(radius);
    arf_set_mag(radius, arb_radref(x));
    lua_pushnumber(L, arf_get_d(radius, ARF_RND_CEIL));
    arf_clear(radius);
  } else {
    lua_pushvalue(L, 2);
    lua_rawget(L, lua_upvalueindex(1));
  }
  return 1;
}

arb_ptr hml_bind__to_balls(lua_State *L, int index, size_t *n) {
  luaL_checktype(L, index, LUA_TTABLE);
  index = lua_absindex(L, index);
  *n = lua_rawlen(L, index);
  arb_ptr list = lua_newuserdatauv(L, (*n + 1) * sizeof *list, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, index, (lua_Integer)i + 1);
    arb_ptr x = test_ball(L, -1);
    if (!x) hml_bind__error(L, "entry %d is no ball", (int)i + 1);
    list[i] = *x;
    lua_pop(L, 1);
  }
  return list;
}

void hml_bind__push_balls(lua_State *L, arb_srcptr x, size_t n) {
  lua_createtable(L, (int)n, 0);
  for (size_t i = 0; i < n; i++) {
    hml_bind__push_ball(L, x + i);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

// ball_values(program, t, {inputs behind t}, bits) -> {outputs}
static int ball_values(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_program *p = hml_bind__program(L, 1);
  arb_ptr t = check_ball(L, 2);
  size_t n, m = hml_program_outputs(p);
  arb_ptr in = hml_bind__to_balls(L, 3, &n);
  if (n + 1 != hml_program_inputs(p)) hml_bind__error(L, "the program has %d inputs, not %d", (int)hml_program_inputs(p), (int)n + 1);
  hml_balls_layout l = {.bits = check_bits(L, 4)};
  hml_balls *b;
  hml_bind__check(L, c, hml_balls__new(c, p, &l, &b));
  hml_status status = hml_balls__expand(b, t, in, in);
  arb_ptr out = _arb_vec_init((slong)m);
  for (size_t k = 0; k < m && status == HML_OK; k++) {
    bool steady;
    arb_set(out + k, hml_balls__output(b, k, 0, &steady));
  }
  hml_balls__free(b);
  if (status == HML_OK) hml_bind__push_balls(L, out, m);
  _arb_vec_clear(out, (slong)m);
  hml_bind__check(L, c, status);
  return 1;
}

// ball_root(program, t, {inputs behind t}, {unknown ones}, rows, bits) -> {inputs}, or nil, the row that is violated, its residual
static int ball_root(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  hml_ball_root r = {.program = hml_bind__program(L, 1), .rows = (size_t)hml_bind__to_integer(L, 5, "rows", 0, 100000), .bits = check_bits(L, 6)};
  arb_ptr t = check_ball(L, 2);
  size_t n;
  arb_ptr given = hml_bind__to_balls(L, 3, &n);
  r.unknowns = lua_rawlen(L, 4);
  if (n + 1 != hml_program_inputs(r.program) || hml_program_outputs(r.program) != r.rows * (1 + r.unknowns)) hml_bind__error(L, "ball_root: wrong numbers of inputs or outputs");
  uint32_t *unknown = lua_newuserdatauv(L, (r.unknowns + 1) * sizeof *unknown, 0);
  for (size_t i = 0; i < r.unknowns; i++) {
    lua_rawgeti(L, 4, (lua_Integer)i + 1);
    unknown[i] = (uint32_t)hml_bind__to_integer(L, -1, "unknown", 1, (lua_Integer)n) - 1;
    lua_pop(L, 1);
  }
  r.unknown = unknown;
  arb_ptr x = _arb_vec_init((slong)n), residual = new_ball(L);
  for (size_t i = 0; i < n; i++) arb_set(x + i, given + i);
  size_t violated;
  hml_status status = hml_balls__root(c, &r, t, x, &violated, residual);
  if (status == HML_OK && violated == r.rows) hml_bind__push_balls(L, x, n);
  _arb_vec_clear(x, (slong)n);
  hml_bind__check(L, c, status);
  if (violated == r.rows) return 1;
  lua_pushnil(L);
  lua_pushinteger(L, (lua_Integer)violated + 1);
  lua_pushvalue(L, -3);
  return 3;
}

// ---- enclosures

typedef struct held_enclosure { hml_enclosure *e; hml_context *context; } held_enclosure;

static held_enclosure *check_enclosure(lua_State *L, int index) { return luaL_checkudata(L, index, HML_ENCLOSURE); }

static int enclosure_gc(lua_State *L) {
  held_enclosure *slot = check_enclosure(L, 1);
  hml_enclosure__free(slot->e);
  slot->e = NULL;
  return 0;
}

static size_t count_of(lua_State *L, int index, const char *key) { return hml_bind__to_count(hml_bind__number_field(L, index, key, 0)); }
static size_t count_field(lua_State *L, const char *key) { return count_of(L, 1, key); }

// enclosure{ dynamics =, values =, kin =, dyn =, multipliers =, held =, parameters = {balls}, bits =, order =, limit =, tangents =, fine =, slack =, most_steps = }
static int enclosure(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  luaL_checktype(L, 1, LUA_TTABLE);
  held_enclosure *slot = lua_newuserdatauv(L, sizeof *slot, 2);
  *slot = (held_enclosure){.context = c};
  luaL_setmetatable(L, HML_ENCLOSURE);
  hml_enclosure_spec s = {.kin = count_field(L, "kin"), .n = count_field(L, "dyn"), .m = count_field(L, "multipliers"), .held = count_field(L, "held"),
                          .bits = (slong)count_field(L, "bits"), .order = (unsigned)count_field(L, "order"), .limit = hml_bind__number_field(L, 1, "limit", 1),
                          .slack = hml_bind__number_field(L, 1, "slack", 0), .most_steps = count_field(L, "most_steps")};
  // the programs live as long as the enclosure
  lua_getfield(L, 1, "dynamics");
  s.dynamics = hml_bind__program(L, -1);
  lua_setiuservalue(L, 2, 1);
  lua_getfield(L, 1, "values");
  s.values = hml_bind__program(L, -1);
  lua_setiuservalue(L, 2, 2);
  lua_getfield(L, 1, "tangents");
  s.tangents = lua_toboolean(L, -1);
  lua_getfield(L, 1, "fine");
  s.fine = lua_toboolean(L, -1);
  lua_getfield(L, 1, "parameters");
  size_t n, inputs = hml_program_inputs(s.dynamics), least = s.kin + s.n * (s.n + 1) / 2 + s.m * s.n + s.n + s.m;
  arb_ptr parameters = hml_bind__to_balls(L, -1, &n);
  bool fits = inputs == 1 + s.kin + s.n + s.held + n && hml_program_inputs(s.values) == inputs && hml_program_outputs(s.dynamics) >= least;
  if (!fits || hml_program_outputs(s.values) < least) hml_bind__error(L, "enclosure: the programs do not have the inputs and outputs of these equations");
  if (s.bits < 24 || s.bits > MOST_BITS) hml_bind__error(L, "enclosure: %d bits; 24 to %d are possible", (int)s.bits, (int)MOST_BITS);
  hml_bind__check(L, c, hml_enclosure__new(c, &s, parameters, &slot->e));
  lua_settop(L, 2);
  return 1;
}

// e:start(t, x)
static int enclosure_start(lua_State *L) {
  held_enclosure *slot = check_enclosure(L, 1);
  size_t n;
  arb_ptr t = check_ball(L, 2), x = hml_bind__to_balls(L, 3, &n);
  if (n != hml_enclosure__states(slot->e)) hml_bind__error(L, "the state has %d entries, not %d", (int)hml_enclosure__states(slot->e), (int)n);
  hml_enclosure__start(slot->e, t, x);
  return 0;
}

static bool ends_a_motion(hml_status status) {
  return status == HML_SINGULAR || status == HML_SINGULAR_MASS || status == HML_STEP_COLLAPSED || status == HML_LIMIT || status == HML_NOT_FINITE;
}

// e:run{times} -> list of results at the times reached, then the status and the message where the motion was lost
static int enclosure_run(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  size_t n, reached, each = hml_enclosure__results(slot->e);
  arb_ptr times = hml_bind__to_balls(L, 2, &n), results = _arb_vec_init((slong)(n * each));
  hml_status status = hml_enclosure__run(slot->e, n, times, results, &reached);
  lua_createtable(L, (int)reached, 0);
  for (size_t k = 0; k < reached; k++) {
    hml_bind__push_balls(L, results + k * each, each);
    lua_rawseti(L, -2, (lua_Integer)k + 1);
  }
  _arb_vec_clear(results, (slong)(n * each));
  if (status == HML_OK) return 1;
  if (!ends_a_motion(status)) hml_bind__check(L, c, status);
  lua_pushstring(L, hml_status_name(status));
  lua_pushstring(L, hml_context_error(c)->message);
  hml_context_clear_error(c);
  return 3;
}

// e:cross{ output =, level = ball, finish = ball, direction =, count = } -> the time, results at the crossing; nil, how many there were before the end; the
// status and the message where the motion was lost
static int enclosure_cross(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  size_t each = hml_enclosure__results(slot->e), found, output = count_of(L, 2, "output");
  if (output < 1 || output > hml_enclosure__shown(slot->e)) hml_bind__error(L, "cross: there is no output %d", (int)output);
  hml_crossing_spec s = {.output = (uint32_t)output - 1, .direction = (int)hml_bind__number_field(L, 2, "direction", 0), .count = count_of(L, 2, "count")};
  lua_getfield(L, 2, "level");
  s.level = check_ball(L, -1);
  lua_getfield(L, 2, "finish");
  s.end = check_ball(L, -1);
  arb_ptr T = new_ball(L), results = _arb_vec_init((slong)each);
  hml_status status = hml_enclosure__cross(slot->e, &s, T, results, &found);
  bool there = status == HML_OK && found >= s.count;
  if (there) hml_bind__push_balls(L, results, each);
  _arb_vec_clear(results, (slong)each);
  if (there) return 2;
  lua_pushnil(L);
  lua_pushinteger(L, (lua_Integer)found);
  if (status == HML_OK) return 2;
  if (!ends_a_motion(status)) hml_bind__check(L, c, status);
  lua_pushstring(L, hml_status_name(status));
  lua_pushstring(L, hml_context_error(c)->message);
  hml_context_clear_error(c);
  return 4;
}

// e:values() -> results at the present set
static int enclosure_values(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  size_t each = hml_enclosure__results(slot->e);
  arb_ptr results = _arb_vec_init((slong)each);
  hml_status status = hml_enclosure__values(slot->e, results);
  if (status == HML_OK) hml_bind__push_balls(L, results, each);
  _arb_vec_clear(results, (slong)each);
  hml_bind__check(L, c, status);
  return 1;
}

// e:states() -> balls of the states at the present set
static int enclosure_states(lua_State *L) {
  held_enclosure *slot = check_enclosure(L, 1);
  hml_bind__push_balls(L, hml_enclosure__hull(slot->e), hml_enclosure__states(slot->e));
  return 1;
}

// A list of numbers in a field, counted from 0, as a userdata on the stack
static uint32_t *numbers_field(lua_State *L, int index, const char *key, size_t most, size_t *n) {
  lua_getfield(L, index, key);
  double *list = hml_bind__to_doubles(L, -1, n);
  uint32_t *numbers = lua_newuserdatauv(L, (*n + 1) * sizeof *numbers, 0);
  for (size_t i = 0; i < *n; i++) {
    if (!(list[i] >= 1 && list[i] <= (double)most)) hml_bind__error(L, "%s: there is no number %g", key, list[i]);
    numbers[i] = (uint32_t)list[i] - 1;
  }
  return numbers;
}

static void push_multipliers(lua_State *L, const arb_mat_struct *monodromy, size_t n, size_t ones) {
  size_t count = n > ones ? n - ones : 0;
  acb_ptr roots = _acb_vec_init((slong)count + 1);
  bool apart = hml_orbit_multipliers(monodromy, ones, roots);
  arb_t size;
  arb_init(size);
  if (!apart) lua_pushnil(L);
  else lua_createtable(L, (int)count, 0);
  for (size_t i = 0; i < count && apart; i++) {
    lua_createtable(L, 0, 3);
    hml_bind__push_ball(L, acb_realref(roots + i)), lua_setfield(L, -2, "re");
    hml_bind__push_ball(L, acb_imagref(roots + i)), lua_setfield(L, -2, "im");
    acb_abs(size, roots + i, 128);
    hml_bind__push_ball(L, size), lua_setfield(L, -2, "size");
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  arb_clear(size);
  _acb_vec_clear(roots, (slong)count + 1);
}

// { outputs =, targets =, integrals = how many of these, advance = {states}, mirror = {states}, flip = {states}, quaternions = {states}, shift = {balls}, clock = state of time,
// held = {balls}, iterations =, radii = {balls} } at an index
static hml_closed_spec closed_spec(lua_State *L, const hml_enclosure *e, int index) {
  size_t k, m, states = hml_enclosure__states(e);
  luaL_checktype(L, index, LUA_TTABLE);
  hml_closed_spec s = {.integrals = hml_bind__to_count(hml_bind__number_field(L, index, "integrals", 0)),
                       .iterations = (unsigned)hml_bind__to_count(hml_bind__number_field(L, index, "iterations", 20))};
  lua_getfield(L, index, "targets");
  s.target = hml_bind__to_balls(L, -1, &m);
  s.conditions = m;
  if (lua_getfield(L, index, "held") == LUA_TTABLE) s.held_values = hml_bind__to_balls(L, -1, &s.held);
  if (s.held > states) hml_bind__error(L, "closed: wrong number of held states");
  states -= s.held;
  s.output = numbers_field(L, index, "outputs", hml_enclosure__shown(e), &k);
  s.advance = numbers_field(L, index, "advance", states, &s.advancing);
  s.mirror = numbers_field(L, index, "mirror", states, &s.mirrored);
  s.flip = numbers_field(L, index, "flip", states, &s.flipping);
  if (lua_getfield(L, index, "quaternions") == LUA_TTABLE) s.quaternion = numbers_field(L, index, "quaternions", states, &s.quaternions);
  if (lua_getfield(L, index, "shift") == LUA_TTABLE) {
    size_t shifts;
    s.shift = hml_bind__to_balls(L, -1, &shifts);
    if (shifts != states) hml_bind__error(L, "closed: wrong number of shifts");
  }
  s.clock = count_of(L, index, "clock");
  if (s.clock > states) hml_bind__error(L, "closed: there is no state %d of time", (int)s.clock);
  if (lua_getfield(L, index, "radii") == LUA_TTABLE) {
    size_t radii;
    s.radius = hml_bind__to_balls(L, -1, &radii);
    if (radii != states + 1) hml_bind__error(L, "closed: wrong number of radii");
  }
  if (m != k || s.integrals > m) hml_bind__error(L, "closed: wrong numbers of conditions");
  size_t closing = s.mirrored > 0 ? s.mirrored : states - s.integrals - s.advancing;
  for (size_t i = 0; i < s.mirrored; i++)
    for (size_t j = 0; j < s.advancing; j++) closing -= s.mirror[i] == s.advance[j];
  if (closing + m != states + 1)
    hml_bind__error(L, "prove_periodic: %d equations for %d unknowns; there must be as many of them", (int)(closing + m), (int)states + 1);
  return s;
}

// The field y: balls of the states and of the period
static arb_ptr closed_start(lua_State *L, size_t states, int index) {
  size_t n;
  lua_getfield(L, index, "y");
  arb_ptr y = hml_bind__to_balls(L, -1, &n);
  if (n != states + 1) hml_bind__error(L, "closed: wrong number of unknowns");
  return y;
}

// e:closed{ y = {balls}, outputs =, targets =, ... }
// -> { proved =, rows_fail =, astray =, tried =, image =, contraction =, least =, rate =, growth =, steps =, reason =, y =, finish =, radii =, images = {balls},
//      family, none, open = what lies near the guess, where that was looked for, dependent =, near_period =, near_residual =, near_state = }
static int enclosure_closed(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  hml_closed_spec s = closed_spec(L, slot->e, 2);
  size_t states = hml_enclosure__states(slot->e) - s.held;
  arb_ptr given = closed_start(L, states, 2);
  hml_closed out;
  arb_ptr y = _arb_vec_init((slong)states + 1), end = _arb_vec_init((slong)states), radii = _arb_vec_init(2 * ((slong)states + 1)), images = radii + states + 1;
  for (size_t i = 0; i <= states; i++) arb_set(y + i, given + i);
  hml_status status = hml_enclosure__closed(c, slot->e, &s, y, end, radii, images, &out);
  lua_createtable(L, 0, 13);
  hml_bind__push_balls(L, y, states + 1), lua_setfield(L, -2, "y");
  hml_bind__push_balls(L, end, states), lua_setfield(L, -2, "finish");
  hml_bind__push_balls(L, radii, states + 1), lua_setfield(L, -2, "radii");
  hml_bind__push_balls(L, images, states + 1), lua_setfield(L, -2, "images");
  _arb_vec_clear(y, (slong)states + 1), _arb_vec_clear(end, (slong)states), _arb_vec_clear(radii, 2 * ((slong)states + 1));
  hml_bind__check(L, c, status);
  lua_pushboolean(L, out.proved), lua_setfield(L, -2, "proved");
  lua_pushboolean(L, out.rows_fail), lua_setfield(L, -2, "rows_fail");
  lua_pushboolean(L, out.astray), lua_setfield(L, -2, "astray");
  lua_pushnumber(L, out.tried), lua_setfield(L, -2, "tried");
  lua_pushnumber(L, out.image), lua_setfield(L, -2, "image");
  lua_pushnumber(L, out.contraction), lua_setfield(L, -2, "contraction");
  lua_pushnumber(L, out.least), lua_setfield(L, -2, "least");
  lua_pushnumber(L, out.rate), lua_setfield(L, -2, "rate");
  lua_pushnumber(L, out.growth), lua_setfield(L, -2, "growth");
  lua_pushinteger(L, (lua_Integer)out.steps), lua_setfield(L, -2, "steps");
  lua_pushstring(L, out.reason), lua_setfield(L, -2, "reason");
  if (out.vicinity) {
    lua_pushboolean(L, 1), lua_setfield(L, -2, out.vicinity == HML_NEAR_FAMILY ? "family" : out.vicinity == HML_NEAR_OPEN ? "open" : "none");
    lua_pushnumber(L, out.near_residual), lua_setfield(L, -2, "near_residual");
    lua_pushinteger(L, (lua_Integer)out.near_state + 1), lua_setfield(L, -2, "near_state");
    lua_pushinteger(L, (lua_Integer)out.dependent), lua_setfield(L, -2, "dependent");
    lua_pushnumber(L, out.near_period), lua_setfield(L, -2, "near_period");
  }
  return 1;
}

// e:multipliers{ y = {balls}, outputs =, ..., ones = } -> { {re =, im =, size = balls}, ... }, nil where they are not apart
static int enclosure_multipliers(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  hml_closed_spec s = closed_spec(L, slot->e, 2);
  size_t states = hml_enclosure__states(slot->e) - s.held;
  arb_srcptr y = closed_start(L, states, 2);
  size_t ones = hml_bind__to_count(hml_bind__number_field(L, 2, "ones", 1));
  arb_mat_t monodromy;
  arb_mat_init(monodromy, (slong)states, (slong)states);
  hml_status status = hml_enclosure__monodromy(c, slot->e, &s, y, monodromy);
  if (status == HML_OK) push_multipliers(L, monodromy, states, ones);
  arb_mat_clear(monodromy);
  if (status == HML_OK) return 1;
  if (!ends_a_motion(status)) hml_bind__check(L, c, status);
  hml_context_clear_error(c);
  lua_pushnil(L);
  return 1;
}

// e:no_return{ y = {balls}, outputs =, ... } -> a time within which no motion from y comes back, or nil
static int enclosure_no_return(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_enclosure *slot = check_enclosure(L, 1);
  hml_closed_spec s = closed_spec(L, slot->e, 2);
  arb_srcptr y = closed_start(L, hml_enclosure__states(slot->e) - s.held, 2);
  double h;
  hml_bind__check(L, c, hml_enclosure__no_return(c, slot->e, &s, y, &h));
  if (h > 0) lua_pushnumber(L, h);
  else lua_pushnil(L);
  return 1;
}

// e:progress() -> time, steps, order, width of the present set
static int enclosure_progress(lua_State *L) {
  held_enclosure *slot = check_enclosure(L, 1);
  lua_pushnumber(L, hml_enclosure__time(slot->e));
  lua_pushinteger(L, (lua_Integer)hml_enclosure__steps(slot->e));
  lua_pushinteger(L, (lua_Integer)hml_enclosure__order(slot->e));
  lua_pushnumber(L, hml_enclosure__width(slot->e));
  return 4;
}

void hml_bind_balls(lua_State *L) {
  static const luaL_Reg ball_methods[] = {{"text", ball_text}, {"holds", ball_holds}, {"meets", ball_meets}, {"positive", ball_positive}, {"accuracy", ball_accuracy},
                                          {"is_exact", ball_is_exact}, {"midpoint", ball_midpoint}, {"log_size", ball_log_size}, {NULL, NULL}};
  static const luaL_Reg methods[] = {{"start", enclosure_start}, {"run", enclosure_run}, {"values", enclosure_values}, {"states", enclosure_states}, {"cross", enclosure_cross}, {"closed", enclosure_closed}, {"multipliers", enclosure_multipliers}, {"no_return", enclosure_no_return}, {"progress", enclosure_progress}, {NULL, NULL}};
  static const luaL_Reg functions[] = {{"ball", ball}, {"is_ball", is_ball}, {"program_uses", program_uses}, {"ball_around", ball_around}, {"ball_sum", ball_sum}, {"ball_between", ball_between}, {"ball_values", ball_values}, {"ball_root", ball_root}, {"enclosure", enclosure},
                                       {NULL, NULL}};
  hml_bind__new_class(L, HML_BALL, ball_methods, ball_gc);
  luaL_getmetatable(L, HML_BALL);
  lua_getfield(L, -1, "__index");
  lua_pushvalue(L, -1);
  lua_setfield(L, -4, "ball_methods");
  lua_pushcclosure(L, ball_index, 1);
  lua_setfield(L, -2, "__index");
  lua_pushcfunction(L, ball_tostring);
  lua_setfield(L, -2, "__tostring");
  lua_pop(L, 1);
  hml_bind__new_class(L, HML_ENCLOSURE, methods, enclosure_gc);
  luaL_setfuncs(L, functions, 0);
  hml_bind__ball_systems(L);
  lua_pushboolean(L, 1);
  lua_setfield(L, -2, "has_arb");
}

#else

static int never(lua_State *L) {
  lua_pushboolean(L, 0);
  return 1;
}

void hml_bind_balls(lua_State *L) {
  static const luaL_Reg functions[] = {{"is_ball", never}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  lua_pushboolean(L, 0);
  lua_setfield(L, -2, "has_arb");
}

#endif
