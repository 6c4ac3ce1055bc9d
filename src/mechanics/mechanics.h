// mechanics.h: door of the room: model (constant) and workspace (one thread's).
//
// The one shape of all equations:   x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.
#ifndef HML_MECHANICS_H
#define HML_MECHANICS_H

#include "program/program.h"

hml_context *hml_workspace__context(const hml_workspace *w);             // where the workspace tells its failures
const hml_model *hml_workspace__model(const hml_workspace *w);
const char *hml_model__name(const hml_model *m);
const char *hml_model__state_name(const hml_model *m, size_t i);         // "x", "x'", ..., "work"
size_t hml_model__externals(const hml_model *m);                         // 0: hml_state_jacobian is exact

#endif
