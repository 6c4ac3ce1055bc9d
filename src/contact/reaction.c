// reaction.c: reactions and accelerations in a given mode, and the values that guards watch in it. mode.c chooses the mode.
//
// Closed gaps, their rough rows and sticking rows do not accelerate: c + G z = 0 there. A slipping friction has z = -m(z) grad h(y) with the
// support function h of its law and m = N, or m^2 = N^2 - sum lambda_c^2/mu^2 with a shared cone: linear where N is an expression or one
// reaction, else met by Newton's method. kernel.c has the same conditions with their alternatives, and is not used for a mode that is known:
// three rows take 4,800 instructions here and 10,900 there, at each evaluation of the right-hand side.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { NEWTON_STEPS = 40, REFINEMENTS = 6 };
#define LEFT 1e-13                     // of the terms of a row at rest: its acceleration is zero
#define NEAR 1e-8
#define PULLS 1e-12                    // of the row's accelerations: a closed gap whose reaction is below minus that opens
#define ROOMY 1e-6
#define WRONG 1e-6                     // of the same: no rounding is that large
#define GIVES 1e-12                    // of what presses: less room is none, and a stick that lacks more gives way
#define SMOOTH 1e-12                   // a coefficient of a surface without friction, up to which nothing need hold or rub

bool hml_contacts__is_closed(const hml_contacts *c, size_t gap) {
  return c->closed[gap];
}

hml_friction_state hml_contacts__friction(const hml_contacts *c, size_t j) {
  return c->friction_state[j];
}

void hml_contact__activate_mode(hml_contacts *c) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!c->closed[i]) continue;
    c->active[c->n_active++] = i;
    for (size_t a = 0; a < c->gaps[i].n_rough; a++) c->active[c->n_active++] = c->gaps[i].rough + a;
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t k = 0; k < c->frictions[j].count && c->friction_state[j] != HML_FREE; k++)
      c->active[c->n_active++] = c->frictions[j].row + k;
}

// Does the mode have rows?
static inline bool holds_rows(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) return true;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] != HML_FREE && c->frictions[j].count) return true;
  return false;
}

static double multiplier(const hml_contacts *c, size_t k) {
  return hml_contact__multiplier(c, hml_workspace__multipliers(c->w), c->z, k);
}

static double pressing(const hml_contacts *c, size_t j) {
  return hml_contact__pressing(c, j, 1, hml_workspace__multipliers(c->w), c->z);
}

static double shared(const hml_contacts *c, size_t j) {
  return hml_contact__shared(c, j, hml_workspace__multipliers(c->w), c->z);
}

// Size of a slip: |s|, with a spot |(s, R w)|
double hml_contact__slip_size(const hml_contacts *c, size_t j) {
  const hml_friction_law law = hml_contact__law(c, j, false);
  return hml_friction__size(&law, hml_contact__velocity(c) + c->frictions[j].row);
}

// The slip, up to a factor; the stored direction as long as there is no slip to speak of
static const double *slip_direction(const hml_contacts *c, size_t j) {
  const double *stored = c->direction + 3 * j;
  if (c->frictions[j].count < 2 || c->young[j] || c->fading[j] || !(hml_contact__slip_size(c, j) > 4 * c->slip_left[j])) return stored;
  return hml_contact__velocity(c) + c->frictions[j].row;
}

// A given normal force continues smoothly beyond its root, where a step that ends there may try it
static double pressing_slip(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  return f->kind == HML_PRESSED_BY_EXPRESSION && !f->n_cone ? c->out[c->shape->at_normals + j] : pressing(c, j);
}

