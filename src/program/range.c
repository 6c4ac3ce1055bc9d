// range.c: ranges of a program: from ranges of its inputs, ranges that hold every value it can take there. Interval arithmetic on the
// instructions, each result widened outward by more than its rounding error, so that a range without zero is a proof.
//
// Source: Moore, Kearfott, Cloud, Introduction to Interval Analysis (2009). Functions that are not monotone are cut at their extrema.
#include "program_impl.h"

#include <float.h>
#include <math.h>

#define LAST_PLACE DBL_EPSILON         // at least one unit in the last place of the value it multiplies
#define FUNCTIONS 4                    // units in the last place that a function of the C library may be off
#define ROUNDED 4                      // units in the last place of a state, and of the instant of a corner
enum { TOGETHER = 16 };                // pairs of sine and cosine
#define FAR 1e15                       // arguments of sine and cosine beyond which nothing is known

static const double pi = 3.14159265358979323846;
static const hml_range whole = {-INFINITY, INFINITY};

typedef struct reader {
  hml_range_kind kind;                 // of the whole program, so far
} reader;

static hml_range undefined(reader *r) {
  r->kind = HML_RANGE_UNDEFINED;
  return whole;
}

static void jumps(reader *r) {
  if (r->kind == HML_RANGE_CONTINUOUS) r->kind = HML_RANGE_JUMPS;
}

// fmin and fmax ignore a not-a-number; here it means that the range is not known
static double lesser(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmin(a, b);
}

static double greater(double a, double b) {
  return isnan(a) || isnan(b) ? NAN : fmax(a, b);
}

static hml_range widened(double low, double high, double units) {
  if (!(low <= high)) return whole;    // inf - inf and the like
  if (low >= -DBL_MAX && high <= DBL_MAX) return (hml_range){low - units * LAST_PLACE * fabs(low), high + units * LAST_PLACE * fabs(high)};
  return (hml_range){isinf(low) ? low : low - units * LAST_PLACE * fabs(low), isinf(high) ? high : high + units * LAST_PLACE * fabs(high)};
}

static bool is_bounded(hml_range a) {
  return a.low >= -DBL_MAX && a.high <= DBL_MAX;
}

// Of two numbers that are none of them not-a-number; inline, unlike fmin and fmax
static inline double least(double a, double b) {
  return a < b ? a : b;
}

static inline double most(double a, double b) {
  return a > b ? a : b;
}

static bool has_zero(hml_range a) {
  return a.low <= 0 && a.high >= 0;
}

// ---- arithmetic

static hml_range add(hml_range a, hml_range b) {
  return widened(a.low + b.low, a.high + b.high, 1);
}

static hml_range negated(hml_range a) {
  return (hml_range){-a.high, -a.low};
}

// 0 times anything is 0, since an unbounded end means a large value, not infinity
static double product(double a, double b) {
  return a == 0 || b == 0 ? 0 : a * b;
}

static hml_range mul(hml_range a, hml_range b) {
  if (is_bounded(a) && is_bounded(b)) {
    const double k = a.low * b.low, l = a.low * b.high, m = a.high * b.low, n = a.high * b.high;
    return widened(least(least(k, l), least(m, n)), most(most(k, l), most(m, n)), 1);
  }
  double p = product(a.low, b.low), q = product(a.low, b.high), r = product(a.high, b.low), s = product(a.high, b.high);
  return widened(lesser(lesser(p, q), lesser(r, s)), greater(greater(p, q), greater(r, s)), 1);
}

static hml_range square(hml_range a) {
  double p = a.low * a.low, q = a.high * a.high;
  if (is_bounded(a)) return widened(has_zero(a) ? 0 : least(p, q), most(p, q), 1);
  return widened(has_zero(a) ? 0 : lesser(p, q), greater(p, q), 1);
}

static hml_range quotient(reader *r, hml_range a, hml_range b) {
  if (has_zero(b)) return undefined(r);
  return mul(a, widened(1 / b.high, 1 / b.low, 1));
}

