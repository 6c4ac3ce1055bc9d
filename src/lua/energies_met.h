// energies_met.h: the energies that a run meets. The balance of a run is compared with those that a constant of the potential
// energy does not change.
#ifndef HML_ENERGIES_MET_H
#define HML_ENERGIES_MET_H

#include <lua.h>
#include <stdbool.h>

typedef struct hml_energies_met {
  bool any;
  double kinetic[2], potential[2], work[2], net[2]; // least and largest; net: potential energy less work
  double first, gross;                              // potential energy of the first state; the largest size of any energy or work
} hml_energies_met;

void hml_energies_met__add(hml_energies_met *m, double energy, double kinetic, double work);
double hml_energies_met__exchanged(const hml_energies_met *m);
double hml_energies_met__turned_over(const hml_energies_met *m);
double hml_energies_met__size(const hml_energies_met *m);
double hml_energies_met__rounding(const hml_energies_met *m);

// A table keeps them from one call to the next, with these fields: exchanged, motion, size, states, rounding; drop: by how much
// the potential energy falls below the first one
void hml_energies_met__read(lua_State *L, int index, hml_energies_met *m);
void hml_energies_met__write(lua_State *L, int index, hml_energies_met *m);

#endif
