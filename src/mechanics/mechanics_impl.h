// mechanics_impl.h: layout of models and workspaces, shared only inside this room.
#ifndef HML_MECHANICS_IMPL_H
#define HML_MECHANICS_IMPL_H

#include "mechanics.h"

#include "numeric/numeric.h"

#include <pthread.h>

enum {
  HML_MOST_ORDER = 60,                 // of Taylor series
  HML_MOST_UNROLLED = 8000,            // operations of a program with its linear solve written out
  HML_MOST_OF_GRAPH = 200000           // of one made from the energies
};

typedef struct hml_series_store hml_series_store;
typedef struct hml_lane_store hml_lane_store;
typedef struct hml_equation_store hml_equation_store;

// impulse.c: what takes an impulse where it jumps
typedef struct hml_impulse {
  size_t n, n_free, n_positions, n_reactions, n_velocities;   // hml_impulse_spec; n = 0: nothing
  const char **texts;                  // (n)
  hml_program *values, *rate;          // values, then velocities, of t, states, parameters and kept velocities; the tangent along states and kept velocities
  hml_program *directions;             // reactions, then normals (n_reactions + n_branches) x n_free
} hml_impulse;

// model: all its memory is one arena. It is constant once built, except for the stores of series and of equations, which have locks
struct hml_model {
  hml_context *context;                // gave the memory and takes it back
  hml_arena memory;
  const char *name;
  size_t n_kin, n_dyn, n_multipliers, n_parameters, n_externals, n_positions, n_velocities;
  const char **state_names;            // symbols with primes                     (n_kin + n_dyn, and "work")
  const char **parameter_names, **external_names;
  const char **dyn_names, **multiplier_names, **position_names, **velocity_names;
  double *parameter_values;            // (n_parameters)
  bool has_work, has_power, has_multiplier_power, has_energy, has_kinetic;
  bool momenta_kept;                   // velocities are corrected through the last rows of M
  bool *implied, *implied_level[2];    // rows that hold where the others do  (n_multipliers), (n_positions), (n_velocities)
  size_t n_implied, n_implied_level[2];    // how many of them
  bool implied_on_surface;             // these depend on the others only where the constraints hold: all rows are combined (combine.c)
  double *usual_length[2];             // then by level, of each row at usual states; NULL: no row is implied
  double *usual_mass;                  // M_ii at usual states; zero: none, or not needed               (n_dyn)
  bool velocity_is_rate;               // k = x_dyn: the mass matrix is a metric of the positions too
  size_t *mass_first;                  // first column not structurally zero in each row of M   (n_dyn)
  size_t *row_first;                   // the same for each row of A                            (n_multipliers)
  // inputs of every program: t, kin, dyn, parameters, and the externals and coupled multipliers for dynamics and observe; values taken out of x' for its lean program
  hml_program *dynamics;               // k, lower triangle of M, A, r, b, power, multiplier powers; NULL: made from `energies` at the first need
  hml_equation_store *equations;       // where these are then
  hml_places places;                   // where the equations have poles or corners: singular.c
  hml_program *rate;                   // x', then margins that must be positive for it to hold; NULL: solved by multiplier.c
  size_t margins;
  bool by_graph;                       // `rate` is made from the energies
  bool loose_floors;                   // of its pivots: see rate.c
  bool refined;                        // the general solve, refined in quadruple precision, gives x'
  bool from_energies;                  // and so is everything else: hml_model_spec.mass was NULL
  hml_program *energies;               // these, where `rate` is made from them; else NULL
  hml_program *inertia;                // the diagonal of M, where `rate` is made from the energies alone; NULL: from `dynamics`
  bool watches_energies;               // for forces that come and go, in place of a long `rate`
  hml_program *series_source;          // x' and margins again, in the form whose series costs least; may be `rate` itself
  hml_program *swift;                  // by the graph: x', then the pivots that move; else NULL
  hml_program *reactions;              // by the graph under constraints of which none is implied: accelerations, multipliers, margins; else NULL
  const hml_program *solution;         // this, or `rate` by the graph without constraints; NULL: general solve
  size_t at_solution;                  // place of the accelerations among its outputs
  hml_program *guard;                  // floors of these, usual floors, margins that do not move; NULL: there are none
  size_t pivots;
  hml_hoisted fast_guard;
  hml_hoisted fast_rate, fast_source;  // of `swift` or `rate`, of `series_source`: the same without the operations that depend on parameters alone; lean NULL: there are none, or `rate` is both
  const hml_program *running;          // the program evaluated for x': lean, or `rate` if there is no lean or rate has foreign code
  size_t running_margins;
  const hml_program *running_guard;    // NULL: margins must be positive
  hml_entry_code entry;                // machine code of `running`; NULL: none, or there are externals
  hml_program *coupling;               // r, dr/dlambda, for forces that depend on the multipliers; NULL: none do
  bool coupling_linear;                // dr/dlambda is constant in the multipliers
  size_t at_lambda;                    // places of the multipliers among the inputs of dynamics and coupling
  hml_series_store *series;            // Taylor coefficients by their order, each built at the first use
  hml_lane_store *lane_codes;          // for vector lanes, likewise
  hml_program *observe;                // energy, kinetic, as far as known
  hml_program *positions;              // g, dg/dx_kin
  hml_program *velocities;             // f, df/dx_dyn
  hml_program *residuals[2];           // by level: the residuals alone; NULL: as many operations as all of it
  hml_program *correction[2];          // by level: hml_program__correction; NULL: the general way
  size_t correction_margins[2];
  hml_branch *branches;                // branch.c                                (n_branches)
  size_t n_branches, n_held, branch_scratch;   // n_held: the last parameters, which hold them
  hml_impulse impulse;                 // impulse.c
  // places among the outputs of dynamics; k is at 0
  size_t at_mass, at_rows, at_r, at_b, at_power, at_multiplier_power, n_equations;
};

