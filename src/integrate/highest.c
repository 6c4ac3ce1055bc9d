// highest.c: the largest or least value of a function on a step of a motion.
//
// The step is halved into parts. A part is done where a bound on a disk around it, or its range, shows that it holds no larger value than the best one
// so far. It is done, too, where the function is a polynomial of degree 15 but for a share of 1e-10: its departure R on a disk of six times the radius
// bounds the Taylor terms of higher degree by R 6^-16/(1 - 1/6). Such a part is sampled four times in each half wave of the polynomial, and the highest
// samples are closed in on. Corners, jumps and holes end up in parts too short to matter.
#include "integrate/highest.h"

#include <math.h>

#define DISK 6.0                       // radii of a part
#define REST (1.2 * 3.545e-13)         // of the departure on the disk: 6^-16/(1 - 1/6)
#define CLOSE 1e-10                    // share of the values to which the largest is found
#define NO_LARGER 1e-12                // share of the best value by which a bound may exceed it
#define SHORTEST 0x1p-42               // radius of a part
enum { SAMPLES = 60, GOLDEN = 45, MOST_PARTS = 4000 };

typedef struct search {
  hml_traced *f;
  const hml_program *p;
  const hml_step *s;
  const double *piece;
  double sign, best;                   // of sign times the function
  double where;
  unsigned parts;
  bool odd;                            // a value that is not finite was met
} search;

static double look(search *k, double theta) {
  hml_range range;
  const double value = k->sign * hml_traced__value_on(k->f, k->p, k->s, k->piece, theta);
  if (isfinite(value)) {
    k->best = fmax(k->best, value);
    return value;
  }
  if (hml_traced__range(k->f, k->p, k->s, k->piece, theta, 0, &range) != HML_RANGE_UNDEFINED && !(value < 0)) {
    k->best = value;
    k->odd = true;
  }
  return -INFINITY;
}

// The function has one maximum between a and b
static void close_in(search *k, double a, double b) {
  const double golden = 0.3819660112501051;
  double x1 = a + golden * (b - a), x2 = b - golden * (b - a), f1 = look(k, x1), f2 = look(k, x2);
  for (int i = 0; i < GOLDEN && !k->odd; i++) {
    if (f1 >= f2) b = x2, x2 = x1, f2 = f1, x1 = a + golden * (b - a), f1 = look(k, x1);
    else a = x1, x1 = x2, f1 = f2, x2 = b - golden * (b - a), f2 = look(k, x2);
  }
}

static void sample(search *k, double m, double r) {
  double theta[SAMPLES + 1], v[SAMPLES + 1];
  for (int i = 0; i <= SAMPLES && !k->odd; i++) {
    theta[i] = m - r * cos(3.14159265358979323846 * i / SAMPLES);
    v[i] = look(k, theta[i]);
  }
  for (int i = 0; i <= SAMPLES && !k->odd; i++) {
    const double before = i > 0 ? v[i - 1] : v[i], after = i < SAMPLES ? v[i + 1] : v[i];
    if (v[i] < before || v[i] < after || v[i] + fmax(v[i] - before, v[i] - after) <= k->best) continue;
    close_in(k, theta[i > 0 ? i - 1 : i], theta[i < SAMPLES ? i + 1 : i]);
  }
}

static bool holds_nothing_larger(search *k, double m, double r) {
  hml_disk disk;
  hml_range range;
  double terms;
  const double best = k->best + NO_LARGER * fabs(k->best);
  if (hml_traced__disk(k->f, k->p, k->s, k->piece, m, r, &disk, &terms) && k->sign * disk.centre + disk.reach <= best) return true;
  if (hml_traced__range(k->f, k->p, k->s, k->piece, m, r, &range) == HML_RANGE_UNDEFINED) return false;
  return (k->sign > 0 ? range.high : -range.low) <= best;
}

static bool is_resolved(search *k, double m, double r) {
  hml_disk disk;
  double terms;
  if (!hml_traced__disk(k->f, k->p, k->s, k->piece, m, DISK * r, &disk, &terms)) return false;
  return REST * disk.reach <= fmax(CLOSE * fmax(fabs(disk.centre), fabs(k->best)), 8 * 2.2e-16 * terms);
}

static hml_status part(search *k, double m, double r) {
  k->where = m;
  if (++k->parts > MOST_PARTS) return HML_LIMIT;
  if (k->odd || holds_nothing_larger(k, m, r)) return HML_OK;
  if (is_resolved(k, m, r)) return sample(k, m, r), HML_OK;
  if (r < SHORTEST) return look(k, m - r), look(k, m), look(k, m + r), HML_OK;
  HML_TRY(part(k, m - r / 2, r / 2));
  return part(k, m + r / 2, r / 2);
}

hml_status hml_highest__on_step(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, int sign, double *best, double *where) {
  search k = {.f = f, .p = p, .s = s, .piece = piece, .sign = sign, .best = sign * *best};
  if (isnan(*best)) return HML_OK;
  hml_status status = part(&k, 0.5, 0.5);
  *best = sign * k.best;
  *where = k.where;
  return status;
}
