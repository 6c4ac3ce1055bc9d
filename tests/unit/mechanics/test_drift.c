// drift.c: checks of the residuals alone in a run; arbiter: the full check, which runs where nothing is watched
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

// Six rods on each other in a plane, a blade under the middle of each
static const lagrange snake = {
    .coordinates = "x y a b c d e f", .kinetic = "(x'^2 + y'^2 + a'^2 + b'^2 + c'^2 + d'^2 + e'^2 + f'^2)/2",
    .nonholonomic = {"a: y'*cos(a) - x'*sin(a) + a'/2",
                     "b: (y' + cos(a)*a')*cos(b) - (x' - sin(a)*a')*sin(b) + b'/2",
                     "c: (y' + cos(a)*a' + cos(b)*b')*cos(c) - (x' - sin(a)*a' - sin(b)*b')*sin(c) + c'/2",
                     "d: (y' + cos(a)*a' + cos(b)*b' + cos(c)*c')*cos(d) - (x' - sin(a)*a' - sin(b)*b' - sin(c)*c')*sin(d) + d'/2",
                     "e: (y' + cos(a)*a' + cos(b)*b' + cos(c)*c' + cos(d)*d')*cos(e) - (x' - sin(a)*a' - sin(b)*b' - sin(c)*c' - sin(d)*d')*sin(e) + e'/2"}};

static void residuals_decide_as_the_full_check_does(void **state) {
  (void)state;
  mechanics run = build(&snake), full = build(&snake);
  double x[17] = {0}, y[17], z[17];
  int moved, other, corrections = 0, checks = 0;
  assert_non_null(run.model->residuals[HML_VELOCITY_LEVEL]);
  hml_workspace__watch(run.w, true);
  for (size_t i = 0; i < 16; i++) x[i] = sin(1.0 + (double)i);
  assert_ok(full.c, hml_project(full.w, 0, 1e-9, 1e-9, x, &moved));
  for (int step = 0; step < 400; step++) {
    for (size_t i = 2; i < 8; i++) x[i] += 1e-2 * sin((double)(i + (size_t)step));   // the motion
    assert_ok(full.c, hml_project(full.w, 0, 1e-13, 1e-13, x, &moved));
    memcpy(y, x, sizeof y);
    y[8 + step % 8] += pow(10, -13 + step % 9);                            // and an error
    memcpy(z, y, sizeof z);
    checks += run.w->lengths_serve[HML_VELOCITY_LEVEL] > 0;
    assert_ok(run.c, hml_project(run.w, 0, 1e-9, 1e-9, y, &moved));
    assert_ok(full.c, hml_project(full.w, 0, 1e-9, 1e-9, z, &other));
    assert_int_equal(moved, other);
    for (size_t i = 0; i < 16; i++) check_near(y[i], z[i], 0);
    corrections += moved;
  }
  assert_true(corrections > 40 && corrections < 360 && checks > 100);
  demolish(&run);
  demolish(&full);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(residuals_decide_as_the_full_check_does)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
