// circle.c: the exact number pi, which is the node acos(-1), and sines, cosines, tangents at its rational multiples or shifted by them.
#include "expr_impl.h"

#include <stdlib.h>

hml_expr hml_pi(hml_context *c) {
  hml_expr minus_one = hml_integer(c, -1);
  return hml_call(c, HML_FUN_acos, 1, &minus_one);
}

bool is_pi(hml_expr e) { return e->kind == HML_CALL && e->function == HML_FUN_acos && is_small(node_operands(e)[0], -1, 1); }

bool is_multiple_of_pi(hml_expr e) {
  return is_pi(e) || (e->kind == HML_PRODUCT && e->count == 2 && is_number(node_operands(e)[0]) && is_pi(node_operands(e)[1]));
}

static int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b < 0); }

// n/d pi is among the terms of e; false if it is not, or not with small numbers
static bool pi_inside(hml_context *c, hml_expr e, int64_t *n, int64_t *d) {
  number k, inner;
  hml_expr rest = split_coefficient(c, e, &k), term = rest && is_pi(rest) ? rest : NULL;
  for (uint32_t i = 0; rest && rest->kind == HML_SUM && i < rest->count && !term; i++) {
    if (!is_multiple_of_pi(node_operands(rest)[i])) continue;
    term = split_coefficient(c, node_operands(rest)[i], &inner);
    number_mul(&k, &inner);
    number_clear(&inner);
  }
  number_lost(c, &k);
  bool fine = term && k.form == SMALL && llabs(k.n) < 1000000 && k.d < 1000000;
  if (fine) *n = k.n, *d = k.d;
  number_clear(&k);
  return fine;
}

// (p + q sqrt(k) + r sqrt(2) + s sqrt(6))/4
static hml_expr surd(hml_context *c, int p, int q, int k, int r, int s) {
  hml_expr terms[4] = {hml_rational(c, p, 4), hml_mul(c, hml_rational(c, q, 4), hml_sqrt(c, hml_integer(c, k))),
                       hml_mul(c, hml_rational(c, r, 4), hml_sqrt(c, hml_integer(c, 2))),
                       hml_mul(c, hml_rational(c, s, 4), hml_sqrt(c, hml_integer(c, 6)))};
  return hml_sum(c, 4, terms);
}

// sin(k pi/12), 0 <= k <= 6
static hml_expr first_quadrant(hml_context *c, int64_t k) {
  switch (k) {
    case 0: return hml_integer(c, 0);
    case 1: return surd(c, 0, 0, 1, -1, 1);
    case 2: return surd(c, 2, 0, 1, 0, 0);
    case 3: return surd(c, 0, 0, 1, 2, 0);
    case 4: return surd(c, 0, 2, 3, 0, 0);
    case 5: return surd(c, 0, 0, 1, 1, 1);
    default: return hml_integer(c, 1);
  }
}

hml_expr hml_expr__sine_of_twelfths(hml_context *c, int64_t k) {
  k = (k % 24 + 24) % 24;
  hml_expr e = first_quadrant(c, k % 12 <= 6 ? k % 12 : 12 - k % 12);
  return k < 12 ? e : hml_neg(c, e);
}

static hml_expr tangent_of_twelfths(hml_context *c, int64_t k) {
  k = (k % 12 + 12) % 12;
  if (k > 6) return hml_neg(c, tangent_of_twelfths(c, 12 - k));
  switch (k) {
    case 0: return hml_integer(c, 0);
    case 1: return surd(c, 8, -4, 3, 0, 0);
    case 2: return hml_mul(c, hml_rational(c, 1, 3), surd(c, 0, 4, 3, 0, 0));
    case 3: return hml_integer(c, 1);
    case 4: return surd(c, 0, 4, 3, 0, 0);
    case 5: return surd(c, 8, 4, 3, 0, 0);
    default: return hml_fail_null(c, HML_UNDEFINED, "tan(pi/2) is infinite");
  }
}

// a - m pi/2, a sum of its terms however long it is: of two sums, a long one would keep its pi
static hml_expr less_quarters(hml_context *c, hml_expr a, int64_t m) {
  hml_expr quarters = hml_mul(c, hml_rational(c, -m, 2), hml_pi(c));
  number k;
  hml_expr rest = split_coefficient(c, a, &k), factor = number_node(c, &k);
  if (!rest || rest->kind != HML_SUM) return hml_add(c, a, quarters);
  size_t n = rest->count;
  hml_expr *terms = hml_alloc(c, (n + 1) * sizeof *terms);
  if (!terms) return NULL;
  for (size_t i = 0; i < n; i++) terms[i] = hml_mul(c, factor, node_operands(rest)[i]);
  terms[n] = quarters;
  hml_expr e = hml_sum(c, n + 1, terms);
  hml_dealloc(c, terms, (n + 1) * sizeof *terms);
  return e;
}

// f(a) by f(a - m pi/2)
static hml_expr turned_back(hml_context *c, hml_function f, hml_expr a, int64_t m) {
  hml_expr b = less_quarters(c, a, m);
  if (b && b->kind != HML_SUM) b = hml_sum(c, 2, (hml_expr[]){b, hml_integer(c, 0)});
  bool other = m % 2 != 0;
  if (f == HML_FUN_tan && other) return hml_neg(c, hml_div(c, hml_call(c, HML_FUN_cos, 1, &b), hml_call(c, HML_FUN_sin, 1, &b)));
  if (f == HML_FUN_tan) return hml_call(c, f, 1, &b);
  hml_expr e = hml_call(c, !other ? f : f == HML_FUN_sin ? HML_FUN_cos : HML_FUN_sin, 1, &b);
  // sin, cos, -sin, -cos for m = 0 to 3; cosine is one ahead
  int64_t ahead = (m % 4 + 4 + (f == HML_FUN_cos)) % 4;
  return ahead >= 2 ? hml_neg(c, e) : e;
}

hml_expr hml_expr__turned(hml_context *c, hml_function f, hml_expr a) {
  int64_t n, d;
  if (a->kind < HML_SUM || !pi_inside(c, a, &n, &d)) return NULL;
  if (is_multiple_of_pi(a) && 12 % d == 0) {
    int64_t k = n * (12 / d);
    if (f == HML_FUN_tan) return tangent_of_twelfths(c, k);
    return hml_expr__sine_of_twelfths(c, f == HML_FUN_cos ? k + 6 : k);
  }
  // the rest is less than a quarter turn; for a tangent less than a half turn, since a quarter costs a quotient
  int64_t m = floor_div(2 * n, d);
  if (f == HML_FUN_tan && d != 2) m -= (m % 2 + 2) % 2;
  return m == 0 ? NULL : turned_back(c, f, a, m);
}

hml_expr hml_expr__known_angle(hml_context *c, hml_function f, hml_expr a) {
  for (int64_t n = -6; n <= 6; n++) {
    if (f == HML_FUN_tan && llabs(n) == 6) continue;
    hml_expr value = f == HML_FUN_tan ? tangent_of_twelfths(c, n) : hml_expr__sine_of_twelfths(c, n);
    if (value && value == a) return hml_mul(c, hml_rational(c, n, 12), hml_pi(c));
  }
  return NULL;
}
