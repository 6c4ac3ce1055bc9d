// mechanisms.h: planar chains, loops and snakes, arms in space and other systems for the tests of elimination: T, V, forces and constraints as expressions.
#ifndef HML_TEST_MECHANISMS_H
#define HML_TEST_MECHANISMS_H

#include "programs.h"

enum { MOST = 510 };

// T, V and constraints on the level of velocities in q, v and parameters
typedef struct mechanism {
  hml_context *c;
  size_t n, m, parameters;
  hml_expr t, q[MOST], v[MOST], parameter[4], T, V, f[60], Q[MOST];
} mechanism;

static const double parameter_values[4] = {0.7, 1.3, 0.9, 1.1};

static bool binary;                    // numbers are whole multiples of 1/64, so that no constant of a program is rounded

static inline hml_expr number(mechanism *s, int64_t p, int64_t q) {
  if (!binary || p % q == 0) return hml_rational(s->c, p, q);
  return hml_rational(s->c, 64 * p / q ? 64 * p / q : 1, 64);
}

static inline hml_expr fun(mechanism *s, hml_function f, hml_expr e) {
  return hml_call(s->c, f, 1, &e);
}

static inline hml_expr plus(mechanism *s, hml_expr a, hml_expr b) {
  return hml_add(s->c, a, b);
}

static inline hml_expr minus(mechanism *s, hml_expr a, hml_expr b) {
  return hml_sub(s->c, a, b);
}

static inline hml_expr times(mechanism *s, hml_expr a, hml_expr b) {
  return hml_mul(s->c, a, b);
}

static inline hml_expr square(mechanism *s, hml_expr a) {
  return times(s, a, a);
}

static inline hml_expr half(mechanism *s, hml_expr a) {
  return times(s, a, number(s, 1, 2));
}

static inline void begin(mechanism *s, hml_context *c, size_t n) {
  *s = (mechanism){.c = c, .n = n};
  s->t = hml_symbol(c, "t", HML_TIME, 0);
  s->T = s->V = number(s, 0, 1);
  for (size_t i = 0; i < n; i++) {
    char name[40];
    snprintf(name, sizeof name, "q%zu", i + 1);
    s->q[i] = hml_symbol(c, name, HML_DYNAMIC, 0);
    s->v[i] = hml_dot(c, s->q[i]);
    s->Q[i] = number(s, 0, 1);
  }
}

static inline void add_parameters(mechanism *s) {
  static const char *const names[] = {"m", "l", "k", "g"};
  s->parameters = 4;
  for (size_t i = 0; i < 4; i++) s->parameter[i] = hml_symbol(s->c, names[i], HML_POSITIVE, 0);
}

static inline void add_kinetic(mechanism *s, hml_expr mass, hml_expr a, hml_expr b) {
  s->T = plus(s, s->T, half(s, times(s, mass, plus(s, square(s, a), square(s, b)))));
}

// ---- mechanisms

static inline void chain(mechanism *s, hml_context *c, size_t n, bool relative) {
  begin(s, c, n);
  hml_expr vx = number(s, 0, 1), vy = vx, y = vx, angle = vx, turn = vx, one = number(s, 1, 1);
  for (size_t i = 0; i < n; i++) {
    angle = relative ? plus(s, angle, s->q[i]) : s->q[i];
    turn = relative ? plus(s, turn, s->v[i]) : s->v[i];
    vx = plus(s, vx, times(s, fun(s, HML_FUN_cos, angle), turn));
    vy = plus(s, vy, times(s, fun(s, HML_FUN_sin, angle), turn));
    y = minus(s, y, fun(s, HML_FUN_cos, angle));
    add_kinetic(s, one, vx, vy);
    s->V = plus(s, s->V, times(s, number(s, 981, 100), y));
  }
}

static inline void loop(mechanism *s, hml_context *c, size_t n) {
  chain(s, c, n, false);
  s->m = 2;
  s->f[0] = s->f[1] = number(s, 0, 1);
  for (size_t i = 0; i < n; i++) {
    s->f[0] = plus(s, s->f[0], times(s, fun(s, HML_FUN_cos, s->q[i]), s->v[i]));
    s->f[1] = plus(s, s->f[1], times(s, fun(s, HML_FUN_sin, s->q[i]), s->v[i]));
  }
}

