// budget.c: limits with their defaults filled in, and the moment at which a call must end.
#include "budget.h"

#include <math.h>
#include <time.h>

#define DEFAULT_TERMS 20000
#define DEFAULT_SECONDS 5.0
#define DEFAULT_BYTES 1000000000u

static double monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double (*current_clock)(void) = monotonic;

void hml_budget__use_clock(double (*clock)(void)) { current_clock = clock ? clock : monotonic; }

double hml_budget__now(void) { return current_clock(); }

hml_budget hml_budget__start(const hml_context *c, const hml_limits *limits) {
  hml_limits l = limits ? *limits : (hml_limits){0};
  hml_budget b = {.max_terms = l.max_terms ? l.max_terms : DEFAULT_TERMS, .max_bytes = l.max_bytes ? l.max_bytes : DEFAULT_BYTES};
  b.bytes_before = hml_context_bytes(c);
  b.max_seconds = l.max_seconds > 0 ? l.max_seconds : DEFAULT_SECONDS;
  b.end = hml_budget__now() + b.max_seconds;
  return b;
}

hml_budget hml_budget__endless(void) { return (hml_budget){.max_bytes = SIZE_MAX, .max_terms = SIZE_MAX, .end = HUGE_VAL}; }

bool hml_budget__is_over(const hml_budget *b) { return hml_budget__now() > b->end; }
