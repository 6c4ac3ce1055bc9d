// parting.c: motions that are not unique: from a state on the zero of a root a motion may stay there or leave, since x' is not Lipschitz continuous.
#include "integrate/lookout_impl.h"

#include <string.h>

enum { POINTS = HML_LOOKOUT_POINTS, STEPS_AHEAD = 4 };
#define SMALL_PART 1e-4                // of the run: steps that show whether a motion leaves a root at zero

static hml_status tell_parting(hml_lookout *l, size_t i, double t, const double *y) {
  const hml_model *model = hml_workspace__model(l->w);
  char what[500], where[300];
  hml_model__describe_place(hml_workspace__context(l->w), model, i, sizeof what, what);
  hml_model__describe_position(model, y, sizeof where, where);
  return hml_fail(l->problem->context, HML_SINGULAR, "model '%.100s': the motion from t = %.10g on is not unique: %s, and x' is not Lipschitz continuous there, so "
                  "that the motion may stay or leave (%s); start beside this place, or take a force that is smooth there",
                  hml_model__name(model), t, what, where);
}

static size_t room_of_sides(const hml_lookout *l) {
  return (hml_model__sizes(hml_workspace__model(l->w)).held + 1) * sizeof(double);
}

hml_status hml_lookout__let_go(hml_lookout *l, hml_sides *s) {
  s->kept = hml_alloc(l->problem->context, room_of_sides(l));
  if (!s->kept) return HML_MEMORY;
  s->held = hml_workspace__let_go(l->w, s->kept);
  return HML_OK;
}

void hml_lookout__hold_again(hml_lookout *l, hml_sides *s) {
  hml_workspace__hold_again(l->w, s->held, s->kept);
  hml_dealloc(l->problem->context, s->kept, room_of_sides(l));
}

static hml_status demand_unique(hml_lookout *l, size_t i, double t, const double *y) {
  bool lost;
  hml_sides s;
  HML_TRY(hml_lookout__let_go(l, &s));
  hml_status status = hml_lipschitz__lost(l->problem, hml_model__sizes(hml_workspace__model(l->w)), t, y, l->y, &lost);
  hml_lookout__hold_again(l, &s);
  HML_TRY(status);
  return lost ? tell_parting(l, i, t, y) : HML_OK;
}

hml_status hml_lookout__unique_start(hml_lookout *l, double t, const double *y, const double *f, double span) {
  const hml_problem *p = l->problem;
  double *ahead = l->y, *slope = ahead + p->stride;
  const double h = SMALL_PART * span;
  bool stays = false;
  for (size_t i = 0; i < l->n_places; i++) stays = stays || (l->places->list[i].steep && l->g_start[i] == 0);
  if (!stays || span == 0) return HML_OK;
  // as far as rates of rates of the witness lead, it stays zero or not
  memcpy(ahead, y, p->n * sizeof *y);
  memcpy(slope, f, p->n * sizeof *f);
  for (int k = 0; k < STEPS_AHEAD; k++) {
    for (size_t i = 0; i < p->n; i++) ahead[i] += h * slope[i];
    hml_status status = hml_lookout__rate(l, t + (k + 1) * h, ahead, slope);
    if (status != HML_OK) return hml_problem__recoverable(status) ? hml_forgiven(p->context) : status;
  }
  hml_lookout__witnesses(l, t + STEPS_AHEAD * h, ahead, l->g);
  for (size_t i = 0; i < l->n_places; i++)
    if (l->places->list[i].steep && l->g_start[i] == 0 && l->g[i] == 0) return demand_unique(l, i, t, y);
  return HML_OK;
}

hml_status hml_lookout__unique(hml_lookout *l, const hml_step *s) {
  const size_t n = l->n_places;
  for (size_t i = 0; i < n; i++)
    if (l->places->list[i].steep && l->g[i] == 0 && l->g[POINTS / 2 * n + i] == 0 && l->g[(POINTS - 1) * n + i] == 0) return demand_unique(l, i, s->t, s->y);
  return HML_OK;
}
