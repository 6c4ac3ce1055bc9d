// build.c: canonical constructors: sum, product, power, call. They collect equal terms and equal bases, take exact
// numbers together and use the known signs of symbols. They never expand and never search for identities.
#include "expr_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A sum (product) of more operands stays one operand of the sum (product) around it: so a chain of partial sums shares its parts
#define FLATTEN 16
#define FEW 24                          // pieces that are sorted by insertion
#define MANY 65536                      // pieces among which equal ones are found by a table; of more it no longer fits into the cache

// ---- a list of scaled terms or of powers; small ones need no allocation
typedef struct piece {
  hml_expr base;                       // sum: the term without its number; product: the base
  hml_expr exponent;                   // product only
  hml_expr whole;                      // sum only: k*base, NULL where it is not at hand
  number k;                            // sum only
} piece;

typedef struct pieces {
  hml_context *context;
  piece *items, local[24];
  hml_expr one;                        // the exponent 1, NULL until it is needed
  size_t n, capacity;
  bool failed;
} pieces;

static void pieces_init(pieces *p, hml_context *c) {
  p->context = c;
  p->items = p->local;
  p->capacity = sizeof p->local / sizeof p->local[0];
  p->one = NULL;
  p->n = 0;
  p->failed = false;
}

static void pieces_free(pieces *p) {
  for (size_t i = 0; i < p->n; i++) number_clear(&p->items[i].k);
  if (p->items != p->local) hml_dealloc(p->context, p->items, p->capacity * sizeof *p->items);
}

static piece *pieces_push(pieces *p) {
  if (p->n == p->capacity) {
    bool local = p->items == p->local;
    size_t size = p->capacity * sizeof(piece);
    piece *bigger = hml_realloc(p->context, local ? NULL : p->items, local ? 0 : size, 2 * size);
    if (!bigger) {
      p->failed = true;
      return NULL;
    }
    if (local) memcpy(bigger, p->local, size);
    p->items = bigger;
    p->capacity *= 2;
  }
  piece *item = &p->items[p->n++];
  item->base = item->exponent = item->whole = NULL;
  number_set(&item->k, 0, 1);
  return item;
}

static int by_hash(const void *x, const void *y) {
  hml_expr a = ((const piece *)x)->base, b = ((const piece *)y)->base;
  // factors of one base that were not merged: by their exponents
  if (a == b) a = ((const piece *)x)->exponent, b = ((const piece *)y)->exponent;
  if (a == b) return 0;
  if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
  return hml_compare(a, b);
}

// Few pieces are put in their places, which is faster than the library's sorting; more of them in runs need it
static void pieces_sort(pieces *p) {
  for (size_t i = 1; i < p->n; i++) {
    if (by_hash(&p->items[i - 1], &p->items[i]) <= 0) continue;
    if (p->n > FEW) {
      qsort(p->items, p->n, sizeof *p->items, by_hash);
      return;
    }
    piece item = p->items[i];
    size_t k = i;
    for (; k > 0 && by_hash(&p->items[k - 1], &item) > 0; k--) p->items[k] = p->items[k - 1];
    p->items[k] = item;
  }
}

// ---- sums

hml_expr split_coefficient(hml_context *c, hml_expr e, number *k) {
  if (is_number(e)) {
    number_read(k, e);
    number_lost(c, k);
    return NULL;
  }
  if (e->kind != HML_PRODUCT || !is_number(node_operands(e)[0])) {
    number_set(k, 1, 1);
    return e;
  }
  number_read(k, node_operands(e)[0]);
  number_lost(c, k);
  return e->count == 2 ? node_operands(e)[1] : node_compound(c, HML_PRODUCT, 0, e->count - 1, node_operands(e) + 1);
}

// k * rest; rest carries no number
static hml_expr scaled(hml_context *c, const number *k, hml_expr rest) {
  if (number_is(k, 1)) return rest;
  hml_expr few[FLATTEN + 2], *operands = few;
  size_t n = rest->kind == HML_PRODUCT ? rest->count : 1;
  if (n > FLATTEN && !(operands = hml_alloc(c, (n + 1) * sizeof *operands))) return NULL;
  operands[0] = node_number(c, k);
  if (rest->kind == HML_PRODUCT) memcpy(operands + 1, node_operands(rest), n * sizeof *operands);
  else operands[1] = rest;
  hml_expr e = operands[0] ? node_compound(c, HML_PRODUCT, 0, n + 1, operands) : NULL;
  if (operands != few) hml_dealloc(c, operands, (n + 1) * sizeof *operands);
  return e;
}

