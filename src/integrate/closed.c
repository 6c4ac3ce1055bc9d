// closed.c: closed orbits proved in balls: a start x and a period T with x(T) = x.
//
// Unknowns: x and T. Equations: the conditions (a section; k integrals such as the energy and constraints) and n - k rows of x(T) - x. Integrals have
// the same value at both ends, and the rows left out follow from them where their derivatives by the states left out are regular over the hull
// of both ends (mean value theorem). States that nothing depends on need not close; each has a condition of its own at the start.
//
// Closed may mean closed by a symmetry S of the equations: S x(T) = x, where S changes the signs of some states (a quaternion and its negative are one
// attitude) and takes away the shifts of others (turns of an angle, the period of a force). Then S x(T) stands for x(T) above.
//
// Half orbits: R changes the signs of the mirrored states, and x(-t) = R y(t) is a motion with each motion y. Where these states vanish at 0 and at T,
// the motion is closed after 2 T (Devaney 1976), and its derivative by the start is R D^-1 R D, D that at T.
//
// Held states are parameters known within bounds. Newton's method takes their midpoints; the test holds F over the whole bounds, so that each of their
// values has a closed orbit in the box, and only one.
#define HML_BALLS
#include "integrate.h"

#ifdef HAMEL_ARB

#include <math.h>
#include <stdio.h>

enum { ROUGH_BITS = 64, MOST_WIDENINGS = 10, FAR = 3 };
// Work of a search, in steps: of one passage, in those of the first one; of all, in passages besides one for each step of Newton's method; some more of both
enum { LONGER = 4, SEARCHED = 30, SOME_STEPS = 60 };

typedef struct orbit {
  hml_context *context;
  hml_enclosure *e;
  const hml_closed_spec *spec;
  slong n, all, bits;                  // states that are unknown; with the held ones
  arb_srcptr held;                     // these in the present computation
  bool *left_out, *replaced, *flipped; // states without a closing row; those of them whose rows follow from the integrals; those with a sign   (n)
  arb_ptr end, hull, rate, values;     // (all), (all), (all), (conditions)
  arb_ptr start, middle;               // a start with the held states; midpoints of these                              (all), (held)
  bool chosen;                         // the rows of the states left out are so
  double guess;                        // of the period
  size_t steps;                        // of the longest passage
  bool searching;                      // for a start, in midpoints, with what is left of the work that a search may take
  size_t first, left;                  // steps of the first passage of the search, 0 before it; that it may still take
  arb_mat_t gradient, D, field;        // of the conditions (conditions, all); of x(T) by x; of the rates by the states   (all, all)
} orbit;

static slong conditions_of(const orbit *o) { return (slong)o->spec->conditions; }

// The states in y with the held ones behind them
static arb_srcptr whole_start(orbit *o, arb_srcptr y) {
  for (slong i = 0; i < o->all; i++) arb_set(o->start + i, i < o->n ? y + i : o->held + i - o->n);
  return o->start;
}

// x(t + rest) = x(t) + rest x' for x(t) in `at`, x' over a set that holds the motion in between: o->end, o->hull
static hml_status move_by(orbit *o, arb_srcptr at, const arb_t rest) {
  arb_t move;
  mag_t most, size;
  arb_init(move), mag_init(most), mag_init(size);
  for (slong i = 0; i < o->all; i++) arb_set(o->hull + i, at + i);
  hml_status status = HML_OK;
  bool inside = false;
  for (int k = 0; k < MOST_WIDENINGS && !inside && status == HML_OK; k++) {
    status = hml_enclosure__at(o->e, o->hull, o->rate, NULL, NULL);
    if (status != HML_OK) break;
    inside = true;
    mag_zero(most);
    for (slong i = 0; i < o->n; i++) {
      arb_mul(move, rest, o->rate + i, o->bits);
      arb_add(o->end + i, at + i, move, o->bits);
      inside &= arb_contains(o->hull + i, o->end + i);
      arb_get_mag(size, move);
      mag_max(most, most, size);
    }
    if (inside) break;
    // all by the same amount: a rate of zero would never be passed otherwise
    mag_mul_2exp_si(most, most, 2);
    for (slong i = 0; i < o->n; i++) {
      arb_set(o->hull + i, at + i);
      arb_add_error_mag(o->hull + i, most);
      // what the sum may be rounded by, of a state of any size
      arb_get_mag(size, at + i);
      mag_add_ui(size, size, 1);
      mag_mul_2exp_si(size, size, 8 - o->bits);
      arb_add_error_mag(o->hull + i, size);
    }
  }
  if (status == HML_OK && !inside) status = hml_fail(o->context, HML_LIMIT, "the period is not known well enough");
  arb_clear(move), mag_clear(most), mag_clear(size);
  return status;
}

