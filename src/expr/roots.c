// roots.c: roots of exact numbers: what is a whole power leaves the root; integers over pairwise coprime ones, whose roots are independent.
#include "expr_impl.h"

#define FIRST_PRIMES 20000              // divisors that are tried
#define MANY_BITS 4096                  // of a number whose small divisors are sought
#define MOST_ROOTS 6                    // the index of roots other than square ones that are brought to one form

// z = out^q * z', as far as small divisors and what they leave tell
static void take_powers(mpz_t z, mpz_t out, unsigned long q) {
  mpz_t rest, power;
  mpz_init_set(rest, z);
  mpz_init(power);
  mpz_set_ui(out, 1);
  mpz_set_ui(z, 1);
  bool few = mpz_sizeinbase(rest, 2) <= MANY_BITS;
  // without divisors up to its root of index q + 1 the rest has at most q prime factors: only as a whole it can be a power
  for (unsigned long p = 2; few && p <= FIRST_PRIMES; p += 1 + (p > 2)) {
    mpz_ui_pow_ui(power, p, q + 1);
    if (mpz_cmp(power, rest) > 0) break;
    for (unsigned long k = 1; mpz_divisible_ui_p(rest, p); k++) {
      mpz_divexact_ui(rest, rest, p);
      mpz_mul_ui(z, z, p);
      if (k % q) continue;
      mpz_mul_ui(out, out, p);
      mpz_ui_pow_ui(power, p, q);
      mpz_divexact(z, z, power);
    }
  }
  if (mpz_root(power, rest, q) != 0) mpz_mul(out, out, power);
  else mpz_mul(z, z, rest);
  mpz_clear(rest);
  mpz_clear(power);
}

static void read_mpz(mpz_t numerator, mpz_t denominator, hml_expr e) {
  number a;
  number_read(&a, e);
  if (a.form == SMALL) {
    mpz_set_si(numerator, (long)a.n);
    mpz_set_si(denominator, (long)a.d);
  } else {
    mpz_set(numerator, mpq_numref(a.q));
    mpz_set(denominator, mpq_denref(a.q));
  }
  number_clear(&a);
}

// n/d in lowest terms as a node
static hml_expr node_of(hml_context *c, mpz_srcptr n, mpz_srcptr d) {
  number a, zero;
  a.form = BIG;
  mpq_init(a.q);
  mpz_set(mpq_numref(a.q), n);
  mpz_set(mpq_denref(a.q), d);
  mpq_canonicalize(a.q);
  // adding zero brings small numbers back to their canonical form
  number_set(&zero, 0, 1);
  number_add(&a, &zero);
  return number_node(c, &a);
}

