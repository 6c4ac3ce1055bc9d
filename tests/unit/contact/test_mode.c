// mode.c: which contacts persist and which frictions stick, by hand; jams and several motions by Painleve's rod.
#include "bodies.h"

static const bool all[GAPS] = {true, true, true, true};

static hml_status select_at(contact_test *t, const double *x) {
  place(t, x);
  return hml_contact__select(t->c, all, NULL, NULL);
}

// arbiter: tan tilt against the static coefficient 0.4
static void the_block_holds_up_to_its_angle_of_friction(void **state) {
  (void)state;
  const double angle = atan(0.4);
  for (int k = -1; k <= 1; k += 2) {
    body b = block;
    b.system.values[2] = angle + 1e-9 * k;
    contact_test t;
    touch(&t, &b);
    assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0}));
    assert_true(hml_contacts__is_closed(t.c, 0));
    assert_int_equal(hml_contacts__friction(t.c, 0), k < 0 ? HML_STICK : HML_SLIP);
    if (k > 0) assert_near(t.c->direction[0], 1, 1e-15);
    release(&t);
  }
}

static void a_slip_that_moves_does_not_stick(void **state) {
  (void)state;
  body b = block;
  b.system.values[2] = 0.1;
  contact_test t;
  touch(&t, &b);
  assert_ok(t.m.c, select_at(&t, (double[]){0, 0, -1e-3, 0}));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
  assert_near(t.c->direction[0], -1, 1e-15);
  release(&t);
}

// arbiter: the puck at rest on a rough table under the push p: it holds up to |p| = mu g = 4, beyond it begins to slip along p
static void a_puck_slips_along_the_push(void **state) {
  (void)state;
  for (int k = -1; k <= 1; k += 2) {
    body b = puck;
    double p = 4 * (1 + 1e-8 * k);
    b.system.values[2] = 0.6 * p;
    b.system.values[3] = -0.8 * p;
    contact_test t;
    touch(&t, &b);
    assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0, 0, 0}));
    assert_int_equal(hml_contacts__friction(t.c, 0), k < 0 ? HML_STICK : HML_SLIP);
    if (k > 0) {
      assert_near(t.c->direction[0], 0.6, 1e-9);
      assert_near(t.c->direction[1], -0.8, 1e-9);
    }
    release(&t);
  }
}

static void a_pull_opens_the_gap(void **state) {
  (void)state;
  for (int k = -1; k <= 1; k += 2) {
    body b = ball;
    b.system.values[5] = 20 * (1 + 1e-9 * k);
    contact_test t;
    touch(&t, &b);
    assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0}));
    assert_int_equal(hml_contacts__is_closed(t.c, 0), k < 0);
    release(&t);
  }
}

// arbiter: G_nn + 3 mu G_nt < 0 at phi = 0.9: with w = 0 neither contact nor release is possible
static void painleves_rod_jams(void **state) {
  (void)state;
  contact_test t;
  touch(&t, &rod);
  assert_int_equal(select_at(&t, (double[]){0, sin(0.9), 0.9, -5, 0, 0}), HML_NO_CONTACT_MODE);
  assert_message(t.m.c, HML_NO_CONTACT_MODE, "'end' jams with friction 'rub' (Painleve)");
  release(&t);
}

// arbiter: with sin(phi) w^2 > g release is possible, and contact as well, since the reaction of either sign of growth is positive
static void painleves_rod_has_two_motions(void **state) {
  (void)state;
  const double phi = 0.9, w = 5, x[] = {0, sin(phi), phi, -5 - sin(phi) * w, cos(phi) * w, w};
  contact_test t;
  touch(&t, &rod);
  assert_ok(t.m.c, select_at(&t, x));
  assert_int_equal(t.heard.notes, 1);
  check_contains(t.heard.note, "two motions are possible at t = 0 ('end' closed, 'rub' sliding; 'end' open)");
  assert_true(hml_contacts__is_closed(t.c, 0));
  hml_contacts__begin_run(t.c, &t.witness, 1, 1e-9, true);
  assert_int_equal(select_at(&t, x), HML_NO_UNIQUE_MOTION);
  assert_message(t.m.c, HML_NO_UNIQUE_MOTION, "two motions are possible");
  release(&t);
}

