// decide.c: is an expression zero? yes, no, undecided. Yes: by an algebraic proof. No: its value at a real point exceeds a
// rigorous bound of the rounding error. Otherwise it is undecided, and the largest relative value found is reported.
#include "normal.h"

#include <float.h>
#include <math.h>

#define ROUNDING (2 * DBL_EPSILON)      // of one operation, with room for two units in the last place of the library's functions
#define FLOOR DBL_MIN                   // absolute error of one operation: an underflow loses less

typedef struct bounded {
  double value, error, size;           // |exact - value| <= error; size: largest magnitude that entered
} bounded;

static bounded b_sum(const hml_expr e, const hml_table *index, const bounded *all) {
  bounded r = {0, 0, 0};
  for (uint32_t i = 0; i < e->count; i++) {
    uintptr_t k = 0;
    hml_table_get(index, node_operands(e)[i], &k);
    r.value += all[k].value;
    r.size += fabs(all[k].value);
    r.error += all[k].error + ROUNDING * (fabs(r.value) + fabs(all[k].value));
  }
  return r;
}

static bounded b_product(const hml_expr e, const hml_table *index, const bounded *all) {
  bounded r = {1, 0, 0};
  for (uint32_t i = 0; i < e->count; i++) {
    uintptr_t k = 0;
    hml_table_get(index, node_operands(e)[i], &k);
    bounded a = all[k];
    double value = r.value * a.value;
    r.error = fabs(r.value) * a.error + fabs(a.value) * r.error + r.error * a.error + ROUNDING * fabs(value) + FLOOR;
    r.value = value;
  }
  r.size = fabs(r.value);
  return r;
}

// a^b with an exact exponent: relative error |b| times that of a, doubled for the curvature
static bounded b_power(bounded a, bounded b) {
  bounded r = {b.value == 0.5 ? sqrt(a.value) : b.value == -0.5 ? 1 / sqrt(a.value) : pow(a.value, b.value), INFINITY, 0};
  r.size = fabs(r.value);
  double relative = a.value != 0 ? a.error / fabs(a.value) : a.error > 0 ? INFINITY : 0;
  double steep = fabs(b.value) + b.error;
  if (b.error == 0 && relative * (steep + 1) < 0.1) r.error = fabs(r.value) * (2 * steep * relative + 2 * ROUNDING) + FLOOR;
  else if (b.error > 0 && a.value > 0 && relative * (steep + 1) < 0.1 && b.error * fabs(log(a.value)) < 0.1)
    r.error = fabs(r.value) * (2 * steep * relative + 2 * b.error * fabs(log(a.value)) + 2 * ROUNDING) + FLOOR;
  if (a.value == 0 && a.error == 0 && b.value > 0) r.error = 0;
  return r;
}

// The box of errors is seen from the origin under an angle t, sin t <= its half diagonal over the distance; t < 1.1 sin t where sin t < 1/2
static double angle_error(bounded a, bounded b) {
  double distance = hypot(a.value, b.value), radius = hypot(a.error, b.error);
  bool cut = !(b.value - b.error > 0) && fabs(a.value) <= a.error;
  return !cut && radius < 0.5 * distance ? 1.1 * radius / distance : INFINITY;
}

// f is monotonic, or convex as cosh is: it deviates most at the ends of the interval, which are rounded outwards
static double error_at_ends(hml_function f, bounded a, double value) {
  if (a.error == 0) return 0;
  double left = nextafter(a.value - a.error, -INFINITY), right = nextafter(a.value + a.error, INFINITY);
  double low = hml_function__value(f, left, 0), high = hml_function__value(f, right, 0);
  double error = fabs(low - value) + fabs(high - value);
  // an end outside the domain implies nothing about the inside; between poles the tangent increases
  bool tame = isfinite(low) && isfinite(high) && error < 0.1 * (1 + fabs(value)) && (f != HML_FUN_tan || (low <= value && value <= high));
  return tame ? error : INFINITY;
}

static bounded b_call(hml_function f, bounded a, bounded b) {
  bounded r = {hml_function__value(f, a.value, b.value), 0, 0};
  double rounding = 2 * ROUNDING * fabs(r.value) + FLOOR;
  r.size = fabs(r.value);
  switch (f) {
    // derivatives are at most one; the library's error is relative to the value
    case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_tanh: case HML_FUN_atan: case HML_FUN_asinh: r.error = a.error + rounding; return r;
    case HML_FUN_abs: r.error = a.error; return r;
    case HML_FUN_tabled: case HML_FUN_tabled_rate: case HML_FUN_tabled_curve: case HML_FUN_tabled_jerk: r.error = INFINITY; return r;
    case HML_FUN_sign: r.error = fabs(a.value) > a.error ? 0 : INFINITY; return r;
    case HML_FUN_min: case HML_FUN_max: r.error = a.error + b.error; return r;
    case HML_FUN_atan2: r.error = angle_error(a, b) + rounding; return r;
    default: r.error = error_at_ends(f, a, r.value) + rounding; return r;
  }
}

