// tests src/mechanics/equations.c and models from energies alone; arbiter: the same model with M, A, r, b by symbolic derivatives
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

#include <math.h>
#include <pthread.h>

enum { N = 20, ROWS = 2, THREADS = 4 };

typedef struct chain {
  hml_expr q[N], v[N], mass[N * N], r[N], rows[ROWS * N], b[ROWS], f[ROWS], Q[N], k[1], L, T;
  char texts[N][8];
  const char *names[N];
} chain;

static const char *const ties[] = {"end x", "end y"};
static const double parameter_value = 1.3;

// Links of mass m on each other in a plane, the end held by two rows where `held`; singular: one more mass at (r cos, r sin) of the first two coordinates alone
static void write_chain(hml_context *c, chain *s, bool held, bool apart) {
  hml_expr m = hml_symbol(c, "m", HML_POSITIVE, 0), t = hml_symbol(c, "t", HML_TIME, 0), x = hml_integer(c, 0), y = x, height = x, T = x;
  for (int i = 0; i < N; i++) {
    snprintf(s->texts[i], sizeof s->texts[i], "q%d", i + 1);
    s->names[i] = s->texts[i];
    s->q[i] = hml_symbol(c, s->texts[i], HML_DYNAMIC, 0);
    s->v[i] = hml_dot(c, s->q[i]);
  }
  for (int i = 0; i < N; i++) {
    hml_expr sine = hml_call(c, HML_FUN_sin, 1, &s->q[i]), cosine = hml_call(c, HML_FUN_cos, 1, &s->q[i]);
    if (apart && i < 2) continue;
    x = hml_add(c, x, hml_mul(c, cosine, s->v[i]));
    y = hml_add(c, y, hml_mul(c, sine, s->v[i]));
    height = hml_sub(c, height, cosine);
    T = hml_add(c, T, hml_mul(c, m, hml_add(c, hml_mul(c, x, x), hml_mul(c, y, y))));
  }
  if (apart) {                         // a particle in polar coordinates: no inertia along q2 where q1 = 0
    hml_expr around = hml_mul(c, s->q[0], s->v[1]);
    T = hml_add(c, T, hml_add(c, hml_mul(c, s->v[0], s->v[0]), hml_mul(c, around, around)));
  }
  s->T = hml_div(c, T, hml_integer(c, 2));
  s->L = hml_sub(c, s->T, hml_mul(c, hml_mul(c, m, hml_integer(c, 9)), height));
  s->f[0] = x, s->f[1] = y;
  hml_expr momentum[N];
  for (int i = 0; i < N; i++) momentum[i] = hml_derivative(c, s->L, s->v[i]);
  for (int i = 0; i < N; i++) {
    s->Q[i] = hml_div(c, hml_neg(c, s->v[i]), hml_integer(c, 20));
    for (int j = 0; j < N; j++) s->mass[i * N + j] = hml_derivative(c, momentum[i], s->v[j]);
    s->r[i] = hml_sub(c, hml_add(c, s->Q[i], hml_derivative(c, s->L, s->q[i])), drift(c, momentum[i], t, N, s->q, s->v));
  }
  for (int k = 0; k < ROWS && held; k++) {
    s->b[k] = drift(c, s->f[k], t, N, s->q, s->v);
    for (int j = 0; j < N; j++) s->rows[k * N + j] = hml_derivative(c, s->f[k], s->v[j]);
  }
}

static hml_status make(hml_context *c, chain *s, bool held, bool alone, hml_model **out) {
  hml_expr m = hml_symbol(c, "m", HML_POSITIVE, 0), twice = hml_integer(c, 0);
  for (int i = 0; i < N; i++) twice = hml_add(c, twice, hml_mul(c, s->v[i], hml_derivative(c, s->L, s->v[i])));
  hml_model_spec spec = {.name = "chain", .n_kin = N, .n_dyn = N, .n_multipliers = held ? ROWS : 0, .n_parameters = 1, .n_velocities = held ? ROWS : 0,
                         .time = hml_symbol(c, "t", HML_TIME, 0), .kin = s->q, .dyn = s->v, .parameters = &m, .parameter_values = &parameter_value, .dyn_names = s->names,
                         .multiplier_names = ties, .velocity_names = ties, .k = s->v, .velocity_residuals = s->f, .velocity_jacobian = s->rows,
                         .elimination = HML_CHEAPEST, .lagrangian = s->L, .forces = s->Q, .row_functions = s->f, .kinetic = s->T};
  if (!alone) spec.mass = s->mass, spec.rows = s->rows, spec.r = s->r, spec.b = s->b, spec.energy = hml_sub(c, twice, s->L);
  if (!alone) spec.elimination = HML_DENSE;
  return hml_model_new(c, &spec, out);
}