// x(T) from that at the midpoint of T
static hml_status widen_to(orbit *o, arb_srcptr T) {
  arb_t rest;
  arb_init(rest);
  mag_set(arb_radref(rest), arb_radref(T));
  hml_status status = move_by(o, hml_enclosure__hull(o->e), rest);
  arb_clear(rest);
  return status;
}

// S x(T), its derivatives
static void apply_symmetry(orbit *o) {
  for (slong i = 0; i < o->n; i++) {
    if (o->flipped[i]) {
      arb_neg(o->end + i, o->end + i);
      for (slong j = 0; j < o->n; j++) arb_neg(arb_mat_entry(o->D, i, j), arb_mat_entry(o->D, i, j));
    }
    if (o->spec->shift) arb_sub(o->end + i, o->end + i, o->spec->shift + i, o->bits);
  }
}

// o->D: the derivatives of x(T) by x for all T: those at Tm times a flow over |T - Tm|, within exp(|T - Tm| |f'|) - 1 of the identity
static hml_status widen_tangent(orbit *o, arb_srcptr T) {
  slong n = o->n;
  arb_mat_set(o->D, hml_enclosure__tangent(o->e));
  if (mag_is_zero(arb_radref(T))) return HML_OK;
  HML_TRY(hml_enclosure__jacobian(o->e, o->hull, o->field));
  mag_t most, row, size;
  mag_init(most), mag_init(row), mag_init(size);
  for (slong i = 0; i < n; i++) {
    mag_zero(row);
    for (slong j = 0; j < n; j++) arb_get_mag(size, arb_mat_entry(o->field, i, j)), mag_add(row, row, size);
    mag_max(most, most, row);
  }
  mag_mul(most, most, arb_radref(T));
  mag_expm1(most, most);
  for (slong j = 0; j < n; j++) {
    mag_zero(row);
    for (slong i = 0; i < n; i++) arb_get_mag(size, arb_mat_entry(o->D, i, j)), mag_max(row, row, size);
    mag_mul(row, row, most);
    for (slong i = 0; i < n; i++) arb_add_error_mag(arb_mat_entry(o->D, i, j), row);
  }
  mag_clear(most), mag_clear(row), mag_clear(size);
  return HML_OK;
}

// Steps that the next passage may take: those of a search that goes astray only cost time
static size_t most_steps(const orbit *o) {
  size_t given = hml_enclosure__most_steps(o->e);
  if (!o->searching || o->first == 0) return given;
  size_t most = LONGER * o->first + SOME_STEPS;
  if (o->left < most) most = o->left;
  return given > 0 && given < most ? given : most;
}

// Follows the motion to the time T within the work that is left
static hml_status pass(orbit *o, const arb_t T) {
  size_t reached, given = hml_enclosure__most_steps(o->e), most = most_steps(o);
  if (o->searching && o->first > 0 && most == 0) return hml_fail(o->context, HML_LIMIT, "the search takes too long");
  arb_ptr results = _arb_vec_init((slong)hml_enclosure__results(o->e));
  hml_enclosure__set_most_steps(o->e, most);
  hml_status status = hml_enclosure__run(o->e, 1, T, results, &reached);
  hml_enclosure__set_most_steps(o->e, given);
  _arb_vec_clear(results, (slong)hml_enclosure__results(o->e));
  size_t steps = hml_enclosure__steps(o->e);
  if (steps > o->steps) o->steps = steps;
  if (!o->searching) return status;
  if (o->first == 0) {
    o->first = steps > 0 ? steps : 1;
    o->left = o->first * (o->spec->iterations + SEARCHED) + SOME_STEPS;
  }
  o->left -= steps < o->left ? steps : o->left;
  return status;
}

