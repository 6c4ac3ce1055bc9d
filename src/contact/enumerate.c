// enumerate.c: all combinations of a frictional problem: every side closed or open, every friction at rest sticking or slipping along each
// of its limit directions. A combination is a linear system, or Newton's method where several slips turn or cones are shared.
#include "kernel_impl.h"
#include "directions.h"

#include <float.h>
#include <string.h>

enum { NEWTON_STEPS = 30, PASSES = 8, DIRECTIONS = 4, FIRST_SHARES = 120, SHARES = 25 };
#define DIFFERENT 1e-6                 // solutions, relative to the terms of the row
#define LEAST_PART 1e-9                // of the size of a condition: room in shared reactions
#define MOST_PART 0.1
#define ROOMY 1e-6                     // the same, in reactions of least norm
#define ROUNDING 1e-14                 // the residual of a solution that no other one betters

// ---- one combination
static void list_rows(hml_solver *s) {
  const hml_frictional *p = s->p;
  s->n = 0;
  for (size_t i = 0; i < p->n_demands; i++) hml_kernel__list(s, p->demand[i].row, HML_AT_REST, p->demand[i].target);
  for (size_t i = 0; i < p->n_sides; i++)
    if (p->side[i].tried) hml_kernel__list(s, p->side[i].row, HML_AT_REST, p->side[i].target);
  for (size_t j = 0; j < p->n_frictions; j++)
    for (size_t a = 0; a < p->rub[j].law.count && p->rub[j].choice != HML_CHOICE_NONE; a++)
      hml_kernel__list(s, p->rub[j].row + a, p->rub[j].choice == HML_CHOICE_REST ? HML_AT_REST : j, 0);
}

// z + N w = 0 with w = grad h, of a fixed direction or of u
static void slip_row(hml_solver *s, size_t at) {
  const hml_frictional *p = s->p;
  const hml_rub *f = p->rub + s->owner[at];
  const size_t n = f->law.count, a = s->rows[at] - f->row;
  double w[3], hessian[9] = {0}, u[3], normal = hml_kernel__slip_normal(s, f, s->gradient), by = 1 / s->unit[at];
  for (size_t b = 0; b < n; b++) u[b] = f->choice == HML_CHOICE_TURNS ? hml_kernel__velocity(s, f->row + b, s->z) : f->along[b];
  hml_friction__gradient(&f->law, u, w);
  if (f->choice == HML_CHOICE_TURNS) hml_friction__hessian(&f->law, u, hessian);
  const bool given = f->choice == HML_CHOICE_GIVEN;
  s->side[at] = by * (s->z[s->rows[at]] + (given ? -f->given[a] : normal * w[a]));
  for (size_t j = 0; j < s->n; j++) {
    double turn = 0;
    for (size_t b = 0; b < n; b++) turn += hessian[a * n + b] * p->g[(f->row + b) * p->k + s->rows[j]];
    s->jacobian[at * s->n + j] = by * s->unit[j] * ((j == at) + (given ? 0 : w[a] * s->gradient[s->rows[j]] + normal * turn));
  }
}

static void solve_step(hml_solver *s) {
  for (size_t at = 0; at < s->n; at++) {
    if (s->owner[at] == HML_AT_REST) hml_kernel__rest_row(s, at);
    else slip_row(s, at);
  }
  s->rank = hml_contact__least_norm(s->n, s->jacobian, s->side, s->unit, s->step, s->null, s->pivots, hml_kernel__rank(s));
}

// Newton's method from the present z; two steps where all equations are linear, the second for rounding. False: it does not settle.
static bool solve_system(hml_solver *s, bool linear) {
  double before = INFINITY;
  for (int step = 0; step < (linear ? 2 : NEWTON_STEPS); step++) {
    double change = 0, size = 0;
    solve_step(s);
    for (size_t at = 0; at < s->n; at++) {
      s->z[s->rows[at]] -= s->step[at];
      change = fmax(change, fabs(s->step[at]) / s->unit[at]);
      size = fmax(size, fabs(s->z[s->rows[at]]) / s->unit[at]);
    }
    if (!(change < INFINITY)) return false;
    if (change <= 4 * DBL_EPSILON * size || (change <= 1e-10 * size && change >= 0.5 * before)) return true;
    before = change;
  }
  return linear;
}

