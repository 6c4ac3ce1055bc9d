// examined.c: does a step lead through a singular place? It is run again by small steps at a tight tolerance; zeros of the witnesses and of the last
// pivot are located on the polynomials of that run, and the equations round them decide.
//
// A motion may pass a zero at a distance and is regular then. Close passages magnify errors: how far a way past a place may be trusted: fine_run.c.
//
// A zero where x' stays continuous is crossed; where the formula changes there, a series must end its step at it. Other zeros end the run.
#include "integrate/lookout_impl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

enum { HALVINGS = 60, CLOUD = 6, MOST_SCALED = 32, DEEPEST = 6 };
#define ZERO 1e-6                      // of the largest so far: as good as zero
#define SURE 1e-10                     // of the largest: a pivot whose sign is none of rounding
#define WITHIN 10                      // tolerances: a motion that far from a zero may meet it
#define BESIDE 3                       // distances at which the last pivot counts as zero: constraints that are dependent so near are so
#define FALLS 0.5                      // of its size: a value that decreases so far over states within the tolerances has a zero there
#define EDGE 1e-3                      // of a segment: where slopes at its ends are taken
#define NO_SEGMENT 1e-9                // of the step: a segment too short to show a minimum
#define CLOUD_SIZE 1e-6                // relative distance of the states that decide whether x' is continuous
#define AT_ZERO 1e-10                  // of the sizes of the state: a box that holds the zero which was found
#define CONTINUOUS 0.02                // largest change of x' over them, relative
#define STOPPED_NEAR 1e-2              // a fine run that stops with a witness this small stopped because of it,
#define LEADS 0.3                      // and one that fell from the start and leads to zero this much of the way farther on, too
#define CRAWLED 0.1                    // of the way of a fine run, by the latter half of its steps: it crawls
#define STRAYED 0.3                    // of the way of a step: so far from the fine run it was no step at all

typedef struct passage {
  hml_lookout *l;
  const hml_step *s;
  hml_fine_run run;
  size_t rank;
  double pivot, volume;                // the largest
  size_t last, size, count;            // which value is the pivot, which the volume; how many there are
  double *values, *y;                  // places, pivot and volume at four points of a segment; a state
  double bound, pivot_bound;           // relative sizes that count as zero
  double side;                         // sign of the witness whose zero is sought beside the motion
} passage;

