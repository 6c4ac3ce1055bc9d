// sharp.c: functions that do all they do within a short part of the range of their arguments, so that values at some points need not show it:
// exponentials, hyperbolic functions and high powers; between two points also denominators, roots, logarithms and arcs. Ranges come from range.c.
//
// What counts is the phase of a function: the logarithm of its size. Between two points at which a smooth motion is known it moves by a few
// units only; where it moves by more, a bump or a wall may lie between them. Beyond WINDOW a term is nothing beside the others, or everything.
#include "program_impl.h"

#include <math.h>
#include <string.h>

#define WINDOW 60.0                    // phases of which the change counts: exp(-60) = 1e-26
#define MOST_CHANGE 9.0                // of a phase between two points
#define MOST_DIP 3.5                   // of the logarithm of a denominator below its values at two points
#define BULGE 4.0                      // times the value at a point
#define LEAST_DIP 2.8                  // as a factor: less than a third of MOST_DIP
enum { HIGH = 16 };                    // powers from this one on

// IS_BASE: a denominator, or what a root or a logarithm is taken of; IS_BEND: of a function whose rate is 1/(1 + a^2) or a power of it
typedef enum phase_kind { IS_PHASE, IS_HALF, IS_SIZE, IS_BASE, IS_BEND, IS_POWER } phase_kind;

typedef struct phase {
  phase_kind kind;
  uint32_t of, exponent;               // values
} phase;

struct hml_sharp {
  hml_context *context;
  size_t size, count, in_any_step;     // bytes; phases; those that are no mere denominators
  size_t reach;                        // instructions up to the last that computes a phase
  phase *list;
};

// A value as a power of another one
typedef struct power {
  uint32_t base, exponent;
} power;

void hml_sharp__free(hml_sharp *s) {
  if (!s) return;
  hml_dealloc(s->context, s->list, s->size);
  hml_dealloc(s->context, s, sizeof *s);
}

// Without a comparison of its values at two points
static bool counts_alone(phase_kind kind) {
  return kind != IS_BASE && kind != IS_BEND;
}

static void append(hml_sharp *s, phase_kind kind, uint32_t of, uint32_t exponent) {
  s->list[s->count++] = (phase){kind, of, exponent};
  s->in_any_step += counts_alone(kind);
}

// Products of powers of the same value are powers of it; sums of exponents stay small, since programs do
static power power_of(const instruction *i, const power *powers) {
  const power a = powers[i->a], b = powers[i->b];
  if (i->op == OP_mul && a.base == b.base && a.exponent < HIGH && b.exponent < HIGH) return (power){a.base, a.exponent + b.exponent};
  if (i->op == OP_mul && a.base == b.base) return (power){a.base, HIGH};
  return (power){i->result, 1};
}

static bool is_low_power(const hml_program *p, const instruction *i) {
  return i->b < p->n_constants && p->constants[i->b] >= 0 && p->constants[i->b] < HIGH;
}

static void list_phase(hml_sharp *s, const hml_program *p, const instruction *i, const power *powers) {
  switch (i->op) {
    case OP_exp: case OP_sinh: case OP_cosh: append(s, IS_PHASE, i->a, 0); break;
    case OP_tanh: append(s, IS_HALF, i->a, 0); break;
    case OP_div: append(s, IS_BASE, i->b, 0); break;
    case OP_sqrt: case OP_log: append(s, IS_BASE, i->a, 0); break;
    case OP_atan: case OP_asinh: append(s, IS_BEND, i->a, 0); break;
    case OP_pow: if (!is_low_power(p, i)) append(s, IS_POWER, i->a, i->b); break;
    default: if (powers[i->result].exponent >= HIGH) append(s, IS_SIZE, i->result, 0);
  }
}

static void list_phases(hml_sharp *s, const hml_program *p, power *powers) {
  for (uint32_t k = 0; k < p->n_values; k++) powers[k] = (power){k, 1};
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    const size_t before = s->count;
    powers[i->result] = power_of(i, powers);
    list_phase(s, p, i, powers);
    if (s->count > before) s->reach = k + 1;
  }
}

hml_status hml_program__sharp(hml_context *c, const hml_program *p, hml_sharp **out) {
  const size_t bytes = (p->n_values + 1) * sizeof(power);
  hml_sharp *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  *s = (hml_sharp){.context = c, .size = (p->n_instructions + 1) * sizeof *s->list};
  s->list = hml_alloc(c, s->size);
  power *powers = hml_alloc(c, bytes);
  if (s->list && powers) list_phases(s, p, powers);
  hml_status status = s->list && powers ? HML_OK : HML_MEMORY;
  hml_dealloc(c, powers, bytes);
  if (status == HML_OK) *out = s;
  else hml_sharp__free(s);
  return status;
}

// Which values the marked ones are computed from; instructions stand in the order of their computation
static void mark_sources(const hml_program *p, bool *used) {
  for (uint32_t k = p->n_instructions; k-- > 0;) {
    const instruction *i = &p->instructions[k];
    if (!used[i->result] && (i->second == NO_VALUE || !used[i->second])) continue;
    const uint32_t operands[] = {i->a, i->b, i->c};
    for (unsigned a = 0; a < instruction_rows[i->op].operands; a++) used[operands[a]] = true;
  }
}

static void drop_unused(hml_sharp *s, const bool *used) {
  size_t kept = 0;
  s->in_any_step = 0;
  for (size_t k = 0; k < s->count; k++) {
    if (!used[s->list[k].of]) continue;
    s->in_any_step += counts_alone(s->list[k].kind);
    s->list[kept++] = s->list[k];
  }
  s->count = kept;
}

