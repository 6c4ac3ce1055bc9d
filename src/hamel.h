// hamel.h: the public C interface of Hamel, a workbench for analytical dynamics.
//
// Licence: GPL-3.0-or-later (GSL requires it of what links with it).
// Conventions
//   - Order of parameters: object, inputs (const), outputs. What comes through an out parameter or from a `_new`
//     is yours, to be freed by its `_free` (a text: hml_free, an expression: with its context); what a getter returns belongs to its
//     object and ends with it.
//   - A context is used by one thread. Programs, models, discrete maps and shapes of contacts are constant once built: threads may share
//     them, each with a context and workspaces of its own. A workspace belongs to one thread.
//   - Functions return a status; the first failure keeps its message in the context (hml_context_error).
//     Constructors of expressions return NULL on failure and accept NULL, so nested calls need one check at the end.
//   - `fails:` names the statuses of a function apart from HML_MEMORY, HML_INTERRUPTED and HML_INTERNAL, which any of them may
//     return; "nothing else": with these three at most. A NULL expression fails with the status that its constructor left in the context, or with HML_ARGUMENT.
//     After a failure the contents of out parameters are not defined, but a pointer to what would be yours is NULL.
//   - Units are those of the caller's equations, the same throughout: forces x lengths are energies. Angles are in radians.
//   - examples/c/sleigh.c is a whole program.
//   - Reactions are + A^T lambda: M a = r + A^T lambda, A a + b = 0.
//   - GSL's error handler is process-wide: it is switched off by the first hml_context_new (GSL functions then return statuses).
//   - The memory functions of GMP and FLINT are process-wide: the first exact computation installs ours, which ask malloc and behave as
//     before outside of Hamel's calls. A process that has set its own keeps them; then a lack of memory, and a limit inside of a call of
//     these libraries, end as those functions decide. Exact algebra empties FLINT's caches of the thread it runs on (flint_cleanup).
#ifndef HAMEL_H
#define HAMEL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HML_API __attribute__((visibility("default")))
#define HML_FORMAT(a, b) __attribute__((format(printf, a, b)))
#else
#define HML_API
#define HML_FORMAT(a, b)
#endif

// ---- status ---------------------------------------------------------------------------------------------------------
// One row per failure: name, what it says, what to do. Enum, texts and tests are made from these rows.
// clang-format off
#define HML_STATUS_ROWS(ROW) \
  ROW(OK,                    "no failure",                              "")                                                                                                               \
  ROW(MEMORY,                "not enough memory",                       "free something or ask for less")                                                                                 \
  ROW(INTERRUPTED,           "interrupted",                             "what was finished is kept")                                                                                      \
  ROW(ARGUMENT,              "bad argument",                            "see the message")                                                                                                \
  ROW(UNKNOWN_SYMBOL,        "a symbol has no value",                   "see the message")                                                                                                \
  ROW(UNDEFINED,             "undefined expression",                    "see the message")                                                                                                \
  ROW(SYNTAX,                "text is not an expression",               "see the message")                                                                                                \
  ROW(LIMIT,                 "a limit was reached",                     "raise the limit or simplify the input")                                                                          \
  ROW(SINGULAR_MASS,         "the mass matrix is singular",             "give every coordinate inertia, or tie it by a constraint; at a coordinate singularity choose other coordinates") \
  ROW(DEPENDENT_CONSTRAINTS, "constraints depend on each other",        "start elsewhere, or end the run before this place")                                                              \
  ROW(SINGULAR,              "the equations are singular",              "end the run before this time, or take a form or coordinates that are regular there")                              \
  ROW(CONTRADICTION,         "constraints contradict each other",       "check the constraints named")                                                                                    \
  ROW(INCONSISTENT_START,    "the start violates a constraint",         "see the message")                                                                                                \
  ROW(NOT_FINITE,            "a value is not finite",                   "check the expression named and the start")                                                                       \
  ROW(STEP_COLLAPSED,        "the step size collapsed",                 "look for a singularity near this time, or loosen the tolerance")                                                 \
  ROW(TOO_MANY_STEPS,        "the limit of steps was reached",          "raise max_steps, shorten the run or choose a method for stiff systems")                                          \
  ROW(PROJECTION,            "the projection onto the constraints did not converge", "start closer to the constraints or tighten the tolerance")                                          \
  ROW(NO_CONTACT_MODE,       "contact, slip and stick have no consistent combination", "see the message")                                                                                  \
  ROW(PENETRATION,           "a one-sided constraint is violated inside the run",      "take smaller tolerances, or max_step")                                                                \
  ROW(NO_UNIQUE_MOTION,      "contact and friction leave several motions possible", "several = \"take\" goes on with the one that sticks most")                                              \
  ROW(NO_UNIQUE_REACTION,    "forces that depend on multipliers have no unique solution", "a jam (Painleve): change the coefficient of friction or the start")                   \
  ROW(EVENT,                 "a terminal event was met",                "run.events keeps it")                                                                                                               \
  ROW(CALLBACK,              "a user's function failed",                "see its message")                                                                                                \
  ROW(UNSUPPORTED,           "not supported",                           "see the message")                                                                                                \
  ROW(INTERNAL,              "internal error",                          "please report it with the script")
// clang-format on
typedef enum hml_status {
#define HML_STATUS_NAME(name, what, advice) HML_##name,
  HML_STATUS_ROWS(HML_STATUS_NAME)
#undef HML_STATUS_NAME
  HML_STATUS_COUNT
} hml_status;

typedef struct hml_error {
  hml_status status;                   // HML_OK when nothing failed
  char message[1000];                  // what and where, without the advice
} hml_error;

HML_API const char *hml_status_name(hml_status status);              // "DEPENDENT_CONSTRAINTS"
HML_API const char *hml_status_what(hml_status status);              // one line: what the failure means
HML_API const char *hml_status_advice(hml_status status);            // one line: what to do
HML_API const char *hml_version(void);                               // "0.1.0"

// ---- context --------------------------------------------------------------------------------------------------------
typedef struct hml_context hml_context;
// Like realloc and free in one: new_size 0 frees and returns NULL. The signature is Lua's.
typedef void *(*hml_allocator)(void *payload, void *block, size_t old_size, size_t new_size);

