// tests src/program/nearest_zero.c: single zeros, families of them, none
#include "support.h"

#define HML_BALLS
#include "program/krawczyk.h"

#ifdef HAMEL_ARB

// Which: 0: (y0^2 - 2, y0 y1 - 1); 1: a circle, (y0^2 + y1^2 - 1, twice that); 2: (y0^2 + 1, y1)
static hml_status equations(void *payload, arb_srcptr y, arb_ptr F, arb_mat_struct *J) {
  int which = *(int *)payload;
  slong bits = 64;
  arb_mat_zero(J);
  if (which == 1) {
    arb_mul(F, y, y, bits), arb_addmul(F, y + 1, y + 1, bits), arb_sub_ui(F, F, 1, bits);
    arb_mul_2exp_si(F + 1, F, 1);
    for (slong j = 0; j < 2; j++) arb_mul_2exp_si(arb_mat_entry(J, 0, j), y + j, 1), arb_mul_2exp_si(arb_mat_entry(J, 1, j), y + j, 2);
    return HML_OK;
  }
  arb_mul(F, y, y, bits);
  arb_mul_2exp_si(arb_mat_entry(J, 0, 0), y, 1);
  if (which == 2) {
    arb_add_ui(F, F, 1, bits);
    arb_set(F + 1, y + 1), arb_one(arb_mat_entry(J, 1, 1));
    return HML_OK;
  }
  arb_sub_ui(F, F, 2, bits);
  arb_mul(F + 1, y, y + 1, bits), arb_sub_ui(F + 1, F + 1, 1, bits);
  arb_set(arb_mat_entry(J, 1, 0), y + 1), arb_set(arb_mat_entry(J, 1, 1), y);
  return HML_OK;
}

static void nearest(int which, double a, double b, double *x, hml_nearest *out) {
  hml_context *c = hml_context_new(NULL, NULL);
  hml_krawczyk k = {.context = c, .n = 2, .bits = 64, .equations = equations, .payload = &which};
  arb_ptr y = _arb_vec_init(2);
  arb_set_d(y, a), arb_set_d(y + 1, b);
  assert_ok(c, hml_krawczyk__nearest(&k, y, 40, out));
  for (int i = 0; i < 2; i++) x[i] = arf_get_d(arb_midref(y + i), ARF_RND_NEAR);
  _arb_vec_clear(y, 2);
  hml_context_free(c);
}

static void single_zero(void **state) {
  (void)state;
  double x[2];
  hml_nearest found;
  nearest(0, 1, 1, x, &found);
  assert_near(x[0], sqrt(2), 1e-9);
  assert_near(x[1], sqrt(0.5), 1e-9);
  assert_int_equal(found.dependent, 0);
  check_below(found.residual, 1e-9);
  assert_true(found.stuck == 0);
}

// About the point of the circle in the direction of the start
static void family(void **state) {
  (void)state;
  double x[2];
  hml_nearest found;
  nearest(1, 1.2, 0.9, x, &found);
  assert_near(x[0], 0.8, 1e-2);
  assert_near(hypot(x[0], x[1]), 1, 1e-9);
  assert_int_equal(found.dependent, 1);
  check_below(found.residual, 1e-9);
  check_below(found.stuck, 1e-12);
}

static void no_zero(void **state) {
  (void)state;
  double x[2];
  hml_nearest found;
  nearest(2, 0, 1, x, &found);
  assert_near(found.residual, 1, 1e-9);
  assert_near(found.stuck, 1, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(single_zero), cmocka_unit_test(family), cmocka_unit_test(no_zero)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_arb(void **state) { (void)state, skip(); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_arb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
