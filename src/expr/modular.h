// modular.h: arithmetic modulo a prime below 2^62, on residues in Montgomery's form: a stands for a 2^64 mod p (Montgomery 1985).
#ifndef HML_MODULAR_H
#define HML_MODULAR_H

#include <stdbool.h>
#include <stdint.h>

__extension__ typedef unsigned __int128 hml_wide;

typedef struct hml_modulus {
  uint64_t p;
  uint64_t inverse;                    // -1/p modulo 2^64
  uint64_t one, square;                // 2^64 and 2^128 modulo p
} hml_modulus;

static inline uint64_t residue_add(const hml_modulus *m, uint64_t a, uint64_t b) {
  uint64_t sum = a + b;
  return sum >= m->p ? sum - m->p : sum;
}
static inline uint64_t residue_negated(const hml_modulus *m, uint64_t a) { return a ? m->p - a : 0; }
static inline uint64_t residue_sub(const hml_modulus *m, uint64_t a, uint64_t b) { return residue_add(m, a, residue_negated(m, b)); }
static inline uint64_t residue_mul(const hml_modulus *m, uint64_t a, uint64_t b) {
  hml_wide product = (hml_wide)a * b;
  hml_wide sum = product + (hml_wide)((uint64_t)product * m->inverse) * m->p;
  uint64_t high = (uint64_t)(sum >> 64);
  return high >= m->p ? high - m->p : high;
}
static inline uint64_t residue_of(const hml_modulus *m, uint64_t plain) { return residue_mul(m, plain, m->square); }   // plain < p
static inline uint64_t residue_plain(const hml_modulus *m, uint64_t a) { return residue_mul(m, a, 1); }

uint64_t residue_power(const hml_modulus *m, uint64_t a, uint64_t exponent);
uint64_t residue_inverse(const hml_modulus *m, uint64_t a);             // of 0: 0
hml_modulus hml_modulus__of(uint64_t p);
// The largest prime below `above` (0: 2^62) of those for which 2, 3, 5 and 7 are squares, the square root that is a square itself is a power, and so is
// the root of order 3, 5, 7 and of their products
uint64_t hml_modulus__prime(uint64_t above);
// The root of odd part `odd` and 2^halvings of a; false where there is none
bool residue_root(const hml_modulus *m, uint64_t a, unsigned halvings, uint64_t odd, uint64_t *root);

#endif
