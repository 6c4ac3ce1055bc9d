// lanes.c: DOP853, or Taylor series, on several runs side by side, one in each lane of the vector unit. Each lane has its own time and
// step size; after its job it takes the next one. The loop is in lanes.inc, compiled for four lanes (AVX2) and for eight (AVX-512). Steps of one
// size, which all lanes make together, are in lanes_fixed.inc, starts and first steps in lanes_starts.inc.
//
// A job that meets a difficulty (something not finite, a pivot too small, a step that falls, too many steps) leaves its lane and is run
// again from its start by the general method, which reports the failure.
#include "integrate/dop853_sums.h"
#include "integrate/dop853_table.h"
#include "integrate/ensemble.h"
#include "integrate/near_rest.h"
#include "integrate/quadrature.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define UNBOUNDED 1e-6                 // errors below it let the step grow by any factor

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

// ROOT, LARGER, SMALLER: of each lane, the second argument where one is not a number; BITS: one of each lane of a mask
#define WIDTH 4
#define NAMED(name) name##4
#define VECTOR __attribute__((target("avx2,fma")))
#define ROOT(v) ((vec)_mm256_sqrt_pd((__m256d)(v)))
#define LARGER(a, b) ((vec)_mm256_max_pd((__m256d)(a), (__m256d)(b)))
#define SMALLER(a, b) ((vec)_mm256_min_pd((__m256d)(a), (__m256d)(b)))
#define BITS(m) _mm256_movemask_pd((__m256d)(m))
#include "integrate/lanes.inc"
#undef WIDTH
#undef NAMED
#undef VECTOR
#undef ROOT
#undef LARGER
#undef SMALLER
#undef BITS
#define WIDTH 8
#define NAMED(name) name##8
#define VECTOR __attribute__((target("avx512f")))
#define ROOT(v) ((vec)_mm512_sqrt_pd((__m512d)(v)))
#define LARGER(a, b) ((vec)_mm512_max_pd((__m512d)(a), (__m512d)(b)))
#define SMALLER(a, b) ((vec)_mm512_min_pd((__m512d)(a), (__m512d)(b)))
#define BITS(m) _mm512_test_epi64_mask((__m512i)(m), (__m512i)(m))
#include "integrate/lanes.inc"
#else
hml_status hml_lanes__run4(hml_crew *crew) {
  return hml_fail(crew->context, HML_INTERNAL, "lanes: this machine has none");
}

hml_status hml_lanes__run8(hml_crew *crew) {
  return hml_fail(crew->context, HML_INTERNAL, "lanes: this machine has none");
}

hml_status hml_lanes__batch4(hml_crew *crew, const hml_batch *b) {
  (void)b;
  return hml_fail(crew->context, HML_INTERNAL, "lanes: this machine has none");
}

hml_status hml_lanes__batch8(hml_crew *crew, const hml_batch *b) {
  (void)b;
  return hml_fail(crew->context, HML_INTERNAL, "lanes: this machine has none");
}
#endif
