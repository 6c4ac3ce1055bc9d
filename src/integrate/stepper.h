// stepper.h: the interface of a method: the problem that it gets and the functions that it must supply. Shared only inside this room.
#ifndef HML_STEPPER_H
#define HML_STEPPER_H

#include "integrate/integrate.h"

// The problem as a method sees it: guarded and counted. Vectors that a method gets or allocates by hml_problem__vectors
// are `stride` long, a multiple of HML_BLOCK, so that loops over blocks need no remainder; the padding stays finite.
#define HML_BLOCK 4

typedef struct hml_problem {
  hml_context *context;
  const hml_ode *ode;
  size_t n, stride, pieces;            // pieces of the dense output of a step
  double rtol, atol;
  hml_outcome *outcome;                // counts evaluations and jacobians
  double tighter;                      // steps have to meet the tolerances divided by 1 + tighter: close to a singular place errors grow
} hml_problem;

double *hml_problem__vectors(const hml_problem *p, size_t count);             // zeroed, count x stride; NULL when out of memory
void hml_problem__free_vectors(const hml_problem *p, double *v, size_t count);

// f(t, y): counts, polls the interrupt flag                     fails: HML_INTERRUPTED, and as the callback
hml_status hml_problem__rhs(const hml_problem *p, double t, const double *y, double *f);

// The same, and refuses values that are not finite                           fails: HML_NOT_FINITE naming the component
hml_status hml_problem__finite_rhs(const hml_problem *p, double t, const double *y, double *f);
hml_status hml_problem__check_rate(const hml_problem *p, double t, const double *f);

// jacobian.c: df/dy, row-major n x n, exact where the problem has it. *differences: found out that it has not. work: three vectors
hml_status hml_problem__jacobian(const hml_problem *p, bool *differences, double t, const double *y, double *dfdy, double *work);

// For messages: the name of a component; "infinite" or "not a number" for a value that is not finite
typedef struct hml_component_name { char text[80]; } hml_component_name;
hml_component_name hml_problem__name(const hml_ode *ode, size_t i);
const char *hml_problem__oddity(double value);

// May a smaller step help?
bool hml_problem__recoverable(hml_status status);

// One step from (t, y) to (t + h, y1), f and f1 the slopes there. t + h is a double, so h is the exact difference.
typedef struct hml_step {
  double t, h, t1;
  const double *y, *f;
  double *y1, *f1;
  double error;                        // in units of the tolerance: accepted up to 1
} hml_step;

typedef struct hml_stepper {
  const char *name, *title;
  unsigned order;                      // of the first step
  unsigned pieces;                     // vectors of the dense output of one step (dense.c)
  double exponent, beta;               // of the step control; exponent 0: of a multistep method, by its order
  hml_status (*create)(const hml_problem *p, void **state);
  void (*destroy)(const hml_problem *p, void *state);
  // Makes y1 and error, out of t, h, y, f. A recoverable failure is tried again from the same t with a smaller h.
  hml_status (*attempt)(void *state, hml_step *s);
  // After a good attempt, y1 possibly projected and f1 taken there: coefficients of the dense output, pieces x n
  hml_status (*dense)(void *state, const hml_step *s, double *pieces);
  // NULL, or: error of that polynomial between the ends, as `error`: where it is above 1 the step is made again, shorter
  double (*between)(void *state, const hml_step *s, const double *pieces);
  // NULL, or of a polynomial of seven pieces: its state y at theta, and the error up to there beside the step's own, as `error`, but by the size of y:
  // the end of the step may be far away. It may leave out pieces that are rounding. NULL: its values are no states to go on from
  double (*along)(void *state, const hml_step *s, double *pieces, double theta, double *y);
  // NULL, or: the step counts. `moved`: how far the projection moved y1, in units of the tolerance. True: starts anew.
  bool (*accepted)(void *state, const hml_step *s, double moved);
  unsigned (*order_now)(void *state);  // NULL: constant
  // NULL, or: the size (positive) of the next step from (t, y); 0: no opinion
  hml_status (*propose)(void *state, const hml_step *s, double *size);
  // NULL, or: f(t, y) where the next step will begin, as a by-product of its own computation
  hml_status (*slope)(void *state, double t, const double *y, double *f);
  // NULL, or after a good attempt: the error estimated from x' at its end, f1, for a method that has not used it
  double (*end_error)(void *state, const hml_step *s);
  unsigned (*pieces_of)(const hml_problem *p);   // in place of `pieces`, where it depends on the tolerances
  const struct hml_stepper *(*present)(void *state);   // the method at work, where one name covers several; its exponents count
  bool fixed;                          // steps of the size asked for, whatever the error
  bool over_impacts;                   // its steps hold impacts and need the contacts themselves: moreau.c, by hml_hybrid_run only
  bool by_formula;                     // needs x' as a formula, which contacts have not
  bool cuts;                           // may try a part of its step although it has `accepted`
} hml_stepper;

