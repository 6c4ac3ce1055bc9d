// integrate.h: door of the room: initial value problems y' = f(t, y) of any origin, and how they are run.
//
//   model_run.c    a model as an initial value problem: hml_run
//   run.c          the loop: options, limits, outcome: hml_integrate; march.h: a run under way, and the files of the loop: attempt.c, cut.c,
//                  pieces.c, passage.c, between.c, barrier.c
//   event.c        roots of guards over a step; guard.c: ranges of a guard over a part of it
//   lookout.c      does a step lead over a singular place? examined.c: examined by small steps; fine_run.c: a part of the run again, as a check;
//                  parting.c: motions that are not unique
//   corner.c       corners of the forces as guards: on which side of each the motion is
//   tube.c         forces that act within a short part of a step only
//   control.c      error norm, size of the first and of the next step
//   stepper.h      the interface of a method; steppers.def lists the methods, stepper.c finds them by name
//   dop853.c, gsl_steppers.c, radau.c, taylor.c, gauss.c, rk4.c   the methods; jacobian.c for those that need one
//   hybrid.c       runs with events and contacts; hybrid_shape.c: their constant data; moreau.c: contacts by fixed steps;
//                  records.c: events, impacts, switches, notes
//   compared.c     steps of one size, and runs that pass a state of rest, judged by a second run at tight tolerances
//   discrete.c     maps given by expressions; ensemble.c, lanes.c, readings.c: many runs; reference.c: quadruple precision
//   enclose.c      balls that hold the motion; enclosed_section.c: at a section; closed.c, spectrum.c: closed orbits and their multipliers
//   dense.c        the polynomial kept for each step
//   roots.c        roots of a function along a finished run; quadrature.c: integrals of a function over a step
//   stopped.c      the message of a run that stopped
//   trajectory.c   the points and their polynomials, append-only
#ifndef HML_INTEGRATE_H
#define HML_INTEGRATE_H

#include "contact/contact.h"

typedef struct hml_problem hml_problem;                                    // stepper.h
typedef struct hml_step hml_step;

// Functions of (t, y) whose roots are met by a run. `direction` and `passive` belong to the payload and may change in react.
enum { HML_FALLING = -1, HML_EITHER = 0, HML_RISING = 1, HML_ASLEEP = 2, HML_LEAVING = 3 };   // in the direction of the run; LEAVING: is on its root, and leaves it
typedef struct hml_guards {
  size_t n;
  void *payload;
  const signed char *direction;        // (n)
  const signed char *side;             // (n) not 0: starts on its root and takes on this sign right after
  const bool *passed;                  // (n) NULL, or: the root counts only after the sign has changed; a margin must not end a step before
  const bool *passive;                 // (n) noticed only: neither state nor equations change, the step stays as it is
  bool bounded;                        // the search of a step may fail with HML_LIMIT, instead of going on for as long as it takes
  // (n) NULL, or formulas: no root of a guard that has one is passed over. The others, NULL here, are sampled. Formulas may come and go in
  // react; the pointers outlive the run
  const hml_guard_formula *const *formula;
  // All guards that are not asleep at (t, y); fails like rhs
  hml_status (*values)(void *payload, double t, const double *y, double *out);
  // NULL, or how far the sampled guards can differ in a box of t and y from their values at (t, y), 0 where that does not count, so that samples
  // pass over nothing. *known: false where there is no bound for the box, but perhaps for a smaller one
  hml_status (*spread)(void *payload, double t, const double *y, const hml_range *box, double *spread, bool *known);
  // The roots in `fired` were met at (t, y). Where all of them are passive nothing may change. Otherwise y and the equations
  // may: the next point, number `point`, is at the same time. A failure ends the run (HML_EVENT: as intended).
  hml_status (*react)(void *payload, double t, double *y, const bool *fired, size_t point);
  // NULL, or: the values of those guards in `met` that count (n) have jumped through zero, or to it, in a reaction at t, which led to y
  const bool *counts;
  hml_status (*jumped)(void *payload, double t, const double *y, const bool *met);
  // NULL, or where no step may lead: the longest one from (t, y) with y' = f; infinite: any. *fires: a guard that is on its root after a step of
  // that size along f; SIZE_MAX: none. *changed: the equations did, within the tolerance. And whether a step from there went too far that ends
  // at (t, y): *guard, which did not allow it; SIZE_MAX: none
  hml_status (*cap)(void *payload, double t, const double *y, const double *f, double *most, size_t *fires, bool *changed);
  hml_status (*refuses)(void *payload, double t, const double *y, size_t *guard);
  const bool *turns;                   // NULL, or: since the last cap the rates may change without bound, so that fixed steps may be shortened
  // NULL, or looks at a step without roots up to theta = until, on its polynomial: fails where the motion touches a root, at
  // theta = *at, beyond which others part
  hml_status (*grazes)(void *payload, const hml_problem *p, const hml_step *s, const double *piece, double until, double *at);
  // NULL, or sees each accepted step once, dense output included, before its points are forgotten: those that end at points from ... to - 1
  hml_status (*look)(void *payload, const hml_trajectory *r, size_t from, size_t to);
  const bool *seamless;                // NULL, or: the last reaction left the state as it was, and the next piece needs no point of its own
  hml_status (*stays)(void *payload, double t, size_t guard);   // NULL, or called for a guard that is zero to rounding over a stretch from t on
  // NULL, or: a guard that counts no touches comes to zero at (t, y) and turns back; y0: the state where the step began
  hml_status (*touched)(void *payload, double t, const double *y, const double *y0, size_t guard);
  // NULL, or: a margin is negative at (t, y), where a step ends and no root was found. Fails where that is more than rounding
  hml_status (*lacks)(void *payload, double t, const double *y);
} hml_guards;

