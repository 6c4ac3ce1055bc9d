// brief.c: forces of contacts that act within a short part of a step only: normal forces, coefficients and floors with narrow bumps or pulses.
//
// As in integrate/tube.c, from ranges of all states over the step. Only what acts in the mode counts: rows that are at rest, and frictions that
// slip or could as soon as something presses. What holds until its guard fires is watched there (spread.c).
#include "contact_impl.h"

#include <math.h>
#include <string.h>

static const hml_sharp *of_slip(const hml_contacts *c, size_t friction) {
  const bool idle = c->friction_state[friction] == HML_FREE && c->frictions[friction].kind == HML_PRESSED_BY_EXPRESSION;
  return idle || hml_contact__is_smooth(c, friction) || c->friction_state[friction] == HML_SLIP ? c->shape->slip_sharp[friction] : NULL;
}

static bool acts(const hml_contacts *c) {
  bool any = c->n_active > 0;
  for (size_t j = 0; j < c->sizes.frictions; j++) any |= of_slip(c, j) != NULL;
  return any;
}

typedef struct values {
  hml_range *over, *start, *end;       // of all values of the program
  bool blind;
} values;

static void fill(hml_contacts *c, const hml_range *moving, hml_range *out) {
  const hml_program *p = c->shape->program;
  const size_t n = 1 + c->n.kin + c->n.dyn, inputs = hml_program_inputs(p);
  memcpy(c->brief, moving, n * sizeof *moving);
  for (size_t k = n; k < inputs; k++) c->brief[k] = (hml_range){c->in[k], c->in[k]};
  hml_program__range(p, c->brief, out, c->brief + inputs);
}

static double stretch_of(const hml_sharp *s, const values *v) {
  double change = hml_sharp__change(s, v->over);
  return fmax(change, hml_sharp__dip(s, v->over, v->start, v->end, v->blind));
}

static bool output_bulges(const hml_contacts *c, const values *v, size_t output) {
  const size_t at = hml_program__output(c->shape->program, output);
  return hml_range__bulges(v->over[at], v->start[at]);
}

// Is a slip resisted by far more within the step than in its middle?
static bool slip_bulges(const hml_contacts *c, size_t j, const values *v) {
  const hml_contact_shape *s = c->shape;
  return output_bulges(c, v, s->at_coefficients + 2 * j) || output_bulges(c, v, s->at_coefficients + 2 * j + 1) || output_bulges(c, v, s->at_normals + j);
}

double hml_contacts__stretch(hml_contacts *c, const hml_range *over, const hml_range *start, const hml_range *end, bool blind) {
  const size_t n = hml_program__values(c->shape->program);
  hml_contact__activate_mode(c);
  if (!acts(c)) return 0;
  values v = {.blind = blind, .over = c->brief + hml_program_inputs(c->shape->program) + hml_program_outputs(c->shape->program)};
  v.start = v.over + n;
  v.end = blind ? v.start : v.start + n;
  fill(c, over, v.over);
  fill(c, start, v.start);
  if (!blind) fill(c, end, v.end);
  double most = 0;
  for (size_t i = 0; i < c->n_active; i++) most = fmax(most, stretch_of(c->shape->row_sharp[c->active[i]], &v));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!of_slip(c, j)) continue;
    most = fmax(most, stretch_of(of_slip(c, j), &v));
    if (blind && slip_bulges(c, j, &v)) return INFINITY;
  }
  return most;
}
