// sharp.c: functions that do all they do within a short part of the range of their arguments, so that values at some points need not show it:
// exponentials, hyperbolic functions and high powers; on request quotients too. Ranges come from range.c.
//
// What counts is the phase of a function: the logarithm of its size. Between two points at which a smooth motion is known it moves by a few
// units only; where it moves by more, a bump or a wall may lie between them. Beyond WINDOW a term is nothing beside the others, or everything.
#include "program_impl.h"

#include <math.h>

#define WINDOW 60.0                    // phases of which the change counts: exp(-60) = 1e-26
#define MOST_PHASE 9.0                 // that a step may change a phase by
#define MOST_POLE 3.5                  // the same of a denominator
enum { HIGH = 4 };                     // squares of squares ...: x^16 and more

static double clipped(double phase) {
  return fmin(fmax(phase, -WINDOW), WINDOW);
}

static double change(double low, double high) {
  return clipped(high) - clipped(low);
}

// Of the logarithm of |a|
static double change_of_size(hml_range a) {
  double low = fabs(a.low), high = fabs(a.high), least = a.low <= 0 && a.high >= 0 ? 0 : fmin(low, high);
  return change(log(least), log(fmax(low, high)));
}

// How many squarings led to the value
static unsigned squarings(const hml_program *p, uint32_t at) {
  const uint32_t first = p->n_constants + p->n_in;
  unsigned count = 0;
  while (at >= first) {
    const instruction *i = &p->instructions[p->producer[at - first]];
    if (i->op != OP_mul || i->a != i->b) break;
    at = i->a;
    count++;
  }
  return count;
}

static bool is_high(const hml_program *p, const instruction *i) {
  return i->op == OP_mul && i->a == i->b && squarings(p, i->result) >= HIGH;
}

static bool known(hml_range a) {
  return isfinite(a.low) && isfinite(a.high);
}

// In units of what a step may change it by; 0: nothing sharp, or nothing known
static double sharpness_of(const hml_program *p, const instruction *i, const hml_range *v, bool poles) {
  hml_range a = v[i->a], b = v[i->b];
  switch (i->op) {
    case OP_exp: case OP_sinh: case OP_cosh: return known(a) ? change(a.low, a.high) / MOST_PHASE : 0;
    case OP_tanh: return known(a) ? change(2 * a.low, 2 * a.high) / MOST_PHASE : 0;
    case OP_mul: return is_high(p, i) && known(v[i->result]) ? change_of_size(v[i->result]) / MOST_PHASE : 0;
    case OP_div: return poles && known(b) ? change_of_size(b) / MOST_POLE : 0;
    case OP_pow: return poles && known(a) && b.high < 0 ? change_of_size(a) * -b.low / MOST_POLE : 0;
    default: return 0;
  }
}

bool hml_program__has_sharp(const hml_program *p) {
  for (uint32_t k = 0; k < p->n_instructions; k++) {
    const instruction *i = &p->instructions[k];
    if (i->op == OP_exp || i->op == OP_sinh || i->op == OP_cosh || i->op == OP_tanh || is_high(p, i)) return true;
  }
  return false;
}

double hml_program__sharpness(const hml_program *p, const hml_range *values, bool poles) {
  double most = 0;
  for (uint32_t k = 0; k < p->n_instructions; k++) most = fmax(most, sharpness_of(p, &p->instructions[k], values, poles));
  return most;
}
