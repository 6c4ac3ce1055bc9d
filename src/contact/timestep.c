// timestep.c: one step of Moreau and Jean: velocities after a short time, with all contacts closed in its middle taken together.
//
// At the state (t + h/2, q + h v/2, v): v+ = v + h a + X P with the accelerations a and unit responses X, which keep the two-sided
// constraints; in the rows taking part u+ = u + h row.a + G P. Normals: 0 <= P_i, u_i+ + e_i u_i >= 0, one of them zero; frictions against
// the slip after the step (kernel.c). Jean 1999; Moreau 1988.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define SHUT 1e-6                      // of the way that forces move a body in a step, which is an overlap that steps leave: gaps up to that are shut
#define ROUNDED (16 * DBL_EPSILON)     // of the terms of a gap: the same

// Rounding may leave a gap slightly open that rests: a body would fall for a step, and bounce
static bool is_shut(const hml_contacts *c, size_t gap, double h) {
  const double *row = hml_contact__row(c, gap), *a = hml_workspace__accelerations(c->w);
  double fall = 0;
  if (c->out[gap] <= 0) return true;
  for (size_t s = 0; s < c->n.dyn; s++) fall += h * h * fabs(row[s] * a[s]);
  return c->out[gap] <= SHUT * fall + ROUNDED * hml_contacts__place_scale(c, gap);
}

static bool closed(const hml_contacts *c, size_t gap) {
  return c->hit[gap];
}

static bool rubs(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  return f->kind != HML_PRESSED_BY_GAP || closed(c, f->index);
}

// Those that take part. The accelerations without them are known
static void list_rows(hml_contacts *c, double h) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) c->hit[i] = is_shut(c, i, h);
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (closed(c, i)) c->active[c->n_active++] = i;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t a = 0; a < c->frictions[j].count && rubs(c, j); a++) c->active[c->n_active++] = c->frictions[j].row + a;
}

// Velocities of the rows before the step in c->u, after it without impulses in c->part
static void read_velocities(hml_contacts *c, double h, const double *v) {
  const double *at = c->in + 1 + c->n.kin, *a = hml_workspace__accelerations(c->w);
  for (size_t i = 0; i < c->n_active; i++) {
    const double *row = hml_contact__row(c, c->active[i]);
    c->u[i] = hml_contact__velocity(c)[c->active[i]];
    for (size_t s = 0; s < c->n.dyn; s++) c->u[i] += row[s] * (v[s] - at[s]);
    c->part[i] = c->u[i] + h * hml_dense__dot(c->n.dyn, row, a);
    c->scales[i] = fabs(c->u[i]) + fabs(c->part[i]);
    for (size_t s = 0; s < c->n.dyn; s++) c->scales[i] += fabs(row[s] * v[s]);
    c->z[i] = 0;
  }
}

// An approach faster than the forces of one or two steps explain
static bool approaches(const hml_contacts *c, size_t i) {
  return c->active[i] < c->sizes.gaps && c->u[i] < -4 * fabs(c->part[i] - c->u[i]);
}

// Slip after the step decides which coefficient of a friction counts
static hml_frictional_result solve(hml_contacts *c, double h, const double *lambda) {
  hml_frictional p;
  bool strikes = false;
  for (size_t i = 0; i < c->n_active; i++) strikes |= approaches(c, i);
  hml_contact__pose(c, c->part, &p);
  p.first = true;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->place[i] != SIZE_MAX) hml_contact__pose_side(c, &p, i, -c->out[c->shape->at_restitution + i] * c->u[c->place[i]]);
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!rubs(c, j)) continue;
    hml_rub *rub = hml_contact__pose_friction(c, &p, j, h, lambda, NULL);
    if (strikes) rub->rest = rub->law;                                   // the static coefficient is one of contact that lasts
  }
  const hml_frictional_result result = hml_frictional__settle(&p);
  for (size_t j = 0; j < c->sizes.frictions; j++) c->friction_state[j] = HML_FREE;
  for (size_t k = 0; k < p.n_frictions; k++)
    if (c->rubs[k].state != HML_RUB_FREE) c->friction_state[c->rub_of[k]] = c->rubs[k].state == HML_RUB_STICKS ? HML_STICK : HML_SLIP;
  return result;
}

typedef struct posed_step {            // what solve() takes
  double h;
  const double *lambda;
} posed_step;

static hml_status solve_again(void *payload, hml_contacts *c) {
  const posed_step *s = payload;
  solve(c, s->h, s->lambda);
  return HML_OK;
}

static size_t first_strike(const hml_contacts *c) {
  for (size_t i = 0; i < c->n_active; i++)
    if (approaches(c, i) && c->z[i] > 0) return c->active[i];
  return SIZE_MAX;
}

// Of the impulses, at velocities half way between v before and v after: half of it with each
static double half_of_work(const hml_contacts *c, const double *v) {
  double work = 0;
  for (size_t i = 0; i < c->n_active; i++) work += c->z[i] * hml_dense__dot(c->n.dyn, hml_contact__row(c, c->active[i]), v) / 2;
  return work;
}

// For those who ask which contacts act (brief.c)
static void take_mode(hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++) c->closed[i] = c->place[i] != SIZE_MAX && c->z[c->place[i]] > 0;
  for (size_t j = 0; j < c->sizes.frictions; j++) c->friction_state[j] = rubs(c, j) ? HML_SLIP : HML_FREE;
}

hml_status hml_contacts__step(hml_contacts *c, double h, double *v, double enough, hml_step_report *report) {
  const size_t n = c->n.dyn, m = c->n.multipliers;
  HML_TRY(hml_contact__evaluate(c));
  HML_TRY(hml_workspace__solve(c->w));
  list_rows(c, h);
  HML_TRY(hml_contact__prepare(c, false));
  read_velocities(c, h, v);
  const double *a = hml_workspace__accelerations(c->w);
  double *lambda = c->lambda, *impulses = c->residual;
  for (size_t k = 0; k < m; k++) lambda[k] = h * hml_workspace__multipliers(c->w)[k];
  hml_frictional_result result = solve(c, h, lambda);
  double error = 0;
  if (enough < INFINITY) HML_TRY(hml_contact__step_error(c, h, lambda, solve_again, &(posed_step){h, lambda}, enough, &error));
  for (size_t i = 0; i < c->n_active; i++)
    for (size_t k = 0; k < m; k++) lambda[k] += c->y[i * m + k] * c->z[i];
  *report = (hml_step_report){.sweeps = (int)result.sweeps, .work = hml_workspace__work(c->w, h, lambda) + half_of_work(c, v),
                              .unsettled = result.way == HML_FRICTIONAL_UNSOLVED ? result.residual : 0, .strikes = first_strike(c),
                              .impulses = impulses, .multipliers = lambda, .error = error};
  for (size_t i = 0; i < c->sizes.rows; i++) impulses[i] = 0;
  for (size_t i = 0; i < c->n_active; i++) impulses[c->active[i]] = c->z[i];
  take_mode(c);
  for (size_t s = 0; s < n; s++) v[s] += h * a[s];
  for (size_t i = 0; i < c->n_active; i++)
    for (size_t s = 0; s < n; s++) v[s] += c->x[i * n + s] * c->z[i];
  report->work += half_of_work(c, v);
  for (size_t i = 0; i < c->sizes.gaps; i++) report->lowest = fmin(report->lowest, c->out[i]);
  return HML_OK;
}
