// merge.c: equal and opposite items become one, others do not; values stay as they were.
#include "programs.h"

#include "program/program_impl.h"

// The assembly of two outputs before and after; the program made of it
typedef struct merged {
  uint32_t items_before, items_after, first, second;
  hml_program *before, *after;
} merged;

static merged merge(void **state, const char *one, const char *other) {
  merged m = {.before = program_of(state, 2, (const char *const[]){one, other})};
  assembly from, to;
  check_ok(assembly_init(&from, *state, SYMBOLS, 2));
  check_ok(assembly_of_program(&from, m.before));
  check_ok(assembly_init(&to, *state, SYMBOLS, 2));
  for (size_t i = 0; i < SYMBOLS; i++) check_ok(assembly_name(&to, i, "", hml_program__input_name(m.before, i)));
  check_ok(merge_equal(&from, &to));
  m.items_before = from.n;
  m.items_after = to.n;
  m.first = to.outputs[0];
  m.second = to.outputs[1];
  check_ok(assembly_finish(&to, HML_OK, &m.after));
  assembly_free(&from);
  return m;
}

static void compare_values(const merged *m) {
  uint64_t seed = 7;
  for (int trial = 0; trial < 50; trial++) {
    double in[SYMBOLS], a[2], b[2];
    for (int i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, 0.3, 2);
    evaluate(m->before, in, a);
    evaluate(m->after, in, b);
    for (int i = 0; i < 2; i++) check_near(b[i], a[i], 1e-13 * (1 + fabs(a[i])));
  }
}

static void finish(merged *m) {
  compare_values(m);
  hml_program_free(m->before);
  hml_program_free(m->after);
}

static void equal_items_become_one(void **state) {
  const char *const pairs[][2] = {
      {"(x + y)^2", "x^2 + 2*x*y + y^2"},
      {"sin(x)^2 + cos(x)^2 + z", "1 + z"},
      {"m*(1 + tan(y)^2)", "m/cos(y)^2"},
      {"(x^2 - y^2)/(x + y + z)", "(x - y)*(x + y)/(z + y + x)"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    merged m = merge(state, pairs[i][0], pairs[i][1]);
    assert_int_equal(m.first, m.second);
    assert_true(m.items_after < m.items_before);
    finish(&m);
  }
}

static void opposite_items_become_one(void **state) {
  merged m = merge(state, "(x - y)*(x + y)*z", "z*y^2 - z*x^2");
  assert_true(hml_program_operations(m.after) < hml_program_operations(m.before));
  finish(&m);
}

// Equal at the values of some inputs only, or nearly: these stay apart
static void different_items_stay_apart(void **state) {
  const char *const pairs[][2] = {
      {"x*y", "x*z"},
      {"sin(x)^2 + cos(y)^2", "1"},
      {"x + 1/1000000000000000", "x"},
      {"sqrt(x^2 + 1/10000000000000)*y", "x*y"},
      {"sin(x)", "x - x^3/6"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    merged m = merge(state, pairs[i][0], pairs[i][1]);
    assert_int_not_equal(m.first, m.second);
    finish(&m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(equal_items_become_one),
      in_context(opposite_items_become_one),
      in_context(different_items_stay_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
