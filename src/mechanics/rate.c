// rate.c: the programs of x' and those that its Taylor series are made from: candidates from equal equations, the cheapest of them kept, whole
// and without operations that depend on parameters alone. The series are built in series.c.
#include "mechanics_impl.h"

#include <math.h>

#define LEAST_SHORTENED 12             // operations of the equations from which exact algebra has something to find,
#define MOST_SHORTENED 400             // and up to which it is fast
#define LEAST_FOR_EXACT 30             // operations of x' from which the elimination is worth exact algebra
#define SHORT_ENOUGH 0.6               // of the cost of x' as derived: with exact algebra below it no other way is tried
#define MOST_TERMS 32                  // of a polynomial: messy equations stay as they are
#define GRAPH_FLOOR 1e-3               // of pivots under constraints: each is compared with all that was added to it, so that a solution loses three
                                       // digits at most; a long chain of bodies comes near it
#define LOOSE_FLOOR 1e-5               // where somebody asks for the graph and no order keeps the other floor: the pivot of a joint of 14 links in relative
                                       // angles is a thousandth of the inertia that all links have about it. Five digits are lost at most
#define LEAST_FOR_GRAPH 100            // operations of x' from which another way may be shorter
#define CONSTRAINED_COST 1.25          // of an operation of the graph under constraints, beside one of the dense elimination
#define GUARD_SHARE 0.1                // of the guard in an evaluation: it runs once in a step
#define MOST_WATCHED 1000              // operations of x' that are watched for forces that come and go, if it has no dense form
enum { SAMPLES = 16 };                 // states at which an order of pivots is tried
enum { FEW_ENTRIES = 4 };               // of M in a row: with no more a solve by its entries may be shorter, and is tried. Of chains beside each other, with k
                                       // links each, a row has (k + 1)/2; from five links on the graph is shorter
enum { LEAST_AGREEING = 2 };           // states at which a program from the energies must have been compared, unless it was asked for

// x' as one program where that is short enough, so that the right-hand side needs no general solver; else NULL
static hml_status solve_for_rate(hml_context *c, const hml_model *m, const hml_program *dynamics, bool weighted, hml_program **rate, size_t *margins) {
  const hml_pivot_floors floors = {HML_PIVOT_FLOOR, HML_CONSTRAINED_FLOOR, HML_ROW_FLOOR};
  hml_equation_layout l = {.kin = m->n_kin, .n = m->n_dyn, .m = m->n_multipliers, .mass = m->at_mass, .rows = m->at_rows, .r = m->at_r,
                           .b = m->at_b, .power = m->at_power, .multiplier_power = m->at_multiplier_power, .has_power = m->has_power,
                           .has_multiplier_power = m->has_multiplier_power, .has_work = m->has_work, .implied = m->implied, .usual = m->usual_mass, .weighted = weighted,
                           .first_parameter = 1 + m->n_kin + m->n_dyn, .n_parameters = m->n_parameters};
  return hml_program__solved(c, dynamics, &l, floors, HML_MOST_UNROLLED, rate, margins);
}

// ---- does an order of pivots hold at generic states?

// Inputs of sample number `which`: states and other inputs but parameters, evenly spread in (-3, 3), the same in every process
void hml_rate__sample(const hml_model *m, size_t which, size_t all, double *in) {
  size_t states = 1 + m->n_kin + m->n_dyn;
  for (size_t i = 0; i < all; i++) {
    double u = (double)(which * all + i + 1) * 0.6180339887498949;
    in[i] = 6 * (u - floor(u)) - 3;
  }
  for (size_t i = 0; i < m->n_parameters; i++) in[states + i] = m->parameter_values[i];
}

