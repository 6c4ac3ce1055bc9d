// enclose.c: sets that hold the motion, step by step: a Taylor series at an exact point with a proved remainder, and the derivatives by the
// start over the whole set.
//
// The set is m + C r0 + Q r (Lohner 1987): m exact, r0 the box of the start, C an exact matrix, Q orthogonal, r a box. A step from x to
// phi(x) gives phi(m) + D (C r0 + Q r), D the derivatives over the set. C takes the part of D C without error; what is left is expressed
// in the columns of a new Q, chosen along the longest edges, so that turning boxes are not wrapped again and again.
#include "enclose_impl.h"

#ifdef HAMEL_ARB

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// MORE: bits of midpoints and remainders beyond those asked for, so that the errors of hundreds of steps are not seen in these. Measured: 12 cost no time, as
// the order grows with them
enum { TANGENT_BITS = 64, GUARD = 16, MORE = 12, TANGENT_ORDER = 14, FINE_ORDER = 32, MOST_CUTS = 40, SMALL_FALLS = 4, FAR_OFF = 100, MOST_SHORT = 1000, STEP_BITS = 8, LOST_A_STEP = 12, GOOD_TANGENT = 20, FINE_TANGENT = 56 };

// ---- life

static void open_set(set *s, slong n) {
  s->m = _arb_vec_init(n), s->r = _arb_vec_init(n), s->hull = _arb_vec_init(n);
  arb_mat_init(s->C, n, n), arb_mat_init(s->Q, n, n);
}

static void close_set(set *s, slong n) {
  _arb_vec_clear(s->m, n), _arb_vec_clear(s->r, n), _arb_vec_clear(s->hull, n);
  arb_mat_clear(s->C), arb_mat_clear(s->Q);
}

static hml_balls_layout layout(const hml_enclosure_spec *s, slong bits, unsigned order, size_t directions, const uint32_t *direction) {
  size_t mass = s->kin, rows = mass + s->n * (s->n + 1) / 2, r = rows + s->m * s->n;
  return (hml_balls_layout){.kin = s->kin, .n = s->n, .m = s->m, .held = s->held, .mass = mass, .rows = rows, .r = r, .b = r + s->n,
                            .order = order, .bits = bits, .directions = directions, .direction = direction};
}

// States that a value depends on
static size_t list_directions(const hml_program *p, size_t n, uint32_t *list) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++)
    if (hml_balls__uses(p, 1 + i)) list[count++] = (uint32_t)i;
  return count;
}

// Steps are about 2^(-bits/(order + 2)) of the radius of convergence: a low order at many bits would never end
static hml_status demand_order(hml_context *c, const hml_enclosure_spec *s) {
  unsigned least = (unsigned)fmax(2, ceil(((double)s->bits - s->slack) / LOST_A_STEP) - 2);
  if (s->order == 0 || s->order >= least) return HML_OK;
  return hml_fail(c, HML_UNSUPPORTED, "the order %u is too low for %ld bits: the steps would be tiny; give order = %u or more, or leave it out", s->order, s->bits, least);
}

static hml_status open_series(hml_enclosure *e, const hml_enclosure_spec *s) {
  HML_TRY(demand_order(e->context, s));
  unsigned order = s->order ? s->order : hml_balls__best_order(e->bits);
  // rounding grows through the recurrences of coefficients, by a factor of 4 (sleigh) to 70 (disc) a motion
  hml_balls_layout l = layout(s, e->bits + GUARD, order, 0, NULL);
  HML_TRY(hml_balls__new(e->context, s->dynamics, &l, &e->motion));
  unsigned most = s->fine ? FINE_ORDER : TANGENT_ORDER;
  l = layout(s, TANGENT_BITS, order < most ? order : most, e->n_moving, e->moving);
  HML_TRY(hml_balls__new(e->context, s->dynamics, &l, &e->tangent));
  l = layout(s, s->bits, 0, 0, NULL);
  HML_TRY(hml_balls__new(e->context, s->values, &l, &e->value));
  l = layout(s, TANGENT_BITS, 0, e->n_seen, e->seen);
  return hml_balls__new(e->context, s->values, &l, &e->gradient);
}

