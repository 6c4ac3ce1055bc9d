// enumerate.c: numbers of combinations by hand, which solution is taken, and reactions that depend on each other.
#include "problems.h"

// Two per side; stick and two ways, or four limit directions, per friction at rest; both signs of a multiplier
static void combinations_are_counted(void **state) {
  (void)state;
  box *b = empty(12);
  const double y[12] = {0};
  assert_near(hml_kernel__combinations(&b->p), 1, 0);
  add_side(b, 0, 0);
  add_side(b, 1, 0);
  add_side(b, 2, 0);
  assert_near(hml_kernel__combinations(&b->p), 8, 0);
  b->side[1].stays_open = true;
  assert_near(hml_kernel__combinations(&b->p), 4, 0);
  hml_rub *line = add_rub(b, 3, 0, coulomb(1, 0.5));
  assert_near(hml_kernel__combinations(&b->p), 4 * 3, 0);
  line->may_not_stick = true;
  assert_near(hml_kernel__combinations(&b->p), 4 * 2, 0);
  line->normal = (hml_affine){1, y, 1};
  line->side = SIZE_MAX;
  assert_near(hml_kernel__combinations(&b->p), 4 * 2 * 2, 0);
  hml_rub *plane = add_rub(b, 4, 0, coulomb(2, 0.5));
  assert_near(hml_kernel__combinations(&b->p), 16 * 5, 0);
  plane->slip = b->slip;
  assert_near(hml_kernel__combinations(&b->p), 16, 0);
}

// A row that approaches by 1e-11 while another slides by 1: the blow must end that approach, not overlook it beside what slides
static void a_slow_approach_is_a_blow(void **state) {
  (void)state;
  for (int k = 0; k < 3; k++) {
    const double approach = pow(10, -9 - 2 * k);
    box *b = empty(4);
    const double g[16] = {1, 0.3, 0.2, 0, 0.3, 2, 0, 0.1, 0.2, 0, 1, 0, 0, 0.1, 0, 1};
    double scale[4] = {1, 1, 1, 1};
    memcpy(b->g, g, sizeof g);
    b->p.scale = scale;
    b->p.first = true;
    b->free[0] = -approach;
    b->free[1] = 0.3 * approach;
    b->free[2] = 1;
    add_side(b, 0, 0.5 * approach);
    add_side(b, 1, -0.1 * approach);
    add_rub(b, 2, 0, coulomb(2, 0.25));
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.residual < 1e-14);
    // alone: it slips along row 2, whose impulse is -mu P: u0 = -a + P (1 - 0.2 mu), P = 1.5 a/(1 - 0.2 mu)
    const double P = 1.5 * approach / (1 - 0.2 * 0.25);
    assert_near(b->z[0], P, 1e-4 * approach);
    assert_near(b->z[2], -0.25 * P, 1e-4 * approach);
    assert_near(after(b, b->z, 0), 0.5 * approach, 1e-4 * approach);
    assert_true(b->side[0].closed && !b->side[1].closed);
  }
}

// Three coordinates, two gaps and two frictions, all at rest: four reactions of which three are determined. One friction has little room at the
// least load of the gap that presses it; more load on that gap gives it room, and everything sticks
static void shared_loads_stay_within_all_sets(void **state) {
  (void)state;
  const double rows[4][3] = {{1, 0, 0.25}, {-0.46, 0, -0.24}, {0, 0.74, 0.68}, {0, 0.67, -0.89}}, force[3] = {-6, 0.3, 0.8};
  box *b = empty(4);
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 4; j++) b->g[4 * i + j] = dot(3, rows[i], rows[j]);
    b->free[i] = dot(3, rows[i], force);
  }
  add_side(b, 0, 0);
  add_side(b, 1, 0);
  add_rub(b, 2, SIZE_MAX, coulomb(1, 0.35))->normal.a = 4.9;
  add_rub(b, 3, 0, coulomb(1, 0.058));
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.reactions_differ && r.residual < 1e-9);
  for (size_t i = 0; i < 4; i++) assert_near(after(b, b->z, i), 0, 1e-9);
  assert_true(b->side[0].closed && b->side[1].closed);
  assert_true(b->rub[0].state == HML_RUB_STICKS && b->rub[1].state == HML_RUB_STICKS);
  // inside of the sets, not on their edges, where the next moment would begin a slip
  assert_true(b->z[0] > 0.01 && b->z[1] > 0.01);
  assert_true(fabs(b->z[2]) < 0.99 * 0.35 * 4.9 && fabs(b->z[3]) < 0.99 * 0.058 * b->z[0]);
  // the same forces whatever the share: rows^T z + force = 0
  for (size_t a = 0; a < 3; a++) {
    double sum = force[a];
    for (size_t i = 0; i < 4; i++) sum += rows[i][a] * b->z[i];
    assert_near(sum, 0, 1e-9);
  }
}

// Where no share is within the sets there is no rest, and something slips
static void too_little_room_is_no_rest(void **state) {
  (void)state;
  // one coordinate, two frictions on it: room 1 + 2, pushed by 2.5, then by 3.5
  for (int k = 0; k < 2; k++) {
    box *b = empty(2);
    for (size_t i = 0; i < 4; i++) b->g[i] = 1;
    b->free[0] = b->free[1] = 2.5 + k;
    add_rub(b, 0, SIZE_MAX, coulomb(1, 0.5))->normal.a = 2;
    add_rub(b, 1, SIZE_MAX, coulomb(1, 0.5))->normal.a = 4;
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.motions == 1);
    assert_true(r.reactions_differ == (k == 0));
    assert_near(after(b, b->z, 0), k ? 0.5 : 0, 1e-9);
    assert_near(b->z[0] + b->z[1], k ? -3 : -2.5, 1e-9);
    assert_true(fabs(b->z[0]) <= 1 + 1e-9 && fabs(b->z[1]) <= 2 + 1e-9);
    assert_int_equal(b->rub[0].state, k ? HML_RUB_SLIPS : HML_RUB_STICKS);
  }
}

// With `first` the search ends at one solution and proves nothing about others
static void one_is_enough(void **state) {
  (void)state;
  for (int first = 0; first < 2; first++) {
    const double s = sin(1), c = cos(1);
    box *b = empty(2);                 // the rod of Painleve that may slide or fly
    b->g[0] = 1 + 3 * c * c;
    b->g[1] = b->g[2] = -3 * s * c;
    b->g[3] = 1 + 3 * s * s;
    b->free[0] = -10 + 16 * s;
    b->free[1] = 16 * c;
    b->slip[0] = -3;
    b->p.first = first;
    add_side(b, 0, 0);
    add_rub(b, 1, 0, coulomb(1, 2))->slip = b->slip;
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_int_equal(r.motions, 2 - first);
    assert_int_equal(r.complete, !first);
    assert_near(b->z[0], 4.064645939888752, 1e-13);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(combinations_are_counted), cmocka_unit_test(a_slow_approach_is_a_blow),
                                     cmocka_unit_test(shared_loads_stay_within_all_sets), cmocka_unit_test(too_little_room_is_no_rest),
                                     cmocka_unit_test(one_is_enough)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
