// remainder.c: how far a smooth function departs from its Taylor polynomial of third degree: ranges of its derivatives of fourth order.
//
// The derivatives come from tangents of tangents: each adds as many inputs as the function reads, the direction. Taylor's theorem asks for continuous
// third derivatives whose own derivatives are bounded; so abs(x) and what is computed from tables have no bound where they have a corner.
#include "integrate/remainder.h"

#include <math.h>

enum { ORDER = 4, MOST_OPERATIONS = 1000 };

struct hml_remainder {
  hml_context *context;
  const hml_program *program;          // the caller's
  hml_program *derivatives[ORDER];     // of order 1 ... 4, along as many directions
  size_t n_in, n;                      // inputs of the program; those that move and are read
  uint32_t inputs[HML_REMAINDER_INPUTS];
};

void hml_remainder__free(hml_remainder *r) {
  if (!r) return;
  for (int k = 0; k < ORDER; k++) hml_program_free(r->derivatives[k]);
  hml_dealloc(r->context, r, sizeof *r);
}

static hml_status derive(hml_remainder *r, bool *done) {
  const hml_program *from = r->program;
  size_t active[HML_REMAINDER_INPUTS];
  for (size_t k = 0; k < r->n; k++) active[k] = r->inputs[k];
  *done = false;
  for (int k = 0; k < ORDER; k++) {
    HML_TRY(hml_program__rates(r->context, from, r->n, active, 1, &r->derivatives[k]));
    from = r->derivatives[k];
    if (hml_program_operations(from) > MOST_OPERATIONS) return HML_OK;
  }
  *done = true;
  return HML_OK;
}

hml_status hml_remainder__new(hml_context *c, const hml_program *p, size_t moving, hml_remainder **out) {
  uint32_t inputs[HML_REMAINDER_INPUTS];
  size_t n = 0;
  bool done;
  *out = NULL;
  for (size_t k = 0; k < moving; k++) {
    if (!hml_program__reads(p, k)) continue;
    if (n == HML_REMAINDER_INPUTS) return HML_OK;
    inputs[n++] = (uint32_t)k;
  }
  if (!n) return HML_OK;
  hml_remainder *r = hml_alloc(c, sizeof *r);
  if (!r) return HML_MEMORY;
  *r = (hml_remainder){.context = c, .program = p, .n_in = hml_program_inputs(p), .n = n};
  for (size_t k = 0; k < n; k++) r->inputs[k] = inputs[k];
  hml_status status = derive(r, &done);
  if (status == HML_OK && done) *out = r;
  else hml_remainder__free(r);
  return status;
}

size_t hml_remainder__inputs(const hml_remainder *r, const uint32_t **list) {
  *list = r->inputs;
  return r->n;
}

static size_t inputs_of_last(const hml_remainder *r) {
  return r->n_in + ORDER * r->n;
}

size_t hml_remainder__room(const hml_remainder *r) {
  size_t most = hml_program__values(r->program);
  for (int k = 0; k < ORDER; k++) {
    const size_t values = hml_program__values(r->derivatives[k]);
    most = values > most ? values : most;
  }
  return inputs_of_last(r) + most + 1;
}

// Direction number `order` is that of input k
static void point(const hml_remainder *r, hml_range *in, int order, size_t k) {
  for (size_t i = 0; i < r->n; i++) in[r->n_in + (size_t)order * r->n + i] = (hml_range){i == k, i == k};
}

// The largest size of a derivative along the directions in `in`; infinite: none is known
static double size_of(const hml_remainder *r, int order, const hml_range *in, hml_range *values, hml_range_kind least) {
  hml_range out;
  if (hml_program__range(r->derivatives[order], in, values, &out) < least) return INFINITY;
  const double size = fmax(fabs(out.low), fabs(out.high));
  return isnan(size) ? INFINITY : size;
}

bool hml_remainder__bounds(const hml_remainder *r, const hml_range *box, hml_range *scratch, double *slopes, double *fourths) {
  static const double factorials[] = {1, 1, 2, 6, 24};
  hml_range *in = scratch, *values = scratch + inputs_of_last(r), out;
  for (size_t k = 0; k < r->n_in; k++) in[k] = box[k];
  if (hml_program__range(r->program, in, values, &out) != HML_RANGE_CONTINUOUS) return false;
  for (size_t k = 0; k < r->n; k++) {
    point(r, in, 0, k);
    slopes[k] = size_of(r, 0, in, values, HML_RANGE_CONTINUOUS);
    if (isinf(slopes[k])) return false;
  }
  for (size_t i = 0; i < r->n; i++) {
    point(r, in, 0, i);
    for (size_t j = i; j < r->n; j++) {
      point(r, in, 1, j);
      if (isinf(size_of(r, 1, in, values, HML_RANGE_CONTINUOUS))) return false;
      for (size_t k = j; k < r->n; k++) {
        point(r, in, 2, k);
        if (isinf(size_of(r, 2, in, values, HML_RANGE_CONTINUOUS))) return false;
        for (size_t l = k; l < r->n; l++) {
          double product = 1;
          point(r, in, 3, l);
          for (size_t m = 0; m < r->n; m++) product *= factorials[(m == i) + (m == j) + (m == k) + (m == l)];
          *fourths = size_of(r, 3, in, values, HML_RANGE_JUMPS) / product;
          if (isinf(*fourths++)) return false;
        }
      }
    }
  }
  return true;
}
