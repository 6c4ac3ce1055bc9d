// routh.c: an impact with friction followed along its normal impulse: u' = G (1, z), ' by the normal impulse p, z = -grad h(y) in slip.
//
// The method is that of Routh (1860) and Keller (1986). Laws of friction are convex sets K with support function h; y the slips of one
// friction. Three things make it exact.
//   Straight stretches. Where no slip turns, all rates are constant and the stretch is closed, to the next of: end of the phase, rest.
//   Turning slips. With dp = dsigma / sum_b F_b/|y_b|, F_b the scale of growth of y_b, the equations are smooth up to rest, which they
//     reach after infinite sigma; they do not depend on units. Steps of gragg.c keep |y_b| to relative accuracy. A step that crosses the
//     end of a phase is made anew, shorter. One friction in two directions whose set is an ellipse has a power series instead. When what remains of the way changes the impulses by rounding only, it is closed as above.
//   Rest. A friction at rest sticks if the reaction that keeps y = 0 lies in its set of stick, else it slips along a limit direction (directions.c):
//     y = r d with d parallel to G (1, z(d)) and growing.
// With one set for stick and slip, and no shared cone, the continuation from rest is unique: -z is monotone in y, so that two solutions
// approach each other in the metric of the inverse of G. After rest the normal velocity grows: (1, z).G.(1, z) > 0 and z.y' <= 0. Hence
// with a positive definite G a blow never jams.
#include "routh.h"

#include "directions.h"
#include "gragg.h"

#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

enum { MOST_STRETCHES = 30000, MOST_SWEEPS = 400, COMPONENTS = 3, TERMS = 24 };

static const double STRAIGHT = 32 * DBL_EPSILON;      // turning rate / scale: rounding of the rates
static const double LAST_MILE = 1e-14;                // change of impulses that a turn on a closed stretch may make, relative
static const double STEP_TOLERANCE = 1e-12;
static const double SERIES_TOLERANCE = 1e-15;         // of its last terms
static const double LEAST_GROWTH = 1e-13;             // of a slip that begins, relative to its scale

typedef enum motion { IDLE, SLIDES, STICKS, LEAVES } motion;   // idle: no room for friction

typedef struct rub {
  const hml_blow_friction *friction;
  motion motion;
  size_t n, row[COMPONENTS];           // components that have room
  size_t place[COMPONENTS];            // of these in y
  double width[COMPONENTS];            // extent of the set along them: weights of the components of y
  double scale, pace;                  // weighted norm of the largest growth of y; its inverse
  double direction[COMPONENTS];        // of a slip that leaves rest, by component
} rub;

typedef struct cone {                  // one lambda of a shared cone, sticking rows eliminated
  size_t rub;
  double b[HML_BLOW_ROWS];
} cone;

// Of w = D y, its size, u_n and the work, by powers of sigma. D: widths, so that z = -D w/|w| and all rates are linear in w and |w|
typedef struct series {
  double w[2][TERMS + 1], size[TERMS + 1], normal[TERMS + 1], work[TERMS + 1];
} series;

typedef struct course {                // of one blow
  const hml_blow *blow;
  size_t n, n_rubs, n_cones;
  size_t n_stuck, stuck[HML_BLOW_ROWS];
  double x[2 * HML_BLOW_ROWS + 1];     // u, P, work of the normal impulse
  double z[HML_BLOW_ROWS], f[HML_BLOW_ROWS];   // rates of P and u at x
  double speed, impulse;               // scales: normal speed before, impulse that stops it at least
  double bound[HML_BLOW_ROWS];         // largest growth of each row
  double step;                         // in sigma
  bool restitution, unsettled;
  bool by_series;                      // one friction, in two directions, its set an ellipse
  double target;                       // of u (newton), p (poisson) or work (stronge) at the end of restitution
  double begun, begun_work;            // p and work at the begin of the phase
  double in, in_work, out, out_work;   // totals of the finished phases of compression and restitution
  size_t slopes, stretches;
  // filled where they are used, which is seldom all of them
  rub rub[HML_BLOW_FRICTIONS];
  cone cone[HML_BLOW_CONES];
  double hold[HML_BLOW_ROWS][HML_BLOW_ROWS];   // z of stuck row = hold.(1, z of the others)
  series series;                       // about x
} course;

static double sum_of(size_t n, const double *a, const double *b) {
  double sum = 0;
  if (n == 3) return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];            // one friction in two directions
  for (size_t i = 0; i < n; i++) sum += a[i] * b[i];
  return sum;
}

static double impulse_of(const course *q) { return q->x[q->n]; }
static double work_of(const course *q) { return q->x[2 * q->n]; }
static double impulse_scale(const course *q) { return fmax(q->x[q->n], q->impulse); }

// Weighted norm of the components of a friction in a vector over the rows
static double size_of(const rub *r, const double *rows) {
  double sum = 0;
  for (size_t i = 0; i < r->n; i++) sum += r->width[i] * rows[r->row[i]] * (r->width[i] * rows[r->row[i]]);
  return sqrt(sum);
}

// y.y' in the weights
static double along(const rub *r, const double *a, const double *b) {
  double sum = 0;
  for (size_t i = 0; i < r->n; i++) sum += r->width[i] * a[r->row[i]] * (r->width[i] * b[r->row[i]]);
  return sum;
}

// ---- rates

