// exact.c: x' of small models with the elimination done by exact algebra (expr/triangular.c). The program has no more operations than the solution itself,
// and its pivots are those of the equations. Terms of polynomials limit the work, so that the choice is the same everywhere.
#include "mechanics_impl.h"

#define MOST_TERMS 40                  // of a polynomial in between
enum { MOST_UNKNOWNS = 8 };            // accelerations and multipliers

typedef struct exact_lists {
  size_t n;
  hml_expr *M, *A, *r, *b;
  hml_triangle t;
} exact_lists;

static bool allocate(exact_lists *e, size_t n, hml_arena *a) {
  e->n = n;
  e->M = hml_arena_alloc(a, (n * n + 1) * sizeof *e->M);
  e->t.order = hml_arena_alloc(a, (n + 1) * sizeof *e->t.order);
  e->t.side = hml_arena_alloc(a, (n + 1) * sizeof *e->t.side);
  e->t.part = hml_arena_alloc(a, (n * n + 1) * sizeof *e->t.part);
  e->t.pivot = hml_arena_alloc(a, (n + 1) * sizeof *e->t.pivot);
  e->t.diagonal = hml_arena_alloc(a, (n + 1) * sizeof *e->t.diagonal);
  return e->M && e->t.order && e->t.side && e->t.part && e->t.pivot && e->t.diagonal;
}

// The program of all parts, then x' of it
static hml_status assemble(const hml_model *m, const hml_list *inputs, const hml_list *equations, const exact_lists *e, hml_arena *a, hml_program **rate, size_t *margins) {
  const size_t n = m->n_dyn;
  hml_triangle_layout l = {.kin = m->n_kin, .n = n, .order = e->t.order, .has_power = m->has_power, .has_work = m->has_work, .floor = HML_CONSTRAINED_FLOOR};
  hml_list all = {.data = hml_arena_alloc(a, (m->n_kin + n * (n + 3) + 1) * sizeof *all.data)};
  const hml_expr one = hml_integer(m->context, 1);
  hml_program *parts;
  if (!all.data || !one) return HML_MEMORY;
  if (!m->n_multipliers) l.floor = HML_PIVOT_FLOOR;
  for (size_t i = 0; i < m->n_kin; i++) all.data[all.count++] = equations->data[i];
  l.side = all.count;
  for (size_t i = 0; i < n; i++) all.data[all.count++] = e->t.side[i];
  l.part = all.count;
  for (size_t i = 0; i < n * n; i++) all.data[all.count++] = e->t.part[i];
  l.pivots = all.count;
  for (size_t i = 0; i < n; i++) all.data[all.count++] = e->t.pivot[i] ? e->t.pivot[i] : one;
  l.diagonals = all.count;
  for (size_t i = 0; i < n; i++) all.data[all.count++] = e->t.diagonal[i] ? e->t.diagonal[i] : one;
  l.power = all.count;
  if (m->has_power) all.data[all.count++] = equations->data[m->at_power];
  HML_TRY(hml_program_new(m->context, inputs->count, inputs->data, all.count, all.data, &parts));
  hml_status status = hml_program__triangular(m->context, parts, &l, rate, margins);
  hml_program_free(parts);
  return status;
}

hml_status hml_exact__rate(const hml_model *m, hml_arena *a, const hml_list *inputs, const hml_list *equations, hml_program **rate, size_t *margins) {
  const size_t n = m->n_dyn;
  const hml_limits limits = {.max_terms = MOST_TERMS, .max_seconds = 60};  // the terms decide, the same everywhere
  exact_lists e;
  bool found;
  *rate = NULL;
  if (!n || n + m->n_multipliers > MOST_UNKNOWNS || m->has_multiplier_power) return HML_OK;
  if (!allocate(&e, n, a)) return HML_MEMORY;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j <= i; j++) e.M[i * n + j] = e.M[j * n + i] = equations->data[m->at_mass + hml_dense__packed(i, j)];
  const hml_exact_system s = {.n = n, .m = m->n_multipliers, .M = e.M, .A = equations->data + m->at_rows, .r = equations->data + m->at_r,
                        .b = equations->data + m->at_b, .implied = m->implied};
  HML_TRY(hml_expr__triangle(m->context, &s, &limits, &e.t, &found));
  return found ? assemble(m, inputs, equations, &e, a, rate, margins) : HML_OK;
}