static bool nonlinear(const hml_rub *f) {
  return f->choice == HML_CHOICE_TURNS || (f->n_cone && !f->alone && f->choice == HML_CHOICE_ALONG);
}

static bool solve_choice(hml_solver *s, bool from_zero) {
  bool linear = true;
  for (size_t j = 0; j < s->p->n_frictions; j++) linear &= !nonlinear(s->p->rub + j);
  list_rows(s);
  if (from_zero) hml_kernel__clear(s);
  return solve_system(s, linear);
}

// ---- reactions that depend on each other

// Room of condition i of those that the sets put on reactions: of a closed side, then of a friction at rest, in units of its normal force.
// False: this one puts none. *size: of what the room is made of
static bool room_of(const hml_solver *s, size_t i, double *room, double *size) {
  const hml_frictional *p = s->p;
  if (i < p->n_sides) {
    *room = s->z[p->side[i].row];
    *size = fabs(*room);
    return p->side[i].tried;
  }
  const hml_rub *f = p->rub + (i - p->n_sides);
  const double normal = f->side != SIZE_MAX ? s->z[p->side[f->side].row] : hml_kernel__pressing(p, f, s->z);
  if (f->choice != HML_CHOICE_REST) return false;
  const double left = normal > 0 ? hml_friction__left(&f->rest, normal, hml_kernel__shared_squares(p, f, s->z)) : normal;
  *room = hml_friction__room(&f->rest, left, s->z + f->row);
  *size = fabs(normal) + fabs(*room);
  return true;
}

static void move(hml_solver *s, size_t d, double by) {
  for (size_t at = 0; at < s->n; at++) s->z[s->rows[at]] += by * s->null[d * s->n + at];
}

// By how far along the free directions the room of a condition misses a part of its size; the way there in s->step
static double way_to_room(hml_solver *s, size_t i, double part) {
  double room, size, slope = 0;
  const size_t free = s->n - s->rank;
  if (!room_of(s, i, &room, &size) || room >= part * size) return 0;
  const double missing = 1.5 * part * size - room;                       // a little more than a part, so that rounding does not miss it
  for (size_t d = 0; d < free; d++) {
    double more, less, unused;
    move(s, d, 1e-6 * size);
    room_of(s, i, &more, &unused);
    move(s, d, -2e-6 * size);
    room_of(s, i, &less, &unused);
    move(s, d, 1e-6 * size);
    s->step[d] = (more - less) / (2e-6 * size);
    slope += s->step[d] * s->step[d];
  }
  if (!(slope > 0)) return INFINITY;
  for (size_t d = 0; d < free; d++) s->step[d] *= missing / slope;
  return missing / sqrt(slope);
}

// Projections in turn, within the free directions, onto the condition that is missed by most (Gubin, Polyak, Raik 1967). False: some room is missed
static bool reach(hml_solver *s, double part, int turns) {
  const size_t conditions = s->p->n_sides + s->p->n_frictions;
  for (int turn = 0; turn < turns; turn++) {
    double farthest = 0;
    size_t worst = 0;
    for (size_t i = 0; i < conditions; i++) {
      const double way = way_to_room(s, i, part);
      if (way > farthest) farthest = way, worst = i;
    }
    if (farthest == 0) return hml_kernel__residual(s, s->z, s->u).worst <= HML_FRICTIONAL_ACCEPTED;
    if (!(farthest < INFINITY)) return false;
    way_to_room(s, worst, part);
    for (size_t d = 0; d < s->n - s->rank; d++) move(s, d, s->step[d]);
  }
  return false;
}

static bool is_roomy(hml_solver *s) {
  for (size_t i = 0; i < s->p->n_sides + s->p->n_frictions; i++)
    if (way_to_room(s, i, ROOMY) > 0) return false;
  return true;
}

