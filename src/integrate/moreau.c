// moreau.c: time stepping of Moreau and Jean: fixed steps, no impact is located, any number of contacts.
//
// q_m = q + h v/2;  v+ from contact/timestep.c at (t + h/2, q_m);  q+ = q_m + h v+/2. The step is done twice, first with the velocities at its
// start, then with the mean ones in forces and mass: order two as long as nothing strikes. A gap takes part once it is not positive at q_m.
//
// Beside it goes a run with steps of half the size (halved.c), which gives its error; between the points gaps are looked at by their formulas
// (overlap.c), and singular places of the motion without contacts by those of the model (lookout.c).
#include "integrate/moreau.h"

#include "integrate/stepping.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { MOST_EXAMINED = 300, BETWEEN = 3 };     // steps examined because they are too long to be looked at; states between the ends that are looked at

#define LOST 1e-6                      // of the largest velocity: uncertainty by rounding that the steps of a run may leave, far below their own errors

typedef struct stepping {
  const hml_moreau *m;
  hml_context *context;
  hml_model_sizes sizes;
  size_t n_state;
  double *middle, *v;                  // (n_state), (dyn)
  hml_outcome *outcome;
  hml_trajectory *points;
  double lowest, unsettled, fastest;   // fastest: largest velocity
  double lost, share;                  // errors of velocities by rounding, of all steps so far; part of all that are allowed which is allowed in one
  bool struck;                         // the last step holds an impact
  hml_ode ode, forced;                 // of the motion without contacts; with their forces, for the tube only
  hml_problem problem;
  hml_lookout *lookout;                // NULL: no place is singular
  hml_tube *tube;
  hml_crossings *crossings;
  hml_overlaps *overlaps;
  hml_halved *halved;
  double *memory, *f, *f1, *a, *between;   // slopes at the ends of a step without contacts, accelerations in its middle; states between the ends
  size_t examined;
} stepping;

static double seconds_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// One pass: velocities at the end of the step in s->v; mean: velocities in the middle
static hml_status pass(stepping *s, double t, double h, const double *y, const double *mean, double enough, hml_step_report *report) {
  const size_t n = s->sizes.kin;
  for (size_t i = 0; i < n; i++) {
    s->middle[i] = y[i] + 0.5 * h * y[n + i];
    s->middle[n + i] = mean[i];
    s->v[i] = y[n + i];
  }
  for (size_t i = 2 * n; i < s->n_state; i++) s->middle[i] = y[i];
  HML_TRY(hml_contacts__set_state(s->m->contacts, t + 0.5 * h, s->middle));
  s->outcome->evaluations++;
  return hml_contacts__step(s->m->contacts, h, s->v, enough, report);
}

// enough: an error by rounding up to that need not be known; infinite: none is asked for
static hml_status make_step(stepping *s, double t, double h, const double *y, double *y1, double enough, hml_step_report *report) {
  const size_t n = s->sizes.kin;
  double *mean = y1 + n;               // until the step is done
  int moved = 0;
  HML_TRY(pass(s, t, h, y, y + n, INFINITY, report));
  for (size_t i = 0; i < n; i++) mean[i] = 0.5 * (y[n + i] + s->v[i]);
  HML_TRY(pass(s, t, h, y, mean, enough, report));
  for (size_t i = 0; i < n; i++) y1[i] = y[i] + 0.5 * h * (y[n + i] + s->v[i]);
  if (s->n_state > 2 * n) y1[2 * n] = y[2 * n] + report->work;
  memcpy(y1 + n, s->v, n * sizeof *y1);
  HML_TRY(hml_project(s->m->w, t + h, s->m->rtol, s->m->atol, y1, &moved));
  s->outcome->projections += (size_t)moved;
  return HML_OK;
}

// For the run with halved steps
static hml_status make_beside(void *payload, double t, double h, const double *y, double *y1) {
  hml_step_report report;
  return make_step(payload, t, h, y, y1, INFINITY, &report);
}

// Errors by rounding that leave the motion as it is to the errors of its steps
static double allowed(const stepping *s) {
  return LOST * s->fastest + s->m->atol;
}

