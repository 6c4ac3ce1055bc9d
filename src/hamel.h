// hamel.h: the public C interface of Hamel, a workbench for analytical dynamics.
//
// Licence: GPL-3.0-or-later (GSL requires it of what links with it).
// Conventions
//   - Order of parameters: object, inputs (const), outputs.
//   - Objects from out parameters and from `_new` functions are yours: free them by their `_free` function, and texts by hml_free.
//     Expressions are freed with their context. What a getter returns belongs to its object and is freed with it.
//   - A context is used by one thread. Programs, models, discrete maps and shapes of contacts are constant once built: threads may share
//     them, each with its own context and workspaces. A workspace belongs to one thread.
//   - Functions return a status; the first failure keeps its message in the context (hml_context_error).
//     Constructors of expressions return NULL on failure and accept NULL, so nested calls need one check at the end.
//   - `fails:` lists the statuses that a function returns besides HML_MEMORY, HML_INTERRUPTED and HML_INTERNAL, which every function may
//     return; "nothing else": it returns only these three. A NULL expression fails with the status that its constructor left in the
//     context, or with HML_ARGUMENT. After a failure the values of out parameters are undefined, but pointers to new objects are NULL.
//   - Units are those of your equations and must be consistent: force times length is energy. Angles are in radians.
//   - examples/c/sleigh.c is a complete program.
//   - Reactions are + A^T lambda: M a = r + A^T lambda, A a + b = 0.
//   - GSL's error handler is process-wide: it is switched off by the first hml_context_new (GSL functions then return statuses).
//   - The memory functions of GMP and FLINT are process-wide: the first exact computation installs Hamel's, which call malloc and behave as
//     the original ones outside Hamel's calls. If the process has set its own, they stay; they then decide what happens when memory runs
//     out or a limit is reached inside these libraries. Exact algebra empties FLINT's caches of the calling thread (flint_cleanup).
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
// One row per status: name, meaning, advice. Enum, texts and tests are generated from these rows.
// clang-format off
#define HML_STATUS_ROWS(ROW) \
  ROW(OK,                    "no failure",                              "")                                                                                                               \
  ROW(MEMORY,                "not enough memory",                       "free other objects or reduce the problem")                                                                       \
  ROW(INTERRUPTED,           "interrupted",                             "completed parts of the result are kept")                                                                         \
  ROW(ARGUMENT,              "bad argument",                            "see the message")                                                                                                \
  ROW(UNKNOWN_SYMBOL,        "a symbol has no value",                   "see the message")                                                                                                \
  ROW(UNDEFINED,             "undefined expression",                    "see the message")                                                                                                \
  ROW(SYNTAX,                "text is not an expression",               "see the message")                                                                                                \
  ROW(LIMIT,                 "a limit was reached",                     "raise the limit or simplify the input")                                                                          \
  ROW(SINGULAR_MASS,         "the mass matrix is singular",             "give every coordinate inertia, or tie it by a constraint; at a coordinate singularity choose other coordinates") \
  ROW(LOST_DIGITS,           "accelerations have no certain digits",    "bring masses, lengths or stiffnesses that differ by many orders of magnitude closer together, or hold by constraints what they hardly move") \
  ROW(DEPENDENT_CONSTRAINTS, "constraints depend on each other",        "start elsewhere, or end the run before this place")                                                              \
  ROW(SINGULAR,              "the equations are singular",              "end the run before this time, or take a form or coordinates that are regular there")                              \
  ROW(CONTRADICTION,         "constraints contradict each other",       "check the constraints named")                                                                                    \
  ROW(INCONSISTENT_START,    "the start violates a constraint",         "see the message")                                                                                                \
  ROW(NOT_FINITE,            "a value is not finite",                   "check the expression named and the start")                                                                       \
  ROW(STEP_COLLAPSED,        "the step size collapsed",                 "look for a singularity near this time, or loosen the tolerance")                                                 \
  ROW(TOO_MANY_STEPS,        "the limit of steps was reached",          "raise max_steps, shorten the run or choose a method for stiff systems")                                          \
  ROW(PROJECTION,            "the projection onto the constraints did not converge", "start closer to the constraints or tighten the tolerance")                                          \
  ROW(NO_CONTACT_MODE,       "contact, slip and stick have no consistent combination", "see the message")                                                                                  \
  ROW(PENETRATION,           "a one-sided constraint is violated inside the run",      "reduce the tolerances or max_step")                                                                   \
  ROW(NO_UNIQUE_MOTION,      "contact and friction leave several motions possible", "several = \"take\" continues with the motion that sticks most")                                         \
  ROW(NO_UNIQUE_REACTION,    "forces that depend on multipliers have no unique solution", "a jam (Painlevé): change the coefficient of friction or the start")                   \
  ROW(IMPULSE,               "energies or constraints jump, which takes an impulse",  "see the message")                                                                                     \
  ROW(EVENT,                 "a terminal event was met",                "the event is in run.events")                                                                                                        \
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
  hml_status status;                   // HML_OK: no failure
  char message[1000];                  // what failed and where, without advice
} hml_error;

HML_API const char *hml_status_name(hml_status status);              // "DEPENDENT_CONSTRAINTS"
HML_API const char *hml_status_what(hml_status status);              // one line: what the failure means
HML_API const char *hml_status_advice(hml_status status);            // one line: what to do
HML_API const char *hml_version(void);                               // "0.1.0"

// ---- context --------------------------------------------------------------------------------------------------------
typedef struct hml_context hml_context;
// Like realloc and free in one: new_size 0 frees and returns NULL. The signature is Lua's.
typedef void *(*hml_allocator)(void *payload, void *block, size_t old_size, size_t new_size);

HML_API hml_context *hml_context_new(hml_allocator allocator, void *payload);   // NULL, NULL: malloc. Returns NULL when out of memory
HML_API void hml_context_free(hml_context *c);                                  // after all objects made with it
HML_API const hml_error *hml_context_error(const hml_context *c);               // the first failure since the last clear
HML_API void hml_context_clear_error(hml_context *c);
HML_API volatile int *hml_context_interrupt_flag(hml_context *c);               // set it to stop long work; a signal handler may do so
HML_API void hml_context_set_interrupt_flag(hml_context *c, volatile int *flag);  // your flag, for several contexts; NULL: the context's own again
HML_API size_t hml_context_node_count(const hml_context *c);                    // number of expressions in the context
HML_API size_t hml_context_bytes(const hml_context *c);                         // memory allocated through it, long numbers included
HML_API void hml_context_sweep(hml_context *c);                                 // frees every expression that no kept expression contains; an interrupt ends it early
HML_API void hml_free(hml_context *c, char *text);                              // frees a text returned by a print function

// ---- expressions ----------------------------------------------------------------------------------------------------
// Immutable and interned: equal expressions are the same pointer. An expression is valid until the next hml_context_sweep, and beyond it
// if it is kept (hml_keep) or part of a kept expression.
typedef const struct hml_node *hml_expr;

typedef enum hml_kind { HML_NUMBER, HML_FLOAT, HML_SYMBOL, HML_SUM, HML_PRODUCT, HML_POWER, HML_CALL } hml_kind;

