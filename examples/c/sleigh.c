// sleigh.c: Chaplygin's sleigh in C: equations from T and the blade's constraint, a run, and the closed solution beside it.
//   cc sleigh.c $(pkg-config --cflags --libs hamel) -lm -o sleigh          or, with CMake: the CMakeLists.txt beside this file
#include <hamel.h>
#include <math.h>
#include <stdio.h>

enum { X, Y, THETA, N, BLADE = N };                                        // the blade touches at (x, y) and points along theta

int main(void) {
  hml_context *c = hml_context_new(NULL, NULL);
  hml_expr q[N] = {hml_symbol(c, "x", HML_DYNAMIC, 0), hml_symbol(c, "y", HML_DYNAMIC, 0), hml_symbol(c, "theta", HML_DYNAMIC, 0)};
  hml_expr known[] = {q[X], q[Y], q[THETA], hml_symbol(c, "m", HML_POSITIVE, 0), hml_symbol(c, "J", HML_POSITIVE, 0), hml_symbol(c, "a", 0, 0)};
  const double m = 2, J = 0.5, a = 0.3;                                    // kg, kg m^2, m from the blade to the mass centre
  hml_expr T = hml_parse(c, "m/2*((x' - a*theta'*sin(theta))^2 + (y' + a*theta'*cos(theta))^2) + J/2*theta'^2", 6, known);
  hml_expr blade = hml_parse(c, "x'*sin(theta) - y'*cos(theta)", 6, known), v[N], acceleration[N], zeros[N], equations[N + 1];
  for (int i = 0; i < N; i++) v[i] = hml_dot(c, q[i]), acceleration[i] = hml_dot(c, v[i]), zeros[i] = hml_integer(c, 0);

  // (dT/dv)' - dT/dq = A^T lambda and blade' = 0 are linear in the accelerations: coefficients M, A; the rest -r, b
  hml_expr coefficients[(N + 1) * N], rest[N + 1], r[N];
  for (int i = 0; i < N; i++) equations[i] = hml_sub(c, hml_time_derivative(c, hml_derivative(c, T, v[i])), hml_derivative(c, T, q[i]));
  equations[BLADE] = hml_time_derivative(c, blade);
  hml_jacobian(c, N + 1, equations, N, acceleration, coefficients);
  for (int i = 0; i <= N; i++) rest[i] = hml_substitute(c, equations[i], N, acceleration, zeros);
  for (int i = 0; i < N; i++) r[i] = hml_neg(c, rest[i]);

  const double x0[2 * N] = {0, 0, 0, 0, 0, 2};                             // at rest but for theta' = 2 rad/s
  hml_model_spec spec = {.name = "sleigh", .n_kin = N, .n_dyn = N, .n_multipliers = 1, .n_parameters = 3, .n_velocities = 1,
      .time = hml_symbol(c, "t", HML_TIME, 0), .kin = q, .dyn = v, .parameters = known + N, .parameter_values = (double[]){m, J, a},
      .dyn_names = (const char *[]){"x", "y", "theta"}, .multiplier_names = (const char *[]){"blade"}, .velocity_names = (const char *[]){"blade"},
      .k = v, .mass = coefficients, .rows = coefficients + BLADE * N, .r = r, .b = rest + BLADE,
      .velocity_residuals = &blade, .velocity_jacobian = coefficients + BLADE * N, .energy = T, .kinetic = T};
  hml_model *model = NULL;
  hml_workspace *w = NULL;
  hml_trajectory *run = NULL;
  hml_outcome outcome = {HML_OK};
  double error = INFINITY;
  if (hml_model_new(c, &spec, &model) == HML_OK && hml_workspace_new(c, model, &w) == HML_OK &&
      hml_run(w, NULL, 0, 3, x0, &run, &outcome) == HML_OK && outcome.status == HML_OK) {   // t: s; NULL: the default options
    const double *x = hml_trajectory_state(run, hml_trajectory_points(run) - 1), k = sqrt(J / m + a * a), top = k * x0[N + THETA];
    double speed = x[N + X] * cos(x[THETA]) + x[N + Y] * sin(x[THETA]), closed = top * tanh(a * top * outcome.t / (k * k));
    error = fabs(speed - closed);
    printf("forward speed after %g s: %.9f m/s in %zu steps; closed solution: %.9f m/s\n", outcome.t, speed, outcome.steps, closed);
  } else {
    fprintf(stderr, "sleigh: %s%s\n", hml_context_error(c)->message, outcome.message);
  }
  hml_trajectory_free(run);
  hml_workspace_free(w);
  hml_model_free(model);
  hml_context_free(c);
  return error < 1e-8 ? 0 : 1;
}
