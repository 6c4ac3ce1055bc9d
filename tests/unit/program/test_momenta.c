// tests src/program/momenta.c: products with the mass matrix; arbiter: its entries by symbolic derivatives
#include "mechanisms.h"

static hml_program *product_of(mechanism *s) {
  const hml_graph_layout l = layout_of(s);
  hml_program *energies = energies_of(s), *p;
  assert_ok(s->c, hml_program__mass_times(s->c, energies, &l, &p));
  hml_program_free(energies);
  return p;
}

static void compare(mechanism *s) {
  static hml_expr in[2 * MOST + 8], entries[MOST * 20];
  static double x[3 * MOST + 8], mass[MOST * 20], mine[MOST];
  const size_t inputs = list_inputs(s, in), n = s->n;
  hml_program *p = product_of(s), *dense;
  uint64_t seed = 20261127;
  assert_int_equal(hml_program_inputs(p), inputs + n);
  for (size_t i = 0; i < n; i++) {
    hml_expr momentum = hml_derivative(s->c, s->T, s->v[i]);
    for (size_t j = 0; j < n; j++) entries[i * n + j] = hml_derivative(s->c, momentum, s->v[j]);
  }
  assert_ok(s->c, hml_program_new(s->c, inputs, in, n * n, entries, &dense));
  for (int trial = 0; trial < 20; trial++) {
    draw_state(s, &seed, x);
    for (size_t i = 0; i < n; i++) x[inputs + i] = draw_between(&seed, -1, 1);
    evaluate(p, x, mine);
    evaluate(dense, x, mass);
    double largest = 0;
    for (size_t i = 0; i < n * n; i++) largest = fmax(largest, fabs(mass[i]));
    for (size_t i = 0; i < n; i++) {
      double sum = 0;
      for (size_t j = 0; j < n; j++) sum += mass[i * n + j] * x[inputs + j];
      check_near(mine[i], sum, 1e-14 * (double)n * largest);
    }
  }
  hml_program_free(p);
  hml_program_free(dense);
}

static void products_are_those_of_the_entries(void **state) {
  static mechanism s;
  chain(&s, *state, 10, false), compare(&s);
  chain(&s, *state, 10, true), compare(&s);
  arm(&s, *state, 4, 1), compare(&s);
  snake(&s, *state, 6), compare(&s);
  oddities(&s, *state), compare(&s);                                       // L is not quadratic, and has terms linear in the velocities
  quaternions(&s, *state), compare(&s);
  begin(&s, *state, 2);
  s.T = square(&s, s.v[0]);                                                // no inertia along the second
  compare(&s);
}

// Nine a link
static void operations_grow_as_the_system(void **state) {
  static mechanism s;
  for (size_t n = 10; n <= 160; n *= 4) {
    chain(&s, *state, n, false);
    hml_program *p = product_of(&s);
    assert_int_equal(hml_program_operations(p), 9 * n);
    hml_program_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(products_are_those_of_the_entries), in_context(operations_grow_as_the_system)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
