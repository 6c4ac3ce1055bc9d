// readings.c: what is read off each run of an ensemble on its way: roots of functions by the rule of event.c, with the states there, largest values,
// at the ends of the steps and where their rates vanish, and means.
#include "integrate/readings.h"
#include "integrate/quadrature.h"

#include <math.h>
#include <string.h>

struct hml_readings {
  hml_context *context;
  const hml_readings_spec *spec;
  hml_problem problem;
  hml_guards guards;
  hml_watch *watch;
  const double *constants;             // of the present run
  double sign;
  bool ended;                          // a root that ends the run was met
  size_t *counts;                      // (n_roots)
  double *peaks;                       // (n_peaks)
  double *means;                       // (n_means)
  double *found;                       // entries of 2 + n numbers
  size_t n_found, capacity;            // entries
  double *y;                           // state at a root                                  (n)
  double *in, *work;                   // of the programs
  hml_guard_formula *formulas;         // (n_roots)
  const hml_guard_formula **formula;
  uint32_t *place;                     // of the inputs of the programs
  signed char *direction;
  bool *passive;                       // all true
  void *memory;
  size_t size;
};

static size_t widest_work(const hml_readings_spec *s) {
  size_t most = 0;
  for (size_t i = 0; i < s->n_roots + s->n_peaks + s->n_means; i++) {
    size_t size = hml_program_work_size(s->programs[i]);
    most = size > most ? size : most;
  }
  return most;
}

#define READINGS_FIELDS(FIELD)                                    \
  FIELD(size_t, counts, s->n_roots)                               \
  FIELD(double, peaks, s->n_peaks)                                \
  FIELD(double, means, s->n_means)                                \
  FIELD(double, y, n)                                             \
  FIELD(double, in, 1 + s->states + s->n_constants)               \
  FIELD(double, work, widest_work(s))                             \
  FIELD(hml_guard_formula, formulas, s->n_roots)                  \
  FIELD(const hml_guard_formula *, formula, s->n_roots)           \
  FIELD(uint32_t, place, 1 + s->states + s->n_constants)          \
  FIELD(signed char, direction, s->n_roots)                       \
  FIELD(bool, passive, s->n_roots)

