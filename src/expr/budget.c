// budget.c: limits with their defaults filled in, and the moment at which a call must end.
//
// What is derived may not depend on the speed or load of a machine: effort is counted in units of work, and turned into seconds of a usual machine.
#include "budget.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

#define DEFAULT_TERMS 20000
#define DEFAULT_EFFORT 5.0
#define DEFAULT_BYTES 1000000000u
#define UNITS_A_SECOND 1e7             // measured: 1e7 to 4e7 on one core of 2020
#define PATIENCE 6.0                   // seconds allowed for a second of effort; one second at least

static double monotonic(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double (*current_clock)(void) = monotonic;
static _Thread_local double spent;

void hml_budget__use_clock(double (*clock)(void)) { current_clock = clock ? clock : monotonic; }

double hml_budget__now(void) { return current_clock(); }

void hml_budget__spend(double work) { spent += work; }

double hml_effort(void) { return spent / UNITS_A_SECOND; }

hml_budget hml_budget__start(const hml_context *c, const hml_limits *limits) {
  hml_limits l = limits ? *limits : (hml_limits){0};
  hml_budget b = {.max_terms = l.max_terms ? l.max_terms : DEFAULT_TERMS, .max_bytes = l.max_bytes ? l.max_bytes : DEFAULT_BYTES};
  b.bytes_before = hml_context_bytes(c);
  b.max_effort = l.max_effort > 0 ? l.max_effort : l.max_seconds > 0 ? HUGE_VAL : DEFAULT_EFFORT;
  b.max_seconds = l.max_seconds > 0 ? l.max_seconds : fmax(1, PATIENCE * b.max_effort);
  b.end_of_effort = spent + UNITS_A_SECOND * b.max_effort;
  b.end = hml_budget__now() + b.max_seconds;
  return b;
}

hml_budget hml_budget__endless(void) {
  return (hml_budget){.max_bytes = SIZE_MAX, .max_terms = SIZE_MAX, .end = HUGE_VAL, .end_of_effort = HUGE_VAL};
}

bool hml_budget__is_spent(const hml_budget *b) { return spent > b->end_of_effort; }

bool hml_budget__is_over(const hml_budget *b) { return hml_budget__is_spent(b) || hml_budget__now() > b->end; }

void hml_budget__explain(const hml_budget *b, size_t size, char *out) {
  if (hml_budget__is_spent(b)) snprintf(out, size, "more work than %g s usually take", b->max_effort);
  else snprintf(out, size, "more than %g s", b->max_seconds);
}

hml_status hml_budget__fail(hml_context *c, const hml_budget *b) {
  char reason[100];
  hml_budget__explain(b, sizeof reason, reason);
  return hml_fail(c, HML_LIMIT, "%s", reason);
}