// An elementary function: a number from hml_function_find. The functions are listed in src/expr/functions.def.
typedef int hml_function;

// Properties of a symbol. They are part of its identity: x (positive) and x (real) are two symbols.
enum {
  HML_POSITIVE = 1,                    // > 0; every symbol is real
  HML_DYNAMIC = 2,                     // an unknown function of time: its time derivative is the symbol of the next order
  HML_TIME = 4,                        // the time
  HML_EXTERNAL = 8                     // a value that a callback returns during a run (no derivative)
};

HML_API void hml_keep(hml_context *c, hml_expr e);                   // as many times as hml_release is called
HML_API void hml_release(hml_context *c, hml_expr e);

HML_API hml_expr hml_integer(hml_context *c, int64_t value);
HML_API hml_expr hml_rational(hml_context *c, int64_t numerator, int64_t denominator);
HML_API hml_expr hml_decimal(hml_context *c, const char *text);      // exact: "0.1", "1/3", "-2.5e-3"
HML_API hml_expr hml_from_double(hml_context *c, double value);      // exact if the value is that of a short fraction or decimal, else inexact
HML_API hml_expr hml_pi(hml_context *c);                             // exact
HML_API hml_expr hml_symbol(hml_context *c, const char *name, unsigned flags, unsigned order);
HML_API hml_expr hml_dot(hml_context *c, hml_expr symbol);           // next order of a dynamic symbol
HML_API hml_expr hml_undot(hml_context *c, hml_expr symbol, unsigned order);   // the derivative of that order (0: none) of the same function
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
HML_API const char *hml_symbol_name(hml_expr symbol);                // without primes
HML_API unsigned hml_symbol_flags(hml_expr symbol);
HML_API unsigned hml_symbol_order(hml_expr symbol);
HML_API double hml_number_value(hml_expr number);                    // HML_NUMBER or HML_FLOAT, correctly rounded
HML_API int hml_integer_value(hml_expr number, int64_t *out);        // 1 and the value if an integer that fits, else 0
HML_API int hml_rational_value(hml_expr number, int64_t *numerator, int64_t *denominator);
HML_API uint64_t hml_tree_size(hml_expr e);                          // nodes of the tree; saturates at UINT64_MAX
HML_API int hml_compare(hml_expr a, hml_expr b);                     // display order: -1, 0, 1

// Measured data as a function: a curve through n points with increasing x. kind: "cubic", "periodic", "akima", "steffen" or "linear".
// hml_data(c, id, x) is its value at x; *id is valid in the whole process. Outside the points the value is not a number, and a run that
// leaves them stops with a message that names the data.
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
HML_API hml_status hml_hessian(hml_context *c, size_t n, const hml_expr *gradient, const hml_expr *symbols, hml_expr *out);   // n x n, from the gradient
HML_API hml_expr hml_substitute(hml_context *c, hml_expr e, size_t n, const hml_expr *from, const hml_expr *to);       // simultaneous
// The same in m expressions, whose common parts are rebuilt once                    fails: HML_ARGUMENT where one is NULL
HML_API hml_status hml_substitute_all(hml_context *c, size_t m, const hml_expr *e, size_t n, const hml_expr *from, const hml_expr *to, hml_expr *out);
// With a value for every symbol that occurs; not-a-number where a part is infinite or not real, infinite where the last operation is   fails: HML_UNKNOWN_SYMBOL, HML_UNSUPPORTED (hml_opaque)
HML_API hml_status hml_value(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, const double *values, double *out);
// *count: the number of symbols; at most `capacity` of them are written                                             fails: nothing else
HML_API hml_status hml_symbols_of(hml_context *c, size_t m, const hml_expr *e, size_t capacity, hml_expr *out, size_t *count);  // in display order
HML_API char *hml_print_text(hml_context *c, hml_expr e);            // free with hml_free; hml_parse reads it back; NULL when out of memory
HML_API char *hml_print_latex(hml_context *c, hml_expr e);           // free with hml_free; NULL when out of memory
HML_API const char *hml_function_name(hml_function f);
HML_API unsigned hml_function_arity(hml_function f);
HML_API const char *hml_function_help(hml_function f);
HML_API int hml_function_find(const char *name);                     // -1: none

// ---- exact algebra ---------------------------------------------------------------------------------------------------
// Rational functions of sines and cosines (sums and multiples of angles), radicals and exponentials. Results hold wherever all printed and
// cancelled denominators differ from zero, under the assumptions on the symbols.
typedef enum hml_verdict { HML_PROVED_NONZERO, HML_PROVED_ZERO, HML_UNDECIDED } hml_verdict;
typedef enum hml_form { HML_FORM_AUTO, HML_FORM_FRACTION, HML_FORM_EXPANDED, HML_FORM_FACTORED, HML_FORM_COLLECTED, HML_FORM_NORMAL } hml_form;

typedef struct hml_limits {            // 0 gives the default: 20000 terms, an effort of 5 s, 1e9 bytes
  size_t max_terms;                    // of one polynomial
  double max_seconds;                  // of the whole call: what ends in time depends on the machine and its load
  double max_effort;                   // work of the whole call, in seconds of a usual machine: the same on every machine. Where max_seconds is 0, the call
                                       // ends also after a multiple of these seconds, since some steps of exact algebra cannot be counted beforehand
  size_t max_bytes;                    // memory of the call at any time, expressions included
} hml_limits;

HML_API double hml_effort(void);       // of exact algebra by this thread so far, in seconds of a usual machine

typedef struct hml_reduction {
  hml_status status;                   // HML_OK, or the reason why the input was returned unchanged (HML_LIMIT, ...)
  char reason[200];                    // "more than 20000 terms in a product"
  hml_expr cancelled;                  // product of the cancelled factors, which are assumed not to be zero; 1: none
} hml_reduction;

// Returns e in the given form, or e itself if a limit is reached or no better form is found. info may be NULL.
// by: symbols (or other nodes) to collect by, for HML_FORM_COLLECTED; in the other forms a hint for grouping.
HML_API hml_expr hml_simplify(hml_context *c, hml_expr e, hml_form form, size_t n, const hml_expr *by, const hml_limits *limits, hml_reduction *info);
// evidence: if undecided, the largest |value| at random real points, relative to the size of the terms.
// The verdict is HML_UNDECIDED if a limit is reached.                                                              fails: nothing else
HML_API hml_status hml_is_zero(hml_context *c, hml_expr e, const hml_limits *limits, hml_verdict *verdict, double *evidence);
// fails: HML_LIMIT, HML_UNDEFINED where a denominator vanishes identically
HML_API hml_status hml_fraction(hml_context *c, hml_expr e, const hml_limits *limits, hml_expr *numerator, hml_expr *denominator);   // lowest terms
HML_API hml_expr hml_coefficient(hml_context *c, hml_expr e, hml_expr x, unsigned power, const hml_limits *limits);   // of x^power; e polynomial in x
// Solves A X = B (row-major n x n and n x m) in compact form. The solution holds where the determinant is not zero.
// regular (may be NULL): HML_PROVED_NONZERO, or HML_UNDECIDED if the determinant contains functions such as log or asin that may hide an
// identical zero. HML_UNDEFINED: the determinant is identically zero.
// fails: HML_UNDEFINED, HML_LIMIT, HML_ARGUMENT where n is 0
HML_API hml_status hml_solve_linear(hml_context *c, size_t n, const hml_expr *A, size_t m, const hml_expr *B, const hml_limits *limits,
                                    hml_expr *X, hml_expr *determinant, hml_verdict *regular);
