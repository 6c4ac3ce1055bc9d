// reference.c: reference solutions in quadruple precision by Taylor series: the yardstick for everything computed in doubles.
//
// Order and step follow Jorba and Zou (Experimental Mathematics 14 (2005)): with order 1 - log(tol)/2 a step of 1/e^2 of the radius of
// convergence, as the last two coefficients show it, leaves an error of tol. The motion is solved twice, with other orders and steps:
// the common digits of both solutions, down to the rounding in both, are reliable.
#include "integrate/stepper.h"

#include <math.h>
#include <string.h>

typedef struct reference {
  hml_workspace *w;
  hml_context *context;
  const double *constants;             // behind the states among the inputs
  const hml_program *series;
  bool weighted;                       // the series in the other order of pivots
  unsigned order;
  size_t n, states, inputs, margins, count;    // count: of the block
  double tolerance;
  hml_quad *block, *in, *coefficients, *values, *x, *start, *slope;   // start: x where the step begins; slope: of the series where it ends
  bool expanded;                       // the coefficients are those at x
  double size;                         // of the step before
  // singular places: the step as lookout.c sees it, in doubles
  hml_ode ode;
  hml_outcome outcome;
  hml_problem problem;
  hml_lookout *lookout;
  hml_tube *tube;
  hml_step seen;                       // the step looked at last
  bool evaluated;                      // x' is known where it ends
  double *vectors;                     // y, f, y1, f1, three states between them; y and f where nothing singular was near
  double base;                         // time of the last
  double shortest, longest;            // steps since then
} reference;

// Room for a series, x as it was. Quadruple numbers are aligned to 16 bytes, as the allocator's blocks are
static hml_status take_series(reference *r, bool weighted) {
  HML_TRY(hml_workspace__series(r->w, r->order, weighted, &r->series));
  size_t inputs = hml_program_inputs(r->series), outputs = hml_program_outputs(r->series), values = hml_program__values(r->series);
  size_t count = inputs + outputs + values + 3 * r->n;
  hml_quad *block = hml_alloc(r->context, count * sizeof *block), *x = block + inputs + outputs + values;
  if (!block) return HML_MEMORY;
  for (size_t i = 0; i < r->n; i++) x[i] = r->block ? r->x[i] : 0;
  for (size_t i = 1 + r->states; i < inputs; i++) block[i] = i < r->inputs ? r->in[i] : r->constants[i - 1 - r->states];
  hml_dealloc(r->context, r->block, r->count * sizeof *block);
  r->weighted = weighted;
  r->margins = outputs - r->n * r->order;
  r->inputs = inputs, r->count = count;
  r->block = r->in = block;
  r->coefficients = block + inputs;
  r->values = block + inputs + outputs;
  r->x = x;
  r->start = x + r->n;
  r->slope = r->start + r->n;
  r->expanded = false;
  return HML_OK;
}

static bool holds(const reference *r) {
  bool positive = true;
  for (size_t i = 0; i < r->margins; i++) positive &= r->coefficients[r->n * r->order + i] > 0;
  return positive;
}

static void expand(reference *r, hml_quad t) {
  if (r->expanded) return;
  r->expanded = true;
  r->in[0] = t;
  for (size_t i = 0; i < r->states; i++) r->in[1 + i] = r->x[i];
  hml_program__eval_quad(r->series, r->in, r->coefficients, r->values);
}

enum { BASE = 7, VECTORS = 9 };
#define LEAST_STEP 1e-13
#define QUAD_PHASES 90.0               // exp(-90) = 8e-40: terms that are less beside the others have no digits in quadruple precision
#define CREPT 1e-3                     // of the longest step of a way: a shorter one shows that a place was near
#define MOST_DEFECT 1e3                // units of the tolerance: the step times the error of the slope of the series at its end,
#define ROUGH 1e-15                    // besides the effect of initial conditions that satisfy their constraints as doubles do, relative

static double *vector(const reference *r, size_t k) {
  return r->vectors + k * r->problem.stride;
}

static double size_of(const reference *r, unsigned k) {
  double most = 0;
  for (size_t i = 0; i < r->n; i++) {
    double ratio = fabs((double)r->coefficients[(k - 1) * r->n + i]) / (r->tolerance * (1 + fabs((double)r->x[i])));
    if (!(ratio <= most)) most = ratio;
  }
  return most;
}

