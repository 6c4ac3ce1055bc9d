// tests src/integrate/ensemble.c, src/integrate/lanes.c and src/integrate/batches.c
#include "problems.h"


// x'' = -k x - c x', k and c per job; the work of the drag is a quadrature
static hml_model *oscillator(hml_context *c) {
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), k = hml_symbol(c, "k", 0, 0), d = hml_symbol(c, "c", 0, 0);
  hml_expr one = hml_integer(c, 1), parameters[] = {k, d}, r = hml_neg(c, hml_add(c, hml_mul(c, k, x), hml_mul(c, d, v)));
  const double values[] = {1, 0};
  static const char *const names[] = {"x"};
  hml_model_spec spec = {.name = "oscillator", .n_kin = 1, .n_dyn = 1, .n_parameters = 2, .time = hml_symbol(c, "t", HML_TIME, 0), .kin = &x, .dyn = &v,
                         .parameters = parameters, .parameter_values = values, .dyn_names = names, .k = &v, .mass = &one, .r = &r,
                         .power = hml_neg(c, hml_mul(c, d, hml_mul(c, v, v)))};
  hml_model *m;
  assert_int_equal(hml_model_new(c, &spec, &m), HML_OK);
  return m;
}

enum { JOBS = 57, TIMES = 2 };

static void fill(size_t n, double *starts, double *parameters) {
  for (size_t i = 0; i < n; i++) {
    starts[3 * i] = 1 + 0.01 * (double)(i % 100);
    starts[3 * i + 1] = 0.5;
    starts[3 * i + 2] = 0;
    parameters[2 * i] = 0.5 + 0.1 * (double)(i % 37);
    parameters[2 * i + 1] = 0.02 * (double)(i % 5);
  }
}

// Damped oscillation in closed form
static double exact(const double *start, const double *parameters, double t) {
  double k = parameters[0], c = parameters[1], w = sqrt(k - c * c / 4);
  return exp(-c * t / 2) * (start[0] * cos(w * t) + (start[1] + c * start[0] / 2) / w * sin(w * t));
}

static void every_width_and_any_number_of_threads_meets_the_closed_form(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3 * JOBS], parameters[2 * JOBS], states[3 * JOBS * TIMES], first[3 * JOBS * TIMES];
  hml_ensemble_row rows[JOBS];
  hml_run_options o = options_of("dop853", 1e-11);
  const double times[TIMES] = {4, 20};
  fill(JOBS, starts, parameters);
  for (unsigned lanes = 1; lanes <= 8; lanes *= 2) {
    if (lanes == 2) continue;
    for (unsigned threads = 1; threads <= 4; threads++) {
      hml_ensemble_spec spec = {.n = JOBS, .n_times = TIMES, .times = times, .starts = starts, .parameters = parameters, .options = &o,
                                .threads = threads, .lanes = lanes};
      assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
      for (size_t i = 0; i < JOBS; i++) {
        assert_int_equal(rows[i].status, HML_OK);
        assert_true(rows[i].t == 20 && rows[i].steps > 10);
        for (int k = 0; k < TIMES; k++) check_near(states[3 * (i * TIMES + k)], exact(starts + 3 * i, parameters + 2 * i, times[k]), 1e-9);
        // what the drag took is missing from the energy
        const double *x = states + 3 * (i * TIMES + 1), *x0 = starts + 3 * i;
        check_near(x[1] * x[1] / 2 + parameters[2 * i] * x[0] * x[0] / 2 - x[2], x0[1] * x0[1] / 2 + parameters[2 * i] * x0[0] * x0[0] / 2, 1e-9);
      }
      if (threads == 1) memcpy(first, states, sizeof first);
      assert_memory_equal(first, states, sizeof first);
      hml_ensemble_free_messages(c, JOBS, rows);
    }
  }
  hml_model_free(m);
}

// Sums and products alone, so that rk4 has the same bits in lanes; the stages of Gauss end at rounding
static void steps_of_one_size_are_those_of_single_runs(void **state) {
  static const char *const methods[] = {"rk4", "gauss4", "gauss6", "gauss8"};
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3 * JOBS], parameters[2 * JOBS], states[3 * JOBS * TIMES], first[3 * JOBS * TIMES];
  hml_ensemble_row rows[JOBS], row[JOBS];
  const double times[TIMES] = {0.505, -4};
  fill(JOBS, starts, parameters);
  for (int which = 0; which < 4; which++) {
    hml_run_options o = options_of(methods[which], 1e-9);
    o.step = 0.03;
    for (int back = 0; back < 2; back++)
      for (unsigned lanes = 1; lanes <= 8; lanes += lanes == 1 ? 3 : 4) {
        hml_ensemble_spec spec = {.n = JOBS, .n_times = 1, .times = times + back, .starts = starts, .parameters = parameters, .options = &o,
                                  .threads = lanes == 8 ? 3 : 1, .lanes = lanes};
        assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
        for (size_t i = 0; i < JOBS; i++) {
          assert_int_equal(rows[i].status, HML_OK);
          assert_true(rows[i].t == times[back]);
          check_near(states[3 * i], exact(starts + 3 * i, parameters + 2 * i, times[back]), 1e-4);
          for (int k = 0; k < 3 && lanes > 1; k++) check_near(states[3 * i + (size_t)k], first[3 * i + (size_t)k], which ? 1e-14 : 0);
          if (lanes > 1) assert_int_equal(rows[i].steps, row[i].steps);
        }
        if (lanes == 1) memcpy(first, states, sizeof first), memcpy(row, rows, sizeof row);
        hml_ensemble_free_messages(c, JOBS, rows);
      }
  }
  hml_model_free(m);
}

