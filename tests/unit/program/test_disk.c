// tests src/program/disk.c
#include "programs.h"

#include <complex.h>

enum { TURNS = 24, DISKS = 300 };

// The curve through three points, as a polynomial between the first two
static double table_id;

// Values of the function on complex arguments, from the branch that is real on the axis; of tables the cubic of the middle
static double complex on_disk(const char *name, double complex a, double complex b, double middle_a, double middle_b) {
  if (strcmp(name, "sin") == 0) return csin(a);
  if (strcmp(name, "cos") == 0) return ccos(a);
  if (strcmp(name, "tan") == 0) return ctan(a);
  if (strcmp(name, "asin") == 0) return casin(a);
  if (strcmp(name, "acos") == 0) return cacos(a);
  if (strcmp(name, "atan") == 0) return catan(a);
  if (strcmp(name, "atan2") == 0) {
    const double complex up = (b + I * a) / (middle_b + I * middle_a), down = (b - I * a) / (middle_b - I * middle_a);
    return atan2(middle_a, middle_b) - I * (clog(up) - clog(down)) / 2;
  }
  if (strcmp(name, "sinh") == 0) return csinh(a);
  if (strcmp(name, "cosh") == 0) return ccosh(a);
  if (strcmp(name, "tanh") == 0) return ctanh(a);
  if (strcmp(name, "asinh") == 0) return casinh(a);
  if (strcmp(name, "acosh") == 0) return cacosh(a);
  if (strcmp(name, "atanh") == 0) return catanh(a);
  if (strcmp(name, "exp") == 0) return cexp(a);
  if (strcmp(name, "log") == 0) return clog(a);
  if (strcmp(name, "abs") == 0) return middle_a < 0 ? -a : a;
  if (strcmp(name, "sign") == 0) return middle_a < 0 ? -1 : 1;
  if (strcmp(name, "min") == 0) return middle_a < middle_b ? a : b;
  if (strcmp(name, "max") == 0) return middle_a > middle_b ? a : b;
  double complex sum = 0, term = 1;
  const int order = strcmp(name, "tabled") == 0 ? 0 : strcmp(name, "tabled_rate") == 0 ? 1 : strcmp(name, "tabled_curve") == 0 ? 2 : 3;
  for (int k = order; k <= 3; k++) {
    sum += term * hml_tabled(table_id, middle_b, k);
    term *= (b - middle_b) / (k - order + 1);
  }
  return sum;
}

static double middle_within(uint64_t *seed, const char *name) {
  if (strcmp(name, "acosh") == 0) return draw_between(seed, 1, 5);
  if (strcmp(name, "log") == 0) return draw_between(seed, 0.01, 5);
  if (strcmp(name, "asin") == 0 || strcmp(name, "acos") == 0 || strcmp(name, "atanh") == 0) return draw_between(seed, -1, 1);
  return draw_between(seed, -4, 4);
}

// Values all round the disk lie within the reach, for every row of functions.def, and the reach is not many times what they reach
static void functions_stay_within_their_reach(void **state) {
  hml_context *c = *state;
  uint64_t seed = 7;
  hml_expr symbols[2] = {hml_symbol(c, "x", 0, 0), hml_symbol(c, "y", 0, 0)};
  double px[5] = {-5, -3, 0, 2, 5}, py[5] = {1, -2, 0.5, 3, -1};
  check_ok(hml_data_new(c, "measured", "cubic", 5, px, py, &table_id));
  for (int f = 0; f < HML_FUN_COUNT; f++) {
    const char *name = hml_function_name((hml_function)f);
    const bool table = strncmp(name, "tabled", 6) == 0;
    hml_expr arguments[2] = {table ? hml_integer(c, (int64_t)table_id) : symbols[0], symbols[1]};
    hml_expr e = hml_call(c, (hml_function)f, hml_function_arity((hml_function)f), arguments);
    hml_program *p;
    int known = 0, tight = 0;
    check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
    hml_disk *values = malloc((hml_program__values(p) + 1) * sizeof *values);
    assert_non_null(values);
    for (int k = 0; k < DISKS; k++) {
      const double widest = pow(10, -draw_between(&seed, 0, 3));
      const hml_disk in[2] = {{middle_within(&seed, name), draw_between(&seed, 0, widest)}, {middle_within(&seed, name), draw_between(&seed, 0, widest)}};
      hml_disk out;
      double terms, most = 0;
      if (!hml_program__disk(p, in, NULL, values, &out, &terms)) continue;
      known++;
      const double complex middle = on_disk(name, in[0].centre, in[1].centre, in[0].centre, in[1].centre);
      check_near(cimag(middle), 0, 1e-12);
      check_near(out.centre, creal(middle), 1e-12 * (1 + fabs(out.centre)));
      for (int i = 0; i < TURNS * TURNS; i++) {
        const double complex a = in[0].centre + in[0].reach * cexp(2 * I * acos(-1) * (i % TURNS) / TURNS);
        const double complex b = in[1].centre + in[1].reach * cexp(2 * I * acos(-1) * (i / TURNS) / TURNS);
        most = fmax(most, cabs(on_disk(name, a, b, in[0].centre, in[1].centre) - middle));
      }
      if (!(most <= out.reach * (1 + 1e-9) + 1e-12)) fail_msg("%s: %.17g is more than %.17g", name, most, out.reach);
      tight += out.reach <= 3 * most + 1e-12;
    }
    if (known < DISKS / 4 || tight < known / 2) fail_msg("%s: known on %d disks, tight on %d", name, known, tight);
    free(values);
    hml_program_free(p);
  }
}

