// lagrange.h: models for tests, from texts of T, V, forces and constraints. Lagrange's equations with multipliers:
// M_ij = d2T/dv_i dv_j, r_i = dT/dq_i - d2T/dv_i dq_j v_j - d2T/dv_i dt - dV/dq_i + Q_i; holonomic rows come first.
#ifndef TEST_LAGRANGE_H
#define TEST_LAGRANGE_H

#include "mechanics/mechanics.h"
#include "support.h"

enum { MOST = 12 };

typedef struct lagrange {
  const char *coordinates, *parameters, *externals;      // separated by blanks
  double values[MOST];                                   // of the parameters
  const char *kinetic, *potential;
  const char *forces[MOST];                              // by coordinate; NULL: none
  const char *holonomic[MOST], *nonholonomic[MOST];      // "name: expression"
  const char *power;                                     // NULL: none
  int reaction_power;                                    // lambda_k df_k/dv v enters the work
  int graph;                                             // x' by the elimination on the graph of velocities
  int refined;                                           // x' by the general solve, refined
} lagrange;

typedef struct mechanics {
  hml_context *c;
  hml_model *model;
  hml_workspace *w;
} mechanics;

// ---- texts to expressions
typedef struct scope {
  hml_context *c;
  hml_expr symbols[4 * MOST];
  size_t n;
} scope;

