// number.c: exact rationals (64-bit while they fit, GMP beyond), inexact numbers, decimals from text and from Lua numbers.
//
// Inexact numbers are sums of two doubles (Dekker, A floating-point technique for extending the available precision, 1971): sums and products of doubles have
// 100 bits and more, so that equations whose terms cancel keep the digits that the doubles given have. With each goes a bound of what rounding has
// changed since the doubles were given: a sum that cancels to less than its bound may be zero. Numbers that leave the range of doubles are refused:
// beside an underflow 1e-200 * 1e-200 * 1e300 would be 0.
//
// GMP is called inside hml_heap__try alone. A number for which memory ended is LOST, and so is what is computed with it; it is neither
// zero nor one, and number_node reports it.
#include "expr_impl.h"
#include "heap.h"

#include <ctype.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DENOMINATOR 10000           // of a fraction recovered from a double
#define MAX_CHANCE 1e-6                 // that a double taken at random is the nearest one to a fraction with a denominator up to that of the one recovered
#define MAX_EXPONENT 5000               // of a decimal text

static int64_t gcd(int64_t a, int64_t b) {
  uint64_t x = a < 0 ? -(uint64_t)a : (uint64_t)a, y = b < 0 ? -(uint64_t)b : (uint64_t)b;
  while (y) {
    uint64_t r = x % y;
    x = y;
    y = r;
  }
  return (int64_t)x;
}

void number_set_float(number *a, double x) {
  number_set_pair(a, x, 0);
}

void number_set_pair(number *a, double x, double low) {
  a->form = INEXACT;
  a->x = x + low;
  a->low = isfinite(a->x) && isfinite(low) ? low - (a->x - x) : 0;
  a->error = 0;
}

static void set_z(mpz_t z, int64_t v) {
  uint64_t magnitude = v < 0 ? -(uint64_t)v : (uint64_t)v;
  mpz_import(z, 1, 1, sizeof magnitude, 0, 0, &magnitude);
  if (v < 0) mpz_neg(z, z);
}

static bool fits(mpz_srcptr z, int64_t *out) {
  if (!mpz_fits_slong_p(z) || mpz_cmp_si(z, -INT64_MAX) < 0) return false;
  *out = mpz_get_si(z);
  return true;
}

// Back to 64 bits where possible, so that equal numbers have one form
static void make_small(number *a) {
  int64_t n, d;
  if (a->form != BIG || !fits(mpq_numref(a->q), &n) || !fits(mpq_denref(a->q), &d)) return;
  mpq_clear(a->q);
  number_set(a, n, d);
}

static void lose(number *a) {
  number_clear(a);
  a->form = LOST;
}

// ---- work of GMP: out of exact numbers a and b a new one

typedef struct big_work {
  void (*op)(struct big_work *w);
  const number *a, *b;
  const char *digits;                  // of a decimal integer
  int64_t k;
  mpq_t out;
} big_work;

// An exact number as GMP reads it; room is filled if it is needed, and left to the heap when the work is over
static mpq_srcptr as_mpq(mpq_t room, const number *a) {
  if (a->form == BIG) return a->q;
  mpq_init(room);
  set_z(mpq_numref(room), a->n);
  set_z(mpq_denref(room), a->d);
  return room;
}

static void done_with(mpq_t room, const number *a) {
  if (a->form != BIG) mpq_clear(room);
}

static void run_op(void *data) {
  big_work *w = data;
  mpq_init(w->out);
  w->op(w);
}

// *a = op(w->a, w->b)
static void big(number *a, big_work w) {
  bool fine = hml_heap__try(run_op, &w);
  number_clear(a);
  if (!fine) {
    lose(a);
    return;
  }
  a->form = BIG;
  a->q[0] = w.out[0];
  make_small(a);
}

static void op_copy(big_work *w) { mpq_set(w->out, w->a->q); }

static void op_add(big_work *w) {
  mpq_t x, y;
  mpq_add(w->out, as_mpq(x, w->a), as_mpq(y, w->b));
  done_with(x, w->a);
  done_with(y, w->b);
}

