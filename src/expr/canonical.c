// canonical.c: an expression whose arguments of functions, radicands and exponents are normal, so that equal ones are one generator, and
// whose logarithms, inverse and hyperbolic functions follow the elementary rules. It is for proofs, not for printing.
//
// Every rule is an identity wherever both sides are defined, up to sets without interior. Two rules enlarge the domain: where a root or a
// logarithm of u = prod f_i^(e_i) is real, u = |u|, hence u^(1/2) = prod |f_i|^(e_i/2) and log u = sum e_i log|f_i|. What is known there,
// prod of the f_i with odd exponents > 0, is kept as a row over GF(2), by which |f_k| = f_k prod |f_j|/f_j for one factor of each row.
#include "normal.h"

#include <stdlib.h>
#include <string.h>

// Shapes in which an argument is wanted: a sum of terms, a product of factors, the same of its reciprocal
enum { LINEAR = 1, PRODUCT = 2, RECIPROCAL = 4, SHAPES = 3 };

enum { MAX_ROUNDS = 40, MAX_SIGNS = 32, MAX_PASSES = 4, SMALL_PRIMES = 1000 };

typedef struct canon {
  hml_context *c;
  hml_arena *arena;
  const hml_budget *budget;
  hml_table done;                      // functions of normal arguments
  hml_table normal[SHAPES];            // argument -> its normal form in a shape
  hml_expr factor[MAX_SIGNS];          // whose signs are related by the rows
  uint32_t row[MAX_SIGNS];             // reduced; the lowest bit is the factor it gives
  bool minus[MAX_SIGNS];               // the product of the row is negative
  size_t n_factors, n_rows;
  bool learnt;                         // a row since the pass began
  bool first, postponed;               // in the first pass sines and cosines may use only a part of the angles of points; the rest is for later passes
} canon;

// ---- signs

static size_t factor_index(canon *k, hml_expr f) {
  for (size_t i = 0; i < k->n_factors; i++)
    if (k->factor[i] == f) return i;
  if (k->n_factors == MAX_SIGNS) return MAX_SIGNS;
  k->factor[k->n_factors] = f;
  return k->n_factors++;
}

static bool is_constant(canon *k, hml_expr f) {
  hml_expr symbols[1];
  size_t n = 1;
  return hml_symbols_of(k->c, 1, &f, 1, symbols, &n) == HML_OK && n == 0;
}

// -f with the sign multiplied into a sum
static hml_expr negated(hml_context *c, hml_expr f) {
  hml_expr e = hml_neg(c, f);
  return e ? hml_sum(c, 2, (hml_expr[]){e, hml_integer(c, 0)}) : NULL;
}

static bool single(uint32_t row) { return (row & (row - 1)) == 0; }

// |f| of a factor whose sign is known; otherwise the node, which is done
static hml_expr size_of(canon *k, hml_expr f) {
  hml_context *c = k->c;
  if (f->known & KNOWN_NONNEGATIVE) return f;
  int sign = f->kind != HML_SYMBOL && is_constant(k, f) ? hml_expr__certain_sign(c, f) : 0;
  for (size_t r = 0; r < k->n_rows && !sign; r++)
    if (single(k->row[r]) && k->factor[__builtin_ctz(k->row[r])] == f) sign = k->minus[r] ? -1 : 1;
  if (sign) return sign > 0 ? f : negated(c, f);
  hml_expr e = hml_call(c, HML_FUN_abs, 1, &f);
  return e && hml_table_put(&k->done, e, 1) == HML_OK ? e : NULL;
}

// The row of several factors that gives this one; n_rows: none
static size_t row_of(const canon *k, hml_expr f) {
  size_t r = 0;
  while (r < k->n_rows && (single(k->row[r]) || k->factor[__builtin_ctz(k->row[r])] != f)) r++;
  return r;
}

// |f_k| by the other factors of row r
static hml_expr size_by_row(canon *k, size_t r) {
  hml_context *c = k->c;
  size_t pivot = (size_t)__builtin_ctz(k->row[r]);
  hml_expr e = k->minus[r] ? hml_neg(c, k->factor[pivot]) : k->factor[pivot];
  for (size_t i = pivot + 1; i < k->n_factors; i++)
    if (k->row[r] >> i & 1) e = hml_mul(c, e, hml_div(c, size_of(k, k->factor[i]), k->factor[i]));
  return e;
}

