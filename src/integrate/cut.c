// cut.c: a step that ends inside the step that was made: by the method where it can make a part of its step, else by the polynomial.
#include "integrate/march.h"

#include <math.h>
#include <string.h>

#define ALONG 0.01                     // of the tolerance: error of a polynomial whose values are as good as the method's

bool hml_march__can_cut(const hml_march *r) {
  return !hml_stepper__keeps_history(r->method) && !r->whole;
}

static void begin_cut(const hml_march *r, const hml_step *s, double theta, hml_step *cut) {
  *cut = (hml_step){.t = s->t, .y = s->y, .f = s->f, .y1 = r->cut_y, .f1 = r->cut_f};
  cut->t1 = theta == 1 ? s->t1 : s->t + theta * s->h;
  cut->h = cut->t1 - s->t;
}

// The step from its start to theta, by the method where it can, else from the polynomial; state in cut_y
hml_status hml_march__cut_at(hml_march *r, const hml_step *s, const double *piece, double theta, hml_step *cut) {
  begin_cut(r, s, theta, cut);
  r->judged = NAN;
  if (hml_march__can_cut(r) && !r->along && cut->h != 0) {
    HML_TRY(r->method->attempt(r->state, cut));
    return hml_march__check_finite(r, cut);
  }
  if (theta == 1)
    memcpy(r->cut_y, s->y1, r->problem.n * sizeof *r->cut_y);
  else
    hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, r->along ? cut->h / s->h : theta, r->cut_y);
  return HML_OK;
}

// By its own terms, and by the equations: h x' there against its slope
static hml_status agrees(hml_march *r, const hml_step *s, double *piece, double theta, hml_step *cut, bool *so) {
  const size_t n = r->problem.n;
  double *defect = r->unprojected;
  begin_cut(r, s, theta, cut);
  theta = cut->h / s->h;                                                // of the time as it is rounded
  *so = r->method->along(r->state, s, piece, theta, r->cut_y) <= ALONG;
  if (!*so) return HML_OK;
  hml_dense__slope(n, r->problem.pieces, piece, theta, defect);
  HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, r->cut_y, r->cut_f));
  for (size_t i = 0; i < n; i++) defect[i] -= s->h * r->cut_f[i];
  *so = hml_control__norm_of_all(&r->problem, defect, s->y, r->cut_y) <= ALONG;
  return HML_OK;
}

hml_status hml_march__cut_along(hml_march *r, const hml_step *s, double *piece, double theta, hml_step *cut) {
  r->along = false;
  if (!r->method->along || !hml_march__can_cut(r) || !(theta < 1)) return HML_OK;
  hml_status status = agrees(r, s, piece, theta, cut, &r->along);
  r->judged = cut->t1;
  if (status == HML_OK || !hml_problem__recoverable(status) || hml_must_end(r->problem.context)) return status;
  r->along = false;
  return hml_forgiven(r->problem.context);
}

// The part of a polynomial whose values count
static void shorten(const hml_march *r, const hml_step *s, const hml_step *cut, double *piece) {
  hml_dense__shorten(r->problem.n, piece, cut->h / s->h);
  hml_dense__hermite(r->problem.n, cut, piece);
}

// The polynomial of a cut step of a method with a history: a part of the old one, in the same memory
static void cut_polynomial(const hml_march *r, const hml_step *s, const hml_step *cut, double *piece) {
  const size_t n = r->problem.n, count = r->problem.pieces > 3 ? r->problem.pieces - 3 : 0;
  double theta = (cut->t1 - s->t) / s->h;
  hml_condition conditions[3];
  for (size_t k = 0; k < count && k < 3; k++) {
    double at = (double)(k + 1) / (double)(count + 1), *value = r->work + k * r->problem.stride;
    hml_dense__value(n, r->problem.pieces, s->y, piece, at * theta, value);
    conditions[k] = (hml_condition){at, 1, value, false};
  }
  hml_dense__hermite(n, cut, piece);
  if (count && count <= 3) hml_dense__fit(n, cut->y, piece, 3, count, conditions);
}

// The step ends at the cut, whose point is committed
hml_status hml_march__commit_cut(hml_march *r, const hml_step *s, hml_step *cut, double *row, double *piece) {
  const size_t n = r->problem.n;
  double moved = 0;
  memcpy(r->y1, cut->y1, n * sizeof *r->y1);
  cut->y1 = r->y1;
  cut->f1 = r->f1;
  HML_TRY(hml_march__project(r, cut->t1, &moved));
  HML_TRY(hml_march__check_move(r, cut, moved));
  if (r->along && moved == 0 && r->judged == cut->t1) memcpy(cut->f1, r->cut_f, n * sizeof *cut->f1);
  else HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, cut->y1, cut->f1));
  const bool needed = hml_march__needs_polynomial(r, cut);
  if (needed && r->along) shorten(r, s, cut, piece);
  else if (needed && hml_march__can_cut(r)) HML_TRY(r->method->dense(r->state, cut, piece));
  else if (needed) cut_polynomial(r, s, cut, piece);
  memcpy(row, cut->y1, n * sizeof *row);
  hml_trajectory__commit(r->trajectory, cut->t1);
  hml_march__note(r, cut, piece);
  r->problem.outcome->steps++;
  r->t = cut->t1;
  hml_march__swap(&r->y, &r->y1);
  return HML_OK;
}
