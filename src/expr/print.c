// print.c: one walk that lays an expression out (order of display, signs, brackets, quotients), and the text notation.
// The walk keeps its own stack: nesting costs no C stack. An expression whose tree is too large to read names its
// shared parts: "_2*sin(_2) where _1 = x + y, _2 = _1^2"; so the length is linear in the DAG. One that is nested deeper than parse.c
// reads gets such names on the way down. What is printed as text reads back as the same node.
#include "print.h"

#include "order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READABLE 20000                  // nodes of a tree printed without names
#define SHARED_SIZE 6                   // smallest part that gets a name
#define DEEP 300                        // levels of a text without names; less than parse.c reads

enum { ANY, TERM, FACTOR, BASE };       // how tightly the surroundings bind

typedef struct item {
  const char *text;                    // a literal, or
  hml_expr e;                          // an expression to be bracketed if it binds looser than `bind`
  int bind;
  bool unfold;                         // print the definition although it has a name
  bool closed;                         // TeX: brackets around the argument of a function, since a bracket follows
} item;

typedef struct walk {
  hml_context *c;
  const notation *n;
  hml_text out;
  item *stack;
  size_t depth, capacity;
  hml_table *names;                    // shared part -> number
  size_t underscores;                  // that begin a name: one more than any symbol like _1 has
  bool failed;
} walk;

static void push(walk *w, item it) {
  if (w->depth == w->capacity) {
    item *bigger = hml_realloc(w->c, w->stack, w->capacity * sizeof *bigger, 2 * w->capacity * sizeof *bigger);
    if (!bigger) {
      w->failed = true;
      return;
    }
    w->stack = bigger;
    w->capacity *= 2;
  }
  w->stack[w->depth++] = it;
}

static void literal(walk *w, const char *text) {
  push(w, (item){.text = text});
}

static void node(walk *w, hml_expr e, int bind) {
  if (!e) w->failed = true;
  else push(w, (item){.e = e, .bind = bind});
}

// Pieces are pushed in reading order and turned round afterwards
static void reverse_from(walk *w, size_t start) {
  for (size_t i = start, j = w->depth; i + 1 < j; i++) {
    item t = w->stack[i];
    w->stack[i] = w->stack[--j];
    w->stack[j] = t;
  }
}

static hml_expr negated(walk *w, hml_expr e) { return hml_neg(w->c, e); }

static bool negative_exponent(hml_expr e) {
  return e->kind == HML_POWER && has_negative_sign(node_operands(e)[1]);
}

static hml_expr reciprocal(walk *w, hml_expr e) {
  return hml_pow(w->c, node_operands(e)[0], hml_neg(w->c, node_operands(e)[1]));
}

static void put_integer(hml_text *t, mpz_srcptr z) {
  size_t size = mpz_sizeinbase(z, 10) + 2;
  char *digits = hml_alloc(t->context, size);
  if (!digits) {
    t->failed = true;
    return;
  }
  if (number_digits(z, digits)) hml_text_put(t, digits);
  else t->failed = hml_fail(t->context, HML_MEMORY, "not enough memory for the digits of a number") != HML_OK;
  hml_dealloc(t->context, digits, size);
}

// Sixteen digits and a point mark a number as inexact when it is read again
static void put_float(walk *w, hml_expr e) {
  const double x = node_float(e);
  char text[48], shortest[48];
  for (int digits = 16; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%#.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  if (!w->n->fraction) {
    hml_text_put(&w->out, text);
    return;
  }
  // TeX is not read again: the shortest form of a double. That of a sum of two may be another number, as 1 is where it is 1 + 1e-17
  for (int digits = 1; digits <= 17; digits++) {
    snprintf(shortest, sizeof shortest, "%.*g", digits, x);
    if (strtod(shortest, NULL) == x) break;
  }
  if (!hml_expr__is_double(e)) strcpy(shortest, text);
  else if (!strpbrk(shortest, ".e")) strcat(shortest, ".0");
  char *exponent = strchr(shortest, 'e');
  if (exponent) *exponent = '\0';
  hml_text_put(&w->out, shortest);
  if (exponent) hml_text_format(&w->out, " \\cdot 10^{%ld}", strtol(exponent + 1, NULL, 10));
}