#define COUPLED(m) ((m)->coupling ? (m)->n_multipliers : 0)
#define INPUTS(m) (1 + (m)->n_kin + (m)->n_dyn + (m)->n_parameters + (m)->n_externals + COUPLED(m) + (m)->fast_rate.count + (m)->fast_guard.count + (m)->fast_source.count)

// workspace: one block; fields are grouped by the data on which they depend. FIELD(type, name, count), m the model
#define HML_WORKSPACE_FIELDS(FIELD)                                                                                            \
  /* inputs, by hml_workspace_set_state, _set_parameters and the force */                                                      \
  FIELD(double, in, INPUTS(m))                                                                                                 \
  FIELD(double, force_state, controlled + 1)                                                                                   \
  FIELD(double, fixed, fixed)                                                                                                  \
  FIELD(double, branch_scratch, m->branch_scratch)                                                                             \
  FIELD(double, heading_rates, m->n_branches ? controlled + 1 : 0)                                                             \
  FIELD(double, start_first, controlled + 1)                                                                                   \
  /* by hml_stage__dynamics, hml_stage__observe, hml_stage__level */                                                           \
  FIELD(double, dynamics, m->n_equations)                                                                                      \
  FIELD(double, energy_terms, m->equations ? hml_program_outputs(m->energies) : 0)                                             \
  FIELD(double, inertia, m->inertia ? m->n_dyn : 0)                                                                            \
  FIELD(double, rate, m->rate ? hml_program_outputs(m->rate) + m->pivots : 0)                                                   \
  FIELD(double, least, (m->rate ? m->margins + m->pivots : m->n_dyn + m->n_multipliers) + 1)                                     \
  FIELD(double, bound, m->pivots)                                                                                              \
  FIELD(double, held_floor, m->pivots)                                                                                         \
  FIELD(double, shown, m->pivots)                                                                                              \
  FIELD(double, solution, m->solution ? hml_program_outputs(m->solution) : 0)                                                  \
  FIELD(double, floors, m->guard ? hml_program_outputs(m->guard) : 0)                                                          \
  FIELD(double, correction, m->correction[0] ? hml_program_outputs(m->correction[0]) : 0)                                      \
  FIELD(double, velocity_correction, m->correction[1] ? hml_program_outputs(m->correction[1]) : 0)                             \
  FIELD(double, residual, m->n_positions > m->n_velocities ? m->n_positions : m->n_velocities)                                 \
  FIELD(double, position_length, m->residuals[0] ? m->n_positions : 0)                                                        \
  FIELD(double, position_size, m->residuals[0] ? m->n_positions : 0)                                                          \
  FIELD(double, velocity_length, m->residuals[1] ? m->n_velocities : 0)                                                       \
  FIELD(double, velocity_size, m->residuals[1] ? m->n_velocities : 0)                                                         \
  FIELD(double, observed, 2)                                                                                                   \
  FIELD(double, positions, m->n_positions * (1 + m->n_kin))                                                                    \
  FIELD(double, velocities, m->n_velocities * (1 + m->n_dyn))                                                                  \
  /* by hml_stage__solution: accelerations and multipliers, factors of the mass matrix and of the Schur complement */          \
  FIELD(double, a, m->n_dyn)                                                                                                   \
  FIELD(double, lambda, m->n_multipliers)                                                                                      \
  FIELD(double, mass_l, m->n_dyn * (m->n_dyn + 1) / 2)                                                                         \
  FIELD(double, mass_inverse, m->n_dyn)                                                                                        \
  FIELD(double, row_y, m->n_multipliers * m->n_dyn)                                                                            \
  FIELD(double, row_w, m->n_multipliers * m->n_dyn)                                                                            \
  FIELD(double, schur, m->n_multipliers * (m->n_multipliers + 1) / 2)                                                          \
  FIELD(double, schur_inverse, m->n_multipliers)                                                                               \
  /* the rows solved with, where some are implied by them: their numbers, copies */                                             \
  FIELD(size_t, kept, m->n_multipliers)                                                                                        \
  FIELD(size_t, kept_first, m->n_implied ? m->n_multipliers : 0)                                                               \
  FIELD(double, kept_rows, m->n_implied ? m->n_multipliers * m->n_dyn : 0)                                                     \
  FIELD(double, kept_b, m->n_implied ? m->n_multipliers : 0)                                                                   \
  FIELD(double, kept_side, m->n_implied ? m->n_multipliers : 0)                                                                \
  FIELD(double, combination, m->implied_on_surface ? m->n_multipliers * m->n_multipliers : 0)                                           \
  FIELD(double, fix_combination, large * large)                                                                                \
  FIELD(double, fix_rows, large * large)                                                                                       \
  FIELD(double, spread, m->n_multipliers)                                                                                      \
  /* the full matrix, where the mass matrix alone does not suffice */                                                          \
  FIELD(double, kkt, kkt * kkt)                                                                                                \
  FIELD(double, kkt_scale, kkt)                                                                                                \
  FIELD(double, refined, 2 * kkt)                                                                                              \
  FIELD(double, kkt_x, 3 * kkt)                                                                                                \
  FIELD(double, response, 3 * kkt)                                                                                             \
  FIELD(size_t, kkt_pivots, 2 * kkt)                                                                                           \
  /* corrections onto constraints: rows x columns at most large x large */                                                     \
  FIELD(double, fix_y, large * large)                                                                                          \
  FIELD(double, fix_w, large * large)                                                                                          \
  FIELD(double, fix_schur, large * (large + 1) / 2)                                                                            \
  FIELD(double, fix_schur_inverse, large)                                                                                      \
  FIELD(double, fix_x, large)                                                                                                  \
  FIELD(double, fix_mu, large)                                                                                                 \
  FIELD(double, svd_u, large * large)                                                                                          \
  FIELD(double, svd_v, large * large)                                                                                          \
  FIELD(double, svd_s, 3 * large)                                                                                              \
  FIELD(double, start, 4 * controlled)                                                                                         \
  FIELD(double, start_in, INPUTS(m))                                                                                          \
  FIELD(double, start_out, m->n_positions * (1 + m->n_kin) + m->n_velocities * (1 + m->n_dyn))                                 \
  FIELD(size_t, free_index, large)                                                                                             \
  /* by hml_coupling__solve: r and dr/dlambda, factors of 1 - G R, multipliers of the first forces and of another solution; scratch */         \
  FIELD(double, coupling, COUPLED(m) * m->n_dyn + (COUPLED(m) ? m->n_dyn : 0))                                                     \
  FIELD(double, coupling_lu, COUPLED(m) * COUPLED(m))                                                                              \
  FIELD(size_t, coupling_pivots, 2 * COUPLED(m))                                                                                   \
  FIELD(double, coupling_free, COUPLED(m))                                                                                         \
  FIELD(double, coupling_last, COUPLED(m))                                                                                          \
  FIELD(double, coupling_found, COUPLED(m))                                                                                        \
  FIELD(double, coupling_a, COUPLED(m) ? m->n_dyn : 0)                                                                             \
  FIELD(double, coupling_r, COUPLED(m) ? m->n_dyn : 0)                                                                             \
  FIELD(double, coupling_b, COUPLED(m))                                                                                            \
  FIELD(double, coupling_x, COUPLED(m))                                                                                            \
  FIELD(double, coupling_phi, m->n_multipliers)                                                                                    \
  FIELD(double, coupling_step, 2 * COUPLED(m))                                                                                     \
  FIELD(double, coupling_next, COUPLED(m))                                                                                         \
  /* constants and scratch */                                                                                                  \
  FIELD(size_t, all_rows, m->n_multipliers)                                                                                    \
  FIELD(size_t, from_zero, large)                                                                                              \
  FIELD(size_t, from_diagonal, large)                                                                                          \
  FIELD(double, ones, large)                                                                                                   \
  FIELD(double, identity_l, large * (large + 1) / 2)                                                                           \
  FIELD(double, scratch, 4 * large)                                                                                            \
  FIELD(double, work, work_size)

