// directions.c: arbiters: a scan over all directions, closed solutions, and the rest that friction allows.
#include "random.h"

#include "contact/directions.h"

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// f(e) = c - N G grad h(e) by its definition; false where N < 0
static bool acceleration(const hml_onset *o, const double *e, double *f, double *denominator) {
  const size_t n = o->law->count;
  double w[3];
  hml_friction__gradient(o->law, e, w);
  *denominator = 1 + dot(n, o->b, w);
  for (size_t i = 0; i < n; i++) f[i] = o->c[i] - o->a / *denominator * dot(n, o->g + i * n, w);
  return o->a / *denominator >= 0;
}

// Changes of sign of the part of f across e, times the denominator, where f points along e; doubtful: two roots may be too near
static size_t scan(const hml_onset *o, bool *doubtful) {
  enum { POINTS = 10000 };
  double last = 0, before = 0, largest = 0;
  size_t found = 0;
  *doubtful = false;
  for (int i = 0; i <= POINTS + 1; i++) {
    const double step = 2 * PI / POINTS;
    double angle = step * (i + 0.123), e[3] = {cos(angle), sin(angle), 0}, f[3], denominator;
    acceleration(o, e, f, &denominator);
    double across = (e[0] * f[1] - e[1] * f[0]) * denominator;
    // the last point closes the circle
    if (i > 0 && i <= POINTS && (across < 0) != (last < 0)) {
      double root = angle - step * across / (across - last), at[3] = {cos(root), sin(root), 0};
      bool pressed = acceleration(o, at, f, &denominator);
      found += pressed && dot(2, at, f) > 0;
      *doubtful |= fabs(dot(2, at, f)) < 1e-3 || fabs(denominator) < 1e-3;
    }
    // a smallest value that is no root may hide two
    bool least = i > 1 && fabs(last) < fabs(before) && fabs(last) < fabs(across) && (across < 0) == (before < 0);
    *doubtful |= least && fabs(last) < 1e-5 * largest;
    largest = fmax(largest, fabs(across));
    before = last;
    last = across;
  }
  return found;
}

static void random_onset(hml_onset *o, const hml_friction_law *law, double coupling) {
  const size_t n = law->count;
  *o = (hml_onset){.law = law, .a = 2 * pow(4, random_number())};
  random_positive(n, 0.1, o->g);
  for (size_t i = 0; i < n; i++) {
    o->c[i] = random_number();
    o->b[i] = coupling * random_number();
  }
}

static void check_items(const hml_onset *o, const hml_limit_direction *list, size_t found) {
  const size_t n = o->law->count;
  for (size_t k = 0; k < found; k++) {
    double f[3], denominator, size = 0;
    assert_true(acceleration(o, list[k].slip, f, &denominator));
    for (size_t i = 0; i < n; i++) {
      double unit = hml_friction__unit(o->law, i), force = dot(n, o->g + i * n, list[k].z);
      assert_near(f[i], list[k].rate * list[k].slip[i], 1e-12 * (1 + fabs(list[k].normal)) / unit);
      assert_near(o->c[i] + force, f[i], 1e-13 * (1 + fabs(force)));
      size += list[k].slip[i] * unit * list[k].slip[i] * unit;
    }
    assert_near(size, 1, 1e-14);
    assert_near(list[k].normal, o->a + dot(n, o->b, list[k].z), 1e-12 * (1 + fabs(list[k].normal)));
    assert_true(dot(n, list[k].z, list[k].slip) <= 0);
    assert_true(k == 0 || list[k - 1].turn <= list[k].turn);
  }
}

// two directions, pressed by a reaction that feels the friction: G_nt of every size
static void scan_finds_the_same_directions(void **state) {
  (void)state;
  size_t compared = 0, several = 0, none = 0;
  for (int trial = 0; trial < 600; trial++) {
    hml_friction_law law = {trial % 3 == 0   ? HML_FRICTION_coulomb
                            : trial % 3 == 1 ? HML_FRICTION_elliptic
                                             : HML_FRICTION_hertz,
                            2,
                            {0.1 + fabs(random_number()), 0.1 + fabs(random_number())},
                            0.5 + fabs(random_number())};
    hml_onset o;
    hml_limit_direction list[HML_MOST_DIRECTIONS];
    bool doubtful;
    random_onset(&o, &law, 4 * (trial % 4));
    if (trial % 7 == 0) o.a = -o.a;
    for (int i = 0; i < 2; i++) o.c[i] *= 10;
    if (law.kind == HML_FRICTION_hertz) law.radius = 1;                  // the scan is in (s, w)
    size_t found = hml_friction__directions(&o, list), expected = scan(&o, &doubtful);
    check_items(&o, list, found);
    if (doubtful) continue;
    if (found != expected) print_error("trial %d: %zu directions, the scan has %zu\n", trial, found, expected);
    assert_int_equal(found, expected);
    compared++;
    several += found > 1;
    none += found == 0;
  }
  assert_true(compared > 500 && several > 6 && none > 20);
}

// G z = -c
static void force_of_rest(const hml_onset *o, double *z) {
  const size_t n = o->law->count;
  double g[9];
  memcpy(g, o->g, sizeof g);
  for (size_t i = 0; i < n; i++) z[i] = -o->c[i];
  for (size_t p = 0; p < n; p++)
    for (size_t i = 0; i < n; i++) {
      if (i == p) continue;
      double factor = g[i * n + p] / g[p * n + p];
      for (size_t j = p; j < n; j++) g[i * n + j] -= factor * g[p * n + j];
      z[i] -= factor * z[p];
    }
  for (size_t i = 0; i < n; i++) z[i] /= g[i * n + i];
}