// One function of that name; where it is not zero, the expression is not zero for every function
static bounded b_opaque(hml_expr e, const hml_table *index, const bounded *all) {
  double x[HML_OPAQUE_ARGUMENTS], slope[HML_OPAQUE_ARGUMENTS], errors[HML_OPAQUE_ARGUMENTS], size;
  for (size_t i = 0; i < hml_opaque__arity(e); i++) {
    uintptr_t k = 0;
    hml_table_get(index, node_operands(e)[1 + i], &k);
    x[i] = all[k].value;
    errors[i] = all[k].error;
  }
  bounded r = {hml_opaque__sample(e, x, slope, &size), 0, 0};
  r.error = (hml_opaque__total_order(e) + hml_opaque__arity(e) + 8) * ROUNDING * size + FLOOR;
  for (size_t i = 0; i < hml_opaque__arity(e); i++) r.error += 1.01 * slope[i] * errors[i];
  r.size = fabs(r.value);
  return r;
}

static bounded value_at(hml_expr e, const hml_table *index, const bounded *all) {
  uintptr_t k = 0;
  bounded a, b = {0, 0, 0};
  switch (e->kind) {
    case HML_NUMBER: {
      double value = hml_number_value(e);
      int64_t n, d;
      // exact in a double: a numerator of 53 bits over a power of two
      bool exact = hml_rational_value(e, &n, &d) && n < (INT64_C(1) << 53) && n > -(INT64_C(1) << 53) && d <= (INT64_C(1) << 52) && (d & (d - 1)) == 0;
      return (bounded){value, exact ? 0 : ROUNDING * fabs(value) + FLOOR, fabs(value)};
    }
    case HML_FLOAT: return (bounded){hml_number_value(e), fabs(node_low(e)) + node_error(e), fabs(hml_number_value(e))};
    case HML_SUM: return b_sum(e, index, all);
    case HML_PRODUCT: return b_product(e, index, all);
    default: break;
  }
  if (hml_opaque__is(e)) return b_opaque(e, index, all);
  hml_table_get(index, node_operands(e)[0], &k);
  a = all[k];
  if (e->count > 1) {
    hml_table_get(index, node_operands(e)[1], &k);
    b = all[k];
  }
  return e->kind == HML_POWER ? b_power(a, b) : b_call(e->function, a, b);
}

// Values at a few real points
typedef struct finding {
  int sign;                            // of a value that is certainly not zero; 0: none is
  double evidence;                     // largest |value|/size met; nan: no finite value
  bool near_zero;                      // a value is zero within a finite error
} finding;

// Of the point of a round, from a number between 0 and 1 of twelve bits: such numbers and their small multiples are exact. Points lie near the
// origin first; those farther off see what repeats, asin(sin x) against x, and what is defined there alone
static double coordinate_of_point(double unit, int round, bool positive) {
  double width = round < 4 || round % 2 ? 1.5 : 6;
  return positive ? 0.375 + width * unit : width * (2 * unit - 1);
}

static hml_status certify(hml_context *c, hml_arena *arena, hml_expr e, finding *out) {
  hml_table index;
  hml_table_init(&index, arena);
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  bounded *all = hml_arena_alloc(arena, count * sizeof *all);
  if (!all) return HML_MEMORY;
  for (size_t k = 0; k < count; k++) {
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
    HML_TRY(hml_table_put(&index, nodes[k], k));
  }
  uint64_t state = UINT64_C(0x853C49E6748FEA9B);
  *out = (finding){0};
  int found = 0;
  for (int round = 0; round < 60 && found < 6 && out->sign == 0; round++) {
    for (size_t k = 0; k < count; k++) {
      if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
      if (nodes[k]->kind == HML_SYMBOL) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        all[k] = (bounded){coordinate_of_point((double)(state >> 52) / 4096.0, round, nodes[k]->known & KNOWN_POSITIVE), 0, 1};
      } else {
        all[k] = value_at(nodes[k], &index, all);
      }
    }
    bounded r = all[count - 1];
    if (!isfinite(r.value)) continue;
    found++;
    double size = fmax(r.size, DBL_MIN);
    out->evidence = fmax(out->evidence, fabs(r.value) / size);
    if (!isfinite(r.error)) continue;
    if (fabs(r.value) > 4 * r.error) out->sign = r.value > 0 ? 1 : -1;
    else out->near_zero = true;
  }
  if (found == 0) out->evidence = NAN;
  return hml_check_interrupt(c);
}

