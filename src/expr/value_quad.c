// value_quad.c: functions and powers of inexact numbers, which are sums of two doubles with a bound of their errors, by libquadmath; without it by doubles.
#include "expr_impl.h"

#include <float.h>
#include <math.h>

#ifdef HAMEL_QUADMATH
#include <quadmath.h>
typedef __float128 real;
#define R(name) name##q
#define ROUNDING 0x1p-109               // of a function, with room for some units in the last place
#define UNIT_OF_REAL 0x1p-112
#else
typedef double real;
#define R(name) name
#define ROUNDING (4 * DBL_EPSILON)
#define UNIT_OF_REAL DBL_EPSILON
#endif

static bool is_finite(real x) { return x - x == 0; }

static real size_of(real x) { return x < 0 ? -x : x; }

static double nearest_pow(double a, double b) { return pow(a, b); }

// |x + low - 1| where x is near 1, without the digits that the sum loses; where rounding has passed the 1, none
static real beyond_one(double x, real low) {
  const real d = (real)(x - 1) + low;
  return d > 0 ? d : 0;
}

static real below_one(double x, real low) {
  const real d = (real)(1 - x) - low;
  return d > 0 ? d : 0;
}

#define HALF_PI (2 * R(atan)((real)1))

// acos(1 - d), d small
static real arccosine_below_one(real d) { return 2 * R(asin)(R(sqrt)(d / 2)); }

#ifdef HAMEL_QUADMATH
#include "functions_quad.def"
#endif

static real plain_value(hml_function f, real a, real b) {
#ifdef HAMEL_QUADMATH
  switch (f) {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) case HML_FUN_##name: return value;
#include "functions.def"
#undef FUN
    default: return 0;
  }
#else
  return hml_function__value(f, a, b);
#endif
}

// Does f end or vanish near x, at 1 or -1?
static bool is_by_distance(hml_function f, double x) {
  switch ((int)f) {
    case HML_FUN_log: case HML_FUN_acosh: return x > 0.5 && x < 1.5;
    case HML_FUN_acos: case HML_FUN_asin: case HML_FUN_atanh: return size_of(x) > 0.5;
    default: return false;
  }
}

// f(x + low, b); where it ends or vanishes at 1, by the distance from there
static real value_near(hml_function f, double x, real low, real b) {
  const double size = x < 0 ? -x : x;
  const real outward = x < 0 ? -low : low;
  if (!is_by_distance(f, x)) return plain_value(f, (real)x + low, b);
  switch (f) {
    case HML_FUN_log: return R(log1p)((real)(x - 1) + low);
    case HML_FUN_acosh: {
      const real d = beyond_one(x, low);
      return R(log1p)(d + R(sqrt)(d * (d + 2)));
    }
    case HML_FUN_acos: {
      const real angle = arccosine_below_one(below_one(size, outward));
      return x > 0 ? angle : 2 * HALF_PI - angle;
    }
    case HML_FUN_asin: {
      const real angle = HALF_PI - arccosine_below_one(below_one(size, outward));
      return x > 0 ? angle : -angle;
    }
    case HML_FUN_atanh: {
      const real d = below_one(size, outward), value = R(log)((2 - d) / d) / 2;
      return x > 0 ? value : -value;
    }
    default: return plain_value(f, (real)x + low, b);
  }
}

// What a - (x + low) is, of a sum that was rounded
static real dropped(real a, const hml_pair *p) { return size_of((a - p->x) - p->low); }

static real largest(real a, real b) { return a > b ? a : b; }

// The box of errors is seen from the origin under an angle t, sin t <= its half diagonal over the distance; t < 1.1 sin t where sin t < 1/2
static real angle_error(real a, real b, real error_a, real error_b) {
  const real distance = largest(size_of(a), size_of(b)), radius = error_a + error_b;
  const bool cut = error_a > 0 && !(b - error_b > 0) && size_of(a) <= error_a;
  return !cut && radius < distance / 2 ? radius / distance * 1.1 : INFINITY;
}

// How far f deviates from `value` where its argument does by e: it is monotonic, or convex as cosh is, and deviates most at the ends. Between poles
// the tangent increases
static real error_at_ends(hml_function f, const hml_pair *a, real e, real value) {
  const real left = value_near(f, a->x, a->low - e, 0), right = value_near(f, a->x, a->low + e, 0), error = size_of(left - value) + size_of(right - value);
  return is_finite(error) && (f != HML_FUN_tan || (left <= value && value <= right)) ? error : (real)INFINITY;
}