// Adds e to the pieces and to the constant; short sums are taken apart
static void gather_term(pieces *p, number *constant, hml_expr e) {
  number own;
  hml_expr rest = split_coefficient(p->context, e, &own);
  if (!rest) {
    number_add(constant, &own);
  } else if (rest->kind == HML_SUM && rest->count <= FLATTEN) {
    const bool once = number_is(&own, 1);
    for (uint32_t i = 0; i < rest->count; i++) {
      number inner;
      hml_expr term = split_coefficient(p->context, node_operands(rest)[i], &inner);
      number_mul(&inner, &own);
      if (!term) {
        number_add(constant, &inner);
        number_clear(&inner);
        continue;
      }
      piece *item = pieces_push(p);
      if (!item) {
        number_clear(&inner);
        break;
      }
      item->base = term;
      item->whole = once ? node_operands(rest)[i] : NULL;
      item->k = inner;
    }
  } else {
    piece *item = pieces_push(p);
    if (item) {
      item->base = rest;
      item->whole = e;
      item->k = own;
      return;
    }
  }
  number_clear(&own);
}

static void join_term(piece *to, piece *from) {
  number_add(&to->k, &from->k);
  number_clear(&from->k);
  to->whole = NULL;
}

// Equal terms among many added, each to the first of them: sums of sums have few different ones, which are sorted afterwards
static void merge_many(pieces *p) {
  size_t capacity = 64, kept = 0;
  while (capacity < 2 * p->n) capacity *= 2;
  uint32_t few[256] = {0}, *place = capacity <= 256 ? few : hml_alloc(p->context, capacity * sizeof *place);   // 0: free; else 1 + index of a piece
  if (!place) {
    p->failed = true;
    return;
  }
  for (size_t i = 0; i < p->n; i++) {
    size_t at = p->items[i].base->hash & (capacity - 1);
    while (place[at] && p->items[place[at] - 1].base != p->items[i].base) at = (at + 1) & (capacity - 1);
    if (place[at]) {
      join_term(&p->items[place[at] - 1], &p->items[i]);
      continue;
    }
    if (kept < i) p->items[kept] = p->items[i];
    place[at] = (uint32_t)++kept;
  }
  p->n = kept;
  if (place != few) hml_dealloc(p->context, place, capacity * sizeof *place);
}

// Equal terms added; those that vanish dropped
static void merge_terms(pieces *p) {
  if (p->n > FEW && p->n <= MANY) merge_many(p);
  if (p->failed) return;
  pieces_sort(p);
  size_t merged = 0, kept = 0;
  for (size_t i = 0; i < p->n; i++) {
    if (merged > 0 && p->items[merged - 1].base == p->items[i].base) join_term(&p->items[merged - 1], &p->items[i]);
    else if (merged++ < i) p->items[merged - 1] = p->items[i];
  }
  for (size_t i = 0; i < merged; i++) {
    number *k = &p->items[i].k;
    if (number_sign(k) == 0 && k->form != INEXACT) number_clear(k);
    else if (kept++ < i) p->items[kept - 1] = p->items[i];
  }
  p->n = kept;
}

static hml_expr term_of(hml_context *c, const piece *item) { return item->whole ? item->whole : scaled(c, &item->k, item->base); }

static hml_expr build_sum(hml_context *c, pieces *p, number *constant) {
  merge_terms(p);
  if (p->failed) return NULL;
  bool with_constant = !number_is(constant, 0);
  if (p->n == 0) return number_node(c, constant);
  if (p->n == 1 && !with_constant) return term_of(c, &p->items[0]);
  size_t n = p->n + with_constant;
  hml_expr few[32], *operands = n <= 32 ? few : hml_alloc(c, n * sizeof *operands);
  if (!operands) return NULL;
  bool fine = true;
  if (with_constant) fine = (operands[0] = node_number(c, constant)) != NULL;
  for (size_t i = 0; fine && i < p->n; i++) {
    fine = (operands[i + with_constant] = term_of(c, &p->items[i])) != NULL;
    if (i % 1024 == 1023 && hml_check_interrupt(c) != HML_OK) fine = false;
  }
  hml_expr e = fine ? node_compound(c, HML_SUM, 0, n, operands) : NULL;
  if (operands != few) hml_dealloc(c, operands, n * sizeof *operands);
  return e;
}

hml_expr hml_sum(hml_context *c, size_t n, const hml_expr *terms) {
  for (size_t i = 0; i < n; i++)
    if (!terms[i]) return NULL;
  if (n == 1) return terms[0];
  pieces p;
  pieces_init(&p, c);
  number constant;
  number_set(&constant, 0, 1);
  for (size_t i = 0; i < n && !p.failed; i++) {
    gather_term(&p, &constant, terms[i]);
    if (i % 1024 == 1023 && hml_check_interrupt(c) != HML_OK) p.failed = true;
  }
  hml_expr e = p.failed ? NULL : build_sum(c, &p, &constant);
  number_clear(&constant);
  pieces_free(&p);
  return e;
}

