// branches.c: a function of a motion with corners as smooth formulas on parts of a step.
//
// At a corner of abs, min or max an argument comes to zero. Where its sign is known, one formula holds, analytic beyond the zero. The sign is known where
// ranges show it; up to its zero and behind it where the argument rises or falls all over the part. Else it is a polynomial of degree 15 but for little
// (highest.c), and enough samples of it show the sign, or that it is zero to rounding all over the part: then both formulas hold.
#include "integrate/branches.h"
#include "integrate/highest.h"
#include "integrate/jumps.h"

#include <float.h>
#include <math.h>

#define NOTHING (32 * DBL_EPSILON)     // share of its terms up to which an argument is zero
enum { BISECTIONS = 60, SCALES = 16 };

struct hml_branches {
  hml_context *context;
  hml_jumps *arguments;
  const hml_step *step;
  const double *piece;
  double scale[HML_MOST_CORNERS];      // of the terms of the arguments on the step; negative: not known yet
};

void hml_branches__close(hml_branches *b) {
  if (!b) return;
  hml_jumps__close(b->arguments);
  hml_dealloc(b->context, b, sizeof *b);
}

hml_status hml_branches__open(const hml_problem *problem, const hml_program *p, size_t states, size_t n_constants, hml_branches **out) {
  const size_t n = hml_program__break_count(p, HML_CORNERS);
  *out = NULL;
  if (n == 0 || n > HML_MOST_CORNERS) return HML_OK;
  hml_branches *b = hml_alloc(problem->context, sizeof *b);
  if (!b) return HML_MEMORY;
  *b = (hml_branches){.context = problem->context};
  const hml_status status = hml_jumps__open(problem, p, HML_CORNERS, states, n_constants, &b->arguments);
  if (status == HML_OK) *out = b;
  else hml_branches__close(b);
  return status;
}

void hml_branches__begin(hml_branches *b, const double *constants, const double *errors) {
  if (b) hml_jumps__begin(b->arguments, constants, errors);
}

hml_status hml_branches__enter(hml_branches *b, const hml_step *s, const double *piece) {
  if (!b) return HML_OK;
  b->step = s;
  b->piece = piece;
  for (size_t i = 0; i < HML_MOST_CORNERS; i++) b->scale[i] = -1;
  return hml_jumps__enter(b->arguments);
}

static double value_at(const hml_branches *b, size_t i, double theta) {
  return hml_guard__value_on(hml_jumps__guard(b->arguments, i), b->step, b->piece, theta);
}

static bool disk_of(const hml_branches *b, size_t i, double m, double r, hml_disk *disk, double *terms) {
  return hml_traced__disk(hml_jumps__traced(b->arguments), hml_jumps__program(b->arguments, i), b->step, b->piece, m, r, NULL, disk, terms);
}

static double scale_of(const hml_branches *b, size_t i) {
  double most = 0, terms;
  hml_disk disk;
  for (int j = 0; j <= SCALES; j++)
    if (disk_of(b, i, (double)j / SCALES, 0, &disk, &terms)) most = fmax(most, terms);
  return most;
}

// By samples of an argument that is a polynomial of degree 15 but for little: *side, its sign all over the part; 1, too, where it is zero to rounding.
// Between samples such a polynomial departs from the next one by less than 0.4 of its span (Bernstein's inequality)
static bool side_by_samples(hml_branches *b, size_t i, double m, double r, signed char *side) {
  hml_disk disk;
  double terms, low = INFINITY, high = -INFINITY;
  if (b->scale[i] < 0) b->scale[i] = scale_of(b, i);
  const double least = NOTHING * b->scale[i], middle = fabs(value_at(b, i, m));
  if (!disk_of(b, i, m, HML_HIGHEST_DISK * r, &disk, &terms)) return false;
  const double rest = hml_highest__rest(disk.reach);
  if (!(rest <= fmax(middle, least))) return false;
  for (int j = 0; j <= HML_HIGHEST_SAMPLES; j++) {
    const double value = value_at(b, i, hml_highest__place(m, r, j));
    low = fmin(low, value), high = fmax(high, value);
  }
  const double away = 0.5 * (high - low) + 2 * rest + least;
  *side = high < -away ? -1 : 1;
  return high < -away || low > away || (rest <= least && high <= least && -low <= least);
}

// Of an argument that rises or falls all the way: its zero between `from` and `to`; `to`: there is none. *side: its sign up to there
static double zero_between(const hml_branches *b, size_t i, double from, double to, signed char *side) {
  const double first = value_at(b, i, from), last = value_at(b, i, to), end = to;
  *side = (fabs(first) > fabs(last) ? first : last) < 0 ? -1 : 1;
  if (!((first < 0 && last > 0) || (first > 0 && last < 0))) return end;
  *side = first < 0 ? -1 : 1;
  for (int n = 0; n < BISECTIONS; n++) {
    const double middle = 0.5 * (from + to);
    if (*side * value_at(b, i, middle) > 0) from = middle;
    else to = middle;
  }
  return 0.5 * (from + to);
}

hml_status hml_branches__sides(hml_branches *b, double from, double to, hml_sides *out) {
  out->known = b != NULL;
  out->n_open = b ? 0 : SIZE_MAX;
  for (size_t i = 0; b && i < hml_jumps__count(b->arguments); i++) {
    hml_guard_verdict verdict;
    HML_TRY(hml_guard__over(hml_jumps__guard(b->arguments, i), b->step, b->piece, 0, from, to, &verdict));
    out->change[i] = to;
    out->sign[i] = verdict == HML_GUARD_BELOW ? -1 : 1;
    if (verdict == HML_GUARD_MONOTONE) out->change[i] = zero_between(b, i, from, to, out->sign + i);
    if (verdict != HML_GUARD_OPEN || side_by_samples(b, i, 0.5 * (from + to), 0.5 * (to - from), out->sign + i)) continue;
    out->known = false;
    if (out->n_open < HML_MOST_OPEN) out->open[out->n_open++] = i;
    else out->n_open = SIZE_MAX;
  }
  for (size_t i = 0; b && !out->known && i < hml_jumps__count(b->arguments); i++)
    if (out->change[i] < to) out->n_open = SIZE_MAX;         // halves are looked at first
  for (size_t i = hml_jumps__count(b ? b->arguments : NULL); i < HML_MOST_CORNERS; i++) out->sign[i] = 1, out->change[i] = to;
  return HML_OK;
}

bool hml_branches__choose(hml_sides *sides, unsigned choice) {
  if (sides->n_open > HML_MOST_OPEN || choice >> sides->n_open) return false;
  for (size_t k = 0; k < sides->n_open; k++) sides->sign[sides->open[k]] = choice >> k & 1 ? -1 : 1;
  return true;
}
