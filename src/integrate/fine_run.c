// fine_run.c: a part of the run again, at a tight tolerance, as a check: how far the way past a singular place may be trusted, by how much it magnifies
// errors, what a step has missed.
#include "integrate/lookout_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

enum { PARTS = 8, TRIALS = 2 };        // of a step: the longest step of the fine run; states that show what rounding does
#define FINEST 2e-14                   // tolerance where the way past a place is checked
#define LOOSER 30                      // times as loose is the next tolerance where steps collapse,
#define PART_OF_TOLERANCE 0.1          // and the loosest is this part of that of the run
#define NEARLY 10                      // times the shortest: steps that count as nearly as short
#define MANY_UNITS 256.0               // in the last place, by which states are moved
#define ROUNDINGS 4                    // of the largest energy: what the steps of a passage leave
#define NOISE 10                       // times the tolerance: errors of accelerations that take the steps
#define OTHER_ENERGY 1e-3              // of the largest: a change of the energy by forces that do work

hml_status hml_lookout__fine(hml_lookout *l, const hml_step *s, hml_fine_looks looks, const char *method, double tolerance, size_t most_steps, hml_fine_run *out) {
  const hml_problem *problem = l->problem;
  hml_run_options o = hml_run_options_default();
  o.method = method;
  o.rtol = o.atol = tolerance;
  if (problem->rtol > 0 && problem->atol > 0) {
    o.rtol = fmax(fmin(o.rtol, 0.1 * problem->rtol), fmin(tolerance, 1e-13));
    o.atol = fmin(o.atol, 0.1 * problem->atol);
  }
  o.max_step = fabs(s->h) / PARTS;
  o.max_steps = most_steps;
  out->ode = *problem->ode;
  out->ode.guards = NULL;
  out->ode.formula = NULL;
  out->ode.discrete = NULL;
  if (looks != HML_FINE_ALL) out->ode.watched = NULL;
  if (looks == HML_FINE_BARE) out->ode.forces = NULL;
  const bool watched = hml_workspace__watch(l->w, false);
  const size_t handed_over = hml_workspace__handed_over(l->w), reordered = hml_workspace__reordered(l->w);
  hml_status status = hml_integrate(problem->context, &out->ode, &o, s->t, s->t1, s->y, &out->way, &out->outcome);
  hml_workspace__watch(l->w, watched);
  hml_workspace__recount(l->w, handed_over, reordered);
  HML_TRY(status);
  if (out->outcome.status == HML_MEMORY) return hml_fail(problem->context, HML_MEMORY, "no memory to look at a step");
  return out->outcome.status == HML_INTERRUPTED ? hml_check_interrupt(problem->context) : HML_OK;
}

// ---- energies

bool hml_lookout__energy(hml_lookout *l, double t, const double *y, double *energy) {
  hml_status status = hml_workspace_set_state(l->w, t, hml_lookout__model_state(l, y));
  if (status == HML_OK) status = hml_energies(l->w, energy, NULL);
  if (status != HML_OK) hml_forgive(l->problem->context);                  // what is not forgiven ends the run later
  return status == HML_OK;
}

// What errors of the tolerance do to the energy; 0: it has none
static double energy_unit(hml_lookout *l, double t, const double *y) {
  const hml_problem *p = l->problem;
  double *near = l->y, sum = 0, here, there;
  if (!hml_lookout__energy(l, t, y, &here)) return 0;
  memcpy(near, y, l->states * sizeof *y);
  for (size_t i = 0; i < l->states; i++) {
    near[i] = y[i] + p->atol + p->rtol * fabs(y[i]);
    if (hml_lookout__energy(l, t, near, &there)) sum += fabs(there - here);
    near[i] = y[i];
  }
  return sum;
}

// The largest kinetic or potential energy along the fine run: what steps round there, it shares with the run that it checks
static double largest_energy(hml_lookout *l, const hml_trajectory *way) {
  const size_t points = hml_trajectory_points(way);
  double largest = 0, energy, kinetic;
  for (size_t k = 0; k < points; k++) {
    hml_status status = hml_workspace_set_state(l->w, hml_trajectory_time(way, k), hml_lookout__model_state(l, hml_trajectory_state(way, k)));
    if (status == HML_OK) status = hml_energies(l->w, &energy, &kinetic);
    if (status == HML_OK) largest = fmax(largest, fmax(fabs(kinetic), fabs(energy - kinetic)));
    else hml_forgive(l->problem->context);
  }
  return largest;
}