// Of all reactions that give the same u, some that the sets allow, with about as much room in all of them as there is: on an edge the next moment
// would begin a slip. False: there are none, and z stays as it was
static bool share(hml_solver *s) {
  const size_t bytes = s->p->k * sizeof *s->z;
  memcpy(s->saved, s->z, bytes);
  bool any = false;
  for (double part = LEAST_PART; part < MOST_PART; part *= 4) {
    if (!reach(s, part, any ? SHARES : FIRST_SHARES)) break;
    memcpy(s->saved, s->z, bytes);
    any = true;
  }
  memcpy(s->z, s->saved, bytes);
  hml_kernel__residual(s, s->z, s->u);
  return any;
}

// ---- slips that begin from rest
// Rate of the slip and its N as functions of its own reactions, all others obeying their choices: without reactions, then with such as
// change the rate by about as much as it is
static bool onset_of(hml_solver *s, hml_rub *f, hml_onset *o) {
  const hml_frictional *p = s->p;
  const size_t n = f->law.count;
  const int choice = f->choice;
  double size = 0, force = 1;
  bool fine = true;
  f->choice = HML_CHOICE_GIVEN;
  *o = (hml_onset){.law = &f->law};
  for (size_t b = 0; b <= n && fine; b++) {
    if (b > 0) {
      double g = hml_kernel__diagonal(s, f->row + b - 1), unit = hml_friction__unit(&f->law, b - 1);
      force = (size > 0 ? size : 1) / (g > 0 ? g * unit : 1);
    }
    for (size_t a = 0; a < n; a++) f->given[a] = a + 1 == b ? force : 0;
    fine = solve_choice(s, true);
    double normal = hml_kernel__signed_normal(p, f, s->z);
    normal = f->side == SIZE_MAX && !f->normal.b ? fmax(normal, 0) : f->sign * normal;
    if (b == 0) o->a = normal;
    else o->b[b - 1] = (normal - o->a) / force;
    for (size_t a = 0; a < n; a++) {
      double rate = hml_kernel__velocity(s, f->row + a, s->z);
      if (b == 0) o->c[a] = rate;
      else o->g[a * n + b - 1] = (rate - o->c[a]) / force;
      if (b == 0) size = fmax(size, fabs(rate) * hml_friction__unit(&f->law, a));
    }
  }
  f->choice = choice;
  return fine;
}

// Are all limit directions found? With a spot, where N is given: there is one at most
static bool all_directions(const hml_rub *f) {
  const hml_friction_law *law = &f->law;
  if (law->kind == HML_FRICTION_elliptic) return law->coefficient[0] > 0 && law->coefficient[1] > 0;
  return (law->kind == HML_FRICTION_coulomb && law->count < 3) || (f->side == SIZE_MAX && !f->normal.b);
}

// `wanted` < 0: the direction nearest to the present one. Where others slip too and none leads away, a first guess: that without friction
static bool turn_along(hml_solver *s, hml_rub *f, int wanted, bool alone) {
  hml_onset o;
  hml_limit_direction found[HML_MOST_DIRECTIONS];
  if (!onset_of(s, f, &o)) return false;
  size_t n = hml_friction__directions(&o, found), best = 0;
  if (n > DIRECTIONS || !all_directions(f)) s->result->complete = false;
  if (n == 0 && !alone && wanted <= 0) {
    for (size_t a = 0; a < f->law.count && wanted == 0; a++) f->along[a] = o.c[a];
    f->choice = HML_CHOICE_ALONG;
    return true;
  }
  if (wanted >= (int)n || n == 0) return false;
  for (size_t i = 0; i < n && wanted < 0; i++) {
    double nearer = 0;
    for (size_t a = 0; a < f->law.count; a++) {
      double unit = hml_friction__unit(&f->law, a);
      nearer += f->along[a] * (found[i].slip[a] - found[best].slip[a]) * unit * unit;
    }
    if (nearer > 0) best = i;
  }
  if (wanted >= 0) best = (size_t)wanted;
  for (size_t a = 0; a < f->law.count; a++) f->along[a] = found[best].slip[a];
  f->choice = HML_CHOICE_ALONG;
  return true;
}

static bool begins(const hml_rub *f) {
  return f->choice != HML_CHOICE_NONE && !f->slip && f->digit > 0 && f->law.count > 1;
}

