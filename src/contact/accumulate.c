// accumulate.c: limits of impact instants, by Aitken's delta-squared process.
//
// With flights d_n = t_n - t_(n-1) of ratio q, A(n) = t_n + d_n^2/(d_(n-1) - d_n) removes the geometric part. Where the ratio drifts with
// the speed, d_(n+1)/d_n = q (1 + O(d_n)), A(n) converges like q^(2n) and Aitken's process on A like q^(3n). Each candidate has its own
// error: its last change, continued as a geometric series, plus the effect of the errors of the instants. The least error is used, and of gaps
// that strike in turn what the candidates differ by.
#include "accumulate.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { LAST = HML_ACCUMULATION_INSTANTS - 1 };

static const double LARGEST_RATIO = 0.999;

void hml_accumulation__clear(hml_accumulation *gap) { *gap = (hml_accumulation){.impacts = 0}; }

void hml_accumulation__strike(hml_accumulation *gaps, size_t n, size_t which, double t) {
  hml_accumulation *g = gaps + which;
  for (size_t i = 0; i < n; i++)
    if (i != which) gaps[i].since++;
  memmove(g->t, g->t + 1, LAST * sizeof *g->t);
  memmove(g->others, g->others + 1, LAST * sizeof *g->others);
  g->t[LAST] = t;
  g->others[LAST] = g->since;
  g->since = 0;
  g->impacts++;
}

// The limit of a, b, c if they are geometric
static double aitken(double a, double b, double c) {
  double before = b - a, last = c - b;
  return before == last ? c : c + last * last / (before - last);
}

// What errors of size 1 of three numbers with ratio q make of their limit
static double amplified(double q) {
  double a = (1 + q) / (1 - q);
  return a * a;
}

// What is still missing when the last change was known to within noise and changes have ratio q; fourfold, since q has not settled
static double missing(double change, double noise, double q) { return 4 * fabs(change) * fmax(1, q / (1 - q)) + noise * (1 + q / (1 - q)); }

typedef struct candidates {
  double t[3], error[3];
  size_t n;
} candidates;

static void offer(candidates *c, double t, double error) {
  if (isfinite(t)) c->t[c->n] = t, c->error[c->n++] = error;
}

// The candidate of least error. Gaps in turn have several ratios, which the changes of one candidate do not show: it may be off by what others
// differ from it
static void choose(const candidates *c, bool in_turn, hml_accumulation_limit *best) {
  double apart = 0;
  for (size_t i = 0; i < c->n; i++)
    if (c->error[i] < best->error) best->t = c->t[i], best->error = c->error[i];
  for (size_t i = 0; i < c->n && in_turn; i++) apart = fmax(apart, fabs(c->t[i] - best->t));
  best->error += 2 * apart;
}

// Instants 1 to 6 with ratio q
static candidates extrapolate(const double *t, double located, double q) {
  candidates all = {.n = 0};
  double a[LAST + 1], noise = located * amplified(q);
  for (int i = 2; i <= LAST; i++) a[i] = aitken(t[i - 2], t[i - 1], t[i]);
  offer(&all, a[LAST], missing(a[LAST] - a[LAST - 1], noise, q * q));
  // every other instant: larger truncation, smaller noise
  double twice = aitken(t[LAST - 4], t[LAST - 2], t[LAST]), before = aitken(t[LAST - 5], t[LAST - 3], t[LAST - 1]);
  offer(&all, twice, missing(twice - before, located * amplified(q * q), q * q));
  // the process on A, unless its differences are noise
  double change = a[LAST] - a[LAST - 1], previous = a[LAST - 1] - a[LAST - 2], drift = change / previous;
  if (!(fabs(change) > noise) || !(fabs(drift) < 1)) return all;
  double again = aitken(a[LAST - 2], a[LAST - 1], a[LAST]), earlier = aitken(a[LAST - 3], a[LAST - 2], a[LAST - 1]);
  offer(&all, again, missing(again - earlier, noise * amplified(fabs(drift)), q * q * q));
  return all;
}

hml_accumulation_limit hml_accumulation__limit(const hml_accumulation *gap, double located, double flight, double e) {
  const double *t = gap->t, now = t[LAST];
  hml_accumulation_limit limit = {HML_ACCUMULATION_IRREGULAR, now, INFINITY, NAN, gap->impacts};
  size_t known = gap->impacts < HML_ACCUMULATION_INSTANTS ? gap->impacts : HML_ACCUMULATION_INSTANTS;
  size_t first = HML_ACCUMULATION_INSTANTS - known;
  if (known == 0) return limit;
  // gaps that take turns do so in the same way each time, and flights become shorter
  bool alone = gap->since == 0, regular = true;
  for (size_t i = first + 1; i <= LAST; i++) {
    alone &= gap->others[i] == 0;
    regular &= gap->others[i] == gap->others[LAST];
    if (i >= first + 2) regular &= t[i] - t[i - 1] < t[i - 1] - t[i - 2];
  }
  if (known >= 3) limit.ratio = (now - t[LAST - 1]) / (t[LAST - 1] - t[LAST - 2]);
  if (regular && known == HML_ACCUMULATION_INSTANTS && limit.ratio <= LARGEST_RATIO) {
    const candidates all = extrapolate(t, fmax(located, 0.5 * DBL_EPSILON * fabs(now)), limit.ratio);
    choose(&all, !alone, &limit);
    if (isfinite(limit.error) && limit.t >= now) {
      limit.kind = HML_ACCUMULATION_GEOMETRIC;
      return limit;
    }
    limit.t = now;
    limit.error = INFINITY;
  }
  if (!alone || (known >= 3 && !regular) || !(e < 1) || !(flight >= 0) || !isfinite(flight)) return limit;
  double tail = flight / (1 - e), measured = known >= 3 ? flight / (1 - limit.ratio) : tail;
  limit.kind = HML_ACCUMULATION_FIRST_ORDER;
  limit.t = now + tail;
  limit.error = fmax(flight, fabs(tail - measured));
  if (known < 3) limit.ratio = e;
  return limit;
}

hml_accumulation_limit hml_accumulation__common(const hml_accumulation *gaps, size_t n, const bool *taking, double located,
                                                const double *flight, const double *e) {
  hml_accumulation_limit best = {HML_ACCUMULATION_IRREGULAR, -INFINITY, INFINITY, NAN, 0};
  size_t count = 0, impacts = 0;
  double least = -INFINITY, most = INFINITY, latest = -INFINITY;
  bool agree = true;
  for (size_t i = 0; i < n; i++) {
    if (!taking[i]) continue;
    hml_accumulation_limit one = hml_accumulation__limit(gaps + i, located, flight[i], e[i]);
    if (count++ == 0 || one.error < best.error) best = one;
    impacts += one.impacts;
    agree &= one.kind == HML_ACCUMULATION_GEOMETRIC;
    least = fmax(least, one.t - one.error);
    most = fmin(most, one.t + one.error);
    latest = fmax(latest, gaps[i].t[LAST]);
  }
  if (count <= 1) return best;
  best.impacts = impacts;
  if (agree && least <= most && best.t >= latest) return best;
  return (hml_accumulation_limit){HML_ACCUMULATION_IRREGULAR, latest, INFINITY, NAN, impacts};
}
