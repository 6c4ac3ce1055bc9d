// contact.h: door of the room: one-sided constraints, friction and impacts of a model at a state.
//
//   shape.c        declared gaps, bounds, rough rows, frictions, and the program of their values; constant, shared by threads
//   rows.c         at a state: values, rows, unit responses, free accelerations, and the scale of each row
//   laws.def       the laws of friction, convex sets, one row each; law.c: their functions
//   cone.c         the normal force of a friction, and the part of its cone left by other reactions
//   kernel.c       the frictional problem in given rows, for modes, blows and steps: measure.c, enumerate.c, settle.c, least_norm.c
//   directions.c   in which directions a slip can begin from rest
//   problem.c      that problem, filled with prepared rows
//   reaction.c     reactions and accelerations in a given mode, and what is watched along a run in it
//   spread.c       how far what is watched can differ in a box of times and states
//   brief.c        forces of contacts that act within a short part of a step only
//   mode.c         which contacts persist and which frictions stick
//   slide.c        slip in two directions near rest: caps on steps, the last mile, slips that begin
//   impact.c       velocities after a blow; routh.c: one blow along its normal impulse; gragg.c: its integrator
//   roundings.c    impulses that rounding of the responses decides
//   accumulate.c   instants of the last impacts of each gap, their limit and its error
//   reset.c        all that happens at one instant: blows until nothing approaches, and the mode that holds from there on
//   drift.c        correction of the drift off closed gaps and stick
//   lasting.c      what lasts from one step of a run to the next, as bytes
//   timestep.c     one step of Moreau and Jean; step_digits.c: what rounding leaves of its velocities
//
// The two-sided problem M a = r + A^T lambda, A a + b = 0 is mechanics'. Rows w of contacts add + W^T z to its forces: unit responses
// M X = W^T + A^T Y, A X = 0; a = a0 + X z, lambda = lambda0 + Y z; the rows' velocities u change by u' = c + G z, G = W X, and over an
// instant by u+ = u- + G P. Rows are in the order gaps, slips, tangents.
#ifndef HML_CONTACT_H
#define HML_CONTACT_H

#include "mechanics/mechanics.h"

typedef struct hml_contact_shape hml_contact_shape;
typedef struct hml_kept_mode hml_kept_mode;

typedef enum hml_friction_state { HML_FREE, HML_STICK, HML_SLIP } hml_friction_state;   // FREE: nothing presses

typedef struct hml_contact_sizes { size_t gaps, slips, tangents, frictions, rows; } hml_contact_sizes;

// ---- shape.c
// fails: HML_ARGUMENT, HML_UNSUPPORTED (the velocities are no states), HML_MEMORY
hml_status hml_contact_shape__new(hml_context *c, const hml_model *m, const hml_model_spec *symbols, const hml_contact_spec *spec, hml_contact_shape **out);
void hml_contact_shape__free(hml_contact_shape *s);
hml_contact_sizes hml_contact_shape__sizes(const hml_contact_shape *s);
const char *hml_contact_shape__gap_name(const hml_contact_shape *s, size_t i);
const char *hml_contact_shape__friction_name(const hml_contact_shape *s, size_t j);

// ---- rows.c: contacts of one workspace, hence of one thread; the shape outlives them
hml_status hml_contacts__new(hml_workspace *w, const hml_contact_shape *shape, hml_contacts **out);
void hml_contacts__free(hml_contacts *c);
hml_status hml_contacts__set_state(hml_contacts *c, double t, const double *x);
hml_status hml_contacts__values(hml_contacts *c, const double **gaps, const double **velocities);   // gaps; g', slips, tangents. Each may be NULL

hml_status hml_contacts__check_coefficients(hml_contacts *c);            // that they are allowed, to rounding, at the state              fails: HML_NO_CONTACT_MODE

// After the values: what a row, or a gap, changes where all coordinates change by one. Tolerances are those of coordinates: times this
// they are those of the row, in whatever units it is declared
double hml_contacts__reach(const hml_contacts *c, size_t row);
double hml_contacts__place_scale(const hml_contacts *c, size_t gap);      // after the values: sum of the sizes of what a gap is made of

