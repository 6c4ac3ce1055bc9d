// emit.h: the interface between native.c (processor, memory, functions) and the emitters, which write code.
#ifndef HML_EMIT_H
#define HML_EMIT_H

#include "program_impl.h"

typedef double (*hml_scalar_function)(double a, double b);
typedef void (*hml_lane_function)(const double *a, const double *b, double *result);

hml_scalar_function hml_emit__scalar(uint32_t op);                   // NULL: the instruction is no function
hml_lane_function hml_emit__lanewise(uint32_t op, unsigned lanes);
void *hml_emit__vector(uint32_t op, unsigned lanes);                 // from the vector library; NULL: lane by lane

// gather.c: the order in which instructions are written
enum { HML_EMIT_GROUP = 8 };
typedef struct hml_emit_order {
  uint32_t *order;                     // instructions                                            (n_instructions)
  uint32_t *together;                  // at the place of the first of some sines, cosines and pairs that do not wait for each other: how many; else zero
} hml_emit_order;
hml_status hml_emit__order(const hml_program *p, hml_arena *arena, hml_emit_order *out);
bool hml_emit__is_circle(uint32_t op);                               // sine, cosine or both

typedef struct hml_emission {
  hml_context *context;
  unsigned lanes;
  const hml_entry_layout *entry;       // NULL: code for hml_native_code
  const double *pool;                  // masks (two entries, for two lanes at least), constants, zero
  unsigned char *code;                 // to be freed by the caller: (capacity)
  size_t size, capacity;
  uint32_t slots;                      // of the work array, one vector each
} hml_emission;

hml_status hml_emit__x86(hml_emission *e, const hml_program *p);

#endif