// Directions one after the other until they hold together: those not yet known stick meanwhile
static bool find_directions(hml_solver *s) {
  hml_frictional *p = s->p;
  size_t turning = 0;
  for (size_t j = 0; j < p->n_frictions; j++) turning += begins(p->rub + j);
  if (turning > 1) s->result->complete = false;
  for (int pass = 0; pass < (turning > 1 ? PASSES : 1); pass++)
    for (size_t j = 0; j < p->n_frictions; j++) {
      hml_rub *f = p->rub + j;
      if (begins(f) && !turn_along(s, f, pass == 0 ? f->digit - 1 : -1, turning == 1)) return false;
    }
  return true;
}

// ---- all combinations
static bool without_force(const hml_friction_law *law) {
  return law->coefficient[0] == 0 && (law->kind != HML_FRICTION_elliptic || law->coefficient[1] == 0);
}

static int digits(const hml_rub *f) {
  return f->slip ? 1 : f->law.count == 1 ? 3 : 1 + DIRECTIONS;
}

static int first_digit(const hml_rub *f) {
  return f->may_not_stick && !f->slip;
}

static void first_combination(hml_frictional *p) {
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].tried = !p->side[i].stays_open;
  for (size_t j = 0; j < p->n_frictions; j++) {
    p->rub[j].digit = first_digit(p->rub + j);
    p->rub[j].sign = 1;
  }
}

static bool next_combination(hml_frictional *p) {
  for (size_t i = 0; i < p->n_sides; i++) {
    if (p->side[i].stays_open) continue;
    p->side[i].tried = !p->side[i].tried;
    if (!p->side[i].tried) return true;
  }
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    if (++f->digit < digits(f)) return true;
    f->digit = first_digit(f);
    if (!hml_kernel__has_two_signs(f)) continue;
    f->sign = -f->sign;
    if (f->sign < 0) return true;
  }
  return false;
}

double hml_kernel__combinations(const hml_frictional *p) {
  double number = 1;
  for (size_t i = 0; i < p->n_sides; i++) number *= p->side[i].stays_open ? 1 : 2;
  for (size_t j = 0; j < p->n_frictions; j++)
    number *= (digits(p->rub + j) - first_digit(p->rub + j)) * (hml_kernel__has_two_signs(p->rub + j) ? 2 : 1);
  return number;
}

// The choice of a friction by its digit; false: this combination was counted before
static bool choose(const hml_solver *s, hml_rub *f) {
  const hml_frictional *p = s->p;
  bool pressed = f->side != SIZE_MAX ? p->side[f->side].tried : f->normal.b || f->normal.a > 0;
  for (size_t a = 0; a < f->law.count && f->slip; a++) f->along[a] = f->slip[a];
  if (!pressed || (without_force(&f->law) && without_force(&f->rest)) || hml_kernel__block_diagonal(s, f) == 0) {
    f->choice = HML_CHOICE_NONE;
    return f->digit == first_digit(f) && f->sign > 0;
  }
  f->choice = f->slip || (f->law.count == 1 && f->digit > 0) ? HML_CHOICE_ALONG : HML_CHOICE_REST;
  if (!f->slip && f->law.count == 1) f->along[0] = f->digit == 2 ? -1 : 1;
  return f->choice == HML_CHOICE_ALONG || f->digit > 0 || f->sign > 0;
}

// Rows that depend on each other may contradict each other
static bool consistent(const hml_solver *s) {
  for (size_t at = 0; at < s->n; at++) {
    size_t row = s->rows[at];
    double error = fabs(s->u[row] - s->target[at]);
    double most = HML_FRICTIONAL_ACCEPTED * (fabs(s->target[at]) + hml_kernel__terms(s, row, s->z));
    if (s->owner[at] == HML_AT_REST && error > most) return false;
  }
  return true;
}

static bool accepted(hml_solver *s) {
  const bool fits = hml_kernel__residual(s, s->z, s->u).worst <= HML_FRICTIONAL_ACCEPTED;
  if (!consistent(s)) return false;
  if (s->rank < s->n && !(fits && is_roomy(s))) return share(s) || fits;
  return fits;
}

