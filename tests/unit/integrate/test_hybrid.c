// hybrid.c and hybrid_shape.c: whole runs with contacts and events; arbiter: closed times and places.
#include "bodies.h"
#include "problems.h"

typedef struct hybrid_test {
  mechanics m;
  hml_hybrid *h;
  hml_trajectory *r;
  hml_outcome outcome;
} hybrid_test;

// A body, or a system without contacts, and its events: texts and specs
static void open_hybrid(hybrid_test *t, const body *b, size_t n_events, const char *const *when, hml_event_spec *events) {
  contact_sheet s;
  *t = (hybrid_test){.m = build(&b->system)};
  fill_contacts(t->m.c, b, &s);
  for (size_t i = 0; i < n_events; i++) events[i].expression = when[i] ? expression(&s.r.s.all, when[i]) : NULL;
  hml_hybrid_spec spec = {.symbols = &s.symbols, .contacts = b->wall[0].gap || b->rub[0].slip ? &s.spec : NULL, .n_events = n_events, .events = events};
  assert_ok(t->m.c, hml_hybrid_new(t->m.w, &spec, &t->h));
}

static void run(hybrid_test *t, const char *method, double tolerance, double t1, const double *x) {
  hml_run_options o = options_of(method, tolerance);
  o.step = 1e-3;
  hml_trajectory_free(t->r);
  assert_ok(t->m.c, hml_hybrid_run(t->h, &o, 0, t1, x, &t->r, &t->outcome));
}

static void close_hybrid(hybrid_test *t) {
  hml_trajectory_free(t->r);
  hml_hybrid_free(t->h);
  demolish(&t->m);
}

static const double *end_of(const hybrid_test *t) {
  return hml_trajectory_state(t->r, hml_trajectory_points(t->r) - 1);
}

// The k-th record of a kind, from 0
static hml_record record(const hybrid_test *t, hml_record_kind kind, size_t k) {
  for (size_t i = 0; i < hml_hybrid_records(t->h); i++) {
    hml_record r = hml_hybrid_record(t->h, i);
    if (r.kind == kind && k-- == 0) return r;
  }
  fail_msg("there is no record %zu of kind %d", k, (int)kind);
  return (hml_record){.kind = kind};
}

// arbiter: from h = 5, g = 10: impacts at 1, 2, 2.5, ... = 3 - 2^(1-k) with e = 1/2, rest at 3
static void the_ball_bounces_to_rest(void **state) {
  (void)state;
  hybrid_test t;
  open_hybrid(&t, &ball, 0, NULL, NULL);
  run(&t, "dop853", 1e-10, 4, (double[]){0, 5, 1, 0});
  assert_int_equal(t.outcome.status, HML_OK);
  for (size_t k = 0; k < 8; k++) {
    hml_record r = record(&t, HML_RECORD_IMPACT, k);
    assert_near(r.t, k ? 3 - pow(2, 1 - (double)k) : 1, 1e-9);
    double speed = 10 * pow(0.5, (double)k);
    assert_near(r.state[3], -speed, 1e-8);
    assert_near(r.after[3], speed / 2, 1e-8);
    assert_near(r.after[4], 2 * 1.5 * speed, 1e-7);                      // the impulse, behind the state
    assert_near(r.energy_change, -0.75 * speed * speed, 1e-7);
  }
  assert_near(record(&t, HML_RECORD_ACCUMULATION, 0).t, 3, 1e-8);
  hml_record closed = record(&t, HML_RECORD_SWITCH, 0);
  assert_true(closed.from == HML_OPEN && closed.to == HML_CLOSED);
  assert_near(end_of(&t)[0], 4, 1e-9);                                   // it slides on
  assert_near(end_of(&t)[1], 0, 1e-9);
  close_hybrid(&t);
}

// arbiter: x' = 3 brought to rest by mu g = 4 after 3/4, on 9/8; without friction at rest before that
static void the_ball_slides_to_rest(void **state) {
  (void)state;
  body b = ball;
  hybrid_test t;
  b.system.values[3] = 0.4;
  open_hybrid(&t, &b, 0, NULL, NULL);
  for (int k = 0; k < 3; k++) {
    const char *const methods[] = {"dop853", "radau5", "auto"};
    run(&t, methods[k], 1e-10, 2, (double[]){0, 0, 3, 0});
    assert_int_equal(t.outcome.status, HML_OK);
    hml_record r = record(&t, HML_RECORD_SWITCH, 0);
    assert_near(r.t, 0.75, 1e-9);
    assert_true(r.from == HML_FRICTION_SLIP && r.to == HML_FRICTION_STICK);
    assert_near(end_of(&t)[0], 9.0 / 8, 1e-9);
    assert_near(end_of(&t)[2], 0, 0);
  }
  close_hybrid(&t);
}

