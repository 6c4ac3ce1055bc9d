// sharp.c: functions that do all they do within a short part of the range of their arguments, so that values at some points need not show it:
// exponentials, hyperbolic functions and high powers; between two points also denominators, roots, logarithms and arcs. Ranges come from range.c.
//
// What counts is the phase of a function: the logarithm of its size. Between two points at which a smooth motion is known it moves by a few
// units only; where it moves by more, a bump or a wall may lie between them. Beyond WINDOW a term is nothing beside the others, or everything.
#include "program_impl.h"

#include <math.h>
#include <string.h>

#define WINDOW 60.0                    // phases of which the change counts, in doubles: exp(-60) = 1e-26
#define MOST_CHANGE 9.0                // of a phase between two points
#define MOST_DIP 3.5                   // of the logarithm of a denominator below its values at two points
#define BULGE 4.0                      // times the value at a point
#define LEAST_DIP 2.8                  // as a factor: less than a third of MOST_DIP, 0.3 of it
#define WHOLE_DIP 32.0                 // as a factor: less than MOST_DIP, e^3.5 = 33.1
enum { HIGH = 16 };                    // powers from this one on

// IS_BASE: a denominator, or what a root or a logarithm is taken of; IS_BEND: of a function whose rate is 1/(1 + a^2) or a power of it
typedef enum phase_kind { IS_PHASE, IS_HALF, IS_SIZE, IS_BASE, IS_BEND, IS_POWER } phase_kind;

typedef struct phase {
  phase_kind kind;
  uint32_t of, exponent;               // values
} phase;

struct hml_sharp {
  hml_context *context;
  const hml_program *program;
  size_t size, all, in_any_step;       // bytes; phases; those that are no mere denominators
  size_t count;                        // phases, but for those that are settled, which come last
  phase *list;
  instruction *steps;                  // those of the program by which the first phases are computed, behind the list   (n_steps)
  instruction *ordered;                // scratch                                     (n_steps)
  size_t n_steps, room;                // values that they read and write: those of the program, then squares
  bool *used;                          // scratch                                     (values)
  double window;                       // phases beyond it do not count
  double even;                         // bases that fall by no more than this factor are settled
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
  s->list[s->all++] = (phase){kind, of, exponent};
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
    powers[i->result] = power_of(i, powers);
    list_phase(s, p, i, powers);
  }
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

// The instruction that computes v as a product; NULL: none does
static const instruction *product_of(const hml_program *p, uint32_t v) {
  const uint32_t first = p->n_constants + p->n_in;
  const instruction *i = v < first ? NULL : &p->instructions[p->producer[v - first]];
  return i && i->op == OP_mul ? i : NULL;
}

// Is b a product with a? *rest: what is left of it
static bool holds_factor(const hml_program *p, uint32_t a, uint32_t b, uint32_t *rest) {
  const instruction *i = product_of(p, b);
  if (!i || (i->a != a && i->b != a)) return false;
  *rest = i->a == a ? i->b : i->a;
  return true;
}

static bool multiplies(uint32_t op) {
  return op == OP_mul || op == OP_madd || op == OP_fma || op == OP_nmadd || op == OP_fnma || op == OP_msub || op == OP_fms;
}

// a (a r) is read as a^2 r, whose range does not forget that a is the same twice: a pivot 1 - a^2/2 keeps its sign wherever a is a cosine
static bool has_square(const hml_program *p, const instruction *i, uint32_t *base, uint32_t *rest) {
  if (!multiplies(i->op) || i->a == i->b) return false;
  const bool first = holds_factor(p, i->a, i->b, rest);
  if (!first && !holds_factor(p, i->b, i->a, rest)) return false;
  *base = first ? i->a : i->b;
  return true;
}

static void list_step(hml_sharp *s, const instruction *i) {
  uint32_t base, rest;
  instruction step = *i;
  if (has_square(s->program, i, &base, &rest)) {
    const uint32_t square = (uint32_t)s->room++;
    s->steps[s->n_steps++] = (instruction){.op = OP_mul, .a = base, .b = base, .result = square, .second = NO_VALUE};
    step.a = square;
    step.b = rest;
  }
  s->steps[s->n_steps++] = step;
}

// 0: before sines and cosines that read no others; 1: one of these; 2: behind them
static int turn_of(const hml_sharp *s, const instruction *i, const bool *behind) {
  const bool first = i->a < s->program->n_values && !behind[i->a];
  if (i->op == OP_sincos && first) return 1;
  return i->result >= s->program->n_values || behind[i->result] ? 2 : 0;
}

