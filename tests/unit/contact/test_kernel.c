// kernel.c: arbiters: complementarity and dissipation by their definitions, closed solutions, enumeration against sweeps and Newton's method.
#include "problems.h"

// A convex quadratic program: one motion, whatever the combination
static void sides_without_friction_have_one_motion(void **state) {
  (void)state;
  for (int trial = 0; trial < 2000; trial++) {
    size_t n = 1 + trial % 5;
    box *b = empty(n);
    double z[MOST];
    random_positive(n, trial % 2 ? 1e-3 : 0.5, b->g);
    for (size_t i = 0; i < n; i++) b->free[i] = random_number(), add_side(b, i, trial % 3 ? 0 : 0.3 * random_number());
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.complete && r.residual < 1e-12);
    assert_int_equal(r.motions, 1);
    check_laws(b, b->z, 1e-8);
    memcpy(z, b->z, sizeof z);
    r = hml_frictional__settle(&b->p);
    assert_true(r.residual < 1e-12);
    for (size_t i = 0; i < n; i++) assert_near(after(b, b->z, i), after(b, z, i), 1e-9);
  }
}

static hml_friction_law random_law(int trial) {
  const hml_friction_law laws[] = {coulomb(1, 0.1 + fabs(random_number())),
                                   coulomb(2, 0.1 + fabs(random_number())),
                                   {HML_FRICTION_elliptic, 2, {0.1 + fabs(random_number()), 0.1 + fabs(random_number())}, 1},
                                   {HML_FRICTION_uniform, 2, {0.5, 0.5}, 0.2 + fabs(random_number())},
                                   {HML_FRICTION_hertz, 3, {0.4, 0.4}, 0.2 + fabs(random_number())}};
  return laws[trial % 5];
}

// s' is the least of a strictly convex function: one motion, and rest exactly where friction holds it
static void given_pressing_force_leaves_one_motion(void **state) {
  (void)state;
  size_t rests = 0;
  for (int trial = 0; trial < 2000; trial++) {
    hml_friction_law law = random_law(trial);
    box *b = empty(law.count);
    random_positive(law.count, 0.1, b->g);
    for (size_t i = 0; i < law.count; i++) b->free[i] = random_number();
    hml_rub *f = add_rub(b, 0, SIZE_MAX, law);
    f->normal.a = 2 * pow(4, random_number());
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.complete && r.residual < 1e-11);
    assert_int_equal(r.motions, 1);
    check_laws(b, b->z, 1e-9);
    rests += f->state == HML_RUB_STICKS;
    double z[3] = {b->z[0], b->z[1], b->z[2]};
    r = hml_frictional__settle(&b->p);
    assert_true(r.residual < 1e-11);
    for (size_t i = 0; i < law.count; i++) assert_near(b->z[i], z[i], 1e-9 * f->normal.a);
  }
  assert_true(rests > 300 && rests < 1700);
}

// One contact pressed by its own gap: enumeration against sweeps and Newton's method; where they find different ones, there are several
static void one_block_against_enumeration(void **state) {
  (void)state;
  size_t agree = 0;
  for (int trial = 0; trial < 2000; trial++) {
    hml_friction_law law = random_law(trial);
    const size_t k = 1 + law.count;
    box *b = empty(k);
    random_positive(k, 0.05, b->g);
    for (size_t i = 0; i < k; i++) b->free[i] = random_number();
    add_side(b, 0, 0);
    add_rub(b, 1, 0, law);
    hml_frictional_result all = hml_frictional__solve(&b->p), one;
    double z[MOST];
    memcpy(z, b->z, sizeof z);
    if (all.motions) check_laws(b, b->z, 1e-8);
    one = hml_frictional__settle(&b->p);
    if (one.way == HML_FRICTIONAL_UNSOLVED) continue;
    check_laws(b, b->z, 1e-8);
    // the sweeps found one: then enumeration did, and with one motion it is the same
    assert_true(all.motions > 0);
    if (all.motions > 1) continue;
    for (size_t i = 0; i < k; i++) assert_near(after(b, b->z, i), after(b, z, i), 1e-7 * (1 + fabs(z[0])));
    agree++;
  }
  assert_true(agree > 1900);
}

