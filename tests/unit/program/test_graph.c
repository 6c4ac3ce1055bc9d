// tests src/program/graph.c, eliminate.c, share.c: x' from energies; arbiter: M, A, r, b by symbolic derivatives, solved with pivoting
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

static hml_expr number(mechanism *s, int64_t p, int64_t q) {
  if (!binary || p % q == 0) return hml_rational(s->c, p, q);
  return hml_rational(s->c, 64 * p / q ? 64 * p / q : 1, 64);
}

static hml_expr fun(mechanism *s, hml_function f, hml_expr e) {
  return hml_call(s->c, f, 1, &e);
}

static hml_expr plus(mechanism *s, hml_expr a, hml_expr b) {
  return hml_add(s->c, a, b);
}

static hml_expr minus(mechanism *s, hml_expr a, hml_expr b) {
  return hml_sub(s->c, a, b);
}

static hml_expr times(mechanism *s, hml_expr a, hml_expr b) {
  return hml_mul(s->c, a, b);
}

static hml_expr square(mechanism *s, hml_expr a) {
  return times(s, a, a);
}

static hml_expr half(mechanism *s, hml_expr a) {
  return times(s, a, number(s, 1, 2));
}

static void begin(mechanism *s, hml_context *c, size_t n) {
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

static void add_parameters(mechanism *s) {
  static const char *const names[] = {"m", "l", "k", "g"};
  s->parameters = 4;
  for (size_t i = 0; i < 4; i++) s->parameter[i] = hml_symbol(s->c, names[i], HML_POSITIVE, 0);
}

static void add_kinetic(mechanism *s, hml_expr mass, hml_expr a, hml_expr b) {
  s->T = plus(s, s->T, half(s, times(s, mass, plus(s, square(s, a), square(s, b)))));
}

// ---- mechanisms

static void chain(mechanism *s, hml_context *c, size_t n, bool relative) {
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

static void loop(mechanism *s, hml_context *c, size_t n) {
  chain(s, c, n, false);
  s->m = 2;
  s->f[0] = s->f[1] = number(s, 0, 1);
  for (size_t i = 0; i < n; i++) {
    s->f[0] = plus(s, s->f[0], times(s, fun(s, HML_FUN_cos, s->q[i]), s->v[i]));
    s->f[1] = plus(s, s->f[1], times(s, fun(s, HML_FUN_sin, s->q[i]), s->v[i]));
  }
}

// Rods in a plane, a blade under the middle of each
static void snake(mechanism *s, hml_context *c, size_t n) {
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

static void turned(mechanism *s, hml_expr angle, bool about_z, hml_expr *a) {
  hml_expr c = fun(s, HML_FUN_cos, angle), d = fun(s, HML_FUN_sin, angle), x = a[0], y = a[1], z = a[2];
  a[0] = about_z ? plus(s, times(s, c, x), times(s, d, y)) : minus(s, times(s, c, x), times(s, d, z));
  if (about_z) a[1] = minus(s, times(s, c, y), times(s, d, x));
  else a[2] = plus(s, times(s, d, x), times(s, c, z));
}

// Rigid links in space, velocities in the frames of the links, joints about z and y in turn; masses alternate between 1 and `heavy`
static void arm(mechanism *s, hml_context *c, size_t n, int64_t heavy) {
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
static void oddities(mechanism *s, hml_context *c) {
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
static void quaternions(mechanism *s, hml_context *c) {
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

static size_t list_inputs(const mechanism *s, hml_expr *in) {
  size_t n = 0;
  in[n++] = s->t;
  for (size_t i = 0; i < s->n; i++) in[n++] = s->q[i];
  for (size_t i = 0; i < s->n; i++) in[n++] = s->v[i];
  for (size_t i = 0; i < s->parameters; i++) in[n++] = s->parameter[i];
  return n;
}

static hml_graph_programs programs_of(mechanism *s) {
  static hml_expr in[2 * MOST + 8], out[2 * MOST];
  size_t inputs = list_inputs(s, in), outputs = 0;
  hml_program *p = NULL;
  hml_graph_programs g;
  out[outputs++] = minus(s, s->T, s->V);
  for (size_t i = 0; i < s->n; i++) out[outputs++] = s->Q[i];
  for (size_t i = 0; i < s->m; i++) out[outputs++] = s->f[i];
  assert_ok(s->c, hml_program_new(s->c, inputs, in, outputs, out, &p));
  const hml_graph_layout l = {.n = s->n, .m = s->m, .forces = 1, .rows = 1 + s->n, .first_parameter = 1 + 2 * s->n, .n_parameters = s->parameters,
                              .parameter_values = parameter_values, .floors = {1e-10, 1e-3, 1e-3}, .most = 200000};
  assert_ok(s->c, hml_program__graph(s->c, p, &l, &g));
  hml_program_free(p);
  return g;
}

// x' with its margins
static hml_program *graph_of(mechanism *s, size_t *margins) {
  hml_graph_programs g = programs_of(s);
  *margins = g.margins;
  hml_program_free(g.lean);
  hml_program_free(g.guard);
  return g.rate;
}

// M, A, r, b row by row
static hml_program *equations_of(mechanism *s) {
  static hml_expr in[2 * MOST + 8], out[40000];
  hml_context *c = s->c;
  hml_expr L = minus(s, s->T, s->V), momentum[MOST];
  size_t inputs = list_inputs(s, in), at = 0, n = s->n;
  hml_program *p = NULL;
  for (size_t i = 0; i < n; i++) momentum[i] = hml_derivative(c, L, s->v[i]);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) out[at++] = hml_derivative(c, momentum[i], s->v[j]);
  for (size_t k = 0; k < s->m; k++)
    for (size_t j = 0; j < n; j++) out[at++] = hml_derivative(c, s->f[k], s->v[j]);
  for (size_t i = 0; i < n + s->m; i++) {
    hml_expr e = i < n ? momentum[i] : s->f[i - n], rate = hml_derivative(c, e, s->t);
    for (size_t j = 0; j < n; j++) rate = plus(s, rate, times(s, hml_derivative(c, e, s->q[j]), s->v[j]));
    out[at++] = i < n ? minus(s, plus(s, s->Q[i], hml_derivative(c, L, s->q[i])), rate) : rate;
  }
  assert_ok(c, hml_program_new(c, inputs, in, at, out, &p));
  return p;
}

static void draw_state(const mechanism *s, uint64_t *seed, double *in) {
  for (size_t i = 0; i < 1 + 2 * s->n; i++) in[i] = draw_between(seed, -3, 3);
  for (size_t i = 0; i < s->parameters; i++) in[1 + 2 * s->n + i] = parameter_values[i];
}

// [M A^T; A 0] (a, -lambda) = (r, -b), with complete rows exchanged
static void solve_densely(size_t n, double *a, double *x) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * (n + 1) + k]) > fabs(a[best * (n + 1) + k])) best = i;
    for (size_t j = 0; j <= n; j++) {
      double kept = a[k * (n + 1) + j];
      a[k * (n + 1) + j] = a[best * (n + 1) + j];
      a[best * (n + 1) + j] = kept;
    }
    for (size_t i = k + 1; i < n; i++) {
      double factor = a[i * (n + 1) + k] / a[k * (n + 1) + k];
      for (size_t j = k; j <= n; j++) a[i * (n + 1) + j] -= factor * a[k * (n + 1) + j];
    }
  }
  for (size_t k = n; k-- > 0;) {
    x[k] = a[k * (n + 1) + n];
    for (size_t j = k + 1; j < n; j++) x[k] -= a[k * (n + 1) + j] * x[j];
    x[k] /= a[k * (n + 1) + k];
  }
}

