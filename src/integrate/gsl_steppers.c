// gsl_steppers.c: the methods of GSL's odeiv2 behind the interface of stepper.h. GSL makes raw steps only: which of them
// count, and how long they are, is decided in run.c and control.c as for every method.
//
// What GSL demands:
//   - a method learns of a rejected step by being called from the same t again;
//   - GSL_EBADFUNC from the right-hand side leaves a step at once;
//   - the multistep methods ask a driver's control object for the tolerance. There is no driver here, only the struct with the
//     control object in it. Quadratures get a boundless tolerance;
//   - the multistep methods keep their own copy of y, which a projection cannot reach. So they are given u = y - offset
//     to integrate, and a projection changes the offset: their history then counts as moved along with y, as in CVODE.
#include "integrate/stepper.h"

#include <float.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <math.h>
#include <string.h>

enum { REMEMBERED = 4 };               // starts of earlier steps, for the dense output of the multistep methods

typedef struct stepper {
  const hml_problem *problem;
  gsl_odeiv2_system system;
  gsl_odeiv2_control control;
  gsl_odeiv2_driver driver;
  gsl_odeiv2_step *step;
  hml_status failure;                  // of the last right-hand side or Jacobian that failed
  bool differences;                    // Jacobian by differences
  bool shifted;                        // offset is not zero
  double *memory, *error, *probe, *u, *offset, *sum;   // probe: three vectors of scratch; the past besides
  double *past;                        // y and f of the last starts, newest first: 2 REMEMBERED vectors
  double past_t[REMEMBERED];
  size_t past_count;
  void *dop853;                        // of rk8pd: lends its dense output
} stepper;

enum { NAMED_VECTORS = 5, OWN_VECTORS = NAMED_VECTORS + 2, ALL_VECTORS = OWN_VECTORS + 2 * REMEMBERED };

// callbacks for GSL

// A failure that a smaller step may cure is GSL_FAILURE: the methods leave the step at once for either code, but
// those with a history then prepare to be called again.
static int report(stepper *g, hml_status status) {
  g->failure = status;
  if (status == HML_OK) return GSL_SUCCESS;
  return hml_problem__recoverable(status) ? GSL_FAILURE : GSL_EBADFUNC;
}

// y = u + offset
static const double *unshift(stepper *g, const double *u) {
  if (!g->shifted) return u;
  for (size_t i = 0; i < g->problem->n; i++) g->sum[i] = u[i] + g->offset[i];
  return g->sum;
}

static int rhs(double t, const double u[], double f[], void *payload) {
  stepper *g = payload;
  return report(g, hml_problem__finite_rhs(g->problem, t, unshift(g, u), f));
}

static int jacobian(double t, const double u[], double *dfdy, double dfdt[], void *payload) {
  stepper *g = payload;
  // the methods of GSL that ask for the Jacobian do not read df/dt
  memset(dfdt, 0, g->problem->n * sizeof *dfdt);
  return report(g, hml_problem__jacobian(g->problem, &g->differences, t, unshift(g, u), dfdy, g->probe));
}

static int error_level(void *payload, const double u, const double dydt, const double h, const size_t i, double *level) {
  stepper *g = payload;
  const hml_problem *p = g->problem;
  (void)dydt;
  (void)h;
  *level = i < p->ode->n_controlled ? (p->atol + p->rtol * fabs(u + g->offset[i])) / (1 + p->tighter) + DBL_MIN : 1e150;
  return GSL_SUCCESS;
}

static const gsl_odeiv2_control_type control_type = {.name = "hamel", .errlevel = error_level};

// ---- a step

static void destroy(const hml_problem *p, void *state) {
  stepper *g = state;
  if (!g) return;
  if (g->dop853) hml_stepper_dop853.destroy(p, g->dop853);
  if (g->step) gsl_odeiv2_step_free(g->step);
  hml_problem__free_vectors(p, g->memory, ALL_VECTORS);
  hml_dealloc(p->context, g, sizeof *g);
}

static hml_status fill(stepper *g, const gsl_odeiv2_step_type *type) {
  const hml_problem *p = g->problem;
  g->memory = hml_problem__vectors(p, ALL_VECTORS);
  if (!g->memory) return HML_MEMORY;
  double **const vectors[NAMED_VECTORS] = {&g->error, &g->u, &g->offset, &g->sum, &g->probe};
  for (size_t i = 0; i < NAMED_VECTORS; i++) *vectors[i] = g->memory + i * p->stride;
  g->past = g->memory + OWN_VECTORS * p->stride;
  g->step = gsl_odeiv2_step_alloc(type, p->n);
  if (!g->step) return hml_fail(p->context, HML_MEMORY, "not enough memory for the method %s with %zu components", type->name, p->n);
  g->system = (gsl_odeiv2_system){rhs, jacobian, p->n, g};
  g->control = (gsl_odeiv2_control){&control_type, g};
  g->driver = (gsl_odeiv2_driver){.sys = &g->system, .s = g->step, .c = &g->control};
  gsl_odeiv2_step_set_driver(g->step, &g->driver);
  return HML_OK;
}

