// output.h: all that cells publish, in the order of the program: captured standard output and errors, and messages. Safe for threads.
#ifndef HML_JUPYTER_OUTPUT_H
#define HML_JUPYTER_OUTPUT_H

#include "message.h"

#include <lua.h>
#include <stdbool.h>

// From here on print, io.write, io.stderr and children of the process write into messages; false: errno says why
bool hml_output__capture(lua_State *L, void *iopub);
void hml_output__release(lua_State *L);          // to here

bool hml_output__parent(hml_span header);        // output belongs to this request; false: out of memory
void hml_output__flush(bool whole);              // what was written; whole: also the beginning of a character
void hml_output__publish(const char *type, hml_span content);
// Takes away what is shown of this request, if that is these last bytes alone; they were written for the time of a computation
void hml_output__clear(size_t bytes);

#endif
