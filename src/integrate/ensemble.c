// ensemble.c: many runs of one model, in threads: the distribution of the jobs, single runs, also with contacts and events, and their
// failures. lanes.c makes several runs side by side in the lanes of one processor.
//
// A job depends on its number alone, and lanes do not see each other, so the results are the same bits for any number of threads.
#include "integrate/ensemble.h"

#include <float.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

typedef struct ensemble {
  hml_context *context;
  const hml_model *model;
  const hml_ensemble_spec *spec;
  hml_run_options options;
  const hml_native *native, *corrections[2], *residuals[2], *places, *look, *tangent, *tangent_still, *guard;      // the model keeps these
  hml_native *guards, *guard_rates, *averaged;
  hml_program *readings_rates;         // of the program of all readings
  unsigned *degrees;                   // of its outputs
  hml_native **gradients;              // of functions whose roots must be decided             (n_roots)
  hml_remainder **remainders;          // of smooth ones that are no polynomials of low degree (n_roots)
  unsigned lanes, order;               // order: of Taylor series in lanes; 0: DOP853
  size_t inputs, series_margins;       // of the program that runs in lanes
  size_t n_residuals[2], tangent_values;
  hml_gauss_rule rule;                 // of steps of one size in lanes
  bool even;                           // lanes make such steps
  bool at_once;                        // every run goes to the last time at once
  double *states;
  hml_ensemble_row *rows;
  _Atomic size_t next, done, failed;
  _Atomic int broken;                  // status of a thread that could not continue
  pthread_mutex_t lock;                // guards the fields below
  hml_context *texts;                  // gives the memory of messages
} ensemble;

double *hml_crew__state(const hml_crew *crew, size_t job, size_t time) {
  return crew->states + (job * crew->spec->n_times + time) * crew->n;
}

const double *hml_crew__parameters_of(const hml_crew *crew, size_t job) {
  return crew->spec->parameters ? crew->spec->parameters + job * crew->parameters : NULL;
}

static size_t next_job(void *payload) {
  ensemble *e = payload;
  size_t job = atomic_fetch_add(&e->next, 1);
  return job < e->spec->n && !atomic_load(&e->broken) ? job : SIZE_MAX;
}

static void finished(void *payload, size_t job) {
  ensemble *e = payload;
  if (e->rows[job].left) return;
  if (e->rows[job].status != HML_OK && e->rows[job].status != HML_EVENT) atomic_fetch_add(&e->failed, 1);
  atomic_fetch_add(&e->done, 1);
}

// ---- what is read off the runs

// Into the results of the job
static hml_status store(hml_crew *crew, size_t job, const hml_readings *r) {
  const hml_readings_spec *s = crew->spec->readings;
  hml_ensemble_row *row = &crew->rows[job];
  ensemble *e = crew->payload;
  size_t count, bytes;
  const double *found = hml_readings__found(r, &count);
  for (size_t i = 0; i < s->n_roots; i++) s->counts[job * s->n_roots + i] = hml_readings__counts(r)[i];
  for (size_t k = 0; k < s->n_peaks; k++) s->peaks[job * s->n_peaks + k] = hml_readings__peaks(r)[k];
  for (size_t k = 0; k < s->n_means; k++) s->means[job * s->n_means + k] = hml_readings__means(r)[k];
  if (!count) return HML_OK;
  count *= 2 + crew->n;
  bytes = count * sizeof *found;
  pthread_mutex_lock(&e->lock);
  row->found = hml_alloc(e->texts, bytes);
  hml_context_clear_error(e->texts);
  pthread_mutex_unlock(&e->lock);
  if (!row->found) return hml_fail(crew->context, HML_MEMORY, "ensemble: no memory for %zu roots", count / (2 + crew->n));
  memcpy(row->found, found, bytes);
  row->n_found = count;
  return HML_OK;
}

// What lanes have read off a job that is run again
static void forget(hml_crew *crew, size_t job) {
  const hml_readings_spec *s = crew->spec->readings;
  hml_ensemble_row *row = &crew->rows[job];
  ensemble *e = crew->payload;
  if (!s) return;
  pthread_mutex_lock(&e->lock);
  hml_dealloc(e->texts, row->found, row->n_found * sizeof *row->found);
  pthread_mutex_unlock(&e->lock);
  row->found = NULL;
  row->n_found = 0;
  for (size_t i = 0; i < s->n_roots; i++) s->counts[job * s->n_roots + i] = 0;
  for (size_t k = 0; k < s->n_peaks; k++) s->peaks[job * s->n_peaks + k] = NAN;
  for (size_t k = 0; k < s->n_means; k++) s->means[job * s->n_means + k] = NAN;
}

// ---- one job by itself