static inline size_t declare(scope *s, const char *names, unsigned flags, hml_expr *out) {
  char text[200], *rest = NULL;
  size_t n = 0;
  snprintf(text, sizeof text, "%s", names ? names : "");
  for (char *name = strtok_r(text, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
    s->symbols[s->n++] = out[n++] = hml_symbol(s->c, name, flags, 0);
  return n;
}

static inline hml_expr expression(const scope *s, const char *text) {
  hml_expr e = text ? hml_parse(s->c, text, s->n, s->symbols) : hml_integer(s->c, 0);
  if (!e) print_error("%s: %s\n", text ? text : "0", hml_context_error(s->c)->message);
  assert_non_null(e);
  return e;
}

// "blade: x' sin(theta)" into name and expression
static inline hml_expr named(const scope *s, const char *text, char *name) {
  size_t length = strcspn(text, ":");
  memcpy(name, text, length);
  name[length] = '\0';
  return expression(s, text + length + 1);
}

static inline size_t count(const char *const *texts) {
  size_t n = 0;
  while (n < MOST && texts[n]) n++;
  return n;
}

// de/dt along q' = v, the accelerations left out
static inline hml_expr drift(hml_context *c, hml_expr e, hml_expr t, size_t n, const hml_expr *q, const hml_expr *v) {
  hml_expr sum = hml_derivative(c, e, t);
  for (size_t i = 0; i < n; i++) sum = hml_add(c, sum, hml_mul(c, hml_derivative(c, e, q[i]), v[i]));
  return sum;
}

// ---- the model
typedef struct symbols {
  scope all;
  hml_expr t, q[MOST], v[MOST], parameters[MOST], externals[MOST];
  size_t n, n_p, n_e;
} symbols;

static inline void declare_symbols(hml_context *c, const lagrange *l, symbols *s) {
  s->all = (scope){.c = c, .n = 1};
  s->t = s->all.symbols[0] = hml_symbol(c, "t", HML_TIME, 0);
  s->n = declare(&s->all, l->coordinates, HML_DYNAMIC, s->q);
  s->n_p = declare(&s->all, l->parameters, 0, s->parameters);
  s->n_e = declare(&s->all, l->externals, HML_EXTERNAL, s->externals);
  for (size_t i = 0; i < s->n; i++) s->v[i] = hml_dot(c, s->q[i]);
}

static inline hml_status lagrange_model(hml_context *c, const lagrange *l, hml_model **out) {
  symbols all;
  declare_symbols(c, l, &all);
  const scope s = all.all;
  const hml_expr t = all.t, *q = all.q, *v = all.v;
  hml_expr mass[MOST * MOST], r[MOST], rows[MOST * MOST], b[MOST];
  hml_expr g[MOST], dg[MOST * MOST], f[MOST], df[MOST * MOST], power[MOST];
  char texts[2 * MOST][40];
  const char *coordinates[MOST], *names[MOST];
  const size_t n = all.n, n_g = count(l->holonomic), n_f = n_g + count(l->nonholonomic);
  hml_expr T = expression(&s, l->kinetic), V = expression(&s, l->potential);
  for (size_t i = 0; i < n; i++) {
    hml_expr p = hml_derivative(c, T, v[i]);
    coordinates[i] = hml_symbol_name(q[i]);
    for (size_t j = 0; j < n; j++) mass[i * n + j] = hml_derivative(c, p, v[j]);
    r[i] = hml_sub(c, hml_derivative(c, hml_sub(c, T, V), q[i]), drift(c, p, t, n, q, v));
    r[i] = hml_add(c, r[i], expression(&s, l->forces[i]));
  }
  for (size_t k = 0; k < n_f; k++) {
    names[k] = texts[k];
    if (k < n_g) {
      g[k] = named(&s, l->holonomic[k], texts[k]);
      for (size_t j = 0; j < n; j++) dg[k * n + j] = hml_derivative(c, g[k], q[j]);
      f[k] = drift(c, g[k], t, n, q, v);
    } else {
      f[k] = named(&s, l->nonholonomic[k - n_g], texts[k]);
    }
    power[k] = hml_integer(c, 0);
    for (size_t j = 0; j < n; j++) {
      df[k * n + j] = rows[k * n + j] = hml_derivative(c, f[k], v[j]);
      power[k] = hml_add(c, power[k], hml_mul(c, rows[k * n + j], v[j]));
    }
    b[k] = drift(c, f[k], t, n, q, v);
  }
  hml_expr forces[MOST];
  for (size_t i = 0; i < n; i++) forces[i] = expression(&s, l->forces[i]);
  hml_model_spec spec = {
      .name = "test", .n_kin = n, .n_dyn = n, .n_multipliers = n_f, .n_parameters = all.n_p, .n_externals = all.n_e, .n_positions = n_g,
      .n_velocities = n_f, .time = t, .kin = q, .dyn = v, .parameters = all.parameters, .parameter_values = l->values,
      .externals = all.externals, .dyn_names = coordinates, .multiplier_names = names, .position_names = names, .velocity_names = names,
      .k = v, .mass = mass, .rows = rows, .r = r, .b = b, .position_residuals = g, .position_jacobian = dg, .velocity_residuals = f,
      .velocity_jacobian = df, .energy = hml_add(c, T, V), .kinetic = T, .power = l->power ? expression(&s, l->power) : NULL,
      .multiplier_power = l->reaction_power ? power : NULL,
      .lagrangian = l->graph ? hml_sub(c, T, V) : NULL, .forces = forces, .row_functions = f, .elimination = l->refined ? HML_REFINED : l->graph ? HML_GRAPH : HML_CHEAPEST};
  return hml_model_new(c, &spec, out);
}

static inline mechanics build(const lagrange *l) {
  mechanics m = {.c = hml_context_new(NULL, NULL)};
  assert_non_null(m.c);
  assert_ok(m.c, lagrange_model(m.c, l, &m.model));
  assert_ok(m.c, hml_workspace_new(m.c, m.model, &m.w));
  return m;
}

static inline void demolish(mechanics *m) {
  hml_workspace_free(m->w);
  hml_model_free(m->model);
  hml_context_free(m->c);
}

// ---- systems used by several tests
// blade under the mass centre
static const lagrange sleigh = {.coordinates = "x y theta", .parameters = "m J", .values = {2, 0.5},
                                .kinetic = "m/2*(x'^2 + y'^2) + J/2*theta'^2",
                                .nonholonomic = {"blade: x'*sin(theta) - y'*cos(theta)"}};

static const lagrange pendulum = {.coordinates = "x y", .parameters = "m g l", .values = {1.5, 9.81, 0.7},
                                  .kinetic = "m/2*(x'^2 + y'^2)", .potential = "m*g*y", .holonomic = {"rod: x^2 + y^2 - l^2"}};

// thin disc rolling upright: turns by phi, heads along theta
static const lagrange disc = {.coordinates = "x y theta phi", .parameters = "m a J I", .values = {2, 0.3, 0.2, 0.09},
                              .kinetic = "m/2*(x'^2 + y'^2) + J/2*theta'^2 + I/2*phi'^2 + m*a/5*theta'*phi'*cos(phi)",
                              .potential = "m*sin(x)*cos(phi)", .forces = {"1/3", "t", NULL, "-phi'/7"},
                              .nonholonomic = {"roll x: x' - a*phi'*cos(theta)", "roll y: y' - a*phi'*sin(theta)"}};

#endif
