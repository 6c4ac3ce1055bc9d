// impact.c: velocities after an impact, from the laws of the gaps that strike and the mass metric.
//
// Reactions of an instant: v+ = v- + X P with the unit responses X of contact.c, which keep the two-sided constraints. In the rows taking
// part u+ = u- + G P. Rough, held and prescribed rows demand u+; the other normals obey
//   one gap:            u+ = -e u- (Newton), or with Coulomb friction the incremental law of Routh and Keller: dP_t = -mu d dP_n
//                       while the contact point slips along d, sticking where |G_tt^-1 G_tn| <= mu, through compression and restitution,
//                       ended by Newton, Poisson or Stronge;
//   several at once:    Moreau's law, 0 <= P_i, u_i+ + e_i u_i- >= 0, one of them zero: all combinations for a small number, else, and
//                       with friction |P_t| <= mu P_n against the slip after the impact, by projected Gauss-Seidel sweeps;
//   pressed by a two-sided constraint: friction as with several at once, P_n the size of that constraint's impulse.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { MOST_GAPS_TRIED = 10, SWEEPS = 20000, INCREMENTS = 500, SEGMENTS = 100 };

typedef struct impact {
  hml_contacts *c;
  const bool *hit;
  size_t k;                            // rows taking part, listed in c->active
  double *before;                      // their velocities                                              (k)
  double *change;                      // demanded change of those in `demanded`                        (k)
  double *p;                           // impulses                                                      (k)
  double *matrix, *side, *part;        // scratch                                                       (k x k), (k), (k)
  double *u;                           // scratch: velocities                                           (k)
  size_t *rows, *normals;              // scratch; places of the normals that obey a law here           (k), (k)
  bool *demanded;                      // (k)
  bool plastic;                        // no restitution, whatever the laws say
  size_t n_normals;
  void *memory;
  size_t size;
} impact;

// ---- who takes part
static void add_row(hml_contacts *c, size_t row) {
  for (size_t i = 0; i < c->n_active; i++)
    if (c->active[i] == row) return;
  c->active[c->n_active++] = row;
}

static bool takes_part(const hml_contacts *c, const bool *hit, size_t gap) {
  return hit[gap] || c->closed[gap];
}

// Pressed by a gap or by a two-sided constraint, whose reactions may be impulses; a normal force given as an expression stays finite
static bool rubs(const hml_contacts *c, const bool *hit, size_t j) {
  const hml_friction *f = c->frictions + j;
  if (f->kind == HML_PRESSED_BY_MULTIPLIER) return true;
  return f->kind == HML_PRESSED_BY_GAP && takes_part(c, hit, f->index) && !(hit[f->index] && c->gaps[f->index].law == HML_USER_LAW);
}

static void list_rows(hml_contacts *c, const bool *hit) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (takes_part(c, hit, i)) add_row(c, i);
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t a = 0; a < c->frictions[j].count && rubs(c, hit, j); a++) add_row(c, c->frictions[j].row + a);
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    for (size_t a = 0; a < c->gaps[i].n_rough && hit[i]; a++) add_row(c, c->gaps[i].rough + a);
    for (size_t a = 0; a < c->gaps[i].n_held && hit[i]; a++) add_row(c, c->gaps[i].held + a);
  }
}

static hml_status open_impact(impact *o) {
  hml_contacts *c = o->c;
  const size_t k = o->k = c->n_active;
  o->size = (k * k + 6 * k) * sizeof(double) + 2 * k * sizeof(size_t) + k * sizeof(bool) + 1;
  o->memory = hml_alloc(c->w->context, o->size);
  if (!o->memory) return HML_MEMORY;
  double *at = o->memory;
  double **const vectors[] = {&o->before, &o->change, &o->p, &o->side, &o->part, &o->u};
  for (size_t i = 0; i < 6; i++) *vectors[i] = at + i * k;
  o->matrix = at + 6 * k;
  o->rows = (size_t *)(void *)(o->matrix + k * k);
  o->normals = o->rows + k;
  o->demanded = (bool *)(o->normals + k);
  for (size_t i = 0; i < k; i++) o->before[i] = c->out[c->at_velocities + c->active[i]];
  return HML_OK;
}

// ---- what is demanded
static void demand(impact *o, size_t row, double change) {
  size_t place = o->c->place[row];
  o->demanded[place] = true;
  o->change[place] = change;
}

