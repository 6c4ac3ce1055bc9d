// pool.h: products of the matrix of the accelerations and their series, fewer than its entries.
//
// Entries are often one series times constants: m a sin, -m a sin, sin. Those of the series v are v C with a constant matrix C. A few rows and columns cover
// C: a row gives v (sum over j of C_ij z_j), one product in place of as many as the row has entries; a column gives v z_j, one for all rows it is added to.
#ifndef HML_POOL_H
#define HML_POOL_H

#include "ball.h"

#ifdef HAMEL_ARB

typedef struct hml_pools hml_pools;

// For the matrix of b, whose values are marked; *sums: how many series of sums are wanted behind the solution
hml_pools *hml_pools__new(const hml_balls *b, uint32_t *sums);
void hml_pools__free(hml_pools *p);
size_t hml_pools__products(const hml_pools *p);                           // of series, for each order
// Room for long products of values by blocks; a new motion
void hml_pools__open_blocks(hml_pools *p, slong length, slong bits);
void hml_pools__restart(hml_pools *p, const hml_balls *b);
// w_i -= order k of sum over j of K_ij z_j in direction d, without that of K_0 z_k, of the entries that are not constant in t
void hml_pools__subtract(hml_pools *p, const hml_balls *b, arb_ptr w, size_t d, slong k, slong bits);
// Order k of the sums, when that of z is known
void hml_pools__extend(const hml_pools *p, const hml_balls *b, size_t d, slong k, slong bits);

#endif
#endif
