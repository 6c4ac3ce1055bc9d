// arb.h: ball arithmetic, from FLINT 3 or from the library Arb beside FLINT 2; nothing where HAMEL_ARB is not defined.
#ifndef HML_ARB_H
#define HML_ARB_H

#include "base/base.h"                 // without balls, files that hold nothing else are not empty

#ifdef HAMEL_ARB
#ifdef HAMEL_ARB_IN_FLINT
#include <flint/acb_mat.h>
#include <flint/acb_poly.h>
#include <flint/arb.h>
#include <flint/arb_mat.h>
#include <flint/arb_poly.h>
#include <flint/fmpq.h>
#else
#include <acb_mat.h>
#include <acb_poly.h>
#include <arb.h>
#include <arb_mat.h>
#include <arb_poly.h>
#include <flint/fmpq.h>
#endif
#endif

#endif
