// mechanics.h: door of the room: model (constant) and workspace (one thread's).
//
// The one shape of all equations:   x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.
#ifndef HML_MECHANICS_H
#define HML_MECHANICS_H

#include "program/program.h"

typedef struct hml_model_sizes { size_t kin, dyn, multipliers, parameters, externals, constrained, held; } hml_model_sizes;   // constrained: residuals to project onto; held: the last parameters, which hold branches

hml_context *hml_workspace__context(const hml_workspace *w);             // the context that receives its failures
const hml_model *hml_workspace__model(const hml_workspace *w);
const char *hml_model__name(const hml_model *m);
const char *hml_model__state_name(const hml_model *m, size_t i);         // "x", "x'", ..., "work"
hml_status hml_workspace__rate(hml_workspace *w, double t, const double *x, double *out);   // x' at (t, x), which becomes the state
// x', then margins, from the inputs of a workspace, without operations of parameters alone (hml_model_rate is the whole); NULL: no program.
// With a guard the margins are pivots, which must be above floors that change slowly: the guard gives them from the same inputs, those of all pivots and
// then others that the pivots must be above too. NULL: the margins must be positive, that is all
const hml_program *hml_model__lean_rate(const hml_model *m);
bool hml_model__is_ignorable(const hml_model *m, size_t i);              // is that component of the state a position on which x' does not depend?
// of_state.c: a program with inputs t, x_kin, x_dyn, x_dyn', `between` others, parameters as one that does not read x_dyn', with the same inputs. *out is NULL
// where x' is not a program of time, state and parameters
hml_status hml_model__of_state(hml_context *c, const hml_model *m, const hml_program *p, size_t between, hml_program **out);
size_t hml_model__lean_margins(const hml_model *m);
const hml_program *hml_model__guard(const hml_model *m);
// The program whose functions show where forces come and go: of x', in the form with the fewest products, or the energies where x' is too long for it.
// NULL: no program. *is_rate: its first outputs are x'
const hml_program *hml_model__watched(const hml_model *m, bool *is_rate);
// everywhere.c: are the pivots of M clear of zero at every time and state, with the present parameters? scratch: _room, 0 where that is not known
size_t hml_workspace__everywhere_room(const hml_workspace *w);
bool hml_workspace__regular_everywhere(const hml_workspace *w, hml_range *scratch);
// A run that watches its margins asks the guard at the first evaluation after each hml_workspace__guard_next, and wherever a pivot falls far below
// what it was then. Others ask it at every evaluation. Returns whether it was watched before; a nested run sets that back
bool hml_workspace__watch(hml_workspace *w, bool on);
void hml_workspace__guard_next(hml_workspace *w);
bool hml_workspace__guard_failed(const hml_workspace *w);                // at the last evaluation
// A pivot is far below where it is below the largest of this many floors, one usual floor, and this part of what it was: floors of another state are no guide there
#define HML_WELL_ABOVE 4
#define HML_FALLEN_PART (1.0 / 64)
size_t hml_workspace__handed_over(const hml_workspace *w);               // how often a margin of x' failed, so that the general solve took its place
// Sets that count, and the one of hml_workspace__reordered, back: what a check of a run evaluates is no part of the run. Their sum is counted apart
void hml_workspace__recount(hml_workspace *w, size_t handed_over, size_t reordered);
size_t hml_workspace__looked(const hml_workspace *w);
#define HML_DIGITS_PART 1e-9            // of the largest acceleration: what all may be off
#define HML_DIGITS_CALM 1e-12           // the same, by an estimate: from there on errors are looked for
#define HML_DIGITS_UNITS 8              // in the last place of the states: what they change no other way to solve would give better
// How far the accelerations that runs take at the state that is set are off. digits.c
typedef struct hml_digits {
  double difference, largest;          // the largest error, found in quadruple precision where rounding may matter; the largest acceleration. Both 0: nothing to judge
  double unit;                         // what one unit in the last place of the states does to the accelerations; 0 where the difference is small
  double states;                       // the same for velocities that the states do not hold themselves, such as those of momenta, relative to the largest
  double velocities;                   // what this is of these velocities
  double doubt;                        // errors that rounding may cause, in the units of `largest`: an estimate in doubles; infinite where quadruple precision was asked
} hml_digits;
// part: of the largest acceleration, from where on an error counts, HML_DIGITS_PART or less; below it the fields may be bounds
hml_status hml_workspace__digits(hml_workspace *w, double part, hml_digits *out);
// The part of the largest acceleration that counts against a run over that span, from `part` on, whose tolerance at the state is `tolerance`; 0: none, the error is
// no more than that, than rounding of the states brings about, or than changes velocities by the tolerance. *states: its reason is that the states do not hold
// the velocities
double hml_digits__lost(const hml_digits *d, double part, double span, double tolerance, bool *states);
// False: rounding of the equations costs accelerations of the model no digits at any state
bool hml_model__may_lose_digits(const hml_model *m);
// The largest error of a derivative of x_dyn' that a variational run takes at the state that is set, relative to the largest derivative along the same state;
// infinite where quadruple precision does not find these, zero up to HML_DIGITS_PART, where rounding explains it, and where `digits` of the accelerations there
// leave no doubt
hml_status hml_workspace__derivative_digits(hml_workspace *w, const hml_digits *digits, double *part);
// An estimate of the error of a change of velocities by impulses at the state last solved, from roundings of M, of the rows of impulses and of the
// constraints. terms: sizes of the impulses along each velocity (n_dyn); lambda: impulses of the multipliers. Where a bound is at most `enough`, it is the answer
double hml_workspace__blow_error(hml_workspace *w, const double *change, const double *terms, const double *lambda, double enough);
// That bound, infinite where the pivots give none; the sizes of the terms are noted
double hml_workspace__blow_bound(hml_workspace *w, const double *change, const double *terms, const double *lambda);
// The same step by step: the sizes of the terms are noted; then each trial returns what errors of one rounding in them do to the accelerations   (n_dyn)
enum { HML_ERROR_TRIALS = 5 };
void hml_workspace__note_errors(hml_workspace *w, const double *change, const double *terms, const double *lambda);
const double *hml_workspace__try_errors(hml_workspace *w, unsigned trial);
// (df/dx) of the kinematic and dynamic states, row by row, as sums high + low of doubles      fails: as hml_state_jacobian; HML_UNSUPPORTED
hml_status hml_workspace__exact_jacobian(hml_workspace *w, double *high, double *low);
size_t hml_workspace__reordered(const hml_workspace *w);                 // the same, but another order of elimination did (orders.c)
// On: from now on other orders are made where they pay; each change drops those made so far. Returns whether it was on
bool hml_workspace__reorder(hml_workspace *w, bool on);
// Margins of the other order that held last, at a state that becomes that of the workspace; NULL: there is none, or one is not positive there
const double *hml_workspace__other_margins(hml_workspace *w, double t, const double *x, size_t *count);
// Taylor coefficients of x up to an order, then margins that must be positive for them to be valid. The model keeps the program for later
// calls and other threads. From the order HML_EXACT_ORDER on it is for quadruple precision: no constant in it is rounded to a double
// weighted: with the rows in M (hml_equation_layout), for where a margin of the other is not positive
enum { HML_EXACT_ORDER = 25 };
hml_status hml_workspace__series(hml_workspace *w, unsigned order, bool weighted, const hml_program **out);
// variation.c: x' and the rates of directions carried along: (df/dx) direction
hml_status hml_workspace__variation(hml_workspace *w, double t, const double *x, size_t count, const double *directions, double *f,
                                    double *rates);
