// saddle.c: the equations of motion solved inside a program: from k, M, A, r, b to x' as straight-line arithmetic of
//   x_kin' = k,   M a = r + A^T lambda,   A a + b = 0.
// Where a row of A has a number for a pivot, that acceleration is eliminated first (congruence of M with the null space of the row);
// what is left is factored as L D L^T, the pivot with the fewest entries beside it first, then the Schur complement of the rows.
// Structural zeros never become instructions. The order is fixed, so each pivot that could vanish leaves a margin among the outputs,
// its distance from a floor times its diagonal entry; where a margin is not positive the results are not to be used. A positive M alone
// is solved stably whatever its pivots are; under constraints a pivot d of M, relative to its diagonal, costs eps/d, so that its floor is
// high there. Nor must it be small against what the entry usually is: a row that couples x_dyn'_i to others separates it from them only as
// long as r_i / M_ii is of their size. Where M has no inverse the rows come to its help:
//   (M + sum_k rho_k A_k^T A_k) a = r - sum_k rho_k A_k^T b_k + A^T lambda
// has the same a and lambda, since A a + b = 0, and a positive matrix on the left wherever M is positive on the null space of A. rho_k
// makes both parts of one size in the units given.
#include "program_impl.h"

#include <string.h>

typedef struct system_ {
  assembly *s;
  uint32_t n, m;
  value *M, *A, *r, *b;                // (n x n), (m x n), (n), (m); during the elimination the remainder of them
  value *a, *lambda, *multiplier_power;
  value *diagonal, *inverse;           // of M as it was; 1 / pivot
  value *gone;                         // contribution to A M^-1 A^T of the accelerations eliminated from a row   (m)
  value *L;                            // (n x n)
  uint32_t *order, n_order;            // of the pivots
  uint32_t *eliminated;                // row behind an acceleration eliminated by a number, + 1   (n)
  uint32_t *sequence, n_sequence;      // accelerations in the order of their elimination
  bool *used;                          // rows gone                                                (m)
  value *margins;
  uint32_t n_margins;
  hml_pivot_floors floors;
  bool constrained;                    // some row is solved with M
  const hml_equation_layout *layout;   // NULL: no usual sizes
  value usual;                         // overall size of M relative to its usual size
  bool *still;                         // depends on parameters alone, as far as `n_still` items      (capacity)
  uint32_t n_still, still_capacity;
  bool whole;                          // M itself must be positive: no acceleration is eliminated by a row
} system_;

static const value none = {NO_VALUE, false};

static bool present(value x) {
  return x.id != NO_VALUE;
}

static bool is_number(const assembly *s, value x) {
  return present(x) && s->items[x.id].op == OP_CONSTANT;
}

static value times(system_ *y, value a, value b) {
  return value_mul(y->s, a, b);
}

// A sum that is the number zero becomes structural again
static void add_to(system_ *y, value *to, value a, value b) {
  value sum = value_add(y->s, *to, times(y, a, b));
  *to = is_number(y->s, sum) && item_constant(&y->s->items[sum.id]) == 0 ? none : sum;
}

static void take_away(system_ *y, value *from, value a, value b) {
  add_to(y, from, value_negated(a), b);
}

static value reciprocal(system_ *y, value x) {
  return value_div(y->s, value_constant(y->s, 1), x);
}

static void demand_positive(system_ *y, value pivot, value diagonal, double floor) {
  assembly *s = y->s;
  bool same = pivot.id == diagonal.id && pivot.negative == diagonal.negative;
  value margin = same ? pivot : value_add(s, pivot, value_negated(times(y, value_constant(s, floor), diagonal)));
  y->margins[y->n_margins++] = margin;
}

// pivots relative to their usual sizes

static bool is_still(system_ *y, uint32_t id) {
  assembly *s = y->s;
  const hml_equation_layout *l = y->layout;
  if (id >= y->still_capacity) {
    uint32_t capacity = 2 * s->n + 64;
    bool *longer = hml_arena_alloc(&s->arena, capacity);
    if (!longer) return s->status = HML_MEMORY, false;
    if (y->n_still) memcpy(longer, y->still, y->n_still);
    y->still = longer;
    y->still_capacity = capacity;
  }
  for (; y->n_still <= id; y->n_still++) {
    const item *e = &s->items[y->n_still];
    unsigned n = item_operands(e);
    if (e->op == OP_INPUT) y->still[y->n_still] = e->a >= l->first_parameter && e->a < l->first_parameter + l->n_parameters;
    else y->still[y->n_still] = (n < 1 || y->still[e->a]) && (n < 2 || y->still[e->b]) && (n < 3 || y->still[e->c]);
  }
  return y->still[id];
}