static hml_status ask_user(impact *o, size_t gap, hml_law law, void *payload, const double *x) {
  hml_contacts *c = o->c;
  const hml_gap *g = c->gaps + gap;
  const double *u = c->out + c->at_velocities;
  double wanted = NAN, *rough = o->side, sum;
  if (!law) return hml_fail(c->w->context, HML_ARGUMENT, "'%s': no function gives its law of impact", g->name);
  for (size_t a = 0; a < g->n_rough; a++) rough[a] = NAN;
  HML_TRY(law(payload, gap, c->w->in[0], x, u[gap], u + g->rough, &wanted, rough));
  sum = wanted;
  demand(o, gap, wanted - u[gap]);
  for (size_t a = 0; a < g->n_rough; a++) {
    demand(o, g->rough + a, rough[a] - u[g->rough + a]);
    sum += rough[a];
  }
  if (isfinite(sum)) return HML_OK;
  return hml_fail(c->w->context, HML_NOT_FINITE, "'%s' at t = %.10g: its law gave a velocity that is not finite", g->name, c->w->in[0]);
}

static hml_status read_laws(impact *o, hml_law law, void *payload, const double *x) {
  hml_contacts *c = o->c;
  const double *u = c->out + c->at_velocities;
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    const hml_gap *g = c->gaps + i;
    if (!takes_part(c, o->hit, i)) continue;
    for (size_t a = 0; a < g->n_held && o->hit[i]; a++) demand(o, g->held + a, 0);
    if (g->law == HML_USER_LAW && o->hit[i] && !o->plastic) {
      HML_TRY(ask_user(o, i, law, payload, x));
      continue;
    }
    for (size_t a = 0; a < g->n_rough && o->hit[i]; a++) demand(o, g->rough + a, -(1 + g->tangential) * u[g->rough + a]);
    o->normals[o->n_normals++] = c->place[i];
  }
  return HML_OK;
}

static const hml_gap *gap_at(const impact *o, size_t normal) {
  return o->c->gaps + o->c->active[o->normals[normal]];
}

// u+ wanted by Newton's law; a contact that persists keeps its zero
static double newton_target(const impact *o, size_t normal) {
  double u = o->before[o->normals[normal]];
  if (o->plastic) return 0;
  return o->hit[o->c->active[o->normals[normal]]] ? -gap_at(o, normal)->restitution * u : fmax(u, 0);
}

// Impulses of the demanded rows and of those in `also` (bits of the normals), all others zero
static void solve_rows(impact *o, size_t also) {
  const hml_contacts *c = o->c;
  size_t n = 0;
  for (size_t i = 0; i < o->k; i++)
    if (o->demanded[i]) o->side[n] = o->change[i], o->rows[n++] = i;
  for (size_t i = 0; i < o->n_normals; i++)
    if (also >> i & 1) o->side[n] = newton_target(o, i) - o->before[o->normals[i]], o->rows[n++] = o->normals[i];
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < n; j++) o->matrix[i * n + j] = c->g[o->rows[i] * o->k + o->rows[j]];
  hml_contact__dense_solve(o->c, n, o->matrix, o->side, o->part);
  for (size_t i = 0; i < o->k; i++) o->p[i] = 0;
  for (size_t i = 0; i < n; i++) o->p[o->rows[i]] = o->part[i];
}

static double velocity_after(const impact *o, size_t place) {
  return o->before[place] + hml_dense__dot(o->k, o->c->g + place * o->k, o->p);
}

// ---- several contacts at once
static bool complementary(const impact *o, size_t also) {
  double speed = 0;
  for (size_t i = 0; i < o->n_normals; i++) speed = fmax(speed, fabs(o->before[o->normals[i]]));
  for (size_t i = 0; i < o->n_normals; i++) {
    size_t place = o->normals[i];
    double slack = 1e-11 * speed;
    if (also >> i & 1 ? o->p[place] < -slack / o->c->g[place * o->k + place] : velocity_after(o, place) < newton_target(o, i) - slack) return false;
  }
  return true;
}

// Impulse that presses a friction
static double pressing(const impact *o, size_t j) {
  const hml_contacts *c = o->c;
  const hml_friction *f = c->frictions + j;
  if (f->kind == HML_PRESSED_BY_GAP) return o->p[c->place[f->index]];
  double impulse = 0;
  for (size_t i = 0; i < o->k; i++) impulse += c->y[i * c->w->model->n_multipliers + f->index] * o->p[i];
  return fabs(impulse);
}

