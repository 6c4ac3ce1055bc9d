// traced.c: functions of (t, x) along the steps of a motion: values, ranges, bounds on complex disks.
#include "integrate/traced.h"

#include <float.h>
#include <math.h>
#include <string.h>

struct hml_traced {
  hml_context *context;
  size_t n, pieces, states, n_constants;
  const double *constants;
  double *in, *work;                   // of the programs
  double *y;                           // a state on a step                                    (n)
  double *about;                       // a component as polynomial about the middle of a part (pieces + 2)
  hml_range *box, *ranges;             // inputs; scratch
  hml_disk *disks, *reaches;           // inputs; scratch
  double at[4];                        // step and part of these inputs: t, h, middle, radius; NAN: of none
  void *memory;
  size_t size;
};

#define TRACED_FIELDS(FIELD)                           \
  FIELD(double, in, 1 + f->states + f->n_constants)    \
  FIELD(double, work, work)                            \
  FIELD(double, y, f->n)                               \
  FIELD(double, about, f->pieces + 2)                  \
  FIELD(hml_range, box, 1 + f->states + f->n_constants) \
  FIELD(hml_range, ranges, values)                     \
  FIELD(hml_disk, disks, 1 + f->states + f->n_constants) \
  FIELD(hml_disk, reaches, values)

static size_t lay_out(hml_traced *f, size_t work, size_t values, char *block) {
  size_t at = 0;
#define FIELD(type, name, count)                     \
  if (block) f->name = (type *)(void *)(block + at); \
  at += ((count) * sizeof(type) + 15) / 16 * 16;
  TRACED_FIELDS(FIELD)
#undef FIELD
  return at + 1;
}

void hml_traced__close(hml_traced *f) {
  if (!f) return;
  hml_dealloc(f->context, f->memory, f->size);
  hml_dealloc(f->context, f, sizeof *f);
}

hml_status hml_traced__open(hml_context *c, size_t n_programs, const hml_program *const *programs, size_t n, size_t pieces, size_t states, size_t n_constants,
                            hml_traced **out) {
  hml_traced *f = hml_alloc(c, sizeof *f);
  size_t work = 0, values = 0;
  *out = NULL;
  if (!f) return HML_MEMORY;
  *f = (hml_traced){.context = c, .n = n, .pieces = pieces, .states = states, .n_constants = n_constants};
  for (size_t i = 0; i < n_programs; i++) {
    const size_t its_work = hml_program_work_size(programs[i]), its_values = hml_program__values(programs[i]) + 1;
    work = its_work > work ? its_work : work;
    values = its_values > values ? its_values : values;
  }
  f->size = lay_out(f, work, values, NULL);
  f->memory = hml_alloc(c, f->size);
  if (!f->memory) return hml_traced__close(f), HML_MEMORY;
  lay_out(f, work, values, f->memory);
  *out = f;
  return HML_OK;
}

void hml_traced__begin(hml_traced *f, const double *constants) {
  f->constants = constants;
  f->at[0] = NAN;
  for (size_t k = 0; k < f->n_constants; k++) f->disks[1 + f->states + k] = (hml_disk){constants[k], 0};
}

double hml_traced__value(hml_traced *f, const hml_program *p, double t, const double *y) {
  double value;
  f->in[0] = t;
  memcpy(f->in + 1, y, f->states * sizeof *y);
  memcpy(f->in + 1 + f->states, f->constants, f->n_constants * sizeof *y);
  hml_program_eval(p, f->in, &value, f->work);
  return value;
}

double hml_traced__value_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta) {
  hml_dense__value(f->n, f->pieces, s->y, piece, theta, f->y);
  return hml_traced__value(f, p, s->t + theta * s->h, f->y);
}

static hml_range_kind range_in_box(hml_traced *f, const hml_program *p, hml_range *out) {
  for (size_t k = 0; k < f->n_constants; k++) f->box[1 + f->states + k] = (hml_range){f->constants[k], f->constants[k]};
  return hml_program__range(p, f->box, f->ranges, out);
}

double hml_traced__error_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta, double share, const double *errors) {
  const double value = hml_traced__value_on(f, p, s, piece, theta);
  double sum = 0;
  for (size_t k = 0; k < f->states; k++) {
    double own = f->in[1 + k], there[2];
    for (int side = 0; side < 2; side++) {
      f->in[1 + k] = own + (side ? share : -share) * errors[k];
      hml_program_eval(p, f->in, there + side, f->work);
    }
    f->in[1 + k] = own;
    sum += fmin(fabs(there[0] - value), fabs(there[1] - value));
  }
  return sum / share;
}

