// impact.c: velocities after an impact, from the laws of the gaps that strike and the mass metric.
//
// Reactions of an instant: v+ = v- + X P with the unit responses X of rows.c, which keep the two-sided constraints; in the rows taking part
// u+ = u- + G P. Rows of rough walls, held rows and those with a law of the user demand u+; the normals obey
//   one gap:       Newton's, Poisson's or Stronge's law, friction followed along the normal impulse (routh.c);
//   several gaps, friction pressed by a constraint, or hm.moreau: Moreau's law, 0 <= P_i, u_i+ >= -e_i u_i-, one of the two equal, with
//                  friction against the slip after the blow (kernel.c).
// Contacts count together where an impulse at one changes the velocities of another.
// Bounds on velocities, 0 <= P, g1 >= 0, take part as soon as the blow alone would leave them.
#include "contact_impl.h"
#include "routh.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { RENEWALS = 40 };
#define COUPLED 1e-14                  // of the diagonals: less is rounding
#define MET (64 * DBL_EPSILON)         // of a bound on velocities, and of the change of a velocity, relative to the terms
#define LOST 1e-7                      // of the largest velocity: uncertainty by rounding that a blow may leave
#define ROUNDED 1e-11                  // of such a bound: left by impulses that another round does not better
#define SPAN 1e-12                     // of the largest response: less is lost beside it

typedef struct impact {
  hml_contacts *c;
  const bool *hit;
  bool plastic;                        // no restitution, whatever the laws are
  size_t n_demanded, n_normals;        // lists of places in c->demanded, c->normals
} impact;

// rows of the impact
static bool takes_part(const hml_contacts *c, const bool *hit, size_t gap) {
  return hit[gap] || c->closed[gap];
}

// Pressed by a gap or by a two-sided constraint, whose reactions may be impulses; a normal force given as an expression stays finite
static bool rubs(const hml_contacts *c, const bool *hit, size_t j) {
  const hml_friction *f = c->frictions + j;
  if (f->kind == HML_PRESSED_BY_MULTIPLIER) return true;
  return f->kind == HML_PRESSED_BY_GAP && takes_part(c, hit, f->index) && !(hit[f->index] && c->gaps[f->index].law == HML_USER_LAW);
}

// The same, in the group of rows that is prepared
static bool rubs_here(const impact *o, size_t j) {
  return rubs(o->c, o->hit, j) && o->c->place[o->c->frictions[j].row] != SIZE_MAX;
}

static void list_rows(hml_contacts *c, const bool *hit, bool bounds) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (takes_part(c, hit, i) || (bounds && c->gaps[i].bounds_velocity)) hml_contact__activate(c, i);
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t a = 0; a < c->frictions[j].count && rubs(c, hit, j); a++) hml_contact__activate(c, c->frictions[j].row + a);
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    for (size_t a = 0; a < c->gaps[i].n_rough && takes_part(c, hit, i); a++) hml_contact__activate(c, c->gaps[i].rough + a);
    for (size_t a = 0; a < c->gaps[i].n_held && hit[i]; a++) hml_contact__activate(c, c->gaps[i].held + a);
  }
}

// Velocities of the rows before the blow; those of the state may be others
static void read_velocities(hml_contacts *c, const double *from) {
  const double *v = c->in + 1 + c->n.kin;
  for (size_t i = 0; i < c->n_active; i++) {
    const double *row = hml_contact__row(c, c->active[i]);
    c->u[i] = hml_contact__velocity(c)[c->active[i]];
    for (size_t s = 0; s < c->n.dyn; s++) c->u[i] += row[s] * (from[s] - v[s]);
    c->scales[i] = fabs(c->u[i]);
    for (size_t s = 0; s < c->n.dyn; s++) c->scales[i] += fabs(row[s] * from[s]);
    c->z[i] = 0;
  }
}

// demands
static double before(const hml_contacts *c, size_t row) {
  return c->u[c->place[row]];
}

static void demand(impact *o, size_t row, double after) {
  hml_contacts *c = o->c;
  c->demanded[o->n_demanded] = c->place[row];
  c->wanted[o->n_demanded++] = after;
}