// Calls look(where, outputs of p) for each sample
static hml_status at_samples(const hml_model *m, const hml_program *p, void (*look)(void *where, const double *out), void *where) {
  size_t inputs = hml_program_inputs(p), outputs = hml_program_outputs(p), size = inputs + outputs + hml_program_work_size(p);
  double *in = hml_alloc(m->context, size * sizeof *in);
  if (!in) return HML_MEMORY;
  for (size_t k = 0; k < SAMPLES; k++) {
    hml_rate__sample(m, k, inputs, in);
    hml_program_eval(p, in, in + inputs, in + inputs + outputs);
    look(where, in + inputs);
  }
  hml_dealloc(m->context, in, size * sizeof *in);
  return HML_OK;
}

typedef struct margin_count { size_t first, count, failures; } margin_count;

static void count_failures(void *where, const double *out) {
  margin_count *c = where;
  bool fine = true;
  for (size_t i = 0; i < c->count; i++) fine &= !(out[c->first + i] <= 0);   // outside the domain there is no verdict
  c->failures += !fine;
}

typedef struct mass_search {
  const hml_model *m;
  double *mass;                        // mean of M_ii                            (n)
} mass_search;

static void add_mass(void *where, const double *out) {
  mass_search *u = where;
  for (size_t i = 0; i < u->m->n_dyn; i++) {
    double size = fabs(out[u->m->at_mass + hml_dense__packed(i, i)]);
    if (isfinite(size)) u->mass[i] += size / SAMPLES;
  }
}

// Mean M_ii at the samples, for a model with constraints
hml_status hml_rate__find_usual_mass(hml_model *m) {
  m->usual_mass = hml_arena_alloc(&m->memory, (m->n_dyn + 1) * sizeof *m->usual_mass);
  if (!m->usual_mass) return HML_MEMORY;
  mass_search u = {m, m->usual_mass};
  for (size_t i = 0; i < m->n_dyn; i++) m->usual_mass[i] = 0;
  return m->n_multipliers ? at_samples(m, m->dynamics, add_mass, &u) : HML_OK;
}

hml_status hml_rate__weighted(hml_context *c, const hml_model *m, hml_program **out) {
  size_t margins;
  return solve_for_rate(c, m, m->dynamics, true, out, &margins);
}

static hml_status failures_of(const hml_model *m, const hml_program *rate, size_t margins, size_t *failures) {
  margin_count c = {.first = hml_program_outputs(rate) - margins, .count = margins};
  HML_TRY(at_samples(m, rate, count_failures, &c));
  *failures = c.failures;
  return HML_OK;
}

// The solve with weights on the rows in place of `rate` where it fails at fewer samples than that does
static hml_status take_weights(const hml_model *m, const hml_program *dynamics, size_t plain, hml_program **rate, size_t *margins) {
  size_t weighted = SAMPLES + 1, other_margins;
  hml_program *other = NULL;
  hml_status status = solve_for_rate(m->context, m, dynamics, true, &other, &other_margins);
  if (status == HML_OK && other) status = failures_of(m, other, other_margins, &weighted);
  if (status != HML_OK || weighted >= plain) {
    hml_program_free(other);
    return status;
  }
  hml_program_free(*rate);
  *rate = other;
  *margins = other_margins;
  return HML_OK;
}

static hml_status solve_safely(const hml_model *m, const hml_program *dynamics, hml_program **rate, size_t *margins) {
  size_t failures = SAMPLES + 1;
  HML_TRY(solve_for_rate(m->context, m, dynamics, false, rate, margins));
  hml_status status = *rate ? failures_of(m, *rate, *margins, &failures) : HML_OK;
  if (status == HML_OK && failures && m->n_multipliers > m->n_implied) status = take_weights(m, dynamics, failures, rate, margins);
  if (status == HML_OK) return HML_OK;
  hml_program_free(*rate);
  *rate = NULL;
  return status;
}