hml_status hml_enclosure__new(hml_context *c, const hml_enclosure_spec *s, arb_srcptr parameters, hml_enclosure **out) {
  size_t n = s->kin + s->n + s->held;
  hml_enclosure *e = flint_calloc(1, sizeof *e);
  *out = e;
  e->context = c, e->program = s->dynamics, e->n = n, e->m = s->m, e->equations = s->kin + s->n;
  e->shown_first = s->kin + s->n * (s->n + 1) / 2 + s->m * s->n + s->n + s->m;
  e->shown = hml_program_outputs(s->values) - e->shown_first;
  e->rates = s->n;
  e->results = n + s->n + s->m + e->shown;
  e->asked = s->bits, e->bits = s->bits + MORE, e->limit = s->limit, e->slack = s->slack, e->most_steps = s->most_steps, e->tangents = s->tangents, e->fine = s->fine, e->shrink = 1;
  e->n_parameters = hml_program_inputs(s->dynamics) - 1 - n;
  e->parameters = _arb_vec_init((slong)e->n_parameters), e->rough = _arb_vec_init((slong)e->n_parameters);
  for (size_t i = 0; i < e->n_parameters; i++) {
    arb_set(e->parameters + i, parameters + i);
    arb_set_round(e->rough + i, parameters + i, TANGENT_BITS);
  }
  arb_init(e->t);
  e->r0 = _arb_vec_init((slong)n);
  open_set(&e->now, (slong)n), open_set(&e->next, (slong)n);
  arb_mat_init(e->D, (slong)n, (slong)n), arb_mat_init(e->total, (slong)n, (slong)n), arb_mat_init(e->next_total, (slong)n, (slong)n);
  e->moving = flint_calloc(2 * n + 1, sizeof *e->moving), e->seen = e->moving + n;
  e->n_moving = list_directions(s->dynamics, n, e->moving), e->n_seen = list_directions(s->values, n, e->seen);
  hml_status status = open_series(e, s);
  if (status == HML_OK) return HML_OK;
  hml_enclosure__free(e);
  *out = NULL;
  return status;
}

void hml_enclosure__free(hml_enclosure *e) {
  if (!e) return;
  hml_balls__free(e->motion), hml_balls__free(e->tangent), hml_balls__free(e->value), hml_balls__free(e->gradient);
  _arb_vec_clear(e->parameters, (slong)e->n_parameters), _arb_vec_clear(e->rough, (slong)e->n_parameters);
  _arb_vec_clear(e->r0, (slong)e->n);
  close_set(&e->now, (slong)e->n), close_set(&e->next, (slong)e->n);
  arb_mat_clear(e->D), arb_mat_clear(e->total), arb_mat_clear(e->next_total);
  arb_clear(e->t);
  flint_free(e->moving);
  flint_free(e);
}

size_t hml_enclosure__states(const hml_enclosure *e) { return e->n; }
size_t hml_enclosure__results(const hml_enclosure *e) { return e->results; }
double hml_enclosure__time(const hml_enclosure *e) { return arf_get_d(arb_midref(e->t), ARF_RND_NEAR); }
size_t hml_enclosure__steps(const hml_enclosure *e) { return e->steps; }
size_t hml_enclosure__most_steps(const hml_enclosure *e) { return e->most_steps; }
void hml_enclosure__set_most_steps(hml_enclosure *e, size_t most) { e->most_steps = most; }
arb_srcptr hml_enclosure__hull(const hml_enclosure *e) { return e->now.hull; }
const arb_mat_struct *hml_enclosure__tangent(const hml_enclosure *e) { return e->total; }

double hml_enclosure__width(const hml_enclosure *e) {
  double width = 0;
  for (size_t i = 0; i < e->n; i++) width = fmax(width, mag_get_d(arb_radref(e->now.hull + i)));
  return nextafter(width, INFINITY);
}

// ---- sets

// x becomes the ball about zero that holds it
static void centre(arb_ptr x) {
  mag_t size;
  mag_init(size);
  arb_get_mag(size, x);
  arb_zero(x);
  mag_swap(arb_radref(x), size);
  mag_clear(size);
}

static void form_hull(const hml_enclosure *e, set *s) {
  slong n = (slong)e->n;
  for (slong i = 0; i < n; i++) {
    arb_dot(s->hull + i, s->m + i, 0, arb_mat_entry(s->Q, i, 0), 1, s->r, 1, n, e->bits + 20);
    if (e->boxed) arb_dot(s->hull + i, s->hull + i, 0, arb_mat_entry(s->C, i, 0), 1, e->r0, 1, n, e->bits + 20);
  }
}

