// hybrid_digits.c: looks along a run with contacts for accelerations that rounding of the reactions leaves uncertain, and the verdict at its end.
//
// The looks depend on the steps alone, not on the points that are stored, so that a run has the same verdict alone and as a row of a sweep.
#include "integrate/hybrid.h"

#include <math.h>
#include <stdio.h>

enum { FREE_LOOKS = 4, SHARE = 16, MOST_STRIDE = 64 };   // looks in any run; steps for each further one; steps between two looks in one mode

void hml_hybrid__begin_digits(hml_hybrid *h) {
  h->digits = (hml_digit_looks){.worst = {0, INFINITY}, .t = NAN, .stride = 1};
}

void hml_hybrid__renew_digits(hml_hybrid *h) {
  h->digits.next = h->digits.steps;
  h->digits.stride = 1;
}

// What fails there fails in the run as well, or is behind its end
static hml_status look_at(hml_hybrid *h, double t, const double *y) {
  hml_uncertain found;
  const size_t handed_over = hml_workspace__handed_over(h->w), reordered = hml_workspace__reordered(h->w);
  const hml_status status = hml_contacts__digits(h->contacts, t, y, h->rtol, h->atol, &found);
  hml_workspace__recount(h->w, handed_over, reordered);
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  if (status != HML_OK) return hml_forgiven(h->context);
  if (found.part > 0 && found.span < h->digits.worst.span) h->digits.worst = found, h->digits.t = t;
  return HML_OK;
}

hml_status hml_hybrid__look_at_digits(hml_hybrid *h, double t, const double *y) {
  hml_digit_looks *d = &h->digits;
  if (d->steps++ < d->next || d->made >= FREE_LOOKS + d->steps / SHARE) return HML_OK;
  d->made++;
  d->next = d->steps - 1 + d->stride;
  d->stride = d->stride < MOST_STRIDE ? 2 * d->stride : MOST_STRIDE;
  return look_at(h, t, y);
}

hml_status hml_hybrid__judge_digits(hml_hybrid *h, const hml_trajectory *run, hml_outcome *outcome) {
  const size_t points = hml_trajectory_points(run);
  if (!points || (outcome->status != HML_OK && outcome->status != HML_EVENT)) return HML_OK;
  HML_TRY(look_at(h, hml_trajectory_time(run, points - 1), hml_trajectory_state(run, points - 1)));
  const hml_uncertain *worst = &h->digits.worst;
  char by[60] = "no certain digit";
  if (!(worst->span < fabs(outcome->t - hml_trajectory_time(run, 0))) || outcome->doubt[0]) return HML_OK;
  if (worst->part < 1) snprintf(by, sizeof by, "uncertain by %.2g of the largest", worst->part);
  snprintf(outcome->doubt, sizeof outcome->doubt, "rounding leaves the accelerations %s at t = %.6g: contacts take up forces that differ from what these leave by many "
           "orders of magnitude; replace forces and stiffnesses that contacts alone take up", by, h->digits.t);
  return HML_OK;
}
