// guard.c: one guard that is an expression, over a part of a step: its ranges and those of its rate along the step's polynomial.
// What follows from them is event.c's business.
//
// With theta from 0 to 1 over the step every moving input is a polynomial x(theta), rewritten about the middle m of the part:
// x = p_0 + p_1 s + p_2 s^2 + ..., |s| <= r. From ranges of x and x' the guard's program gives a range G of its values, its tangent program
// a range R of its rate, and so also g(m) + R [-r, r]. The first is enough where the guard is far from zero; the last closes in on the
// values with the square of r. All ranges are wider than the rounding errors: a range without zero is a proof.
//
// A guard that is affine in its moving inputs, as most gaps are, is such a polynomial itself, its line: no program is run for it.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { WAIT = 32 };                    // steps
#define BEND 128                       // the second derivatives of the products that multiply the pieces are no larger

struct hml_guard {
  hml_context *context;
  const hml_guard_formula *formula;
  size_t n, pieces;                    // components of the state; pieces of the polynomials
  size_t n_in, n_moving;
  uint32_t *moving;                    // inputs that are time or a component                 (n_moving)
  double *in, *work;                   // inputs; of the program
  double *p, *p_size;                  // of each moving input: coefficients about `middle` (pieces + 2); size of the terms of higher order
  double middle;                       // NAN: these are of no step
  double *peaks;                       // largest values of the products that multiply the pieces   (pieces)
  hml_range *box, *values;             // ranges of the inputs, of their rates behind them; scratch
  hml_range *safe[2];                  // ranges of the inputs in which the guard is below zero, and above it     (n_in)
  bool has_safe[2];                    // such ranges are known
  bool *reads;                         // inputs that the program reads                             (n_in)
  const double *errors;                // by which components may be off, see hml_guard__widen; NULL: by nothing
  bool clear;                          // over the present step the values are clear of zero by them
  unsigned wait[2];                    // steps until larger ranges of each sign are tried again
  enum { NOT_TRIED, AFFINE, NOT_AFFINE } kind, was;   // was: with the constants below
  double *tried_with;                  // inputs that do not move                                     (n_in)
  double *slope;                       // of an affine guard by its moving inputs, then the rest; errors of these behind them  (2 (n_moving + 1))
  double *line;                        // its polynomial on the step, in the form of dense.c               (pieces + 1)
  bool has_line;                       // of the present step
  double line_noise, piece_noise;      // errors of its start, and of the terms of higher order
  void *affine_work;
  size_t affine_size;
  void *memory;
  size_t size;
  const hml_program *rate;             // the tangent along the moving inputs; NULL: not yet built
  hml_program *own_rate;               // that, where the formula has none
  hml_range *rate_values;
  size_t rate_size;
};

static void *part(char *block, size_t *at, size_t bytes) {
  char *here = block ? block + *at : NULL;
  *at += (bytes + 15) / 16 * 16;
  return here;
}

static size_t lay_out(hml_guard *g, char *block) {
  size_t at = 0, values = hml_program__values(g->formula->program);
  g->in = part(block, &at, g->n_in * sizeof *g->in);
  g->tried_with = part(block, &at, g->n_in * sizeof *g->tried_with);
  g->work = part(block, &at, hml_program_work_size(g->formula->program) * sizeof *g->work);
  g->p = part(block, &at, g->n_in * (g->pieces + 2) * sizeof *g->p);
  g->p_size = part(block, &at, g->n_in * sizeof *g->p_size);
  g->slope = part(block, &at, 2 * (g->n_in + 1) * sizeof *g->slope);
  g->line = part(block, &at, (g->pieces + 1) * sizeof *g->line);
  g->peaks = part(block, &at, g->pieces * sizeof *g->peaks);
  g->box = part(block, &at, (2 * g->n_in + 1) * sizeof *g->box);
  for (int side = 0; side < 2; side++) g->safe[side] = part(block, &at, g->n_in * sizeof **g->safe);
  g->values = part(block, &at, (values + 1) * sizeof *g->values);
  g->moving = part(block, &at, g->n_in * sizeof *g->moving);
  g->reads = part(block, &at, g->n_in * sizeof *g->reads);
  return at;
}

void hml_guard__close(hml_guard *g) {
  if (!g) return;
  hml_program_free(g->own_rate);
  hml_dealloc(g->context, g->rate_values, g->rate_size);
  hml_dealloc(g->context, g->affine_work, g->affine_size);
  hml_dealloc(g->context, g->memory, g->size);
  hml_dealloc(g->context, g, sizeof *g);
}

