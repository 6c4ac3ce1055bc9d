// rank.c: independent rows among others, by size and by order.
#include "mechanics/mechanics_impl.h"

#include <math.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { M = 4, N = 3 };

static size_t choose(const double *a, size_t *kept) {
  double work[M * N];
  return hml_rank__choose(M, N, a, 1e-6, work, kept);
}

static void the_rank_is_found(void **state) {
  (void)state;
  size_t kept[M];
  const double full[M * N] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
  assert_int_equal(choose(full, kept), 3);
  const double two[M * N] = {1, 2, 3, 2, 4, 6, 0, 1, 0, 1, 3, 3};
  assert_int_equal(choose(two, kept), 2);
  assert_int_equal(kept[0], 0);
  assert_int_equal(kept[1], 2);
  assert_int_equal(choose((double[M * N]){0}, kept), 0);
}

// An early row is kept unless it stands nearly in the span of those kept
static void early_rows_are_preferred_and_nearly_dependent_ones_are_not(void **state) {
  (void)state;
  size_t kept[M];
  const double a[M * N] = {1, 0, 0, 1, 1e-3, 0, 0, 1e5, 0, 0, 0, 1e-9};
  assert_int_equal(choose(a, kept), 3);
  assert_int_equal(kept[0], 0);
  assert_int_equal(kept[1], 2);        // not 1, a thousandth of which is new
  assert_int_equal(kept[2], 3);        // the size of a row says nothing
}

// A row that differs from another by less than the floor depends on it
static void the_floor_decides(void **state) {
  (void)state;
  size_t kept[M];
  for (int power = 1; power < 14; power++) {
    const double a[M * N] = {1, 1, 0, 1, 1 + pow(10, -power), 0, 1, 1, 0, 1, 1, 0};
    assert_int_equal(choose(a, kept), power <= 5 ? 2 : 1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_rank_is_found),
      cmocka_unit_test(early_rows_are_preferred_and_nearly_dependent_ones_are_not),
      cmocka_unit_test(the_floor_decides),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
