// measure.c: normal forces, shares of cones and residuals at given reactions, by hand.
#include "problems.h"

typedef struct work {                  // a solver of a problem
  hml_solver s;
  hml_frictional_result result;
} work;

static hml_solver *open(box *b) {
  static work w;
  w.s = hml_kernel__open_solver(&b->p, &w.result);
  return &w.s;
}

static double residual(box *b, const double *z, size_t *row) {
  double u[MOST];
  hml_measure m = hml_kernel__residual(open(b), z, u);
  if (row) *row = m.row;
  return m.worst;
}

static void normal_forces(void **state) {
  (void)state;
  box *b = empty(3);
  const double z[3] = {-2, 5, 0}, y[6] = {1, 10, 2, 20, 4, 40};          // two multipliers, per unit of each row
  const hml_affine cone[2] = {{3, y + 1, 2}, {-4, NULL, 0}};
  add_side(b, 0, 0);
  hml_rub *by_side = add_rub(b, 1, 0, coulomb(1, 0.5)), *by_number = add_rub(b, 1, SIZE_MAX, coulomb(1, 0.5));
  hml_rub *by_multiplier = add_rub(b, 1, SIZE_MAX, coulomb(1, 0.5));
  by_number->normal.a = -7;
  by_multiplier->normal = (hml_affine){-20, y, 2};
  by_multiplier->n_cone = 2;
  by_multiplier->cone = cone;
  // a gap that pulls presses nothing, nor does a negative force; a multiplier presses with either sign: -20 - 2 + 10
  assert_near(hml_kernel__signed_normal(&b->p, by_side, z), -2, 0);
  assert_near(hml_kernel__pressing(&b->p, by_side, z), 0, 0);
  assert_near(hml_kernel__pressing(&b->p, by_number, z), 0, 0);
  assert_near(hml_kernel__signed_normal(&b->p, by_multiplier, z), -12, 0);
  assert_near(hml_kernel__pressing(&b->p, by_multiplier, z), 12, 0);
  assert_true(hml_kernel__has_two_signs(by_multiplier) && !hml_kernel__has_two_signs(by_side) && !hml_kernel__has_two_signs(by_number));
  // 3 - 20 + 100, and -4
  assert_near(hml_kernel__affine(&b->p, cone, z), 83, 0);
  assert_near(hml_kernel__shared_squares(&b->p, by_multiplier, z), 83 * 83 + 16, 0);
  by_multiplier->alone = true;
  assert_near(hml_kernel__shared_squares(&b->p, by_multiplier, z), 0, 0);
}

// In units of (s, R w): R^2 times the diagonal of the spin. A row that nothing moves has none
static void diagonals(void **state) {
  (void)state;
  box *b = empty(3);
  b->g[0] = 2;
  b->g[4] = 9;
  b->g[8] = 1e-15;
  hml_rub *spot = add_rub(b, 0, SIZE_MAX, (hml_friction_law){HML_FRICTION_hertz, 2, {0.3, 0.3}, 0.5});
  hml_rub *idle = add_rub(b, 2, SIZE_MAX, coulomb(1, 0.5));
  hml_solver *s = open(b);
  assert_near(hml_kernel__block_diagonal(s, spot), 2.25, 1e-15);
  assert_near(hml_kernel__block_diagonal(s, idle), 0, 0);
  // terms: |free| + |G z|, or the size of the terms behind free, at least 1e-5 of what another row carries over
  const double z[3] = {3, -1, 0};
  b->free[0] = -4;
  b->g[1] = 0.5;
  assert_near(hml_kernel__terms(s, 0, z), 4 + 6 + 0.5, 1e-14);
  double scale[3] = {20, 0, 0};
  b->p.scale = scale;
  assert_near(hml_kernel__terms(s, 0, z), 20 + 6 + 0.5, 1e-14);
  b->g[0] = b->g[1] = b->free[0] = scale[0] = 0;
  s->root[0] = 2;
  s->root[1] = 3;
  s->root[2] = 0;
  assert_near(hml_kernel__terms(s, 0, z), 1e-5 * 2 * 6, 1e-18);
}

// One row, G = 2, u = -1 + 2 z
static void sides_and_demands(void **state) {
  (void)state;
  box *b = empty(1);
  size_t row = 7;
  b->g[0] = 2;
  b->free[0] = -1;
  add_side(b, 0, 0);
  const double at[] = {0.5, 0.6, -0.1, 0}, u[] = {0, 0.2, 1.2, 1}, size[] = {2, 2.2, 1.2, 1};
  for (int i = 0; i < 4; i++) assert_near(residual(b, at + i, &row), u[i] / size[i], 1e-15);
  assert_int_equal(row, 0);
  // u >= 3, as after a blow of u = -6 with e = 1/2
  b->side[0].target = 3;
  assert_near(residual(b, (double[]){2}, NULL), 0, 1e-15);
  assert_near(residual(b, (double[]){1}, NULL), 2. / (3 + 1 + 2), 1e-15);
  b->p.n_sides = 0;
  b->demand[b->p.n_demands++] = (hml_demand){0, -5};
  assert_near(residual(b, (double[]){-2}, NULL), 0, 1e-15);
  assert_near(residual(b, (double[]){-1}, NULL), 2. / (5 + 1 + 2), 1e-15);
  assert_true(residual(b, (double[]){NAN}, NULL) == INFINITY);
}

// Unit masses, N = 10, mu = 0.5, static 0.6
static void frictions(void **state) {
  (void)state;
  box *b = empty(2);
  b->g[0] = b->g[3] = 1;
  hml_rub *f = add_rub(b, 0, SIZE_MAX, coulomb(2, 0.5));
  f->normal.a = 10;
  b->free[0] = 3;
  assert_near(residual(b, (double[]){-3, 0}, NULL), 0, 0);               // sticks
  assert_near(residual(b, (double[]){-2.9, 0}, NULL), 0.1 / 5.9, 1e-15);
  b->free[0] = 5.5;
  assert_near(residual(b, (double[]){-5.5, 0}, NULL), 0.5 / 11, 1e-15);  // outside
  f->rest.coefficient[0] = 0.6;
  assert_near(residual(b, (double[]){-5.5, 0}, NULL), 0, 0);             // sticks by static friction
  assert_near(residual(b, (double[]){-5, 0}, NULL), 0, 0);               // slips by the other
  assert_near(residual(b, (double[]){-5, 0.2}, NULL), 0.2 / 10.5, 1e-3); // does not oppose the slip
  b->slip[0] = 3, b->slip[1] = 4;
  f->slip = b->slip;
  assert_near(residual(b, (double[]){-3, -4}, NULL), 0, 1e-16);
  assert_near(residual(b, (double[]){-3, -3.5}, NULL), 0.5 / 8.5, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(normal_forces), cmocka_unit_test(diagonals), cmocka_unit_test(sides_and_demands), cmocka_unit_test(frictions)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
