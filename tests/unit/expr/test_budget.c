// Tests of src/expr/poly.c and budget.c: whatever ends a computation early (terms, bytes, time, an interrupt, a failure of FLINT)
// ends it in time, loses no memory and leaves everything usable.
#include "expressions.h"
#include "expr/poly.h"

static const char *const rich[] = {
    "(a + b*x)/(1 + m*x^2) + (y + J*x)/(a + b*y)^2 - 1/(1 + m*x^2)/(a + b*y)",
    "sqrt(a^2*x^2 + m*y^2)/(x + sqrt(a^2*x^2 + m*y^2)) + 1/(y + sqrt(J + x^2))",
    "sin(3*x + y)^3/cos(x)^2 + tan(x + 2*y)*cos(y)^4 - sin(x)^5/(1 + cos(x))",
    "(x*y + a)^7*(x - 3*y*m)^5/(x*y + a)^3 + 123456789012345678901234567890*(x + b)^6/7",
    "abs(x*a + 1)/sign(x*a + 1) + exp(x + y)^2/(exp(2*x) - a*exp(y)) + sinh(x)/cosh(x)",
};
enum { RICH = sizeof rich / sizeof *rich };

// A clock that advances a millisecond whenever it is read: limits are tested by what is done, on any machine
static long readings, press_at;
static volatile int *flag_pressed;

static double counting_clock(void) {
  if (++readings == press_at) *flag_pressed = 1;
  return 1e-3 * (double)readings;
}

static void start_counting(void) {
  readings = 0;
  hml_budget__use_clock(counting_clock);
}

static long stop_counting(void) {
  hml_budget__use_clock(NULL);
  return readings;
}

// All forms of all of them; returns how many came back because of a limit
static int work_through(fixture *f, const hml_limits *limits) {
  int limited = 0;
  for (int i = 0; i < RICH; i++)
    for (hml_form form = HML_FORM_AUTO; form <= HML_FORM_NORMAL; form++) {
      hml_reduction info;
      hml_expr e = read(f, rich[i]), got = hml_simplify(f->c, e, form, 0, NULL, limits, &info);
      assert_non_null(got);
      assert_true(info.status == HML_OK || info.status == HML_LIMIT);
      limited += info.status == HML_LIMIT;
      if (info.status != HML_LIMIT) continue;
      assert_true(strlen(info.reason) > 0);
      assert_false(hml_failed(f->c));
    }
  return limited;
}

static void assert_usable(fixture *f) {
  hml_verdict verdict;
  assert_int_equal(hml_is_zero(f->c, read(f, "1/(sin(x)/cos(x) + a) - cos(x)/(sin(x) + a*cos(x))"), NULL, &verdict, NULL), HML_OK);
  assert_int_equal(verdict, HML_PROVED_ZERO);
}

static void a_term_budget_loses_no_memory(void **state) {
  fixture *f = *state;
  work_through(f, NULL);
  int64_t before = hml_ring__held();
  int limited = 0;
  for (size_t terms = 1; terms < 400; terms += terms / 4 + 1) limited += work_through(f, &(hml_limits){.max_terms = terms});
  assert_true(limited > 100);
  assert_int_equal(hml_ring__held(), before);
  assert_usable(f);
}

static void bytes_are_counted(void **state) {
  fixture *f = *state;
  hml_reduction info;
  // every partial sum stays until the end
  hml_expr e = hml_integer(f->c, 0);
  for (int i = 0; i < 600; i++) {
    char text[100];
    snprintf(text, sizeof text, "x^%d*y^%d*a^%d/m^%d", i % 7, i % 11, i % 13, i % 5);
    e = hml_add(f->c, e, read(f, text));
  }
  e = hml_mul(f->c, e, hml_add(f->c, e, read(f, "b")));
  hml_limits small = {.max_terms = 1000000, .max_bytes = 300000}, large = {.max_terms = 1000000, .max_bytes = 300000000};
  assert_true(hml_simplify(f->c, e, HML_FORM_NORMAL, 0, NULL, &small, &info) == e);
  assert_string_equal(info.reason, "more than 0.3 MB");
  // many short terms are cheap, few terms of long numbers are not
  assert_true(hml_simplify(f->c, read(f, "(x + y)^60"), HML_FORM_NORMAL, 0, NULL, &small, &info) != NULL);
  assert_int_equal(info.status, HML_OK);
  e = read(f, "(10^900*x + 3^1500*y)^60");
  hml_simplify(f->c, e, HML_FORM_NORMAL, 0, NULL, &small, &info);
  assert_string_equal(info.reason, "more than 0.3 MB");
  e = read(f, "(x + y + a + b)^12");
  assert_true(hml_simplify(f->c, e, HML_FORM_NORMAL, 0, NULL, &large, &info) != e);
  assert_int_equal(info.status, HML_OK);
}

