// reset.c: all that happens at one instant: impacts until no touching gap approaches, and the contact mode from there on.
//
// Touching depends on history. A gap touches if its guard has just reached its root, if it was closed, if the last reset left it on its
// root, if it is zero to the rounding of its own terms, or if it would close within the resolution of the time.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { BLOWS_AT_ONCE = 200, LANDINGS_AT_ONCE = 50 };
#define ROUNDING (32 * DBL_EPSILON)    // of a gap, relative to the terms it is made of
#define ROUNDED 8                      // units in the last place: of the instant of an impact, by rounding of the flights before it
#define MET 1e-12                      // of a bound on velocities that took part in a blow
#define START 1e-10                    // the same, as a start may be written down
#define SAME_INSTANT (8 * DBL_EPSILON) // of the time
#define LOOK_AHEAD 1e-7              // of the time, or of the time in which the state changes
#define SUDDEN 1e-3                    // of a gradient a little way off: one that is less has no place here
#define VANISHES 1e-6                  // of a gradient some way before: less is none
#define LOW 1e-3                       // of atol: flights below that height are not followed
#define OFF 4                          // times the distance of a gap from its root where it was struck, the same
#define JUMPS 1e-9                     // of the speeds that a rate adds up, beside the tolerance: more is a corner of the floor
#define LEFT_OF_SLIP 1e-3              // of a slip where another one is brought to rest: it ends with that
#define FAINT 0.1                      // of atol: motion by a pull that opens nothing, over the whole run

// gaps that touch
static bool touches(const hml_contacts *c, size_t i) {
  double gap = c->out[i], u = hml_contact__velocity(c)[i];
  if (c->gaps[i].bounds_velocity) {
    bool was_there = !c->struck[i] && (c->at_root[i] || c->closed[i]);       // a blow may throw it off the bound
    return was_there || gap <= (c->struck[i] ? MET : ROUNDING) * hml_contacts__place_scale(c, i);
  }
  if (c->at_root[i] || c->closed[i] || gap <= ROUNDING * hml_contacts__place_scale(c, i)) return true;
  if (fabs(gap) <= 2 * fabs(c->left_at[i])) return true;
  return u < 0 && gap <= -u * SAME_INSTANT * fabs(c->in[0]);
}

// ---- a little later

// A state a little further along the motion in the mode becomes that of the contacts
static hml_status go_ahead(hml_contacts *c, double t, const double *x) {
  const size_t size = hml_model_state_size(c->model);
  double *f = c->ahead, *next = f + size, moved = 0, speed = 0, step;
  HML_TRY(hml_contacts__rate_at(c, t, x, f));
  for (size_t i = 0; i < c->n.kin + c->n.dyn; i++) {
    moved = fmax(moved, fabs(x[i]));
    speed = fmax(speed, fabs(f[i]));
  }
  const double longest = fmax(fabs(t), c->duration);                     // what rests but for rounding would take for ever
  step = LOOK_AHEAD * fmax(fabs(t), speed > 0 ? fmin(moved / speed, longest) : 0);
  if (!(step > 0)) step = LOOK_AHEAD;
  for (size_t i = 0; i < size; i++) next[i] = x[i] + step * f[i];
  return hml_contacts__set_state(c, t + step, next);
}

// A normal force on its root presses, or not, as it does right after. fired: NULL, or the frictions of which only those count
static hml_status look_at_normals(hml_contacts *c, double t, const double *x, const bool *fired) {
  bool any = false;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const bool looked_at = c->frictions[j].kind == HML_PRESSED_BY_EXPRESSION && (!fired || fired[j]);
    c->normal_side[j] = looked_at;
    any |= looked_at;
  }
  if (!any) return HML_OK;
  HML_TRY(go_ahead(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const double normal = c->out[c->shape->at_normals + j];
    if (c->normal_side[j]) c->normal_side[j] = (signed char)((normal > 0) - (normal < 0));
  }
  HML_TRY(hml_contacts__set_state(c, t, x));
  return hml_contact__evaluate(c);
}

// ---- gradients

static hml_status tell_gradient(const hml_contacts *c, double t, size_t gap, bool vanishes) {
  return hml_fail(c->context, HML_UNSUPPORTED, "t = %.10g: the gradient of '%s' %s where it closes, so that it has no velocity there; declare a gap that grows "
                  "like the distance, such as y in place of y^3 or sqrt(y)", t, c->gaps[gap].name, vanishes ? "vanishes" : "is infinite");
}

// A gap that closes for the first time in a run, with a blow or without: a little further along the motion its gradient must be about the same. x is the state
static hml_status check_gradients(hml_contacts *c, double t, const double *x) {
  double *here = c->ahead + 2 * hml_model_state_size(c->model);
  bool any = false;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    c->newly[i] = (c->hit[i] || (touches(c, i) && !c->closed[i])) && !c->regular[i] && !c->gaps[i].bounds_velocity;
    any |= c->newly[i];
    here[i] = hml_contacts__reach(c, i);
  }
  if (!any) return HML_OK;
  HML_TRY(go_ahead(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    const double there = hml_contacts__reach(c, i);
    if (c->newly[i] && !(here[i] > SUDDEN * there && isfinite(here[i]))) return tell_gradient(c, t, i, true);
    if (c->newly[i] && !(there > SUDDEN * here[i])) return tell_gradient(c, t, i, false);
    c->regular[i] |= c->newly[i];
  }
  HML_TRY(hml_contacts__set_state(c, t, x));
  return hml_contact__evaluate(c);
}

