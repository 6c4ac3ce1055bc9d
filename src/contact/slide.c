// slide.c: slip in two directions near rest. There the direction of the slip, and with it the force, turns ever faster: its rate has no limit
// where the slip ends, so that no step may lead across rest. Steps are capped so that they shrink with the slip, a step that went too far is
// refused, and what is left in the end, the last mile, is done in closed form.
//
// A slip that begins is drawn to its limit direction at a rate without limit, too: while it is young it takes that direction, which follows
// from the forces alone, until the two differ by what the tolerance sees or the rate is no faster than the motion.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>

enum { ROUNDS = 30 };
#define DIFFERENCE 1e-7                // radians
#define SEEN 0.1                       // of atol: a difference of velocities
#define GROWN 0.02                     // of its age: time in which a slip turns to its limit direction
#define LAST_MILE 1e-11                // of the fastest slip since it began
#define UNSEEN 0.5                     // of atol: there the stages of an implicit method have no direction any more
#define DIRECTED 1e3                   // of atol: above that the direction of a slip is seen
#define NOISE (1024 * DBL_EPSILON)     // the same, of the terms the slip is made of

bool hml_contacts__slides(const hml_contacts *c, size_t j) {
  return c->friction_state[j] == HML_SLIP && c->frictions[j].count > 1;
}

bool hml_contacts__any_slides(const hml_contacts *c) {
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (hml_contacts__slides(c, j)) return true;
  return false;
}

// Slip and its rate under the rates f of the states, in one unit: with a spot, of (s, R w)
static size_t slip_and_rate(const hml_contacts *c, size_t j, const double *f, double s[3], double rate[3]) {
  const size_t row = c->frictions[j].row;
  hml_friction_law law = hml_contact__law(c, j, false);
  for (size_t a = 0; a < law.count; a++) {
    double unit = hml_friction__unit(&law, a);
    s[a] = unit * hml_contact__velocity(c)[row + a];
    if (f) rate[a] = unit * (hml_dense__dot(c->n.dyn, hml_contact__row(c, row + a), f + c->n.kin) + hml_contact__drift(c, row + a));
  }
  return law.count;
}

static double scale_of_slip(const hml_contacts *c, size_t j) {
  hml_friction_law law = hml_contact__law(c, j, false);
  double sum = 0;
  for (size_t a = 0; a < law.count; a++) sum = hypot(sum, hml_friction__unit(&law, a) * hml_contact__speed_scale(c, c->frictions[j].row + a));
  return sum;
}

// ---- young slips

static double across(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  const double *d = c->direction + 3 * j;
  return hml_contact__row_acceleration(c, c->place[f->row + 1]) * d[0] - hml_contact__row_acceleration(c, c->place[f->row]) * d[1];
}

static void turn(hml_contacts *c, size_t j, double angle) {
  double *d = c->direction + 3 * j, x = d[0], y = d[1];
  d[0] = x * cos(angle) - y * sin(angle);
  d[1] = x * sin(angle) + y * cos(angle);
}

static size_t list_young(const hml_contacts *c, size_t *list) {
  size_t n = 0;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->young[j] && hml_contacts__slides(c, j)) list[n++] = j;
  return n;
}

// Angles at which the accelerations of all young slips point along them, by Newton's method with differences; of least norm where slips of one
// body depend on each other
hml_status hml_contact__follow_limits(hml_contacts *c) {
  const size_t n = list_young(c, c->slips);
  double *matrix = c->turns, *side = matrix + n * n, *step = side + n, before = INFINITY;
  for (int round = 0; n && round < ROUNDS; round++) {
    double most = 0;
    for (size_t k = 0; k < n; k++) side[k] = -across(c, c->slips[k]);
    for (size_t l = 0; l < n; l++) {
      turn(c, c->slips[l], DIFFERENCE);
      HML_TRY(hml_contact__solve(c));
      for (size_t k = 0; k < n; k++) matrix[k * n + l] = (across(c, c->slips[k]) + side[k]) / DIFFERENCE;
      turn(c, c->slips[l], -DIFFERENCE);
    }
    hml_contact__dense_solve(c, n, matrix, side, step);
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(step[k]));
    if (!(most < INFINITY)) return HML_OK;
    for (size_t k = 0; k < n; k++) turn(c, c->slips[k], step[k] * fmin(1, 0.3 / most));
    HML_TRY(hml_contact__solve(c));
    if (most <= 4 * DBL_EPSILON || (most <= 1e-10 && most >= 0.5 * before)) break;
    before = most;
  }
  return HML_OK;
}