// Each expression in its shortest form. Nothing that was cancelled on the way may be zero somewhere: then it stays as it is
static hml_status shorten(hml_context *c, size_t n, const hml_expr *e, hml_expr *out) {
  const hml_limits limits = {.max_terms = MOST_TERMS, .max_seconds = 60};   // the terms decide, the same everywhere
  for (size_t i = 0; i < n; i++) {
    hml_reduction info = {.status = HML_OK};
    bool atom = hml_kind_of(e[i]) == HML_SYMBOL || hml_kind_of(e[i]) == HML_NUMBER || hml_kind_of(e[i]) == HML_FLOAT;
    out[i] = atom ? e[i] : hml_simplify(c, e[i], HML_FORM_AUTO, 0, NULL, &limits, &info);
    if (!out[i]) return hml_failed(c) ? hml_context_error(c)->status : HML_MEMORY;
    if (!atom && (info.status != HML_OK || hml_kind_of(info.cancelled) != HML_NUMBER)) out[i] = e[i];
  }
  return HML_OK;
}

enum { MOST_CANDIDATES = 5 };

// A program of x', whole and without operations that depend on parameters alone
typedef struct candidate {
  hml_program *rate;
  hml_program *energies;               // that it is made from; NULL: it comes from the entries of M
  size_t margins;
  hml_program *swift, *guard, *reactions;   // by the graph: x' with its pivots, their floors, multipliers (hml_graph_programs); else NULL
  size_t pivots, settled;
  hml_hoisted fast, fast_guard;
  bool by_graph, loose;                // with floors of LOOSE_FLOOR
} candidate;

// Candidates from equal equations
typedef struct candidates {
  size_t count;
  candidate list[MOST_CANDIDATES];
} candidates;

static const hml_program *lean_of(const candidate *k) {
  return k->fast.lean ? k->fast.lean : k->swift ? k->swift : k->rate;
}

static void drop_candidate(candidate *k) {
  hml_program_free(k->rate);
  hml_program_free(k->energies);
  hml_program_free(k->swift);
  hml_program_free(k->guard);
  hml_program_free(k->reactions);
  hml_program__free_hoisted(&k->fast);
  hml_program__free_hoisted(&k->fast_guard);
}

// `place`: of the values taken out, behind all other inputs
static hml_status hoist(const hml_model *m, const hml_program *p, size_t place, size_t margins, hml_hoisted *out) {
  hml_hoist_layout l = {.first = 1 + m->n_kin + m->n_dyn, .count = m->n_parameters, .place = place, .margins = margins};
  hml_program__free_hoisted(out);
  return hml_program__hoist(m->context, p, &l, out);
}

static size_t inputs_of(const hml_model *m) {
  return 1 + m->n_kin + m->n_dyn + m->n_parameters + m->n_externals;
}

static hml_status add_candidate(const hml_model *m, const hml_program *dynamics, candidates *all) {
  candidate *k = &all->list[all->count];
  HML_TRY(solve_safely(m, dynamics, &k->rate, &k->margins));
  if (!k->rate) return HML_OK;
  all->count++;
  return hoist(m, k->rate, inputs_of(m), k->margins, &k->fast);
}

static hml_status try_equations(const hml_model *m, const hml_list *inputs, const hml_list *equations, candidates *all) {
  hml_program *dynamics;
  HML_TRY(hml_program_new(m->context, inputs->count, inputs->data, equations->count, equations->data, &dynamics));
  hml_status status = add_candidate(m, dynamics, all);
  hml_program_free(dynamics);
  return status;
}

// ---- from the energies

hml_status hml_rate__refuse_graph(const hml_model *m, const char *why) {
  return hml_fail(m->context, HML_UNSUPPORTED, "model '%s': elimination on the graph of velocities is not possible, since %s; remove elimination = 'graph'",
                  m->name, why);
}

static hml_pivot_floors graph_floors(bool loose) {
  const double floor = loose ? LOOSE_FLOOR : GRAPH_FLOOR;
  return (hml_pivot_floors){HML_PIVOT_FLOOR, floor, floor};
}

hml_pivot_floors hml_rate__floors(const hml_model *m) {
  return graph_floors(m->loose_floors);
}

