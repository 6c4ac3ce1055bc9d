// accumulate.h: the instant where the impacts of a gap accumulate (Zeno), from its last impacts. Inside this room.
#ifndef HML_ACCUMULATE_H
#define HML_ACCUMULATE_H

#include <stdbool.h>
#include <stddef.h>

enum { HML_ACCUMULATION_INSTANTS = 6 };

typedef struct hml_accumulation {      // the last impacts of one gap; all zeros: none
  double t[HML_ACCUMULATION_INSTANTS]; // the newest last
  size_t others[HML_ACCUMULATION_INSTANTS];   // impacts of other gaps between the previous one and this one
  size_t impacts, since;               // of this gap so far; of other gaps since its last one
} hml_accumulation;

typedef enum hml_accumulation_kind {
  HML_ACCUMULATION_GEOMETRIC,          // extrapolated from the last impacts
  HML_ACCUMULATION_FIRST_ORDER,        // the tail of a geometric series with the ratio e
  HML_ACCUMULATION_IRREGULAR           // no limit: t is the last impact
} hml_accumulation_kind;

typedef struct hml_accumulation_limit {
  hml_accumulation_kind kind;
  double t, error;                     // the limit and a bound of its error; infinite where irregular
  double ratio;                        // of successive flights
  size_t impacts;
} hml_accumulation_limit;

// Forgets the impacts of one gap: its contact lasts, or it flies for good
void hml_accumulation__clear(hml_accumulation *gap);
// An impact of gap `which` at t
void hml_accumulation__strike(hml_accumulation *gaps, size_t n, size_t which, double t);

// Limit for one gap. located: error of an instant, at least that of its root, eps |gap's terms| / |u|; flight: duration of the flight that begins now; e: ratio of flights by the law
hml_accumulation_limit hml_accumulation__limit(const hml_accumulation *gap, double located, double flight, double e);
// Limit for gaps that are struck in turn (taking[i]), if the limits of all of them agree within their errors
hml_accumulation_limit hml_accumulation__common(const hml_accumulation *gaps, size_t n, const bool *taking, double located,
                                                const double *flight, const double *e);

#endif