// Mean of M_ii over its usual size, of those that do not move where there are some
static void find_usual(system_ *y) {
  const double *usual = y->layout->usual;
  uint32_t n = y->n, count[2] = {0, 0};
  value sum[2] = {none, none};
  for (uint32_t i = 0; i < n; i++) {
    value entry = y->M[i * n + i];
    if (!present(entry) || !(usual[i] > 0)) continue;
    unsigned moves = !is_still(y, entry.id);
    add_to(y, &sum[moves], entry, value_constant(y->s, 1 / usual[i]));
    count[moves]++;
  }
  unsigned taken = count[0] == 0;
  y->usual = times(y, sum[taken], value_constant(y->s, 1.0 / (count[taken] ? count[taken] : 1)));
}

// An entry that moves with the state and may vanish
static void demand_usual(system_ *y, uint32_t p) {
  value entry = y->diagonal[p], pivot = y->M[p * y->n + p];
  if (!present(y->usual) || !(y->layout->usual[p] > 0) || (is_still(y, entry.id) && is_still(y, pivot.id))) return;
  value least = times(y, y->usual, value_constant(y->s, y->floors.constrained * y->layout->usual[p]));
  y->margins[y->n_margins++] = value_add(y->s, pivot, value_negated(least));
}

// ---- accelerations that a row gives by a number

static uint32_t entries_of_column(const system_ *y, uint32_t j) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < y->m; k++) count += !y->used[k] && present(y->A[k * y->n + j]);
  for (uint32_t i = 0; i < y->n; i++) count += present(y->M[i * y->n + j]);
  return count;
}

static bool stands_elsewhere(const system_ *y, uint32_t k, uint32_t j) {
  for (uint32_t l = 0; l < y->m; l++)
    if (l != k && !y->used[l] && present(y->A[l * y->n + j])) return true;
  return false;
}

// The size of an acceleration without inertia, relative to the others of its row, is not known: it is eliminated by a number if it occurs in
// no other row
static bool find_number(const system_ *y, uint32_t *row, uint32_t *column) {
  uint32_t best = UINT32_MAX;
  for (uint32_t k = 0; k < y->m; k++)
    for (uint32_t j = 0; j < y->n; j++) {
      if (y->used[k] || !is_number(y->s, y->A[k * y->n + j])) continue;
      if (!present(y->M[j * y->n + j]) && stands_elsewhere(y, k, j)) continue;
      uint32_t count = entries_of_column(y, j);
      if (count >= best) continue;
      best = count, *row = k, *column = j;
    }
  return best != UINT32_MAX;
}

// a_j = c + sum_i n_i a_i from row k; the row of A then holds n, b holds c
static void eliminate_by_number(system_ *y, uint32_t k, uint32_t j) {
  uint32_t n = y->n;
  value *row = y->A + k * n, minus = reciprocal(y, value_negated(row[j]));
  row[j] = none;
  for (uint32_t i = 0; i < n; i++) row[i] = times(y, row[i], minus);
  value c = y->b[k] = times(y, y->b[k], minus);
  y->used[k] = true;
  y->eliminated[j] = k + 1;
  y->sequence[y->n_sequence++] = j;
  for (uint32_t l = 0; l < y->m; l++) {
    value coefficient = y->A[l * n + j];
    if (y->used[l] || !present(coefficient)) continue;
    y->A[l * n + j] = none;
    // where this is larger than the pivot of row l, the digits of the row itself are lost
    add_to(y, &y->gone[l], times(y, coefficient, coefficient), reciprocal(y, y->M[j * n + j]));
    for (uint32_t i = 0; i < n; i++) add_to(y, &y->A[l * n + i], coefficient, row[i]);
    add_to(y, &y->b[l], coefficient, c);
  }
  // r - M_j c, then the rows and columns j of M go into the others
  value *M = y->M, *r = y->r, mjj = M[j * n + j];
  for (uint32_t i = 0; i < n; i++)
    if (!y->eliminated[i] || i == j) take_away(y, &r[i], M[i * n + j], c);
  for (uint32_t i = 0; i < n; i++) {
    if (y->eliminated[i]) continue;
    add_to(y, &r[i], row[i], r[j]);
    for (uint32_t l = 0; l <= i; l++) {
      if (y->eliminated[l]) continue;
      value sum = M[i * n + l];
      add_to(y, &sum, row[i], M[j * n + l]);
      add_to(y, &sum, row[l], M[i * n + j]);
      add_to(y, &sum, times(y, row[i], row[l]), mjj);
      M[i * n + l] = M[l * n + i] = sum;
    }
  }
}

