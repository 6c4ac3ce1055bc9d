// tests src/program/graph.c, eliminate.c, share.c: x' from energies; arbiter: M, A, r, b by symbolic derivatives, solved with pivoting
#include "mechanisms.h"

static hml_graph_programs programs_of(mechanism *s) {
  const hml_graph_layout l = layout_of(s);
  hml_program *p = energies_of(s);
  hml_graph_programs g;
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

static void compare_with(mechanism *s, int trials, double tolerance, bool reactions) {
  hml_graph_programs g = programs_of(s);
  const size_t margins = g.margins, n = s->n, size = s->n + s->m, first = reactions ? size : 2 * n;
  size_t held = 0;
  hml_program *p = reactions ? g.reactions : g.rate, *dense = equations_of(s);
  assert_non_null(p);
  double *k = calloc(size * (size + 1), sizeof *k), *x = calloc(size, sizeof *x), *out = calloc(n * n + s->m * n + size, sizeof *out);
  uint64_t seed = 20261124;
  for (int trial = 0; trial < trials; trial++) {
    double in[2 * MOST + 8], mine[6 * MOST], largest = 0, largest_multiplier = 0;
    draw_state(s, &seed, in);
    evaluate(p, in, mine);
    evaluate(dense, in, out);
    bool holds = true;
    for (size_t i = 0; i < margins; i++) holds &= mine[first + i] > 0;
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
      if (!reactions) check_near(mine[i], in[1 + n + i], 0);
      check_near(mine[reactions ? i : n + i], x[i], tolerance * largest);
    }
    for (size_t i = n; i < size; i++) largest_multiplier = fmax(largest_multiplier, fabs(x[i]));
    for (size_t i = n; reactions && i < size; i++) check_near(mine[i], -x[i], tolerance * largest_multiplier);
  }
  assert_true(held * 10 >= (size_t)trials * 9);
  free(k);
  free(x);
  free(out);
  hml_program__free_graph(&g);
  hml_program_free(dense);
}

static void compare(mechanism *s, int trials, double tolerance) {
  compare_with(s, trials, tolerance, false);
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

static void reactions_are_those_of_the_dense_equations(void **state) {
  static mechanism s;
  loop(&s, *state, 6), compare_with(&s, 20, 1e-10, true);
  for (size_t n = 1; n <= 8; n += 7) snake(&s, *state, n), compare_with(&s, 20, 1e-10, true);
  oddities(&s, *state), compare_with(&s, 20, 1e-10, true);
  quaternions(&s, *state), compare_with(&s, 20, 1e-10, true);
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

// The multipliers are values that the accelerations are computed from: they cost nothing, but for a sign here and there
static void reactions_cost_nothing(void **state) {
  static mechanism s;
  const struct {
    void (*make)(mechanism *, hml_context *, size_t);
    size_t n, more;
  } rows[] = {{loop, 10, 0}, {loop, 40, 1}, {snake, 5, 0}, {snake, 20, 0}, {snake, 50, 0}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    rows[i].make(&s, *state, rows[i].n);
    hml_graph_programs g = programs_of(&s);
    assert_non_null(g.reactions);
    assert_int_equal(hml_program_outputs(g.reactions), s.n + s.m + g.margins);
    assert_int_equal(hml_program_operations(g.reactions), hml_program_operations(g.rate) + rows[i].more);
    hml_program__free_graph(&g);
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
      in_context(reactions_cost_nothing),
      in_context(reactions_are_those_of_the_dense_equations),
      in_context(the_order_of_the_coordinates_costs_nothing),
      in_context(without_inertia_there_is_no_program),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
