// bind_program.c: straight-line programs in Lua: evaluation, derivatives, listings.
#include "bind.h"

#include <math.h>
#include <string.h>

typedef struct held_program {
  hml_program *p;
} held_program;

hml_program *hml_bind__program(lua_State *L, int index) {
  hml_program *p = ((held_program *)luaL_checkudata(L, index, HML_PROGRAM_TYPE))->p;
  if (!p) hml_bind__error(L, "this program is gone");
  return p;
}

static held_program *new_slot(lua_State *L) {
  held_program *slot = lua_newuserdatauv(L, sizeof *slot, 0);
  slot->p = NULL;
  luaL_setmetatable(L, HML_PROGRAM_TYPE);
  return slot;
}

hml_program **hml_bind__new_program(lua_State *L) {
  return &new_slot(L)->p;
}

static int program_gc(lua_State *L) {
  held_program *slot = luaL_checkudata(L, 1, HML_PROGRAM_TYPE);
  if (slot->p) hml_program_free(slot->p);
  slot->p = NULL;
  return 0;
}

// program(inputs, outputs)
static int program(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  held_program *slot = new_slot(L);
  size_t n, m;
  hml_expr *in = hml_bind__to_list(L, c, 1, &n), *out = hml_bind__to_list(L, c, 2, &m);
  hml_bind__check(L, c, hml_program_new(c, n, in, m, out, &slot->p));
  lua_pop(L, 2);
  return 1;
}

enum { FEW = 64 };                     // numbers for which a program needs no memory of its own

// The outputs for the list of inputs: as a list, or the first one alone
static int evaluated(lua_State *L, bool first) {
  const hml_program *p = hml_bind__program(L, 1);
  size_t n, m = hml_program_outputs(p), room = m + hml_program_work_size(p) + 1;
  double few_in[FEW], few_out[FEW];
  double *in = hml_bind__doubles_in(L, 2, &n, few_in, FEW);
  if (n != hml_program_inputs(p)) hml_bind__error(L, "the program has %d inputs, not %d", (int)hml_program_inputs(p), (int)n);
  double *out = room <= FEW ? few_out : lua_newuserdatauv(L, room * sizeof *out, 0);
  hml_program_eval(p, in, out, out + m);
  if (!first) hml_bind__push_doubles(L, out, m);
  else if (m > 0) lua_pushnumber(L, out[0]);
  else lua_pushnil(L);
  return 1;
}

// p:eval{...} -> {...}
static int eval(lua_State *L) { return evaluated(L, false); }

// p:value{...} -> the first output
static int value(lua_State *L) { return evaluated(L, true); }

// p:eval_runs(times, places or nil, n_times, states, size, taken, between, constants) -> outputs (flat: run, time), for each run whether all of them are
// finite. The states (flat: run, one of
// n_times times, size numbers) have the times `times` at the places given, nil: all. Inputs are a time, the first `taken` numbers of its state, `between` zeros and the
// constants of the run (flat: run)
static int eval_runs(lua_State *L) {
  const hml_program *p = hml_bind__program(L, 1);
  lua_settop(L, 9);
  size_t wanted, n_states, n_constants, n_places = 0, m = hml_program_outputs(p);
  const double *times = hml_bind__to_doubles(L, 2, &wanted), *places = lua_isnil(L, 3) ? NULL : hml_bind__to_doubles(L, 3, &n_places);
  const size_t n_times = (size_t)luaL_checkinteger(L, 4), size = (size_t)luaL_checkinteger(L, 6), taken = (size_t)luaL_checkinteger(L, 7),
               between = (size_t)luaL_checkinteger(L, 8);
  const double *states = hml_bind__to_doubles(L, 5, &n_states), *constants = hml_bind__to_doubles(L, 9, &n_constants);
  const size_t each = n_times * size, runs = each ? n_states / each : 0, own = runs ? n_constants / runs : 0;
  if (taken > size || (places && n_places != wanted) || (!places && wanted != n_times) || n_states != runs * each || n_constants != runs * own
      || (runs && 1 + taken + between + own != hml_program_inputs(p)))
    return hml_bind__error(L, "eval_runs: lists of other lengths than the program takes");
  double *in = lua_newuserdatauv(L, (hml_program_inputs(p) + m + hml_program_work_size(p) + 1) * sizeof *in, 0), *out = in + hml_program_inputs(p);
  for (size_t i = 0; i < between; i++) in[1 + taken + i] = 0;
  lua_createtable(L, (int)(runs * wanted * m), 0);
  lua_createtable(L, (int)runs, 0);
  for (size_t run = 0, at = 0; run < runs; run++) {
    bool finite = true;
    memcpy(in + 1 + taken + between, constants + run * own, own * sizeof *in);
    for (size_t k = 0; k < wanted; k++) {
      const size_t place = places ? (size_t)places[k] - 1 : k;
      if (place >= n_times) return hml_bind__error(L, "eval_runs: there is no state %d", (int)place + 1);
      in[0] = times[k];
      memcpy(in + 1, states + (run * n_times + place) * size, taken * sizeof *in);
      hml_program_eval(p, in, out, out + m);
      for (size_t i = 0; i < m; i++) {
        finite = finite && isfinite(out[i]);
        lua_pushnumber(L, out[i]);
        lua_rawseti(L, -3, (lua_Integer)++at);
      }
    }
    lua_pushboolean(L, finite);
    lua_rawseti(L, -2, (lua_Integer)run + 1);
  }
  return 2;
}

