// Tests of src/expr/turns.c: sines and cosines in roots. Arbiter: the functions themselves, in doubles.
#include "expressions.h"

#include "expr/expr_impl.h"

static bool has_call(hml_expr e, hml_function f) {
  if (e->kind == HML_CALL && e->function == f) return true;
  for (uint32_t i = 0; i < (e->kind == HML_SUM || e->kind == HML_PRODUCT || e->kind == HML_POWER || e->kind == HML_CALL ? e->count : 0); i++)
    if (has_call(node_operands(e)[i], f)) return true;
  return false;
}

static void check(fixture *f, hml_function function, hml_expr a) {
  hml_expr e = hml_expr__turned_in_roots(f->c, function, a);
  assert_non_null(e);
  assert_true(e->kind != HML_CALL);
  for (int k = 0; k < 4; k++) {
    const point p = random_point(f);
    const double angle = at(f, a, &p), value = at(f, e, &p);
    const double wanted = function == HML_FUN_sin ? sin(angle) : function == HML_FUN_cos ? cos(angle) : tan(angle);
    assert_true(fabs(value - wanted) <= 1e-12 * (1 + fabs(wanted)));
  }
}

static void multiples_of_pi_become_roots(void **state) {
  fixture *f = *state;
  const int64_t denominators[] = {1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 16, 20, 24, 30, 40, 60, 120, 240};
  for (size_t i = 0; i < sizeof denominators / sizeof *denominators; i++)
    for (int64_t n = -7; n <= 7; n += 2) {
      const hml_expr a = hml_mul(f->c, hml_rational(f->c, n, denominators[i]), hml_pi(f->c));
      if (!hml_expr__turned_in_roots(f->c, HML_FUN_sin, a)) continue;   // sin 0 and the like are numbers already
      const hml_expr sine = hml_expr__turned_in_roots(f->c, HML_FUN_sin, a);
      assert_false(has_call(sine, HML_FUN_sin) || has_call(sine, HML_FUN_cos));
      check(f, HML_FUN_sin, a);
      check(f, HML_FUN_cos, a);
    }
}

static void sums_are_taken_apart(void **state) {
  fixture *f = *state;
  const char *const angles[] = {"x + pi/5", "x - y + 3*pi/8", "2*atan(x)", "x + 3*asin(y/2)", "acos(x/2) - 2*atan(y)", "atan2(m, x) + a", "pi/3 + 2*atan(a) + y",
                                "x + pi*abs(a)/(2*a)"};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) {
    const hml_expr a = read(f, angles[i]);
    check(f, HML_FUN_sin, a);
    check(f, HML_FUN_cos, a);
    check(f, HML_FUN_tan, a);
  }
}

static void other_angles_are_left_alone(void **state) {
  fixture *f = *state;
  const char *const angles[] = {"x", "x + y/2", "pi*x", "pi/7", "pi/480", "9*atan(x)", "atan(x)/3", "x + 1/5"};
  for (size_t i = 0; i < sizeof angles / sizeof *angles; i++) assert_null(hml_expr__turned_in_roots(f->c, HML_FUN_sin, read(f, angles[i])));
}

static void turns_join(void **state) {
  fixture *f = *state;
  const hml_turn a = {read(f, "3/5"), read(f, "4/5")}, b = {read(f, "5/13"), read(f, "12/13")}, both = hml_turn__joined(f->c, a, b);
  prints_at(f, both.sine, "56/65", __FILE__, __LINE__);
  prints_at(f, both.cosine, "33/65", __FILE__, __LINE__);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(multiples_of_pi_become_roots), fixture_test(sums_are_taken_apart), fixture_test(other_angles_are_left_alone), fixture_test(turns_join),
  };
  return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
