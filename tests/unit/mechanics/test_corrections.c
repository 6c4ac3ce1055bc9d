// tests the corrections of src/mechanics/model.c and project.c on large systems: by the graph of velocities; arbiter: the general way, by factors of M
#include "program/mechanisms.h"

#include "mechanics/mechanics_impl.h"

typedef struct large {
  hml_context *c;
  hml_model *model;
  hml_workspace *w;
} large;

// From the energies alone; the first `positions` constraints are also rates of g
static large open_large(mechanism *s, hml_context *c, size_t positions, const hml_expr *g) {
  static hml_expr rows[60 * MOST], places[2 * MOST];
  static char texts[MOST][8];
  static const char *coordinates[MOST], *names[60];
  large x = {.c = c};
  for (size_t i = 0; i < s->n; i++) {
    snprintf(texts[i], sizeof texts[i], "q%zu", i + 1);
    coordinates[i] = texts[i];
  }
  for (size_t k = 0; k < s->m; k++) {
    names[k] = "row";
    for (size_t i = 0; i < s->n; i++) rows[k * s->n + i] = hml_derivative(c, s->f[k], s->v[i]);
    for (size_t i = 0; k < positions && i < s->n; i++) places[k * s->n + i] = hml_derivative(c, g[k], s->q[i]);
  }
  const hml_model_spec spec = {.name = "large", .n_kin = s->n, .n_dyn = s->n, .n_multipliers = s->m, .n_velocities = s->m, .n_positions = positions, .time = s->t,
                               .kin = s->q, .dyn = s->v, .dyn_names = coordinates, .multiplier_names = names, .velocity_names = names, .position_names = names,
                               .k = s->v, .velocity_residuals = s->f, .velocity_jacobian = rows, .position_residuals = g, .position_jacobian = places,
                               .elimination = HML_GRAPH, .lagrangian = minus(s, s->T, s->V), .forces = s->Q, .row_functions = s->f, .kinetic = s->T};
  assert_ok(c, hml_model_new(c, &spec, &x.model));
  assert_non_null(x.model);
  assert_ok(c, hml_workspace_new(c, x.model, &x.w));
  return x;
}

static void close_large(large *x) {
  hml_workspace_free(x->w);
  hml_model_free(x->model);
}

// States off by `off` in the entries from ... to - 1, brought back by the programs of the model and without these. These entries move by the same up to
// `tolerance` of the largest move and rounding of the states
static void compare(large *x, size_t from, size_t to, double off, double tolerance) {
  static double start[2 * MOST + 1], one[2 * MOST + 1], other[2 * MOST + 1];
  hml_program *const programs[2] = {x->model->correction[0], x->model->correction[1]};
  const size_t n = hml_model_controlled_size(x->model);
  uint64_t seed = 20261127;
  for (int trial = 0; trial < 3; trial++) {
    double largest = 0;
    int moved;
    for (size_t i = 0; i < n; i++) start[i] = i < n / 2 ? 0.05 * (double)i : draw_between(&seed, -1, 1);
    assert_ok(x->c, hml_project(x->w, 0, 1e-9, 1e-9, start, &moved));
    for (size_t i = from; i < to; i++) start[i] += off * draw_between(&seed, -1, 1);
    memcpy(one, start, n * sizeof *one);
    memcpy(other, start, n * sizeof *other);
    assert_ok(x->c, hml_project(x->w, 0, 1e-9, 1e-9, one, &moved));
    assert_int_equal(moved, 1);
    x->model->correction[0] = x->model->correction[1] = NULL;
    assert_ok(x->c, hml_project(x->w, 0, 1e-9, 1e-9, other, &moved));
    x->model->correction[0] = programs[0], x->model->correction[1] = programs[1];
    for (size_t i = from; i < to; i++) largest = fmax(largest, fabs(other[i] - start[i]));
    for (size_t i = from; i < to; i++) check_near(one[i], other[i], tolerance * largest + 1e-13);
  }
}

static void a_snake_of_fifty_comes_back_to_its_blades(void **state) {
  static mechanism s;
  snake(&s, *state, 50);
  large x = open_large(&s, *state, 0, NULL);
  assert_non_null(x.model->correction[HML_VELOCITY_LEVEL]);
  compare(&x, 52, 104, 1e-5, 1e-8);
  close_large(&x);
}

static void a_loop_of_a_hundred_closes(void **state) {
  static mechanism s;
  hml_expr g[2];
  loop(&s, *state, 100);
  double x_end = 0, y_end = 0;                                             // about where the end is at the angles of `compare`
  for (size_t i = 0; i < s.n; i++) x_end += sin(0.05 * (double)i), y_end -= cos(0.05 * (double)i);
  g[0] = number(&s, -lround(1e6 * x_end), 1000000), g[1] = number(&s, -lround(1e6 * y_end), 1000000);
  for (size_t i = 0; i < s.n; i++) {
    g[0] = plus(&s, g[0], fun(&s, HML_FUN_sin, s.q[i]));
    g[1] = minus(&s, g[1], fun(&s, HML_FUN_cos, s.q[i]));
  }
  large x = open_large(&s, *state, 2, g);
  assert_non_null(x.model->correction[HML_POSITION_LEVEL]);
  assert_non_null(x.model->correction[HML_VELOCITY_LEVEL]);
  compare(&x, 100, 200, 1e-5, 1e-8);
  compare(&x, 0, 100, 1e-5, 1e-8);
  close_large(&x);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(a_snake_of_fifty_comes_back_to_its_blades), in_context(a_loop_of_a_hundred_closes)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