// A program of tangents and its arrays, built at the first use
typedef struct hml_tangent {
  hml_program *program;                // in: the inputs of the other program, then seeds; out: its outputs, then tangents
  double *block;
  size_t size;                         // doubles of the block
  double *in, *out, *work;
} hml_tangent;

// Another order of elimination: x', then margins
typedef struct hml_order {
  hml_program *rate;
  size_t margins;
  double *block;                       // outputs and scratch
  size_t size;                         // doubles of the block
} hml_order;

enum { HML_MOST_ORDERS = 3 };          // beside that of the model

typedef struct hml_orders {
  hml_order list[HML_MOST_ORDERS];
  size_t count, present;               // present: the last that held
  double debt;                         // what general solves have cost since the last one was made, in operations
  unsigned failures;                   // orders that did not hold at their own state
  bool on;
} hml_orders;

// Quadruple precision, at the first use
typedef struct hml_quads {
  hml_quad *block, *in, *out, *values; // of the program of the equations; out: at the state last solved so
  hml_quad *z;                         // accelerations and multipliers                        (n_dyn + n_multipliers)
  hml_quad *solution;                  // the same, of the state last solved                           (n_dyn + n_multipliers)
  hml_quad *side;                      // a right-hand side                                            (n_dyn + n_multipliers)
  hml_quad *rates;                     // of the kinematic states                                      (n_kin)
  hml_quad *tangent;                   // inputs, outputs and values of the tangent program
  double *step;                        // sides and corrections                           (4 (n_dyn + n_multipliers))
  size_t count, steps, tangents;       // of the blocks
} hml_quads;

