// law.c: support functions, gauges and projections of the laws of friction. kernel.c determines normal forces and slips.
//
// A spot of contact that slips by s and turns by w has its instantaneous centre at the distance |s|/|w|. With c = |s|/(R |w|) and the
// pressure p of the spot of radius 1,
//   h = mu R |w| D(c),   D(c) = int p |x - c| dA,   force mu F(c) against s, moment mu R M(c) against w,   F = D',   M = D - c F.
// Contensou 1963; Zhuravlev 1998. lap D = int p/|x - c| dA, the potential of the pressure, gives the closed forms and F'.
// All formulas for a spot are in s, R w and z, z_w/R; the angle from the axis of spin has the tangent c.
#include "law.h"

#include <float.h>
#include <math.h>

#define PI 3.14159265358979323846

typedef struct row {
  const char *name, *help;
  size_t least, most;
  double (*support)(const hml_friction_law *law, const double *y);
  void (*gradient)(const hml_friction_law *law, const double *y, double *z);
  void (*hessian)(const hml_friction_law *law, const double *y, double *hessian);
  double (*gauge)(const hml_friction_law *law, const double *z);
  bool (*project)(const hml_friction_law *law, double normal, double *z, double *y);     // y: the part that was removed
} row;

static double length(size_t n, const double *a) {
  double largest = 0, sum = 0;
  for (size_t i = 0; i < n; i++) sum += a[i] * a[i];
  if (sum > 1e-280 && sum < 1e280) return sqrt(sum);
  sum = 0;
  for (size_t i = 0; i < n; i++) largest = fmax(largest, fabs(a[i]));
  if (largest == 0 || !isfinite(largest)) return largest;
  for (size_t i = 0; i < n; i++) sum += (a[i] / largest) * (a[i] / largest);
  return largest * sqrt(sum);
}

// ---- coulomb: a ball
static double ball_support(const hml_friction_law *law, const double *y) {
  return law->coefficient[0] * length(law->count, y);
}

static void ball_gradient(const hml_friction_law *law, const double *y, double *z) {
  double size = length(law->count, y);
  for (size_t i = 0; i < law->count; i++) z[i] = size > 0 ? law->coefficient[0] * (y[i] / size) : 0;
}

// mu (1 - d d^T)/|y|
static void ball_hessian(const hml_friction_law *law, const double *y, double *hessian) {
  const size_t n = law->count;
  double size = length(n, y), share = law->coefficient[0] / size;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) hessian[i * n + j] = n == 1 ? 0 : share * ((i == j) - (y[i] / size) * (y[j] / size));
}

static double ball_gauge(const hml_friction_law *law, const double *z) {
  double size = length(law->count, z);
  return size == 0 ? 0 : law->coefficient[0] > 0 ? size / law->coefficient[0] : INFINITY;
}

static bool ball_project(const hml_friction_law *law, double normal, double *z, double *y) {
  double size = length(law->count, z), most = law->coefficient[0] * normal;
  bool outside = size > most;
  for (size_t i = 0; i < law->count; i++) {
    y[i] = outside ? z[i] * (1 - most / size) : 0;
    if (outside) z[i] *= most / size;
  }
  return outside;
}

// ---- elliptic
static double ellipse_support(const hml_friction_law *law, const double *y) {
  return hypot(law->coefficient[0] * y[0], law->coefficient[1] * y[1]);
}

static void ellipse_gradient(const hml_friction_law *law, const double *y, double *z) {
  double h = ellipse_support(law, y);
  for (size_t i = 0; i < 2; i++) z[i] = h > 0 ? law->coefficient[i] * (law->coefficient[i] * y[i] / h) : 0;
}

// (mu_i^2 delta_ij - z_i z_j)/h with the gradient z
static void ellipse_hessian(const hml_friction_law *law, const double *y, double *hessian) {
  double h = ellipse_support(law, y), z[2];
  ellipse_gradient(law, y, z);
  for (size_t i = 0; i < 2; i++)
    for (size_t j = 0; j < 2; j++) hessian[2 * i + j] = ((i == j) * law->coefficient[i] * law->coefficient[j] - z[i] * z[j]) / h;
}

static double ellipse_gauge(const hml_friction_law *law, const double *z) {
  double ratio[2];
  for (size_t i = 0; i < 2; i++) ratio[i] = z[i] == 0 ? 0 : law->coefficient[i] > 0 ? z[i] / law->coefficient[i] : INFINITY;
  return hypot(ratio[0], ratio[1]);
}

