// mode.c: which contacts persist and which frictions stick: the combinations that are consistent on the level of accelerations.
//
// The frictional problem (kernel.h) with accelerations for u: gaps that touch are sides, frictions without slip may stick or begin to slip
// along a limit direction (Antali and Stepan 2019). A gap with a rough wall is tried closed, with its rows at rest, and open. No solution:
// contact and friction jam (Painleve). Several with different accelerations: the model does not determine the motion.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { MOST_ROUGH = 10 };
#define FULL 1e-9                      // of a shared cone: less of it is no room
#define ROOMY 1e-8                      // of what presses, or of the accelerations: room for a stick or a reaction that goes on
#define DECIDES 1e-7                   // of the largest acceleration: what rounding may change in them by the choice of another mode
#define SCANT 1e3                      // roundings in the least pivot: more are enough for the reactions of the mode, which are corrected by the accelerations (reaction.c)
#define FORCE 1e-12                    // of the forces that a row's accelerations amount to

// ---- modes that are kept
hml_status hml_contacts__keep(const hml_contacts *c, hml_arena *a, hml_kept_mode **out) {
  hml_kept_mode *m = hml_arena_alloc(a, sizeof *m);
  *out = NULL;
  if (!m) return HML_MEMORY;
#define FIELD(type, name, count)                                        \
  m->name = hml_arena_alloc(a, ((count) + 1) * sizeof *m->name);        \
  if (!m->name) return HML_MEMORY;
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  hml_contacts__keep_in(c, m);
  *out = m;
  return HML_OK;
}

void hml_contacts__keep_in(const hml_contacts *c, hml_kept_mode *m) {
#define FIELD(type, name, count) \
  if ((count) > 0) memcpy(m->name, c->name, (count) * sizeof *m->name);
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  m->undetermined = c->undetermined;
}

// To the bit
bool hml_contacts__in_mode(const hml_contacts *c, const hml_kept_mode *m) {
  bool same = c->undetermined == m->undetermined;
#define FIELD(type, name, count) same = same && ((count) == 0 || memcmp(m->name, c->name, (count) * sizeof *m->name) == 0);
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  return same;
}

void hml_contact__changed(hml_contacts *c) {
  c->solved = false;
}

void hml_contacts__use(hml_contacts *c, const hml_kept_mode *m) {
#define FIELD(type, name, count) memcpy(c->name, m->name, (count) * sizeof *m->name);
  HML_MODE_FIELDS(FIELD)
#undef FIELD
  c->undetermined = m->undetermined;
  memset(c->young, 0, c->sizes.frictions * sizeof *c->young);
  memset(c->fading, 0, c->sizes.frictions * sizeof *c->fading);
  hml_contact__changed(c);
}

bool hml_contacts__all_open(const hml_contacts *c, const hml_kept_mode *m) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (m->closed[i]) return false;
  return true;
}

// ---- the problem

typedef struct choice {
  hml_contacts *c;
  hml_frictional p;
  hml_frictional_result result;
  const bool *touching, *leave;        // leave: NULL, or contacts that must not be closed or stick, gaps then frictions
  size_t rough[MOST_ROUGH], n_rough;   // gaps with rough walls that touch
} choice;

static bool without_slip(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  bool rests = true;
  if (!c->struck[f->row] && (c->at_root[c->sizes.gaps + j] || c->before.friction_state[j] == HML_STICK)) return true;
  for (size_t a = 0; a < f->count; a++) rests &= hml_contact__at_rest(c, f->row + a);
  return rests;
}

// Rows of all that may take part, and which slips are zero
static void list_rows(hml_contacts *c, const bool *touching) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!touching[i]) continue;
    hml_contact__activate(c, i);
    for (size_t a = 0; a < c->gaps[i].n_rough; a++) hml_contact__activate(c, c->gaps[i].rough + a);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    bool possible = f->kind != HML_PRESSED_BY_GAP || touching[f->index];
    c->zero_slip[j] = possible && without_slip(c, j);
    c->slip_left[j] = c->zero_slip[j] ? INFINITY : 0;                    // a slip that is rounding has no direction
    c->young[j] = c->fading[j] = false;
    for (size_t a = 0; a < f->count && possible; a++) hml_contact__activate(c, f->row + a);
  }
}

