// program.h: door of the room: expressions become straight-line programs, programs become numbers.
//
//   expressions --lower--> program --optimise--> program --interpret--> numbers
//                                     |  ^
//                                     derive (tangent, adjoint)
//
// A program is constant once built and holds no expression: names of its lines are texts made on demand from a
// kept root list, so that a context sweep cannot hurt it. Evaluation needs a work array and allocates nothing.
#ifndef HML_PROGRAM_H
#define HML_PROGRAM_H

#include "expr/expr.h"

#endif
