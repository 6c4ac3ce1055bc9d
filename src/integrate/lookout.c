// lookout.c: singular places along a run: where constraints become dependent, inertia vanishes, the equations have a pole or a corner.
// A step may lead over such a place without any of its stages seeing it, and every method does so in a way of its own.
//
// Two levels. After each step a cheap look: pivots of the solves the step made anyway, and the witnesses of poles and corners
// (hml_program__places) at five points. What looks as if it went through zero raises an alarm. Then the passage is examined: the step is
// run again by small steps at a tight tolerance, zeros of the witnesses and of the last pivot are located on its polynomials, and the
// equations round them decide. So the verdict, its time and its words are the same for every method.
//
// A step over which a margin or witness may turn more than once between the points is not looked at but made shorter: how fast they move is
// known from the step before, or from two states close together where there is none.
//
// A motion may pass a zero at a distance and is regular then. Close passages magnify errors: the way past the place is compared with a fine run.
//
// A zero where x' stays continuous is crossed; where the formula changes there, a series must end its step at it. Other zeros end the run.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 5, OPINIONS = 9, PARTS = 8, MOST_STEPS = 3000, MOST_CHECKED = 12000, HALVINGS = 60, CLOUD = 6, MOST_SCALED = 32, DEEPEST = 6, STEPS_AHEAD = 4 };
#define NEAR 0.1                       // of the largest so far: a witness below it that falls or rises fast
#define NEAR_SQUARE 0.25               // the same of a margin, which goes with the square of a distance
#define DIP 0.7                        // of the values round it: a minimum that may go down to zero
#define LOW 0.4                        // of the largest so far: a margin below it inside a step,
#define LOWER 0.9                      // and below its ends, is a minimum that few points do not show whole
#define DEEP 0.25                      // of both its neighbours: a minimum whose bottom the points do not show
#define SPAN 1.5                       // times its size: the largest change of a margin or witness over a step, at its speed before
#define LONG 0.3                       // of that: a step longer than this is looked at at all points
#define REACH 1.5                      // times its size: the largest decrease of a margin that decreases
#define CALMS 0.5                      // of the speed before counts on
#define PROBED {0.304, 0.617}          // of the first step: where the speed is taken, no simple parts of it,
#define APART 1e-3                     // from two states this part of it apart
#define STEEP 0.25                     // over one step is followed
#define ABRUPT 0.3                     // of x': its largest change over a step that ends near a zero
#define EVEN 3.0                       // times the least: the largest value of what is nowhere near zero between points so close
#define UNEVEN 20.0                    // the same of the last pivot, which jumps where two pivots are equally large and their order changes
#define SUNK 1e-5                      // of the largest so far: a margin of one order of pivots as good as lost
#define LEAST_PIVOT 1e-6               // of the largest with complete pivoting, which go with squares of distances: below it a place is near
#define SOLVED 1e-14                   // below it rounding is the last pivot with complete pivoting
#define CLEAR_OF_ZERO 1e-2             // of the largest so far: above it nothing singular makes itself felt
#define ZERO 1e-6                      // of the largest so far: as good as zero
#define FINE 1e-11                     // tolerance of the fine run,
#define FINEST 2e-14                   // and of the one that checks a run
#define WITHIN 10                      // tolerances: a motion that far from a zero may meet it
#define FALLS 0.5                      // of its size: a value that decreases so far over states within the tolerances has a zero there
#define EDGE 1e-3                      // of a segment: where slopes at its ends are taken
#define NO_SEGMENT 1e-9                // of the step: a segment too short to show a minimum
#define CLOUD_SIZE 1e-6                // relative distance of the states that decide whether x' is continuous
#define AT_ZERO 1e-10                  // of the sizes of the state: a box that holds the zero which was found
#define CONTINUOUS 0.02                // largest change of x' over them, relative
#define STOPPED_NEAR 1e-2              // a fine run that stops with a witness this small stopped because of it,
#define LEADS 0.3                      // and one that fell from the start and leads to zero this much of the way farther on, too
#define CRAWLED 0.1                    // of the way of a fine run, by the latter half of its steps: it crawls
#define SMALL_PART 1e-4                // of the run: steps that show whether a motion leaves a root at zero
#define ROUNDINGS 4                    // of the largest energy: what the steps of a passage leave
#define OTHER_ENERGY 1e-3              // of the largest: a change of the energy by forces that do work
#define STRAYED 0.3                    // of the way of a step: so far from the fine run it was no step at all

// The pivots with complete pivoting over a step, the least of them; pivot = 0: they are uneven, or not known
typedef struct opinion {
  double t, t1, pivot, volume;
  size_t rank;
} opinion;

struct hml_lookout {
  const hml_problem *problem;
  hml_workspace *w;
  const hml_places *places;
  size_t n_places, margins, states, inputs, size;   // size: doubles of the memory
  size_t kin, dyn;                     // of the states: positions, velocities
  double *memory, *in, *work;          // of the witnesses
  double *g;                           // at the points of a step                (POINTS x places)
  double *g_start, *g_scale;           // at the start of the step; largest so far
  double *m;                           // margins at the points                  (POINTS x margins)
  double *m_start, *m_end, *m_scale;
  double *g_speed, *m_speed, *m_fall;  // how fast they move; how fast margins fall
  double energy_unit, energy_start;    // what errors of the tolerance do to the energy at the start of the run; the energy there
  double t_first, *first;              // the start of the run                   (states)
  bool has_energy, has_unit;           // energy_start is known; energy_unit is
  bool was_watched, had_orders;        // the workspace, by the run round this one
  bool order_only;                     // what the margins of the step say is due to their order of pivots
  opinion last;                        // of the last step whose margins were judged
  opinion cleared;                     // small ones, of a step whose examination found no singular place; the largest since then
  hml_range *ranges;                   // scratch                                         (range_room)
  size_t range_room;
  bool settled;                        // nothing singular anywhere in this piece of the run: no step is looked at
  bool measured, halved;               // the speeds are known; margins in the middle of the step are
  double *y, *x;                       // scratch: a state of the problem, of the model
  double *other;                       // least and largest margins of another order            (2 x most_other)
  size_t most_other;
  size_t matrix;
  double *scale, *scale_now;           // of the pivots                          (matrix)
  double *scale_least;                 // at states of the run whose margins were judged, its start among them   (matrix)
  double pivot_end, pivot_most;        // with them: the last pivot at the end of the step; the largest so far. 0: not known
};

// ---- memory

void hml_lookout__close(hml_lookout *l) {
  if (!l) return;
  hml_workspace__watch(l->w, l->was_watched);
  hml_workspace__reorder(l->w, l->had_orders);
  hml_dealloc(l->problem->context, l->memory, l->size * sizeof(double));
  hml_dealloc(l->problem->context, l, sizeof *l);
}

hml_status hml_lookout__open(const hml_problem *p, hml_workspace *w, hml_lookout **out) {
  const hml_model *model = hml_workspace__model(w);
  const hml_model_sizes sizes = hml_model__sizes(model);
  hml_lookout *l = hml_alloc(p->context, sizeof *l);
  if (!l) return HML_MEMORY;
  *l = (hml_lookout){.problem = p, .w = w, .was_watched = hml_workspace__watch(w, true), .had_orders = hml_workspace__reorder(w, true), .places = hml_model__places(model), .margins = hml_workspace__margins(w),
                     .states = hml_model_controlled_size(model), .kin = sizes.kin, .dyn = sizes.dyn};
  l->n_places = l->places->count;
  l->inputs = l->n_places ? hml_program_inputs(l->places->program) : 1 + l->states;
  size_t work = l->n_places ? hml_program_work_size(l->places->program) : 0;
  l->matrix = sizes.dyn + sizes.multipliers;
  l->most_other = 2 * l->matrix;
  l->range_room = l->n_places ? 0 : hml_workspace__everywhere_room(w);
  double *ranges;
  struct { double **at; size_t count; } fields[] = {
      {&l->in, l->inputs}, {&l->work, work}, {&l->g, POINTS * l->n_places}, {&l->g_start, l->n_places}, {&l->g_scale, l->n_places},
      {&l->m, POINTS * l->margins}, {&l->m_start, l->margins}, {&l->m_end, l->margins}, {&l->m_scale, l->margins},
      {&l->g_speed, l->n_places}, {&l->m_speed, l->margins}, {&l->m_fall, l->margins}, {&l->y, 3 * p->stride}, {&l->first, l->states}, {&l->x, hml_model_state_size(model)}, {&l->other, 2 * l->most_other}, {&l->scale, l->matrix}, {&l->scale_now, l->matrix}, {&l->scale_least, l->matrix},
      {&ranges, l->range_room * sizeof *l->ranges / sizeof(double)}};
  for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) l->size += fields[i].count + 1;
  l->memory = hml_alloc(p->context, l->size * sizeof(double));
  if (!l->memory) {
    hml_lookout__close(l);
    return HML_MEMORY;
  }
  double *at = l->memory;
  for (size_t i = 0; i < sizeof fields / sizeof *fields; at += fields[i++].count + 1) *fields[i].at = at;
  l->ranges = (hml_range *)ranges;
  *out = l;
  return HML_OK;
}