// N given: s' is the least of 1/2 |s' - c|^2 + N h(s') in the metric of G^-1, strictly convex: rest, or exactly one direction
static void given_pressing_force_leaves_one_motion(void **state) {
  (void)state;
  size_t rests = 0;
  for (int trial = 0; trial < 2000; trial++) {
    const hml_friction_law law = {(hml_friction_kind)(trial % HML_FRICTION_KINDS), trial % 8 == 4 || trial % 8 == 6 || trial % 8 == 7 ? 3 : 2,
                                  {0.1 + fabs(random_number()), 0.1 + fabs(random_number())}, 0.1 + fabs(random_number())};
    hml_onset o;
    hml_limit_direction list[HML_MOST_DIRECTIONS];
    double z[3];
    random_onset(&o, &law, 0);
    force_of_rest(&o, z);
    double room = hml_friction__room(&law, o.a, z);
    if (fabs(room) < 1e-6) continue;
    size_t found = hml_friction__directions(&o, list);
    check_items(&o, list, found);
    if (found != (room < 0)) print_error("trial %d: %s, room %g: %zu directions\n", trial, hml_friction__row(law.kind).name, room, found);
    assert_int_equal(found, room < 0);
    rests += room > 0;
  }
  assert_true(rests > 300 && rests < 1700);
}

// at the instant when rest breaks the rate is 0 and the direction that against the force of rest
static void direction_at_the_limit_of_rest(void **state) {
  (void)state;
  for (int trial = 0; trial < 500; trial++) {
    const hml_friction_law law = {trial % 2 ? HML_FRICTION_elliptic : HML_FRICTION_coulomb, 2, {0.4, trial % 2 ? 0.7 : 0.4}, 1};
    hml_onset o;
    hml_limit_direction list[HML_MOST_DIRECTIONS];
    double z[3], w[2];
    random_onset(&o, &law, 0);
    force_of_rest(&o, z);
    o.a = hml_friction__gauge(&law, z);
    assert_int_equal(hml_friction__directions(&o, list), 1);
    hml_friction__gradient(&law, list[0].slip, w);
    for (int i = 0; i < 2; i++) assert_near(-o.a * w[i], z[i], 1e-9 * o.a);
    assert_near(list[0].rate, 0, 1e-12);
  }
}

// one direction, by hand: G_nn = G_tt = 1, G_nt = g: N = -c_n - g z, z = -d mu N
static void one_direction_may_have_both_senses_or_none(void **state) {
  (void)state;
  const hml_friction_law law = {HML_FRICTION_coulomb, 1, {0.5, 0.5}, 1};
  hml_limit_direction list[HML_MOST_DIRECTIONS];
  hml_onset o = {.law = &law, .c = {1}, .g = {1}, .a = 1, .b = {0}};
  assert_int_equal(hml_friction__directions(&o, list), 1);
  assert_near(list[0].rate, 0.5, 1e-15);
  o.a = 3;
  assert_int_equal(hml_friction__directions(&o, list), 0);
  // b = 4: N = 1/(1 + 2 d): for d = -1 it is negative
  o = (hml_onset){.law = &law, .c = {1}, .g = {1}, .a = 1, .b = {4}};
  assert_int_equal(hml_friction__directions(&o, list), 1);
  assert_near(list[0].normal, 1. / 3, 1e-15);
  // b = 1, c = -1/2: N = 2 against d = -1, 2/3 against d = 1: no sense holds; c = 2: one
  o = (hml_onset){.law = &law, .c = {-0.5}, .g = {1}, .a = 1, .b = {1}};
  assert_int_equal(hml_friction__directions(&o, list), 0);
  // pulled apart: a < 0 presses where 1 + b.w < 0
  o = (hml_onset){.law = &law, .c = {-2}, .g = {1}, .a = -1, .b = {4}};
  assert_int_equal(hml_friction__directions(&o, list), 1);
  assert_near(list[0].slip[0], -1, 0);
  assert_near(list[0].normal, 1, 1e-15);
}

static void without_force_the_slip_follows_its_drive(void **state) {
  (void)state;
  hml_limit_direction list[HML_MOST_DIRECTIONS];
  for (int kind = 0; kind < HML_FRICTION_KINDS; kind++) {
    hml_friction_law law = {(hml_friction_kind)kind, 2, {0.3, 0.3}, 1};
    hml_onset o = {.law = &law, .c = {3, -4}, .g = {1, 0, 0, 1}, .a = 0};
    for (int i = 0; i < 2; i++) {
      assert_int_equal(hml_friction__directions(&o, list), 1);
      assert_near(list[0].slip[0], 0.6, 1e-15);
      assert_near(list[0].rate, 5, 1e-14);
      o.a = 2;
      law.coefficient[0] = law.coefficient[1] = 0;
    }
  }
  const hml_friction_law law = {HML_FRICTION_coulomb, 2, {0.3, 0.3}, 1};
  hml_onset o = {.law = &law, .c = {0, 0}, .g = {1, 0, 0, 1}, .a = 1};
  assert_int_equal(hml_friction__directions(&o, list), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(scan_finds_the_same_directions),
      cmocka_unit_test(given_pressing_force_leaves_one_motion),
      cmocka_unit_test(direction_at_the_limit_of_rest),
      cmocka_unit_test(one_direction_may_have_both_senses_or_none),
      cmocka_unit_test(without_force_the_slip_follows_its_drive),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