// Forces that do work change what errors do to the energy: where it is another one at an end of the way, that end counts
static double unit_of_way(hml_lookout *l, const hml_step *s, double largest) {
  double unit = l->energy_unit, energy;
  const double *const ends[] = {s->y, s->y1}, times[] = {s->t, s->t1};
  for (int k = 0; k < 2; k++)
    if (hml_lookout__energy(l, times[k], ends[k], &energy) && fabs(energy - l->energy_start) > OTHER_ENERGY * largest) unit = fmax(unit, energy_unit(l, times[k], ends[k]));
  return unit;
}

// The energy at as many states as the system has takes its time: only where a way is checked
static void find_energy_unit(hml_lookout *l) {
  if (!l->has_unit && l->has_energy) l->energy_unit = energy_unit(l, l->t_first, l->first);
  l->has_unit = true;
}

// ---- the way past a place

// The start of the way on its constraints: a run at a loose tolerance is off them by more than steps of a tight one are long
static hml_status start_of(hml_lookout *l, const hml_step *s, double *y) {
  const hml_problem *p = l->problem;
  int moved;
  memcpy(y, s->y, p->n * sizeof *y);
  if (!p->ode->project) return HML_OK;
  hml_status status = p->ode->project(p->ode->payload, s->t, y, FINEST, FINEST, &moved);
  if (status == HML_OK) return HML_OK;
  memcpy(y, s->y, p->n * sizeof *y);
  return hml_problem__recoverable(status) ? hml_forgiven(p->context) : status;
}

// ---- rounding

// The last point of a way before its shortest step, where it is fastest and rounding counts most; how many steps are nearly as short
static size_t fastest_point(const hml_trajectory *way, size_t *near) {
  const size_t points = hml_trajectory_points(way);
  size_t fastest = 0;
  double least = INFINITY;
  for (size_t k = 0; k + 1 < points; k++) {
    const double step = fabs(hml_trajectory_time(way, k + 1) - hml_trajectory_time(way, k));
    if (step < least) least = step, fastest = k;
  }
  *near = 0;
  for (size_t k = 0; k + 1 < points; k++)
    if (fabs(hml_trajectory_time(way, k + 1) - hml_trajectory_time(way, k)) <= NEARLY * least) ++*near;
  return fastest;
}

// What rounding of the states may have done to the energy of a fine run: far more than rounding of energies, where short distances are differences of long ones
static double rounded_energy(hml_lookout *l, const hml_trajectory *way) {
  size_t near;
  const size_t fastest = fastest_point(way, &near);
  const double t = hml_trajectory_time(way, fastest), *y = hml_trajectory_state(way, fastest);
  double *moved = l->y + l->problem->stride, sum = 0, here, there;
  if (!hml_lookout__energy(l, t, y, &here)) return 0;
  memcpy(moved, y, l->states * sizeof *y);
  for (size_t i = 0; i < l->states; i++) {
    moved[i] = y[i] * (1 + MANY_UNITS * DBL_EPSILON);
    if (hml_lookout__energy(l, t, moved, &there)) sum += (there - here) * (there - here);
    moved[i] = y[i];
  }
  return sqrt(sum * (double)near) / (2 * MANY_UNITS);
}

// What rounding of the states may have done to the end of a fine run, into `effect`: the run from its fastest point on again, from states many units in
// the last place aside, so that its own rounding does not show. A run that does not get there adds nothing. Scratch: l->y but its first vector
static hml_status find_rounding(hml_lookout *l, const hml_step *s, const hml_fine_run *run, const char *method, double tolerance, const double *end, double *effect) {
  const hml_problem *p = l->problem;
  double *moved = l->y + p->stride, *other = moved + p->stride;
  size_t near;
  const size_t fastest = fastest_point(run->way, &near);
  const double t = hml_trajectory_time(run->way, fastest), part = sqrt((double)near) / (2 * MANY_UNITS);
  const hml_step rest = {.t = t, .t1 = s->t1, .h = s->t1 - t, .y = moved};
  uint32_t dice = 12345;
  memset(effect, 0, p->ode->n_controlled * sizeof *effect);
  for (unsigned trial = 0; trial < TRIALS; trial++) {
    memcpy(other, hml_trajectory_state(run->way, fastest), p->n * sizeof *other);
    for (size_t i = 0; i < l->states; i++) {
      dice = dice * 1664525u + 1013904223u;
      other[i] *= 1 + (dice >> 31 ? -1 : 1) * MANY_UNITS * DBL_EPSILON;
    }
    const hml_step start = {.t = t, .y = other};
    HML_TRY(start_of(l, &start, moved));
    hml_fine_run again = {.way = NULL};
    hml_status status = hml_lookout__fine(l, &rest, HML_FINE_FORCES, method, tolerance, HML_FINE_MOST_STEPS, &again);
    const bool arrives = status == HML_OK && again.outcome.status == HML_OK;
    if (arrives) status = hml_trajectory_at(again.way, s->t1, other);
    hml_trajectory_free(again.way);
    HML_TRY(status);
    for (size_t i = 0; i < p->ode->n_controlled && arrives; i++) effect[i] = fmax(effect[i], part * fabs(other[i] - end[i]));
  }
  return HML_OK;
}