// z = -grad h(y) of one friction
static void slide(const rub *r, const double *component, double *z) {
  if (r->n == r->friction->count) {
    double *own = z + r->friction->first;
    hml_friction__gradient(r->friction->sliding, component, own);
    for (size_t i = 0; i < r->n; i++) own[i] = -own[i];
    return;
  }
  double y[COMPONENTS] = {0, 0, 0}, gradient[COMPONENTS] = {0, 0, 0};
  for (size_t i = 0; i < r->n; i++) y[r->place[i]] = component[i];
  hml_friction__gradient(r->friction->sliding, y, gradient);
  for (size_t i = 0; i < r->n; i++) z[r->row[i]] = -gradient[r->place[i]];
}

// The largest share s of z = -s mu d that its cone leaves: |z|^2 + sum (a_c + b_c.z)^2 = mu^2, a quadratic in s; 0 where it leaves none.
// Two positive roots: the larger one, which continues the slip that had room before.
static double share(const course *q, size_t which, const double *z) {
  const rub *r = q->rub + which;
  double full = 0, square = 0, mixed = 0, rest = 0;
  for (size_t i = 0; i < r->n; i++) full += z[r->row[i]] * z[r->row[i]];
  square = full;
  rest = -full;
  for (size_t c = 0; c < q->n_cones; c++) {
    const double *b = q->cone[c].b;
    if (q->cone[c].rub != which) continue;
    double own = 0;
    for (size_t i = 0; i < r->n; i++) own += b[r->row[i]] * z[r->row[i]];
    double others = sum_of(q->n, b, z) - own;
    square += own * own;
    mixed += own * others;
    rest += others * others;
  }
  double room = mixed * mixed - square * rest;
  if (!(square > 0) || !(room >= 0)) return 0;
  double root = sqrt(room);
  // the form without cancellation
  double s = mixed <= 0 ? (root - mixed) / square : -rest / (root + mixed);
  return s > 0 ? s : 0;
}

// Shared cones: each friction's share of the full size, given those of the others
static void share_cones(const course *q, double *z) {
  double full[HML_BLOW_ROWS];
  memcpy(full, z, q->n * sizeof *full);
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double change = 0;
    for (size_t b = 0; b < q->n_rubs; b++) {
      const rub *r = q->rub + b;
      if (r->friction->n_cone == 0 || (r->motion != SLIDES && r->motion != LEAVES)) continue;
      double before = z[r->row[0]], other = r->n > 1 ? z[r->row[1]] : 0;
      for (size_t i = 0; i < r->n; i++) z[r->row[i]] = full[r->row[i]];
      double s = share(q, b, z);
      for (size_t i = 0; i < r->n; i++) z[r->row[i]] *= s;
      change = fmax(change, fmax(fabs(z[r->row[0]] - before) / r->width[0], r->n > 1 ? fabs(z[r->row[1]] - other) / r->width[1] : 0));
    }
    if (change <= 2 * DBL_EPSILON || q->n_rubs == 1) return;
  }
}

// Rates of P but for the rows that stick
static void slide_all(const course *q, const double *u, double *z) {
  z[0] = 1;
  for (size_t i = 1; i < q->n; i++) z[i] = 0;
  for (size_t b = 0; b < q->n_rubs; b++) {
    const rub *r = q->rub + b;
    if (r->motion != SLIDES && r->motion != LEAVES) continue;
    double y[COMPONENTS];
    for (size_t i = 0; i < r->n; i++) y[i] = r->motion == LEAVES ? r->direction[i] : u[r->row[i]];
    slide(r, y, z);
  }
  if (q->n_cones) share_cones(q, z);
}

// The rest of the rates of P, and those of u
static void respond(const course *q, double *z, double *f) {
  const size_t n = q->n;
  const double *g = q->blow->g;
  double held[HML_BLOW_ROWS];
  for (size_t k = 0; k < q->n_stuck; k++) held[k] = sum_of(n, q->hold[k], z);
  for (size_t k = 0; k < q->n_stuck; k++) z[q->stuck[k]] = held[k];
  for (size_t i = 0; i < n; i++) f[i] = sum_of(n, g + i * n, z);
  for (size_t k = 0; k < q->n_stuck; k++) f[q->stuck[k]] = 0;
}

// Rates of P and u by the normal impulse at the velocities u
static void rates(const course *q, const double *u, double *z, double *f) {
  slide_all(q, u, z);
  respond(q, z, f);
}

// dp/dsigma
static double pace(const course *q, const double *u) {
  double sum = 0;
  if (q->n_rubs == 1) return size_of(q->rub, u) * q->rub[0].pace;
  for (size_t b = 0; b < q->n_rubs; b++)
    if (q->rub[b].motion == SLIDES) sum += q->rub[b].scale / size_of(q->rub + b, u);
  return 1 / sum;
}

static void slope_of(const course *q, const double *x, const double *z, const double *f, double *slope) {
  const size_t n = q->n;
  double p = pace(q, x);
  for (size_t i = 0; i < n; i++) slope[i] = p * f[i], slope[n + i] = p * z[i];
  slope[2 * n] = p * x[0];
}

static void slope_at(const void *payload, const double *x, double *slope) {
  const course *q = payload;
  double z[HML_BLOW_ROWS], f[HML_BLOW_ROWS];
  rates(q, x, z, f);
  slope_of(q, x, z, f, slope);
}

// ---- rest

