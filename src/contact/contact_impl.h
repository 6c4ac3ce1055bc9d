// contact_impl.h: layout of contacts, inside this room.
#ifndef HML_CONTACT_IMPL_H
#define HML_CONTACT_IMPL_H

#include "accumulate.h"
#include "contact/contact.h"
#include "kernel.h"
#include "law.h"
#include "numeric/numeric.h"

#include <stdint.h>

#define HML_CONTACT_NOTHING 1e-6       // of the accelerations that move nothing by what the tolerance sees: not looked for

typedef struct hml_gap {
  const char *name;
  hml_impact_law law;
  double capture;
  bool bounds_velocity;                // its value is the velocity of its row
  size_t rough, n_rough, held, n_held; // rough, held: rows
} hml_gap;

typedef struct hml_friction {
  const char *name;
  size_t row, count;
  hml_pressing kind;
  size_t index;
  size_t n_cone, *cone;
  hml_friction_kind law;
  bool spins;                          // the last slip is the spin of a spot
} hml_friction;

struct hml_contact_shape {
  hml_context *context;
  hml_arena memory;                    // names and descriptions
  const char *model;                   // its name
  hml_model_sizes n;
  hml_contact_sizes sizes;
  size_t cones;                        // members of all shared cones
  hml_gap *gaps;
  hml_friction *frictions;
  hml_program *program;                // gaps, velocities, rows, drifts, and what follows
  hml_sharp **row_sharp, **slip_sharp; // what may come and go within a step: in a row that rests, in the law of a slip      (rows), (frictions)
  bool sharp;                          // it or the equations of motion may change by much while the states change by little: exponentials, walls
  size_t at_velocities, at_rows, at_drifts, at_restitution, at_tangential, at_normals, at_coefficients, at_static, at_radius;
};

typedef struct hml_turning {           // one way in which the direction of a slip can turn
  size_t slip;
  double across[3];
} hml_turning;

// FIELD(type, name, count): a mode. c: contacts with their sizes
#define HML_MODE_FIELDS(FIELD)                                                                            \
  FIELD(bool, closed, c->sizes.gaps)                                                                      \
  FIELD(hml_friction_state, friction_state, c->sizes.frictions)                                           \
  FIELD(double, direction, 3 * c->sizes.frictions) /* of slips, also of those that are still zero */      \
  FIELD(double, slip_left, c->sizes.frictions)     /* slip up to that size has the direction that is kept: left by rounding where it begins */ \
  FIELD(double, share, c->sizes.rows)              /* reactions that the laws allow, where the mode leaves them undetermined */

// What lasts beside the mode from one step to the next: a run that goes on needs it
#define HML_LASTING_FIELDS(FIELD)                                                                         \
  FIELD(bool, young, c->sizes.frictions)           /* a slip that follows its limit direction; slide.c */ \
  FIELD(double, born, c->sizes.frictions)          /* when that began */                                  \
  FIELD(bool, fading, c->sizes.frictions)          /* a slip that ends on its limit direction */          \
  FIELD(double, fading_slip, c->sizes.frictions)   /* that slip where the step begins */                  \
  FIELD(double, fastest, c->sizes.frictions)       /* slip since it began; this and the next of slide.c */ \
  FIELD(double, slip_before, 3 * c->sizes.frictions) /* where the step begins */                          \
  FIELD(bool, zero_slip, c->sizes.frictions)       /* by mode.c: no slip there */                         \
  FIELD(int8_t, normal_side, c->sizes.frictions)   /* of reset.c: sign that a given normal force takes from here on; 0: that of its value */ \
  FIELD(double, left_at, c->sizes.gaps)            /* from here on of reset.c: values of gaps that the last reset left on their roots */ \
  FIELD(bool, on_root, c->sizes.gaps + c->sizes.frictions)                                                \
  FIELD(bool, struck, c->sizes.rows)               /* its velocity has been changed by a blow of this reset, or by a corner of its floor */ \
  FIELD(double, speed, c->sizes.rows)              /* scale of each row's velocity when it began */       \
  FIELD(hml_accumulation, instants, c->sizes.gaps)                                                        \
  FIELD(bool, regular, c->sizes.gaps)              /* it has closed in this run, with a gradient there */

struct hml_kept_mode {
#define FIELD(type, name, count) type *name;
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  bool undetermined;                   // reactions are those nearest to `share`
};