static hml_range root(reader *r, hml_range a) {
  double floor_of = -1e-12 * greater(fabs(a.high), DBL_MIN);
  if (!(a.low >= floor_of) || (a.low < 0 && isinf(a.high))) return undefined(r);
  return widened(sqrt(greater(a.low, 0)), sqrt(greater(a.high, 0)), 1);
}

static hml_range whole_power(reader *r, hml_range a, double n) {
  if (n < 0 && has_zero(a)) return undefined(r);
  double p = pow(a.low, n), q = pow(a.high, n), low = lesser(p, q), high = greater(p, q);
  if (fmod(n, 2) == 0 && n > 0 && has_zero(a)) low = 0;
  return widened(low, high, FUNCTIONS);
}

static hml_range power(reader *r, hml_range a, hml_range b) {
  if (b.low == b.high && b.low == floor(b.low) && fabs(b.low) < 1e9) return whole_power(r, a, b.low);
  bool zero_allowed = b.low > 0;
  if (a.low < 0 || (a.low == 0 && !zero_allowed)) return undefined(r);
  double p = pow(a.low, b.low), q = pow(a.low, b.high), s = pow(a.high, b.low), t = pow(a.high, b.high);
  return widened(lesser(lesser(p, q), lesser(s, t)), greater(greater(p, q), greater(s, t)), FUNCTIONS);
}

// ---- functions

typedef double (*real_function)(double);

static hml_range rising(real_function f, hml_range a) {
  return widened(f(a.low), f(a.high), FUNCTIONS);
}

static hml_range falling(real_function f, hml_range a) {
  return widened(f(a.high), f(a.low), FUNCTIONS);
}

// Does a hold a point at + k step, k whole? Points near its ends count.
static bool holds(hml_range a, double at, double step) {
  double slack = FUNCTIONS * DBL_EPSILON * (fabs(a.low) + fabs(a.high) + step), k = ceil((a.low - slack - at) / step);
  return at + k * step <= a.high + slack;
}

static hml_range wave(real_function f, hml_range a, double top) {
  if (!(a.high - a.low < 2 * pi) || fabs(a.low) > FAR || fabs(a.high) > FAR) return (hml_range){-1, 1};
  double p = f(a.low), q = f(a.high);
  hml_range w = widened(lesser(p, q), greater(p, q), FUNCTIONS);
  if (holds(a, top, 2 * pi) || w.high > 1) w.high = 1;
  if (holds(a, top + pi, 2 * pi) || w.low < -1) w.low = -1;
  return w;
}

// Of both at once, from those at both ends: between ends less than pi apart at which the rate has one sign there is no extremum
static void waves(hml_range a, hml_circle p, hml_circle q, hml_range *sine, hml_range *cosine) {
  const bool narrow = a.high - a.low < 3 && fabs(a.low) < FAR && fabs(a.high) < FAR;
  *sine = narrow && p.cosine * q.cosine > 1e-9 ? widened(least(p.sine, q.sine), most(p.sine, q.sine), FUNCTIONS) : wave(hml_sin, a, 0.5 * pi);
  *cosine = narrow && p.sine * q.sine > 1e-9 ? widened(least(p.cosine, q.cosine), most(p.cosine, q.cosine), FUNCTIONS) : wave(hml_cos, a, 0);
}

static hml_range tangent(reader *r, hml_range a) {
  if (!(a.high - a.low < pi) || fabs(a.low) > FAR || fabs(a.high) > FAR || holds(a, 0.5 * pi, pi)) return undefined(r);
  return rising(tan, a);
}

// Within [-1, 1], with a word for rounding errors at its ends
static bool clip_to_unit(hml_range *a) {
  if (!(a->low >= -1 - 1e-12 && a->high <= 1 + 1e-12)) return false;
  a->low = fmax(a->low, -1);
  a->high = fmin(a->high, 1);
  return true;
}

