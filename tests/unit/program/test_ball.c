// tests src/program/ball.c and src/program/tail.c: coefficients and bounds of tails, for every row of functions.def
#define HML_BALLS
#include "programs.h"

#include "program/relaxed.h"

#ifdef HAMEL_ARB

enum { LOW = 10, HIGH = 60, BITS = 220, STATES = 2 };

typedef struct series { hml_program *p; hml_balls *low, *high, *point; size_t outputs, multipliers; } series;

static const uint32_t both[] = {0, 1};

static hml_balls *balls(hml_context *c, const hml_program *p, hml_balls_layout l, unsigned order) {
  hml_balls *b;
  l.order = order;
  assert_ok(c, hml_balls__new(c, p, &l, &b));
  return b;
}

static hml_program *compile(hml_context *c, size_t n, const char *const *texts) {
  hml_expr symbols[4] = {hml_symbol(c, "t", HML_TIME, 0), hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0), hml_symbol(c, "m", 0, 0)}, f[8];
  hml_program *p;
  for (size_t i = 0; i < n; i++) f[i] = hml_parse(c, texts[i], 4, symbols);
  assert_ok(c, hml_program_new(c, 4, symbols, n, f, &p));
  return p;
}

// The sum of the orders up to `last` of a series at h
static void sum_at(arb_t r, arb_srcptr a, slong last, const arb_t h) {
  arb_zero(r);
  for (slong k = last; k >= 0; k--) {
    arb_mul(r, r, h, BITS);
    arb_add(r, r, a + k, BITS);
  }
}

static void check_bound(const char *what, arb_srcptr a, slong from, mag_srcptr tail, double h) {
  arb_t sum, term, power;
  arb_init(sum), arb_init(term), arb_init(power);
  for (slong k = HIGH; k >= from; k--) {
    arb_abs(term, a + k);
    arb_set_d(power, h);
    arb_pow_ui(power, power, (ulong)k, BITS);
    arb_addmul(sum, term, power, BITS);
  }
  assert_true(mag_is_finite(tail));
  arf_t bound;
  arf_init(bound);
  arf_set_mag(bound, tail);
  arb_set_arf(term, bound);
  // balls know the sum to many digits more than it is below its bound
  if (!arb_le(sum, term) && !arb_contains_zero(sum)) fail_msg("%s: the orders from %ld on sum to %s, the bound is %s", what, from, arb_get_str(sum, 12, 0), arb_get_str(term, 12, 0));
  arb_clear(sum), arb_clear(term), arb_clear(power), arf_clear(bound);
}

static double proved_step(hml_balls *b) {
  mag_t h;
  mag_init(h);
  double step = 4;
  for (int i = 0; i < 60; i++, step *= 0.8) {
    step = (double)(float)step;
    mag_set_d(h, step);
    if (hml_balls__prove(b, h)) break;
  }
  mag_clear(h);
  return step;
}

static void check_overlap(const char *what, const arb_t a, const arb_t b, double width) {
  if (!arb_overlaps(a, b)) fail_msg("%s: %s and %s are disjoint", what, arb_get_str(a, 30, 0), arb_get_str(b, 30, 0));
  assert_true(mag_cmp_2exp_si(arb_radref(a), 0) < 0 && mag_get_d(arb_radref(a)) < width && mag_get_d(arb_radref(b)) < width);
}

