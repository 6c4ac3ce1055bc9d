// native.h: machine code of a program, shared inside this room and with those who run several lanes at once.
//
// A native object is constant once made and serves many threads. Its code reads `in`, writes `out` and uses `work`, arrays that must
// not overlap; with more than one lane each entry is a vector: in[i*lanes + l]. What it computes is bit for bit what the interpreter
// does, rounding by rounding; with lanes that holds for arithmetic, square roots, abs, min and max, while functions come from the
// vector library where there is one (a few units in the last place).
#ifndef HML_NATIVE_H
#define HML_NATIVE_H

#include "program/program.h"

typedef struct hml_native hml_native;

// Why there is none for that many lanes (1, 4, 8): "this processor has no AVX2", ...; NULL: there is one
const char *hml_native__refusal(unsigned lanes);
unsigned hml_native__widest(void);                                   // 8, 4, or 1 where no vectors can be used
// *out is NULL where hml_native__refusal says why, or where the system gives no executable memory
hml_status hml_native__new(hml_context *c, const hml_program *p, unsigned lanes, hml_native **out);
void hml_native__free(hml_native *n);
size_t hml_native__work_size(const hml_native *n);                   // doubles, all lanes together
size_t hml_native__code_size(const hml_native *n);                   // bytes
typedef void (*hml_native_code)(const double *in, double *out, double *work);
hml_native_code hml_native__code(const hml_native *n);

// Tests pretend that something is missing: HML_LACKS_NOTHING sets it right again
typedef enum hml_lack { HML_LACKS_NOTHING, HML_LACKS_AVX2, HML_LACKS_AVX512, HML_LACKS_EXECUTABLE_MEMORY, HML_LACKS_VECTOR_FUNCTIONS } hml_lack;
void hml_native__pretend(hml_lack lack);

#endif
