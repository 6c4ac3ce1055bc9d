// tests src/integrate/readings.c, src/integrate/lanes_guards.inc, src/integrate/lanes_ranges.inc and src/integrate/lanes_means.inc: what is read off the runs of an ensemble
#include "problems.h"

enum { JOBS = 21, INPUTS = 5 };

// x'' = -k x, k per job
static hml_model *oscillator(hml_context *c) {
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), k = hml_symbol(c, "k", 0, 0), one = hml_integer(c, 1);
  hml_expr r = hml_neg(c, hml_mul(c, k, x));
  const double values[] = {1};
  static const char *const names[] = {"x"};
  hml_model_spec spec = {.name = "oscillator", .n_kin = 1, .n_dyn = 1, .n_parameters = 1, .time = hml_symbol(c, "t", HML_TIME, 0), .kin = &x, .dyn = &v,
                         .parameters = &k, .parameter_values = values, .dyn_names = names, .k = &v, .mass = &one, .r = &r};
  hml_model *m;
  assert_int_equal(hml_model_new(c, &spec, &m), HML_OK);
  return m;
}

// Functions of t, x, v, k and a constant
static hml_program *function(hml_context *c, size_t n, const hml_expr *e) {
  hml_expr in[INPUTS] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", HML_DYNAMIC, 0), hml_dot(c, hml_symbol(c, "x", HML_DYNAMIC, 0)),
                         hml_symbol(c, "k", 0, 0), hml_symbol(c, "level", 0, 0)};
  hml_program *p;
  assert_int_equal(hml_program_new(c, INPUTS, in, n, e, &p), HML_OK);
  return p;
}

typedef struct results {
  size_t counts[4 * JOBS];
  double peaks[2 * JOBS], means[3 * JOBS], states[2 * JOBS], roots[JOBS][64];
  size_t n_roots[JOBS];
} results;

// Roots of x (rising, stored), of x - level, of v, of sin(9 x), which is no polynomial; largest and least x; means of x, x^2 and of a
// bump exp(-level (16 x)^2)
static void read(hml_context *c, hml_model *m, unsigned lanes, unsigned threads, results *out) {
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), level = hml_symbol(c, "level", 0, 0);
  hml_expr argument = hml_mul(c, hml_integer(c, 9), x);
  hml_expr square = hml_mul(c, x, x), bump = hml_neg(c, hml_mul(c, level, hml_mul(c, hml_integer(c, 256), square)));
  hml_expr list[] = {x, hml_sub(c, x, level), v, hml_call(c, HML_FUN_sin, 1, &argument), x, x, x, square, hml_call(c, HML_FUN_exp, 1, &bump)};
  enum { FUNCTIONS = sizeof list / sizeof *list };
  const hml_program *programs[FUNCTIONS];
  double starts[2 * JOBS], parameters[JOBS], constants[2 * JOBS];
  hml_ensemble_row rows[JOBS];
  for (size_t i = 0; i < FUNCTIONS; i++) programs[i] = function(c, 1, list + i);
  hml_program *all = function(c, 6, list), *averaged = function(c, 3, list + 6);
  for (size_t i = 0; i < JOBS; i++) {
    starts[2 * i] = 1 + 0.1 * (double)i, starts[2 * i + 1] = 0;
    parameters[i] = constants[2 * i] = 0.5 + 0.1 * (double)i;
    constants[2 * i + 1] = 0.25;
  }
  const double end = 20, from[] = {0, 0, 1e-12, 0};
  const int directions[] = {1, 0, 0, 0}, signs[] = {1, -1};
  const size_t keep[] = {SIZE_MAX, 0, 0, 0}, turns[] = {2, 2};
  hml_readings_spec readings = {.states = 2, .n_constants = 2, .n_roots = 4, .n_peaks = 2, .n_means = 3, .constants = constants, .all = all, .averaged = averaged, .programs = programs,
                                .directions = directions, .from = from, .keep = keep, .turns = turns, .signs = signs, .counts = out->counts,
                                .peaks = out->peaks, .means = out->means};
  hml_run_options o = options_of("dop853", 1e-10);
  hml_ensemble_spec spec = {.n = JOBS, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .readings = &readings,
                            .threads = threads, .lanes = lanes};
  assert_int_equal(hml_ensemble_run(c, m, &spec, out->states, rows), HML_OK);
  for (size_t i = 0; i < JOBS; i++) {
    assert_int_equal(rows[i].status, HML_OK);
    out->n_roots[i] = rows[i].n_found / 4;
    assert_true(out->n_roots[i] <= 64);
    for (size_t k = 0; k < out->n_roots[i]; k++) {
      const double *entry = rows[i].found + 4 * k;
      assert_true(entry[0] == 0);
      check_near(entry[2], 0, 1e-12);
      assert_true(entry[3] > 0);
      out->roots[i][k] = entry[1];
    }
  }
  hml_ensemble_free_messages(c, JOBS, rows);
  hml_program_free(all);
  hml_program_free(averaged);
  for (size_t i = 0; i < FUNCTIONS; i++) hml_program_free((hml_program *)programs[i]);
}