// z of the sticking rows by those of the others: G_ss z_s = -G_so z_o, by elimination; rows that depend on earlier ones keep z = 0
static void hold_rows(course *q) {
  const size_t n = q->n;
  const double *g = q->blow->g;
  double a[HML_BLOW_ROWS][HML_BLOW_ROWS];
  q->n_stuck = 0;
  for (size_t b = 0; b < q->n_rubs; b++)
    for (size_t i = 0; i < q->rub[b].n && q->rub[b].motion == STICKS; i++) q->stuck[q->n_stuck++] = q->rub[b].row[i];
  const size_t m = q->n_stuck;
  for (size_t k = 0; k < m; k++) {
    for (size_t j = 0; j < n; j++) q->hold[k][j] = -g[q->stuck[k] * n + j];
    for (size_t l = 0; l < m; l++) a[k][l] = g[q->stuck[k] * n + q->stuck[l]], q->hold[k][q->stuck[l]] = 0;
  }
  for (size_t k = 0; k < m; k++) {
    bool sound = a[k][k] > 1e-12 * g[q->stuck[k] * n + q->stuck[k]];
    for (size_t j = 0; j < n; j++) q->hold[k][j] = sound ? q->hold[k][j] / a[k][k] : 0;
    for (size_t l = k + 1; l < m; l++) a[k][l] = sound ? a[k][l] / a[k][k] : 0;
    for (size_t i = 0; i < m; i++) {
      if (i == k) continue;
      for (size_t j = 0; j < n; j++) q->hold[i][j] -= a[i][k] * q->hold[k][j];
      for (size_t l = k + 1; l < m; l++) a[i][l] -= a[i][k] * a[k][l];
    }
  }
  // part of a shared cone used by the rows that slide
  size_t c = 0;
  for (size_t b = 0; b < q->n_rubs; b++)
    for (size_t k = 0; k < q->rub[b].friction->n_cone; k++, c++) {
      cone *o = q->cone + c;
      o->rub = b;
      for (size_t j = 0; j < n; j++) o->b[j] = q->rub[b].friction->cone[k * n + j];
      for (size_t l = 0; l < m; l++) {
        double weight = q->rub[b].friction->cone[k * n + q->stuck[l]];
        for (size_t j = 0; j < n; j++) o->b[j] += weight * q->hold[l][j];
        o->b[q->stuck[l]] = 0;
      }
    }
}

// Gauge of the set of stick at the reaction that keeps a friction at rest
static double gauge_at(const course *q, const rub *r, const double *z) {
  const hml_blow_friction *o = r->friction;
  double y[COMPONENTS] = {0, 0, 0}, square = 0;
  for (size_t i = 0; i < r->n; i++) y[r->place[i]] = z[r->row[i]], square += z[r->row[i]] * z[r->row[i]];
  if (o->n_cone == 0) return hml_friction__gauge(o->resting, y);
  for (size_t c = 0; c < o->n_cone; c++) {
    double lambda = sum_of(q->n, o->cone + c * q->n, z);
    square += lambda * lambda;
  }
  double unit[COMPONENTS] = {1, 0, 0};
  return sqrt(square) * hml_friction__gauge(o->resting, unit);
}

// The room that its cone leaves to a slip with the reaction -w per unit of the full one
typedef struct leaver {
  const course *q;
  size_t which;
  const double *z;                     // with the reactions of the others
} leaver;

static double room_along(const void *payload, const double *w) {
  const leaver *l = payload;
  const rub *r = l->q->rub + l->which;
  double z[HML_BLOW_ROWS];
  memcpy(z, l->z, l->q->n * sizeof *z);
  for (size_t i = 0; i < r->n; i++) z[r->row[i]] = -w[i];
  return share(l->q, l->which, z);
}

// The law of the components that have room: one at least, and all of them but for an ellipse without width
static hml_friction_law law_of(const rub *r) {
  if (r->n == r->friction->count) return *r->friction->sliding;
  return (hml_friction_law){HML_FRICTION_coulomb, 1, {r->width[0]}, 0};
}

// The limit direction nearest to the growth without friction; false: no slip grows
static bool leave(const course *q, size_t which, rub *r) {
  const hml_friction_law law = law_of(r);
  hml_onset o = {.law = &law, .a = 1};
  hml_limit_direction found[HML_MOST_DIRECTIONS];
  double z[HML_BLOW_ROWS], unit[HML_BLOW_ROWS], f[HML_BLOW_ROWS];
  slide_all(q, q->x, z);
  for (size_t i = 0; i < r->n; i++) z[r->row[i]] = 0;
  memcpy(unit, z, q->n * sizeof *unit);
  respond(q, unit, f);
  for (size_t i = 0; i < r->n; i++) o.c[i] = f[r->row[i]];
  for (size_t j = 0; j < r->n; j++) {
    memcpy(unit, z, q->n * sizeof *unit);
    unit[r->row[j]] = 1;
    respond(q, unit, f);
    for (size_t i = 0; i < r->n; i++) o.g[i * r->n + j] = f[r->row[i]] - o.c[i];
  }
  leaver l = {q, which, z};
  if (r->friction->n_cone) o.left = room_along, o.payload = &l;
  size_t n = hml_friction__directions(&o, found);
  for (size_t k = 0; k < n; k++) {
    double size = 0;
    for (size_t i = 0; i < r->n; i++) size += r->width[i] * found[k].slip[i] * (r->width[i] * found[k].slip[i]);
    if (!(found[k].rate * sqrt(size) > LEAST_GROWTH * r->scale)) continue;
    for (size_t i = 0; i < r->n; i++) r->direction[i] = found[k].slip[i] / sqrt(size);
    return true;
  }
  return false;
}