static void op_mul(big_work *w) {
  mpq_t x, y;
  mpq_mul(w->out, as_mpq(x, w->a), as_mpq(y, w->b));
  done_with(x, w->a);
  done_with(y, w->b);
}

static void op_div(big_work *w) {
  mpq_t x, y;
  mpq_div(w->out, as_mpq(x, w->a), as_mpq(y, w->b));
  done_with(x, w->a);
  done_with(y, w->b);
}

static void op_power(big_work *w) {
  mpq_t x;
  mpq_srcptr base = as_mpq(x, w->a);
  unsigned long e = w->k < 0 ? -(unsigned long)w->k : (unsigned long)w->k;
  mpz_pow_ui(mpq_numref(w->out), mpq_numref(base), e);
  mpz_pow_ui(mpq_denref(w->out), mpq_denref(base), e);
  if (w->k < 0) mpq_inv(w->out, w->out);
  done_with(x, w->a);
}

// digits * 10^k
static void op_decimal(big_work *w) {
  mpz_t scale;
  mpz_init(scale);
  mpz_set_str(mpq_numref(w->out), w->digits, 10);
  mpz_ui_pow_ui(scale, 10, (unsigned long)llabs(w->k));
  if (w->k > 0) mpz_mul(mpq_numref(w->out), mpq_numref(w->out), scale);
  else mpz_set(mpq_denref(w->out), scale);
  mpz_clear(scale);
  mpq_canonicalize(w->out);
}

static void op_numerator(big_work *w) { mpz_set(mpq_numref(w->out), mpq_numref(w->a->q)); }

static void op_denominator(big_work *w) { mpz_set(mpq_numref(w->out), mpq_denref(w->a->q)); }

static void op_exact(big_work *w) {
  mpq_t low;
  mpq_init(low);
  mpq_set_d(w->out, w->a->x);
  mpq_set_d(low, w->a->low);
  mpq_add(w->out, w->out, low);
  mpq_clear(low);
}

void number_copy(number *a, const number *b) {
  number_set(a, 0, 1);
  if (b->form == BIG) big(a, (big_work){.op = op_copy, .a = b});
  else *a = *b;
}

void number_read(number *a, hml_expr node) {
  if (node->kind == HML_FLOAT) {
    number_set_pair(a, node_float(node), node_low(node));
    a->error = node_error(node);
  } else if (node->big) {
    number_copy(a, &(number){.form = BIG, .q = {*node_mpq(node)}});
  } else {
    number_set(a, node_small(node)->n, node_small(node)->d);
  }
}

void number_parts(hml_expr node, number *numerator, number *denominator) {
  number_set(numerator, 0, 1);
  number_set(denominator, 0, 1);
  number_read(numerator, node);
  *denominator = (number){.form = SMALL, .n = numerator->d, .d = 1};
  if (numerator->form == SMALL) numerator->d = 1;
  if (numerator->form != BIG) return;
  big(denominator, (big_work){.op = op_denominator, .a = numerator});
  big(numerator, (big_work){.op = op_numerator, .a = numerator});
}

// ---- digits and the nearest double

typedef struct decimal_text {
  mpz_srcptr z;
  char *out;
} decimal_text;

static void write_digits(void *data) {
  decimal_text *w = data;
  mpz_get_str(w->out, 10, w->z);
}

bool number_digits(mpz_srcptr z, char *out) { return hml_heap__try(write_digits, &(decimal_text){z, out}); }

typedef struct rounding {
  const number *a;
  double value;
} rounding;