HML_API hml_expr hml_determinant(hml_context *c, size_t n, const hml_expr *A, const hml_limits *limits);

// ---- programs -------------------------------------------------------------------------------------------------------
// A sequence of arithmetic instructions without branches; common subexpressions are computed once. Constant once built.
typedef struct hml_program hml_program;
typedef void (*hml_foreign_code)(const double *in, double *out, double *work);   // for hml_model_set_code

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
HML_API char *hml_program_list(hml_context *c, const hml_program *p);   // a readable text; free with hml_free
// C text of the function void name(const double *in, double *out, double *work); free with hml_free
HML_API char *hml_program_c(hml_context *c, const hml_program *p, const char *name);
// Evaluates line by line and describes the first line whose result is not finite in `what`. Returns 1 if there is one, else 0.
HML_API int hml_program_trace(const hml_program *p, const double *in, double *work, char *what, size_t capacity);

// ---- models ---------------------------------------------------------------------------------------------------------
// x_kin' = k(x, t),   M(x, t) x_dyn' = r(x, t) + A(x, t)^T lambda,   A x_dyn' + b = 0.   M symmetric.
typedef struct hml_model hml_model;
typedef struct hml_workspace hml_workspace;

typedef enum hml_executor {            // all of them give the same bits
  HML_FASTEST,                         // machine code where processor and system allow it, else the interpreter
  HML_INTERPRETER,
  HML_NATIVE                           // machine code; fails with HML_UNSUPPORTED where it is not available
} hml_executor;

// How M x_dyn' = r + A^T lambda, A x_dyn' + b = 0 are solved inside the program of x'
typedef enum hml_elimination {
  HML_DENSE,                           // by the entries of M and A
  HML_GRAPH,                           // from the energies (hml_model_spec.lagrangian); fails with HML_UNSUPPORTED where that is not possible
  HML_CHEAPEST,                        // the one that costs less
  HML_REFINED                          // by the entries of M and A, then refined in quadruple precision at every state, for masses that differ by many orders of
                                       // magnitude: a hundred times slower   fails: HML_UNSUPPORTED without libquadmath, or where r depends on the multipliers
} hml_elimination;

// A corner of the forces. Where a function changes its formula, at the roots of `guard`, parameters replace it in the expressions.
// For a sign they are the sign itself (-1, 0 or 1), then 1 and 0 above the root, 0 and 1 below it. For a table of data they are the ends of
// an interval, its left end again, and the four coefficients of the cubic on it. In a run they are constant between corners, and steps end at
// corners; in other calls they follow from the state
typedef struct hml_branch_spec {
  const char *text;                    // the argument, for messages
  double table;                        // of hml_data_new; 0: a sign
  size_t held;                         // the first of its parameters (from 0), which are the last of the model
  hml_expr argument, guard;            // functions of time, states and parameters; guard: the argument, or the product of its distances from both ends
  int of_constraint;                   // 1: a constraint bends there, and the argument contains velocities: both sides may lead on
} hml_branch_spec;

// Values that a motion without impulses keeps where a branch takes another side: momenta dL/dq', the energy sum p q' - L, residuals of constraints.
// The first n_free, momenta and energy, may jump along a combination of the reactions and of the normals of the branches that change. The last n_positions,
// places of bodies and residuals of constraints on positions, jump by no impulse. Where velocities are functions of the states that satisfy the constraints
// of every side, residuals contain symbols in their place, with the values of the side before
typedef struct hml_impulse_spec {
  size_t n, n_free, n_positions, n_reactions, n_velocities;
  const hml_expr *values;              // functions of time, states, parameters and kept   (n)
  const hml_expr *velocities;          // functions of time, states and parameters         (n_velocities)
  const hml_expr *kept;                // symbols of the velocities before                 (n_velocities)
  const char *const *texts;            // for messages                                     (n)
  const hml_expr *reactions;           // row-major                                        (n_reactions x n_free)
  const hml_expr *normals;             // row-major                                        (n_branches x n_free)
} hml_impulse_spec;

typedef struct hml_model_spec {        // copied by hml_model_new; expressions may contain t, the states, the parameters and the externals
  const char *name;
  size_t n_kin, n_dyn, n_multipliers, n_parameters, n_externals, n_positions, n_velocities;
  hml_expr time;
  const hml_expr *kin, *dyn;           // state symbols                                    (n_kin), (n_dyn)
  const hml_expr *parameters;          // symbols                                          (n_parameters)
  const double *parameter_values;
  const hml_expr *externals;           // symbols; the force callback returns their values (n_externals)
  const hml_expr *multipliers;         // symbols of lambda, where r and power depend on it; NULL: they do not   (n_multipliers)
  const char *const *dyn_names;        // for messages: the coordinate behind each x_dyn   (n_dyn)
  const char *const *multiplier_names; // for messages: the constraint behind each row     (n_multipliers)
  const char *const *position_names;   //                                                  (n_positions)
  const char *const *velocity_names;   //                                                  (n_velocities)
  const hml_expr *k;                   // (n_kin)
  const hml_expr *mass;                // M, row-major, symmetric                          (n_dyn x n_dyn); NULL: see `lagrangian`
  const hml_expr *rows;                // A, row-major                                     (n_multipliers x n_dyn)
  const hml_expr *r;                   // (n_dyn); NULL beside mass NULL
  const hml_expr *b;                   // (n_multipliers)
  const hml_expr *position_residuals;  // g(x_kin, t) = 0                                  (n_positions)
  const hml_expr *position_jacobian;   // dg/dx_kin, row-major                             (n_positions x n_kin)
  const hml_expr *velocity_residuals;  // f(x, t) = 0                                      (n_velocities)
  const hml_expr *velocity_jacobian;   // df/dx_dyn, row-major                             (n_velocities x n_dyn)
  hml_expr energy, kinetic;            // NULL: none
  hml_expr power;                      // d(energy)/dt, apart from the multipliers; NULL: zero
  const hml_expr *multiplier_power;    // power per unit of each multiplier; NULL: none    (n_multipliers)
  // not 0: the other constraints imply this one (hml_generic_rank). Its row is removed, and hml_multipliers returns the multipliers of
  // least norm. NULL: none are implied                                                    (n_multipliers), (n_positions), (n_velocities)
  const unsigned char *implied, *implied_positions, *implied_velocities;
  int counts_work;                     // not 0: the last state is the work even if no power is given, because contacts do work
  int momenta_kept;                    // not 0: the velocity residuals belong to the last rows of M; the correction d with M d = (0, -residual)
                                       // does not change the momenta of the other rows (vakonomic models)
  hml_executor executor;
  hml_elimination elimination;
  // for HML_GRAPH and HML_CHEAPEST, where k is x_dyn: M, r, A and b again, as L = T - V, generalised forces and the constraints on the level of velocities; NULL: not known
  hml_expr lagrangian;
  const hml_expr *forces;              // (n_dyn)
  const hml_expr *row_functions;       // (n_multipliers)
  // Where mass is NULL, M, r, rows, b and the energy come from these alone. Then *out is NULL, and nothing has failed, where they do not suffice or a
  // solve by the entries of M may be cheaper: the model is asked for again, with mass
  size_t n_branches;
  const hml_branch_spec *branches;     // in the order of their parameters                 (n_branches)
  const hml_impulse_spec *impulse;     // NULL: none of these values jumps
} hml_model_spec;

