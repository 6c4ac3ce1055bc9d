// relaxed.h: products of power series whose coefficients become known one after another, by blocks.
#ifndef HML_RELAXED_H
#define HML_RELAXED_H

#include "arb.h"

#ifdef HAMEL_ARB

#include <stdbool.h>

// What earlier blocks give to the orders of one product. sums NULL: every order is a plain dot product
typedef struct hml_relaxed {
  arb_ptr sums;                        // (length)
  slong length, leaf;
} hml_relaxed;

enum { HML_OMIT_FIRST = 1, HML_OMIT_LAST = 2 };        // the pairs a_0 b_k, a_k b_0, where one of these is not yet known

// Does a series of so many orders gain by blocks?
bool hml_relaxed__pays(slong length, slong bits);
void hml_relaxed__open(hml_relaxed *p, slong length, slong bits);
void hml_relaxed__close(hml_relaxed *p);
void hml_relaxed__restart(hml_relaxed *p);

// r = first -+ sum of a_i b_(k-i), to so many bits; first NULL: 0. r may be first, or a coefficient that is omitted.
// Orders k are asked for one after another, each once; a and b are known up to k, or to k - 1 where omitted. Restart before the first order.
// p NULL: a plain dot product
void hml_relaxed__order(hml_relaxed *p, arb_ptr r, arb_srcptr first, int less, arb_srcptr a, arb_srcptr b, slong k, int omitted, slong bits);

#endif
#endif