static hml_expr absolute(canon *k, hml_expr f) {
  size_t r = row_of(k, f);
  return r < k->n_rows ? size_by_row(k, r) : size_of(k, f);
}

// The same in all of e
static hml_expr with_rows(canon *k, hml_expr e) {
  hml_expr from[MAX_SIGNS], to[MAX_SIGNS];
  size_t n = 0;
  for (size_t r = 0; r < k->n_rows; r++) {
    if (single(k->row[r])) continue;
    from[n] = hml_call(k->c, HML_FUN_abs, 1, &k->factor[__builtin_ctz(k->row[r])]);
    to[n] = size_by_row(k, r);
    if (!from[n] || !to[n]) return NULL;
    n++;
  }
  return n > 0 ? hml_substitute(k->c, e, n, from, to) : e;
}

// The product of the factors in `bits` has this sign; rows stay reduced
static void learn(canon *k, uint32_t bits, bool minus) {
  for (size_t r = 0; r < k->n_rows; r++)
    if (bits >> __builtin_ctz(k->row[r]) & 1) bits ^= k->row[r], minus ^= k->minus[r];
  if (!bits || k->n_rows == MAX_SIGNS) return;
  for (size_t r = 0; r < k->n_rows; r++)
    if (k->row[r] >> __builtin_ctz(bits) & 1) k->row[r] ^= bits, k->minus[r] ^= minus;
  k->row[k->n_rows] = bits;
  k->minus[k->n_rows++] = minus;
  k->learnt = true;
}

// ---- products of factors

typedef struct factor {
  hml_expr base;
  int64_t n, d;                        // exponent
} factor;

static factor factor_of(hml_expr e) {
  factor f = {e, 1, 1};
  int64_t n, d;
  if (e->kind == HML_POWER && hml_rational_value(node_operands(e)[1], &n, &d) && llabs(n) < 10000 && d < 10000) f = (factor){node_operands(e)[0], n, d};
  return f;
}

static size_t factor_count(hml_expr e) { return e->kind == HML_PRODUCT ? e->count : 1; }
static hml_expr factor_at(hml_expr e, size_t i) { return e->kind == HML_PRODUCT ? node_operands(e)[i] : e; }

// e is positive: the signs of its factors are related
static void learn_positive(canon *k, hml_expr e) {
  uint32_t bits = 0;
  bool minus = false;
  for (size_t i = 0; i < factor_count(e); i++) {
    factor f = factor_of(factor_at(e, i));
    if (f.d != 1 || f.n % 2 == 0) continue;
    int sign = is_number(f.base) ? hml_expr__sign(f.base) : (f.base->known & KNOWN_NONNEGATIVE) ? 1 : 0;
    if (!sign && is_constant(k, f.base)) sign = hml_expr__certain_sign(k->c, f.base);
    if (sign) {
      minus ^= sign < 0;
      continue;
    }
    size_t index = factor_index(k, f.base);
    if (index == MAX_SIGNS) return;
    bits ^= UINT32_C(1) << index;
  }
  learn(k, bits, minus);
}

static hml_expr power_of(hml_context *c, hml_expr base, int64_t n, int64_t d) { return hml_pow(c, base, hml_rational(c, n, d)); }

// sqrt(a + b sqrt(n)) = sqrt((a + w)/2) +- sqrt((a - w)/2), w^2 = a^2 - b^2 n; NULL if w is not rational
static hml_expr denested(hml_context *c, hml_expr e) {
  if (e->kind != HML_SUM || e->count != 2 || !is_number(node_operands(e)[0])) return NULL;
  hml_expr a = node_operands(e)[0], surd = node_operands(e)[1], square = hml_mul(c, surd, surd);
  if (!square || square->kind != HML_NUMBER || a->kind != HML_NUMBER || hml_expr__sign(a) < 0) return NULL;
  hml_expr w2 = hml_sub(c, hml_mul(c, a, a), square);
  if (!w2 || hml_expr__sign(w2) <= 0) return NULL;
  hml_expr w = hml_sqrt(c, w2), half = hml_rational(c, 1, 2);
  if (!w || w->kind != HML_NUMBER) return NULL;
  hml_expr x = hml_sqrt(c, hml_mul(c, half, hml_add(c, a, w))), y = hml_sqrt(c, hml_mul(c, half, hml_sub(c, a, w)));
  return has_negative_sign(surd) ? hml_sub(c, x, y) : hml_add(c, x, y);
}

