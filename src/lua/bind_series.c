// bind_series.c: values of a program over a run, a block of doubles column by column: what reading.lua does point by point, for the motions where
// nothing but the state, the parameters, the accelerations, the multipliers and the reactions of contacts enters.
#include "bind_model.h"
#include "bind_series.h"

#include "bind_host.h"

#include <math.h>
#include <string.h>

typedef struct block {
  size_t rows, columns;
  double values[];                     // column by column
} block;

typedef struct series {
  hml_context *context;
  const hml_trajectory *r;
  const hml_program *program;          // NULL: the states
  hml_bind_workspace *w;               // NULL: neither projected nor solved for accelerations
  hml_hybrid *contacts;                // solves for the accelerations in the contact mode of each time; NULL: none
  bool projects, solves;
  double rtol, atol, far;              // of the projection: see state.lua
  size_t n, n_states, n_rates, n_multipliers, n_constants;   // n: the states and, behind them, integrals such as the work of forces
  const double *times;                 // NULL: equally spaced, or the stored points
  double first, last;
  bool stored;
  double *in, *out, *x, *y;            // work space
} series;

static double time_of(const series *s, size_t i, size_t rows) {
  if (s->stored) return hml_trajectory_time(s->r, i);
  if (s->times) return s->times[i];
  return i + 1 == rows ? s->last : s->first + (s->last - s->first) * (double)i / (double)(rows - 1);
}

// The state on the constraints where the correction is small; the same as states.on_constraints
static void project(lua_State *L, const series *s, double t) {
  memcpy(s->y, s->x, s->n * sizeof *s->y);
  int moved;
  hml_status status = hml_project(s->w->w, t, s->rtol, s->atol, s->y, &moved);
  if (status == HML_MEMORY) hml_bind__check_run(L, s->w, status);
  if (status != HML_OK) {
    hml_context_clear_error(s->w->context);
    return;
  }
  double size = 0, most = 0;
  for (size_t i = 0; i < s->n; i++) {
    size = fmax(size, fabs(s->x[i]));
    most = fmax(most, fabs(s->y[i] - s->x[i]));
  }
  if (most <= s->far * size) memcpy(s->x, s->y, s->n * sizeof *s->x);
}

static void fill_row(lua_State *L, const series *s, block *b, size_t i, size_t *near) {
  double t = time_of(s, i, b->rows);
  if (s->stored) memcpy(s->x, hml_trajectory_state(s->r, i), s->n * sizeof *s->x);
  else hml_bind__check(L, s->context, hml_trajectory__at_near(s->r, t, near, s->x));
  if (s->projects) project(L, s, t);
  b->values[i] = t;
  const double *out = s->x;
  if (s->program) {
    s->in[0] = t;
    memcpy(s->in + 1, s->x, s->n_states * sizeof *s->in);
    if (s->solves && s->contacts) {
      double *a = s->in + 1 + s->n_states, *lambda = a + s->n_rates;
      const size_t point = s->stored ? i : hml_trajectory_point_at(s->r, t);
      hml_bind__check_run(L, s->w, hml_hybrid_evaluate(s->contacts, point, t, s->x, a, lambda, lambda + s->w->n_multipliers));
    } else if (s->solves) {
      hml_bind__check_run(L, s->w, hml_workspace_set_state(s->w->w, t, s->x));
      hml_bind__check_run(L, s->w, hml_acceleration(s->w->w, s->in + 1 + s->n_states));
      hml_bind__check_run(L, s->w, hml_multipliers(s->w->w, s->in + 1 + s->n_states + s->n_rates));
    }
    hml_program_eval(s->program, s->in, s->out, s->out + b->columns - 1);
    out = s->out;
  }
  for (size_t k = 1; k < b->columns; k++) b->values[k * b->rows + i] = out[k - 1];
}

static bool flag(lua_State *L, const char *key) {
  lua_getfield(L, 2, key);
  bool on = lua_toboolean(L, -1);
  lua_pop(L, 1);
  return on;
}

static const double *list(lua_State *L, const char *key, size_t *n) {
  *n = 0;
  return lua_getfield(L, 2, key) == LUA_TTABLE ? hml_bind__to_doubles(L, -1, n) : NULL;
}

