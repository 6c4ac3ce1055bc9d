// Tests of src/expr/poly.c, normal.c, simplify.c, decide.c, solve.c from C: budgets, interrupts, failures that leave things usable.
#include "expressions.h"

static hml_expr simplified(fixture *f, const char *text, const hml_limits *limits, hml_reduction *info) {
  return hml_simplify(f->c, read(f, text), HML_FORM_AUTO, 0, NULL, limits, info);
}

static void a_budget_returns_the_input_and_a_reason(void **state) {
  fixture *f = *state;
  hml_reduction info;
  hml_expr e = read(f, "(x + y + a + b + m + J)^40 + sin(x)/(a + b)");
  hml_limits few = {.max_terms = 500}, quick = {.max_terms = 100000000, .max_seconds = 0.02};
  assert_true(hml_simplify(f->c, e, HML_FORM_EXPANDED, 0, NULL, &few, &info) == e);
  assert_int_equal(info.status, HML_LIMIT);
  assert_non_null(strstr(info.reason, "more than 500 terms"));
  assert_true(hml_simplify(f->c, e, HML_FORM_EXPANDED, 0, NULL, &quick, &info) == e);
  assert_non_null(strstr(info.reason, "0.02 s"));
  assert_false(hml_failed(f->c));
  prints_at(f, simplified(f, "sin(x)^2 + cos(x)^2", NULL, &info), "1", __FILE__, __LINE__);
}

static void an_interrupt_ends_the_work(void **state) {
  fixture *f = *state;
  hml_verdict verdict;
  hml_expr e = read(f, "sin(x)^2 + cos(x)^2 - 1"), X, det, A = read(f, "sin(x)"), B = read(f, "a");
  *hml_context_interrupt_flag(f->c) = 1;
  assert_int_equal(hml_is_zero(f->c, e, NULL, &verdict, NULL), HML_INTERRUPTED);
  hml_context_clear_error(f->c);
  assert_null(hml_simplify(f->c, e, HML_FORM_AUTO, 0, NULL, NULL, NULL));
  hml_context_clear_error(f->c);
  assert_int_equal(hml_solve_linear(f->c, 1, &A, 1, &B, NULL, &X, &det, NULL), HML_INTERRUPTED);
  hml_context_clear_error(f->c);
  *hml_context_interrupt_flag(f->c) = 0;
  assert_int_equal(hml_is_zero(f->c, e, NULL, &verdict, NULL), HML_OK);
  assert_int_equal(verdict, HML_PROVED_ZERO);
}

static void a_vanishing_denominator_is_no_zero(void **state) {
  fixture *f = *state;
  hml_verdict verdict;
  double evidence;
  hml_expr hidden = read(f, "1/(sin(x)^2 + cos(x)^2 - 1)"), numerator, denominator;
  assert_int_equal(hml_is_zero(f->c, hidden, NULL, &verdict, &evidence), HML_OK);
  assert_int_equal(verdict, HML_UNDECIDED);
  assert_int_equal(hml_fraction(f->c, hidden, NULL, &numerator, &denominator), HML_UNDEFINED);
  assert_non_null(strstr(hml_context_error(f->c)->message, "vanishes identically"));
  hml_context_clear_error(f->c);
  hml_reduction info;
  assert_true(hml_simplify(f->c, hidden, HML_FORM_AUTO, 0, NULL, NULL, &info) == hidden);
  assert_int_equal(info.status, HML_UNDEFINED);
}

// Arbiter: the residual at a random point
static void linear_systems_agree_with_numbers(void **state) {
  fixture *f = *state;
  enum { N = 11, M = 3 };
  const char *const entries[] = {"m", "J + a^2*m", "sin(theta)", "cos(theta)", "a/(1 + m)", "0", "0", "x*y", "1", "sin(2*theta)"};
  const int sizes[] = {1, 2, 5, 5, 5, 8, 10, 11};
  hml_expr A[N * N], B[N * M], X[N * M], det;
  for (size_t round = 0; round < sizeof sizes / sizeof *sizes; round++) {
    int n = sizes[round];
    for (int i = 0; i < n * n; i++) {
      bool empty = n > 5 && whole(f, 0, 29) > (n > 10 ? 0 : 5);
      A[i] = i % (n + 1) == 0 ? read(f, "2 + m + J") : empty ? hml_integer(f->c, 0) : read(f, entries[whole(f, 0, 9)]);
    }
    for (int i = 0; i < n * M; i++) B[i] = read(f, entries[whole(f, 0, 9)]);
    if (hml_solve_linear(f->c, (size_t)n, A, M, B, &(hml_limits){.max_seconds = 600}, X, &det, NULL) != HML_OK) fail_msg("%d x %d: %s", n, n, hml_context_error(f->c)->message);
    point p = random_point(f);
    for (int i = 0; i < n * M; i++) {
      double sum = -at(f, B[i], &p);
      for (int j = 0; j < n; j++) sum += at(f, A[i / M * n + j], &p) * at(f, X[j * M + i % M], &p);
      assert_true(fabs(sum) < 1e-8);
    }
    assert_true(fabs(at(f, hml_determinant(f->c, (size_t)n, A, NULL), &p) - at(f, det, &p)) < 1e-8 * (1 + fabs(at(f, det, &p))));
  }
  // a singular matrix
  hml_expr S[4] = {read(f, "sin(x)"), read(f, "cos(x)"), read(f, "sin(x)*a"), read(f, "cos(x)*a")};
  assert_int_equal(hml_solve_linear(f->c, 2, S, 1, B, NULL, X, &det, NULL), HML_UNDEFINED);
  assert_non_null(strstr(hml_context_error(f->c)->message, "singular"));
  hml_context_clear_error(f->c);
  assert_true(hml_determinant(f->c, 2, S, NULL) == hml_integer(f->c, 0));
  // inverse functions may hide a zero (Machin's formula)
  hml_verdict regular;
  hml_expr one = hml_integer(f->c, 1), open = read(f, "4*atan(1/5) - atan(1/239) - atan(1)"), settled = read(f, "log(m*J) - log(m)");
  assert_int_equal(hml_solve_linear(f->c, 1, &open, 1, &one, NULL, X, &det, &regular), HML_OK);
  assert_int_equal(regular, HML_UNDECIDED);
  assert_int_equal(hml_solve_linear(f->c, 1, &settled, 1, &one, NULL, X, &det, &regular), HML_OK);
  assert_int_equal(regular, HML_PROVED_NONZERO);
  // a zero hidden in roots
  hml_expr hidden = read(f, "sqrt((a + b)^2*m^2 + (a + b)^2) - sqrt(a^2 + 2*a*b + b^2)*sqrt(m^2 + 1)");
  assert_int_not_equal(hml_solve_linear(f->c, 1, &hidden, 1, B, NULL, X, &det, NULL), HML_OK);
  hml_context_clear_error(f->c);
}

