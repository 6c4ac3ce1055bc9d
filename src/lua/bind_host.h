// bind_host.h: the interrupt flag of the process, which contexts poll, and the functions that handle it.
#ifndef HML_BIND_HOST_H
#define HML_BIND_HOST_H

#include "hamel.h"

#include <lua.h>
#include <stdbool.h>

volatile int *hml_bind__interrupt_flag(void);
// Stock Lua answers a signal by a hook, which no long call of ours would meet: contexts look for it. Not for hosts that set the flag themselves
void hml_bind__watch_host(lua_State *L, hml_context *c);
void hml_bind__host_sets_flag(void);
bool hml_bind__take_interrupt(lua_State *L);      // of the host, outside calls that keep their part: forgotten, since it is to be raised now
void hml_bind__interrupt_forgotten(void);
void hml_bind__look_at_host(lua_State *L);        // forgets an interrupt of the host that has been raised
bool hml_bind__is_interrupt(lua_Hook hook, int mask, int count);   // such a hook of stock Lua
bool hml_bind__raises_again(void);                // the host sets the flag itself, and its interrupts come again where a pcall may catch them
lua_State *hml_bind__main_thread(lua_State *L);
// Clears it, unless the host does so at the end of each block of code (the registry's "hamel.block_clears")
void hml_bind__forget_interrupt(lua_State *L);
bool hml_bind__held(lua_State *L);                // a call is underway that keeps its part: the flag alone stops it
const unsigned *hml_bind__holding_depth(lua_State *L);   // of such calls within each other

// To be called before an interrupt is raised: where a pcall or a coroutine may catch it, the hook comes again, each time after fewer instructions
void hml_bind__raise_again(lua_State *L, lua_Hook hook);
void hml_bind__begin_block(lua_State *L);         // nothing was caught yet
bool hml_bind__raise_pends(lua_State *L);         // an interrupt is raised when the statement is done
void hml_bind__raise_in(lua_State *L, lua_State *ended);   // the same where the coroutine that had to raise it has ended

#endif
