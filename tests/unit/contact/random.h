// random.h: random matrices of the tests of friction.
#ifndef HML_TEST_RANDOM_H
#define HML_TEST_RANDOM_H

#include "support.h"

// G = B B^T + floor
static inline void random_positive(size_t n, double floor, double *g) {
  double b[100];
  for (size_t i = 0; i < n * n; i++) b[i] = random_number();
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) {
      g[i * n + j] = i == j ? floor : 0;
      for (size_t k = 0; k < n; k++) g[i * n + j] += b[i * n + k] * b[j * n + k];
    }
}

#endif