// L D L^T of the remainder

static uint32_t sparsest_pivot(const system_ *y, const bool *done) {
  uint32_t best = UINT32_MAX, least = UINT32_MAX;
  for (uint32_t p = 0; p < y->n; p++) {
    if (done[p] || !present(y->M[p * y->n + p])) continue;
    uint32_t count = 0;
    for (uint32_t i = 0; i < y->n; i++) count += !done[i] && present(y->M[i * y->n + p]);
    if (count < least) least = count, best = p;
  }
  return best;
}

static void factor_step(system_ *y, uint32_t p, const bool *done) {
  uint32_t n = y->n;
  demand_positive(y, y->M[p * n + p], y->diagonal[p], y->constrained ? y->floors.constrained : y->floors.free);
  demand_usual(y, p);
  y->inverse[p] = reciprocal(y, y->M[p * n + p]);
  for (uint32_t i = 0; i < n; i++) {
    if (done[i] || i == p || !present(y->M[i * n + p])) continue;
    value l = y->L[i * n + p] = times(y, y->M[i * n + p], y->inverse[p]);
    for (uint32_t k = 0; k <= i; k++) {
      if (done[k] || k == p || !present(y->M[k * n + p])) continue;
      take_away(y, &y->M[i * n + k], l, y->M[k * n + p]);
      y->M[k * n + i] = y->M[i * n + k];
    }
    take_away(y, &y->r[i], l, y->r[p]);
    for (uint32_t k = 0; k < y->m; k++)
      if (!y->used[k]) take_away(y, &y->A[k * n + i], l, y->A[k * n + p]);
  }
}

// ---- multipliers: S lambda = -b - A D^-1 r, S = A D^-1 A^T, A and r as the factorisation left them

static bool solve_rows(system_ *y, hml_arena *arena) {
  uint32_t n = y->n, m = y->m;
  value *S = hml_arena_alloc(arena, ((size_t)m * m + 1) * sizeof *S), *side = hml_arena_alloc(arena, (m + 1) * sizeof *side);
  value *inverse = hml_arena_alloc(arena, (m + 1) * sizeof *inverse);
  if (!S || !side || !inverse) return y->s->status = HML_MEMORY, false;
  for (uint32_t k = 0; k < m; k++) {
    if (y->used[k]) continue;
    side[k] = value_negated(y->b[k]);
    for (uint32_t l = 0; l < m; l++) S[k * m + l] = none;
    for (uint32_t at = 0; at < y->n_order; at++) {
      uint32_t p = y->order[at];
      value weighted = times(y, y->A[k * n + p], y->inverse[p]);
      take_away(y, &side[k], weighted, y->r[p]);
      for (uint32_t l = 0; l <= k; l++)
        if (!y->used[l]) add_to(y, &S[k * m + l], weighted, y->A[l * n + p]);
    }
  }
  value *diagonal = hml_arena_alloc(arena, (m + 1) * sizeof *diagonal);
  if (!diagonal) return y->s->status = HML_MEMORY, false;
  for (uint32_t k = 0; k < m; k++) diagonal[k] = y->used[k] ? none : value_add(y->s, S[k * m + k], y->gone[k]);
  for (uint32_t j = 0; j < m; j++) {
    if (y->used[j]) continue;
    if (!present(S[j * m + j])) return false;
    demand_positive(y, S[j * m + j], diagonal[j], y->floors.rows);
    inverse[j] = reciprocal(y, S[j * m + j]);
    for (uint32_t i = j + 1; i < m; i++) {
      if (y->used[i] || !present(S[i * m + j])) continue;
      value l = times(y, S[i * m + j], inverse[j]);
      for (uint32_t k = j + 1; k <= i; k++)
        if (!y->used[k]) take_away(y, &S[i * m + k], l, S[k * m + j]);
      take_away(y, &side[i], l, side[j]);
      S[j * m + i] = l;                // above the diagonal: L
    }
  }
  for (uint32_t j = m; j-- > 0;) {
    if (y->used[j]) continue;
    y->lambda[j] = times(y, side[j], inverse[j]);
    for (uint32_t i = j + 1; i < m; i++)
      if (!y->used[i] && present(S[i * m + j])) take_away(y, &y->lambda[j], S[j * m + i], y->lambda[i]);
  }
  return true;
}

