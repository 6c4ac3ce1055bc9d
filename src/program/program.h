// program.h: door of the room: expressions as straight-line programs, and programs as numbers.
//
//   expressions --lower--> assembly --optimise--> assembly --schedule--> program --interpret--> numbers
//                             ^                                             |
//                             +--- derive (tangent, adjoint), saddle (x') --+
//
// A program is constant once built and holds no expression, only texts of its inputs, so that a context sweep cannot
// hurt it. Evaluation needs a work array and allocates nothing.
#ifndef HML_PROGRAM_H
#define HML_PROGRAM_H

#include "expr/expr.h"

#include <stdbool.h>

// Text of input i in listings: "x", "x'", "dx" (seed of a tangent), "w1" (weight of an adjoint).
const char *hml_program__input_name(const hml_program *p, size_t i);

// The Taylor coefficients 1 ... order of the solution of x' = f, given f as a program: inputs t, n_states states, whatever else; outputs the
// n >= n_states rates (those beyond the states are quadratures). Outputs of the result: coefficient 1 of all, coefficient 2 of all, ...,
// then the last outputs of p at the state itself, margins that must be positive for all of it to hold.
typedef struct hml_series_layout {
  size_t n_states, n, margins;
  unsigned order;
  bool exact;                          // for more digits than a double has: divisions by whole numbers stay divisions
} hml_series_layout;
hml_status hml_program__series(hml_context *c, const hml_program *p, const hml_series_layout *l, size_t most, hml_program **out);

// Of one order of that series, in convolutions, to compare programs by; infinite where memory lacks
double hml_program__series_cost(hml_context *c, const hml_program *p, size_t n_states);

bool hml_program__jumps(const hml_program *p);                         // contains a sign

// Machine code for one lane, where processor and system allow it: hml_program_eval uses it from then on. Before the program is shared.
hml_status hml_program__compile(hml_program *p);
void hml_program__set_code(hml_program *p, hml_foreign_code code);      // in place of both; NULL takes it back
bool hml_program__is_native(const hml_program *p);

// Pivots below these parts of their diagonal entries are too small: of M without and with rows beside it (there also of the usual
// size of the entry), of A M^-1 A^T
typedef struct hml_pivot_floors { double free, constrained, rows; } hml_pivot_floors;

// The shortest correction d of variables onto linearised constraints J d + residual = 0, in the metric of M: M d = J^T mu. `level` gives the
// residuals, then J row by row; its inputs are the first ones of `dynamics`, whose outputs from `mass` on are the lower triangle of M. Outputs:
// residuals, lengths of the rows of J, lengths of the variables that occur in each row (rows each), d (columns), margins.
typedef struct hml_correction_layout {
  size_t rows, columns, first_variable;    // the variables are the inputs first_variable ... first_variable + columns - 1
  const bool *implied;                     // rows that hold where the others do; NULL: none             (rows)
} hml_correction_layout;
hml_status hml_program__correction(hml_context *c, const hml_program *dynamics, size_t mass, const hml_program *level,
                                   const hml_correction_layout *l, hml_pivot_floors floors, size_t most, hml_program **out, size_t *margins);

double hml_program__cost(const hml_program *p);                        // in additions, about: functions weigh 20, quotients and roots 5

// Places of the equations of motion among the outputs of a program: k at 0, the lower triangle of M row by row, A row-major, r, b.
typedef struct hml_equation_layout {
  size_t kin, n, m;                    // x_kin, x_dyn, multipliers
  size_t mass, rows, r, b, power, multiplier_power;
  bool has_power, has_multiplier_power, has_work;
  const bool *implied;                 // rows that hold where the others do, their multipliers are zero; NULL: none   (m)
  const double *usual;                 // M_ii at usual states, zero: not known                       (n)
  bool weighted;                       // the rows go into M with weights, in units in which `usual` is one
  size_t first_parameter, n_parameters;    // among the inputs
} hml_equation_layout;

// The program of x' = (x_kin', x_dyn', power) and of `margins` numbers behind it, all of which must be positive for x' to hold: pivots
// are above `floors` times their diagonal entries. *out is NULL where a pivot is zero by structure or more than `most` operations are needed.
hml_status hml_program__solved(hml_context *c, const hml_program *p, const hml_equation_layout *l, hml_pivot_floors floors, size_t most, hml_program **out,
                               size_t *margins);