// The state at t + step from the coefficients there
static void sum_series(const reference *r, hml_quad step, double *y) {
  for (size_t i = 0; i < r->n; i++) {
    hml_quad sum = 0;
    for (unsigned k = r->order; k > 0; k--) sum = step * (sum + r->coefficients[(k - 1) * r->n + i]);
    y[i] = (double)(r->x[i] + sum);
  }
}

static void keep_base(reference *r, double t) {
  r->base = t;
  r->shortest = INFINITY, r->longest = 0;
  memcpy(vector(r, BASE), vector(r, 2), 2 * r->problem.stride * sizeof(double));
}

static hml_status start_lookout(reference *r, double t0, double t1) {
  for (size_t i = 0; i < r->n; i++) vector(r, 2)[i] = (double)r->x[i];
  HML_TRY(hml_problem__finite_rhs(&r->problem, t0, vector(r, 2), vector(r, 3)));
  HML_TRY(hml_lookout__has_value(r->lookout, t0, vector(r, 2)));
  hml_lookout__start(r->lookout, t0, vector(r, 2));
  if (hml_lookout__clear(r->lookout)) keep_base(r, t0);
  return hml_control__first_step(&r->problem, r->order, t0, t1 - t0, vector(r, 2), vector(r, 3), vector(r, 4), &r->size);
}

static hml_step way_to(const reference *r, double t) {
  return (hml_step){.t = r->base, .h = t - r->base, .t1 = t, .y = vector(r, BASE), .f = vector(r, BASE + 1)};
}

// The step s comes close to the zero of a root: may other motions leave it than the one that is followed?
static hml_status demand_one_motion(reference *r, const hml_step *s) {
  hml_step way = way_to(r, s->t1);
  double factor;
  HML_TRY(hml_lookout__magnifies(r->lookout, &way, &factor));
  if (!(factor > HML_MAGNIFIED)) return HML_OK;
  return hml_fail(r->context, HML_SINGULAR, "reference: between t = %.10g and t = %.10g the motion comes nearly to rest where a root or a power is zero and "
                  "motions part", way.t, way.t1);
}

static hml_status stopped(reference *r, hml_status status, double t, const char *why) {
  char text[1000];
  hml_stopped(text, sizeof text, t, why);
  return hml_fail(r->context, status, "reference: %s", text);
}

// lost: the motion could not be followed over the step, and no place is the reason
static hml_status judge(reference *r, const hml_step *s, bool *lost) {
  hml_finding found;
  HML_TRY(hml_lookout__examine(r->lookout, s, &found));
  hml_trajectory_free(found.fine);
  // rounding of doubles is no obstacle to a series in quadruple precision
  *lost = found.kind == HML_LOST || (found.kind == HML_BARRIER && found.why.status == HML_LOST_DIGITS);
  if (found.kind == HML_CLEAR && found.steep) return demand_one_motion(r, s);
  if (found.kind == HML_CLEAR || *lost) return HML_OK;
  if (found.kind == HML_BARRIER) return stopped(r, found.why.status, found.t, found.why.message);
  return hml_fail(r->context, HML_SINGULAR, "reference: a series does not go beyond the corner at t = %.15g: %.860s", found.t, found.why.message);
}

// The step fell: the way since the last clear point and half as much ahead is examined, which may show why
static hml_status explain(reference *r, hml_quad t, bool backward, hml_status status) {
  const hml_error kept = *hml_context_error(r->context);
  double here = (double)t, ahead = fmax(1e-6 * (1 + fabs(here)), 0.5 * fabs(here - r->base)) * (backward ? -1 : 1);
  if (status != HML_STEP_COLLAPSED) return status;
  hml_step s = way_to(r, here + ahead);
  HML_TRY(hml_forgiven(r->context));
  bool lost;
  HML_TRY(judge(r, &s, &lost));
  return hml_fail(r->context, kept.status, "%s", kept.message);
}

// The step does not count
static void look_again(reference *r) {
  memcpy(vector(r, 2), vector(r, 0), 2 * r->problem.stride * sizeof(double));
}

// Steps that become short on the way to a singular place see little of it: compared with the values at their ends nothing is small there. The way since
// the last clear point shows it, and nothing behind it counts before it was examined as a whole
static hml_status look_back(reference *r) {
  if (!(r->shortest < CREPT * r->longest)) return HML_OK;
  hml_step way = way_to(r, r->seen.t1);
  bool lost;
  HML_TRY(judge(r, &way, &lost));
  if (!lost || hml_lookout__inertia_alone(r->lookout)) return HML_OK;      // as in look_out
  return hml_fail(r->context, HML_SINGULAR, "reference: no motion was found that leads on from t = %.15g", way.t);
}