// L, forces, constraints, powers, the kinetic energy where it is to be known; k->rate stays NULL where the graph has no solution, and *why says the reason.
// entries: of M, with their most
static hml_status solve_graph(const hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs, size_t *entries, hml_program **inertia, candidate *k,
                              const char **why) {
  const size_t n = m->n_dyn, rows = m->n_multipliers;
  hml_list l = {.data = hml_arena_alloc(a, (3 + n + 2 * rows) * sizeof *l.data)};
  if (!l.data) return HML_MEMORY;
  l.data[l.count++] = s->lagrangian;
  for (size_t i = 0; i < n; i++) l.data[l.count++] = s->forces[i];
  for (size_t i = 0; i < rows; i++) l.data[l.count++] = s->row_functions[i];
  if (m->has_power) l.data[l.count++] = s->power;
  for (size_t i = 0; m->has_multiplier_power && i < rows; i++) l.data[l.count++] = s->multiplier_power[i];
  if (!s->mass && s->kinetic) l.data[l.count++] = s->kinetic;
  hml_graph_layout layout = hml_equations__layout(m);
  layout.floors = graph_floors(false);
  layout.most = HML_MOST_OF_GRAPH;
  layout.entries = entries;
  layout.inertia = inertia;
  layout.most_entries = entries ? *entries : 0;
  HML_TRY(hml_program_new(m->context, inputs->count, inputs->data, l.count, l.data, &k->energies));
  hml_graph_programs g;
  HML_TRY(hml_program__graph(m->context, k->energies, &layout, &g));
  k->loose = !g.rate && s->elimination == HML_GRAPH && m->n_multipliers > m->n_implied;
  if (k->loose) {
    layout.floors = graph_floors(true);
    layout.entries = NULL;             // these are known
    layout.inertia = NULL;
    HML_TRY(hml_program__graph(m->context, k->energies, &layout, &g));
  }
  k->rate = g.rate, k->margins = g.margins;
  k->swift = g.lean, k->guard = g.guard, k->reactions = g.reactions;
  k->pivots = g.pivots, k->settled = g.settled;
  *why = g.why;
  return HML_OK;
}

static hml_status hoist_graph(const hml_model *m, candidate *k) {
  HML_TRY(hoist(m, k->swift, inputs_of(m), 0, &k->fast));
  return k->guard ? hoist(m, k->guard, inputs_of(m) + k->fast.count, k->settled, &k->fast_guard) : HML_OK;
}

// The reason against a program from the energies: it must agree with the equations that the user sees. Where no sample decides, only somebody who
// asked for the graph gets it
static hml_status judge_graph(const hml_model *m, const hml_model_spec *s, const candidate *k, const char **why) {
  hml_agreement found;
  HML_TRY(hml_agreement__find(m, k->rate, k->margins, &found));
  if (found.differing) *why = "its accelerations differ from those of the mass matrix at a state tried";
  else if (s->elimination == HML_CHEAPEST && found.agreeing < LEAST_AGREEING) *why = "too few of the states tried have accelerations";
  return HML_OK;
}

// A candidate from the energies; *why is the reason where there is none
static hml_status add_graph(const hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs, candidates *all, const char **why) {
  candidate *k = &all->list[all->count];
  *why = !s->lagrangian ? "the form of its equations has no Lagrangian in these states"
       : !m->velocity_is_rate ? "its states are not coordinates and their velocities" : NULL;
  if (*why) return HML_OK;
  k->by_graph = true;
  all->count++;
  const char *no_rate;
  HML_TRY(solve_graph(m, s, a, inputs, NULL, NULL, k, &no_rate));
  if (!k->rate) *why = no_rate;
  else HML_TRY(judge_graph(m, s, k, why));
  if (!*why) return hoist_graph(m, k);
  drop_candidate(k);
  *k = (candidate){0};
  all->count--;
  return HML_OK;
}

