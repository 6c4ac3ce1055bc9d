// slide.c: slip in two directions near rest. There the direction of the slip, and with it the force, turns ever faster: its rate has no limit
// where the slip ends, so that no step may lead across rest. Steps are capped so that they shrink with the slip, a step that went too far is
// refused, and the rest, the last mile, is computed in closed form.
//
// A slip that begins turns to its limit direction at an unbounded rate, too. At first it is given that direction, which follows from the
// forces alone, until the two differ by more than the tolerance or the rate is no faster than the motion. The same holds for a slip that
// fades while it turns to its limit direction much faster than it ends.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { ROUNDS = 30 };
#define DIFFERENCE 1e-7                // radians
#define OVER 1e-6                      // of a slip: what is left of one that ends together with another
#define SEEN 0.1                       // of atol: a difference of velocities
#define GROWN 0.02                     // of its age: time in which a slip turns to its limit direction
#define LAST_MILE 1e-11                // of the fastest slip since it began
#define UNSEEN 0.5                     // of atol: there the stages of an implicit method have no direction any more
#define LOST 4                         // of atol: a slip that ends, and grows from less than that, has lost its direction to the errors of the steps
#define GROWN_AGAIN 30                 // times: so much at most
#define DIRECTED 1e3                   // of atol: above that the direction of a slip is seen
#define SMALL 1e-3                     // of the fastest slip: below that it may fade
#define VANISHING 1e-3                 // of an acceleration: none
#define STIFF 30                       // times: drawn to its limit direction so much faster than it ends
#define ASIDE 10                       // of atol: component of a fading slip across its limit direction
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

// ---- slips that follow their limit directions

static bool follows(const hml_contacts *c, size_t j) {
  return (c->young[j] || c->fading[j]) && hml_contacts__slides(c, j);
}

// Direction of a slip in one unit, and across it as many unit vectors as there are
static size_t frame(const hml_contacts *c, size_t j, double d[3], double across[2][3]) {
  const size_t n = c->frictions[j].count;
  const hml_friction_law law = hml_contact__law(c, j, false);
  double size = 0;
  for (size_t a = 0; a < n; a++) size = hypot(size, d[a] = hml_friction__unit(&law, a) * c->direction[3 * j + a]);
  for (size_t a = 0; a < n && size > 0; a++) d[a] /= size;
  if (n == 2) {
    across[0][0] = -d[1];
    across[0][1] = d[0];
    return n;
  }
  // two of the three axes less their parts along d; the second also less its part along the first
  size_t main = fabs(d[0]) >= fabs(d[1]) ? (fabs(d[0]) >= fabs(d[2]) ? 0 : 2) : fabs(d[1]) >= fabs(d[2]) ? 1 : 2;
  for (size_t k = 0; k < 2; k++) {
    double *x = across[k], length = 0, along = 0;
    for (size_t a = 0; a < 3; a++) x[a] = (a == (main + 1 + k) % 3) - d[(main + 1 + k) % 3] * d[a];
    for (size_t a = 0; a < 3 && k; a++) along += x[a] * across[0][a];
    for (size_t a = 0; a < 3 && k; a++) x[a] -= along * across[0][a];
    for (size_t a = 0; a < 3; a++) length = hypot(length, x[a]);
    for (size_t a = 0; a < 3; a++) x[a] /= length;
  }
  return n;
}

// Acceleration of a slip along a vector in one unit
static double accelerates(const hml_contacts *c, size_t j, const double *x) {
  const hml_friction *f = c->frictions + j;
  const hml_friction_law law = hml_contact__law(c, j, false);
  double sum = 0;
  for (size_t a = 0; a < f->count; a++) sum += x[a] * hml_friction__unit(&law, a) * hml_contact__row_acceleration(c, c->place[f->row + a]);
  return sum;
}

static void turn(hml_contacts *c, size_t j, const double *across, double angle) {
  double *d = c->direction + 3 * j, unit[3], size = 0;
  const hml_friction_law law = hml_contact__law(c, j, false);
  for (size_t a = 0; a < law.count; a++) {
    unit[a] = hml_friction__unit(&law, a);
    d[a] = unit[a] * d[a] + angle * across[a];
    size = hypot(size, d[a]);
  }
  for (size_t a = 0; a < law.count; a++) d[a] /= unit[a] * size;
}

static size_t list_turnings(hml_contacts *c) {
  size_t n = 0;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    double d[3], across[2][3];
    if (!follows(c, j)) continue;
    size_t count = frame(c, j, d, across);
    for (size_t k = 0; k + 1 < count; k++, n++) {
      c->turnings[n].slip = j;
      memcpy(c->turnings[n].across, across[k], count * sizeof(double));
    }
  }
  return n;
}

static double turns_by(const hml_contacts *c, size_t k) {
  return accelerates(c, c->turnings[k].slip, c->turnings[k].across);
}

