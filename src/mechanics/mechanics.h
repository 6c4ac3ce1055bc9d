// mechanics.h: door of the room: model (constant) and workspace (one thread's).
//
// The one shape of all equations:   x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.
#ifndef HML_MECHANICS_H
#define HML_MECHANICS_H

#include "program/program.h"

#endif