static void put_number(walk *w, hml_expr e) {
  if (e->kind == HML_FLOAT) {
    put_float(w, e);
    return;
  }
  bool integer = is_integer_node(e);
  if (!e->big) {
    long long n = node_small(e)->n, d = node_small(e)->d;
    if (integer) hml_text_format(&w->out, "%lld", n);
    else if (w->n->fraction) hml_text_format(&w->out, "%s%s%lld%s%lld%s", n < 0 ? "-" : "", w->n->fraction, llabs(n), w->n->over, d, w->n->fraction_end);
    else hml_text_format(&w->out, "%lld/%lld", n, d);
    return;
  }
  if (integer) {
    put_integer(&w->out, mpq_numref(node_mpq(e)));
    return;
  }
  if (w->n->fraction) hml_text_put(&w->out, w->n->fraction);
  put_integer(&w->out, mpq_numref(node_mpq(e)));
  hml_text_put(&w->out, w->n->fraction ? w->n->over : "/");
  put_integer(&w->out, mpq_denref(node_mpq(e)));
  if (w->n->fraction) hml_text_put(&w->out, w->n->fraction_end);
}

// ---- sums

static int by_display(const void *a, const void *b) {
  return hml_compare(*(const hml_expr *)a, *(const hml_expr *)b);
}

static void layout_sum(walk *w, hml_expr e) {
  hml_expr *terms = hml_alloc(w->c, e->count * sizeof *terms);
  if (!terms) {
    w->failed = true;
    return;
  }
  memcpy(terms, node_operands(e), e->count * sizeof *terms);
  qsort(terms, e->count, sizeof *terms, by_display);
  // a positive term leads if there is one
  size_t first = 0;
  while (first < e->count && has_negative_sign(terms[first])) first++;
  if (first > 0 && first < e->count) {
    hml_expr lead = terms[first];
    memmove(terms + 1, terms, first * sizeof *terms);
    terms[0] = lead;
  }
  for (uint32_t i = 0; i < e->count; i++) {
    bool negative = has_negative_sign(terms[i]);
    if (negative) literal(w, i ? " - " : "-");
    else if (i) literal(w, " + ");
    if (negative) node(w, negated(w, terms[i]), TERM);
    // a sum inside a sum is a node of its own: brackets keep it when the text is read again
    else node(w, terms[i], terms[i]->kind == HML_SUM && w->n->fraction ? ANY : TERM);
  }
  hml_dealloc(w->c, terms, e->count * sizeof *terms);
}

// ---- products

static bool printed_as_function_power(hml_expr base, hml_expr exponent) {
  return base->kind == HML_CALL && base->count == 1 && is_integer_node(exponent) && !has_negative_sign(exponent) && !is_pi(base) &&
         base->function != HML_FUN_abs;
}

// TeX: does a factor begin with a digit that would be read as part of the number before it?
static bool begins_with_digit(hml_expr e) {
  if (e->kind == HML_POWER && !is_small(node_operands(e)[1], 1, 2)) e = node_operands(e)[0];
  return is_number(e) && !has_negative_sign(e) && (e->kind == HML_FLOAT || is_integer_node(e));
}

// TeX: does a factor begin with the name of a function?
static bool begins_with_name(hml_expr e) {
  if (e->kind == HML_POWER) return printed_as_function_power(node_operands(e)[0], node_operands(e)[1]);
  return e->kind == HML_CALL && !is_pi(e) && !hml_opaque__is(e);
}

// TeX: is a factor, or the base of a power, an upright word that would run into its neighbour?
static bool is_word(walk *w, hml_expr e) {
  if (e->kind == HML_POWER && !is_small(node_operands(e)[1], 1, 2)) e = node_operands(e)[0];
  if (e->kind != HML_SYMBOL) return false;
  hml_text symbol;
  hml_text_init(&symbol, w->c);
  w->n->symbol(&symbol, e);
  bool word = symbol.data && strstr(symbol.data, "\\mathrm{");
  hml_text_free(&symbol);
  return word;
}

static void join(walk *w, size_t n, hml_expr *factors, bool alone) {
  bool tex = w->n->fraction != NULL;
  for (size_t i = 0; i < n; i++) {
    if (i && tex && begins_with_digit(factors[i])) literal(w, " \\cdot ");
    else if (i && tex && (is_word(w, factors[i - 1]) || (is_word(w, factors[i]) && !is_number(factors[i - 1])))) literal(w, " \\, ");
    else if (i) literal(w, w->n->times);
    node(w, factors[i], n == 1 && alone ? ANY : FACTOR);
    if (tex && !w->failed && i + 1 < n && !begins_with_name(factors[i + 1])) w->stack[w->depth - 1].closed = true;
  }
}