// closed: of gaps with rough walls, bit i for o->rough[i]
static void pose(choice *o, size_t closed) {
  hml_contacts *c = o->c;
  hml_contact__pose(c, c->free, &o->p);
  for (size_t i = 0; i < c->n_active; i++) {
    c->z[i] = 0;
    c->scales[i] = fmax(hml_contact__acceleration_scale(c, i), HML_CONTACT_NOTHING * c->least * hml_contacts__reach(c, c->active[i]));   // forces that have faded away have no digits left
  }
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!o->touching[i]) continue;
    hml_contact__pose_side(c, &o->p, i, 0);
    c->sides[o->p.n_sides - 1].stays_open = o->leave && o->leave[i];
  }
  for (size_t r = 0; r < o->n_rough; r++) {
    const hml_gap *g = c->gaps + o->rough[r];
    for (size_t s = 0; s < o->p.n_sides && !(closed >> r & 1); s++) c->sides[s].stays_open |= c->sides[s].row == c->place[o->rough[r]];
    for (size_t a = 0; a < g->n_rough && closed >> r & 1; a++) hml_contact__pose_demand(c, &o->p, g->rough + a, 0);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    if (f->kind == HML_PRESSED_BY_GAP && !o->touching[f->index]) continue;
    const double *slip = hml_contact__velocity(c) + f->row;
    hml_rub *rub = hml_contact__pose_friction(c, &o->p, j, 1, hml_workspace__multipliers(c->w), c->zero_slip[j] ? NULL : slip);
    rub->may_not_stick = o->leave && o->leave[c->sizes.gaps + j];
  }
}

// Do the rough walls that were assumed closed press?
static bool as_assumed(const choice *o, size_t closed) {
  const hml_contacts *c = o->c;
  for (size_t r = 0; r < o->n_rough; r++)
    for (size_t s = 0; s < o->p.n_sides; s++)
      if (c->sides[s].row == c->place[o->rough[r]] && c->sides[s].closed != (closed >> r & 1)) return false;
  return true;
}

static bool solve(choice *o) {
  for (size_t closed = (size_t)1 << o->n_rough; closed-- > 0;) {
    pose(o, closed);
    o->result = hml_frictional__solve(&o->p);
    if (o->result.way != HML_FRICTIONAL_UNSOLVED && as_assumed(o, closed)) return true;
  }
  return false;
}

// messages

static size_t touching_names(const choice *o, size_t capacity, const char **names) {
  size_t n = 0;
  for (size_t i = 0; i < o->c->sizes.gaps && n < capacity; i++)
    if (o->touching[i]) names[n++] = o->c->gaps[i].name;
  return n;
}

static bool presses(const choice *o, const hml_rub *rub) {
  return rub->side != SIZE_MAX ? o->c->sides[rub->side].closed : rub->normal.b || rub->normal.a > 0;
}

static size_t pressed_names(const choice *o, size_t capacity, const char **names) {
  const hml_contacts *c = o->c;
  size_t n = 0;
  for (size_t k = 0; k < o->p.n_frictions && n < capacity; k++) {
    const hml_rub *rub = c->rubs + k;
    if (rub->side != SIZE_MAX || presses(o, rub)) names[n++] = c->frictions[c->rub_of[k]].name;
  }
  return n;
}

// Forces that count beside the accelerations of a row
static double least_force(const hml_contacts *c, size_t row) {
  double g = c->g[row * c->n_active + row];
  return g > 0 ? FORCE * c->scales[row] / g : 0;
}

// A friction whose shared cone the two-sided constraints fill alone, or leave: then these constraints are not held any more
static bool tell_narrow_cone(const choice *o) {
  hml_contacts *c = o->c;
  for (size_t k = 0; k < o->p.n_frictions; k++) {
    const hml_rub *rub = c->rubs + k;
    const hml_friction *f = c->frictions + c->rub_of[k];
    double most = rub->rest.coefficient[0] * rub->pressing, used = rub->shared;
    if (!f->n_cone || !presses(o, rub) || used < most * (1 - FULL) || used <= least_force(c, rub->row)) continue;
    const char *names[8];
    double weights[8];
    char text[300];
    size_t n = f->n_cone < 8 ? f->n_cone : 8;
    for (size_t i = 0; i < n; i++) {
      names[i] = hml_model__multiplier_name(c->model, f->cone[i]);
      weights[i] = fabs(hml_contact__multiplier(c, hml_workspace__multipliers(c->w), c->z, f->cone[i]));
    }
    hml_names__join(n, names, weights, 1e-3, "'", sizeof text, text);
    hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: %s needs %.3g of the cone of friction '%s', which has %.3g; raise its coefficient or "
             "its normal force, or take the constraint out of its cone", c->in[0], text, used, f->name, most);
    return true;
  }
  return false;
}

