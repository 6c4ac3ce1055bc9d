// budget.c: limits with their defaults filled in, and the moment at which a call must end.
#include "budget.h"

#include <time.h>

#define DEFAULT_TERMS 20000
#define DEFAULT_SECONDS 5.0

double hml_budget__now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

hml_budget hml_budget__start(const hml_limits *limits) {
  hml_limits l = limits ? *limits : (hml_limits){0};
  hml_budget b = {.max_terms = l.max_terms ? l.max_terms : DEFAULT_TERMS, .max_bytes = l.max_bytes};
  b.max_seconds = l.max_seconds > 0 ? l.max_seconds : DEFAULT_SECONDS;
  b.end = hml_budget__now() + b.max_seconds;
  return b;
}

bool hml_budget__is_over(const hml_budget *b) { return hml_budget__now() > b->end; }
