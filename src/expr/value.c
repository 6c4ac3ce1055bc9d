// value.c: the numeric value of an expression at one point. For repeated evaluation there are programs.
#include "expr_impl.h"

#include <float.h>
#include <math.h>

// 1/(1 + 1/x) is 0 at x = 0 in the arithmetic of doubles, and has no value there
static bool lacks_a_value(hml_expr e, const hml_table *index, const double *value) {
  for (size_t i = 0; e->kind >= HML_SUM && i < e->count; i++) {
    uintptr_t k = 0;
    if (node_operands(e)[i]->flags & HML_FUNCTION_NAME) continue;
    hml_table_get(index, node_operands(e)[i], &k);
    if (!isfinite(value[k])) return true;
  }
  return false;
}

static double value_of(hml_expr e, const hml_table *index, const double *value) {
  uintptr_t k = 0;
  double result = e->kind == HML_PRODUCT;
  if (lacks_a_value(e, index, value)) return NAN;
  if (e->kind == HML_SYMBOL) return 0;                                 // the name of a function
  switch (e->kind) {
    case HML_NUMBER: case HML_FLOAT: return hml_number_value(e);
    case HML_SUM: case HML_PRODUCT:
      for (size_t i = 0; i < e->count; i++) {
        hml_table_get(index, node_operands(e)[i], &k);
        result = e->kind == HML_SUM ? result + value[k] : result * value[k];
      }
      return result;
    default: break;
  }
  hml_table_get(index, node_operands(e)[0], &k);
  double a = value[k], b = 0;
  if (e->count > 1) {
    hml_table_get(index, node_operands(e)[1], &k);
    b = value[k];
  }
  if (e->kind == HML_CALL) return function_rows[e->function].domain == NOT_00 && a == 0 && b == 0 ? NAN : hml_function__value(e->function, a, b);
  return b == 0.5 ? sqrt(a) : b == -0.5 ? 1 / sqrt(a) : pow(a, b);
}

// A product or a power that is less than the least double though no factor is zero: u u k is not 0 at u = 1e-200, k = 1e300
static bool has_underflowed(hml_expr e, const hml_table *index, const double *value, double result) {
  if ((e->kind != HML_PRODUCT && e->kind != HML_POWER) || fabs(result) >= DBL_MIN || isnan(result)) return false;
  for (size_t i = 0; i < (e->kind == HML_PRODUCT ? e->count : 1); i++) {
    uintptr_t k = 0;
    hml_table_get(index, node_operands(e)[i], &k);
    if (value[k] == 0) return false;
  }
  return true;
}

// Sums, products and powers in the wider range of long doubles (where there is one), functions as before
static double wide_value(size_t count, const hml_expr *nodes, const hml_table *given, const hml_table *index, const double *value, long double *wide) {
  for (size_t n = 0; n < count; n++) {
    const hml_expr e = nodes[n];
    uintptr_t at;
    wide[n] = value[n];
    if (e->kind < HML_SUM || hml_table_get(given, e, &at)) continue;
    long double result = e->kind == HML_PRODUCT, operands[2] = {0};
    for (size_t i = 0; i < e->count; i++) {
      uintptr_t k = 0;
      hml_table_get(index, node_operands(e)[i], &k);
      result = e->kind == HML_SUM ? result + wide[k] : result * wide[k];
      if (i < 2) operands[i] = wide[k];
    }
    if (e->kind == HML_POWER) result = operands[1] == 0.5L ? sqrtl(operands[0]) : powl(operands[0], operands[1]);
    else if (e->kind == HML_CALL) result = hml_function__value(e->function, (double)operands[0], (double)operands[1]);
    wide[n] = result;
  }
  return (double)wide[count - 1];
}

static hml_status evaluate(hml_context *c, hml_arena *arena, hml_expr e, size_t n, const hml_expr *symbols, const double *values, double *out) {
  hml_table given, index;
  hml_table_init(&given, arena);
  hml_table_init(&index, arena);
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  double *value = hml_arena_alloc(arena, count * sizeof *value);
  if (!value) return HML_MEMORY;
  bool underflow = false;
  for (size_t i = 0; i < n; i++) HML_TRY(hml_table_put(&given, symbols[i], i));
  for (size_t k = 0; k < count; k++) {
    uintptr_t i;
    if (hml_table_get(&given, nodes[k], &i)) {
      value[k] = values[i];
    } else if (nodes[k]->kind == HML_SYMBOL && !(nodes[k]->flags & HML_FUNCTION_NAME)) {
      char name[80];
      hml_expr__brief(c, nodes[k], 70, name);
      return hml_fail(c, HML_UNKNOWN_SYMBOL, "'%s' has no value: give it one", name);
    } else if (hml_opaque__is(nodes[k])) {
      return hml_opaque__refuse(c, nodes[k]);
    } else {
      value[k] = value_of(nodes[k], &index, value);
      underflow = underflow || has_underflowed(nodes[k], &index, value, value[k]);
    }
    HML_TRY(hml_table_put(&index, nodes[k], k));
  }
  *out = value[count - 1];
  if (!underflow || isnan(*out)) return HML_OK;
  long double *wide = hml_arena_alloc(arena, count * sizeof *wide);
  if (!wide) return HML_MEMORY;
  *out = wide_value(count, nodes, &given, &index, value, wide);
  return HML_OK;
}

hml_status hml_value(hml_context *c, hml_expr e, size_t n, const hml_expr *symbols, const double *values, double *out) {
  if (!e) return hml_failed(c) ? hml_context_error(c)->status : hml_fail(c, HML_ARGUMENT, "an expression is missing");
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_status status = evaluate(c, &arena, e, n, symbols, values, out);
  hml_arena_free(&arena);
  return status;
}