// arbiter: friction m against a push p across a slip s: it ends after (m |s| + p.s)/(m^2 - p^2)
static void the_puck_stops_when_it_must(void **state) {
  (void)state;
  body b = puck;
  hybrid_test t;
  b.system.values[3] = 2;
  open_hybrid(&t, &b, 0, NULL, NULL);
  double vx = 1.2, vy = -0.5, stop = (4 * hypot(vx, vy) + 2 * vy) / (16 - 4);
  run(&t, "dop853", 1e-10, 2, (double[]){0, 0, 0, vx, vy, 0});
  assert_int_equal(t.outcome.status, HML_OK);
  hml_record r = record(&t, HML_RECORD_SWITCH, 0);
  assert_near(r.t, stop, 1e-8);
  assert_true(r.to == HML_FRICTION_STICK);
  // it ends against the push
  assert_near(r.leaves[0], 0, 1e-2);
  assert_near(r.leaves[1], 1, 1e-2);
  for (int i = 3; i < 6; i++) assert_near(end_of(&t)[i], 0, 0);
  close_hybrid(&t);
}

// arbiter: cos t; roots of x at pi/2 and 3 pi/2, x' + 1/2 falling at pi/6; the terminal event ends the run
static void events_are_recorded_and_may_end_the_run(void **state) {
  (void)state;
  const body spring = {.system = {.coordinates = "x", .kinetic = "x'^2/2", .potential = "x^2/2"}};
  const char *const when[] = {"x", "x' + 1/2", "t - 5"};
  hml_event_spec events[] = {{.name = "middle"}, {.name = "fast", .direction = -1}, {.name = "late", .terminal = 1}};
  hybrid_test t;
  open_hybrid(&t, &spring, 3, when, events);
  run(&t, "dop853", 1e-11, 20, (double[]){1, 0});
  assert_int_equal(t.outcome.status, HML_EVENT);
  check_contains(t.outcome.message, "'late'");
  assert_near(t.outcome.t, 5, 1e-13);
  const double times[] = {PI / 6, PI / 2, 1.5 * PI, 5};
  const size_t which[] = {1, 0, 0, 2};
  for (size_t k = 0; k < 4; k++) {
    hml_record r = record(&t, HML_RECORD_EVENT, k);
    assert_near(r.t, times[k], 1e-10);
    assert_int_equal(r.which, which[k]);
    assert_near(r.state[0], cos(times[k]), 1e-9);
  }
  close_hybrid(&t);
}

static void an_event_with_a_reason_is_a_singular_place(void **state) {
  (void)state;
  const body fall = {.system = {.coordinates = "y", .kinetic = "y'^2/2", .potential = "2*y"}};
  const char *const when[] = {"y"};
  hml_event_spec events[] = {{.name = "ground", .terminal = 1, .reason = "the ground is reached"}};
  hybrid_test t;
  open_hybrid(&t, &fall, 1, when, events);
  run(&t, "dop853", 1e-10, 5, (double[]){4, 0});
  assert_int_equal(t.outcome.status, HML_SINGULAR);
  check_contains(t.outcome.message, "the ground is reached");
  assert_near(t.outcome.t, 2, 1e-10);
  close_hybrid(&t);
}

// arbiter: x'' = -s with s the sign of x, given as a parameter that flips: falls of sqrt 2, a period of 4 sqrt 2
static void an_event_flips_a_parameter(void **state) {
  (void)state;
  const body valley = {.system = {.coordinates = "x", .parameters = "s", .values = {1}, .kinetic = "x'^2/2", .forces = {"-s"}}};
  const char *const when[] = {"x"};
  hml_event_spec events[] = {{.name = "bottom", .flips = 1}};
  hybrid_test t;
  open_hybrid(&t, &valley, 1, when, events);
  run(&t, "dop853", 1e-10, 4 * sqrt(2), (double[]){1, 0});
  assert_int_equal(t.outcome.status, HML_OK);
  assert_near(record(&t, HML_RECORD_EVENT, 0).t, sqrt(2), 1e-9);
  assert_near(record(&t, HML_RECORD_EVENT, 1).t, 3 * sqrt(2), 1e-9);
  assert_near(end_of(&t)[0], 1, 1e-8);
  assert_near(end_of(&t)[1], 0, 1e-8);
  close_hybrid(&t);
}