static void note(hml_crew *crew, size_t job, const hml_outcome *o) {
  hml_ensemble_row *row = &crew->rows[job];
  ensemble *e = crew->payload;
  row->status = o->status;
  row->t = o->t;
  row->steps += o->steps;
  row->rejected += o->rejected;
  row->evaluations += o->evaluations;
  row->impacts += o->impacts;
  row->switches += o->switches;
  const bool doubted = o->doubt[0] && (o->status == HML_OK || o->status == HML_EVENT);
  const char *text = doubted || o->status == HML_OK ? o->doubt : o->message;
  row->doubted |= doubted;
  if (!text[0] || (o->status == HML_OK && row->message)) return;          // the first doubt is reported
  pthread_mutex_lock(&e->lock);
  hml_free(e->texts, row->message);
  row->message = hml_text_copy(e->texts, text);
  if (!row->message) row->status = HML_MEMORY;
  hml_context_clear_error(e->texts);
  pthread_mutex_unlock(&e->lock);
}

// All readings off a finished run
static hml_status read_off(hml_crew *crew, size_t job, const hml_trajectory *r, const hml_outcome *of) {
  const hml_ensemble_spec *s = crew->spec;
  hml_readings *readings;
  if (!s->readings || hml_readings__only_ends(s->readings)) return HML_OK;
  HML_TRY(hml_readings__open(crew->context, s->readings, crew->n, hml_trajectory__pieces(r), &readings));
  const double sign = s->times[s->n_times - 1] < s->t0 ? -1 : 1;
  const hml_accuracy accuracy = {crew->options.rtol, crew->options.atol, hml_accuracy__part(of->step_errors, of->not_compared), of->status == HML_EVENT,
                                 of->compared != 0};
  hml_status status = hml_readings__along(readings, s->readings->constants + job * s->readings->n_constants, sign, &accuracy, r);
  if (status == HML_OK) status = store(crew, job, readings);
  hml_readings__close(readings);
  if (status == HML_OK) return status;
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  hml_ensemble_row *row = &crew->rows[job];
  hml_outcome o = {.status = status, .t = row->t};
  snprintf(o.message, sizeof o.message, "%s", hml_context_error(crew->context)->message);
  hml_context_clear_error(crew->context);
  note(crew, job, &o);
  return HML_OK;
}

static hml_status begin_job(hml_crew *crew, size_t job) {
  const double *parameters = hml_crew__parameters_of(crew, job);
  // lanes may have left readings, states and growth
  forget(crew, job);
  crew->rows[job] = (hml_ensemble_row){.t = crew->spec->t0};
  for (size_t i = 0; i < crew->spec->n_times * crew->n; i++) hml_crew__state(crew, job, 0)[i] = NAN;
  for (size_t i = 0; i < 2 * crew->spec->directions; i++) crew->spec->growth[job * 2 * crew->spec->directions + i] = NAN;
  return parameters ? hml_workspace_set_parameters(crew->workspace, parameters) : HML_OK;
}

// States that were noted behind the last point, which the run has dropped; of a run that was interrupted, also while it was judged, all of them
static void drop_behind(hml_crew *crew, size_t job, double last, bool interrupted) {
  const hml_ensemble_spec *s = crew->spec;
  const double sign = s->times[s->n_times - 1] < s->t0 ? -1 : 1;
  for (size_t k = 0; k < s->n_times; k++)
    for (size_t i = 0; i < crew->n && (interrupted || sign * (last - s->times[k]) < 0); i++) hml_crew__state(crew, job, k)[i] = NAN;
}

// One run for all times, so that its verdict does not depend on them; it stores its ends
static hml_status alone(hml_crew *crew, size_t job) {
  const hml_ensemble_spec *s = crew->spec;
  hml_trajectory *r;
  hml_outcome outcome;
  hml_run_options o = crew->options;
  HML_TRY(begin_job(crew, job));
  o.dense = 0;
  o.keep = HML_KEEP_ENDS;
  o.noted = s->times;
  o.n_noted = s->n_times;
  o.states_noted = hml_crew__state(crew, job, 0);
  HML_TRY(hml_run(crew->workspace, &o, s->t0, s->times[s->n_times - 1], s->starts + job * crew->n, &r, &outcome));
  note(crew, job, &outcome);
  drop_behind(crew, job, hml_trajectory_time(r, hml_trajectory_points(r) - 1), outcome.status == HML_INTERRUPTED);
  const hml_status status = hml_crew__look_back(crew, job, r);
  hml_trajectory_free(r);
  return status == HML_OK && outcome.status == HML_INTERRUPTED ? HML_INTERRUPTED : status;
}

// For another call: only_lanes
static hml_status leave(hml_crew *crew, size_t job) {
  HML_TRY(begin_job(crew, job));
  crew->rows[job].status = HML_INTERRUPTED;
  crew->rows[job].left = 1;
  return HML_OK;
}

