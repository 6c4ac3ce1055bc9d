// refine.c: double pendulum with a heavy tip; arbiter: its accelerations by hand, in a form without differences of large numbers, in long double; derivatives
// from a step along the imaginary axis. A ball on a rod, with a spring along the rod that the rod takes up; arbiter: its responses by hand
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

#include <complex.h>

// Rods of length one with masses 1 and M, angles from below. A coefficient of the potential is no double
#define PENDULUM(M, more)                                                                                                                       \
  {.coordinates = "p q", .kinetic = "p'^2/2 + " M "*(p'^2 + q'^2 + 2*p'*q'*cos(p - q))/2", .potential = "-9.75*((1 + " M ")*cos(p) + " M "*cos(q))", more}
static const lagrange heavy = PENDULUM("1000000000001", .refined = 1), in_doubles = PENDULUM("1000000000001", .graph = 0),
                      heavier = PENDULUM("10000000000000000", .refined = 1), boundless = PENDULUM("10000000000000000000000000000000", .refined = 1);
#define M_HEAVY 1000000000001.0L
static const lagrange rod = {.coordinates = "x y", .parameters = "k", .values = {1e10}, .kinetic = "(x'^2 + y'^2)/2", .potential = "k*(x^2 + y^2)/2 + 9*y",
                             .nonholonomic = {"rod: x*x' + y*y'"}, .refined = 1};

static const double swings[][4] = {{0.3, 0.3 + 1e-5, 0.2, -0.4}, {0.7, 0.7 - 3e-6, 1, 0.5}, {-1.1, -1.1 + 2e-5, 0.3, 0.3}};
enum { SWINGS = sizeof swings / sizeof *swings };

// How much less exact the arbiters are where long double is no more than double at run time, as under valgrind
static double loose(void) {
  static volatile long double one = 1;
  return one + 0x1p-60L == one ? 4096 : 1;
}

// With s = sin(p - q):  (1 + M s^2) p'' = -g sin p - M s (g cos q + q'^2 + p'^2 cos(p - q)),   q'' from the row of q
static void by_hand(long double M, const complex long double *x, complex long double *a) {
  const complex long double s = csinl(x[0] - x[1]), c = ccosl(x[0] - x[1]);
  const long double g = 9.75L;
  a[0] = -(g * csinl(x[0]) + M * s * (g * ccosl(x[1]) + x[3] * x[3] + x[2] * x[2] * c)) / (1 + M * s * s);
  a[1] = -a[0] * c + s * x[2] * x[2] - g * csinl(x[1]);
}

static void widened(const double *x, complex long double *z) {
  for (int i = 0; i < 4; i++) z[i] = x[i];
}

// At a state, and solved there
static hml_status solved(mechanics *s, const double *x) {
  assert_ok(s->c, hml_workspace_set_state(s->w, 0, x));
  return hml_stage__solution(s->w);
}

// ---- accelerations

static void solutions_have_more_digits_than_doubles(void **state) {
  (void)state;
  mechanics s = build(&heavy);
  for (int i = 0; i < SWINGS; i++) {
    complex long double x[4], right[2];
    widened(swings[i], x);
    by_hand(M_HEAVY, x, right);
    assert_ok(s.c, solved(&s, swings[i]));
    const hml_quad *z = s.w->quads.solution;
    for (int k = 0; k < 2; k++) {
      check_near((double)((long double)z[k] - creall(right[k])), 0, loose() * 1e-17 * (double)fabsl(creall(right[0])));
      assert_true(s.w->a[k] == (double)z[k]);
    }
  }
  demolish(&s);
}

// The residual is linear: what a solution that is off by one leaves are the columns of M
static void residuals_are_what_a_solution_leaves(void **state) {
  (void)state;
  mechanics s = build(&heavy);
  const double M = (double)M_HEAVY, c = cos(swings[0][0] - swings[0][1]), mass[2][2] = {{1 + M, M * c}, {M * c, M}};
  double left[2], none[1];
  assert_ok(s.c, solved(&s, swings[0]));
  hml_quad *z = s.w->quads.z;
  for (int k = 0; k < 2; k++) {
    z[k] += 1;
    hml_refine__residual(s.w, NULL, NULL, left, none);
    for (int i = 0; i < 2; i++) check_near(left[i], -mass[i][k], 1e-15 * M);
    z[k] -= 1;
  }
  demolish(&s);
}