// Directions along which the accelerations of all slips that follow them point, by Newton's method with differences; of least norm where slips
// of one body depend on each other. Leaves in c->turns how the accelerations across them change with the angles
static hml_status find_limits(hml_contacts *c) {
  double before = INFINITY;
  for (int round = 0; round < ROUNDS; round++) {
    const size_t n = list_turnings(c);
    double *matrix = c->turns, *side = matrix + n * n, *step = side + n, most = 0;
    if (!n) return HML_OK;
    for (size_t k = 0; k < n; k++) side[k] = -turns_by(c, k);
    for (size_t l = 0; l < n; l++) {
      const hml_turning *by = c->turnings + l;
      double kept[3];
      memcpy(kept, c->direction + 3 * by->slip, sizeof kept);
      turn(c, by->slip, by->across, DIFFERENCE);
      HML_TRY(hml_contact__solve(c));
      for (size_t k = 0; k < n; k++) matrix[k * n + l] = (turns_by(c, k) + side[k]) / DIFFERENCE;
      memcpy(c->direction + 3 * by->slip, kept, sizeof kept);
    }
    hml_contact__dense_solve(c, n, matrix, side, step);
    for (size_t k = 0; k < n; k++) most = fmax(most, fabs(step[k]));
    if (!(most < INFINITY)) return HML_OK;
    for (size_t k = 0; k < n; k++) turn(c, c->turnings[k].slip, c->turnings[k].across, step[k] * fmin(1, 0.3 / most));
    HML_TRY(hml_contact__solve(c));
    if (most <= 4 * DBL_EPSILON || (most <= 1e-10 && most >= 0.5 * before)) break;
    before = most;
  }
  return HML_OK;
}

// Acceleration of a slip along its direction
static double along_itself(const hml_contacts *c, size_t j) {
  double d[3], across[2][3];
  frame(c, j, d, across);
  return accelerates(c, j, d);
}

// Where other frictions hold the same body there may be a direction in which it does not accelerate at all: that is no slip
hml_status hml_contact__follow_limits(hml_contacts *c) {
  const size_t frictions = c->sizes.frictions;
  double *kept = c->limits, *before = kept + 3 * frictions;
  bool lost = false;
  memcpy(kept, c->direction, 3 * frictions * sizeof *kept);
  for (size_t j = 0; j < frictions; j++) before[j] = follows(c, j) ? along_itself(c, j) : 0;
  HML_TRY(find_limits(c));
  for (size_t j = 0; j < frictions; j++) lost |= follows(c, j) && fabs(along_itself(c, j)) < VANISHING * fabs(before[j]);
  if (!lost) return HML_OK;
  memcpy(c->direction, kept, 3 * frictions * sizeof *kept);
  return hml_contact__solve(c);
}

// Part of a slip along its limit direction, and across
static double split(const hml_contacts *c, size_t j, double *apart) {
  double s[3], d[3], across[2][3], along = 0;
  size_t n = slip_and_rate(c, j, NULL, s, NULL);
  frame(c, j, d, across);
  for (size_t a = 0; a < n; a++) along += d[a] * s[a];
  *apart = 0;
  for (size_t a = 0; a < n; a++) *apart = hypot(*apart, s[a] - along * d[a]);
  return along;
}

static double apart(const hml_contacts *c, size_t j) {
  double size;
  split(c, j, &size);
  return size;
}