// |e| as numerator / denominator; the sign was written by the caller
static void layout_product(walk *w, hml_expr e) {
  size_t n = e->kind == HML_PRODUCT ? e->count : 1, above = 0, below = 0;
  hml_expr *list = hml_alloc(w->c, 2 * (n + 1) * sizeof *list), *under = list ? list + n + 1 : NULL;
  if (!list) {
    w->failed = true;
    return;
  }
  hml_expr whole = NULL, part = NULL;
  for (size_t i = 0; i < n; i++) {
    hml_expr factor = e->kind == HML_PRODUCT ? node_operands(e)[i] : e;
    if (factor->kind == HML_NUMBER && e->kind == HML_PRODUCT) {
      number numerator, denominator;
      number_parts(factor, &numerator, &denominator);
      whole = number_node(w->c, &numerator);
      part = number_node(w->c, &denominator);
      if (!whole || !part) w->failed = true;
    } else if (negative_exponent(factor)) {
      under[below++] = reciprocal(w, factor);
    } else {
      list[above++] = factor;
    }
  }
  for (size_t i = 0; i < below; i++)
    if (!under[i]) w->failed = true;
  if (!w->failed) {
    qsort(list, above, sizeof *list, hml_expr__compare_factors);
    qsort(under, below, sizeof *under, hml_expr__compare_factors);
    if (part && !is_one_node(part)) {
      memmove(under + 1, under, below++ * sizeof *under);
      under[0] = part;
    }
    if ((whole && !is_one_node(whole)) || above == 0) {
      memmove(list + 1, list, above++ * sizeof *list);
      list[0] = whole ? whole : hml_integer(w->c, 1);
    }
    bool frame = below > 0 && w->n->fraction;
    if (frame) literal(w, w->n->fraction);
    join(w, above, list, frame);
    if (frame) literal(w, w->n->over);
    else if (below > 1) literal(w, "/(");
    else if (below == 1) literal(w, "/");
    if (below == 1 && !frame) node(w, under[0], FACTOR);
    else if (below) join(w, below, under, frame);
    if (frame) literal(w, w->n->fraction_end);
    else if (below > 1) literal(w, ")");
  }
  hml_dealloc(w->c, list, 2 * (n + 1) * sizeof *list);
}

// ---- powers and calls

// The name of a table of measured data; NULL for other functions
static const char *table_name(hml_expr e, unsigned *order) {
  return hml_tabled__is(e->function, order) && is_number(node_operands(e)[0]) ? hml_tabled__name(hml_number_value(node_operands(e)[0])) : NULL;
}

// Derivatives of data have primes
static void put_name(walk *w, hml_expr e) {
  unsigned order;
  const char *name = table_name(e, &order);
  if (!name) {
    w->n->name(&w->out, e->function);
    return;
  }
  bool upright = w->n->fraction && name[1];
  hml_text_format(&w->out, upright ? "\\mathrm{%s}" : "%s", name);
  for (; order > 0; order--) hml_text_put(&w->out, "'");
}

// Arguments of a function in brackets; in TeX a symbol alone needs none
static void layout_arguments(walk *w, hml_expr e, bool closed) {
  unsigned order;
  hml_expr first = node_operands(e)[0];
  if (w->n->fraction && !closed && e->count == 1 && first->kind == HML_SYMBOL && first->order <= DOTS) {
    hml_text symbol;
    hml_text_init(&symbol, w->c);
    w->n->symbol(&symbol, first);
    literal(w, symbol.data && symbol.data[0] == '\\' ? "" : " ");
    hml_text_free(&symbol);
    node(w, first, ANY);
    return;
  }
  literal(w, w->n->open);
  for (uint32_t first_shown = table_name(e, &order) ? 1 : 0, i = first_shown; i < e->count; i++) {
    if (i > first_shown) literal(w, ", ");
    node(w, node_operands(e)[i], ANY);
  }
  literal(w, w->n->close);
}

// ---- functions known by name alone: V(r), V'(r), diff(V(x, y), x), V'{1,2}(x^2, y); in TeX V'(r), dV/dx, d_1 d_2 V(x^2, y)