// Steps that are too long are no matter of the lanes: the general route doubts them, and says why
static void doubts_are_those_of_single_runs(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3 * 20], parameters[2 * 20], states[3 * 20];
  hml_ensemble_row rows[20];
  const double end = 30;
  hml_run_options o = options_of("rk4", 1e-9);
  o.step = 0.05;
  fill(20, starts, parameters);
  for (int i = 0; i < 20; i++) parameters[2 * i + 1] = 0;
  parameters[2 * 11] = 400;            // one radian a step
  for (unsigned lanes = 1; lanes <= 8; lanes += lanes == 1 ? 3 : 4) {
    hml_ensemble_spec spec = {.n = 20, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .lanes = lanes};
    assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
    for (int i = 0; i < 20; i++) {
      assert_int_equal(rows[i].status, HML_OK);
      assert_int_equal(rows[i].doubted, i == 11);
    }
    check_contains(rows[11].message, "the errors of the steps of 0.05");
    hml_ensemble_free_messages(c, 20, rows);
  }
  o.step = 0;
  hml_ensemble_spec spec = {.n = 20, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o};
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_ARGUMENT);
  hml_ensemble_free_messages(c, 20, rows);
  hml_context_clear_error(c);
  hml_model_free(m);
}

static void backward_and_empty_spans_are_runs_too(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3 * 9], parameters[2 * 9], states[3 * 9];
  hml_ensemble_row rows[9];
  const double back = -5, none = 0;
  fill(9, starts, parameters);
  hml_ensemble_spec spec = {.n = 9, .n_times = 1, .times = &back, .starts = starts, .parameters = parameters};
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
  for (size_t i = 0; i < 9; i++) check_near(states[3 * i], exact(starts + 3 * i, parameters + 2 * i, back), 1e-7);
  spec.times = &none;
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
  assert_memory_equal(states, starts, sizeof states);
  spec.n = 0;
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
  hml_model_free(m);
}

// A job that fails says why; the others go on
static void failures_keep_their_reason(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3 * 20], parameters[2 * 20], states[3 * 20];
  hml_ensemble_row rows[20];
  const double end = 10;
  hml_run_options o = options_of("dop853", 1e-9);
  o.max_steps = 200;
  fill(20, starts, parameters);
  starts[3 * 7] = NAN;
  parameters[2 * 11] = 1e8;            // too many steps
  for (unsigned lanes = 1; lanes <= 8; lanes *= 8) {
    hml_ensemble_spec spec = {.n = 20, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .lanes = lanes};
    hml_status status = hml_ensemble_run(c, m, &spec, states, rows);
    // a start that is no number is a mistake of the caller and stops the whole
    assert_int_equal(status, HML_ARGUMENT);
    hml_ensemble_free_messages(c, 20, rows);
  }
  starts[3 * 7] = 1;
  for (unsigned lanes = 1; lanes <= 8; lanes *= 8) {
    hml_ensemble_spec spec = {.n = 20, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .lanes = lanes};
    assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
    for (size_t i = 0; i < 20; i++) {
      assert_int_equal(rows[i].status, i == 11 ? HML_TOO_MANY_STEPS : HML_OK);
      assert_true(isnan(states[3 * i]) == (i == 11));
    }
    check_contains(rows[11].message, "200 steps");
    hml_ensemble_free_messages(c, 20, rows);
  }
  hml_model_free(m);
}

static void interrupt(void *payload, size_t done, size_t failed) {
  (void)failed;
  if (done > 0) *hml_context_interrupt_flag(payload) = 1;
}

static void an_interrupt_before_the_start_leaves_rows_that_say_so(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  enum { FEW = 20 };
  double starts[3 * FEW], parameters[2 * FEW], states[3 * FEW];
  hml_ensemble_row rows[FEW];
  const double end = 3;
  fill(FEW, starts, parameters);
  static const char *const methods[] = {"dop853", "taylor", "auto", "radau5", "rk4"};
  for (size_t k = 0; k < sizeof methods / sizeof *methods; k++) {
    hml_run_options o = hml_run_options_default();
    o.method = methods[k];
    o.step = strcmp(methods[k], "rk4") == 0 ? 0.1 : 0;
    hml_ensemble_spec spec = {.n = FEW, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .threads = 2, .lanes = 8};
    *hml_context_interrupt_flag(c) = 1;
    assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
    *hml_context_interrupt_flag(c) = 0;
    for (size_t i = 0; i < FEW; i++) assert_int_equal(rows[i].status, HML_INTERRUPTED);
    hml_ensemble_free_messages(c, FEW, rows);
  }
  hml_model_free(m);
}

