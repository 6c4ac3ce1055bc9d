// between.c: forces that come and go within a step. Adaptive steps are made shorter; steps of fixed size are compared with fine runs.
#include "integrate/march.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COMPARED = 300 };          // steps of fixed size that are compared with fine runs
#define FREE 5                         // times longer: where the step control allows this, the error did not limit the step
#define LIKELY 0.3                     // of the length that adaptive steps may have: longer steps of fixed size are compared
#define MISSED 0.05                    // of the whole motion: a larger error of a step is reported

// May the next step be longer by as much as the step control allows at all? Then this one was not made for its error
static bool unbounded(hml_march *r, const hml_step *s) {
  if (hml_march__present(r)->blind) return r->method->blind(r->state, s);
  unsigned order = hml_march__order(r);
  return hml_control__factor(hml_march__present(r), order, s->error, 1e-4, false) >= FREE;
}

// A step over which a force may come and go is made again, shorter
void hml_march__look_between(hml_march *r, const hml_step *s, bool *again) {
  double too_long = r->method->fixed ? 0 : hml_tube__stretch(r->tube, s, unbounded(r, s));
  *again = too_long > 1 && fabs(s->h) > 8 * hml_march__step_floor(r);
  if (!*again) return;
  r->h = fabs(s->h) * fmax(0.9 / too_long, 0.1);
  r->problem.outcome->rejected++;
}

// Steps of fixed size are kept; forces between their points are compared with a fine run
hml_status hml_march__check_between(hml_march *r, const hml_step *s) {
  if (!r->method->fixed || !r->lookout || !r->tube) return HML_OK;
  hml_missed now, way = hml_lookout__apart(r->lookout, s->y1, hml_trajectory_state(r->trajectory, 0));
  r->way.positions = fmax(r->way.positions, way.positions);
  r->way.velocities = fmax(r->way.velocities, way.velocities);
  memset(r->work, 0, r->problem.n * sizeof *r->work);
  r->way.velocities = fmax(r->way.velocities, hml_lookout__apart(r->lookout, s->y1, r->work).velocities);
  if (r->compared >= MOST_COMPARED || !(hml_tube__stretch(r->tube, s, true) > LIKELY)) return HML_OK;
  r->compared++;
  HML_TRY(hml_lookout__missed(r->lookout, s, &now));
  if (now.positions > r->missed.positions) r->missed.positions = now.positions, r->missed_from = s->t;
  if (now.velocities > r->missed.velocities) r->missed.velocities = now.velocities, r->missed_from = s->t;
  return HML_OK;
}

// Against the whole motion, so that a start from rest and its first small steps are no matter
void hml_march__doubt_steps(hml_march *r) {
  hml_outcome *o = r->problem.outcome;
  double part = fmax(r->missed.positions / (r->way.positions + DBL_MIN), r->missed.velocities / (r->way.velocities + DBL_MIN));
  if (!(part > MISSED) || o->doubt[0]) return;
  snprintf(o->doubt, sizeof o->doubt, "a force comes or goes within the step from t = %.10g, which is too long to follow it: the step is off by %.2g of "
           "the motion; take a smaller step", r->missed_from, part);
}
