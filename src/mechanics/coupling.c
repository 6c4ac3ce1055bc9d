// coupling.c: forces that depend on the multipliers: M a = r(lambda) + A^T lambda, A a + b = 0.
//
// For a given r the factors of multiplier.c give the multipliers, an affine function Lambda(r) of r. What is left are the m equations
//     phi(lambda) = lambda - Lambda(r(lambda)) = 0,     dphi/dlambda = 1 - G R,     G = dLambda/dr,  R = dr/dlambda,
// solved by Newton's method with the exact R from the multipliers of r(0), steps halved where they do not reduce phi. Where r is linear
// the first step is the solution, and one more takes its rounding away.
// The determinant of 1 - G R is 1 without coupling. Where it is not positive several solutions are possible, as in Painleve's paradox of
// friction. Other solutions are looked for there, at the start, where the multipliers jump, and once in a number of solutions: from several
// starts, and for a single multiplier on a grid; those closer together than the grid can be missed.
#include "mechanics_impl.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_STEPS = 60, OFTEN = 32, DECADES = 6, PER_DECADE = 8 };
#define JUMP 0.25                      // relative change of the multipliers between two solutions from which on other solutions are looked for
#define CONVERGED 1e-12                // |phi| over the size of the multipliers
#define DISTINCT 1e-6                  // solutions further apart than this, over their size, are two

// ---- the pieces
static const double *force(const hml_workspace *w) {
  return w->coupling;
}

static double slope(const hml_workspace *w, size_t i, size_t j) {
  return w->coupling[w->model->n_dyn + i * w->model->n_multipliers + j];
}

static double size_of(size_t m, const double *lambda) {
  double size = 0;
  for (size_t k = 0; k < m; k++) size = fmax(size, fabs(lambda[k]));
  return size;
}

// r and R at these multipliers
static hml_status evaluate(hml_workspace *w, const double *lambda) {
  const hml_model *m = w->model;
  memcpy(w->in + m->at_lambda, lambda, m->n_multipliers * sizeof *lambda);
  hml_program_eval(m->coupling, w->in, w->coupling, w->work);
  if (hml_dense__finite(m->n_dyn * (1 + m->n_multipliers), w->coupling)) return HML_OK;
  char what[600] = "a force that depends on a multiplier";
  hml_program_trace(m->coupling, w->in, w->work, what, sizeof what);
  hml_branch__put_names(m, sizeof what, what);
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: not finite: %s", m->name, w->in[0], what);
}

// phi at these multipliers, r and R there, |phi|
static hml_status residual(hml_workspace *w, const double *lambda, double *phi, double *size) {
  const size_t m = w->model->n_multipliers;
  HML_TRY(evaluate(w, lambda));
  hml_multiplier__resolve(w, force(w), w->dynamics + w->model->at_b, w->coupling_a, phi);
  for (size_t k = 0; k < m; k++) phi[k] = lambda[k] - phi[k];
  *size = size_of(m, phi);
  return isfinite(*size) ? HML_OK : hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the reactions overflow", w->model->name, w->in[0]);
}

// The same, infinite where the force has no value
static hml_status try_residual(hml_workspace *w, const double *lambda, double *phi, double *size) {
  hml_status status = residual(w, lambda, phi, size);
  if (status != HML_NOT_FINITE) return status;
  *size = INFINITY;
  return hml_forgiven(w->context);
}

static bool odd(size_t n, const size_t *permutation) {
  bool result = false;
  for (size_t i = 0; i < n; i++)
    for (size_t j = 0; j < i; j++) result ^= permutation[j] > permutation[i];
  return result;
}

// 1 - G R, factored; the sign of its determinant, 0 where it is singular
static int factor(hml_workspace *w) {
  const hml_model *model = w->model;
  const size_t n = model->n_dyn, m = model->n_multipliers;
  double *lu = w->coupling_lu, *column = w->coupling_r, *g = w->coupling_x;
  memset(w->coupling_b, 0, m * sizeof *w->coupling_b);
  for (size_t j = 0; j < m; j++) {
    for (size_t i = 0; i < n; i++) column[i] = slope(w, i, j);
    hml_multiplier__resolve(w, column, w->coupling_b, w->coupling_a, g);
    for (size_t k = 0; k < m; k++) lu[k * m + j] = (k == j) - g[k];
  }
  if (!hml_dense__finite(m * m, lu) || hml_dense__lu(m, lu, w->coupling_pivots) < m) return 0;
  bool negative = odd(m, w->coupling_pivots) ^ odd(m, w->coupling_pivots + m);
  for (size_t k = 0; k < m; k++) negative ^= lu[k * m + k] < 0;
  return negative ? -1 : 1;
}

