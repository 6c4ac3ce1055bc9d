// highest.c: the largest or least value of a function on a step of a motion.
//
// The step is halved into parts. A part is done where a bound on a disk around it, or its range, shows that it holds no larger value than the best one
// so far. It is done, too, where the function is a polynomial of degree 15 but for a share of 1e-10: its departure R on a disk of six times the radius
// bounds the Taylor terms of higher degree by R 6^-16/(1 - 1/6). Such a part is sampled four times in each half wave of the polynomial, and the highest
// samples are closed in on.
//
// A part with corners is cut at the zeros of their arguments (branches.c), and between these the function is one of its branches, which are smooth. Where
// not all zeros are known, it is done where none of the branches that may hold is larger than the best value. Jumps, holes and other corners end up in
// parts too short to matter.
//
// Where many parts are needed, since the largest value is zero, say, and no bound on its neighbours is, the largest value is found to less: to a share of
// the values of the function on the step, or of the terms of its sums.
#include "integrate/highest.h"

#include <float.h>
#include <math.h>

#define CLOSE 1e-10                    // share of the values to which the largest is found
#define NO_LARGER 1e-12                // share of the best value by which a bound may exceed it
#define OF_TERMS 1e-12                 // least share of the terms to which it is found in many parts
#define SHORTEST 0x1p-42               // radius of a part
enum { GOLDEN = 45, MANY_PARTS = 800, MOST_PARTS = 4000 };

typedef struct search {
  hml_traced *f;
  const hml_program *p;
  hml_branches *branches;
  const signed char *sides;            // of the branch whose values are looked at; NULL: those of the function
  const hml_step *s;
  const double *piece;
  double sign, best;                   // of sign times the function
  double size, terms;                  // of its values on the step, and of the terms of its sums
  double share;                        // of these, to which the largest value is wanted at least
  double where;
  unsigned parts;
  bool odd;                            // a value that is not finite was met
} search;

static double value_at(search *k, double theta) {
  hml_disk disk;
  double terms;
  if (!k->sides) return hml_traced__value_on(k->f, k->p, k->s, k->piece, theta);
  return hml_traced__disk(k->f, k->p, k->s, k->piece, theta, 0, k->sides, &disk, &terms) ? disk.centre : NAN;
}

