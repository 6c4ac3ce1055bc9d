// branch.c, and the pieces of tables in expr/tabled.c: sides of corners follow from states, or are held.
#include "lagrange.h"

typedef struct corner_model {
  hml_context *c;
  hml_model *model;
  hml_workspace *w;
} corner_model;

// x'' = m sign(x) + u(t): parameters m, then those of both branches
static corner_model cornered(double table) {
  corner_model m = {.c = hml_context_new(NULL, NULL)};
  hml_context *c = m.c;
  hml_expr t = hml_symbol(c, "t", HML_TIME, 0), x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_symbol(c, "x", HML_DYNAMIC, 1), p[11];
  static const char *const names[] = {"m", "s", "above", "below", "low", "high", "left", "c0", "c1", "c2", "c3"};
  for (size_t i = 0; i < 11; i++) p[i] = hml_symbol(c, names[i], HML_EXTERNAL, 0);
  hml_expr w = hml_add(c, t, hml_mul(c, hml_integer(c, -1), p[6])), cubic = p[10], from = hml_mul(c, hml_integer(c, -1), p[4]);
  for (size_t i = 10; i-- > 7;) cubic = hml_add(c, p[i], hml_mul(c, w, cubic));
  const hml_branch_spec branches[] = {
      {.text = "x", .held = 1, .argument = x, .guard = x},
      {.text = "t", .table = table, .held = 4, .argument = t,
       .guard = hml_mul(c, hml_add(c, t, from), hml_add(c, p[5], hml_mul(c, hml_integer(c, -1), t)))}};
  const double values[11] = {3, 1, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  hml_expr r = hml_add(c, hml_mul(c, p[0], p[1]), cubic), one = hml_integer(c, 1);
  hml_model_spec s = {.name = "cornered", .n_kin = 1, .n_dyn = 1, .n_parameters = 11, .time = t, .kin = &x, .dyn = &v, .parameters = p, .parameter_values = values,
                      .dyn_names = (const char *const[]){"x"}, .k = &v, .mass = &one, .r = &r, .n_branches = 2, .branches = branches};
  assert_ok(c, hml_model_new(c, &s, &m.model));
  assert_ok(c, hml_workspace_new(c, m.model, &m.w));
  return m;
}

static void demolish_corners(corner_model *m) {
  hml_workspace_free(m->w);
  hml_model_free(m->model);
  hml_context_free(m->c);
}

static const double points[] = {0, 1, 2.5, 3, 5}, heights[] = {0, 2, -1, 1, 0};

static double table_of(hml_context *c, const char *kind) {
  double id;
  assert_ok(c, hml_data_new(c, "course", kind, 5, points, heights, &id));
  return id;
}

// arbiter: the table itself
static void pieces_of_tables_are_their_curves(void **state) {
  (void)state;
  static const char *const kinds[] = {"linear", "cubic", "akima", "steffen"};
  hml_context *c = hml_context_new(NULL, NULL);
  for (size_t k = 0; k < 4; k++) {
    double id = table_of(c, kinds[k]), piece[7];
    for (double x = 0.01; x < 5; x += 0.07) {
      assert_true(hml_tabled__piece(id, x, 0, piece));
      assert_true(piece[0] <= x && x <= piece[1]);
      double w = x - piece[2];
      assert_near(piece[3] + w * (piece[4] + w * (piece[5] + w * piece[6])), hml_tabled(id, x, 0), 1e-13);
      assert_near(piece[4] + w * (2 * piece[5] + w * 3 * piece[6]), hml_tabled(id, x, 1), 1e-12);
    }
    assert_true(hml_tabled__piece(id, 2.5, 1, piece) && piece[0] == 2.5);
    assert_true(hml_tabled__piece(id, 2.5, -1, piece) && piece[1] == 2.5);
    assert_true(hml_tabled__piece(id, 5, -1, piece) && piece[1] == 5);
    assert_false(hml_tabled__piece(id, 5, 1, piece) || hml_tabled__piece(id, 0, -1, piece) || hml_tabled__piece(id, 5.1, 0, piece));
  }
  hml_context_free(c);
}

static double acceleration(corner_model *m, double t, double x) {
  double a;
  assert_ok(m->c, hml_workspace_set_state(m->w, t, (double[]){x, 0}));
  assert_ok(m->c, hml_acceleration(m->w, &a));
  return a;
}

static void sides_follow_from_states(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  corner_model m = cornered(table_of(c, "linear"));
  assert_near(acceleration(&m, 0.5, 2), 3 + 1, 1e-15);
  assert_near(acceleration(&m, 1.75, -2), -3 + 0.5, 1e-15);
  assert_near(acceleration(&m, 0, 0), 0, 1e-15);
  double rate[2];
  assert_ok(m.c, hml_workspace__rate(m.w, 4, (double[]){-1, 7}, rate));
  assert_near(rate[1], -3 + 0.5, 1e-15);
  assert_int_equal(hml_workspace_set_state(m.w, 5.5, (double[]){1, 0}), HML_NOT_FINITE);
  assert_message(m.c, HML_NOT_FINITE, "course(t) is not a number from t = 5.5 on; the points of the data reach from 0 to 5");
  demolish_corners(&m);
  hml_context_free(c);
}

static void held_sides_stay(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  corner_model m = cornered(table_of(c, "linear"));
  assert_near(acceleration(&m, 0.5, 2), 4, 1e-15);
  hml_workspace__hold(m.w, true);
  assert_near(acceleration(&m, 1.5, -2), 3 + 3, 1e-15);                    // both go on as they were
  assert_ok(m.c, hml_workspace__take_side(m.w, 0, -1, 0));
  assert_ok(m.c, hml_workspace__take_side(m.w, 1, 1, 1));
  assert_near(acceleration(&m, 1.5, -2), -3 + 1, 1e-15);
  assert_ok(m.c, hml_workspace_set_parameters(m.w, (double[]){5}));       // those of the branches are not among them
  assert_near(acceleration(&m, 1.5, 2), -5 + 1, 1e-15);
  hml_workspace__hold(m.w, false);
  assert_near(acceleration(&m, 1.5, 2), 5 + 1, 1e-15);
  demolish_corners(&m);
  hml_context_free(c);
}

static double acceleration_with(corner_model *m, double t, double x, double v) {
  double a;
  assert_ok(m->c, hml_workspace_set_state(m->w, t, (double[]){x, v}));
  assert_ok(m->c, hml_acceleration(m->w, &a));
  return a;
}

// On x = 0 and on the point t = 1 of the table 0, 2, -1 at 0, 1, 2.5, whose value is 2 on both sides
static void sides_lie_ahead(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  corner_model m = cornered(table_of(c, "linear"));
  assert_int_equal(hml_workspace__head(m.w, 1), 0);
  assert_near(acceleration_with(&m, 0.5, 0, 2), 3 + 1, 1e-15);
  assert_near(acceleration_with(&m, 0.5, 0, -2), -3 + 1, 1e-15);
  assert_near(acceleration_with(&m, 0.5, 0, 0), 1, 1e-15);                 // at rest its velocity shows no side
  assert_near(acceleration_with(&m, 0.5, 1e-9, -2), 3 + 1, 1e-15);         // more than rounding
  assert_near(acceleration_with(&m, 1, 1, 0), 3 + 2, 1e-15);
  assert_true(hml_workspace__held(m.w, 1)[0] == 1);
  assert_int_equal(hml_workspace__head(m.w, -1), 1);
  assert_near(acceleration_with(&m, 0.5, 0, 2), -3 + 1, 1e-15);
  assert_near(acceleration_with(&m, 1, 1, 0), 3 + 2, 1e-15);
  assert_true(hml_workspace__held(m.w, 1)[1] == 1);
  assert_near(acceleration_with(&m, 0, 1, 0), 3, 1e-15);                   // nothing lies before the first point
  assert_int_equal(hml_workspace__head(m.w, 0), -1);
  assert_near(acceleration_with(&m, 0.5, 0, 2), 1, 1e-15);
  demolish_corners(&m);
  hml_context_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pieces_of_tables_are_their_curves),
      cmocka_unit_test(sides_follow_from_states),
      cmocka_unit_test(held_sides_stay),
      cmocka_unit_test(sides_lie_ahead),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
