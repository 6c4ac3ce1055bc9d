// bind_npz.c: tables of numbers in NumPy's .npz files (by libzip), as bytes: a zip archive of .npy files, each a line of text about type and
// shape and the numbers behind it. Nothing that a file claims is trusted. Reference: numpy.lib.format.
#include "bind.h"
#include "bind_host.h"

#include <ctype.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define HML_ZIP "hamel.zip"

enum { MOST_NUMBERS = 100000000, MOST_HEADER = 1000, MOST_ARRAYS = 10000, BETWEEN_LOOKS = 65536 };

// What must be freed, whatever Lua throws
typedef struct box {
  zip_t *z;
  zip_source_t *source;                // of the whole archive
  zip_file_t *file;
  void *bytes;
} box;

static int box_gc(lua_State *L) {
  box *b = luaL_checkudata(L, 1, HML_ZIP);
  if (b->file) zip_fclose(b->file);
  if (b->z) zip_discard(b->z);
  if (b->source) zip_source_free(b->source);
  free(b->bytes);
  *b = (box){0};
  return 0;
}

static box *new_box(lua_State *L) {
  box *b = lua_newuserdatauv(L, sizeof *b, 0);
  *b = (box){0};
  luaL_setmetatable(L, HML_ZIP);
  return b;
}

static int fail_zip(lua_State *L, const char *path, zip_error_t *error) {
  char message[300];
  snprintf(message, sizeof message, "%s", zip_error_strerror(error));
  zip_error_fini(error);
  return hml_bind__error(L, "%s: %s", path, message);
}

// The archive in these bytes, or a new one; `source` is kept for us besides
static void open_box(lua_State *L, box *b, const char *path, const void *bytes, size_t size, int flags) {
  zip_error_t error;
  zip_error_init(&error);
  b->source = zip_source_buffer_create(bytes, size, 0, &error);
  if (!b->source) fail_zip(L, path, &error);
  zip_source_keep(b->source);
  b->z = zip_open_from_source(b->source, flags, &error);
  if (b->z) {
    zip_error_fini(&error);
    return;
  }
  zip_source_free(b->source);          // that of the archive which was not opened
  fail_zip(L, path, &error);
}

// ---- writing

// The bytes of one .npy file of n doubles; NULL: no memory. Little-endian machines write their doubles unchanged
static char *npy(const double *values, size_t n, size_t *size) {
  char header[128];
  int length = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu,), }", n);
  size_t padded = (10 + (size_t)length + 1 + 63) / 64 * 64, text = padded - 10;
  *size = padded + n * sizeof *values;
  char *bytes = malloc(*size);
  if (!bytes) return NULL;
  memset(bytes, ' ', padded);
  memcpy(bytes, "\x93NUMPY\x01", 7);
  bytes[7] = 0;
  bytes[8] = (char)(text & 255);
  bytes[9] = (char)(text >> 8);
  memcpy(bytes + 10, header, (size_t)length);
  bytes[padded - 1] = '\n';
  memcpy(bytes + padded, values, n * sizeof *values);
  return bytes;
}

// The values of the list on top of the stack, as an array above it
static double *numbers(lua_State *L, size_t *n) {
  *n = lua_rawlen(L, -1);
  double *values = lua_newuserdatauv(L, (*n + 1) * sizeof *values, 0);
  for (size_t i = 0; i < *n; i++) {
    lua_rawgeti(L, -2, (lua_Integer)i + 1);
    values[i] = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : NAN;
    lua_pop(L, 1);
  }
  return values;
}

static void add_array(lua_State *L, box *b, const char *name) {
  size_t n, size;
  const double *values = numbers(L, &n);
  char *bytes = npy(values, n, &size);
  zip_source_t *source = bytes ? zip_source_buffer(b->z, bytes, size, 1) : NULL;
  if (!source) {
    free(bytes);
    hml_bind__error(L, "npz: not enough memory");
  }
  if (zip_file_add(b->z, name, source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8) < 0) {
    zip_source_free(source);
    hml_bind__error(L, "npz: the array '%s' cannot be added: %s", name, zip_strerror(b->z));
  }
}