// Directions of all frictions that leave rest together, in turn until none moves, from those of their growth without friction
static bool leave_together(course *q) {
  double z[HML_BLOW_ROWS], f[HML_BLOW_ROWS];
  size_t leaving = 0;
  for (size_t b = 0; b < q->n_rubs; b++) {
    if (q->rub[b].motion != LEAVES) continue;
    leaving++;
    for (size_t i = 0; i < q->rub[b].n; i++) q->rub[b].direction[i] = 0;   // z = 0
  }
  if (leaving == 0) return true;
  const bool alone = leaving == 1 && (q->n_cones == 0 || q->n_rubs == 1);
  rates(q, q->x, z, f);
  for (size_t b = 0; b < q->n_rubs; b++)
    for (size_t i = 0; i < q->rub[b].n && q->rub[b].motion == LEAVES; i++) q->rub[b].direction[i] = f[q->rub[b].row[i]];
  for (int sweep = 0; sweep < MOST_SWEEPS; sweep++) {
    double change = 0;
    bool all = true;
    for (size_t b = 0; b < q->n_rubs; b++) {
      rub *r = q->rub + b;
      double before[COMPONENTS];
      if (r->motion != LEAVES) continue;
      memcpy(before, r->direction, sizeof before);
      if (!leave(q, b, r)) {
        // perhaps when the others have settled
        memcpy(r->direction, before, sizeof before);
        all = false;
      }
      for (size_t i = 0; i < r->n; i++) change = fmax(change, fabs(r->direction[i] - before[i]) * r->width[i]);
    }
    if ((alone || change <= (sweep < MOST_SWEEPS / 4 ? 1e-14 : 1e-12)) && (all || sweep > 0)) return all;
  }
  return false;
}

static bool consistent(course *q, double tolerance) {
  double z[HML_BLOW_ROWS], f[HML_BLOW_ROWS];
  hold_rows(q);
  if (!leave_together(q)) return false;
  rates(q, q->x, z, f);
  for (size_t b = 0; b < q->n_rubs; b++)
    if (q->rub[b].motion == STICKS && gauge_at(q, q->rub + b, z) > 1 + tolerance) return false;
  return true;
}

static size_t ones(size_t bits) {
  size_t count = 0;
  for (; bits; bits &= bits - 1) count++;
  return count;
}

// Frictions at rest stick or leave: the consistent combination that sticks most
static bool settle(course *q) {
  size_t resting[HML_BLOW_FRICTIONS], n = 0;
  for (size_t b = 0; b < q->n_rubs; b++)
    if (q->rub[b].motion != IDLE && size_of(q->rub + b, q->x) == 0) resting[n++] = b;
  q->unsettled = false;
  for (double tolerance = 1e-13; tolerance < 1e-8; tolerance *= 1e3)
    for (size_t stuck = n + 1; stuck-- > 0;)
      for (size_t mask = 0; mask < (size_t)1 << n; mask++) {
        if (ones(mask) != stuck) continue;
        for (size_t k = 0; k < n; k++) q->rub[resting[k]].motion = mask >> k & 1 ? STICKS : LEAVES;
        if (consistent(q, tolerance)) return true;
      }
  return false;
}

// ---- phases

// What is left of the phase: its function falls through zero at the end
static double remaining(const course *q, const double *x) {
  if (!q->restitution) return -x[0];
  switch (q->blow->law) {
    case HML_POISSON: return q->target - (x[q->n] - q->begun);
    case HML_STRONGE: return q->target - (x[2 * q->n] - q->begun_work);
    case HML_NEWTON:
    case HML_MOREAU:
    case HML_USER_LAW: break;
  }
  return q->target - x[0];
}

// Its rate by the normal impulse
static double remaining_rate(const course *q, const double *x, const double *f) {
  if (!q->restitution) return -f[0];
  switch (q->blow->law) {
    case HML_POISSON: return -1;
    case HML_STRONGE: return -x[0];
    case HML_NEWTON:
    case HML_MOREAU:
    case HML_USER_LAW: break;
  }
  return -f[0];
}

// Normal impulse to the end of the phase at constant rates; infinite: never
static double phase_end(const course *q) {
  double left = remaining(q, q->x), f = q->f[0], u = q->x[0];
  if (q->restitution && q->blow->law == HML_POISSON) return left;
  if (q->restitution && q->blow->law == HML_STRONGE) {
    double square = u * u + 2 * f * left;
    if (left == 0) return 0;
    return square >= 0 && u + sqrt(square) > 0 ? 2 * left / (u + sqrt(square)) : INFINITY;
  }
  return f > 0 ? left / f : INFINITY;
}

// Restitution that turns back into compression before its end
static double phase_back(const course *q) {
  return q->restitution && q->f[0] < 0 && q->x[0] > 0 ? -q->x[0] / q->f[0] : INFINITY;
}

static void begin_restitution(course *q) {
  const double e = q->blow->restitution;
  q->restitution = true;
  q->x[0] = 0;
  q->in += impulse_of(q) - q->begun;
  q->in_work += work_of(q) - q->begun_work;
  q->begun = impulse_of(q);
  q->begun_work = work_of(q);
  q->target = q->blow->law == HML_POISSON   ? e * q->in - q->out
              : q->blow->law == HML_STRONGE ? -e * e * q->in_work - q->out_work
                                            : e * q->speed;
}

static void end_restitution(course *q) {
  q->out += impulse_of(q) - q->begun;
  q->out_work += work_of(q) - q->begun_work;
  q->begun = impulse_of(q);
  q->begun_work = work_of(q);
}