// The sweeps' share of one friction: the impulse that stops its slip, pulled back into the cone
static double sweep_friction(impact *o, size_t j) {
  const hml_contacts *c = o->c;
  const hml_friction *f = c->frictions + j;
  size_t first = c->place[f->row];
  double room = c->out[c->at_coefficients + j] * pressing(o, j), p[2] = {0, 0}, g = 0, change = 0;
  for (size_t a = 0; a < f->count; a++) g = fmax(g, c->g[(first + a) * o->k + first + a]);
  for (size_t a = 0; a < f->count; a++) p[a] = o->p[first + a] - velocity_after(o, first + a) / g;
  double size = hypot(p[0], p[1]), scale = size > room ? room / size : 1;
  for (size_t a = 0; a < f->count; a++) {
    change = fmax(change, fabs(scale * p[a] - o->p[first + a]) * g);
    o->p[first + a] = scale * p[a];
  }
  return change;
}

static hml_status sweeps(impact *o) {
  const hml_contacts *c = o->c;
  double speed = 0;
  for (size_t i = 0; i < o->k; i++) o->p[i] = 0, speed = fmax(speed, fabs(o->before[i]));
  for (int sweep = 0; sweep < SWEEPS; sweep++) {
    double change = 0;
    for (size_t i = 0; i < o->k; i++) {
      if (!o->demanded[i]) continue;
      double d = (o->before[i] + o->change[i] - velocity_after(o, i)) / c->g[i * o->k + i];
      o->p[i] += d;
      change = fmax(change, fabs(d) * c->g[i * o->k + i]);
    }
    for (size_t i = 0; i < o->n_normals; i++) {
      size_t place = o->normals[i];
      double g = c->g[place * o->k + place], p = fmax(0, o->p[place] + (newton_target(o, i) - velocity_after(o, place)) / g);
      change = fmax(change, fabs(p - o->p[place]) * g);
      o->p[place] = p;
    }
    for (size_t j = 0; j < c->sizes.frictions; j++)
      if (rubs(c, o->hit, j)) change = fmax(change, sweep_friction(o, j));
    if (change <= 1e-14 * speed) return HML_OK;
  }
  return hml_fail(c->w->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: the impulses of the contacts did not settle in %d sweeps",
                  c->w->model->name, c->w->in[0], SWEEPS);
}

static hml_status moreau(impact *o, bool friction) {
  if (friction || o->n_normals > MOST_GAPS_TRIED) return sweeps(o);
  for (size_t also = (size_t)1 << o->n_normals; also-- > 0;) {
    solve_rows(o, also);
    if (complementary(o, also)) return HML_OK;
  }
  return hml_fail(o->c->w->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: no set of contacts satisfies the law of impact",
                  o->c->w->model->name, o->c->w->in[0]);
}

// ---- one contact with friction: the incremental law

typedef struct increment {             // in normal and slip, demanded rows eliminated
  size_t n;                            // 1 + directions
  double g[3][3], u[3], p[3];
  double mu, mu_static, u0, compression, work;   // start of u_n, impulse and work of compression
  bool restitution;                    // the phase
  const hml_gap *gap;
} increment;

// Slip direction d, or a sticking ratio dP_t/dP_n, at the present slip; moving: whether the contact point slips
static void friction_ratio(const increment *q, double ratio[2], bool *moving) {
  const size_t t = q->n - 1;
  double slip = t == 1 ? fabs(q->u[1]) : hypot(q->u[1], q->u[2]), d[2] = {0, 0};
  *moving = slip > 0;
  if (*moving) {
    for (size_t a = 0; a < t; a++) ratio[a] = -q->mu * q->u[1 + a] / slip;
    return;
  }
  double det = t == 1 ? q->g[1][1] : q->g[1][1] * q->g[2][2] - q->g[1][2] * q->g[2][1];
  ratio[0] = t == 1 ? -q->g[1][0] / det : -(q->g[2][2] * q->g[1][0] - q->g[1][2] * q->g[2][0]) / det;
  ratio[1] = t == 1 ? 0 : -(q->g[1][1] * q->g[2][0] - q->g[2][1] * q->g[1][0]) / det;
  if (hypot(ratio[0], ratio[1]) <= q->mu_static) return;
  // the slip that begins keeps its direction: its growth points along it
  double size = hypot(ratio[0], ratio[1]);
  *moving = true;
  d[0] = -ratio[0] / size;
  d[1] = -ratio[1] / size;
  for (int i = 0; i < 200; i++) {
    double s[2] = {0, 0}, length, moved;
    for (size_t a = 0; a < t; a++) {
      s[a] = q->g[1 + a][0];
      for (size_t b = 0; b < t; b++) s[a] -= q->mu * q->g[1 + a][1 + b] * d[b];
    }
    length = hypot(s[0], s[1]);
    if (!(length > 0)) break;
    moved = hypot(s[0] / length - d[0], s[1] / length - d[1]);
    d[0] = s[0] / length;
    d[1] = s[1] / length;
    if (moved < 1e-15) break;
  }
  ratio[0] = -q->mu * d[0];
  ratio[1] = -q->mu * d[1];
}