static void layout_opaque_arguments(walk *w, hml_expr e) {
  literal(w, w->n->open);
  for (size_t i = 1; i <= hml_opaque__arity(e); i++) {
    if (i > 1) literal(w, ", ");
    node(w, node_operands(e)[i], ANY);
  }
  literal(w, w->n->close);
}

static void put_primes(hml_text *t, unsigned order, bool tex) {
  if (order > DOTS) hml_text_format(t, tex ? "^{(%u)}" : "'{%u}", order);
  else
    for (; order > 0; order--) hml_text_put(t, "'");
}

static void layout_primed(walk *w, hml_expr e) {
  w->n->function(&w->out, hml_opaque__name(e));
  put_primes(&w->out, hml_opaque__total_order(e), w->n->fraction != NULL);
  layout_opaque_arguments(w, e);
}

static void layout_partials(walk *w, hml_expr e) {
  w->n->function(&w->out, hml_opaque__name(e));
  hml_text_put(&w->out, "'{");
  for (size_t i = 0, shown = 0; i < hml_opaque__arity(e); i++)
    for (unsigned k = hml_opaque__order(e, i); k > 0; k--) hml_text_format(&w->out, shown++ ? ",%zu" : "%zu", i + 1);
  hml_text_put(&w->out, "}");
  layout_opaque_arguments(w, e);
}

static void layout_diff(walk *w, hml_expr e) {
  hml_text_put(&w->out, "diff(");
  w->n->function(&w->out, hml_opaque__name(e));
  layout_opaque_arguments(w, e);
  for (size_t i = 0; i < hml_opaque__arity(e); i++)
    for (unsigned k = hml_opaque__order(e, i); k > 0; k--) {
      literal(w, ", ");
      node(w, node_operands(e)[1 + i], ANY);
    }
  literal(w, ")");
}

static void put_power_of(hml_text *t, unsigned k) {
  if (k > 1) hml_text_format(t, "^{%u}", k);
}

static void layout_curly_quotient(walk *w, hml_expr e) {
  unsigned total = hml_opaque__total_order(e);
  hml_text_put(&w->out, "\\frac{\\partial");
  put_power_of(&w->out, total);
  hml_text_put(&w->out, " ");
  w->n->function(&w->out, hml_opaque__name(e));
  hml_text_put(&w->out, "}{");
  for (size_t i = 0, shown = 0; i < hml_opaque__arity(e); i++) {
    unsigned k = hml_opaque__order(e, i);
    if (k == 0) continue;
    hml_text_put(&w->out, shown++ ? " \\partial " : "\\partial ");
    w->n->symbol(&w->out, node_operands(e)[1 + i]);
    put_power_of(&w->out, k);
  }
  hml_text_put(&w->out, "}");
}

static void layout_indexed_partials(walk *w, hml_expr e) {
  for (size_t i = 0; i < hml_opaque__arity(e); i++) {
    unsigned k = hml_opaque__order(e, i);
    if (k == 0) continue;
    hml_text_format(&w->out, "\\partial_{%zu}", i + 1);
    put_power_of(&w->out, k);
    hml_text_put(&w->out, " ");
  }
  w->n->function(&w->out, hml_opaque__name(e));
  layout_opaque_arguments(w, e);
}

static void layout_opaque(walk *w, hml_expr e) {
  bool tex = w->n->fraction != NULL;
  if (hml_opaque__arity(e) == 1 || hml_opaque__total_order(e) == 0) layout_primed(w, e);
  else if (hml_opaque__of_symbols(e)) (tex ? layout_curly_quotient : layout_diff)(w, e);
  else (tex ? layout_indexed_partials : layout_partials)(w, e);
}

// How tightly the printed form of e binds
static int binding(hml_expr e) {
  switch (e->kind) {
    case HML_NUMBER: case HML_FLOAT:
      if (has_negative_sign(e)) return ANY;
      return is_integer_node(e) || e->kind == HML_FLOAT ? BASE : TERM;
    case HML_SYMBOL: case HML_CALL: return BASE;
    case HML_SUM: return ANY;
    case HML_PRODUCT: return has_negative_sign(e) ? ANY : TERM;
    default:
      if (is_small(node_operands(e)[1], 1, 2)) return BASE;
      if (negative_exponent(e)) return TERM;
      return FACTOR;
  }
}