static void back_to_compression(course *q) {
  end_restitution(q);
  q->restitution = false;
  q->x[0] = 0;
}

// ---- stretches

// All rates constant over dp
static void move(course *q, double dp) {
  const size_t n = q->n;
  q->x[2 * n] += (q->x[0] + 0.5 * q->f[0] * dp) * dp;
  for (size_t i = 0; i < n; i++) q->x[i] += q->f[i] * dp, q->x[n + i] += q->z[i] * dp;
  for (size_t b = 0; b < q->n_rubs; b++)
    if (q->rub[b].motion == LEAVES && size_of(q->rub + b, q->x) > 0) q->rub[b].motion = SLIDES;
}

// Rate at which a slip turns away from its direction, as a velocity in the weights; 0 where it is rounding
static double turning(const course *q, const rub *r) {
  double size = size_of(r, q->x), forward = along(r, q->x, q->f) / size, sum = 0;
  for (size_t i = 0; i < r->n; i++) {
    double side = r->width[i] * (q->f[r->row[i]] - q->x[r->row[i]] * forward / size);
    sum += side * side;
  }
  double turn = sqrt(sum);
  return turn > STRAIGHT * r->scale ? turn : 0;
}

// Slips that begin at a rate that starts from zero, beside one that turns, creep: they follow their limit direction while it changes.
// Heun's step over dp; the way they lag behind it is of the order of dp^3.
static void creep(course *q, double dp) {
  const size_t n = q->n;
  double x[2 * HML_BLOW_ROWS + 1], z[HML_BLOW_ROWS], f[HML_BLOW_ROWS];
  memcpy(x, q->x, sizeof x);
  for (size_t i = 0; i < n; i++) q->x[i] += q->f[i] * dp;
  if (leave_together(q)) rates(q, q->x, z, f);
  else memcpy(z, q->z, sizeof z), memcpy(f, q->f, sizeof f);
  memcpy(q->x, x, sizeof x);
  for (size_t i = 0; i < n; i++) q->z[i] = 0.5 * (q->z[i] + z[i]), q->f[i] = 0.5 * (q->f[i] + f[i]);
  move(q, dp);
}

// What lies ahead at constant rates
typedef struct outlook {
  double stop, end, back;              // impulse to the rest of a slip, to the end of the phase, back to compression
  size_t rests;                        // which friction
  double turn;                         // largest rate of an angle by the impulse
  bool leaving, slowly;                // a slip begins; at a small rate
} outlook;

static outlook look(const course *q) {
  outlook o = {.stop = INFINITY, .end = phase_end(q), .back = phase_back(q)};
  for (size_t b = 0; b < q->n_rubs; b++) {
    const rub *r = q->rub + b;
    o.leaving |= r->motion == LEAVES;
    o.slowly |= r->motion == LEAVES && size_of(r, q->f) < 1e-2 * r->scale;
    if (r->motion != SLIDES) continue;
    double size = size_of(r, q->x), slowing = -along(r, q->x, q->f) / size;
    if (slowing > 0 && size / slowing < o.stop) o.stop = size / slowing, o.rests = b;
    o.turn = fmax(o.turn, turning(q, r) / size);
  }
  return o;
}

// One slip has come to rest, and with it those whose slip is rounding
static void rest(course *q, size_t which) {
  for (size_t b = 0; b < q->n_rubs; b++) {
    rub *r = q->rub + b;
    if (r->motion != SLIDES) continue;
    if (b != which && size_of(r, q->x) > 64 * DBL_EPSILON * r->scale * impulse_of(q)) continue;
    for (size_t i = 0; i < r->n; i++) q->x[r->row[i]] = 0;
    q->unsettled = true;
  }
}

// A closed stretch to the next event. True: the blow is over
static bool stretch(course *q, const outlook *o) {
  if (o->stop < o->end && o->stop <= o->back) {
    move(q, o->stop);
    rest(q, o->rests);
    return false;
  }
  if (o->back < o->end) {
    move(q, o->back);
    back_to_compression(q);
    return false;
  }
  move(q, o->end);
  if (o->stop == o->end) rest(q, o->rests);
  if (!q->restitution) {
    begin_restitution(q);
    return q->blow->restitution == 0;
  }
  if (q->blow->law == HML_NEWTON) q->x[0] = q->target;
  end_restitution(q);
  return true;
}

// ---- steps of slips that turn

typedef struct trial {                 // a step of length h
  double h, x[2 * HML_BLOW_ROWS + 1], z[HML_BLOW_ROWS], f[HML_BLOW_ROWS], pace;
  double error;                        // relative to the tolerance
} trial;

// A row of u is measured by the slip it belongs to, u_n and the impulses by their scales
static double error_of(const course *q, const double *x1, const double *error) {
  const size_t n = q->n;
  double p = fmax(x1[n], q->impulse), worst = fmax(error[0] / (q->bound[0] * p), error[n] / p);
  worst = fmax(worst, error[2 * n] / (q->bound[0] * p * p));
  for (size_t b = 0; b < q->n_rubs; b++) {
    const rub *r = q->rub + b;
    if (r->motion != SLIDES) continue;
    // two courses of one friction approach each other (above): what a slip is off by changes the impulses that follow by as much at most
    double size = q->by_series ? r->scale * p : fmax(size_of(r, x1), size_of(r, q->x));
    worst = fmax(worst, size_of(r, error) / size);
    for (size_t i = 0; i < r->n; i++) worst = fmax(worst, error[n + r->row[i]] / (r->width[i] * p));
  }
  return worst;
}

