// disk.c: a program on complex disks. Its inputs are analytic functions of one complex number s, real at s = 0. Of each value a bound is found on how far
// it departs from its value at 0 anywhere on the disk of s, on which it is analytic. With Cauchy's estimate this bounds all Taylor coefficients, and
// so the error of a quadrature (quadrature.c).
//
// Each row is the majorant of the Taylor series of the operation, or the length of the way times the largest derivative on the disk. Rounding errors
// are not in the bounds.
#include "program_impl.h"

#include <float.h>
#include <math.h>

// abs, sign, min and max are analytic off their corners. An operand that stays where it is, at reach 0, may be at one
static bool leaves_alone(hml_disk a) {
  return a.reach == 0 || fabs(a.centre) > a.reach;
}

static double reach_of_product(hml_disk a, hml_disk b) {
  return fabs(a.centre) * b.reach + fabs(b.centre) * a.reach + a.reach * b.reach;
}

static double reach_of_quotient(hml_disk a, hml_disk b) {
  const double size = fabs(b.centre);
  return size > b.reach ? (a.reach * size + fabs(a.centre) * b.reach) / (size * (size - b.reach)) : INFINITY;
}

static hml_disk logarithm(hml_disk a) {
  return (hml_disk){log(a.centre), a.centre > a.reach ? -log1p(-a.reach / a.centre) : INFINITY};
}

// A far value may be nothing where its change would overflow
static double reach_of_exponential(hml_disk a) {
  return a.reach < 1 ? exp(a.centre) * expm1(a.reach) : exp(a.centre + a.reach);
}

static double reach_of_power(hml_disk a, hml_disk b) {
  const double n = b.centre, size = fabs(a.centre);
  if (b.reach == 0 && n == floor(n)) {
    if (n < 0 && size <= a.reach) return INFINITY;
    return n < 0 ? pow(size - a.reach, n) - pow(size, n) : pow(size + a.reach, n) - pow(size, n);
  }
  const hml_disk l = logarithm(a), w = {b.centre * l.centre, reach_of_product(b, l)};
  return reach_of_exponential(w);
}

// At least sinh(r) and cosh(r) - 1; up to 1 by their largest ratios to r and r^2
static double way(double r) {
  return r <= 1 ? 1.1753 * r : sinh(r);
}

static double bend(double r) {
  return r <= 1 ? 0.5431 * r * r : cosh(r) - 1;
}

static void sine_and_cosine(hml_disk a, hml_disk *sine, hml_disk *cosine) {
  const double s = sin(a.centre), c = cos(a.centre), b = bend(a.reach), w = way(a.reach);
  *sine = (hml_disk){s, fabs(s) * b + fabs(c) * w};
  *cosine = (hml_disk){c, fabs(c) * b + fabs(s) * w};
}

static double reach_of_tan(hml_disk a) {
  hml_disk sine, cosine;
  sine_and_cosine(a, &sine, &cosine);
  return reach_of_quotient(sine, cosine);
}

static double reach_of_tanh(hml_disk a) {
  const double t = exp(-2 * fabs(a.centre)), reach = t * expm1(2 * a.reach);
  return reach_of_quotient((hml_disk){1 - t, reach}, (hml_disk){1 + t, reach});
}

// The way times the largest derivative 1/((z - p)(z - q)), or its root, where |a - p| and |a - q| are these distances
static double between_poles(double p, double q, double reach, bool root) {
  const double product = (p - reach) * (q - reach);
  if (!(p > reach && q > reach)) return reach == 0 ? 0 : INFINITY;
  return reach / (root ? sqrt(product) : product);
}

static double reach_of_angle(hml_disk y, hml_disk x) {
  const double h = hypot(x.centre, y.centre), reach = x.reach + y.reach;
  if (reach == 0) return 0;
  if (!(h > reach) || (x.centre <= x.reach && fabs(y.centre) <= y.reach)) return INFINITY;     // the cut of atan2
  return ((fabs(x.centre) + x.reach) * y.reach + (fabs(y.centre) + y.reach) * x.reach) / ((h - reach) * (h - reach));
}

// Between two points a curve is a cubic
static double reach_of_table(double id, hml_disk x, int order) {
  double piece[7], sum = 0, weight = 1;
  if (x.reach == 0) return 0;
  if (!hml_tabled__piece(id, x.centre, 1, piece) || !(x.centre - x.reach >= piece[0] && x.centre + x.reach <= piece[1])) return INFINITY;
  for (int k = order + 1; k <= 3; k++) {
    weight *= x.reach / (k - order);
    sum += weight * fabs(hml_tabled(id, x.centre, k));
  }
  return sum;
}

