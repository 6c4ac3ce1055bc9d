// timestep.c: one step of Moreau and Jean: velocities after a short time, with all contacts closed in its middle taken together.
//
// At the state (t + h/2, q + h v/2, v): v+ = v + h a + X P with the accelerations a and unit responses X, which keep the two-sided
// constraints; in the rows taking part u+ = u + h row.a + G P. Normals: 0 <= P_i, u_i+ + e_i u_i >= 0, one of them zero; frictions:
// |P_t| <= mu P_n against the slip after the step. Projected Gauss-Seidel sweeps. Jean 1999; Moreau 1988.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>

enum { SWEEPS = 50000 };
#define SETTLED 1e-13                  // change of a sweep, relative to the speeds

typedef struct block {                 // vectors of the rows taking part
  hml_contacts *c;
  size_t k;
  double *before, *free_after, *p;     // their velocities before, after without impulses; impulses
  double h;
} block;

static bool closed(const hml_contacts *c, size_t gap) {
  return c->out[gap] <= 0;
}

static bool rubs(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  return f->kind != HML_PRESSED_BY_GAP || closed(c, f->index);
}

static void list_rows(hml_contacts *c) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (closed(c, i)) c->active[c->n_active++] = i;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t a = 0; a < c->frictions[j].count && rubs(c, j); a++) c->active[c->n_active++] = c->frictions[j].row + a;
}

static double velocity(const block *b, size_t place) {
  return b->free_after[place] + hml_dense__dot(b->k, b->c->g + place * b->k, b->p);
}

// Change of velocity by which one row moves
static double sweep_normal(block *b, size_t place, double restitution) {
  double g = b->c->g[place * b->k + place];
  if (!(g > 0)) return 0;
  double p = fmax(0, b->p[place] - (velocity(b, place) + restitution * b->before[place]) / g), change = fabs(p - b->p[place]) * g;
  b->p[place] = p;
  return change;
}

// Impulse that presses: of the gap, or of the force over the step
static double pressing(const block *b, size_t j) {
  const hml_contacts *c = b->c;
  const hml_friction *f = c->frictions + j;
  const size_t m = c->w->model->n_multipliers;
  if (f->kind == HML_PRESSED_BY_EXPRESSION) return b->h * fmax(c->out[c->at_normals + j], 0);
  if (f->kind == HML_PRESSED_BY_GAP) return b->p[c->place[f->index]];
  double impulse = b->h * c->w->lambda[f->index];
  for (size_t i = 0; i < b->k; i++) impulse += c->y[i * m + f->index] * b->p[i];
  return fabs(impulse);
}

// Of |P_t|^2 <= (mu P_n)^2 what the other reactions of the cone leave
static double room(const block *b, size_t j) {
  const hml_contacts *c = b->c;
  const hml_friction *f = c->frictions + j;
  const size_t m = c->w->model->n_multipliers;
  double most = c->out[c->at_coefficients + j] * pressing(b, j), square = most * most;
  for (size_t k = 0; k < f->n_cone; k++) {
    double impulse = b->h * c->w->lambda[f->cone[k]];
    for (size_t i = 0; i < b->k; i++) impulse += c->y[i * m + f->cone[k]] * b->p[i];
    square -= impulse * impulse;
  }
  return square > 0 ? sqrt(square) : 0;
}

static double sweep_friction(block *b, size_t j) {
  const hml_contacts *c = b->c;
  const hml_friction *f = c->frictions + j;
  size_t first = c->place[f->row];
  double most = room(b, j), p[2] = {0, 0}, g = 0, change = 0;
  for (size_t a = 0; a < f->count; a++) g = fmax(g, c->g[(first + a) * b->k + first + a]);
  if (!(g > 0)) return 0;
  for (size_t a = 0; a < f->count; a++) p[a] = b->p[first + a] - velocity(b, first + a) / g;
  double size = hypot(p[0], p[1]), scale = size > most ? most / size : 1;
  for (size_t a = 0; a < f->count; a++) {
    change = fmax(change, fabs(scale * p[a] - b->p[first + a]) * g);
    b->p[first + a] = scale * p[a];
  }
  return change;
}

static double sweep(block *b) {
  hml_contacts *c = b->c;
  double change = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->place[i] != SIZE_MAX) change = fmax(change, sweep_normal(b, c->place[i], c->gaps[i].restitution));
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->place[c->frictions[j].row] != SIZE_MAX) change = fmax(change, sweep_friction(b, j));
  return change;
}

