// event.c: roots of guards that are known by their values; arbiter: closed times along cos t and free fall.
#include "problems.h"

enum { GUARDS = 3, MOST_HITS = 60 };

typedef struct watch_test {
  hml_context *context;
  hml_guards guards;
  signed char direction[GUARDS];
  bool passive[GUARDS];
  const hml_guard_formula *formula[GUARDS];
  hml_status (*react)(struct watch_test *w, double t, double *y);
  void (*value)(double t, const double *y, double *out);
  size_t hits;
  double t[MOST_HITS];
  size_t which[MOST_HITS];
} watch_test;

static hml_status values(void *payload, double t, const double *y, double *out) {
  ((watch_test *)payload)->value(t, y, out);
  return HML_OK;
}

static hml_status met(void *payload, double t, double *y, const bool *fired, size_t point) {
  watch_test *w = payload;
  (void)point;
  for (size_t i = 0; i < w->guards.n && w->hits < MOST_HITS; i++) {
    if (!fired[i]) continue;
    w->t[w->hits] = t;
    w->which[w->hits++] = i;
  }
  return w->react ? w->react(w, t, y) : HML_OK;
}

static watch_test *watch(size_t n, void (*value)(double, const double *, double *)) {
  static watch_test w;
  memset(&w, 0, sizeof w);
  w.value = value;
  for (size_t i = 0; i < GUARDS; i++) w.passive[i] = true;
  w.guards = (hml_guards){.n = n, .payload = &w, .direction = w.direction, .passive = w.passive, .formula = w.formula, .values = values, .react = met};
  return &w;
}

static hml_outcome outcome;

static hml_trajectory *run(hml_context *c, watch_test *w, double t0, double t1, const double *y0, hml_ode ode) {
  hml_run_options o = options_of("dop853", 1e-10);
  hml_trajectory *r;
  ode.guards = &w->guards;
  assert_ok(c, hml_integrate(c, &ode, &o, t0, t1, y0, &r, &outcome));
  return r;
}

static void oscillate(hml_context *c, watch_test *w, double t0, double t1) {
  double y0[2];
  oscillator_exact(t0, y0);
  hml_trajectory_free(run(c, w, t0, t1, y0, ode_of(&problems[1])));
  assert_int_equal(outcome.status, HML_OK);
}

static void cosine(double t, const double *y, double *out) {
  (void)t;
  out[0] = y[0];
}

static void roots_of_the_cosine(void **state) {
  for (int direction = -1; direction <= 1; direction++) {
    watch_test *w = watch(1, cosine);
    w->direction[0] = (signed char)direction;
    oscillate(*state, w, 0, 20);
    // pi/2 falling, 3 pi/2 rising, ...: six in all
    size_t n = 0;
    for (int k = 0; k < 6; k++) {
      if (direction && (k % 2 ? 1 : -1) != direction) continue;
      check_near(w->t[n], PI / 2 + k * PI, 1e-9);
      n++;
    }
    assert_int_equal(w->hits, n);
  }
}

// Backward a guard falls in the direction of the run
static void a_backward_run_meets_them_in_turn(void **state) {
  watch_test *w = watch(1, cosine);
  w->direction[0] = HML_RISING;
  oscillate(*state, w, 10, 0);
  assert_int_equal(w->hits, 2);
  check_near(w->t[0], 2.5 * PI, 1e-9);
  check_near(w->t[1], PI / 2, 1e-9);
}

static void two_roots_close_together(double t, const double *y, double *out) {
  (void)t;
  out[0] = y[0] - cos(1e-3);             // both sides of 2 pi k
}

static void a_narrow_pair_is_not_passed_over(void **state) {
  watch_test *w = watch(1, two_roots_close_together);
  oscillate(*state, w, 0.5, 13);
  assert_int_equal(w->hits, 4);
  for (int k = 0; k < 4; k++) check_near(w->t[k], (k / 2 + 1) * 2 * PI + (k % 2 ? 1e-3 : -1e-3), 1e-7);
}

static void touching(double t, const double *y, double *out) {
  (void)t;
  out[0] = 1.001 - y[0];                 // comes near, never vanishes
}

static void a_near_miss_is_no_root(void **state) {
  watch_test *w = watch(1, touching);
  oscillate(*state, w, 0.5, 20);
  assert_int_equal(w->hits, 0);
}

static void three(double t, const double *y, double *out) {
  out[0] = y[0];
  out[1] = 2 * y[0];
  out[2] = t - 3;
}

