// tests src/program/degree.c
#include "programs.h"

typedef struct row {
  const char *text;
  size_t moving;                       // inputs that move: x, y, ...
  unsigned degree;
} row;

static const row rows[] = {
    {"x", 1, 1}, {"y", 1, 0}, {"3", 1, 0}, {"x*y + x - 1", 1, 1}, {"x*y + x - 1", 2, 2}, {"(x + y)^3*x", 2, 4}, {"x/y", 1, 1}, {"x^2*sin(y)", 1, 2},
    {"x/y", 2, HML_NO_POLYNOMIAL}, {"sin(x)", 1, HML_NO_POLYNOMIAL}, {"exp(-x^2) - 1", 1, HML_NO_POLYNOMIAL}, {"sqrt(x)", 1, HML_NO_POLYNOMIAL},
    {"x*y*cos(x)", 1, HML_NO_POLYNOMIAL}, {"abs(x)", 1, HML_NO_POLYNOMIAL},
};

static void degrees_are_those_of_the_polynomials(void **state) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    hml_program *p = program_of(state, 1, &rows[i].text);
    unsigned degree;
    check_ok(hml_program__degrees(*state, p, rows[i].moving, &degree));
    if (degree != rows[i].degree) fail_msg("%s has degree %u, not %u", rows[i].text, degree, rows[i].degree);
    hml_program_free(p);
  }
}

static void powers_written_as_products_are_counted(void **state) {
  const char *text = "x^21 + x";
  hml_program *p = program_of(state, 1, &text);
  unsigned degree;
  check_ok(hml_program__degrees(*state, p, 1, &degree));
  assert_true(degree == 21 || degree == HML_NO_POLYNOMIAL);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(degrees_are_those_of_the_polynomials),
      in_context(powers_written_as_products_are_counted),
  };
  return cmocka_run_group_tests_name("degree", tests, NULL, NULL);
}
