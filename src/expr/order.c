// order.c: order of display: accelerations, velocities, coordinates, parameters; names in natural order (x2 before x10).
// Deterministic and bounded in cost: deep differences are decided by size and structural hash.
#include "expr_impl.h"
#include "order.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 6
#define MAX_FACTORS 24

static int three_way(double a, double b) {
  return (a > b) - (a < b);
}

static size_t digits_at(const char *s) {
  size_t n = 0;
  while (isdigit((unsigned char)s[n])) n++;
  return n;
}

// Two whole numbers of m and n digits; of equal ones that with fewer zeros in front is the lesser
static int compare_digits(const char *a, size_t m, const char *b, size_t n) {
  size_t i = 0, j = 0;
  while (i < m && a[i] == '0') i++;
  while (j < n && b[j] == '0') j++;
  if (m - i != n - j) return m - i < n - j ? -1 : 1;
  const int d = memcmp(a + i, b + j, m - i);
  if (d) return d;
  return (m > n) - (m < n);
}

static int natural(const char *a, const char *b) {
  while (*a && *b) {
    if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
      const size_t m = digits_at(a), n = digits_at(b);
      const int d = compare_digits(a, m, b, n);
      if (d) return d;
      a += m, b += n;
      continue;
    }
    // letters without case first, so that a and A stay together
    int x = tolower((unsigned char)*a), y = tolower((unsigned char)*b);
    if (x != y) return x < y ? -1 : 1;
    if (*a != *b) return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
    a++, b++;
  }
  return (*a != 0) - (*b != 0);
}

static int by_content(hml_expr a, hml_expr b) {
  if (a->size != b->size) return a->size < b->size ? -1 : 1;
  return a->hash < b->hash ? -1 : a->hash > b->hash;
}

static int compare_symbols(hml_expr a, hml_expr b) {
  int d = natural(node_name(a), node_name(b));
  if (d) return d;
  if (a->order != b->order) return a->order < b->order ? -1 : 1;
  return (int)a->flags - (int)b->flags;
}

static hml_expr base_of(hml_expr e) { return e->kind == HML_POWER ? node_operands(e)[0] : e; }

static double exponent_of(hml_expr e) {
  if (e->kind != HML_POWER) return 1;
  return is_number(node_operands(e)[1]) ? hml_number_value(node_operands(e)[1]) : 0.5;
}

// Class of a factor inside a product
static int factor_class(hml_expr base) {
  if (is_pi(base)) return 0;
  switch (base->kind) {
    case HML_NUMBER: case HML_FLOAT: return 0;
    case HML_SYMBOL: return base->rank == RANK_PARAMETER ? 1 : 2;
    case HML_CALL: return 4;
    default: return 3;
  }
}

static int compare_terms(hml_expr a, hml_expr b, int depth);

static int compare_same_class(hml_expr a, hml_expr b, int depth) {
  if (a == b) return 0;
  if (a->kind != b->kind) return (int)a->kind - (int)b->kind;
  if (is_number(a)) return three_way(hml_number_value(a), hml_number_value(b));
  if (a->kind == HML_SYMBOL) return compare_symbols(a, b);
  if (a->kind == HML_CALL && depth > 0) {
    if (a->function != b->function) return (int)a->function - (int)b->function;
    for (uint32_t i = 0; i < a->count && i < b->count; i++) {
      int d = compare_terms(node_operands(a)[i], node_operands(b)[i], depth - 1);
      if (d) return d;
    }
  }
  return by_content(a, b);
}

static int compare_factors(hml_expr a, hml_expr b, int depth) {
  hml_expr x = base_of(a), y = base_of(b);
  int d = factor_class(x) - factor_class(y);
  if (d == 0) d = compare_same_class(x, y, depth);
  return d ? d : -three_way(exponent_of(a), exponent_of(b));
}

int hml_expr__compare_factors(const void *a, const void *b) {
  return compare_factors(*(const hml_expr *)a, *(const hml_expr *)b, MAX_DEPTH);
}

// For terms the moving symbols lead: x'' before x' before x before m
static int compare_for_terms(hml_expr a, hml_expr b, int depth) {
  hml_expr x = base_of(a), y = base_of(b);
  int dx = x->kind == HML_SYMBOL ? x->rank : 0, dy = y->kind == HML_SYMBOL ? y->rank : 0;
  if (dx != dy && (dx > RANK_PARAMETER || dy > RANK_PARAMETER)) return dx > dy ? -1 : 1;
  if (dx > RANK_PARAMETER) {
    int d = compare_symbols(x, y);
    return d ? d : -three_way(exponent_of(a), exponent_of(b));
  }
  return compare_factors(a, b, depth);
}

static int leading_first(const void *a, const void *b) {
  return compare_for_terms(*(const hml_expr *)a, *(const hml_expr *)b, 2);
}

static size_t factors_of(hml_expr e, hml_expr *out) {
  if (e->kind != HML_PRODUCT) {
    out[0] = e;
    return 1;
  }
  size_t n = 0;
  for (uint32_t i = 0; i < e->count && n < MAX_FACTORS; i++)
    if (!is_number(node_operands(e)[i])) out[n++] = node_operands(e)[i];
  qsort(out, n, sizeof *out, leading_first);
  return n;
}

static int compare_terms(hml_expr a, hml_expr b, int depth) {
  if (a == b) return 0;
  if (a->rank != b->rank) return a->rank > b->rank ? -1 : 1;
  if (depth == 0) return by_content(a, b);
  hml_expr x[MAX_FACTORS], y[MAX_FACTORS];
  size_t n = factors_of(a, x), m = factors_of(b, y);
  for (size_t i = 0; i < n && i < m; i++) {
    int d = compare_for_terms(x[i], y[i], depth - 1);
    if (d) return d;
  }
  if (n != m) return n > m ? -1 : 1;
  return by_content(a, b);
}

int hml_compare(hml_expr a, hml_expr b) {
  int d = compare_terms(a, b, MAX_DEPTH);
  return d < 0 ? -1 : d > 0;
}
