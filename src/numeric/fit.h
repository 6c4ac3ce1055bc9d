// fit.h: nonlinear least squares: x for which the sum of the squares of m residuals is least near a given x.
#ifndef HML_FIT_H
#define HML_FIT_H

#include "base/base.h"

typedef struct hml_fit {
  size_t m, n, most;                   // residuals, unknowns, iterations; m >= n >= 1
  hml_status (*residuals)(void *payload, const double *x, double *r);
  void *payload;
  double difference, step_tolerance;   // of the differences by which derivatives are found, of the last step; relative to x
  double *x;                           // the guess, then the result, and room for as many behind it                   (2 n)
  double *r, *jacobian;                // at the result                                              (m), (m x n), row-major
  size_t iterations;
} hml_fit;

// fails: HML_NOT_FINITE, what `residuals` returns
hml_status hml_fit__solve(hml_context *c, hml_fit *fit);

#endif
