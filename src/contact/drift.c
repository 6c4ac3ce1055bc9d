// drift.c: correction of the drift off closed gaps, bounds and stick: positions by the gaps alone, velocities by all
// rows that are at rest. The unit responses keep the two-sided constraints.
#include "contact_impl.h"

#include <math.h>
#include <string.h>

#define WORTH_MOVING 0.01              // of the tolerances

static bool is_place(const hml_contacts *c, size_t row) {
  return row < c->sizes.gaps && !c->gaps[row].bounds_velocity;
}

// begins: with slips that begin from zero at this instant
static void activate_what_rests(hml_contacts *c, bool begins) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i] && is_place(c, i)) c->active[c->n_active++] = i;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (c->closed[i] && !is_place(c, i)) c->active[c->n_active++] = i;
    for (size_t a = 0; a < c->gaps[i].n_rough && c->closed[i]; a++) c->active[c->n_active++] = c->gaps[i].rough + a;
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t k = 0; k < c->frictions[j].count && (c->friction_state[j] == HML_STICK || (begins && c->friction_state[j] == HML_SLIP && c->zero_slip[j])); k++) c->active[c->n_active++] = c->frictions[j].row + k;
}

// Moves the positions by what the displacement dx_dyn does to them: x_kin' is linear in x_dyn
static hml_status displace(hml_contacts *c, const double *displacement, double *x) {
  const size_t n = c->n.dyn, m = c->n.kin;
  double *velocities = c->aside + n;
  const double *moved = displacement;
  memcpy(velocities, x + m, n * sizeof *x);
  if (!hml_model__moves_by_rates(c->model)) {
    memcpy(x + m, displacement, n * sizeof *x);
    HML_TRY(hml_contacts__set_state(c, c->in[0], x));
    HML_TRY(hml_workspace__dynamics(c->w));
    moved = hml_workspace__kinematics(c->w);
  }
  for (size_t j = 0; j < m; j++) x[j] += moved[j];
  memcpy(x + m, velocities, n * sizeof *x);
  return HML_OK;
}

static hml_status project(hml_contacts *c, double rtol, double atol, bool begins, double *x, bool *moved) {
  const size_t n = c->n.dyn;
  *moved = false;
  activate_what_rests(c, begins);
  if (!c->n_active) return HML_OK;
  size_t places = 0;
  while (places < c->n_active && is_place(c, c->active[places])) places++;
  HML_TRY(hml_contacts__set_state(c, c->in[0], x));
  HML_TRY(hml_contact__evaluate(c));
  double speed = hml_dense__norm(n, x + c->n.kin), place = hml_dense__norm(c->n.kin, x);
  for (size_t i = 0; i < c->n_active && !*moved; i++) {
    double norm = hml_dense__norm(n, hml_contact__row(c, c->active[i]));
    *moved = fabs(hml_contact__velocity(c)[c->active[i]]) > WORTH_MOVING * norm * (atol + rtol * speed)
             || (i < places && fabs(c->out[c->active[i]]) > WORTH_MOVING * norm * (atol + rtol * place));
  }
  if (!*moved) return HML_OK;
  HML_TRY(hml_contact__prepare(c, false));
  const size_t k = c->n_active;
  double *b = c->residual, *z = c->residual + k;
  for (int level = 0; level < 2; level++) {
    size_t rows = level == 0 ? places : k;
    for (size_t i = 0; i < rows; i++) {
      b[i] = -(level == 0 ? c->out[c->active[i]] : hml_contact__velocity(c)[c->active[i]]);
      for (size_t j = 0; j < rows; j++) c->jacobian[i * rows + j] = c->g[i * k + j];
    }
    hml_contact__dense_solve(c, rows, c->jacobian, b, z);
    double *change = c->aside;
    memset(change, 0, n * sizeof *change);
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < n; j++) change[j] += c->x[i * n + j] * z[i];
    if (level == 0) HML_TRY(displace(c, change, x));
    else
      for (size_t j = 0; j < n; j++) x[c->n.kin + j] += change[j];
  }
  return hml_contacts__set_state(c, c->in[0], x);
}

bool hml_contacts__holds_any(hml_contacts *c) {
  activate_what_rests(c, false);
  return c->n_active > 0;
}

hml_status hml_contacts__project(hml_contacts *c, double rtol, double atol, double *x, bool *moved) {
  return project(c, rtol, atol, false, x, moved);
}

hml_status hml_contact__bring_to_rest(hml_contacts *c, double *x) {
  bool moved;
  return project(c, 0, 0, true, x, &moved);
}
