// text.c: growing text with sticky out-of-memory; bytes that are read from the front.
#include "base.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

void hml_text_init(hml_text *t, hml_context *c) {
  *t = (hml_text){.context = c};
}

// Room for n more characters and the NUL
static bool reserve(hml_text *t, size_t n) {
  if (t->failed) return false;
  if (t->length + n + 1 <= t->capacity) return true;
  size_t capacity = t->capacity ? 2 * t->capacity : 64;
  while (capacity < t->length + n + 1) capacity *= 2;
  char *data = hml_realloc(t->context, t->data, t->capacity, capacity);
  t->failed = data == NULL;
  if (!data) return false;
  t->data = data;
  t->capacity = capacity;
  return true;
}

void hml_text_put_n(hml_text *t, const char *s, size_t n) {
  if (!reserve(t, n)) return;
  memcpy(t->data + t->length, s, n);
  t->length += n;
  t->data[t->length] = '\0';
}

void hml_text_put(hml_text *t, const char *s) {
  hml_text_put_n(t, s, strlen(s));
}

void hml_text_format(hml_text *t, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  int n = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  if (n >= 0 && reserve(t, (size_t)n)) {
    vsnprintf(t->data + t->length, (size_t)n + 1, format, again);
    t->length += (size_t)n;
  }
  va_end(again);
}

void hml_text__plain_nan(char *message) {
  for (char *p = message; (p = strstr(p, "-nan")) != NULL; p += 3) {
    bool word = (p == message || !isalnum((unsigned char)p[-1])) && !isalnum((unsigned char)p[4]) && p[4] != '_';
    if (word) memmove(p, p + 1, strlen(p));
  }
}

char *hml_text_take(hml_text *t) {
  hml_text_put_n(t, "", 0);
  char *exact = t->failed ? NULL : hml_text_copy(t->context, t->data);
  hml_text_free(t);
  return exact;
}

void hml_text_free(hml_text *t) {
  hml_dealloc(t->context, t->data, t->capacity);
  *t = (hml_text){.context = t->context};
}

const char *hml_quote_of(const char *name) {
  size_t n = strlen(name);
  return n > 0 && (name[n - 1] == '\'' || (name[n - 1] == '}' && strstr(name, "'{"))) ? "" : "'";
}

void hml_reader__take(hml_reader *r, void *into, size_t size) {
  r->failed = r->failed || (size_t)(r->end - r->at) < size;
  if (r->failed) {
    memset(into, 0, size);
    return;
  }
  memcpy(into, r->at, size);
  r->at += size;
}
