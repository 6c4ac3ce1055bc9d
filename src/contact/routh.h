// routh.h: one impact at one gap, followed along its normal impulse, with the frictions of this gap. Inside this room.
//
// Rows are [normal, slips ...], rows that demand a velocity already eliminated: u+ = u- + G P. All functions are pure.
#ifndef HML_ROUTH_H
#define HML_ROUTH_H

#include "hamel.h"
#include "law.h"

#include <stdbool.h>
#include <stddef.h>

enum { HML_BLOW_ROWS = 17, HML_BLOW_FRICTIONS = 8, HML_BLOW_CONES = 8 };

typedef struct hml_blow_friction {
  size_t first, count;                 // rows of its slips: 1 to 3
  const hml_friction_law *sliding, *resting;   // resting: the set of stick, which holds that of sliding
  bool round;                          // the set of slip is an ellipse along the rows, as in Coulomb's law: the course has a power series
  // Coulomb's law with a shared cone: |z|^2 + sum lambda_c^2 <= mu^2, all per unit of normal impulse
  size_t n_cone;
  const double *cone;                  // lambda_c = b_c.(1, z)                                           (n_cone x n)
} hml_blow_friction;

typedef struct hml_blow {
  size_t n;
  const double *g, *u;                 // G (n x n), positive semidefinite; velocities before             (n)
  hml_impact_law law;                  // newton, poisson, stronge
  double restitution;                  // e; 0: the blow ends with compression
  size_t n_frictions;
  const hml_blow_friction *friction;
} hml_blow;

typedef enum hml_blow_verdict {
  HML_BLOW_ENDS,
  HML_BLOW_JAMS,                       // the phase never ends: friction drives the normal velocity away from its end
  HML_BLOW_UNSETTLED,                  // no stick and slip are consistent, or the slips turn too fast to be followed
  HML_BLOW_REFUSED                     // sizes out of range, values that are not finite, a law of impact that has no phases
} hml_blow_verdict;

typedef struct hml_blow_result {
  double impulse[HML_BLOW_ROWS], velocity[HML_BLOW_ROWS];   // P, u+
  bool sticks[HML_BLOW_FRICTIONS];     // at the end
  bool restitution;                    // the phase that ends the blow, or jams it
  double compression;                  // normal impulse of compression
  double work_compression, work_restitution;   // of the normal impulse: <= 0, >= 0
  size_t slopes, stretches;            // cost: right-hand sides; steps and closed stretches
} hml_blow_result;

// The blow from u to the end of its law. A normal velocity that is not negative needs no impulse.
hml_blow_verdict hml_routh(const hml_blow *blow, hml_blow_result *result);

#endif