HML_API hml_context *hml_context_new(hml_allocator allocator, void *payload);   // NULL, NULL: malloc. Yours; NULL when out of memory
HML_API void hml_context_free(hml_context *c);                                  // after everything made with it
HML_API const hml_error *hml_context_error(const hml_context *c);               // the first failure since the last clear; the context's
HML_API void hml_context_clear_error(hml_context *c);
HML_API volatile int *hml_context_interrupt_flag(hml_context *c);               // the context's; set it (from a signal handler too) to stop long work
HML_API void hml_context_set_interrupt_flag(hml_context *c, volatile int *flag);  // share one flag between contexts, which stays yours; NULL: own again
HML_API size_t hml_context_node_count(const hml_context *c);                    // expressions alive
HML_API size_t hml_context_bytes(const hml_context *c);                         // held through it, long numbers included
HML_API void hml_context_sweep(hml_context *c);                                 // frees every expression that no kept one reaches
HML_API void hml_free(hml_context *c, char *text);                              // a text returned by a print function

// ---- expressions ----------------------------------------------------------------------------------------------------
// Immutable and interned: two expressions of one structure are one pointer. An expression lives until the next
// hml_context_sweep unless something kept reaches it.
typedef const struct hml_node *hml_expr;

typedef enum hml_kind { HML_NUMBER, HML_FLOAT, HML_SYMBOL, HML_SUM, HML_PRODUCT, HML_POWER, HML_CALL } hml_kind;

// An elementary function: a number from hml_function_find; the rows stand in src/expr/functions.def.
typedef int hml_function;

// What a symbol is; part of its identity, so x (positive) and x (real) are two symbols.
enum {
  HML_POSITIVE = 1,                    // > 0; every symbol is real
  HML_DYNAMIC = 2,                     // an unknown function of time: its time derivative is the symbol of the next order
  HML_TIME = 4,                        // the time itself
  HML_EXTERNAL = 8                     // a value supplied from outside at run time (no derivative)
};

HML_API void hml_keep(hml_context *c, hml_expr e);                   // counted
HML_API void hml_release(hml_context *c, hml_expr e);

HML_API hml_expr hml_integer(hml_context *c, int64_t value);
HML_API hml_expr hml_rational(hml_context *c, int64_t numerator, int64_t denominator);
HML_API hml_expr hml_decimal(hml_context *c, const char *text);      // exact: "0.1", "1/3", "-2.5e-3"
HML_API hml_expr hml_from_double(hml_context *c, double value);      // exact where a short fraction or decimal was meant, else inexact
HML_API hml_expr hml_pi(hml_context *c);                             // exact
HML_API hml_expr hml_symbol(hml_context *c, const char *name, unsigned flags, unsigned order);
HML_API hml_expr hml_dot(hml_context *c, hml_expr symbol);           // next order of a dynamic symbol
HML_API hml_expr hml_undot(hml_context *c, hml_expr symbol, unsigned order);   // the symbol of that order on the same ladder
HML_API hml_expr hml_add(hml_context *c, hml_expr a, hml_expr b);
HML_API hml_expr hml_sub(hml_context *c, hml_expr a, hml_expr b);
HML_API hml_expr hml_mul(hml_context *c, hml_expr a, hml_expr b);
HML_API hml_expr hml_div(hml_context *c, hml_expr a, hml_expr b);
HML_API hml_expr hml_neg(hml_context *c, hml_expr a);
HML_API hml_expr hml_pow(hml_context *c, hml_expr base, hml_expr exponent);
HML_API hml_expr hml_sqrt(hml_context *c, hml_expr a);
HML_API hml_expr hml_sum(hml_context *c, size_t n, const hml_expr *terms);
HML_API hml_expr hml_product(hml_context *c, size_t n, const hml_expr *factors);
HML_API hml_expr hml_call(hml_context *c, hml_function f, size_t n, const hml_expr *arguments);
HML_API hml_expr hml_parse(hml_context *c, const char *text, size_t n, const hml_expr *symbols);  // names must be among the symbols; x', x'' are derivatives

HML_API hml_kind hml_kind_of(hml_expr e);
HML_API size_t hml_operand_count(hml_expr e);
HML_API hml_expr hml_operand(hml_expr e, size_t i);
HML_API hml_function hml_function_of(hml_expr call);
HML_API const char *hml_symbol_name(hml_expr symbol);                // without primes; the symbol's
HML_API unsigned hml_symbol_flags(hml_expr symbol);
HML_API unsigned hml_symbol_order(hml_expr symbol);
HML_API double hml_number_value(hml_expr number);                    // HML_NUMBER or HML_FLOAT, correctly rounded
HML_API int hml_integer_value(hml_expr number, int64_t *out);        // 1 and the value if an integer that fits, else 0
HML_API int hml_rational_value(hml_expr number, int64_t *numerator, int64_t *denominator);
HML_API uint64_t hml_tree_size(hml_expr e);                          // nodes of the tree; saturates at UINT64_MAX
HML_API int hml_compare(hml_expr a, hml_expr b);                     // display order: -1, 0, 1

// Measured data as a function: the curve of a kind ("cubic", "periodic", "akima", "steffen", "linear") through n points with growing x, known by *id
// for the whole process; hml_data(c, id, x) is its value at x. Outside of the points it is not a number, which stops a run with its name.
// fails: HML_ARGUMENT (unknown kind, bad name, points), HML_LIMIT (too many curves)
HML_API hml_status hml_data_new(hml_context *c, const char *name, const char *kind, size_t n, const double *x, const double *y, double *id);
HML_API hml_expr hml_data(hml_context *c, double id, hml_expr x);

// A function known by name alone, such as V(r): differentiated by the chain rule, an independent atom of the algebra; programs refuse it. From 1 to
// 8 arguments. NULL: the name belongs to a function of the library or to measured data, or cannot name a symbol
HML_API hml_expr hml_opaque(hml_context *c, const char *name, size_t n, const hml_expr *arguments);

HML_API hml_expr hml_derivative(hml_context *c, hml_expr e, hml_expr symbol);
HML_API hml_expr hml_time_derivative(hml_context *c, hml_expr e);    // total
// Derivatives                                     fails: HML_UNDEFINED, HML_LIMIT where a number of the result is undefined or too long
HML_API hml_status hml_gradient(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, hml_expr *out);        // one reverse sweep
HML_API hml_status hml_directional(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols,
                                   const hml_expr *direction, hml_expr *out);    // one forward sweep: sum_k de/dsymbol_k direction_k
