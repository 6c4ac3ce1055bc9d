// normal.c: expressions to fractions of polynomials: which generators they need, angles as multiples of base units, radicals
// with their relations; and polynomials back to expressions.
//
// Every rewrite used is an identity wherever both sides are defined: tan = sin/cos, sums and multiples of angles, sqrt(N/D) = r/D with
// r^2 = N D, |x| = r/D with r^2 = N^2, sign x = |x|/x, hyperbolic functions by exponentials
// (but tanh alone).
#include "normal.h"

#include <stdlib.h>
#include <string.h>

#define MAX_MULTIPLE 40                 // of a base angle that is expanded

// One atom of an angle or an exponent: every argument is a sum of integer multiples of unit * atom
typedef struct angle {
  hml_expr atom;
  int64_t n, d;                        // unit
  size_t sine, cosine;                 // generators; exponentials use `sine` alone
} angle;

// ---- arguments as rational combinations of atoms

typedef struct part {
  hml_expr atom;
  int64_t n, d;
} part;

static bool small_rational_part(const number *k) { return k->form == SMALL && llabs(k->n) < 1000000 && k->d < 1000000; }

static bool read_part(hml_context *c, hml_expr term, const number *scale, part *out) {
  number k;
  hml_expr rest = split_coefficient(c, term, &k);
  number_mul(&k, scale);
  number_lost(c, &k);
  bool fine = small_rational_part(&k);
  if (fine) *out = (part){rest ? rest : hml_integer(c, 1), k.n, k.d};
  number_clear(&k);
  return fine && out->atom;
}

// Number of parts, 0 if the argument cannot be taken apart exactly; -(a + b) has the parts of the sum
static size_t take_apart(hml_context *c, hml_expr argument, part *out, size_t capacity) {
  if (argument->kind == HML_FLOAT) return 0;
  number scale;
  hml_expr rest = split_coefficient(c, argument, &scale);
  size_t n = 0;
  if (!rest || rest->kind != HML_SUM) {
    number_clear(&scale);
    number_set(&scale, 1, 1);
    n = read_part(c, argument, &scale, out) ? 1 : 0;
  } else if (rest->count <= capacity && small_rational_part(&scale)) {
    while (n < rest->count && read_part(c, node_operands(rest)[n], &scale, &out[n])) n++;
    if (n < rest->count) n = 0;
  }
  number_clear(&scale);
  return n;
}

enum { MAX_PARTS = 24 };

static int64_t gcd(int64_t a, int64_t b) {
  a = llabs(a), b = llabs(b);
  while (b) {
    int64_t t = a % b;
    a = b;
    b = t;
  }
  return a;
}

// unit = gcd(unit, n/d) of fractions
static void join_unit(angle *a, int64_t n, int64_t d) {
  int64_t g = gcd(a->d, d), common = a->d / g * d;
  int64_t x = gcd(a->n * (common / a->d), n * (common / d));
  g = gcd(x, common);
  a->n = x / g;
  a->d = common / g;
}

// A multiple of pi/12, whose sine and cosine are square roots
static bool in_twelfths(const part *p) { return is_pi(p->atom) && 12 % p->d == 0; }

static hml_status join_angles(hml_normal *f, hml_table *table, hml_expr argument, bool *fine) {
  part parts[MAX_PARTS];
  size_t n = take_apart(f->c, argument, parts, MAX_PARTS);
  *fine = n > 0;
  for (size_t i = 0; i < n; i++) {
    uintptr_t value;
    if (table == &f->angles && in_twelfths(&parts[i])) continue;
    if (!hml_table_get(table, parts[i].atom, &value)) {
      angle *a = hml_arena_alloc(&f->arena, sizeof *a);
      if (!a) return HML_MEMORY;
      *a = (angle){parts[i].atom, llabs(parts[i].n), parts[i].d, 0, 0};
      HML_TRY(hml_table_put(table, parts[i].atom, (uintptr_t)a));
    } else {
      join_unit((angle *)value, parts[i].n, parts[i].d);
    }
  }
  return HML_OK;
}

// role of a node in the algebra

typedef enum { RING, HALF_POWER, ABSOLUTE, TRIGONOMETRIC, EXPONENTIAL, OPAQUE } role;

static bool half_integer(hml_expr exponent, int64_t *twice) {
  int64_t n, d;
  if (!hml_rational_value(exponent, &n, &d) || d != 2) return false;
  *twice = n;
  return llabs(n) < 100;
}

