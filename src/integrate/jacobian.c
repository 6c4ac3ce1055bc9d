// jacobian.c: df/dy for the methods that need it: exact where the problem has one, by differences elsewhere.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Forward differences, one evaluation per column; the increment balances truncation against rounding
static hml_status by_differences(const hml_problem *p, double t, const double *y, double *dfdy, double *work) {
  size_t n = p->n;
  double *base = work, *f = work + p->stride, *probe = work + 2 * p->stride;
  HML_TRY(hml_problem__finite_rhs(p, t, y, base));
  memcpy(probe, y, n * sizeof *y);
  for (size_t k = 0; k < n; k++) {
    volatile double moved = y[k] + sqrt(DBL_EPSILON * fmax(1e-5, fabs(y[k]))) * (y[k] < 0 ? -1 : 1);
    double increment = moved - y[k];
    probe[k] = moved;
    HML_TRY(hml_problem__finite_rhs(p, t, probe, f));
    probe[k] = y[k];
    for (size_t i = 0; i < n; i++) dfdy[i * n + k] = (f[i] - base[i]) / increment;
  }
  return HML_OK;
}

// Row-major n x n. *differences: no exact one exists, found out at the first call. work: three vectors
hml_status hml_problem__jacobian(const hml_problem *p, bool *differences, double t, const double *y, double *dfdy, double *work) {
  HML_TRY(hml_check_interrupt(p->context));
  p->outcome->jacobians++;
  if (!*differences && p->ode->jacobian) {
    hml_status status = p->ode->jacobian(p->ode->payload, t, y, dfdy, work);   // df/dt is not needed
    if (status != HML_UNSUPPORTED) return status;
    HML_TRY(hml_forgiven(p->context));
  }
  *differences = true;
  return by_differences(p, t, y, dfdy, work);
}