hml_status hml_contacts__check_touch(hml_contacts *c, double t, const double *y, size_t gap) {
  HML_TRY(hml_contact__evaluate(c));
  const double before = hml_contacts__reach(c, gap);
  HML_TRY(hml_contacts__set_state(c, t, y));
  HML_TRY(hml_contact__evaluate(c));
  if (hml_contacts__reach(c, gap) > VANISHES * before) return HML_OK;
  return hml_fail(c->context, HML_UNSUPPORTED, "t = %.10g: the motion passes through a place where '%s' is zero and its gradient vanishes: beside it, bodies are "
                  "thrown back; declare its sides as gaps of their own, or start beside this motion", t, c->gaps[gap].name);
}

// ---- blows
// The state is x, before and after
static hml_status strike(hml_contacts *c, double t, double *x, bool plastic) {
  const size_t size = hml_model_state_size(c->model);
  double *before = c->blow, *after = before + size, *impulses = after + size, energy = 0, energy_after = 0;
  size_t first = 0;
  memcpy(before, x, size * sizeof *before);
  HML_TRY(hml_energies(c->w, &energy, NULL));
  HML_TRY(hml_contact__impact(c, c->hit, plastic, x, impulses));
  HML_TRY(hml_energies(c->w, &energy_after, NULL));
  while (!c->hit[first]) first++;
  for (size_t i = 0; i < c->sizes.gaps && !plastic; i++)
    if (c->hit[i]) hml_accumulation__strike(c->instants, c->sizes.gaps, i, t);
  if (hml_model_has_work(c->model)) x[size - 1] += energy_after - energy;
  memcpy(after, x, size * sizeof *after);
  hml_struck blow = {t, first, before, after, impulses, energy_after - energy};
  return c->witness->blow(c->witness->payload, &blow);
}

static hml_status note(const hml_contacts *c, double t, const char *text) {
  return c->witness->note ? c->witness->note(c->witness->payload, t, text) : HML_OK;
}

// Blows at one instant that become weaker without end, each contact throwing the next back: their limit is that all that touch come to rest
// against each other together
static hml_status collapse(hml_contacts *c, double t, double *x, double approach) {
  const double *u;
  HML_TRY(hml_contact__evaluate(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) c->hit[i] = !c->gaps[i].bounds_velocity && touches(c, i);
  HML_TRY(strike(c, t, x, true));
  HML_TRY(hml_contacts__values(c, NULL, &u));
  for (size_t i = 0; i < c->sizes.gaps; i++) c->touching[i] = c->hit[i] && fabs(u[i]) <= 1e-9 * approach;
  char text[200];
  snprintf(text, sizeof text, "the impacts at t = %.10g accumulate at that instant; all touching contacts come to rest together", t);
  return note(c, t, text);
}

// Marks gaps that touch at rest and gaps that strike. Returns the fastest approach
static double look_round(hml_contacts *c) {
  const double *u = hml_contact__velocity(c);
  double approach = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    bool bound = c->gaps[i].bounds_velocity, here = touches(c, i), rests = bound || (c->closed[i] && !c->struck[i]) || hml_contact__at_rest(c, i);
    c->touching[i] = here && rests;
    c->hit[i] = here && !rests && u[i] < 0;
    if (c->hit[i]) approach = hml_larger(approach, -u[i]);
  }
  return approach;
}

static hml_status tell_squeezed(const hml_contacts *c, double t) {
  const char *names[16];
  double ones[16];
  char who[300];
  size_t n = 0;
  for (size_t i = 0; i < c->sizes.gaps && n < 16; i++)
    if (c->at_root[i]) names[n] = c->gaps[i].name, ones[n++] = 1;
  hml_names__join(n, names, ones, 0.5, "'", sizeof who, who);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: %d impacts of %s at one instant do not end: they leave what they touch no room", t, BLOWS_AT_ONCE, who);
}

// Blows until nothing that touches approaches. The state is x, before and after
static hml_status strike_all(hml_contacts *c, double t, double *x) {
  double early = 0, late = 0;
  for (int round = 0; round <= BLOWS_AT_ONCE; round++) {
    HML_TRY(hml_contact__evaluate(c));
    double approach = look_round(c);
    if (!(approach > 0)) return check_gradients(c, t, x);
    // the largest of many rounds, since contacts take turns
    if (round < BLOWS_AT_ONCE / 2) early = hml_larger(early, round >= BLOWS_AT_ONCE / 4 ? approach : 0);
    else late = hml_larger(late, round >= 3 * BLOWS_AT_ONCE / 4 ? approach : 0);
    if (round == BLOWS_AT_ONCE && late < early) return collapse(c, t, x, approach);
    // a gap that strikes touches until the end of the reset
    for (size_t i = 0; i < c->sizes.gaps; i++) c->at_root[i] |= c->hit[i];
    HML_TRY(check_gradients(c, t, x));
    HML_TRY(strike(c, t, x, false));
  }
  return tell_squeezed(c, t);
}