static void an_interrupt_keeps_what_is_finished(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  enum { MANY = 4000 };
  double *starts = calloc(3 * MANY, sizeof *starts), *parameters = calloc(2 * MANY, sizeof *parameters), *states = calloc(3 * MANY, sizeof *states);
  hml_ensemble_row *rows = calloc(MANY, sizeof *rows);
  const double end = 3000;
  hml_run_options o = options_of("rk4", 1e-9);
  o.step = 0.1;
  fill(MANY, starts, parameters);
  for (unsigned which = 0; which < 4; which++) {
    hml_ensemble_spec spec = {.n = MANY, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .threads = 2,
                              .options = which < 2 ? NULL : &o, .lanes = which % 2 ? 8 : 1, .payload = c, .progress = interrupt};
    assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
    *hml_context_interrupt_flag(c) = 0;
    size_t finished = 0;
    for (size_t i = 0; i < MANY; i++) {
      if (rows[i].status == HML_OK) {
        finished++;
        assert_true(isfinite(states[3 * i]));
      } else {
        assert_int_equal(rows[i].status, HML_INTERRUPTED);
        assert_true(isnan(states[3 * i]));
      }
    }
    assert_true(finished > 0 && finished < MANY);
    hml_ensemble_free_messages(c, MANY, rows);
  }
  free(starts);
  free(parameters);
  free(states);
  free(rows);
  hml_model_free(m);
}

// x'' = -k x and the condition x' = 1/2 on its start: jobs without a spring keep it
static void only_runs_that_keep_their_constraints_are_made_in_lanes(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), k = hml_symbol(c, "k", 0, 0), one = hml_integer(c, 1);
  hml_expr r = hml_neg(c, hml_mul(c, k, x)), off = hml_sub(c, v, hml_rational(c, 1, 2));
  const double value = 1, end = 2;
  static const char *const names[] = {"x"}, *const conditions[] = {"speed"};
  hml_model_spec given = {.name = "driven", .n_kin = 1, .n_dyn = 1, .n_parameters = 1, .n_velocities = 1, .time = hml_symbol(c, "t", HML_TIME, 0), .kin = &x,
                          .dyn = &v, .parameters = &k, .parameter_values = &value, .dyn_names = names, .k = &v, .mass = &one, .r = &r,
                          .velocity_names = conditions, .velocity_residuals = &off, .velocity_jacobian = &one};
  hml_model *m;
  assert_int_equal(hml_model_new(c, &given, &m), HML_OK);
  enum { FEW = 21 };
  double starts[2 * FEW], parameters[FEW], states[2 * FEW];
  hml_ensemble_row rows[FEW];
  for (size_t i = 0; i < FEW; i++) {
    starts[2 * i] = (double)i;
    starts[2 * i + 1] = 0.5;
    // a drift of some tolerances is allowed
    parameters[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 1 : 1e-11;
  }
  static const char *const methods[] = {"dop853", "taylor"};
  for (int which = 0; which < 2; which++) {
    hml_run_options o = options_of(methods[which], 1e-9);
    o.project = 0;
    for (unsigned lanes = 1; lanes <= 8; lanes += lanes == 1 ? 3 : 4) {
      hml_ensemble_spec spec = {.n = FEW, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .lanes = lanes,
                                .threads = 2, .only_lanes = 1};
      assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
      for (size_t i = 0; i < FEW; i++) {
        const bool in_lanes = lanes > 1 && hml_native__widest() > 1;
        assert_int_equal(rows[i].left, !in_lanes || (i % 3 == 1));
        assert_int_equal(rows[i].status, rows[i].left ? HML_INTERRUPTED : HML_OK);
        if (rows[i].left) assert_true(isnan(states[2 * i]));
        else check_near(states[2 * i], starts[2 * i] + 1, 1e-8);
      }
      hml_ensemble_free_messages(c, FEW, rows);
    }
  }
  hml_model_free(m);
}

static void mistakes_are_answered(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  double starts[3] = {1, 0, 0}, states[6];
  hml_ensemble_row rows[1];
  const double wrong[] = {1, 0.5};
  hml_run_options o = options_of("dop854", 1e-9);
  hml_ensemble_spec spec = {.n = 1, .n_times = 2, .times = wrong, .starts = starts};
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "monotonic");
  spec.n_times = 1;
  spec.options = &o;
  assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_ARGUMENT);
  check_contains(hml_context_error(c)->message, "dop853");
  hml_context_clear_error(c);
  hml_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_width_and_any_number_of_threads_meets_the_closed_form),
      cmocka_unit_test(steps_of_one_size_are_those_of_single_runs),
      cmocka_unit_test(doubts_are_those_of_single_runs),
      cmocka_unit_test(backward_and_empty_spans_are_runs_too),
      cmocka_unit_test(failures_keep_their_reason),
      cmocka_unit_test(an_interrupt_keeps_what_is_finished), cmocka_unit_test(an_interrupt_before_the_start_leaves_rows_that_say_so),
      cmocka_unit_test(only_runs_that_keep_their_constraints_are_made_in_lanes),
      cmocka_unit_test(mistakes_are_answered),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