// Correctly rounded through a decimal of enough digits is not certain: scaled to a quotient of 64 bits, rounded once by hand
static void round_big(void *data) {
  rounding *w = data;
  mpq_t room;
  mpq_srcptr q = as_mpq(room, w->a);
  mpz_t n, d, r, low;
  mpz_inits(n, d, r, low, NULL);
  mpz_abs(n, mpq_numref(q));
  mpz_set(d, mpq_denref(q));
  long shift = (long)mpz_sizeinbase(d, 2) - (long)mpz_sizeinbase(n, 2) + 64;
  if (shift > 0) mpz_mul_2exp(n, n, (mp_bitcnt_t)shift);
  else mpz_mul_2exp(d, d, (mp_bitcnt_t)-shift);
  mpz_tdiv_qr(n, r, n, d);               // 64 or 65 bits, plus a remainder for the sticky bit
  if (mpz_sgn(r) != 0) mpz_setbit(n, 0);
  // to 53 bits (ties to even are decided by the sticky bit), to fewer where the result is subnormal
  size_t bits = mpz_sizeinbase(n, 2);
  long top = (long)bits - 1 - shift, keep = top < -1022 ? 53 + top + 1022 : 53;
  long drop = (long)bits - (keep > -2 ? keep : -2);
  mpz_tdiv_r_2exp(low, n, (mp_bitcnt_t)drop);
  mpz_tdiv_q_2exp(n, n, (mp_bitcnt_t)drop);
  mpz_mul_2exp(low, low, 1);
  mpz_ui_pow_ui(r, 2, (unsigned long)drop);
  int half = mpz_cmp(low, r);
  if (half > 0 || (half == 0 && mpz_odd_p(n))) mpz_add_ui(n, n, 1);
  w->value = ldexp(mpz_get_d(n), (int)(drop - shift));
  if (mpq_sgn(q) < 0) w->value = -w->value;
  mpz_clears(n, d, r, low, NULL);
  done_with(room, w->a);
}

double number_value(const number *a) {
  if (a->form == INEXACT) return a->x;
  if (a->form >= LOST) return NAN;
  if (a->form == SMALL && a->d == 1 && llabs(a->n) < (INT64_C(1) << 53)) return (double)a->n;
  if (a->form == SMALL && llabs(a->n) < (INT64_C(1) << 53) && a->d < (INT64_C(1) << 53)) return (double)a->n / (double)a->d;
  rounding w = {a, NAN};
  return hml_heap__try(round_big, &w) ? w.value : NAN;
}

// (w->a - value) / value, of a double that is not zero
static void rest_of_big(void *data) {
  rounding *w = data;
  mpq_t room, value, rest;
  mpq_srcptr q = as_mpq(room, w->a);
  mpq_inits(value, rest, NULL);
  mpq_set_d(value, w->value);
  mpq_sub(rest, q, value);
  mpq_div(rest, rest, value);
  w->value = mpq_get_d(rest);
  mpq_clears(value, rest, NULL);
  done_with(room, w->a);
}

double hml_expr__rest(hml_expr e) {
  const double value = hml_number_value(e);
  if (value == 0 || !isfinite(value)) return 0;
  if (e->kind == HML_FLOAT) return node_low(e) / value;
  number a;
  if (!e->big && llabs(node_small(e)->n) < (INT64_C(1) << 53) && node_small(e)->d < (INT64_C(1) << 53)) {
    const double d = (double)node_small(e)->d;
    return fma(-value, d, (double)node_small(e)->n) / d / value;     // the remainder of a division is exact
  }
  number_set(&a, 0, 1);
  number_read(&a, e);
  rounding w = {&a, value};
  const bool fine = hml_heap__try(rest_of_big, &w);
  number_clear(&a);
  return fine ? w.value : 0;
}

int hml_expr__sign(hml_expr e) {
  if (e->kind == HML_FLOAT) return (node_float(e) > 0) - (node_float(e) < 0);
  return e->big ? mpq_sgn(node_mpq(e)) : (node_small(e)->n > 0) - (node_small(e)->n < 0);
}

// ---- sums of two doubles

#define FLOOR (8 * DBL_TRUE_MIN)        // what products may lose where the parts of their parts underflow
#define SAFE 0x1p-860                   // products of that size lose nothing: their parts of 106 and 53 bits are above DBL_MIN

static const hml_pair ABOVE_ALL = {.x = INFINITY}, BELOW_ALL = {.x = NAN};       // out of the range of doubles

// q - value of a double, as a double and a bound of what that leaves
typedef struct remainder {
  const number *a;
  hml_pair p;
} remainder_work;