// Of x' with its share of the guard. Under constraints the pivots of the graph have wider ranges than those of M, so that steps look longer for forces
// that come and go (tube.c)
static double cost_of(const hml_model *m, const candidate *k) {
  double guard = k->guard ? GUARD_SHARE * hml_program__cost(k->fast_guard.lean ? k->fast_guard.lean : k->guard) : 0;
  return (hml_program__cost(lean_of(k)) + guard) * (k->by_graph && m->n_multipliers ? CONSTRAINED_COST : 1);
}

// By exact algebra, where that finds a solution which agrees with the general solve at the states tried; whether it is much shorter than the first candidate
static hml_status add_exact(const hml_model *m, hml_arena *a, const hml_list *inputs, const hml_list *equations, candidates *all, bool *enough) {
  candidate *k = &all->list[all->count];
  hml_agreement found = {0};
  *enough = false;
  HML_TRY(hml_exact__rate(m, a, inputs, equations, hml_program_operations(lean_of(&all->list[0])), &k->rate, &k->margins));
  if (!k->rate) return HML_OK;
  all->count++;
  HML_TRY(hml_agreement__find(m, k->rate, k->margins, &found));
  if (!found.differing && found.agreeing >= LEAST_AGREEING) {
    HML_TRY(hoist(m, k->rate, inputs_of(m), k->margins, &k->fast));
    *enough = cost_of(m, k) <= SHORT_ENOUGH * cost_of(m, &all->list[0]);
    return HML_OK;
  }
  drop_candidate(k);
  *k = (candidate){0};
  all->count--;
  return HML_OK;
}

// The equations as derived, solved by exact algebra, in their shortest forms, and these with the angles of sums taken apart. enough: no other way need be tried
static hml_status find_candidates(const hml_model *m, hml_arena *a, const hml_list *inputs, const hml_list *equations, candidates *all, bool *enough) {
  HML_TRY(add_candidate(m, m->dynamics, all));
  size_t operations = hml_program_operations(m->dynamics);
  *enough = all->count && hml_program_operations(lean_of(&all->list[0])) < LEAST_FOR_GRAPH;
  if (!all->count || operations < LEAST_SHORTENED || operations > MOST_SHORTENED) return HML_OK;
  bool found = false, sums;
  if (hml_program_operations(lean_of(&all->list[0])) >= LEAST_FOR_EXACT) HML_TRY(add_exact(m, a, inputs, equations, all, &found));
  *enough |= found;
  if (found) return HML_OK;
  hml_list other = {.data = hml_arena_alloc(a, equations->count * sizeof *other.data), .count = equations->count};
  if (!other.data) return HML_MEMORY;
  HML_TRY(shorten(m->context, equations->count, equations->data, other.data));
  HML_TRY(try_equations(m, inputs, &other, all));
  HML_TRY(hml_expr__split_angles(m->context, other.count, other.data, other.data, &sums));
  return sums ? try_equations(m, inputs, &other, all) : HML_OK;
}

