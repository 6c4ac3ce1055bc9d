// mechanics.h: door of the room: model (constant) and workspace (one thread's).
//
// The one shape of all equations:   x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.
#ifndef HML_MECHANICS_H
#define HML_MECHANICS_H

#include "program/program.h"

typedef struct hml_model_sizes { size_t kin, dyn, multipliers, parameters, externals, constrained; } hml_model_sizes;   // constrained: residuals to project onto

hml_context *hml_workspace__context(const hml_workspace *w);             // where the workspace tells its failures
const hml_model *hml_workspace__model(const hml_workspace *w);
const char *hml_model__name(const hml_model *m);
const char *hml_model__state_name(const hml_model *m, size_t i);         // "x", "x'", ..., "work"
hml_status hml_workspace__rate(hml_workspace *w, double t, const double *x, double *out);   // x' at (t, x), which becomes the state
// x', then margins, from the inputs of a workspace, without what parameters give (hml_model_rate is the whole); NULL: no program
const hml_program *hml_model__lean_rate(const hml_model *m);
size_t hml_model__lean_margins(const hml_model *m);
// Taylor coefficients of x up to an order, then margins that must be positive for them to hold, kept by the model from the first time on: several threads ask only for what is there. From the
// order HML_EXACT_ORDER on they are for quadruple precision: no constant in them is rounded to a double
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
// Residuals up to (atol + rtol size) |row| are as good as zero; those corrected once go down to rounding, rounding size |row|
typedef struct hml_project_limits { double rtol, atol, rounding; } hml_project_limits;
hml_project_limits hml_project__limits(double rtol, double atol);
// t, kin, dyn, parameters, externals, and what programs of x' take from the parameters once; all that the programs of a model read
const double *hml_workspace__inputs(const hml_workspace *w);
bool hml_workspace__regular(const hml_workspace *w);                     // no pivot vanishes by the values of the parameters alone
hml_model_sizes hml_model__sizes(const hml_model *m);
size_t hml_model__externals(const hml_model *m);                         // 0: hml_state_jacobian is exact

// ---- singular.c: how far a state is from a place where the equations do not determine the accelerations
// Margins: pivots of the solve, each in a unit of its own; all shrink to zero where the matrices become singular
size_t hml_workspace__margins(const hml_workspace *w);
void hml_workspace__margins_now(const hml_workspace *w, double *out);    // of the state last evaluated
double *hml_workspace__least(hml_workspace *w);                          // the least ones since the owner last set them
// Witnesses that vanish where the equations have a pole or a corner (hml_program__places); program NULL: none
const hml_places *hml_model__places(const hml_model *m);
// "'cone' has no derivative where sqrt(...) = 0": place k with the constraints that read it
void hml_model__describe_place(const hml_model *m, size_t k, size_t capacity, char *text);
// Scales that bring the entries of [[M, A^T], [A, 0]] at a state near one                                        (n_dyn + n_multipliers)
hml_status hml_singular__scale(hml_workspace *w, double t, const double *x, double *scale);
// The smallest pivot of the scaled matrix relative to the largest, and the product of all; they go with squares of distances from a singular
// place. *rank SIZE_MAX: becomes the rank there; else the pivot of that rank
hml_status hml_singular__pivot(hml_workspace *w, double t, const double *x, const double *scale, size_t *rank, double *pivot, double *volume);
// Names what is dependent or without inertia at a state where that pivot vanishes         fails always: HML_DEPENDENT_CONSTRAINTS, HML_SINGULAR_MASS
hml_status hml_singular__tell(hml_workspace *w, double t, const double *x, const double *scale, size_t rank);
bool hml_model__holonomic(const hml_model *m);                           // has constraints on positions
void hml_model__describe_position(const hml_model *m, const double *x, size_t capacity, char *text);     // "x = 1, theta = 0.5"


// ---- contact.c: gaps and frictions at a state, and the accelerations in a mode
typedef enum hml_friction_state { HML_FREE, HML_STICK, HML_SLIP } hml_friction_state;   // FREE: nothing presses

typedef struct hml_mode {
  size_t n_gaps, n_frictions;
  bool *closed;                        // (n_gaps)
  hml_friction_state *friction;        // (n_frictions)
  double *direction;                   // unit vector of the slip, for a slip that is still zero   (2 n_frictions)
} hml_mode;

