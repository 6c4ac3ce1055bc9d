// context.c: the data of one thread: allocator, interrupt flag, first failure.
#include "base.h"

#include "context_impl.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

static void *malloc_allocator(void *payload, void *block, size_t old_size, size_t new_size) {
  (void)payload;
  (void)old_size;
  if (new_size == 0) {
    free(block);
    return NULL;
  }
  return realloc(block, new_size);
}

hml_context *hml_context_new(hml_allocator allocator, void *payload) {
  gsl_set_error_handler_off();
  if (!allocator) allocator = malloc_allocator;
  hml_context *c = allocator(payload, NULL, 0, sizeof *c);
  if (!c) return NULL;
  *c = (hml_context){.allocator = allocator, .payload = payload};
  c->interrupt.flag = &c->own_interrupt;
  return c;
}

void hml_context_free(hml_context *c) {
  if (!c) return;
  if (c->pool) c->free_pool(c, c->pool);
  c->allocator(c->payload, c, sizeof *c, 0);
}

volatile int *hml_context_interrupt_flag(hml_context *c) {
  return c->interrupt.flag;
}

void hml_context_set_interrupt_flag(hml_context *c, volatile int *flag) {
  c->interrupt.flag = flag ? flag : &c->own_interrupt;
}

size_t hml_context_bytes(const hml_context *c) {
  return c->bytes;
}

void hml_context__note_bytes(hml_context *c, int64_t more) {
  c->bytes = (size_t)((int64_t)c->bytes + more);
}

void hml_context__watch(hml_context *c, void (*watch)(void *payload), void *payload) {
  c->interrupt.watch = watch;
  c->interrupt.watched = payload;
}

bool hml_interrupted(const hml_context *c) {
  if (c->interrupt.watch) c->interrupt.watch(c->interrupt.watched);
  return *c->interrupt.flag != 0;
}

hml_status hml_check_interrupt(hml_context *c) {
  return hml_interrupted(c) ? hml_fail(c, HML_INTERRUPTED, "interrupted") : HML_OK;
}

void *hml_alloc(hml_context *c, size_t size) {
  if (size == 0) size = 1;
  void *block = c->allocator(c->payload, NULL, 0, size);
  if (!block) return hml_fail_null(c, HML_MEMORY, "not enough memory for %zu bytes", size);
  c->bytes += size;
  return memset(block, 0, size);
}

void *hml_realloc(hml_context *c, void *block, size_t old_size, size_t new_size) {
  if (new_size == 0) new_size = 1;
  void *bigger = c->allocator(c->payload, block, old_size, new_size);
  if (!bigger) return hml_fail_null(c, HML_MEMORY, "not enough memory for %zu bytes", new_size);
  c->bytes += new_size - (block ? old_size ? old_size : 1 : 0);
  return bigger;
}

void hml_dealloc(hml_context *c, void *block, size_t size) {
  if (!block) return;
  c->bytes -= size ? size : 1;
  c->allocator(c->payload, block, size ? size : 1, 0);
}

char *hml_text_copy(hml_context *c, const char *text) {
  size_t size = strlen(text) + 1;
  char *copy = hml_alloc(c, size);
  return copy ? memcpy(copy, text, size) : NULL;
}

void hml_free(hml_context *c, char *text) {
  if (text) hml_dealloc(c, text, strlen(text) + 1);
}

struct hml_pool *hml_context__pool(hml_context *c) {
  return c->pool;
}

void hml_context__set_pool(hml_context *c, struct hml_pool *pool, void (*free_pool)(hml_context *, struct hml_pool *)) {
  c->pool = pool;
  c->free_pool = free_pool;
}

const char *hml_version(void) {
#ifdef HAMEL_VERSION
  return HAMEL_VERSION;
#else
  return "0.1.0";
#endif
}
