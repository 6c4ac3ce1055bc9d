// steps_bench.c: a step of one size in an ensemble (Henon-Heiles, 4 states), one run after the other and in lanes, as a ratio to hand-written C: the
// same rk4 in one loop, compiled with the flags of the library. Processor time of one thread, variants interleaved, medians of ROUNDS.
//
// Every run is judged by a second one, whose time does not depend on the size of the steps. `step` is what a further step costs: the difference of
// runs with steps of half the size; `run` is the whole of it, a step's share of the second run included.
#include "mechanics/mechanics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, JOBS = 64, VARIANTS = 9 };
static const double END = 100, STEP = 0.02;

static hml_context *c;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(hml_status status) {
  if (status == HML_OK) return;
  fprintf(stderr, "%s\n", hml_context_error(c)->message);
  exit(1);
}

static hml_model *henon(void) {
  hml_expr q[] = {hml_symbol(c, "x", HML_DYNAMIC, 0), hml_symbol(c, "y", HML_DYNAMIC, 0)}, x = q[0], y = q[1];
  hml_expr k[] = {hml_dot(c, x), hml_dot(c, y)}, one = hml_integer(c, 1), zero = hml_integer(c, 0), mass[] = {one, zero, zero, one};
  hml_expr r[] = {hml_neg(c, hml_add(c, x, hml_mul(c, hml_integer(c, 2), hml_mul(c, x, y)))),
                  hml_neg(c, hml_add(c, y, hml_sub(c, hml_mul(c, x, x), hml_mul(c, y, y))))};
  static const char *const names[] = {"x", "y"};
  hml_model_spec spec = {.name = "Henon-Heiles", .n_kin = 2, .n_dyn = 2, .time = hml_symbol(c, "t", HML_TIME, 0), .kin = q, .dyn = k, .dyn_names = names, .k = k, .mass = mass, .r = r};
  hml_model *m;
  must(hml_model_new(c, &spec, &m));
  return m;
}

// ---- by hand

static void rate(const double *y, double *f) {
  f[0] = y[2];
  f[1] = y[3];
  f[2] = -(y[0] + 2 * y[0] * y[1]);
  f[3] = -(y[1] + (y[0] * y[0] - y[1] * y[1]));
}

// One run after the other: inlined, the compiler makes several of them side by side
static __attribute__((noinline)) void steps_by_hand(double *y, long count, double h) {
  for (long s = 0; s < count; s++) {
    double k1[4], k2[4], k3[4], k4[4], x[4];
    rate(y, k1);
    for (int i = 0; i < 4; i++) x[i] = y[i] + 0.5 * h * k1[i];
    rate(x, k2);
    for (int i = 0; i < 4; i++) x[i] = y[i] + 0.5 * h * k2[i];
    rate(x, k3);
    for (int i = 0; i < 4; i++) x[i] = y[i] + h * k3[i];
    rate(x, k4);
    for (int i = 0; i < 4; i++) y[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
}

// ---- variants

typedef struct variant {
  const char *method;                  // NULL: by hand
  unsigned lanes;
  double whole[ROUNDS], further[ROUNDS];   // nanoseconds a step
} variant;

static double starts[4 * JOBS], states[4 * JOBS];

static double seconds_of(const hml_model *m, const variant *v, double step) {
  double begun = cpu_seconds();
  if (!v->method) {
    memcpy(states, starts, sizeof states);
    for (int j = 0; j < JOBS; j++) steps_by_hand(states + 4 * j, (long)(END / step + 0.5), step);
    return cpu_seconds() - begun;
  }
  hml_ensemble_row rows[JOBS];
  hml_run_options o = hml_run_options_default();
  o.method = v->method;
  o.step = step;
  hml_ensemble_spec spec = {.n = JOBS, .n_times = 1, .times = &END, .starts = starts, .options = &o, .threads = 1, .lanes = v->lanes};
  must(hml_ensemble_run(c, m, &spec, states, rows));
  for (int j = 0; j < JOBS; j++)
    if (rows[j].status != HML_OK || rows[j].doubted) fprintf(stderr, "%s: run %d: %s\n", v->method, j, rows[j].message ? rows[j].message : "failed"), exit(1);
  hml_ensemble_free_messages(c, JOBS, rows);
  return cpu_seconds() - begun;
}

static int ascending(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

int main(void) {
  static variant list[VARIANTS] = {{NULL, 1, {0}, {0}}, {"rk4", 1, {0}, {0}}, {"rk4", 4, {0}, {0}}, {"rk4", 8, {0}, {0}}, {"gauss4", 8, {0}, {0}},
                                   {"gauss6", 1, {0}, {0}}, {"gauss6", 4, {0}, {0}}, {"gauss6", 8, {0}, {0}}, {"gauss8", 8, {0}, {0}}};
  double ends[4 * JOBS];
  const double count = JOBS * END / STEP;
  c = hml_context_new(NULL, NULL);
  hml_model *m = henon();
  for (int j = 0; j < JOBS; j++) {
    const double start[4] = {0.01 + 0.003 * j, 0.1, 0.1, 0.1};
    memcpy(starts + 4 * j, start, sizeof start);
  }
  for (int round = 0; round < ROUNDS; round++)
    for (int i = 0; i < VARIANTS; i++) {
      const double whole = seconds_of(m, &list[i], STEP);
      if (i == 0) memcpy(ends, states, sizeof ends);
      for (int k = 0; k < 4 * JOBS; k++)
        if (!(fabs(states[k] - ends[k]) < 1e-5)) fprintf(stderr, "%s and the loop by hand differ\n", list[i].method), exit(1);
      list[i].whole[round] = whole / count * 1e9;
      list[i].further[round] = (seconds_of(m, &list[i], STEP / 2) - whole) / count * 1e9;
    }
  printf("Henon-Heiles, %d runs of %.0f steps, nanoseconds a step, as a ratio to C by hand\n%-8s %5s %9s %7s %9s %7s %7s\n", JOBS, END / STEP, "method", "lanes", "step", "ratio",
         "run", "ratio", "spread");
  for (int i = 0; i < VARIANTS; i++) {
    qsort(list[i].whole, ROUNDS, sizeof(double), ascending);
    qsort(list[i].further, ROUNDS, sizeof(double), ascending);
    const double whole = list[i].whole[ROUNDS / 2], further = list[i].further[ROUNDS / 2];
    printf("%-8s %5u %9.1f %7.2f %9.1f %7.2f %6.0f%%\n", list[i].method ? list[i].method : "by hand", list[i].lanes, further, further / list[0].further[ROUNDS / 2], whole,
           whole / list[0].whole[ROUNDS / 2], 100 * (list[i].whole[ROUNDS - 1] - list[i].whole[0]) / whole);
  }
  hml_model_free(m);
  hml_context_free(c);
  return 0;
}