static hml_range angle(reader *r, hml_range y, hml_range x) {
  if (has_zero(y) && x.low <= 0) {
    if (has_zero(x)) return undefined(r);
    jumps(r);
    return widened(-pi, pi, FUNCTIONS);
  }
  // without the cut the extremes are at the corners of the box
  double p = atan2(y.low, x.low), q = atan2(y.low, x.high), s = atan2(y.high, x.low), t = atan2(y.high, x.high);
  return widened(lesser(lesser(p, q), lesser(s, t)), greater(greater(p, q), greater(s, t)), FUNCTIONS);
}

static hml_range even(real_function f, hml_range a) {
  double p = f(a.low), q = f(a.high);
  return widened(has_zero(a) ? f(0) : lesser(p, q), greater(p, q), FUNCTIONS);
}

static hml_range sign_of(reader *r, hml_range a) {
  if (has_zero(a) && !(a.low == 0 && a.high == 0)) jumps(r);
  return (hml_range){(a.low > 0) - (a.low < 0), (a.high > 0) - (a.high < 0)};
}

static hml_range tabled(reader *r, hml_range table, hml_range x, unsigned order) {
  double bounds[2];
  bool smooth;
  if (!hml_tabled__bounds(table.low, x.low, x.high, (int)order, bounds, &smooth)) return undefined(r);
  if (!smooth) jumps(r);
  return widened(bounds[0], bounds[1], FUNCTIONS);
}

static hml_range of_function(reader *r, uint32_t op, hml_range a, hml_range b) {
  switch (op) {
    case OP_sin: return wave(hml_sin, a, 0.5 * pi);
    case OP_cos: return wave(hml_cos, a, 0);
    case OP_tan: return tangent(r, a);
    case OP_asin: return clip_to_unit(&a) ? rising(asin, a) : undefined(r);
    case OP_acos: return clip_to_unit(&a) ? falling(acos, a) : undefined(r);
    case OP_atan: return rising(atan, a);
    case OP_atan2: return angle(r, a, b);
    case OP_sinh: return rising(sinh, a);
    case OP_cosh: return even(cosh, a);
    case OP_tanh: return rising(tanh, a);
    case OP_asinh: return rising(asinh, a);
    case OP_acosh: return a.low >= 1 ? rising(acosh, a) : undefined(r);
    case OP_atanh: return a.low > -1 && a.high < 1 ? rising(atanh, a) : undefined(r);
    case OP_exp: return rising(exp, a);
    case OP_log: return a.low > 0 ? rising(log, a) : undefined(r);
    case OP_abs: return even(fabs, a);
    case OP_sign: return sign_of(r, a);
    case OP_min: return widened(lesser(a.low, b.low), lesser(a.high, b.high), 0);
    case OP_max: return widened(greater(a.low, b.low), greater(a.high, b.high), 0);
    case OP_tabled: case OP_tabled_rate: case OP_tabled_curve: case OP_tabled_jerk: return tabled(r, a, b, op - OP_tabled);
    default: return undefined(r);
  }
}

static hml_range of_instruction(reader *r, const instruction *i, const hml_range *v) {
  hml_range a = v[i->a], b = v[i->b], c = v[i->c];
  switch (i->op) {
    case OP_add: return add(a, b);
    case OP_sub: return add(a, negated(b));
    case OP_mul: return i->a == i->b ? square(a) : mul(a, b);
    case OP_div: return quotient(r, a, b);
    case OP_neg: return negated(a);
    case OP_madd: case OP_fma: return add(c, i->a == i->b ? square(a) : mul(a, b));
    case OP_nmadd: case OP_fnma: return add(c, negated(i->a == i->b ? square(a) : mul(a, b)));
    case OP_msub: case OP_fms: return add(i->a == i->b ? square(a) : mul(a, b), negated(c));
    case OP_sqrt: return root(r, a);
    case OP_pow: return power(r, a, b);
    default: return of_function(r, i->op, a, b);
  }
}