hml_expr hml_add(hml_context *c, hml_expr a, hml_expr b) {
  return hml_sum(c, 2, (hml_expr[]){a, b});
}

hml_expr hml_neg(hml_context *c, hml_expr a) {
  return hml_mul(c, hml_integer(c, -1), a);
}

hml_expr hml_sub(hml_context *c, hml_expr a, hml_expr b) {
  return hml_add(c, a, hml_neg(c, b));
}

// ---- products

// Multiplies e into the pieces and the coefficient; short products are taken apart
static void gather_factor(pieces *p, number *coefficient, hml_expr e, bool inside) {
  if (is_number(e)) {
    number k;
    number_read(&k, e);
    number_mul(coefficient, &k);
    number_clear(&k);
  } else if (e->kind == HML_PRODUCT && !inside && e->count - is_number(node_operands(e)[0]) <= FLATTEN) {
    for (uint32_t i = 0; i < e->count; i++) gather_factor(p, coefficient, node_operands(e)[i], true);
  } else if (e->kind == HML_PRODUCT && is_number(node_operands(e)[0])) {
    // of a long product the number goes to the front: the sign of a term is never hidden
    number k;
    hml_expr rest = split_coefficient(p->context, e, &k);
    number_mul(coefficient, &k);
    number_clear(&k);
    if (rest) gather_factor(p, coefficient, rest, true);
    else p->failed = true;
  } else {
    piece *item = pieces_push(p);
    if (!item) return;
    bool power = e->kind == HML_POWER;
    item->base = power ? node_operands(e)[0] : e;
    if (!power && !p->one) p->one = hml_integer(p->context, 1);
    item->exponent = power ? node_operands(e)[1] : p->one;
    if (!item->exponent) p->failed = true;
  }
}

// Does a power of the base divide, and another one not?
static bool divides_itself(const piece *items, size_t n) {
  bool above = false, below = false;
  for (size_t i = 0; i < n; i++) {
    bool negative = is_number(items[i].exponent) && hml_expr__sign(items[i].exponent) < 0;
    below = below || negative;
    above = above || !negative;
  }
  return above && below;
}

// Powers of one base as at most two factors: 0/0 is not 1, so a factor that may vanish identically stays above and below
static size_t merge_exponents(hml_context *c, piece *items, size_t n) {
  piece above = items[0], below = items[0];
  bool apart = divides_itself(items, n) && hml_expr__may_vanish(c, items[0].base);
  above.exponent = below.exponent = hml_integer(c, 0);
  for (size_t i = 0; i < n; i++) {
    bool negative = apart && is_number(items[i].exponent) && hml_expr__sign(items[i].exponent) < 0;
    piece *to = negative ? &below : &above;
    to->exponent = hml_add(c, to->exponent, items[i].exponent);
  }
  items[0] = above;
  if (apart) items[1] = below;
  return apart ? 2 : 1;
}

static bool bases_differ(const pieces *p) {
  for (size_t i = 1; i < p->n; i++)
    if (p->items[i].base == p->items[i - 1].base) return false;
  return true;
}

// Equal bases merged; a merged power may turn into a number or a product, which is then taken apart again
static bool merge_factors(hml_context *c, pieces *p, number *coefficient) {
  bool again = true;
  for (int round = 0; again && round < 8; round++) {
    again = false;
    pieces_sort(p);
    if (bases_differ(p)) return !p->failed;
    size_t kept = 0, n = p->n;
    pieces fresh;
    pieces_init(&fresh, c);
    for (size_t i = 0; i < n;) {
      size_t first = i;
      while (i < n && p->items[i].base == p->items[first].base) i++;
      size_t merged = i - first > 1 ? merge_exponents(c, &p->items[first], i - first) : 1;
      for (size_t k = first; k < first + merged; k++) {
        piece item = p->items[k];
        if (!item.exponent || (i - first > 1 && hml_failed(c))) {
          pieces_free(&fresh);
          return false;
        }
        if (i - first == merged) {
          p->items[kept++] = item;
          continue;
        }
        hml_expr power = hml_pow(c, item.base, item.exponent);
        if (!power) {
          pieces_free(&fresh);
          return false;
        }
        again = again || power->kind == HML_PRODUCT || (power->kind == HML_POWER && node_operands(power)[0] != item.base);
        gather_factor(&fresh, coefficient, power, false);
      }
    }
    p->n = kept;
    for (size_t i = 0; i < fresh.n; i++) {
      piece *item = pieces_push(p);
      if (item) *item = fresh.items[i];
    }
    if (fresh.failed) p->failed = true;
    pieces_free(&fresh);
    if (p->failed) return false;
  }
  pieces_sort(p);
  return true;
}