static void compare(mechanism *s, int trials, double tolerance) {
  size_t margins, n = s->n, size = s->n + s->m, held = 0;
  hml_program *p = graph_of(s, &margins), *dense = equations_of(s);
  assert_non_null(p);
  double *k = calloc(size * (size + 1), sizeof *k), *x = calloc(size, sizeof *x), *out = calloc(n * n + s->m * n + size, sizeof *out);
  uint64_t seed = 20261124;
  for (int trial = 0; trial < trials; trial++) {
    double in[2 * MOST + 8], mine[6 * MOST], largest = 0;
    draw_state(s, &seed, in);
    evaluate(p, in, mine);
    evaluate(dense, in, out);
    bool holds = true;
    for (size_t i = 0; i < margins; i++) holds &= mine[2 * n + i] > 0;
    if (!holds) continue;
    held++;
    for (size_t i = 0; i < size; i++)
      for (size_t j = 0; j < size; j++) {
        double *to = &k[i * (size + 1) + j];
        *to = i < n && j < n ? out[i * n + j] : i < n ? out[n * n + (j - n) * n + i] : j < n ? out[n * n + (i - n) * n + j] : 0;
      }
    for (size_t i = 0; i < size; i++) k[i * (size + 1) + size] = (i < n ? 1 : -1) * out[n * n + s->m * n + i];
    solve_densely(size, k, x);
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(x[i]));
    for (size_t i = 0; i < n; i++) {
      check_near(mine[i], in[1 + n + i], 0);
      check_near(mine[n + i], x[i], tolerance * largest);
    }
  }
  assert_true(held * 10 >= (size_t)trials * 9);
  free(k);
  free(x);
  free(out);
  hml_program_free(p);
  hml_program_free(dense);
}