// One system from (t, x, y, m): bounds of the low order hold the orders of the high one, and the series at h meet the values at x(h)
static void check_system(hml_context *c, const char *what, const char *const *texts, size_t outputs, hml_balls_layout l) {
  l.directions = STATES, l.direction = both, l.bits = BITS;
  hml_program *p = compile(c, outputs, texts);
  hml_balls *low = balls(c, p, l, LOW), *high = balls(c, p, l, HIGH), *end = balls(c, p, l, 0);
  arb_ptr x = _arb_vec_init(8), m = x + 4;
  arb_t t, h, a, e, z;
  arb_init(t), arb_init(h), arb_init(a), arb_init(e), arb_init(z);
  arb_set_d(t, 0.3), arb_set_d(x, 0.7), arb_set_d(x + 1, -0.4), arb_set_d(m, 1.5);
  assert_ok(c, hml_balls__expand(low, t, x, m));
  assert_ok(c, hml_balls__expand(high, t, x, m));
  double step = proved_step(low);
  bool steady;
  if (!(step > 1e-3)) fail_msg("%s: no step was proved", what);
  for (size_t d = 0; d <= STATES; d++) {
    for (size_t k = 0; k < outputs; k++) {
      arb_srcptr s = hml_balls__output(high, k, d, &steady);
      if (!steady) check_bound(what, s, LOW + 1, hml_balls__tail(low, k, d), step);
    }
    for (size_t i = 0; i < STATES; i++) check_bound(what, hml_balls__state(high, i, d), LOW + 2, hml_balls__remainder(low, i, d), step);
  }
  // at a shorter step the high order is exact to many digits
  mag_t size;
  mag_init(size);
  step = (double)(float)(step / 8);
  mag_set_d(size, step);
  arb_set_d(h, step);
  if (!hml_balls__prove(high, size)) fail_msg("%s: an eighth of the step of order %d is not proved at order %d", what, LOW, HIGH);
  arb_ptr after = _arb_vec_init(STATES * (STATES + 1));
  for (size_t i = 0; i < STATES; i++)
    for (size_t d = 0; d <= STATES; d++) {
      arb_ptr r = after + i * (STATES + 1) + d;
      sum_at(r, hml_balls__state(high, i, d), HIGH + 1, h);
      arb_add_error_mag(r, hml_balls__remainder(high, i, d));
    }
  for (size_t i = 0; i < STATES; i++) arb_set(x + i, after + i * (STATES + 1));
  arb_add(t, t, h, BITS);
  assert_ok(c, hml_balls__expand(end, t, x, m));
  for (size_t k = 0; k < outputs; k++)
    for (size_t d = 0; d <= STATES; d++) {
      arb_srcptr s = hml_balls__output(high, k, d, &steady);
      sum_at(a, s, steady ? 0 : HIGH, h);
      arb_add_error_mag(a, hml_balls__tail(high, k, d));
      if (d == 0) arb_set(e, hml_balls__output(end, k, 0, &steady));
      else arb_zero(e);
      for (size_t j = 0; d > 0 && j < STATES; j++) arb_addmul(e, hml_balls__output(end, k, j + 1, &steady), after + j * (STATES + 1) + d, BITS);
      check_overlap(what, a, e, 1e-20);
    }
  for (size_t k = 0; k < l.m; k++)
    for (size_t d = 0; d <= STATES; d++) {
      sum_at(a, hml_balls__multiplier(high, k, d), HIGH, h);
      if (d == 0) arb_set(e, hml_balls__multiplier(end, k, 0));
      else arb_zero(e);
      for (size_t j = 0; d > 0 && j < STATES; j++) arb_addmul(e, hml_balls__multiplier(end, k, j + 1), after + j * (STATES + 1) + d, BITS);
      arb_sub(a, a, e, BITS);
      arb_abs(a, a);
      arb_set_d(z, 1e-25);
      assert_true(arb_lt(a, z));
    }
  _arb_vec_clear(x, 8), _arb_vec_clear(after, STATES * (STATES + 1)), mag_clear(size);
  arb_clear(t), arb_clear(h), arb_clear(a), arb_clear(e), arb_clear(z);
  hml_balls__free(low), hml_balls__free(high), hml_balls__free(end);
  hml_program_free(p);
}

// Arguments of the rows, by domain. Of t alone: their tail is zero, and the bound is that of the function. Nearly constant ones: the bound is nearly
// that of the argument
#define ARGUMENT_REAL {"x*y + t", "t + t^2", "1/2 + x*y/1000000"}
#define ARGUMENT_ABOVE_0 {"1 + x^2/4 + y*t", "1 + t", "2 + x*y/1000000"}
#define ARGUMENT_ABOVE_1 {"2 + x^2 + y*t", "2 + t", "2 + x*y/1000000"}
#define ARGUMENT_UNIT {"x/4 + y*t", "t/2 + t^2/8", "1/2 + x*y/1000000"}
#define ARGUMENT_WITHIN_UNIT {"x/4 + y*t", "t/2 + t^2/8", "1/2 + x*y/1000000"}
#define ARGUMENT_NOT_00 {"x*y - 1/2", "1 + t", "1 + x*y/1000000"}
#define ARGUMENT_TABLE {NULL}