static hml_status follow(orbit *o, arb_srcptr y) {
  arb_t zero, middle;
  arb_init(zero), arb_init(middle);
  hml_enclosure__start(o->e, zero, whole_start(o, y));
  arb_get_mid_arb(middle, y + o->n);
  hml_status status = HML_OK;
  double period = arf_get_d(arb_midref(middle), ARF_RND_NEAR);
  // long motions of a search that has gone astray only cost time; every motion is closed after no time
  if (o->guess > 0 && period > FAR * o->guess)
    status = hml_fail(o->context, HML_SINGULAR, "Newton's method goes from the period %.6g to %.6g; give a better guess, such as S:periodic finds", o->guess, period);
  else if (!arb_is_positive(middle)) status = hml_fail(o->context, HML_SINGULAR, "the period became %.6g; give a better guess, such as S:periodic finds", period);
  else if (!arb_is_positive(y + o->n)) status = hml_fail(o->context, HML_SINGULAR, "the box of the proof holds the period 0, after which every motion is closed");
  else status = pass(o, middle);
  arb_clear(zero), arb_clear(middle);
  HML_TRY(status);
  HML_TRY(widen_to(o, y + o->n));
  HML_TRY(widen_tangent(o, y + o->n));
  apply_symmetry(o);
  return HML_OK;
}

static hml_status equations(void *payload, arb_srcptr y, arb_ptr F, arb_mat_struct *J) {
  orbit *o = payload;
  const hml_closed_spec *s = o->spec;
  slong n = o->n, row = 0;
  bool half = s->mirrored > 0;
  HML_TRY(follow(o, y));
  HML_TRY(hml_enclosure__at(o->e, o->hull, o->rate, NULL, NULL));
  for (slong i = 0; i < n; i++) {
    if (o->left_out[i]) continue;
    if (half) arb_set(F + row, o->end + i);
    else arb_sub(F + row, o->end + i, y + i, o->bits);
    for (slong j = 0; j < n; j++) {
      arb_set(arb_mat_entry(J, row, j), arb_mat_entry(o->D, i, j));
      if (i == j && !half) arb_sub_ui(arb_mat_entry(J, row, j), arb_mat_entry(J, row, j), 1, ROUGH_BITS);
    }
    if (o->flipped[i]) arb_neg(arb_mat_entry(J, row++, n), o->rate + i);
    else arb_set(arb_mat_entry(J, row++, n), o->rate + i);
  }
  HML_TRY(hml_enclosure__at(o->e, whole_start(o, y), NULL, o->values, o->gradient));
  for (slong k = 0; k < conditions_of(o); k++, row++) {
    arb_sub(F + row, o->values + s->output[k], s->target + k, o->bits);
    for (slong j = 0; j < n; j++) arb_set(arb_mat_entry(J, row, j), arb_mat_entry(o->gradient, s->output[k], j));
    arb_zero(arb_mat_entry(J, row, n));
  }
  return HML_OK;
}

