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

static void inputs_that_are_read_are_told_from_others(void **state) {
  const char *const texts[] = {"sin(y)", "x", "3"};
  const bool reads[][2] = {{false, true}, {true, false}, {false, false}};
  for (size_t i = 0; i < 3; i++) {
    hml_program *p = program_of(state, 1, &texts[i]);
    for (size_t k = 0; k < 2; k++) assert_int_equal(hml_program__reads(p, k), reads[i][k]);
    hml_program_free(p);
  }
}

typedef struct shift {
  const char *text;
  size_t moving, input;
  double sign;                         // 0: not shifted
} shift;

static const shift shifts[] = {
    {"x", 1, 0, 1}, {"x - 2", 1, 0, 1}, {"2 - x", 1, 0, -1}, {"-x", 1, 0, -1}, {"y - x", 2, 0, 0}, {"y - x", 1, 0, -1}, {"x + sin(y)", 1, 0, 1},
    {"y", 1, 0, 0}, {"3", 2, 0, 0}, {"2*x", 1, 0, 0}, {"x^2 - 1", 1, 0, 0}, {"sin(x)", 1, 0, 0}, {"y + 1/2", 2, 1, 1},
};

static void shifted_inputs_are_told_from_other_functions(void **state) {
  for (size_t i = 0; i < sizeof shifts / sizeof *shifts; i++) {
    hml_program *p = program_of(state, 1, &shifts[i].text);
    size_t input = SIZE_MAX;
    double sign = 0;
    const bool shifted = hml_program__is_shifted(p, shifts[i].moving, &input, &sign);
    if (shifted != (shifts[i].sign != 0)) fail_msg("%s is %sshifted", shifts[i].text, shifted ? "" : "not ");
    if (shifted && (input != shifts[i].input || sign != shifts[i].sign)) fail_msg("%s is %g times input %zu", shifts[i].text, sign, input);
    hml_program_free(p);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(degrees_are_those_of_the_polynomials),
      in_context(powers_written_as_products_are_counted),
      in_context(inputs_that_are_read_are_told_from_others),
      in_context(shifted_inputs_are_told_from_other_functions),
  };
  return cmocka_run_group_tests_name("degree", tests, NULL, NULL);
}