static void every_function_has_its_series(void **state) {
  enum { ARGUMENTS = 3 };
  static const struct { const char *name, *argument[ARGUMENTS]; int arity; } rows[] = {
#define FUN(name, arity, value, da, db, symmetry, domain, latex, help) {#name, ARGUMENT_##domain, arity},
#include "expr/functions.def"
#undef FUN
  };
  static const char *const others[ARGUMENTS] = {"x - t", "2 - t", "2 + y/1000000"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    for (size_t k = 0; k < ARGUMENTS && rows[i].argument[k]; k++) {      // measured data have none: refused
      char fx[80];
      if (rows[i].arity == 1) snprintf(fx, sizeof fx, "%s(%s)", rows[i].name, rows[i].argument[k]);
      else snprintf(fx, sizeof fx, "%s(%s, %s)", rows[i].name, rows[i].argument[k], others[k]);
      const char *texts[] = {fx, "m*cos(x) - y/2"};
      check_system(*state, fx, texts, 2, (hml_balls_layout){.kin = 2});
    }
}

// Series whose coefficients have one sign: there the bounds are nearly equalities, and a part that is missing is seen
static void bounds_of_series_with_one_sign_hold(void **state) {
  static const char *const rows[] = {"1/(2 - x)", "exp(x)", "exp(3*x)/9", "x^2", "x*x*x", "2 - sqrt(2 - x)", "-log(2 - x)", "atanh(x/2)", "asin(x/2)", "tan(x/2)", "sinh(x)", "x*cosh(x)",
                                     "x/(1 - x^2/2)", "1/(3 - exp(x))", "exp(x)/(2 - x)", "1/(2 - x)^3", "t*x + t^3", "1/(1 - t)", "exp(t)*x", "2 - sqrt(1 - t)", "1/(2 - t/1000 - y/1000000)",
                                     "1/(2 - y/1000000)", "x + exp(2*x)/8", "sqrt(2 - y/1000000)", "sqrt(2 + y/1000000)", "(2 - x)^(-3/2)"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *texts[] = {rows[i], "y"};
    check_system(*state, rows[i], texts, 2, (hml_balls_layout){.kin = 2});
  }
  // masses 2 - x^2 and forces of one sign; y' in the place of y: M a = r
  static const char *const masses[][2] = {{"2 - x^2", "1 + x"}, {"2 - x", "exp(x)"}, {"1 - t/2", "x"}, {"2 - x/1000000", "1"}, {"3 - exp(x)", "x^2"}};
  for (size_t i = 0; i < sizeof masses / sizeof *masses; i++) {
    const char *texts[] = {"1 + x", masses[i][0], masses[i][1]};
    check_system(*state, masses[i][0], texts, 3, (hml_balls_layout){.kin = 1, .n = 1, .mass = 1, .rows = 2, .r = 2, .b = 3});
  }
}

static void instructions_have_their_series(void **state) {
  static const char *const rows[] = {"x*y - 2*t", "x/(2 + y) - t*y", "(x - y)/(3*m)", "1/(1 + x^2)", "sqrt(2 + x*y)", "(1 + x^2)^(3/2)", "(2 + y)^m", "m^x", "(2 + x)^y", "x^7 - y^(-3)",
                                     "(x + y)^100", "exp(-x^2)*sin(x)*cos(x)", "cos(x*t)", "sin(y) + 1", "3 - x", "m", "-y", "tan(x)/tan(1 + y^2)", "t^3", "abs(y)*y + max(x, y)*min(x - 3, y)"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const char *texts[] = {rows[i], "x - sin(y)*m"};
    check_system(*state, rows[i], texts, 2, (hml_balls_layout){.kin = 2});
  }
}

// M a = r + A^T lambda, A a + b = 0 for x_dyn = y or (x, y)
static void accelerations_are_solved_for(void **state) {
  const char *one[] = {"y", "2 + sin(x)", "m - x*y^2"};
  check_system(*state, "one mass", one, 3, (hml_balls_layout){.kin = 1, .n = 1, .mass = 1, .rows = 2, .r = 2, .b = 3});
  const char *two[] = {"2 + x^2", "cos(y)/3", "1 + t", "x*y - t", "m*sin(x)"};
  check_system(*state, "two masses", two, 5, (hml_balls_layout){.n = 2, .mass = 0, .rows = 3, .r = 3, .b = 5});
  const char *tied[] = {"2 + x^2", "cos(y)/3", "1 + t", "sin(x) + 2", "cos(y)", "x*y - t", "m*sin(x)", "x^2*y + t"};
  check_system(*state, "a constraint", tied, 8, (hml_balls_layout){.n = 2, .m = 1, .mass = 0, .rows = 3, .r = 5, .b = 7});
  // M is singular, K is not
  const char *massless[] = {"1", "0", "0", "x", "1 + y^2", "y - t", "m*sin(x)", "x^2*y + t"};
  check_system(*state, "no mass along y", massless, 8, (hml_balls_layout){.n = 2, .m = 1, .mass = 0, .rows = 3, .r = 5, .b = 7});
}

// The bounds are those of the table in tail.c, computed here in doubles from the coefficients and the tails of the operands: a part that is missing
// shows also where the true tail is far below the bound
typedef struct normed {
  double n[LOW + 1], sum, tail, first[LOW + 1];      // |a_k| h^k, their sum; coefficients
} normed;

static normed normed_output(const hml_balls *b, size_t k, size_t d, double h) {
  bool steady;
  normed v = {.tail = mag_get_d(hml_balls__tail(b, k, d))};
  arb_srcptr a = hml_balls__output(b, k, d, &steady);
  for (int i = LOW; i >= 0; i--) {
    v.first[i] = i && steady ? 0 : arf_get_d(arb_midref(a + i), ARF_RND_NEAR);
    v.n[i] = fabs(v.first[i]) * pow(h, i);
    v.sum += v.n[i];
  }
  return v;
}

// Orders beyond LOW of a b, of (t a') b where scaled
static double beyond(const normed *a, const normed *b, bool scaled) {
  double sum = 0;
  for (int i = 1; i <= LOW; i++)
    for (int j = LOW + 1 - i; j <= LOW; j++) sum += (scaled ? i : 1) * a->n[i] * b->n[j];
  return sum;
}

static double norm_of_rate(const normed *a) {
  double sum = 0;
  for (int i = 1; i <= LOW; i++) sum += i * a->n[i];
  return sum;
}

// Of 1/b, from its first orders
static double bound_of_inverse(const normed *b, double tail, double h) {
  enum { FIRST = 8 };
  double y[FIRST + 1], g = 0, all = 0;
  for (int k = 0; k <= FIRST; k++) {
    y[k] = k == 0 ? 1 : 0;
    for (int j = 1; j <= k; j++) y[k] -= b->first[j] * y[k - j];
    y[k] /= b->first[0];
    all += fabs(y[k]) * pow(h, k);
    for (int j = FIRST + 1 - k; j <= LOW; j++) g += fabs(y[k]) * pow(h, k) * b->n[j];
  }
  g += all * tail;
  return all / (1 - g);
}

static void assert_bound(const char *what, double h, double bound, double wanted) {
  if (!(bound >= wanted * (1 - 1e-11) && bound <= wanted * 1.0001)) fail_msg("%s, h = %g: the bound of the tail is %.12g, by the table %.12g", what, h, bound, wanted);
}

enum { ARG = 2, OTHER, RESULT, MORE, OUTPUTS_OF_TABLE };
typedef double (*table_row)(const hml_balls *b, double h);

static void of_circle(const hml_balls *b, double h, double *sine, double *cosine) {
  normed a = normed_output(b, ARG, 0, h), s = normed_output(b, RESULT, 0, h), c = normed_output(b, MORE, 0, h);
  double kappa = norm_of_rate(&a) / (LOW + 1), p = beyond(&a, &c, true) / (LOW + 1), q = beyond(&a, &s, true) / (LOW + 1);
  double ds = (p + kappa * q) / (1 - kappa * kappa), dc = (q + kappa * p) / (1 - kappa * kappa), alpha = a.tail;
  *sine = ds + (s.sum + ds) * (cosh(alpha) - 1) + (c.sum + dc) * sinh(alpha);
  *cosine = dc + (c.sum + dc) * (cosh(alpha) - 1) + (s.sum + ds) * sinh(alpha);
}

static double part_of_product(const normed *x, const normed *y) {
  return beyond(x, y, false) + x->sum * y->tail + x->tail * y->sum + x->tail * y->tail;
}

// The derivatives by x of a value whose differential is the sum of factor d(argument): pairs of outputs
static void check_chain(const hml_balls *b, double h, const char *what, uint32_t result, size_t pairs, const uint32_t (*pair)[2]) {
  double wanted = 0;
  for (size_t i = 0; i < pairs; i++) {
    normed factor = normed_output(b, pair[i][0], 0, h), rate = normed_output(b, pair[i][1], 1, h);
    wanted += part_of_product(&factor, &rate);
  }
  assert_bound(what, h, mag_get_d(hml_balls__tail(b, result, 1)), wanted);
}

static double of_sine(const hml_balls *b, double h) {
  double s, c;
  of_circle(b, h, &s, &c);
  assert_bound("cos", h, mag_get_d(hml_balls__tail(b, MORE, 0)), c);
  check_chain(b, h, "derivative of sin", RESULT, 1, (const uint32_t[][2]){{MORE, ARG}});
  check_chain(b, h, "derivative of cos", MORE, 1, (const uint32_t[][2]){{RESULT, ARG}});
  return s;
}

static double of_exponential(const hml_balls *b, double h) {
  normed a = normed_output(b, ARG, 0, h), e = normed_output(b, RESULT, 0, h);
  check_chain(b, h, "derivative of exp", RESULT, 1, (const uint32_t[][2]){{RESULT, ARG}});
  double kappa = norm_of_rate(&a) / (LOW + 1), first = beyond(&a, &e, true) / (LOW + 1) / (1 - kappa), whole = e.n[0] * exp(a.sum - a.n[0] + a.tail);
  return kappa < 0.9 ? fmin(first + (e.sum + first) * expm1(a.tail), whole) : whole;
}

static double part_of_integral(const normed *a, const normed *g) {
  return (beyond(a, g, true) + norm_of_rate(a) * g->tail) / (LOW + 1) + a->tail * (g->sum + g->tail);
}

static double of_logarithm(const hml_balls *b, double h) {
  normed a = normed_output(b, ARG, 0, h), g = normed_output(b, OTHER, 0, h);
  check_chain(b, h, "derivative of log", RESULT, 1, (const uint32_t[][2]){{OTHER, ARG}});
  return part_of_integral(&a, &g);
}

// atan2(u, v): OTHER = v, MORE = v/(u^2 + v^2); the other rate has the norms and the tail of u/(u^2 + v^2), behind
static double of_angle(const hml_balls *b, double h) {
  normed u = normed_output(b, ARG, 0, h), v = normed_output(b, OTHER, 0, h), p = normed_output(b, MORE, 0, h), q = normed_output(b, MORE + 1, 0, h);
  check_chain(b, h, "derivative of atan2", RESULT, 2, (const uint32_t[][2]){{MORE, ARG}, {MORE + 1, OTHER}});
  return part_of_integral(&u, &p) + part_of_integral(&v, &q);
}

// The derivatives by x: b dc = da - c db, s ds = da/2
static void check_rate(const hml_balls *b, double h, const char *what, uint32_t by, double wanted) {
  normed d = normed_output(b, by, 0, h), r = normed_output(b, RESULT, 1, h);
  wanted += beyond(&d, &r, false) + d.tail * r.sum;
  assert_bound(what, h, r.tail, bound_of_inverse(&d, d.tail, h) * wanted);
}

static double of_quotient(const hml_balls *b, double h) {
  normed a = normed_output(b, ARG, 0, h), d = normed_output(b, OTHER, 0, h), c = normed_output(b, RESULT, 0, h);
  normed da = normed_output(b, ARG, 1, h), dd = normed_output(b, OTHER, 1, h);
  check_rate(b, h, "derivative of a quotient", OTHER, da.tail + part_of_product(&c, &dd));
  return bound_of_inverse(&d, d.tail, h) * (a.tail + beyond(&d, &c, false) + d.tail * c.sum);
}

static double of_root(const hml_balls *b, double h) {
  normed a = normed_output(b, ARG, 0, h), s = normed_output(b, RESULT, 0, h);
  double R = bound_of_inverse(&s, 0, h), rho = a.tail + beyond(&s, &s, false);
  assert_true(R * R * rho <= 0.5 * (1 + 1e-6));                 // else there need be no such root
  normed da = normed_output(b, ARG, 1, h);
  check_rate(b, h, "derivative of a root", RESULT, da.tail / 2);
  return R * rho;
}

static double of_branch(const hml_balls *b, double h) {
  normed a = normed_output(b, ARG, 0, h);
  assert_true(a.sum - a.n[0] + a.tail <= a.n[0] * (1 + 1e-6));  // else the sign might change
  assert_bound("derivative of abs", h, mag_get_d(hml_balls__tail(b, RESULT, 1)), mag_get_d(hml_balls__tail(b, ARG, 1)));
  return a.tail;
}

static double of_product(const hml_balls *b, double h) {
  normed x = normed_output(b, ARG, 0, h), y = normed_output(b, OTHER, 0, h);
  check_chain(b, h, "derivative of a product", RESULT, 2, (const uint32_t[][2]){{ARG, OTHER}, {OTHER, ARG}});
  return part_of_product(&x, &y);
}

// The longest step proved from t = 0, x = 0.7, y = -0.4
static double proved_at_start(hml_context *c, hml_balls *b) {
  arb_ptr x = _arb_vec_init(4);
  arb_set_d(x, 0.7), arb_set_d(x + 1, -0.4), arb_set_d(x + 2, 1.5);
  assert_ok(c, hml_balls__expand(b, x + 3, x, x + 2));
  _arb_vec_clear(x, 4);
  double step = proved_step(b);
  assert_true(step > 0.1);
  return step;
}

// A shorter step, proved
static double next_step(hml_balls *b, double step) {
  mag_t h;
  mag_init(h);
  step = (double)(float)(0.75 * step);
  mag_set_d(h, step);
  assert_true(hml_balls__prove(b, h));
  mag_clear(h);
  return step;
}

static void check_table(hml_context *c, const char *const *outputs, table_row row) {
  const char *texts[OUTPUTS_OF_TABLE + 1] = {"y/20", "1/10 - x/20"};
  for (size_t i = 0; i < OUTPUTS_OF_TABLE - 1; i++) texts[ARG + i] = outputs[i] ? outputs[i] : "x";
  hml_program *p = compile(c, OUTPUTS_OF_TABLE + 1, texts);
  hml_balls *b = balls(c, p, (hml_balls_layout){.kin = 2, .bits = BITS, .directions = STATES, .direction = both}, LOW);
  double step = proved_at_start(c, b);
  for (int i = 0; i < 4; i++) {
    step = next_step(b, step);
    assert_bound(outputs[RESULT - ARG], step, mag_get_d(hml_balls__tail(b, RESULT, 0)), row(b, step));
  }
  hml_balls__free(b);
  hml_program_free(p);
}

static void bounds_are_those_of_the_table(void **state) {
  // orders beyond LOW come from t^11, which makes the tails of the operands large
  static const char *const arguments[] = {"x + 2*t*y + t^11/9", "1 + t/2 + t^11/900", "y - t^2 + t^11/3 + t^12"};
  // their exponentials are tiny, and change by many orders within a step
  static const char *const far[] = {"30*t + x - 200", "t^2 - 40*t - 300 + y*t", "20*t + t^11/900 - 150"};
  static const char *const dividers[] = {"2 + x*t/4 + t^11/400", "3 - t + t^11/20", "1 + t^2/5 + t^12/9"};
  for (size_t i = 0; i < 3; i++) {
    char f[6][120];
    const char *a = arguments[i], *d = dividers[i];
#define TEXT(k, ...) (snprintf(f[k], sizeof f[k], __VA_ARGS__), f[k])
    check_table(*state, (const char *[]){a, NULL, TEXT(0, "sin(%s)", a), TEXT(1, "cos(%s)", a), NULL}, of_sine);
    check_table(*state, (const char *[]){a, NULL, TEXT(0, "exp(%s)", a), NULL, NULL}, of_exponential);
    check_table(*state, (const char *[]){far[i], NULL, TEXT(0, "exp(%s)", far[i]), NULL, NULL}, of_exponential);
    check_table(*state, (const char *[]){d, TEXT(0, "1/(%s)", d), TEXT(1, "log(%s)", d), NULL, NULL}, of_logarithm);
    check_table(*state, (const char *[]){a, d, TEXT(0, "atan2(%s, %s)", a, d), TEXT(1, "(%s)/((%s)^2 + (%s)^2)", d, a, d), TEXT(2, "(%s)/((%s)^2 + (%s)^2)", a, a, d)}, of_angle);
    check_table(*state, (const char *[]){a, d, TEXT(0, "(%s)/(%s)", a, d), NULL, NULL}, of_quotient);
    check_table(*state, (const char *[]){d, NULL, TEXT(0, "sqrt(%s)", d), NULL, NULL}, of_root);
    check_table(*state, (const char *[]){a, d, TEXT(0, "(%s)*(%s)", a, d), NULL, NULL}, of_product);
    // the third divider is positive, and its own absolute value
    if (i < 2) check_table(*state, (const char *[]){d, NULL, TEXT(0, "abs(%s)", d), NULL, NULL}, of_branch);
#undef TEXT
  }
}

// The solve K z = s of two accelerations and m multipliers: outputs M11, M21, M22, A (m, 2), r (2), b (m)
enum { MOST_SOLVED = 4 };

// An entry of K = [M A^T; A 0], derived in direction d
static normed entry_of_matrix(const hml_balls *b, size_t i, size_t j, size_t d, double h) {
  if (i < 2 && j < 2) return normed_output(b, i + j, d, h);
  if (i >= 2 && j >= 2) return (normed){.sum = 0};
  return normed_output(b, i < 2 ? 3 + 2 * (j - 2) + i : 3 + 2 * (i - 2) + j, d, h);
}

// An unknown, without its tail
static normed solved(const hml_balls *b, size_t i, size_t d, double h) {
  normed z = {.sum = 0};
  arb_srcptr a = i < 2 ? hml_balls__state(b, i, d) + 1 : hml_balls__multiplier(b, i - 2, d);
  for (int k = LOW; k >= 0; k--) {
    z.n[k] = fabs(arf_get_d(arb_midref(a + k), ARF_RND_NEAR)) * (i < 2 ? k + 1 : 1) * pow(h, k);
    z.sum += z.n[k];
  }
  return z;
}

static void invert_start(size_t size, double a[MOST_SOLVED][MOST_SOLVED], double y[MOST_SOLVED][MOST_SOLVED]) {
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) y[i][j] = i == j;
  for (size_t c = 0; c < size; c++) {
    size_t pivot = c;
    for (size_t i = c + 1; i < size; i++)
      if (fabs(a[i][c]) > fabs(a[pivot][c])) pivot = i;
    for (size_t j = 0; j < size; j++) {
      double u = a[c][j], v = y[c][j];
      a[c][j] = a[pivot][j], a[pivot][j] = u, y[c][j] = y[pivot][j], y[pivot][j] = v;
    }
    double by = a[c][c];
    for (size_t j = 0; j < size; j++) a[c][j] /= by, y[c][j] /= by;
    for (size_t i = 0; i < size; i++) {
      double times = i == c ? 0 : a[i][c];
      for (size_t j = 0; j < size; j++) a[i][j] -= times * a[c][j], y[i][j] -= times * y[c][j];
    }
  }
}

