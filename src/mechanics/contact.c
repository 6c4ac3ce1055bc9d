// contact.c: gaps and frictions at a state: rows, unit responses, reactions and accelerations in a given mode.
// Which mode holds is mode.c's business, what an impact does impact.c's.
//
// The two-sided problem M a = r + A^T lambda, A a + b = 0 is solved by multiplier.c. For each contact row w of the mode the same
// factors give its unit response M x = w + A^T y, A x = 0, so that a = a0 + X z, lambda = lambda0 + Y z, and the rows accelerate by
// c + G z, G = W X. Closed gaps and sticking rows do not accelerate; a slipping friction has z = -m(z) d with
// m^2 = (mu N)^2 - sum lambda_c^2: linear where N is an expression or one reaction, else met by Newton's method.
#include "contact_impl.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { NEWTON_STEPS = 40 };

// ---- building
static const char *copy_text(hml_arena *a, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = hml_arena_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static hml_status copy_descriptions(hml_contacts *c, const hml_contact_spec *s) {
  c->gaps = hml_arena_alloc(&c->memory, (s->n_gaps + 1) * sizeof *c->gaps);
  c->frictions = hml_arena_alloc(&c->memory, (s->n_frictions + 1) * sizeof *c->frictions);
  if (!c->gaps || !c->frictions) return HML_MEMORY;
  const size_t tangents = s->n_gaps + s->n_slips;
  for (size_t i = 0; i < s->n_gaps; i++) {
    const hml_gap_spec *g = s->gaps + i;
    c->gaps[i] = (hml_gap){copy_text(&c->memory, g->name), g->law, g->restitution, g->tangential, g->capture,
                           tangents + g->rough, g->n_rough, tangents + g->held, g->n_held};
    if (!c->gaps[i].name) return HML_MEMORY;
  }
  for (size_t j = 0; j < s->n_frictions; j++) {
    const hml_friction_spec *f = s->frictions + j;
    size_t *cone = hml_arena_alloc(&c->memory, (f->n_cone + 1) * sizeof *cone);
    const char *name = copy_text(&c->memory, f->name);
    if (!cone || !name) return HML_MEMORY;
    if (f->n_cone) memcpy(cone, f->cone, f->n_cone * sizeof *cone);
    c->frictions[j] = (hml_friction){name, s->n_gaps + f->first, f->count, f->kind, f->index, f->n_cone, cone};
  }
  return HML_OK;
}

static hml_status check(hml_workspace *w, const hml_contact_spec *s) {
  const hml_model *m = w->model;
  if (s->n_gaps && !m->velocity_is_rate)
    return hml_fail(w->context, HML_UNSUPPORTED, "model '%s': contacts need a form whose states are the velocities", m->name);
  for (size_t i = 0; i < s->n_gaps; i++) {
    const hml_gap_spec *g = s->gaps + i;
    if (!g->name || !g->gap || g->rough + g->n_rough > s->n_tangents || g->held + g->n_held > s->n_tangents)
      return hml_fail(w->context, HML_ARGUMENT, "model '%s': gap %zu is not complete", m->name, i + 1);
    if (!(g->restitution >= 0 && isfinite(g->restitution)) || !isfinite(g->tangential))
      return hml_fail(w->context, HML_ARGUMENT, "'%s': the coefficient of restitution is %g; it is 0 (plastic) to 1 (elastic)", g->name,
                      g->restitution);
  }
  for (size_t j = 0; j < s->n_frictions; j++) {
    const hml_friction_spec *f = s->frictions + j;
    size_t last = f->kind == HML_PRESSED_BY_GAP ? s->n_gaps : m->n_multipliers;
    bool fine = f->name && f->coefficient && f->static_coefficient && f->first + f->count <= s->n_slips && f->count >= 1 && f->count <= 2;
    fine = fine && (f->kind == HML_PRESSED_BY_EXPRESSION ? f->normal != NULL : f->index < last);
    for (size_t k = 0; k < f->n_cone; k++) fine = fine && f->cone[k] < m->n_multipliers;
    if (!fine) return hml_fail(w->context, HML_ARGUMENT, "model '%s': friction %zu is not complete", m->name, j + 1);
  }
  return HML_OK;
}

static hml_status build_program(hml_contacts *c, const hml_model_spec *m, const hml_contact_spec *s, hml_arena *a) {
  hml_context *context = c->w->context;
  size_t rows = c->sizes.rows, n = m->n_dyn, at = 0, inputs = 1 + m->n_kin + n + m->n_parameters + m->n_externals;
  size_t outputs = s->n_gaps + rows * (1 + n) + s->n_gaps + s->n_slips + 3 * s->n_frictions;
  hml_expr *in = hml_arena_alloc(a, inputs * sizeof *in), *out = hml_arena_alloc(a, outputs * sizeof *out);
  if (!in || !out) return HML_MEMORY;
  in[at++] = m->time;
  const struct { size_t n; const hml_expr *e; } lists[] = {{m->n_kin, m->kin}, {n, m->dyn}, {m->n_parameters, m->parameters},
                                                           {m->n_externals, m->externals}};
  for (size_t k = 0; k < 4; k++)
    for (size_t i = 0; i < lists[k].n; i++) in[at++] = lists[k].e[i];
  at = 0;
  for (size_t i = 0; i < s->n_gaps; i++) out[at++] = s->gaps[i].gap;
  c->at_velocities = at;
  for (size_t i = 0; i < rows; i++) out[at++] = s->velocities[i];
  c->at_rows = at;
  for (size_t i = 0; i < rows * n; i++) out[at++] = s->rows[i];
  c->at_drifts = at;
  for (size_t i = 0; i < s->n_gaps + s->n_slips; i++) out[at++] = s->drifts[i];
  c->at_normals = at;
  for (size_t j = 0; j < s->n_frictions; j++)
    out[at++] = s->frictions[j].kind == HML_PRESSED_BY_EXPRESSION ? s->frictions[j].normal : hml_integer(context, 0);
  c->at_coefficients = at;
  for (size_t j = 0; j < s->n_frictions; j++) out[at++] = s->frictions[j].coefficient;
  c->at_static = at;
  for (size_t j = 0; j < s->n_frictions; j++) out[at++] = s->frictions[j].static_coefficient;
  for (size_t i = 0; i < outputs; i++)
    if (!out[i]) return hml_fail(context, HML_ARGUMENT, "model '%s': an expression of its contacts is missing", c->w->model->name);
  HML_TRY(hml_program_new(context, inputs, in, outputs, out, &c->program));
  return hml_model_is_native(c->w->model) ? hml_program__compile(c->program) : HML_OK;
}

static size_t lay_out(hml_contacts *c, char *block) {
  size_t r = c->sizes.rows + 1, n = c->w->model->n_dyn, m = c->w->model->n_multipliers, at = 0;
#define FIELD(type, name, count)                      \
  if (block) c->name = (type *)(void *)(block + at);   \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  HML_CONTACT_FIELDS(FIELD)
#undef FIELD
  return at;
}

void hml_contacts__free(hml_contacts *c) {
  if (!c) return;
  hml_program_free(c->program);
  hml_dealloc(c->w->context, c->block, c->block_size);
  hml_arena_free(&c->memory);
  hml_dealloc(c->w->context, c, sizeof *c);
}

hml_status hml_contacts__new(hml_workspace *w, const hml_model_spec *symbols, const hml_contact_spec *spec, hml_contacts **out) {
  *out = NULL;
  HML_TRY(check(w, spec));
  hml_contacts *c = hml_alloc(w->context, sizeof *c);
  if (!c) return HML_MEMORY;
  *c = (hml_contacts){.w = w, .sizes = {spec->n_gaps, spec->n_slips, spec->n_tangents, spec->n_frictions,
                                        spec->n_gaps + spec->n_slips + spec->n_tangents}};
  hml_arena_init(&c->memory, w->context);
  hml_arena passing;
  hml_arena_init(&passing, w->context);
  hml_status status = copy_descriptions(c, spec);
  if (status == HML_OK) status = build_program(c, symbols, spec, &passing);
  hml_arena_free(&passing);
  if (status == HML_OK) {
    c->block_size = lay_out(c, NULL);
    c->block = hml_alloc(w->context, c->block_size);
    if (!c->block) status = HML_MEMORY;
  }
  if (status != HML_OK) {
    hml_contacts__free(c);
    return status;
  }
  lay_out(c, c->block);
  c->mode = (hml_mode){spec->n_gaps, spec->n_frictions, c->closed, c->friction_state, c->direction};
  *out = c;
  return HML_OK;
}

hml_contact_sizes hml_contacts__sizes(const hml_contacts *c) {
  return c->sizes;
}

const char *hml_contacts__gap_name(const hml_contacts *c, size_t i) {
  return c->gaps[i].name;
}

const char *hml_contacts__friction_name(const hml_contacts *c, size_t j) {
  return c->frictions[j].name;
}

// ---- modes
const hml_mode *hml_contacts__mode(const hml_contacts *c) {
  return &c->mode;
}

void hml_contacts__set_mode(hml_contacts *c, const hml_mode *mode) {
  if (mode != &c->mode) {
    memcpy(c->closed, mode->closed, mode->n_gaps * sizeof *c->closed);
    memcpy(c->friction_state, mode->friction, mode->n_frictions * sizeof *c->friction_state);
    memcpy(c->direction, mode->direction, 2 * mode->n_frictions * sizeof *c->direction);
  }
  c->prepared = c->solved = false;
}

size_t hml_mode__bytes(const hml_contacts *c) {
  return c->sizes.frictions * (2 * sizeof(double) + sizeof(hml_friction_state)) + c->sizes.gaps * sizeof(bool);
}

void hml_mode__store(const hml_contacts *c, void *block) {
  size_t f = c->sizes.frictions;
  char *at = block;
  memcpy(at, c->direction, 2 * f * sizeof(double));
  memcpy(at + 2 * f * sizeof(double), c->friction_state, f * sizeof(hml_friction_state));
  memcpy(at + f * (2 * sizeof(double) + sizeof(hml_friction_state)), c->closed, c->sizes.gaps * sizeof(bool));
}

void hml_mode__restore(hml_contacts *c, const void *block) {
  size_t f = c->sizes.frictions;
  const char *at = block;
  memcpy(c->direction, at, 2 * f * sizeof(double));
  memcpy(c->friction_state, at + 2 * f * sizeof(double), f * sizeof(hml_friction_state));
  memcpy(c->closed, at + f * (2 * sizeof(double) + sizeof(hml_friction_state)), c->sizes.gaps * sizeof(bool));
  c->prepared = c->solved = false;
}

// ---- state
hml_status hml_contacts__set_state(hml_contacts *c, double t, const double *x) {
  c->evaluated = c->prepared = c->solved = false;
  return hml_workspace_set_state(c->w, t, x);
}

hml_status hml_contact__evaluate(hml_contacts *c) {
  if (c->evaluated) return HML_OK;
  hml_workspace *w = c->w;
  if (w->model->n_externals) HML_TRY(hml_stage__dynamics(w));            // they may stand in normals and coefficients
  hml_program_eval(c->program, w->in, c->out, c->work);
  if (!hml_dense__finite(hml_program_outputs(c->program), c->out)) {
    char what[600] = "";
    if (!hml_program_trace(c->program, w->in, c->work, what, sizeof what)) memcpy(what, "a contact", sizeof "a contact");
    return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: not finite: %s", w->model->name, w->in[0], what);
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    double least = fmin(c->out[c->at_coefficients + j], c->out[c->at_static + j]);
    if (least < 0)
      return hml_fail(w->context, HML_ARGUMENT, "friction '%s': its coefficient is %.6g at t = %.10g; it must not be negative", c->frictions[j].name,
                      least, w->in[0]);
  }
  c->evaluated = true;
  return HML_OK;
}

hml_status hml_contacts__check_start(hml_contacts *c) {
  HML_TRY(hml_contact__evaluate(c));
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    double normal = c->out[c->at_normals + j];
    if (c->frictions[j].kind == HML_PRESSED_BY_EXPRESSION && normal < 0)
      return hml_fail(c->w->context, HML_INCONSISTENT_START, "start is inconsistent: the normal force of friction '%s' is %.6g at t = %.10g; it must not "
                      "be negative (later it may become so: then nothing presses)", c->frictions[j].name, normal, c->w->in[0]);
  }
  return HML_OK;
}