// From the terms of power m in |w|^2 = w.w, equal ones taken together
static double next_size(const series *s, size_t m) {
  double sum = s->w[0][0] * s->w[0][m] + s->w[1][0] * s->w[1][m];
  for (size_t l = 1; 2 * l < m; l++) sum += s->w[0][l] * s->w[0][m - l] + s->w[1][l] * s->w[1][m - l] - s->size[l] * s->size[m - l];
  if (m % 2 == 0) sum += 0.5 * (s->w[0][m / 2] * s->w[0][m / 2] + s->w[1][m / 2] * s->w[1][m / 2] - s->size[m / 2] * s->size[m / 2]);
  return sum / s->size[0];
}

// The power series about x: with k = dp/dsigma / |w|, y' = k (|w| g_n - G_t D w), |w|^2 = w.w
static void expand(course *q) {
  const rub *r = q->rub;
  const double *g = q->blow->g, k = r->pace, *d = r->width;
  series *s = &q->series;
  for (size_t i = 0; i < 2; i++) s->w[i][0] = d[i] * q->x[r->row[i]];
  s->size[0] = size_of(r, q->x);
  s->normal[0] = q->x[0];
  s->work[0] = work_of(q);
  for (size_t m = 0; m < TERMS; m++) {
    const double part = k / (double)(m + 1), a = d[0] * s->w[0][m], b = d[1] * s->w[1][m];
    double work = 0;
    for (size_t l = 0; l <= m; l++) work += s->size[l] * s->normal[m - l];
    s->normal[m + 1] = part * (g[0] * s->size[m] - g[1] * a - g[2] * b);
    s->work[m + 1] = part * work;
    for (size_t i = 0; i < 2; i++) s->w[i][m + 1] = part * d[i] * (g[3 * i + 3] * s->size[m] - g[3 * i + 4] * a - g[3 * i + 5] * b);
    s->size[m + 1] = next_size(s, m + 1);
  }
}

// Value of a series at h, what its last two terms amount to there, and its integral from 0
static double sum_to(const double *c, double h, double power, double *last, double *integral) {
  double sum = c[TERMS], area = c[TERMS] / (TERMS + 1);
  for (size_t m = TERMS; m-- > 0;) {
    sum = sum * h + c[m];
    area = area * h + c[m] / (double)(m + 1);
  }
  *last = power * (fabs(c[TERMS] * h) + fabs(c[TERMS - 1]));
  *integral = area * h;
  return sum;
}

// x and its errors a step h on
static void follow_series(const course *q, double h, double *x, double *error) {
  const rub *r = q->rub;
  const series *s = &q->series;
  double power = pow(h, TERMS - 1), area, last;
  x[0] = sum_to(s->normal, h, power, error, &area);
  x[6] = sum_to(s->work, h, power, error + 6, &area);
  sum_to(s->size, h, power, &last, &area);
  x[3] = q->x[3] + r->pace * area;
  error[3] = r->pace * h * last;
  for (size_t i = 0; i < 2; i++) {
    double w = sum_to(s->w[i], h, power, &last, &area), d = r->width[i];
    x[1 + i] = w / d;
    error[1 + i] = last / d;
    x[4 + i] = q->x[4 + i] - r->pace * d * area;
    error[4 + i] = r->pace * d * h * last;
  }
}

static void attempt(course *q, double h, const double *slope0, trial *t) {
  double error[2 * HML_BLOW_ROWS + 1];
  t->h = h;
  if (q->by_series) follow_series(q, h, t->x, error);
  else hml_gragg__step(2 * q->n + 1, slope_at, q, q->x, slope0, h, t->x, error);
  for (size_t k = 0; k < q->n_stuck; k++) t->x[q->stuck[k]] = 0;
  t->error = error_of(q, t->x, error) / (q->by_series ? SERIES_TOLERANCE : STEP_TOLERANCE);
  if (!isfinite(t->error)) t->error = INFINITY;
  rates(q, t->x, t->z, t->f);
  t->pace = pace(q, t->x);
  q->slopes += q->by_series ? 1 : HML_GRAGG_SLOPES + 1;
}

// Hermite's cubic of a function with values a, b and slopes da, db by h, at s in [0, 1]
static double cubic(double a, double da, double b, double db, double s) {
  double c = b - a;
  return a + s * (da + s * ((3 * c - 2 * da - db) + s * (da + db - 2 * c)));
}

typedef double measure(const course *q, const double *x);
typedef double measure_rate(const course *q, const double *x, const double *f);

static double normal_speed(const course *q, const double *x) { (void)q; return x[0]; }
static double normal_rate(const course *q, const double *x, const double *f) { (void)q, (void)x; return f[0]; }

// The step shortened to where a function of the state, positive at its start, falls to zero, `close` in impulse: Newton inside a bracket
static void shorten(course *q, const double *slope0, double close, measure *value, measure_rate *rate, trial *t) {
  const double pace0 = pace(q, q->x);
  double low = 0, high = t->h, a = value(q, q->x), b = value(q, t->x);
  double da = rate(q, q->x, q->f) * pace0 * t->h, db = rate(q, t->x, t->f) * t->pace * t->h, from = 0, to = 1;
  // a first guess from the cubic
  for (int i = 0; i < 50; i++) {
    double middle = 0.5 * (from + to);
    if (cubic(a, da, b, db, middle) > 0) from = middle;
    else to = middle;
  }
  double h = 0.5 * (from + to) * high;
  for (int i = 0; i < 40; i++) {
    attempt(q, h, slope0, t);
    double left = value(q, t->x), change = rate(q, t->x, t->f);
    if (change < 0 && fabs(left / change) <= close) return;
    if (left > 0) low = h;
    else high = h;
    if (high - low <= 4 * DBL_EPSILON * high) return;
    h = change < 0 ? h - left / (change * t->pace) : 0.5 * (low + high);
    if (!(h > low && h < high)) h = 0.5 * (low + high);
  }
}

