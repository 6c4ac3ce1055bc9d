// tube.c: forces that act only within a short part of a step: narrow bumps and walls, pulses in time. A method that samples its step, or
// expands a series at its start, may miss them, and so may its error estimate.
//
// From ranges of all states over the step, its tube, come ranges of all that x' is computed from. Where an exponential, a hyperbolic function or
// a high power has a range wider than a smooth motion gives it between two points, the step is made shorter. So is a step over which a denominator
// may fall far below its values at both ends: stages in the tails of a bump see a small error, not none, and a series that begins far from it has terms
// so small that the natural motion hides them.
// Forces of contacts are no part of the model's x': those who add them are asked with the same ranges.
#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

#define FELT 1e-3                      // of a speed
#define OPEN 2.0                       // the step is halved until ranges have bounds

struct hml_tube {
  hml_context *context;
  const hml_ode *ode;
  hml_formula formula;                 // without a program: of x' nothing is known
  hml_sharp *sharp;                    // functions that may change within a short part of a step
  size_t inputs, outputs;
  hml_range *over, *from, *to;         // ranges of t and the states over the step, at its start, at its end
  hml_range *box, *out, *values, *start, *end;         // ranges of the inputs, of the outputs; of all values, and at the ends of the step
  bool knows_ends;                     // start and end are the values at the points in from and to
  double *settled;                     // inputs that do not move, for which what no state changes was settled   (inputs - moving)
  bool is_settled, strict;             // strict: ranges without bounds are too wide
  size_t size;                         // bytes of the memory
};

void hml_tube__close(hml_tube *g) {
  if (!g) return;
  hml_sharp__free(g->sharp);
  hml_dealloc(g->context, g->over, g->size);
  hml_dealloc(g->context, g, sizeof *g);
}

static size_t values_of(const hml_tube *g) {
  return g->sharp ? hml_sharp__room(g->sharp) + 1 : 0;
}

static hml_status take_room(hml_tube *g) {
  if (g->formula.watched) HML_TRY(hml_program__sharp(g->context, g->formula.watched, &g->sharp));
  const size_t moving = 1 + g->formula.states, values = values_of(g);
  g->size = (3 * moving + 2 * g->inputs + g->outputs + 3 * values) * sizeof *g->over;
  g->over = hml_alloc(g->context, g->size);
  if (!g->over) return HML_MEMORY;
  g->from = g->over + moving;
  g->to = g->from + moving;
  g->box = g->to + moving;
  g->out = g->box + g->inputs;
  g->values = g->out + g->outputs;
  g->start = g->values + values;
  g->end = g->start + values;
  g->settled = (double *)(g->end + values);
  return HML_OK;
}

hml_status hml_tube__open(const hml_problem *p, hml_workspace *w, bool adaptive, hml_tube **out) {
  hml_formula f = hml_model_run__formula(w);
  *out = NULL;
  if (!f.watched && !p->ode->stretch) return HML_OK;
  hml_tube *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (hml_tube){.context = p->context, .ode = p->ode, .formula = f};
  if (f.watched) g->inputs = hml_program_inputs(f.watched), g->outputs = hml_program_outputs(f.watched);
  hml_status status = take_room(g);
  if (status != HML_OK) {
    hml_tube__close(g);
    return status;
  }
  if (adaptive && g->sharp) hml_sharp__ignore_parts(g->sharp);
  *out = g;
  return HML_OK;
}

static void include(double c, hml_range *x) {
  x->low += c < 0 ? c : 0;             // without a branch, which no processor could predict
  x->high += c < 0 ? 0 : c;
}

// On the cubic through both ends with their slopes: x = y + theta (a + (1 - theta) (b + theta c)), each product between 0 and its peak
static hml_range over_step(const hml_step *s, size_t i) {
  double a = s->y1[i] - s->y[i], b = s->h * s->f[i] - a, c = a - s->h * s->f1[i] - b;
  hml_range x = {s->y[i], s->y[i]};
  include(a, &x);
  include(b / 4, &x);
  include(4 * c / 27, &x);
  return x;
}

static void fill_over(hml_tube *g, const hml_step *s) {
  g->over[0] = (hml_range){fmin(s->t, s->t1), fmax(s->t, s->t1)};
  for (size_t i = 0; i < g->formula.states; i++) g->over[1 + i] = over_step(s, i);
}

static void fill_point(const hml_tube *g, double t, const double *y, hml_range *point) {
  point[0] = (hml_range){t, t};
  for (size_t i = 0; i < g->formula.states; i++) point[1 + i] = (hml_range){y[i], y[i]};
}

static void fill_box(hml_tube *g, const hml_range *moving) {
  const size_t n = 1 + g->formula.states;
  memcpy(g->box, moving, n * sizeof *moving);
  for (size_t k = n; k < g->inputs; k++) g->box[k] = (hml_range){g->formula.constants[k - n], g->formula.constants[k - n]};
}

static void fill_values(hml_tube *g, const hml_range *moving, hml_range *values) {
  fill_box(g, moving);
  hml_program__range(g->formula.watched, g->box, values, g->out);
}