// The rows left out. Of a half orbit: those of the states that are not mirrored. Otherwise those that need not close, and those by which the
// integrals change most, by complete pivoting. That of time stays: it alone gives the period, and Newton's method never leaves it
static hml_status choose_rows(orbit *o, arb_srcptr y) {
  const hml_closed_spec *s = o->spec;
  slong n = o->n, k = (slong)s->integrals, first = conditions_of(o) - k;
  if (s->mirrored > 0) {
    for (slong i = 0; i < n; i++) o->left_out[i] = true;
    for (size_t i = 0; i < s->mirrored; i++) o->left_out[s->mirror[i]] = false;
    for (size_t i = 0; i < s->advancing; i++) o->left_out[s->advance[i]] = true;
    return HML_OK;
  }
  for (size_t i = 0; i < s->advancing; i++) o->left_out[s->advance[i]] = true;
  HML_TRY(hml_enclosure__at(o->e, whole_start(o, y), NULL, o->values, o->gradient));
  double *A = flint_malloc((size_t)(k * n + 1) * sizeof *A);
  bool *used = flint_calloc((size_t)k + 1, sizeof *used), fine = true;
  for (slong i = 0; i < k; i++)
    for (slong j = 0; j < n; j++) A[i * n + j] = arf_get_d(arb_midref(arb_mat_entry(o->gradient, s->output[first + i], j)), ARF_RND_NEAR);
  for (slong step = 0; step < k && fine; step++) {
    double most = 0;
    slong row = 0, column = 0;
    for (slong i = 0; i < k; i++)
      for (slong j = 0; j < n; j++)
        if (!used[i] && !o->left_out[j] && j + 1 != (slong)s->clock && fabs(A[i * n + j]) > most) most = fabs(A[i * n + j]), row = i, column = j;
    fine = most > 0;
    if (!fine) break;
    used[row] = o->left_out[column] = o->replaced[column] = true;
    for (slong i = 0; i < k; i++) {
      double factor = A[i * n + column] / A[row * n + column];
      for (slong j = 0; j < n && i != row && !used[i]; j++) A[i * n + j] -= factor * A[row * n + j];
    }
  }
  flint_free(A);
  flint_free(used);
  return fine ? HML_OK : hml_fail(o->context, HML_SINGULAR, "the conditions depend on each other at the start: leave out one that follows from the others, or choose another section");
}

// Are the derivatives of the integrals by the states left out regular over the hull of both ends?
static hml_status rows_follow(orbit *o, arb_srcptr y, bool *follows) {
  const hml_closed_spec *s = o->spec;
  slong k = (slong)s->integrals, first = conditions_of(o) - k;
  *follows = true;
  if (k == 0 || s->mirrored > 0) return HML_OK;
  for (slong i = 0; i < o->all; i++) {
    if (i < o->n) arb_union(o->hull + i, o->end + i, y + i, ROUGH_BITS);
    else arb_set(o->hull + i, o->held + i - o->n);
  }
  HML_TRY(hml_enclosure__at(o->e, o->hull, NULL, o->values, o->gradient));
  arb_mat_t A, inverse;
  arb_mat_init(A, k, k), arb_mat_init(inverse, k, k);
  for (slong i = 0; i < k; i++)
    for (slong j = 0, column = 0; j < o->n; j++)
      if (o->replaced[j]) arb_set(arb_mat_entry(A, i, column++), arb_mat_entry(o->gradient, s->output[first + i], j));
  *follows = arb_mat_inv(inverse, A, ROUGH_BITS);
  arb_mat_clear(A), arb_mat_clear(inverse);
  return HML_OK;
}

// The derivatives of the states after a period by the start, from those in o->D
static bool form_monodromy(const orbit *o, arb_mat_struct *P) {
  const hml_closed_spec *s = o->spec;
  for (slong i = 0; i < o->n; i++)
    for (slong j = 0; j < o->n; j++) arb_set(arb_mat_entry(P, i, j), arb_mat_entry(o->D, i, j));
  if (s->mirrored == 0) return true;
  arb_mat_t inverse;
  arb_mat_init(inverse, o->n, o->n);
  bool regular = arb_mat_inv(inverse, P, ROUGH_BITS);
  for (size_t i = 0; i < s->mirrored; i++)
    for (slong j = 0; j < o->n; j++) {
      arb_neg(arb_mat_entry(inverse, s->mirror[i], j), arb_mat_entry(inverse, s->mirror[i], j));
      arb_neg(arb_mat_entry(inverse, j, s->mirror[i]), arb_mat_entry(inverse, j, s->mirror[i]));
    }
  arb_mat_mul(P, inverse, P, ROUGH_BITS);
  arb_mat_clear(inverse);
  return regular;
}