// Whether a function that is positive at both ends of a step dips below zero inside, by its cubic
static bool dips(const course *q, measure *value, measure_rate *rate, const trial *t) {
  double a = value(q, q->x), b = value(q, t->x), da = rate(q, q->x, q->f) * pace(q, q->x) * t->h, db = rate(q, t->x, t->f) * t->pace * t->h;
  if (!(da < 0 && db > 0)) return false;
  for (int i = 1; i < 16; i++)
    if (cubic(a, da, b, db, i / 16.0) < 0) return true;
  return false;
}

static double worst_gauge(const course *q, const double *z) {
  double worst = 0;
  for (size_t b = 0; b < q->n_rubs; b++)
    if (q->rub[b].motion == STICKS) worst = fmax(worst, gauge_at(q, q->rub + b, z));
  return worst;
}

// The step shortened to where a friction that sticks has used up its set: just outside, so that the slip that begins has a direction
static void shorten_to_break(course *q, const double *slope0, trial *t) {
  const double least = 1 + 1e-9, most = 1 + 3e-9;
  double low = 0, high = t->h;
  for (int i = 0; i < 80; i++) {
    double gauge = worst_gauge(q, t->z);
    if (gauge > least && gauge < most) return;
    if (gauge > least) high = t->h;
    else low = t->h;
    if (high - low <= 4 * DBL_EPSILON * high) return;
    attempt(q, 0.5 * (low + high), slope0, t);
  }
}

// One step in sigma, ended early by the first event on it. False: the slips cannot be followed
static bool advance(course *q, double close) {
  double slope0[2 * HML_BLOW_ROWS + 1];
  trial t;
  slope_of(q, q->x, q->z, q->f, slope0);
  if (q->by_series) expand(q);
  const double order = q->by_series ? TERMS : HML_GRAGG_ORDER;
  for (int tries = 0; tries < 60; tries++) {
    attempt(q, q->step, slope0, &t);
    double factor = t.error > 0 ? 0.9 * pow(t.error, -1 / (order - 1)) : 4;
    // the sum of a series is cheap beside its terms: its step is as long as they allow
    if (t.error > 1 || (q->by_series && factor > 1.2 && remaining(q, t.x) > 0)) {
      q->step *= factor > 1 ? fmin(4, factor) : fmin(0.8, fmax(0.1, factor));
      continue;
    }
    bool first = remaining(q, q->x) > 0, fell = first && remaining(q, t.x) < 0;
    bool rises = q->restitution && q->x[0] > 0, back = rises && t.x[0] < 0;
    if ((first && !fell && dips(q, remaining, remaining_rate, &t)) || (rises && !back && dips(q, normal_speed, normal_rate, &t))) {
      q->step *= 0.5;
      continue;
    }
    double next = q->step * fmin(4, fmax(0.3, factor));
    if (back) shorten(q, slope0, close, normal_speed, normal_rate, &t);
    if (first && remaining(q, t.x) < 0) shorten(q, slope0, close, remaining, remaining_rate, &t);
    if (q->n_stuck && worst_gauge(q, t.z) > 1 + 1e-9) {
      shorten_to_break(q, slope0, &t);
      q->unsettled = true;
    }
    memcpy(q->x, t.x, (2 * q->n + 1) * sizeof *q->x);
    q->step = next;
    return true;
  }
  return false;
}

// ---- together

static bool open_rub(course *q, const hml_blow_friction *o, rub *r) {
  *r = (rub){.friction = o};
  if (o->count < 1 || o->count > COMPONENTS || o->first < 1 || o->first + o->count > q->n) return false;
  for (size_t i = 0; i < o->count; i++) {
    double y[COMPONENTS] = {0, 0, 0}, z[COMPONENTS] = {0, 0, 0};
    y[i] = 1;
    hml_friction__gradient(o->sliding, y, z);
    if (!isfinite(z[i])) return false;
    if (!(fabs(z[i]) > 0)) continue;
    r->row[r->n] = o->first + i;
    r->place[r->n] = i;
    r->width[r->n++] = fabs(z[i]);
  }
  q->n_cones += o->n_cone;
  if (r->n == 0) q->n_cones -= o->n_cone;
  return q->n_cones <= HML_BLOW_CONES;
}