typedef struct hml_valid {
  bool externals, dynamics, observed, positions, velocities, solution, graph;
} hml_valid;

// What x' takes beside the code of its entry: everything, or this is not known; the work and margins; nothing
typedef enum hml_surroundings { HML_SURROUNDED, HML_FEW, HML_BARE } hml_surroundings;

struct hml_workspace {
  hml_context *context;
  const hml_model *model;
  hml_force force;
  void *payload;                       // of the force
  double work_done;                    // last state, where energy is balanced by work
  bool has_state;
  bool holds;                          // branches stay as they are, whatever the state
  int heading;                         // 1, -1: the motion begins here, in that direction of time (hml_workspace__head)
  hml_valid valid;                     // for the present state
  size_t handed_over;                  // states at which a margin of x' failed and the general solve took its place
  size_t reordered;                    // the same, and another order took it
  size_t looked;                       // both, in checks of a run (hml_workspace__recount)
  hml_orders orders;
  bool solved_by_kkt;                  // which factors the solution stage left behind
  bool combined;                       // the rows solved with are combinations (combine.c), else some of the model's
  const hml_program *equations;        // of the model; NULL: not needed so far
  double *equations_work;              // scratch of that program, a block of its own where it was made on demand
  unsigned coupling_unchecked;         // solutions since other ones were looked for; 0: before the first look
  double *row_length[2], *row_size[2]; // by level: of rows and of the variables in them at the last full check
  unsigned lengths_serve[2];           // checks that they are good for
  bool watched;                        // bounds of pivots count (hml_workspace__watch)
  bool guard_due;                      // no bounds are set: the next evaluation asks the guard
  bool guard_failed;                   // at the last evaluation
  bool regular;                        // margins that depend on parameters alone are positive
  hml_surroundings surroundings;       // of the code of the entry, as found at the last careful evaluation
  double *entry_margins;               // where that code puts its margins
  hml_tangent tangent, variation, columns;       // of dynamics, of rate along states, of rate without margins along t and states
  hml_tangent product;                 // M u; seeds are u
  hml_quads quads;
  char *block;
  size_t block_size;                   // bytes
#define FIELD(type, name, count) type *name;
  HML_WORKSPACE_FIELDS(FIELD)
#undef FIELD
};

