// print.c: one walk that lays an expression out (order of display, signs, brackets, quotients), and the text notation.
// The walk keeps its own stack: nesting costs no C stack. An expression whose tree is too large to read names its
// shared parts: "_2*sin(_2) where _1 = x + y, _2 = _1^2"; so the length is linear in the DAG.
#include "print.h"

#include "order.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define READABLE 20000                  // nodes of a tree printed without names
#define SHARED_SIZE 6                   // smallest part that gets a name

enum { ANY, TERM, FACTOR, BASE };       // how tightly the surroundings bind

typedef struct item {
  const char *text;                    // a literal, or
  hml_expr e;                          // an expression to be bracketed if it binds looser than `bind`
  int bind;
  bool unfold;                         // print the definition although it has a name
} item;

typedef struct walk {
  hml_context *c;
  const notation *n;
  hml_text out;
  item *stack;
  size_t depth, capacity;
  hml_table *names;                    // shared part -> number
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
  hml_text_put(t, mpz_get_str(digits, 10, z));
  hml_dealloc(t->context, digits, size);
}

static void put_float(hml_text *t, double x) {
  char text[40];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(text, sizeof text, "%.*g", digits, x);
    if (strtod(text, NULL) == x) break;
  }
  // sixteen digits mark a number as inexact when it is read again
  if (strpbrk(text, ".e") == NULL) strcat(text, ".0");
  hml_text_put(t, text);
}

static void put_number(walk *w, hml_expr e) {
  if (e->kind == HML_FLOAT) {
    put_float(&w->out, node_float(e));
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
    else node(w, terms[i], terms[i]->kind == HML_SUM ? ANY : TERM);
  }
  hml_dealloc(w->c, terms, e->count * sizeof *terms);
}

// ---- products

static void join(walk *w, size_t n, hml_expr *factors, bool alone) {
  for (size_t i = 0; i < n; i++) {
    if (i) literal(w, w->n->times);
    node(w, factors[i], n == 1 && alone ? ANY : FACTOR);
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
      number k, numerator, denominator;
      number_read(&k, factor);
      number_read(&numerator, factor);
      if (k.form == BIG) {
        mpz_set_ui(mpq_denref(numerator.q), 1);
        denominator.form = BIG;
        mpq_init(denominator.q);
        mpz_set(mpq_numref(denominator.q), mpq_denref(k.q));
        // back to the canonical form of small numbers
        number zero;
        number_set(&zero, 0, 1);
        number_add(&numerator, &zero);
        number_add(&denominator, &zero);
      } else {
        number_set(&numerator, k.n, 1);
        number_set(&denominator, k.d, 1);
      }
      number_clear(&k);
      whole = number_node(w->c, &numerator);
      part = number_node(w->c, &denominator);
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
static void layout_arguments(walk *w, hml_expr e) {
  unsigned order;
  hml_expr first = node_operands(e)[0];
  if (w->n->fraction && e->count == 1 && first->kind == HML_SYMBOL) {
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

static void layout_power(walk *w, hml_expr e) {
  hml_expr base = node_operands(e)[0], exponent = node_operands(e)[1];
  if (is_small(exponent, 1, 2)) {
    literal(w, w->n->root);
    node(w, base, ANY);
    literal(w, w->n->root_end);
    return;
  }
  bool plain = is_integer_node(exponent) && !has_negative_sign(exponent);
  bool tex = w->n->fraction != NULL;
  if (tex && base->kind == HML_CALL && base->count == 1 && plain && base->function != HML_FUN_abs && !is_pi(base)) {
    // sin^2 x
    push(w, (item){.e = base, .bind = -1});
    literal(w, w->n->power);
    node(w, exponent, ANY);
    literal(w, w->n->power_end);
    layout_arguments(w, base);
    return;
  }
  node(w, base, BASE);
  literal(w, tex ? w->n->power : plain ? "^" : "^(");
  node(w, exponent, ANY);
  literal(w, tex ? w->n->power_end : plain ? "" : ")");
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

static void layout(walk *w, hml_expr e) {
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
      else layout_power(w, e);
      break;
    case HML_CALL:
      if (is_pi(e)) {
        literal(w, w->n->pi);
        break;
      }
      put_name(w, e);
      layout_arguments(w, e);
      break;
  }
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
    hml_text_format(&w->out, "_%zu", (size_t)k);
    return;
  }
  size_t start = w->depth;
  bool brackets = binding(it.e) < it.bind;
  if (brackets) hml_text_put(&w->out, w->n->open);
  layout(w, it.e);
  if (brackets) literal(w, w->n->close);
  reverse_from(w, start);
}

static void print_one(walk *w, hml_expr e, bool unfold) {
  push(w, (item){.e = e, .bind = ANY, .unfold = unfold});
  while (w->depth > 0 && !w->failed) step(w);
}

// Parts used more than once get numbers, in post-order
static hml_status name_shared(hml_arena *arena, hml_expr e, hml_table *names, hml_expr **parts, size_t *n) {
  hml_expr *nodes;
  size_t count;
  HML_TRY(hml_expr__postorder(arena, 1, &e, &nodes, &count));
  hml_table uses;
  hml_table_init(&uses, arena);
  for (size_t i = 0; i < count; i++)
    for (size_t j = 0; j < hml_operand_count(nodes[i]); j++) {
      uintptr_t k = 0;
      hml_table_get(&uses, node_operands(nodes[i])[j], &k);
      HML_TRY(hml_table_put(&uses, node_operands(nodes[i])[j], k + 1));
    }
  *parts = hml_arena_alloc(arena, (count + 1) * sizeof **parts);
  if (!*parts) return HML_MEMORY;
  for (size_t i = 0; i < count; i++) {
    uintptr_t k = 0;
    if (!hml_table_get(&uses, nodes[i], &k) || k < 2 || nodes[i]->size < SHARED_SIZE) continue;
    (*parts)[(*n)++] = nodes[i];
    HML_TRY(hml_table_put(names, nodes[i], *n));
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
  if (e->size > READABLE) {
    w.failed = name_shared(&arena, e, &names, &parts, &count) != HML_OK;
    w.names = &names;
  }
  if (!w.failed) print_one(&w, e, true);
  for (size_t i = 0; i < count && !w.failed; i++) {
    hml_text_format(&w.out, "%s_%zu = ", i ? ", " : " where ", i + 1);
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
  if (e->order <= 4)
    for (unsigned i = 0; i < e->order; i++) hml_text_put(t, "'");
  else hml_text_format(t, "'{%u}", (unsigned)e->order);
}

static void text_name(hml_text *t, hml_function f) {
  hml_text_put(t, function_rows[f].name);
}

static const notation text_notation = {
    .times = "*", .open = "(", .close = ")", .root = "sqrt(", .root_end = ")", .pi = "pi", .symbol = text_symbol, .name = text_name,
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
