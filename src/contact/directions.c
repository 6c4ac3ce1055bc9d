// directions.c: limit directions of a slip that begins, or passes through rest (Antali and Stepan 2019).
//
// A slip along the unit vector e has N = a/(1 + b.w) and z = -N w, w = grad h(e): the reaction follows from e alone, and
//   f(e) = c - a G w/(1 + b.w)
// must point along e. In two directions with the support h = |D s| (coulomb, elliptic) let e = D s/|D s|: w = D e, and
//   e_perp.D f(e) (1 + b.w) = e_perp.(D c (1 + D b.e) - a D G D e) = 0
// is a trigonometric polynomial of degree two, a quartic in tan(phi/2): all real roots are found. All units are those of (s, R w).
#include "directions.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define PI 3.14159265358979323846
#define POINTS_BACK 1e-9               // rate of a slip that may still begin, relative to the terms of f
#define SETTLED 1e-9                   // part of f across e, likewise
#define SAME 1e-7

// ---- at a direction
typedef struct along {
  double w[3], normal, f[3], scale;    // scale: of the terms of f
} along;

static along at(const hml_onset *o, const double *e) {
  const size_t n = o->law->count;
  along v;
  hml_friction__gradient(o->law, e, v.w);
  v.normal = o->left ? o->a * o->left(o->payload, v.w) : o->a / (1 + hml_contact__dot(n, o->b, v.w));
  v.scale = 0;
  for (size_t i = 0; i < n; i++) {
    double force = v.normal * hml_contact__dot(n, o->g + i * n, v.w);
    v.f[i] = o->c[i] - force;
    v.scale = fmax(v.scale, fabs(o->c[i]) + fabs(force));
  }
  return v;
}

// An orthonormal basis across e
static void basis(size_t n, const double *e, double t[2][3]) {
  if (n == 2) {
    t[0][0] = -e[1];
    t[0][1] = e[0];
    return;
  }
  size_t least = fabs(e[0]) <= fabs(e[1]) && fabs(e[0]) <= fabs(e[2]) ? 0 : fabs(e[1]) <= fabs(e[2]) ? 1 : 2;
  double size = 0;
  for (size_t i = 0; i < 3; i++) t[0][i] = (i == least) - e[least] * e[i], size += t[0][i] * t[0][i];
  for (size_t i = 0; i < 3; i++) t[0][i] /= sqrt(size);
  for (size_t i = 0; i < 3; i++) t[1][i] = e[(i + 1) % 3] * t[0][(i + 2) % 3] - e[(i + 2) % 3] * t[0][(i + 1) % 3];
}

// Rate of N as e turns along t: -(N/(1 + b.w)) b.turn, turn = H t
static double normal_rate(const hml_onset *o, const double *e, const double *t, const along *v, const double *turn) {
  const size_t n = o->law->count;
  const double step = 1e-5;
  double w[3], turned[3], apart = 0;
  if (!o->left) return -v->normal / (1 + hml_contact__dot(n, o->b, v->w)) * hml_contact__dot(n, o->b, turn);
  for (int sign = -1; sign <= 1; sign += 2) {
    for (size_t i = 0; i < n; i++) turned[i] = e[i] + sign * step * t[i];
    hml_friction__gradient(o->law, turned, w);
    apart += sign * o->a * o->left(o->payload, w);
  }
  return apart / (2 * step);
}

// Newton's step for the part of f across e: its derivative along t is  t_i.f' t_j - (e.f) t_i.t_j,
//   f' = -G (N H + w N').   Returns the size of the step.
static double polish(const hml_onset *o, double *e) {
  const size_t n = o->law->count;
  double hessian[9], t[2][3], jacobian[2][2] = {{0}}, side[2] = {0}, step[2], size = 0;
  along v = at(o, e);
  hml_friction__hessian(o->law, e, hessian);
  basis(n, e, t);
  double growth = hml_contact__dot(n, e, v.f);
  for (size_t j = 0; j + 1 < n; j++) {
    double turn[3], change[3];
    for (size_t i = 0; i < n; i++) turn[i] = hml_contact__dot(n, hessian + i * n, t[j]);
    const double by_normal = normal_rate(o, e, t[j], &v, turn);
    for (size_t i = 0; i < n; i++) change[i] = -v.normal * hml_contact__dot(n, o->g + i * n, turn) - by_normal * hml_contact__dot(n, o->g + i * n, v.w);
    for (size_t i = 0; i + 1 < n; i++) jacobian[i][j] = hml_contact__dot(n, t[i], change) - (i == j ? growth : 0);
    side[j] = -hml_contact__dot(n, t[j], v.f);
  }
  double det = n == 2 ? jacobian[0][0] : jacobian[0][0] * jacobian[1][1] - jacobian[0][1] * jacobian[1][0];
  step[0] = n == 2 ? side[0] / det : (side[0] * jacobian[1][1] - side[1] * jacobian[0][1]) / det;
  step[1] = n == 2 ? 0 : (jacobian[0][0] * side[1] - jacobian[1][0] * side[0]) / det;
  double length = hypot(step[0], step[1]), limit = length > 0.3 ? 0.3 / length : 1;
  if (!isfinite(length)) return 0;
  for (size_t i = 0; i < n; i++) {
    e[i] += limit * (step[0] * t[0][i] + (n == 3 ? step[1] * t[1][i] : 0));
    size += e[i] * e[i];
  }
  for (size_t i = 0; i < n; i++) e[i] /= sqrt(size);
  return length;
}

