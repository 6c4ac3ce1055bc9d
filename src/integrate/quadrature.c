// quadrature.c: the integral of a function over a step, by the points of Gauss and Kronrod.
#include "integrate/quadrature.h"

#include <math.h>

// Gauss's 7 points, exact to degree 13, and the 8 of Kronrod between them, exact together to degree 23
const hml_abscissa hml_quadrature__nodes[HML_NODES] = {
  {0.0042723144395936803966, 0.011467661005264612482, 0},
  {0.025446043828620737737, 0.031546046314989276645, 0.064742483084434846635},
  {0.067567788320115463605, 0.05239500516112509192, 0},
  {0.12923440720030278007, 0.070326629857762959373, 0.13985269574463833395},
  {0.20695638226615443485, 0.084502363319633951413, 0},
  {0.29707742431130141655, 0.095175289032392704957, 0.19091502525255947248},
  {0.3961075224960507662, 0.10221647003764944621, 0},
  {0.5, 0.10474107054236391401, 0.20897959183673469388},
  {0.6038924775039492338, 0.10221647003764944621, 0},
  {0.70292257568869858345, 0.095175289032392704957, 0.19091502525255947248},
  {0.79304361773384556515, 0.084502363319633951413, 0},
  {0.87076559279969721993, 0.070326629857762959373, 0.13985269574463833395},
  {0.93243221167988453639, 0.05239500516112509192, 0},
  {0.97455395617137926226, 0.031546046314989276645, 0.064742483084434846635},
  {0.9957276855604063196, 0.011467661005264612482, 0},
};

const double hml_quadrature__close = 1e-12;

// A jump is placed to 2^-30 of the step; a function that is nothing but rounding errors takes all halvings
enum { DEEPEST = 30, MOST_HALVINGS = 4096 };

typedef struct integrand {
  double (*value)(void *payload, double theta);
  void *payload;
  double size;                         // the largest value so far
  unsigned halvings;
} integrand;

static double part(integrand *f, double a, double width, unsigned depth) {
  double sum = 0, coarse = 0;
  for (unsigned i = 0; i < HML_NODES; i++) {
    const hml_abscissa *at = hml_quadrature__nodes + i;
    const double value = f->value(f->payload, a + width * at->theta);
    sum += at->weight * value;
    f->size = fmax(f->size, fabs(value));
    if (i % 2) coarse += at->coarse * value;
  }
  if (!(fabs(sum - coarse) > hml_quadrature__close * f->size) || depth == DEEPEST || f->halvings > MOST_HALVINGS) return width * sum;
  f->halvings++;
  const double first = part(f, a, width / 2, depth + 1);
  return first + part(f, a + width / 2, width / 2, depth + 1);
}

bool hml_quadrature__unit(double (*value)(void *payload, double theta), void *payload, double *size, double *integral) {
  integrand f = {.value = value, .payload = payload, .size = *size};
  *integral = part(&f, 0, 1, 0);
  *size = f.size;
  return f.halvings <= MOST_HALVINGS;
}
