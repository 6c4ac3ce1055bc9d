// rhs_bench.c: one right-hand side through the library (native code where there is any) as a ratio to hand-written C: the same
// algorithm (assembly, Cholesky, Schur complement) and, where there is one, the closed form. Also times of derivation and of building
// the model. Variants are interleaved; medians of ROUNDS by thread CPU time; results are compared inside the run.
#include "mechanics/mechanics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 9, MOST = 96 };

static hml_context *c;

static double cpu_seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void must(hml_status status) {
  if (status == HML_OK) return;
  fprintf(stderr, "%s\n", hml_context_error(c)->message);
  exit(1);
}

// ---- by hand: M a = r + A^T lambda, A a + b = 0 by Cholesky of M and of A M^-1 A^T
static inline __attribute__((always_inline)) void saddle(int n, int m, double M[][8], double A[][8], double *r, double *b, double *a) {
  double y[4][8], S[4][4], lambda[4];
  for (int j = 0; j < n; j++) {
    for (int k = 0; k < j; k++) M[j][j] -= M[j][k] * M[j][k];
    M[j][j] = sqrt(M[j][j]);
    for (int i = j + 1; i < n; i++) {
      for (int k = 0; k < j; k++) M[i][j] -= M[i][k] * M[j][k];
      M[i][j] /= M[j][j];
    }
  }
  for (int i = 0; i < n; i++) {
    for (int k = 0; k < i; k++) r[i] -= M[i][k] * r[k];
    r[i] /= M[i][i];
    for (int e = 0; e < m; e++) {
      y[e][i] = A[e][i];
      for (int k = 0; k < i; k++) y[e][i] -= M[i][k] * y[e][k];
      y[e][i] /= M[i][i];
    }
  }
  for (int e = 0; e < m; e++) {
    lambda[e] = -b[e];
    for (int i = 0; i < n; i++) lambda[e] -= y[e][i] * r[i];
    for (int f = 0; f <= e; f++) {
      S[e][f] = 0;
      for (int i = 0; i < n; i++) S[e][f] += y[e][i] * y[f][i];
    }
  }
  for (int j = 0; j < m; j++) {
    for (int k = 0; k < j; k++) S[j][j] -= S[j][k] * S[j][k];
    S[j][j] = sqrt(S[j][j]);
    for (int i = j + 1; i < m; i++) {
      for (int k = 0; k < j; k++) S[i][j] -= S[i][k] * S[j][k];
      S[i][j] /= S[j][j];
    }
  }
  for (int i = 0; i < m; i++) {
    for (int k = 0; k < i; k++) lambda[i] -= S[i][k] * lambda[k];
    lambda[i] /= S[i][i];
  }
  for (int i = m - 1; i >= 0; i--) {
    for (int k = i + 1; k < m; k++) lambda[i] -= S[k][i] * lambda[k];
    lambda[i] /= S[i][i];
  }
  for (int i = n - 1; i >= 0; i--) {
    a[i] = r[i];
    for (int e = 0; e < m; e++) a[i] += y[e][i] * lambda[e];
    for (int k = i + 1; k < n; k++) a[i] -= M[k][i] * a[k];
    a[i] /= M[i][i];
  }
}

static void sleigh_same(const double *x, double *f) {
  double s = sin(x[2]), k = cos(x[2]);
  double M[8][8] = {{1}, {0, 1}, {0, 0, 0.5}}, A[4][8] = {{s, -k, 0}}, r[8] = {0}, b[4] = {(x[3] * k + x[4] * s) * x[5]};
  memcpy(f, x + 3, 3 * sizeof *f);
  saddle(3, 1, M, A, r, b, f + 3);
}

static void sleigh_closed(const double *x, double *f) {
  double s = sin(x[2]), k = cos(x[2]), lambda = -(x[3] * k + x[4] * s) * x[5];
  memcpy(f, x + 3, 3 * sizeof *f);
  f[3] = lambda * s;
  f[4] = -lambda * k;
  f[5] = 0;
}

