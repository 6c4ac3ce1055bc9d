// highest.h: the largest or least value of a function on a step of a motion, corners, jumps and narrow peaks included.
#ifndef HML_HIGHEST_H
#define HML_HIGHEST_H

#include "integrate/branches.h"

#define HML_HIGHEST_DISK 6.0           // radii of a part: where the departure R of a function on that disk is known, a polynomial of degree 15 is off
double hml_highest__rest(double reach);                                   // by no more than this share of R: 6^-16/(1 - 1/6)
enum { HML_HIGHEST_SAMPLES = 60 };     // four in each half wave of such a polynomial
double hml_highest__place(double m, double r, int i);                     // of sample i = 0 ... HML_HIGHEST_SAMPLES on the part within r of m

// sign: 1 for the largest value, -1 for the least one. *best: of the run so far; what the step adds is found to a part of 1e-10 of the values. A value that
// is not finite outside of a hole (holes.h) becomes *best. branches: of the program; NULL: it has none. share: of the terms of its sums, to which it is enough to
// find the value where that takes long. HML_LIMIT: the step cannot be searched to its end, near *where
hml_status hml_highest__on_step(hml_traced *f, const hml_program *p, hml_branches *branches, const hml_step *s, const double *piece, int sign, double share,
                                double *best, double *where);

#endif