static role role_of(hml_expr e) {
  int64_t k;
  switch (e->kind) {
    case HML_POWER:
      if (hml_integer_value(node_operands(e)[1], &k)) return RING;
      return half_integer(node_operands(e)[1], &k) ? HALF_POWER : OPAQUE;
    case HML_CALL:
      switch (e->function) {
        case HML_FUN_sin: case HML_FUN_cos: case HML_FUN_tan: return TRIGONOMETRIC;
        case HML_FUN_exp: case HML_FUN_sinh: case HML_FUN_cosh: case HML_FUN_tanh: return EXPONENTIAL;
        case HML_FUN_abs: case HML_FUN_sign: return ABSOLUTE;
        default: return OPAQUE;
      }
    default: return RING;
  }
}

// tanh beside no other exponential stays: as a quotient of exponentials it is no number in doubles from arguments of 355 on
static role role_in(const hml_normal *f, hml_expr e) {
  role r = role_of(e);
  return r == EXPONENTIAL && f->plain_tanh ? OPAQUE : r;
}

enum { MAX_TANH = 8, MAX_SYMBOLS = 24 };

typedef struct tanh_argument {
  hml_expr e, symbols[MAX_SYMBOLS];
  size_t n;
} tanh_argument;

static bool contains(const tanh_argument *a, hml_expr symbol) {
  for (size_t i = 0; i < a->n; i++)
    if (a->symbols[i] == symbol) return true;
  return false;
}

// A symbol of all[i] that occurs in no other
static bool has_own_symbol(const tanh_argument *all, size_t n, size_t i) {
  for (size_t s = 0; s < all[i].n; s++) {
    bool own = true;
    for (size_t k = 0; k < n && own; k++) own = k == i || !contains(&all[k], all[i].symbols[s]);
    if (own) return true;
  }
  return false;
}

// No multiples of the arguments add up to a constant: one after the other has a symbol of its own and goes
static bool unrelated(tanh_argument *all, size_t n) {
  for (size_t i = 0; n > 0; i++) {
    if (i == n) return false;
    if (!has_own_symbol(all, n, i)) continue;
    all[i] = all[--n];
    i = (size_t)-1;
  }
  return true;
}

// Does tanh stand beside no other exponential, and is it no function of another tanh here?
static hml_status look_for_tanh(hml_normal *f) {
  tanh_argument *all = hml_arena_alloc(&f->arena, MAX_TANH * sizeof *all);
  size_t n = 0;
  if (!all) return HML_MEMORY;
  for (size_t k = 0; k < f->count; k++) {
    hml_expr e = f->nodes[k];
    if (role_of(e) != EXPONENTIAL) continue;
    if (e->function != HML_FUN_tanh || n == MAX_TANH) return HML_OK;
    all[n].e = node_operands(e)[0];
    HML_TRY(hml_symbols_of(f->c, 1, &all[n].e, MAX_SYMBOLS, all[n].symbols, &all[n].n));
    if (all[n++].n > MAX_SYMBOLS) return HML_OK;
  }
  f->plain_tanh = unrelated(all, n);
  return HML_OK;
}

// Operands the algebra looks into
static size_t algebraic_operands(hml_expr e) {
  if (e->kind == HML_SUM || e->kind == HML_PRODUCT) return e->count;
  role r = role_of(e);
  return (e->kind == HML_POWER && r != OPAQUE) || r == ABSOLUTE ? 1 : 0;
}

// Post-order over algebraic operands with an explicit stack
static hml_status collect_nodes(hml_normal *f, size_t n, const hml_expr *roots) {
  hml_expr *all;
  size_t count;
  // every node that is reachable, then those the algebra looks into; both in post-order
  HML_TRY(hml_expr__postorder(&f->arena, n, roots, &all, &count));
  hml_table wanted;
  hml_table_init(&wanted, &f->arena);
  for (size_t i = 0; i < n; i++) HML_TRY(hml_table_put(&wanted, roots[i], 1));
  uintptr_t value;
  for (size_t k = count; k-- > 0;) {
    if (!hml_table_get(&wanted, all[k], &value)) continue;
    for (size_t i = 0; i < algebraic_operands(all[k]); i++) HML_TRY(hml_table_put(&wanted, node_operands(all[k])[i], 1));
  }
  f->nodes = hml_arena_alloc(&f->arena, (count + 1) * sizeof *f->nodes);
  if (!f->nodes) return HML_MEMORY;
  for (size_t k = 0; k < count; k++)
    if (hml_table_get(&wanted, all[k], &value)) f->nodes[f->count++] = all[k];
  return HML_OK;
}

static hml_expr radical_key(hml_normal *f, hml_expr e) {
  if (role_of(e) == HALF_POWER) return node_compound(f->c, HML_POWER, 0, 2, (hml_expr[]){node_operands(e)[0], hml_rational(f->c, 1, 2)});
  return node_compound(f->c, HML_CALL, HML_FUN_abs, 1, node_operands(e));
}