// arbiter: at rest on the slope the reactions are those of statics; in flight there are none
static void reactions_are_evaluated_in_the_mode_of_their_time(void **state) {
  (void)state;
  hybrid_test t;
  double a[2], lambda[1], z[2];
  open_hybrid(&t, &ball, 0, NULL, NULL);
  run(&t, "dop853", 1e-9, 4, (double[]){0, 5, 0, 0});
  assert_ok(t.m.c, hml_hybrid_evaluate(t.h, 1, 0.5, (double[]){0, 3.75, 0, -5}, a, lambda, z));
  assert_near(z[0], 0, 0);
  assert_near(a[1], -10, 1e-14);
  size_t last = hml_trajectory_points(t.r) - 1;
  assert_ok(t.m.c, hml_hybrid_evaluate(t.h, last, 4, end_of(&t), a, lambda, z));
  assert_near(z[0], 20, 1e-12);
  assert_near(a[1], 0, 1e-13);
  close_hybrid(&t);
}

// arbiter: Moreau's steps of 1e-3 against the same closed solution, to the first order of the step
static void time_stepping_agrees_to_first_order(void **state) {
  (void)state;
  body b = ball;
  hybrid_test t;
  b.system.values[3] = 0.4;
  open_hybrid(&t, &b, 0, NULL, NULL);
  run(&t, "moreau", 1e-9, 2, (double[]){0, 0, 3, 0});
  assert_int_equal(t.outcome.status, HML_OK);
  assert_near(end_of(&t)[0], 9.0 / 8, 5e-3);
  assert_near(end_of(&t)[2], 0, 1e-12);
  close_hybrid(&t);
}

static void painleves_rod_does_not_start(void **state) {
  (void)state;
  hybrid_test t;
  open_hybrid(&t, &rod, 0, NULL, NULL);
  const double x[] = {0, sin(0.9), 0.9, -5, 0, 0};
  assert_int_equal(hml_hybrid_run(t.h, NULL, 0, 1, x, &t.r, &t.outcome), HML_NO_CONTACT_MODE);
  assert_message(t.m.c, HML_NO_CONTACT_MODE, "'end' jams with friction 'rub' (Painleve)");
  assert_null(t.r);
  close_hybrid(&t);
}

// The same run again gives the same bits; nothing is left of the one before
static void runs_do_not_depend_on_each_other(void **state) {
  (void)state;
  hybrid_test t;
  double first[4];
  open_hybrid(&t, &ball, 0, NULL, NULL);
  run(&t, "dop853", 1e-9, 2.7, (double[]){0, 5, 1, 0});
  memcpy(first, end_of(&t), sizeof first);
  size_t records = hml_hybrid_records(t.h);
  run(&t, "dop853", 1e-9, 4, (double[]){0, 0, 3, 0});
  run(&t, "dop853", 1e-9, 2.7, (double[]){0, 5, 1, 0});
  assert_memory_equal(first, end_of(&t), sizeof first);
  assert_int_equal(hml_hybrid_records(t.h), records);
  close_hybrid(&t);
}

// arbiters: the ball goes on among its impacts, by the same numbers from its own memory as from bytes; the closed times
static void a_run_goes_on_from_its_bytes(void **state) {
  (void)state;
  hybrid_test t[2];
  hml_run_options o = options_of("dop853", 1e-10);
  const double parts[] = {0, 1, 2.3, 2.9, 4};                            // the first ends in an impact
  for (int k = 0; k < 2; k++) {
    double x[] = {0, 5, 1, 0};
    size_t impacts = 0;
    open_hybrid(t + k, &ball, 0, NULL, NULL);
    for (size_t p = 1; p < sizeof parts / sizeof *parts; p++) {
      o.onto = t[k].r;
      o.rest = 4 - parts[p];
      assert_ok(t[k].m.c, hml_hybrid_run(t[k].h, &o, parts[p - 1], parts[p], x, &t[k].r, &t[k].outcome));
      assert_int_equal(t[k].outcome.status, HML_OK);
      impacts += t[k].outcome.impacts;
      memcpy(x, end_of(t + k), sizeof x);
      if (!k) continue;
      const void *kept;
      size_t size;
      assert_ok(t[k].m.c, hml_hybrid_store(t[k].h, &kept, &size));
      void *bytes = malloc(size);
      memcpy(bytes, kept, size);
      hml_hybrid_free(t[k].h);
      contact_sheet s;
      fill_contacts(t[k].m.c, &ball, &s);
      hml_hybrid_spec spec = {.symbols = &s.symbols, .contacts = &s.spec};
      assert_ok(t[k].m.c, hml_hybrid_new(t[k].m.w, &spec, &t[k].h));
      assert_int_equal(hml_hybrid_restore(t[k].h, bytes, size - 1), HML_ARGUMENT);
      hml_context_clear_error(t[k].m.c);
      assert_int_equal(hml_hybrid_records(t[k].h), 0);
      assert_ok(t[k].m.c, hml_hybrid_restore(t[k].h, bytes, size));
      free(bytes);
    }
    for (size_t i = 0; i < 8; i++) assert_near(record(t + k, HML_RECORD_IMPACT, i).t, i ? 3 - pow(2, 1 - (double)i) : 1, 1e-9);
    hml_record limit = record(t + k, HML_RECORD_ACCUMULATION, 0);
    assert_near(limit.t, 3, 1e-8);
    assert_true(limit.impacts == impacts && impacts > 10);
  }
  assert_memory_equal(end_of(t), end_of(t + 1), 4 * sizeof(double));
  assert_int_equal(hml_hybrid_records(t[0].h), hml_hybrid_records(t[1].h));
  for (int k = 0; k < 2; k++) close_hybrid(t + k);
}