typedef struct both {
  hml_context *c;
  hml_model *model[2];                 // from the energies, from M
  hml_workspace *w[2];
} both;

static both open_both(bool held, bool apart) {
  static chain s;
  both x = {.c = hml_context_new(NULL, NULL)};
  write_chain(x.c, &s, held, apart);
  for (int i = 0; i < 2; i++) {
    assert_ok(x.c, make(x.c, &s, held, i == 0, &x.model[i]));
    assert_non_null(x.model[i]);
    assert_ok(x.c, hml_workspace_new(x.c, x.model[i], &x.w[i]));
  }
  assert_int_equal(hml_model_elimination(x.model[0]), HML_GRAPH);
  assert_int_equal(hml_model_elimination(x.model[1]), HML_DENSE);
  return x;
}

static void close_both(both *x) {
  for (int i = 0; i < 2; i++) {
    hml_workspace_free(x->w[i]);
    hml_model_free(x->model[i]);
  }
  hml_context_free(x->c);
}

static void fill(double *x, int seed) {
  for (int i = 0; i < 2 * N; i++) x[i] = 3 * sin(1.7 * i + seed) + 0.3;
}

static void near(size_t n, const double *a, const double *b, double tolerance) {
  double size = 0;
  for (size_t i = 0; i < n; i++) size = fmax(size, fabs(b[i]));
  for (size_t i = 0; i < n; i++) assert_true(fabs(a[i] - b[i]) <= tolerance * size);
}

static void both_models_say_the_same(void **state) {
  (void)state;
  for (int held = 0; held < 2; held++) {
    both x = open_both(held, false);
    static double q[2 * N], a[2][2 * N], product[2][N], only[2][N], mass[2][N * N], jacobian[2][4 * N * N], lambda[2][ROWS];
    for (int seed = 0; seed < 4; seed++) {
      double energy[2], kinetic[2];
      fill(q, seed);
      for (int i = 0; i < 2; i++) {
        assert_ok(x.c, hml_workspace_set_state(x.w[i], 0.2, q));
        assert_ok(x.c, hml_state_rate(x.w[i], a[i]));
        assert_ok(x.c, hml_energies(x.w[i], &energy[i], &kinetic[i]));
        assert_ok(x.c, hml_mass_matrix(x.w[i], mass[i]));
        assert_ok(x.c, hml_mass_times(x.w[i], q + N, product[i]));
        assert_ok(x.c, hml_acceleration(x.w[i], only[i]));
        assert_ok(x.c, hml_state_jacobian(x.w[i], jacobian[i], NULL));
        if (held) assert_ok(x.c, hml_multipliers(x.w[i], lambda[i]));
      }
      near(2 * N, a[0], a[1], 1e-12);
      near(N * N, mass[0], mass[1], 1e-14);
      near(4 * N * N, jacobian[0], jacobian[1], 1e-11);
      near(N, product[0], product[1], 1e-14);
      near(N, only[0], only[1], 1e-12);
      near(N, only[0], a[0] + N, 0);                                       // and no general solve was needed for it
      assert_false(x.w[0]->valid.solution);
      near(1, &energy[0], &energy[1], 1e-13);
      near(1, &kinetic[0], &kinetic[1], 1e-13);
      if (held) near(ROWS, lambda[0], lambda[1], 1e-12);
      assert_int_equal(hml_workspace__handed_over(x.w[0]), 0);
    }
    close_both(&x);
  }
}

// The diagonal of M by its own program, where there is one
static void inertias_are_the_diagonal_of_the_mass_matrix(void **state) {
  (void)state;
  both x = open_both(false, false);
  static double q[2 * N], mass[N * N];
  fill(q, 5);
  assert_null(hml_workspace__inertia(x.w[1]));
  for (int i = 0; i < 2; i++) assert_ok(x.c, hml_workspace_set_state(x.w[i], 0, q));
  assert_ok(x.c, hml_mass_matrix(x.w[1], mass));
  const double *inertia = hml_workspace__inertia(x.w[0]);
  assert_non_null(inertia);
  for (int i = 0; i < N; i++) assert_true(fabs(inertia[i] - mass[i * N + i]) <= 1e-14 * mass[i * N + i]);
  close_both(&x);
}

