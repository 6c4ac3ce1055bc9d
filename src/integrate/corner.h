// corner.h: the corners of a model's forces as guards of a run, shared only inside this room.
#ifndef HML_CORNER_H
#define HML_CORNER_H

#include "integrate/integrate.h"

typedef struct hml_corners hml_corners;

// *out NULL: the model has none
hml_status hml_corners__open(hml_workspace *w, hml_corners **out);
void hml_corners__close(hml_corners *c);
size_t hml_corners__count(const hml_corners *c);                         // of guards; 0 for NULL

// Places of the guards of corners among those of a run: their parts of the lists of hml_guards
typedef struct hml_corner_lists {
  signed char *direction, *side;
  const hml_guard_formula **formula;
} hml_corner_lists;

typedef struct hml_corner_run {
  double t0, t1;
  const hml_run_options *options;
  void *payload;
  hml_status (*rhs)(void *payload, double t, const double *y, double *f);
} hml_corner_run;

// From (t0, y) on the sides are held fails: HML_SINGULAR where the motion would stay on a corner, or is not unique
hml_status hml_corners__begin(hml_corners *c, const hml_corner_run *run, hml_corner_lists lists, const double *y);
void hml_corners__end(hml_corners *c);                                   // sides follow from states again; NULL is allowed
hml_status hml_corners__values(hml_corners *c, double t, const double *y, double *out);
// The roots in `fired` were met at (t, y): sides from there on
hml_status hml_corners__react(hml_corners *c, double t, const double *y, const bool *fired);
bool hml_corners__met_any(const hml_corners *c);                          // at the start, or by the last reaction; false for NULL
// After a reaction a blow changed the velocities. *changed: a corner met at this instant is left to another side than before
hml_status hml_corners__jumped(hml_corners *c, double t, const double *y, bool *changed);
// Does the step up to theta = until touch a corner, or rest on one, from which other motions leave?   fails: HML_SINGULAR, from theta = *at on
hml_status hml_corners__grazes(hml_corners *c, const hml_problem *p, const hml_step *s, const double *piece, double until, double *at);
// The gap, open so far, has been met at (t, y) after a flight of length `flown`, y' there is f; or the motion begins on it at rest. Fails with
// HML_SINGULAR on a corner of the gap itself that is struck: what follows is not unique on an outer one, and on an inner one both sides strike
typedef struct hml_struck_gap {
  const hml_guard_formula *formula;
  const char *name;
  double *scratch;                     // of the formula
  double flown;
  bool at_rest;
} hml_struck_gap;
hml_status hml_corners__check_strike(hml_corners *c, const hml_struck_gap *gap, double t, const double *y, const double *f, double rtol, double atol);
hml_status hml_corners__check_end(hml_corners *c, double t);             // fails where the run continues beyond the end of a table

#endif