static hml_status ask_user(impact *o, size_t gap, const double *x) {
  hml_contacts *c = o->c;
  const hml_gap *g = c->gaps + gap;
  double normal = NAN, *rough = c->residual, *slips = rough + g->n_rough, sum;
  hml_law law = c->witness ? c->witness->law : NULL;
  if (!law) return hml_fail(c->context, HML_ARGUMENT, "'%s': no function gives its law of impact", g->name);
  for (size_t a = 0; a < g->n_rough; a++) {
    rough[a] = NAN;
    slips[a] = before(c, g->rough + a);
  }
  HML_TRY(law(c->witness->law_payload, gap, c->in[0], x, before(c, gap), slips, &normal, rough));
  sum = normal;
  demand(o, gap, normal);
  for (size_t a = 0; a < g->n_rough; a++) {
    demand(o, g->rough + a, rough[a]);
    sum += rough[a];
  }
  if (isfinite(sum)) return HML_OK;
  return hml_fail(c->context, HML_NOT_FINITE, "'%s' at t = %.10g: its law gave a velocity that is not finite", g->name, c->in[0]);
}

static hml_status read_laws(impact *o, const double *x) {
  hml_contacts *c = o->c;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    const hml_gap *g = c->gaps + i;
    if (c->place[i] == SIZE_MAX) continue;
    for (size_t a = 0; a < g->n_held && o->hit[i]; a++) demand(o, g->held + a, before(c, g->held + a));
    if (g->law == HML_USER_LAW && o->hit[i] && !o->plastic) {
      HML_TRY(ask_user(o, i, x));
      continue;
    }
    double e = o->plastic || !o->hit[i] ? 0 : c->out[c->shape->at_tangential + i];
    for (size_t a = 0; a < g->n_rough && takes_part(c, o->hit, i); a++) demand(o, g->rough + a, -e * before(c, g->rough + a));
    c->normals[o->n_normals++] = c->place[i];
  }
  return HML_OK;
}

static double restitution(const impact *o, size_t gap) {
  return o->plastic ? 0 : o->c->out[o->c->shape->at_restitution + gap];
}

// Least u+ of a normal; a contact that persists keeps its zero
static double target(const impact *o, size_t normal) {
  const hml_contacts *c = o->c;
  size_t place = c->normals[normal], gap = c->active[place];
  if (o->plastic || c->gaps[gap].bounds_velocity) return 0;
  return o->hit[gap] ? -restitution(o, gap) * c->u[place] : fmax(c->u[place], 0);
}

// ---- rows that demand their velocities
// Impulses of the demanded rows for wanted changes of their velocities, added to p
static void solve_demanded(impact *o, const double *change, double *p) {
  hml_contacts *c = o->c;
  const size_t n = o->n_demanded, k = c->n_active;
  if (!n) return;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) c->jacobian[i * n + j] = c->g[c->demanded[i] * k + c->demanded[j]];
  hml_contact__dense_solve(c, n, c->jacobian, change, c->part);
  for (size_t i = 0; i < n; i++) p[c->demanded[i]] += c->part[i];
}

static double velocity_after(const hml_contacts *c, size_t place, const double *p) {
  return c->u[place] + hml_dense__dot(c->n_active, c->g + place * c->n_active, p);
}

// ---- one gap, by the blow along its normal impulse

typedef struct reduced {               // rows of the blow, the demanded ones eliminated
  size_t n, place[HML_BLOW_ROWS];
  double g[HML_BLOW_ROWS * HML_BLOW_ROWS], u[HML_BLOW_ROWS];
  hml_friction_law law[2 * HML_BLOW_FRICTIONS];
  hml_blow_friction friction[HML_BLOW_FRICTIONS];
  double cone[HML_BLOW_CONES * HML_BLOW_ROWS];
  size_t n_frictions, n_cone;
} reduced;

// Impulses of the demanded rows under a unit impulse of `place`: they keep their velocities
static void response(impact *o, size_t place, double *p) {
  hml_contacts *c = o->c;
  double *change = c->residual;
  memset(p, 0, c->n_active * sizeof *p);
  p[place] = 1;
  for (size_t i = 0; i < o->n_demanded; i++) change[i] = -c->g[c->demanded[i] * c->n_active + place];
  solve_demanded(o, change, p);
}

