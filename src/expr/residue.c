// residue.c: values of expressions modulo a prime at random points, by one pass over their nodes for each point.
//
// An expression that is not zero modulo p at one point is not zero. Sines and cosines lie on the circle, roots satisfy their equations, and the
// derivatives of an atom are formulas: so an identity of the functions is one of the residues.
#include "budget.h"
#include "expr_impl.h"
#include "modular.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_MULTIPLE = 1000, MOST_ROOTS = 10, MOST_PRIMES = 256, MOST_RESTARTS = 32, ENOUGH = 20 };

// ---- what is evaluated

typedef enum { STEP_NUMBER, STEP_DRAWN, STEP_SOLVED, STEP_SUM, STEP_PRODUCT, STEP_POWER, STEP_ROOT, STEP_SINE, STEP_COSINE, STEP_TANGENT,
               STEP_EXPONENTIAL, STEP_HYPERBOLIC_SINE, STEP_HYPERBOLIC_COSINE, STEP_HYPERBOLIC_TANGENT } step_kind;

typedef struct step {
  step_kind kind;
  bool constant;                       // the same at all points
  hml_expr e;
  size_t first, count;                 // operands in the list of operands; of functions of an angle: its terms
  size_t place;                        // of a solved symbol
  int64_t exponent;
  unsigned halvings;                   // of a root
  uint64_t odd;
  bool is_first;                       // square root of its argument met first
  size_t tried, found;                 // points at which the argument was looked at, and was a square
} step;

// A base angle or exponent: the functions contain whole multiples of e/denominator
typedef struct base {
  hml_expr e;
  int64_t denominator;
  bool circle, constant;
  uint64_t a, b;                       // cosine and sine, or the exponential and its inverse
} base;

typedef struct term {
  size_t base;
  int64_t n, d;                        // the coefficient
} term;

typedef struct sampler {
  hml_context *c;
  const hml_residues_spec *spec;
  hml_budget budget;
  hml_arena arena;
  hml_table index;                     // node -> step
  hml_expr *nodes;
  size_t count, before;                // steps; those of the linear system
  step *steps;
  size_t *operands, n_operands;
  base *bases;
  size_t n_bases, most_bases, n_atoms, n_exponentials, n_roots;
  term *terms;
  size_t n_terms, most_terms;
  size_t *places;                      // steps of the matrix, the right sides and the roots
  bool independent;
  hml_modulus m;
  uint64_t state;                      // of the random numbers
  uint64_t *value;
  uint64_t *system;                    // size x (size + columns)
} sampler;

static uint64_t draw(sampler *s) {
  uint64_t z = s->state += UINT64_C(0x9E3779B97F4A7C15);               // splitmix64 (Steele, Lea, Flood 2014)
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return 1 + (z ^ (z >> 31)) % (s->m.p - 1);
}

static size_t step_of(const sampler *s, hml_expr e) {
  uintptr_t k = 0;
  hml_table_get(&s->index, e, &k);
  return k;
}

static bool is_listed(hml_expr e, size_t n, const hml_expr *list) {
  for (size_t i = 0; i < n; i++)
    if (list[i] == e) return true;
  return false;
}

// A product of powers of symbols, and of roots of numbers: monomials that differ are independent angles
static bool is_monomial(hml_expr e) {
  int64_t k;
  if (e->kind == HML_SYMBOL || is_number(e)) return true;
  if (e->kind == HML_POWER) return is_number(node_operands(e)[0]) || (is_monomial(node_operands(e)[0]) && hml_integer_value(node_operands(e)[1], &k));
  if (e->kind != HML_PRODUCT) return false;
  for (size_t i = 0; i < e->count; i++)
    if (!is_monomial(node_operands(e)[i])) return false;
  return true;
}

static hml_status unsupported(sampler *s, hml_expr e, const char *why) {
  char text[80];
  hml_expr__brief(s->c, e, 70, text);
  return hml_fail(s->c, HML_UNSUPPORTED, "%s has no value modulo a prime: %s", text, why);
}

static int64_t gcd(int64_t a, int64_t b) { return b ? gcd(b, a % b) : a; }