// ---- sums and products of finite ranges, with the same bits in fewer operations: steps of runs wait for them
#if defined __SSE2__
#include <emmintrin.h>

typedef __m128d pair;                  // minus the lower end, the upper end: both are rounded up

static inline pair first_negated(pair a) {
  return _mm_xor_pd(a, _mm_set_pd(0, -0.0));
}

static inline pair read(const hml_range *v) {
  return first_negated(_mm_loadu_pd(&v->low));
}

static inline pair size_of(pair a) {
  return _mm_andnot_pd(_mm_set1_pd(-0.0), a);
}

static inline pair rounded_up(pair a) {
  return _mm_add_pd(a, _mm_mul_pd(_mm_set1_pd(LAST_PLACE), size_of(a)));
}

static inline pair minus(pair a) {
  return _mm_shuffle_pd(a, a, 1);
}

static inline bool all_finite(pair a) {
  return _mm_movemask_pd(_mm_cmple_pd(a, _mm_set1_pd(DBL_MAX))) == 3;
}

// *sizes: with `wild`, sums of the sizes of the four products of ends
static inline pair times(pair a, pair b, bool wild, pair *sizes) {
  const pair same = _mm_mul_pd(a, b), other = _mm_xor_pd(_mm_mul_pd(a, minus(b)), _mm_set1_pd(-0.0));
  const pair low = _mm_xor_pd(_mm_min_pd(same, other), _mm_set1_pd(-0.0)), high = _mm_max_pd(same, other);
  if (wild) *sizes = _mm_add_pd(size_of(same), size_of(other));
  return rounded_up(_mm_max_pd(_mm_unpacklo_pd(low, high), _mm_unpackhi_pd(low, high)));
}

static inline pair itself_times(pair a) {
  const pair squares = _mm_mul_pd(a, a), other = minus(squares);
  const pair has_zero = _mm_cmpge_pd(_mm_min_pd(a, minus(a)), _mm_setzero_pd());
  const pair least = _mm_andnot_pd(has_zero, _mm_min_pd(squares, other));
  return rounded_up(_mm_unpacklo_pd(_mm_xor_pd(least, _mm_set1_pd(-0.0)), _mm_max_pd(squares, other)));
}

// With `wild` the operands may be unbounded; without, an unbounded result shows by itself. False: not one of these, or an end may not be finite, and
// nothing is done
static inline bool quick(const instruction *i, bool wild, hml_range *v) {
  pair sizes = _mm_setzero_pd(), result;
  switch (i->op) {
    case OP_add: result = rounded_up(_mm_add_pd(read(v + i->a), read(v + i->b))); break;
    case OP_sub: result = rounded_up(_mm_add_pd(read(v + i->a), minus(read(v + i->b)))); break;
    case OP_mul: case OP_madd: case OP_fma: case OP_nmadd: case OP_fnma: case OP_msub: case OP_fms: {
      if (i->a != i->b) result = times(read(v + i->a), read(v + i->b), wild, &sizes);
      else if (wild) return false;
      else result = itself_times(read(v + i->a));
      if (i->op == OP_mul) break;
      const pair c = read(v + i->c);
      const bool less = i->op == OP_nmadd || i->op == OP_fnma;
      result = rounded_up(_mm_add_pd(less ? minus(result) : result, i->op == OP_msub || i->op == OP_fms ? minus(c) : c));
      break;
    }
    default: return false;
  }
  if (!all_finite(wild ? _mm_add_pd(sizes, size_of(result)) : result)) return false;
  _mm_storeu_pd(&v[i->result].low, first_negated(result));
  return true;
}

#else
static bool quick(const instruction *i, bool wild, const hml_range *v) {
  (void)i, (void)wild, (void)v;
  return false;
}
#endif

