// roots.c: roots of exact numbers: whole powers leave the root; integers are split into coprime ones, whose roots are independent.
#include "expr_impl.h"
#include "heap.h"

#define FIRST_PRIMES 20000              // divisors that are tried
#define MANY_BITS 4096                  // of a number whose small divisors are sought
#define MOST_INDEX 1000000              // of a root that may be exact
#define MOST_ROOTS 6                    // the index of roots other than square ones that are brought to one form

// A request to GMP and its results: separate numbers, made inside hml_heap__try
typedef struct root_work {
  hml_expr a, b;                       // exact; b: of a divisor
  unsigned long q;
  bool exact;
  unsigned long power;
  mpq_t root, rest;                    // filled as the heads above say
} root_work;

static void read_mpz(mpz_t numerator, mpz_t denominator, hml_expr e) {
  if (e->big) {
    mpz_init_set(numerator, mpq_numref(node_mpq(e)));
    mpz_init_set(denominator, mpq_denref(node_mpq(e)));
  } else {
    mpz_init_set_si(numerator, (long)node_small(e)->n);
    mpz_init_set_si(denominator, (long)node_small(e)->d);
  }
}

static hml_status work_of_gmp(hml_context *c, void (*work)(void *), root_work *w) {
  return hml_heap__try(work, w) ? HML_OK : hml_fail(c, HML_MEMORY, "not enough memory for a long number");
}

static hml_expr node_of(hml_context *c, mpq_srcptr q) {
  number a;
  number_take(&a, q);
  return number_node(c, &a);
}

// z = out^q z', as far as small divisors and their remainder show
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

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// n/d = a: root = out/d and the integer rest with n d^(q - 1) = out^q rest^power
static void split_powers(void *data) {
  root_work *w = data;
  mpz_t n, d, m;
  read_mpz(n, d, w->a);
  mpz_init(m);
  mpq_init(w->root);
  mpq_init(w->rest);
  mpz_ptr z = mpq_numref(w->rest);
  mpz_pow_ui(z, d, w->q - 1);
  mpz_mul(z, z, n);
  take_powers(z, mpq_numref(w->root), w->q);
  mpz_set(mpq_denref(w->root), d);
  mpq_canonicalize(w->root);
  // z = m^k: the root of lower index of m, or a higher power of it: 4^(1/3) = 2^(2/3)
  w->power = 1;
  for (unsigned long k = w->q > 2 ? 64 : 1; k > 1 && w->power == 1; k--) {
    if (mpz_cmp_ui(z, 1) == 0 || mpz_root(m, z, k) == 0) continue;
    mpz_set(z, m);
    w->power = k;
  }
  mpz_clears(n, d, m, NULL);
}

// (n/d)^(p/q) = (n/d)^w (out/d)^r rest^(r power/q), r = p - w q
static hml_expr root_of_ratio(hml_context *c, hml_expr base, int64_t p, int64_t q) {
  root_work w = {.a = base, .q = (unsigned long)q};
  if (work_of_gmp(c, split_powers, &w) != HML_OK) return NULL;
  int64_t whole = floor_div(p, q), r = p - whole * q;
  hml_expr out = node_of(c, w.root), rest = node_of(c, w.rest);
  hml_expr outside = hml_mul(c, hml_pow(c, base, hml_integer(c, whole)), hml_pow(c, out, hml_integer(c, r)));
  if (!rest || is_one_node(rest)) return rest ? outside : NULL;
  r *= (int64_t)w.power;
  hml_expr e = hml_mul(c, outside, hml_pow(c, rest, hml_integer(c, floor_div(r, q))));
  r -= floor_div(r, q) * q;
  return r > 0 ? hml_mul(c, e, node_compound(c, HML_POWER, 0, 2, (hml_expr[]){rest, hml_rational(c, r, q)})) : e;
}

// root^q = a if exact
static void find_root(void *data) {
  root_work *w = data;
  mpz_t n, d;
  read_mpz(n, d, w->a);
  mpq_init(w->root);
  w->exact = mpz_root(mpq_numref(w->root), n, w->q) != 0 && mpz_root(mpq_denref(w->root), d, w->q) != 0;
  mpz_clears(n, d, NULL);
}

