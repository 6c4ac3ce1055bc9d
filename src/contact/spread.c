// spread.c: how far the guards of a mode can differ in a box of times and states from their values at the present state.
//
// The conditions on accelerations, multipliers and reactions are linear where the laws of friction are. With these held at their present
// values, ranges of the programs (range.c) give sizes up to which the conditions can be violated in the box; the inverse of their matrix turns
// the sizes into those of reactions. For forces that depend on time alone that is a bound, else it is one to first order, and SAFETY covers
// the rest where the box is small enough to matter.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#define SAFETY 1.5
#define FAINT 1e-3                     // of atol, as a velocity
#define COUNTS 1e-3                    // of the terms that a guard is made of: less is not looked for

typedef struct spread {
  hml_contacts *c;
  const hml_range *out;                // of the shape's program
  double *forces, *drifts;             // of the two-sided problem                            (dyn), (multipliers)
  double *rows, *z;                    // of the conditions of prepared rows, of their reactions
  double duration;                     // of the box
} spread;

static double farthest(const spread *s, size_t output) {
  return hml_range__farthest(s->out[output], s->c->out[output]);
}

// Contribution of forces and drifts along a response (x, y)
static double along(const spread *s, const double *x, const double *y) {
  double sum = 0;
  for (size_t j = 0; j < s->c->n.dyn; j++) sum += fabs(x[j]) * s->forces[j];
  for (size_t k = 0; k < s->c->n.multipliers; k++) sum += fabs(y[k]) * s->drifts[k];
  return sum;
}

static double of_row(const spread *s, size_t row) {
  const hml_contacts *c = s->c;
  double sum = farthest(s, c->shape->at_drifts + row);
  for (size_t j = 0; j < c->n.dyn; j++) sum += fabs(c->a[j]) * farthest(s, c->shape->at_rows + row * c->n.dyn + j);
  return sum;
}

static void add_rows_to_forces(const spread *s) {
  const hml_contacts *c = s->c;
  for (size_t i = 0; i < c->n_active; i++)
    for (size_t j = 0; j < c->n.dyn; j++) s->forces[j] += fabs(c->z[i]) * farthest(s, c->shape->at_rows + c->active[i] * c->n.dyn + j);
}

// Of a multiplier: by the forces, by the reactions
static double of_multiplier(const spread *s, size_t k) {
  hml_contacts *c = s->c;
  const size_t n = c->n.dyn, m = c->n.multipliers;
  double *unit = c->response, *x = unit + m, *y = x + n, sum = 0;
  for (size_t l = 0; l < m; l++) unit[l] = l == k;
  if (hml_workspace__resolve(c->w, c->zero, unit, x, y) != HML_OK) {
    hml_context_clear_error(c->context);
    return INFINITY;
  }
  sum = along(s, x, y);
  for (size_t i = 0; i < c->n_active; i++) sum += fabs(c->y[i * m + k]) * s->z[i];
  return sum;
}

// Of the law of a slip, per component: its coefficient, its direction, a pressing force that is given
static double of_slip_law(const spread *s, size_t j) {
  const hml_contacts *c = s->c;
  const hml_friction *f = c->frictions + j;
  const hml_contact_shape *shape = c->shape;
  double normal = hml_contact__pressing(c, j, 1, hml_workspace__multipliers(c->w), c->z), mu = 0, by_mu = 0, turned = 0;
  for (size_t a = 0; a < 2; a++) {
    mu = fmax(mu, c->out[shape->at_coefficients + 2 * j + a]);
    by_mu = fmax(by_mu, farthest(s, shape->at_coefficients + 2 * j + a));
  }
  for (size_t a = 0; a < f->count && f->count > 1; a++) turned += farthest(s, shape->at_velocities + f->row + a);
  double size = hml_contact__slip_size(c, j), turn = turned == 0 ? 0 : size > 0 ? fmin(turned / size, 2) : 2;
  return normal * (by_mu + mu * turn) + (f->kind == HML_PRESSED_BY_EXPRESSION ? mu * farthest(s, shape->at_normals + j) : 0);
}

// Of the conditions of all prepared rows
static void fill_rows(const spread *s) {
  hml_contacts *c = s->c;
  const size_t n = c->n.dyn, m = c->n.multipliers;
  for (size_t i = 0; i < c->n_active; i++) s->rows[i] = along(s, c->x + i * n, c->y + i * m) + of_row(s, c->active[i]);
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    for (size_t a = 0; a < f->count && c->friction_state[j] == HML_SLIP; a++) s->rows[c->place[f->row + a]] = of_slip_law(s, j);
  }
}

// |inverse of the conditions' matrix| times the largest violations of the conditions
static void fill_reactions(const spread *s) {
  hml_contacts *c = s->c;
  const size_t k = c->n_active;
  double *unit = c->residual, *column = unit + 2 * k;
  hml_contact__linearise(c);
  for (size_t i = 0; i < k; i++) s->z[i] = 0;
  for (size_t i = 0; i < k; i++) {
    for (size_t l = 0; l < k; l++) unit[l] = l == i;
    hml_contact__dense_solve(c, k, c->jacobian, unit, column);
    for (size_t l = 0; l < k; l++) s->z[l] += fabs(column[l]) * s->rows[i];
  }
}

// Forces of a row that in the time of the box move nothing by more than the tolerance
static double faint(const spread *s, size_t place) {
  const hml_contacts *c = s->c;
  double g = c->g[place * c->n_active + place];
  return g > 0 && s->duration > 0 ? FAINT * c->atol * hml_contacts__reach(c, c->active[place]) / (g * s->duration) : 0;
}

static double counted(double change, double size, double least) {
  return SAFETY * change > fmax(COUNTS * size, least) ? SAFETY * change : 0;
}