// ---- the list
typedef struct list {
  const hml_onset *onset;              // in the units of (s, R w)
  hml_limit_direction *items;
  size_t n;
} list;

static double across(size_t n, const double *e, const along *v) {
  double growth = hml_contact__dot(n, e, v->f), largest = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(v->f[i] - growth * e[i]));
  return largest;
}

static bool known(const list *l, const double *e) {
  const size_t n = l->onset->law->count;
  for (size_t k = 0; k < l->n; k++) {
    double apart = 0;
    for (size_t i = 0; i < n; i++) apart = fmax(apart, fabs(e[i] - l->items[k].slip[i]));
    if (apart < SAME) return true;
  }
  return false;
}

static double turn_from(size_t n, const double *c, const double *e) {
  double size = sqrt(hml_contact__dot(n, c, c)), cosine = size > 0 ? hml_contact__dot(n, c, e) / size : 1;
  return acos(fmax(-1, fmin(1, cosine)));
}

static void add(list *l, const double *e) {
  const hml_onset *o = l->onset;
  const size_t n = o->law->count;
  along v = at(o, e);
  double rate = hml_contact__dot(n, e, v.f);
  bool possible = v.normal >= 0 && v.normal < INFINITY && rate >= -POINTS_BACK * v.scale && across(n, e, &v) <= SETTLED * v.scale;
  if (!possible || known(l, e) || l->n == HML_MOST_DIRECTIONS) return;
  hml_limit_direction item = {.rate = rate, .normal = v.normal, .turn = turn_from(n, o->c, e)};
  size_t place = l->n++;
  for (size_t i = 0; i < n; i++) {
    item.slip[i] = e[i];
    item.z[i] = -v.normal * v.w[i];
  }
  for (; place > 0 && l->items[place - 1].turn > item.turn; place--) l->items[place] = l->items[place - 1];
  l->items[place] = item;
}

static void polish_and_add(list *l, double *e, int steps) {
  for (int i = 0; i < steps; i++)
    if (polish(l->onset, e) <= 4 * DBL_EPSILON) break;
  add(l, e);
}

// ---- roots of polynomials: between the roots of the derivative there is at most one
enum { DEGREE = 4 };

static double value(size_t degree, const double *p, double t) {
  double sum = p[degree];
  for (size_t i = degree; i-- > 0;) sum = sum * t + p[i];
  return sum;
}

// Newton's method inside a bracket, halved where a step would leave it or does not get on
static double root_between(size_t degree, const double *p, double low, double high) {
  bool rises = value(degree, p, low) < 0;
  double t = low + (high - low) / 2, last = high - low;
  for (int i = 0; i < 120; i++) {
    double v = p[degree], slope = 0;
    for (size_t k = degree; k-- > 0;) {
      slope = slope * t + v;
      v = v * t + p[k];
    }
    if (v == 0) return t;
    if ((v < 0) == rises) low = t;
    else high = t;
    double next = t - v / slope, step;
    if (!(next > low && next < high) || fabs(next - t) > 0.5 * last) next = low + (high - low) / 2;
    step = fabs(next - t);
    if (step <= 2 * DBL_EPSILON * fabs(t) || next == t) return next;
    last = step;
    t = next;
  }
  return t;
}