// Witnesses, then the pivot and the volume relative to the largest; a state whose equations cannot be evaluated gives zeros.
// Volume: the product of all pivots. It moves smoothly; the last pivot by itself may rise on the way to its zero. Its sign changes where inertia
// becomes negative
static hml_status values_at(passage *p, double t, double *out) {
  hml_lookout *l = p->l;
  HML_TRY(hml_trajectory_at(p->run.way, t, p->y));
  hml_lookout__witnesses(l, t, p->y, out);
  double pivot = 0, volume = 0;
  hml_status status = p->rank ? hml_singular__pivot(l->w, t, hml_lookout__model_state(l, p->y), l->scale, &p->rank, &pivot, &volume) : HML_OK;
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
    hml_status status = hml_lookout__rate(p->l, varied(t, k, n), near, f);
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

// Masses that differ by many orders of magnitude leave small pivots, but some: is that so at p->y, where the last pivot is small for that cause?
static hml_status is_regular(passage *p, double t, hml_status cause, bool *is) {
  const bool of_rows = cause == HML_DEPENDENT_CONSTRAINTS;
  const double near = WITHIN * p->bound, reach = of_rows ? fmax(near, BESIDE * sqrt(p->pivot_bound)) : near;
  const double *rows = p->l->scale + hml_model__sizes(hml_workspace__model(p->l->w)).dyn;
  return hml_singular__is_regular(p->l->w, t, hml_lookout__model_state(p->l, p->y), reach, of_rows ? rows : NULL, is);
}

static hml_status judge(passage *p, size_t i, double t, hml_finding *out) {
  hml_lookout *l = p->l;
  hml_context *c = l->problem->context;
  bool smooth, pole = false, regular = false;
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
    hml_status status = hml_singular__tell(l->w, t, hml_lookout__model_state(l, p->y), l->scale, p->rank);
    if (status != HML_DEPENDENT_CONSTRAINTS && status != HML_SINGULAR_MASS) return status;
    out->why = *hml_context_error(c);
    HML_TRY(hml_forgiven(c));
    if (out->why.status == HML_SINGULAR_MASS && (smooth || pivot > p->bound * p->bound)) return HML_OK;
    HML_TRY(is_regular(p, t, out->why.status, &regular));
    if (regular) return HML_OK;
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
      hml_lookout__witnesses(p->l, t, near, all);
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

static bool is_noise(const passage *p, size_t i, const double *v) {
  for (size_t k = 0; k < 4; k++)
    if (!hml_lookout__is_noise(p->l, i, v[k * p->count + i])) return false;
  return true;
}

static hml_status zero_in(passage *p, size_t i, double a, double b, const double *v, bool *found, double *t) {
  const size_t stride = p->count;
  const double first = v[i], second = v[stride + i], third = v[2 * stride + i], last = v[3 * stride + i];
  double least;
  *found = false;
  if (i < p->l->n_places && (p->l->places->list[i].none || is_noise(p, i, v))) return HML_OK;
  const bool sure = i < p->size || fmin(v[p->last], v[3 * stride + p->last]) > SURE;
  if ((first * last < 0 && sure) || (last == 0 && first != 0)) {
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
  const size_t points = hml_trajectory_points(p->run.way);
  for (size_t k = 1; k < points && out->kind == HML_CLEAR; k++) {
    double a = hml_trajectory_time(p->run.way, k - 1), b = hml_trajectory_time(p->run.way, k);
    HML_TRY(values_at(p, b, p->values));
    out->steep = out->steep || hml_lookout__steep_near(p->l, p->values);
    HML_TRY(scan_segment(p, a, b, 0, out));
    if (out->kind != HML_CLEAR || k + 1 == points) continue;
    // a zero next to the joint of two segments is in neither
    double c = b + EDGE * (hml_trajectory_time(p->run.way, k + 1) - b);
    HML_TRY(scan_segment(p, b - EDGE * (b - a), c, DEEPEST, out));
  }
  return HML_OK;
}

// The zero of a value that decreases like the distance from it, from the end of the fine run at t; false if it is not ahead on the step
static hml_status lead_on(passage *p, size_t which, double t, bool *leads, double *zero) {
  double first = hml_trajectory_time(p->run.way, 0), back = 1e-2 * (t - first), now, before;
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
  double back = 1e-2 * (t - hml_trajectory_time(p->run.way, 0)), *before = p->l->y;
  HML_TRY(hml_trajectory_at(p->run.way, t - back, before));
  HML_TRY(hml_trajectory_at(p->run.way, t, p->y));
  for (size_t k = 0; k < p->l->states && back != 0; k++) p->y[k] += (zero - t) / back * (p->y[k] - before[k]);
  return HML_OK;
}

// The latter half of its steps took it less than a tenth of its way
static bool crawled(const passage *p) {
  size_t points = hml_trajectory_points(p->run.way);
  double first = hml_trajectory_time(p->run.way, 0), half = hml_trajectory_time(p->run.way, points / 2), last = hml_trajectory_time(p->run.way, points - 1);
  return p->run.outcome.status == HML_TOO_MANY_STEPS && fabs(last - half) < CRAWLED * fabs(last - first);
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

// Where the equations are regular, rounding is what the fine run could not get through
static hml_status excuse_masses(passage *p, double t, hml_finding *out) {
  hml_lookout *l = p->l;
  const hml_model *model = hml_workspace__model(l->w);
  char where[400];
  bool regular;
  HML_TRY(is_regular(p, t, out->why.status, &regular));
  if (!regular) return HML_OK;
  hml_model__describe_position(model, p->y, sizeof where, where);
  out->why.status = HML_LOST_DIGITS;
  snprintf(out->why.message, sizeof out->why.message, "model '%.100s': masses or lengths differ by so many orders of magnitude that rounding leaves the accelerations "
           "too few digits near t = %.10g, where %s", hml_model__name(model), t, where);
  return HML_OK;
}

// The fine run itself did not get through: near which zero did it stop?
static hml_status blame(passage *p, hml_finding *out) {
  hml_lookout *l = p->l;
  hml_context *c = l->problem->context;
  double t = hml_trajectory_time(p->run.way, hml_trajectory_points(p->run.way) - 1), least = p->run.outcome.status == HML_TOO_MANY_STEPS ? ZERO : STOPPED_NEAR;
  size_t which = SIZE_MAX;
  bool got_stuck = p->run.outcome.status == HML_PROJECTION || p->run.outcome.status == HML_CONTRADICTION || p->run.outcome.status == HML_STEP_COLLAPSED;
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
  hml_singular__tell(l->w, t, hml_lookout__model_state(l, p->y), l->scale, p->rank);
  out->why = *hml_context_error(c);
  HML_TRY(hml_forgiven(c));
  return excuse_masses(p, t, out);
}

static hml_status scale_at(passage *p, double t, const double *y, double *scale) {
  return hml_singular__scale(p->l->w, t, hml_lookout__model_state(p->l, y), scale);
}

static hml_status pivot_at(passage *p, double t, const double *y, double *pivot, double *volume) {
  return hml_singular__pivot(p->l->w, t, hml_lookout__model_state(p->l, y), p->l->scale, &p->rank, pivot, volume);
}

// A value that vanishes at the start is small only relative to its values elsewhere: factors and the pivot are those of the whole passage.
// States whose equations cannot be evaluated are passed over
static hml_status take_scale(passage *p) {
  hml_lookout *l = p->l;
  const size_t points = hml_trajectory_points(p->run.way), stride = 1 + points / MOST_SCALED;
  double *now = l->scale_now, pivot, volume;
  hml_status status = scale_at(p, p->s->t, p->s->y, l->scale);
  for (size_t k = stride; status == HML_OK && k < points; k += stride) {
    double t = hml_trajectory_time(p->run.way, k);
    HML_TRY(hml_trajectory_at(p->run.way, t, p->y));
    hml_status here = scale_at(p, t, p->y, now);
    if (here != HML_OK && !hml_problem__recoverable(here)) return here;
    for (size_t i = 0; here == HML_OK && i < l->matrix; i++) l->scale[i] = fmin(l->scale[i], now[i]);
  }
  p->rank = SIZE_MAX;
  if (status == HML_OK) status = pivot_at(p, p->s->t, p->s->y, &p->pivot, &p->volume);
  p->volume = fabs(p->volume);
  if (status != HML_OK) p->rank = 0;
  for (size_t k = stride; p->rank && k < points; k += stride) {
    double t = hml_trajectory_time(p->run.way, k);
    HML_TRY(hml_trajectory_at(p->run.way, t, p->y));
    hml_status here = pivot_at(p, t, p->y, &pivot, &volume);
    if (here != HML_OK && !hml_problem__recoverable(here)) return here;
    if (here == HML_OK && isfinite(pivot)) p->pivot = fmax(p->pivot, pivot), p->volume = fmax(p->volume, fabs(volume));
  }
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  return hml_forgiven(l->problem->context);
}

static hml_status compare_ends(passage *p, bool *strayed) {
  const hml_problem *problem = p->l->problem;
  double *y = p->l->y, *difference = y + problem->stride;
  if (p->run.outcome.status != HML_OK || !p->s->y1) return HML_OK;
  HML_TRY(hml_trajectory_at(p->run.way, p->s->t1, y));
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
  HML_TRY(hml_lookout__fine(l, p->s, HML_FINE_BARE, "auto", HML_FINE, HML_FINE_STEPS, &p->run));
  HML_TRY(compare_ends(p, &out->strayed));
  HML_TRY(take_scale(p));
  HML_TRY(scan(p, out));
  return out->kind == HML_CLEAR && p->run.outcome.status != HML_OK ? blame(p, out) : HML_OK;
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
  if (status == HML_OK && out->kind == HML_BARRIER) out->fine = p.run.way;
  else hml_trajectory_free(p.run.way);
  return status;
}