static int push_archive(lua_State *L, box *b) {
  if (zip_close(b->z) < 0) return hml_bind__error(L, "npz: %s", zip_strerror(b->z));
  b->z = NULL;
  bool fine = zip_source_open(b->source) == 0;
  fine = fine && zip_source_seek(b->source, 0, SEEK_END) == 0;
  zip_int64_t size = fine ? zip_source_tell(b->source) : -1;
  if (size < 0 || zip_source_seek(b->source, 0, SEEK_SET) != 0) return hml_bind__error(L, "npz: the archive cannot be read back");
  b->bytes = malloc((size_t)size + 1);
  if (!b->bytes) return hml_bind__error(L, "npz: not enough memory");
  zip_int64_t got = zip_source_read(b->source, b->bytes, (zip_uint64_t)size);
  zip_source_close(b->source);
  if (got != size) return hml_bind__error(L, "npz: the archive cannot be read back");
  lua_pushlstring(L, b->bytes, (size_t)size);
  return 1;
}

// npz({ {name, values}, ... }) -> the bytes of an archive
static int npz(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  box *b = new_box(L);
  open_box(L, b, "npz", NULL, 0, ZIP_CREATE | ZIP_TRUNCATE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 1);
  for (lua_Integer k = 1; k <= count; k++) {
    bool fine = lua_rawgeti(L, 1, k) == LUA_TTABLE;
    fine = fine && lua_rawgeti(L, -1, 1) == LUA_TSTRING && lua_rawgeti(L, -2, 2) == LUA_TTABLE;
    if (!fine) return hml_bind__error(L, "npz: entry %d is no {name, values}", (int)k);
    lua_pushfstring(L, "%s.npy", lua_tostring(L, -2));
    lua_insert(L, -2);
    add_array(L, b, lua_tostring(L, -2));
    lua_settop(L, 2);
  }
  return push_archive(L, b);
}

// ---- reading

typedef struct array {
  char type;                           // f, i, u, b
  unsigned width;
  bool by_columns;
  size_t dimensions, shape[8], count, at;   // at: where the numbers begin
} array;

// "(3, 4)"
static const char *parse_shape(const char *p, array *a) {
  bool empty = false, large = false;
  a->count = 1;
  while (*p != ')') {
    if (!isdigit((unsigned char)*p)) return "has a shape that is not understood";
    char *end;
    unsigned long long extent = strtoull(p, &end, 10);
    if (a->dimensions == 8) return "is too large";
    a->shape[a->dimensions++] = (size_t)extent;
    if (extent == 0) empty = true;
    else if (a->count > MOST_NUMBERS / extent) large = true;
    else a->count *= (size_t)extent;
    for (p = end; *p == ',' || *p == ' ';) p++;
  }
  if (empty) a->count = 0;
  return large && !empty ? "is too large" : NULL;
}

// "<f8'": every character is looked at only when the one before it is no end of the text
static const char *parse_type(const char *p, array *a) {
  static const char *const known[] = {"f4", "f8", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "b1"};
  if (*p == '<' || *p == '|' || *p == '=')
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
      if (strncmp(p + 1, known[i], 2) == 0 && p[3] == '\'') {
        a->type = p[1];
        a->width = (unsigned)(p[2] - '0');
        return NULL;
      }
  return "holds something else than numbers of 1 to 8 bytes in this machine's order of bytes";
}

static const char *parse_npy(const unsigned char *bytes, size_t size, array *a) {
  *a = (array){0};
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0 || bytes[6] < 1 || bytes[6] > 3) return "is no .npy file";
  bool brief = bytes[6] == 1;
  size_t from = brief ? 10 : 12, text = bytes[8] + 256u * bytes[9];
  if (!brief) text += ((size_t)bytes[11] << 24) + ((size_t)bytes[10] << 16);
  if (text > size - from) return "is cut in its header";
  char header[MOST_HEADER + 1];
  if (text > MOST_HEADER || memchr(bytes + from, '\0', text)) return "has a header that is not understood";
  memcpy(header, bytes + from, text);
  header[text] = '\0';
  const char *type = strstr(header, "'descr': '"), *order = strstr(header, "'fortran_order': "), *shape = strstr(header, "'shape': (");
  if (!type || !order || !shape) return "has a header that is not understood";
  a->at = from + text;
  a->by_columns = strncmp(order + 17, "True", 4) == 0;
  const char *problem = parse_type(type + 10, a);
  if (!problem) problem = parse_shape(shape + 10, a);
  if (problem) return problem;
  return a->count > (size - a->at) / a->width ? "is cut" : NULL;
}