// Rows at rest in the present combination, and one more; their rank
static size_t rank_at_rest(hml_solver *s, size_t more) {
  const hml_frictional *p = s->p;
  s->n = 0;
  for (size_t i = 0; i < p->n_demands; i++) hml_kernel__list(s, p->demand[i].row, HML_AT_REST, 0);
  for (size_t i = 0; i < p->n_sides; i++)
    if (p->side[i].tried) hml_kernel__list(s, p->side[i].row, HML_AT_REST, 0);
  for (size_t j = 0; j < p->n_frictions; j++)
    for (size_t a = 0; a < p->rub[j].law.count && p->rub[j].choice == HML_CHOICE_REST; a++) hml_kernel__list(s, p->rub[j].row + a, HML_AT_REST, 0);
  if (more != SIZE_MAX) hml_kernel__list(s, more, HML_AT_REST, 0);
  for (size_t at = 0; at < s->n; at++) hml_kernel__rest_row(s, at);
  return hml_contact__least_norm(s->n, s->jacobian, s->side, s->unit, s->step, s->null, s->pivots, hml_kernel__rank(s));
}

// Is the slip zero that a friction has in the present combination?
static bool is_zero(const hml_solver *s, const hml_rub *f) {
  for (size_t a = f->row; a < f->row + f->law.count; a++)
    if (fabs(hml_kernel__velocity(s, a, s->z)) > HML_FRICTIONAL_ACCEPTED * hml_kernel__terms(s, a, s->z)) return false;
  return true;
}

// Does a slip begin whose rows are held at rest by others? Then it rests, too, and its reaction is a matter of the share
static bool any_is_held(hml_solver *s) {
  const hml_frictional *p = s->p;
  bool any = false, looked = false;
  for (size_t j = 0; j < p->n_frictions && !any; j++) {
    const hml_rub *f = p->rub + j;
    if (f->choice == HML_CHOICE_NONE || f->choice == HML_CHOICE_REST || f->slip || !is_zero(s, f)) continue;
    const size_t rank = rank_at_rest(s, SIZE_MAX);
    looked = any = true;
    for (size_t a = 0; a < f->law.count && any; a++) any = rank_at_rest(s, f->row + a) == rank;
  }
  if (!looked) return false;
  list_rows(s);
  solve_step(s);
  return any;
}

// Is every slip pressed with the sign that its combination assumes?
static bool signs_hold(const hml_solver *s) {
  const hml_frictional *p = s->p;
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    bool slips = f->choice == HML_CHOICE_ALONG || f->choice == HML_CHOICE_TURNS;
    if (!slips || !hml_kernel__has_two_signs(f)) continue;
    double mu = fmax(f->law.coefficient[0], f->law.coefficient[1]), normal = f->sign * hml_kernel__signed_normal(p, f, s->z);
    if (mu * hml_kernel__block_diagonal(s, f) * normal < -HML_FRICTIONAL_ACCEPTED * hml_kernel__terms(s, f->row, s->z)) return false;
  }
  return true;
}

// Does every slip that begins go the way that its combination assumes? Where its friction is negligible beside the other forces, no residual shows it
static bool slips_go_on(const hml_solver *s) {
  const hml_frictional *p = s->p;
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    double along = 0, terms = 0;
    if (f->slip || f->choice != HML_CHOICE_ALONG) continue;
    for (size_t a = 0; a < f->law.count; a++) {
      double unit = hml_friction__unit(&f->law, a);
      along += hml_kernel__velocity(s, f->row + a, s->z) * f->along[a] * unit * unit;
      terms += hml_kernel__terms(s, f->row + a, s->z) * fabs(f->along[a]) * unit * unit;
    }
    if (along < -HML_FRICTIONAL_ACCEPTED * terms) return false;
  }
  return true;
}

// Shared cones: Newton's method from the solution without them, then from rest
static bool solve_cones(hml_solver *s) {
  hml_frictional *p = s->p;
  s->result->complete = false;
  for (size_t j = 0; j < p->n_frictions; j++) p->rub[j].alone = true;
  bool found = solve_choice(s, true);
  for (size_t j = 0; j < p->n_frictions; j++) p->rub[j].alone = false;
  if (found && solve_choice(s, false) && signs_hold(s) && accepted(s)) return true;
  return solve_choice(s, true);
}

