// parse.c: text to expression: + - * / ^, brackets, functions of functions.def and sqrt, decimals, pi, names with primes.
// Depth of brackets is limited, so that no text can exhaust the C stack.
#include "expr_impl.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH 400

typedef struct parser {
  hml_context *c;
  const char *start, *p;
  size_t n;
  const hml_expr *symbols;
  int depth;
} parser;

static hml_expr parse_sum(parser *s);

static void *expected(parser *s, const char *what) {
  size_t at = (size_t)(s->p - s->start);
  if (hml_failed(s->c)) return NULL;
  if (!*s->p) return hml_fail_null(s->c, HML_SYNTAX, "'%.200s': %s expected at the end", s->start, what);
  return hml_fail_null(s->c, HML_SYNTAX, "'%.200s': %s expected at character %zu, before '%.20s'", s->start, what, at + 1, s->p);
}

static void skip(parser *s) {
  while (isspace((unsigned char)*s->p)) s->p++;
}

static bool accept(parser *s, char ch) {
  skip(s);
  if (*s->p != ch) return false;
  s->p++;
  return true;
}

// A decimal; one of sixteen digits and more was an inexact number when it was printed
static hml_expr parse_number(parser *s) {
  const char *p = s->p;
  size_t digits = 0;
  bool leading = true, point = false;
  for (; isdigit((unsigned char)*p) || *p == '.'; p++) {
    point = point || *p == '.';
    leading = leading && (*p == '0' || *p == '.');
    digits += !leading && *p != '.';
  }
  if ((*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[1]) || ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2])))) {
    p += 2;
    point = true;
    while (isdigit((unsigned char)*p)) p++;
  }
  size_t length = (size_t)(p - s->p);
  if (length >= 4000) return expected(s, "a shorter number");
  char text[4001];
  memcpy(text, s->p, length);
  text[length] = '\0';
  if (point && digits > 15) {
    number a;
    number_set_float(&a, strtod(text, NULL));
    s->p = p;
    return number_node(s->c, &a);
  }
  hml_expr e = hml_decimal(s->c, text);
  if (e) s->p = p;
  return e;
}

static bool name_char(char ch) {
  return isalnum((unsigned char)ch) || ch == '_' || (unsigned char)ch >= 0x80;
}

static hml_expr parse_arguments(parser *s, const char *name, size_t length) {
  hml_expr arguments[2];
  size_t n = 0;
  do {
    if (n == 2) return expected(s, "')'");
    if (!(arguments[n++] = parse_sum(s))) return NULL;
  } while (accept(s, ','));
  if (!accept(s, ')')) return expected(s, "')'");
  if (length == 4 && memcmp(name, "sqrt", 4) == 0 && n == 1) return hml_sqrt(s->c, arguments[0]);
  for (int f = 0; f < HML_FUN_COUNT; f++)
    if (strlen(function_rows[f].name) == length && memcmp(function_rows[f].name, name, length) == 0)
      return hml_call(s->c, f, n, arguments);
  return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': there is no function '%.*s'", s->start, (int)length, name);
}

// A symbol of the list, by name; primes ask for a derivative of it
static hml_expr parse_name(parser *s) {
  const char *name = s->p;
  while (name_char(*s->p)) s->p++;
  size_t length = (size_t)(s->p - name);
  if (*s->p == '(') {
    s->p++;
    return parse_arguments(s, name, length);
  }
  unsigned order = 0;
  while (*s->p == '\'') {
    s->p++;
    if (*s->p == '{') order += (unsigned)strtoul(s->p + 1, (char **)&s->p, 10), s->p += *s->p == '}';
    else order++;
  }
  for (size_t i = 0; i < s->n; i++) {
    hml_expr e = s->symbols[i];
    if (strlen(node_name(e)) != length || memcmp(node_name(e), name, length) != 0) continue;
    if (order == 0) return e;
    return hml_undot(s->c, e, e->order + order);
  }
  if (order == 0 && length == 2 && memcmp(name, "pi", 2) == 0) return hml_pi(s->c);
  return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': '%.*s' is not a known symbol", s->start, (int)length, name);
}

static hml_expr parse_atom(parser *s) {
  skip(s);
  if (accept(s, '(')) {
    hml_expr e = parse_sum(s);
    if (!e) return NULL;
    return accept(s, ')') ? e : expected(s, "')'");
  }
  if (isdigit((unsigned char)*s->p) || (*s->p == '.' && isdigit((unsigned char)s->p[1]))) return parse_number(s);
  if (name_char(*s->p)) return parse_name(s);
  return expected(s, "a number, a name or '('");
}

// power := atom [^ signed power]; binds to the right
static hml_expr parse_power(parser *s) {
  if (++s->depth > MAX_DEPTH) return hml_fail_null(s->c, HML_LIMIT, "the text is nested deeper than %d", MAX_DEPTH);
  hml_expr base = parse_atom(s);
  if (base && accept(s, '^')) {
    bool negative = accept(s, '-');
    hml_expr exponent = parse_power(s);
    base = hml_pow(s->c, base, negative ? hml_neg(s->c, exponent) : exponent);
  }
  s->depth--;
  return base;
}

static hml_expr parse_product(parser *s) {
  bool negative = false;
  for (;;) {
    if (accept(s, '-')) negative = !negative;
    else if (!accept(s, '+')) break;
  }
  hml_expr e = parse_power(s);
  while (e) {
    if (accept(s, '*')) e = hml_mul(s->c, e, parse_power(s));
    else if (accept(s, '/')) e = hml_div(s->c, e, parse_power(s));
    else break;
  }
  return negative ? hml_neg(s->c, e) : e;
}

static hml_expr parse_sum(parser *s) {
  hml_expr e = parse_product(s);
  while (e) {
    if (accept(s, '+')) e = hml_add(s->c, e, parse_product(s));
    else if (accept(s, '-')) e = hml_sub(s->c, e, parse_product(s));
    else break;
  }
  return e;
}

hml_expr hml_parse(hml_context *c, const char *text, size_t n, const hml_expr *symbols) {
  parser s = {.c = c, .start = text, .p = text, .n = n, .symbols = symbols};
  hml_expr e = parse_sum(&s);
  skip(&s);
  if (e && *s.p) return expected(&s, "an operator");
  return e;
}
