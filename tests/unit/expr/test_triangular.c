// tests src/expr/triangular.c; arbiters: the pivots of a rolling disc by hand, and the equations themselves at random points
#include "expressions.h"

enum { MOST = 4 };

typedef struct example {
  size_t n, m;
  const char *M[MOST * MOST], *A[MOST * MOST], *r[MOST], *b[MOST];
} example;

typedef struct solved {
  hml_expr M[MOST * MOST], A[MOST * MOST], r[MOST], b[MOST], side[MOST], part[MOST * MOST], pivot[MOST], diagonal[MOST];
  size_t order[MOST];
  hml_triangle t;
  bool found;
} solved;

static void solve(fixture *f, const example *e, const hml_limits *limits, solved *s) {
  const size_t n = e->n, m = e->m;
  for (size_t i = 0; i < n * n; i++) s->M[i] = read(f, e->M[i]);
  for (size_t i = 0; i < m * n; i++) s->A[i] = read(f, e->A[i]);
  for (size_t i = 0; i < n; i++) s->r[i] = read(f, e->r[i]);
  for (size_t i = 0; i < m; i++) s->b[i] = read(f, e->b[i]);
  const hml_exact_system system = {.n = n, .m = m, .M = s->M, .A = s->A, .r = s->r, .b = s->b};
  s->t = (hml_triangle){.order = s->order, .side = s->side, .part = s->part, .pivot = s->pivot, .diagonal = s->diagonal};
  assert_int_equal(hml_expr__triangle(f->c, &system, limits, &s->t, &s->found), HML_OK);
}

static double value(fixture *f, hml_expr e, const double *at) {
  hml_expr symbols[SYMBOLS + 3];
  double in[SYMBOLS + 3];
  for (size_t i = 0; i < SYMBOLS; i++) symbols[i] = f->s[i], in[i] = at[i];
  for (size_t i = 0; i < 3; i++) symbols[SYMBOLS + i] = hml_dot(f->c, f->s[i]), in[SYMBOLS + i] = at[SYMBOLS + i];
  hml_program *p;
  double out, work[2000];
  assert_int_equal(hml_program_new(f->c, SYMBOLS + 3, symbols, 1, &e, &p), HML_OK);
  assert_true(hml_program_work_size(p) <= 2000);
  hml_program_eval(p, in, &out, work);
  hml_program_free(p);
  return out;
}

// M a - r has no part in the null space of A, and A a + b = 0: a is found by back substitution, the null space has the basis of the free accelerations
static void check_equations(fixture *f, const example *e, const solved *s) {
  const size_t n = e->n;
  for (int trial = 0; trial < 10; trial++) {
    double at[SYMBOLS + 3], a[MOST] = {0}, left[MOST] = {0};
    for (size_t i = 0; i < SYMBOLS + 3; i++) at[i] = uniform(f, 0.3, 1.2);
    for (size_t step = 0; step < n; step++) {
      const size_t i = s->order[step];
      a[i] = value(f, s->side[i], at);
      for (size_t before = 0; before < step; before++) a[i] += value(f, s->part[i * n + s->order[before]], at) * a[s->order[before]];
    }
    for (size_t k = 0; k < e->m; k++) {
      double sum = value(f, s->b[k], at);
      for (size_t i = 0; i < n; i++) sum += value(f, s->A[k * n + i], at) * a[i];
      assert_true(fabs(sum) < 1e-12);
    }
    for (size_t i = 0; i < n; i++) {
      left[i] = -value(f, s->r[i], at);
      for (size_t j = 0; j < n; j++) left[i] += value(f, s->M[i * n + j], at) * a[j];
    }
    for (size_t free = 0; free < n; free++) {
      if (!s->pivot[free]) continue;
      double direction[MOST] = {0}, power = 0;
      for (size_t step = 0; step < n; step++) {
        const size_t i = s->order[step];
        direction[i] = i == free;
        for (size_t before = 0; !s->pivot[i] && before < step; before++) direction[i] += value(f, s->part[i * n + s->order[before]], at) * direction[s->order[before]];
      }
      for (size_t i = 0; i < n; i++) power += left[i] * direction[i];
      assert_true(fabs(power) < 1e-12);
    }
  }
}

