/* sleigh: equations of motion, form 'lagrange'. Written by hamel 0.1.0.
   x[0] = x
   x[1] = y
   x[2] = theta
   x[3] = x'
   x[4] = y'
   x[5] = theta'
   p[0] = m, which must be given
   p[1] = I, which must be given
   p[2] = a, which must be given
   x' = f(t, x; p):
     int hamel_f(double t, const double *x, const double *p, double *f)
   gives 0, or 1 where the equations do not determine the accelerations (a pivot vanishes, something is not finite).
   p may be NULL: the values in hamel_parameter_value. No state is kept; threads may call it at once.

   Build:     cc -O2 -ffp-contract=off -c sleigh.c       (contraction of a*b + c would change the last bits)
   Try it:    cc -O2 -ffp-contract=off -DHAMEL_MAIN sleigh.c -lm -o try && ./try t x1 x2 ...
              prints f, one number a line, with 17 digits */
#include <math.h>
#include <stddef.h>

enum { HAMEL_STATES = 6, HAMEL_PARAMETERS = 3, HAMEL_INPUTS = 1 + 6 + HAMEL_PARAMETERS };

const char *const hamel_state_name[] = {"x", "y", "theta", "x'", "y'", "theta'"};
const char *const hamel_parameter_name[] = {"m", "I", "a"};
const double hamel_parameter_value[] = {NAN, NAN, NAN};

static void hamel_rate(const double *in, double *out, double *work) {
  (void)in;
  (void)work;
  double t1 = sin(in[3]);
  double t2 = cos(in[3]);
  double t3 = in[7]*in[9];
  double t4 = t1*t3;
  double t5 = t2*t3;
  double t6 = in[9]*in[9];
  double t7 = in[8] + in[7]*t6;
  double t8 = in[6]*in[6];
  double t9 = t2*t8;
  double t10 = t3*t9;
  double t11 = t1*t8;
  double t12 = t3*t11;
  double t13 = in[4]*t2;
  double t14 = t13 + in[5]*t1;
  double t15 = in[6]*t14;
  double t16 = in[7] + in[7];
  double t17 = t16 + 0.5*t7;
  double t18 = 0.33333333333333331*t17;
  double t19 = 1.0/in[7];
  double t20 = t4*t19;
  double t21 = t5*t19;
  double t22 = in[8] - 0.01*t7;
  double t23 = in[8] - 0.02*t18;
  double t24 = 1.0/in[8];
  double t25 = in[9]*t24;
  double t26 = t19 + in[9]*t25;
  double t27 = 1.0/t26;
  double t28 = t15*t27;
  double t29 = in[9]*t28;
  double t30 = -t29;
  double t31 = t24*t30;
  double t32 = t12 + t2*t28;
  double t33 = t19*t32;
  double t34 = t33 - t21*t31;
  double t35 = t10 - t1*t28;
  double t36 = t19*t35;
  double t37 = t36 + t20*t31;
  out[0] = in[4];
  out[1] = in[5];
  out[2] = in[6];
  out[3] = t37;
  out[4] = t34;
  out[5] = t31;
  out[6] = in[7];
  out[7] = in[7];
  out[8] = t22;
  out[9] = t23;
  out[10] = t26;
}

static void hamel_inputs(double t, const double *x, const double *p, double *in) {
  in[0] = t;
  for (int i = 0; i < 6; i++) in[1 + i] = x[i];
  for (int i = 0; i < HAMEL_PARAMETERS; i++) in[1 + 6 + i] = p ? p[i] : hamel_parameter_value[i];
}

static int hamel_not_finite(int n, const double *values) {
  int failed = 0;
  for (int i = 0; i < n; i++) failed |= !isfinite(values[i]);
  return failed;
}

int hamel_f(double t, const double *x, const double *p, double *f) {
  double in[HAMEL_INPUTS], out[HAMEL_STATES + 5 + 1];
  hamel_inputs(t, x, p, in);
  hamel_rate(in, out, NULL);
  for (int i = 0; i < HAMEL_STATES; i++) f[i] = out[i];
  int failed = hamel_not_finite(HAMEL_STATES, out);
  for (int i = 0; i < 5; i++) failed |= !(out[HAMEL_STATES + i] > 0);
  return failed;
}

#ifdef HAMEL_MAIN
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
  double x[HAMEL_STATES], f[HAMEL_STATES];
  if (argc != 2 + HAMEL_STATES) {
    fprintf(stderr, "usage: %s t", argv[0]);
    for (int i = 0; i < HAMEL_STATES; i++) fprintf(stderr, " \"%s\"", hamel_state_name[i]);
    fprintf(stderr, "\n");
    return 2;
  }
  for (int i = 0; i < HAMEL_STATES; i++) x[i] = atof(argv[2 + i]);
  int failed = hamel_f(atof(argv[1]), x, NULL, f);
  for (int i = 0; i < HAMEL_STATES; i++) printf("%.17g\n", f[i]);
  return failed;
}
#endif
