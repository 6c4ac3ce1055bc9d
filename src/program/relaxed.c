// relaxed.c: relaxed products of power series in balls.
//
// Order k of a product asks for the pairs (i, j), i + j = k. A binary tree over the orders halves the interval [l, r) at m, down to leaves; at m all
// coefficients below m are known, and those of [l, m) give to the orders of [m, r), by fast products of polynomials:
//   l = 0     a[0, m) b[0, m)
//   l > 0     a[l, m) b[0, r - l) and b[l, m) a[0, r - l), whose pairs differ since r - l <= l
// Within a leaf the pairs with an index in the leaf are left: two short dot products. So each pair counts once, and a product of N orders costs
// O(M(N) log N) where M(N) is that of a fast product. Source: Fischer and Stockmeyer 1974; van der Hoeven 2002, section 4.
#include "relaxed.h"

#ifdef HAMEL_ARB

// Measured on the sleigh of tests/bench/enclosures.lua: blocks break even at 730 bits, and cost a half at 1100, a quarter at 3400
enum { LEAF = 32, LONG_LEAF = 64, MANY_BITS = 1200, LEAST = 256, LEAST_BITS = 800, GUARD = 16 };

bool hml_relaxed__pays(slong length, slong bits) { return length >= LEAST && bits >= LEAST_BITS; }

void hml_relaxed__open(hml_relaxed *p, slong length, slong bits) {
  *p = (hml_relaxed){.sums = _arb_vec_init(length), .length = length, .leaf = bits < MANY_BITS ? LONG_LEAF : LEAF};
}

void hml_relaxed__close(hml_relaxed *p) {
  if (p->sums) _arb_vec_clear(p->sums, p->length);
  p->sums = NULL;
}

void hml_relaxed__restart(hml_relaxed *p) {
  if (p->sums) _arb_vec_zero(p->sums, p->length);
}

// More bits than the orders to come are wanted to would only make the product slower
static arb_ptr rounded(arb_srcptr a, slong n, slong bits) {
  arb_ptr r = _arb_vec_init(n);
  for (slong i = 0; i < n; i++) arb_set_round(r + i, a + i, bits + GUARD);
  return r;
}

// sums from order `to` on += the orders from `skip` to n of the product of these pieces
static void add_piece(hml_relaxed *p, slong to, slong skip, slong n, arb_srcptr a, slong na, arb_srcptr b, slong nb, bool twice, slong bits) {
  if (n > na + nb - 1) n = na + nb - 1;
  if (n <= skip) return;
  bool square = a == b && na == nb;
  arb_ptr x = rounded(a, na, bits), y = square ? x : rounded(b, nb, bits), r = _arb_vec_init(n);
  if (na >= nb) _arb_poly_mullow_block(r, x, na, y, nb, n, bits + GUARD);
  else _arb_poly_mullow_block(r, y, nb, x, na, n, bits + GUARD);
  for (slong i = skip; i < n; i++) {
    arb_ptr sum = p->sums + to + i - skip;
    if (twice) arb_mul_2exp_si(r + i, r + i, 1);
    arb_add(sum, sum, r + i, bits);
  }
  _arb_vec_clear(x, na);
  if (!square) _arb_vec_clear(y, nb);
  _arb_vec_clear(r, n);
}

static void add_blocks(hml_relaxed *p, arb_srcptr a, arb_srcptr b, slong m, slong bits) {
  slong half = p->leaf;
  while (!(m & half)) half *= 2;
  slong l = m - half, r = m + half;
  if (r > p->length) r = p->length;
  if (l == 0) {
    add_piece(p, m, m, r, a, m, b, m, false, bits);
  } else {
    add_piece(p, m, half, r - l, a + l, half, b, r - l, a == b, bits);
    if (a != b) add_piece(p, m, half, r - l, b + l, half, a, r - l, false, bits);
  }
}

// r += or -= 2 sum over i of a_(l+i) a_(k-l-i), and the square in the middle
static void add_twice(arb_ptr r, int less, arb_srcptr a, slong l, slong n, slong k, bool middle, slong bits) {
  arb_t sum;
  arb_init(sum);
  arb_dot(sum, NULL, less, a + l, 1, a + k - l, -1, n, bits);
  arb_mul_2exp_si(sum, sum, 1);
  if (middle) arb_dot(sum, sum, less, a + k / 2, 1, a + k / 2, 1, 1, bits);
  arb_add(r, r, sum, bits);
  arb_clear(sum);
}

void hml_relaxed__order(hml_relaxed *p, arb_ptr r, arb_srcptr first, int less, arb_srcptr a, arb_srcptr b, slong k, int omitted, slong bits) {
  enum { FEW = 6 };
  slong head = omitted & HML_OMIT_FIRST ? 1 : 0, last = omitted & HML_OMIT_LAST ? 1 : 0;
  bool square = a == b && head == last;
  if (!p || !p->sums || k < p->leaf) {
    if (!square || k < FEW) {
      arb_dot(r, first, less, a + head, 1, b + k - head, -1, k + 1 - head - last, bits);
      return;
    }
    if (!first) arb_zero(r);
    else arb_set(r, first);
    add_twice(r, less, a, head, (k + 1) / 2 - head, k, k % 2 == 0, bits);
    return;
  }
  slong l = k - k % p->leaf;
  if (k == l) add_blocks(p, a, b, k, bits);
  if (less && first) arb_sub(r, first, p->sums + k, bits);
  else if (less) arb_neg(r, p->sums + k);
  else if (first) arb_add(r, first, p->sums + k, bits);
  else arb_set(r, p->sums + k);
  if (square) {
    add_twice(r, less, a, l, k - l + 1 - last, k, false, bits);
    return;
  }
  arb_dot(r, r, less, a + l, 1, b + k - l, -1, k - l + 1 - last, bits);
  arb_dot(r, r, less, b + l, 1, a + k - l, -1, k - l + 1 - head, bits);
}

#endif