// Room for one more entry of an array in the arena
static bool make_room(hml_arena *arena, void **array, size_t count, size_t *most, size_t size) {
  if (count < *most) return true;
  size_t larger = 2 * *most + 16;
  void *moved = hml_arena_alloc(arena, larger * size);
  if (!moved) return false;
  if (count) memcpy(moved, *array, count * size);
  *array = moved;
  *most = larger;
  return true;
}

static bool has_fixed_value(const sampler *s, hml_expr e) {
  if (e->kind == HML_SYMBOL) return is_listed(e, s->spec->n_fixed, s->spec->fixed);
  for (size_t i = 0; !is_number(e) && i < e->count; i++)
    if (!has_fixed_value(s, node_operands(e)[i])) return false;
  return true;
}

static hml_status add_term(sampler *s, hml_expr e, int64_t n, int64_t d, bool circle) {
  size_t k = 0;
  void *bases = s->bases, *terms = s->terms;
  while (k < s->n_bases && (s->bases[k].e != e || s->bases[k].circle != circle)) k++;
  if (!make_room(&s->arena, &bases, s->n_bases, &s->most_bases, sizeof(base))) return HML_MEMORY;
  if (!make_room(&s->arena, &terms, s->n_terms, &s->most_terms, sizeof(term))) return HML_MEMORY;
  s->bases = bases, s->terms = terms;
  if (k == s->n_bases) {
    s->bases[s->n_bases++] = (base){.e = e, .denominator = 1, .circle = circle, .constant = has_fixed_value(s, e)};
    s->independent = s->independent && is_monomial(e);
  }
  int64_t multiple = s->bases[k].denominator / gcd(s->bases[k].denominator, d);
  if (d > MOST_MULTIPLE || llabs(n) > MOST_MULTIPLE || multiple * d > MOST_MULTIPLE) return unsupported(s, e, "its factors in angles are too large");
  s->bases[k].denominator = multiple * d;
  s->terms[s->n_terms++] = (term){k, n, d};
  return HML_OK;
}

// Is e a sum of monomials with numbers?
static bool is_sum_of_monomials(hml_expr e) {
  if (e->kind != HML_SUM) return is_monomial(e);
  for (size_t i = 0; i < e->count; i++)
    if (!is_monomial(node_operands(e)[i])) return false;
  return true;
}

// Terms of the argument n/d e, in the bases
static hml_status add_terms(sampler *s, hml_expr e, int64_t n, int64_t d, bool circle) {
  number k;
  hml_expr rest = split_coefficient(s->c, e, &k);
  bool small = k.form == SMALL && llabs(k.n) <= MOST_MULTIPLE && k.d <= MOST_MULTIPLE;
  int64_t kn = k.n, kd = k.d;
  number_clear(&k);
  if (!small) return unsupported(s, e, "the number in an angle is too large or inexact");
  int64_t common = gcd(llabs(n * kn), d * kd);
  n = n * kn / common, d = d * kd / common;
  if (rest && is_pi(rest)) return unsupported(s, e, "a sine of such a part of pi is not known exactly");
  if (rest && rest->kind == HML_SUM) {
    for (size_t i = 0; i < rest->count; i++) HML_TRY(add_terms(s, node_operands(rest)[i], n, d, circle));
    return HML_OK;
  }
  return add_term(s, rest ? rest : hml_integer(s->c, 1), n, d, circle);
}

static bool has_call(hml_expr e) {
  if (e->kind == HML_CALL) return true;
  for (size_t i = 0; e->kind != HML_SYMBOL && !is_number(e) && i < e->count; i++)
    if (has_call(node_operands(e)[i])) return true;
  return false;
}

// A function of which only the derivative is known. Inside of others it may be undone, asin(sin(x)) = x
static void note_atom(sampler *s, hml_expr argument) {
  s->n_atoms++;
  if (has_call(argument)) s->independent = false;
}

