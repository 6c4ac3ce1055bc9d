// enclose.h: rigorous enclosures of motions in ball arithmetic.
#ifndef HML_ENCLOSE_H
#define HML_ENCLOSE_H

#include "program/program.h"

#ifdef HAMEL_ARB

// Programs of the equations M a = r + A^T lambda, A a + b = 0, x_kin' = k. Inputs: t, x_kin, x_dyn, held states (constant, as parameters known
// within bounds), parameters. Outputs: k, the lower triangle of M, A, r, b; `values` has further outputs, to be enclosed at points
typedef struct hml_enclosure_spec {
  const hml_program *dynamics, *values;
  size_t kin, n, m, held;
  slong bits;                          // precision of the motion
  unsigned order;                      // of its series; 0: by the bits
  double limit;                        // lost where a state is wider than this times 1 + its size
  bool tangents, fine;                 // the product of the tangent maps is wanted; to many digits
  double slack;                        // bits by which the remainder of a step may exceed the precision: 0, but in tests of the bounds of remainders
  size_t most_steps;                   // of a run: HML_LIMIT beyond; 0: any number
} hml_enclosure_spec;

typedef struct hml_enclosure hml_enclosure;

// The programs must outlive the result                                                                fails: HML_UNSUPPORTED
hml_status hml_enclosure__new(hml_context *c, const hml_enclosure_spec *spec, arb_srcptr parameters, hml_enclosure **out);
void hml_enclosure__free(hml_enclosure *e);
size_t hml_enclosure__states(const hml_enclosure *e);
size_t hml_enclosure__results(const hml_enclosure *e);                    // balls at a point: states, x_dyn', multipliers, then the further outputs

void hml_enclosure__start(hml_enclosure *e, const arb_t t, arb_srcptr x);
// Encloses the motion at times that go one way; results of each that was reached   (n x hml_enclosure__results)
// *reached: how many. Keeps the last set where it fails: HML_SINGULAR, HML_SINGULAR_MASS, HML_STEP_COLLAPSED, HML_LIMIT (too wide), HML_INTERRUPTED
hml_status hml_enclosure__run(hml_enclosure *e, size_t n, arb_srcptr times, arb_ptr results, size_t *reached);
hml_status hml_enclosure__values(hml_enclosure *e, arb_ptr results);      // at the present set
double hml_enclosure__time(const hml_enclosure *e);                       // of the present set
size_t hml_enclosure__steps(const hml_enclosure *e);
size_t hml_enclosure__most_steps(const hml_enclosure *e);                           // of a run; 0: any number
void hml_enclosure__set_most_steps(hml_enclosure *e, size_t most);
unsigned hml_enclosure__order(const hml_enclosure *e);
double hml_enclosure__width(const hml_enclosure *e);                      // largest radius of a state, rounded up
arb_srcptr hml_enclosure__hull(const hml_enclosure *e);                   // (states)
const arb_mat_struct *hml_enclosure__tangent(const hml_enclosure *e);     // derivatives of the states by those at the start, if wanted

// At any states x (balls), t = 0: their rates, the further outputs and the derivatives of these by the states; NULL: not wanted
hml_status hml_enclosure__at(hml_enclosure *e, arb_srcptr x, arb_ptr rate, arb_ptr shown, arb_mat_struct *gradient);
// The derivatives of the rates by the states at x
hml_status hml_enclosure__jacobian(hml_enclosure *e, arb_srcptr x, arb_mat_struct *J);
size_t hml_enclosure__shown(const hml_enclosure *e);                      // number of the further outputs
slong hml_enclosure__bits(const hml_enclosure *e);