static bool list_reduced(const impact *o, reduced *r) {
  const hml_contacts *c = o->c;
  r->place[r->n++] = c->normals[0];
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!rubs_here(o, j)) continue;
    const hml_friction *f = c->frictions + j;
    if (r->n + f->count > HML_BLOW_ROWS || r->n_frictions == HML_BLOW_FRICTIONS || f->n_cone > HML_BLOW_CONES) return false;
    hml_friction_law *law = r->law + 2 * r->n_frictions;
    law[0] = hml_contact__law(c, j, false);
    law[1] = hml_contact__law(c, j, true);
    r->friction[r->n_frictions++] = (hml_blow_friction){.first = r->n, .count = f->count, .sliding = law, .resting = law + 1, .n_cone = f->n_cone,
                                                             .round = f->law == HML_FRICTION_coulomb || f->law == HML_FRICTION_elliptic};
    for (size_t a = 0; a < f->count; a++) r->place[r->n++] = c->place[f->row + a];
  }
  return true;
}

// Multipliers of shared cones per unit of each row
static void fill_cones(const impact *o, reduced *r, size_t column, const double *p) {
  const hml_contacts *c = o->c;
  size_t at = 0, k = 0;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!rubs_here(o, j)) continue;
    const hml_friction *f = c->frictions + j;
    r->friction[k].cone = r->cone + at;
    for (size_t i = 0; i < f->n_cone; i++) r->cone[at + i * r->n + column] = hml_contact__multiplier(c, NULL, p, f->cone[i]);
    at += f->n_cone * r->n;
    k++;
  }
}

static hml_status tell_blow(const impact *o, hml_blow_verdict verdict) {
  const hml_contacts *c = o->c;
  const char *name = c->gaps[c->active[c->normals[0]]].name;
  if (verdict == HML_BLOW_JAMS)
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "'%s' at t = %.10g: friction jams the impact (Painleve): it never leaves compression; take hm.moreau(e)", name, c->in[0]);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, "'%s' at t = %.10g: the impact could not be followed: no stick and slip are consistent; take hm.moreau(e)",
                  name, c->in[0]);
}

static hml_status one_gap(impact *o) {
  hml_contacts *c = o->c;
  reduced r;                           // large, and little of it is used
  r.n = r.n_frictions = r.n_cone = 0;
  size_t gap = c->active[c->normals[0]];
  double *p = c->z, *unit = c->part + 2 * c->sizes.rows;
  if (!list_reduced(o, &r)) return tell_blow(o, HML_BLOW_REFUSED);
  // the response of the demanded rows alone comes first
  for (size_t i = 0; i < o->n_demanded; i++) c->residual[i] = c->wanted[i] - c->u[c->demanded[i]];
  solve_demanded(o, c->residual, p);
  for (size_t b = 0; b < r.n; b++) {
    r.u[b] = velocity_after(c, r.place[b], p);
    response(o, r.place[b], unit);
    for (size_t a = 0; a < r.n; a++) r.g[a * r.n + b] = hml_dense__dot(c->n_active, c->g + r.place[a] * c->n_active, unit);
    fill_cones(o, &r, b, unit);
  }
  hml_blow blow = {.n = r.n, .g = r.g, .u = r.u, .law = o->plastic ? HML_NEWTON : c->gaps[gap].law, .restitution = restitution(o, gap),
                   .n_frictions = r.n_frictions, .friction = r.friction};
  hml_blow_result result;
  hml_blow_verdict verdict = hml_routh(&blow, &result);
  if (verdict != HML_BLOW_ENDS) return tell_blow(o, verdict);
  for (size_t b = 0; b < r.n; b++) {
    response(o, r.place[b], unit);
    for (size_t i = 0; i < c->n_active; i++) p[i] += result.impulse[b] * unit[i];
  }
  return HML_OK;
}

// ---- all at once, by Moreau's law