static void substitute_back(system_ *y) {
  uint32_t n = y->n;
  for (uint32_t at = y->n_order; at-- > 0;) {
    uint32_t p = y->order[at];
    value sum = y->r[p];
    for (uint32_t k = 0; k < y->m; k++)
      if (!y->used[k]) add_to(y, &sum, y->A[k * n + p], y->lambda[k]);
    y->a[p] = times(y, sum, y->inverse[p]);
    for (uint32_t later = at + 1; later < y->n_order; later++) {
      uint32_t i = y->order[later];
      take_away(y, &y->a[p], y->L[i * n + p], y->a[i]);
    }
  }
  for (uint32_t at = y->n_sequence; at-- > 0;) {
    uint32_t j = y->sequence[at], k = y->eliminated[j] - 1;
    y->a[j] = y->b[k];
    for (uint32_t i = 0; i < n; i++) add_to(y, &y->a[j], y->A[k * n + i], y->a[i]);
  }
}

// ---- weights on rows

// M + sum_k rho_k A_k^T A_k and r - sum_k rho_k A_k^T b_k, rho_k = sum_i w_i M_ii / sum_i w_i A_ki^2, w_i = 1 / usual M_ii
static bool add_weights(system_ *y, const double *usual, hml_arena *arena) {
  uint32_t n = y->n;
  value size = none;
  double *units = hml_arena_alloc(arena, (n + 1) * sizeof *units);
  if (!units) return y->s->status = HML_MEMORY, false;
  for (uint32_t i = 0; i < n; i++) units[i] = usual[i] > 0 ? 1 / usual[i] : 1;
  for (uint32_t i = 0; i < n; i++) add_to(y, &size, y->M[i * n + i], value_constant(y->s, units[i]));
  if (!present(size)) size = value_constant(y->s, 1);
  for (uint32_t k = 0; k < y->m; k++) {
    if (y->used[k]) continue;
    const value *row = y->A + k * n;
    value length = none;
    for (uint32_t i = 0; i < n; i++) add_to(y, &length, times(y, row[i], row[i]), value_constant(y->s, units[i]));
    if (!present(length)) continue;
    value rho = times(y, size, reciprocal(y, length));
    for (uint32_t i = 0; i < n; i++) {
      value weighted = times(y, rho, row[i]);
      take_away(y, &y->r[i], weighted, y->b[k]);
      for (uint32_t j = 0; j <= i; j++) {
        add_to(y, &y->M[i * n + j], weighted, row[j]);
        y->M[j * n + i] = y->M[i * n + j];
      }
    }
  }
  return true;
}

// False: a pivot is zero by structure, or the program grows too long
static bool solve(system_ *y, hml_arena *arena, uint32_t most) {
  const hml_equation_layout *l = y->layout;
  bool weighted = l && l->weighted;
  uint32_t row = 0, column = 0;
  bool *done = hml_arena_alloc(arena, y->n + 1);
  if (!done) return y->s->status = HML_MEMORY, false;
  for (uint32_t k = 0; k < y->m; k++) y->constrained |= !y->used[k];
  if (weighted && !add_weights(y, l->usual, arena)) return false;
  if (l && l->usual && y->constrained && !weighted) find_usual(y);
  // the multipliers of rows eliminated by a number would have to be found again for their power
  while (!y->multiplier_power && !y->whole && !weighted && find_number(y, &row, &column)) eliminate_by_number(y, row, column);
  for (uint32_t i = 0; i < y->n; i++) {
    done[i] = y->eliminated[i] != 0;
    y->diagonal[i] = y->M[i * y->n + i];
  }
  uint32_t left = y->n - y->n_sequence;
  while (y->n_order < left) {
    uint32_t p = sparsest_pivot(y, done);
    if (p == UINT32_MAX || y->s->n > most || y->s->status != HML_OK) return false;
    factor_step(y, p, done);
    done[p] = true;
    y->order[y->n_order++] = p;
  }
  if (!solve_rows(y, arena)) return false;
  substitute_back(y);
  return y->s->n <= most;
}

// ---- in and out

