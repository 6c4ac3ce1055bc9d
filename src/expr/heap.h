// heap.h: memory of the number libraries. GMP and FLINT cannot return a failure: when memory ends, or the work must stop, the only way out
// of a call is a jump. While a heap is in use on a thread every block of GMP and FLINT belongs to it, so that what a call left behind
// can be freed; without one their functions work as they did before.
#ifndef HML_HEAP_H
#define HML_HEAP_H

#include "base/base.h"

typedef struct hml_heap {
  struct hml_heap_slot { void *block; size_t size; } *slots;   // by address, open addressing
  size_t capacity, count, bytes;       // capacity is a power of two
  bool with_crumbs;                    // nothing in it outlives it: small blocks of GMP come out of larger ones
  struct hml_heap_crumb *crumbs;       // free ones
  void (*look)(void *owner, size_t more);   // before `more` bytes are taken; may leave the call by a jump. NULL: nothing to look at
  void (*leave)(void *owner);          // memory ended: leaves the call by a jump
  void *owner;
} hml_heap;

hml_heap *hml_heap__use(hml_heap *h);                            // on this thread; the one used before, NULL: none
void hml_heap__discard(hml_heap *h);                             // frees its blocks

// Runs calls of GMP in a heap of their own. False when memory ended: their blocks are freed, and their results must not be used.
// work must write to fresh numbers only: those it was given stay as they are.
bool hml_heap__try(void (*work)(void *data), void *data);

// Installs GMP's functions once for the process, unless the process has its own: theirs are kept
void hml_heap__install(void);

// What the polynomial library is given for its blocks: of the heap in use
void *hml_heap__allocate(size_t size);
void *hml_heap__allocate_zeroed(size_t n, size_t size);
void *hml_heap__reallocate(void *block, size_t size);
void hml_heap__release(void *block);

#endif
