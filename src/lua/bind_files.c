// bind_files.c: whole files: written beside their place and renamed into it, read with a bound. files.lua decides which files may be written.
#include "bind.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static int write_all(int file, const char *bytes, size_t size) {
  while (size > 0) {
    ssize_t n = write(file, bytes, size);
    if (n < 0 && errno != EINTR) return errno;
    if (n > 0) bytes += n, size -= (size_t)n;
  }
  return 0;
}

// Where the file is in the end, through links; `straight`: a device or a pipe, which nothing can be renamed to. 0, or errno
static int find_place(const char *path, char place[PATH_MAX], mode_t *mode, bool *straight) {
  struct stat s;
  *straight = false;
  *mode = 0;
  bool there = stat(path, &s) == 0;
  if (!there && errno != ENOENT) return errno;
  if (there && S_ISDIR(s.st_mode)) return EISDIR;
  *straight = there && !S_ISREG(s.st_mode);
  if (there && !*straight) {
    *mode = s.st_mode & 07777;
    return realpath(path, place) ? 0 : errno;
  }
  if (strlen(path) >= PATH_MAX) return ENAMETOOLONG;
  memcpy(place, path, strlen(path) + 1);
  return 0;
}

// A new file beside the place, under a name nobody foresees; never one that is there, nor through a link. -1 with errno
static int open_beside(const char *place, char beside[PATH_MAX]) {
  const char *slash = strrchr(place, '/');
  int folder = slash ? (int)(slash - place + 1) : 0;
  for (unsigned tries = 0; tries < 100; tries++) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    unsigned long number = (unsigned long)now.tv_nsec * 2654435761u + (unsigned long)getpid() * 40503u + tries;
    if (snprintf(beside, PATH_MAX, "%.*s.hamel-%08lx", folder, place, number & 0xffffffff) >= PATH_MAX) return errno = ENAMETOOLONG, -1;
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST) return file;
  }
  return -1;
}

static int write_straight(const char *path, const char *bytes, size_t size) {
  int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return errno;
  int problem = write_all(file, bytes, size);
  if (close(file) != 0 && !problem) problem = errno;
  return problem;
}

static int write_beside(const char *place, mode_t mode, const char *bytes, size_t size) {
  char beside[PATH_MAX];
  int file = open_beside(place, beside);
  if (file < 0) return errno;
  int problem = write_all(file, bytes, size);
  if (mode && !problem && fchmod(file, mode) != 0 && errno != EPERM && errno != ENOTSUP) problem = errno;
  // some systems find out only here that the disk is full; some cannot do it
  if (!problem && fsync(file) != 0 && errno != EINVAL && errno != ENOTSUP) problem = errno;
  if (close(file) != 0 && !problem) problem = errno;
  if (!problem && rename(beside, place) != 0) problem = errno;
  if (problem) unlink(beside);
  return problem;
}

// write(path, bytes) -> true, or nil and the reason. The file is written completely or remains as it was
static int write_file(lua_State *L) {
  size_t size, length;
  const char *path = luaL_checklstring(L, 1, &length), *bytes = luaL_checklstring(L, 2, &size);
  char place[PATH_MAX];
  mode_t mode;
  bool straight;
  int problem = strlen(path) != length || length == 0 ? EINVAL : find_place(path, place, &mode, &straight);
  if (!problem) problem = straight ? write_straight(path, bytes, size) : write_beside(place, mode, bytes, size);
  if (!problem) return lua_pushboolean(L, 1), 1;
  luaL_pushfail(L);
  lua_pushstring(L, strerror(problem));
  return 2;
}

static const char *read_all(const char *path, char *bytes, size_t size, size_t *got) {
  int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  struct stat s;
  if (file < 0) return strerror(errno);
  const char *problem = fstat(file, &s) != 0 ? strerror(errno) : !S_ISREG(s.st_mode) ? "it is no regular file" : NULL;
  for (*got = 0; !problem && *got < size;) {
    ssize_t n = read(file, bytes + *got, size - *got);
    if (n == 0) break;
    if (n < 0 && errno != EINTR) problem = strerror(errno);
    if (n > 0) *got += (size_t)n;
  }
  close(file);
  return problem;
}

// read(path, most) -> the bytes of a regular file, or nil and the reason
static int read_file(lua_State *L) {
  const char *path = luaL_checkstring(L, 1), *problem = NULL;
  lua_Integer most = luaL_checkinteger(L, 2);
  struct stat s;
  char reason[200];
  size_t size = 0, got = 0;
  if (stat(path, &s) != 0) problem = strerror(errno);
  else if (S_ISDIR(s.st_mode)) problem = strerror(EISDIR);
  else if (!S_ISREG(s.st_mode)) problem = "it is no regular file";
  else if (s.st_size > most) {
    snprintf(reason, sizeof reason, "it has %lld megabytes, more than the %lld that are read", (long long)(s.st_size >> 20), (long long)(most >> 20));
    problem = reason;
  } else {
    size = (size_t)s.st_size;
  }
  if (!problem) {
    char *bytes = lua_newuserdatauv(L, size + 1, 0);
    problem = read_all(path, bytes, size, &got);
    if (!problem) return lua_pushlstring(L, bytes, got), 1;
  }
  luaL_pushfail(L);
  lua_pushstring(L, problem);
  return 2;
}

// exists(path): is anything there?
static int exists(lua_State *L) {
  struct stat s;
  lua_pushboolean(L, stat(luaL_checkstring(L, 1), &s) == 0 || errno != ENOENT);
  return 1;
}

// real_path(path) -> the absolute path without links, or nil where nothing is there
static int real_path(lua_State *L) {
  char place[PATH_MAX];
  if (!realpath(luaL_checkstring(L, 1), place)) return luaL_pushfail(L), 1;
  lua_pushstring(L, place);
  return 1;
}

void hml_bind_files(lua_State *L) {
  lua_getfield(L, -1, "host");
  static const luaL_Reg functions[] = {{"write", write_file}, {"read", read_file}, {"exists", exists}, {"real_path", real_path}, {NULL, NULL}};
  luaL_setfuncs(L, functions, 0);
  lua_pop(L, 1);
}
