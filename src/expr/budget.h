// budget.h: the resources of one public call of exact algebra, all its steps together.
#ifndef HML_BUDGET_H
#define HML_BUDGET_H

#include "base/base.h"

typedef struct hml_budget {
  size_t max_terms, max_bytes;
  size_t bytes_before;                 // of the context when the call began
  double max_seconds, end;             // end: on the monotonic clock
} hml_budget;

// The clock starts here: once per public call, handed down to every step. limits may be NULL, as its fields may be 0: the defaults.
hml_budget hml_budget__start(const hml_context *c, const hml_limits *limits);
hml_budget hml_budget__endless(void);
bool hml_budget__is_over(const hml_budget *b);                          // the time alone
double hml_budget__now(void);                                           // seconds, monotonic
void hml_budget__use_clock(double (*clock)(void));                      // for tests: another clock; NULL: the machine's

#endif
