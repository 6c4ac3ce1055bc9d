// measure.c: values at given reactions, and by how much they miss the laws: the distance of z from P(z - u/g), times g, relative to the
// terms of the row. One measure judges whatever finds reactions.
#include "kernel_impl.h"

#define FLOOR 1e-5                     // least size of the terms of a row, relative to contributions of other rows through G

// ---- values at z
double hml_kernel__affine(const hml_frictional *p, const hml_affine *e, const double *z) {
  double sum = e->a;
  for (size_t i = 0; e->b && i < p->k; i++) sum += e->b[i * e->stride] * z[i];
  return sum;
}

double hml_kernel__signed_normal(const hml_frictional *p, const hml_rub *f, const double *z) {
  return f->side != SIZE_MAX ? z[p->side[f->side].row] : hml_kernel__affine(p, &f->normal, z);
}

double hml_kernel__shared_squares(const hml_frictional *p, const hml_rub *f, const double *z) {
  double sum = 0;
  for (size_t i = 0; i < f->n_cone && !f->alone; i++) {
    double lambda = hml_kernel__affine(p, f->cone + i, z);
    sum += lambda * lambda;
  }
  return sum;
}

double hml_kernel__pressing(const hml_frictional *p, const hml_rub *f, const double *z) {
  double normal = hml_kernel__signed_normal(p, f, z);
  return f->side == SIZE_MAX && f->normal.b ? fabs(normal) : fmax(normal, 0);
}

// Largest diagonal of a block, in the units of (s, R w)
double hml_kernel__block_diagonal(const hml_solver *s, const hml_rub *f) {
  double g = 0;
  for (size_t a = 0; a < f->law.count; a++) {
    double unit = hml_friction__unit(&f->law, a);
    g = fmax(g, hml_kernel__diagonal(s, f->row + a) * unit * unit);
  }
  return g;
}

bool hml_kernel__has_two_signs(const hml_rub *f) {
  return f->side == SIZE_MAX && f->normal.b;
}

// ---- the measure
// Sizes of the terms of a row; contributions of other rows may be lost to rounding
double hml_kernel__terms(const hml_solver *s, size_t row, const double *z) {
  const hml_frictional *p = s->p;
  const double *g = p->g + row * p->k;
  double sum = p->scale ? p->scale[row] : 0, carried = 0;
  sum = fmax(sum, fabs(p->free[row]));
  for (size_t i = 0; i < p->k; i++) {
    double size = s->root[i] * fabs(z[i]);
    sum += fabs(g[i] * z[i]);
    carried = size > carried ? size : carried;
  }
  return fmax(sum, FLOOR * s->root[row] * carried);
}

static void count(hml_measure *m, size_t row, double error, double size) {
  double relative = error == 0 ? 0 : error / size;
  if (relative <= m->worst) return;
  m->worst = relative;
  m->row = row;
}

// Distance of a block from its law, in units of u
static double rub_error(const hml_solver *s, const hml_rub *f, const double *z, const double *u, double g) {
  const hml_frictional *p = s->p;
  const size_t n = f->law.count;
  const double *force = z + f->row, *slip = u + f->row;
  double normal = hml_kernel__pressing(p, f, z), squares = hml_kernel__shared_squares(p, f, z);
  double left = hml_friction__left(&f->law, normal, squares);
  double slips = 0, sticks = 0, nearest[3], inside[3];
  if (f->slip) hml_friction__gradient(&f->law, f->slip, nearest);
  for (size_t a = 0; a < n; a++) {
    double unit = hml_friction__unit(&f->law, a);
    inside[a] = force[a];
    nearest[a] = f->slip ? -left * nearest[a] : force[a] - slip[a] * unit * unit / g;
  }
  if (!f->slip) hml_friction__project(&f->law, left, nearest);
  hml_friction__project(&f->rest, hml_friction__left(&f->rest, normal, squares), inside);
  for (size_t a = 0; a < n; a++) {
    double unit = hml_friction__unit(&f->law, a);
    slips = fmax(slips, fabs(force[a] - nearest[a]) / unit * g);
    sticks = fmax(sticks, fmax(fabs(slip[a]) * unit, fabs(force[a] - inside[a]) / unit * g));
  }
  return f->slip ? slips : fmin(slips, sticks);
}

hml_measure hml_kernel__residual(const hml_solver *s, const double *z, double *u) {
  const hml_frictional *p = s->p;
  hml_measure m = {0, 0};
  for (size_t i = 0; i < p->k; i++) {
    u[i] = hml_kernel__velocity(s, i, z);
    if (!isfinite(u[i])) return (hml_measure){INFINITY, i};
  }
  for (size_t i = 0; i < p->n_demands; i++) {
    size_t row = p->demand[i].row;
    count(&m, row, fabs(u[row] - p->demand[i].target), fabs(p->demand[i].target) + hml_kernel__terms(s, row, z));
  }
  for (size_t i = 0; i < p->n_sides; i++) {
    size_t row = p->side[i].row;
    double open = u[row] - p->side[i].target, closed = z[row] * hml_kernel__diagonal(s, row);
    if (closed == 0 && z[row] < 0) closed = -INFINITY;
    count(&m, row, fabs(fmin(open, closed)), fabs(p->side[i].target) + hml_kernel__terms(s, row, z));
  }
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    double size = 0, g = hml_kernel__block_diagonal(s, f);
    for (size_t a = 0; a < f->law.count; a++) size = fmax(size, hml_kernel__terms(s, f->row + a, z) * hml_friction__unit(&f->law, a));
    if (g > 0) count(&m, f->row, rub_error(s, f, z, u, g), size);
  }
  return m;
}