// fails: HML_ARGUMENT (fields missing or given twice), HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT, HML_UNSUPPORTED (HML_NATIVE without machine code)
HML_API hml_status hml_model_new(hml_context *c, const hml_model_spec *spec, hml_model **out);
HML_API void hml_model_free(hml_model *m);                           // after its workspaces
HML_API size_t hml_model_state_size(const hml_model *m);             // n_kin + n_dyn, and one more if the last state is the work
HML_API size_t hml_model_controlled_size(const hml_model *m);        // n_kin + n_dyn
HML_API hml_elimination hml_model_elimination(const hml_model *m);    // of its program of x'
HML_API int hml_model_is_native(const hml_model *m);                 // 1: its right-hand side is machine code
// Replaces the program of x' by your code, which takes the arguments of hml_program_eval and must return the same values; NULL undoes this.
// Call it before threads share the model.                                fails: HML_UNSUPPORTED where hml_model_rate returns NULL
HML_API hml_status hml_model_set_code(hml_model *m, hml_foreign_code code);
HML_API const char *hml_native_refusal(void);                        // the reason why machine code is not available; NULL: it is
HML_API int hml_model_has_work(const hml_model *m);                  // 1: the last state is the work done since the start
HML_API const hml_program *hml_model_dynamics(const hml_model *m);   // the program of M, A, r, b, for listings; of a model from its energies it is made at the
                                                                     // first call, and NULL if memory lacks
// The program of x'. Inputs: t, kin, dyn, parameters, externals. Outputs: x', then *margins numbers that must be positive for x' to be valid.
// NULL: the program with its linear solve would be too long, or M is singular by its structure
HML_API const hml_program *hml_model_rate(const hml_model *m, size_t *margins);
HML_API size_t hml_model_operations(const hml_model *m);             // of one right-hand side; above some 8000 the linear solve is a separate step

// Writes the values of the externals at (t, x) to out (n_externals). A status other than HML_OK stops the evaluation.
typedef hml_status (*hml_force)(void *payload, double t, const double *x, double *out);

// The workspace has the model's parameter values and no state. Free it before the model.                                fails: nothing else
HML_API hml_status hml_workspace_new(hml_context *c, const hml_model *m, hml_workspace **out);
HML_API void hml_workspace_free(hml_workspace *w);
HML_API void hml_workspace_set_force(hml_workspace *w, hml_force force, void *payload);   // the payload stays yours
HML_API hml_status hml_workspace_set_parameters(hml_workspace *w, const double *values);   // copied; without the parameters of branches   fails: HML_NOT_FINITE
HML_API hml_status hml_workspace_set_state(hml_workspace *w, double t, const double *x);   // copied   fails: HML_NOT_FINITE
// The functions below evaluate M a = r + A^T lambda at the state of the workspace. Each fails with HML_ARGUMENT if no state is set, with
// HML_NOT_FINITE if an expression has no finite value there (the message names it), and with the status of the force callback. "no solution":
// also with HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION, and with HML_NO_UNIQUE_REACTION where r depends on lambda.
HML_API hml_status hml_mass_matrix(hml_workspace *w, double *out);          // M, row-major n_dyn x n_dyn           fails: HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_mass_times(hml_workspace *w, const double *u, double *out);   // M u (n_dyn), without M where the elimination is HML_GRAPH; no overlap   fails: as hml_mass_matrix
HML_API hml_status hml_acceleration(hml_workspace *w, double *out);         // a = x_dyn'  (n_dyn)                   fails: HML_ARGUMENT, HML_NOT_FINITE, no solution
HML_API hml_status hml_multipliers(hml_workspace *w, double *out);          // lambda  (n_multipliers), of least norm if constraints are implied   fails: as hml_acceleration
// Rank of A at generic points of the constraints near (t, x), a state that satisfies them. If it is less than n_multipliers, the other
// constraints imply some of them along the whole motion: `implied` marks these, and `open` marks all constraints whose multipliers are then
// undetermined (n_multipliers each). If the rank is smaller only at (t, x), this state is singular and no constraint is implied.
// fails: HML_UNSUPPORTED where the derivative of a constraint vanishes on the constraint (a square), and where rows differ by less than 1e-6 of
// their length but by more than rounding; HML_CONTRADICTION where the derivative of an implied constraint does not follow from the others;
// HML_NOT_FINITE
HML_API hml_status hml_generic_rank(hml_workspace *w, double t, const double *x, size_t *rank, unsigned char *implied, unsigned char *open);
HML_API hml_status hml_state_rate(hml_workspace *w, double *out);           // x'      (state size)                  fails: as hml_acceleration
HML_API hml_status hml_energies(hml_workspace *w, double *energy, double *kinetic);   // either may be NULL   fails: HML_UNSUPPORTED (no energy in the spec), HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_residuals(hml_workspace *w, double *positions, double *velocities);   // g, f; either may be NULL    fails: HML_ARGUMENT, HML_NOT_FINITE
HML_API hml_status hml_state_jacobian(hml_workspace *w, double *dfdx, double *dfdt);   // of x' by x, row-major, exact; either may be NULL
                                                                            // fails: HML_UNSUPPORTED with externals, HML_LIMIT; as hml_acceleration
// Projects x onto the constraints if a residual exceeds the tolerances, by the least change in the mass metric. *moved: 1 if x was changed.
// fails: HML_PROJECTION (no convergence), HML_CONTRADICTION, HML_NOT_FINITE, the status of the force callback, and for models with
// momenta_kept as hml_acceleration. x is then unchanged
HML_API hml_status hml_project(hml_workspace *w, double t, double rtol, double atol, double *x, int *moved);
// Computes consistent initial conditions: entries of x with known == 0 are computed from the constraints, the others stay as given.
// The values in x serve as the guess.
// fails: HML_INCONSISTENT_START, with the constraint and its residual in the message; HML_ARGUMENT where the constraints do not determine the
// free entries; HML_UNSUPPORTED where the row of a constraint is zero; HML_NOT_FINITE
HML_API hml_status hml_complete_start(hml_workspace *w, double t, const unsigned char *known, double tolerance, double *x);
// Searches for positions (n_kin) other than those of a consistent x that satisfy the constraints with the same given entries. Angles that
// differ by whole turns do not count. The search may miss solutions.                                                      fails: HML_NOT_FINITE
HML_API hml_status hml_other_assembly(hml_workspace *w, double t, const unsigned char *known, double tolerance, const double *x, double *other, int *found);
// *off: the least tolerance with which hml_complete_start accepts x if all entries are given
// fails: HML_NOT_FINITE
HML_API hml_status hml_inconsistency(hml_workspace *w, double t, const double *x, double *off);

