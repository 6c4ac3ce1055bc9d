// records.h: the records of a run: events, impacts, switches, notes; and the contact modes with the points from which they hold.
#ifndef HML_RECORDS_H
#define HML_RECORDS_H

#include "contact/contact.h"

typedef struct hml_records hml_records;

hml_status hml_records__new(hml_context *c, hml_records **out);
void hml_records__free(hml_records *r);
void hml_records__begin(hml_records *r, hml_keeping keep);               // forgets the last run
size_t hml_records__count(const hml_records *r);
const hml_record *hml_records__at(const hml_records *r, size_t i);
size_t hml_records__impacts(const hml_records *r);                       // counted, kept or not
size_t hml_records__switches(const hml_records *r);
size_t hml_records__meetings(const hml_records *r, size_t event);        // how often an event was met, kept or not
// The record's arrays are copied: state (n), after (n_after)
hml_status hml_records__add(hml_records *r, hml_record record, size_t n, size_t n_after);
hml_status hml_records__note(hml_records *r, double t, const char *text);
void hml_records__drop_events_behind(hml_records *r, double end, bool backward);
// Modes: the one in force from a point of the trajectory on; of runs that keep no steps the last one only
hml_status hml_records__keep_mode(hml_records *r, const hml_contacts *c, size_t point);
const hml_kept_mode *hml_records__mode(const hml_records *r, size_t point);   // NULL: none was kept
// The same for points that grow from call to call; *at: 0 before the first. NULL: only the last one was kept
const hml_kept_mode *hml_records__next_mode(const hml_records *r, size_t point, size_t *at);
// Reactions of a step of time stepping, and those of the step that arrives at a point                                        (n)
hml_status hml_records__keep_step(hml_records *r, const double *reactions, size_t n);
const double *hml_records__step(const hml_records *r, size_t point);     // NULL: none

// As bytes, without steps of time stepping. Restored bytes are of records with at most these numbers; r->failed where they are not
typedef struct hml_record_sizes { size_t state, after, events, gaps, frictions; } hml_record_sizes;
void hml_records__store(const hml_records *r, const hml_contacts *c, hml_record_sizes sizes, hml_text *out);
hml_status hml_records__restore(hml_records *r, const hml_contacts *c, hml_record_sizes sizes, hml_reader *in);   // fails: HML_MEMORY

#endif
