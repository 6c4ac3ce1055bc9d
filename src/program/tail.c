// tail.c: bounds of what lies beyond the last order of series, and the proof that they are series of a motion.
//
// |a| = sum of |a_k| h^k is a norm with |a b| <= |a| |b|. With a = A + a~, A the orders up to N and |a~| <= alpha:
//   high(A, B) = sum over i = 1 ... N of |A_i| h^i * (sum over j > N - i of |B_j| h^j)  bounds the orders beyond N of A B
//   c = a b           high(A, B) + |A| beta + alpha |B| + alpha beta
//   c = a/b           b c~ = a~ - high(B, C) - b~ C, times a bound R of |1/b|
//   s = sqrt(a)       2 S s~ + s~^2 = a~ - high(S, S) =: rho; |s~| <= R rho where R^2 rho <= 1/2, R a bound of |1/S|
//   sin, cos, exp     of A by their differential equations, whose order k > N gains 1/k; then the addition theorems for a~. Or all of exp(a), which
//                     is |exp(a_0)| exp(|a - a_0|) at most
//   f, f' = g a'      k f_k = sum of j a_j g_(k-j)
//   K z = s           K z~ = s~ - high(K, Z) - K~ Z, with an approximate inverse Y and g >= |1 - Y K| < 1
//   x' = f(x)         x0 + integral of f maps the series with given orders up to N + 1 and tails w into themselves where the tails do: a solution is there
// Bounds 1/b: |Y|/(1 - g), Y the first orders of 1/b. Source of the method: Hungria, Lessard, Mireles James 2016 (radii polynomials for analytic
// solutions); the bounds are derived as above. Norms and tails round up (mag_t).
#include "ball_impl.h"

#ifdef HAMEL_ARB

static mag_ptr norm_of(const hml_balls *b, uint32_t v, size_t d) { return b->norms + ball_series(b, v, d) * (b->order + 1); }
static mag_ptr sums_of(const hml_balls *b, uint32_t v, size_t d) { return b->sums + ball_series(b, v, d) * (b->order + 2); }
static mag_ptr tail_of(const hml_balls *b, uint32_t v, size_t d) { return b->tails + ball_series(b, v, d); }

static void norm_series(const hml_balls *b, uint32_t v, size_t d) {
  mag_ptr norm = norm_of(b, v, d), sum = sums_of(b, v, d);
  arb_srcptr a = ball_at(b, v, d);
  mag_zero(sum + b->order + 1);
  for (unsigned k = b->order + 1; k-- > 0;) {
    if (k > 0 && b->still[v]) mag_zero(norm + k);
    else arb_get_mag(norm + k, a + k), mag_mul(norm + k, norm + k, b->powers + k);
    mag_add(sum + k, sum + k + 1, norm + k);
  }
}

// r += high(A, B)
static void add_high(const hml_balls *b, mag_t r, uint32_t x, size_t dx, uint32_t y, size_t dy) {
  if (b->still[x] || b->still[y]) return;
  mag_srcptr norm = norm_of(b, x, dx), sum = sums_of(b, y, dy);
  for (unsigned i = 1; i <= b->order; i++) mag_addmul(r, norm + i, sum + b->order + 1 - i);
}

// r += the tail of a b
static void add_product(const hml_balls *b, mag_t r, uint32_t x, size_t dx, uint32_t y, size_t dy) {
  if ((dx && !b->varies[x]) || (dy && !b->varies[y])) return;
  add_high(b, r, x, dx, y, dy);
  mag_addmul(r, sums_of(b, x, dx), tail_of(b, y, dy));
  mag_addmul(r, tail_of(b, x, dx), sums_of(b, y, dy));
  mag_addmul(r, tail_of(b, x, dx), tail_of(b, y, dy));
}

// |a| with its tail
static void whole(const hml_balls *b, mag_t r, uint32_t v, size_t d) { mag_add(r, sums_of(b, v, d), tail_of(b, v, d)); }

static const double MOST = 0.9;        // of |1 - Y b|

static bool below(const mag_t x, double limit) { return mag_cmp_2exp_si(x, 0) < 0 && mag_get_d(x) < limit; }

