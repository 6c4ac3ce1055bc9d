// arena.c: blocks of memory that are freed together.
#include "base.h"

#include <string.h>

#define ALIGNMENT 16u
#ifdef HML_ARENA_MALLOC
#define BLOCK_SIZE 0u                   // every piece a block of its own: valgrind and ASan see each one
#else
#define BLOCK_SIZE 16384u
#endif

struct hml_arena_block {
  struct hml_arena_block *next;
  size_t size, used;                   // of data
};

#define HEADER ((sizeof(struct hml_arena_block) + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT)

static size_t rounded(size_t size) {
  return (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

void hml_arena_init(hml_arena *a, hml_context *c) {
  *a = (hml_arena){.context = c};
}

void *hml_arena_raw(hml_arena *a, size_t size) {
  if (size > SIZE_MAX / 2) return hml_fail_null(a->context, HML_MEMORY, "not enough memory for %zu bytes", size);
  size = rounded(size);
  struct hml_arena_block *block = a->blocks;
  if (!block || block->size - block->used < size) {
    size_t wanted = size > BLOCK_SIZE ? size : BLOCK_SIZE;
    // blocks double, so that large tables cost few of them
    if (BLOCK_SIZE && block && wanted < 2 * block->size && block->size < (1u << 20)) wanted = 2 * block->size;
    block = hml_realloc(a->context, NULL, 0, HEADER + wanted);
    if (!block) return NULL;
    block->used = 0;
    block->size = wanted;
    block->next = a->blocks;
    a->blocks = block;
  }
  void *piece = (char *)block + HEADER + block->used;
  block->used += size;
  return piece;
}

void *hml_arena_alloc(hml_arena *a, size_t size) {
  void *piece = hml_arena_raw(a, size);
  return piece ? memset(piece, 0, rounded(size)) : NULL;
}

void hml_arena_free(hml_arena *a) {
  while (a->blocks) {
    struct hml_arena_block *next = a->blocks->next;
    hml_dealloc(a->context, a->blocks, HEADER + a->blocks->size);
    a->blocks = next;
  }
}
