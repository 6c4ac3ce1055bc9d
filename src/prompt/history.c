// history.c: the lines entered: a block is in the file as soon as it is entered; sessions that run side by side all append.
#include "prompt.h"

#ifdef HAMEL_READLINE

#include <errno.h>
#include <fcntl.h>
#include <lauxlib.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <readline/history.h>

#define KEPT_ENTRIES 10000

static void set_up(void) {
  static bool done;
  if (done) return;
  done = true;
  history_comment_char = '#';
  history_write_timestamps = 1;
  using_history();
  stifle_history(KEPT_ENTRIES);
}

// Every folder above the file, private to the user
static void make_folders(const char *path) {
  char folder[PATH_MAX];
  snprintf(folder, sizeof folder, "%s", path);
  for (char *p = folder + 1; *p; p++)
    if (*p == '/') {
      *p = '\0';
      mkdir(folder, 0700);
      *p = '/';
    }
}

// The file, open for appending, private and locked; -1 if that cannot be. A lock that somebody keeps is waited for a second at most
static int open_history(const char *path) {
  for (int tries = 0; tries < 100; tries++) {
    struct stat ours, there;
    int file = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0 || fstat(file, &ours) != 0) return file;
    bool free = flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK || tries == 99;
    // another session may have replaced the file by a shorter one meanwhile
    if (free && stat(path, &there) == 0 && there.st_ino == ours.st_ino && there.st_dev == ours.st_dev) {
      if (S_ISREG(ours.st_mode)) fchmod(file, 0600);
      return file;
    }
    close(file);
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
  }
  return -1;
}

// remember(text, path): adds a block to the history, and to the file if there is a path -> true, or nil and a message
int hml_history__remember(lua_State *L) {
  const char *text = luaL_checkstring(L, 1), *path = luaL_optstring(L, 2, NULL);
  set_up();
  const HIST_ENTRY *last = history_length > 0 ? history_get(history_base + history_length - 1) : NULL;
  bool again = last && strcmp(last->line, text) == 0;
  if (!again) add_history(text);
  lua_pushboolean(L, 1);
  if (again || !path) return 1;
  make_folders(path);
  size_t length;
  const char *entry = lua_pushfstring(L, "#%I\n%s\n", (LUAI_UACINT)time(NULL), text);
  lua_tolstring(L, -1, &length);
  int file = open_history(path);
  bool written = file >= 0 && write(file, entry, length) == (ssize_t)length;
  int problem = errno;
  if (file >= 0) close(file);
  return written ? (lua_settop(L, 3), 1) : luaL_fileresult(L, (errno = problem, 0), path);
}

// load_history(path): a file that has grown too long is rewritten
int hml_history__load(lua_State *L) {
  const char *path = luaL_checkstring(L, 1);
  set_up();
  if (access(path, R_OK) != 0 || read_history(path) != 0 || history_base <= KEPT_ENTRIES / 10) return 0;
  clear_history();
  int file = open_history(path);
  if (file < 0) return 0;
  if (read_history(path) == 0 && write_history(path) == 0) chmod(path, 0600);
  close(file);
  return 0;
}

#else

static int nothing(lua_State *L) {
  lua_pushboolean(L, 1);
  return 1;
}
int hml_history__remember(lua_State *L) { return nothing(L); }
int hml_history__load(lua_State *L) { return nothing(L); }
#endif