// A bound of |1/b| from its first orders, b with or without its tail
static bool bound_inverse(const hml_balls *b, mag_t R, arb_srcptr y, uint32_t v, bool with_tail) {
  mag_srcptr sum = sums_of(b, v, 0);
  unsigned last = b->order < HML_INVERSE_ORDER ? b->order : HML_INVERSE_ORDER;
  mag_t g, n, all;
  mag_init(g), mag_init(n), mag_init(all);
  for (unsigned i = 0; i <= last; i++) {
    arb_get_mag(n, y + i);
    mag_mul(n, n, b->powers + i);
    mag_add(all, all, n);
    if (!b->still[v]) mag_addmul(g, n, sum + last + 1 - i);
  }
  if (with_tail) mag_addmul(g, all, tail_of(b, v, 0));
  bool fine = below(g, MOST);
  if (fine) {
    mag_one(n);
    mag_sub_lower(n, n, g);
    mag_div(R, all, n);
  }
  mag_clear(g), mag_clear(n), mag_clear(all);
  return fine;
}

// r += the orders beyond N of (t a') b without the tail of a, times N + 1:  sum over i of i |A_i| sum over j > N - i of |B_j|
static void add_high_scaled(const hml_balls *b, mag_t r, uint32_t x, uint32_t y) {
  if (b->still[x] || b->still[y]) return;
  mag_srcptr norm = norm_of(b, x, 0), sum = sums_of(b, y, 0);
  mag_t n;
  mag_init(n);
  for (unsigned i = 1; i <= b->order; i++) {
    mag_mul_ui(n, norm + i, i);
    mag_addmul(r, n, sum + b->order + 1 - i);
  }
  mag_clear(n);
}

// |t A'|
static void scaled_norm(const hml_balls *b, mag_t r, uint32_t x) {
  mag_srcptr norm = norm_of(b, x, 0);
  mag_t n;
  mag_init(n), mag_zero(r);
  for (unsigned i = 1; i <= b->order && !b->still[x]; i++) {
    mag_mul_ui(n, norm + i, i);
    mag_add(r, r, n);
  }
  mag_clear(n);
}

enum { SCRATCH = 8 };
typedef struct bounds { mag_struct m[SCRATCH]; } bounds;

static void open_bounds(bounds *s) { for (int i = 0; i < SCRATCH; i++) mag_init(s->m + i); }
static void close_bounds(bounds *s) { for (int i = 0; i < SCRATCH; i++) mag_clear(s->m + i); }

// 1/(1 - x), x < MOST
static void geometric(mag_t r, const mag_t x) {
  mag_t one;
  mag_init(one);
  mag_one(one);
  mag_sub_lower(one, one, x);
  mag_inv(r, one);
  mag_clear(one);
}

static bool circle_tail(hml_balls *b, const ball_op *op, bounds *s) {
  mag_ptr kappa = s->m, p = s->m + 1, q = s->m + 2, sine = s->m + 3, cosine = s->m + 4, x = s->m + 5, alpha = tail_of(b, op->a, 0);
  uint32_t S = op->result, C = op->second;
  scaled_norm(b, kappa, op->a);
  mag_div_ui(kappa, kappa, b->order + 1);
  if (!below(kappa, MOST)) return false;
  add_high_scaled(b, p, op->a, C);
  add_high_scaled(b, q, op->a, S);
  mag_div_ui(p, p, b->order + 1);
  mag_div_ui(q, q, b->order + 1);
  mag_set(sine, p), mag_addmul(sine, kappa, q);
  mag_set(cosine, q), mag_addmul(cosine, kappa, p);
  mag_mul(x, kappa, kappa);
  geometric(x, x);
  mag_mul(sine, sine, x);
  mag_mul(cosine, cosine, x);
  // of A; then sin(A + a~) - sin(A) = sin(A) (cos(a~) - 1) + cos(A) sin(a~)
  mag_ptr wide_s = s->m + 6, wide_c = s->m + 7, less = p, sinh = q;
  mag_add(wide_s, sums_of(b, S, 0), sine);
  mag_add(wide_c, sums_of(b, C, 0), cosine);
  mag_sinh(sinh, alpha);
  // cosh - 1 = 2 sinh(alpha/2)^2
  mag_mul_2exp_si(x, alpha, -1);
  mag_sinh(x, x);
  mag_mul(less, x, x);
  mag_mul_2exp_si(less, less, 1);
  mag_set(tail_of(b, S, 0), sine), mag_addmul(tail_of(b, S, 0), wide_s, less), mag_addmul(tail_of(b, S, 0), wide_c, sinh);
  mag_set(tail_of(b, C, 0), cosine), mag_addmul(tail_of(b, C, 0), wide_c, less), mag_addmul(tail_of(b, C, 0), wide_s, sinh);
  return true;
}