// x y phi theta psi; m = 1, r = 1/2, A = 1/16, C = 1/8, g = 9.81
static void disc_same(const double *x, double *f) {
  const double m = 1, r = 0.5, I = 1.0 / 16, C = 1.0 / 8, g = 9.81;
  double sp = sin(x[2]), cp = cos(x[2]), st = sin(x[3]), ct = cos(x[3]), p = x[7], t = x[8], w = x[9];
  double M[8][8] = {{m}, {0, m}, {-m * r * st * cp, -m * r * st * sp, m * r * r * st * st + I * ct * ct + C * st * st},
                    {-m * r * ct * sp, m * r * ct * cp, 0, m * r * r + I}, {0, 0, C * st, 0, C}};
  double ax = -r * (-st * sp * t * t + 2 * ct * cp * t * p - st * sp * p * p), ay = r * (-st * cp * t * t - 2 * ct * sp * t * p - st * cp * p * p);
  double az = -r * ct * t * t;
  double force[8] = {-m * ax, -m * ay, m * r * st * (cp * ax + sp * ay) + 2 * I * p * t * ct * st - C * (w * ct * t + 2 * p * st * ct * t),
                     m * r * (ct * sp * ax - ct * cp * ay + st * az) - I * p * p * ct * st + C * (w + p * st) * p * ct + m * g * r * st, -C * p * ct * t};
  double A[4][8] = {{1, 0, 0, 0, r * cp}, {0, 1, 0, 0, r * sp}}, b[4] = {-r * w * sp * p, r * w * cp * p};
  memcpy(f, x + 5, 5 * sizeof *f);
  saddle(5, 2, M, A, force, b, f + 5);
}

static void onto_blade(double *x) {
  x[4] = x[3] * tan(x[2]);
}

static void onto_rolling(double *x) {
  x[5] = -0.5 * x[9] * cos(x[2]);
  x[6] = -0.5 * x[9] * sin(x[2]);
}

// The same by hand: with the total spin w = psi' + phi' sin(theta) the equations of phi, theta, psi stand alone
static void disc_closed(const double *x, double *f) {
  const double m = 1, r = 0.5, A = 1.0 / 16, C = 1.0 / 8, g = 9.81;
  const double sp = sin(x[2]), cp = cos(x[2]), s = sin(x[3]), ct = cos(x[3]), p = x[7], t = x[8], w = x[9] + p * s;
  memcpy(f, x + 5, 5 * sizeof *f);
  f[7] = t * (2 * A * p * s - C * w) / (A * ct);
  f[8] = (p * ct * ((C + m * r * r) * w - A * p * s) + m * g * r * s) * (1 / (A + m * r * r));
  f[9] = -s * f[7] - p * t * ct * ((C + 2 * m * r * r) / (C + m * r * r));
  f[5] = -r * (f[9] * cp - x[9] * p * sp);
  f[6] = -r * (f[9] * sp + x[9] * p * cp);
}

// Chain of n unit pendulums in absolute angles, dense
static inline __attribute__((always_inline)) void chain(int n, const double *x, double *f) {
  double M[40][40], *a = f + n;
  memcpy(f, x + n, (size_t)n * sizeof *f);
  for (int i = 0; i < n; i++) {
    a[i] = -9.81 * (n - i) * sin(x[i]);
    M[i][i] = n - i;
  }
  for (int i = 0; i < n; i++)
    for (int j = 0; j < i; j++) {
      double d = x[i] - x[j], s = (n - i) * sin(d);
      M[i][j] = (n - i) * cos(d);
      a[i] -= s * x[n + j] * x[n + j];
      a[j] += s * x[n + i] * x[n + i];
    }
  for (int k = 0; k < n; k++)
    for (int i = k + 1; i < n; i++) {
      double l = M[i][k] / M[k][k];
      for (int j = k + 1; j <= i; j++) M[i][j] -= l * M[j][k];
      a[i] -= l * a[k];
    }
  for (int k = n - 1; k >= 0; k--) {
    a[k] /= M[k][k];
    for (int i = 0; i < k; i++) a[i] -= M[k][i] * a[k];
  }
}
static __attribute__((noinline)) void chain2(const double *x, double *f) { chain(2, x, f); }
static __attribute__((noinline)) void chain5(const double *x, double *f) { chain(5, x, f); }
static __attribute__((noinline)) void chain10(const double *x, double *f) { chain(10, x, f); }
static __attribute__((noinline)) void chain20(const double *x, double *f) { chain(20, x, f); }
static __attribute__((noinline)) void chain40(const double *x, double *f) { chain(40, x, f); }

// ---- through the library
typedef struct system_ {
  size_t n, m;
  hml_expr q[MOST], v[MOST], T, V, f[4];
} system_;

static const char *names[MOST];

static void coordinates(system_ *s, size_t n, const char *const *list) {
  s->n = n;
  for (size_t i = 0; i < n; i++) {
    char name[24];
    snprintf(name, sizeof name, "q%zu", i + 1);
    s->q[i] = hml_symbol(c, list ? list[i] : name, HML_DYNAMIC, 0);
    s->v[i] = hml_dot(c, s->q[i]);
    names[i] = hml_symbol_name(s->q[i]);
  }
}

static hml_expr text(const system_ *s, const char *t) { return hml_parse(c, t, s->n, s->q); }

static hml_expr call(hml_function f, hml_expr a) { return hml_call(c, f, 1, &a); }