// z = y + N grad h(y) gives y_i = z_i h/(h + N mu_i^2), and h solves  q(h)^2 = sum (mu_i z_i/(h + N mu_i^2))^2 = 1.  1/q is concave and
// nearly linear: Newton's method on it rises to the root from 0 (More and Sorensen 1983).
static bool ellipse_project(const hml_friction_law *law, double normal, double *z, double *y) {
  enum { STEPS = 60 };
  double h = 0, part[2], limit[2];
  y[0] = y[1] = 0;
  if (!(ellipse_gauge(law, z) > normal)) return false;
  for (size_t i = 0; i < 2; i++) part[i] = law->coefficient[i] * z[i], limit[i] = normal * law->coefficient[i] * law->coefficient[i];
  if (normal == 0) h = hypot(part[0], part[1]);
  for (int step = 0; step < STEPS && normal > 0; step++) {
    double square = 0, slope = 0;
    for (size_t i = 0; i < 2; i++) {
      if (part[i] == 0) continue;
      double q = part[i] / (h + limit[i]);
      square += q * q;
      slope += q * q / (h + limit[i]);
    }
    if (!(square > 1)) break;
    double more = square * (sqrt(square) - 1) / slope;
    h += more;
    if (more <= DBL_EPSILON * h) break;
  }
  for (size_t i = 0; i < 2; i++) {
    double share = limit[i] > 0 ? limit[i] / (h + limit[i]) : 0;
    y[i] = z[i] * (1 - share);
    z[i] *= share;
  }
  return true;
}

// ---- a spot of contact
typedef struct spot {
  double force, moment, curvature;     // F, M and the radius of curvature F' (1 + c^2)^(3/2) of the boundary (F, M)
} spot;

// Complete elliptic integrals of the parameter m < 1 by the arithmetic-geometric mean (Abramowitz and Stegun 17.6)
static void elliptic_integrals(double m, double *first, double *second) {
  double a = 1, b = sqrt(1 - m), sum = m / 2, power = 1;
  for (int i = 0; i < 40; i++) {
    double c = (a - b) / 2, mean = (a + b) / 2;
    b = sqrt(a * b);
    a = mean;
    sum += power * c * c;
    power *= 2;
    if (fabs(c) <= DBL_EPSILON * a) break;
  }
  *first = PI / (2 * a);
  *second = *first * (1 - sum);
}

// c <= 1/2:  F = sum e_n c^(2n+1)/(n+1),  E(m) = pi/2 sum e_n m^n
static spot uniform_near(double c) {
  double k = c * c, e = 1, power = 1, force = 0, moment = 2. / 3, rate = 0;
  for (int n = 0; n < 40 && fabs(e * power) > 1e-18; n++) {
    force += e * power / (n + 1);
    rate += e * power * (2 * n + 1) / (n + 1);
    moment += e * power * k * (0.5 / (n + 1) - 1) / (n + 1);
    e *= (n + 0.5) * (n - 0.5) / ((n + 1.) * (n + 1.));
    power *= k;
  }
  return (spot){c * force, moment, rate * (1 + k) * sqrt(1 + k)};
}

// The potential of a uniform disc is 4 E inside, 4 c (E - (1 - 1/k) K) outside
static spot uniform_middle(double c) {
  double k = c * c, m = c <= 1 ? k : 1 / k, first = 0, second = 1, force, moment, potential;
  if (m < 1) elliptic_integrals(m, &first, &second);
  if (c <= 1) {
    force = 4 / (3 * PI * c) * ((1 + k) * second - (1 - k) * first);
    moment = 4 / (9 * PI) * ((4 - 2 * k) * second - (1 - k) * first);
    potential = 4 / PI * second;
  } else {
    force = 4 / (3 * PI) * ((1 + k) * second - (k - 1) * first);
    moment = 4 * c / (9 * PI) * ((4 - 2 * k) * second + (1 - m) * (2 * k - 3) * first);
    potential = 4 * c / PI * (second - (1 - m) * first);
  }
  return (spot){force, moment, (potential - force / c) * (1 + k) * sqrt(1 + k)};
}

