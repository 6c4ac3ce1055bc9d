// saddle.c: x' written out from k, M, A, r, b; arbiter: elimination with pivoting on the full matrix.
#include "programs.h"

static const hml_pivot_floors floors = {1e-12, 1e-8, 1e-10};

// [M A^T; A 0] (a, -lambda) = (r, -b) in place
static void eliminate(size_t n, double *a, double *side) {
  for (size_t k = 0; k < n; k++) {
    size_t best = k;
    for (size_t i = k + 1; i < n; i++)
      if (fabs(a[i * n + k]) > fabs(a[best * n + k])) best = i;
    for (size_t j = 0; j < n; j++) {
      double kept = a[k * n + j];
      a[k * n + j] = a[best * n + j];
      a[best * n + j] = kept;
    }
    double kept = side[k];
    side[k] = side[best];
    side[best] = kept;
    for (size_t i = 0; i < n; i++) {
      double factor = i == k ? 0 : a[i * n + k] / a[k * n + k];
      for (size_t j = k; j < n; j++) a[i * n + j] -= factor * a[k * n + j];
      side[i] -= factor * side[k];
    }
  }
  for (size_t k = 0; k < n; k++) side[k] /= a[k * n + k];
}

static hml_equation_layout layout_of(size_t kin, size_t n, size_t m) {
  hml_equation_layout l = {.kin = kin, .n = n, .m = m, .mass = kin};
  l.rows = l.mass + n * (n + 1) / 2;
  l.r = l.rows + n * m;
  l.b = l.r + n;
  return l;
}

// Values of x, y, z, x', m
static void solve_and_compare(void **state, size_t kin, size_t n, size_t m, const char *const *texts, bool solved) {
  const hml_equation_layout l = layout_of(kin, n, m);
  const size_t outputs = l.b + m, size = n + m;
  hml_program *p = program_of(state, outputs, texts), *q = NULL;
  size_t margins = 0;
  uint64_t seed = 20261122;
  check_ok(hml_program__solved(*state, p, &l, floors, 100000, &q, &margins));
  assert_int_equal(q != NULL, solved);
  for (int trial = 0; q && trial < 50; trial++) {
    double in[SYMBOLS], out[40], x[40], k[36] = {0}, side[6];
    for (int i = 0; i < SYMBOLS; i++) in[i] = draw_between(&seed, 0.5, 2);
    evaluate(p, in, out);
    evaluate(q, in, x);
    for (size_t i = 0, at = l.mass; i < n; i++)
      for (size_t j = 0; j <= i; j++, at++) k[i * size + j] = k[j * size + i] = out[at];
    for (size_t c = 0; c < m; c++)
      for (size_t j = 0; j < n; j++) k[(n + c) * size + j] = k[j * size + n + c] = out[l.rows + c * n + j];
    for (size_t i = 0; i < n; i++) side[i] = out[l.r + i];
    for (size_t c = 0; c < m; c++) side[n + c] = -out[l.b + c];
    eliminate(size, k, side);
    for (size_t i = 0; i < kin; i++) check_near(x[i], out[i], 0);
    for (size_t i = 0; i < n; i++) check_near(x[kin + i], side[i], 1e-11 * (1 + fabs(side[i])));
    for (size_t i = 0; i < margins; i++) assert_true(x[kin + n + i] > 0);
  }
  hml_program_free(q);
  hml_program_free(p);
}

static void free_and_constrained_systems_are_solved(void **state) {
  solve_and_compare(state, 1, 1, 0, (const char *const[]){"x'", "m", "x*y"}, true);
  solve_and_compare(state, 2, 2, 0, (const char *const[]){"y", "z", "m + 4", "x", "3", "x'", "y - z"}, true);
  // a row with a number for a pivot, and one without
  solve_and_compare(state, 0, 2, 1, (const char *const[]){"m", "0", "2*m", "1", "y", "x", "z", "x'"}, true);
  solve_and_compare(state, 0, 2, 1, (const char *const[]){"m", "0", "2*m", "x", "y", "x", "z", "x'"}, true);
  // two rows beside four accelerations, with entries beside the diagonal
  solve_and_compare(state, 0, 4, 2,
                    (const char *const[]){"m + 2", "0", "m + 3", "x/4", "0", "m + 4", "0", "y/4", "z/4", "5", "1", "x", "0", "y", "0", "z", "1", "x'", "x",
                                          "y", "z", "1", "y", "x'"},
                    true);
}

// A wheel without inertia, tied by rolling: the row makes up for the pivot that M lacks
static void a_row_helps_a_mass_of_zero(void **state) {
  solve_and_compare(state, 0, 2, 1, (const char *const[]){"m", "0", "0", "1", "-y", "x", "0", "0"}, true);
}

static void without_pivot_there_is_no_program(void **state) {
  solve_and_compare(state, 0, 2, 0, (const char *const[]){"m", "0", "0", "x", "y"}, false);
}

static void long_solutions_are_not_written(void **state) {
  const hml_equation_layout l = layout_of(0, 2, 0);
  hml_program *p = program_of(state, 5, (const char *const[]){"m + 4", "x", "3", "x'", "y"}), *q = NULL;
  size_t margins;
  check_ok(hml_program__solved(*state, p, &l, floors, 3, &q, &margins));
  assert_null(q);
  hml_program_free(p);
}

// M = [2 x; x 2]: its determinant vanishes at x = 2, where a margin is not positive
static void a_margin_tells_where_it_does_not_hold(void **state) {
  const hml_equation_layout l = layout_of(0, 2, 0);
  hml_program *p = program_of(state, 5, (const char *const[]){"2", "x", "2", "y", "z"}), *q = NULL;
  size_t margins;
  check_ok(hml_program__solved(*state, p, &l, floors, 1000, &q, &margins));
  assert_true(q && margins > 0);
  for (int k = 0; k < 5; k++) {
    double in[SYMBOLS] = {0.5 * k + 0.5, 1, 3, 0, 1}, x[10], least = INFINITY;
    evaluate(q, in, x);
    for (size_t i = 0; i < margins; i++) least = fmin(least, x[2 + i]);
    assert_int_equal(least > 0, in[0] < 2);
    if (in[0] < 2) check_near(x[0], (2 - 3 * in[0]) / (4 - in[0] * in[0]), 1e-13);
  }
  hml_program_free(q);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(free_and_constrained_systems_are_solved),
      in_context(a_row_helps_a_mass_of_zero),
      in_context(without_pivot_there_is_no_program),
      in_context(long_solutions_are_not_written),
      in_context(a_margin_tells_where_it_does_not_hold),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