// Real roots of p of the given degree within (-bound, bound), with the places where p touches zero
static size_t real_roots(size_t degree, const double *p, double bound, double *roots) {
  double ends[DEGREE + 1], slope[DEGREE], lower[DEGREE];
  size_t n = 0, stationary = 0;
  if (degree == 0) return 0;
  for (size_t i = 0; i < degree; i++) slope[i] = (double)(i + 1) * p[i + 1];
  stationary = real_roots(degree - 1, slope, bound, lower);
  ends[0] = -bound;
  for (size_t i = 0; i < stationary; i++) ends[i + 1] = lower[i];
  for (size_t i = 0; i <= stationary; i++) {
    double low = ends[i], high = i == stationary ? bound : ends[i + 1], a = value(degree, p, low), b = value(degree, p, high);
    double terms = 0, power = 1;
    for (size_t k = 0; k <= degree; k++, power *= fabs(low)) terms += fabs(p[k]) * power;
    if (i > 0 && fabs(a) <= 1e-12 * terms && n < DEGREE) roots[n++] = low;
    if ((a < 0) != (b < 0) && n < DEGREE) roots[n++] = root_between(degree, p, low, high);
  }
  return n;
}

// ---- coulomb and elliptic in two directions
// p2 C - p1 S + A C^2 + B C S + E S^2 with C = cos(phi), S = sin(phi)
typedef struct wave {
  double cosine, sine, cc, cs, ss;
} wave;

static double wave_at(const wave *t, double phi) {
  double c = cos(phi), s = sin(phi);
  return t->cosine * c + t->sine * s + t->cc * c * c + t->cs * c * s + t->ss * s * s;
}

static wave condition(const hml_onset *o, const double *d) {
  double p[2], q[2], m[2][2];
  for (size_t i = 0; i < 2; i++) {
    p[i] = d[i] * o->c[i];
    q[i] = d[i] * o->b[i];
    for (size_t j = 0; j < 2; j++) m[i][j] = o->a * d[i] * o->g[2 * i + j] * d[j];
  }
  return (wave){p[1], -p[0], p[1] * q[0] - m[1][0], p[1] * q[1] - p[0] * q[0] + m[0][0] - m[1][1], m[0][1] - p[0] * q[1]};
}

// The same in psi = phi - by
static wave turned(const wave *t, double by) {
  double c = cos(by), s = sin(by);
  return (wave){t->cosine * c + t->sine * s, t->sine * c - t->cosine * s, t->cc * c * c + t->cs * c * s + t->ss * s * s,
                t->cs * (c * c - s * s) + 2 * (t->ss - t->cc) * c * s, t->cc * s * s - t->cs * c * s + t->ss * c * c};
}

// C = (1 - t^2)/(1 + t^2), S = 2 t/(1 + t^2); turned so that t = infinity, psi = pi, is far from a root
static size_t wave_roots(const wave *t, double *phi) {
  enum { SAMPLES = 16 };
  double away = 0, most = 0, lead, largest = 0;
  for (int i = 0; i < SAMPLES; i++) {
    double angle = 2 * PI * i / SAMPLES, v = fabs(wave_at(t, angle));
    if (v > most) most = v, away = angle;
  }
  if (!(most > 0) || !isfinite(most)) return 0;
  wave w = turned(t, away - PI);
  double p[DEGREE + 1] = {w.cosine + w.cc, 2 * (w.sine + w.cs), 4 * w.ss - 2 * w.cc, 2 * (w.sine - w.cs), w.cc - w.cosine};
  lead = fabs(p[DEGREE]);
  for (size_t i = 0; i < DEGREE; i++) largest = fmax(largest, fabs(p[i]));
  size_t n = real_roots(DEGREE, p, 1 + largest / lead, phi);
  for (size_t i = 0; i < n; i++) phi[i] = 2 * atan(phi[i]) + away - PI;
  return n;
}

static void by_quartic(list *l) {
  const hml_friction_law *law = l->onset->law;
  double d[2] = {law->coefficient[0], law->coefficient[law->kind == HML_FRICTION_elliptic]}, phi[DEGREE];
  wave t = condition(l->onset, d);
  size_t n = wave_roots(&t, phi);
  for (size_t i = 0; i < n; i++) {
    double e[3] = {cos(phi[i]) / d[0], sin(phi[i]) / d[1], 0}, size = hypot(e[0], e[1]);
    e[0] /= size;
    e[1] /= size;
    polish_and_add(l, e, 3);
  }
}

// ---- with a spot, or a shared cone
// The part of f across the unit vector at the angle, times 1 + b.w
static double across_at(const hml_onset *o, double angle) {
  double e[2] = {cos(angle), sin(angle)}, w[2], force[2];
  hml_friction__gradient(o->law, e, w);
  double denominator = 1 + hml_contact__dot(2, o->b, w), full = o->left ? o->a * o->left(o->payload, w) : o->a;
  for (size_t i = 0; i < 2; i++) force[i] = o->c[i] * denominator - full * hml_contact__dot(2, o->g + 2 * i, w);
  return e[0] * force[1] - e[1] * force[0];
}