// ---- values

static void witnesses(hml_lookout *l, double t, const double *y, double *out) {
  if (!l->n_places) return;
  l->in[0] = t;
  memcpy(l->in + 1, y, l->states * sizeof *y);
  // events change parameters
  memcpy(l->in + 1 + l->states, hml_workspace__inputs(l->w) + 1 + l->states, (l->inputs - 1 - l->states) * sizeof *y);
  hml_program_eval(l->places->program, l->in, out, l->work);
}

static const double *model_state(hml_lookout *l, const double *y) {
  memcpy(l->x, y, l->states * sizeof *y);
  return l->x;                         // the work, if there is any, plays no part
}

static void grow(size_t n, const double *values, double *largest) {
  for (size_t i = 0; i < n; i++)
    if (fabs(values[i]) > largest[i] && isfinite(values[i])) largest[i] = fabs(values[i]);
}

// ---- the cheap look

static bool energy_at(hml_lookout *l, double t, const double *y, double *energy) {
  hml_status status = hml_workspace_set_state(l->w, t, model_state(l, y));
  if (status == HML_OK) status = hml_energies(l->w, energy, NULL);
  if (status != HML_OK) hml_forgive(l->problem->context);                  // what is not forgiven ends the run later
  return status == HML_OK;
}

// What errors of the tolerance do to the energy; 0: it has none
static double energy_unit(hml_lookout *l, double t, const double *y) {
  const hml_problem *p = l->problem;
  double *near = l->y, sum = 0, here, there;
  if (!energy_at(l, t, y, &here)) return 0;
  memcpy(near, y, l->states * sizeof *y);
  for (size_t i = 0; i < l->states; i++) {
    near[i] = y[i] + p->atol + p->rtol * fabs(y[i]);
    if (energy_at(l, t, near, &there)) sum += fabs(there - here);
    near[i] = y[i];
  }
  return sum;
}

hml_status hml_lookout__has_value(hml_lookout *l, double t, const double *y) {
  HML_TRY(hml_workspace_set_state(l->w, t, model_state(l, y)));
  return hml_workspace__has_value(l->w);
}

void hml_lookout__start(hml_lookout *l, double t, const double *y) {
  witnesses(l, t, y, l->g_start);
  grow(l->n_places, l->g_start, l->g_scale);
  hml_workspace__margins_now(l->w, l->m_start);
  grow(l->margins, l->m_start, l->m_scale);
  l->measured = false;
  l->settled = l->n_places == 0 && (l->margins == 0 || (l->range_room && hml_workspace__regular_everywhere(l->w, l->ranges)));
  if (l->has_energy) return;
  l->has_energy = energy_at(l, t, y, &l->energy_start);
  l->t_first = t;
  memcpy(l->first, y, l->states * sizeof *y);
}

void hml_lookout__begin(hml_lookout *l) {
  double *least = hml_workspace__least(l->w);
  for (size_t i = 0; i < l->margins; i++) least[i] = INFINITY;
}

void hml_lookout__guard_end(hml_lookout *l) {
  hml_workspace__guard_next(l->w);
}

void hml_lookout__guard_all(hml_lookout *l, bool on) {
  hml_workspace__watch(l->w, !on);
}

bool hml_lookout__guard_failed(const hml_lookout *l) {
  return hml_workspace__guard_failed(l->w);
}

void hml_lookout__end(hml_lookout *l) {
  hml_workspace__margins_now(l->w, l->m_end);
}

// The state at theta on the cubic through the ends of a step: near enough to see where things lead
static const double *between(hml_lookout *l, const hml_step *s, double theta) {
  const double a = theta * theta * (3 - 2 * theta), b = s->h * theta * (1 - theta) * (1 - theta), c = s->h * theta * theta * (theta - 1);
  for (size_t i = 0; i < l->states; i++) l->y[i] = s->y[i] + a * (s->y1[i] - s->y[i]) + b * s->f[i] + c * s->f1[i];
  return l->y;
}

// The parabola through three values has its vertex between them, and well below them
static bool dips(double left, double middle, double right) {
  double curve = left + right - 2 * middle, slope = right - left, least = fmin(left, fmin(middle, right));
  return curve > 0 && fabs(slope) < 2 * curve && middle - slope * slope / (8 * curve) < DIP * least;
}

// Do equidistant values, or extrapolations from both sides of an interval into it, pass through zero?
static bool passes_zero(const double *v, size_t stride) {
  double u[POINTS];
  for (size_t k = 0; k < POINTS; k++) {
    u[k] = fabs(v[k * stride]);
    if (!isfinite(u[k])) return true;
    if (k && v[k * stride] * v[(k - 1) * stride] < 0) return true;
  }
  if (u[0] == 0 && u[POINTS - 1] == 0) return u[POINTS / 2] != 0;
  for (size_t k = 1; k + 1 < POINTS; k++)
    if (u[k] < DEEP * fmin(u[k - 1], u[k + 1]) || dips(u[k - 1], u[k], u[k + 1])) return true;
  for (size_t k = 0; k + 1 < POINTS; k++) {
    bool from_left = k == 0 || 2.5 * u[k] < 1.5 * u[k - 1], from_right = k + 2 == POINTS || 2.5 * u[k + 1] < 1.5 * u[k + 2];
    // at an end: a value that comes from a zero behind or leads to one ahead
    bool ends = (k == 0 && u[0] < u[1] && 2 * u[1] >= u[2]) || (k + 2 == POINTS && u[k + 1] < u[k] && 2 * u[k] >= u[k - 1]);
    if (from_left && from_right && !ends) return true;
  }
  return false;
}

// Steep at one end and small there: stages in the middle of the step may miss it
static bool leads_to_zero(double from, double to, double scale, double near) {
  double small = fmin(fabs(from), fabs(to)), large = fmax(fabs(from), fabs(to));
  return small < STEEP * large && small < near * fmax(scale, large);
}

// Of one sign and within a factor of two of each other at the ends and in the middle: the points between them need not be looked at
static bool calm(size_t n, const double *points) {
  const double *start = points, *middle = points + POINTS / 2 * n, *end = points + (POINTS - 1) * n;
  for (size_t i = 0; i < n; i++) {
    double a = fabs(start[i]), b = fabs(middle[i]), c = fabs(end[i]), least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c));
    if (!(most < 2 * least && start[i] * end[i] > 0 && start[i] * middle[i] > 0)) return false;
  }
  return true;
}

static const double *state_at(hml_lookout *l, const hml_step *s, const double *states, size_t k) {
  return k + 1 == POINTS ? s->y1 : states ? states + (k - 1) * l->problem->stride : between(l, s, (double)k / (POINTS - 1));
}

// Zeros where x' cannot be evaluated
static hml_status margins_of(hml_lookout *l, const hml_step *s, double t, const double *states, double *out) {
  const hml_problem *p = l->problem;
  double *f = l->y + p->stride, *y = f + p->stride;
  memcpy(y, s->y1, p->n * sizeof *y);
  memcpy(y, states, l->states * sizeof *y);
  hml_status status = p->ode->rhs(p->ode->payload, t, y, f);
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  if (status != HML_OK) HML_TRY(hml_forgiven(p->context));
  hml_workspace__margins_now(l->w, out);
  for (size_t i = 0; status != HML_OK && i < l->margins; i++) out[i] = 0;
  return HML_OK;
}

static hml_status margins_at(hml_lookout *l, const hml_step *s, const double *states, size_t k) {
  return margins_of(l, s, s->t + (double)k / (POINTS - 1) * s->h, state_at(l, s, states, k), l->m + k * l->margins);
}

