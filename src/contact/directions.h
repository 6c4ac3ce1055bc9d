// directions.h: in which directions a slip can begin from rest, inside this room.
#ifndef HML_DIRECTIONS_H
#define HML_DIRECTIONS_H

#include "law.h"

// Rate of the slip s' = c + G z and pressing force N = a + b.z, of which a shared cone leaves a part; n = law->count
typedef struct hml_onset {
  const hml_friction_law *law;         // its coefficients are positive
  double c[3], g[9], a, b[3];
  double (*left)(const void *payload, const double *w);   // of N = 1, for z along -w; NULL: all of it
  const void *payload;
} hml_onset;

typedef struct hml_limit_direction {
  double slip[3];                      // unit vector of the slip that begins (with a spot, of (s, R w), given as (s, w))
  double rate;                         // of its size: s' = rate slip
  double z[3], normal;
  double turn;                         // angle from the direction of c
} hml_limit_direction;

enum { HML_MOST_DIRECTIONS = 12 };

// All directions d with s' = rate d, rate >= 0, z = -N grad h(d) and N >= 0, the smallest turn from c first.
// One direction of slip, coulomb and elliptic: complete. With a spot: all that a search from a grid of directions finds.
size_t hml_friction__directions(const hml_onset *onset, hml_limit_direction list[HML_MOST_DIRECTIONS]);

#endif
