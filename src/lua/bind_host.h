// bind_host.h: the interrupt flag of the process, which contexts poll, and who answers it.
#ifndef HML_BIND_HOST_H
#define HML_BIND_HOST_H

#include <lua.h>
#include <stdbool.h>

volatile int *hml_bind__interrupt_flag(void);
// Clears it, unless the host does so at the end of each block of code (the registry's "hamel.block_clears")
void hml_bind__forget_interrupt(lua_State *L);
bool hml_bind__held(lua_State *L);                // a call is underway that keeps its part: the flag alone stops it

#endif