static void build_chain(system_ *s, size_t n) {
  *s = (system_){0};
  coordinates(s, n, NULL);
  int sine = hml_function_find("sin"), cosine = hml_function_find("cos");
  hml_expr vx = hml_integer(c, 0), vy = vx, y = vx;
  s->T = s->V = vx;
  for (size_t i = 0; i < n; i++) {
    vx = hml_add(c, vx, hml_mul(c, call(cosine, s->q[i]), s->v[i]));
    vy = hml_add(c, vy, hml_mul(c, call(sine, s->q[i]), s->v[i]));
    y = hml_sub(c, y, call(cosine, s->q[i]));
    s->T = hml_add(c, s->T, hml_div(c, hml_add(c, hml_mul(c, vx, vx), hml_mul(c, vy, vy)), hml_integer(c, 2)));
    s->V = hml_add(c, s->V, hml_mul(c, hml_decimal(c, "9.81"), y));
  }
}

typedef struct derived {
  hml_expr M[MOST * MOST], r[MOST], A[4 * MOST], b[4];
} derived;

static derived d;

// Lagrange's equations with multipliers, as the Lua form derives them
static void derive(const system_ *s) {
  size_t n = s->n;
  hml_expr L = hml_sub(c, s->T, s->V), p[MOST], force[MOST], bias[MOST], from[2 * MOST];
  must(hml_gradient(c, L, n, s->v, p));
  must(hml_gradient(c, L, n, s->q, force));
  memcpy(from, s->q, n * sizeof *from);
  must(hml_directional(c, n, p, n, from, s->v, bias));
  must(hml_hessian(c, n, p, s->v, d.M));
  for (size_t j = 0; j < n; j++) d.r[j] = hml_sub(c, force[j], bias[j]);
  for (size_t k = 0; k < s->m; k++) {
    must(hml_gradient(c, s->f[k], n, s->v, d.A + k * n));
    must(hml_directional(c, 1, &s->f[k], n, s->q, s->v, &d.b[k]));
  }
}

static hml_model *build(const system_ *s) {
  hml_model_spec spec = {.name = "bench", .n_kin = s->n, .n_dyn = s->n, .n_multipliers = s->m, .time = hml_symbol(c, "t", HML_TIME, 0),
                         .kin = s->q, .dyn = s->v, .dyn_names = names, .multiplier_names = names, .k = s->v, .mass = d.M, .rows = d.A,
                         .r = d.r, .b = d.b};
  hml_model *model;
  must(hml_model_new(c, &spec, &model));
  return model;
}