hml_status hml_guard__open(const hml_problem *p, const hml_guard_formula *f, hml_guard **out) {
  hml_guard *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (hml_guard){.context = p->context, .formula = f, .n = p->n, .pieces = p->pieces, .n_in = hml_program_inputs(f->program), .middle = NAN};
  g->size = lay_out(g, NULL) + 1;
  g->memory = hml_alloc(p->context, g->size);
  if (!g->memory) {
    hml_guard__close(g);
    return HML_MEMORY;
  }
  lay_out(g, g->memory);
  for (size_t k = 0; k < g->n_in; k++) {
    g->reads[k] = hml_program__reads(f->program, k);
    if (f->place[k] <= g->n) g->moving[g->n_moving++] = (uint32_t)k;
  }
  for (size_t k = 0; k < g->pieces; k++) g->peaks[k] = hml_dense__peak(k);
  *out = g;
  return HML_OK;
}

static bool moves(const hml_guard *g, size_t input) {
  return g->formula->place[input] <= g->n;
}

static double constant(const hml_guard *g, size_t input) {
  return g->formula->constants[g->formula->place[input] - g->n - 1];
}

double hml_guard__value(hml_guard *g, double t, const double *y) {
  const uint32_t *place = g->formula->place;
  double value;
  for (size_t k = 0; k < g->n_in; k++) g->in[k] = place[k] == 0 ? t : moves(g, k) ? y[place[k] - 1] : constant(g, k);
  hml_program_eval(g->formula->program, g->in, &value, g->work);
  return value;
}

// y + theta (c_0 + (1 - theta)(c_1 + ...))
static double on_polynomial(const hml_guard *g, double y, const double *c, size_t stride, double theta) {
  double x = c[(g->pieces - 1) * stride];
  for (size_t k = g->pieces - 1; k-- > 0;) x = c[k * stride] + (k % 2 == 0 ? 1 - theta : theta) * x;
  return y + theta * x;
}

// ---- guards that are affine

// Its value and its slope by theta: the nested sum and its derivative, from the inside
static double slope_of_line(const hml_guard *g, double theta, double *value) {
  const double *c = g->line + 1;
  double x = c[g->pieces - 1], dx = 0;
  for (size_t k = g->pieces - 1; k-- > 0;) {
    bool falls = k % 2 == 0;
    dx = falls ? (1 - theta) * dx - x : theta * dx + x;
    x = c[k] + (falls ? 1 - theta : theta) * x;
  }
  *value = g->line[0] + theta * x;
  return theta * dx + x;
}

// Does the last trial hold? It depends on the inputs that do not move alone
static bool holds_still(hml_guard *g) {
  bool same = g->was != NOT_TRIED;
  for (size_t k = 0; k < g->n_in; k++) {
    if (moves(g, k)) continue;
    same = same && g->tried_with[k] == constant(g, k);
    g->tried_with[k] = constant(g, k);
  }
  return same;
}

// Where the constants are new
static hml_status try_affine(hml_guard *g) {
  const hml_program *program = g->formula->program;
  if (holds_still(g)) {
    g->kind = g->was;
    return HML_OK;
  }
  g->was = g->kind = NOT_AFFINE;
  if (!g->affine_work) {
    g->affine_size = hml_program__affine_size(program, g->n_moving);
    g->affine_work = hml_alloc(g->context, g->affine_size);
    if (!g->affine_work) return HML_MEMORY;
  }
  for (size_t k = 0; k < g->n_in; k++) g->box[k] = moves(g, k) ? (hml_range){-INFINITY, INFINITY} : (hml_range){constant(g, k), constant(g, k)};
  hml_range *found = g->box + g->n_in;
  if (!hml_program__affine(program, g->n_moving, g->moving, g->box, g->affine_work, found)) return HML_OK;
  for (size_t k = 0; k <= g->n_moving; k++) {
    g->slope[k] = 0.5 * (found[k].low + found[k].high);
    g->slope[g->n_moving + 1 + k] = 0.5 * (found[k].high - found[k].low) + DBL_EPSILON * fabs(g->slope[k]);
  }
  g->was = g->kind = AFFINE;
  return HML_OK;
}