// p:eval_quad{...} -> {...}: texts, in quadruple precision
static int eval_quad(lua_State *L) {
  const hml_program *p = hml_bind__program(L, 1);
  const size_t n = hml_program_inputs(p), m = hml_program_outputs(p);
  luaL_checktype(L, 2, LUA_TTABLE);
  if (lua_rawlen(L, 2) != n) hml_bind__error(L, "the program has %d inputs, not %d", (int)n, (int)lua_rawlen(L, 2));
  // quadruple numbers are aligned to 16 bytes, which Lua's blocks need not be
  const uintptr_t mask = sizeof(hml_quad) - 1, block = (uintptr_t)lua_newuserdatauv(L, (n + m + hml_program__values(p) + 1) * sizeof(hml_quad), 0);
  hml_quad *in = (hml_quad *)((block + mask) & ~mask), *out = in + n;
  for (size_t i = 0; i < n; i++) {
    lua_rawgeti(L, 2, (lua_Integer)i + 1);
    const char *text = luaL_checkstring(L, -1);
    if (!hml_quad__parse(text, &in[i])) hml_bind__error(L, "'%s' is not a number", text);
    lua_pop(L, 1);
  }
  hml_program__eval_quad(p, in, out, out + m);
  lua_createtable(L, (int)m, 0);
  for (size_t i = 0; i < m; i++) {
    char text[HML_QUAD_TEXT];
    hml_quad__text(out[i], HML_QUAD_DIGITS, sizeof text, text);
    lua_pushstring(L, text);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

typedef hml_status (*derive)(hml_context *, const hml_program *, size_t, const size_t *, hml_program **);

static int derived(lua_State *L, derive f) {
  hml_context *c = hml_bind__context(L);
  const hml_program *p = hml_bind__program(L, 1);
  size_t n;
  double *list = hml_bind__to_doubles(L, 2, &n);
  size_t *active = lua_newuserdatauv(L, (n + 1) * sizeof *active, 0);
  for (size_t i = 0; i < n; i++) {
    if (!(list[i] >= 1 && list[i] <= (double)hml_program_inputs(p) && list[i] == floor(list[i]))) hml_bind__error(L, "the program has no input %g", list[i]);
    active[i] = (size_t)list[i] - 1;
  }
  held_program *slot = new_slot(L);
  hml_bind__check(L, c, f(c, p, n, active, &slot->p));
  return 1;
}

static int tangent(lua_State *L) { return derived(L, hml_program_tangent); }
static int adjoint(lua_State *L) { return derived(L, hml_program_adjoint); }

static int listing(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  char *text = hml_program_list(c, hml_bind__program(L, 1));
  hml_bind__push_text(L, c, text);
  return 1;
}

// p:c(name): C text of void name(const double *in, double *out, double *work)
static int c_text(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const hml_program *p = hml_bind__program(L, 1);
  return hml_bind__push_text(L, c, hml_program_c(c, p, luaL_checkstring(L, 2)));
}

static int operations(lua_State *L) {
  lua_pushinteger(L, (lua_Integer)hml_program_operations(hml_bind__program(L, 1)));
  return 1;
}

void hml_bind_program(lua_State *L) {
  static const luaL_Reg methods[] = {{"eval", eval}, {"value", value}, {"eval_runs", eval_runs}, {"eval_quad", eval_quad}, {"tangent", tangent},
                                     {"adjoint", adjoint}, {"list", listing}, {"operations", operations}, {"c", c_text}, {NULL, NULL}};
  hml_bind__new_class(L, HML_PROGRAM_TYPE, methods, program_gc);
  lua_pushcfunction(L, program);
  lua_setfield(L, -2, "program");
}