static spot hertz_near(double c) {
  double k = c * c;
  return (spot){3 * PI / 8 * c * (1 - k / 4), 3 * PI / 16 * (1 - k + 3 * k * k / 8), 3 * PI / 8 * (1 - 3 * k / 4) * (1 + k) * sqrt(1 + k)};
}

static spot hertz_middle(double c) {
  double k = c * c, angle = asin(1 / c), root = sqrt(k - 1);
  double force = 3 / (16 * c) * (k * (4 - k) * angle + (k + 2) * root);
  double moment = 3. / 16 * ((2 - 2 * k + 3 * k * k / 4) * angle + root * (6 - 3 * k) / 4);
  double potential = 3. / 4 * ((2 - k) * angle + root);
  return (spot){force, moment, (potential - force / c) * (1 + k) * sqrt(1 + k)};
}

// Far away |x - c| has the mean  c sum binomial(1/2, n)^2 (r/c)^(2n)  over a circle: with the moments m_n = int p r^(2n) dA
//   F = sum (1 - 2n) b_n m_n v^n,   M = sqrt(v) sum 2n b_n m_n v^(n-1),   F' c^3 = sum 2n (2n - 1) b_n m_n v^(n-1),   v = 1/c^2
static spot far(bool uniform, double inverse) {
  double v = inverse * inverse, force = 1, moment = 0, rate = 0, binomial = 1, mass = 1, power = 1;
  for (int n = 1; n < 60 && power > 1e-19; n++) {
    binomial *= (1.5 - n) / n;
    mass *= uniform ? n / (n + 1.) : 2 * n / (2 * n + 3.);
    double term = 2 * n * binomial * binomial * mass * power;            // power: v^(n-1)
    moment += term;
    rate += (2 * n - 1) * term;
    force -= (2 * n - 1) * term * v / (2 * n);
    power *= v;
  }
  return (spot){force, inverse * moment, rate * (1 + v) * sqrt(1 + v)};
}

// c = slip/spin, both >= 0 and not both zero
static spot spot_at(const hml_friction_law *law, double slip, double spin) {
  bool uniform = law->kind == HML_FRICTION_uniform;
  if (slip > 2 * spin) return far(uniform, spin / slip);
  double c = slip / spin;
  if (uniform) return c <= 0.5 ? uniform_near(c) : uniform_middle(c);
  return c <= 1 ? hertz_near(c) : hertz_middle(c);
}

// Slip and spin of y, or force and moment of z, in the units of slip and force
typedef struct pair {
  double along, about;
} pair;

static pair sizes(const hml_friction_law *law, const double *a, double unit) {
  size_t last = law->count - 1;
  return (pair){length(last, a), fabs(a[last]) * unit};
}

static double spot_support(const hml_friction_law *law, const double *y) {
  pair v = sizes(law, y, law->radius);
  if (v.along == 0 && v.about == 0) return 0;
  spot o = spot_at(law, v.along, v.about);
  return law->coefficient[0] * (v.along * o.force + v.about * o.moment);   // homogeneous of degree 1
}

static void spot_gradient(const hml_friction_law *law, const double *y, double *z) {
  const size_t last = law->count - 1;
  pair v = sizes(law, y, law->radius);
  spot o = v.along > 0 || v.about > 0 ? spot_at(law, v.along, v.about) : (spot){0, 0, 0};
  for (size_t i = 0; i < last; i++) z[i] = v.along > 0 ? law->coefficient[0] * o.force * (y[i] / v.along) : 0;
  z[last] = v.about > 0 ? law->coefficient[0] * law->radius * copysign(o.moment, y[last]) : 0;
}

// In (|s|, R |w|) = r (sin, cos): curvature/r on the tangent (cos, -sin); across the slip F/|s| as for every set that is turned about
static void spot_hessian(const hml_friction_law *law, const double *y, double *hessian) {
  const size_t n = law->count, last = n - 1;
  pair v = sizes(law, y, law->radius);
  spot o = spot_at(law, v.along, v.about);
  double r = hypot(v.along, v.about), sine = v.along / r, cosine = v.about / r, mu = law->coefficient[0], sign = copysign(1, y[last]);
  // at pure spin F/|s| is the slope of F
  double across = v.along > 1e-8 * v.about ? o.force / v.along : o.curvature / r;
  for (size_t i = 0; i < last; i++) {
    double di = v.along > 0 ? y[i] / v.along : (i == 0);
    for (size_t j = 0; j < last; j++) {
      double dj = v.along > 0 ? y[j] / v.along : (j == 0);
      hessian[i * n + j] = mu * (o.curvature / r * cosine * cosine * di * dj + across * ((i == j) - di * dj));
    }
    hessian[i * n + last] = hessian[last * n + i] = -mu * law->radius * o.curvature / r * sine * cosine * di * sign;
  }
  hessian[last * n + last] = mu * law->radius * law->radius * o.curvature / r * sine * sine;
}

