// moreau.h: the interface between hybrid runs and the time stepping of Moreau and Jean.
#ifndef HML_MOREAU_H
#define HML_MOREAU_H

#include "integrate/integrate.h"

typedef struct hml_moreau {
  hml_workspace *w;
  hml_contacts *contacts;
  double step, rtol, atol;
  size_t max_steps;                    // 0: no limit
  size_t gaps;
  const hml_guard_formula *gap;        // of each gap; without a program it is not looked at between the points
  const char *(*gap_name)(void *payload, size_t gap);
  double (*stretch)(void *payload, const hml_range *over, const hml_range *start, const hml_range *end, bool blind);   // as in hml_ode, of the contacts
  void *payload;
  // After each step of size h that ended at t: states before and after, and the impulses of the contacts
  hml_status (*took)(void *payload, double t, double h, const double *before, const double *after, const hml_step_report *report);
  hml_status (*note)(void *payload, double t, const char *text);
} hml_moreau;

// Steps from t0 to t1 > t0. A run that stops early is an outcome, as in hml_run
hml_status hml_moreau__run(hml_context *c, const hml_moreau *m, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome);

#endif
