// stopped.c: the message of a run that stopped: where, then why. Reasons that begin with the same time do not say it twice.
#include "integrate/integrate.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Where a text names the time t before its first colon: from the first character of that to behind its last one
static bool names_time(const char *why, double t, size_t *from, size_t *end) {
  const char *name = strstr(why, "t = "), *colon = strchr(why, ':');
  char text[40];
  snprintf(text, sizeof text, "%.10g", t);
  const size_t length = strlen(text);
  if (!name || (colon && colon < name) || strncmp(name + 4, text, length) != 0) return false;
  const char behind = name[4 + length];
  *from = (size_t)(name - why);
  *end = *from + 4 + length;
  const bool at = *from >= 3 && memcmp(name - 3, "at ", 3) == 0;
  if (at) *from -= 3;
  if (*from == 0) return behind == ':' || behind == ',' || behind == ' ';
  return at && behind == ':' && why[*from - 1] == ' ';
}

void hml_stopped(char *out, size_t capacity, double t, const char *why) {
  size_t from = 0, end = 0;
  const bool twice = names_time(why, t, &from, &end);
  if (twice && from == 0)
    while (why[end] == ':' || why[end] == ',' || why[end] == ' ') end++;
  const int before = twice && from > 0 ? (int)from - 1 : 0;
  snprintf(out, capacity, "stopped at t = %.15g: %.*s%s", t, before, why, twice ? why + end : why);
}
