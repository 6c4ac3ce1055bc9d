// stepping.h: how runs of time stepping are judged. Shared only by moreau.c, halved.c and overlap.c.
//
//   halved.c    a second run with steps of half the size or smaller, and how far the first one is from it
//   overlap.c   gaps between the points: obstacles that a step passes over
#ifndef HML_STEPPING_H
#define HML_STEPPING_H

#include "integrate/stepper.h"

// One step of size h from (t, y) to y1
typedef hml_status (*hml_make_step)(void *payload, double t, double h, const double *y, double *y1);

// ---- halved.c
typedef struct hml_halved hml_halved;

typedef struct hml_halved_verdict {
  double positions, velocities;        // largest differences of the runs, as parts of the motion
  double from;                         // time from which they exceed HML_MISSED; NaN: they do not
  bool stopped;                        // the second run stopped, for the reason in `why`
  hml_error why;
} hml_halved_verdict;

// tube: of the forces, may be NULL. span: duration of the runs; y0: their start
hml_status hml_halved__open(const hml_problem *p, hml_model_sizes sizes, hml_tube *tube, hml_make_step make, void *payload, double span, const double *y0,
                            hml_halved **out);
void hml_halved__close(hml_halved *d);
// The first run made the step s; a: the accelerations without contacts
hml_status hml_halved__follow(hml_halved *d, const hml_step *s, const double *a);
hml_halved_verdict hml_halved__verdict(hml_halved *d);

// ---- overlap.c
typedef struct hml_overlaps hml_overlaps;

typedef struct hml_overlap {           // the deepest that no step explains
  size_t gap;
  double t, value;                     // 0: none
} hml_overlap;

// Gaps without a formula are not looked at between the points
hml_status hml_overlaps__open(const hml_problem *p, const hml_guard_formula *formulas, size_t gaps, hml_overlaps **out);
void hml_overlaps__close(hml_overlaps *o);
hml_status hml_overlaps__look(hml_overlaps *o, const hml_step *s, const double *piece);   // on the line from s->y to s->y1
hml_overlap hml_overlaps__deepest(const hml_overlaps *o);

#endif