static void rest_of_pair(void *data) {
  remainder_work *w = data;
  mpq_t room, part, rest;
  mpq_srcptr q = as_mpq(room, w->a);
  mpq_inits(part, rest, NULL);
  mpq_set_d(part, w->p.x);
  mpq_sub(rest, q, part);
  w->p.low = mpq_get_d(rest);
  mpq_set_d(part, w->p.low);
  mpq_sub(rest, rest, part);
  if (mpq_sgn(rest) != 0) w->p.error = fabs(mpq_get_d(rest)) * (1 + 2 * DBL_EPSILON) + DBL_TRUE_MIN;
  mpq_clears(part, rest, NULL);
  done_with(room, w->a);
}

// Of an exact number; not a number without memory for it
static hml_pair pair_of_exact(const number *a) {
  const double x = number_value(a);
  if (!isfinite(x) || (a->form == SMALL && a->d == 1 && llabs(a->n) < (INT64_C(1) << 53))) return (hml_pair){x, 0, 0};
  remainder_work w = {a, {x, 0, 0}};
  return hml_heap__try(rest_of_pair, &w) ? w.p : (hml_pair){NAN, 0, 0};
}

static hml_pair pair_of(const number *a) {
  return a->form == INEXACT ? (hml_pair){a->x, a->low, a->error} : pair_of_exact(a);
}

hml_pair number_pair(hml_expr e) {
  if (e->kind == HML_FLOAT) return (hml_pair){node_float(e), node_low(e), node_error(e)};
  number a;
  number_read(&a, e);
  const hml_pair p = pair_of(&a);
  number_clear(&a);
  return p;
}

// a + b and what the sum leaves (Knuth): exact
typedef struct two { double x, low; } two;

static two two_sum(double a, double b) {
  const double x = a + b, of_b = x - a;
  return (two){x, (a - (x - of_b)) + (b - of_b)};
}

static two two_product(double a, double b) {
  const double x = a * b;
  return (two){x, fma(a, b, -x)};
}

// The bound is rounded itself
static hml_pair settled(double x, double low, double error) {
  const two s = two_sum(x, low);
  if (!isfinite(s.x)) return ABOVE_ALL;
  return (hml_pair){s.x, s.low, error == 0 ? 0 : isnan(error) ? INFINITY : error * (1 + 16 * DBL_EPSILON) + DBL_TRUE_MIN};
}

static hml_pair plus(hml_pair a, hml_pair b) {
  const two high = two_sum(a.x, b.x);
  if (!isfinite(high.x)) return ABOVE_ALL;
  const two low = two_sum(a.low, b.low), middle = two_sum(high.low, low.x), near = two_sum(high.x, middle.x), rest = two_sum(low.low, middle.low),
            last = two_sum(near.low, rest.x);
  return settled(near.x, last.x, (a.error + b.error) + (fabs(last.low) + fabs(rest.low)));
}

static hml_pair negative(hml_pair a) { return (hml_pair){-a.x, -a.low, a.error}; }

static bool is_unit(hml_pair a) { return fabs(a.x) == 1 && a.low == 0 && a.error == 0; }

static hml_pair times(hml_pair a, hml_pair b) {
  if (is_unit(b)) return b.x > 0 ? a : negative(a);
  if (is_unit(a)) return a.x > 0 ? b : negative(b);
  const two x = two_product(a.x, b.x);
  if (!isfinite(x.x)) return ABOVE_ALL;
  if (fabs(x.x) < DBL_MIN && a.x != 0 && b.x != 0) return BELOW_ALL;
  const two k = two_product(a.x, b.low), l = two_product(a.low, b.x), inner = two_sum(k.x, l.x), low = two_sum(x.low, inner.x);
  double error = (fabs(a.x) * b.error + fabs(b.x) * a.error) + a.error * b.error;
  if (a.error > 0 || b.error > 0) error = error * (1 + 4 * DBL_EPSILON) + DBL_TRUE_MIN;
  error += (fabs(k.low) + fabs(l.low)) + (fabs(inner.low) + fabs(low.low)) + fabs(a.low * b.low) * (1 + DBL_EPSILON);
  if (fabs(x.x) < SAFE && a.x != 0 && b.x != 0) error += FLOOR;
  return settled(x.x, low.x, error);
}