static void accelerations_are_those_of_the_dense_equations(void **state) {
  static mechanism s;
  for (size_t n = 1; n <= 10; n += 3) {
    chain(&s, *state, n, false), compare(&s, 20, 1e-12);
    chain(&s, *state, n, true), compare(&s, 20, 1e-11);
  }
  for (size_t n = 1; n <= 4; n++) arm(&s, *state, n, 1), compare(&s, 20, 1e-11);
  arm(&s, *state, 3, 1000000), compare(&s, 20, 1e-9);
}

static void constrained_accelerations_too(void **state) {
  static mechanism s;
  for (size_t n = 3; n <= 9; n += 3) loop(&s, *state, n), compare(&s, 20, 1e-10);
  for (size_t n = 1; n <= 8; n++) snake(&s, *state, n), compare(&s, 20, 1e-10);
  oddities(&s, *state), compare(&s, 20, 1e-11);
  quaternions(&s, *state), compare(&s, 20, 1e-10);
}

// Lagrange's equations with these accelerations, by the adjoint and tangent programs of L: dL/dq + Q - d/dt dL/dv, relative to its terms
static double residual(mechanism *s) {
  static hml_expr in[2 * MOST + 8];
  static size_t active[2 * MOST + 1];
  static double x[4 * MOST + 8], a[6 * MOST], out[2 * (1 + 2 * MOST) + 8];
  size_t inputs = list_inputs(s, in), n = s->n, margins;
  hml_expr L = minus(s, s->T, s->V);
  hml_program *p = graph_of(s, &margins), *energy = NULL, *slopes = NULL, *rates = NULL;
  double worst = 0, largest = 0;
  uint64_t seed = 20261125;
  assert_non_null(p);
  assert_ok(s->c, hml_program_new(s->c, inputs, in, 1, &L, &energy));
  for (size_t i = 0; i <= 2 * n; i++) active[i] = i;
  assert_ok(s->c, hml_program_adjoint(s->c, energy, 2 * n, active + 1, &slopes));
  assert_ok(s->c, hml_program_tangent(s->c, slopes, 2 * n + 1, active, &rates));
  draw_state(s, &seed, x);
  evaluate(p, x, a);
  x[inputs] = 1;                                                          // weight of L, then seeds: t' = 1, q' = v, v' = a
  x[inputs + 1] = 1;
  for (size_t i = 0; i < 2 * n; i++) x[inputs + 2 + i] = a[i];
  evaluate(rates, x, out);
  for (size_t i = 0; i < n; i++) {
    double slope = out[1 + i], rate = out[1 + 2 * n + 1 + n + i];
    worst = fmax(worst, fabs(slope - rate));
    largest = fmax(largest, fabs(slope) + fabs(rate));
  }
  hml_program_free(p);
  hml_program_free(energy);
  hml_program_free(slopes);
  hml_program_free(rates);
  return worst / largest;
}

