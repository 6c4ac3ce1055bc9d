// turns.c: sine and cosine of a sum by those of its parts, in roots where these are algebraic: of multiples of pi and of inverse functions.
#include "expr_impl.h"

#include <stdlib.h>

enum { MAX_TURNS = 8 };                // times that an inverse function is taken

hml_turn hml_turn__joined(hml_context *c, hml_turn a, hml_turn b) {
  return (hml_turn){hml_add(c, hml_mul(c, a.sine, b.cosine), hml_mul(c, a.cosine, b.sine)),
                    hml_sub(c, hml_mul(c, a.cosine, b.cosine), hml_mul(c, a.sine, b.sine))};
}

static hml_turn repeated(hml_context *c, hml_turn a, int64_t n) {
  hml_turn all = {hml_integer(c, 0), hml_integer(c, 1)};
  if (n < 0) a.sine = hml_neg(c, a.sine);
  for (uint64_t i = (uint64_t)llabs(n); i; i >>= 1) {
    if (i & 1) all = hml_turn__joined(c, all, a);
    if (i > 1) a = hml_turn__joined(c, a, a);
  }
  return all;
}

static hml_turn of_twelfths(hml_context *c, int64_t n) { return (hml_turn){hml_expr__sine_of_twelfths(c, n), hml_expr__sine_of_twelfths(c, n + 6)}; }

// pi/5: cos = (1 + sqrt(5))/4, sin = sqrt(10 - 2 sqrt(5))/4
static hml_turn of_fifth(hml_context *c) {
  hml_expr root = hml_sqrt(c, hml_integer(c, 5)), quarter = hml_rational(c, 1, 4), two = hml_integer(c, 2);
  hml_expr inside = hml_sub(c, hml_integer(c, 10), hml_mul(c, two, root));
  return (hml_turn){hml_mul(c, quarter, hml_sqrt(c, inside)), hml_mul(c, quarter, hml_add(c, hml_integer(c, 1), root))};
}

// cos(a/2) = sqrt(2 + 2 cos a)/2, sin(a/2) = sin(a)/(2 cos(a/2)), 0 < a < pi
static hml_turn halved(hml_context *c, hml_turn a) {
  hml_expr two = hml_integer(c, 2), root = hml_sqrt(c, hml_add(c, two, hml_mul(c, two, a.cosine)));
  return (hml_turn){hml_div(c, a.sine, root), hml_mul(c, hml_rational(c, 1, 2), root)};
}

// n pi/d, d a divisor of 60
static hml_turn of_sixtieths(hml_context *c, int64_t n, int64_t d) {
  // n/d = a/12 + b/5
  int64_t sixtieths = n * (60 / d), b = (3 * sixtieths % 5 + 5) % 5;
  b = b > 2 ? b - 5 : b;
  hml_turn a = of_twelfths(c, (sixtieths - 12 * b) / 5);
  return b ? hml_turn__joined(c, a, repeated(c, of_fifth(c), b)) : a;
}

// n pi/d in roots: d is a divisor of 60 times a power of two, at most 240
static bool turn_of_pi(hml_context *c, int64_t n, int64_t d, hml_turn *out) {
  int64_t first = d;
  while (60 % first != 0 && first % 2 == 0) first /= 2;
  if (60 % first != 0 || d > 240) return false;
  if (first == d) {
    *out = of_sixtieths(c, n, d);
    return true;
  }
  hml_turn unit = of_sixtieths(c, 1, first);
  for (; first < d; first *= 2) unit = halved(c, unit);
  // within a quarter turn; half a turn more changes both signs
  n = (n % (2 * d) + 2 * d) % (2 * d);
  int64_t halves = (n + d / 2) / d;
  *out = repeated(c, unit, n - halves * d);
  if (halves % 2) *out = (hml_turn){hml_neg(c, out->sine), hml_neg(c, out->cosine)};
  return true;
}