void hml_enclosure__start(hml_enclosure *e, const arb_t t, arb_srcptr x) {
  arb_set(e->t, t);
  e->boxed = false, e->steps = 0, e->short_steps = e->vain_steps = 0, e->longest = 0, e->shrink = 1, e->likely = INFINITY;
  for (size_t i = 0; i < e->n; i++) {
    arb_set(e->now.m + i, x + i);
    mag_zero(arb_radref(e->now.m + i));
    arb_zero(e->r0 + i), arb_zero(e->now.r + i);
    mag_set(arb_radref(e->r0 + i), arb_radref(x + i));
    e->boxed |= !arb_is_exact(x + i);
  }
  arb_mat_one(e->now.C), arb_mat_one(e->now.Q), arb_mat_one(e->total);
  form_hull(e, &e->now);
}

typedef struct edge { size_t column; mag_struct length; } edge;

static int longer(const void *x, const void *y) {
  int order = -mag_cmp(&((const edge *)x)->length, &((const edge *)y)->length);
  return order ? order : (((const edge *)x)->column > ((const edge *)y)->column) - (((const edge *)x)->column < ((const edge *)y)->column);
}

static double length_of(size_t n, const double *v) {
  double sum = 0;
  for (size_t i = 0; i < n; i++) sum += v[i] * v[i];
  return sqrt(sum);
}

// v without its parts along the first k columns; twice, against rounding
static void project(size_t n, size_t k, const double *columns, double *v) {
  for (int again = 0; again < 2; again++)
    for (size_t j = 0; j < k; j++) {
      const double *u = columns + j * n;
      double along = 0;
      for (size_t i = 0; i < n; i++) along += u[i] * v[i];
      for (size_t i = 0; i < n; i++) v[i] -= along * u[i];
    }
}

// Not inlined: with sanitizers GCC 12 takes the matrices in a set for one pointer each
__attribute__((noinline)) static void copy_set(set *to, const set *from, size_t n) {
  for (size_t i = 0; i < n; i++) arb_set(to->m + i, from->m + i), arb_set(to->r + i, from->r + i);
  arb_mat_set(to->C, from->C);
  arb_mat_set(to->Q, from->Q);
}

// Nearly orthonormal columns, the first along the longest edge of S r. Any regular matrix would do: its inverse is enclosed
static void choose_axes(size_t n, const arb_mat_t S, arb_srcptr r, arb_mat_t Q) {
  edge *edges = flint_calloc(n, sizeof *edges);
  double *columns = flint_malloc((n * n + n) * sizeof *columns), *v = columns + n * n;
  for (size_t j = 0; j < n; j++) {
    mag_t x;
    mag_init(x), mag_init(&edges[j].length);
    edges[j].column = j;
    for (size_t i = 0; i < n; i++) {
      arb_get_mag(x, arb_mat_entry(S, i, j));
      mag_max(&edges[j].length, &edges[j].length, x);
    }
    mag_mul(&edges[j].length, &edges[j].length, arb_radref(r + j));
    mag_clear(x);
  }
  qsort(edges, n, sizeof *edges, longer);
  for (size_t k = 0; k < n; k++) {
    for (size_t i = 0; i < n; i++) v[i] = arf_get_d(arb_midref(arb_mat_entry(S, i, edges[k].column)), ARF_RND_NEAR);
    double before = length_of(n, v);
    for (size_t i = 0; i < n && before > 0; i++) v[i] /= before;
    project(n, k, columns, v);
    double size = before > 0 && isfinite(before) ? length_of(n, v) : 0;
    // a column that hardly differs from those before gives way to any other direction
    for (size_t axis = 0; axis < n && !(size > 1e-12); axis++) {
      memset(v, 0, n * sizeof *v);
      v[axis] = 1;
      project(n, k, columns, v);
      size = length_of(n, v);
      if (!(size > sqrt(0.5 / (double)n))) size = 0;
    }
    for (size_t i = 0; i < n; i++) {
      columns[k * n + i] = v[i] / size;
      arb_set_d(arb_mat_entry(Q, i, k), columns[k * n + i]);
    }
  }
  for (size_t j = 0; j < n; j++) mag_clear(&edges[j].length);
  flint_free(edges);
  flint_free(columns);
}

