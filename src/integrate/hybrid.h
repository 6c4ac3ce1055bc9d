// hybrid.h: layout of runs with contacts and events, and of their constant data, shared only inside this room.
#ifndef HML_HYBRID_H
#define HML_HYBRID_H

#include "integrate/corner.h"
#include "integrate/integrate.h"
#include "integrate/moreau.h"
#include "integrate/records.h"

// Constant once built: threads share it. Guards are in the order gaps, frictions, room of cones, events, corners of the forces
struct hml_hybrid_shape {
  hml_context *context;
  const hml_model *of;
  hml_contact_shape *contacts;         // NULL: none
  hml_contact_sizes sizes;
  hml_model_sizes model;
  size_t n_state;
  hml_arena memory;                    // names of events, their reasons, and the lists below
  size_t n_events;
  const char **event_names, **event_reasons;
  bool *terminal, *by_callback, needs_solution;
  size_t *flips, n_flips;              // per event; how many do
  hml_program *events;                 // NULL: all by callback
  size_t n_inputs;                     // of that
  hml_hybrid_callbacks callbacks;
  size_t n_guards, first_event, n_corners;
  signed char *direction;              // at the start
  bool *passive;
  hml_guard_formula *formulas;         // of gaps and events, without constants; no program: known by its values only
};

typedef struct hml_deepest {               // how far a gap was negative where one first was by too much
  size_t gap;
  double t, depth, allowed;
} hml_deepest;

typedef struct hml_digit_looks {           // at the digits of accelerations along a run
  hml_uncertain worst;                 // the one that counts in the shortest run; part 0: none
  double t;                            // where that is
  size_t steps, made, next, stride;    // steps seen, looks made; of steps: the next look, and how many lie between two
} hml_digit_looks;

struct hml_hybrid {
  hml_context *context;
  hml_workspace *w;
  const hml_hybrid_shape *shape;
  double rtol, atol, span;             // of the present run; span: its length in time
  hml_deepest worst;                   // in the present run; of those at the same place the worst, relative to the tolerance
  hml_digit_looks digits;              // in the present run and those that it continued
  hml_hybrid_shape *own;               // NULL: the shape is somebody else's
  hml_contacts *contacts;              // NULL: none
  hml_corners *corners;                // NULL: none
  bool all_formulas;                   // each gap has one
  bool seamless;                       // the last reaction was to corners alone
  bool turns;                          // at the last cap something slid in two directions
  hml_witness witness;
  double *flipped_at;                  // (n_events) when an event last flipped its sign, or NAN
  double *crowd_since;                 // (n_events) time of the meeting CROWD meetings ago
  size_t *met;                         // (n_events) how often
  double *event_in, *event_out, *event_work;
  signed char *direction, *side;       // of the guards
  bool *passed, *counts, *none;        // counts: events of the user; none: no guard, always false
  bool *struck;                        // (gaps) those that a flight ends on
  hml_guard_formula *formulas;         // those of the shape, with the constants of the workspace
  const hml_guard_formula **formula;   // (n_guards) those in force; NULL: known by its values only
  double *allowed;                     // (gaps) how negative each may be, where it was last looked at
  double *formula_in;                  // inputs of a formula, then scratch of its program
  double *values, *scratch;            // (n_guards); a state, or the reactions of a step with their impulses
  char *block;
  size_t block_size;
  hml_records *records;
  bool stepped;                        // the last run was by time stepping
  bool controlled;                     // its method controls the errors of its steps
  bool kept;                           // it kept its steps
  double duration, reacted_at, ended_at;   // of the last run and those that it continued; the last reaction; NAN: it cannot be continued
  size_t impacts_before, switches_before;  // those that it continued
  hml_text resting;                    // contacts where it ended
  hml_text stored;                     // of hml_hybrid_store
};

void hml_hybrid__forget(hml_hybrid *h, hml_keeping keep, double duration);   // the last run

// ---- hybrid_digits.c
void hml_hybrid__begin_digits(hml_hybrid *h);
void hml_hybrid__renew_digits(hml_hybrid *h);                            // another mode is in force: the next step is looked at
hml_status hml_hybrid__look_at_digits(hml_hybrid *h, double t, const double *y);   // at the start of a step
hml_status hml_hybrid__judge_digits(hml_hybrid *h, const hml_trajectory *run, hml_outcome *outcome);   // at the end of a run

#endif