// A slip has the reaction -m grad h(y): m, the pressing force less the share of its cone, and its derivative by the prepared reactions
static double slip_force(const hml_contacts *c, size_t j, double *gradient) {
  const hml_friction *f = c->frictions + j;
  const size_t m = c->n.multipliers;
  const hml_friction_law law = hml_contact__law(c, j, false);
  const double mu = law.coefficient[0], normal = pressing_slip(c, j), size = f->n_cone ? hml_friction__left(&law, normal, shared(c, j)) : normal;
  for (size_t i = 0; i < c->n_active; i++) gradient[i] = 0;
  if (f->n_cone && size == 0) return 0;                                  // the others use the whole cone
  const double share = f->n_cone ? normal / size : 1;                    // dm/dN
  if (f->kind == HML_PRESSED_BY_GAP && c->place[f->index] != SIZE_MAX) gradient[c->place[f->index]] += share;
  for (size_t i = 0; i < c->n_active; i++) {
    if (f->kind == HML_PRESSED_BY_MULTIPLIER) gradient[i] += share * copysign(1, multiplier(c, f->index)) * c->y[i * m + f->index];
    for (size_t k = 0; k < f->n_cone; k++) gradient[i] -= multiplier(c, f->cone[k]) * c->y[i * m + f->cone[k]] / (mu * mu * size);
  }
  return size;
}

// Residual and Jacobian of the conditions on z: rows at rest, laws of slip
static void conditions(hml_contacts *c) {
  const size_t k = c->n_active;
  double *gradient = c->residual + k;
  for (size_t i = 0; i < k; i++) {
    c->residual[i] = c->free[i] + hml_dense__dot(k, c->g + i * k, c->z);
    memcpy(c->jacobian + i * k, c->g + i * k, k * sizeof(double));
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    if (c->friction_state[j] != HML_SLIP) continue;
    const hml_friction_law law = hml_contact__law(c, j, false);
    double e[3], size = slip_force(c, j, gradient);
    hml_friction__gradient(&law, slip_direction(c, j), e);
    for (size_t a = 0; a < f->count; a++) {
      size_t i = c->place[f->row + a];
      c->residual[i] = c->z[i] + size * e[a];
      for (size_t b = 0; b < k; b++) c->jacobian[i * k + b] = gradient[b] * e[a] + (b == i);
    }
  }
}

void hml_contact__linearise(hml_contacts *c) {
  conditions(c);
}

static bool any_slides(const hml_contacts *c) {
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_SLIP) return true;
  return false;
}

static hml_status tell_lost(const hml_contacts *c) { return hml_contact__tell_lost(c, "leaves the reactions of the contacts uncertain"); }

static hml_status tell_unsolved(hml_contacts *c) {
  if (hml_contact__roundings_in_pivot(c) < HML_CONTACT_BLURRED) return tell_lost(c);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: the laws of friction have no solution in this mode", c->shape->model, c->in[0]);
}

// Where the rows depend on each other the steps are of least norm, so that the reactions stay near those that the laws allow
// Rows at rest alone are linear: the second step is for rounding.
// fails: HML_NO_CONTACT_MODE where Newton's method finds no reactions for the slip laws of the mode, HML_LOST_DIGITS where that is rounding
hml_status hml_contact__solve(hml_contacts *c) {
  const size_t k = c->n_active;
  double *step = c->residual + 2 * k, before = INFINITY;
  const bool linear = !any_slides(c);
  for (size_t i = 0; i < k; i++) c->z[i] = c->undetermined ? c->share[c->active[i]] : 0;
  for (int iteration = 0; iteration < NEWTON_STEPS; iteration++) {
    double size = 0, change = 0, moves = 0;
    conditions(c);
    hml_contact__dense_solve(c, k, c->jacobian, c->residual, step);
    for (size_t i = 0; i < k; i++) {
      c->z[i] -= step[i];
      change = fmax(change, fabs(step[i]));
      size = fmax(size, fabs(c->z[i]));
      for (size_t l = 0; l < k; l++) moves = fmax(moves, fabs(c->g[l * k + i] * step[i]) / hml_contacts__reach(c, c->active[l]));
    }
    if (!(change < INFINITY)) break;
    // forces that have faded away have no digits left
    if ((linear && iteration > 0) || change <= 1e-14 * size || moves <= HML_CONTACT_NOTHING * c->least || (change <= 1e-10 * size && change >= 0.5 * before)) return HML_OK;
    before = change;
  }
  return tell_unsolved(c);
}

double hml_contact__row_acceleration(const hml_contacts *c, size_t place) {
  return c->free[place] + hml_dense__dot(c->n_active, c->g + place * c->n_active, c->z);
}

