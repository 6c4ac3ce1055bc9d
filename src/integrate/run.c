// run.c: the loop that carries an initial value problem from t0 to t1: options, limits, outcome. march.h lists the files of the loop.
#include "integrate/march.h"
#include "integrate/near_rest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { CRAWL_WINDOW = 1000, LOOKS = 64 };   // steps; steps between looks at the clock
enum { FEW = 64 };                     // points that a run which stores its ends may hold besides those since its base
enum { VECTORS = 14 };                 // y, f, y1, f1, unprojected, cut_y, cut_f, base_y, base_f, start_y, brisk, three of work
#define PASSES 1.0                     // change of the logarithm of the depth over a window of steps that get on
#define FIRST_WORD 1.0                 // seconds until progress is reported first,
#define BETWEEN_WORDS 0.15             // and between two reports

hml_run_options hml_run_options_default(void) {
  return (hml_run_options){.method = "dop853", .rtol = 1e-9, .atol = 1e-9, .project = 1, .dense = 1};
}

static double seconds_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// ---- arguments

static hml_status check_not_negative(hml_context *c, const char *name, double value) {
  if (isfinite(value) && value >= 0) return HML_OK;
  return hml_fail(c, HML_ARGUMENT, "run: %s = %g: must be a finite number, not negative", name, value);
}

static hml_status check_options(hml_context *c, const hml_run_options *o) {
  HML_TRY(check_not_negative(c, "rtol", o->rtol));
  HML_TRY(check_not_negative(c, "atol", o->atol));
  HML_TRY(check_not_negative(c, "first_step", o->first_step));
  HML_TRY(check_not_negative(c, "max_step", o->max_step));
  if (o->rtol == 0 && o->atol == 0) return hml_fail(c, HML_ARGUMENT, "run: rtol and atol are both 0; one must be positive");
  if (o->rtol > 0 && o->rtol < 1e-14)
    return hml_fail(c, HML_ARGUMENT, "run: rtol = %g is below the precision of doubles; take 1e-14 or more", o->rtol);
  return HML_OK;
}

static hml_status check_problem(hml_context *c, const hml_ode *ode, double t0, double t1, const double *y0) {
  if (ode->n == 0 || ode->n_controlled == 0 || ode->n_controlled > ode->n)
    return hml_fail(c, HML_ARGUMENT, "run: %zu of %zu components are controlled; at least one must be, at most all",
                    ode->n_controlled, ode->n);
  if (!isfinite(t0) || !isfinite(t1) || !isfinite(t1 - t0))
    return hml_fail(c, HML_ARGUMENT, "run: from t = %g to t = %g: both ends must be finite", t0, t1);
  for (size_t i = 0; i < ode->n; i++)
    if (!isfinite(y0[i]))
      return hml_fail(c, HML_ARGUMENT, "run: %s is %s at the start", hml_problem__name(ode, i).text, hml_problem__oddity(y0[i]));
  return HML_OK;
}

// ---- points: shown to the guards, and dropped where only the ends are stored

// All points up to here are shown to the guards
static hml_status show(hml_march *r) {
  const hml_guards *g = r->problem.ode->guards;
  size_t points = hml_trajectory_points(r->trajectory);
  if (g && g->look && points > r->looked) HML_TRY(g->look(g->payload, r->trajectory, r->looked, points));
  r->looked = points;
  return HML_OK;
}

// A run that keeps its ends holds the points since the base as well: its end may turn out to lie among them
static hml_status forget(hml_march *r) {
  hml_trajectory *own = r->trajectory;
  size_t points = hml_trajectory_points(own), since = 1;
  if (r->options.keep == HML_KEEP_STEPS || points < r->held) return HML_OK;
  HML_TRY(show(r));
  while (r->lookout && since < HML_MOST_HELD && since < points && (hml_trajectory_time(own, points - since) - r->base_t) * r->sign > 0) since++;
  HML_TRY(hml_trajectory__forget(own, since));
  r->held = FEW + 2 * since;
  r->looked = hml_trajectory_points(own);
  return HML_OK;
}

// ---- the loop

// A step of fixed size that overshoots a fast part of a motion leads to values beyond all bounds
static hml_status advise_shorter(hml_march *r, hml_status status) {
  hml_context *c = r->problem.context;
  if (status != HML_NOT_FINITE || hml_context_error(c)->status != status) return status;
  char what[400];
  snprintf(what, sizeof what, "%.390s", hml_context_error(c)->message);
  hml_context_clear_error(c);
  return hml_fail(c, status, "%s; where the motion itself goes on, the step of %.6g is too long: take a smaller one", what, r->options.step);
}