// |exp(a)| <= |e_0| exp(|a - a_0|), with the tail: all of a value that is tiny there, whatever its series
static void whole_exponential(const hml_balls *b, mag_t r, const ball_op *op, mag_t x) {
  mag_add(x, sums_of(b, op->a, 0) + 1, tail_of(b, op->a, 0));
  mag_exp(x, x);
  arb_get_mag(r, ball_at(b, op->result, 0));
  mag_mul(r, r, x);
}

static bool exponential_tail(hml_balls *b, const ball_op *op, bounds *s) {
  mag_ptr kappa = s->m, e = s->m + 1, x = s->m + 2, all = s->m + 3, r = tail_of(b, op->result, 0);
  whole_exponential(b, all, op, x);
  scaled_norm(b, kappa, op->a);
  mag_div_ui(kappa, kappa, b->order + 1);
  mag_set(r, all);
  if (!below(kappa, MOST)) return !mag_is_inf(all);
  add_high_scaled(b, e, op->a, op->result);
  mag_div_ui(e, e, b->order + 1);
  geometric(x, kappa);
  mag_mul(e, e, x);
  mag_expm1(x, tail_of(b, op->a, 0));
  mag_set(r, e);
  mag_add(e, e, sums_of(b, op->result, 0));
  mag_addmul(r, e, x);
  mag_min(r, r, all);
  return true;
}

// r += the part of one argument
static void add_integral(const hml_balls *b, mag_t r, uint32_t a, uint32_t g, bounds *s) {
  mag_ptr x = s->m, d = s->m + 1;
  mag_zero(x);
  add_high_scaled(b, x, a, g);
  scaled_norm(b, d, a);
  mag_addmul(x, d, tail_of(b, g, 0));
  mag_div_ui(x, x, b->order + 1);
  mag_add(r, r, x);
  whole(b, x, g, 0);
  mag_addmul(r, tail_of(b, a, 0), x);
}

// Is a - a_0, with its tail, less than |a_0|? Then a has one sign
static bool keeps_sign(const hml_balls *b, uint32_t v, bool positive) {
  arb_srcptr a = ball_at(b, v, 0);
  if (positive ? !arb_is_positive(a) : arb_contains_zero(a)) return false;
  mag_t least, rest;
  mag_init(least), mag_init(rest);
  arb_get_mag_lower(least, a);
  if (!b->still[v]) mag_add(rest, sums_of(b, v, 0) + 1, tail_of(b, v, 0));
  bool keeps = mag_cmp(rest, least) < 0;
  mag_clear(least), mag_clear(rest);
  return keeps;
}

static bool root_tail(hml_balls *b, const ball_op *op, bounds *s) {
  mag_ptr R = s->m, rho = s->m + 1, x = s->m + 2;
  if (!bound_inverse(b, R, op->inverse, op->result, false)) return false;
  mag_set(rho, tail_of(b, op->a, 0));
  add_high(b, rho, op->result, 0, op->result, 0);
  mag_mul(x, R, R);
  mag_mul(x, x, rho);
  if (mag_cmp_2exp_si(x, -1) > 0) return false;
  mag_mul(tail_of(b, op->result, 0), R, rho);
  return true;
}