// ---- a step

static void sum_series(arb_t r, arb_srcptr a, slong last, const arb_t h, mag_srcptr rest, slong bits) {
  arb_zero(r);
  for (slong k = last; k >= 0; k--) {
    arb_mul(r, r, h, bits);
    arb_add(r, r, a + k, bits);
  }
  arb_add_error_mag(r, rest);
}

// The derivatives of phi_h over the present set
static void step_tangent(hml_enclosure *e, const arb_t h) {
  slong last = (slong)hml_balls__order(e->tangent) + 1;
  arb_mat_one(e->D);
  for (size_t d = 0; d < e->n_moving; d++)
    for (size_t i = 0; i < e->equations; i++)
      sum_series(arb_mat_entry(e->D, i, e->moving[d]), hml_balls__state(e->tangent, i, d + 1), last, h, hml_balls__remainder(e->tangent, i, d + 1), TANGENT_BITS);
}

hml_status hml_enclosure__advance(hml_enclosure *e, const arb_t h) {
  slong n = (slong)e->n, last = (slong)hml_balls__order(e->motion) + 1;
  set *from = &e->now, *to = &e->next;
  arb_ptr error = _arb_vec_init(n);
  arb_mat_t S, inverse, T;
  arb_mat_init(S, n, n), arb_mat_init(inverse, n, n), arb_mat_init(T, n, n);
  arb_t off;
  arb_init(off);
  step_tangent(e, h);
  for (slong i = 0; i < n; i++) {
    if (i < (slong)e->equations) sum_series(to->m + i, hml_balls__state(e->motion, (size_t)i, 0), last, h, hml_balls__remainder(e->motion, (size_t)i, 0), e->bits + 10);
    else arb_set(to->m + i, from->m + i);
    mag_set(arb_radref(error + i), arb_radref(to->m + i));
    mag_zero(arb_radref(to->m + i));
    arb_set_round(off, to->m + i, e->bits);
    mag_add(arb_radref(error + i), arb_radref(error + i), arb_radref(off));
    arf_set(arb_midref(to->m + i), arb_midref(off));
  }
  if (e->boxed) {
    arb_mat_mul(to->C, e->D, from->C, TANGENT_BITS);
    for (slong i = 0; i < n; i++)
      for (slong j = 0; j < n; j++) {
        arb_ptr c = arb_mat_entry(to->C, i, j);
        arb_zero(off);
        mag_swap(arb_radref(off), arb_radref(c));
        arb_addmul(error + i, off, e->r0 + j, TANGENT_BITS);
      }
  }
  arb_mat_mul(S, e->D, from->Q, TANGENT_BITS);
  choose_axes(e->n, S, from->r, to->Q);
  bool regular = arb_mat_inv(inverse, to->Q, TANGENT_BITS);
  arb_mat_mul(T, inverse, S, TANGENT_BITS);
  for (slong i = 0; i < n; i++) {
    arb_dot(to->r + i, NULL, 0, arb_mat_entry(T, i, 0), 1, from->r, 1, n, TANGENT_BITS);
    arb_dot(to->r + i, to->r + i, 0, arb_mat_entry(inverse, i, 0), 1, error, 1, n, TANGENT_BITS);
    centre(to->r + i);
  }
  form_hull(e, to);
  if (e->tangents) arb_mat_mul(e->next_total, e->D, e->total, TANGENT_BITS);
  arb_mat_clear(S), arb_mat_clear(inverse), arb_mat_clear(T), arb_clear(off);
  _arb_vec_clear(error, n);
  return regular ? HML_OK : hml_fail(e->context, HML_INTERNAL, "enclosure: the axes of a set are not independent");
}

static void take_next(hml_enclosure *e) {
  set other = e->now;
  e->now = e->next, e->next = other;
  if (e->tangents) arb_mat_swap(e->total, e->next_total);
}

static double log_size(arb_srcptr x) {
  mag_t size;
  mag_init(size);
  arb_get_mag(size, x);
  double log = mag_is_special(size) ? -INFINITY : mag_get_d_log2_approx(size);
  mag_clear(size);
  return log;
}