// ---- accelerations
// Of the workspace's solution, with reactions z of the prepared rows
static void add_reactions(const hml_contacts *c, const double *z, double *a, double *lambda) {
  const size_t n = c->n.dyn, m = c->n.multipliers;
  memcpy(a, hml_workspace__accelerations(c->w), n * sizeof *a);
  if (m) memcpy(lambda, hml_workspace__multipliers(c->w), m * sizeof *lambda);
  for (size_t i = 0; i < c->n_active; i++) {
    for (size_t j = 0; j < n; j++) a[j] += c->x[i * n + j] * z[i];
    for (size_t j = 0; j < m; j++) lambda[j] += c->y[i * m + j] * z[i];
  }
}

// Is u zero in a prepared row of the mode?
static bool is_at_rest(const hml_contacts *c, size_t row) {
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_SLIP && row >= c->frictions[j].row && row < c->frictions[j].row + c->frictions[j].count) return false;
  return true;
}

// What the accelerations leave in the rows at rest, beside the terms that it is made of, at most. residual: the rows; NULL: not wanted
static double left_at_rest(const hml_contacts *c, double *residual) {
  const size_t n = c->n.dyn;
  const double *free = hml_workspace__accelerations(c->w);
  double worst = 0;
  for (size_t i = 0; i < c->n_active; i++) {
    if (!is_at_rest(c, c->active[i])) continue;
    const double *row = hml_contact__row(c, c->active[i]), drift = hml_contact__drift(c, c->active[i]);
    double left = drift, size = fabs(drift);
    for (size_t s = 0; s < n; s++) {
      left += row[s] * c->a[s];
      size += fabs(row[s]) * (fabs(c->a[s]) + fabs(free[s]));
    }
    if (residual) residual[i] = left;
    worst = fmax(worst, fabs(left) / (size + DBL_MIN));
  }
  return worst;
}

// Where masses differ by many orders of magnitude, G z loses the small accelerations of heavy bodies beside the responses of light ones. In the accelerations
// themselves they are not lost: what these leave in the rows at rest is corrected until it is rounding, as it mostly is at once.
static void refine(hml_contacts *c) {
  const size_t n = c->n.dyn, k = c->n_active;
  double *step = c->residual + 2 * k, before = INFINITY;
  for (int round = 0; round < REFINEMENTS; round++) {
    const double worst = left_at_rest(c, NULL);
    if (!(worst > LEFT) || !(worst < 0.5 * before)) return;
    before = worst;
    conditions(c);
    left_at_rest(c, c->residual);
    hml_contact__dense_solve(c, k, c->jacobian, c->residual, step);
    for (size_t i = 0; i < k; i++) {
      c->z[i] -= step[i];
      for (size_t s = 0; s < n; s++) c->a[s] -= c->x[i * n + s] * step[i];
      for (size_t s = 0; s < c->n.multipliers; s++) c->lambda[s] -= c->y[i * c->n.multipliers + s] * step[i];
    }
  }
}

static hml_status solution(hml_contacts *c) {
  if (c->solved) return HML_OK;
  HML_TRY(hml_workspace__solve(c->w));
  hml_contact__activate_mode(c);
  if (c->n_active) {
    HML_TRY(hml_contact__prepare(c, true));
    HML_TRY(hml_contact__solve(c));
    HML_TRY(hml_contact__follow_limits(c));
  }
  add_reactions(c, c->z, c->a, c->lambda);
  if (c->n_active) refine(c);
  c->solved = true;
  return HML_OK;
}

hml_status hml_contacts__solution(hml_contacts *c, double *a, double *lambda, double *z) {
  HML_TRY(solution(c));
  if (a) memcpy(a, c->a, c->n.dyn * sizeof *a);
  if (lambda && c->n.multipliers) memcpy(lambda, c->lambda, c->n.multipliers * sizeof *lambda);
  if (lambda) hml_workspace__shortest(c->w, lambda);
  for (size_t i = 0; z && i < c->sizes.rows; i++) z[i] = 0;
  for (size_t i = 0; z && i < c->n_active; i++) z[c->active[i]] = c->z[i];
  return HML_OK;
}