const double *hml_contact__row(const hml_contacts *c, size_t row) {
  return c->out + c->at_rows + row * c->w->model->n_dyn;
}

void hml_contact__activate_mode(hml_contacts *c) {
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) c->active[c->n_active++] = i;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t k = 0; k < c->frictions[j].count && c->friction_state[j] != HML_FREE; k++)
      c->active[c->n_active++] = c->frictions[j].row + k;
}

hml_status hml_contact__prepare(hml_contacts *c, bool accelerations) {
  hml_workspace *w = c->w;
  const size_t n = w->model->n_dyn, m = w->model->n_multipliers, k = c->n_active;
  HML_TRY(hml_stage__solution(w));
  HML_TRY(hml_contact__evaluate(c));
  for (size_t i = 0; i < c->sizes.rows; i++) c->place[i] = SIZE_MAX;
  for (size_t i = 0; i < k; i++) {
    c->place[c->active[i]] = i;
    hml_multiplier__resolve(w, hml_contact__row(c, c->active[i]), c->zero, c->x + i * n, c->y + i * m);
  }
  for (size_t i = 0; i < k; i++) {
    const double *row = hml_contact__row(c, c->active[i]);
    for (size_t j = 0; j < k; j++) c->g[i * k + j] = hml_dense__dot(n, row, c->x + j * n);
    c->free[i] = accelerations ? hml_dense__dot(n, row, w->a) + c->out[c->at_drifts + c->active[i]] : 0;
    c->z[i] = 0;
  }
  return HML_OK;
}

