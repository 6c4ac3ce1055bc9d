// digits.c: how many digits do accelerations have where contacts take up forces much larger than what these leave?
//
// Accelerations are those without contacts plus the responses to the reactions. Where these cancel, one rounding of each term changes what is left. What the
// mode holds takes up its part of that: errors across a closed gap or a stick are no motion, and drift.c corrects them.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PART 1e-9                      // of the largest acceleration,
#define UNITS 10                       // of what one rounding of the state does to it: less is no loss
#define ASIDE 0x1p20                   // roundings of a state by which it is moved, so that rounding of the accelerations there does not count

static double farthest(size_t n, const double *x, const double *y) {
  double most = 0;
  for (size_t i = 0; i < n; i++) most = fmax(most, fabs(x[i] - (y ? y[i] : 0)));
  return most;
}

static bool is_sliding(const hml_contacts *c, size_t row) {
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_SLIP && row >= c->frictions[j].row && row < c->frictions[j].row + c->frictions[j].count) return true;
  return false;
}

// The largest acceleration that one rounding of each term changes where the mode still holds
static double error_by_rounding(hml_contacts *c) {
  const size_t n = c->n.dyn, k = c->n_active;
  double *terms = c->ahead, *left = c->aside, *answer = c->residual + 2 * k, most = 0;
  for (size_t i = 0; i < n; i++) terms[i] = 0;
  for (size_t l = 0; l < k; l++)
    for (size_t i = 0; i < n; i++) terms[i] += fabs(hml_contact__row(c, c->active[l])[i] * c->z[l]);
  hml_workspace__note_errors(c->w, c->a, terms, c->lambda);
  hml_contact__linearise(c);
  for (unsigned trial = 0; trial < HML_ERROR_TRIALS; trial++) {
    memcpy(left, hml_workspace__try_errors(c->w, trial), n * sizeof *left);
    for (size_t l = 0; l < k; l++) c->residual[l] = is_sliding(c, c->active[l]) ? 0 : hml_dense__dot(n, hml_contact__row(c, c->active[l]), left);
    hml_contact__dense_solve(c, k, c->jacobian, c->residual, answer);
    for (size_t l = 0; l < k; l++)
      for (size_t i = 0; i < n; i++) left[i] -= c->x[l * n + i] * answer[l];
    most = fmax(most, farthest(n, left, NULL));
  }
  return most;
}

// What one rounding of the state does to the accelerations; the state is another one then
static hml_status effect_of_a_unit(hml_contacts *c, double t, const double *x, double *effect) {
  const size_t n = hml_model_state_size(c->model);
  double *moved = c->ahead, *here = c->ahead + n;
  memcpy(here, c->a, c->n.dyn * sizeof *here);
  for (size_t i = 0; i < n; i++) moved[i] = x[i] * (1 + (i % 2 ? ASIDE : -ASIDE) * DBL_EPSILON);
  HML_TRY(hml_contacts__set_state(c, t, moved));
  HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
  *effect = farthest(c->n.dyn, c->a, here) / ASIDE;
  return HML_OK;
}

hml_status hml_contacts__digits(hml_contacts *c, double t, const double *x, double rtol, double atol, hml_uncertain *out) {
  double effect = 0;
  *out = (hml_uncertain){0, INFINITY};
  hml_contact__activate_mode(c);
  if (!c->n_active) return HML_OK;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
  const double error = error_by_rounding(c), largest = farthest(c->n.dyn, c->a, NULL), size = farthest(c->n.kin + c->n.dyn, x, NULL);
  if (!(error > PART * largest)) return HML_OK;
  const hml_status status = effect_of_a_unit(c, t, x, &effect);
  if (status == HML_MEMORY || status == HML_INTERRUPTED) return status;
  if (status != HML_OK) HML_TRY(hml_forgiven(c->context));               // the mode does not reach there: nothing excuses the error
  HML_TRY(hml_contacts__set_state(c, t, x));
  if (error > UNITS * effect) *out = (hml_uncertain){error / largest, (atol + rtol * size) / error};
  return HML_OK;
}