static hml_status sample_margins(hml_lookout *l, const hml_step *s, const double *states, bool *is_calm) {
  memcpy(l->m, l->m_start, l->margins * sizeof *l->m);
  HML_TRY(margins_at(l, s, states, POINTS / 2));
  HML_TRY(margins_at(l, s, states, POINTS - 1));
  memcpy(l->m_end, l->m + (POINTS - 1) * l->margins, l->margins * sizeof *l->m);
  *is_calm = calm(l->margins, l->m);
  for (size_t k = 1; !*is_calm && k + 1 < POINTS; k++)
    if (k != POINTS / 2) HML_TRY(margins_at(l, s, states, k));
  return HML_OK;
}

static void witnesses_at(hml_lookout *l, const hml_step *s, const double *states, size_t k) {
  witnesses(l, s->t + (double)k / (POINTS - 1) * s->h, state_at(l, s, states, k), l->g + k * l->n_places);
}

// x' turns within the step by more than a part of itself
static bool abrupt(const hml_lookout *l, const hml_step *s) {
  double size = 0, change = 0;
  for (size_t i = 0; i < l->states; i++) {
    size = fmax(size, fmax(fabs(s->f[i]), fabs(s->f1[i])));
    change = fmax(change, fabs(s->f1[i] - s->f[i]));
  }
  return change > ABRUPT * size;
}

// At the start, the middle and the end, at all points where they are not calm there
static void sample_witnesses(hml_lookout *l, const hml_step *s, const double *states, bool *is_calm) {
  const size_t n = l->n_places;
  memcpy(l->g, l->g_start, n * sizeof *l->g);
  witnesses_at(l, s, states, POINTS / 2);
  witnesses_at(l, s, states, POINTS - 1);
  *is_calm = calm(n, l->g);
  for (size_t k = 1; !*is_calm && k + 1 < POINTS; k++)
    if (k != POINTS / 2) witnesses_at(l, s, states, k);
}

static bool witnesses_alarm(const hml_lookout *l, const hml_step *s, bool is_calm) {
  const size_t n = l->n_places;
  const double *end = l->g + (POINTS - 1) * n;
  for (size_t i = 0; i < n; i++)
    if (fmin(fabs(l->g_start[i]), fabs(end[i])) < NEAR * l->g_scale[i] && abrupt(l, s)) return true;
  for (size_t i = 0; i < n && !is_calm; i++)
    if (passes_zero(l->g + i, n) || leads_to_zero(l->g_start[i], end[i], l->g_scale[i], NEAR)) return true;
  return false;
}

static bool margins_alarm(const hml_lookout *l, hml_looks looks) {
  const double *least = hml_workspace__least(l->w);
  for (size_t i = 0; i < l->margins; i++) {
    double from = l->m_start[i], to = l->m_end[i];
    if (!(from > 0)) continue;         // the order of the solve is not valid here: no estimate
    if (leads_to_zero(from, to, l->m_scale[i], NEAR_SQUARE)) return true;
    if (looks == HML_AT_POINTS ? passes_zero(l->m + i, l->margins) : least[i] < DIP * fmin(from, to)) return true;
    double inside = looks == HML_AT_STAGES ? least[i] : looks == HML_IN_MIDDLE ? l->m[POINTS / 2 * l->margins + i] : INFINITY;
    if (inside < LOWER * fmin(from, to) && inside < LOW * l->m_scale[i]) return true;
    if (looks == HML_IN_MIDDLE && dips(from, inside, to)) return true;
  }
  return false;
}

// ---- is the step short enough for a look?

// How fast everything moves at theta of the step, from two states close together
static hml_status probe_at(hml_lookout *l, const hml_step *s, double theta) {
  const size_t n = l->n_places, m = l->margins;
  const double apart = fabs(APART * s->h);
  double *g[2] = {l->g, l->g + n}, *margins[2] = {l->m, l->m + m};
  for (int k = 0; k < 2; k++) {
    double part = theta + k * APART, t = s->t + part * s->h;
    const double *y = between(l, s, part);
    witnesses(l, t, y, g[k]);
    if (m) HML_TRY(margins_of(l, s, t, y, margins[k]));
  }
  for (size_t i = 0; i < n; i++) l->g_speed[i] = fmax(l->g_speed[i], fabs(g[1][i] - g[0][i]) / apart);
  for (size_t i = 0; i < m; i++) l->m_speed[i] = fmax(l->m_speed[i], fabs(margins[1][i] - margins[0][i]) / apart);
  return HML_OK;
}

static hml_status probe(hml_lookout *l, const hml_step *s) {
  static const double parts[] = PROBED;
  memset(l->g_speed, 0, l->n_places * sizeof *l->g_speed);
  memset(l->m_speed, 0, l->margins * sizeof *l->m_speed);
  memset(l->m_fall, 0, l->margins * sizeof *l->m_fall);
  for (size_t k = 0; k < sizeof parts / sizeof *parts && (l->n_places || l->margins); k++) HML_TRY(probe_at(l, s, parts[k]));
  return HML_OK;
}

static void enlarge(double part, double *most) {
  if (part > *most && isfinite(part)) *most = part;
}

// How many times longer the step is than one over which the points show everything. Next to zero no step is too long
static double stretch(const hml_lookout *l, const hml_step *s) {
  const double h = fabs(s->h), *g_end = l->g + (POINTS - 1) * l->n_places;
  double most = 0;
  for (size_t i = 0; i < l->n_places; i++) {
    double large = fmax(fmax(fabs(l->g_start[i]), fabs(g_end[i])), NEAR * l->g_scale[i]);
    enlarge(h * l->g_speed[i] / (SPAN * large), &most);
  }
  for (size_t i = 0; i < l->margins; i++) {
    double from = l->m_start[i], large = fmax(fmax(from, l->m_end[i]), NEAR * l->m_scale[i]);
    if (!(from > 0)) continue;
    enlarge(h * l->m_speed[i] / (SPAN * large), &most);
    if (from > NEAR * l->m_scale[i]) enlarge(h * l->m_fall[i] / (REACH * from), &most);
  }
  return most;
}

// Differences over the halves of the step
static double fastest(const double *values, size_t stride) {
  return fmax(fabs(values[POINTS / 2 * stride] - values[0]), fabs(values[(POINTS - 1) * stride] - values[POINTS / 2 * stride]));
}

static void measure(hml_lookout *l, const hml_step *s) {
  const double h = fabs(s->h), keep = l->measured ? CALMS : 0;
  for (size_t i = 0; i < l->n_places; i++) l->g_speed[i] = fmax(keep * l->g_speed[i], 2 * fastest(l->g + i, l->n_places) / h);
  for (size_t i = 0; i < l->margins; i++) {
    double from = l->m_start[i], to = l->m_end[i], middle = l->m[POINTS / 2 * l->margins + i];
    double first = l->halved ? 2 * (middle - from) : to - from, second = l->halved ? 2 * (to - middle) : first;
    l->m_speed[i] = fmax(keep * l->m_speed[i], fmax(fabs(first), fabs(second)) / h);
    l->m_fall[i] = -second / h;
  }
  l->measured = true;
}

// ---- whose zero is it?

// The order of pivots is good no longer at an end of the step, or nearly so: margins say little there, and nothing where they began below zero
static bool order_fails(const hml_lookout *l) {
  for (size_t i = 0; i < l->margins; i++)
    if (!(l->m_start[i] > 0) || !(l->m_end[i] > SUNK * l->m_scale[i])) return true;
  return false;
}

// The least of the values; 0: the largest is more than `ratio` times it
static double least_if_even(const double *values, double ratio) {
  double least = INFINITY, most = 0;
  for (size_t k = 0; k < OPINIONS; k++) {
    if (!isfinite(values[k])) return 0;
    least = fmin(least, values[k]);
    most = fmax(most, values[k]);
  }
  return most < ratio * least ? least : 0;
}

// The pivots are small, as they are where inertias differ by many orders, but an examination found them so and no singular place with them. One
// ahead makes them smaller: then the step is examined again
static bool was_cleared(opinion *before, const opinion *now) {
  const bool same = now->rank == before->rank && now->pivot > SOLVED && UNEVEN * now->pivot > before->pivot && EVEN * now->volume > before->volume;
  if (!same || !(before->pivot > 0)) return false;
  before->pivot = fmax(before->pivot, now->pivot);
  before->volume = fmax(before->volume, now->volume);
  return true;
}

static const double *opinion_state(hml_lookout *l, const hml_step *s, size_t k) {
  return k == 0 ? s->y : k + 1 == OPINIONS ? s->y1 : between(l, s, (double)k / (OPINIONS - 1));
}

