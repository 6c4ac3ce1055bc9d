// program.h: door of the room: expressions become straight-line programs, programs become numbers.
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

// Text of input i, as it stands in listings: "x", "x'", "dx" (seed of a tangent), "w1" (weight of an adjoint).
const char *hml_program__input_name(const hml_program *p, size_t i);

// The Taylor coefficients 1 ... order of the solution of x' = f, given f as a program: inputs t, n_states states, whatever else; outputs the
// n >= n_states rates (those beyond the states are quadratures). Outputs of the result: coefficient 1 of all, coefficient 2 of all, ...
hml_status hml_program__series(hml_context *c, const hml_program *p, size_t n_states, size_t n, unsigned order, size_t most, hml_program **out);

// Machine code for one lane, where processor and system allow it: hml_program_eval uses it from then on. Before the program is shared.
hml_status hml_program__compile(hml_program *p);
void hml_program__set_code(hml_program *p, hml_foreign_code code);      // in place of both; NULL takes it back
bool hml_program__is_native(const hml_program *p);

double hml_program__cost(const hml_program *p);                        // in additions, about: functions weigh 20, quotients and roots 5

// Where the equations of motion stand among the outputs of a program: k at 0, the lower triangle of M row by row, A row-major, r, b.
typedef struct hml_equation_layout {
  size_t kin, n, m;                    // x_kin, x_dyn, multipliers
  size_t mass, rows, r, b, power, multiplier_power;
  bool has_power, has_multiplier_power, has_work;
} hml_equation_layout;

// The program of x' = (x_kin', x_dyn', power) and of `margins` numbers behind it, all of which must be positive for x' to hold: pivots
// are above `floor` times their diagonal entries. *out is NULL where a pivot is zero by structure or more than `most` operations are needed.
hml_status hml_program__solved(hml_context *c, const hml_program *p, const hml_equation_layout *l, double floor, size_t most, hml_program **out,
                               size_t *margins);

#endif