// The cheapest for x' and the cheapest for its series are kept; the first among equals
static hml_status keep_cheapest(hml_model *m, candidates *all) {
  size_t states = m->n_kin + m->n_dyn, fastest = 0, shortest = 0;
  for (size_t i = 1; i < all->count; i++) {
    if (cost_of(m, &all->list[i]) < cost_of(m, &all->list[fastest])) fastest = i;
    if (hml_program__series_cost(m->context, all->list[i].rate, states) < hml_program__series_cost(m->context, all->list[shortest].rate, states)) shortest = i;
  }
  for (size_t i = 0; i < all->count; i++)
    if (i != fastest && i != shortest) drop_candidate(&all->list[i]);
  if (!all->count) return HML_OK;
  m->rate = all->list[fastest].rate;
  m->margins = all->list[fastest].margins;
  m->fast_rate = all->list[fastest].fast;
  m->by_graph = all->list[fastest].by_graph;
  m->loose_floors = all->list[fastest].loose;
  m->swift = all->list[fastest].swift;
  m->pivots = all->list[fastest].pivots;
  m->guard = all->list[fastest].guard;
  if (!m->n_implied) m->reactions = all->list[fastest].reactions;
  else hml_program_free(all->list[fastest].reactions);
  m->solution = m->reactions ? m->reactions : m->by_graph && !m->n_multipliers ? m->rate : NULL;
  m->at_solution = m->reactions ? 0 : m->n_kin;
  m->fast_guard = all->list[fastest].fast_guard;
  m->watches_energies = m->by_graph && all->count == 1 && hml_program_operations(m->rate) > MOST_WATCHED;
  if (m->by_graph && !m->energies) m->energies = all->list[fastest].energies;
  else hml_program_free(all->list[fastest].energies);
  all->list[fastest].energies = NULL;
  hml_program_free(all->list[shortest].energies);
  m->series_source = all->list[shortest].rate;
  if (shortest == fastest) return HML_OK;
  candidate *other = &all->list[shortest];
  hml_program_free(other->swift);
  hml_program_free(other->guard);
  hml_program_free(other->reactions);
  hml_program__free_hoisted(&other->fast_guard);
  hml_status status = hoist(m, other->rate, inputs_of(m) + m->fast_rate.count + m->fast_guard.count, other->margins, &other->fast);
  m->fast_source = other->fast;
  return status;
}

hml_status hml_rate__build(hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs, const hml_list *equations) {
  candidates all = {0};
  if (!m->n_dyn || m->refined || m->implied_on_surface) return HML_OK;
  const char *why = NULL;
  bool enough = false;
  hml_status status = s->elimination == HML_GRAPH ? HML_OK : find_candidates(m, a, inputs, equations, &all, &enough);
  const bool graph = s->elimination == HML_GRAPH || (s->elimination == HML_CHEAPEST && !enough);
  if (status == HML_OK && graph) status = add_graph(m, s, a, inputs, &all, &why);
  if (status == HML_OK && why && s->elimination == HML_GRAPH) status = hml_rate__refuse_graph(m, why);
  if (status == HML_OK) return keep_cheapest(m, &all);
  for (size_t i = 0; i < all.count; i++) drop_candidate(&all.list[i]);
  return status;
}

// Why there is no program of x' from the energies alone, or none should be; NULL: there is one
static hml_status try_energies(hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs, candidate *k, const char **why) {
  const size_t few = FEW_ENTRIES * m->n_dyn;
  size_t entries = few;
  *why = !m->velocity_is_rate ? "its states are not coordinates and their velocities" : NULL;
  if (*why) return HML_OK;
  k->by_graph = true;
  const char *no_rate;
  HML_TRY(solve_graph(m, s, a, inputs, &entries, &m->inertia, k, &no_rate));
  if (!k->rate) *why = no_rate;
  else if (s->elimination == HML_CHEAPEST && entries <= few) *why = "the mass matrix has few entries";
  return HML_OK;
}

static hml_status judge_energies(const hml_model *m, const hml_model_spec *s, const candidate *k, const char **why) {
  hml_agreement found;
  HML_TRY(hml_agreement__of_energies(m, k->rate, k->margins, &found));
  if (found.differing) *why = "its accelerations do not satisfy Lagrange's equations at a state tried";
  else if (s->elimination == HML_CHEAPEST && found.agreeing < LEAST_AGREEING) *why = "too few of the states tried have accelerations";
  return HML_OK;
}