static double look(search *k, double theta) {
  hml_range range;
  const double value = k->sign * value_at(k, theta);
  if (isfinite(value)) {
    k->best = fmax(k->best, value);
    k->size = fmax(k->size, fabs(value));
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

double hml_highest__rest(double reach) {
  return 1.2 * 3.545e-13 * reach;
}

double hml_highest__place(double m, double r, int i) {
  return m - r * cos(3.14159265358979323846 * i / HML_HIGHEST_SAMPLES);
}

static void sample(search *k, double m, double r) {
  double theta[HML_HIGHEST_SAMPLES + 1], v[HML_HIGHEST_SAMPLES + 1];
  for (int i = 0; i <= HML_HIGHEST_SAMPLES && !k->odd; i++) {
    theta[i] = hml_highest__place(m, r, i);
    v[i] = look(k, theta[i]);
  }
  for (int i = 0; i <= HML_HIGHEST_SAMPLES && !k->odd; i++) {
    const double before = i > 0 ? v[i - 1] : v[i], after = i < HML_HIGHEST_SAMPLES ? v[i + 1] : v[i];
    if (v[i] < before || v[i] < after || v[i] + fmax(v[i] - before, v[i] - after) <= k->best) continue;
    close_in(k, theta[i > 0 ? i - 1 : i], theta[i < HML_HIGHEST_SAMPLES ? i + 1 : i]);
  }
}

// To which the largest value is found after many parts; 0: that is not yet so
static double coarse(const search *k) {
  return k->parts > MANY_PARTS ? fmax(CLOSE * k->size, k->share * k->terms) : 0;
}

static bool on_disk(search *k, double m, double r, const signed char *sides, hml_disk *disk, double *terms) {
  const bool known = hml_traced__disk(k->f, k->p, k->s, k->piece, m, r, sides, disk, terms);
  if (known) k->terms = fmax(k->terms, *terms);
  return known;
}

static bool holds_nothing_larger(search *k, double m, double r, const signed char *sides) {
  hml_disk disk;
  hml_range range;
  double terms;
  const double best = k->best + fmax(NO_LARGER * fabs(k->best), coarse(k));
  if (on_disk(k, m, r, sides, &disk, &terms) && k->sign * disk.centre + disk.reach <= best) return true;
  if (hml_traced__range(k->f, k->p, k->s, k->piece, m, r, &range) == HML_RANGE_UNDEFINED) return false;
  return (k->sign > 0 ? range.high : -range.low) <= best;
}

static bool is_resolved(search *k, double m, double r, const signed char *sides) {
  hml_disk disk;
  double terms;
  if (!on_disk(k, m, HML_HIGHEST_DISK * r, sides, &disk, &terms)) return false;
  return hml_highest__rest(disk.reach) <= fmax(fmax(CLOSE * fmax(fabs(disk.centre), fabs(k->best)), 8 * DBL_EPSILON * terms), coarse(k));
}

// ---- parts

static hml_status part(search *k, double m, double r, const signed char *sides);

// The pieces between the places where signs change
static hml_status in_pieces(search *k, double a, double b, hml_sides *sides) {
  while (a < b) {
    double next = b;
    for (size_t i = 0; i < HML_MOST_CORNERS; i++) next = sides->change[i] > a ? fmin(next, sides->change[i]) : next;
    for (size_t i = 0; i < HML_MOST_CORNERS; i++)
      if (sides->change[i] <= a) sides->sign[i] = (signed char)-sides->sign[i], sides->change[i] = b;
    HML_TRY(part(k, 0.5 * (a + next), 0.5 * (next - a), sides->sign));
    a = next;
  }
  return HML_OK;
}

// Is no larger value taken by any of the branches of which one holds?
static bool no_branch_is_larger(search *k, double m, double r, hml_sides *sides) {
  bool fine = sides->n_open <= HML_MOST_OPEN;
  for (unsigned choice = 0; fine && hml_branches__choose(sides, choice); choice++) fine = is_resolved(k, m, r, sides->sign);
  if (!fine) return false;
  sample(k, m, r);
  for (unsigned choice = 0; fine && !k->odd && hml_branches__choose(sides, choice); choice++) {
    search branch = *k;
    branch.sides = sides->sign;
    sample(&branch, m, r);
    fine = branch.best <= k->best + fmax(CLOSE * fabs(k->best), coarse(k));
  }
  return fine;
}

// sides: of the corners, all over the part; NULL: not known
static hml_status part(search *k, double m, double r, const signed char *sides) {
  hml_sides own = {.known = false};
  k->where = m;
  if (++k->parts > MOST_PARTS) return HML_LIMIT;
  if (k->odd || holds_nothing_larger(k, m, r, sides)) return HML_OK;
  if (is_resolved(k, m, r, sides)) return sample(k, m, r), HML_OK;
  if (r < SHORTEST) return look(k, m - r), look(k, m), look(k, m + r), HML_OK;
  if (!sides && k->branches) {
    HML_TRY(hml_branches__sides(k->branches, m - r, m + r, &own));
    if (own.known) return in_pieces(k, m - r, m + r, &own);
    if (no_branch_is_larger(k, m, r, &own)) return HML_OK;
  }
  HML_TRY(part(k, m - r / 2, r / 2, sides));
  return part(k, m + r / 2, r / 2, sides);
}

hml_status hml_highest__on_step(hml_traced *f, const hml_program *p, hml_branches *branches, const hml_step *s, const double *piece, int sign, double share,
                                double *best, double *where) {
  search k = {.f = f, .p = p, .branches = branches, .s = s, .piece = piece, .sign = sign, .best = sign * *best, .share = fmax(share, OF_TERMS)};
  if (isnan(*best)) return HML_OK;
  HML_TRY(hml_branches__enter(branches, s, piece));
  if (isfinite(k.best)) k.size = fabs(k.best);
  hml_status status = part(&k, 0.5, 0.5, NULL);
  *best = sign * k.best;
  *where = k.where;
  return status;
}