static bool quotient_tail(hml_balls *b, const ball_op *op, bounds *s) {
  mag_ptr R = s->m, rho = s->m + 1;
  if (!bound_inverse(b, R, op->inverse, op->b, true)) return false;
  mag_set(rho, tail_of(b, op->a, 0));
  add_high(b, rho, op->b, 0, op->result, 0);
  mag_addmul(rho, tail_of(b, op->b, 0), sums_of(b, op->result, 0));
  mag_mul(tail_of(b, op->result, 0), R, rho);
  return true;
}

static bool value_tail(hml_balls *b, const ball_op *op, bounds *s) {
  mag_ptr r = tail_of(b, op->result, 0);
  mag_zero(r);
  switch (op->kind) {
    case BALL_LINEAR:
      mag_set(r, tail_of(b, op->a, 0));
      if (op->sb) mag_add(r, r, tail_of(b, op->b, 0));
      return true;
    case BALL_PRODUCT:
      if (op->c != NO_VALUE) mag_set(r, tail_of(b, op->c, 0));
      add_product(b, r, op->a, 0, op->b, 0);
      return true;
    case BALL_QUOTIENT: return quotient_tail(b, op, s);
    case BALL_ROOT: return root_tail(b, op, s);
    case BALL_CIRCLE: return circle_tail(b, op, s);
    case BALL_EXPONENTIAL: return exponential_tail(b, op, s);
    case BALL_INTEGRAL:
      // the angle of a point jumps where the point passes behind the origin
      if (op->c != NO_VALUE && !keeps_sign(b, op->c, true) && !keeps_sign(b, op->a, false)) return false;
      add_integral(b, r, op->a, op->b, s);
      if (op->c != NO_VALUE) add_integral(b, r, op->c, op->d, s);
      return true;
    case BALL_SIDED: mag_set(r, tail_of(b, op->a, 0)); return true;
    default:
      if (!keeps_sign(b, op->c, false)) return false;
      if (op->function == OP_sign) return true;
      if (op->function == OP_abs) mag_set(r, tail_of(b, op->a, 0));
      else mag_set(r, tail_of(b, (op->function == OP_min) == (op->branch < 0) ? op->a : op->b, 0));
      return true;
  }
}

// b dr = num, with the tail of num in rho
static bool divided(hml_balls *b, const ball_op *op, uint32_t by, size_t d, mag_t rho, mag_t R, bool with_tail) {
  if (!bound_inverse(b, R, op->inverse, by, with_tail)) return false;
  add_high(b, rho, by, 0, op->result, d);
  mag_addmul(rho, tail_of(b, by, 0), sums_of(b, op->result, d));
  mag_mul(tail_of(b, op->result, d), R, rho);
  return true;
}

static bool derivative_tail(hml_balls *b, const ball_op *op, size_t d, bounds *s) {
  mag_ptr r = tail_of(b, op->result, d), rho = s->m + 1;
  mag_zero(r), mag_zero(rho);
  switch (op->kind) {
    case BALL_LINEAR:
      mag_set(r, tail_of(b, op->a, d));
      if (op->sb) mag_add(r, r, tail_of(b, op->b, d));
      return true;
    case BALL_PRODUCT:
      if (op->c != NO_VALUE) mag_set(r, tail_of(b, op->c, d));
      add_product(b, r, op->a, d, op->b, 0);
      add_product(b, r, op->a, 0, op->b, d);
      return true;
    case BALL_QUOTIENT:
      mag_set(rho, tail_of(b, op->a, d));
      add_product(b, rho, op->result, 0, op->b, d);
      return divided(b, op, op->b, d, rho, s->m, true);
    case BALL_ROOT:
      mag_mul_2exp_si(rho, tail_of(b, op->a, d), -1);
      return divided(b, op, op->result, d, rho, s->m, true);
    case BALL_CIRCLE:
      add_product(b, r, op->second, 0, op->a, d);
      mag_zero(tail_of(b, op->second, d));
      add_product(b, tail_of(b, op->second, d), op->result, 0, op->a, d);
      return true;
    case BALL_EXPONENTIAL: add_product(b, r, op->result, 0, op->a, d); return true;
    case BALL_INTEGRAL:
      add_product(b, r, op->b, 0, op->a, d);
      if (op->c != NO_VALUE) add_product(b, r, op->d, 0, op->c, d);
      return true;
    case BALL_SIDED: mag_set(r, tail_of(b, op->a, d)); return true;
    default:
      if (op->function == OP_sign) return true;
      if (op->function == OP_abs) mag_set(r, tail_of(b, op->a, d));
      else mag_set(r, tail_of(b, (op->function == OP_min) == (op->branch < 0) ? op->a : op->b, d));
      return true;
  }
}