static hml_status tell_none(const choice *o) {
  hml_contacts *c = o->c;
  const char *gaps[8], *frictions[8];
  const double ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};
  char who[300] = "", with[300] = "";
  size_t n_gaps = touching_names(o, 8, gaps), n_frictions = pressed_names(o, 8, frictions);
  if (tell_narrow_cone(o)) return HML_NO_CONTACT_MODE;
  hml_names__join(n_gaps, gaps, ones, 0.5, "'", sizeof who, who);
  hml_names__join(n_frictions, frictions, ones, 0.5, "'", sizeof with, with);
  if (!o->result.complete)
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: no contact and friction of %s%s%s was found that fits the accelerations (left: %.2g of their "
                    "terms); use method = \"moreau\"", c->in[0], who, n_gaps && n_frictions ? ", " : "", with, o->result.residual);
  if (!n_gaps)
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: friction %s jams: neither slip nor stick is possible; lower its coefficient", c->in[0], with);
  return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: %s %s%s%s (Painleve): neither contact nor release is possible; %s", c->in[0], who,
                  n_gaps > 1 ? "jam" : "jams", n_frictions ? " with friction " : "", with,
                  n_frictions ? "lower the coefficient, or take method = \"moreau\"" : "change the start");
}

// "'end' closed and sliding": sides and frictions at reactions z
static void describe(const choice *o, const double *z, size_t capacity, char *text) {
  const hml_contacts *c = o->c;
  size_t at = 0;
  text[0] = '\0';
  for (size_t s = 0; s < o->p.n_sides && at + 1 < capacity; s++) {
    bool closed = z[c->sides[s].row] > 0;
    size_t gap = c->active[c->sides[s].row];
    int n = snprintf(text + at, capacity - at, "%s'%.40s' %s", at ? ", " : "", c->gaps[gap].name, closed ? "closed" : "open");
    at += n > 0 ? (size_t)n : 0;
  }
  for (size_t k = 0; k < o->p.n_frictions && at + 1 < capacity; k++) {
    const hml_rub *rub = c->rubs + k;
    double u = 0, terms = 0;
    if (rub->side != SIZE_MAX && !(z[c->sides[rub->side].row] > 0)) continue;
    for (size_t a = 0; a < rub->law.count; a++) {
      u += fabs(c->free[rub->row + a] + hml_dense__dot(c->n_active, c->g + (rub->row + a) * c->n_active, z));
      terms += c->scales[rub->row + a];
    }
    bool slides = rub->slip || u > 1e-9 * terms;
    int n = snprintf(text + at, capacity - at, "%s'%.40s' %s", at ? ", " : "", c->frictions[c->rub_of[k]].name, slides ? "sliding" : "sticking");
    at += n > 0 ? (size_t)n : 0;
  }
}

static hml_status say_several(const choice *o) {
  hml_contacts *c = o->c;
  const hml_witness *w = c->witness;
  char text[700], one[240], two[240];
  if (o->result.motions > 1 && !c->noted_several) {
    c->noted_several = true;
    describe(o, c->z, sizeof one, one);
    describe(o, c->other, sizeof two, two);
    snprintf(text, sizeof text, "two motions are possible at t = %.10g (%s; %s): the model does not determine which%s", c->in[0], one, two,
             c->refuses_several ? "" : "; the one that sticks most was taken");
    if (c->refuses_several) return hml_fail(c->context, HML_NO_UNIQUE_MOTION, "%s", text);
    return w && w->note ? w->note(w->payload, c->in[0], text) : HML_OK;
  }
  if (o->result.motions > 1 || !o->result.reactions_differ || c->noted_reactions || !w || !w->note) return HML_OK;
  c->noted_reactions = true;
  const char *names[16];
  double ones[16];
  size_t n = 0;
  for (size_t s = 0; s < o->p.n_sides && n < 16; s++)
    if (c->sides[s].undetermined) names[n++] = c->gaps[c->active[c->sides[s].row]].name;
  for (size_t k = 0; k < o->p.n_frictions && n < 16; k++)
    if (c->rubs[k].undetermined) names[n++] = c->frictions[c->rub_of[k]].name;
  for (size_t i = 0; i < n; i++) ones[i] = 1;
  hml_names__join(n, names, ones, 0.5, "'", sizeof one, one);
  snprintf(text, sizeof text, "the reactions at %s are not determined by the model from t = %.10g on, the motion is", one, c->in[0]);
  return w->note(w->payload, c->in[0], text);
}

