// tests src/numeric/circle.c: quadruple precision, published digits, and the functions for several numbers against that for one.
#include "numeric/circle.h"
#include "support.h"

#include <math.h>
#include <stdint.h>
#include <string.h>
#ifdef HAMEL_QUADMATH
#include <quadmath.h>
#endif

static bool same_bits(double x, double y) {
  return memcmp(&x, &y, sizeof x) == 0;
}

static uint64_t draw(uint64_t *dice) {
  *dice ^= *dice << 13, *dice ^= *dice >> 7, *dice ^= *dice << 17;
  return *dice;
}

// Of all kinds: angles as they occur, near multiples of pi/2, of any size, of any bits
static double argument(uint64_t *dice) {
  const uint64_t word = draw(dice);
  const double unit = (double)(int64_t)word * 0x1p-63;
  double x;
  switch (draw(dice) % 6) {
    case 0: return 4 * unit;
    case 1: return ldexp(unit, (int)(draw(dice) % 24));
    case 2: x = (double)(draw(dice) % (UINT64_C(1) << draw(dice) % 24)) * 1.5707963267948966; break;
    case 3: return ldexp(unit, (int)(draw(dice) % 1020));
    case 4: return ldexp(unit, -(int)(draw(dice) % 1080));
    default: memcpy(&x, &word, sizeof x); return x;
  }
  for (uint64_t steps = draw(dice) % 3; steps > 0; steps--) x = nextafter(x, word & 1 ? INFINITY : 0);
  return word & 2 ? -x : x;
}

#ifdef HAMEL_QUADMATH
// In units in the last place of the true value, which below the normal numbers are all the same
static double error_of(double got, __float128 wanted) {
  int exponent;
  (void)frexpq(wanted, &exponent);
  return (double)(fabsq(got - wanted) / ldexpq(1, exponent - 53 < -1074 ? -1074 : exponent - 53));
}

// Reduced once more in 113 bits, libquadmath's own arguments are exact
static void errors_are_below_one_unit_in_the_last_place(void **state) {
  (void)state;
  uint64_t dice = 20261126;
  double worst = 0;
  for (int k = 0; k < 1000000; k++) {
    const double x = argument(&dice);
    if (!isfinite(x)) continue;
    const hml_circle p = hml_circle__of(x);
    const double sine = error_of(p.sine, sinq(x)), cosine = error_of(p.cosine, cosq(x));
    if (!(sine < 0.85 && cosine < 0.85)) fail_msg("%a: errors of %.3g and %.3g units", x, sine, cosine);
    worst = fmax(worst, fmax(sine, cosine));
  }
  assert_true(worst > 0.5);              // the measure sees roundings
}
#endif

// Arbiter: 40 digits by mpmath. 6381956970095103 2^797 is the double nearest to a multiple of pi/2
static void hard_arguments_have_their_published_digits(void **state) {
  (void)state;
  static const double rows[][3] = {
    // clang-format off
    {0x1.86a0000000000p+16, 0x1.24daa9c527e96p-5, -0x1.ffac3841b3da7p-1},
    {0x1.2a05f20000000p+33, -0x1.f334c7896a4e3p-2, 0x1.bf098901c931ap-1},
    {0x1.0f0cf064dd592p+73, -0x1.b453ab76bf397p-1, 0x1.0be2cef01c8f4p-1},
    {0x1.921fb54442d18p+1, 0x1.1a62633145c07p-53, -0x1.0000000000000p+0},
    {0x1.921fb54442d18p+0, 0x1.0000000000000p+0, 0x1.1a62633145c07p-54},
    {-0x1.2d97c7f3321d2p+2, 0x1.0000000000000p+0, -0x1.a79394c9e8a0ap-53},
    {0x1.1475cc9eedf00p+5, 0x1.6111d218effa2p-48, -0x1.0000000000000p+0},
    {0x1.e848000000000p+19, -0x1.6664b2568d867p-2, 0x1.df9df9906d32cp-1},
    {0x1.0000080000000p+20, 0x1.7c2bb1d7c0924p-1, 0x1.56f3082d8f8a6p-1},
    {0x1.0000000000000p+1023, 0x1.205248cbdb760p-1, -0x1.a719f26c232bfp-1},
    {0x1.fffffffffffffp+1023, 0x1.452fc98b34e97p-8, -0x1.fffe62ecfab75p-1},
    {0x1.6ac5b262ca1ffp+849, 0x1.0000000000000p+0, -0x1.14ae72e6ba22fp-61},
    {0x1.4000000000000p+2, -0x1.eaf81f5e09933p-1, 0x1.22785706b4ad9p-2},
    {0x1.921fb54442d15p-1, 0x1.6a09e667f3bcap-1, 0x1.6a09e667f3bcfp-1},
    {0x1.6300000000000p+8, -0x1.f9bd0307d1de3p-16, -0x1.fffffffc18e4cp-1},
    {0x1.6300000000000p+9, 0x1.f9bd0303f6fafp-15, 0x1.fffffff063930p-1},
    {-0x1.56e1fc2f8f359p-997, -0x1.56e1fc2f8f359p-997, 0x1.0000000000000p+0},
    // clang-format on
  };
  for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    const hml_circle p = hml_circle__of(rows[k][0]);
    assert_near(p.sine, rows[k][1], 2.3e-16 * fabs(rows[k][1]));
    assert_near(p.cosine, rows[k][2], 2.3e-16 * fabs(rows[k][2]));
  }
}

