// modules.h: the library's Lua modules in compiled form, which load ten times as fast as their text.
//
// An archive holds the text and the compiled form of each module. The compiled form is taken only where the text equals the module's file
// byte for byte and the running Lua is the release that compiled it; otherwise the file is compiled as always. So an archive is never needed.
#ifndef HML_MODULES_H
#define HML_MODULES_H

#include <lua.h>

// From now on require takes hamel and hamel.* from the archive at this path where it can. No archive there, or no archive: nothing changes.
void hml_modules__use(lua_State *L, const char *path);

// Writes an archive of the n files folder/files[i], each named as require finds it: hamel/system/init.lua. What went wrong, a text on L's stack, or NULL.
const char *hml_modules__write(lua_State *L, const char *path, const char *folder, int n, char **files);

#endif