// Do the rounding errors of the operands hide the value of a node? They reach a pole, or the argument of a periodic or steep function is not known
static bool is_hidden(hml_expr e, const hml_table *index, const bounded *all) {
  const double TOO_LARGE = 0.1;        // of the error of an angle or a logarithm
  uintptr_t k = 0, l = 0;
  if ((e->kind != HML_POWER && e->kind != HML_CALL) || hml_opaque__is(e)) return false;
  hml_table_get(index, node_operands(e)[0], &k);
  bounded a = all[k];
  if (e->kind == HML_POWER) {
    hml_table_get(index, node_operands(e)[1], &l);
    bounded b = all[l];
    if (a.value == 0 && b.error > 0 && fabs(b.value) <= b.error) return true;   // 0^0 is 1, 0 to a small power is 0
    return b.value < 0 && a.error > 0 && isfinite(a.error) && fabs(a.value) <= a.error;
  }
  if (!(a.error > 0) || !isfinite(a.error)) return false;
  switch (e->function) {
    case HML_FUN_log: return fabs(a.value) <= a.error;
    case HML_FUN_atanh: return fabs(fabs(a.value) - 1) <= a.error;
    case HML_FUN_tan: return fabs(cos(a.value)) <= 1.1 * a.error || a.error > TOO_LARGE;
    case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_exp: case HML_FUN_sinh: case HML_FUN_cosh: return a.error > TOO_LARGE;
    default: return false;
  }
}

static hml_status find_hidden(hml_context *c, hml_arena *arena, hml_expr e, size_t n, const hml_expr *symbols, const double *values, hml_expr *part) {
  hml_table given, index;
  hml_table_init(&given, arena);
  hml_table_init(&index, arena);
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  bounded *all = hml_arena_alloc(arena, (count + 1) * sizeof *all);
  if (!all) return HML_MEMORY;
  for (size_t i = 0; i < n; i++) HML_TRY(hml_table_put(&given, symbols[i], i));
  for (size_t k = 0; k < count && !*part; k++) {
    uintptr_t i;
    if ((k & 1023) == 0) HML_TRY(hml_check_interrupt(c));
    if (hml_table_get(&given, nodes[k], &i)) all[k] = (bounded){values[i], 0, fabs(values[i])};
    else if (nodes[k]->kind == HML_SYMBOL) all[k] = (bounded){0, INFINITY, 0};     // the name of a function
    else if (is_hidden(nodes[k], &index, all)) *part = nodes[k];
    else all[k] = value_at(nodes[k], &index, all);
    HML_TRY(hml_table_put(&index, nodes[k], k));
  }
  return HML_OK;
}

hml_status hml_expr__hidden(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, const double *values, hml_expr *part) {
  hml_arena arena;
  *part = NULL;
  hml_arena_init(&arena, c);
  hml_status status = find_hidden(c, &arena, e, n, symbols, values, part);
  hml_arena_free(&arena);
  return status;
}

static hml_status look(hml_context *c, hml_expr e, finding *out) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = certify(c, &arena, e, out);
  hml_arena_free(&arena);
  return status;
}

int hml_expr__certain_sign(hml_context *c, hml_expr e) {
  finding found;
  return look(c, e, &found) == HML_OK ? found.sign : 0;
}

int hml_expr__constant_sign(hml_context *c, hml_expr e) {
  hml_arena arena;
  hml_expr *nodes;
  size_t count = 0;
  hml_arena_init(&arena, c);
  bool constant = hml_expr__postorder(&arena, 1, &e, &nodes, &count) == HML_OK;
  for (size_t k = 0; constant && k < count; k++) constant = nodes[k]->kind != HML_SYMBOL;
  hml_arena_free(&arena);
  return constant ? hml_expr__certain_sign(c, e) : 0;
}

enum { NOT_LOOKED_AT, MAY_VANISH, VANISHES_NOT, TOO_LARGE_TO_LOOK_AT = 20000 };