static bool loses(hml_status status) {
  return status == HML_LIMIT || status == HML_SINGULAR || status == HML_SINGULAR_MASS || status == HML_STEP_COLLAPSED;
}

// The radii of the first box: those given, or a hundred times the last Newton step
static void first_box(const orbit *o, const mag_t step, hml_krawczyk_proof *p) {
  mag_t radius, least;
  mag_init(radius), mag_init(least);
  mag_mul_ui(radius, step, 100);
  mag_set_ui_2exp_si(least, 1, 12 - o->bits);
  mag_max(radius, radius, least);
  for (slong i = 0; i <= o->n; i++) {
    if (o->spec->radius) arb_get_mag(p->radius + i, o->spec->radius + i);
    else mag_set(p->radius + i, radius);
  }
  mag_clear(radius), mag_clear(least);
}

// The next box: a little larger than the image of this one in each component. That of parameters hardly shrinks, and the boxes grow no more than they need
static void next_box(const orbit *o, hml_krawczyk_proof *p) {
  enum { NARROW = 20 };
  mag_t most;
  mag_init(most);
  for (slong i = 0; i <= o->n; i++) mag_max(most, most, p->image + i);
  mag_mul_2exp_si(most, most, -NARROW);
  for (slong i = 0; i <= o->n; i++) {
    mag_mul_ui(p->radius + i, p->image + i, o->spec->held > 0 ? 5 : 8);
    mag_mul_2exp_si(p->radius + i, p->radius + i, -2);
    mag_max(p->radius + i, p->radius + i, most);
  }
  mag_clear(most);
}

// What holds at the middle of y: how fast the states move that have to close, how small errors of the start have grown at the end
static void look_around(orbit *o, arb_srcptr y, hml_closed *out) {
  bool *skipped = flint_calloc((size_t)o->n + 1, sizeof *skipped);
  arb_ptr middle = _arb_vec_init(o->n + 1);
  mag_t size, most;
  mag_init(size), mag_init(most);
  for (size_t i = 0; i < o->spec->advancing; i++) skipped[o->spec->advance[i]] = true;
  for (slong i = 0; i <= o->n; i++) arb_get_mid_arb(middle + i, y + i);
  o->held = o->middle;
  out->rate = out->growth = INFINITY;
  // one passage more, whatever the search has taken
  if (o->left < o->first) o->left = o->first;
  if (hml_enclosure__at(o->e, whole_start(o, middle), o->rate, NULL, NULL) == HML_OK) {
    for (slong i = 0; i < o->n; i++) {
      arb_get_mag(size, o->rate + i);
      if (!skipped[i]) mag_max(most, most, size);
    }
    out->rate = mag_get_d(most);
  }
  hml_context_clear_error(o->context);
  o->searching = true;
  if (follow(o, middle) == HML_OK) {
    mag_zero(most);
    for (slong i = 0; i < o->n; i++)
      for (slong j = 0; j < o->n; j++) arb_get_mag(size, arb_mat_entry(o->D, i, j)), mag_max(most, most, size);
    out->growth = mag_get_d(most);
  }
  o->searching = false;
  hml_context_clear_error(o->context);
  mag_clear(size), mag_clear(most);
  _arb_vec_clear(middle, o->n + 1);
  flint_free(skipped);
}

static void report(const hml_krawczyk_proof *p, slong n, hml_closed *out) {
  out->tried = hml_largest(n, p->radius), out->image = hml_largest(n, p->image);
  out->contraction = hml_at_least(p->contraction), out->least = hml_at_least(p->least);
}