// Root of a function that rises from f(0) <= 0 to f(pi/2) >= 0, by bisection with inverse quadratic steps (Chandrupatla 1997)
typedef double (*angle_function)(const hml_friction_law *law, double angle, pair z, double most);

static double angle_of_root(const hml_friction_law *law, angle_function f, pair z, double most) {
  double a = 0, b = PI / 2, fa = f(law, a, z, most), fb = f(law, b, z, most), c, fc, t = 0.5;
  if (fa >= 0) return a;
  if (fb <= 0) return b;
  for (int i = 0; i < 200; i++) {
    double x = a + t * (b - a), fx = f(law, x, z, most);
    if ((fx < 0) == (fa < 0))
      c = a, fc = fa;
    else
      c = b, fc = fb, b = a, fb = fa;
    a = x, fa = fx;
    double least = 2 * DBL_EPSILON * (fabs(a) < fabs(b) ? fabs(a) : fabs(b)) + 1e-18, floor = least / fabs(b - c);
    if (floor > 0.5 || fa == 0 || fabs(b - a) <= least) break;
    double xi = (a - b) / (c - b), phi = (fa - fb) / (fc - fb);
    t = phi * phi < xi && (1 - phi) * (1 - phi) < 1 - xi
            ? fa / (fb - fa) * (fc / (fb - fc)) + (c - a) / (b - a) * (fa / (fc - fa)) * (fb / (fc - fb))
            : 0.5;
    t = fmin(1 - floor, fmax(floor, t));
  }
  return fabs(fa) < fabs(fb) ? a : b;
}

// F/M grows with the angle: where (F, M) points along z
static double off_the_ray(const hml_friction_law *law, double angle, pair z, double most) {
  (void)most;
  spot o = spot_at(law, sin(angle), cos(angle));
  return o.force * z.about - o.moment * z.along;
}

// gauge = max over y of z.y/h(y): an error of the angle counts by its square
static double spot_gauge(const hml_friction_law *law, const double *z) {
  pair v = sizes(law, z, 1 / law->radius);
  if (v.along == 0 && v.about == 0) return 0;
  if (!(law->coefficient[0] > 0)) return INFINITY;
  double angle = angle_of_root(law, off_the_ray, v, 0), sine = sin(angle), cosine = cos(angle);
  spot o = spot_at(law, sine, cosine);
  return (v.along * sine + v.about * cosine) / (law->coefficient[0] * (sine * o.force + cosine * o.moment));
}

// z - mu N (F, M) is normal to the boundary at the nearest point
static double off_the_normal(const hml_friction_law *law, double angle, pair z, double most) {
  double sine = sin(angle), cosine = cos(angle);
  spot o = spot_at(law, sine, cosine);
  return (z.about - most * o.moment) * sine - (z.along - most * o.force) * cosine;
}

static bool spot_project(const hml_friction_law *law, double normal, double *z, double *y) {
  const size_t last = law->count - 1;
  double most = law->coefficient[0] * normal;
  pair v = sizes(law, z, 1 / law->radius);
  for (size_t i = 0; i <= last; i++) y[i] = 0;
  if (!(spot_gauge(law, z) > normal)) return false;
  double angle = angle_of_root(law, off_the_normal, v, most);
  spot o = spot_at(law, sin(angle), cos(angle));
  for (size_t i = 0; i < last; i++) {
    double share = v.along > 0 ? fmin(1, most * o.force / v.along) : 0;
    y[i] = z[i] * (1 - share);
    z[i] *= share;
  }
  double moment = copysign(fmin(most * o.moment, v.about), z[last]);
  y[last] = (z[last] / law->radius - moment) / law->radius;              // a slip: R w is alike to s
  z[last] = moment * law->radius;
  return true;
}

