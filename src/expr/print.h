// print.h: the functions of a notation, called by the walk of print.c; text in print.c, TeX in latex.c.
#ifndef HML_PRINT_H
#define HML_PRINT_H

#include "expr_impl.h"

enum { DOTS = 4 };                                                   // derivatives written as dots or primes; higher ones by number

typedef struct notation {
  const char *times, *open, *close;                                  // between factors; brackets
  const char *fraction, *over, *fraction_end;                        // around a quotient; NULL fraction: a/b in one line
  const char *power, *power_end;                                     // around an exponent; text brackets it itself
  const char *root, *root_end, *pi;
  const char *part, *part_end, *where, *comma;                       // names of shared parts: part 1 part_end; in text the walk adds underscores
  void (*symbol)(hml_text *t, hml_expr e);
  void (*name)(hml_text *t, hml_function f);
  void (*function)(hml_text *t, const char *name);                   // known by name alone
} notation;

char *hml_expr__print(hml_context *c, hml_expr e, const notation *n);

#endif
