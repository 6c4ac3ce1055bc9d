// agreement.c: is a program of x' right? Where M and A have entries, it is compared with the general solve of multiplier.c at sample states. That solve needs
// n^3 operations at most, so that this is possible where M is too large to be solved inside a program. Where everything comes from the energies, Lagrange's
// equations of these decide.
#include "mechanics_impl.h"

#include <math.h>
#include <string.h>

#define LARGEST_RESIDUAL 1e-9          // of the equations, relative to their largest term
#define LARGEST_DIFFERENCE 1e-6        // of x' by both, relative to its largest component
#define ROUNDED 0.1                    // of such a difference: rounding as large as that explains it
#define MOST_WORK 2e8                  // operations of all general solves together, beyond the least number of samples
enum { MOST_SAMPLES = 16, LEAST_SAMPLES = 3 };
enum { POINTS = 4 };                   // at which the residual is taken

typedef struct sampling {
  hml_workspace *w;
  size_t inputs, size, first_external, n_externals;
  double *in;                          // inputs of the program                  (inputs)
  double *expected, *out, *work;       // x'; outputs and scratch of the program   (size), (outputs), (work size)
} sampling;

static hml_status sampled_force(void *payload, double t, const double *x, double *out) {
  const sampling *s = payload;
  (void)t, (void)x;
  memcpy(out, s->in + s->first_external, s->n_externals * sizeof *out);
  return HML_OK;
}

static size_t samples_of(const hml_model *m) {
  const double order = (double)(m->n_dyn + m->n_multipliers), work = order * order * order;
  return (size_t)fmax(LEAST_SAMPLES, fmin(MOST_SAMPLES, MOST_WORK / work));
}

static bool margins_hold(size_t n, const double *margins) {
  for (size_t i = 0; i < n; i++)
    if (!(margins[i] > 0)) return false;
  return true;
}

// Does rounding of the general solve alone explain such a difference at the state that is set?
static hml_status is_rounding(hml_workspace *w, double difference, bool *is) {
  hml_digits digits;
  HML_TRY(hml_workspace__digits(w, LARGEST_DIFFERENCE * ROUNDED, &digits));
  *is = digits.difference > ROUNDED * difference;
  return HML_OK;
}

// A sample counts where both have a value, unless masses that differ leave that of the general solve too few digits
static hml_status look(sampling *s, const hml_program *p, size_t margins, size_t which, hml_agreement *found) {
  const hml_model *m = s->w->model;
  const size_t controlled = m->n_kin + m->n_dyn, outputs = hml_program_outputs(p);
  double *state = s->out, largest = 0, difference = 0;
  hml_rate__sample(m, which, s->inputs, s->in);
  memcpy(state, s->in + 1, controlled * sizeof *state);
  state[controlled] = 0;                                                   // the work; outputs are more than states
  hml_status status = hml_workspace_set_state(s->w, s->in[0], state);
  if (status == HML_OK) status = hml_state_rate(s->w, s->expected);
  if (status != HML_OK) return hml_forgiven(m->context);
  hml_program_eval(p, s->w->in, s->out, s->work);
  if (!hml_dense__finite(s->size, s->out) || !margins_hold(margins, s->out + outputs - margins)) return HML_OK;
  for (size_t i = 0; i < s->size; i++) {
    largest = fmax(largest, fabs(s->expected[i]));
    difference = fmax(difference, fabs(s->expected[i] - s->out[i]));
  }
  if (difference <= LARGEST_DIFFERENCE * largest) {
    found->agreeing++;
    return HML_OK;
  }
  bool rounding;
  HML_TRY(is_rounding(s->w, difference, &rounding));
  found->differing += !rounding;
  return HML_OK;
}

static hml_status look_everywhere(sampling *s, const hml_program *p, size_t margins, hml_agreement *found) {
  const hml_model *m = s->w->model;
  const size_t outputs = hml_program_outputs(p), room = s->inputs + s->size + outputs + 1 + hml_program_work_size(p);
  s->in = hml_alloc(m->context, room * sizeof *s->in);
  if (!s->in) return HML_MEMORY;
  s->expected = s->in + s->inputs;
  s->out = s->expected + s->size;
  s->work = s->out + outputs + 1;
  hml_status status = HML_OK;
  for (size_t k = 0; status == HML_OK && k < samples_of(m) && !found->differing; k++) status = look(s, p, margins, k, found);
  hml_dealloc(m->context, s->in, room * sizeof *s->in);
  return status;
}