// The same with all steps, which are read or judged afterwards
static hml_status alone_at_once(hml_crew *crew, size_t job) {
  const hml_ensemble_spec *s = crew->spec;
  hml_trajectory *r;
  hml_outcome outcome;
  hml_run_options o = crew->options;
  HML_TRY(begin_job(crew, job));
  o.dense = 1;
  o.keep = HML_KEEP_STEPS;
  HML_TRY(hml_run(crew->workspace, &o, s->t0, s->times[s->n_times - 1], s->starts + job * crew->n, &r, &outcome));
  note(crew, job, &outcome);
  const double last = hml_trajectory_time(r, hml_trajectory_points(r) - 1), sign = s->times[s->n_times - 1] < s->t0 ? -1 : 1;
  hml_status status = outcome.status == HML_INTERRUPTED ? HML_INTERRUPTED : HML_OK;
  for (size_t k = 0; k < s->n_times && status == HML_OK && sign * (last - s->times[k]) >= 0; k++)
    status = hml_trajectory_at(r, s->times[k], hml_crew__state(crew, job, k));
  if (status == HML_OK) status = read_off(crew, job, r, &outcome);
  if (status == HML_OK) status = hml_crew__look_back(crew, job, r);
  hml_trajectory_free(r);
  return status;
}

// ---- one job with contacts or events

// The state at that time on the constraints, where they are not far
static hml_status tidy_state(hml_crew *crew, double t, double *x) {
  enum { FAR = 1000 };                 // larger corrections are not trusted: near a singular place the projection may go anywhere
  const hml_ensemble_spec *s = crew->spec;
  double *y = hml_alloc(crew->context, (crew->n + 1) * sizeof *y), size = 0, most = 0;
  int moved;
  if (!y) return HML_MEMORY;
  memcpy(y, x, crew->n * sizeof *y);
  hml_status status = hml_project(crew->workspace, t, s->tidy_rtol, s->tidy_atol, y, &moved);
  for (size_t i = 0; i < crew->n; i++) {
    size = fmax(size, fabs(x[i]));
    most = fmax(most, fabs(y[i] - x[i]));
  }
  if (status == HML_OK && most * FAR <= size) memcpy(x, y, crew->n * sizeof *y);
  hml_dealloc(crew->context, y, (crew->n + 1) * sizeof *y);
  if (status != HML_OK) hml_context_clear_error(crew->context);
  return status == HML_MEMORY ? status : HML_OK;
}

// From time number `first` on: the states, and the forces in the modes that hold there, at the times that the run has reached; for the last time, of a run that an event
// ended before it, those at the event
static hml_status keep_times(hml_crew *crew, size_t job, size_t first, const hml_trajectory *r, bool event) {
  const hml_ensemble_spec *s = crew->spec;
  const hml_hybrid_shape *shape = s->hybrid;
  const size_t a = shape->model.dyn, lambda = shape->model.multipliers, each = a + lambda + shape->sizes.rows;
  const double last = hml_trajectory_time(r, hml_trajectory_points(r) - 1), sign = s->times[s->n_times - 1] < s->t0 ? -1 : 1;
  for (size_t k = first; k < s->n_times; k++) {
    const bool reached = sign * (last - s->times[k]) >= 0, ends = event && k + 1 == s->n_times;
    const double t = reached ? s->times[k] : last;
    if (!reached && !ends) continue;
    double *x = hml_crew__state(crew, job, k), *out = s->solutions ? s->solutions + (job * s->n_times + k) * each : NULL;
    HML_TRY(hml_trajectory_at(r, t, x));
    if (s->tidy_rtol > 0 || s->tidy_atol > 0) HML_TRY(tidy_state(crew, t, x));
    if (out) HML_TRY(hml_hybrid_evaluate(crew->hybrid, hml_trajectory_point_at(r, t), t, x, out, out + a, out + a + lambda));
  }
  return HML_OK;
}

// A start that is refused is a row like others
static hml_status refused(hml_crew *crew, size_t job, hml_status status) {
  hml_outcome o = {.status = status, .t = crew->spec->t0};
  snprintf(o.message, sizeof o.message, "%s", hml_failed(crew->context) ? hml_context_error(crew->context)->message : hml_status_what(status));
  hml_context_clear_error(crew->context);
  note(crew, job, &o);
  return status == HML_MEMORY || status == HML_INTERRUPTED ? status : HML_OK;
}

