// ensemble.h: between ensemble.c, which hands out jobs to threads, lanes.c, which runs several jobs side by side in one thread, and batches.c,
// which judges runs with steps of one size.
#ifndef HML_ENSEMBLE_H
#define HML_ENSEMBLE_H

#include "integrate/hybrid.h"
#include "integrate/readings.h"
#include "integrate/remainder.h"
#include "integrate/stepper.h"

// One thread's view of an ensemble
typedef struct hml_crew {
  const hml_ensemble_spec *spec;
  hml_run_options options;
  hml_context *context;                // the thread's own
  hml_workspace *workspace;            // the thread's own
  hml_hybrid *hybrid;                  // the thread's own; NULL: neither contacts nor events
  size_t n, controlled, parameters, margins;     // state, components in the error norm, parameters, margins of the rate
  size_t read;                         // inputs of `native` after the state: parameters, and results computed from them once
  const hml_native *native;            // the rate, or the series, in lanes; NULL: one job after the other
  unsigned order;                      // of the Taylor series; 0: DOP853
  size_t series_margins;               // behind its coefficients
  const hml_native *guard;             // of the rate, in lanes; NULL: margins must be positive
  const hml_gauss_rule *rule;          // steps of one size in lanes: the stages of Gauss, none for rk4. NULL: adaptive steps
  bool onward;                         // the step control goes on at a stored time, instead of starting again
  const hml_native *corrections[2];    // onto positions, onto velocities, in lanes; NULL: none on that level, or see general
  const hml_native *places, *look;     // in lanes: witnesses of singular places, NULL: none; the rate beside a series
  size_t guard_outputs;
  size_t n_places;
  bool settled;                        // pivots are clear of zero at every state, for all jobs: steps of a series are not looked at
  const hml_native *tangent;           // rates of a direction, from the inputs of the rate and the direction, in lanes; NULL: growth of directions is not asked for
  size_t tangent_inputs;               // before the direction
  const hml_native *tangent_still;     // in lanes: what `tangent` reads behind the direction, the same for all directions; NULL: nothing
  size_t tangent_values;
  const hml_native *guards, *guard_rates;        // in lanes: what is read off the runs, and with its rates; NULL: nothing is
  const hml_native *const *gradients;  // in lanes: of each function whose roots must be decided, with its value before; NULL: it is always looked at  (n_roots)
  hml_remainder *const *remainders;    // of smooth functions that are no polynomials of low degree; NULL of others: see lanes_ranges.inc            (n_roots)
  const hml_native *averaged;          // in lanes: the functions whose means are wanted; NULL: none
  const unsigned *degrees, *mean_degrees;        // of what is read off and of these, as polynomials in t and x
  hml_status (*end)(struct hml_crew *crew, size_t job, size_t time, double t, const double *x, double step);   // runs the rest of a job by itself
  hml_status (*store)(struct hml_crew *crew, size_t job, const hml_readings *r);
  void (*forget)(struct hml_crew *crew, size_t job);        // what was stored so
  bool general[2];                     // constraints on that level are met by the general route, lane by lane
  const hml_native *residuals[2];      // in lanes, of a level whose constraints are watched and not projected onto; NULL: none are
  size_t n_residuals[2];
  double *states;                      // (jobs x times x n)
  hml_ensemble_row *rows;              // (jobs)
  bool digits;                         // the digits of the accelerations are looked at on the way
  void *payload;
  size_t (*next)(void *payload);       // next job, or SIZE_MAX
  void (*finished)(void *payload, size_t job);
  hml_status (*alone)(struct hml_crew *crew, size_t job);   // runs a job by itself, from its start
} hml_crew;

double *hml_crew__state(const hml_crew *crew, size_t job, size_t time);
const double *hml_crew__parameters_of(const hml_crew *crew, size_t job);   // NULL: the model's

// looks.c: state number i of `of`, with its time
typedef const double *(*hml_state_at)(const void *of, size_t i, double *t);
// At a state on the way of a job, into its row: errors of accelerations count from that share of hml_ensemble_spec.digits on. *calm: rounding costs next to
// nothing there
hml_status hml_crew__look(hml_crew *crew, size_t job, double share, double t, const double *x, bool *calm);
// At the middle one of n states, and where it is not calm, at others, evenly by number; the more, the more evaluations the row has counted
hml_status hml_crew__look_along(hml_crew *crew, size_t job, double share, size_t n, hml_state_at at, const void *of);
hml_status hml_crew__look_back(hml_crew *crew, size_t job, const hml_trajectory *r);     // along a run by itself

// lanes.c: until no job is left or the run is interrupted
hml_status hml_lanes__run4(hml_crew *crew);
hml_status hml_lanes__run8(hml_crew *crew);

// Jobs with steps of one size. Their states at the times of the ensemble are stored, those at times at which they are judged in `samples`. With
// directions the lanes choose these times: pairs, the start and the end of a step; behind the last one they are not numbers.
typedef struct hml_batch {
  size_t count;
  const size_t *jobs;                  // (count)
  size_t n_looks;
  double *looks;                       // times, monotonic                                          (n_looks)
  double *samples;                     //                                                           (count x n_looks x n)
  bool *lost;                          // a job for the general route                               (count)
} hml_batch;

hml_status hml_lanes__batch4(hml_crew *crew, const hml_batch *b);
hml_status hml_lanes__batch8(hml_crew *crew, const hml_batch *b);

// batches.c: all jobs, in batches. lanes: 4 or 8
hml_status hml_batches__run(hml_crew *crew, unsigned lanes);

#endif