// One gap and one direction, by hand: open, stick, slip with d = 1 and d = -1: the number of different accelerations
static size_t motions_by_hand(const double *g, const double *c, double mu) {
  size_t n = c[0] >= 0;
  double det = g[0] * g[3] - g[1] * g[2], normal = (-g[3] * c[0] + g[1] * c[1]) / det, force = (g[2] * c[0] - g[0] * c[1]) / det;
  n += normal >= 0 && fabs(force) <= mu * normal;
  for (int d = 1; d >= -1; d -= 2) {
    normal = -c[0] / (g[0] - d * mu * g[1]);
    n += normal >= 0 && d * (c[1] + (g[2] - d * mu * g[3]) * normal) > 0;
  }
  return n;
}

static void every_motion_of_one_direction_is_found(void **state) {
  (void)state;
  size_t number[4] = {0};
  for (int trial = 0; trial < 3000; trial++) {
    box *b = empty(2);
    double mu = 4 * fabs(random_number());
    random_positive(2, 0.01, b->g);
    for (size_t i = 0; i < 2; i++) b->free[i] = random_number();
    add_side(b, 0, 0);
    add_rub(b, 1, 0, coulomb(1, mu));
    hml_frictional_result r = hml_frictional__solve(&b->p);
    size_t expected = motions_by_hand(b->g, b->free, mu);
    assert_true(r.complete);
    assert_int_equal(r.motions, expected < 2 ? expected : 2);
    number[expected]++;
  }
  assert_true(number[0] == 0 && number[1] > 1000 && number[2] + number[3] > 40);
}

// The same against a slip that moves: at most one motion, or two, or none (Painleve)
static void every_motion_beside_a_slip_is_found(void **state) {
  (void)state;
  size_t number[3] = {0};
  for (int trial = 0; trial < 3000; trial++) {
    box *b = empty(2);
    double mu = 4 * fabs(random_number());
    random_positive(2, 0.01, b->g);
    for (size_t i = 0; i < 2; i++) b->free[i] = random_number();
    b->slip[0] = random_number();
    add_side(b, 0, 0);
    add_rub(b, 1, 0, coulomb(1, mu))->slip = b->slip;
    double growth = b->g[0] - copysign(mu, b->slip[0]) * b->g[1];
    size_t expected = (b->free[0] >= 0) + (-b->free[0] / growth > 0);
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.complete && r.motions == expected);
    number[expected]++;
  }
  assert_true(number[0] > 100 && number[1] > 1000 && number[2] > 100);
}

// Two directions: directions of slip counted by a scan of the circle, with N of the closed gap
static size_t motions_by_scan(const double *g, const double *c, double mu, bool *doubtful) {
  enum { POINTS = 10000 };
  const double step = 2 * PI / POINTS;
  size_t n = c[0] >= 0;
  double last = 0;
  *doubtful = false;
  for (int i = 0; i <= POINTS; i++) {
    double at[2] = {step * (i + 0.371), 0}, across = 0;
    for (int pass = 0; pass < 2; pass++) {
      double d[2] = {cos(at[pass]), sin(at[pass])}, growth = g[0] - mu * (g[1] * d[0] + g[2] * d[1]), normal = -c[0] / growth, f[2];
      for (int a = 0; a < 2; a++) f[a] = c[1 + a] + normal * (g[3 * (1 + a)] - mu * (g[3 * (1 + a) + 1] * d[0] + g[3 * (1 + a) + 2] * d[1]));
      double along = d[0] * f[0] + d[1] * f[1];
      if (pass == 1) {
        n += normal > 0 && along > 0;
        *doubtful |= fabs(along) < 1e-2 || fabs(growth) < 1e-2;
        break;
      }
      across = (d[0] * f[1] - d[1] * f[0]) * growth;
      *doubtful |= fabs(across) < 1e-6;
      if (i == 0 || (across < 0) == (last < 0)) break;
      at[1] = at[0] - step * across / (across - last);
    }
    last = across;
  }
  return n;
}

