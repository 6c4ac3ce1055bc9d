// cone.c: who presses a friction, and what the reactions that share its cone leave, by hand.
#include "bodies.h"

// A bead held on the plane z = 0 by a two-sided constraint, and against y' = 0 by another that shares the cone
static const body bead = {.system = {.coordinates = "x y z", .parameters = "m g side", .values = {2, 10, 3}, .kinetic = "m/2*(x'^2 + y'^2 + z'^2)",
                                     .potential = "m*g*z", .forces = {NULL, "side", NULL}, .holonomic = {"plane: z"}, .nonholonomic = {"rail: y'"}},
                          .wall = {{.gap = "wall: x + z/2"}},
                          .rub = {{.slip = "held: x'", .coefficient = "1/2", .kind = HML_PRESSED_BY_MULTIPLIER, .index = 0, .n_cone = 1, .cone = {1}},
                                  {.slip = "given: y'", .coefficient = "1/2", .kind = HML_PRESSED_BY_EXPRESSION, .normal = "4 - x"},
                                  {.slip = "walled: z'", .coefficient = "1/2", .kind = HML_PRESSED_BY_GAP, .index = 0}}};

static void open_bead(contact_test *t, double x) {
  touch(t, &bead);
  place(t, (double[]){x, 0, 0, 0, 0, 0});
  hml_contact__activate(t->c, 0);
  assert_ok(t->m.c, hml_contact__prepare(t->c, true));
}

// arbiter: by hand; the plane carries the weight m g = 20 less half the reaction of the wall, which pulls along z, too
static void a_constraint_presses_by_the_size_of_its_multiplier(void **state) {
  (void)state;
  contact_test t;
  open_bead(&t, 0);
  const double *free = hml_workspace__multipliers(t.m.w), none[] = {0}, some[] = {6}, much[] = {100};
  assert_near(hml_contact__pressing(t.c, 0, 1, free, none), 20, 1e-13);
  assert_near(hml_contact__pressing(t.c, 0, 1, free, some), 17, 1e-13);
  assert_near(hml_contact__multiplier(t.c, free, much, 0), 20 - 50, 1e-13);
  assert_near(hml_contact__pressing(t.c, 0, 1, free, much), 30, 1e-13);
  // over an instant weights have no impulse
  assert_near(hml_contact__pressing(t.c, 0, 0, NULL, some), 3, 1e-13);
  release(&t);
}

static void an_expression_presses_for_a_time_and_never_pulls(void **state) {
  (void)state;
  const double none[] = {0};
  for (int k = 0; k < 2; k++) {
    contact_test t;
    open_bead(&t, k ? 7 : 1);                                            // normal forces 3 and -3
    assert_near(hml_contact__pressing(t.c, 1, 1, NULL, none), k ? 0 : 3, 1e-15);
    assert_near(hml_contact__pressing(t.c, 1, 0.25, NULL, none), k ? 0 : 0.75, 1e-15);
    assert_near(hml_contact__pressing(t.c, 1, 0, NULL, none), 0, 0);
    release(&t);
  }
}

static void a_gap_presses_with_its_reaction(void **state) {
  (void)state;
  contact_test t;
  open_bead(&t, 0);
  assert_near(hml_contact__pressing(t.c, 2, 1, NULL, (double[]){6}), 6, 0);
  t.c->n_active = 0;
  assert_ok(t.m.c, hml_contact__prepare(t.c, true));
  assert_near(hml_contact__pressing(t.c, 2, 1, NULL, (double[]){6}), 0, 0);   // not closed
  release(&t);
}

static void a_shared_cone_counts_squares(void **state) {
  (void)state;
  contact_test t;
  open_bead(&t, 0);
  const double none[] = {0};
  assert_near(hml_contact__shared(t.c, 0, hml_workspace__multipliers(t.m.w), none), 9, 1e-12);
  assert_near(hml_contact__shared(t.c, 0, NULL, none), 0, 0);
  assert_near(hml_contact__shared(t.c, 1, hml_workspace__multipliers(t.m.w), none), 0, 0);
  release(&t);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_constraint_presses_by_the_size_of_its_multiplier),
      cmocka_unit_test(an_expression_presses_for_a_time_and_never_pulls),
      cmocka_unit_test(a_gap_presses_with_its_reaction),
      cmocka_unit_test(a_shared_cone_counts_squares),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
