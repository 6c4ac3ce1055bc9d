// dense.c: the polynomial of each step, the dense output: values between the steps need no right-hand side. The methods compute its
// coefficients.
//
// With theta from 0 to 1 over the step and pieces c_0, c_1, ... (vectors of n each):
//   x(theta) = y + theta (c_0 + (1 - theta)(c_1 + theta (c_2 + (1 - theta)(c_3 + ...))))
// This is Newton's form on the nodes 0, 1, 0, 1, ...; it is the one of Hairer, Norsett, Wanner I, II.6. c_0 = y1 - y makes
// the ends meet whatever the other pieces are; c_1 and c_2 fix the slopes there.
#include "integrate/stepper.h"

#include <float.h>
#include <math.h>

enum { MOST_CONDITIONS = 8, MOST_PIECES = 16 };
enum { FEW = 8 };                      // components: fewer are taken one by one

void hml_dense__value(size_t n, size_t pieces, const double *y, const double *piece, double theta, double *x) {
  for (size_t i = 0; i < n && n < FEW; i++) {
    size_t k = pieces - 1;
    double sum = piece[k * n + i];
    if (k % 2 == 1) k--, sum = piece[k * n + i] + (1 - theta) * sum;
    for (; k > 0; k -= 2) {
      sum = piece[(k - 1) * n + i] + theta * sum;
      sum = piece[(k - 2) * n + i] + (1 - theta) * sum;
    }
    x[i] = y[i] + theta * sum;
  }
  if (n < FEW) return;
  for (size_t i = 0; i < n; i++) x[i] = piece[(pieces - 1) * n + i];
  for (size_t k = pieces - 1; k-- > 0;) {
    double w = k % 2 == 0 ? 1 - theta : theta;
    for (size_t i = 0; i < n; i++) x[i] = piece[k * n + i] + w * x[i];
  }
  for (size_t i = 0; i < n; i++) x[i] = y[i] + theta * x[i];
}

// theta^i (1 - theta)^j at i/(i + j)
double hml_dense__peak(size_t k) {
  const double i = (double)(k / 2 + 1), j = (double)((k + 1) / 2);
  return pow(i / (i + j), i) * (j > 0 ? pow(j / (i + j), j) : 1);
}

void hml_dense__slope(size_t n, size_t pieces, const double *piece, double theta, double *slope) {
  const double left = 1 - theta;
  for (size_t i = 0; i < n; i++) {
    size_t k = pieces - 1;
    double x = piece[k * n + i], dx = 0;
    if (k % 2 == 1) k--, dx = -x, x = piece[k * n + i] + left * x;
    for (; k > 0; k -= 2) {
      dx = theta * dx + x;
      x = piece[(k - 1) * n + i] + theta * x;
      dx = left * dx - x;
      x = piece[(k - 2) * n + i] + left * x;
    }
    slope[i] = theta * dx + x;
  }
}

// c_3 ... c_6 and the powers 4 ... 7 of theta determine each other: the products are t^2 (1 - t)^2 = ... + t^4, t^3 (1 - t)^2 = ... - 2 t^4 + t^5,
// t^3 (1 - t)^3 = ... - 3 t^4 + 3 t^5 - t^6, and t^4 (1 - t)^3 = t^4 - 3 t^5 + 3 t^6 - t^7
void hml_dense__shorten(size_t n, double *piece, double theta) {
  const double t4 = theta * theta * theta * theta, t5 = t4 * theta, t6 = t5 * theta, t7 = t6 * theta;
  double *c3 = piece + 3 * n, *c4 = c3 + n, *c5 = c4 + n, *c6 = c5 + n;
  for (size_t i = 0; i < n; i++) {
    double p4 = t4 * (c3[i] - 2 * c4[i] - 3 * c5[i] + c6[i]), p5 = t5 * (c4[i] + 3 * c5[i] - 3 * c6[i]), p6 = t6 * (3 * c6[i] - c5[i]);
    c6[i] *= t7;
    c5[i] = 3 * c6[i] - p6;
    c4[i] = p5 - 3 * c5[i] + 3 * c6[i];
    c3[i] = p4 + 2 * c4[i] + 3 * c5[i] - c6[i];
  }
}

// x = y + theta (c_0 + (1 - theta)(c_1 + ...)) about m
// Two pieces at a time: x = y + theta c_0 + q (c_1 + theta c_2 + q (c_3 + ...)) with q = theta (1 - theta) = m (1 - m) + (1 - 2m) s - s^2
double hml_dense__recentre(size_t pieces, double y, const double *piece, size_t stride, double m, double *p) {
  const double q0 = m * (1 - m), q1 = 1 - 2 * m;
  double size = 0;
  size_t k = pieces % 2 == 0 ? pieces + 1 : pieces, degree = 0;    // an even number has a last piece without a companion
  p[0] = p[1] = 0;
  for (k -= 1;; k -= 2) {
    // q times the present polynomial, then c_(k-1) + theta c_k
    double c = k < pieces ? piece[k * stride] : 0, before = k ? piece[(k - 1) * stride] : y;
    size += fabs(c) + (k ? fabs(before) : 0);
    if (degree) {
      p[degree + 2] = -p[degree];
      p[degree + 1] = q1 * p[degree] - p[degree - 1];
      for (size_t j = degree; j > 1; j--) p[j] = q0 * p[j] + q1 * p[j - 1] - p[j - 2];
      p[1] = q0 * p[1] + q1 * p[0];
      p[0] *= q0;
    }
    p[0] += before + m * c;
    p[1] += c;
    if (k == 0) return size;
    degree = degree ? degree + 2 : 1;
  }
}

