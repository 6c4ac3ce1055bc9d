// shape.c: what a description of contacts must bring, its names and sizes, and memory that runs out at any place.
#include "bodies.h"

static void names_and_sizes_are_those_declared(void **state) {
  (void)state;
  body b = puck;
  b.wall[1] = (wall){.gap = "side: 3 - x", .rough = {"y'", "z'"}, .held = {"y' + z'"}};
  b.wall[2] = (wall){.gap = "limit: 5 - x'", .level = 1};
  contact_test t;
  touch(&t, &b);
  hml_contact_sizes n = hml_contact_shape__sizes(t.shape);
  assert_int_equal(n.gaps, 3);
  assert_int_equal(n.slips, 2);
  assert_int_equal(n.tangents, 3);
  assert_int_equal(n.frictions, 1);
  assert_int_equal(n.rows, 8);
  assert_string_equal(hml_contact_shape__gap_name(t.shape, 1), "side");
  assert_string_equal(hml_contact_shape__friction_name(t.shape, 0), "rub");
  // rows stand in the order gaps, slips, tangents
  assert_int_equal(t.shape->frictions[0].row, 3);
  assert_int_equal(t.shape->gaps[1].rough, 5);
  assert_int_equal(t.shape->gaps[1].held, 7);
  assert_true(t.shape->gaps[2].bounds_velocity && !t.shape->gaps[0].bounds_velocity);
  release(&t);
}

static void law_of(const char *law, size_t n_more, const char *second, const char *radius, hml_friction_kind kind) {
  body b = puck;
  b.rub[0] = (rub){.slip = "rub: x'", .coefficient = "mu", .law = law, .second = second, .radius = radius, .kind = HML_PRESSED_BY_GAP};
  if (n_more > 0) b.rub[0].more[0] = "y'";
  if (n_more > 1) b.rub[0].more[1] = "z'";
  contact_test t;
  touch(&t, &b);
  assert_int_equal(t.shape->frictions[0].law, kind);
  assert_int_equal(t.shape->frictions[0].count, 1 + n_more);
  assert_int_equal(t.shape->frictions[0].spins, radius != NULL);
  release(&t);
}

static void laws_are_found_by_their_names(void **state) {
  (void)state;
  law_of(NULL, 0, NULL, NULL, HML_FRICTION_coulomb);
  law_of("coulomb", 1, NULL, NULL, HML_FRICTION_coulomb);
  law_of("elliptic", 1, "2*mu", NULL, HML_FRICTION_elliptic);
  law_of("hertz", 1, NULL, "1/10", HML_FRICTION_hertz);
  law_of("uniform", 2, NULL, "1/10", HML_FRICTION_uniform);
}

// ---- descriptions with something wrong
static void no_gap(contact_sheet *s) { s->gap[0].gap = NULL; }
static void no_name(contact_sheet *s) { s->gap[0].name = NULL; }
static void rough_rows_that_are_none(contact_sheet *s) { s->gap[0].n_rough = 1; }
static void a_bound_on_what(contact_sheet *s) { s->gap[0].level = 2; }
static void an_unknown_law(contact_sheet *s) { s->friction[0].law = "amontons"; }
static void no_coefficient(contact_sheet *s) { s->friction[0].coefficient[0] = NULL; }
static void half_an_ellipse(contact_sheet *s) { s->friction[0].law = "elliptic"; }
static void too_many_slips(contact_sheet *s) { s->friction[0].count = 3; }
static void an_unknown_gap(contact_sheet *s) { s->friction[0].index = 1; }
static void no_normal(contact_sheet *s) { s->friction[0].kind = HML_PRESSED_BY_EXPRESSION; }
static void an_unknown_multiplier(contact_sheet *s) { s->friction[0].kind = HML_PRESSED_BY_MULTIPLIER; }

static const size_t first_multiplier[] = {0};
static void a_cone_without_multiplier(contact_sheet *s) {
  s->friction[0].n_cone = 1;
  s->friction[0].cone = first_multiplier;
}

static void a_spot_without_spin(contact_sheet *s) {
  s->friction[0].law = "hertz";
  s->friction[0].count = 1;
}

static void an_ellipse_in_three_directions(contact_sheet *s) {
  hml_friction_spec *f = s->friction;
  f->law = "elliptic";
  f->coefficient[1] = f->static_coefficient[1] = f->radius = f->coefficient[0];
  f->count = s->spec.n_slips = 3;
}

static void no_row(contact_sheet *s) { s->r.row[0] = NULL; }

static void refuse(void (*spoil)(contact_sheet *), const char *text) {
  mechanics m = build(&puck.system);
  contact_sheet s;
  hml_contact_shape *shape;
  fill_contacts(m.c, &puck, &s);
  spoil(&s);
  assert_int_equal(hml_contact_shape__new(m.c, m.model, &s.symbols, &s.spec, &shape), HML_ARGUMENT);
  assert_null(shape);
  assert_message(m.c, HML_ARGUMENT, text);
  demolish(&m);
}

static void incomplete_descriptions_are_refused(void **state) {
  (void)state;
  void (*const gaps[])(contact_sheet *) = {no_gap, no_name, rough_rows_that_are_none, a_bound_on_what};
  void (*const frictions[])(contact_sheet *) = {an_unknown_law, no_coefficient, half_an_ellipse, too_many_slips, an_unknown_gap,
                                                no_normal, an_unknown_multiplier, a_cone_without_multiplier,
                                                a_spot_without_spin, an_ellipse_in_three_directions};
  for (size_t i = 0; i < sizeof gaps / sizeof *gaps; i++) refuse(gaps[i], "model 'test': gap 1 is not complete");
  for (size_t i = 0; i < sizeof frictions / sizeof *frictions; i++) refuse(frictions[i], "model 'test': friction 1 is not complete");
  refuse(no_row, "an expression of its contacts is missing");
}

// Every allocation fails once: nothing is lost and the failure has its status
static void memory_may_run_out_anywhere(void **state) {
  (void)state;
  ration r = {.left = UNLIMITED};
  mechanics m = {.c = hml_context_new(rationed, &r)};
  contact_sheet s;
  assert_ok(m.c, lagrange_model(m.c, &puck.system, &m.model));
  assert_ok(m.c, hml_workspace_new(m.c, m.model, &m.w));
  fill_contacts(m.c, &puck, &s);
  long before = r.blocks, failures = 0;
  for (hml_status status = HML_MEMORY; status != HML_OK; failures++) {
    hml_contact_shape *shape = NULL;
    hml_contacts *c = NULL;
    r.left = failures;
    status = hml_contact_shape__new(m.c, m.model, &s.symbols, &s.spec, &shape);
    if (status == HML_OK) status = hml_contacts__new(m.w, shape, &c);
    r.left = UNLIMITED;
    hml_contacts__free(c);
    hml_contact_shape__free(shape);
    assert_true(status == HML_OK || status == HML_MEMORY);
    hml_context_clear_error(m.c);
  }
  assert_true(failures > 5);
  assert_true(r.blocks <= before + 2);                                   // tables of the context may have grown
  demolish(&m);
  assert_int_equal(r.bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(names_and_sizes_are_those_declared),
      cmocka_unit_test(laws_are_found_by_their_names),
      cmocka_unit_test(incomplete_descriptions_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