static hml_status make_call(sampler *s, step *t) {
  t->first = s->n_terms;
  hml_expr argument = node_operands(t->e)[0];
  bool circle = true;
  switch ((int)t->e->function) {
    case HML_FUN_sin: t->kind = STEP_SINE; break;
    case HML_FUN_cos: t->kind = STEP_COSINE; break;
    case HML_FUN_tan: t->kind = STEP_TANGENT; break;
    case HML_FUN_exp: t->kind = STEP_EXPONENTIAL, circle = false; break;
    case HML_FUN_sinh: t->kind = STEP_HYPERBOLIC_SINE, circle = false; break;
    case HML_FUN_cosh: t->kind = STEP_HYPERBOLIC_COSINE, circle = false; break;
    case HML_FUN_tanh: t->kind = STEP_HYPERBOLIC_TANGENT, circle = false; break;
    case HML_FUN_abs: case HML_FUN_sign: case HML_FUN_min: case HML_FUN_max:
      return unsupported(s, t->e, "write the branch that is meant");
    case HML_FUN_tabled: case HML_FUN_tabled_rate: case HML_FUN_tabled_curve: case HML_FUN_tabled_jerk:
      return unsupported(s, t->e, "measured data are no formula");
    default:
      t->kind = STEP_DRAWN;
      if (!hml_opaque__is(t->e) && !is_pi(t->e)) note_atom(s, argument);
      return HML_OK;
  }
  if (!is_sum_of_monomials(argument)) argument = hml_simplify(s->c, argument, HML_FORM_EXPANDED, 0, NULL, NULL, NULL);
  if (!argument) return hml_context_error(s->c)->status;
  if (!circle) s->n_exponentials++;
  hml_status status = add_terms(s, argument, 1, 1, circle);
  t->count = s->n_terms - t->first;
  return status;
}

static bool has_symbol(hml_expr e) {
  if (e->kind == HML_SYMBOL) return true;
  for (size_t i = 0; !is_number(e) && i < e->count; i++)
    if (has_symbol(node_operands(e)[i])) return true;
  return false;
}

// A square root: counted once for each argument. Roots of roots of numbers may be rational, sqrt(3 + 2 sqrt(2)) = 1 + sqrt(2)
static void note_root(sampler *s, step *t) {
  hml_expr argument = node_operands(t->e)[0];
  if (!is_number(argument) && !has_symbol(argument)) s->independent = false;
  t->is_first = !t->constant;
  for (const step *other = s->steps; other < t; other++)
    if (other->is_first && node_operands(other->e)[0] == argument) t->is_first = false;
  s->n_roots += t->is_first;
}

static hml_status make_power(sampler *s, step *t) {
  hml_expr exponent = node_operands(t->e)[1];
  int64_t n, d;
  if (!hml_rational_value(exponent, &n, &d)) {
    t->kind = STEP_DRAWN;
    s->n_atoms++;
    return is_number(exponent) ? unsupported(s, t->e, "its exponent is no short fraction") : HML_OK;
  }
  t->kind = d == 1 ? STEP_POWER : STEP_ROOT;
  t->exponent = n;
  for (t->odd = (uint64_t)d; t->odd % 2 == 0; t->odd /= 2) t->halvings++;
  if (t->halvings > 0) note_root(s, t);
  return HML_OK;
}

static bool operands_are_constant(const sampler *s, const step *t) {
  for (size_t i = 0; i < t->count; i++)
    if (!s->steps[s->operands[t->first + i]].constant) return false;
  return true;
}

static hml_status make_step(sampler *s, size_t k) {
  step *t = &s->steps[k];
  hml_expr e = t->e = s->nodes[k];
  const hml_residues_spec *spec = s->spec;
  t->first = s->n_operands;
  t->count = e->kind == HML_SYMBOL || is_number(e) ? 0 : e->count;
  for (size_t i = 0; i < t->count; i++) s->operands[s->n_operands++] = step_of(s, node_operands(e)[i]);
  t->constant = operands_are_constant(s, t);
  switch (e->kind) {
    case HML_NUMBER: t->kind = STEP_NUMBER; return HML_OK;
    case HML_FLOAT: return unsupported(s, e, "it is inexact; write a fraction or a decimal text");
    case HML_SYMBOL:
      t->constant = is_listed(e, spec->n_fixed, spec->fixed);
      t->kind = STEP_DRAWN;
      for (size_t i = 0; i < spec->size * spec->columns; i++)
        if (spec->rates[i] == e) t->kind = STEP_SOLVED, t->place = i;
      return HML_OK;
    case HML_SUM: t->kind = STEP_SUM; return HML_OK;
    case HML_PRODUCT: t->kind = STEP_PRODUCT; return HML_OK;
    case HML_POWER: return make_power(s, t);
    default: return make_call(s, t);
  }
}

