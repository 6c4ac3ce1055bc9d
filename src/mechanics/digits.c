// digits.c: how many digits do the accelerations of a run have? Its program solves for them without refinement. Where constraints carry forces that are much
// larger than what these leave, or masses differ by many orders of magnitude, accelerations are small differences of large numbers; no pivot shows that.
// The general solve refines such solutions (multiplier.c): where it and the program differ, digits are lost.
#include "mechanics_impl.h"

#include <math.h>

// Where the general solve finds no accelerations there is nothing to compare        fails: as a force from outside does
hml_status hml_workspace__digits(hml_workspace *w, double *difference, double *largest) {
  const hml_model *m = w->model;
  const double *a = w->rate + m->n_kin;
  bool holds = false;
  *difference = *largest = 0;
  if (!m->n_multipliers || !m->rate) return HML_OK;
  w->guard_due = true;                 // its bounds may be those of another state
  HML_TRY(hml_stage__rate(w, &holds));
  if (!holds) return HML_OK;           // the run took the general solve there
  const hml_status status = hml_stage__solution(w);
  if (status != HML_OK) return hml_forgiven(w->context);
  for (size_t i = 0; i < m->n_dyn; i++) {
    *largest = fmax(*largest, fabs(w->a[i]));
    *difference = fmax(*difference, fabs(a[i] - w->a[i]));
  }
  return HML_OK;
}
