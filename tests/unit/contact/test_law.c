// law.c: arbiters: sums over the spot of contact, finite differences, and what a convex set and its support function owe each other.
#include "random.h"

#include "contact/law.h"

static const hml_friction_law laws[] = {
    {HML_FRICTION_coulomb, 1, {0.6, 0.6}, 1},   {HML_FRICTION_coulomb, 2, {0.3, 0.3}, 1},   {HML_FRICTION_coulomb, 3, {0.7, 0.7}, 1},
    {HML_FRICTION_elliptic, 2, {0.3, 0.8}, 1},  {HML_FRICTION_elliptic, 2, {2, 0.01}, 1},   {HML_FRICTION_uniform, 2, {0.4, 0.4}, 0.3},
    {HML_FRICTION_uniform, 3, {0.5, 0.5}, 2.5}, {HML_FRICTION_hertz, 2, {0.4, 0.4}, 0.02},  {HML_FRICTION_hertz, 3, {0.25, 0.25}, 0.7},
};
enum { LAWS = sizeof laws / sizeof *laws };

static double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

// components of very different size, so that pure slip and pure spin are approached
static void random_vector(const hml_friction_law *law, double *y, bool force) {
  for (size_t i = 0; i < law->count; i++) {
    double unit = hml_friction__unit(law, i);
    y[i] = random_number() * pow(10, 3 * random_number()) * (force ? unit : 1 / unit);
  }
}

static void every_law_has_a_row(void **state) {
  (void)state;
  for (hml_friction_kind kind = 0; kind < HML_FRICTION_KINDS; kind++) {
    hml_friction_row row = hml_friction__row(kind);
    bool tried = false;
    for (int i = 0; i < LAWS; i++) tried |= laws[i].kind == kind && laws[i].count >= row.least && laws[i].count <= row.most;
    assert_true(row.name && row.help && tried);
  }
  assert_null(hml_friction__row(HML_FRICTION_KINDS).name);
}

// ---- the spot: force and moment of sliding friction summed over it; r = sin(a)^2 removes the root of Hertz's pressure at the rim
static void sum_over_spot(bool uniform, double slip, double spin, double *power, double *force, double *moment) {
  enum { RINGS = 1500, SECTORS = 200 };
  *power = *force = *moment = 0;
  for (int i = 0; i < RINGS; i++) {
    double a = PI / 2 * (i + 0.5) / RINGS, r = sin(a) * sin(a), dr = 2 * sin(a) * cos(a) * PI / 2 / RINGS;
    double weight = (uniform ? 1 / PI : 3 / (2 * PI) * sqrt((1 - r) * (1 + r))) * r * dr * 2 * PI / SECTORS;
    for (int j = 0; j < SECTORS; j++) {
      double angle = 2 * PI * (j + 0.5) / SECTORS, x = r * cos(angle), y = r * sin(angle);
      double vx = slip - spin * y, vy = spin * x, v = hypot(vx, vy);   // slip along x, radius 1
      *power += weight * v;
      if (v > 0) *force += weight * vx / v, *moment += weight * (x * vy - y * vx) / v;
    }
  }
}

static void spots_agree_with_sums(void **state) {
  (void)state;
  const double ratios[] = {0, 0.05, 0.3, 0.49, 0.51, 0.8, 0.97, 1.02, 1.3, 1.99, 2.01, 4, 50};
  for (int uniform = 0; uniform < 2; uniform++)
    for (size_t i = 0; i < sizeof ratios / sizeof *ratios; i++) {
      const double radius = 0.3, mu = 0.7;
      hml_friction_law law = {uniform ? HML_FRICTION_uniform : HML_FRICTION_hertz, 2, {mu, mu}, radius};
      double power, force, moment, y[2] = {ratios[i], 1 / radius}, z[2];
      sum_over_spot(uniform, ratios[i], 1, &power, &force, &moment);
      hml_friction__gradient(&law, y, z);
      assert_near(hml_friction__support(&law, y), mu * power, 1e-6 * power);
      assert_near(z[0], mu * force, 1e-5);
      assert_near(z[1], mu * radius * moment, 1e-5 * radius);
    }
}