// ---- rate.c: programs of x' and of its series
typedef struct hml_list {
  hml_expr *data;
  size_t count;
} hml_list;

// inputs: t, kin, dyn, parameters, externals; equations: outputs of `dynamics`, which is already built
hml_status hml_rate__find_usual_mass(hml_model *m);                      // after `dynamics`
hml_status hml_rate__build(hml_model *m, const hml_model_spec *s, hml_arena *passing, const hml_list *inputs, const hml_list *equations);
// From the energies alone; *enough false: they do not suffice, and nothing was made
hml_status hml_rate__from_energies(hml_model *m, const hml_model_spec *s, hml_arena *passing, const hml_list *inputs, hml_status (*prepare)(hml_model *m), bool *enough);
hml_status hml_rate__refuse_graph(const hml_model *m, const char *why);   // fails always: HML_UNSUPPORTED
// exact.c: x' by exact algebra; *rate is NULL where the model is not small or has no such solution in few terms. operations: of x' by another way
hml_status hml_exact__rate(const hml_model *m, hml_arena *passing, const hml_list *inputs, const hml_list *equations, size_t operations, hml_program **rate,
                           size_t *margins);
hml_program *hml_rate__evaluated(const hml_model *m);                    // the program of x' in runs; NULL: there is none
hml_status hml_rate__compile_entry(hml_model *m);
void hml_rate__choose(hml_model *m, bool whole);                         // which of the programs runs
void hml_rate__sample(const hml_model *m, size_t which, size_t all, double *in);   // inputs of sample number `which`
hml_status hml_rate__weighted(hml_context *c, const hml_model *m, hml_program **out);   // x' once more with the rows in M; NULL: too long
hml_pivot_floors hml_rate__floors(const hml_model *m);                                 // of the graph
void hml_rate__free(hml_model *m);

// ---- drift.c: are the residuals of a level so small that a full check would leave them alone?
hml_status hml_drift__build(hml_model *m);                               // after the corrections
bool hml_drift__small(hml_workspace *w, int which, hml_project_limits limits);   // false also where it is not known
void hml_drift__keep(hml_workspace *w, int which, const double *lengths, const double *sizes);   // found by a full check        (rows)
void hml_drift__forget(hml_workspace *w);

// ---- guard.c: x' and its pivots were just evaluated from the inputs of the workspace; false: one is not above its floor
bool hml_guard__holds(hml_workspace *w, const double *pivots);

// ---- orders.c: x' at the state in `in`, where the order of the model fails, by another one; *found false: by none
hml_status hml_orders__rate(hml_workspace *w, double *out, bool *found);
void hml_orders__close(hml_workspace *w);

// ---- variation.c: the Jacobian of x' by its tangents, as hml_state_jacobian; *done is false where a pivot is too small or a number not finite
hml_status hml_variation__columns(hml_workspace *w, double *dfdx, double *dfdt, bool *done);

// ---- equations.c: the program of the equations, made from the energies when it is needed first
hml_graph_layout hml_equations__layout(const hml_model *m);              // of `energies`: L, forces, functions of the constraints, powers, then what the caller adds
hml_status hml_equations__make(hml_context *c, const hml_model *m, hml_program **out);
hml_status hml_equations__open(hml_model *m);                            // they will be made on demand
void hml_equations__close(hml_model *m);
hml_status hml_equations__need(hml_workspace *w);                        // w->equations

// ---- agreement.c: samples at which a program of x' was compared with the general solve
typedef struct hml_agreement {
  size_t agreeing, differing;          // it stops at the first that differs
} hml_agreement;
hml_status hml_agreement__find(const hml_model *m, const hml_program *p, size_t margins, hml_agreement *found);
// The same where everything is made from the energies: Lagrange's equations of these must hold (hml_program__residual). m->rate is not set so far
hml_status hml_agreement__of_energies(const hml_model *m, const hml_program *p, size_t margins, hml_agreement *found);

// ---- shelf.c
typedef struct hml_shelf {
  pthread_mutex_t lock;
  hml_context *context;
} hml_shelf;

