// modules.c: archives of compiled Lua modules: written at build time, looked into by require.
#include "modules.h"

#include <lauxlib.h>

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// An archive: head, lua_ident with its 0, then entries: three lengths as uint64_t of this machine, then file name, text, compiled form.
// Compiled forms carry the source name SOURCE at SOURCE_AT; it is replaced by the file's own name when a module is loaded (lundump.c, Lua 5.4:
// a head of 31 bytes, the number of upvalues, then the name of the source with its length + 1 in groups of seven bits, the last with its top bit set).
static const char head[] = "Hamel modules 1\n", SOURCE[] = "@m";
enum { SOURCE_AT = 32, N_LENGTHS = 3, MODULE_NAME = 200 };

#pragma weak lua_ident                   // a host may keep it to itself: then no archive is taken

typedef struct bytes {
  const char *start;
  size_t size;
} bytes;

typedef struct entry {
  bytes name, text, code;
} entry;

static const char archive_class[] = "hamel.modules";

// Takes n bytes from the front
static bool take(bytes *rest, uint64_t n, bytes *piece) {
  if (n > rest->size) return false;
  *piece = (bytes){rest->start, (size_t)n};
  rest->start += n;
  rest->size -= (size_t)n;
  return true;
}

static bool take_entry(bytes *rest, entry *e) {
  bytes lengths;
  uint64_t n[N_LENGTHS];
  if (!take(rest, sizeof n, &lengths)) return false;
  memcpy(n, lengths.start, sizeof n);
  return take(rest, n[0], &e->name) && take(rest, n[1], &e->text) && take(rest, n[2], &e->code);
}

static bool take_head(bytes *rest) {
  if (!lua_ident) return false;
  size_t n = sizeof head - 1 + strlen(lua_ident) + 1;
  bytes first;
  return take(rest, n, &first) && memcmp(first.start, head, sizeof head - 1) == 0 && memcmp(first.start + sizeof head - 1, lua_ident, strlen(lua_ident) + 1) == 0;
}

static bool same(bytes a, const char *start, size_t size) { return a.size == size && memcmp(a.start, start, size) == 0; }

// The compiled form of the file of this name with this text; start is NULL where there is none
static bytes find(bytes rest, const char *name, bytes text) {
  entry e;
  if (!take_head(&rest)) return (bytes){NULL, 0};
  while (take_entry(&rest, &e))
    if (same(e.name, name, strlen(name))) return same(text, e.text.start, e.text.size) ? e.code : (bytes){NULL, 0};
  return (bytes){NULL, 0};
}

// ---- loading

