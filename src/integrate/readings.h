// readings.h: what is read off each run of an ensemble on its way, for ensemble.c and lanes.c: roots of functions of (t, x), largest values, means.
#ifndef HML_READINGS_H
#define HML_READINGS_H

#include "integrate/stepper.h"
#include "integrate/undecided.h"

typedef struct hml_readings hml_readings;   // of one run at a time

enum { HML_LANES_TAME = 4 };           // degree up to which lanes take a function of the motion for about as smooth as the motion
#define HML_LANES_PART 1e-4            // of the motion: larger errors of steps of one size are not allowed for in lanes

// n: components of the state; pieces: of the dense output of a step
hml_status hml_readings__open(hml_context *c, const hml_readings_spec *spec, size_t n, size_t pieces, hml_readings **out);
void hml_readings__close(hml_readings *r);
hml_status hml_readings__check(hml_context *c, const hml_readings_spec *s, size_t states);   // fails: HML_ARGUMENT

// A run begins at (t, y); sign: 1 forward in time, -1 backward. Roots that must be decided (`decided` of the spec) are so, but for errors of the states up to
// hml_readings__errors (n), which the caller sets; where one is not, the run becomes doubtful
double *hml_readings__errors(hml_readings *r);
void hml_readings__be_sure(hml_readings *r, size_t root);                  // on the next step they are, the caller knows
hml_status hml_readings__begin(hml_readings *r, const double *constants, double sign, double t, const double *y);
// Finds the roots on the polynomial of an accepted step. A step over which every function keeps its sign hml_readings__side may be left out.
hml_status hml_readings__step(hml_readings *r, const hml_step *s, const double *piece);
int hml_readings__side(const hml_readings *r, size_t root);                // 1 or -1; 0: the next step must be looked at
// Over a step whose states, widened by their errors, remain in these ranges, t and the states of the spec, a function keeps that side: the step may be left
// out for it, until the next one is not. NULL: none are known
const hml_range *hml_readings__safe(const hml_readings *r, size_t root);
// In place of the step: a function whose side is known changes its sign once, clearly within the step from t on. Must the root be located, and met?
bool hml_readings__cross(hml_readings *r, size_t root, double t);
hml_status hml_readings__meet(hml_readings *r, size_t root, double t, const double *y);
// Is no root of the function located any more, of those behind t? Then such changes need not be told one by one: so many were counted since, and it is on
// that side now
bool hml_readings__only_counts(const hml_readings *r, size_t root, double t);
void hml_readings__passed(hml_readings *r, size_t root, size_t count, int side);
bool hml_readings__ended(const hml_readings *r);                           // was a root met that ends the run?
bool hml_readings__only_ends(const hml_readings_spec *s);                  // is nothing read but where runs end?
void hml_readings__peak(hml_readings *r, size_t peak, double value);       // a value that the run takes on
// Largest and least values that the spec wants searched: *best with what the step adds. False: it cannot be searched
bool hml_readings__searches(const hml_readings_spec *s);                   // are there any?
bool hml_readings__search(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *best);
// The mean of function k over a step, to a part of 1e-10 of the largest value, *size, which grows with those met. False: it has none, or none is found
bool hml_readings__over_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *size, double *mean);
// Is it that of the rule of quadrature.h on the whole step, to the same part of `size`?
bool hml_readings__fits_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double size);
// May a function have a hole in the run, or a jump where its values are wanted?
bool hml_readings__holed(const hml_readings *r);
double hml_readings__at_zero(hml_readings *r, size_t program);             // its value at t = 0 and a state of zeros
bool hml_readings__doubtful(const hml_readings *r);                        // or is a root not decided?
void hml_readings__arrive(hml_readings *r, double t, const double *y);     // the run ends there: a root that may lie before or behind it is not decided
static inline bool hml_readings__decides(const hml_readings_spec *s, size_t root) {   // must the roots of this function be decided?
  return s->decided && s->decided[root];
}
// Has none of them a hole on the step, and do errors of the states not decide the values? first: the first step of the run
hml_status hml_readings__is_whole(hml_readings *r, const hml_step *s, const double *piece, bool first, bool *whole);
bool hml_readings__breaks(const hml_readings_spec *s, size_t program);     // are its values wanted, and may it jump, or have holes, by its formula?
bool hml_readings__need_errors(const hml_readings_spec *s);                // of the states: is there such a function, or a root that must be decided?
void hml_readings__set_mean(hml_readings *r, size_t k, double mean);       // of the run; until then that of function k at its start
// All of a finished run with dense output, in place of the functions above. A reading that has no value is refused: see hml_readings_spec
hml_status hml_readings__along(hml_readings *r, const double *constants, double sign, const hml_accuracy *accuracy, const hml_trajectory *run);

// Of the run so far
const size_t *hml_readings__counts(const hml_readings *r);                 // (n_roots)
const double *hml_readings__peaks(const hml_readings *r);                  // (n_peaks)
const double *hml_readings__means(const hml_readings *r);                  // (n_means)
const double *hml_readings__found(const hml_readings *r, size_t *count);   // entries of 2 + n numbers, see hml_readings_spec

#endif
