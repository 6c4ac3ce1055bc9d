// cut.c: a step that ends inside the step that was made: by the method where it can make a part of its step, else by the polynomial.
#include "integrate/march.h"

#include <string.h>

bool hml_march__can_cut(const hml_march *r) {
  return !hml_stepper__keeps_history(r->method) && !r->whole;
}

// The step from its start to theta, by the method where it can, else from the polynomial; state in cut_y
hml_status hml_march__cut_at(hml_march *r, const hml_step *s, const double *piece, double theta, hml_step *cut) {
  *cut = (hml_step){.t = s->t, .y = s->y, .f = s->f, .y1 = r->cut_y, .f1 = r->cut_f};
  cut->t1 = theta == 1 ? s->t1 : s->t + theta * s->h;
  cut->h = cut->t1 - s->t;
  if (hml_march__can_cut(r) && cut->h != 0) {
    HML_TRY(r->method->attempt(r->state, cut));
    return hml_march__check_finite(r, cut);
  }
  if (theta == 1)
    memcpy(r->cut_y, s->y1, r->problem.n * sizeof *r->cut_y);
  else
    hml_dense__value(r->problem.n, r->problem.pieces, s->y, piece, theta, r->cut_y);
  return HML_OK;
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
  HML_TRY(hml_problem__finite_rhs(&r->problem, cut->t1, cut->y1, cut->f1));
  if (r->options.dense && hml_march__can_cut(r)) HML_TRY(r->method->dense(r->state, cut, piece));
  else if (r->options.dense) cut_polynomial(r, s, cut, piece);
  memcpy(row, cut->y1, n * sizeof *row);
  hml_trajectory__commit(r->trajectory, cut->t1);
  r->problem.outcome->steps++;
  r->t = cut->t1;
  hml_march__swap(&r->y, &r->y1);
  return HML_OK;
}