static bool allocate(system_ *y, hml_arena *a) {
  size_t n = y->n, m = y->m;
  struct { value **list; size_t count; } lists[] = {{&y->M, n * n}, {&y->A, m * n}, {&y->r, n}, {&y->b, m}, {&y->a, n}, {&y->lambda, m},
                                                    {&y->diagonal, n}, {&y->inverse, n}, {&y->L, n * n}, {&y->margins, 2 * n + m}, {&y->gone, m}};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    if (!(*lists[i].list = hml_arena_alloc(a, (lists[i].count + 1) * sizeof(value)))) return false;
    for (size_t k = 0; k < lists[i].count; k++) (*lists[i].list)[k] = none;
  }
  y->order = hml_arena_alloc(a, (n + 1) * sizeof *y->order);
  y->eliminated = hml_arena_alloc(a, (n + 1) * sizeof *y->eliminated);
  y->sequence = hml_arena_alloc(a, (n + 1) * sizeof *y->sequence);
  y->used = hml_arena_alloc(a, m + 1);
  return y->order && y->eliminated && y->sequence && y->used;
}

static hml_status load(system_ *y, const hml_equation_layout *l, const uint32_t *out, hml_arena *arena) {
  assembly *s = y->s;
  if (!allocate(y, arena)) return HML_MEMORY;
  for (uint32_t i = 0; i < y->n; i++) {
    for (uint32_t j = 0; j <= i; j++)
      y->M[i * y->n + j] = y->M[j * y->n + i] = value_of_item(s, out[l->mass + i * (i + 1) / 2 + j]);
    y->r[i] = value_of_item(s, out[l->r + i]);
  }
  for (uint32_t k = 0; k < y->m * y->n; k++) y->A[k] = value_of_item(s, out[l->rows + k]);
  for (uint32_t k = 0; k < y->m; k++) {
    y->b[k] = value_of_item(s, out[l->b + k]);
    y->used[k] = l->implied && l->implied[k];
  }
  if (!l->has_multiplier_power) return s->status;
  y->multiplier_power = hml_arena_alloc(arena, (y->m + 1) * sizeof(value));
  if (!y->multiplier_power) return HML_MEMORY;
  for (uint32_t k = 0; k < y->m; k++) y->multiplier_power[k] = value_of_item(s, out[l->multiplier_power + k]);
  return s->status;
}

// x_kin', x_dyn', the power, the margins
static hml_status store(system_ *y, const hml_equation_layout *l, const uint32_t *out) {
  assembly *s = y->s;
  uint32_t *results = hml_arena_alloc(&s->arena, (l->kin + y->n + 1 + y->n_margins) * sizeof *results), at = 0;
  if (!results) return HML_MEMORY;
  for (size_t i = 0; i < l->kin; i++) results[at++] = out[i];
  for (uint32_t i = 0; i < y->n; i++) results[at++] = value_plain(s, y->a[i]);
  if (l->has_work) {
    value power = l->has_power ? value_of_item(s, out[l->power]) : none;
    for (uint32_t k = 0; l->has_multiplier_power && k < y->m; k++) add_to(y, &power, y->lambda[k], y->multiplier_power[k]);
    results[at++] = value_plain(s, power);
  }
  for (uint32_t i = 0; i < y->n_margins; i++) results[at++] = value_plain(s, y->margins[i]);
  s->outputs = results;
  s->n_out = at;
  return s->status;
}

// Margins, the last outputs, that turned out to be positive numbers are gone; how many are left
static uint32_t drop_settled(assembly *s, uint32_t margins) {
  uint32_t first = s->n_out - margins, left = 0;
  for (uint32_t i = first; i < s->n_out; i++) {
    const item *e = &s->items[s->outputs[i]];
    if (e->op != OP_CONSTANT || !(item_constant(e) > 0)) s->outputs[first + left++] = s->outputs[i];
  }
  s->n_out = first + left;
  return left;
}

hml_status hml_program__solved(hml_context *c, const hml_program *p, const hml_equation_layout *l, hml_pivot_floors floors, size_t most, hml_program **out,
                               size_t *margins) {
  *out = NULL;
  *margins = 0;
  assembly s;
  hml_status status = assembly_init(&s, c, p->n_in, p->n_out);
  if (status != HML_OK || p->n_instructions > most || l->n > most) {
    assembly_free(&s);
    return status;
  }
  system_ y = {.s = &s, .n = (uint32_t)l->n, .m = (uint32_t)l->m, .floors = floors, .layout = l, .usual = none};
  status = assembly_of_program(&s, p);
  const uint32_t *results = s.outputs;
  if (status == HML_OK) status = load(&y, l, results, &s.arena);
  bool solved = status == HML_OK && solve(&y, &s.arena, (uint32_t)most);
  if (status == HML_OK) status = s.status;
  if (status == HML_OK && solved) status = store(&y, l, results);
  if (status != HML_OK || !solved) {
    assembly_free(&s);
    return status;
  }
  // equal parts that the solve has separated are merged: the pivot of a rotated mass is the mass
  assembly merged;
  status = assembly_init(&merged, c, s.n_in, s.n_out);
  if (status == HML_OK) status = merge_equal(&s, &merged);
  if (status == HML_OK) *margins = drop_settled(&merged, y.n_margins);
  status = assembly_finish(&merged, status, out);
  assembly_free(&s);
  return status;
}

