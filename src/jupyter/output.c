// output.c: captured output becomes messages 'stream'. Library and interpreter write through C's stdout and stderr, which glibc lets us replace;
// children write through the descriptors 1 and 2, which are a file in memory. No pipe: a full one would block the program that fills it.
#include "output.h"

#include <fcntl.h>
#include <lauxlib.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { ROOM = 16384, QUOTED = 6 * ROOM + 100 };

typedef struct stream {
  const char *name;
  char text[ROOM];
  size_t length;
  FILE *before;                        // what stood in its place
} stream;

static struct {
  pthread_mutex_t lock;                // of all below
  stream out, err;
  void *iopub;
  char *parent, quoted[QUOTED];
  size_t parent_size, bytes;           // bytes: written for this parent
  bool shows;                          // results or errors were published for this parent
  int memory, descriptors[2];          // the file of the children; copies of what 1 and 2 were
  off_t read;                          // of that file
} output = {.lock = PTHREAD_MUTEX_INITIALIZER, .out = {.name = "stdout"}, .err = {.name = "stderr"}, .memory = -1};

// ---- text as JSON

// Bytes of the character; 0: no UTF-8; -1: its beginning at the end of the text
static int character(const unsigned char *s, size_t left) {
  int n = *s < 0x80 ? 1 : *s >= 0xC2 && *s < 0xE0 ? 2 : (*s & 0xF0) == 0xE0 ? 3 : *s >= 0xF0 && *s < 0xF5 ? 4 : 0;
  for (int i = 1; i < n; i++) {
    if ((size_t)i >= left) return -1;
    if ((s[i] & 0xC0) != 0x80) return 0;
  }
  bool overlong = (*s == 0xE0 && s[1] < 0xA0) || (*s == 0xF0 && s[1] < 0x90);
  bool surrogate = *s == 0xED && s[1] >= 0xA0;
  return overlong || surrogate || (*s == 0xF4 && s[1] >= 0x90) ? 0 : n;
}

// Appends the text in quotes; returns the bytes that were read: all of them, or those before an unfinished character
static size_t quote(const stream *s, bool whole, size_t *at) {
  size_t i = 0;
  output.quoted[(*at)++] = '"';
  while (i < s->length) {
    unsigned char c = (unsigned char)s->text[i];
    int n = character((const unsigned char *)s->text + i, s->length - i);
    if (n < 0 && !whole) break;
    if (n <= 0) {
      memcpy(output.quoted + *at, "\xEF\xBF\xBD", 3);                  // U+FFFD
      *at += 3;
      i++;
    } else if (c < 0x20 || c == '"' || c == '\\' || c == 0x7F) {
      *at += (size_t)sprintf(output.quoted + *at, "\\u%04x", c);
      i++;
    } else {
      memcpy(output.quoted + *at, s->text + i, (size_t)n);
      *at += (size_t)n;
      i += (size_t)n;
    }
  }
  output.quoted[(*at)++] = '"';
  return i;
}

// ---- under the lock

static void send(const char *type, hml_span content) {
  hml_span topic = {type, strlen(type)}, parent = {output.parent ? output.parent : "{}", output.parent ? output.parent_size : 2};
  hml_message__send(output.iopub, &topic, 1, type, parent, content);
}

static void flush_stream(stream *s, bool whole) {
  if (s->length == 0 || !output.parent) return;
  size_t at = (size_t)sprintf(output.quoted, "{\"name\":\"%s\",\"text\":", s->name);
  size_t done = quote(s, whole, &at);
  output.quoted[at++] = '}';
  if (done > 0) send("stream", (hml_span){output.quoted, at});
  memmove(s->text, s->text + done, s->length - done);
  s->length -= done;
}

static void append(stream *s, const char *text, size_t n) {
  output.bytes += n;
  while (n > 0) {
    size_t part = n < ROOM - s->length ? n : ROOM - s->length;
    memcpy(s->text + s->length, text, part);
    s->length += part;
    text += part;
    n -= part;
    if (s->length == ROOM) flush_stream(s, false);
    if (s->length == ROOM) s->length = 0;                            // nobody to send it to yet
  }
}

