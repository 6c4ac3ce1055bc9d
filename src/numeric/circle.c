// circle.c: the rows of circle.def as functions for one number, for vectors, and as text.
#include "numeric/circle.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

// ---- one number

#define ONE(...) __VA_ARGS__
#define TURN(...) __VA_ARGS__
#define FOLD(...) __VA_ARGS__
#define VALUE(...) __VA_ARGS__
#include "numeric/circle.def"
#undef ONE
#undef TURN
#undef FOLD
#undef VALUE

hml_circle hml_circle__of(double x) {
  return hml_circle_of(x);
}

double hml_sin(double x) {
  return hml_circle_of(x).sine;
}

double hml_cos(double x) {
  return hml_circle_of(x).cosine;
}

const char *const hml_circle__text[] = {
  "typedef struct { double sine, cosine; } hml_circle;",
#define ONE(...) #__VA_ARGS__,
#define TURN(...) #__VA_ARGS__,
#define FOLD(...) #__VA_ARGS__,
#define VALUE(...) #__VA_ARGS__,
#include "numeric/circle.def"
#undef ONE
#undef TURN
#undef FOLD
#undef VALUE
  "#define hml_sin(x) (hml_circle_of(x).sine)",
  "#define hml_cos(x) (hml_circle_of(x).cosine)",
  NULL};

// ---- several

#if defined __x86_64__ && defined __GNUC__
#include <immintrin.h>

#define VECTOR __attribute__((target("avx2")))
#define WIDTH 2
#define NAMED(name) name##2
#define ANY(m) _mm_movemask_pd((__m128d)(m))
#include "numeric/circle_vectors.inc"
#undef WIDTH
#undef NAMED
#undef ANY
#define WIDTH 4
#define NAMED(name) name##4
#define ANY(m) _mm256_movemask_pd((__m256d)(m))
#include "numeric/circle_vectors.inc"
#undef VECTOR
#undef WIDTH
#undef NAMED
#undef ANY
#define VECTOR __attribute__((target("avx512f")))
#define WIDTH 8
#define NAMED(name) name##8
#define ANY(m) _mm512_test_epi64_mask((__m512i)(m), (__m512i)(m))
#include "numeric/circle_vectors.inc"

__attribute__((target("avx2"))) static void store2(vec2 x, double *sines, double *cosines) {
  vec2 s, c;
  circle2(x, &s, &c);
  _mm_storeu_pd(sines, (__m128d)s);
  _mm_storeu_pd(cosines, (__m128d)c);
}

__attribute__((target("avx2"))) static void store4(vec4 x, double *sines, double *cosines) {
  vec4 s, c;
  circle4(x, &s, &c);
  _mm256_storeu_pd(sines, (__m256d)s);
  _mm256_storeu_pd(cosines, (__m256d)c);
}

__attribute__((target("avx512f"))) static void store8(vec8 x, double *sines, double *cosines) {
  vec8 s, c;
  circle8(x, &s, &c);
  _mm512_storeu_pd(sines, (__m512d)s);
  _mm512_storeu_pd(cosines, (__m512d)c);
}

__attribute__((target("avx2"))) static void two(double a, double b, double *sines, double *cosines) {
  store2((vec2){a, b}, sines, cosines);
}

__attribute__((target("avx2"))) static void four(double a, double b, double c, double d, double *sines, double *cosines) {
  store4((vec4){a, b, c, d}, sines, cosines);
}

__attribute__((target("avx512f"))) static void eight(double a, double b, double c, double d, double e, double f, double g, double h, double *sines,
                                                     double *cosines) {
  store8((vec8){a, b, c, d, e, f, g, h}, sines, cosines);
}

__attribute__((target("avx2"))) static void twice_four(double a, double b, double c, double d, double e, double f, double g, double h, double *sines,
                                                       double *cosines) {
  store4((vec4){a, b, c, d}, sines, cosines);
  store4((vec4){e, f, g, h}, sines + 4, cosines + 4);
}

hml_circle_function hml_circle__of_registers(unsigned count) {
  if (count == 8) return __builtin_cpu_supports("avx512f") ? (hml_circle_function)eight : (hml_circle_function)twice_four;
  return count == 4 ? (hml_circle_function)four : (hml_circle_function)two;
}

hml_circle_function hml_circle__of_vector(unsigned lanes) {
  return lanes == 8 ? (hml_circle_function)store8 : (hml_circle_function)store4;
}

__attribute__((target("avx2"))) static size_t by_fours(size_t n, const double *x, double *sines, double *cosines) {
  size_t k = 0;
  for (; k + 4 <= n; k += 4) store4((vec4)_mm256_loadu_pd(x + k), sines + k, cosines + k);
  return k;
}

__attribute__((target("avx512f"))) static size_t by_eights(size_t n, const double *x, double *sines, double *cosines) {
  size_t k = 0;
  for (; k + 8 <= n; k += 8) store8((vec8)_mm512_loadu_pd(x + k), sines + k, cosines + k);
  return k;
}

static size_t by_vectors(size_t n, const double *x, double *sines, double *cosines) {
  const size_t k = __builtin_cpu_supports("avx512f") ? by_eights(n, x, sines, cosines) : 0;
  return __builtin_cpu_supports("avx2") ? k + by_fours(n - k, x + k, sines + k, cosines + k) : k;
}
#else
hml_circle_function hml_circle__of_registers(unsigned count) {
  (void)count;
  return NULL;
}

hml_circle_function hml_circle__of_vector(unsigned lanes) {
  (void)lanes;
  return NULL;
}

static size_t by_vectors(size_t n, const double *x, double *sines, double *cosines) {
  (void)n, (void)x, (void)sines, (void)cosines;
  return 0;
}
#endif

void hml_circle__many(size_t n, const double *x, double *sines, double *cosines) {
  for (size_t k = by_vectors(n, x, sines, cosines); k < n; k++) {
    const hml_circle p = hml_circle_of(x[k]);
    sines[k] = p.sine;
    cosines[k] = p.cosine;
  }
}