// |Y| of the first orders of K^-1; the largest row sum of |1 - Y K|, and the row it is in
static double bound_of_matrix(const hml_balls *b, size_t size, double h, double (*all)[MOST_SOLVED], size_t *where) {
  enum { FIRST = 8 };
  double start[MOST_SOLVED][MOST_SOLVED], y[FIRST + 1][MOST_SOLVED][MOST_SOLVED], g = 0;
  normed K[MOST_SOLVED][MOST_SOLVED];
  for (size_t i = 0; i < size; i++)
    for (size_t j = 0; j < size; j++) K[i][j] = entry_of_matrix(b, i, j, 0, h), start[i][j] = K[i][j].first[0], all[i][j] = 0;
  invert_start(size, start, y[0]);
  for (size_t k = 0; k <= FIRST; k++)
    for (size_t i = 0; i < size; i++) {
      double row[MOST_SOLVED] = {0};
      for (size_t p = 1; p <= k; p++)
        for (size_t l = 0; l < size; l++)
          for (size_t j = 0; j < size; j++) row[j] -= y[k - p][i][l] * K[l][j].first[p];
      for (size_t j = 0; j < size; j++) {
        if (k > 0) y[k][i][j] = 0;
        for (size_t l = 0; k > 0 && l < size; l++) y[k][i][j] += row[l] * y[0][l][j];
        all[i][j] += fabs(y[k][i][j]) * pow(h, (double)k);
      }
    }
  for (size_t i = 0; i < size; i++) {
    double sum = 0;
    for (size_t l = 0; l < size; l++)
      for (size_t j = 0; j < size; j++) {
        for (size_t k = 0; k <= FIRST; k++)
          for (size_t p = FIRST + 1 - k; p <= LOW; p++) sum += fabs(y[k][i][l]) * pow(h, (double)k) * K[l][j].n[p];
        sum += all[i][l] * K[l][j].tail;
      }
    if (sum > g) g = sum, *where = i;
  }
  return g;
}

