// agreement.c: a program made from energies that do not belong to the mass matrix is refused; arbiter: the same energies with the right factors.
#include "lagrange.h"

// Two masses tied by x' = y', a spring, a force from outside; L = kinetic T - stiffness x^2/2
typedef struct pair {
  hml_expr q[2], v[2], m, push, mass[4], rows[2], r[2], b[1], f[1], forces[2];
  double value;
} pair;

static hml_status make(hml_context *c, pair *s, const char *lagrangian, const char *force, const char *row, hml_model **out) {
  static const char *const names[] = {"x", "y"}, *const ties[] = {"tie"};
  const hml_expr zero = hml_integer(c, 0), one = hml_integer(c, 1);
  for (int i = 0; i < 2; i++) {
    s->q[i] = hml_symbol(c, names[i], HML_DYNAMIC, 0);
    s->v[i] = hml_dot(c, s->q[i]);
  }
  s->m = hml_symbol(c, "m", HML_POSITIVE, 0);
  s->push = hml_symbol(c, "push", 0, 0);
  hml_expr all[] = {s->q[0], s->q[1], s->m, s->push};
  s->mass[0] = s->mass[3] = s->m;
  s->mass[1] = s->mass[2] = s->b[0] = zero;
  s->rows[0] = one, s->rows[1] = hml_neg(c, one);
  s->r[0] = hml_sub(c, s->push, s->q[0]), s->r[1] = zero;
  s->f[0] = hml_parse(c, row, 4, all);
  s->forces[0] = hml_parse(c, force, 4, all), s->forces[1] = zero;
  s->value = 2;
  const hml_model_spec spec = {
    .name = "pair", .n_kin = 2, .n_dyn = 2, .n_multipliers = 1, .n_parameters = 1, .n_externals = 1, .time = hml_symbol(c, "t", HML_TIME, 0),
    .kin = s->q, .dyn = s->v, .parameters = &s->m, .parameter_values = &s->value, .externals = &s->push, .dyn_names = names,
    .multiplier_names = ties, .k = s->v, .mass = s->mass, .rows = s->rows, .r = s->r, .b = s->b, .elimination = HML_GRAPH,
    .lagrangian = hml_parse(c, lagrangian, 4, all), .forces = s->forces, .row_functions = s->f};
  return hml_model_new(c, &spec, out);
}

static void energies_of_other_equations_are_refused(void **state) {
  (void)state;
  static const char *const right[] = {"m*(x'^2 + y'^2)/2 - x^2/2", "push", "x' - y'"};
  static const char *const wrong[] = {"m*(x'^2 + 1.001*y'^2)/2 - x^2/2", "1.001*push", "x' - 1.001*y'"};
  for (int which = -1; which < 3; which++) {
    hml_context *c = hml_context_new(NULL, NULL);
    const char *texts[3];
    pair s;
    hml_model *m;
    for (int i = 0; i < 3; i++) texts[i] = i == which ? wrong[i] : right[i];
    hml_status status = make(c, &s, texts[0], texts[1], texts[2], &m);
    if (which < 0) {
      assert_ok(c, status);
      assert_int_equal(hml_model_elimination(m), HML_GRAPH);
      hml_model_free(m);
    } else {
      assert_int_equal(status, HML_UNSUPPORTED);
      assert_non_null(strstr(hml_context_error(c)->message, "its accelerations differ from those of the mass matrix"));
    }
    hml_context_free(c);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(energies_of_other_equations_are_refused)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