// ---- triangular.c: the same x' from a program of k, of side_i, part_ij, the pivots and their diagonal entries (1 where there is no pivot), and of the power
typedef struct hml_triangle_layout {
  size_t kin, n;
  const size_t *order;                 // in which accelerations follow one from another                  (n)
  size_t side, part, pivots, diagonals, power;
  bool has_power, has_work;
  double floor;                        // of a pivot, relative to its diagonal entry
} hml_triangle_layout;
hml_status hml_program__triangular(hml_context *c, const hml_program *p, const hml_triangle_layout *l, hml_program **out, size_t *margins);

// ---- graph.c: the same x' from the energies alone, in operations that grow as the system does
// Inputs: t, n coordinates, their n velocities, others. Places among the outputs: L = T - V, forces, the constraints on the level of velocities, which are
// differentiated once more, power and power per multiplier
typedef struct hml_graph_layout {
  size_t n, m;                         // coordinates, constraints
  size_t lagrangian, forces, rows, power, multiplier_power;
  bool has_power, has_multiplier_power, has_work;
  const bool *implied;                 // as in hml_equation_layout
  size_t first_parameter, n_parameters;    // among the inputs
  const double *parameter_values;      // at which orders are tried    (n_parameters)
  const double *sample;                // inputs at which the pivots of an order must be good besides; NULL: none
  hml_pivot_floors floors;
  size_t most;                         // operations
  size_t *entries, most_entries;       // gets the entries of M on and below the diagonal that are not zero by structure, if these are most_entries at most, else
                                       // more than that; NULL: not asked for
  hml_program **inertia;               // gets a program of the diagonal of M, with the same inputs; NULL: not asked for
} hml_graph_layout;
// x' is velocities, accelerations, power if has_work. It holds where each pivot is above its floor. Floors take more operations than pivots, which x' has
// anyway: a run asks for them now and then only, and compares pivots with those of the states nearby
typedef struct hml_graph_programs {
  hml_program *rate;                   // x', then `margins` numbers that must be positive; NULL: there is no x'
  hml_program *lean;                   // x', then those pivots that move
  hml_program *guard;                  // floors of these pivots, then usual floors, which they must be above too; then `settled` margins that depend
                                       // on parameters alone; NULL: no outputs
  hml_program *reactions;              // accelerations, multipliers (zero where implied), then the same margins; NULL: no rows
  size_t margins, pivots, settled;
  const char *why;                     // there is no x', in words; NULL: there is one
} hml_graph_programs;
// rate is NULL where M has no inverse, a row is zero, a function of velocities is not among those differentiated twice, or the program is too long
hml_status hml_program__graph(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_graph_programs *out);
void hml_program__free_graph(hml_graph_programs *g);

// ---- part.c: some of the outputs of a program, in any order, and the operations that they need
hml_status hml_program__part(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_program **out);
// The same up to rounding, with sums that share their parts (share.c)
hml_status hml_program__shared_part(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, size_t first_parameter, size_t n_parameters,
                                    hml_program **out);

// ---- compose.c: a program some of whose inputs are results of another one
typedef struct hml_composition {
  size_t first, count;                   // these inputs of the outer program are
  size_t from;                           // the outputs of the inner one from here on
  const size_t *places;                  // of the inputs of the inner program among those of the outer one   (inputs of the inner one)
} hml_composition;
// The inputs are those of the outer program; those from `first` on are not read
hml_status hml_program__composed(hml_context *c, const hml_program *outer, const hml_program *inner, const hml_composition *l, hml_program **out);

// ---- jumps.c: functions at whose zeros a program may jump, or may have no value, or has corners, and one of them as a program of the same inputs
typedef enum hml_breaks { HML_JUMPS, HML_JUMPS_AND_HOLES, HML_CORNERS } hml_breaks;
size_t hml_program__break_count(const hml_program *p, hml_breaks which);
hml_status hml_program__break_function(hml_context *c, const hml_program *p, hml_breaks which, size_t k, hml_program **out);

// dense.c: the equations themselves from the same program, in the order of hml_equation_layout: velocities, M, A, r, b, powers. *out is NULL where a row
// is zero or a function of velocities is not among those differentiated twice
hml_status hml_program__equations(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_program **out);

// correct.c: as hml_program__correction, from the same program of L, with operations that grow as the system does. Of `g` come n, lagrangian, parameters,
// floors and most; g->n = l->columns. *out is NULL where hml_program__graph has no x' without weights on the rows
hml_status hml_program__graph_correction(hml_context *c, const hml_program *energies, const hml_program *level, const hml_correction_layout *l,
                                         const hml_graph_layout *g, hml_program **out, size_t *margins);