// Least-squares solution of least norm of a x = b (row-major m x n). Singular values below cutoff times the largest count as zero. rank may be NULL
// fails: HML_NOT_FINITE
HML_API hml_status hml_least_squares(hml_context *c, size_t m, size_t n, const double *a, const double *b, double cutoff, double *x, size_t *rank);
// Eigenvalues (n pairs re, im; largest real part first) and, unless NULL, eigenvectors (one after the other, n pairs each) of a row-major
// n x n matrix, which need not be symmetric.                             fails: HML_NOT_FINITE, HML_LIMIT where the iteration does not converge
HML_API hml_status hml_eigen(hml_context *c, size_t n, const double *a, double *values, double *vectors);

// ---- one-sided constraints ------------------------------------------------------------------------------------------
// Gaps g(x_kin, t) >= 0, bounds g1(x, t) >= 0 on velocities, and friction along slip velocities s(x, t). Their reactions W^T z are added to
// A^T lambda; the rows of W are dg'/dx_dyn, dg1/dx_dyn and ds/dx_dyn. For models whose x_dyn are the velocities (x_kin' = x_dyn).
typedef struct hml_contacts hml_contacts;      // of one workspace

// ROW(constant, name): sources of the normal force of a friction
#define HML_PRESSINGS(ROW) ROW(PRESSED_BY_EXPRESSION, "expression") ROW(PRESSED_BY_GAP, "gap") ROW(PRESSED_BY_MULTIPLIER, "multiplier")
#define HML_CONSTANT(constant, name) HML_##constant,
typedef enum hml_pressing { HML_PRESSINGS(HML_CONSTANT) } hml_pressing;
// ROW(constant, name): laws of impact of a gap. In simultaneous impacts of several gaps all laws but the user's are replaced by Moreau's
#define HML_IMPACT_LAWS(ROW)                                                                          \
  ROW(NEWTON, "newton")                /* u+ = -e u-; friction during the impact */                   \
  ROW(POISSON, "poisson")              /* impulse of restitution = e x impulse of compression */      \
  ROW(STRONGE, "stronge")              /* work of restitution = -e^2 x work of compression */         \
  ROW(MOREAU, "moreau")                /* u+ = -e u-; friction opposes the slip after the impact */   \
  ROW(USER_LAW, "user")                /* the callback `law` */

typedef enum hml_impact_law { HML_IMPACT_LAWS(HML_CONSTANT) } hml_impact_law;

typedef struct hml_gap_spec {
  const char *name;
  hml_expr gap;
  hml_expr whole;                      // where `gap` has its corners held on one side: the gap with its corners, whose roots are impacts; NULL: `gap`
  int level;                           // 1: a bound on velocities, without law, rough and held rows
  hml_impact_law law;
  hml_expr restitution, tangential;    // e, and e_t of the rough rows; functions of parameters; NULL: 0
  double capture;                      // the gap closes if the normal speed after an impact is smaller; 0: impacts go on
  // first index and number among the tangents. Rough: reversed by an impact (u+ = -e_t u-), zero in lasting contact. Held: continuous
  size_t rough, n_rough, held, n_held;
} hml_gap_spec;

typedef struct hml_friction_spec {     // z in -N dh(y) for the slip y; h: support function of the law (src/contact/laws.def)
  const char *name;
  const char *law;                     // "coulomb": |z| <= mu N; "elliptic"; "uniform" and "hertz", whose last slip is a spin; NULL: "coulomb"
  size_t first, count;                 // first index and number among the slips, up to three
  hml_pressing kind;                   // the source of the normal force N
  size_t index;                        // of the gap or the multiplier
  hml_expr normal;                     // N as an expression; negative values: no contact
  hml_expr coefficient[2], static_coefficient[2];   // the second ones for an ellipse, else NULL
  hml_expr radius;                     // of the contact area, for laws with a spin, else NULL
  size_t n_cone;
  const size_t *cone;                  // multipliers whose reactions use the same friction: |z|^2 + sum lambda_c^2 <= (mu N)^2
} hml_friction_spec;

typedef struct hml_contact_spec {
  size_t n_gaps, n_slips, n_tangents, n_frictions;
  const hml_gap_spec *gaps;
  const hml_friction_spec *frictions;
  const hml_expr *velocities;          // g' or g1, slips, tangents                        (n_gaps + n_slips + n_tangents)
  const hml_expr *rows;                // derivatives by x_dyn, row-major                  (as velocities, x n_dyn)
  const hml_expr *drifts;              // velocity' = row . x_dyn' + drift                 (as velocities)
} hml_contact_spec;

// ---- runs -----------------------------------------------------------------------------------------------------------
typedef struct hml_trajectory hml_trajectory;

// ROW(constant, name): the points and records of a run that are stored
#define HML_KEEPINGS(ROW)                                                 \
  ROW(KEEP_STEPS, "steps")             /* all steps, all records */       \
  ROW(KEEP_JUMPS, "impacts")           /* start, end, all records */      \
  ROW(KEEP_ENDS, "ends")               /* start, end, notes */

typedef enum hml_keeping { HML_KEEPINGS(HML_CONSTANT) } hml_keeping;

// ROW(type, name): numerical options of a run; an int is 0 (no) or 1 (yes)
#define HML_RUN_OPTIONS(ROW)                                                                                                       \
  ROW(double, rtol)                    /* error per step: |e_i| <= atol + rtol |y_i| */                                           \
  ROW(double, atol)                                                                                                                \
  ROW(double, first_step)              /* 0: chosen by the method */                                                               \
  ROW(double, max_step)                /* 0: no limit */                                                                           \
  ROW(double, step)                    /* size of the steps, for methods with fixed steps */                                       \
  ROW(size_t, max_steps)               /* 0: no limit */                                                                           \
  ROW(int, project)                    /* project onto the constraints after each step */                                          \
  ROW(int, dense)                      /* store the dense output, for values between the steps */                                  \
  ROW(int, refuse_several)             /* with contacts: stop at a state from which several motions are possible */

typedef struct hml_run_options {
  const char *method;                  // a row of steppers.def; NULL: "dop853"
#define HML_FIELD(type, name) type name;
  HML_RUN_OPTIONS(HML_FIELD)
#undef HML_FIELD
  hml_keeping keep;
  void (*progress)(void *payload, double t);   // called some times a second, from the first second of the run on; NULL: none
  void *progress_payload;
  const double *noted;                 // (n_noted) times, in the direction of the run, whose states are written to `states_noted` on the way; NULL: none
  size_t n_noted;
  double *states_noted;                // (n_noted x n) those behind the last point of the run mean nothing
  hml_trajectory *onto;                // continue and return this trajectory, which ends at (t0, x); NULL: a new one
  int bare;                            // 1: no second run judges its errors
  double rest;                         // of a run in pieces: time from t1 to the end of the last piece; 0: this is the last one, or the only one
} hml_run_options;

// ROW(name): counters of a run
#define HML_COUNTERS(ROW) \
  ROW(steps) ROW(rejected) ROW(evaluations) ROW(jacobians) ROW(projections) ROW(impacts) ROW(switches) ROW(stiff_steps)

