// traced.h: functions of (t, x) along the steps of a motion: values, ranges, bounds on complex disks. Programs have the inputs t, the first `states`
// components of x, constants, and one output.
#ifndef HML_TRACED_H
#define HML_TRACED_H

#include "integrate/stepper.h"

typedef struct hml_traced hml_traced;      // the constants of a motion, and scratch for any of the programs

// n: components of the state; pieces: of the dense output of a step
hml_status hml_traced__open(hml_context *c, size_t n_programs, const hml_program *const *programs, size_t n, size_t pieces, size_t states, size_t n_constants,
                            hml_traced **out);
void hml_traced__close(hml_traced *f);
void hml_traced__begin(hml_traced *f, const double *constants);            // of the next motion; they must remain
double hml_traced__value(hml_traced *f, const hml_program *p, double t, const double *y);
double hml_traced__value_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta);
// Over all states and times, and at one of them
hml_range_kind hml_traced__anywhere(hml_traced *f, const hml_program *p, hml_range *out);
hml_range_kind hml_traced__range_at(hml_traced *f, const hml_program *p, double t, const double *y, hml_range *out);
// On the step over |theta - m| <= r
hml_range_kind hml_traced__range(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, hml_range *out);
// At a state of which each component may be off by its error                               (errors: states)
hml_range_kind hml_traced__range_off_at(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors, hml_range *out);
// On the step over |theta - m| <= r, of states of which each component may be off by its error
hml_range_kind hml_traced__range_off(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, const double *errors,
                                     hml_range *out);
// The largest difference of values at states that are off by `share` of their errors, in several directions, from that at one off by `least` of them; NAN: one
// is not finite. *values: all of them, NAN where one is no number
double hml_traced__change_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta, double share, double least,
                             const double *errors, hml_range *values);
// The error of a value: the sum over the components of the lesser one of the differences to both sides, over `share` of its error, times 1/share
double hml_traced__error_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta, double share, const double *errors);
// As hml_traced__range, for complex theta; see hml_program__disk
bool hml_traced__disk(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, const signed char *sides, hml_disk *out,
                      double *terms);

#endif