// Rods in a plane, a blade under the middle of each
static inline void snake(mechanism *s, hml_context *c, size_t n) {
  begin(s, c, n + 2);
  s->m = n;
  hml_expr x = s->v[0], y = s->v[1];
  for (size_t i = 0; i < n; i++) {
    hml_expr a = s->q[i + 2], w = s->v[i + 2], sine = fun(s, HML_FUN_sin, a), cosine = fun(s, HML_FUN_cos, a);
    hml_expr mx = minus(s, x, half(s, times(s, sine, w))), my = plus(s, y, half(s, times(s, cosine, w)));
    add_kinetic(s, number(s, 1, 1), mx, my);
    s->T = plus(s, s->T, times(s, number(s, 1, 24), square(s, w)));
    s->f[i] = minus(s, times(s, my, cosine), times(s, mx, sine));
    x = minus(s, x, times(s, sine, w));
    y = plus(s, y, times(s, cosine, w));
  }
}

static inline void turned(mechanism *s, hml_expr angle, bool about_z, hml_expr *a) {
  hml_expr c = fun(s, HML_FUN_cos, angle), d = fun(s, HML_FUN_sin, angle), x = a[0], y = a[1], z = a[2];
  a[0] = about_z ? plus(s, times(s, c, x), times(s, d, y)) : minus(s, times(s, c, x), times(s, d, z));
  if (about_z) a[1] = minus(s, times(s, c, y), times(s, d, x));
  else a[2] = plus(s, times(s, d, x), times(s, c, z));
}

// Rigid links in space, velocities in the frames of the links, joints about z and y in turn; masses alternate between 1 and `heavy`
static inline void arm(mechanism *s, hml_context *c, size_t n, int64_t heavy) {
  begin(s, c, n);
  hml_expr zero = number(s, 0, 1), w[3] = {zero, zero, zero}, u[3] = {zero, zero, zero}, g[3] = {zero, zero, number(s, -1, 1)}, height = zero;
  hml_expr x = number(s, 3, 10), z = number(s, 1, 5), cx = number(s, 3, 20), cy = number(s, 1, 50), cz = number(s, 1, 10);
  const int64_t inertia[3] = {50, 40, 60};
  for (size_t i = 0; i < n; i++) {
    bool about_z = i % 2 == 0;
    hml_expr mass = number(s, i % 2 ? heavy : 1, 1), v[3];
    if (i > 0) {
      height = minus(s, height, plus(s, times(s, x, g[0]), times(s, z, g[2])));
      u[0] = plus(s, u[0], times(s, w[1], z));
      u[1] = plus(s, u[1], minus(s, times(s, w[2], x), times(s, w[0], z)));
      u[2] = minus(s, u[2], times(s, w[1], x));
    }
    turned(s, s->q[i], about_z, u);
    turned(s, s->q[i], about_z, w);
    turned(s, s->q[i], about_z, g);
    w[about_z ? 2 : 1] = plus(s, w[about_z ? 2 : 1], s->v[i]);
    v[0] = plus(s, u[0], minus(s, times(s, w[1], cz), times(s, w[2], cy)));
    v[1] = plus(s, u[1], minus(s, times(s, w[2], cx), times(s, w[0], cz)));
    v[2] = plus(s, u[2], minus(s, times(s, w[0], cy), times(s, w[1], cx)));
    for (int k = 0; k < 3; k++) {
      hml_expr kinetic = plus(s, times(s, number(s, 3, 2), square(s, v[k])), times(s, number(s, 1, 2 * inertia[k]), square(s, w[k])));
      s->T = plus(s, s->T, times(s, mass, kinetic));
    }
    hml_expr centre = plus(s, times(s, cx, g[0]), plus(s, times(s, cy, g[1]), times(s, cz, g[2])));
    s->V = plus(s, s->V, times(s, times(s, mass, number(s, 2943, 100)), minus(s, height, centre)));
  }
}

