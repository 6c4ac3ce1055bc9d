// quadrature.h: the integral of a function over a step, by the points of Gauss and Kronrod.
#ifndef HML_QUADRATURE_H
#define HML_QUADRATURE_H

#include <stdbool.h>

enum { HML_NODES = 15 };

typedef struct hml_abscissa {
  double theta, weight, coarse;        // coarse: of the rule of Gauss, 0 at the points between
} hml_abscissa;

extern const hml_abscissa hml_quadrature__nodes[HML_NODES];                    // on 0 <= theta <= 1
extern const double hml_quadrature__close;                                 // to which the two rules agree, relative to the size of the values

// The integral over 0 <= theta <= 1, halved until the two rules agree. *size: largest value known; it grows with those met here. False: they do not
// agree after very many halvings
bool hml_quadrature__unit(double (*value)(void *payload, double theta), void *payload, double *size, double *integral);

#endif