// The factors of a normal product are normal
static hml_expr done_power(canon *k, hml_expr base, int64_t n, int64_t d) {
  hml_expr e = base ? power_of(k->c, base, n, d) : NULL;
  return e && (e->kind != HML_POWER || hml_table_put(&k->done, e, 1) == HML_OK) ? e : NULL;
}

// |f|^(n/d); of the factor that a row of several gives: by the product of the row, which is positive
static hml_expr power_of_size(canon *k, hml_expr f, int64_t n, int64_t d) {
  hml_context *c = k->c;
  size_t r = row_of(k, f);
  if (r == k->n_rows) {
    hml_expr size = size_of(k, f), root = size && d == 2 ? denested(c, size) : NULL;
    return root ? power_of(c, root, n, 1) : done_power(k, size, n, d);
  }
  hml_expr product = hml_integer(c, k->minus[r] ? -1 : 1), others = hml_integer(c, 1);
  for (size_t i = 0; i < k->n_factors; i++) {
    if (!(k->row[r] >> i & 1)) continue;
    product = hml_mul(c, product, k->factor[i]);
    if (k->factor[i] != f) others = hml_mul(c, others, done_power(k, size_of(k, k->factor[i]), -n, d));
  }
  return hml_mul(c, done_power(k, product, n, d), others);
}

// e^(n/d), e a product of factors, n/d no integer
static hml_expr root_of_product(canon *k, hml_expr e, int64_t n, int64_t d) {
  hml_expr out = hml_integer(k->c, 1);
  learn_positive(k, e);
  for (size_t i = 0; out && i < factor_count(e); i++) {
    factor f = factor_of(factor_at(e, i));
    out = hml_mul(k->c, out, power_of_size(k, f.base, n * f.n, d * f.d));
  }
  return out;
}

static hml_expr log_node(canon *k, hml_expr a) {
  hml_expr e = a ? hml_call(k->c, HML_FUN_log, 1, &a) : NULL;
  if (e && hml_table_put(&k->done, e, 1) != HML_OK) return NULL;
  return e;
}

// log of a positive integer by its small prime factors
static hml_expr log_of_integer(canon *k, hml_expr n) {
  hml_context *c = k->c;
  hml_expr sum = hml_integer(c, 0);
  int64_t rest;
  if (!n) return NULL;
  if (!hml_integer_value(n, &rest)) return log_node(k, n);
  for (int64_t p = 2; p < SMALL_PRIMES && p * p <= rest; p++)
    for (; rest % p == 0; rest /= p) sum = hml_add(c, sum, log_node(k, hml_integer(c, p)));
  return rest > 1 ? hml_add(c, sum, log_node(k, hml_integer(c, rest))) : sum;
}

static hml_expr log_of_factor(canon *k, factor f) {
  hml_context *c = k->c;
  int64_t n, d;
  if (f.base->kind == HML_CALL && f.base->function == HML_FUN_exp) return node_operands(f.base)[0];
  if (hml_rational_value(f.base, &n, &d))
    return hml_sub(c, log_of_integer(k, hml_integer(c, llabs(n))), log_of_integer(k, hml_integer(c, d)));
  return log_node(k, size_of(k, f.base));
}

static hml_expr log_of_product(canon *k, hml_expr e) {
  hml_context *c = k->c;
  if (is_zero_node(e)) return hml_fail_null(c, HML_UNDEFINED, "log(0) is not a real number");
  hml_expr sum = hml_integer(c, 0);
  learn_positive(k, e);
  for (size_t i = 0; sum && i < factor_count(e); i++) {
    factor f = factor_of(factor_at(e, i));
    sum = hml_add(c, sum, hml_mul(c, hml_rational(c, f.n, f.d), log_of_factor(k, f)));
  }
  return sum;
}

