// Tests of src/expr/print.c, latex.c, parse.c, order.c: texts that are read back, places of mistakes, TeX, order of display.
#include "expressions.h"

static void texts_are_read_back(void **state) {
  fixture *f = *state;
  for (int k = 0; k < 2000; k++) {
    hml_expr e = random_expression(f, 1 + k % 5);
    char *text = hml_print_text(f->c, e);
    hml_expr again = hml_parse(f->c, text, SYMBOLS, f->s);
    if (again != e) fail_msg("'%s' is read as another expression", text);
    hml_free(f->c, text);
  }
}

static void headlines_print_as_in_papers(void **state) {
  fixture *f = *state;
  assert_prints(f, "-m*(x'*cos(theta)+y'*sin(theta))*theta'", "-m*theta'*(x'*cos(theta) + y'*sin(theta))");
  assert_prints(f, "m*(x'^2+y'^2)/2 + J*theta'^2/2", "J*theta'^2/2 + m*(x'^2 + y'^2)/2");
  assert_prints(f, "m*theta'*x'/cos(theta)", "m*theta'*x'/cos(theta)");
  assert_prints(f, "-a - b", "-a - b");
  assert_prints(f, "b - a*x''", "b - a*x''");
  assert_prints(f, "1/sqrt(x)", "1/sqrt(x)");
  assert_prints(f, "x^(3/2)", "x^(3/2)");
  assert_prints(f, "(a + b)/(a*b)^2", "(a + b)/(a^2*b^2)");
  assert_prints(f, "-(a - b)*x", "-x*(a - b)");
}

static void mistakes_are_placed(void **state) {
  fixture *f = *state;
  const struct {
    const char *text;
    hml_status status;
    const char *words;
  } rows[] = {{"a + ", HML_SYNTAX, "at the end"}, {"(a + b", HML_SYNTAX, "')' expected at the end"}, {"a b", HML_SYNTAX, "character 3"},
              {"a + )", HML_SYNTAX, "character 5"}, {"foo", HML_UNKNOWN_SYMBOL, "'foo'"}, {"sinus(a)", HML_UNKNOWN_SYMBOL, "no function 'sinus'"},
              {"sin(a, b)", HML_ARGUMENT, "sin takes 1 argument"}, {"a'", HML_ARGUMENT, "not a function of time"}, {"", HML_SYNTAX, "at the end"},
              {"1.2.3", HML_SYNTAX, ""}, {"1/0", HML_UNDEFINED, "division by zero"}, {"1e999999", HML_SYNTAX, ""}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
    fails_at(f, hml_parse(f->c, rows[i].text, SYMBOLS, f->s) == NULL, rows[i].status, rows[i].words, __FILE__, __LINE__);
  char nested[2001];
  memset(nested, '(', 2000);
  nested[2000] = '\0';
  assert_fails(f, hml_parse(f->c, nested, SYMBOLS, f->s), HML_LIMIT, "nested deeper");
}

static void tex_is_tex(void **state) {
  fixture *f = *state;
  const struct {
    const char *text, *latex;
  } rows[] = {{"m*theta'*x'/cos(theta)", "\\frac{m \\dot{\\theta} \\dot{x}}{\\cos\\theta}"},
              {"sin(theta)^2/2", "\\frac{\\sin^{2}\\theta}{2}"},
              {"x''*(a + b)", "\\ddot{x} \\left(a + b\\right)"},
              {"sqrt(x^2 + 1)", "\\sqrt{x^{2} + 1}"},
              {"sin(2*theta)", "\\sin\\left(2 \\theta\\right)"}};
  for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
    char *latex = hml_print_latex(f->c, read(f, rows[i].text));
    assert_string_equal(latex, rows[i].latex);
    hml_free(f->c, latex);
  }
  hml_expr named = hml_symbol(f->c, "q_12", HML_DYNAMIC, 1);
  char *latex = hml_print_latex(f->c, named);
  assert_string_equal(latex, "\\dot{q}_{12}");
  hml_free(f->c, latex);
}

// qsort asks for a strict weak ordering
static void the_order_of_display_is_an_order(void **state) {
  fixture *f = *state;
  enum { N = 60 };
  hml_expr e[N];
  for (int i = 0; i < N; i++) e[i] = random_expression(f, 1 + i % 4);
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      assert_int_equal(hml_compare(e[i], e[j]), -hml_compare(e[j], e[i]));
      assert_true((hml_compare(e[i], e[j]) == 0) == (e[i] == e[j]));
      for (int k = 0; k < N; k++)
        if (hml_compare(e[i], e[j]) < 0 && hml_compare(e[j], e[k]) < 0) assert_true(hml_compare(e[i], e[k]) < 0);
    }
}

int main(void) {
#define in_fixture(test) fixture_test(test)
  const struct CMUnitTest tests[] = {
      in_fixture(texts_are_read_back), in_fixture(headlines_print_as_in_papers), in_fixture(mistakes_are_placed), in_fixture(tex_is_tex),
      in_fixture(the_order_of_display_is_an_order),
  };
  return cmocka_run_group_tests_name("print", tests, NULL, NULL);
}