// residual.c: does the same program say so too? in: for each of `count` points the inputs of p, n accelerations, m multipliers. off: at each point the largest of
// |d/dt dL/dv - dL/dq - Q - A^T lambda| and |df/dt| relative to their largest terms; NAN where something is not finite
hml_status hml_program__residual(hml_context *c, const hml_program *p, const hml_graph_layout *l, size_t count, const double *in, double *off);

// energies.c: v dL/dv - L, then half of v dL/dv, or the output `kinetic` if it is not SIZE_MAX
hml_status hml_program__energies(hml_context *c, const hml_program *p, const hml_graph_layout *l, size_t kinetic, hml_program **out);

// momenta.c: M u; inputs of p, then u (n); outputs M u (n)
hml_status hml_program__mass_times(hml_context *c, const hml_program *p, const hml_graph_layout *l, hml_program **out);

// places.c: is every value defined and smooth for all inputs whatever? false: not known. Derivatives are so too
bool hml_program__is_entire(const hml_program *p, size_t first_parameter, size_t n_parameters);

// ---- places.c: where a program has poles or loses smoothness
typedef struct hml_place {
  uint32_t value, source;                // for messages: the value named, the operation's result
  int what;
  bool smooth_beyond;                    // a pole: the same formula holds on both sides. Else a corner or an end, which a series does not see
  bool jumps;                            // the value jumps there, and is finite on both sides
  bool steep;                            // the derivative of a root, of a power or of an inverse function may be infinite there
  bool none;                             // the witness vanishes nowhere, as 1 + x^2, but may be small: equations change fast there
} hml_place;

typedef struct hml_places {
  hml_context *context;
  hml_program *program;                  // inputs: those of the program; outputs: witnesses, which vanish at the places. NULL: there are none
  size_t count, room;
  hml_place *list;
} hml_places;

// Does an operation have no value there, though its operands are finite, as 1/x at x = 0 in atan(1/x)? what: "1/x is infinite where x = 0"
bool hml_program__pole(const hml_program *p, const double *in, double *work, char *what, size_t capacity);

// Is there a value beyond 1e30, the first of which is described? what: "exp(1000*x) is 2e+211 where 1000*x = 487"
bool hml_program__large(const hml_program *p, const double *in, double *work, char *what, size_t capacity);

// For outputs that depend on t and the first n_states inputs after it; inputs from first_foreign on are not known
hml_status hml_program__places(hml_context *c, const hml_program *p, size_t n_states, size_t first_foreign, hml_places *out);
void hml_program__free_places(hml_places *places);
void hml_program__describe_place(const hml_program *p, const hml_place *place, size_t capacity, char *text);   // "cos(theta) = 0"
bool hml_program__reads_place(hml_context *c, const hml_program *p, const hml_place *place, size_t out);    // does that output depend on it?

// hoist.c: moves operations that depend on parameters alone out of a program
typedef struct hml_hoist_layout {
  size_t first, count;                   // inputs that stay as they are for many evaluations
  size_t place;                          // of the first value taken out among the inputs of the lean program; not below the inputs of the program
  size_t margins;                        // the last outputs, which only have to be positive
} hml_hoist_layout;

typedef struct hml_hoisted {
  hml_program *lean;                     // inputs: those of the program, values from `place` on; outputs without margins that do not move. NULL: nothing to take
  hml_program *fixed;                    // inputs: those of the program; outputs: the values, then the margins that do not move
  size_t place, count, margins, fixed_margins;   // values; margins of lean, of fixed
} hml_hoisted;

hml_status hml_program__hoist(hml_context *c, const hml_program *p, const hml_hoist_layout *l, hml_hoisted *out);
void hml_program__free_hoisted(hml_hoisted *h);

// ---- eigen_exact.c: eigenvalues of the matrix high + low (n x n, row-major), re and im of each, and its vectors in the same way, one after the other
// fails: HML_NOT_FINITE, HML_LIMIT; HML_UNSUPPORTED in builds without ball arithmetic
hml_status hml_eigen__of_sums(hml_context *c, size_t n, const double *high, const double *low, double *values, double *vectors);

// ---- quad.c: a program in quadruple precision
#ifdef HAMEL_QUADMATH
__extension__ typedef __float128 hml_quad;
#else
typedef long double hml_quad;          // a name to compile with: hml_program__has_quad is false
#endif
bool hml_program__has_quad(void);
size_t hml_program__values(const hml_program *p);                     // numbers that hml_program__eval_quad works on
void hml_program__eval_quad(const hml_program *p, const hml_quad *in, hml_quad *out, hml_quad *values);
enum { HML_QUAD_TEXT = 64 };           // characters that hold any number of HML_QUAD_DIGITS digits
enum { HML_QUAD_DIGITS = 36 };         // enough to read a number back as it was
void hml_quad__text(hml_quad x, int digits, size_t capacity, char *text);
bool hml_quad__parse(const char *text, hml_quad *out);                // "0.5", "0x1.8p3", "981/100"; false: not a finite number
// The digits, at most `digits`, to which two approximations are the same rounded number; 0 digits: none is certain, text is ""
int hml_quad__common(hml_quad a, hml_quad b, int digits, size_t capacity, char *text);

