// roundings.c: impulses that rounding of the responses G decides: how near to singular G is beside its rounding, and the same problem with responses that are
// rounded otherwise.
//
// Two impulses at one body have nearly the same response where heavy masses hold it across them: what tells them apart is rounding of G
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define DEPENDS 1e-13                  // of a row: the part that others leave of one that depends on them, whatever the masses are

// Rounding of the entry of G in row i and column j
static double rounding_of_response(const hml_contacts *c, size_t i, size_t j) {
  const double *row = hml_contact__row(c, c->active[i]), *x = c->x + j * c->n.dyn;
  double size = 0;
  for (size_t s = 0; s < c->n.dyn; s++) size += fabs(row[s] * x[s]);
  return DBL_EPSILON * size;
}

// Adds the part of a row that `count` unit rows of a basis leave, as a unit row, unless it depends on them; Gram and Schmidt
static bool extend_basis(size_t n, double *basis, size_t count, const double *row) {
  double *left = basis + count * n;
  if (count == n) return false;
  memcpy(left, row, n * sizeof *left);
  for (size_t b = 0; b < 2 * count; b++) {             // twice is enough
    const double *u = basis + b % count * n, part = hml_dense__dot(n, u, left);
    for (size_t s = 0; s < n; s++) left[s] -= part * u[s];
  }
  const double length = sqrt(hml_dense__dot(n, left, left));
  if (!(length > DEPENDS * sqrt(hml_dense__dot(n, row, row)))) return false;
  for (size_t s = 0; s < n; s++) left[s] /= length;
  return true;
}

// Lists the places of prepared rows that do not depend on each other and on the constraints, as those of two walls that face each other do
static size_t list_independent(hml_contacts *c, size_t *places) {
  const size_t n = c->n.dyn;
  const double *constraints = hml_workspace__constraint_rows(c->w);
  double *basis = c->trial;
  size_t held = 0, count = 0;
  for (size_t k = 0; k < c->n.multipliers; k++) held += extend_basis(n, basis, held, constraints + k * n);
  for (size_t i = 0; i < c->n_active; i++)
    if (extend_basis(n, basis, held + count, hml_contact__row(c, c->active[i]))) places[count++] = i;
  return count;
}

static void exchange(size_t k, double *H, size_t p, size_t q) {
  for (size_t j = 0; j < k; j++) {
    const double kept = H[p * k + j];
    H[p * k + j] = H[q * k + j], H[q * k + j] = kept;
  }
  for (size_t i = 0; i < k; i++) {
    const double kept = H[i * k + p];
    H[i * k + p] = H[i * k + q], H[i * k + q] = kept;
  }
}

// By elimination with the largest diagonal entry first; G of the rows at these places, scaled to a diagonal of ones
static double roundings_in_pivot(hml_contacts *c, size_t k, const size_t *places) {
  double *H = c->jacobian, rounding = DBL_EPSILON, least = 1;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < k; j++) {
      const size_t p = places[i], q = places[j];
      const double *g = c->g, scale = sqrt(fabs(g[p * c->n_active + p])) * sqrt(fabs(g[q * c->n_active + q]));
      H[i * k + j] = (g[p * c->n_active + q] + g[q * c->n_active + p]) / 2 / scale;
      rounding = fmax(rounding, rounding_of_response(c, p, q) / scale);
    }
  for (size_t step = 0; step < k; step++) {
    size_t p = step;
    for (size_t i = step + 1; i < k; i++)
      if (H[i * k + i] > H[p * k + p]) p = i;
    exchange(k, H, step, p);
    const double pivot = H[step * k + step];
    if (!(pivot > rounding)) return 0;
    least = fmin(least, pivot);
    for (size_t i = step + 1; i < k; i++)
      for (size_t j = step + 1; j < k; j++) H[i * k + j] -= H[i * k + step] * H[step * k + j] / pivot;
  }
  return least / rounding;
}

double hml_contact__roundings_in_pivot(hml_contacts *c) {
  size_t *places = c->pivots;
  // one row alone has one pivot, and where this is far above its rounding the row does not depend on the constraints
  if (c->n_active == 1 && c->g[0] >= HML_CONTACT_CLEAR * rounding_of_response(c, 0, 0)) return HML_CONTACT_CLEAR;
  for (size_t i = 0; i < c->n_active; i++) places[i] = i;
  const double of_all = roundings_in_pivot(c, c->n_active, places);
  return of_all >= HML_CONTACT_CLEAR ? of_all : roundings_in_pivot(c, list_independent(c, places), places);
}

hml_status hml_contact__tell_lost(const hml_contacts *c, const char *what) {
  return hml_fail(c->context, HML_LOST_DIGITS, "model '%s' at t = %.10g: rounding %s, since masses or lengths differ by many orders of magnitude, or the "
                  "configuration is nearly singular", c->shape->model, c->in[0], what);
}

// Between the least pivot and what rounding leaves of rows that depend on each other
double hml_contact__rank(double roundings) {
  const double between = fmax(fmin(roundings / 16, sqrt(16 * roundings)), 16) * DBL_EPSILON;
  return fmin(between, HML_CONTACT_RANK);
}

double hml_contact__change(const hml_contacts *c, const double *z, size_t s) {
  double change = 0;
  for (size_t i = 0; i < c->n_active; i++) change += c->x[i * c->n.dyn + s] * (c->z[i] - (z ? z[i] : 0));
  return change;
}

static double largest_change(const hml_contacts *c, const double *z) {
  double most = 0;
  for (size_t s = 0; s < c->n.dyn; s++) {
    const double change = hml_contact__change(c, z, s);
    most = isfinite(change) ? fmax(most, fabs(change)) : INFINITY;
  }
  return most;
}

hml_status hml_contact__try_other_roundings(hml_contacts *c, hml_contact_again again, void *payload, double *most) {
  enum { TRIALS = 4 };
  const size_t k = c->n_active;
  double *g = c->trial, *z = g + k * k;
  uint32_t dice = 12345;
  hml_status status = HML_OK;
  memcpy(g, c->g, k * k * sizeof *g);
  memcpy(z, c->z, k * sizeof *z);
  *most = 0;
  for (int trial = 0; trial < TRIALS && status == HML_OK && *most < INFINITY; trial++) {
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j <= i; j++) {
        dice = dice * 1664525u + 1013904223u;
        const double off = (dice >> 31 ? 1 : -1) * fmax(rounding_of_response(c, i, j), rounding_of_response(c, j, i));
        c->g[i * k + j] = g[i * k + j] + off;
        c->g[j * k + i] = g[j * k + i] + off;
      }
    status = again(payload, c);
    *most = status == HML_OK ? fmax(*most, largest_change(c, z)) : INFINITY;
    if (status == HML_NO_CONTACT_MODE) status = hml_forgiven(c->context);
  }
  memcpy(c->g, g, k * k * sizeof *g);
  memcpy(c->z, z, k * sizeof *z);
  return status;
}