// u^w, w no number: |u|^w s^w with s = sign(u), which is -1 only where w is a whole number. Nothing is learnt of the sign of u, and s^w is a
// function of its own: of a^(2 w) and (a^2)^w the first is real for a < 0 at whole w alone, and (a^v)^w is no power of a there.
static hml_expr power_by_sign(canon *k, hml_expr u, hml_expr w) {
  hml_context *c = k->c;
  hml_expr log_size = hml_integer(c, 0), odd = hml_integer(c, 1), whole = NULL;
  for (size_t i = 0; log_size && odd && i < factor_count(u); i++) {
    factor f = factor_of(factor_at(u, i));
    log_size = hml_add(c, log_size, hml_mul(c, hml_rational(c, f.n, f.d), log_of_factor(k, f)));
    if (f.d != 1 || f.n % 2 == 0) continue;
    hml_expr size = is_number(f.base) ? hml_call(c, HML_FUN_abs, 1, &f.base) : size_of(k, f.base);
    if (size == f.base) continue;
    bool negative = is_number(f.base) || size == negated(c, f.base);
    odd = hml_mul(c, odd, negative ? hml_integer(c, -1) : f.base);
  }
  hml_expr exponent = hml_mul(c, w, log_size), power = exponent ? hml_call(c, HML_FUN_exp, 1, &exponent) : NULL, s = odd ? hml_call(c, HML_FUN_sign, 1, &odd) : NULL;
  if (!power || !s || is_one_node(s)) return power;
  // s^(w + 1) = s s^w
  for (uint32_t i = 0; w->kind == HML_SUM && i < w->count; i++)
    if (is_integer_node(node_operands(w)[i])) whole = node_operands(w)[i];
  if (whole) w = hml_sub(c, w, whole);
  if (whole && !is_even_integer(whole)) power = hml_mul(c, power, hml_div(c, hml_call(c, HML_FUN_abs, 1, &odd), odd));
  hml_expr sign = w ? hml_pow(c, s, w) : NULL;
  if (!sign || hml_table_put(&k->done, s, 1) != HML_OK || hml_table_put(&k->done, sign, 1) != HML_OK) return NULL;
  if (has_negative_sign(s) && hml_table_put(&k->done, hml_neg(c, s), 1) != HML_OK) return NULL;
  return hml_mul(c, power, sign);
}

static hml_expr absolute_product(canon *k, hml_expr e) {
  hml_expr out = hml_integer(k->c, 1);
  for (size_t i = 0; out && i < factor_count(e); i++) {
    factor f = factor_of(factor_at(e, i));
    hml_expr size = absolute(k, f.base);
    out = size ? hml_mul(k->c, out, power_of(k->c, size, f.n, f.d)) : NULL;
  }
  return out;
}

static hml_expr call(hml_context *c, hml_function f, hml_expr a) { return hml_call(c, f, 1, &a); }

// exp(q log u + rest) = u^q exp(rest); NULL: nothing to do
static hml_expr exponential(hml_context *c, hml_expr a) {
  size_t n = a->kind == HML_SUM ? a->count : 1;
  hml_expr rest = hml_integer(c, 0), out = hml_integer(c, 1);
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    hml_expr term = a->kind == HML_SUM ? node_operands(a)[i] : a;
    number q;
    hml_expr atom = split_coefficient(c, term, &q);
    bool is_log = atom && atom->kind == HML_CALL && atom->function == HML_FUN_log && q.form == SMALL;
    if (is_log) out = hml_mul(c, out, power_of(c, node_operands(atom)[0], q.n, q.d)), found = true;
    else rest = hml_add(c, rest, term);
    number_clear(&q);
  }
  return found ? hml_mul(c, out, call(c, HML_FUN_exp, rest)) : NULL;
}

static hml_expr hyperbolic(hml_context *c, hml_function f, hml_expr a) {
  hml_expr up = exponential(c, a), down = up ? hml_pow(c, up, hml_integer(c, -1)) : NULL;
  if (!down) return NULL;
  hml_expr half = hml_rational(c, 1, 2), sum = hml_add(c, up, down), difference = hml_sub(c, up, down);
  if (f == HML_FUN_tanh) return hml_div(c, difference, sum);
  return hml_mul(c, half, f == HML_FUN_cosh ? sum : difference);
}

// ---- inverse functions

static hml_expr pi_over(hml_context *c, int64_t n, int64_t d) { return hml_mul(c, hml_rational(c, n, d), hml_pi(c)); }

static hml_expr sign_of(hml_context *c, hml_expr a) { return hml_div(c, call(c, HML_FUN_abs, a), a); }