// K dz = ds - dK z: the tails of the accelerations, which the remainders of the states tell. largest: rows of the maxima
static void check_solve(const hml_balls *b, size_t m, double h, size_t *largest) {
  size_t size = 2 + m;
  double all[MOST_SOLVED][MOST_SOLVED], tails[MOST_SOLVED] = {0}, g = bound_of_matrix(b, size, h, all, largest);
  for (size_t d = 0; d <= STATES; d++) {
    double rho[MOST_SOLVED], y[MOST_SOLVED], most = 0;
    for (size_t i = 0; i < size; i++) {
      rho[i] = mag_get_d(hml_balls__tail(b, 3 + 2 * m + i, d));
      for (size_t j = 0; j < size; j++) {
        normed K = entry_of_matrix(b, i, j, 0, h), z = solved(b, j, d, h);
        rho[i] += beyond(&K, &z, false) + K.tail * z.sum;
        if (d == 0) continue;
        normed rate = entry_of_matrix(b, i, j, d, h), value = solved(b, j, 0, h);
        value.tail = tails[j];
        rho[i] += part_of_product(&rate, &value);
      }
    }
    for (size_t i = 0; i < size; i++) {
      y[i] = 0;
      for (size_t j = 0; j < size; j++) y[i] += all[i][j] * rho[j];
      if (y[i] > most) most = y[i], largest[1] = i;
    }
    for (size_t i = 0; i < size; i++) {
      double tail = y[i] + most * g / (1 - g);
      if (d == 0) tails[i] = tail;
      if (i < 2) assert_bound(d == 0 ? "acceleration" : "derivative of an acceleration", h, mag_get_d(hml_balls__remainder(b, i, d)) * (LOW + 2) / h, tail);
    }
  }
}