static hml_status open_sampler(sampler *s) {
  const hml_residues_spec *spec = s->spec;
  size_t system = spec->size * spec->size, right = spec->size * spec->columns, n = system + right + spec->n, operands = 0;
  hml_expr *roots = hml_arena_alloc(&s->arena, (n + 1) * sizeof *roots);
  if (!roots) return HML_MEMORY;
  if (system) {
    memcpy(roots, spec->matrix, system * sizeof *roots);
    memcpy(roots + system, spec->right, right * sizeof *roots);
  }
  if (spec->n) memcpy(roots + system + right, spec->roots, spec->n * sizeof *roots);
  HML_TRY(hml_expr__postorder(&s->arena, system + right, roots, &s->nodes, &s->before));
  HML_TRY(hml_expr__postorder(&s->arena, n, roots, &s->nodes, &s->count));
  for (size_t k = 0; k < s->count; k++) {
    HML_TRY(hml_table_put(&s->index, s->nodes[k], k));
    operands += s->nodes[k]->kind == HML_SYMBOL ? 1 : s->nodes[k]->count + 1;
  }
  s->steps = hml_arena_alloc(&s->arena, (s->count + 1) * sizeof *s->steps);
  s->operands = hml_arena_alloc(&s->arena, (operands + 1) * sizeof *s->operands);
  s->places = hml_arena_alloc(&s->arena, (n + 1) * sizeof *s->places);
  s->value = hml_arena_alloc(&s->arena, (s->count + 1) * sizeof *s->value);
  s->system = hml_arena_alloc(&s->arena, (system + right + 1) * sizeof *s->system);
  if (!s->steps || !s->operands || !s->places || !s->value || !s->system) return HML_MEMORY;
  s->independent = true;
  for (size_t k = 0; k < s->count; k++) HML_TRY(make_step(s, k));
  for (size_t i = 0; i < n; i++) s->places[i] = step_of(s, roots[i]);
  if (s->n_atoms > 1 || (s->n_atoms == 1 && s->n_exponentials > 0)) s->independent = false;
  if (s->n_roots > MOST_ROOTS) return hml_fail(s->c, HML_LIMIT, "more than %d different roots", MOST_ROOTS);
  return HML_OK;
}

// ---- one point

static uint64_t number_residue(const sampler *s, hml_expr e) {
  uint64_t p = s->m.p, n, d;
  if (e->big) {
    n = mpz_fdiv_ui(mpq_numref(node_mpq(e)), p);
    d = mpz_fdiv_ui(mpq_denref(node_mpq(e)), p);
  } else {
    int64_t r = node_small(e)->n % (int64_t)p;
    n = r < 0 ? (uint64_t)(r + (int64_t)p) : (uint64_t)r;
    d = (uint64_t)node_small(e)->d % p;
  }
  uint64_t numerator = residue_of(&s->m, n);
  return d == 1 ? numerator : residue_mul(&s->m, numerator, residue_inverse(&s->m, residue_of(&s->m, d)));
}

static bool set_base(sampler *s, base *b) {
  const hml_modulus *m = &s->m;
  uint64_t u = draw(s);
  if (!b->circle) {
    b->a = u;
    b->b = residue_inverse(m, u);
    return true;
  }
  uint64_t square = residue_mul(m, u, u), below = residue_add(m, m->one, square);
  if (below == 0) return false;
  below = residue_inverse(m, below);
  b->a = residue_mul(m, residue_sub(m, m->one, square), below);
  b->b = residue_mul(m, residue_add(m, u, u), below);
  return true;
}

// exp of the terms, or their cosine and sine
static void turn(const sampler *s, const step *t, uint64_t *cosine, uint64_t *sine) {
  const hml_modulus *m = &s->m;
  uint64_t x = m->one, y = 0;
  for (size_t i = 0; i < t->count; i++) {
    const term *part = &s->terms[t->first + i];
    const base *b = &s->bases[part->base];
    int64_t k = part->n * (b->denominator / part->d);
    if (!b->circle) {
      x = residue_mul(m, x, residue_power(m, k < 0 ? b->b : b->a, (uint64_t)llabs(k)));
      continue;
    }
    uint64_t c = b->a, z = k < 0 ? residue_negated(m, b->b) : b->b;
    for (uint64_t rest = (uint64_t)llabs(k); rest; rest >>= 1) {
      uint64_t c2 = residue_sub(m, residue_mul(m, c, c), residue_mul(m, z, z)), z2 = residue_mul(m, c, z);
      if (rest & 1) {
        uint64_t x2 = residue_sub(m, residue_mul(m, x, c), residue_mul(m, y, z));
        y = residue_add(m, residue_mul(m, x, z), residue_mul(m, y, c));
        x = x2;
      }
      c = c2, z = residue_add(m, z2, z2);
    }
  }
  *cosine = x, *sine = y;
}