static const example spun = {2, 0, {"m*cos(x)^2 + J*sin(x)^2", "J*sin(x)", "J*sin(x)", "J"}, {NULL}, {"x'*y'*sin(x)*cos(x)", "a*x'*cos(x)"}, {NULL}};
// The row takes the mass out of the last entry
static const example rolling = {3, 1, {"m", "0", "m*cos(x)", "0", "J", "0", "m*cos(x)", "0", "J + m*cos(x)^2"}, {"1", "0", "cos(x)"},
                                {"x'^2", "b", "sin(y)"}, {"x'*theta'"}};

static void pivots_are_what_they_are(void **state) {
  fixture *f = *state;
  solved s;
  solve(f, &spun, NULL, &s);
  assert_true(s.found);
  assert_true(s.pivot[1] == read(f, "J"));
  assert_true(s.pivot[0] == read(f, "m*cos(x)^2"));
  assert_true(s.part[2] == read(f, "-sin(x)"));
  check_equations(f, &spun, &s);
}

static void rows_with_numbers_go_first(void **state) {
  fixture *f = *state;
  const example freely = {3, 1, {"m", "0", "0", "0", "J", "0", "0", "0", "J"}, {"2", "1", "0"}, {"x'^2", "b", "sin(y)"}, {"x'*theta'"}};
  solved s;
  solve(f, &freely, NULL, &s);
  assert_true(s.found);
  assert_int_equal((s.pivot[0] == NULL) + (s.pivot[1] == NULL), 1);
  assert_non_null(s.pivot[2]);
  check_equations(f, &freely, &s);
  solve(f, &rolling, NULL, &s);
  assert_true(s.found);
  assert_null(s.pivot[0]);
  assert_true(s.pivot[2] == read(f, "J"));
  check_equations(f, &rolling, &s);
}

// A pivot that grows, a row without a number, a divisor that may vanish, a factor cancelled in the equations, an inexact number, few terms
static void what_has_no_short_solution_is_left(void **state) {
  fixture *f = *state;
  const example grows = {2, 0, {"2", "cos(x - y)", "cos(x - y)", "1"}, {NULL}, {"x'^2*sin(x - y)", "-y'^2*sin(x - y)"}, {NULL}};
  const example blade = {2, 1, {"m", "0", "0", "m"}, {"sin(x)", "-cos(x)"}, {"0", "0"}, {"x'"}};
  const example pole = {1, 0, {"1/a"}, {NULL}, {"b"}, {NULL}}, cancelled = {1, 0, {"1"}, {NULL}, {"sin(2*x)/sin(x)"}, {NULL}};
  const example empty = {2, 0, {"m", "0", "0", "0"}, {NULL}, {"a", "b"}, {NULL}};
  const example *const lists[] = {&grows, &blade, &pole, &cancelled, &empty};
  solved s;
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    solve(f, lists[k], NULL, &s);
    assert_false(s.found);
  }
  solve(f, &spun, &(hml_limits){.max_terms = 1}, &s);
  assert_false(s.found);
  assert_false(hml_failed(f->c));
}

static void an_interrupt_ends_it(void **state) {
  fixture *f = *state;
  solved s;
  solve(f, &spun, NULL, &s);
  const hml_exact_system system = {.n = 2, .M = s.M, .A = s.A, .r = s.r, .b = s.b};
  *hml_context_interrupt_flag(f->c) = 1;
  assert_int_equal(hml_expr__triangle(f->c, &system, NULL, &s.t, &s.found), HML_INTERRUPTED);
  assert_false(s.found);
  hml_context_clear_error(f->c);
  *hml_context_interrupt_flag(f->c) = 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {fixture_test(pivots_are_what_they_are), fixture_test(rows_with_numbers_go_first),
                                     fixture_test(what_has_no_short_solution_is_left), fixture_test(an_interrupt_ends_it)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