HML_API hml_status hml_jacobian(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *symbols, hml_expr *out);   // row-major m x n
HML_API hml_status hml_hessian(hml_context *c, size_t n, const hml_expr *gradient, const hml_expr *symbols, hml_expr *out);   // n x n, of what has that gradient
HML_API hml_expr hml_substitute(hml_context *c, hml_expr e, size_t n, const hml_expr *from, const hml_expr *to);       // simultaneous
// With a value for every symbol that occurs; infinite or not-a-number is a value         fails: HML_UNKNOWN_SYMBOL, HML_UNSUPPORTED (hml_opaque)
HML_API hml_status hml_value(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, const double *values, double *out);
// *count: how many there are, of which `capacity` are written                                                       fails: nothing else
HML_API hml_status hml_symbols_of(hml_context *c, size_t m, const hml_expr *e, size_t capacity, hml_expr *out, size_t *count);  // in display order
HML_API char *hml_print_text(hml_context *c, hml_expr e);            // yours (hml_free); re-readable by hml_parse; NULL when out of memory
HML_API char *hml_print_latex(hml_context *c, hml_expr e);           // the same
HML_API const char *hml_function_name(hml_function f);
HML_API unsigned hml_function_arity(hml_function f);
HML_API const char *hml_function_help(hml_function f);
HML_API int hml_function_find(const char *name);                     // -1: none

// ---- exact algebra ---------------------------------------------------------------------------------------------------
// Rational functions over sines and cosines (angle sums and multiples), radicals and exponentials; results hold wherever
// all printed and cancelled denominators differ from zero, given the assumptions on symbols.
typedef enum hml_verdict { HML_PROVED_NONZERO, HML_PROVED_ZERO, HML_UNDECIDED } hml_verdict;
typedef enum hml_form { HML_FORM_AUTO, HML_FORM_FRACTION, HML_FORM_EXPANDED, HML_FORM_FACTORED, HML_FORM_COLLECTED, HML_FORM_NORMAL } hml_form;

typedef struct hml_limits {            // 0: the default: 20000 terms, 5 s, 1e9 bytes
  size_t max_terms;                    // of one polynomial
  double max_seconds;                  // of the whole call
  size_t max_bytes;                    // that the call holds at one time, expressions included
} hml_limits;

typedef struct hml_reduction {
  hml_status status;                   // HML_OK, or why the input came back unchanged (HML_LIMIT, ...)
  char reason[200];                    // "more than 20000 terms in a product"
  hml_expr cancelled;                  // product of the factors assumed nonzero by cancelling; 1 if none
} hml_reduction;

// The form asked for; the input itself when a limit is reached or nothing better was found (info may be NULL).
// by: symbols (or other nodes) to collect by, for HML_FORM_COLLECTED; in the other forms a hint for grouping.
HML_API hml_expr hml_simplify(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_limits *limits, hml_reduction *info);
// evidence: when undecided, the largest |value| relative to the size of the terms at random real points.
// A limit that is reached leaves it undecided.                                                                     fails: nothing else
HML_API hml_status hml_is_zero(hml_context *c, hml_expr e, const hml_limits *limits, hml_verdict *verdict, double *evidence);
// fails: HML_LIMIT, HML_UNDEFINED where a denominator vanishes identically
HML_API hml_status hml_fraction(hml_context *c, hml_expr e, const hml_limits *limits, hml_expr *numerator, hml_expr *denominator);   // lowest terms
HML_API hml_expr hml_coefficient(hml_context *c, hml_expr e, hml_expr x, unsigned power, const hml_limits *limits);   // of x^power; e polynomial in x
// A X = B (row-major n x n and n x m) in compact form; determinant: the solution holds where it is not zero. HML_UNDEFINED if it is
// zero identically. regular (may be NULL): HML_PROVED_NONZERO, or HML_UNDECIDED if log, asin, ... may hide that it is zero identically.
// fails: HML_UNDEFINED, HML_LIMIT, HML_ARGUMENT where n is 0
HML_API hml_status hml_solve_linear(hml_context *c, size_t n, const hml_expr *A, size_t m, const hml_expr *B, const hml_limits *limits,
                                    hml_expr *X, hml_expr *determinant, hml_verdict *regular);
HML_API hml_expr hml_determinant(hml_context *c, size_t n, const hml_expr *A, const hml_limits *limits);

// ---- programs -------------------------------------------------------------------------------------------------------
// A straight line of arithmetic with common subexpressions shared; constant once built.
typedef struct hml_program hml_program;
typedef void (*hml_foreign_code)(const double *in, double *out, double *work);   // what hml_program_eval may call

// fails: HML_UNKNOWN_SYMBOL where an output contains a symbol that is no input, HML_UNSUPPORTED (hml_opaque), HML_ARGUMENT (an input twice, or a number),
// HML_LIMIT
HML_API hml_status hml_program_new(hml_context *c, size_t n_in, const hml_expr *inputs, size_t n_out, const hml_expr *outputs, hml_program **out);
HML_API void hml_program_free(hml_program *p);
HML_API size_t hml_program_inputs(const hml_program *p);
HML_API size_t hml_program_outputs(const hml_program *p);
HML_API size_t hml_program_operations(const hml_program *p);
HML_API size_t hml_program_work_size(const hml_program *p);          // doubles
HML_API void hml_program_eval(const hml_program *p, const double *in, double *out, double *work);   // allocates nothing
// Tangent: inputs (in, seeds of the active ones), outputs (out, tangents of out).
// fails: HML_ARGUMENT where an active input does not exist, HML_LIMIT
HML_API hml_status hml_program_tangent(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, hml_program **out);
// Adjoint: inputs (in, weights of out), outputs (out, gradient of weights . out with respect to the active inputs).
// fails: HML_ARGUMENT where an active input does not exist, HML_LIMIT
HML_API hml_status hml_program_adjoint(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, hml_program **out);
HML_API char *hml_program_list(hml_context *c, const hml_program *p);   // readable text; free with hml_free
HML_API char *hml_program_c(hml_context *c, const hml_program *p, const char *name);   // C text of void name(const double *in, double *out, double *work); the same
// Evaluates line by line; the first line whose result is not finite is described in `what`. 1 if there is one, else 0.
HML_API int hml_program_trace(const hml_program *p, const double *in, double *work, char *what, size_t capacity);