typedef struct hml_contact_sizes { size_t gaps, slips, tangents, frictions, rows; } hml_contact_sizes;

hml_status hml_contacts__new(hml_workspace *w, const hml_model_spec *symbols, const hml_contact_spec *spec, hml_contacts **out);
void hml_contacts__free(hml_contacts *c);
hml_contact_sizes hml_contacts__sizes(const hml_contacts *c);
const char *hml_contacts__gap_name(const hml_contacts *c, size_t i);
const char *hml_contacts__friction_name(const hml_contacts *c, size_t j);
const hml_mode *hml_contacts__mode(const hml_contacts *c);               // the one in force
void hml_contacts__set_mode(hml_contacts *c, const hml_mode *mode);
size_t hml_mode__bytes(const hml_contacts *c);                           // a mode in one block, for keeping
void hml_mode__store(const hml_contacts *c, void *block);
void hml_mode__restore(hml_contacts *c, const void *block);

hml_status hml_contacts__set_state(hml_contacts *c, double t, const double *x);
hml_status hml_contacts__check_start(hml_contacts *c);                   // normal forces that are expressions
hml_status hml_contacts__rate(hml_contacts *c, double *f);               // x' in the mode
// The same at (t, x), which becomes the state: as fast as without contacts where nothing is closed
hml_status hml_contacts__rate_at(hml_contacts *c, double t, const double *x, double *f);
// in the mode; each may be NULL: accelerations, multipliers, reactions of gaps and slips
hml_status hml_contacts__solution(hml_contacts *c, double *a, double *lambda, double *z);
hml_status hml_contacts__project(hml_contacts *c, double rtol, double atol, double *x, bool *moved);   // onto closed gaps and stick
// Guards of the mode: per gap the gap or its reaction; per friction the slip along its direction or the room left in the cone; per
// friction the room left by others of the cone while it slips. Values of those asked for.
hml_status hml_contacts__guards(hml_contacts *c, double *gap, double *friction, double *cone);
hml_status hml_contacts__velocities(hml_contacts *c, const double **u);  // g', slips, tangents
hml_status hml_contacts__gaps(hml_contacts *c, const double **g);

// ---- mode.c: which contacts persist, which frictions stick
// Among gaps marked `touching` (zero gap, zero approach); on return the mode is set. leave (gaps, then frictions): not closed and not
// sticking any more where that is possible. several: more than one solution exists
hml_status hml_contacts__select(hml_contacts *c, const bool *touching, const bool *leave, bool *several);
bool hml_contacts__gap_at_rest(hml_contacts *c, size_t gap);             // no approach beyond rounding
double hml_contacts__gap_acceleration(hml_contacts *c, size_t gap);      // g'' in the mode, after hml_contacts__solution
double hml_contacts__capture(const hml_contacts *c, size_t gap);         // speed below which an impact ends in contact

// ---- impact.c: velocities after an impact
// The user's law: velocities before of gap and rough rows; wanted ones after
typedef hml_status (*hml_law)(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                              double *wanted_rough);   // as in hml_hybrid_callbacks
// Gaps in `hit` strike, those closed in the mode take part. plastic: without restitution. Changes x; impulses (rows) of gaps, slips, tangents.
hml_status hml_contacts__impact(hml_contacts *c, const bool *hit, bool plastic, hml_law law, void *payload, double *x, double *impulses);

// ---- timestep.c: all contacts over one short step
typedef struct hml_step_report {
  const double *impulses;              // of gaps and slips, until the next call on these contacts
  double work, lowest, unsettled;      // of the impulses; the lowest gap; what the last sweep still changed, 0: settled
  size_t strikes;                      // a gap whose impulse is an impact's; SIZE_MAX: none
  int sweeps;
} hml_step_report;

// The state is (t + h/2, q in the middle of the step, any velocities); v: at the start of the step, then at its end
hml_status hml_contacts__step(hml_contacts *c, double h, double *v, hml_step_report *report);
// Accelerations and multipliers at the state under given reactions z of gaps and slips
hml_status hml_contacts__forced(hml_contacts *c, const double *z, double *a, double *lambda);

#endif