static void what_cannot_go_on_is_refused(void **state) {
  (void)state;
  hybrid_test t;
  hml_run_options o = options_of("dop853", 1e-10);
  hml_trajectory *r;
  const void *kept;
  size_t size;
  open_hybrid(&t, &ball, 0, NULL, NULL);
  assert_int_equal(hml_hybrid_store(t.h, &kept, &size), HML_UNSUPPORTED);   // no run yet
  hml_context_clear_error(t.m.c);
  run(&t, "dop853", 1e-10, 1.5, (double[]){0, 5, 1, 0});
  o.onto = t.r;
  assert_int_equal(hml_hybrid_run(t.h, &o, 1.4, 2, end_of(&t), &r, &t.outcome), HML_ARGUMENT);
  assert_message(t.m.c, HML_ARGUMENT, "ended at t = 1.4");
  o.keep = HML_KEEP_ENDS;
  assert_int_equal(hml_hybrid_run(t.h, &o, 1.5, 2, end_of(&t), &r, &t.outcome), HML_ARGUMENT);
  assert_message(t.m.c, HML_ARGUMENT, "keeps its steps");
  o.keep = HML_KEEP_STEPS;
  o.method = "moreau";
  assert_int_equal(hml_hybrid_run(t.h, &o, 1.5, 2, end_of(&t), &r, &t.outcome), HML_UNSUPPORTED);
  hml_context_clear_error(t.m.c);
  o.method = "dop853";
  assert_ok(t.m.c, hml_hybrid_run(t.h, &o, 1.5, 2, end_of(&t), &r, &t.outcome));
  close_hybrid(&t);
}

static void incomplete_events_are_refused(void **state) {
  (void)state;
  mechanics m = build(&ball.system);
  contact_sheet s;
  hml_hybrid *h;
  hml_event_spec nothing = {.name = "nothing"}, flips = {.name = "flips", .flips = 7};
  fill_contacts(m.c, &ball, &s);
  hml_hybrid_spec spec = {.symbols = &s.symbols, .contacts = &s.spec, .n_events = 1, .events = &nothing};
  assert_int_equal(hml_hybrid_new(m.w, &spec, &h), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "event 'nothing' has neither an expression nor a function");
  flips.expression = s.r.s.q[0];
  spec.events = &flips;
  assert_int_equal(hml_hybrid_new(m.w, &spec, &h), HML_ARGUMENT);
  assert_message(m.c, HML_ARGUMENT, "event 'flips' flips parameter 7 of 6");
  demolish(&m);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_ball_bounces_to_rest),
      cmocka_unit_test(the_ball_slides_to_rest),
      cmocka_unit_test(the_puck_stops_when_it_must),
      cmocka_unit_test(events_are_recorded_and_may_end_the_run),
      cmocka_unit_test(an_event_with_a_reason_is_a_singular_place),
      cmocka_unit_test(an_event_flips_a_parameter),
      cmocka_unit_test(reactions_are_evaluated_in_the_mode_of_their_time),
      cmocka_unit_test(time_stepping_agrees_to_first_order),
      cmocka_unit_test(painleves_rod_does_not_start),
      cmocka_unit_test(runs_do_not_depend_on_each_other),
      cmocka_unit_test(a_run_goes_on_from_its_bytes),
      cmocka_unit_test(what_cannot_go_on_is_refused),
      cmocka_unit_test(incomplete_events_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