static void every_motion_of_two_directions_is_found(void **state) {
  (void)state;
  size_t compared = 0, number[3] = {0};
  for (int trial = 0; trial < 500; trial++) {
    box *b = empty(3);
    double mu = 4 * fabs(random_number());
    bool doubtful;
    random_positive(3, 0.01, b->g);
    for (size_t i = 0; i < 3; i++) b->free[i] = random_number();
    add_side(b, 0, 0);
    hml_rub *f = add_rub(b, 1, 0, coulomb(2, mu));
    size_t expected = motions_by_scan(b->g, b->free, mu, &doubtful);
    hml_frictional_result r = hml_frictional__solve(&b->p);
    if (doubtful) continue;
    // stick by the kernel, checked by the law: where it holds it comes first
    if (f->state == HML_RUB_STICKS) check_laws(b, b->z, 1e-8);
    expected += f->state == HML_RUB_STICKS;
    if (expected > 2) expected = 2;
    assert_true(r.complete);
    assert_int_equal(r.motions, expected);
    compared++;
    number[expected]++;
  }
  assert_true(compared > 250 && number[2] > 10);
}

// Blows with several contacts: never more energy, by whatever way
static void energy_is_never_created(void **state) {
  (void)state;
  size_t found[4] = {0};
  for (int trial = 0; trial < 400; trial++) {
    const size_t contacts = 1 + trial % 3;
    box *b = empty(3 * contacts + 1);
    random_positive(b->p.k, 0.05, b->g);
    for (size_t i = 0; i < b->p.k; i++) b->free[i] = random_number();
    for (size_t i = 0; i < contacts; i++) {
      add_side(b, 3 * i, 0);
      add_rub(b, 3 * i + 1, i, coulomb(2, fabs(random_number())));
    }
    b->demand[0] = (hml_demand){3 * contacts, 0};
    b->p.n_demands = 1;
    b->p.first = true;
    hml_frictional_result r = trial % 2 ? hml_frictional__solve(&b->p) : hml_frictional__settle(&b->p);
    found[r.way]++;
    if (r.way == HML_FRICTIONAL_UNSOLVED) continue;
    check_laws(b, b->z, 1e-8);
    double change = 0;
    for (size_t i = 0; i < b->p.k; i++) change += b->z[i] * (b->free[i] + after(b, b->z, i)) / 2;
    assert_true(change <= 1e-9);
  }
  assert_true(found[HML_FRICTIONAL_UNSOLVED] <= 8);
}

// Two contacts in two directions from rest: slips that turn together are found by the combinations, not by the sweeps behind them
static void slips_that_begin_together_are_found(void **state) {
  (void)state;
  size_t both = 0, enumerated = 0;
  for (int trial = 0; trial < 300; trial++) {
    box *b = empty(6);
    double z[6];
    random_positive(6, 0.1, b->g);
    for (size_t i = 0; i < 6; i++) b->free[i] = random_number() - (i % 3 == 0);
    for (size_t i = 0; i < 2; i++) {
      add_side(b, 3 * i, 0);
      add_rub(b, 3 * i + 1, i, coulomb(2, 0.6 * fabs(random_number())));
    }
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.motions > 0);
    check_laws(b, b->z, 1e-8);
    enumerated += r.way == HML_FRICTIONAL_ENUMERATED;
    both += b->rub[0].state == HML_RUB_SLIPS && b->rub[1].state == HML_RUB_SLIPS;
    if (r.motions > 1) continue;
    memcpy(z, b->z, sizeof z);
    if (hml_frictional__settle(&b->p).way == HML_FRICTIONAL_UNSOLVED) continue;
    for (size_t i = 0; i < 6; i++) assert_near(after(b, b->z, i), after(b, z, i), 1e-6);
  }
  assert_true(both > 60 && enumerated >= 294);
}

