// quadrature.h: the integral of a function over a step, by the points of Gauss and Kronrod.
#ifndef HML_QUADRATURE_H
#define HML_QUADRATURE_H

#include "integrate/stepper.h"

enum { HML_NODES = 15, HML_EXACT = 23 };                                    // points; degree of polynomials up to which the rule is exact

typedef struct hml_abscissa {
  double theta, weight;
} hml_abscissa;

extern const hml_abscissa hml_quadrature__nodes[HML_NODES];                    // on 0 <= theta <= 1
extern const double hml_quadrature__close;                                     // how far a mean may be off, relative to the size of the values

typedef struct hml_integrand {
  double (*value)(void *payload, double theta);
  // How far the mean over |theta - m| <= r by the rule may be off at most; INFINITY: not known. fails: HML_NOT_FINITE where the function has no value
  hml_status (*off)(void *payload, double m, double r, double *off);
  void *payload;
} hml_integrand;

// For `off`: a function that is analytic for |theta - m| <= hml_quadrature__disk r, where it departs by `reach` from its value at m
extern const double hml_quadrature__disk;
double hml_quadrature__off(double reach);

// The integral over 0 <= theta <= 1, halved until no part is off by more than the share hml_quadrature__close of *size, the largest value known, which
// grows with those met here. HML_LIMIT: very many halvings do not suffice; HML_NOT_FINITE: a value is none, or `off` says so; then near *where
hml_status hml_quadrature__unit(const hml_integrand *f, double *size, double *integral, double *where);

#endif
