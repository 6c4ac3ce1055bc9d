// model.c: what a spec must bring, sizes, names, and memory that runs out at any place.
#include "lagrange.h"

// ---- a spec by hand: oscillator with a tie between two coordinates
typedef struct sheet {
  hml_expr t, q[2], v[2], m, zero, one, mass[4], rows[2], r[2], b[1], f[1];
  const char *coordinates[2], *ties[1];
  double value;
  hml_model_spec spec;
} sheet;

static void fill(hml_context *c, sheet *s) {
  s->t = hml_symbol(c, "t", HML_TIME, 0);
  s->q[0] = hml_symbol(c, "x", HML_DYNAMIC, 0);
  s->q[1] = hml_symbol(c, "y", HML_DYNAMIC, 0);
  for (int i = 0; i < 2; i++) s->v[i] = hml_dot(c, s->q[i]);
  s->m = hml_symbol(c, "m", HML_POSITIVE, 0);
  s->zero = hml_integer(c, 0);
  s->one = hml_integer(c, 1);
  s->mass[0] = s->mass[3] = s->m;
  s->mass[1] = s->mass[2] = s->zero;
  s->rows[0] = s->one;
  s->rows[1] = hml_neg(c, s->one);
  s->r[0] = hml_neg(c, s->q[0]);
  s->r[1] = s->zero;
  s->b[0] = s->zero;
  s->f[0] = hml_sub(c, s->v[0], s->v[1]);
  s->coordinates[0] = "x";
  s->coordinates[1] = "y";
  s->ties[0] = "tie";
  s->value = 2;
  s->spec = (hml_model_spec){.name = "pair", .n_kin = 2, .n_dyn = 2, .n_multipliers = 1, .n_parameters = 1, .n_velocities = 1,
                             .time = s->t, .kin = s->q, .dyn = s->v, .parameters = &s->m, .parameter_values = &s->value,
                             .dyn_names = s->coordinates, .multiplier_names = s->ties, .velocity_names = s->ties, .k = s->v,
                             .mass = s->mass, .rows = s->rows, .r = s->r, .b = s->b, .velocity_residuals = s->f,
                             .velocity_jacobian = s->rows};
}

static void sizes_and_names_are_kept(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  sheet s;
  hml_model *m;
  fill(c, &s);
  assert_ok(c, hml_model_new(c, &s.spec, &m));
  assert_int_equal(hml_model_state_size(m), 4);
  assert_int_equal(hml_model_controlled_size(m), 4);
  assert_int_equal(hml_model_has_work(m), 0);
  assert_string_equal(hml_model__name(m), "pair");
  assert_string_equal(hml_model__state_name(m, 1), "y");
  assert_string_equal(hml_model__state_name(m, 3), "y'");
  assert_int_equal(hml_program_inputs(hml_model_dynamics(m)), 6);
  assert_true(hml_model_operations(m) >= hml_program_operations(hml_model_dynamics(m)));   // with the solve
  hml_model_free(m);
  // the number 0 as power is none; anything else is a state more
  s.spec.power = s.zero;
  s.spec.multiplier_power = &s.zero;
  assert_ok(c, hml_model_new(c, &s.spec, &m));
  assert_int_equal(hml_model_has_work(m), 0);
  hml_model_free(m);
  s.spec.multiplier_power = &s.one;
  assert_ok(c, hml_model_new(c, &s.spec, &m));
  assert_int_equal(hml_model_has_work(m), 1);
  assert_int_equal(hml_model_state_size(m), 5);
  assert_int_equal(hml_model_controlled_size(m), 4);
  assert_string_equal(hml_model__state_name(m, 4), "work");
  hml_model_free(m);
  hml_context_free(c);
}