// A method that computes the size of its next step is used for the first attempt
static hml_status ask_method(hml_march *r) {
  if (!r->method->propose) return HML_OK;
  hml_step s = {.t = r->t, .y = r->y, .f = r->f};
  double size = 0;
  HML_TRY(r->method->propose(r->state, &s, &size));
  const bool proposed = size > 0 && !(r->options.first_step > 0 && r->problem.outcome->steps == 0);
  const double least = 4 * hml_march__step_floor(r), most = HML_MOST_GROWTH * r->size;
  if (proposed && size <= most) {      // as a rule: the step does not wait for the size that the errors of the one before allow
    r->h = size > least ? size : least;
    r->uncounted = -1;
    return HML_OK;
  }
  hml_march__count_error(r);
  // coefficients that do not show the forces ahead would allow any step
  if (proposed) r->h = fmax(fmin(size, fmax(r->h, most)), least);
  return HML_OK;
}

static hml_status advance(hml_march *r) {
  double *row, *piece, moved = 0;
  HML_TRY(forget(r));
  HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
  if (r->piece) piece = r->piece;
  r->reason.status = HML_OK;
  size_t fires;
  HML_TRY(ask_method(r));
  HML_TRY(hml_march__cap_step(r, &fires));
  if (fires != SIZE_MAX && r->most <= fabs(r->t_end - r->t)) return hml_march__last_mile(r, fires, row, piece);
  for (;;) {
    hml_step s = {.y = r->y, .f = r->f, .y1 = r->y1, .f1 = r->f1};
    bool again = false;
    r->whole = false;
    hml_march__choose_step(r, &s);
    hml_status status = hml_march__attempt(r, &s, piece, &moved);
    if (status == HML_OK && s.error <= 1) {
      HML_TRY(hml_march__refused(r, &s, &again));
      if (r->h < hml_march__step_floor(r)) return hml_march__explain_failure(r, hml_march__collapsed(r));
      if (!again) hml_march__look_between(r, &s, &again);
      if (!again && r->lookout) HML_TRY(hml_march__look_out(r, &s, row, piece, &moved, &again));
      if (again) continue;
      HML_TRY(hml_march__check_between(r, &s));
      return r->watch ? hml_march__meet_guards(r, &s, row, piece, moved) : hml_march__accept(r, &s, row, piece, moved);
    }
    if (status != HML_OK && !hml_problem__recoverable(status)) return status;
    if (hml_must_end(r->problem.context)) return hml_context_error(r->problem.context)->status;
    if (r->method->fixed) {
      if (!hml_march__shorten(r, &s, status)) return advise_shorter(r, hml_march__explain_failure(r, status));
      continue;
    }
    hml_march__shrink(r, &s, status);
    if (r->h < hml_march__step_floor(r)) return hml_march__explain_failure(r, hml_march__collapsed(r));
  }
}

// A run that crawls: a window of steps advanced 1e-4 of the best window so far and the rest would take 1e7 steps at this
// rate. So a slide along a discontinuity, or a point where the equations end, stops the run instead of stalling it. Short steps that lead
// towards a singular place or away from it are a passage.
static hml_status check_crawl(hml_march *r) {
  size_t steps = r->problem.outcome->steps;
  if (steps == 0 || steps % CRAWL_WINDOW != 0) return HML_OK;
  double progress = fabs(r->t - r->window_start), rest = fabs(r->t_end - r->t);
  bool passes = r->problem.tighter > 0 && fabs(log(r->depth / r->window_depth)) > PASSES;
  r->window_depth = r->depth;
  if (!passes && progress < 1e-4 * r->best_progress && rest > 1e7 / CRAWL_WINDOW * progress) {
    HML_TRY(hml_march__explain(r, NULL, NULL, NULL));
    char place[500] = "", near[540] = "";
    if (r->lookout && hml_lookout__nearest(r->lookout, HML_CLOSE, sizeof place, place)) snprintf(near, sizeof near, ", close to a singular place (%s)", place);
    return hml_fail(r->problem.context, HML_STEP_COLLAPSED, "the last %d steps advanced only %.3g%s; %s changes fastest: it is %.6g, its rate %.6g",
                    CRAWL_WINDOW, progress, near, hml_problem__name(r->problem.ode, hml_march__fastest(r)).text, r->y[hml_march__fastest(r)],
                    r->f[hml_march__fastest(r)]);
  }
  r->best_progress = fmax(r->best_progress, progress);
  r->window_start = r->t;
  return HML_OK;
}