// TeX: a base that needs brackets though it binds tightly: a function of a bare argument, x^{(5)}, 2 10^{3}
static bool brackets_as_base(hml_expr base) {
  if (base->kind == HML_CALL) return !is_pi(base);
  if (base->kind == HML_POWER) return true;
  return base->kind == HML_FLOAT || (base->kind == HML_SYMBOL && base->order > DOTS);
}

static void layout_power(walk *w, hml_expr e, bool closed) {
  hml_expr base = node_operands(e)[0], exponent = node_operands(e)[1];
  if (is_small(exponent, 1, 2)) {
    literal(w, w->n->root);
    node(w, base, ANY);
    literal(w, w->n->root_end);
    return;
  }
  bool plain = is_integer_node(exponent) && !has_negative_sign(exponent);
  bool tex = w->n->fraction != NULL;
  if (tex && printed_as_function_power(base, exponent)) {
    // sin^2 x
    push(w, (item){.e = base, .bind = -1});
    literal(w, w->n->power);
    node(w, exponent, ANY);
    literal(w, w->n->power_end);
    layout_arguments(w, base, closed);
    return;
  }
  bool around = tex && brackets_as_base(base) && binding(base) >= BASE;
  if (around) literal(w, w->n->open);
  node(w, base, around ? ANY : BASE);
  if (around) literal(w, w->n->close);
  literal(w, tex ? w->n->power : plain ? "^" : "^(");
  node(w, exponent, ANY);
  literal(w, tex ? w->n->power_end : plain ? "" : ")");
}

static void layout(walk *w, hml_expr e, bool closed) {
  switch (e->kind) {
    case HML_NUMBER: case HML_FLOAT: put_number(w, e); break;
    case HML_SYMBOL: w->n->symbol(&w->out, e); break;
    case HML_SUM: layout_sum(w, e); break;
    case HML_PRODUCT:
      if (has_negative_sign(e)) {
        literal(w, "-");
        node(w, negated(w, e), TERM);
      } else {
        layout_product(w, e);
      }
      break;
    case HML_POWER:
      if (negative_exponent(e)) layout_product(w, e);
      else layout_power(w, e, closed);
      break;
    case HML_CALL:
      if (is_pi(e)) {
        literal(w, w->n->pi);
        break;
      }
      if (hml_opaque__is(e)) {
        layout_opaque(w, e);
        break;
      }
      put_name(w, e);
      layout_arguments(w, e, closed);
      break;
  }
}

static void put_part(walk *w, size_t k) {
  for (size_t i = 0; i < w->underscores && !w->n->fraction; i++) hml_text_put(&w->out, "_");
  hml_text_format(&w->out, "%s%zu%s", w->n->part, k, w->n->part_end);
}

static void step(walk *w) {
  item it = w->stack[--w->depth];
  uintptr_t k;
  if (it.text) {
    hml_text_put(&w->out, it.text);
    return;
  }
  if (it.bind == -1) {
    put_name(w, it.e);
    return;
  }
  if (!it.unfold && w->names && hml_table_get(w->names, it.e, &k)) {
    put_part(w, (size_t)k);
    return;
  }
  size_t start = w->depth;
  bool brackets = binding(it.e) < it.bind;
  if (brackets) hml_text_put(&w->out, w->n->open);
  layout(w, it.e, it.closed);
  if (brackets) literal(w, w->n->close);
  reverse_from(w, start);
}

static void print_one(walk *w, hml_expr e, bool unfold) {
  push(w, (item){.e = e, .bind = ANY, .unfold = unfold});
  for (size_t k = 0; w->depth > 0 && !w->failed; k++) {
    step(w);
    if (k % 1024 == 1023 && hml_check_interrupt(w->c) != HML_OK) w->failed = true;
  }
}

// Underscores that begin a name of a part, so that no symbol is printed like one
static size_t free_underscores(hml_expr *nodes, size_t count) {
  size_t most = 0;
  for (size_t i = 0; i < count; i++) {
    if (nodes[i]->kind != HML_SYMBOL) continue;
    size_t n = strspn(node_name(nodes[i]), "_");
    if (n > most && node_name(nodes[i])[n + strspn(node_name(nodes[i]) + n, "0123456789")] == '\0') most = n;
  }
  return most + 1;
}