// The value at a state off by `share` of the errors; no two components are off in proportion
static double value_off(hml_traced *f, const hml_program *p, unsigned direction, double share, const double *errors) {
  double value;
  for (size_t k = 0; k < f->states; k++) {
    const double part = 0.5 + 0.5 * fabs(sin(1.0 + 2.4 * (double)(k + 1) * (direction / 2 + 1))), side = (direction + (k * (direction / 2)) % 2) % 2 ? -1 : 1;
    f->in[1 + k] = f->y[k] + side * part * share * errors[k];
  }
  hml_program_eval(p, f->in, &value, f->work);
  return value;
}

double hml_traced__change_on(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double theta, double share, double least,
                             const double *errors, hml_range *values) {
  enum { DIRECTIONS = 8 };
  double most = 0;
  hml_traced__value_on(f, p, s, piece, theta);
  const double value = value_off(f, p, 0, least, errors);
  *values = (hml_range){value, value};
  for (unsigned d = 0; d < DIRECTIONS; d++) {
    const double there = value_off(f, p, d, share, errors), change = fabs(there - value);
    most = isfinite(change) && isfinite(most) ? fmax(most, change) : NAN;
    if (isnan(there) || isnan(values->low)) *values = (hml_range){NAN, NAN};
    else *values = (hml_range){fmin(values->low, there), fmax(values->high, there)};
  }
  return most;
}

hml_range_kind hml_traced__anywhere(hml_traced *f, const hml_program *p, hml_range *out) {
  for (size_t k = 0; k <= f->states; k++) f->box[k] = (hml_range){-INFINITY, INFINITY};
  return range_in_box(f, p, out);
}

static void fill_at(hml_traced *f, double t, const double *y) {
  f->box[0] = (hml_range){t, t};
  for (size_t k = 0; k < f->states; k++) f->box[1 + k] = (hml_range){y[k], y[k]};
}

static void widen_box(hml_traced *f, const double *errors) {
  for (size_t k = 0; k < f->states; k++) f->box[1 + k].low -= errors[k], f->box[1 + k].high += errors[k];
}

hml_range_kind hml_traced__range_at(hml_traced *f, const hml_program *p, double t, const double *y, hml_range *out) {
  fill_at(f, t, y);
  return range_in_box(f, p, out);
}

hml_range_kind hml_traced__range_off_at(hml_traced *f, const hml_program *p, double t, const double *y, const double *errors, hml_range *out) {
  fill_at(f, t, y);
  widen_box(f, errors);
  return range_in_box(f, p, out);
}

static void fill_on(hml_traced *f, const hml_step *s, const double *piece, double m, double r) {
  const double t = s->t + m * s->h, reach = r * fabs(s->h) + 2 * DBL_EPSILON * fmax(fabs(s->t), fabs(s->t1));
  f->box[0] = (hml_range){t - reach, t + reach};
  for (size_t k = 0; k < f->states; k++) f->box[1 + k] = hml_dense__range(f->n, f->pieces, s->y, piece, k, m, r, f->about);
}

hml_range_kind hml_traced__range(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, hml_range *out) {
  fill_on(f, s, piece, m, r);
  return range_in_box(f, p, out);
}

hml_range_kind hml_traced__range_off(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, const double *errors,
                                     hml_range *out) {
  fill_on(f, s, piece, m, r);
  widen_box(f, errors);
  return range_in_box(f, p, out);
}

// The inputs on the disk of a part: the steps of one motion have different times
static void enter_disk(hml_traced *f, const hml_step *s, const double *piece, double m, double r) {
  double *at = f->at;
  if (at[0] == s->t && at[1] == s->h && at[2] == m && at[3] == r) return;
  at[0] = s->t, at[1] = s->h, at[2] = m, at[3] = r;
  f->disks[0] = (hml_disk){s->t + m * s->h, r * fabs(s->h)};
  for (size_t k = 0; k < f->states; k++) {
    double reach = 0, power = 1;
    hml_dense__recentre(f->pieces, s->y[k], piece + k, f->n, m, f->about);
    for (size_t j = 1; j <= f->pieces; j++) {
      power *= r;
      reach += fabs(f->about[j]) * power;
    }
    f->disks[1 + k] = (hml_disk){f->about[0], reach};
  }
}

bool hml_traced__disk(hml_traced *f, const hml_program *p, const hml_step *s, const double *piece, double m, double r, const signed char *sides, hml_disk *out,
                      double *terms) {
  enter_disk(f, s, piece, m, r);
  return hml_program__disk(p, f->disks, sides, f->reaches, out, terms);
}
