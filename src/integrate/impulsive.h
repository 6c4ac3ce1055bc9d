// impulsive.h: do momenta, the energy or the constraints of a run jump where corners take other sides? Shared only inside this room.
#ifndef HML_IMPULSIVE_H
#define HML_IMPULSIVE_H

#include "integrate/integrate.h"

typedef struct hml_impulsive hml_impulsive;

// *out NULL: nothing of the model jumps.
hml_status hml_impulsive__open(hml_workspace *w, hml_impulsive **out);
void hml_impulsive__close(hml_impulsive *i);
// Sides are about to change at (t, y); the values by the sides held now. NULL is allowed
void hml_impulsive__before(hml_impulsive *i, double t, const double *y);
// They have changed; time: of the run   fails: HML_IMPULSE where a value jumps
hml_status hml_impulsive__after(hml_impulsive *i, double time, double rtol, double atol);

#endif
