// read_fuzz.c: any bytes as a file that is read: CSV, .npz (as the archive and as an array in one), .hamel (as it is and with the checksum made
// right), rows of a sweep (likewise). Each gives a value that can be used, or one line that names the file; no crash, no hang, no message of Lua's own.
#include <lauxlib.h>
#include <lualib.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zip.h>

int luaopen_hamel_core(lua_State *L);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char code[] =
    "local hm, core, merge = require 'hamel', require 'hamel.core', require 'hamel.chart.merge'\n"
    "local folder = assert(core.host.private_folder())\n"
    "local S = hm.system 'sleigh'\n"
    "local x, y, theta = S:coordinates 'x y theta'\n"
    "local m, J = S:positive 'm=1 J=0.5'\n"
    "S:kinetic_energy(m/2*(x.dot^2 + y.dot^2) + J/2*theta.dot^2)\n"
    "S:constraint('blade', x.dot*hm.sin(theta) - y.dot*hm.cos(theta))\n"
    "local function repaired(bytes)\n"
    "  local ends = bytes:find('\\n\\n', 1, true)\n"
    "  local block = ends and bytes:match('^[^\\n]*\\n(.*)$', ends + 2)\n"
    "  if not block then return bytes end\n"
    "  local head = bytes:sub(1, ends + 1)\n"
    "  return head .. ('%d %s\\n'):format(#block, core.checksum(head .. block)) .. block\n"
    "end\n"
    "local function table_of(path)\n"
    "  local d = hm.read(path)\n"
    "  for _, name in ipairs(d.names) do assert(type(d[name]) == 'table' and d[name] ~= d.names) end\n"
    "  return d\n"
    "end\n"
    "local function recording(path)\n"
    "  local r = hm.load(path)\n"
    "  r:at(r.t[1])\n"
    "  return tostring(r)\n"
    "end\n"
    "local function rows(path)\n"
    "  merge.command{ path, '-o', folder .. '/all.csv' }\n"
    "  merge.command{ path, '-o', folder .. '/all.jsonl' }\n"
    "end\n"
    "local function run(path)\n"
    "  local r = hm.load(path, S)\n"
    "  return tostring(r), r:at(r.t[1], 'x', 'energy')\n"
    "end\n"
    "local function resealed(bytes)\n"
    "  return (bytes:gsub('[^\\n]+', function(line)\n"
    "    local text = (line:match '^(.*),\"checksum\":\"[^\"]*\"}$' or line:match '^(.*)}$' or line) .. '}'\n"
    "    return ('%s,\"checksum\":\"%s\"}'):format(text:sub(1, -2), core.checksum(text))\n"
    "  end))\n"
    "end\n"
    "local same = function(bytes) return bytes end\n"
    "local readers = { { '.csv', table_of, same }, { '.npz', table_of, same }, { '.npz', table_of, zip }, { '.hamel', recording, same },\n"
    "  { '.hamel', recording, repaired }, { '.hamel', run, repaired }, { '.jsonl', rows, same },\n"
    "  { '.jsonl', rows, resealed } }\n"
    "print = function() end\n"
    "at_end = setmetatable({}, { __gc = function()\n"
    "  for _, name in ipairs(core.host.list(folder) or {}) do os.remove(folder .. '/' .. name) end\n"
    "  os.remove(folder)\n"
    "end })\n"
    "local file\n"
    "local function read(reader) reader[2](file) end\n"
    "return function(bytes)\n"
    "  for i, reader in ipairs(readers) do\n"
    "    file = folder .. '/file' .. reader[1]\n"
    "    local out = assert(io.open(file, 'wb'))\n"
    "    out:write(reader[3](bytes))\n"
    "    out:close()\n"
    "    local fine, message = pcall(read, reader)\n"
    "    -- errors of the library point to the line of this text that called it, others to the library's own\n"
    "    message = tostring(message)\n"
    "    local ours = message:find '^fuzz:%d+: ' and not message:find '\\n' and not message:find 'attempt to' and not message:find 'bad argument'\n"
    "    local named = reader[2] == run or message:find(file, 1, true)\n"
    "    if not fine and not (ours and named) then error(('reader %d: %s'):format(i, message), 0) end\n"
    "    assert(os.remove(file))\n"
    "  end\n"
    "end\n";

// zip(bytes) -> an archive that holds them as one array
static int zip(lua_State *L) {
  size_t size;
  const char *bytes = luaL_checklstring(L, 1, &size);
  zip_source_t *whole = zip_source_buffer_create(NULL, 0, 0, NULL);
  zip_source_keep(whole);
  zip_t *z = zip_open_from_source(whole, ZIP_TRUNCATE, NULL);
  if (!z) abort();
  if (zip_file_add(z, "a.npy", zip_source_buffer(z, bytes, size, 0), 0) < 0 || zip_close(z) < 0) abort();
  zip_source_open(whole);
  zip_source_seek(whole, 0, SEEK_END);
  size_t length = (size_t)zip_source_tell(whole);
  zip_source_seek(whole, 0, SEEK_SET);
  char *out = malloc(length + 1);
  if (!out || zip_source_read(whole, out, length) != (zip_int64_t)length) abort();
  zip_source_close(whole);
  zip_source_free(whole);
  lua_pushlstring(L, out, length);
  free(out);
  return 1;
}

static lua_State *start(void) {
  lua_State *L = luaL_newstate();
  if (!L) abort();
  luaL_openlibs(L);
  lua_register(L, "zip", zip);
  luaL_requiref(L, "hamel.core", luaopen_hamel_core, 0);
  lua_settop(L, 0);
  lua_getglobal(L, "package");
  lua_pushliteral(L, HAMEL_SOURCE_LUA "/?.lua;" HAMEL_SOURCE_LUA "/?/init.lua");
  lua_setfield(L, -2, "path");
  lua_settop(L, 0);
  if (luaL_loadbuffer(L, code, sizeof code - 1, "=fuzz") != LUA_OK || lua_pcall(L, 0, 1, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  return L;
}

static lua_State *fuzzed;

static void finish(void) {
  lua_close(fuzzed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  if (!fuzzed) {
    fuzzed = start();
    atexit(finish);
  }
  lua_State *L = fuzzed;
  lua_pushvalue(L, 1);
  lua_pushlstring(L, (const char *)data, size);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) {
    fprintf(stderr, "%s\n", lua_tostring(L, -1));
    abort();
  }
  return 0;
}
