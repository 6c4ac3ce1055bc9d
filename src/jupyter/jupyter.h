// jupyter.h: the sockets of a Jupyter kernel, for Lua: messages in and out, signatures, the output of cells. Messages are read in lua/hamel/jupyter.
#ifndef HML_JUPYTER_H
#define HML_JUPYTER_H

#include <lua.h>

// Pushes the table { open(connection, info), next(milliseconds), parent(header), reply(message, type, content), publish(type, content),
// clear(bytes), flush(), ask(message, content), close(), program() }
void hml_jupyter__push(lua_State *L);

#endif