// ---- Newton's method
// From w->lambda to a solution there, whose factors are left behind; *sign: of the determinant at the solution, 0 where none was found
static hml_status iterate(hml_workspace *w, int *sign) {
  const hml_model *model = w->model;
  const size_t m = model->n_multipliers, bytes = m * sizeof(double);
  double *lambda = w->lambda, *phi = w->coupling_phi, *step = w->coupling_step, *next = w->coupling_next, size, next_size;
  *sign = 0;
  HML_TRY(residual(w, lambda, phi, &size));
  for (int k = 0; k < MOST_STEPS; k++) {
    int determinant = factor(w);
    if (!determinant) return HML_OK;
    if (size == 0) return *sign = determinant, HML_OK;
    hml_dense__lu_solve(m, w->coupling_lu, w->coupling_pivots, phi, step);
    double length = 1;
    for (;; length /= 2) {
      for (size_t i = 0; i < m; i++) next[i] = lambda[i] - length * step[i];
      HML_TRY(try_residual(w, next, phi, &next_size));
      if (next_size < size || length < 1e-4 || model->coupling_linear) break;
    }
    if (next_size == INFINITY) return HML_OK;
    bool better = next_size < size || model->coupling_linear, fine = size <= CONVERGED * size_of(m, lambda);
    if (!better && fine) {                                             // rounding is reached: the point before was the solution
      HML_TRY(residual(w, lambda, phi, &size));
      return *sign = factor(w), HML_OK;
    }
    memcpy(lambda, next, bytes);
    size = next_size;
    if (model->coupling_linear && k == 1) return *sign = determinant, HML_OK;   // the second step refines the first
  }
  if (size <= CONVERGED * size_of(m, lambda)) *sign = factor(w);
  return HML_OK;
}

// ---- several solutions
static const double factors[] = {0, -1, 0.1, -0.1, 10, -10, 100, -100};
enum { PLAIN = sizeof factors / sizeof *factors };

// Number `which` of the starts: multiples of the multipliers of the first forces, signs of single ones turned
static void start_at(const hml_workspace *w, size_t which, double *lambda) {
  const size_t m = w->model->n_multipliers, plain = PLAIN;
  const double size = size_of(m, w->coupling_free);
  for (size_t k = 0; k < m; k++) lambda[k] = w->coupling_free[k] * (which < plain ? factors[which] : 1);
  if (which >= plain) lambda[(which - plain) % m] = lambda[(which - plain) % m] > 0 ? -size : size;
}

// Largest difference over the size of the multipliers
static double gap(size_t m, const double *a, const double *b) {
  double off = 0, size = fmax(size_of(m, a), size_of(m, b));
  for (size_t k = 0; k < m; k++) off = fmax(off, fabs(a[k] - b[k]));
  return off > 0 ? off / size : 0;
}

static hml_status tell_several(hml_workspace *w, const double *a, const double *b) {
  const hml_model *m = w->model;
  size_t k = 0;
  while (k + 1 < m->n_multipliers && fabs(a[k] - b[k]) < fabs(a[k + 1] - b[k + 1])) k++;
  return hml_fail(w->context, HML_NO_UNIQUE_REACTION, "model '%s' at t = %.10g: the forces that depend on multipliers allow several motions: the multiplier of '%s' may be %.9g or %.9g",
                  m->name, w->in[0], m->multiplier_names[k], a[k], b[k]);
}

static hml_status tell_none(hml_workspace *w) {
  const hml_model *m = w->model;
  return hml_fail(w->context, HML_NO_UNIQUE_REACTION, "model '%s' at t = %.10g: no values of the multipliers were found that agree with the forces that depend on them ('%s'%s)",
                  m->name, w->in[0], m->multiplier_names[0], m->n_multipliers > 1 ? ", ..." : "");
}

// A single multiplier: the places where phi changes its sign, on a grid of both signs over twelve decades about `found`, are where
// Newton's method starts next. False: there is none beside it
static bool next_change(hml_workspace *w, const double *found, bool any, int *at, double *start) {
  const int last = 2 * DECADES * PER_DECADE;
  double scale = fmax(fabs(w->coupling_free[0]), any ? fabs(*found) : 0), phi, size;
  if (scale == 0) scale = 1;
  for (int k = *at; k < 2 * last; k++) {
    double ends[2], values[2];
    for (int side = 0; side < 2; side++) {
      int i = k + side - last;         // grid from -10^6 to 10^6 times the scale, zero in the middle
      ends[side] = i == 0 ? 0 : copysign(scale * pow(10, (abs(i) - (double)last / 2) / PER_DECADE), i);
      hml_status status = residual(w, &ends[side], &phi, &size);
      if (status != HML_OK && !hml_forgive(w->context)) return false;
      values[side] = status == HML_OK ? phi : NAN;
    }
    bool changes = (values[0] < 0) != (values[1] < 0) && isfinite(values[0]) && isfinite(values[1]);
    if (!changes || (any && ends[0] <= *found && *found <= ends[1])) continue;
    *at = k + 1;
    *start = fabs(values[0]) < fabs(values[1]) ? ends[0] : ends[1];
    return true;
  }
  return false;
}