// A formula whose arithmetic has all instructions: its bound holds, and is unknown once a divisor, a base or a corner may vanish
static void formulas_stay_within_their_reach(void **state) {
  hml_context *c = *state;
  uint64_t seed = 8;
  hml_expr x = hml_symbol(c, "x", 0, 0), y = hml_symbol(c, "y", 0, 0), symbols[2] = {x, y};
  hml_expr square = hml_pow(c, x, hml_integer(c, 2)), below = hml_add(c, square, hml_rational(c, 1, 100));
  hml_expr ratio = hml_mul(c, y, hml_pow(c, below, hml_integer(c, -1)));
  hml_expr e = hml_add(c, ratio, hml_pow(c, hml_add(c, hml_mul(c, x, y), hml_integer(c, 9)), hml_rational(c, 3, 2)));
  hml_program *p;
  int known = 0;
  check_ok(hml_program_new(c, 2, symbols, 1, &e, &p));
  hml_disk *values = malloc((hml_program__values(p) + 1) * sizeof *values);
  assert_non_null(values);
  for (int k = 0; k < DISKS; k++) {
    const double r = pow(10, -draw_between(&seed, 0, 3)), m = draw_between(&seed, -1, 1), n = draw_between(&seed, -1, 1);
    const hml_disk in[2] = {{m, r}, {n, 2 * r}};
    hml_disk out;
    double terms, most = 0;
    const bool found = hml_program__disk(p, in, NULL, values, &out, &terms);
    if (hypot(m, 0.1) < r) assert_false(found);                          // a pole at 0.1 i
    if (!found) continue;
    known++;
#define VALUE(x, y) ((y) / ((x) * (x) + 0.01) + cpow((x) * (y) + 9, 1.5))
    for (int i = 0; i < TURNS * TURNS; i++) {
      const double complex a = m + r * cexp(2 * I * acos(-1) * (i % TURNS) / TURNS), b = n + 2 * r * cexp(2 * I * acos(-1) * (i / TURNS) / TURNS);
      most = fmax(most, cabs(VALUE(a, b) - VALUE((double complex)m, (double complex)n)));
    }
#undef VALUE
    if (!(most <= out.reach * (1 + 1e-9))) fail_msg("%.17g is more than %.17g", most, out.reach);
  }
  assert_true(known > DISKS / 4);
  free(values);
  hml_program_free(p);
}

// Two large terms that cancel are reported: what is left is rounding
static void cancelled_terms_are_reported(void **state) {
  hml_context *c = *state;
  hml_expr x = hml_symbol(c, "x", 0, 0), symbols[1] = {x};
  hml_expr e = hml_add(c, x, hml_integer(c, -1000));
  hml_program *p;
  check_ok(hml_program_new(c, 1, symbols, 1, &e, &p));
  hml_disk *values = malloc((hml_program__values(p) + 1) * sizeof *values), in = {1000.5, 0.25}, out;
  double terms;
  assert_non_null(values);
  assert_true(hml_program__disk(p, &in, NULL, values, &out, &terms));
  check_near(out.centre, 0.5, 0);
  check_near(out.reach, 0.25, 0);
  check_near(terms, 1000.5, 0);
  free(values);
  hml_program_free(p);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      in_context(functions_stay_within_their_reach),
      in_context(formulas_stay_within_their_reach),
      in_context(cancelled_terms_are_reported),
  };
  return cmocka_run_group_tests_name("disk", tests, NULL, NULL);
}