// How often a cos(w t) passes a level from 0 < t to the end, w the frequency
static size_t passages(double a, double w, double level, double end) {
  double first = acos(level / a), period = 2 * acos(-1.0), phase = w * end;
  size_t n = 0;
  for (double turn = 0; turn <= phase; turn += period) n += (turn + first <= phase) + (turn + period - first <= phase);
  return n;
}

// Mean of exp(-64 (a cos(w t))^2) up to the end by the trapezoidal rule
static double mean_of_bump(double a, double w, double end) {
  const int n = 20000;
  double sum = 0;
  for (int i = 0; i <= n; i++) {
    const double x = a * cos(w * end * i / n);
    sum += exp(-64 * x * x) * (i % n ? 1 : 0.5);
  }
  // its error is that of the slopes at the ends
  const double x = a * cos(w * end), slope = exp(-64 * x * x) * 128 * x * a * w * sin(w * end), h = end / n;
  return (sum - h / 12 * slope) / n;
}

static void roots_largest_values_and_means_meet_the_closed_form(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  static results first, again;
  for (unsigned lanes = 1; lanes <= 8; lanes = lanes == 1 ? 4 : 2 * lanes) {
    read(c, m, lanes, 1, &first);
    for (size_t i = 0; i < JOBS; i++) {
      const double w = sqrt(0.5 + 0.1 * (double)i), a = 1 + 0.1 * (double)i, pi = acos(-1.0);
      size_t nines = 0;
      for (int k = -20; k <= 20; k++) nines += fabs(k * pi / 9) < a ? passages(a, w, k * pi / 9, 20) : 0;
      assert_int_equal(first.counts[4 * i], first.n_roots[i]);
      assert_int_equal(first.counts[4 * i], (size_t)floor((w * 20 + pi / 2) / (2 * pi)));
      assert_int_equal(first.counts[4 * i + 1], passages(a, w, 0.25, 20));
      assert_int_equal(first.counts[4 * i + 2], (size_t)floor(w * 20 / pi));
      assert_int_equal(first.counts[4 * i + 3], nines);
      for (size_t k = 0; k < first.n_roots[i]; k++) check_near(first.roots[i][k], ((double)k + 0.75) * 2 * pi / w, 1e-8);
      check_near(first.peaks[2 * i], a, 1e-8);
      check_near(first.peaks[2 * i + 1], -a, 1e-8);
      check_near(first.means[3 * i], a * sin(w * 20) / (w * 20), 1e-8);
      check_near(first.means[3 * i + 1], a * a * (0.5 + sin(w * 40) / (w * 80)), 1e-8);
      check_near(first.means[3 * i + 2], mean_of_bump(a, w, 20), 1e-8);
    }
    for (unsigned threads = 2; threads <= 3; threads++) {
      memset(&again, 0, sizeof again);
      read(c, m, lanes, threads, &again);
      assert_memory_equal(first.counts, again.counts, sizeof first.counts);
      assert_memory_equal(first.peaks, again.peaks, sizeof first.peaks);
      assert_memory_equal(first.means, again.means, sizeof first.means);
      assert_memory_equal(first.n_roots, again.n_roots, sizeof first.n_roots);
      for (size_t i = 0; i < JOBS; i++) assert_memory_equal(first.roots[i], again.roots[i], first.n_roots[i] * sizeof(double));
    }
  }
  hml_model_free(m);
}

static void functions_of_another_shape_are_refused(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0);
  hml_program *p = function(c, 1, &x);
  const hml_program *programs[] = {p};
  const double start[2] = {1, 0}, end = 1, from = 0;
  const int direction = 0;
  const size_t keep = 0;
  size_t count;
  double states[2];
  hml_ensemble_row row;
  hml_readings_spec readings = {.states = 2, .n_constants = 7, .n_roots = 1, .constants = states, .all = p, .programs = programs,
                                .directions = &direction, .from = &from, .keep = &keep, .counts = &count};
  hml_ensemble_spec spec = {.n = 1, .n_times = 1, .times = &end, .starts = start, .readings = &readings};
  hml_ensemble_run(c, m, &spec, states, &row);
  assert_message(c, HML_ARGUMENT, "has not the inputs");
  readings.n_constants = 2, readings.n_roots = 0, readings.n_means = 1;
  hml_ensemble_run(c, m, &spec, states, &row);
  assert_message(c, HML_ARGUMENT, "the program of the means");
  hml_program_free(p);
  hml_model_free(m);
}