// From (t, x) on, to time number `first` and those behind it
static hml_status run_with_contacts(hml_crew *crew, size_t job, size_t first, double t, const double *x, double first_step) {
  const hml_ensemble_spec *s = crew->spec;
  hml_run_options o = crew->options;
  hml_trajectory *r = NULL;
  hml_outcome outcome;
  const hml_stepper *method;
  HML_TRY(hml_stepper__choose(crew->context, o.method, &method));
  const bool dense = s->n_times - first > 1 || (s->readings && !hml_readings__only_ends(s->readings));
  o.first_step = first_step;
  o.keep = dense || method->over_impacts ? HML_KEEP_STEPS : HML_KEEP_ENDS;
  o.dense = dense;
  hml_status status = hml_hybrid_run(crew->hybrid, &o, t, s->times[s->n_times - 1], x, &r, &outcome);
  if (status == HML_OK) {
    note(crew, job, &outcome);
    for (size_t i = 0; s->meetings && i < s->hybrid->n_events; i++) s->meetings[job * s->hybrid->n_events + i] = hml_hybrid_meetings(crew->hybrid, i);
    if (outcome.status != HML_INTERRUPTED) status = keep_times(crew, job, first, r, outcome.status == HML_EVENT);
    if (status == HML_OK && outcome.status != HML_INTERRUPTED) status = read_off(crew, job, r, &outcome);
    if (status == HML_OK && outcome.status != HML_INTERRUPTED) status = hml_crew__look_back(crew, job, r);
  }
  hml_trajectory_free(r);
  if (status != HML_OK) return refused(crew, job, status);
  return outcome.status == HML_INTERRUPTED ? HML_INTERRUPTED : HML_OK;
}

static hml_status alone_with_contacts(hml_crew *crew, size_t job) {
  HML_TRY(begin_job(crew, job));
  return run_with_contacts(crew, job, 0, crew->spec->t0, crew->spec->starts + job * crew->n, crew->options.first_step);
}

// The job has reached (t, x), whose row counts its steps, and its next step may end it
static hml_status end_job(hml_crew *crew, size_t job, size_t time, double t, const double *x, double step) {
  const double *parameters = hml_crew__parameters_of(crew, job);
  if (parameters) HML_TRY(hml_workspace_set_parameters(crew->workspace, parameters));
  return run_with_contacts(crew, job, time, t, x, step);
}

static hml_status one_by_one(hml_crew *crew) {
  for (size_t job; !hml_interrupted(crew->context) && (job = crew->next(crew->payload)) != SIZE_MAX;) {
    HML_TRY(crew->alone(crew, job));
    crew->finished(crew->payload, job);
  }
  return HML_OK;
}

// ---- threads

// Where all jobs have the parameters of the model       fails: HML_MEMORY
static hml_status settle(hml_crew *crew) {
  const size_t room = crew->spec->parameters || crew->places || !crew->order ? 0 : hml_workspace__everywhere_room(crew->workspace);
  if (!room) return HML_OK;
  hml_range *scratch = hml_alloc(crew->context, room * sizeof *scratch);
  if (!scratch) return HML_MEMORY;
  crew->settled = hml_workspace__regular_everywhere(crew->workspace, scratch);
  hml_dealloc(crew->context, scratch, room * sizeof *scratch);
  return HML_OK;
}

static hml_status work_in(ensemble *e, hml_context *c) {
  hml_model_sizes sizes = hml_model__sizes(e->model);
  size_t read = e->native ? e->inputs - 1 - hml_model_controlled_size(e->model) : 0;
  hml_crew crew = {.spec = e->spec, .options = e->options, .context = c, .n = hml_model_state_size(e->model),
                   .controlled = hml_model_controlled_size(e->model), .parameters = sizes.parameters - sizes.held, .read = read, .margins = hml_model__lean_margins(e->model), .native = e->native, .guard = e->guard, .guard_outputs = e->guard ? hml_program_outputs(hml_model__guard(e->model)) : 0, .order = e->order, .rule = e->even ? &e->rule : NULL,
                   .series_margins = e->series_margins,
                   .places = e->places, .look = e->look, .tangent = e->tangent, .tangent_still = e->tangent_still, .tangent_values = e->tangent_values, .tangent_inputs = e->tangent ? hml_program_inputs(hml_model__lean_rate(e->model)) : 0,
                   .n_places = e->places ? hml_model__places(e->model)->count : 0,
                   .states = e->states, .rows = e->rows, .digits = e->spec->digits > 0 && hml_model__may_lose_digits(e->model), .payload = e, .next = next_job, .finished = finished, .alone = e->spec->only_lanes ? leave : e->spec->hybrid ? alone_with_contacts : e->at_once || e->spec->readings ? alone_at_once : alone,
                   .guards = e->guards, .guard_rates = e->guard_rates, .averaged = e->averaged, .gradients = (const hml_native *const *)e->gradients, .remainders = e->remainders, .degrees = e->degrees,
                   .mean_degrees = e->degrees ? e->degrees + hml_program_outputs(e->spec->readings->all) : NULL, .end = end_job, .store = store, .forget = forget};
  for (int which = 0; which < 2; which++) {
    crew.corrections[which] = e->corrections[which];
    crew.general[which] = hml_model__correction(e->model, which).rows && !e->corrections[which];
    crew.residuals[which] = e->residuals[which];
    crew.n_residuals[which] = e->n_residuals[which];
  }
  HML_TRY(hml_workspace_new(c, e->model, &crew.workspace));
  hml_status status = settle(&crew);
  if (status == HML_OK && e->spec->hybrid) status = hml_hybrid_open(crew.workspace, e->spec->hybrid, &crew.hybrid);
  if (status == HML_OK)
    status = !e->native ? one_by_one(&crew) : e->even ? hml_batches__run(&crew, e->lanes) : e->lanes == 8 ? hml_lanes__run8(&crew) : hml_lanes__run4(&crew);
  hml_hybrid_free(crew.hybrid);
  hml_workspace_free(crew.workspace);
  return status;
}

