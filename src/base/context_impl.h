// context_impl.h: layout of the context, shared only inside this room.
#ifndef HML_CONTEXT_IMPL_H
#define HML_CONTEXT_IMPL_H

#include "base.h"

struct hml_context {
  hml_interrupt interrupt;             // the first member: base.h
  hml_allocator allocator;
  void *payload;                       // of the allocator
  size_t bytes;                        // allocated and not given back
  hml_error error;                     // the first failure since the last clear
  volatile int own_interrupt;
  struct hml_pool *pool;               // of the room of expressions
  void (*free_pool)(hml_context *, struct hml_pool *);
};

#endif