// ---- flights that are too small to follow

static const char *digits_of(double error, double t, char text[40]) {
  int digits = isfinite(error) && error > 0 && t != 0 ? (int)ceil(log10(fabs(t) / error)) + 1 : 15;
  snprintf(text, 40, "%.*g", digits < 6 ? 6 : digits > 15 ? 15 : digits, t);
  return text;
}

static hml_status tell_accumulation(hml_contacts *c, double t, size_t gap, const hml_accumulation_limit *l) {
  const hml_witness *w = c->witness;
  bool known = l->kind != HML_ACCUMULATION_IRREGULAR;
  hml_accumulated a = {.gap = gap, .t = known ? l->t : t, .error = l->error, .ratio = l->ratio, .impacts = l->impacts};
  if (w->accumulated) HML_TRY(w->accumulated(w->payload, &a));
  if (c->noted_zeno) return HML_OK;
  c->noted_zeno = true;
  char text[300], number[40];
  if (known)
    snprintf(text, sizeof text, "the impacts at '%s' accumulate at t = %s (+- %.1g); contact persists from here", c->gaps[gap].name,
             digits_of(a.error, a.t, number), a.error);
  else
    snprintf(text, sizeof text, "the impacts at '%s' accumulate at about t = %.10g, the last one that was followed: they take turns with others irregularly; "
             "contact persists from here", c->gaps[gap].name, t);
  return note(c, a.t, text);
}

// The limit of the impacts of a gap whose flight of that duration is not followed. Gaps that are struck in turn with it share it
static hml_accumulation_limit limit_of(const hml_contacts *c, size_t gap, double u, double flight) {
  double e = c->out[c->shape->at_restitution + gap], before = u / fmax(e, DBL_EPSILON);
  // of the instants: by rounding of the gap, and of the flights up to here
  double located = DBL_EPSILON * fmax(2 * hml_contacts__place_scale(c, gap) / before, ROUNDED * fabs(c->in[0]));
  return hml_accumulation__limit(c->instants + gap, located, flight, e);
}

// A flight that does not rise above that has no end: the rounding of the gap, of the instant and place of the blow before, of the time
static double unresolved(const hml_contacts *c, size_t gap) {
  double by_time = hml_contact__velocity(c)[gap] - hml_dense__dot(c->n.dyn, hml_contact__row(c, gap), c->in + 1 + c->n.kin);
  double rounding = 64 * DBL_EPSILON * hml_contacts__place_scale(c, gap) + 16 * DBL_EPSILON * fabs(c->in[0] * by_time);
  return fmax(rounding, OFF * fabs(c->out[gap]));
}

// Accelerations in the mode at the state x
static hml_status rates(hml_contacts *c, double t, const double *x, const double **a) {
  HML_TRY(hml_contacts__rate_at(c, t, x, c->ahead));
  *a = c->ahead + c->n.kin;
  return hml_contact__evaluate(c);
}

// A gap that has been struck and would return at once stays closed: its flight is lower than what the tolerance sees, or slower than
// the user's capture velocity. The mode of all others is in force.
static hml_status catch_small_flights(hml_contacts *c, double t, const double *x, bool *caught) {
  const double *u = hml_contact__velocity(c), *a = NULL;
  *caught = false;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (c->gaps[i].bounds_velocity || c->touching[i] || !touches(c, i) || !(u[i] > 0)) continue;
    if (!a) HML_TRY(rates(c, t, x, &a));
    double acceleration = hml_dense__dot(c->n.dyn, hml_contact__row(c, i), a) + hml_contact__drift(c, i);
    if (!(acceleration < 0)) continue;
    double height = fmax(LOW * c->atol * hml_contacts__reach(c, i), unresolved(c, i));
    bool low = u[i] * u[i] < -2 * acceleration * height, slow = u[i] < c->gaps[i].capture;
    if (!low && !slow) continue;
    c->touching[i] = c->lands[i] = *caught = true;
    c->landed[i] = t;
    if (slow) continue;
    hml_accumulation_limit l = limit_of(c, i, u[i], -2 * u[i] / acceleration);
    if (l.impacts == 0) continue;      // it comes to rest without a blow
    if (l.kind != HML_ACCUMULATION_IRREGULAR) c->landed[i] = l.t;
    HML_TRY(tell_accumulation(c, t, i, &l));
  }
  return HML_OK;
}

