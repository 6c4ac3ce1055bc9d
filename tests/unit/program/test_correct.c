// tests src/program/correct.c, lengths.c: corrections onto constraints by the graph; arbiter: hml_program__correction, the same from M and the rows
#include "mechanisms.h"

static const hml_pivot_floors floors = {1e-10, 1e-10, 1e-10};

// Residuals, then their rows: derivatives by the velocities, or of `positions` by the coordinates
static hml_program *level_of(mechanism *s, const hml_expr *positions) {
  static hml_expr in[2 * MOST + 8], out[60 * MOST];
  const size_t inputs = list_inputs(s, in);
  size_t at = 0;
  hml_program *p = NULL;
  for (size_t k = 0; k < s->m; k++) out[at++] = positions ? positions[k] : s->f[k];
  for (size_t k = 0; k < s->m; k++)
    for (size_t i = 0; i < s->n; i++) out[at++] = hml_derivative(s->c, out[k], positions ? s->q[i] : s->v[i]);
  assert_ok(s->c, hml_program_new(s->c, inputs, in, at, out, &p));
  return p;
}

static hml_program *mass_of(mechanism *s) {
  static hml_expr in[2 * MOST + 8], out[MOST * 60];
  const size_t inputs = list_inputs(s, in);
  size_t at = 0;
  hml_program *p = NULL;
  for (size_t i = 0; i < s->n; i++) {
    hml_expr momentum = hml_derivative(s->c, s->T, s->v[i]);
    for (size_t j = 0; j <= i; j++) out[at++] = hml_derivative(s->c, momentum, s->v[j]);
  }
  assert_ok(s->c, hml_program_new(s->c, inputs, in, at, out, &p));
  return p;
}

static hml_correction_layout correction_of(const mechanism *s, bool positions, const bool *implied) {
  return (hml_correction_layout){.rows = s->m, .columns = s->n, .first_variable = 1 + (positions ? 0 : s->n), .implied = implied};
}

static hml_program *by_graph(mechanism *s, const hml_expr *positions, const bool *implied, size_t *margins) {
  const hml_correction_layout l = correction_of(s, positions != NULL, implied);
  hml_graph_layout g = layout_of(s);
  hml_program *energies = energies_of(s), *level = level_of(s, positions), *p;
  g.floors = floors;
  assert_ok(s->c, hml_program__graph_correction(s->c, energies, level, &l, &g, &p, margins));
  hml_program_free(energies);
  hml_program_free(level);
  return p;
}

static hml_program *by_mass(mechanism *s, const hml_expr *positions, const bool *implied, size_t *margins) {
  const hml_correction_layout l = correction_of(s, positions != NULL, implied);
  hml_program *mass = mass_of(s), *level = level_of(s, positions), *p;
  assert_ok(s->c, hml_program__correction(s->c, mass, 0, level, &l, floors, 2000000, &p, margins));
  hml_program_free(mass);
  hml_program_free(level);
  return p;
}

static bool hold(const double *margins, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!(margins[i] > 0)) return false;
  return true;
}

// Residuals, lengths and sizes; the corrections relative to the largest
static void compare(mechanism *s, const hml_expr *positions, const bool *implied, int trials, double tolerance) {
  static double in[2 * MOST + 8], mine[8 * MOST], other[8 * MOST];
  size_t margins, other_margins, rows = s->m, n = s->n;
  hml_program *graph = by_graph(s, positions, implied, &margins), *dense = by_mass(s, positions, implied, &other_margins);
  uint64_t seed = 20261127;
  int held = 0;
  assert_non_null(graph);
  assert_non_null(dense);
  for (int trial = 0; trial < trials; trial++) {
    double largest = 0;
    draw_state(s, &seed, in);
    evaluate(graph, in, mine);
    evaluate(dense, in, other);
    for (size_t k = 0; k < rows; k++) {
      check_near(mine[k], other[k], 1e-13 * (1 + fabs(other[k])));
      check_near(mine[rows + k], other[rows + k], 1e-12 * other[rows + k]);
      check_near(mine[2 * rows + k], other[2 * rows + k], 1e-13 * other[2 * rows + k]);
    }
    if (!hold(mine + 3 * rows + n, margins) || !hold(other + 3 * rows + n, other_margins)) continue;
    held++;
    for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(other[3 * rows + i]));
    for (size_t i = 0; i < n; i++) check_near(mine[3 * rows + i], other[3 * rows + i], tolerance * largest);
  }
  assert_true(10 * held >= 9 * trials);
  hml_program_free(graph);
  hml_program_free(dense);
}

// The end of the loop stays where it is
static void ends_of(mechanism *s, hml_expr *g) {
  g[0] = g[1] = number(s, 0, 1);
  for (size_t i = 0; i < s->n; i++) {
    g[0] = plus(s, g[0], fun(s, HML_FUN_sin, s->q[i]));
    g[1] = minus(s, g[1], fun(s, HML_FUN_cos, s->q[i]));
  }
}

static void corrections_are_those_of_the_mass_matrix(void **state) {
  static mechanism s;
  for (size_t n = 1; n <= 20; n += n < 5 ? 1 : 15) snake(&s, *state, n), compare(&s, NULL, NULL, 20, 1e-10);
  for (size_t n = 3; n <= 20; n += 17) loop(&s, *state, n), compare(&s, NULL, NULL, 20, 1e-10);
  oddities(&s, *state), compare(&s, NULL, NULL, 20, 1e-10);
}

static void those_of_positions_too(void **state) {
  static mechanism s;
  hml_expr g[3];
  for (size_t n = 3; n <= 20; n += 17) loop(&s, *state, n), ends_of(&s, g), compare(&s, g, NULL, 20, 1e-10);
  // with time and parameters, and a row that follows from another
  oddities(&s, *state);
  s.m = 2;
  s.f[1] = s.f[0];
  g[0] = minus(&s, plus(&s, times(&s, s.q[0], s.parameter[1]), square(&s, s.q[1])), fun(&s, HML_FUN_sin, s.t));
  g[1] = times(&s, g[0], plus(&s, number(&s, 2, 1), square(&s, g[0])));
  compare(&s, g, (const bool[]){false, true}, 20, 1e-10);
}

static size_t operations(mechanism *s, const hml_expr *positions) {
  size_t margins;
  hml_program *p = by_graph(s, positions, NULL, &margins);
  const size_t count = hml_program_operations(p);
  hml_program_free(p);
  return count;
}

// Operations of residuals, lengths, sizes, a correction and its margins: numbers of the method, as in test_graph.c. The dense
// program takes 15931 for a snake of 20 and 17633 for a loop of 40
static void operations_grow_as_the_system(void **state) {
  static mechanism s;
  hml_expr g[2];
  const struct { size_t n, positions, velocities; } loops[] = {{10, 436, 438}, {40, 1628, 1628}, {100, 4027, 4027}};
  const struct { size_t n, velocities; } snakes[] = {{10, 979}, {20, 1997}, {50, 5004}};
  for (size_t i = 0; i < 3; i++) {
    loop(&s, *state, loops[i].n);
    ends_of(&s, g);
    assert_int_equal(operations(&s, g), loops[i].positions);
    assert_int_equal(operations(&s, NULL), loops[i].velocities);
    snake(&s, *state, snakes[i].n);
    assert_int_equal(operations(&s, NULL), snakes[i].velocities);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(corrections_are_those_of_the_mass_matrix), in_context(those_of_positions_too),
                                     in_context(operations_grow_as_the_system)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