bool hml_expr__may_vanish(hml_context *c, hml_expr e) {
  finding found;
  if (e->kind < HML_SUM || (e->known & KNOWN_POSITIVE) || e->size > TOO_LARGE_TO_LOOK_AT) return false;
  if (e->flags == NOT_LOOKED_AT) {
    if (look(c, e, &found) != HML_OK) return false;
    ((struct hml_node *)(uintptr_t)e)->flags = found.sign == 0 && found.near_zero ? MAY_VANISH : VANISHES_NOT;
  }
  return e->flags == MAY_VANISH;
}

bool hml_expr__certainly_nonzero(hml_context *c, hml_expr e) { return hml_expr__certain_sign(c, e) != 0; }

typedef struct question {
  hml_normal f;
  hml_expr e;
  bool zero, independent;
} question;

static hml_status decide_work(void *data) {
  question *q = data;
  hml_normal__convert(&q->f);
  q->zero = hml_ratio__is_zero(q->f.ring, hml_normal__ratio(&q->f, q->e));
  q->independent = hml_normal__independent(&q->f);
  return HML_OK;
}

// e with the fractions that its inexact numbers are, where no rounding has changed these; else e itself
static hml_expr in_fractions(hml_context *c, hml_arena *arena, hml_expr e) {
  hml_expr *nodes;
  size_t count, n = 0;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return NULL;
  for (size_t k = 0; k < count; k++) {
    // a power to a fraction of such length would be a root of that degree
    if (nodes[k]->kind == HML_POWER && node_operands(nodes[k])[1]->kind == HML_FLOAT) return e;
    if (nodes[k]->kind != HML_FLOAT) continue;
    if (node_error(nodes[k]) != 0) return e;
    n++;
  }
  if (n == 0) return e;
  hml_expr *from = hml_arena_alloc(arena, 2 * n * sizeof *from), *to = from ? from + n : NULL;
  if (!from) return NULL;
  n = 0;
  for (size_t k = 0; k < count; k++) {
    if (nodes[k]->kind != HML_FLOAT) continue;
    if (!(to[n] = hml_expr__exact(c, nodes[k]))) return NULL;
    from[n++] = nodes[k];
  }
  return hml_substitute(c, e, n, from, to);
}

static hml_expr exactly(hml_context *c, hml_expr e) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr exact = in_fractions(c, &arena, e);
  hml_arena_free(&arena);
  return exact || !hml_forgive(c) ? exact : e;
}

static hml_status by_normal_form(hml_context *c, hml_expr e, const hml_budget *budget, hml_verdict *verdict) {
  question q = {.e = e};
  hml_status status = hml_normal__open(&q.f, c, 1, &e, budget);
  if (status == HML_OK) {
    status = q.f.inexact ? HML_UNSUPPORTED : hml_ring__guard(q.f.ring, decide_work, &q);
    hml_normal__close(&q.f);
  }
  if (status == HML_INTERRUPTED) return hml_fail(c, HML_INTERRUPTED, "interrupted");
  if (status == HML_MEMORY) return hml_fail(c, HML_MEMORY, "not enough memory to decide whether an expression vanishes");
  if (hml_must_end(c) || (status != HML_OK && !hml_forgive(c))) return hml_context_error(c)->status;
  if (status == HML_OK && q.zero) *verdict = HML_PROVED_ZERO;
  if (status == HML_OK && !q.zero && q.independent) *verdict = HML_PROVED_NONZERO;
  return HML_OK;
}

// ---- where the argument of a sign vanishes: sign f = |f|/f does not see it

// c x + rest = 0 by x = -rest/c, c a number and x not in rest; false: f is no such sum
static bool solved(hml_context *c, hml_expr f, hml_expr *x, hml_expr *value) {
  for (uint32_t i = 0; f->kind == HML_SUM && i < f->count; i++) {
    hml_expr term = node_operands(f)[i];
    bool scaled = term->kind == HML_PRODUCT && term->count == 2 && is_number(node_operands(term)[0]);
    hml_expr symbol = scaled ? node_operands(term)[1] : term, one = hml_integer(c, 1);
    if (symbol->kind != HML_SYMBOL) continue;
    hml_expr factor = scaled ? node_operands(term)[0] : one;
    hml_expr rest = hml_sub(c, f, term);
    hml_expr moved = rest ? hml_substitute(c, rest, 1, &symbol, &one) : NULL;
    if (!moved || moved != rest) continue;
    *x = symbol;
    *value = hml_neg(c, hml_div(c, rest, factor));
    return *value != NULL;
  }
  return false;
}

