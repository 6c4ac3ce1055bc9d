// lookout_impl.h: inside of the files that look for singular places along a run: lookout.c (the cheap look at each step), examined.c (a passage that
// looks as if it went through one), fine_run.c (a part of the run again, at a tight tolerance), parting.c (motions that are not unique).
#ifndef HML_LOOKOUT_IMPL_H
#define HML_LOOKOUT_IMPL_H

#include "integrate/stepper.h"

enum { HML_LOOKOUT_POINTS = 5 };       // of a step, where witnesses and margins are taken
#define HML_CLEAR_OF_ZERO 1e-2         // of the largest so far: above it nothing singular makes itself felt

// The pivots with complete pivoting over a step, the least of them; pivot = 0: they are uneven, or not known
typedef struct hml_opinion {
  double t, t1, pivot, volume;
  size_t rank;
} hml_opinion;

struct hml_lookout {
  const hml_problem *problem;
  hml_workspace *w;
  const hml_places *places;
  size_t n_places, margins, states, inputs, size;   // size: doubles of the memory
  size_t kin, dyn;                     // of the states: positions, velocities
  double *memory, *in, *work;          // of the witnesses
  double *g;                           // at the points of a step                (HML_LOOKOUT_POINTS x places)
  double *g_start, *g_scale;           // at the start of the step; largest so far
  double *g_noise;                     // what errors as large as the tolerances do to them at the start of this piece of the run
  double *m;                           // margins at the points                  (HML_LOOKOUT_POINTS x margins)
  double *m_start, *m_end, *m_scale;
  double *g_speed, *m_speed, *m_fall;  // how fast they move; how fast margins fall
  double energy_unit, energy_start;    // what errors of the tolerance do to the energy at the start of the run; the energy there
  double t_first, *first;              // the start of the run                   (states)
  bool may_lose_digits;                // rounding may cost the accelerations digits that nothing restores
  bool has_energy, has_unit;           // energy_start is known; energy_unit is
  bool was_watched, had_orders;        // the workspace, by the run round this one
  bool order_only;                     // what the margins of the step say is due to their order of pivots
  hml_opinion last;                        // of the last step whose margins were judged
  hml_opinion cleared;                     // small ones, of a step whose examination found no singular place; the largest since then
  hml_range *ranges;                   // scratch                                         (range_room)
  size_t range_room;
  bool settled;                        // nothing singular anywhere in this piece of the run: no step is looked at
  bool resolves;                       // steps over bends of roots are made shorter
  bool measured, halved;               // the speeds are known; margins in the middle of the step are
  double *y, *x;                       // scratch: a state of the problem, of the model
  double *other;                       // least and largest margins of another order            (2 x most_other)
  size_t most_other;
  size_t matrix;
  double *scale, *scale_now;           // of the pivots                          (matrix)
  double *scale_least;                 // at states of the run whose margins were judged, its start among them   (matrix)
  double pivot_end, pivot_most;        // with them: the last pivot at the end of the step; the largest so far. 0: not known
};

// ---- lookout.c
void hml_lookout__witnesses(hml_lookout *l, double t, const double *y, double *out);
const double *hml_lookout__model_state(hml_lookout *l, const double *y);  // lives until the next call
bool hml_lookout__steep_near(const hml_lookout *l, const double *g);      // is one of the witnesses g, of a root or of a power, near its zero?

bool hml_lookout__is_noise(const hml_lookout *l, size_t i, double g);     // nothing but errors, so far and with the value g: a speed that a constraint holds at zero

// ---- parting.c
// Beside a corner either side counts, while a run holds one of them
typedef struct hml_sides {
  double *kept;
  bool held;
} hml_sides;
hml_status hml_lookout__let_go(hml_lookout *l, hml_sides *s);
void hml_lookout__hold_again(hml_lookout *l, hml_sides *s);               // after let_go that succeeded

// ---- fine_run.c
#define HML_FINE 1e-11                 // its tolerance
enum { HML_FINE_STEPS = 3000, HML_FINE_MOST_STEPS = 12000 };              // the most that it makes over a step, over a longer way

// What it looks for itself: nothing; forces that act within a short part of a step; those and singular places
typedef enum hml_fine_looks { HML_FINE_BARE, HML_FINE_FORCES, HML_FINE_ALL } hml_fine_looks;

typedef struct hml_fine_run {
  hml_ode ode;                         // that of the problem without guards
  hml_trajectory *way;                 // to be freed
  hml_outcome outcome;
} hml_fine_run;

// x' for a look, which is no part of the run: evaluations and small pivots are not counted
hml_status hml_lookout__rate(hml_lookout *l, double t, const double *y, double *f);
// From the start of s to its end. Where it stops on the way, the outcome says why       fails: HML_MEMORY, HML_INTERRUPTED
hml_status hml_lookout__fine(hml_lookout *l, const hml_step *s, hml_fine_looks looks, const char *method, double tolerance, size_t most_steps, hml_fine_run *out);
bool hml_lookout__energy(hml_lookout *l, double t, const double *y, double *energy);   // false: it has no value there

#endif
