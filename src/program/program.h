// program.h: door of the room: expressions become straight-line programs, programs become numbers.
//
//   expressions --lower--> assembly --optimise--> assembly --schedule--> program --interpret--> numbers
//                             ^                                             |
//                             +------------- derive (tangent, adjoint) -----+
//
// A program is constant once built and holds no expression, only texts of its inputs, so that a context sweep cannot
// hurt it. Evaluation needs a work array and allocates nothing.
#ifndef HML_PROGRAM_H
#define HML_PROGRAM_H

#include "expr/expr.h"

// Text of input i, as it stands in listings: "x", "x'", "dx" (seed of a tangent), "w1" (weight of an adjoint).
const char *hml_program__input_name(const hml_program *p, size_t i);

#endif