// Prepares the rows of all closed gaps and of the slips that they press; ray number i, (1, z), is the impulse of these rows per unit of
// normal impulse of closed gap number i
static hml_status prepare_rays(hml_contacts *c, size_t *gaps) {
  size_t n = 0;
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i] && !c->gaps[i].bounds_velocity) hml_contact__activate(c, i);
  *gaps = c->n_active;
  memset(c->rays, 0, c->sizes.rows * *gaps * sizeof *c->rays);
  for (size_t i = 0; i < *gaps; i++) c->rays[i * c->sizes.rows + i] = 1;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    if (f->kind != HML_PRESSED_BY_GAP || c->friction_state[j] != HML_SLIP || c->zero_slip[j] || f->n_cone || !c->closed[f->index]) continue;
    const hml_friction_law law = hml_contact__law(c, j, false);
    double e[3];
    hml_friction__gradient(&law, hml_contact__velocity(c) + f->row, e);
    for (n = 0; c->active[n] != f->index;) n++;
    for (size_t a = 0; a < f->count; a++) {
      c->rays[n * c->sizes.rows + c->n_active] = -e[a];
      hml_contact__activate(c, f->row + a);
    }
  }
  return hml_contact__prepare(c, false);
}

// What is left of the normal velocity of a caught gap ends along the ray of slip: the blows that are not followed would have rubbed in that
// proportion. Gaps that are closed already take part, as they would in each blow. So this friction comes before the time of these blows: the
// energy may rise here by as much as it falls until their limit
static hml_status land(hml_contacts *c, double t, double *x) {
  const size_t n = c->n.dyn;
  size_t gaps;
  double energy = 0, energy_after = 0;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_energies(c->w, &energy, NULL));
  HML_TRY(hml_contact__evaluate(c));
  HML_TRY(prepare_rays(c, &gaps));
  double *left = c->residual, *impulse = left + 2 * gaps;
  for (size_t k = 0; k < gaps; k++) {
    left[k] = -hml_contact__velocity(c)[c->active[k]];
    for (size_t i = 0; i < gaps; i++) c->jacobian[k * gaps + i] = hml_dense__dot(c->n_active, c->g + k * c->n_active, c->rays + i * c->sizes.rows);
  }
  hml_contact__dense_solve(c, gaps, c->jacobian, left, impulse);
  for (size_t i = 0; i < gaps; i++)
    for (size_t k = 0; k < c->n_active; k++)
      for (size_t s = 0; s < n; s++) x[c->n.kin + s] += c->x[k * n + s] * c->rays[i * c->sizes.rows + k] * impulse[i];
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_energies(c->w, &energy_after, NULL));
  if (hml_model_has_work(c->model)) x[hml_model_state_size(c->model) - 1] += energy_after - energy;
  return HML_OK;
}

// ---- the mode from here on

// What the mode before held is at rest up to rounding, which may be all there is of its velocity
static bool was_held(const hml_contacts *c, size_t gap, size_t row) {
  return c->before.closed[gap] && !c->struck[row];
}

// A rough wall begins to hold: the velocities of its rows end in an impulse of that instant
static hml_status seize(hml_contacts *c, double t, double *x) {
  bool any = false;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    c->hit[i] = false;
    for (size_t row = c->gaps[i].rough, end = row + c->gaps[i].n_rough; row < end && c->closed[i]; row++)
      c->hit[i] |= !was_held(c, i, row) && !hml_contact__at_rest(c, row);
    any |= c->hit[i];
  }
  return any ? strike(c, t, x, true) : HML_OK;
}

// The sides that guards take from their roots on
static hml_status mark_roots(hml_contacts *c) {
  HML_TRY(hml_contact__evaluate(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    c->on_root[i] = !c->closed[i] && touches(c, i);
    c->left_at[i] = c->on_root[i] ? c->out[i] : 0;
    if (c->closed[i]) hml_accumulation__clear(c->instants + i);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    c->on_root[c->sizes.gaps + j] = c->friction_state[j] == HML_SLIP && c->zero_slip[j];
    if (c->zero_slip[j]) c->fastest[j] = 0;
    c->young[j] = c->on_root[c->sizes.gaps + j] && c->frictions[j].count > 1;
    c->born[j] = c->in[0];
    c->slip_left[j] = c->zero_slip[j] ? hml_contact__slip_size(c, j) : 0;
  }
  return HML_OK;
}

// Does a gap that touches without contact approach?
static bool any_approaches(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (!c->gaps[i].bounds_velocity && !c->touching[i] && touches(c, i) && hml_contact__velocity(c)[i] < 0 && !hml_contact__at_rest(c, i)) return true;
  return false;
}

// Chooses the mode and catches small flights. A contact that lands changes the accelerations and the velocities of others: then their flights are
// judged anew, and *strikes: one of them has turned round
static hml_status choose_contacts(hml_contacts *c, double t, double *x, const bool *leave, bool *strikes) {
  bool caught;
  *strikes = false;
  do {
    HML_TRY(hml_contact__select(c, c->touching, leave, c->near));
    HML_TRY(catch_small_flights(c, t, x, &caught));
    if (!caught) return HML_OK;
    HML_TRY(hml_contact__select(c, c->touching, leave, c->near));
    HML_TRY(land(c, t, x));
    HML_TRY(hml_contact__evaluate(c));
    *strikes = any_approaches(c);
  } while (!*strikes);
  return HML_OK;
}

// Blows until nothing that touches approaches, and the mode from there on, in which velocities of persisting contacts are exactly zero. The state
// is x, before and after
static hml_status settle(hml_contacts *c, double t, double *x, const bool *leave) {
  bool strikes = true;
  memset(c->lands, 0, c->sizes.gaps * sizeof *c->lands);
  for (int round = 0; strikes; round++) {
    if (round == LANDINGS_AT_ONCE) return tell_squeezed(c, t);
    HML_TRY(strike_all(c, t, x));
    HML_TRY(choose_contacts(c, t, x, leave, &strikes));
  }
  HML_TRY(seize(c, t, x));
  HML_TRY(hml_contact__bring_to_rest(c, x));
  return mark_roots(c);
}

// contacts that persist at their root

// A closed gap or a stick whose guard has fired and which the mode keeps
static bool is_kept(const hml_contacts *c, size_t guard) {
  const size_t gaps = c->sizes.gaps;
  return c->leave[guard] && (guard < gaps ? c->closed[guard] : c->friction_state[guard - gaps] == HML_STICK);
}

// And which is on its root: a new share of reactions that the mode leaves undetermined may have given it room
static bool is_kept_on_root(const hml_contacts *c, size_t guard, const double *now) {
  return is_kept(c, guard) && !(now[guard] > 0);
}

static bool any_kept(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps + c->sizes.frictions; i++)
    if (is_kept(c, i)) return true;
  return false;
}