static hml_status add_error(stepping *s, double t, double error) {
  s->lost += error;
  if (!(s->lost > allowed(s))) return HML_OK;
  char off[32] = "";
  if (s->lost < s->fastest) snprintf(off, sizeof off, " by %.1g of the largest", s->lost / s->fastest);
  return hml_fail(s->context, HML_LOST_DIGITS, "model '%s': rounding leaves the velocities after the steps to t = %.10g uncertain%s, since masses, lengths or forces "
                  "differ by many orders of magnitude", hml_model__name(hml_workspace__model(s->m->w)), t, off);
}

static hml_status one_step(stepping *s, double t, double h, const double *y, double *y1) {
  const size_t n = s->sizes.kin;
  hml_step_report report;
  HML_TRY(make_step(s, t, h, y, y1, s->share * allowed(s), &report));
  s->struck = report.strikes != SIZE_MAX;
  memcpy(s->a, hml_workspace__accelerations(s->m->w), s->sizes.dyn * sizeof *s->a);
  for (size_t i = n; i < 2 * n; i++) s->fastest = fmax(s->fastest, fabs(y1[i]));
  HML_TRY(add_error(s, t + h, report.error));
  s->lowest = fmin(s->lowest, report.lowest);
  s->unsettled = fmax(s->unsettled, report.unsettled);
  return s->m->took(s->m->payload, t + h, h, y, y1, &report);
}

// ---- singular places

// The motion without contacts from (t, y) on for h, or back
static hml_status examine(stepping *s, double t, double h, const double *y) {
  hml_finding found;
  HML_TRY(hml_lookout__examine(s->lookout, &(hml_step){.t = t, .h = h, .t1 = t + h, .y = y}, &found));
  hml_trajectory_free(found.fine);
  if (found.kind != HML_BARRIER) return HML_OK;
  s->outcome->t = found.t;
  return hml_fail(s->context, found.why.status, "%s", found.why.message);
}

// Impacts act in the middle: on both sides of it the step follows the motion without them. A contact that lasts changes little in one step
static hml_status examine_step(stepping *s, double t, double t1, const double *y, const double *y1) {
  const double h = t1 - t;
  if (!s->struck) return examine(s, t, h, y);
  HML_TRY(examine(s, t, 0.5 * h, y));
  return examine(s, t1, -0.5 * h, y1);
}

static void fill_between(const stepping *s, const double *y, const double *y1) {
  for (size_t k = 0; k < BETWEEN; k++)
    for (size_t i = 0; i < s->n_state; i++) s->between[k * s->problem.stride + i] = y[i] + (double)(k + 1) / (BETWEEN + 1) * (y1[i] - y[i]);
}

static hml_status look_out(stepping *s, double t, double t1, const double *y, double *y1) {
  if (!s->lookout) return HML_OK;
  bool alarm;
  double too_long;
  hml_step step = {.t = t, .h = t1 - t, .t1 = t1, .y = y, .f = s->f, .y1 = y1, .f1 = s->f1};
  hml_lookout__begin(s->lookout);
  HML_TRY(hml_problem__finite_rhs(&s->problem, t1, y1, s->f1));
  hml_lookout__end(s->lookout);
  fill_between(s, y, y1);
  HML_TRY(hml_lookout__look(s->lookout, &step, s->between, HML_AT_POINTS, &alarm, &too_long));
  if (alarm || (too_long > 1 && s->examined++ < MOST_EXAMINED)) HML_TRY(examine_step(s, t, t1, y, y1));
  hml_lookout__passed(s->lookout, &step);
  memcpy(s->f, s->f1, s->n_state * sizeof *s->f);
  return HML_OK;
}

static hml_status start_lookout(stepping *s, double t, const double *y) {
  if (!s->lookout) return HML_OK;
  HML_TRY(hml_problem__finite_rhs(&s->problem, t, y, s->f));
  hml_lookout__start(s->lookout, t, y);
  return HML_OK;
}

// ---- the run

// Straight between the points. *out: the differences
static hml_status keep(stepping *s, double t, const double *y, const double *y1, const double **out) {
  double *row, *piece;
  HML_TRY(hml_trajectory__reserve(s->points, &row, &piece));
  memcpy(row, y1, s->n_state * sizeof *row);
  for (size_t i = 0; i < s->n_state; i++) piece[i] = y1[i] - y[i];
  hml_trajectory__commit(s->points, t);
  *out = piece;
  return HML_OK;
}

