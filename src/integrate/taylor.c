// taylor.c: Taylor series of the solution, order from the tolerance, coefficients by a program made from the equations.
//
// The order is that at which a step of 1/e^2 of the radius of convergence meets the tolerance (Jorba and Zou, Experimental Mathematics 14
// (2005), 3.2); the step is what the last two coefficients allow, each component measured by its tolerance. The polynomial of a step is
// its dense output, so values between the steps are as good as the steps.
#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

enum { LEAST_ORDER = 8, MOST_ORDER = 24 };

typedef struct taylor {
  const hml_problem *problem;
  const hml_program *series;           // kept by the formula's owner
  unsigned order;
  size_t inputs, size;                 // doubles of the block
  double *block, *in, *coefficients, *work;    // coefficients: order x n
  double t, *y;                        // where they belong to; y NULL at first
  bool known;
} taylor;

static unsigned order_for(const hml_problem *p) {
  double tolerance = p->rtol > 0 && p->atol > 0 ? fmin(p->rtol, p->atol) : p->rtol + p->atol;
  double order = ceil(1 - 0.5 * log(tolerance));
  return order < LEAST_ORDER ? LEAST_ORDER : order > MOST_ORDER ? MOST_ORDER : (unsigned)order;
}

static void destroy(const hml_problem *p, void *state) {
  taylor *y = state;
  if (!y) return;
  hml_dealloc(p->context, y->block, y->size * sizeof(double));
  hml_dealloc(p->context, y, sizeof *y);
}

static hml_status fill(taylor *y) {
  const hml_problem *p = y->problem;
  const hml_formula *f = p->ode->formula;
  if (!f)
    return hml_fail(p->context, HML_UNSUPPORTED, "the method taylor needs equations that are formulas: no functions of Lua, no contacts, "
                    "and short enough for their linear solve to be written out");
  y->order = order_for(p);
  HML_TRY(f->series(f->payload, y->order, &y->series));
  y->inputs = hml_program_inputs(y->series);
  y->size = y->inputs + hml_program_outputs(y->series) + p->n + hml_program_work_size(y->series) + 1;
  y->block = hml_alloc(p->context, y->size * sizeof(double));
  if (!y->block) return HML_MEMORY;
  y->in = y->block;
  y->coefficients = y->in + y->inputs;
  y->y = y->coefficients + hml_program_outputs(y->series);
  y->work = y->y + p->n;
  return HML_OK;
}

static hml_status create(const hml_problem *p, void **state) {
  taylor *y = hml_alloc(p->context, sizeof *y);
  if (!y) return HML_MEMORY;
  *y = (taylor){.problem = p};
  hml_status status = fill(y);
  if (status != HML_OK) {
    destroy(p, y);
    return status;
  }
  *state = y;
  return HML_OK;
}

static hml_status take_coefficients(taylor *y, double t, const double *x) {
  const hml_problem *p = y->problem;
  const hml_formula *f = p->ode->formula;
  size_t bytes = p->n * sizeof *x, constants = (y->inputs - 1 - f->states) * sizeof *x;
  double *own = y->in + 1 + f->states;
  // an event may have changed a parameter
  bool same = y->known && y->t == t && memcmp(y->y, x, bytes) == 0 && (!constants || memcmp(own, f->constants, constants) == 0);
  if (same) return HML_OK;
  HML_TRY(hml_check_interrupt(p->context));
  y->in[0] = t;
  memcpy(y->in + 1, x, f->states * sizeof *x);
  if (constants) memcpy(own, f->constants, constants);
  hml_program_eval(y->series, y->in, y->coefficients, y->work);
  p->outcome->evaluations++;
  y->t = t;
  memcpy(y->y, x, bytes);
  y->known = true;
  return HML_OK;
}

// Size of coefficient k in units of the tolerance
static double size_of(const taylor *y, unsigned k, const double *from, const double *to) {
  return hml_control__norm(y->problem, y->coefficients + (k - 1) * y->problem->n, from, to);
}

// 0: the coefficients say nothing
static hml_status propose(void *state, const hml_step *s, double *size) {
  taylor *y = state;
  HML_TRY(take_coefficients(y, s->t, s->y));
  double last = size_of(y, y->order, s->y, s->y), before = size_of(y, y->order - 1, s->y, s->y);
  double h = fmin(pow(last, -1.0 / y->order), pow(before, -1.0 / (y->order - 1)));
  *size = isfinite(h) && h > 0 ? 0.98 * h : 0;
  return HML_OK;
}

static hml_status attempt(void *state, hml_step *s) {
  taylor *y = state;
  const size_t n = y->problem->n;
  HML_TRY(take_coefficients(y, s->t, s->y));
  for (size_t i = 0; i < n; i++) s->y1[i] = y->coefficients[(y->order - 1) * n + i];
  for (unsigned k = y->order - 1; k > 0; k--)
    for (size_t i = 0; i < n; i++) s->y1[i] = y->coefficients[(k - 1) * n + i] + s->h * s->y1[i];
  for (size_t i = 0; i < n; i++) s->y1[i] = s->y[i] + s->h * s->y1[i];
  double last = size_of(y, y->order, s->y, s->y1) * pow(fabs(s->h), y->order);
  double before = size_of(y, y->order - 1, s->y, s->y1) * pow(fabs(s->h), y->order - 1);
  s->error = last > before || isnan(last) ? last : before;
  return HML_OK;
}

// From powers of theta to theta (c_0 + (1 - theta)(c_1 + theta (c_2 + ...))) by synthetic division, alternately at 1 and at 0
static hml_status dense(void *state, const hml_step *s, double *piece) {
  taylor *y = state;
  const size_t n = y->problem->n;
  HML_TRY(take_coefficients(y, s->t, s->y));
  for (size_t i = 0; i < n; i++) {
    double q[MOST_ORDER], power = s->h;
    unsigned length = y->order, first = 0;
    for (unsigned k = 0; k < length; k++, power *= s->h) q[k] = y->coefficients[k * n + i] * power;
    for (unsigned k = 0; k < y->order; k++) {
      if (k % 2 == 1) {                // q(0), then q = (q - q(0)) / theta
        piece[k * n + i] = q[first++];
        continue;
      }
      double sum = 0;                  // q(1), then q = (q - q(1)) / (1 - theta)
      for (unsigned j = y->order; j-- > first;) sum += q[j];
      piece[k * n + i] = sum;
      double partial = sum;
      // the quotient's coefficient j is -(q_0 + ... + q_j - sum) = what stands above j
      for (unsigned j = first; j < y->order; j++) {
        partial -= q[j];
        q[j] = -partial;
      }
    }
    piece[i] = s->y1[i] - s->y[i];
  }
  return HML_OK;
}

static unsigned pieces_of(const hml_problem *p) {
  return order_for(p);
}

const hml_program *hml_taylor__series(const void *state) {
  return ((const taylor *)state)->series;
}

const hml_stepper hml_stepper_taylor = {
    .name = "taylor",
    .title = "Taylor series, order by the tolerance",
    .order = LEAST_ORDER,
    .exponent = 1.0 / 10,
    .pieces_of = pieces_of,
    .create = create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = dense,
    .propose = propose,
};
