// bind_model.h: a workspace as userdata, shared with the binding of runs.
#ifndef HML_BIND_MODEL_H
#define HML_BIND_MODEL_H

#include "bind.h"

typedef struct hml_bind_workspace {
  hml_workspace *w;
  lua_State *L;                        // the state (coroutine) that runs now: forces are called on it
  hml_context *context;
  size_t n, n_externals;
  bool calls;                          // the user's function runs: the workspace holds a half-done evaluation
  int force, error, state;             // references: the user's function, its error object, the table it is given
} hml_bind_workspace;

hml_bind_workspace *hml_bind__workspace(lua_State *L, int index);
// Raises the user's own error object where a force failed, the context's failure otherwise.
void hml_bind__check_run(lua_State *L, hml_bind_workspace *slot, hml_status status);

#endif
