// holes.h: where a function has no value along the steps of a motion, and how it goes on either side.
#ifndef HML_HOLES_H
#define HML_HOLES_H

#include "integrate/traced.h"

typedef enum hml_side_kind {
  HML_SIDE_UNSEEN,                     // the step does not reach there
  HML_SIDE_FINITE,                     // it has a limit
  HML_SIDE_RISES, HML_SIDE_FALLS,      // it grows without bound, to that side
  HML_SIDE_OPEN                        // none of these can be told
} hml_side_kind;

typedef struct hml_hole {
  double theta, reach;                 // of the step: outside of theta -+ reach the function is defined
  hml_side_kind kind[2];               // before and behind theta
  double limit[2];                     // of a finite side
} hml_hole;

typedef hml_status (*hml_on_hole)(void *payload, const hml_hole *h);       // any status but HML_OK ends the search

// Calls on_hole for the holes of p on the step, in order. HML_LIMIT: the step cannot be searched to its end, near *where
hml_status hml_holes__on_step(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, hml_on_hole on_hole, void *payload, double *where);
// May p have holes on the step? By one look at its range
bool hml_holes__may_be(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece);

#endif