// ---- the rows
static const row rows[] = {
#define FRICTION(name, least, most, support, gradient, hessian, gauge, project, help) \
  [HML_FRICTION_##name] = {#name, help, least, most, support, gradient, hessian, gauge, project},
#include "laws.def"
#undef FRICTION
};

hml_friction_row hml_friction__row(hml_friction_kind kind) {
  if (kind >= HML_FRICTION_KINDS) return (hml_friction_row){NULL, NULL, 0, 0};
  return (hml_friction_row){rows[kind].name, rows[kind].help, rows[kind].least, rows[kind].most};
}

bool hml_friction__has_spot(hml_friction_kind kind) {
  return kind == HML_FRICTION_uniform || kind == HML_FRICTION_hertz;
}

double hml_friction__support(const hml_friction_law *law, const double *y) {
  return rows[law->kind].support(law, y);
}

void hml_friction__gradient(const hml_friction_law *law, const double *y, double *z) {
  rows[law->kind].gradient(law, y, z);
}

void hml_friction__hessian(const hml_friction_law *law, const double *y, double *hessian) {
  rows[law->kind].hessian(law, y, hessian);
}

double hml_friction__gauge(const hml_friction_law *law, const double *z) {
  return rows[law->kind].gauge(law, z);
}

double hml_friction__room(const hml_friction_law *law, double normal, const double *z) {
  return normal - hml_friction__gauge(law, z);
}

double hml_friction__unit(const hml_friction_law *law, size_t component) {
  bool moment = hml_friction__has_spot(law->kind);
  return moment && component == law->count - 1 ? law->radius : 1;
}

double hml_friction__size(const hml_friction_law *law, const double *y) {
  double size = 0;
  for (size_t a = 0; a < law->count; a++) size = hypot(size, hml_friction__unit(law, a) * y[a]);
  return size;
}

double hml_friction__left(const hml_friction_law *law, double normal, double squares) {
  if (squares == 0) return normal;
  double used = sqrt(squares) / law->coefficient[0];                     // infinite for mu = 0
  return used < normal ? sqrt((normal - used) * (normal + used)) : 0;
}

bool hml_friction__project(const hml_friction_law *law, double normal, double *z) {
  double y[3];
  return rows[law->kind].project(law, fmax(normal, 0), z, y);
}

// Solves a x = b for up to four right-hand sides, a positive definite of order n <= 3: elimination needs no pivots
static void solve(size_t n, double a[3][3], double b[3][4], size_t sides) {
  for (size_t p = 0; p < n; p++)
    for (size_t i = 0; i < n; i++) {
      if (i == p) continue;
      double factor = a[i][p] / a[p][p];
      for (size_t j = p; j < n; j++) a[i][j] -= factor * a[p][j];
      for (size_t j = 0; j < sides; j++) b[i][j] -= factor * b[p][j];
    }
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < sides; j++) b[i][j] /= a[i][i];
}

// What is taken off is y of  y + N grad h(y) = z  (Moreau 1965): dy = (1 + N H)^-1 (dz - grad h dN)
bool hml_friction__project_rates(const hml_friction_law *law, double normal, double *z, double *by_z, double *by_normal) {
  const size_t n = law->count;
  double y[3], gradient[3], hessian[9], a[3][3], b[3][4], unit[3];
  bool outside = rows[law->kind].project(law, fmax(normal, 0), z, y);
  for (size_t i = 0; i < n; i++) {
    by_normal[i] = 0;
    for (size_t j = 0; j < n; j++) by_z[i * n + j] = i == j;
  }
  if (!outside) return false;
  bool off = true;
  for (size_t i = 0; i < n; i++) off &= y[i] == 0;
  if (off) return true;                // on the boundary to rounding: the derivative from inside
  hml_friction__gradient(law, y, gradient);
  hml_friction__hessian(law, y, hessian);
  for (size_t i = 0; i < n; i++) unit[i] = hml_friction__unit(law, i);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      a[i][j] = (i == j) + fmax(normal, 0) * hessian[i * n + j] / (unit[i] * unit[j]);
      b[i][j] = i == j;
    }
    b[i][n] = gradient[i] / unit[i];
  }
  solve(n, a, b, n + 1);
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) by_z[i * n + j] -= b[i][j] * unit[i] / unit[j];
    by_normal[i] = normal >= 0 ? b[i][n] * unit[i] : 0;
  }
  return true;
}