// Looks for solutions from other starts; w->lambda ends as the only one                fails: HML_NO_UNIQUE_REACTION
static hml_status demand_one(hml_workspace *w, int sign) {
  const size_t m = w->model->n_multipliers;
  double *found = w->coupling_found;
  bool any = sign != 0;
  if (any) memcpy(found, w->lambda, m * sizeof *found);
  int place = 0;
  for (size_t which = 0;; which++) {
    if (which < PLAIN + m) start_at(w, which, w->lambda);
    else if (m > 1 || !next_change(w, found, any, &place, w->lambda)) break;
    int other;
    hml_status status = iterate(w, &other);
    if (status == HML_NOT_FINITE) {                                    // this start lies outside the range of the force
      HML_TRY(hml_forgiven(w->context));
      continue;
    }
    HML_TRY(status);
    if (!other) continue;
    if (any && gap(m, found, w->lambda) > DISTINCT) return tell_several(w, found, w->lambda);
    if (!any) memcpy(found, w->lambda, m * sizeof *found);
    any = true;
  }
  if (hml_must_end(w->context)) return hml_context_error(w->context)->status;
  if (!any) return tell_none(w);
  memcpy(w->lambda, found, m * sizeof *found);
  double size;
  HML_TRY(residual(w, w->lambda, w->coupling_phi, &size));
  factor(w);
  return HML_OK;
}

// ---- the solution
// Forces need not have a value without reactions: tanh(v/N) N is none at N = 0
bool hml_coupling__begin(hml_workspace *w) {
  static const double guesses[] = {0, 1, -1, 1e-2, -1e-2, 1e2, -1e2, 1e4, -1e4};
  const hml_model *model = w->model;
  if (!model->coupling) return false;
  for (size_t i = 0; i < sizeof guesses / sizeof *guesses; i++) {
    for (size_t k = 0; k < model->n_multipliers; k++) w->in[model->at_lambda + k] = guesses[i];
    hml_program_eval(model->dynamics, w->in, w->dynamics, w->work);
    if (hml_dense__finite(hml_program_outputs(model->dynamics), w->dynamics)) return true;
  }
  memset(w->in + model->at_lambda, 0, model->n_multipliers * sizeof *w->in);
  return false;
}

// After hml_multiplier__solve with the first forces: accelerations and multipliers of the coupled equations           fails: HML_NO_UNIQUE_REACTION
hml_status hml_coupling__solve(hml_workspace *w) {
  const hml_model *model = w->model;
  const size_t m = model->n_multipliers;
  int sign;
  memcpy(w->coupling_free, w->lambda, m * sizeof *w->lambda);
  HML_TRY(iterate(w, &sign));
  if (model->coupling_linear) {
    if (sign == 0) return tell_none(w);
  } else {
    bool jumped = w->coupling_unchecked && gap(m, w->lambda, w->coupling_last) > JUMP;
    if (sign <= 0 || jumped || w->coupling_unchecked % OFTEN == 0) {
      HML_TRY(demand_one(w, sign));
      w->coupling_unchecked = 0;
    }
    w->coupling_unchecked++;
    memcpy(w->coupling_last, w->lambda, m * sizeof *w->lambda);
  }
  // everything at these multipliers
  HML_TRY(evaluate(w, w->lambda));
  memcpy(w->coupling_r, force(w), model->n_dyn * sizeof(double));
  hml_multiplier__resolve(w, w->coupling_r, w->dynamics + model->at_b, w->a, w->coupling_phi);
  hml_program_eval(model->dynamics, w->in, w->dynamics, w->work);
  if (hml_dense__finite(hml_program_outputs(model->dynamics), w->dynamics) && hml_dense__finite(model->n_dyn, w->a)) return HML_OK;
  return hml_fail(w->context, HML_NOT_FINITE, "model '%s' at t = %.10g: the accelerations overflow", model->name, w->in[0]);
}

// The linearised equations with another right-hand side, M da = r + R dlambda + A^T dlambda, A da + b = 0; only after a solution
void hml_coupling__resolve(hml_workspace *w, const double *r, const double *b, double *a, double *lambda) {
  const hml_model *model = w->model;
  const size_t n = model->n_dyn, m = model->n_multipliers;
  hml_multiplier__resolve(w, r, b, a, w->coupling_phi);
  if (!model->coupling) {
    memcpy(lambda, w->coupling_phi, m * sizeof *lambda);
    return;
  }
  hml_dense__lu_solve(m, w->coupling_lu, w->coupling_pivots, w->coupling_phi, w->coupling_step);
  for (size_t i = 0; i < n; i++) {
    w->coupling_r[i] = r[i];
    for (size_t j = 0; j < m; j++) w->coupling_r[i] += slope(w, i, j) * w->coupling_step[j];
  }
  hml_multiplier__resolve(w, w->coupling_r, b, a, lambda);
}