static bool divide(const sampler *s, uint64_t a, uint64_t b, uint64_t *out) {
  *out = residue_mul(&s->m, a, residue_inverse(&s->m, b));
  return b != 0;
}

// Functions of an angle and of an exponent
static bool call_value(const sampler *s, const step *t, uint64_t *out) {
  const hml_modulus *m = &s->m;
  uint64_t x, y, inverse, half;
  turn(s, t, &x, &y);
  if (t->kind == STEP_COSINE || t->kind == STEP_EXPONENTIAL) return *out = x, true;
  if (t->kind == STEP_SINE) return *out = y, true;
  if (t->kind == STEP_TANGENT) return divide(s, y, x, out);
  inverse = residue_inverse(m, x);
  half = residue_inverse(m, residue_add(m, m->one, m->one));
  uint64_t sum = residue_add(m, x, inverse), difference = residue_sub(m, x, inverse);
  if (t->kind == STEP_HYPERBOLIC_TANGENT) return divide(s, difference, sum, out);
  *out = residue_mul(m, t->kind == STEP_HYPERBOLIC_SINE ? difference : sum, half);
  return true;
}

static bool power_value(const sampler *s, step *t, uint64_t a, uint64_t *out) {
  t->tried++;
  if (t->kind == STEP_ROOT && !residue_root(&s->m, a, t->halvings, t->odd, &a)) return false;
  t->found++;
  if (t->exponent < 0 && a == 0) return false;
  uint64_t power = residue_power(&s->m, a, (uint64_t)llabs(t->exponent));
  *out = t->exponent < 0 ? residue_inverse(&s->m, power) : power;
  return true;
}

static bool step_value(sampler *s, step *t, uint64_t *out) {
  const size_t *operands = s->operands + t->first;
  uint64_t value;
  switch (t->kind) {
    case STEP_NUMBER: *out = number_residue(s, t->e); return true;
    case STEP_DRAWN: *out = draw(s); return true;
    case STEP_SOLVED: *out = s->system[t->place]; return true;
    case STEP_SUM:
      value = 0;
      for (size_t i = 0; i < t->count; i++) value = residue_add(&s->m, value, s->value[operands[i]]);
      *out = value;
      return true;
    case STEP_PRODUCT:
      value = s->value[operands[0]];
      for (size_t i = 1; i < t->count; i++) value = residue_mul(&s->m, value, s->value[operands[i]]);
      *out = value;
      return true;
    case STEP_POWER: case STEP_ROOT: return power_value(s, t, s->value[operands[0]], out);
    default: return call_value(s, t, out);
  }
}

static bool run_steps(sampler *s, size_t from, size_t to, bool constant) {
  for (size_t k = from; k < to; k++)
    if (s->steps[k].constant == constant && !step_value(s, &s->steps[k], &s->value[k])) return false;
  return true;
}

// The solution of the linear system at the point takes the first places of s->system; false: the matrix is singular there
static bool solve_here(sampler *s) {
  const hml_residues_spec *spec = s->spec;
  const hml_modulus *m = &s->m;
  size_t n = spec->size, width = n + spec->columns;
  uint64_t *a = s->system;
  const size_t *matrix = s->places, *right = s->places + n * n;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) a[i * width + j] = s->value[matrix[i * n + j]];
    for (size_t j = 0; j < spec->columns; j++) a[i * width + n + j] = s->value[right[i * spec->columns + j]];
  }
  for (size_t k = 0; k < n; k++) {
    size_t p = k;
    while (p < n && a[p * width + k] == 0) p++;
    if (p == n) return false;
    for (size_t j = 0; j < width; j++) {
      uint64_t swapped = a[p * width + j];
      a[p * width + j] = a[k * width + j];
      a[k * width + j] = swapped;
    }
    uint64_t scale = residue_inverse(m, a[k * width + k]);
    for (size_t j = k; j < width; j++) a[k * width + j] = residue_mul(m, a[k * width + j], scale);
    for (size_t i = 0; i < n; i++) {
      uint64_t factor = i == k ? 0 : a[i * width + k];
      for (size_t j = k; factor && j < width; j++)
        a[i * width + j] = residue_sub(m, a[i * width + j], residue_mul(m, factor, a[k * width + j]));
    }
  }
  for (size_t i = 0; i < n; i++) memmove(a + i * spec->columns, a + i * width + n, spec->columns * sizeof *a);
  return true;
}