// All pivots of another order are far above their floors over the whole step
static bool other_order_holds(hml_lookout *l, const hml_step *s) {
  double *least = l->other, *most = least + l->most_other;
  for (size_t k = 0; k < OPINIONS; k++) {
    size_t count;
    const double theta = (double)k / (OPINIONS - 1), *margin = hml_workspace__other_margins(l->w, s->t + theta * s->h, model_state(l, opinion_state(l, s, k)), &count);
    if (!margin || count > l->most_other) return false;
    for (size_t i = 0; i < count; i++) {
      least[i] = k == 0 ? margin[i] : fmin(least[i], margin[i]);
      most[i] = k == 0 ? margin[i] : fmax(most[i], margin[i]);
      if (!(most[i] < EVEN * least[i])) return false;
    }
  }
  return true;
}

// Factors of the state, none of them larger than at a state before: else a row that vanishes along many short steps would be as large as ever on each
static hml_status scale_for_run(hml_lookout *l, double t, const double *y) {
  HML_TRY(hml_singular__scale(l->w, t, model_state(l, y), l->scale));
  for (size_t i = 0; i < l->matrix; i++) {
    if (l->scale_least[i] > 0) l->scale[i] = fmin(l->scale[i], l->scale_least[i]);
    l->scale_least[i] = l->scale[i];
  }
  return HML_OK;
}

// The factors and the last pivot at the start of the run, where they are not known and can be found
static hml_status know_start(hml_lookout *l) {
  double pivot, volume;
  size_t rank = SIZE_MAX;
  if (l->pivot_most > 0 || !l->has_energy) return HML_OK;
  hml_status status = scale_for_run(l, l->t_first, l->first);
  if (status == HML_OK) status = hml_singular__pivot(l->w, l->t_first, model_state(l, l->first), l->scale, &rank, &pivot, &volume);
  if (status == HML_OK && isfinite(pivot)) l->pivot_most = pivot;
  return status == HML_OK || hml_problem__recoverable(status) ? hml_forgiven(l->problem->context) : status;
}

// A pivot of the elimination on the graph may vanish where the equations are regular: its order is good for other states. Those of another order that
// the run has made do not, or with complete pivoting the last pivot and their product do not, over the whole step
static hml_status blame_order(hml_lookout *l, const hml_step *s, bool *is_clear) {
  double pivots[OPINIONS], volumes[OPINIONS];
  size_t rank = SIZE_MAX;
  *is_clear = l->order_only = other_order_holds(l, s);
  if (*is_clear) {
    l->last = l->cleared = (opinion){0};
    return HML_OK;
  }
  HML_TRY(know_start(l));
  hml_status status = scale_for_run(l, s->t, s->y);
  for (size_t k = 0; status == HML_OK && k < OPINIONS; k++) {
    const double theta = (double)k / (OPINIONS - 1);
    status = hml_singular__pivot(l->w, s->t + theta * s->h, model_state(l, opinion_state(l, s, k)), l->scale, &rank, &pivots[k], &volumes[k]);
  }
  *is_clear = false;
  l->last = (opinion){0};
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  if (status != HML_OK) return hml_forgiven(l->problem->context);
  l->last = (opinion){s->t, s->t1, least_if_even(pivots, UNEVEN), least_if_even(volumes, EVEN), rank};
  if (rank == 0 || !(l->last.volume > 0)) l->last.pivot = 0;
  l->pivot_end = pivots[OPINIONS - 1];
  for (size_t k = 0; k < OPINIONS; k++)
    if (pivots[k] > l->pivot_most && isfinite(pivots[k])) l->pivot_most = pivots[k];
  l->order_only = l->last.pivot > 0 && pivots[0] > LEAST_PIVOT && least_if_even(pivots, EVEN) > 0;
  *is_clear = l->order_only || was_cleared(&l->cleared, &l->last);
  if (l->order_only || !*is_clear) l->cleared.pivot = 0;
  return HML_OK;
}

// alarm: of the margins at the step. Where the order fails they give none, and the pivots with complete pivoting decide
static hml_status judge_margins(hml_lookout *l, const hml_step *s, bool *alarm) {
  l->pivot_end = 0;
  if (!hml_model__guard(hml_workspace__model(l->w))) return HML_OK;
  if (!*alarm && !order_fails(l)) {
    l->last = l->cleared = (opinion){0};
    return HML_OK;
  }
  bool is_clear;
  HML_TRY(blame_order(l, s, &is_clear));
  *alarm = !is_clear;
  return HML_OK;
}

hml_status hml_lookout__look(hml_lookout *l, const hml_step *s, const double *states, hml_looks looks, bool *alarm, double *too_long) {
  bool still = true, is_calm = l->margins == 0;
  *too_long = 0;
  *alarm = false;
  l->order_only = false;
  if (l->settled) return HML_OK;
  if (!l->measured) HML_TRY(probe(l, s));
  if (l->n_places) sample_witnesses(l, s, states, &still);
  if (looks == HML_AT_POINTS && l->margins) HML_TRY(sample_margins(l, s, states, &is_calm));
  if (looks == HML_IN_MIDDLE && l->margins) HML_TRY(margins_at(l, s, NULL, POINTS / 2));
  l->halved = looks != HML_AT_STAGES;
  *too_long = stretch(l, s);
  *alarm = false;
  if (looks != HML_AT_POINTS && l->margins && *too_long > LONG) {
    memcpy(l->m, l->m_start, l->margins * sizeof *l->m);
    for (size_t k = 1; k < POINTS; k++) HML_TRY(margins_at(l, s, NULL, k));
    memcpy(l->m_end, l->m + (POINTS - 1) * l->margins, l->margins * sizeof *l->m);
    *alarm = margins_alarm(l, HML_AT_POINTS);
  }
  *alarm = *alarm || (!is_calm && margins_alarm(l, looks));
  HML_TRY(judge_margins(l, s, alarm));
  *alarm = *alarm || witnesses_alarm(l, s, still);
  return HML_OK;
}

bool hml_lookout__clear(const hml_lookout *l) {
  if (l->settled) return true;
  for (size_t i = 0; i < l->n_places; i++)
    if (fabs(l->g_start[i]) < CLEAR_OF_ZERO * l->g_scale[i]) return false;
  for (size_t i = 0; i < l->margins; i++)
    if (l->m_start[i] < CLEAR_OF_ZERO * l->m_scale[i]) return false;
  return true;
}

// Of the end of the step, where witnesses count by their squares as margins do
double hml_lookout__depth(const hml_lookout *l) {
  double least = 1;
  if (l->settled) return least;
  for (size_t i = 0; i < l->n_places; i++) {
    double part = fabs(l->g[(POINTS - 1) * l->n_places + i]) / (l->g_scale[i] + DBL_MIN);
    least = fmin(least, part * part);
  }
  for (size_t i = 0; i < l->margins && !l->order_only; i++)
    if (l->m_start[i] > 0) least = fmin(least, l->m_end[i] / l->m_scale[i]);
  if (l->pivot_end > 0 && !l->order_only) least = fmin(least, l->pivot_end / l->pivot_most);
  return least;
}

static bool near_steep(const hml_lookout *l, const double *g) {
  for (size_t i = 0; i < l->n_places; i++)
    if (l->places->list[i].steep && fabs(g[i]) < CLEAR_OF_ZERO * l->g_scale[i]) return true;
  return false;
}

bool hml_lookout__near_steep(const hml_lookout *l) {
  return near_steep(l, l->g + (POINTS - 1) * l->n_places);
}

void hml_lookout__passed(hml_lookout *l, const hml_step *s) {
  if (l->settled) return;
  measure(l, s);
  memcpy(l->g_start, l->g + (POINTS - 1) * l->n_places, l->n_places * sizeof *l->g);
  memcpy(l->m_start, l->m_end, l->margins * sizeof *l->m);
  grow(l->n_places, l->g_start, l->g_scale);
  grow(l->margins, l->m_start, l->m_scale);
}

// ---- motions that part

static hml_status tell_parting(hml_lookout *l, size_t i, double t, const double *y) {
  const hml_model *model = hml_workspace__model(l->w);
  char what[500], where[300];
  hml_model__describe_place(hml_workspace__context(l->w), model, i, sizeof what, what);
  hml_model__describe_position(model, y, sizeof where, where);
  return hml_fail(l->problem->context, HML_SINGULAR, "model '%.100s': the motion from t = %.10g on is not unique: %s, and x' is not Lipschitz continuous there, so "
                  "that the motion may stay or leave (%s); start beside this place, or take a force that is smooth there",
                  hml_model__name(model), t, what, where);
}

// Beside a corner either side counts, while a run holds one of them
typedef struct sides {
  double *kept;
  bool held;
} sides;

