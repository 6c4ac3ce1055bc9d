// bind.h: functions shared by the binding files: the context of a Lua state, expressions as userdata, statuses as Lua errors.
#ifndef HML_BIND_H
#define HML_BIND_H

#include "integrate/integrate.h"

#include <lauxlib.h>
#include <lua.h>

#define HML_EXPRESSION "hamel.expression"
#define HML_PROGRAM_TYPE "hamel.program"
#define HML_MODEL "hamel.model"
#define HML_WORKSPACE "hamel.workspace"
#define HML_TRAJECTORY "hamel.trajectory"
#define HML_HYBRID "hamel.hybrid"

// The name in a row of a list of hamel.h
#define HML_BIND_NAME(constant, name) name,

// The context of this Lua state; sweeps forgotten expressions when many were made. Call it once, on entry of a binding.
hml_context *hml_bind__context(lua_State *L);

// Collects unused Lua values, then the nodes that only they held; false inside a finalizer, where nothing may be swept.
bool hml_bind__sweep(lua_State *L, hml_context *c);

// Raises message with the position of the first level outside the library.
int hml_bind__error(lua_State *L, const char *format, ...);
// Is the function at this level one of the library's?
bool hml_bind__in_library(lua_State *L, lua_Debug *ar);
// Raises the context's failure as a Lua error unless status is HML_OK.
void hml_bind__check(lua_State *L, hml_context *c, hml_status status);
// The same for constructors: NULL is a failure. Pushes the expression otherwise.
int hml_bind__push(lua_State *L, hml_context *c, hml_expr e);
int hml_bind__push_text(lua_State *L, hml_context *c, char *text);   // and frees it; NULL raises the context's failure

hml_expr hml_bind__to_expr(lua_State *L, hml_context *c, int index);     // expression or number; raises otherwise
hml_expr hml_bind__test_expr(lua_State *L, int index);                   // NULL if it is no expression userdata
// A Lua list of expressions as an array in a userdata that stays on the stack (one value pushed)
hml_expr *hml_bind__to_list(lua_State *L, hml_context *c, int index, size_t *n);
double *hml_bind__to_doubles(lua_State *L, int index, size_t *n);        // the same for numbers
// The same; in `room`, and nothing on the stack, where there are no more than `most`
double *hml_bind__doubles_in(lua_State *L, int index, size_t *n, double *room, size_t most);
unsigned char *hml_bind__to_marks(lua_State *L, int index, size_t n);       // n booleans of the list: 1 where true
lua_Integer hml_bind__to_integer(lua_State *L, int index, const char *what, lua_Integer least, lua_Integer most);   // raises otherwise
size_t hml_bind__to_count(double x);                                     // 0 for nan and below, a large number for inf
hml_program *hml_bind__program(lua_State *L, int index);                 // raises where it is none
hml_program **hml_bind__new_program(lua_State *L);                       // pushes a userdata that frees what is put there; NULL at first
double hml_bind__number_field(lua_State *L, int index, const char *key, double otherwise);
void hml_bind__push_doubles(lua_State *L, const double *values, size_t n);
void hml_bind__new_class(lua_State *L, const char *name, const luaL_Reg *methods, lua_CFunction gc);   // gc NULL: none

void hml_bind_expr(lua_State *L);
void hml_bind_algebra(lua_State *L);
void hml_bind_program(lua_State *L);
void hml_bind_model(lua_State *L);
void hml_bind_rows(lua_State *L);
void hml_bind_run(lua_State *L);
void hml_bind_series(lua_State *L);    // after hml_bind_run
void hml_bind_balance(lua_State *L);
void hml_bind_hybrid(lua_State *L);
void hml_bind_host(lua_State *L);
void hml_bind_numeric(lua_State *L);
void hml_bind_data(lua_State *L);
void hml_bind_holes(lua_State *L);
void hml_bind_npz(lua_State *L);
void hml_bind_mpi(lua_State *L);
void hml_bind_sweep(lua_State *L);
void hml_bind_discrete(lua_State *L);
void hml_bind_residues(lua_State *L);
void hml_bind_spawn(lua_State *L);     // after hml_bind_host
void hml_bind_hold(lua_State *L);      // the same
void hml_bind_files(lua_State *L);     // the same
void hml_bind_balls(lua_State *L);

#endif