static void long_systems_obey_their_equations(void **state) {
  static mechanism s;
  chain(&s, *state, 500, false);
  assert_true(residual(&s) < 1e-12);
  chain(&s, *state, 160, false);
  assert_true(residual(&s) < 1e-12);
  chain(&s, *state, 80, true);
  assert_true(residual(&s) < 1e-12);
  arm(&s, *state, 36, 1);
  assert_true(residual(&s) < 1e-12);
  arm(&s, *state, 12, 1000000);
  assert_true(residual(&s) < 1e-12);
}

// ---- in quadruple precision

// x' with its dense solve written out
static hml_program *dense_of(mechanism *s, size_t *margins) {
  static hml_expr in[2 * MOST + 8], out[40000];
  static double usual[MOST];
  hml_context *c = s->c;
  hml_expr L = minus(s, s->T, s->V), momentum[MOST];
  const size_t inputs = list_inputs(s, in), n = s->n;
  size_t at = 0;
  hml_program *p = NULL, *q = NULL;
  hml_equation_layout l = {.kin = n, .n = n, .m = s->m, .usual = usual, .first_parameter = 1 + 2 * n, .n_parameters = s->parameters};
  for (size_t i = 0; i < n; i++) out[at++] = s->v[i];
  for (size_t i = 0; i < n; i++) momentum[i] = hml_derivative(c, L, s->v[i]);
  l.mass = at;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) out[at++] = hml_derivative(c, momentum[i], s->v[j]);
  l.rows = at;
  for (size_t k = 0; k < s->m; k++)
    for (size_t j = 0; j < n; j++) out[at++] = hml_derivative(c, s->f[k], s->v[j]);
  l.r = at;
  for (size_t i = 0; i < n + s->m; i++) {
    hml_expr e = i < n ? momentum[i] : s->f[i - n], rate = hml_derivative(c, e, s->t);
    for (size_t j = 0; j < n; j++) rate = plus(s, rate, times(s, hml_derivative(c, e, s->q[j]), s->v[j]));
    if (i == n) l.b = at;
    out[at++] = i < n ? minus(s, plus(s, s->Q[i], hml_derivative(c, L, s->q[i])), rate) : rate;
  }
  assert_ok(c, hml_program_new(c, inputs, in, at, out, &p));
  assert_ok(c, hml_program__solved(c, p, &l, (hml_pivot_floors){1e-10, 1e-2, 1e-6}, 200000, &q, margins));
  hml_program_free(p);
  assert_non_null(q);
  return q;
}

// Largest error of the double accelerations at a state, relative to the largest of them; the exact ones in `exact`
static double error_of(const mechanism *s, const hml_program *p, const double *in, hml_quad *exact) {
  static double out[6 * MOST];
  static hml_quad wide[2 * MOST + 8], result[6 * MOST];
  const size_t n = s->n;
  hml_quad *values = malloc(hml_program__values(p) * sizeof *values), largest = 0, error = 0;
  for (size_t i = 0; i < 1 + 2 * n + s->parameters; i++) wide[i] = in[i];
  assert_non_null(values);
  evaluate(p, in, out);
  hml_program__eval_quad(p, wide, result, values);
  free(values);
  for (size_t i = 0; i < n; i++) {
    hml_quad size = result[n + i] < 0 ? -result[n + i] : result[n + i], off = result[n + i] - out[n + i];
    exact[i] = result[n + i];
    if (off < 0) off = -off;
    if (size > largest) largest = size;
    if (off > error) error = off;
  }
  return (double)(error / largest);
}

