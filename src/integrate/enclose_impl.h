// enclose_impl.h: a set that holds a motion, shared by enclose.c and enclosed_section.c.
#ifndef HML_ENCLOSE_IMPL_H
#define HML_ENCLOSE_IMPL_H

#define HML_BALLS
#include "integrate.h"

#ifdef HAMEL_ARB

typedef struct set {                  // m + C r0 + Q r
  arb_ptr m, r, hull;                  // (n)
  arb_mat_t C, Q;
} set;

struct hml_enclosure {
  hml_context *context;
  const hml_program *program;
  size_t n, results, rates, m, equations, shown, shown_first;   // states; at a point: results, of them x_dyn', multipliers, outputs from shown_first on
  slong asked, bits;                   // precision; that of the midpoints and remainders
  double limit, slack;
  bool tangents, fine, boxed;                // r0 is not zero
  hml_balls *motion, *tangent, *value, *gradient;
  uint32_t *moving, *seen;             // states that anything depends on: directions of tangent, of gradient
  size_t n_moving, n_seen;
  arb_ptr parameters, rough;           // in full, in TANGENT_BITS
  size_t n_parameters;
  arb_t t;
  arb_ptr r0;
  set now, next;
  arb_mat_t D, total, next_total;      // of the step; of all steps
  double h, shrink;                    // proved for |t| <= h
  size_t steps, most_steps;
  double longest, likely;              // step of the run; the next one at most, where the bounds of the one before failed
  size_t short_steps, vain_steps;      // in a row: beside the size of times, beside the rest of the way
};

// A failure at a place without a value, with the time of the present set
hml_status hml_enclosure__located(hml_enclosure *e, hml_status status);
// Series at the present set, proved for |t| <= e->h, at most `most`
hml_status hml_enclosure__prepare(hml_enclosure *e, double most);
// The set after h, |h| <= e->h, a ball, into e->next
hml_status hml_enclosure__advance(hml_enclosure *e, const arb_t h);
// e->next becomes the present set at t                                                                   fails: HML_LIMIT, too wide
hml_status hml_enclosure__take(hml_enclosure *e, const arb_t t);
double hml_enclosure__rounded(double h, bool up);                         // to so few digits that sums of steps stay short

#endif
#endif