static void *work(void *payload) {
  ensemble *e = payload;
  hml_context *c = hml_context_new(NULL, NULL);
  if (!c) {
    atomic_store(&e->broken, HML_MEMORY);
    return NULL;
  }
  hml_context_set_interrupt_flag(c, hml_context_interrupt_flag(e->context));
  hml_status status = work_in(e, c);
  if (status != HML_OK && status != HML_INTERRUPTED) atomic_store(&e->broken, (int)status);
  hml_context_free(c);
  return NULL;
}

typedef struct seats {
  ensemble *e;
  pthread_mutex_t lock;
  pthread_cond_t left;                 // a thread has ended
  unsigned running;
} seats;

// Progress every 20 ms; returns as soon as the last thread ends
static void watch(seats *s) {
  enum { PAUSE = 20000000, SECOND = 1000000000 };
  pthread_mutex_lock(&s->lock);
  while (s->running > 0) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += PAUSE;
    if (until.tv_nsec >= SECOND) until = (struct timespec){until.tv_sec + 1, until.tv_nsec - SECOND};
    pthread_cond_timedwait(&s->left, &s->lock, &until);
    pthread_mutex_unlock(&s->lock);
    if (s->e->spec->progress) s->e->spec->progress(s->e->spec->payload, atomic_load(&s->e->done), atomic_load(&s->e->failed));
    pthread_mutex_lock(&s->lock);
  }
  pthread_mutex_unlock(&s->lock);
}

static void *work_in_seat(void *payload) {
  seats *s = payload;
  work(s->e);
  pthread_mutex_lock(&s->lock);
  s->running--;
  pthread_cond_signal(&s->left);
  pthread_mutex_unlock(&s->lock);
  return NULL;
}

enum { MOST_THREADS = 256 };

static void work_in_threads(ensemble *e, unsigned count) {
  pthread_t threads[MOST_THREADS];
  seats s = {.e = e, .running = count};
  pthread_mutex_init(&s.lock, NULL);
  pthread_cond_init(&s.left, NULL);
  unsigned started = 0;
  while (started < count && pthread_create(&threads[started], NULL, work_in_seat, &s) == 0) started++;
  pthread_mutex_lock(&s.lock);
  s.running -= count - started;
  pthread_mutex_unlock(&s.lock);
  if (started == 0) work(e);           // the system gives no thread
  watch(&s);
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  pthread_cond_destroy(&s.left);
  pthread_mutex_destroy(&s.lock);
}

// ---- the whole

static hml_status check_spec(hml_context *c, const hml_model *m, const hml_ensemble_spec *s) {
  if (!s->starts || !s->times || !s->n_times) return hml_fail(c, HML_ARGUMENT, "ensemble: starts and times are needed");
  if (hml_model__externals(m))
    return hml_fail(c, HML_UNSUPPORTED, "ensemble: model '%s' takes values from outside, which threads cannot ask for", hml_model__name(m));
  double sign = s->times[s->n_times - 1] < s->t0 ? -1 : 1, before = s->t0;
  for (size_t k = 0; k < s->n_times; k++) {
    if (!isfinite(s->times[k]) || !(sign * (s->times[k] - before) >= 0))
      return hml_fail(c, HML_ARGUMENT, "ensemble: time %zu is %g; times must be finite and monotonic from t0 = %g", k + 1, s->times[k], s->t0);
    before = s->times[k];
  }
  return HML_OK;
}

static hml_status check_hybrid(hml_context *c, const hml_model *m, const hml_hybrid_shape *h) {
  if (h->of != m) return hml_fail(c, HML_ARGUMENT, "ensemble: the contacts and events are of another model than '%s'", hml_model__name(m));
  bool calls = h->callbacks.law != NULL;
  for (size_t i = 0; i < h->n_events; i++) calls |= h->by_callback[i];
  return calls ? hml_fail(c, HML_UNSUPPORTED, "ensemble: laws and events of '%s' call functions, which threads cannot do", hml_model__name(m)) : HML_OK;
}

// Machine code of a program of the model, in lanes
static hml_status in_lanes(const ensemble *e, const hml_program *p, const hml_native **out) {
  return hml_model__lane_code(e->context, e->model, p, e->lanes, out);
}

// Does it pay to compute what all directions have in common once? The values are stored once and read for each direction. Beyond the second-level cache
// they would take longer than the operations
static bool pays_apart(const ensemble *e, const hml_lane_tangent *t) {
  enum { CALL = 16, MOST_BYTES = 1 << 18, WIDEST = 8 };     // the same rule for any number of lanes
  const size_t saved = t->still ? (e->spec->directions - 1) * hml_program_operations(t->still) : 0;
  return saved > t->values + CALL && t->values * WIDEST * sizeof(double) <= MOST_BYTES;
}