// Boxes about y, each by the image of the one before, until one holds its own
static hml_status try_boxes(orbit *o, const hml_krawczyk *k, arb_srcptr y, arb_ptr centre, hml_krawczyk_proof *p, hml_closed *out) {
  enum { MOST_TRIES = 8 };
  double before = INFINITY;
  hml_status status = HML_OK;
  for (int try = 0; try < (o->spec->radius ? 1 : MOST_TRIES) && status == HML_OK && !p->proved; try++) {
    if (try > 0) next_box(o, p);
    for (slong i = 0; i <= o->n; i++) arb_set(centre + i, y + i);
    double radius = hml_largest(o->n + 1, p->radius);
    // a box much wider than the proof will allow only costs time
    if (radius > 1) {
      if (try == 0) snprintf(out->reason, sizeof out->reason, "Newton's method comes near no orbit: its last step is %.2g; give a better guess, such as S:periodic finds, or "
                             "more iterations", radius / 100);
      break;
    }
    status = hml_krawczyk__prove(k, centre, p);
    report(p, o->n + 1, out);
    // over radii in better and better proportions the contraction falls, down to that of the best ones
    if (out->contraction >= 1 && out->contraction > 0.9 * before) break;
    before = out->contraction;
  }
  return status;
}

static hml_status prove(orbit *o, arb_ptr y, arb_ptr end, arb_ptr radii, arb_ptr images, hml_closed *out) {
  const hml_closed_spec *s = o->spec;
  hml_krawczyk k = {.context = o->context, .n = o->n + 1, .bits = o->bits, .equations = equations, .payload = o};
  hml_krawczyk_proof proof;
  arb_ptr centre = _arb_vec_init(o->n + 1);
  mag_t step;
  mag_init(step), hml_krawczyk__open(&proof, o->n + 1);
  o->held = o->middle;
  hml_status status = choose_rows(o, y);
  o->chosen = status == HML_OK;
  if (status == HML_OK) {
    o->searching = true;
    status = hml_krawczyk__newton(&k, y, s->iterations, step);
    o->searching = false;
    // where a step was long, the motion that was lost is far from the guess, whatever the bits
    out->astray = status != HML_OK && mag_cmp_2exp_si(step, -10) > 0;
  }
  o->held = s->held_values;
  bool follows = true;
  if (status == HML_OK) {
    first_box(o, step, &proof);
    status = try_boxes(o, &k, y, centre, &proof, out);
  }
  if (status == HML_OK && proof.proved) {
    status = follow(o, centre);
    for (slong i = 0; i < o->n && status == HML_OK; i++) arb_set(end + i, o->end + i);
    if (status == HML_OK) status = rows_follow(o, centre, &follows);
  }
  out->proved = status == HML_OK && proof.proved && follows;
  out->rows_fail = proof.proved && !follows;
  for (slong i = 0; i <= o->n; i++) {
    if (out->proved || out->rows_fail) arb_set(y + i, centre + i);
    arb_zero(radii + i), arb_zero(images + i);
    arf_set_mag(arb_midref(radii + i), proof.radius + i), arf_set_mag(arb_midref(images + i), proof.image + i);
  }
  _arb_vec_clear(centre, o->n + 1);
  mag_clear(step), hml_krawczyk__close(&proof);
  return status;
}

static void open_orbit(orbit *o, hml_context *c, hml_enclosure *e, const hml_closed_spec *s) {
  slong all = (slong)hml_enclosure__states(e), held = (slong)s->held, n = all - held, shown = (slong)hml_enclosure__shown(e);
  *o = (orbit){.context = c, .e = e, .spec = s, .n = n, .all = all, .held = s->held_values, .bits = hml_enclosure__bits(e),
               .left_out = flint_calloc((size_t)(3 * n) + 1, sizeof *o->left_out), .end = _arb_vec_init(all), .hull = _arb_vec_init(all),
               .rate = _arb_vec_init(all), .values = _arb_vec_init(shown), .start = _arb_vec_init(all), .middle = _arb_vec_init(held)};
  for (slong i = 0; i < held; i++) arb_get_mid_arb(o->middle + i, s->held_values + i);
  o->replaced = o->left_out + n, o->flipped = o->left_out + 2 * n;
  for (size_t i = 0; i < s->flipping; i++) o->flipped[s->flip[i]] = true;
  arb_mat_init(o->gradient, shown, all), arb_mat_init(o->D, all, all), arb_mat_init(o->field, all, all);
}