static void report_progress(hml_march *r) {
  if (!r->options.progress || r->problem.outcome->steps % LOOKS != 0) return;
  double now = seconds_now();
  if (now < r->next_word) return;
  r->next_word = now + BETWEEN_WORDS;
  r->options.progress(r->options.progress_payload, r->t);
}

static hml_status start_lookout(hml_march *r) {
  if (!r->lookout) return HML_OK;
  HML_TRY(hml_lookout__has_value(r->lookout, r->t, r->y));
  // margins of the start, which guards may have left behind
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  hml_lookout__start(r->lookout, r->t, r->y);
  hml_march__set_base(r, r->t, r->y, r->f);
  return hml_lookout__unique_start(r->lookout, r->t, r->y, r->f, r->t_end - r->t);
}

// No rates of the motion are known, and those of coordinates on which nothing depends do not count: near a steady motion they do not vanish
static void begin_rates(hml_march *r) {
  hml_workspace *w = r->problem.ode->watched;
  const hml_model *m = w ? hml_workspace__model(w) : NULL;
  r->rest_part = hml_near_rest__part(r->problem.rtol);
  for (size_t i = 0; i < r->problem.ode->n_controlled; i++) r->brisk[i] = m && hml_model__is_ignorable(m, i) ? INFINITY : 0;
}

static hml_status march(hml_march *r) {
  hml_context *c = r->problem.context;
  if (r->t == r->t_end) return HML_OK;
  HML_TRY(hml_problem__finite_rhs(&r->problem, r->t, r->y, r->f));
  HML_TRY(hml_march__choose_first_step(r));
  if (r->watch) HML_TRY(hml_watch__start(r->watch, r->t, r->y, HML_AFRESH));
  HML_TRY(start_lookout(r));
  begin_rates(r);
  while (r->t != r->t_end) {
    HML_TRY(hml_check_interrupt(c));
    if (r->options.max_steps > 0 && r->problem.outcome->steps >= r->options.max_steps)
      return hml_fail(c, HML_TOO_MANY_STEPS, "%zu steps were made, the end is t = %.15g", r->options.max_steps, r->t_end);
    HML_TRY(advance(r));
    if (hml_must_end(c)) return hml_context_error(c)->status;
    HML_TRY(check_crawl(r));
    report_progress(r);
  }
  hml_march__doubt_steps(r);
  return r->lookout ? hml_march__check_passage(r, r->t, r->y) : HML_OK;
}

// ---- a whole run

// Are polynomials made for noted times only?
static bool notes_apart(const hml_march *r) {
  return r->options.n_noted && !r->options.dense;
}

static size_t vectors_of(const hml_march *r) {
  return VECTORS + (notes_apart(r) ? r->problem.pieces : 0);
}

static hml_status open_run(hml_march *r, const double *y0) {
  hml_problem *p = &r->problem;
  hml_trajectory *onto = r->options.onto;
  if (onto) HML_TRY(hml_trajectory__fits(p->context, onto, p->n, r->options.dense ? p->pieces : 0, r->t, y0));
  r->trajectory = onto;
  r->looked = onto ? hml_trajectory_points(onto) : 0;
  if (!onto) HML_TRY(hml_trajectory__new(p->context, p->n, r->options.dense ? p->pieces : 0, &r->trajectory));
  r->memory = hml_problem__vectors(p, vectors_of(r));
  if (!r->memory) return HML_MEMORY;
  double **const vectors[] = {&r->y, &r->f, &r->y1, &r->f1, &r->unprojected, &r->cut_y, &r->cut_f, &r->base_y, &r->base_f, &r->start_y, &r->brisk, &r->work};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) *vectors[i] = r->memory + i * p->stride;
  if (notes_apart(r)) r->piece = r->memory + VECTORS * p->stride;
  while (r->noted < r->options.n_noted && r->options.noted[r->noted] == r->t) memcpy(r->options.states_noted + r->noted++ * p->n, y0, p->n * sizeof *y0);
  memcpy(r->y, y0, p->n * sizeof *y0);
  memcpy(r->start_y, y0, p->n * sizeof *y0);
  if (!onto) {
    double *row, *piece;
    HML_TRY(hml_trajectory__reserve(r->trajectory, &row, &piece));
    memcpy(row, y0, p->n * sizeof *y0);
    hml_trajectory__commit(r->trajectory, r->t);
  }
  if (p->ode->guards && p->ode->guards->n) HML_TRY(hml_watch__open(p, p->ode->guards, &r->watch));
  if (p->ode->watched) HML_TRY(hml_lookout__open(p, p->ode->watched, &r->lookout));
  if (p->ode->forces) HML_TRY(hml_tube__open(p, p->ode->forces, !r->method->fixed, &r->tube));
  const hml_status status = r->method->create(p, &r->state);
  if (status != HML_UNSUPPORTED) return status;
  HML_TRY(hml_forgiven(p->context));   // where the start has no derivative that is the reason: no other method does better
  HML_TRY(hml_problem__finite_rhs(p, r->t, r->y, r->f));
  return r->method->create(p, &r->state);
}

