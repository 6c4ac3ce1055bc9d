// parse.c: text to expression: + - * / ^, brackets, functions of functions.def and sqrt, measured data, functions by name of the list, diff(e, x),
// decimals, pi, names with primes, and parts by name: "_1^2 + _1 where _1 = x + y". What print.c writes is read as the very node that was printed.
// Depth of brackets is limited, so that no text can exhaust the C stack.
#include "expr_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define MAX_DEPTH 400
#define MAX_DIGITS 1000000

// Expressions in a row; few need no allocation
typedef struct row {
  hml_context *c;
  hml_expr *items, local[16];
  size_t n, capacity;
} row;

typedef struct parser {
  hml_context *c;
  const char *start, *p;
  size_t n;
  const hml_expr *symbols;
  row parts;                           // of "where _1 = ...": by number
  size_t underscores;                  // that begin their names
  int depth;
} parser;

static void row_init(row *r, hml_context *c) {
  *r = (row){.c = c, .capacity = sizeof r->local / sizeof r->local[0]};
  r->items = r->local;
}

static void row_free(row *r) {
  if (r->items != r->local) hml_dealloc(r->c, r->items, r->capacity * sizeof *r->items);
}

static bool row_push(row *r, hml_expr e) {
  if (!e) return false;
  if (r->n == r->capacity) {
    bool local = r->items == r->local;
    size_t size = r->capacity * sizeof *r->items;
    hml_expr *bigger = hml_realloc(r->c, local ? NULL : r->items, local ? 0 : size, 2 * size);
    if (!bigger) return false;
    if (local) memcpy(bigger, r->local, size);
    r->items = bigger;
    r->capacity *= 2;
  }
  r->items[r->n++] = e;
  return true;
}

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

// An integer of any length
static hml_expr long_integer(parser *s, size_t length) {
  if (length > MAX_DIGITS) return expected(s, "a shorter number");
  char *text = hml_alloc(s->c, length + 1);
  if (!text) return NULL;
  memcpy(text, s->p, length);
  text[length] = '\0';
  number a, zero;
  a.form = BIG;
  mpq_init(a.q);
  mpq_set_str(a.q, text, 10);
  number_set(&zero, 0, 1);
  number_add(&a, &zero);               // the canonical form
  hml_dealloc(s->c, text, length + 1);
  s->p += length;
  return number_node(s->c, &a);
}

// A decimal; one of sixteen digits and more was an inexact number when it was printed
static hml_expr parse_number(parser *s) {
  const char *p = s->p;
  size_t digits = 0, all = 0;
  bool leading = true, point = false;
  for (; isdigit((unsigned char)*p) || *p == '.'; p++) {
    point = point || *p == '.';
    leading = leading && (*p == '0' || *p == '.');
    digits += !leading && *p != '.';
    all += *p != '.';
  }
  if (leading) digits = all;           // zero
  if ((*p == 'e' || *p == 'E') && (isdigit((unsigned char)p[1]) || ((p[1] == '-' || p[1] == '+') && isdigit((unsigned char)p[2])))) {
    p += 2;
    point = true;
    while (isdigit((unsigned char)*p)) p++;
  }
  size_t length = (size_t)(p - s->p);
  if (length >= 4000) return point ? expected(s, "a shorter number") : long_integer(s, length);
  char text[4001];
  memcpy(text, s->p, length);
  text[length] = '\0';
  if (point && digits > 15) {
    number a;
    const double x = strtod(text, NULL);
    number_set_float(&a, x);
    if (leading) a.error = INFINITY;                                   // rounding has left a zero, and no text tells from which size
    // out of the range of doubles, and where these have few digits, it is read exactly
    if (leading || isnormal(x)) {
      s->p = p;
      return number_node(s->c, &a);
    }
  }
  hml_expr e = hml_decimal(s->c, text);
  if (e) s->p = p;
  return e;
}

static bool name_char(char ch) {
  return isalnum((unsigned char)ch) || ch == '_' || (unsigned char)ch >= 0x80;
}

