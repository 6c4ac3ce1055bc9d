// base.h: door of the room: failures, contexts, arenas, growing text, bytes, hash tables. No mathematics here.
#ifndef HML_BASE_H
#define HML_BASE_H

#include "hamel.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// ---- failures: the first one keeps its message until hml_context_clear_error
hml_status hml_fail(hml_context *c, hml_status status, const char *format, ...) HML_FORMAT(3, 4);
void *hml_fail_null(hml_context *c, hml_status status, const char *format, ...) HML_FORMAT(3, 4);   // the same for constructors
bool hml_failed(const hml_context *c);
bool hml_must_end(const hml_context *c);   // memory or an interrupt: never taken for "nothing found"
bool hml_forgive(hml_context *c);      // forgets a failure unless the call must end for it; false: it must
hml_status hml_forgiven(hml_context *c);   // the same as a status: HML_OK, or that for which the call must end

#define HML_TRY(call)                                     \
  do {                                                    \
    hml_status hml_try_status_ = (call);                  \
    if (hml_try_status_ != HML_OK) return hml_try_status_; \
  } while (0)

// ---- memory: all through the context's allocator
void *hml_alloc(hml_context *c, size_t size);                               // zeroed; NULL and a failure when out of memory
void *hml_realloc(hml_context *c, void *block, size_t old_size, size_t new_size);   // NULL and a failure: block still valid
void hml_dealloc(hml_context *c, void *block, size_t size);
char *hml_text_copy(hml_context *c, const char *text);                      // free with hml_free
void hml_context__note_bytes(hml_context *c, int64_t more);                 // memory that other libraries allocated for this context: long numbers
bool hml_interrupted(const hml_context *c);                                 // the flag alone
void hml_context__watch(hml_context *c, void (*watch)(void *payload), void *payload);   // called before each look at the flag, which it may set

// What interrupts: the first member of a context, for functions to which a call is a cost
typedef struct hml_interrupt {
  volatile int *flag;
  void (*watch)(void *payload);        // sets the flag where a host has another way to interrupt; NULL: none
  void *watched;
} hml_interrupt;

// Nothing interrupts, and no host need be asked: else hml_interrupted says
static inline bool hml_undisturbed(const hml_context *c) {
  const hml_interrupt *i = (const hml_interrupt *)(const void *)c;
  return !i->watch && *i->flag == 0;
}

hml_status hml_check_interrupt(hml_context *c);                             // HML_INTERRUPTED if the flag is set

// arena: memory that is freed together. With HML_ARENA_MALLOC each block is a separate malloc (for valgrind and ASan).
typedef struct hml_arena {
  hml_context *context;
  struct hml_arena_block *blocks;      // newest first
} hml_arena;

void hml_arena_init(hml_arena *a, hml_context *c);
void *hml_arena_alloc(hml_arena *a, size_t size);                           // zeroed, 16-aligned; NULL and a failure when out of memory
void *hml_arena_raw(hml_arena *a, size_t size);                             // the same with any content, for what is written before it is read
void hml_arena_free(hml_arena *a);                                          // everything; the arena is empty again

// ---- text that grows; out-of-memory is sticky, one check at the end
typedef struct hml_text {
  hml_context *context;
  char *data;                          // NUL-terminated once something was appended
  size_t length, capacity;
  bool failed;
} hml_text;

void hml_text_init(hml_text *t, hml_context *c);
void hml_text_put(hml_text *t, const char *s);
void hml_text_put_n(hml_text *t, const char *s, size_t n);
void hml_text_format(hml_text *t, const char *format, ...) HML_FORMAT(2, 3);
// The mark around a name in a message: none round y', whose prime would read as a second one. "%s%s%s", HML_QUOTED(name)
const char *hml_quote_of(const char *name);
#define HML_QUOTED(name) hml_quote_of(name), (name), hml_quote_of(name)
void hml_text__plain_nan(char *message);                  // -nan becomes nan: its sign is an accident of the processor
char *hml_text_take(hml_text *t);                                           // the text, yours (hml_free); NULL when out of memory
void hml_text_free(hml_text *t);

// ---- bytes that are read from the front; too few is sticky, one check at the end
typedef struct hml_reader {
  const char *at, *end;
  bool failed;
} hml_reader;

void hml_reader__take(hml_reader *r, void *into, size_t size);              // zeros where so many are not left

// ---- table from pointers to pointer-sized values; memory from an arena
typedef struct hml_table {
  hml_arena *arena;
  struct hml_table_slot { const void *key; uintptr_t value; } *slots;
  size_t capacity, count;              // capacity is a power of two
} hml_table;

void hml_table_init(hml_table *t, hml_arena *arena);
bool hml_table_get(const hml_table *t, const void *key, uintptr_t *value);
hml_status hml_table_put(hml_table *t, const void *key, uintptr_t value);   // replaces

// data of the room expr, opaque here
struct hml_pool;
struct hml_pool *hml_context__pool(hml_context *c);
void hml_context__set_pool(hml_context *c, struct hml_pool *pool, void (*free_pool)(hml_context *, struct hml_pool *));

// The processors that this process may use: a job of a cluster has a part of its machine. At least 1
unsigned hml_processors(void);

#endif
