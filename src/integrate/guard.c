// guard.c: one guard that is an expression, over a part of a step: its ranges and those of its rate along the step's polynomial.
// What follows from them is event.c's business.
//
// With theta from 0 to 1 over the step every moving input is a polynomial x(theta), rewritten about the middle m of the part:
// x = p_0 + p_1 s + p_2 s^2 + ..., |s| <= r. From ranges of x and x' the guard's program gives a range G of its values, its tangent program
// a range R of its rate, and so also g(m) + R [-r, r]. The first is enough where the guard is far from zero; the last closes in on the
// values with the square of r. All ranges are wider than the rounding errors: a range without zero is a proof.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WAIT = 32 };                    // steps

struct hml_guard {
  hml_context *context;
  const hml_guard_formula *formula;
  size_t n, pieces;                    // components of the state; pieces of the polynomials
  size_t n_in, n_moving;
  uint32_t *moving;                    // inputs that are time or a component                 (n_moving)
  double *in, *work, *p;               // inputs; of the program; coefficients about the middle (pieces + 1)
  double *peaks;                       // largest values of the products that multiply the pieces   (pieces)
  hml_range *box, *values;             // ranges of the inputs, of their rates behind them; scratch
  hml_range *safe;                     // ranges of the inputs in which the guard has one sign     (n_in)
  hml_guard_verdict safe_finding;            // that sign; HML_GUARD_OPEN: none is known
  unsigned wait;                       // steps until larger ranges are tried again
  void *memory;
  size_t size;
  const hml_program *rate;             // the tangent along the moving inputs; NULL: not yet asked for
  hml_program *own_rate;               // that, where the formula has none
  hml_range *rate_values;
  size_t rate_size;
};

// theta^i (1 - theta)^j at its peak i/(i + j)
static double peak(size_t k) {
  double i = (double)(k / 2 + 1), j = (double)((k + 1) / 2);
  return pow(i / (i + j), i) * (j > 0 ? pow(j / (i + j), j) : 1);
}

static void *part(char *block, size_t *at, size_t bytes) {
  char *here = block ? block + *at : NULL;
  *at += (bytes + 15) / 16 * 16;
  return here;
}

static size_t lay_out(hml_guard *g, char *block) {
  size_t at = 0, values = hml_program__values(g->formula->program);
  g->in = part(block, &at, g->n_in * sizeof *g->in);
  g->work = part(block, &at, hml_program_work_size(g->formula->program) * sizeof *g->work);
  g->p = part(block, &at, (g->pieces + 1) * sizeof *g->p);
  g->peaks = part(block, &at, g->pieces * sizeof *g->peaks);
  g->box = part(block, &at, 2 * g->n_in * sizeof *g->box);
  g->safe = part(block, &at, g->n_in * sizeof *g->safe);
  g->values = part(block, &at, (values + 1) * sizeof *g->values);
  g->moving = part(block, &at, g->n_in * sizeof *g->moving);
  return at;
}

void hml_guard__close(hml_guard *g) {
  if (!g) return;
  hml_program_free(g->own_rate);
  hml_dealloc(g->context, g->rate_values, g->rate_size);
  hml_dealloc(g->context, g->memory, g->size);
  hml_dealloc(g->context, g, sizeof *g);
}

hml_status hml_guard__open(const hml_problem *p, const hml_guard_formula *f, hml_guard **out) {
  hml_guard *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (hml_guard){.context = p->context, .formula = f, .n = p->n, .pieces = p->pieces, .n_in = hml_program_inputs(f->program)};
  g->size = lay_out(g, NULL) + 1;
  g->memory = hml_alloc(p->context, g->size);
  if (!g->memory) {
    hml_guard__close(g);
    return HML_MEMORY;
  }
  lay_out(g, g->memory);
  for (size_t k = 0; k < g->n_in; k++)
    if (f->place[k] <= g->n) g->moving[g->n_moving++] = (uint32_t)k;
  for (size_t k = 0; k < g->pieces; k++) g->peaks[k] = peak(k);
  *out = g;
  return HML_OK;
}

double hml_guard__value(hml_guard *g, double t, const double *y) {
  const uint32_t *place = g->formula->place;
  double value;
  for (size_t k = 0; k < g->n_in; k++)
    g->in[k] = place[k] == 0 ? t : place[k] <= g->n ? y[place[k] - 1] : g->formula->constants[place[k] - g->n - 1];
  hml_program_eval(g->formula->program, g->in, &value, g->work);
  return value;
}

// ---- ranges of the inputs

static hml_range about(double middle, double reach) {
  return (hml_range){middle - reach, middle + reach};
}