// NULL if there is none
static hml_expr exact_root(hml_context *c, hml_expr a, int64_t q) {
  root_work w = {.a = a, .q = (unsigned long)q};
  if (work_of_gmp(c, find_root, &w) != HML_OK) return NULL;
  if (w.exact) return node_of(c, w.root);
  mpq_clear(w.root);
  return NULL;
}

hml_expr root_of_number(hml_context *c, hml_expr base, int64_t p, int64_t q) {
  hml_expr root = q <= MOST_INDEX ? exact_root(c, base, q) : NULL;
  if (root || hml_failed(c)) return hml_pow(c, root, hml_integer(c, p));
  bool simple = q <= MOST_ROOTS && !base->big && node_small(base)->d < 10000 && p < 1000 && p > -1000;
  if (q == 2 || simple) return root_of_ratio(c, base, p, q);
  return node_compound(c, HML_POWER, 0, 2, (hml_expr[]){base, hml_rational(c, p, q)});
}

// ---- pairwise coprime integers

hml_expr exact_square_root(hml_context *c, hml_expr n) { return exact_root(c, n, 2); }

// Both numbers are integers
static void read_integers(mpz_t a, mpz_t b, const root_work *w) {
  mpz_t one;
  read_mpz(a, one, w->a);
  mpz_clear(one);
  read_mpz(b, one, w->b);
  mpz_clear(one);
}

// root = the greatest divisor of integers a and b
static void find_divisor(void *data) {
  root_work *w = data;
  mpz_t a, b;
  read_integers(a, b, w);
  mpq_init(w->root);
  mpz_gcd(mpq_numref(w->root), a, b);
  mpz_clears(a, b, NULL);
}

static hml_expr greatest_divisor(hml_context *c, hml_expr a, hml_expr b) {
  root_work w = {.a = a, .b = b};
  return work_of_gmp(c, find_divisor, &w) == HML_OK ? node_of(c, w.root) : NULL;
}

// rest: the integer a divided by the power of b that it contains
static void take_out(void *data) {
  root_work *w = data;
  mpz_t a, b;
  read_integers(a, b, w);
  mpq_init(w->rest);
  w->power = mpz_remove(mpq_numref(w->rest), a, b);
  mpz_clears(a, b, NULL);
}

uint64_t exponent_in(hml_context *c, hml_expr n, hml_expr *rest) {
  root_work w = {.a = *rest, .b = n};
  if (!*rest) return 0;
  *rest = work_of_gmp(c, take_out, &w) == HML_OK ? node_of(c, w.rest) : NULL;
  return w.power;
}

// With b of the list, taken out of it: b = g^i b' and n = g^j n' are products of g, b' and n'
static hml_status split_by(hml_context *c, hml_expr n, hml_expr b, hml_expr g, hml_expr *list, size_t *count, size_t capacity) {
  exponent_in(c, g, &n);
  exponent_in(c, g, &b);
  HML_TRY(enter_coprime(c, g, list, count, capacity));
  HML_TRY(enter_coprime(c, b, list, count, capacity));
  return enter_coprime(c, n, list, count, capacity);
}

hml_status enter_coprime(hml_context *c, hml_expr n, hml_expr *list, size_t *count, size_t capacity) {
  if (!n) return hml_context_error(c)->status;
  HML_TRY(hml_check_interrupt(c));
  hml_expr root = is_one_node(n) ? n : exact_square_root(c, n);
  if (root) return root == n ? HML_OK : enter_coprime(c, root, list, count, capacity);
  if (hml_failed(c)) return hml_context_error(c)->status;
  for (size_t i = 0; i < *count; i++) {
    hml_expr b = list[i], g = greatest_divisor(c, n, b);
    if (!g) return hml_context_error(c)->status;
    if (b == n) return HML_OK;
    if (is_one_node(g)) continue;
    list[i] = list[--*count];
    return split_by(c, n, b, g, list, count, capacity);
  }
  if (*count == capacity) return hml_fail(c, HML_LIMIT, "too many roots of integers");
  list[(*count)++] = n;
  return HML_OK;
}
