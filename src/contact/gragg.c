// gragg.c: the midpoint rule of Gragg, extrapolated to step zero by Bulirsch and Stoer.
// Hairer, Norsett, Wanner, Solving Ordinary Differential Equations I, 2nd edition, II.9. The rule with an even number of substeps has an
// error in even powers of the substep; rows of 2, 4, ... 12 substeps are extrapolated. It needs no table, and a step cut short at a
// root is made anew with its new length, so that the end is as good as the step.
#include "gragg.h"

#include <math.h>

enum { ROWS = HML_GRAGG_ORDER / 2 };

// Increment of x over h in m substeps of the midpoint rule
static void midpoint(size_t n, hml_gragg_slope *slope, const void *payload, const double *x, const double *slope0, double h, int m, double *out) {
  double before[HML_GRAGG_MOST], now[HML_GRAGG_MOST], place[HML_GRAGG_MOST], f[HML_GRAGG_MOST];
  const double part = h / m;
  for (size_t i = 0; i < n; i++) before[i] = 0, now[i] = part * slope0[i];
  for (int k = 1; k < m; k++) {
    for (size_t i = 0; i < n; i++) place[i] = x[i] + now[i];
    slope(payload, place, f);
    for (size_t i = 0; i < n; i++) {
      double next = before[i] + 2 * part * f[i];
      before[i] = now[i];
      now[i] = next;
    }
  }
  for (size_t i = 0; i < n; i++) out[i] = now[i];
}

void hml_gragg__step(size_t n, hml_gragg_slope *slope, const void *payload, const double *x, const double *slope0, double h, double *x1,
                     double *error) {
  double table[ROWS][HML_GRAGG_MOST];
  for (int j = 0; j < ROWS; j++) {
    // the row of Neville's scheme in place: table[k] holds the last entry with 2 (k + 1) substeps at its finer end
    midpoint(n, slope, payload, x, slope0, h, 2 * (j + 1), table[j]);
    for (int k = j - 1; k >= 0; k--) {
      double ratio = (double)(j + 1) / (k + 1), divisor = ratio * ratio - 1;
      for (size_t i = 0; i < n; i++) table[k][i] = table[k + 1][i] + (table[k + 1][i] - table[k][i]) / divisor;
    }
  }
  for (size_t i = 0; i < n; i++) {
    x1[i] = x[i] + table[0][i];
    error[i] = fabs(table[0][i] - table[1][i]);
  }
}
