// reference.c: solutions in quadruple precision; arbiter: published digits of cos 1, sin 1 and of the exponential.
#include "lagrange.h"
#include "problems.h"

#include "program/program.h"

static const lagrange spring = {.coordinates = "x", .parameters = "k", .values = {1}, .kinetic = "x'^2/2", .potential = "k*x^2/2"};

static const char *texts_at(const char *texts, size_t time, size_t i) {
  return texts + (2 * time + i) * HML_QUAD_TEXT;
}

static void assert_digits(const char *text, const char *wanted, size_t digits) {
  if (strncmp(text, wanted, digits) == 0) return;
  print_error("%s is not %s\n", text, wanted);
  fail();
}

// cos 1, -sin 1 to 36 digits; both solutions agree so far
static void thirty_digits_of_the_cosine(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  mechanics m = build(&spring);
  const char *const times[] = {"1"}, *const x[] = {"1", "0"};
  char texts[2 * HML_QUAD_TEXT], others[2 * HML_QUAD_TEXT];
  hml_reference_spec spec = {.start = "0", .n_times = 1, .times = times, .x = x, .digits = 32};
  assert_ok(m.c, hml_reference_run(m.w, &spec, texts, others));
  for (int k = 0; k < 2; k++) {
    const char *found = k ? others : texts;
    assert_digits(texts_at(found, 0, 0), "0.5403023058681397174009366074429", 32);
    assert_digits(texts_at(found, 0, 1), "-0.841470984807896506652502321630", 32);
  }
  demolish(&m);
}

// Parameters are read in quadruple precision: with k = 1/9 the phase at t = 3 is 1
static void parameters_and_times_are_exact_texts(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  mechanics m = build(&spring);
  const char *const times[] = {"3/2", "3"}, *const x[] = {"1", "0"}, *const k[] = {"1/9"};
  char texts[4 * HML_QUAD_TEXT], others[4 * HML_QUAD_TEXT];
  hml_reference_spec spec = {.start = "0", .n_times = 2, .times = times, .x = x, .n_parameters = 1, .parameters = k, .digits = 30};
  assert_ok(m.c, hml_reference_run(m.w, &spec, texts, others));
  assert_digits(texts_at(texts, 0, 0), "0.877582561890372716116281582603", 30);   // cos 1/2
  assert_digits(texts_at(texts, 1, 0), "0.540302305868139717400936607442", 30);
  // backward as well, from there to the start
  const char *const back[] = {"0"}, *const end[] = {texts_at(texts, 1, 0), texts_at(texts, 1, 1)};
  char again[2 * HML_QUAD_TEXT];
  spec = (hml_reference_spec){.start = "3", .n_times = 1, .times = back, .x = end, .n_parameters = 1, .parameters = k, .digits = 30};
  assert_ok(m.c, hml_reference_run(m.w, &spec, again, others));
  check_near(strtod(texts_at(again, 0, 0), NULL), 1, 1e-16);
  check_near(strtod(texts_at(again, 0, 1), NULL), 0, 1e-29);
  demolish(&m);
}

static void texts_that_are_no_numbers_are_refused(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  mechanics m = build(&spring);
  char texts[2 * HML_QUAD_TEXT], others[2 * HML_QUAD_TEXT];
  const char *const times[] = {"1"}, *const x[] = {"1", "one"}, *const fine[] = {"1", "0"};
  hml_reference_spec spec = {.start = "0", .n_times = 1, .times = times, .x = x, .digits = 20};
  assert_int_equal(hml_reference_run(m.w, &spec, texts, others), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "one");
  spec.x = fine;
  spec.start = "1/0";
  assert_int_equal(hml_reference_run(m.w, &spec, texts, others), HML_ARGUMENT);
  hml_context_clear_error(m.c);
  demolish(&m);
}

// arbiter: on the circle of radius 1, y = -sqrt(1 - 0.6^2) = -0.8 to all digits, y' from the rod
static void a_start_is_completed_to_all_digits(void **state) {
  (void)state;
  if (!hml_program__has_quad()) skip();
  const lagrange rod = {.coordinates = "x y", .kinetic = "(x'^2 + y'^2)/2", .potential = "y", .holonomic = {"rod: x^2 + y^2 - 1"}};
  mechanics m = build(&rod);
  const char *const x[] = {"0.6", "-0.8000000000000001", "1", "0.7499999"};
  char texts[4 * HML_QUAD_TEXT];
  hml_reference_spec spec = {.start = "0", .x = x, .digits = 30};
  hml_status status = hml_complete_start_exactly(m.w, &spec, (const unsigned char[]){1, 0, 1, 0}, texts);
  assert_ok(m.c, status);
  hml_quad y, v, wanted;
  assert_true(hml_quad__parse(texts + HML_QUAD_TEXT, &y) && hml_quad__parse("-4/5", &wanted));
  check_near((double)(y - wanted), 0, 1e-32);
  assert_true(hml_quad__parse(texts + 3 * HML_QUAD_TEXT, &v) && hml_quad__parse("3/4", &wanted));
  check_near((double)(v - wanted), 0, 1e-32);
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(thirty_digits_of_the_cosine),
      in_context(parameters_and_times_are_exact_texts),
      in_context(texts_that_are_no_numbers_are_refused),
      in_context(a_start_is_completed_to_all_digits),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