// Parts that get numbers, in post-order: those used more than once where the tree is too large, and one every DEEP levels
static hml_status name_parts(walk *w, hml_arena *arena, hml_expr e, hml_expr **parts, size_t *n) {
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  w->underscores = free_underscores(nodes, count);
  hml_table uses, heights;
  hml_table_init(&uses, arena);
  hml_table_init(&heights, arena);
  for (size_t i = 0; e->size > READABLE && i < count; i++)
    for (size_t j = 0; j < hml_operand_count(nodes[i]); j++) {
      uintptr_t k = 0;
      hml_table_get(&uses, node_operands(nodes[i])[j], &k);
      HML_TRY(hml_table_put(&uses, node_operands(nodes[i])[j], k + 1));
    }
  *parts = hml_arena_alloc(arena, (count + 1) * sizeof **parts);
  if (!*parts) return HML_MEMORY;
  for (size_t i = 0; i < count; i++) {
    uintptr_t k = 0, height = 0, most = 0;
    hml_table_get(&uses, nodes[i], &k);
    for (size_t j = 0; j < hml_operand_count(nodes[i]); j++)
      if (hml_table_get(&heights, node_operands(nodes[i])[j], &height) && height > most) most = height;
    bool named = (k >= 2 && nodes[i]->size >= SHARED_SIZE) || most + 1 >= DEEP;
    HML_TRY(hml_table_put(&heights, nodes[i], named ? 0 : most + 1));
    if (!named || nodes[i] == e) continue;
    (*parts)[(*n)++] = nodes[i];
    HML_TRY(hml_table_put(w->names, nodes[i], *n));
  }
  return HML_OK;
}

char *hml_expr__print(hml_context *c, hml_expr e, const notation *n) {
  if (!e) return NULL;
  walk w = {.c = c, .n = n, .capacity = 256};
  hml_text_init(&w.out, c);
  w.stack = hml_alloc(c, w.capacity * sizeof *w.stack);
  if (!w.stack) return NULL;
  hml_arena arena;
  hml_arena_init(&arena, c);
  hml_table names;
  hml_table_init(&names, &arena);
  hml_expr *parts = NULL;
  size_t count = 0;
  if (e->size > DEEP) {
    w.names = &names;
    w.failed = name_parts(&w, &arena, e, &parts, &count) != HML_OK;
  }
  if (!w.failed) print_one(&w, e, true);
  for (size_t i = 0; i < count && !w.failed; i++) {
    hml_text_put(&w.out, i ? n->comma : n->where);
    put_part(&w, i + 1);
    hml_text_put(&w.out, " = ");
    print_one(&w, parts[i], true);
  }
  hml_arena_free(&arena);
  hml_dealloc(c, w.stack, w.capacity * sizeof *w.stack);
  if (!w.failed) return hml_text_take(&w.out);
  hml_text_free(&w.out);
  return NULL;
}

// ---- the text notation

static void text_symbol(hml_text *t, hml_expr e) {
  hml_text_put(t, node_name(e));
  if (e->order <= DOTS)
    for (unsigned i = 0; i < e->order; i++) hml_text_put(t, "'");
  else hml_text_format(t, "'{%u}", (unsigned)e->order);
}

static void text_name(hml_text *t, hml_function f) {
  hml_text_put(t, function_rows[f].name);
}

static void text_function(hml_text *t, const char *name) { hml_text_put(t, name); }

static const notation text_notation = {
    .times = "*", .open = "(", .close = ")", .root = "sqrt(", .root_end = ")", .pi = "pi", .part = "", .part_end = "",
    .where = " where ", .comma = ", ", .symbol = text_symbol, .name = text_name, .function = text_function,
};

char *hml_print_text(hml_context *c, hml_expr e) {
  return hml_expr__print(c, e, &text_notation);
}

void hml_expr__brief(hml_context *c, hml_expr e, size_t limit, char *buffer) {
  hml_error saved = *hml_context_error(c);
  char *text = e && e->size < 4 * limit ? hml_print_text(c, e) : NULL;
  if (!text) snprintf(buffer, limit + 4, "(%.*s)", (int)(limit > 30 ? 30 : limit), "a large expression");
  else if (strlen(text) <= limit) strcpy(buffer, text);
  else snprintf(buffer, limit + 4, "%.*s...", (int)limit, text);
  hml_free(c, text);
  if (saved.status == HML_OK) hml_context_clear_error(c);
}