static hml_status create(const hml_problem *p, const gsl_odeiv2_step_type *type, void **state) {
  stepper *g = hml_alloc(p->context, sizeof *g);
  if (!g) return HML_MEMORY;
  *g = (stepper){.problem = p, .differences = !p->ode->jacobian};
  hml_status status = fill(g, type);
  if (status != HML_OK) {
    destroy(p, g);
    return status;
  }
  *state = g;
  return HML_OK;
}

// The error is preset to not-a-number: one internal check of the multistep methods reports success without a step.
static hml_status attempt(void *state, hml_step *s) {
  stepper *g = state;
  const hml_problem *p = g->problem;
  g->failure = HML_OK;
  for (size_t i = 0; i < p->n; i++) {
    g->u[i] = s->y[i] - g->offset[i];
    g->error[i] = NAN;
  }
  int code = gsl_odeiv2_step_apply(g->step, s->t, s->h, g->u, g->error, s->f, NULL, &g->system);
  if (g->failure != HML_OK && code != GSL_SUCCESS) return g->failure;
  if (code == GSL_ENOMEM) return hml_fail(p->context, HML_MEMORY, "not enough memory within a step");
  if (code != GSL_SUCCESS)
    return hml_fail(p->context, HML_STEP_COLLAPSED, "the equations of a step of %.3g could not be solved (%s)", s->h,
                    gsl_strerror(code));
  memcpy(s->y1, unshift(g, g->u), p->n * sizeof *s->y1);
  s->error = hml_control__norm(p, g->error, s->y, s->y1);
  return HML_OK;
}

// ---- dense output. What it adds to the error, in tolerances, on Kepler's problem (eccentricity 1/2) and a driven pendulum
// from 1e-3 to 1e-12: rkf45 up to 4, rk8pd up to 8, msadams and msbdf no more than the steps themselves (1 to 4).

// ---- rkf45: quintic. A cubic Hermite polynomial predicts the values at 1/3 and 2/3, whose slopes are then met; its error
// enters multiplied by h, which leaves a local error of order 5 like that of the error estimate.

static hml_status rkf45_create(const hml_problem *p, void **state) {
  return create(p, gsl_odeiv2_step_rkf45, state);
}

static hml_status rkf45_dense(void *state, const hml_step *s, double *piece) {
  stepper *g = state;
  const size_t n = g->problem->n;
  hml_condition conditions[2];
  hml_dense__hermite(n, s, piece);
  for (int k = 0; k < 2; k++) {
    double theta = (k + 1) / 3.0, *slope = g->past + (size_t)k * g->problem->stride;
    hml_dense__value(n, 3, s->y, piece, theta, g->probe);
    HML_TRY(hml_problem__finite_rhs(g->problem, s->t + theta * s->h, g->probe, slope));
    conditions[k] = (hml_condition){.theta = theta, .scale = s->h, .data = slope, .slope = true};
  }
  hml_dense__fit(n, s->y, piece, 3, 2, conditions);
  return HML_OK;
}

// ---- rk8pd has no dense output of its own: a step of DOP853 over the same interval lends its one, fourteen evaluations

static hml_status rk8pd_create(const hml_problem *p, void **state) {
  HML_TRY(create(p, gsl_odeiv2_step_rk8pd, state));
  stepper *g = *state;
  return hml_stepper_dop853.create(p, &g->dop853);
}

static hml_status rk8pd_dense(void *state, const hml_step *s, double *piece) {
  stepper *g = state;
  HML_TRY(hml_dop853__stages(g->dop853, s, g->probe));
  return hml_stepper_dop853.dense(g->dop853, s, piece);
}

// ---- multistep methods

// The history is not valid any more: the method begins again at order 1
static void forget(stepper *g) {
  gsl_odeiv2_step_reset(g->step);
  memset(g->offset, 0, g->problem->n * sizeof *g->offset);
  g->shifted = false;
  g->past_count = 0;
}