// ---- range.c: all values that a program can take
typedef struct hml_range { double low, high; } hml_range;
// How far the farthest value of a range is from one in it
static inline double hml_range__farthest(hml_range range, double value) {
  return range.high - value > value - range.low ? range.high - value : value - range.low;
}

typedef enum hml_range_kind {
  HML_RANGE_UNDEFINED,                 // for some of the inputs a value may not exist; the outputs are then not bounded
  HML_RANGE_JUMPS,                     // the outputs lie in their ranges, but need not be continuous there
  HML_RANGE_CONTINUOUS                 // and they are
} hml_range_kind;
// Ranges of the outputs for inputs anywhere in theirs, rounding errors included; values: hml_program__values(p) of scratch
hml_range_kind hml_program__range(const hml_program *p, const hml_range *in, hml_range *values, hml_range *out);
// By how much rounding of the first inputs, the instant of a corner and the state there, and of every term may change the outputs; false: they may jump,
// or may have no value. time: of the run, of which the instant is rounded, too; work: inputs, values and outputs
bool hml_program__blur(const hml_program *p, size_t rounded, double time, const double *in, hml_range *work, double *blur);
size_t hml_program__output(const hml_program *p, size_t k);            // which of the values output k is
// places.c: which outputs have a pole, for certain, where a divisor, the base of a power of -1 or less, or the cosine of a tangent vanishes in
// these ranges, which are taken to hold such a zero                                                                            fails: HML_MEMORY
hml_status hml_program__unbounded(hml_context *c, const hml_program *p, const hml_range *in, bool *outputs);
// A program with one output as sum of out[k] times moving input k, plus out[n], rounding errors included. False where it is not affine in them,
// or not finite. in: ranges of the other inputs, those of the moving ones do not count; work: hml_program__affine_size bytes
bool hml_program__affine(const hml_program *p, size_t n, const uint32_t *moving, const hml_range *in, void *work, hml_range *out);
size_t hml_program__affine_size(const hml_program *p, size_t moving);

// disk.c: a program on complex disks
typedef struct hml_disk { double centre, reach; } hml_disk;            // of a value: what it is in the middle, and how far it goes from there
// Outputs for inputs that are analytic functions of one complex number, real in the middle of its disk: bounds on how far they depart from their values
// there, up to rounding. False where it is not certain that they are analytic on the disk. values: hml_program__values(p) of scratch; terms: of the sums,
// the largest: they leave its rounding errors. sides: at each corner, as jumps.c lists them, the sign for which its formula is taken, even beyond its
// zero; NULL: the sign in the middle, and there must be no other on the disk
bool hml_program__disk(const hml_program *p, const hml_disk *in, const signed char *sides, hml_disk *values, hml_disk *out, double *terms);

// derive.c: of hml_program_tangent the tangents of the first `count` outputs alone
hml_status hml_program__rates(hml_context *c, const hml_program *p, size_t n_active, const size_t *active, size_t count, hml_program **out);

// degree.c
bool hml_program__reads(const hml_program *p, size_t input);             // does an instruction or an output read it?
// Degrees of the outputs as polynomials in the first n inputs; HML_NO_POLYNOMIAL: not known to be one
enum { HML_NO_POLYNOMIAL = 1000 };
hml_status hml_program__degrees(hml_context *c, const hml_program *p, size_t n, unsigned *out);
// Is the only output sign * input + a value of the inputs from n on, or of constants, with one rounding? *input is one of the first n, sign 1 or -1
bool hml_program__is_shifted(const hml_program *p, size_t n, size_t *input, double *sign);

