// roots.c: the roots of a function along a finished run, by the rule of event.c, on the dense output and no closer than that.
#include "integrate/stepper.h"

#include <math.h>

enum { MOST_INPUTS = 1 << 20 };

typedef struct reading {
  hml_context *context;
  const hml_root_search *what;
  size_t capacity, count;
  double *times, *work;                // of the program: inputs, then scratch
} reading;

static hml_status values(void *payload, double t, const double *y, double *out) {
  reading *r = payload;
  const hml_root_search *s = r->what;
  if (!s->program) return s->value(s->payload, t, y, out);
  const size_t inputs = hml_program_inputs(s->program);
  for (size_t k = 0; k < inputs; k++) r->work[k] = k == 0 ? t : k <= s->states ? y[k - 1] : s->constants[k - 1 - s->states];
  hml_program_eval(s->program, r->work, out, r->work + inputs);
  if (isfinite(*out)) return HML_OK;
  return hml_fail(r->context, HML_NOT_FINITE, "the function whose roots are looked for is %s at t = %.15g", hml_problem__oddity(*out), t);
}

static hml_status react(void *payload, double t, double *y, const bool *fired, size_t point) {
  reading *r = payload;
  (void)y, (void)fired, (void)point;
  if (r->count < r->capacity) r->times[r->count] = t;
  r->count++;
  return HML_OK;
}

// A time stored twice: the state jumps there, behind the step `s` (h = 0: none), from y to y1. A zero that the motion reaches there is a root; a
// value that jumps through zero has none
static hml_status jump(hml_watch *w, const hml_step *s, const double *piece, double *y, double *y1) {
  double t = s->t1;
  bool fired = false;
  HML_TRY(hml_watch__values(w, t, y, w->residue));
  if (s->h != 0) HML_TRY(hml_watch__join(w, s, piece, 1, t, y));
  for (size_t i = 0; i < w->guards->n; i++) fired |= w->fired[i];
  if (fired) HML_TRY(w->guards->react(w->guards->payload, t, y, w->fired, 0));
  return hml_watch__start(w, t, y1, HML_JUMPED);
}

hml_status hml_roots__follow(hml_watch *w, const hml_trajectory *r) {
  const size_t points = hml_trajectory_points(r), n = hml_trajectory_size(r), pieces = hml_trajectory__pieces(r);
  hml_step last = {.t = hml_trajectory_time(r, 0), .t1 = hml_trajectory_time(r, 0), .h = 0};
  size_t last_point = 0;
  HML_TRY(hml_watch__start(w, hml_trajectory_time(r, 0), hml_trajectory_state(r, 0), HML_AFRESH));
  for (size_t i = 1; i < points; i++) {
    double t = hml_trajectory_time(r, i - 1), t1 = hml_trajectory_time(r, i);
    // only read here
    double *y = (double *)hml_trajectory_state(r, i - 1), *y1 = (double *)hml_trajectory_state(r, i);
    hml_step s = {.t = t, .t1 = t1, .h = t1 - t, .y = y, .y1 = y1};
    bool found = true;
    if (s.h == 0) HML_TRY(jump(w, &last, last.h != 0 ? hml_trajectory__piece(r, last_point) : NULL, y, y1));
    else last = s, last_point = i;
    while (s.h != 0 && found) {
      double theta;
      HML_TRY(hml_watch__search(w, &s, hml_trajectory__piece(r, i), &theta, &found));
      if (!found) continue;
      if (theta != 1) hml_dense__value(n, pieces, y, hml_trajectory__piece(r, i), theta, w->y);
      HML_TRY(w->guards->react(w->guards->payload, theta == 1 ? t1 : t + theta * s.h, theta == 1 ? y1 : w->y, w->fired, i));
    }
  }
  return HML_OK;
}

static hml_status follow(reading *reader, const hml_trajectory *r) {
  const hml_root_search *what = reader->what;
  const size_t n = hml_trajectory_size(r), inputs = what->program ? hml_program_inputs(what->program) : 0;
  uint32_t *place = hml_alloc(reader->context, (inputs + 1) * sizeof *place);
  if (!place) return HML_MEMORY;
  for (size_t k = 0; k < inputs; k++) place[k] = (uint32_t)(k <= what->states ? k : k - what->states + n);
  const hml_guard_formula formula = {what->program, place, what->constants, NULL}, *formulas[1] = {what->program ? &formula : NULL};
  const signed char direction = (signed char)what->direction;
  const bool passive = true;
  hml_guards guards = {.n = 1, .payload = reader, .direction = &direction, .passive = &passive, .bounded = true, .counts = &passive, .formula = formulas, .values = values, .react = react};
  hml_problem problem = {.context = reader->context, .n = n, .pieces = hml_trajectory__pieces(r)};
  hml_watch *w = NULL;
  hml_status status = hml_watch__open(&problem, &guards, &w);
  if (status == HML_OK) status = hml_roots__follow(w, r);
  hml_watch__close(w);
  hml_dealloc(reader->context, place, (inputs + 1) * sizeof *place);
  return status;
}

hml_status hml_trajectory_roots(const hml_trajectory *r, const hml_root_search *what, size_t capacity, double *times, size_t *count) {
  hml_context *c = hml_trajectory__context(r);
  reading reader = {.context = c, .what = what, .capacity = capacity, .times = times};
  *count = 0;
  if (hml_trajectory__pieces(r) == 0 && hml_trajectory_points(r) > 1)
    return hml_fail(c, HML_ARGUMENT, "trajectory: the roots of a function between the steps need a run made with dense output");
  if (what->program && (hml_program_outputs(what->program) != 1 || what->states > hml_trajectory_size(r) ||
                        hml_program_inputs(what->program) < 1 + what->states || hml_program_inputs(what->program) > MOST_INPUTS))
    return hml_fail(c, HML_ARGUMENT, "trajectory: a program of %zu inputs and %zu outputs is no function of t and %zu states",
                    hml_program_inputs(what->program), hml_program_outputs(what->program), what->states);
  size_t size = what->program ? (hml_program_inputs(what->program) + hml_program_work_size(what->program) + 1) * sizeof *reader.work : 0;
  if (size && !(reader.work = hml_alloc(c, size))) return HML_MEMORY;
  hml_status status = hml_trajectory_points(r) ? follow(&reader, r) : HML_OK;
  hml_dealloc(c, reader.work, size);
  *count = reader.count;
  return status;
}