// Of what changes the energy besides the contacts, over the step
static double other_work(const block *b) {
  const hml_workspace *w = b->c->w;
  const hml_model *m = w->model;
  double work = m->has_power ? b->h * w->dynamics[m->at_power] : 0;
  for (size_t k = 0; k < m->n_multipliers && m->has_multiplier_power; k++) {
    double impulse = b->h * w->lambda[k];
    for (size_t i = 0; i < b->k; i++) impulse += b->c->y[i * m->n_multipliers + k] * b->p[i];
    work += impulse * w->dynamics[m->at_multiplier_power + k];
  }
  return work;
}

hml_status hml_contacts__step(hml_contacts *c, double h, double *v, hml_step_report *report) {
  hml_workspace *w = c->w;
  const hml_model *m = w->model;
  const size_t n = m->n_dyn, k_most = c->sizes.rows;
  const double *at = w->in + 1 + m->n_kin;                               // velocities of the state
  HML_TRY(hml_contact__evaluate(c));
  list_rows(c);
  HML_TRY(hml_contact__prepare(c, false));
  block b = {.c = c, .k = c->n_active, .before = c->saved, .free_after = c->saved + k_most, .p = c->saved + 2 * k_most, .h = h};
  double speed = 0, change = 0;
  for (size_t i = 0; i < b.k; i++) {
    const double *row = hml_contact__row(c, c->active[i]);
    b.before[i] = c->out[c->at_velocities + c->active[i]];
    for (size_t s = 0; s < n; s++) b.before[i] += row[s] * (v[s] - at[s]);
    b.free_after[i] = b.before[i] + h * hml_dense__dot(n, row, w->a);
    b.p[i] = 0;
    speed = fmax(speed, fmax(fabs(b.before[i]), fabs(b.free_after[i])));
  }
  int sweeps = 0;
  do change = sweep(&b);
  while (b.k && change > SETTLED * speed && ++sweeps < SWEEPS);
  *report = (hml_step_report){.sweeps = sweeps, .work = other_work(&b), .unsettled = change > SETTLED * speed ? change : 0, .strikes = SIZE_MAX};
  for (size_t i = 0; i < c->sizes.rows; i++) c->residual[i] = 0;
  for (size_t i = 0; i < b.k; i++) report->work += b.p[i] * hml_dense__dot(n, hml_contact__row(c, c->active[i]), v) / 2;
  for (size_t s = 0; s < n; s++) v[s] += h * w->a[s];
  for (size_t i = 0; i < b.k; i++) {
    size_t row = c->active[i];
    c->residual[row] = b.p[i];
    // an approach faster than what the forces of a step or two make
    double rest = 4 * fabs(b.free_after[i] - b.before[i]);
    if (row < c->sizes.gaps && b.p[i] > 0 && b.before[i] < -rest && report->strikes == SIZE_MAX) report->strikes = row;
    for (size_t s = 0; s < n; s++) v[s] += c->x[i * n + s] * b.p[i];
  }
  for (size_t i = 0; i < b.k; i++) report->work += b.p[i] * hml_dense__dot(n, hml_contact__row(c, c->active[i]), v) / 2;
  report->impulses = c->residual;
  report->lowest = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) report->lowest = fmin(report->lowest, c->out[i]);
  return HML_OK;
}

hml_status hml_contacts__forced(hml_contacts *c, const double *z, double *a, double *lambda) {
  const hml_model *m = c->w->model;
  HML_TRY(hml_contact__evaluate(c));
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps + c->sizes.slips; i++)
    if (z[i] != 0) c->active[c->n_active++] = i;
  HML_TRY(hml_contact__prepare(c, false));
  for (size_t s = 0; s < m->n_dyn; s++) a[s] = c->w->a[s];
  for (size_t k = 0; k < m->n_multipliers; k++) lambda[k] = c->w->lambda[k];
  for (size_t i = 0; i < c->n_active; i++) {
    for (size_t s = 0; s < m->n_dyn; s++) a[s] += c->x[i * m->n_dyn + s] * z[c->active[i]];
    for (size_t k = 0; k < m->n_multipliers; k++) lambda[k] += c->y[i * m->n_multipliers + k] * z[c->active[i]];
  }
  hml_multiplier__shortest(c->w, lambda);
  return HML_OK;
}
