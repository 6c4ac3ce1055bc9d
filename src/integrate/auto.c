// auto.c: automatic choice of the method: DOP853, Radau IIA where the problem is stiff, Taylor series where the tolerance is so tight that
// they cost less.
//
// Stiff: |h| |lambda|, estimated from the two values of the last stage at the end of the step (Hairer and Wanner, Solving Ordinary
// Differential Equations II, IV.2), stays above the border of DOP853's stability for 15 steps. Not stiff any more: the step of Radau IIA
// times the norm of its Jacobian stays below 2 for 15 steps. A series is replaced by Radau IIA if for 15 steps in a row its last coefficients
// show a decay at the border of its own stability, about 0.37 times the order.
//
// Taylor or not is decided by counting operations, not by timing: the same run gives the same numbers on every machine and under every
// load. Measured (sleigh, disc, chains of 2, 5, 10), a Taylor step of the order for long equations at tolerance tol is longer than one of DOP853 by
// 1.2 (1e-9 / tol)^0.1, and an operation of its program takes 0.75 of the time of one there.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { PIECES = 7, PATIENCE = 15, EVALUATIONS = 15, OVERHEAD = 12 };   // per step of DOP853; operations per component and evaluation
#define BORDER 6.1                     // of DOP853's stability on the negative real axis

typedef struct automatic {
  const hml_problem *problem;
  const hml_stepper *methods[3];       // explicit, implicit, series
  void *states[3];
  int now, evidence, doubt;
  double apart;                        // of the two values of the last stage
} automatic;

enum { EXPLICIT, IMPLICIT, SERIES };

static void destroy(const hml_problem *p, void *state) {
  automatic *a = state;
  if (!a) return;
  for (int i = 0; i < 3; i++)
    if (a->states[i]) a->methods[i]->destroy(p, a->states[i]);
  hml_dealloc(p->context, a, sizeof *a);
}

static bool tight(const hml_problem *p) {
  return p->ode->formula && fmax(p->rtol, p->atol) <= 1e-7;
}

static unsigned pieces_of(const hml_problem *p) {
  unsigned order = tight(p) ? hml_stepper_taylor.pieces_of(p) : 0;
  return order > PIECES ? order : PIECES;
}

// Operations that a step of the series may have
static double allowance(const hml_problem *p) {
  double explicit = EVALUATIONS * (hml_program__cost(p->ode->formula->program) + OVERHEAD * (double)p->n);
  return (1.6 * explicit * pow(1e-9 / fmax(p->rtol, p->atol), 0.1) - 50) * hml_taylor__longer(p);
}

// Clear before the series is made
static bool hopeless(const hml_problem *p) {
  double order = hml_stepper_taylor.pieces_of(p), products = 0.5 * order * (order + 1);
  return 0.5 * products * hml_program__series_cost(p->context, p->ode->formula->program, p->ode->formula->states) > allowance(p);
}

static hml_status choose(automatic *a) {
  const hml_problem *p = a->problem;
  HML_TRY(a->methods[EXPLICIT]->create(p, &a->states[EXPLICIT]));
  if (!tight(p) || hopeless(p)) return HML_OK;
  hml_status status = a->methods[SERIES]->create(p, &a->states[SERIES]);
  if (status == HML_LIMIT || status == HML_UNSUPPORTED) {              // too long: the explicit method it is
    HML_TRY(hml_forgiven(p->context));
    a->states[SERIES] = NULL;
    return HML_OK;
  }
  HML_TRY(status);
  if (hml_program__cost(hml_taylor__series(a->states[SERIES])) < allowance(p)) a->now = SERIES;
  return HML_OK;
}

static hml_status create(const hml_problem *p, void **state) {
  automatic *a = hml_alloc(p->context, sizeof *a);
  if (!a) return HML_MEMORY;
  *a = (automatic){.problem = p, .methods = {&hml_stepper_dop853, &hml_stepper_radau5, &hml_stepper_taylor}};
  hml_status status = choose(a);
  if (status == HML_OK) *state = a;
  else destroy(p, a);
  return status;
}

static const hml_stepper *present(void *state) {
  automatic *a = state;
  return a->methods[a->now];
}

// The elimination written into the series does not hold there, or there is no series
static bool gives_up(const automatic *a, hml_status status) {
  return a->now == SERIES && (status == HML_UNSUPPORTED || status == HML_NOT_FINITE) && hml_forgive(a->problem->context);
}

// From where the series is not valid the explicit method continues

