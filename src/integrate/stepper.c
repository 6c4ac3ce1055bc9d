// stepper.c: the registry of methods, and the guarded right-hand side they call. The methods have files of their own.
#include "integrate/stepper.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define STEPPER(name) extern const hml_stepper hml_stepper_##name;
#include "integrate/steppers.def"
#undef STEPPER

static const hml_stepper *const steppers[] = {
#define STEPPER(name) &hml_stepper_##name,
#include "integrate/steppers.def"
#undef STEPPER
};

enum { STEPPERS = sizeof steppers / sizeof *steppers, LONGEST_NAME = 32 };

size_t hml_stepper_count(void) {
  return STEPPERS;
}

const hml_stepper *hml_stepper__at(size_t i) {
  return i < STEPPERS ? steppers[i] : NULL;
}

const char *hml_stepper_name(size_t i) {
  return i < STEPPERS ? steppers[i]->name : NULL;
}

const char *hml_stepper_title(size_t i) {
  return i < STEPPERS ? steppers[i]->title : NULL;
}

int hml_stepper_fixed(size_t i) {
  return i < STEPPERS && steppers[i]->fixed;
}

int hml_stepper_takes_contacts(size_t i) {
  return i < STEPPERS && hml_stepper__takes_contacts(steppers[i]);
}

int hml_stepper_find(const char *name) {
  for (int i = 0; name && i < STEPPERS; i++)
    if (strcmp(steppers[i]->name, name) == 0) return i;
  return -1;
}

// Insertions, deletions and replacements that turn a into b; only the first characters count
static size_t distance(const char *a, const char *b) {
  size_t row[LONGEST_NAME + 1], m = strnlen(a, LONGEST_NAME), n = strnlen(b, LONGEST_NAME);
  for (size_t j = 0; j <= n; j++) row[j] = j;
  for (size_t i = 1; i <= m; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= n; j++) {
      size_t best = diagonal + (a[i - 1] != b[j - 1]);
      if (row[j] + 1 < best) best = row[j] + 1;
      if (row[j - 1] + 1 < best) best = row[j - 1] + 1;
      diagonal = row[j];
      row[j] = best;
    }
  }
  return row[n];
}

static const char *nearest_name(const char *name) {
  size_t best = 0;
  for (size_t i = 1; i < STEPPERS; i++)
    if (distance(name, steppers[i]->name) < distance(name, steppers[best]->name)) best = i;
  return steppers[best]->name;
}

hml_status hml_stepper__choose(hml_context *c, const char *name, const hml_stepper **out) {
  int i = name ? hml_stepper_find(name) : 0;
  if (i < 0) return hml_fail(c, HML_ARGUMENT, "run: no method '%.40s'; did you mean '%s'?", name, nearest_name(name));
  *out = steppers[i];
  return HML_OK;
}

double *hml_problem__vectors(const hml_problem *p, size_t count) {
  return hml_alloc(p->context, count * p->stride * sizeof(double));
}

void hml_problem__free_vectors(const hml_problem *p, double *v, size_t count) {
  hml_dealloc(p->context, v, count * p->stride * sizeof(double));
}

static __attribute__((noinline)) hml_status asked_rhs(const hml_problem *p, double t, const double *y, double *f) {
  HML_TRY(hml_check_interrupt(p->context));
  p->outcome->evaluations++;
  return p->ode->rhs(p->ode->payload, t, y, f);
}

hml_status hml_problem__rhs(const hml_problem *p, double t, const double *y, double *f) {
  if (!hml_undisturbed(p->context)) return asked_rhs(p, t, y, f);
  p->outcome->evaluations++;
  return p->ode->rhs(p->ode->payload, t, y, f);
}

hml_status hml_problem__check_rate(const hml_problem *p, double t, const double *f) {
  double odd = 0;
  for (size_t i = 0; i < p->n; i++) odd += 0 * f[i];
  if (odd == 0) return HML_OK;
  for (size_t i = 0; i < p->n; i++)
    if (!isfinite(f[i]))
      return hml_fail(p->context, HML_NOT_FINITE, "the rate of %s is %s at t = %.15g", hml_problem__name(p->ode, i).text,
                      hml_problem__oddity(f[i]), t);
  return HML_OK;
}

hml_status hml_problem__finite_rhs(const hml_problem *p, double t, const double *y, double *f) {
  HML_TRY(hml_problem__rhs(p, t, y, f));
  return hml_problem__check_rate(p, t, f);
}

hml_component_name hml_problem__name(const hml_ode *ode, size_t i) {
  hml_component_name name;
  if (ode->name)
    snprintf(name.text, sizeof name.text, "%s%.70s%s", HML_QUOTED(ode->name(ode->payload, i)));
  else
    snprintf(name.text, sizeof name.text, "component %zu", i + 1);
  return name;
}

const char *hml_problem__oddity(double value) {
  return isnan(value) ? "not a number" : "infinite";
}

bool hml_problem__recoverable(hml_status status) {
  return status == HML_NOT_FINITE || status == HML_SINGULAR_MASS || status == HML_LOST_DIGITS || status == HML_DEPENDENT_CONSTRAINTS || status == HML_CONTRADICTION ||
         status == HML_PROJECTION || status == HML_STEP_COLLAPSED || status == HML_NO_UNIQUE_REACTION ||
         status == HML_NO_CONTACT_MODE;
}

bool hml_stepper__keeps_history(const hml_stepper *m) {
  return m->accepted && !m->cuts;
}

bool hml_stepper__takes_contacts(const hml_stepper *m) {
  return !m->by_formula && !hml_stepper__keeps_history(m);
}