// ---- together

// Where the shared cone leaves no force that shows the direction of a slip that begins, it is that of its acceleration
static void point_along(const hml_contacts *c, hml_rub *rub) {
  double u[3], with = 0;
  if (rub->slip) return;
  for (size_t a = 0; a < rub->law.count; a++) {
    if (c->z[rub->row + a] != 0) return;
    u[a] = hml_contact__row_acceleration(c, rub->row + a);
    with += u[a] * rub->direction[a];
  }
  if (with < 0) memcpy(rub->direction, u, rub->law.count * sizeof *u);
}

static void adopt(const choice *o) {
  hml_contacts *c = o->c;
  c->undetermined = false;
  for (size_t i = 0; i < c->sizes.rows; i++) c->share[i] = c->place[i] == SIZE_MAX ? 0 : c->z[c->place[i]];
  for (size_t i = 0; i < c->sizes.gaps; i++) c->closed[i] = false;
  for (size_t s = 0; s < o->p.n_sides; s++) c->closed[c->active[c->sides[s].row]] = c->sides[s].closed;
  for (size_t j = 0; j < c->sizes.frictions; j++) c->friction_state[j] = HML_FREE;
  for (size_t k = 0; k < o->p.n_frictions; k++) {
    hml_rub *rub = c->rubs + k;
    size_t j = c->rub_of[k];
    if (!presses(o, rub)) continue;
    // rows that nothing moves, or that have no force, are free for the kernel
    c->friction_state[j] = rub->state == HML_RUB_STICKS ? HML_STICK : rub->state == HML_RUB_SLIPS || rub->slip ? HML_SLIP : HML_FREE;
    point_along(c, rub);
    const double size = hml_friction__size(&rub->law, rub->direction);
    for (size_t a = 0; a < rub->law.count; a++) c->direction[3 * j + a] = size > 0 ? rub->direction[a] / size : 0;
  }
  hml_contact__changed(c);
}

// Nothing takes part: all gaps are open, all frictions free
static hml_status take_nothing(const choice *o) {
  for (size_t i = 0; i < o->c->sizes.rows; i++) o->c->place[i] = SIZE_MAX;
  adopt(o);
  return HML_OK;
}

// A slip that begins changes the multipliers of its cone, too: they may need more than the whole of it at once
static hml_status check_cones(hml_contacts *c) {
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!c->frictions[j].n_cone || c->friction_state[j] != HML_SLIP) continue;
    HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
    double most = hml_contact__law(c, j, false).coefficient[0] * hml_contact__pressing(c, j, 1, hml_workspace__multipliers(c->w), c->z);
    double used = sqrt(hml_contact__shared(c, j, hml_workspace__multipliers(c->w), c->z));
    if (used <= most * (1 + FULL)) continue;
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "t = %.10g: the constraints in the cone of friction '%s' need %.6g as soon as it slips, and the cone has "
                    "%.6g; raise its coefficient or its normal force, or take them out of its cone", c->in[0], c->frictions[j].name, used, most);
  }
  return HML_OK;
}

// A stick or a closed gap that has come to its limit may go on where others hold the same motion: with another share of the reactions it has room
static bool has_new_share(choice *o, const bool *leave) {
  hml_contacts *c = o->c;
  const hml_frictional *p = &o->p;
  o->leave = NULL;
  if (!solve(o) || !o->result.reactions_differ) return false;
  for (size_t s = 0; s < p->n_sides; s++) {
    const size_t row = c->sides[s].row;
    if (leave[c->active[row]] && !(c->sides[s].closed && c->sides[s].undetermined && c->z[row] * c->g[row * c->n_active + row] > ROOMY * c->scales[row])) return false;
  }
  for (size_t k = 0; k < p->n_frictions; k++) {
    const hml_rub *rub = c->rubs + k;
    if (!leave[c->sizes.gaps + c->rub_of[k]]) continue;
    const double left = hml_friction__left(&rub->rest, rub->pressing, rub->shared * rub->shared);
    if (rub->state != HML_RUB_STICKS || !(hml_friction__room(&rub->rest, left, c->z + rub->row) > ROOMY * rub->pressing)) return false;
  }
  return true;
}