// Sines and cosines side by side, since several together take less. s->used is free again
static void gather_circles(hml_sharp *s) {
  const uint32_t known = s->program->n_values;                         // squares come behind
  bool *behind = s->used;
  memset(behind, 0, (known + 1) * sizeof *behind);
  for (size_t k = 0; k < s->n_steps; k++) {
    const instruction *i = &s->steps[k];
    const uint32_t operands[] = {i->a, i->b, i->c};
    bool late = i->op == OP_sincos;
    for (unsigned a = 0; a < instruction_rows[i->op].operands; a++) late |= operands[a] >= known || behind[operands[a]];
    if (i->result < known) behind[i->result] = late;
    if (i->second != NO_VALUE) behind[i->second] = late;
  }
  size_t n = 0;
  for (int turn = 0; turn < 3; turn++)
    for (size_t k = 0; k < s->n_steps; k++)
      if (turn_of(s, &s->steps[k], behind) == turn) s->ordered[n++] = s->steps[k];
  memcpy(s->steps, s->ordered, n * sizeof *s->steps);
}

static void list_steps(hml_sharp *s) {
  const hml_program *p = s->program;
  bool *used = s->used;
  memset(used, 0, (p->n_values + 1) * sizeof *used);
  for (size_t k = 0; k < s->count; k++) {
    used[s->list[k].of] = true;
    if (s->list[k].kind == IS_POWER) used[s->list[k].exponent] = true;
  }
  for (uint32_t k = p->n_instructions; k-- > 0;) {
    const instruction *i = &p->instructions[k];
    if (!used[i->result] && (i->second == NO_VALUE || !used[i->second])) continue;
    uint32_t operands[] = {i->a, i->b, i->c};
    has_square(p, i, &operands[0], &operands[1]);
    for (unsigned a = 0; a < instruction_rows[i->op].operands; a++) used[operands[a]] = true;
  }
  s->n_steps = 0;
  s->room = p->n_values;
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    if (used[i->result] || (i->second != NO_VALUE && used[i->second])) list_step(s, i);
  }
  gather_circles(s);
}

hml_status hml_program__sharp(hml_context *c, const hml_program *p, hml_sharp **out) {
  const size_t bytes = (p->n_values + 1) * sizeof(power), n = p->n_instructions + 1;
  hml_sharp *s = hml_alloc(c, sizeof *s);
  if (!s) return HML_MEMORY;
  *s = (hml_sharp){.context = c, .program = p, .window = WINDOW, .even = LEAST_DIP, .size = n * (sizeof *s->list + 4 * sizeof *s->steps) + (p->n_values + 1) * sizeof *s->used};
  s->list = hml_alloc(c, s->size);
  s->steps = (instruction *)(s->list + n);
  s->ordered = s->steps + 2 * n;
  s->used = (bool *)(s->ordered + 2 * n);
  power *powers = hml_alloc(c, bytes);
  if (s->list && powers) {
    list_phases(s, p, powers);
    s->count = s->all;
    list_steps(s);
  }
  hml_status status = s->list && powers ? HML_OK : HML_MEMORY;
  hml_dealloc(c, powers, bytes);
  if (status == HML_OK) *out = s;
  else hml_sharp__free(s);
  return status;
}

static void drop_unused(hml_sharp *s, const bool *used) {
  size_t kept = 0;
  s->in_any_step = 0;
  for (size_t k = 0; k < s->all; k++) {
    if (!used[s->list[k].of]) continue;
    s->in_any_step += counts_alone(s->list[k].kind);
    s->list[kept++] = s->list[k];
  }
  s->all = s->count = kept;
}