// arbiter: a beam on three supports: the motion is determined, the reactions are not; those of least norm: equal
static void a_beam_on_three_supports(void **state) {
  (void)state;
  const body beam = {.system = {.coordinates = "y phi", .kinetic = "y'^2/2 + phi'^2/6", .potential = "9*y"},
                     .wall = {{.gap = "left: y - phi"}, {.gap = "middle: y"}, {.gap = "right: y + phi"}}};
  contact_test t;
  double a[2], z[3];
  touch(&t, &beam);
  assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0}));
  for (size_t i = 0; i < 3; i++) assert_true(hml_contacts__is_closed(t.c, i));
  check_contains(t.heard.note, "the reactions at 'left', 'middle' and 'right' are not determined by the model");
  assert_ok(t.m.c, hml_contacts__solution(t.c, a, NULL, z));
  assert_near(a[0], 0, 1e-13);
  assert_near(a[1], 0, 1e-13);
  assert_near(z[0] + z[1] + z[2], 9, 1e-12);
  for (int i = 0; i < 3; i++) assert_near(z[i], 3, 1e-12);
  release(&t);
}

// arbiter: where the lift is the weight both modes hold, and the one that leaves opens; where it cannot leave it stays
static void what_leaves_opens_where_it_can(void **state) {
  (void)state;
  const bool gap[] = {true, false}, friction[] = {false, true}, none[] = {false};
  body b = ball;
  b.system.values[3] = 0.5;
  for (int floats = 0; floats < 2; floats++) {
    contact_test t;
    b.system.values[5] = floats ? 20 : 0;
    touch(&t, &b);
    assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0}));
    assert_true(hml_contacts__is_closed(t.c, 0));
    assert_ok(t.m.c, hml_contact__select(t.c, all, gap, gap));
    assert_int_equal(hml_contacts__is_closed(t.c, 0), !floats);
    if (!floats) {
      assert_ok(t.m.c, hml_contact__select(t.c, all, friction, friction));
      assert_int_equal(hml_contacts__friction(t.c, 0), HML_STICK);
    }
    assert_ok(t.m.c, hml_contact__select(t.c, none, NULL, NULL));        // what does not touch is open
    assert_false(hml_contacts__is_closed(t.c, 0));
    assert_int_equal(hml_contacts__friction(t.c, 0), HML_FREE);
    release(&t);
  }
}

// arbiter: a wind of mu m g = 8 is held to rounding; a stick that has to end begins to slip along it
static void a_stick_at_its_limit_leaves(void **state) {
  (void)state;
  const bool leave[] = {false, true};
  body b = ball;
  b.system.values[3] = 0.4;
  b.system.values[4] = 8 * (1 + 1e-12);
  contact_test t;
  touch(&t, &b);
  assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0}));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_STICK);
  assert_ok(t.m.c, hml_contact__select(t.c, all, leave, leave));
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
  assert_near(t.c->direction[0], 1, 0);
  release(&t);
}

static void a_kept_mode_comes_back(void **state) {
  (void)state;
  body b = puck;
  b.system.values[2] = 5;
  contact_test t;
  hml_arena memory;
  hml_kept_mode *kept;
  double before[3], after[3];
  touch(&t, &b);
  hml_arena_init(&memory, t.m.c);
  assert_ok(t.m.c, select_at(&t, (double[]){0, 0, 0, 0, 0, 0}));
  assert_ok(t.m.c, hml_contacts__keep(t.c, &memory, &kept));
  assert_ok(t.m.c, hml_contacts__solution(t.c, before, NULL, NULL));
  assert_near(before[0], 1, 1e-13);
  assert_ok(t.m.c, hml_contact__select(t.c, (bool[]){false}, NULL, NULL));
  assert_ok(t.m.c, hml_contacts__solution(t.c, after, NULL, NULL));
  assert_near(after[2], -10, 1e-14);
  hml_contacts__use(t.c, kept);
  assert_int_equal(hml_contacts__friction(t.c, 0), HML_SLIP);
  assert_ok(t.m.c, hml_contacts__solution(t.c, after, NULL, NULL));
  assert_memory_equal(after, before, sizeof after);
  hml_arena_free(&memory);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_block_holds_up_to_its_angle_of_friction),
      cmocka_unit_test(a_slip_that_moves_does_not_stick),
      cmocka_unit_test(a_puck_slips_along_the_push),
      cmocka_unit_test(a_pull_opens_the_gap),
      cmocka_unit_test(painleves_rod_jams),
      cmocka_unit_test(painleves_rod_has_two_motions),
      cmocka_unit_test(a_beam_on_three_supports),
      cmocka_unit_test(what_leaves_opens_where_it_can),
      cmocka_unit_test(a_stick_at_its_limit_leaves),
      cmocka_unit_test(a_kept_mode_comes_back),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
