// tests src/integrate/impulsive.c. A mass in a potential e (1 + s)/2 that steps at u = x^3 + x - 2 = 0, so at x = 1
#include "problems.h"

#include "hamel.h"

typedef struct step_model {
  hml_context *c;
  hml_model *model;
  hml_workspace *w;
} step_model;

// continuous: the potential is e u s in place of the step
static step_model build(double e, bool continuous) {
  step_model m = {.c = hml_context_new(NULL, NULL)};
  hml_context *c = m.c;
  hml_expr t = hml_symbol(c, "t", HML_TIME, 0), x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_symbol(c, "x", HML_DYNAMIC, 1), p[4];
  static const char *const names[] = {"e", "s", "above", "below"};
  for (size_t i = 0; i < 4; i++) p[i] = hml_symbol(c, names[i], HML_EXTERNAL, 0);
  hml_expr one = hml_integer(c, 1), zero = hml_integer(c, 0), u = hml_add(c, hml_pow(c, x, hml_integer(c, 3)), hml_sub(c, x, hml_integer(c, 2)));
  hml_expr slope = hml_add(c, hml_mul(c, hml_integer(c, 3), hml_mul(c, x, x)), one);
  hml_expr potential = hml_mul(c, p[0], continuous ? hml_mul(c, p[1], u) : p[2]);
  hml_expr energy = hml_add(c, hml_mul(c, hml_rational(c, 1, 2), hml_mul(c, v, v)), potential);
  hml_expr r = continuous ? hml_neg(c, hml_mul(c, p[0], hml_mul(c, p[1], slope))) : zero;
  const hml_expr values[2] = {v, energy}, normals[2] = {slope, zero};
  const hml_branch_spec branch = {.text = "x^3 + x - 2", .held = 1, .argument = u, .guard = u};
  const hml_impulse_spec impulse = {.n = 2, .n_free = 2, .values = values, .normals = normals, .texts = (const char *const[]){"the momentum", "the energy"}};
  const double numbers[4] = {e, 1, 1, 0};
  hml_model_spec s = {.name = "step", .n_kin = 1, .n_dyn = 1, .n_parameters = 4, .time = t, .kin = &x, .dyn = &v, .parameters = p, .parameter_values = numbers,
                      .dyn_names = (const char *const[]){"x"}, .k = &v, .mass = &one, .r = &r, .n_branches = 1, .branches = &branch, .impulse = &impulse};
  assert_int_equal(hml_model_new(c, &s, &m.model), HML_OK);
  assert_int_equal(hml_workspace_new(c, m.model, &m.w), HML_OK);
  return m;
}

static hml_outcome run(double e, bool continuous, const char *method) {
  step_model m = build(e, continuous);
  hml_run_options o = hml_run_options_default();
  hml_trajectory *trajectory;
  hml_outcome outcome;
  o.method = method;
  assert_int_equal(hml_run(m.w, &o, 0, 2, (double[]){0, 1.3}, &trajectory, &outcome), HML_OK);
  hml_trajectory_free(trajectory);
  hml_workspace_free(m.w);
  hml_model_free(m.model);
  hml_context_free(m.c);
  return outcome;
}

static void a_step_ends_a_run_where_it_is(void **state) {
  (void)state;
  static const char *const methods[] = {"dop853", "radau5", "rkf45"};
  for (size_t i = 0; i < 3; i++) {
    const hml_outcome o = run(1e-5, false, methods[i]);
    assert_int_equal(o.status, HML_IMPULSE);
    assert_float_equal(o.t, 1 / 1.3, 1e-9);
    assert_non_null(strstr(o.message, "at the corner x^3 + x - 2 = 0, the energy jumps by 1e-05"));
  }
}

static void a_corner_does_not(void **state) {
  (void)state;
  assert_int_equal(run(0.1, true, "dop853").status, HML_OK);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_step_ends_a_run_where_it_is), cmocka_unit_test(a_corner_does_not)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