static double reach_of_function(uint32_t op, hml_disk a, hml_disk b) {
  const double r = a.reach, one = hypot(1, a.centre);
  switch (op) {
    case OP_sin: return fabs(sin(a.centre)) * bend(r) + fabs(cos(a.centre)) * way(r);
    case OP_cos: return fabs(cos(a.centre)) * bend(r) + fabs(sin(a.centre)) * way(r);
    case OP_tan: return reach_of_tan(a);
    case OP_asin: case OP_acos: return between_poles(1 - a.centre, 1 + a.centre, r, true);
    case OP_atan: return between_poles(one, one, r, false);
    case OP_atan2: return reach_of_angle(a, b);
    case OP_sinh: return fabs(sinh(a.centre)) * bend(r) + cosh(a.centre) * way(r);
    case OP_cosh: return cosh(a.centre) * bend(r) + fabs(sinh(a.centre)) * way(r);
    case OP_tanh: return reach_of_tanh(a);
    case OP_asinh: return between_poles(one, one, r, true);
    case OP_acosh: return between_poles(a.centre - 1, a.centre + 1, r, true);
    case OP_atanh: return between_poles(1 - a.centre, 1 + a.centre, r, false);
    case OP_exp: return reach_of_exponential(a);
    case OP_log: return logarithm(a).reach;
    case OP_abs: return leaves_alone(a) ? r : INFINITY;
    case OP_sign: return leaves_alone(a) ? 0 : INFINITY;
    case OP_min: case OP_max:
      if (!leaves_alone((hml_disk){a.centre - b.centre, r + b.reach})) return INFINITY;
      return (a.centre < b.centre) == (op == OP_min) ? r : b.reach;
    case OP_tabled: case OP_tabled_rate: case OP_tabled_curve: case OP_tabled_jerk: return reach_of_table(a.centre, b, (int)(op - OP_tabled));
    default: return INFINITY;
  }
}

static double reach_of(const instruction *i, const hml_disk *v) {
  const hml_disk a = v[i->a], b = v[i->b], c = v[i->c];
  switch (i->op) {
    case OP_add: case OP_sub: return a.reach + b.reach;
    case OP_mul: return reach_of_product(a, b);
    case OP_div: return reach_of_quotient(a, b);
    case OP_neg: return a.reach;
    case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms: return reach_of_product(a, b) + c.reach;
    case OP_sqrt: return a.reach == 0 ? 0 : a.centre > a.reach ? sqrt(a.centre) - sqrt(a.centre - a.reach) : INFINITY;
    case OP_pow: return reach_of_power(a, b);
    default: return reach_of_function(i->op, a, b);
  }
}

// Terms that a sum may cancel leave their rounding errors
static double cancelled(const instruction *i, const hml_disk *v) {
  switch (i->op) {
    case OP_add: case OP_sub: return fmax(fabs(v[i->a].centre), fabs(v[i->b].centre));
    case OP_madd: case OP_nmadd: case OP_msub: case OP_fma: case OP_fnma: case OP_fms: return fmax(fabs(v[i->a].centre * v[i->b].centre), fabs(v[i->c].centre));
    default: return 0;
  }
}

// The formula of abs, min or max on one side of its corner
static hml_disk on_side(const instruction *i, const hml_disk *v, int side) {
  if (i->op == OP_abs) return (hml_disk){side * v[i->a].centre, v[i->a].reach};
  return v[(side > 0) == (i->op == OP_max) ? i->a : i->b];
}

bool hml_program__disk(const hml_program *p, const hml_disk *in, const signed char *sides, hml_disk *values, hml_disk *out, double *terms) {
  *terms = 0;
  for (uint32_t k = 0; k < p->n_constants; k++) values[k] = (hml_disk){p->constants[k], 0};
  for (uint32_t k = 0; k < p->n_in; k++) values[p->n_constants + k] = in[k];
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    if (i->op == OP_sincos) {
      sine_and_cosine(values[i->a], &values[i->result], &values[i->second]);
      continue;
    }
    if (sides && is_corner(i)) {
      values[i->result] = on_side(i, values, *sides++);
      continue;
    }
    const hml_disk found = {instruction_value((opcode)i->op, values[i->a].centre, values[i->b].centre, values[i->c].centre), reach_of(i, values)};
    if (!isfinite(found.centre) || !isfinite(found.reach)) return false;
    *terms = fmax(*terms, cancelled(i, values));
    values[i->result] = found;
  }
  for (uint32_t k = 0; k < p->n_out; k++) out[k] = values[p->outputs[k]];
  return true;
}