// atan of u or of 1/u, whichever is shorter as a product: atan u = sign(u) pi/2 - atan(1/u)
static hml_expr arctangent(canon *k, hml_expr a, hml_expr product, hml_expr other) {
  hml_context *c = k->c;
  hml_expr angle = hml_expr__known_angle(c, HML_FUN_tan, a);
  if (angle) return angle;
  bool shorter = other && !is_number(a) && (other->size < product->size || (other->size == product->size && other->hash < product->hash));
  if (shorter) return hml_sub(c, hml_mul(c, sign_of(c, product), pi_over(c, 1, 2)), call(c, HML_FUN_atan, other));
  hml_expr e = call(c, HML_FUN_atan, a);
  return e && hml_table_put(&k->done, e, 1) == HML_OK ? e : NULL;
}

// asin u = atan(u/sqrt(1 - u^2))
static hml_expr arcsine(hml_context *c, hml_expr a) {
  hml_expr angle = hml_expr__known_angle(c, HML_FUN_sin, a);
  if (angle || is_number(a)) return angle;
  return call(c, HML_FUN_atan, hml_div(c, a, hml_sqrt(c, hml_sub(c, hml_integer(c, 1), hml_mul(c, a, a)))));
}

// atan2(y, x) = 2 atan(y/(x + r)), r^2 = x^2 + y^2, wherever y is not 0 or x is positive
static hml_expr angle_of_point(canon *k, hml_expr y, hml_expr x) {
  hml_context *c = k->c;
  int right = is_constant(k, x) ? hml_expr__certain_sign(c, x) : 0, up = is_constant(k, y) ? hml_expr__certain_sign(c, y) : 0;
  if (right > 0) return call(c, HML_FUN_atan, hml_div(c, y, x));
  if (right < 0 && up) return hml_add(c, call(c, HML_FUN_atan, hml_div(c, y, x)), pi_over(c, up, 1));
  if (is_zero_node(y)) return hml_mul(c, hml_rational(c, 1, 2), hml_mul(c, hml_pi(c), hml_sub(c, hml_integer(c, 1), sign_of(c, x))));
  if (is_zero_node(x)) return hml_mul(c, pi_over(c, 1, 2), sign_of(c, y));
  if (x->known & KNOWN_NONNEGATIVE) return call(c, HML_FUN_atan, hml_div(c, y, x));
  if (k->first) {
    k->postponed = true;
    return NULL;
  }
  hml_expr r = hml_sqrt(c, hml_add(c, hml_mul(c, x, x), hml_mul(c, y, y)));
  return hml_mul(c, hml_integer(c, 2), call(c, HML_FUN_atan, hml_div(c, y, hml_add(c, x, r))));
}

// ---- one function of normal arguments

static bool is_function(hml_expr e) {
  if (e->kind == HML_CALL) return !is_pi(e);
  return e->kind == HML_POWER && !is_integer_node(node_operands(e)[1]);
}

static int wanted(hml_expr e, size_t i) {
  if (e->kind == HML_POWER) return i == 0 ? PRODUCT : LINEAR;
  switch (e->function) {
    case HML_FUN_log: case HML_FUN_abs: case HML_FUN_sign: return PRODUCT;
    case HML_FUN_min: case HML_FUN_max: return 0;
    case HML_FUN_atan: return LINEAR | PRODUCT | RECIPROCAL;
    default: return LINEAR;
  }
}

static hml_table *table_of(canon *k, int shape) { return &k->normal[shape == LINEAR ? 0 : shape == PRODUCT ? 1 : 2]; }

static hml_expr normal_argument(canon *k, hml_expr a, int shape) {
  uintptr_t value;
  if (hml_table_get(table_of(k, shape), a, &value)) return (hml_expr)value;
  if (shape != RECIPROCAL) return a;
  return is_zero_node(a) ? NULL : hml_pow(k->c, a, hml_integer(k->c, -1));
}

static hml_expr power_rule(canon *k, hml_expr base, hml_expr exponent) {
  hml_context *c = k->c;
  int64_t n, d;
  if (is_integer_node(exponent) || is_zero_node(base)) return hml_pow(c, base, exponent);
  if (hml_rational_value(exponent, &n, &d))
    return is_number(base) || llabs(n) > 10000 ? hml_pow(c, base, exponent) : root_of_product(k, base, n, d);
  return power_by_sign(k, base, exponent);
}