// Parameters, time, damping, a point on a moving cart, T linear in some velocities and not quadratic in others
static inline void oddities(mechanism *s, hml_context *c) {
  begin(s, c, 3);
  add_parameters(s);
  hml_expr m = s->parameter[0], l = s->parameter[1], k = s->parameter[2], g = s->parameter[3];
  hml_expr vx = plus(s, plus(s, s->v[0], fun(s, HML_FUN_cos, s->t)), times(s, times(s, l, fun(s, HML_FUN_cos, s->q[1])), s->v[1]));
  hml_expr vy = times(s, times(s, l, fun(s, HML_FUN_sin, s->q[1])), s->v[1]);
  add_kinetic(s, m, vx, vy);
  s->T = plus(s, s->T, half(s, times(s, k, square(s, s->v[0]))));
  s->T = plus(s, s->T, times(s, times(s, k, s->q[0]), s->v[1]));                       // a magnetic field
  hml_expr fast = minus(s, number(s, 100, 1), plus(s, square(s, s->v[2]), square(s, s->v[0])));
  s->T = minus(s, s->T, hml_sqrt(c, fast));                                            // a relativistic particle
  s->T = plus(s, s->T, hml_div(c, square(s, s->v[2]), plus(s, number(s, 90, 1), square(s, s->v[1]))));
  s->V = plus(s, half(s, times(s, k, square(s, s->q[2]))), minus(s, square(s, s->q[0]), times(s, times(s, m, times(s, g, l)), fun(s, HML_FUN_cos, s->q[1]))));
  for (size_t i = 0; i < 3; i++) s->Q[i] = times(s, times(s, k, s->v[i]), number(s, -1, (int64_t)i + 2));
  s->m = 1;
  s->f[0] = minus(s, plus(s, times(s, s->v[0], s->v[1]), times(s, s->v[2], fun(s, HML_FUN_sin, s->t))), times(s, s->q[0], s->v[2]));   // not linear
}

// Two bodies by unit quaternions: M has rank 6 of 8
static inline void quaternions(mechanism *s, hml_context *c) {
  begin(s, c, 8);
  s->m = 2;
  for (size_t i = 0; i < 2; i++) {
    hml_expr *q = s->q + 4 * i, *v = s->v + 4 * i, w[3];
    for (int k = 0; k < 3; k++) {
      int b = 1 + k, p = 1 + (k + 1) % 3, r = 1 + (k + 2) % 3;
      hml_expr first = minus(s, times(s, q[0], v[b]), times(s, q[b], v[0])), second = minus(s, times(s, q[r], v[p]), times(s, q[p], v[r]));
      w[k] = times(s, number(s, 2, 1), plus(s, first, second));
      s->T = plus(s, s->T, times(s, number(s, k + 1, 2), square(s, w[k])));
    }
    s->V = plus(s, s->V, times(s, number(s, 981, 100), minus(s, square(s, q[0]), times(s, q[1], s->q[7 - 3 * i]))));
    s->f[i] = number(s, 0, 1);
    for (int k = 0; k < 4; k++) s->f[i] = plus(s, s->f[i], times(s, q[k], v[k]));
  }
}

// ---- programs

static inline size_t list_inputs(const mechanism *s, hml_expr *in) {
  size_t n = 0;
  in[n++] = s->t;
  for (size_t i = 0; i < s->n; i++) in[n++] = s->q[i];
  for (size_t i = 0; i < s->n; i++) in[n++] = s->v[i];
  for (size_t i = 0; i < s->parameters; i++) in[n++] = s->parameter[i];
  return n;
}

static inline hml_graph_layout layout_of(const mechanism *s) {
  return (hml_graph_layout){.n = s->n, .m = s->m, .forces = 1, .rows = 1 + s->n, .first_parameter = 1 + 2 * s->n, .n_parameters = s->parameters,
                            .parameter_values = parameter_values, .floors = {1e-10, 1e-3, 1e-3}, .most = 200000};
}

// L, Q, f: the outputs of layout_of
static inline hml_program *energies_of(mechanism *s) {
  static hml_expr in[2 * MOST + 8], out[2 * MOST];
  size_t inputs = list_inputs(s, in), outputs = 0;
  hml_program *p = NULL;
  out[outputs++] = minus(s, s->T, s->V);
  for (size_t i = 0; i < s->n; i++) out[outputs++] = s->Q[i];
  for (size_t i = 0; i < s->m; i++) out[outputs++] = s->f[i];
  assert_ok(s->c, hml_program_new(s->c, inputs, in, outputs, out, &p));
  return p;
}

static inline void draw_state(const mechanism *s, uint64_t *seed, double *in) {
  for (size_t i = 0; i < 1 + 2 * s->n; i++) in[i] = draw_between(seed, -3, 3);
  for (size_t i = 0; i < s->parameters; i++) in[1 + 2 * s->n + i] = parameter_values[i];
}

#endif
