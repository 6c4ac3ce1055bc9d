// noted.c: states at given times, noted on the way. A run that stores its ends makes the polynomials of those steps only that hold such a time.
#include "integrate/march.h"

#include <string.h>

bool hml_march__needs_polynomial(const hml_march *r, const hml_step *s) {
  const hml_run_options *o = &r->options;
  return o->dense || (r->noted < o->n_noted && (o->noted[r->noted] - s->t1) * r->sign < 0);
}

void hml_march__note(hml_march *r, const hml_step *s, const double *piece) {
  const hml_run_options *o = &r->options;
  const size_t n = r->problem.n;
  for (; r->noted < o->n_noted && (o->noted[r->noted] - s->t1) * r->sign <= 0; r->noted++) {
    const double t = o->noted[r->noted];
    double *x = o->states_noted + r->noted * n;
    if (t == s->t1) memcpy(x, s->y1, n * sizeof *x);
    else hml_dense__value(n, r->problem.pieces, s->y, piece, (t - s->t) / s->h, x);
  }
}