// sharp.c: changes of a program between two points that its values at the points do not show
typedef struct hml_sharp hml_sharp;                                   // its exponentials, hyperbolic functions, powers, and bases: what it divides by and takes roots, logarithms or arcs of
hml_status hml_program__sharp(hml_context *c, const hml_program *p, hml_sharp **out);
// Of what the listed outputs are computed from                        (n)
hml_status hml_program__sharp_of(hml_context *c, const hml_program *p, size_t n, const size_t *outputs, hml_sharp **out);
void hml_sharp__free(hml_sharp *s);
hml_status hml_program__is_sharp(hml_context *c, const hml_program *p, bool *sharp);   // there are others than bases
bool hml_sharp__in_any_step(const hml_sharp *s);                      // there are others than bases
bool hml_sharp__reads(const hml_sharp *s);                             // there are any that are not settled
// Bases that _dip finds to fall by less than 0.3 wherever the inputs are in `in` are settled: they are read no more. All count again at the next call
void hml_sharp__settle(hml_sharp *s, const hml_range *in, hml_range *values);
// The ranges that the functions below read, narrower ones than hml_program__range leaves in `values` at times, without those of the rest of the program.
// _values: at one point, the lower ends of `in`, without what rounding may change: each range is a number, or everything where there is none
// values: hml_sharp__room of scratch
size_t hml_sharp__room(const hml_sharp *s);
void hml_sharp__ranges(const hml_sharp *s, const hml_range *in, hml_range *values);
void hml_sharp__values(const hml_sharp *s, const hml_range *in, hml_range *values);
// How many times more they change over ranges that hml_program__range left in `values` than between two points of a smooth motion
double hml_sharp__change(const hml_sharp *s, const hml_range *values);
// The same of bases: how far they may fall below their values at two points; 0 wherever may_dip is false, but for less than 0.3. One that may
// vanish between is a pole, which others look for. blind: the two points are one in the middle of a step that nothing bounds; all that the ranges
// leave open counts
bool hml_sharp__may_dip(const hml_sharp *s, const hml_range *values);
double hml_sharp__dip(const hml_sharp *s, const hml_range *values, const hml_range *start, const hml_range *end, bool blind);
// Has one of those that are no bases an argument without bounds over the ranges, though it has a value at the start?
bool hml_sharp__is_open(const hml_sharp *s, const hml_range *values, const hml_range *start);
// From here on _settle and _may_dip leave out bases that _dip finds to fall by less than 1, for those who compare with 1 alone
void hml_sharp__ignore_parts(hml_sharp *s);
// Phases, logarithms of sizes, count up to this one: 60 at first, for doubles
void hml_sharp__widen(hml_sharp *s, double window);
// Do values lie far beyond that at a point?
bool hml_range__bulges(hml_range over, hml_range point);

// ---- native.c: machine code of a program
// Constant once built, for any number of threads. The code reads `in`, writes `out` and uses `work`, arrays that must not overlap; with more than
// one lane each entry is a vector: in[i*lanes + l]. The results are bit for bit those of the interpreter; with lanes this holds for arithmetic,
// square roots, sines and cosines, abs, min and max, while other functions come from the vector library where there is one (some units in the last place).
typedef struct hml_native hml_native;

// Why there is none for that many lanes (1, 4, 8): "this processor has no AVX2", ...; NULL: there is one
const char *hml_native__refusal(unsigned lanes);
unsigned hml_native__widest(void);                                   // 8, 4, or 1 where no vectors can be used
// *out is NULL where hml_native__refusal gives a reason, or where the system gives no executable memory
hml_status hml_native__new(hml_context *c, const hml_program *p, unsigned lanes, hml_native **out);
void hml_native__free(hml_native *n);
size_t hml_native__work_size(const hml_native *n);                   // doubles, all lanes together
typedef void (*hml_native_code)(const double *in, double *out, double *work);
hml_native_code hml_native__code(const hml_native *n);

// Machine code of a right-hand side, to be called once per stage. The inputs of the program are t, `states` states, and others that `in` holds; its
// outputs are `rates` rates, then margins. The code copies t and the states into `in` and returns 1 if t, states and rates are finite, else 0; then
// the rates have no meaning. It does not judge the margins. No array may overlap with another. *code is NULL where hml_native__new gives none.
typedef struct hml_entry_layout { size_t states, rates; } hml_entry_layout;
typedef int (*hml_entry_code)(double t, const double *x, double *rates, double *in, double *work, double *margins);
hml_status hml_program__compile_entry(hml_program *p, const hml_entry_layout *l);
hml_entry_code hml_program__entry(const hml_program *p);              // NULL: none was compiled

// Tests pretend that something is missing: HML_LACKS_NOTHING sets it right again
typedef enum hml_lack { HML_LACKS_NOTHING, HML_LACKS_AVX2, HML_LACKS_AVX512, HML_LACKS_EXECUTABLE_MEMORY, HML_LACKS_VECTOR_FUNCTIONS } hml_lack;
void hml_native__pretend(hml_lack lack);

// ---- series in balls, for files that define HML_BALLS: they bring in the headers of Arb
#ifdef HML_BALLS
#include "krawczyk.h"
#endif

#endif