// Both orders are one function, up to the constants that sharing of sums rounds; the errors of rounding of the graph are at most ten times those of
// the dense order
static void compare_widely(mechanism *s, double tolerance) {
  static hml_quad by_graph[MOST], by_mass[MOST];
  size_t margins;
  hml_program *graph = graph_of(s, &margins), *dense = dense_of(s, &margins);
  double worst = 0, worst_graph = 0, worst_dense = 0;
  uint64_t seed = 20261126;
  assert_non_null(graph);
  for (int trial = 0; trial < 10; trial++) {
    double in[2 * MOST + 8];
    hml_quad largest = 0, difference = 0;
    draw_state(s, &seed, in);
    worst_graph = fmax(worst_graph, error_of(s, graph, in, by_graph));
    worst_dense = fmax(worst_dense, error_of(s, dense, in, by_mass));
    for (size_t i = 0; i < s->n; i++) {
      hml_quad off = by_graph[i] - by_mass[i], size = by_mass[i];
      off = off < 0 ? -off : off, size = size < 0 ? -size : size;
      difference = off > difference ? off : difference, largest = size > largest ? size : largest;
    }
    worst = fmax(worst, (double)(difference / largest));
  }
  print_message("%3zu coordinates, %2zu rows: error %.1e on the graph, %.1e densely, difference %.1e\n", s->n, s->m, worst_graph, worst_dense, worst);
  assert_true(worst < tolerance);
  assert_true(worst_graph <= 10 * worst_dense);
  hml_program_free(graph);
  hml_program_free(dense);
}

static void errors_are_those_of_rounding(void **state) {
  static mechanism s;
  if (!hml_program__has_quad()) skip();
  binary = true;
  chain(&s, *state, 20, false), compare_widely(&s, 1e-25);
  chain(&s, *state, 20, true), compare_widely(&s, 1e-25);
  for (int64_t heavy = 1; heavy <= 1000000000000; heavy *= 1000000) arm(&s, *state, 12, heavy), compare_widely(&s, 1e-12);
  snake(&s, *state, 20), compare_widely(&s, 1e-12);
  loop(&s, *state, 10), compare_widely(&s, 1e-12);
  oddities(&s, *state), compare_widely(&s, 1e-12);
  binary = false;
}

static void operations_of(mechanism *s, size_t *rate, size_t *guard) {
  hml_graph_programs g = programs_of(s);
  assert_non_null(g.lean);
  assert_non_null(g.guard);
  *rate = hml_program_operations(g.lean);
  *guard = hml_program_operations(g.guard);
  hml_program__free_graph(&g);
}

static size_t operations(mechanism *s) {
  size_t rate, guard;
  operations_of(s, &rate, &guard);
  return rate;
}

static void chain_of(mechanism *s, hml_context *c, size_t n) {
  chain(s, c, n, false);
}

static void relative_chain(mechanism *s, hml_context *c, size_t n) {
  chain(s, c, n, true);
}

static void arm_of(mechanism *s, hml_context *c, size_t n) {
  arm(s, c, n, 1);
}

// Operations of x' and of its guard. They are numbers of the method: an order that loses its small fronts shows here first. In relative angles
// w_i = w_(i-1) + v_i is a value of its own
static void operations_grow_as_the_system(void **state) {
  static mechanism s;
  const struct {
    void (*make)(mechanism *, hml_context *, size_t);
    size_t n, rate, guard;
  } rows[] = {{chain_of, 10, 330, 183}, {chain_of, 40, 1410, 873}, {chain_of, 160, 5730, 3633}, {chain_of, 500, 17970, 11453}, {relative_chain, 40, 2059, 1334},
              {arm_of, 7, 1736, 837}, {arm_of, 12, 3475, 1777}, {arm_of, 36, 11977, 6375}, {loop, 10, 400, 256}, {loop, 40, 1472, 998}, {loop, 100, 3641, 2501},
              {snake, 20, 1548, 1017}, {snake, 50, 3857, 2576}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    size_t rate, guard;
    rows[i].make(&s, *state, rows[i].n);
    operations_of(&s, &rate, &guard);
    assert_int_equal(rate, rows[i].rate);
    assert_int_equal(guard, rows[i].guard);
  }
}