static hml_status no_impulses(const impact *o, double residual) {
  const hml_contacts *c = o->c;
  const char *names[16];
  double ones[16];
  char who[300];
  size_t n = o->n_normals < 16 ? o->n_normals : 16;
  for (size_t i = 0; i < n; i++) names[i] = c->gaps[c->active[c->normals[i]]].name, ones[i] = 1;
  hml_names__join(n, names, ones, 0.5, "'", sizeof who, who);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: no impulses satisfy the laws of impact of %s%s (left: %.2g of the velocities); %s", c->in[0], who,
                  n > 1 ? " together" : "", residual,
                  n > 1 ? "they leave what they touch no room, or a bound forbids the velocity that a law of impact demands" : "take hm.moreau(e), or another restitution");
}

static hml_status together(impact *o) {
  hml_contacts *c = o->c;
  hml_frictional p;
  hml_contact__pose(c, c->u, &p);
  p.first = true;
  for (size_t i = 0; i < o->n_normals; i++) hml_contact__pose_side(c, &p, c->active[c->normals[i]], target(o, i));
  for (size_t i = 0; i < o->n_demanded; i++) hml_contact__pose_demand(c, &p, c->active[c->demanded[i]], c->wanted[i]);
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!rubs_here(o, j)) continue;
    hml_rub *rub = hml_contact__pose_friction(c, &p, j, 0, NULL, NULL);
    rub->rest = rub->law;              // the slip after the blow decides
  }
  hml_frictional_result result = hml_frictional__solve(&p);
  if (result.way != HML_FRICTIONAL_UNSOLVED) return HML_OK;
  return no_impulses(o, result.residual);
}

// Is there one gap alone, with frictions that it presses, and a law that is followed along the impulse?
static bool is_one_gap(const impact *o) {
  const hml_contacts *c = o->c;
  if (o->n_normals != 1) return false;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (rubs_here(o, j) && c->frictions[j].kind != HML_PRESSED_BY_GAP) return false;
  size_t gap = c->active[c->normals[0]];
  return c->gaps[gap].law != HML_MOREAU && !c->gaps[gap].bounds_velocity && (o->hit[gap] || o->plastic);
}

// ---- groups of rows that no impulse couples: what strikes one body is no blow to another one that rests elsewhere
static void join(hml_contacts *c, size_t a, size_t b) {
  const size_t from = c->group[a], to = c->group[b];
  for (size_t i = 0; i < c->sizes.rows && from != to; i++)
    if (c->group[i] == from) c->group[i] = to;
}

// All rows whose impulses change a multiplier
static void join_by_multiplier(hml_contacts *c, size_t row, size_t k) {
  for (size_t i = 0; i < c->n_active; i++)
    if (c->y[i * c->n.multipliers + k] != 0) join(c, c->active[i], row);
}

static void join_friction(hml_contacts *c, const hml_friction *f) {
  for (size_t a = 1; a < f->count; a++) join(c, f->row + a, f->row);
  if (f->kind == HML_PRESSED_BY_GAP) join(c, f->row, f->index);
  if (f->kind == HML_PRESSED_BY_MULTIPLIER) join_by_multiplier(c, f->row, f->index);
  for (size_t k = 0; k < f->n_cone; k++) join_by_multiplier(c, f->row, f->cone[k]);
}

// Fills c->group; returns whether there is more than one
static bool split(hml_contacts *c) {
  const size_t k = c->n_active;
  for (size_t i = 0; i < c->sizes.rows; i++) c->group[i] = c->place[i] == SIZE_MAX ? SIZE_MAX : i;
  for (size_t i = 0; i < k; i++)
    for (size_t j = 0; j < i; j++)
      if (fabs(c->g[i * k + j]) > COUPLED * sqrt(c->g[i * k + i] * c->g[j * k + j])) join(c, c->active[i], c->active[j]);
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    const hml_gap *g = c->gaps + i;
    for (size_t a = 0; a < g->n_rough && c->group[g->rough] != SIZE_MAX; a++) join(c, g->rough + a, i);
    for (size_t a = 0; a < g->n_held && c->group[g->held] != SIZE_MAX; a++) join(c, g->held + a, i);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->group[c->frictions[j].row] != SIZE_MAX) join_friction(c, c->frictions + j);
  for (size_t i = 1; i < k; i++)
    if (c->group[c->active[i]] != c->group[c->active[0]]) return true;
  return false;
}