// many contacts: combinations are too many
static void twenty_contacts_settle(void **state) {
  (void)state;
  for (int trial = 0; trial < 12; trial++) {
    box *b = empty(60);
    for (size_t i = 0; i < 60; i++)
      for (size_t j = 0; j < 60; j++) b->g[60 * i + j] = (i == j) * 2.0 + (i / 3 == j / 3 + 1 || j / 3 == i / 3 + 1 ? -0.3 : 0);
    for (size_t i = 0; i < 60; i++) b->free[i] = random_number() - (i % 3 == 0) * 0.5;
    for (size_t i = 0; i < 20; i++) {
      add_side(b, 3 * i, 0);
      add_rub(b, 3 * i + 1, i, coulomb(2, 0.4));
    }
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.way == HML_FRICTIONAL_SWEPT || r.way == HML_FRICTIONAL_NEWTON);
    assert_true(r.residual < 1e-13 && !r.complete && r.motions == 1);
    check_laws(b, b->z, 1e-11);
  }
}

// ---- closed solutions
// rod of mass 1, half length 1 at the angle phi, its end slides by -3 on the floor; mu 2. Rows: gap y - sin phi, slip x - cos phi
static box *rod(double omega) {
  const double phi = 1, s = sin(phi), c = cos(phi);
  box *b = empty(2);
  b->g[0] = 1 + 3 * c * c;
  b->g[1] = b->g[2] = -3 * s * c;
  b->g[3] = 1 + 3 * s * s;
  b->free[0] = -10 + s * omega * omega;
  b->free[1] = c * omega * omega;
  b->slip[0] = -3;
  add_side(b, 0, 0);
  add_rub(b, 1, 0, coulomb(1, 2))->slip = b->slip;
  return b;
}

static void painleve(void **state) {
  (void)state;
  box *b = rod(0);
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.way == HML_FRICTIONAL_UNSOLVED && r.complete && r.motions == 0);
  b = rod(4);
  r = hml_frictional__solve(&b->p);
  assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.complete && r.motions == 2);
  assert_near(b->z[0], 4.064645939888752, 1e-13);
  assert_near(b->z[1], 2 * b->z[0], 1e-13);
  assert_true(b->side[0].closed && b->rub[0].state == HML_RUB_SLIPS);
  assert_near(b->other[0], 0, 0);
  // released: only the opening is left
  b->side[0].stays_open = true;
  r = hml_frictional__solve(&b->p);
  assert_true(r.motions == 1 && !b->side[0].closed && b->rub[0].state == HML_RUB_FREE);
}

// particle in a groove: gaps y - x and y + x, frictions along x + y pressed by the first, x - y by the second
static void groove(void **state) {
  (void)state;
  const double rows[4][2] = {{-1, 1}, {1, 1}, {1, 1}, {1, -1}};
  box *b = empty(4);
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 4; j++) b->g[4 * i + j] = dot(2, rows[i], rows[j]);
    b->free[i] = -10 * rows[i][1];
  }
  add_side(b, 0, 0);
  add_side(b, 1, 0);
  add_rub(b, 2, 0, coulomb(1, 0.5));
  add_rub(b, 3, 1, coulomb(1, 0.5));
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.motions == 1 && r.reactions_differ);
  assert_true(b->side[0].undetermined && b->side[1].undetermined && b->rub[0].undetermined && b->rub[1].undetermined);
  assert_true(b->rub[0].state == HML_RUB_STICKS && b->rub[1].state == HML_RUB_STICKS);
  check_laws(b, b->z, 1e-9);
  for (size_t i = 0; i < 4; i++) assert_near(after(b, b->z, i), 0, 1e-12);
  r = hml_frictional__settle(&b->p);
  assert_true(r.residual < 1e-12 && r.reactions_differ && b->side[0].undetermined && b->rub[1].undetermined);
  check_laws(b, b->z, 1e-9);
}