static void a_place_without_inertia_is_handed_over_and_refused(void **state) {
  (void)state;
  both x = open_both(false, true);
  static double q[2 * N], a[2 * N];
  fill(q, 1);
  q[0] = 0;
  for (int i = 0; i < 2; i++) {
    assert_ok(x.c, hml_workspace_set_state(x.w[i], 0, q));
    assert_int_equal(hml_state_rate(x.w[i], a), HML_SINGULAR_MASS);
    assert_non_null(strstr(hml_context_error(x.c)->message, "no inertia along 'q2'"));
    hml_context_clear_error(x.c);
    if (i == 0) assert_int_equal(hml_workspace__handed_over(x.w[i]), 1);
  }
  close_both(&x);
}

typedef struct user {
  const hml_model *m;
  hml_status status;
  double mass[N * N];
} user;

static void *use(void *payload) {
  user *u = payload;
  double q[2 * N];
  hml_context *c = hml_context_new(NULL, NULL);
  hml_workspace *w = NULL;
  fill(q, 3);
  u->status = hml_workspace_new(c, u->m, &w);
  if (u->status == HML_OK) u->status = hml_workspace_set_state(w, 0, q);
  if (u->status == HML_OK) u->status = hml_mass_matrix(w, u->mass);
  hml_workspace_free(w);
  hml_context_free(c);
  return NULL;
}

static void threads_that_need_the_equations_at_once_get_the_same(void **state) {
  (void)state;
  both x = open_both(false, false);
  static user users[THREADS];
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) {
    users[i].m = x.model[0];
    assert_int_equal(pthread_create(&threads[i], NULL, use, &users[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 0; i < THREADS; i++) {
    assert_int_equal(users[i].status, HML_OK);
    assert_memory_equal(users[i].mass, users[0].mass, sizeof users[0].mass);
  }
  close_both(&x);
}

// Few entries of M, forces that depend on reactions, a velocity without inertia: whoever asked for the model asks again, with M
static void energies_that_do_not_suffice_give_no_model(void **state) {
  (void)state;
  static const struct { const char *T, *force; } cases[] = {{"x'^2 + y'^2", "0"}, {"x'^2 + y'^2", "reaction"}, {"x'^2", "0"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hml_context *c = hml_context_new(NULL, NULL);
    const char *const names[] = {"x", "y"};
    hml_expr lambda = hml_symbol(c, "reaction", HML_EXTERNAL, 0), q[2] = {hml_symbol(c, "x", HML_DYNAMIC, 0), hml_symbol(c, "y", HML_DYNAMIC, 0)};
    hml_expr v[2] = {hml_dot(c, q[0]), hml_dot(c, q[1])}, all[] = {q[0], q[1], lambda}, Q[2] = {hml_parse(c, cases[i].force, 3, all), hml_integer(c, 0)};
    hml_expr row = hml_parse(c, "x' - y'", 3, all), jacobian[2] = {hml_integer(c, 1), hml_integer(c, -1)};
    const hml_model_spec spec = {.name = "pair", .n_kin = 2, .n_dyn = 2, .n_multipliers = i == 1, .n_velocities = i == 1, .time = hml_symbol(c, "t", HML_TIME, 0),
                                 .kin = q, .dyn = v, .dyn_names = names, .multiplier_names = ties, .velocity_names = ties, .k = v, .multipliers = &lambda,
                                 .velocity_residuals = &row, .velocity_jacobian = jacobian, .elimination = HML_CHEAPEST,
                                 .lagrangian = hml_parse(c, cases[i].T, 3, all), .forces = Q, .row_functions = &row};
    hml_model *m;
    assert_ok(c, hml_model_new(c, &spec, &m));
    assert_null(m);
    hml_context_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(both_models_say_the_same), cmocka_unit_test(inertias_are_the_diagonal_of_the_mass_matrix),
                                     cmocka_unit_test(a_place_without_inertia_is_handed_over_and_refused),
                                     cmocka_unit_test(threads_that_need_the_equations_at_once_get_the_same),
                                     cmocka_unit_test(energies_that_do_not_suffice_give_no_model)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
