// compared.h: steps of one size are judged by a second run, at tight tolerances. Shared only inside this room.
#ifndef HML_COMPARED_H
#define HML_COMPARED_H

#include "integrate/stepper.h"

#define HML_COMPARED_TIGHT 1e-12       // tolerance of the second run
#define HML_OWN_TOLERANCES 10          // errors below so many tolerances of the run never count
#define HML_LEAST_SIZE 1e-6            // of the largest way or speed: what a component counts for at least

// The same motion by another method; as hml_run
typedef hml_status (*hml_rerun)(void *payload, const hml_run_options *options, double t0, double t1, const double *x, hml_trajectory **out, hml_outcome *outcome);

typedef struct hml_compared {
  hml_context *context;
  hml_model_sizes sizes;
  const hml_run_options *options;      // of the run that is judged
  hml_rerun again;
  void *payload;
  bool jumps;                          // velocities may jump, a little earlier or later in the second run; it cannot be made in parts
} hml_compared;

// After a run: writes outcome->step_errors and outcome->doubt where its method makes steps of one size. A run in pieces is judged at its end
void hml_compared__judge(const hml_compared *c, const hml_trajectory *run, hml_outcome *outcome);

// For runs in lanes. The options of the second run; span: the time that both take
hml_run_options hml_compared__options(const hml_run_options *of, double span);
// The largest error of a run as a part of its motion, from states of both runs at the same times              (count x state size)
hml_status hml_compared__off(const hml_compared *c, size_t count, size_t state, const double *start, const double *own, const double *other, double *off);
// The error of one step from y, as a part of its way, or of its velocities
double hml_compared__step_off(const hml_compared *c, const double *y, const double *own, const double *other);

#endif