static bool is_whole(hml_range a) {
  return a.low == -INFINITY && a.high == INFINITY;
}

static bool is_nothing(hml_range a) {
  return a.low == 0 && a.high == 0;
}

// Of a sum or product one operand of which is not known nothing is known, unless the other factor is zero. Behind a pivot whose range has a zero most are
static bool is_lost(const instruction *i, const hml_range *v) {
  const hml_range a = v[i->a], b = v[i->b];
  bool sum = false;
  switch (i->op) {
    case OP_add: case OP_sub: return is_whole(a) || is_whole(b);
    case OP_madd: case OP_fma: case OP_nmadd: case OP_fnma: case OP_msub: case OP_fms: sum = is_whole(v[i->c]); break;
    case OP_mul: break;
    default: return false;
  }
  return sum || (i->a != i->b && ((is_whole(a) && !is_nothing(b)) || (is_whole(b) && !is_nothing(a))));
}

static bool reads_one_of(const instruction *i, const instruction *first) {
  for (const instruction *j = first; j < i; j++)
    if (i->a == j->result || i->a == j->second) return true;
  return false;
}

// Pairs of sine and cosine that stand side by side, whose ends go to the functions together. How many
static size_t of_circles(const instruction *first, const instruction *end, hml_range *values) {
  double x[2 * TOGETHER] = {0}, sines[2 * TOGETHER], cosines[2 * TOGETHER];
  size_t n = 0;
  for (const instruction *i = first; i < end && n < TOGETHER && i->op == OP_sincos && !reads_one_of(i, first); i++) {
    x[2 * n] = values[i->a].low;
    x[2 * n++ + 1] = values[i->a].high;
  }
  hml_circle__many(n > 1 ? (2 * n + 3) / 4 * 4 : 2, x, sines, cosines);   // four at once take less than two, one after the other
  for (size_t k = 0; k < n; k++) {
    const size_t low = 2 * k, high = low + 1;
    waves(values[first[k].a], (hml_circle){sines[low], cosines[low]}, (hml_circle){sines[high], cosines[high]}, &values[first[k].result], &values[first[k].second]);
  }
  return n;
}

// True: all are finite
static bool load(const hml_program *p, const hml_range *in, hml_range *values) {
  bool finite = true;
  for (uint32_t k = 0; k < p->n_constants; k++) {
    const double c = p->constants[k];
    values[k] = isnan(c) ? whole : (hml_range){c, c};
    finite &= fabs(c) <= DBL_MAX;
  }
  for (uint32_t k = 0; k < p->n_in; k++) {
    const bool ordered = in[k].low <= in[k].high;                      // not: inf - inf and the like
    values[p->n_constants + k] = ordered ? in[k] : whole;
    finite &= ordered && is_bounded(in[k]);
  }
  return finite;
}

// The first of the instructions before which not all values are finite
static const instruction *of_finite(const hml_program *p, reader *r, const instruction *i, const instruction *end, const hml_range *in, hml_range *values) {
  if (!load(p, in, values)) return i;
  while (i < end) {
    if (i->op == OP_sincos) {
      i += of_circles(i, end, values);
      continue;
    }
    if (!quick(i, false, values)) {
      const hml_range result = of_instruction(r, i, values);
      if (!is_bounded(result)) return i;
      values[i->result] = result;
    }
    i++;
  }
  return end;
}

static void of_instructions(const hml_program *p, reader *r, size_t n, const instruction *list, const hml_range *in, hml_range *values) {
  bool lost = false;                   // nothing is known of some value so far
  const instruction *const end = list + n;
  for (const instruction *i = of_finite(p, r, list, end, in, values); i < end; i++) {
    if (i->op == OP_sincos) {
      const hml_range a = values[i->a];
      waves(a, hml_circle__of(a.low), hml_circle__of(a.high), &values[i->result], &values[i->second]);
    } else if (lost && is_lost(i, values)) {
      values[i->result] = whole;
    } else if (!quick(i, true, values)) {
      values[i->result] = is_lost(i, values) ? whole : of_instruction(r, i, values);
      lost |= is_whole(values[i->result]);
    }
  }
}

