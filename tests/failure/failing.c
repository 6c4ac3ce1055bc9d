// failing.c: the allocator of the executable that lacks memory on demand; the linker leads malloc and its kin here (--wrap).
// HAMEL_FAIL_AT=n: the n-th request fails; HAMEL_FAIL_FOR=k: and the k - 1 behind it. Standard error gets, when HAMEL_FAIL_REPORT is set,
// a last line with the number of requests and of blocks that were not given back.
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *block, size_t size);
void *__real_aligned_alloc(size_t alignment, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *block, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size);
void __wrap_free(void *block);

static atomic_long requests, blocks;
static long fail_at, fail_for = 1;

static long number_from(const char *name, long otherwise) {
  const char *text = getenv(name);
  return text ? atol(text) : otherwise;
}

__attribute__((constructor)) static void read_environment(void) {
  fail_at = number_from("HAMEL_FAIL_AT", 0);
  fail_for = number_from("HAMEL_FAIL_FOR", 1);
}

__attribute__((destructor)) static void report(void) {
  if (getenv("HAMEL_FAIL_REPORT")) fprintf(stderr, "requests %ld blocks %ld\n", (long)requests, (long)blocks);
}

static int fails(void) {
  long n = ++requests;
  return fail_at > 0 && n >= fail_at && n < fail_at + fail_for;
}

static void *counted(void *block) {
  blocks += block != NULL;
  return block;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : counted(__real_malloc(size)); }
void *__wrap_calloc(size_t n, size_t size) { return fails() ? NULL : counted(__real_calloc(n, size)); }
void *__wrap_aligned_alloc(size_t alignment, size_t size) { return fails() ? NULL : counted(__real_aligned_alloc(alignment, size)); }

void *__wrap_realloc(void *block, size_t size) {
  if (fails()) return NULL;
  if (!block) return counted(__real_malloc(size));
  return __real_realloc(block, size);
}

void __wrap_free(void *block) {
  blocks -= block != NULL;
  __real_free(block);
}
