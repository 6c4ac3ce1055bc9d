// spectrum.c: multipliers of closed orbits, as balls: the roots of the characteristic polynomial of the monodromy matrix without the ones that every
// orbit of its kind has.
#define HML_BALLS
#include "integrate.h"

#ifdef HAMEL_ARB

enum { SPECTRUM_BITS = 128 };

// p without its factor x - 1: the remainder is zero
static void divide_out_one(arb_poly_t p) {
  slong n = arb_poly_degree(p);
  arb_poly_t q;
  arb_t carry;
  arb_poly_init(q), arb_init(carry);
  for (slong k = n; k > 0; k--) {
    arb_add(carry, carry, arb_poly_get_coeff_ptr(p, k), SPECTRUM_BITS);
    arb_poly_set_coeff_arb(q, k - 1, carry);
  }
  arb_poly_swap(p, q);
  arb_poly_clear(q), arb_clear(carry);
}

bool hml_orbit_multipliers(const arb_mat_struct *monodromy, size_t ones, acb_ptr out) {
  slong n = arb_mat_nrows(monodromy), count = n - (slong)ones;
  if (count <= 0) return count == 0;
  arb_poly_t p;
  acb_poly_t q;
  arb_poly_init(p), acb_poly_init(q);
  arb_mat_charpoly(p, monodromy, SPECTRUM_BITS);
  for (size_t k = 0; k < ones; k++) divide_out_one(p);
  acb_poly_set_arb_poly(q, p);
  bool apart = acb_poly_degree(q) == count && acb_poly_find_roots(out, q, NULL, 0, SPECTRUM_BITS) == count;
  // a root that is apart from all others and whose ball meets its mirror image, which holds a root, too, is real
  for (slong i = 0; i < count && apart; i++) {
    bool real = arb_contains_zero(acb_imagref(out + i));
    for (slong j = 0; j < count && real; j++) {
      acb_conj(out + i, out + i);
      real = j == i || !acb_overlaps(out + i, out + j);
      acb_conj(out + i, out + i);
    }
    if (real) arb_zero(acb_imagref(out + i));
  }
  arb_poly_clear(p), acb_poly_clear(q);
  return apart;
}

#endif