// Of the room N - |z| of a friction at rest
static double of_room(const spread *s, size_t j) {
  const hml_contacts *c = s->c;
  const hml_friction *f = c->frictions + j;
  const hml_friction_law law = hml_contact__law(c, j, true);
  double least = law.coefficient[0], change = 0, size = 0, loosened = 0;
  if (f->law == HML_FRICTION_elliptic) least = fmin(least, law.coefficient[1]);
  if (!(least > 0)) return 0;
  for (size_t a = 0; a < f->count; a++) {
    double unit = least * hml_friction__unit(&law, a);
    change += s->z[c->place[f->row + a]] / unit;
    size += hml_contact__terms(c, c->place[f->row + a]) / unit;
  }
  for (size_t a = 0; a < 2; a++) loosened = fmax(loosened, fmax(farthest(s, c->shape->at_coefficients + 2 * j + a), farthest(s, c->shape->at_static + 2 * j + a)));
  if (f->kind == HML_PRESSED_BY_GAP) change += s->z[c->place[f->index]], size += hml_contact__terms(c, c->place[f->index]);
  else if (f->kind == HML_PRESSED_BY_MULTIPLIER) change += of_multiplier(s, f->index);
  else change += farthest(s, c->shape->at_normals + j);
  for (size_t k = 0; k < f->n_cone; k++) change += of_multiplier(s, f->cone[k]) / least;
  size += hml_contact__pressing(c, j, 1, hml_workspace__multipliers(c->w), c->z);
  return counted(change + size * loosened / least, size, faint(s, c->place[f->row]));
}

static double of_smoothness(const spread *s, size_t j) {
  double change = 0;
  for (size_t a = 0; a < 2; a++) change = fmax(change, fmax(farthest(s, s->c->shape->at_coefficients + 2 * j + a), farthest(s, s->c->shape->at_static + 2 * j + a)));
  return change;
}

static double of_cone(const spread *s, size_t j) {
  const hml_contacts *c = s->c;
  const hml_friction *f = c->frictions + j;
  if (hml_contact__is_smooth(c, j)) return of_smoothness(s, j);
  double mu = hml_contact__law(c, j, false).coefficient[0], normal = hml_contact__pressing(c, j, 1, hml_workspace__multipliers(c->w), c->z), change = 0;
  if (f->kind == HML_PRESSED_BY_EXPRESSION && !f->n_cone) return counted(farthest(s, c->shape->at_normals + j), fabs(c->out[c->shape->at_normals + j]), 0);
  if (!f->n_cone) return 0;
  for (size_t k = 0; k < f->n_cone; k++) change += of_multiplier(s, f->cone[k]);
  if (f->kind == HML_PRESSED_BY_GAP) change += mu * s->z[c->place[f->index]];
  else if (f->kind == HML_PRESSED_BY_MULTIPLIER) change += mu * of_multiplier(s, f->index);
  else change += mu * farthest(s, c->shape->at_normals + j);
  return counted(change + normal * farthest(s, c->shape->at_coefficients + 2 * j), mu * normal, 0);
}

// The box of times alone where the equations are smooth in the states: the samples show changes with the states, and ranges would overestimate
// them
static bool fill(spread *s, const hml_range *box) {
  hml_contacts *c = s->c;
  const hml_program *p = c->shape->program;
  const size_t moving = 1 + c->n.kin + c->n.dyn, inputs = hml_program_inputs(p);
  hml_range *in = c->ranges, *values = in + inputs, *out = values + hml_program__values(p), *scratch = out + hml_program_outputs(p);
  for (size_t k = 0; k < inputs; k++) in[k] = k == 0 || (k < moving && c->shape->sharp) ? box[k] : (hml_range){c->in[k], c->in[k]};
  s->out = out;
  if (hml_program__range(p, in, values, out) == HML_RANGE_UNDEFINED) return false;
  if (!hml_workspace__spread(c->w, in, c->a, c->lambda, scratch, s->forces, s->drifts)) return false;
  add_rows_to_forces(s);
  fill_rows(s);
  fill_reactions(s);
  return true;
}

// Does any guard watch more than a value of its own?
static bool anything(const hml_contacts *c) {
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) return true;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    if (c->friction_state[j] == HML_STICK || hml_contact__is_smooth(c, j) || c->frictions[j].n_cone || c->frictions[j].kind == HML_PRESSED_BY_EXPRESSION) return true;
  return false;
}

hml_status hml_contacts__spread(hml_contacts *c, const hml_range *box, double *gap, double *friction, double *cone, bool *known) {
  spread s = {.c = c, .forces = c->spreads, .drifts = c->spreads + c->n.dyn, .rows = c->spreads + c->n.dyn + c->n.multipliers};
  s.z = s.rows + c->sizes.rows;
  s.duration = box[0].high - box[0].low;
  memset(gap, 0, c->sizes.gaps * sizeof *gap);
  memset(friction, 0, c->sizes.frictions * sizeof *friction);
  memset(cone, 0, c->sizes.frictions * sizeof *cone);
  *known = c->n.externals || !anything(c);
  if (*known) return HML_OK;
  HML_TRY(hml_contact__evaluate(c));
  HML_TRY(hml_contacts__solution(c, NULL, NULL, NULL));
  *known = fill(&s, box);
  if (!*known) return HML_OK;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) gap[i] = counted(s.z[c->place[i]], hml_contact__terms(c, c->place[i]), faint(&s, c->place[i]));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    if (c->friction_state[j] == HML_STICK) friction[j] = of_room(&s, j);
    else cone[j] = of_cone(&s, j);                                       // a slip is as smooth as the velocities: samples do
  }
  return HML_OK;
}