// ---- stepper.c: the registry
bool hml_stepper__keeps_history(const hml_stepper *m);               // of the steps before, so that it cannot try a part of its step
const hml_stepper *hml_stepper__at(size_t i);
bool hml_stepper__takes_contacts(const hml_stepper *m);
hml_status hml_stepper__choose(hml_context *c, const char *name, const hml_stepper **out);   // names the nearest one when unknown

// ---- attempt.c: a projection that moves the end of a step
#define HML_FAR 30                     // units of the tolerance or more,
#define HML_FAR_PART 0.1               // and more than this part of the step, comes from constraints that become dependent

// ---- between.c
#define HML_LIKELY 0.3                 // of the length that adaptive steps may have: longer steps of fixed size may pass over a force

// ---- control.c
double hml_control__rtol(const hml_problem *p);                       // with which steps are judged
double hml_control__norm(const hml_problem *p, const double *e, const double *y, const double *y1);
double hml_control__norm_of_all(const hml_problem *p, const double *e, const double *y, const double *y1);     // the work among them
void hml_control__norms_of_all(const hml_problem *p, const double *a, const double *b, const double *y, double *of_a, double *of_b);   // of both, at y
hml_status hml_control__first_step(const hml_problem *p, unsigned order, double t, double span, const double *y, const double *f,
                                   double *work, double *h);
double hml_control__factor(const hml_stepper *m, unsigned order, double error, double previous, bool after_rejection);

// ---- dense.c
// Data that a polynomial must meet at theta: its value, or its slope times h (then data is multiplied by `scale`).
typedef struct hml_condition {
  double theta, scale;
  const double *data;
  bool slope;
} hml_condition;

void hml_dense__value(size_t n, size_t pieces, const double *y, const double *piece, double theta, double *x);
void hml_dense__slope(size_t n, size_t pieces, const double *piece, double theta, double *slope);    // by theta
double hml_dense__peak(size_t k);      // largest value of the product that multiplies c_k
// c_3 ... c_6 of its part from 0 to theta, where the pieces behind them are zero; hml_dense__hermite makes the first three
void hml_dense__shorten(size_t n, double *piece, double theta);
// Coefficients of one component about theta = m in p (pieces + 2); its pieces are `stride` apart. Returns the size of the terms of higher order
double hml_dense__recentre(size_t pieces, double y, const double *piece, size_t stride, double m, double *p);
// All values of component i for theta within r of m, rounding errors included; p: scratch (pieces + 2)
hml_range hml_dense__range(size_t n, size_t pieces, const double *y, const double *piece, size_t i, double m, double r, double *p);
void hml_dense__hermite(size_t n, const hml_step *s, double *piece);          // the first three pieces
bool hml_dense__fit(size_t n, const double *y, double *piece, size_t first, size_t count, const hml_condition *conditions);