static double angle_between(const hml_onset *o, double low, double high) {
  bool below = across_at(o, low) < 0;
  for (int i = 0; i < 60; i++) {
    double middle = (low + high) / 2;
    if (middle == low || middle == high) break;
    if ((across_at(o, middle) < 0) == below)
      low = middle;
    else
      high = middle;
  }
  return (low + high) / 2;
}

static void add_angle(list *l, double angle, int steps) {
  double e[3] = {cos(angle), sin(angle), 0};
  polish_and_add(l, e, steps);
}

// Where N is given there is one direction at most
static bool found_all(const list *l) {
  const hml_onset *o = l->onset;
  return l->n > 0 && !o->left && hml_contact__dot(o->law->count, o->b, o->b) == 0;
}

// Changes of sign on a fine circle, and smallest values, which may hide two roots
static void from_circle(list *l) {
  enum { POINTS = 256, STEPS = 20 };
  const double step = 2 * PI / POINTS;
  double before = 0, last = 0;
  for (int i = 0; i <= POINTS + 1 && !found_all(l); i++) {
    double angle = step * (i + 0.25), v = across_at(l->onset, angle);
    if (i > 0 && (v < 0) != (last < 0)) add_angle(l, angle_between(l->onset, angle - step, angle), 3);
    if (i > 1 && fabs(last) <= fabs(before) && fabs(last) <= fabs(v)) add_angle(l, angle - step, STEPS);
    before = last;
    last = v;
  }
}

// Newton's method from a grid on the sphere, and from the direction of c
static void from_sphere(list *l) {
  enum { RINGS = 8, SECTORS = 16, STEPS = 30 };
  double size = sqrt(hml_contact__dot(3, l->onset->c, l->onset->c)), e[3];
  for (size_t i = 0; i < 3 && size > 0; i++) e[i] = l->onset->c[i] / size;
  if (size > 0) polish_and_add(l, e, STEPS);
  for (int i = 0; i < RINGS; i++)
    for (int j = 0; j < SECTORS && !found_all(l); j++) {
      double height = (2 * i + 1.) / RINGS - 1, angle = 2 * PI * (j + 0.25 + 0.5 * (i % 2)) / SECTORS, ring = sqrt(1 - height * height);
      double start[3] = {ring * cos(angle), ring * sin(angle), height};
      polish_and_add(l, start, STEPS);
    }
}

static bool without_force(const hml_onset *o) {
  return o->a == 0 || (o->law->coefficient[0] == 0 && (o->law->kind != HML_FRICTION_elliptic || o->law->coefficient[1] == 0));
}

// The unit of a moment taken out, and back in
static hml_onset scaled(const hml_onset *o, hml_friction_law *law) {
  const size_t n = o->law->count;
  hml_onset s = *o;
  double unit[3];
  for (size_t i = 0; i < n; i++) unit[i] = hml_friction__unit(o->law, i);
  for (size_t i = 0; i < n; i++) {
    s.c[i] *= unit[i];
    s.b[i] *= unit[i];
    for (size_t j = 0; j < n; j++) s.g[i * n + j] *= unit[i] * unit[j];
  }
  *law = *o->law;
  law->radius = 1;
  s.law = law;
  return s;
}

size_t hml_friction__directions(const hml_onset *onset, hml_limit_direction list_out[HML_MOST_DIRECTIONS]) {
  const size_t n = onset->law->count;
  hml_friction_law law;
  hml_onset o = scaled(onset, &law);
  list l = {&o, list_out, 0};
  double size = sqrt(hml_contact__dot(n, o.c, o.c)), e[3] = {0};
  if (without_force(&o)) {
    for (size_t i = 0; i < n && size > 0; i++) e[i] = o.c[i] / size;
    if (size > 0) add(&l, e);
  } else if (n == 1) {
    for (int sign = 1; sign >= -1; sign -= 2) e[0] = sign, add(&l, e);
  } else if (n == 2 && !o.left && (law.kind == HML_FRICTION_coulomb || law.kind == HML_FRICTION_elliptic)) {
    by_quartic(&l);
  } else if (n == 2) {
    from_circle(&l);
  } else {
    from_sphere(&l);
  }
  for (size_t k = 0; k < l.n; k++)
    for (size_t i = 0; i < n; i++) {
      l.items[k].slip[i] /= hml_friction__unit(onset->law, i);
      l.items[k].z[i] *= hml_friction__unit(onset->law, i);
    }
  return l.n;
}