static void close_run(hml_march *r) {
  hml_watch__close(r->watch);
  hml_lookout__close(r->lookout);
  hml_tube__close(r->tube);
  if (r->state) r->method->destroy(&r->problem, r->state);
  hml_problem__free_vectors(&r->problem, r->memory, vectors_of(r));
}

static void report(hml_march *r, hml_status status) {
  hml_outcome *o = r->problem.outcome;
  const hml_error *e = hml_context_error(r->problem.context);
  if (hml_must_end(r->problem.context)) status = e->status;
  o->status = status;
  o->t = isfinite(r->stopped) ? r->stopped : r->t;
  if (status == HML_OK) {
    const bool whole = r->t != 0 && fabs(r->t) < 1e15 && r->t == (double)(long long)r->t;   // most ends are, and take a tenth of the time to write
    if (whole) snprintf(o->message, sizeof o->message, "reached t = %lld in %zu steps", (long long)r->t, o->steps);
    else snprintf(o->message, sizeof o->message, "reached t = %.15g in %zu steps", r->t, o->steps);
    return;
  }
  char kept[80] = "";
  if (fabs(o->t - r->t) > 1e-9 * fabs(o->t)) snprintf(kept, sizeof kept, "; values are kept up to t = %.10g", r->t);
  hml_stopped(o->message, sizeof o->message - sizeof kept, o->t, e->status != HML_OK ? e->message : hml_status_what(status));
  strcat(o->message, kept);
}

hml_status hml_integrate(hml_context *c, const hml_ode *ode, const hml_run_options *options, double t0, double t1,
                         const double *y0, hml_trajectory **out, hml_outcome *outcome) {
  double start = seconds_now();
  size_t stride = (ode->n + HML_BLOCK - 1) / HML_BLOCK * HML_BLOCK;
  hml_march r = {.options = options ? *options : hml_run_options_default(), .t = t0, .t_start = t0, .t_end = t1, .previous_error = 1e-4, .uncounted = -1, .window_start = t0, .stopped = NAN, .most = INFINITY, .shorter = INFINITY, .closest = 1, .depth = 1, .window_depth = 1};
  r.sign = t1 < t0 ? -1 : 1;
  r.next_word = start + FIRST_WORD;
  *out = NULL;
  *outcome = (hml_outcome){.t = t0, .left_rest = NAN};
  hml_context_clear_error(c);
  HML_TRY(check_options(c, &r.options));
  HML_TRY(check_problem(c, ode, t0, t1, y0));
  HML_TRY(hml_stepper__choose(c, r.options.method, &r.method));
  if (r.method->fixed && !(r.options.step > 0 && isfinite(r.options.step)))
    return hml_fail(c, HML_ARGUMENT, "run: method '%s' makes fixed steps: give step > 0", r.method->name);
  if (r.method->fixed && !(fabs(t1 - t0) / r.options.step < 1e15))
    return hml_fail(c, HML_ARGUMENT, "run: a step of %g makes %g steps to t = %g; take a larger one", r.options.step, fabs(t1 - t0) / r.options.step, t1);
  if (ode->guards && ode->guards->n) r.options.dense = 1;
  r.problem = (hml_problem){c, ode, ode->n, stride, r.method->pieces, r.options.rtol, r.options.atol, outcome, 0};
  if (r.method->pieces_of) r.problem.pieces = r.method->pieces_of(&r.problem);
  hml_status status = open_run(&r, y0);
  bool opened = status == HML_OK;
  if (opened) status = march(&r);
  if (status == HML_EVENT) hml_march__doubt_steps(&r);
  if (status == HML_OK && outcome->status == HML_OK) status = show(&r);
  close_run(&r);
  if (r.trajectory && r.options.keep != HML_KEEP_STEPS) {
    hml_status forgotten = hml_trajectory__forget(r.trajectory, 1);
    if (status == HML_OK) status = forgotten;
  }
  report(&r, status);
  outcome->seconds = seconds_now() - start;
  // completed steps remain if memory ends
  if (!opened && (status == HML_MEMORY || !r.trajectory)) {
    if (!r.options.onto) hml_trajectory_free(r.trajectory);
    return status;
  }
  hml_context_clear_error(c);
  *out = r.trajectory;
  return HML_OK;
}