// The double pendulum, M^-1 (r0, r1) by hand
static void responses_have_all_digits(void **state) {
  (void)state;
  mechanics s = build(&heavy);
  for (int i = 0; i < SWINGS; i++) {
    const double M = (double)M_HEAVY, d = sin(swings[i][0] - swings[i][1]), c = cos(swings[i][0] - swings[i][1]), r[2] = {1, 0}, side = 1 + M * d * d;
    double a[2], none[1], b[1] = {0};
    assert_ok(s.c, solved(&s, swings[i]));
    hml_multiplier__resolve(s.w, r, b, a, none);
    assert_ok(s.c, hml_refine__side(s.w, r, b, a, none));
    check_near(a[0], 1 / side, 1e-14 / side);
    check_near(a[1], -c / side, 1e-14 / side);
  }
  demolish(&s);
}

// a = (r - (A.r + b) A/|A|^2), lambda = -(A.r + b)/|A|^2 with A = (x, y)
static void responses_of_constraints_are_theirs(void **state) {
  (void)state;
  mechanics s = build(&rod);
  const double x[5] = {sin(0.7), -cos(0.7)}, r[2] = {1e10 * x[0] + 3, 1e10 * x[1]}, b[1] = {2}, length = x[0] * x[0] + x[1] * x[1];
  double a[2], lambda[1];
  assert_ok(s.c, solved(&s, x));
  check_near(s.w->a[0], 9 * x[0] * x[1] / length, 1e-15 * 9);
  check_near(s.w->a[1], -9 * x[0] * x[0] / length, 1e-15 * 9);
  hml_multiplier__resolve(s.w, r, b, a, lambda);
  assert_ok(s.c, hml_refine__side(s.w, r, b, a, lambda));
  const long double along = ((long double)r[0] * x[0] + (long double)r[1] * x[1] + b[0]) / ((long double)x[0] * x[0] + (long double)x[1] * x[1]);
  check_near(lambda[0], -(double)along, 1e-15 * 1e10);
  for (int i = 0; i < 2; i++) check_near(a[i], (double)(r[i] - along * x[i]), loose() * 1e-9);
  demolish(&s);
}

// ---- derivatives

// Column j against a step along the imaginary axis; of a model that is refined, and of one in doubles
static void columns_at(mechanics *s, const double *x) {
  double high[16], low[16];
  assert_ok(s->c, hml_workspace_set_state(s->w, 0, x));
  assert_ok(s->c, hml_workspace__exact_jacobian(s->w, high, low));
  for (int j = 0; j < 4; j++) {
    complex long double at[4], a[2];
    widened(x, at);
    at[j] += 1e-40L * I;
    by_hand(M_HEAVY, at, a);
    const long double size = fmaxl(fabsl(cimagl(a[0])), fabsl(cimagl(a[1]))) * 1e40L;
    for (int i = 0; i < 4; i++) {
      const long double right = i < 2 ? j == i + 2 : cimagl(a[i - 2]) * 1e40L, found = (long double)high[4 * i + j] + low[4 * i + j];
      assert_true(fabs(low[4 * i + j]) <= 0x1p-53 * fabs(high[4 * i + j]));
      check_near((double)(found - right), 0, i < 2 ? 0 : loose() * 1e-16 * (double)size);
    }
  }
}

static void derivatives_have_more_digits_than_doubles(void **state) {
  (void)state;
  mechanics s = build(&heavy), other = build(&in_doubles);
  for (int i = 0; i < SWINGS; i++) {
    columns_at(&s, swings[i]);
    columns_at(&other, swings[i]);
  }
  demolish(&s);
  demolish(&other);
}

// ---- what is refused

