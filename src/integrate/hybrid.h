// hybrid.h: layout of the constant data of runs with contacts and events, shared only inside this room.
#ifndef HML_HYBRID_H
#define HML_HYBRID_H

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

#endif