static bool any_leaves(const hml_contacts *c, const bool *leave) {
  for (size_t i = 0; i < c->sizes.gaps + c->sizes.frictions; i++)
    if (leave[i]) return true;
  return false;
}

// ---- what rounding decides

// The mode of the answer, in the order of gaps and frictions
static int8_t chosen(const choice *o, size_t which) {
  const hml_contacts *c = o->c;
  for (size_t s = 0; s < o->p.n_sides && which < c->sizes.gaps; s++)
    if (c->active[c->sides[s].row] == which) return c->sides[s].closed;
  for (size_t k = 0; k < o->p.n_frictions; k++)
    if (c->rub_of[k] + c->sizes.gaps == which && presses(o, c->rubs + k)) return (int8_t)c->rubs[k].state;
  return 0;
}

typedef struct again {
  choice *o;
  bool differs;
} again;

static hml_status solve_again(void *payload, hml_contacts *c) {
  again *other = payload;
  if (!solve(other->o)) {
    other->differs = true;
    return HML_OK;
  }
  for (size_t i = 0; i < c->sizes.gaps + c->sizes.frictions; i++) other->differs |= chosen(other->o, i) != c->chosen[i];
  return HML_OK;
}

static double largest_acceleration(const hml_contacts *c) {
  const double *a = hml_workspace__accelerations(c->w);
  double most = 0;
  for (size_t s = 0; s < c->n.dyn; s++) most = fmax(most, fmax(fabs(a[s]), fabs(a[s] + hml_contact__change(c, NULL, s))));
  return most;
}

static hml_status tell_lost(const hml_contacts *c) { return hml_contact__tell_lost(c, "decides which contacts persist"); }

// Is the mode another one with other roundings of the responses, and the motion with it, or are they too few for its reactions to be corrected?
static hml_status check_roundings(choice *o, double roundings) {
  hml_contacts *c = o->c;
  again other = {.o = o};
  double most;
  for (size_t i = 0; i < c->sizes.gaps + c->sizes.frictions; i++) c->chosen[i] = chosen(o, i);
  const double largest = largest_acceleration(c);
  HML_TRY(hml_contact__try_other_roundings(c, solve_again, &other, &most));
  if ((other.differs || roundings < SCANT) && most > DECIDES * largest) return tell_lost(c);
  return solve(o) ? HML_OK : tell_lost(c);
}

hml_status hml_contact__select(hml_contacts *c, const bool *touching, const bool *leave, const bool *near) {
  choice o = {.c = c, .touching = touching, .leave = leave};
  HML_TRY(hml_contact__evaluate(c));
  list_rows(c, touching);
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    if (!touching[i] || !c->gaps[i].n_rough) continue;
    if (o.n_rough == MOST_ROUGH) return hml_fail(c->context, HML_LIMIT, "t = %.10g: more than %d rough walls touch at once", c->in[0], MOST_ROUGH);
    o.rough[o.n_rough++] = i;
  }
  if (!c->n_active) return take_nothing(&o);
  HML_TRY(hml_contact__prepare(c, true));
  const double roundings = hml_contact__roundings_in_pivot(c);
  c->rank = hml_contact__rank(roundings);
  bool found = leave && any_leaves(c, leave) && has_new_share(&o, leave);
  if (!found) {
    o.leave = leave;
    found = solve(&o);
  }
  if (!found && leave) {
    o.leave = near;
    found = solve(&o);
  }
  if (!found && leave) {
    o.leave = NULL;
    found = solve(&o);
  }
  if (!found) return roundings < HML_CONTACT_BLURRED ? tell_lost(c) : tell_none(&o);
  if (roundings < HML_CONTACT_CLEAR) HML_TRY(check_roundings(&o, roundings));
  if (tell_narrow_cone(&o)) return HML_NO_CONTACT_MODE;
  HML_TRY(say_several(&o));
  adopt(&o);
  if (o.result.reactions_differ) HML_TRY(hml_contact__choose_share(c));
  return check_cones(c);
}