static hml_expr power_node(hml_context *c, hml_expr base, hml_expr exponent) {
  return is_one_node(exponent) ? base : node_compound(c, HML_POWER, 0, 2, (hml_expr[]){base, exponent});
}

// sqrt(2) sqrt(3) = sqrt(6), sqrt(6) sqrt(2) = 2 sqrt(3); those whose product is too large stay apart
static bool join_roots(hml_context *c, pieces *p, number *coefficient) {
  int64_t product = 1, n;
  size_t kept = 0, roots = 0;
  for (size_t i = 0; i < p->n; i++) roots += is_small(p->items[i].exponent, 1, 2) && hml_integer_value(p->items[i].base, &n);
  if (roots < 2) return true;
  for (size_t i = 0; i < p->n; i++) {
    piece item = p->items[i];
    bool joined = is_small(item.exponent, 1, 2) && hml_integer_value(item.base, &n) && !__builtin_mul_overflow(product, n, &n);
    if (joined) product = n;
    else p->items[kept++] = item;
  }
  p->n = kept;
  hml_expr root = hml_sqrt(c, hml_integer(c, product));
  if (root) gather_factor(p, coefficient, root, false);
  pieces_sort(p);
  return root && !p->failed;
}

// The divisor |f|^b that goes into f^a, with a whole a > -b; b < 0 is no whole number: x^2/|x| stays as it is, since |x| alone would look like a corner
// where the quotient shows that x does not vanish
static piece *divisor_of_size(hml_context *c, pieces *p, const piece *f, bool *failed) {
  int64_t a, n, d;
  if (!hml_integer_value(f->exponent, &a) || a <= 0 || is_number(f->base)) return NULL;
  hml_expr size = NULL;
  for (size_t i = 0; i < p->n; i++) {
    piece *item = &p->items[i];
    if (item->base->kind != HML_CALL || item->base->function != HML_FUN_abs || !hml_rational_value(item->exponent, &n, &d) || n >= 0 || d == 1 || -n / d >= a) continue;
    if (!size && !(size = hml_call(c, HML_FUN_abs, 1, &f->base))) return *failed = true, NULL;
    if (item->base == size && !hml_expr__may_vanish(c, size)) return item;
  }
  return NULL;
}

static bool has_size(const pieces *p) {
  for (size_t i = 0; i < p->n; i++)
    if (p->items[i].base->kind == HML_CALL && p->items[i].base->function == HML_FUN_abs) return true;
  return false;
}

// x/sqrt|x| = sqrt|x| sign(x), which has a value at x = 0: so have derivatives of x sqrt|x| and |x|^(5/2)
static bool divide_by_sizes(hml_context *c, pieces *p, number *coefficient) {
  if (p->n < 2 || !has_size(p)) return true;
  for (size_t i = 0; i < p->n; i++) {
    bool failed = false;
    piece f = p->items[i], *divisor = divisor_of_size(c, p, &f, &failed);
    if (failed) return false;
    if (!divisor) continue;
    hml_expr power = hml_pow(c, divisor->base, hml_add(c, f.exponent, divisor->exponent));
    hml_expr sign = is_even_integer(f.exponent) ? hml_integer(c, 1) : hml_call(c, HML_FUN_sign, 1, &f.base);
    if (!power || !sign) return false;
    *divisor = p->items[--p->n];
    for (size_t k = 0; k < p->n; k++)
      if (p->items[k].base == f.base) p->items[k] = p->items[--p->n];
    gather_factor(p, coefficient, power, false);
    gather_factor(p, coefficient, sign, false);
    return !p->failed && merge_factors(c, p, coefficient) && divide_by_sizes(c, p, coefficient);
  }
  return true;
}

static hml_expr build_product(hml_context *c, pieces *p, number *coefficient) {
  if (number_sign(coefficient) == 0 && coefficient->form != INEXACT) return hml_integer(c, 0);
  if (!merge_factors(c, p, coefficient) || !join_roots(c, p, coefficient) || !divide_by_sizes(c, p, coefficient)) return NULL;
  bool with_number = !number_is(coefficient, 1);
  if (p->n == 0) return number_node(c, coefficient);
  if (p->n == 1 && is_one_node(p->items[0].exponent)) return scaled(c, coefficient, p->items[0].base);
  if (p->n == 1 && !with_number) return power_node(c, p->items[0].base, p->items[0].exponent);
  size_t n = p->n + with_number;
  hml_expr few[32], *operands = n <= 32 ? few : hml_alloc(c, n * sizeof *operands);
  if (!operands) return NULL;
  bool fine = true;
  if (with_number) fine = (operands[0] = node_number(c, coefficient)) != NULL;
  for (size_t i = 0; fine && i < p->n; i++)
    fine = (operands[i + with_number] = power_node(c, p->items[i].base, p->items[i].exponent)) != NULL;
  hml_expr e = fine ? node_compound(c, HML_PRODUCT, 0, n, operands) : NULL;
  if (operands != few) hml_dealloc(c, operands, n * sizeof *operands);
  return e;
}