// Many short steps
static hml_expr many_roots(fixture *f, int n) {
  hml_expr sum = hml_integer(f->c, 0);
  for (int i = 1; i <= n; i++) {
    char text[200];
    snprintf(text, sizeof text, "sqrt(%d + (x + %d*y + a + b)^2*(x - y + m*a + %d*J)^2 + sin(x + y)^3)*y^%d", i, i, i, i);
    sum = hml_add(f->c, sum, read(f, text));
  }
  return sum;
}

static void one_limit_bounds_the_whole_call(void **state) {
  fixture *f = *state;
  hml_reduction info;
  hml_expr e = many_roots(f, 40);
  start_counting();
  assert_non_null(hml_simplify(f->c, e, HML_FORM_AUTO, 0, NULL, &(hml_limits){.max_seconds = 1000, .max_terms = 300}, &info));
  long whole = stop_counting();
  assert_true(whole > 2000);
  for (long part = 20; part <= 1000; part *= 7) {
    start_counting();
    assert_non_null(hml_simplify(f->c, e, HML_FORM_AUTO, 0, NULL, &(hml_limits){.max_seconds = 1e-3 * (double)part, .max_terms = 300}, &info));
    // every stage sees that the time is over
    assert_in_range(stop_counting(), part, part + 300);
    assert_non_null(strstr(info.reason, " s"));
  }
}

// Clocks of a fast and of a slow machine
static double standing_clock(void) { return 0; }

static double slow_clock(void) { return 1e-9 * (double)++readings; }

// How many forms came back because of the effort; the results in `results`
static size_t with_effort(fixture *f, double effort, double (*clock)(void), hml_expr *results) {
  size_t n = 0, limited = 0;
  readings = 0;
  hml_budget__use_clock(clock);
  for (int i = 0; i < RICH; i++)
    for (hml_form form = HML_FORM_AUTO; form <= HML_FORM_NORMAL; form++) {
      hml_reduction info;
      results[n] = hml_simplify(f->c, read(f, rich[i]), form, 0, NULL, &(hml_limits){.max_effort = effort}, &info);
      assert_non_null(results[n++]);
      limited += info.status == HML_LIMIT && strstr(info.reason, "more work than") != NULL;
    }
  hml_budget__use_clock(NULL);
  return limited;
}

static void an_effort_ends_alike_on_every_machine(void **state) {
  fixture *f = *state;
  enum { MOST = RICH * 6 };
  hml_expr one[MOST], other[MOST];
  size_t most = with_effort(f, 1e-5, standing_clock, one), fewest = with_effort(f, 10, standing_clock, one);
  assert_true(most > fewest);
  for (double effort = 1e-5; effort < 1; effort *= 3) {
    size_t limited = with_effort(f, effort, standing_clock, one);
    assert_int_equal(with_effort(f, effort, slow_clock, other), limited);
    for (size_t k = 0; k < MOST; k++) assert_ptr_equal(one[k], other[k]);
  }
  double before = hml_effort();
  with_effort(f, 10, NULL, one);
  assert_true(hml_effort() > before);
}

static void a_linear_system_has_one_limit(void **state) {
  fixture *f = *state;
  enum { N = 9 };
  const hml_limits limits = {.max_terms = 2000000, .max_seconds = 0.25};
  hml_expr A[N * N], B[N], X[N], det;
  for (int i = 0; i < N * N; i++) {
    char text[100];
    snprintf(text, sizeof text, "%d*x^%d*sin(y) + a^%d*y^%d + b*m^%d + J", whole(f, 1, 50), whole(f, 0, 3), whole(f, 0, 3), whole(f, 0, 3), whole(f, 0, 3));
    A[i] = read(f, text);
  }
  for (int i = 0; i < N; i++) B[i] = read(f, "x");
  start_counting();
  assert_int_equal(hml_solve_linear(f->c, N, A, 1, B, &limits, X, &det, NULL), HML_LIMIT);
  assert_in_range(stop_counting(), 250, 550);
  assert_non_null(strstr(hml_context_error(f->c)->message, "0.25 s"));
  hml_context_clear_error(f->c);
  assert_usable(f);
}