// Corrections onto the constraints of a level (0: positions, 1: velocities); program NULL: the general way (hml_project)
typedef struct hml_correction {
  const hml_program *program;          // hml_program__correction; inputs as those of the rate
  size_t rows, columns, first, margins;    // the corrected inputs begin at `first`
} hml_correction;
hml_correction hml_model__correction(const hml_model *m, int level);
// lane_codes.c: kept with the model for all ensembles. Machine code of one of its programs for vector lanes; *out NULL: as of hml_native__new
hml_status hml_model__lane_code(hml_context *c, const hml_model *m, const hml_program *p, unsigned lanes, const hml_native **out);
// The residuals of a level alone, from the inputs of a workspace; *out NULL: it has no rows
hml_status hml_model__residuals(hml_context *c, const hml_model *m, int level, const hml_program **out);
// The rates of one direction, by hml_program__rates of the lean rate along all components of the state but quadratures. The same up to rounding in
// two programs: `still` has the values that do not depend on the direction, from the same inputs; `moving` reads them behind its inputs. Both NULL:
// there are none
typedef struct hml_lane_tangent {
  const hml_program *whole, *still, *moving;
  size_t values;
} hml_lane_tangent;
hml_status hml_model__tangent(hml_context *c, const hml_model *m, hml_lane_tangent *out);
// Residuals up to (atol + rtol size) |row| are as good as zero; those corrected once go down to rounding, rounding size |row|
typedef struct hml_project_limits { double rtol, atol, rounding; } hml_project_limits;
hml_project_limits hml_project__limits(double rtol, double atol);
// t, kin, dyn, parameters, externals, and results that programs of x' take from the parameters once; all inputs of the programs of a model
const double *hml_workspace__inputs(const hml_workspace *w);
bool hml_workspace__regular(const hml_workspace *w);                     // no pivot vanishes by the values of the parameters alone
hml_model_sizes hml_model__sizes(const hml_model *m);
size_t hml_model__externals(const hml_model *m);                         // 0: hml_state_jacobian is exact

