// reference.c: reference solutions in quadruple precision by Taylor series: the yardstick for everything computed in doubles.
//
// Order and step follow Jorba and Zou (Experimental Mathematics 14 (2005)): with order 1 - log(tol)/2 a step of 1/e^2 of the radius of
// convergence, as the last two coefficients show it, leaves an error of tol. The start and the parameters are the doubles given.
#include "integrate/integrate.h"

#include <math.h>
#include <string.h>

typedef struct reference {
  hml_context *context;
  const hml_program *series;
  unsigned order;
  size_t n, inputs;
  double tolerance;
  hml_quad *in, *coefficients, *values, *x;
} reference;

static double size_of(const reference *r, unsigned k) {
  double most = 0;
  for (size_t i = 0; i < r->n; i++) {
    double ratio = fabs((double)r->coefficients[(k - 1) * r->n + i]) / (r->tolerance * (1 + fabs((double)r->x[i])));
    if (!(ratio <= most)) most = ratio;
  }
  return most;
}

// One step towards t_end
static hml_status advance(reference *r, size_t states, hml_quad *t, hml_quad t_end) {
  r->in[0] = *t;
  for (size_t i = 0; i < states; i++) r->in[1 + i] = r->x[i];
  hml_program__eval_quad(r->series, r->in, r->coefficients, r->values);
  double h = fmin(pow(size_of(r, r->order), -1.0 / r->order), pow(size_of(r, r->order - 1), -1.0 / (r->order - 1)));
  if (isnan(h)) return hml_fail(r->context, HML_NOT_FINITE, "reference: the series is not finite at t = %.15g", (double)*t);
  hml_quad left = t_end - *t, step = left < 0 ? -(hml_quad)h : (hml_quad)h;
  bool last = h >= fabs((double)left);
  if (last) step = left;
  if (!last && h < 1e-13 * (1 + fabs((double)*t)))
    return hml_fail(r->context, HML_STEP_COLLAPSED, "reference: the step fell to %.3g at t = %.15g", h, (double)*t);
  for (size_t i = 0; i < r->n; i++) {
    hml_quad sum = 0;
    for (unsigned k = r->order; k > 0; k--) sum = step * (sum + r->coefficients[(k - 1) * r->n + i]);
    r->x[i] += sum;
  }
  *t = last ? t_end : *t + step;
  return HML_OK;
}

static hml_status run(reference *r, size_t states, double t0, size_t n_times, const double *times, int digits, char *texts, size_t capacity) {
  hml_quad t = t0;
  for (size_t k = 0; k < n_times; k++) {
    while (t != (hml_quad)times[k]) {
      HML_TRY(hml_check_interrupt(r->context));
      HML_TRY(advance(r, states, &t, times[k]));
    }
    for (size_t i = 0; i < r->n; i++) hml_quad__text(r->x[i], digits, capacity, texts + (k * r->n + i) * capacity);
  }
  return HML_OK;
}

// texts: n_times x state size numbers of `digits` digits, `capacity` characters each            fails: HML_UNSUPPORTED, HML_LIMIT, HML_NOT_FINITE
hml_status hml_reference_run(hml_workspace *w, double t0, size_t n_times, const double *times, const double *x, int digits, char *texts,
                             size_t capacity) {
  hml_context *c = hml_workspace__context(w);
  const hml_model *m = hml_workspace__model(w);
  hml_formula f = hml_model_run__formula(w);
  if (!hml_program__has_quad()) return hml_fail(c, HML_UNSUPPORTED, "reference: this build has no quadruple precision (libquadmath)");
  if (!f.program) return hml_fail(c, HML_UNSUPPORTED, "reference: the accelerations are no formula");
  if (digits < 1 || digits > 32 || capacity < 48) return hml_fail(c, HML_ARGUMENT, "reference: %d digits; 1 to 32 are kept", digits);
  reference r = {.context = c, .n = hml_model_state_size(m), .tolerance = pow(10, -(digits > 30 ? 32 : digits + 2))};
  r.order = (unsigned)fmax(ceil(1 - 0.5 * log(r.tolerance)), HML_EXACT_ORDER);
  HML_TRY(hml_workspace__series(w, r.order, &r.series));
  r.inputs = hml_program_inputs(r.series);
  size_t values = hml_program__values(r.series), count = r.inputs + r.n * r.order + values + r.n;
  // quadruple numbers are aligned to 16 bytes, as the allocator's blocks are
  hml_quad *block = hml_alloc(c, count * sizeof *block);
  if (!block) return HML_MEMORY;
  r.in = block;
  r.coefficients = r.in + r.inputs;
  r.values = r.coefficients + r.n * r.order;
  r.x = r.values + values;
  for (size_t i = 0; i + 1 + f.states < r.inputs; i++) r.in[1 + f.states + i] = f.constants[i];
  for (size_t i = 0; i < r.n; i++) r.x[i] = x[i];
  hml_status status = run(&r, f.states, t0, n_times, times, digits, texts, capacity);
  hml_dealloc(c, block, count * sizeof *block);
  return status;
}
