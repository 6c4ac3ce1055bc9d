// moreau.c: time stepping of Moreau and Jean: fixed steps, no impact is located, any number of contacts.
//
// q_m = q + h v/2;  v+ from contact/timestep.c at (t + h/2, q_m);  q+ = q_m + h v+/2. The step is done twice, first with the velocities at its
// start, then with the mean ones in forces and mass: order two as long as nothing strikes. A gap takes part once it is not positive at q_m.
#include "integrate/moreau.h"

#include "integrate/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct stepping {
  const hml_moreau *m;
  hml_context *context;
  hml_model_sizes sizes;
  size_t n_state;
  double *middle, *v;                  // (n_state), (dyn)
  hml_outcome *outcome;
  hml_trajectory *points;
  double lowest, unsettled;
} stepping;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One pass: velocities at the end of the step in s->v; mean: velocities in the middle
static hml_status pass(stepping *s, double t, double h, const double *y, const double *mean, hml_step_report *report) {
  const size_t n = s->sizes.kin;
  for (size_t i = 0; i < n; i++) {
    s->middle[i] = y[i] + 0.5 * h * y[n + i];
    s->middle[n + i] = mean[i];
    s->v[i] = y[n + i];
  }
  for (size_t i = 2 * n; i < s->n_state; i++) s->middle[i] = y[i];
  HML_TRY(hml_contacts__set_state(s->m->contacts, t + 0.5 * h, s->middle));
  s->outcome->evaluations++;
  return hml_contacts__step(s->m->contacts, h, s->v, report);
}

static hml_status one_step(stepping *s, double t, double h, const double *y, double *y1) {
  const size_t n = s->sizes.kin;
  double *mean = y1 + n;               // until the step is done
  hml_step_report report;
  int moved = 0;
  HML_TRY(pass(s, t, h, y, y + n, &report));
  for (size_t i = 0; i < n; i++) mean[i] = 0.5 * (y[n + i] + s->v[i]);
  HML_TRY(pass(s, t, h, y, mean, &report));
  for (size_t i = 0; i < n; i++) y1[i] = y[i] + 0.5 * h * (y[n + i] + s->v[i]);
  if (s->n_state > 2 * n) y1[2 * n] = y[2 * n] + report.work;
  memcpy(y1 + n, s->v, n * sizeof *y1);
  s->lowest = fmin(s->lowest, report.lowest);
  s->unsettled = fmax(s->unsettled, report.unsettled);
  HML_TRY(hml_project(s->m->w, t + h, s->m->rtol, s->m->atol, y1, &moved));
  s->outcome->projections += (size_t)moved;
  return s->m->took(s->m->payload, t + h, h, y, y1, &report);
}

static hml_status keep(stepping *s, double t, const double *y, const double *y1) {
  double *row, *piece;
  HML_TRY(hml_trajectory__reserve(s->points, &row, &piece));
  memcpy(row, y1, s->n_state * sizeof *row);
  for (size_t i = 0; i < s->n_state; i++) piece[i] = y1[i] - y[i];       // straight between the points
  hml_trajectory__commit(s->points, t);
  return HML_OK;
}

static hml_status check_finite(const stepping *s, double t, const double *y) {
  for (size_t i = 0; i < s->n_state; i++)
    if (!isfinite(y[i]))
      return hml_fail(s->context, HML_NOT_FINITE, "method 'moreau': the state is not finite at t = %.10g; take a smaller step", t);
  return HML_OK;
}

static hml_status loop(stepping *s, double t0, double t1, double *y, double *y1) {
  const double h = s->m->step;
  const double wanted = ceil((t1 - t0) / h * (1 - 1e-12));
  if (!(wanted < 1e15))
    return hml_fail(s->context, HML_ARGUMENT, "method 'moreau': a step of %g makes %g steps to t = %g; take a larger one", h, wanted, t1);
  const size_t steps = (size_t)wanted;
  HML_TRY(keep(s, t0, y, y));
  for (size_t k = 0; k < steps; k++) {
    HML_TRY(hml_check_interrupt(s->context));
    if (s->m->max_steps > 0 && k >= s->m->max_steps)
      return hml_fail(s->context, HML_TOO_MANY_STEPS, "%zu steps were made, the end is t = %.15g", s->m->max_steps, t1);
    double t = t0 + (double)k * h, end = k + 1 == steps ? t1 : t0 + (double)(k + 1) * h;
    HML_TRY(one_step(s, t, end - t, y, y1));
    HML_TRY(check_finite(s, end, y1));
    HML_TRY(keep(s, end, y, y1));
    memcpy(y, y1, s->n_state * sizeof *y);
    s->outcome->steps++;
    s->outcome->t = end;
  }
  return HML_OK;
}

static hml_status tell(const stepping *s) {
  char text[300];
  if (s->lowest < 0) {
    snprintf(text, sizeof text, "gaps went down to %.3g within steps of %g: overlaps have the size of a step", s->lowest, s->m->step);
    HML_TRY(s->m->note(s->m->payload, s->outcome->t, text));
  }
  if (!(s->unsettled > 0)) return HML_OK;
  snprintf(text, sizeof text, "the impulses of the contacts did not converge within the sweeps of a step: velocities are off by up to %.3g", s->unsettled);
  return s->m->note(s->m->payload, s->outcome->t, text);
}

hml_status hml_moreau__run(hml_context *c, const hml_moreau *m, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome) {
  stepping s = {.m = m, .context = c, .sizes = hml_model__sizes(hml_workspace__model(m->w)), .outcome = outcome};
  double start = seconds_now();
  *outcome = (hml_outcome){.t = t0};
  s.n_state = hml_model_state_size(hml_workspace__model(m->w));
  double *block = hml_alloc(c, 4 * (s.n_state + 1) * sizeof *block);
  if (!block) return HML_MEMORY;
  double *y = block, *y1 = y + s.n_state + 1;
  s.middle = y1 + s.n_state + 1;
  s.v = s.middle + s.n_state + 1;
  memcpy(y, x, s.n_state * sizeof *y);
  hml_status status = hml_trajectory__new(c, s.n_state, 1, &s.points);
  if (status == HML_OK) {
    outcome->status = loop(&s, t0, t1, y, y1);
    if (hml_must_end(c)) outcome->status = hml_context_error(c)->status;
    status = tell(&s);
  }
  if (outcome->status == HML_OK) snprintf(outcome->message, sizeof outcome->message, "reached t = %.15g in %zu steps", outcome->t, outcome->steps);
  else snprintf(outcome->message, sizeof outcome->message, "stopped at t = %.15g: %.900s", outcome->t, hml_context_error(c)->message);
  if (status == HML_OK) hml_context_clear_error(c);                        // the outcome has it
  hml_dealloc(c, block, 4 * (s.n_state + 1) * sizeof *block);
  outcome->seconds = seconds_now() - start;
  if (status != HML_OK) {
    hml_trajectory_free(s.points);
    return status;
  }
  *out = s.points;
  return HML_OK;
}

// Such a run has no right-hand side: it goes through hml_moreau__run
static hml_status create(const hml_problem *p, void **state) {
  *state = NULL;
  return hml_fail(p->context, HML_UNSUPPORTED, "method 'moreau' is for systems with one-sided constraints or friction");
}

const hml_stepper hml_stepper_moreau = {.name = "moreau", .title = "time stepping of Moreau and Jean, for many contacts at once", .order = 2, .pieces = 1,
                                        .fixed = true, .over_impacts = true, .create = create};
