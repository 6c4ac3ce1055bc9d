// guard.c: x' in a run whose states jump to where a pivot of the graph vanishes; arbiter: the dense elimination
#include "lagrange.h"

#include "mechanics/mechanics_impl.h"

// Three links, their end held: both rows nearly depend on each other where the links are nearly stretched
#define VX "(cos(a)*a' + cos(b)*b')"
#define VY "(sin(a)*a' + sin(b)*b')"
static const lagrange held = {.coordinates = "a b c", .parameters = "m", .values = {1.5},
                               .kinetic = "m/2*a'^2 + m/2*(" VX "^2 + " VY "^2) + m/2*((" VX " + cos(c)*c')^2 + (" VY " + sin(c)*c')^2)",
                               .potential = "-9*m*(3*cos(a) + 2*cos(b) + cos(c))", .nonholonomic = {"x: " VX " + cos(c)*c'", "y: " VY " + sin(c)*c'"}, .graph = 1};

static const double states[][6] = {{0.9, 1.2, 1.7, 0.3, -0.2, 0.1}, {0.9, 1.1, 1.6, 0.3, -0.2, 0.1}, {1e-9, 1.1, 1.6, 0.3, -0.2, 0.1},
                                   {0.9, 0.91, 0.93, 0.2, 0.5, 0.1}, {0.8, 0.801, 0.799, 0.2, 0.5, 0.1}, {1.1, 1.1001, 1.6, 0.2, 0.5, 0.1},
                                   {1.2, 0.7, 1.201, 0.2, 0.5, 0.1}, {0.4, 0.404, 0.4, 0.3, -0.2, 0.1}, {1e-9, 1.1, 1e-9, 0.3, -0.2, 0.1}};

enum { STATES = sizeof states / sizeof *states };

static void compare(mechanics *graph, mechanics *dense, size_t k) {
  double x[7] = {0}, one[7], two[7], largest = 1;
  memcpy(x, states[k], sizeof states[k]);
  assert_ok(graph->c, hml_workspace__rate(graph->w, 0, x, one));
  assert_ok(dense->c, hml_workspace__rate(dense->w, 0, x, two));
  for (size_t i = 0; i < 6; i++) largest = fmax(largest, fabs(two[i]));
  for (size_t i = 0; i < 6; i++) check_near(one[i], two[i], 1e-8 * largest);
}

static void no_stage_takes_a_pivot_that_vanished(void **state) {
  (void)state;
  lagrange other = held;
  other.graph = 0;
  mechanics graph = build(&held), dense = build(&other);
  assert_int_equal(hml_model_elimination(graph.model), HML_GRAPH);
  assert_non_null(hml_model__guard(graph.model));
  for (int watched = 0; watched < 2; watched++) {
    hml_workspace__watch(graph.w, watched);
    for (size_t from = 0; from < STATES; from++)
      for (size_t to = 0; to < STATES; to++) {
        hml_workspace__guard_next(graph.w);
        compare(&graph, &dense, from);
        compare(&graph, &dense, to);                                       // no guard is asked for, however far it is
      }
  }
  assert_true(hml_workspace__handed_over(graph.w) > 0);
  demolish(&graph);
  demolish(&dense);
}

// Once a run asked, nearby states do not: the floors that are shown stay
static void the_guard_runs_once_until_it_is_asked_for(void **state) {
  (void)state;
  mechanics graph = build(&held);
  double x[7] = {0}, out[7], before;
  hml_workspace__watch(graph.w, true);
  memcpy(x, states[0], sizeof states[0]);
  assert_ok(graph.c, hml_workspace__rate(graph.w, 0, x, out));
  before = graph.w->floors[0];
  x[0] += 0.01;
  assert_ok(graph.c, hml_workspace__rate(graph.w, 0, x, out));
  assert_true(graph.w->floors[0] == before && !graph.w->guard_due);
  hml_workspace__guard_next(graph.w);
  for (size_t i = 0; i < 3; i++) x[i] += 0.3;
  graph.w->floors[0] = -1;
  assert_ok(graph.c, hml_workspace__rate(graph.w, 0, x, out));
  assert_true(graph.w->floors[0] != -1);
  hml_workspace__watch(graph.w, false);
  graph.w->floors[0] = -1;
  assert_ok(graph.c, hml_workspace__rate(graph.w, 0, x, out));
  assert_true(graph.w->floors[0] != -1 && graph.w->guard_due);
  demolish(&graph);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(no_stage_takes_a_pivot_that_vanished), cmocka_unit_test(the_guard_runs_once_until_it_is_asked_for)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