static void guards_fire_together_and_in_turn(void **state) {
  watch_test *w = watch(3, three);
  oscillate(*state, w, 0, 4);
  assert_int_equal(w->hits, 3);
  assert_true(w->which[0] == 0 && w->which[1] == 1 && w->which[2] == 2);
  assert_true(w->t[0] == w->t[1]);
  check_near(w->t[2], 3, 1e-14);
}

// A run that starts on a root does not meet it, but the next one
static void a_root_at_the_start_is_left(void **state) {
  watch_test *w = watch(1, cosine);
  hml_trajectory_free(run(*state, w, PI / 2, 5, (double[]){0, -1}, ode_of(&problems[1])));
  assert_int_equal(w->hits, 1);
  check_near(w->t[0], 1.5 * PI, 1e-9);
}

// Passive guards leave the steps alone, to the bit
static void who_only_watches_changes_nothing(void **state) {
  double y0[] = {1, 0};
  watch_test *w = watch(1, cosine);
  hml_trajectory *with = run(*state, w, 0, 20, y0, ode_of(&problems[1])), *without;
  assert_int_equal(w->hits, 6);
  hml_run_options o = options_of("dop853", 1e-10);
  hml_ode plain = ode_of(&problems[1]);
  assert_ok(*state, hml_integrate(*state, &plain, &o, 0, 20, y0, &without, &outcome));
  size_t n = hml_trajectory_points(without);
  assert_int_equal(hml_trajectory_points(with), n);
  for (size_t i = 0; i < n; i++) assert_memory_equal(hml_trajectory_state(with, i), hml_trajectory_state(without, i), 2 * sizeof(double));
  hml_trajectory_free(with);
  hml_trajectory_free(without);
}

// ---- a ball that bounces: g = 2, thrown up with 1: it comes back after 1, then after 1/2, 1/4, ...
static hml_status fall(void *payload, double t, const double *y, double *f) {
  (void)payload;
  (void)t;
  f[0] = y[1];
  f[1] = -2;
  return HML_OK;
}

static hml_status bounce(watch_test *w, double t, double *y) {
  (void)w;
  (void)t;
  y[0] = 0;
  y[1] = -y[1] / 2;
  return HML_OK;
}

static void jumps_of_the_state(void **state) {
  watch_test *w = watch(1, cosine);
  double y0[] = {0, 1};
  w->direction[0] = HML_FALLING;
  w->passive[0] = false;
  w->react = bounce;
  hml_ode ode = {.n = 2, .n_controlled = 2, .rhs = fall};
  hml_trajectory *r = run(*state, w, 0, 2 - 1.5 / 1024, y0, ode);
  assert_int_equal(outcome.status, HML_OK);
  assert_int_equal(w->hits, 10);
  for (int k = 0; k < 10; k++) check_near(w->t[k], 2 - pow(0.5, k), 1e-10);
  hml_trajectory_free(r);
}

static hml_status stop(watch_test *w, double t, double *y) {
  (void)y;
  return w->hits < 3 ? HML_OK : hml_fail(w->context, HML_EVENT, "third root at %.3g", t);
}

static void a_reaction_may_end_the_run(void **state) {
  watch_test *w = watch(1, cosine);
  double y0[] = {1, 0};
  w->context = *state;
  w->react = stop;
  w->passive[0] = false;
  hml_trajectory *r = run(*state, w, 0, 20, y0, ode_of(&problems[1]));
  assert_int_equal(outcome.status, HML_EVENT);
  check_contains(outcome.message, "third root at 7.85");
  check_near(outcome.t, 2.5 * PI, 1e-9);
  check_near(hml_trajectory_time(r, hml_trajectory_points(r) - 1), 2.5 * PI, 1e-9);
  hml_trajectory_free(r);
}

static void a_hole(double t, const double *y, double *out) {
  out[0] = t < 2 ? y[0] + 3 : NAN;
}

static void values_must_be_finite(void **state) {
  watch_test *w = watch(1, a_hole);
  double y0[] = {1, 0};
  hml_trajectory *r = run(*state, w, 0, 20, y0, ode_of(&problems[1]));
  assert_int_equal(outcome.status, HML_NOT_FINITE);
  assert_true(outcome.t <= 2);
  hml_trajectory_free(r);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(roots_of_the_cosine),
      in_context(a_backward_run_meets_them_in_turn),
      in_context(a_narrow_pair_is_not_passed_over),
      in_context(a_near_miss_is_no_root),
      in_context(guards_fire_together_and_in_turn),
      in_context(a_root_at_the_start_is_left),
      in_context(who_only_watches_changes_nothing),
      in_context(jumps_of_the_state),
      in_context(a_reaction_may_end_the_run),
      in_context(values_must_be_finite),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
