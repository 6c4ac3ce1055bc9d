// settle.c: reactions by sweeps (projected Gauss-Seidel, z <- P(z - u/g)) and by Newton's method on the same fixed point with the
// derivative of the projections (Alart and Curnier 1991): one solution, for any number of contacts.
#include "kernel_impl.h"

enum { SWEEPS = 200, NEWTON_STEPS = 30, ROUNDS = 5 };
#define SETTLED 1e-13

// ---- sweeps
// P(z - u/g) of one friction in `out`; if wanted its derivatives by the argument of P and by N
static void target_of(const hml_solver *s, const hml_rub *f, const double *u, double left, double out[3], double *by_force, double *by_normal) {
  const hml_frictional *p = s->p;
  const size_t n = f->law.count;
  const double g = hml_kernel__block_diagonal(s, f), normal = hml_kernel__pressing(p, f, s->z);
  for (size_t i = 0; i < n * n && by_force; i++) by_force[i] = f->slip ? 0 : i % (n + 1) == 0;
  for (size_t a = 0; a < n && by_normal; a++) by_normal[a] = 0;
  if (f->slip) {
    hml_friction__gradient(&f->law, f->slip, out);
    for (size_t a = 0; a < n; a++) {
      if (by_normal) by_normal[a] = -out[a];
      out[a] *= -left;
    }
    return;
  }
  for (size_t a = 0; a < n; a++) {
    double unit = hml_friction__unit(&f->law, a);
    out[a] = s->z[f->row + a] - u[a] * unit * unit / g;
  }
  if (hml_friction__room(&f->rest, hml_friction__left(&f->rest, normal, hml_kernel__shared_squares(p, f, s->z)), out) >= 0) return;
  if (by_force) hml_friction__project_rates(&f->law, left, out, by_force, by_normal);
  else hml_friction__project(&f->law, left, out);
}

static void sweep(hml_solver *s) {
  hml_frictional *p = s->p;
  for (size_t i = 0; i < p->n_demands; i++) {
    size_t row = p->demand[i].row;
    double g = hml_kernel__diagonal(s, row);
    if (g > 0) s->z[row] += (p->demand[i].target - hml_kernel__velocity(s, row, s->z)) / g;
  }
  for (size_t i = 0; i < p->n_sides; i++) {
    size_t row = p->side[i].row;
    double g = hml_kernel__diagonal(s, row);
    if (g > 0 && !p->side[i].stays_open) s->z[row] = fmax(0, s->z[row] + (p->side[i].target - hml_kernel__velocity(s, row, s->z)) / g);
  }
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    double u[3], out[3], left = hml_friction__left(&f->law, hml_kernel__pressing(p, f, s->z), hml_kernel__shared_squares(p, f, s->z));
    if (hml_kernel__block_diagonal(s, f) == 0) continue;
    for (size_t a = 0; a < f->law.count; a++) u[a] = hml_kernel__velocity(s, f->row + a, s->z);
    target_of(s, f, u, left, out, NULL, NULL);
    for (size_t a = 0; a < f->law.count; a++)
      if (hml_kernel__diagonal(s, f->row + a) > 0) s->z[f->row + a] = out[a];
  }
}

// ---- Newton's method on the fixed point of the sweeps
static void list_all(hml_solver *s) {
  const hml_frictional *p = s->p;
  s->n = 0;
  for (size_t i = 0; i < p->n_demands; i++) hml_kernel__list(s, p->demand[i].row, HML_AT_REST, p->demand[i].target);
  for (size_t i = 0; i < p->n_sides; i++) {
    const hml_side *side = p->side + i;
    double pull = s->z[side->row] * hml_kernel__diagonal(s, side->row);
    bool closed = !side->stays_open && pull > hml_kernel__velocity(s, side->row, s->z) - side->target;
    hml_kernel__list(s, side->row, closed ? HML_AT_REST : HML_AT_ZERO, side->target);
  }
  for (size_t j = 0; j < p->n_frictions; j++)
    for (size_t a = 0; a < p->rub[j].law.count; a++) hml_kernel__list(s, p->rub[j].row + a, j, 0);
}

