// bind_series.h: blocks of doubles that hold series over runs.
#ifndef HML_BIND_SERIES_H
#define HML_BIND_SERIES_H

#include "integrate/integrate.h"

#include <lua.h>

#define HML_BLOCK "hamel.block"

const hml_trajectory *hml_bind__trajectory(lua_State *L, int index);
const double *hml_bind__block(lua_State *L, int index, size_t *rows, size_t *columns);   // column by column; NULL: it is none

#endif