static void fill_values_at(hml_tube *g, const hml_range *point, hml_range *values) {
  fill_box(g, point);
  hml_sharp__values(g->sharp, g->box, values);
}

// Functions that move little whatever the time and the state, as long as parameters stay as they are
static void settle(hml_tube *g) {
  const size_t n = 1 + g->formula.states, bytes = (g->inputs - n) * sizeof(double);
  if (g->is_settled && memcmp(g->settled, g->formula.constants, bytes) == 0) return;
  for (size_t k = 0; k < n; k++) g->over[k] = (hml_range){-INFINITY, INFINITY};
  fill_box(g, g->over);
  hml_sharp__settle(g->sharp, g->box, g->values);
  memcpy(g->settled, g->formula.constants, bytes);
  g->is_settled = true;
  g->knows_ends = false;
}

static void swap(hml_range **a, hml_range **b) {
  hml_range *const kept = *a;
  *a = *b, *b = kept;
}

// At both ends of the step. Its start is mostly the end of the last one, or the start of one that is made again; g->box serves as the new point
static void fill_ends(hml_tube *g, const hml_step *s) {
  const size_t bytes = (1 + g->formula.states) * sizeof *g->from;
  fill_point(g, s->t, s->y, g->box);
  if (g->knows_ends && memcmp(g->box, g->to, bytes) == 0) {
    swap(&g->from, &g->to);
    swap(&g->start, &g->end);
  } else if (!g->knows_ends || memcmp(g->box, g->from, bytes) != 0) {
    memcpy(g->from, g->box, bytes);
    fill_values_at(g, g->from, g->start);
  }
  fill_point(g, s->t1, s->y1, g->to);
  fill_values_at(g, g->to, g->end);
  g->knows_ends = true;
}

// Of what the model's x' is computed from
static double of_formula(hml_tube *g, const hml_step *s) {
  fill_box(g, g->over);
  hml_sharp__ranges(g->sharp, g->box, g->values);
  double change = hml_sharp__change(g->sharp, g->values);
  const bool may_dip = hml_sharp__may_dip(g->sharp, g->values);
  if (!may_dip && !g->strict) return change;
  fill_ends(g, s);
  if (g->strict && hml_sharp__is_open(g->sharp, g->values, g->start)) return fmax(change, OPEN);
  if (!may_dip) return change;
  return fmax(change, hml_sharp__dip(g->sharp, g->values, g->start, g->end, false));
}

void hml_tube__keep_digits(hml_tube *g, double window) {
  if (!g || !g->sharp) return;
  g->strict = true;
  hml_sharp__widen(g->sharp, window);
}

double hml_tube__stretch(hml_tube *g, const hml_step *s) {
  if (!g) return 0;
  if (g->sharp) settle(g);
  const bool reads = g->sharp && hml_sharp__reads(g->sharp);             // else x' has no parts that may come and go
  if (!reads && !g->ode->stretch) return 0;
  fill_over(g, s);
  double most = reads ? of_formula(g, s) : 0;
  if (!g->ode->stretch) return most;
  g->knows_ends = false;
  fill_point(g, s->t, s->y, g->from);
  fill_point(g, s->t1, s->y1, g->to);
  return fmax(most, g->ode->stretch(g->ode->payload, g->over, g->from, g->to, false));
}

// ---- steps that take the forces in their middle, whatever these do beside it

static void fill_middle(const hml_tube *g, const hml_step *s, hml_range *point) {
  double t = s->t + 0.5 * s->h;
  point[0] = (hml_range){t, t};
  for (size_t i = 0; i < g->formula.states; i++) {
    double y = 0.5 * (s->y[i] + s->y1[i]);
    point[1 + i] = (hml_range){y, y};
  }
}

// A velocity that may change by a part of `speed` although x' is small in the middle
static bool bulges(const hml_tube *g, const hml_step *s, size_t first, size_t count, const double *speed) {
  for (size_t i = 0; i < count; i++) {
    const size_t at = hml_program__output(g->formula.watched, first + i);
    const hml_range over = g->values[at];
    if (!hml_range__bulges(over, g->start[at])) continue;
    if (!(fmax(fabs(over.low), fabs(over.high)) * fabs(s->h) <= FELT * speed[i])) return true;
  }
  return false;
}

bool hml_tube__hides(hml_tube *g, const hml_step *s, size_t first, size_t count, const double *speed) {
  if (!g) return false;
  if (g->sharp) settle(g);
  g->knows_ends = false;
  fill_over(g, s);
  fill_middle(g, s, g->from);
  if (g->ode->stretch && g->ode->stretch(g->ode->payload, g->over, g->from, g->from, true) > 1) return true;
  if (!g->formula.watched) return false;
  fill_values(g, g->over, g->values);
  fill_values(g, g->from, g->start);
  return hml_sharp__change(g->sharp, g->values) > 1 || hml_sharp__dip(g->sharp, g->values, g->start, g->start, true) > 1 ||
         (g->formula.watches_rates && bulges(g, s, first, count, speed));
}
