// tests src/program/relaxed.c: products by blocks are those of plain dots, with radii as small, whatever is omitted
#include "support.h"

#include "program/relaxed.h"

#ifdef HAMEL_ARB

enum { LENGTH = 301, BITS = 700 };

// a_k of about 2^(growth k), a few of them zero
static arb_ptr random_series(flint_rand_t state, slong growth, bool exact) {
  arb_ptr a = _arb_vec_init(LENGTH);
  for (slong k = 0; k < LENGTH; k++) {
    if (n_randint(state, 9) == 0) continue;
    arb_urandom(a + k, state, BITS);
    arb_mul_2exp_si(a + k, a + k, growth * k);
    if (n_randint(state, 2)) arb_neg(a + k, a + k);
    if (exact) mag_zero(arb_radref(a + k));
    else if (n_randint(state, 3)) arb_mul_2exp_si(a + k, a + k, (slong)n_randint(state, 40));
  }
  return a;
}

static void check(arb_srcptr a, arb_srcptr b, int omitted, int less, bool with_first, bool falling) {
  hml_relaxed p;
  arb_t first, r, sum, size;
  arb_init(first), arb_init(r), arb_init(sum), arb_init(size);
  hml_relaxed__open(&p, LENGTH, falling ? 2 * BITS : BITS);
  for (slong k = 0; k < LENGTH; k++) {
    if (k == 0 && omitted) continue;
    slong bits = falling ? BITS - BITS * k / (LENGTH + 2) + 40 : BITS, head = omitted & HML_OMIT_FIRST ? 1 : 0, last = omitted & HML_OMIT_LAST ? 1 : 0;
    arb_set_si(first, with_first ? k : 0);
    hml_relaxed__order(&p, r, with_first ? first : NULL, less, a, b, k, omitted, bits);
    // to many bits, and the size of its terms
    arb_set(sum, first), arb_abs(size, first);
    for (slong i = head; i <= k - last; i++) {
      if (less) arb_submul(sum, a + i, b + k - i, 2 * BITS);
      else arb_addmul(sum, a + i, b + k - i, 2 * BITS);
      arb_t term;
      arb_init(term);
      arb_mul(term, a + i, b + k - i, 64), arb_abs(term, term), arb_add(size, size, term, 64);
      arb_clear(term);
    }
    // the radius is that of the terms and of the precision, up to a small factor
    if (!arb_overlaps(r, sum)) fail_msg("order %ld: %s, not %s", k, arb_get_str(r, 20, 0), arb_get_str(sum, 20, 0));
    mag_t allowed;
    mag_init(allowed);
    arb_get_mag(allowed, size);
    mag_mul_2exp_si(allowed, allowed, 6 - bits);
    for (int i = 0; i < 2; i++) mag_add(allowed, allowed, arb_radref(sum));
    if (mag_cmp(arb_radref(r), allowed) > 0) fail_msg("order %ld: %s is wider than %s", k, arb_get_str(r, 20, 0), arb_get_str(sum, 20, 0));
    mag_clear(allowed);
  }
  hml_relaxed__close(&p);
  arb_clear(first), arb_clear(r), arb_clear(sum), arb_clear(size);
}

static void blocks_give_the_product(void **unused) {
  (void)unused;
  flint_rand_t state;
  flint_randinit(state);
  for (int round = 0; round < 6; round++) {
    slong growth = (slong)n_randint(state, 7) - 3;
    arb_ptr a = random_series(state, growth, round % 3 == 0), b = random_series(state, growth, round % 2 == 0);
    for (int omitted = 0; omitted < 4; omitted++) {
      check(a, b, omitted, round & 1, round & 2, round > 2);
      if (omitted == 0 || omitted == 3) check(a, a, omitted, round & 1, round & 2, round > 2);
    }
    _arb_vec_clear(a, LENGTH), _arb_vec_clear(b, LENGTH);
  }
  flint_randclear(state);
}

// Points within the factors have their product within the result
static void products_of_points_lie_within(void **unused) {
  (void)unused;
  flint_rand_t state;
  flint_randinit(state);
  hml_relaxed p, q;
  hml_relaxed__open(&p, LENGTH, 200), hml_relaxed__open(&q, LENGTH, 2000);
  for (int round = 0; round < 4; round++) {
    arb_ptr a = random_series(state, -1, false), b = random_series(state, 1, false), x = _arb_vec_init(LENGTH), y = _arb_vec_init(LENGTH);
    hml_relaxed__restart(&p), hml_relaxed__restart(&q);
    arb_t r, e;
    arb_init(r), arb_init(e);
    for (slong k = 0; k < LENGTH; k++) {
      // an end of each ball, of signs that add up
      for (int which = 0; which < 2; which++) {
        arb_srcptr from = which ? b + k : a + k;
        arb_ptr to = which ? y + k : x + k;
        arb_get_rad_arb(e, from);
        arb_get_mid_arb(to, from);
        if (arb_is_negative(from)) arb_sub(to, to, e, ARF_PREC_EXACT);
        else arb_add(to, to, e, ARF_PREC_EXACT);
        mag_zero(arb_radref(to));
      }
    }
    for (slong k = 0; k < LENGTH; k++) {
      hml_relaxed__order(&p, r, NULL, 0, a, b, k, 0, 200);
      hml_relaxed__order(&q, e, NULL, 0, x, y, k, 0, 2000);
      assert_true(arb_overlaps(r, e));
    }
    arb_clear(r), arb_clear(e);
    _arb_vec_clear(a, LENGTH), _arb_vec_clear(b, LENGTH), _arb_vec_clear(x, LENGTH), _arb_vec_clear(y, LENGTH);
  }
  hml_relaxed__close(&p), hml_relaxed__close(&q);
  flint_randclear(state);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(blocks_give_the_product), cmocka_unit_test(products_of_points_lie_within)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_arb(void **state) { (void)state, skip(); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_arb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
