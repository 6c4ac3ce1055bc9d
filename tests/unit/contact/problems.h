// problems.h: frictional problems with their arrays, and the laws by their definitions, for the tests of the kernel.
#ifndef HML_TEST_PROBLEMS_H
#define HML_TEST_PROBLEMS_H

#include "random.h"

#include "contact/kernel_impl.h"

enum { MOST = 60 };

typedef struct box {                   // a problem with its arrays
  hml_frictional p;
  double g[MOST * MOST], free[MOST], z[MOST], other[MOST], work[2 * MOST * MOST + 12 * MOST + 1], slip[MOST];
  hml_side side[20];
  hml_demand demand[4];
  hml_rub rub[20];
} box;

static inline box *empty(size_t k) {
  static box b;
  memset(&b, 0, sizeof b);
  assert_true(hml_frictional__doubles(k) <= sizeof b.work / sizeof *b.work);
  b.p = (hml_frictional){.k = k, .g = b.g, .free = b.free, .side = b.side, .demand = b.demand, .rub = b.rub};
  b.p.z = b.z;
  b.p.other = b.other;
  b.p.work = b.work;
  return &b;
}

static inline void add_side(box *b, size_t row, double target) {
  b->side[b->p.n_sides++] = (hml_side){.row = row, .target = target};
}

static inline hml_rub *add_rub(box *b, size_t row, size_t side, hml_friction_law law) {
  hml_rub *f = b->rub + b->p.n_frictions++;
  *f = (hml_rub){.law = law, .rest = law, .row = row, .side = side};
  return f;
}

static inline hml_friction_law coulomb(size_t count, double mu) {
  return (hml_friction_law){HML_FRICTION_coulomb, count, {mu, mu}, 1};
}

static inline double dot(size_t n, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static inline double after(const box *b, const double *z, size_t row) {
  return b->free[row] + dot(b->p.k, b->g + row * b->p.k, z);
}

// The laws by their definitions, not by the measure of the kernel
static inline void check_laws(const box *b, const double *z, double tolerance) {
  const hml_frictional *p = &b->p;
  for (size_t i = 0; i < p->n_demands; i++) assert_near(after(b, z, p->demand[i].row), p->demand[i].target, tolerance);
  for (size_t i = 0; i < p->n_sides; i++) {
    double u = after(b, z, p->side[i].row) - p->side[i].target, force = z[p->side[i].row];
    assert_true(u >= -tolerance && force >= -tolerance);
    assert_true(fabs(u * force) <= tolerance * (1 + fabs(u) + fabs(force)));
  }
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    const double *force = z + f->row;
    double u[3], work = 0, size = 0;
    for (size_t a = 0; a < f->law.count; a++) {
      u[a] = f->slip ? f->slip[a] : after(b, z, f->row + a);
      work += u[a] * force[a];
      size += fabs(u[a]);
    }
    assert_true(work <= tolerance);
    assert_true(hml_friction__gauge(&f->rest, force) <= f->pressing + tolerance);
    // greatest dissipation
    if (size > 1e-6) assert_near(work, -f->pressing * hml_friction__support(&f->law, u), tolerance * (1 + size));
  }
}

#endif