// The program that carries directions, in lanes: the rates of one
static hml_status prepare_tangent(ensemble *e) {
  hml_lane_tangent t;
  hml_status status = hml_model__tangent(e->context, e->model, &t);
  const bool apart = status == HML_OK && pays_apart(e, &t);
  if (apart) status = in_lanes(e, t.still, &e->tangent_still);
  if (e->tangent_still) {
    status = in_lanes(e, t.moving, &e->tangent);
    e->tangent_values = t.values;
  } else if (status == HML_OK) {
    status = in_lanes(e, t.whole, &e->tangent);
  }
  return status == HML_MEMORY || status == HML_INTERRUPTED ? status : hml_forgiven(e->context);
}

// The residuals of both levels, in lanes. *room: false where lanes have none for them
static hml_status prepare_residuals(ensemble *e, bool *room) {
  for (int level = 0; level < 2; level++) {
    const hml_program *p;
    HML_TRY(hml_model__residuals(e->context, e->model, level, &p));
    if (!p) continue;
    e->n_residuals[level] = hml_program_outputs(p);
    if (hml_program_inputs(p) > e->inputs) e->inputs = hml_program_inputs(p);
    HML_TRY(in_lanes(e, p, &e->residuals[level]));
    *room &= e->residuals[level] != NULL;
  }
  return HML_OK;
}

static size_t degrees_size(const ensemble *e) {
  return (hml_program_outputs(e->spec->readings->all) + e->spec->readings->n_means + 1) * sizeof *e->degrees;
}

// The gradients of functions whose roots must be decided, by the states. Those that are no polynomials of low degree are looked at in each step
static hml_status prepare_gradients(ensemble *e, const size_t *active) {
  const hml_readings_spec *s = e->spec->readings;
  e->gradients = hml_alloc(e->context, (s->n_roots + 1) * sizeof(hml_native *));
  if (!e->gradients) return HML_MEMORY;
  for (size_t i = 0; i < s->n_roots; i++) e->gradients[i] = NULL;
  for (size_t i = 0; i < s->n_roots; i++) {
    hml_program *gradient;
    if (!hml_readings__decides(s, i) || e->degrees[i] > HML_LANES_TAME) continue;
    HML_TRY(hml_program_adjoint(e->context, s->programs[i], s->states, active, &gradient));
    hml_status status = hml_native__new(e->context, gradient, e->lanes, &e->gradients[i]);
    hml_program_free(gradient);
    HML_TRY(status);
  }
  return HML_OK;
}

// Of functions that are no polynomials of low degree, where they are smooth
static hml_status prepare_remainders(ensemble *e) {
  const hml_readings_spec *s = e->spec->readings;
  e->remainders = hml_alloc(e->context, (s->n_roots + 1) * sizeof(hml_remainder *));
  if (!e->remainders) return HML_MEMORY;
  for (size_t i = 0; i < s->n_roots; i++) e->remainders[i] = NULL;
  for (size_t i = 0; i < s->n_roots; i++) {
    if (e->degrees[i] <= HML_LANES_TAME) continue;
    const hml_status status = hml_remainder__new(e->context, s->programs[i], 1 + s->states, &e->remainders[i]);
    if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
    HML_TRY(hml_forgiven(e->context));   // one that has no fourth derivatives is looked at by its ranges
  }
  return HML_OK;
}

// The programs of what is read off the runs, in lanes
static hml_status prepare_guards(ensemble *e) {
  const hml_readings_spec *s = e->spec->readings;
  size_t *active = hml_alloc(e->context, (1 + s->states) * sizeof *active);
  if (!active) return HML_MEMORY;
  for (size_t i = 0; i <= s->states; i++) active[i] = i;
  hml_status status = hml_program_tangent(e->context, s->all, 1 + s->states, active, &e->readings_rates);
  e->degrees = hml_alloc(e->context, degrees_size(e));
  if (!e->degrees) status = HML_MEMORY;
  if (status == HML_OK) status = hml_program__degrees(e->context, s->all, 1 + s->states, e->degrees);
  if (status == HML_OK) status = prepare_gradients(e, active + 1);
  if (status == HML_OK) status = prepare_remainders(e);
  hml_dealloc(e->context, active, (1 + s->states) * sizeof *active);
  if (status == HML_OK && s->n_means) status = hml_program__degrees(e->context, s->averaged, 1 + s->states, e->degrees + hml_program_outputs(s->all));
  if (status == HML_OK) status = hml_native__new(e->context, s->all, e->lanes, &e->guards);
  if (status == HML_OK) status = hml_native__new(e->context, e->readings_rates, e->lanes, &e->guard_rates);
  if (status == HML_OK && s->n_means) status = hml_native__new(e->context, s->averaged, e->lanes, &e->averaged);
  return status == HML_MEMORY || status == HML_INTERRUPTED ? status : hml_forgiven(e->context);
}

