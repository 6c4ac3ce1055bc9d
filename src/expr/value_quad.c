// value_quad.c: functions and powers of inexact numbers, which are sums of two doubles, by libquadmath; without it, what the double leaves is taken as zero.
#include "expr_impl.h"

#include <math.h>

#ifdef HAMEL_QUADMATH
#include <quadmath.h>

// The value of a function in quadruple precision, where that is finite, in front the result `nearest` of doubles where what these leave matters little:
// it does much to acos and log at 1, and to sines of large numbers
static void split(double nearest, __float128 value, number *out) {
  const double low = (double)(value - nearest);
  if (!finiteq(value)) number_set_pair(out, nearest, 0);
  else if (fabs(low) <= 1e-8 * fabs(nearest)) number_set_pair(out, nearest, low);
  else number_set_pair(out, (double)value, (double)(value - (double)value));
}

void number_pow(number *out, const hml_pair *base, const hml_pair *exponent) {
  split(pow(base->x, exponent->x), powq((__float128)base->x + base->low, (__float128)exponent->x + exponent->low), out);
}

#include "functions_quad.def"

static __float128 value_of(hml_function f, __float128 a, __float128 b) {
  switch (f) {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) case HML_FUN_##name: return value;
#include "functions.def"
#undef FUN
    default: return 0;
  }
}

void number_call(number *out, hml_function f, const hml_pair *a, const hml_pair *b) {
  split(hml_function__value(f, a->x, b->x), value_of(f, (__float128)a->x + a->low, (__float128)b->x + b->low), out);
}
#else
void number_pow(number *out, const hml_pair *base, const hml_pair *exponent) {
  number_set_float(out, pow(base->x, exponent->x));
}

void number_call(number *out, hml_function f, const hml_pair *a, const hml_pair *b) {
  number_set_float(out, hml_function__value(f, a->x, b->x));
}
#endif
