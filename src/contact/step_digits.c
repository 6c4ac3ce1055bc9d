// step_digits.c: how far rounding leaves the velocities after a step of Moreau and Jean uncertain.
//
// What a step changes, h a + X P, is a small difference of large terms where masses differ by many orders of magnitude, or where contacts take up forces much
// larger than what these leave. Errors across what the contacts hold are none: the impulses make up for them.
#include "contact_impl.h"

#include <math.h>
#include <string.h>

// Places of the rows whose velocities the contacts determine: those that press, and those that stick
static size_t list_held(const hml_contacts *c, size_t *places) {
  size_t count = 0;
  for (size_t i = 0; i < c->n_active; i++)
    if (c->active[i] < c->sizes.gaps && c->z[i] > 0) places[count++] = i;
  for (size_t k = 0; k < c->sizes.frictions; k++) {
    const hml_friction *f = c->frictions + k;
    for (size_t a = 0; c->friction_state[k] == HML_STICK && a < f->count; a++) places[count++] = c->place[f->row + a];
  }
  return count;
}

// The largest error of the noted sizes, less what the impulses in these rows take back
static double largest_response(hml_contacts *c, const size_t *held, size_t count) {
  const size_t n = c->n.dyn;
  double *left = c->aside, *across = c->residual, *answer = c->residual + 2 * count, most = 0;
  for (size_t l = 0; l < count; l++)
    for (size_t k = 0; k < count; k++) c->jacobian[l * count + k] = c->g[held[l] * c->n_active + held[k]];
  for (unsigned trial = 0; trial < HML_ERROR_TRIALS; trial++) {
    memcpy(left, hml_workspace__try_errors(c->w, trial), n * sizeof *left);
    for (size_t l = 0; l < count; l++) across[l] = hml_dense__dot(n, hml_contact__row(c, c->active[held[l]]), left);
    hml_contact__dense_solve(c, count, c->jacobian, across, answer);
    for (size_t l = 0; l < count; l++)
      for (size_t i = 0; i < n; i++) left[i] -= c->x[held[l] * n + i] * answer[l];
    for (size_t i = 0; i < n; i++) most = isfinite(left[i]) ? fmax(most, fabs(left[i])) : INFINITY;
  }
  return most;
}

static double response_to_rounding(hml_contacts *c, double h, const double *free, double enough) {
  const size_t n = c->n.dyn;
  const double *a = hml_workspace__accelerations(c->w);
  double *terms = c->ahead, *lambda = c->response;
  for (size_t k = 0; k < c->n.multipliers; k++) lambda[k] = hml_contact__multiplier(c, free, c->z, k);
  for (size_t i = 0; i < n; i++) {
    terms[i] = 0;
    c->change[i] = h * a[i] + hml_contact__change(c, NULL, i);
    for (size_t l = 0; l < c->n_active; l++) terms[i] += fabs(hml_contact__row(c, c->active[l])[i] * c->z[l]);
  }
  const double bound = hml_workspace__blow_bound(c->w, c->change, terms, lambda);
  return bound <= enough ? bound : largest_response(c, c->normals, list_held(c, c->normals));
}

static bool acts(const hml_contacts *c) {
  for (size_t i = 0; i < c->n_active; i++)
    if (c->z[i] != 0) return true;
  return false;
}

hml_status hml_contact__step_error(hml_contacts *c, double h, const double *free, hml_contact_again again, void *payload, double enough, double *error) {
  double by_responses = 0;
  *error = 0;
  if (!acts(c)) return HML_OK;
  *error = response_to_rounding(c, h, free, enough);
  if (c->n_active > 1 && hml_contact__roundings_in_pivot(c) < HML_CONTACT_CLEAR) HML_TRY(hml_contact__try_other_roundings(c, again, payload, &by_responses));
  *error += by_responses;
  return HML_OK;
}
