// circle.h: sines and cosines, within one unit in the last place, with the same bits on every machine, one at a time or several at once.
#ifndef HML_CIRCLE_H
#define HML_CIRCLE_H

#include <stddef.h>

typedef struct hml_circle { double sine, cosine; } hml_circle;

hml_circle hml_circle__of(double x);                                   // not numbers for what is not finite
double hml_sin(double x);
double hml_cos(double x);
void hml_circle__many(size_t n, const double *x, double *sines, double *cosines);

// The same as lines of C for exported programs: need math.h, stdbool.h and stdint.h, give hml_sin, hml_cos, and hml_circle_of for both; ended by NULL
extern const char *const hml_circle__text[];

// For machine code with AVX2. Of `count` = 2, 4 or 8 doubles in vector registers, one in each: their sines and cosines, as many of each
typedef void (*hml_circle_function)(void);
hml_circle_function hml_circle__of_registers(unsigned count);
// Of one vector of `lanes` = 4 (AVX2) or 8 (AVX-512) doubles
hml_circle_function hml_circle__of_vector(unsigned lanes);

#endif