static void bounds_of_accelerations_are_those_of_the_table(void **state) {
  static const struct { size_t m, outputs; const char *texts[10]; } rows[] = {
      {0, 5, {"2 + x/4 + t^11/40", "y/5 + t/9", "5 + t^11/30", "1 + x*t + t^11/7", "x - y"}},
      {0, 5, {"5 + t/3 + t^12/30", "y/5 + t^11/90", "1 + x/7 + t^11/50", "x - y", "1 + x*t + t^11/7"}},
      {1, 8, {"2 + x/4 + t^11/40", "y/5", "3 + t/3", "1 + t^11/80", "x/3 + t/4", "x*y + t^11/9", "1 - t", "y + t^12/8"}},
      {1, 8, {"3 + t/3", "t^11/50", "1 + x/7", "x/3 + t/4", "1 - y/9", "x - y", "x*t + t^11/7", "y^2 + t^11/20"}},
      // no inertia along y
      {1, 8, {"1/8 + x/90", "0", "0", "x/3 + t^11/90", "6 + y/3", "y - t", "t^11/7", "x^2*y + t"}},
  };
  bool seen[2][2] = {{false, false}, {false, false}};                     // the maximum of `growth`, of `most`: not in the first row, not in the last
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    size_t m = rows[k].m, largest[2] = {0, 0};
    hml_program *p = compile(*state, rows[k].outputs, rows[k].texts);
    hml_balls_layout l = {.n = 2, .m = m, .mass = 0, .rows = 3, .r = 3 + 2 * m, .b = 5 + 2 * m, .bits = BITS, .directions = STATES, .direction = both};
    hml_balls *b = balls(*state, p, l, LOW);
    double step = proved_at_start(*state, b);
    for (int i = 0; i < 4; i++, step = next_step(b, step)) {
      check_solve(b, m, step, largest);
      for (int w = 0; w < 2; w++) {
        seen[w][0] = seen[w][0] || largest[w] > 0;
        seen[w][1] = seen[w][1] || largest[w] < 1 + m;
      }
    }
    hml_balls__free(b);
    hml_program_free(p);
  }
  for (int w = 0; w < 2; w++) assert_true(seen[w][0] && seen[w][1]);
}

