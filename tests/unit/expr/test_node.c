// node.c: one node per structure, the same order in every context, memory of what nothing keeps.
#include "expressions.h"
#include "expr/expr_impl.h"

static void equal_structures_are_one_node(void **state) {
  fixture *f = *state;
  assert_ptr_equal(hml_symbol(f->c, "x", HML_DYNAMIC, 0), f->s[0]);
  assert_ptr_not_equal(hml_symbol(f->c, "x", 0, 0), f->s[0]);             // other flags: another symbol
  assert_ptr_equal(hml_rational(f->c, 6, -4), hml_rational(f->c, -3, 2));
  assert_ptr_equal(read(f, "x*y + a"), read(f, "a + y*x"));
  assert_ptr_equal(read(f, "123456789012345678901234567890"), read(f, "123456789012345678901234567889 + 1"));
}

// The sizes count the tree: shared parts as often as they stand there
static void sizes_count_the_tree(void **state) {
  fixture *f = *state;
  hml_expr e = read(f, "sin(x)");
  assert_int_equal(e->size, 2);
  for (int k = 0; k < 70; k++) {
    hml_expr both[] = {e, e};
    uint64_t before = e->size;
    e = hml_call(f->c, HML_FUN_atan2, 2, both);
    assert_non_null(e);
    // saturating, not wrapping
    assert_true(e->size == 2 * before + 1 || e->size >= UINT64_MAX / 2);
    assert_true(e->size > before || before >= UINT64_MAX / 2);
  }
}

// Hashes depend on the content alone
static void other_contexts_have_the_same_hashes(void **state) {
  fixture *f = *state;
  hml_context *other = hml_context_new(NULL, NULL);
  hml_expr s[SYMBOLS];
  hml_symbol(other, "noise", 0, 0);
  for (int i = SYMBOLS - 1; i >= 0; i--) s[i] = hml_symbol(other, hml_symbol_name(f->s[i]), hml_symbol_flags(f->s[i]), 0);
  const char *const texts[] = {"x*sin(y)^2 + a/m", "sqrt(m*J) + theta''*b", "10^40*t - 1/3"};
  for (int i = 0; i < 3; i++) {
    hml_expr mine = read(f, texts[i]), theirs = hml_parse(other, texts[i], SYMBOLS, s);
    assert_non_null(theirs);
    assert_ptr_not_equal(mine, theirs);
    assert_true(mine->hash == theirs->hash);
  }
  hml_context_free(other);
}

// A sweep frees what nothing keeps, and no part of what is kept
static void a_sweep_frees_what_nothing_keeps(void **state) {
  (void)state;
  ration r = {.left = UNLIMITED};
  hml_context *c = hml_context_new(rationed, &r);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), kept;
  hml_keep(c, x);
  kept = hml_parse(c, "sin(x)^2/(1 + x^2) + 10^50*x", 1, &x);
  hml_keep(c, kept);
  char *before = hml_print_text(c, kept);
  hml_context_sweep(c);
  size_t bytes = r.bytes;
  for (int k = 1; k <= 50; k++) {
    hml_expr e = hml_mul(c, hml_integer(c, k), hml_call(c, HML_FUN_cos, 1, &kept));
    assert_non_null(hml_pow(c, hml_add(c, e, x), hml_rational(c, k, 7)));
  }
  assert_true(r.bytes > bytes);
  hml_context_sweep(c);
  char *after = hml_print_text(c, kept);
  assert_string_equal(after, before);
  assert_ptr_equal(hml_parse(c, before, 1, &x), kept);
  hml_free(c, before);
  hml_free(c, after);
  hml_context_sweep(c);
  assert_true(r.blocks > 0);
  hml_context_free(c);
  assert_int_equal(r.bytes, 0);
}

// A sum of many terms, each as deep as its number modulo 7
static hml_expr wide(hml_context *c, hml_expr x, int terms) {
  hml_expr *list = calloc((size_t)terms, sizeof *list);
  assert_non_null(list);
  for (int i = 0; i < terms; i++) {
    list[i] = hml_add(c, x, hml_integer(c, i + 1));
    for (int k = 0; k <= i % 7; k++) list[i] = hml_call(c, HML_FUN_sin, 1, &list[i]);
    assert_non_null(list[i]);
  }
  hml_expr sum = hml_sum(c, (size_t)terms, list);
  assert_non_null(sum);
  free(list);
  return sum;
}

// What is kept has more parts than wait in the stack of a sweep
static void a_sweep_needs_no_memory(void **state) {
  (void)state;
  ration r = {.left = UNLIMITED};
  hml_context *c = hml_context_new(rationed, &r);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), kept = wide(c, x, 5000);
  hml_keep(c, x);
  hml_keep(c, kept);
  hml_context_sweep(c);
  const size_t nodes = hml_context_node_count(c);
  for (int k = 2; k < 2000; k++) assert_non_null(hml_mul(c, hml_integer(c, k), hml_call(c, HML_FUN_cos, 1, &x)));
  assert_true(hml_context_node_count(c) > nodes + 1000);
  r.left = 0;
  hml_context_sweep(c);
  assert_int_equal(hml_context_node_count(c), nodes);
  r.left = UNLIMITED;
  assert_ptr_equal(wide(c, x, 5000), kept);
  hml_context_free(c);
  assert_int_equal(r.bytes, 0);
}

// An allocator with no large blocks: the table cannot grow, fills up, and has room again when its nodes are dropped
static size_t largest = SIZE_MAX;

static void *in_small_blocks(void *payload, void *block, size_t old_size, size_t new_size) {
  return new_size > largest ? NULL : rationed(payload, block, old_size, new_size);
}

static void a_full_table_has_room_after_a_sweep(void **state) {
  (void)state;
  ration r = {.left = UNLIMITED};
  hml_context *c = hml_context_new(in_small_blocks, &r);
  hml_expr x = hml_symbol(c, "x", HML_DYNAMIC, 0), kept = wide(c, x, 200);
  hml_keep(c, x);
  hml_keep(c, kept);
  largest = 65536;
  for (int round = 0; round < 5; round++) {
    int made = 0;
    while (made < 100000 && hml_integer(c, 1000 + made + 100000 * round)) made++;
    assert_in_range(made, 2000, 99999);
    assert_int_equal(hml_context_error(c)->status, HML_MEMORY);
    hml_context_clear_error(c);
    hml_context_sweep(c);
    assert_ptr_equal(wide(c, x, 200), kept);
  }
  largest = SIZE_MAX;
  hml_context_free(c);
  assert_int_equal(r.bytes, 0);
}

// Kept twice, dropped once: still there
static void keeping_is_counted(void **state) {
  fixture *f = *state;
  hml_expr e = read(f, "cos(x + y)^3");
  hml_keep(f->c, e);
  hml_keep(f->c, e);
  hml_release(f->c, e);
  hml_context_sweep(f->c);
  assert_ptr_equal(read(f, "cos(x + y)^3"), e);
  assert_int_equal(e->keeps, 1);
  hml_release(f->c, e);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      fixture_test(equal_structures_are_one_node),
      fixture_test(sizes_count_the_tree),
      fixture_test(other_contexts_have_the_same_hashes),
      fixture_test(a_sweep_frees_what_nothing_keeps),
      fixture_test(a_sweep_needs_no_memory),
      fixture_test(a_full_table_has_room_after_a_sweep),
      fixture_test(keeping_is_counted),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