// A product of one expression with numbers only has no bases to be merged: the expression is canonical already
static bool numbers_times_one(hml_context *c, size_t n, const hml_expr *factors, hml_expr *out) {
  hml_expr other = NULL;
  for (size_t i = 0; i < n; i++) {
    if (is_number(factors[i])) continue;
    if (other) return false;
    other = factors[i];
  }
  if (!other) return false;
  number k, coefficient;
  number_set(&coefficient, 1, 1);
  for (size_t i = 0; i < n; i++) {
    hml_expr rest = split_coefficient(c, factors[i], &k);
    number_mul(&coefficient, &k);
    number_clear(&k);
    if (factors[i] == other) other = rest;
  }
  if (!other) *out = NULL;
  else if (number_sign(&coefficient) == 0 && coefficient.form != INEXACT) *out = hml_integer(c, 0);
  else *out = scaled(c, &coefficient, other);
  number_clear(&coefficient);
  return true;
}

hml_expr hml_product(hml_context *c, size_t n, const hml_expr *factors) {
  for (size_t i = 0; i < n; i++)
    if (!factors[i]) return NULL;
  if (n == 1) return factors[0];
  hml_expr e;
  if (numbers_times_one(c, n, factors, &e)) return e;
  pieces p;
  pieces_init(&p, c);
  number coefficient;
  number_set(&coefficient, 1, 1);
  for (size_t i = 0; i < n; i++) gather_factor(&p, &coefficient, factors[i], false);
  e = p.failed ? NULL : build_product(c, &p, &coefficient);
  number_clear(&coefficient);
  pieces_free(&p);
  return e;
}

hml_expr hml_mul(hml_context *c, hml_expr a, hml_expr b) {
  return hml_product(c, 2, (hml_expr[]){a, b});
}

hml_expr hml_div(hml_context *c, hml_expr a, hml_expr b) {
  return hml_mul(c, a, hml_pow(c, b, hml_integer(c, -1)));
}

// ---- powers

static hml_expr power_of_inexact(hml_context *c, hml_expr base, hml_expr exponent) {
  const hml_pair x = number_pair(base), y = number_pair(exponent);
  number a;
  int64_t whole;
  number_read(&a, base);
  const bool lost = number_may_vanish(&a), is_whole = base->kind == HML_FLOAT && hml_integer_value(exponent, &whole);
  if (lost && hml_expr__sign(exponent) < 0)
    return hml_fail_null(c, HML_UNDEFINED, "division by %g, which may be zero: the inexact numbers in it are rounded; give them exactly", x.x);
  if (is_whole && number_power(&a, whole)) return number_node(c, &a);
  number_clear(&a);
  if (isnan(x.x) || isnan(y.x)) return hml_fail_null(c, HML_MEMORY, "not enough memory for a long number");
  number_pow(&a, &x, &y);
  if (a.form == INEXACT && isnan(a.x)) return hml_fail_null(c, HML_UNDEFINED, "(%g)^(%g) is not a real number", x.x, y.x);
  return number_node(c, &a);
}

static hml_expr power_of_number(hml_context *c, hml_expr base, hml_expr exponent) {
  if (base->kind == HML_FLOAT || exponent->kind == HML_FLOAT) return power_of_inexact(c, base, exponent);
  int64_t p, q;
  if (!hml_rational_value(exponent, &p, &q)) return hml_fail_null(c, HML_LIMIT, "the exponent of a number is too large");
  number k;
  number_read(&k, base);
  if (number_lost(c, &k)) return NULL;
  int sign = number_sign(&k);
  if (q == 1) {
    if (!number_power(&k, p)) {
      number_clear(&k);
      if (sign == 0) return hml_fail_null(c, HML_UNDEFINED, "division by zero (0^%lld)", (long long)p);
      return hml_fail_null(c, HML_LIMIT, "a power of a number has too many digits (exponent %lld)", (long long)p);
    }
    return number_node(c, &k);
  }
  number_clear(&k);
  if (sign == 0) return p > 0 ? base : hml_fail_null(c, HML_UNDEFINED, "division by zero (0^(%lld/%lld))", (long long)p, (long long)q);
  if (sign < 0) return hml_fail_null(c, HML_UNDEFINED, "(%g)^(%lld/%lld) is not a real number", hml_number_value(base), (long long)p, (long long)q);
  return root_of_number(c, base, p, q);
}

