// tests src/mechanics/impulse.c. A particle (x, y) with L = (x'^2 + y'^2)/2 + s(x) (g x' + f y' - e), s = step(x): momenta (x' + s g, y' + s f) and the
// energy (x'^2 + y'^2)/2 + s e. A row of reactions holds y. Arbiter: the conditions by hand
#include "lagrange.h"

enum { VALUES = 4, G = 0, F = 1, E = 2 };

typedef struct particle {
  hml_context *c;
  hml_model *model;
  hml_workspace *w;
  double room[400];
} particle;

// e, f, g: what jumps; held: does a reaction hold y?
static particle put_up(double g, double f, double e, bool held) {
  particle p = {.c = hml_context_new(NULL, NULL)};
  hml_context *c = p.c;
  hml_expr t = hml_symbol(c, "t", HML_TIME, 0), q[2], v[2], k[6], zero = hml_integer(c, 0), one = hml_integer(c, 1);
  static const char *const names[] = {"x", "y"}, *const parameters[] = {"g", "f", "e", "s", "above", "below"};
  for (size_t i = 0; i < 2; i++) q[i] = hml_symbol(c, names[i], HML_DYNAMIC, 0), v[i] = hml_symbol(c, names[i], HML_DYNAMIC, 1);
  for (size_t i = 0; i < 6; i++) k[i] = hml_symbol(c, parameters[i], HML_EXTERNAL, 0);
  hml_expr half = hml_rational(c, 1, 2), above = k[4], square = hml_add(c, hml_mul(c, v[0], v[0]), hml_mul(c, v[1], v[1]));
  const hml_expr values[VALUES] = {hml_add(c, v[0], hml_mul(c, above, k[G])), hml_add(c, v[1], hml_mul(c, above, k[F])),
                                   hml_add(c, hml_mul(c, half, square), hml_mul(c, above, k[E])), hml_mul(c, v[1], above)};
  const hml_expr reactions[3] = {zero, one, v[1]}, normals[3] = {one, zero, zero}, mass[4] = {one, zero, zero, one}, r[2] = {zero, zero};
  const hml_branch_spec branch = {.text = "x", .held = 3, .argument = q[0], .guard = q[0]};
  const hml_impulse_spec impulse = {.n = held ? 3 : VALUES, .n_free = 3, .n_reactions = held, .values = values, .reactions = reactions, .normals = normals,
                                    .texts = (const char *const[]){"px", "py", "energy", "residual"}};
  const double numbers[6] = {g, f, e, 1, 1, 0};
  hml_model_spec s = {.name = "particle", .n_kin = 2, .n_dyn = 2, .n_parameters = 6, .time = t, .kin = q, .dyn = v, .parameters = k, .parameter_values = numbers,
                      .dyn_names = names, .k = v, .mass = mass, .r = r, .n_branches = 1, .branches = &branch, .impulse = &impulse};
  assert_ok(c, hml_model_new(c, &s, &p.model));
  assert_ok(c, hml_workspace_new(c, p.model, &p.w));
  assert_true(hml_model__impulse_room(p.model) < sizeof p.room / sizeof *p.room);
  return p;
}

static void take_down(particle *p) {
  hml_workspace_free(p->w);
  hml_model_free(p->model);
  hml_context_free(p->c);
}

static size_t found(particle *p, const double *y, bool changed) {
  double before[VALUES], after[VALUES], errors[4] = {1e-10, 1e-10, 1e-10, 1e-10};
  size_t which;
  hml_workspace__hold(p->w, true);
  assert_ok(p->c, hml_workspace__take_side(p->w, 0, -1, 0));
  hml_workspace__impulse_values(p->w, 0, y, NULL, before, p->room);
  assert_ok(p->c, hml_workspace__take_side(p->w, 0, 1, 0));
  hml_workspace__impulse_values(p->w, 0, y, before, after, p->room);
  assert_ok(p->c, hml_workspace__find_impulse(p->w, 0, y, errors, before, after, NULL, &changed, p->room, &which));
  return which;
}

static size_t jump(double g, double f, double e, bool held, const double *y, bool changed) {
  particle p = put_up(g, f, e, held);
  size_t which = found(&p, y, changed);
  take_down(&p);
  return which;
}

static const double along_x[4] = {0, 0, 2, 0}, oblique[4] = {0, 0, 2, 1};

static void values_are_those_of_the_side(void **state) {
  (void)state;
  particle p = put_up(3, 5, 7, false);
  double out[VALUES];
  hml_workspace__hold(p.w, true);
  assert_ok(p.c, hml_workspace__take_side(p.w, 0, -1, 0));
  hml_workspace__impulse_values(p.w, 0, oblique, NULL, out, p.room);
  assert_near(out[0], 2, 1e-15);
  assert_near(out[2], 2.5, 1e-15);
  assert_ok(p.c, hml_workspace__take_side(p.w, 0, 1, 0));
  hml_workspace__impulse_values(p.w, 0, oblique, NULL, out, p.room);
  assert_near(out[0], 5, 1e-15);
  assert_near(out[1], 6, 1e-15);
  assert_near(out[2], 9.5, 1e-15);
  assert_string_equal(hml_model__impulse_text(p.model, 1), "py");
  take_down(&p);
}

