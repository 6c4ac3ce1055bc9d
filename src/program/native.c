// native.c: features of processor and system, executable memory, the functions that code calls. emit_x86.c writes the code itself.
//
// Pages are written first and made executable then, never both. Where the system refuses that, programs are interpreted.
#include "emit.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#if defined __x86_64__ && defined __linux__
#define HAS_EMITTER 1
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#else
#define HAS_EMITTER 0
#endif

struct hml_native {
  hml_context *context;
  hml_native_code code;
  hml_entry_code entry;                // in place of `code`
  void *pages;
  size_t mapped, size, work_size, pool_bytes;
  void *pool_block;                    // masks and constants, one entry per lane
};

static _Atomic hml_lack pretended = HML_LACKS_NOTHING;

void hml_native__pretend(hml_lack lack) {
  pretended = lack;
}

// functions of functions.def
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) \
  static double call_##name(double a, double b) {                      \
    (void)b;                                                           \
    return (value);                                                    \
  }
#include "expr/functions.def"
#undef FUN

static double call_pow(double a, double b) {
  return pow(a, b);
}

hml_scalar_function hml_emit__scalar(uint32_t op) {
  static const hml_scalar_function table[OP_COUNT] = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = call_##name,
#include "expr/functions.def"
#undef FUN
    [OP_pow] = call_pow,
  };
  return table[op];
}

#if HAS_EMITTER
// Lane by lane, for functions the vector library does not have
#define LANEWISE(name)                                                                                             \
  static void lanes4_##name(const double *a, const double *b, double *r) { for (int l = 0; l < 4; l++) r[l] = call_##name(a[l], b[l]); } \
  static void lanes8_##name(const double *a, const double *b, double *r) { for (int l = 0; l < 8; l++) r[l] = call_##name(a[l], b[l]); }
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) LANEWISE(name)
#include "expr/functions.def"
LANEWISE(pow)
#undef FUN

hml_lane_function hml_emit__lanewise(uint32_t op, unsigned lanes) {
  static const hml_lane_function table[2][OP_COUNT] = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = lanes4_##name,
    {
#include "expr/functions.def"
      [OP_pow] = lanes4_pow},
#undef FUN
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) [OP_##name] = lanes8_##name,
    {
#include "expr/functions.def"
      [OP_pow] = lanes8_pow},
#undef FUN
  };
  return table[lanes == 8][op];
}

// The vector variants of the C library: _ZGVdN4v_sin (4 lanes, AVX2), _ZGVeN8vv_pow (8 lanes, AVX-512)
static void *vector_table[2][OP_COUNT];
static pthread_once_t vector_once = PTHREAD_ONCE_INIT;

static void find_vector_functions(void) {
  void *library = dlopen("libmvec.so.1", RTLD_NOW | RTLD_LOCAL);     // stays open: code calls into it
  if (!library) return;
  for (unsigned wide = 0; wide < 2; wide++)
    for (uint32_t op = 0; op < OP_COUNT; op++) {
      char name[60];
      const instruction_row *row = &instruction_rows[op];
      snprintf(name, sizeof name, "_ZGV%s%s_%s", wide ? "eN8" : "dN4", row->operands == 2 ? "vv" : "v", row->name);
      if (hml_emit__scalar(op)) vector_table[wide][op] = dlsym(library, name);
    }
}

void *hml_emit__vector(uint32_t op, unsigned lanes) {
  pthread_once(&vector_once, find_vector_functions);
  return pretended == HML_LACKS_VECTOR_FUNCTIONS ? NULL : vector_table[lanes == 8][op];
}