static hml_status check_readings(ensemble *e) {
  const hml_readings_spec *s = e->spec->readings;
  if (!s) return HML_OK;
  HML_TRY(hml_readings__check(e->context, s, hml_model_state_size(e->model)));
  if (s->n_means && (!s->averaged || hml_program_inputs(s->averaged) != 1 + s->states + s->n_constants || hml_program_outputs(s->averaged) != s->n_means))
    return hml_fail(e->context, HML_ARGUMENT, "ensemble: the program of the means is not that of %zu functions", s->n_means);
  return HML_OK;
}

// May lanes look for all events, which end the runs?
static bool events_in_lanes(const ensemble *e) {
  const hml_hybrid_shape *h = e->spec->hybrid;
  const hml_readings_spec *s = e->spec->readings;
  if (!h) return true;
  bool can = s && s->ends && !h->contacts && !h->n_corners && !h->n_flips;
  size_t ends = 0;
  for (size_t i = 0; can && i < s->n_roots; i++) ends += s->ends[i] != 0;
  for (size_t i = 0; can && i < h->n_events; i++) can = h->terminal[i] && !h->event_reasons[i] && !h->by_callback[i];
  return can && ends == h->n_events;
}

static bool has_gradients(const ensemble *e) {
  bool all = e->gradients && e->remainders;
  for (size_t i = 0; all && i < e->spec->readings->n_roots; i++)
    all = e->gradients[i] || !hml_readings__decides(e->spec->readings, i) || e->degrees[i] > HML_LANES_TAME;
  return all;
}

// What threads may only read is made before they start
static hml_status prepare(ensemble *e) {
  const hml_stepper *method;
  HML_TRY(hml_stepper__choose(e->context, e->options.method, &method));
  HML_TRY(check_readings(e));
  if (e->spec->hybrid) HML_TRY(check_hybrid(e->context, e->model, e->spec->hybrid));
  if (e->spec->hybrid && e->spec->hybrid->contacts) return HML_OK;       // no formula, no lanes
  // steps of one size are those of the whole way, whatever the times that are kept, and so is what their errors add up to
  e->at_once = e->spec->at_once || method->fixed;
  const hml_program *rate = hml_model__lean_rate(e->model), *series = NULL;
  if (method->pieces_of && rate) {
    hml_workspace *w;
    HML_TRY(hml_workspace_new(e->context, e->model, &w));
    hml_formula formula = hml_model_run__formula(w);
    hml_ode ode = {.formula = &formula};
    hml_problem p = {.context = e->context, .ode = &ode, .n = hml_model_state_size(e->model), .rtol = e->options.rtol, .atol = e->options.atol};
    unsigned order = hml_stepper_taylor.pieces_of(&p);
    hml_status status = hml_workspace__series(w, order, false, &series);
    // threads only read it
    const hml_program *weighted;
    if (status == HML_OK && hml_program_outputs(series) > order * hml_model_state_size(e->model)) {
      status = hml_workspace__series(w, order, true, &weighted);
      if (status == HML_UNSUPPORTED) status = HML_OK;
    }
    if (status == HML_OK && method == &hml_stepper_taylor) e->order = order;
    hml_workspace_free(w);
    if (status != HML_OK && status != HML_LIMIT) return status;
    HML_TRY(hml_forgiven(e->context));
  }
  const unsigned widest = hml_native__widest();
  e->lanes = e->spec->lanes && e->spec->lanes < widest ? e->spec->lanes : widest;   // 8 where the processor has 4: all that it has
  e->rule.stages = hml_gauss__stages(method);
  if (e->rule.stages) e->rule = hml_gauss__rule(e->rule.stages);
  const hml_ensemble_spec *s = e->spec;
  const double span = s->times[s->n_times - 1] - s->t0, step = e->options.step;
  // what is no step is refused one by one
  e->even = (method == &hml_stepper_rk4 || e->rule.stages) && isfinite(step) && step > 0 && fabs(span) / step < 1e15 && span != 0;
  bool wide = (e->lanes == 4 || e->lanes == 8) && (method == hml_stepper__at(0) || e->order || e->even) && rate && hml_model_is_native(e->model);
  wide = wide && events_in_lanes(e) && (!e->at_once || e->even) && !hml_model__sizes(e->model).held;   // corners are met one run at a time
  bool sharp = false;
  if (wide) HML_TRY(hml_program__is_sharp(e->context, rate, &sharp));
  wide = wide && !sharp;               // the general method handles steps that must be examined between their points
  if (!wide) e->lanes = 1;
  if (!wide) e->order = 0;
  if (!wide) return HML_OK;
  for (int which = 0; which < 2; which++) {
    hml_correction k = hml_model__correction(e->model, which);
    if (k.program) HML_TRY(in_lanes(e, k.program, &e->corrections[which]));
  }
  const hml_places *places = hml_model__places(e->model);
  if (places->count) HML_TRY(in_lanes(e, places->program, &e->places));
  if (e->order) HML_TRY(in_lanes(e, rate, &e->look));
  const hml_program *guard = hml_model__guard(e->model);
  if (guard) HML_TRY(in_lanes(e, guard, &e->guard));
  if (e->spec->directions && !e->order && !hml_model__sizes(e->model).constrained && !hml_model__externals(e->model)) HML_TRY(prepare_tangent(e));
  e->inputs = hml_program_inputs(rate);
  if (guard && hml_program_inputs(guard) > e->inputs) e->inputs = hml_program_inputs(guard);
  if (e->order && hml_program_inputs(series) > e->inputs) e->inputs = hml_program_inputs(series);
  e->series_margins = e->order ? hml_program_outputs(series) - e->order * hml_model_state_size(e->model) : 0;
  HML_TRY(in_lanes(e, e->order ? series : rate, &e->native));
  if (e->spec->readings) HML_TRY(prepare_guards(e));
  bool room = true;
  if (e->spec->only_lanes) HML_TRY(prepare_residuals(e, &room));
  const bool read = room && (!e->spec->readings || (e->guards && e->guard_rates && (e->averaged || !e->spec->readings->n_means) && has_gradients(e)));
  if (e->native && read && (!places->count || e->places) && (!e->order || e->look) && (!guard || e->guard)) return HML_OK;
  e->native = NULL;                    // no room for all of it: one after the other
  e->lanes = 1;
  e->order = 0;
  return HML_OK;
}

