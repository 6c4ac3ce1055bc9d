// Tests of src/base: statuses, contexts, arenas, text, tables.
#include "base/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void every_status_has_its_texts(void **state) {
  (void)state;
  for (int s = 0; s < HML_STATUS_COUNT; s++) {
    assert_true(strlen(hml_status_name((hml_status)s)) > 1);
    assert_true(strlen(hml_status_what((hml_status)s)) > 5);
    assert_true(s == HML_OK || strlen(hml_status_advice((hml_status)s)) > 5);
  }
  assert_string_equal(hml_status_name(HML_DEPENDENT_CONSTRAINTS), "DEPENDENT_CONSTRAINTS");
  assert_string_equal(hml_status_name((hml_status)999), "UNKNOWN");
}

static void the_first_failure_keeps_its_message(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  assert_int_equal(hml_fail(c, HML_ARGUMENT, "first %d", 1), HML_ARGUMENT);
  assert_null(hml_fail_null(c, HML_SYNTAX, "second"));
  assert_int_equal(hml_context_error(c)->status, HML_ARGUMENT);
  assert_string_equal(hml_context_error(c)->message, "first 1");
  hml_context_clear_error(c);
  assert_false(hml_failed(c));
  char longest[3000];
  memset(longest, 'x', sizeof longest - 1);
  longest[sizeof longest - 1] = '\0';
  hml_fail(c, HML_LIMIT, "%s", longest);
  assert_true(strlen(hml_context_error(c)->message) < sizeof hml_context_error(c)->message);
  hml_context_free(c);
}

static void an_interrupt_flag_is_seen_and_can_be_shared(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  assert_int_equal(hml_check_interrupt(c), HML_OK);
  *hml_context_interrupt_flag(c) = 1;
  assert_int_equal(hml_check_interrupt(c), HML_INTERRUPTED);
  volatile int shared = 0;
  hml_context_set_interrupt_flag(c, &shared);
  assert_false(hml_interrupted(c));
  shared = 1;
  assert_true(hml_interrupted(c));
  hml_context_set_interrupt_flag(c, NULL);
  assert_true(hml_interrupted(c));
  hml_context_free(c);
}

static void arenas_give_zeroed_aligned_memory(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  hml_arena a;
  hml_arena_init(&a, c);
  for (size_t size = 0; size < 5000; size = size * 2 + 3) {
    unsigned char *p = hml_arena_alloc(&a, size);
    assert_non_null(p);
    assert_int_equal((uintptr_t)p % 16, 0);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0);
    memset(p, 0xAB, size);
    unsigned char *raw = hml_arena_raw(&a, size);        // a piece of its own
    assert_non_null(raw);
    assert_int_equal((uintptr_t)raw % 16, 0);
    memset(raw, 0xCD, size);
    for (size_t i = 0; i < size; i++) assert_int_equal(p[i], 0xAB);
  }
  assert_null(hml_arena_raw(&a, SIZE_MAX - 5));
  unsigned char *large = hml_arena_alloc(&a, 10000000);
  assert_non_null(large);
  large[9999999] = 1;
  assert_null(hml_arena_alloc(&a, SIZE_MAX - 5));
  assert_int_equal(hml_context_error(c)->status, HML_MEMORY);
  hml_arena_free(&a);
  hml_arena_free(&a);
  hml_context_free(c);
}

static void text_grows(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  hml_text t;
  hml_text_init(&t, c);
  for (int i = 0; i < 1000; i++) hml_text_format(&t, "%d,", i);
  hml_text_put_n(&t, "abcdef", 3);
  char *whole = hml_text_take(&t);
  assert_int_equal(strlen(whole), 10 * 2 + 90 * 3 + 900 * 4 + 3);
  assert_string_equal(whole + strlen(whole) - 7, "999,abc");
  hml_free(c, whole);
  char *empty = hml_text_take(&t);
  assert_string_equal(empty, "");
  hml_free(c, empty);
  hml_context_free(c);
}

static void tables_find_what_was_put(void **state) {
  (void)state;
  hml_context *c = hml_context_new(NULL, NULL);
  hml_arena a;
  hml_arena_init(&a, c);
  hml_table t;
  hml_table_init(&t, &a);
  static char keys[20000];
  uintptr_t value = 0;
  assert_false(hml_table_get(&t, keys, &value));
  for (size_t i = 0; i < sizeof keys; i++) assert_int_equal(hml_table_put(&t, keys + i, i), HML_OK);
  for (size_t i = 0; i < sizeof keys; i++) {
    assert_true(hml_table_get(&t, keys + i, &value));
    assert_int_equal(value, i);
  }
  assert_int_equal(hml_table_put(&t, keys + 7, 1234), HML_OK);
  assert_true(hml_table_get(&t, keys + 7, &value) && value == 1234);
  assert_int_equal(t.count, sizeof keys);
  hml_arena_free(&a);
  hml_context_free(c);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_status_has_its_texts),  cmocka_unit_test(the_first_failure_keeps_its_message),
      cmocka_unit_test(an_interrupt_flag_is_seen_and_can_be_shared), cmocka_unit_test(arenas_give_zeroed_aligned_memory),
      cmocka_unit_test(text_grows),                  cmocka_unit_test(tables_find_what_was_put),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