static void collect_from_children(void) {
  char bytes[4096];
  ssize_t n;
  while (output.memory >= 0 && (n = pread(output.memory, bytes, sizeof bytes, output.read)) > 0) {
    output.read += n;
    append(&output.out, bytes, (size_t)n);
  }
}

static void flush_all(bool whole) {
  collect_from_children();
  flush_stream(&output.out, whole);
  flush_stream(&output.err, whole);
}

// ---- for others

void hml_output__flush(bool whole) {
  pthread_mutex_lock(&output.lock);
  flush_all(whole);
  pthread_mutex_unlock(&output.lock);
}

void hml_output__publish(const char *type, hml_span content) {
  pthread_mutex_lock(&output.lock);
  flush_all(true);
  send(type, content);
  output.shows = output.shows || (strcmp(type, "status") != 0 && strcmp(type, "execute_input") != 0);
  pthread_mutex_unlock(&output.lock);
}

void hml_output__clear(size_t bytes) {
  static const char content[] = "{\"wait\":false}";
  pthread_mutex_lock(&output.lock);
  flush_all(true);
  if (!output.shows && output.bytes == bytes) {
    send("clear_output", (hml_span){content, sizeof content - 1});
    output.bytes = 0;
  }
  pthread_mutex_unlock(&output.lock);
}

bool hml_output__parent(hml_span header) {
  char *copy = malloc(header.size + 1);
  if (!copy) return false;
  memcpy(copy, header.data, header.size);
  pthread_mutex_lock(&output.lock);
  flush_all(true);
  free(output.parent);
  output.parent = copy;
  output.parent_size = header.size;
  output.bytes = 0;
  output.shows = false;
  pthread_mutex_unlock(&output.lock);
  return true;
}

static ssize_t write_captured(void *cookie, const char *text, size_t n) {
  stream *s = cookie;
  pthread_mutex_lock(&output.lock);
  // what the other stream holds was written before
  stream *other = s == &output.out ? &output.err : &output.out;
  flush_stream(other, false);
  append(s, text, n);
  pthread_mutex_unlock(&output.lock);
  return (ssize_t)n;
}

static bool replace_descriptors(void) {
  output.memory = memfd_create("hamel-children", MFD_CLOEXEC);
  if (output.memory < 0) return false;
  for (int i = 0; i < 2; i++) {
    output.descriptors[i] = fcntl(i + 1, F_DUPFD_CLOEXEC, 3);        // children that outlive us do not hold it
    if (output.descriptors[i] < 0 || dup2(output.memory, i + 1) < 0) return false;
  }
  return true;
}

static void set_stream(lua_State *L, const char *name, FILE *f) {
  lua_getglobal(L, "io");
  lua_getfield(L, -1, name);
  ((luaL_Stream *)luaL_checkudata(L, -1, LUA_FILEHANDLE))->f = f;
  lua_pop(L, 2);
}

bool hml_output__capture(lua_State *L, void *iopub) {
  cookie_io_functions_t io = {.write = write_captured};
  FILE *out = fopencookie(&output.out, "w", io), *err = fopencookie(&output.err, "w", io);
  fflush(stdout);
  if (!out || !err || !replace_descriptors()) return false;
  setvbuf(out, NULL, _IONBF, 0);
  setvbuf(err, NULL, _IONBF, 0);
  output.iopub = iopub;
  output.out.before = stdout;
  output.err.before = stderr;
  stdout = out;
  stderr = err;
  set_stream(L, "stdout", stdout);
  set_stream(L, "stderr", stderr);
  return true;
}

void hml_output__release(lua_State *L) {
  hml_output__flush(true);
  FILE *out = stdout, *err = stderr;
  stdout = output.out.before;
  stderr = output.err.before;
  set_stream(L, "stdout", stdout);
  set_stream(L, "stderr", stderr);
  fclose(out);
  fclose(err);
  for (int i = 0; i < 2; i++) {
    dup2(output.descriptors[i], i + 1);
    close(output.descriptors[i]);
  }
  close(output.memory);
  output.memory = -1;
  free(output.parent);
  output.parent = NULL;
}