static hml_expr half_difference(hml_context *c, hml_expr a, hml_expr b, bool minus) {
  hml_expr off = call(c, HML_FUN_abs, hml_sub(c, a, b)), sum = hml_add(c, a, b);
  return hml_mul(c, hml_rational(c, 1, 2), minus ? hml_sub(c, sum, off) : hml_add(c, sum, off));
}

// log(u + s sqrt(u^2 + k))
static hml_expr area(hml_context *c, hml_expr a, int64_t constant) {
  hml_expr root = hml_sqrt(c, hml_add(c, hml_mul(c, a, a), hml_integer(c, constant)));
  return call(c, HML_FUN_log, hml_add(c, a, root));
}

// of an inverse tangent b is a as a product, reciprocal that of 1/a
static hml_expr other_form(canon *k, hml_function f, hml_expr a, hml_expr b, hml_expr reciprocal) {
  hml_context *c = k->c;
  hml_expr one = hml_integer(c, 1);
  switch (f) {
    case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_tan: return hml_expr__turned_in_roots(c, f, a);
    case HML_FUN_exp: return exponential(c, a);
    case HML_FUN_sinh: case HML_FUN_cosh: case HML_FUN_tanh: return hyperbolic(c, f, a);
    case HML_FUN_asin: return arcsine(c, a);
    case HML_FUN_acos: return is_small(a, -1, 1) ? NULL : hml_sub(c, pi_over(c, 1, 2), call(c, HML_FUN_asin, a));
    case HML_FUN_atan: return arctangent(k, a, b, reciprocal);
    case HML_FUN_atan2: return angle_of_point(k, a, b);
    case HML_FUN_asinh: return area(c, a, 1);
    case HML_FUN_acosh: return area(c, a, -1);
    case HML_FUN_atanh:
      return hml_mul(c, hml_rational(c, 1, 2), call(c, HML_FUN_log, hml_div(c, hml_add(c, one, a), hml_sub(c, one, a))));
    case HML_FUN_log: return log_of_product(k, a);
    case HML_FUN_abs: return absolute_product(k, a);
    case HML_FUN_sign: return is_zero_node(a) ? a : hml_div(c, absolute_product(k, a), a);
    case HML_FUN_min: return half_difference(c, a, b, true);
    case HML_FUN_max: return half_difference(c, a, b, false);
    default: return NULL;
  }
}

static hml_expr of_normal_arguments(canon *k, hml_expr e) {
  hml_expr operands[1 + 2 * HML_OPAQUE_ARGUMENTS];
  memcpy(operands, node_operands(e), e->count * sizeof *operands);
  for (size_t i = 1; i <= hml_opaque__arity(e); i++) operands[i] = normal_argument(k, operands[i], wanted(e, i));
  return hml_opaque__call(k->c, e->count, operands);
}

static hml_expr rewritten(canon *k, hml_expr e) {
  hml_context *c = k->c;
  if (hml_opaque__is(e)) return of_normal_arguments(k, e);
  hml_expr a[2] = {NULL, NULL}, reciprocal = NULL;
  for (size_t i = 0; i < e->count && i < 2; i++) a[i] = normal_argument(k, node_operands(e)[i], wanted(e, i) & LINEAR ? LINEAR : PRODUCT);
  if (e->kind == HML_CALL && e->function == HML_FUN_atan) {
    a[1] = normal_argument(k, node_operands(e)[0], PRODUCT);
    reciprocal = normal_argument(k, node_operands(e)[0], RECIPROCAL);
  }
  hml_expr out = e->kind == HML_POWER ? power_rule(k, a[0], a[1]) : other_form(k, e->function, a[0], a[1], reciprocal);
  if (!out && !hml_failed(c)) out = hml_call(c, e->function, e->count, a);
  return out;
}

// ---- normal arguments

typedef struct work {
  hml_normal f;
  canon *k;
  size_t n;
  hml_expr *arguments;
  unsigned char *shapes;
  hml_expr *forms;                     // SHAPES of each
} work;