// enclosed_section.c: the crossing number `count` of an output of `values` through its level, at a time T up to `end`, in one direction (1, -1) or in both (0).
// A point that starts on the section leaves it first. The output does not depend on t. *found < count: there is none up to `end`
typedef struct hml_crossing_spec {
  uint32_t output;                     // among the further outputs
  arb_srcptr level, end;
  int direction;
  size_t count;
} hml_crossing_spec;
// results: as of hml_enclosure__run        fails: as that; HML_SINGULAR also where a crossing is not decided
hml_status hml_enclosure__cross(hml_enclosure *e, const hml_crossing_spec *s, arb_t T, arb_ptr results, size_t *found);

// closed.c: is there a closed orbit near y = (x, period)? Conditions: outputs of `values` behind the equations, equal to their targets at the start;
// the last ones are integrals of the motion. Of a half orbit y holds half the period, and the mirrored states vanish at its end, in place of
// x(period) = x. The enclosure has tangents; nothing depends on t
typedef struct hml_closed_spec {
  size_t conditions, integrals;
  const uint32_t *output;              // among the further outputs                (conditions)
  arb_srcptr target;                   // (conditions)
  size_t advancing, mirrored;
  const uint32_t *advance;             // states that need not close: nothing depends on them       (advancing)
  size_t flipping;
  const uint32_t *flip;                // states that come back with the other sign, by a symmetry of the equations        (flipping)
  size_t quaternions;
  const uint32_t *quaternion;          // states that are entries of these, four each                                      (quaternions)
  arb_srcptr shift;                    // what the states gain in a period, by a symmetry; NULL: nothing                  (states)
  size_t clock;                        // 1 + the state of time, whose shift is the period; 0: none
  const uint32_t *mirror;              // of a half orbit, states that a reversal of time takes to their negatives; the others stay   (mirrored)
  size_t held;                         // the last states, parameters known within bounds: an orbit is proved for each of their values
  arb_srcptr held_values;              // (held)
  unsigned iterations;                 // of Newton's method
  arb_srcptr radius;                   // of the box of the proof, for each of the states and the period; NULL: from the last Newton step
} hml_closed_spec;

typedef struct hml_closed {
  bool proved, rows_fail;              // the integrals do not determine the rows left out
  bool astray;                         // where nothing is proved: Newton's method led to a motion that was lost, by a step that was not small
  double tried, image;                 // largest radius of the last box, of its image
  double contraction, least;           // row-sum norm of 1 - C J, each row over its radius, for J over the box; for J at y
  double rate, growth;                 // where nothing is proved: the largest rate at the last y, the largest derivative of the end by it
  size_t steps;                        // of the longest passage
  // Where nothing is proved, what lies near the guess: 0: not looked for, or nothing is known; else what follows
  int vicinity;
  size_t dependent;                    // in how many directions the derivatives of the equations vanish there
  double near_period;                  // of the motion there
  double near_residual;                // of a family and of an open motion: the largest of all closing rows and conditions there
  uint32_t near_state;                 // the state that is farthest from closing there
  char reason[400];
} hml_closed;
// A closed motion, in a family to first order; none to first order, as at a resonance; one that meets the equations solved, but not the rows left out
enum { HML_NEAR_FAMILY = 1, HML_NEAR_NONE, HML_NEAR_OPEN };

// If it is proved, or only the rows left out are not, y becomes the balls that hold the start and period, and `end` those of x(period), or of x(half of
// it); else y is the last point of Newton's method, or the family or open motion found near the guess, with its end. radii, images: of the last box, of its image
hml_status hml_enclosure__closed(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_ptr y, arb_ptr end, arb_ptr radii, arb_ptr images, hml_closed *out);
// The derivatives of the states after a whole period by the start
hml_status hml_enclosure__monodromy(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_srcptr y, arb_mat_struct *P);
// *out: a time within which no motion from y comes back; 0 where none is found
hml_status hml_enclosure__no_return(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_srcptr y, double *out);
// spectrum.c: the eigenvalues of a monodromy matrix that has the eigenvalue 1 `ones` times at least, those left out: (states - ones) balls, apart from
// each other; false where they are not
bool hml_orbit_multipliers(const arb_mat_struct *monodromy, size_t ones, acb_ptr out);

#endif
#endif
