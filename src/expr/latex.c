// latex.c: the TeX notation of the walk in print.c: dots, Greek letters, subscripts, fractions.
#include "print.h"

#include <ctype.h>
#include <string.h>

static const char *const greek[] = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho",
    "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi", "Pi", "Sigma", "Upsilon",
    "Phi", "Psi", "Omega", "varphi", "vartheta", "varepsilon",
};

// A letter, a Greek name, or an upright word
static void put_stem(hml_text *t, const char *stem, size_t length) {
  for (size_t i = 0; i < sizeof greek / sizeof greek[0]; i++)
    if (strlen(greek[i]) == length && memcmp(greek[i], stem, length) == 0) {
      hml_text_format(t, "\\%s", greek[i]);
      return;
    }
  bool one_letter = length == 1 || ((unsigned char)stem[0] >= 0xC0 && length <= 4);
  hml_text_put(t, one_letter ? "" : "\\mathrm{");
  for (size_t i = 0; i < length; i++) {
    if (stem[i] == '_') hml_text_put(t, "\\");
    hml_text_put_n(t, stem + i, 1);
  }
  hml_text_put(t, one_letter ? "" : "}");
}

// Underscores inside a subscript would nest: they become commas
static void put_subscript(hml_text *t, const char *p) {
  hml_text_put(t, "_{");
  for (; *p; p++) hml_text_put_n(t, *p == '_' ? "," : p, 1);
  hml_text_put(t, "}");
}

// The length of a name before its subscript, which is NULL where there is none; trailing digits are a subscript too
static size_t stem_of(const char *name, const char **subscript) {
  size_t length = strlen(name), stem = strcspn(name, "_");
  *subscript = stem < length && stem > 0 ? name + stem + 1 : NULL;
  if (stem == 0 || (*subscript && !**subscript)) stem = length, *subscript = NULL;
  if (!*subscript && stem == length && !strchr(name, '_')) {
    while (stem > 1 && isdigit((unsigned char)name[stem - 1])) stem--;
    if (stem < length) *subscript = name + stem;
  }
  return stem;
}

static void latex_function(hml_text *t, const char *name) {
  const char *subscript;
  put_stem(t, name, stem_of(name, &subscript));
  if (subscript) put_subscript(t, subscript);
}

static void latex_symbol(hml_text *t, hml_expr e) {
  const char *name = node_name(e), *subscript;
  size_t stem = stem_of(name, &subscript);
  static const char *const dots[] = {"", "\\dot{", "\\ddot{", "\\dddot{", "\\ddddot{"};
  bool dotted = e->order > 0 && e->order <= DOTS;
  if (dotted) hml_text_put(t, dots[e->order]);
  put_stem(t, name, stem);
  if (dotted) hml_text_put(t, "}");
  if (subscript && *subscript) put_subscript(t, subscript);
  if (e->order > DOTS) hml_text_format(t, "^{(%u)}", (unsigned)e->order);
}

static void latex_name(hml_text *t, hml_function f) {
  hml_text_put(t, function_rows[f].latex);
}

static const notation latex_notation = {
    .times = " ", .open = "\\left(", .close = "\\right)", .fraction = "\\frac{", .over = "}{", .fraction_end = "}",
    .power = "^{", .power_end = "}", .root = "\\sqrt{", .root_end = "}", .pi = "\\pi", .part = "\\square_{", .part_end = "}",
    .where = " \\quad\\text{where}\\quad ", .comma = ",\\; ", .symbol = latex_symbol, .name = latex_name, .function = latex_function,
};

char *hml_print_latex(hml_context *c, hml_expr e) {
  return hml_expr__print(c, e, &latex_notation);
}
