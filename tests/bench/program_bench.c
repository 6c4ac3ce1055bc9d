// program_bench.c: time of interpreter and machine code as ratios to hand-written C, and times of making programs and their code. Accelerations of a
// chain of N pendulums in absolute angles: M_ij = c_ij cos(a_i - a_j), r_i = -sum_j c_ij sin(a_i - a_j) w_j^2 - g_i sin a_i,
// with unit masses and lengths, c_ij = N - max(i, j); M x = r solved by symmetric elimination. Both sides run that algorithm.
// Variants are interleaved; medians of ROUNDS by thread CPU time.
#include "program/program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 9, LARGEST = 32 };

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double weight(int n, int i, int j) {
  return n - (i > j ? i : j);
}

// ---- by hand; n is a constant at each call, so that loops may be unrolled
static inline __attribute__((always_inline)) void chain(int n, const double *in, double *x) {
  double M[LARGEST][LARGEST];
  const double *a = in, *w = in + n;
  for (int i = 0; i < n; i++) {
    x[i] = -9.81 * (n - i) * sin(a[i]);
    M[i][i] = weight(n, i, i);
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double d = a[i] - a[j], s = weight(n, i, j) * sin(d);
      M[i][j] = weight(n, i, j) * cos(d);
      x[i] -= s * w[j] * w[j];
      x[j] += s * w[i] * w[i];
    }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = M[i][k] / M[k][k];
      for (int j = k + 1; j <= i; j++) M[i][j] -= l * M[j][k];
      x[i] -= l * x[k];
    }
  for (int k = n - 1; k >= 0; k--) {
    x[k] /= M[k][k];
    for (int i = 0; i < k; i++) x[i] -= M[k][i] * x[k];
  }
}

static __attribute__((noinline)) void chain2(const double *in, double *x) { chain(2, in, x); }
static __attribute__((noinline)) void chain5(const double *in, double *x) { chain(5, in, x); }
static __attribute__((noinline)) void chain10(const double *in, double *x) { chain(10, in, x); }
static __attribute__((noinline)) void chain20(const double *in, double *x) { chain(20, in, x); }

// ---- as expressions
static hml_expr call1(hml_context *c, hml_function f, hml_expr a) {
  return hml_call(c, f, 1, &a);
}

static void chain_expressions(hml_context *c, int n, hml_expr *in, hml_expr *x) {
  hml_expr M[LARGEST][LARGEST];
  for (int i = 0; i < 2 * n; i++) {
    char name[16];
    snprintf(name, sizeof name, "%c%d", i < n ? 'a' : 'w', i % n + 1);
    in[i] = hml_symbol(c, name, 0, 0);
  }
  for (int i = 0; i < n; i++) {
    x[i] = hml_mul(c, hml_from_double(c, -9.81 * (n - i)), call1(c, HML_FUN_sin, in[i]));
    for (int j = 0; j < n; j++) {
      hml_expr d = hml_sub(c, in[i], in[j]), k = hml_integer(c, (int64_t)weight(n, i, j)), v = in[n + j];
      M[i][j] = hml_mul(c, k, call1(c, HML_FUN_cos, d));
      x[i] = hml_sub(c, x[i], hml_product(c, 4, (hml_expr[]){k, call1(c, HML_FUN_sin, d), v, v}));
    }
  }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      hml_expr l = hml_div(c, M[i][k], M[k][k]);
      for (int j = k + 1; j <= i; j++) M[i][j] = hml_sub(c, M[i][j], hml_mul(c, l, M[j][k]));
      x[i] = hml_sub(c, x[i], hml_mul(c, l, x[k]));
    }
  for (int k = n - 1; k >= 0; k--) {
    x[k] = hml_div(c, x[k], M[k][k]);
    for (int i = 0; i < k; i++) x[i] = hml_sub(c, x[i], hml_mul(c, M[k][i], x[k]));
  }
}