typedef struct hml_outcome {
  hml_status status;                   // HML_OK: reached the end
  double t;                            // time reached; of a singular place that ended the run (its last point may stand before it)
  char message[1000];                  // when, where, why
  char doubt[400];                     // empty, or: why the end that was reached is less accurate than the tolerances ask
  double step_errors;                  // of steps of one size: what the errors of all steps grow to, as a part of the motion; 0: not known
  double left_rest;                    // when it left a state at which it nearly rested on the way, see near_rest.h; NaN: never
  int compared;                        // 1: these were measured by comparison with a second run all along
  int not_compared;                    // 1: steps of one size whose comparison with a second run was given up, for it would have taken too long
#define HML_COUNTER(name) size_t name;
  HML_COUNTERS(HML_COUNTER)
#undef HML_COUNTER
  double seconds;                      // computing time
} hml_outcome;

HML_API hml_run_options hml_run_options_default(void);               // dop853, 1e-9, 1e-9, projected, dense
HML_API size_t hml_stepper_count(void);
HML_API const char *hml_stepper_name(size_t i);
HML_API const char *hml_stepper_title(size_t i);
HML_API int hml_stepper_fixed(size_t i);                             // 1: steps of one size, the option `step`
HML_API int hml_stepper_takes_contacts(size_t i);                    // 1: for runs with one-sided constraints and friction
HML_API int hml_stepper_find(const char *name);                      // -1: none

// Runs a model from x at t0 to t1; t1 < t0 runs backward. A run that stops early is not a failure: the trajectory has all completed steps,
// and *outcome has a status (any of them) and the reason.            fails: HML_ARGUMENT (options, times, state); *out is then NULL
HML_API hml_status hml_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x,
                           hml_trajectory **out, hml_outcome *outcome);

// ---- one-step maps given by expressions: residual(z; t, h, x) = 0 determines z, then x1 = update(z; t, h, x)
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

// fails: HML_ARGUMENT (no states or no unknowns, fields missing), HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT
HML_API hml_status hml_discrete_new(hml_context *c, const hml_discrete_spec *spec, hml_discrete **out);
HML_API void hml_discrete_free(hml_discrete *d);
// Applies the map in steps of options.step (method "dla"). The model of the workspace provides slopes, messages and the work
// fails: as hml_run
HML_API hml_status hml_discrete_run(hml_workspace *w, const hml_discrete *d, const hml_run_options *options, double t0, double t1, const double *x,
                                    hml_trajectory **out, hml_outcome *outcome);

// A reference solution in quadruple precision, computed twice with different steps; the common digits of both results are reliable. Numbers
// are texts such as "0.1", "1/3" or "0x1p-3", read in quadruple precision.
typedef struct hml_reference_spec {
  const char *start;                   // initial time
  size_t n_times;
  const char *const *times;            // monotonic, beginning at the initial time         (n_times)
  const char *const *x;                // initial states                                   (state size)
  size_t n_parameters;                 // 0: the values of the workspace
  const char *const *parameters;       //                                                  (n_parameters)
  int digits;                          // to compute: 1 to 32
  double *sizes;                       // out: the largest size of each state up to each time (n_times x n); may be NULL
} hml_reference_spec;
// texts, others: the two solutions, 36 digits in 64 characters each                        (n_times x state size x 64)
// fails: HML_UNSUPPORTED (quadruple precision is not available, accelerations are not formulas), HML_ARGUMENT (digits, texts), HML_LIMIT, and where
// the motion cannot be followed HML_SINGULAR, HML_SINGULAR_MASS, HML_NOT_FINITE, HML_STEP_COLLAPSED or the status of a pole on the way
HML_API hml_status hml_reference_run(hml_workspace *w, const hml_reference_spec *spec, char *texts, char *others);
// Refines consistent initial conditions to quadruple precision: entries of spec->x with known == 0 are computed again from the constraints,
// with their values as the guess. texts: the states, 36 digits in 64 characters each       (state size x 64)
// fails: HML_UNSUPPORTED (quadruple precision is not available), HML_ARGUMENT (texts), HML_INCONSISTENT_START, HML_NOT_FINITE
HML_API hml_status hml_complete_start_exactly(hml_workspace *w, const hml_reference_spec *spec, const unsigned char *known, char *texts);

// A run with `count` solutions of the variational equations delta x' = (df/dx) delta x. The state of the trajectory: x without the work, the
// directions one after the other (count x controlled size), the work if the model has it.                                    fails: as hml_run
HML_API hml_status hml_variational_run(hml_workspace *w, const hml_run_options *options, double t0, double t1, const double *x, size_t count,
                                       const double *directions, hml_trajectory **out, hml_outcome *outcome);

// ---- runs with events, impacts and friction: a workspace with its contacts and events, and the records of the last run
typedef struct hml_hybrid hml_hybrid;

typedef struct hml_event_spec {
  const char *name;
  hml_expr expression;                 // NULL: the callback returns its value
  int direction;                       // of the root in the direction of the run: -1 falling, 1 rising, 0 either
  int terminal;                        // not 0: ends the run
  const char *reason;                  // a terminal event ends the run with the status SINGULAR and this text; NULL: with EVENT and the name
  size_t flips;                        // not 0: number of a parameter that is the sign of the expression and changes at the root
} hml_event_spec;

typedef struct hml_hybrid_callbacks {
  void *payload;
  hml_status (*event)(void *payload, size_t event, double t, const double *x, double *value);
  // Impact law of the user: from the velocities of the gap and of its rough rows before the impact, those after it
  hml_status (*law)(void *payload, size_t gap, double t, const double *x, double normal, const double *rough, double *wanted_normal,
                    double *wanted_rough);
} hml_hybrid_callbacks;

typedef struct hml_hybrid_spec {
  const hml_model_spec *symbols;       // the spec of the workspace's model
  const hml_contact_spec *contacts;    // NULL: none
  size_t n_events;
  const hml_event_spec *events;        // expressions of time, states, parameters and the symbols below
  const hml_expr *rates;               // symbols of x_dyn'                                (n_dyn)
  const hml_expr *multipliers;         // symbols of the multipliers                       (n_multipliers)
  const hml_expr *reactions;           // symbols of the reactions of gaps, slips, tangents   (n_gaps + n_slips + n_tangents)
  hml_hybrid_callbacks callbacks;
} hml_hybrid_spec;

// ROW(constant, name): kinds of records; states of gaps and of frictions
#define HML_RECORD_KINDS(ROW) \
  ROW(RECORD_EVENT, "event") ROW(RECORD_IMPACT, "impact") ROW(RECORD_SWITCH, "switch") ROW(RECORD_ACCUMULATION, "accumulation") ROW(RECORD_NOTE, "note")
#define HML_CONTACT_STATES(ROW) \
  ROW(OPEN, "open") ROW(CLOSED, "closed") ROW(FRICTION_FREE, "free") ROW(FRICTION_STICK, "stick") ROW(FRICTION_SLIP, "slip")

typedef enum hml_record_kind { HML_RECORD_KINDS(HML_CONSTANT) } hml_record_kind;
enum { HML_CONTACT_STATES(HML_CONSTANT) };

