// tests that one model, its contacts and its maps serve threads that have contexts and workspaces of their own; best under the thread
// sanitizer (preset tsan). Every method makes its runs on a fresh model, so that what is made on demand is made while the others ask for it.
#include "lagrange.h"

#include "integrate/integrate.h"

#include <pthread.h>
#include <stdlib.h>

enum { THREADS = 4, STATES = 4, DIGITS = 64 };

// A pendulum that starts aside, with a wall on the other side, and a map for a free particle
typedef struct shared {
  mechanics m;
  hml_hybrid_shape *wall;
  hml_discrete *map;
  pthread_barrier_t start;
} shared;

typedef struct job {
  shared *s;
  hml_status (*run)(hml_workspace *w, const shared *s, const char *method, double *x);
  const char *method;
  double x[STATES];                    // at the end
  hml_error error;
} job;

static const double aside[STATES] = {0.42, -0.56, 0, 0};

// ---- runs
static hml_run_options options_of(const char *method) {
  hml_run_options o = hml_run_options_default();
  o.method = method;
  o.step = 1.0 / 64;
  o.project = 0;
  return o;
}

static hml_status last_state(hml_context *c, hml_status status, const hml_outcome *outcome, hml_trajectory **r, double *x) {
  if (status != HML_OK) return status;
  memcpy(x, hml_trajectory_state(*r, hml_trajectory_points(*r) - 1), STATES * sizeof *x);
  hml_trajectory_free(*r);
  return outcome->status == HML_OK ? HML_OK : hml_fail(c, outcome->status, "%s", outcome->message);
}

static hml_status run_method(hml_workspace *w, const shared *s, const char *method, double *x) {
  (void)s;
  hml_run_options o = options_of(method);
  hml_trajectory *r = NULL;
  hml_outcome outcome;
  return last_state(hml_workspace__context(w), hml_run(w, &o, 0, 1, aside, &r, &outcome), &outcome, &r, x);
}

static hml_status run_map(hml_workspace *w, const shared *s, const char *method, double *x) {
  hml_run_options o = options_of(method);
  hml_trajectory *r = NULL;
  hml_outcome outcome;
  return last_state(hml_workspace__context(w), hml_discrete_run(w, s->map, &o, 0, 1, aside, &r, &outcome), &outcome, &r, x);
}

static hml_status run_to_the_wall(hml_workspace *w, const shared *s, const char *method, double *x) {
  hml_run_options o = options_of(method);
  hml_trajectory *r = NULL;
  hml_outcome outcome;
  hml_hybrid *h;
  o.project = 1;
  HML_TRY(hml_hybrid_open(w, s->wall, &h));
  hml_status status = last_state(hml_workspace__context(w), hml_hybrid_run(h, &o, 0, 1, aside, &r, &outcome), &outcome, &r, x);
  hml_hybrid_free(h);
  return status;
}

static hml_status run_reference(hml_workspace *w, const shared *s, const char *method, double *x) {
  (void)s;
  (void)method;
  char texts[STATES * DIGITS], others[STATES * DIGITS];
  const char *times[] = {"1/8"}, *start[STATES] = {"0.42", "-0.56", "0", "0"};
  hml_reference_spec spec = {.start = "0", .n_times = 1, .times = times, .x = start, .digits = 20};
  HML_TRY(hml_reference_run(w, &spec, texts, others));
  for (int i = 0; i < STATES; i++) x[i] = strtod(texts + i * DIGITS, NULL);
  return HML_OK;
}

// ---- what is shared
static void build_wall(shared *s) {
  hml_context *c = s->m.c;
  hml_expr q[] = {hml_symbol(c, "x", HML_DYNAMIC, 0), hml_symbol(c, "y", HML_DYNAMIC, 0)}, v[] = {hml_dot(c, q[0]), hml_dot(c, q[1])};
  hml_expr parameters[] = {hml_symbol(c, "m", 0, 0), hml_symbol(c, "g", 0, 0), hml_symbol(c, "l", 0, 0)};
  hml_expr one = hml_integer(c, 1), zero = hml_integer(c, 0), row[] = {one, zero};
  hml_model_spec names = {.name = "test", .n_kin = 2, .n_dyn = 2, .n_multipliers = 1, .n_parameters = 3, .time = hml_symbol(c, "t", HML_TIME, 0),
                            .kin = q, .dyn = v, .parameters = parameters, .parameter_values = pendulum.values};
  hml_gap_spec gap = {.name = "wall", .gap = hml_add(c, q[0], hml_rational(c, 1, 5)), .law = HML_MOREAU, .restitution = hml_rational(c, 1, 2)};
  hml_contact_spec contacts = {.n_gaps = 1, .gaps = &gap, .velocities = v, .rows = row, .drifts = &zero};
  hml_expr rates[] = {hml_dot(c, v[0]), hml_dot(c, v[1])}, lambda = hml_symbol(c, "lambda", 0, 0), z = hml_symbol(c, "z", 0, 0);
  hml_hybrid_spec spec = {.symbols = &names, .contacts = &contacts, .rates = rates, .multipliers = &lambda, .reactions = &z};
  assert_ok(c, hml_hybrid_shape_new(c, s->m.model, &spec, &s->wall));
}