// Does something strike in a group, or may a bound be left?
static bool is_struck(const hml_contacts *c, const bool *hit, size_t group) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->group[i] == group && (hit[i] || c->gaps[i].bounds_velocity)) return true;
  return false;
}

// ---- digits

// Do responses differ by more orders of magnitude than the solution of all together can hold?
static bool spans_orders(const hml_contacts *c) {
  double least = INFINITY, most = 0;
  for (size_t i = 0; i < c->n_active; i++) {
    const double own = c->g[i * c->n_active + i];
    if (own > 0) least = fmin(least, own);
    most = fmax(most, own);
  }
  return least < SPAN * most;
}

static hml_status tell_lost(const hml_contacts *c, double part) {
  char off[32] = "", what[96];
  if (part < 1) snprintf(off, sizeof off, " by %.1g of the largest", part);
  snprintf(what, sizeof what, "leaves the velocities after the impact uncertain%s", off);
  return hml_contact__tell_lost(c, what);
}

static hml_status find_impulses(hml_contacts *c, const bool *hit, bool plastic, const double *x) {
  impact o = {.c = c, .hit = hit, .plastic = plastic};
  read_velocities(c, c->from);
  HML_TRY(read_laws(&o, x));
  return is_one_gap(&o) ? one_gap(&o) : together(&o);
}

typedef struct prepared_blow {
  const bool *hit;
  bool plastic;
  const double *x;
} prepared_blow;

static hml_status find_again(void *payload, hml_contacts *c) {
  const prepared_blow *b = payload;
  return find_impulses(c, b->hit, b->plastic, b->x);
}

// Impulses of the prepared rows        fails: HML_LOST_DIGITS where rounding of the responses decides them
static hml_status certain_impulses(hml_contacts *c, const bool *hit, bool plastic, const double *x) {
  const double roundings = hml_contact__roundings_in_pivot(c);
  prepared_blow b = {hit, plastic, x};
  c->rank = hml_contact__rank(roundings);
  const hml_status status = find_impulses(c, hit, plastic, x);
  if (status == HML_NO_CONTACT_MODE && (roundings < HML_CONTACT_BLURRED || spans_orders(c))) {
    HML_TRY(hml_forgiven(c->context));
    return tell_lost(c, INFINITY);
  }
  if (status != HML_OK || roundings >= HML_CONTACT_CLEAR) return status;
  double most, fastest = 0;
  HML_TRY(hml_contact__try_other_roundings(c, find_again, &b, &most));
  for (size_t s = 0; s < c->n.dyn; s++) {
    const double after = c->from[s] + hml_contact__change(c, NULL, s);
    fastest = fmax(fastest, fmax(fabs(c->from[s]), fabs(after)));
  }
  return most > LOST * fastest ? tell_lost(c, most / fastest) : HML_OK;
}

// ---- together
// The prepared rows; their impulses and the change of velocities are added to those of others
static hml_status strike_group(hml_contacts *c, const bool *hit, bool plastic, const double *x, double *impulses) {
  double *lambda = impulses + c->sizes.rows;
  HML_TRY(certain_impulses(c, hit, plastic, x));
  for (size_t i = 0; i < c->n_active; i++) {
    impulses[c->active[i]] = c->z[i];
    for (size_t j = 0; j < c->n.dyn; j++) c->change[j] += c->x[i * c->n.dyn + j] * c->z[i];
    for (size_t j = 0; j < c->n.multipliers; j++) lambda[j] += c->y[i * c->n.multipliers + j] * c->z[i];
  }
  return HML_OK;
}

static hml_status strike_groups(hml_contacts *c, const bool *hit, bool plastic, const double *x, double *impulses) {
  for (size_t group = 0; group < c->sizes.rows; group++) {
    c->n_active = 0;
    for (size_t i = 0; i < c->sizes.rows; i++)
      if (c->group[i] == group) c->active[c->n_active++] = i;
    if (!c->n_active || !is_struck(c, hit, group)) continue;
    HML_TRY(hml_contact__prepare(c, false));
    HML_TRY(strike_group(c, hit, plastic, x, impulses));
  }
  return HML_OK;
}