// ---- corrections onto constraints

// residual, |row|, size of the variables in the row, correction, margins
static hml_status store_correction(system_ *y, const uint32_t *level, const hml_correction_layout *l) {
  assembly *s = y->s;
  uint32_t *results = hml_arena_alloc(&s->arena, (3 * l->rows + l->columns + 1 + y->n_margins) * sizeof *results), at = 0;
  if (!results) return HML_MEMORY;
  for (size_t k = 0; k < l->rows; k++) results[at++] = level[k];
  for (int which = 0; which < 2; which++)
    for (size_t k = 0; k < l->rows; k++) {
      value sum = none;
      for (size_t i = 0; i < l->columns; i++) {
        value entry = value_of_item(s, level[l->rows + k * l->columns + i]), variable = {assembly_input(s, l->first_variable + i), false};
        if (present(entry)) add_to(y, &sum, which ? variable : entry, which ? variable : entry);
      }
      results[at++] = present(sum) ? assembly_emit(s, OP_sqrt, value_plain(s, sum), 0, 0) : assembly_constant(s, 0);
    }
  for (uint32_t i = 0; i < y->n; i++) results[at++] = value_plain(s, y->a[i]);
  for (uint32_t i = 0; i < y->n_margins; i++) results[at++] = value_plain(s, y->margins[i]);
  s->outputs = results;
  s->n_out = at;
  return s->status;
}

static hml_status correct(system_ *y, const hml_program *dynamics, size_t mass, const hml_program *level, const hml_correction_layout *l,
                          size_t most, bool *solved) {
  assembly *s = y->s;
  uint32_t *of_dynamics = hml_arena_alloc(&s->arena, (dynamics->n_out + 1) * sizeof *of_dynamics);
  uint32_t *of_level = hml_arena_alloc(&s->arena, (level->n_out + 1) * sizeof *of_level);
  if (!of_dynamics || !of_level || !allocate(y, &s->arena)) return HML_MEMORY;
  HML_TRY(assembly_add_program(s, dynamics, of_dynamics));
  HML_TRY(assembly_add_program(s, level, of_level));
  for (uint32_t i = 0; i < y->n; i++)
    for (uint32_t j = 0; j <= i; j++) y->M[i * y->n + j] = y->M[j * y->n + i] = value_of_item(s, of_dynamics[mass + i * (i + 1) / 2 + j]);
  for (uint32_t k = 0; k < y->m; k++) {
    y->b[k] = value_of_item(s, of_level[k]);
    y->used[k] = l->implied && l->implied[k];
    for (uint32_t i = 0; i < y->n; i++) y->A[k * y->n + i] = value_of_item(s, of_level[y->m + k * y->n + i]);
  }
  *solved = solve(y, &s->arena, (uint32_t)most);
  HML_TRY(s->status);
  return *solved ? store_correction(y, of_level, l) : HML_OK;
}

hml_status hml_program__correction(hml_context *c, const hml_program *dynamics, size_t mass, const hml_program *level,
                                   const hml_correction_layout *l, hml_pivot_floors floors, size_t most, hml_program **out, size_t *margins) {
  *out = NULL;
  *margins = 0;
  assembly s;
  hml_status status = assembly_init(&s, c, dynamics->n_in, 1);
  system_ y = {.s = &s, .n = (uint32_t)l->columns, .m = (uint32_t)l->rows, .floors = floors, .usual = none, .whole = true};
  bool solved = false;
  if (status == HML_OK && dynamics->n_instructions + level->n_instructions <= most && l->columns <= most)
    status = correct(&y, dynamics, mass, level, l, most, &solved);
  if (status != HML_OK || !solved) {
    assembly_free(&s);
    return status;
  }
  *margins = y.n_margins;
  return assembly_finish(&s, HML_OK, out);
}
