// rows.c: contacts of one thread at a state: values, rows, unit responses, free accelerations, and the scale of each row.
#include "contact_impl.h"

#include <float.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#define ROUNDING (64 * DBL_EPSILON)    // of a velocity, relative to the terms it is made of
#define HELD 1e-14                     // of the largest response
#define SLIGHT 1e-6                    // a coefficient on its corner may be negative by so much

// ---- memory
static size_t lay_out(hml_contacts *c, char *block) {
  size_t r = c->sizes.rows + 1, n = c->n.dyn, m = c->n.multipliers, f = c->sizes.frictions, at = 0;
#define FIELD(type, name, count)                      \
  if (block) c->name = (type *)(void *)(block + at);   \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  HML_CONTACT_FIELDS(FIELD)
#undef FIELD
  return at;
}

void hml_contacts__free(hml_contacts *c) {
  if (!c) return;
  hml_dealloc(c->context, c->block, c->block_size);
  hml_arena_free(&c->memory);
  hml_dealloc(c->context, c, sizeof *c);
}

hml_status hml_contacts__new(hml_workspace *w, const hml_contact_shape *shape, hml_contacts **out) {
  hml_context *context = hml_workspace__context(w);
  *out = NULL;
  hml_contacts *c = hml_alloc(context, sizeof *c);
  if (!c) return HML_MEMORY;
  *c = (hml_contacts){.w = w, .context = context, .model = hml_workspace__model(w), .shape = shape, .n = shape->n, .sizes = shape->sizes,
                      .gaps = shape->gaps, .frictions = shape->frictions, .in = hml_workspace__inputs(w)};
  hml_arena_init(&c->memory, context);
  c->block_size = lay_out(c, NULL);
  c->block = hml_alloc(context, c->block_size);
  hml_kept_mode *before = NULL;
  if (c->block) {
    memset(c->block, 0, c->block_size);
    lay_out(c, c->block);
    if (hml_contacts__keep(c, &c->memory, &before) == HML_OK) c->before = *before;
  }
  if (!before) {
    hml_contacts__free(c);
    return HML_MEMORY;
  }
  *out = c;
  return HML_OK;
}

// ---- the state
hml_status hml_contacts__set_state(hml_contacts *c, double t, const double *x) {
  c->evaluated = c->solved = false;
  return hml_workspace_set_state(c->w, t, x);
}

// Expressions may leave their range along a run: a shorter step ends before. Where a run holds one side of a corner, a step that ends there may
// try what lies behind it: then coefficients are checked where steps begin
static hml_status check_friction(const hml_contacts *c, size_t j, double least_allowed) {
  const hml_friction *f = c->frictions + j;
  const double *slip = c->out + c->shape->at_coefficients + 2 * j, *rest = c->out + c->shape->at_static + 2 * j, radius = c->out[c->shape->at_radius + j];
  double least = fmin(fmin(slip[0], slip[1]), fmin(rest[0], rest[1]));
  if (least < least_allowed)
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "friction '%s': its coefficient is %.6g at t = %.10g; it must not be negative", f->name, least, c->in[0]);
  if (f->law == HML_FRICTION_elliptic && ((slip[0] > 0) != (slip[1] > 0) || (rest[0] > 0) != (rest[1] > 0)))
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "friction '%s': one of its two coefficients is 0 at t = %.10g; make both positive", f->name, c->in[0]);
  for (size_t a = 0; a < 2; a++)
    if (rest[a] < slip[a] * (1 - ROUNDING) && slip[a] > 0)
      return hml_fail(c->context, HML_NO_CONTACT_MODE, "friction '%s': its static coefficient is below that of slip at t = %.10g (%.6g and %.6g); raise static, or leave it out",
                      f->name, c->in[0], rest[a], slip[a]);
  if (f->spins && !(radius > 0))
    return hml_fail(c->context, HML_NO_CONTACT_MODE, "friction '%s': the radius of its spot is %.6g at t = %.10g; it must be positive", f->name, radius, c->in[0]);
  return HML_OK;
}