// sqrt(n) of a positive integer
static bool root_of_integer(hml_expr e) {
  return role_of(e) == HALF_POWER && is_integer_node(node_operands(e)[0]) && hml_expr__sign(node_operands(e)[0]) > 0;
}

static hml_expr root_node(hml_context *c, hml_expr n) { return node_compound(c, HML_POWER, 0, 2, (hml_expr[]){n, hml_rational(c, 1, 2)}); }

// Radicands that are integers are products of pairwise coprime ones, none of them a square: their roots are independent
static hml_status collect_coprime(hml_normal *f) {
  size_t capacity = 0;
  for (size_t k = 0; k < f->count; k++) capacity += root_of_integer(f->nodes[k]);
  if (capacity == 0) return HML_OK;
  capacity = 4 * capacity + 16;
  f->coprime = hml_arena_alloc(&f->arena, capacity * sizeof *f->coprime);
  if (!f->coprime) return HML_MEMORY;
  for (size_t k = 0; k < f->count; k++)
    if (root_of_integer(f->nodes[k])) HML_TRY(enter_coprime(f->c, node_operands(f->nodes[k])[0], f->coprime, &f->n_coprime, capacity));
  return HML_OK;
}

typedef struct lists {
  hml_expr *radicals, *opaque, *symbols;
  size_t n_radicals, n_opaque, n_symbols;
} lists;

static hml_status note(hml_normal *f, hml_expr e, hml_expr *list, size_t *n) {
  uintptr_t value;
  if (!e) return HML_MEMORY;
  if (hml_table_get(&f->index, e, &value)) return HML_OK;
  list[(*n)++] = e;
  return hml_table_put(&f->index, e, 0);
}

static hml_status sort_out(hml_normal *f, lists *l) {
  for (size_t i = 0; i < f->n_coprime; i++) HML_TRY(note(f, root_node(f->c, f->coprime[i]), l->radicals, &l->n_radicals));
  for (size_t k = 0; k < f->count; k++) {
    hml_expr e = f->nodes[k];
    bool fine = true;
    if (e->kind == HML_FLOAT) f->inexact = true;
    if (e->kind == HML_SYMBOL) HML_TRY(note(f, e, l->symbols, &l->n_symbols));
    if (e->kind < HML_SUM) continue;
    switch (role_in(f, e)) {
      case HALF_POWER: case ABSOLUTE:
        if (!root_of_integer(e)) HML_TRY(note(f, radical_key(f, e), l->radicals, &l->n_radicals));
        break;
      case TRIGONOMETRIC: HML_TRY(join_angles(f, &f->angles, node_operands(e)[0], &fine)); break;
      case EXPONENTIAL: HML_TRY(join_angles(f, &f->exponents, node_operands(e)[0], &fine)); break;
      case OPAQUE: fine = false; break;
      default: break;
    }
    if (!fine) HML_TRY(note(f, e, l->opaque, &l->n_opaque));
  }
  return HML_OK;
}

static int by_display(const void *a, const void *b) { return hml_compare(*(const hml_expr *)a, *(const hml_expr *)b); }

static int by_atom(const void *a, const void *b) { return hml_compare((*(angle *const *)a)->atom, (*(angle *const *)b)->atom); }

static hml_status angle_list(hml_normal *f, const hml_table *table, angle ***out) {
  *out = hml_arena_alloc(&f->arena, (table->count + 1) * sizeof **out);
  if (!*out) return HML_MEMORY;
  size_t n = 0;
  for (size_t i = 0; i < table->capacity; i++)
    if (table->slots[i].key) (*out)[n++] = (angle *)table->slots[i].value;
  qsort(*out, n, sizeof **out, by_atom);         // the table's own order depends on addresses
  return HML_OK;
}

static hml_expr angle_argument(hml_normal *f, const angle *a) { return hml_mul(f->c, hml_rational(f->c, a->n, a->d), a->atom); }

static hml_status add_generator(hml_normal *f, generator g, bool indexed) {
  if (!g.e) return HML_MEMORY;
  if (indexed) HML_TRY(hml_table_put(&f->index, g.e, f->n));
  f->generators[f->n++] = g;
  return HML_OK;
}