hml_status hml_shelf__open(hml_context *c, const char *what, hml_shelf *out);
void hml_shelf__close(hml_shelf *s);
void hml_shelf__enter(hml_shelf *s, hml_context *c);                        // c: interrupts what is made meanwhile
hml_status hml_shelf__leave(hml_shelf *s, hml_context *c, hml_status status);    // returns the status; c takes over a failure

// ---- series.c, lane_codes.c
hml_status hml_series_store__new(hml_context *c, hml_series_store **out);
void hml_series_store__free(hml_context *c, hml_series_store *s);
hml_status hml_lane_store__new(hml_context *c, hml_lane_store **out);
void hml_lane_store__free(hml_context *c, hml_lane_store *s);

// ---- branch.c
hml_status hml_branch__build(hml_model *m, const hml_model_spec *s);
void hml_branch__free(hml_model *m);
void hml_branch__put_names(const hml_model *m, size_t capacity, char *text);   // what the parameters that hold sides stand for, in place of their names
hml_status hml_branch__align(hml_workspace *w);                          // the sides at the state in `in`

// ---- impulse.c
hml_status hml_impulse__build(hml_model *m, const hml_model_spec *s);
void hml_impulse__free(hml_model *m);

// ---- workspace.c: tangents of the program `of` along its inputs first ... first + count - 1; native: as machine code. On failure g is empty
hml_status hml_tangent__fill(hml_workspace *w, hml_tangent *g, bool native);   // arrays for g->program; on failure g is empty
hml_status hml_stage__open_tangent(hml_workspace *w);                    // w->tangent, at the first use
hml_status hml_tangent__open(hml_workspace *w, hml_tangent *g, const hml_program *of, size_t first, size_t count, bool native);

// ---- stages.c: quantities that follow from a state, each computed once
hml_status hml_stage__inputs(hml_workspace *w);                          // a state was set, and the externals are known there
hml_status hml_stage__dynamics(hml_workspace *w);
hml_status hml_stage__rate(hml_workspace *w, bool *holds);
// Accelerations and multipliers by the graph alone, without factors; NULL: the general solve has to find them
hml_status hml_stage__by_graph(hml_workspace *w, const double **solution);
hml_status hml_stage__observe(hml_workspace *w);
hml_status hml_stage__solution(hml_workspace *w);
static inline void hml_stage__moved(hml_workspace *w) {                  // the state in `in` was changed
  w->valid = (hml_valid){false};
}
void hml_stage__set(hml_workspace *w);                                   // the parameters in `in` were changed

// Constraints on one level: residual(variables) = 0
typedef struct hml_level {
  size_t rows, columns;
  const char **row_names, **variable_names;
  double *variables;                   // inside `in`                                             (columns)
  const double *residual, *jacobian;   // by hml_stage__level                                     (rows), (rows x columns)
  const hml_program *program;          // NULL: no constraints
  bool *valid;
  double *out;
} hml_level;

enum { HML_POSITION_LEVEL, HML_VELOCITY_LEVEL };
hml_level hml_level__of(hml_workspace *w, int which);
bool hml_level__finite(hml_workspace *w, const hml_level *level);        // evaluates where needed; false: something is not finite
hml_status hml_stage__level(hml_workspace *w, const hml_level *level);   // the same, as a failure that names the expression
// Largest of |residual| / (|row| (atol + rtol size)), size the norm of the variables that occur in the row: how far the state is
// off, relative to its tolerance. *which: the row.
double hml_level__size(const hml_level *level, const double *row);       // norm of the variables that occur in it
double hml_level__excess(const hml_level *level, double rtol, double atol, size_t *which);

// ---- multiplier.c
hml_status hml_multiplier__solve(hml_workspace *w);                      // a and lambda; leaves the factors
// the same factors, another right-hand side
void hml_multiplier__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda);
bool hml_multiplier__factor_mass(hml_workspace *w, double floor);        // of its pivots, as hml_dense__factor
void hml_multiplier__shortest(hml_workspace *w, double *lambda);         // of least norm with the same reactions; only after a solve