static int ascending(const void *a, const void *b) {
  double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

typedef void (*by_hand)(const double *, double *);

// onto: the state of the constraints beside x, where the closed form holds
static void check_closed(hml_workspace *w, const system_ *s, const double *x, by_hand closed, void (*onto)(double *), double *worst) {
  double y[2 * MOST], f[2 * MOST], g[2 * MOST];
  memcpy(y, x, 2 * s->n * sizeof *y);
  onto(y);
  must(hml_workspace_set_state(w, 0, y));
  must(hml_state_rate(w, f));
  closed(y, g);
  for (size_t i = 0; i < 2 * s->n; i++) *worst = fmax(*worst, fabs(f[i] - g[i]) / (1 + fabs(g[i])));
}

static void compare(const char *name, const system_ *s, by_hand same, by_hand closed, void (*onto)(double *)) {
  double t0 = cpu_seconds();
  derive(s);
  double t1 = cpu_seconds();
  hml_model *model = build(s);
  double t2 = cpu_seconds();
  hml_workspace *w;
  must(hml_workspace_new(c, model, &w));
  double x[2 * MOST], f[2 * MOST], g[2 * MOST], worst = 0;
  for (size_t i = 0; i < 2 * s->n; i++) x[i] = 0.3 + 0.37 * sin(1.0 + 2.1 * (double)i);
  must(hml_workspace_set_state(w, 0, x));
  must(hml_state_rate(w, f));
  same(x, g);
  for (size_t i = 0; i < 2 * s->n; i++) worst = fmax(worst, fabs(f[i] - g[i]) / (1 + fabs(g[i])));
  if (closed) check_closed(w, s, x, closed, onto, &worst);
  long calls = (long)(2e6 / (double)(s->n * s->n * s->n + 50)) + 50;
  double ours[ROUNDS], hand[ROUNDS], form[ROUNDS], sum = 0;
  for (int round = 0; round < ROUNDS; round++) {
    double a = cpu_seconds();
    for (long i = 0; i < calls; i++) {
      x[s->n - 1] += 1e-9;
      must(hml_workspace__rate(w, 0, x, f));
      sum += f[s->n];
    }
    double b = cpu_seconds();
    for (long i = 0; i < calls; i++) {
      x[s->n - 1] += 1e-9;
      same(x, g);
      sum += g[s->n];
    }
    double e = cpu_seconds();
    for (long i = 0; closed && i < calls; i++) {
      x[s->n - 1] += 1e-9;
      closed(x, g);
      sum += g[s->n];
    }
    double h = cpu_seconds();
    ours[round] = (b - a) / (double)calls * 1e9, hand[round] = (e - b) / (double)calls * 1e9, form[round] = (h - e) / (double)calls * 1e9;
  }
  qsort(ours, ROUNDS, sizeof *ours, ascending);
  qsort(hand, ROUNDS, sizeof *hand, ascending);
  qsort(form, ROUNDS, sizeof *form, ascending);
  double mine = ours[ROUNDS / 2];
  printf("%-8s %6zu %9.0f %9.0f %8.2f ", name, hml_model_operations(model), mine, hand[ROUNDS / 2], mine / hand[ROUNDS / 2]);
  if (closed) printf("%8.2f", mine / form[ROUNDS / 2]);
  else printf("%8s", "-");
  printf(" %7.0f%% %9.3f %9.3f %10.1e%s\n", 100 * (ours[ROUNDS - 1] - ours[0]) / mine, 1e3 * (t1 - t0), 1e3 * (t2 - t1), worst, sum == 0.5 ? "!" : "");
  hml_workspace_free(w);
  hml_model_free(model);
  if (!(worst < 1e-9)) {
    fprintf(stderr, "%s: library and hand-written code differ\n", name);
    exit(1);
  }
}

int main(int argc, char **argv) {
  c = hml_context_new(NULL, NULL);
  if (argc > 1) {                        // that many links derived once, for counting instructions
    system_ chain_of = {0};
    build_chain(&chain_of, (size_t)atoi(argv[1]) > MOST ? MOST : (size_t)atoi(argv[1]));
    derive(&chain_of);
    hml_context_free(c);
    return 0;
  }
  printf("%-8s %6s %9s %9s %8s %8s %8s %9s %9s %10s\n", "system", "ops", "ours ns", "hand ns", "/hand", "/closed", "spread", "derive ms",
         "model ms", "difference");
  system_ s = {0};
  const char *const sleigh[] = {"x", "y", "theta"}, *const disc[] = {"x", "y", "phi", "theta", "psi"};
  coordinates(&s, 3, sleigh);
  s.T = text(&s, "(x'^2 + y'^2)/2 + theta'^2/4");
  s.V = hml_integer(c, 0);
  s.f[s.m++] = text(&s, "x'*sin(theta) - y'*cos(theta)");
  compare("sleigh", &s, sleigh_same, sleigh_closed, onto_blade);
  s = (system_){0};
  coordinates(&s, 5, disc);
  s.T = text(&s, "((x' - (theta'*cos(theta)*sin(phi) + phi'*sin(theta)*cos(phi))/2)^2 + (y' + (theta'*cos(theta)*cos(phi)"
                 " - phi'*sin(theta)*sin(phi))/2)^2 + (theta'*sin(theta)/2)^2)/2 + (theta'^2 + (phi'*cos(theta))^2)/32 + (psi' + phi'*sin(theta))^2/16");
  s.V = text(&s, "9.81*cos(theta)/2");
  s.f[s.m++] = text(&s, "x' + psi'*cos(phi)/2");
  s.f[s.m++] = text(&s, "y' + psi'*sin(phi)/2");
  compare("disc", &s, disc_same, disc_closed, onto_rolling);
  const struct {
    const char *name;
    size_t n;
    by_hand hand;
  } chains[] = {{"chain2", 2, chain2}, {"chain5", 5, chain5}, {"chain10", 10, chain10}, {"chain20", 20, chain20}, {"chain40", 40, chain40}};
  for (size_t i = 0; i < sizeof chains / sizeof chains[0]; i++) {
    build_chain(&s, chains[i].n);
    compare(chains[i].name, &s, chains[i].hand, NULL, NULL);
  }
  // growth of the derivation
  double before = 0;
  for (size_t n = 10; n <= 80; n *= 2) {
    double best = 1e9;
    for (int round = 0; round < 5; round++) {
      hml_context_sweep(c);
      build_chain(&s, n);
      double t = cpu_seconds();
      derive(&s);
      best = fmin(best, cpu_seconds() - t);
    }
    printf("derivation of %2zu links: %7.2f ms", n, 1e3 * best);
    if (before > 0) printf("   n^%.2f", log2(best / before));
    printf("\n");
    before = best;
  }
  hml_context_free(c);
  return 0;
}
