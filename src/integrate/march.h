// march.h: one run under way: its state, and the functions by which the files of the loop work on it. Shared only inside this room.
//
//   run.c       options, the loop, limits, the outcome
//   attempt.c   one step: its size, the attempt, projection, acceptance
//   passage.c   the last point clear of singular places; errors that grow where the motion passes close to one
//   noted.c     states at given times, noted on the way
//   cut.c       a step that ends inside the step that was made
//   dip.c       roots that only the polynomial of a step has
//   pieces.c    guards: roots met on a step, reactions, the next piece of the run
//   between.c   forces that act between the points of a step
//   barrier.c   singular places that end the run
// Each file calls those above it in the order passage, noted, attempt, cut, between, barrier, dip, pieces, run.
#ifndef HML_MARCH_H
#define HML_MARCH_H

#include "integrate/stepper.h"

enum { HML_OLD_BASE = 3000 };          // steps after which a base is old
enum { HML_MOST_HELD = 4 * HML_OLD_BASE };   // points since the base that a run with keep other than steps holds at most; steps of a passage

typedef struct hml_march {
  hml_problem problem;
  const hml_stepper *method;
  void *state;                         // of the method
  hml_run_options options;
  hml_trajectory *trajectory;
  double t, t_start, t_end, sign;      // sign: 1 forward in time, -1 backward
  double h, most;                      // size wanted for the next step, positive; the longest that guards allow
  double shorter;                      // bound of steps of fixed size while a slip turns too fast for them; infinite: none
  double previous_error;               // of the last accepted step, in units of the tolerance
  double size;                         // of the last accepted step; before the first one: of the first step as chosen
  double uncounted;                    // error of the last accepted step, which has no effect on h yet: the method may propose a size; negative: it has
  bool uncounted_after;                // that step came after a rejected one
  bool after_rejection;
  double stopped;                      // time of the singular place that ended the run; NaN: none
  double window_start, best_progress;  // start of the present window of steps; largest progress in time of a window so far
  double depth, window_depth;          // hml_lookout__depth after the last step, and at the start of the window
  double next_word;                    // time of the clock of the next call of options.progress
  double rest_part;                    // of the largest rates, see near_rest.h
  double *brisk;                       // that part of each: below them all the motion is slow; infinite where a rate does not count
  size_t slow;                         // steps in a row that were slow
  size_t noted;                        // of options.noted: how many lie in steps that were made
  double *piece;                       // polynomial of the present step, where the trajectory stores none but times are noted; else NULL
  double *memory;                      // of the vectors below
  double *y, *f, *y1, *f1;             // the present point and the end of the step under way: states and slopes
  double *unprojected;                 // y1 before its projection; work space for differences
  double *cut_y, *cut_f;               // end of a step cut short
  double *base_y, *base_f, *start_y, *work;   // work: three vectors
  double base_t;                       // the base (base_t, base_y, base_f): the last point clear of singular places
  size_t base_age;                     // steps since the base
  size_t looked;                       // points that `look` of the guards has seen
  size_t held;                         // points at which the trajectory of a run that stores its ends drops points again
  double closest;                      // least depth since the base
  bool steep;                          // since the base the motion came close to the zero of a root
  double doubt;                        // largest error that a passage caused, in units of the tolerance
  double deep;                         // depth below which the way since the base is examined
  size_t compared;                     // steps of fixed size that were compared with fine runs, where forces are sharp
  size_t made;                         // steps of fixed size
  hml_missed sum;                      // of the errors of all of these, estimated from those that were compared
  hml_missed missed, way;              // their largest errors; the size of the motion
  double missed_from;                  // start of the step with the largest error
  hml_watch *watch;                    // NULL: no guards
  hml_lookout *lookout;                // NULL: singular places are not looked for
  bool whole;                          // the present step could be made, but no part of it: its polynomial serves for the parts
  bool along;                          // the present step's polynomial is so accurate that its values are ends of cuts
  double judged;                       // the time at which that was found: cut_f is x' there; NAN: it is not
  hml_tube *tube;                      // NULL: forces between the points of a step are not looked for
  hml_error reason;                    // of the last attempt, unless it only missed the tolerance
} hml_march;

static inline void hml_march__swap(double **a, double **b) {
  double *other = *a;
  *a = *b;
  *b = other;
}

// ---- passage.c
#define HML_WRONG 1e3                  // units of the tolerance: a point farther from the fine run is dropped
#define HML_CLOSE 1e-8                 // of the margins: passing a singular place at a smaller distance magnifies errors
void hml_march__set_base(hml_march *r, double t, const double *y, const double *f);
// Compares a passage from the base to (t, y) with a fine run; writes outcome->doubt where the errors have grown too much
hml_status hml_march__check_passage(hml_march *r, double t, const double *y);
hml_status hml_march__keep_base(hml_march *r, const hml_step *s);        // after the accepted step s

