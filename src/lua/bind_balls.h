// bind_balls.h: balls on the stack of Lua.
#ifndef HML_BIND_BALLS_H
#define HML_BIND_BALLS_H

#include "bind.h"

#ifdef HAMEL_ARB

#define HML_BALL "hamel.ball"

int hml_bind__push_ball(lua_State *L, arb_srcptr x);
void hml_bind__push_balls(lua_State *L, arb_srcptr x, size_t n);
// A list of balls at a stack index as an array in a userdata that stays on the stack; the entries belong to the balls
arb_ptr hml_bind__to_balls(lua_State *L, int index, size_t *n);

void hml_bind__ball_systems(lua_State *L);       // bind_ball_systems.c

#endif
#endif