static hml_status attempt(void *state, hml_step *s) {
  automatic *a = state;
  hml_status status = present(a)->attempt(a->states[a->now], s);
  if (gives_up(a, status)) {
    a->now = EXPLICIT;
    a->evidence = a->doubt = 0;
    status = present(a)->attempt(a->states[a->now], s);
  }
  HML_TRY(status);
  if (a->now != EXPLICIT) return HML_OK;
  const double *x = hml_dop853__last_argument(a->states[EXPLICIT]);
  double sum = 0;
  for (size_t i = 0; i < a->problem->n; i++) sum += (s->y1[i] - x[i]) * (s->y1[i] - x[i]);
  a->apart = sqrt(sum);
  return HML_OK;
}

static hml_status propose(void *state, const hml_step *s, double *size) {
  automatic *a = state;
  hml_status status = present(a)->propose ? present(a)->propose(a->states[a->now], s, size) : HML_OK;
  return gives_up(a, status) ? HML_OK : status;
}

static hml_status slope(void *state, double t, const double *y, double *f) {
  automatic *a = state;
  hml_status status = present(a)->slope(a->states[a->now], t, y, f);
  // the step that ends here is the series' still
  return gives_up(a, status) ? hml_problem__finite_rhs(a->problem, t, y, f) : status;
}

static double end_error(void *state, const hml_step *s) {
  automatic *a = state;
  return present(a)->end_error ? present(a)->end_error(a->states[a->now], s) : 0;
}

static hml_status dense(void *state, const hml_step *s, double *piece) {
  automatic *a = state;
  size_t n = a->problem->n;
  memset(piece, 0, a->problem->pieces * n * sizeof *piece);
  return present(a)->dense(a->states[a->now], s, piece);
}

static double between(void *state, const hml_step *s, const double *piece) {
  automatic *a = state;
  return present(a)->between ? present(a)->between(a->states[a->now], s, piece) : 0;
}

static double along(void *state, const hml_step *s, double *piece, double theta, double *y) {
  automatic *a = state;
  return present(a)->along ? present(a)->along(a->states[a->now], s, piece, theta, y) : DBL_MAX;
}

// |h lambda| of the step just made by the explicit method
static double stretch(const automatic *a, const hml_step *s) {
  const double *slope = hml_dop853__last_slope(a->states[EXPLICIT]);
  double sum = 0;
  for (size_t i = 0; i < a->problem->n; i++) sum += (s->f1[i] - slope[i]) * (s->f1[i] - slope[i]);
  return a->apart > 0 ? fabs(s->h) * sqrt(sum) / a->apart : 0;
}

// Evidence counts up, doubt takes it back only when it has lasted
static bool weigh(automatic *a, bool speaks_for) {
  if (speaks_for) {
    a->doubt = 0;
    return ++a->evidence >= PATIENCE;
  }
  if (++a->doubt >= 6) a->evidence = 0;
  return false;
}

static bool accepted(void *state, const hml_step *s, double moved) {
  automatic *a = state;
  bool change = false;
  if (present(a)->accepted) present(a)->accepted(a->states[a->now], s, moved);
  if (a->now == EXPLICIT) change = weigh(a, stretch(a, s) > BORDER);
  if (a->now == SERIES) {              // coefficients fluctuate: steps in a row
    bool decay = hml_taylor__stretch(a->states[SERIES], s) > 0.3 * hml_taylor__order(a->states[SERIES]);
    a->evidence = decay ? a->evidence + 1 : 0;
    change = a->evidence >= PATIENCE;
  }
  if (a->now == IMPLICIT) {
    a->problem->outcome->stiff_steps++;
    change = weigh(a, fabs(s->h) * hml_radau__norm(a->states[IMPLICIT]) < 2);
  }
  if (!change) return false;
  int next = a->now == IMPLICIT ? EXPLICIT : IMPLICIT;
  if (!a->states[next] && a->methods[next]->create(a->problem, &a->states[next]) != HML_OK) {
    hml_forgive(a->problem->context);                                  // lack of memory ends the run
    return false;
  }
  a->now = next;
  a->evidence = a->doubt = 0;
  return false;
}

const hml_stepper hml_stepper_auto = {
    .name = "auto",
    .title = "DOP853, Radau IIA where stiff, Taylor series where tight",
    .order = 8,
    .pieces = PIECES,
    .exponent = 1.0 / 8,
    .cuts = true,
    .pieces_of = pieces_of,
    .create = create,
    .destroy = destroy,
    .attempt = attempt,
    .dense = dense,
    .between = between,
    .along = along,
    .accepted = accepted,
    .propose = propose,
    .slope = slope,
    .end_error = end_error,
    .present = present,
};