// Rows whose velocities it changes, by more than the rounding of the terms; those that take no part among them
static void mark_struck(hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.rows; i++) {
    const double *row = hml_contact__row(c, i);
    double size = 0;
    for (size_t j = 0; j < c->n.dyn; j++) size += fabs(row[j] * c->change[j]);
    c->struck[i] |= fabs(hml_dense__dot(c->n.dyn, row, c->change)) > MET * size;
  }
}

// Does rounding leave the velocities v after a blow enough digits? Masses that differ by many orders of magnitude cost as many
static hml_status check_digits(hml_contacts *c, const double *v, const double *impulses) {
  const size_t n = c->n.dyn;
  double *terms = c->ahead, fastest = 0;
  for (size_t i = 0; i < n; i++) {
    terms[i] = 0;
    for (size_t k = 0; k < c->sizes.rows; k++) terms[i] += fabs(hml_contact__row(c, k)[i] * impulses[k]);
    fastest = hml_larger(fastest, hml_larger(fabs(v[i]), fabs(c->from[i])));
  }
  const double error = hml_workspace__blow_error(c->w, c->change, terms, impulses + c->sizes.rows, LOST * fastest);
  if (!(error > LOST * fastest)) return HML_OK;
  return tell_lost(c, error / fastest);
}

// One blow from velocities c->from, the rows as they are at the state; x: velocities after it; impulses of rows, then multipliers
static hml_status blow(hml_contacts *c, const bool *hit, bool plastic, bool bounds, double *x, double *impulses) {
  double *v = x + c->n.kin;
  HML_TRY(hml_contact__evaluate(c));
  list_rows(c, hit, bounds);
  HML_TRY(hml_contact__prepare(c, false));
  memcpy(v, c->from, c->n.dyn * sizeof *v);
  for (size_t i = 0; i < c->sizes.rows + c->n.multipliers; i++) impulses[i] = 0;
  for (size_t i = 0; i < c->n.dyn; i++) c->change[i] = 0;
  HML_TRY(split(c) ? strike_groups(c, hit, plastic, x, impulses) : strike_group(c, hit, plastic, x, impulses));
  mark_struck(c);
  for (size_t i = 0; i < c->n.dyn; i++) v[i] += c->change[i];
  HML_TRY(check_digits(c, v, impulses));
  if (c->n.multipliers) hml_workspace__shortest(c->w, impulses + c->sizes.rows);
  return hml_contacts__set_state(c, c->in[0], x);
}

// Largest violation of bounds on velocities, and largest gap of those that press; in units of the terms of their values
static hml_status off_bounds(hml_contacts *c, const double *impulses, double *off) {
  *off = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!c->gaps[i].bounds_velocity) continue;
    HML_TRY(hml_contact__evaluate(c));
    double miss = impulses[i] != 0 ? fabs(c->out[i]) : fmax(-c->out[i], 0);
    *off = fmax(*off, miss / (hml_contact__speed_scale(c, i) + DBL_MIN));
  }
  return HML_OK;
}

// The row of a bound changes with the velocities and is renewed until the bound is met
hml_status hml_contact__impact(hml_contacts *c, const bool *hit, bool plastic, double *x, double *impulses) {
  double off;
  memcpy(c->from, x + c->n.kin, c->n.dyn * sizeof *c->from);
  HML_TRY(hml_contacts__set_state(c, c->in[0], x));
  HML_TRY(blow(c, hit, plastic, false, x, impulses));
  HML_TRY(off_bounds(c, impulses, &off));
  double before = INFINITY;
  // where rows of very different sizes meet, rounding leaves more of a bound than its own terms would
  for (int round = 0; off > MET && !(off <= ROUNDED && off >= 0.5 * before); round++) {
    before = off;
    if (round == RENEWALS)
      return hml_fail(c->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: no impulses keep the bounds on velocities", c->shape->model, c->in[0]);
    HML_TRY(blow(c, hit, plastic, true, x, impulses));
    HML_TRY(off_bounds(c, impulses, &off));
  }
  return HML_OK;
}