// The line of the present step, where the guard is affine
static bool need_line(hml_guard *g, const hml_step *s, const double *piece) {
  const double units = 4 * DBL_EPSILON, *error = g->slope + g->n_moving + 1;
  double *c = g->line + 1;
  if (g->kind != AFFINE) return false;
  if (g->has_line) return true;
  g->has_line = true;
  g->line[0] = hml_guard__value(g, s->t, s->y);
  g->line_noise = error[g->n_moving];
  g->piece_noise = 0;
  for (size_t j = 0; j < g->pieces; j++) c[j] = 0;
  for (size_t k = 0; k < g->n_moving; k++) {
    uint32_t place = g->formula->place[g->moving[k]];
    double slope = g->slope[k], doubt = error[k] + units * fabs(slope), size = 0;
    if (place == 0) {
      c[0] += slope * s->h;
      g->line_noise += doubt * fmax(fabs(s->t), fabs(s->t1));
      continue;
    }
    for (size_t j = 0; j < g->pieces; j++) {
      double one = piece[j * g->n + place - 1];
      c[j] += slope * one;
      size += fabs(one);
    }
    g->line_noise += doubt * fabs(s->y[place - 1]);
    g->piece_noise += doubt * size;
  }
  return true;
}

hml_status hml_guard__enter(hml_guard *g) {
  g->middle = NAN;
  g->has_line = false;
  g->clear = false;
  return g->kind == NOT_TRIED ? try_affine(g) : HML_OK;
}

double hml_guard__value_on(hml_guard *g, const hml_step *s, const double *piece, double theta) {
  const uint32_t *place = g->formula->place;
  double value;
  if (theta == 1) return hml_guard__value(g, s->t1, s->y1);
  if (need_line(g, s, piece)) return on_polynomial(g, g->line[0], g->line + 1, 1, theta);
  for (size_t k = 0; k < g->n_in; k++)
    g->in[k] = place[k] == 0 ? s->t + theta * s->h
               : !g->reads[k] ? 0
               : moves(g, k)  ? on_polynomial(g, s->y[place[k] - 1], piece + place[k] - 1, g->n, theta)
                              : constant(g, k);
  hml_program_eval(g->formula->program, g->in, &value, g->work);
  return value;
}

// ---- ranges of the inputs

static hml_range about(double middle, double reach) {
  return (hml_range){middle - reach, middle + reach};
}

// Over the whole step, from the peaks: theta (c_0 + (1 - theta)(c_1 + ...)) has each c_k times a product between 0 and its peak
static hml_range over_step(const hml_guard *g, double y, const double *piece, size_t stride) {
  const double *peak = g->peaks, *const end = peak + g->pieces;
  double down = 0, up = 0;
  for (; peak < end; peak++, piece += stride) {
    const double c = *piece * *peak;
    down += c < 0 ? c : 0;
    up += c < 0 ? 0 : c;
  }
  const double slack = 6 * DBL_EPSILON * (fabs(y) + up - down);
  return (hml_range){y + down - slack, y + up + slack};
}

// The values of p within r of its middle, and its rates
static void spread(const hml_guard *g, const double *p, double r, double noise, double rate_noise, hml_range *x, hml_range *rate) {
  double reach = noise, change = 0, power = 1;
  for (size_t j = 1; j <= g->pieces; j++) {
    if (j > 1) change += (double)j * fabs(p[j]) * power;
    power *= r;
    reach += fabs(p[j]) * power;
  }
  *x = about(p[0], reach);
  *rate = about(p[1], change + rate_noise);
}

// Of an affine guard
static void spread_line(hml_guard *g, double m, double r, hml_range *x, hml_range *rate) {
  if (m != g->middle) hml_dense__recentre(g->pieces, g->line[0], g->line + 1, 1, m, g->p);
  g->middle = m;
  spread(g, g->p, r, g->line_noise + (m + r) * g->piece_noise, g->piece_noise, x, rate);
}

// At one point nothing is recentred
static hml_range value_of_line(const hml_guard *g, double theta, double level) {
  return about(on_polynomial(g, g->line[0], g->line + 1, 1, theta) - level, g->line_noise + theta * g->piece_noise);
}

static void recentre_all(hml_guard *g, const hml_step *s, const double *piece, double m) {
  const uint32_t *place = g->formula->place;
  for (size_t k = 0; k < g->n_moving; k++) {
    size_t i = place[g->moving[k]];
    if (i > 0 && g->reads[g->moving[k]]) g->p_size[k] = hml_dense__recentre(g->pieces, s->y[i - 1], piece + i - 1, g->n, m, g->p + k * (g->pieces + 2));
  }
  g->middle = m;
}