// ---- refine.c
hml_status hml_refine__open(hml_workspace *w);                           // room, at the first use
void hml_refine__close(hml_workspace *w);
// By how many units of its last place the input i (0: the time) is moved: every third one back; units < 0: all of them ahead, as a product of two that move
// against each other does not change
double hml_refine__shift(size_t i, double units);
// M, A, r, b at the inputs of the workspace, the states moved by up to `units` of their last place
void hml_refine__evaluate(hml_workspace *w, double units);
void hml_refine__begin(hml_workspace *w, const double *a, const double *lambda);      // z
// What the solution z leaves of M a = r + A^T lambda and A a + b = 0; r, b NULL: those of the state
void hml_refine__residual(const hml_workspace *w, const hml_quad *r, const hml_quad *b, double *of_r, double *of_b);
// Corrects z until it settles. False: the factors have too few digits for that
bool hml_refine__correct(hml_workspace *w, const hml_quad *r, const hml_quad *b);
double hml_refine__largest(size_t n, const double *x);                   // infinite where an entry is not finite
double hml_refine__size(size_t n, const hml_quad *x);
// The solution at the state, from that of hml_multiplier__solve, in `solution` and z. False: not found
bool hml_refine__solution(hml_workspace *w, double units);
// The same into the workspace, with the equations at the state        fails: HML_LOST_DIGITS
hml_status hml_refine__solve(hml_workspace *w);
// After that: the result of hml_multiplier__resolve                   fails: HML_LOST_DIGITS
hml_status hml_refine__side(hml_workspace *w, const double *r, const double *b, double *a, double *lambda);
// After that: derivatives of a and lambda along the direction in w->tangent.in, and of the equations, into w->tangent.out; *tangents: the latter, and z the
// former, in quadruple precision       fails: HML_LOST_DIGITS
hml_status hml_refine__tangent(hml_workspace *w, double *da, double *dlambda, const hml_quad **tangents);
// M is singular in doubles: is that since its entries differ by many orders of magnitude? *pivot: its least one in quadruple precision, M scaled to a diagonal of ones
bool hml_refine__regular(hml_workspace *w, double *pivot);
// For any model, at a state that is set: derivatives of x_kin' and x_dyn' along component i of the state, after _open_columns
hml_status hml_refine__open_columns(hml_workspace *w);
hml_status hml_refine__column(hml_workspace *w, size_t i, hml_quad *column);

// ---- combine.c: rows of which some are implied where the constraints hold, as combinations of all
hml_status hml_combine__build(hml_model *m);                             // implied_on_surface; after the programs of the levels
double hml_combine__unit(const double *usual, size_t k, double length);  // by what row k of this length is divided; usual NULL: its length
// Of the m rows of A (m x n) as many combinations as their rank (rank x m); false: they have not this rank. fixed: in units that do not depend on the
// state, so that a row that vanishes is seen to vanish. floor: of singular values
bool hml_combine__rows(hml_workspace *w, size_t m, size_t n, const double *A, const double *usual, bool fixed, size_t rank, double floor, double *combination);
// These combinations of A and of b                                                    (rank x n), (rank)
void hml_combine__apply(size_t m, size_t n, const double *A, const double *b, size_t rank, const double *combination, double *rows, double *sides);

// ---- project.c
hml_status hml_project__ranks(hml_workspace *w, double t, const double *x, size_t ranks[2]);     // of the rows by level
// As hml_project by plain length, by these ranks in place of those of the rows beside the constraints; *done false: it leads nowhere, and x is as it was
hml_status hml_project__at_ranks(hml_workspace *w, double t, const size_t ranks[2], double rtol, double atol, double *x, bool *done);

// ---- rank.c
// Numbers of rows of a (m x n) that do not depend on each other, the largest taken first, an early one before a late one of about its size;
// ascending. Rows shorter than `floor` times their length beside those taken depend on them. work: m x n. Returns how many
size_t hml_rank__choose(size_t m, size_t n, const double *a, double floor, double *work, size_t *kept);

// Refuses a place where the row of a constraint is zero and grows beside it        fails: HML_UNSUPPORTED; the state is x in any case
hml_status hml_rank__lengths(hml_workspace *w, double t, const double *x);

// ---- coupling.c
bool hml_coupling__begin(hml_workspace *w);                              // dynamics with multipliers at which forces have values; false: none found
hml_status hml_coupling__solve(hml_workspace *w);                        // after hml_multiplier__solve, where the model has a coupling
void hml_coupling__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda);   // as hml_multiplier__resolve

// ---- singular.c
enum { HML_NO_INERTIA_TEXT = 700 };
// "no inertia along" the accelerations in `names`, and which inertia is negative at the state where the equations were evaluated
void hml_singular__no_inertia(const hml_workspace *w, const char *names, size_t capacity, char *out);
// the pivots of a solve outside x' enter the minimum of hml_workspace__least
void hml_margins__note(hml_workspace *w);

#endif