// The function of this name, whatever the case of its letters; NULL: none
static const char *function_like(const char *name, size_t length) {
  if (length == 2 && strncasecmp(name, "ln", 2) == 0) return "log";
  if (length == 4 && strncasecmp(name, "sqrt", 4) == 0) return "sqrt";
  for (int f = 0; f < HML_FUN_COUNT; f++)
    if (strlen(function_rows[f].name) == length && strncasecmp(function_rows[f].name, name, length) == 0) return function_rows[f].name;
  return NULL;
}

static hml_expr no_function(parser *s, const char *name, size_t length) {
  const char *near = function_like(name, length);
  return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': there is no function '%.*s'%s%s%s", s->start, (int)length, name,
                       near ? ": did you mean '" : "", near ? near : "", near ? "'?" : "");
}

// Measured data by name; primes ask for derivatives
static hml_expr data_call(parser *s, const char *name, size_t length, unsigned order, hml_expr x) {
  static const hml_function rows[] = {HML_FUN_tabled, HML_FUN_tabled_rate, HML_FUN_tabled_curve, HML_FUN_tabled_jerk};
  size_t tables;
  double id = hml_tabled__find(name, length, &tables);
  if (tables == 0 || order > 3)
    return no_function(s, name, length);
  if (tables > 1)
    return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': %zu tables of data are called '%.*s': give each a name of its own", s->start, tables, (int)length, name);
  return hml_call(s->c, rows[order], 2, (hml_expr[]){hml_integer(s->c, (int64_t)id), x});
}

// The text between a name and '(': primes, x'{5} for the fifth derivative, V'{1,2} for derivatives by the first and the second argument
typedef struct derivative {
  unsigned order, n, arguments[HML_OPAQUE_ORDER];
  bool listed;                         // by arguments, or one number in braces
} derivative;

static bool parse_braces(parser *s, derivative *d) {
  d->listed = true;
  do {
    if (!isdigit((unsigned char)*s->p) || d->n == HML_OPAQUE_ORDER) return expected(s, "the order of a derivative") != NULL;
    d->arguments[d->n++] = (unsigned)strtoul(s->p, (char **)&s->p, 10);
  } while (accept(s, ','));
  d->order += d->arguments[0];
  return accept(s, '}') || expected(s, "'}'") != NULL;
}

static bool parse_derivative(parser *s, derivative *d) {
  *d = (derivative){0};
  while (*s->p == '\'' && !d->listed) {
    s->p++;
    if (*s->p != '{') d->order++;
    else if (s->p++, !parse_braces(s, d)) return false;
  }
  return d->n <= 1 || *s->p == '(' || expected(s, "'('") != NULL;
}

// A function of the list, known by name alone, with that many arguments; NULL: none
static hml_expr opaque_named(const parser *s, const char *name, size_t length, size_t arity) {
  for (size_t i = 0; i < s->n; i++) {
    hml_expr e = s->symbols[i];
    if (!e || !hml_opaque__is(e) || hml_opaque__arity(e) != arity) continue;
    if (strlen(hml_opaque__name(e)) == length && memcmp(hml_opaque__name(e), name, length) == 0) return e;
  }
  return NULL;
}

static hml_expr opaque_call(parser *s, hml_expr known, const derivative *d, size_t n, const hml_expr *arguments) {
  hml_expr e = hml_opaque(s->c, hml_opaque__name(known), n, arguments);
  if (n > 1 && d->order > 0 && !d->listed) return expected(s, "the arguments to differentiate by, as in V'{1,2}(x, y)");
  for (unsigned k = 0; e && n == 1 && k < d->order && k <= HML_OPAQUE_ORDER; k++) e = hml_opaque__partial(s->c, e, 1);
  for (unsigned k = 0; e && n > 1 && k < d->n; k++) {
    if (d->arguments[k] < 1 || d->arguments[k] > n) return expected(s, "the number of an argument in the braces");
    e = hml_opaque__partial(s->c, e, d->arguments[k]);
  }
  return e;
}

// diff(e, x, y, ...), behind the bracket
static hml_expr parse_diff(parser *s) {
  hml_expr e = parse_sum(s);
  while (e && accept(s, ',')) {
    hml_expr x = parse_sum(s);
    if (x && x->kind != HML_SYMBOL) return expected(s, "a symbol to differentiate by");
    e = hml_derivative(s->c, e, x);
  }
  if (!e) return NULL;
  return accept(s, ')') ? e : expected(s, "')'");
}