// Do accelerations lose so many digits where a run stopped that steps of that tolerance see noise, though those of quadruple precision are known there?
static hml_status is_rounding(hml_lookout *l, const hml_fine_run *run, double tolerance, bool *is) {
  const size_t last = hml_trajectory_points(run->way) - 1, handed_over = hml_workspace__handed_over(l->w), reordered = hml_workspace__reordered(l->w);
  const double part = NOISE * tolerance;
  hml_digits d = {0};
  *is = false;
  if (run->outcome.status != HML_STEP_COLLAPSED && run->outcome.status != HML_LOST_DIGITS) return HML_OK;
  hml_status status = hml_workspace_set_state(l->w, hml_trajectory_time(run->way, last), hml_lookout__model_state(l, hml_trajectory_state(run->way, last)));
  if (status == HML_OK) status = hml_workspace__digits(l->w, part, &d);
  hml_workspace__recount(l->w, handed_over, reordered);
  *is = status == HML_OK && isfinite(d.difference) && d.difference > part * d.largest;
  return status == HML_OK || status == HML_MEMORY || status == HML_INTERRUPTED ? status : hml_forgiven(l->problem->context);
}

static hml_status fine_again(hml_lookout *l, const hml_step *s, const char *method, double tolerance, hml_fine_run *run) {
  hml_trajectory_free(run->way);
  run->way = NULL;
  return hml_lookout__fine(l, s, HML_FINE_FORCES, method, tolerance, HML_FINE_MOST_STEPS, run);
}

// Of the end of the way against that of the fine run
static void compare_ends(const hml_problem *p, const double *y1, const double *y, const double *effect, hml_way_errors *out) {
  double most = -1;
  for (size_t i = 0; i < p->ode->n_controlled; i++) {
    const double apart = fabs(y1[i] - y[i]) + (effect ? effect[i] : 0), part = apart / (p->atol + p->rtol * fabs(y[i]) + DBL_MIN);
    if (part > most) most = out->off = part, out->worst = i, out->difference = apart;
  }
}

// The fine run starts where the way does: what was off before is no error of the way. A method that few runs take shares no errors with them
static hml_status check_end(hml_lookout *l, const hml_step *way, double doubtful, hml_fine_run *run, hml_way_errors *out) {
  const hml_problem *problem = l->problem;
  double *y = l->y, tolerance = FINEST;
  const char *method = "rk8pd";
  hml_step on_constraints = *way;
  const hml_step *s = &on_constraints;
  *out = (hml_way_errors){0};
  on_constraints.y = y + 2 * problem->stride;
  HML_TRY(start_of(l, way, y + 2 * problem->stride));
  HML_TRY(fine_again(l, s, method, tolerance, run));
  // rounding of the states of heavy masses on light ones keeps steps from tolerances as tight as that
  const double loosest = fmin(HML_FINE, PART_OF_TOLERANCE * fmax(problem->rtol, problem->atol));
  for (double looser = LOOSER * FINEST; run->outcome.status == HML_STEP_COLLAPSED && looser < LOOSER * loosest; looser *= LOOSER) {
    tolerance = fmin(looser, loosest);
    HML_TRY(fine_again(l, s, method, tolerance, run));
  }
  if (run->outcome.status == HML_TOO_MANY_STEPS) {                       // it may be stiff
    method = "auto", tolerance = FINEST;
    HML_TRY(fine_again(l, s, method, tolerance, run));
  }
  if (run->outcome.status == HML_TOO_MANY_STEPS) return HML_OK;          // a long way is no passage
  out->off = out->difference = INFINITY;
  if (run->outcome.status != HML_OK) return is_rounding(l, run, tolerance, &out->rounding);
  find_energy_unit(l);
  HML_TRY(hml_trajectory_at(run->way, s->t1, y));
  compare_ends(problem, s->y1, y, NULL, out);
  double of_run, of_fine, rounded = 0;
  if (l->energy_unit > 0 && hml_lookout__energy(l, s->t1, s->y1, &of_run) && hml_lookout__energy(l, s->t1, y, &of_fine)) {
    const double largest = largest_energy(l, run->way), unit = unit_of_way(l, s, largest);
    rounded = rounded_energy(l, run->way) / unit;
    out->energy = fabs(of_run - of_fine) / unit + fmax(ROUNDINGS * DBL_EPSILON * largest / unit, rounded);
  }
  if (!(out->off > doubtful) && !(rounded > doubtful)) return HML_OK;
  // the fine run is rounded, too, and by chance nearer to the run than to the motion
  double *effect = hml_problem__vectors(problem, 1);
  if (!effect) return HML_MEMORY;
  hml_status status = hml_trajectory_at(run->way, s->t1, y);             // the energies took its place
  if (status == HML_OK) status = find_rounding(l, s, run, method, tolerance, y, effect);
  if (status == HML_OK) compare_ends(problem, s->y1, y, effect, out);
  hml_problem__free_vectors(problem, effect, 1);
  return status;
}