// (u v)^k = u^k v^k: every factor for integer k, the factors known not to be negative otherwise
static hml_expr power_of_product(hml_context *c, hml_expr base, hml_expr exponent, bool *done) {
  bool integer = is_integer_node(exponent);
  size_t n = base->count, inside = 0, outside = 0;
  hml_expr *list = hml_alloc(c, (2 * n + 1) * sizeof *list), *kept = list ? list + n + 1 : NULL;
  if (!list) return NULL;
  bool fine = true;
  for (size_t i = 0; fine && i < n; i++) {
    hml_expr factor = node_operands(base)[i];
    bool negative_number = !integer && is_number(factor) && !(factor->known & KNOWN_POSITIVE);
    if (negative_number && !is_small(factor, -1, 1)) {
      kept[inside++] = hml_integer(c, -1);
      fine = (list[outside++] = hml_pow(c, hml_neg(c, factor), exponent)) != NULL;
    } else if (integer || (factor->known & KNOWN_NONNEGATIVE)) {
      fine = (list[outside++] = hml_pow(c, factor, exponent)) != NULL;
    } else {
      kept[inside++] = factor;
    }
  }
  hml_expr e = NULL;
  *done = fine && outside > 0;
  if (*done) {
    hml_expr rest = inside > 0 ? hml_product(c, inside, kept) : NULL;
    if (inside > 0) list[outside++] = rest ? power_node(c, rest, exponent) : NULL;
    // nothing but a negative number would stay under the root: it is real nowhere and left as it is
    if (rest && is_number(rest)) *done = false;
    else e = hml_product(c, outside, list);
  }
  hml_dealloc(c, list, (2 * n + 1) * sizeof *list);
  return e;
}

hml_expr hml_pow(hml_context *c, hml_expr base, hml_expr exponent) {
  if (!base || !exponent) return NULL;
  if (is_zero_node(exponent)) return hml_integer(c, 1);
  if (is_one_node(exponent) || is_one_node(base)) return base;
  if (is_number(base) && is_number(exponent)) return power_of_number(c, base, exponent);
  if (is_zero_node(base)) {
    if (exponent->known & KNOWN_POSITIVE) return base;
    hml_expr opposite = hml_neg(c, exponent);
    if (opposite && (opposite->known & KNOWN_POSITIVE)) return hml_fail_null(c, HML_UNDEFINED, "division by zero (0 to a negative power)");
  }
  if (base->kind == HML_POWER) {
    hml_expr inner = node_operands(base)[0], k = node_operands(base)[1];
    if (is_integer_node(exponent) || (inner->known & KNOWN_POSITIVE)) return hml_pow(c, inner, hml_mul(c, k, exponent));
    // (x^2)^(1/2) = |x|
    if (is_even_integer(k)) return hml_pow(c, hml_call(c, HML_FUN_abs, 1, &inner), hml_mul(c, k, exponent));
  }
  if (base->kind == HML_CALL && base->function == HML_FUN_exp) {
    hml_expr argument = hml_mul(c, node_operands(base)[0], exponent);
    return hml_call(c, HML_FUN_exp, 1, &argument);
  }
  if (base->kind == HML_CALL && base->function == HML_FUN_abs && is_even_integer(exponent)) return hml_pow(c, node_operands(base)[0], exponent);
  if (base->kind == HML_PRODUCT) {
    bool done = false;
    hml_expr e = power_of_product(c, base, exponent, &done);
    if (done || hml_failed(c)) return e;
  }
  return power_node(c, base, exponent);
}

hml_expr hml_sqrt(hml_context *c, hml_expr a) {
  return hml_pow(c, a, hml_rational(c, 1, 2));
}

// ---- calls

bool has_negative_sign(hml_expr e) {
  if (is_number(e)) return hml_expr__sign(e) < 0;
  return e->kind == HML_PRODUCT && is_number(node_operands(e)[0]) && hml_expr__sign(node_operands(e)[0]) < 0;
}

// The sign that decides between f(x) and f(-x): of a sum, that of the term displayed first
static bool leads_negative(hml_expr e) {
  if (e->kind != HML_SUM) return has_negative_sign(e);
  if (e->count > FLATTEN) return false;          // a long sum is not multiplied out: both signs are kept as they are
  // the order of numbers depends on their sign, that of other terms does not; angles differ by multiples of pi as by numbers
  hml_expr first = NULL, constant = NULL;
  for (uint32_t i = 0; i < e->count; i++) {
    hml_expr term = node_operands(e)[i];
    if (is_number(term)) constant = term;
    else if (!is_multiple_of_pi(term) && (!first || hml_compare(term, first) < 0)) first = term;
  }
  if (!first) first = constant;
  return first && has_negative_sign(first);
}