// Over the whole step, from the peaks: theta (c_0 + (1 - theta)(c_1 + ...)) has each c_k times a product between 0 and its peak
static hml_range over_step(const hml_guard *g, const double *y, const double *piece, size_t i) {
  double low = y[i], high = y[i], size = fabs(y[i]);
  for (size_t k = 0; k < g->pieces; k++) {
    double c = piece[k * g->n + i] * g->peaks[k];
    *(c < 0 ? &low : &high) += c;
    size += fabs(c);
  }
  double slack = 4 * DBL_EPSILON * size;
  return (hml_range){low - slack, high + slack};
}

// Ranges of all inputs for theta within r of m, and of their rates by theta where the rate program wants them
static void fill_box(hml_guard *g, const hml_step *s, const double *piece, double m, double r, bool rates) {
  const uint32_t *place = g->formula->place;
  size_t moving = 0;
  for (size_t k = 0; k < g->n_in; k++) {
    hml_range *x = g->box + k, rate = {s->h, s->h};
    if (place[k] > g->n) {
      double constant = g->formula->constants[place[k] - g->n - 1];
      *x = (hml_range){constant, constant};
      continue;
    }
    if (place[k] == 0) {
      *x = about(s->t + m * s->h, r * fabs(s->h) + 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)));
    } else {
      // near the start of the step little of the pieces enters, and little of their rounding errors
      size_t i = place[k] - 1;
      double units = 4 * DBL_EPSILON, size = hml_dense__recentre(g->n, g->pieces, s->y, piece, i, m, g->p), reach = units * (fabs(s->y[i]) + (m + r) * size), change = 0, power = 1;
      for (size_t j = 1; j <= g->pieces; j++) {
        if (j > 1) change += (double)j * fabs(g->p[j]) * power;
        power *= r;
        reach += fabs(g->p[j]) * power;
      }
      *x = about(g->p[0], reach);
      rate = about(g->p[1], change + units * size);
    }
    if (rates) g->box[g->n_in + moving++] = rate;
  }
}

// ---- ranges of the guard

static hml_status derive_rate(hml_guard *g) {
  if (g->formula->rate || g->own_rate) return HML_OK;
  size_t *active = hml_alloc(g->context, (g->n_moving + 1) * sizeof *active);
  if (!active) return HML_MEMORY;
  for (size_t k = 0; k < g->n_moving; k++) active[k] = g->moving[k];
  hml_status status = hml_program_tangent(g->context, g->formula->program, g->n_moving, active, &g->own_rate);
  hml_dealloc(g->context, active, (g->n_moving + 1) * sizeof *active);
  return status;
}

static hml_status need_rate(hml_guard *g) {
  if (g->rate) return HML_OK;
  HML_TRY(derive_rate(g));
  const hml_program *rate = g->formula->rate ? g->formula->rate : g->own_rate;
  g->rate_size = (hml_program__values(rate) + 1) * sizeof *g->rate_values;
  g->rate_values = hml_alloc(g->context, g->rate_size);
  if (!g->rate_values) return HML_MEMORY;
  g->rate = rate;
  return HML_OK;
}

static hml_range_kind range_of_values(hml_guard *g, double level, hml_range *values) {
  hml_range_kind kind = hml_program__range(g->formula->program, g->box, g->values, values);
  values->low -= level;
  values->high -= level;
  return kind;
}

static bool one_sign(hml_range a) {
  return a.low > 0 || a.high < 0;
}

static bool within_noise(hml_range values, double noise) {
  return fmax(-values.low, values.high) <= 4 * noise;
}

static hml_guard_verdict free_of_roots(hml_range values) {
  return values.low > 0 ? HML_GUARD_ABOVE : HML_GUARD_BELOW;
}

static hml_guard_verdict finding_in_box(hml_guard *g, double level) {
  hml_range values;
  hml_range_kind kind = range_of_values(g, level, &values);
  return kind != HML_RANGE_UNDEFINED && one_sign(values) ? free_of_roots(values) : HML_GUARD_OPEN;
}

static void fill_box_of_step(hml_guard *g, const hml_step *s, const double *piece) {
  const uint32_t *place = g->formula->place;
  double middle = 0.5 * (s->t + s->t1);
  for (size_t k = 0; k < g->n_in; k++) {
    double constant = place[k] > g->n ? g->formula->constants[place[k] - g->n - 1] : 0;
    g->box[k] = place[k] > g->n ? (hml_range){constant, constant}
                : place[k] > 0  ? over_step(g, s->y, piece, place[k] - 1)
                                : about(middle, (0.5 + 4 * DBL_EPSILON) * fabs(s->h) + 2 * DBL_EPSILON * fabs(middle));
  }
}

