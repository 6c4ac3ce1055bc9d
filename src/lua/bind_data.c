// bind_data.c: measured data as functions, and tables of numbers in NumPy's .npz files (by libzip).
#include "bind.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

// data_new(name, kind, x, y) -> the number of the table
static int data_new(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  const char *name = luaL_checkstring(L, 1), *kind = luaL_checkstring(L, 2);
  size_t n, m;
  const double *x = hml_bind__to_doubles(L, 3, &n), *y = hml_bind__to_doubles(L, 4, &m);
  if (n != m) return hml_bind__error(L, "data '%s': %d arguments but %d values", name, (int)n, (int)m);
  double id;
  hml_bind__check(L, c, hml_data_new(c, name, kind, n, x, y, &id));
  lua_pushnumber(L, id);
  return 1;
}

// data(id, expression)
static int data(lua_State *L) {
  hml_context *c = hml_bind__context(L);
  return hml_bind__push(L, c, hml_data(c, luaL_checknumber(L, 1), hml_bind__to_expr(L, c, 2)));
}

// data_value(id, x, order) -> a number; nan outside of the points
static int data_value(lua_State *L) {
  lua_pushnumber(L, hml_tabled(luaL_checknumber(L, 1), luaL_checknumber(L, 2), (int)luaL_optinteger(L, 3, 0)));
  return 1;
}

// ---- .npz: a zip archive of .npy files, each a line of text about type and shape and the numbers behind it

static int zip_failed(lua_State *L, zip_t *z, const char *path, const char *what) {
  char message[300];
  snprintf(message, sizeof message, "%s", zip_strerror(z));
  zip_discard(z);
  return hml_bind__error(L, "%s: %s: %s", path, what, message);
}

static zip_t *open_zip(lua_State *L, const char *path, int flags) {
  int code = 0;
  zip_t *z = zip_open(path, flags, &code);
  if (z) return z;
  zip_error_t error;
  zip_error_init_with_code(&error, code);
  char message[300];
  snprintf(message, sizeof message, "%s", zip_error_strerror(&error));
  zip_error_fini(&error);
  hml_bind__error(L, "%s: %s", path, message);
  return NULL;
}

// The bytes of one .npy file of n doubles; NULL: no memory. Little-endian machines write what they hold
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

// npz_write(path, { {name, values}, ... }): the file appears whole or not at all
static int npz_write(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  luaL_checktype(L, 2, LUA_TTABLE);
  lua_Integer count = (lua_Integer)lua_rawlen(L, 2);
  for (lua_Integer k = 1; k <= count; k++) {
    bool fine = lua_rawgeti(L, 2, k) == LUA_TTABLE;
    fine = fine && lua_rawgeti(L, -1, 1) == LUA_TSTRING && lua_rawgeti(L, -2, 2) == LUA_TTABLE;
    if (!fine) return hml_bind__error(L, "npz_write: entry %d is no {name, values}", (int)k);
    lua_pop(L, 3);
  }
  zip_t *z = open_zip(L, path, ZIP_CREATE | ZIP_TRUNCATE);
  for (lua_Integer k = 1; k <= count; k++) {
    lua_rawgeti(L, 2, k);
    lua_rawgeti(L, -1, 1);
    lua_rawgeti(L, -2, 2);
    size_t n = lua_rawlen(L, -1), size;
    double *values = lua_newuserdatauv(L, (n + 1) * sizeof *values, 0);
    for (size_t i = 0; i < n; i++) {
      lua_rawgeti(L, -2, (lua_Integer)i + 1);
      values[i] = lua_isnumber(L, -1) ? lua_tonumber(L, -1) : NAN;
      lua_pop(L, 1);
    }
    lua_pushfstring(L, "%s.npy", lua_tostring(L, -3));
    char *bytes = npy(values, n, &size);
    zip_source_t *source = bytes ? zip_source_buffer(z, bytes, size, 1) : NULL;
    if (!source) {
      free(bytes);
      return zip_failed(L, z, path, "no memory");
    }
    if (zip_file_add(z, lua_tostring(L, -1), source, ZIP_FL_OVERWRITE | ZIP_FL_ENC_UTF_8) < 0) {
      zip_source_free(source);
      return zip_failed(L, z, path, "cannot add an array");
    }
    lua_pop(L, 5);
  }
  if (zip_close(z) < 0) return zip_failed(L, z, path, "cannot write");
  return 0;
}

typedef struct array {
  char type;                           // f, i, u, b
  unsigned width;
  bool by_columns;
  size_t dimensions, shape[8], count, at;   // at: where the numbers begin
} array;

