// gragg.h: one step of the extrapolated midpoint rule, for small smooth systems whose right-hand side does not depend on time.
#ifndef HML_GRAGG_H
#define HML_GRAGG_H

#include <stddef.h>

enum { HML_GRAGG_MOST = 40, HML_GRAGG_ORDER = 12 };    // components; order of the step
enum { HML_GRAGG_SLOPES = HML_GRAGG_ORDER * HML_GRAGG_ORDER / 4 };   // (1 + 3 + ... + 11) without the first one

typedef void hml_gragg_slope(const void *payload, const double *x, double *slope);

// x1 = x(h) for x' = slope(x), x(0) = x, with slope0 = slope(x); error: estimate per component, of order h^11.
// Costs HML_GRAGG_SLOPES slopes.                                                                       n <= HML_GRAGG_MOST
void hml_gragg__step(size_t n, hml_gragg_slope *slope, const void *payload, const double *x, const double *slope0, double h,
                     double *x1, double *error);

#endif