// The start of the accepted step joins the past. A projection shifts the history along with y: right for small moves, which
// leave the slopes of the past good. A restart is dear (dozens of short steps); it is for moves that no error of
// a few steps explains.
static bool remember(void *state, const hml_step *s, double moved) {
  const double far = 100;              // in units of the tolerance
  stepper *g = state;
  const size_t stride = g->problem->stride, n = g->problem->n;
  if (moved > far) {
    forget(g);
    return true;
  }
  if (moved > 0) {
    for (size_t i = 0; i < n; i++) g->offset[i] = s->y1[i] - g->u[i];
    g->shifted = true;
  }
  memmove(g->past + 2 * stride, g->past, 2 * (REMEMBERED - 1) * stride * sizeof *g->past);
  memmove(g->past_t + 1, g->past_t, (REMEMBERED - 1) * sizeof *g->past_t);
  memcpy(g->past, s->y, n * sizeof *g->past);
  memcpy(g->past + stride, s->f, n * sizeof *g->past);
  g->past_t[0] = s->t;
  if (g->past_count < REMEMBERED) g->past_count++;
  return false;
}

static unsigned order_now(void *state) {
  stepper *g = state;
  return gsl_odeiv2_step_order(g->step);
}

static const double *past_y(const stepper *g, size_t k) {
  return g->past + 2 * k * g->problem->stride;
}

static const double *past_f(const stepper *g, size_t k) {
  return past_y(g, k) + g->problem->stride;
}

static double past_theta(const stepper *g, const hml_step *s, size_t k) {
  return (g->past_t[k] - s->t) / s->h;
}

static size_t smaller(size_t a, size_t b) {
  return a < b ? a : b;
}

// ---- msadams: Hermite polynomial through values and slopes of the last points, of degree 3 to 9 by the order of the method

static hml_status msadams_create(const hml_problem *p, void **state) {
  return create(p, gsl_odeiv2_step_msadams, state);
}

static hml_status msadams_dense(void *state, const hml_step *s, double *piece) {
  stepper *g = state;
  const size_t n = g->problem->n, nodes = smaller(smaller(g->past_count, order_now(g) / 2), 3);
  hml_condition conditions[6];
  memset(piece, 0, 9 * n * sizeof *piece);
  hml_dense__hermite(n, s, piece);
  for (size_t k = 0; k < nodes; k++) {
    double theta = past_theta(g, s, k);
    conditions[2 * k] = (hml_condition){.theta = theta, .scale = 1, .data = past_y(g, k)};
    conditions[2 * k + 1] = (hml_condition){.theta = theta, .scale = s->h, .data = past_f(g, k), .slope = true};
  }
  hml_dense__fit(n, s->y, piece, 3, 2 * nodes, conditions);
  return HML_OK;
}

// ---- msbdf: polynomial through the values of the last points, of the degree of the method, as in the method itself. Slopes are not used: in
// a stiff problem they magnify the error of the values.

static hml_status msbdf_create(const hml_problem *p, void **state) {
  return create(p, gsl_odeiv2_step_msbdf, state);
}

static hml_status msbdf_dense(void *state, const hml_step *s, double *piece) {
  stepper *g = state;
  const size_t n = g->problem->n, order = order_now(g), nodes = smaller(g->past_count, smaller(order, 5) - 1);
  hml_condition conditions[REMEMBERED];
  memset(piece, 0, 5 * n * sizeof *piece);
  for (size_t i = 0; i < n; i++) piece[i] = s->y1[i] - s->y[i];
  for (size_t k = 0; k < nodes; k++)
    conditions[k] = (hml_condition){.theta = past_theta(g, s, k), .scale = 1, .data = past_y(g, k)};
  hml_dense__fit(n, s->y, piece, 1, nodes, conditions);
  return HML_OK;
}

const hml_stepper hml_stepper_rkf45 = {
    .name = "rkf45",
    .title = "Runge-Kutta-Fehlberg, order 5(4)",
    .order = 5,
    .pieces = 5,
    .exponent = 1.0 / 5,
    .beta = 0.04,
    .create = rkf45_create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = rkf45_dense,
};

const hml_stepper hml_stepper_rk8pd = {
    .name = "rk8pd",
    .title = "Prince and Dormand, order 8(9)",
    .order = 8,
    .pieces = 7,
    .exponent = 1.0 / 8,
    .create = rk8pd_create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = rk8pd_dense,
};

const hml_stepper hml_stepper_msadams = {
    .name = "msadams",
    .title = "Adams, variable order 1 to 12",
    .order = 1,
    .pieces = 9,
    .create = msadams_create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = msadams_dense,
    .accepted = remember,
    .order_now = order_now,
};

const hml_stepper hml_stepper_msbdf = {
    .name = "msbdf",
    .title = "backward differences, variable order 1 to 5, for stiff systems",
    .order = 1,
    .pieces = 5,
    .create = msbdf_create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = msbdf_dense,
    .accepted = remember,
    .order_now = order_now,
};
