// tests src/integrate/quadrature.c
#include "problems.h"

#include "integrate/quadrature.h"

typedef struct calls {
  int kind;
  unsigned count;
} calls;

static double value(void *payload, double x) {
  calls *c = payload;
  c->count++;
  switch (c->kind) {
    case 0: return exp(x);
    case 1: return exp(-1e6 * (x - 0.3) * (x - 0.3));
    case 2: return x < 1 / 3.0 ? 0 : 1;
    case 3: return sqrt(x);
    default: return sin(1e15 * x);     // nothing but noise
  }
}

static void rules_are_exact_to_their_degrees(void **state) {
  (void)state;
  for (int degree = 0; degree <= 23; degree++) {
    double fine = 0, coarse = 0;
    for (int i = 0; i < HML_NODES; i++) {
      const hml_abscissa *at = hml_quadrature__nodes + i;
      fine += at->weight * pow(at->theta, degree), coarse += at->coarse * pow(at->theta, degree);
      assert_true(at->weight > 0 && (at->coarse > 0) == (i % 2 == 1));
    }
    check_near(fine, 1.0 / (degree + 1), 1e-15);
    if (degree <= 13) check_near(coarse, 1.0 / (degree + 1), 1e-15);
    else assert_true(fabs(coarse - 1.0 / (degree + 1)) > 1e-12);
  }
}

static void integrals_are_closed_forms(void **state) {
  (void)state;
  const double exact[] = {exp(1.0) - 1, 1e-3 * sqrt(acos(-1.0)), 2 / 3.0, 2 / 3.0};
  for (int kind = 0; kind < 4; kind++) {
    calls c = {.kind = kind};
    double size = 0, found;
    assert_true(hml_quadrature__unit(value, &c, &size, &found));
    check_near(found, exact[kind], kind == 2 ? 1e-9 : 1e-12);
    assert_true(size <= exp(1.0) && size > 0.3);
    assert_true(kind > 0 || c.count == HML_NODES);
  }
}

static void noise_has_no_integral(void **state) {
  (void)state;
  calls c = {.kind = 4};
  double size = 0, found;
  assert_false(hml_quadrature__unit(value, &c, &size, &found));
  assert_true(c.count < 1000000);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_are_exact_to_their_degrees),
      cmocka_unit_test(integrals_are_closed_forms),
      cmocka_unit_test(noise_has_no_integral),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