// ---- small dense systems
void hml_contact__dense_solve(hml_contacts *c, size_t k, const double *matrix, const double *b, double *x) {
  if (!k) return;
  memcpy(c->kept, matrix, k * k * sizeof *c->kept);
  if (hml_dense__lu(k, c->kept, c->pivots) == k) {
    hml_dense__lu_solve(k, c->kept, c->pivots, b, x);
    return;
  }
  // reactions that depend on each other share the load
  memcpy(c->kept, matrix, k * k * sizeof *c->kept);
  hml_dense__svd(k, k, c->kept, c->svd, c->singular);
  hml_dense__svd_solve(k, k, c->kept, c->svd, c->singular, 1e-10, b, x);
}

// ---- reactions in the mode
double hml_contact__normal(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  if (f->kind == HML_PRESSED_BY_EXPRESSION) return fmax(c->out[c->at_normals + j], 0);
  if (f->kind == HML_PRESSED_BY_GAP) return c->place[f->index] == SIZE_MAX ? 0 : c->z[c->place[f->index]];
  double lambda = c->w->lambda[f->index];
  for (size_t i = 0; i < c->n_active; i++) lambda += c->y[i * c->w->model->n_multipliers + f->index] * c->z[i];
  return fabs(lambda);
}

static double multiplier(const hml_contacts *c, size_t k) {
  double lambda = c->w->lambda[k];
  for (size_t i = 0; i < c->n_active; i++) lambda += c->y[i * c->w->model->n_multipliers + k] * c->z[i];
  return lambda;
}