// FIELD(type, name, count); r rows in all, n = dyn, m multipliers, f frictions
#define HML_CONTACT_FIELDS(FIELD)                                                              \
  HML_MODE_FIELDS(FIELD)                                                                       \
  HML_LASTING_FIELDS(FIELD)                                                                    \
  FIELD(double, out, hml_program_outputs(c->shape->program))                                   \
  FIELD(double, work, hml_program_work_size(c->shape->program))                                \
  FIELD(size_t, active, r)             /* rows prepared, in order */                           \
  FIELD(size_t, place, r)              /* index of a row among them, or SIZE_MAX */          \
  FIELD(double, x, r * n)              /* accelerations per unit reaction of prepared rows */  \
  FIELD(double, y, r * (m + 1))        /* multipliers per unit reaction */                     \
  FIELD(double, g, r * r)              /* row accelerations per unit reaction */               \
  FIELD(double, free, r)               /* row accelerations without contact reactions */       \
  FIELD(double, z, r)                  /* reactions of prepared rows */                        \
  FIELD(double, a, n)                                                                          \
  FIELD(double, lambda, m + 1)                                                                 \
  FIELD(double, zero, n + m + 1)                                                               \
  FIELD(double, jacobian, r * r)                                                               \
  FIELD(double, residual, 4 * r)                                                               \
  FIELD(double, kept, r * r)                                                                   \
  FIELD(double, null, r * r)                                                                   \
  FIELD(double, units, 4 * r)          /* of dense_solve */                                    \
  FIELD(size_t, pivots, 2 * r)                                                                 \
  FIELD(double, u, r)                  /* of blows and steps: velocities before */             \
  FIELD(double, part, 3 * r)           /* scratch; dense_solve takes two parts for its answer */\
  FIELD(size_t, demanded, r)           /* places of rows that demand velocities, and these */  \
  FIELD(double, wanted, r)                                                                     \
  FIELD(size_t, normals, r)            /* places of gaps that obey a law */                    \
  FIELD(hml_side, sides, c->sizes.gaps) /* these of problem.c */                               \
  FIELD(hml_demand, demands, r)                                                                \
  FIELD(hml_rub, rubs, f)                                                                      \
  FIELD(size_t, rub_of, f)             /* index of the friction at that row */                 \
  FIELD(hml_affine, cones, c->shape->cones)                                                    \
  FIELD(double, kernel_work, hml_frictional__doubles(r))                                       \
  FIELD(double, scales, r)                                                                     \
  FIELD(double, other, r)              /* reactions of another motion */                       \
  FIELD(double, aside, 2 * n)          /* of drift.c: a displacement, and the velocities that it replaces for a while */ \
  FIELD(double, from, n)               /* velocities before a blow, and what it changes in them */ \
  FIELD(double, change, n)                                                                     \
  FIELD(double, trial, r * (r + 1) + n * n) /* of roundings.c: g and z while others are tried; directions */ \
  FIELD(double, rate_before, c->sizes.rows + c->sizes.gaps)   /* of rows, on the side of a corner from which it is met, and the values of gaps */ \
  FIELD(double, in_before, hml_program_inputs(c->shape->program)) /* inputs there */           \
  FIELD(double, blurred, c->sizes.rows + c->sizes.gaps)       /* what rounding may make of the differences from these */ \
  FIELD(double, blur, hml_program_outputs(c->shape->program)) /* scratch of these */           \
  FIELD(size_t, group, r)              /* of a row in a blow: those that depend on each other; SIZE_MAX: takes no part */ \
  FIELD(double, blow, 2 * (1 + hml_model_state_size(c->model)) + r + m)   /* of reset.c */     \
  FIELD(hml_turning, turnings, 2 * f)  /* scratch of slide.c, and the next */                  \
  FIELD(double, limits, 4 * f)                                                                 \
  FIELD(double, turns, 4 * f * f + 6 * f)                                                      \
  FIELD(double, ahead, 2 * hml_model_state_size(c->model) + 2 * c->sizes.gaps + 4 * f) /* scratch of reset.c */ \
  FIELD(hml_range, ranges, hml_program_inputs(c->shape->program) + hml_program__values(c->shape->program) + hml_program_outputs(c->shape->program) + hml_model__ranges(c->model)) /* of spread.c, and the next */ \
  FIELD(hml_range, brief, hml_program_inputs(c->shape->program) + 3 * hml_program__values(c->shape->program) + hml_program_outputs(c->shape->program)) /* of brief.c */ \
  FIELD(double, spreads, 2 * r + n + m)                                                        \
  FIELD(double, response, n + 2 * m)                                                           \
  FIELD(bool, at_root, c->sizes.gaps + f) /* gaps and slips whose guards have fired in this reset */ \
  FIELD(bool, lands, c->sizes.gaps)    /* caught in this reset, and the limit of its impacts */ \
  FIELD(double, landed, c->sizes.gaps)                                                         \
  FIELD(double, rays, r * r)           /* impulses of prepared rows per unit of normal impulse, row by row */ \
  FIELD(int8_t, chosen, c->sizes.gaps + f) /* scratch of mode.c */                              \
  FIELD(bool, newly, c->sizes.gaps)    /* closes for the first time */                                                           \
  FIELD(bool, hit, c->sizes.gaps)                                                                                          \
  FIELD(bool, touching, c->sizes.gaps)                                                         \
  FIELD(bool, near, c->sizes.gaps + f)                                                         \
  FIELD(bool, leave, c->sizes.gaps + f)

