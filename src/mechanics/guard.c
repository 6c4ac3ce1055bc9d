// guard.c: are the pivots of x' by the graph above their floors? The floors take operations that x' does not need (hml_graph_programs). In a run the
// guard gives them once in a step. Between, a pivot is compared with a bound that is well above its floor of then; below it the guard is asked at once.
// Floors are sums of squares of the coefficients on the way to a pivot, so that a step does not change them by much.
#include "mechanics_impl.h"

static inline double larger(double a, double b) {
  return a > b ? a : b;
}

static double bound_of(double pivot, double floor, double usual) {
  const double above = larger(HML_WELL_ABOVE * floor, usual);
  return larger(above, HML_FALLEN_PART * pivot);
}

bool hml_workspace__watch(hml_workspace *w, bool on) {
  bool before = w->watched;
  w->watched = on;
  w->guard_due = true;
  hml_drift__forget(w);
  return before;
}

void hml_workspace__guard_next(hml_workspace *w) {
  w->guard_due = true;
}

bool hml_workspace__guard_failed(const hml_workspace *w) {
  return w->guard_failed;
}

static bool ask(hml_workspace *w, const double *pivot) {
  const size_t n = w->model->running_margins;
  const double *floor = w->floors, *usual = floor + n;
  bool holds = true;
  hml_program_eval(w->model->running_guard, w->in, w->floors, w->work);
  for (size_t i = 0; i < n; i++) {
    const bool above = pivot[i] > floor[i] && pivot[i] > usual[i];
    w->held_floor[i] = larger(floor[i], usual[i]);
    w->shown[i] = pivot[i] - w->held_floor[i];
    w->bound[i] = bound_of(pivot[i], floor[i], usual[i]);
    const double margin = above ? w->shown[i] : 0;
    w->least[i] = margin < w->least[i] ? margin : w->least[i];
    holds &= above;
  }
  w->guard_due = !holds || !w->watched;
  w->guard_failed = !holds;
  return holds;
}

bool hml_guard__holds(hml_workspace *w, const double *pivot) {
  const size_t n = w->model->running_margins;
  const double *restrict bound = w->bound, *restrict floor = w->held_floor;
  double *restrict least = w->least, *restrict shown = w->shown;
  if (w->guard_due) return ask(w, pivot);
  bool above = true;
  for (size_t i = 0; i < n; i++) above &= pivot[i] > bound[i];
  if (!above) return ask(w, pivot);
  for (size_t i = 0; i < n; i++) {
    const double margin = pivot[i] - floor[i];
    shown[i] = margin;
    least[i] = margin < least[i] ? margin : least[i];
  }
  w->guard_failed = false;
  return true;
}
