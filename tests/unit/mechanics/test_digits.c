// digits.c: a ball on a rod, with a spring along the rod that the rod takes up; arbiter: its tangential acceleration by hand
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

static const lagrange rod = {.coordinates = "x y", .parameters = "k", .values = {1}, .kinetic = "(x'^2 + y'^2)/2", .potential = "k*(x^2 + y^2)/3 + 9*y",
                             .nonholonomic = {"rod: x*x' + y*y'"}};
static const lagrange loose = {.coordinates = "x y", .parameters = "k", .values = {1}, .kinetic = "(x'^2 + y'^2)/2", .potential = "k*(x^2 + y^2)/3 + 9*y"};

// At rest; how far the program and the refined solve are from the right acceleration, and what is reported
static void look(mechanics *s, double strength, double angle, double *program, double *difference, double *largest) {
  const double x[5] = {sin(angle), -cos(angle)}, right[2] = {-9 * sin(angle) * cos(angle), -9 * sin(angle) * sin(angle)};
  double rate[5];
  assert_ok(s->c, hml_workspace_set_parameters(s->w, &strength));
  assert_ok(s->c, hml_workspace__rate(s->w, 0, x, rate));
  *program = fmax(fabs(rate[2] - right[0]), fabs(rate[3] - right[1]));
  assert_ok(s->c, hml_workspace_set_state(s->w, 0, x));
  assert_ok(s->c, hml_workspace__digits(s->w, difference, largest));
  check_near(*largest, fmax(fabs(right[0]), fabs(right[1])), 1e-15 * strength + 1e-12);
}

static void digits_that_forces_take_are_missed(void **state) {
  (void)state;
  mechanics s = build(&rod);
  double program, difference, largest, worst = 0, seen = 0;
  for (int i = 1; i < 16; i++) {
    look(&s, 1, 0.1 * i, &program, &difference, &largest);
    assert_true(program < 1e-13 && difference < 1e-13 * largest);
    look(&s, 1e10, 0.1 * i, &program, &difference, &largest);
    worst = fmax(worst, program);
    seen = fmax(seen, difference);
  }
  assert_true(worst > 1e-8);
  assert_true(seen > 0.1 * worst);
  demolish(&s);
}

static void without_constraints_there_is_nothing_to_compare(void **state) {
  (void)state;
  mechanics s = build(&loose);
  const double x[5] = {0.3, 0.4};
  double difference = 1, largest = 1;
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, x));
  assert_ok(s.c, hml_workspace__digits(s.w, &difference, &largest));
  assert_true(difference == 0 && largest == 0);
  demolish(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(digits_that_forces_take_are_missed), cmocka_unit_test(without_constraints_there_is_nothing_to_compare)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