// |u v| = |u| |v|
static hml_expr absolute_product(hml_context *c, hml_expr a) {
  hml_expr e = hml_integer(c, 1);
  for (uint32_t i = 0; e && i < a->count; i++) e = hml_mul(c, e, hml_call(c, HML_FUN_abs, 1, &node_operands(a)[i]));
  return e;
}

static hml_expr half_pi(hml_context *c) { return hml_mul(c, hml_rational(c, 1, 2), hml_pi(c)); }

// acos a = pi/2 - asin a; acos(-1) is the node of pi itself
static hml_expr arccosine(hml_context *c, hml_expr a) {
  if (is_small(a, -1, 1)) return NULL;
  hml_expr angle = hml_expr__known_angle(c, HML_FUN_sin, a);
  return angle ? hml_sub(c, half_pi(c), angle) : NULL;
}

// The angle of a point on an axis; NULL: it is on none, as far as is known
static hml_expr on_an_axis(hml_context *c, hml_expr y, hml_expr x) {
  if (is_zero_node(y) && (x->known & KNOWN_POSITIVE)) return y;
  if (is_zero_node(y) && is_number(x)) return hml_pi(c);
  if (!is_zero_node(x)) return NULL;
  if (y->known & KNOWN_POSITIVE) return half_pi(c);
  return is_number(y) ? hml_neg(c, half_pi(c)) : NULL;
}

// atan2 at exact numbers of equal size: pi/4, 3 pi/4 and their opposites
static hml_expr on_a_diagonal(hml_context *c, hml_expr y, hml_expr x) {
  if (y->kind != HML_NUMBER || x->kind != HML_NUMBER || (y != x && y != hml_neg(c, x))) return NULL;
  int64_t quarters = hml_expr__sign(y) * (hml_expr__sign(x) > 0 ? 1 : 3);
  return hml_mul(c, hml_rational(c, quarters, 4), hml_pi(c));
}

static hml_expr angle_of_point(hml_context *c, hml_expr y, hml_expr x) {
  hml_expr angle = on_an_axis(c, y, x);
  return angle || hml_failed(c) ? angle : on_a_diagonal(c, y, x);
}

// Is f defined at these numbers?
static hml_status check_domain(hml_context *c, hml_function f, const hml_expr *x) {
  const function_row *row = &function_rows[f];
  hml_expr one = hml_integer(c, 1), minus_one = hml_integer(c, -1);
  int low, high, zero = hml_expr__sign(x[0]);
  bool inside = true;
  if (!one || !minus_one) return HML_MEMORY;
  HML_TRY(compare_numbers(c, x[0], minus_one, &low));
  HML_TRY(compare_numbers(c, x[0], one, &high));
  switch (row->domain) {
    case UNIT: inside = low >= 0 && high <= 0; break;
    case WITHIN_UNIT: inside = low > 0 && high < 0; break;
    case ABOVE_0: inside = zero > 0; break;
    case ABOVE_1: inside = high >= 0; break;
    case NOT_00: inside = zero != 0 || hml_expr__sign(x[1]) != 0; break;
    case REAL: case TABLE: break;
  }
  if (inside) return HML_OK;
  if (row->domain == NOT_00) return hml_fail(c, HML_UNDEFINED, "%s(0, 0) has no value", row->name);
  char text[80];
  hml_expr__brief(c, x[0], 70, text);
  // 1 + 1e-20 is printed as 1.000000000000000
  if (x[0]->kind == HML_FLOAT && fabs(node_float(x[0])) == 1)
    return hml_fail(c, HML_UNDEFINED, "%s(%s) is not a real number: the argument differs from %g by %.3g", row->name, text, node_float(x[0]), node_low(x[0]));
  return hml_fail(c, HML_UNDEFINED, "%s(%s) is not a real number", row->name, text);
}

