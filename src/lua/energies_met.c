// energies_met.c: see energies_met.h.
#include "energies_met.h"

#include <float.h>
#include <math.h>

#define ROUNDING (64 * DBL_EPSILON) // of the largest energy or work: what rounding changes of a balance

static void widen(bool any, double range[2], double value) {
  range[0] = any ? fmin(range[0], value) : value;
  range[1] = any ? fmax(range[1], value) : value;
}

void hml_energies_met__add(hml_energies_met *m, double energy, double kinetic, double work) {
  const double potential = energy - kinetic;
  if (!m->any) m->first = potential;
  widen(m->any, m->kinetic, kinetic);
  widen(m->any, m->potential, potential);
  widen(m->any, m->work, work);
  widen(m->any, m->net, potential - work);
  m->gross = fmax(m->gross, fmax(fmax(fabs(kinetic), fabs(energy)), fmax(fabs(work), fabs(potential))));
  m->any = true;
}

static double range_of(const double range[2]) { return range[1] - range[0]; }

// The kinetic energy that the motion takes up and gives back: what is missing counts beside that
double hml_energies_met__exchanged(const hml_energies_met *m) { return range_of(m->kinetic); }

// The energy of the motion: the largest kinetic energy, or what the potential energy changes without work where that is larger,
// as errors that drive the motion do
static double of_motion(const hml_energies_met *m) {
  return fmax(fmax(fabs(m->kinetic[0]), fabs(m->kinetic[1])), range_of(m->net));
}

// The same or, where that is larger, what work puts into the potential energy, as of a weight that is lifted slowly
double hml_energies_met__size(const hml_energies_met *m) { return fmax(of_motion(m), fmin(range_of(m->potential), range_of(m->work))); }

// What is exchanged between the kinetic energy and others or, where that is larger, between work and the potential energy
double hml_energies_met__turned_over(const hml_energies_met *m) {
  return fmax(range_of(m->kinetic), fmin(range_of(m->potential), range_of(m->work)));
}

// The energy of the motion from states alone: the work may be far too large
static double of_states(const hml_energies_met *m) {
  return fmax(fmax(fabs(m->kinetic[0]), fabs(m->kinetic[1])), range_of(m->potential));
}

double hml_energies_met__rounding(const hml_energies_met *m) { return ROUNDING * m->gross; }

enum { KEPT = 10 };

// The numbers of which the sums are made, by their order in a table
static void places(hml_energies_met *m, double *list[KEPT]) {
  double(*const ranges[])[2] = {&m->kinetic, &m->potential, &m->work, &m->net};
  for (int i = 0; i < 8; i++) list[i] = &(*ranges[i / 2])[i % 2];
  list[8] = &m->first;
  list[9] = &m->gross;
}

void hml_energies_met__read(lua_State *L, int index, hml_energies_met *m) {
  double *list[KEPT];
  places(m, list);
  for (int i = 0; i < KEPT; i++) {
    m->any = lua_rawgeti(L, index, i + 1) == LUA_TNUMBER;
    *list[i] = lua_tonumber(L, -1);
    lua_pop(L, 1);
  }
}

void hml_energies_met__write(lua_State *L, int index, hml_energies_met *m) {
  static const char *const names[] = {"exchanged", "motion", "size", "states", "rounding", "drop"};
  const double sums[] = {hml_energies_met__exchanged(m), of_motion(m), hml_energies_met__size(m), of_states(m), hml_energies_met__rounding(m),
                         m->first - m->potential[0]};
  double *list[KEPT];
  places(m, list);
  for (int i = 0; i < KEPT; i++) {
    lua_pushnumber(L, *list[i]);
    lua_rawseti(L, index, i + 1);
  }
  for (int i = 0; i < 6; i++) {
    lua_pushnumber(L, sums[i]);
    lua_setfield(L, index, names[i]);
  }
}