// Order of the generators: radicals (newest first) > sines > cosines > exponentials > opaque > symbols as displayed
static hml_status name_generators(hml_normal *f, lists *l) {
  angle **angles, **exponents;
  HML_TRY(angle_list(f, &f->angles, &angles));
  HML_TRY(angle_list(f, &f->exponents, &exponents));
  size_t n_angles = f->angles.count, n = l->n_radicals + 2 * n_angles + f->exponents.count + l->n_opaque + l->n_symbols;
  f->generators = hml_arena_alloc(&f->arena, (n + 1) * sizeof *f->generators);
  if (!f->generators) return HML_MEMORY;
  for (size_t i = l->n_radicals; i-- > 0;) HML_TRY(add_generator(f, (generator){GEN_RADICAL, l->radicals[i], NULL, 0}, true));
  for (int cosines = 0; cosines < 2; cosines++)
    for (size_t i = 0; i < n_angles; i++) {
      hml_expr argument = angle_argument(f, angles[i]);
      if (!argument) return HML_MEMORY;
      // a node of its own: the constructor might turn the sign of the argument
      hml_expr e = node_compound(f->c, HML_CALL, cosines ? HML_FUN_cos : HML_FUN_sin, 1, &argument);
      size_t first = f->n - (cosines ? n_angles : 0);
      if (cosines) angles[i]->cosine = f->n;
      else angles[i]->sine = f->n;
      HML_TRY(add_generator(f, (generator){cosines ? GEN_COSINE : GEN_SINE, e, NULL, cosines ? first : f->n + n_angles}, false));
    }
  for (size_t i = 0; i < f->exponents.count; i++) {
    hml_expr argument = angle_argument(f, exponents[i]);
    exponents[i]->sine = f->n;
    HML_TRY(add_generator(f, (generator){GEN_EXPONENTIAL, argument ? node_compound(f->c, HML_CALL, HML_FUN_exp, 1, &argument) : NULL, NULL, 0}, false));
  }
  qsort(l->opaque, l->n_opaque, sizeof *l->opaque, by_display);
  qsort(l->symbols, l->n_symbols, sizeof *l->symbols, by_display);
  for (size_t i = 0; i < l->n_opaque; i++) HML_TRY(add_generator(f, (generator){GEN_OPAQUE, l->opaque[i], NULL, 0}, true));
  for (size_t i = 0; i < l->n_symbols; i++) HML_TRY(add_generator(f, (generator){GEN_SYMBOL, l->symbols[i], NULL, 0}, true));
  return HML_OK;
}

// The given roots; if pi occurs inside, also sqrt(2) and sqrt(3), for its multiples in sines
static hml_status collect(hml_normal *f, size_t n, const hml_expr *roots) {
  hml_expr *all, pi = hml_pi(f->c);
  size_t count;
  HML_TRY(hml_expr__postorder(&f->arena, n, roots, &all, &count));
  bool found = false;
  for (size_t k = 0; k < count && !found; k++) found = all[k] == pi;
  if (!found) return collect_nodes(f, n, roots);
  hml_expr *more = hml_arena_alloc(&f->arena, (n + 2) * sizeof *more);
  if (!more) return HML_MEMORY;
  for (int i = 0; i < 2; i++)
    if (!(more[i] = f->roots[i] = hml_sqrt(f->c, hml_integer(f->c, 2 + i)))) return HML_MEMORY;
  memcpy(more + 2, roots, n * sizeof *roots);
  return collect_nodes(f, n + 2, more);
}

// Units of angles and exponents that also fit `whole`
static hml_status join_units(hml_normal *f, hml_expr whole) {
  hml_expr *all;
  size_t count;
  bool fine;
  HML_TRY(hml_expr__postorder(&f->arena, 1, &whole, &all, &count));
  for (size_t k = 0; k < count; k++) {
    if (all[k]->kind != HML_CALL) continue;
    role r = role_of(all[k]);
    if (r == TRIGONOMETRIC || r == EXPONENTIAL)
      HML_TRY(join_angles(f, r == TRIGONOMETRIC ? &f->angles : &f->exponents, node_operands(all[k])[0], &fine));
  }
  return HML_OK;
}

static hml_status open_in(hml_normal *f, size_t n, const hml_expr *roots, hml_expr whole, const hml_budget *budget) {
  HML_TRY(collect(f, n, roots));
  lists l = {0};
  size_t size = (f->count + 1) * sizeof(hml_expr);
  HML_TRY(collect_coprime(f));
  l.radicals = hml_arena_alloc(&f->arena, size + f->n_coprime * sizeof(hml_expr));
  l.opaque = hml_arena_alloc(&f->arena, size);
  l.symbols = hml_arena_alloc(&f->arena, size);
  if (!l.radicals || !l.opaque || !l.symbols) return HML_MEMORY;
  // canonical arguments are made of exponentials, whatever else occurs
  if (!whole) HML_TRY(look_for_tanh(f));
  HML_TRY(sort_out(f, &l));
  if (whole) HML_TRY(join_units(f, whole));
  HML_TRY(name_generators(f, &l));
  f->ring = hml_ring__new(f->c, f->n, l.n_radicals, budget);
  return f->ring ? HML_OK : hml_context_error(f->c)->status;
}

