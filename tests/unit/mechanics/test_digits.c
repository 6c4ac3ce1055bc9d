// digits.c: a ball on a rod, with a spring along the rod that the rod takes up; arbiter: its tangential acceleration by hand. A double pendulum with a heavy
// tip; arbiter: its accelerations by hand, in a form without differences of large numbers
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
  hml_digits d;
  assert_ok(s->c, hml_workspace__digits(s->w, HML_DIGITS_PART, &d));
  *difference = d.difference, *largest = d.largest;
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

// Rods of length one with masses 1 and M, angles from below. A coefficient of the potential is no double
#define PENDULUM(M, more)                                                                                                                       \
  {.coordinates = "p q", .kinetic = "p'^2/2 + " M "*(p'^2 + q'^2 + 2*p'*q'*cos(p - q))/2", .potential = "-9.81*((1 + " M ")*cos(p) + " M "*cos(q))", more}
static const lagrange equal = PENDULUM("1", .graph = 0), heavy = PENDULUM("1000000000001", .graph = 0), refined = PENDULUM("1000000000001", .refined = 1),
                      boundless = PENDULUM("10000000000000000000000000000000", .refined = 1);

// With s = sin(p - q):  (1 + M s^2) p'' = -g sin p - M s (g cos q + q'^2 + p'^2 cos(p - q)),   q'' from the row of q
static void by_hand(double M, const double *x, double *a) {
  const double s = sin(x[0] - x[1]), c = cos(x[0] - x[1]), g = 9.81;
  a[0] = -(g * sin(x[0]) + M * s * (g * cos(x[1]) + x[3] * x[3] + x[2] * x[2] * c)) / (1 + M * s * s);
  a[1] = -a[0] * c + s * x[2] * x[2] - g * sin(x[1]);
}

static const lagrange lopsided = PENDULUM("1000001", .graph = 0);
static const double swings[][4] = {{0.3, 0.3 + 1e-5, 0.2, -0.4}, {0.7, 0.7 - 3e-6, 1, 0.5}, {-1.1, -1.1 + 2e-5, 0.3, 0.3}};
enum { SWINGS = sizeof swings / sizeof *swings };

// How far the accelerations of a run are from those by hand, relative to the largest, and what is reported
static double swing(mechanics *s, double M, const double *x, hml_digits *d) {
  double right[2], rate[4];
  by_hand(M, x, right);
  assert_ok(s->c, hml_workspace__rate(s->w, 0, x, rate));
  assert_ok(s->c, hml_workspace_set_state(s->w, 0, x));
  assert_ok(s->c, hml_workspace__digits(s->w, HML_DIGITS_PART, d));
  return fmax(fabs(rate[2] - right[0]), fabs(rate[3] - right[1])) / fmax(fabs(right[0]), fabs(right[1]));
}

static void masses_that_differ_are_missed(void **state) {
  (void)state;
  mechanics s = build(&heavy), other = build(&equal);
  hml_digits d;
  int lost = 0;
  for (int i = 0; i < SWINGS; i++) {
    const double off = swing(&s, 1000000000001, swings[i], &d), part = d.difference / d.largest;
    assert_true(fabs(part - off) < 1e-3 * off + 1e-12);
    // which state loses how much depends on the rounding of the machine code
    lost += off > 1e-9;
    assert_true(off <= 1e-9 || d.difference > 100 * d.unit);   // no rounding of the state explains it
    assert_true(swing(&other, 1, swings[i], &d) < 1e-14 && d.difference <= 1e-14 * d.largest);
  }
  assert_true(lost > 0);
  demolish(&s);
  demolish(&other);
}

static void refined_accelerations_have_all_digits(void **state) {
  (void)state;
  mechanics s = build(&refined);
  hml_digits d;
  double right[2], a[2];
  assert_int_equal(hml_model_elimination(s.model), HML_REFINED);
  for (int i = 0; i < SWINGS; i++) {
    assert_true(swing(&s, 1000000000001, swings[i], &d) < 1e-14);
    assert_true(d.difference <= 1e-15 * d.largest);
    by_hand(1000000000001, swings[i], right);
    assert_ok(s.c, hml_acceleration(s.w, a));
    check_near(a[0], right[0], 1e-14 * fabs(right[0]));
    check_near(a[1], right[1], 1e-14 * fabs(right[0]));
  }
  demolish(&s);
}

// The Jacobian against differences of accelerations by hand
static void refined_derivatives_have_digits(void **state) {
  (void)state;
  mechanics s = build(&refined);
  const double M = 1000000000001, h = 1e-9;
  double J[16], x[4] = {0.3, 0.3 + 1e-5, 0.2, -0.4}, before[2], behind[2];
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, x));
  assert_ok(s.c, hml_state_jacobian(s.w, J, NULL));
  for (int j = 2; j < 4; j++) {
    const double kept = x[j];
    x[j] = kept + h * 1e4, by_hand(M, x, behind);
    x[j] = kept - h * 1e4, by_hand(M, x, before);
    x[j] = kept;
    for (int i = 0; i < 2; i++) check_near(J[(2 + i) * 4 + j], (behind[i] - before[i]) / (2e4 * h), 1e-4 * fabs(J[8 + j]));
  }
  demolish(&s);
}