// guard.c: proved statements on a guard over a part of a step
typedef struct hml_guard hml_guard;
typedef enum hml_guard_verdict {
  HML_GUARD_BELOW = -1, HML_GUARD_OPEN, HML_GUARD_ABOVE,   // values less `level` have one sign; not known
  HML_GUARD_MONOTONE,                  // continuous and rises or falls all the way: one root at most
  HML_GUARD_FLAT,                      // zero to rounding
  HML_GUARD_FAINT                      // so it seems, where it has no rate
} hml_guard_verdict;
hml_status hml_guard__open(const hml_problem *p, const hml_guard_formula *f, hml_guard **out);
void hml_guard__close(hml_guard *g);
double hml_guard__value(hml_guard *g, double t, const double *y);
void hml_guard__forget(hml_guard *g);                                // the constants may have changed
hml_status hml_guard__enter(hml_guard *g);                            // a step that is new to the functions below
// In place of hml_guard__enter on most steps: the values have this sign by ranges that are known already. False: nothing was done
bool hml_guard__keeps(hml_guard *g, const hml_step *s, const double *piece, int sign);
// Ranges of the inputs in which the values are known to have this sign, infinite of inputs that do not count, until the next step is looked at; NULL: none
const hml_range *hml_guard__safe(const hml_guard *g, int sign);
double hml_guard__value_on(hml_guard *g, const hml_step *s, const double *piece, double theta);
hml_guard_verdict hml_guard__over_step(hml_guard *g, const hml_step *s, const double *piece, double level);          // by the cheapest way only
hml_status hml_guard__over(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b, hml_guard_verdict *verdict);
// Does the range of its values from a to b hold zero? Rounding errors included
bool hml_guard__may_vanish(hml_guard *g, const hml_step *s, const double *piece, double level, double a, double b);
// Components may be off by so much: statements on whole steps, by hml_guard__keeps and hml_guard__over_step, count for all states that near. It must remain
void hml_guard__widen(hml_guard *g, const double *errors);                 // by component; NULL: by nothing
// Values and rates by theta within r of m, and the values for all states that near
typedef struct hml_guard_near {
  hml_range values, wide, rates;
  hml_range_kind kind, wide_kind;
  bool has_rates;                      // false: not asked for, or not known, as where the values may jump
} hml_guard_near;
hml_guard_near hml_guard__near(hml_guard *g, const hml_step *s, const double *piece, double m, double r, bool rates);
bool hml_guard__clear(const hml_guard *g);                                 // was one made on the present step, for the level zero?
bool hml_guard__is_clear(hml_guard *g, const hml_step *s, const double *piece, double level, double theta);    // of its rounding errors
hml_status hml_guard__rate(hml_guard *g, const hml_step *s, const double *piece, double theta, double *rate);  // by theta; nan: none
// Of an affine guard, with its value; false: it is not affine
bool hml_guard__slope_on(hml_guard *g, const hml_step *s, const double *piece, double theta, double *value, double *slope);
// Is an affine guard one arc over the whole step, leaving zero or a value of that side, and bent back? Then it has that sign from the start of the
// step to its top, with and without the level, and one root at most behind it; no level counts any more at its top and at the end of the step
typedef struct hml_arc {
  double top, at_top, at_end;          // theta; values
} hml_arc;
bool hml_guard__is_arc(hml_guard *g, const hml_step *s, const double *piece, double level, signed char side, hml_arc *out);

// ---- event.c: roots of guards over one step
typedef struct hml_post {           // for one guard
  hml_guard *guard;                    // NULL: not yet made, or known by its values only
  double level;                        // whose crossing counts: 0, or the value at a start on the root until it has been left
  double searched, root;               // theta up to which there is no further root; the one found there, INFINITY: none
  double reach;                        // length in time of the parts that can be decided
  double flat, flat_time;              // where its values became zero to rounding, in theta and in time; NAN: they are not
  double size;                         // largest value seen, of a guard known by its values
  signed char side;                    // sign it has, less the level, at `searched`; 0: not known
  signed char crossing;                // sign before the root found
  bool counted, told;                  // the present zeros have been met; `stays` has heard of them
  bool touches;                        // the root is one of zeros between equal signs
  signed char leaves;                  // side to which the owner says that it leaves its root, in the first step of a piece; 0: not said
  bool jumped;                         // the piece began with a jump, and this is its first step
  bool at_root;                        // of the instant at which the last piece ended, wanted or not
  double met;                          // time of the last root; NAN: none
  uint32_t roots;                      // found by a search that may fail
} hml_post;

typedef struct hml_watch {
  const hml_problem *problem;
  const hml_guards *guards;
  hml_post *posts;                         // (n)
  double *start, *probe, *residue;               // values at the start of a piece; scratch; values at the root that ended the last one   (n)
  double *samples[5];                            // of guards known by their values, at quarters of the part from sampled_from to sampled_to  (n)
  double sampled_from, sampled_to, reach;        // in theta; length in time of the next part
  double *y;                                     // scratch state
  hml_range *box;                                // of t and y in a part                                             (1 + components)
  double *about, *spread;                        // coefficients of one component (pieces + 1); of guards in that box                (n)
  bool *fired;                                   // (n) the roots found
  bool *leapt;                                   // (n) the jumps through zero found, and those to zero
  size_t culprit;                                // where a search fails: the guard that is no number, or whose roots cannot be told apart
  double culprit_time;
  void *memory;
  size_t size;                                   // bytes of the memory
} hml_watch;

