// expressions.h: what the tests of this room share: a context with a few symbols kept, texts, random expressions.
#ifndef TEST_EXPRESSIONS_H
#define TEST_EXPRESSIONS_H

#include "expr/expr.h"
#include "support.h"

enum { SYMBOLS = 8 };

typedef struct fixture {
  hml_context *c;
  hml_expr s[SYMBOLS];                 // x y theta (functions of time), m J (positive), a b, t
  uint64_t state;                      // of random numbers
} fixture;

static inline int open_fixture(void **state) {
  static fixture f;
  f.c = hml_context_new(NULL, NULL);
  const struct {
    const char *name;
    unsigned flags;
  } rows[SYMBOLS] = {{"x", HML_DYNAMIC}, {"y", HML_DYNAMIC}, {"theta", HML_DYNAMIC}, {"m", HML_POSITIVE}, {"J", HML_POSITIVE},
                     {"a", 0}, {"b", 0}, {"t", HML_TIME}};
  for (int i = 0; i < SYMBOLS; i++) hml_keep(f.c, f.s[i] = hml_symbol(f.c, rows[i].name, rows[i].flags, 0));
  f.state = 20261120;
  *state = &f;
  return 0;
}

static inline int close_fixture(void **state) {
  hml_context_free(((fixture *)*state)->c);
  return 0;
}

#define fixture_test(name) cmocka_unit_test_setup_teardown(name, open_fixture, close_fixture)

static inline hml_expr read(fixture *f, const char *text) {
  hml_expr e = hml_parse(f->c, text, SYMBOLS, f->s);
  if (!e) fail_msg("'%s': %s", text, hml_context_error(f->c)->message);
  return e;
}

// The text prints as wanted
#define assert_prints(f, text, wanted) prints_at(f, read(f, text), wanted, __FILE__, __LINE__)
static inline void prints_at(fixture *f, hml_expr e, const char *wanted, const char *file, int line) {
  char *got = hml_print_text(f->c, e);
  if (!got || strcmp(got, wanted) != 0) {
    print_error("'%s' instead of '%s'\n", got ? got : "(nothing)", wanted);
    _fail(file, line);
  }
  hml_free(f->c, got);
}

#define assert_fails(f, call, status_, words) fails_at(f, (call) == NULL, status_, words, __FILE__, __LINE__)
static inline void fails_at(fixture *f, int failed, hml_status status, const char *words, const char *file, int line) {
  const hml_error *e = hml_context_error(f->c);
  if (!failed || e->status != status || !strstr(e->message, words)) {
    print_error("%s '%s' instead of %s '%s'\n", hml_status_name(e->status), e->message, hml_status_name(status), words);
    _fail(file, line);
  }
  hml_context_clear_error(f->c);
}

static inline double uniform(fixture *f, double from, double to) {
  f->state = f->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return from + (to - from) * (double)(f->state >> 11) / 9007199254740992.0;
}

static inline int whole(fixture *f, int from, int to) { return from + (int)uniform(f, 0, to - from + 0.999999); }

// A random expression, real for |x| < 1.5 or so
static inline hml_expr random_expression(fixture *f, int depth) {
  hml_context *c = f->c;
  if (depth == 0) {
    if (whole(f, 0, 3) == 0) return hml_rational(c, whole(f, -9, 9), whole(f, 1, 5));
    hml_expr s = f->s[whole(f, 0, SYMBOLS - 1)];
    return hml_symbol_flags(s) & HML_DYNAMIC ? hml_undot(c, s, (unsigned)whole(f, 0, 2)) : s;
  }
  hml_expr a = random_expression(f, depth - 1), b = random_expression(f, depth - 1);
  switch (whole(f, 0, 7)) {
    case 0: case 1: return hml_add(c, a, b);
    case 2: return hml_mul(c, a, b);
    case 3: return hml_sub(c, a, b);
    case 4: return hml_div(c, a, hml_add(c, hml_integer(c, 2), hml_mul(c, b, b)));
    case 5: return hml_sqrt(c, hml_add(c, hml_integer(c, 1), hml_mul(c, a, a)));
    case 6: return hml_pow(c, a, hml_integer(c, whole(f, 2, 3)));
    default: {
      const char *const names[] = {"sin", "cos", "atan", "tanh", "asinh", "exp"};
      int k = hml_function_find(names[whole(f, 0, 5)]);
      if (k == hml_function_find("exp")) a = hml_call(c, hml_function_find("sin"), 1, &a);
      return hml_call(c, k, 1, &a);
    }
  }
}

// A point: values of all symbols up to order 2
typedef struct point {
  hml_expr s[3 * SYMBOLS];
  double v[3 * SYMBOLS];
  size_t n;
} point;

static inline point random_point(fixture *f) {
  point p = {.n = 0};
  for (int i = 0; i < SYMBOLS; i++)
    for (unsigned order = 0; order < (hml_symbol_flags(f->s[i]) & HML_DYNAMIC ? 3u : 1u); order++) {
      p.s[p.n] = order ? hml_undot(f->c, f->s[i], order) : f->s[i];
      p.v[p.n++] = hml_symbol_flags(f->s[i]) & HML_POSITIVE ? uniform(f, 0.5, 2) : uniform(f, -1.2, 1.2);
    }
  return p;
}

static inline double at(fixture *f, hml_expr e, const point *p) {
  double value = NAN;
  assert_int_equal(hml_value(f->c, e, p->n, p->s, p->v, &value), HML_OK);
  return value;
}

#endif
