// regular.c: a pivot that is small everywhere is regular, one that is the zero of an inertia near it is not, whatever its scale; arbiter: the inertias by hand
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

// Rods of length one with masses 1 and 1e12: in line, 1e-12 of the inertia is left, and nowhere less
static const lagrange in_line = {.coordinates = "p q", .kinetic = "p'^2/2 + 1000000000000*(p'^2 + q'^2 + 2*p'*q'*cos(p - q))/2", .potential = "-9*cos(p)"};
// The inertia of q is zero where p = 1/2, alone or beside others
static const lagrange lost = {.coordinates = "p q", .kinetic = "p'^2/2 + (1 - 2*p)^2*q'^2/2", .potential = "p"};
static const lagrange lost_by_line = {.coordinates = "p q", .kinetic = "p'^2/2 + (p' + (p - 1/2)*q')^2/2", .potential = "p"};
static const lagrange lost_in_time = {.coordinates = "p q", .kinetic = "p'^2/2 + t^2*q'^2/2", .potential = "p"};
#define REACH 1e-8

static bool is_regular(const lagrange *l, double t, const double *x) {
  mechanics s = build(l);
  bool is;
  assert_ok(s.c, hml_singular__is_regular(s.w, t, x, REACH, NULL, &is));
  demolish(&s);
  return is;
}

static void small_everywhere_is_regular(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  const double p[] = {0.3, 0.3 + 1e-13, 0.3 + 1e-9, 0.3 + 1e-6, 0.9};
  for (size_t i = 0; i < sizeof p / sizeof *p; i++) assert_true(is_regular(&in_line, 0, (double[]){0.3, p[i], 1, 2}));
}

static void zeros_near_are_not(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  const double off[] = {0, 1e-13, -1e-11, 3e-9};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
    assert_false(is_regular(&lost, 0, (double[]){0.5 + off[i], 1, 1, 2}));
    assert_false(is_regular(&lost_by_line, 0, (double[]){0.5 + off[i], 1, 1, 2}));
    assert_false(is_regular(&lost_in_time, off[i], (double[]){0.5, 1, 1, 2}));
  }
}

static void places_out_of_reach_do_not_count(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  assert_true(is_regular(&lost, 0, (double[]){0.5 + 1e-6, 1, 1, 2}));
  assert_true(is_regular(&lost_by_line, 0, (double[]){0.5 + 1e-6, 1, 1, 2}));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(small_everywhere_is_regular),
      cmocka_unit_test(zeros_near_are_not),
      cmocka_unit_test(places_out_of_reach_do_not_count),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