// closed: rest of slip, of spin, and the values at c = 1 of E(1) = 1
static void spots_have_their_known_values(void **state) {
  (void)state;
  hml_friction_law uniform = {HML_FRICTION_uniform, 2, {1, 1}, 1}, hertz = {HML_FRICTION_hertz, 2, {1, 1}, 1};
  double z[2];
  hml_friction__gradient(&uniform, (double[]){0, 2}, z);
  assert_near(z[1], 2. / 3, 1e-16);
  hml_friction__gradient(&hertz, (double[]){0, -2}, z);
  assert_near(z[1], -3 * PI / 16, 1e-16);
  assert_near(z[0], 0, 0);
  hml_friction__gradient(&uniform, (double[]){3, 0}, z);
  assert_near(z[0], 1, 0);
  assert_near(z[1], 0, 0);
  hml_friction__gradient(&uniform, (double[]){1, 1}, z);
  assert_near(z[0], 8 / (3 * PI), 4e-16);
  assert_near(z[1], 8 / (9 * PI), 4e-16);
  // c = 50: M c near 1/4 and 1/5
  hml_friction__gradient(&uniform, (double[]){50, 1}, z);
  assert_near(50 * z[1], 0.25, 1e-4);
  hml_friction__gradient(&hertz, (double[]){50, 1}, z);
  assert_near(50 * z[1], 0.2, 1e-4);
}

// series, closed forms and expansions far away meet
static void spots_have_no_seams(void **state) {
  (void)state;
  const double seams[] = {0.5, 1, 2};
  for (int kind = 0; kind < 2; kind++)
    for (int i = 0; i < 3; i++) {
      hml_friction_law law = {kind ? HML_FRICTION_uniform : HML_FRICTION_hertz, 2, {1, 1}, 1};
      double below[2], above[2], hessians[2][4], shift = seams[i] == 1 ? 1e-12 : 1e-15;
      hml_friction__gradient(&law, (double[]){seams[i] * (1 - shift), 1}, below);
      hml_friction__gradient(&law, (double[]){seams[i] * (1 + shift), 1}, above);
      hml_friction__hessian(&law, (double[]){seams[i] * (1 - shift), 1}, hessians[0]);
      hml_friction__hessian(&law, (double[]){seams[i] * (1 + shift), 1}, hessians[1]);
      for (int a = 0; a < 2; a++) assert_near(below[a], above[a], 5 * shift + 5e-15);
      for (int a = 0; a < 4; a++) assert_near(hessians[0][a], hessians[1][a], 1e-10);
    }
}

// v' = -g[0] z, w' = -g[1] M by Runge and Kutta
static void slide(const hml_friction_law *law, const double *g, double time, double *y) {
  enum { STEPS = 4000 };
  const double h = time / STEPS;
  for (int i = 0; i < STEPS; i++) {
    double k[4][2], at[2];
    for (int stage = 0; stage < 4; stage++) {
      double part = stage == 0 ? 0 : stage == 3 ? h : h / 2;
      for (int a = 0; a < 2; a++) at[a] = y[a] + (stage ? part * k[stage - 1][a] : 0);
      hml_friction__gradient(law, at, k[stage]);
      for (int a = 0; a < 2; a++) k[stage][a] *= -g[a];
    }
    for (int a = 0; a < 2; a++) y[a] += h / 6 * (k[0][a] + 2 * k[1][a] + 2 * k[2][a] + k[3][a]);
  }
}

// arbiter: elliptic integrals integrated in log v and log w elsewhere, to ten digits
static void disc_and_ball_slow_down(void **state) {
  (void)state;
  const hml_friction_law uniform = {HML_FRICTION_uniform, 2, {0.3, 0.3}, 1}, hertz = {HML_FRICTION_hertz, 2, {0.3, 0.3}, 0.4};
  double disc[2] = {0.5, 0.8}, ball[2] = {1, 4};
  slide(&uniform, (double[]){1, 2}, 0.8, disc);
  assert_near(disc[0], 0.3572461615, 1e-10);
  assert_near(disc[1], 0.5670651797, 1e-10);
  slide(&hertz, (double[]){3.5, 2.5}, 0.6, ball);
  assert_near(ball[0], 0.6457771958, 1e-10);
  assert_near(ball[1], 3.919224572, 1e-9);
  // a flat disc stops slipping and spinning at once, with v/(R w) = 0.653002
  double end[2] = {0.5, 0.8};
  slide(&uniform, (double[]){1, 2}, 2.771379621 * (1 - 2e-3), end);
  assert_near(end[0] / end[1], 0.6530017, 1e-3);
}