// Of measured data, which are read at the double in front; there are none beyond the ends of a table
static double error_of_data(hml_function f, double id, const hml_pair *at, double value) {
  const double e = (at->low < 0 ? -at->low : at->low) + at->error, left = nextafter(at->x - e, -INFINITY), right = nextafter(at->x + e, INFINITY);
  const double parts[][2] = {{left, right}, {left, at->x}, {at->x, right}, {at->x, at->x}};
  double bounds[2];
  unsigned order;
  bool smooth;
  hml_tabled__is(f, &order);
  for (size_t k = 0; k < sizeof parts / sizeof *parts; k++)
    if (hml_tabled__bounds(id, e > 0 ? parts[k][0] : at->x, e > 0 ? parts[k][1] : at->x, (int)order, bounds, &smooth)) return fmax(bounds[1] - value, value - bounds[0]);
  return INFINITY;
}

static real error_of(hml_function f, const hml_pair *a, const hml_pair *b, real value) {
  const real x = (real)a->x + a->low, y = (real)b->x + b->low, e = a->error + dropped(x, a), e_b = b->error + dropped(y, b);
  switch ((int)f) {
    // derivatives are at most one
    case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_tanh: case HML_FUN_atan: case HML_FUN_asinh: case HML_FUN_abs: return e;
    case HML_FUN_min: case HML_FUN_max: return largest(e, e_b);
    case HML_FUN_sign: return size_of(x) > e || e == 0 ? 0 : (real)INFINITY;
    case HML_FUN_atan2: return angle_error(x, y, e, e_b);
    case HML_FUN_tabled: case HML_FUN_tabled_rate: case HML_FUN_tabled_curve: case HML_FUN_tabled_jerk: return error_of_data(f, a->x, b, (double)value);
    default: break;
  }
  // a step that is not lost in the sum of argument and step
  const bool by_distance = is_by_distance(f, a->x);
  const real step = by_distance ? a->error : e, unit = UNIT_OF_REAL * (by_distance ? size_of((real)(size_of(a->x) - 1)) + size_of(a->low) : size_of(x));
  return step > 0 ? error_at_ends(f, a, step + unit, value) : by_distance ? error_at_ends(f, a, unit, value) : 0;
}

// The value in front of the result `nearest` of doubles where what these leave matters little: it does much to acos and log at 1, and to sines of large
// numbers. false: it is out of the range of doubles
static bool split(double nearest, real value, real error, number *out) {
  const double x = isfinite(nearest) && size_of(value - nearest) <= 1e-8 * size_of(nearest) ? nearest : (double)value;
  if (!isfinite(x) || (x != 0 && fabs(x) < DBL_MIN) || (x == 0 && value != 0)) return false;
  hml_pair p = {x, (double)(value - x), 0};
  const real bound = error + size_of((value - x) - p.low);
  p.error = bound > 0 ? (double)bound * (1 + 4 * DBL_EPSILON) + DBL_TRUE_MIN : 0;
  number_set_bounded(out, p);
  return true;
}

static void set_nan(number *out) {
  number_set_float(out, NAN);
}

// Relative errors of base and exponent, of which the latter moves the logarithm of the power; at the end of a root, by the values there
static real error_of_power(const hml_pair *base, const hml_pair *exponent, real value) {
  const real a = (real)base->x + base->low, b = (real)exponent->x + exponent->low, e = base->error + dropped(a, base), e_b = exponent->error + dropped(b, exponent);
  const real log_error = e_b > 0 ? e_b * size_of(R(log)(size_of(a))) : 0, relative = e / size_of(a);
  if (a != 0 && relative * (size_of(b) + 1) < 0.1 && log_error < 0.1) return size_of(value) * (2 * relative * size_of(b) + 2 * log_error + ROUNDING);
  return e_b == 0 && b > 0 && a >= 0 ? R(pow)(a + e + UNIT_OF_REAL * a, b) * (1 + ROUNDING) : (real)INFINITY;
}

void number_pow(number *out, const hml_pair *base, const hml_pair *exponent) {
  const real a = (real)base->x + base->low, b = (real)exponent->x + exponent->low, value = R(pow)(a, b);
  if (value != value || (a == 0 && !(b > 0))) {
    set_nan(out);
    return;
  }
  const real size = size_of(value);
  number_set_float(out, 1);
  if (a != 0 && (!is_finite(value) || size > DBL_MAX)) out->form = ABOVE;
  else if ((a != 0 && size < DBL_MIN) || !split(nearest_pow(base->x, exponent->x), value, error_of_power(base, exponent, value), out)) out->form = BELOW;
}

bool number_call(number *out, hml_function f, const hml_pair *a, const hml_pair *b) {
  const real value = value_near(f, a->x, a->low, (real)b->x + b->low);
  if (value != value) {
    set_nan(out);
    return true;
  }
  if (!is_finite(value) || (value == 0 && f == HML_FUN_exp)) return false;
  const real error = error_of(f, a, b, value);
  const bool exact = f == HML_FUN_abs || f == HML_FUN_min || f == HML_FUN_max || f == HML_FUN_sign;
  if (!is_finite(error)) return false;
  return split(hml_function__value(f, a->x, b->x), value, exact ? error : error + ROUNDING * size_of(value), out);
}