static bool is_word(const char *name, size_t length, const char *word) { return strlen(word) == length && memcmp(word, name, length) == 0; }

static hml_expr parse_arguments(parser *s, const char *name, size_t length, const derivative *d) {
  hml_expr arguments[HML_OPAQUE_ARGUMENTS];
  size_t n = 0;
  unsigned order = d->order;
  if (order == 0 && !d->listed && is_word(name, length, "diff")) return parse_diff(s);
  do {
    if (n == HML_OPAQUE_ARGUMENTS) return expected(s, "')'");
    if (!(arguments[n++] = parse_sum(s))) return NULL;
  } while (accept(s, ','));
  if (!accept(s, ')')) return expected(s, "')'");
  hml_expr known = opaque_named(s, name, length, n);
  if (known) return opaque_call(s, known, d, n, arguments);
  if (length == 4 && memcmp(name, "sqrt", 4) == 0 && n == 1 && order == 0) return hml_sqrt(s->c, arguments[0]);
  for (int f = 0; order == 0 && f < HML_FUN_COUNT; f++)
    if (strlen(function_rows[f].name) == length && memcmp(function_rows[f].name, name, length) == 0)
      return hml_call(s->c, f, n, arguments);
  if (n == 1 && d->n <= 1) return data_call(s, name, length, order, arguments[0]);
  return no_function(s, name, length);
}

// _1, _2, ... as far as they are defined; NULL: the name of no part
static hml_expr part_of(const parser *s, const char *name, size_t length) {
  if (s->underscores == 0 || length <= s->underscores) return NULL;
  size_t k = 0;
  for (size_t i = 0; i < length; i++) {
    if (i < s->underscores ? name[i] != '_' : !isdigit((unsigned char)name[i])) return NULL;
    if (i >= s->underscores) k = 10 * k + (size_t)(name[i] - '0');
    if (k > s->parts.n) return NULL;
  }
  return k > 0 ? s->parts.items[k - 1] : NULL;
}

// The symbol of the list with this name and order, or the derivative of one with this name
static hml_expr named(parser *s, const char *name, size_t length, unsigned order) {
  hml_expr first = NULL;
  for (size_t i = 0; i < s->n; i++) {
    hml_expr e = s->symbols[i];
    if (e->kind != HML_SYMBOL) continue;
    if (strlen(node_name(e)) != length || memcmp(node_name(e), name, length) != 0) continue;
    if (e->order == order || (order == 0 && is_placeholder(e))) return e;
    if (!first) first = e;
  }
  return first ? hml_undot(s->c, first, order) : NULL;
}

// Does the name hold a raised digit, as terminals show powers: U+00B9, U+00B2, U+00B3, U+2070 to U+207F?
static bool raised(const char *name, size_t length) {
  for (size_t i = 0; i + 1 < length; i++) {
    const unsigned char *p = (const unsigned char *)name + i;
    if (p[0] == 0xC2 && (p[1] == 0xB9 || p[1] == 0xB2 || p[1] == 0xB3)) return true;
    if (p[0] == 0xE2 && p[1] == 0x81 && i + 2 < length && p[2] >= 0xB0) return true;
  }
  return false;
}

// A symbol of the list, by name and primes; a function, a part, or pi
static hml_expr parse_name(parser *s) {
  const char *name = s->p;
  while (name_char(*s->p)) s->p++;
  size_t length = (size_t)(s->p - name);
  derivative d;
  if (!parse_derivative(s, &d)) return NULL;
  unsigned order = d.order;
  if (*s->p == '(') {
    s->p++;
    return parse_arguments(s, name, length, &d);
  }
  hml_expr e = order == 0 ? part_of(s, name, length) : NULL;
  if (!e) e = named(s, name, length, order);
  if (e || hml_failed(s->c)) return e;
  if (order == 0 && length == 2 && memcmp(name, "pi", 2) == 0) return hml_pi(s->c);
  const char *function = function_like(name, length);
  if (function) return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': '%.*s' is a function: put its argument in parentheses, as in %s(x)", s->start, (int)length, name, function);
  return hml_fail_null(s->c, HML_UNKNOWN_SYMBOL, "'%.200s': '%.*s' is not a known symbol%s", s->start, (int)length, name,
                       raised(name, length) ? ": a power is written a^b" : ": the list of symbols lacks it");
}