// z - P(z - u/g)
static void target_row(hml_solver *s, size_t at) {
  hml_frictional *p = s->p;
  hml_rub *f = p->rub + s->owner[at];
  const size_t n = f->law.count, a = s->rows[at] - f->row;
  double u[3], out[3], by_force[9], by_normal[3], g = hml_kernel__block_diagonal(s, f), by = 1 / s->unit[at];
  f->sign = hml_kernel__has_two_signs(f) && hml_kernel__signed_normal(p, f, s->z) < 0 ? -1 : 1;
  double left = hml_kernel__slip_normal(s, f, s->gradient);
  for (size_t b = 0; b < n; b++) u[b] = hml_kernel__velocity(s, f->row + b, s->z);
  target_of(s, f, u, fmax(left, 0), out, by_force, by_normal);
  s->side[at] = by * (s->z[s->rows[at]] - out[a]);
  for (size_t j = 0; j < s->n; j++) {
    double change = (j == at) - (left >= 0 ? by_normal[a] * s->gradient[s->rows[j]] : 0);
    for (size_t b = 0; b < n; b++) {
      double unit = hml_friction__unit(&f->law, b);
      change -= by_force[a * n + b] * ((s->rows[j] == f->row + b) - p->g[(f->row + b) * p->k + s->rows[j]] * unit * unit / g);
    }
    s->jacobian[at * s->n + j] = by * s->unit[j] * change;
  }
}

static void zero_row(hml_solver *s, size_t at) {
  s->side[at] = s->z[s->rows[at]] / s->unit[at];
  for (size_t j = 0; j < s->n; j++) s->jacobian[at * s->n + j] = j == at;
}

// One step, halved until the measure falls; the measure reached
static double newton_step(hml_solver *s, double worst) {
  list_all(s);
  for (size_t at = 0; at < s->n; at++) {
    if (s->owner[at] == HML_AT_REST) hml_kernel__rest_row(s, at);
    else if (s->owner[at] == HML_AT_ZERO) zero_row(s, at);
    else target_row(s, at);
  }
  s->rank = hml_contact__least_norm(s->n, s->jacobian, s->side, s->unit, s->step, s->null, s->pivots, hml_kernel__rank(s));
  for (size_t i = 0; i < s->p->k; i++) s->saved[i] = s->z[i];
  double part = 1, reached = INFINITY;
  for (int halving = 0; halving < 12; halving++, part /= 2) {
    for (size_t at = 0; at < s->n; at++) s->z[s->rows[at]] = s->saved[s->rows[at]] - part * s->step[at];
    reached = hml_kernel__residual(s, s->z, s->u).worst;
    if (reached < worst) break;
  }
  return reached;
}

static void keep_better(const hml_solver *s, double worst, double *best) {
  if (!(worst < *best)) return;
  *best = worst;
  for (size_t i = 0; i < s->p->k; i++) s->p->z[i] = s->z[i];
}

// Sweeps and Newton's method by turns; the best z met is kept in p->z
static void find(hml_solver *s) {
  hml_frictional_result *r = s->result;
  double best = INFINITY, worst = INFINITY;
  hml_kernel__clear(s);
  for (int round = 0; round < ROUNDS && best > SETTLED; round++) {
    r->way = HML_FRICTIONAL_SWEPT;
    for (int i = 1; i <= SWEEPS && best > SETTLED; i++) {
      sweep(s);
      r->sweeps++;
      if (i % 5 == 0 || i == SWEEPS) keep_better(s, worst = hml_kernel__residual(s, s->z, s->u).worst, &best);
    }
    if (best <= SETTLED) break;
    for (int i = 0; i < NEWTON_STEPS && best > SETTLED; i++) {
      double reached = newton_step(s, worst);
      if (reached < best) r->way = HML_FRICTIONAL_NEWTON;
      keep_better(s, reached, &best);
      if (!(reached < worst)) break;
      worst = reached;
    }
  }
}

// What the z found means for sides and frictions
static void name_states(hml_solver *s) {
  hml_frictional *p = s->p;
  for (size_t i = 0; i < p->k; i++) s->z[i] = p->z[i];
  hml_kernel__residual(s, s->z, s->u);
  for (size_t i = 0; i < p->n_sides; i++) {
    const size_t row = p->side[i].row;
    // a side with neither reaction nor velocity stays closed
    double apart = s->u[row] - p->side[i].target, most = HML_FRICTIONAL_ACCEPTED * (fabs(p->side[i].target) + hml_kernel__terms(s, row, s->z));
    p->side[i].closed = !p->side[i].stays_open && (apart <= most || s->z[row] * hml_kernel__diagonal(s, row) > apart);
  }
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    bool rests = !f->slip;
    for (size_t a = f->row; a < f->row + f->law.count; a++)
      rests &= fabs(s->u[a]) <= HML_FRICTIONAL_ACCEPTED * hml_kernel__terms(s, a, s->z);
    bool pressed = f->side != SIZE_MAX ? p->side[f->side].closed : hml_kernel__pressing(p, f, s->z) > 0;
    f->state = !pressed ? HML_RUB_FREE : rests ? HML_RUB_STICKS : HML_RUB_SLIPS;
  }
}

void hml_kernel__settle(hml_solver *s) {
  find(s);
  name_states(s);
}
