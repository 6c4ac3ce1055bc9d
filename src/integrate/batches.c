// batches.c: runs with steps of one size in lanes. A batch of jobs is made by the lanes, then judged by DOP853 in lanes, as compared.c judges a
// single run. A job that the lanes have lost, or whose errors are not clearly small, is run again by the general route, which reports what it finds.
#include "integrate/compared.h"
#include "integrate/ensemble.h"

#include <math.h>
#include <string.h>

enum { GROUPS = 4, MOST_LOOKS = 400, LEAST_LOOKS = 32 };
#define CLEAR 0.5                      // of HML_MISSED: errors up to here are no matter of doubt, although a single run is compared at other times

typedef struct batches {
  hml_crew *crew;
  size_t room, looks;                  // jobs of a batch; times at which they are judged
  hml_batch batch;
  size_t *jobs, taken, finished;       // the same jobs; those that the comparison has begun; those that are done
  double *times, *starts, *parameters, *samples, *others;    // starts and parameters of the batch; samples of both runs
  hml_ensemble_row *rows;              // of the comparison
  bool *lost;
  size_t size;                         // bytes of the memory
  void *memory;                        // of all of these
} batches;

// ---- the times at which runs are judged: those of the ensemble, and times between them where they are few

static size_t kept_looks(const hml_ensemble_spec *s) {
  return s->n_times < MOST_LOOKS ? s->n_times : MOST_LOOKS;
}

static size_t looks_of(const hml_crew *c) {
  return c->tangent ? 2 * LEAST_LOOKS : kept_looks(c->spec) + (c->spec->n_times < LEAST_LOOKS ? LEAST_LOOKS : 0);
}

static void fill_looks(batches *b) {
  const hml_ensemble_spec *s = b->crew->spec;
  const double t_end = s->times[s->n_times - 1], sign = t_end < s->t0 ? -1 : 1;
  const size_t kept = kept_looks(s), between = b->looks - kept;
  if (b->crew->tangent) return;        // the lanes do
  for (size_t k = 0, i = 0, j = 0; k < b->looks; k++) {
    // the last of the evenly spaced times is the end
    const double own = i < kept ? s->times[(i + 1) * s->n_times / kept - 1] : INFINITY * sign;
    const double even = j < between ? j + 1 == between ? t_end : s->t0 + (double)(j + 1) / (double)between * (t_end - s->t0) : INFINITY * sign;
    if (sign * (even - own) < 0) b->times[k] = even, j++;
    else b->times[k] = own, i++;
  }
}

// ---- memory

static hml_status open_batches(batches *b, unsigned lanes) {
  const hml_crew *c = b->crew;
  const size_t threads = c->spec->threads ? c->spec->threads : hml_processors(), groups = c->spec->n / (threads * lanes);
  b->room = lanes * (groups < 1 ? 1 : groups > GROUPS ? GROUPS : groups);    // no thread shall wait for another
  b->looks = looks_of(c);
  const size_t samples = b->room * b->looks * c->n, doubles = b->looks + b->room * (c->n + c->parameters) + 2 * samples;
  b->size = doubles * sizeof(double) + b->room * (sizeof *b->rows + sizeof *b->jobs + sizeof *b->lost);
  b->memory = hml_alloc(c->context, b->size);
  if (!b->memory) return HML_MEMORY;
  b->times = b->memory;
  b->starts = b->times + b->looks;
  b->parameters = b->starts + b->room * c->n;
  b->samples = b->parameters + b->room * c->parameters;
  b->others = b->samples + samples;
  b->rows = (hml_ensemble_row *)(void *)(b->others + samples);
  b->jobs = (size_t *)(void *)(b->rows + b->room);
  b->lost = (bool *)(b->jobs + b->room);
  fill_looks(b);
  b->batch = (hml_batch){.jobs = b->jobs, .n_looks = b->looks, .looks = b->times, .samples = b->samples, .lost = b->lost};
  return HML_OK;
}