// n times an inverse function: sin atan u = u/sqrt(1 + u^2), cos atan u = 1/sqrt(1 + u^2) and the like
static bool turn_of_inverse(hml_context *c, hml_expr e, int64_t n, hml_turn *out) {
  if (e->kind != HML_CALL || llabs(n) > MAX_TURNS) return false;
  const hml_expr *a = node_operands(e);
  hml_expr one = hml_integer(c, 1), root;
  switch (e->function) {
    case HML_FUN_asin:
      *out = repeated(c, (hml_turn){a[0], hml_sqrt(c, hml_sub(c, one, hml_mul(c, a[0], a[0])))}, n);
      return true;
    case HML_FUN_acos:
      if (is_pi(e)) return false;
      *out = repeated(c, (hml_turn){hml_sqrt(c, hml_sub(c, one, hml_mul(c, a[0], a[0]))), a[0]}, n);
      return true;
    case HML_FUN_atan:
      root = hml_sqrt(c, hml_add(c, one, hml_mul(c, a[0], a[0])));
      *out = repeated(c, (hml_turn){hml_div(c, a[0], root), hml_div(c, one, root)}, n);
      return true;
    case HML_FUN_atan2:
      root = hml_sqrt(c, hml_add(c, hml_mul(c, a[0], a[0]), hml_mul(c, a[1], a[1])));
      *out = repeated(c, (hml_turn){hml_div(c, a[0], root), hml_div(c, a[1], root)}, n);
      return true;
    default: return false;
  }
}

// A number modulo 2, as a fraction of small numbers
static bool modulo_two(const number *q, int64_t *n, int64_t *d) {
  if (q->form >= INEXACT) return false;
  if (q->form == SMALL) {
    *n = q->n % (2 * (q->d < 1000000 ? q->d : 1));
    *d = q->d;
    return q->d < 1000000;
  }
  if (mpz_cmp_ui(mpq_denref(q->q), 1000000) >= 0) return false;
  *d = (int64_t)mpz_get_ui(mpq_denref(q->q));
  *n = (int64_t)mpz_fdiv_ui(mpq_numref(q->q), 2 * (unsigned long)*d);
  return true;
}

// s pi n/d with s^2 = 1, as pi |x|/(2 x): the sine takes the sign s
static bool turn_with_sign(hml_context *c, hml_expr term, hml_turn *out) {
  hml_expr t = hml_div(c, term, hml_pi(c)), square = t ? hml_mul(c, t, t) : NULL, size = NULL;
  int64_t n, d;
  if (square && square->kind == HML_NUMBER && hml_expr__sign(square) > 0) size = hml_sqrt(c, square);
  if (!size || !hml_rational_value(size, &n, &d) || d >= 1000000 || !turn_of_pi(c, n % (2 * d), d, out)) return false;
  out->sine = hml_mul(c, hml_div(c, t, size), out->sine);
  return true;
}

// A term of an angle whose sine and cosine are algebraic
static bool turn_of_term(hml_context *c, hml_expr term, hml_turn *out) {
  number q;
  hml_expr rest = split_coefficient(c, term, &q);
  int64_t n, d;
  bool found = false;
  if (rest && is_pi(rest)) found = modulo_two(&q, &n, &d) && turn_of_pi(c, n, d, out);
  else if (rest && q.form == SMALL && q.d == 1) found = turn_of_inverse(c, rest, q.n, out);
  number_clear(&q);
  for (uint32_t i = 0; !found && rest && rest->kind == HML_PRODUCT && i < rest->count; i++)
    if (is_pi(node_operands(rest)[i])) found = turn_with_sign(c, term, out);
  return found;
}

hml_expr hml_expr__turned_in_roots(hml_context *c, hml_function f, hml_expr a) {
  size_t n = a->kind == HML_SUM ? a->count : 1;
  hml_expr rest = hml_integer(c, 0);
  hml_turn all = {hml_integer(c, 0), hml_integer(c, 1)}, part;
  bool found = false;
  for (size_t i = 0; i < n; i++) {
    hml_expr term = a->kind == HML_SUM ? node_operands(a)[i] : a;
    if (turn_of_term(c, term, &part)) all = hml_turn__joined(c, all, part), found = true;
    else rest = hml_add(c, rest, term);
  }
  if (!found || !rest) return NULL;
  all = hml_turn__joined(c, all, (hml_turn){hml_call(c, HML_FUN_sin, 1, &rest), hml_call(c, HML_FUN_cos, 1, &rest)});
  return f == HML_FUN_sin ? all.sine : f == HML_FUN_cos ? all.cosine : hml_div(c, all.sine, all.cosine);
}