// The step counts
static hml_status look_on(reference *r) {
  double h = fabs(r->seen.h);
  if (!r->evaluated) return HML_OK;
  hml_lookout__passed(r->lookout, &r->seen);
  r->shortest = fmin(r->shortest, h), r->longest = fmax(r->longest, h);
  if (!hml_lookout__clear(r->lookout)) return HML_OK;
  HML_TRY(look_back(r));
  keep_base(r, r->seen.t1);
  return HML_OK;
}

// Does the step lead over a place that its series does not show? too_long above 1: a shorter step must decide. fails: with the place
static hml_status look_out(reference *r, hml_quad t, hml_quad step, double *too_long) {
  hml_step s = {.t = (double)t, .t1 = (double)(t + step), .y = vector(r, 0), .f = vector(r, 1), .y1 = vector(r, 2), .f1 = vector(r, 3)};
  s.h = s.t1 - s.t;
  memcpy(vector(r, 0), vector(r, 2), 2 * r->problem.stride * sizeof(double));
  *too_long = 0;
  for (int k = 1; k < 4; k++) sum_series(r, step * (hml_quad)k / 4, vector(r, 3 + (size_t)k));
  sum_series(r, step, vector(r, 2));
  hml_lookout__begin(r->lookout);
  hml_status status = hml_problem__finite_rhs(&r->problem, s.t1, vector(r, 2), vector(r, 3));
  if (status != HML_OK && !hml_problem__recoverable(status)) return status;
  bool alarm = status != HML_OK;
  const hml_error ahead = *hml_context_error(r->context);
  HML_TRY(hml_forgiven(r->context));
  if (!alarm) HML_TRY(hml_lookout__look(r->lookout, &s, vector(r, 4), HML_AT_POINTS, &alarm, too_long));
  if (status == HML_OK) *too_long = fmax(*too_long, hml_tube__stretch(r->tube, &s));
  bool lost = false;
  if (alarm && !(*too_long > 1)) HML_TRY(judge(r, &s, &lost));
  // The inertia alone alarmed, and doubles cannot follow the motion. The series can: where the inertia vanishes its radius of convergence does, and a step over
  // such a place does not end well. Constraints may become dependent where series go on: several motions pass a change point
  if (lost && status == HML_OK && hml_lookout__inertia_alone(r->lookout)) lost = false;
  if (lost && fabs(s.h) < 1e-6 * (1 + fabs(s.t))) {
    hml_status why = explain(r, t, step < 0, hml_fail(r->context, HML_STEP_COLLAPSED, "reference: no motion was found that leads on from t = %.15g", s.t));
    if (why != HML_STEP_COLLAPSED || status == HML_OK) return why;
    HML_TRY(hml_forgiven(r->context));
    return stopped(r, status, s.t, ahead.message);
  }
  if (lost) *too_long = 2;
  if (*too_long > 1) {
    look_again(r);
    return HML_OK;
  }
  r->seen = s;
  r->evaluated = status == HML_OK;
  return HML_OK;
}

// The end of the step and the slope of the series there
static void make_step(reference *r, hml_quad step) {
  for (size_t i = 0; i < r->n; i++) {
    hml_quad sum = 0, slope = 0;
    for (unsigned k = r->order; k > 0; k--) {
      hml_quad c = r->coefficients[(k - 1) * r->n + i];
      sum = step * (sum + c);
      slope = step * slope + k * c;
    }
    r->start[i] = r->x[i];
    r->x[i] += sum;
    r->slope[i] = slope;
  }
  r->expanded = false;
}

// Is x' at the end of the step that of the series? A force that comes up within it is no part of the coefficients at its start
static bool ends_well(reference *r, hml_quad t, hml_quad step) {
  expand(r, t);
  if (!holds(r)) return true;                                              // the next step finds out
  for (size_t i = 0; i < r->n; i++) {
    double size = 1 + fabs((double)r->x[i]) + fabs((double)(step * r->slope[i]));
    if (!(fabs((double)(step * (r->slope[i] - r->coefficients[i]))) <= (MOST_DEFECT * r->tolerance + ROUGH) * size)) return false;
  }
  return true;
}