// ---- noted.c
bool hml_march__needs_polynomial(const hml_march *r, const hml_step *s);  // is it stored, or is a time inside the step noted?
void hml_march__note(hml_march *r, const hml_step *s, const double *piece);   // the states at the noted times of a step that becomes the next point

// ---- attempt.c
const hml_stepper *hml_march__present(const hml_march *r);               // the method at work; its exponents control the steps
unsigned hml_march__order(const hml_march *r);                           // its order now
double hml_march__step_floor(const hml_march *r);                        // the least size of a step
void hml_march__choose_step(const hml_march *r, hml_step *s);            // t, t1, h of the next step
hml_status hml_march__choose_first_step(hml_march *r);
hml_status hml_march__project(hml_march *r, double t1, double *moved);   // y1; *moved: how far, in units of the tolerance
bool hml_march__projected_far(hml_march *r, const hml_step *s, double moved);
hml_status hml_march__check_move(hml_march *r, const hml_step *s, double moved);     // fails: HML_PROJECTION
hml_status hml_march__check_finite(hml_march *r, const hml_step *s);                 // fails: HML_NOT_FINITE
// One attempt. It is good where s->error is at most 1; then s, *piece and *moved hold all of the new point
hml_status hml_march__attempt(hml_march *r, hml_step *s, double *piece, double *moved);
hml_status hml_march__accept(hml_march *r, const hml_step *s, double *row, const double *piece, double moved);   // the attempt becomes the next point
void hml_march__count_error(hml_march *r);                               // of the last accepted step: its effect on h, if it has none yet
void hml_march__shrink(hml_march *r, const hml_step *s, hml_status status);          // after a bad attempt, or one that failed with status
bool hml_march__shorten(hml_march *r, const hml_step *s, hml_status status);         // the same for a fixed step; false: it has to hold
size_t hml_march__fastest(const hml_march *r);                           // component that changes most, measured by its tolerance
hml_status hml_march__collapsed(hml_march *r);                           // fails: the steps became too small, with the reason

// ---- cut.c
bool hml_march__can_cut(const hml_march *r);                             // may the method make a part of its step?
// The step from its start to theta, by the method where it can, else by the polynomial; its state is in cut_y
hml_status hml_march__cut_at(hml_march *r, const hml_step *s, const double *piece, double theta, hml_step *cut);
// The same by the polynomial, where its values are as good as those of the method: r->along, and then only
hml_status hml_march__cut_along(hml_march *r, const hml_step *s, double *piece, double theta, hml_step *cut);
hml_status hml_march__commit_cut(hml_march *r, const hml_step *s, hml_step *cut, double *row, double *piece);   // the next point is the end of the cut

// ---- between.c
void hml_march__look_between(hml_march *r, const hml_step *s, bool *again);   // *again: the step may pass over a force; r->h is shorter
hml_status hml_march__check_between(hml_march *r, const hml_step *s);    // measures errors of steps of fixed size
void hml_march__doubt_steps(hml_march *r);                               // writes outcome->step_errors, and outcome->doubt where one step is far off

// ---- barrier.c
// Looks for singular places on the step. *again: the step is too long to be looked at and is made again
hml_status hml_march__look_out(hml_march *r, hml_step *s, double *row, double *piece, double *moved, bool *again);
// The run is in difficulties: fails where a singular place from the base to a little beyond r->t is the reason. HML_OK: none is.
// present_step: one not yet accepted, whose part before the place is kept; NULL: none
hml_status hml_march__explain(hml_march *r, const hml_step *present_step, double *row, double *piece);
hml_status hml_march__explain_failure(hml_march *r, hml_status status);  // fails with the singular place, else with `status`

// ---- dip.c
// Guards that have fired at theta, but only on the polynomial, fire no more and are searched behind it. *passed: that was all of them
hml_status hml_march__pass_dips(hml_march *r, const hml_step *s, const double *piece, double theta, bool *passed);

// ---- pieces.c
// The longest step that guards allow, r->most; *fires: the guard that is on its root after that step, SIZE_MAX: none
hml_status hml_march__cap_step(hml_march *r, size_t *fires);
hml_status hml_march__last_mile(hml_march *r, size_t guard, double *row, double *piece);   // that step, along the present slope
hml_status hml_march__refused(hml_march *r, const hml_step *s, bool *again);   // *again: the step went where guards allow none; r->h is shorter
hml_status hml_march__meet_guards(hml_march *r, hml_step *s, double *row, double *piece, double moved);   // accepts the step up to its first root

#endif