double hml_contact__shared(const hml_contacts *c, size_t j) {
  const hml_friction *f = c->frictions + j;
  double sum = 0;
  for (size_t k = 0; k < f->n_cone; k++) {
    double lambda = multiplier(c, f->cone[k]);
    sum += lambda * lambda;
  }
  return sum;
}

// Unit vector of the slip; the stored one as long as there is no slip to speak of
static void slip_direction(const hml_contacts *c, size_t j, double d[2]) {
  const hml_friction *f = c->frictions + j;
  const double *s = c->out + c->at_velocities + f->row, *stored = c->direction + 2 * j;
  d[0] = stored[0];
  d[1] = f->count > 1 ? stored[1] : 0;
  if (f->count < 2) return;
  double size = hypot(s[0], s[1]);
  if (size < 1e-10 || s[0] * stored[0] + s[1] * stored[1] < -0.5 * size) return;
  d[0] = s[0] / size;
  d[1] = s[1] / size;
}

// Size m of a slip's reaction and its derivative by the prepared reactions
static double slip_force(const hml_contacts *c, size_t j, double *gradient) {
  const hml_friction *f = c->frictions + j;
  const size_t m = c->w->model->n_multipliers;
  double mu = c->out[c->at_coefficients + j], normal = hml_contact__normal(c, j), shared = hml_contact__shared(c, j);
  double square = mu * mu * normal * normal - shared;
  for (size_t i = 0; i < c->n_active; i++) gradient[i] = 0;
  if (f->n_cone && square <= 0) return 0;                                // the others use the whole cone
  double size = f->n_cone ? sqrt(square) : mu * normal;
  double share = f->n_cone ? mu * mu * normal / size : mu;               // dm/dN
  if (f->kind == HML_PRESSED_BY_GAP && c->place[f->index] != SIZE_MAX) gradient[c->place[f->index]] += share;
  for (size_t i = 0; i < c->n_active; i++) {
    if (f->kind == HML_PRESSED_BY_MULTIPLIER) gradient[i] += share * copysign(1, multiplier(c, f->index)) * c->y[i * m + f->index];
    for (size_t k = 0; k < f->n_cone; k++) gradient[i] -= multiplier(c, f->cone[k]) * c->y[i * m + f->cone[k]] / size;
  }
  return size;
}