// Several slips of one body that begin together, none of which can while the others stick: each the way its place would go without any of them
static bool begin_together(hml_solver *s) {
  hml_frictional *p = s->p;
  size_t together = 0, cones = 0;
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    cones += f->n_cone && f->choice != HML_CHOICE_NONE;
    if (!begins(f)) continue;
    if (f->digit > 1) return false;
    together++;
    f->choice = HML_CHOICE_GIVEN;
    for (size_t a = 0; a < f->law.count; a++) f->given[a] = 0;
  }
  if (together < 2 || cones || !solve_choice(s, true)) return false;
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    if (f->choice != HML_CHOICE_GIVEN) continue;
    f->choice = HML_CHOICE_ALONG;
    for (size_t a = 0; a < f->law.count; a++) f->along[a] = hml_kernel__velocity(s, f->row + a, s->z);
  }
  return solve_choice(s, true) && signs_hold(s) && slips_go_on(s) && accepted(s) && !any_is_held(s);
}

static bool choose_all(hml_solver *s) {
  for (size_t j = 0; j < s->p->n_frictions; j++)
    if (!choose(s, s->p->rub + j)) return false;
  return true;
}

// Solves the present combination; true: it holds
static bool holds(hml_solver *s) {
  hml_frictional *p = s->p;
  size_t turning = 0, cones = 0;
  if (!choose_all(s)) return false;
  if (begin_together(s)) return true;
  if (!choose_all(s) || !find_directions(s)) return false;
  for (size_t j = 0; j < p->n_frictions; j++) {
    turning += begins(p->rub + j);
    cones += p->rub[j].n_cone && p->rub[j].choice == HML_CHOICE_ALONG;
  }
  bool found = cones ? solve_cones(s) : solve_choice(s, true);
  if (s->rank < s->n && turning) s->result->complete = false;
  if (turning > 1 || (turning && cones)) {
    for (size_t j = 0; j < p->n_frictions; j++)
      if (begins(p->rub + j)) p->rub[j].choice = HML_CHOICE_TURNS;
    found = solve_choice(s, false);
  }
  return found && signs_hold(s) && slips_go_on(s) && accepted(s) && !any_is_held(s);
}

static bool apart(const hml_solver *s, const double *z, bool reactions, size_t row) {
  const hml_frictional *p = s->p;
  double size = hml_kernel__terms(s, row, z) + hml_kernel__terms(s, row, s->z), change = 0;
  if (reactions) return fabs(s->z[row] - z[row]) * hml_kernel__diagonal(s, row) > DIFFERENT * size;
  for (size_t i = 0; i < p->k; i++) change += p->g[row * p->k + i] * (s->z[i] - z[i]);
  return fabs(change) > DIFFERENT * size;
}

static bool any_apart(const hml_solver *s, const double *z, bool reactions) {
  for (size_t i = 0; i < s->p->k; i++)
    if (apart(s, z, reactions, i)) return true;
  return false;
}

static void mark(const hml_solver *s, size_t row) {
  hml_frictional *p = s->p;
  s->result->reactions_differ = true;
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].undetermined |= p->side[i].row == row;
  for (size_t j = 0; j < p->n_frictions; j++) p->rub[j].undetermined |= row >= p->rub[j].row && row < p->rub[j].row + p->rub[j].law.count;
}

static void mark_free_reactions(const hml_solver *s) {
  for (size_t d = 0; d < s->n - s->rank; d++)
    for (size_t at = 0; at < s->n; at++)
      if (fabs(s->null[d * s->n + at]) > DIFFERENT) mark(s, s->rows[at]);
}