static bool sweep_tails(hml_balls *b, bounds *s) {
  for (uint32_t i = 0; i < b->count; i++) {
    const ball_op *op = &b->ops[i];
    if (b->still[op->result] && op->kind != BALL_BRANCH) continue;
    for (int k = 0; k < SCRATCH; k++) mag_zero(s->m + k);
    bool fine = value_tail(b, op, s);
    for (size_t d = 1; fine && d <= b->directions && b->varies[op->result]; d++) fine = derivative_tail(b, op, d, s);
    if (!fine) {
      b->doubt = i;
      return false;
    }
  }
  return true;
}

// ---- accelerations

// |Y|_ij and the row-sum norm of 1 - Y K: orders beyond those of Y, and tails; needs norms of K
static bool bound_matrix(hml_balls *b) {
  size_t size = b->n + b->m, all = size * size;
  unsigned last = b->order < HML_INVERSE_ORDER ? b->order : HML_INVERSE_ORDER;
  mag_t n, row;
  mag_init(n), mag_init(row);
  mag_zero(b->growth);
  for (size_t i = 0; i < all; i++) mag_zero(b->bounds + i);
  for (size_t i = 0; i < size; i++) {
    mag_zero(row);
    for (size_t l = 0; l < size; l++) {
      mag_ptr Y = b->bounds + i * size + l;
      for (unsigned k = 0; k <= last; k++) {
        arb_get_mag(n, b->inverses + k * all + i * size + l);
        mag_mul(n, n, b->powers + k);
        mag_add(Y, Y, n);
        for (size_t j = 0; j < size; j++) {
          uint32_t e = b->matrix[l * size + j];
          if (e != NO_VALUE && !b->still[e]) mag_addmul(row, n, sums_of(b, e, 0) + last + 1 - k);
        }
      }
      for (size_t j = 0; j < size; j++) {
        uint32_t e = b->matrix[l * size + j];
        if (e != NO_VALUE && !b->still[e]) mag_addmul(row, Y, tail_of(b, e, 0));
      }
    }
    mag_max(b->growth, b->growth, row);
  }
  mag_clear(n), mag_clear(row);
  return below(b->growth, MOST);
}

static void solution_tails(hml_balls *b, size_t d) {
  size_t size = b->n + b->m;
  mag_ptr rho = b->bounds + size * size, y = rho + size;
  mag_t most, x;
  mag_init(most), mag_init(x);
  for (size_t i = 0; i < size; i++) {
    mag_zero(rho + i);
    if (!b->still[b->side[i]] && (!d || b->varies[b->side[i]])) mag_set(rho + i, tail_of(b, b->side[i], d));
    for (size_t j = 0; j < size; j++) {
      uint32_t e = b->matrix[i * size + j], z = b->solution + (uint32_t)j;
      if (e == NO_VALUE) continue;
      if (d) add_product(b, rho + i, e, d, z, 0);
      if (b->still[e]) continue;
      add_high(b, rho + i, e, 0, z, d);
      mag_addmul(rho + i, tail_of(b, e, 0), sums_of(b, z, d));
    }
  }
  for (size_t i = 0; i < size; i++) {
    mag_zero(y + i);
    for (size_t j = 0; j < size; j++) mag_addmul(y + i, b->bounds + i * size + j, rho + j);
    mag_max(most, most, y + i);
  }
  geometric(x, b->growth);
  mag_mul(x, x, b->growth);
  mag_mul(x, x, most);
  for (size_t i = 0; i < size; i++) mag_add(tail_of(b, b->solution + (uint32_t)i, d), y + i, x);
  mag_clear(most), mag_clear(x);
}

// ---- the proof

