// random.h: checks and seeded random numbers of the tests of friction.
#ifndef HML_TEST_RANDOM_H
#define HML_TEST_RANDOM_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#define PI 3.14159265358979323846

#define assert_near(a, b, tolerance) near_at(a, b, tolerance, #a, __FILE__, __LINE__)
static inline void near_at(double a, double b, double tolerance, const char *what, const char *file, int line) {
  if (fabs(a - b) <= tolerance) return;
  print_error("%s = %.17g is not %.17g within %g\n", what, a, b, tolerance);
  _fail(file, line);
}

// in (-1, 1)
static inline double random_number(void) {
  static uint64_t seed = 20240607;
  seed = seed * 6364136223846793005U + 1442695040888963407U;
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

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