static hml_status check_coefficients(const hml_contacts *c, double least_allowed) {
  for (size_t j = 0; j < c->sizes.frictions; j++) HML_TRY(check_friction(c, j, least_allowed));
  for (size_t i = 0; i < c->sizes.gaps; i++) {
    double e = c->out[c->shape->at_restitution + i];
    if (!(e >= 0 && e <= 1))
      return hml_fail(c->context, HML_NO_CONTACT_MODE, "'%s': the coefficient of restitution is %.6g at t = %.10g; it is 0 (plastic) to 1 (elastic)",
                      c->gaps[i].name, e, c->in[0]);
  }
  return HML_OK;
}

hml_status hml_contact__evaluate(hml_contacts *c) {
  const hml_program *p = c->shape->program;
  if (c->evaluated) return HML_OK;
  if (c->n.externals) HML_TRY(hml_workspace__dynamics(c->w));            // they may occur in normals and coefficients
  hml_program_eval(p, c->in, c->out, c->work);
  if (!hml_dense__finite(hml_program_outputs(p), c->out)) {
    char what[600] = "";
    if (!hml_program_trace(p, c->in, c->work, what, sizeof what)) memcpy(what, "a contact", sizeof "a contact");
    return hml_fail(c->context, HML_NOT_FINITE, "model '%s' at t = %.10g: not finite: %s", c->shape->model, c->in[0], what);
  }
  HML_TRY(check_coefficients(c, hml_workspace__holds(c->w) ? -INFINITY : 0));
  c->evaluated = true;
  return HML_OK;
}

hml_status hml_contacts__check_coefficients(hml_contacts *c) {
  HML_TRY(hml_contact__evaluate(c));
  return check_coefficients(c, -SLIGHT);
}

hml_status hml_contacts__values(hml_contacts *c, const double **gaps, const double **velocities) {
  HML_TRY(hml_contact__evaluate(c));
  if (gaps) *gaps = c->out;
  if (velocities) *velocities = hml_contact__velocity(c);
  return HML_OK;
}

// scales: only from the entries of the row itself
double hml_contact__speed_scale(const hml_contacts *c, size_t row) {
  const double *w = hml_contact__row(c, row), *v = c->in + 1 + c->n.kin;
  double sum = 0, size = 0;
  for (size_t i = 0; i < c->n.dyn; i++) {
    sum += w[i] * v[i];
    size += fabs(w[i] * v[i]);
  }
  return size + fabs(hml_contact__velocity(c)[row] - sum);
}

double hml_contacts__place_scale(const hml_contacts *c, size_t gap) {
  if (c->gaps[gap].bounds_velocity) return hml_contact__speed_scale(c, gap);
  const double *w = hml_contact__row(c, gap), *q = c->in + 1;
  double sum = 0, size = 0;
  for (size_t i = 0; i < c->n.kin; i++) {
    sum += w[i] * q[i];
    size += fabs(w[i] * q[i]);
  }
  return size + fabs(c->out[gap] - sum);
}

double hml_contacts__reach(const hml_contacts *c, size_t row) {
  const double *w = hml_contact__row(c, row);
  double sum = 0;
  for (size_t i = 0; i < c->n.dyn; i++) sum += fabs(w[i]);
  return sum;
}

// Sizes of the values do not show this: terms may cancel
void hml_contact__add_blur(hml_contacts *c, const double *in, double *out) {
  const hml_program *p = c->shape->program;
  if (!hml_program__blur(p, 1 + c->n.kin + c->n.dyn, c->duration, in, c->ranges, c->blur)) return;
  for (size_t k = 0; k < c->sizes.rows; k++) out[k] += c->blur[c->shape->at_velocities + k];
  for (size_t k = 0; k < c->sizes.gaps; k++) out[c->sizes.rows + k] += c->blur[k];
}

double hml_contact__acceleration_scale(const hml_contacts *c, size_t place) {
  const double *w = hml_contact__row(c, c->active[place]), *a = hml_workspace__accelerations(c->w), *g = c->g + place * c->n_active;
  double size = fabs(hml_contact__drift(c, c->active[place]));
  for (size_t i = 0; i < c->n.dyn; i++) size += fabs(w[i] * a[i]);
  for (size_t i = 0; i < c->n_active; i++) size += fabs(g[i] * c->z[i]);
  return size;
}

bool hml_contact__at_rest(const hml_contacts *c, size_t row) {
  const double scale = hml_larger(hml_contact__speed_scale(c, row), c->speed[row]);
  // where all rests but for rounding there is nothing to compare with
  if (scale <= HML_CONTACT_NOTHING * c->least * c->duration * hml_contacts__reach(c, row)) return true;
  return fabs(hml_contact__velocity(c)[row]) <= ROUNDING * scale;
}