// ---- reaction.c: in the mode in force
hml_status hml_contacts__rate_at(hml_contacts *c, double t, const double *x, double *f);   // x' at (t, x), which becomes the state
// Accelerations, multipliers, reactions of all rows; each may be NULL                                        (dyn), (multipliers), (rows)
hml_status hml_contacts__solution(hml_contacts *c, double *a, double *lambda, double *z);
// Accelerations and multipliers under given reactions of all rows
hml_status hml_contacts__forced(hml_contacts *c, const double *z, double *a, double *lambda);
// Guards of the mode at the state, falling through zero. Per gap: the gap, or its reaction where it is closed. Per friction: the slip along
// its direction, or the free part of the set of friction in stick. Per friction: the part of its cone left by other reactions while it slips.
hml_status hml_contacts__guards(hml_contacts *c, double *gap, double *friction, double *cone);
// A gap comes to zero at (t, y) and opens again; the present state is some way before. fails: HML_UNSUPPORTED, where its gradient vanishes there
hml_status hml_contacts__check_touch(hml_contacts *c, double t, const double *y, size_t gap);
// That no closed gap pulls and no stick is outside its set, by far more than rounding.                          fails: HML_NO_CONTACT_MODE
hml_status hml_contacts__check_mode(hml_contacts *c);
// spread.c: how far these guards can differ in a box of (t, x) from their values at the state, 0 where that does not count. *known: false where
// something may not exist in the box, such as a root of a negative number
// In systems without exponentials, walls and the like the box is one of times alone
hml_status hml_contacts__spread(hml_contacts *c, const hml_range *box, double *gap, double *friction, double *cone, bool *known);
// brief.c: how many times longer a step in the mode is than one that passes over no force of a contact that comes and goes; 0: no such force.
// Ranges of t and the states over the step, and at its ends; blind: twice in its middle, and all that the ranges leave open counts
double hml_contacts__stretch(hml_contacts *c, const hml_range *over, const hml_range *start, const hml_range *end, bool blind);
bool hml_contacts__is_closed(const hml_contacts *c, size_t gap);
hml_friction_state hml_contacts__friction(const hml_contacts *c, size_t j);
bool hml_contacts__watches_cone(const hml_contacts *c, size_t j);         // else the last guard of a friction is 1, whatever the state

// ---- mode.c: modes that are kept, for reading a run later
hml_status hml_contacts__keep(const hml_contacts *c, hml_arena *a, hml_kept_mode **out);
void hml_contacts__keep_in(const hml_contacts *c, hml_kept_mode *m);     // the mode in force, in place of another kept one
bool hml_contacts__in_mode(const hml_contacts *c, const hml_kept_mode *m);
void hml_contacts__use(hml_contacts *c, const hml_kept_mode *m);
bool hml_contacts__all_open(const hml_contacts *c, const hml_kept_mode *m);

// ---- lasting.c: as bytes, in the order of this machine. Restoring: r->failed where these are no such bytes
void hml_contacts__store_mode(const hml_contacts *c, const hml_kept_mode *m, hml_text *out);
hml_status hml_contacts__restore_mode(const hml_contacts *c, hml_reader *r, hml_arena *a, hml_kept_mode **out);   // fails: HML_MEMORY
// What lasts from one step of a run to the next, besides the state and what hml_contacts__begin_run is given
void hml_contacts__store(const hml_contacts *c, hml_text *out);
void hml_contacts__restore(hml_contacts *c, hml_reader *r);              // after hml_contacts__begin_run

// ---- digits.c
// Accelerations that rounding of large reactions leaves uncertain at (t, x), which becomes the state, in the mode in force
typedef struct hml_uncertain {
  double part;                         // of the largest acceleration; 0: none that counts
  double span;                         // of time, over which it changes velocities by more than the tolerances
} hml_uncertain;
hml_status hml_contacts__digits(hml_contacts *c, double t, const double *x, double rtol, double atol, hml_uncertain *out);

// ---- drift.c
bool hml_contacts__holds_any(hml_contacts *c);                         // has the next function anything to do?
hml_status hml_contacts__project(hml_contacts *c, double rtol, double atol, double *x, bool *moved);   // onto closed gaps and stick

