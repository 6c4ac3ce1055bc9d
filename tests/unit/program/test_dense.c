// tests src/program/dense.c, residual.c, energies.c and hml_program__is_entire; arbiter: symbolic derivatives of the same L, forces and constraints
#include "programs.h"

#include <math.h>

enum { N = 4, M = 2, PARAMETERS = 3, INPUTS = 1 + 2 * N + PARAMETERS, ENTRIES = N * (N + 1) / 2, EQUATIONS = N + ENTRIES + M * N + N + M };
enum { LONG = 60 };

typedef struct bodies {
  hml_context *c;
  hml_expr t, q[N], v[N], p[PARAMETERS], L, T, Q[N], f[M];
} bodies;

static const double parameter_values[PARAMETERS] = {0.7, 1.3, 0.9};

// A rod on a cart that time moves, a coordinate with a mass of its own, T linear in some velocities and of the fourth degree in one; constraints that contain
// time, one of them not linear
static void declare(bodies *s, hml_context *c) {
  static const char *const names[] = {"x", "y", "a", "b"}, *const parameters[] = {"m", "l", "k"};
  hml_expr all[1 + N + PARAMETERS];
  s->c = c;
  all[0] = s->t = hml_symbol(c, "t", HML_TIME, 0);
  for (int i = 0; i < N; i++) all[1 + i] = s->q[i] = hml_symbol(c, names[i], HML_DYNAMIC, 0), s->v[i] = hml_dot(c, s->q[i]);
  for (int i = 0; i < PARAMETERS; i++) all[1 + N + i] = s->p[i] = hml_symbol(c, parameters[i], HML_POSITIVE, 0);
#define TEXT(text) hml_parse(c, text, 1 + N + PARAMETERS, all)
  s->T = TEXT("m/2*((x' + l*a'*cos(a) + sin(t))^2 + (y' + l*a'*sin(a))^2) + m*l^2/24*a'^2 + (2 + cos(b))*b'^2/2 + b'^4/12 + x*a'/3");
  s->L = hml_sub(c, s->T, TEXT("k*x^2/2 + k*y^2*cos(t)/3 - m*l*cos(a - b)"));
  s->Q[0] = TEXT("-x'/5"), s->Q[1] = TEXT("t*y"), s->Q[2] = TEXT("0"), s->Q[3] = TEXT("k*sin(x)");
  s->f[0] = TEXT("x'*sin(a) - y'*cos(a) + l*a'/2 - t/4"), s->f[1] = TEXT("x'^2 + y'^2 - b'*(1 + t^2)");
#undef TEXT
}

static hml_graph_layout layout(void) {
  return (hml_graph_layout){.n = N, .m = M, .forces = 1, .rows = 1 + N, .first_parameter = 1 + 2 * N, .n_parameters = PARAMETERS, .parameter_values = parameter_values,
                            .floors = {1e-10, 1e-3, 1e-3}, .most = 100000};
}

static void list_inputs(const bodies *s, hml_expr *in) {
  *in++ = s->t;
  for (int i = 0; i < N; i++) in[i] = s->q[i], in[N + i] = s->v[i];
  for (int i = 0; i < PARAMETERS; i++) in[2 * N + i] = s->p[i];
}

// L, forces, constraints, T
static hml_program *energies_of(const bodies *s) {
  hml_expr in[INPUTS], out[2 + N + M] = {s->L};
  hml_program *p = NULL;
  list_inputs(s, in);
  for (int i = 0; i < N; i++) out[1 + i] = s->Q[i];
  for (int k = 0; k < M; k++) out[1 + N + k] = s->f[k];
  out[1 + N + M] = s->T;
  assert_ok(s->c, hml_program_new(s->c, INPUTS, in, 2 + N + M, out, &p));
  return p;
}

static hml_expr rate_of(const bodies *s, hml_expr e) {
  hml_expr rate = hml_derivative(s->c, e, s->t);
  for (int j = 0; j < N; j++) rate = hml_add(s->c, rate, hml_mul(s->c, hml_derivative(s->c, e, s->q[j]), s->v[j]));
  return rate;
}