// x' is the same bits with pivots and with margins, and the pivots are above the floors of the guard where the margins are positive
static void compare_guard(mechanism *s, bool *fails) {
  hml_graph_programs g = programs_of(s);
  uint64_t seed = 20261126;
  const size_t n = 2 * s->n;
  for (int trial = 0; trial < 200; trial++) {
    static double in[2 * MOST + 8], with_margins[8 * MOST], lean[8 * MOST], floors[8 * MOST];
    bool one = true, other = true;
    draw_state(s, &seed, in);
    for (size_t i = 0; trial % 2 && i < s->n; i++) in[1 + i] = in[1] + (trial % 4 == 1 ? 1e-3 * in[1 + i] : 0);   // stretched
    evaluate(g.rate, in, with_margins);
    evaluate(g.lean, in, lean);
    evaluate(g.guard, in, floors);
    for (size_t i = 0; i < n; i++) assert_true(with_margins[i] == lean[i] || isnan(lean[i]));
    for (size_t i = 0; i < g.margins; i++) one &= with_margins[n + i] > 0;
    for (size_t i = 0; i < g.pivots; i++) other &= lean[n + i] > floors[i] && lean[n + i] > floors[g.pivots + i];
    for (size_t i = 0; i < g.settled; i++) other &= floors[2 * g.pivots + i] > 0;
    assert_int_equal(one, other);
    *fails |= !one;
  }
  hml_program__free_graph(&g);
}

static void the_guard_says_what_the_margins_say(void **state) {
  static mechanism s;
  bool fails = false;
  chain(&s, *state, 6, false), compare_guard(&s, &fails);
  arm(&s, *state, 4, 1), compare_guard(&s, &fails);
  loop(&s, *state, 6), compare_guard(&s, &fails);
  snake(&s, *state, 5), compare_guard(&s, &fails);
  oddities(&s, *state), compare_guard(&s, &fails);
  quaternions(&s, *state), compare_guard(&s, &fails);
  assert_true(fails);                                                      // stretched loops
}

// The same system with its coordinates in the opposite order
static void the_order_of_the_coordinates_costs_nothing(void **state) {
  static mechanism s, other;
  arm(&s, *state, 6, 1);
  other = s;
  for (size_t i = 0; i < 6; i++) other.q[i] = s.q[5 - i], other.v[i] = s.v[5 - i];
  size_t one = operations(&s), two = operations(&other);
  assert_true(two <= one + one / 20 && one <= two + two / 20);
}

static void without_inertia_there_is_no_program(void **state) {
  static mechanism s;
  size_t margins;
  begin(&s, *state, 2);
  s.T = half(&s, square(&s, plus(&s, s.v[0], s.v[1])));
  hml_program *p = graph_of(&s, &margins);
  if (p) {                                                                // its margin says so everywhere
    double in[5] = {0, 1, 2, 3, 4}, out[8];
    evaluate(p, in, out);
    bool holds = true;
    for (size_t i = 0; i < margins; i++) holds &= out[4 + i] > 0;
    assert_false(holds);
  }
  hml_program_free(p);
  begin(&s, *state, 1);
  s.T = fun(&s, HML_FUN_cosh, s.v[0]);                                    // no second derivative by v is known here
  assert_null(graph_of(&s, &margins));
  begin(&s, *state, 2);
  s.T = half(&s, plus(&s, square(&s, s.v[0]), square(&s, s.v[1])));
  s.m = 1;
  s.f[0] = number(&s, 0, 1);                                              // a row of zeros
  assert_null(graph_of(&s, &margins));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(accelerations_are_those_of_the_dense_equations),
      in_context(constrained_accelerations_too),
      in_context(long_systems_obey_their_equations),
      in_context(errors_are_those_of_rounding),
      in_context(the_guard_says_what_the_margins_say),
      in_context(operations_grow_as_the_system),
      in_context(the_order_of_the_coordinates_costs_nothing),
      in_context(without_inertia_there_is_no_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
