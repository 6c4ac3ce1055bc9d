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
    case 4: return x + 1e-3 * exp(-1e8 * (x - 0.4) * (x - 0.4));           // no point of the rule is near the bump
    case 5: return sin(1e15 * x);      // waves that nothing resolves
    default: return x < 0.6 ? 1 : NAN;
  }
}

// Bounds that each of these has by itself
static hml_status off(void *payload, double m, double r, double *out) {
  const calls *c = payload;
  const double disk = hml_quadrature__disk * r, bump = c->kind == 1 ? 0.3 : 0.4, sharp = c->kind == 1 ? 1e6 : 1e8;
  const double far = fmax(fabs(m - bump) - disk, 0);
  switch (c->kind) {
    case 0: *out = hml_quadrature__off(exp(m) * expm1(disk)); break;
    case 1: case 4: *out = hml_quadrature__off(exp(sharp * (disk * disk - far * far)) + (c->kind == 4 ? disk : 0)); break;
    case 2: *out = m - r < 1 / 3.0 && m + r >= 1 / 3.0; break;
    case 3: *out = m > disk ? hml_quadrature__off(sqrt(m) - sqrt(m - disk)) : sqrt(m + r) - sqrt(fmax(m - r, 0)); break;
    case 5: *out = 2; break;
    default: *out = 0;
  }
  if (isnan(*out)) *out = INFINITY;
  return HML_OK;
}

static void the_rule_is_exact_to_its_degree(void **state) {
  (void)state;
  double rest = 0;
  for (int degree = 0; degree <= 400; degree++) {
    double rule = 0, centred = 0;
    for (int i = 0; i < HML_NODES; i++) {
      const hml_abscissa *at = hml_quadrature__nodes + i;
      rule += at->weight * pow(at->theta, degree);
      centred += at->weight * pow(2 * at->theta - 1, degree);
      assert_true(at->weight > 0);
    }
    if (degree <= HML_EXACT) check_near(rule, 1.0 / (degree + 1), 1e-15);
    if (degree > HML_EXACT && degree % 2 == 0) rest += fabs(centred - 1.0 / (degree + 1)) * pow(hml_quadrature__disk, -degree);
  }
  // the errors of all terms of a series that Cauchy's estimate bounds
  check_near(hml_quadrature__off(1), rest, 0.01 * rest);
  assert_true(hml_quadrature__off(1) >= rest);
}

static void integrals_are_closed_forms(void **state) {
  (void)state;
  const double root = sqrt(acos(-1.0)), exact[] = {exp(1.0) - 1, 1e-3 * root, 2 / 3.0, 2 / 3.0, 0.5 + 1e-7 * root};
  for (int kind = 0; kind < 5; kind++) {
    calls c = {.kind = kind};
    const hml_integrand f = {value, off, &c};
    double size = 0, found, where;
    assert_int_equal(hml_quadrature__unit(&f, &size, &found, &where), HML_OK);
    check_near(found, exact[kind], 2e-10);
    assert_true(size <= exp(1.0) && size > 0.3);
    assert_true(kind > 0 || c.count == HML_NODES);
    assert_true(c.count < 200 * HML_NODES);
  }
}

static void what_does_not_settle_has_no_integral(void **state) {
  (void)state;
  calls c = {.kind = 5};
  const hml_integrand f = {value, off, &c};
  double size = 0, found, where;
  assert_int_equal(hml_quadrature__unit(&f, &size, &found, &where), HML_LIMIT);
  assert_true(c.count < 130000 && where < 0.01);
  c.kind = 6;
  assert_int_equal(hml_quadrature__unit(&f, &size, &found, &where), HML_NOT_FINITE);
  assert_true(where > 0.6 && where < 0.61);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rule_is_exact_to_its_degree),
      cmocka_unit_test(integrals_are_closed_forms),
      cmocka_unit_test(what_does_not_settle_has_no_integral),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