typedef struct hml_record {
  hml_record_kind kind;
  double t;
  size_t which;                        // number of the event or gap; of a switch: of the gap, or n_gaps + number of the friction
  int from, to;                        // of a switch: states
  const double *state;                 // at an event, or before an impact                 (state size)
  const double *after;                 // of an impact: state after it, impulses of gaps, slips, tangents, then of the multipliers
  double energy_change;                // of the model by an impact (method "moreau": by its step); negative: a loss
  double leaves[3], takes[3];          // of a switch of friction: unit vectors of the slip that ends and of the slip that begins; zero: stick
  double error, ratio;                 // of an accumulation of impacts at t: error of t, ratio of successive flight times; infinite error: t is the last impact
  size_t impacts;                      // of an accumulation: their number
  const char *text;                    // of a note
} hml_record;

// The constant part of such runs for one model; several workspaces, in several threads, may use it at the same time
typedef struct hml_hybrid_shape hml_hybrid_shape;
// Free it before the model. fails: HML_ARGUMENT (fields missing), HML_UNSUPPORTED (contacts of a model whose x_dyn are not the velocities),
// HML_UNKNOWN_SYMBOL, HML_UNDEFINED, HML_LIMIT
HML_API hml_status hml_hybrid_shape_new(hml_context *c, const hml_model *m, const hml_hybrid_spec *spec, hml_hybrid_shape **out);
HML_API void hml_hybrid_shape_free(hml_hybrid_shape *s);             // after all hml_hybrid that use it

HML_API hml_status hml_hybrid_new(hml_workspace *w, const hml_hybrid_spec *spec, hml_hybrid **out);   // with its own shape         fails: as hml_hybrid_shape_new
HML_API hml_status hml_hybrid_open(hml_workspace *w, const hml_hybrid_shape *shape, hml_hybrid **out);   // fails: HML_ARGUMENT (the shape of another model)
HML_API const hml_hybrid_shape *hml_hybrid_shape_of(const hml_hybrid *h);   // its own, or the one given to hml_hybrid_open
HML_API size_t hml_hybrid_shape_events(const hml_hybrid_shape *h);
HML_API void hml_hybrid_free(hml_hybrid *h);                         // before its workspace
// As hml_run, and also with the method "moreau" (time stepping). If no motion starts from x, the function fails.
// fails: HML_ARGUMENT (options, times, state), HML_INCONSISTENT_START, HML_NOT_FINITE, HML_NO_CONTACT_MODE, HML_NO_UNIQUE_MOTION,
// HML_NO_UNIQUE_REACTION, HML_SINGULAR_MASS, HML_DEPENDENT_CONSTRAINTS, HML_CONTRADICTION, HML_LIMIT, HML_UNSUPPORTED (an impact of a
// model without an energy), and what a callback returned
HML_API hml_status hml_hybrid_run(hml_hybrid *h, const hml_run_options *options, double t0, double t1, const double *x,
                                  hml_trajectory **out, hml_outcome *outcome);
// With options->onto a run goes on where the last run on h ended, in its contact mode: impacts that accumulate are counted on, records added.
// fails besides: HML_ARGUMENT (the last run ended elsewhere, or early), HML_UNSUPPORTED (method "moreau", events that flip signs)
// The last run as bytes: contacts where it ended, records, contact modes. They belong to h until the next call, and are in the byte order of this
// machine; *size: their number. fails: HML_UNSUPPORTED (method "moreau", a run that did not keep its steps), HML_MEMORY
HML_API hml_status hml_hybrid_store(hml_hybrid *h, const void **block, size_t *size);
// As if h had made that run. fails: HML_ARGUMENT where hml_hybrid_store wrote no such block for the same contacts and events
HML_API hml_status hml_hybrid_restore(hml_hybrid *h, const void *block, size_t size);
HML_API size_t hml_hybrid_records(const hml_hybrid *h);
HML_API hml_record hml_hybrid_record(const hml_hybrid *h, size_t i);   // its pointers belong to h and are valid until the next run
HML_API size_t hml_hybrid_meetings(const hml_hybrid *h, size_t event);   // number of times an event was met in the last run, stored or not
// Accelerations, multipliers, and reactions of gaps, slips, tangents at (t, x). point: number of the first point of the trajectory at or after t
// fails: as hml_acceleration, and HML_NO_CONTACT_MODE where no reactions are consistent with the contact mode
HML_API hml_status hml_hybrid_evaluate(hml_hybrid *h, size_t point, double t, const double *x, double *a, double *lambda, double *z);
// The contact mode that holds up to that point: gaps: 1 where closed; frictions: 0 where nothing presses, 1 in stick, 2 in slip
// fails: HML_UNSUPPORTED (method "moreau", a run that did not keep its steps, a system without contacts)
HML_API hml_status hml_hybrid_mode(hml_hybrid *h, size_t point, unsigned char *gaps, unsigned char *frictions);

// ---- many runs of one model: in threads, and several runs side by side in the vector unit (lanes)
typedef struct hml_ensemble_row {
  double *found;                       // refusals, see hml_readings_spec; roots in order: number of the root, t, x, then the next one
  size_t n_found;                      // numbers in that list
  hml_status status;                   // HML_INTERRUPTED: the run is not complete
  double t;                            // as in hml_outcome
  size_t steps, rejected, evaluations, impacts, switches;
  char *message;                       // of a run that stopped early; hml_outcome.doubt of a run that reached its end or an event; NULL: none
  int doubted;                         // not 0: the message is a doubt
  int left;                            // not 0: the run was not made, see hml_ensemble_spec.only_lanes
  // With hml_ensemble_spec.digits: the part of the largest acceleration that rounding costs at the worst of the states that were looked at, and when; 0: no more
  // than the tolerances let pass. lost_states: not 0 where the reason is that states do not hold the velocities
  double lost, lost_at;
  int lost_states;
} hml_ensemble_row;

// Read off each run on its way: roots of functions of (t, x), in order, the largest values and the means of others. Programs have the inputs t, the first
// `states` components of x, constants. A run that stops early has what was read until then.
// A reading without a value is refused: the largest value of a function that has a pole, the mean of one whose integral does not settle, roots that
// cannot be told apart. Its entry among those found has -1 - (number of the program) where the function has no value at (t, x), so much less the number
// of programs where the search came to its limit near (t, x), and less it twice where roots near (t, x) are not decided: see `decided`
typedef struct hml_readings_spec {
  size_t states, n_constants, n_roots, n_peaks, n_means;
  const double *constants;             // of each run                                      (runs x n_constants)
  const hml_program *all;              // outputs: the functions of the roots, then those of the peaks
  const hml_program *averaged;         // outputs: the functions whose means are wanted; NULL: none
  const hml_program *const *programs;  // the same, one output each                        (n_roots + n_peaks + n_means)
  const int *directions;               // of the roots, in the direction of the run: -1 falling, 1 rising, 0 either   (n_roots)
  const double *from;                  // roots from that time on count                    (n_roots)
  const size_t *keep;                  // so many of these, the first ones, are stored with their states   (n_roots)
  // NULL, or not 0: a terminal event of `hybrid`. Where all events are such roots, the runs use lanes
  const unsigned char *ends;           // (n_roots)
  const size_t *turns;                 // which root is where its rate vanishes; n_roots: it has none   (n_peaks)
  const int *signs;                    // 1: the largest value, -1: the least              (n_peaks)
  // NULL, or not 0: roots must be decided, those that are stored, or all where none is: where the function comes to zero within the error of the run, but does
  // not pass through it, or where the run ends there, they are refused. The error grows up to 1000 times the tolerances, see undecided.c. Leaps through zero
  // are no roots                                                                          (n_roots)
  const unsigned char *decided;
  double rtol, atol, step_errors;      // for hml_trajectory_read: of the run, see hml_run_options and hml_outcome,
  int compared, not_compared;
  int at_event;                        // which ended at an event, if not 0
  // NULL, or not 0: found by a search of each step, in place of roots of a rate; so are values of functions with corners, jumps and holes   (n_peaks)
  const unsigned char *searched;
  size_t *counts;                      // how many roots                                   (runs x n_roots)
  double *peaks;                       // (runs x n_peaks)
  double *means;                       // over the time of the run                         (runs x n_means)
} hml_readings_spec;

