// lookout.c: singular places along a run: where constraints become dependent, inertia vanishes, the equations have a pole or a corner.
// A step may lead over such a place without any of its stages seeing it, and every method does so in a way of its own.
//
// Two levels. After each step a cheap look, here: pivots of the solves the step made anyway, and the witnesses of poles and corners
// (hml_program__places) at five points. What looks as if it went through zero raises an alarm. Then the passage is examined (examined.c), so that
// the verdict, its time and its words are the same for every method.
//
// A step over which a margin or witness may turn more than once between the points is not looked at but made shorter: how fast they move is
// known from the step before, or from two states close together where there is none.
#include "integrate/lookout_impl.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { POINTS = HML_LOOKOUT_POINTS, OPINIONS = 9 };
#define NEAR 0.1                       // of the largest so far: a witness below it that falls or rises fast
#define NEAR_SQUARE 0.25               // the same of a margin, which goes with the square of a distance
#define DIP 0.7                        // of the values round it: a minimum that may go down to zero
#define LOW 0.4                        // of the largest so far: a margin below it inside a step,
#define LOWER 0.9                      // and below its ends, is a minimum that few points do not show whole
#define DEEP 0.25                      // of both its neighbours: a minimum whose bottom the points do not show
#define SPAN 1.5                       // times its size: the largest change of a margin or witness over a step, at its speed before
#define BENT 2.5                       // see too_bent
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
#define ROUNDED 4.0                    // tolerances: what rounding over the last pivot may leave of them where an order of the pivots of M is blamed
#define SOLVED 1e-14                   // below it rounding is the last pivot with complete pivoting

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
  l->may_lose_digits = hml_model__may_lose_digits(model) && hml_model_elimination(model) != HML_REFINED;
  l->n_places = l->places->count;
  l->inputs = l->n_places ? hml_program_inputs(l->places->program) : 1 + l->states;
  size_t work = l->n_places ? hml_program_work_size(l->places->program) : 0;
  l->matrix = sizes.dyn + sizes.multipliers;
  l->most_other = 2 * l->matrix;
  l->range_room = l->n_places ? 0 : hml_workspace__everywhere_room(w);
  double *ranges;
  struct { double **at; size_t count; } fields[] = {
      {&l->in, l->inputs}, {&l->work, work}, {&l->g, POINTS * l->n_places}, {&l->g_start, l->n_places}, {&l->g_scale, l->n_places}, {&l->g_noise, l->n_places},
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

void hml_lookout__witnesses(hml_lookout *l, double t, const double *y, double *out) {
  if (!l->n_places) return;
  l->in[0] = t;
  memcpy(l->in + 1, y, l->states * sizeof *y);
  // events change parameters
  memcpy(l->in + 1 + l->states, hml_workspace__inputs(l->w) + 1 + l->states, (l->inputs - 1 - l->states) * sizeof *y);
  hml_program_eval(l->places->program, l->in, out, l->work);
}

const double *hml_lookout__model_state(hml_lookout *l, const double *y) {
  memcpy(l->x, y, l->states * sizeof *y);
  return l->x;                         // the work, if there is any, plays no part
}

static void grow(size_t n, const double *values, double *largest) {
  for (size_t i = 0; i < n; i++)
    if (fabs(values[i]) > largest[i] && isfinite(values[i])) largest[i] = fabs(values[i]);
}

// ---- the cheap look

hml_status hml_lookout__has_value(hml_lookout *l, double t, const double *y) {
  HML_TRY(hml_workspace_set_state(l->w, t, hml_lookout__model_state(l, y)));
  return hml_workspace__has_value(l->w);
}

bool hml_lookout__is_noise(const hml_lookout *l, size_t i, double g) {
  return l->places->list[i].steep && l->g_scale[i] <= l->g_noise[i] && fabs(g) <= l->g_noise[i];
}

// Signs of the errors: equal, alternating, in pairs
static void find_noise(hml_lookout *l, double t, const double *y) {
  enum { PATTERNS = 3 };
  memset(l->g_noise, 0, l->n_places * sizeof *l->g_noise);
  for (unsigned k = 0; k < PATTERNS && l->n_places; k++) {
    for (size_t i = 0; i < l->states; i++) l->y[i] = y[i] + ((i & k) ? -1 : 1) * (l->problem->atol + l->problem->rtol * fabs(y[i]));
    hml_lookout__witnesses(l, t, l->y, l->g);
    for (size_t i = 0; i < l->n_places; i++) {
      const double change = fabs(l->g[i] - l->g_start[i]);
      if (change > l->g_noise[i] && isfinite(change)) l->g_noise[i] = change;
    }
  }
}

void hml_lookout__resolve(hml_lookout *l, bool on) { l->resolves = on; }

void hml_lookout__start(hml_lookout *l, double t, const double *y) {
  hml_lookout__witnesses(l, t, y, l->g_start);
  find_noise(l, t, y);
  grow(l->n_places, l->g_start, l->g_scale);
  hml_workspace__margins_now(l->w, l->m_start);
  grow(l->margins, l->m_start, l->m_scale);
  l->measured = false;
  l->settled = l->n_places == 0 && (l->margins == 0 || (l->range_room && hml_workspace__regular_everywhere(l->w, l->ranges)));
  if (l->has_energy) return;
  l->has_energy = hml_lookout__energy(l, t, y, &l->energy_start);
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
static bool calm(double start, double middle, double end) {
  const double a = fabs(start), b = fabs(middle), c = fabs(end), least = fmin(a, fmin(b, c)), most = fmax(a, fmax(b, c));
  return most < 2 * least && start * end > 0 && start * middle > 0;
}

static bool all_calm(size_t n, const double *points) {
  for (size_t i = 0; i < n; i++)
    if (!calm(points[i], points[POINTS / 2 * n + i], points[(POINTS - 1) * n + i])) return false;
  return true;
}

// Nothing but errors at the ends and in the middle of the step
static bool passed_over(const hml_lookout *l, size_t i) {
  return hml_lookout__is_noise(l, i, l->g_start[i]) && hml_lookout__is_noise(l, i, l->g[POINTS / 2 * l->n_places + i]) &&
         hml_lookout__is_noise(l, i, l->g[(POINTS - 1) * l->n_places + i]);
}

static bool witnesses_calm(const hml_lookout *l) {
  const size_t n = l->n_places;
  for (size_t i = 0; i < n; i++)
    if (!calm(l->g[i], l->g[POINTS / 2 * n + i], l->g[(POINTS - 1) * n + i]) && !passed_over(l, i)) return false;
  return true;
}

static const double *state_at(hml_lookout *l, const hml_step *s, const double *states, size_t k) {
  return k + 1 == POINTS ? s->y1 : states ? states + (k - 1) * l->problem->stride : between(l, s, (double)k / (POINTS - 1));
}

hml_status hml_lookout__rate(hml_lookout *l, double t, const double *y, double *f) {
  const size_t handed_over = hml_workspace__handed_over(l->w), reordered = hml_workspace__reordered(l->w);
  hml_status status = l->problem->ode->rhs(l->problem->ode->payload, t, y, f);
  hml_workspace__recount(l->w, handed_over, reordered);
  return status;
}

// Zeros where x' cannot be evaluated
static hml_status margins_of(hml_lookout *l, const hml_step *s, double t, const double *states, double *out) {
  const hml_problem *p = l->problem;
  double *f = l->y + p->stride, *y = f + p->stride;
  memcpy(y, s->y1, p->n * sizeof *y);
  memcpy(y, states, l->states * sizeof *y);
  hml_status status = hml_lookout__rate(l, t, y, f);
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
  *is_calm = all_calm(l->margins, l->m);
  for (size_t k = 1; !*is_calm && k + 1 < POINTS; k++)
    if (k != POINTS / 2) HML_TRY(margins_at(l, s, states, k));
  return HML_OK;
}

static void witnesses_at(hml_lookout *l, const hml_step *s, const double *states, size_t k) {
  hml_lookout__witnesses(l, s->t + (double)k / (POINTS - 1) * s->h, state_at(l, s, states, k), l->g + k * l->n_places);
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
  *is_calm = witnesses_calm(l);
  for (size_t k = 1; !*is_calm && k + 1 < POINTS; k++)
    if (k != POINTS / 2) witnesses_at(l, s, states, k);
}

static bool witnesses_alarm(const hml_lookout *l, const hml_step *s, bool is_calm) {
  const size_t n = l->n_places;
  const double *end = l->g + (POINTS - 1) * n;
  for (size_t i = 0; i < n; i++)
    if (fmin(fabs(l->g_start[i]), fabs(end[i])) < NEAR * l->g_scale[i] && !passed_over(l, i) && abrupt(l, s)) return true;
  for (size_t i = 0; i < n && !is_calm; i++)
    if (!passed_over(l, i) && (passes_zero(l->g + i, n) || leads_to_zero(l->g_start[i], end[i], l->g_scale[i], NEAR))) return true;
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
    hml_lookout__witnesses(l, t, y, g[k]);
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

// How many times longer the step is than one over which the root of a witness, as a speed, changes by no more than BENT times: near its zero the formula of a
// step is good for less, and its errors do not show that. As small as the tolerance it bends nothing
static double too_bent(const hml_lookout *l, size_t i) {
  const double *g = l->g + i, floor = pow(fmax(l->problem->rtol, l->problem->atol), 2.0 / 3) * l->g_scale[i];
  double least = INFINITY, most = 0;
  if (calm(g[0], g[POINTS / 2 * l->n_places], g[(POINTS - 1) * l->n_places])) return 0;        // the other points were not looked at
  for (size_t k = 0; k < POINTS; k++) least = fmin(least, fabs(g[k * l->n_places])), most = fmax(most, fabs(g[k * l->n_places]));
  least = fmax(least, floor);
  if (!(most > BENT * BENT * least)) return 0;
  const double start = fabs(g[0]), middle = fabs(g[POINTS / 2 * l->n_places]);
  if (start * BENT * BENT < most) return sqrt(most / fmax(start, floor)) / BENT;
  return middle < start ? 2 * (1 - sqrt(middle / start)) / (1 - 1 / BENT) : 2;
}

// How many times longer the step is than one over which the points show everything. Next to zero no step is too long
static double stretch(const hml_lookout *l, const hml_step *s) {
  const double h = fabs(s->h), *g_end = l->g + (POINTS - 1) * l->n_places;
  double most = 0;
  for (size_t i = 0; i < l->n_places; i++) {
    if (passed_over(l, i)) continue;
    double large = fmax(fmax(fabs(l->g_start[i]), fabs(g_end[i])), NEAR * l->g_scale[i]);
    enlarge(h * l->g_speed[i] / (SPAN * large), &most);
    if (l->resolves && l->places->list[i].steep) enlarge(too_bent(l, i), &most);
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
static bool was_cleared(hml_opinion *before, const hml_opinion *now) {
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
    const double theta = (double)k / (OPINIONS - 1), *margin = hml_workspace__other_margins(l->w, s->t + theta * s->h, hml_lookout__model_state(l, opinion_state(l, s, k)), &count);
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
  HML_TRY(hml_singular__scale(l->w, t, hml_lookout__model_state(l, y), l->scale));
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
  if (status == HML_OK) status = hml_singular__pivot(l->w, l->t_first, hml_lookout__model_state(l, l->first), l->scale, &rank, &pivot, &volume);
  if (status == HML_OK && isfinite(pivot)) l->pivot_most = pivot;
  return status == HML_OK || hml_problem__recoverable(status) ? hml_forgiven(l->problem->context) : status;
}

// The elimination on the graph, and that of M with rows beside it, whose floor is high, make pivots in a fixed order: one may vanish where the equations are regular
static bool order_may_fail(const hml_lookout *l) {
  return hml_model__guard(hml_workspace__model(l->w)) || l->matrix > l->dyn;
}

// The last pivot with complete pivoting from which no place is near. Behind the elimination on the graph others take over; beside M rounding must not count, either
static double least_pivot(const hml_lookout *l) {
  if (hml_model__guard(hml_workspace__model(l->w))) return LEAST_PIVOT;
  return fmax(LEAST_PIVOT, DBL_EPSILON / (ROUNDED * fmax(l->problem->rtol, l->problem->atol) + DBL_MIN));
}

// A pivot may vanish where the equations are regular: its order is good for other states. Those of another order that
// the run has made do not, or with complete pivoting the last pivot and their product do not, over the whole step
static hml_status blame_order(hml_lookout *l, const hml_step *s, bool *is_clear) {
  double pivots[OPINIONS], volumes[OPINIONS];
  size_t rank = SIZE_MAX;
  *is_clear = l->order_only = other_order_holds(l, s);
  if (*is_clear) {
    l->last = l->cleared = (hml_opinion){0};
    return HML_OK;
  }
  HML_TRY(know_start(l));
  hml_status status = scale_for_run(l, s->t, s->y);
  for (size_t k = 0; status == HML_OK && k < OPINIONS; k++) {
    const double theta = (double)k / (OPINIONS - 1);
    status = hml_singular__pivot(l->w, s->t + theta * s->h, hml_lookout__model_state(l, opinion_state(l, s, k)), l->scale, &rank, &pivots[k], &volumes[k]);
  }
  *is_clear = false;
  l->last = (hml_opinion){0};
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  if (status != HML_OK) return hml_forgiven(l->problem->context);
  const double sign = volumes[0] < 0 ? -1 : 1;                             // where it changes they are not even
  for (size_t k = 0; k < OPINIONS; k++) volumes[k] *= sign;
  l->last = (hml_opinion){s->t, s->t1, least_if_even(pivots, UNEVEN), least_if_even(volumes, EVEN), rank};
  if (rank == 0 || !(l->last.volume > 0)) l->last.pivot = 0;
  l->pivot_end = pivots[OPINIONS - 1];
  for (size_t k = 0; k < OPINIONS; k++)
    if (pivots[k] > l->pivot_most && isfinite(pivots[k])) l->pivot_most = pivots[k];
  l->order_only = l->last.pivot > 0 && pivots[0] > least_pivot(l) && least_if_even(pivots, EVEN) > 0;
  *is_clear = l->order_only || was_cleared(&l->cleared, &l->last);
  if (l->order_only || !*is_clear) l->cleared.pivot = 0;
  return HML_OK;
}

// alarm: of the margins at the step. Where the order fails they give none, and the pivots with complete pivoting decide
static hml_status judge_margins(hml_lookout *l, const hml_step *s, bool *alarm) {
  l->pivot_end = 0;
  if (!order_may_fail(l)) return HML_OK;
  if (!*alarm && !order_fails(l)) {
    l->last = l->cleared = (hml_opinion){0};
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

bool hml_lookout__inertia_alone(const hml_lookout *l) {
  return l->n_places == 0 && l->matrix == l->dyn;
}

bool hml_lookout__clear(const hml_lookout *l) {
  if (l->settled) return true;
  for (size_t i = 0; i < l->n_places; i++)
    if (fabs(l->g_start[i]) < HML_CLEAR_OF_ZERO * l->g_scale[i] && !hml_lookout__is_noise(l, i, l->g_start[i])) return false;
  for (size_t i = 0; i < l->margins; i++)
    if (l->m_start[i] < HML_CLEAR_OF_ZERO * l->m_scale[i]) return false;
  return true;
}

// Of a witness at the end of the step, by its square, as margins go with squares of distances; 1: it is noise
static double depth_of_place(const hml_lookout *l, size_t i) {
  const double end = l->g[(POINTS - 1) * l->n_places + i], part = fabs(end) / (l->g_scale[i] + DBL_MIN);
  return hml_lookout__is_noise(l, i, end) ? 1 : part * part;
}

double hml_lookout__depth(const hml_lookout *l) {
  double least = 1;
  if (l->settled) return least;
  for (size_t i = 0; i < l->n_places; i++) least = fmin(least, depth_of_place(l, i));
  for (size_t i = 0; i < l->margins && !l->order_only; i++)
    if (l->m_start[i] > 0) least = fmin(least, l->m_end[i] / l->m_scale[i]);
  if (l->pivot_end > 0 && !l->order_only) least = fmin(least, l->pivot_end / l->pivot_most);
  return least;
}

bool hml_lookout__nearest(const hml_lookout *l, double closer_than, size_t capacity, char *text) {
  size_t nearest = l->n_places;
  double least = closer_than;
  for (size_t i = 0; i < l->n_places && !l->settled; i++) {
    const double depth = depth_of_place(l, i);
    if (depth >= least) continue;
    least = depth;
    nearest = i;
  }
  if (nearest < l->n_places) hml_model__describe_place(hml_workspace__context(l->w), hml_workspace__model(l->w), nearest, capacity, text);
  return nearest < l->n_places;
}

bool hml_lookout__inertia(const hml_lookout *l, long double *product) {
  const bool by_graph = hml_model__guard(hml_workspace__model(l->w));
  *product = 1;
  if (!l->may_lose_digits || !l->margins) return false;
  for (size_t i = 0; i < l->margins; i++) {
    if (!(l->m_end[i] > 0) && by_graph) return false;        // another order, or the general solve, took over
    *product *= fmax(l->m_end[i], 0);
  }
  return *product < INFINITY;
}

bool hml_lookout__steep_near(const hml_lookout *l, const double *g) {
  for (size_t i = 0; i < l->n_places; i++)
    if (l->places->list[i].steep && fabs(g[i]) < HML_CLEAR_OF_ZERO * l->g_scale[i] && !hml_lookout__is_noise(l, i, g[i])) return true;
  return false;
}

bool hml_lookout__near_steep(const hml_lookout *l) {
  return hml_lookout__steep_near(l, l->g + (POINTS - 1) * l->n_places);
}

void hml_lookout__passed(hml_lookout *l, const hml_step *s) {
  if (l->settled) return;
  measure(l, s);
  memcpy(l->g_start, l->g + (POINTS - 1) * l->n_places, l->n_places * sizeof *l->g);
  memcpy(l->m_start, l->m_end, l->margins * sizeof *l->m);
  grow(l->n_places, l->g_start, l->g_scale);
  grow(l->margins, l->m_start, l->m_scale);
}
