// singular_values.c: arbiters: the product of the factors, Golub and Reinsch's algorithm of GSL, answers by hand.
#include "numeric/numeric.h"
#include "support.h"

#include <gsl/gsl_linalg.h>
#include <string.h>

enum { MOST = 61 };

typedef struct factors {
  double a[MOST * MOST], u[MOST * MOST], v[MOST * MOST], s[2 * MOST];
} factors;

// |U S V^T - A|, |V^T V - 1| and the singular values against those of another algorithm, all beside the largest of these
static void check_factors(factors *f, size_t rows, size_t columns) {
  memcpy(f->u, f->a, rows * columns * sizeof *f->u);
  hml_dense__svd(rows, columns, f->u, f->v, f->s);
  const double largest = f->s[0];
  for (size_t i = 0; i < rows; i++)
    for (size_t j = 0; j < columns; j++) {
      double sum = 0;
      for (size_t k = 0; k < columns; k++) sum += f->u[i * columns + k] * f->s[k] * f->v[j * columns + k];
      assert_true(fabs(sum - f->a[i * columns + j]) <= 1e-13 * largest);
    }
  for (size_t j = 0; j < columns; j++)
    for (size_t k = 0; k < columns; k++) {
      double sum = 0;
      for (size_t i = 0; i < columns; i++) sum += f->v[i * columns + j] * f->v[i * columns + k];
      assert_near(sum, j == k, 1e-13);
    }
  double v[MOST * MOST], s[MOST], work[MOST];
  gsl_matrix_view am = gsl_matrix_view_array(f->a, rows, columns), vm = gsl_matrix_view_array(v, columns, columns);
  gsl_vector_view sm = gsl_vector_view_array(s, columns), wm = gsl_vector_view_array(work, columns);
  assert_int_equal(gsl_linalg_SV_decomp(&am.matrix, &vm.matrix, &sm.vector, &wm.vector), 0);
  for (size_t k = 0; k < columns; k++) assert_true(fabs(s[k] - f->s[k]) <= 1e-13 * largest);
}

static void random_matrices_are_decomposed(void **state) {
  (void)state;
  static factors f;
  for (size_t columns = 1; columns <= 12; columns++)
    for (size_t rows = columns; rows <= columns + 3; rows++) {
      for (size_t i = 0; i < rows * columns; i++) f.a[i] = random_number();
      check_factors(&f, rows, columns);
    }
}

// Velocities across the blades at the middles of the links of a snake, by those of its tail and of the angles: one more unknown than rows
static void null_spaces_of_long_snakes_are_seen(void **state) {
  (void)state;
  static factors f;
  for (size_t n = 10; n < MOST; n += 10) {
    const size_t size = n + 1;
    memset(f.a, 0, sizeof f.a);
    for (size_t k = 0; k < n; k++) {
      double *row = f.a + k * size, angle = 0.1 * sin(0.5 * (double)(k + 1));
      row[0] = -cos(angle);
      for (size_t j = 0; j <= k; j++) row[j + 1] = -cos(0.1 * sin(0.5 * (double)(j + 1)) - angle) * (j == k ? 0.5 : 1);
      const double norm = hml_dense__norm(size, row);
      for (size_t j = 0; j < size; j++) row[j] /= norm;
    }
    check_factors(&f, size, size);
    assert_int_equal(hml_dense__rank(size, f.s, 1e-10), n);
    assert_true(f.s[n] <= 1e-14 * f.s[0]);
  }
}

// Graded columns: an algorithm without relative accuracy loses the small ones
static void small_values_keep_their_digits(void **state) {
  (void)state;
  double a[] = {1, 1e-9, 1, -1e-9}, v[4], s[4];
  hml_dense__svd(2, 2, a, v, s);
  assert_near(s[0], sqrt(2), 1e-15);
  assert_near(s[1], 1e-9 * sqrt(2), 1e-24);
}

static void squares_neither_overflow_nor_vanish(void **state) {
  (void)state;
  const double sizes[] = {1e200, 1e-200};
  for (int i = 0; i < 2; i++) {
    double a[] = {3 * sizes[i], 0, 4 * sizes[i], 5 * sizes[i]}, v[4], s[4];
    hml_dense__svd(2, 2, a, v, s);
    assert_near(s[0] / sizes[i], sqrt(45), 1e-14);
    assert_near(s[1] / sizes[i], sqrt(5), 1e-14);
  }
}

// arbiter: by hand; x + y = 2 twice and z free: the shortest answer is (1, 1, 0)
static void the_shortest_answer_is_found(void **state) {
  (void)state;
  double a[] = {1, 1, 0, 1, 1, 0, 0, 0, 0}, v[9], s[9], x[3], weights[3];
  hml_dense__svd(3, 3, a, v, s);
  assert_int_equal(hml_dense__rank(3, s, 1e-10), 1);
  hml_dense__svd_solve(3, 3, a, v, s, 1e-10, (double[]){2, 2, 0}, x);
  assert_near(x[0], 1, 1e-15);
  assert_near(x[1], 1, 1e-15);
  assert_near(x[2], 0, 1e-15);
  hml_dense__null_weights(3, v, s, 1e-10, weights);
  assert_near(weights[0], sqrt(0.5), 1e-15);
  assert_near(weights[2], 1, 1e-15);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_matrices_are_decomposed), cmocka_unit_test(null_spaces_of_long_snakes_are_seen),
                                     cmocka_unit_test(small_values_keep_their_digits), cmocka_unit_test(squares_neither_overflow_nor_vanish),
                                     cmocka_unit_test(the_shortest_answer_is_found)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
