// stepping.h: how runs of time stepping are judged. Shared only by moreau.c and the files below.
//
//   halved.c    a second run with steps of half the size or smaller, and how far the first one is from it
//   crossing.c  corners within a step
//   overlap.c   gaps between the points: obstacles that a step passes over
#ifndef HML_STEPPING_H
#define HML_STEPPING_H

#include "integrate/stepper.h"

// What the ends and the middle of a step show: all of it; a corner that it passes; or something may hide between them
typedef enum hml_shown { HML_WHOLE, HML_CORNER_PASSED, HML_HIDDEN } hml_shown;

// One step of size h from (t, y) to y1
typedef hml_status (*hml_make_step)(void *payload, double t, double h, const double *y, double *y1);

// ---- crossing.c
typedef struct hml_crossings hml_crossings;
hml_status hml_crossings__open(const hml_problem *p, hml_workspace *w, hml_crossings **out);   // *out is NULL where there are no corners
void hml_crossings__close(hml_crossings *c);
// Corners that the step from s->y to s->y1 passes; hidden: those that it may pass there and back, and intervals of tables that it leaves out
hml_status hml_crossings__look(hml_crossings *c, const hml_step *s, hml_shown *shown);

// ---- overlap.c
typedef struct hml_overlaps hml_overlaps;

typedef struct hml_overlap {           // the deepest that no step explains
  size_t gap;
  double t, value;                     // 0: none
} hml_overlap;

// contacts: those that make the steps. Gaps without a formula are not looked at between the points
hml_status hml_overlaps__open(const hml_problem *p, const hml_contacts *contacts, const hml_guard_formula *formulas, size_t gaps, hml_overlaps **out);
void hml_overlaps__close(hml_overlaps *o);
hml_status hml_overlaps__look(hml_overlaps *o, const hml_step *s, const double *piece);   // on the line from s->y to s->y1
// May a gap that is not struck in the step close within it, or be deeper than the step explains?
hml_status hml_overlaps__unseen(hml_overlaps *o, const hml_step *s, const double *piece, bool *unseen);
hml_overlap hml_overlaps__deepest(const hml_overlaps *o);

// ---- halved.c
typedef struct hml_halved hml_halved;

typedef struct hml_within {            // who looks at what lies within a step; the first two may be NULL
  hml_tube *tube;
  hml_crossings *crossings;
  hml_overlaps *overlaps;
} hml_within;

typedef struct hml_halved_verdict {
  double positions, velocities;        // largest differences of the runs, as parts of the motion
  double from;                         // time from which they exceed HML_MISSED; NaN: they do not
  double hidden, part;                 // time from which something may hide within a step of the second run, and its size; NaN: nothing does
  bool stopped;                        // the second run stopped, for the reason in `why`
  hml_error why;
} hml_halved_verdict;

// span: duration of the runs; y0: their start
hml_status hml_halved__open(const hml_problem *p, hml_model_sizes sizes, hml_within within, hml_make_step make, void *payload, double span, const double *y0,
                            hml_halved **out);
void hml_halved__close(hml_halved *d);
// The first run made the step s; a: the accelerations without contacts
hml_status hml_halved__follow(hml_halved *d, const hml_step *s, const double *a);
hml_halved_verdict hml_halved__verdict(hml_halved *d);

#endif