hml_status hml_normal__open(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, const hml_budget *budget) {
  return hml_normal__open_beside(f, c, n, roots, NULL, budget);
}

hml_status hml_normal__open_beside(hml_normal *f, hml_context *c, size_t n, const hml_expr *roots, hml_expr whole, const hml_budget *budget) {
  *f = (hml_normal){.c = c, .budget = budget, .highest = MAX_MULTIPLE};
  hml_arena_init(&f->arena, c);
  hml_table_init(&f->ratios, &f->arena);
  hml_table_init(&f->index, &f->arena);
  hml_table_init(&f->angles, &f->arena);
  hml_table_init(&f->exponents, &f->arena);
  hml_status status = open_in(f, n, roots, whole, budget);
  if (status != HML_OK) hml_normal__close(f);
  return status;
}

void hml_normal__close(hml_normal *f) {
  hml_ring__free(f->ring);
  f->ring = NULL;
  hml_arena_free(&f->arena);
}

// ---- conversion (guarded)

static hml_ratio *ratio_of(hml_normal *f, hml_expr e) {
  uintptr_t value;
  if (!hml_table_get(&f->ratios, e, &value)) hml_ring__stop(f->ring, HML_INTERNAL, "a node was not collected");
  return (hml_ratio *)value;
}

static hml_ratio *generator_ratio(hml_normal *f, hml_expr key) {
  uintptr_t i = 0;
  if (!hml_table_get(&f->index, key, &i)) hml_ring__stop(f->ring, HML_INTERNAL, "a generator was not collected");
  return hml_ratio__generator(f->ring, i);
}

static hml_ratio *negative(hml_normal *f, const hml_ratio *a) { return hml_ratio__mul(f->ring, hml_ratio__integer(f->ring, -1), a); }

typedef struct circle {
  hml_ratio *s, *c;
} circle;

static circle rotate(hml_normal *f, circle a, circle b) {
  hml_ring *r = f->ring;
  return (circle){hml_ratio__add(r, hml_ratio__mul(r, a.s, b.c), hml_ratio__mul(r, a.c, b.s)),
                  hml_ratio__add(r, hml_ratio__mul(r, a.c, b.c), negative(f, hml_ratio__mul(r, a.s, b.s)))};
}

// sqrt(2) and sqrt(3), which were collected, for sin(k pi/12) = (p + q sqrt(2) + r sqrt(3) + s sqrt(6))/4
static hml_ratio *sine_of_twelfths(hml_normal *f, int64_t k) {
  static const int8_t quadrant[7][4] = {{0}, {0, -1, 0, 1}, {2, 0, 0, 0}, {0, 2, 0, 0}, {0, 0, 2, 0}, {0, 1, 0, 1}, {4, 0, 0, 0}};
  hml_ring *r = f->ring;
  k = (k % 24 + 24) % 24;
  const int8_t *row = quadrant[k % 12 <= 6 ? k % 12 : 12 - k % 12];
  hml_ratio *two = ratio_of(f, f->roots[0]), *three = ratio_of(f, f->roots[1]), *sum = hml_ratio__integer(r, row[0]);
  hml_ratio *surds[] = {two, three, hml_ratio__mul(r, two, three)};
  for (int i = 0; i < 3; i++) sum = hml_ratio__add(r, sum, hml_ratio__mul(r, hml_ratio__integer(r, row[i + 1]), surds[i]));
  return hml_ratio__mul(r, sum, hml_ratio__power(r, hml_ratio__integer(r, k < 12 ? 4 : -4), -1));
}

static circle circle_of_twelfths(hml_normal *f, int64_t k) { return (circle){sine_of_twelfths(f, k), sine_of_twelfths(f, k + 6)}; }

// sin and cos of an argument that was taken apart when generators were collected
static bool circle_of(hml_normal *f, hml_expr argument, circle *out) {
  part parts[MAX_PARTS];
  size_t n = take_apart(f->c, argument, parts, MAX_PARTS);
  if (n == 0) return false;
  hml_ring *r = f->ring;
  *out = (circle){hml_ratio__integer(r, 0), hml_ratio__integer(r, 1)};
  for (size_t i = 0; i < n; i++) {
    uintptr_t value = 0;
    if (in_twelfths(&parts[i])) {
      *out = rotate(f, *out, circle_of_twelfths(f, parts[i].n * (12 / parts[i].d)));
      continue;
    }
    hml_table_get(&f->angles, parts[i].atom, &value);
    const angle *a = (const angle *)value;
    int64_t times = parts[i].n * a->d / (parts[i].d * a->n);
    if (llabs(times) > f->highest) hml_ring__stop(r, HML_LIMIT, "a multiple of an angle is too high");
    circle unit = {hml_ratio__generator(r, a->sine), hml_ratio__generator(r, a->cosine)};
    if (times < 0) unit.s = negative(f, unit.s);
    for (int64_t k = llabs(times); k; k >>= 1) {
      if (k & 1) *out = rotate(f, *out, unit);
      if (k > 1) unit = rotate(f, unit, unit);
    }
  }
  return true;
}

