// tests src/mechanics/lane_codes.c: programs and machine code for vector lanes that a model keeps.
#include "mechanics/mechanics.h"
#include "support.h"

#include <pthread.h>

// x'' = -k x^3 with the condition x' = t on its start
static hml_model *spring(hml_context *c) {
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), v = hml_dot(c, x), k = hml_symbol(c, "k", 0, 0), one = hml_integer(c, 1), t = hml_symbol(c, "t", HML_TIME, 0);
  hml_expr r = hml_neg(c, hml_mul(c, k, hml_mul(c, x, hml_mul(c, x, x)))), off = hml_sub(c, v, t);
  const double value = 2;
  static const char *const names[] = {"x"}, *const conditions[] = {"speed"};
  hml_model_spec given = {.name = "spring", .n_kin = 1, .n_dyn = 1, .n_parameters = 1, .n_velocities = 1, .time = t, .kin = &x, .dyn = &v, .parameters = &k,
                          .parameter_values = &value, .dyn_names = names, .k = &v, .mass = &one, .r = &r, .velocity_names = conditions,
                          .velocity_residuals = &off, .velocity_jacobian = &one};
  hml_model *m;
  assert_int_equal(hml_model_new(c, &given, &m), HML_OK);
  return m;
}

static void residuals_and_tangents_have_the_values_of_the_model(void **state) {
  hml_context *c = *state;
  hml_model *m = spring(c);
  const hml_program *none, *speed, *tangent, *again;
  assert_int_equal(hml_model__residuals(c, m, 0, &none), HML_OK);
  assert_null(none);
  assert_int_equal(hml_model__residuals(c, m, 1, &speed), HML_OK);
  assert_int_equal(hml_program_outputs(speed), 1);
  double out[2], *work = malloc((hml_program_work_size(speed) + 100) * sizeof *work), in[16] = {0.25, 3, 0.75, 2};
  hml_program_eval(speed, in, out, work);
  check_near(out[0], 0.5, 1e-15);
  assert_int_equal(hml_model__tangent(c, m, &tangent), HML_OK);
  // x' = v, v' = -2 x^3: along (1, 10) the rates are 10 and -6 x^2
  const size_t inputs = hml_program_inputs(tangent);
  assert_true(inputs <= 16);
  in[inputs - 2] = 1, in[inputs - 1] = 10;
  free(work);
  work = malloc((hml_program_work_size(tangent) + 1) * sizeof *work);
  hml_program_eval(tangent, in, out, work);
  check_near(out[0], 10, 1e-15);
  check_near(out[1], -54, 1e-12);
  assert_int_equal(hml_model__tangent(c, m, &again), HML_OK);
  assert_ptr_equal(tangent, again);
  assert_int_equal(hml_model__residuals(c, m, 1, &again), HML_OK);
  assert_ptr_equal(speed, again);
  free(work);
  hml_model_free(m);
}

typedef struct asked {
  const hml_model *m;
  const hml_native *code[2];
} asked;

static void *ask(void *payload) {
  asked *a = payload;
  hml_context *c = hml_context_new(NULL, NULL);
  const hml_program *p;
  if (hml_model__lane_code(c, a->m, hml_model__lean_rate(a->m), hml_native__widest(), &a->code[0]) != HML_OK) a->code[0] = NULL;
  if (hml_model__residuals(c, a->m, 1, &p) != HML_OK || hml_model__lane_code(c, a->m, p, hml_native__widest(), &a->code[1]) != HML_OK) a->code[1] = NULL;
  hml_context_free(c);
  return NULL;
}

static void all_threads_get_the_same_code(void **state) {
  enum { THREADS = 6 };
  hml_context *c = *state;
  hml_model *m = spring(c);
  pthread_t threads[THREADS];
  asked all[THREADS];
  for (int i = 0; i < THREADS; i++) {
    all[i].m = m;
    assert_int_equal(pthread_create(&threads[i], NULL, ask, &all[i]), 0);
  }
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
  for (int i = 1; i < THREADS; i++)
    for (int k = 0; k < 2; k++) assert_ptr_equal(all[i].code[k], all[0].code[k]);
  if (hml_native__widest() > 1) {
    const hml_native *single;
    assert_non_null(all[0].code[0]);
    assert_ptr_not_equal(all[0].code[0], all[0].code[1]);
    assert_int_equal(hml_model__lane_code(c, m, hml_model__lean_rate(m), 1, &single), HML_OK);
    assert_ptr_not_equal(single, all[0].code[0]);
  }
  hml_model_free(m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(residuals_and_tangents_have_the_values_of_the_model),
      cmocka_unit_test(all_threads_get_the_same_code),
  };
  return cmocka_run_group_tests(tests, open_context, close_context);
}