// formula.c: one expression as a program of its symbols
// Input k is t where place[k] is 0, component place[k] of the state (from 1) up to the size n of the state, beyond that constants[place[k] - n - 1]
typedef struct hml_guard_formula {
  const hml_program *program;          // one output; NULL: the expression mentions more than time, states and parameters
  const uint32_t *place;               // (inputs)
  const double *constants;             // the parameters of a workspace; change in react only
  const hml_program *rate;             // NULL, or its tangent along the inputs that are time or components, in their order
} hml_guard_formula;
// symbols: time, states and parameters of the model; n_state: size of its state; the arena holds all data of the formula
hml_status hml_formula__build(hml_context *c, hml_arena *memory, const hml_model_spec *symbols, size_t n_state, hml_expr e, hml_guard_formula *out);
void hml_formula__free(hml_guard_formula *f);
size_t hml_formula__scratch(const hml_guard_formula *f);                 // doubles that the next two need
double hml_formula__value(const hml_guard_formula *f, size_t n_state, double t, const double *y, double *scratch);
// Its rate along (t', y'), and the sum of the sizes of its terms; NaN where the formula has no rate
double hml_formula__slope(const hml_guard_formula *f, size_t n_state, double t, const double *y, double dt, const double *dy, double *size, double *scratch);

