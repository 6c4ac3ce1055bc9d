// cone.c: the normal force of a friction, and the part of its set that other reactions in its cone leave. No other file computes these.
//
// The normal force is the reaction of a gap, the absolute value of a multiplier, free + Y z, or the value of an expression times the given
// time. The same functions are used for forces and impulses: `free` holds the multipliers without contacts; in an impact they are zero.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>

double hml_contact__multiplier(const hml_contacts *c, const double *free, const double *z, size_t k) {
  double lambda = free ? free[k] : 0;
  for (size_t i = 0; i < c->n_active; i++) lambda += c->y[i * c->n.multipliers + k] * z[i];
  return lambda;
}

double hml_contact__pressing(const hml_contacts *c, size_t friction, double time, const double *free, const double *z) {
  const hml_friction *f = c->frictions + friction;
  switch (f->kind) {
    case HML_PRESSED_BY_EXPRESSION: return time * fmax(c->out[c->shape->at_normals + friction], 0);
    case HML_PRESSED_BY_GAP: return c->place[f->index] == SIZE_MAX ? 0 : z[c->place[f->index]];
    case HML_PRESSED_BY_MULTIPLIER: break;
  }
  return fabs(hml_contact__multiplier(c, free, z, f->index));
}

double hml_contact__shared(const hml_contacts *c, size_t friction, const double *free, const double *z) {
  const hml_friction *f = c->frictions + friction;
  double sum = 0;
  for (size_t k = 0; k < f->n_cone; k++) {
    double lambda = hml_contact__multiplier(c, free, z, f->cone[k]);
    sum += lambda * lambda;
  }
  return sum;
}