static bool take_batch(batches *b) {
  hml_crew *c = b->crew;
  size_t job;
  b->finished = 0;
  for (b->batch.count = 0; b->batch.count < b->room && (job = c->next(c->payload)) != SIZE_MAX;) b->jobs[b->batch.count++] = job;
  memset(b->lost, 0, b->room * sizeof *b->lost);
  return b->batch.count > 0;
}

// ---- the comparison: an ensemble of its own, whose job k is that of slot k

static size_t next_slot(void *payload) {
  batches *b = payload;
  while (b->taken < b->batch.count && b->lost[b->taken]) b->taken++;
  return b->taken < b->batch.count ? b->taken++ : SIZE_MAX;
}

static void slot_finished(void *payload, size_t slot) {
  (void)payload;
  (void)slot;
}

static hml_status slot_lost(hml_crew *other, size_t slot) {
  batches *b = other->payload;
  b->lost[slot] = true;
  return HML_OK;
}

static void fill_starts(batches *b) {
  const hml_crew *c = b->crew;
  for (size_t k = 0; k < b->batch.count; k++) {
    const double *parameters = hml_crew__parameters_of(c, b->jobs[k]);
    memcpy(b->starts + k * c->n, c->spec->starts + b->jobs[k] * c->n, c->n * sizeof(double));
    if (parameters && c->parameters) memcpy(b->parameters + k * c->parameters, parameters, c->parameters * sizeof(double));
  }
}

// From t0 over the given times, which are the looks from `first` on
static hml_status go(batches *b, unsigned lanes, double t0, size_t first, size_t count, double *states) {
  const hml_crew *c = b->crew;
  const hml_ensemble_spec spec = {.n = b->batch.count, .n_times = count, .t0 = t0, .times = b->times + first, .starts = b->starts,
                                  .parameters = c->spec->parameters ? b->parameters : NULL};
  hml_crew other = *c;
  other.spec = &spec;
  other.options = hml_compared__options(&c->options, c->spec->times[c->spec->n_times - 1] - c->spec->t0);
  other.rule = NULL;
  other.tangent = NULL;
  other.guards = other.guard_rates = other.averaged = NULL;
  other.onward = true;
  other.digits = false;
  other.states = states;
  other.rows = b->rows;
  other.payload = b;
  other.next = next_slot;
  other.finished = slot_finished;
  other.alone = slot_lost;
  b->taken = 0;
  HML_TRY(lanes == 8 ? hml_lanes__run8(&other) : hml_lanes__run4(&other));
  return hml_interrupted(c->context) ? HML_INTERRUPTED : HML_OK;
}

static hml_compared comparison(const batches *b) {
  const hml_crew *c = b->crew;
  return (hml_compared){.context = c->context, .sizes = hml_model__sizes(hml_workspace__model(c->workspace)), .options = &c->options};
}

// Must roots or values be decided, by the errors of the runs?
static bool decides(const hml_crew *c) {
  return c->guards && hml_readings__need_errors(c->spec->readings);
}

static hml_status compare(batches *b, unsigned lanes) {
  const size_t n = b->crew->n;
  const hml_compared compared = comparison(b);
  const double most = decides(b->crew) ? HML_LANES_PART : CLEAR * HML_MISSED;
  fill_starts(b);
  HML_TRY(go(b, lanes, b->crew->spec->t0, 0, b->looks, b->others));
  for (size_t k = 0; k < b->batch.count; k++) {
    const size_t first = k * b->looks * n;
    double off;
    if (b->lost[k]) continue;
    HML_TRY(hml_compared__off(&compared, b->looks, n, b->starts + k * n, b->samples + first, b->others + first, &off));
    b->lost[k] = !(off <= most);
  }
  return HML_OK;
}

// ---- with directions: their growth is a mean over long times, through which no run can follow a chaotic motion. Single steps are judged, as in
// analysis/lyapunov.lua