static void missing_energies_are_refused(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  sheet s;
  hml_model *m;
  hml_workspace *w;
  double x[4] = {0, 0, 2, 2}, energy = 7, kinetic = 0;
  fill(c, &s);
  hml_expr two = hml_integer(c, 2);
  s.spec.kinetic = hml_mul(c, s.m, hml_pow(c, s.v[0], two));
  assert_ok(c, hml_model_new(c, &s.spec, &m));
  assert_ok(c, hml_workspace_new(c, m, &w));
  assert_ptr_equal(hml_workspace__context(w), c);
  assert_ptr_equal(hml_workspace__model(w), m);
  assert_int_equal(hml_model__externals(m), 0);
  assert_ok(c, hml_workspace_set_state(w, 0, x));
  assert_int_equal(hml_energies(w, &energy, &kinetic), HML_UNSUPPORTED);
  assert_message(c, HML_UNSUPPORTED, "model 'pair' has no expression of its energy");
  assert_near(energy, 7, 0);
  assert_ok(c, hml_energies(w, NULL, &kinetic));
  assert_near(kinetic, 8, 0);
  hml_workspace_free(w);
  hml_model_free(m);
  hml_context_free(c);
}

static void refuse(void (*spoil)(hml_context *, sheet *), hml_status status, const char *text) {
  hml_context *c = hml_context_new(NULL, NULL);
  sheet s;
  hml_model *m;
  fill(c, &s);
  spoil(c, &s);
  assert_int_equal(hml_model_new(c, &s.spec, &m), status);
  assert_null(m);
  assert_message(c, status, text);
  hml_context_free(c);
}

static void no_time(hml_context *c, sheet *s) { (void)c, s->spec.time = NULL; }
static void no_mass(hml_context *c, sheet *s) { (void)c, s->spec.mass = NULL; }
static void a_hole(hml_context *c, sheet *s) { (void)c, s->r[1] = NULL; }
static void no_values(hml_context *c, sheet *s) { (void)c, s->spec.parameter_values = NULL; }
static void no_names(hml_context *c, sheet *s) { (void)c, s->spec.dyn_names = NULL; }
static void no_derivative(hml_context *c, sheet *s) { (void)c, s->spec.velocity_jacobian = NULL; }
static void no_symbol(hml_context *c, sheet *s) { (void)c, s->v[1] = s->f[0]; }
static void a_double(hml_context *c, sheet *s) { (void)c, s->v[1] = s->v[0]; }
static void a_stranger(hml_context *c, sheet *s) { s->r[1] = hml_symbol(c, "stranger", 0, 0); }
static void earlier_failure(hml_context *c, sheet *s) { (void)s, hml_parse(c, "1 +", 0, NULL); }

static void external_in_a_constraint(hml_context *c, sheet *s) {
  static hml_expr u;
  u = hml_symbol(c, "u", HML_EXTERNAL, 0);
  s->spec.n_externals = 1;
  s->spec.externals = &u;
  s->f[0] = hml_add(c, s->f[0], u);
}

static void missing_pieces_are_refused(void **state) {
  (void)state;
  refuse(no_time, HML_ARGUMENT, "model 'pair': time symbol 1 is missing");
  refuse(no_mass, HML_ARGUMENT, "entry of the mass matrix 1 is missing");
  refuse(a_hole, HML_ARGUMENT, "entry of r 2 is missing");
  refuse(no_values, HML_ARGUMENT, "value of parameter 1 is missing");
  refuse(no_names, HML_ARGUMENT, "name of dyn 1 is missing");
  refuse(no_derivative, HML_ARGUMENT, "entry of the velocity Jacobian 1 is missing");
  refuse(no_symbol, HML_ARGUMENT, "state symbol (dyn) 2 is not a symbol");
  refuse(a_double, HML_ARGUMENT, "occurs twice");
  refuse(a_stranger, HML_UNKNOWN_SYMBOL, "stranger");
  refuse(external_in_a_constraint, HML_UNKNOWN_SYMBOL, "u");
  refuse(earlier_failure, HML_SYNTAX, "");
}

// Every allocation of model, workspace and Jacobian fails once; nothing leaks and the failure is told
static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  ration p = {.left = UNLIMITED};
  hml_context *c = hml_context_new(rationed, &p);
  sheet s;
  fill(c, &s);
  for (long n = 0;; n++) {
    hml_model *m = NULL;
    hml_workspace *w = NULL;
    double x[4] = {0}, jacobian[16];
    p.left = n;
    hml_status status = hml_model_new(c, &s.spec, &m);
    if (status == HML_OK) status = hml_workspace_new(c, m, &w);
    if (status == HML_OK) status = hml_workspace_set_state(w, 0, x);
    if (status == HML_OK) status = hml_state_jacobian(w, jacobian, NULL);
    p.left = UNLIMITED;
    hml_workspace_free(w);
    hml_model_free(m);
    hml_context_sweep(c);
    fill(c, &s);
    if (status == HML_OK) {
      assert_true(n > 5);
      break;
    }
    assert_int_equal(status, HML_MEMORY);
    assert_message(c, HML_MEMORY, "not enough memory");
  }
  hml_context_free(c);
  assert_int_equal(p.blocks, 0);
}