// Values at exact numbers; NULL if there is nothing simpler
static hml_expr special_value(hml_context *c, hml_function f, const hml_expr *x) {
  hml_expr a = x[0];
  switch (f) {
    case HML_FUN_sin: case HML_FUN_tan:
      return is_zero_node(a) ? a : hml_expr__turned(c, f, a);
    case HML_FUN_cos:
      return is_zero_node(a) ? hml_integer(c, 1) : hml_expr__turned(c, f, a);
    case HML_FUN_asin: return is_number(a) ? hml_expr__known_angle(c, HML_FUN_sin, a) : NULL;
    case HML_FUN_atan: return is_number(a) ? hml_expr__known_angle(c, HML_FUN_tan, a) : NULL;
    case HML_FUN_sinh: case HML_FUN_tanh: case HML_FUN_asinh: case HML_FUN_atanh:
      return is_zero_node(a) ? a : NULL;
    case HML_FUN_cosh: case HML_FUN_exp:
      // only there is no value lost or won: exp(log x) is x where x is positive
      if (f == HML_FUN_exp && a->kind == HML_CALL && a->function == HML_FUN_log && (node_operands(a)[0]->known & KNOWN_POSITIVE)) return node_operands(a)[0];
      return is_zero_node(a) ? hml_integer(c, 1) : NULL;
    case HML_FUN_log:
      if (a->kind == HML_CALL && a->function == HML_FUN_exp) return node_operands(a)[0];
      return is_one_node(a) ? hml_integer(c, 0) : NULL;
    case HML_FUN_acosh: return is_one_node(a) ? hml_integer(c, 0) : NULL;
    case HML_FUN_acos: return is_number(a) ? arccosine(c, a) : NULL;
    case HML_FUN_abs:
      if (a->known & KNOWN_NONNEGATIVE) return a;
      if (is_number(a)) return hml_neg(c, a);
      if (a->kind == HML_PRODUCT) return absolute_product(c, a);
      // |x^k| = |x|^k
      if (a->kind == HML_POWER && is_integer_node(node_operands(a)[1]))
        return hml_pow(c, hml_call(c, HML_FUN_abs, 1, node_operands(a)), node_operands(a)[1]);
      return NULL;
    case HML_FUN_sign:
      if (a->known & KNOWN_POSITIVE) return hml_integer(c, 1);
      return is_number(a) ? hml_integer(c, hml_expr__sign(a)) : NULL;
    case HML_FUN_min: case HML_FUN_max:
      if (a == x[1]) return a;
      if (is_number(a) && is_number(x[1])) {
        int sign;
        return compare_numbers(c, a, x[1], &sign) != HML_OK ? NULL : (sign < 0) == (f == HML_FUN_min) ? a : x[1];
      }
      return NULL;
    case HML_FUN_atan2: return angle_of_point(c, a, x[1]);
    default: return NULL;
  }
}

// Placeholders in the texts of derivatives
static bool names_no_table(hml_function f, hml_expr id) {
  unsigned order;
  if (!hml_tabled__is(f, &order) || !id || is_placeholder(id)) return false;
  return !is_number(id) || !hml_tabled__name(hml_number_value(id));
}

hml_expr hml_call(hml_context *c, hml_function f, size_t n, const hml_expr *arguments) {
  if (f == HML_FUN_opaque) return hml_opaque__call(c, n, arguments);
  if (f < 0 || f >= HML_FUN_COUNT) return hml_fail_null(c, HML_ARGUMENT, "no function has number %d", f);
  const function_row *row = &function_rows[f];
  if (n != row->arity) return hml_fail_null(c, HML_ARGUMENT, "%s takes %u argument%s, not %zu", row->name, row->arity, row->arity == 1 ? "" : "s", n);
  if (names_no_table(f, arguments[0])) return hml_fail_null(c, HML_ARGUMENT, "%s: the first argument is the number of a table, which hm.data gives", row->name);
  bool numbers = true, inexact = false;
  for (size_t i = 0; i < n; i++) {
    if (!arguments[i]) return NULL;
    numbers = numbers && is_number(arguments[i]);
    inexact = inexact || arguments[i]->kind == HML_FLOAT;
  }
  if (numbers && row->domain != REAL && check_domain(c, f, arguments) != HML_OK) return NULL;
  if (numbers && inexact) {
    number a;
    const hml_pair x = number_pair(arguments[0]), y = n > 1 ? number_pair(arguments[1]) : (hml_pair){0, 0, 0};
    // exp(2000.5) and the sign of what rounding hides stay as they are
    const bool found = !isnan(x.x) && !isnan(y.x) && number_call(&a, f, &x, &y);
    if (found && a.form == INEXACT && isnan(a.x))
      return hml_fail_null(c, HML_UNDEFINED, "%s(%g) is not a real number", row->name, hml_number_value(arguments[n - 1]));
    if (found) return number_node(c, &a);
  }
  hml_expr special = numbers && inexact ? NULL : special_value(c, f, arguments);
  if (special || hml_failed(c)) return special;
  if (row->symmetry != NONE && leads_negative(arguments[0])) {
    hml_expr positive = hml_neg(c, arguments[0]);
    // -(a - b) is multiplied out, so that the function sees b - a
    if (positive && arguments[0]->kind == HML_SUM) positive = hml_sum(c, 2, (hml_expr[]){positive, hml_integer(c, 0)});
    // a sum is turned once: one that leads with a minus either way stays as it is
    bool either_way = positive && arguments[0]->kind == HML_SUM && leads_negative(positive);
    hml_expr e = either_way ? node_compound(c, HML_CALL, f, 1, &positive) : positive ? hml_call(c, f, 1, &positive) : NULL;
    return row->symmetry == ODD ? hml_neg(c, e) : e;
  }
  return node_compound(c, HML_CALL, f, n, arguments);
}