static void growth(const increment *q, const double ratio[2], double du[3]) {
  for (size_t i = 0; i < q->n; i++) {
    du[i] = q->g[i][0];
    for (size_t a = 1; a < q->n; a++) du[i] += q->g[i][a] * ratio[a - 1];
  }
}

// Normal impulse left until the phase ends, u_n growing at the constant rate du; negative: never
static double phase_end(const increment *q, double du) {
  double u = q->u[0];
  if (!q->restitution) return du > 0 ? -u / du : -1;
  double e = q->gap->restitution, left;
  switch (q->gap->law) {
    case HML_POISSON: return (1 + e) * q->compression - q->p[0];
    case HML_STRONGE:
      left = e * e * q->work;          // still to be given back
      if (left <= 0) return 0;
      if (du == 0) return u > 0 ? left / u : -1;
      u = u * u + 2 * du * left;
      return u >= 0 ? (sqrt(u) - q->u[0]) / du : -1;
    case HML_NEWTON:
    case HML_USER_LAW: break;
  }
  return du > 0 ? fmax(-e * q->u0 - u, 0) / du : -1;
}

static void move(increment *q, double dp, const double ratio[2], const double du[3]) {
  double average = q->u[0] + 0.5 * du[0] * dp;
  q->work -= average * dp * (q->restitution && q->gap->restitution > 0 ? 1 / (q->gap->restitution * q->gap->restitution) : 1);
  for (size_t i = 0; i < q->n; i++) q->u[i] += du[i] * dp;
  q->p[0] += dp;
  for (size_t a = 1; a < q->n; a++) q->p[a] += ratio[a - 1] * dp;
}

// One stretch with straight slip: exact for one direction; for two the slip turns and the stretch is short
static hml_status stretch(hml_contacts *c, increment *q, double most, bool *done) {
  double ratio[2] = {0, 0}, du[3] = {0, 0, 0}, end, stop = INFINITY;
  bool moving;
  friction_ratio(q, ratio, &moving);
  growth(q, ratio, du);
  if (moving && q->n == 3 && hypot(q->u[1], q->u[2]) > 0) {
    // the slip half way serves for the whole stretch
    increment half = *q;
    move(&half, 0.5 * most, ratio, du);
    double turn = half.u[1] * q->u[1] + half.u[2] * q->u[2];
    if (turn > 0) {
      friction_ratio(&half, ratio, &moving);
      growth(q, ratio, du);
    }
  }
  double slip = q->u[1] * q->u[1] + q->u[2] * q->u[2], along = q->u[1] * du[1] + (q->n == 3 ? q->u[2] * du[2] : 0);
  if (slip > 0 && along < 0) stop = -slip / along;
  end = phase_end(q, du[0]);
  if (end < 0 && stop == INFINITY && most == INFINITY)
    return hml_fail(c->w->context, HML_NO_CONTACT_MODE, "'%s' at t = %.10g: friction jams the impact: it never leaves compression", q->gap->name,
                    c->w->in[0]);
  double dp = end >= 0 && end <= stop ? end : stop;
  bool phase_over = dp == end && dp <= most;
  if (dp > most) dp = most;
  move(q, dp, ratio, du);
  if (stop <= dp) q->u[1] = q->u[2] = 0;
  *done = phase_over && q->restitution;
  if (phase_over && !q->restitution) {
    q->restitution = true;
    q->compression = q->p[0];
    q->u[0] = 0;
    *done = q->gap->restitution == 0;
  }
  return HML_OK;
}

// Couples of the reduced problem: the demanded rows give way
static void reduce(impact *o, const size_t *places, increment *q) {
  const hml_contacts *c = o->c;
  size_t n = 0;
  for (size_t i = 0; i < o->k; i++)
    if (o->demanded[i]) o->rows[n++] = i;
  for (size_t b = 0; b < q->n; b++) {
    for (size_t i = 0; i < n; i++) {
      o->side[i] = c->g[o->rows[i] * o->k + places[b]];
      for (size_t j = 0; j < n; j++) o->matrix[i * n + j] = c->g[o->rows[i] * o->k + o->rows[j]];
    }
    hml_contact__dense_solve(o->c, n, o->matrix, o->side, o->part);
    for (size_t a = 0; a < q->n; a++) {
      q->g[a][b] = c->g[places[a] * o->k + places[b]];
      for (size_t i = 0; i < n; i++) q->g[a][b] -= c->g[places[a] * o->k + o->rows[i]] * o->part[i];
    }
  }
}

