// problems.h: initial value problems with known solutions, and how the tests of this room compare numbers.
#ifndef HML_TEST_PROBLEMS_H
#define HML_TEST_PROBLEMS_H

#include "integrate/stepper.h"
#include "support.h"

// Methods that choose their steps and need nothing but values; the others come last, and have tests of their own
static inline size_t adaptive_count(void) {
  size_t n = 0;
  while (n < hml_stepper_count() && !hml_stepper_fixed(n)) n++;
  return n;
}

typedef struct problem {
  const char *name;
  size_t n;
  double t_end;
  hml_status (*rhs)(void *payload, double t, const double *y, double *f);
  void (*exact)(double t, double *y);
} problem;

// y' = y: a growing exponential; -y, a falling one; y cos t
static inline hml_status exponential_rhs(void *payload, double t, const double *y, double *f) {
  (void)payload;
  f[0] = y[0];
  f[1] = -y[1];
  f[2] = y[2] * cos(t);
  return HML_OK;
}

static inline void exponential_exact(double t, double *y) {
  y[0] = exp(t);
  y[1] = exp(-t);
  y[2] = exp(sin(t));
}

static inline hml_status oscillator_rhs(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = y[1];
  f[1] = -y[0];
  return HML_OK;
}

static inline void oscillator_exact(double t, double *y) {
  y[0] = cos(t);
  y[1] = -sin(t);
}

// Kepler's problem, eccentricity 1/2, period 2 pi, from the pericentre
static inline hml_status kepler_rhs(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  double r2 = y[0] * y[0] + y[1] * y[1], r3 = r2 * sqrt(r2);
  f[0] = y[2];
  f[1] = y[3];
  f[2] = -y[0] / r3;
  f[3] = -y[1] / r3;
  return HML_OK;
}

static inline void kepler_exact(double t, double *y) {
  const double e = 0.5, b = sqrt(1 - e * e);
  double u = t;                        // eccentric anomaly: u - e sin u = t
  for (int i = 0; i < 60; i++) u -= (u - e * sin(u) - t) / (1 - e * cos(u));
  double rate = 1 / (1 - e * cos(u));
  y[0] = cos(u) - e;
  y[1] = b * sin(u);
  y[2] = -sin(u) * rate;
  y[3] = b * cos(u) * rate;
}

// y' = -y^2, z' = z cos t, w' = 1 + w^2: smooth and not linear
static inline hml_status smooth_rhs(void *payload, double t, const double *y, double *f) {
  (void)payload;
  f[0] = -y[0] * y[0];
  f[1] = y[1] * cos(t);
  f[2] = 1 + y[2] * y[2];
  return HML_OK;
}

static inline void smooth_exact(double t, double *y) {
  y[0] = 1 / (1 + t);
  y[1] = exp(sin(t));
  y[2] = tan(t);
}

static const problem problems[] __attribute__((unused)) = {
    {"exponential", 3, 5, exponential_rhs, exponential_exact},
    {"oscillator", 2, 20, oscillator_rhs, oscillator_exact},
    {"kepler", 4, 10, kepler_rhs, kepler_exact},
};

static inline hml_ode ode_of(const problem *p) {
  return (hml_ode){.n = p->n, .n_controlled = p->n, .rhs = p->rhs};
}

static inline hml_run_options options_of(const char *method, double tolerance) {
  hml_run_options o = hml_run_options_default();
  o.method = method;
  o.rtol = o.atol = tolerance;
  return o;
}

// Largest distance from the exact solution, over 1 + |exact|, at the points and at `between` places within each step
static inline double worst_error(const hml_trajectory *r, void (*exact)(double, double *), int between) {
  double x[8], wanted[8] = {0}, worst = 0;
  size_t n = hml_trajectory_size(r);
  for (size_t i = 1; i < hml_trajectory_points(r); i++) {
    double t0 = hml_trajectory_time(r, i - 1), t1 = hml_trajectory_time(r, i);
    for (int k = 1; k <= between + 1; k++) {
      double t = k == between + 1 ? t1 : t0 + (t1 - t0) * k / (between + 1);
      assert_int_equal(hml_trajectory_at(r, t, x), HML_OK);
      exact(t, wanted);
      for (size_t j = 0; j < n; j++) worst = fmax(worst, fabs(x[j] - wanted[j]) / (1 + fabs(wanted[j])));
    }
  }
  return worst;
}

#endif