// Residual and Jacobian of the conditions on z: rows at rest, laws of slip
static void conditions(hml_contacts *c) {
  const size_t k = c->n_active;
  double *gradient = c->residual + k;
  for (size_t i = 0; i < k; i++) {
    c->residual[i] = c->free[i] + hml_dense__dot(k, c->g + i * k, c->z);
    memcpy(c->jacobian + i * k, c->g + i * k, k * sizeof(double));
  }
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    if (c->friction_state[j] != HML_SLIP) continue;
    double d[2], size = slip_force(c, j, gradient);
    slip_direction(c, j, d);
    for (size_t a = 0; a < f->count; a++) {
      size_t i = c->place[f->row + a];
      if (i == SIZE_MAX) continue;
      c->residual[i] = c->z[i] + size * d[a];
      for (size_t b = 0; b < k; b++) c->jacobian[i * k + b] = gradient[b] * d[a] + (b == i);
    }
  }
  // prepared rows that are not in the mode carry nothing
  for (size_t i = 0; i < k; i++) {
    size_t row = c->active[i];
    bool off = row < c->sizes.gaps && !c->closed[row];
    for (size_t j = 0; j < c->sizes.frictions && !off; j++)
      off = c->friction_state[j] == HML_FREE && row >= c->frictions[j].row && row < c->frictions[j].row + c->frictions[j].count;
    if (!off) continue;
    c->residual[i] = c->z[i];
    for (size_t b = 0; b < k; b++) c->jacobian[i * k + b] = b == i;
  }
}

// fails: HML_NO_CONTACT_MODE where Newton's method finds no reactions for the slip laws of the mode
hml_status hml_contact__solve(hml_contacts *c) {
  const size_t k = c->n_active;
  double *step = c->residual + 2 * k, before = INFINITY;
  for (size_t i = 0; i < k; i++) c->z[i] = 0;
  for (int iteration = 0; iteration < NEWTON_STEPS; iteration++) {
    double size = 0, change = 0;
    conditions(c);
    hml_contact__dense_solve(c, k, c->jacobian, c->residual, step);
    for (size_t i = 0; i < k; i++) {
      c->z[i] -= step[i];
      change = fmax(change, fabs(step[i]));
      size = fmax(size, fabs(c->z[i]));
    }
    if (!(change < INFINITY)) break;
    if (change <= 1e-14 * size || (change <= 1e-10 * size && change >= 0.5 * before)) return HML_OK;
    before = change;
  }
  return hml_fail(c->w->context, HML_NO_CONTACT_MODE, "model '%s' at t = %.10g: the laws of friction have no solution in this mode",
                  c->w->model->name, c->w->in[0]);
}

