// remainder.h: how far a smooth function of (t, x) departs from its Taylor polynomial of third degree, in a box.
#ifndef HML_REMAINDER_H
#define HML_REMAINDER_H

#include "integrate/stepper.h"

typedef struct hml_remainder hml_remainder;      // of one program; constant once built

// A function that reads more of t and the states has no bounds here. Derivatives of fourth order by three inputs: 15
enum { HML_REMAINDER_INPUTS = 3, HML_REMAINDER_FOURTHS = 15 };

// p has the inputs t, states, constants, and one output; moving: how many of them move, t and the states. *out is NULL where it reads too many of
// these, or where its derivatives have too many operations
hml_status hml_remainder__new(hml_context *c, const hml_program *p, size_t moving, hml_remainder **out);
void hml_remainder__free(hml_remainder *r);
size_t hml_remainder__inputs(const hml_remainder *r, const uint32_t **list);        // those that it reads and that move
size_t hml_remainder__room(const hml_remainder *r);                                // of scratch, in ranges

// Where the inputs lie in `in`: slopes, the largest sizes of the first derivatives by its inputs, and fourths, one for each i <= j <= k <= l in
// this order, the largest sizes of the derivatives of fourth order over the factorials of the multi-index. The remainder about any point is at most
// the sum of fourths times the products of four distances. False: the function may not be smooth there, or no bound is found
bool hml_remainder__bounds(const hml_remainder *r, const hml_range *in, hml_range *scratch, double *slopes, double *fourths);

#endif