// Velocities, M, A, r, b
static hml_program *written_out(const bodies *s) {
  hml_context *c = s->c;
  hml_expr in[INPUTS], out[EQUATIONS], momentum[N];
  size_t at = 0;
  hml_program *p = NULL;
  list_inputs(s, in);
  for (int i = 0; i < N; i++) out[at++] = s->v[i], momentum[i] = hml_derivative(c, s->L, s->v[i]);
  for (int i = 0; i < N; i++)
    for (int j = 0; j <= i; j++) out[at++] = hml_derivative(c, momentum[i], s->v[j]);
  for (int k = 0; k < M; k++)
    for (int j = 0; j < N; j++) out[at++] = hml_derivative(c, s->f[k], s->v[j]);
  for (int i = 0; i < N; i++) out[at++] = hml_sub(c, hml_add(c, s->Q[i], hml_derivative(c, s->L, s->q[i])), rate_of(s, momentum[i]));
  for (int k = 0; k < M; k++) out[at++] = rate_of(s, s->f[k]);
  assert_ok(c, hml_program_new(c, INPUTS, in, at, out, &p));
  return p;
}

static void draw_point(uint64_t *seed, double *in) {
  for (int i = 0; i <= 2 * N; i++) in[i] = draw_between(seed, -2, 2);
  for (int i = 0; i < PARAMETERS; i++) in[1 + 2 * N + i] = draw_between(seed, 0.5, 1.5);
}

static void equations_are_those_of_the_derivatives(void **state) {
  bodies s;
  declare(&s, *state);
  hml_program *p = energies_of(&s), *want = written_out(&s), *got = NULL;
  const hml_graph_layout l = layout();
  uint64_t seed = 11;
  check_ok(hml_program__equations(*state, p, &l, &got));
  assert_non_null(got);
  assert_int_equal(hml_program_outputs(got), EQUATIONS);
  for (int point = 0; point < 20; point++) {
    double in[INPUTS], a[EQUATIONS], b[EQUATIONS];
    draw_point(&seed, in);
    evaluate(want, in, a);
    evaluate(got, in, b);
    for (int i = 0; i < EQUATIONS; i++) assert_true(fabs(a[i] - b[i]) <= 1e-13 * (1 + fabs(a[i])));
  }
  hml_program_free(got);
  hml_program_free(want);
  hml_program_free(p);
}

static void energies_follow_from_the_lagrangian(void **state) {
  bodies s;
  declare(&s, *state);
  hml_context *c = *state;
  hml_program *p = energies_of(&s), *want = NULL;
  const hml_graph_layout l = layout();
  hml_expr in[INPUTS], twice = hml_integer(c, 0), out[3];
  uint64_t seed = 12;
  list_inputs(&s, in);
  for (int i = 0; i < N; i++) twice = hml_add(c, twice, hml_mul(c, s.v[i], hml_derivative(c, s.L, s.v[i])));
  out[0] = hml_sub(c, twice, s.L), out[1] = s.T, out[2] = hml_div(c, twice, hml_integer(c, 2));
  check_ok(hml_program_new(c, INPUTS, in, 3, out, &want));
  for (int own = 0; own < 2; own++) {
    hml_program *got = NULL;
    check_ok(hml_program__energies(c, p, &l, own ? SIZE_MAX : 1 + N + M, &got));
    assert_int_equal(hml_program_outputs(got), 2);
    for (int point = 0; point < 10; point++) {
      double at[INPUTS], a[3], b[2];
      draw_point(&seed, at);
      evaluate(want, at, a);
      evaluate(got, at, b);
      assert_true(fabs(a[0] - b[0]) <= 1e-13 * (1 + fabs(a[0])));
      assert_true(fabs(a[1 + own] - b[1]) <= 1e-13 * (1 + fabs(a[1 + own])));
    }
    hml_program_free(got);
  }
  hml_program_free(want);
  hml_program_free(p);
}

