// model.c: names, programs and dimensions in one object, constant once built. workspace.c has the data that change.
#include "mechanics_impl.h"

#include <stdio.h>
#include <string.h>

// required fields of a spec
static bool is_zero(hml_expr e) {
  return e && (hml_kind_of(e) == HML_NUMBER || hml_kind_of(e) == HML_FLOAT) && hml_number_value(e) == 0;
}

static hml_status missing(hml_context *c, const hml_model_spec *spec, const char *what, size_t i) {
  return hml_fail(c, HML_ARGUMENT, "model '%s': %s %zu is missing", spec->name ? spec->name : "", what, i + 1);
}

static hml_status check_expressions(hml_context *c, const hml_model_spec *spec, const char *what, size_t n, const hml_expr *e) {
  for (size_t i = 0; i < n; i++)
    if (!e || !e[i]) return missing(c, spec, what, i);
  return HML_OK;
}

static hml_status check_symbols(hml_context *c, const hml_model_spec *spec, const char *what, size_t n, const hml_expr *e) {
  HML_TRY(check_expressions(c, spec, what, n, e));
  for (size_t i = 0; i < n; i++)
    if (hml_kind_of(e[i]) != HML_SYMBOL)
      return hml_fail(c, HML_ARGUMENT, "model '%s': %s %zu is not a symbol", spec->name ? spec->name : "", what, i + 1);
  return HML_OK;
}

static hml_status check_names(hml_context *c, const hml_model_spec *spec, const char *what, size_t n, const char *const *names) {
  for (size_t i = 0; i < n; i++)
    if (!names || !names[i]) return missing(c, spec, what, i);
  return HML_OK;
}

static hml_status check_spec(hml_context *c, const hml_model_spec *s) {
  size_t m = s->n_multipliers;
  HML_TRY(check_symbols(c, s, "time symbol", 1, &s->time));
  HML_TRY(check_symbols(c, s, "state symbol (kin)", s->n_kin, s->kin));
  HML_TRY(check_symbols(c, s, "state symbol (dyn)", s->n_dyn, s->dyn));
  HML_TRY(check_symbols(c, s, "parameter symbol", s->n_parameters, s->parameters));
  HML_TRY(check_symbols(c, s, "external symbol", s->n_externals, s->externals));
  HML_TRY(check_names(c, s, "name of dyn", s->n_dyn, s->dyn_names));
  HML_TRY(check_names(c, s, "name of multiplier", m, s->multiplier_names));
  HML_TRY(check_names(c, s, "name of position constraint", s->n_positions, s->position_names));
  HML_TRY(check_names(c, s, "name of velocity constraint", s->n_velocities, s->velocity_names));
  HML_TRY(check_expressions(c, s, "kinematic equation", s->n_kin, s->k));
  if (s->mass || !s->lagrangian) {
    HML_TRY(check_expressions(c, s, "entry of the mass matrix", s->n_dyn * s->n_dyn, s->mass));
    HML_TRY(check_expressions(c, s, "entry of the constraint rows", m * s->n_dyn, s->rows));
    HML_TRY(check_expressions(c, s, "entry of r", s->n_dyn, s->r));
    HML_TRY(check_expressions(c, s, "entry of b", m, s->b));
  }
  HML_TRY(check_expressions(c, s, "position residual", s->n_positions, s->position_residuals));
  HML_TRY(check_expressions(c, s, "entry of the position Jacobian", s->n_positions * s->n_kin, s->position_jacobian));
  HML_TRY(check_expressions(c, s, "velocity residual", s->n_velocities, s->velocity_residuals));
  HML_TRY(check_expressions(c, s, "entry of the velocity Jacobian", s->n_velocities * s->n_dyn, s->velocity_jacobian));
  if (s->lagrangian) HML_TRY(check_expressions(c, s, "generalised force", s->n_dyn, s->forces));
  if (s->lagrangian) HML_TRY(check_expressions(c, s, "function of a constraint", m, s->row_functions));
  if (s->multipliers) HML_TRY(check_symbols(c, s, "multiplier symbol", m, s->multipliers));
  if (s->multiplier_power) HML_TRY(check_expressions(c, s, "multiplier power", m, s->multiplier_power));
  if (s->n_parameters && !s->parameter_values) return missing(c, s, "value of parameter", 0);
  if (m && !s->n_dyn) return hml_fail(c, HML_ARGUMENT, "model '%s': multipliers without dynamic states", s->name ? s->name : "");
  return HML_OK;
}