static void norm_all(hml_balls *b, const mag_t h) {
  mag_one(b->powers);
  for (slong k = 1; k <= b->length; k++) mag_mul(b->powers + k, b->powers + k - 1, h);
  for (uint32_t v = 0; v < b->bounded; v++) {
    norm_series(b, v, 0);
    for (size_t d = 1; d <= b->directions && b->varies[v]; d++) norm_series(b, v, d);
  }
}

// The order N + 1 of a state
static void last_order(const hml_balls *b, mag_t r, size_t i, size_t d) {
  arb_get_mag(r, ball_at(b, ball_of_state(b, i), d) + b->order + 1);
  mag_mul(r, r, b->powers + b->order + 1);
}

static void first_guess(hml_balls *b) {
  mag_t floor, most, part;
  mag_init(floor), mag_init(most), mag_init(part);
  // a state whose last order vanishes, such as time, has a small tail for steps above 1 too: cosh of a large one would never come down again
  mag_set_ui_2exp_si(most, 1, -b->bits);
  mag_min(floor, b->powers + b->order + 1, most);
  mag_mul_2exp_si(floor, floor, -20);
  for (size_t i = 0; i < b->states; i++)
    for (size_t d = 0; d <= b->directions; d++) {
      mag_ptr w = b->guess + i * (1 + b->directions) + d;
      mag_zero(w);
      if (i >= b->kin + b->n) continue;
      last_order(b, w, i, d);
      mag_mul_2exp_si(w, w, 1);
      // in proportion to a state that is small: a velocity of 1e-20 goes into a place by a step of 1e20
      mag_srcptr size = sums_of(b, ball_of_state(b, i), d);
      if (mag_is_zero(size) || mag_cmp_2exp_si(size, 0) >= 0) mag_set(part, floor);
      else mag_mul(part, floor, size);
      mag_add(w, w, part);
    }
  mag_clear(floor), mag_clear(most), mag_clear(part);
}

static bool reproduces(hml_balls *b, const mag_t h) {
  bool inside = true;
  mag_t w;
  mag_init(w);
  for (size_t i = 0; i < b->kin + b->n; i++) {
    uint32_t v = i < b->kin ? b->program->outputs[i] : b->solution + (uint32_t)(i - b->kin);
    for (size_t d = 0; d <= b->directions; d++) {
      mag_ptr rest = b->remainders + i * (1 + b->directions) + d, guess = b->guess + i * (1 + b->directions) + d;
      if (d && !b->varies[v]) mag_zero(rest);
      else mag_mul(rest, h, tail_of(b, v, d));
      mag_div_ui(rest, rest, b->order + 2);
      last_order(b, w, i, d);
      mag_add(w, w, rest);
      if (mag_cmp(w, guess) <= 0 && !mag_is_inf(w)) continue;
      inside = false;
      mag_mul_2exp_si(guess, w, -1);
      mag_add(guess, guess, w);
    }
  }
  mag_clear(w);
  return inside;
}

bool hml_balls__prove(hml_balls *b, const mag_t h) {
  enum { ROUNDS = 5 };
  bounds s;
  open_bounds(&s);
  norm_all(b, h);
  first_guess(b);
  bool proved = false, possible = true;
  b->doubt = NO_VALUE;
  for (int round = 0; round < ROUNDS && possible && !proved; round++) {
    for (size_t i = 0; i < b->states; i++)
      for (size_t d = 0; d <= b->directions; d++) mag_set(tail_of(b, ball_of_state(b, i), d), b->guess + i * (1 + b->directions) + d);
    possible = sweep_tails(b, &s);
    if (possible && b->n + b->m > 0) {
      possible = bound_matrix(b);
      for (size_t d = 0; possible && d <= b->directions; d++) solution_tails(b, d);
    }
    proved = possible && reproduces(b, h);
  }
  close_bounds(&s);
  return proved;
}

void hml_balls__doubt(const hml_balls *b, size_t capacity, char *text) {
  text[0] = '\0';
  if (b->doubt == NO_VALUE) return;
  describe_value(b->program, b->ops[b->doubt].source, text, capacity);
}

#endif