// e where f = 0, with |f| = sign f = 0; NULL: it has no value there, or no memory was left for it
static hml_expr where_zero(hml_context *c, hml_expr e, hml_expr f) {
  hml_expr zero = hml_integer(c, 0), x, value;
  if (f->kind == HML_SYMBOL) return hml_substitute(c, e, 1, &f, &zero);
  if (solved(c, f, &x, &value)) return hml_substitute(c, e, 1, &x, &value);
  hml_expr from[3] = {f, hml_call(c, HML_FUN_abs, 1, &f), hml_call(c, HML_FUN_sign, 1, &f)}, to[3] = {zero, zero, zero};
  return from[1] && from[2] ? hml_substitute(c, e, 3, from, to) : NULL;
}

static bool proved_at(hml_context *c, hml_expr e, hml_expr f, hml_arena *arena, int depth, const hml_budget *budget,
                      bool (*holds)(hml_context *, hml_arena *, hml_expr, int, const hml_budget *)) {
  if ((f->known & KNOWN_POSITIVE) || is_number(f) || is_pi(f)) return true;
  if (f->kind == HML_PRODUCT) {
    for (uint32_t i = 0; i < f->count; i++)
      if (!proved_at(c, e, node_operands(f)[i], arena, depth, budget, holds)) return false;
    return true;
  }
  // only for constants does a nonzero value at a point prove that there is no zero
  if (f->kind == HML_POWER && is_number(node_operands(f)[1]))
    return hml_expr__sign(node_operands(f)[1]) < 0 || proved_at(c, e, node_operands(f)[0], arena, depth, budget, holds);
  hml_expr there = where_zero(c, e, f);
  if (there) return holds(c, arena, there, depth + 1, budget);
  return hml_forgive(c);
}

enum { MAX_CASES = 4 };

static bool at_signs(hml_context *c, hml_arena *arena, hml_expr e, int depth, const hml_budget *budget, bool top);

static bool holds(hml_context *c, hml_arena *arena, hml_expr e, int depth, const hml_budget *budget) {
  return at_signs(c, arena, e, depth, budget, false);
}

static bool has_sign(hml_arena *arena, hml_expr e) {
  hml_expr *nodes;
  size_t count;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return true;
  for (size_t k = 0; k < count; k++)
    if (nodes[k]->kind == HML_CALL && nodes[k]->function == HML_FUN_sign) return true;
  return false;
}

// e with the arguments of its signs and magnitudes factored, so that equal ones vanish together
static hml_expr with_factors(hml_context *c, hml_arena *arena, hml_expr e, const hml_budget *budget) {
  hml_expr *nodes;
  size_t count, n = 0;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return NULL;
  hml_expr *from = hml_arena_alloc(arena, 2 * count * sizeof *from), *to = from ? from + count : NULL;
  if (!from) return NULL;
  for (size_t k = 0; k < count; k++) {
    if (nodes[k]->kind != HML_CALL || (nodes[k]->function != HML_FUN_sign && nodes[k]->function != HML_FUN_abs)) continue;
    hml_expr f = node_operands(nodes[k])[0];
    if (f->kind < HML_SUM || has_sign(arena, f)) continue;
    hml_expr product = hml_expr__simplify(c, f, HML_FORM_FACTORED, 0, NULL, budget, NULL);
    if (!product) return NULL;
    if (product == f || !(to[n] = hml_call(c, nodes[k]->function, 1, &product))) continue;
    from[n++] = nodes[k];
  }
  return n > 0 ? hml_substitute(c, e, n, from, to) : e;
}