double hml_contact__row_acceleration(const hml_contacts *c, size_t place) {
  return c->free[place] + hml_dense__dot(c->n_active, c->g + place * c->n_active, c->z);
}

static hml_status solution(hml_contacts *c) {
  hml_workspace *w = c->w;
  const size_t n = w->model->n_dyn, m = w->model->n_multipliers;
  if (c->solved) return HML_OK;
  HML_TRY(hml_stage__solution(w));
  hml_contact__activate_mode(c);
  if (c->n_active) {
    HML_TRY(hml_contact__prepare(c, true));
    HML_TRY(hml_contact__solve(c));
  }
  memcpy(c->a, w->a, n * sizeof *c->a);
  if (m) memcpy(c->lambda, w->lambda, m * sizeof *c->lambda);
  for (size_t i = 0; i < c->n_active; i++) {
    for (size_t j = 0; j < n; j++) c->a[j] += c->x[i * n + j] * c->z[i];
    for (size_t j = 0; j < m; j++) c->lambda[j] += c->y[i * m + j] * c->z[i];
  }
  c->solved = true;
  return HML_OK;
}

hml_status hml_contacts__solution(hml_contacts *c, double *a, double *lambda, double *z) {
  const hml_model *m = c->w->model;
  HML_TRY(solution(c));
  if (a) memcpy(a, c->a, m->n_dyn * sizeof *a);
  if (lambda && m->n_multipliers) memcpy(lambda, c->lambda, m->n_multipliers * sizeof *lambda);
  if (lambda) hml_multiplier__shortest(c->w, lambda);
  for (size_t i = 0; z && i < c->sizes.gaps + c->sizes.slips; i++) z[i] = 0;
  for (size_t i = 0; z && i < c->n_active; i++) z[c->active[i]] = c->z[i];
  return HML_OK;
}

hml_status hml_contacts__rate(hml_contacts *c, double *f) {
  const hml_workspace *w = c->w;
  const hml_model *m = w->model;
  HML_TRY(solution(c));
  if (m->n_kin) memcpy(f, w->dynamics, m->n_kin * sizeof *f);
  memcpy(f + m->n_kin, c->a, m->n_dyn * sizeof *f);
  if (!m->has_work) return HML_OK;
  double power = m->has_power ? w->dynamics[m->at_power] : 0;
  if (m->has_multiplier_power) power += hml_dense__dot(m->n_multipliers, c->lambda, w->dynamics + m->at_multiplier_power);
  for (size_t i = 0; i < c->n_active; i++)
    power += c->z[i] * hml_dense__dot(m->n_dyn, hml_contact__row(c, c->active[i]), w->in + 1 + m->n_kin);
  f[m->n_kin + m->n_dyn] = power;
  return HML_OK;
}

hml_status hml_contacts__rate_at(hml_contacts *c, double t, const double *x, double *f) {
  hml_contact__activate_mode(c);
  if (c->n_active) {
    HML_TRY(hml_contacts__set_state(c, t, x));
    return hml_contacts__rate(c, f);
  }
  c->evaluated = c->prepared = c->solved = false;
  return hml_workspace__rate(c->w, t, x, f);
}

// ---- what is watched
hml_status hml_contacts__velocities(hml_contacts *c, const double **u) {
  HML_TRY(hml_contact__evaluate(c));
  *u = c->out + c->at_velocities;
  return HML_OK;
}

hml_status hml_contacts__gaps(hml_contacts *c, const double **g) {
  HML_TRY(hml_contact__evaluate(c));
  *g = c->out;
  return HML_OK;
}

static double square_of_rows(const hml_contacts *c, const hml_friction *f) {
  double sum = 0;
  for (size_t a = 0; a < f->count; a++) sum += c->z[c->place[f->row + a]] * c->z[c->place[f->row + a]];
  return sum;
}