static size_t lay_out(hml_readings *r, size_t n, char *block) {
  const hml_readings_spec *s = r->spec;
  size_t at = 0;
#define FIELD(type, name, count)                     \
  if (block) r->name = (type *)(void *)(block + at); \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  READINGS_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

static double value_of(hml_readings *r, size_t program, double t, const double *y) {
  const hml_readings_spec *s = r->spec;
  double value;
  r->in[0] = t;
  memcpy(r->in + 1, y, s->states * sizeof *y);
  memcpy(r->in + 1 + s->states, r->constants, s->n_constants * sizeof *y);
  hml_program_eval(s->programs[program], r->in, &value, r->work);
  return value;
}

static hml_status values(void *payload, double t, const double *y, double *out) {
  hml_readings *r = payload;
  for (size_t i = 0; i < r->spec->n_roots; i++) {
    out[i] = value_of(r, i, t, y);
    if (!isfinite(out[i]))
      return hml_fail(r->context, HML_NOT_FINITE, "a function whose roots are looked for is %s at t = %.15g", hml_problem__oddity(out[i]), t);
  }
  return HML_OK;
}

// Of values that are no numbers the largest is none either
void hml_readings__peak(hml_readings *r, size_t peak, double value) {
  double *best = r->peaks + peak, sign = r->spec->signs[peak];
  if (isnan(value) || sign * value > sign * *best) *best = value;
}

static void all_peaks(hml_readings *r, double t, const double *y) {
  for (size_t k = 0; k < r->spec->n_peaks; k++) hml_readings__peak(r, k, value_of(r, r->spec->n_roots + k, t, y));
}

// ---- means

static double averaged(hml_readings *r, size_t k, double t, const double *y) {
  return value_of(r, r->spec->n_roots + r->spec->n_peaks + k, t, y);
}

typedef struct on_step {
  hml_readings *r;
  size_t k;
  const hml_step *step;
  const double *piece;
} on_step;

static double at_theta(void *payload, double theta) {
  const on_step *o = payload;
  hml_dense__value(o->r->problem.n, o->r->problem.pieces, o->step->y, o->piece, theta, o->r->y);
  return averaged(o->r, o->k, o->step->t + theta * o->step->h, o->r->y);
}

hml_status hml_readings__over_step(hml_readings *r, size_t k, const hml_step *s, const double *piece, double *size, double *mean) {
  on_step o = {.r = r, .k = k, .step = s, .piece = piece};
  if (hml_quadrature__unit(at_theta, &o, size, mean)) return HML_OK;
  return hml_fail(r->context, HML_LIMIT, "the mean of a function does not settle between t = %.15g and t = %.15g", s->t, s->t1);
}

void hml_readings__set_mean(hml_readings *r, size_t k, double mean) {
  r->means[k] = mean;
}

// The mean of function k over a finished run. Where it has no number at the end of a step, the mean is none either
static hml_status mean_along(hml_readings *r, size_t k, const hml_trajectory *run) {
  const size_t points = hml_trajectory_points(run);
  const double begin = hml_trajectory_time(run, 0), end = hml_trajectory_time(run, points - 1);
  double size = 0, sum = 0;
  for (size_t i = 0; i < points; i++) {
    const double value = averaged(r, k, hml_trajectory_time(run, i), hml_trajectory_state(run, i));
    if (i == 0) r->means[k] = value;
    size = fmax(size, fabs(value));
    sum += 0 * value;
  }
  if (begin == end) return HML_OK;
  for (size_t i = 1; i < points; i++) {
    double mean, t = hml_trajectory_time(run, i - 1), t1 = hml_trajectory_time(run, i);
    hml_step s = {.t = t, .t1 = t1, .h = t1 - t, .y = (double *)hml_trajectory_state(run, i - 1)};   // only read
    if (s.h == 0) continue;
    HML_TRY(hml_readings__over_step(r, k, &s, hml_trajectory__piece(run, i), &size, &mean));
    sum += s.h * mean;
  }
  r->means[k] = sum / (end - begin);
  return HML_OK;
}

// ---- roots

static hml_status store(hml_readings *r, size_t root, double t, const double *y) {
  const size_t n = r->problem.n, each = 2 + n;
  if (r->n_found == r->capacity) {
    const size_t more = 2 * r->capacity + 16;
    double *larger = hml_realloc(r->context, r->found, r->capacity * each * sizeof *larger, more * each * sizeof *larger);
    if (!larger) return HML_MEMORY;
    r->found = larger;
    r->capacity = more;
  }
  double *entry = r->found + r->n_found++ * each;
  entry[0] = (double)root;
  entry[1] = t;
  memcpy(entry + 2, y, n * sizeof *y);
  return HML_OK;
}

hml_status hml_readings__meet(hml_readings *r, size_t root, double t, const double *y) {
  const hml_readings_spec *s = r->spec;
  if (r->sign * (t - s->from[root]) < 0) return HML_OK;
  r->ended |= s->ends && s->ends[root];
  return r->counts[root]++ < s->keep[root] ? store(r, root, t, y) : HML_OK;
}

bool hml_readings__cross(hml_readings *r, size_t root, double t) {
  const hml_readings_spec *s = r->spec;
  hml_post *k = r->watch->posts + root;
  const bool wanted = s->directions[root] == 0 || (s->directions[root] > 0) == (k->side < 0);
  bool turns = s->ends && s->ends[root];
  for (size_t i = 0; i < s->n_peaks; i++) turns |= s->turns[i] == root;
  k->side = (signed char)-k->side;
  if (!wanted) return false;
  if (turns || r->sign * (t - s->from[root]) < 0 || r->counts[root] < s->keep[root]) return true;
  r->counts[root]++;
  return false;
}

static hml_status react(void *payload, double t, double *y, const bool *fired, size_t point) {
  hml_readings *r = payload;
  const hml_readings_spec *s = r->spec;
  (void)point;
  for (size_t k = 0; k < s->n_peaks; k++)
    if (s->turns[k] < s->n_roots && fired[s->turns[k]]) hml_readings__peak(r, k, value_of(r, s->n_roots + k, t, y));
  for (size_t i = 0; i < s->n_roots; i++)
    if (fired[i]) HML_TRY(hml_readings__meet(r, i, t, y));
  return HML_OK;
}

void hml_readings__close(hml_readings *r) {
  if (!r) return;
  hml_watch__close(r->watch);
  hml_dealloc(r->context, r->found, r->capacity * (2 + r->problem.n) * sizeof *r->found);
  hml_dealloc(r->context, r->memory, r->size);
  hml_dealloc(r->context, r, sizeof *r);
}

hml_status hml_readings__open(hml_context *c, const hml_readings_spec *spec, size_t n, size_t pieces, hml_readings **out) {
  hml_readings *r = hml_alloc(c, sizeof *r);
  *out = NULL;
  if (!r) return HML_MEMORY;
  *r = (hml_readings){.context = c, .spec = spec, .problem = {.context = c, .n = n, .pieces = pieces}};
  r->size = lay_out(r, n, NULL);
  r->memory = hml_alloc(c, r->size);
  if (!r->memory) {
    hml_readings__close(r);
    return HML_MEMORY;
  }
  lay_out(r, n, r->memory);
  for (size_t k = 0; k <= spec->states; k++) r->place[k] = (uint32_t)k;
  for (size_t k = 0; k < spec->n_constants; k++) r->place[1 + spec->states + k] = (uint32_t)(1 + n + k);
  for (size_t i = 0; i < spec->n_roots; i++) {
    r->formulas[i] = (hml_guard_formula){.program = spec->programs[i], .place = r->place};
    r->formula[i] = r->formulas + i;
    r->direction[i] = (signed char)spec->directions[i];
    r->passive[i] = true;
  }
  r->guards = (hml_guards){.n = spec->n_roots, .payload = r, .direction = r->direction, .passive = r->passive, .counts = r->passive,
                           .formula = r->formula, .values = values, .react = react};
  hml_status status = hml_watch__open(&r->problem, &r->guards, &r->watch);
  if (status != HML_OK) hml_readings__close(r);
  else *out = r;
  return status;
}

static void begin(hml_readings *r, const double *constants, double sign) {
  const hml_readings_spec *s = r->spec;
  r->constants = constants;
  r->sign = sign;
  r->n_found = 0;
  r->ended = false;
  memset(r->counts, 0, s->n_roots * sizeof *r->counts);
  for (size_t k = 0; k < s->n_peaks; k++) r->peaks[k] = -s->signs[k] * INFINITY;
  for (size_t i = 0; i < s->n_roots; i++) r->formulas[i].constants = constants;
}

hml_status hml_readings__begin(hml_readings *r, const double *constants, double sign, double t, const double *y) {
  begin(r, constants, sign);
  all_peaks(r, t, y);
  for (size_t k = 0; k < r->spec->n_means; k++) r->means[k] = averaged(r, k, t, y);
  hml_watch__renew(r->watch);
  return hml_watch__start(r->watch, t, y, HML_AFRESH);
}

hml_status hml_readings__step(hml_readings *r, const hml_step *s, const double *piece) {
  for (;;) {
    bool found;
    double theta;
    HML_TRY(hml_watch__search(r->watch, s, piece, &theta, &found));
    if (!found) return HML_OK;
    if (theta == 1) memcpy(r->y, s->y1, r->problem.n * sizeof *r->y);
    else hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, theta, r->y);
    HML_TRY(react(r, theta == 1 ? s->t1 : s->t + theta * s->h, r->y, r->watch->fired, 0));
  }
}