// ---- models ---------------------------------------------------------------------------------------------------------
// x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.   M symmetric.
typedef struct hml_model hml_model;
typedef struct hml_workspace hml_workspace;

typedef enum hml_executor {            // the same bits, at different speed
  HML_FASTEST,                         // machine code where processor and system allow it
  HML_INTERPRETER,
  HML_NATIVE                           // fails with HML_UNSUPPORTED where there is none
} hml_executor;

// A corner of the forces: their expressions read parameters in place of a function that changes its formula where `guard` vanishes. For a sign
// the parameters are -1, 0 or 1, then 1 and 0 above and 0 and 1 below; for a table of data the ends of an interval, its left end and the four
// coefficients of the cubic there. A run keeps them from corner to corner and ends its steps on these; elsewhere they follow from the state
typedef struct hml_branch_spec {
  const char *text;                    // the argument, for messages
  double table;                        // of hml_data_new; 0: a sign
  size_t held;                         // the first of its parameters (from 0), which are the last of the model
  hml_expr argument, guard;            // of time, states and parameters; guard: the argument, or the product of its distances from both ends
} hml_branch_spec;

typedef struct hml_model_spec {        // copied by hml_model_new; expressions may contain t, the states, the parameters and the externals
  const char *name;
  size_t n_kin, n_dyn, n_multipliers, n_parameters, n_externals, n_positions, n_velocities;
  hml_expr time;
  const hml_expr *kin, *dyn;           // state symbols                                    (n_kin), (n_dyn)
  const hml_expr *parameters;          // symbols                                          (n_parameters)
  const double *parameter_values;
  const hml_expr *externals;           // symbols whose values the force callback gives    (n_externals)
  const hml_expr *multipliers;         // symbols of lambda, where r and power depend on it; NULL: they do not   (n_multipliers)
  const char *const *dyn_names;        // for messages: the coordinate behind each x_dyn   (n_dyn)
  const char *const *multiplier_names; // for messages: the constraint behind each row     (n_multipliers)
  const char *const *position_names;   //                                                  (n_positions)
  const char *const *velocity_names;   //                                                  (n_velocities)
  const hml_expr *k;                   // (n_kin)
  const hml_expr *mass;                // M, row-major, symmetric                          (n_dyn x n_dyn)
  const hml_expr *rows;                // A, row-major                                     (n_multipliers x n_dyn)
  const hml_expr *r;                   // (n_dyn)
  const hml_expr *b;                   // (n_multipliers)
  const hml_expr *position_residuals;  // g(x_kin, t) = 0                                  (n_positions)
  const hml_expr *position_jacobian;   // dg/dx_kin, row-major                             (n_positions x n_kin)
  const hml_expr *velocity_residuals;  // f(x, t) = 0                                      (n_velocities)
  const hml_expr *velocity_jacobian;   // df/dx_dyn, row-major                             (n_velocities x n_dyn)
  hml_expr energy, kinetic;            // NULL: not known
  hml_expr power;                      // of what changes the energy, apart from the multipliers; NULL: none
  const hml_expr *multiplier_power;    // power per unit of each multiplier; NULL: none    (n_multipliers)
  // not 0: the constraint holds where the others do, as hml_generic_rank finds; its row is left out, hml_multipliers gives the multipliers
  // of least norm. NULL: none                                                             (n_multipliers), (n_positions), (n_velocities)
  const unsigned char *implied, *implied_positions, *implied_velocities;
  int counts_work;                     // not 0: the last state is the work, whatever the powers are (contacts do work)
  int momenta_kept;                    // not 0: the velocity residuals belong to the last rows of M; d with M d = (0, -residual) corrects them,
                                       // which keeps the momenta whose rates the other rows are (vakonomic models)
  hml_executor executor;
  size_t n_branches;
  const hml_branch_spec *branches;     // in the order of their parameters                 (n_branches)
} hml_model_spec;

// fails: HML_ARGUMENT (pieces missing or given twice), HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT, HML_UNSUPPORTED (HML_NATIVE without machine code)
HML_API hml_status hml_model_new(hml_context *c, const hml_model_spec *spec, hml_model **out);
HML_API void hml_model_free(hml_model *m);                           // after its workspaces
HML_API size_t hml_model_state_size(const hml_model *m);             // n_kin + n_dyn, and one more where energy is balanced by work
HML_API size_t hml_model_controlled_size(const hml_model *m);        // n_kin + n_dyn
HML_API int hml_model_is_native(const hml_model *m);                 // 1: its right-hand side is machine code
// Code for x' in place of our own, same arguments as hml_program_eval, same bits or the user is told; NULL takes it back.
// Before the model is shared.                                                           fails: HML_UNSUPPORTED where x' is not written out
HML_API hml_status hml_model_set_code(hml_model *m, hml_foreign_code code);
HML_API const char *hml_native_refusal(void);                        // constant: why there is no machine code here; NULL: there is
HML_API int hml_model_has_work(const hml_model *m);                  // 1: the last state is the work done since the start
HML_API const hml_program *hml_model_dynamics(const hml_model *m);   // the program behind it, for listings
// Inputs t, kin, dyn, parameters, externals; outputs x' and margins, numbers that must be positive for x' to hold. NULL: too long to be
// written out with its linear solve, or without inertia by structure
HML_API const hml_program *hml_model_rate(const hml_model *m, size_t *margins);
HML_API size_t hml_model_operations(const hml_model *m);             // of one right-hand side; above some 8000 the linear solve stands apart

// Values for the externals at (t, x): fills out (n_externals). A status other than HML_OK stops the evaluation.
typedef hml_status (*hml_force)(void *payload, double t, const double *x, double *out);