static int by_size(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

static double median(double *x) {
  qsort(x, ROUNDS, sizeof *x, by_size);
  return x[ROUNDS / 2];
}

static void measure(hml_context *c, int n, void (*by_hand)(const double *, double *)) {
  hml_expr symbols[2 * LARGEST], outputs[LARGEST];
  double in[2 * LARGEST], out[LARGEST], wanted[LARGEST], hand[ROUNDS], interpreted[ROUNDS], native[ROUNDS], worst = 0;
  size_t active[2 * LARGEST];
  hml_program *p = NULL, *tangent = NULL, *adjoint = NULL;
  chain_expressions(c, n, symbols, outputs);
  for (int i = 0; i < 2 * n; i++) {
    active[i] = (size_t)i;
    in[i] = sin(1.0 + i);
  }
  double t0 = cpu_seconds();
  hml_status status = hml_program_new(c, (size_t)(2 * n), symbols, (size_t)n, outputs, &p);
  double t1 = cpu_seconds();
  if (status == HML_OK) status = hml_program_tangent(c, p, (size_t)(2 * n), active, &tangent);
  double t2 = cpu_seconds();
  if (status == HML_OK) status = hml_program_adjoint(c, p, (size_t)(2 * n), active, &adjoint);
  double t3 = cpu_seconds();
  hml_native *code = NULL;
  if (status == HML_OK) status = hml_native__new(c, p, 1, &code);
  size_t size = status == HML_OK ? hml_program_work_size(p) : 0;
  if (code && hml_native__work_size(code) > size) size = hml_native__work_size(code);
  double *work = status == HML_OK ? malloc(size * sizeof *work) : NULL;
  if (!work) {
    printf("chain%d: %s\n", n, hml_context_error(c)->message);
    return;
  }
  int repeats = 2000000 / (int)(hml_program_operations(p) + 100);
  for (int round = 0; round < ROUNDS; round++) {
    double start = cpu_seconds();
    for (int k = 0; k < repeats; k++) by_hand(in, wanted);
    double middle = cpu_seconds();
    for (int k = 0; k < repeats; k++) hml_program_eval(p, in, out, work);
    hand[round] = (middle - start) / repeats;
    double end = cpu_seconds();
    interpreted[round] = (end - middle) / repeats;
    native[round] = NAN;
    for (int k = 0; code && k < repeats; k++) hml_native__code(code)(in, out, work);
    if (code) native[round] = (cpu_seconds() - end) / repeats;
  }
  hml_native__free(code);
  for (int i = 0; i < n; i++) worst = fmax(worst, fabs(out[i] - wanted[i]) / (1 + fabs(wanted[i])));
  printf("chain%-3d %7zu %7zu %9.2f %9.2f %9.1f %9.1f %9.1f %8.3f %8.3f %8.3f %9.1e\n", n, hml_program_operations(p),
         hml_program_work_size(p), median(interpreted) / median(native), median(native) / median(hand), 1e9 * median(hand), 1e9 * median(native),
         1e9 * median(interpreted), 1e3 * (t1 - t0), 1e3 * (t2 - t1),
         1e3 * (t3 - t2), worst);
  free(work);
  hml_program_free(p);
  hml_program_free(tangent);
  hml_program_free(adjoint);
}

// Machine code of a chain's program: least time of many
static void latency(hml_context *c, int n, int repeats) {
  hml_expr symbols[2 * LARGEST], outputs[LARGEST];
  hml_program *p = NULL;
  chain_expressions(c, n, symbols, outputs);
  double best = INFINITY;
  if (hml_program_new(c, (size_t)(2 * n), symbols, (size_t)n, outputs, &p) != HML_OK) return;
  for (int k = 0; k < repeats; k++) {
    hml_native *code = NULL;
    double start = cpu_seconds();
    hml_status status = hml_native__new(c, p, 1, &code);
    if (status == HML_OK && code) best = fmin(best, cpu_seconds() - start);
    hml_native__free(code);
  }
  printf("machine code of %zu operations: %.3f ms\n", hml_program_operations(p), 1e3 * best);
  hml_program_free(p);
}

int main(void) {
  hml_context *c = hml_context_new(NULL, NULL);
  if (!c) return 1;
  printf("%-8s %7s %7s %9s %9s %9s %9s %9s %8s %8s %8s %9s\n", "", "lines", "work", "int/code", "code/C", "C ns", "code ns", "interp ns",
         "new ms", "tang ms", "adj ms", "differ");
  measure(c, 2, chain2);
  measure(c, 5, chain5);
  measure(c, 10, chain10);
  measure(c, 20, chain20);
  latency(c, 6, 200);
  latency(c, 13, 100);
  latency(c, 31, 20);
  hml_context_free(c);
  return 0;
}