// The limit direction and the slip differ noticeably, or the slip turns slowly enough to be integrated
static bool is_grown(const hml_contacts *c, size_t j, double t) {
  const hml_friction *f = c->frictions + j;
  const hml_friction_law law = hml_contact__law(c, j, false);
  double r = hml_contact__slip_size(c, j), force = 0;
  for (size_t a = 0; a < f->count; a++) {
    size_t place = c->place[f->row + a];
    force = hypot(force, hml_friction__unit(&law, a) * c->g[place * c->n_active + place] * c->z[place]);
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

// ---- fading slips

// Does a direction attract the slip so fast that steps could not follow? By the last matrix of follow_limits
static bool attracts(const hml_contacts *c, size_t j, double slows) {
  size_t n = 0;
  bool stiff = true;
  for (size_t i = 0; i < c->sizes.frictions; i++)
    if (follows(c, i)) n += c->frictions[i].count - 1;
  for (size_t k = 0; k < n; k++)
    if (c->turnings[k].slip == j) stiff &= -c->turns[k * n + k] >= STIFF * slows;
  return stiff;
}

// A slip that slows down on its limit direction takes that direction from here on, where it would be drawn back to it much faster than it ends
static hml_status let_fade(hml_contacts *c, size_t j, bool *fades) {
  double kept[3], s[3], d[3], across[2][3], r = hml_contact__slip_size(c, j), *direction = c->direction + 3 * j;
  const size_t n = slip_and_rate(c, j, NULL, s, NULL);
  memcpy(kept, direction, sizeof kept);
  for (size_t a = 0; a < n; a++) direction[a] = hml_contact__velocity(c)[c->frictions[j].row + a] / r;
  c->fading[j] = true;
  hml_contact__changed(c);
  HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
  double aside, along = split(c, j, &aside);
  frame(c, j, d, across);
  double slows = -accelerates(c, j, d);
  *fades = along > 0 && slows > 0 && aside <= ASIDE * c->atol && attracts(c, j, slows);
  if (*fades) return HML_OK;
  c->fading[j] = false;
  memcpy(direction, kept, sizeof kept);
  hml_contact__changed(c);
  return HML_OK;
}

static hml_status stop_fading(hml_contacts *c, bool *any) {
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    double d[3], across[2][3], aside;
    if (!c->fading[j] || !hml_contacts__slides(c, j)) continue;
    HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
    frame(c, j, d, across);
    if (split(c, j, &aside) > 0 && aside <= 2 * ASIDE * c->atol && accelerates(c, j, d) < 0) continue;
    c->fading[j] = false;
    *any = true;
    hml_contact__changed(c);
  }
  return HML_OK;
}

// No step but the last mile takes so much of a slip
bool hml_contact__slip_is_over(const hml_contacts *c, size_t j) {
  if (!hml_contacts__slides(c, j)) return false;
  const double before = hml_dense__norm(c->frictions[j].count, c->slip_before + 3 * j);   // in one unit, by slip_and_rate
  return hml_contact__slip_size(c, j) <= OVER * before;
}

// ---- steps
void hml_contact__point_slip(hml_contacts *c, size_t j) {
  const double *s = hml_contact__velocity(c) + c->frictions[j].row;
  double r = hml_contact__slip_size(c, j);
  double least = fmax(4 * c->slip_left[j], fmin(DIRECTED * c->atol, c->fastest[j] / DIRECTED));
  if (!hml_contacts__slides(c, j) || follows(c, j) || !(r > least)) return;
  for (size_t a = 0; a < c->frictions[j].count; a++) c->direction[3 * j + a] = s[a] / r;
}

// Of a slip where the last step began, in one unit
static double slip_before(const hml_contacts *c, size_t j) {
  const hml_friction_law law = hml_contact__law(c, j, false);
  double size = 0;
  for (size_t a = 0; a < law.count; a++) size = hypot(size, c->slip_before[3 * j + a]);
  return size;
}

hml_status hml_contacts__cap(hml_contacts *c, double t, const double *x, const double *f, double *most, size_t *ends, bool *changed) {
  *most = INFINITY;
  *ends = SIZE_MAX;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  HML_TRY(let_go(c, t, changed));
  HML_TRY(stop_fading(c, changed));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!hml_contacts__slides(c, j)) continue;
    const double before = slip_before(c, j);
    slip_and_rate(c, j, NULL, c->slip_before + 3 * j, NULL);
    if (c->young[j]) continue;
    double s[3], rate[3], r = hml_contact__slip_size(c, j), along = 0, across = 0, aside;
    size_t n = slip_and_rate(c, j, f, s, rate);
    c->fastest[j] = fmax(c->fastest[j], r);
    hml_contact__point_slip(c, j);
    if (!(r > 4 * c->slip_left[j])) continue;                            // rounding has left that of a slip that begins: it has no direction
    for (size_t a = 0; a < n; a++) along += s[a] / r * rate[a];
    for (size_t a = 0; a < n; a++) across = hypot(across, rate[a] - along * s[a] / r);
    if (!c->fading[j] && along < 0 && r < SMALL * c->fastest[j]) {
      bool begins;
      HML_TRY(let_fade(c, j, &begins));
      *changed |= begins;
    }
    if (c->fading[j]) {
      double d[3], sides[2][3];
      HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
      frame(c, j, d, sides);
      r = split(c, j, &aside);
      along = accelerates(c, j, d);
      across = 0;
      c->fading_slip[j] = r;
    }
    if (!(along < 0)) continue;
    bool began = c->fading[j] || c->fastest[j] > fmin(DIRECTED * c->atol, GROWN_AGAIN * r);     // not just now
    bool fades = began && (r <= UNSEEN * c->atol || (before > 0 && before <= LOST * c->atol && r > before && r < GROWN_AGAIN * before));
    bool soon = r <= -along * NOISE * fabs(t);                           // the time hardly changes until then
    bool last = fades || soon || r <= LAST_MILE * c->fastest[j] || r <= NOISE * scale_of_slip(c, j);
    double step = last ? r / -along : fmin(r / (2 * -along), r / (2 * across));
    if (step < *most) {
      *most = step;
      *ends = last ? j : SIZE_MAX;
    }
  }
  // the rest of a slip at the end of its last mile is rounding and has no direction
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
    if (c->fading[j]) {
      if (split(c, j, &r1) < 0.25 * c->fading_slip[j]) *which = j;
      continue;
    }
    const double *was = r0 > 0 ? then : c->direction + 3 * j;
    for (size_t a = 0; a < n; a++) together += was[a] * now[a] / (r0 > 0 ? r0 : 1);
    if (r1 < 0.25 * r0 || together < 0.5 * r1) *which = j;
  }
  return HML_OK;
}