// Ranges of all inputs for theta within r of m, and of their rates by theta behind them
static void fill_box(hml_guard *g, const hml_step *s, const double *piece, double m, double r) {
  const uint32_t *place = g->formula->place;
  const double units = 4 * DBL_EPSILON;
  size_t moving = 0;
  if (m != g->middle) recentre_all(g, s, piece, m);
  for (size_t k = 0; k < g->n_in; k++) {
    hml_range *x = g->box + k, *rate = g->box + g->n_in + moving;
    if (!moves(g, k)) {
      *x = (hml_range){constant(g, k), constant(g, k)};
      continue;
    }
    if (place[k] == 0) {
      *x = about(s->t + m * s->h, r * fabs(s->h) + 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1)));
      *rate = (hml_range){s->h, s->h};
    } else if (!g->reads[k]) {
      *x = *rate = (hml_range){0, 0};
    } else {
      // near the start of the step little of the pieces enters, and little of their rounding errors
      double size = g->p_size[moving], noise = units * (fabs(s->y[place[k] - 1]) + (m + r) * size);
      spread(g, g->p + moving * (g->pieces + 2), r, noise, units * size, x, rate);
    }
    moving++;
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

static hml_range_kind range_in_box(hml_guard *g, double level, hml_range *values) {
  hml_range_kind kind = hml_program__range(g->formula->program, g->box, g->values, values);
  values->low -= level;
  values->high -= level;
  return kind;
}

// Values less the level for theta within r of m; of an affine guard also its rates
static hml_range_kind range_about(hml_guard *g, const hml_step *s, const double *piece, double level, double m, double r, hml_range *values, hml_range *rate) {
  if (!need_line(g, s, piece)) {
    fill_box(g, s, piece, m, r);
    return range_in_box(g, level, values);
  }
  spread_line(g, m, r, values, rate);
  values->low -= level;
  values->high -= level;
  return HML_RANGE_CONTINUOUS;
}

// Rates in the box that has been filled
static bool rate_in_box(hml_guard *g, hml_range *rate) {
  hml_range both[2];
  if (hml_program__range(g->rate, g->box, g->rate_values, both) == HML_RANGE_UNDEFINED) return false;
  *rate = both[1];
  return true;
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
  hml_range_kind kind = range_in_box(g, level, &values);
  return kind != HML_RANGE_UNDEFINED && one_sign(values) ? free_of_roots(values) : HML_GUARD_OPEN;
}

static void fill_box_of_step(hml_guard *g, const hml_step *s, const double *piece) {
  const uint32_t *place = g->formula->place;
  double middle = 0.5 * (s->t + s->t1);
  for (size_t k = 0; k < g->n_in; k++) {
    if (!g->reads[k]) {                // any value will do
      g->box[k] = (hml_range){0, 0};
      continue;
    }
    double fixed = moves(g, k) ? 0 : constant(g, k), error = g->errors && place[k] > 0 && moves(g, k) ? g->errors[place[k] - 1] : 0;
    g->box[k] = !moves(g, k)   ? (hml_range){fixed, fixed}
                : place[k] > 0 ? over_step(g, s->y[place[k] - 1], piece + place[k] - 1, g->n)
                               : about(middle, (0.5 + 4 * DBL_EPSILON) * fabs(s->h) + 2 * DBL_EPSILON * fabs(middle));
    g->box[k].low -= error, g->box[k].high += error;
  }
}

void hml_guard__widen(hml_guard *g, const double *errors) {
  g->errors = errors;
}

bool hml_guard__clear(const hml_guard *g) {
  return g->clear;
}

static bool is_safe(const hml_guard *g, int side) {
  const hml_range *safe = g->safe[side];
  if (!g->has_safe[side]) return false;
  for (size_t k = 0; k < g->n_in; k++)
    if (!(g->box[k].low >= safe[k].low && g->box[k].high <= safe[k].high)) return false;
  return true;
}

// The safe ranges together with those of the step, `own`, and `more` of their lengths on both sides, if the guard has the sign there
static bool grows(hml_guard *g, int side, const hml_range *own, double more) {
  hml_range *safe = g->safe[side];
  for (size_t k = 0; k < g->n_in; k++) {
    const double low = fmin(own[k].low, safe[k].low), high = fmax(own[k].high, safe[k].high), longer = more * (high - low);
    g->box[k] = g->formula->place[k] > g->n || !g->reads[k] ? own[k] : (hml_range){low - longer, high + longer};
  }
  if (finding_in_box(g, 0) != (side ? HML_GUARD_ABOVE : HML_GUARD_BELOW)) return false;
  for (size_t k = 0; k < g->n_in; k++)
    if (g->reads[k]) safe[k] = g->box[k];
  return true;
}

