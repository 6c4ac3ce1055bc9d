// law.h: laws of friction as convex sets, inside this room.
//
// With the slip y and the pressing force N the reaction z is that of greatest dissipation in the set N K:
//   z in -N dh(y),   h(y) = max over K of z.y:   slip z = -N grad h(y), power -N h(y);   rest: any z of N K (all sets are symmetric).
#ifndef HML_FRICTION_LAW_H
#define HML_FRICTION_LAW_H

#include <stdbool.h>
#include <stddef.h>

// Of a few numbers, in order: for more hml_dense__dot
static inline double hml_contact__dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

typedef enum hml_friction_kind {
#define FRICTION(name, ...) HML_FRICTION_##name,
#include "laws.def"
#undef FRICTION
  HML_FRICTION_KINDS
} hml_friction_kind;

typedef struct hml_friction_law {
  hml_friction_kind kind;
  size_t count;                        // numbers in y and z: 1 to 3
  double coefficient[2];               // mu; elliptic: of both directions
  double radius;                       // of the spot (uniform, hertz): y and z end with the spin and its moment
} hml_friction_law;

// Name and limits of a row; NULL and zeros behind the last one
typedef struct hml_friction_row {
  const char *name, *help;
  size_t least, most;
} hml_friction_row;
hml_friction_row hml_friction__row(hml_friction_kind kind);

bool hml_friction__has_spot(hml_friction_kind kind);                                    // its last numbers are spin and moment
double hml_friction__support(const hml_friction_law *law, const double *y);              // h(y) >= 0, 0 at rest
void hml_friction__gradient(const hml_friction_law *law, const double *y, double *z);    // grad h, on the boundary of K; 0 at rest
void hml_friction__hessian(const hml_friction_law *law, const double *y, double *hessian);   // count x count; y not zero
// The least N whose set holds z; infinite where none does (a coefficient is 0)
double hml_friction__gauge(const hml_friction_law *law, const double *z);
// Signed room N - gauge(z), in units of N and of slope 1 where N vanishes: the guard of stick
double hml_friction__room(const hml_friction_law *law, double normal, const double *z);
// Nearest point of N K in the metric |z|^2, with a spot |z_t|^2 + (z_w/R)^2; N < 0 counts as 0. True: z was outside.
bool hml_friction__project(const hml_friction_law *law, double normal, double *z);
// The same with its derivatives: by_z (count x count), by_normal (count)
bool hml_friction__project_rates(const hml_friction_law *law, double normal, double *z, double *by_z, double *by_normal);
// Unit of the last component where it is a moment (R), else 1: z_i/unit and y_i unit are alike in all components
double hml_friction__unit(const hml_friction_law *law, size_t component);
double hml_friction__size(const hml_friction_law *law, const double *y);                 // |y unit|: of a slip, with a spot |(s, R w)|
// coulomb: what other reactions in a shared cone, whose squares are given, leave of N > 0; 0 where that is nothing
double hml_friction__left(const hml_friction_law *law, double normal, double squares);

#endif