static void what_was_cancelled_is_told(void **state) {
  fixture *f = *state;
  hml_reduction info;
  hml_expr e = simplified(f, "(x^2 - 1)/(x - 1)", NULL, &info);
  prints_at(f, e, "x + 1", __FILE__, __LINE__);
  prints_at(f, info.cancelled, "x - 1", __FILE__, __LINE__);
  prints_at(f, hml_coefficient(f->c, read(f, "(a*x + b)^2/m"), f->s[0], 1, NULL), "2*a*b/m", __FILE__, __LINE__);
  assert_fails(f, hml_coefficient(f->c, read(f, "1/(1 + x)"), f->s[0], 1, NULL), HML_ARGUMENT, "not polynomial");
}

// arbiter: factors known by hand; the first are found by one gcd, the last need a factorisation
static void factors_are_found(void **state) {
  fixture *f = *state;
  const struct {
    const char *given, *expected;
  } rows[] = {{"6*x^2*y - 4*x*y*a", "2*x*y*(3*x - 2*a)"}, {"-m^3", "-m^3"}, {"a*x + b*x", "x*(a + b)"}, {"a*x + a*y + b*x + b*y", "(x + y)*(a + b)"},
              {"x^2*y^2 - y^2", "y^2*(x + 1)*(x - 1)"}, {"a*m - b*m + J", "a*m - b*m + J"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    hml_expr e = hml_simplify(f->c, read(f, rows[i].given), HML_FORM_FACTORED, 0, NULL, NULL, NULL), expected = read(f, rows[i].expected);
    hml_verdict verdict;
    assert_int_equal(hml_is_zero(f->c, hml_sub(f->c, e, expected), NULL, &verdict, NULL), HML_OK);
    assert_int_equal(verdict, HML_PROVED_ZERO);
    assert_int_equal(hml_kind_of(e), hml_kind_of(expected));
    if (hml_kind_of(e) != HML_SUM) assert_int_equal(hml_operand_count(e), hml_operand_count(expected));
  }
}

static void angles_of_sums_are_taken_apart(void **state) {
  fixture *f = *state;
  hml_expr e[2] = {read(f, "a*sin(x - y + theta) + cos(2*x + y)^2"), read(f, "sin(x)*b")}, out[2];
  hml_verdict verdict;
  bool changed;
  assert_int_equal(hml_expr__split_angles(f->c, 2, e, out, &changed), HML_OK);
  assert_true(changed);
  assert_true(out[1] == e[1]);
  assert_int_equal(hml_is_zero(f->c, hml_sub(f->c, e[0], out[0]), NULL, &verdict, NULL), HML_OK);
  assert_int_equal(verdict, HML_PROVED_ZERO);
  hml_arena arena;
  hml_arena_init(&arena, f->c);
  hml_expr *nodes;
  size_t count;
  assert_int_equal(hml_expr__postorder(&arena, 1, out, &nodes, &count), HML_OK);
  for (size_t k = 0; k < count; k++) assert_false(hml_kind_of(nodes[k]) == HML_CALL && hml_kind_of(hml_operand(nodes[k], 0)) == HML_SUM);
  hml_arena_free(&arena);
  assert_int_equal(hml_expr__split_angles(f->c, 1, &e[1], out, &changed), HML_OK);
  assert_false(changed);
}

int main(void) {
#define in_fixture(test) fixture_test(test)
  const struct CMUnitTest tests[] = {
      in_fixture(a_budget_returns_the_input_and_a_reason), in_fixture(an_interrupt_ends_the_work), in_fixture(a_vanishing_denominator_is_no_zero),
      in_fixture(linear_systems_agree_with_numbers),       in_fixture(what_was_cancelled_is_told),
      in_fixture(factors_are_found),                       in_fixture(angles_of_sums_are_taken_apart),
  };
  return cmocka_run_group_tests_name("algebra", tests, NULL, NULL);
}