// Of runs in which x passes the level 0.25 or does not: the rest of what is read stays, in lanes as by itself
static void readings_without_a_value_are_refused(void **state) {
  hml_context *c = *state;
  hml_model *m = oscillator(c);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), level = hml_symbol(c, "level", 0, 0), gap = hml_sub(c, x, level);
  hml_expr pole = hml_pow(c, gap, hml_integer(c, -1)), log = hml_call(c, HML_FUN_log, 1, &x);
  // roots of 1/gap and of x; largest 1/gap, least 1/gap^2, largest |v|; means of 1/gap, of log x, and of x
  hml_expr list[] = {pole, x, pole, hml_pow(c, gap, hml_integer(c, -2)), hml_call(c, HML_FUN_abs, 1, &v), pole, log, x};
  enum { FUNCTIONS = sizeof list / sizeof *list, RUNS = 9, MEAN = 5 };
  const hml_program *programs[FUNCTIONS];
  for (size_t i = 0; i < FUNCTIONS; i++) programs[i] = function(c, 1, list + i);
  hml_program *all = function(c, MEAN, list), *averaged = function(c, 3, list + MEAN);
  double starts[2 * RUNS], constants[2 * RUNS], parameters[RUNS], peaks[3 * RUNS], means[3 * RUNS], states[2 * RUNS];
  size_t counts[2 * RUNS];
  for (size_t i = 0; i < RUNS; i++) {
    starts[2 * i] = 0.1 + 0.1 * (double)i, starts[2 * i + 1] = 0;
    parameters[i] = constants[2 * i] = 1, constants[2 * i + 1] = 0.25;
  }
  const double end = 20, from[] = {1e-9, 1e-9};
  const int directions[] = {0, 0}, signs[] = {1, -1, 1};
  const size_t keep[] = {SIZE_MAX, 0}, turns[] = {2, 2, 2};
  const unsigned char searched[] = {1, 1, 1};
  hml_readings_spec readings = {.states = 2, .n_constants = 2, .n_roots = 2, .n_peaks = 3, .n_means = 3, .constants = constants, .all = all, .averaged = averaged,
                                .programs = programs, .directions = directions, .from = from, .keep = keep, .turns = turns, .signs = signs,
                                .searched = searched, .counts = counts, .peaks = peaks, .means = means};
  hml_run_options o = options_of("dop853", 1e-10);
  for (unsigned lanes = 1; lanes <= 8; lanes = lanes == 1 ? 4 : 2 * lanes) {
    hml_ensemble_row rows[RUNS];
    hml_ensemble_spec spec = {.n = RUNS, .n_times = 1, .times = &end, .starts = starts, .parameters = parameters, .options = &o, .readings = &readings,
                              .threads = 2, .lanes = lanes};
    assert_int_equal(hml_ensemble_run(c, m, &spec, states, rows), HML_OK);
    for (size_t i = 0; i < RUNS; i++) {
      const double a = starts[2 * i];
      const bool passes = a > 0.25;
      bool refused[FUNCTIONS] = {false};
      assert_int_equal(rows[i].status, HML_OK);
      for (size_t k = 0; k < rows[i].n_found; k += 4) {
        const double *entry = rows[i].found + k, program = -1 - entry[0];
        assert_true(program >= 0 && program < FUNCTIONS);
        refused[(size_t)program] = true;
        // 1/gap has no value where x is 0.25 first, the logarithm where it is 0
        check_near(entry[1], acos((program == 6 ? 0 : 0.25) / a), 1e-6);
        check_near(entry[2], program == 6 ? 0 : 0.25, 1e-6);
      }
      const bool expected[FUNCTIONS] = {false, false, passes, false, false, passes, true, false};
      for (size_t k = 0; k < FUNCTIONS; k++)
        if (refused[k] != expected[k]) fail_msg("lanes %u, run %zu, function %zu", lanes, i, k);
      assert_int_equal(counts[2 * i], 0);
      assert_int_equal(counts[2 * i + 1], 6);
      if (passes) assert_true(isnan(peaks[3 * i]) && isnan(means[3 * i]));
      else check_near(peaks[3 * i], -1 / (0.25 + a), 1e-7);
      check_near(peaks[3 * i + 1], 1 / ((0.25 + a) * (0.25 + a)), 1e-7);
      check_near(peaks[3 * i + 2], a, 1e-8);
      // by the rule of the trapezium
      if (!passes) {
        double sum = 0;
        for (int k = 0; k <= 100000; k++) sum += (k % 100000 ? 1 : 0.5) / (a * cos(20 * k / 1e5) - 0.25);
        check_near(means[3 * i], sum / 1e5, 1e-7);
      }
      assert_true(isnan(means[3 * i + 1]));
      check_near(means[3 * i + 2], a * sin(20) / 20, 1e-8);
    }
    hml_ensemble_free_messages(c, RUNS, rows);
  }
  hml_program_free(all);
  hml_program_free(averaged);
  for (size_t i = 0; i < FUNCTIONS; i++) hml_program_free((hml_program *)programs[i]);
  hml_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(roots_largest_values_and_means_meet_the_closed_form),
      cmocka_unit_test(readings_without_a_value_are_refused),
      cmocka_unit_test(functions_of_another_shape_are_refused),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
