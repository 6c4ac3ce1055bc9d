// symbol.c: symbols, the assumptions on them, and derivatives q, q', q'' of functions of time.
#include "expr_impl.h"

#include <ctype.h>
#include <string.h>

// Letters of any alphabet, digits and underscores; no digit first
static bool good_name(const char *name) {
  if (!*name || isdigit((unsigned char)*name)) return false;
  for (const char *p = name; *p; p++) {
    unsigned char ch = (unsigned char)*p;
    if (!(isalnum(ch) || ch == '_' || ch >= 0x80)) return false;
  }
  return true;
}

hml_expr hml_symbol(hml_context *c, const char *name, unsigned flags, unsigned order) {
  if (!good_name(name))
    return hml_fail_null(c, HML_ARGUMENT, "'%.60s' cannot name a symbol: use letters, digits and _, a letter first", name);
  if (strcmp(name, "pi") == 0 || strcmp(name, "π") == 0)
    return hml_fail_null(c, HML_ARGUMENT, "'%s' is the number hm.pi and cannot name a symbol; choose another name", name);
  if (order > 0 && !(flags & (HML_DYNAMIC | HML_EXTERNAL)))
    return hml_fail_null(c, HML_ARGUMENT, "'%.60s' is not a function of time: it has no derivative; declare it as a coordinate", name);
  return node_symbol(c, name, strlen(name), flags, order);
}

hml_expr hml_undot(hml_context *c, hml_expr s, unsigned order) {
  if (!s) return NULL;
  if (s->kind != HML_SYMBOL) return hml_fail_null(c, HML_ARGUMENT, "only a symbol has .dot; hm.dt(e) differentiates an expression");
  return hml_symbol(c, node_name(s), s->flags, order);
}

hml_expr hml_dot(hml_context *c, hml_expr s) {
  return s ? hml_undot(c, s, s->order + 1) : NULL;
}

const char *hml_symbol_name(hml_expr s) { return node_name(s); }
unsigned hml_symbol_flags(hml_expr s) { return s->flags; }
unsigned hml_symbol_order(hml_expr s) { return s->order; }
