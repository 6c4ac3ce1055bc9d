// heap.c: memory of GMP and FLINT. Blocks are plain malloc's, so that a block may be made by one side and freed by the other.
#include "heap.h"

#include <gmp.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u
#define LARGE (1u << 16)                // a smaller block never grows the budget much when it is enlarged

static _Thread_local hml_heap *current;

hml_heap *hml_heap__use(hml_heap *h) {
  hml_heap *before = current;
  current = h;
  return before;
}

// ---- the table of blocks

static size_t first_place(const hml_heap *h, const void *block) {
  uint64_t hash = ((uint64_t)(uintptr_t)block >> 4) * UINT64_C(0x9E3779B97F4A7C15);
  return (size_t)(hash >> 32) & (h->capacity - 1);
}

// The place of the block, or the empty place for it
static size_t place_of(const hml_heap *h, const void *block) {
  size_t i = first_place(h, block);
  while (h->slots[i].block && h->slots[i].block != block) i = (i + 1) & (h->capacity - 1);
  return i;
}

static bool make_room(hml_heap *h) {
  if (2 * (h->count + 1) <= h->capacity) return true;
  hml_heap old = *h;
  size_t capacity = h->capacity ? 2 * h->capacity : FIRST_CAPACITY;
  struct hml_heap_slot *slots = calloc(capacity, sizeof *slots);
  if (!slots) return false;
  h->slots = slots;
  h->capacity = capacity;
  for (size_t i = 0; i < old.capacity; i++)
    if (old.slots[i].block) h->slots[place_of(h, old.slots[i].block)] = old.slots[i];
  free(old.slots);
  return true;
}

static void enter(hml_heap *h, void *block, size_t size) {
  h->slots[place_of(h, block)] = (struct hml_heap_slot){block, size};
  h->count++;
  h->bytes += size;
}

// The size of the block; 0 if it is not of this heap
static size_t strike(hml_heap *h, const void *block) {
  if (h->capacity == 0) return 0;
  size_t hole = place_of(h, block), size = h->slots[hole].size;
  if (!h->slots[hole].block) return 0;
  h->count--;
  h->bytes -= size;
  // later blocks of the same run move up, so that no search ends early
  for (size_t i = (hole + 1) & (h->capacity - 1); h->slots[i].block; i = (i + 1) & (h->capacity - 1)) {
    size_t wanted = first_place(h, h->slots[i].block);
    if (((i - wanted) & (h->capacity - 1)) < ((i - hole) & (h->capacity - 1))) continue;
    h->slots[hole] = h->slots[i];
    hole = i;
  }
  h->slots[hole].block = NULL;
  return size;
}

// Its blocks stay and belong to whoever points to them
static void forget(hml_heap *h) {
  free(h->slots);
  h->slots = NULL;
  h->capacity = h->count = h->bytes = 0;
  h->crumbs = NULL;
}

void hml_heap__discard(hml_heap *h) {
  for (size_t i = 0; i < h->capacity; i++) free(h->slots[i].block);
  forget(h);
}

// ---- blocks of the heap in use

static void *take(hml_heap *h, size_t size, bool zeroed) {
  if (size == 0) size = 1;
  if (h->look) h->look(h->owner, size);
  void *block = !make_room(h) ? NULL : zeroed ? calloc(1, size) : malloc(size);
  if (!block) h->leave(h->owner);
  enter(h, block, size);
  return block;
}

static void *enlarge(hml_heap *h, void *block, size_t size) {
  if (size == 0) size = 1;
  if (h->look && size >= LARGE) h->look(h->owner, size);
  if (!make_room(h)) h->leave(h->owner);
  size_t old = strike(h, block);
  void *bigger = realloc(block, size);
  if (!bigger) {
    if (old) enter(h, block, old);
    h->leave(h->owner);
  }
  enter(h, bigger, size);
  return bigger;
}

// ---- crumbs: FLINT keeps thousands of integers of two limbs in stock. They come out of blocks of their own, which stay until the heap
// is discarded. GMP passes the size of a block that it frees, and the block to which a crumb belongs follows from its address

#define CRUMB 16u
#define TRAY (1u << 12)                 // size and alignment of a block of crumbs

