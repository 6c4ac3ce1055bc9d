// cone.c: who presses a friction, and what the reactions that share its cone leave of its set. Only this file knows.
//
// A friction pressed by a gap feels that gap's reaction, one pressed by a two-sided constraint the size of its multiplier, free + Y z, one
// pressed by an expression that force over the time given. The same functions serve forces and impulses: free holds the multipliers without
// the contacts, those of an instant are zero.
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