static size_t room_of_sides(const hml_lookout *l) {
  return (hml_model__sizes(hml_workspace__model(l->w)).held + 1) * sizeof(double);
}

static hml_status let_go(hml_lookout *l, sides *s) {
  s->kept = hml_alloc(l->problem->context, room_of_sides(l));
  if (!s->kept) return HML_MEMORY;
  s->held = hml_workspace__let_go(l->w, s->kept);
  return HML_OK;
}

static void hold_again(hml_lookout *l, sides *s) {
  hml_workspace__hold_again(l->w, s->held, s->kept);
  hml_dealloc(l->problem->context, s->kept, room_of_sides(l));
}

static hml_status demand_unique(hml_lookout *l, size_t i, double t, const double *y) {
  bool lost;
  sides s;
  HML_TRY(let_go(l, &s));
  hml_status status = hml_lipschitz__lost(l->problem, hml_model__sizes(hml_workspace__model(l->w)), t, y, l->y, &lost);
  hold_again(l, &s);
  HML_TRY(status);
  return lost ? tell_parting(l, i, t, y) : HML_OK;
}

hml_status hml_lookout__unique_start(hml_lookout *l, double t, const double *y, const double *f, double span) {
  const hml_problem *p = l->problem;
  double *ahead = l->y, *slope = ahead + p->stride;
  const double h = SMALL_PART * span;
  bool stays = false;
  for (size_t i = 0; i < l->n_places; i++) stays = stays || (l->places->list[i].steep && l->g_start[i] == 0);
  if (!stays || span == 0) return HML_OK;
  // as far as rates of rates of the witness lead, it stays zero or not
  memcpy(ahead, y, p->n * sizeof *y);
  memcpy(slope, f, p->n * sizeof *f);
  for (int k = 0; k < STEPS_AHEAD; k++) {
    for (size_t i = 0; i < p->n; i++) ahead[i] += h * slope[i];
    hml_status status = p->ode->rhs(p->ode->payload, t + (k + 1) * h, ahead, slope);
    if (status != HML_OK) return hml_problem__recoverable(status) ? hml_forgiven(p->context) : status;
  }
  witnesses(l, t + STEPS_AHEAD * h, ahead, l->g);
  for (size_t i = 0; i < l->n_places; i++)
    if (l->places->list[i].steep && l->g_start[i] == 0 && l->g[i] == 0) return demand_unique(l, i, t, y);
  return HML_OK;
}

hml_status hml_lookout__unique(hml_lookout *l, const hml_step *s) {
  const size_t n = l->n_places;
  for (size_t i = 0; i < n; i++)
    if (l->places->list[i].steep && l->g[i] == 0 && l->g[POINTS / 2 * n + i] == 0 && l->g[(POINTS - 1) * n + i] == 0) return demand_unique(l, i, s->t, s->y);
  return HML_OK;
}

// ---- the examination

typedef struct passage {
  hml_lookout *l;
  const hml_step *s;
  hml_ode ode;                         // as it is without guards
  hml_trajectory *fine;
  hml_outcome outcome;                 // of the fine run
  size_t rank;
  double pivot, volume;                // the largest
  size_t last, size, count;            // which value is the pivot, which the volume; how many there are
  double *values, *y;                  // places, pivot and volume at four points of a segment; a state
  double bound, pivot_bound;           // relative sizes that count as zero
  bool between, checks;                // the fine run is that of a step, of a way: it looks for forces between the points of its steps
  double side;                         // sign of the witness whose zero is sought beside the motion
} passage;

static hml_status run_finely(passage *p, const char *method, double tolerance, size_t most_steps) {
  const hml_problem *problem = p->l->problem;
  hml_run_options o = hml_run_options_default();
  o.method = method;
  o.rtol = o.atol = tolerance;
  if (problem->rtol > 0 && problem->atol > 0) {
    o.rtol = fmax(fmin(o.rtol, 0.1 * problem->rtol), fmin(tolerance, 1e-13));
    o.atol = fmin(o.atol, 0.1 * problem->atol);
  }
  o.max_step = fabs(p->s->h) / PARTS;
  o.max_steps = most_steps;
  p->ode = *problem->ode;
  p->ode.guards = NULL;
  p->ode.formula = NULL;
  p->ode.discrete = NULL;
  if (!p->between) p->ode.watched = NULL;
  if (!p->between && !p->checks) p->ode.forces = NULL;
  const bool watched = hml_workspace__watch(p->l->w, false);
  hml_status status = hml_integrate(problem->context, &p->ode, &o, p->s->t, p->s->t1, p->s->y, &p->fine, &p->outcome);
  hml_workspace__watch(p->l->w, watched);
  HML_TRY(status);
  if (p->outcome.status == HML_MEMORY) return hml_fail(problem->context, HML_MEMORY, "no memory to look at a step");
  return p->outcome.status == HML_INTERRUPTED ? hml_check_interrupt(problem->context) : HML_OK;
}

// Witnesses, then the pivot and the volume relative to the largest; a state whose equations cannot be evaluated gives zeros.
// Volume: the product of all pivots. It moves smoothly; the last pivot by itself may rise on the way to its zero
static hml_status values_at(passage *p, double t, double *out) {
  hml_lookout *l = p->l;
  HML_TRY(hml_trajectory_at(p->fine, t, p->y));
  witnesses(l, t, p->y, out);
  double pivot = 0, volume = 0;
  hml_status status = p->rank ? hml_singular__pivot(l->w, t, model_state(l, p->y), l->scale, &p->rank, &pivot, &volume) : HML_OK;
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  HML_TRY(hml_forgiven(l->problem->context));
  out[p->last] = !p->rank ? 1 : status == HML_OK ? pivot / p->pivot : 0;
  out[p->size] = !p->rank ? 1 : status == HML_OK ? volume / p->volume : 0;
  return HML_OK;
}

static hml_status value_at(passage *p, size_t i, double t, double *out) {
  double *all = p->values + 4 * p->count;
  HML_TRY(values_at(p, t, all));
  *out = all[i];
  return HML_OK;
}

static hml_status bisect(passage *p, size_t i, double a, double b, double at_a, double *t) {
  for (int k = 0; k < HALVINGS && a != b; k++) {
    double middle = a + (b - a) / 2, value;
    if (middle == a || middle == b) break;
    HML_TRY(value_at(p, i, middle, &value));
    if (value * at_a > 0) a = middle;
    else b = middle;
  }
  *t = b;
  return HML_OK;
}

static hml_status least_between(passage *p, size_t i, double a, double b, double *t, double *least) {
  const double part = 0.5 * (sqrt(5) - 1);
  double c = b - part * (b - a), d = a + part * (b - a), at_c, at_d;
  HML_TRY(value_at(p, i, c, &at_c));
  HML_TRY(value_at(p, i, d, &at_d));
  for (int k = 0; k < HALVINGS; k++) {
    if (fabs(at_c) < fabs(at_d)) {
      b = d, d = c, at_d = at_c;
      c = b - part * (b - a);
      HML_TRY(value_at(p, i, c, &at_c));
    } else {
      a = c, c = d, at_c = at_d;
      d = a + part * (b - a);
      HML_TRY(value_at(p, i, d, &at_d));
    }
  }
  *t = fabs(at_c) < fabs(at_d) ? c : d;
  *least = fmin(fabs(at_c), fabs(at_d));
  return HML_OK;
}

// The pivot goes with the square of the distance from its zero, and rounding hides the bottom: from its roots on both sides
static hml_status sharpen(passage *p, size_t i, double a, double b, double *t) {
  for (double part = 1e-2; part > 1e-6; part *= 0.1) {
    double left = *t - part * (b - a), right = *t + part * (b - a), at_left, at_right;
    if ((left - a) * (b - a) < 0 || (b - right) * (b - a) < 0) continue;
    HML_TRY(value_at(p, i, left, &at_left));
    HML_TRY(value_at(p, i, right, &at_right));
    at_left = sqrt(fabs(at_left));
    at_right = sqrt(fabs(at_right));
    if (at_left + at_right > 0) *t = left + (right - left) * (at_left / (at_left + at_right));
  }
  return HML_OK;
}

static double size_of(const passage *p, size_t i) {
  return i < p->l->n_places ? p->l->g_scale[i] : 1;
}

static double bound_of(const passage *p, size_t i) {
  return i < p->l->n_places ? p->bound : p->pivot_bound;
}

// meaning of a zero