static double element(const array *a, const unsigned char *p) {
  union {
    double d;
    float f;
    int64_t i;
    uint64_t u;
  } v = {0};
  memcpy(&v, p, a->width);
  if (a->type == 'f') return a->width == 8 ? v.d : (double)v.f;
  unsigned unused = 64 - 8 * a->width;
  if (a->type == 'i') return (double)((int64_t)(v.u << unused) >> unused);
  return (double)v.u;
}

// A list, or for two dimensions a list of rows; higher ones as a list in the order of the file. Without numbers it is an empty list, whatever
// from the shape
static void push_array(lua_State *L, const array *a, const unsigned char *bytes) {
  bool table = a->dimensions == 2 && a->count > 0;
  size_t rows = table ? a->shape[0] : 1, columns = a->count / rows, looked = 0;
  lua_createtable(L, (int)(table ? rows : columns), 0);
  for (size_t r = 0; r < rows; r++) {
    if (table) lua_createtable(L, (int)columns, 0);
    for (size_t k = 0; k < columns; k++) {
      if (++looked % BETWEEN_LOOKS == 0 && *hml_bind__interrupt_flag()) hml_bind__error(L, "interrupted");
      size_t place = table && a->by_columns ? k * rows + r : r * columns + k;
      lua_pushnumber(L, element(a, bytes + a->at + place * a->width));
      lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    if (table) lua_rawseti(L, -2, (lua_Integer)r + 1);
  }
}

// Reads entry k, whose claims are `about`, into the box
static const char *read_entry(box *b, zip_uint64_t k, const zip_stat_t *about) {
  const zip_uint64_t wanted = ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE;
  if ((about->valid & wanted) != wanted) return "is damaged";
  if (about->size > (zip_uint64_t)8 * MOST_NUMBERS + 65536) return "is too large";
  // deflate shrinks by a factor of 1032 at most
  if (about->size / 1100 > about->comp_size + 1) return "is damaged: it claims more bytes than it can hold";
  size_t size = (size_t)about->size;
  b->bytes = malloc(size + 1);
  b->file = b->bytes ? zip_fopen_index(b->z, k, 0) : NULL;
  if (!b->bytes) return "is too large for the memory";
  if (!b->file) return "cannot be read";
  zip_int64_t got = zip_fread(b->file, b->bytes, size);
  char more;                           // the checksum is compared where the end is read
  if (zip_fread(b->file, &more, 1) != 0) got = -1;
  int closed = zip_fclose(b->file);
  b->file = NULL;
  return got == (zip_int64_t)size && closed == 0 ? NULL : "is damaged";
}

// npz_read(bytes, path) -> list of { name, list } in the order of the file; path: for messages
static int npz_read(lua_State *L) {
  size_t size;
  const char *whole = luaL_checklstring(L, 1, &size), *path = luaL_checkstring(L, 2);
  box *b = new_box(L);
  open_box(L, b, path, whole, size, ZIP_RDONLY);
  lua_newtable(L);
  zip_int64_t count = zip_get_num_entries(b->z, 0);
  if (count > MOST_ARRAYS) return hml_bind__error(L, "%s: %d arrays are too many", path, (int)(count < INT32_MAX ? count : INT32_MAX));
  for (zip_int64_t k = 0; k < count; k++) {
    zip_stat_t about;
    if (zip_stat_index(b->z, (zip_uint64_t)k, 0, &about) < 0 || !(about.valid & ZIP_STAT_NAME)) return hml_bind__error(L, "%s: entry %d cannot be read", path, (int)k + 1);
    size_t length = strlen(about.name);
    if (length < 5 || strcmp(about.name + length - 4, ".npy") != 0) continue;
    array a;
    const char *problem = read_entry(b, (zip_uint64_t)k, &about);
    if (!problem) problem = parse_npy(b->bytes, (size_t)about.size, &a);
    if (problem) return hml_bind__error(L, "%s: '%.70s' %s", path, about.name, problem);
    lua_createtable(L, 2, 0);
    lua_pushlstring(L, about.name, length - 4);
    lua_rawseti(L, -2, 1);
    push_array(L, &a, b->bytes);
    lua_rawseti(L, -2, 2);
    lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
    free(b->bytes);
    b->bytes = NULL;
  }
  return 1;
}

void hml_bind_npz(lua_State *L) {
  static const luaL_Reg functions[] = {{"npz", npz}, {"npz_read", npz_read}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  luaL_newmetatable(L, HML_ZIP);
  lua_pushcfunction(L, box_gc);
  lua_setfield(L, -2, "__gc");
  lua_pop(L, 1);
}