struct hml_contacts {
  hml_workspace *w;
  hml_context *context;
  const hml_model *model;
  const hml_contact_shape *shape;
  hml_model_sizes n;                   // of shape and model, copied
  hml_contact_sizes sizes;
  const hml_gap *gaps;
  const hml_friction *frictions;
  const double *in;                    // t, kin, dyn, ... of the state
  size_t n_active, n_cones;            // rows prepared; members of cones in the present problem
  bool evaluated, solved;              // for the present state (and mode)
  const hml_witness *witness;          // of the run
  double duration, atol, least;        // of the run; accelerations up to that move nothing by what the tolerance sees
  double rank;                         // least pivot of prepared rows that do not depend on each other (kernel.h); 0: the usual one
  bool undetermined;                   // the mode does not determine the reactions: those nearest to c->share are taken
  bool noted_several, noted_reactions, noted_zeno, refuses_several;
  hml_kept_mode before;                // scratch of reset.c
  hml_arena memory;                    // of that
  char *block;
  size_t block_size;
#define FIELD(type, name, count) type *name;
  HML_CONTACT_FIELDS(FIELD)
#undef FIELD
};

static inline const double *hml_contact__velocity(const hml_contacts *c) {   // of all rows, once evaluated
  return c->out + c->shape->at_velocities;
}

static inline const double *hml_contact__row(const hml_contacts *c, size_t row) {
  return c->out + c->shape->at_rows + row * c->n.dyn;
}

static inline double hml_contact__drift(const hml_contacts *c, size_t row) {
  return c->out[c->shape->at_drifts + row];
}

// In slip, or at rest, whose set holds that of slip (rows.c refuses others, but for rounding)
static inline hml_friction_law hml_contact__law(const hml_contacts *c, size_t friction, bool at_rest) {
  const hml_friction *f = c->frictions + friction;
  const double *slip = c->out + c->shape->at_coefficients + 2 * friction, *rest = c->out + c->shape->at_static + 2 * friction;
  hml_friction_law law = {f->law, f->count, {slip[0], slip[1]}, c->out[c->shape->at_radius + friction]};
  for (size_t a = 0; a < 2 && at_rest; a++) law.coefficient[a] = slip[a] > rest[a] ? slip[a] : rest[a];
  return law;
}

// ---- rows.c
hml_status hml_contact__evaluate(hml_contacts *c);                       // the program at the state
// Unit responses of the rows listed in c->active (n_active); accelerations = false: impulses only, no free accelerations
hml_status hml_contact__prepare(hml_contacts *c, bool accelerations);
void hml_contact__activate(hml_contacts *c, size_t row);                 // lists one more row, once
double hml_contact__speed_scale(const hml_contacts *c, size_t row);      // sum of the sizes of the terms of its velocity
double hml_contact__acceleration_scale(const hml_contacts *c, size_t place);   // of a prepared row, reactions in c->z included
// Adds how far rounding of the state, of the instant and of every term may change the velocities of rows and the values of gaps at these inputs
void hml_contact__add_blur(hml_contacts *c, const double *in, double *out);
bool hml_contact__at_rest(const hml_contacts *c, size_t row);            // zero velocity to rounding; in a reset relative to the velocities at its start
// k x = b for a small dense matrix; least norm where it is singular
void hml_contact__dense_solve(hml_contacts *c, size_t k, const double *matrix, const double *b, double *x);