static hml_expr parse_atom(parser *s) {
  if (hml_check_interrupt(s->c) != HML_OK) return NULL;
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

// 1/e, of a product factor by factor
static bool push_inverse(parser *s, row *factors, hml_expr e) {
  hml_expr inverse = e ? hml_pow(s->c, e, hml_integer(s->c, -1)) : NULL;
  if (!inverse || inverse->kind != HML_PRODUCT) return row_push(factors, inverse);
  for (uint32_t i = 0; i < inverse->count; i++)
    if (!row_push(factors, node_operands(inverse)[i])) return false;
  return true;
}

// a**b, as other languages write powers
static bool second_star(parser *s) {
  if (*s->p != '*') return false;
  hml_fail_null(s->c, HML_SYNTAX, "'%.200s': a power is written a^b, not a**b", s->start);
  return true;
}

// All factors go into one product: built one by one, a long product would nest
static hml_expr parse_product(parser *s) {
  bool negative = false;
  for (;;) {
    if (accept(s, '-')) negative = !negative;
    else if (!accept(s, '+')) break;
  }
  row factors;
  row_init(&factors, s->c);
  bool fine = row_push(&factors, parse_power(s));
  while (fine) {
    if (accept(s, '*')) fine = !second_star(s) && row_push(&factors, parse_power(s));
    else if (accept(s, '/')) fine = push_inverse(s, &factors, parse_power(s));
    else break;
  }
  hml_expr e = fine ? hml_product(s->c, factors.n, factors.items) : NULL;
  row_free(&factors);
  return negative ? hml_neg(s->c, e) : e;
}

// All terms go into one sum
static hml_expr parse_sum(parser *s) {
  row terms;
  row_init(&terms, s->c);
  bool fine = row_push(&terms, parse_product(s));
  while (fine) {
    if (accept(s, '+')) fine = row_push(&terms, parse_product(s));
    else if (accept(s, '-')) fine = row_push(&terms, hml_neg(s->c, parse_product(s)));
    else break;
  }
  hml_expr e = fine ? hml_sum(s->c, terms.n, terms.items) : NULL;
  row_free(&terms);
  return e;
}

// ---- parts by name

// At " where _1 = "; the number of underscores, or 0
static size_t definitions_begin(const char *p) {
  static const char where[] = " where ";
  if (strncmp(p, where, sizeof where - 1) != 0) return 0;
  const char *name = p + sizeof where - 1;
  size_t n = strspn(name, "_");
  return n > 0 && strncmp(name + n, "1 = ", 4) == 0 ? n : 0;
}

// Reads "_1 = ..., _2 = ..." behind the place given; later parts may contain earlier ones
static bool parse_definitions(parser *s, const char *at) {
  s->p = at + strlen(" where ");
  do {
    skip(s);
    char *end;
    bool fine = strspn(s->p, "_") == s->underscores && strtoul(s->p + s->underscores, &end, 10) == s->parts.n + 1;
    if (!fine) return expected(s, "the name of the next part") != NULL;
    s->p = end;
    if (!accept(s, '=')) return expected(s, "'='") != NULL;
    if (!row_push(&s->parts, parse_sum(s))) return false;
  } while (accept(s, ','));
  skip(s);
  return !*s->p || expected(s, "an operator") != NULL;
}

hml_expr hml_parse(hml_context *c, const char *text, size_t n, const hml_expr *symbols) {
  parser s = {.c = c, .start = text, .p = text, .n = n, .symbols = symbols};
  row_init(&s.parts, c);
  const char *end = text;
  while (*end && !(s.underscores = definitions_begin(end))) end++;
  hml_expr e = NULL;
  if (!*end || parse_definitions(&s, end)) {
    s.p = text;
    e = parse_sum(&s);
    skip(&s);
    bool complete = *end ? s.p == end + 1 : !*s.p;      // skip() went over the blank before "where"
    if (e && !complete) e = expected(&s, "an operator");
  }
  row_free(&s.parts);
  return e;
}