static void an_interrupt_ends_a_running_call(void **state) {
  fixture *f = *state;
  const hml_limits limits = {.max_seconds = 1000};
  hml_expr e = many_roots(f, 40);
  flag_pressed = hml_context_interrupt_flag(f->c);
  for (press_at = 50; press_at <= 800; press_at *= 4) {
    start_counting();
    assert_fails(f, hml_simplify(f->c, e, HML_FORM_AUTO, 0, NULL, &limits, NULL), HML_INTERRUPTED, "interrupted");
    assert_in_range(stop_counting(), press_at, press_at + 300);
    *flag_pressed = 0;
    assert_usable(f);
  }
  press_at = 0;
}

static void a_failure_of_flint_stays_inside(void **state) {
  fixture *f = *state;
  point p = random_point(f);
  work_through(f, NULL);
  int64_t before = hml_ring__held();
  int gave_up = 0, finished = 0;
  for (int call = 1; call < 300; call += call / 8 + 1) {
    hml_reduction info;
    hml_expr e = read(f, rich[call % RICH]);
    hml_ring__abort_at(call);
    hml_expr got = hml_simplify(f->c, e, HML_FORM_AUTO, 0, NULL, NULL, &info);
    hml_ring__abort_at(0);
    if (info.status == HML_LIMIT) {
      assert_string_equal(info.reason, "the polynomial library gave up");
      gave_up++;
    } else {
      finished++;
    }
    assert_true(fabs(at(f, got, &p) - at(f, e, &p)) < 1e-8 * (1 + fabs(at(f, e, &p))));
    assert_false(hml_failed(f->c));
  }
  assert_true(gave_up > 5 && finished > 0);
  assert_int_equal(hml_ring__held(), before);
  assert_usable(f);
}

// The calls of x^5 - x in its ring are factorisations alone: the first fails, then the square-free one, then both
typedef struct factoring {
  hml_ring *ring;
  int abort_at;
  size_t count;
  bool factored;
} factoring;

static hml_status factor_work(void *data) {
  factoring *q = data;
  hml_ratio *x = hml_ratio__generator(q->ring, 0), *p = hml_ratio__power(q->ring, x, 5);
  p = hml_ratio__mul(q->ring, x, hml_ratio__add(q->ring, p, hml_ratio__integer(q->ring, -1)));
  hml_expr constant;
  hml_ratio *factors[10];
  uint64_t exponents[10];
  hml_ring__abort_at(q->abort_at);
  q->factored = hml_poly__factor(q->ring, p, &constant, 10, factors, exponents, &q->count);
  hml_ring__abort_at(0);
  return HML_OK;
}

static void factoring_falls_back(void **state) {
  fixture *f = *state;
  const hml_budget budget = hml_budget__start(f->c, NULL);
  factoring q = {.ring = hml_ring__new(f->c, 1, 0, &budget)};
  assert_int_equal(hml_ring__guard(q.ring, factor_work, &q), HML_OK);
  assert_true(q.factored && q.count == 3);
  // x (x^5 - 1) is square-free
  q.abort_at = 1;
  assert_int_equal(hml_ring__guard(q.ring, factor_work, &q), HML_OK);
  assert_true(q.factored && q.count >= 1 && q.count < 3);
  hml_ring__free(q.ring);
}

int main(void) {
#define in_fixture(test) fixture_test(test)
  const struct CMUnitTest tests[] = {
      in_fixture(a_term_budget_loses_no_memory),     in_fixture(bytes_are_counted),
      in_fixture(one_limit_bounds_the_whole_call),   in_fixture(a_linear_system_has_one_limit),
      in_fixture(an_interrupt_ends_a_running_call),  in_fixture(a_failure_of_flint_stays_inside),
      in_fixture(factoring_falls_back),              in_fixture(an_effort_ends_alike_on_every_machine),
  };
  return cmocka_run_group_tests_name("budget", tests, NULL, NULL);
}