static bool may_vanish(hml_pair a) { return a.error > 0 && !(fabs(a.x) > 2 * a.error); }

// 1/a of a number that is certainly not zero: what is left of 1 - a/a bounds the error
static hml_pair inverse(hml_pair a) {
  const double x = 1 / a.x;
  if (!isfinite(x)) return ABOVE_ALL;
  if (fabs(x) < DBL_MIN) return BELOW_ALL;
  hml_pair q = settled(x, (fma(-x, a.x, 1) - x * a.low) / a.x, 0);
  const hml_pair left = plus((hml_pair){1, 0, 0}, negative(times(q, a)));
  const double rest = (fabs(left.x) + fabs(left.low)) + left.error;
  if (rest > 0) q.error = rest / (fabs(a.x) * (1 - DBL_EPSILON) - a.error) * (1 + 16 * DBL_EPSILON) + DBL_TRUE_MIN;
  return q;
}

// Digits that rounding has taken all are not kept; a zero that no rounding has reached is the exact one
void number_set_bounded(number *a, hml_pair p) {
  if (isfinite(p.error) && may_vanish(p)) p = (hml_pair){0, 0, (fabs(p.x) + p.error) * (1 + DBL_EPSILON)};
  number_set_pair(a, p.x, p.low);
  a->error = p.error;
  if (isnan(p.x)) a->form = BELOW;
  else if (!isfinite(p.x)) a->form = ABOVE;
  else if (p.x == 0 && p.low == 0 && p.error == 0) number_set(a, 0, 1);
}

bool number_may_vanish(const number *a) { return a->form == INEXACT && may_vanish((hml_pair){a->x, a->low, a->error}); }

static bool whole_power(number *a, uint64_t k, bool inverted) {
  hml_pair product = {1, 0, 0}, base = {a->x, a->low, a->error};
  if (inverted && (base.x == 0 || may_vanish(base))) return false;
  if (inverted) base = inverse(base);
  for (; k && isfinite(base.x) && isfinite(product.x); k >>= 1) {
    if (k & 1) product = times(product, base);
    if (k > 1) base = times(base, base);
  }
  number_set_bounded(a, isfinite(base.x) ? product : base);
  return true;
}

// a op b where one of them is inexact
static bool inexact(number *a, const number *b, hml_pair (*op)(hml_pair, hml_pair)) {
  if (a->form != INEXACT && b->form != INEXACT) return false;
  const hml_pair x = pair_of(a), y = pair_of(b);
  // an exact number has a value: without memory it has none
  // an exact number that is not zero vanishes in a sum, but not in a product
  const bool lost = isnan(x.x) || isnan(y.x), above = isinf(x.x) || isinf(y.x);
  const bool below = op == times && ((x.x == 0 && a->form != INEXACT) || (y.x == 0 && b->form != INEXACT));
  number_clear(a);
  if (lost) lose(a);
  else number_set_bounded(a, above ? ABOVE_ALL : below ? BELOW_ALL : op(x, y));
  return true;
}

// What is computed with a number that is lost, or out of range, is so too
static bool lost(number *a, const number *b) {
  if (a->form < LOST && b->form < LOST) return false;
  const int form = a->form >= LOST ? (int)a->form : (int)b->form;
  number_clear(a);
  a->form = form;
  return true;
}

void number_add(number *a, const number *b) {
  if (lost(a, b) || inexact(a, b, plus)) return;
  if (a->form == SMALL && b->form == SMALL) {
    int64_t x, y, n, d;
    if (a->d == 1 && b->d == 1 && !__builtin_add_overflow(a->n, b->n, &n) && n != INT64_MIN) {
      a->n = n;
      return;
    }
    int64_t g = gcd(a->d, b->d);
    if (!__builtin_mul_overflow(a->n, b->d / g, &x) && !__builtin_mul_overflow(b->n, a->d / g, &y) &&
        !__builtin_add_overflow(x, y, &n) && n != INT64_MIN && !__builtin_mul_overflow(a->d, b->d / g, &d)) {
      g = gcd(n, d);
      number_set(a, n / g, d / g);
      return;
    }
  }
  big(a, (big_work){.op = op_add, .a = a, .b = b});
}