// In the box of the step the guard has one sign. The safe ranges grow, so that the next steps need no look at the guard
static void learn(hml_guard *g, int side) {
  hml_range *own = g->box + g->n_in, *safe = g->safe[side];
  memcpy(own, g->box, g->n_in * sizeof *own);
  if (!g->has_safe[side])
    for (size_t k = 0; k < g->n_in; k++) safe[k] = g->reads[k] ? own[k] : (hml_range){-INFINITY, INFINITY};
  g->has_safe[side] = true;
  if (g->wait[side]) g->wait[side]--;
  else if (grows(g, side, own, 0.25)) return;
  else g->wait[side] = WAIT;
  if (grows(g, side, own, 0)) return;
  for (size_t k = 0; k < g->n_in; k++)
    if (g->reads[k]) safe[k] = own[k];
}

void hml_guard__forget(hml_guard *g) {
  g->kind = NOT_TRIED;
  for (int side = 0; side < 2; side++) g->has_safe[side] = false, g->wait[side] = 0;
}

const hml_range *hml_guard__safe(const hml_guard *g, int sign) {
  return g->has_safe[sign > 0] ? g->safe[sign > 0] : NULL;
}

// Cheap, and false for most steps that leave the safe ranges
static bool ends_safely(const hml_guard *g, const hml_step *s, int side) {
  const hml_range *safe = g->safe[side];
  for (size_t k = 0; k < g->n_in; k++) {
    const uint32_t place = g->formula->place[k];
    if (g->reads[k] && place > 0 && moves(g, k) && !(s->y1[place - 1] >= safe[k].low && s->y1[place - 1] <= safe[k].high)) return false;
  }
  return true;
}

bool hml_guard__keeps(hml_guard *g, const hml_step *s, const double *piece, int sign) {
  const int side = sign > 0;
  if (!g->has_safe[side] || g->kind == NOT_TRIED || !ends_safely(g, s, side)) return false;
  fill_box_of_step(g, s, piece);
  if (!is_safe(g, side)) return false;
  g->middle = NAN;
  g->has_line = false;
  g->clear = true;
  return true;
}

hml_guard_verdict hml_guard__over_step(hml_guard *g, const hml_step *s, const double *piece, double level) {
  fill_box_of_step(g, s, piece);
  for (int side = 0; side < 2 && level == 0; side++) {
    g->clear = is_safe(g, side);
    if (g->clear) return side ? HML_GUARD_ABOVE : HML_GUARD_BELOW;
  }
  hml_guard_verdict finding = finding_in_box(g, level);
  g->clear = level == 0 && finding != HML_GUARD_OPEN;
  if (g->clear) learn(g, finding == HML_GUARD_ABOVE);
  return finding;
}

hml_status hml_guard__over(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b, hml_guard_verdict *verdict) {
  double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 4 * DBL_EPSILON);
  hml_range values, rate, middle, ignored;
  *verdict = HML_GUARD_OPEN;
  if (g->kind != AFFINE) HML_TRY(need_rate(g));
  hml_range_kind kind = range_about(g, s, piece, level, m, r, &values, &rate);
  if (kind == HML_RANGE_UNDEFINED) return HML_OK;
  if (one_sign(values)) return *verdict = free_of_roots(values), HML_OK;
  if (kind == HML_RANGE_JUMPS) return HML_OK;
  // without a rate, as at the root of a square, the values alone may still be zero to rounding
  bool known = g->kind == AFFINE || rate_in_box(g, &rate);
  if (known && one_sign(rate)) return *verdict = HML_GUARD_MONOTONE, HML_OK;
  if (range_about(g, s, piece, level, m, 0, &middle, &ignored) == HML_RANGE_UNDEFINED) return HML_OK;
  double steepest = known ? fmax(-rate.low, rate.high) : INFINITY, noise = 0.5 * (middle.high - middle.low);
  values.low = fmax(values.low, middle.low - steepest * r);
  values.high = fmin(values.high, middle.high + steepest * r);
  if (one_sign(values)) *verdict = free_of_roots(values);
  else if (within_noise(values, noise)) *verdict = known ? HML_GUARD_FLAT : HML_GUARD_FAINT;
  return HML_OK;
}