hml_status hml_contacts__forced(hml_contacts *c, const double *z, double *a, double *lambda) {
  HML_TRY(hml_contact__evaluate(c));
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.rows; i++)
    if (z[i] != 0) c->active[c->n_active++] = i;
  HML_TRY(hml_contact__prepare(c, false));
  for (size_t i = 0; i < c->n_active; i++) c->z[i] = z[c->active[i]];
  add_reactions(c, c->z, a, lambda);
  hml_workspace__shortest(c->w, lambda);
  return HML_OK;
}

static hml_status rate(hml_contacts *c, double *f) {
  HML_TRY(solution(c));
  if (c->n.kin) memcpy(f, hml_workspace__kinematics(c->w), c->n.kin * sizeof *f);
  memcpy(f + c->n.kin, c->a, c->n.dyn * sizeof *f);
  if (!hml_model_has_work(c->model)) return HML_OK;
  double power = hml_workspace__work(c->w, 1, c->lambda);
  for (size_t i = 0; i < c->n_active; i++)
    power += c->z[i] * hml_dense__dot(c->n.dyn, hml_contact__row(c, c->active[i]), c->in + 1 + c->n.kin);
  f[c->n.kin + c->n.dyn] = power;
  return HML_OK;
}

// As fast as without contacts where nothing is closed
static __attribute__((noinline)) hml_status held_rate(hml_contacts *c, double t, const double *x, double *f) {
  hml_contact__activate_mode(c);
  HML_TRY(hml_contacts__set_state(c, t, x));
  return rate(c, f);
}

// In flight it costs little beside the rates without contacts
hml_status hml_contacts__rate_at(hml_contacts *c, double t, const double *x, double *f) {
  if (holds_rows(c)) return held_rate(c, t, x, f);
  c->n_active = 0;
  c->evaluated = c->solved = false;
  return hml_workspace__rate(c->w, t, x, f);
}

// values that guards watch
static bool needs_reactions(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) return true;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_STICK || (c->friction_state[j] == HML_SLIP && c->frictions[j].n_cone)) return true;
  return false;
}

// What is left of the set in stick, with the sign
static double room_in_stick(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  const hml_friction_law law = hml_contact__law(c, j, true);
  double normal = pressing(c, j);
  const double *z = c->z + c->place[f->row];
  if (!f->n_cone) return hml_friction__room(&law, normal, z);
  double size = sqrt(shared(c, j));
  for (size_t a = 0; a < f->count; a++) size = hypot(size, z[a]);
  return law.coefficient[0] > 0 ? normal - size / law.coefficient[0] : -size;
}

double hml_contact__terms(const hml_contacts *c, size_t place) {
  double g = c->g[place * c->n_active + place];
  return g > 0 ? hml_contact__acceleration_scale(c, place) / g : 0;
}

// A force along a prepared row that moves nothing by what the tolerance sees
static bool is_faint(const hml_contacts *c, size_t place, double force) {
  return fabs(force) * c->g[place * c->n_active + place] <= c->least * hml_contacts__reach(c, c->active[place]);
}

// A reaction may be negative by rounding where nothing presses and nothing pulls, and counts as zero where it moves nothing by what the
// tolerance sees
static double pressed(const hml_contacts *c, size_t gap) {
  const size_t place = c->place[gap];
  double z = c->z[place] + PULLS * hml_contact__terms(c, place);
  return is_faint(c, place, z) ? 0 : z;
}

// The room of a stick, zero where it is at its limit to rounding
static double held(const hml_contacts *c, size_t j) {
  double room = room_in_stick(c, j);
  return fabs(room) <= GIVES * fabs(pressing(c, j)) || is_faint(c, c->place[c->frictions[j].row], room) ? 0 : room;
}

bool hml_contact__is_smooth(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  if (c->friction_state[j] != HML_FREE) return false;
  if (f->kind == HML_PRESSED_BY_GAP) return c->closed[f->index];
  return f->kind == HML_PRESSED_BY_MULTIPLIER || c->out[c->shape->at_normals + j] > 0;
}

// Falls through zero where friction begins on a surface that had none
static double smoothness(const hml_contacts *c, size_t j) {
  const hml_friction_law law = hml_contact__law(c, j, true);
  return SMOOTH - fmax(law.coefficient[0], law.coefficient[1]);
}