static hml_status check_finite(const stepping *s, double t, const double *y) {
  for (size_t i = 0; i < s->n_state; i++)
    if (!isfinite(y[i]))
      return hml_fail(s->context, HML_NOT_FINITE, "method 'moreau': the state is not finite at t = %.10g; take a smaller step", t);
  return HML_OK;
}

static hml_status advance(stepping *s, double t, double end, double *y, double *y1) {
  const double *piece;
  HML_TRY(one_step(s, t, end - t, y, y1));
  HML_TRY(check_finite(s, end, y1));
  HML_TRY(look_out(s, t, end, y, y1));
  const hml_step step = {.t = t, .h = end - t, .t1 = end, .y = y, .y1 = y1};
  HML_TRY(keep(s, end, y, y1, &piece));
  HML_TRY(hml_overlaps__look(s->overlaps, &step, piece));
  return hml_halved__follow(s->halved, &step, s->a);
}

static hml_status loop(stepping *s, double t0, double t1, double *y, double *y1) {
  const double h = s->m->step, *piece;
  const double wanted = ceil((t1 - t0) / h * (1 - 1e-12));
  if (!(wanted < 1e15))
    return hml_fail(s->context, HML_ARGUMENT, "method 'moreau': a step of %g makes %g steps to t = %g; take a larger one", h, wanted, t1);
  const size_t steps = (size_t)wanted;
  s->share = 0.5 / (double)steps;
  for (size_t i = s->sizes.kin; i < 2 * s->sizes.kin; i++) s->fastest = fmax(s->fastest, fabs(y[i]));
  HML_TRY(keep(s, t0, y, y, &piece));
  HML_TRY(start_lookout(s, t0, y));
  for (size_t k = 0; k < steps; k++) {
    HML_TRY(hml_check_interrupt(s->context));
    if (s->m->max_steps > 0 && k >= s->m->max_steps)
      return hml_fail(s->context, HML_TOO_MANY_STEPS, "%zu steps were made, the end is t = %.15g", s->m->max_steps, t1);
    double t = t0 + (double)k * h, end = k + 1 == steps ? t1 : t0 + (double)(k + 1) * h;
    HML_TRY(advance(s, t, end, y, y1));
    memcpy(y, y1, s->n_state * sizeof *y);
    s->outcome->steps++;
    s->outcome->t = end;
  }
  return HML_OK;
}

// ---- the verdict

static void doubt(stepping *s) {
  hml_outcome *o = s->outcome;
  const hml_halved_verdict v = hml_halved__verdict(s->halved);
  const double off = fmax(v.positions, v.velocities), unsettled = s->unsettled / (s->fastest + DBL_MIN);
  o->step_errors = off;
  if (v.stopped)
    snprintf(o->doubt, sizeof o->doubt, "a run with steps of half the size stops after t = %.10g: %.250s", v.from, v.why.message);
  else if (off > 1)
    snprintf(o->doubt, sizeof o->doubt, "the steps of %g leave errors as large as the motion itself, by comparison with steps of half the size: more than %g of it from t = %.6g on; "
             "take a smaller step", s->m->step, HML_MISSED, v.from);
  else if (off > HML_MISSED)
    snprintf(o->doubt, sizeof o->doubt, "the steps of %g leave errors of about %.2g of the motion, by comparison with steps of half the size: more than %g from t = %.6g on; "
             "take a smaller step", s->m->step, off, HML_MISSED, v.from);
  else if (isfinite(v.hidden))
    snprintf(o->doubt, sizeof o->doubt, "a force may come and go, or a gap may close, within steps that do not show it: at t = %.10g even within %.2g; take a smaller step, or a "
             "method that controls its errors, such as dop853", v.hidden, v.part);
  else if (unsettled > HML_MISSED)
    snprintf(o->doubt, sizeof o->doubt, "the impulses of the contacts did not converge: velocities are off by up to %.2g of the largest one", unsettled);
}