// Forces that belong to accelerations and multipliers drawn at random: M a = r + A^T lambda by the symbolic entries
static void residual_is_zero_only_for_the_right_accelerations(void **state) {
  bodies s;
  declare(&s, *state);
  s.f[1] = hml_parse(s.c, "b'", 1, (hml_expr[]){s.q[3]});
  hml_program *want = written_out(&s), *p;
  uint64_t seed = 13;
  double in[INPUTS + N + M], e[EQUATIONS], *a = in + INPUTS, *lambda = a + N, off[2];
  draw_point(&seed, in);
  evaluate(want, in, e);
  const double *mass = e + N, *rows = mass + ENTRIES, *r = rows + M * N, *b = r + N;
  for (int i = 0; i < N; i++) a[i] = draw_between(&seed, -1, 1);
  for (int k = 0; k < M; k++) lambda[k] = draw_between(&seed, -1, 1);
  a[3] = -b[1] / rows[N + 3];                                             // the constraints hold
  a[2] = -(b[0] + rows[0] * a[0] + rows[1] * a[1] + rows[3] * a[3]) / rows[2];
  for (int i = 0; i < N; i++) {
    double missing = -r[i];
    for (int j = 0; j < N; j++) missing += mass[i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i] * a[j];
    for (int k = 0; k < M; k++) missing -= rows[k * N + i] * lambda[k];
    s.Q[i] = hml_add(s.c, s.Q[i], hml_from_double(s.c, missing));
  }
  p = energies_of(&s);
  const hml_graph_layout l = layout();
  check_ok(hml_program__residual(*state, p, &l, 1, in, off));
  assert_true(off[0] < 1e-14);
  for (int i = 0; i < N + M; i++) {
    double points[2 * (INPUTS + N + M)];
    memcpy(points, in, sizeof in);
    memcpy(points + INPUTS + N + M, in, sizeof in);
    points[2 * INPUTS + N + M + i] += 1e-6;
    check_ok(hml_program__residual(*state, p, &l, 2, points, off));
    assert_true(off[0] < 1e-14 && off[1] > 1e-9);
  }
  in[1] = NAN;
  check_ok(hml_program__residual(*state, p, &l, 1, in, off));
  assert_true(isnan(off[0]));
  hml_program_free(p);
  hml_program_free(want);
}

// A chain of n links in a plane, with L alone and no forces
static hml_program *chain(hml_context *c, size_t n) {
  static hml_expr in[1 + 2 * LONG], out[1 + LONG];
  hml_expr x = hml_integer(c, 0), y = x, L = x;
  hml_program *p = NULL;
  in[0] = hml_symbol(c, "t", HML_TIME, 0);
  for (size_t i = 0; i < n; i++) {
    char name[20];
    snprintf(name, sizeof name, "q%zu", i + 1);
    hml_expr q = in[1 + i] = hml_symbol(c, name, HML_DYNAMIC, 0), v = in[1 + n + i] = hml_dot(c, q);
    x = hml_add(c, x, hml_mul(c, hml_call(c, HML_FUN_cos, 1, &q), v));
    y = hml_add(c, y, hml_mul(c, hml_call(c, HML_FUN_sin, 1, &q), v));
    L = hml_add(c, L, hml_add(c, hml_mul(c, x, x), hml_mul(c, y, y)));
    out[1 + i] = hml_integer(c, 0);
  }
  out[0] = L;
  assert_ok(c, hml_program_new(c, 1 + 2 * n, in, 1 + n, out, &p));
  return p;
}