static hml_status normalise_work(void *data) {
  work *w = data;
  hml_normal__convert(&w->f);
  for (size_t i = 0; i < w->n; i++) {
    const hml_ratio *a = hml_normal__ratio(&w->f, w->arguments[i]);
    hml_expr *form = &w->forms[SHAPES * i];
    if (w->shapes[i] & LINEAR) form[0] = hml_normal__terms(&w->f, a);
    if (w->shapes[i] & PRODUCT) form[1] = hml_normal__fraction(&w->f, a);
    if ((w->shapes[i] & RECIPROCAL) && !hml_ratio__is_zero(w->f.ring, a))
      form[2] = hml_normal__fraction(&w->f, hml_ratio__power(w->f.ring, a, -1));
  }
  return HML_OK;
}

static hml_status normalise(canon *k, hml_expr e, size_t n, hml_expr *arguments, unsigned char *shapes, hml_expr *forms) {
  work w = {.k = k, .n = n, .arguments = arguments, .shapes = shapes, .forms = forms};
  HML_TRY(hml_normal__open_beside(&w.f, k->c, n, arguments, e, k->budget));
  hml_status status = w.f.inexact ? HML_UNSUPPORTED : hml_ring__guard(w.f.ring, normalise_work, &w);
  hml_normal__close(&w.f);
  if (status == HML_INTERRUPTED) hml_fail(k->c, HML_INTERRUPTED, "interrupted");
  if (status == HML_MEMORY) hml_fail(k->c, HML_MEMORY, "not enough memory to decide whether an expression vanishes");
  return hml_must_end(k->c) ? hml_context_error(k->c)->status : status;
}

// Sums of monomials are already normal
static bool is_monomial(hml_expr e) {
  if (is_number(e) || e->kind == HML_SYMBOL || is_pi(e)) return true;
  int64_t n;
  if (e->kind == HML_POWER) return node_operands(e)[0]->kind == HML_SYMBOL && hml_integer_value(node_operands(e)[1], &n) && n > 0;
  for (uint32_t i = 0; e->kind == HML_PRODUCT && i < e->count; i++)
    if (!is_monomial(node_operands(e)[i])) return false;
  return e->kind == HML_PRODUCT;
}

static bool is_plain(hml_expr e, int shape) {
  if (is_monomial(e)) return true;
  for (uint32_t i = 0; e->kind == HML_SUM && i < e->count; i++)
    if (!is_monomial(node_operands(e)[i])) return false;
  return e->kind == HML_SUM && shape == LINEAR;
}

// Together, so that they share their generators; those that fail together one by one
static hml_status normalise_all(canon *k, hml_expr e, size_t n, hml_expr *arguments, unsigned char *shapes) {
  hml_expr *forms = hml_arena_alloc(k->arena, SHAPES * (n + 1) * sizeof *forms);
  if (!forms) return HML_MEMORY;
  hml_status status = normalise(k, e, n, arguments, shapes, forms);
  for (size_t i = 0; i < n && status != HML_OK; i++) {
    if (!hml_forgive(k->c)) return hml_context_error(k->c)->status;
    hml_expr *own = &forms[SHAPES * i];
    hml_status one = HML_LIMIT;
    if (n > 1 && !hml_budget__is_over(k->budget)) one = normalise(k, e, 1, &arguments[i], &shapes[i], own);
    if (one != HML_OK) own[0] = own[1] = own[2] = NULL;
  }
  if (!hml_forgive(k->c)) return hml_context_error(k->c)->status;
  for (size_t i = 0; i < SHAPES * n; i++)
    if (forms[i]) HML_TRY(hml_table_put(&k->normal[i % SHAPES], arguments[i / SHAPES], (uintptr_t)forms[i]));
  return HML_OK;
}

// The innermost functions that are not done; arguments: those of theirs that may not be normal
typedef struct layer {
  hml_expr *functions, *arguments;
  unsigned char *shapes;
  size_t n, n_arguments;
} layer;

static hml_status enter_argument(layer *l, hml_table *index, hml_expr a, int shape) {
  uintptr_t at;
  if (!hml_table_get(index, a, &at)) {
    at = l->n_arguments++;
    l->arguments[at] = a;
    l->shapes[at] = 0;
    HML_TRY(hml_table_put(index, a, at));
  }
  l->shapes[at] |= (unsigned char)shape;
  return HML_OK;
}

