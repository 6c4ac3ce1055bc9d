// budget.h: the resources of one public call of exact algebra, all its steps together.
#ifndef HML_BUDGET_H
#define HML_BUDGET_H

#include "base/base.h"

typedef struct hml_budget {
  size_t max_terms, max_bytes;
  size_t bytes_before;                 // of the context when the call began
  double max_seconds, end;             // end: on the monotonic clock
  double max_effort, end_of_effort;    // seconds of a usual machine; end: in units of work
} hml_budget;

// The clock starts here: once per public call, handed down to every step. limits may be NULL, as its fields may be 0: the defaults.
hml_budget hml_budget__start(const hml_context *c, const hml_limits *limits);
hml_budget hml_budget__endless(void);
bool hml_budget__is_over(const hml_budget *b);                          // time and effort alone
bool hml_budget__is_spent(const hml_budget *b);                         // the effort alone
hml_status hml_budget__fail(hml_context *c, const hml_budget *b);       // the message of a budget that is over
void hml_budget__explain(const hml_budget *b, size_t size, char *out);  // "more than 5 s"
void hml_budget__spend(double work);                                    // units of work, done by this thread: products of terms
double hml_budget__now(void);                                           // seconds, monotonic
void hml_budget__use_clock(double (*clock)(void));                      // for tests: another clock; NULL: the machine's

#endif