// With the model's parameter values and no state. The model must outlive it.                                            fails: nothing else
HML_API hml_status hml_workspace_new(hml_context *c, const hml_model *m, hml_workspace **out);
HML_API void hml_workspace_free(hml_workspace *w);
HML_API void hml_workspace_set_force(hml_workspace *w, hml_force force, void *payload);   // the payload stays yours
HML_API hml_status hml_workspace_set_parameters(hml_workspace *w, const double *values);   // copied; without those of branches        fails: HML_NOT_FINITE
HML_API hml_status hml_workspace_set_state(hml_workspace *w, double t, const double *x);   // copied; forgets what was computed     fails: HML_NOT_FINITE
// At the state that was set, by rows of M a = r + A^T lambda. Each of these fails with HML_ARGUMENT where no state is set, HML_NOT_FINITE where an
// expression has no finite value there (named), and with the status of the force callback. x', a and lambda also fail with HML_SINGULAR_MASS,
// HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION, and HML_NO_UNIQUE_REACTION where r depends on lambda: "no solution" below.
HML_API hml_status hml_mass_matrix(hml_workspace *w, double *out);          // M, row-major n_dyn x n_dyn           fails: HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_acceleration(hml_workspace *w, double *out);         // a = x_dyn'  (n_dyn)                   fails: HML_ARGUMENT, HML_NOT_FINITE, no solution
HML_API hml_status hml_multipliers(hml_workspace *w, double *out);          // lambda  (n_multipliers); sum of lambda^2 least where some are implied   fails: as hml_acceleration
// Rank of A at generic points of the constraints near (t, x), a state that satisfies them: below n_multipliers some constraints hold
// wherever the others do, along the whole motion; `implied` marks them, `open` all constraints whose multipliers this leaves undetermined
// (n_multipliers each). Where A has its rank elsewhere but not at (t, x), that place is singular and nothing is implied.
// fails: HML_UNSUPPORTED where the derivative of a constraint is zero where it holds (a square) and where rows differ by less than 1e-6 of their
// length but by more than rounding, HML_CONTRADICTION where the derivative of an implied one does not follow from the others', HML_NOT_FINITE
HML_API hml_status hml_generic_rank(hml_workspace *w, double t, const double *x, size_t *rank, unsigned char *implied, unsigned char *open);
HML_API hml_status hml_state_rate(hml_workspace *w, double *out);           // x'      (state size)                  fails: as hml_acceleration
HML_API hml_status hml_energies(hml_workspace *w, double *energy, double *kinetic);   // either may be NULL     fails: HML_UNSUPPORTED (not in the spec), HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_residuals(hml_workspace *w, double *positions, double *velocities);   // g, f; either may be NULL    fails: HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_state_jacobian(hml_workspace *w, double *dfdx, double *dfdt);   // of x' by x, row-major, exact; either may be NULL
                                                                            // fails: HML_UNSUPPORTED with externals, HML_LIMIT; as hml_acceleration
// Moves x onto the constraints where a residual exceeds the tolerances, least change in the mass metric; *moved tells.
// fails: HML_PROJECTION (no convergence), HML_CONTRADICTION, HML_NOT_FINITE, what the force callback fails with, and for a
// model that keeps its momenta as hml_acceleration; x is then as it was
HML_API hml_status hml_project(hml_workspace *w, double t, double rtol, double atol, double *x, int *moved);
// Completes a start: free entries (known == 0) of x are solved from the constraints; the given ones stay as they are.
// The values in x are the guess for free entries.
// fails: HML_INCONSISTENT_START, naming the constraint and its residual, HML_ARGUMENT where the constraints do not determine the free entries,
// HML_UNSUPPORTED where they cannot (the row of a constraint is zero there), HML_NOT_FINITE
HML_API hml_status hml_complete_start(hml_workspace *w, double t, const unsigned char *known, double tolerance, double *x);
// Looks for other positions (n_kin) than those of a completed start x that satisfy the constraints with the same given entries; whole turns of
// an angle are none. What is not found may exist all the same.                                                            fails: HML_NOT_FINITE
HML_API hml_status hml_other_assembly(hml_workspace *w, double t, const unsigned char *known, double tolerance, const double *x, double *other, int *found);
// How far x is off the constraints: the least tolerance with which hml_complete_start accepts it, all entries given
// fails: HML_NOT_FINITE
HML_API hml_status hml_inconsistency(hml_workspace *w, double t, const double *x, double *off);

// The shortest x that comes closest to a x = b (row-major m x n): singular values below cutoff times the largest count as zero. rank may be NULL
// fails: HML_NOT_FINITE
HML_API hml_status hml_least_squares(hml_context *c, size_t m, size_t n, const double *a, const double *b, double cutoff, double *x, size_t *rank);
// Eigenvalues (n pairs re, im; largest real part first) and, unless NULL, eigenvectors (n after one another, pairs) of a row-major n x n
// matrix that need not be symmetric.                                     fails: HML_NOT_FINITE, HML_LIMIT where the iteration does not converge
HML_API hml_status hml_eigen(hml_context *c, size_t n, const double *a, double *values, double *vectors);

// ---- one-sided constraints ------------------------------------------------------------------------------------------
// Gaps g(x_kin, t) >= 0, bounds g1(x, t) >= 0 on velocities, and friction along slip velocities s(x, t). Their reactions are + W^T z beside
// A^T lambda, W the rows dg'/dx_dyn, dg1/dx_dyn and ds/dx_dyn. For models whose x_dyn are the velocities (x_kin' = x_dyn).
typedef struct hml_contacts hml_contacts;      // of one workspace

// ROW(constant, name): who presses a friction
#define HML_PRESSINGS(ROW) ROW(PRESSED_BY_EXPRESSION, "expression") ROW(PRESSED_BY_GAP, "gap") ROW(PRESSED_BY_MULTIPLIER, "multiplier")
#define HML_CONSTANT(constant, name) HML_##constant,
typedef enum hml_pressing { HML_PRESSINGS(HML_CONSTANT) } hml_pressing;
// ROW(constant, name): laws of impact of one gap; with others at once all but the user's obey Moreau's
#define HML_IMPACT_LAWS(ROW)                                                                          \
  ROW(NEWTON, "newton")                /* u+ = -e u-; friction along the blow */                      \
  ROW(POISSON, "poisson")              /* impulse of restitution = e x impulse of compression */      \
  ROW(STRONGE, "stronge")              /* work of restitution = -e^2 x work of compression */         \
  ROW(MOREAU, "moreau")                /* u+ = -e u-; friction against the slip after the blow */     \
  ROW(USER_LAW, "user")                /* by the callback */

typedef enum hml_impact_law { HML_IMPACT_LAWS(HML_CONSTANT) } hml_impact_law;