// log2 of 1 + |m_i|
static double log_scale(const hml_enclosure *e, size_t i) {
  double m = log_size(e->now.m + i);
  return m > 60 ? m : log2(1 + exp2(m));
}

// The step whose last two orders are 2^-bits (Jorba and Zou 2005)
static double estimated_step(const hml_enclosure *e) {
  double best = INFINITY;
  slong last = (slong)hml_balls__order(e->motion) + 1;
  for (slong k = last - 1; k <= last; k++) {
    double most = -INFINITY;
    for (size_t i = 0; i < e->equations; i++) most = fmax(most, log_size(hml_balls__state(e->motion, i, 0) + k) - log_scale(e, i));
    best = fmin(best, exp2((e->slack - (double)e->bits - most) / (double)k));
  }
  return best;
}

// How many bits the remainder is above what the precision allows
static double excess(const hml_enclosure *e) {
  double most = -INFINITY;
  for (size_t i = 0; i < e->equations; i++) {
    mag_srcptr rest = hml_balls__remainder(e->motion, i, 0);
    if (!mag_is_special(rest)) most = fmax(most, mag_get_d_log2_approx(rest) - log_scale(e, i));
  }
  return most + (double)e->bits - e->slack;
}

// log2 of 1 + the largest value of a tangent for |t| <= h: a place moves by the time with a velocity, and times may be 1e20
static double log_tangent(const hml_enclosure *e, size_t i, size_t d, double h) {
  slong last = (slong)hml_balls__order(e->tangent) + 1;
  double most = 0;
  for (slong k = 0; k <= last; k++) most = fmax(most, log_size(hml_balls__state(e->tangent, i, d) + k) + (double)k * log2(h));
  return most;
}

// The same of the tangents, which are wanted to few bits: they multiply the width of the set
static double tangent_excess(const hml_enclosure *e, double h) {
  double most = -INFINITY;
  for (size_t i = 0; i < e->equations; i++)
    for (size_t d = 1; d <= e->n_moving; d++) {
      mag_srcptr rest = hml_balls__remainder(e->tangent, i, d);
      if (!mag_is_special(rest)) most = fmax(most, mag_get_d_log2_approx(rest) - log_tangent(e, i, d, h));
    }
  return most + (e->fine ? FINE_TANGENT : GOOD_TANGENT) - e->slack;
}

double hml_enclosure__rounded(double h, bool up) {
  int exponent;
  double fraction = ldexp(frexp(h, &exponent), STEP_BITS);
  return ldexp(up ? ceil(fraction) : floor(fraction), exponent - STEP_BITS);
}

// What makes the set narrower: of a box, its own width counts, not the precision
static const char *remedy(const hml_enclosure *e, size_t capacity, char *text) {
  if (e->boxed) snprintf(text, capacity, "give a smaller box");
  else snprintf(text, capacity, "give more bits (%ld -> %ld)", e->asked, 2 * e->asked);
  return text;
}

// Not however short: a coefficient has no bound over the set
static hml_status no_step(hml_enclosure *e) {
  char what[120], then[60];
  double t = hml_enclosure__time(e);
  hml_balls__doubt(e->motion, sizeof what, what);
  if (!*what) hml_balls__doubt(e->tangent, sizeof what, what);
  remedy(e, sizeof then, then);
  if (*what) return hml_fail(e->context, HML_STEP_COLLAPSED, "lost at t = %.10g: no step was proved, however short: the derivatives of %s have no bound; %s", t, what, then);
  return hml_fail(e->context, HML_STEP_COLLAPSED, "lost at t = %.10g: no step was proved, however short; %s", t, then);
}

static bool proves(hml_balls *b, double h) {
  mag_t size;
  mag_init(size);
  mag_set_d(size, h);
  bool fine = hml_balls__prove(b, size);
  mag_clear(size);
  return fine;
}

hml_status hml_enclosure__located(hml_enclosure *e, hml_status status) {
  if (status != HML_SINGULAR && status != HML_SINGULAR_MASS) return status;
  hml_error kept = *hml_context_error(e->context);
  hml_context_clear_error(e->context);
  return hml_fail(e->context, status, "%s, t = %.10g", kept.message, hml_enclosure__time(e));
}