// ---- every law
static void gradients_and_hessians_are_derivatives(void **state) {
  (void)state;
  for (int trial = 0; trial < 4000; trial++) {
    const hml_friction_law *law = laws + trial % LAWS;
    const size_t n = law->count;
    double y[3], z[3], hessian[9], ahead[3], back[3];
    for (size_t i = 0; i < n; i++) y[i] = random_number() / hml_friction__unit(law, i);
    hml_friction__gradient(law, y, z);
    hml_friction__hessian(law, y, hessian);
    assert_near(dot(n, y, z), hml_friction__support(law, y), 1e-14 * hml_friction__support(law, y));
    for (size_t j = 0; j < n; j++) {
      double keep = y[j], unit = hml_friction__unit(law, j), h = 1e-6 / unit, up, down;
      y[j] = keep + h;
      up = hml_friction__support(law, y);
      hml_friction__gradient(law, y, ahead);
      y[j] = keep - h;
      down = hml_friction__support(law, y);
      hml_friction__gradient(law, y, back);
      y[j] = keep;
      double near = fabs(keep) * unit;                                   // differences cross no kink
      if (n == 1 ? near < 1e-5 : near < 2e-3) continue;
      assert_near((up - down) / (2 * h), z[j], 1e-6 * unit);
      for (size_t i = 0; i < n; i++)
        assert_near((ahead[i] - back[i]) / (2 * h), hessian[i * n + j],
                    1e-4 * (1 + fabs(hessian[i * n + j])) * unit * hml_friction__unit(law, i));
    }
  }
}

// the gradient lies on the boundary, and no point of the set does more work: z.y <= h(y)
static void gauges_belong_to_their_supports(void **state) {
  (void)state;
  for (int trial = 0; trial < 6000; trial++) {
    const hml_friction_law *law = laws + trial % LAWS;
    double y[3], other[3], z[3], gauge;
    random_vector(law, y, false);
    random_vector(law, other, true);
    hml_friction__gradient(law, y, z);
    assert_near(hml_friction__gauge(law, z), 1, 2e-14);
    assert_near(hml_friction__room(law, 3, z), 2, 2e-14);
    gauge = hml_friction__gauge(law, other);
    assert_true(dot(law->count, other, y) <= gauge * hml_friction__support(law, y) * (1 + 1e-14));
  }
}

// P is the nearest point: P in the set, and (z - P).(v - P) <= 0 for all v of the set; where it is outside, z - P is a slip against P
static void projections_are_nearest_points(void **state) {
  (void)state;
  for (int trial = 0; trial < 6000; trial++) {
    const hml_friction_law *law = laws + trial % LAWS;
    const size_t n = law->count;
    double z[3] = {0}, p[3], y[3], v[3], direction[3], normal = fabs(random_number()) * pow(10, 2 * random_number()), sum = 0, size = 0;
    random_vector(law, z, true);
    memcpy(p, z, sizeof p);
    bool outside = hml_friction__project(law, normal, p);
    assert_true(outside == (hml_friction__gauge(law, z) > normal));
    assert_true(hml_friction__gauge(law, p) <= normal * (1 + 1e-13));
    for (size_t i = 0; i < n; i++) {
      double unit = hml_friction__unit(law, i);
      y[i] = (z[i] - p[i]) / (unit * unit);
      sum += y[i] * unit * y[i] * unit;
      size = fmax(size, fabs(z[i]) / unit);
    }
    if (!outside) {
      assert_true(sum == 0);
      continue;
    }
    // the support of the difference is reached at P
    assert_near(dot(n, y, p), normal * hml_friction__support(law, y), 1e-13 * (normal + size) * (sqrt(sum) + size));
    for (int k = 0; k < 4; k++) {
      random_vector(law, direction, false);
      hml_friction__gradient(law, direction, v);
      double inner = 0;
      for (size_t i = 0; i < n; i++) inner += y[i] * (normal * v[i] - p[i]);
      assert_true(inner <= 1e-13 * (normal + size) * (sqrt(sum) + size));
    }
  }
}