static hml_status tell_kept(const hml_contacts *c, double t, size_t guard) {
  const size_t gaps = c->sizes.gaps;
  const char *name = guard < gaps ? c->gaps[guard].name : c->frictions[guard - gaps].name;
  if (c->noted_reactions)
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: the model does not determine the reactions, and so not the time at which %s'%s' gives way; "
                    "remove redundant contacts", t, guard < gaps ? "" : "friction ", name);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, guard < gaps ? "t = %.10g: '%s' can neither stay closed nor open" : "t = %.10g: friction '%s' can neither hold nor slip",
                  t, name);
}

// What is kept on its own root holds only if its guard grows from here on. Where it does not, the mode is the one that a state a little later has:
// several frictions that hold one body may begin to slip together only
static hml_status check_kept(hml_contacts *c, double t, double *x) {
  const size_t gaps = c->sizes.gaps, n = gaps + c->sizes.frictions;
  double *now = c->ahead + 2 * hml_model_state_size(c->model), *then = now + n + c->sizes.frictions;
  bool falls = false;
  if (!any_kept(c)) return HML_OK;
  HML_TRY(hml_contacts__guards(c, now, now + gaps, now + n));
  HML_TRY(go_ahead(c, t, x));
  HML_TRY(hml_contacts__guards(c, then, then + gaps, then + n));
  for (size_t i = 0; i < n; i++) falls |= is_kept_on_root(c, i, now) && then[i] < now[i];
  if (falls) {
    HML_TRY(hml_contact__select(c, c->touching, NULL, NULL));
    for (size_t i = 0; i < n; i++)
      if (is_kept_on_root(c, i, now) && then[i] < now[i])
        return tell_kept(c, t, i);
  }
  HML_TRY(hml_contacts__set_state(c, t, x));
  if (falls) HML_TRY(hml_contact__bring_to_rest(c, x));
  HML_TRY(mark_roots(c));
  for (size_t i = 0; i < n; i++) c->on_root[i] |= is_kept_on_root(c, i, now);
  return HML_OK;
}

// messages
static hml_status tell_switch(const hml_contacts *c, hml_switch s) {
  return c->witness->switched ? c->witness->switched(c->witness->payload, &s) : HML_OK;
}

static hml_status tell_switches(const hml_contacts *c, double t) {
  const hml_kept_mode *old = &c->before;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (old->closed[i] != c->closed[i]) HML_TRY(tell_switch(c, (hml_switch){.t = c->lands[i] ? c->landed[i] : t, .which = i, .from = old->closed[i], .to = c->closed[i]}));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const double *d = c->direction + 3 * j, *was = old->direction + 3 * j;
    hml_friction_state from = old->friction_state[j], to = c->friction_state[j];
    bool turned = from == HML_SLIP && to == HML_SLIP && was[0] * d[0] + was[1] * d[1] + was[2] * d[2] < -0.5;
    if (from == to && !turned) continue;
    const hml_friction *f = c->frictions + j;
    bool lands = f->kind == HML_PRESSED_BY_GAP && c->lands[f->index];
    hml_switch s = {.t = lands ? c->landed[f->index] : t, .is_friction = true, .which = j, .from = (int)from, .to = (int)to};
    for (size_t a = 0; a < c->frictions[j].count; a++) {
      s.leaves[a] = from == HML_SLIP ? was[a] : 0;
      s.takes[a] = to == HML_SLIP ? d[a] : 0;
    }
    HML_TRY(tell_switch(c, s));
  }
  return HML_OK;
}

// ---- the door
// anew: velocities have jumped, and what rested need not do so any more
static void begin(hml_contacts *c, bool anew) {
  for (size_t i = 0; i < c->sizes.rows; i++) {
    c->struck[i] = anew;
    c->speed[i] = hml_contact__speed_scale(c, i);
  }
}

