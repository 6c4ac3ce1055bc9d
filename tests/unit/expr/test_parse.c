// parse.c: texts and the expressions they mean; what is no expression, with its place.
#include "expressions.h"

static void precedence_is_that_of_mathematics(void **state) {
  fixture *f = *state;
  const char *const pairs[][2] = {
      {"a + b*x", "a + (b*x)"}, {"a - b - x", "(a - b) - x"}, {"a/b/x", "(a/b)/x"}, {"a/b*x", "(a/b)*x"},
      {"-x^2", "-(x^2)"}, {"x^-2", "1/(x^2)"}, {"a^b^x", "a^(b^x)"}, {"-a*b", "-(a*b)"},
      {"  x+ y ", "x + y"}, {"--x", "x"}, {"sqrt(m)", "m^(1/2)"}, {"x''", "(x'')"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) assert_ptr_equal(read(f, pairs[i][0]), read(f, pairs[i][1]));
  assert_ptr_not_equal(read(f, "(a^b)^x"), read(f, "a^(b^x)"));
  assert_ptr_not_equal(read(f, "(-x)^2*a - b"), read(f, "-x^2*a - b"));
}

static void primes_are_derivatives(void **state) {
  fixture *f = *state;
  assert_ptr_equal(read(f, "x'"), hml_dot(f->c, f->s[0]));
  assert_ptr_equal(read(f, "x''"), hml_dot(f->c, hml_dot(f->c, f->s[0])));
  assert_fails(f, hml_parse(f->c, "a'", SYMBOLS, f->s), HML_ARGUMENT, "'a' is not a function of time: it has no derivative");
}

static void parts_have_names(void **state) {
  fixture *f = *state;
  assert_ptr_equal(read(f, "_1^2 + _1 where _1 = x + y"), read(f, "(x + y)^2 + x + y"));
  assert_ptr_equal(read(f, "_2*_1 where _1 = x + y, _2 = _1 + a"), read(f, "(x + y + a)*(x + y)"));
}

// arbiter: the same node again
static void printed_texts_are_read_back(void **state) {
  fixture *f = *state;
  for (int trial = 0; trial < 300; trial++) {
    hml_expr e = random_expression(f, 4);
    if (!e) {
      hml_context_clear_error(f->c);
      continue;
    }
    char *text = hml_print_text(f->c, e);
    assert_ptr_equal(read(f, text), e);
    hml_free(f->c, text);
  }
}

// Sixteen digits are those of a double that was printed; fewer mean the fraction
static void long_decimals_are_doubles(void **state) {
  fixture *f = *state;
  assert_int_equal(hml_kind_of(read(f, "0.333333333333333")), HML_NUMBER);
  assert_int_equal(hml_kind_of(read(f, "0.3333333333333333")), HML_FLOAT);
}

static void mistakes_have_a_place(void **state) {
  fixture *f = *state;
  const struct { const char *text; hml_status status; const char *words; } rows[] = {
      {"", HML_SYNTAX, "expected at the end"},
      {"x +", HML_SYNTAX, "expected at the end"},
      {"(x + y", HML_SYNTAX, "expected at the end"},
      {"x + * y", HML_SYNTAX, "at character 5, before '* y'"},
      {"x)", HML_SYNTAX, "at character 2, before ')'"},
      {"x y", HML_SYNTAX, "at character 3, before 'y'"},
      {"x**2", HML_SYNTAX, "a power is written a^b, not a**b"},
      {"q + 1", HML_UNKNOWN_SYMBOL, "'q' is not a known symbol"},
      {"sni(x)", HML_UNKNOWN_SYMBOL, "there is no function 'sni'"},
      {"sin + x", HML_UNKNOWN_SYMBOL, "'sin' is a function: put its argument in parentheses, as in sin(x)"},
      {"sin(x, y)", HML_ARGUMENT, "sin takes 1 argument, not 2"},
      {"atan2(x)", HML_ARGUMENT, "atan2 takes 2 arguments, not 1"},
      {"1/0", HML_UNDEFINED, "0"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) assert_fails(f, hml_parse(f->c, rows[i].text, SYMBOLS, f->s), rows[i].status, rows[i].words);
}

// Neither brackets nor signs nor powers exhaust the stack
static void depth_is_limited(void **state) {
  fixture *f = *state;
  enum { DEPTH = 100000 };
  const char *const openings[] = {"(", "-(", "sin(", "2^("};
  for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
    size_t length = strlen(openings[i]);
    char *text = malloc(DEPTH * length + 2);
    for (size_t k = 0; k < DEPTH; k++) memcpy(text + k * length, openings[i], length);
    memcpy(text + DEPTH * length, "x", 2);
    assert_fails(f, hml_parse(f->c, text, SYMBOLS, f->s), HML_LIMIT, "nested deeper than");
    free(text);
  }
  char inside[300];
  for (int k = 0; k < 100; k++) inside[k] = '(', inside[101 + k] = ')';
  inside[100] = 'x';
  inside[201] = '\0';
  assert_ptr_equal(read(f, inside), f->s[0]);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(precedence_is_that_of_mathematics),
      fixture_test(primes_are_derivatives),
      fixture_test(parts_have_names),
      fixture_test(printed_texts_are_read_back),
      fixture_test(long_decimals_are_doubles),
      fixture_test(mistakes_have_a_place),
      fixture_test(depth_is_limited),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