hml_status hml_lookout__check(hml_lookout *l, const hml_step *s, double doubtful, hml_way_errors *out) {
  hml_fine_run run = {.way = NULL};
  hml_sides now;
  HML_TRY(hml_lookout__let_go(l, &now));
  hml_status status = check_end(l, s, doubtful, &run, out);
  hml_lookout__hold_again(l, &now);
  hml_trajectory_free(run.way);
  return status;
}

// The end of a fine run along s from the state y into `end`; false: it does not get there
static hml_status fine_end(hml_lookout *l, const hml_step *s, double *end, bool *arrives) {
  hml_fine_run run = {.way = NULL};
  hml_status status = hml_lookout__fine(l, s, HML_FINE_BARE, "auto", HML_FINE, HML_FINE_MOST_STEPS, &run);
  *arrives = status == HML_OK && run.outcome.status == HML_OK;
  if (*arrives) status = hml_trajectory_at(run.way, s->t1, end);
  hml_trajectory_free(run.way);
  return status;
}

// Of the tolerance, or what the fine run is good for
static double unit_of(const hml_problem *p, double y) {
  return fmax(p->atol + p->rtol * fabs(y), 10 * HML_FINE * fabs(y));
}

static hml_status magnifies(hml_lookout *l, const hml_step *s, double *factor) {
  const hml_problem *p = l->problem;
  double *end = l->y, *other = end + p->stride, *moved = other + p->stride;
  hml_step beside = *s;
  bool arrives;
  *factor = INFINITY;
  beside.y = moved;
  HML_TRY(start_of(l, s, moved));
  HML_TRY(fine_end(l, &beside, end, &arrives));
  if (!arrives) return HML_OK;
  // the other start is on the constraints, too
  memcpy(other, s->y, p->n * sizeof *other);
  for (size_t i = 0; i < l->states; i++) other[i] += (i % 2 ? -1 : 1) * unit_of(p, s->y[i]);
  beside.y = other;
  HML_TRY(start_of(l, &beside, moved));
  beside.y = moved;
  HML_TRY(fine_end(l, &beside, other, &arrives));
  if (!arrives) return HML_OK;
  *factor = 0;
  for (size_t i = 0; i < l->states; i++) *factor = fmax(*factor, fabs(end[i] - other[i]) / (unit_of(p, end[i]) + DBL_MIN));
  return HML_OK;
}

hml_status hml_lookout__magnifies(hml_lookout *l, const hml_step *s, double *factor) {
  hml_sides now;
  HML_TRY(hml_lookout__let_go(l, &now));
  hml_status status = magnifies(l, s, factor);
  hml_lookout__hold_again(l, &now);
  return status;
}

// The largest difference of the components from `first` on
static double most_apart(const double *a, const double *b, size_t first, size_t count) {
  double apart = 0;
  for (size_t i = first; i < first + count; i++) {
    const double now = fabs(a[i] - b[i]);
    if (now > apart) apart = now;
  }
  return apart;
}

hml_missed hml_lookout__apart(const hml_lookout *l, const double *a, const double *b) {
  return (hml_missed){most_apart(a, b, 0, l->kin), most_apart(a, b, l->kin, l->dyn)};
}

hml_missed hml_lookout__way(const hml_lookout *l, const double *y, const double *start) {
  hml_missed way = hml_lookout__apart(l, y, start);
  for (size_t i = l->kin; i < l->kin + l->dyn; i++)
    if (fabs(y[i]) > way.velocities) way.velocities = fabs(y[i]);
  return way;
}

hml_status hml_lookout__missed(hml_lookout *l, const hml_step *s, hml_missed *out) {
  hml_fine_run run = {.way = NULL};
  *out = (hml_missed){0, 0};
  hml_status status = hml_lookout__fine(l, s, HML_FINE_ALL, "dop853", HML_FINE, HML_FINE_STEPS, &run);
  if (status == HML_OK && run.outcome.status == HML_OK) {
    status = hml_trajectory_at(run.way, s->t1, l->y);
    if (status == HML_OK) *out = hml_lookout__apart(l, s->y1, l->y);
  }
  hml_trajectory_free(run.way);
  return status;
}