hml_status hml_contacts__note_rates(hml_contacts *c, double t, const double *x) {
  const double *u;
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contacts__values(c, NULL, &u));
  memcpy(c->rate_before, u, c->sizes.rows * sizeof *u);
  memcpy(c->rate_before + c->sizes.rows, c->out, c->sizes.gaps * sizeof *u);
  memcpy(c->in_before, c->in, hml_program_inputs(c->shape->program) * sizeof *c->in);
  return HML_OK;
}

static void find_blur(hml_contacts *c) {
  memset(c->blurred, 0, (c->sizes.rows + c->sizes.gaps) * sizeof *c->blurred);
  hml_contact__add_blur(c, c->in_before, c->blurred);
  hml_contact__add_blur(c, c->in, c->blurred);
}

// Of rows, then gaps: neither a part of that size nor rounding
static bool differs(const hml_contacts *c, size_t k, double change, double size) {
  return fabs(change) > fmax((JUMPS + 10 * c->atol) * size, c->blurred[k]);
}

// The largest position, or velocity, of those that move the gap
static double largest(const hml_contacts *c, size_t gap, const double *of) {
  const double *row = hml_contact__row(c, gap);
  double size = 0;
  for (size_t j = 0; j < c->n.dyn; j++)
    if (row[j] != 0) size = fmax(size, fabs(of[j]));
  return size;
}

// Velocity of which a change counts: the largest, and that which leads as far in the duration of the run as the largest position
static double fastest(const hml_contacts *c, size_t gap) {
  return largest(c, gap, c->in + 1 + c->n.kin) + (c->duration > 0 ? largest(c, gap, c->in + 1) / c->duration : 0);
}

// At a corner of its floor a body that slides along is struck, or it leaves. Behind the rates that were noted
static bool kinked(hml_contacts *c, size_t gap) {
  if (!c->closed[gap] || c->gaps[gap].bounds_velocity) return false;
  const double size = hml_contact__speed_scale(c, gap) + hml_contacts__reach(c, gap) * fastest(c, gap);
  return differs(c, gap, hml_contact__velocity(c)[gap] - c->rate_before[gap], size);
}

// The largest position that the run starts from here, or comes to at the present velocities
static double farthest(const hml_contacts *c) {
  double place = 0, speed = 0;
  for (size_t j = 0; j < c->n.kin; j++) place = fmax(place, fabs(c->in[1 + j]));
  for (size_t j = 0; j < c->n.dyn; j++) speed = fmax(speed, fabs(c->in[1 + c->n.kin + j]));
  return place + speed * c->duration + c->atol;
}

static hml_status check_jumps(hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    const double jump = c->out[i] - c->rate_before[c->sizes.rows + i], size = hml_contacts__place_scale(c, i) + hml_contacts__reach(c, i) * farthest(c);
    if (c->gaps[i].bounds_velocity || !differs(c, c->sizes.rows + i, jump, size)) continue;
    if (!c->closed[i] && jump < 0 && c->out[i] < -(JUMPS + 10 * c->atol) * size && !(c->rate_before[c->sizes.rows + i] < 0))
      return hml_fail(c->context, HML_UNSUPPORTED, "t = %.10g: '%s' jumps from %.6g to %.6g, where it must not be negative: a wall that is at another place at once strikes with "
                      "no speed that a law of impact could use; let it move there in a short time, as by hm.ramp", c->in[0], c->gaps[i].name, c->rate_before[c->sizes.rows + i], c->out[i]);
    if (!c->closed[i]) continue;
    return hml_fail(c->context, HML_UNSUPPORTED, "t = %.10g: '%s' jumps by %.6g under a contact: such a step has no normal; declare its edge or its wall as a gap of its own, or let "
                    "a wall that moves change its place in a short time, as by hm.ramp",
                    c->in[0], c->gaps[i].name, jump);
  }
  return HML_OK;
}

// The velocity of a row is prescribed by something that jumps at a corner, as a belt does. Behind the rates that were noted
static bool row_jumps(const hml_contacts *c, size_t row) {
  const double size = hml_contact__speed_scale(c, row) + fabs(c->rate_before[row]);
  return differs(c, row, hml_contact__velocity(c)[row] - c->rate_before[row], size);
}

// Friction is finite: where a belt jumps, the velocities do not, and the slip is another one
static bool slip_jumps(const hml_contacts *c, size_t friction) {
  const hml_friction *f = c->frictions + friction;
  for (size_t a = 0; a < f->count; a++)
    if (row_jumps(c, f->row + a)) return true;
  return false;
}

static bool any_kinked(hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (kinked(c, i) || (c->gaps[i].bounds_velocity && row_jumps(c, i))) return true;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (slip_jumps(c, j)) return true;
  return false;
}

static hml_status check_bound_jump(const hml_contacts *c, size_t i) {
  const double now = hml_contact__velocity(c)[i];
  if (!row_jumps(c, i) || !(now < -fmax(START * hml_contacts__place_scale(c, i), 10 * c->atol))) return HML_OK;
  return hml_fail(c->context, HML_IMPULSE, "at t = %.10g the bound '%s' jumps from %.6g to %.6g, where it must not be negative: this takes an impulse, which the equations lack; replace "
                  "the jump by a smooth change over a short time or way, or start another run here with the velocities after the impulse",
                  c->in[0], c->gaps[i].name, c->rate_before[i], now);
}

