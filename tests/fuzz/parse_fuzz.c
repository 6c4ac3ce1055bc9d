// parse_fuzz.c: any text: parse, print, parse again: the same expression, no crash, no leak.
#include "expr/expr.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// A long sum inside a sum (product inside a product) is printed without brackets and read as one
static int nested(hml_expr e) {
  hml_kind kind = hml_kind_of(e);
  if (kind != HML_SUM && kind != HML_PRODUCT) return 0;
  for (size_t i = 0; i < hml_operand_count(e); i++) {
    hml_expr part = hml_operand(e, i);
    if (hml_kind_of(part) == kind) return 1;
    for (size_t j = 0; kind == HML_SUM && j < hml_operand_count(part); j++)
      if (hml_kind_of(part) == HML_PRODUCT && hml_kind_of(hml_operand(part, j)) == HML_SUM && hml_operand_count(part) == 2) return 1;
  }
  return 0;
}

// Neither inexact numbers (they may be printed with fewer digits and come back exact) nor long products inside products
static int comparable(hml_context *c, hml_expr e) {
  hml_expr list[1] = {e};
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_expr *nodes;
  size_t count;
  int fine = 1;
  if (hml_expr__postorder(&arena, 1, list, &nodes, &count) == HML_OK)
    for (size_t i = 0; i < count; i++) fine = fine && hml_kind_of(nodes[i]) != HML_FLOAT && !nested(nodes[i]);
  hml_arena_free(&arena);
  return fine;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (size > 400) return 0;
  char text[401];
  memcpy(text, data, size);
  text[size] = '\0';
  hml_context *c = hml_context_new(NULL, NULL);
  if (!c) return 0;
  hml_expr s[5] = {hml_symbol(c, "x", HML_DYNAMIC, 0), hml_symbol(c, "y", HML_DYNAMIC, 0), hml_symbol(c, "m", HML_POSITIVE, 0),
                   hml_symbol(c, "a", 0, 0), hml_symbol(c, "t", HML_TIME, 0)};
  hml_expr e = hml_parse(c, text, 5, s);
  if (e && hml_tree_size(e) < 2000) {
    char *printed = hml_print_text(c, e), *latex = hml_print_latex(c, e);
    hml_expr again = printed ? hml_parse(c, printed, 5, s) : NULL;
    // a product at the limit of length may be read back in two parts
    int exact = comparable(c, e) && (!again || comparable(c, again));
    // numbers of more than 4000 digits are printed but not read
    if (exact && printed && strlen(printed) < 4000 && again != e) abort();
    hml_free(c, printed);
    hml_free(c, latex);
  }
  hml_context_free(c);
  return 0;
}