// The same for an answer found otherwise: the combination that it belongs to
void hml_kernel__mark_undetermined(hml_solver *s) {
  hml_frictional *p = s->p;
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].tried = p->side[i].closed;
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    f->choice = f->state == HML_RUB_FREE ? HML_CHOICE_NONE : f->state == HML_RUB_STICKS ? HML_CHOICE_REST : HML_CHOICE_ALONG;
    f->sign = hml_kernel__has_two_signs(f) && hml_kernel__signed_normal(p, f, s->z) < 0 ? -1 : 1;
    for (size_t a = 0; a < f->law.count; a++) f->direction[a] = f->along[a] = f->slip ? f->slip[a] : s->u[f->row + a];
  }
  list_rows(s);
  solve_step(s);
  mark_free_reactions(s);
}

// Of a slip that turns: its u, or where that vanishes at the very limit of stick, the slip that its reaction opposes
static void take_direction(const hml_solver *s, hml_rub *f) {
  const size_t n = f->law.count;
  double u = 0, terms = 0;
  for (size_t a = 0; a < n; a++) f->direction[a] = f->along[a];
  if (f->choice != HML_CHOICE_TURNS) return;
  for (size_t a = 0; a < n; a++) {
    f->direction[a] = hml_kernel__velocity(s, f->row + a, s->z);
    u += fabs(f->direction[a]);
    terms += hml_kernel__terms(s, f->row + a, s->z);
  }
  if (u > HML_FRICTIONAL_ACCEPTED * terms) return;
  const bool ellipse = f->law.kind == HML_FRICTION_elliptic, spot = hml_friction__has_spot(f->law.kind);
  for (size_t a = 0; a < n; a++) {
    double mu = f->law.coefficient[ellipse ? a : 0];
    f->direction[a] = spot ? f->along[a] : mu > 0 ? -s->z[f->row + a] / (mu * mu) : 0;
  }
}

static void take(const hml_solver *s) {
  hml_frictional *p = s->p;
  for (size_t i = 0; i < p->k; i++) p->z[i] = s->z[i];
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].closed = p->side[i].tried;
  for (size_t j = 0; j < p->n_frictions; j++) {
    hml_rub *f = p->rub + j;
    f->state = f->choice == HML_CHOICE_NONE ? HML_RUB_FREE : f->choice == HML_CHOICE_REST ? HML_RUB_STICKS : HML_RUB_SLIPS;
    take_direction(s, f);
  }
  mark_free_reactions(s);
}

// Rest that static friction holds excludes the slip that kinetic friction would allow
static bool excused(const hml_frictional *p) {
  for (size_t j = 0; j < p->n_frictions; j++) {
    const hml_rub *f = p->rub + j;
    bool stronger = f->rest.coefficient[0] > f->law.coefficient[0] || f->rest.coefficient[1] > f->law.coefficient[1];
    if (stronger && f->state == HML_RUB_STICKS && f->choice != HML_CHOICE_REST && f->choice != HML_CHOICE_NONE) return true;
  }
  return false;
}

static void record(const hml_solver *s) {
  hml_frictional *p = s->p;
  hml_frictional_result *r = s->result;
  if (r->motions == 0) {
    take(s);
    r->motions = 1;
  } else if (any_apart(s, p->z, false)) {
    if (r->motions == 1 && !excused(p)) {
      for (size_t i = 0; i < p->k && p->other; i++) p->other[i] = s->z[i];
      r->motions = 2;
    }
  } else {
    for (size_t i = 0; i < p->k; i++)
      if (apart(s, p->z, true, i)) mark(s, i);
  }
}

// Of one solution that is enough: the best. What misses its laws by far less than a slow row's terms may miss all of its velocity
static void record_better(const hml_solver *s, double *best) {
  hml_frictional *p = s->p;
  const double worst = hml_kernel__residual(s, s->z, s->u).worst;
  if (!(worst < *best)) return;
  *best = worst;
  s->result->motions = 1;
  s->result->reactions_differ = false;
  for (size_t i = 0; i < p->n_sides; i++) p->side[i].undetermined = false;
  for (size_t j = 0; j < p->n_frictions; j++) p->rub[j].undetermined = false;
  take(s);
}

void hml_kernel__enumerate(hml_solver *s) {
  hml_frictional *p = s->p;
  double best = INFINITY;
  first_combination(p);
  do {
    if (!holds(s)) continue;
    if (p->first) record_better(s, &best);
    else record(s);
  } while (!(p->first && best <= ROUNDING) && next_combination(p));
}