static hml_status check_rough_jump(const hml_contacts *c, size_t i) {
  const hml_gap *g = c->gaps + i;
  for (size_t row = g->rough; row < g->rough + g->n_rough && c->closed[i]; row++)
    if (row_jumps(c, row))
      return hml_fail(c->context, HML_IMPULSE, "at t = %.10g the speed of the rough wall '%s' jumps by %.6g under a contact: what rolls on it does not slip, and takes an impulse, "
                      "which the equations lack; let the body slip by S:friction in place of rough, replace the jump by a smooth change over a short time, or start another run here "
                      "with the velocities after the impulse", c->in[0], g->name, hml_contact__velocity(c)[row] - c->rate_before[row]);
  return HML_OK;
}

// What is prescribed jumps, and neither a law of impact nor friction says what follows
static hml_status check_prescribed(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++) HML_TRY(c->gaps[i].bounds_velocity ? check_bound_jump(c, i) : check_rough_jump(c, i));
  return HML_OK;
}

static bool vanishes(const hml_contacts *c, const hml_friction *f, const double *before) {
  bool all = true;
  for (size_t row = f->row; row < f->row + f->count; row++) all &= fabs(hml_contact__velocity(c)[row]) <= LEFT_OF_SLIP * fabs(before[row]);
  return all;
}

// Slips of one body may end together, held by the same contacts: those that vanish with the ones on their roots are on their roots, too. Their
// velocities are rounding of a motion that is over, so that no size of them shows it
static hml_status end_together(hml_contacts *c, double t, const double *x) {
  const size_t gaps = c->sizes.gaps;
  bool any = false;
  for (size_t j = 0; j < c->sizes.frictions; j++) any |= c->zero_slip[j] = c->at_root[gaps + j] && c->friction_state[j] == HML_SLIP;
  if (!any) return HML_OK;
  double *before = c->other, *at_rest = c->ahead;
  memcpy(before, hml_contact__velocity(c), c->sizes.rows * sizeof *before);
  memcpy(at_rest, x, hml_model_state_size(c->model) * sizeof *x);
  HML_TRY(hml_contact__bring_to_rest(c, at_rest));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_SLIP && vanishes(c, c->frictions + j, before)) c->at_root[gaps + j] = true;
  HML_TRY(hml_contacts__set_state(c, t, x));
  return hml_contact__evaluate(c);
}

static void strike_kinked(hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!kinked(c, i)) continue;
    c->struck[i] = true;
    for (size_t a = 0; a < c->gaps[i].n_rough; a++) c->struck[c->gaps[i].rough + a] = true;
    for (size_t j = 0; j < c->sizes.frictions; j++)
      for (size_t a = 0; a < c->frictions[j].count && c->frictions[j].kind == HML_PRESSED_BY_GAP && c->frictions[j].index == i; a++)
        c->struck[c->frictions[j].row + a] = true;
  }
  for (size_t i = 0; i < c->sizes.gaps; i++) c->struck[i] |= c->gaps[i].bounds_velocity && row_jumps(c, i);
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t a = 0; a < c->frictions[j].count && slip_jumps(c, j); a++) c->struck[c->frictions[j].row + a] = true;
}

void hml_contacts__begin_run(hml_contacts *c, const hml_witness *w, double duration, double atol, bool refuses_several) {
  memset(c->block, 0, c->block_size);  // nothing is left of the run before
  c->evaluated = c->solved = false;
  c->n_active = c->n_cones = 0;
  c->witness = w;
  c->atol = atol;
  c->duration = duration;
  c->least = duration > 0 ? FAINT * atol / (duration * fmax(duration, 1)) : 0;
  c->refuses_several = refuses_several;
  c->noted_several = c->noted_reactions = c->noted_zeno = false;
  for (size_t i = 0; i < c->sizes.gaps; i++) hml_accumulation__clear(c->instants + i);
  hml_contact__changed(c);
}

// Names of the coordinates, or velocities, in a gap or a bound
static void join_variables(const hml_contacts *c, size_t i, size_t capacity, char *text) {
  const double *w = hml_contact__row(c, i);
  double *counts = c->a;
  for (size_t j = 0; j < c->n.dyn; j++) counts[j] = w[j] != 0;
  hml_names__join(c->n.dyn, hml_model__dyn_names(c->model), counts, 0, "", capacity, text);
}

static hml_status negative(const hml_contacts *c, size_t i) {
  const hml_gap *g = c->gaps + i;
  char names[300];
  join_variables(c, i, sizeof names, names);
  if (g->bounds_velocity)
    return hml_fail(c->context, HML_INCONSISTENT_START, "start is inconsistent: '%s' is %.6g at t = %.10g: a bound must not be negative; change the start of %s in v",
                    g->name, c->out[i], c->in[0], names);
  return hml_fail(c->context, HML_INCONSISTENT_START, "start is inconsistent: '%s' is %.6g at t = %.10g: a gap must not be negative; change the start of %s in q",
                  g->name, c->out[i], c->in[0], names);
}