hml_range_kind hml_program__range(const hml_program *p, const hml_range *in, hml_range *values, hml_range *out) {
  reader r = {HML_RANGE_CONTINUOUS};
  of_instructions(p, &r, p->n_instructions, p->instructions, in, values);
  for (uint32_t k = 0; k < p->n_out; k++) out[k] = values[p->outputs[k]];
  return r.kind;
}

bool hml_program__blur(const hml_program *p, size_t rounded, double time, const double *in, hml_range *work, double *blur) {
  hml_range *values = work + p->n_in, *out = values + hml_program__values(p);
  for (size_t k = 0; k < p->n_in; k++) {
    const double off = k < rounded ? ROUNDED * DBL_EPSILON * fmax(fabs(in[k]), k ? 0 : time) : 0;
    work[k] = (hml_range){in[k] - off, in[k] + off};
  }
  if (hml_program__range(p, work, values, out) != HML_RANGE_CONTINUOUS) return false;
  for (uint32_t k = 0; k < p->n_out; k++) {
    const double width = out[k].high - out[k].low;
    blur[k] = isfinite(width) ? width : 0;
  }
  return true;
}

void program_ranges(const hml_program *p, size_t n, const instruction *list, const hml_range *in, hml_range *values) {
  reader r = {HML_RANGE_CONTINUOUS};
  of_instructions(p, &r, n, list, in, values);
}

static hml_range at(double x) {
  return isnan(x) ? whole : (hml_range){x, x};
}

void program_values(const hml_program *p, size_t n, const instruction *list, const hml_range *in, hml_range *values) {
  for (uint32_t k = 0; k < p->n_constants; k++) values[k] = at(p->constants[k]);
  for (uint32_t k = 0; k < p->n_in; k++) values[p->n_constants + k] = at(in[k].low);
  for (const instruction *i = list; i < list + n; i++) {
    const double a = values[i->a].low, b = values[i->b].low, c = values[i->c].low;
    double result;
    switch (i->op) {
      case OP_add: result = a + b; break;
      case OP_sub: result = a - b; break;
      case OP_mul: result = a * b; break;
      case OP_div: result = a / b; break;
      case OP_neg: result = -a; break;
      case OP_madd: case OP_fma: result = c + a * b; break;
      case OP_nmadd: case OP_fnma: result = c - a * b; break;
      case OP_msub: case OP_fms: result = a * b - c; break;
      case OP_sincos: result = hml_sin(a); values[i->second] = at(hml_cos(a)); break;
      default: result = instruction_value((opcode)i->op, a, b, c);
    }
    values[i->result] = at(result);
  }
}

size_t hml_program__output(const hml_program *p, size_t k) {
  return p->outputs[k];
}

// ---- programs that are affine in some of their inputs

typedef struct forms {                 // of all values: coefficients of the moving inputs, then the rest; exact numbers where none moves
  size_t n;                            // moving inputs
  const hml_range *fixed;              // ranges of the values that do not move
  hml_range *form;                     // (values x (n + 1))
  bool *moves;                         // (values)
} forms;

static hml_range *form_of(const forms *f, uint32_t at) {
  return f->form + at * (f->n + 1);
}

static void form_number(const forms *f, uint32_t at, hml_range number) {
  for (size_t k = 0; k < f->n; k++) form_of(f, at)[k] = (hml_range){0, 0};
  form_of(f, at)[f->n] = number;
  f->moves[at] = false;
}

// result = a + sign b, or a where b is NULL, or sign b where a is NULL
static void form_sum(const forms *f, uint32_t result, const hml_range *a, const hml_range *b, double sign) {
  hml_range *out = form_of(f, result);
  for (size_t k = 0; k <= f->n; k++) {
    hml_range second = b ? sign < 0 ? negated(b[k]) : b[k] : (hml_range){0, 0};
    out[k] = a ? add(a[k], second) : second;
  }
}