typedef struct hml_gap_spec {
  const char *name;
  hml_expr gap;
  int level;                           // 1: a bound on velocities, without law, rough and held rows
  hml_impact_law law;
  hml_expr restitution, tangential;    // e; e_t of the rough rows; of parameters; NULL: 0
  double capture;                      // contact persists where the normal speed after an impact is below; 0: impacts go on
  size_t rough, n_rough, held, n_held; // first and number among the tangents: reversed (u+ = -e_t u-) and at rest in lasting contact; continuous
} hml_gap_spec;

typedef struct hml_friction_spec {     // z in -N dh(y) for the slip y, h the support function of the law (contact/laws.def)
  const char *name;
  const char *law;                     // "coulomb": |z| <= mu N; "elliptic"; "uniform" and "hertz", whose last slip is a spin; NULL: coulomb
  size_t first, count;                 // among the slips: up to three
  hml_pressing kind;
  size_t index;                        // the gap or the multiplier that presses
  hml_expr normal;                     // where it is an expression; negative: no contact
  hml_expr coefficient[2], static_coefficient[2];   // the second one of an ellipse, else NULL
  hml_expr radius;                     // of the spot, where there is a spin, else NULL
  size_t n_cone;
  const size_t *cone;                  // multipliers whose reactions use the same friction: |z|^2 + sum lambda_c^2 <= (mu N)^2
} hml_friction_spec;

typedef struct hml_contact_spec {
  size_t n_gaps, n_slips, n_tangents, n_frictions;
  const hml_gap_spec *gaps;
  const hml_friction_spec *frictions;
  const hml_expr *velocities;          // g' or g1, slips, tangents                        (n_gaps + n_slips + n_tangents)
  const hml_expr *rows;                // by x_dyn, row-major                              (the same, x n_dyn)
  const hml_expr *drifts;              // velocity' = row . x_dyn' + drift                 (the same)
} hml_contact_spec;

// ---- runs -----------------------------------------------------------------------------------------------------------
typedef struct hml_trajectory hml_trajectory;

// ROW(constant, name): what of a run is kept
#define HML_KEEPINGS(ROW)                                                 \
  ROW(KEEP_STEPS, "steps")             /* every step */                   \
  ROW(KEEP_JUMPS, "impacts")           /* start, end, records */          \
  ROW(KEEP_ENDS, "ends")               /* start, end, notes */

typedef enum hml_keeping { HML_KEEPINGS(HML_CONSTANT) } hml_keeping;

// ROW(type, name): options of a run that are numbers, counts (size_t) and choices of yes or no (int)
#define HML_RUN_OPTIONS(ROW)                                                                                                       \
  ROW(double, rtol)                    /* error per step: |e_i| <= atol + rtol |y_i| */                                           \
  ROW(double, atol)                                                                                                                \
  ROW(double, first_step)              /* 0: chosen */                                                                             \
  ROW(double, max_step)                /* 0: not limited */                                                                        \
  ROW(double, step)                    /* of methods with steps of one size */                                                     \
  ROW(size_t, max_steps)               /* 0: no limit */                                                                           \
  ROW(int, project)                    /* onto the constraints after each step */                                                  \
  ROW(int, dense)                      /* values between the steps */                                                              \
  ROW(int, refuse_several)             /* of runs with contacts: a state from which several motions are possible ends the run */

typedef struct hml_run_options {
  const char *method;                  // a row of steppers.def; NULL: "dop853"
#define HML_FIELD(type, name) type name;
  HML_RUN_OPTIONS(HML_FIELD)
#undef HML_FIELD
  hml_keeping keep;
  void (*progress)(void *payload, double t);   // NULL, or: called some times a second once the run has lasted one
  void *progress_payload;
  hml_trajectory *onto;                // NULL, or: a trajectory of the same run that ends where this one begins, which is continued and returned
} hml_run_options;

// ROW(name): what a run counts
#define HML_COUNTERS(ROW) \
  ROW(steps) ROW(rejected) ROW(evaluations) ROW(jacobians) ROW(projections) ROW(impacts) ROW(switches) ROW(stiff_steps)

typedef struct hml_outcome {
  hml_status status;                   // HML_OK: reached the end
  double t;                            // time reached; of a singular place that ended the run (its last point may stand before it)
  char message[1000];                  // when, where, why
  char doubt[400];                     // empty, or: why the end that was reached is less accurate than the tolerances ask
  double step_errors;                  // of steps of one size: what the errors of all steps add up to, as a part of the motion; 0: not known
#define HML_COUNTER(name) size_t name;
  HML_COUNTERS(HML_COUNTER)
#undef HML_COUNTER
  double seconds;
} hml_outcome;

HML_API hml_run_options hml_run_options_default(void);               // dop853, 1e-9, 1e-9, projected, dense
HML_API size_t hml_stepper_count(void);
HML_API const char *hml_stepper_name(size_t i);
HML_API const char *hml_stepper_title(size_t i);
HML_API int hml_stepper_fixed(size_t i);                             // 1: steps of one size, the option `step`
HML_API int hml_stepper_takes_contacts(size_t i);                    // 1: for runs with one-sided constraints and friction
HML_API int hml_stepper_find(const char *name);                      // -1: none

// Runs a model from x at t0 to t1 (t1 < t0 runs backward). What stops a run is an outcome, not a failure:
// the trajectory has all completed steps, *outcome the status (any of them) and the reason.    fails: HML_ARGUMENT (options, times, state); *out is NULL
HML_API hml_status hml_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x,
                           hml_trajectory **out, hml_outcome *outcome);

// ---- one-step maps given by expressions: residual(z; t, h, x) = 0, x1 = update(z; t, h, x)
typedef struct hml_discrete hml_discrete;

typedef struct hml_discrete_spec {
  size_t n, nz, n_parameters;
  hml_expr time, step;                 // t at the start of the step, h
  const hml_expr *states;              // symbols                                          (n)
  const hml_expr *unknowns;            // symbols z                                        (nz)
  const hml_expr *parameters;          // symbols                                          (n_parameters)
  const double *parameter_values;
  const hml_expr *residual;            // (nz)
  const hml_expr *update;              // (n)
  const hml_expr *guess;               // for z, without z                                 (nz)
} hml_discrete_spec;