void number_mul(number *a, const number *b) {
  if (number_is(b, 1) || lost(a, b)) return;
  if (number_is(a, 0) || number_is(b, 0)) {
    number_clear(a);                     // exact zero annihilates inexact numbers too
    return;
  }
  if (inexact(a, b, times)) return;
  if (a->form == SMALL && b->form == SMALL) {
    int64_t n, d;
    if (a->d == 1 && b->d == 1 && !__builtin_mul_overflow(a->n, b->n, &n) && n != INT64_MIN) {
      a->n = n;
      return;
    }
    int64_t g = gcd(a->n, b->d), h = gcd(b->n, a->d);
    if (!__builtin_mul_overflow(a->n / g, b->n / h, &n) && n != INT64_MIN && !__builtin_mul_overflow(a->d / h, b->d / g, &d)) {
      number_set(a, n, d);
      return;
    }
  }
  big(a, (big_work){.op = op_mul, .a = a, .b = b});
}

uint64_t number_bits(const number *a) {
  if (a->form == BIG) return mpz_sizeinbase(mpq_numref(a->q), 2) + mpz_sizeinbase(mpq_denref(a->q), 2);
  return 128 - (uint64_t)__builtin_clzll((uint64_t)llabs(a->n) | 1) - (uint64_t)__builtin_clzll((uint64_t)a->d | 1);
}

hml_status compare_numbers(hml_context *c, hml_expr x, hml_expr y, int *sign) {
  number a, b, minus;
  number_read(&a, x);
  number_read(&b, y);
  number_set(&minus, -1, 1);
  number_mul(&b, &minus);
  number_add(&a, &b);
  *sign = number_sign(&a);
  bool fine = !number_lost(c, &a);
  number_clear(&a);
  number_clear(&b);
  return fine ? HML_OK : hml_context_error(c)->status;
}

bool number_power(number *a, int64_t k) {
  if (a->form >= LOST) return true;
  if (a->form == INEXACT) {
    return whole_power(a, k < 0 ? -(uint64_t)k : (uint64_t)k, k < 0);
  }
  if (number_sign(a) == 0 && k < 0) return false;
  if (number_is(a, 1) || k == 1) return true;
  if (k == 0 || number_sign(a) == 0) {
    bool one = k == 0;
    number_clear(a);
    number_set(a, one ? 1 : 0, 1);
    return true;
  }
  bool unit = a->form == SMALL && llabs(a->n) == 1 && a->d == 1;       // (+-1)^k
  uint64_t e = k < 0 ? -(uint64_t)k : (uint64_t)k;
  if (unit) k = (int64_t)(e & 1);
  else if (e > 1 && e > MAX_BITS / number_bits(a)) return false;
  big(a, (big_work){.op = op_power, .a = a, .k = k});
  return true;
}

bool number_lost(hml_context *c, const number *a) {
  if (a->form == LOST) hml_fail(c, HML_MEMORY, "not enough memory for a long number");
  if (a->form == ABOVE) hml_fail(c, HML_UNDEFINED, "an inexact number grows beyond the range of doubles: give it exactly, or in other units");
  if (a->form == BELOW) hml_fail(c, HML_UNDEFINED, "an inexact number falls below the range of doubles, but it is not zero: give it exactly, or in other units");
  return a->form >= LOST;
}

hml_expr number_node(hml_context *c, number *a) {
  hml_expr e = number_lost(c, a) ? NULL : node_number(c, a);
  number_clear(a);
  return e;
}

void number_from_mpz(number *a, mpz_srcptr z) {
  number given = {.form = BIG};
  *mpq_numref(given.q) = *z;
  number_set(a, 0, 1);
  big(a, (big_work){.op = op_numerator, .a = &given});
}

void number_take(number *a, mpq_srcptr q) {
  a->form = BIG;
  a->q[0] = *q;
  make_small(a);
}

hml_expr hml_integer(hml_context *c, int64_t value) {
  return hml_rational(c, value, 1);
}