// `prepare` makes of m->energies what else the model needs, before x' is compared with it
hml_status hml_rate__from_energies(hml_model *m, const hml_model_spec *s, hml_arena *a, const hml_list *inputs, hml_status (*prepare)(hml_model *m), bool *enough) {
  candidates all = {.count = 1};
  const char *why = NULL;
  hml_status status = try_energies(m, s, a, inputs, &all.list[0], &why);
  *enough = status == HML_OK && !why;
  if (*enough) {
    m->energies = all.list[0].energies;
    all.list[0].energies = NULL;
    status = prepare(m);
    if (status == HML_OK) status = judge_energies(m, s, &all.list[0], &why);
    if (status == HML_OK) status = hoist_graph(m, &all.list[0]);
    *enough = status == HML_OK && !why;
  }
  if (status == HML_OK && why && s->elimination == HML_GRAPH) status = hml_rate__refuse_graph(m, why);
  if (status == HML_OK && *enough) return keep_cheapest(m, &all);
  drop_candidate(&all.list[0]);
  return status;
}

hml_program *hml_rate__evaluated(const hml_model *m) {
  return m->fast_rate.lean ? m->fast_rate.lean : m->swift ? m->swift : m->rate;
}

// fails: HML_MEMORY
hml_status hml_rate__compile_entry(hml_model *m) {
  hml_program *p = hml_rate__evaluated(m);
  const hml_entry_layout l = {.states = m->n_kin + m->n_dyn, .rates = m->n_kin + m->n_dyn + m->has_work};
  return p ? hml_program__compile_entry(p, &l) : HML_OK;
}

// the program that is evaluated
void hml_rate__choose(hml_model *m, bool whole) {
  m->running = whole ? m->rate : hml_rate__evaluated(m);
  m->running_margins = whole ? m->margins : hml_model__lean_margins(m);
  m->running_guard = whole ? NULL : hml_model__guard(m);
  m->entry = m->running && !whole && !m->n_externals ? hml_program__entry(m->running) : NULL;
}

void hml_rate__free(hml_model *m) {
  if (m->series_source != m->rate) hml_program_free(m->series_source);
  hml_program_free(m->rate);
  hml_program_free(m->swift);
  hml_program_free(m->guard);
  hml_program_free(m->reactions);
  hml_program__free_hoisted(&m->fast_guard);
  hml_program_free(m->energies);
  hml_program_free(m->inertia);
  hml_program__free_hoisted(&m->fast_rate);
  hml_program__free_hoisted(&m->fast_source);
}

const hml_program *hml_model__lean_rate(const hml_model *m) {
  return hml_rate__evaluated(m);
}

bool hml_model__is_ignorable(const hml_model *m, size_t i) {
  const hml_program *rate = hml_model__lean_rate(m);
  return rate && i < m->n_kin && !hml_program__reads(rate, 1 + i);
}

const hml_program *hml_model__guard(const hml_model *m) {
  return m->pivots == 0 ? NULL : m->fast_guard.lean ? m->fast_guard.lean : m->guard;
}

// What a series is short of, products, a range is wide by
const hml_program *hml_model__watched(const hml_model *m, bool *is_rate) {
  *is_rate = !m->watches_energies;
  if (m->watches_energies) return m->energies;
  if (!m->series_source || m->series_source == m->rate) return hml_model__lean_rate(m);
  return m->fast_source.lean ? m->fast_source.lean : m->series_source;
}

size_t hml_model__lean_margins(const hml_model *m) {
  return m->swift ? m->pivots : m->fast_rate.lean ? m->fast_rate.margins : m->margins;
}

const hml_program *hml_model_rate(const hml_model *m, size_t *margins) {
  *margins = m->margins;
  return m->rate;
}

// fails: HML_UNSUPPORTED where x' is no program
hml_status hml_model_set_code(hml_model *m, hml_foreign_code code) {
  if (!m->rate) return hml_fail(m->context, HML_UNSUPPORTED, "model '%s': too long to be compiled as one function", m->name);
  hml_program__set_code(m->rate, code);
  hml_rate__choose(m, code != NULL);
  return HML_OK;
}

int hml_model_is_native(const hml_model *m) {
  return hml_program__is_native(m->running ? m->running : m->dynamics);
}

size_t hml_model_operations(const hml_model *m) {
  return hml_program_operations(m->rate ? hml_model__lean_rate(m) : m->dynamics);
}