static hml_status fallen_step(const hml_enclosure *e, double h) {
  return hml_fail(e->context, HML_SINGULAR, "singular: the step fell to %.2g at t = %.10g, as it does before a pole, the end of a root, or a collision, and in a change too "
                  "sudden to be followed", h, hml_enclosure__time(e));
}

// The size of times near the present set: none at the start of a motion from t = 0
static double scale_of_times(const hml_enclosure *e) { return fabs(hml_enclosure__time(e)) + e->longest; }

// Where a form is singular, though the motion is not, steps may fall as the square of the distance and take minutes to become too small. A passage
// near a collision takes a few hundred short ones at most. How far the run goes decides only where its end is out of reach
static hml_status demand_progress(hml_enclosure *e, double most) {
  bool slow = e->h < 1e-9 * scale_of_times(e) && e->h < 1e-6 * e->longest && e->h < most, vain = e->h < 1e-13 * most;
  e->longest = fmax(e->longest, e->h);
  e->short_steps = slow ? e->short_steps + 1 : 0;
  e->vain_steps = vain ? e->vain_steps + 1 : 0;
  if (e->short_steps > MOST_SHORT) return fallen_step(e, e->h);
  if (e->vain_steps <= MOST_SHORT) return HML_OK;
  return hml_fail(e->context, HML_LIMIT, "lost at t = %.10g: the motion takes steps of %.2g there, %.2g of them up to the end; take a shorter time", hml_enclosure__time(e), e->h,
                  most / e->h);
}

// Where bounds without a value limit the step, and not its estimate, the steps before tell how long it can be
static double first_try(const hml_enclosure *e, double most) {
  double h = e->shrink * estimated_step(e);
  return hml_enclosure__rounded(fmin(fmin(h, e->likely), most), false);
}

hml_status hml_enclosure__prepare(hml_enclosure *e, double most) {
  HML_TRY(hml_enclosure__located(e, hml_balls__expand(e->motion, e->t, e->now.m, e->parameters)));
  HML_TRY(hml_enclosure__located(e, hml_balls__expand(e->tangent, e->t, e->now.hull, e->rough)));
  double h = first_try(e, most), fall = 0.8;
  bool limited = h < most && h >= hml_enclosure__rounded(e->likely, false);
  int cuts = 0, falls = 0;
  for (;;) {
    if (!(h > 1e-300)) return no_step(e);
    // such steps are lost in the rounding of times
    if (h < 1e-13 * scale_of_times(e) && h < most) return fallen_step(e, h);
    bool proved = proves(e->motion, h);
    double over = proved ? excess(e) : INFINITY;
    // two orders alone may vanish by chance
    if (over > 1 && over < FAR_OFF && cuts < MOST_CUTS) {
      h = hml_enclosure__rounded(h * exp2(-(over + 0.5) / (hml_balls__order(e->motion) + 2)), false), cuts++;
      continue;
    }
    proved = proved && over < FAR_OFF && proves(e->tangent, h);
    double lax = proved ? tangent_excess(e, h) : INFINITY;
    if (lax <= 0 || (lax < FAR_OFF && cuts >= MOST_CUTS / 2)) break;
    if (lax < FAR_OFF) {
      h = hml_enclosure__rounded(0.8 * h, false), cuts++;
      continue;
    }
    // a little less as a rule; soon much less, so that a step of any length is found from an estimate of any size
    if (++falls > SMALL_FALLS) fall = fmax(fall * fall, 1.0 / 64);
    h = hml_enclosure__rounded(fall * h, false);
  }
  e->shrink = cuts + falls > 0 ? fmax(0.3, 0.93 * e->shrink) : fmin(1, 1.03 * e->shrink);
  e->likely = falls > SMALL_FALLS || (limited && falls > 0) ? 1.25 * h : limited ? 4 * h : INFINITY;
  e->h = h;
  return demand_progress(e, most);
}

static hml_status demand_width(hml_enclosure *e) {
  for (size_t i = 0; i < e->equations; i++) {
    double size = fabs(arf_get_d(arb_midref(e->now.hull + i), ARF_RND_NEAR)), radius = mag_get_d(arb_radref(e->now.hull + i));
    if (radius <= e->limit * (1 + size)) continue;
    char what[60];
    return hml_fail(e->context, HML_LIMIT, "lost at t = %.10g: radius %.2g; %s", hml_enclosure__time(e), radius, remedy(e, sizeof what, what));
  }
  return HML_OK;
}