// p: x', then margins, as hml_model_rate; the model has the programs of its equations, and no x' of its own yet
hml_status hml_agreement__find(const hml_model *m, const hml_program *p, size_t margins, hml_agreement *found) {
  sampling s = {.inputs = hml_program_inputs(p), .size = hml_model_state_size(m), .n_externals = m->n_externals,
                .first_external = 1 + m->n_kin + m->n_dyn + m->n_parameters};
  *found = (hml_agreement){0};
  HML_TRY(hml_workspace_new(m->context, m, &s.w));
  hml_workspace_set_force(s.w, sampled_force, &s);
  hml_status status = look_everywhere(&s, p, margins, found);
  hml_workspace_free(s.w);
  return status;
}

// ---- by the energies

// Accelerations and multipliers at the sample in `in`, which they follow; *solved false: there are none
static hml_status solve_at(sampling *s, const hml_model *m, const hml_program *p, size_t margins, double *in, bool *solved) {
  const size_t controlled = m->n_kin + m->n_dyn, outputs = hml_program_outputs(p);
  double *a = in + s->inputs;
  *solved = false;
  s->in = in;
  if (!s->w) {
    hml_program_eval(p, in, s->out, s->work);
    memcpy(a, s->out + m->n_kin, m->n_dyn * sizeof *a);
    *solved = hml_dense__finite(m->n_dyn, a) && margins_hold(margins, s->out + outputs - margins);
    return HML_OK;
  }
  memcpy(s->out, in + 1, controlled * sizeof *s->out);
  s->out[controlled] = 0;                                                  // the work
  hml_status status = hml_workspace_set_state(s->w, in[0], s->out);
  if (status == HML_OK) status = hml_acceleration(s->w, a);
  if (status != HML_OK) return hml_forgiven(m->context);
  memcpy(a + m->n_dyn, s->w->lambda, m->n_multipliers * sizeof *a);
  *solved = true;
  return HML_OK;
}

static hml_status weigh(sampling *s, const hml_model *m, const hml_program *p, size_t margins, double *points, hml_agreement *found) {
  const size_t width = s->inputs + m->n_dyn + m->n_multipliers;
  const hml_graph_layout l = hml_equations__layout(m);
  double off[POINTS];
  size_t count = 0;
  for (size_t which = 0; which < MOST_SAMPLES && count < POINTS; which++) {
    bool solved;
    hml_rate__sample(m, which, s->inputs, points + count * width);
    HML_TRY(solve_at(s, m, p, margins, points + count * width, &solved));
    count += solved;
  }
  HML_TRY(hml_program__residual(m->context, m->energies, &l, count, points, off));
  for (size_t i = 0; i < count; i++) {
    if (off[i] <= LARGEST_RESIDUAL) found->agreeing++;
    else found->differing++;
  }
  return HML_OK;
}

// Without constraints by p itself; with them by the general solve, with whose equations p must agree besides
hml_status hml_agreement__of_energies(const hml_model *m, const hml_program *p, size_t margins, hml_agreement *found) {
  const size_t outputs = hml_program_outputs(p) + m->n_kin + m->n_dyn + 1, work = hml_program_work_size(p), inputs = hml_program_inputs(p);
  const size_t points = POINTS * (inputs + m->n_dyn + m->n_multipliers), size = points + outputs + work;
  sampling s = {.inputs = inputs, .n_externals = m->n_externals, .first_external = 1 + m->n_kin + m->n_dyn + m->n_parameters};
  *found = (hml_agreement){0};
  if (m->n_multipliers) {
    HML_TRY(hml_agreement__find(m, p, margins, found));
    if (found->differing) return HML_OK;
    HML_TRY(hml_workspace_new(m->context, m, &s.w));
    hml_workspace_set_force(s.w, sampled_force, &s);
  }
  double *block = hml_alloc(m->context, size * sizeof *block);
  hml_status status = block ? HML_OK : HML_MEMORY;
  if (block) {
    s.out = block + points;
    s.work = s.out + outputs;
    status = weigh(&s, m, p, margins, block, found);
  }
  hml_dealloc(m->context, block, size * sizeof *block);
  hml_workspace_free(s.w);
  return status;
}