static hml_status incremental(impact *o, size_t j) {
  hml_contacts *c = o->c;
  const hml_friction *f = c->frictions + j;
  size_t places[3] = {o->normals[0], c->place[f->row], f->count > 1 ? c->place[f->row + 1] : 0};
  increment q = {.n = 1 + f->count, .mu = c->out[c->at_coefficients + j], .mu_static = c->out[c->at_static + j]};
  hml_gap gap = *gap_at(o, 0);
  if (o->plastic) gap.law = HML_NEWTON, gap.restitution = 0;
  q.gap = &gap;
  solve_rows(o, 0);                    // what the demanded rows do by themselves comes first
  for (size_t a = 0; a < q.n; a++) q.u[a] = velocity_after(o, places[a]);
  q.u0 = q.u[0];
  reduce(o, places, &q);
  bool done = !(q.u[0] < 0);
  double most = f->count == 1 ? INFINITY : (fabs(q.u0) + hypot(q.u[1], q.u[2])) / q.g[0][0] / INCREMENTS;
  int limit = f->count == 1 ? SEGMENTS : 200 * INCREMENTS;
  for (int i = 0; i < limit && !done; i++) HML_TRY(stretch(c, &q, most, &done));
  if (!done)
    return hml_fail(c->w->context, HML_NO_CONTACT_MODE, "'%s' at t = %.10g: the impact with friction does not end", q.gap->name, c->w->in[0]);
  // the demanded rows take back what friction and normal did to them
  double *fixed = o->u;
  memcpy(fixed, o->p, o->k * sizeof *fixed);
  size_t n = 0;
  for (size_t i = 0; i < o->k; i++)
    if (o->demanded[i]) o->rows[n++] = i;
  for (size_t i = 0; i < n; i++) {
    o->side[i] = 0;
    for (size_t a = 0; a < q.n; a++) o->side[i] -= c->g[o->rows[i] * o->k + places[a]] * q.p[a];
    for (size_t b = 0; b < n; b++) o->matrix[i * n + b] = c->g[o->rows[i] * o->k + o->rows[b]];
  }
  hml_contact__dense_solve(c, n, o->matrix, o->side, o->part);
  for (size_t i = 0; i < n; i++) fixed[o->rows[i]] += o->part[i];
  for (size_t a = 0; a < q.n; a++) fixed[places[a]] += q.p[a];
  memcpy(o->p, fixed, o->k * sizeof *fixed);
  return HML_OK;
}

// ---- together
static hml_status find_impulses(impact *o) {
  const hml_contacts *c = o->c;
  size_t frictions = 0, last = 0;
  bool by_multiplier = false;
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (!rubs(c, o->hit, j) || !(c->out[c->at_static + j] > 0)) continue;
    frictions++;
    last = j;
    by_multiplier |= c->frictions[j].kind == HML_PRESSED_BY_MULTIPLIER;
  }
  if (by_multiplier) return sweeps(o);
  if (o->n_normals == 1 && frictions == 0) {
    solve_rows(o, 1);
    return HML_OK;
  }
  if (o->n_normals == 1 && frictions == 1) return incremental(o, last);
  if (o->n_normals == 0) {
    solve_rows(o, 0);
    return HML_OK;
  }
  return moreau(o, frictions > 0);
}

hml_status hml_contacts__impact(hml_contacts *c, const bool *hit, bool plastic, hml_law law, void *payload, double *x, double *impulses) {
  const hml_model *m = c->w->model;
  impact o = {.c = c, .hit = hit, .plastic = plastic};
  HML_TRY(hml_contacts__set_state(c, c->w->in[0], x));
  HML_TRY(hml_contact__evaluate(c));
  list_rows(c, hit);
  HML_TRY(hml_contact__prepare(c, false));
  hml_status status = open_impact(&o);
  if (status == HML_OK) status = read_laws(&o, law, payload, x);
  if (status == HML_OK) status = find_impulses(&o);
  for (size_t i = 0; i < c->sizes.rows; i++) impulses[i] = 0;
  for (size_t i = 0; i < o.k && status == HML_OK; i++) {
    impulses[c->active[i]] = o.p[i];
    for (size_t j = 0; j < m->n_dyn; j++) x[m->n_kin + j] += c->x[i * m->n_dyn + j] * o.p[i];
  }
  if (o.memory) hml_dealloc(c->w->context, o.memory, o.size);
  HML_TRY(status);
  return hml_contacts__set_state(c, c->w->in[0], x);
}