// ---- branch.c: signs, absolute values, maxima and tables in the forces, whose side is held by parameters
// The expressions of the model read the parameters from `held` on in place of the function. Of a sign: -1, 0 or 1, then 1 and 0 for above and
// 0 and 1 for below; of a table: ends of the interval, its left point again, coefficients of the cubic there
enum { HML_SIGN_HELD = 3, HML_TABLE_HELD = 7 };
typedef struct hml_branch {
  const char *text;                    // the argument, for messages
  double table;                        // its number; 0: a sign
  size_t held;                         // the first of its parameters, from 0
  hml_guard_formula argument, guard;   // guard: the argument of a sign; of a table the product of the distances from the ends of the interval
  bool of_constraint;                  // hml_branch_spec
} hml_branch;
hml_status hml_branch__tell_end(hml_context *c, const hml_branch *b, double t);      // fails always: the argument leaves the points of its table
const hml_branch *hml_model__branches(const hml_model *m, size_t *count);
// On: the sides stay as hml_workspace__take_side sets them. Off, as at first: they follow from each state that is set
void hml_workspace__hold(hml_workspace *w, bool on);
bool hml_workspace__holds(const hml_workspace *w);                       // and there are branches
// 1, -1: where a state is on a corner, up to rounding, sides that follow from it are those to which its motion leads in this direction of time, if the time
// and the rates of positions show it. 0, as at first: signs of zero are zero
int hml_workspace__head(hml_workspace *w, int direction);                // returns what it was
// Sides follow the state until they are held again as they were; kept: sizes.held numbers. Returns whether they were held
bool hml_workspace__let_go(hml_workspace *w, double *kept);
void hml_workspace__hold_again(hml_workspace *w, bool held, const double *kept);
const double *hml_workspace__held(const hml_workspace *w, size_t branch);
// The side (-1, 0, 1) of a sign; the interval of a table that holds `argument`, or on that side of it at a point  fails: HML_NOT_FINITE beyond the table
hml_status hml_workspace__take_side(hml_workspace *w, size_t branch, int side, double argument);
// A point at which linear data bend, and no interval beside it: the rate is the mean of both, as the sign of zero is zero
hml_status hml_workspace__take_bend(hml_workspace *w, size_t branch, double point);
// Do the data of a branch that follows positions bend at this point?
bool hml_workspace__bends(const hml_workspace *w, size_t branch, double point);

// ---- impulse.c: values that jump by an impulse alone where branches take other sides: momenta, the energy, residuals of constraints
size_t hml_model__impulse_values(const hml_model *m);                     // how many; 0: none can jump
size_t hml_model__impulse_outputs(const hml_model *m);                    // these and the velocities
size_t hml_model__impulse_room(const hml_model *m);                       // doubles of work for those below
const char *hml_model__impulse_text(const hml_model *m, size_t which);
bool hml_model__impulse_is_position(const hml_model *m, size_t which);
// By the sides that are held now; before: outputs of the sides whose velocities residuals take, NULL: these
void hml_workspace__impulse_values(hml_workspace *w, double t, const double *y, const double *before, double *out, double *work);
// Adds how far rounding of the state, of the instant in the time of the run and of every term may change the values by these sides
void hml_workspace__impulse_blur(hml_workspace *w, double time, double t, const double *y, const double *before, double *out, double *work);
// blur: differences that are none, or NULL; changed: the branches whose sides these are (n_branches). *which: the value with the largest jump where neither reactions nor a change of these branches
// explain the jumps, by more than errors of the states, then of the velocities; SIZE_MAX: they do
hml_status hml_workspace__find_impulse(hml_workspace *w, double t, const double *y, const double *errors, const double *before, const double *after,
                                       const double *blur, const bool *changed, double *work, size_t *which);

// Do all expressions of the equations have values at the state that was set, those too whose infinity a function such as atan takes back?
hml_status hml_workspace__has_value(hml_workspace *w);                   // fails: HML_NOT_FINITE with the expression