static bool open(course *q, const hml_blow *blow) {
  const size_t n = blow->n;
  if (n < 1 || n > HML_BLOW_ROWS || blow->n_frictions > HML_BLOW_FRICTIONS || blow->law == HML_USER_LAW || !(blow->restitution >= 0)) return false;
  for (size_t i = 0; i < n * n; i++)
    if (!isfinite(blow->g[i])) return false;
  for (size_t i = 0; i < n; i++) {
    if (!isfinite(blow->u[i])) return false;
    q->x[i] = blow->u[i];
  }
  for (size_t b = 0; b < blow->n_frictions; b++) {
    if (!open_rub(q, blow->friction + b, q->rub + q->n_rubs)) return false;
    if (q->rub[q->n_rubs].n) q->n_rubs++;
  }
  for (size_t i = 0; i < n; i++) {
    q->bound[i] = fabs(blow->g[i * n]);
    for (size_t b = 0; b < q->n_rubs; b++)
      for (size_t k = 0; k < q->rub[b].n; k++) q->bound[i] += fabs(blow->g[i * n + q->rub[b].row[k]]) * q->rub[b].width[k];
  }
  q->by_series = n == 3 && q->n_rubs == 1 && q->rub[0].n == 2 && q->n_cones == 0 && q->rub[0].friction->round;
  q->speed = -blow->u[0];
  q->impulse = q->speed / q->bound[0];
  q->step = 0.25;
  return true;
}

// Slips that the blow would stop at once count as rest
static void open_slips(course *q) {
  for (size_t b = 0; b < q->n_rubs; b++) {
    rub *r = q->rub + b;
    r->scale = size_of(r, q->bound);
    r->pace = 1 / r->scale;
    r->motion = SLIDES;
    if (size_of(r, q->x) > DBL_EPSILON * r->scale * q->impulse) continue;
    for (size_t i = 0; i < r->n; i++) q->x[r->row[i]] = 0;
    q->unsettled = true;
  }
}

// Slips that have become rounding, and do not grow
static void fade(course *q) {
  for (size_t b = 0; b < q->n_rubs; b++) {
    rub *r = q->rub + b;
    if (r->motion != SLIDES || size_of(r, q->x) > DBL_EPSILON * r->scale * impulse_of(q) || along(r, q->x, q->f) >= 0) continue;
    for (size_t i = 0; i < r->n; i++) q->x[r->row[i]] = 0;
    q->unsettled = true;
  }
}

static hml_blow_verdict follow(course *q) {
  for (q->stretches = 0; q->stretches < MOST_STRETCHES; q->stretches++) {
    if (q->unsettled && !settle(q)) return HML_BLOW_UNSETTLED;
    rates(q, q->x, q->z, q->f);
    q->slopes++;
    outlook o = look(q);
    double ahead = fmin(o.stop, fmin(o.end, o.back)), mile = sqrt(LAST_MILE * impulse_scale(q) / o.turn);
    if (o.turn == 0 && ahead == INFINITY) return HML_BLOW_JAMS;
    if (o.turn == 0 || fabs(ahead) <= mile) {
      if (stretch(q, &o)) return HML_BLOW_ENDS;
    } else if (o.slowly) {
      creep(q, fmin(0.5 * ahead, 1e-4 * fmin(impulse_scale(q), 1 / o.turn)));
    } else if (o.leaving) {
      // slips that begin beside one that turns: a first stretch too short for the turn to count
      move(q, mile);
    } else {
      if (!advance(q, 0.1 * mile)) return HML_BLOW_UNSETTLED;
      if (impulse_of(q) > 1e12 * q->impulse) return HML_BLOW_JAMS;
      fade(q);
    }
  }
  return HML_BLOW_UNSETTLED;
}

static void report(const course *q, hml_blow_result *result) {
  const size_t n = q->n;
  for (size_t i = 0; i < n; i++) result->velocity[i] = q->x[i], result->impulse[i] = q->x[n + i];
  for (size_t b = 0; b < q->n_rubs; b++) result->sticks[q->rub[b].friction - q->blow->friction] = q->rub[b].motion == STICKS;
  result->restitution = q->restitution;
  result->compression = q->in;
  result->work_compression = q->in_work;
  result->work_restitution = q->out_work;
  result->slopes = q->slopes;
  result->stretches = q->stretches;
}

// Without friction the velocity is linear in the impulse, and every law returns e of it: by e times the impulse, or by e^2 times the work
static hml_blow_verdict strike_alone(const hml_blow *blow, hml_blow_result *r) {
  const double g = blow->g[0], u = blow->u[0], e = blow->restitution;
  if (blow->law == HML_USER_LAW || !(e >= 0) || !isfinite(g) || !isfinite(u)) return HML_BLOW_REFUSED;
  r->velocity[0] = u;
  if (!(u < 0)) return HML_BLOW_ENDS;
  if (!(g > 0)) return HML_BLOW_JAMS;
  r->restitution = true;
  r->compression = -u / g;
  r->impulse[0] = r->compression + e * r->compression;
  r->velocity[0] = -e * u;
  r->work_compression = 0.5 * u * r->compression;
  r->work_restitution = -e * e * r->work_compression;
  r->stretches = e > 0;
  r->slopes = 1 + r->stretches;
  return HML_BLOW_ENDS;
}

hml_blow_verdict hml_routh(const hml_blow *blow, hml_blow_result *result) {
  if (blow->n == 1 && blow->n_frictions == 0) {
    *result = (hml_blow_result){.restitution = false};
    return strike_alone(blow, result);
  }
  course q;
  memset(&q, 0, offsetof(course, rub));
  q.blow = blow;
  q.n = blow->n;
  *result = (hml_blow_result){.restitution = false};
  if (!open(&q, blow)) return HML_BLOW_REFUSED;
  hml_blow_verdict verdict = HML_BLOW_ENDS;
  open_slips(&q);
  hold_rows(&q);
  if (q.x[0] < 0 && !(blow->g[0] > 0)) return HML_BLOW_JAMS;
  if (q.x[0] < 0) verdict = follow(&q);
  report(&q, result);
  return verdict;
}