static void take_back(reference *r) {
  look_again(r);
  memcpy(r->x, r->start, r->n * sizeof *r->x);
  r->expanded = false;
}

static hml_status need_series(reference *r, hml_quad t) {
  expand(r, t);
  if (!holds(r) && !r->weighted) {
    hml_status status = take_series(r, true);
    if (status != HML_OK && status != HML_UNSUPPORTED) return status;
    HML_TRY(hml_forgiven(r->context));
    expand(r, t);
  }
  return holds(r) ? HML_OK : hml_fail(r->context, HML_SINGULAR_MASS, "reference: a pivot of the elimination is too small at t = %.15g", (double)t);
}

static hml_status fallen(reference *r, hml_quad t, bool backward, double h) {
  return explain(r, t, backward, hml_fail(r->context, HML_STEP_COLLAPSED, "reference: the step fell to %.3g at t = %.15g", h, (double)t));
}

// The longest step, at most *step, that passes over nothing
static hml_status shorten(reference *r, hml_quad t, hml_quad *step, bool *last) {
  for (double too_long = 2; too_long > 1;) {
    HML_TRY(look_out(r, t, *step, &too_long));
    if (!(too_long > 1)) break;
    *step *= fmax(0.9 / too_long, 0.01);
    *last = false;
    if (fabs((double)*step) < LEAST_STEP * (1 + fabs((double)t))) return fallen(r, t, *step < 0, fabs((double)*step));
  }
  return HML_OK;
}

// One step towards t_end
static hml_status advance(reference *r, hml_quad *t, hml_quad t_end) {
  HML_TRY(need_series(r, *t));
  double allowed = fmin(pow(size_of(r, r->order), -1.0 / r->order), pow(size_of(r, r->order - 1), -1.0 / (r->order - 1)));
  if (isnan(allowed)) return hml_fail(r->context, HML_NOT_FINITE, "reference: the coefficients of the series are not finite at t = %.15g, as those of a "
                                     "root, or of a power whose exponent is not a whole number, at zero (a whole exponent is better given as a number than as a "
                                     "parameter); start beside this place", (double)*t);
  for (double h = fmin(allowed, HML_MOST_GROWTH * r->size);; h *= 0.5) {
    hml_quad left = t_end - *t, step = left < 0 ? -(hml_quad)h : (hml_quad)h;
    bool last = h >= fabs((double)left);
    if (last) step = left;
    if (!last && h < LEAST_STEP * (1 + fabs((double)*t))) return fallen(r, *t, left < 0, h);
    HML_TRY(need_series(r, *t));
    HML_TRY(shorten(r, *t, &step, &last));
    make_step(r, step);
    hml_quad end = last ? t_end : *t + step;
    if (ends_well(r, end, step)) {
      r->size = last ? fmax(r->size, fabs((double)step)) : fabs((double)step);
      *t = end;
      return look_on(r);
    }
    take_back(r);
    h = fmin(h, fabs((double)step));
  }
}

static void take_sizes(const reference *r, double *sizes) {
  for (size_t i = 0; sizes && i < r->n; i++) sizes[i] = fmax(sizes[i], fabs((double)r->x[i]));
}

// The states at the times, as texts                                                           (n_times x n x HML_QUAD_TEXT)
static hml_status pass(reference *r, const hml_reference_spec *spec, const hml_quad *start, char *texts) {
  hml_quad t = start[0];
  memcpy(r->x, start + 1, r->n * sizeof *r->x);
  hml_quad until = t;
  if (spec->n_times) hml_quad__parse(spec->times[spec->n_times - 1], &until);
  r->expanded = false;
  HML_TRY(start_lookout(r, (double)t, (double)until));
  for (size_t k = 0; k < spec->n_times; k++) {
    hml_quad end;
    if (!hml_quad__parse(spec->times[k], &end)) return hml_fail(r->context, HML_ARGUMENT, "reference: the time '%s' is not a number", spec->times[k]);
    double *sizes = spec->sizes ? spec->sizes + k * r->n : NULL;
    for (size_t i = 0; sizes && i < r->n; i++) sizes[i] = k ? sizes[i - r->n] : 0;
    take_sizes(r, sizes);
    while (t != end) {
      HML_TRY(hml_check_interrupt(r->context));
      HML_TRY(advance(r, &t, end));
      take_sizes(r, sizes);
    }
    for (size_t i = 0; i < r->n; i++) hml_quad__text(r->x[i], HML_QUAD_DIGITS, HML_QUAD_TEXT, texts + (k * r->n + i) * HML_QUAD_TEXT);
  }
  return look_back(r);
}