static void close_orbit(orbit *o) {
  flint_free(o->left_out);
  _arb_vec_clear(o->end, o->all), _arb_vec_clear(o->hull, o->all), _arb_vec_clear(o->rate, o->all), _arb_vec_clear(o->values, (slong)hml_enclosure__shown(o->e));
  _arb_vec_clear(o->start, o->all), _arb_vec_clear(o->middle, o->all - o->n);
  arb_mat_clear(o->gradient), arb_mat_clear(o->D), arb_mat_clear(o->field);
}

static hml_status try_from(orbit *o, arb_ptr y, arb_ptr end, arb_ptr radii, arb_ptr images, hml_closed *out) {
  *out = (hml_closed){.proved = false};
  for (slong i = 0; i < o->n; i++) o->left_out[i] = o->replaced[i] = false;
  hml_status status = prove(o, y, end, radii, images, out);
  out->steps = o->steps;
  // an orbit that is not found, or a box that is too wide, is no failure
  if (!loses(status)) return status;
  snprintf(out->reason, sizeof out->reason, "%.390s", hml_context_error(o->context)->message);
  hml_context_clear_error(o->context);
  return HML_OK;
}

// How far x(T) in o->end is from the start in the state that is farthest off, *state, among all that have to close: rows left out do not follow from the
// integrals where their other root is met
static double missed(const orbit *o, arb_srcptr y, uint32_t *state) {
  const hml_closed_spec *s = o->spec;
  double most = 0;
  arb_t off;
  arb_init(off);
  *state = 0;
  for (slong i = 0; i < o->n; i++) {
    bool closes = s->mirrored == 0;
    for (size_t k = 0; k < s->mirrored; k++) closes |= s->mirror[k] == (uint32_t)i;
    for (size_t k = 0; k < s->advancing; k++) closes &= s->advance[k] != (uint32_t)i;
    if (!closes) continue;
    if (s->mirrored > 0) arb_set(off, o->end + i);
    else arb_sub(off, o->end + i, y + i, o->bits);
    double size = fabs(arf_get_d(arb_midref(off), ARF_RND_NEAR));
    if (size > most) most = size, *state = (uint32_t)i;
  }
  arb_clear(off);
  return most;
}

// What lies near the guess y, where Newton's method went astray or ended where the derivatives are dependent. *start: y is a better guess
static hml_status search(orbit *o, arb_ptr y, hml_closed *out, bool *start) {
  enum { ROUNDS = 25 };
  const double closed = 1e-9, moving = 1e-6, known = 1e6;
  hml_krawczyk k = {.context = o->context, .n = o->n + 1, .bits = o->bits, .equations = equations, .payload = o};
  hml_nearest found;
  o->held = o->middle;
  hml_closed there;
  *start = false;
  look_around(o, y, &there);
  // where errors grow more, motions that miss their start by far come from starts that miss the conditions by what counts as nothing
  bool sure = there.growth < known;
  o->searching = true;
  hml_status status = hml_krawczyk__nearest(&k, y, ROUNDS, &found);
  o->searching = false;
  if (loses(status) || status == HML_NOT_FINITE) {
    hml_context_clear_error(o->context);
    return HML_OK;
  }
  HML_TRY(status);
  out->near_period = arf_get_d(arb_midref(y + o->n), ARF_RND_NEAR);
  // every motion is closed after no time
  if (!(out->near_period > o->guess / FAR)) return HML_OK;
  look_around(o, y, &there);
  sure = sure && there.growth < known;
  if (there.rate > moving && found.residual < closed) {
    *start = found.dependent == 0;
    if (found.dependent > 0 && sure) {
      double miss = missed(o, y, &out->near_state);
      out->vicinity = miss < closed ? HML_NEAR_FAMILY : HML_NEAR_OPEN;
      out->near_residual = fmax(miss, found.residual);
    }
  } else if (sure && found.residual > closed && found.stuck > closed) out->vicinity = HML_NEAR_NONE;
  out->dependent = found.dependent;
  return HML_OK;
}