bool hml_contacts__watches_cone(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  switch (c->friction_state[j]) {
    case HML_FREE: return f->kind != HML_PRESSED_BY_GAP || c->closed[f->index];
    case HML_SLIP: return f->n_cone || f->kind == HML_PRESSED_BY_EXPRESSION;
    case HML_STICK: break;
  }
  return false;
}

// Of a slip, what others of its cone leave, or its given pressing force; of what is free, what keeps it so
static double cone_guard(const hml_contacts *c, size_t j) {
  const double given = c->out[c->shape->at_normals + j];
  if (!hml_contacts__watches_cone(c, j)) return 1;
  if (c->friction_state[j] == HML_FREE) return hml_contact__is_smooth(c, j) ? smoothness(c, j) : -given;
  if (c->frictions[j].n_cone) return hml_contact__law(c, j, false).coefficient[0] * pressing(c, j) - sqrt(shared(c, j));
  return given;
}

hml_status hml_contacts__guards(hml_contacts *c, double *gap, double *friction, double *cone) {
  HML_TRY(hml_contact__evaluate(c));
  if (needs_reactions(c)) HML_TRY(solution(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) gap[i] = c->closed[i] ? pressed(c, i) : c->out[i];
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    friction[j] = 1;
    cone[j] = cone_guard(c, j);
    if (c->friction_state[j] == HML_STICK) friction[j] = held(c, j);
    else if (c->friction_state[j] == HML_SLIP && f->count == 1) friction[j] = hml_contact__velocity(c)[f->row] * c->direction[3 * j];
  }
  return HML_OK;
}

hml_status hml_contacts__check_mode(hml_contacts *c) {
  HML_TRY(hml_contact__evaluate(c));
  if (needs_reactions(c)) HML_TRY(solution(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!c->closed[i] || !(pressed(c, i) < -WRONG * hml_contact__terms(c, c->place[i]))) continue;
    if (hml_contact__roundings_in_pivot(c) < HML_CONTACT_CLEAR) return tell_lost(c);
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: '%s' is closed with the reaction %.3g, though it cannot pull: where it opens was missed; "
                    "take a smaller max_step", c->in[0], c->gaps[i].name, c->z[c->place[i]]);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (c->friction_state[j] != HML_STICK) continue;
    double room = held(c, j), size = fabs(pressing(c, j));
    for (size_t a = 0; a < c->frictions[j].count; a++) size += hml_contact__terms(c, c->place[c->frictions[j].row + a]);
    if (!(room < -WRONG * size)) continue;
    if (hml_contact__roundings_in_pivot(c) < HML_CONTACT_CLEAR) return tell_lost(c);
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: friction '%s' sticks beyond its limit, by %.3g: where it gives way was missed; "
                    "take a smaller max_step", c->in[0], c->frictions[j].name, -room);
  }
  return HML_OK;
}

// Sticks that use all of their friction, and closed gaps with almost no reaction, relative to the normal forces
hml_status hml_contact__near_limits(hml_contacts *c, bool *near) {
  const size_t gaps = c->sizes.gaps;
  HML_TRY(solution(c));
  for (size_t i = 0; i < gaps; i++) {
    size_t place = c->place[i];
    double g = c->closed[i] ? c->g[place * c->n_active + place] : 0;
    near[i] |= g > 0 && c->z[place] * g <= NEAR * hml_contact__acceleration_scale(c, place);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    near[gaps + j] |= c->friction_state[j] == HML_STICK && room_in_stick(c, j) <= NEAR * pressing(c, j);
  return HML_OK;
}

// Do the reactions of the mode obey the laws, with room left in the sets of those that stick? On an edge the next moment would end the stick
static hml_status within_laws(hml_contacts *c, bool *within) {
  HML_TRY(solution(c));
  *within = true;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    size_t place = c->place[i];
    if (c->closed[i]) *within &= c->z[place] * c->g[place * c->n_active + place] >= -NEAR * hml_contact__acceleration_scale(c, place);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_STICK) *within &= room_in_stick(c, j) >= ROOMY * pressing(c, j);
  return HML_OK;
}

hml_status hml_contact__choose_share(hml_contacts *c) {
  bool within;
  c->undetermined = false;
  hml_contact__changed(c);
  HML_TRY(within_laws(c, &within));
  c->undetermined = !within;
  hml_contact__changed(c);
  return HML_OK;
}