const char *hml_native__refusal(unsigned lanes) {
  hml_lack lack = pretended;
  if (lack == HML_LACKS_AVX2 || !__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return "this processor has no AVX2 with FMA";
  if (lanes == 8 && (lack == HML_LACKS_AVX512 || !__builtin_cpu_supports("avx512f"))) return "this processor has no AVX-512";
  if (lack == HML_LACKS_EXECUTABLE_MEMORY) return "the system gives no executable memory";
  return NULL;
}

static void *executable_copy(const unsigned char *code, size_t size, size_t *mapped) {
  *mapped = (size + 4095) / 4096 * 4096;
  void *pages = mmap(NULL, *mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (pages == MAP_FAILED) return NULL;
  memcpy(pages, code, size);
  if (mprotect(pages, *mapped, PROT_READ | PROT_EXEC) == 0) return pages;
  munmap(pages, *mapped);
  return NULL;
}

static void unmap(void *pages, size_t size) {
  munmap(pages, size);
}
#else
const char *hml_native__refusal(unsigned lanes) {
  (void)lanes;
  return "machine code is made for x86-64 under Linux only";
}

static void *executable_copy(const unsigned char *code, size_t size, size_t *mapped) {
  (void)code, (void)size, (void)mapped;
  return NULL;
}

static void unmap(void *pages, size_t size) {
  (void)pages, (void)size;
}

hml_status hml_emit__x86(hml_emission *e, const hml_program *p) {
  (void)e, (void)p;
  return HML_UNSUPPORTED;
}
#endif

const char *hml_native_refusal(void) {
  return hml_native__refusal(1);
}

unsigned hml_native__widest(void) {
  return !hml_native__refusal(8) ? 8 : !hml_native__refusal(4) ? 4 : 1;
}

// Sign mask, mask of the other bits, the constants, zero; each repeated for every lane (twice at least: masks are read in pairs)
static double *fill_pool(void *block, const hml_program *p, unsigned lanes) {
  uintptr_t at = ((uintptr_t)block + 63) / 64 * 64;
  double *pool = (double *)at;
  unsigned wide = lanes < 2 ? 2 : lanes;
  const uint64_t sign = UINT64_C(1) << 63, rest = ~sign;
  for (unsigned l = 0; l < wide; l++) {
    memcpy(pool + l, &sign, sizeof sign);
    memcpy(pool + wide + l, &rest, sizeof rest);
  }
  for (uint32_t k = 0; k < p->n_constants; k++)
    for (unsigned l = 0; l < lanes; l++) pool[2 * wide + k * lanes + l] = p->constants[k];
  for (unsigned l = 0; l < lanes; l++) pool[2 * wide + p->n_constants * lanes + l] = 0;
  return pool;
}

static hml_status build(hml_context *c, const hml_program *p, unsigned lanes, const hml_entry_layout *entry, hml_native **out) {
  *out = NULL;
  if (hml_native__refusal(lanes)) return HML_OK;
  hml_native *n = hml_alloc(c, sizeof *n);
  if (!n) return HML_MEMORY;
  n->context = c;
  n->pool_bytes = (5 + p->n_constants) * (lanes < 2 ? 2 : lanes) * sizeof(double) + 64;
  n->pool_block = hml_alloc(c, n->pool_bytes);
  hml_emission e = {.context = c, .lanes = lanes, .entry = entry};
  hml_status status = n->pool_block ? HML_OK : HML_MEMORY;
  if (status == HML_OK) {
    e.pool = fill_pool(n->pool_block, p, lanes);
    status = hml_emit__x86(&e, p);
  }
  if (status == HML_OK) {
    n->size = e.size;
    n->work_size = (size_t)e.slots * lanes;
    n->pages = executable_copy(e.code, e.size, &n->mapped);
  }
  hml_dealloc(c, e.code, e.capacity);
  if (status == HML_OK && n->pages) {
    if (entry) memcpy(&n->entry, &n->pages, sizeof n->entry);
    else memcpy(&n->code, &n->pages, sizeof n->code);
    *out = n;
  } else {
    hml_native__free(n);
  }
  return status;
}

hml_status hml_native__new(hml_context *c, const hml_program *p, unsigned lanes, hml_native **out) {
  return build(c, p, lanes, NULL, out);
}

hml_status hml_native__new_entry(hml_context *c, const hml_program *p, const hml_entry_layout *l, hml_native **out) {
  return build(c, p, 1, l, out);
}

void hml_native__free(hml_native *n) {
  if (!n) return;
  if (n->pages) unmap(n->pages, n->mapped);
  hml_dealloc(n->context, n->pool_block, n->pool_bytes);
  hml_dealloc(n->context, n, sizeof *n);
}

size_t hml_native__work_size(const hml_native *n) {
  return n->work_size;
}

hml_native_code hml_native__code(const hml_native *n) {
  return n->code;
}

hml_entry_code hml_native__entry(const hml_native *n) {
  return n->entry;
}