// An obstacle that a step passes over
static void judge_overlaps(stepping *s) {
  const hml_overlap deepest = hml_overlaps__deepest(s->overlaps);
  if (!(deepest.value < 0)) return;
  s->outcome->status = HML_PENETRATION;
  snprintf(s->outcome->message, sizeof s->outcome->message, "'%.80s' is %.3g at t = %.10g, where it must not be negative: a step of %g passes over an obstacle that is "
           "narrower than the way of a step; take a smaller step, or a method that locates impacts", s->m->gap_name(s->m->payload, deepest.gap), deepest.value, deepest.t, s->m->step);
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

// ---- memory

enum { VECTORS = 7 + BETWEEN };        // y, y1, middle, v, f, f1, a, between

static hml_status open_stepping(stepping *s, double span, const double *x) {
  hml_problem *p = &s->problem;
  s->memory = hml_problem__vectors(p, VECTORS);
  if (!s->memory) return HML_MEMORY;
  double **const vectors[] = {&s->middle, &s->v, &s->f, &s->f1, &s->a, &s->between};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = s->memory + (2 + i) * p->stride;
  memcpy(s->memory, x, s->n_state * sizeof *x);
  HML_TRY(hml_trajectory__new(s->context, s->n_state, 1, &s->points));
  HML_TRY(hml_tube__open(&(hml_problem){.context = s->context, .ode = &s->forced}, s->m->w, false, &s->tube));
  HML_TRY(hml_overlaps__open(p, s->m->contacts, s->m->gap, s->m->gaps, &s->overlaps));
  HML_TRY(hml_crossings__open(p, s->m->w, &s->crossings));
  HML_TRY(hml_halved__open(p, s->sizes, (hml_within){s->tube, s->crossings, s->overlaps}, make_beside, s, span, x, &s->halved));
  if (hml_model__places(hml_workspace__model(s->m->w))->count || hml_workspace__margins(s->m->w)) HML_TRY(hml_lookout__open(p, s->m->w, &s->lookout));
  return HML_OK;
}

static void close_stepping(stepping *s) {
  hml_lookout__close(s->lookout);
  hml_halved__close(s->halved);
  hml_overlaps__close(s->overlaps);
  hml_crossings__close(s->crossings);
  hml_tube__close(s->tube);
  if (s->memory) hml_problem__free_vectors(&s->problem, s->memory, VECTORS);
}

static hml_status run(stepping *s, double t0, double t1, const double *x) {
  hml_outcome *o = s->outcome;
  HML_TRY(open_stepping(s, t1 - t0, x));
  o->status = loop(s, t0, t1, s->memory, s->memory + s->problem.stride);
  if (hml_must_end(s->context)) o->status = hml_context_error(s->context)->status;
  HML_TRY(tell(s));
  if (o->status == HML_OK) snprintf(o->message, sizeof o->message, "reached t = %.15g in %zu steps", o->t, o->steps);
  else hml_stopped(o->message, sizeof o->message, o->t, hml_context_error(s->context)->message);
  hml_context_clear_error(s->context);                                     // the outcome has it
  if (o->status != HML_OK) return HML_OK;
  doubt(s);
  judge_overlaps(s);
  return HML_OK;
}

hml_status hml_moreau__run(hml_context *c, const hml_moreau *m, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome) {
  stepping s = {.m = m, .context = c, .sizes = hml_model__sizes(hml_workspace__model(m->w)), .outcome = outcome, .ode = hml_model_run__ode(m->w)};
  double start = seconds_now();
  *outcome = (hml_outcome){.t = t0, .left_rest = NAN};
  s.n_state = s.ode.n;
  s.problem = (hml_problem){.context = c, .ode = &s.ode, .n = s.n_state, .stride = (s.n_state + HML_BLOCK) / HML_BLOCK * HML_BLOCK, .pieces = 1, .rtol = m->rtol,
                            .atol = m->atol, .outcome = outcome};
  s.forced = s.ode;
  s.forced.payload = m->payload;
  s.forced.stretch = m->stretch;
  hml_status status = run(&s, t0, t1, x);
  close_stepping(&s);
  outcome->seconds = seconds_now() - start;
  if (status == HML_OK) *out = s.points;
  else hml_trajectory_free(s.points);
  return status;
}

// Such a run has no right-hand side: it goes through hml_moreau__run
static hml_status create(const hml_problem *p, void **state) {
  *state = NULL;
  return hml_fail(p->context, HML_UNSUPPORTED, "method 'moreau' is for systems with one-sided constraints or friction");
}

const hml_stepper hml_stepper_moreau = {.name = "moreau", .title = "time stepping of Moreau and Jean, for many contacts at once", .order = 2, .pieces = 1,
                                        .fixed = true, .over_impacts = true, .create = create};