static void masses_beyond_the_factors_are_refused(void **state) {
  (void)state;
  mechanics s = build(&heavier);
  const double stretched[4] = {0.3, 0.3 + 1e-9, 0.2, -0.4};
  int refused = 0;
  for (int i = 0; i < 20; i++) {
    double x[4];
    for (int k = 0; k < 4; k++) x[k] = stretched[k] + (k < 2 ? 0.01 * i : 0);
    const hml_status status = solved(&s, x);
    if (status == HML_OK) {
      // found, and then right: 1 + M s^2 is not far from one
      complex long double z[4], right[2];
      widened(x, z);
      by_hand(1e16L, z, right);
      for (int k = 0; k < 2; k++) check_near(s.w->a[k], (double)creall(right[k]), 1e-14 * (double)fabsl(creall(right[0])));
      continue;
    }
    refused++;
    assert_true(status == HML_LOST_DIGITS || status == HML_SINGULAR_MASS);
    check_contains(hml_context_error(s.c)->message, "model 'test' at t = 0");
    hml_context_clear_error(s.c);
  }
  assert_true(refused > 0);
  demolish(&s);
}

// The least pivot of M, scaled to a diagonal of ones, is (1 + M s^2)/(1 + M)
static void matrices_that_doubles_cannot_tell_are_regular_or_not(void **state) {
  (void)state;
  mechanics s = build(&heavy), beyond = build(&boundless);
  const double stretched[4] = {0.3, 0.3}, bent[4] = {0.3, 0.3 + 1e-3};
  double pivot;
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, stretched));
  assert_true(hml_refine__regular(s.w, &pivot));
  check_near(pivot * 1000000000002, 1, 1e-12);
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, bent));
  assert_true(hml_refine__regular(s.w, &pivot));
  const double d = sin(bent[0] - bent[1]);
  check_near(pivot / (d * d), 1, 1e-5);
  assert_ok(beyond.c, hml_workspace_set_state(beyond.w, 0, stretched));
  assert_false(hml_refine__regular(beyond.w, &pivot));
  demolish(&s);
  demolish(&beyond);
}

// Two velocities whose directions fall together where sin x = 0: near there M is singular whatever the digits
static void near_singular_places_nothing_is_regular(void **state) {
  (void)state;
  const lagrange meeting = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2 + x'*y'*cos(x)"};
  mechanics s = build(&meeting);
  const double at[4] = {PI}, near[4] = {PI + 1e-12}, off[4] = {PI + 1e-5};
  double pivot;
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, at));
  assert_false(hml_refine__regular(s.w, &pivot));
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, near));
  assert_false(hml_refine__regular(s.w, &pivot));
  assert_ok(s.c, hml_workspace_set_state(s.w, 0, off));
  assert_true(hml_refine__regular(s.w, &pivot));
  check_near(pivot, 1e-10, 1e-14);
  demolish(&s);
}

// ---- memory

// Every request in turn is refused: the failure is told, and nothing stays behind
static void without_memory_nothing_is_lost(void **state) {
  (void)state;
  long granted = 0;
  for (hml_status status = HML_MEMORY; status == HML_MEMORY; granted++) {
    ration r = {.left = UNLIMITED};
    mechanics s = {.c = hml_context_new(rationed, &r)};
    double high[16], low[16];
    assert_non_null(s.c);
    assert_ok(s.c, lagrange_model(s.c, &heavy, &s.model));
    assert_ok(s.c, hml_workspace_new(s.c, s.model, &s.w));
    assert_ok(s.c, hml_workspace_set_state(s.w, 0, swings[0]));
    r.left = granted;
    status = hml_workspace__exact_jacobian(s.w, high, low);
    r.left = UNLIMITED;
    assert_true(status == HML_OK || status == HML_MEMORY);
    demolish(&s);
    assert_int_equal(r.blocks, 0);
    assert_int_equal(r.bytes, 0);
  }
  assert_true(granted > 3);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(solutions_have_more_digits_than_doubles),
                                     cmocka_unit_test(residuals_are_what_a_solution_leaves),
                                     cmocka_unit_test(responses_have_all_digits),
                                     cmocka_unit_test(responses_of_constraints_are_theirs),
                                     cmocka_unit_test(derivatives_have_more_digits_than_doubles),
                                     cmocka_unit_test(masses_beyond_the_factors_are_refused),
                                     cmocka_unit_test(matrices_that_doubles_cannot_tell_are_regular_or_not),
                                     cmocka_unit_test(near_singular_places_nothing_is_regular),
                                     cmocka_unit_test(without_memory_nothing_is_lost)};
  return hml_program__has_quad() ? cmocka_run_group_tests(tests, NULL, NULL) : 0;
}