hml_status hml_program__sharp_of(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_sharp **out) {
  const size_t bytes = (p->n_values + 1) * sizeof(bool);
  bool *used = hml_alloc(c, bytes);
  if (!used) return HML_MEMORY;
  memset(used, 0, bytes);
  for (size_t k = 0; k < n; k++) used[p->outputs[outputs[k]]] = true;
  mark_sources(p, used);
  hml_status status = hml_program__sharp(c, p, out);
  if (status == HML_OK) drop_unused(*out, used);
  hml_dealloc(c, used, bytes);
  return status;
}

hml_status hml_program__is_sharp(hml_context *c, const hml_program *p, bool *sharp) {
  hml_sharp *s;
  HML_TRY(hml_program__sharp(c, p, &s));
  *sharp = hml_sharp__in_any_step(s);
  hml_sharp__free(s);
  return HML_OK;
}

size_t hml_sharp__reach(const hml_sharp *s) {
  return s->reach;
}

bool hml_sharp__in_any_step(const hml_sharp *s) {
  return s->in_any_step > 0;
}

static double clipped(double x) {
  return fmin(fmax(x, -WINDOW), WINDOW);
}

static double change(double low, double high) {
  return clipped(high) - clipped(low);
}

static bool has_zero(hml_range a) {
  return a.low <= 0 && a.high >= 0;
}

// Of the logarithm of |a|, times a factor
static double change_of_size(hml_range a, double factor) {
  double low = fabs(a.low), high = fabs(a.high), least = has_zero(a) ? 0 : fmin(low, high);
  return change(factor * log(least), factor * log(fmax(low, high)));
}

static bool known(hml_range a) {
  return isfinite(a.low) && isfinite(a.high);
}

// In units of the change it may have between two points; 0 where it is not known
static double change_of(const phase *f, const hml_range *values) {
  hml_range a = values[f->of];
  if (!known(a)) return 0;
  switch (f->kind) {
    case IS_PHASE: return change(a.low, a.high) / MOST_CHANGE;
    case IS_HALF: return change(2 * a.low, 2 * a.high) / MOST_CHANGE;
    case IS_SIZE: return change_of_size(a, 1) / MOST_CHANGE;
    case IS_BASE: case IS_BEND: return 0;
    case IS_POWER: break;
  }
  double highest = fmax(fabs(values[f->exponent].low), fabs(values[f->exponent].high));
  return highest >= HIGH && isfinite(highest) ? change_of_size(a, highest) / MOST_CHANGE : 0;
}

double hml_sharp__change(const hml_sharp *s, const hml_range *values) {
  double most = 0;
  for (size_t k = 0; k < s->count; k++) most = fmax(most, change_of(&s->list[k], values));
  return most;
}

static double least_size(hml_range a) {
  return fmin(fabs(a.low), fabs(a.high));
}

// Ranges that are too wide to show a value that is known at a point, or the sign that it has there
static bool is_open(const phase *f, const hml_range *values, const hml_range *point) {
  hml_range a = values[f->of], at = point[f->of];
  return known(at) && (!known(a) || (f->kind == IS_BASE && has_zero(a) && !has_zero(at)));
}

static hml_range bend(hml_range a) {
  double most = fmax(fabs(a.low), fabs(a.high)), least = has_zero(a) ? 0 : least_size(a);
  return (hml_range){1 + least * least, 1 + most * most};
}

// How far a value may fall below those at two points, of which it is the denominator or base
static double dip(hml_range a, hml_range start, hml_range end, double exponent) {
  double ends = fmin(least_size(start), least_size(end));
  return change(exponent * log(least_size(a)), exponent * log(ends)) / MOST_DIP;
}

// Bases that may vanish are examined as poles, not here
static double dip_of(const phase *f, const hml_range *values, const hml_range *start, const hml_range *end) {
  hml_range a = values[f->of];
  if (f->kind == IS_BEND && known(a)) return dip(bend(a), bend(start[f->of]), bend(end[f->of]), 1);
  double exponent = f->kind == IS_BASE ? 1 : f->kind == IS_POWER ? -values[f->exponent].low : 0;
  if (!(exponent > 0) || isinf(exponent) || !known(a) || has_zero(a)) return 0;
  return dip(a, start[f->of], end[f->of], exponent);
}

// The values at the ends lie in the range of all
bool hml_sharp__may_dip(const hml_sharp *s, const hml_range *values) {
  for (size_t k = 0; k < s->count; k++) {
    const phase *f = &s->list[k];
    hml_range a = values[f->of];
    if (f->kind == IS_POWER) return true;
    if (counts_alone(f->kind) || !known(a)) continue;
    if (f->kind == IS_BEND) a = bend(a);
    else if (has_zero(a)) continue;
    if (fmax(fabs(a.low), fabs(a.high)) > LEAST_DIP * least_size(a)) return true;
  }
  return false;
}

double hml_sharp__dip(const hml_sharp *s, const hml_range *values, const hml_range *start, const hml_range *end, bool blind) {
  double most = 0;
  for (size_t k = 0; k < s->count; k++) {
    most = fmax(most, dip_of(&s->list[k], values, start, end));
    if (blind && is_open(&s->list[k], values, start)) return INFINITY;
  }
  return most;
}

static double size_of(hml_range a) {
  return fmax(fabs(a.low), fabs(a.high));
}

bool hml_range__bulges(hml_range over, hml_range point) {
  return known(point) && (!known(over) || size_of(over) > BULGE * size_of(point));
}
