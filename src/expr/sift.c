// sift.c: linear algebra modulo a prime: echelon form, null vectors, and the fractions that residues stand for.
//
// The entries may be residues in any form that is the same for all of them: null vectors do not change when a matrix is multiplied by a number.
#include "budget.h"
#include "expr_impl.h"
#include "heap.h"
#include "modular.h"

#include <string.h>

// row - factor other from column `from` on; a product by a fixed factor needs no division (Shoup)
static void subtract_row(uint64_t p, uint64_t factor, const uint64_t *other, uint64_t *row, size_t from, size_t columns) {
  uint64_t quotient = (uint64_t)(((hml_wide)factor << 64) / p);
  for (size_t j = from; j < columns; j++) {
    uint64_t multiple = (uint64_t)(((hml_wide)quotient * other[j]) >> 64);
    uint64_t rest = row[j] - (factor * other[j] - multiple * p);        // above -2p, as a signed number; without branches
    rest += p & (0 - (rest >> 63));
    row[j] = rest + (p & (0 - (rest >> 63)));
  }
}

static uint64_t multiplied(uint64_t p, uint64_t a, uint64_t b) { return (uint64_t)((hml_wide)a * b % p); }

static uint64_t inverted(uint64_t p, uint64_t a) {
  hml_modulus m = hml_modulus__of(p);
  return residue_plain(&m, residue_inverse(&m, residue_of(&m, a)));
}

hml_status hml_sift__echelon(hml_context *c, uint64_t p, size_t rows, size_t columns, uint64_t *entries, const hml_limits *limits, size_t *pivots, size_t *rank) {
  hml_budget budget = hml_budget__start(c, limits);
  uint64_t **row = hml_alloc(c, (rows + 1) * sizeof *row);
  if (!row) return HML_MEMORY;
  for (size_t i = 0; i < rows; i++) row[i] = entries + i * columns;
  hml_status status = HML_OK;
  size_t done = 0;
  for (size_t j = 0; j < columns && done < rows && status == HML_OK; j++) {
    size_t i = done;
    while (i < rows && row[i][j] == 0) i++;
    if (i == rows) continue;
    uint64_t *pivot = row[i];
    row[i] = row[done];
    row[done] = pivot;
    uint64_t scale = inverted(p, pivot[j]);
    for (size_t k = j; k < columns; k++) pivot[k] = multiplied(p, pivot[k], scale);
    for (i = done + 1; i < rows; i++)
      if (row[i][j]) subtract_row(p, row[i][j], pivot, row[i], j, columns);
    pivots[done++] = j;
    status = hml_check_interrupt(c);
    if (status == HML_OK && hml_budget__is_over(&budget)) status = hml_budget__fail(c, &budget);
  }
  *rank = done;
  // the rows in the order of the pivots
  uint64_t *sorted = status == HML_OK ? hml_alloc(c, (done * columns + 1) * sizeof *sorted) : NULL;
  if (sorted) {
    for (size_t k = 0; k < done; k++) memcpy(sorted + k * columns, row[k], columns * sizeof *sorted);
    memcpy(entries, sorted, done * columns * sizeof *sorted);
    hml_dealloc(c, sorted, (done * columns + 1) * sizeof *sorted);
  } else if (status == HML_OK) {
    status = HML_MEMORY;
  }
  hml_dealloc(c, row, (rows + 1) * sizeof *row);
  return status;
}

void hml_sift__null_vector(uint64_t p, size_t columns, const uint64_t *entries, const size_t *pivots, size_t rank, size_t free, uint64_t *vector) {
  memset(vector, 0, columns * sizeof *vector);
  vector[free] = 1;
  while (rank > 0 && pivots[rank - 1] > free) rank--;
  for (size_t k = rank; k-- > 0;) {
    const uint64_t *row = entries + k * columns;
    hml_wide sum = row[free];
    for (size_t l = k + 1; l < rank; l++) sum += (hml_wide)row[pivots[l]] * vector[pivots[l]] % p;
    uint64_t value = (uint64_t)(sum % p);
    vector[pivots[k]] = value ? p - value : 0;
  }
}

// ---- fractions

enum { SURE_BITS = 20 };               // a wrong fraction is taken for the right one with the probability 2^-20

// Residues and the fraction, made inside hml_heap__try
typedef struct fraction_work {
  size_t n;
  const uint64_t *primes, *residues;
  bool found;
  mpq_t fraction;
} fraction_work;

// x = residues[i] modulo primes[i], 0 <= x < product
static void combine(const fraction_work *w, mpz_t x, mpz_t product) {
  mpz_set_ui(x, w->residues[0]);
  mpz_set_ui(product, w->primes[0]);
  for (size_t i = 1; i < w->n; i++) {
    uint64_t p = w->primes[i], here = mpz_fdiv_ui(x, p), scale = inverted(p, mpz_fdiv_ui(product, p));
    uint64_t step = multiplied(p, w->residues[i] >= here ? w->residues[i] - here : w->residues[i] + p - here, scale);
    mpz_addmul_ui(x, product, step);
    mpz_mul_ui(product, product, p);
  }
}

// The fraction r/s = x modulo m before the largest quotient of Euclid's algorithm, which is about m/(|r| s) (Monagan 2004); the quotient must be large
static void find_fraction(void *data) {
  fraction_work *w = data;
  mpz_t x, m, r0, r1, s0, s1, q, best;
  mpz_inits(x, m, r0, r1, s0, s1, q, best, NULL);
  mpq_init(w->fraction);
  combine(w, x, m);
  mpz_set(r0, m);
  mpz_set(r1, x);
  mpz_set_ui(s1, 1);
  w->found = mpz_sgn(r1) == 0;
  while (mpz_sgn(r1) != 0) {
    mpz_fdiv_qr(q, r0, r0, r1);
    if (mpz_sizeinbase(q, 2) > SURE_BITS && mpz_cmp(q, best) > 0) {
      w->found = true;
      mpz_set(best, q);
      mpz_set(mpq_numref(w->fraction), r1);
      mpz_set(mpq_denref(w->fraction), s1);
    }
    mpz_swap(r0, r1);
    mpz_submul(s0, q, s1);
    mpz_swap(s0, s1);
  }
  mpq_canonicalize(w->fraction);
  mpz_clears(x, m, r0, r1, s0, s1, q, best, NULL);
}

hml_status hml_sift__fraction(hml_context *c, size_t n, const uint64_t *primes, const uint64_t *residues, hml_expr *out) {
  fraction_work w = {.n = n, .primes = primes, .residues = residues};
  *out = NULL;
  if (!hml_heap__try(find_fraction, &w)) return hml_fail(c, HML_MEMORY, "not enough memory for a long number");
  number a;
  number_take(&a, w.fraction);
  if (!w.found) {
    number_clear(&a);
    return HML_OK;
  }
  *out = number_node(c, &a);
  return *out ? HML_OK : hml_context_error(c)->status;
}