hml_range hml_dense__range(size_t n, size_t pieces, const double *y, const double *piece, size_t i, double m, double r, double *p) {
  double size = hml_dense__recentre(pieces, y[i], piece + i, n, m, p), reach = 4 * DBL_EPSILON * (fabs(y[i]) + (m + r) * size), power = 1;
  for (size_t j = 1; j <= pieces; j++) {
    power *= r;
    reach += fabs(p[j]) * power;
  }
  return (hml_range){p[0] - reach, p[0] + reach};
}

void hml_dense__hermite(size_t n, const hml_step *s, double *piece) {
  double *c0 = piece, *c1 = piece + n, *c2 = piece + 2 * n;
  for (size_t i = 0; i < n; i++) {
    c0[i] = s->y1[i] - s->y[i];
    c1[i] = s->h * s->f[i] - c0[i];
    c2[i] = c0[i] - s->h * s->f1[i] - c1[i];
  }
}

// Values of theta, theta (1 - theta), theta^2 (1 - theta), ... or their slopes
static void basis(double theta, size_t m, bool slope, double *out) {
  double value = theta, derivative = 1;
  for (size_t k = 0; k < m; k++) {
    out[k] = slope ? derivative : value;
    double w = k % 2 == 0 ? 1 - theta : theta, dw = k % 2 == 0 ? -1 : 1;
    derivative = derivative * w + value * dw;
    value *= w;
  }
}

static void subtract_row(size_t n, double factor, const double *from, double *row) {
  for (size_t i = 0; i < n; i++) row[i] -= factor * from[i];
}

static void swap_rows(size_t n, double *a, double *b) {
  for (size_t i = 0; i < n; i++) {
    double keep = a[i];
    a[i] = b[i];
    b[i] = keep;
  }
}

// Elimination with row pivoting of a (count x count) on the rows of c (count x n); rows of a have largest entry 1
static bool solve(size_t n, size_t count, double a[MOST_CONDITIONS][MOST_PIECES], double *c) {
  for (size_t k = 0; k < count; k++) {
    size_t pivot = k;
    for (size_t i = k + 1; i < count; i++)
      if (fabs(a[i][k]) > fabs(a[pivot][k])) pivot = i;
    if (!(fabs(a[pivot][k]) > 1e-13)) return false;
    if (pivot != k) {
      swap_rows(count, a[k], a[pivot]);
      swap_rows(n, c + k * n, c + pivot * n);
    }
    for (size_t i = k + 1; i < count; i++) {
      double factor = a[i][k] / a[k][k];
      subtract_row(count, factor, a[k], a[i]);
      subtract_row(n, factor, c + k * n, c + i * n);
    }
  }
  for (size_t k = count; k-- > 0;) {
    for (size_t j = k + 1; j < count; j++) subtract_row(n, a[k][j], c + j * n, c + k * n);
    for (size_t i = 0; i < n; i++) c[k * n + i] /= a[k][k];
  }
  return true;
}

// Finds pieces first ... first + count - 1 from as many conditions, those below given. False, and these pieces zero, when
// the conditions do not determine them.
bool hml_dense__fit(size_t n, const double *y, double *piece, size_t first, size_t count, const hml_condition *conditions) {
  double a[MOST_CONDITIONS][MOST_PIECES], phi[MOST_PIECES];
  if (count > MOST_CONDITIONS || first + count > MOST_PIECES) return false;
  double *c = piece + first * n;
  for (size_t row = 0; row < count; row++) {
    const hml_condition *condition = conditions + row;
    basis(condition->theta, first + count, condition->slope, phi);
    double largest = 0;
    for (size_t k = 0; k < count; k++) largest = fmax(largest, fabs(phi[first + k]));
    if (largest == 0) largest = 1;
    for (size_t k = 0; k < count; k++) a[row][k] = phi[first + k] / largest;
    for (size_t i = 0; i < n; i++) {
      double left = condition->scale * condition->data[i] - (condition->slope ? 0 : y[i]);
      for (size_t k = 0; k < first; k++) left -= phi[k] * piece[k * n + i];
      c[row * n + i] = left / largest;
    }
  }
  if (solve(n, count, a, c)) return true;
  for (size_t i = 0; i < count * n; i++) c[i] = 0;
  return false;
}