// Long series of many bits go by blocks, those of fewer bits by plain dots: the same coefficients, to as many bits
static void check_blocks(hml_context *c, const char *const *texts, size_t outputs, hml_balls_layout l) {
  enum { LONG = 300, PLAIN = 780, BLOCKS = 900 };
  hml_program *p = compile(c, outputs, texts);
  assert_true(hml_relaxed__pays(LONG, BLOCKS) && !hml_relaxed__pays(LONG, PLAIN));
  l.bits = PLAIN;
  hml_balls *plain = balls(c, p, l, LONG);
  l.bits = BLOCKS;
  hml_balls *blocks = balls(c, p, l, LONG);
  arb_ptr x = _arb_vec_init(4), m = x + 2, t = x + 3;
  arb_set_d(t, 0.3), arb_set_d(x, 0.7), arb_set_d(x + 1, -0.4), arb_set_d(m, 1.5);
  for (int again = 0; again < 2; again++) {                       // blocks of the first series leave nothing behind
    arb_set_d(x, 0.7 + again / 8.0);
    assert_ok(c, hml_balls__expand(plain, t, x, m));
    assert_ok(c, hml_balls__expand(blocks, t, x, m));
    for (size_t i = 0; i < STATES; i++)
      for (slong k = 0; k <= LONG + 1; k++) {
        arb_srcptr a = hml_balls__state(plain, i, 0) + k, b = hml_balls__state(blocks, i, 0) + k;
        if (!arb_overlaps(a, b)) fail_msg("%s, order %ld: %s and %s", texts[0], k, arb_get_str(a, 30, 0), arb_get_str(b, 30, 0));
        mag_t twice;
        mag_init(twice);
        mag_mul_2exp_si(twice, arb_radref(a), 1);
        if (mag_cmp(arb_radref(b), twice) > 0) fail_msg("%s, order %ld: blocks lose bits: %s, %s", texts[0], k, arb_get_str(a, 300, 0), arb_get_str(b, 300, 0));
        mag_clear(twice);
      }
  }
  _arb_vec_clear(x, 4);
  hml_balls__free(plain), hml_balls__free(blocks);
  hml_program_free(p);
}