// three legs alone are determined
static void three_legs_carry_what_they_must(void **state) {
  (void)state;
  const double x[3] = {1, -1, 0}, y[3] = {1, 1, -1};
  for (int way = 0; way < 2; way++) {
    box *b = empty(3);
    for (size_t i = 0; i < 3; i++) {
      for (size_t j = 0; j < 3; j++) b->g[3 * i + j] = 1 + 3 * x[i] * x[j] + 3 * y[i] * y[j];
      b->free[i] = -10;
      add_side(b, i, 0);
    }
    hml_frictional_result r = way ? hml_frictional__settle(&b->p) : hml_frictional__solve(&b->p);
    assert_true(r.motions == 1 && !r.reactions_differ);
    for (size_t i = 0; i < 3; i++) {
      assert_near(b->z[i], i < 2 ? 2.5 : 5, 1e-12);
      assert_false(b->side[i].undetermined);
    }
  }
}

// friction in one direction of two: the set is a segment
static void friction_of_a_skate(void **state) {
  (void)state;
  box *b = empty(2);
  b->g[0] = b->g[3] = 1;
  b->free[0] = 2;
  b->free[1] = 3;
  add_rub(b, 0, SIZE_MAX, (hml_friction_law){HML_FRICTION_elliptic, 2, {0.5, 0}, 1})->normal.a = 10;
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.way != HML_FRICTIONAL_UNSOLVED && !r.complete);
  assert_near(after(b, b->z, 0), 0, 1e-13);
  assert_near(after(b, b->z, 1), 3, 1e-13);
}

// a table on four legs: the legs at the corners of a square share its weight
static void four_legs_share_the_weight(void **state) {
  (void)state;
  const double x[4] = {1, -1, -1, 1}, y[4] = {1, 1, -1, -1};
  box *b = empty(4);
  for (size_t i = 0; i < 4; i++) {
    for (size_t j = 0; j < 4; j++) b->g[4 * i + j] = 1 + 3 * x[i] * x[j] + 3 * y[i] * y[j];
    b->free[i] = -10;
    add_side(b, i, 0);
  }
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.motions == 1 && r.reactions_differ);
  for (size_t i = 0; i < 4; i++) {
    assert_near(b->z[i], 2.5, 1e-13);
    assert_true(b->side[i].closed && b->side[i].undetermined);
  }
}

// mass 1 that moves along x alone; wall x + z/2, friction x', pressed by the reaction of z = 0, which shares its cone with that of y' = 0
static box *shared_cone(double m12, double m13, double speed, double e, double mu, double *y, hml_affine *cone) {
  box *b = empty(2);
  for (size_t i = 0; i < 4; i++) b->g[i] = 1;
  b->free[0] = b->free[1] = speed;
  // y: multipliers of z = 0 and of y' = 0 per unit reaction
  y[0] = m13 - 0.5, y[2] = m13;
  y[1] = y[3] = m12;
  *cone = (hml_affine){0, y + 1, 2};
  add_side(b, 0, -e * speed);
  hml_rub *f = add_rub(b, 1, SIZE_MAX, coulomb(1, mu));
  f->normal = (hml_affine){0, y, 2};
  f->n_cone = 1;
  f->cone = cone;
  return b;
}

static void shared_cones(void **state) {
  (void)state;
  double y[4];
  hml_affine cone;
  box *b = shared_cone(0.05, 1. / 3, -2, 0.6, 0.3, y, &cone);
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.way == HML_FRICTIONAL_ENUMERATED && r.residual < 1e-13);
  assert_near(b->z[0], 3.249104859335, 1e-12);
  assert_near(b->z[1], -0.04910485933504, 1e-12);
  assert_near(b->rub[0].pressing, 0.5578857630008, 1e-12);
  assert_near(b->rub[0].shared, 0.16, 1e-12);
  // the other reactions need more than there is
  b = shared_cone(0.2, 1. / 3, -4, 0.5, 0.9, y, &cone);
  r = hml_frictional__solve(&b->p);
  assert_true(r.way != HML_FRICTIONAL_UNSOLVED);
  assert_near(b->z[0], 6, 1e-12);
  assert_near(b->z[1], 0, 1e-12);
  assert_near(b->rub[0].shared, 1.2, 1e-12);
  assert_near(b->rub[0].pressing, 1, 1e-12);
}

