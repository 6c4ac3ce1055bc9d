// tests src/program/gather.c: what may stand together does, and nothing stands before what it needs.
#include "programs.h"

#include "program/emit.h"

static void order_of(void **state, const hml_program *p, hml_arena *arena, hml_emit_order *o) {
  hml_arena_init(arena, *state);
  check_ok(hml_emit__order(p, arena, o));
  bool *made = calloc(p->n_values + 1, sizeof *made);
  for (uint32_t v = 0; v < p->n_constants + p->n_in; v++) made[v] = true;
  for (uint32_t place = 0; place < p->n_instructions;) {
    const uint32_t count = o->together[place] ? o->together[place] : 1;
    assert_true(count <= HML_EMIT_GROUP && place + count <= p->n_instructions);
    for (uint32_t j = 0; j < count; j++) {                              // before any of the group is made
      const instruction *i = &p->instructions[o->order[place + j]];
      const uint32_t v[3] = {i->a, i->b, i->c};
      assert_true(hml_emit__is_circle(i->op) == (o->together[place] > 0));
      for (unsigned k = 0; k < instruction_rows[i->op].operands; k++) assert_true(made[v[k]]);
    }
    for (uint32_t j = 0; j < count; j++) {
      const instruction *i = &p->instructions[o->order[place + j]];
      assert_false(made[i->result]);
      made[i->result] = true;
      if (i->second != NO_VALUE) made[i->second] = true;
    }
    place += count;
  }
  for (uint32_t v = 0; v < p->n_values; v++) assert_true(made[v]);
  free(made);
}

// The numbers of sines that are computed at a time: "3 1"
static void groups_of(void **state, size_t n, const char *const *texts, const char *wanted) {
  hml_program *p = program_of(state, n, texts);
  hml_arena arena;
  hml_emit_order o;
  char found[200] = "";
  order_of(state, p, &arena, &o);
  for (uint32_t place = 0; place < p->n_instructions; place++)
    if (o.together[place]) snprintf(found + strlen(found), sizeof found - strlen(found), "%s%u", *found ? " " : "", o.together[place]);
  assert_string_equal(found, wanted);
  hml_arena_free(&arena);
  hml_program_free(p);
}

static void sines_that_wait_for_nothing_stand_together(void **state) {
  groups_of(state, 3, (const char *const[]){"sin(x)*cos(x)", "cos(y)/(1 + x^2)", "sin(z)"}, "3");
  groups_of(state, 2, (const char *const[]){"x^3*y - z*sin(x + 2*y)", "exp(sin(x))*cos(x - y^2)*sin(y)"}, "4");
}

static void sines_of_sines_keep_their_order(void **state) {
  groups_of(state, 1, (const char *const[]){"sin(sin(sin(x)))"}, "1 1 1");
  groups_of(state, 2, (const char *const[]){"sin(x + cos(y))*cos(y)", "sin(y + cos(x))*cos(x)"}, "2 2");
}

static void groups_have_eight_members_at_most(void **state) {
  const char *texts[19];
  char room[19][20];
  for (int k = 0; k < 19; k++) {
    snprintf(room[k], sizeof room[k], "sin(x + %d)*z", k);
    texts[k] = room[k];
  }
  groups_of(state, 19, texts, "8 8 3");
}

// An angle that takes many operations is not computed early
static void long_angles_stay_where_they_are(void **state) {
  groups_of(state, 2, (const char *const[]){"sin(x)", "sin(exp(x)*y + log(1 + z^2)/(2 + x*y) - tan(z)*exp(x*y - z) + tanh(y)/(3 + z))"}, "1 1");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(sines_that_wait_for_nothing_stand_together),
      in_context(sines_of_sines_keep_their_order),
      in_context(groups_have_eight_members_at_most),
      in_context(long_angles_stay_where_they_are),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