static double varied(double x, size_t k, size_t i) {
  // signs that differ from direction to direction, sizes that differ from component to component
  double sign = (k * 7 + i * 5 + k * i * 3) % 2 ? 1 : -1;
  return x + sign * CLOUD_SIZE * (1 + fabs(x)) * (0.6 + 0.4 * (double)((k * 13 + i * 29) % 11) / 11);
}

// x' at times and states round (t, y): does it come from there to nearly the same values?
static hml_status continuous(passage *p, double t, const double *y, bool *is) {
  const hml_problem *problem = p->l->problem;
  const size_t n = problem->ode->n_controlled;
  double *near = p->l->y, *f = near + problem->stride, *first = f + problem->stride;
  *is = true;
  for (size_t k = 0; k < CLOUD && *is; k++) {
    memcpy(near, y, problem->n * sizeof *y);
    for (size_t i = 0; i < n; i++) near[i] = varied(y[i], k, i);
    hml_status status = problem->ode->rhs(problem->ode->payload, varied(t, k, n), near, f);
    if (status != HML_OK && !hml_problem__recoverable(status)) return status;
    HML_TRY(hml_forgiven(problem->context));
    double size = 0, change = 0;
    for (size_t i = 0; i < n && status == HML_OK; i++) {
      if (k == 0) first[i] = f[i];
      size = fmax(size, fabs(first[i]));
      change = fmax(change, fabs(f[i] - first[i]));
      if (!isfinite(f[i])) change = INFINITY;
    }
    *is = status == HML_OK && change <= CONTINUOUS * (size + DBL_MIN);
  }
  return HML_OK;
}

// However weak a pole is, no motion goes through it: at a distance x' may be too small to show. The state is p->y; the box round it holds the zero
// unless the motion passes beside it
static hml_status is_pole(passage *p, double t, bool *is) {
  hml_lookout *l = p->l;
  const size_t size = (1 + l->states) * sizeof(hml_range);
  hml_range *box = hml_alloc(l->problem->context, size);
  if (!box) return HML_MEMORY;
  double reach = AT_ZERO * (fabs(t) + fabs(p->s->h));
  box[0] = (hml_range){t - reach, t + reach};
  for (size_t k = 0; k < l->states; k++) {
    reach = AT_ZERO * (fabs(p->y[k]) + fabs(p->y[k] - p->s->y[k])) + DBL_MIN;
    box[1 + k] = (hml_range){p->y[k] - reach, p->y[k] + reach};
  }
  hml_status status = hml_singular__pole(l->w, box, is);
  hml_dealloc(l->problem->context, box, size);
  return status;
}

static void describe(passage *p, size_t i, double t, hml_finding *out) {
  const hml_model *model = hml_workspace__model(p->l->w);
  char what[500], where[300];
  hml_model__describe_place(hml_workspace__context(p->l->w), model, i, sizeof what, what);
  hml_model__describe_position(model, p->y, sizeof where, where);
  snprintf(out->why.message, sizeof out->why.message, "model '%.100s': %s, at t = %.10g (%s)", hml_model__name(model), what, t, where);
  out->why.status = HML_SINGULAR;
}

static hml_status judge(passage *p, size_t i, double t, hml_finding *out) {
  hml_lookout *l = p->l;
  hml_context *c = l->problem->context;
  bool smooth, pole = false;
  double pivot;
  HML_TRY(value_at(p, p->last, t, &pivot));
  HML_TRY(continuous(p, t, p->y, &smooth));
  if (i < l->n_places) {
    const hml_place *place = &l->places->list[i];
    bool jumps = place->jumps;
    if (smooth && !jumps) HML_TRY(is_pole(p, t, &pole));
    smooth = smooth && !pole;
    if (smooth && place->smooth_beyond) return HML_OK;
    out->kind = smooth || jumps ? HML_CORNER : HML_BARRIER;
    describe(p, i, t, out);
  } else {
    hml_status status = hml_singular__tell(l->w, t, model_state(l, p->y), l->scale, p->rank);
    if (status != HML_DEPENDENT_CONSTRAINTS && status != HML_SINGULAR_MASS) return status;
    out->why = *hml_context_error(c);
    HML_TRY(hml_forgiven(c));
    if (out->why.status == HML_SINGULAR_MASS && (smooth || pivot > p->bound * p->bound)) return HML_OK;
    out->kind = HML_BARRIER;
  }
  out->t = t;
  return HML_OK;
}

// ---- zeros of one segment of the fine run

// The least size of witness i when component k of p->l->y moves by up to `most` to either side; it is left there. Parts of `most` down
// to rounding: a zero may lie much closer than the tolerances reach, and the witness rise again beyond it
static double go_down(passage *p, size_t i, size_t k, double t, double most, double value) {
  double *near = p->l->y, *all = p->values + 4 * p->count, at = near[k], best = at, least = value;
  for (int sign = -1; sign <= 1; sign += 2)
    for (int part = 0; part < HALVINGS && least > 0; part++) {
      near[k] = at + sign * ldexp(most, -part);
      witnesses(p->l, t, near, all);
      // beyond its zero it has another sign, or no value
      double now = isfinite(all[i]) ? fmax(p->side * all[i], 0) : 0;
      if (now < least) least = now, best = near[k];
    }
  near[k] = best;
  return least;
}

// A motion may pass a zero at a distance, and then its equations are regular: is the witness, which is `least` at t, so small that states within
// the tolerances have a zero? Downhill along one component after the other; a sum of squares and a constant rises on all sides and stays clear
static hml_status meets_zero(passage *p, size_t i, double t, double least, bool *meets) {
  const hml_problem *problem = p->l->problem;
  double value;
  HML_TRY(value_at(p, i, t, &value));
  memcpy(p->l->y, p->y, problem->n * sizeof *p->y);
  p->side = value < 0 ? -1 : 1;
  double now = fabs(value);
  for (size_t k = 0; k < p->l->states; k++) now = go_down(p, i, k, t, WITHIN * (problem->atol + problem->rtol * fabs(p->y[k])), now);
  *meets = now <= FALLS * fabs(least);
  return HML_OK;
}

static hml_status zero_in(passage *p, size_t i, double a, double b, const double *v, bool *found, double *t) {
  const size_t stride = p->count;
  const double first = v[i], second = v[stride + i], third = v[2 * stride + i], last = v[3 * stride + i];
  double least;
  *found = false;
  if (i < p->l->n_places && p->l->places->list[i].none) return HML_OK;
  if (first * last < 0 || (last == 0 && first != 0)) {
    *found = true;
    return bisect(p, i, a, b, first, t);
  }
  if (!(fabs(second) < fabs(first) && fabs(third) < fabs(last)) || first == 0) return HML_OK;
  // where the fine run cannot go on its steps are as short as rounding, and so are differences of pivots over them
  if (i >= p->l->n_places && fabs(b - a) < NO_SEGMENT * fabs(p->s->h)) return HML_OK;
  HML_TRY(least_between(p, i, a, b, t, &least));
  if (i == p->size) HML_TRY(value_at(p, p->last, *t, &least));
  *found = fabs(least) <= bound_of(p, i) * size_of(p, i);
  if (*found && i < p->l->n_places) return meets_zero(p, i, *t, least, found);
  return *found && i == p->size ? sharpen(p, i, a, b, t) : HML_OK;
}

static hml_status earliest_zero(passage *p, double a, double b, double sign, hml_finding *out) {
  bool first = true;
  for (size_t i = 0; i < p->count; i++) {
    if (i == p->last) continue;        // its zeros are those of the volume
    bool found;
    double t = b;
    hml_finding finding = {.kind = HML_CLEAR};
    HML_TRY(zero_in(p, i, a, b, p->values, &found, &t));
    // a zero of an expression is a better reason than the zero of a pivot that it causes
    double ahead = i == p->size ? EDGE * fabs(b - a) : 0;
    if (!found || (!first && (t - out->t) * sign >= -ahead)) continue;
    HML_TRY(judge(p, i, t, &finding));
    if (finding.kind == HML_CLEAR) continue;
    finding.steep = out->steep;
    *out = finding;
    first = false;
  }
  return HML_OK;
}

// May a value vanish inside a segment although its ends do not show it? It may if it can lose its size there at the speed of the steeper end;
// pivot and volume are proportional to squares of distances
static bool may_vanish(const passage *p, double edge) {
  const size_t stride = p->count;
  for (size_t i = 0; i < stride; i++) {
    double u[4];
    for (size_t k = 0; k < 4; k++) u[k] = i < p->l->n_places ? fabs(p->values[k * stride + i]) : sqrt(fabs(p->values[k * stride + i]));
    if (u[0] + u[3] < 2 * fmax(fabs(u[1] - u[0]), fabs(u[3] - u[2])) / edge) return true;
  }
  return false;
}