static bool is_safe(const hml_guard *g) {
  if (g->safe_finding == HML_GUARD_OPEN) return false;
  for (size_t k = 0; k < g->n_in; k++)
    if (!(g->box[k].low >= g->safe[k].low && g->box[k].high <= g->safe[k].high)) return false;
  return true;
}

// The safe ranges and those of this step together, and more, so that the next steps need no look at the guard
static void enlarge_safe(hml_guard *g) {
  for (size_t k = 0; k < g->n_in; k++) {
    double low = fmin(g->box[k].low, g->safe[k].low), high = fmax(g->box[k].high, g->safe[k].high), more = 0.25 * (high - low);
    g->box[k] = g->formula->place[k] > g->n ? g->box[k] : (hml_range){low - more, high + more};
  }
  if (finding_in_box(g, 0) == g->safe_finding) memcpy(g->safe, g->box, g->n_in * sizeof *g->safe);
  else g->wait = WAIT;
}

void hml_guard__forget(hml_guard *g) {
  g->safe_finding = HML_GUARD_OPEN;
  g->wait = 0;
}

hml_guard_verdict hml_guard__over_step(hml_guard *g, const hml_step *s, const double *piece, double level) {
  fill_box_of_step(g, s, piece);
  if (level == 0 && is_safe(g)) return g->safe_finding;
  hml_guard_verdict finding = finding_in_box(g, level);
  if (level != 0 || finding == HML_GUARD_OPEN) return finding;
  if (finding != g->safe_finding || g->wait) memcpy(g->safe, g->box, g->n_in * sizeof *g->safe);
  g->safe_finding = finding;
  if (g->wait) g->wait--;
  else enlarge_safe(g);
  return finding;
}

hml_status hml_guard__over(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b, hml_guard_verdict *verdict) {
  double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 4 * DBL_EPSILON);
  hml_range values, both[2];
  *verdict = HML_GUARD_OPEN;
  HML_TRY(need_rate(g));
  fill_box(g, s, piece, m, r, true);
  hml_range_kind kind = range_of_values(g, level, &values);
  if (kind == HML_RANGE_UNDEFINED) return HML_OK;
  if (one_sign(values)) return *verdict = free_of_roots(values), HML_OK;
  if (kind == HML_RANGE_JUMPS) return HML_OK;
  // without a rate, as at the root of a square, the values alone may still be zero to rounding
  bool known = hml_program__range(g->rate, g->box, g->rate_values, both) != HML_RANGE_UNDEFINED;
  hml_range rate = both[1];
  if (known && one_sign(rate)) return *verdict = HML_GUARD_MONOTONE, HML_OK;
  fill_box(g, s, piece, m, 0, false);
  hml_range middle;
  if (range_of_values(g, level, &middle) == HML_RANGE_UNDEFINED) return HML_OK;
  double steepest = known ? fmax(-rate.low, rate.high) : INFINITY, noise = 0.5 * (middle.high - middle.low);
  values.low = fmax(values.low, middle.low - steepest * r);
  values.high = fmin(values.high, middle.high + steepest * r);
  if (one_sign(values)) *verdict = free_of_roots(values);
  else if (within_noise(values, noise)) *verdict = known ? HML_GUARD_FLAT : HML_GUARD_FAINT;
  return HML_OK;
}

bool hml_guard__may_vanish(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b) {
  hml_range value;
  fill_box(g, s, piece, 0.5 * (a + b), 0.5 * (b - a) * (1 + 4 * DBL_EPSILON), false);
  return range_of_values(g, level, &value) != HML_RANGE_UNDEFINED && !one_sign(value);
}

bool hml_guard__is_clear(hml_guard *g, const hml_step *s, const double *piece, double level, double theta) {
  hml_range value;
  fill_box(g, s, piece, theta, 0, false);
  return range_of_values(g, level, &value) == HML_RANGE_UNDEFINED || !within_noise(value, 0.5 * (value.high - value.low));
}

hml_status hml_guard__rate(hml_guard *g, const hml_step *s, const double *piece, double theta, double *rate) {
  hml_range both[2];
  HML_TRY(need_rate(g));
  fill_box(g, s, piece, theta, 0, true);
  bool known = hml_program__range(g->rate, g->box, g->rate_values, both) != HML_RANGE_UNDEFINED;
  *rate = known ? 0.5 * (both[1].low + both[1].high) : NAN;
  return HML_OK;
}
