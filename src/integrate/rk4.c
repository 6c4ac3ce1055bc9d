// rk4.c: the classical Runge-Kutta method of order 4 with fixed steps. Kutta 1901.
#include "integrate/stepper.h"

typedef struct rk4 {
  const hml_problem *problem;
  double *memory;                      // k2, k3, k4, argument
} rk4;

static void destroy(const hml_problem *p, void *state) {
  rk4 *k = state;
  if (!k) return;
  hml_problem__free_vectors(p, k->memory, 4);
  hml_dealloc(p->context, k, sizeof *k);
}

static hml_status create(const hml_problem *p, void **state) {
  rk4 *k = hml_alloc(p->context, sizeof *k);
  if (!k) return HML_MEMORY;
  *k = (rk4){.problem = p, .memory = hml_problem__vectors(p, 4)};
  if (!k->memory) {
    destroy(p, k);
    return HML_MEMORY;
  }
  *state = k;
  return HML_OK;
}

static hml_status attempt(void *state, hml_step *s) {
  rk4 *r = state;
  const hml_problem *p = r->problem;
  const size_t n = p->n;
  const double h = s->h, *k1 = s->f;
  double *k2 = r->memory, *k3 = k2 + p->stride, *k4 = k3 + p->stride, *x = k4 + p->stride;
  for (size_t i = 0; i < n; i++) x[i] = s->y[i] + 0.5 * h * k1[i];
  HML_TRY(hml_problem__rhs(p, s->t + 0.5 * h, x, k2));
  for (size_t i = 0; i < n; i++) x[i] = s->y[i] + 0.5 * h * k2[i];
  HML_TRY(hml_problem__rhs(p, s->t + 0.5 * h, x, k3));
  for (size_t i = 0; i < n; i++) x[i] = s->y[i] + h * k3[i];
  HML_TRY(hml_problem__rhs(p, s->t1, x, k4));
  for (size_t i = 0; i < n; i++) s->y1[i] = s->y[i] + h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  s->error = 0;
  return HML_OK;
}

static hml_status dense(void *state, const hml_step *s, double *pieces) {
  hml_dense__hermite(((rk4 *)state)->problem->n, s, pieces);
  return HML_OK;
}

const hml_stepper hml_stepper_rk4 = {.name = "rk4", .title = "Runge-Kutta 4, fixed steps", .order = 4, .pieces = 3, .fixed = true, .create = create,
                                     .destroy = destroy, .attempt = attempt, .dense = dense};