static const char *parse_npy(const unsigned char *bytes, size_t size, array *a) {
  if (size < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0) return "is no .npy file";
  size_t text = bytes[6] == 1 ? bytes[8] + 256u * bytes[9] : bytes[8] + 256u * (bytes[9] + 256u * (bytes[10] + 256u * (size_t)bytes[11])), from = bytes[6] == 1 ? 10 : 12;
  if (from + text > size || text > 60000) return "is cut in its header";
  char header[512];
  snprintf(header, sizeof header, "%.*s", (int)(text < 511 ? text : 511), (const char *)bytes + from);
  const char *type = strstr(header, "'descr': '"), *order = strstr(header, "'fortran_order': "), *shape = strstr(header, "'shape': (");
  if (!type || !order || !shape) return "has a header that is not understood";
  type += 10;
  if (!strchr("<|=", *type) || !strchr("fiub", type[1]) || !strchr("1248", type[2]) || type[3] != '\'') return "holds something else than numbers in this machine's order of bytes";
  if (type[1] == 'f' && type[2] != '4' && type[2] != '8') return "holds numbers of half a precision";
  *a = (array){.type = type[1], .width = (unsigned)(type[2] - '0'), .by_columns = order[17] == 'T', .count = 1, .at = from + text};
  for (const char *p = shape + 10; *p && *p != ')';) {
    char *end;
    unsigned long long extent = strtoull(p, &end, 10);
    if (end == p) return "has a shape that is not understood";
    if (a->dimensions == 8 || (extent && a->count > SIZE_MAX / 16 / extent)) return "is too large";
    a->shape[a->dimensions++] = (size_t)extent;
    a->count *= (size_t)extent;
    for (p = end; *p == ',' || *p == ' ';) p++;
  }
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

// A list, or for two dimensions a list of rows; higher ones as a list in the order of the file
static void push_array(lua_State *L, const array *a, const unsigned char *bytes) {
  size_t rows = a->dimensions == 2 ? a->shape[0] : 1, columns = rows ? a->count / rows : 0;
  lua_createtable(L, (int)(a->dimensions == 2 ? rows : columns), 0);
  for (size_t r = 0; r < rows; r++) {
    if (a->dimensions == 2) lua_createtable(L, (int)columns, 0);
    for (size_t k = 0; k < columns; k++) {
      size_t place = a->dimensions == 2 && a->by_columns ? k * rows + r : r * columns + k;
      lua_pushnumber(L, element(a, bytes + a->at + place * a->width));
      lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    if (a->dimensions == 2) lua_rawseti(L, -2, (lua_Integer)r + 1);
  }
}

// npz_read(path) -> { name = list }, names in the order of the file
static int npz_read(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  zip_t *z = open_zip(L, path, ZIP_RDONLY);
  lua_newtable(L);
  lua_newtable(L);
  zip_int64_t count = zip_get_num_entries(z, 0);
  for (zip_int64_t k = 0; k < count; k++) {
    zip_stat_t about;
    if (zip_stat_index(z, (zip_uint64_t)k, 0, &about) < 0) return zip_failed(L, z, path, "cannot be read");
    size_t length = strlen(about.name), size = (size_t)about.size;
    if (length < 5 || strcmp(about.name + length - 4, ".npy") != 0) continue;
    if (about.size > (zip_uint64_t)4 << 30) {
      zip_discard(z);
      return hml_bind__error(L, "%s: an array of %d megabytes is too large", path, (int)(about.size >> 20));
    }
    unsigned char *bytes = malloc(size + 1);
    zip_file_t *file = bytes ? zip_fopen_index(z, (zip_uint64_t)k, 0) : NULL;
    if (!file) {
      free(bytes);
      return zip_failed(L, z, path, "cannot be read");
    }
    zip_int64_t got = zip_fread(file, bytes, size);
    int damaged = got == (zip_int64_t)size ? zip_fclose(file) : (zip_fclose(file), 1);
    array a;
    const char *problem = damaged ? "is damaged" : parse_npy(bytes, size, &a);
    if (problem) {
      char name[80];
      snprintf(name, sizeof name, "%.70s", about.name);
      free(bytes);
      zip_discard(z);
      return hml_bind__error(L, "%s: '%s' %s", path, name, problem);
    }
    lua_pushlstring(L, about.name, length - 4);
    lua_pushvalue(L, -1);
    lua_rawseti(L, -3, (lua_Integer)lua_rawlen(L, -3) + 1);
    push_array(L, &a, bytes);
    free(bytes);
    lua_rawset(L, -4);
  }
  zip_discard(z);
  return 2;
}

void hml_bind_data(lua_State *L) {
  static const luaL_Reg functions[] = {{"data_new", data_new}, {"data", data}, {"data_value", data_value}, {"npz_write", npz_write}, {"npz_read", npz_read},
                                       {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
}