static bytes map(const char *path) {
  struct stat s;
  bytes b = {NULL, 0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return b;
  if (fstat(file, &s) == 0 && S_ISREG(s.st_mode) && s.st_size > 0) {
    void *start = mmap(NULL, (size_t)s.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (start != MAP_FAILED) b = (bytes){start, (size_t)s.st_size};
  }
  close(file);
  return b;
}

static void unmap(bytes b) {
  if (b.start) munmap((void *)(uintptr_t)b.start, b.size);
}

static int release(lua_State *L) {
  bytes *archive = luaL_checkudata(L, 1, archive_class);
  unmap(*archive);
  archive->start = NULL;
  return 0;
}

// Gives the compiled form in pieces, with the file's own name as its source
typedef struct pieces {
  bytes piece[4];
  int next;
} pieces;

static const char *give(lua_State *L, void *payload, size_t *size) {
  (void)L;
  pieces *p = payload;
  if (p->next >= 4) return *size = 0, NULL;
  bytes b = p->piece[p->next++];
  *size = b.size;
  return b.start;
}

// The length of a text as Lua writes it; returns how many of the last bytes of `group` it takes
static size_t length_groups(size_t length, unsigned char group[10]) {
  size_t n = 0;
  length++;
  do {
    group[9 - n++] = (unsigned char)(length & 0x7f);
    length >>= 7;
  } while (length > 0);
  group[9] |= 0x80;
  return n;
}

static bool has_source(bytes code) {
  unsigned char group[10];
  size_t length = sizeof SOURCE - 1, n = length_groups(length, group);
  return code.size > SOURCE_AT + n + length && memcmp(code.start + SOURCE_AT, group + 10 - n, n) == 0 && memcmp(code.start + SOURCE_AT + n, SOURCE, length) == 0;
}

static int load_compiled(lua_State *L, bytes code, const char *source) {
  unsigned char group[10];
  size_t length = strlen(source), n = length_groups(length, group), after = SOURCE_AT + 1 + sizeof SOURCE - 1;
  pieces p = {{{code.start, SOURCE_AT}, {(const char *)group + 10 - n, n}, {source, length}, {code.start + after, code.size - after}}, 0};
  return lua_load(L, give, &p, source, "b");
}

// Pushes the function of a module's file and its name, or raises what require says of a file that does not compile
static int load_file(lua_State *L, bytes archive, const char *module, const char *path, const char *name) {
  bytes text = map(path);
  bytes code = text.start ? find(archive, name, text) : text;
  unmap(text);
  int status = LUA_OK;
  const char *source = lua_pushfstring(L, "@%s", path);
  if (code.start && has_source(code)) status = load_compiled(L, code, source);
  else status = luaL_loadfilex(L, path, NULL);
  if (status != LUA_OK) return luaL_error(L, "error loading module '%s' from file '%s':\n\t%s", module, path, lua_tostring(L, -1));
  lua_pushstring(L, path);
  return 2;
}

// A searcher of require; upvalues: the archive, package
static int search(lua_State *L) {
  const char *module = luaL_checkstring(L, 1);
  if (strncmp(module, "hamel", 5) != 0 || (module[5] && module[5] != '.')) return 0;
  bytes *archive = lua_touserdata(L, lua_upvalueindex(1));
  lua_getfield(L, lua_upvalueindex(2), "searchpath");
  lua_pushvalue(L, 1);
  lua_getfield(L, lua_upvalueindex(2), "path");
  if (!lua_isfunction(L, -3) || !lua_isstring(L, -1) || !archive->start) return 0;
  lua_call(L, 2, 1);
  const char *path = lua_tostring(L, -1);
  if (!path) return 0;                   // the next searchers say where they looked
  // hamel.system.units: hamel/system/units.lua or hamel/system/units/init.lua, the end of the path
  char name[MODULE_NAME];
  int n = snprintf(name, sizeof name, "%s", module);
  if (n < 0 || n + 10 >= MODULE_NAME) return 0;
  for (char *c = name; *c; c++)
    if (*c == '.') *c = '/';
  size_t length = strlen(path);
  static const char init[] = "/init.lua";
  bool folder = length >= sizeof init - 1 && strcmp(path + length - (sizeof init - 1), init) == 0;
  snprintf(name + n, sizeof name - (size_t)n, "%s", folder ? init : ".lua");
  return load_file(L, *archive, module, path, name);
}

void hml_modules__use(lua_State *L, const char *path) {
  bytes mapped = map(path), rest = mapped;
  if (!mapped.start || !take_head(&rest)) {
    unmap(mapped);
    return;
  }
  int top = lua_gettop(L);
  lua_getglobal(L, "package");
  lua_getfield(L, -1, "searchers");
  bytes *archive = lua_newuserdatauv(L, sizeof *archive, 0);
  *archive = mapped;
  if (luaL_newmetatable(L, archive_class)) {
    lua_pushcfunction(L, release);
    lua_setfield(L, -2, "__gc");
  }
  lua_setmetatable(L, -2);
  lua_pushvalue(L, top + 1);
  lua_pushcclosure(L, search, 2);
  // before the searcher of Lua files, behind that of preloaded modules
  for (lua_Integer i = luaL_len(L, top + 2); i >= 2; i--) {
    lua_geti(L, top + 2, i);
    lua_seti(L, top + 2, i + 1);
  }
  lua_seti(L, top + 2, 2);
  lua_settop(L, top);
}

// ---- writing

static int add_to_file(lua_State *L, const void *piece, size_t size, void *file) {
  (void)L;
  return fwrite(piece, 1, size, file) != size;
}

static bool write_entry(FILE *out, const char *name, bytes text, bytes code) {
  uint64_t n[N_LENGTHS] = {strlen(name), text.size, code.size};
  return fwrite(n, sizeof n, 1, out) == 1 && fwrite(name, 1, n[0], out) == n[0] && fwrite(text.start, 1, n[1], out) == n[1] &&
         fwrite(code.start, 1, n[2], out) == n[2];
}

// Compiles a file and adds it; what went wrong, or NULL
static const char *add_file(lua_State *L, FILE *out, const char *folder, const char *name) {
  const char *problem = NULL;
  char *code = NULL;
  size_t size = 0;
  bytes text = map(lua_pushfstring(L, "%s/%s", folder, name));
  if (!text.start) return lua_pushfstring(L, "%s/%s cannot be read", folder, name);
  FILE *memory = open_memstream(&code, &size);
  if (luaL_loadbufferx(L, text.start, text.size, SOURCE, "t") != LUA_OK) problem = lua_pushfstring(L, "%s: %s", name, lua_tostring(L, -1));
  else if (!memory || lua_dump(L, add_to_file, memory, 0) != 0 || fflush(memory) != 0) problem = "not enough memory";
  else if (!has_source((bytes){code, size})) problem = "this Lua writes compiled modules in another form";
  else if (!write_entry(out, name, text, (bytes){code, size})) problem = "the archive cannot be written";
  if (memory) fclose(memory);
  free(code);
  unmap(text);
  return problem;
}

const char *hml_modules__write(lua_State *L, const char *path, const char *folder, int n, char **files) {
  const char *part = lua_pushfstring(L, "%s.part", path), *problem = NULL;
  FILE *out = fopen(part, "wb");
  if (!out) return lua_pushfstring(L, "%s: %s", part, strerror(errno));
  if (fwrite(head, sizeof head - 1, 1, out) != 1 || fwrite(lua_ident, strlen(lua_ident) + 1, 1, out) != 1) problem = "the archive cannot be written";
  for (int i = 0; i < n && !problem; i++) {
    int top = lua_gettop(L);
    problem = add_file(L, out, folder, files[i]);
    if (!problem) lua_settop(L, top);
  }
  if (fclose(out) != 0 && !problem) problem = "the archive cannot be written";
  if (!problem && rename(part, path) != 0) problem = "the archive cannot be renamed into its place";
  if (problem) remove(part);
  return problem;
}
