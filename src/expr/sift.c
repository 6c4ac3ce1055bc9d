// sift.c: linear algebra modulo a prime: echelon form, null vectors, and the fractions that residues stand for.
//
// The entries may be residues in any form that is the same for all of them: null vectors do not change when a matrix is multiplied by a number.
#include "budget.h"
#include "expr_impl.h"
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
    if (status == HML_OK && hml_budget__is_over(&budget)) status = hml_fail(c, HML_LIMIT, "more than %g s", budget.max_seconds);
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

// x = residues[i] modulo primes[i], 0 <= x < product
static void combine(size_t n, const uint64_t *primes, const uint64_t *residues, mpz_t x, mpz_t product) {
  mpz_set_ui(x, residues[0]);
  mpz_set_ui(product, primes[0]);
  for (size_t i = 1; i < n; i++) {
    uint64_t p = primes[i], here = mpz_fdiv_ui(x, p), scale = inverted(p, mpz_fdiv_ui(product, p));
    uint64_t step = multiplied(p, residues[i] >= here ? residues[i] - here : residues[i] + p - here, scale);
    mpz_addmul_ui(x, product, step);
    mpz_mul_ui(product, product, p);
  }
}

// The fraction r/s = x modulo m with |r|, s <= sqrt(m/2), which is the only one (Wang, Guy, Davenport 1982)
static bool fraction_of(mpz_t x, mpz_t m, mpq_t result) {
  mpz_t bound, r0, r1, s0, s1, q;
  mpz_inits(bound, r0, r1, s0, s1, q, NULL);
  mpz_fdiv_q_ui(bound, m, 2);
  mpz_sqrt(bound, bound);
  mpz_set(r0, m);
  mpz_set(r1, x);
  mpz_set_ui(s1, 1);
  while (mpz_cmp(r1, bound) > 0) {
    mpz_fdiv_q(q, r0, r1);
    mpz_submul(r0, q, r1);
    mpz_swap(r0, r1);
    mpz_submul(s0, q, s1);
    mpz_swap(s0, s1);
  }
  bool fine = mpz_sgn(s1) != 0 && mpz_cmpabs(s1, bound) <= 0;
  if (fine) {
    mpz_set(mpq_numref(result), r1);
    mpz_set(mpq_denref(result), s1);
    mpq_canonicalize(result);
  }
  mpz_clears(bound, r0, r1, s0, s1, q, NULL);
  return fine;
}

hml_status hml_sift__fraction(hml_context *c, size_t n, const uint64_t *primes, const uint64_t *residues, hml_expr *out) {
  mpz_t x, product;
  mpq_t q;
  mpz_inits(x, product, NULL);
  mpq_init(q);
  combine(n, primes, residues, x, product);
  *out = NULL;
  hml_status status = HML_OK;
  if (fraction_of(x, product, q)) {
    number a;
    number_take(&a, q);
    *out = number_node(c, &a);
    status = *out ? HML_OK : hml_context_error(c)->status;
  } else {
    mpq_clear(q);
  }
  mpz_clears(x, product, NULL);
  return status;
}
