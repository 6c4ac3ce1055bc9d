// highest.h: the largest or least value of a function on a step of a motion, corners, jumps and narrow peaks included.
#ifndef HML_HIGHEST_H
#define HML_HIGHEST_H

#include "integrate/traced.h"

// sign: 1 for the largest value, -1 for the least one. *best: of the run so far; what the step adds is found to a part of 1e-10 of the values. A value that
// is not finite outside of a hole (holes.h) becomes *best. HML_LIMIT: the step cannot be searched to its end, near *where
hml_status hml_highest__on_step(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, int sign, double *best, double *where);

#endif