typedef struct hml_heap_crumb {
  struct hml_heap_crumb *next;
} crumb;

static bool is_crumb(const hml_heap *h, void *block) {
  if (h->capacity == 0) return false;
  const struct hml_heap_slot *tray = &h->slots[place_of(h, (char *)block - ((uintptr_t)block & (TRAY - 1)))];
  return tray->block && tray->size == TRAY + 1;
}

static void *take_crumb(hml_heap *h) {
  if (h->look) h->look(h->owner, CRUMB);
  if (!h->crumbs) {
    char *tray = make_room(h) ? aligned_alloc(TRAY, TRAY) : NULL;
    if (!tray) h->leave(h->owner);
    enter(h, tray, TRAY + 1);            // no other block of a heap is known by that size
    for (char *p = tray + TRAY - CRUMB; p >= tray; p -= CRUMB) {
      crumb *fresh = (crumb *)(void *)p;
      fresh->next = h->crumbs;
      h->crumbs = fresh;
    }
  }
  crumb *first = h->crumbs;
  h->crumbs = first->next;
  return first;
}

static void give_crumb(hml_heap *h, void *block) {
  crumb *back = block;
  back->next = h->crumbs;
  h->crumbs = back;
}

// ---- GMP

static struct {
  void *(*allocate)(size_t);
  void *(*reallocate)(void *, size_t, size_t);
  void (*release)(void *, size_t);
} before;                               // GMP's own functions, for allocations outside a heap: those of malloc

static void *gmp_allocate(size_t size) {
  if (!current) return before.allocate(size);
  return current->with_crumbs && size <= CRUMB ? take_crumb(current) : take(current, size, false);
}

static void gmp_release(void *block, size_t size) {
  if (!current) {
    free(block);
  } else if (size <= CRUMB && is_crumb(current, block)) {
    give_crumb(current, block);
  } else {
    strike(current, block);
    free(block);
  }
}

static void *gmp_reallocate(void *block, size_t old_size, size_t size) {
  if (!current) return before.reallocate(block, old_size, size);
  if (old_size > CRUMB || !is_crumb(current, block)) return enlarge(current, block, size);
  if (size <= CRUMB) return block;
  void *bigger = take(current, size, false);
  memcpy(bigger, block, old_size);
  give_crumb(current, block);
  return bigger;
}

// GMP reports its present functions but not whether they are the original ones; setting NULL restores the originals
static void install(void) {
  void *(*allocate)(size_t), *(*reallocate)(void *, size_t, size_t);
  void (*release)(void *, size_t);
  mp_get_memory_functions(&allocate, &reallocate, &release);
  mp_set_memory_functions(NULL, NULL, NULL);
  mp_get_memory_functions(&before.allocate, &before.reallocate, &before.release);
  bool own = allocate == before.allocate && reallocate == before.reallocate && release == before.release;
  if (own) mp_set_memory_functions(gmp_allocate, gmp_reallocate, gmp_release);
  else mp_set_memory_functions(allocate, reallocate, release);
}

void hml_heap__install(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, install);
}

// those of the polynomial library, which allocates only inside a heap or for its host

void *hml_heap__allocate(size_t size) {
  if (current) return take(current, size, false);
  return malloc(size ? size : 1);
}

void *hml_heap__allocate_zeroed(size_t n, size_t size) {
  if (n && size > SIZE_MAX / n) return NULL;
  if (current) return take(current, n * size, true);
  return calloc(n ? n : 1, size ? size : 1);
}

void *hml_heap__reallocate(void *block, size_t size) {
  if (current) return enlarge(current, block, size);
  return realloc(block, size ? size : 1);
}

void hml_heap__release(void *block) {
  if (current) strike(current, block);
  free(block);
}

// ---- short calls of GMP

static void jump(void *owner) { longjmp(*(jmp_buf *)owner, 1); }

bool hml_heap__try(void (*work)(void *data), void *data) {
  hml_heap__install();
  jmp_buf out;
  hml_heap h = {.leave = jump, .owner = out}, *outer = hml_heap__use(&h);
  if (setjmp(out) != 0) {
    hml_heap__use(outer);
    hml_heap__discard(&h);
    return false;
  }
  work(data);
  hml_heap__use(outer);
  forget(&h);
  return true;
}