static hml_ratio *exponential_of(hml_normal *f, hml_expr argument) {
  part parts[MAX_PARTS];
  size_t n = take_apart(f->c, argument, parts, MAX_PARTS);
  if (n == 0) return NULL;
  hml_ratio *out = hml_ratio__integer(f->ring, 1);
  for (size_t i = 0; i < n; i++) {
    uintptr_t value = 0;
    hml_table_get(&f->exponents, parts[i].atom, &value);
    const angle *a = (const angle *)value;
    int64_t times = parts[i].n * a->d / (parts[i].d * a->n);
    out = hml_ratio__mul(f->ring, out, hml_ratio__power(f->ring, hml_ratio__generator(f->ring, a->sine), times));
  }
  return out;
}

static hml_ratio *trigonometric(hml_normal *f, hml_expr e) {
  circle p;
  if (!circle_of(f, node_operands(e)[0], &p)) return generator_ratio(f, e);
  if (e->function == HML_FUN_sin) return p.s;
  if (e->function == HML_FUN_cos) return p.c;
  return hml_ratio__mul(f->ring, p.s, hml_ratio__power(f->ring, p.c, -1));
}

static hml_ratio *exponential(hml_normal *f, hml_expr e) {
  hml_ring *r = f->ring;
  hml_ratio *x = exponential_of(f, node_operands(e)[0]);
  if (!x) return generator_ratio(f, e);
  if (e->function == HML_FUN_exp) return x;
  hml_ratio *y = hml_ratio__power(r, x, -1), *half = hml_ratio__power(r, hml_ratio__integer(r, 2), -1);
  hml_ratio *sum = hml_ratio__add(r, x, y), *difference = hml_ratio__add(r, x, negative(f, y));
  if (e->function == HML_FUN_sinh) return hml_ratio__mul(r, half, difference);
  if (e->function == HML_FUN_cosh) return hml_ratio__mul(r, half, sum);
  return hml_ratio__mul(r, difference, hml_ratio__power(r, sum, -1));
}

// The radical of that key, whose square is N D or, of an absolute value, N^2; r/D
static hml_ratio *radical_over(hml_normal *f, hml_expr key, const hml_ratio *n, const hml_ratio *d, bool root) {
  hml_ring *r = f->ring;
  uintptr_t i = 0, known;
  if (!hml_table_get(&f->index, key, &i)) hml_ring__stop(r, HML_INTERNAL, "a radical was not collected");
  if (!hml_table_get(&f->ratios, key, &known)) {
    hml_ring__relation(r, i, hml_ratio__mul(r, n, root ? d : n));
    if (!hml_ratio__is_one(r, d)) f->generators[i].scale = hml_normal__polynomial(f, d);
    known = (uintptr_t)hml_ratio__mul(r, hml_ratio__generator(r, i), hml_ratio__power(r, d, -1));
    if (hml_table_put(&f->ratios, key, known) != HML_OK) hml_ring__stop(r, HML_MEMORY, "not enough memory");
  }
  return (hml_ratio *)known;
}

static hml_ratio *integer_root(hml_normal *f, hml_expr n) {
  hml_ring *r = f->ring;
  hml_ratio *product = hml_ratio__integer(r, 1);
  hml_expr rest = n;
  for (size_t i = 0; i < f->n_coprime; i++) {
    hml_expr b = f->coprime[i];
    uint64_t k = exponent_in(f->c, b, &rest);
    if (k > 1) product = hml_ratio__mul(r, product, hml_ratio__power(r, hml_ratio__number(r, b), (int64_t)(k / 2)));
    if (k % 2) product = hml_ratio__mul(r, product, radical_over(f, root_node(f->c, b), hml_ratio__number(r, b), hml_ratio__integer(r, 1), true));
  }
  // factors missing in the list occurred in it as squares
  hml_expr root = !rest || is_one_node(rest) ? rest : exact_square_root(f->c, rest);
  if (!root && hml_failed(f->c)) hml_ring__stop(r, hml_context_error(f->c)->status, "a root of an integer could not be built");
  if (!root) hml_ring__stop(r, HML_INTERNAL, "a root of an integer was not collected");
  return hml_ratio__mul(r, product, hml_ratio__number(r, root));
}

