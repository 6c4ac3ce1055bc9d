// near_rest.h: does a run pass a state of rest so near that errors may decide when, and to where, it leaves? Shared only inside this room.
//
// A motion that passes an unstable state of rest at a distance d, of its extent, comes in at a distance of about d^2 from the way into it, and errors made before
// are larger by 1/d^2 behind it. Near a state of rest all rates of a motion are small, compared with those of the steps before. A motion that ends there,
// or starts there, has lost nothing: one that was slow for some steps and is fast again is compared with a second run, see compared.c.
// Where forces depend on time all rates may vanish at one instant without rest: in a state of rest they are small at other times too.
#ifndef HML_NEAR_REST_H
#define HML_NEAR_REST_H

#include <math.h>

#define HML_NEAR_REST_MOST 0.02        // of the largest rates: where all are less, the motion is slow; at tight tolerances only where less still may matter:
#define HML_NEAR_REST_ERRORS 1e5       // tolerances that a run is off by, over what counts of the motion: nearer than the root of it errors may grow to that
#define HML_NEAR_REST_LOOSE 4e4        // the same of runs with tolerances above 1e-8, for which passages at a larger distance matter, up to
#define HML_NEAR_REST_LOOSEST 0.1      // of the largest rates
#define HML_NEAR_REST_KEEPS 0.98       // the largest rates, from a step to the next: those long ago do not count
#define HML_NEAR_REST_LEFT 3           // times as fast the motion has left
#define HML_NEAR_REST_OTHERWISE 10     // times what is slow: the most that rates of the same state are at other times
enum { HML_NEAR_REST_STEPS = 2 };      // in a row are slow at least: all rates vanish by chance, but not twice
enum { HML_NEAR_REST_TIMES = 8 };      // steps before and behind: the other times

// Below which part of the largest rates a motion with that tolerance is slow
static inline double hml_near_rest__part(double rtol) {
  const double tolerance = fmax(rtol, 1e-14);
  return fmax(fmin(HML_NEAR_REST_MOST, sqrt(HML_NEAR_REST_ERRORS * tolerance)), fmin(HML_NEAR_REST_LOOSEST, sqrt(HML_NEAR_REST_LOOSE * tolerance)));
}

#endif
