// discrete.c: maps given by expressions; arbiter: the implicit midpoint rule turns an oscillator by 2 atan(h/2), exactly.
#include "lagrange.h"
#include "problems.h"

static const lagrange spring = {.coordinates = "x", .kinetic = "x'^2/2", .potential = "x^2/2"};

typedef struct map {
  mechanics m;
  hml_discrete *d;
} map;

// z = (a, b): x and x' at the end of the step; h the step, k a parameter
static hml_status make(map *out, const char *const *residual, const char *const *guess, double k) {
  *out = (map){.m = build(&spring)};
  hml_context *c = out->m.c;
  symbols s;
  hml_expr e[6];
  declare_symbols(c, &spring, &s);
  hml_expr h = hml_symbol(c, "h", 0, 0), parameter = hml_symbol(c, "k", 0, 0), z[] = {hml_symbol(c, "a", 0, 0), hml_symbol(c, "b", 0, 0)};
  hml_expr states[] = {s.q[0], s.v[0]}, more[] = {h, parameter, z[0], z[1]};
  for (size_t i = 0; i < 4; i++) s.all.symbols[s.all.n++] = more[i];
  for (size_t i = 0; i < 2; i++) {
    e[i] = expression(&s.all, residual[i]);
    e[2 + i] = z[i];
    e[4 + i] = expression(&s.all, guess[i]);
  }
  hml_discrete_spec spec = {.n = 2, .nz = 2, .n_parameters = 1, .time = s.t, .step = h, .states = states, .unknowns = z, .parameters = &parameter,
                            .parameter_values = &k, .residual = e, .update = e + 2, .guess = e + 4};
  return hml_discrete_new(c, &spec, &out->d);
}

static void discard(map *m) {
  hml_discrete_free(m->d);
  demolish(&m->m);
}

static hml_outcome outcome;

static hml_trajectory *run(map *m, double step, double t0, double t1, const double *x) {
  hml_run_options o = options_of("dla", 1e-12);
  hml_trajectory *r;
  o.step = step;
  assert_ok(m->m.c, hml_discrete_run(m->m.w, m->d, &o, t0, t1, x, &r, &outcome));
  return r;
}

static const char *const midpoint[] = {"a - x - h*(b + x')/2", "b - x' + h*k*(a + x)/2"}, *const start[] = {"x + h*x'", "x'"};

static void the_midpoint_rule_turns(void **state) {
  (void)state;
  map m;
  make(&m, midpoint, start, 1);
  double x[] = {1, 0}, angle = 2 * atan(0.25 / 2);
  hml_trajectory *r = run(&m, 0.25, 0, 25, x);
  assert_int_equal(outcome.status, HML_OK);
  assert_int_equal(hml_trajectory_points(r), 101);
  for (size_t i = 0; i <= 100; i++) {
    check_near(hml_trajectory_state(r, i)[0], cos(angle * (double)i), 1e-13);
    check_near(hml_trajectory_state(r, i)[1], -sin(angle * (double)i), 1e-13);
  }
  hml_trajectory_free(r);
  discard(&m);
}

// The spring constant 4 is a parameter: twice as fast
static void parameters_enter_the_map(void **state) {
  (void)state;
  map m;
  make(&m, midpoint, start, 4);
  double x[] = {1, 0}, angle = 2 * atan(0.25);
  hml_trajectory *r = run(&m, 0.25, 0, 5, x);
  check_near(hml_trajectory_state(r, 20)[0], cos(20 * angle), 1e-13);
  hml_trajectory_free(r);
  discard(&m);
}

static void a_reversible_map_returns(void **state) {
  (void)state;
  map m;
  const char *const cubic[] = {"a - x - h*(b + x')/2", "b - x' + h*((a + x)/2)^3"};
  make(&m, cubic, start, 1);
  double x[] = {1, 0.5};
  hml_trajectory *there = run(&m, 0.2, 0, 40, x);
  hml_trajectory *back = run(&m, 0.2, 40, 0, hml_trajectory_state(there, hml_trajectory_points(there) - 1));
  const double *end = hml_trajectory_state(back, hml_trajectory_points(back) - 1);
  check_near(end[0], 1, 1e-12);
  check_near(end[1], 0.5, 1e-12);
  hml_trajectory_free(there);
  hml_trajectory_free(back);
  discard(&m);
}

static void expect(const char *const *residual, const char *text) {
  map m;
  double x[] = {1, 0};
  make(&m, residual, start, 1);
  hml_trajectory *r = run(&m, 0.25, 0, 1, x);
  assert_int_equal(outcome.status, HML_STEP_COLLAPSED);
  check_contains(outcome.message, text);
  assert_int_equal(hml_trajectory_points(r), 1);
  hml_trajectory_free(r);
  discard(&m);
}

static void maps_without_solution_stop(void **state) {
  (void)state;
  expect((const char *const[]){"a + b - x", "2*a + 2*b - x'"}, "are singular; take a smaller step");
  expect((const char *const[]){"a^2 + 1", "b - x'"}, "take a smaller step");
}

static void a_map_needs_states_and_unknowns(void **state) {
  hml_discrete *d;
  hml_discrete_spec none = {.n = 1};
  assert_int_equal(hml_discrete_new(*state, &none, &d), HML_ARGUMENT);
  assert_null(d);
  assert_message(*state, HML_ARGUMENT, "states and unknowns are needed");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(the_midpoint_rule_turns),
      in_context(parameters_enter_the_map),
      in_context(a_reversible_map_returns),
      in_context(maps_without_solution_stop),
      in_context(a_map_needs_states_and_unknowns),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