// r:series{ program =, workspace =, contacts =, projects =, solves =, states =, rtol =, atol =, far =, rates =, multipliers =, constants =, times = | n = } -> a block
static int fill(lua_State *L) {
  if (!lua_istable(L, 2)) return hml_bind__error(L, "series: a table of what is asked for is needed");
  series s = {.context = hml_bind__context(L), .r = hml_bind__trajectory(L, 1), .projects = flag(L, "projects"), .solves = flag(L, "solves")};
  size_t n_times, inputs = 0, work = 0, solution = 0, points = hml_trajectory_points(s.r);
  if (lua_getfield(L, 2, "program") != LUA_TNIL) s.program = hml_bind__program(L, -1);
  if (lua_getfield(L, 2, "workspace") != LUA_TNIL) s.w = hml_bind__workspace(L, -1);
  if (lua_getfield(L, 2, "contacts") != LUA_TNIL) s.contacts = hml_bind__hybrid(L, -1, &solution);
  s.rtol = hml_bind__number_field(L, 2, "rtol", 0), s.atol = hml_bind__number_field(L, 2, "atol", 0), s.far = hml_bind__number_field(L, 2, "far", 0);
  s.n = hml_trajectory_size(s.r);
  s.n_states = hml_bind__to_count(hml_bind__number_field(L, 2, "states", 0));
  if (s.n_states > s.n) hml_bind__error(L, "series: the motion has %d states, not %d", (int)s.n, (int)s.n_states);
  s.n_rates = hml_bind__to_count(hml_bind__number_field(L, 2, "rates", 0));
  s.n_multipliers = hml_bind__to_count(hml_bind__number_field(L, 2, "multipliers", 0));
  s.times = list(L, "times", &n_times);
  const double *constants = list(L, "constants", &s.n_constants);
  double wanted = hml_bind__number_field(L, 2, "n", 0);
  s.stored = !s.times && wanted == 0;
  s.first = hml_trajectory_time(s.r, 0), s.last = hml_trajectory_time(s.r, points - 1);
  size_t rows = s.times ? n_times : s.stored ? points : hml_bind__to_count(wanted), outputs = s.program ? hml_program_outputs(s.program) : s.n_states;
  if (s.program) {
    inputs = 1 + s.n_states + s.n_rates + s.n_multipliers + s.n_constants;
    work = outputs + hml_program_work_size(s.program);
    if (inputs != hml_program_inputs(s.program)) hml_bind__error(L, "the program has %d inputs, not %d", (int)hml_program_inputs(s.program), (int)inputs);
  }
  bool solved = s.w && (s.contacts ? solution == s.n_rates + s.n_multipliers : s.w->n_multipliers == s.n_multipliers) && s.w->n_dyn == s.n_rates;
  bool fits = s.w && s.w->n == s.n && (!s.solves || solved);
  if ((s.projects || s.solves) && !fits) hml_bind__error(L, "series: the workspace belongs to another model");
  s.in = lua_newuserdatauv(L, (inputs + work + 2 * s.n + 4) * sizeof *s.in, 0);
  s.out = s.in + inputs, s.x = s.out + work, s.y = s.x + s.n;
  memset(s.in, 0, inputs * sizeof *s.in);
  if (s.program && s.n_constants > 0) memcpy(s.in + inputs - s.n_constants, constants, s.n_constants * sizeof *s.in);
  if (rows > 0 && outputs + 1 > SIZE_MAX / 16 / rows) return luaL_error(L, "not enough memory");
  block *b = lua_newuserdatauv(L, sizeof *b + rows * (outputs + 1) * sizeof *b->values, 0);
  b->rows = rows, b->columns = outputs + 1;
  luaL_setmetatable(L, HML_BLOCK);
  size_t near = 0;
  for (size_t i = 0; i < rows; i++) {
    if ((i & 1023) == 1023 && *hml_bind__interrupt_flag()) return luaL_error(L, "interrupted");
    fill_row(L, &s, b, i, &near);
  }
  return 1;
}

static block *check_block(lua_State *L) { return luaL_checkudata(L, 1, HML_BLOCK); }

static double *check_column(lua_State *L, const block *b) {
  lua_Integer k = luaL_checkinteger(L, 2);
  if (k < 1 || (size_t)k > b->columns) hml_bind__error(L, "the block has no column %d", (int)k);
  return (double *)b->values + ((size_t)k - 1) * b->rows;
}

// b:size() -> rows, columns
static int size(lua_State *L) {
  const block *b = check_block(L);
  lua_pushinteger(L, (lua_Integer)b->rows);
  lua_pushinteger(L, (lua_Integer)b->columns);
  return 2;
}

// b:value(i, k) -> row i of column k
static int value(lua_State *L) {
  const block *b = check_block(L);
  lua_Integer i = luaL_checkinteger(L, 2);
  lua_remove(L, 2);
  const double *values = check_column(L, b);
  if (i < 1 || (size_t)i > b->rows) hml_bind__error(L, "the block has no row %d", (int)i);
  lua_pushnumber(L, values[i - 1]);
  return 1;
}

// b:column(k) -> a list
static int column(lua_State *L) {
  const block *b = check_block(L);
  hml_bind__push_doubles(L, check_column(L, b), b->rows);
  return 1;
}

// b:gaps(k) -> how many values of column k are not finite, the row of the first; they are nan from now on
static int gaps(lua_State *L) {
  const block *b = check_block(L);
  double *values = check_column(L, b);
  size_t count = 0, first = 0;
  for (size_t i = 0; i < b->rows; i++) {
    if (isfinite(values[i])) continue;
    if (count++ == 0) first = i + 1;
    values[i] = NAN;
  }
  lua_pushinteger(L, (lua_Integer)count);
  lua_pushinteger(L, (lua_Integer)first);
  return 2;
}

const double *hml_bind__block(lua_State *L, int index, size_t *rows, size_t *columns) {
  const block *b = luaL_testudata(L, index, HML_BLOCK);
  if (!b) return NULL;
  *rows = b->rows, *columns = b->columns;
  return b->values;
}

void hml_bind_series(lua_State *L) {
  static const luaL_Reg of_block[] = {{"size", size}, {"value", value}, {"column", column}, {"gaps", gaps}, {NULL, NULL}};
  hml_bind__new_class(L, HML_BLOCK, of_block, NULL);
  luaL_getmetatable(L, HML_TRAJECTORY);
  lua_getfield(L, -1, "__index");
  lua_pushcfunction(L, fill);
  lua_setfield(L, -2, "series");
  lua_pop(L, 2);
}
