// between.c: forces that come and go within a step. Adaptive steps are made shorter; steps of fixed size are compared with fine runs.
#include "integrate/march.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_COMPARED = 300, SAMPLED = 40 };   // steps of fixed size that are compared with fine runs: where forces are sharp; of all

// A step over which a force may come and go is made again, shorter
void hml_march__look_between(hml_march *r, const hml_step *s, bool *again) {
  double too_long = r->method->fixed ? 0 : hml_tube__stretch(r->tube, s);
  *again = too_long > 1 && fabs(s->h) > 8 * hml_march__step_floor(r);
  if (!*again) return;
  r->h = fabs(s->h) * fmax(0.9 / too_long, 0.1);
  r->problem.outcome->rejected++;
}

// The largest way from the start, and the largest velocities
static void grow_way(hml_march *r, const hml_step *s) {
  const hml_missed way = hml_lookout__way(r->lookout, s->y1, r->start_y);
  r->way.positions = fmax(r->way.positions, way.positions);
  r->way.velocities = fmax(r->way.velocities, way.velocities);
}

// One step of fixed size in so many is compared
static size_t stride_of(const hml_march *r) {
  return (size_t)(fabs(r->t_end - r->t_start) / r->options.step) / SAMPLED + 1;
}

// Steps of fixed size are kept; some of them, and those over which a force may come and go, are compared with a fine run
hml_status hml_march__check_between(hml_march *r, const hml_step *s) {
  if (!r->method->fixed || !r->lookout) return HML_OK;
  hml_missed now;
  grow_way(r, s);
  const size_t stride = stride_of(r);
  bool sampled = r->made++ % stride == 0, sharp = r->tube && r->compared < MOST_COMPARED && hml_tube__stretch(r->tube, s) > HML_LIKELY;
  if (!sampled && !sharp) return HML_OK;
  r->compared += sharp;
  HML_TRY(hml_lookout__missed(r->lookout, s, &now));
  if (sampled) r->sum.positions += (double)stride * now.positions, r->sum.velocities += (double)stride * now.velocities;
  if (sharp && now.positions > r->missed.positions) r->missed.positions = now.positions, r->missed_from = s->t;
  if (sharp && now.velocities > r->missed.velocities) r->missed.velocities = now.velocities, r->missed_from = s->t;
  return HML_OK;
}

static double part_of_way(const hml_march *r, hml_missed of) {
  return fmax(of.positions / (r->way.positions + DBL_MIN), of.velocities / (r->way.velocities + DBL_MIN));
}

// Against the whole motion, so that a start from rest and its first small steps are no matter. What all steps add up to is judged at the end of
// the run (compared.c)
void hml_march__doubt_steps(hml_march *r) {
  hml_outcome *o = r->problem.outcome;
  double one = part_of_way(r, r->missed);
  o->step_errors = fmax(part_of_way(r, r->sum), one);
  if (!(one > HML_MISSED) || o->doubt[0]) return;
  snprintf(o->doubt, sizeof o->doubt, "a force comes or goes within the step from t = %.10g, which is too long to follow it: the step is off by %.2g of "
           "the motion; take a smaller step", r->missed_from, one);
}