hml_status hml_enclosure__take(hml_enclosure *e, const arb_t t) {
  take_next(e);
  arb_set(e->t, t);
  return demand_width(e);
}

// ---- values at a point

// f(m) + f'(set) (C r0 + Q r)
static void mean_value(const hml_enclosure *e, arb_ptr r, arb_srcptr at, const hml_balls *b, arb_srcptr (*pick)(const hml_balls *, size_t, size_t), size_t k) {
  slong n = (slong)e->n;
  arb_ptr g = _arb_vec_init(n);
  arb_t part;
  arb_init(part);
  for (size_t d = 0; d < e->n_seen; d++) arb_set(g + e->seen[d], pick(b, k, d + 1));
  arb_set(r, at);
  for (slong j = 0; j < n; j++) {
    arb_dot(part, NULL, 0, g, 1, arb_mat_entry(e->now.Q, 0, j), n, n, TANGENT_BITS);
    arb_addmul(r, part, e->now.r + j, e->bits + 10);
    if (!e->boxed) continue;
    arb_dot(part, NULL, 0, g, 1, arb_mat_entry(e->now.C, 0, j), n, n, TANGENT_BITS);
    arb_addmul(r, part, e->r0 + j, e->bits + 10);
  }
  arb_clear(part);
  _arb_vec_clear(g, n);
}

static arb_srcptr output(const hml_balls *b, size_t k, size_t d) {
  bool steady;
  return hml_balls__output(b, k, d, &steady);
}

static arb_srcptr rate(const hml_balls *b, size_t i, size_t d) { return hml_balls__state(b, i, d) + 1; }

hml_status hml_enclosure__values(hml_enclosure *e, arb_ptr results) {
  for (size_t i = 0; i < e->n; i++) arb_set_round(results + i, e->now.hull + i, e->bits + 20);
  if (e->results == e->n) return HML_OK;
  HML_TRY(hml_enclosure__located(e, hml_balls__expand(e->value, e->t, e->now.m, e->parameters)));
  HML_TRY(hml_enclosure__located(e, hml_balls__expand(e->gradient, e->t, e->now.hull, e->rough)));
  size_t first = e->equations - e->rates;
  results += e->n;
  for (size_t k = 0; k < e->rates; k++) mean_value(e, results + k, rate(e->value, first + k, 0), e->gradient, rate, first + k);
  results += e->rates;
  for (size_t k = 0; k < e->m; k++) {
    mean_value(e, results + k, hml_balls__multiplier(e->value, k, 0), e->gradient, hml_balls__multiplier, k);
    arb_neg(results + k, results + k);
  }
  results += e->m;
  for (size_t k = 0; k < e->shown; k++)
    mean_value(e, results + k, output(e->value, e->shown_first + k, 0), e->gradient, output, e->shown_first + k);
  return HML_OK;
}

hml_status hml_enclosure__at(hml_enclosure *e, arb_srcptr x, arb_ptr rate, arb_ptr shown, arb_mat_struct *gradient) {
  arb_t t;
  arb_init(t);
  hml_status status = rate || shown ? hml_balls__expand(e->value, t, x, e->parameters) : HML_OK;
  if (status == HML_OK && gradient) status = hml_balls__expand(e->gradient, t, x, e->rough);
  arb_clear(t);
  HML_TRY(status);
  for (size_t i = 0; rate && i < e->n; i++) arb_set(rate + i, hml_balls__state(e->value, i, 0) + 1);
  for (size_t k = 0; shown && k < e->shown; k++) arb_set(shown + k, output(e->value, e->shown_first + k, 0));
  for (size_t k = 0; gradient && k < e->shown; k++) {
    for (size_t j = 0; j < e->n; j++) arb_zero(arb_mat_entry(gradient, k, j));
    for (size_t d = 0; d < e->n_seen; d++) arb_set(arb_mat_entry(gradient, k, e->seen[d]), output(e->gradient, e->shown_first + k, d + 1));
  }
  return HML_OK;
}

