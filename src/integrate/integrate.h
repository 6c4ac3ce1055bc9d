// integrate.h: door of the room: initial value problems, steppers, trajectories.
#ifndef HML_INTEGRATE_H
#define HML_INTEGRATE_H

#include "mechanics/mechanics.h"

// An initial value problem y' = f(t, y). Callbacks return HML_OK or a failure already told to the context; a failure of
// rhs other than HML_NOT_FINITE, HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS ends the run at once; those three are tried again
// with a smaller step first.
typedef struct hml_ode {
  size_t n;                            // components of y
  size_t n_controlled;                 // the first ones enter the error norm; the rest are quadratures
  void *payload;
  hml_status (*rhs)(void *payload, double t, const double *y, double *f);
  hml_status (*jacobian)(void *payload, double t, const double *y, double *dfdy, double *dfdt);   // row-major n x n; NULL: none
  // Moves y onto the constraints when it is off by more than `threshold` (relative to the size of y), sets *moved; NULL: none.
  hml_status (*project)(void *payload, double t, double *y, double rtol, double atol, int *moved);
} hml_ode;

#endif
