// looks.c: looks at states on the way of a run of an ensemble, whether rounding leaves its accelerations their digits.
//
// A run by the general route is looked at at the states at which balance.lua looks at a single run, so that both have the same verdict. Lanes keep few states: where
// errors there are not clearly smaller than those that count, the general route makes the run, and decides.
#include "integrate/ensemble.h"

#include <math.h>

hml_status hml_crew__look(hml_crew *crew, size_t job, double share, double t, const double *x, bool *calm) {
  const hml_ensemble_spec *s = crew->spec;
  const hml_run_options *o = &crew->options;
  hml_ensemble_row *row = &crew->rows[job];
  hml_workspace *w = crew->workspace;
  const size_t handed_over = hml_workspace__handed_over(w), reordered = hml_workspace__reordered(w);
  const bool at_event = row->status == HML_EVENT, stopped = row->status != HML_OK && row->status != HML_INTERRUPTED && !at_event;
  const double part = share * (stopped ? s->noise : s->digits), span = fabs((at_event ? row->t : s->times[s->n_times - 1]) - s->t0);
  hml_digits d = {0};
  double size = 0;
  bool states;
  hml_status status = hml_workspace_set_state(w, t, x);
  if (status == HML_OK) status = hml_workspace__digits(w, fmin(part, HML_DIGITS_PART), &d);
  hml_workspace__recount(w, handed_over, reordered);
  *calm = status == HML_OK && d.doubt <= HML_DIGITS_CALM * d.largest;
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  if (status != HML_OK) return hml_forgiven(crew->context);
  for (size_t i = 0; i < crew->n; i++) size = fmax(size, fabs(x[i]));
  const double lost = hml_digits__lost(&d, part, span, share * (o->atol + o->rtol * size), &states);
  if (lost > row->lost) row->lost = lost, row->lost_at = t, row->lost_states = states;
  return HML_OK;
}

// Of n states
static size_t looks_at(const hml_crew *crew, size_t job, size_t n) {
  return hml_samples__looks(n, crew->rows[job].evaluations, hml_model_operations(hml_workspace__model(crew->workspace)), crew->n);
}

hml_status hml_crew__look_along(hml_crew *crew, size_t job, double share, size_t n, hml_state_at at, const void *of) {
  const size_t looks = looks_at(crew, job, n);
  double t;
  bool calm;
  if (n == 0) return HML_OK;
  const double *x = at(of, n / 2, &t);
  HML_TRY(hml_crew__look(crew, job, share, t, x, &calm));
  for (size_t k = 0; k < looks && !calm && n > 1; k++) {
    bool one;
    x = at(of, k * (n - 1) / (looks - 1), &t);
    HML_TRY(hml_crew__look(crew, job, share, t, x, &one));
  }
  return HML_OK;
}

// ---- a run by itself

// Its start, its marks or its other points, its end
typedef struct way {
  const hml_trajectory *run;
  bool marked;
} way;

static const double *state_at(const way *w, size_t i, double *t) {
  return hml_samples__state(w->run, w->marked, i, t);
}

static double time_at(void *of, size_t i) {
  double t;
  state_at(of, i, &t);
  return t;
}

hml_status hml_crew__look_back(hml_crew *crew, size_t job, const hml_trajectory *r) {
  const hml_status ended = crew->rows[job].status;
  way w = {r, hml_trajectory_marks(r) > 0};
  const size_t count = hml_samples__count(r, w.marked);
  size_t list[HML_SAMPLES + 3];
  double t, deepest_at;
  bool calm, all_calm = true;
  if (!crew->digits || !hml_trajectory_points(r) || ended == HML_INTERRUPTED) return HML_OK;
  const double *deepest = hml_trajectory_deepest(r, &deepest_at);
  if (ended != HML_OK && ended != HML_EVENT) {           // the last state shows why, or the one with the least inertia
    const double *x = state_at(&w, count - 1, &t);
    HML_TRY(hml_crew__look(crew, job, 1, t, x, &calm));
    return deepest ? hml_crew__look(crew, job, 1, deepest_at, deepest, &calm) : HML_OK;
  }
  const size_t n = hml_samples__spread(count, time_at, &w, list), looks = looks_at(crew, job, n);
  const size_t begins[] = {0, looks - 1, (looks + 1) / 2 - 1};
  for (size_t k = 0; k < sizeof begins / sizeof *begins; k++) {
    const double *x = state_at(&w, list[begins[k] * (n - 1) / (looks - 1)], &t);
    HML_TRY(hml_crew__look(crew, job, 1, t, x, &calm));
    all_calm &= calm;
  }
  if (deepest) HML_TRY(hml_crew__look(crew, job, 1, deepest_at, deepest, &calm));
  all_calm &= calm;
  for (size_t k = 1; k + 1 < looks && !all_calm; k++) {
    const double *x = state_at(&w, list[k * (n - 1) / (looks - 1)], &t);
    if (k != begins[2]) HML_TRY(hml_crew__look(crew, job, 1, t, x, &calm));
  }
  return HML_OK;
}