// e, which is zero elsewhere (top) or everywhere, also where arguments of its signs vanish
static bool at_signs(hml_context *c, hml_arena *arena, hml_expr e, int depth, const hml_budget *budget, bool top) {
  hml_expr *nodes;
  size_t count;
  finding found;
  if (is_number(e)) return is_zero_node(e);
  if (depth > MAX_CASES || hml_budget__is_over(budget)) return false;
  if (!top) {
    hml_verdict verdict = HML_UNDECIDED;
    if (look(c, e, &found) != HML_OK || found.sign) return false;
    if (isnan(found.evidence)) return true;
    hml_expr canonical = hml_expr__canonical(c, e, budget);
    if (!canonical || by_normal_form(c, canonical, budget, &verdict) != HML_OK || verdict != HML_PROVED_ZERO) return false;
  }
  bool any = false;
  if (hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return false;
  for (size_t k = 0; k < count; k++) any = any || (nodes[k]->kind == HML_CALL && nodes[k]->function == HML_FUN_sign);
  if (!any) return true;
  if (!(e = with_factors(c, arena, e, budget)) || hml_expr__postorder(arena, 1, &e, &nodes, &count) != HML_OK) return false;
  for (size_t k = 0; k < count; k++) {
    if (nodes[k]->kind != HML_CALL || nodes[k]->function != HML_FUN_sign) continue;
    if (!proved_at(c, e, node_operands(nodes[k])[0], arena, depth, budget, holds)) return false;
  }
  return true;
}

bool hml_expr__zero_at_signs(hml_context *c, hml_expr e, const hml_budget *budget) {
  hml_arena arena;
  hml_arena_init(&arena, c);
  bool fine = at_signs(c, &arena, e, 0, budget, true);
  hml_arena_free(&arena);
  return fine;
}

static bool may_be_zero(hml_context *c, hml_arena *arena, hml_expr e, int depth, const hml_budget *budget) {
  (void)arena, (void)depth, (void)budget;
  return !hml_expr__certainly_nonzero(c, e);
}

// Has a a value where f vanishes, and b none?
static bool loses_value(hml_context *c, hml_expr a, hml_expr b, hml_expr f) {
  if ((f->known & KNOWN_POSITIVE) || is_number(f) || is_pi(f)) return false;
  for (uint32_t i = 0; f->kind == HML_PRODUCT && i < f->count; i++)
    if (loses_value(c, a, b, node_operands(f)[i])) return true;
  if (f->kind == HML_PRODUCT) return false;
  if (where_zero(c, b, f) || !hml_forgive(c)) return false;
  return where_zero(c, a, f) != NULL || !hml_forgive(c);
}

// b has no other value than a, and none is lost, where an argument of a sign vanishes
bool hml_expr__differ_at_signs(hml_context *c, hml_expr a, hml_expr b, const hml_budget *budget) {
  hml_expr *nodes, pair[2] = {a, b}, difference = NULL;
  size_t count;
  hml_arena arena;
  hml_arena_init(&arena, c);
  bool same = hml_expr__postorder(&arena, 2, pair, &nodes, &count) == HML_OK;
  for (size_t k = 0; same && k < count; k++) {
    if (nodes[k]->kind != HML_CALL || nodes[k]->function != HML_FUN_sign) continue;
    if (!difference && !(difference = hml_sub(c, a, b))) break;
    same = proved_at(c, difference, node_operands(nodes[k])[0], &arena, 0, budget, may_be_zero) && !loses_value(c, a, b, node_operands(nodes[k])[0]);
  }
  hml_arena_free(&arena);
  return !same;
}

hml_status hml_expr__is_zero(hml_context *c, hml_expr e, const hml_budget *budget, hml_verdict *verdict, double *evidence) {
  double unused;
  if (!evidence) evidence = &unused;
  if (!e) return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
  *evidence = 0;
  if (is_number(e)) {
    // an inexact number may be what rounding left of zero
    number a;
    number_read(&a, e);
    *verdict = number_may_vanish(&a) ? HML_UNDECIDED : number_sign(&a) != 0 ? HML_PROVED_NONZERO : HML_PROVED_ZERO;
    if (*verdict == HML_UNDECIDED) *evidence = a.error;
    number_clear(&a);
    return HML_OK;
  }
  // a value that is certainly not zero settles it at once
  finding found;
  HML_TRY(look(c, e, &found));
  *evidence = found.evidence;
  if (found.sign) {
    *verdict = HML_PROVED_NONZERO;
    return HML_OK;
  }
  *verdict = HML_UNDECIDED;
  // nowhere defined at the points tried: neither a proof by identities nor a value means anything
  if (isnan(*evidence)) return HML_OK;
  hml_expr exact = exactly(c, e), canonical = exact ? hml_expr__canonical(c, exact, budget) : NULL;
  if (!canonical) return hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY;
  HML_TRY(by_normal_form(c, canonical, budget, verdict));
  if (*verdict == HML_PROVED_ZERO && !hml_expr__zero_at_signs(c, exact, budget)) *verdict = HML_UNDECIDED;
  return hml_must_end(c) ? hml_context_error(c)->status : HML_OK;
}

hml_status hml_is_zero(hml_context *c, hml_expr e, const hml_limits *limits, hml_verdict *verdict, double *evidence) {
  hml_budget budget = hml_budget__start(c, limits);
  return hml_expr__is_zero(c, e, &budget, verdict, evidence);
}