static hml_status enter_arguments(canon *k, layer *l, hml_table *index, hml_expr e) {
  for (size_t i = 0; i < e->count; i++) {
    hml_expr a = node_operands(e)[i];
    uintptr_t known;
    for (int shape = LINEAR; shape <= RECIPROCAL; shape *= 2)
      if ((wanted(e, i) & shape) && !is_plain(a, shape) && !hml_table_get(table_of(k, shape), a, &known))
        HML_TRY(enter_argument(l, index, a, shape));
  }
  return HML_OK;
}

static hml_status find_layer(canon *k, hml_expr e, layer *l) {
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(k->arena, 1, &e, &nodes, &count));
  *l = (layer){hml_arena_alloc(k->arena, count * sizeof(hml_expr)), hml_arena_alloc(k->arena, 2 * count * sizeof(hml_expr)),
               hml_arena_alloc(k->arena, 2 * count), 0, 0};
  if (!l->functions || !l->arguments || !l->shapes) return HML_MEMORY;
  hml_table waiting, index;
  hml_table_init(&waiting, k->arena);
  hml_table_init(&index, k->arena);
  for (size_t i = 0; i < count; i++) {
    uintptr_t value;
    hml_expr node = nodes[i];
    bool inside = false, open = is_function(node) && !hml_table_get(&k->done, node, &value);
    for (size_t j = 0; j < hml_operand_count(node); j++) inside = inside || hml_table_get(&waiting, node_operands(node)[j], &value);
    if (inside || open) HML_TRY(hml_table_put(&waiting, node, 1));
    if (inside || !open) continue;
    l->functions[l->n++] = node;
    HML_TRY(enter_arguments(k, l, &index, node));
  }
  return HML_OK;
}

// One layer rewritten; *out is NULL when there was none left
static hml_status next_layer(canon *k, hml_expr e, hml_expr *out) {
  layer l;
  *out = NULL;
  HML_TRY(find_layer(k, e, &l));
  if (l.n == 0) return HML_OK;
  if (l.n_arguments > 0) HML_TRY(normalise_all(k, e, l.n_arguments, l.arguments, l.shapes));
  hml_expr *from = hml_arena_alloc(k->arena, 2 * l.n * sizeof *from), *to = from ? from + l.n : NULL;
  if (!from) return HML_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < l.n; i++) {
    hml_expr fresh = rewritten(k, l.functions[i]);
    if (!fresh) return hml_failed(k->c) ? hml_context_error(k->c)->status : HML_MEMORY;
    // a function that stays one has normal arguments now
    if (fresh->kind == l.functions[i]->kind && (fresh->kind == HML_POWER || fresh->function == l.functions[i]->function))
      HML_TRY(hml_table_put(&k->done, fresh, 1));
    if (fresh == l.functions[i]) continue;
    from[n] = l.functions[i];
    to[n++] = fresh;
  }
  *out = n > 0 ? hml_substitute(k->c, e, n, from, to) : e;
  return *out ? HML_OK : hml_failed(k->c) ? hml_context_error(k->c)->status : HML_MEMORY;
}

static hml_status pass(canon *k, hml_expr *e) {
  for (int round = 0; round < MAX_ROUNDS && !hml_budget__is_over(k->budget); round++) {
    hml_expr next;
    HML_TRY(hml_check_interrupt(k->c));
    HML_TRY(next_layer(k, *e, &next));
    if (!next) break;
    *e = next;
  }
  return HML_OK;
}

hml_expr hml_expr__canonical(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  canon k = {.c = c, .arena = &arena, .budget = budget};
  hml_expr start = e;
  hml_status status = HML_OK;
  // signs found by one pass are used by the next
  for (int i = 0; i < MAX_PASSES && status == HML_OK && (i == 0 || k.learnt || k.postponed); i++) {
    k.learnt = k.postponed = false;
    k.first = i == 0;
    hml_table_init(&k.done, &arena);
    for (int shape = 0; shape < SHAPES; shape++) hml_table_init(&k.normal[shape], &arena);
    status = pass(&k, &e);
  }
  if (status == HML_OK && !(e = with_rows(&k, e))) status = hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY;
  hml_arena_free(&arena);
  // a sign or turn for which memory was short counts as not known
  if (hml_must_end(c)) return NULL;
  if (status == HML_OK) return e;
  hml_context_clear_error(c);
  return start;
}
