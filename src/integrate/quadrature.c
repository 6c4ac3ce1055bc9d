// quadrature.c: the integral of a function over a step, by the points of Gauss and Kronrod.
//
// Two rules that agree prove nothing: between all their points a function may have a peak. So a part of the step is halved until its owner bounds the
// error: where the function is analytic on a disk of 7/4 the radius of the part and departs there by R at most from its value in the middle, Cauchy's
// estimate makes the terms of its Taylor series of degree k less than R (4/7)^k on the part. The rule is exact for odd k and k < 24; the sum of its
// errors for all others is below.
#include "integrate/quadrature.h"

#include <math.h>

// Gauss's 7 points and the 8 of Kronrod between them, exact to degree 23
const hml_abscissa hml_quadrature__nodes[HML_NODES] = {
  {0.0042723144395936803966, 0.011467661005264612482},
  {0.025446043828620737737, 0.031546046314989276645},
  {0.067567788320115463605, 0.05239500516112509192},
  {0.12923440720030278007, 0.070326629857762959373},
  {0.20695638226615443485, 0.084502363319633951413},
  {0.29707742431130141655, 0.095175289032392704957},
  {0.3961075224960507662, 0.10221647003764944621},
  {0.5, 0.10474107054236391401},
  {0.6038924775039492338, 0.10221647003764944621},
  {0.70292257568869858345, 0.095175289032392704957},
  {0.79304361773384556515, 0.084502363319633951413},
  {0.87076559279969721993, 0.070326629857762959373},
  {0.93243221167988453639, 0.05239500516112509192},
  {0.97455395617137926226, 0.031546046314989276645},
  {0.9957276855604063196, 0.011467661005264612482},
};

const double hml_quadrature__close = 1e-10;
const double hml_quadrature__disk = 1.75;

// The sum over even k >= 24 of |mean of x^k over -1 <= x <= 1 - that by the rule| (4/7)^k; in exact arithmetic 6.4683e-14
double hml_quadrature__off(double reach) {
  return 6.5e-14 * reach;
}

// A jump is placed to 2^-44 of the step; a function that is nothing but waves too short for the step takes all halvings
enum { DEEPEST = 44, MOST_HALVINGS = 4096, CORNERS = 64 };                  // corners: that a step may have, each with a share of the error

typedef struct integral {
  const hml_integrand *f;
  double size;                         // the largest value so far
  unsigned halvings;
  double where;                        // the middle of the part at work
} integral;

static hml_status part(integral *of, double a, double width, unsigned depth, double *sum) {
  const hml_integrand *f = of->f;
  const double middle = a + width / 2;
  double mean = 0, off;
  of->where = middle;
  for (unsigned i = 0; i < HML_NODES; i++) {
    const hml_abscissa *at = hml_quadrature__nodes + i;
    const double value = f->value(f->payload, a + width * at->theta);
    mean += at->weight * value;
    of->size = fmax(of->size, fabs(value));
    if (!isfinite(value)) return of->where = a + width * at->theta, HML_NOT_FINITE;
  }
  HML_TRY(f->off(f->payload, middle, width / 2, &off));
  const double allowed = hml_quadrature__close * of->size;
  if (off <= allowed || off * width * CORNERS <= allowed) return *sum += width * mean, HML_OK;
  if (depth == DEEPEST || ++of->halvings > MOST_HALVINGS) return HML_LIMIT;
  HML_TRY(part(of, a, width / 2, depth + 1, sum));
  return part(of, middle, width / 2, depth + 1, sum);
}

hml_status hml_quadrature__unit(const hml_integrand *f, double *size, double *integral_of, double *where) {
  integral of = {.f = f, .size = *size};
  *integral_of = 0;
  hml_status status = part(&of, 0, 1, 0, integral_of);
  *size = of.size;
  *where = of.where;
  return status;
}