// ---- copies
static const char *copy_text(hml_arena *a, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = hml_arena_alloc(a, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

static hml_status copy_names(hml_arena *a, size_t n, const char *const *names, const char ***out) {
  const char **copies = *out = hml_arena_alloc(a, n * sizeof *copies);
  if (!copies) return HML_MEMORY;
  for (size_t i = 0; i < n; i++)
    if (!(copies[i] = copy_text(a, names[i]))) return HML_MEMORY;
  return HML_OK;
}

// x, x', x''
static const char *symbol_text(hml_arena *a, hml_expr symbol) {
  const char *name = hml_symbol_name(symbol);
  size_t length = strlen(name), order = hml_symbol_order(symbol);
  char *text = hml_arena_alloc(a, length + order + 1);
  if (!text) return NULL;
  memcpy(text, name, length);
  memset(text + length, '\'', order);
  return text;
}

static hml_status copy_symbols(hml_arena *a, size_t n, const hml_expr *symbols, const char **out) {
  for (size_t i = 0; i < n; i++)
    if (!(out[i] = symbol_text(a, symbols[i]))) return HML_MEMORY;
  return HML_OK;
}

static hml_status copy_all_names(hml_model *m, const hml_model_spec *s) {
  hml_arena *a = &m->memory;
  if (!(m->name = copy_text(a, s->name ? s->name : ""))) return HML_MEMORY;
  m->state_names = hml_arena_alloc(a, (s->n_kin + s->n_dyn + 1) * sizeof *m->state_names);
  m->parameter_names = hml_arena_alloc(a, s->n_parameters * sizeof *m->parameter_names);
  m->external_names = hml_arena_alloc(a, s->n_externals * sizeof *m->external_names);
  if (!m->state_names || !m->parameter_names || !m->external_names) return HML_MEMORY;
  HML_TRY(copy_symbols(a, s->n_kin, s->kin, m->state_names));
  HML_TRY(copy_symbols(a, s->n_dyn, s->dyn, m->state_names + s->n_kin));
  m->state_names[s->n_kin + s->n_dyn] = "work";
  HML_TRY(copy_symbols(a, s->n_parameters, s->parameters, m->parameter_names));
  HML_TRY(copy_symbols(a, s->n_externals, s->externals, m->external_names));
  HML_TRY(copy_names(a, s->n_dyn, s->dyn_names, &m->dyn_names));
  HML_TRY(copy_names(a, s->n_multipliers, s->multiplier_names, &m->multiplier_names));
  HML_TRY(copy_names(a, s->n_positions, s->position_names, &m->position_names));
  return copy_names(a, s->n_velocities, s->velocity_names, &m->velocity_names);
}

// ---- structure
static hml_status copy_marks(hml_arena *a, size_t n, const unsigned char *marks, bool **out) {
  *out = hml_arena_alloc(a, n + 1);
  if (!*out) return HML_MEMORY;
  for (size_t i = 0; i < n; i++) (*out)[i] = marks && marks[i];
  return HML_OK;
}

static hml_status find_structure(hml_model *m, const hml_model_spec *s) {
  size_t n = s->n_dyn;
  m->mass_first = hml_arena_alloc(&m->memory, n * sizeof(size_t));
  m->row_first = hml_arena_alloc(&m->memory, s->n_multipliers * sizeof(size_t));
  if (!m->mass_first || !m->row_first) return HML_MEMORY;
  for (size_t i = 0; i < n && s->mass; i++)
    while (m->mass_first[i] < i && is_zero(s->mass[i * n + m->mass_first[i]])) m->mass_first[i]++;
  for (size_t k = 0; k < s->n_multipliers && s->mass; k++)
    while (m->row_first[k] < n && is_zero(s->rows[k * n + m->row_first[k]])) m->row_first[k]++;
  HML_TRY(copy_marks(&m->memory, s->n_multipliers, s->implied, &m->implied));
  HML_TRY(copy_marks(&m->memory, s->n_positions, s->implied_positions, &m->implied_level[HML_POSITION_LEVEL]));
  HML_TRY(copy_marks(&m->memory, s->n_velocities, s->implied_velocities, &m->implied_level[HML_VELOCITY_LEVEL]));
  for (size_t k = 0; k < s->n_multipliers; k++) m->n_implied += m->implied[k];
  m->velocity_is_rate = s->n_kin == n;
  for (size_t i = 0; i < n && m->velocity_is_rate; i++) m->velocity_is_rate = s->k[i] == s->dyn[i];
  m->has_power = s->power && !is_zero(s->power);
  for (size_t k = 0; k < s->n_multipliers && s->multiplier_power; k++)
    m->has_multiplier_power |= !is_zero(s->multiplier_power[k]);
  m->has_work = m->has_power || m->has_multiplier_power || s->counts_work;
  m->momenta_kept = s->momenta_kept && s->n_velocities <= s->n_dyn;
  m->from_energies = !s->mass;
  m->has_energy = s->energy || !s->mass;
  m->has_kinetic = s->kinetic || !s->mass;
  return HML_OK;
}

// ---- programs
static void append(hml_list *l, size_t n, const hml_expr *e) {
  for (size_t i = 0; i < n; i++) l->data[l->count++] = e[i];
}

// t, kin, dyn, parameters, externals, multipliers that forces depend on
static hml_list collect_inputs(hml_arena *a, const hml_model_spec *s, size_t coupled) {
  hml_list l = {.data = hml_arena_alloc(a, (1 + s->n_kin + s->n_dyn + s->n_parameters + s->n_externals + coupled) * sizeof *l.data)};
  if (!l.data) return l;
  append(&l, 1, &s->time);
  append(&l, s->n_kin, s->kin);
  append(&l, s->n_dyn, s->dyn);
  append(&l, s->n_parameters, s->parameters);
  append(&l, s->n_externals, s->externals);
  append(&l, coupled, s->multipliers);
  return l;
}

static hml_status check_distinct(hml_context *c, const hml_model_spec *s, const hml_list *inputs) {
  for (size_t i = 0; i < inputs->count; i++)
    for (size_t j = 0; j < i; j++)
      if (inputs->data[i] == inputs->data[j])
        return hml_fail(c, HML_ARGUMENT, "model '%s': symbol '%s' occurs twice among time, states, parameters, externals and multipliers",
                        s->name ? s->name : "", hml_symbol_name(inputs->data[i]));
  return HML_OK;
}

// The places of hml_equation_layout
static void find_places(hml_model *m) {
  const size_t n = m->n_dyn, k = m->n_multipliers;
  m->at_mass = m->n_kin;
  m->at_rows = m->at_mass + n * (n + 1) / 2;
  m->at_r = m->at_rows + k * n;
  m->at_b = m->at_r + n;
  m->at_power = m->at_b + k;
  m->at_multiplier_power = m->at_power + m->has_power;
  m->n_equations = m->at_multiplier_power + (m->has_multiplier_power ? k : 0);
}

// Everything that the programs of x' come from
static hml_status list_equations(hml_model *m, const hml_model_spec *s, hml_arena *a, hml_list *l) {
  size_t n = s->n_dyn, k = s->n_multipliers;
  *l = (hml_list){.data = hml_arena_alloc(a, m->n_equations * sizeof *l->data)};
  if (!l->data) return HML_MEMORY;
  append(l, s->n_kin, s->k);
  for (size_t i = 0; i < n; i++) append(l, i + 1, s->mass + i * n);
  append(l, k * n, s->rows);
  append(l, n, s->r);
  append(l, k, s->b);
  append(l, m->has_power, &s->power);
  if (m->has_multiplier_power) append(l, k, s->multiplier_power);
  return HML_OK;
}

static hml_status build_observe(hml_model *m, const hml_model_spec *s, const hml_list *inputs) {
  hml_list l = {.data = (hml_expr[2]){NULL, NULL}};
  append(&l, m->has_energy, &s->energy);
  append(&l, m->has_kinetic, &s->kinetic);
  return l.count ? hml_program_new(m->context, inputs->count, inputs->data, l.count, l.data, &m->observe) : HML_OK;
}

// residuals, then their Jacobian; externals have no derivative and are refused here by being no input
static hml_status build_level(hml_model *m, hml_arena *a, const hml_list *inputs, size_t rows, size_t columns,
                              const hml_expr *residuals, const hml_expr *jacobian, hml_program **out) {
  if (!rows) return HML_OK;
  hml_list l = {.data = hml_arena_alloc(a, rows * (1 + columns) * sizeof *l.data)};
  if (!l.data) return HML_MEMORY;
  append(&l, rows, residuals);
  append(&l, rows * columns, jacobian);
  return hml_program_new(m->context, 1 + m->n_kin + m->n_dyn + m->n_parameters, inputs->data, l.count, l.data, out);
}

// ---- forces that depend on the multipliers
static hml_status contain(hml_arena *a, size_t n, const hml_expr *e, size_t n_symbols, const hml_expr *symbols, bool *found) {
  hml_expr *nodes;
  size_t count;
  *found = false;
  HML_TRY(hml_expr__postorder(a, n, e, &nodes, &count));
  for (size_t i = 0; i < count; i++)
    for (size_t k = 0; k < n_symbols; k++) *found |= nodes[i] == symbols[k];
  return HML_OK;
}

static hml_status build_coupling(hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs) {
  const size_t n = s->n_dyn, k = s->n_multipliers;
  hml_list l = {.data = hml_arena_alloc(a, n * (1 + k) * sizeof *l.data)};
  if (!l.data) return HML_MEMORY;
  append(&l, n, s->r);
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < k; j++) {
      hml_expr slope = hml_derivative(m->context, s->r[i], s->multipliers[j]);
      if (!slope) return hml_context_error(m->context)->status;
      append(&l, 1, &slope);
    }
  bool bent;
  HML_TRY(contain(a, n * k, l.data + n, k, s->multipliers, &bent));
  m->coupling_linear = !bent;
  m->at_lambda = inputs->count - k;
  return hml_program_new(m->context, inputs->count, inputs->data, l.count, l.data, &m->coupling);
}

static hml_status find_own_places(hml_model *m, const hml_program *p) {
  return hml_program__places(m->context, p, m->n_kin + m->n_dyn, 1 + m->n_kin + m->n_dyn + m->n_parameters, &m->places);
}

static hml_status build_levels(hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs) {
  HML_TRY(build_level(m, a, inputs, s->n_positions, s->n_kin, s->position_residuals, s->position_jacobian, &m->positions));
  HML_TRY(build_level(m, a, inputs, s->n_velocities, s->n_dyn, s->velocity_residuals, s->velocity_jacobian, &m->velocities));
  return hml_combine__build(m);
}

// ---- from the energies

// With constraints M is a metric, with places that are not smooth its program names them; else the equations wait until they are needed
static hml_status prepare_equations(hml_model *m) {
  const bool waits = !m->n_positions && !m->n_velocities && !m->n_multipliers && hml_program__is_entire(m->energies, 1 + m->n_kin + m->n_dyn, m->n_parameters);
  m->places.context = m->context;
  if (waits) return hml_equations__open(m);
  HML_TRY(hml_equations__make(m->context, m, &m->dynamics));
  HML_TRY(hml_rate__find_usual_mass(m));
  return find_own_places(m, m->dynamics);
}

static hml_status build_from_energies(hml_model *m, const hml_model_spec *s, hml_arena *a, bool *enough) {
  bool coupled = false;
  *enough = true;
  if (s->multipliers) HML_TRY(contain(a, s->n_dyn, s->forces, s->n_multipliers, s->multipliers, &coupled));
  if (coupled) *enough = false;
  hml_list inputs = collect_inputs(a, s, 0);
  if (!inputs.data) return HML_MEMORY;
  HML_TRY(check_distinct(m->context, s, &inputs));
  HML_TRY(build_levels(m, s, a, &inputs));
  if (m->implied_on_surface) *enough = false;
  if (*enough) HML_TRY(hml_rate__from_energies(m, s, a, &inputs, prepare_equations, enough));
  if (!*enough) return HML_OK;
  const hml_graph_layout l = hml_equations__layout(m);
  const size_t kinetic = s->kinetic ? l.multiplier_power + (m->has_multiplier_power ? m->n_multipliers : 0) : SIZE_MAX;
  // potentials with corners are forces in the program
  if (s->energy) return build_observe(m, s, &inputs);
  return hml_program__energies(m->context, m->energies, &l, kinetic, &m->observe);
}

static hml_status build_programs(hml_model *m, const hml_model_spec *s, hml_arena *a, bool *enough) {
  bool coupled = false;
  find_places(m);
  *enough = true;
  if (!s->mass) return build_from_energies(m, s, a, enough);
  if (s->multipliers) HML_TRY(contain(a, s->n_dyn, s->r, s->n_multipliers, s->multipliers, &coupled));
  hml_list inputs = collect_inputs(a, s, coupled ? s->n_multipliers : 0);
  if (!inputs.data) return HML_MEMORY;
  HML_TRY(check_distinct(m->context, s, &inputs));
  hml_list equations;
  HML_TRY(list_equations(m, s, a, &equations));
  HML_TRY(hml_program_new(m->context, inputs.count, inputs.data, equations.count, equations.data, &m->dynamics));
  HML_TRY(hml_rate__find_usual_mass(m));
  HML_TRY(find_own_places(m, m->dynamics));
  HML_TRY(build_levels(m, s, a, &inputs));
  m->refined = s->elimination == HML_REFINED;
  if (coupled && m->refined)
    return hml_fail(m->context, HML_UNSUPPORTED, "model '%s': accelerations are not refined where forces depend on the reactions; remove elimination = 'refined'", m->name);
  if (m->refined && !hml_program__has_quad())
    return hml_fail(m->context, HML_UNSUPPORTED, "model '%s': this build has no quadruple precision (libquadmath); remove elimination = 'refined'", m->name);
  if (coupled && s->elimination == HML_GRAPH) return hml_rate__refuse_graph(m, "its forces depend on the reactions");
  if (coupled) HML_TRY(build_coupling(m, s, a, &inputs));
  else HML_TRY(hml_rate__build(m, s, a, &inputs, &equations));
  return build_observe(m, s, &inputs);
}

// By the graph in place of the dense one, where that costs less
static hml_status take_graph(hml_model *m, int which, const hml_program *level, const hml_correction_layout *l, hml_pivot_floors floors) {
  hml_graph_layout g = hml_equations__layout(m);
  hml_program *other;
  size_t margins;
  g.floors = floors;
  g.most = HML_MOST_OF_GRAPH;
  HML_TRY(hml_program__graph_correction(m->context, m->energies, level, l, &g, &other, &margins));
  if (!other || (m->correction[which] && hml_program__cost(m->correction[which]) <= hml_program__cost(other))) {
    hml_program_free(other);
    return HML_OK;
  }
  hml_program_free(m->correction[which]);
  m->correction[which] = other;
  m->correction_margins[which] = margins;
  return HML_OK;
}

// Corrections onto the constraints in the metric of the mass matrix, where it is one on that level
static hml_status build_corrections(hml_model *m) {
  const hml_program *const levels[2] = {m->positions, m->velocities};
  const hml_pivot_floors floors = {HML_PIVOT_FLOOR, HML_PIVOT_FLOOR, HML_PIVOT_FLOOR};   // Newton's method removes the remaining error
  for (int which = 0; which < 2; which++) {
    bool metric = which == HML_VELOCITY_LEVEL ? !m->momenta_kept : m->velocity_is_rate;
    if (!levels[which] || !metric || m->n_externals || m->coupling || m->implied_on_surface) continue;
    hml_correction_layout l = {.rows = which ? m->n_velocities : m->n_positions, .columns = m->n_dyn, .first_variable = 1 + (which ? m->n_kin : 0),
                               .implied = m->implied_level[which]};
    HML_TRY(hml_program__correction(m->context, m->dynamics, m->at_mass, levels[which], &l, floors, HML_MOST_UNROLLED, &m->correction[which],
                                    &m->correction_margins[which]));
    if (m->by_graph) HML_TRY(take_graph(m, which, levels[which], &l, floors));
  }
  return HML_OK;
}

// What is evaluated in a run becomes machine code. Without multipliers a run on the graph of velocities takes the entries of M only at its start and
// where a pivot fails
static hml_status compile(hml_model *m, const hml_model_spec *s) {
  if (s->executor == HML_INTERPRETER) return HML_OK;
  const char *refusal = hml_native_refusal();
  if (s->executor == HML_NATIVE && refusal) return hml_fail(m->context, HML_UNSUPPORTED, "model '%s': no machine code: %s", m->name, refusal);
  hml_program *const programs[] = {m->by_graph && !m->n_multipliers ? NULL : m->dynamics, m->coupling, hml_rate__evaluated(m), (hml_program *)hml_model__guard(m), m->observe, m->positions, m->velocities,
                                   m->correction[0], m->correction[1], m->residuals[0], m->residuals[1], m->places.program};
  for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
    if (programs[i]) HML_TRY(hml_program__compile(programs[i]));
  return hml_rate__compile_entry(m);
}

static hml_status fill(hml_model *m, const hml_model_spec *s, bool *enough) {
  m->n_kin = s->n_kin;
  m->n_dyn = s->n_dyn;
  m->n_multipliers = s->n_multipliers;
  m->n_parameters = s->n_parameters;
  m->n_externals = s->n_externals;
  m->n_positions = s->n_positions;
  m->n_velocities = s->n_velocities;
  HML_TRY(copy_all_names(m, s));
  m->parameter_values = hml_arena_alloc(&m->memory, s->n_parameters * sizeof(double));
  if (!m->parameter_values) return HML_MEMORY;
  if (s->n_parameters) memcpy(m->parameter_values, s->parameter_values, s->n_parameters * sizeof(double));
  HML_TRY(find_structure(m, s));
  HML_TRY(hml_branch__build(m, s));
  HML_TRY(hml_impulse__build(m, s));
  hml_arena passing;
  hml_arena_init(&passing, m->context);
  hml_status status = build_programs(m, s, &passing, enough);
  if (status == HML_OK && *enough) status = build_corrections(m);
  if (status == HML_OK && *enough) status = hml_drift__build(m);
  if (status == HML_OK && *enough) status = compile(m, s);
  if (status == HML_OK) status = hml_series_store__new(m->context, &m->series);
  if (status == HML_OK) status = hml_lane_store__new(m->context, &m->lane_codes);
  hml_rate__choose(m, false);
  hml_arena_free(&passing);
  return status;
}

// fails: HML_ARGUMENT for a spec with missing or repeated fields, and as hml_program_new
hml_status hml_model_new(hml_context *c, const hml_model_spec *spec, hml_model **out) {
  *out = NULL;
  if (hml_failed(c)) return hml_context_error(c)->status;   // a constructor of some expression failed
  HML_TRY(check_spec(c, spec));
  hml_model *m = hml_alloc(c, sizeof *m);
  if (!m) return HML_MEMORY;
  m->context = c;
  hml_arena_init(&m->memory, c);
  bool enough = true;
  hml_status status = fill(m, spec, &enough);
  if (status == HML_OK && enough)
    *out = m;
  else
    hml_model_free(m);
  return status;
}

void hml_model_free(hml_model *m) {
  if (!m) return;
  hml_program_free(m->dynamics);
  hml_equations__close(m);
  hml_program__free_places(&m->places);
  hml_rate__free(m);
  hml_lane_store__free(m->context, m->lane_codes);
  hml_series_store__free(m->context, m->series);
  hml_program_free(m->coupling);
  hml_program_free(m->observe);
  hml_program_free(m->positions);
  hml_program_free(m->velocities);
  for (int which = 0; which < 2; which++) hml_program_free(m->correction[which]);
  for (int which = 0; which < 2; which++) hml_program_free(m->residuals[which]);
  hml_branch__free(m);
  hml_impulse__free(m);
  hml_arena_free(&m->memory);
  hml_dealloc(m->context, m, sizeof *m);
}

// ---- getters
size_t hml_model_state_size(const hml_model *m) {
  return m->n_kin + m->n_dyn + m->has_work;
}

size_t hml_model_controlled_size(const hml_model *m) {
  return m->n_kin + m->n_dyn;
}

hml_correction hml_model__correction(const hml_model *m, int level) {
  return (hml_correction){.program = m->correction[level], .rows = level ? m->n_velocities : m->n_positions, .columns = m->n_dyn,
                          .first = 1 + (level ? m->n_kin : 0), .margins = m->correction_margins[level]};
}

hml_elimination hml_model_elimination(const hml_model *m) {
  return m->refined ? HML_REFINED : m->by_graph ? HML_GRAPH : HML_DENSE;
}

int hml_model_has_work(const hml_model *m) {
  return m->has_work;
}


const char *hml_model__name(const hml_model *m) {
  return m->name;
}

const char *hml_model__state_name(const hml_model *m, size_t i) {
  return i < hml_model_state_size(m) ? m->state_names[i] : "";
}

hml_model_sizes hml_model__sizes(const hml_model *m) {
  return (hml_model_sizes){m->n_kin, m->n_dyn, m->n_multipliers, m->n_parameters, m->n_externals, m->n_positions + m->n_velocities, m->n_held};
}

size_t hml_model__externals(const hml_model *m) {
  return m->n_externals;
}

// ---- names in messages
size_t hml_names__join(size_t n, const char **names, const double *weights, double share, const char *quote, size_t capacity,
                       char *text) {
  double largest = 0;
  size_t count = 0, written = 0, length = 0;
  for (size_t i = 0; i < n; i++) largest = weights[i] > largest ? weights[i] : largest;
  for (size_t i = 0; i < n; i++) count += weights[i] > 0 && weights[i] >= share * largest;
  text[0] = '\0';
  for (size_t i = 0; i < n && length + 1 < capacity; i++) {
    if (!(weights[i] > 0 && weights[i] >= share * largest)) continue;
    const char *glue = written == 0 ? "" : written + 1 == count ? " and " : ", ";
    const char *mark = quote[0] ? hml_quote_of(names[i]) : "";
    int added = snprintf(text + length, capacity - length, "%s%s%s%s", glue, mark, names[i], mark);
    length += added > 0 ? (size_t)added : 0;
    written++;
  }
  return count;
}

bool hml_model__moves_by_rates(const hml_model *m) {
  return m->velocity_is_rate;
}

const char **hml_model__dyn_names(const hml_model *m) {
  return m->dyn_names;
}

const char *hml_model__multiplier_name(const hml_model *m, size_t k) {
  return m->multiplier_names[k];
}