static void signs_and_what_is_not_finite(void **state) {
  (void)state;
  assert_true(same_bits(hml_sin(0.0), 0.0) && same_bits(hml_sin(-0.0), -0.0) && hml_cos(-0.0) == 1);
  assert_true(same_bits(hml_sin(5e-324), 5e-324) && same_bits(hml_sin(-5e-324), -5e-324));
  const double none[] = {INFINITY, -INFINITY, NAN, -NAN, 1, 2, NAN, 3};
  double sines[8], cosines[8];
  hml_circle__many(8, none, sines, cosines);
  for (int k = 0; k < 8; k++) {
    const hml_circle p = hml_circle__of(none[k]);
    const bool finite = isfinite(none[k]);
    assert_true(finite == !isnan(p.sine) && finite == !isnan(p.cosine) && finite == !isnan(sines[k]) && finite == !isnan(cosines[k]));
  }
  uint64_t dice = 5;
  for (int k = 0; k < 100000; k++) {
    const double x = argument(&dice);
    if (isnan(x) || isinf(x)) continue;
    assert_true(same_bits(hml_sin(-x), -hml_sin(x)) && same_bits(hml_cos(-x), hml_cos(x)));
  }
}

static void compare(size_t n, const double *x, const double *sines, const double *cosines) {
  for (size_t k = 0; k < n; k++) {
    if (!isfinite(x[k])) continue;
    if (!same_bits(sines[k], hml_sin(x[k])) || !same_bits(cosines[k], hml_cos(x[k]))) fail_msg("%a, one of %zu: other bits than alone", x[k], n);
  }
}

typedef void (*of_two)(double, double, double *, double *);
typedef void (*of_four)(double, double, double, double, double *, double *);
typedef void (*of_eight)(double, double, double, double, double, double, double, double, double *, double *);

static void several_numbers_have_the_bits_of_each_alone(void **state) {
  (void)state;
  uint64_t dice = 77;
#if defined __x86_64__ && defined __GNUC__
  const bool registers = __builtin_cpu_supports("avx2");
#else
  const bool registers = false;
#endif
  for (int k = 0; k < 100000; k++) {
    double x[19], sines[19], cosines[19];
    for (int i = 0; i < 19; i++) x[i] = argument(&dice);
    const size_t n = draw(&dice) % 20;
    hml_circle__many(n, x, sines, cosines);
    compare(n, x, sines, cosines);
    if (!registers) continue;
    ((of_two)hml_circle__of_registers(2))(x[0], x[1], sines, cosines);
    compare(2, x, sines, cosines);
    ((of_four)hml_circle__of_registers(4))(x[0], x[1], x[2], x[3], sines, cosines);
    compare(4, x, sines, cosines);
    ((of_eight)hml_circle__of_registers(8))(x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7], sines, cosines);
    compare(8, x, sines, cosines);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
#ifdef HAMEL_QUADMATH
    cmocka_unit_test(errors_are_below_one_unit_in_the_last_place),
#endif
    cmocka_unit_test(hard_arguments_have_their_published_digits),
    cmocka_unit_test(signs_and_what_is_not_finite),
    cmocka_unit_test(several_numbers_have_the_bits_of_each_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