// The next prime below p for which the constants have values, with random ones for the fixed symbols
static hml_status choose_prime(sampler *s, uint64_t p) {
  for (int tried = 0; tried < MOST_PRIMES; tried++) {
    p = hml_modulus__prime(p);
    s->m = hml_modulus__of(p);
    s->state = s->spec->seed ^ p;
    bool fine = true;
    for (size_t k = 0; fine && k < s->n_bases; k++) fine = !s->bases[k].constant || set_base(s, &s->bases[k]);
    if (fine && run_steps(s, 0, s->count, true)) return HML_OK;
    HML_TRY(hml_check_interrupt(s->c));
  }
  return hml_fail(s->c, HML_UNDEFINED, "the constants of the formulas have no values modulo a prime: a denominator may vanish");
}

static hml_status look_around(sampler *s) {
  HML_TRY(hml_check_interrupt(s->c));
  if (hml_budget__is_over(&s->budget)) return hml_budget__fail(s->c, &s->budget);
  return HML_OK;
}

static bool take_point(sampler *s, uint64_t *row) {
  for (size_t k = 0; k < s->n_bases; k++)
    if (!s->bases[k].constant && !set_base(s, &s->bases[k])) return false;
  if (!run_steps(s, 0, s->before, false)) return false;
  if (s->spec->size && !solve_here(s)) return false;
  if (!run_steps(s, s->before, s->count, false)) return false;
  const size_t *places = s->places + s->spec->size * (s->spec->size + s->spec->columns);
  for (size_t i = 0; i < s->spec->n; i++) row[i] = s->value[places[i]];
  return true;
}

// All points modulo one prime; *taken is less where they are rare or missing
static hml_status take_points(sampler *s, size_t *taken) {
  const hml_residues_spec *spec = s->spec;
  // at each point half of the square roots exist; two roots whose arguments have a ratio that is no square never exist together
  size_t few = (size_t)30 << s->n_roots, most = 200 + (spec->points << (s->n_roots + 2));
  *taken = 0;
  for (size_t tried = 0; *taken < spec->points && tried < (*taken ? most : few); tried++) {
    if (tried % 64 == 0) HML_TRY(look_around(s));
    if (take_point(s, spec->values + *taken * spec->n)) ++*taken;
  }
  return HML_OK;
}

// Is the argument of a root a square at every point? The root is then a rational function up to its sign, or a multiple of another root
static bool has_rational_root(const sampler *s) {
  for (size_t k = 0; k < s->count; k++)
    if (s->steps[k].is_first && s->steps[k].tried >= ENOUGH && s->steps[k].found == s->steps[k].tried) return true;
  return false;
}

static hml_status sample(sampler *s, hml_residues *out) {
  HML_TRY(open_sampler(s));
  uint64_t p = s->spec->above;
  for (int restart = 0; restart < MOST_RESTARTS; restart++) {
    size_t taken;
    HML_TRY(choose_prime(s, p));
    HML_TRY(take_points(s, &taken));
    p = out->p = s->m.p;
    out->independent = s->independent && !has_rational_root(s);
    if (taken == s->spec->points) return HML_OK;
  }
  return hml_fail(s->c, HML_UNDEFINED, "the formulas have no values at random points: a denominator may vanish");
}

hml_status hml_residues__draw(hml_context *c, const hml_residues_spec *spec, hml_residues *out) {
  sampler s = {.c = c, .spec = spec, .budget = hml_budget__start(c, &spec->limits)};
  *out = (hml_residues){0};
  hml_arena_init(&s.arena, c);
  hml_table_init(&s.index, &s.arena);
  hml_status status = sample(&s, out);
  hml_arena_free(&s.arena);
  return status;
}