// r/D with r^2 = N D for a root, r^2 = N^2 for an absolute value
static hml_ratio *radical(hml_normal *f, hml_expr e, bool root) {
  if (root_of_integer(e)) return integer_root(f, node_operands(e)[0]);
  const hml_ratio *base = ratio_of(f, node_operands(e)[0]);
  return radical_over(f, radical_key(f, e), hml_ratio__numerator(f->ring, base), hml_ratio__denominator(f->ring, base), root);
}

static hml_ratio *convert_node(hml_normal *f, hml_expr e) {
  hml_ring *r = f->ring;
  int64_t k = 0;
  hml_ratio *out;
  switch (e->kind) {
    case HML_NUMBER: case HML_FLOAT: return hml_ratio__number(r, e);
    case HML_SYMBOL: return generator_ratio(f, e);
    case HML_SUM: case HML_PRODUCT:
      out = ratio_of(f, node_operands(e)[0]);
      for (uint32_t i = 1; i < e->count; i++)
        out = e->kind == HML_SUM ? hml_ratio__add(r, out, ratio_of(f, node_operands(e)[i])) : hml_ratio__mul(r, out, ratio_of(f, node_operands(e)[i]));
      return out;
    default: break;
  }
  switch (role_in(f, e)) {
    case RING:
      hml_integer_value(node_operands(e)[1], &k);
      if (k < 0 && hml_ratio__is_zero(r, ratio_of(f, node_operands(e)[0]))) hml_ring__stop(r, HML_UNDEFINED, "a denominator vanishes identically");
      return hml_ratio__power(r, ratio_of(f, node_operands(e)[0]), k);
    case HALF_POWER:
      half_integer(node_operands(e)[1], &k);
      out = radical(f, e, true);
      if (hml_ratio__is_zero(r, ratio_of(f, node_operands(e)[0]))) {
        if (k < 0) hml_ring__stop(r, HML_UNDEFINED, "a denominator vanishes identically");
        return hml_ratio__integer(r, 0);
      }
      return hml_ratio__power(r, out, k);
    case ABSOLUTE:
      if (hml_ratio__is_zero(r, ratio_of(f, node_operands(e)[0]))) return hml_ratio__integer(r, 0);
      out = radical(f, e, false);
      return e->function == HML_FUN_abs ? out : hml_ratio__mul(r, out, hml_ratio__power(r, ratio_of(f, node_operands(e)[0]), -1));
    case TRIGONOMETRIC: return trigonometric(f, e);
    case EXPONENTIAL: return exponential(f, e);
    default: return generator_ratio(f, e);
  }
}

// Opaque functions may hide an identity: a divisor that contains one must be certainly nonzero
static void check_divisors(hml_normal *f) {
  bool opaque = false;
  for (size_t i = 0; i < f->n; i++) opaque = opaque || (f->generators[i].kind == GEN_OPAQUE && !is_pi(f->generators[i].e));
  for (size_t k = 0; opaque && k < f->count; k++) {
    hml_expr e = f->nodes[k];
    int64_t n, d;
    hml_ring__check(f->ring);
    if (e->kind != HML_POWER || !hml_rational_value(node_operands(e)[1], &n, &d) || n >= 0) continue;
    if (node_operands(e)[0]->kind == HML_SYMBOL || hml_expr__certainly_nonzero(f->c, node_operands(e)[0])) continue;
    hml_ring__stop(f->ring, HML_LIMIT, "a denominator may vanish identically");
  }
}

void hml_normal__convert(hml_normal *f) {
  hml_ring *r = f->ring;
  check_divisors(f);
  // sin^2 + cos^2 = 1
  for (size_t i = 0; i < f->n; i++) {
    if (f->generators[i].kind != GEN_SINE) continue;
    hml_ratio *c = hml_ratio__generator(r, f->generators[i].partner);
    hml_ring__relation(r, i, hml_ratio__add(r, hml_ratio__integer(r, 1), negative(f, hml_ratio__mul(r, c, c))));
  }
  for (size_t k = 0; k < f->count; k++)
    if (hml_table_put(&f->ratios, f->nodes[k], (uintptr_t)convert_node(f, f->nodes[k])) != HML_OK)
      hml_ring__stop(r, HML_MEMORY, "not enough memory");
}

hml_ratio *hml_normal__ratio(hml_normal *f, hml_expr root) { return ratio_of(f, root); }

// ---- back to expressions

