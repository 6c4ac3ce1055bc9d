// samples.c: the states of a run at which its verdict looks, those of single runs (balance.lua) and of rows of ensembles (looks.c), which must agree.
#include "integrate/integrate.h"

#include <math.h>

enum { MOST_LOOKS = 16, LEAST_LOOKS = 2 };
#define PART_OF_RUN 0.02               // of the operations of a run for all looks at its accelerations;
#define SOLVE 0.1                      // operations of a general solve, times the cube of the states

size_t hml_samples__count(const hml_trajectory *r, bool marked) {
  return marked ? hml_trajectory_marks(r) + 2 : hml_trajectory_points(r);
}

const double *hml_samples__state(const hml_trajectory *r, bool marked, size_t i, double *t) {
  const size_t marks = marked ? hml_trajectory_marks(r) : 0;
  if (i > 0 && i <= marks) {
    *t = hml_trajectory_mark_time(r, i - 1);
    return hml_trajectory_mark(r, i - 1);
  }
  const size_t k = marked && i > marks ? hml_trajectory_points(r) - 1 : i;
  *t = hml_trajectory_time(r, k);
  return hml_trajectory_state(r, k);
}

size_t hml_samples__spread(size_t count, double (*time)(void *of, size_t i), void *of, size_t *list) {
  size_t first = 0, stride = 1, n = 0;
  if (!count) return 0;
  const double start = time(of, 0);
  while (first + 1 < count && time(of, first + 1) == start) first++;
  while (count > 2 && (count - 2) / stride > HML_SAMPLES) stride *= 2;
  list[n++] = first;
  for (size_t i = stride; i + 1 < count; i += stride)
    if (i > first) list[n++] = i;
  if (count > first + 1) list[n++] = count - 1;
  return n;
}

size_t hml_samples__looks(size_t samples, size_t evaluations, size_t operations, size_t states) {
  const double work = PART_OF_RUN * (double)evaluations * (double)operations / (SOLVE * pow((double)states, 3));
  const size_t most = samples < MOST_LOOKS ? samples : MOST_LOOKS;
  return work < LEAST_LOOKS || most < LEAST_LOOKS ? LEAST_LOOKS : work < (double)most ? (size_t)work : most;
}
