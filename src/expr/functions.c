// functions.c: the rows of functions.def as tables: values, partial derivatives, names.
#include "expr_impl.h"

#include <math.h>
#include <string.h>

enum { PLACEHOLDER_ORDER = 7 };         // no user symbol is external and has derivatives

const function_row function_rows[HML_FUN_COUNT] = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) {#name, arity, {da, db}, symmetry, domain, latex, help},
#include "functions.def"
#undef FUN
};

// One static C function per row
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) \
  static double value_##name(double a, double b) {                      \
    (void)b;                                                            \
    return value;                                                       \
  }
#include "functions.def"
#undef FUN

static double (*const values[HML_FUN_COUNT])(double, double) = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) value_##name,
#include "functions.def"
#undef FUN
};

double hml_function__value(hml_function f, double a, double b) {
  return values[f](a, b);
}

const char *hml_function_name(hml_function f) {
  return f >= 0 && f < HML_FUN_COUNT ? function_rows[f].name : NULL;
}

unsigned hml_function_arity(hml_function f) {
  return f >= 0 && f < HML_FUN_COUNT ? function_rows[f].arity : 0;
}

const char *hml_function_help(hml_function f) {
  return f >= 0 && f < HML_FUN_COUNT ? function_rows[f].help : NULL;
}

int hml_function_find(const char *name) {
  for (int f = 0; f < HML_FUN_COUNT; f++)
    if (strcmp(function_rows[f].name, name) == 0) return f;
  return -1;
}

// The symbols a, b, f of a row's partial derivatives; names no user symbol can have
hml_expr hml_function__placeholder(hml_context *c, unsigned k) {
  return hml_symbol(c, k == 0 ? "a" : k == 1 ? "b" : "f", HML_EXTERNAL, PLACEHOLDER_ORDER);
}

bool is_placeholder(hml_expr e) {
  return e->kind == HML_SYMBOL && e->order == PLACEHOLDER_ORDER && (e->flags & HML_EXTERNAL);
}

// The text of a partial is parsed once per context and kept
static hml_expr template_of(hml_context *c, hml_function f, size_t k) {
  hml_expr e = pool_template(c, f, k);
  if (e) return e;
  hml_expr symbols[3] = {hml_function__placeholder(c, 0), hml_function__placeholder(c, 1), hml_function__placeholder(c, 2)};
  if (!symbols[0] || !symbols[1] || !symbols[2]) return NULL;
  e = hml_parse(c, function_rows[f].partial[k], 3, symbols);
  if (e) pool_set_template(c, f, k, e);
  return e;
}

hml_expr hml_function__partial(hml_context *c, hml_expr call, size_t k) {
  if (!call) return NULL;
  if (hml_opaque__is(call)) return hml_opaque__partial(c, call, k);
  hml_expr pattern = template_of(c, call->function, k);
  hml_expr from[3] = {hml_function__placeholder(c, 0), hml_function__placeholder(c, 2), hml_function__placeholder(c, 1)};
  hml_expr to[3] = {node_operands(call)[0], call, call->count > 1 ? node_operands(call)[1] : NULL};
  return hml_substitute(c, pattern, call->count + 1, from, to);
}
