// kernel.c: reactions of one-sided rows, demands and frictions in given rows u = free + G z. Which rows take part, and whether u are
// accelerations or velocities after a blow or a step, is the caller's business; enumerate.c and settle.c find the reactions.
#include "kernel_impl.h"

enum { MOST_COMBINATIONS = 4096 };

size_t hml_frictional__doubles(size_t k) {
  return 2 * k * k + 12 * k + 1;
}

hml_solver hml_kernel__open_solver(hml_frictional *p, hml_frictional_result *result) {
  const size_t k = p->k;
  hml_solver s = {.p = p, .result = result};
  double *at = p->work, **const vectors[] = {&s.z, &s.u, &s.saved, &s.target, &s.side, &s.step, &s.unit, &s.gradient, &s.root};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++, at += k) *vectors[i] = at;
  s.jacobian = at;
  s.null = at + k * k;
  s.rows = (size_t *)(void *)(at + 2 * k * k);
  s.owner = s.rows + k;
  s.pivots = s.owner + k;
  for (size_t i = 0; i < k; i++) {
    s.z[i] = 0;
    s.root[i] = sqrt(fmax(p->g[i * k + i], 0));
    s.most = fmax(s.most, p->g[i * k + i]);
  }
  return s;
}

// ---- the system of listed rows, in units in which diagonals are 1
void hml_kernel__list(hml_solver *s, size_t row, size_t owner, double target) {
  double g = hml_kernel__diagonal(s, row);
  if (g == 0) return;
  s->rows[s->n] = row;
  s->owner[s->n] = owner;
  s->target[s->n] = target;
  s->unit[s->n++] = 1 / sqrt(g);
}

// N of a slip with the sign of its choice, less the share of its cone, and its gradient
double hml_kernel__slip_normal(const hml_solver *s, const hml_rub *f, double *gradient) {
  const hml_frictional *p = s->p;
  const bool by_side = f->side != SIZE_MAX, by_number = !by_side && !f->normal.b;
  double normal = hml_kernel__signed_normal(p, f, s->z), squares = hml_kernel__shared_squares(p, f, s->z), mu = f->law.coefficient[0];
  normal = by_number ? fmax(normal, 0) : f->sign * normal;
  double left = squares > 0 ? hml_friction__left(&f->law, fmax(normal, 0), squares) : normal, share = squares > 0 ? normal / left : 1;
  for (size_t i = 0; i < p->k; i++) gradient[i] = 0;
  if (squares > 0 && left == 0) return 0;
  if (by_side) gradient[p->side[f->side].row] = f->sign * share;
  for (size_t i = 0; i < p->k; i++) {
    if (!by_side && !by_number) gradient[i] = f->sign * share * f->normal.b[i * f->normal.stride];
    for (size_t c = 0; c < f->n_cone && squares > 0; c++)
      if (f->cone[c].b) gradient[i] -= hml_kernel__affine(p, f->cone + c, s->z) * f->cone[c].b[i * f->cone[c].stride] / (mu * mu * left);
  }
  return left;
}

// u = target
void hml_kernel__rest_row(hml_solver *s, size_t at) {
  const double *g = s->p->g + s->rows[at] * s->p->k, by = s->unit[at];
  s->side[at] = by * (hml_kernel__velocity(s, s->rows[at], s->z) - s->target[at]);
  for (size_t j = 0; j < s->n; j++) s->jacobian[at * s->n + j] = by * g[s->rows[j]] * s->unit[j];
}

void hml_kernel__clear(hml_solver *s) {
  for (size_t i = 0; i < s->p->k; i++) s->z[i] = 0;
}

// ---- the door
static void forget(hml_frictional *p) {
  for (size_t i = 0; i < p->k; i++) p->z[i] = 0;
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].closed = p->side[i].undetermined = false;
  for (size_t j = 0; j < p->n_frictions; j++) {
    p->rub[j].state = HML_RUB_FREE;
    p->rub[j].undetermined = false;
  }
}

static void report(hml_solver *s) {
  hml_frictional *p = s->p;
  hml_frictional_result *r = s->result;
  hml_measure m = hml_kernel__residual(s, p->z, s->u);
  r->residual = m.worst;
  r->worst = m.row;
  if (!(m.worst <= HML_FRICTIONAL_ACCEPTED)) r->way = HML_FRICTIONAL_UNSOLVED;
  else if (!r->motions) r->motions = 1;
  for (size_t j = 0; j < p->n_frictions; j++) {
    p->rub[j].pressing = hml_kernel__pressing(p, p->rub + j, p->z);
    p->rub[j].shared = sqrt(hml_kernel__shared_squares(p, p->rub + j, p->z));
  }
}

hml_frictional_result hml_frictional__settle(hml_frictional *p) {
  hml_frictional_result r = {.way = HML_FRICTIONAL_UNSOLVED};
  hml_solver s = hml_kernel__open_solver(p, &r);
  forget(p);
  hml_kernel__settle(&s);
  report(&s);
  if (r.way != HML_FRICTIONAL_UNSOLVED) hml_kernel__mark_undetermined(&s);
  return r;
}

hml_frictional_result hml_frictional__solve(hml_frictional *p) {
  hml_frictional_result r = {.way = HML_FRICTIONAL_UNSOLVED};
  size_t several = 0;
  for (size_t j = 0; j < p->n_frictions; j++) several += !p->rub[j].slip && p->rub[j].law.count > 1;
  const bool many = hml_kernel__combinations(p) > MOST_COMBINATIONS;
  // slips that turn together are no linear systems: the sweeps are quicker
  if (many || (p->first && several > 1)) {
    r = hml_frictional__settle(p);
    if (many || r.way != HML_FRICTIONAL_UNSOLVED) return r;
    r = (hml_frictional_result){.way = HML_FRICTIONAL_UNSOLVED};
  }
  hml_solver s = hml_kernel__open_solver(p, &r);
  forget(p);
  r.complete = true;
  hml_kernel__enumerate(&s);
  if (!r.motions && !r.complete) return hml_frictional__settle(p);
  if (r.motions) r.way = HML_FRICTIONAL_ENUMERATED;
  if (p->first && r.motions) r.complete = false;
  report(&s);
  return r;
}