static hml_expr generator_expression(hml_normal *f, size_t i) {
  const generator *g = &f->generators[i];
  hml_expr e = g->e;
  // by the constructors, which simplify signs and special values
  if (e->kind == HML_CALL && (g->kind == GEN_SINE || g->kind == GEN_COSINE || g->kind == GEN_EXPONENTIAL || g->kind == GEN_RADICAL))
    e = hml_call(f->c, e->function, 1, node_operands(e));
  return g->scale ? hml_mul(f->c, g->scale, e) : e;
}

static hml_expr checked(hml_normal *f, hml_expr e) {
  if (!e) hml_ring__stop(f->ring, hml_failed(f->c) ? hml_context_error(f->c)->status : HML_MEMORY, "an expression could not be built");
  return e;
}

hml_expr hml_normal__monomial(hml_normal *f, const uint64_t *exponents, hml_expr coefficient) {
  hml_expr e = coefficient;
  for (size_t i = 0; i < f->n; i++) {
    if (!exponents[i]) continue;
    hml_expr factor = hml_pow(f->c, generator_expression(f, i), hml_integer(f->c, (int64_t)exponents[i]));
    e = hml_mul(f->c, e, factor);
  }
  return checked(f, e);
}

hml_expr hml_normal__polynomial(hml_normal *f, const hml_ratio *p) {
  size_t terms = hml_poly__terms(f->ring, p);
  hml_expr *list = hml_arena_alloc(&f->arena, (terms + 1) * sizeof *list);
  uint64_t *exponents = hml_arena_alloc(&f->arena, (f->n + 1) * sizeof *exponents);
  if (!list || !exponents) hml_ring__stop(f->ring, HML_MEMORY, "not enough memory");
  for (size_t i = 0; i < terms; i++) {
    if (i % 64 == 0) hml_ring__check(f->ring);
    hml_expr coefficient = hml_poly__term(f->ring, p, i, exponents);
    list[i] = hml_normal__monomial(f, exponents, coefficient);
  }
  return checked(f, hml_sum(f->c, terms, list));
}

hml_expr hml_normal__terms(hml_normal *f, const hml_ratio *a) {
  hml_ring *r = f->ring;
  hml_ratio *n = hml_ratio__numerator(r, a), *d = hml_ratio__denominator(r, a), *whole, *rest;
  hml_poly__divide(r, n, d, &whole, &rest);
  size_t first = hml_poly__terms(r, whole), terms = first + hml_poly__terms(r, rest);
  hml_expr *list = hml_arena_alloc(&f->arena, (terms + 1) * sizeof *list);
  uint64_t *exponents = hml_arena_alloc(&f->arena, (f->n + 1) * sizeof *exponents);
  if (!list || !exponents) hml_ring__stop(r, HML_MEMORY, "not enough memory");
  hml_expr below = checked(f, hml_pow(f->c, hml_normal__polynomial(f, d), hml_integer(f->c, -1)));
  for (size_t i = 0; i < terms; i++) {
    if (i % 64 == 0) hml_ring__check(r);
    hml_expr coefficient = i < first ? hml_poly__term(r, whole, i, exponents) : hml_poly__term(r, rest, i - first, exponents);
    list[i] = hml_normal__monomial(f, exponents, coefficient);
    if (i >= first) list[i] = checked(f, hml_mul(f->c, list[i], below));
  }
  return checked(f, hml_sum(f->c, terms, list));
}

// A sum of monomials without functions that no other atom of its kind differs from by a factor
static bool independent_atom(hml_expr e) {
  if (e->kind == HML_SYMBOL) return true;
  for (uint32_t i = 0; e->kind == HML_PRODUCT && i < e->count; i++)
    if (node_operands(e)[i]->kind != HML_SYMBOL) return false;
  return e->kind == HML_PRODUCT;
}

static hml_expr without_number(hml_context *c, hml_expr e) {
  number k;
  hml_expr rest = split_coefficient(c, e, &k);
  number_clear(&k);
  return rest;
}

bool hml_normal__independent(const hml_normal *f) {
  for (size_t i = 0; i < f->n; i++) {
    const generator *g = &f->generators[i];
    hml_expr atom = NULL;
    switch (g->kind) {
      case GEN_SYMBOL: continue;
      case GEN_SINE: case GEN_COSINE: case GEN_EXPONENTIAL:
        atom = without_number(f->c, node_operands(g->e)[0]);
        if (!atom || !independent_atom(atom)) return false;
        continue;
      case GEN_RADICAL:
        // of pairwise coprime integers, none a square
        if (!root_of_integer(g->e)) return false;
        continue;
      default: return false;
    }
  }
  return true;
}
