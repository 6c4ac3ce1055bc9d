// dip.c: roots that only the polynomial of a step has, where a guard leaves its root.
//
// A gap that opens flat, as t^5 does, is below the accuracy of a polynomial of low degree: that dips through zero and comes back. Shorter steps
// have the same dips. The owner of the guard knows the side to which it leaves; where the method, on parts of its step, agrees, there is no root.
#include "integrate/march.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define EARLY 0.25                     // of the step: a root behind that is not taken for a dip
enum { LOOKS = 8, HALVINGS = 20 };     // places of a dip that are compared with parts of the step; to find its end

static hml_status on_polynomial(const hml_march *r, const hml_step *s, const double *piece, size_t guard, double theta, double *value) {
  double *y = r->work;
  if (theta == 1) memcpy(y, s->y1, r->problem.n * sizeof *y);
  else hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, theta, y);
  return hml_watch__value(r->watch, guard, theta == 1 ? s->t1 : s->t + theta * s->h, y, value);
}

// The place where the polynomial has come back to the side of the guard; NAN: nowhere
static hml_status way_back(const hml_march *r, const hml_step *s, const double *piece, size_t guard, double theta, double *back) {
  const int side = r->watch->posts[guard].leaves;
  *back = NAN;
  for (double at = theta; !(*back <= 1) && at < 1;) {
    double value;
    at = at < 0.25 ? fmax(2 * at, DBL_EPSILON) : at + 1.0 / 16;
    at = at < 1 ? at : 1;
    HML_TRY(on_polynomial(r, s, piece, guard, at, &value));
    if (side * value > 0) *back = at;
    else theta = at;
  }
  for (int k = 0; k < HALVINGS && *back <= 1; k++) {
    double value, middle = 0.5 * (theta + *back);
    HML_TRY(on_polynomial(r, s, piece, guard, middle, &value));
    *(side * value > 0 ? back : &theta) = middle;
  }
  return HML_OK;
}

// Is the guard on its side where the method itself makes parts of the step, all along the dip?
static hml_status method_stays(hml_march *r, const hml_step *s, const double *piece, size_t guard, double theta, double back, bool *stays) {
  const int side = r->watch->posts[guard].leaves;
  *stays = true;
  for (int k = 1; k <= LOOKS && *stays; k++) {
    hml_step cut;
    double value;
    HML_TRY(hml_march__cut_at(r, s, piece, theta + (back - theta) * k / LOOKS, &cut));
    HML_TRY(hml_watch__value(r->watch, guard, cut.t1, r->cut_y, &value));
    *stays = side * value > 0;
  }
  return HML_OK;
}

hml_status hml_march__pass_dips(hml_march *r, const hml_step *s, const double *piece, double theta, bool *passed) {
  hml_watch *w = r->watch;
  *passed = false;
  if (theta > EARLY || !hml_march__can_cut(r)) return HML_OK;
  *passed = true;
  for (size_t i = 0; i < w->guards->n; i++) {
    double back = NAN;
    bool stays = false;
    if (w->fired[i] && w->posts[i].leaves) HML_TRY(way_back(r, s, piece, i, theta, &back));
    if (back <= 1) HML_TRY(method_stays(r, s, piece, i, theta, back, &stays));
    if (stays) hml_watch__pass(w, i, back);
    *passed &= !w->fired[i];
  }
  return HML_OK;
}