// y' as a program, for methods that take it apart: inputs t, the first `states` components of y, constants
typedef struct hml_formula {
  const hml_program *program;          // its first outputs are y'; NULL: there is no formula
  const hml_program *watched;          // for tube.c: a program of the same inputs, in whose functions it looks for forces that come and go
  bool watches_rates;                  // and whose first outputs are y', too
  size_t states;
  const double *constants;
  void *payload;                       // of `series`: the program of the Taylor coefficients (hml_program__series), which outlives the run
  // weighted: in an order of pivots for where the margins of the other are not positive
  hml_status (*series)(void *payload, unsigned order, bool weighted, const hml_program **out);
} hml_formula;

// An initial value problem y' = f(t, y). Callbacks return HML_OK or a failure whose message is in the context; a failure of
// rhs other than HML_NOT_FINITE, HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS ends the run at once; those three, and
// HML_PROJECTION from project, are tried again with a smaller step first.
typedef struct hml_ode {
  size_t n;                            // components of y
  size_t n_controlled;                 // the first ones enter the error norm; the rest are quadratures
  const double *units;                 // that the absolute tolerance of each component counts in; NULL: 1   (n)
  void *payload;
  hml_status (*rhs)(void *payload, double t, const double *y, double *f);
  // Row-major n x n; NULL, or HML_UNSUPPORTED at the first call: differences are taken where a method needs one.
  hml_status (*jacobian)(void *payload, double t, const double *y, double *dfdy, double *dfdt);
  // Moves y onto the constraints where it is off by more than the tolerances, sets *moved; NULL: none.
  hml_status (*project)(void *payload, double t, double *y, double rtol, double atol, int *moved);
  const char *(*name)(void *payload, size_t i);   // of a component, for messages; NULL: they are numbered from 1
  const hml_guards *guards;            // NULL: none
  const hml_discrete *discrete;        // of the method dla; NULL: none
  bool mends_errors;                   // `project` removes errors only, and never has to move a step far
  hml_workspace *watched;              // whose first states are those of y: singular places end the run (lookout.c); NULL: not looked for
  hml_workspace *forces;               // the same workspace: forces that act within a short part of a step are met (tube.c); NULL: not looked for
  const hml_formula *formula;          // NULL: y' is known by its values only
  // NULL, or: of forces in y' that the model of `forces` has not: how many times longer a step is than one that passes over none of them that
  // comes and goes. Ranges of t and of the first n_controlled components over the step, and at its ends; blind: twice in its middle, and all that
  // the ranges leave open counts
  double (*stretch)(void *payload, const hml_range *over, const hml_range *start, const hml_range *end, bool blind);
} hml_ode;

// "stopped at t = ...: why"; a time with which the reason begins is not said twice
void hml_stopped(char *out, size_t capacity, double t, const char *why);

// Runs from y0 at t0 to t1, forward or backward. Fails (*out is NULL) for bad arguments and lack of memory only. If the run stops
// for another reason, the outcome reports it and the trajectory has all completed steps. A pending failure of the
// context is cleared at the start, a failure that became the outcome is cleared at the end.
// A run with guards is dense whatever the options.
hml_status hml_integrate(hml_context *c, const hml_ode *ode, const hml_run_options *options, double t0, double t1,
                         const double *y0, hml_trajectory **out, hml_outcome *outcome);

// hml_variational_run whose absolute tolerances, of x and of each direction, count in units; NULL: 1             (controlled size)
hml_status hml_variational__run(hml_workspace *w, const hml_run_options *options, const double *units, double t0, double t1, const double *x, size_t count,
                                const double *directions, hml_trajectory **out, hml_outcome *outcome);

// hml_trajectory_at from a point nearby, which is moved to the first at or after t: series over many times
hml_status hml_trajectory__at_near(const hml_trajectory *r, double t, size_t *near, double *x);

// samples.c: the states of a run at which its verdict looks: those that it keeps or, marked, its ends and the marks between them
size_t hml_samples__count(const hml_trajectory *r, bool marked);
const double *hml_samples__state(const hml_trajectory *r, bool marked, size_t i, double *t);
enum { HML_SAMPLES = 128 };            // of these, between the ends
// Numbers of up to HML_SAMPLES of `count` states, evenly spread, and of the first and the last one; the first is behind impacts at the start.
// list: (HML_SAMPLES + 3). Returns how many there are
size_t hml_samples__spread(size_t count, double (*time)(void *of, size_t i), void *of, size_t *list);
// At how many of these the digits of accelerations are looked at, after a run with so many evaluations of so many operations
size_t hml_samples__looks(size_t samples, size_t evaluations, size_t operations, size_t states);

// model_run.c: the rate of the workspace's model; .program NULL where it is none
hml_formula hml_model_run__formula(hml_workspace *w);
hml_ode hml_model_run__ode(hml_workspace *w);                            // without the formula

// enclose.c, for files that define HML_BALLS
#ifdef HML_BALLS
#include "enclose.h"
#endif

#endif
