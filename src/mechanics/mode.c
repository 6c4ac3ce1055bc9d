// mode.c: which contacts persist and which frictions stick: the combinations that are consistent on the level of accelerations.
//
// Every gap that touches is tried closed and open, every friction without slip is tried sticking and slipping; a combination holds if
// closed gaps press, open ones part, sticking frictions stay inside their cones and new slips move the way their friction opposes.
// None: the frictional contact problem has no solution (Painleve). Several with different reactions: it does not determine the motion.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_COMBINATIONS = 200000, DIRECTION_STEPS = 100 };
#define ZERO_SLIP 1e-9                 // relative to the speeds of the system
#define CONSISTENT 1e-9                // relative to the accelerations met

typedef struct choice {                // what is open to choice
  hml_contacts *c;
  const bool *touching;
  double tolerance;                    // on accelerations
} choice;

static bool presses(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  if (f->kind == HML_PRESSED_BY_GAP) return c->closed[f->index];
  return f->kind == HML_PRESSED_BY_MULTIPLIER || c->out[c->at_normals + j] > 0;
}

static double *slip_of(const hml_contacts *c, size_t j) {
  return c->out + c->at_velocities + c->frictions[j].row;
}

// Does a velocity vanish against the terms it is made of?
static bool vanishes(const hml_contacts *c, size_t row, double velocity) {
  const size_t n = c->w->model->n_dyn, n_kin = c->w->model->n_kin;
  double speed = 0;
  for (size_t i = 0; i < n; i++) speed += fabs(hml_contact__row(c, row)[i] * c->w->in[1 + n_kin + i]);
  return fabs(velocity) <= ZERO_SLIP * speed + 1e-13;
}

bool hml_contacts__gap_at_rest(hml_contacts *c, size_t gap) {
  return vanishes(c, gap, c->out[c->at_velocities + gap]);
}

double hml_contacts__gap_acceleration(hml_contacts *c, size_t gap) {
  return hml_dense__dot(c->w->model->n_dyn, hml_contact__row(c, gap), c->a) + c->out[c->at_drifts + gap];
}

double hml_contacts__capture(const hml_contacts *c, size_t gap) {
  return c->gaps[gap].capture;
}

static bool without_slip(const hml_contacts *c, size_t j) {
  const double *s = slip_of(c, j);
  return vanishes(c, c->frictions[j].row, c->frictions[j].count == 1 ? s[0] : hypot(s[0], s[1]));
}

// Direction of a slip that begins from rest in two directions: the acceleration of the slip points along it
static bool find_direction(hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  double *d = c->direction + 2 * j;
  for (int i = 0; i < DIRECTION_STEPS; i++) {
    if (hml_contact__solve(c) != HML_OK) return false;
    double s[2] = {hml_contact__row_acceleration(c, c->place[f->row]), hml_contact__row_acceleration(c, c->place[f->row + 1])};
    double size = hypot(s[0], s[1]);
    if (!(size > 0)) return true;
    double change = hypot(s[0] / size - d[0], s[1] / size - d[1]);
    d[0] = s[0] / size;
    d[1] = s[1] / size;
    if (change < 1e-13) return true;
  }
  return false;
}

static double force_tolerance(const choice *o, size_t place) {
  const hml_contacts *c = o->c;
  double g = c->g[place * c->n_active + place];
  return g > 0 ? o->tolerance / g : o->tolerance;
}

static bool friction_consistent(const choice *o, size_t j, bool chosen) {
  const hml_contacts *c = o->c;
  const hml_friction *f = c->frictions + j;
  double normal = hml_contact__normal(c, j), shared = hml_contact__shared(c, j), slack = force_tolerance(o, c->place[f->row]);
  if (c->friction_state[j] == HML_STICK) {
    double room = c->out[c->at_static + j] * normal + slack, sum = shared;
    for (size_t a = 0; a < f->count; a++) sum += c->z[c->place[f->row + a]] * c->z[c->place[f->row + a]];
    return sum <= room * room && normal >= -slack;
  }
  double room = c->out[c->at_coefficients + j] * normal + slack;
  if (f->n_cone && shared > room * room) return false;
  if (!chosen) return true;
  double along = 0;
  for (size_t a = 0; a < f->count; a++) along += c->direction[2 * j + a] * hml_contact__row_acceleration(c, c->place[f->row + a]);
  return along >= -o->tolerance;
}

static bool consistent(const choice *o, const bool *zero) {
  hml_contacts *c = o->c;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_SLIP && zero[j] && c->frictions[j].count == 2 && !find_direction(c, j)) return false;
  if (hml_contact__solve(c) != HML_OK) return false;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!o->touching[i]) continue;
    size_t place = c->place[i];
    if (c->closed[i] ? c->z[place] < -force_tolerance(o, place) : hml_contact__row_acceleration(c, place) < -o->tolerance) return false;
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] != HML_FREE && !friction_consistent(o, j, zero[j])) return false;
  return true;
}

