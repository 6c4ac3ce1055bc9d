// bind_model.h: a workspace as userdata, shared with the binding of runs.
#ifndef HML_BIND_MODEL_H
#define HML_BIND_MODEL_H

#include "bind.h"

typedef struct hml_bind_workspace {
  hml_workspace *w;
  lua_State *L;                        // the state (coroutine) that runs now: forces are called on it
  hml_context *context;
  size_t n, n_externals, n_dyn, n_multipliers, n_positions, n_velocities;   // the last two: residuals of constraints
  bool calls;                          // the user's function runs: the workspace holds a half-done evaluation
  int force, error, state;             // references: the user's function, its error object, the table it is given
} hml_bind_workspace;

hml_model *hml_bind__model(lua_State *L, int index);
hml_bind_workspace *hml_bind__workspace(lua_State *L, int index);
hml_hybrid *hml_bind__hybrid(lua_State *L, int index, size_t *solution);   // solution: accelerations, multipliers, reactions
const hml_hybrid_shape *hml_bind__hybrid_shape(lua_State *L, int index, size_t *solution);
// Raises the user's own error object where a force failed, the context's failure otherwise.
void hml_bind__check_run(lua_State *L, hml_bind_workspace *slot, hml_status status);


// A failure inside the user's function is kept as it is and raised again outside of the numerics; the error object is on the stack
hml_status hml_bind__call_failed(hml_bind_workspace *slot);
// Pushes the table of the state, filled with x
void hml_bind__push_state(hml_bind_workspace *slot, const double *x);

// Fields of the table at `index`; their values stay on the stack
hml_expr *hml_bind__field_list(lua_State *L, hml_context *c, int index, const char *key, size_t *n);
hml_expr hml_bind__field_expr(lua_State *L, hml_context *c, int index, const char *key);
void hml_bind__demand(lua_State *L, const char *key, size_t n, size_t expected);
hml_run_options hml_bind__run_options(lua_State *L, int index);          // method stays in the table
// Puts the trajectory and the outcome into the table at `into`, around a run
hml_trajectory **hml_bind__new_trajectory(lua_State *L, int into);
hml_trajectory **hml_bind__continued(lua_State *L, int into, bool on, hml_run_options *o);   // the one in into.raw where `on`, else a new one
void hml_bind__set_outcome(lua_State *L, hml_bind_workspace *w, int into, const hml_outcome *outcome);

#endif
