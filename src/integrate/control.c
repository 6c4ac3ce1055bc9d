// control.c: error norm, first step, next step. run.c decides which steps are tried and accepted.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>

static double scale_of(const hml_problem *p, double atol, double y, double y1) {
  double size = fabs(y1) > fabs(y) ? fabs(y1) : fabs(y);
  const double allowed = atol + p->rtol * size;
  return (p->tighter > 0 ? allowed / (1 + p->tighter) : allowed) + DBL_MIN;
}

double hml_control__rtol(const hml_problem *p) {
  return p->tighter > 0 ? p->rtol / (1 + p->tighter) : p->rtol;
}

static double greater_ratio(double ratio, double worst) {
  return ratio > worst || isnan(ratio) ? ratio : worst;
}

// max |e_i| / (atol + rtol |y_i|) over the controlled components, not the mean: the promise holds for each of them, and
// idle components do not hide a bad one. NaN if any of them is.
static double norm_of(const hml_problem *p, size_t n, const double *e, const double *y, const double *y1) {
  const double *units = p->ode->units;
  double worst = 0;
  for (size_t i = 0; i < n; i++) worst = greater_ratio(fabs(e[i]) / scale_of(p, units ? units[i] * p->atol : p->atol, y[i], y1[i]), worst);
  return worst;
}

double hml_control__norm(const hml_problem *p, const double *e, const double *y, const double *y1) {
  return norm_of(p, p->ode->n_controlled, e, y, y1);
}

double hml_control__norm_of_all(const hml_problem *p, const double *e, const double *y, const double *y1) {
  return norm_of(p, p->n, e, y, y1);
}

// Without branches: which component is the worst one cannot be foreseen
void hml_control__norms_of_all(const hml_problem *p, const double *a, const double *b, const double *y, double *of_a, double *of_b) {
  if (p->ode->units) {
    *of_a = norm_of(p, p->n, a, y, y);
    *of_b = norm_of(p, p->n, b, y, y);
    return;
  }
  const double tighter = p->tighter > 0 ? 1 + p->tighter : 1, atol = p->atol / tighter, rtol = p->rtol / tighter;
  double worst_a = 0, worst_b = 0;
  int odd = 0;
  for (size_t i = 0; i < p->n; i++) {
    const double per_unit = 1 / (atol + rtol * fabs(y[i]) + DBL_MIN), ratio_a = fabs(a[i]) * per_unit, ratio_b = fabs(b[i]) * per_unit;
    worst_a = ratio_a > worst_a ? ratio_a : worst_a;
    worst_b = ratio_b > worst_b ? ratio_b : worst_b;
    odd |= isnan(ratio_a + ratio_b);
  }
  *of_a = odd ? NAN : worst_a;
  *of_b = odd ? NAN : worst_b;
}

// A first step for a method of that order, from the sizes of y, y' and y'': Hairer, Norsett, Wanner I, II.4.
// work holds three vectors. A recoverable failure one Euler step away only makes the trial step smaller.
hml_status hml_control__first_step(const hml_problem *p, unsigned order, double t, double span, const double *y, const double *f,
                                   double *work, double *h) {
  double *y1 = work, *f1 = work + p->stride, *difference = work + 2 * p->stride;
  double size = hml_control__norm(p, y, y, y), slope = hml_control__norm(p, f, y, y);
  double trial = size < 1e-10 || slope < 1e-10 ? 1e-6 : 0.01 * (size / slope);
  if (!(trial <= fabs(span))) trial = fabs(span);
  hml_status status = HML_NOT_FINITE;
  for (int tries = 0; tries < 12 && status != HML_OK; tries++) {
    if (tries > 0) trial *= 0.03;
    double step = span < 0 ? -trial : trial;
    for (size_t i = 0; i < p->n; i++) y1[i] = y[i] + step * f[i];
    status = hml_problem__finite_rhs(p, t + step, y1, f1);
    if (status == HML_OK) break;
    if (!hml_problem__recoverable(status)) return status;
    HML_TRY(hml_forgiven(p->context));
  }
  *h = trial;
  if (status != HML_OK) return HML_OK;
  for (size_t i = 0; i < p->n; i++) difference[i] = f1[i] - f[i];
  double curvature = hml_control__norm(p, difference, y, y) / trial;
  double largest = curvature > slope ? curvature : slope;
  double wanted = largest <= 1e-15 ? fmax(1e-6, trial * 1e-3) : pow(0.01 / largest, 1.0 / (order + 1));
  *h = fmin(100 * trial, wanted);
  return HML_OK;
}

// What the step is multiplied by after an attempt with this error (in units of the tolerance).
// One-step methods: Gustafsson's proportional-integral control with the limits of the codes of Hairer and Wanner.
// Multistep methods: a step stays as it is unless the error leaves [0.5, 1], for a change costs accuracy of the history.
// x^e; the eighth root, which every step of DOP853 takes, by square roots
static double power(double x, double e) {
  return e == 0 ? 1 : e == 0.125 ? sqrt(sqrt(sqrt(x))) : pow(x, e);
}

double hml_control__factor(const hml_stepper *m, unsigned order, double error, double previous, bool after_rejection) {
  const double safety = 0.9;
  if (m->exponent > 0) {
    double wanted = power(error, m->exponent - 0.75 * m->beta) / safety;
    if (error > 1) return 1 / (wanted < 3 ? wanted : 3);
    double slower = wanted / power(previous, m->beta), factor = slower > 1.0 / 6 ? 1 / slower : 6;
    if (factor < 0.2) factor = 0.2;
    return after_rejection && factor > 1 ? 1 : factor;
  }
  if (error > 1) return fmax(0.2, safety * pow(error, -1.0 / order));
  if (error >= 0.5 || after_rejection) return 1;
  if (error == 0) return 5;            // the power is infinite; steps of one size have no error
  return fmin(5, fmax(1, safety * pow(error, -1.0 / (order + 1))));
}
