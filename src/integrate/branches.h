// branches.h: a function of a motion with corners, those of abs, min and max, as smooth formulas, its branches, on parts of a step
#ifndef HML_BRANCHES_H
#define HML_BRANCHES_H

#include "integrate/traced.h"

typedef struct hml_branches hml_branches;
enum { HML_MOST_CORNERS = 32, HML_MOST_OPEN = 4 };

// On a part: the signs of the arguments of the corners from its start on, and where these change; those that are not known
typedef struct hml_sides {
  bool known;                          // each argument has one zero at most, or is zero to rounding
  signed char sign[HML_MOST_CORNERS];
  double change[HML_MOST_CORNERS];     // the end of the part: nowhere
  size_t open[HML_MOST_OPEN], n_open;  // not known: these, if they are few; SIZE_MAX: they are many
} hml_sides;

// Of a program with inputs as in traced.h. *out is NULL where it has no corners, or more than HML_MOST_CORNERS
hml_status hml_branches__open(const hml_problem *problem, const hml_program *p, size_t states, size_t n_constants, hml_branches **out);
void hml_branches__close(hml_branches *b);
void hml_branches__begin(hml_branches *b, const double *constants, const double *errors);     // of the next motion. Both must remain
hml_status hml_branches__enter(hml_branches *b, const hml_step *s, const double *piece);      // the next step; NULL: nothing is done
hml_status hml_branches__sides(hml_branches *b, double from, double to, hml_sides *out);      // NULL: not known
// The next choice of signs of the open ones, after choices 0, 1, ...; false: there is none. All others stay
bool hml_branches__choose(hml_sides *sides, unsigned choice);

#endif