// The segment, and where that shows nothing its halves
static hml_status scan_segment(passage *p, double a, double b, unsigned depth, hml_finding *out) {
  const size_t stride = p->count;
  // times have to differ where segments are as short as rounding
  const double part = fmin(fmax(EDGE, 16 * DBL_EPSILON * fabs(b) / fabs(b - a)), 0.25), edge = part * (b - a), times[4] = {a, a + edge, b - edge, b};
  for (int j = 0; j < 4; j++) HML_TRY(values_at(p, times[j], p->values + (size_t)j * stride));
  bool halve = depth < DEEPEST && may_vanish(p, part);
  HML_TRY(earliest_zero(p, a, b, b < a ? -1 : 1, out));
  if (out->kind != HML_CLEAR || !halve) return HML_OK;
  double middle = a + (b - a) / 2;
  HML_TRY(scan_segment(p, a, middle, depth + 1, out));
  return out->kind == HML_CLEAR ? scan_segment(p, middle, b, depth + 1, out) : HML_OK;
}

static hml_status scan(passage *p, hml_finding *out) {
  const size_t points = hml_trajectory_points(p->fine);
  for (size_t k = 1; k < points && out->kind == HML_CLEAR; k++) {
    double a = hml_trajectory_time(p->fine, k - 1), b = hml_trajectory_time(p->fine, k);
    HML_TRY(values_at(p, b, p->values));
    out->steep = out->steep || near_steep(p->l, p->values);
    HML_TRY(scan_segment(p, a, b, 0, out));
    if (out->kind != HML_CLEAR || k + 1 == points) continue;
    // a zero next to the joint of two segments is in neither
    double c = b + EDGE * (hml_trajectory_time(p->fine, k + 1) - b);
    HML_TRY(scan_segment(p, b - EDGE * (b - a), c, DEEPEST, out));
  }
  return HML_OK;
}

// The zero of a value that decreases like the distance from it, from the end of the fine run at t; false if it is not ahead on the step
static hml_status lead_on(passage *p, size_t which, double t, bool *leads, double *zero) {
  double first = hml_trajectory_time(p->fine, 0), back = 1e-2 * (t - first), now, before;
  HML_TRY(value_at(p, which, t, &now));
  HML_TRY(value_at(p, which, t - back, &before));
  now = which == p->last ? sqrt(now) : fabs(now);
  before = which == p->last ? sqrt(before) : fabs(before);
  double ahead = before > now ? back * now / (before - now) : INFINITY;
  *leads = fabs(ahead) <= fabs(p->s->t1 - t) && fabs(ahead) <= LEADS * fabs(t - first);
  *zero = *leads ? t + ahead : t;
  return HML_OK;
}

// The state at `zero` into p->y, from the end of the fine run at t straight on
static hml_status carry_on(passage *p, double t, double zero) {
  double back = 1e-2 * (t - hml_trajectory_time(p->fine, 0)), *before = p->l->y;
  HML_TRY(hml_trajectory_at(p->fine, t - back, before));
  HML_TRY(hml_trajectory_at(p->fine, t, p->y));
  for (size_t k = 0; k < p->l->states && back != 0; k++) p->y[k] += (zero - t) / back * (p->y[k] - before[k]);
  return HML_OK;
}

// The latter half of its steps took it less than a tenth of its way
static bool crawled(const passage *p) {
  size_t points = hml_trajectory_points(p->fine);
  double first = hml_trajectory_time(p->fine, 0), half = hml_trajectory_time(p->fine, points / 2), last = hml_trajectory_time(p->fine, points - 1);
  return p->outcome.status == HML_TOO_MANY_STEPS && fabs(last - half) < CRAWLED * fabs(last - first);
}

// The place whose zero is the first ahead of a run that stopped or crawled: equations become stiff towards some poles. SIZE_MAX: none
static hml_status led_to(passage *p, double t, size_t *which) {
  double first = INFINITY, zero;
  bool leads;
  *which = SIZE_MAX;
  for (size_t i = 0; i < p->l->n_places; i++) {
    if (p->l->places->list[i].jumps) continue;
    HML_TRY(lead_on(p, i, t, &leads, &zero));
    if (leads && fabs(zero - t) < first) first = fabs(zero - t), *which = i;
  }
  return HML_OK;
}

// The fine run itself did not get through: near which zero did it stop?
static hml_status blame(passage *p, hml_finding *out) {
  hml_lookout *l = p->l;
  hml_context *c = l->problem->context;
  double t = hml_trajectory_time(p->fine, hml_trajectory_points(p->fine) - 1), least = p->outcome.status == HML_TOO_MANY_STEPS ? ZERO : STOPPED_NEAR;
  size_t which = SIZE_MAX;
  bool got_stuck = p->outcome.status == HML_PROJECTION || p->outcome.status == HML_CONTRADICTION || p->outcome.status == HML_STEP_COLLAPSED;
  HML_TRY(values_at(p, t, p->values));
  for (size_t i = 0; i <= l->n_places; i++) {
    if (i < l->n_places && (l->places->list[i].jumps || l->places->list[i].none)) continue;
    double relative = fabs(p->values[i]) / (size_of(p, i) + DBL_MIN);
    if (i == l->n_places) relative = sqrt(relative);
    if (relative < least) least = relative, which = i;
  }
  double zero = t;
  bool leads = false;
  if ((got_stuck || crawled(p)) && which == SIZE_MAX) HML_TRY(led_to(p, t, &which));
  if (got_stuck || which != SIZE_MAX) HML_TRY(lead_on(p, which == SIZE_MAX ? p->last : which, t, &leads, &zero));
  if (which == SIZE_MAX && leads && p->rank) which = p->last;
  out->kind = which == SIZE_MAX ? HML_LOST : HML_BARRIER;
  out->stuck = got_stuck;
  if (which == SIZE_MAX) return HML_OK;
  HML_TRY(carry_on(p, t, zero));
  out->t = t = zero;
  if (which < l->n_places) {
    describe(p, which, t, out);
    return HML_OK;
  }
  hml_singular__tell(l->w, t, model_state(l, p->y), l->scale, p->rank);
  out->why = *hml_context_error(c);
  return hml_forgiven(c);
}

static hml_status scale_at(passage *p, double t, const double *y, double *scale) {
  return hml_singular__scale(p->l->w, t, model_state(p->l, y), scale);
}

static hml_status pivot_at(passage *p, double t, const double *y, double *pivot, double *volume) {
  return hml_singular__pivot(p->l->w, t, model_state(p->l, y), p->l->scale, &p->rank, pivot, volume);
}

// A value that vanishes at the start is small only relative to its values elsewhere: factors and the pivot are those of the whole passage.
// States whose equations cannot be evaluated are passed over
static hml_status take_scale(passage *p) {
  hml_lookout *l = p->l;
  const size_t points = hml_trajectory_points(p->fine), stride = 1 + points / MOST_SCALED;
  double *now = l->scale_now, pivot, volume;
  hml_status status = scale_at(p, p->s->t, p->s->y, l->scale);
  for (size_t k = stride; status == HML_OK && k < points; k += stride) {
    double t = hml_trajectory_time(p->fine, k);
    HML_TRY(hml_trajectory_at(p->fine, t, p->y));
    hml_status here = scale_at(p, t, p->y, now);
    if (here != HML_OK && !hml_problem__recoverable(here)) return here;
    for (size_t i = 0; here == HML_OK && i < l->matrix; i++) l->scale[i] = fmin(l->scale[i], now[i]);
  }
  p->rank = SIZE_MAX;
  if (status == HML_OK) status = pivot_at(p, p->s->t, p->s->y, &p->pivot, &p->volume);
  if (status != HML_OK) p->rank = 0;
  for (size_t k = stride; p->rank && k < points; k += stride) {
    double t = hml_trajectory_time(p->fine, k);
    HML_TRY(hml_trajectory_at(p->fine, t, p->y));
    hml_status here = pivot_at(p, t, p->y, &pivot, &volume);
    if (here != HML_OK && !hml_problem__recoverable(here)) return here;
    if (here == HML_OK && isfinite(pivot)) p->pivot = fmax(p->pivot, pivot), p->volume = fmax(p->volume, volume);
  }
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  return hml_forgiven(l->problem->context);
}