hml_status hml_contacts__check_start(hml_contacts *c) {
  HML_TRY(hml_contact__evaluate(c));
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->out[i] < -fmax(START * hml_contacts__place_scale(c, i), 10 * c->atol * hml_contacts__reach(c, i))) return negative(c, i);
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    double normal = c->out[c->shape->at_normals + j];
    if (c->frictions[j].kind == HML_PRESSED_BY_EXPRESSION && normal < 0)
      return hml_fail(c->context, HML_INCONSISTENT_START, "start is inconsistent: the normal force of friction '%s' is %.6g at t = %.10g; it must not "
                      "be negative (later it may become so: then nothing presses)", c->frictions[j].name, normal, c->in[0]);
  }
  return HML_OK;
}

hml_status hml_contacts__start(hml_contacts *c, double t, double *x) {
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contacts__check_start(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    c->left_at[i] = 0;
    c->at_root[i] = c->out[i] <= fmax(START * hml_contacts__place_scale(c, i), LOW * c->atol * hml_contacts__reach(c, i));
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) c->at_root[c->sizes.gaps + j] = false;
  hml_contacts__keep_in(c, &c->before);
  HML_TRY(look_at_normals(c, t, x, NULL));
  begin(c, false);
  for (size_t i = 0; i < c->sizes.gaps; i++) c->hit[i] = c->at_root[i];
  HML_TRY(check_gradients(c, t, x));
  memset(c->leave, 0, (c->sizes.gaps + c->sizes.frictions) * sizeof *c->leave);
  HML_TRY(settle(c, t, x, NULL));
  return HML_OK;
}

// A whole course passes its wall by a change of signs: velocities jump, and no impulse of a bound is part of that
static hml_status check_bounds(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    double off = fmax(START * hml_contacts__place_scale(c, i), 10 * c->atol);
    if (!c->gaps[i].bounds_velocity) continue;
    if (c->out[i] < -off)
      return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: the impact leaves '%s' at %.6g, where a bound must not be negative: the whole-course "
                      "description has no impulse of a bound; take a piecewise run, such as method = \"dop853\"", c->in[0], c->gaps[i].name, c->out[i]);
  }
  return HML_OK;
}

hml_status hml_contacts__react(hml_contacts *c, double t, double *x, const bool *fired, bool anew, bool bent) {
  const size_t gaps = c->sizes.gaps, frictions = c->sizes.frictions;
  bool any = false, ends = false, kinks = false, moved;
  for (size_t i = 0; i < gaps; i++) {
    c->leave[i] = fired[i] && c->closed[i];
    c->at_root[i] = fired[i] && !c->closed[i];
  }
  for (size_t j = 0; j < frictions; j++) {
    c->leave[gaps + j] = !anew && fired[gaps + j] && c->friction_state[j] == HML_STICK;
    c->at_root[gaps + j] = !anew && fired[gaps + j] && c->friction_state[j] == HML_SLIP;
    ends |= c->at_root[gaps + j] && c->frictions[j].count > 1;
  }
  HML_TRY(hml_contacts__set_state(c, t, x));
  HML_TRY(hml_contact__evaluate(c));
  if (bent) {
    find_blur(c);
    HML_TRY(check_jumps(c));
    HML_TRY(check_prescribed(c));
    kinks = any_kinked(c);
  }
  // what the mode holds is at rest up to rounding, not up to the tolerance of the step: after a blow nothing else shows that it rests
  if (!anew && !kinks) HML_TRY(hml_contacts__project(c, 0, 0, x, &moved));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t j = 0; j < frictions && ends; j++) c->at_root[gaps + j] |= hml_contact__slip_is_over(c, j);
  if (!anew && !kinks) HML_TRY(end_together(c, t, x));
  for (size_t j = 0; j < frictions && !anew; j++)
    if (!fired[gaps + j] && !c->at_root[gaps + j] && !(kinks && slip_jumps(c, j))) hml_contact__point_slip(c, j);                 // one that ends has had its last direction from slide.c
  hml_contacts__keep_in(c, &c->before);
  HML_TRY(look_at_normals(c, t, x, anew || bent ? NULL : fired + gaps + frictions));
  memcpy(c->near, c->leave, (gaps + frictions) * sizeof *c->near);
  for (size_t i = 0; i < gaps + frictions; i++) any |= c->leave[i];
  if (any) HML_TRY(hml_contact__near_limits(c, c->near));
  begin(c, anew);
  if (kinks) strike_kinked(c);
  if (anew) HML_TRY(check_bounds(c));
  HML_TRY(settle(c, t, x, c->leave));
  HML_TRY(check_kept(c, t, x));
  return tell_switches(c, t);
}

int hml_contacts__gap_side(const hml_contacts *c, size_t gap) {
  return c->on_root[gap] ? 1 : 0;
}

int hml_contacts__slip_side(const hml_contacts *c, size_t friction) {
  return c->on_root[c->sizes.gaps + friction] ? 1 : 0;
}