// two masses one above the other; slips of the table (lower), between them; drive on the lower one along (0.6, 0.8)
static void stack(void **state) {
  (void)state;
  const double direction[2] = {0.6, 0.8};
  for (int i = 0; i <= 2; i++) {
    const double force = i == 0 ? 4 : i == 1 ? 10 : 18;
    box *b = empty(4);
    for (size_t a = 0; a < 2; a++) {
      b->g[4 * a + a] = 0.5;
      b->g[4 * a + a + 2] = b->g[4 * (a + 2) + a] = -0.5;
      b->g[4 * (a + 2) + a + 2] = 1.5;
      b->free[a] = force / 2 * direction[a];
      b->free[a + 2] = -force / 2 * direction[a];
    }
    add_rub(b, 0, SIZE_MAX, coulomb(2, 0.2))->normal.a = 30;
    add_rub(b, 2, SIZE_MAX, coulomb(2, 0.3))->normal.a = 10;
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_int_equal(r.motions, 1);
    assert_true(r.residual < 1e-13);
    // at rest; together; the lower one slips away
    const double lower = i == 0 ? 0 : i == 1 ? (force - 6) / 3 : (force - 6 - 3) / 2, between = i == 2 ? 3 - lower : 0;
    for (size_t a = 0; a < 2; a++) {
      assert_near(after(b, b->z, a), lower * direction[a], 1e-13);
      assert_near(after(b, b->z, a + 2), between * direction[a], 1e-13);
    }
  }
}

// rolling sphere of mass 1 and radius 1: slip, pivoting and rolling friction pressed by one gap; rows z, vx - wy, vy + wx, wz, wy
static void pivoting_and_rolling(void **state) {
  (void)state;
  box *b = empty(5);
  const double g[25] = {1, 0, 0, 0, 0, 0, 3.5, 0, 0, -2.5, 0, 0, 3.5, 0, 0, 0, 0, 0, 2.5, 0, 0, -2.5, 0, 0, 2.5};
  memcpy(b->g, g, sizeof g);
  b->free[0] = -10;
  b->slip[0] = 2;
  b->slip[1] = 1.4;
  add_side(b, 0, 0);
  add_rub(b, 1, 0, coulomb(2, 0.5));
  add_rub(b, 3, 0, coulomb(1, 0.03))->slip = b->slip;
  add_rub(b, 4, 0, coulomb(1, 0.02))->slip = b->slip + 1;
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(r.motions == 1 && r.complete && b->rub[0].state == HML_RUB_STICKS);
  assert_near(after(b, b->z, 3), -0.75, 1e-14);                          // 2/5 w' = -mu_p N
  assert_near(after(b, b->z, 4), -1. / 7, 1e-14);                        // 7/5 v' = -mu_r N, v = w
  assert_near(after(b, b->z, 1), 0, 1e-14);
}

// between kinetic and static friction rest stays, and is no second motion beside slip; once broken, it slips
static void static_friction_holds(void **state) {
  (void)state;
  box *b = empty(2);
  b->g[0] = b->g[3] = 1;
  b->free[0] = 4.5;
  hml_rub *f = add_rub(b, 0, SIZE_MAX, coulomb(2, 0.4));
  f->normal.a = 10;
  f->rest.coefficient[0] = 0.5;
  hml_frictional_result r = hml_frictional__solve(&b->p);
  assert_true(f->state == HML_RUB_STICKS && r.motions == 1);
  f->may_not_stick = true;
  r = hml_frictional__solve(&b->p);
  assert_true(f->state == HML_RUB_SLIPS && r.motions == 1);
  assert_near(b->z[0], -4, 1e-14);
}