// ---- unit responses
void hml_contact__activate(hml_contacts *c, size_t row) {
  for (size_t i = 0; i < c->n_active; i++)
    if (c->active[i] == row) return;
  c->active[c->n_active++] = row;
}

hml_status hml_contact__prepare(hml_contacts *c, bool accelerations) {
  const size_t n = c->n.dyn, m = c->n.multipliers, k = c->n_active;
  HML_TRY(hml_workspace__solve(c->w));
  HML_TRY(hml_contact__evaluate(c));
  const double *a = hml_workspace__accelerations(c->w);
  c->rank = 0;
  for (size_t i = 0; i < c->sizes.rows; i++) c->place[i] = SIZE_MAX;
  for (size_t i = 0; i < k; i++) {
    c->place[c->active[i]] = i;
    HML_TRY(hml_workspace__resolve(c->w, hml_contact__row(c, c->active[i]), c->zero, c->x + i * n, c->y + i * m));
  }
  for (size_t i = 0; i < k; i++) {
    const double *row = hml_contact__row(c, c->active[i]);
    for (size_t j = 0; j < k; j++) c->g[i * k + j] = hml_dense__dot(n, row, c->x + j * n);
    c->free[i] = accelerations ? hml_dense__dot(n, row, a) + hml_contact__drift(c, c->active[i]) : 0;
    c->z[i] = 0;
  }
  return HML_OK;
}

// Scales rows and columns of a matrix so that their largest entries come near 1 (Ruiz 2001); unit: what became of the columns, then of the rows
static void equilibrate(size_t k, double *a, double *unit, double *by) {
  enum { ROUNDS = 4 };
  for (size_t i = 0; i < 2 * k; i++) unit[i] = 1;
  for (int round = 0; round < ROUNDS; round++) {
    for (size_t i = 0; i < 2 * k; i++) by[i] = 0;
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j < k; j++) {
        by[j] = fmax(by[j], fabs(a[i * k + j]));
        by[k + i] = fmax(by[k + i], fabs(a[i * k + j]));
      }
    for (size_t i = 0; i < 2 * k; i++) unit[i] *= by[i] = by[i] > 0 ? 1 / sqrt(by[i]) : 1;
    for (size_t i = 0; i < k; i++)
      for (size_t j = 0; j < k; j++) a[i * k + j] *= by[j] * by[k + i];
  }
}

// Two-sided constraints may hold a row: then its responses are rounding, which units would bring to 1
static void drop_held(const hml_contacts *c, size_t k, double *a) {
  double most = 0;
  for (size_t i = 0; i < k * k; i++) most = fmax(most, fabs(a[i]));
  for (size_t i = 0; i < k && c->n.multipliers; i++) {
    double row = 0;
    for (size_t j = 0; j < k; j++) row = fmax(row, fabs(a[i * k + j]));
    for (size_t j = 0; j < k && row <= HELD * most; j++) a[i * k + j] = 0;
  }
}

// In units in which the entries are near 1: a cut among singular values would take the response of a heavy body between light ones for rounding
static void share_in_units(hml_contacts *c, size_t k, const double *matrix, const double *b, double *x) {
  double *unit = c->units, *side = unit + 2 * k;
  memcpy(c->kept, matrix, k * k * sizeof *c->kept);
  drop_held(c, k, c->kept);
  equilibrate(k, c->kept, unit, side);
  for (size_t i = 0; i < k; i++) side[i] = b[i] * unit[k + i];
  hml_contact__least_norm(k, c->kept, side, unit, x, c->null, c->pivots, 16 * (double)k * DBL_EPSILON);
}

void hml_contact__dense_solve(hml_contacts *c, size_t k, const double *matrix, const double *b, double *x) {
  if (!k) return;
  memcpy(c->kept, matrix, k * k * sizeof *c->kept);
  if (hml_dense__lu(k, c->kept, c->pivots) == k) {
    hml_dense__lu_solve(k, c->kept, c->pivots, b, x);
    return;
  }
  share_in_units(c, k, matrix, b, x);  // reactions that depend on each other share the load
}