static hml_expr integer_of(hml_context *c, mpz_srcptr n) {
  mpz_t one;
  mpz_init_set_ui(one, 1);
  hml_expr e = node_of(c, n, one);
  mpz_clear(one);
  return e;
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// (n/d)^(p/q) = (n/d)^w root^r/d^r, root = (n d^(q - 1))^(1/q) without q-th powers, r = p - w q
static hml_expr root_of_ratio(hml_context *c, hml_expr base, int64_t p, int64_t q) {
  mpz_t n, d, z, out;
  mpz_inits(n, d, z, out, NULL);
  read_mpz(n, d, base);
  mpz_pow_ui(z, d, (unsigned long)(q - 1));
  mpz_mul(z, z, n);
  take_powers(z, out, (unsigned long)q);
  int64_t whole = floor_div(p, q), r = p - whole * q;
  // z = m^k: the root of lower index of m, or a higher power of it: 4^(1/3) = 2^(2/3)
  for (unsigned long k = q > 2 ? 64 : 1; k > 1; k--) {
    mpz_t m;
    mpz_init(m);
    bool power = mpz_cmp_ui(z, 1) > 0 && mpz_root(m, z, k) != 0;
    if (power) mpz_set(z, m), r *= (int64_t)k;
    mpz_clear(m);
    if (power) break;
  }
  hml_expr outside = hml_mul(c, hml_pow(c, base, hml_integer(c, whole)), hml_pow(c, node_of(c, out, d), hml_integer(c, p - whole * q)));
  hml_expr root = integer_of(c, z), e = outside;
  if (root && !is_one_node(root)) {
    e = hml_mul(c, e, hml_pow(c, root, hml_integer(c, floor_div(r, q))));
    r -= floor_div(r, q) * q;
    hml_expr exponent = hml_rational(c, r, q);
    if (r > 0 && exponent) e = hml_mul(c, e, node_compound(c, HML_POWER, 0, 2, (hml_expr[]){root, exponent}));
  }
  mpz_clears(n, d, z, out, NULL);
  return e;
}

// The exact q-th root to the power p; NULL if there is none
static hml_expr exact_root(hml_context *c, hml_expr base, int64_t p, int64_t q) {
  if (q > 1000000) return NULL;
  mpz_t n, d;
  mpz_inits(n, d, NULL);
  read_mpz(n, d, base);
  bool exact = mpz_root(n, n, (unsigned long)q) != 0;
  exact = mpz_root(d, d, (unsigned long)q) != 0 && exact;
  hml_expr root = exact ? node_of(c, n, d) : NULL;
  mpz_clears(n, d, NULL);
  return root ? hml_pow(c, root, hml_integer(c, p)) : NULL;
}

hml_expr root_of_number(hml_context *c, hml_expr base, int64_t p, int64_t q) {
  hml_expr e = exact_root(c, base, p, q);
  if (e || hml_failed(c)) return e;
  bool simple = q <= MOST_ROOTS && !base->big && node_small(base)->d < 10000 && p < 1000 && p > -1000;
  if (q == 2 || simple) return root_of_ratio(c, base, p, q);
  return node_compound(c, HML_POWER, 0, 2, (hml_expr[]){base, hml_rational(c, p, q)});
}

// ---- pairwise coprime integers

hml_expr exact_square_root(hml_context *c, hml_expr n) {
  mpz_t z, d;
  mpz_inits(z, d, NULL);
  read_mpz(z, d, n);
  bool exact = mpz_root(z, z, 2) != 0;
  hml_expr e = exact ? integer_of(c, z) : NULL;
  mpz_clears(z, d, NULL);
  return e;
}

static hml_expr greatest_divisor(hml_context *c, hml_expr a, hml_expr b) {
  mpz_t x, y, d;
  mpz_inits(x, y, d, NULL);
  read_mpz(x, d, a);
  read_mpz(y, d, b);
  mpz_gcd(x, x, y);
  hml_expr e = integer_of(c, x);
  mpz_clears(x, y, d, NULL);
  return e;
}

hml_status enter_coprime(hml_context *c, hml_expr n, hml_expr *list, size_t *count, size_t capacity) {
  if (!n) return HML_MEMORY;
  hml_expr root = is_one_node(n) ? n : exact_square_root(c, n);
  if (root) return root == n ? HML_OK : enter_coprime(c, root, list, count, capacity);
  for (size_t i = 0; i < *count; i++) {
    hml_expr b = list[i], g = greatest_divisor(c, n, b);
    if (!g) return HML_MEMORY;
    if (b == n) return HML_OK;
    if (is_one_node(g)) continue;
    list[i] = list[--*count];
    HML_TRY(enter_coprime(c, g, list, count, capacity));
    HML_TRY(enter_coprime(c, hml_div(c, b, g), list, count, capacity));
    return enter_coprime(c, hml_div(c, n, g), list, count, capacity);
  }
  if (*count == capacity) return hml_fail(c, HML_LIMIT, "too many roots of integers");
  list[(*count)++] = n;
  return HML_OK;
}

uint64_t exponent_in(hml_context *c, hml_expr n, hml_expr *rest) {
  uint64_t k = 0;
  for (hml_expr q = hml_div(c, *rest, n); q && is_integer_node(q); q = hml_div(c, q, n)) {
    *rest = q;
    k++;
  }
  return k;
}