hml_status hml_contacts__guards(hml_contacts *c, double *gap, double *friction, double *cone) {
  HML_TRY(hml_contact__evaluate(c));
  bool needs = false;
  for (size_t i = 0; i < c->sizes.gaps; i++) needs |= c->closed[i];
  for (size_t j = 0; j < c->sizes.frictions; j++)
    needs |= c->friction_state[j] == HML_STICK || (c->friction_state[j] == HML_SLIP && c->frictions[j].n_cone);
  if (needs) HML_TRY(solution(c));
  for (size_t i = 0; i < c->sizes.gaps; i++) gap[i] = c->closed[i] ? c->z[c->place[i]] : c->out[i];
  for (size_t j = 0; j < c->sizes.frictions; j++) {
    const hml_friction *f = c->frictions + j;
    const double *s = c->out + c->at_velocities + f->row, *d = c->direction + 2 * j;
    friction[j] = cone[j] = 1;
    if (c->friction_state[j] == HML_SLIP) {
      friction[j] = s[0] * d[0] + (f->count > 1 ? s[1] * d[1] : 0);   // in two directions a turn by 90 degrees renews d
      if (!f->n_cone) continue;
      double mu = c->out[c->at_coefficients + j], normal = hml_contact__normal(c, j);
      cone[j] = mu * mu * normal * normal - hml_contact__shared(c, j);
    } else if (c->friction_state[j] == HML_STICK) {
      double mu = c->out[c->at_static + j], normal = hml_contact__normal(c, j);
      friction[j] = mu * mu * normal * normal - hml_contact__shared(c, j) - square_of_rows(c, f);
    }
  }
  return HML_OK;
}

// ---- drift of closed gaps and of stick
hml_status hml_contacts__project(hml_contacts *c, double rtol, double atol, double *x, bool *moved) {
  hml_workspace *w = c->w;
  const hml_model *m = w->model;
  const size_t n = m->n_dyn;
  *moved = false;
  c->n_active = 0;
  for (size_t i = 0; i < c->sizes.gaps; i++)
    if (c->closed[i]) c->active[c->n_active++] = i;
  size_t gaps = c->n_active;
  for (size_t j = 0; j < c->sizes.frictions; j++)
    for (size_t k = 0; k < c->frictions[j].count && c->friction_state[j] == HML_STICK; k++) c->active[c->n_active++] = c->frictions[j].row + k;
  if (!c->n_active) return HML_OK;
  HML_TRY(hml_contacts__set_state(c, w->in[0], x));
  HML_TRY(hml_contact__evaluate(c));
  double speed = hml_dense__norm(n, x + m->n_kin), place = hml_dense__norm(m->n_kin, x);
  for (size_t i = 0; i < c->n_active && !*moved; i++) {
    double norm = hml_dense__norm(n, hml_contact__row(c, c->active[i]));
    *moved = fabs(c->out[c->at_velocities + c->active[i]]) > 0.01 * norm * (atol + rtol * speed)
             || (i < gaps && fabs(c->out[c->active[i]]) > 0.01 * norm * (atol + rtol * place));
  }
  if (!*moved) return HML_OK;
  HML_TRY(hml_contact__prepare(c, false));
  const size_t k = c->n_active;
  double *b = c->residual, *z = c->residual + k;
  // positions by the gaps alone, velocities by all rows; the unit responses keep the two-sided constraints
  for (int level = 0; level < 2; level++) {
    size_t rows = level == 0 ? gaps : k;
    for (size_t i = 0; i < rows; i++) {
      b[i] = -(level == 0 ? c->out[c->active[i]] : c->out[c->at_velocities + c->active[i]]);
      for (size_t j = 0; j < rows; j++) c->jacobian[i * rows + j] = c->g[i * k + j];
    }
    hml_contact__dense_solve(c, rows, c->jacobian, b, z);
    double *part = x + (level == 0 ? 0 : m->n_kin);
    for (size_t i = 0; i < rows; i++)
      for (size_t j = 0; j < n; j++) part[j] += c->x[i * n + j] * z[i];
  }
  return hml_contacts__set_state(c, w->in[0], x);
}
