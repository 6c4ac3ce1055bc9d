// contact_impl.h: layout of contacts, shared by contact.c, mode.c and impact.c.
#ifndef HML_CONTACT_IMPL_H
#define HML_CONTACT_IMPL_H

#include "mechanics_impl.h"

typedef struct hml_gap {
  const char *name;
  hml_impact_law law;
  double restitution, tangential, capture;
  size_t rough, n_rough, held, n_held; // rough, held: rows
} hml_gap;

typedef struct hml_friction {
  const char *name;
  size_t row, count;
  hml_pressing kind;
  size_t index;
  size_t n_cone, *cone;
} hml_friction;

// FIELD(type, name, count); r rows in all, n = n_dyn, m multipliers
#define HML_CONTACT_FIELDS(FIELD)                                                              \
  FIELD(double, out, hml_program_outputs(c->program))                                          \
  FIELD(double, work, hml_program_work_size(c->program))                                       \
  FIELD(size_t, active, r)             /* rows prepared, in order */                           \
  FIELD(size_t, place, r)              /* where a row stands among them, or SIZE_MAX */        \
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
  FIELD(double, svd, r * r)                                                                    \
  FIELD(double, singular, 2 * r)                                                               \
  FIELD(size_t, pivots, 2 * r)                                                                 \
  FIELD(double, saved, 8 * r)          /* scratch of mode.c and impact.c */                    \
  FIELD(double, matrix, r * r)         /* the same */                                          \
  FIELD(bool, closed, c->sizes.gaps)                                                           \
  FIELD(hml_friction_state, friction_state, c->sizes.frictions)                                \
  FIELD(double, direction, 2 * c->sizes.frictions)

struct hml_contacts {
  hml_workspace *w;
  hml_arena memory;                    // names and descriptions
  hml_contact_sizes sizes;
  hml_gap *gaps;
  hml_friction *frictions;
  hml_program *program;                // gaps, velocities, rows, drifts, normals, coefficients, static coefficients
  size_t at_velocities, at_rows, at_drifts, at_normals, at_coefficients, at_static;
  size_t n_active;
  bool evaluated, prepared, solved;    // for the present state (and mode)
  hml_mode mode;
  char *block;
  size_t block_size;
#define FIELD(type, name, count) type *name;
  HML_CONTACT_FIELDS(FIELD)
#undef FIELD
};

hml_status hml_contact__evaluate(hml_contacts *c);                       // the program at the state
// Unit responses of the rows listed in c->active (sorted, n_active); accelerations = false: impulses only, no free accelerations
hml_status hml_contact__prepare(hml_contacts *c, bool accelerations);
void hml_contact__activate_mode(hml_contacts *c);                        // lists the rows of the mode
hml_status hml_contact__solve(hml_contacts *c);                          // z of the prepared rows in the mode
double hml_contact__normal(const hml_contacts *c, size_t friction);      // N for the present z
double hml_contact__shared(const hml_contacts *c, size_t friction);      // sum of squares of the cone's multipliers
double hml_contact__row_acceleration(const hml_contacts *c, size_t place);
const double *hml_contact__row(const hml_contacts *c, size_t row);
// k x = b for a small dense matrix; least norm where it is singular
void hml_contact__dense_solve(hml_contacts *c, size_t k, const double *matrix, const double *b, double *x);

#endif