hml_status hml_watch__open(const hml_problem *p, const hml_guards *guards, hml_watch **out);
void hml_watch__close(hml_watch *w);
hml_status hml_watch__guard(hml_watch *w, size_t i, hml_guard **out);   // of one that has a formula
void hml_watch__renew(hml_watch *w);                                 // for another run, which the last one leaves no trace in
// A piece begins here. A guard that fired and was left on its root does not fire again; w->residue holds values at the root. A motion that goes on
// crosses it; one that has jumped may turn back.
typedef enum hml_begin { HML_AFRESH, HML_GOES_ON, HML_JUMPED } hml_begin;
hml_status hml_watch__start(hml_watch *w, double t, const double *y, hml_begin how);
// The guards in w->guards->counts whose values, w->residue before, have jumped through zero or to it in a reaction that led to y, or were zero
// where the state jumps; any: one has
hml_status hml_watch__leaps(hml_watch *w, double t, const double *y, bool jumps, bool *any);
hml_status hml_watch__values(hml_watch *w, double t, const double *y, double *out);   // finite ones, or a failure
// Next root on the polynomial of a step; sets w->fired. False in *found: none up to its end, which then is the start of the next step.
// Roots already found are not found again: called again, the search continues after them.
hml_status hml_watch__search(hml_watch *w, const hml_step *s, const double *piece, double *theta, bool *found);
// A guard that fired has no root up to theta, where it has the side to which it leaves
void hml_watch__pass(hml_watch *w, size_t i, double theta);
// For a root that is corrected: value of guard i at a state, and its slope by theta on the polynomial
hml_status hml_watch__value(hml_watch *w, size_t i, double t, const double *y, double *value);
// Of a sampled guard that fired: length of time within which samples show all its roots; infinite: none fired
double hml_watch__pace(const hml_watch *w);
hml_status hml_watch__slope(hml_watch *w, const hml_step *s, const double *piece, size_t i, double theta, double *slope);
// The step ends at (t, y), which belongs to theta: guards whose sign has changed until there fire with the rest
hml_status hml_watch__join(hml_watch *w, const hml_step *s, const double *piece, double theta, double t, const double *y);

// roots.c: all steps of a finished run with dense output: calls `react` of the guards at each root
hml_status hml_roots__follow(hml_watch *w, const hml_trajectory *r);

// ---- dop853.c: `between` of that method; part: scratch (stride)
double hml_dop853__between(const hml_problem *p, const hml_step *step, const double *piece, double *part);

// ---- lipschitz.c: do motions part at (t, y)? work: three vectors
hml_status hml_lipschitz__lost(const hml_problem *p, hml_model_sizes sizes, double t, const double *y, double *work, bool *lost);

// ---- lookout.c, examined.c, fine_run.c, parting.c: singular places along a run
typedef struct hml_lookout hml_lookout;

// CORNER: a series must end its step there; LOST: the motion could not be followed, and no place is the reason
typedef enum hml_finding_kind { HML_CLEAR, HML_CORNER, HML_BARRIER, HML_LOST } hml_finding_kind;

// Where x' must be evaluated to look for singular places on a step; a method with stages inside has done so
typedef enum hml_looks { HML_AT_STAGES, HML_IN_MIDDLE, HML_AT_POINTS } hml_looks;

typedef struct hml_finding {
  hml_finding_kind kind;
  double t;                            // of the place
  bool stuck;                          // lost, since no step led on
  bool strayed;                        // the step ends elsewhere than the motion from its start does
  bool steep;                          // it comes close to the zero of a root or of a power, where errors may grow
  hml_error why;
  hml_trajectory *fine;                // of a barrier: the motion up to it, to be freed
} hml_finding;