// At kz = pi/2 the derivative cos kz of the force is what rounding of kz leaves of it: a state moved by its last place has another one. So at kt = pi/2. The derivatives of
// the pendulum with the heavy tip are lost for another reason
static void rounding_of_the_state_is_no_loss(void **state) {
  (void)state;
  static const lagrange waves = {.coordinates = "x z", .parameters = "k", .values = {3.3}, .kinetic = "(x'^2 + z'^2)/2", .potential = "x^2/2 + cos(k*z)/k^2 - x*z*cos(k*t)"};
  const hml_digits doubted = {.largest = 1, .doubt = INFINITY};
  double part, places[2][4] = {{0}, {0, M_PI / 2 / 3.3}};
  mechanics s = build(&waves);
  for (int i = 0; i < 4; i++) {
    assert_ok(s.c, hml_workspace_set_state(s.w, i < 2 ? 0 : M_PI / 2 / 3.3, places[i % 2]));
    assert_ok(s.c, hml_workspace__derivative_digits(s.w, &doubted, &part));
    assert_true(part == 0);
  }
  demolish(&s);
  s = build(&heavy);
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, swings[0]));
  assert_ok(s.c, hml_workspace__derivative_digits(s.w, &doubted, &part));
  assert_true(part > 1e-9);
  demolish(&s);
}

// The rounding of a product z t, too, of which one grows while the other shrinks
static void rounding_of_products_is_no_loss(void **state) {
  (void)state;
  static const lagrange driven = {.coordinates = "x z", .kinetic = "(x'^2 + z'^2)/2", .potential = "x^2/2 - 2*x*cos(z*t)"};
  const hml_digits doubted = {.largest = 1, .doubt = INFINITY};
  mechanics s = build(&driven);
  for (int k = 1; k <= 40; k++) {
    double part;
    const double x[4] = {0, 1 + 0.137 * k, 0.5, 0};
    assert_ok(s.c, hml_workspace_set_state(s.w, 2 * M_PI / x[1], x));
    assert_ok(s.c, hml_workspace__derivative_digits(s.w, &doubted, &part));
    assert_true(part == 0);
  }
  demolish(&s);
}

static void beyond_quadruple_precision_the_state_is_refused(void **state) {
  (void)state;
  mechanics s = build(&boundless);
  const double stretched[4] = {0.3, 0.3, 0.2, -0.4};
  double rate[4];
  assert_int_equal(hml_workspace__rate(s.w, 0, stretched, rate), HML_SINGULAR_MASS);
  demolish(&s);
}

static void without_constraints_there_is_nothing_lost(void **state) {
  (void)state;
  mechanics s = build(&loose);
  const double x[5] = {0.3, 0.4};
  hml_digits d;
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, x));
  assert_ok(s.c, hml_workspace__digits(s.w, HML_DIGITS_PART, &d));
  assert_true(d.difference <= 1e-15 * d.largest);
  demolish(&s);
}

// The bound on the error of a blow that needs no solve is never below the estimate, and seldom far above it
static void check_bound(mechanics *s, const double *x, size_t rows, double most) {
  uint32_t dice = 7;
  assert_ok(s->c, hml_workspace_set_state(s->w, 0, x));
  assert_ok(s->c, hml_workspace__solve(s->w));
  for (int draw = 0; draw < 200; draw++) {
    double numbers[6];                 // change, terms, impulses of the rows
    for (int i = 0; i < 6; i++) {
      dice = dice * 1664525u + 1013904223u;
      numbers[i] = dice * 0x1p-31 - 1;
    }
    numbers[2] = fabs(numbers[2]), numbers[3] = fabs(numbers[3]);
    const double *lambda = rows ? numbers + 4 : NULL, estimate = hml_workspace__blow_error(s->w, numbers, numbers + 2, lambda, -1);
    const double bound = hml_workspace__blow_error(s->w, numbers, numbers + 2, lambda, INFINITY), between = (estimate + bound) / 2;
    assert_true(estimate > 0 && bound >= estimate && bound < most * estimate);
    assert_true(isfinite(bound));
    assert_true(hml_workspace__blow_error(s->w, numbers, numbers + 2, lambda, bound) == bound);
    if (between < bound) assert_true(hml_workspace__blow_error(s->w, numbers, numbers + 2, lambda, between) == estimate);
  }
}

static void the_bound_on_a_blow_holds(void **state) {
  (void)state;
  double loaded = 3;
  const double circle[4] = {0.6, -0.8, 0.4, 0.3}, nearly_stretched[4] = {0.3, 0.301, 0.2, -0.4};
  mechanics s = build(&equal);
  for (int i = 0; i < SWINGS; i++) check_bound(&s, swings[i], 0, 100);
  demolish(&s);
  s = build(&lopsided);
  check_bound(&s, nearly_stretched, 0, 1e8);                                       // the mean of all directions is not the worst
  demolish(&s);
  s = build(&heavy);
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, swings[1]));
  assert_ok(s.c, hml_workspace__solve(s.w));
  assert_true(s.w->solved_by_kkt);     // its pivots say nothing
  assert_true(hml_workspace__blow_error(s.w, nearly_stretched, circle, NULL, 1e300) > 1e-9);
  demolish(&s);
  s = build(&rod);
  assert_ok(s.c, hml_workspace_set_parameters(s.w, &loaded));
  check_bound(&s, circle, 1, 100);
  demolish(&s);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(digits_that_forces_take_are_missed),        cmocka_unit_test(masses_that_differ_are_missed),
                                     cmocka_unit_test(refined_accelerations_have_all_digits),     cmocka_unit_test(refined_derivatives_have_digits),
                                     cmocka_unit_test(rounding_of_the_state_is_no_loss), cmocka_unit_test(rounding_of_products_is_no_loss),
                                     cmocka_unit_test(beyond_quadruple_precision_the_state_is_refused), cmocka_unit_test(the_bound_on_a_blow_holds), cmocka_unit_test(without_constraints_there_is_nothing_lost)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
