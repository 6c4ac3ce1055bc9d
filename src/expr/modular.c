// modular.c: powers, inverses and roots modulo a prime, and the primes that are used.
#include "modular.h"

uint64_t residue_power(const hml_modulus *m, uint64_t a, uint64_t exponent) {
  uint64_t result = m->one;
  for (; exponent; exponent >>= 1) {
    if (exponent & 1) result = residue_mul(m, result, a);
    a = residue_mul(m, a, a);
  }
  return result;
}

uint64_t residue_inverse(const hml_modulus *m, uint64_t a) { return residue_power(m, a, m->p - 2); }

hml_modulus hml_modulus__of(uint64_t p) {
  hml_modulus m = {.p = p};
  uint64_t inverse = 1;
  for (int i = 0; i < 6; i++) inverse *= 2 - p * inverse;              // doubles the bits that are right
  m.inverse = 0 - inverse;
  m.one = (uint64_t)(((hml_wide)1 << 64) % p);
  m.square = (uint64_t)((hml_wide)m.one * m.one % p);
  return m;
}

// Is a an odd number p to which the base is a strong probable prime?
static bool passes(const hml_modulus *m, uint64_t base) {
  uint64_t odd = m->p - 1, minus_one = residue_negated(m, m->one);
  unsigned halvings = 0;
  for (; odd % 2 == 0; odd /= 2) halvings++;
  uint64_t x = residue_power(m, residue_of(m, base), odd);
  if (x == m->one || x == minus_one) return true;
  for (unsigned i = 1; i < halvings; i++) {
    x = residue_mul(m, x, x);
    if (x == minus_one) return true;
  }
  return false;
}

// Certain below 2^64 (Sorenson, Webster 2015)
static bool is_prime(uint64_t p) {
  static const uint64_t bases[] = {2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37};
  hml_modulus m = hml_modulus__of(p);
  for (unsigned i = 0; i < sizeof bases / sizeof *bases; i++)
    if (p % bases[i] == 0 || !passes(&m, bases[i])) return false;
  return true;
}

uint64_t hml_modulus__prime(uint64_t above) {
  uint64_t p = above ? above - 1 : (UINT64_C(1) << 62) - 1;
  while (p % 24 != 23) p--;
  // 2, 3 and 5 are squares; 7 is one where p is none modulo 7 (quadratic reciprocity)
  while (p % 5 != 4 || p % 7 == 0 || p % 7 == 1 || p % 7 == 2 || p % 7 == 4 || !is_prime(p)) p -= 24;
  return p;
}

// 1/odd modulo the even number n
static uint64_t inverse_modulo(uint64_t odd, uint64_t n) {
  int64_t r0 = (int64_t)n, r1 = (int64_t)(odd % n), s0 = 0, s1 = 1;
  while (r1 > 1) {
    int64_t q = r0 / r1, r = r0 - q * r1, s = s0 - q * s1;
    r0 = r1, r1 = r, s0 = s1, s1 = s;
  }
  return r1 == 1 ? (uint64_t)(s1 < 0 ? s1 + (int64_t)n : s1) : 0;
}

bool residue_root(const hml_modulus *m, uint64_t a, unsigned halvings, uint64_t odd, uint64_t *root) {
  for (unsigned i = 0; i < halvings; i++) {
    // of the two roots the one that is a square: the roots of products are the products of the roots
    uint64_t r = residue_power(m, a, (m->p + 1) / 4);
    if (residue_mul(m, r, r) != a) return false;
    a = r;
  }
  if (odd > 1) {
    uint64_t exponent = inverse_modulo(odd, m->p - 1);
    if (exponent == 0) return false;
    a = residue_power(m, a, exponent);
  }
  *root = a;
  return true;
}