// arbiter: the equations as derived, solved by the general solver, and the double pendulum's two sines of the difference
static void the_shortest_equations_give_the_same_rates(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "p q", .parameters = "g", .values = {9.81},
                      .kinetic = "((cos(p)*p')^2 + (sin(p)*p')^2 + (cos(p)*p' + cos(q)*q')^2 + (sin(p)*p' + sin(q)*q')^2)/2",
                      .potential = "-2*g*cos(p) - g*cos(q)"};
  mechanics m = build(&l);
  assert_true(hml_model_operations(m.model) < hml_program_operations(hml_model_dynamics(m.model)));
  const hml_program *series;
  assert_ok(m.c, hml_workspace__series(m.w, 2, false, &series));
  double coefficients[8], work[4000];
  assert_true(hml_program_work_size(series) <= 4000);
  for (int k = 0; k < 20; k++) {
    double x[] = {0.3 * k, 1 - 0.7 * k, 0.1 * k - 1, 2 - 0.2 * k}, f[4], a[2];
    assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
    assert_ok(m.c, hml_state_rate(m.w, f));
    assert_ok(m.c, hml_acceleration(m.w, a));
    hml_program_eval(series, hml_workspace__inputs(m.w), coefficients, work);
    for (int i = 0; i < 2; i++) {
      assert_near(f[2 + i], a[i], 1e-12);
      assert_near(coefficients[2 + i], a[i], 1e-12);
    }
  }
  demolish(&m);
}

// arbiter: the general solver, to which the mass matrix is known anew at every state
static void what_parameters_give_follows_the_parameters(void **state) {
  (void)state;
  const lagrange l = {.coordinates = "p q", .parameters = "M m l g", .values = {1, 1, 1, 9.81},
                      .kinetic = "M*p'^2/2 + m*((p' + l*cos(q)*q')^2 + (l*sin(q)*q')^2)/2", .potential = "-m*g*l*cos(q)"};
  mechanics m = build(&l);
  const hml_program *running = hml_model__lean_rate(m.model);
  assert_true(hml_program_inputs(running) > hml_program_inputs(hml_model_dynamics(m.model)));
  const double x[] = {0.1, 0.7, -0.3, 1.1};
  for (int k = 1; k < 9; k++) {
    double f[4], a[2], parameters[] = {0.3 * k, 2 - 0.2 * k, 0.4 + 0.1 * k, 9.81};
    assert_ok(m.c, hml_workspace_set_parameters(m.w, parameters));
    assert_ok(m.c, hml_workspace__rate(m.w, 0, x, f));
    assert_ok(m.c, hml_workspace_set_state(m.w, 0, x));
    assert_ok(m.c, hml_acceleration(m.w, a));
    for (int i = 0; i < 2; i++) assert_near(f[2 + i], a[i], 1e-12);
  }
  // without the upper mass a pivot vanishes: told by name, and forgotten with the next parameters
  const double none[] = {0, 0, 1, 9.81}, some[] = {1, 1, 1, 9.81};
  double f[4];
  assert_ok(m.c, hml_workspace_set_parameters(m.w, none));
  assert_false(hml_workspace__regular(m.w));
  assert_true(hml_workspace__rate(m.w, 0, x, f) != HML_OK);
  hml_context_clear_error(m.c);
  assert_ok(m.c, hml_workspace_set_parameters(m.w, some));
  assert_true(hml_workspace__regular(m.w));
  assert_ok(m.c, hml_workspace__rate(m.w, 0, x, f));
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(what_parameters_give_follows_the_parameters), cmocka_unit_test(sizes_and_names_are_kept), cmocka_unit_test(missing_energies_are_refused),
                                     cmocka_unit_test(missing_pieces_are_refused), cmocka_unit_test(the_shortest_equations_give_the_same_rates),
                                     cmocka_unit_test(memory_may_run_out_anywhere)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