hml_expr hml_rational(hml_context *c, int64_t n, int64_t d) {
  if (d == 0) return hml_fail_null(c, HML_UNDEFINED, "%lld/0 is not a number", (long long)n);
  number a, b;
  number_set(&a, n, 1);
  number_set(&b, d, 1);
  if (n == INT64_MIN || d == INT64_MIN) {
    big(&a, (big_work){.op = op_div, .a = &a, .b = &b});
  } else if (d != 1) {
    int64_t g = gcd(n, d);
    number_set(&a, d < 0 ? -n / g : n / g, d < 0 ? -d / g : d / g);
  }
  return number_node(c, &a);
}

// Reads [sign] digits [. digits] [e exponent] from *text; false when there is no number. out is empty or LOST without memory
static bool read_decimal(const char **text, number *out) {
  const char *p = *text;
  bool negative = *p == '-';
  if (*p == '-' || *p == '+') p++;
  size_t length = strspn(p, "0123456789.");
  const char *dot = memchr(p, '.', length);
  if (length == 0 || (dot && length == 1) || (dot && memchr(dot + 1, '.', (size_t)(p + length - dot - 1)))) return false;
  char *digits = malloc(length + 2);
  if (!digits) return number_set(out, 0, 1), lose(out), true;
  size_t n = 0;
  if (negative) digits[n++] = '-';
  for (size_t i = 0; i < length; i++)
    if (p[i] != '.') digits[n++] = p[i];
  digits[n] = '\0';
  long fraction = dot ? (long)(p + length - dot - 1) : 0;
  p += length;
  long exponent = 0;
  if ((*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[1]) || ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2])))) {
    char *end;
    exponent = strtol(p + 1, &end, 10);
    exponent = exponent > 2 * MAX_EXPONENT ? 2 * MAX_EXPONENT : exponent < -2 * MAX_EXPONENT ? -2 * MAX_EXPONENT : exponent;
    p = end;
  }
  if (n > MAX_EXPONENT + 1u) fraction = 0;       // refused below
  exponent -= fraction;
  if (labs(exponent) > MAX_EXPONENT || n > MAX_EXPONENT + (size_t)negative) {
    free(digits);
    return false;
  }
  number_set(out, 0, 1);
  big(out, (big_work){.op = op_decimal, .digits = digits, .k = exponent});
  free(digits);
  *text = p;
  return true;
}

hml_expr hml_decimal(hml_context *c, const char *text) {
  const char *p = text;
  number a, b;
  while (isspace((unsigned char)*p)) p++;
  if (!read_decimal(&p, &a)) return hml_fail_null(c, HML_SYNTAX, "'%.60s' is not a number of at most %d digits", text, MAX_EXPONENT);
  if (number_lost(c, &a)) return NULL;
  while (isspace((unsigned char)*p)) p++;
  if (*p == '/') {
    p++;
    while (isspace((unsigned char)*p)) p++;
    if (!read_decimal(&p, &b)) {
      number_clear(&a);
      return hml_fail_null(c, HML_SYNTAX, "'%.60s' is not a number of at most %d digits", text, MAX_EXPONENT);
    }
    if (number_lost(c, &b)) {
      number_clear(&a);
      return NULL;
    }
    bool fine = number_power(&b, -1);
    if (fine) number_mul(&a, &b);
    number_clear(&b);
    if (!fine) {
      number_clear(&a);
      return hml_fail_null(c, HML_UNDEFINED, "'%.60s' divides by zero", text);
    }
    while (isspace((unsigned char)*p)) p++;
  }
  if (*p) {
    number_clear(&a);
    return hml_fail_null(c, HML_SYNTAX, "'%.60s' is not a number of at most %d digits", text, MAX_EXPONENT);
  }
  return number_node(c, &a);
}

// Near x, fractions with denominators up to q are about 1/q^2 apart: those that large doubles come near by chance are not meant
static bool is_by_chance(double x, int64_t q) {
  const bool exact = (q & (q - 1)) == 0;
  return !exact && (double)q * (double)q * (nextafter(fabs(x), INFINITY) - fabs(x)) > MAX_CHANCE;
}