static void long_series_are_those_of_plain_dots(void **state) {
  static const char *const rows[] = {"x*y - t*x^2", "x/(2 + y)", "sqrt(2 + x*y)", "sin(x)*cos(y)", "exp(-x^2)", "atan2(x*y - 1/2, 2 + y)", "log(3 + x*y)", "asin(x/4)", "(2 + x)^y", "tan(y/2)"};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) check_blocks(*state, (const char *[]){rows[i], "x - sin(y)*m"}, 2, (hml_balls_layout){.kin = 2});
  const char *tied[] = {"2 + x^2", "cos(y)/3", "1 + t", "sin(x) + 2", "cos(y)", "x*y - t", "m*sin(x)", "x^2*y + t"};
  check_blocks(*state, tied, 8, (hml_balls_layout){.n = 2, .m = 1, .mass = 0, .rows = 3, .r = 5, .b = 7});
}

static void refuse(hml_context *c, const char *fx, double x, double y, const char *message) {
  const char *texts[] = {fx, "1"};
  hml_program *p = compile(c, 2, texts);
  hml_balls *b = balls(c, p, (hml_balls_layout){.kin = 2, .bits = BITS}, LOW);
  arb_ptr s = _arb_vec_init(4);
  arb_set_d(s, x), arb_set_d(s + 1, y);
  hml_status status = hml_balls__expand(b, s + 3, s, s + 3);
  if (status == HML_OK) assert_true(proved_step(b) < 1e-4);
  else if (!strstr(hml_context_error(c)->message, message)) fail_msg("%s: %s", fx, hml_context_error(c)->message);
  hml_context_clear_error(c);
  _arb_vec_clear(s, 4);
  hml_balls__free(b);
  hml_program_free(p);
}

static void places_without_a_series_are_refused(void **state) {
  refuse(*state, "1/x", 0, 0, "singular");
  refuse(*state, "sqrt(x)", 0, 0, "singular");
  refuse(*state, "log(x)", -1, 0, "singular");
  refuse(*state, "abs(x)", 0, 0, "not analytic");
  refuse(*state, "max(x, y)", 1, 1, "not analytic");
  refuse(*state, "asin(x)", 1, 0, "singular");
  refuse(*state, "atan2(y, x)", -1, 0, "singular");              // on the cut: its value jumps there
  refuse(*state, "atan2(y, x)", 0, 0, "singular");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(every_function_has_its_series),
      in_context(bounds_of_series_with_one_sign_hold),
      in_context(bounds_are_those_of_the_table),
      in_context(bounds_of_accelerations_are_those_of_the_table),
      in_context(instructions_have_their_series),
      in_context(accelerations_are_solved_for),
      in_context(long_series_are_those_of_plain_dots),
      in_context(places_without_a_series_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#else
static void without_arb(void **state) { (void)state, skip(); }

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(without_arb)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
