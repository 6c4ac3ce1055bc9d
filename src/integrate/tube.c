// tube.c: forces that act within a short part of a step only: narrow bumps and walls, pulses in time. A method that samples its step, or knows
// the series of its start, may pass over them without a trace, and its error estimate with it.
//
// From ranges of all states over the step, its tube, come ranges of all that x' is computed from. Where an exponential, a hyperbolic function or
// a high power has a range wider than a smooth motion gives it between two points, the step is made shorter. So is a step of which the method
// says that it may grow by any factor, where the range of a denominator is that wide.
#include "integrate/stepper.h"

#include <math.h>

struct hml_tube {
  hml_context *context;
  hml_formula formula;
  hml_sharp *sharp;                    // what may change within a short part of a step
  size_t inputs, outputs;
  hml_range *box, *values, *out;
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
  *g = (hml_tube){.context = p->context, .formula = f, .inputs = hml_program_inputs(f.program),
                  .outputs = hml_program_outputs(f.program)};
  g->size = (g->inputs + g->outputs + hml_program__values(f.program) + 1) * sizeof *g->box;
  g->box = hml_alloc(p->context, g->size);
  hml_status status = g->box ? hml_program__sharp(p->context, f.program, &g->sharp) : HML_MEMORY;
  if (status != HML_OK) {
    hml_tube__close(g);
    return status;
  }
  g->out = g->box + g->inputs;
  g->values = g->out + g->outputs;
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

double hml_tube__stretch(hml_tube *g, const hml_step *s, bool unbounded) {
  if (!g || !(unbounded || hml_sharp__in_any_step(g->sharp))) return 0;
  fill_box(g, s);
  hml_program__range(g->formula.program, g->box, g->values, g->out);
  return hml_sharp__change(g->sharp, g->values, unbounded);
}