static hml_status compare_step(batches *b, unsigned lanes, size_t look) {
  const size_t n = b->crew->n;
  const hml_compared compared = comparison(b);
  for (size_t k = 0; k < b->batch.count; k++) memcpy(b->starts + k * n, b->samples + (k * b->looks + look) * n, n * sizeof(double));
  HML_TRY(go(b, lanes, b->times[look], look + 1, 1, b->others));
  for (size_t k = 0; k < b->batch.count; k++) {
    const double *y = b->samples + (k * b->looks + look) * n;
    if (!b->lost[k]) b->lost[k] = !(hml_compared__step_off(&compared, y, y + n, b->others + k * n) <= CLEAR * HML_MISSED);
  }
  return HML_OK;
}

static hml_status compare_steps(batches *b, unsigned lanes) {
  fill_starts(b);
  for (size_t look = 0; look + 1 < b->looks && isfinite(b->times[look]); look += 2) HML_TRY(compare_step(b, lanes, look));
  return HML_OK;
}

// ---- all jobs

typedef struct way {
  const batches *b;
  size_t slot;
} way;

static const double *state_at(const void *of, size_t i, double *t) {
  const way *g = of;
  *t = g->b->times[i];
  return g->b->samples + (g->slot * g->b->looks + i) * g->b->crew->n;
}

// The digits of the accelerations at the steps of which directions are judged; other runs are looked at between their kept states
static hml_status look_along_pairs(const batches *b, size_t slot) {
  const way g = {b, slot};
  const double *parameters = hml_crew__parameters_of(b->crew, b->jobs[slot]);
  size_t n = 0;
  while (n < b->looks && isfinite(b->times[n])) n++;
  if (!b->crew->digits) return HML_OK;
  if (parameters) HML_TRY(hml_workspace_set_parameters(b->crew->workspace, parameters));
  return hml_crew__look_along(b->crew, b->jobs[slot], 1, n, state_at, &g);
}

// From the first one on that is not yet finished
static hml_status finish(batches *b) {
  hml_crew *c = b->crew;
  for (; b->finished < b->batch.count; b->finished++) {
    const size_t job = b->jobs[b->finished];
    if (b->lost[b->finished]) HML_TRY(c->alone(c, job));
    else {
      c->rows[job].status = HML_OK;
      if (c->tangent) HML_TRY(look_along_pairs(b, b->finished));
    }
    c->finished(c->payload, job);
  }
  return HML_OK;
}

// What an interrupt leaves of a batch is as if it had not begun
static void forget_rest(const batches *b) {
  hml_crew *c = b->crew;
  const hml_ensemble_spec *s = c->spec;
  for (size_t k = b->finished; k < b->batch.count; k++) {
    double *states = hml_crew__state(c, b->jobs[k], 0);
    hml_ensemble_row *row = &c->rows[b->jobs[k]];
    c->forget(c, b->jobs[k]);
    *row = (hml_ensemble_row){.status = HML_INTERRUPTED, .t = s->t0, .message = row->message};
    for (size_t i = 0; i < s->n_times * c->n; i++) states[i] = NAN;
    for (size_t i = 0; i < 2 * s->directions; i++) s->growth[b->jobs[k] * 2 * s->directions + i] = NAN;
  }
}

hml_status hml_batches__run(hml_crew *crew, unsigned lanes) {
  batches b = {.crew = crew};
  hml_status status = open_batches(&b, lanes);
  while (status == HML_OK && !hml_interrupted(crew->context) && take_batch(&b)) {
    status = lanes == 8 ? hml_lanes__batch8(crew, &b.batch) : hml_lanes__batch4(crew, &b.batch);
    if (status == HML_OK) status = crew->tangent ? compare_steps(&b, lanes) : compare(&b, lanes);
    if (status == HML_OK) status = finish(&b);
    if (status != HML_OK) forget_rest(&b);
  }
  hml_dealloc(crew->context, b.memory, b.size);
  return status;
}