// fails: HML_ARGUMENT (no states or no unknowns, pieces missing), HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT
HML_API hml_status hml_discrete_new(hml_context *c, const hml_discrete_spec *spec, hml_discrete **out);
HML_API void hml_discrete_free(hml_discrete *d);
// Steps of options.step by the map, method "dla"; the workspace's model serves slopes, messages and the work
// fails: as hml_run
HML_API hml_status hml_discrete_run(hml_workspace *w, const hml_discrete *d, const hml_run_options *options, double t0, double t1, const double *x,
                                    hml_trajectory **out, hml_outcome *outcome);

// A reference solution in quadruple precision, found twice with different steps: the digits that both share are certain. Numbers are texts,
// "0.1", "1/3" or "0x1p-3", read in quadruple precision.
typedef struct hml_reference_spec {
  const char *start;                   // time
  size_t n_times;
  const char *const *times;            // one way from the start                           (n_times)
  const char *const *x;                // states at the start                              (state size)
  size_t n_parameters;                 // 0: the values of the workspace
  const char *const *parameters;       //                                                  (n_parameters)
  int digits;                          // aimed at: 1 to 32
} hml_reference_spec;
// texts, others: the two solutions, 36 digits in 64 characters each                        (n_times x state size x 64)
// fails: HML_UNSUPPORTED (no quadruple precision here, accelerations that are no formula), HML_ARGUMENT (digits, texts), HML_LIMIT, and where the
// motion cannot be followed HML_SINGULAR, HML_SINGULAR_MASS, HML_NOT_FINITE, HML_STEP_COLLAPSED or the status of a pole on the way
HML_API hml_status hml_reference_run(hml_workspace *w, const hml_reference_spec *spec, char *texts, char *others);
// Completes a start in quadruple precision, near a start in doubles that satisfies the constraints: entries with known == 0 of
// x are solved anew. texts: the states, 36 digits in 64 characters each                    (state size x 64)
// fails: HML_UNSUPPORTED (no quadruple precision here), HML_ARGUMENT (texts), HML_INCONSISTENT_START, HML_NOT_FINITE
HML_API hml_status hml_complete_start_exactly(hml_workspace *w, const hml_reference_spec *spec, const unsigned char *known, char *texts);

// With `count` directions carried along by the flow, delta x' = (df/dx) delta x. The state of the trajectory: x without the work, the
// directions one after the other (count x controlled size), the work where the model has it.                                 fails: as hml_run
HML_API hml_status hml_variational_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x, size_t count,
                                       const double *directions, hml_trajectory **out, hml_outcome *outcome);

// ---- runs with events, impacts, friction: a workspace, its contacts, its events, and what happened in the last run
typedef struct hml_hybrid hml_hybrid;

typedef struct hml_event_spec {
  const char *name;
  hml_expr expression;                 // NULL: its value comes from the callback
  int direction;                       // of the root: -1 falling, 1 rising, 0 either, along the run
  int terminal;                        // not 0: ends the run
  const char *reason;                  // of a singular place: the run ends with the status SINGULAR and this text; NULL: with EVENT and the name
  size_t flips;                        // not 0: number of a parameter that holds the sign of the expression; it changes at the root
} hml_event_spec;

typedef struct hml_hybrid_callbacks {
  void *payload;
  hml_status (*event)(void *payload, size_t event, double t, const double *x, double *value);
  // Impact law of the user: velocities before of the gap and of its rough rows; wanted ones after
  hml_status (*law)(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                    double *wanted_rough);
} hml_hybrid_callbacks;

typedef struct hml_hybrid_spec {
  const hml_model_spec *symbols;       // the spec of the workspace's model
  const hml_contact_spec *contacts;    // NULL: none
  size_t n_events;
  const hml_event_spec *events;        // of time, states, parameters and what follows
  const hml_expr *rates;               // symbols for x_dyn'                               (n_dyn)
  const hml_expr *multipliers;         // for the multipliers                              (n_multipliers)
  const hml_expr *reactions;           // for those of gaps, slips, tangents               (n_gaps + n_slips + n_tangents)
  hml_hybrid_callbacks callbacks;
} hml_hybrid_spec;

// ROW(constant, name): what happened in a run; states of gaps and of frictions between which they switch
#define HML_RECORD_KINDS(ROW) \
  ROW(RECORD_EVENT, "event") ROW(RECORD_IMPACT, "impact") ROW(RECORD_SWITCH, "switch") ROW(RECORD_ACCUMULATION, "accumulation") ROW(RECORD_NOTE, "note")
#define HML_CONTACT_STATES(ROW) \
  ROW(OPEN, "open") ROW(CLOSED, "closed") ROW(FRICTION_FREE, "free") ROW(FRICTION_STICK, "stick") ROW(FRICTION_SLIP, "slip")

typedef enum hml_record_kind { HML_RECORD_KINDS(HML_CONSTANT) } hml_record_kind;
enum { HML_CONTACT_STATES(HML_CONSTANT) };

typedef struct hml_record {
  hml_record_kind kind;
  double t;
  size_t which;                        // event; gap; gap, or n_gaps + friction, of a switch
  int from, to;                        // of a switch
  const double *state;                 // at an event, before an impact                    (state size)   these belong to the hml_hybrid
  const double *after;                 // an impact: state after it, impulses of gaps, slips, tangents, then of the multipliers
  double energy_change;                // of the model's energy by an impact (method "moreau": by its step); negative: lost
  double leaves[3], takes[3];          // of a switch of friction: unit vectors of the slip that ends, of the one that begins; zero: none
  double error, ratio;                 // of an accumulation of impacts at t: of that limit, and of successive flights; infinite error: t is the last impact
  size_t impacts;                      // of it
  const char *text;                    // of a note
} hml_record;

// What is constant in such runs, for a model; many workspaces, in threads too, may use it at a time
typedef struct hml_hybrid_shape hml_hybrid_shape;
// The model must outlive it. fails: HML_ARGUMENT (pieces missing), HML_UNSUPPORTED (contacts of a model whose states are not the velocities),
// HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT
HML_API hml_status hml_hybrid_shape_new(hml_context *c, const hml_model *m, const hml_hybrid_spec *spec, hml_hybrid_shape **out);
HML_API void hml_hybrid_shape_free(hml_hybrid_shape *s);             // after all that use it