// z = x(t + h) by the implicit midpoint rule for x' = v, v' = -x, componentwise
static void build_map(shared *s) {
  scope names = {.c = s->m.c};
  hml_context *c = s->m.c;
  hml_expr x[STATES], z[STATES], residual[STATES], other[1];
  declare(&names, "x y", HML_DYNAMIC, x);
  for (int i = 0; i < 2; i++) names.symbols[names.n++] = x[i + 2] = hml_dot(c, x[i]);
  declare(&names, "z0 z1 z2 z3", 0, z);
  declare(&names, "h", 0, other);
  static const char *const rule[] = {"z0 - x - h*(x' + z2)/2", "z1 - y - h*(y' + z3)/2", "z2 - x' + h*(x + z0)/2", "z3 - y' + h*(y + z1)/2"};
  for (int i = 0; i < STATES; i++) residual[i] = expression(&names, rule[i]);
  hml_discrete_spec spec = {.n = STATES, .nz = STATES, .time = hml_symbol(c, "t", HML_TIME, 0), .step = other[0], .states = x, .unknowns = z,
                            .residual = residual, .update = z, .guess = x};
  assert_ok(c, hml_discrete_new(c, &spec, &s->map));
}

static void build_shared(shared *s) {
  *s = (shared){.m = build(&pendulum)};
  build_wall(s);
  build_map(s);
  assert_int_equal(pthread_barrier_init(&s->start, NULL, THREADS), 0);
}

static void free_shared(shared *s) {
  pthread_barrier_destroy(&s->start);
  hml_discrete_free(s->map);
  hml_hybrid_shape_free(s->wall);
  demolish(&s->m);
}

// ---- threads
static void *work(void *payload) {
  job *j = payload;
  hml_context *c = hml_context_new(NULL, NULL);
  hml_workspace *w = NULL;
  pthread_barrier_wait(&j->s->start);
  if (hml_workspace_new(c, j->s->m.model, &w) == HML_OK) j->run(w, j->s, j->method, j->x);
  j->error = *hml_context_error(c);
  hml_workspace_free(w);
  hml_context_free(c);
  return NULL;
}

// The threads end where a run alone ends, bit for bit
static void compare(hml_status (*run)(hml_workspace *, const shared *, const char *, double *), const char *method) {
  shared s;
  job jobs[THREADS];
  pthread_t threads[THREADS];
  double alone[STATES];
  build_shared(&s);
  for (int i = 0; i < THREADS; i++) {
    jobs[i] = (job){.s = &s, .run = run, .method = method};
    assert_int_equal(pthread_create(&threads[i], NULL, work, &jobs[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  assert_ok(s.m.c, run(s.m.w, &s, method, alone));
  for (int i = 0; i < THREADS; i++) {
    if (jobs[i].error.status != HML_OK) fail_msg("%s, thread %d: %s", method, i, jobs[i].error.message);
    assert_memory_equal(jobs[i].x, alone, sizeof alone);
  }
  assert_true(fabs(alone[0] - aside[0]) > 1e-3);         // it moved
  free_shared(&s);
}

static void every_method_runs_in_threads_on_one_model(void **state) {
  (void)state;
  for (size_t i = 0; i < hml_stepper_count(); i++) {
    const char *method = hml_stepper_name(i);
    if (strcmp(method, "moreau") == 0) continue;         // of runs with contacts, below
    compare(strcmp(method, "dla") == 0 ? run_map : run_method, method);
  }
}

static void runs_with_impacts_share_the_shape_of_their_contacts(void **state) {
  (void)state;
  for (size_t i = 0; i < hml_stepper_count(); i++)
    if ((!hml_stepper_fixed(i) || strcmp(hml_stepper_name(i), "moreau") == 0) && hml_stepper_takes_contacts(i)) compare(run_to_the_wall, hml_stepper_name(i));
}

static void references_are_computed_in_threads_on_one_model(void **state) {
  (void)state;
#ifdef HAMEL_QUADMATH
  compare(run_reference, "reference");
#else
  (void)run_reference;
  skip();
#endif
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_method_runs_in_threads_on_one_model),
      cmocka_unit_test(runs_with_impacts_share_the_shape_of_their_contacts),
      cmocka_unit_test(references_are_computed_in_threads_on_one_model),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