static void the_diagonal_takes_few_operations(void **state) {
  size_t operations[2];
  for (int i = 0; i < 2; i++) {
    const size_t n = i ? LONG : LONG / 2;
    hml_program *p = chain(*state, n), *rate = NULL, *diagonal = NULL, *equations = NULL;
    size_t margins, entries = 8 * n;
    hml_graph_layout l = {.n = n, .forces = 1, .rows = 1 + n, .floors = {1e-10, 1e-3, 1e-3}, .most = 100000, .inertia = &diagonal, .entries = &entries,
                          .most_entries = 8 * n};
    static double in[1 + 2 * LONG], d[LONG], e[LONG + LONG * (LONG + 1) / 2 + LONG];
    uint64_t seed = 14;
    check_ok(hml_program__graph(*state, p, &l, &rate, &margins));
    assert_non_null(rate);
    assert_non_null(diagonal);
    assert_true(entries > 8 * n);                                         // M is full
    check_ok(hml_program__equations(*state, p, &l, &equations));
    for (size_t k = 0; k < 1 + 2 * n; k++) in[k] = draw_between(&seed, -3, 3);
    evaluate(diagonal, in, d);
    evaluate(equations, in, e);
    for (size_t k = 0; k < n; k++) assert_true(fabs(d[k] - e[n + k * (k + 1) / 2 + k]) <= 1e-14 * fabs(d[k]));
    operations[i] = hml_program_operations(diagonal);
    hml_program_free(equations);
    hml_program_free(diagonal);
    hml_program_free(rate);
    hml_program_free(p);
  }
  assert_true(operations[1] <= 2 * operations[0] + 8);
}

// Oscillators side by side have one entry each
static void entries_of_the_mass_matrix_are_counted(void **state) {
  hml_context *c = *state;
  enum { COUNT = 5 };
  hml_expr in[1 + 2 * COUNT], out[1 + COUNT], L = hml_integer(c, 0);
  in[0] = hml_symbol(c, "t", HML_TIME, 0);
  for (int i = 0; i < COUNT; i++) {
    char name[2] = {(char)('a' + i), '\0'};
    in[1 + i] = hml_symbol(c, name, HML_DYNAMIC, 0);
    in[1 + COUNT + i] = hml_dot(c, in[1 + i]);
    L = hml_add(c, L, hml_mul(c, in[1 + COUNT + i], in[1 + COUNT + i]));
    out[1 + i] = hml_neg(c, in[1 + i]);
  }
  out[0] = hml_add(c, L, hml_mul(c, in[1 + COUNT], in[2 + COUNT]));        // and one coupling
  hml_program *p = NULL, *rate = NULL;
  size_t entries, margins;
  const hml_graph_layout l = {.n = COUNT, .forces = 1, .rows = 1 + COUNT, .floors = {1e-10, 1e-3, 1e-3}, .most = 1000, .entries = &entries, .most_entries = 100};
  check_ok(hml_program_new(c, 1 + 2 * COUNT, in, 1 + COUNT, out, &p));
  check_ok(hml_program__graph(c, p, &l, &rate, &margins));
  assert_non_null(rate);
  assert_int_equal(entries, COUNT + 1);
  hml_program_free(rate);
  hml_program_free(p);
}

static void entire_programs_are_known(void **state) {
  static const struct { const char *text; bool entire; } cases[] = {
      {"x*sin(y) - exp(z)*x'^3/m", true}, {"x/sqrt(m)", true}, {"x/m^0.3", true}, {"1/x", false}, {"sqrt(x^2 + 1)", false}, {"x^0.5", false}, {"x^(-2)", false},
      {"log(x)", false}, {"abs(x)", false}, {"tan(x)", false}, {"atan2(x, y)", false}, {"m^x", false}, {"tanh(x)", false}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    hml_program *p = program_of(state, 1, &cases[i].text);
    if (hml_program__is_entire(p, 4, 1) != cases[i].entire) fail_msg("%s", cases[i].text);
    hml_program_free(p);
  }
}

int main(void) {
#define TEST(f) cmocka_unit_test_setup_teardown(f, open_context, close_context)
  const struct CMUnitTest tests[] = {TEST(equations_are_those_of_the_derivatives), TEST(energies_follow_from_the_lagrangian),
                                     TEST(residual_is_zero_only_for_the_right_accelerations), TEST(the_diagonal_takes_few_operations),
                                     TEST(entries_of_the_mass_matrix_are_counted), TEST(entire_programs_are_known)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