static double error_of(const hml_guard *g, size_t moving) {
  const uint32_t place = g->formula->place[g->moving[moving]];
  return place > 0 ? g->errors[place - 1] : 0;
}

hml_guard_near hml_guard__near(hml_guard *g, const hml_step *s, const double *piece, double m, double r, bool rates) {
  hml_guard_near out = {.kind = HML_RANGE_CONTINUOUS, .wide_kind = HML_RANGE_CONTINUOUS, .has_rates = true};
  if (need_line(g, s, piece)) {
    double error = 0;
    spread_line(g, m, r, &out.values, &out.rates);
    for (size_t k = 0; k < g->n_moving; k++) error += fabs(g->slope[k]) * error_of(g, k);
    out.wide = (hml_range){out.values.low - error, out.values.high + error};
    return out;
  }
  fill_box(g, s, piece, m, r);
  out.kind = range_in_box(g, 0, &out.values);
  out.has_rates = rates && out.kind == HML_RANGE_CONTINUOUS && need_rate(g) == HML_OK && rate_in_box(g, &out.rates);
  for (size_t k = 0; k < g->n_moving; k++) g->box[g->moving[k]].low -= error_of(g, k), g->box[g->moving[k]].high += error_of(g, k);
  out.wide_kind = range_in_box(g, 0, &out.wide);
  return out;
}

bool hml_guard__may_vanish(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b) {
  hml_range value, ignored;
  double m = 0.5 * (a + b), r = 0.5 * (b - a) * (1 + 4 * DBL_EPSILON);
  if (a == b && need_line(g, s, piece)) return !one_sign(value_of_line(g, a, level));
  return range_about(g, s, piece, level, m, r, &value, &ignored) != HML_RANGE_UNDEFINED && !one_sign(value);
}

bool hml_guard__is_clear(hml_guard *g, const hml_step *s, const double *piece, double level, double theta) {
  hml_range value, ignored;
  if (need_line(g, s, piece)) return !within_noise(value_of_line(g, theta, level), g->line_noise + theta * g->piece_noise);
  return range_about(g, s, piece, level, theta, 0, &value, &ignored) == HML_RANGE_UNDEFINED || !within_noise(value, 0.5 * (value.high - value.low));
}

// With g(0) - level >= 0 and g(top) > 0 of a concave guard (or all signs turned), no root lies between them, and one at most behind the top.
// g(0) = level is enough where the guard leaves it to that side. Everything is clear of its rounding errors.
bool hml_guard__is_arc(hml_guard *g, const hml_step *s, const double *piece, double level, signed char side, hml_arc *out) {
  const double m = 0.5, r = 0.5;
  if (!side || g->pieces < 3 || !need_line(g, s, piece)) return false;
  const double *p = g->p, noise = 4 * (g->line_noise + g->piece_noise), start = side * (g->line[0] - level);
  if (start != 0 ? !(start > noise) : !(side * (g->line[1] + g->line[2]) > 4 * g->piece_noise)) return false;
  if (m != g->middle) hml_dense__recentre(g->pieces, g->line[0], g->line + 1, 1, m, g->p);
  g->middle = m;
  double change = BEND * g->piece_noise, power = 1;
  for (size_t j = 3; j <= g->pieces; j++) {
    power *= r;
    change += (double)(j * (j - 1)) * fabs(p[j]) * power;
  }
  if (!(side * 2 * p[2] < -change)) return false;
  out->top = m + fmax(-r, fmin(-0.5 * p[1] / p[2], r));
  out->at_top = on_polynomial(g, g->line[0], g->line + 1, 1, out->top);
  out->at_end = g->line[0] + g->line[1];
  // the level counts no longer once the guard has left it far behind
  return side * out->at_top > 4 * fabs(level) + noise && fabs(out->at_end) > noise;
}

bool hml_guard__slope_on(hml_guard *g, const hml_step *s, const double *piece, double theta, double *value, double *slope) {
  if (!need_line(g, s, piece)) return false;
  *slope = slope_of_line(g, theta, value);
  return true;
}

hml_status hml_guard__rate(hml_guard *g, const hml_step *s, const double *piece, double theta, double *rate) {
  hml_range value, both;
  double here;
  if (hml_guard__slope_on(g, s, piece, theta, &here, rate)) return HML_OK;
  HML_TRY(need_rate(g));
  range_about(g, s, piece, 0, theta, 0, &value, &both);
  bool known = rate_in_box(g, &both);
  *rate = known ? 0.5 * (both.low + both.high) : NAN;
  return HML_OK;
}
