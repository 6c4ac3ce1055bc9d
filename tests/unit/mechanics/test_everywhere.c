// everywhere.c: pivots that are clear of zero at every time and state, for the present parameters; arbiter: what the inertias are by hand
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

static bool is_clear(const mechanics *m) {
  const size_t room = hml_workspace__everywhere_room(m->w);
  if (!room) return false;
  hml_range *scratch = malloc(room * sizeof *scratch);
  assert_non_null(scratch);
  const bool clear = hml_workspace__regular_everywhere(m->w, scratch);
  free(scratch);
  return clear;
}

typedef struct inertia_case {
  const char *inertia;                 // of y, beside that of x, which is 1
  double values[2];                    // of the parameters a and b
  bool clear;
} inertia_case;

static const inertia_case cases[] = {
    {"a - b*sin(x)", {2, 1}, true},
    {"a - b*sin(x)", {1, 1}, false},               // zero at x = pi/2
    {"a - b*sin(x)", {1, 1.5}, false},
    {"a - b*sin(x)", {1, 0.99}, false},            // clear, but not by a tenth of the largest
    {"a - b*sin(x)", {1, 0.8}, true},
    {"a - b*sin(x)", {1, -0.8}, true},
    {"a - b*sin(x)", {-1, 0.5}, false},
    {"a - b*sin(t)", {2, 1}, true},
    {"a - b*sin(t)", {1, 1}, false},
    {"a + b*t^2", {1, 1}, false},                  // without bounds
    {"a + b*x^2", {1, 1}, false},
    {"a + b/(1 + x^2)", {1, 1}, true},
    {"a + b/(1 + x)", {1, 1}, false},              // a pole at x = -1
    {"a + b*sqrt(x)", {1, 1}, false},
    {"a + b*exp(-x^2)", {1, 1}, true},
    {"a + b*tanh(x)", {1, 1}, false},
    {"a + b*tanh(x)", {2, 1}, true},
    {"a^2 + b*cos(x)^2", {1, 1}, true},
    {"a + b*cos(x)*sin(t)", {1e-320, 1e-321}, false},                      // numbers whose last places are lost
    {"a + b*cos(x)", {1e308, 1e308}, false},
};

static void pivots_are_clear_where_no_state_brings_them_near_zero(void **state) {
  (void)state;
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char kinetic[200];
    snprintf(kinetic, sizeof kinetic, "x'^2/2 + (%s)*y'^2/2", cases[k].inertia);
    lagrange l = {.coordinates = "x y", .parameters = "a b", .kinetic = kinetic, .potential = "cos(x)*cos(y)"};
    memcpy(l.values, cases[k].values, sizeof cases[k].values);
    mechanics m = build(&l);
    if (is_clear(&m) != cases[k].clear) fail_msg("%s with a = %g, b = %g is %sclear", cases[k].inertia, l.values[0], l.values[1], cases[k].clear ? "not " : "");
    demolish(&m);
  }
}

// The chain of two links, with l the length of the second: its second pivot falls with cos(a - b)^2, the less the lighter that link
static void parameters_count_as_they_are_now(void **state) {
  (void)state;
  const lagrange chain = {.coordinates = "a b", .parameters = "m l", .values = {1, 1}, .potential = "-9*(2*cos(a) + cos(b))",
                          .kinetic = "a'^2/2 + m/2*(a'^2 + l^2*b'^2 + 2*l*a'*b'*cos(a - b))"};
  const struct { double values[2]; bool clear; } settings[] = {
      {{1, 1}, true}, {{30, 1}, false}, {{1, 2}, true}, {{1, 0}, false}, {{-1, 1}, false}, {{1, 1}, true}};
  mechanics m = build(&chain);
  for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
    assert_ok(m.c, hml_workspace_set_parameters(m.w, settings[k].values));
    if (is_clear(&m) != settings[k].clear) fail_msg("m = %g, l = %g", settings[k].values[0], settings[k].values[1]);
  }
  const double bad[][2] = {{NAN, 1}, {INFINITY, 1}, {1, -INFINITY}};
  for (size_t k = 0; k < sizeof bad / sizeof *bad; k++) assert_int_equal(hml_workspace_set_parameters(m.w, bad[k]), HML_NOT_FINITE);
  assert_true(is_clear(&m));           // those before are kept
  demolish(&m);
}

// Pivots under constraints belong to one order of the elimination
static void constraints_are_left_to_the_steps(void **state) {
  (void)state;
  const lagrange held = {.coordinates = "x y", .kinetic = "x'^2/2 + y'^2/2", .potential = "y", .holonomic = {"line: x - y"}};
  mechanics m = build(&held);
  assert_false(is_clear(&m));
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pivots_are_clear_where_no_state_brings_them_near_zero),
      cmocka_unit_test(parameters_count_as_they_are_now),
      cmocka_unit_test(constraints_are_left_to_the_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