static hml_status compare_ends(passage *p, bool *strayed) {
  const hml_problem *problem = p->l->problem;
  double *y = p->l->y, *difference = y + problem->stride;
  if (p->outcome.status != HML_OK || !p->s->y1) return HML_OK;
  HML_TRY(hml_trajectory_at(p->fine, p->s->t1, y));
  for (size_t i = 0; i < p->l->states; i++) difference[i] = p->s->y1[i] - y[i];
  double off = hml_control__norm(problem, difference, y, y);
  for (size_t i = 0; i < p->l->states; i++) difference[i] = y[i] - p->s->y[i];
  *strayed = off > STRAYED * hml_control__norm(problem, difference, y, y);
  return HML_OK;
}

static hml_status examine(passage *p, hml_finding *out) {
  hml_lookout *l = p->l;
  const hml_problem *problem = l->problem;
  const double tolerance = fmax(problem->rtol, problem->atol);
  p->bound = fmin(fmax(ZERO, tolerance), 1e-3);
  // branches of holonomic constraints cross: a motion held to within eps passes the crossing at a distance of sqrt(eps)
  p->pivot_bound = hml_model__holonomic(hml_workspace__model(l->w)) ? 10 * fmin(fmax(tolerance, 1e-10), 1e-4) : p->bound * p->bound;
  HML_TRY(run_finely(p, "auto", FINE, MOST_STEPS));
  HML_TRY(compare_ends(p, &out->strayed));
  HML_TRY(take_scale(p));
  HML_TRY(scan(p, out));
  return out->kind == HML_CLEAR && p->outcome.status != HML_OK ? blame(p, out) : HML_OK;
}

hml_status hml_lookout__examine(hml_lookout *l, const hml_step *s, hml_finding *out) {
  hml_context *c = l->problem->context;
  passage p = {.l = l, .s = s, .last = l->n_places, .size = l->n_places + 1, .count = l->n_places + 2};
  size_t size = 5 * p.count + l->problem->n;
  *out = (hml_finding){.kind = HML_CLEAR};
  p.values = hml_alloc(c, size * sizeof *p.values);
  if (!p.values) return HML_MEMORY;
  p.y = p.values + 5 * p.count;
  hml_status status = examine(&p, out);
  hml_dealloc(c, p.values, size * sizeof *p.values);
  if (status == HML_OK && out->kind == HML_CLEAR && !out->strayed && l->last.t == s->t && l->last.t1 == s->t1) l->cleared = l->last;
  if (status == HML_OK && out->kind == HML_BARRIER) out->fine = p.fine;
  else hml_trajectory_free(p.fine);
  return status;
}

// The largest kinetic or potential energy along the fine run: what steps round there, it shares with the run that it checks
static double largest_energy(passage *p) {
  const size_t points = hml_trajectory_points(p->fine);
  double largest = 0, energy, kinetic;
  for (size_t k = 0; k < points; k++) {
    hml_status status = hml_workspace_set_state(p->l->w, hml_trajectory_time(p->fine, k), model_state(p->l, hml_trajectory_state(p->fine, k)));
    if (status == HML_OK) status = hml_energies(p->l->w, &energy, &kinetic);
    if (status == HML_OK) largest = fmax(largest, fmax(fabs(kinetic), fabs(energy - kinetic)));
    else hml_forgive(p->l->problem->context);
  }
  return largest;
}

// Forces that do work change what errors do to the energy: where it is another one at an end of the way, that end counts
static double unit_of_way(passage *p, double largest) {
  hml_lookout *l = p->l;
  double unit = l->energy_unit, energy;
  const double *const ends[] = {p->s->y, p->s->y1}, times[] = {p->s->t, p->s->t1};
  for (int k = 0; k < 2; k++)
    if (energy_at(l, times[k], ends[k], &energy) && fabs(energy - l->energy_start) > OTHER_ENERGY * largest) unit = fmax(unit, energy_unit(l, times[k], ends[k]));
  return unit;
}

// The energy at as many states as the system has takes its time: only where a way is checked
static void find_energy_unit(hml_lookout *l) {
  if (!l->has_unit && l->has_energy) l->energy_unit = energy_unit(l, l->t_first, l->first);
  l->has_unit = true;
}

// The fine run starts where the way does: what was off before is no error of the way. A method that few runs take shares no errors with them
static hml_status check_end(passage *p, double *off, size_t *worst, double *difference, double *energy) {
  const hml_problem *problem = p->l->problem;
  double *y = p->l->y, most = -1;
  *off = *difference = *energy = 0, *worst = 0;
  HML_TRY(run_finely(p, "rk8pd", FINEST, MOST_CHECKED));
  if (p->outcome.status == HML_TOO_MANY_STEPS) {                         // it may be stiff
    hml_trajectory_free(p->fine);
    HML_TRY(run_finely(p, "auto", FINEST, MOST_CHECKED));
  }
  if (p->outcome.status == HML_TOO_MANY_STEPS) return HML_OK;            // a long way is no passage
  *off = *difference = INFINITY;
  if (p->outcome.status != HML_OK) return HML_OK;
  find_energy_unit(p->l);
  HML_TRY(hml_trajectory_at(p->fine, p->s->t1, y));
  *off = 0;
  for (size_t i = 0; i < problem->ode->n_controlled; i++) {
    double apart = fabs(p->s->y1[i] - y[i]), part = apart / (problem->atol + problem->rtol * fabs(y[i]) + DBL_MIN);
    if (part > most) most = *off = part, *worst = i, *difference = apart;
  }
  double run, fine;
  if (p->l->energy_unit > 0 && energy_at(p->l, p->s->t1, p->s->y1, &run) && energy_at(p->l, p->s->t1, y, &fine)) {
    double largest = largest_energy(p);
    *energy = (fabs(run - fine) + ROUNDINGS * DBL_EPSILON * largest) / unit_of_way(p, largest);
  }
  return HML_OK;
}

hml_status hml_lookout__check(hml_lookout *l, const hml_step *s, double *off, size_t *worst, double *difference, double *energy) {
  passage p = {.l = l, .s = s, .checks = true};
  sides now;
  HML_TRY(let_go(l, &now));
  hml_status status = check_end(&p, off, worst, difference, energy);
  hold_again(l, &now);
  hml_trajectory_free(p.fine);
  return status;
}

// The end of a fine run along s from the state y into `end`; false: it does not get there
static hml_status fine_end(hml_lookout *l, const hml_step *s, double *end, bool *arrives) {
  passage p = {.l = l, .s = s};
  hml_status status = run_finely(&p, "auto", FINE, MOST_CHECKED);
  *arrives = status == HML_OK && p.outcome.status == HML_OK;
  if (*arrives) status = hml_trajectory_at(p.fine, s->t1, end);
  hml_trajectory_free(p.fine);
  return status;
}

// Of the tolerance, or what the fine run is good for
static double unit_of(const hml_problem *p, double y) {
  return fmax(p->atol + p->rtol * fabs(y), 10 * FINE * fabs(y));
}

static hml_status magnifies(hml_lookout *l, const hml_step *s, double *factor) {
  const hml_problem *p = l->problem;
  double *end = l->y, *other = end + p->stride, *moved = other + p->stride;
  hml_step beside = *s;
  bool arrives;
  *factor = INFINITY;
  HML_TRY(fine_end(l, s, end, &arrives));
  if (!arrives) return HML_OK;
  beside.y = moved;
  memcpy(moved, s->y, p->n * sizeof *moved);
  for (size_t i = 0; i < l->states; i++) moved[i] += (i % 2 ? -1 : 1) * unit_of(p, s->y[i]);
  HML_TRY(fine_end(l, &beside, other, &arrives));
  if (!arrives) return HML_OK;
  *factor = 0;
  for (size_t i = 0; i < l->states; i++) *factor = fmax(*factor, fabs(end[i] - other[i]) / (unit_of(p, end[i]) + DBL_MIN));
  return HML_OK;
}

hml_status hml_lookout__magnifies(hml_lookout *l, const hml_step *s, double *factor) {
  sides now;
  HML_TRY(let_go(l, &now));
  hml_status status = magnifies(l, s, factor);
  hold_again(l, &now);
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
  passage p = {.l = l, .s = s, .between = true};
  *out = (hml_missed){0, 0};
  hml_status status = run_finely(&p, "dop853", FINE, MOST_STEPS);
  if (status == HML_OK && p.outcome.status == HML_OK) {
    status = hml_trajectory_at(p.fine, s->t1, l->y);
    if (status == HML_OK) *out = hml_lookout__apart(l, s->y1, l->y);
  }
  hml_trajectory_free(p.fine);
  return status;
}