// ---- singular.c: how far a state is from a place where the equations do not determine the accelerations
// Margins: pivots of the solve, each in a unit of its own; all shrink to zero where the matrices become singular
size_t hml_workspace__margins(const hml_workspace *w);
void hml_workspace__margins_now(const hml_workspace *w, double *out);    // of the state last evaluated
double *hml_workspace__least(hml_workspace *w);                          // the least ones since the owner last set them
// Witnesses that vanish where the equations have a pole or a corner (hml_program__places); program NULL: none
const hml_places *hml_model__places(const hml_model *m);
// "'cone' has no derivative where sqrt(...) = 0": place k with the constraints that read it
void hml_model__describe_place(hml_context *c, const hml_model *m, size_t k, size_t capacity, char *text);
// Scales that bring the entries of [[M, A^T], [A, 0]] at a state near one                                        (n_dyn + n_multipliers)
hml_status hml_singular__scale(hml_workspace *w, double t, const double *x, double *scale);
// The size of the smallest pivot of the scaled matrix relative to the largest, and the product of all; they go with squares of distances from a singular
// place, or with distances where inertia becomes negative. *rank SIZE_MAX: becomes the rank there; else the pivot of that rank. The product has the sign
// of the determinant where the rank is full
hml_status hml_singular__pivot(hml_workspace *w, double t, const double *x, const double *scale, size_t *rank, double *pivot, double *volume);
// Has the matrix of masses inertia in quadruple precision there, and wherever each coordinate x is by up to reach (1 + |x|) aside? of_rows (one factor for each row
// of the constraints, that brings it to entries near one where it is large; may be NULL): are these independent, too, there and wherever a velocity is
// aside as well? False where that is not known                  (regular.c)
hml_status hml_singular__is_regular(hml_workspace *w, double t, const double *x, double reach, const double *of_rows, bool *is);
// Reports dependent constraints or missing inertia at a state where that pivot vanishes   fails always: HML_DEPENDENT_CONSTRAINTS, HML_SINGULAR_MASS
hml_status hml_singular__tell(hml_workspace *w, double t, const double *x, const double *scale, size_t rank);
// Is x' infinite, for certain, where a divisor of the equations vanishes in this box of t and states, which is taken to hold such a zero?
hml_status hml_singular__pole(hml_workspace *w, const hml_range *box, bool *is);         // fails: HML_MEMORY
bool hml_model__holonomic(const hml_model *m);                           // has constraints on positions
bool hml_model__needs_projection(const hml_model *m);                    // beside its constraints accelerations lead away from them: combine.c
void hml_model__describe_position(const hml_model *m, const double *x, size_t capacity, char *text);     // "x = 1, theta = 0.5"


// for contacts: a solve at the state, and the response of its factors to further reactions
const double *hml_workspace__inertia(hml_workspace *w);                  // the diagonal of M at the state, where a program of its own gives it; else NULL
hml_status hml_workspace__dynamics(hml_workspace *w);                    // the equations at the state; forces given by functions are called
hml_status hml_workspace__solve(hml_workspace *w);                       // accelerations and multipliers at the state; leaves the factors
const double *hml_workspace__accelerations(const hml_workspace *w);      // after a solve                                             (dyn)
const double *hml_workspace__multipliers(const hml_workspace *w);        // the same                                          (multipliers)
const double *hml_workspace__constraint_rows(const hml_workspace *w);    // A of the last solve, row by row                     (multipliers x dyn)
const double *hml_workspace__kinematics(const hml_workspace *w);         // x_kin' at the state                                       (kin)
// spread.c: sizes up to which M a - r - A^T lambda (dyn) and A a + b (multipliers) can differ in a box of (t, x) from those at the present state,
// at which dynamics are evaluated, with a and lambda held. False: not known, as for forces given by functions. scratch: hml_model__ranges
bool hml_workspace__spread(hml_workspace *w, const hml_range *box, const double *a, const double *lambda, hml_range *scratch, double *forces,
                           double *drifts);
size_t hml_model__ranges(const hml_model *m);
hml_status hml_model__is_sharp(hml_context *c, const hml_model *m, bool *sharp);   // hml_program__is_sharp of the equations of motion
// M a = r + A^T lambda, A a + b = 0 by the factors of the last solve      fails: HML_LOST_DIGITS where solutions are refined
hml_status hml_workspace__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda);
void hml_workspace__shortest(hml_workspace *w, double *lambda);          // of least norm with the same reactions; after a solve
// Of forces over a short time and of impulses of the multipliers, as far as they change the energy; after a solve
double hml_workspace__work(const hml_workspace *w, double time, const double *impulses);
bool hml_model__moves_by_rates(const hml_model *m);                      // x_kin' = x_dyn
const char *hml_model__multiplier_name(const hml_model *m, size_t k);
const char **hml_model__dyn_names(const hml_model *m);                   // of the coordinates behind x_dyn

// ---- names in messages: those whose weight is at least `share` of the largest, as in 'a', 'b' and 'c' with the quote given.
// Returns how many.
size_t hml_names__join(size_t n, const char **names, const double *weights, double share, const char *quote, size_t capacity,
                       char *text);

#endif