hml_status hml_enclosure__jacobian(hml_enclosure *e, arb_srcptr x, arb_mat_struct *J) {
  arb_t t;
  arb_init(t);
  hml_status status = hml_balls__expand(e->gradient, t, x, e->rough);
  arb_clear(t);
  HML_TRY(status);
  arb_mat_zero(J);
  for (size_t d = 0; d < e->n_seen; d++)
    for (size_t i = 0; i < e->equations; i++) arb_set(arb_mat_entry(J, i, e->seen[d]), hml_balls__state(e->gradient, i, d + 1) + 1);
  return HML_OK;
}

size_t hml_enclosure__shown(const hml_enclosure *e) { return e->shown; }
slong hml_enclosure__bits(const hml_enclosure *e) { return e->asked; }

// ---- the run

static hml_status values_after(hml_enclosure *e, const arb_t h, const arb_t t, arb_ptr results) {
  HML_TRY(hml_enclosure__advance(e, h));
  HML_TRY(hml_enclosure__take(e, t));
  return hml_enclosure__values(e, results);
}

static hml_status demand_steps(const hml_enclosure *e) {
  if (e->most_steps == 0 || e->steps < e->most_steps) return HML_OK;
  return hml_fail(e->context, HML_LIMIT, "more than %zu steps, at t = %.10g", e->most_steps, hml_enclosure__time(e));
}

// Upper bound of |T - t|
static double way_to(const hml_enclosure *e, arb_srcptr T, arb_t way) {
  mag_t size;
  mag_init(size);
  arb_sub(way, T, e->t, e->bits + 64);
  arb_get_mag(size, way);
  double up = mag_get_d(size);
  mag_clear(size);
  return nextafter(up, INFINITY);
}

// Not inlined, as copy_set
__attribute__((noinline)) static bool is_now(const hml_enclosure *e, arb_srcptr t) { return arb_equal(t, e->t); }

hml_status hml_enclosure__run(hml_enclosure *e, size_t n, arb_srcptr times, arb_ptr results, size_t *reached) {
  arb_t way;
  arb_init(way);
  hml_status status = demand_width(e);
  *reached = 0;
  while (status == HML_OK && *reached < n) {
    status = hml_check_interrupt(e->context);
    // at the present time, no step is needed
    if (status == HML_OK && is_now(e, times + *reached)) {
      status = hml_enclosure__values(e, results + *reached * e->results);
      if (status == HML_OK) ++*reached;
      continue;
    }
    // towards the next time; a step may go on to the last one where that is on the same way
    double rest = way_to(e, times + n - 1, way);
    int last_side = arf_sgn(arb_midref(way));
    double next = way_to(e, times + *reached, way);
    bool backward = arf_sgn(arb_midref(way)) < 0;
    if (last_side != (backward ? -1 : 1)) rest = next;
    if (status == HML_OK) status = hml_enclosure__prepare(e, hml_enclosure__rounded(fmax(rest, 1e-290), true));
    // values within the step: from this set, which is kept for the next
    for (; status == HML_OK && *reached < n; ++*reached) {
      if (!(way_to(e, times + *reached, way) <= e->h)) break;
      set kept;
      arb_t t;
      arb_mat_t total;
      bool last = *reached + 1 == n;
      open_set(&kept, (slong)e->n), arb_init(t), arb_mat_init(total, (slong)e->n, (slong)e->n);
      if (!last) {
        set other = kept;
        kept = e->now, e->now = other;
        copy_set(&e->now, &kept, e->n);
        arb_mat_set(total, e->total);
      }
      arb_set(t, e->t);
      status = values_after(e, way, times + *reached, results + *reached * e->results);
      if (!last) {
        set other = e->now;
        e->now = kept, kept = other;
        arb_mat_swap(e->total, total);
        arb_set(e->t, t);
      }
      close_set(&kept, (slong)e->n), arb_clear(t), arb_mat_clear(total);
    }
    if (status != HML_OK) break;
    e->steps++;
    if (*reached == n) break;
    arb_set_d(way, backward ? -e->h : e->h);
    status = hml_enclosure__advance(e, way);
    if (status != HML_OK) break;
    take_next(e);
    arb_add(e->t, e->t, way, ARF_PREC_EXACT);
    status = demand_width(e);
    if (status == HML_OK) status = demand_steps(e);
  }
  arb_clear(way);
  return status;
}

unsigned hml_enclosure__order(const hml_enclosure *e) { return hml_balls__order(e->motion); }

#endif