HML_API hml_status hml_hybrid_new(hml_workspace *w, const hml_hybrid_spec *spec, hml_hybrid **out);   // with a shape of its own     fails: as hml_hybrid_shape_new
HML_API hml_status hml_hybrid_open(hml_workspace *w, const hml_hybrid_shape *shape, hml_hybrid **out);   // fails: HML_ARGUMENT: of another model
HML_API const hml_hybrid_shape *hml_hybrid_shape_of(const hml_hybrid *h);   // the hybrid's, or that given to hml_hybrid_open
HML_API size_t hml_hybrid_shape_events(const hml_hybrid_shape *h);
HML_API void hml_hybrid_free(hml_hybrid *h);                         // before its workspace
// As hml_run, also with method "moreau" (time stepping). A start with contacts that does not lead into a motion is a failure already.
// fails: HML_ARGUMENT (options, times, state), HML_INCONSISTENT_START, HML_NOT_FINITE, HML_NO_CONTACT_MODE, HML_NO_UNIQUE_MOTION,
// HML_NO_UNIQUE_REACTION, HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION, HML_LIMIT, HML_UNSUPPORTED (an impact of a
// model without an energy), and what a callback returned
HML_API hml_status hml_hybrid_run(hml_hybrid *h, const hml_run_options *options, double t0, double t1, const double *x,
                                  hml_trajectory **out, hml_outcome *outcome);
HML_API size_t hml_hybrid_records(const hml_hybrid *h);
HML_API hml_record hml_hybrid_record(const hml_hybrid *h, size_t i);   // its pointers hold until the next run
HML_API size_t hml_hybrid_meetings(const hml_hybrid *h, size_t event);   // how often an event was met in the last run, kept or not
// Accelerations, multipliers, reactions of gaps, slips, tangents at (t, x), point the number of the trajectory's point at or after t
// fails: as hml_acceleration, and HML_NO_CONTACT_MODE where no reactions obey the mode of contact there
HML_API hml_status hml_hybrid_evaluate(hml_hybrid *h, size_t point, double t, const double *x, double *a, double *lambda, double *z);

// ---- many runs of one model: threads, and several runs side by side in the vector unit
typedef struct hml_ensemble_row {
  hml_status status;                   // HML_OK; HML_INTERRUPTED: not finished
  double t;                            // time reached; of a singular place that ended the run (its last point may stand before it)
  size_t steps, rejected, evaluations, impacts, switches;
  char *message;                       // of a run that stopped early, or the doubt of one that reached its end; else NULL
} hml_ensemble_row;

typedef struct hml_ensemble_spec {
  size_t n, n_times;
  double t0;
  const double *times;                 // where states are kept, one way from t0           (n_times)
  const double *starts;                // (n x state size)
  const double *parameters;            // of each run; NULL: the model's                   (n x n_parameters)
  const hml_run_options *options;      // NULL: the default
  unsigned threads, lanes;             // 0: as many as the machine has
  // NULL, or contacts and events, none of which calls back. Every run goes from t0 to the last time at once, by itself, and its states are values
  // of the dense output; in place of the last one stands that at a terminal event
  const hml_hybrid_shape *hybrid;
  double *solutions;                   // with these: NULL, or accelerations, multipliers, reactions   (n x n_times x (n_dyn + multipliers + rows))
  size_t *meetings;                    // with these: NULL, or how often each event was met            (n x events)
  double tidy_rtol, tidy_atol;         // with these: states are projected onto the constraints to these tolerances; both 0: they are not
  int at_once;                         // without these: every run goes to the last time at once, by itself, and its states are values of the dense output
  void *payload;
  void (*progress)(void *payload, size_t done, size_t failed);   // now and then, from the calling thread; NULL: none
} hml_ensemble_spec;

// Same bits for any number of threads. states: not-a-number where a run did not get                                (n x n_times x state size)
// What stops a run is in its row.  fails: HML_ARGUMENT (starts, times, options, contacts of another model), HML_UNSUPPORTED (externals, callbacks)
HML_API hml_status hml_ensemble_run(hml_context *c, const hml_model *m, const hml_ensemble_spec *spec, double *states, hml_ensemble_row *rows);
// Of rows that hml_ensemble_run filled with that context
HML_API void hml_ensemble_free_messages(hml_context *c, size_t n, hml_ensemble_row *rows);

HML_API void hml_trajectory_free(hml_trajectory *r);
HML_API size_t hml_trajectory_size(const hml_trajectory *r);         // components of the state
HML_API size_t hml_trajectory_points(const hml_trajectory *r);       // accepted steps + 1
HML_API double hml_trajectory_time(const hml_trajectory *r, size_t i);
HML_API const double *hml_trajectory_state(const hml_trajectory *r, size_t i);   // the trajectory's; also after it was continued
// Dense output; where it jumps, the state before             fails: HML_ARGUMENT where t is outside of the run, or between steps without dense output
HML_API hml_status hml_trajectory_at(const hml_trajectory *r, double t, double *x);
HML_API size_t hml_trajectory_stored_size(const hml_trajectory *r);    // bytes
HML_API void hml_trajectory_store(const hml_trajectory *r, void *block);   // doubles of this machine's order
// fails: HML_ARGUMENT where it is no such block
HML_API hml_status hml_trajectory_restore(hml_context *c, const void *block, size_t size, hml_trajectory **out);
HML_API size_t hml_trajectory_point_at(const hml_trajectory *r, double t);           // the first point at or after t along the run

typedef struct hml_root_search {       // of a function of (t, x)
  const hml_program *program;          // one output; inputs: t, the first `states` components of x, constants. NULL: known by its values only
  size_t states;
  const double *constants;             // of the program                                   (its inputs - 1 - states)
  hml_status (*value)(void *payload, double t, const double *x, double *value);
  void *payload;                       // of `value`
  int direction;                       // -1 falling, 1 rising, 0 either, along the run
} hml_root_search;
// Times of the roots on the dense output, in order: all those of a program, those that samples show of other functions. *count: how many
// there are, of which `capacity` are written
// fails: HML_ARGUMENT (no dense output, a program of another shape), HML_NOT_FINITE, what the callback returned
HML_API hml_status hml_trajectory_roots(const hml_trajectory *r, const hml_root_search *what, size_t capacity, double *times, size_t *count);

#undef HML_CONSTANT
#ifdef __cplusplus
}
#endif
#endif