// ---- roundings.c
#define HML_CONTACT_CLEAR 1e10         // roundings in the least pivot of the responses from which on they decide nothing
#define HML_CONTACT_BLURRED 1e4        // the same: fewer may leave no solution where there is one
double hml_contact__roundings_in_pivot(hml_contacts *c);                 // how many roundings of G its least pivot is, without rows that depend on others
hml_status hml_contact__tell_lost(const hml_contacts *c, const char *what);  // fails: HML_LOST_DIGITS. what rounding does, in words
double hml_contact__rank(double roundings);                              // the rank of kernel.h where the least pivot is so many roundings
double hml_contact__change(const hml_contacts *c, const double *z, size_t s);   // what impulses c->z - z change in the velocity s; z: NULL for zero
// Solves the problem of the prepared rows: c->z
typedef hml_status (*hml_contact_again)(void *payload, hml_contacts *c);
// The same problem with responses that are rounded otherwise: how far its velocities differ at most, infinite where it has no solution
hml_status hml_contact__try_other_roundings(hml_contacts *c, hml_contact_again again, void *payload, double *most);

// ---- step_digits.c: the error by rounding of what a step of h changes in the velocities; again: its problem. free: impulses of the
// multipliers without the contacts
hml_status hml_contact__step_error(hml_contacts *c, double h, const double *free, hml_contact_again again, void *payload, double enough, double *error);

// ---- problem.c: the frictional problem of the prepared rows, without sides and demands; free: u without reactions
void hml_contact__pose(hml_contacts *c, const double *free, hml_frictional *p);
void hml_contact__pose_side(hml_contacts *c, hml_frictional *p, size_t gap, double target);
void hml_contact__pose_demand(hml_contacts *c, hml_frictional *p, size_t row, double target);
// Rows of a friction. lambda: multipliers, or their impulses, without the contacts (NULL: none); time: of the forces given by expressions;
// slip: NULL at rest, or its present slip. Gaps that press are already among the sides, or have no reaction
hml_rub *hml_contact__pose_friction(hml_contacts *c, hml_frictional *p, size_t friction, double time, const double *lambda, const double *slip);

// ---- reaction.c
void hml_contact__activate_mode(hml_contacts *c);                        // lists the rows of the mode
hml_status hml_contact__solve(hml_contacts *c);                          // z of the prepared rows in the mode
void hml_contact__linearise(hml_contacts *c);                            // c->jacobian: matrix of the mode's conditions at a solution
double hml_contact__terms(const hml_contacts *c, size_t place);          // of the reaction of a prepared row: the forces that it balances
bool hml_contact__is_smooth(const hml_contacts *c, size_t friction);     // pressed, but without a coefficient, so that it neither holds nor rubs
double hml_contact__row_acceleration(const hml_contacts *c, size_t place);
// Of reactions that the mode leaves undetermined: those of least norm where the laws allow them, else those nearest to c->share
hml_status hml_contact__choose_share(hml_contacts *c);
// Also marks, gaps then frictions, the ones at their limits besides those whose guards have fired
hml_status hml_contact__near_limits(hml_contacts *c, bool *near);
double hml_contact__slip_size(const hml_contacts *c, size_t friction);

// cone.c: the normal force of a friction, and the part of its set that is free
double hml_contact__multiplier(const hml_contacts *c, const double *free, const double *z, size_t k);   // free[k] + Y z
// Pressing force for reactions z of the prepared rows and multipliers `free` without them, or their impulses; time: of the forces
// given by expressions
double hml_contact__pressing(const hml_contacts *c, size_t friction, double time, const double *free, const double *z);
double hml_contact__shared(const hml_contacts *c, size_t friction, const double *free, const double *z);   // sum of squares of the cone's multipliers

// ---- mode.c
// Chooses and sets the mode among the gaps marked `touching`. leave (gaps, then frictions): open, or slip, where possible; may be NULL. Calls
// the witness if the motion or the reactions are not determined.                              fails: HML_NO_CONTACT_MODE, HML_LOST_DIGITS, HML_LIMIT
// near: further sides at their limits, which may leave together with that one where it cannot alone
hml_status hml_contact__select(hml_contacts *c, const bool *touching, const bool *leave, const bool *near);
void hml_contact__changed(hml_contacts *c);                              // the mode was changed by hand

// ---- slide.c
hml_status hml_contact__follow_limits(hml_contacts *c);                  // solves again for the directions of young and fading slips
bool hml_contact__slip_is_over(const hml_contacts *c, size_t friction);  // together with another whose last mile the step was
void hml_contact__point_slip(hml_contacts *c, size_t friction);          // its direction is that of the slip at the state, as far as it slides

// ---- drift.c
hml_status hml_contact__bring_to_rest(hml_contacts *c, double *x);       // zero to rounding: velocities that the mode holds, and slips that begin at rest

// ---- impact.c
// Gaps in `hit` strike, those closed in the mode take part. plastic: without restitution. Changes x, which is the state afterwards; impulses
// of rows, then multipliers
hml_status hml_contact__impact(hml_contacts *c, const bool *hit, bool plastic, double *x, double *impulses);

#endif