hml_status hml_enclosure__closed(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_ptr y, arb_ptr end, arb_ptr radii, arb_ptr images, hml_closed *out) {
  orbit o;
  open_orbit(&o, c, e, s);
  o.guess = arf_get_d(arb_midref(y + o.n), ARF_RND_NEAR);
  arb_ptr guess = _arb_vec_init(o.n + 1);
  for (slong i = 0; i <= o.n; i++) arb_set(guess + i, y + i);
  hml_status status = try_from(&o, y, end, radii, images, out);
  bool astray = o.chosen && !out->proved && !out->rows_fail && (out->reason[0] || out->least >= 1), start = false;
  for (size_t i = 0; i < s->held; i++) astray &= arb_is_exact(s->held_values + i);
  if (status == HML_OK && astray && s->iterations > 0 && !s->radius) {
    hml_closed first = *out;
    status = search(&o, guess, &first, &start);
    *out = first;
    if (out->vicinity == HML_NEAR_FAMILY || out->vicinity == HML_NEAR_OPEN) {
      for (slong i = 0; i <= o.n; i++) arb_set(y + i, guess + i);
      for (slong i = 0; i < o.n; i++) arb_set(end + i, o.end + i);
    }
    if (status == HML_OK && start) {
      status = try_from(&o, guess, end, radii, images, out);
      if (status == HML_OK && (out->proved || out->rows_fail)) for (slong i = 0; i <= o.n; i++) arb_set(y + i, guess + i);
      else if (status == HML_OK) *out = first;
    }
  }
  _arb_vec_clear(guess, o.n + 1);
  if (status == HML_OK && !out->proved) look_around(&o, y, out);
  close_orbit(&o);
  return status;
}

hml_status hml_enclosure__monodromy(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_srcptr y, arb_mat_struct *P) {
  orbit o;
  open_orbit(&o, c, e, s);
  hml_status status = follow(&o, y);
  if (status == HML_OK && !form_monodromy(&o, P)) status = hml_fail(c, HML_SINGULAR, "the derivatives after half of the period are not proved regular");
  close_orbit(&o);
  return status;
}

// Does a quaternion move one way without coming to its negative, which is the same attitude?
static bool turns_away(const orbit *o, const uint32_t *entries) {
  bool moves = false, keeps = false;
  for (int k = 0; k < 4; k++) moves |= !arb_contains_zero(o->rate + entries[k]), keeps |= !arb_contains_zero(o->hull + entries[k]);
  return moves && keeps;
}

// Do no motions come back that stay in o->hull? One state moves one way
static bool moves_away(const orbit *o) {
  const hml_closed_spec *s = o->spec;
  for (size_t i = 0; i + 3 < s->quaternions; i += 4)
    if (turns_away(o, s->quaternion + i)) return true;
  for (slong i = 0; i < o->n; i++) {
    bool entry = false;
    for (size_t k = 0; k < s->quaternions; k++) entry |= s->quaternion[k] == (uint32_t)i;
    if (!entry && !o->left_out[i] && !arb_contains_zero(o->rate + i)) return true;
  }
  return false;
}

hml_status hml_enclosure__no_return(hml_context *c, hml_enclosure *e, const hml_closed_spec *s, arb_srcptr y, double *out) {
  enum { MOST_HALVINGS = 14 };
  orbit o;
  open_orbit(&o, c, e, s);
  arb_t time;
  arb_init(time);
  double h = arf_get_d(arb_midref(y + o.n), ARF_RND_DOWN) / 2;
  *out = 0;
  for (size_t i = 0; i < s->advancing; i++) o.left_out[s->advance[i]] = true;
  hml_status status = HML_OK;
  for (int k = 0; k < MOST_HALVINGS && *out == 0 && status == HML_OK; k++, h /= 2) {
    arb_set_d(time, h / 2);
    mag_set_d(arb_radref(time), h / 2);
    status = move_by(&o, whole_start(&o, y), time);
    if (status == HML_OK && moves_away(&o)) *out = h;
    // a set too wide, or one that meets a pole
    if (loses(status) || status == HML_NOT_FINITE) hml_context_clear_error(c), status = HML_OK;
  }
  arb_clear(time);
  close_orbit(&o);
  return status;
}

#endif
