// jumps.h: the arguments at whose zeros a function of a motion jumps, has no value, or has corners, as functions of their own
#ifndef HML_JUMPS_H
#define HML_JUMPS_H

#include "integrate/traced.h"

typedef struct hml_jumps hml_jumps;

// Of a program with inputs as in traced.h. *out is NULL where it has no such arguments
hml_status hml_jumps__open(const hml_problem *problem, const hml_program *p, hml_breaks which, size_t states, size_t n_constants, hml_jumps **out);
void hml_jumps__close(hml_jumps *j);
void hml_jumps__begin(hml_jumps *j, const double *constants, const double *errors);   // of the next motion; of the states. Both must remain
hml_status hml_jumps__enter(hml_jumps *j);                                // the next step
size_t hml_jumps__count(const hml_jumps *j);                              // NULL: 0
hml_traced *hml_jumps__traced(const hml_jumps *j);
const hml_program *hml_jumps__program(const hml_jumps *j, size_t k);
hml_guard *hml_jumps__guard(const hml_jumps *j, size_t k);

#endif