static void jumps_along_the_normal_are_none(void **state) {
  (void)state;
  assert_true(jump(0, 0, 0, false, along_x, true) == SIZE_MAX);
  assert_true(jump(3, 0, 0, false, along_x, true) == SIZE_MAX);           // a gauge: L changes by a rate
  assert_true(jump(3, 0, 0, false, along_x, false) == 0);                 // of a place that does not change its side
}

static void others_are_impulses(void **state) {
  (void)state;
  assert_true(jump(0, 5, 0, false, along_x, true) == 1);
  assert_true(jump(0, 0, 1e-6, false, along_x, true) == 2);
  assert_true(jump(0, 0, 1e-11, false, along_x, true) == SIZE_MAX);       // within the errors of the state
  assert_true(jump(3, 0, 7, false, along_x, true) == 2);
  assert_true(jump(0, 0, 0, false, oblique, true) == 3);                  // a residual has no freedom
}

static void reactions_take_what_they_hold(void **state) {
  (void)state;
  assert_true(jump(0, 5, 0, true, along_x, true) == SIZE_MAX);
  assert_true(jump(3, 5, 0, true, along_x, true) == SIZE_MAX);
  assert_true(jump(0, 5, 7, true, along_x, true) == 2);                   // of a wall that does no work
}

// A slope s g of the way of y, where y' = s g x' satisfies the condition of either side: the velocity before does not satisfy that after
static void residuals_take_the_velocities_before(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  hml_expr t = hml_symbol(c, "t", HML_TIME, 0), x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_symbol(c, "x", HML_DYNAMIC, 1), k[4];
  static const char *const parameters[] = {"g", "s", "above", "below"}, *const names[] = {"x"};
  for (size_t i = 0; i < 4; i++) k[i] = hml_symbol(c, parameters[i], HML_EXTERNAL, 0);
  const hml_expr kept[2] = {hml_symbol(c, "vx", HML_EXTERNAL, 0), hml_symbol(c, "vy", HML_EXTERNAL, 0)};
  const hml_expr slope = hml_mul(c, k[1], k[0]), velocities[2] = {v, hml_mul(c, slope, v)}, zero = hml_integer(c, 0), one = hml_integer(c, 1);
  const hml_expr values[1] = {hml_sub(c, kept[1], hml_mul(c, slope, kept[0]))};
  const hml_branch_spec branch = {.text = "x", .held = 1, .argument = x, .guard = x};
  const hml_impulse_spec impulse = {.n = 1, .n_velocities = 2, .values = values, .velocities = velocities, .kept = kept, .texts = (const char *const[]){"residual"}};
  const double y[2] = {0, 2}, errors[4] = {1e-10, 1e-10, 1e-10, 1e-10}, slopes[2] = {3, 1e-11};
  for (size_t i = 0; i < 2; i++) {
    const double numbers[4] = {slopes[i], 1, 1, 0};
    hml_model_spec s = {.name = "way", .n_kin = 1, .n_dyn = 1, .n_parameters = 4, .time = t, .kin = &x, .dyn = &v, .parameters = k, .parameter_values = numbers,
                        .dyn_names = names, .k = &v, .mass = &one, .r = &zero, .n_branches = 1, .branches = &branch, .impulse = &impulse};
    hml_model *m;
    hml_workspace *w;
    double before[3], after[3], room[400];
    const bool changed = true;
    size_t which;
    assert_ok(c, hml_model_new(c, &s, &m));
    assert_ok(c, hml_workspace_new(c, m, &w));
    assert_true(hml_model__impulse_outputs(m) == 3 && hml_model__impulse_room(m) < sizeof room / sizeof *room);
    hml_workspace__hold(w, true);
    assert_ok(c, hml_workspace__take_side(w, 0, -1, 0));
    hml_workspace__impulse_values(w, 0, y, NULL, before, room);
    assert_near(before[0], 0, 1e-15);
    assert_near(before[2], -2 * slopes[i], 1e-15);
    assert_ok(c, hml_workspace__take_side(w, 0, 1, 0));
    hml_workspace__impulse_values(w, 0, y, before, after, room);
    assert_near(after[0], -4 * slopes[i], 1e-15);
    assert_ok(c, hml_workspace__find_impulse(w, 0, y, errors, before, after, NULL, &changed, room, &which));
    assert_true(which == (i == 0 ? 0 : SIZE_MAX));                        // the last within the errors of the velocities
    hml_workspace_free(w);
    hml_model_free(m);
  }
  hml_context_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(values_are_those_of_the_side),
      cmocka_unit_test(jumps_along_the_normal_are_none),
      cmocka_unit_test(others_are_impulses),
      cmocka_unit_test(reactions_take_what_they_hold),
      cmocka_unit_test(residuals_take_the_velocities_before),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
