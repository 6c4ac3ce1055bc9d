// tests src/program/pool.c: entries of the matrix that are multiples of each other are multiplied once, and K z = s holds at every order
#define HML_BALLS
#include "programs.h"

#include "program/ball_impl.h"

#ifdef HAMEL_ARB

enum { N = 3, ROWS = 1, SIZE = N + ROWS, ORDER = 24, BITS = 200, LOWER = N * (N + 1) / 2, OUTPUTS_OF_ALL = LOWER + ROWS * N + N + ROWS };

static hml_program *compile(hml_context *c, const char *const *texts) {
  hml_expr symbols[5] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "z", 0, 0), hml_symbol(c, "m", 0, 0)};
  hml_expr f[OUTPUTS_OF_ALL];
  hml_program *p;
  for (size_t i = 0; i < OUTPUTS_OF_ALL; i++) f[i] = hml_parse(c, texts[i], 5, symbols);
  assert_ok(c, hml_program_new(c, 5, symbols, OUTPUTS_OF_ALL, f, &p));
  return p;
}

// The output that is the entry of K = [M A^T; A 0]; false: zero
static bool entry_at(size_t i, size_t j, size_t *output) {
  if (i < j) return entry_at(j, i, output);
  *output = i < N ? i * (i + 1) / 2 + j : LOWER + (i - N) * N + j;
  return i < N || j < N;
}

// Order k of z_j: the accelerations are the rates of the states
static void solution(arb_t r, const hml_balls *b, size_t j, size_t d, slong k) {
  if (j < N) arb_mul_si(r, hml_balls__state(b, j, d) + k + 1, k + 1, 2 * BITS);
  else arb_set(r, hml_balls__multiplier(b, j - N, d) + k);
}

static void output_order(arb_t r, const hml_balls *b, size_t output, size_t d, slong k) {
  bool steady;
  arb_srcptr a = hml_balls__output(b, output, d, &steady);
  if (steady && k > 0) arb_zero(r);
  else arb_set(r, a + k);
}

// r += order k of K_ij in direction d times z_j in direction e
static void add_product(arb_t r, const hml_balls *b, size_t output, size_t d, size_t j, size_t e, slong k) {
  arb_t x, y;
  arb_init(x), arb_init(y);
  for (slong l = 0; l <= k; l++) {
    output_order(x, b, output, d, l);
    solution(y, b, j, e, k - l);
    arb_addmul(r, x, y, 2 * BITS);
  }
  arb_clear(x), arb_clear(y);
}

static void check_solved(const hml_balls *b, size_t directions) {
  arb_t rest, side;
  arb_init(rest), arb_init(side);
  for (size_t d = 0; d <= directions; d++)
    for (size_t i = 0; i < SIZE; i++)
      for (slong k = 0; k <= ORDER; k++) {
        output_order(side, b, LOWER + ROWS * N + i, d, k);
        if (i >= N) arb_neg(side, side);
        arb_neg(rest, side);
        for (size_t j = 0, output; j < SIZE; j++) {
          if (!entry_at(i, j, &output)) continue;
          add_product(rest, b, output, 0, j, d, k);
          if (d) add_product(rest, b, output, d, j, 0, k);
        }
        if (!arb_contains_zero(rest) || mag_cmp_2exp_si(arb_radref(rest), -10) > 0)
          fail_msg("direction %zu, row %zu, order %ld: %s is left", d, i, k, arb_get_str(rest, 12, 0));
      }
  arb_clear(rest), arb_clear(side);
}

static void check(hml_context *c, const char *const *texts, size_t products, bool held) {
  static const uint32_t all[] = {0, 1, 2, 3};
  hml_program *p = compile(c, texts);
  size_t directions = held ? 4 : 3;
  hml_balls_layout l = {.n = N, .m = ROWS, .held = held, .rows = LOWER, .r = LOWER + ROWS * N, .b = LOWER + ROWS * N + N, .order = ORDER, .bits = BITS,
                        .directions = directions, .direction = all};
  hml_balls *b;
  assert_ok(c, hml_balls__new(c, p, &l, &b));
  assert_int_equal(hml_pools__products(b->pools), products);
  arb_ptr x = _arb_vec_init(4);
  arb_t t;
  arb_init(t);
  for (slong i = 0; i < 4; i++) arb_set_d(x + i, 0.3 + 0.2 * (double)i);
  assert_ok(c, hml_balls__expand(b, t, x, x + 3));
  check_solved(b, directions);
  _arb_vec_clear(x, 4);
  arb_clear(t);
  hml_balls__free(b);
  hml_program_free(p);
}

static void equations_hold_at_every_order(void **state) {
  // 14 entries move: 6 are sin(x), 6 cos(y) times constants; two rows and two columns each cover them
  static const char *const shared[] = {"5 + sin(x)", "m*sin(x)", "6", "-2*sin(x)", "cos(y)", "7 - cos(y)/2", "m*cos(y)", "-cos(y)", "3*m*sin(x)",
                                       "x*y", "sin(z)", "z^2", "cos(x)"};
  check(*state, shared, 10, false);
  // a factor that is a held state has a derivative: such entries stand for themselves
  check(*state, shared, 12, true);
  // one row of constraints: the sum for its own equation, one product for the reactions
  static const char *const row[] = {"2", "0", "3", "0", "0", "4", "sin(x)", "2*sin(x)", "m*sin(x)", "y", "z", "x", "y*z"};
  check(*state, row, 2, false);
  static const char *const constant[] = {"2", "0", "3", "0", "0", "4", "1", "m", "2", "y", "z", "x", "y*z"};
  check(*state, constant, 0, false);
}

int main(void) {
  const struct CMUnitTest tests[] = {in_context(equations_hold_at_every_order)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_arb(void **state) { (void)state, skip(); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_arb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