hml_status hml_lookout__open(const hml_problem *p, hml_workspace *w, hml_lookout **out);
void hml_lookout__close(hml_lookout *l);
hml_status hml_lookout__has_value(hml_lookout *l, double t, const double *y);          // do all expressions have values there?  fails: HML_NOT_FINITE
void hml_lookout__start(hml_lookout *l, double t, const double *y);      // a piece of the run begins here; x' was just evaluated
// Is (t, y), where x' is f, a state on a root at zero which the motion does not leave, and from which others part?             fails: HML_SINGULAR
hml_status hml_lookout__unique_start(hml_lookout *l, double t, const double *y, const double *f, double span);
hml_status hml_lookout__unique(hml_lookout *l, const hml_step *s);       // the same at the end of a step that was looked at
void hml_lookout__begin(hml_lookout *l);                                 // before an attempt
void hml_lookout__guard_end(hml_lookout *l);                             // x' is evaluated at the end next: pivots are compared with their floors there
void hml_lookout__guard_all(hml_lookout *l, bool on);                    // on: wherever x' is evaluated
bool hml_lookout__guard_failed(const hml_lookout *l);                    // and one was not above its floor
void hml_lookout__end(hml_lookout *l);                                   // after x' at the end of the step
// Does the step look as if it went through a singular place? states: those at 1/4, 1/2, 3/4 of it, each `stride` long; NULL: interpolated.
// too_long: length of the step relative to one that shows every singular place; above 1 it must be made shorter if possible.
void hml_lookout__resolve(hml_lookout *l, bool on);                      // are steps that bend with a root near its zero too long? Of formulas of high order, which do not see it
hml_status hml_lookout__look(hml_lookout *l, const hml_step *s, const double *states, hml_looks looks, bool *alarm, double *too_long);
void hml_lookout__passed(hml_lookout *l, const hml_step *s);             // the step counts
double hml_lookout__depth(const hml_lookout *l);                         // what is left of the margins at the end of the step, relative
// Describes the singular place of least depth at the end of the step, if that is below closer_than
bool hml_lookout__nearest(const hml_lookout *l, double closer_than, size_t capacity, char *text);
// The product of the margins there; false: it says nothing, since rounding costs the accelerations no digits, or the order of pivots fails
bool hml_lookout__inertia(const hml_lookout *l, long double *product);
bool hml_lookout__near_steep(const hml_lookout *l);                      // the step ends near the zero of a root
bool hml_lookout__inertia_alone(const hml_lookout *l);                   // can nothing but the inertia be singular: no constraint, no expression?
bool hml_lookout__clear(const hml_lookout *l);                           // nothing singular is near the start of the next step
hml_status hml_lookout__examine(hml_lookout *l, const hml_step *s, hml_finding *out);
// How far the end of a way past a singular place is from a fine run
typedef struct hml_way_errors {
  double off;                          // in units of the tolerance, of the component `worst`
  size_t worst;
  double difference;                   // the same in numbers. Where `off` is doubtful, both have what rounding may have done to the fine run
  bool rounding;                       // the fine run could not be followed since its accelerations have too few digits, which those of quadruple precision have
  double energy;                       // the difference of energies, and the rounding of the largest, in units of what errors of the tolerance do to it at
} hml_way_errors;                      // the start of the run; 0 where the model has none. What is missing where speeds are high shows in the states only later
hml_status hml_lookout__check(hml_lookout *l, const hml_step *s, double doubtful, hml_way_errors *out);
// By how much the way s magnifies what its start is off; INFINITY where it cannot be followed
#define HML_MAGNIFIED 1e3              // what is more is too much
hml_status hml_lookout__magnifies(hml_lookout *l, const hml_step *s, double *factor);
// Of positions and of velocities, or what else is determined by x': the largest difference
typedef struct hml_missed {
  double positions, velocities;
} hml_missed;
#define HML_MISSED 0.01                // of the whole motion: a larger error of steps of fixed size is reported
hml_missed hml_lookout__apart(const hml_lookout *l, const double *a, const double *b);
hml_missed hml_lookout__way(const hml_lookout *l, const double *y, const double *start);   // from the start; velocities themselves, if they are larger
// Of a step over which a force may come and go: how far its end is from that of a fine run; 0 where there is none
hml_status hml_lookout__missed(hml_lookout *l, const hml_step *s, hml_missed *out);

// ---- tube.c: forces that act within a short part of a step only
typedef struct hml_tube hml_tube;
// *out is NULL where x' is no formula. adaptive: lengths up to 1 need not be known, since steps are compared with 1 alone; else those up to 0.3
hml_status hml_tube__open(const hml_problem *p, hml_workspace *w, bool adaptive, hml_tube **out);
void hml_tube__close(hml_tube *g);
// Length of the step relative to one that misses no such force; 0 for NULL
double hml_tube__stretch(hml_tube *g, const hml_step *s);
void hml_tube__keep_digits(hml_tube *g, double window);               // phases count up to `window`, and so does a range without bounds: for series to many digits
// May a force come and go within a step that takes its forces in the middle? speed: of the `count` velocities from component `first` on, against
// which a change counts
bool hml_tube__hides(hml_tube *g, const hml_step *s, size_t first, size_t count, const double *speed);

