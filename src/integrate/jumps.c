// jumps.c: the arguments at whose zeros a function of a motion jumps, has no value, or has corners, as functions of their own.
#include "integrate/jumps.h"

typedef struct argument {
  hml_program *program;
  hml_guard_formula formula;
  hml_guard *guard;
} argument;

struct hml_jumps {
  hml_context *context;
  size_t n, inputs;
  argument *list;                      // (n)
  const hml_program **programs;        // (n)
  uint32_t *place;                     // of the inputs
  hml_traced *traced;
};

void hml_jumps__close(hml_jumps *j) {
  if (!j) return;
  for (size_t k = 0; j->list && k < j->n; k++) {
    hml_guard__close(j->list[k].guard);
    hml_program_free(j->list[k].program);
  }
  hml_traced__close(j->traced);
  hml_dealloc(j->context, j->list, j->n * sizeof *j->list);
  hml_dealloc(j->context, j->programs, j->n * sizeof *j->programs);
  hml_dealloc(j->context, j->place, j->inputs * sizeof *j->place);
  hml_dealloc(j->context, j, sizeof *j);
}

static hml_status open_arguments(hml_jumps *j, const hml_problem *problem, const hml_program *p, hml_breaks which, size_t states, size_t n_constants) {
  j->list = hml_alloc(j->context, j->n * sizeof *j->list);
  if (!j->list) return HML_MEMORY;
  for (size_t k = 0; k < j->n; k++) j->list[k] = (argument){.program = NULL};
  j->programs = hml_alloc(j->context, j->n * sizeof *j->programs);
  j->place = hml_alloc(j->context, j->inputs * sizeof *j->place);
  if (!j->programs || !j->place) return HML_MEMORY;
  for (size_t i = 0; i < j->inputs; i++) j->place[i] = (uint32_t)(i <= states ? i : i - states + problem->n);
  for (size_t k = 0; k < j->n; k++) {
    argument *a = j->list + k;
    HML_TRY(hml_program__break_function(j->context, p, which, k, &a->program));
    j->programs[k] = a->program;
    a->formula = (hml_guard_formula){.program = a->program, .place = j->place};
    HML_TRY(hml_guard__open(problem, &a->formula, &a->guard));
  }
  return hml_traced__open(j->context, j->n, j->programs, problem->n, problem->pieces, states, n_constants, &j->traced);
}

hml_status hml_jumps__open(const hml_problem *problem, const hml_program *p, hml_breaks which, size_t states, size_t n_constants, hml_jumps **out) {
  const size_t n = hml_program__break_count(p, which);
  *out = NULL;
  if (!n) return HML_OK;
  hml_jumps *j = hml_alloc(problem->context, sizeof *j);
  if (!j) return HML_MEMORY;
  *j = (hml_jumps){.context = problem->context, .n = n, .inputs = 1 + states + n_constants};
  hml_status status = open_arguments(j, problem, p, which, states, n_constants);
  if (status == HML_OK) *out = j;
  else hml_jumps__close(j);
  return status;
}

void hml_jumps__begin(hml_jumps *j, const double *constants, const double *errors) {
  if (!j) return;
  hml_traced__begin(j->traced, constants);
  for (size_t k = 0; k < j->n; k++) {
    j->list[k].formula.constants = constants;
    hml_guard__forget(j->list[k].guard);
    hml_guard__widen(j->list[k].guard, errors);
  }
}

hml_status hml_jumps__enter(hml_jumps *j) {
  for (size_t k = 0; k < hml_jumps__count(j); k++) HML_TRY(hml_guard__enter(j->list[k].guard));
  return HML_OK;
}

size_t hml_jumps__count(const hml_jumps *j) {
  return j ? j->n : 0;
}

hml_traced *hml_jumps__traced(const hml_jumps *j) {
  return j->traced;
}

const hml_program *hml_jumps__program(const hml_jumps *j, size_t k) {
  return j->programs[k];
}

hml_guard *hml_jumps__guard(const hml_jumps *j, size_t k) {
  return j->list[k].guard;
}