hml_status hml_program__sharp_of(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_sharp **out) {
  const size_t bytes = (p->n_values + 1) * sizeof(bool);
  bool *used = hml_alloc(c, bytes);
  if (!used) return HML_MEMORY;
  memset(used, 0, bytes);
  for (size_t k = 0; k < n; k++) used[p->outputs[outputs[k]]] = true;
  mark_sources(p, used);
  hml_status status = hml_program__sharp(c, p, out);
  if (status == HML_OK) {
    drop_unused(*out, used);
    list_steps(*out);
  }
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

bool hml_sharp__reads(const hml_sharp *s) {
  return s->count > 0;
}

size_t hml_sharp__room(const hml_sharp *s) {
  return s->room;
}

void hml_sharp__ranges(const hml_sharp *s, const hml_range *in, hml_range *values) {
  program_ranges(s->program, s->n_steps, s->steps, in, values);
}

void hml_sharp__values(const hml_sharp *s, const hml_range *in, hml_range *values) {
  program_values(s->program, s->n_steps, s->steps, in, values);
}

bool hml_sharp__in_any_step(const hml_sharp *s) {
  return s->in_any_step > 0;
}

void hml_sharp__widen(hml_sharp *s, double window) {
  s->window = window;
}

void hml_sharp__ignore_parts(hml_sharp *s) {
  s->even = WHOLE_DIP;
}

static double clipped(double x, double window) {
  return fmin(fmax(x, -window), window);
}

static double change(double low, double high, double window) {
  return clipped(high, window) - clipped(low, window);
}

static bool has_zero(hml_range a) {
  return a.low <= 0 && a.high >= 0;
}

// Of the logarithm of |a|, times a factor
static double change_of_size(hml_range a, double factor, double window) {
  double low = fabs(a.low), high = fabs(a.high), least = has_zero(a) ? 0 : fmin(low, high);
  return change(factor * log(least), factor * log(fmax(low, high)), window);
}

static bool known(hml_range a) {
  return isfinite(a.low) && isfinite(a.high);
}

// In units of the change it may have between two points; 0 where it is not known
static double change_of(const phase *f, const hml_range *values, double window) {
  hml_range a = values[f->of];
  if (!known(a)) return 0;
  switch (f->kind) {
    case IS_PHASE: return change(a.low, a.high, window) / MOST_CHANGE;
    case IS_HALF: return change(2 * a.low, 2 * a.high, window) / MOST_CHANGE;
    case IS_SIZE: return change_of_size(a, 1, window) / MOST_CHANGE;
    case IS_BASE: case IS_BEND: return 0;
    case IS_POWER: break;
  }
  double highest = fmax(fabs(values[f->exponent].low), fabs(values[f->exponent].high));
  return highest >= HIGH && isfinite(highest) ? change_of_size(a, highest, window) / MOST_CHANGE : 0;
}

double hml_sharp__change(const hml_sharp *s, const hml_range *values) {
  double most = 0;
  for (size_t k = 0; k < s->count; k++) most = fmax(most, change_of(&s->list[k], values, s->window));
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

bool hml_sharp__is_open(const hml_sharp *s, const hml_range *values, const hml_range *start) {
  for (size_t k = 0; k < s->count; k++) {
    const phase *f = &s->list[k];
    if (counts_alone(f->kind) && (is_open(f, values, start) || (f->kind == IS_POWER && known(start[f->exponent]) && !known(values[f->exponent])))) return true;
  }
  return false;
}

// A base whose values are of one sign and so close to each other that none lies far below two of them
static bool is_even(const hml_sharp *s, const phase *f, hml_range a) {
  if (!known(a)) return false;
  if (f->kind == IS_BEND) a = bend(a);
  return !has_zero(a) && fmax(fabs(a.low), fabs(a.high)) <= s->even * least_size(a);
}

void hml_sharp__settle(hml_sharp *s, const hml_range *in, hml_range *values) {
  s->count = s->all;
  list_steps(s);
  hml_sharp__ranges(s, in, values);
  for (size_t k = 0; k < s->count;) {
    if (counts_alone(s->list[k].kind) || !is_even(s, &s->list[k], values[s->list[k].of])) {
      k++;
      continue;
    }
    const phase settled = s->list[k];
    s->list[k] = s->list[--s->count];
    s->list[s->count] = settled;
  }
  list_steps(s);
}

// How far a value may fall below those at two points, of which it is the denominator or base
static double dip(hml_range a, hml_range start, hml_range end, double exponent, double window) {
  double ends = fmin(least_size(start), least_size(end));
  return change(exponent * log(least_size(a)), exponent * log(ends), window) / MOST_DIP;
}

// Bases that may vanish are examined as poles, not here
static double dip_of(const phase *f, const hml_range *values, const hml_range *start, const hml_range *end, double window) {
  hml_range a = values[f->of];
  if (f->kind == IS_BEND && known(a)) return dip(bend(a), bend(start[f->of]), bend(end[f->of]), 1, window);
  double exponent = f->kind == IS_BASE ? 1 : f->kind == IS_POWER ? -values[f->exponent].low : 0;
  if (!(exponent > 0) || isinf(exponent) || !known(a) || has_zero(a)) return 0;
  return dip(a, start[f->of], end[f->of], exponent, window);
}

// The values at the ends lie in the range of all
bool hml_sharp__may_dip(const hml_sharp *s, const hml_range *values) {
  for (size_t k = 0; k < s->count; k++) {
    const phase *f = &s->list[k];
    const hml_range a = values[f->of];
    if (f->kind == IS_POWER) return true;
    if (counts_alone(f->kind) || !known(a) || (f->kind == IS_BASE && has_zero(a))) continue;
    if (!is_even(s, f, a)) return true;
  }
  return false;
}

double hml_sharp__dip(const hml_sharp *s, const hml_range *values, const hml_range *start, const hml_range *end, bool blind) {
  double most = 0;
  for (size_t k = 0; k < s->count; k++) {
    most = fmax(most, dip_of(&s->list[k], values, start, end, s->window));
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