static hml_status watched_pass(reference *r, const hml_reference_spec *spec, const hml_quad *start, char *texts) {
  r->ode = hml_model_run__ode(r->w);
  r->problem = (hml_problem){.context = r->context, .ode = &r->ode, .n = r->n, .stride = (r->n + HML_BLOCK - 1) / HML_BLOCK * HML_BLOCK,
                             .rtol = 1e-11, .atol = 1e-11, .outcome = &r->outcome};
  r->vectors = hml_problem__vectors(&r->problem, VECTORS);
  hml_status status = r->vectors ? hml_lookout__open(&r->problem, r->w, &r->lookout) : HML_MEMORY;
  if (status == HML_OK) status = hml_tube__open(&r->problem, r->w, true, &r->tube);
  if (status == HML_OK) hml_tube__keep_digits(r->tube, QUAD_PHASES);
  if (status == HML_OK) status = pass(r, spec, start, texts);
  hml_tube__close(r->tube);
  hml_lookout__close(r->lookout);
  if (r->vectors) hml_problem__free_vectors(&r->problem, r->vectors, VECTORS);
  return status;
}

static hml_status read(hml_context *c, const char *what, size_t n, const char *const *texts, hml_quad *out) {
  for (size_t i = 0; i < n; i++)
    if (!hml_quad__parse(texts[i], &out[i])) return hml_fail(c, HML_ARGUMENT, "reference: %s %zu, '%s', is not a number", what, i + 1, texts[i]);
  return HML_OK;
}

// One pass with series of this order and steps for this tolerance
static hml_status solve(hml_workspace *w, const hml_reference_spec *spec, double tolerance, char *texts) {
  hml_context *c = hml_workspace__context(w);
  hml_formula f = hml_model_run__formula(w);
  reference r = {.w = w, .context = c, .constants = f.constants, .states = f.states, .n = hml_model_state_size(hml_workspace__model(w)),
                 .tolerance = tolerance};
  r.order = (unsigned)fmax(ceil(1 - 0.5 * log(r.tolerance)), HML_EXACT_ORDER);
  HML_TRY(take_series(&r, false));
  hml_quad *start = hml_alloc(c, (r.n + 1) * sizeof *start);
  hml_status status = start ? read(c, "parameter", spec->n_parameters, spec->parameters, r.in + 1 + f.states) : HML_MEMORY;
  if (status == HML_OK) status = read(c, "the start, number", 1, &spec->start, start);
  if (status == HML_OK) status = read(c, "state", r.n, spec->x, start + 1);
  if (status == HML_OK) status = watched_pass(&r, spec, start, texts);
  hml_dealloc(c, start, (r.n + 1) * sizeof *start);
  hml_dealloc(c, r.block, r.count * sizeof *r.block);
  return status;
}

// fails: HML_UNSUPPORTED, HML_LIMIT, HML_NOT_FINITE, HML_ARGUMENT
hml_status hml_reference_run(hml_workspace *w, const hml_reference_spec *spec, char *texts, char *others) {
  hml_context *c = hml_workspace__context(w);
  if (!hml_program__has_quad()) return hml_fail(c, HML_UNSUPPORTED, "reference: this build has no quadruple precision (libquadmath)");
  if (!hml_model_run__formula(w).program) return hml_fail(c, HML_UNSUPPORTED, "reference: the accelerations are no formula");
  if (spec->digits < 1 || spec->digits > 32) return hml_fail(c, HML_ARGUMENT, "reference: %d digits; 1 to 32 are kept", spec->digits);
  if (spec->n_parameters && spec->n_parameters != hml_model__sizes(hml_workspace__model(w)).parameters)
    return hml_fail(c, HML_ARGUMENT, "reference: %zu values for %zu parameters", spec->n_parameters, hml_model__sizes(hml_workspace__model(w)).parameters);
  double tolerance = pow(10, -(spec->digits > 30 ? 32 : spec->digits + 2));
  HML_TRY(solve(w, spec, 0.01 * tolerance, texts));
  return solve(w, spec, tolerance, others);
}
