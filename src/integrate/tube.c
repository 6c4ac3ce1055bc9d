// tube.c: forces that act only within a short part of a step: narrow bumps and walls, pulses in time. A method that samples its step, or
// expands a series at its start, may miss them, and so may its error estimate.
//
// From ranges of all states over the step, its tube, follow ranges of all values from which x' is computed. If the range of an exponential,
// a hyperbolic function or a high power is wider than a smooth motion gives it between two points, the step is made shorter. So is a step
// whose length the error does not limit, if a denominator may fall far below its values at both ends.
#include "integrate/stepper.h"

#include <math.h>

struct hml_tube {
  hml_context *context;
  hml_formula formula;
  bool poles;                          // denominators count: none of them is a pivot, which lookout.c watches
  hml_sharp *sharp;                    // functions that may change within a short part of a step
  size_t inputs, outputs;
  hml_range *box, *out, *values, *start, *end;         // ranges of the inputs, of the outputs; of all values, and at the ends of the step
  size_t size;                         // bytes of the memory
};

void hml_tube__close(hml_tube *g) {
  if (!g) return;
  hml_sharp__free(g->sharp);
  hml_dealloc(g->context, g->box, g->size);
  hml_dealloc(g->context, g, sizeof *g);
}

hml_status hml_tube__open(const hml_problem *p, hml_workspace *w, hml_tube **out) {
  hml_formula f = hml_model_run__formula(w);
  *out = NULL;
  if (!f.program) return HML_OK;
  hml_tube *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (hml_tube){.context = p->context, .formula = f, .poles = hml_workspace__margins(w) == 0, .inputs = hml_program_inputs(f.program),
                  .outputs = hml_program_outputs(f.program)};
  g->size = (g->inputs + g->outputs + 3 * (hml_program__values(f.program) + 1)) * sizeof *g->box;
  g->box = hml_alloc(p->context, g->size);
  hml_status status = g->box ? hml_program__sharp(p->context, f.program, &g->sharp) : HML_MEMORY;
  if (status != HML_OK) {
    hml_tube__close(g);
    return status;
  }
  g->out = g->box + g->inputs;
  g->values = g->out + g->outputs;
  g->start = g->values + hml_program__values(f.program) + 1;
  g->end = g->start + hml_program__values(f.program) + 1;
  *out = g;
  return HML_OK;
}

static void include(double c, hml_range *x) {
  *(c < 0 ? &x->low : &x->high) += c;
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

static void fill_box(hml_tube *g, const hml_step *s) {
  const size_t states = g->formula.states;
  g->box[0] = (hml_range){fmin(s->t, s->t1), fmax(s->t, s->t1)};
  for (size_t i = 0; i < states; i++) g->box[1 + i] = over_step(s, i);
  for (size_t k = 1 + states; k < g->inputs; k++) g->box[k] = (hml_range){g->formula.constants[k - 1 - states], g->formula.constants[k - 1 - states]};
}

static void fill_point(hml_tube *g, double t, const double *y) {
  g->box[0] = (hml_range){t, t};
  for (size_t i = 0; i < g->formula.states; i++) g->box[1 + i] = (hml_range){y[i], y[i]};
}

static double dip(hml_tube *g, const hml_step *s) {
  const hml_program *p = g->formula.program;
  fill_point(g, s->t, s->y);
  hml_program__range(p, g->box, g->start, g->out);
  fill_point(g, s->t1, s->y1);
  hml_program__range(p, g->box, g->end, g->out);
  return hml_sharp__dip(g->sharp, g->values, g->start, g->end);
}

double hml_tube__stretch(hml_tube *g, const hml_step *s, bool unbounded) {
  unbounded = unbounded && g && g->poles;
  if (!g || !(unbounded || hml_sharp__in_any_step(g->sharp))) return 0;
  fill_box(g, s);
  hml_program__range(g->formula.program, g->box, g->values, g->out);
  double change = hml_sharp__change(g->sharp, g->values);
  return unbounded ? fmax(change, dip(g, s)) : change;
}