// ---- dop853.c: for methods that borrow its dense output
extern const hml_stepper hml_stepper_dop853;
hml_status hml_dop853__stages(void *state, const hml_step *s, double *y1);    // leaves the stages of the step in the state

const double *hml_dop853__last_argument(const void *state);          // of the last stage, at the end of the step; before dense
const double *hml_dop853__last_slope(const void *state);             // there

// ---- rk4.c, gauss.c: for runs with steps of one size in lanes
extern const hml_stepper hml_stepper_rk4;
enum { HML_MOST_STAGES = 4, HML_GAUSS_STAGNANT = 4 };   // rounds in which the iteration of the stages does not get better
#define HML_GAUSS_TOLERABLE 1e-4       // of the tolerance: a change that may be left then
typedef struct hml_gauss_rule {
  size_t stages;
  double a[HML_MOST_STAGES][HML_MOST_STAGES], b[HML_MOST_STAGES], c[HML_MOST_STAGES];
} hml_gauss_rule;
hml_gauss_rule hml_gauss__rule(size_t stages);
// The dense output of a step with these pieces, 3 + stages of them, the first three of which are known: from the slopes at its stages
void hml_gauss__dense(const hml_gauss_rule *rule, size_t n, double h, const double *y, const double *const *slopes, double *pieces);
size_t hml_gauss__stages(const hml_stepper *m);                      // 0: another method

// ---- radau.c, taylor.c: for auto.c
extern const hml_stepper hml_stepper_radau5, hml_stepper_taylor;
double hml_radau__norm(const void *state);                           // of the Jacobian: the largest sum of a row
const hml_program *hml_taylor__series(const void *state);
#define HML_MOST_GROWTH 10             // of a step over the one before
#define HML_FALLEN 100                 // units of the tolerance: terms in the middle of a series; those of smooth motions are some thousand at least
#define HML_MOST_DEFECT 30             // units of the tolerance: h times the error of the slope at the end; smooth motions come to 10
unsigned hml_taylor__order(const void *state);
double hml_taylor__longer(const hml_problem *p);                     // steps of the order taken / those of the order for long equations
// y1 = y + c_1 h + c_2 h^2 + ... and its rate by h, from the coefficients (order x n)
typedef void hml_taylor_sum(const double *coefficients, unsigned order, size_t n, double h, const double *y, double *y1, double *slope);
hml_taylor_sum hml_taylor__sum_plainly;                              // on any processor
hml_taylor_sum *hml_taylor__sum(void);                               // the fastest for this one, which gives the same bits
// Pieces of the dense output (dense.c) of a step from its coefficients q (order x n), which are lost
void hml_taylor__pieces(size_t n, unsigned order, double *q, const hml_step *s, double *piece);
double hml_taylor__lesser_root(double a, double b, unsigned k);      // the lesser of a^(-1/k) and b^(-1/(k - 1)), k > 2, to 2e-4
double hml_taylor__stretch(void *state, const hml_step *s);          // |h lambda| of the fastest part, if that is a decay

// ---- trajectory.c
hml_status hml_trajectory__new(hml_context *c, size_t n, size_t pieces, hml_trajectory **out);
// May a run with these sizes continue the trajectory from (t, y)?                          fails: HML_ARGUMENT
hml_status hml_trajectory__fits(hml_context *c, const hml_trajectory *r, size_t n, size_t pieces, double t, const double *y);
// Room for the next point: fill *y (n) and *piece (pieces x n), then commit; without commit nothing happened.
hml_status hml_trajectory__reserve(hml_trajectory *r, double **y, double **piece);
hml_status hml_trajectory__forget(hml_trajectory *r, size_t kept);      // all points but the first and the last `kept`; some become marks
// The inertia at (t, y), as the product of its pivots: the point where it is least is remembered, see hml_trajectory_deepest
hml_status hml_trajectory__note_inertia(hml_trajectory *r, long double inertia, double t, const double *y);
hml_context *hml_trajectory__context(const hml_trajectory *r);
size_t hml_trajectory__pieces(const hml_trajectory *r);                 // of each step's polynomial; 0: none are kept
const double *hml_trajectory__piece(const hml_trajectory *r, size_t i); // of the step that arrives at point i
void hml_trajectory__commit(hml_trajectory *r, double t);
void hml_trajectory__cut(hml_trajectory *r, size_t points);             // keeps that many

#endif
