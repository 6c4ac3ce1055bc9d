// undecided.h: where a function of a motion comes to zero, and does not pass through it, within the error of the run.
#ifndef HML_UNDECIDED_H
#define HML_UNDECIDED_H

#include "integrate/jumps.h"

// Errors of steps add up: to so many tolerances each, but to no more than so many in all and so many each
#define HML_ERRORS_EARLY 8.0
#define HML_ERRORS_MOST 1000.0
#define HML_ERRORS_LATE 0.125
#define HML_ERRORS_PARTS 10.0          // and those of steps of one size to so many times what was measured

typedef struct hml_accuracy {          // of a run
  double rtol, atol;                   // of its steps
  double part;                         // of steps of one size: to what part of the motion their errors grow; 0: of others
  bool at_event;                       // it ended at an event
  bool compared;                       // that part was measured all along the run: its tolerances make no errors
} hml_accuracy;

// That part, from an outcome: errors that were not measured may be as large as they are where a run is not called inaccurate
double hml_accuracy__part(double step_errors, bool not_compared);

// By how much the components may be off behind `steps` steps, and `way` of the whole time of the run: tolerances, as many as errors of steps may add up
// to, of the largest values so far, `sizes`
void hml_undecided__errors(const hml_accuracy *a, size_t n, size_t steps, double way, const double *sizes, double *errors);

typedef struct hml_doubt {
  hml_traced *traced;
  const hml_program *program;
  hml_guard *guard;                    // of this program, on this step, widened by the errors
  const hml_step *step;
  const double *piece, *errors;        // errors: of the states
  const hml_jumps *jumps;              // of this program, entered on this step; NULL: it has none
} hml_doubt;

// Is there a place from a to b where the values are zero but for their errors, while they do not pass through zero? Then near *where
bool hml_undecided__on_part(const hml_doubt *d, double a, double b, double *where);
typedef struct hml_use {               // of the values of a function
  double size;                         // of those known
  int sign;                            // 1: the largest is wanted; -1: the least; 0: all count
  double best;                         // so far
} hml_use;

// May the function jump, or have no value, somewhere from a to b, given the errors, while it is not certain that the motion passes through that place, and
// do errors decide what is wanted there? Then near *where. d->jumps: with its holes
bool hml_undecided__breaks(const hml_doubt *d, const hml_use *use, double a, double b, double *where);
// Does the function leap through zero at theta, where its sign changes, so that it has no root?
bool hml_undecided__leaps(const hml_doubt *d, double theta);
// At one state: may the function be zero, given the errors? zero: it is, up to rounding
bool hml_undecided__clear(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors);   // it is not zero, nor may jump there
bool hml_undecided__at(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors, bool *zero);

#endif
