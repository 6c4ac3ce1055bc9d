// problem.c: the frictional problem (kernel.h) of the prepared rows, for modes, impacts and steps.
//
// u are accelerations or velocities. The multipliers without contacts are their values for a mode, zero for an impact, their impulses for
// a step.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

void hml_contact__pose(hml_contacts *c, const double *free, hml_frictional *p) {
  *p = (hml_frictional){.k = c->n_active, .g = c->g, .free = free, .scale = c->scales, .side = c->sides, .demand = c->demands, .rub = c->rubs,
                        .z = c->z, .other = c->other, .work = c->kernel_work, .rank = c->rank, .unheld = c->n.multipliers == 0};
  c->n_cones = 0;
}

void hml_contact__pose_side(hml_contacts *c, hml_frictional *p, size_t gap, double target) {
  c->sides[p->n_sides++] = (hml_side){.row = c->place[gap], .target = target};
}

void hml_contact__pose_demand(hml_contacts *c, hml_frictional *p, size_t row, double target) {
  c->demands[p->n_demands++] = (hml_demand){.row = c->place[row], .target = target};
}

// A multiplier as the reactions change it
static hml_affine affine(const hml_contacts *c, const double *lambda, size_t k) {
  return (hml_affine){lambda ? lambda[k] : 0, c->y + k, c->n.multipliers};
}

// On its root a normal force counts with the sign that it takes from there on
static double given_normal(const hml_contacts *c, size_t friction) {
  const double value = c->out[c->shape->at_normals + friction];
  const int side = c->normal_side[friction];
  return side == 0 ? value : side < 0 ? 0 : fmax(fabs(value), DBL_MIN);
}

hml_rub *hml_contact__pose_friction(hml_contacts *c, hml_frictional *p, size_t friction, double time, const double *lambda, const double *slip) {
  const hml_friction *f = c->frictions + friction;
  hml_rub *rub = c->rubs + p->n_frictions;
  *rub = (hml_rub){.law = hml_contact__law(c, friction, false), .rest = hml_contact__law(c, friction, true), .row = c->place[f->row],
                   .side = SIZE_MAX, .n_cone = f->n_cone, .cone = c->cones + c->n_cones, .slip = slip};
  for (size_t k = 0; k < f->n_cone; k++) c->cones[c->n_cones++] = affine(c, lambda, f->cone[k]);
  if (f->kind == HML_PRESSED_BY_EXPRESSION) rub->normal.a = time * given_normal(c, friction);
  if (f->kind == HML_PRESSED_BY_MULTIPLIER) rub->normal = affine(c, lambda, f->index);
  for (size_t i = 0; i < p->n_sides && f->kind == HML_PRESSED_BY_GAP; i++)
    if (c->sides[i].row == c->place[f->index]) rub->side = i;
  for (size_t a = 0; a < 2; a++) {     // on a corner a coefficient of zero may be negative by rounding
    rub->law.coefficient[a] = fmax(rub->law.coefficient[a], 0);
    rub->rest.coefficient[a] = fmax(rub->rest.coefficient[a], 0);
  }
  c->rub_of[p->n_frictions++] = friction;
  return rub;
}