static void rates_of_projections_are_derivatives(void **state) {
  (void)state;
  const double h = 1e-6;
  for (int trial = 0; trial < 3000; trial++) {
    const hml_friction_law *law = laws + trial % LAWS;
    const size_t n = law->count;
    double z[3] = {0}, p[3], by_z[9], by_normal[3], up[3], down[3], normal = 0.2 + fabs(random_number());
    for (size_t i = 0; i < n; i++) z[i] = random_number() * hml_friction__unit(law, i);
    if (fabs(hml_friction__gauge(law, z) - normal) < 1e-3 * normal || (law->kind == HML_FRICTION_elliptic && law->coefficient[1] < 0.1)) continue;
    memcpy(p, z, sizeof p);
    hml_friction__project_rates(law, normal, p, by_z, by_normal);
    for (size_t j = 0; j <= n; j++) {
      double step = j < n ? h * hml_friction__unit(law, j) : h;
      memcpy(up, z, sizeof up);
      memcpy(down, z, sizeof down);
      if (j < n) up[j] += step, down[j] -= step;
      hml_friction__project(law, normal + (j == n ? step : 0), up);
      hml_friction__project(law, normal - (j == n ? step : 0), down);
      for (size_t i = 0; i < n; i++) {
        double rate = j < n ? by_z[i * n + j] : by_normal[i];
        double unit = hml_friction__unit(law, i) / (j < n ? hml_friction__unit(law, j) : 1);
        assert_near((up[i] - down[i]) / (2 * step), rate, 1e-5 * unit);
      }
    }
  }
}

static void nothing_divides_by_zero(void **state) {
  (void)state;
  for (int i = 0; i < LAWS; i++) {
    hml_friction_law law = laws[i];
    double z[3] = {0, 0, 0}, y[3] = {0, 0, 0};
    hml_friction__gradient(&law, y, z);
    for (size_t a = 0; a < law.count; a++) assert_true(z[a] == 0);
    assert_true(hml_friction__gauge(&law, z) == 0 && hml_friction__support(&law, y) == 0);
    assert_false(hml_friction__project(&law, 0, z));
    z[0] = -2;
    assert_true(hml_friction__project(&law, 0, z) && z[0] == 0);
    z[0] = 2;
    assert_true(hml_friction__project(&law, -1, z) && z[0] == 0);
    law.coefficient[0] = law.coefficient[1] = 0;
    assert_true(hml_friction__gauge(&law, z) == 0);
    z[0] = z[law.count - 1] = 3;
    assert_true(hml_friction__gauge(&law, z) == INFINITY);
    assert_true(hml_friction__project(&law, 1, z) && z[0] == 0 && z[law.count - 1] == 0);
  }
  // one coefficient 0: the set is a segment
  hml_friction_law flat = {HML_FRICTION_elliptic, 2, {0.5, 0}, 1};
  double z[2] = {0.1, 5};
  assert_true(hml_friction__project(&flat, 1, z));
  assert_near(z[0], 0.1, 1e-16);
  assert_near(z[1], 0, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_law_has_a_row),
      cmocka_unit_test(spots_agree_with_sums),
      cmocka_unit_test(spots_have_their_known_values),
      cmocka_unit_test(spots_have_no_seams),
      cmocka_unit_test(disc_and_ball_slow_down),
      cmocka_unit_test(gradients_and_hessians_are_derivatives),
      cmocka_unit_test(gauges_belong_to_their_supports),
      cmocka_unit_test(projections_are_nearest_points),
      cmocka_unit_test(rates_of_projections_are_derivatives),
      cmocka_unit_test(nothing_divides_by_zero),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