// ---- reset.c
// The user's law of impact: velocities before of gap and rough rows; wanted ones after
typedef hml_status (*hml_law)(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                              double *wanted_rough);   // as in hml_hybrid_callbacks

typedef struct hml_struck {
  double t;
  size_t gap;                          // the first that struck
  const double *before, *after;        // states
  const double *impulses;              // of rows, then of the multipliers
  double energy_change;
} hml_struck;

typedef struct hml_switch {
  double t;
  bool is_friction;
  size_t which;                        // gap or friction
  int from, to;                        // false, true: open, closed; or hml_friction_state
  double leaves[3], takes[3];          // unit vectors of a slip that ends and of one that begins; zero: none
} hml_switch;

typedef struct hml_accumulated {
  size_t gap;
  double t, error, ratio;              // the limit of its impacts, a bound of the error, of successive flights; infinite error: the last impact
  size_t impacts;
} hml_accumulated;

// Called with each event of a reset; each function may fail, which ends the reset
typedef struct hml_witness {
  void *payload;
  hml_status (*blow)(void *payload, const hml_struck *b);
  hml_status (*switched)(void *payload, const hml_switch *s);
  hml_status (*accumulated)(void *payload, const hml_accumulated *a);
  hml_status (*note)(void *payload, double t, const char *text);
  hml_law law;                         // of gaps whose law is the user's
  void *law_payload;
} hml_witness;

// The witness outlives the run. duration: of the run. refuses_several: a start or a switch from which several motions are possible ends the run
void hml_contacts__begin_run(hml_contacts *c, const hml_witness *w, double duration, double atol, bool refuses_several);
hml_status hml_contacts__start(hml_contacts *c, double t, double *x);    // checks a start; it may strike, rest, slip or stick at once
// A corner is met at (t, x), and the side is still that from which it is met: rates of gaps there, for a reaction with `bent`
hml_status hml_contacts__note_rates(hml_contacts *c, double t, const double *x);
// The guards in `fired` (as in hml_contacts__guards) have reached their roots. anew: slips and rows have changed at the state, as signs in
// them do; what rested is judged by its velocity. bent: forces, what presses, or floors
// have a corner there
hml_status hml_contacts__react(hml_contacts *c, double t, double *x, const bool *fired, bool anew, bool bent);
// After a reset: the sign that a gap, then a slip, takes from its root on; 0: it is not on its root
int hml_contacts__gap_side(const hml_contacts *c, size_t gap);
int hml_contacts__slip_side(const hml_contacts *c, size_t friction);
hml_status hml_contacts__check_start(hml_contacts *c);                   // gaps and given normal forces are not negative

// ---- slide.c: slip in two directions near rest
bool hml_contacts__slides(const hml_contacts *c, size_t friction);       // in two directions: its end is no root of a guard
bool hml_contacts__any_slides(const hml_contacts *c);
// The longest step from (t, x) with rates f that keeps away from rest, infinite: any. *ends: the friction whose slip is over after a step of
// that size along f, no less and no more; SIZE_MAX: none is so near. *changed: from here on the rates are slightly others
hml_status hml_contacts__cap(hml_contacts *c, double t, const double *x, const double *f, double *most, size_t *ends, bool *changed);
// *which: a slip that came too near to rest, or turned too far, in a step from the state of the last cap to (t, x); SIZE_MAX: none
hml_status hml_contacts__strays(hml_contacts *c, double t, const double *x, size_t *which);

// ---- timestep.c: all contacts over one short step
typedef struct hml_step_report {
  const double *impulses, *multipliers;   // of all rows, of the multipliers, until the next call on these contacts
  double work, lowest, unsettled;      // of the impulses; the lowest gap; the change of the last sweep, 0: settled
  size_t strikes;                      // a gap whose impulse is an impact's; SIZE_MAX: none
  int sweeps;
  double error;                        // that rounding may leave in the velocities, since contacts act; 0: they do not, or the error was not asked for
} hml_step_report;

// The state is (t + h/2, q in the middle of the step, any velocities); v: at the start of the step, then at its end. The mode becomes that of
// the contacts that act. enough: an error up to that need not be known better; infinite: it is not asked for
hml_status hml_contacts__step(hml_contacts *c, double h, double *v, double enough, hml_step_report *report);

#endif
