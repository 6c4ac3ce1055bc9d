// support.h: what the C tests of all rooms share: comparisons, contexts, messages, an allocator that counts and fails on demand.
#ifndef HML_TEST_SUPPORT_H
#define HML_TEST_SUPPORT_H

#include "hamel.h"

#include <math.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// ---- numbers; HML_TOL_SCALE=0 turns the tolerances off, which shows the real residuals
static inline double tolerance_scale(void) {
  const char *scale = getenv("HML_TOL_SCALE");
  return scale ? atof(scale) : 1;
}

#define assert_near(value, wanted, tolerance) near_at(value, wanted, tolerance, #value, __FILE__, __LINE__)
static inline void near_at(double value, double wanted, double tolerance, const char *what, const char *file, int line) {
  if (fabs(value - wanted) <= tolerance * tolerance_scale()) return;
  print_error("%s = %.17g is not %.17g within %g: off by %.3g\n", what, value, wanted, tolerance, value - wanted);
  _fail(file, line);
}

#define check_near assert_near         // the name in the rooms integrate and program

#define check_below(value, limit) below_at(value, limit, #value, __FILE__, __LINE__)
static inline void below_at(double value, double limit, const char *what, const char *file, int line) {
  if (value <= limit * tolerance_scale()) return;
  print_error("%s = %.3g exceeds %.3g\n", what, value, limit);
  _fail(file, line);
}

// ---- statuses and messages
#define assert_ok(c, call) ok_at(c, call, __FILE__, __LINE__)
static inline void ok_at(hml_context *c, hml_status status, const char *file, int line) {
  if (status == HML_OK) return;
  print_error("%s: %s\n", hml_status_name(status), hml_context_error(c)->message);
  _fail(file, line);
}

// The context has failed so; the failure is cleared
#define assert_message(c, status, text) message_at(c, status, text, __FILE__, __LINE__)
static inline void message_at(hml_context *c, hml_status status, const char *text, const char *file, int line) {
  const hml_error *e = hml_context_error(c);
  if (e->status != status || !strstr(e->message, text)) {
    print_error("%s \"%s\" instead of %s \"...%s...\"\n", hml_status_name(e->status), e->message, hml_status_name(status), text);
    _fail(file, line);
  }
  hml_context_clear_error(c);
}

#define check_contains(text, part) contains_at(text, part, __FILE__, __LINE__)
static inline void contains_at(const char *text, const char *part, const char *file, int line) {
  if (strstr(text, part)) return;
  print_error("\"%s\" lacks \"%s\"\n", text, part);
  _fail(file, line);
}

// ---- contexts
static inline int open_context(void **state) {
  *state = hml_context_new(NULL, NULL);
  return *state ? 0 : -1;
}

static inline int close_context(void **state) {
  hml_context_free(*state);
  return 0;
}

#define in_context(test) cmocka_unit_test_setup_teardown(test, open_context, close_context)

// ---- memory: hml_context_new(rationed, &ration)
#define UNLIMITED LONG_MAX

typedef struct ration {
  long left;                           // requests that are granted
  long requests, blocks;               // granted so far; alive
  size_t bytes;                        // alive
} ration;

static inline void *rationed(void *payload, void *block, size_t old_size, size_t new_size) {
  ration *r = payload;
  if (new_size == 0) {
    if (block) {
      r->blocks--;
      r->bytes -= old_size;
    }
    free(block);
    return NULL;
  }
  if (r->left <= 0) return NULL;
  r->left--;
  r->requests++;
  r->blocks += block == NULL;
  r->bytes += new_size - (block ? old_size : 0);
  return realloc(block, new_size);
}

#define PI 3.14159265358979323846

// ---- seeded random numbers in (-1, 1), the same everywhere
static inline double random_number(void) {
  static uint64_t seed = 20240607;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(seed >> 11) / 4503599627370496.0 - 1;
}

#endif