int hml_readings__side(const hml_readings *r, size_t root) {
  const hml_post *k = r->watch->posts + root;
  return k->level == 0 && isnan(k->flat) && !k->counted ? k->side : 0;
}

hml_status hml_readings__along(hml_readings *r, const double *constants, double sign, const hml_trajectory *run) {
  begin(r, constants, sign);
  hml_watch__renew(r->watch);
  if (hml_trajectory_points(run) > 1 && !hml_trajectory__pieces(run))
    return hml_fail(r->context, HML_UNSUPPORTED, "roots, largest values and means between the steps need a method with dense output");
  for (size_t i = 0; i < hml_trajectory_points(run); i++) all_peaks(r, hml_trajectory_time(run, i), hml_trajectory_state(run, i));
  if (!hml_trajectory_points(run)) return HML_OK;
  for (size_t k = 0; k < r->spec->n_means; k++) HML_TRY(mean_along(r, k, run));
  return r->spec->n_roots ? hml_roots__follow(r->watch, run) : HML_OK;
}

bool hml_readings__ended(const hml_readings *r) {
  return r->ended;
}

bool hml_readings__only_ends(const hml_readings_spec *s) {
  bool only = s->ends && !s->n_peaks && !s->n_means;
  for (size_t i = 0; only && i < s->n_roots; i++) only = s->ends[i];
  return only;
}

const size_t *hml_readings__counts(const hml_readings *r) {
  return r->counts;
}

const double *hml_readings__peaks(const hml_readings *r) {
  return r->peaks;
}

const double *hml_readings__means(const hml_readings *r) {
  return r->means;
}

const double *hml_readings__found(const hml_readings *r, size_t *count) {
  *count = r->n_found;
  return r->found;
}