// The fraction p/q of smallest convergent whose nearest double is exactly x
static bool recover_fraction(double x, number *out) {
  double rest = fabs(x);
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  for (int i = 0; i < 40; i++) {
    double whole = floor(rest);
    if (whole > 1e15) return false;
    int64_t p = (int64_t)whole * p1 + p0, q = (int64_t)whole * q1 + q0;
    if (q > MAX_DENOMINATOR || p > (INT64_C(1) << 52)) return false;
    if ((double)p / (double)q == fabs(x)) {
      if (is_by_chance(x, q)) return false;
      number_set(out, x < 0 ? -p : p, q);
      return true;
    }
    p0 = p1, q0 = q1, p1 = p, q1 = q;
    rest = 1 / (rest - whole);
    if (!isfinite(rest)) return false;
  }
  return false;
}

hml_expr hml_from_double(hml_context *c, double value) {
  if (!isfinite(value)) return hml_fail_null(c, HML_ARGUMENT, "%s cannot enter an expression", isnan(value) ? "nan" : "an infinite number");
  number a;
  if (recover_fraction(value, &a)) return number_node(c, &a);
  char text[40];
  snprintf(text, sizeof text, "%.15g", value);
  if (strtod(text, NULL) == value) return hml_decimal(c, text);
  number_set_float(&a, value);
  return number_node(c, &a);
}

// The fraction p/q of smallest convergent of x^2 whose root is x to the last bits; false where there is none of short p, q. A double taken at
// random is one with a probability of about 1e-9, a decimal that somebody typed hardly ever.
static bool recover_square(double x, int64_t *p, int64_t *q) {
  enum { LONGEST = 1000 };
  double square = x * x, rest = square;
  int64_t p0 = 0, q0 = 1, p1 = 1, q1 = 0;
  while (rest <= LONGEST) {
    int64_t whole = (int64_t)floor(rest);
    *p = whole * p1 + p0, *q = whole * q1 + q0;
    if (*p > LONGEST || *q > LONGEST) return false;
    if (*p > 0 && fabs(sqrt((double)*p / (double)*q) - fabs(x)) <= DBL_EPSILON * fabs(x)) return true;
    p0 = p1, q0 = q1, p1 = *p, q1 = *q;
    rest = 1 / (rest - (double)whole);
  }
  return false;
}

hml_expr hml_expr__from_written(hml_context *c, double value) {
  int64_t p, q;
  if (!isfinite(value) || !recover_square(value, &p, &q)) return hml_from_double(c, value);
  hml_expr root = hml_sqrt(c, hml_rational(c, p, q));
  if (root && root->kind == HML_NUMBER) return hml_from_double(c, value);         // a neighbour of a fraction is not the fraction
  return value < 0 ? hml_neg(c, root) : root;
}

bool hml_expr__is_double(hml_expr e) { return e->kind == HML_FLOAT && node_low(e) == 0 && node_error(e) == 0; }

hml_expr hml_expr__exact(hml_context *c, hml_expr e) {
  if (e->kind != HML_FLOAT) return e;
  number a;
  number_read(&a, e);
  big(&a, (big_work){.op = op_exact, .a = &a});
  return number_node(c, &a);
}

double hml_number_value(hml_expr e) {
  if (e->kind == HML_FLOAT) return node_float(e);
  if (e->big) return node_big(e)->value;
  return number_value(&(number){.form = SMALL, .n = node_small(e)->n, .d = node_small(e)->d});
}

int hml_rational_value(hml_expr e, int64_t *n, int64_t *d) {
  if (e->kind != HML_NUMBER || e->big) return 0;
  *n = node_small(e)->n;
  *d = node_small(e)->d;
  return 1;
}

int hml_integer_value(hml_expr e, int64_t *out) {
  int64_t d;
  return hml_rational_value(e, out, &d) && d == 1;
}

bool is_even_integer(hml_expr e) {
  if (!is_integer_node(e)) return false;
  return e->big ? mpz_even_p(mpq_numref(node_mpq(e))) != 0 : node_small(e)->n % 2 == 0;
}