// frictions without room, rows that nothing moves, no rows at all
static void nothing_divides_by_zero(void **state) {
  (void)state;
  box *b = empty(0);
  assert_true(hml_frictional__solve(&b->p).motions == 1);
  for (int i = 0; i < 3; i++) {
    b = empty(4);
    b->g[0] = b->g[5] = 1;
    b->free[0] = i == 0 ? 1 : -1;
    b->free[1] = 2;
    add_side(b, 0, 0);
    add_rub(b, 1, 0, coulomb(2, i == 1 ? 0 : 0.5));                      // its second row is idle
    add_side(b, 3, 0);                                                   // idle and at rest
    hml_frictional_result r = hml_frictional__solve(&b->p);
    assert_true(r.motions == 1 && r.residual < 1e-13);
    assert_near(b->z[1], i < 2 ? 0 : -0.5, 1e-15);
    r = hml_frictional__settle(&b->p);
    assert_true(r.motions == 1 && r.residual < 1e-13);
    assert_near(b->z[1], i < 2 ? 0 : -0.5, 1e-15);
  }
}

// the answer does not depend on the units of rows: accelerations times f, forces over f
static void units_do_not_matter(void **state) {
  (void)state;
  for (int trial = 0; trial < 600; trial++) {
    const double factors[] = {1e6, 1e-6, 1e-3}, unit = factors[trial % 3], units[] = {trial % 2 ? 1 : 1e4, unit, unit}, mu = 0.5;
    double z[3] = {0}, g[9], free[3];
    random_positive(3, 0.1, g);
    for (size_t i = 0; i < 3; i++) free[i] = random_number();
    for (int pass = 0; pass < 2; pass++) {
      box *b = empty(3);
      for (size_t i = 0; i < 3; i++) {
        b->free[i] = free[i] * (pass ? units[i] : 1);
        for (size_t j = 0; j < 3; j++) b->g[3 * i + j] = g[3 * i + j] * (pass ? units[i] * units[j] : 1);
      }
      b->p.unheld = true;
      add_side(b, 0, 0);
      add_rub(b, 1, 0, coulomb(2, pass ? mu * units[0] / unit : mu));
      hml_frictional_result r = hml_frictional__solve(&b->p);
      assert_true(r.motions == 1 && r.residual < 1e-12);
      for (size_t i = 0; i < 3; i++) {
        if (pass == 0) z[i] = b->z[i];
        else assert_near(b->z[i] * units[i], z[i], 1e-11 * (1 + fabs(z[i])));
      }
    }
  }
}

// what is not a number is never a solution
static void not_a_number_is_refused(void **state) {
  (void)state;
  for (size_t i = 0; i < 3; i++) {
    box *b = empty(3);
    random_positive(3, 0.1, b->g);
    b->free[0] = -1;
    b->free[i] = NAN;
    add_side(b, 0, 0);
    add_rub(b, 1, 0, coulomb(2, 0.4));
    assert_true(hml_frictional__solve(&b->p).way == HML_FRICTIONAL_UNSOLVED);
    assert_true(hml_frictional__settle(&b->p).way == HML_FRICTIONAL_UNSOLVED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sides_without_friction_have_one_motion),
      cmocka_unit_test(given_pressing_force_leaves_one_motion),
      cmocka_unit_test(one_block_against_enumeration),
      cmocka_unit_test(every_motion_of_one_direction_is_found),
      cmocka_unit_test(every_motion_beside_a_slip_is_found),
      cmocka_unit_test(every_motion_of_two_directions_is_found),
      cmocka_unit_test(energy_is_never_created),
      cmocka_unit_test(slips_that_begin_together_are_found),
      cmocka_unit_test(twenty_contacts_settle),
      cmocka_unit_test(painleve),
      cmocka_unit_test(groove),
      cmocka_unit_test(four_legs_share_the_weight),
      cmocka_unit_test(three_legs_carry_what_they_must),
      cmocka_unit_test(friction_of_a_skate),
      cmocka_unit_test(shared_cones),
      cmocka_unit_test(stack),
      cmocka_unit_test(pivoting_and_rolling),
      cmocka_unit_test(static_friction_holds),
      cmocka_unit_test(nothing_divides_by_zero),
      cmocka_unit_test(units_do_not_matter),
      cmocka_unit_test(not_a_number_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