// Digits of the combination: two states per touching gap, two or three per friction without slip
static bool set_combination(hml_contacts *c, const bool *touching, const bool *zero, size_t number) {
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    c->closed[i] = false;
    if (!touching[i]) continue;
    c->closed[i] = number % 2 == 0;
    number /= 2;
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const double *s = slip_of(c, j);
    double *d = c->direction + 2 * j;
    size_t digits = c->frictions[j].count == 1 ? 3 : 2, digit = 0;
    if (zero[j]) digit = number % digits, number /= digits;
    c->friction_state[j] = HML_FREE;
    if (!presses(c, j)) {
      if (digit) return false;         // counted once only
      continue;
    }
    c->friction_state[j] = zero[j] && digit == 0 ? HML_STICK : HML_SLIP;
    double size = c->frictions[j].count == 1 ? fabs(s[0]) : hypot(s[0], s[1]);
    d[0] = zero[j] ? (digit == 2 ? -1 : 1) : s[0] / size;
    d[1] = zero[j] || c->frictions[j].count == 1 ? 0 : s[1] / size;
  }
  return true;
}

static hml_status tell_none(hml_contacts *c) {
  const char *gap = c->sizes.gaps ? c->gaps[0].name : "", *friction = c->sizes.frictions ? c->frictions[0].name : "";
  if (!hml_forgive(c->w->context)) return hml_context_error(c->w->context)->status;
  return hml_fail(c->w->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: neither contact nor release, neither slip nor stick is possible for %s%s%s%s%s",
                  c->w->model->name, c->w->in[0], *gap ? "'" : "", gap, *gap && *friction ? "', '" : *gap || *friction ? "'" : "", friction,
                  *gap && *friction ? "'" : "");
}

static bool leaves(const hml_contacts *c, const bool *leave) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (leave[i] && c->closed[i]) return false;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (leave[c->sizes.gaps + j] && c->friction_state[j] == HML_STICK) return false;
  return true;
}

// All combinations, the first that holds kept in `best`; leave may be NULL
static int try_all(const choice *o, const bool *zero, const bool *leave, size_t combinations, void *best, bool *several) {
  hml_contacts *c = o->c;
  const size_t k = c->n_active;
  int found = 0;
  for (size_t number = 0; number < combinations; number++) {
    if (!set_combination(c, o->touching, zero, number) || (leave && !leaves(c, leave)) || !consistent(o, zero)) continue;
    if (found++ == 0) {
      hml_mode__store(c, best);
      memcpy(c->saved, c->z, k * sizeof *c->saved);
      continue;
    }
    double apart = 0, size = 0;
    for (size_t i = 0; i < k; i++) {
      apart = fmax(apart, fabs(c->z[i] - c->saved[i]) * c->g[i * k + i]);
      size = fmax(size, fabs(c->saved[i]) * c->g[i * k + i]);
    }
    *several |= apart > 1e-6 * size + o->tolerance;
  }
  hml_forgive(c->w->context);                                            // of combinations without a solution
  return found;
}

hml_status hml_contacts__select(hml_contacts *c, const bool *touching, const bool *leave, bool *several) {
  const size_t gaps = c->sizes.gaps, frictions = c->sizes.frictions;
  HML_TRY(hml_contact__evaluate(c));
  bool *zero = hml_alloc(c->w->context, frictions + 1);
  void *best = hml_alloc(c->w->context, hml_mode__bytes(c) + 1);
  hml_status status = zero && best ? HML_OK : HML_MEMORY;
  size_t combinations = 1;
  *several = false;
  c->n_active = 0;
  for (size_t i = 0; i < gaps; i++) {
    if (!touching[i]) continue;
    c->active[c->n_active++] = i;
    combinations = combinations > MOST_COMBINATIONS ? combinations : 2 * combinations;
  }
  for (size_t j = 0; j < frictions && status == HML_OK; j++) {
    const hml_friction *f = c->frictions + j;
    bool possible = f->kind != HML_PRESSED_BY_GAP || touching[f->index];
    zero[j] = possible && without_slip(c, j);
    if (zero[j]) combinations = combinations > MOST_COMBINATIONS ? combinations : (f->count == 1 ? 3 : 2) * combinations;
    for (size_t a = 0; a < f->count && possible; a++) c->active[c->n_active++] = f->row + a;
  }
  if (status == HML_OK && combinations > MOST_COMBINATIONS)
    status = hml_fail(c->w->context, HML_LIMIT, "model '%s' at t = %.10g: too many contacts at once for trying all combinations; use method = \"moreau\"",
                      c->w->model->name, c->w->in[0]);
  if (status == HML_OK) status = hml_contact__prepare(c, true);
  if (status == HML_OK) {
    double scale = 0;
    for (size_t i = 0; i < c->n_active; i++) scale = fmax(scale, fabs(c->free[i]));
    choice o = {c, touching, CONSISTENT * scale + 1e-300};
    int found = try_all(&o, zero, leave, combinations, best, several);
    if (!found && leave) found = try_all(&o, zero, NULL, combinations, best, several);
    if (hml_must_end(c->w->context))
      status = hml_context_error(c->w->context)->status;
    else if (found)
      hml_mode__restore(c, best);
    else
      status = tell_none(c);
  }
  if (best) hml_dealloc(c->w->context, best, hml_mode__bytes(c) + 1);
  if (zero) hml_dealloc(c->w->context, zero, frictions + 1);
  return status;
}