#define HML_HELD 10                    // tolerances
typedef struct hml_ensemble_spec {
  size_t n, n_times;
  double t0;
  const double *times;                 // of the stored states, monotonic, beginning at t0 (n_times)
  const double *starts;                // initial states                                   (n x state size)
  const double *parameters;            // of each run; NULL: those of the model            (n x n_parameters)
  const hml_run_options *options;      // NULL: the default
  unsigned threads, lanes;             // 0: as many as the machine has
  // Contacts and events without callbacks; NULL: none. With them each run goes from t0 to the last time without a restart, outside the lanes
  // unless `readings` has all of its events, and the stored states come from the dense output. A terminal event replaces the last state by the state at the event
  const hml_hybrid_shape *hybrid;
  double *solutions;                   // with `hybrid`: accelerations, multipliers, reactions; NULL: none   (n x n_times x (n_dyn + multipliers + rows))
  size_t *meetings;                    // with `hybrid`: number of times each event was met; NULL: none      (n x events)
  double tidy_rtol, tidy_atol;         // with `hybrid`: states are projected onto the constraints to these tolerances; both 0: they are not
  // Directions carried along for Lyapunov exponents; 0: none. Growth is found in lanes of DOP853, rk4 and the methods of Gauss without constraints,
  // else it is not a number
  size_t directions;
  const double *first;                 // orthonormal over the components that are not ignored   (directions x components of the error norm)
  const unsigned char *ignored;        // not 0: nothing depends on this component
  const double *weights;               // of the components in lengths of directions; NULL: all 1   (n x components of the error norm)
  double skip;                         // growth is counted from t0 + skip on
  double *growth;                      // mean rates over the whole time, then over its first half   (n x 2 directions)
  const hml_readings_spec *readings;   // NULL: none; else methods need dense output
  int at_once;                         // without `hybrid`, not 0: each run goes to the last time without a restart, outside the lanes; so do steps
                                       // of one size in any case, in lanes as well
  // Without projection, not 0: runs in lanes alone, and of these the ones whose constraints hold at the end of every step, residuals being up to
  // HML_HELD (atol + rtol size) size with the largest component `size` of the state, at least 1. The other rows are `left`
  int only_lanes;
  // Errors of accelerations, relative to the largest, from which on they count at states on the way: in runs that reach their end, and where the way stops early,
  // as noise to the steps. 0: the runs are not looked at
  double digits, noise;
  void *payload;
  void (*progress)(void *payload, size_t done, size_t failed);   // called from time to time by the calling thread; NULL: none
} hml_ensemble_spec;

// The results do not depend on the number of threads. states: not a number at times that a run did not reach      (n x n_times x state size)
// The reason for which a run stopped is in its row.
// fails: HML_ARGUMENT (starts, times, options, contacts of another model), HML_UNSUPPORTED (externals, callbacks)
HML_API hml_status hml_ensemble_run(hml_context *c, const hml_model *m, const hml_ensemble_spec *spec, double *states, hml_ensemble_row *rows);
// Frees the messages and the roots of rows that hml_ensemble_run filled with this context
HML_API void hml_ensemble_free_messages(hml_context *c, size_t n, hml_ensemble_row *rows);

// The same off a finished run with dense output: counts, peaks and means of `readings` are those of one run, what is found goes into `row`, which
// hml_ensemble_free_messages frees                                                            fails: HML_ARGUMENT, HML_UNSUPPORTED (no dense output)
HML_API hml_status hml_trajectory_read(const hml_trajectory *r, const hml_readings_spec *readings, hml_ensemble_row *row);

HML_API void hml_trajectory_free(hml_trajectory *r);
HML_API size_t hml_trajectory_size(const hml_trajectory *r);         // components of the state
HML_API size_t hml_trajectory_points(const hml_trajectory *r);       // accepted steps + 1
HML_API double hml_trajectory_time(const hml_trajectory *r, size_t i);
HML_API const double *hml_trajectory_state(const hml_trajectory *r, size_t i);   // remains valid when the trajectory is continued
// The state at t from the dense output; at a jump the state before it
// fails: HML_ARGUMENT where t is outside the run, or between steps without dense output
HML_API hml_status hml_trajectory_at(const hml_trajectory *r, double t, double *x);
// Of a run that stores its ends alone up to 256 of the other points are kept as marks, evenly by number, for checks of the whole way
HML_API size_t hml_trajectory_marks(const hml_trajectory *r);
HML_API double hml_trajectory_mark_time(const hml_trajectory *r, size_t i);
HML_API const double *hml_trajectory_mark(const hml_trajectory *r, size_t i);
// Of all points of the run, stored or not, the state where the inertia was least, where rounding may cost accelerations digits; NULL: it may not, or the run
// was restored
HML_API const double *hml_trajectory_deepest(const hml_trajectory *r, double *t);
HML_API size_t hml_trajectory_stored_size(const hml_trajectory *r);    // bytes of the block for hml_trajectory_store
HML_API void hml_trajectory_store(const hml_trajectory *r, void *block);   // doubles in the byte order of this machine
// fails: HML_ARGUMENT where the block was not written by hml_trajectory_store
HML_API hml_status hml_trajectory_restore(hml_context *c, const void *block, size_t size, hml_trajectory **out);
HML_API size_t hml_trajectory_point_at(const hml_trajectory *r, double t);           // the first point at or after t along the run

typedef struct hml_root_search {       // for the roots of a function of (t, x)
  const hml_program *program;          // one output; inputs: t, the first `states` components of x, constants. NULL: `value` returns the values
  size_t states;
  const double *constants;             // of the program                                   (its inputs - 1 - states)
  hml_status (*value)(void *payload, double t, const double *x, double *value);
  void *payload;                       // of `value`
  int direction;                       // in the direction of the run: -1 falling, 1 rising, 0 either
} hml_root_search;
// Times of the roots on the dense output, in order. All roots of a program are found; of other functions those that samples show. *count: the
// number of roots; at most `capacity` of them are written
// fails: HML_ARGUMENT (no dense output, a program of another shape), HML_NOT_FINITE, what the callback returned
HML_API hml_status hml_trajectory_roots(const hml_trajectory *r, const hml_root_search *what, size_t capacity, double *times, size_t *count);

#undef HML_CONSTANT
#ifdef __cplusplus
}
#endif
#endif