// Part of a slip across its limit direction
static double apart(const hml_contacts *c, size_t j) {
  const double *s = hml_contact__velocity(c) + c->frictions[j].row, *d = c->direction + 3 * j;
  return fabs(s[1] * d[0] - s[0] * d[1]);
}

// The limit direction and the slip differ by what counts, or the slip is slow to turn and can be left to itself
static bool is_grown(const hml_contacts *c, size_t j, double t) {
  const hml_friction *f = c->frictions + j;
  const double *s = hml_contact__velocity(c) + f->row;
  double r = hypot(s[0], s[1]), force = 0;
  for (size_t a = 0; a < 2; a++) {
    size_t place = c->place[f->row + a];
    force = hypot(force, c->g[place * c->n_active + place] * c->z[place]);
  }
  return r > 4 * c->slip_left[j] && (apart(c, j) > SEEN * c->atol || r > GROWN * force * fabs(t - c->born[j]));
}

static hml_status let_go(hml_contacts *c, double t, bool *any) {
  *any = false;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!c->young[j] || !hml_contacts__slides(c, j)) continue;
    HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
    if (!is_grown(c, j, t)) continue;
    c->young[j] = false;
    *any = true;
  }
  if (*any) hml_contact__changed(c);
  return HML_OK;
}

// ---- steps
void hml_contact__point_slip(hml_contacts *c, size_t j) {
  const double *s = hml_contact__velocity(c) + c->frictions[j].row;
  double r = hml_contact__slip_size(c, j);
  double least = fmax(4 * c->slip_left[j], fmin(DIRECTED * c->atol, c->fastest[j] / DIRECTED));
  if (!hml_contacts__slides(c, j) || c->young[j] || !(r > least)) return;
  for (size_t a = 0; a < c->frictions[j].count; a++) c->direction[3 * j + a] = s[a] / r;
}

hml_status hml_contacts__cap(hml_contacts *c, double t, const double *x, const double *f, double *most, size_t *ends, bool *changed) {
  *most = INFINITY;
  *ends = SIZE_MAX;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  HML_TRY(let_go(c, t, changed));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!hml_contacts__slides(c, j)) continue;
    slip_and_rate(c, j, NULL, c->slip_before + 3 * j, NULL);
    if (c->young[j]) continue;
    double s[3], rate[3], r = hml_contact__slip_size(c, j), along = 0, across = 0;
    size_t n = slip_and_rate(c, j, f, s, rate);
    c->fastest[j] = fmax(c->fastest[j], r);
    hml_contact__point_slip(c, j);
    if (!(r > 4 * c->slip_left[j])) continue;                            // rounding has left that of a slip that begins: it has no direction
    for (size_t a = 0; a < n; a++) along += s[a] / r * rate[a];
    for (size_t a = 0; a < n; a++) across = hypot(across, rate[a] - along * s[a] / r);
    if (!(along < 0)) continue;
    bool fades = r <= UNSEEN * c->atol && c->fastest[j] > DIRECTED * c->atol;   // not one that has just begun
    bool last = fades || r <= LAST_MILE * c->fastest[j] || r <= NOISE * scale_of_slip(c, j);
    double step = last ? r / -along : fmin(r / (2 * -along), r / (2 * across));
    if (step < *most) {
      *most = step;
      *ends = last ? j : SIZE_MAX;
    }
  }
  // what is left of a slip at the end of its last mile is rounding and has no direction
  if (*ends != SIZE_MAX) c->slip_left[*ends] = hml_contact__slip_size(c, *ends);
  return HML_OK;
}

hml_status hml_contacts__strays(hml_contacts *c, double t, const double *x, size_t *which) {
  *which = SIZE_MAX;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!hml_contacts__slides(c, j)) continue;
    if (c->young[j]) {
      HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
      if (apart(c, j) > c->atol) *which = j;
      continue;
    }
    double now[3], *then = c->slip_before + 3 * j, r0 = 0, r1 = 0, together = 0;
    size_t n = slip_and_rate(c, j, NULL, now, NULL);
    for (size_t a = 0; a < n; a++) {
      r0 = hypot(r0, then[a]);
      r1 = hypot(r1, now[a]);
    }
    const double *was = r0 > 0 ? then : c->direction + 3 * j;
    for (size_t a = 0; a < n; a++) together += was[a] * now[a] / (r0 > 0 ? r0 : 1);
    if (r1 < 0.25 * r0 || together < 0.5 * r1) *which = j;
  }
  return HML_OK;
}