static void form_scaled(const forms *f, uint32_t result, const hml_range *a, hml_range by) {
  hml_range *out = form_of(f, result);
  for (size_t k = 0; k <= f->n; k++) out[k] = mul(a[k], by);
}

// a b, of which one must not move
static bool form_product(const forms *f, uint32_t result, uint32_t a, uint32_t b) {
  if (f->moves[a] && f->moves[b]) return false;
  form_scaled(f, result, form_of(f, f->moves[b] ? b : a), f->fixed[f->moves[b] ? a : b]);
  return true;
}

static bool form_instruction(const forms *f, const instruction *i) {
  const uint32_t to = i->result;
  reader r = {HML_RANGE_CONTINUOUS};
  f->moves[to] = true;
  switch (i->op) {
    case OP_add: return form_sum(f, to, form_of(f, i->a), form_of(f, i->b), 1), true;
    case OP_sub: return form_sum(f, to, form_of(f, i->a), form_of(f, i->b), -1), true;
    case OP_neg: return form_sum(f, to, NULL, form_of(f, i->a), -1), true;
    case OP_mul: return form_product(f, to, i->a, i->b);
    case OP_div:
      if (f->moves[i->b]) return false;
      form_scaled(f, to, form_of(f, i->a), quotient(&r, (hml_range){1, 1}, f->fixed[i->b]));
      return r.kind != HML_RANGE_UNDEFINED;
    case OP_madd: case OP_fma: case OP_nmadd: case OP_fnma:
      if (!form_product(f, to, i->a, i->b)) return false;
      form_sum(f, to, form_of(f, i->c), form_of(f, to), i->op == OP_nmadd || i->op == OP_fnma ? -1 : 1);
      return true;
    case OP_msub: case OP_fms:
      if (!form_product(f, to, i->a, i->b)) return false;
      form_sum(f, to, form_of(f, to), form_of(f, i->c), -1);
      return true;
    default: return false;
  }
}

static bool any_moves(const forms *f, const instruction *i) {
  const unsigned operands = instruction_rows[i->op].operands;
  return f->moves[i->a] || (operands > 1 && f->moves[i->b]) || (operands > 2 && f->moves[i->c]);
}

size_t hml_program__affine_size(const hml_program *p, size_t moving) {
  return p->n_values * ((moving + 2) * sizeof(hml_range) + sizeof(bool)) + sizeof(hml_range);
}

bool hml_program__affine(const hml_program *p, size_t n, const uint32_t *moving, const hml_range *in, void *work, hml_range *out) {
  hml_range *values = work, ignored;
  forms f = {.n = n, .fixed = values, .form = values + p->n_values, .moves = (bool *)(values + p->n_values * (n + 2))};
  if (p->n_out != 1) return false;
  hml_program__range(p, in, values, &ignored);
  for (uint32_t k = 0; k < p->n_constants + p->n_in; k++) form_number(&f, k, values[k]);
  for (size_t k = 0; k < n; k++) {
    const uint32_t at = p->n_constants + moving[k];
    form_number(&f, at, (hml_range){0, 0});
    form_of(&f, at)[k] = (hml_range){1, 1};
    f.moves[at] = true;
  }
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    if (any_moves(&f, i)) {
      if (!form_instruction(&f, i)) return false;
      continue;
    }
    form_number(&f, i->result, values[i->result]);
    if (i->second != NO_VALUE) form_number(&f, i->second, values[i->second]);
  }
  const hml_range *found = form_of(&f, p->outputs[0]);
  for (size_t k = 0; k <= n; k++) {
    if (!isfinite(found[k].low) || !isfinite(found[k].high)) return false;
    out[k] = found[k];
  }
  return true;
}