// Jobs not begun, or all where the preparation was interrupted, have the status HML_INTERRUPTED and not-a-number for states.
// fails: HML_ARGUMENT, HML_UNSUPPORTED, HML_MEMORY
hml_status hml_ensemble_run(hml_context *c, const hml_model *m, const hml_ensemble_spec *spec, double *states, hml_ensemble_row *rows) {
  hml_context_clear_error(c);
  HML_TRY(check_spec(c, m, spec));
  ensemble e = {.context = c, .model = m, .spec = spec, .options = spec->options ? *spec->options : hml_run_options_default(), .states = states,
                .rows = rows, .texts = c, .lanes = 1};
  for (size_t i = 0; i < spec->n; i++) rows[i] = (hml_ensemble_row){.status = HML_INTERRUPTED, .t = spec->t0};
  for (size_t i = 0; i < spec->n * spec->n_times * hml_model_state_size(m); i++) states[i] = NAN;
  const hml_hybrid_shape *h = spec->hybrid;
  size_t solution = h && spec->solutions ? h->model.dyn + h->model.multipliers + h->sizes.rows : 0;
  for (size_t i = 0; i < spec->n * spec->n_times * solution; i++) spec->solutions[i] = NAN;
  for (size_t i = 0; i < spec->n * 2 * spec->directions; i++) spec->growth[i] = NAN;
  hml_status status = prepare(&e);
  unsigned count = spec->threads ? spec->threads : hml_processors();
  size_t most = (spec->n + e.lanes - 1) / e.lanes;
  if (count > most) count = (unsigned)most;
  if (count > MOST_THREADS) count = MOST_THREADS;
  pthread_mutex_init(&e.lock, NULL);
  if (status == HML_OK && count > 0) work_in_threads(&e, count);
  pthread_mutex_destroy(&e.lock);
  hml_native__free(e.guards);
  hml_native__free(e.guard_rates);
  hml_native__free(e.averaged);
  hml_program_free(e.readings_rates);
  for (size_t i = 0; e.gradients && i < spec->readings->n_roots; i++) hml_native__free(e.gradients[i]);
  if (e.gradients) hml_dealloc(c, e.gradients, (spec->readings->n_roots + 1) * sizeof(hml_native *));
  for (size_t i = 0; e.remainders && i < spec->readings->n_roots; i++) hml_remainder__free(e.remainders[i]);
  if (e.remainders) hml_dealloc(c, e.remainders, (spec->readings->n_roots + 1) * sizeof(hml_remainder *));
  if (e.degrees) hml_dealloc(c, e.degrees, degrees_size(&e));
  if (status == HML_INTERRUPTED) return hml_context_clear_error(c), HML_OK;
  HML_TRY(status);
  int broken = atomic_load(&e.broken);
  return broken ? hml_fail(c, (hml_status)broken, "ensemble: a thread could not continue: %s", hml_status_what((hml_status)broken)) : HML_OK;
}

void hml_ensemble_free_messages(hml_context *c, size_t n, hml_ensemble_row *rows) {
  for (size_t i = 0; i < n; i++) {
    hml_free(c, rows[i].message);
    hml_dealloc(c, rows[i].found, rows[i].n_found * sizeof *rows[i].found);
    rows[i].message = NULL;
    rows[i].found = NULL;
    rows[i].n_found = 0;
  }
}
